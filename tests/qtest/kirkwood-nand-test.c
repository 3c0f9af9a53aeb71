/*
 * NAND flash of the Kirkwood boards
 *
 * Address line 0 is the command latch, line 1 the address latch, as "cle" and
 * "ale" of the device tree say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

#define DATA NAND_BASE
#define COMMAND (NAND_BASE + 1)
#define ADDRESS (NAND_BASE + 2)

#define PAGE_SIZE 2112          /* 2048 bytes and 64 spare bytes */
#define BLOCK_PAGES 64
#define NUM_PAGES 262144        /* 512 MiB */
#define DRIVE_SIZE ((uint64_t)PAGE_SIZE * NUM_PAGES)

static void command(QTestState *qts, uint8_t byte)
{
    qtest_writeb(qts, COMMAND, byte);
}

static void address(QTestState *qts, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        qtest_writeb(qts, ADDRESS, value >> (8 * i));
    }
}

static uint8_t status(QTestState *qts)
{
    command(qts, 0x70);
    return qtest_readb(qts, DATA);
}

static void read_page(QTestState *qts, uint32_t row, uint32_t column)
{
    command(qts, 0x00);
    address(qts, column, 2);
    address(qts, row, 3);
    command(qts, 0x30);
}

static void program(QTestState *qts, uint32_t row, uint32_t column,
                    const char *text)
{
    command(qts, 0x80);
    address(qts, column, 2);
    address(qts, row, 3);
    while (*text) {
        qtest_writeb(qts, DATA, *text++);
    }
    command(qts, 0x10);
    g_assert_cmphex(status(qts), ==, 0xe0);
}

static void erase(QTestState *qts, uint32_t row)
{
    command(qts, 0x60);
    address(qts, row, 3);
    command(qts, 0xd0);
    g_assert_cmphex(status(qts), ==, 0xe0);
}

static void check(QTestState *qts, uint32_t row, uint32_t column,
                  const char *text)
{
    read_page(qts, row, column);
    while (*text) {
        g_assert_cmphex(qtest_readb(qts, DATA), ==, (uint8_t)*text++);
    }
}

typedef struct IdCase {
    const char *machine;
    uint8_t id[4];
} IdCase;

/* Device codes of nand_ids.c: 0xda 256 MiB, 0xdc 512 MiB, both 3.3 V, 8 bit */
static const IdCase ids[] = {
    { "sheevaplug", { 0xad, 0xdc, 0x80, 0x95 } },
    { "guruplug", { 0xad, 0xdc, 0x80, 0x95 } },
    { "openrd-client", { 0xad, 0xdc, 0x80, 0x95 } },
    { "dockstar", { 0xad, 0xda, 0x10, 0x95 } },
    { "dreamplug", { 0xff, 0xff, 0xff, 0xff } },
};

static void test_id(const void *data)
{
    const IdCase *c = data;
    QTestState *qts = qtest_initf("-M %s", c->machine);

    for (int round = 0; round < 2; round++) {
        command(qts, 0xff);
        command(qts, 0x90);
        address(qts, 0, 1);
        for (int i = 0; i < sizeof(c->id); i++) {
            g_assert_cmphex(qtest_readb(qts, DATA), ==, c->id[i]);
        }
    }
    qtest_quit(qts);
}

static void test_program(void)
{
    QTestState *qts = kirkwood_start("");

    g_assert_cmphex(status(qts), ==, 0xe0);
    check(qts, 0, 0, "\xff\xff\xff\xff");
    program(qts, 1000, 0, "page");
    program(qts, 1000, 2048, "spare");
    program(qts, NUM_PAGES - 1, 2107, "five!");
    check(qts, 1000, 0, "page\xff");
    check(qts, 1000, 2046, "\xff\xffspare\xff");
    check(qts, 999, 0, "\xff");
    check(qts, 1001, 0, "\xff");
    check(qts, NUM_PAGES - 1, 2106, "\xff" "five!\xff\xff");

    /* Programming only turns ones into zeros */
    program(qts, 1000, 0, "\xf0\x0f");
    check(qts, 1000, 0, "\x70\x01ge");

    /* Flash keeps its contents over a reset of the SoC */
    qtest_system_reset(qts);
    check(qts, 1000, 2048, "spare");
    qtest_quit(qts);
}

static void test_erase(void)
{
    QTestState *qts = kirkwood_start("");

    for (int block = 0; block < 3; block++) {
        program(qts, block * BLOCK_PAGES, 0, "first");
        program(qts, block * BLOCK_PAGES + 63, 0, "last");
    }
    erase(qts, BLOCK_PAGES + 5);
    check(qts, 0, 0, "first");
    check(qts, 63, 0, "last");
    check(qts, 64, 0, "\xff\xff");
    check(qts, 127, 0, "\xff\xff");
    check(qts, 128, 0, "first");
    check(qts, 191, 0, "last");
    qtest_quit(qts);
}

/* Random data output and input, copy-back, and the status in between */
static void test_columns(void)
{
    QTestState *qts = kirkwood_start("");

    command(qts, 0x80);
    address(qts, 0, 2);
    address(qts, 7, 3);
    qtest_writeb(qts, DATA, 0x11);
    command(qts, 0x85);
    address(qts, 2048, 2);
    qtest_writeb(qts, DATA, 0x22);
    command(qts, 0x10);

    read_page(qts, 7, 0);
    g_assert_cmphex(status(qts), ==, 0xe0);
    command(qts, 0x00);
    g_assert_cmphex(qtest_readb(qts, DATA), ==, 0x11);
    command(qts, 0x05);
    address(qts, 2048, 2);
    command(qts, 0xe0);
    g_assert_cmphex(qtest_readb(qts, DATA), ==, 0x22);

    command(qts, 0x00);
    address(qts, 0, 2);
    address(qts, 7, 3);
    command(qts, 0x35);
    command(qts, 0x85);
    address(qts, 1, 2);
    address(qts, 70, 3);
    qtest_writeb(qts, DATA, 0x33);
    command(qts, 0x10);
    check(qts, 70, 0, "\x11\x33\xff");
    check(qts, 70, 2048, "\x22\xff");
    qtest_quit(qts);
}

/* orion_nand reads eight bytes at a time */
static void test_wide_read(void)
{
    QTestState *qts = kirkwood_start("");

    program(qts, 3, 0, "abcdefghijklmnop");
    read_page(qts, 3, 0);
    g_assert_cmphex(qtest_readq(qts, DATA), ==, 0x6867666564636261ull);
    g_assert_cmphex(qtest_readl(qts, DATA), ==, 0x6c6b6a69);
    g_assert_cmphex(qtest_readw(qts, DATA), ==, 0x6e6d);
    qtest_quit(qts);
}

/* Nothing outside of page and chip is reached */
static void test_limits(void)
{
    QTestState *qts = kirkwood_start("");

    command(qts, 0x80);
    address(qts, 0xffff, 2);
    address(qts, 0xffffff, 3);
    for (int i = 0; i < 3000; i++) {
        qtest_writeb(qts, DATA, 0);
    }
    command(qts, 0x10);
    read_page(qts, 0xffffff, 0);
    for (int i = 0; i < PAGE_SIZE + 100; i++) {
        g_assert_cmphex(qtest_readb(qts, DATA), ==, 0xff);
    }
    for (int i = 0; i < 20; i++) {
        address(qts, 0xff, 1);
    }
    for (int byte = 0; byte < 256; byte++) {
        command(qts, byte);
        qtest_readb(qts, DATA);
    }
    command(qts, 0xff);
    g_assert_cmphex(status(qts), ==, 0xe0);
    qtest_quit(qts);
}

/* An image of erased flash with text in page 5 */
static char *make_drive(void)
{
    g_autoptr(GError) err = NULL;
    g_autofree uint8_t *block = g_malloc(PAGE_SIZE * BLOCK_PAGES);
    char *name;
    int fd = g_file_open_tmp("kirkwood-nand-XXXXXX", &name, &err);

    g_assert_no_error(err);
    memset(block, 0xff, PAGE_SIZE * BLOCK_PAGES);
    for (int i = 0; i < NUM_PAGES / BLOCK_PAGES; i++) {
        g_assert_cmpint(write(fd, block, PAGE_SIZE * BLOCK_PAGES), ==,
                        PAGE_SIZE * BLOCK_PAGES);
    }
    g_assert_cmpint(pwrite(fd, "on disk", 7, 5 * PAGE_SIZE), ==, 7);
    close(fd);
    return name;
}

static void check_file(const char *name, uint64_t offset, const char *text)
{
    g_autofree char *buf = g_malloc0(strlen(text) + 1);
    int fd = open(name, O_RDONLY);

    g_assert_cmpint(pread(fd, buf, strlen(text), offset), ==, strlen(text));
    g_assert_cmpstr(buf, ==, text);
    close(fd);
}

static void test_drive(void)
{
    g_autofree char *name = make_drive();
    g_autofree char *args = g_strdup_printf(
        "-drive if=mtd,format=raw,file=%s", name);
    QTestState *qts = kirkwood_start(args);

    check(qts, 5, 0, "on disk\xff");
    program(qts, 6, 2048, "spare");
    program(qts, 130, 0, "third block");
    check_file(name, 6 * PAGE_SIZE + 2048, "spare\xff");
    erase(qts, 0);
    check_file(name, 5 * PAGE_SIZE, "\xff\xff\xff\xff\xff\xff\xff");
    qtest_quit(qts);

    qts = kirkwood_start(args);
    check(qts, 130, 0, "third block\xff");
    check(qts, 6, 2048, "\xff\xff");
    qtest_quit(qts);
    unlink(name);
}

static void test_drive_size(void)
{
    g_autofree char *output = NULL;
    g_autofree char *expected = g_strdup_printf(
        "NAND drive has 1048576 bytes, the chip has %" PRIu64, DRIVE_SIZE);

    g_assert_cmpint(kirkwood_run("-M sheevaplug -drive if=mtd,format=raw,"
                                 "file.driver=null-co,file.size=1048576",
                                 &output), ==, 1);
    g_test_message("%s", output);
    g_assert(strstr(output, expected));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/nand/program", test_program);
    qtest_add_func("/kirkwood/nand/erase", test_erase);
    qtest_add_func("/kirkwood/nand/columns", test_columns);
    qtest_add_func("/kirkwood/nand/wide-read", test_wide_read);
    qtest_add_func("/kirkwood/nand/limits", test_limits);
    qtest_add_func("/kirkwood/nand/drive", test_drive);
    qtest_add_func("/kirkwood/nand/drive-size", test_drive_size);
    for (int i = 0; i < ARRAY_SIZE(ids); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/nand/id/%s",
                                                ids[i].machine);

        qtest_add_data_func(path, &ids[i], test_id);
    }
    return g_test_run();
}
