/*
 * Marvell Kirkwood SDRAM address windows
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
#define KIRKWOOD_DRAM_NUM_REGS (2 * KIRKWOOD_DRAM_NUM_CS)

/* Each chip select carries nothing, 128 MiB or 256 MiB */
#define KIRKWOOD_DRAM_CS_MAX (256 * MiB)
#define KIRKWOOD_DRAM_CS_MIN (128 * MiB)
#define KIRKWOOD_DRAM_MAX (KIRKWOOD_DRAM_NUM_CS * KIRKWOOD_DRAM_CS_MAX)
#define KIRKWOOD_DRAM_COPIES (KIRKWOOD_DRAM_CS_MAX / KIRKWOOD_DRAM_CS_MIN)

struct KirkwoodDramState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    MemoryRegion *ram;
    MemoryRegion *cpu_memory;
    bool after_firmware;

    MemoryRegion chip_selects;  /* all chip selects side by side */
    MemoryRegion window[KIRKWOOD_DRAM_NUM_CS];
    MemoryRegion copy[KIRKWOOD_DRAM_NUM_CS][KIRKWOOD_DRAM_COPIES];

    uint32_t regs[KIRKWOOD_DRAM_NUM_REGS];
};

#endif
