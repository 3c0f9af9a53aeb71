/*
 * Marvell Kirkwood sample-at-reset register
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Property "value" (uint32): what the strap pins held at reset; selects the
 * CPU, L2, DDR and TCLK frequencies.
 */

#ifndef HW_ARM_KIRKWOOD_SAR_H
#define HW_ARM_KIRKWOOD_SAR_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_SAR "kirkwood-sar"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodSarState, KIRKWOOD_SAR)

struct KirkwoodSarState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    uint32_t value;
};

/** kirkwood_sar_tclk: frequency of TCLK in Hz that the straps select */
uint32_t kirkwood_sar_tclk(uint32_t value);

#endif
