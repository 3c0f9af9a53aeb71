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

/* What a frame in flight knows; all times are virtual ns. */
typedef struct MV643xxRecord {
    int64_t start;      /* its preamble begins at the sender */
    int64_t due;        /* its last bit is at the other end */
    uint32_t len;       /* without FCS */
    uint16_t byte_ns;   /* the rate that it is sent at; 0: no time */
    uint8_t queue;      /* of a transmitted frame */
    uint8_t flags;      /* of a received frame */
} MV643xxRecord;

/* Frames in order, each behind its record, in one buffer that never grows. */
typedef struct MV643xxFrames {
    uint8_t *data;
    uint32_t size;      /* of @data, twice what may be in it */
    uint32_t head;      /* offset of the oldest record */
    uint32_t used;      /* bytes of all records and their frames */
    uint32_t count;
    uint32_t stream;    /* @used in a migration stream */
} MV643xxFrames;

#define MV643XX_TX_MAX_FRAME        (16 * KiB)
#define MV643XX_TX_FIFO             2048

/*
 * What may be on its way: @wire-delay at 1000 Mb/s, and in front of that what
 * waits for its turn.
 */
#define MV643XX_MAX_DELAY           8000000

/* How much the wire's timer may come late, ns: as it comes, and at most */
#define MV643XX_SLACK               200000
#define MV643XX_MAX_SLACK           1000000
#define MV643XX_RX_WAITING          (64 * KiB)
#define MV643XX_FLIGHT_SIZE         (1 * MiB + MV643XX_RX_WAITING)

/*
 * What stands between a MAC and QEMU's network backend: two lanes that carry
 * frames at the rate of the link.  mv643xx-wire.c tells how.
 */
typedef struct MV643xxWire {
    bool ideal;             /* property: frames take no time */
    uint64_t delay;         /* property: propagation delay, ns */
    uint64_t slack;         /* property: of the timer in a stream, ns */

    MV643xxFrames tx;       /* from the FIFO to the backend */
    uint32_t tx_sent;       /* bytes of its oldest records, past wire end */
    int64_t tx_free;        /* from when on the next frame may start */
    int64_t tx_due;         /* of the frame that started last */

    MV643xxFrames rx;       /* from the backend to the descriptors */
    int64_t rx_free;
    int64_t rx_due;
    int64_t rx_retry;       /* when a frame without descriptor tries again */

    int64_t resume;         /* when work that was cut short goes on, or -1 */

    uint8_t tx_held[MV643XX_TX_MAX_FRAME];  /* refused by the backend */
    uint32_t tx_held_len;
    QEMUTimer *tx_retry;

    uint32_t stream_tx_sent;        /* these in a migration stream */
    uint32_t stream_tx_held_len;

    /* Recomputed from the above. */
    QEMUTimer *timer;       /* for all that is to come */
    int64_t next;           /* when that is, or INT64_MAX */
    uint32_t tx_fifo;       /* bytes of frames before their wire end */
    uint32_t tx_unsent[MV643XX_QUEUES];     /* their number by queue */
    bool rx_full;           /* the backend may have been refused */
    bool running;           /* events are being handled */
} MV643xxWire;

/* A token bucket: what was in it at one time, in mv643xx-bucket.c's units */
typedef struct MV643xxBucket {
    int64_t level;
    int64_t since;      /* virtual ns */
} MV643xxBucket;

#define MV643XX_BUCKETS     (MV643XX_QUEUES + 1)    /* the last is the port's */

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

/* The DMA that feeds the transmit FIFO, one frame at a time. */
typedef struct MV643xxTxDma {
    int64_t kick[MV643XX_QUEUES];   /* when a queue was enabled */
    int64_t free;           /* when the last frame was in the FIFO */
    int64_t begun;          /* while @active: when it met a full FIFO */
    int64_t done;           /* ... and when the frame is all in it */
    bool active;
    uint8_t queue;          /* ... of this queue */
    bool disable;           /* ... which stops after this frame */
    uint8_t idle;           /* queues whose TxEnd waits for a wire end */
} MV643xxTxDma;

/* Powers of two of descriptors that follow a kick */
#define MV643XX_KICK_CLASSES        12

#define MV643XX_COUNTERS            27

/* Counters of a port that no register shows: properties of the same names. */
typedef struct MV643xxStats {
    union {
        struct {
#define STAT(field, name) uint64_t field;
#include "hw/net/mv643xx_stats.h.inc"
#undef STAT
        };
        uint64_t counter[MV643XX_COUNTERS];
    };
    uint64_t kick_mark;     /* tx_descriptors at the last kick */
    uint64_t kick_class[MV643XX_KICK_CLASSES];
} MV643xxStats;

typedef struct MV643xxTxChain MV643xxTxChain;
typedef struct MV643xxPcap MV643xxPcap;

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
    MV643xxTxDma tx_dma;
    MV643xxTxDma stream_tx_dma;     /* the same in a migration stream */
    MV643xxWire wire;
    MV643xxCoal coal[MV643XX_COAL_DIRS];
    MV643xxBucket tx_bucket[MV643XX_BUCKETS];
    MV643xxStats stats;
    MV643xxPcap *pcap;
    char *pcap_wanted;  /* by a property before realize */

    bool link_down;     /* of the backend, kept for migration */

    /* Recomputed or scratch, nothing of it outlives an event. */
    uint8_t lines;      /* levels of @irq, one bit each */
    uint8_t *rx_frame;
    MV643xxTxChain *tx_chain;   /* outlives an event while @tx_dma is active */
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
