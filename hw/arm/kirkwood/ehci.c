/*
 * Marvell Kirkwood USB 2.0 host
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A ChipIdea-derived controller: EHCI capability registers at 0x100 and
 * operational registers at 0x140, port speed in the port status register, a USB
 * mode register, and Marvell's bus bridge and PHY registers above 0x300.  The
 * mode, bridge and PHY registers are storage; the host role is the only one.
 *
 * Behaviour: Linux drivers/usb/host/ehci-orion.c and ehci-hub.c (TDI);
 * U-Boot drivers/usb/host/ehci-marvell.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_ehci.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "migration/vmstate.h"
#include "trace.h"

#define EHCI_NUM_PORTS 1
#define EHCI_PORTSC_OFFSET (A_USB_PORTSC - EHCI_OPREG_OFFSET)
#define EHCI_OPREG_OFFSET 0x140

#define PORTSC_SPEED_HIGH 2

/* Above the regions of the EHCI core that they replace */
#define PRIORITY_OVERLAY 1

#define R_BRIDGE(reg) ((A_USB_##reg - A_USB_BRIDGE_CONTROL) / 4)
#define STORAGE(name) { name, .rw = UINT32_MAX }

static const KirkwoodReg bridge_regs[KIRKWOOD_EHCI_NUM_REGS] = {
    [R_BRIDGE(BRIDGE_CONTROL)] = STORAGE("BRIDGE_CONTROL"),
    [R_BRIDGE(BRIDGE_CAUSE)] = { "BRIDGE_CAUSE", .w0c = UINT32_MAX },
    [R_BRIDGE(BRIDGE_MASK)] = STORAGE("BRIDGE_MASK"),
    [R_BRIDGE(BRIDGE_ERROR_ADDR)] = { "BRIDGE_ERROR_ADDR" },
    [R_BRIDGE(WINDOW0_CONTROL)] = STORAGE("WINDOW0_CONTROL"),
    [R_BRIDGE(WINDOW0_BASE)] = STORAGE("WINDOW0_BASE"),
    [R_BRIDGE(WINDOW0_CONTROL) + 4] = STORAGE("WINDOW1_CONTROL"),
    [R_BRIDGE(WINDOW0_BASE) + 4] = STORAGE("WINDOW1_BASE"),
    [R_BRIDGE(WINDOW0_CONTROL) + 8] = STORAGE("WINDOW2_CONTROL"),
    [R_BRIDGE(WINDOW0_BASE) + 8] = STORAGE("WINDOW2_BASE"),
    [R_BRIDGE(WINDOW0_CONTROL) + 12] = STORAGE("WINDOW3_CONTROL"),
    [R_BRIDGE(WINDOW0_BASE) + 12] = STORAGE("WINDOW3_BASE"),
    [R_BRIDGE(IPG)] = STORAGE("IPG"),
    [R_BRIDGE(PHY_POWER)] = STORAGE("PHY_POWER"),
    [R_BRIDGE(PHY_TX)] = STORAGE("PHY_TX"),
    [R_BRIDGE(PHY_RX)] = STORAGE("PHY_RX"),
    [R_BRIDGE(PHY_IVREF)] = STORAGE("PHY_IVREF"),
    [R_BRIDGE(PHY_TEST0)] = STORAGE("PHY_TEST0"),
};

static const KirkwoodRegBlock bridge_block = {
    .name = TYPE_KIRKWOOD_EHCI,
    .reg = bridge_regs,
    .count = ARRAY_SIZE(bridge_regs),
};

static const KirkwoodReg mode_regs[] = {
    { "MODE", .rw = 0x1f },
};

static const KirkwoodRegBlock mode_block = {
    .name = TYPE_KIRKWOOD_EHCI,
    .reg = mode_regs,
    .count = ARRAY_SIZE(mode_regs),
};

static uint64_t bridge_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodEhciState *s = opaque;

    return kirkwood_reg_read(&bridge_block, s->regs, offset, size);
}

static void bridge_write(void *opaque, hwaddr offset, uint64_t value,
                         unsigned size)
{
    KirkwoodEhciState *s = opaque;

    kirkwood_reg_write(&bridge_block, s->regs, offset, value, size);
}

static const MemoryRegionOps bridge_ops = {
    .read = bridge_read,
    .write = bridge_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static uint64_t mode_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodEhciState *s = opaque;

    return kirkwood_reg_read(&mode_block, &s->mode, offset, size);
}

static void mode_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    KirkwoodEhciState *s = opaque;

    kirkwood_reg_write(&mode_block, &s->mode, offset, value, size);
}

static const MemoryRegionOps mode_ops = {
    .read = mode_read,
    .write = mode_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

/*
 * The EHCI core's port status, plus the speed: this controller has a
 * transaction translator and drivers ask it for the speed.  The core only
 * connects high-speed devices.
 */
static MemTxResult portsc_read(void *opaque, hwaddr offset, uint64_t *value,
                               unsigned size, MemTxAttrs attrs)
{
    KirkwoodEhciState *s = opaque;
    MemTxResult result = memory_region_dispatch_read(
        &s->parent_obj.ehci.mem_ports, offset, value, size_memop(size) | MO_LE,
        attrs);

    *value = FIELD_DP32(*value, USB_PORTSC, SPEED, PORTSC_SPEED_HIGH);
    return result;
}

static MemTxResult portsc_write(void *opaque, hwaddr offset, uint64_t value,
                                unsigned size, MemTxAttrs attrs)
{
    KirkwoodEhciState *s = opaque;

    return memory_region_dispatch_write(&s->parent_obj.ehci.mem_ports, offset,
                                        value, size_memop(size) | MO_LE, attrs);
}

static const MemoryRegionOps portsc_ops = {
    .read_with_attrs = portsc_read,
    .write_with_attrs = portsc_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.min_access_size = 4,
    .impl.max_access_size = 4,
    .valid.min_access_size = 4,
    .valid.max_access_size = 4,
};

static void ehci_reset_enter(Object *obj, ResetType type)
{
    KirkwoodEhciState *s = KIRKWOOD_EHCI(obj);

    kirkwood_reg_reset(&mode_block, &s->mode);
    kirkwood_reg_reset(&bridge_block, s->regs);
}

static void ehci_init(Object *obj)
{
    KirkwoodEhciState *s = KIRKWOOD_EHCI(obj);
    MemoryRegion *mem = &s->parent_obj.ehci.mem;

    memory_region_init_io(&s->mode_io, obj, &mode_ops, s,
                          TYPE_KIRKWOOD_EHCI ".mode", sizeof(s->mode));
    memory_region_add_subregion(mem, A_USB_MODE, &s->mode_io);
    memory_region_init_io(&s->bridge, obj, &bridge_ops, s,
                          TYPE_KIRKWOOD_EHCI ".bridge", sizeof(s->regs));
    memory_region_add_subregion(mem, A_USB_BRIDGE_CONTROL, &s->bridge);
    memory_region_init_io(&s->portsc, obj, &portsc_ops, s,
                          TYPE_KIRKWOOD_EHCI ".portsc", sizeof(uint32_t));
    /* It passes accesses on to another region of this device */
    s->portsc.disable_reentrancy_guard = true;
    memory_region_add_subregion_overlap(mem, A_USB_PORTSC, &s->portsc,
                                        PRIORITY_OVERLAY);
}

static const VMStateDescription ehci_vmstate = {
    .name = TYPE_KIRKWOOD_EHCI,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(parent_obj.ehci, KirkwoodEhciState, 1, vmstate_ehci,
                       EHCIState),
        VMSTATE_UINT32(mode, KirkwoodEhciState),
        VMSTATE_UINT32_ARRAY(regs, KirkwoodEhciState, KIRKWOOD_EHCI_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static void ehci_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);
    SysBusEHCIClass *sec = SYS_BUS_EHCI_CLASS(klass);

    dc->desc = "Marvell Kirkwood USB 2.0 host";
    dc->vmsd = &ehci_vmstate;
    rc->phases.enter = ehci_reset_enter;
    sec->capsbase = A_USB_CAPLENGTH;
    sec->opregbase = EHCI_OPREG_OFFSET;
    sec->portscbase = EHCI_PORTSC_OFFSET;
    sec->portnr = EHCI_NUM_PORTS;
}

static const TypeInfo ehci_types[] = {
    {
        .name = TYPE_KIRKWOOD_EHCI,
        .parent = TYPE_SYS_BUS_EHCI,
        .instance_size = sizeof(KirkwoodEhciState),
        .instance_init = ehci_init,
        .class_init = ehci_class_init,
    },
};

DEFINE_TYPES(ehci_types)
