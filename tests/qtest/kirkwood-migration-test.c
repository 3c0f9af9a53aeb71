/*
 * State of the Kirkwood SoC survives migration to a file and back
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"
#include "qobject/qdict.h"

static const struct {
    uint32_t addr, value;
} writes[] = {
    { INTC_BASE + 0x04, 0x00400102 },
    { INTC_BASE + 0x18, 0x80000001 },
    { BRIDGE_BASE + 0x08, 0x5 },
    { BRIDGE_BASE + 0x14, 0x2 },
    { BRIDGE_BASE + 0x1c, 0x12345 },
    { MBUS_BASE + 0x74, 0xf5000000 },
    { MBUS_BASE + 0x70, 0x00000131 },
    { DRAM_BASE + 0x18, 0x7 },
    { MPP_BASE + 0x00, 0x01234567 },
    { GPIO1_BASE + 0x00, 0x00015555 },
    { GPIO1_BASE + 0x04, 0x00020000 },
    { RTC_BASE + 0x08, 0x808101 },
    { SDIO_BASE + 0x70, 0x8000 },
    { SDIO_BASE + 0x1c, 0x0801 },
    { SPI_BASE + 0x04, 0x20 },
    { USB_BASE + 0x1a8, 0x13 },
    { USB_BASE + 0x324, 0x10000000 },
    { 0xf5000040, 0x5ca1ab1e },             /* SRAM, by the new window */
    { 0x1ffffffc, 0x600df00d },             /* the end of memory */
};

/* Registers that follow from the writes */
static const uint32_t derived[] = {
    BRIDGE_BASE + 0x10, INTC_BASE + 0x00, INTC_BASE + 0x10, GPIO1_BASE + 0x10,
    SDIO_BASE + 0x60, SDIO_BASE + 0x64, TIMER_BASE + 0x00, TIMER_BASE + 0x14,
    TIMER_BASE + 0x1c, RTC_BASE + 0x00, RTC_BASE + 0x04, SRAM_BASE + 0x840,
};

static void nand_byte(QTestState *qts, uint32_t line, uint8_t value)
{
    qtest_writeb(qts, NAND_BASE + line, value);
}

/* Program one byte of a page, and leave the chip in the middle of a read */
static void use_nand(QTestState *qts)
{
    static const uint8_t row[] = { 0, 0, 0x34, 0x12, 0 };

    nand_byte(qts, 1, 0x80);
    for (int i = 0; i < sizeof(row); i++) {
        nand_byte(qts, 2, row[i]);
    }
    nand_byte(qts, 0, 0xa5);
    nand_byte(qts, 0, 0xc3);
    nand_byte(qts, 1, 0x10);
    nand_byte(qts, 1, 0x00);
    for (int i = 0; i < sizeof(row); i++) {
        nand_byte(qts, 2, row[i]);
    }
    nand_byte(qts, 1, 0x30);
    g_assert_cmphex(qtest_readb(qts, NAND_BASE), ==, 0xa5);
}

static void migrate_to(QTestState *qts, const char *uri)
{
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate-set-capabilities', "
                             "'arguments': { 'capabilities': [ { 'capability': "
                             "'events', 'state': true } ] } }");
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate', 'arguments': "
                             "{ 'uri': %s } }", uri);
    for (;;) {
        QDict *event = qtest_qmp_eventwait_ref(qts, "MIGRATION");
        const char *status = qdict_get_str(qdict_get_qdict(event, "data"),
                                           "status");
        bool done = !strcmp(status, "completed");

        g_assert_cmpstr(status, !=, "failed");
        qobject_unref(event);
        if (done) {
            return;
        }
    }
}

static QTestState *migrate(QTestState *from, const char *args, int64_t clock)
{
    g_autofree char *dir = g_dir_make_tmp("kirkwood-migration-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(dir, "state", NULL);
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    QTestState *to;

    migrate_to(from, uri);
    to = qtest_initf("%s -incoming defer", args);
    qtest_irq_intercept_in(to, "/machine/soc/intc");
    /* The clock of the tests is not part of the state */
    qtest_clock_set(to, clock);
    qtest_qmp_assert_success(to, "{ 'execute': 'migrate-incoming', "
                             "'arguments': { 'uri': %s } }", uri);
    qtest_qmp_eventwait(to, "RESUME");
    unlink(path);
    rmdir(dir);
    return to;
}

static void test_state(void)
{
    static const char args[] =
        "-M sheevaplug -rtc base=2024-02-28T23:59:58,clock=vm";
    uint32_t values[ARRAY_SIZE(derived)];
    QTestState *from = qtest_init(args);
    QTestState *to;
    int64_t clock;

    for (int i = 0; i < ARRAY_SIZE(writes); i++) {
        qtest_writel(from, writes[i].addr, writes[i].value);
    }
    qtest_qmp_assert_success(from, "{ 'execute': 'qom-set', 'arguments': "
                             "{ 'path': '/machine/soc/gpio[0]', 'property': "
                             "'board-drive', 'value': 3840 } }");
    use_nand(from);
    /* Timer 0 runs out after 20 us, timer 1 goes on */
    qtest_writel(from, TIMER_BASE + 0x14, 3999);
    qtest_writel(from, TIMER_BASE + 0x1c, 7999);
    qtest_writel(from, TIMER_BASE + 0x00, 0x5);
    clock = qtest_clock_step(from, 30000);
    for (int i = 0; i < ARRAY_SIZE(derived); i++) {
        values[i] = qtest_readl(from, derived[i]);
    }
    g_assert_cmphex(values[0], ==, 0x2);
    g_assert_cmphex(values[1], ==, 0x10000002);

    to = migrate(from, args, clock);
    for (int i = 0; i < ARRAY_SIZE(writes); i++) {
        g_test_message("0x%08x", writes[i].addr);
        g_assert_cmphex(qtest_readl(to, writes[i].addr), ==,
                        qtest_readl(from, writes[i].addr));
    }
    for (int i = 0; i < ARRAY_SIZE(derived); i++) {
        g_test_message("0x%08x", derived[i]);
        g_assert_cmphex(qtest_readl(to, derived[i]), ==, values[i]);
    }
    g_assert_cmphex(qtest_readb(to, NAND_BASE), ==, 0xc3);
    g_assert_cmphex(qtest_readb(to, NAND_BASE), ==, 0xff);

    /* What the board drives still counts when the pins change next */
    qtest_writel(to, GPIO0_BASE + 0x0c, 0x1);
    g_assert_cmphex(qtest_readl(to, GPIO0_BASE + 0x10), ==, 0xf01);

    /* Timer 1 expires when it would have */
    g_assert_cmphex(qtest_readl(to, BRIDGE_BASE + 0x10), ==, 0x2);
    qtest_clock_step(to, 5000);
    g_assert_cmpuint(qtest_readl(to, TIMER_BASE + 0x1c), ==, 7999 - 7000);
    qtest_clock_step(to, 4995);
    g_assert_cmphex(qtest_readl(to, BRIDGE_BASE + 0x10), ==, 0x2);
    qtest_clock_step(to, 5);
    g_assert_cmphex(qtest_readl(to, BRIDGE_BASE + 0x10), ==, 0x6);
    qtest_quit(to);
    qtest_quit(from);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/migration/state", test_state);
    return g_test_run();
}
