/*
 * Kirkwood SoC and boards: identity, clocks, UARTs, boards' options
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"
#include "qobject/qdict.h"
#include "qobject/qlist.h"

static void test_identity(void)
{
    QTestState *qts = kirkwood_start("");

    /* 88F6281 revision A1: class code is a memory controller's */
    g_assert_cmphex(qtest_readl(qts, PCIE_BASE + 0x00), ==, 0x628111ab);
    g_assert_cmphex(qtest_readl(qts, PCIE_BASE + 0x08), ==, 0x05800003);
    g_assert_cmphex(qtest_readw(qts, PCIE_BASE + 0x02), ==, 0x6281);
    g_assert_cmphex(qtest_readb(qts, PCIE_BASE + 0x08), ==, 3);

    /* No link: pci-mvebu then leaves the slot alone */
    g_assert_cmphex(qtest_readl(qts, PCIE_BASE + 0x1a04) & 1, ==, 1);
    qtest_quit(qts);
}

/* CPU 1200 MHz, L2 and DDR 400 MHz, TCLK 200 MHz, by Linux's decoding */
static void test_sample_at_reset(void)
{
    QTestState *qts = kirkwood_start("");
    uint32_t sar = qtest_readl(qts, SAR_BASE);
    unsigned cpu = (sar & 0x2) >> 1 | (sar & 0x400000) >> 21 |
                   (sar & 0x18) >> 1;
    unsigned l2 = (sar & 0x600) >> 9 | (sar & 0x80000) >> 17;
    unsigned ddr = (sar >> 5) & 0xf;

    g_assert_cmphex(sar, ==, 0x692);
    g_assert_cmpuint(cpu, ==, 9);           /* 1200 MHz */
    g_assert_cmpuint(l2, ==, 3);            /* a third */
    g_assert_cmpuint(ddr, ==, 4);           /* a third */
    g_assert_cmpuint(sar >> 21 & 1, ==, 0); /* 200 MHz */
    qtest_writel(qts, SAR_BASE, 0);
    g_assert_cmphex(qtest_readl(qts, SAR_BASE), ==, 0x692);
    qtest_quit(qts);
}

/* 16550 with its registers four bytes apart */
enum {
    UART_DATA = 0x00, UART_IER = 0x04, UART_LCR = 0x0c, UART_MCR = 0x10,
    UART_LSR = 0x14, UART_SCR = 0x1c,
};

static void test_uart(const void *data)
{
    uint32_t base = data ? UART1_BASE : UART0_BASE;
    int irq = data ? IRQ_UART1 : IRQ_UART0;
    QTestState *qts = kirkwood_start("-serial null -serial null");

    g_assert_cmphex(qtest_readl(qts, base + UART_LSR), ==, 0x60);
    qtest_writel(qts, base + UART_SCR, 0x5a);
    g_assert_cmphex(qtest_readl(qts, base + UART_SCR), ==, 0x5a);

    /* In loopback, a byte sent is received */
    qtest_writel(qts, base + UART_LCR, 0x03);
    qtest_writel(qts, base + UART_MCR, 0x10);
    g_assert_false(qtest_get_irq(qts, irq));
    qtest_writel(qts, base + UART_IER, 0x01);
    qtest_writel(qts, base + UART_DATA, 'k');
    g_assert_true(qtest_get_irq(qts, irq));
    g_assert_cmphex(qtest_readl(qts, base + UART_LSR) & 1, ==, 1);
    g_assert_cmphex(qtest_readl(qts, base + UART_DATA), ==, 'k');
    g_assert_false(qtest_get_irq(qts, irq));
    qtest_quit(qts);
}

static void access_all_ways(QTestState *qts, uint32_t offset)
{
    /* Not the write that would move the registers away */
    if (offset == 0x20080) {
        return;
    }
    qtest_readl(qts, INTERNAL_BASE + offset);
    qtest_writel(qts, INTERNAL_BASE + offset, 0xffffffff);
    qtest_readb(qts, INTERNAL_BASE + offset + 3);
    qtest_writeb(qts, INTERNAL_BASE + offset + 1, 0);
    qtest_readw(qts, INTERNAL_BASE + offset + 2);
    qtest_writew(qts, INTERNAL_BASE + offset, 0x55aa);
}

/* No access to the internal registers stops QEMU */
static void test_whole_space(void)
{
    static const struct {
        uint32_t start, end;
    } blocks[] = {
        { 0x01400, 0x01520 },   /* SDRAM controller */
        { 0x10000, 0x10700 },   /* pins, GPIO, RTC, SPI */
        { 0x12000, 0x12200 },   /* UARTs */
        { 0x20000, 0x20400 },   /* mbus bridge, bridge, interrupts, timers */
        { 0x41a00, 0x41a10 },   /* PCI Express status */
        { 0x50000, 0x50500 },   /* USB */
        { 0x90000, 0x90200 },   /* SDIO */
    };
    QTestState *qts = qtest_init("-M guruplug -action watchdog=none");

    for (int i = 0; i < ARRAY_SIZE(blocks); i++) {
        for (uint32_t o = blocks[i].start; o < blocks[i].end; o += 4) {
            access_all_ways(qts, o);
        }
    }
    for (uint32_t offset = 0; offset < 0x100000; offset += 0x400) {
        access_all_ways(qts, offset);
    }
    qtest_clock_step(qts, NANOSECONDS_PER_SECOND / 10);
    qtest_system_reset(qts);
    g_assert_cmphex(qtest_readl(qts, SAR_BASE), ==, 0x692);
    qtest_quit(qts);
}

typedef struct Board {
    const char *name;
    uint64_t ram_mib;
    int phy[2];         /* SMI address of each port's PHY, or -1 */
    uint32_t phy_id;
    unsigned num_pins;
} Board;

/* Memory, PHYs and pins of the device trees in Linux 6.1 */
static const Board boards[] = {
    { "sheevaplug", 512, { 0, -1 }, 0x01410e40, 3 },
    { "dockstar", 128, { 0, -1 }, 0x01410e40, 3 },
    { "guruplug", 512, { 0, 1 }, 0x01410cb0, 4 },
    { "dreamplug", 512, { 0, 1 }, 0x01410e40, 3 },
    { "openrd-client", 512, { 8, 24 }, 0x01410e40, 3 },
};

/* Read a PHY register over the SMI of the first unit */
static uint16_t smi_read(QTestState *qts, unsigned phy, unsigned reg)
{
    uint32_t smi = INTERNAL_BASE + 0x72004;

    qtest_writel(qts, smi, 1u << 26 | reg << 21 | phy << 16);
    qtest_clock_step(qts, NANOSECONDS_PER_SECOND / 1000);
    return qtest_readl(qts, smi);
}

static uint64_t ram_mib(QTestState *qts)
{
    g_autofree char *info = qtest_hmp(qts, "info qom-tree");
    QDict *reply = qtest_qmp(qts, "{ 'execute': 'query-memory-size-summary' }");
    uint64_t size = qdict_get_int(qdict_get_qdict(reply, "return"),
                                  "base-memory");

    g_assert(strstr(info, "kirkwood"));
    qobject_unref(reply);
    return size / (1024 * 1024);
}

static unsigned num_pins(QTestState *qts)
{
    QDict *reply = qtest_qmp(qts, "{ 'execute': 'qom-list', 'arguments': "
                             "{ 'path': '/machine/pins' } }");
    QListEntry *entry;
    unsigned count = 0;

    QLIST_FOREACH_ENTRY(qdict_get_qlist(reply, "return"), entry) {
        QDict *property = qobject_to(QDict, qlist_entry_obj(entry));

        count += g_str_has_prefix(qdict_get_str(property, "type"), "child<");
    }
    qobject_unref(reply);
    return count;
}

static void test_board(const void *data)
{
    const Board *b = data;
    QTestState *qts = qtest_initf("-M %s", b->name);

    g_assert_cmpuint(ram_mib(qts), ==, b->ram_mib);
    g_assert_cmpuint(num_pins(qts), ==, b->num_pins);
    for (unsigned phy = 0; phy < 32; phy++) {
        uint32_t id = smi_read(qts, phy, 2) << 16 |
                      (smi_read(qts, phy, 3) & 0xfff0);
        bool there = phy == b->phy[0] || phy == b->phy[1];

        g_assert_cmphex(id, ==, there ? b->phy_id : 0xfffffff0);
    }
    qtest_quit(qts);
}

typedef struct OptionCase {
    const char *name;
    const char *args;
    const char *message;
} OptionCase;

static const OptionCase bad_options[] = {
    { "ram-small", "-M sheevaplug -m 64M", "RAM size must be a multiple of 128 "
      "MiB from 128 MiB to 1024 MiB" },
    { "ram-large", "-M dockstar -m 2G", "RAM size must be a multiple" },
    { "ram-odd", "-M guruplug -m 200M", "RAM size must be a multiple" },
    { "cpu", "-M dreamplug -cpu arm926", "Invalid CPU model" },
    { "smp", "-M openrd-client -smp 2", "Invalid SMP CPUs 2" },
    { "bios-and-kernel", "-M sheevaplug -bios a -kernel b",
      "-bios and -kernel exclude each other" },
};

static void test_bad_option(const void *data)
{
    const OptionCase *c = data;
    g_autofree char *output = NULL;

    g_assert_cmpint(kirkwood_run(c->args, &output), ==, 1);
    g_test_message("%s", output);
    g_assert(strstr(output, c->message));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/soc/identity", test_identity);
    qtest_add_func("/kirkwood/soc/sample-at-reset", test_sample_at_reset);
    qtest_add_func("/kirkwood/soc/whole-space", test_whole_space);
    qtest_add_data_func("/kirkwood/soc/uart/0", NULL, test_uart);
    qtest_add_data_func("/kirkwood/soc/uart/1", "1", test_uart);
    for (int i = 0; i < ARRAY_SIZE(boards); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/board/%s",
                                                boards[i].name);

        qtest_add_data_func(path, &boards[i], test_board);
    }
    for (int i = 0; i < ARRAY_SIZE(bad_options); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/option/%s",
                                                bad_options[i].name);

        qtest_add_data_func(path, &bad_options[i], test_bad_option);
    }
    return g_test_run();
}
