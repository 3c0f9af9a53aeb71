/*
 * Marvell Kirkwood SDRAM controller
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Properties:
 * "ram" (link<MemoryRegion>): the memory, split over the chip selects;
 * "cpu-memory" (link<MemoryRegion>): what the CPU sees;
 * "after-firmware" (bool): reset opens a window to every populated chip select
 *   instead of none.
 */

#ifndef HW_ARM_KIRKWOOD_DRAM_H
#define HW_ARM_KIRKWOOD_DRAM_H

#include "hw/sysbus.h"
#include "qemu/units.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_DRAM "kirkwood-dram"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodDramState, KIRKWOOD_DRAM)

#define KIRKWOOD_DRAM_NUM_CS 4
#define KIRKWOOD_DRAM_NUM_REGS 72

/* Each chip select carries nothing, 128 MiB or 256 MiB */
#define KIRKWOOD_DRAM_CS_MAX (256 * MiB)
#define KIRKWOOD_DRAM_CS_MIN (128 * MiB)
#define KIRKWOOD_DRAM_MAX (KIRKWOOD_DRAM_NUM_CS * KIRKWOOD_DRAM_CS_MAX)

struct KirkwoodDramState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    MemoryRegion *ram;
    MemoryRegion *cpu_memory;
    bool after_firmware;

    MemoryRegion window[KIRKWOOD_DRAM_NUM_CS];

    uint32_t regs[KIRKWOOD_DRAM_NUM_REGS];
};

/**
 * kirkwood_dram_check: see whether there is memory behind every open window
 *
 * Returns false with @errp set if a window shows more than its chip select has.
 */
bool kirkwood_dram_check(KirkwoodDramState *s, Error **errp);

#endif
