/*
 * Marvell mv643xx Gigabit Ethernet unit: receive queues
 *
 * Hardware reference, sections 5.2 to 5.4 and 6.4.  A frame fills buffers in
 * turn; a descriptor is closed only when its successor is known, so that the
 * last one can say that the frame was cut short.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <zlib.h>
#include "mv643xx-internal.h"
#include "qemu/bswap.h"
#include "trace.h"

#define BUF_SIZE_MASK       0xfff8
#define FLOW_CONTROL_TYPE   0x8808
#define PAUSE_OPCODE        1

/* Longest received frame with FCS by MRU code; 6 and 7 are reserved. */
static const uint32_t mru_octets[] = {
    1518, 1522, 1552, 9022, 9192, 9700, 9700, 9700,
};

static uint32_t rx_limit(const MV643xxPort *port)
{
    uint32_t psc0 = mv643xx_get(port, MV_PSC0);

    return mru_octets[(psc0 >> MV_PSC0_MRU_SHIFT) & 7] - MV_FCS_LEN;
}

uint64_t *mv643xx_rx_closed(MV643xxPort *port)
{
    if (!mv643xx_port_running(port)) {
        return &port->stats.rx_drop_port_disabled;
    }
    if (!mv643xx_link_up(port)) {
        return &port->stats.rx_drop_link_down;
    }
    return NULL;
}

static void discard(MV643xxPort *port, uint64_t *reason, uint32_t len,
                    const char *why)
{
    trace_mv643xx_rx_drop(DEVICE(port)->canonical_path, len, why);
    *mv643xx_reg(port, MV_PXDFC) += 1;
    *reason += 1;
}

void mv643xx_rx_no_descriptor(MV643xxPort *port, uint32_t len)
{
    discard(port, &port->stats.rx_drop_no_descriptor, len, "no descriptor");
}

/* MAC control frames end in the MAC; pause frames stop nothing yet. */
static bool consume_mac_control(MV643xxPort *port, const uint8_t *frame)
{
    static const uint8_t pause_addr[] = { 0x01, 0x80, 0xc2, 0, 0, 0x01 };
    bool own = ldl_be_p(frame) == mv643xx_get(port, MV_MACH) &&
               lduw_be_p(frame + 4) == mv643xx_get(port, MV_MACL);

    if (lduw_be_p(frame + 12) != FLOW_CONTROL_TYPE ||
        (!own && memcmp(frame, pause_addr, sizeof(pause_addr)))) {
        return false;
    }
    mv643xx_mib_count(port, lduw_be_p(frame + 14) == PAUSE_OPCODE ?
                      MV_MIB_FC_GOOD : MV_MIB_UNREC_MAC_CTRL);
    port->stats.rx_drop_pause++;
    return true;
}

void mv643xx_rx_oversize(MV643xxPort *port, uint32_t len)
{
    trace_mv643xx_rx_drop(DEVICE(port)->canonical_path, len, "oversize");
    mv643xx_mib_count(port, MV_MIB_OVERSIZE);
    port->stats.rx_drop_oversize++;
}

bool mv643xx_rx_arrive(MV643xxPort *port, const uint8_t *frame, uint32_t len)
{
    if (len > rx_limit(port)) {
        mv643xx_rx_oversize(port, len);
        return false;
    }
    if (consume_mac_control(port, frame)) {
        return false;
    }
    mv643xx_mib_rx(port, frame, len);
    return true;
}

static bool fetch(MV643xxPort *port, uint32_t addr, MV643xxDesc *desc)
{
    return addr && mv643xx_read_desc(port, addr, desc) &&
           (desc->cmd_sts & MV_RXD_O) && (desc->buf_size & BUF_SIZE_MASK);
}

/* A frame on its way into descriptors */
typedef struct Filling {
    unsigned queue;
    uint32_t addr;          /* descriptor being filled */
    MV643xxDesc desc;
    uint32_t first;         /* MV_RXD_F until the first one is closed */
    uint32_t causes;
    bool fragment;
} Filling;

/* Return the descriptor to the driver: status last. */
static bool close_desc(MV643xxPort *port, Filling *f, uint32_t status)
{
    bool frame_interrupt = mv643xx_get(port, MV_SDC) & MV_SDC_RIFB;

    status |= f->first | (f->desc.cmd_sts & MV_RXD_EI);
    f->first = 0;
    f->desc.buf_size &= ~MV_RXD_SIZE_FRAGMENT;
    if (f->fragment) {
        f->desc.buf_size |= MV_RXD_SIZE_FRAGMENT;
    }
    if (!mv643xx_write_desc_size(port, f->addr, &f->desc) ||
        !mv643xx_write_desc_status(port, f->addr, status)) {
        return false;
    }
    *mv643xx_reg(port, MV_RX_SHADOW_STS(f->queue)) = status;
    *mv643xx_reg(port, MV_RX_SHADOW_CNT(f->queue)) =
        (uint32_t)f->desc.byte_cnt << 16 | f->desc.buf_size;
    *mv643xx_reg(port, MV_RX_SHADOW_BUF(f->queue)) = f->desc.buf;
    *mv643xx_reg(port, MV_CRDP(f->queue)) = f->desc.next;
    if (frame_interrupt ? status & MV_RXD_L : status & MV_RXD_EI) {
        f->causes |= MV_IC_RXQ(f->queue);
    }
    return true;
}

typedef enum FillResult {
    FILL_WHOLE,     /* all data is in buffers, the last one still open */
    FILL_SHORT,     /* no further descriptor, or a buffer that fails */
    FILL_LOST,      /* a descriptor could not be returned */
} FillResult;

static FillResult fill(MV643xxPort *port, Filling *f, const uint8_t *data,
                       uint32_t len)
{
    for (;;) {
        uint32_t n = MIN(len, f->desc.buf_size & BUF_SIZE_MASK);
        uint32_t next_addr = f->desc.next;
        MV643xxDesc next;

        f->desc.byte_cnt = n;
        if (!mv643xx_dma_write(port, f->desc.buf, data, n)) {
            return FILL_SHORT;
        }
        data += n;
        len -= n;
        if (!len) {
            return FILL_WHOLE;
        }
        if (!fetch(port, next_addr, &next)) {
            return FILL_SHORT;
        }
        if (!close_desc(port, f, 0)) {
            return FILL_LOST;
        }
        f->addr = next_addr;
        f->desc = next;
    }
}

/* Pad, frame and FCS as they go to memory; the length of it all. */
static uint32_t assemble(MV643xxPort *port, const uint8_t *frame,
                         uint32_t len)
{
    uint8_t *to = port->rx_frame;

    memset(to, 0, MV_RX_PAD);
    memcpy(to + MV_RX_PAD, frame, len);
    stl_le_p(to + MV_RX_PAD + len, crc32(0, frame, len));
    return MV_RX_PAD + len + MV_FCS_LEN;
}

static uint32_t last_status(const MV643xxRxInfo *info,
                            const MV643xxRoute *route)
{
    return MV_RXD_L | info->status |
           (route->bpdu ? MV_RXD_BPDU : 0) |
           (route->unknown_da ? MV_RXD_UNKNOWN_DA : 0);
}

static void store(MV643xxPort *port, Filling *f, const uint8_t *frame,
                  uint32_t len, uint32_t status)
{
    uint32_t first_addr = f->addr;
    uint32_t total = assemble(port, frame, len);
    FillResult result = fill(port, f, port->rx_frame, total);

    if (result == FILL_SHORT) {
        status |= MV_RXD_ES | MV_RXD_CODE_RESOURCE << MV_RXD_CODE_SHIFT;
        f->causes |= MV_IC_RXERRQ(f->queue);
        port->stats.rx_drop_no_descriptor++;
    }
    if (result == FILL_LOST || !close_desc(port, f, status)) {
        f->causes |= MV_IC_RXERRQ(f->queue);
        port->stats.rx_drop_dma++;
    } else if (result == FILL_WHOLE) {
        port->stats.rx_delivered++;
        port->stats.rx_bytes += len;
        trace_mv643xx_rx_frame(DEVICE(port)->canonical_path, f->queue,
                               first_addr, status, len);
    }
    mv643xx_raise(port, f->causes, 0);
}

MV643xxRxResult mv643xx_rx_deliver(MV643xxPort *port, const uint8_t *frame,
                                   uint32_t len, bool refused)
{
    Filling f = { .first = MV_RXD_F };
    MV643xxRxInfo info;
    MV643xxRoute route;

    mv643xx_rx_parse(port, frame, len, &info);
    route = mv643xx_route(port, frame, &info);
    if (!route.accept) {
        discard(port, &port->stats.rx_drop_filter, len, "filter");
        return MV643XX_RX_DONE;
    }
    if (!(mv643xx_get(port, MV_RQC) & (1u << route.queue))) {
        discard(port, &port->stats.rx_drop_queue_disabled, len,
                "queue disabled");
        return MV643XX_RX_DONE;
    }
    f.queue = route.queue;
    f.fragment = info.fragment;
    f.addr = mv643xx_get(port, MV_CRDP(f.queue));
    if (!fetch(port, f.addr, &f.desc)) {
        if (!refused) {
            mv643xx_raise(port, MV_IC_RXERRQ(f.queue), 0);
        }
        return MV643XX_RX_NO_DESCRIPTOR;
    }
    store(port, &f, frame, len, last_status(&info, &route));
    return MV643XX_RX_DONE;
}
