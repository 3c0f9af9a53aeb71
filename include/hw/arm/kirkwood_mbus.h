/*
 * Marvell Kirkwood mbus bridge: CPU address windows to the other units
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Properties:
 * "internal" (link<MemoryRegion>): the internal registers, moved by the
 *   internal register base register;
 * "cpu-memory" (link<MemoryRegion>): what the CPU sees, where windows appear;
 * "after-firmware" (bool): reset leaves the internal registers where boot
 *   loaders move them instead of at the hardware's address.
 */

#ifndef HW_ARM_KIRKWOOD_MBUS_H
#define HW_ARM_KIRKWOOD_MBUS_H

#include "hw/sysbus.h"
#include "qemu/units.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_MBUS "kirkwood-mbus"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodMbusState, KIRKWOOD_MBUS)

#define KIRKWOOD_MBUS_NUM_WINDOWS 8
#define KIRKWOOD_MBUS_NUM_REGS 33
#define KIRKWOOD_MBUS_MAX_TARGETS 8
#define KIRKWOOD_MBUS_SLOT (128 * MiB)

/* Where the internal registers are after reset, and where loaders put them */
#define KIRKWOOD_INTERNAL_BASE_RESET 0xd0000000
#define KIRKWOOD_INTERNAL_BASE_LINUX 0xf1000000
#define KIRKWOOD_INTERNAL_SIZE 0x100000

typedef struct KirkwoodMbusTarget {
    uint8_t target;
    uint8_t attr;
    MemoryRegion *mr;
} KirkwoodMbusTarget;

struct KirkwoodMbusState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    MemoryRegion *internal;
    MemoryRegion *cpu_memory;
    bool after_firmware;

    KirkwoodMbusTarget targets[KIRKWOOD_MBUS_MAX_TARGETS];
    unsigned num_targets;
    MemoryRegion all_targets;   /* all targets, KIRKWOOD_MBUS_SLOT apart */
    MemoryRegion window[KIRKWOOD_MBUS_NUM_WINDOWS];

    uint32_t regs[KIRKWOOD_MBUS_NUM_REGS];
};

/**
 * kirkwood_mbus_add_target: let windows with @target and @attr reach @mr
 *
 * To be called before the device is realized, at most
 * KIRKWOOD_MBUS_MAX_TARGETS times, with an @mr of at most KIRKWOOD_MBUS_SLOT
 * bytes that lives as long as the device.
 */
void kirkwood_mbus_add_target(KirkwoodMbusState *s, uint8_t target,
                              uint8_t attr, MemoryRegion *mr);

#endif
