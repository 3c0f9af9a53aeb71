/*
 * Marvell Kirkwood main interrupt controller
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Behaviour: Linux drivers/irqchip/irq-orion.c; 88F6281 Functional
 * Specification, CPU subsystem registers.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_intc.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "trace.h"

/* The lowest cause bit tells that the high register has a cause */
#define INTC_HIGH_SUMMARY 1u

static const KirkwoodReg intc_regs[KIRKWOOD_INTC_NUM_REGS] = {
    [R_INTC_CAUSE_LOW] = { "CAUSE_LOW" },
    [R_INTC_IRQ_MASK_LOW] = { "IRQ_MASK_LOW", .rw = UINT32_MAX },
    [R_INTC_FIQ_MASK_LOW] = { "FIQ_MASK_LOW", .rw = UINT32_MAX },
    [R_INTC_EP_MASK_LOW] = { "EP_MASK_LOW", .rw = UINT32_MAX },
    [R_INTC_CAUSE_HIGH] = { "CAUSE_HIGH" },
    [R_INTC_IRQ_MASK_HIGH] = { "IRQ_MASK_HIGH", .rw = UINT32_MAX },
    [R_INTC_FIQ_MASK_HIGH] = { "FIQ_MASK_HIGH", .rw = UINT32_MAX },
    [R_INTC_EP_MASK_HIGH] = { "EP_MASK_HIGH", .rw = UINT32_MAX },
};

static const KirkwoodRegBlock intc_block = {
    .name = TYPE_KIRKWOOD_INTC,
    .reg = intc_regs,
    .count = ARRAY_SIZE(intc_regs),
};

static void intc_update(KirkwoodIntcState *s)
{
    uint32_t low = (uint32_t)s->level & ~INTC_HIGH_SUMMARY;
    uint32_t high = s->level >> 32;

    if (high) {
        low |= INTC_HIGH_SUMMARY;
    }
    s->regs[R_INTC_CAUSE_LOW] = low;
    s->regs[R_INTC_CAUSE_HIGH] = high;

    for (int i = 0; i < KIRKWOOD_INTC_NUM_OUTPUTS; i++) {
        bool level = (low & s->regs[R_INTC_IRQ_MASK_LOW + i]) ||
                     (high & s->regs[R_INTC_IRQ_MASK_HIGH + i]);

        qemu_set_irq(s->output[i], level);
    }
}

static void intc_set_irq(void *opaque, int n, int level)
{
    KirkwoodIntcState *s = opaque;

    trace_kirkwood_intc_input(n, level);
    s->level = deposit64(s->level, n, 1, !!level);
    intc_update(s);
}

static uint64_t intc_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodIntcState *s = opaque;

    return kirkwood_reg_read(&intc_block, s->regs, offset, size);
}

static void intc_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    KirkwoodIntcState *s = opaque;

    kirkwood_reg_write(&intc_block, s->regs, offset, value, size);
    intc_update(s);
}

static const MemoryRegionOps intc_ops = {
    .read = intc_read,
    .write = intc_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void intc_reset_enter(Object *obj, ResetType type)
{
    KirkwoodIntcState *s = KIRKWOOD_INTC(obj);

    /* The inputs keep their level: what drives them is reset on its own */
    kirkwood_reg_reset(&intc_block, s->regs);
}

static void intc_reset_hold(Object *obj, ResetType type)
{
    intc_update(KIRKWOOD_INTC(obj));
}

static void intc_init(Object *obj)
{
    KirkwoodIntcState *s = KIRKWOOD_INTC(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &intc_ops, s, TYPE_KIRKWOOD_INTC,
                          sizeof(s->regs));
    sysbus_init_mmio(sbd, &s->iomem);
    qdev_init_gpio_in(DEVICE(obj), intc_set_irq, KIRKWOOD_INTC_NUM_IRQS);
    for (int i = 0; i < KIRKWOOD_INTC_NUM_OUTPUTS; i++) {
        sysbus_init_irq(sbd, &s->output[i]);
    }
}

static const VMStateDescription intc_vmstate = {
    .name = TYPE_KIRKWOOD_INTC,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(level, KirkwoodIntcState),
        VMSTATE_UINT32_ARRAY(regs, KirkwoodIntcState, KIRKWOOD_INTC_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static void intc_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood interrupt controller";
    dc->vmsd = &intc_vmstate;
    rc->phases.enter = intc_reset_enter;
    rc->phases.hold = intc_reset_hold;
}

static const TypeInfo intc_types[] = {
    {
        .name = TYPE_KIRKWOOD_INTC,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodIntcState),
        .instance_init = intc_init,
        .class_init = intc_class_init,
    },
};

DEFINE_TYPES(intc_types)
