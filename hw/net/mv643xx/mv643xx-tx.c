/*
 * Marvell mv643xx Gigabit Ethernet unit: transmit queues
 *
 * Hardware reference, sections 5.5 to 5.8 and 6.3.  A frame is looked at from
 * its first descriptor to its last before anything is written back, so a
 * chain that is not complete yet leaves no trace but a TxError.
 *
 * The DMA takes no time but where the FIFO is full: then it waits, and the
 * frame's descriptors return with its last byte's entry.  While it waits its
 * chain is state of the port; everything else happens within one step.  What
 * is behind the FIFO is mv643xx-wire.c's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <zlib.h>
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "qemu/bswap.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "trace.h"

#define DESCS_PER_FRAME     1024

typedef struct TxLink {
    uint32_t addr;
    MV643xxDesc desc;
} TxLink;

/* The descriptors of one frame */
struct MV643xxTxChain {
    uint32_t count;
    uint32_t octets;
    TxLink link[DESCS_PER_FRAME];
};

static const TxLink *last_link(const MV643xxTxChain *chain)
{
    return &chain->link[chain->count - 1];
}

static void trace_drop(MV643xxPort *port, unsigned queue, uint32_t addr,
                       const char *why)
{
    trace_mv643xx_tx_drop(DEVICE(port)->canonical_path, queue, addr, why);
}

/* TxEnd comes when the last frame of the queue has left. */
static void stop_queue(MV643xxPort *port, unsigned queue, uint32_t ice)
{
    trace_mv643xx_tx_idle(DEVICE(port)->canonical_path, queue,
                          mv643xx_get(port, MV_TCQDP(queue)));
    *mv643xx_reg(port, MV_TQC) &= ~(1u << queue);
    if (mv643xx_wire_has_unsent(port, queue)) {
        port->tx_dma.idle |= 1u << queue;
        mv643xx_raise(port, 0, ice);
    } else {
        mv643xx_raise(port, MV_IC_TXEND(queue), ice);
    }
}

void mv643xx_tx_drained(MV643xxPort *port, unsigned queue)
{
    if (port->tx_dma.idle & 1u << queue) {
        port->tx_dma.idle &= ~(1u << queue);
        mv643xx_raise(port, MV_IC_TXEND(queue), 0);
    }
}

void mv643xx_tx_all_drained(MV643xxPort *port)
{
    for (unsigned queue = 0; queue < MV643XX_QUEUES; queue++) {
        mv643xx_tx_drained(port, queue);
    }
}

typedef enum CollectResult {
    COLLECT_IDLE,       /* the first descriptor is not owned, or NULL */
    COLLECT_FRAME,
    COLLECT_BAD,        /* a chain to give back without sending it */
    COLLECT_BROKEN,     /* a chain without end: leave it alone */
} CollectResult;

static bool fetch(MV643xxPort *port, uint32_t addr, MV643xxDesc *desc)
{
    return addr && mv643xx_read_desc(port, addr, desc) &&
           (desc->cmd_sts & MV_TXD_O);
}

/* Read descriptors from TCQDP of @queue up to the last one of a frame. */
static CollectResult collect(MV643xxPort *port, unsigned queue,
                             MV643xxTxChain *chain)
{
    uint32_t addr = mv643xx_get(port, MV_TCQDP(queue));
    bool whole = true;
    MV643xxDesc desc;

    chain->count = 0;
    chain->octets = 0;
    while (chain->count < DESCS_PER_FRAME) {
        bool first = chain->count == 0;

        if (!fetch(port, addr, &desc)) {
            return first ? COLLECT_IDLE : COLLECT_BROKEN;
        }
        if (first) {
            whole = desc.cmd_sts & MV_TXD_F;
        } else if (desc.cmd_sts & MV_TXD_F) {
            return COLLECT_BAD;
        }
        chain->link[chain->count].addr = addr;
        chain->link[chain->count].desc = desc;
        chain->count++;
        chain->octets += desc.byte_cnt;
        if (desc.cmd_sts & MV_TXD_L) {
            return whole && chain->octets &&
                   chain->octets <= MV643XX_TX_MAX_FRAME ?
                   COLLECT_FRAME : COLLECT_BAD;
        }
        addr = desc.next;
    }
    return COLLECT_BROKEN;
}

/* Bring the data of @chain together; false if a buffer cannot be read. */
static bool gather(MV643xxPort *port, const MV643xxTxChain *chain, uint8_t *to)
{
    for (unsigned i = 0; i < chain->count; i++) {
        const MV643xxDesc *desc = &chain->link[i].desc;

        if (!mv643xx_dma_read(port, desc->buf, to, desc->byte_cnt)) {
            return false;
        }
        to += desc->byte_cnt;
    }
    return true;
}

/*
 * The frame as it goes to the backend, which has no FCS; its length, or 0 if
 * its FCS, made by software, is wrong.
 */
static uint32_t finish_frame(MV643xxPort *port, const MV643xxTxChain *chain,
                             uint8_t *frame)
{
    const MV643xxDesc *first = &chain->link[0].desc;
    uint32_t len = chain->octets;

    if (mv643xx_get(port, MV_PXCX) & MV_PXCX_TX_CRC_DIS) {
        uint32_t fcs;

        if (len <= MV_FCS_LEN) {
            return 0;
        }
        len -= MV_FCS_LEN;
        fcs = ldl_le_p(frame + len);
        return fcs == crc32(0, frame, len) ? len : 0;
    }
    mv643xx_tx_checksum(port, frame, len, first->cmd_sts, first->buf_size);
    if ((last_link(chain)->desc.cmd_sts & MV_TXD_ZP) &&
        len < MV643XX_MIN_FRAME) {
        memset(frame + len, 0, MV643XX_MIN_FRAME - len);
        len = MV643XX_MIN_FRAME;
    }
    return len;
}

/*
 * Give the descriptors of @chain back and move the queue's pointer behind
 * them.  Only the last one carries an error; other bits stay, since Linux
 * looks at EI when it reclaims.
 */
static bool give_back(MV643xxPort *port, unsigned queue,
                      const MV643xxTxChain *chain, uint32_t error)
{
    for (unsigned i = 0; i < chain->count; i++) {
        const TxLink *link = &chain->link[i];
        uint32_t status = link->desc.cmd_sts & ~MV_TXD_O;

        if (link == last_link(chain)) {
            status |= error;
        }
        if (!mv643xx_write_desc_status(port, link->addr, status)) {
            return false;
        }
    }
    if (mv643xx_get(port, MV_TCQDP(queue)) == chain->link[0].addr) {
        *mv643xx_reg(port, MV_TCQDP(queue)) = last_link(chain)->desc.next;
    }
    return true;
}

/*
 * Settle the guest's view of a frame whose chain has an end.  @len is 0 for
 * what is not a frame.  False if that is not possible: the queue stops.
 */
static bool complete(MV643xxPort *port, unsigned queue,
                     const MV643xxTxChain *chain, uint32_t len)
{
    uint32_t first_addr = chain->link[0].addr;
    uint32_t causes = 0;

    *mv643xx_reg(port, MV_TCSDP) = last_link(chain)->addr;
    port->stats.tx_descriptors += chain->count;
    if (!len) {
        causes |= MV_ICE_TXERR(queue);
        port->stats.tx_drop_error++;
        trace_drop(port, queue, first_addr, "not a frame");
    }
    if (!give_back(port, queue, chain, len ? 0 : MV_TXD_ES)) {
        port->stats.tx_drop_error++;
        trace_drop(port, queue, first_addr, "write-back failed");
        stop_queue(port, queue, MV_ICE_TXERR(queue));
        return false;
    }
    if (last_link(chain)->desc.cmd_sts & MV_TXD_EI) {
        causes |= MV_ICE_TXBUF(queue);
    }
    mv643xx_raise(port, 0, causes);
    if (len) {
        trace_mv643xx_tx_frame(DEVICE(port)->canonical_path, queue,
                               first_addr, chain->link[0].desc.cmd_sts, len,
                               chain->count);
    }
    return true;
}

/* What was waiting for the FIFO is all in it, or lost. */
static void end_dma(MV643xxPort *port)
{
    MV643xxTxDma *dma = &port->tx_dma;

    dma->active = false;
    complete(port, dma->queue, port->tx_chain, port->tx_chain->octets);
    if (dma->disable) {
        dma->disable = false;
        if (mv643xx_get(port, MV_TQC) & 1u << dma->queue) {
            stop_queue(port, dma->queue, 0);
        }
    }
}

/* Put a frame into the FIFO at @at, or begin to; its bytes are in the room. */
static void start_frame(MV643xxPort *port, unsigned queue, uint32_t len,
                        int64_t at)
{
    MV643xxTxDma *dma = &port->tx_dma;
    MV643xxTxChain *chain = port->tx_chain;
    int64_t done;

    if (!mv643xx_link_up(port)) {
        port->stats.tx_drop_link_down += complete(port, queue, chain, len);
        return;
    }
    mv643xx_bucket_charge(port, queue, MAX(len, MV643XX_MIN_FRAME) + MV_FCS_LEN,
                          at);
    done = mv643xx_wire_fifo_time(port, len, at);
    if (done > at) {
        chain->octets = len;
        dma->active = true;
        dma->queue = queue;
        dma->begun = at;
        dma->done = done;
        mv643xx_wire_tx_push(port, queue, len, at);
    } else if (complete(port, queue, chain, len)) {
        mv643xx_wire_tx_push(port, queue, len, at);
    }
}

/* The next frame of @queue, or its end; the number of descriptors seen. */
static unsigned serve_queue(MV643xxPort *port, unsigned queue, int64_t at)
{
    MV643xxTxChain *chain = port->tx_chain;
    uint8_t *frame = mv643xx_wire_tx_room(port);
    uint32_t len = 0;

    switch (collect(port, queue, chain)) {
    case COLLECT_IDLE:
        stop_queue(port, queue, 0);
        break;
    case COLLECT_BROKEN:
        port->stats.tx_drop_error++;
        trace_drop(port, queue, chain->link[0].addr, "no last descriptor");
        stop_queue(port, queue, MV_ICE_TXERR(queue));
        break;
    case COLLECT_FRAME:
        if (frame && gather(port, chain, frame)) {
            len = finish_frame(port, chain, frame);
        }
        if (len) {
            start_frame(port, queue, len, at);
            break;
        }
        /* fall through */
    case COLLECT_BAD:
        complete(port, queue, chain, 0);
        break;
    }
    return chain->count + 1;
}

/*
 * Fixed-priority queues come first, the highest of them; the others take
 * turns frame by frame.
 */
static unsigned pick_queue(MV643xxPort *port, uint32_t active)
{
    uint32_t fixed = active & mv643xx_get(port, MV_TX_FIXED_PRIO);
    uint32_t behind;

    if (fixed) {
        return 31 - clz32(fixed);
    }
    behind = active & ~((2u << port->tx_last_queue) - 1);
    port->tx_last_queue = ctz32(behind ? behind : active);
    return port->tx_last_queue;
}

static uint32_t active_queues(const MV643xxPort *port)
{
    return mv643xx_port_running(port) ?
           mv643xx_get(port, MV_TQC) & MV_QC_ENABLE_MASK : 0;
}

/*
 * When @queue, which is active, may start its next frame: virtual ns, or
 * INT64_MAX if that depends on something else than time.
 */
static int64_t may_start(const MV643xxPort *port, unsigned queue)
{
    return MAX(MAX(port->tx_dma.free, port->tx_dma.kick[queue]),
               mv643xx_bucket_ready_at(port, queue));
}

int64_t mv643xx_tx_next(const MV643xxPort *port)
{
    uint32_t active;
    int64_t at = INT64_MAX;

    if (port->tx_dma.active) {
        return port->tx_dma.done;
    }
    for (active = active_queues(port); active; active &= active - 1) {
        at = MIN(at, may_start(port, ctz32(active)));
    }
    return at;
}

unsigned mv643xx_tx_step(MV643xxPort *port, int64_t at)
{
    MV643xxTxDma *dma = &port->tx_dma;
    uint32_t active, ready = 0;

    if (dma->active) {
        port->stats.tx_fifo_full_ns += dma->done - dma->begun;
        dma->free = dma->done;
        end_dma(port);
        return 1;
    }
    for (active = active_queues(port); active; active &= active - 1) {
        if (may_start(port, ctz32(active)) <= at) {
            ready |= active & -active;
        }
    }
    return ready ? serve_queue(port, pick_queue(port, ready), at) : 1;
}

static void enable_queues(MV643xxPort *port, uint32_t queues)
{
    MV643xxTxDma *dma = &port->tx_dma;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    dma->idle &= ~queues;
    if (queues & 1u << dma->queue) {
        dma->disable = false;
    }
    for (queues &= ~mv643xx_get(port, MV_TQC); queues; queues &= queues - 1) {
        dma->kick[ctz32(queues)] = now;
        *mv643xx_reg(port, MV_TQC) |= queues & -queues;
    }
}

/* One whose frame is on its way into the FIFO stops behind that. */
static void disable_queues(MV643xxPort *port, uint32_t queues)
{
    MV643xxTxDma *dma = &port->tx_dma;

    for (queues &= mv643xx_get(port, MV_TQC); queues; queues &= queues - 1) {
        unsigned queue = ctz32(queues);

        if (dma->active && dma->queue == queue) {
            dma->disable = true;
        } else {
            stop_queue(port, queue, 0);
        }
    }
}

void mv643xx_tx_command(MV643xxPort *port, uint32_t value)
{
    uint32_t disable = value >> MV_QC_DISABLE_SHIFT & MV_QC_ENABLE_MASK;
    uint32_t enable = value & MV_QC_ENABLE_MASK & ~disable;

    if (enable) {
        mv643xx_stats_kick(port);
        enable_queues(port, enable);
    }
    disable_queues(port, disable);
}

void mv643xx_tx_enabled(MV643xxPort *port)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    for (unsigned queue = 0; queue < MV643XX_QUEUES; queue++) {
        port->tx_dma.kick[queue] = now;
    }
}

void mv643xx_tx_link_lost(MV643xxPort *port)
{
    if (port->tx_dma.active) {
        port->tx_dma.free = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        end_dma(port);
    }
}

void mv643xx_tx_abort(MV643xxPort *port)
{
    port->tx_dma.active = false;
    port->tx_dma.disable = false;
    port->tx_dma.idle = 0;
    port->stats.tx_drop_reset += mv643xx_wire_tx_abort(port);
}

void mv643xx_tx_init(MV643xxPort *port)
{
    port->tx_chain = g_new0(MV643xxTxChain, 1);
}

void mv643xx_tx_reset(MV643xxPort *port)
{
    mv643xx_tx_abort(port);
    port->tx_last_queue = 0;
}

void mv643xx_tx_cleanup(MV643xxPort *port)
{
    g_free(port->tx_chain);
}

/* Migration */

static bool dma_valid(const MV643xxTxDma *dma)
{
    for (unsigned queue = 0; queue < MV643XX_QUEUES; queue++) {
        if (!mv643xx_time_valid(dma->kick[queue])) {
            return false;
        }
    }
    return mv643xx_time_valid(dma->free) && mv643xx_time_valid(dma->begun) &&
           mv643xx_time_valid(dma->done) && dma->queue < MV643XX_QUEUES;
}

/* A frame in DMA has its chain, and is in the FIFO. */
static bool dma_fits(const MV643xxPort *port, const MV643xxTxDma *dma)
{
    return !dma->active ||
           (port->tx_chain->count && port->tx_chain->octets &&
            mv643xx_wire_has_unsent(port, dma->queue));
}

bool mv643xx_tx_loaded(MV643xxPort *port)
{
    const MV643xxTxDma *dma = &port->stream_tx_dma;

    if (!dma_valid(dma) || !dma_fits(port, dma)) {
        return false;
    }
    port->tx_dma = *dma;
    return true;
}

const VMStateDescription vmstate_mv643xx_tx_dma = {
    .name = "mv643xx-tx-dma",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_INT64_ARRAY(kick, MV643xxTxDma, MV643XX_QUEUES),
        VMSTATE_INT64(free, MV643xxTxDma),
        VMSTATE_INT64(begun, MV643xxTxDma),
        VMSTATE_INT64(done, MV643xxTxDma),
        VMSTATE_BOOL(active, MV643xxTxDma),
        VMSTATE_UINT8(queue, MV643xxTxDma),
        VMSTATE_BOOL(disable, MV643xxTxDma),
        VMSTATE_UINT8(idle, MV643xxTxDma),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_link = {
    .name = "mv643xx-tx-link",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(addr, TxLink),
        VMSTATE_UINT32(desc.cmd_sts, TxLink),
        VMSTATE_UINT32(desc.next, TxLink),
        VMSTATE_END_OF_LIST()
    }
};

static bool chain_fits(void *opaque, int version_id)
{
    MV643xxTxChain *chain = opaque;

    if (chain->count > DESCS_PER_FRAME) {
        chain->count = 0;
        return false;
    }
    return true;
}

/* What give_back() needs; without meaning while no DMA waits. */
const VMStateDescription vmstate_mv643xx_tx_chain = {
    .name = "mv643xx-tx-chain",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(count, MV643xxTxChain),
        VMSTATE_UINT32(octets, MV643xxTxChain),
        VMSTATE_VALIDATE("descriptors of a frame fit", chain_fits),
        VMSTATE_STRUCT_VARRAY_UINT32(link, MV643xxTxChain, count, 1,
                                     vmstate_link, TxLink),
        VMSTATE_END_OF_LIST()
    }
};
