/*
 * Kirkwood mbus bridge and SDRAM windows: what the CPU finds where
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define WINDOW_CONTROL(n) (MBUS_BASE + 0x10 * (n))
#define WINDOW_BASE(n) (MBUS_BASE + 0x10 * (n) + 0x4)
#define INTERNAL_REGS_BASE 0x20080

#define DRAM_BASE_REG(n) (INTERNAL_BASE + 0x1500 + 8 * (n))
#define DRAM_SIZE_REG(n) (INTERNAL_BASE + 0x1504 + 8 * (n))

/* Value of a window control register, as mvebu-mbus computes it */
static uint32_t control(uint32_t size, uint8_t attr, uint8_t target)
{
    return ((size - 1) & 0xffff0000) | attr << 8 | target << 4 | 1;
}

static void test_registers(void)
{
    static const KirkwoodRegExpect regs[] = {
        { "window 6 control", WINDOW_CONTROL(6), .rw = 0xfffffff1 },
        { "window 6 base", WINDOW_BASE(6), .rw = 0xffff0000 },
        { "window 7 control", WINDOW_CONTROL(7), .rw = 0xfffffff1 },
        { "window 7 base", WINDOW_BASE(7), .rw = 0xffff0000 },
        { "window 0 remap high", MBUS_BASE + 0x0c, .rw = 0xffffffff },
        { "window 3 remap high", MBUS_BASE + 0x3c, .rw = 0xffffffff },
    };
    QTestState *qts = kirkwood_start("");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));
    qtest_quit(qts);
}

/* U-Boot moves the internal registers by one write */
static void test_internal_base(void)
{
    QTestState *qts = kirkwood_start("");
    const uint32_t moved = 0xd0000000, sar = 0x10030;

    g_assert_cmphex(qtest_readl(qts, INTERNAL_BASE + INTERNAL_REGS_BASE), ==,
                    INTERNAL_BASE);
    qtest_writel(qts, INTERNAL_BASE + INTERNAL_REGS_BASE, moved);
    g_assert_cmphex(qtest_readl(qts, moved + INTERNAL_REGS_BASE), ==, moved);
    g_assert_cmphex(qtest_readl(qts, moved + sar), ==, 0x692);
    g_assert_cmphex(qtest_readl(qts, INTERNAL_BASE + sar), ==, 0);
    qtest_writel(qts, moved + INTERNAL_REGS_BASE, INTERNAL_BASE);
    g_assert_cmphex(qtest_readl(qts, INTERNAL_BASE + sar), ==, 0x692);
    qtest_quit(qts);
}

/* 2 KiB of SRAM, repeated: U-Boot's first stack is at 0xc8012000 */
static void test_sram(void)
{
    QTestState *qts = kirkwood_start("");

    for (uint32_t offset = 0; offset < 0x800; offset += 4) {
        qtest_writel(qts, SRAM_BASE + offset, 0xabcd0000 | offset);
    }
    for (uint32_t offset = 0; offset < 0x800; offset += 4) {
        g_assert_cmphex(qtest_readl(qts, SRAM_BASE + 0x1800 + offset), ==,
                        0xabcd0000 | offset);
    }
    qtest_quit(qts);
}

/* Linux closes the windows that firmware left and opens its own */
static void test_window(void)
{
    QTestState *qts = kirkwood_start("");
    const uint32_t addr = 0xf5000000;

    qtest_writel(qts, SRAM_BASE + 0x10, 0x600dcafe);
    qtest_writel(qts, WINDOW_CONTROL(5), 0);
    g_assert_cmphex(qtest_readl(qts, SRAM_BASE + 0x10), ==, 0);

    qtest_writel(qts, WINDOW_BASE(7), addr);
    g_assert_cmphex(qtest_readl(qts, addr + 0x10), ==, 0);
    qtest_writel(qts, WINDOW_CONTROL(7), control(0x10000, 0x01, 3));
    g_assert_cmphex(qtest_readl(qts, addr + 0x10), ==, 0x600dcafe);

    /* Neither another target nor another attribute reaches it */
    qtest_writel(qts, WINDOW_CONTROL(7), control(0x10000, 0x02, 3));
    g_assert_cmphex(qtest_readl(qts, addr + 0x10), ==, 0);
    qtest_writel(qts, WINDOW_CONTROL(7), control(0x10000, 0x01, 2));
    g_assert_cmphex(qtest_readl(qts, addr + 0x10), ==, 0);
    qtest_writel(qts, WINDOW_CONTROL(7), control(0x10000, 0x01, 3));
    qtest_writel(qts, addr + 0x20, 0x1234);
    g_assert_cmphex(qtest_readl(qts, addr + 0x820), ==, 0x1234);

    qtest_system_reset(qts);
    g_assert_cmphex(qtest_readl(qts, SRAM_BASE + 0x10), ==, 0x600dcafe);
    g_assert_cmphex(qtest_readl(qts, addr + 0x10), ==, 0);
    qtest_quit(qts);
}

/* Windows over memory and over the internal registers do not hide them */
static void test_priority(void)
{
    QTestState *qts = kirkwood_start("");

    qtest_writel(qts, 0x00100010, 0x11111111);
    qtest_writel(qts, WINDOW_BASE(6), 0x00100000);
    qtest_writel(qts, WINDOW_CONTROL(6), control(0x10000, 0x01, 3));
    qtest_writel(qts, WINDOW_BASE(7), INTERNAL_BASE + 0x10000);
    qtest_writel(qts, WINDOW_CONTROL(7), control(0x10000, 0x01, 3));
    g_assert_cmphex(qtest_readl(qts, 0x00100010), ==, 0x11111111);
    g_assert_cmphex(qtest_readl(qts, SAR_BASE), ==, 0x692);
    qtest_quit(qts);
}

typedef struct DramCase {
    const char *ram;
    uint32_t base[4], size[4];
} DramCase;

/* What a boot loader leaves, and Linux reads to program the DMA windows */
static const DramCase dram_cases[] = {
    { "128M", { 0 }, { 0x07fffff1 } },
    { "256M", { 0 }, { 0x0ffffff1 } },
    { "384M", { 0, 0x10000000 }, { 0x0ffffff1, 0x07fffff5 } },
    { "512M", { 0, 0x10000000 }, { 0x0ffffff1, 0x0ffffff5 } },
    { "1G", { 0, 0x10000000, 0x20000000, 0x30000000 },
      { 0x0ffffff1, 0x0ffffff5, 0x0ffffff9, 0x0ffffffd } },
};

static void test_dram(const void *data)
{
    const DramCase *c = data;
    g_autofree char *args = g_strdup_printf("-m %s", c->ram);
    QTestState *qts = kirkwood_start(args);

    for (int n = 0; n < 4; n++) {
        uint32_t last = c->base[n] + (c->size[n] | 0xffffff) - 3;

        g_assert_cmphex(qtest_readl(qts, DRAM_BASE_REG(n)), ==, c->base[n]);
        g_assert_cmphex(qtest_readl(qts, DRAM_SIZE_REG(n)), ==, c->size[n]);
        if (c->size[n]) {
            qtest_writel(qts, last, 0xfeed0000 | n);
            g_assert_cmphex(qtest_readl(qts, last), ==, 0xfeed0000 | n);
            g_assert_cmphex(qtest_readl(qts, last + 4), ==, 0);
            qtest_writel(qts, last + 4, 0x55555555);
        }
    }
    for (int n = 0; n < 4; n++) {
        uint32_t last = c->base[n] + (c->size[n] | 0xffffff) - 3;

        if (c->size[n]) {
            g_assert_cmphex(qtest_readl(qts, last), ==, 0xfeed0000 | n);
        }
    }
    qtest_quit(qts);
}

/* Windows select and place chip selects */
static void test_dram_windows(void)
{
    QTestState *qts = kirkwood_start("-m 512M");

    qtest_writel(qts, 0x00000100, 0xc5000000);
    qtest_writel(qts, 0x10000100, 0xc5000001);

    /* Exchange the two chip selects */
    qtest_writel(qts, DRAM_SIZE_REG(0), 0x0ffffff5);
    qtest_writel(qts, DRAM_SIZE_REG(1), 0x0ffffff1);
    g_assert_cmphex(qtest_readl(qts, 0x00000100), ==, 0xc5000001);
    g_assert_cmphex(qtest_readl(qts, 0x10000100), ==, 0xc5000000);

    /* Move one, shrink it to 16 MiB, close it */
    qtest_writel(qts, DRAM_BASE_REG(1), 0x40000000);
    g_assert_cmphex(qtest_readl(qts, 0x40000100), ==, 0xc5000000);
    g_assert_cmphex(qtest_readl(qts, 0x10000100), ==, 0);
    qtest_writel(qts, 0x41000100, 0x77);
    g_assert_cmphex(qtest_readl(qts, 0x41000100), ==, 0x77);
    qtest_writel(qts, DRAM_SIZE_REG(1), 0x00fffff1);
    g_assert_cmphex(qtest_readl(qts, 0x40000100), ==, 0xc5000000);
    g_assert_cmphex(qtest_readl(qts, 0x41000100), ==, 0);
    qtest_writel(qts, DRAM_SIZE_REG(1), 0x0ffffff0);
    g_assert_cmphex(qtest_readl(qts, 0x40000100), ==, 0);

    /* A chip select without memory */
    qtest_writel(qts, DRAM_SIZE_REG(1), 0x0ffffff9);
    qtest_writel(qts, 0x40000100, 0x99);
    g_assert_cmphex(qtest_readl(qts, 0x40000100), ==, 0);

    qtest_system_reset(qts);
    g_assert_cmphex(qtest_readl(qts, 0x00000100), ==, 0xc5000000);
    g_assert_cmphex(qtest_readl(qts, 0x10000100), ==, 0xc5000001);
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/mbus/registers", test_registers);
    qtest_add_func("/kirkwood/mbus/internal-base", test_internal_base);
    qtest_add_func("/kirkwood/mbus/sram", test_sram);
    qtest_add_func("/kirkwood/mbus/window", test_window);
    qtest_add_func("/kirkwood/mbus/priority", test_priority);
    qtest_add_func("/kirkwood/dram/windows", test_dram_windows);
    for (int i = 0; i < ARRAY_SIZE(dram_cases); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/dram/size/%s",
                                                dram_cases[i].ram);

        qtest_add_data_func(path, &dram_cases[i], test_dram);
    }
    return g_test_run();
}
