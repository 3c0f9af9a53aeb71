/*
 * What the tests of the Kirkwood SoC share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"
#include "qemu/cutils.h"
#include "qobject/qdict.h"

QTestState *kirkwood_start(const char *args)
{
    QTestState *qts = qtest_initf("-M sheevaplug %s", args);

    qtest_irq_intercept_in(qts, "/machine/soc/intc");
    return qts;
}

static void check_lanes(QTestState *qts, const KirkwoodRegExpect *r)
{
    uint32_t fixed = qtest_readl(qts, r->addr) & ~r->rw;

    for (unsigned lane = 0; lane < 4; lane++) {
        uint32_t mask = 0xffu << (8 * lane);

        qtest_writel(qts, r->addr, 0x5aa5c33c);
        qtest_writeb(qts, r->addr + lane, 0x96);
        g_assert_cmphex(qtest_readl(qts, r->addr), ==,
                        fixed | (r->rw & ((0x5aa5c33c & ~mask) |
                                          (0x96969696 & mask))));
        g_assert_cmphex(qtest_readb(qts, r->addr + lane), ==,
                        (qtest_readl(qts, r->addr) & mask) >> (8 * lane));
    }
    for (unsigned half = 0; half < 2; half++) {
        qtest_writel(qts, r->addr, 0);
        qtest_writew(qts, r->addr + 2 * half, 0xffff);
        g_assert_cmphex(qtest_readl(qts, r->addr), ==,
                        fixed | (r->rw & (0xffffu << (16 * half))));
    }
}

void kirkwood_check_regs(QTestState *qts, const KirkwoodRegExpect *regs,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const KirkwoodRegExpect *r = &regs[i];
        uint32_t fixed = r->reset & ~r->rw;

        g_test_message("%s", r->name);
        g_assert_cmphex(qtest_readl(qts, r->addr), ==, r->reset);
        qtest_writel(qts, r->addr, 0xffffffff);
        g_assert_cmphex(qtest_readl(qts, r->addr), ==, fixed | r->rw);
        qtest_writel(qts, r->addr, 0);
        g_assert_cmphex(qtest_readl(qts, r->addr), ==, fixed);
        check_lanes(qts, r);
        qtest_writel(qts, r->addr, 0x5aa5c33c);
    }
    qtest_system_reset(qts);
    for (size_t i = 0; i < count; i++) {
        g_test_message("%s after reset", regs[i].name);
        g_assert_cmphex(qtest_readl(qts, regs[i].addr), ==, regs[i].reset);
    }
}

uint64_t kirkwood_qom_get(QTestState *qts, const char *path, const char *name)
{
    QDict *reply = qtest_qmp(qts, "{ 'execute': 'qom-get', 'arguments': "
                             "{ 'path': %s, 'property': %s } }", path, name);
    uint64_t value;

    g_assert(qdict_haskey(reply, "return"));
    value = qdict_get_int(reply, "return");
    qobject_unref(reply);
    return value;
}

int kirkwood_run(const char *args, char **output)
{
    /* QEMU that gets as far as its main loop is told to leave */
    g_autofree char *command = g_strdup_printf(
        "echo '{\"execute\": \"qmp_capabilities\"} {\"execute\": \"quit\"}' | "
        "%s -accel qtest -display none -nodefaults -qmp stdio %s",
        getenv("QTEST_QEMU_BINARY"), args);
    char *argv[] = { (char *)"sh", (char *)"-c", command, NULL };
    int status;

    g_assert(g_spawn_sync(NULL, argv, NULL,
                          G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL,
                          NULL, NULL, NULL, output, &status, NULL));
    g_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

bool kirkwood_event(QTestState *qts, const char *event)
{
    /* Each command takes QEMU's main loop around at least once */
    for (int i = 0; i < 1000; i++) {
        QDict *found;

        qtest_qmp_assert_success(qts, "{ 'execute': 'query-status' }");
        found = qtest_qmp_event_ref(qts, event);
        if (found) {
            qobject_unref(found);
            return true;
        }
    }
    return false;
}

uint32_t kirkwood_pc(QTestState *qts)
{
    g_autofree char *regs = qtest_hmp(qts, "info registers");
    const char *pc = strstr(regs, "R15=");
    const char *end;
    uint64_t value;

    g_assert(pc);
    g_assert_cmpint(qemu_strtou64(pc + strlen("R15="), &end, 16, &value), ==,
                    0);
    return value;
}
