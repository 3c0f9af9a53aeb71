/*
 * Marvell Kirkwood boot ROM
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * At reset, does what the ROM does with the boot image it was given.
 * Properties: "cpu" (link<ARMCPU>), the CPU to start; "dram"
 * (link<kirkwood-dram>), the SDRAM controller that images set up.
 */

#ifndef HW_ARM_KIRKWOOD_BOOTROM_H
#define HW_ARM_KIRKWOOD_BOOTROM_H

#include "hw/arm/kirkwood_dram.h"
#include "hw/sysbus.h"
#include "qom/object.h"
#include "target/arm/cpu-qom.h"

#define TYPE_KIRKWOOD_BOOTROM "kirkwood-bootrom"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodBootromState, KIRKWOOD_BOOTROM)

#define KIRKWOOD_BOOTROM_BASE 0xffff0000
#define KIRKWOOD_BOOTROM_SIZE 0x10000

/**
 * KirkwoodBootImage: a checked boot image
 * @contents: the file; owned
 * @regs: address/value pairs to be written before the payload is loaded, CPU
 *        byte order; owned, uint32_t[2 * num_regs]
 * @num_regs: number of pairs
 * @payload: offset of the payload in @contents
 * @size: bytes of payload
 * @dest: where in the CPU's address space the payload goes
 * @entry: where the CPU starts
 */
typedef struct KirkwoodBootImage {
    GBytes *contents;
    uint32_t *regs;
    unsigned num_regs;
    uint32_t payload;
    uint32_t size;
    uint32_t dest;
    uint32_t entry;
} KirkwoodBootImage;

struct KirkwoodBootromState {
    SysBusDevice parent_obj;

    MemoryRegion rom;
    ARMCPU *cpu;
    KirkwoodDramState *dram;
    KirkwoodBootImage *image;
};

/**
 * kirkwood_boot_image_load: read and check a boot image ("kwb", header
 * version 0)
 *
 * Format: 88F6180/88F6190/88F6192/88F6281 Functional Specification, boot ROM
 * firmware; U-Boot's doc/README.kwbimage and tools/kwbimage.h.
 *
 * Returns the image, to be freed with kirkwood_boot_image_free(), or NULL with
 * @errp set.
 */
KirkwoodBootImage *kirkwood_boot_image_load(const char *filename, Error **errp);

/** kirkwood_boot_image_free: free @image, which may be NULL */
void kirkwood_boot_image_free(KirkwoodBootImage *image);

/**
 * kirkwood_bootrom_set_image: boot @filename from the next reset on
 *
 * Returns false with @errp set if it is no valid boot image.
 */
bool kirkwood_bootrom_set_image(KirkwoodBootromState *s, const char *filename,
                                Error **errp);

/** kirkwood_bootrom_idle: let the CPU wait in the boot ROM */
void kirkwood_bootrom_idle(void *opaque);

#endif
