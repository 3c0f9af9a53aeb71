/*
 * Marvell Kirkwood PCI Express unit without anything in its slot
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The unit's configuration header identifies the SoC.  Properties "device-id"
 * (uint16) and "revision" (uint8).
 */

#ifndef HW_ARM_KIRKWOOD_PCIE_H
#define HW_ARM_KIRKWOOD_PCIE_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_PCIE "kirkwood-pcie"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodPcieState, KIRKWOOD_PCIE)

struct KirkwoodPcieState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    uint16_t device_id;
    uint8_t revision;
};

#endif
