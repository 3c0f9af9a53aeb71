/*
 * Marvell Kirkwood real time clock
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Follows -rtc.  Sysbus IRQ 0 is the alarm.
 */

#ifndef HW_ARM_KIRKWOOD_RTC_H
#define HW_ARM_KIRKWOOD_RTC_H

#include "hw/sysbus.h"
#include "qemu/timer.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_RTC "kirkwood-rtc"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodRtcState, KIRKWOOD_RTC)

#define KIRKWOOD_RTC_NUM_REGS 6

struct KirkwoodRtcState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq irq;
    QEMUTimer *second;

    int64_t offset;         /* seconds ahead of the -rtc clock */
    uint8_t wday_offset;    /* days that its weekday is ahead */
    uint32_t regs[KIRKWOOD_RTC_NUM_REGS];
};

#endif
