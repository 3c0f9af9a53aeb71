/*
 * Marvell Kirkwood USB 2.0 host
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's EHCI at the offset this SoC has it, with the registers around it.
 * Sysbus IRQ 0 is the EHCI interrupt.
 */

#ifndef HW_ARM_KIRKWOOD_EHCI_H
#define HW_ARM_KIRKWOOD_EHCI_H

#include "hw/usb/hcd-ehci.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_EHCI "kirkwood-ehci"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodEhciState, KIRKWOOD_EHCI)

#define KIRKWOOD_EHCI_NUM_REGS 88

struct KirkwoodEhciState {
    EHCISysBusState parent_obj;

    MemoryRegion portsc;
    MemoryRegion mode_io;
    MemoryRegion bridge;

    uint32_t mode;
    uint32_t regs[KIRKWOOD_EHCI_NUM_REGS];
};

#endif
