/*
 * Marvell Kirkwood real time clock
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Years 2000 to 2099 in 24-hour mode.  The clock is kept as an offset to the
 * clock that -rtc describes; the alarm is looked for once a second of it.
 *
 * Behaviour: Linux drivers/rtc/rtc-mv.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/arm/kirkwood_rtc.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "qemu/bcd.h"
#include "qemu/cutils.h"
#include "system/rtc.h"
#include "system/system.h"
#include "trace.h"

/* An alarm field counts when its top bit is set */
#define ALARM_FIELD_VALID 0x80

static const KirkwoodReg rtc_regs[KIRKWOOD_RTC_NUM_REGS] = {
    [R_RTC_TIME] = { "TIME", .rw = 0x073f7f7f },
    [R_RTC_DATE] = { "DATE", .rw = 0x00ff1f3f },
    [R_RTC_ALARM_TIME] = { "ALARM_TIME", .rw = 0x00ffffff },
    [R_RTC_ALARM_DATE] = { "ALARM_DATE", .rw = 0x00ffffff },
    [R_RTC_MASK] = { "MASK", .rw = 1 },
    [R_RTC_CAUSE] = { "CAUSE", .w0c = 1 },
};

static const KirkwoodRegBlock rtc_block = {
    .name = TYPE_KIRKWOOD_RTC,
    .reg = rtc_regs,
    .count = ARRAY_SIZE(rtc_regs),
};

static void rtc_update_irq(KirkwoodRtcState *s)
{
    qemu_set_irq(s->irq, s->regs[R_RTC_CAUSE] & s->regs[R_RTC_MASK]);
}

/* Bring the time and date registers up to date */
static void rtc_capture(KirkwoodRtcState *s)
{
    uint32_t time = 0, date = 0;
    struct tm tm;

    qemu_get_timedate(&tm, s->offset);
    time = FIELD_DP32(time, RTC_TIME, SECOND, to_bcd(tm.tm_sec));
    time = FIELD_DP32(time, RTC_TIME, MINUTE, to_bcd(tm.tm_min));
    time = FIELD_DP32(time, RTC_TIME, HOUR, to_bcd(tm.tm_hour));
    time = FIELD_DP32(time, RTC_TIME, WEEKDAY,
                      (tm.tm_wday + s->wday_offset) % 7);
    date = FIELD_DP32(date, RTC_DATE, DAY, to_bcd(tm.tm_mday));
    date = FIELD_DP32(date, RTC_DATE, MONTH, to_bcd(tm.tm_mon + 1));
    date = FIELD_DP32(date, RTC_DATE, YEAR, to_bcd(tm.tm_year % 100));
    s->regs[R_RTC_TIME] = time;
    s->regs[R_RTC_DATE] = date;
}

/*
 * Set the clock to what the time and date registers hold.  The offset is
 * against the clock of -rtc, which qemu_timedate_diff() does not look at.
 */
static void rtc_adjust(KirkwoodRtcState *s)
{
    uint32_t time = s->regs[R_RTC_TIME], date = s->regs[R_RTC_DATE];
    unsigned wday = FIELD_EX32(time, RTC_TIME, WEEKDAY);
    struct tm tm = {
        .tm_sec = from_bcd(FIELD_EX32(time, RTC_TIME, SECOND)),
        .tm_min = from_bcd(FIELD_EX32(time, RTC_TIME, MINUTE)),
        .tm_hour = from_bcd(FIELD_EX32(time, RTC_TIME, HOUR)),
        .tm_mday = from_bcd(FIELD_EX32(date, RTC_DATE, DAY)),
        .tm_mon = from_bcd(FIELD_EX32(date, RTC_DATE, MONTH)) - 1,
        .tm_year = from_bcd(FIELD_EX32(date, RTC_DATE, YEAR)) + 100,
    }, now;

    qemu_get_timedate(&now, 0);
    s->offset = mktimegm(&tm) - mktimegm(&now);
    qemu_get_timedate(&tm, s->offset);
    s->wday_offset = (wday + 7 - tm.tm_wday) % 7;
    trace_kirkwood_rtc_set(s->offset);
}

static bool alarm_field_matches(uint32_t alarm, uint32_t now, unsigned shift)
{
    uint8_t field = alarm >> shift;

    return !(field & ALARM_FIELD_VALID) ||
           (field & ~ALARM_FIELD_VALID) == ((now >> shift) & 0x7f);
}

static bool rtc_alarm_matches(KirkwoodRtcState *s)
{
    uint32_t time = s->regs[R_RTC_ALARM_TIME], date = s->regs[R_RTC_ALARM_DATE];
    uint32_t valid = (time | date) & (ALARM_FIELD_VALID * 0x010101);

    for (unsigned shift = 0; shift < 24; shift += 8) {
        if (!alarm_field_matches(time, s->regs[R_RTC_TIME], shift) ||
            !alarm_field_matches(date, s->regs[R_RTC_DATE], shift)) {
            return false;
        }
    }
    return valid;
}

/* Look at the clock again when its next second begins */
static void rtc_arm(KirkwoodRtcState *s)
{
    int64_t now = qemu_clock_get_ms(rtc_clock);

    if (s->regs[R_RTC_MASK]) {
        timer_mod(s->second, now - now % 1000 + 1000);
    } else {
        timer_del(s->second);
    }
}

static void rtc_second(void *opaque)
{
    KirkwoodRtcState *s = opaque;

    rtc_capture(s);
    if (rtc_alarm_matches(s)) {
        trace_kirkwood_rtc_alarm();
        s->regs[R_RTC_CAUSE] = 1;
        rtc_update_irq(s);
    }
    rtc_arm(s);
}

static uint64_t rtc_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodRtcState *s = opaque;

    rtc_capture(s);
    return kirkwood_reg_read(&rtc_block, s->regs, offset, size);
}

static void rtc_write(void *opaque, hwaddr offset, uint64_t value,
                      unsigned size)
{
    KirkwoodRtcState *s = opaque;

    rtc_capture(s);
    kirkwood_reg_write(&rtc_block, s->regs, offset, value, size);
    if (offset / 4 == R_RTC_TIME || offset / 4 == R_RTC_DATE) {
        rtc_adjust(s);
    }
    rtc_arm(s);
    rtc_update_irq(s);
}

static const MemoryRegionOps rtc_ops = {
    .read = rtc_read,
    .write = rtc_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void rtc_reset_enter(Object *obj, ResetType type)
{
    KirkwoodRtcState *s = KIRKWOOD_RTC(obj);

    /* The clock has its own battery and goes on */
    kirkwood_reg_reset(&rtc_block, s->regs);
    timer_del(s->second);
}

static void rtc_reset_hold(Object *obj, ResetType type)
{
    rtc_update_irq(KIRKWOOD_RTC(obj));
}

static void rtc_realize(DeviceState *dev, Error **errp)
{
    KirkwoodRtcState *s = KIRKWOOD_RTC(dev);

    s->second = timer_new_ms(rtc_clock, rtc_second, s);
}

static void rtc_unrealize(DeviceState *dev)
{
    timer_free(KIRKWOOD_RTC(dev)->second);
}

static void rtc_init(Object *obj)
{
    KirkwoodRtcState *s = KIRKWOOD_RTC(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &rtc_ops, s, TYPE_KIRKWOOD_RTC,
                          sizeof(s->regs));
    sysbus_init_mmio(sbd, &s->iomem);
    sysbus_init_irq(sbd, &s->irq);
}

static int rtc_post_load(void *opaque, int version_id)
{
    KirkwoodRtcState *s = opaque;

    s->wday_offset %= 7;
    rtc_arm(s);
    return 0;
}

static const VMStateDescription rtc_vmstate = {
    .name = TYPE_KIRKWOOD_RTC,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = rtc_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_INT64(offset, KirkwoodRtcState),
        VMSTATE_UINT8(wday_offset, KirkwoodRtcState),
        VMSTATE_UINT32_ARRAY(regs, KirkwoodRtcState, KIRKWOOD_RTC_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static void rtc_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood real time clock";
    dc->realize = rtc_realize;
    dc->unrealize = rtc_unrealize;
    dc->vmsd = &rtc_vmstate;
    rc->phases.enter = rtc_reset_enter;
    rc->phases.hold = rtc_reset_hold;
}

static const TypeInfo rtc_types[] = {
    {
        .name = TYPE_KIRKWOOD_RTC,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodRtcState),
        .instance_init = rtc_init,
        .class_init = rtc_class_init,
    },
};

DEFINE_TYPES(rtc_types)
