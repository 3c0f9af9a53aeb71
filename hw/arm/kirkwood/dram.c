/*
 * Marvell Kirkwood SDRAM controller
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The windows decide where the CPU finds each chip select.  Everything else is
 * storage.
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

#define STORAGE(name) { name, .rw = UINT32_MAX }
#define BASE(name) { name, .rw = 0xff000000 }

static const KirkwoodReg dram_regs[KIRKWOOD_DRAM_NUM_REGS] = {
    [0x00 / 4] = STORAGE("CONFIG"),
    [0x04 / 4] = STORAGE("CONTROL_LOW"),
    [0x08 / 4] = STORAGE("TIMING_LOW"),
    [0x0c / 4] = STORAGE("TIMING_HIGH"),
    [0x10 / 4] = STORAGE("ADDRESS_CONTROL"),
    [0x14 / 4] = STORAGE("OPEN_PAGES"),
    [0x18 / 4] = STORAGE("OPERATION"),
    [0x1c / 4] = STORAGE("MODE"),
    [0x20 / 4] = STORAGE("EXTENDED_MODE"),
    [0x24 / 4] = STORAGE("CONTROL_HIGH"),
    [0x28 / 4] = STORAGE("ODT_TIMING_LOW"),
    [0x7c / 4] = STORAGE("ODT_TIMING_HIGH"),
    [0x80 / 4] = STORAGE("INIT_CONTROL"),
    [0x94 / 4] = STORAGE("ODT_CONTROL_LOW"),
    [0x98 / 4] = STORAGE("ODT_CONTROL_HIGH"),
    [0x9c / 4] = STORAGE("CPU_ODT_CONTROL"),
    [R_WINDOW(0, BASE)] = BASE("WINDOW0_BASE"),
    [R_WINDOW(0, SIZE)] = STORAGE("WINDOW0_SIZE"),
    [R_WINDOW(1, BASE)] = BASE("WINDOW1_BASE"),
    [R_WINDOW(1, SIZE)] = STORAGE("WINDOW1_SIZE"),
    [R_WINDOW(2, BASE)] = BASE("WINDOW2_BASE"),
    [R_WINDOW(2, SIZE)] = STORAGE("WINDOW2_SIZE"),
    [R_WINDOW(3, BASE)] = BASE("WINDOW3_BASE"),
    [R_WINDOW(3, SIZE)] = STORAGE("WINDOW3_SIZE"),
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

/* What a window register says; false if the window is closed */
static bool dram_decode(KirkwoodDramState *s, unsigned n, unsigned *cs,
                        uint64_t *size)
{
    uint32_t reg = s->regs[R_WINDOW(n, SIZE)];

    *cs = FIELD_EX32(reg, DRAM_WINDOW0_SIZE, CS);
    *size = (FIELD_EX32(reg, DRAM_WINDOW0_SIZE, SIZE) + 1ull) * WINDOW_GRANULE;
    return FIELD_EX32(reg, DRAM_WINDOW0_SIZE, ENABLE);
}

static void dram_update_window(KirkwoodDramState *s, unsigned n)
{
    MemoryRegion *window = &s->window[n];
    uint32_t base = s->regs[R_WINDOW(n, BASE)];
    uint64_t size;
    unsigned cs;

    if (!dram_decode(s, n, &cs, &size)) {
        memory_region_set_enabled(window, false);
        return;
    }
    trace_kirkwood_dram_window(n, base, size, cs);
    memory_region_set_alias_offset(window, cs * KIRKWOOD_DRAM_CS_MAX);
    memory_region_set_size(window, MIN(size, dram_cs_size(s, cs)));
    memory_region_set_address(window, base);
    memory_region_set_enabled(window, true);
}

bool kirkwood_dram_check(KirkwoodDramState *s, Error **errp)
{
    for (unsigned n = 0; n < KIRKWOOD_DRAM_NUM_CS; n++) {
        uint64_t size;
        unsigned cs;

        if (dram_decode(s, n, &cs, &size) && size > dram_cs_size(s, cs)) {
            error_setg(errp, "SDRAM window %u shows %" PRIu64
                       " MiB of chip select %u, which has %" PRIu64 " MiB", n,
                       size / MiB, cs, dram_cs_size(s, cs) / MiB);
            return false;
        }
    }
    return true;
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
    for (unsigned n = 0; n < KIRKWOOD_DRAM_NUM_CS; n++) {
        g_autofree char *name = g_strdup_printf("kirkwood.dram-window%u", n);

        memory_region_init_alias(&s->window[n], obj, name, s->ram, 0, 0);
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

    dc->desc = "Marvell Kirkwood SDRAM controller";
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
