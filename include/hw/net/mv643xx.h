/*
 * Marvell mv643xx Gigabit Ethernet unit, as in Kirkwood (88F6281)
 *
 * One unit has the shared registers: the SMI, the address windows of its DMA
 * and the unit interrupt.  Each of its ports is a MAC with eight receive and
 * eight transmit queues and one network client.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_NET_MV643XX_H
#define HW_NET_MV643XX_H

#include "exec/memory.h"
#include "hw/net/mv643xx_regs.h"
#include "hw/net/mv88e1xxx.h"
#include "hw/sysbus.h"
#include "net/net.h"
#include "qemu/units.h"
#include "qom/object.h"

#define TYPE_MV643XX "mv643xx"
OBJECT_DECLARE_SIMPLE_TYPE(MV643xxState, MV643XX)

#define TYPE_MV643XX_PORT "mv643xx-port"
OBJECT_DECLARE_SIMPLE_TYPE(MV643xxPort, MV643XX_PORT)

/* Interrupt lines of the unit, in the order of its sysbus outputs. */
typedef enum MV643xxLine {
    MV643XX_LINE_SUM,
    MV643XX_LINE_RX,
    MV643XX_LINE_TX,
    MV643XX_LINE_MISC,
    MV643XX_LINES,
} MV643xxLine;

#define MV643XX_IRQ_UNIT            0
#define MV643XX_IRQ_PORT(p, line)   (1 + MV643XX_LINES * (p) + (line))

/*
 * What stands between a MAC and QEMU's network backend.  Frames cross it in
 * zero time; a received frame that finds no descriptor waits in @staging, a
 * ring of records {arrival time, length, flags, bytes}, and one transmitted
 * frame that the backend refuses in @tx_held.
 */
#define MV643XX_STAGING_SIZE        (64 * KiB)
#define MV643XX_TX_MAX_FRAME        (16 * KiB)

typedef struct MV643xxWire {
    uint8_t staging[MV643XX_STAGING_SIZE];
    uint32_t head;      /* offset of the oldest record */
    uint32_t used;      /* bytes of all records */
    uint32_t frames;    /* number of records */
    QEMUTimer *rx_retry;

    uint8_t tx_held[MV643XX_TX_MAX_FRAME];
    uint32_t tx_held_len;
    QEMUTimer *tx_retry;
} MV643xxWire;

/* Moderation of the interrupts of one direction */
typedef enum MV643xxCoalDir {
    MV643XX_COAL_RX,
    MV643XX_COAL_TX,
    MV643XX_COAL_DIRS,
} MV643xxCoalDir;

typedef struct MV643xxCoal {
    bool up;            /* its causes reach the lines, if the masks let them */
    int64_t last;       /* virtual ns at which they began to; -1: never */
    QEMUTimer *timer;
} MV643xxCoal;

/* Counters of a port that no register shows: properties of the same names. */
typedef struct MV643xxStats {
    uint64_t rx_offered;
    uint64_t rx_delivered;
    uint64_t rx_held;
    uint64_t rx_drop_port_disabled;
    uint64_t rx_drop_link_down;
    uint64_t rx_drop_oversize;
    uint64_t rx_drop_pause;
    uint64_t rx_drop_filter;
    uint64_t rx_drop_queue_disabled;
    uint64_t rx_drop_no_descriptor;
    uint64_t rx_drop_dma;
    uint64_t tx_frames;
    uint64_t tx_descriptors;
    uint64_t tx_drop_link_down;
    uint64_t tx_drop_error;
    uint64_t tx_drop_backend;
    uint64_t irq_raised;
    uint64_t irq_suppressed_rx;
    uint64_t irq_suppressed_tx;
} MV643xxStats;

typedef struct MV643xxTxChain MV643xxTxChain;

struct MV643xxPort {
    DeviceState parent_obj;

    MV643xxState *unit;
    unsigned index;
    NICState *nic;
    NICConf conf;
    MV88E1xxxState *phy;
    qemu_irq irq[MV643XX_LINES];

    uint32_t regs[MV_PORT_SIZE / 4];
    uint32_t mib[MV_MIB_SIZE / 4];
    uint32_t special_mc[MV_MC_SIZE / 4];
    uint32_t other_mc[MV_MC_SIZE / 4];
    uint32_t unicast[MV_UC_SIZE / 4];
    uint8_t tx_last_queue;
    QEMUTimer *tx_resume;
    MV643xxWire wire;
    MV643xxCoal coal[MV643XX_COAL_DIRS];
    MV643xxStats stats;

    bool link_down;     /* of the backend, kept for migration */

    /* Recomputed or scratch, nothing of it outlives an event. */
    uint8_t lines;      /* levels of @irq, one bit each */
    uint8_t *rx_frame;
    uint8_t *tx_frame;
    MV643xxTxChain *tx_chain;
};

struct MV643xxState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    MemoryRegion *dma_mr;
    AddressSpace dma_as;
    MVSMIBus smi_bus;
    MVSMIBus *poll_bus;
    Notifier link_notifier;
    qemu_irq irq;

    uint8_t num_ports;
    uint8_t phy_addr;
    uint32_t tclk;      /* Hz */
    MV643xxPort port[MV643XX_MAX_PORTS];

    uint32_t regs[MV_PORT_BASE(0) / 4];
};

#endif
