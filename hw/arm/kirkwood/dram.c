/*
 * Marvell Kirkwood SDRAM address windows
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A chip select with less memory than 256 MiB repeats it, so that software
 * which measures memory by looking for copies finds the right size.
 *
 * Behaviour: Linux drivers/bus/mvebu-mbus.c; U-Boot arch/arm/mach-kirkwood.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_dram.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "trace.h"

/* See the priorities of the mbus bridge */
#define PRIORITY_DRAM 1

/* Size registers count in 16 MiB */
#define WINDOW_GRANULE (16 * MiB)

#define R_WINDOW(n, reg) (2 * (n) + R_DRAM_WINDOW0_##reg)

#define WINDOW(n)                                                           \
    [R_WINDOW(n, BASE)] = { "WINDOW" #n "_BASE", .rw = 0xff000000 },        \
    [R_WINDOW(n, SIZE)] = { "WINDOW" #n "_SIZE", .rw = UINT32_MAX }

static const KirkwoodReg dram_regs[KIRKWOOD_DRAM_NUM_REGS] = {
    WINDOW(0), WINDOW(1), WINDOW(2), WINDOW(3),
};

static const KirkwoodRegBlock dram_block = {
    .name = TYPE_KIRKWOOD_DRAM,
    .reg = dram_regs,
    .count = ARRAY_SIZE(dram_regs),
};

/* Bytes of memory on a chip select */
static uint64_t dram_cs_size(KirkwoodDramState *s, unsigned cs)
{
    uint64_t before = cs * KIRKWOOD_DRAM_CS_MAX;
    uint64_t total = memory_region_size(s->ram);

    return total > before ? MIN(total - before, KIRKWOOD_DRAM_CS_MAX) : 0;
}

static void dram_update_window(KirkwoodDramState *s, unsigned n)
{
    MemoryRegion *window = &s->window[n];
    uint32_t base = s->regs[R_WINDOW(n, BASE)];
    uint32_t reg = s->regs[R_WINDOW(n, SIZE)];
    unsigned cs = FIELD_EX32(reg, DRAM_WINDOW0_SIZE, CS);
    uint64_t size = (FIELD_EX32(reg, DRAM_WINDOW0_SIZE, SIZE) + 1ull) *
                    WINDOW_GRANULE;

    if (!FIELD_EX32(reg, DRAM_WINDOW0_SIZE, ENABLE)) {
        memory_region_set_enabled(window, false);
        return;
    }
    trace_kirkwood_dram_window(n, base, size, cs);
    memory_region_set_alias_offset(window, cs * KIRKWOOD_DRAM_CS_MAX);
    memory_region_set_size(window, MIN(size, KIRKWOOD_DRAM_CS_MAX));
    memory_region_set_address(window, base);
    memory_region_set_enabled(window, true);
}

static void dram_update(KirkwoodDramState *s)
{
    memory_region_transaction_begin();
    for (unsigned n = 0; n < KIRKWOOD_DRAM_NUM_CS; n++) {
        dram_update_window(s, n);
    }
    memory_region_transaction_commit();
}

static uint64_t dram_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodDramState *s = opaque;

    return kirkwood_reg_read(&dram_block, s->regs, offset, size);
}

static void dram_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    KirkwoodDramState *s = opaque;

    kirkwood_reg_write(&dram_block, s->regs, offset, value, size);
    dram_update(s);
}

static const MemoryRegionOps dram_ops = {
    .read = dram_read,
    .write = dram_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

/* Open window n to chip select n, all memory in one piece from address 0 */
static void dram_open_windows(KirkwoodDramState *s)
{
    for (unsigned n = 0; n < KIRKWOOD_DRAM_NUM_CS; n++) {
        uint64_t size = dram_cs_size(s, n);

        if (size) {
            s->regs[R_WINDOW(n, BASE)] = n * KIRKWOOD_DRAM_CS_MAX;
            s->regs[R_WINDOW(n, SIZE)] =
                ((size - 1) & ~0xfull) | n << R_DRAM_WINDOW0_SIZE_CS_SHIFT |
                R_DRAM_WINDOW0_SIZE_ENABLE_MASK;
        }
    }
}

static void dram_reset_enter(Object *obj, ResetType type)
{
    KirkwoodDramState *s = KIRKWOOD_DRAM(obj);

    kirkwood_reg_reset(&dram_block, s->regs);
    if (s->after_firmware) {
        dram_open_windows(s);
    }
    dram_update(s);
}

static void dram_map_cs(KirkwoodDramState *s, unsigned cs)
{
    uint64_t size = dram_cs_size(s, cs);
    uint64_t start = cs * KIRKWOOD_DRAM_CS_MAX;

    for (unsigned i = 0; size && i < KIRKWOOD_DRAM_CS_MAX / size; i++) {
        g_autofree char *name = g_strdup_printf("kirkwood.dram-cs%u.%u", cs, i);

        memory_region_init_alias(&s->copy[cs][i], OBJECT(s), name, s->ram,
                                 start, size);
        memory_region_add_subregion(&s->chip_selects, start + i * size,
                                    &s->copy[cs][i]);
    }
}

static void dram_realize(DeviceState *dev, Error **errp)
{
    KirkwoodDramState *s = KIRKWOOD_DRAM(dev);
    Object *obj = OBJECT(dev);

    if (!s->ram || !s->cpu_memory) {
        error_setg(errp, "properties 'ram' and 'cpu-memory' must be set");
        return;
    }
    if (memory_region_size(s->ram) == 0 ||
        memory_region_size(s->ram) > KIRKWOOD_DRAM_MAX ||
        memory_region_size(s->ram) % KIRKWOOD_DRAM_CS_MIN) {
        error_setg(errp, "RAM size must be a multiple of %" PRIu64 " MiB, "
                   "at most %" PRIu64 " MiB", KIRKWOOD_DRAM_CS_MIN / MiB,
                   KIRKWOOD_DRAM_MAX / MiB);
        return;
    }
    memory_region_init(&s->chip_selects, obj, "kirkwood.dram",
                       KIRKWOOD_DRAM_MAX);
    for (unsigned cs = 0; cs < KIRKWOOD_DRAM_NUM_CS; cs++) {
        dram_map_cs(s, cs);
    }
    for (unsigned n = 0; n < KIRKWOOD_DRAM_NUM_CS; n++) {
        g_autofree char *name = g_strdup_printf("kirkwood.dram-window%u", n);

        memory_region_init_alias(&s->window[n], obj, name, &s->chip_selects, 0,
                                 0);
        memory_region_set_enabled(&s->window[n], false);
        memory_region_add_subregion_overlap(s->cpu_memory, 0, &s->window[n],
                                            PRIORITY_DRAM);
    }
}

static void dram_init(Object *obj)
{
    KirkwoodDramState *s = KIRKWOOD_DRAM(obj);

    memory_region_init_io(&s->iomem, obj, &dram_ops, s, TYPE_KIRKWOOD_DRAM,
                          sizeof(s->regs));
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
}

static int dram_post_load(void *opaque, int version_id)
{
    dram_update(opaque);
    return 0;
}

static const VMStateDescription dram_vmstate = {
    .name = TYPE_KIRKWOOD_DRAM,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = dram_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, KirkwoodDramState, KIRKWOOD_DRAM_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static const Property dram_properties[] = {
    DEFINE_PROP_LINK("ram", KirkwoodDramState, ram, TYPE_MEMORY_REGION,
                     MemoryRegion *),
    DEFINE_PROP_LINK("cpu-memory", KirkwoodDramState, cpu_memory,
                     TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_BOOL("after-firmware", KirkwoodDramState, after_firmware, true),
};

static void dram_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood SDRAM windows";
    dc->realize = dram_realize;
    dc->vmsd = &dram_vmstate;
    device_class_set_props(dc, dram_properties);
    rc->phases.enter = dram_reset_enter;
}

static const TypeInfo dram_types[] = {
    {
        .name = TYPE_KIRKWOOD_DRAM,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodDramState),
        .instance_init = dram_init,
        .class_init = dram_class_init,
    },
};

DEFINE_TYPES(dram_types)
