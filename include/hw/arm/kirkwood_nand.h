/*
 * NAND flash on the Marvell Kirkwood device bus
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Properties:
 * "size" (uint32, MiB): 256 or 512, or 0 for no chip: reads give ones
 * "drive" (block backend): contents, each page of 2048 bytes followed by its 64
 *   spare bytes; without a drive the flash starts erased and forgets
 */

#ifndef HW_ARM_KIRKWOOD_NAND_H
#define HW_ARM_KIRKWOOD_NAND_H

#include "hw/sysbus.h"
#include "qom/object.h"
#include "system/block-backend.h"

#define TYPE_KIRKWOOD_NAND "kirkwood-nand"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodNandState, KIRKWOOD_NAND)

/* Bytes of a page, data and spare; pages of an erase block */
#define KIRKWOOD_NAND_PAGE_DATA 2048
#define KIRKWOOD_NAND_PAGE_SIZE (KIRKWOOD_NAND_PAGE_DATA + 64)
#define KIRKWOOD_NAND_BLOCK_PAGES 64

typedef struct KirkwoodNandChip KirkwoodNandChip;

struct KirkwoodNandState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    MemoryRegion array;     /* contents, inverted: zero is erased */
    BlockBackend *blk;
    uint32_t size_mib;
    const KirkwoodNandChip *chip;   /* NULL if there is none */

    uint8_t page[KIRKWOOD_NAND_PAGE_SIZE];
    uint8_t output;         /* what reads return, see KirkwoodNandOutput */
    uint8_t command;        /* last command */
    uint8_t status;
    uint8_t address[5];
    uint8_t num_address;    /* address bytes since the last command */
    uint32_t column;        /* next byte of @page or of the ID */
    uint32_t row;           /* page number */
};

#endif
