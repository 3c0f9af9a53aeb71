/*
 * What a Kirkwood board connects to a general purpose pin
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_pin.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "trace.h"

static void pin_set_active(KirkwoodPinState *s, bool active)
{
    if (s->active != active) {
        s->active = active;
        trace_kirkwood_pin_active(s->description, active);
    }
}

static void pin_follow(void *opaque, int n, int level)
{
    KirkwoodPinState *s = opaque;

    if (!s->input) {
        pin_set_active(s, !level == s->active_low);
    }
}

static bool pin_get_prop_active(Object *obj, Error **errp)
{
    return KIRKWOOD_PIN(obj)->active;
}

static void pin_set_prop_active(Object *obj, bool active, Error **errp)
{
    KirkwoodPinState *s = KIRKWOOD_PIN(obj);

    if (!s->input) {
        error_setg(errp, "'%s' is an output of the SoC and cannot be set",
                   s->description);
        return;
    }
    pin_set_active(s, active);
    qemu_set_irq(s->drive, active != s->active_low);
}

static void pin_reset_hold(Object *obj, ResetType type)
{
    KirkwoodPinState *s = KIRKWOOD_PIN(obj);

    /* What somebody holds down stays down over a reset */
    qemu_set_irq(s->drive, (s->input && s->active) != s->active_low);
}

static void pin_realize(DeviceState *dev, Error **errp)
{
    KirkwoodPinState *s = KIRKWOOD_PIN(dev);

    if (!s->description) {
        error_setg(errp, "property 'description' must be set");
    }
}

static void pin_init(Object *obj)
{
    KirkwoodPinState *s = KIRKWOOD_PIN(obj);

    qdev_init_gpio_in(DEVICE(obj), pin_follow, 1);
    qdev_init_gpio_out(DEVICE(obj), &s->drive, 1);
}

static const VMStateDescription pin_vmstate = {
    .name = TYPE_KIRKWOOD_PIN,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(active, KirkwoodPinState),
        VMSTATE_END_OF_LIST()
    },
};

static const Property pin_properties[] = {
    DEFINE_PROP_STRING("description", KirkwoodPinState, description),
    DEFINE_PROP_BOOL("input", KirkwoodPinState, input, false),
    DEFINE_PROP_BOOL("active-low", KirkwoodPinState, active_low, false),
};

static void pin_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Named pin of a Kirkwood board";
    dc->realize = pin_realize;
    dc->vmsd = &pin_vmstate;
    device_class_set_props(dc, pin_properties);
    object_class_property_add_bool(klass, "active", pin_get_prop_active,
                                   pin_set_prop_active);
    rc->phases.hold = pin_reset_hold;
}

static const TypeInfo pin_types[] = {
    {
        .name = TYPE_KIRKWOOD_PIN,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodPinState),
        .instance_init = pin_init,
        .class_init = pin_class_init,
    },
};

DEFINE_TYPES(pin_types)
