/*
 * Marvell 88E1xxx Gigabit PHYs and the SMI bus they sit on
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_NET_MV88E1XXX_H
#define HW_NET_MV88E1XXX_H

#include "hw/qdev-core.h"
#include "qemu/notify.h"
#include "qom/object.h"

#define TYPE_MV_SMI_BUS "mv-smi-bus"
OBJECT_DECLARE_SIMPLE_TYPE(MVSMIBus, MV_SMI_BUS)

#define TYPE_MV88E1XXX "mv88e1xxx"
OBJECT_DECLARE_TYPE(MV88E1xxxState, MV88E1xxxClass, MV88E1XXX)

#define TYPE_MV88E1116R "88e1116r"
#define TYPE_MV88E1118  "88e1118"
#define TYPE_MV88E1121R "88e1121r"

#define MV88E1XXX_PAGE_REGS     32
#define MV88E1XXX_PAGES         7

/* What a PHY has agreed on with the other end of the cable. */
typedef struct MVPhyLink {
    bool up;
    bool full_duplex;
    bool pause;
    int mbps;
} MVPhyLink;

struct MVSMIBus {
    BusState parent_obj;

    /* Told the address of a PHY (int *) whose link has changed. */
    NotifierList link_notifiers;
};

struct MV88E1xxxClass {
    DeviceClass parent_class;

    uint32_t phy_id;
};

struct MV88E1xxxState {
    DeviceState parent_obj;

    uint8_t address;

    bool cable;         /* the other end is there: not guest state */
    bool link_lost;     /* latched low link bit of BMSR */
    MVPhyLink link;
    uint16_t page;
    uint16_t regs[MV88E1XXX_PAGES][MV88E1XXX_PAGE_REGS];
};

/*
 * Clause 22 access to the PHY at @address (0-31).  A read of an address where
 * no PHY answers gives 0xffff, as a floating bus does; a write to it is lost.
 * @reg is 0-31, within the page that register 22 of the PHY selects.
 */
uint16_t mv_smi_read(MVSMIBus *bus, unsigned address, unsigned reg);
void mv_smi_write(MVSMIBus *bus, unsigned address, unsigned reg,
                  uint16_t value);

/* The PHY that answers at @address, or NULL. */
MV88E1xxxState *mv_smi_phy(MVSMIBus *bus, unsigned address);

/*
 * Plug or unplug the cable.  The PHY renegotiates at once; listeners of the
 * bus are told when the link has changed.
 */
void mv88e1xxx_set_cable(MV88E1xxxState *phy, bool plugged);

#endif
