/*
 * Marvell Kirkwood mbus bridge: CPU address windows to the other units
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Behaviour: Linux drivers/bus/mvebu-mbus.c; reset values of the windows from
 * U-Boot arch/arm/mach-kirkwood (default addresses).
 *
 * The remap registers are storage: no target of this model is larger than the
 * part of it that a window shows.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_mbus.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/log.h"
#include "trace.h"

/* Internal registers win over SDRAM windows, those over mbus windows */
#define PRIORITY_INTERNAL 2
#define PRIORITY_WINDOW 0

#define WINDOW_CONTROL(target, attr, size)                                  \
    (R_MBUS_WINDOW0_CONTROL_ENABLE_MASK |                                   \
     (target) << R_MBUS_WINDOW0_CONTROL_TARGET_SHIFT |                      \
     (attr) << R_MBUS_WINDOW0_CONTROL_ATTR_SHIFT |                          \
     ((size) / (64 * KiB) - 1) << R_MBUS_WINDOW0_CONTROL_SIZE_SHIFT)

#define R_WINDOW(n, reg) ((n) * (MBUS_WINDOW_STRIDE / 4) + R_MBUS_WINDOW0_##reg)

#define CONTROL(n, value)                                                   \
    [R_WINDOW(n, CONTROL)] = { "WINDOW" #n "_CONTROL", value, .rw = 0xfffffff1 }
#define BASE(n, value)                                                      \
    [R_WINDOW(n, BASE)] = { "WINDOW" #n "_BASE", value, .rw = 0xffff0000 }
#define REMAP_LOW(n, value)                                                 \
    [R_WINDOW(n, REMAP_LOW)] = { "WINDOW" #n "_REMAP_LOW", value,           \
                                 .rw = 0xffff0000 }
#define REMAP_HIGH(n)                                                       \
    [R_WINDOW(n, REMAP_HIGH)] = { "WINDOW" #n "_REMAP_HIGH", .rw = UINT32_MAX }

static const KirkwoodReg mbus_regs[KIRKWOOD_MBUS_NUM_REGS] = {
    CONTROL(0, WINDOW_CONTROL(4, 0xe8, 256 * MiB)),
    BASE(0, 0x90000000),
    REMAP_LOW(0, 0x90000000),
    REMAP_HIGH(0),
    CONTROL(1, WINDOW_CONTROL(4, 0xe0, 64 * KiB)),
    BASE(1, 0xc0000000),
    REMAP_LOW(1, 0xc0000000),
    REMAP_HIGH(1),
    CONTROL(2, WINDOW_CONTROL(1, 0x2f, 128 * MiB)),
    BASE(2, 0xd8000000),
    REMAP_LOW(2, 0xd8000000),
    REMAP_HIGH(2),
    CONTROL(3, WINDOW_CONTROL(1, 0x1e, 128 * MiB)),
    BASE(3, 0xe8000000),
    REMAP_LOW(3, 0xe8000000),
    REMAP_HIGH(3),
    CONTROL(4, WINDOW_CONTROL(1, 0x1d, 128 * MiB)),
    BASE(4, 0xf8000000),
    CONTROL(5, WINDOW_CONTROL(3, 0x01, 64 * KiB)),
    BASE(5, 0xc8010000),
    CONTROL(6, 0),
    BASE(6, 0),
    CONTROL(7, 0),
    BASE(7, 0),
    [R_MBUS_INTERNAL_BASE] = { "INTERNAL_BASE", KIRKWOOD_INTERNAL_BASE_RESET,
                               .rw = 0xfff00000 },
};

static const KirkwoodRegBlock mbus_block = {
    .name = TYPE_KIRKWOOD_MBUS,
    .reg = mbus_regs,
    .count = ARRAY_SIZE(mbus_regs),
};

void kirkwood_mbus_add_target(KirkwoodMbusState *s, uint8_t target,
                              uint8_t attr, MemoryRegion *mr)
{
    assert(s->num_targets < KIRKWOOD_MBUS_MAX_TARGETS);
    assert(memory_region_size(mr) <= KIRKWOOD_MBUS_SLOT);
    s->targets[s->num_targets++] = (KirkwoodMbusTarget) { target, attr, mr };
}

/* Index of the target that a window control register selects, or -1 */
static int mbus_find_target(KirkwoodMbusState *s, uint32_t control)
{
    unsigned target = FIELD_EX32(control, MBUS_WINDOW0_CONTROL, TARGET);
    unsigned attr = FIELD_EX32(control, MBUS_WINDOW0_CONTROL, ATTR);

    for (unsigned i = 0; i < s->num_targets; i++) {
        if (s->targets[i].target == target && s->targets[i].attr == attr) {
            return i;
        }
    }
    return -1;
}

static void mbus_update_window(KirkwoodMbusState *s, unsigned n)
{
    MemoryRegion *window = &s->window[n];
    uint32_t control = s->regs[R_WINDOW(n, CONTROL)];
    uint32_t base = s->regs[R_WINDOW(n, BASE)];
    uint64_t size = (FIELD_EX32(control, MBUS_WINDOW0_CONTROL, SIZE) + 1ull) *
                    (64 * KiB);
    int target = -1;

    if (FIELD_EX32(control, MBUS_WINDOW0_CONTROL, ENABLE)) {
        target = mbus_find_target(s, control);
        trace_kirkwood_mbus_window(n, control, base, target);
    }
    if (target < 0) {
        memory_region_set_enabled(window, false);
        return;
    }
    size = MIN(size, memory_region_size(s->targets[target].mr));
    memory_region_set_alias_offset(window, target * KIRKWOOD_MBUS_SLOT);
    memory_region_set_size(window, size);
    memory_region_set_address(window, base);
    memory_region_set_enabled(window, true);
}

static void mbus_update(KirkwoodMbusState *s)
{
    memory_region_transaction_begin();
    for (unsigned n = 0; n < KIRKWOOD_MBUS_NUM_WINDOWS; n++) {
        mbus_update_window(s, n);
    }
    memory_region_set_address(s->internal, s->regs[R_MBUS_INTERNAL_BASE]);
    memory_region_transaction_commit();
}

static uint64_t mbus_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodMbusState *s = opaque;

    return kirkwood_reg_read(&mbus_block, s->regs, offset, size);
}

static void mbus_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    KirkwoodMbusState *s = opaque;

    kirkwood_reg_write(&mbus_block, s->regs, offset, value, size);
    mbus_update(s);
}

static const MemoryRegionOps mbus_ops = {
    .read = mbus_read,
    .write = mbus_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void mbus_reset_enter(Object *obj, ResetType type)
{
    KirkwoodMbusState *s = KIRKWOOD_MBUS(obj);

    kirkwood_reg_reset(&mbus_block, s->regs);
    if (s->after_firmware) {
        s->regs[R_MBUS_INTERNAL_BASE] = KIRKWOOD_INTERNAL_BASE_LINUX;
    }
    mbus_update(s);
}

static void mbus_realize(DeviceState *dev, Error **errp)
{
    KirkwoodMbusState *s = KIRKWOOD_MBUS(dev);
    Object *obj = OBJECT(dev);

    if (!s->internal || !s->cpu_memory) {
        error_setg(errp, "properties 'internal' and 'cpu-memory' must be set");
        return;
    }
    memory_region_init(&s->all_targets, obj, "kirkwood.mbus-targets",
                       KIRKWOOD_MBUS_MAX_TARGETS * KIRKWOOD_MBUS_SLOT);
    for (unsigned i = 0; i < s->num_targets; i++) {
        memory_region_add_subregion(&s->all_targets, i * KIRKWOOD_MBUS_SLOT,
                                    s->targets[i].mr);
    }
    for (unsigned n = 0; n < KIRKWOOD_MBUS_NUM_WINDOWS; n++) {
        g_autofree char *name = g_strdup_printf("kirkwood.mbus-window%u", n);

        memory_region_init_alias(&s->window[n], obj, name, &s->all_targets, 0,
                                 0);
        memory_region_set_enabled(&s->window[n], false);
        memory_region_add_subregion_overlap(s->cpu_memory, 0, &s->window[n],
                                            PRIORITY_WINDOW);
    }
    memory_region_add_subregion_overlap(s->cpu_memory,
                                        KIRKWOOD_INTERNAL_BASE_LINUX,
                                        s->internal, PRIORITY_INTERNAL);
}

static void mbus_init(Object *obj)
{
    KirkwoodMbusState *s = KIRKWOOD_MBUS(obj);

    memory_region_init_io(&s->iomem, obj, &mbus_ops, s, TYPE_KIRKWOOD_MBUS,
                          sizeof(s->regs));
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
}

static int mbus_post_load(void *opaque, int version_id)
{
    mbus_update(opaque);
    return 0;
}

static const VMStateDescription mbus_vmstate = {
    .name = TYPE_KIRKWOOD_MBUS,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = mbus_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, KirkwoodMbusState, KIRKWOOD_MBUS_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static const Property mbus_properties[] = {
    DEFINE_PROP_LINK("internal", KirkwoodMbusState, internal,
                     TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_LINK("cpu-memory", KirkwoodMbusState, cpu_memory,
                     TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_BOOL("after-firmware", KirkwoodMbusState, after_firmware, true),
};

static void mbus_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood mbus bridge";
    dc->realize = mbus_realize;
    dc->vmsd = &mbus_vmstate;
    device_class_set_props(dc, mbus_properties);
    rc->phases.enter = mbus_reset_enter;
}

static const TypeInfo mbus_types[] = {
    {
        .name = TYPE_KIRKWOOD_MBUS,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodMbusState),
        .instance_init = mbus_init,
        .class_init = mbus_class_init,
    },
};

DEFINE_TYPES(mbus_types)
