/*
 * Kirkwood main interrupt controller
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define INTC "/machine/soc/intc"

/* Outputs */
enum { CPU_IRQ, CPU_FIQ, ENDPOINT, NUM_OUTPUTS };

#define CAUSE_LOW (INTC_BASE + A_INTC_CAUSE_LOW)
#define CAUSE_HIGH (INTC_BASE + A_INTC_CAUSE_HIGH)

static const struct {
    uint32_t low, high;
} masks[NUM_OUTPUTS] = {
    { INTC_BASE + A_INTC_IRQ_MASK_LOW, INTC_BASE + A_INTC_IRQ_MASK_HIGH },
    { INTC_BASE + A_INTC_FIQ_MASK_LOW, INTC_BASE + A_INTC_FIQ_MASK_HIGH },
    { INTC_BASE + A_INTC_EP_MASK_LOW, INTC_BASE + A_INTC_EP_MASK_HIGH },
};

static QTestState *start(void)
{
    QTestState *qts = qtest_init("-M sheevaplug");

    qtest_irq_intercept_out_named(qts, INTC, "sysbus-irq");
    return qts;
}

static void set_input(QTestState *qts, int n, int level)
{
    qtest_set_irq_in(qts, INTC, NULL, n, level);
}

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "cause low", CAUSE_LOW },
        { "IRQ mask low", INTC_BASE + 0x04, .rw = 0xffffffff },
        { "FIQ mask low", INTC_BASE + 0x08, .rw = 0xffffffff },
        { "endpoint mask low", INTC_BASE + 0x0c, .rw = 0xffffffff },
        { "cause high", CAUSE_HIGH },
        { "IRQ mask high", INTC_BASE + 0x14, .rw = 0xffffffff },
        { "FIQ mask high", INTC_BASE + 0x18, .rw = 0xffffffff },
        { "endpoint mask high", INTC_BASE + 0x1c, .rw = 0xffffffff },
    };
    QTestState *qts = start();

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    qtest_quit(qts);
}

/* Causes are levels of the inputs; writes do not touch them */
static void test_cause(void)
{
    QTestState *qts = start();

    for (int n = 1; n < 64; n++) {
        uint32_t low = n < 32 ? 1u << n : 1;
        uint32_t high = n < 32 ? 0 : 1u << (n - 32);

        set_input(qts, n, 1);
        g_assert_cmphex(qtest_readl(qts, CAUSE_LOW), ==, low);
        g_assert_cmphex(qtest_readl(qts, CAUSE_HIGH), ==, high);
        qtest_writel(qts, CAUSE_LOW, 0);
        qtest_writel(qts, CAUSE_HIGH, 0);
        g_assert_cmphex(qtest_readl(qts, CAUSE_LOW), ==, low);
        g_assert_cmphex(qtest_readl(qts, CAUSE_HIGH), ==, high);
        set_input(qts, n, 0);
        g_assert_cmphex(qtest_readl(qts, CAUSE_LOW), ==, 0);
        g_assert_cmphex(qtest_readl(qts, CAUSE_HIGH), ==, 0);
    }
    qtest_quit(qts);
}

/* Each input reaches exactly the outputs whose mask has its bit */
static void test_masks(void)
{
    QTestState *qts = start();

    for (int out = 0; out < NUM_OUTPUTS; out++) {
        for (int n = 1; n < 64; n++) {
            uint32_t mask = n < 32 ? masks[out].low : masks[out].high;
            uint32_t bit = 1u << (n % 32);

            set_input(qts, n, 1);
            for (int i = 0; i < NUM_OUTPUTS; i++) {
                g_assert_false(qtest_get_irq(qts, i));
            }
            qtest_writel(qts, mask, ~bit & (n < 32 ? ~1u : ~0u));
            g_assert_false(qtest_get_irq(qts, out));
            qtest_writel(qts, mask, bit);
            for (int i = 0; i < NUM_OUTPUTS; i++) {
                g_assert_cmpint(qtest_get_irq(qts, i), ==, i == out);
            }
            set_input(qts, n, 0);
            g_assert_false(qtest_get_irq(qts, out));
            qtest_writel(qts, mask, 0);
        }
    }
    qtest_quit(qts);
}

/* Bit 0 of the low cause stands for all of the high cause */
static void test_summary(void)
{
    QTestState *qts = start();

    qtest_writel(qts, masks[CPU_IRQ].low, 1);
    set_input(qts, 5, 1);
    g_assert_false(qtest_get_irq(qts, CPU_IRQ));
    set_input(qts, 40, 1);
    g_assert_true(qtest_get_irq(qts, CPU_IRQ));
    g_assert_cmphex(qtest_readl(qts, CAUSE_LOW), ==, 0x21);
    set_input(qts, 40, 0);
    g_assert_false(qtest_get_irq(qts, CPU_IRQ));
    qtest_quit(qts);
}

/* A reset closes the masks, a device that still asserts its line stays seen */
static void test_reset(void)
{
    QTestState *qts = start();

    set_input(qts, 7, 1);
    qtest_writel(qts, masks[CPU_IRQ].low, 1u << 7);
    g_assert_true(qtest_get_irq(qts, CPU_IRQ));
    qtest_system_reset(qts);
    g_assert_false(qtest_get_irq(qts, CPU_IRQ));
    g_assert_cmphex(qtest_readl(qts, CAUSE_LOW), ==, 1u << 7);
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/intc/registers", test_registers);
    qtest_add_func("/kirkwood/intc/cause", test_cause);
    qtest_add_func("/kirkwood/intc/masks", test_masks);
    qtest_add_func("/kirkwood/intc/summary", test_summary);
    qtest_add_func("/kirkwood/intc/reset", test_reset);
    return g_test_run();
}
