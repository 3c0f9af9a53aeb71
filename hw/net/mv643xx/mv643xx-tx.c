/*
 * Marvell mv643xx Gigabit Ethernet unit: transmit queues
 *
 * Hardware reference, sections 5.5 to 5.8 and 6.3.  A frame is looked at from
 * its first descriptor to its last before anything is written back, so a
 * chain that is not complete yet leaves no trace but a TxError.
 *
 * Work is bounded by count: so many descriptors an event, the rest from a
 * timer on the virtual clock, and so many descriptors a frame.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <zlib.h>
#include "mv643xx-internal.h"
#include "qemu/bswap.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "trace.h"

#define DESCS_PER_EVENT     256
#define DESCS_PER_FRAME     1024
#define RESUME_NS           (10 * SCALE_US)

typedef struct TxLink {
    uint32_t addr;
    MV643xxDesc desc;
} TxLink;

/* The descriptors of one frame */
struct MV643xxTxChain {
    unsigned count;
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

static void stop_queue(MV643xxPort *port, unsigned queue, uint32_t ice)
{
    trace_mv643xx_tx_idle(DEVICE(port)->canonical_path, queue,
                          mv643xx_get(port, MV_TCQDP(queue)));
    *mv643xx_reg(port, MV_TQC) &= ~(1u << queue);
    mv643xx_raise(port, MV_IC_TXEND(queue), ice);
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
static bool gather(MV643xxPort *port, const MV643xxTxChain *chain)
{
    uint8_t *to = port->tx_frame;

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
static uint32_t finish_frame(MV643xxPort *port, const MV643xxTxChain *chain)
{
    const MV643xxDesc *first = &chain->link[0].desc;
    uint32_t len = chain->octets;
    uint8_t *frame = port->tx_frame;

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
    *mv643xx_reg(port, MV_TCQDP(queue)) = last_link(chain)->desc.next;
    return true;
}

static void send_frame(MV643xxPort *port, uint32_t len)
{
    if (!mv643xx_link_up(port)) {
        port->stats.tx_drop_link_down++;
        return;
    }
    mv643xx_mib_tx(port, port->tx_frame, len);
    mv643xx_wire_send(port, port->tx_frame, len);
}

/*
 * Finish a frame whose chain has an end: all of the guest's view of it is
 * settled before it goes out, since an answer may come in from within.
 */
static void complete(MV643xxPort *port, unsigned queue,
                     const MV643xxTxChain *chain, uint32_t len)
{
    uint32_t first_addr = chain->link[0].addr;
    uint32_t cmd_sts = chain->link[0].desc.cmd_sts;
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
        return;
    }
    if (last_link(chain)->desc.cmd_sts & MV_TXD_EI) {
        causes |= MV_ICE_TXBUF(queue);
    }
    mv643xx_raise(port, 0, causes);
    if (len) {
        trace_mv643xx_tx_frame(DEVICE(port)->canonical_path, queue,
                               first_addr, cmd_sts, len, chain->count);
        send_frame(port, len);
    }
}

/* One frame of @queue, or its end; the number of descriptors looked at. */
static unsigned serve_queue(MV643xxPort *port, unsigned queue)
{
    MV643xxTxChain *chain = port->tx_chain;
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
        if (gather(port, chain)) {
            len = finish_frame(port, chain);
        }
        /* fall through */
    case COLLECT_BAD:
        complete(port, queue, chain, len);
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

void mv643xx_tx_run(MV643xxPort *port)
{
    unsigned done = 0;
    bool was_inside;

    if (!active_queues(port)) {
        return;
    }
    was_inside = mv643xx_enter(port->unit);
    while (active_queues(port) && done < DESCS_PER_EVENT) {
        done += serve_queue(port, pick_queue(port, active_queues(port)));
    }
    if (active_queues(port)) {
        timer_mod(port->tx_resume,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + RESUME_NS);
    }
    mv643xx_leave(port->unit, was_inside);
}

static void tx_resume(void *opaque)
{
    mv643xx_tx_run(opaque);
}

void mv643xx_tx_init(MV643xxPort *port)
{
    port->tx_resume = timer_new_ns(QEMU_CLOCK_VIRTUAL, tx_resume, port);
    port->tx_chain = g_new0(MV643xxTxChain, 1);
    port->tx_frame = g_malloc0(MV643XX_TX_MAX_FRAME);
}

void mv643xx_tx_reset(MV643xxPort *port)
{
    timer_del(port->tx_resume);
    port->tx_last_queue = 0;
}

void mv643xx_tx_cleanup(MV643xxPort *port)
{
    timer_free(port->tx_resume);
    g_free(port->tx_chain);
    g_free(port->tx_frame);
}
