/*
 * Marvell mv643xx Gigabit Ethernet unit: what its files share
 *
 * mv643xx.c         unit: register decoding, SMI, unit interrupt, reset
 * mv643xx-window.c  address windows, all DMA goes through them
 * mv643xx-port.c    port: registers, interrupts, link, network client
 * mv643xx-tx.c      transmit queues
 * mv643xx-rx.c      receive queues
 * mv643xx-filter.c  which queue takes a received frame
 * mv643xx-csum.c    checksums by the descriptor's own offsets
 * mv643xx-mib.c     counters
 * mv643xx-wire.c    between the MAC and the network backend, and all timing
 * mv643xx-frames.c  frames in flight
 * mv643xx-pcap.c    captures of the wire
 * mv643xx-stats.c   properties: counters and settings
 * mv643xx-coal.c    interrupt moderation
 * mv643xx-bucket.c  token buckets of the transmitter
 * mv88e1xxx.c       PHYs and the SMI bus
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_NET_MV643XX_INTERNAL_H
#define HW_NET_MV643XX_INTERNAL_H

#include "hw/net/mv643xx.h"
#include "mv643xx-regtable.h"

/* Longest frame that fits any MRU, without FCS, and room for pad and FCS. */
#define MV643XX_RX_MAX_FRAME    9700
#define MV643XX_RX_BUFFER       (MV_RX_PAD + MV643XX_RX_MAX_FRAME + MV_FCS_LEN)
#define MV643XX_MIN_FRAME       60

#define MV643XX_TX_MAX_CHAIN    1024

/* Of any rate, and of none: 10 Mb/s */
#define MV643XX_SLOWEST_BYTE_NS 800

/* Virtual times that can be reckoned with: nothing overflows. */
static inline bool mv643xx_time_valid(int64_t ns)
{
    return ns >= 0 && ns < INT64_MAX / 4;
}

/* A descriptor in host byte order, whatever its layout in memory. */
typedef struct MV643xxDesc {
    uint32_t cmd_sts;
    uint16_t buf_size;  /* l4i_chk of a transmit descriptor */
    uint16_t byte_cnt;
    uint32_t buf;
    uint32_t next;
} MV643xxDesc;

static inline uint32_t *mv643xx_reg(MV643xxPort *port, unsigned offset)
{
    return &port->regs[offset / 4];
}

static inline uint32_t mv643xx_get(const MV643xxPort *port, unsigned offset)
{
    return port->regs[offset / 4];
}

/* mv643xx.c */

/* Set bits of EUIC and its line. */
void mv643xx_raise_unit(MV643xxState *s, uint32_t causes);

/* The table row of a port register, or NULL; @offset is within the block. */
const MV643xxReg *mv643xx_port_reg(unsigned offset);

/*
 * Value of a register after @value is written, by its row of the table alone:
 * read-only bits stay, and where a 0 clears, a 1 stays.
 */
uint32_t mv643xx_merge(const MV643xxReg *reg, uint32_t old, uint32_t value);

/* The PHY at the address that the port polls, or NULL. */
MV88E1xxxState *mv643xx_polled_phy(MV643xxPort *port);

/*
 * Whatever moves data runs between these, from wherever it is called: a DMA
 * that points at the unit's own registers is then refused.  mv643xx_enter()
 * returns what mv643xx_leave() needs.
 */
bool mv643xx_enter(MV643xxState *s);
void mv643xx_leave(MV643xxState *s, bool was_inside);

/* mv643xx-window.c */

/*
 * Copy @len bytes between @buf and bus address @addr through the address
 * windows.  False when any byte is outside all enabled windows, forbidden to
 * the port or fails on the bus: EUIC and EUEA then say so, and bytes before
 * the failing one may have moved.  Hardware reference, section 3.
 */
bool mv643xx_dma_read(MV643xxPort *port, uint32_t addr, void *buf,
                      uint32_t len);
bool mv643xx_dma_write(MV643xxPort *port, uint32_t addr, const void *buf,
                       uint32_t len);

/* Descriptor access in the byte order that SDMA_CONFIG selects. */
bool mv643xx_read_desc(MV643xxPort *port, uint32_t addr, MV643xxDesc *desc);
bool mv643xx_write_desc_status(MV643xxPort *port, uint32_t addr,
                               uint32_t cmd_sts);
bool mv643xx_write_desc_size(MV643xxPort *port, uint32_t addr,
                             const MV643xxDesc *desc);

/* mv643xx-port.c */

uint32_t mv643xx_port_read(MV643xxPort *port, unsigned offset);
void mv643xx_port_write(MV643xxPort *port, unsigned offset, uint32_t value);

/* Latch causes (not the computed ones) and set the lines. */
void mv643xx_raise(MV643xxPort *port, uint32_t ic, uint32_t ice);

/* Recompute the lines; call after any change of a cause or mask. */
void mv643xx_update_irq(MV643xxPort *port);

/* The PHY that the port polls has changed its link. */
void mv643xx_phy_changed(MV643xxPort *port);

/* Recompute the link after a change of what decides it. */
void mv643xx_update_link(MV643xxPort *port);

void mv643xx_port_reset(MV643xxPort *port);

/* Stop all queues and drop what the port holds, as its reset bits do. */
void mv643xx_stop_queues(MV643xxPort *port);

/* Port enable set and no reset bit held. */
bool mv643xx_port_running(const MV643xxPort *port);

bool mv643xx_link_up(const MV643xxPort *port);

/* mv643xx-tx.c */

/* TXQ_COMMAND is written: enable and disable queues. */
void mv643xx_tx_command(MV643xxPort *port, uint32_t value);

/* The port may transmit again: its queues count as enabled now. */
void mv643xx_tx_enabled(MV643xxPort *port);

/* When the DMA has something to do next, virtual ns; INT64_MAX for never. */
int64_t mv643xx_tx_next(const MV643xxPort *port);

/*
 * Do it, as of virtual time @at, which is not before mv643xx_tx_next(); the
 * number of descriptors looked at, at least 1.
 */
unsigned mv643xx_tx_step(MV643xxPort *port, int64_t at);

/* The last frame of @queue in the FIFO has met its wire end; or of all. */
void mv643xx_tx_drained(MV643xxPort *port, unsigned queue);
void mv643xx_tx_all_drained(MV643xxPort *port);

/* The frame that waits for the FIFO is lost: return its descriptors. */
void mv643xx_tx_link_lost(MV643xxPort *port);

/* Forget what the DMA is at, as a reset of the port does. */
void mv643xx_tx_abort(MV643xxPort *port);

void mv643xx_tx_init(MV643xxPort *port);
void mv643xx_tx_reset(MV643xxPort *port);
void mv643xx_tx_cleanup(MV643xxPort *port);

/* Take over what was loaded, wire included; false if it does not fit. */
bool mv643xx_tx_loaded(MV643xxPort *port);

extern const VMStateDescription vmstate_mv643xx_tx_dma;
extern const VMStateDescription vmstate_mv643xx_tx_chain;

/* mv643xx-rx.c */

typedef enum MV643xxRxResult {
    MV643XX_RX_DONE,            /* delivered, or dropped and counted */
    MV643XX_RX_NO_DESCRIPTOR,   /* nothing has changed but RxError */
} MV643xxRxResult;

/*
 * A frame of at most MV643XX_RX_MAX_FRAME bytes, in wire order and without
 * FCS, has reached an open MAC: count it, and say whether it goes on to a
 * queue.
 */
bool mv643xx_rx_arrive(MV643xxPort *port, const uint8_t *frame, uint32_t len);

/*
 * Put a frame that has arrived into descriptors.  @refused says that it has
 * found none before, so that RxError is raised once a frame.
 */
MV643xxRxResult mv643xx_rx_deliver(MV643xxPort *port, const uint8_t *frame,
                                   uint32_t len, bool refused);

/* Count a frame that is longer than anything that could be received. */
void mv643xx_rx_oversize(MV643xxPort *port, uint32_t len);

/* Count a frame that was dropped for want of a descriptor. */
void mv643xx_rx_no_descriptor(MV643xxPort *port, uint32_t len);

/* Why nothing can arrive now: the counter of the reason, or NULL. */
uint64_t *mv643xx_rx_closed(MV643xxPort *port);

/* mv643xx-filter.c */

typedef struct MV643xxRoute {
    bool accept;
    bool unknown_da;    /* accepted by promiscuous mode alone */
    bool bpdu;          /* captured as BPDU */
    unsigned queue;
} MV643xxRoute;

struct MV643xxRxInfo;

MV643xxRoute mv643xx_route(const MV643xxPort *port, const uint8_t *frame,
                           const struct MV643xxRxInfo *info);

/* mv643xx-csum.c */

/* What the receiver's parser found; offsets from the start of the frame. */
typedef struct MV643xxRxInfo {
    uint32_t status;        /* bits 18:3, 19, 22:21, 23, 24, 25, 30 */
    uint16_t ethertype;     /* behind one VLAN tag and LLC/SNAP; 0 for none */
    bool vlan;
    uint8_t vlan_priority;
    bool ipv4;
    bool fragment;
    uint8_t tos;            /* of IPv4 */
    bool tcp;               /* unfragmented TCP over IPv4 */
    bool udp;
} MV643xxRxInfo;

/* Parse a frame of at least MV643XX_MIN_FRAME bytes and check its sums. */
void mv643xx_rx_parse(const MV643xxPort *port, const uint8_t *frame,
                      uint32_t len, MV643xxRxInfo *info);

/*
 * Put the checksums into @frame that @cmd_sts of its first descriptor asks
 * for; @l4i_chk is that descriptor's initial value.  A sum whose place is
 * outside the frame is left out and logged.
 */
void mv643xx_tx_checksum(MV643xxPort *port, uint8_t *frame, uint32_t len,
                         uint32_t cmd_sts, uint16_t l4i_chk);

/* mv643xx-mib.c */

uint32_t mv643xx_mib_read(MV643xxPort *port, unsigned offset);
void mv643xx_mib_count(MV643xxPort *port, unsigned offset);

/* Count a good frame; @len is without FCS. */
void mv643xx_mib_rx(MV643xxPort *port, const uint8_t *frame, uint32_t len);
void mv643xx_mib_tx(MV643xxPort *port, const uint8_t *frame, uint32_t len);

/* mv643xx-frames.c */

#define MV643XX_RECORD_SIZE     24

void mv643xx_frames_init(MV643xxFrames *frames);
void mv643xx_frames_cleanup(MV643xxFrames *frames);

/*
 * Where the bytes of a new frame of at most @len go, or NULL if that is too
 * much; mv643xx_frames_push() then makes it the youngest.
 */
uint8_t *mv643xx_frames_room(MV643xxFrames *frames, uint32_t len);
void mv643xx_frames_push(MV643xxFrames *frames, const MV643xxRecord *record);

/* Records and frames by their offset from the oldest one's record */
MV643xxRecord mv643xx_frames_get(const MV643xxFrames *frames, uint32_t offset);
void mv643xx_frames_set(MV643xxFrames *frames, uint32_t offset,
                        const MV643xxRecord *record);
const uint8_t *mv643xx_frames_data(const MV643xxFrames *frames,
                                   uint32_t offset);

/* Remove the oldest; its bytes stay where they are until the next room(). */
void mv643xx_frames_pop(MV643xxFrames *frames);

/* Remove all, whatever they are. */
void mv643xx_frames_clear(MV643xxFrames *frames);

/* Remove all from @offset on; how many. */
uint32_t mv643xx_frames_cut(MV643xxFrames *frames, uint32_t offset);

/* There are no frames after loading until they are taken over. */
void mv643xx_frames_take(MV643xxFrames *frames);

extern const VMStateDescription vmstate_mv643xx_frames;

/* mv643xx-wire.c */

/*
 * When the last byte of a frame of @len bytes would be in the transmit FIFO,
 * if its DMA began at @at: virtual ns, @at if there is room for all of it.
 */
int64_t mv643xx_wire_fifo_time(const MV643xxPort *port, uint32_t len,
                               int64_t at);

/*
 * A frame for the wire: its bytes go to room(), MV643XX_TX_MAX_FRAME of them
 * at most, or NULL if too much is in flight.  push() sends @len of them (no
 * FCS) as soon as the wire is free, not before @at.
 */
uint8_t *mv643xx_wire_tx_room(MV643xxPort *port);
void mv643xx_wire_tx_push(MV643xxPort *port, unsigned queue, uint32_t len,
                          int64_t at);

/* Frames that have not met their wire end: of a queue, and of none. */
bool mv643xx_wire_has_unsent(const MV643xxPort *port, unsigned queue);
bool mv643xx_wire_tx_empty(const MV643xxPort *port);

/* Empty the FIFO, whatever is half sent with it: the number of frames. */
uint32_t mv643xx_wire_tx_abort(MV643xxPort *port);

/* A frame comes from the backend: the far end begins to send it. */
void mv643xx_wire_receive(MV643xxPort *port, const uint8_t *frame,
                          uint32_t len);

/* Whether the backend may offer another frame. */
bool mv643xx_wire_can_receive(MV643xxPort *port);

/* Handle all that is due.  Within itself it does nothing. */
void mv643xx_wire_run(MV643xxPort *port);

/* The same before the guest looks or changes anything, if a timer is late. */
void mv643xx_wire_sync(MV643xxPort *port);

/* The same, and something may have changed for a frame that is held. */
void mv643xx_wire_poll(MV643xxPort *port);

/* The same only if there is such a frame. */
void mv643xx_wire_poll_held(MV643xxPort *port);

/* Ask the backend for what it was refused; for when there is room again. */
void mv643xx_wire_offer_again(MV643xxPort *port);

/* Drop the received frames that wait, counting them at @reason. */
void mv643xx_wire_drop(MV643xxPort *port, uint64_t *reason);

/* There is no link any more: what is on the wire is lost. */
void mv643xx_wire_link_lost(MV643xxPort *port);

/* Whether frames take no time from now on. */
void mv643xx_wire_set_ideal(MV643xxPort *port, bool ideal);

void mv643xx_wire_init(MV643xxPort *port);
void mv643xx_wire_reset(MV643xxPort *port);
void mv643xx_wire_cleanup(MV643xxPort *port);

/* All of the port is loaded: go on. */
void mv643xx_wire_loaded(MV643xxPort *port);

extern const VMStateDescription vmstate_mv643xx_wire;

/* mv643xx-coal.c */

/*
 * Settle whether RxBuffer or TxBuffer causes may be on the lines: @up of
 * port->coal[dir].  @present says that there is one, @enabled that there is
 * one that the masks let through.  If it has to wait, mv643xx_update_irq() is
 * called when its time is over.
 */
void mv643xx_coal_update(MV643xxPort *port, MV643xxCoalDir dir, bool present,
                         bool enabled);

/* Count an enabled RxBuffer or TxBuffer event, if it is held back. */
void mv643xx_coal_count(MV643xxPort *port, bool rx, bool tx);

void mv643xx_coal_init(MV643xxPort *port);
void mv643xx_coal_reset(MV643xxPort *port);
void mv643xx_coal_cleanup(MV643xxPort *port);

/* After loading: let what was held back wait for the rest of its time. */
void mv643xx_coal_resume(MV643xxPort *port, MV643xxCoalDir dir, bool enabled);

extern const VMStateDescription vmstate_mv643xx_coal;

/* mv643xx-pcap.c */

/*
 * Begin to write the frames on the wire to the file @name, or end that if it
 * is empty.  False with @errp set if that fails; what was set before stays.
 */
bool mv643xx_pcap_set(MV643xxPort *port, const char *name, Error **errp);
const char *mv643xx_pcap_name(const MV643xxPort *port);

/* Record a frame (no FCS) as of virtual time @ns, if that is asked for. */
void mv643xx_pcap_frame(MV643xxPort *port, const uint8_t *frame, uint32_t len,
                        int64_t ns);

/* mv643xx-stats.c */

/* TXQ_COMMAND enables queues. */
void mv643xx_stats_kick(MV643xxPort *port);

/* Properties of a port, and of all. */
void mv643xx_stats_init(MV643xxPort *port);
void mv643xx_stats_class_init(ObjectClass *klass);

/* mv643xx-bucket.c */

/*
 * From when on the buckets let @queue start a frame, in virtual ns; 0 if they
 * do not keep it back.  Until then only a register access can change it.
 */
int64_t mv643xx_bucket_ready_at(const MV643xxPort *port, unsigned queue);

/* A frame of @queue with so many octets, FCS included, starts: virtual ns. */
void mv643xx_bucket_charge(MV643xxPort *port, unsigned queue, uint32_t octets,
                           int64_t start);

/*
 * Around an access to the port's register at @offset: before it is read or
 * changed, so that counts are those of now, and after a write.
 */
void mv643xx_bucket_sync(MV643xxPort *port, unsigned offset);
void mv643xx_bucket_written(MV643xxPort *port, unsigned offset);

void mv643xx_bucket_reset(MV643xxPort *port);

extern const VMStateDescription vmstate_mv643xx_bucket;

#endif
