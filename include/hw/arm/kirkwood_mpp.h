/*
 * Marvell Kirkwood multi-purpose pins
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unnamed GPIO outputs, one per pin: high while the pin's function is GPIO.
 */

#ifndef HW_ARM_KIRKWOOD_MPP_H
#define HW_ARM_KIRKWOOD_MPP_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_MPP "kirkwood-mpp"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodMppState, KIRKWOOD_MPP)

#define KIRKWOOD_NUM_PINS 50
#define KIRKWOOD_MPP_NUM_REGS 8

struct KirkwoodMppState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq is_gpio[KIRKWOOD_NUM_PINS];

    uint32_t regs[KIRKWOOD_MPP_NUM_REGS];
};

#endif
