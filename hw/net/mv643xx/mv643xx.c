/*
 * Marvell mv643xx Gigabit Ethernet unit
 *
 * The register file of one unit: what its ports share, and the decoding of
 * the ports' blocks.  Facts come from the drivers of Linux 6.1, U-Boot,
 * NetBSD, FreeBSD, barebox and 9front; nothing was checked on silicon.
 * docs/device.md lists every register and what is only stored.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "qapi/error.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "trace.h"

#include "mv643xx-regtable.c.inc"

#define UNIT_WORDS      (MV_PORT_BASE(0) / 4)
#define PHY_ADDR_BITS   5
#define PHY_ADDR_MASK   0x1f
#define FILTER_WRITABLE 0x0f0f0f0f

static const MV643xxReg *unit_lookup[UNIT_WORDS];
static const MV643xxReg *port_lookup[MV_PORT_SIZE / 4];

static void fill_lookup(const MV643xxReg **lookup, const MV643xxReg *table,
                        unsigned rows)
{
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned n = 0; n < table[row].count; n++) {
            lookup[(table[row].offset + n * table[row].stride) / 4] =
                &table[row];
        }
    }
}

const MV643xxReg *mv643xx_port_reg(unsigned offset)
{
    return port_lookup[offset / 4];
}

uint32_t mv643xx_merge(const MV643xxReg *reg, uint32_t old, uint32_t value)
{
    if (reg->flags & MV_W0C) {
        return old & (value | ~reg->writable);
    }
    return (old & ~reg->writable) | (value & reg->writable);
}

bool mv643xx_enter(MV643xxState *s)
{
    bool was_inside = DEVICE(s)->mem_reentrancy_guard.engaged_in_io;

    DEVICE(s)->mem_reentrancy_guard.engaged_in_io = true;
    return was_inside;
}

void mv643xx_leave(MV643xxState *s, bool was_inside)
{
    DEVICE(s)->mem_reentrancy_guard.engaged_in_io = was_inside;
}

static uint32_t *unit_reg(MV643xxState *s, unsigned offset)
{
    return &s->regs[offset / 4];
}

/* Unit interrupt and SMI */

static void update_unit_irq(MV643xxState *s)
{
    uint32_t cause = *unit_reg(s, MV_EUIC);
    uint32_t mask = *unit_reg(s, MV_EUIM);

    trace_mv643xx_irq_unit(DEVICE(s)->canonical_path, cause, mask);
    qemu_set_irq(s->irq, (cause & mask & ~MV_EUIC_SUM) != 0);
}

void mv643xx_raise_unit(MV643xxState *s, uint32_t causes)
{
    *unit_reg(s, MV_EUIC) |= causes;
    update_unit_irq(s);
}

static uint32_t read_euic(MV643xxState *s)
{
    uint32_t cause = *unit_reg(s, MV_EUIC) & ~MV_EUIC_SUM;

    return cause & *unit_reg(s, MV_EUIM) ? cause | MV_EUIC_SUM : cause;
}

static void write_smi(MV643xxState *s, uint32_t value)
{
    unsigned address = (value >> MV_SMI_PHY_SHIFT) & 0x1f;
    unsigned reg = (value >> MV_SMI_REG_SHIFT) & 0x1f;
    uint32_t smi = value & ~(MV_SMI_READ_VALID | MV_SMI_BUSY | 0xe0000000);

    if (value & MV_SMI_OP_READ) {
        smi &= ~MV_SMI_DATA_MASK;
        smi |= mv_smi_read(&s->smi_bus, address, reg) | MV_SMI_READ_VALID;
    } else {
        mv_smi_write(&s->smi_bus, address, reg, value & MV_SMI_DATA_MASK);
    }
    *unit_reg(s, MV_SMI) = smi;
    mv643xx_raise_unit(s, MV_EUIC_SMI_DONE);
}

static unsigned polled_address(MV643xxState *s, unsigned port)
{
    return (*unit_reg(s, MV_PHY_ADDR) >> (PHY_ADDR_BITS * port)) &
           PHY_ADDR_MASK;
}

MV88E1xxxState *mv643xx_polled_phy(MV643xxPort *port)
{
    MV643xxState *s = port->unit;
    MVSMIBus *bus = s->poll_bus ? s->poll_bus : &s->smi_bus;

    return mv_smi_phy(bus, polled_address(s, port->index));
}

static void phy_link_notify(Notifier *notifier, void *data)
{
    MV643xxState *s = container_of(notifier, MV643xxState, link_notifier);
    unsigned address = *(int *)data;

    for (unsigned p = 0; p < s->num_ports; p++) {
        if (polled_address(s, p) == address) {
            mv643xx_phy_changed(&s->port[p]);
        }
    }
}

/* Register access */

static uint32_t unit_read(MV643xxState *s, unsigned offset)
{
    return offset == MV_EUIC ? read_euic(s) : *unit_reg(s, offset);
}

static void unit_written(MV643xxState *s, unsigned offset, uint32_t value)
{
    switch (offset) {
    case MV_SMI:
        write_smi(s, value);
        break;
    case MV_EUIC:
    case MV_EUIM:
        update_unit_irq(s);
        break;
    case MV_EUC:
        if (!s->num_ports) {
            break;
        }
        if (value & (MV_EUC_PORT_RESET | MV_EUC_PORT_RESET_ALT)) {
            mv643xx_stop_queues(&s->port[0]);
        } else {
            mv643xx_tx_enabled(&s->port[0]);
        }
        break;
    case MV_PHY_ADDR:
        for (unsigned p = 0; p < s->num_ports; p++) {
            mv643xx_update_link(&s->port[p]);
        }
        break;
    }
}

static void unit_write(MV643xxState *s, unsigned offset, uint32_t value)
{
    uint32_t *reg = unit_reg(s, offset);

    *reg = mv643xx_merge(unit_lookup[offset / 4], *reg, value);
    unit_written(s, offset, value);
    for (unsigned p = 0; p < s->num_ports; p++) {
        mv643xx_wire_poll(&s->port[p]);
    }
}

/* Blocks of which every port has one */
typedef struct PortBlock {
    uint16_t base;
    uint16_t stride;
    uint16_t size;
    const char *name;
    uint32_t *(*words)(MV643xxPort *port);
} PortBlock;

static uint32_t *special_mc_words(MV643xxPort *port)
{
    return port->special_mc;
}

static uint32_t *other_mc_words(MV643xxPort *port)
{
    return port->other_mc;
}

static uint32_t *unicast_words(MV643xxPort *port)
{
    return port->unicast;
}

/* Those without words have functions of their own. */
static const PortBlock port_blocks[] = {
    { MV_PORT_BASE(0), 0x400, MV_PORT_SIZE, "port", NULL },
    { MV_MIB_BASE(0), 0x80, MV_MIB_SIZE, "MIB", NULL },
    { MV_SMC_BASE(0), 0x400, MV_MC_SIZE, "SPECIAL_MC", special_mc_words },
    { MV_OMC_BASE(0), 0x400, MV_MC_SIZE, "OTHER_MC", other_mc_words },
    { MV_UC_BASE(0), 0x400, MV_UC_SIZE, "UNICAST", unicast_words },
};

typedef struct Target {
    const char *name;       /* NULL: no register here */
    const PortBlock *block; /* NULL: a register of the unit */
    MV643xxPort *port;
    unsigned offset;        /* within the block, or the unit */
} Target;

static const char *reg_name(const MV643xxReg *reg)
{
    return reg ? reg->name : NULL;
}

static Target decode_port_block(MV643xxState *s, unsigned addr)
{
    Target target = { .offset = addr };

    for (int i = 0; i < ARRAY_SIZE(port_blocks); i++) {
        const PortBlock *block = &port_blocks[i];

        for (unsigned p = 0; p < s->num_ports; p++) {
            unsigned base = block->base + p * block->stride;

            if (addr < base || addr >= base + block->size) {
                continue;
            }
            target.block = block;
            target.port = &s->port[p];
            target.offset = addr - base;
            target.name = block->base == MV_PORT_BASE(0) ?
                          reg_name(mv643xx_port_reg(addr - base)) :
                          block->name;
            return target;
        }
    }
    return target;
}

static Target decode(MV643xxState *s, unsigned addr)
{
    if (addr < MV_PORT_BASE(0)) {
        return (Target) {
            .name = reg_name(unit_lookup[addr / 4]),
            .offset = addr,
        };
    }
    return decode_port_block(s, addr);
}

/* The guest sees, and changes, the state of now, however late a timer is. */
static void sync_ports(MV643xxState *s)
{
    for (unsigned p = 0; p < s->num_ports; p++) {
        mv643xx_wire_sync(&s->port[p]);
    }
}

static uint64_t mv643xx_read(void *opaque, hwaddr addr, unsigned size)
{
    MV643xxState *s = opaque;
    Target target = decode(s, addr);
    uint32_t value;

    if (!target.name) {
        qemu_log_mask(LOG_UNIMP, "%s: read of unknown register 0x%04x\n",
                      DEVICE(s)->canonical_path, (unsigned)addr);
        return 0;
    }
    sync_ports(s);
    if (!target.block) {
        value = unit_read(s, target.offset);
    } else if (target.block->words) {
        value = target.block->words(target.port)[target.offset / 4];
    } else if (target.block->base == MV_MIB_BASE(0)) {
        value = mv643xx_mib_read(target.port, target.offset);
    } else {
        value = mv643xx_port_read(target.port, target.offset);
    }
    trace_mv643xx_read(DEVICE(s)->canonical_path, target.name, addr, value);
    return value;
}

static void mv643xx_write(void *opaque, hwaddr addr, uint64_t value,
                          unsigned size)
{
    MV643xxState *s = opaque;
    Target target = decode(s, addr);

    if (!target.name) {
        qemu_log_mask(LOG_UNIMP,
                      "%s: write 0x%08x to unknown register 0x%04x\n",
                      DEVICE(s)->canonical_path, (uint32_t)value,
                      (unsigned)addr);
        return;
    }
    trace_mv643xx_write(DEVICE(s)->canonical_path, target.name, addr, value);
    sync_ports(s);
    if (!target.block) {
        unit_write(s, target.offset, value);
    } else if (target.block->words) {
        target.block->words(target.port)[target.offset / 4] =
            value & FILTER_WRITABLE;
        mv643xx_wire_poll(target.port);
    } else if (target.block->base == MV_PORT_BASE(0)) {
        mv643xx_port_write(target.port, target.offset, value);
    }
}

static const MemoryRegionOps mv643xx_ops = {
    .read = mv643xx_read,
    .write = mv643xx_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid.min_access_size = 4,
    .valid.max_access_size = 4,
    .impl.min_access_size = 4,
    .impl.max_access_size = 4,
};

/* Life of the device */

static void mv643xx_reset_enter(Object *obj, ResetType type)
{
    MV643xxState *s = MV643XX(obj);

    sync_ports(s);
    for (unsigned i = 0; i < UNIT_WORDS; i++) {
        s->regs[i] = unit_lookup[i] ? unit_lookup[i]->reset : 0;
    }
    *unit_reg(s, MV_PHY_ADDR) = 0;
    for (unsigned p = 0; p < s->num_ports; p++) {
        *unit_reg(s, MV_PHY_ADDR) |= (s->phy_addr + p) << (PHY_ADDR_BITS * p);
        mv643xx_port_reset(&s->port[p]);
    }
}

static void mv643xx_reset_hold(Object *obj, ResetType type)
{
    MV643xxState *s = MV643XX(obj);

    update_unit_irq(s);
    for (unsigned p = 0; p < s->num_ports; p++) {
        mv643xx_update_irq(&s->port[p]);
        mv643xx_wire_offer_again(&s->port[p]);
    }
}

static void mv643xx_realize(DeviceState *dev, Error **errp)
{
    MV643xxState *s = MV643XX(dev);
    MVSMIBus *bus;

    if (s->num_ports > MV643XX_MAX_PORTS) {
        error_setg(errp, "mv643xx: num-ports is %u, not within 0 to %d",
                   s->num_ports, MV643XX_MAX_PORTS);
        return;
    }
    if (s->phy_addr + s->num_ports > PHY_ADDR_MASK + 1) {
        error_setg(errp, "mv643xx: phy-addr %u leaves no address for %u ports",
                   s->phy_addr, s->num_ports);
        return;
    }
    if (!s->tclk) {
        error_setg(errp, "mv643xx: tclk must not be 0");
        return;
    }
    if (!s->dma_mr) {
        error_setg(errp, "mv643xx: dma-memory is not set");
        return;
    }
    address_space_init(&s->dma_as, s->dma_mr, "mv643xx-dma");
    for (unsigned p = 0; p < MV643XX_MAX_PORTS; p++) {
        if (p >= s->num_ports) {
            object_unparent(OBJECT(&s->port[p]));
        } else if (!qdev_realize(DEVICE(&s->port[p]), NULL, errp)) {
            return;
        }
    }
    bus = s->poll_bus ? s->poll_bus : &s->smi_bus;
    s->link_notifier.notify = phy_link_notify;
    notifier_list_add(&bus->link_notifiers, &s->link_notifier);
}

static void mv643xx_init(Object *obj)
{
    MV643xxState *s = MV643XX(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &mv643xx_ops, s, TYPE_MV643XX,
                          MV643XX_MMIO_SIZE);
    sysbus_init_mmio(sbd, &s->iomem);
    sysbus_init_irq(sbd, &s->irq);
    qbus_init(&s->smi_bus, sizeof(s->smi_bus), TYPE_MV_SMI_BUS, DEVICE(obj),
              "smi");
    for (unsigned p = 0; p < MV643XX_MAX_PORTS; p++) {
        object_initialize_child(obj, "port[*]", &s->port[p],
                                TYPE_MV643XX_PORT);
        s->port[p].unit = s;
        s->port[p].index = p;
        for (int line = 0; line < MV643XX_LINES; line++) {
            sysbus_init_irq(sbd, &s->port[p].irq[line]);
        }
    }
}

static const VMStateDescription vmstate_mv643xx = {
    .name = TYPE_MV643XX,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, MV643xxState, UNIT_WORDS),
        VMSTATE_END_OF_LIST()
    }
};

static const Property mv643xx_properties[] = {
    DEFINE_PROP_UINT8("num-ports", MV643xxState, num_ports, 1),
    DEFINE_PROP_UINT8("phy-addr", MV643xxState, phy_addr, 8),
    DEFINE_PROP_UINT32("tclk", MV643xxState, tclk, 200000000),
    DEFINE_PROP_LINK("dma-memory", MV643xxState, dma_mr, TYPE_MEMORY_REGION,
                     MemoryRegion *),
    DEFINE_PROP_LINK("poll-bus", MV643xxState, poll_bus, TYPE_MV_SMI_BUS,
                     MVSMIBus *),
};

static void mv643xx_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    fill_lookup(unit_lookup, mv643xx_unit_regs, ARRAY_SIZE(mv643xx_unit_regs));
    fill_lookup(port_lookup, mv643xx_port_regs, ARRAY_SIZE(mv643xx_port_regs));
    dc->realize = mv643xx_realize;
    dc->desc = "Marvell mv643xx Gigabit Ethernet unit";
    dc->vmsd = &vmstate_mv643xx;
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
    rc->phases.enter = mv643xx_reset_enter;
    rc->phases.hold = mv643xx_reset_hold;
    device_class_set_props(dc, mv643xx_properties);
}

static const TypeInfo mv643xx_types[] = {
    {
        .name = TYPE_MV643XX,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(MV643xxState),
        .instance_init = mv643xx_init,
        .class_init = mv643xx_class_init,
    },
};

DEFINE_TYPES(mv643xx_types)
