/*
 * Marvell Kirkwood main interrupt controller
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * 64 named-by-number level inputs (unnamed GPIO inputs 0-63).
 * Sysbus IRQ 0 drives the CPU's IRQ, 1 its FIQ, 2 the PCIe endpoint interrupt.
 */

#ifndef HW_ARM_KIRKWOOD_INTC_H
#define HW_ARM_KIRKWOOD_INTC_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_INTC "kirkwood-intc"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodIntcState, KIRKWOOD_INTC)

#define KIRKWOOD_INTC_NUM_IRQS 64
#define KIRKWOOD_INTC_NUM_OUTPUTS 3
#define KIRKWOOD_INTC_NUM_REGS 8

struct KirkwoodIntcState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq output[KIRKWOOD_INTC_NUM_OUTPUTS];

    uint64_t level;
    uint32_t regs[KIRKWOOD_INTC_NUM_REGS];
};

#endif
