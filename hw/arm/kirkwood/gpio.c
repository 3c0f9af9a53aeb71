/*
 * Marvell Kirkwood GPIO bank
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Behaviour: Linux drivers/gpio/gpio-mvebu.c (orion variant); U-Boot
 * drivers/gpio/kw_gpio.c.
 *
 * Blinking outputs keep the level of their output register.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_gpio.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "trace.h"

#define PINS_PER_IRQ 8

static const KirkwoodReg gpio_regs[KIRKWOOD_GPIO_NUM_REGS] = {
    [R_GPIO_OUT] = { "OUT", .rw = UINT32_MAX },
    [R_GPIO_OUT_DISABLE] = { "OUT_DISABLE", UINT32_MAX, .rw = UINT32_MAX },
    [R_GPIO_BLINK] = { "BLINK", .rw = UINT32_MAX },
    [R_GPIO_IN_POLARITY] = { "IN_POLARITY", .rw = UINT32_MAX },
    [R_GPIO_IN] = { "IN" },
    [R_GPIO_EDGE_CAUSE] = { "EDGE_CAUSE", .w0c = UINT32_MAX },
    [R_GPIO_EDGE_MASK] = { "EDGE_MASK", .rw = UINT32_MAX },
    [R_GPIO_LEVEL_MASK] = { "LEVEL_MASK", .rw = UINT32_MAX },
};

static const KirkwoodRegBlock gpio_block = {
    .name = TYPE_KIRKWOOD_GPIO,
    .reg = gpio_regs,
    .count = ARRAY_SIZE(gpio_regs),
};

static uint32_t gpio_pin_mask(KirkwoodGpioState *s)
{
    return MAKE_64BIT_MASK(0, s->num_pins);
}

/* Levels of the pins: driven by the bank where it may, else by the board */
static uint32_t gpio_levels(KirkwoodGpioState *s)
{
    uint32_t driven = s->selected & ~s->regs[R_GPIO_OUT_DISABLE];

    return (s->regs[R_GPIO_OUT] & driven) | (s->board_drive & ~driven);
}

static void gpio_update_irqs(KirkwoodGpioState *s)
{
    uint32_t pending = (s->regs[R_GPIO_EDGE_CAUSE] &
                        s->regs[R_GPIO_EDGE_MASK]) |
                       (s->regs[R_GPIO_IN] & s->regs[R_GPIO_LEVEL_MASK]);

    for (unsigned i = 0; i < KIRKWOOD_GPIO_NUM_IRQS; i++) {
        qemu_set_irq(s->irq[i], extract32(pending, i * PINS_PER_IRQ,
                                          PINS_PER_IRQ) != 0);
    }
}

static void gpio_drive_pins(KirkwoodGpioState *s, uint32_t changed)
{
    for (unsigned pin = 0; pin < s->num_pins; pin++) {
        if (extract32(changed, pin, 1)) {
            qemu_set_irq(s->pin_out[pin], extract32(s->pins, pin, 1));
        }
    }
}

/* Bring pins, input register and interrupts up to date after any change */
static void gpio_update(KirkwoodGpioState *s)
{
    uint32_t old_in = s->regs[R_GPIO_IN];
    uint32_t old_pins = s->pins;

    s->pins = gpio_levels(s) & gpio_pin_mask(s);
    s->regs[R_GPIO_IN] = (s->pins ^ s->regs[R_GPIO_IN_POLARITY]) &
                         gpio_pin_mask(s);
    s->regs[R_GPIO_EDGE_CAUSE] |= s->regs[R_GPIO_IN] & ~old_in;
    if (s->pins != old_pins) {
        trace_kirkwood_gpio_pins(DEVICE(s)->canonical_path, s->pins);
        gpio_drive_pins(s, s->pins ^ old_pins);
    }
    gpio_update_irqs(s);
}

static void gpio_set_selected(void *opaque, int pin, int level)
{
    KirkwoodGpioState *s = KIRKWOOD_GPIO(opaque);

    s->selected = deposit32(s->selected, pin, 1, !!level);
    gpio_update(s);
}

static void gpio_set_board_drive(void *opaque, int pin, int level)
{
    KirkwoodGpioState *s = KIRKWOOD_GPIO(opaque);

    s->board_drive = deposit32(s->board_drive, pin, 1, !!level);
    gpio_update(s);
}

static uint64_t gpio_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodGpioState *s = opaque;

    return kirkwood_reg_read(&gpio_block, s->regs, offset, size);
}

static void gpio_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    KirkwoodGpioState *s = opaque;

    kirkwood_reg_write(&gpio_block, s->regs, offset, value, size);
    gpio_update(s);
}

static const MemoryRegionOps gpio_ops = {
    .read = gpio_read,
    .write = gpio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void gpio_reset_enter(Object *obj, ResetType type)
{
    KirkwoodGpioState *s = KIRKWOOD_GPIO(obj);

    /* What the MPP selects and what the board drives is theirs to reset */
    kirkwood_reg_reset(&gpio_block, s->regs);
    s->regs[R_GPIO_OUT_DISABLE] &= gpio_pin_mask(s);
    s->regs[R_GPIO_IN] = s->pins;
}

static void gpio_reset_hold(Object *obj, ResetType type)
{
    gpio_update(KIRKWOOD_GPIO(obj));
}

static void gpio_reset_exit(Object *obj, ResetType type)
{
    KirkwoodGpioState *s = KIRKWOOD_GPIO(obj);

    /* Pins that settled during reset are no edges */
    s->regs[R_GPIO_EDGE_CAUSE] = 0;
    gpio_drive_pins(s, gpio_pin_mask(s));
}

static void gpio_get_board_drive(Object *obj, Visitor *v, const char *name,
                                 void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &KIRKWOOD_GPIO(obj)->board_drive, errp);
}

static void gpio_write_board_drive(Object *obj, Visitor *v, const char *name,
                                   void *opaque, Error **errp)
{
    KirkwoodGpioState *s = KIRKWOOD_GPIO(obj);
    uint32_t value;

    if (!visit_type_uint32(v, name, &value, errp)) {
        return;
    }
    s->board_drive = value;
    if (DEVICE(s)->realized) {
        gpio_update(s);
    }
}

static void gpio_realize(DeviceState *dev, Error **errp)
{
    KirkwoodGpioState *s = KIRKWOOD_GPIO(dev);

    if (s->num_pins < 1 || s->num_pins > KIRKWOOD_GPIO_PINS_PER_BANK) {
        error_setg(errp, "property 'num-pins' must be between 1 and %d",
                   KIRKWOOD_GPIO_PINS_PER_BANK);
        return;
    }
    qdev_init_gpio_in_named(dev, gpio_set_selected, KIRKWOOD_GPIO_SELECT,
                            s->num_pins);
    qdev_init_gpio_in_named(dev, gpio_set_board_drive, KIRKWOOD_GPIO_IN,
                            s->num_pins);
    qdev_init_gpio_out_named(dev, s->pin_out, KIRKWOOD_GPIO_OUT, s->num_pins);
}

static void gpio_init(Object *obj)
{
    KirkwoodGpioState *s = KIRKWOOD_GPIO(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &gpio_ops, s, TYPE_KIRKWOOD_GPIO,
                          sizeof(s->regs));
    sysbus_init_mmio(sbd, &s->iomem);
    for (unsigned i = 0; i < KIRKWOOD_GPIO_NUM_IRQS; i++) {
        sysbus_init_irq(sbd, &s->irq[i]);
    }
    object_property_add_uint32_ptr(obj, "pins", &s->pins, OBJ_PROP_FLAG_READ);
}

static const VMStateDescription gpio_vmstate = {
    .name = TYPE_KIRKWOOD_GPIO,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(selected, KirkwoodGpioState),
        VMSTATE_UINT32(board_drive, KirkwoodGpioState),
        VMSTATE_UINT32(pins, KirkwoodGpioState),
        VMSTATE_UINT32_ARRAY(regs, KirkwoodGpioState, KIRKWOOD_GPIO_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static const Property gpio_properties[] = {
    DEFINE_PROP_UINT8("num-pins", KirkwoodGpioState, num_pins,
                      KIRKWOOD_GPIO_PINS_PER_BANK),
};

static void gpio_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood GPIO bank";
    dc->realize = gpio_realize;
    dc->vmsd = &gpio_vmstate;
    device_class_set_props(dc, gpio_properties);
    object_class_property_add(klass, "board-drive", "uint32",
                              gpio_get_board_drive, gpio_write_board_drive,
                              NULL, NULL);
    rc->phases.enter = gpio_reset_enter;
    rc->phases.hold = gpio_reset_hold;
    rc->phases.exit = gpio_reset_exit;
}

static const TypeInfo gpio_types[] = {
    {
        .name = TYPE_KIRKWOOD_GPIO,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodGpioState),
        .instance_init = gpio_init,
        .class_init = gpio_class_init,
    },
};

DEFINE_TYPES(gpio_types)
