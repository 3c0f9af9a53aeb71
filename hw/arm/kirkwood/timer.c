/*
 * Marvell Kirkwood timers and watchdog
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three counters that count down at TCLK.  A counter that holds N expires
 * after N + 1 ticks; then it loads its reload register and goes on, or, without
 * auto-reload, stays at zero until its value is written or it is enabled anew.
 *
 * Behaviour: Linux drivers/clocksource/timer-orion.c and
 * drivers/watchdog/orion_wdt.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/arm/kirkwood_timer.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/host-utils.h"
#include "trace.h"

/*
 * Shortest time between two expiries of a counter that reloads itself.  A
 * shorter period expires only this often, or the host could do nothing else.
 */
#define TIMER_MIN_PERIOD_NS (10 * SCALE_US)

static const KirkwoodReg kirkwood_timer_regs[KIRKWOOD_TIMER_NUM_REGS] = {
    [R_TIMER_CONTROL] = { "CONTROL", .rw = 0x3f },
    [R_TIMER0_RELOAD] = { "TIMER0_RELOAD", .rw = UINT32_MAX },
    [R_TIMER0_VALUE] = { "TIMER0_VALUE", .rw = UINT32_MAX },
    [R_TIMER1_RELOAD] = { "TIMER1_RELOAD", .rw = UINT32_MAX },
    [R_TIMER1_VALUE] = { "TIMER1_VALUE", .rw = UINT32_MAX },
    [R_WATCHDOG_RELOAD] = { "WATCHDOG_RELOAD", .rw = UINT32_MAX },
    [R_WATCHDOG_VALUE] = { "WATCHDOG_VALUE", .rw = UINT32_MAX },
};

static const KirkwoodRegBlock timer_block = {
    .name = TYPE_KIRKWOOD_TIMER,
    .reg = kirkwood_timer_regs,
    .count = ARRAY_SIZE(kirkwood_timer_regs),
};

/* Reload and value registers of counter n */
static unsigned r_reload(unsigned n)
{
    return R_TIMER0_RELOAD + 2 * n;
}

static unsigned r_value(unsigned n)
{
    return R_TIMER0_VALUE + 2 * n;
}

static bool counter_auto(KirkwoodTimerState *s, unsigned n)
{
    return s->regs[R_TIMER_CONTROL] & TIMER_CONTROL_AUTO(n);
}

/* Ticks since the counter held its start value */
static uint64_t counter_elapsed(KirkwoodTimerState *s, unsigned n, int64_t now)
{
    int64_t ns = MAX(now - s->counter[n].start_ns, 0);

    return muldiv64(ns, s->tclk, NANOSECONDS_PER_SECOND);
}

/* What the counter holds now */
static uint32_t counter_value(KirkwoodTimerState *s, unsigned n, int64_t now)
{
    KirkwoodTimerCounter *c = &s->counter[n];
    uint64_t elapsed, period;

    if (!c->counting) {
        return s->regs[r_value(n)];
    }
    elapsed = counter_elapsed(s, n, now);
    if (elapsed <= c->start) {
        return c->start - elapsed;
    }
    if (!counter_auto(s, n)) {
        return 0;
    }
    period = (uint64_t)s->regs[r_reload(n)] + 1;
    return period - 1 - (elapsed - c->start - 1) % period;
}

/* Let the timer run at the next expiry after now */
static void counter_arm(KirkwoodTimerState *s, unsigned n, int64_t now)
{
    KirkwoodTimerCounter *c = &s->counter[n];
    uint64_t ticks = (uint64_t)c->start + 1;
    uint64_t elapsed = counter_elapsed(s, n, now);
    uint64_t period = (uint64_t)s->regs[r_reload(n)] + 1;
    bool reloaded = false;
    int64_t expiry;

    if (elapsed >= ticks) {
        ticks += ((elapsed - ticks) / period + 1) * period;
        reloaded = true;
    }
    expiry = c->start_ns + muldiv64_round_up(ticks, NANOSECONDS_PER_SECOND,
                                             s->tclk);
    if (reloaded) {
        expiry = MAX(expiry, now + TIMER_MIN_PERIOD_NS);
    }
    timer_mod_ns(&c->expiry, expiry);
}

static void counter_start(KirkwoodTimerState *s, unsigned n, int64_t now)
{
    KirkwoodTimerCounter *c = &s->counter[n];

    c->counting = true;
    c->start = s->regs[r_value(n)];
    c->start_ns = now;
    counter_arm(s, n, now);
}

static void counter_stop(KirkwoodTimerState *s, unsigned n)
{
    s->counter[n].counting = false;
    timer_del(&s->counter[n].expiry);
}

static void counter_expired(void *opaque)
{
    KirkwoodTimerCounter *c = opaque;
    KirkwoodTimerState *s = c->parent;
    unsigned n = c - s->counter;

    trace_kirkwood_timer_expired(n);
    if (counter_auto(s, n)) {
        counter_arm(s, n, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    } else {
        counter_stop(s, n);
        s->regs[r_value(n)] = 0;
    }
    qemu_irq_pulse(c->expired);
}

static uint64_t kirkwood_timer_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodTimerState *s = opaque;

    for (unsigned n = 0; n < KIRKWOOD_NUM_TIMERS; n++) {
        if (offset / 4 == r_value(n)) {
            int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

            s->regs[r_value(n)] = counter_value(s, n, now);
        }
    }
    return kirkwood_reg_read(&timer_block, s->regs, offset, size);
}

/* Let a counter go on after a write to register reg; old: control before */
static void counter_follow_write(KirkwoodTimerState *s, unsigned n,
                                 unsigned reg, uint32_t old, int64_t now)
{
    uint32_t enable = TIMER_CONTROL_ENABLE(n);
    uint32_t control = s->regs[R_TIMER_CONTROL];
    bool started = reg == r_value(n) || (control & ~old & enable);
    bool changed = reg == r_reload(n) ||
                   ((control ^ old) & TIMER_CONTROL_AUTO(n));

    if (!(control & enable)) {
        counter_stop(s, n);
    } else if (started || (changed && s->counter[n].counting)) {
        counter_start(s, n, now);
    }
}

static void kirkwood_timer_write(void *opaque, hwaddr offset, uint64_t value,
                                 unsigned size)
{
    KirkwoodTimerState *s = opaque;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    uint32_t old = s->regs[R_TIMER_CONTROL];

    /* A write can change how the counters go on: freeze what they hold now */
    for (unsigned n = 0; n < KIRKWOOD_NUM_TIMERS; n++) {
        s->regs[r_value(n)] = counter_value(s, n, now);
    }
    kirkwood_reg_write(&timer_block, s->regs, offset, value, size);
    for (unsigned n = 0; n < KIRKWOOD_NUM_TIMERS; n++) {
        counter_follow_write(s, n, offset / 4, old, now);
    }
}

static const MemoryRegionOps kirkwood_timer_ops = {
    .read = kirkwood_timer_read,
    .write = kirkwood_timer_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void kirkwood_timer_reset_enter(Object *obj, ResetType type)
{
    KirkwoodTimerState *s = KIRKWOOD_TIMER(obj);

    kirkwood_reg_reset(&timer_block, s->regs);
    for (unsigned n = 0; n < KIRKWOOD_NUM_TIMERS; n++) {
        counter_stop(s, n);
    }
}

static void kirkwood_timer_realize(DeviceState *dev, Error **errp)
{
    KirkwoodTimerState *s = KIRKWOOD_TIMER(dev);

    if (s->tclk == 0) {
        error_setg(errp, "property 'tclk' must not be 0");
    }
}

static void kirkwood_timer_init(Object *obj)
{
    KirkwoodTimerState *s = KIRKWOOD_TIMER(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &kirkwood_timer_ops, s,
                          TYPE_KIRKWOOD_TIMER, sizeof(s->regs));
    sysbus_init_mmio(sbd, &s->iomem);
    for (unsigned n = 0; n < KIRKWOOD_NUM_TIMERS; n++) {
        KirkwoodTimerCounter *c = &s->counter[n];

        c->parent = s;
        timer_init_ns(&c->expiry, QEMU_CLOCK_VIRTUAL, counter_expired, c);
        sysbus_init_irq(sbd, &c->expired);
    }
}

static void kirkwood_timer_finalize(Object *obj)
{
    KirkwoodTimerState *s = KIRKWOOD_TIMER(obj);

    for (unsigned n = 0; n < KIRKWOOD_NUM_TIMERS; n++) {
        timer_deinit(&s->counter[n].expiry);
    }
}

static const VMStateDescription counter_vmstate = {
    .name = TYPE_KIRKWOOD_TIMER "/counter",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_TIMER(expiry, KirkwoodTimerCounter),
        VMSTATE_INT64(start_ns, KirkwoodTimerCounter),
        VMSTATE_UINT32(start, KirkwoodTimerCounter),
        VMSTATE_BOOL(counting, KirkwoodTimerCounter),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription kirkwood_timer_vmstate = {
    .name = TYPE_KIRKWOOD_TIMER,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, KirkwoodTimerState, KIRKWOOD_TIMER_NUM_REGS),
        VMSTATE_STRUCT_ARRAY(counter, KirkwoodTimerState, KIRKWOOD_NUM_TIMERS,
                             1, counter_vmstate, KirkwoodTimerCounter),
        VMSTATE_END_OF_LIST()
    },
};

static const Property kirkwood_timer_properties[] = {
    DEFINE_PROP_UINT32("tclk", KirkwoodTimerState, tclk, 200000000),
};

static void kirkwood_timer_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood timers and watchdog";
    dc->realize = kirkwood_timer_realize;
    dc->vmsd = &kirkwood_timer_vmstate;
    device_class_set_props(dc, kirkwood_timer_properties);
    rc->phases.enter = kirkwood_timer_reset_enter;
}

static const TypeInfo kirkwood_timer_types[] = {
    {
        .name = TYPE_KIRKWOOD_TIMER,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodTimerState),
        .instance_init = kirkwood_timer_init,
        .instance_finalize = kirkwood_timer_finalize,
        .class_init = kirkwood_timer_class_init,
    },
};

DEFINE_TYPES(kirkwood_timer_types)
