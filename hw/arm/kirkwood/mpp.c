/*
 * Marvell Kirkwood multi-purpose pins
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Four bits select each pin's function; 0 is GPIO on every pin.  The other
 * functions are not distinguished.
 *
 * Behaviour: Linux drivers/pinctrl/mvebu/pinctrl-kirkwood.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_mpp.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "trace.h"

#define PINS_PER_REG 8
#define MPP_FUNCTION_GPIO 0

static const KirkwoodReg mpp_regs[KIRKWOOD_MPP_NUM_REGS] = {
    [0] = { "MPP_CONTROL0", .rw = UINT32_MAX },
    [1] = { "MPP_CONTROL1", .rw = UINT32_MAX },
    [2] = { "MPP_CONTROL2", .rw = UINT32_MAX },
    [3] = { "MPP_CONTROL3", .rw = UINT32_MAX },
    [4] = { "MPP_CONTROL4", .rw = UINT32_MAX },
    [5] = { "MPP_CONTROL5", .rw = UINT32_MAX },
    [6] = { "MPP_CONTROL6", .rw = 0x000000ff },
};

static const KirkwoodRegBlock mpp_block = {
    .name = TYPE_KIRKWOOD_MPP,
    .reg = mpp_regs,
    .count = ARRAY_SIZE(mpp_regs),
};

static void mpp_update(KirkwoodMppState *s)
{
    for (unsigned pin = 0; pin < KIRKWOOD_NUM_PINS; pin++) {
        unsigned function = extract32(s->regs[pin / PINS_PER_REG],
                                      4 * (pin % PINS_PER_REG), 4);

        qemu_set_irq(s->is_gpio[pin], function == MPP_FUNCTION_GPIO);
    }
}

static uint64_t mpp_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodMppState *s = opaque;

    return kirkwood_reg_read(&mpp_block, s->regs, offset, size);
}

static void mpp_write(void *opaque, hwaddr offset, uint64_t value,
                      unsigned size)
{
    KirkwoodMppState *s = opaque;

    kirkwood_reg_write(&mpp_block, s->regs, offset, value, size);
    mpp_update(s);
}

static const MemoryRegionOps mpp_ops = {
    .read = mpp_read,
    .write = mpp_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void mpp_reset_enter(Object *obj, ResetType type)
{
    KirkwoodMppState *s = KIRKWOOD_MPP(obj);

    kirkwood_reg_reset(&mpp_block, s->regs);
}

static void mpp_reset_hold(Object *obj, ResetType type)
{
    mpp_update(KIRKWOOD_MPP(obj));
}

static void mpp_init(Object *obj)
{
    KirkwoodMppState *s = KIRKWOOD_MPP(obj);

    memory_region_init_io(&s->iomem, obj, &mpp_ops, s, TYPE_KIRKWOOD_MPP,
                          sizeof(s->regs));
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
    qdev_init_gpio_out(DEVICE(obj), s->is_gpio, KIRKWOOD_NUM_PINS);
}

static const VMStateDescription mpp_vmstate = {
    .name = TYPE_KIRKWOOD_MPP,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, KirkwoodMppState, KIRKWOOD_MPP_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static void mpp_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood multi-purpose pins";
    dc->vmsd = &mpp_vmstate;
    rc->phases.enter = mpp_reset_enter;
    rc->phases.hold = mpp_reset_hold;
}

static const TypeInfo mpp_types[] = {
    {
        .name = TYPE_KIRKWOOD_MPP,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodMppState),
        .instance_init = mpp_init,
        .class_init = mpp_class_init,
    },
};

DEFINE_TYPES(mpp_types)
