/*
 * Boot images of the Marvell Kirkwood boot ROM ("kwb", header version 0)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A main header of 32 bytes, usually an extended header with a list of register
 * writes, and a payload that ends with the sum of its words.  All numbers are
 * little endian.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_bootrom.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/units.h"

/* Main header */
#define HDR_BLOCK_ID 0x00
#define HDR_BLOCK_SIZE 0x04
#define HDR_VERSION 0x08
#define HDR_SOURCE 0x0c
#define HDR_DEST 0x10
#define HDR_ENTRY 0x14
#define HDR_EXT 0x1e
#define HDR_CHECKSUM 0x1f
#define HDR_SIZE 0x20

/* Extended header, offsets from the start of the image */
#define EXT_REGS_OFFSET 0x20
#define EXT_REGS_END 0x1f8
#define EXT_CHECKSUM 0x1ff
#define EXT_END 0x200

#define BLOCK_ID_SATA 0x78
#define SATA_SECTOR 512

/* Anything larger is no boot image */
#define IMAGE_MAX (64 * MiB)

static const uint8_t known_block_ids[] = {
    0x5a, /* SPI flash */
    0x8b, /* NAND flash */
    BLOCK_ID_SATA,
    0x69, /* UART */
};

static uint8_t sum8(const uint8_t *p, size_t size)
{
    uint8_t sum = 0;

    while (size--) {
        sum += *p++;
    }
    return sum;
}

static uint32_t sum32(const uint8_t *p, size_t size)
{
    uint32_t sum = 0;

    for (; size; size -= 4, p += 4) {
        sum += ldl_le_p(p);
    }
    return sum;
}

static bool check_sum8(const uint8_t *image, const char *what, size_t start,
                       size_t where, Error **errp)
{
    uint8_t sum = sum8(image + start, where - start);

    if (sum != image[where]) {
        error_setg(errp, "%s checksum is 0x%02x, its bytes add up to 0x%02x",
                   what, image[where], sum);
        return false;
    }
    return true;
}

static bool parse_main_header(KirkwoodBootImage *image, const uint8_t *p,
                              size_t size, Error **errp)
{
    uint8_t block_id;

    if (size < HDR_SIZE) {
        error_setg(errp, "%zu bytes are too short for a boot image header",
                   size);
        return false;
    }
    block_id = p[HDR_BLOCK_ID];
    if (!memchr(known_block_ids, block_id, sizeof(known_block_ids))) {
        error_setg(errp, "not a boot image: first byte 0x%02x is not SPI "
                   "(0x5a), NAND (0x8b), SATA (0x78) or UART (0x69)", block_id);
        return false;
    }
    if (p[HDR_VERSION] != 0) {
        error_setg(errp, "boot image header version is %u, Kirkwood has 0",
                   p[HDR_VERSION]);
        return false;
    }
    if (!check_sum8(p, "boot image header", 0, HDR_CHECKSUM, errp)) {
        return false;
    }
    image->dest = ldl_le_p(p + HDR_DEST);
    image->entry = ldl_le_p(p + HDR_ENTRY);
    return true;
}

static bool parse_registers(KirkwoodBootImage *image, const uint8_t *p,
                            size_t size, Error **errp)
{
    uint32_t offset;

    if (size < EXT_END) {
        error_setg(errp, "%zu bytes are too short for the extended header",
                   size);
        return false;
    }
    if (!check_sum8(p, "extended header", HDR_SIZE, EXT_CHECKSUM, errp)) {
        return false;
    }
    offset = ldl_le_p(p + EXT_REGS_OFFSET);
    if (offset < EXT_REGS_OFFSET + 4 || offset > EXT_REGS_END || offset % 4) {
        error_setg(errp, "register list at offset 0x%x is outside of the "
                   "extended header", offset);
        return false;
    }
    image->regs = g_new(uint32_t, (EXT_REGS_END - offset) / 4);
    for (; offset + 8 <= EXT_REGS_END; offset += 8) {
        uint32_t addr = ldl_le_p(p + offset);
        uint32_t value = ldl_le_p(p + offset + 4);

        if (addr == 0 && value == 0) {
            break;
        }
        image->regs[2 * image->num_regs] = addr;
        image->regs[2 * image->num_regs + 1] = value;
        image->num_regs++;
    }
    return true;
}

static bool parse_payload(KirkwoodBootImage *image, const uint8_t *p,
                          size_t size, Error **errp)
{
    uint64_t source = (uint32_t)ldl_le_p(p + HDR_SOURCE);
    uint64_t block_size = (uint32_t)ldl_le_p(p + HDR_BLOCK_SIZE);
    uint32_t sum, stored;

    /* A SATA image starts at sector 1 of its disk, and counts in sectors */
    if (p[HDR_BLOCK_ID] == BLOCK_ID_SATA) {
        source = source ? (source - 1) * SATA_SECTOR : size;
    }
    if (block_size <= 4 || block_size % 4) {
        error_setg(errp, "payload size 0x%" PRIx64 " is not a multiple of 4 "
                   "above 4", block_size);
        return false;
    }
    if (source + block_size > size) {
        error_setg(errp, "truncated: payload ends at 0x%" PRIx64
                   ", the file at 0x%zx", source + block_size, size);
        return false;
    }
    image->payload = source;
    image->size = block_size - 4;
    sum = sum32(p + source, image->size);
    stored = ldl_le_p(p + source + image->size);
    if (sum != stored) {
        error_setg(errp, "payload checksum is 0x%08x, its words add up to "
                   "0x%08x", stored, sum);
        return false;
    }
    return true;
}

static bool parse_image(KirkwoodBootImage *image, Error **errp)
{
    size_t size;
    const uint8_t *p = g_bytes_get_data(image->contents, &size);

    return parse_main_header(image, p, size, errp) &&
           (!(p[HDR_EXT] & 1) || parse_registers(image, p, size, errp)) &&
           parse_payload(image, p, size, errp);
}

static GBytes *read_file(const char *filename, Error **errp)
{
    g_autoptr(GError) gerr = NULL;
    g_autofree char *contents = NULL;
    gsize size;

    if (!g_file_get_contents(filename, &contents, &size, &gerr)) {
        error_setg(errp, "%s", gerr->message);
        return NULL;
    }
    if (size > IMAGE_MAX) {
        error_setg(errp, "%zu bytes are too much for a boot image", size);
        return NULL;
    }
    return g_bytes_new_take(g_steal_pointer(&contents), size);
}

KirkwoodBootImage *kirkwood_boot_image_load(const char *filename, Error **errp)
{
    ERRP_GUARD();
    KirkwoodBootImage *image = g_new0(KirkwoodBootImage, 1);

    image->contents = read_file(filename, errp);
    if (!image->contents || !parse_image(image, errp)) {
        error_prepend(errp, "%s: ", filename);
        kirkwood_boot_image_free(image);
        return NULL;
    }
    return image;
}

void kirkwood_boot_image_free(KirkwoodBootImage *image)
{
    if (image) {
        g_clear_pointer(&image->contents, g_bytes_unref);
        g_free(image->regs);
        g_free(image);
    }
}
