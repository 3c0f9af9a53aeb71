/*
 * Marvell Kirkwood timers and watchdog
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Property "tclk" (uint32, Hz): rate at which the counters count down.
 * Sysbus IRQs 0, 1 and 2 pulse when timer 0, timer 1 and the watchdog expire.
 */

#ifndef HW_ARM_KIRKWOOD_TIMER_H
#define HW_ARM_KIRKWOOD_TIMER_H

#include "hw/sysbus.h"
#include "qemu/timer.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_TIMER "kirkwood-timer"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodTimerState, KIRKWOOD_TIMER)

#define KIRKWOOD_TIMER_NUM_REGS 10

enum {
    KIRKWOOD_TIMER_0,
    KIRKWOOD_TIMER_1,
    KIRKWOOD_TIMER_WATCHDOG,
    KIRKWOOD_NUM_TIMERS,
};

typedef struct KirkwoodTimerCounter {
    KirkwoodTimerState *parent;
    QEMUTimer expiry;
    qemu_irq expired;

    int64_t start_ns;   /* virtual time at which the counter held @start */
    uint32_t start;     /* ticks left at start_ns */
    bool counting;
} KirkwoodTimerCounter;

struct KirkwoodTimerState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    uint32_t tclk;

    uint32_t regs[KIRKWOOD_TIMER_NUM_REGS];
    KirkwoodTimerCounter counter[KIRKWOOD_NUM_TIMERS];
};

#endif
