/*
 * Kirkwood bridge: CPU configuration, reset, bridge interrupts, clock gates
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define BRIDGE "/machine/soc/bridge"

#define CAUSE (BRIDGE_BASE + 0x10)
#define MASK (BRIDGE_BASE + 0x14)
#define RSTOUTN_MASK (BRIDGE_BASE + 0x08)
#define SOFT_RESET (BRIDGE_BASE + 0x0c)

#define NUM_CAUSES 6

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "CPU configuration", BRIDGE_BASE + 0x00, .rw = 0xffffffff },
        { "CPU control", BRIDGE_BASE + 0x04, .rw = 0xffffffff },
        { "cause", CAUSE },
        { "mask", MASK, .rw = 0x3f },
        { "power", BRIDGE_BASE + 0x18, .rw = 0xffffffff },
        { "L2 configuration", BRIDGE_BASE + 0x28, .rw = 0xffffffff },
        { "reset mask", RSTOUTN_MASK, .rw = 0x7 },
    };
    QTestState *qts = kirkwood_start("");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    qtest_quit(qts);
}

/* After reset every clock of kirkwood_gating_desc in Linux runs */
static void test_clock_gates(void)
{
    static const uint8_t gates[] = { 0, 2, 3, 4, 5, 7, 8, 9, 14, 15, 16, 17, 18,
                                     19, 20 };
    QTestState *qts = kirkwood_start("");

    for (int i = 0; i < ARRAY_SIZE(gates); i++) {
        g_assert_cmphex(qtest_readl(qts, BRIDGE_BASE + 0x1c) & (1u << gates[i]),
                        ==, 1u << gates[i]);
    }
    qtest_writel(qts, BRIDGE_BASE + 0x1c, 0);
    g_assert_cmphex(qtest_readl(qts, BRIDGE_BASE + 0x1c), ==, 0);
    qtest_quit(qts);
}

/* A cause is latched whatever the mask, and only writing 0 to it clears it */
static void test_cause(void)
{
    QTestState *qts = kirkwood_start("");

    for (int n = 0; n < NUM_CAUSES; n++) {
        qtest_set_irq_in(qts, BRIDGE, NULL, n, 1);
        qtest_set_irq_in(qts, BRIDGE, NULL, n, 0);
        g_assert_cmphex(qtest_readl(qts, CAUSE), ==, (2u << n) - 1);
    }
    qtest_writel(qts, CAUSE, 0xffffffff);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0x3f);
    for (int n = 0; n < NUM_CAUSES; n++) {
        qtest_writel(qts, CAUSE, ~(1u << n));
        g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0x3f & ~((2u << n) - 1));
    }
    qtest_quit(qts);
}

/* A write clears causes only in the bytes that it addresses */
static void test_cause_lanes(void)
{
    QTestState *qts = kirkwood_start("");

    qtest_set_irq_in(qts, BRIDGE, NULL, 1, 1);
    qtest_writeb(qts, CAUSE + 1, 0);
    qtest_writeb(qts, CAUSE + 3, 0);
    qtest_writew(qts, CAUSE + 2, 0);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0x2);
    qtest_writeb(qts, CAUSE, 0);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0);
    qtest_quit(qts);
}

static void test_irq(void)
{
    QTestState *qts = kirkwood_start("");

    for (int n = 0; n < NUM_CAUSES; n++) {
        qtest_writel(qts, MASK, 0x3f & ~(1u << n));
        qtest_set_irq_in(qts, BRIDGE, NULL, n, 1);
        qtest_set_irq_in(qts, BRIDGE, NULL, n, 0);
        g_assert_false(qtest_get_irq(qts, IRQ_BRIDGE));
        qtest_writel(qts, MASK, 1u << n);
        g_assert_true(qtest_get_irq(qts, IRQ_BRIDGE));
        qtest_writel(qts, CAUSE, ~(1u << n));
        g_assert_false(qtest_get_irq(qts, IRQ_BRIDGE));
    }
    qtest_quit(qts);
}

/* Reset needs the soft reset bit of the reset mask */
static void test_soft_reset(void)
{
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, BRIDGE_BASE + 0x00, 0x1234);
    qtest_writel(qts, RSTOUTN_MASK, 0x3);
    qtest_writel(qts, SOFT_RESET, 1);
    qtest_writel(qts, SOFT_RESET, 0);
    g_assert_false(kirkwood_event(qts, "RESET"));
    g_assert_cmphex(qtest_readl(qts, BRIDGE_BASE + 0x00), ==, 0x1234);

    qtest_writel(qts, RSTOUTN_MASK, 0x4);
    qtest_writel(qts, SOFT_RESET, 1);
    g_assert_true(kirkwood_event(qts, "RESET"));
    g_assert_cmphex(qtest_readl(qts, BRIDGE_BASE + 0x00), ==, 0);
    g_assert_cmphex(qtest_readl(qts, RSTOUTN_MASK), ==, 0);
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/bridge/registers", test_registers);
    qtest_add_func("/kirkwood/bridge/clock-gates", test_clock_gates);
    qtest_add_func("/kirkwood/bridge/cause", test_cause);
    qtest_add_func("/kirkwood/bridge/cause-lanes", test_cause_lanes);
    qtest_add_func("/kirkwood/bridge/irq", test_irq);
    qtest_add_func("/kirkwood/bridge/soft-reset", test_soft_reset);
    return g_test_run();
}
