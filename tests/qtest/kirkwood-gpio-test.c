/*
 * Kirkwood multi-purpose pins, GPIO banks and what boards connect to them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"
#include "qobject/qdict.h"

/* Registers of a bank */
enum {
    OUT = 0x00, OUT_DISABLE = 0x04, BLINK = 0x08, IN_POLARITY = 0x0c,
    IN = 0x10, EDGE_CAUSE = 0x14, EDGE_MASK = 0x18, LEVEL_MASK = 0x1c,
};

typedef struct Bank {
    const char *path;
    uint32_t base;
    unsigned num_pins;
    unsigned irq;               /* of the first eight pins */
} Bank;

static const Bank banks[] = {
    { "/machine/soc/gpio[0]", GPIO0_BASE, 32, IRQ_GPIO_0_7 },
    { "/machine/soc/gpio[1]", GPIO1_BASE, 18, IRQ_GPIO_32_39 },
};

static uint32_t pin_mask(const Bank *b)
{
    return b->num_pins == 32 ? 0xffffffff : (1u << b->num_pins) - 1;
}

static void drive(QTestState *qts, const Bank *b, uint32_t levels)
{
    qtest_qmp_assert_success(qts, "{ 'execute': 'qom-set', 'arguments': "
                             "{ 'path': %s, 'property': 'board-drive', "
                             "'value': %u } }", b->path, levels);
}

static uint32_t pins(QTestState *qts, const Bank *b)
{
    return kirkwood_qom_get(qts, b->path, "pins");
}

/* A bank whose pins the board drives low */
static QTestState *start(const Bank *b)
{
    QTestState *qts = kirkwood_start("");

    drive(qts, b, 0);
    qtest_writel(qts, b->base + EDGE_CAUSE, 0);
    return qts;
}

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "MPP control 0", MPP_BASE + 0x00, .rw = 0xffffffff },
        { "MPP control 5", MPP_BASE + 0x14, .rw = 0xffffffff },
        { "MPP control 6", MPP_BASE + 0x18, .rw = 0xff },
        { "out", GPIO0_BASE + OUT, .rw = 0xffffffff },
        { "blink", GPIO0_BASE + BLINK, .rw = 0xffffffff },
        { "in polarity", GPIO0_BASE + IN_POLARITY, .rw = 0xffffffff },
        { "edge mask", GPIO0_BASE + EDGE_MASK, .rw = 0xffffffff },
        { "level mask", GPIO0_BASE + LEVEL_MASK, .rw = 0xffffffff },
        { "out disable", GPIO0_BASE + OUT_DISABLE, 0xffffffff, 0xffffffff },
    };
    QTestState *qts = kirkwood_start("");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    g_assert_cmphex(qtest_readl(qts, GPIO1_BASE + OUT_DISABLE), ==, 0x3ffff);
    g_assert_cmphex(qtest_readl(qts, GPIO1_BASE + EDGE_CAUSE), ==, 0);
    qtest_quit(qts);
}

static void test_output(const void *data)
{
    const Bank *b = data;
    QTestState *qts = start(b);

    for (unsigned pin = 0; pin < b->num_pins; pin++) {
        uint32_t bit = 1u << pin;

        qtest_writel(qts, b->base + OUT, bit);
        g_assert_cmphex(pins(qts, b), ==, 0);
        qtest_writel(qts, b->base + OUT_DISABLE, ~bit);
        g_assert_cmphex(pins(qts, b), ==, bit);
        g_assert_cmphex(qtest_readl(qts, b->base + IN), ==, bit);

        /* The board cannot overrule an output */
        drive(qts, b, pin_mask(b));
        qtest_writel(qts, b->base + OUT, 0);
        g_assert_cmphex(pins(qts, b), ==, pin_mask(b) & ~bit);
        drive(qts, b, 0);
        qtest_writel(qts, b->base + OUT_DISABLE, 0xffffffff);
    }
    qtest_quit(qts);
}

static void test_input(const void *data)
{
    const Bank *b = data;
    QTestState *qts = start(b);

    for (unsigned pin = 0; pin < b->num_pins; pin++) {
        uint32_t bit = 1u << pin;

        drive(qts, b, bit);
        g_assert_cmphex(qtest_readl(qts, b->base + IN), ==, bit);
        qtest_writel(qts, b->base + IN_POLARITY, bit);
        g_assert_cmphex(qtest_readl(qts, b->base + IN), ==, 0);
        drive(qts, b, 0);
        g_assert_cmphex(qtest_readl(qts, b->base + IN), ==, bit);
        qtest_writel(qts, b->base + IN_POLARITY, 0);
        g_assert_cmphex(qtest_readl(qts, b->base + IN), ==, 0);
    }
    qtest_quit(qts);
}

/* A pin with another function is not driven by the bank */
static void test_mpp(const void *data)
{
    const Bank *b = data;
    QTestState *qts = start(b);

    qtest_writel(qts, b->base + OUT, 0xffffffff);
    qtest_writel(qts, b->base + OUT_DISABLE, 0);
    for (unsigned pin = 0; pin < b->num_pins; pin++) {
        unsigned mpp = pin + (b == &banks[1] ? 32 : 0);
        uint32_t reg = MPP_BASE + 4 * (mpp / 8);

        g_assert_cmphex(pins(qts, b), ==, pin_mask(b));
        qtest_writel(qts, reg, 0x1u << (4 * (mpp % 8)));
        g_assert_cmphex(pins(qts, b), ==, pin_mask(b) & ~(1u << pin));
        qtest_writel(qts, reg, 0x8u << (4 * (mpp % 8)));
        g_assert_cmphex(pins(qts, b), ==, pin_mask(b) & ~(1u << pin));
        qtest_writel(qts, reg, 0);
    }
    qtest_quit(qts);
}

/* Only the interrupt of this pin's group of eight may be raised */
static void check_irqs(QTestState *qts, const Bank *b, unsigned pin, bool level)
{
    for (unsigned irq = IRQ_GPIO_0_7; irq <= IRQ_GPIO_48_49; irq++) {
        g_assert_cmpint(qtest_get_irq(qts, irq), ==,
                        level && irq == b->irq + pin / 8);
    }
}

/* Rising edges latch whatever the mask, and only writing 0 clears them */
static void test_edge(const void *data)
{
    const Bank *b = data;
    QTestState *qts = start(b);

    for (unsigned pin = 0; pin < b->num_pins; pin++) {
        uint32_t bit = 1u << pin;

        drive(qts, b, bit);
        g_assert_cmphex(qtest_readl(qts, b->base + EDGE_CAUSE), ==, bit);
        check_irqs(qts, b, pin, false);
        qtest_writel(qts, b->base + EDGE_MASK, bit);
        check_irqs(qts, b, pin, true);
        drive(qts, b, 0);
        check_irqs(qts, b, pin, true);
        qtest_writel(qts, b->base + EDGE_CAUSE, ~bit);
        check_irqs(qts, b, pin, false);
        g_assert_cmphex(qtest_readl(qts, b->base + EDGE_CAUSE), ==, 0);

        /* Inverted, the falling edge counts */
        drive(qts, b, bit);
        qtest_writel(qts, b->base + EDGE_CAUSE, ~bit);
        qtest_writel(qts, b->base + IN_POLARITY, bit);
        g_assert_cmphex(qtest_readl(qts, b->base + EDGE_CAUSE), ==, 0);
        drive(qts, b, 0);
        check_irqs(qts, b, pin, true);
        qtest_writel(qts, b->base + IN_POLARITY, 0);
        qtest_writel(qts, b->base + EDGE_CAUSE, 0);
        qtest_writel(qts, b->base + EDGE_MASK, 0);
    }
    qtest_quit(qts);
}

static void test_level(const void *data)
{
    const Bank *b = data;
    QTestState *qts = start(b);

    for (unsigned pin = 0; pin < b->num_pins; pin++) {
        uint32_t bit = 1u << pin;

        drive(qts, b, bit);
        check_irqs(qts, b, pin, false);
        qtest_writel(qts, b->base + LEVEL_MASK, bit);
        check_irqs(qts, b, pin, true);
        drive(qts, b, 0);
        check_irqs(qts, b, pin, false);
        qtest_writel(qts, b->base + LEVEL_MASK, 0);
    }
    qtest_quit(qts);
}

/* Levels that were there before a reset are no edges after it */
static void test_reset(const void *data)
{
    const Bank *b = data;
    QTestState *qts = start(b);

    drive(qts, b, 0x15);
    qtest_writel(qts, b->base + OUT, 0xffffffff);
    qtest_writel(qts, b->base + OUT_DISABLE, 0);
    qtest_writel(qts, b->base + IN_POLARITY, 0xff);
    qtest_system_reset(qts);
    g_assert_cmphex(pins(qts, b) & 0xff, ==, 0x15);
    g_assert_cmphex(qtest_readl(qts, b->base + IN) & 0xff, ==, 0x15);
    g_assert_cmphex(qtest_readl(qts, b->base + EDGE_CAUSE), ==, 0);
    qtest_quit(qts);
}

typedef struct Lamp {
    const char *machine;
    const char *path;
    unsigned mpp;
    bool active_low;
} Lamp;

/* Outputs of the boards in Linux 6.1's device trees */
static const Lamp lamps[] = {
    { "sheevaplug", "/machine/pins/led-blue-health", 49, true },
    { "sheevaplug", "/machine/pins/led-red-misc", 46, true },
    { "sheevaplug", "/machine/pins/usb-power", 29, false },
    { "dockstar", "/machine/pins/led-green-health", 46, true },
    { "dockstar", "/machine/pins/led-orange-fault", 47, true },
    { "dockstar", "/machine/pins/usb-power", 29, false },
    { "guruplug", "/machine/pins/led-red-health", 46, true },
    { "guruplug", "/machine/pins/led-green-health", 47, true },
    { "guruplug", "/machine/pins/led-red-wmode", 48, true },
    { "guruplug", "/machine/pins/led-green-wmode", 49, true },
    { "dreamplug", "/machine/pins/led-blue-bluetooth", 47, true },
    { "dreamplug", "/machine/pins/led-green-wifi", 48, true },
    { "dreamplug", "/machine/pins/led-green-wifi-ap", 49, true },
    { "openrd-client", "/machine/pins/select-rs485", 28, false },
    { "openrd-client", "/machine/pins/select-sd", 34, false },
};

static void test_lamp(const void *data)
{
    const Lamp *l = data;
    const Bank *b = &banks[l->mpp / 32];
    uint32_t bit = 1u << (l->mpp % 32);
    QTestState *qts = qtest_initf("-M %s", l->machine);
    QDict *reply;

    /* Nobody drives the pin after reset: the lamp is dark */
    g_assert_false(qtest_qom_get_bool(qts, l->path, "active"));

    qtest_writel(qts, b->base + OUT, l->active_low ? 0 : bit);
    qtest_writel(qts, b->base + OUT_DISABLE, ~bit);
    g_assert_true(qtest_qom_get_bool(qts, l->path, "active"));
    qtest_writel(qts, b->base + OUT, l->active_low ? bit : 0);
    g_assert_false(qtest_qom_get_bool(qts, l->path, "active"));
    qtest_writel(qts, b->base + OUT, l->active_low ? 0 : bit);
    g_assert_true(qtest_qom_get_bool(qts, l->path, "active"));

    reply = qtest_qmp(qts, "{ 'execute': 'qom-set', 'arguments': { 'path': %s, "
                      "'property': 'active', 'value': false } }", l->path);
    g_assert(qdict_haskey(reply, "error"));
    qobject_unref(reply);
    g_assert_true(qtest_qom_get_bool(qts, l->path, "active"));

    qtest_system_reset(qts);
    g_assert_false(qtest_qom_get_bool(qts, l->path, "active"));
    qtest_quit(qts);
}

/* Card detect of the OpenRD: MPP 29, low with a card in the slot */
static void test_switch(void)
{
    const char *path = "/machine/pins/sd-card-detect";
    QTestState *qts = qtest_init("-M openrd-client");

    g_assert_cmphex(qtest_readl(qts, GPIO0_BASE + IN) & (1u << 29), ==,
                    1u << 29);
    qtest_qom_set_bool(qts, path, "active", true);
    g_assert_cmphex(qtest_readl(qts, GPIO0_BASE + IN) & (1u << 29), ==, 0);
    qtest_system_reset(qts);
    g_assert_true(qtest_qom_get_bool(qts, path, "active"));
    g_assert_cmphex(qtest_readl(qts, GPIO0_BASE + IN) & (1u << 29), ==, 0);
    qtest_qom_set_bool(qts, path, "active", false);
    g_assert_cmphex(qtest_readl(qts, GPIO0_BASE + IN) & (1u << 29), ==,
                    1u << 29);
    qtest_quit(qts);
}

static void add_per_bank(const char *test, GTestDataFunc fn)
{
    for (int i = 0; i < ARRAY_SIZE(banks); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/gpio/%s/%d", test,
                                                i);

        qtest_add_data_func(path, &banks[i], fn);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/gpio/registers", test_registers);
    qtest_add_func("/kirkwood/gpio/switch", test_switch);
    add_per_bank("output", test_output);
    add_per_bank("input", test_input);
    add_per_bank("mpp", test_mpp);
    add_per_bank("edge", test_edge);
    add_per_bank("level", test_level);
    add_per_bank("reset", test_reset);
    for (int i = 0; i < ARRAY_SIZE(lamps); i++) {
        g_autofree char *path = g_strdup_printf(
            "/kirkwood/gpio/lamp/%s/%s", lamps[i].machine,
            strrchr(lamps[i].path, '/') + 1);

        qtest_add_data_func(path, &lamps[i], test_lamp);
    }
    return g_test_run();
}
