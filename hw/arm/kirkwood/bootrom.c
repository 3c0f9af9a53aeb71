/*
 * Marvell Kirkwood boot ROM
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ROM's code is not available, so what it does with a boot image is done
 * from outside when reset ends: the image's register list is written, the
 * payload is copied to memory and the CPU starts there.  Where the image is
 * stored does not matter.  Without an image the CPU finds code in the ROM that
 * waits for ever.
 */

#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "hw/arm/kirkwood_bootrom.h"
#include "hw/arm/kirkwood_mbus.h"
#include "hw/core/cpu.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "system/runstate.h"
#include "target/arm/cpu.h"
#include "trace.h"

/*
 * The ROM sees the internal registers here, wherever the CPU has them; register
 * lists are written for this address.
 */
#define ROM_INTERNAL_BASE 0xffd00000u

/* wait: mcr p15, 0, r0, c7, c0, 4 (wait for interrupt); b wait */
static const uint32_t idle_code[] = { 0xee070f90, 0xeafffffd };

static MemTxResult bootrom_write_reg(AddressSpace *as, uint32_t addr,
                                     uint32_t value)
{
    uint8_t bytes[4];

    if (addr - ROM_INTERNAL_BASE < KIRKWOOD_INTERNAL_SIZE) {
        addr += KIRKWOOD_INTERNAL_BASE_RESET - ROM_INTERNAL_BASE;
    }
    trace_kirkwood_bootrom_reg(addr, value);
    stl_le_p(bytes, value);
    return address_space_write(as, addr, MEMTXATTRS_UNSPECIFIED, bytes,
                               sizeof(bytes));
}

static bool bootrom_load(KirkwoodBootromState *s, Error **errp)
{
    ERRP_GUARD();
    KirkwoodBootImage *image = s->image;
    AddressSpace *as = cpu_get_address_space(CPU(s->cpu), ARMASIdx_NS);
    const uint8_t *contents = g_bytes_get_data(image->contents, NULL);

    for (unsigned i = 0; i < image->num_regs; i++) {
        uint32_t addr = image->regs[2 * i];

        if (bootrom_write_reg(as, addr, image->regs[2 * i + 1]) != MEMTX_OK) {
            error_setg(errp, "boot image writes register 0x%08x, which does "
                       "not exist", addr);
            return false;
        }
    }
    if (!kirkwood_dram_check(s->dram, errp)) {
        error_prepend(errp, "boot image does not suit the RAM size: ");
        return false;
    }
    if (address_space_write(as, image->dest, MEMTXATTRS_UNSPECIFIED,
                            contents + image->payload, image->size)
        != MEMTX_OK) {
        error_setg(errp, "boot image's payload does not fit into memory at "
                   "0x%08x", image->dest);
        return false;
    }
    return true;
}

/* After every other device has left reset */
static void bootrom_reset_exit(Object *obj, ResetType type)
{
    KirkwoodBootromState *s = KIRKWOOD_BOOTROM(obj);
    Error *err = NULL;

    if (!s->image || type == RESET_TYPE_SNAPSHOT_LOAD) {
        return;
    }
    if (!bootrom_load(s, &err)) {
        error_report_err(err);
        kirkwood_bootrom_idle(s);
        qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_HOST_ERROR, 1);
        return;
    }
    trace_kirkwood_bootrom_start(s->image->dest, s->image->size,
                                 s->image->entry);
    cpu_set_pc(CPU(s->cpu), s->image->entry);
}

bool kirkwood_bootrom_set_image(KirkwoodBootromState *s, const char *filename,
                                Error **errp)
{
    KirkwoodBootImage *image = kirkwood_boot_image_load(filename, errp);

    if (!image) {
        return false;
    }
    kirkwood_boot_image_free(s->image);
    s->image = image;
    return true;
}

void kirkwood_bootrom_idle(void *opaque)
{
    KirkwoodBootromState *s = opaque;

    cpu_set_pc(CPU(s->cpu), KIRKWOOD_BOOTROM_BASE);
}

static void bootrom_realize(DeviceState *dev, Error **errp)
{
    KirkwoodBootromState *s = KIRKWOOD_BOOTROM(dev);
    uint8_t *rom;

    if (!s->cpu || !s->dram) {
        error_setg(errp, "properties 'cpu' and 'dram' must be set");
        return;
    }
    if (!memory_region_init_rom(&s->rom, OBJECT(dev), "kirkwood.bootrom",
                                KIRKWOOD_BOOTROM_SIZE, errp)) {
        return;
    }
    rom = memory_region_get_ram_ptr(&s->rom);
    for (unsigned i = 0; i < ARRAY_SIZE(idle_code); i++) {
        stl_le_p(rom + 4 * i, idle_code[i]);
    }
    sysbus_init_mmio(SYS_BUS_DEVICE(dev), &s->rom);
}

static void bootrom_finalize(Object *obj)
{
    kirkwood_boot_image_free(KIRKWOOD_BOOTROM(obj)->image);
}

static const Property bootrom_properties[] = {
    DEFINE_PROP_LINK("cpu", KirkwoodBootromState, cpu, TYPE_ARM_CPU, ARMCPU *),
    DEFINE_PROP_LINK("dram", KirkwoodBootromState, dram, TYPE_KIRKWOOD_DRAM,
                     KirkwoodDramState *),
};

static void bootrom_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood boot ROM";
    dc->realize = bootrom_realize;
    device_class_set_props(dc, bootrom_properties);
    rc->phases.exit = bootrom_reset_exit;
}

static const TypeInfo bootrom_types[] = {
    {
        .name = TYPE_KIRKWOOD_BOOTROM,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodBootromState),
        .instance_finalize = bootrom_finalize,
        .class_init = bootrom_class_init,
    },
};

DEFINE_TYPES(bootrom_types)
