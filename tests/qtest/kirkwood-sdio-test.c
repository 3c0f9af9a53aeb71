/*
 * Kirkwood SDIO host with an empty slot
 *
 * Registers and bits as mvsdio of Linux 6.1 has them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define COMMAND (SDIO_BASE + 0x1c)
#define SW_RESET (SDIO_BASE + 0x5c)
#define NORMAL_STATUS (SDIO_BASE + 0x60)
#define ERROR_STATUS (SDIO_BASE + 0x64)
#define NORMAL_INT_ENABLE (SDIO_BASE + 0x70)
#define ERROR_INT_ENABLE (SDIO_BASE + 0x74)

#define NORMAL_ERROR 0x8000
#define ERROR_CMD_TIMEOUT 0x0001

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "address low", SDIO_BASE + 0x00, .rw = 0xffff },
        { "block size", SDIO_BASE + 0x08, .rw = 0xffff },
        { "argument low", SDIO_BASE + 0x10, .rw = 0xffff },
        { "transfer mode", SDIO_BASE + 0x18, .rw = 0xffff },
        { "response 0", SDIO_BASE + 0x20 },
        { "response 7", SDIO_BASE + 0x3c },
        { "host control", SDIO_BASE + 0x50, .rw = 0xffff },
        { "normal status enable", SDIO_BASE + 0x68, .rw = 0xffff },
        { "error status enable", SDIO_BASE + 0x6c, .rw = 0xffff },
        { "normal interrupt enable", NORMAL_INT_ENABLE, .rw = 0xffff },
        { "error interrupt enable", ERROR_INT_ENABLE, .rw = 0xffff },
        { "window 0 control", SDIO_BASE + 0x108, .rw = 0xffffffff },
        { "window 3 base", SDIO_BASE + 0x124, .rw = 0xffffffff },
        { "normal status", NORMAL_STATUS },
        { "error status", ERROR_STATUS },
    };
    QTestState *qts = kirkwood_start("");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    qtest_quit(qts);
}

/* Every command times out at once, and both status bits are cleared by 1 */
static void test_no_card(void)
{
    static const uint32_t commands[] = { 0x0000, 0x0801, 0x371a, 0x051b };
    QTestState *qts = kirkwood_start("");

    for (int i = 0; i < ARRAY_SIZE(commands); i++) {
        qtest_writel(qts, COMMAND, commands[i]);
        g_assert_cmphex(qtest_readl(qts, NORMAL_STATUS), ==, NORMAL_ERROR);
        g_assert_cmphex(qtest_readl(qts, ERROR_STATUS), ==, ERROR_CMD_TIMEOUT);
        qtest_writel(qts, ERROR_STATUS, 0xfffe);
        qtest_writel(qts, NORMAL_STATUS, 0x7fff);
        g_assert_cmphex(qtest_readl(qts, NORMAL_STATUS), ==, NORMAL_ERROR);
        g_assert_cmphex(qtest_readl(qts, ERROR_STATUS), ==, ERROR_CMD_TIMEOUT);
        qtest_writel(qts, ERROR_STATUS, ERROR_CMD_TIMEOUT);
        qtest_writel(qts, NORMAL_STATUS, NORMAL_ERROR);
        g_assert_cmphex(qtest_readl(qts, NORMAL_STATUS), ==, 0);
        g_assert_cmphex(qtest_readl(qts, ERROR_STATUS), ==, 0);
    }
    qtest_quit(qts);
}

static void test_irq(void)
{
    static const struct {
        uint32_t normal, error;
        bool irq;
    } cases[] = {
        { 0, 0, false },
        { NORMAL_ERROR, 0, true },
        { 0, ERROR_CMD_TIMEOUT, true },
        { 0x7fff, 0xfffe, false },
    };
    QTestState *qts = kirkwood_start("");

    for (int i = 0; i < ARRAY_SIZE(cases); i++) {
        qtest_writel(qts, NORMAL_INT_ENABLE, cases[i].normal);
        qtest_writel(qts, ERROR_INT_ENABLE, cases[i].error);
        g_assert_false(qtest_get_irq(qts, IRQ_SDIO));
        qtest_writel(qts, COMMAND, 0);
        g_assert_cmpint(qtest_get_irq(qts, IRQ_SDIO), ==, cases[i].irq);
        qtest_writel(qts, ERROR_STATUS, ERROR_CMD_TIMEOUT);
        qtest_writel(qts, NORMAL_STATUS, NORMAL_ERROR);
        g_assert_false(qtest_get_irq(qts, IRQ_SDIO));
    }
    qtest_quit(qts);
}

static void test_sw_reset(void)
{
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, ERROR_INT_ENABLE, ERROR_CMD_TIMEOUT);
    qtest_writel(qts, COMMAND, 0);
    g_assert_true(qtest_get_irq(qts, IRQ_SDIO));
    qtest_writel(qts, SW_RESET, 0x100);
    g_assert_false(qtest_get_irq(qts, IRQ_SDIO));
    g_assert_cmphex(qtest_readl(qts, ERROR_INT_ENABLE), ==, 0);
    g_assert_cmphex(qtest_readl(qts, SW_RESET), ==, 0);
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/sdio/registers", test_registers);
    qtest_add_func("/kirkwood/sdio/no-card", test_no_card);
    qtest_add_func("/kirkwood/sdio/irq", test_irq);
    qtest_add_func("/kirkwood/sdio/sw-reset", test_sw_reset);
    return g_test_run();
}
