/*
 * Marvell Kirkwood SDIO host without a card
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_ARM_KIRKWOOD_SDIO_H
#define HW_ARM_KIRKWOOD_SDIO_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_SDIO "kirkwood-sdio"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodSdioState, KIRKWOOD_SDIO)

#define KIRKWOOD_SDIO_NUM_REGS 128

struct KirkwoodSdioState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq irq;

    uint32_t regs[KIRKWOOD_SDIO_NUM_REGS];
};

#endif
