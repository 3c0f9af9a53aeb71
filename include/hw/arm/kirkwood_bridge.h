/*
 * Marvell Kirkwood bridge: CPU configuration, reset, bridge interrupts, clocks
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unnamed GPIO inputs are the bits of the cause register; a rising level
 * latches the bit.  Sysbus IRQ 0 is the bridge interrupt.
 */

#ifndef HW_ARM_KIRKWOOD_BRIDGE_H
#define HW_ARM_KIRKWOOD_BRIDGE_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_BRIDGE "kirkwood-bridge"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodBridgeState, KIRKWOOD_BRIDGE)

#define KIRKWOOD_BRIDGE_NUM_REGS 12

/* Bits of the bridge cause register, and numbers of its inputs */
enum {
    KIRKWOOD_BRIDGE_IRQ_SELF,
    KIRKWOOD_BRIDGE_IRQ_TIMER0,
    KIRKWOOD_BRIDGE_IRQ_TIMER1,
    KIRKWOOD_BRIDGE_IRQ_WATCHDOG,
    KIRKWOOD_BRIDGE_NUM_IRQS = 6,
};

struct KirkwoodBridgeState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq irq;

    uint32_t regs[KIRKWOOD_BRIDGE_NUM_REGS];
};

#endif
