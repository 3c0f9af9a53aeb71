/*
 * Marvell Kirkwood SPI controller
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Provides the SSI bus "spi"; GPIO output "cs" selects its device when low.
 * Sysbus IRQ 0 tells that a transfer is done.
 */

#ifndef HW_ARM_KIRKWOOD_SPI_H
#define HW_ARM_KIRKWOOD_SPI_H

#include "hw/ssi/ssi.h"
#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_SPI "kirkwood-spi"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodSpiState, KIRKWOOD_SPI)

#define KIRKWOOD_SPI_NUM_REGS 6
#define KIRKWOOD_SPI_CS "cs"

struct KirkwoodSpiState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq irq;
    qemu_irq cs;
    SSIBus *bus;

    uint32_t regs[KIRKWOOD_SPI_NUM_REGS];
};

#endif
