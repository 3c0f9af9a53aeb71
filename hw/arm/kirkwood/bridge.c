/*
 * Marvell Kirkwood bridge: CPU configuration, reset, bridge interrupts, clocks
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Behaviour: Linux drivers/irqchip/irq-orion.c (bridge), arch/arm/plat-orion,
 * drivers/watchdog/orion_wdt.c, drivers/clk/mvebu/kirkwood.c.
 *
 * CPU configuration, power, clock gating and cache configuration are storage:
 * nothing is switched off or slowed down.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_bridge.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "system/runstate.h"
#include "system/watchdog.h"
#include "trace.h"

#define BRIDGE_CAUSES MAKE_64BIT_MASK(0, KIRKWOOD_BRIDGE_NUM_IRQS)

/* Every clock that can be gated runs after reset */
#define CLOCK_GATE_ALL 0x001fc3fd

static const KirkwoodReg bridge_regs[KIRKWOOD_BRIDGE_NUM_REGS] = {
    [R_BRIDGE_CPU_CONFIG] = { "CPU_CONFIG", .rw = UINT32_MAX },
    [R_BRIDGE_CPU_CONTROL] = { "CPU_CONTROL", .rw = UINT32_MAX },
    [R_BRIDGE_RSTOUTN_MASK] = { "RSTOUTN_MASK", .rw = 0x7 },
    [R_BRIDGE_SOFT_RESET] = { "SOFT_RESET", .rw = 0x1 },
    [R_BRIDGE_CAUSE] = { "CAUSE", .w0c = BRIDGE_CAUSES },
    [R_BRIDGE_MASK] = { "MASK", .rw = BRIDGE_CAUSES },
    [R_BRIDGE_POWER] = { "POWER", .rw = UINT32_MAX },
    [R_BRIDGE_CLOCK_GATE] = { "CLOCK_GATE", CLOCK_GATE_ALL, .rw = UINT32_MAX },
    [R_BRIDGE_BIU_CONFIG] = { "BIU_CONFIG", .rw = UINT32_MAX },
    [R_BRIDGE_L2_CONFIG] = { "L2_CONFIG", .rw = UINT32_MAX },
};

static const KirkwoodRegBlock bridge_block = {
    .name = TYPE_KIRKWOOD_BRIDGE,
    .reg = bridge_regs,
    .count = ARRAY_SIZE(bridge_regs),
};

static void bridge_update(KirkwoodBridgeState *s)
{
    qemu_set_irq(s->irq, !!(s->regs[R_BRIDGE_CAUSE] & s->regs[R_BRIDGE_MASK]));
}

static bool bridge_resets_on(KirkwoodBridgeState *s, uint32_t source)
{
    return s->regs[R_BRIDGE_RSTOUTN_MASK] & source;
}

static void bridge_set_cause(void *opaque, int n, int level)
{
    KirkwoodBridgeState *s = opaque;

    if (!level) {
        return;
    }
    s->regs[R_BRIDGE_CAUSE] |= 1u << n;
    bridge_update(s);
    if (n == KIRKWOOD_BRIDGE_IRQ_WATCHDOG &&
        bridge_resets_on(s, R_BRIDGE_RSTOUTN_MASK_WATCHDOG_MASK)) {
        trace_kirkwood_bridge_reset("watchdog");
        watchdog_perform_action();
    }
}

static uint64_t bridge_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodBridgeState *s = opaque;

    return kirkwood_reg_read(&bridge_block, s->regs, offset, size);
}

static void bridge_write(void *opaque, hwaddr offset, uint64_t value,
                         unsigned size)
{
    KirkwoodBridgeState *s = opaque;

    kirkwood_reg_write(&bridge_block, s->regs, offset, value, size);
    bridge_update(s);
    if (offset / 4 == R_BRIDGE_SOFT_RESET &&
        (s->regs[R_BRIDGE_SOFT_RESET] & R_BRIDGE_SOFT_RESET_RESET_MASK) &&
        bridge_resets_on(s, R_BRIDGE_RSTOUTN_MASK_SOFT_MASK)) {
        trace_kirkwood_bridge_reset("software");
        qemu_system_reset_request(SHUTDOWN_CAUSE_GUEST_RESET);
    }
}

static const MemoryRegionOps bridge_ops = {
    .read = bridge_read,
    .write = bridge_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void bridge_reset_enter(Object *obj, ResetType type)
{
    KirkwoodBridgeState *s = KIRKWOOD_BRIDGE(obj);

    kirkwood_reg_reset(&bridge_block, s->regs);
}

static void bridge_reset_hold(Object *obj, ResetType type)
{
    bridge_update(KIRKWOOD_BRIDGE(obj));
}

static void bridge_init(Object *obj)
{
    KirkwoodBridgeState *s = KIRKWOOD_BRIDGE(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &bridge_ops, s, TYPE_KIRKWOOD_BRIDGE,
                          sizeof(s->regs));
    sysbus_init_mmio(sbd, &s->iomem);
    sysbus_init_irq(sbd, &s->irq);
    qdev_init_gpio_in(DEVICE(obj), bridge_set_cause, KIRKWOOD_BRIDGE_NUM_IRQS);
}

static const VMStateDescription bridge_vmstate = {
    .name = TYPE_KIRKWOOD_BRIDGE,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, KirkwoodBridgeState,
                             KIRKWOOD_BRIDGE_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static void bridge_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood bridge";
    dc->vmsd = &bridge_vmstate;
    rc->phases.enter = bridge_reset_enter;
    rc->phases.hold = bridge_reset_hold;
}

static const TypeInfo bridge_types[] = {
    {
        .name = TYPE_KIRKWOOD_BRIDGE,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodBridgeState),
        .instance_init = bridge_init,
        .class_init = bridge_class_init,
    },
};

DEFINE_TYPES(bridge_types)
