/*
 * Kirkwood real time clock
 *
 * Registers in BCD as rtc-mv of Linux 6.1 reads them: time is
 * weekday << 24 | hour << 16 | minute << 8 | second, date is
 * year << 16 | month << 8 | day.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define TIME (RTC_BASE + 0x00)
#define DATE (RTC_BASE + 0x04)
#define ALARM_TIME (RTC_BASE + 0x08)
#define ALARM_DATE (RTC_BASE + 0x0c)
#define MASK (RTC_BASE + 0x10)
#define CAUSE (RTC_BASE + 0x14)

/* Set in each byte of the alarm registers that counts */
#define VALID 0x808080

static QTestState *start(const char *base)
{
    g_autofree char *args = g_strdup_printf("-rtc base=%s,clock=vm", base);

    return kirkwood_start(args);
}

static void step_seconds(QTestState *qts, int64_t seconds)
{
    qtest_clock_step(qts, seconds * NANOSECONDS_PER_SECOND);
}

static void check(QTestState *qts, uint32_t date, uint32_t time)
{
    g_assert_cmphex(qtest_readl(qts, DATE), ==, date);
    g_assert_cmphex(qtest_readl(qts, TIME), ==, time);
}

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "alarm time", ALARM_TIME, .rw = 0xffffff },
        { "alarm date", ALARM_DATE, .rw = 0xffffff },
        { "mask", MASK, .rw = 1 },
        { "cause", CAUSE },
    };
    QTestState *qts = start("2024-01-01T00:00:00");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    qtest_quit(qts);
}

/* 2024 has a 29 February, a Thursday */
static void test_read(void)
{
    QTestState *qts = start("2024-02-28T23:59:58");

    check(qts, 0x240228, 0x03235958);
    step_seconds(qts, 1);
    check(qts, 0x240228, 0x03235959);
    step_seconds(qts, 1);
    check(qts, 0x240229, 0x04000000);
    step_seconds(qts, 24 * 3600);
    check(qts, 0x240301, 0x05000000);
    step_seconds(qts, 12 * 3600 + 34 * 60 + 56);
    check(qts, 0x240301, 0x05123456);
    qtest_quit(qts);
}

/*
 * Linux writes the time first, then the date; a reset does not touch it.  The
 * host's clock is far from the virtual one by then and must not matter.
 */
static void test_set(void)
{
    QTestState *qts = start("2024-02-28T23:59:58");

    step_seconds(qts, 1000);
    qtest_writel(qts, TIME, 0x06212930);
    qtest_writel(qts, DATE, 0x991231);
    check(qts, 0x991231, 0x06212930);
    step_seconds(qts, 30);
    check(qts, 0x991231, 0x06213000);
    qtest_system_reset(qts);
    step_seconds(qts, 3 * 3600);
    /* The century ends at 2099 */
    g_assert_cmphex(qtest_readl(qts, DATE), ==, 0x000101);
    g_assert_cmphex(qtest_readl(qts, TIME), ==, 0x00003000);
    qtest_quit(qts);
}

static void test_alarm(void)
{
    QTestState *qts = start("2024-03-01T10:00:00");

    qtest_writel(qts, ALARM_TIME, VALID | 0x100105);
    qtest_writel(qts, ALARM_DATE, VALID | 0x240301);
    qtest_writel(qts, MASK, 1);
    step_seconds(qts, 64);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0);
    g_assert_false(qtest_get_irq(qts, IRQ_RTC));
    step_seconds(qts, 1);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 1);
    g_assert_true(qtest_get_irq(qts, IRQ_RTC));

    qtest_writel(qts, CAUSE, 0xffffffff);
    g_assert_true(qtest_get_irq(qts, IRQ_RTC));
    qtest_writel(qts, MASK, 0);
    g_assert_false(qtest_get_irq(qts, IRQ_RTC));
    qtest_writel(qts, MASK, 1);
    g_assert_true(qtest_get_irq(qts, IRQ_RTC));
    qtest_writel(qts, CAUSE, 0);
    g_assert_false(qtest_get_irq(qts, IRQ_RTC));

    /* Once a date is past, it does not come again */
    step_seconds(qts, 48 * 3600);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0);
    qtest_quit(qts);
}

/* Fields that are not valid match always, none valid matches never */
static void test_alarm_fields(void)
{
    QTestState *qts = start("2024-03-01T10:00:00");

    qtest_writel(qts, ALARM_TIME, 0x000080 | 0x115930);
    qtest_writel(qts, ALARM_DATE, 0x190228);
    qtest_writel(qts, MASK, 1);
    for (int minute = 0; minute < 3; minute++) {
        step_seconds(qts, minute ? 59 : 29);
        g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0);
        step_seconds(qts, 1);
        g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 1);
        qtest_writel(qts, CAUSE, 0);
    }
    qtest_writel(qts, ALARM_TIME, 0x100300);
    step_seconds(qts, 120);
    g_assert_cmphex(qtest_readl(qts, CAUSE), ==, 0);
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/rtc/registers", test_registers);
    qtest_add_func("/kirkwood/rtc/read", test_read);
    qtest_add_func("/kirkwood/rtc/set", test_set);
    qtest_add_func("/kirkwood/rtc/alarm", test_alarm);
    qtest_add_func("/kirkwood/rtc/alarm-fields", test_alarm_fields);
    return g_test_run();
}
