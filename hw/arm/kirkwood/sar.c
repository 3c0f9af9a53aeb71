/*
 * Marvell Kirkwood sample-at-reset register
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Behaviour: Linux drivers/clk/mvebu/kirkwood.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_sar.h"
#include "hw/qdev-properties.h"

/* This strap selects 166 MHz TCLK instead of 200 MHz */
#define SAR_TCLK_166 (1u << 21)

/* CPU 1200 MHz, DDR 400 MHz, L2 400 MHz, TCLK 200 MHz */
#define SAR_DEFAULT 0x692

static const KirkwoodReg sar_regs[] = {
    { "SAMPLE_AT_RESET" },
};

static const KirkwoodRegBlock sar_block = {
    .name = TYPE_KIRKWOOD_SAR,
    .reg = sar_regs,
    .count = ARRAY_SIZE(sar_regs),
};

uint32_t kirkwood_sar_tclk(uint32_t value)
{
    return value & SAR_TCLK_166 ? 166666667 : 200000000;
}

static uint64_t sar_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodSarState *s = opaque;

    return kirkwood_reg_read(&sar_block, &s->value, offset, size);
}

static void sar_write(void *opaque, hwaddr offset, uint64_t value,
                      unsigned size)
{
    KirkwoodSarState *s = opaque;

    kirkwood_reg_write(&sar_block, &s->value, offset, value, size);
}

static const MemoryRegionOps sar_ops = {
    .read = sar_read,
    .write = sar_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void sar_init(Object *obj)
{
    KirkwoodSarState *s = KIRKWOOD_SAR(obj);

    memory_region_init_io(&s->iomem, obj, &sar_ops, s, TYPE_KIRKWOOD_SAR,
                          sizeof(s->value));
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
}

static const Property sar_properties[] = {
    DEFINE_PROP_UINT32("value", KirkwoodSarState, value, SAR_DEFAULT),
};

static void sar_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Marvell Kirkwood sample-at-reset register";
    device_class_set_props(dc, sar_properties);
}

static const TypeInfo sar_types[] = {
    {
        .name = TYPE_KIRKWOOD_SAR,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodSarState),
        .instance_init = sar_init,
        .class_init = sar_class_init,
    },
};

DEFINE_TYPES(sar_types)
