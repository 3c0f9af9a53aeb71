/*
 * Marvell Kirkwood SPI controller
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Transfers take no time.  The flash's direct mapping through an mbus window is
 * not modelled.
 *
 * Behaviour: Linux drivers/spi/spi-orion.c; U-Boot drivers/spi/kirkwood_spi.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/arm/kirkwood_spi.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "trace.h"

static const KirkwoodReg spi_regs[KIRKWOOD_SPI_NUM_REGS] = {
    [R_SPI_CONTROL] = { "CONTROL", R_SPI_CONTROL_READY_MASK, .rw = 0x1d },
    [R_SPI_CONFIG] = { "CONFIG", .rw = UINT32_MAX },
    [R_SPI_DATA_OUT] = { "DATA_OUT", .rw = 0xffff },
    [R_SPI_DATA_IN] = { "DATA_IN" },
    [R_SPI_CAUSE] = { "CAUSE", .w0c = 1 },
    [R_SPI_MASK] = { "MASK", .rw = 1 },
};

static const KirkwoodRegBlock spi_block = {
    .name = TYPE_KIRKWOOD_SPI,
    .reg = spi_regs,
    .count = ARRAY_SIZE(spi_regs),
};

static void spi_update(KirkwoodSpiState *s)
{
    qemu_set_irq(s->irq, s->regs[R_SPI_CAUSE] & s->regs[R_SPI_MASK]);
    qemu_set_irq(s->cs, !FIELD_EX32(s->regs[R_SPI_CONTROL], SPI_CONTROL,
                                    SELECT));
}

static void spi_transfer(KirkwoodSpiState *s)
{
    uint32_t out = s->regs[R_SPI_DATA_OUT];
    uint32_t in = 0;

    if (FIELD_EX32(s->regs[R_SPI_CONFIG], SPI_CONFIG, WORD)) {
        in = (ssi_transfer(s->bus, out >> 8) & 0xff) << 8;
    }
    in |= ssi_transfer(s->bus, out & 0xff) & 0xff;
    trace_kirkwood_spi_transfer(out, in);
    s->regs[R_SPI_DATA_IN] = in;
    s->regs[R_SPI_CAUSE] = 1;
}

static uint64_t spi_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodSpiState *s = opaque;

    return kirkwood_reg_read(&spi_block, s->regs, offset, size);
}

static void spi_write(void *opaque, hwaddr offset, uint64_t value,
                      unsigned size)
{
    KirkwoodSpiState *s = opaque;

    kirkwood_reg_write(&spi_block, s->regs, offset, value, size);
    if (offset / 4 == R_SPI_DATA_OUT) {
        spi_transfer(s);
    }
    spi_update(s);
}

static const MemoryRegionOps spi_ops = {
    .read = spi_read,
    .write = spi_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void spi_reset_enter(Object *obj, ResetType type)
{
    KirkwoodSpiState *s = KIRKWOOD_SPI(obj);

    kirkwood_reg_reset(&spi_block, s->regs);
}

static void spi_reset_hold(Object *obj, ResetType type)
{
    spi_update(KIRKWOOD_SPI(obj));
}

static void spi_init(Object *obj)
{
    KirkwoodSpiState *s = KIRKWOOD_SPI(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &spi_ops, s, TYPE_KIRKWOOD_SPI,
                          sizeof(s->regs));
    sysbus_init_mmio(sbd, &s->iomem);
    sysbus_init_irq(sbd, &s->irq);
    qdev_init_gpio_out_named(DEVICE(obj), &s->cs, KIRKWOOD_SPI_CS, 1);
    s->bus = ssi_create_bus(DEVICE(obj), "spi");
}

static const VMStateDescription spi_vmstate = {
    .name = TYPE_KIRKWOOD_SPI,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, KirkwoodSpiState, KIRKWOOD_SPI_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static void spi_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood SPI controller";
    dc->vmsd = &spi_vmstate;
    rc->phases.enter = spi_reset_enter;
    rc->phases.hold = spi_reset_hold;
}

static const TypeInfo spi_types[] = {
    {
        .name = TYPE_KIRKWOOD_SPI,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodSpiState),
        .instance_init = spi_init,
        .class_init = spi_class_init,
    },
};

DEFINE_TYPES(spi_types)
