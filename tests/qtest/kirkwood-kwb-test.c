/*
 * Boot images of the Kirkwood boot ROM
 *
 * The image is built here by the description in U-Boot's doc/README.kwbimage
 * and tools/kwbimage.h.  "-bios FILE" must do what the boot ROM does with it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"
#include "qemu/bswap.h"

enum { SPI = 0x5a, NAND = 0x8b, SATA = 0x78, UART = 0x69 };

#define HEADER_SIZE 0x200
#define PAYLOAD_SIZE 0x1000
#define BLOCK_SIZE (PAYLOAD_SIZE + 4)
#define IMAGE_SIZE (HEADER_SIZE + BLOCK_SIZE)

#define DEST 0x00600000
#define ENTRY 0x00600040

/* The boot ROM sees the internal registers here */
#define ROM_INTERNAL 0xffd00000u
/* After reset the CPU finds them here */
#define RESET_INTERNAL 0xd0000000u

typedef struct Image {
    uint8_t bytes[IMAGE_SIZE];
} Image;

static void set_checksums(Image *image)
{
    uint8_t *p = image->bytes;
    uint32_t words = 0;

    p[0x1f] = 0;
    for (int i = 0; i < 0x1f; i++) {
        p[0x1f] += p[i];
    }
    p[0x1ff] = 0;
    for (int i = 0x20; i < 0x1ff; i++) {
        p[0x1ff] += p[i];
    }
    for (int i = 0; i < PAYLOAD_SIZE; i += 4) {
        words += ldl_le_p(p + HEADER_SIZE + i);
    }
    stl_le_p(p + HEADER_SIZE + PAYLOAD_SIZE, words);
}

static void set_register(Image *image, int n, uint32_t addr, uint32_t value)
{
    stl_le_p(image->bytes + 0x40 + 8 * n, addr);
    stl_le_p(image->bytes + 0x44 + 8 * n, value);
}

static uint8_t payload_byte(uint32_t i)
{
    return i * 7 + (i >> 8);
}

/* A good image that opens a window to 256 MiB of memory */
static Image *make_image(uint8_t block_id)
{
    Image *image = g_new0(Image, 1);
    uint8_t *p = image->bytes;

    p[0x00] = block_id;
    stl_le_p(p + 0x04, BLOCK_SIZE);
    stl_le_p(p + 0x0c, block_id == SATA ? 2 : HEADER_SIZE);
    stl_le_p(p + 0x10, DEST);
    stl_le_p(p + 0x14, ENTRY);
    p[0x1e] = 1;
    stl_le_p(p + 0x20, 0x40);
    set_register(image, 0, ROM_INTERNAL + 0x1500, 0);
    set_register(image, 1, ROM_INTERNAL + 0x1504, 0x0ffffff1);
    for (uint32_t i = 0; i < PAYLOAD_SIZE; i++) {
        p[HEADER_SIZE + i] = payload_byte(i);
    }
    set_checksums(image);
    return image;
}

static char *write_image(Image *image, size_t size)
{
    g_autoptr(GError) err = NULL;
    char *name;
    int fd = g_file_open_tmp("kirkwood-kwb-XXXXXX", &name, &err);

    g_assert_no_error(err);
    g_assert_cmpint(write(fd, image->bytes, size), ==, size);
    close(fd);
    return name;
}

static QTestState *boot(Image *image)
{
    g_autofree char *name = write_image(image, IMAGE_SIZE);
    QTestState *qts = qtest_initf("-M sheevaplug -bios %s", name);

    unlink(name);
    return qts;
}

static void check_payload(QTestState *qts)
{
    for (uint32_t i = 0; i < PAYLOAD_SIZE; i++) {
        g_assert_cmphex(qtest_readb(qts, DEST + i), ==, payload_byte(i));
    }
    g_assert_cmphex(qtest_readl(qts, DEST + PAYLOAD_SIZE), ==, 0);
    g_assert_cmphex(kirkwood_pc(qts), ==, ENTRY);
}

/* The same image for every boot device */
static void test_boot(const void *data)
{
    g_autofree Image *image = make_image(*(const uint8_t *)data);
    QTestState *qts = boot(image);

    check_payload(qts);
    g_assert_cmphex(qtest_readl(qts, RESET_INTERNAL + 0x20080), ==,
                    RESET_INTERNAL);
    g_assert_cmphex(qtest_readl(qts, INTERNAL_BASE + 0x20080), ==, 0);
    qtest_quit(qts);
}

/* The register list is written in order, before the payload is loaded */
static void test_registers(void)
{
    g_autofree Image *image = make_image(NAND);
    QTestState *qts;

    set_register(image, 2, ROM_INTERNAL + 0x20108, 0x5);
    set_register(image, 3, ROM_INTERNAL + 0x20108, 0x3);
    set_register(image, 4, DEST, 0xbadc0de);
    set_register(image, 5, DEST + PAYLOAD_SIZE + 0x100, 0x12345678);
    set_register(image, 6, 0xc8010020, 0xcafe);
    /* What follows the end of the list is not part of it */
    set_register(image, 8, DEST + PAYLOAD_SIZE + 0x104, 0x55);
    set_checksums(image);
    qts = boot(image);
    check_payload(qts);
    g_assert_cmphex(qtest_readl(qts, RESET_INTERNAL + 0x20108), ==, 0x3);
    g_assert_cmphex(qtest_readl(qts, DEST + PAYLOAD_SIZE + 0x100), ==,
                    0x12345678);
    g_assert_cmphex(qtest_readl(qts, 0xc8010020), ==, 0xcafe);
    g_assert_cmphex(qtest_readl(qts, DEST + PAYLOAD_SIZE + 0x104), ==, 0);
    qtest_quit(qts);
}

/* A list without room for an end is 55 entries long */
static void test_longest_list(void)
{
    g_autofree Image *image = make_image(NAND);
    QTestState *qts;

    for (int n = 2; n < 55; n++) {
        set_register(image, n, 0x00100000 + 4 * n, n);
    }
    set_checksums(image);
    qts = boot(image);
    for (int n = 2; n < 55; n++) {
        g_assert_cmphex(qtest_readl(qts, 0x00100000 + 4 * n), ==, n);
    }
    check_payload(qts);
    qtest_quit(qts);
}

/* A reset starts the boot ROM again, whatever has happened since */
static void test_reset(void)
{
    g_autofree Image *image = make_image(NAND);
    QTestState *qts = boot(image);

    qtest_memset(qts, DEST, 0xee, PAYLOAD_SIZE);
    qtest_writel(qts, RESET_INTERNAL + 0x1504, 0);
    qtest_writel(qts, RESET_INTERNAL + 0x20080, INTERNAL_BASE);
    qtest_system_reset(qts);
    check_payload(qts);
    g_assert_cmphex(qtest_readl(qts, RESET_INTERNAL + 0x1504), ==, 0x0ffffff1);
    qtest_quit(qts);
}

/* Without an extended header nothing is set up: no memory to load into */
static void test_no_registers(void)
{
    g_autofree Image *image = make_image(NAND);
    g_autofree char *name = NULL;
    g_autofree char *args = NULL;
    g_autofree char *output = NULL;

    image->bytes[0x1e] = 0;
    stl_le_p(image->bytes + 0x0c, HEADER_SIZE);
    set_checksums(image);
    name = write_image(image, IMAGE_SIZE);
    args = g_strdup_printf("-M sheevaplug -bios %s", name);
    g_assert_cmpint(kirkwood_run(args, &output), ==, 1);
    g_assert(strstr(output, "payload does not fit into memory at 0x00600000"));
    unlink(name);
}

typedef struct BadCase {
    const char *name;
    const char *message;
    size_t offset;          /* of the byte to change, before the checksums */
    uint8_t value;
    size_t corrupt;         /* of the byte to change after, or 0 */
    size_t size;            /* of the file, or 0 for the whole image */
} BadCase;

static const BadCase bad_cases[] = {
    { "empty", "31 bytes are too short for a boot image header", .size = 31 },
    { "block-id", "first byte 0x12 is not SPI", 0x00, 0x12 },
    { "version", "header version is 1, Kirkwood has 0", 0x08, 0x01 },
    { "header-checksum", "boot image header checksum is 0x", .corrupt = 0x14 },
    { "header-truncated", "511 bytes are too short for the extended header",
      .size = 0x1ff },
    { "extended-checksum", "extended header checksum is 0x", .corrupt = 0x50 },
    { "list-before", "register list at offset 0x20 is outside", 0x20, 0x20 },
    { "list-behind", "register list at offset 0x340 is outside", 0x21, 0x03 },
    { "list-unaligned", "register list at offset 0x42 is outside", 0x20, 0x42 },
    { "payload-checksum", "payload checksum is 0x", .corrupt = 0x300 },
    { "payload-truncated", "truncated: payload ends at 0x1204, the file at "
      "0x1203", .size = IMAGE_SIZE - 1 },
    { "payload-size", "payload size 0x1006 is not a multiple of 4",
      0x04, 0x06 },
    { "payload-far", "truncated: payload ends at 0xff001204", 0x0f, 0xff },
    { "sata-sector-0", "truncated: payload ends at", 0x00, SATA },
    { "destination", "payload does not fit into memory at 0xff600000",
      0x13, 0xff },
    { "destination-register", "payload does not fit into memory at 0x10600000",
      0x13, 0x10 },
    { "register", "writes register 0x70d01500, which does not exist",
      0x43, 0x70 },
    { "more-memory", "SDRAM window 0 shows 512 MiB of chip select 0, which has "
      "256 MiB", 0x4f, 0x1f },
};

/* Lines of QEMU's own; what the address sanitizer says begins with "==". */
static unsigned count_lines(const char *output)
{
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
    unsigned n = 0;

    for (char **line = lines; *line; line++) {
        n += **line && !g_str_has_prefix(*line, "==");
    }
    return n;
}

static void test_bad(const void *data)
{
    const BadCase *c = data;
    g_autofree Image *image = make_image(NAND);
    g_autofree char *name = NULL;
    g_autofree char *args = NULL;
    g_autofree char *output = NULL;

    if (c->value) {
        image->bytes[c->offset] = c->value;
    }
    if (c->value == SATA) {
        stl_le_p(image->bytes + 0x0c, 0);
    }
    set_checksums(image);
    image->bytes[c->corrupt] ^= c->corrupt ? 0x01 : 0;
    name = write_image(image, c->size ? c->size : IMAGE_SIZE);
    args = g_strdup_printf("-M sheevaplug -bios %s", name);
    g_assert_cmpint(kirkwood_run(args, &output), ==, 1);
    g_test_message("%s", output);
    g_assert(strstr(output, c->message));
    g_assert_cmpuint(count_lines(output), ==, 1);
    unlink(name);
}

static void test_missing_file(void)
{
    g_autofree char *output = NULL;

    g_assert_cmpint(kirkwood_run("-M sheevaplug -bios /nonexistent/u-boot.kwb",
                                 &output), ==, 1);
    g_assert(strstr(output, "could not find boot image "
                    "'/nonexistent/u-boot.kwb'"));
}

/* Without anything to boot the CPU waits in the boot ROM */
static void test_idle(void)
{
    QTestState *qts = qtest_init("-M sheevaplug");

    g_assert_cmphex(kirkwood_pc(qts), ==, 0xffff0000);
    g_assert_cmphex(qtest_readl(qts, 0xffff0000), ==, 0xee070f90);
    g_assert_cmphex(qtest_readl(qts, 0xffff0004), ==, 0xeafffffd);
    qtest_writel(qts, 0xffff0000, 0);
    g_assert_cmphex(qtest_readl(qts, 0xffff0000), ==, 0xee070f90);
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    static const uint8_t devices[] = { SPI, NAND, SATA, UART };
    static const char * const names[] = { "spi", "nand", "sata", "uart" };

    g_test_init(&argc, &argv, NULL);
    for (int i = 0; i < ARRAY_SIZE(devices); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/kwb/boot/%s",
                                                names[i]);

        qtest_add_data_func(path, &devices[i], test_boot);
    }
    qtest_add_func("/kirkwood/kwb/registers", test_registers);
    qtest_add_func("/kirkwood/kwb/longest-list", test_longest_list);
    qtest_add_func("/kirkwood/kwb/reset", test_reset);
    qtest_add_func("/kirkwood/kwb/no-registers", test_no_registers);
    qtest_add_func("/kirkwood/kwb/missing-file", test_missing_file);
    qtest_add_func("/kirkwood/kwb/idle", test_idle);
    for (int i = 0; i < ARRAY_SIZE(bad_cases); i++) {
        g_autofree char *path = g_strdup_printf("/kirkwood/kwb/bad/%s",
                                                bad_cases[i].name);

        qtest_add_data_func(path, &bad_cases[i], test_bad);
    }
    return g_test_run();
}
