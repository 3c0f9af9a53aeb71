/*
 * Marvell Kirkwood PCI Express unit without anything in its slot
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Identifies the SoC and reports that the link is down, which keeps drivers
 * from looking for devices.  Nothing else of the unit is modelled.
 *
 * Behaviour: Linux drivers/pci/controller/pci-mvebu.c and
 * arch/arm/mach-mvebu/mvebu-soc-id.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_pcie.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/pci/pci_ids.h"
#include "hw/qdev-properties.h"
#include "qemu/bitops.h"
#include "qemu/log.h"

#define PCIE_SIZE 0x2000

/* Class code of the header: memory controller */
#define PCIE_CLASS (PCI_CLASS_MEMORY_OTHER << 16)

static uint32_t pcie_reg(KirkwoodPcieState *s, hwaddr addr)
{
    switch (addr) {
    case A_PCIE_ID:
        return s->device_id << 16 | PCI_VENDOR_ID_MARVELL;
    case A_PCIE_REVISION:
        return PCIE_CLASS | s->revision;
    case A_PCIE_STATUS:
        return R_PCIE_STATUS_NO_LINK_MASK;
    default:
        qemu_log_mask(LOG_UNIMP, "%s: read of unimplemented register 0x%"
                      HWADDR_PRIx "\n", TYPE_KIRKWOOD_PCIE, addr);
        return 0;
    }
}

static uint64_t pcie_read(void *opaque, hwaddr offset, unsigned size)
{
    return extract32(pcie_reg(opaque, offset & ~3ull), (offset % 4) * 8,
                     size * 8);
}

static void pcie_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    qemu_log_mask(LOG_UNIMP, "%s: write of 0x%" PRIx64
                  " to unimplemented register 0x%" HWADDR_PRIx "\n",
                  TYPE_KIRKWOOD_PCIE, value, offset);
}

static const MemoryRegionOps pcie_ops = {
    .read = pcie_read,
    .write = pcie_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void pcie_init(Object *obj)
{
    KirkwoodPcieState *s = KIRKWOOD_PCIE(obj);

    memory_region_init_io(&s->iomem, obj, &pcie_ops, s, TYPE_KIRKWOOD_PCIE,
                          PCIE_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
}

static const Property pcie_properties[] = {
    DEFINE_PROP_UINT16("device-id", KirkwoodPcieState, device_id, 0x6281),
    DEFINE_PROP_UINT8("revision", KirkwoodPcieState, revision, 3),
};

static void pcie_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Marvell Kirkwood PCI Express unit, link down";
    device_class_set_props(dc, pcie_properties);
}

static const TypeInfo pcie_types[] = {
    {
        .name = TYPE_KIRKWOOD_PCIE,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodPcieState),
        .instance_init = pcie_init,
        .class_init = pcie_class_init,
    },
};

DEFINE_TYPES(pcie_types)
