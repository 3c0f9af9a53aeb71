/*
 * Marvell 88E1xxx Gigabit PHYs and the SMI bus they sit on
 *
 * Copper side only: the other end of the cable offers every speed and duplex
 * without pause, and autonegotiation takes no time.  Register values follow
 * IEEE 802.3 clause 22 and 40; the vendor's reset values are not known.
 *
 * Not modelled: the interrupt pin, loopback, fibre and SGMII pages, cable
 * tests, LEDs (registers only), polarity and MDI crossover.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/net/mii.h"
#include "hw/net/mv88e1xxx.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "trace.h"

/* Vendor registers; those below 32 with a page of 0 unless the name says so */
#define PHY_COPPER_CONTROL      16
#define PHY_COPPER_STATUS       17
#define PHY_INT_ENABLE          18
#define PHY_INT_STATUS          19
#define PHY_EXT_CONTROL         20
#define PHY_RX_ERRORS           21
#define PHY_PAGE                22
#define PHY_PAGE_MASK           0x00ff

#define PHY_STATUS_SPEED_SHIFT  14
#define PHY_STATUS_FULL_DUPLEX  (1 << 13)
#define PHY_STATUS_PAGE_RCVD    (1 << 12)
#define PHY_STATUS_RESOLVED     (1 << 11)
#define PHY_STATUS_LINK         (1 << 10)

#define PHY_INT_SPEED           (1 << 14)
#define PHY_INT_DUPLEX          (1 << 13)
#define PHY_INT_LINK            (1 << 10)

#define BMCR_SELF_CLEARING      (MII_BMCR_RESET | MII_BMCR_ANRESTART)

#define BMSR_ABILITIES          (MII_BMSR_100TX_FD | MII_BMSR_100TX_HD | \
                                 MII_BMSR_10T_FD | MII_BMSR_10T_HD | \
                                 MII_BMSR_EXTSTAT | MII_BMSR_MFPS | \
                                 MII_BMSR_AUTONEG | MII_BMSR_EXTCAP)

/* The same on every page */
#define PHY_FIRST_PAGED_REG     4

typedef struct PHYRegInfo {
    uint8_t page;
    uint8_t reg;
    uint16_t reset;
    uint16_t writable;
} PHYRegInfo;

/* What is not listed reads 0 and ignores writes. */
static const PHYRegInfo phy_regs[] = {
    { 0, MII_BMCR, 0x1140, 0x7fc0 },
    { 0, MII_ANAR, 0x01e1, 0xffff },
    { 0, MII_ANNP, 0x2001, 0xffff },
    { 0, MII_CTRL1000, 0x0300, 0xff00 },
    { 0, MII_EXTSTAT, 0x3000, 0 },
    { 0, PHY_COPPER_CONTROL, 0x3860, 0xffff },
    { 0, PHY_INT_ENABLE, 0, 0xffff },
    { 0, PHY_EXT_CONTROL, 0, 0xffff },
    { 2, 16, 0, 0xffff },
    { 2, 21, 0x1046, 0xffff },
    { 3, 16, 0x1177, 0xffff },
    { 3, 17, 0x4415, 0xffff },
    { 3, 18, 0x4985, 0xffff },
    { 6, 26, 0x000b, 0x0020 },
};

static const struct {
    uint16_t anar;
    uint16_t ctrl1000;
    int mbps;
    bool full_duplex;
} phy_modes[] = {      /* best first */
    { 0, MII_CTRL1000_FULL, 1000, true },
    { MII_ANAR_TXFD, 0, 100, true },
    { MII_ANAR_TX, 0, 100, false },
    { MII_ANAR_10FD, 0, 10, true },
    { MII_ANAR_10, 0, 10, false },
};

static MVSMIBus *phy_bus(MV88E1xxxState *phy)
{
    return (MVSMIBus *)qdev_get_parent_bus(DEVICE(phy));
}

static int bmcr_speed(uint16_t bmcr)
{
    if (bmcr & MII_BMCR_SPEED1000) {
        return 1000;
    }
    return bmcr & MII_BMCR_SPEED100 ? 100 : 10;
}

static MVPhyLink phy_negotiate(MV88E1xxxState *phy)
{
    const uint16_t *regs = phy->regs[0];
    uint16_t bmcr = regs[MII_BMCR];
    MVPhyLink link = { 0 };

    if (!phy->cable || (bmcr & (MII_BMCR_PDOWN | MII_BMCR_ISOLATE))) {
        return link;
    }
    if (!(bmcr & MII_BMCR_AUTOEN)) {
        link.up = true;
        link.mbps = bmcr_speed(bmcr);
        link.full_duplex = link.mbps == 1000 || (bmcr & MII_BMCR_FD);
        return link;
    }
    for (int i = 0; i < ARRAY_SIZE(phy_modes); i++) {
        if ((regs[MII_ANAR] & phy_modes[i].anar) ||
            (regs[MII_CTRL1000] & phy_modes[i].ctrl1000)) {
            link.up = true;
            link.mbps = phy_modes[i].mbps;
            link.full_duplex = phy_modes[i].full_duplex;
            break;
        }
    }
    return link;
}

static void phy_update_link(MV88E1xxxState *phy)
{
    MVPhyLink old = phy->link;
    MVSMIBus *bus = phy_bus(phy);
    int address = phy->address;

    phy->link = phy_negotiate(phy);
    if (old.up == phy->link.up && old.mbps == phy->link.mbps &&
        old.full_duplex == phy->link.full_duplex) {
        return;
    }
    if (old.up) {
        phy->link_lost = true;
    }
    phy->regs[0][PHY_INT_STATUS] |= PHY_INT_LINK;
    if (old.mbps != phy->link.mbps) {
        phy->regs[0][PHY_INT_STATUS] |= PHY_INT_SPEED;
    }
    if (old.full_duplex != phy->link.full_duplex) {
        phy->regs[0][PHY_INT_STATUS] |= PHY_INT_DUPLEX;
    }
    trace_mv88e1xxx_link(address, phy->link.up, phy->link.mbps,
                         phy->link.full_duplex);
    if (bus) {
        notifier_list_notify(&bus->link_notifiers, &address);
    }
}

void mv88e1xxx_set_cable(MV88E1xxxState *phy, bool plugged)
{
    phy->cable = plugged;
    phy_update_link(phy);
}

static bool phy_autonegotiated(MV88E1xxxState *phy)
{
    return phy->link.up && (phy->regs[0][MII_BMCR] & MII_BMCR_AUTOEN);
}

static uint16_t phy_read_bmsr(MV88E1xxxState *phy)
{
    uint16_t value = BMSR_ABILITIES;

    if (phy_autonegotiated(phy)) {
        value |= MII_BMSR_AN_COMP;
    }
    if (phy->link.up && !phy->link_lost) {
        value |= MII_BMSR_LINK_ST;
    }
    phy->link_lost = false;
    return value;
}

static uint16_t phy_read_anlpar(MV88E1xxxState *phy)
{
    if (!phy_autonegotiated(phy)) {
        return 0;
    }
    return MII_ANLPAR_ACK | MII_ANLPAR_TXFD | MII_ANLPAR_TX |
           MII_ANLPAR_10FD | MII_ANLPAR_10 | MII_ANLPAR_CSMACD;
}

static uint16_t phy_read_aner(MV88E1xxxState *phy)
{
    return phy_autonegotiated(phy) ? MII_ANER_NWAY : 0;
}

static uint16_t phy_read_stat1000(MV88E1xxxState *phy)
{
    if (!phy->link.up || phy->link.mbps != 1000) {
        return 0;
    }
    return MII_STAT1000_LOK | MII_STAT1000_ROK | MII_STAT1000_FULL;
}

static uint16_t phy_read_copper_status(MV88E1xxxState *phy)
{
    uint16_t value;

    if (!phy->link.up) {
        return 0;
    }
    value = PHY_STATUS_RESOLVED | PHY_STATUS_LINK;
    if (phy_autonegotiated(phy)) {
        value |= PHY_STATUS_PAGE_RCVD;
    }
    if (phy->link.full_duplex) {
        value |= PHY_STATUS_FULL_DUPLEX;
    }
    if (phy->link.mbps != 10) {
        value |= (phy->link.mbps == 1000 ? 2 : 1) << PHY_STATUS_SPEED_SHIFT;
    }
    return value;
}

static uint16_t phy_read_int_status(MV88E1xxxState *phy)
{
    uint16_t value = phy->regs[0][PHY_INT_STATUS];

    phy->regs[0][PHY_INT_STATUS] = 0;
    return value;
}

static uint16_t phy_read_id1(MV88E1xxxState *phy)
{
    return MV88E1XXX_GET_CLASS(phy)->phy_id >> 16;
}

static uint16_t phy_read_id2(MV88E1xxxState *phy)
{
    return MV88E1XXX_GET_CLASS(phy)->phy_id;
}

static uint16_t phy_read_page(MV88E1xxxState *phy)
{
    return phy->page;
}

static uint16_t (*const phy_readers[MV88E1XXX_PAGE_REGS])(MV88E1xxxState *) = {
    [MII_BMSR] = phy_read_bmsr,
    [MII_PHYID1] = phy_read_id1,
    [MII_PHYID2] = phy_read_id2,
    [MII_ANLPAR] = phy_read_anlpar,
    [MII_ANER] = phy_read_aner,
    [MII_STAT1000] = phy_read_stat1000,
    [PHY_COPPER_STATUS] = phy_read_copper_status,
    [PHY_INT_STATUS] = phy_read_int_status,
    [PHY_PAGE] = phy_read_page,
};

/* The page that register @reg is on when @selected is in register 22. */
static unsigned phy_page_of(unsigned selected, unsigned reg)
{
    return reg < PHY_FIRST_PAGED_REG || reg == PHY_PAGE ? 0 : selected;
}

static uint16_t phy_read(MV88E1xxxState *phy, unsigned reg)
{
    unsigned page = phy_page_of(phy->page, reg);

    if (page == 0 && phy_readers[reg]) {
        return phy_readers[reg](phy);
    }
    return page < MV88E1XXX_PAGES ? phy->regs[page][reg] : 0;
}

static void phy_load_defaults(MV88E1xxxState *phy)
{
    memset(phy->regs, 0, sizeof(phy->regs));
    for (int i = 0; i < ARRAY_SIZE(phy_regs); i++) {
        phy->regs[phy_regs[i].page][phy_regs[i].reg] = phy_regs[i].reset;
    }
}

/*
 * A soft reset restarts the PHY with what software has configured: Linux and
 * U-Boot rely on advertisement and delays surviving it.  The link goes down
 * and comes back within the write, which BMSR tells once (IEEE 802.3,
 * 22.2.4.2.13): Linux looks at the new speed only then.
 */
static void phy_restart(MV88E1xxxState *phy)
{
    trace_mv88e1xxx_restart(phy->address, phy->regs[0][MII_BMCR]);
    if (phy->link.up) {
        phy->link_lost = true;
        phy->regs[0][PHY_INT_STATUS] |= PHY_INT_LINK;
    }
}

static void phy_write_bmcr(MV88E1xxxState *phy, uint16_t old, uint16_t value)
{
    phy->regs[0][MII_BMCR] &= ~BMCR_SELF_CLEARING;
    if ((value & BMCR_SELF_CLEARING) || ((old ^ value) & MII_BMCR_AUTOEN)) {
        phy_restart(phy);
    }
}

static const PHYRegInfo *phy_reg_info(unsigned page, unsigned reg)
{
    for (int i = 0; i < ARRAY_SIZE(phy_regs); i++) {
        if (phy_regs[i].page == page && phy_regs[i].reg == reg) {
            return &phy_regs[i];
        }
    }
    return NULL;
}

static void phy_write(MV88E1xxxState *phy, unsigned reg, uint16_t value)
{
    unsigned page = phy_page_of(phy->page, reg);
    const PHYRegInfo *info;
    uint16_t old;

    if (reg == PHY_PAGE) {
        phy->page = value & PHY_PAGE_MASK;
        return;
    }
    info = phy_reg_info(page, reg);
    if (!info) {
        return;
    }
    old = phy->regs[page][reg];
    phy->regs[page][reg] = (old & ~info->writable) | (value & info->writable);
    if (page == 0 && reg == MII_BMCR) {
        phy_write_bmcr(phy, old, value);
    }
    phy_update_link(phy);
}

MV88E1xxxState *mv_smi_phy(MVSMIBus *bus, unsigned address)
{
    BusChild *kid;

    QTAILQ_FOREACH(kid, &BUS(bus)->children, sibling) {
        MV88E1xxxState *phy = MV88E1XXX(kid->child);

        if (phy->address == address) {
            return phy;
        }
    }
    return NULL;
}

uint16_t mv_smi_read(MVSMIBus *bus, unsigned address, unsigned reg)
{
    MV88E1xxxState *phy = mv_smi_phy(bus, address);
    uint16_t value = phy ? phy_read(phy, reg) : 0xffff;

    trace_mv_smi_read(address, phy ? phy->page : 0, reg, value);
    return value;
}

void mv_smi_write(MVSMIBus *bus, unsigned address, unsigned reg,
                  uint16_t value)
{
    MV88E1xxxState *phy = mv_smi_phy(bus, address);

    trace_mv_smi_write(address, phy ? phy->page : 0, reg, value);
    if (phy) {
        phy_write(phy, reg, value);
    }
}

static void mv88e1xxx_reset_enter(Object *obj, ResetType type)
{
    MV88E1xxxState *phy = MV88E1XXX(obj);

    phy->page = 0;
    phy_load_defaults(phy);
    phy->link = phy_negotiate(phy);
    phy->link_lost = false;
}

static void mv88e1xxx_realize(DeviceState *dev, Error **errp)
{
    MV88E1xxxState *phy = MV88E1XXX(dev);
    MV88E1xxxState *other;

    if (phy->address >= 32) {
        error_setg(errp, "%s: address %u is not within 0 to 31",
                   object_get_typename(OBJECT(dev)), phy->address);
        return;
    }
    other = mv_smi_phy(phy_bus(phy), phy->address);
    if (other != phy) {
        error_setg(errp, "%s: address %u is taken by another PHY",
                   object_get_typename(OBJECT(dev)), phy->address);
    }
}

static const VMStateDescription vmstate_mv88e1xxx = {
    .name = TYPE_MV88E1XXX,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(link_lost, MV88E1xxxState),
        VMSTATE_BOOL(link.up, MV88E1xxxState),
        VMSTATE_BOOL(link.full_duplex, MV88E1xxxState),
        VMSTATE_BOOL(link.pause, MV88E1xxxState),
        VMSTATE_INT32(link.mbps, MV88E1xxxState),
        VMSTATE_UINT16(page, MV88E1xxxState),
        VMSTATE_UINT16_2DARRAY(regs, MV88E1xxxState, MV88E1XXX_PAGES,
                               MV88E1XXX_PAGE_REGS),
        VMSTATE_END_OF_LIST()
    }
};

static const Property mv88e1xxx_properties[] = {
    DEFINE_PROP_UINT8("address", MV88E1xxxState, address, 0),
};

static void mv88e1xxx_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->realize = mv88e1xxx_realize;
    dc->vmsd = &vmstate_mv88e1xxx;
    dc->bus_type = TYPE_MV_SMI_BUS;
    dc->user_creatable = false;
    rc->phases.enter = mv88e1xxx_reset_enter;
    device_class_set_props(dc, mv88e1xxx_properties);
}

static void mv88e1116r_class_init(ObjectClass *klass, void *data)
{
    MV88E1XXX_CLASS(klass)->phy_id = 0x01410e40;
    DEVICE_CLASS(klass)->desc = "Marvell 88E1116R Gigabit PHY";
}

static void mv88e1118_class_init(ObjectClass *klass, void *data)
{
    MV88E1XXX_CLASS(klass)->phy_id = 0x01410e10;
    DEVICE_CLASS(klass)->desc = "Marvell 88E1118 Gigabit PHY";
}

static void mv88e1121r_class_init(ObjectClass *klass, void *data)
{
    MV88E1XXX_CLASS(klass)->phy_id = 0x01410cb0;
    DEVICE_CLASS(klass)->desc = "Marvell 88E1121R Gigabit PHY, one port";
}

static void mv_smi_bus_init(Object *obj)
{
    notifier_list_init(&MV_SMI_BUS(obj)->link_notifiers);
}

static const TypeInfo mv88e1xxx_types[] = {
    {
        .name = TYPE_MV_SMI_BUS,
        .parent = TYPE_BUS,
        .instance_size = sizeof(MVSMIBus),
        .instance_init = mv_smi_bus_init,
    },
    {
        .name = TYPE_MV88E1XXX,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(MV88E1xxxState),
        .class_size = sizeof(MV88E1xxxClass),
        .class_init = mv88e1xxx_class_init,
        .abstract = true,
    },
    {
        .name = TYPE_MV88E1116R,
        .parent = TYPE_MV88E1XXX,
        .class_init = mv88e1116r_class_init,
    },
    {
        .name = TYPE_MV88E1118,
        .parent = TYPE_MV88E1XXX,
        .class_init = mv88e1118_class_init,
    },
    {
        .name = TYPE_MV88E1121R,
        .parent = TYPE_MV88E1XXX,
        .class_init = mv88e1121r_class_init,
    },
};

DEFINE_TYPES(mv88e1xxx_types)
