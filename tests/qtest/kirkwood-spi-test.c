/*
 * Kirkwood SPI controller, and the DreamPlug's flash behind it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define CONTROL (SPI_BASE + 0x00)
#define CONFIG (SPI_BASE + 0x04)
#define DATA_OUT (SPI_BASE + 0x08)
#define DATA_IN (SPI_BASE + 0x0c)
#define CAUSE (SPI_BASE + 0x10)
#define MASK (SPI_BASE + 0x14)

/* JEDEC commands */
enum {
    WRITE_ENABLE = 0x06, READ_ID = 0x9f, READ = 0x03, PAGE_PROGRAM = 0x02,
    SECTOR_ERASE = 0x20,
};

static QTestState *start(const char *machine)
{
    QTestState *qts = qtest_initf("-M %s", machine);

    qtest_irq_intercept_in(qts, "/machine/soc/intc");
    return qts;
}

static uint8_t transfer(QTestState *qts, uint8_t out)
{
    qtest_writel(qts, CAUSE, 0);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0);
    qtest_writel(qts, DATA_OUT, out);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 1);
    return qtest_readl(qts, DATA_IN);
}

static void chip_select(QTestState *qts, bool on)
{
    qtest_writel(qts, CONTROL, on);
    g_assert_cmphex(qtest_readl(qts, CONTROL), ==, on ? 0x3 : 0x2);
}

static void address(QTestState *qts, uint8_t command, uint32_t addr)
{
    chip_select(qts, true);
    transfer(qts, command);
    transfer(qts, addr >> 16);
    transfer(qts, addr >> 8);
    transfer(qts, addr);
}

static void write_enable(QTestState *qts)
{
    chip_select(qts, true);
    transfer(qts, WRITE_ENABLE);
    chip_select(qts, false);
}

static void check_contents(QTestState *qts, uint32_t addr, const char *expected,
                           size_t size)
{
    address(qts, READ, addr);
    for (size_t i = 0; i < size; i++) {
        g_assert_cmphex(transfer(qts, 0), ==, (uint8_t)expected[i]);
    }
    chip_select(qts, false);
}

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "configuration", CONFIG, .rw = 0xffffffff },
        { "cause", CAUSE },
        { "mask", MASK, .rw = 1 },
        { "control", CONTROL, 0x2, .rw = 0x1d },
    };
    QTestState *qts = start("sheevaplug");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    qtest_quit(qts);
}

/* MX25L1606E: c2 20 15 */
static void test_id(void)
{
    QTestState *qts = start("dreamplug");

    for (int i = 0; i < 2; i++) {
        chip_select(qts, true);
        transfer(qts, READ_ID);
        g_assert_cmphex(transfer(qts, 0), ==, 0xc2);
        g_assert_cmphex(transfer(qts, 0), ==, 0x20);
        g_assert_cmphex(transfer(qts, 0), ==, 0x15);
        chip_select(qts, false);
    }
    /* Not selected, it does not answer */
    transfer(qts, READ_ID);
    g_assert_cmphex(transfer(qts, 0), ==, 0);
    qtest_quit(qts);
}

/* 16-bit transfers send the high byte first */
static void test_word(void)
{
    QTestState *qts = start("dreamplug");

    chip_select(qts, true);
    qtest_writel(qts, CONFIG, 0x20);
    qtest_writel(qts, DATA_OUT, READ_ID << 8);
    g_assert_cmphex(qtest_readl(qts, DATA_IN) & 0xff, ==, 0xc2);
    qtest_writel(qts, DATA_OUT, 0);
    g_assert_cmphex(qtest_readl(qts, DATA_IN), ==, 0x2015);
    qtest_quit(qts);
}

static void test_flash(void)
{
    static const char text[] = "u-boot environment";
    QTestState *qts = start("dreamplug");

    check_contents(qts, 0x100000, "\xff\xff\xff\xff", 4);
    write_enable(qts);
    address(qts, PAGE_PROGRAM, 0x100000);
    for (size_t i = 0; i < sizeof(text); i++) {
        transfer(qts, text[i]);
    }
    chip_select(qts, false);
    check_contents(qts, 0x100000, text, sizeof(text));
    qtest_system_reset(qts);
    check_contents(qts, 0x100000, text, sizeof(text));
    write_enable(qts);
    address(qts, SECTOR_ERASE, 0x100000);
    chip_select(qts, false);
    check_contents(qts, 0x100000, "\xff\xff\xff\xff", 4);
    qtest_quit(qts);
}

static void test_irq(void)
{
    QTestState *qts = start("sheevaplug");

    transfer(qts, 0);
    g_assert_false(qtest_get_irq(qts, IRQ_SPI));
    qtest_writel(qts, MASK, 1);
    g_assert_true(qtest_get_irq(qts, IRQ_SPI));
    qtest_writel(qts, CAUSE, 0);
    g_assert_false(qtest_get_irq(qts, IRQ_SPI));
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/spi/registers", test_registers);
    qtest_add_func("/kirkwood/spi/id", test_id);
    qtest_add_func("/kirkwood/spi/word", test_word);
    qtest_add_func("/kirkwood/spi/flash", test_flash);
    qtest_add_func("/kirkwood/spi/irq", test_irq);
    return g_test_run();
}
