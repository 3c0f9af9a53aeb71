/*
 * Kirkwood timers and watchdog
 *
 * TCLK is 200 MHz: a tick takes 5 ns.  A counter that holds N expires after
 * N + 1 ticks: Linux programs ticks per jiffy minus 1 for a periodic tick.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define TICK_NS 5

#define CONTROL (TIMER_BASE + 0x00)
#define CAUSE (INTERNAL_BASE + 0x20110)
#define RSTOUTN_MASK (INTERNAL_BASE + 0x20108)

typedef struct Counter {
    const char *name;
    uint32_t reload, value;     /* registers */
    uint32_t enable, automatic; /* bits of the control register */
    uint32_t cause;             /* bit of the bridge cause register */
} Counter;

static const Counter counters[] = {
    { "timer0", TIMER_BASE + 0x10, TIMER_BASE + 0x14, 0x01, 0x02, 0x2 },
    { "timer1", TIMER_BASE + 0x18, TIMER_BASE + 0x1c, 0x04, 0x08, 0x4 },
    { "watchdog", TIMER_BASE + 0x20, TIMER_BASE + 0x24, 0x10, 0x20, 0x8 },
};

static void step_ticks(QTestState *qts, uint64_t ticks)
{
    qtest_clock_step(qts, ticks * TICK_NS);
}

static bool expired(QTestState *qts, const Counter *c)
{
    uint32_t cause = qtest_readl(qts, CAUSE);

    g_assert_cmphex(cause & ~c->cause, ==, 0);
    return cause;
}

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "timer 0 reload", TIMER_BASE + 0x10, .rw = 0xffffffff },
        { "timer 0 value", TIMER_BASE + 0x14, .rw = 0xffffffff },
        { "timer 1 reload", TIMER_BASE + 0x18, .rw = 0xffffffff },
        { "timer 1 value", TIMER_BASE + 0x1c, .rw = 0xffffffff },
        { "watchdog reload", TIMER_BASE + 0x20, .rw = 0xffffffff },
        { "watchdog value", TIMER_BASE + 0x24, .rw = 0xffffffff },
        { "control", CONTROL, .rw = 0x3f },
    };
    QTestState *qts = kirkwood_start("");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    qtest_quit(qts);
}

/* A disabled counter stands still; an enabled one counts down at TCLK */
static void test_rate(const void *data)
{
    const Counter *c = data;
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, c->value, 1000000);
    step_ticks(qts, 100);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 1000000);
    qtest_writel(qts, CONTROL, c->enable);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 1000000);
    step_ticks(qts, 1);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 999999);
    step_ticks(qts, 999000);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 999);
    qtest_writel(qts, CONTROL, 0);
    step_ticks(qts, 5000);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 999);
    g_assert_false(expired(qts, c));
    qtest_quit(qts);
}

static void test_oneshot(const void *data)
{
    const Counter *c = data;
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, c->reload, 7777);
    qtest_writel(qts, c->value, 1000);
    qtest_writel(qts, CONTROL, c->enable);
    step_ticks(qts, 1000);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 0);
    g_assert_false(expired(qts, c));
    step_ticks(qts, 1);
    g_assert_true(expired(qts, c));
    qtest_writel(qts, CAUSE, 0);

    /* It stays at zero and does not expire again */
    step_ticks(qts, 1000000);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 0);
    g_assert_false(expired(qts, c));

    /* A new value starts it again: Linux leaves it enabled between events */
    qtest_writel(qts, c->value, 500);
    qtest_writel(qts, CONTROL, c->enable);
    step_ticks(qts, 500);
    g_assert_false(expired(qts, c));
    step_ticks(qts, 1);
    g_assert_true(expired(qts, c));
    qtest_quit(qts);
}

static void test_periodic(const void *data)
{
    const Counter *c = data;
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, c->reload, 19999);
    qtest_writel(qts, c->value, 9999);
    qtest_writel(qts, CONTROL, c->enable | c->automatic);
    step_ticks(qts, 9999);
    g_assert_false(expired(qts, c));
    step_ticks(qts, 1);
    g_assert_true(expired(qts, c));
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 19999);
    for (int i = 0; i < 10; i++) {
        qtest_writel(qts, CAUSE, 0);
        step_ticks(qts, 19999);
        g_assert_cmpuint(qtest_readl(qts, c->value), ==, 0);
        g_assert_false(expired(qts, c));
        step_ticks(qts, 1);
        g_assert_cmpuint(qtest_readl(qts, c->value), ==, 19999);
        g_assert_true(expired(qts, c));
    }
    qtest_quit(qts);
}

/* The clock source of Linux: all ones, for ever */
static void test_free_running(const void *data)
{
    const Counter *c = data;
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, c->reload, 0xffffffff);
    qtest_writel(qts, c->value, 0xffffffff);
    qtest_writel(qts, CONTROL, c->enable | c->automatic);
    step_ticks(qts, 0xffffffff);
    g_assert_cmphex(qtest_readl(qts, c->value), ==, 0);
    step_ticks(qts, 1);
    g_assert_cmphex(qtest_readl(qts, c->value), ==, 0xffffffff);
    step_ticks(qts, 0x300000000ull);
    g_assert_cmphex(qtest_readl(qts, c->value), ==, 0xffffffff);
    qtest_quit(qts);
}

/* A value written to a running counter counts from there */
static void test_rewrite(const void *data)
{
    const Counter *c = data;
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, c->value, 1000);
    qtest_writel(qts, CONTROL, c->enable);
    step_ticks(qts, 900);
    qtest_writel(qts, c->value, 5000);
    step_ticks(qts, 5000);
    g_assert_false(expired(qts, c));
    step_ticks(qts, 1);
    g_assert_true(expired(qts, c));
    qtest_quit(qts);
}

/* The other counters do not notice when one is touched */
static void test_independent(void)
{
    QTestState *qts = kirkwood_start("");

    for (int i = 0; i < ARRAY_SIZE(counters); i++) {
        qtest_writel(qts, counters[i].value, 1000000 * (i + 1));
    }
    qtest_writel(qts, CONTROL, 0x15);
    for (int i = 0; i < 100; i++) {
        step_ticks(qts, 100);
        qtest_writel(qts, counters[1].value, 50000);
        qtest_writel(qts, counters[1].reload, i);
        qtest_readl(qts, CONTROL);
    }
    g_assert_cmpuint(qtest_readl(qts, counters[0].value), ==, 1000000 - 10000);
    g_assert_cmpuint(qtest_readl(qts, counters[1].value), ==, 50000);
    g_assert_cmpuint(qtest_readl(qts, counters[2].value), ==, 3000000 - 10000);
    qtest_quit(qts);
}

/* A period of one tick must not keep the host from anything else */
static void test_shortest_period(const void *data)
{
    const Counter *c = data;
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, c->reload, 0);
    qtest_writel(qts, c->value, 0);
    qtest_writel(qts, CONTROL, c->enable | c->automatic);
    qtest_clock_step(qts, NANOSECONDS_PER_SECOND / 100);
    g_assert_true(expired(qts, c));
    qtest_writel(qts, CAUSE, 0);
    qtest_clock_step(qts, NANOSECONDS_PER_SECOND / 100);
    g_assert_true(expired(qts, c));
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 0);
    qtest_quit(qts);
}

static void test_reset(const void *data)
{
    const Counter *c = data;
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, c->value, 1000);
    qtest_writel(qts, CONTROL, c->enable);
    qtest_system_reset(qts);
    step_ticks(qts, 100000);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0);
    g_assert_cmpuint(qtest_readl(qts, c->value), ==, 0);
    qtest_quit(qts);
}

/* The watchdog resets the system only if the reset mask lets it */
static void test_watchdog(void)
{
    const Counter *c = &counters[2];
    QTestState *qts = kirkwood_start("-action watchdog=none");

    qtest_writel(qts, c->value, 1000);
    qtest_writel(qts, CONTROL, c->enable);
    step_ticks(qts, 1001);
    g_assert_true(expired(qts, c));
    g_assert_false(kirkwood_event(qts, "WATCHDOG"));
    qtest_writel(qts, CAUSE, 0);

    qtest_writel(qts, RSTOUTN_MASK, 0x2);
    qtest_writel(qts, c->value, 1000);
    step_ticks(qts, 1001);
    g_assert_true(kirkwood_event(qts, "WATCHDOG"));
    qtest_quit(qts);
}

static void test_watchdog_reset(void)
{
    const Counter *c = &counters[2];
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, RSTOUTN_MASK, 0x2);
    qtest_writel(qts, c->value, 1000);
    qtest_writel(qts, CONTROL, c->enable);
    step_ticks(qts, 1001);
    g_assert_true(kirkwood_event(qts, "RESET"));
    g_assert_cmphex(qtest_readl(qts, RSTOUTN_MASK), ==, 0);
    g_assert_cmphex(qtest_readl(qts, CONTROL), ==, 0);
    qtest_quit(qts);
}

static void add_per_counter(const char *test, GTestDataFunc fn)
{
    for (int i = 0; i < ARRAY_SIZE(counters); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/timer/%s/%s", test,
                                                counters[i].name);

        qtest_add_data_func(path, &counters[i], fn);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/timer/registers", test_registers);
    qtest_add_func("/kirkwood/timer/independent", test_independent);
    qtest_add_func("/kirkwood/timer/watchdog", test_watchdog);
    qtest_add_func("/kirkwood/timer/watchdog-reset", test_watchdog_reset);
    add_per_counter("rate", test_rate);
    add_per_counter("oneshot", test_oneshot);
    add_per_counter("periodic", test_periodic);
    add_per_counter("free-running", test_free_running);
    add_per_counter("rewrite", test_rewrite);
    add_per_counter("shortest-period", test_shortest_period);
    add_per_counter("reset", test_reset);
    return g_test_run();
}
