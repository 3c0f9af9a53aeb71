/*
 * Marvell mv643xx Gigabit Ethernet unit: the wire
 *
 * Between the MAC and QEMU's network backend.  Frames cross it in zero time,
 * so a sender can be infinitely fast, which no cable allows.  To keep that
 * from overrunning a ring at once, a received frame that finds no descriptor
 * waits here; after HOLD_NS of virtual time it is lost, as it would be at
 * once on hardware.  Waiting frames are the device's own state: nothing is
 * left in QEMU's packet queues, and the backend is refused only when there is
 * no room for another frame.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "qemu/bswap.h"
#include "qemu/timer.h"

#define HOLD_NS     (10 * SCALE_MS)
#define RETRY_NS    (50 * SCALE_US)

/* In front of every frame in the staging buffer, little-endian there. */
typedef struct Record {
    int64_t arrival;    /* virtual ns */
    uint32_t len;
    bool refused;       /* has met a queue without a descriptor */
} Record;

#define RECORD_ARRIVAL  0
#define RECORD_LEN      8
#define RECORD_REFUSED  12
#define RECORD_SIZE     16
#define RECORD_MAX      (RECORD_SIZE + MV643XX_RX_MAX_FRAME)

static Record load_record(const uint8_t *at)
{
    return (Record) {
        .arrival = ldq_le_p(at + RECORD_ARRIVAL),
        .len = ldl_le_p(at + RECORD_LEN),
        .refused = ldl_le_p(at + RECORD_REFUSED),
    };
}

static void store_record(uint8_t *at, const Record *record)
{
    stq_le_p(at + RECORD_ARRIVAL, record->arrival);
    stl_le_p(at + RECORD_LEN, record->len);
    stl_le_p(at + RECORD_REFUSED, record->refused);
}

/* Transmit */

/*
 * A frame that the backend refuses ends up in a queue that the device does
 * not own: take it out again.  The same bytes must be offered later, since a
 * stream backend may have sent part of them.
 */
static bool offer(MV643xxPort *port, const uint8_t *frame, uint32_t len)
{
    NetClientState *nc = qemu_get_queue(port->nic);

    if (qemu_send_packet_async(nc, frame, len, NULL) == 0) {
        qemu_purge_queued_packets(nc);
        return false;
    }
    return true;
}

static bool offer_held(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;

    if (wire->tx_held_len && offer(port, wire->tx_held, wire->tx_held_len)) {
        wire->tx_held_len = 0;
        timer_del(wire->tx_retry);
    }
    return !wire->tx_held_len;
}

static void arm_tx_retry(MV643xxPort *port)
{
    timer_mod(port->wire.tx_retry,
              qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + RETRY_NS);
}

static void tx_retry(void *opaque)
{
    MV643xxPort *port = opaque;

    if (!offer_held(port)) {
        arm_tx_retry(port);
    }
}

void mv643xx_wire_send(MV643xxPort *port, const uint8_t *frame, uint32_t len)
{
    MV643xxWire *wire = &port->wire;

    port->stats.tx_frames++;
    if (!offer_held(port)) {
        port->stats.tx_drop_backend++;
    } else if (!offer(port, frame, len)) {
        memcpy(wire->tx_held, frame, len);
        wire->tx_held_len = len;
        arm_tx_retry(port);
    }
}

/* Receive */

bool mv643xx_wire_can_receive(const MV643xxPort *port)
{
    return MV643XX_STAGING_SIZE - port->wire.used >= RECORD_MAX;
}

static Record head_record(const MV643xxWire *wire)
{
    return load_record(wire->staging + wire->head);
}

static void stage(MV643xxPort *port, const uint8_t *frame, uint32_t len,
                  bool refused)
{
    MV643xxWire *wire = &port->wire;
    Record record = {
        .arrival = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL),
        .len = len,
        .refused = refused,
    };
    uint8_t *to;

    if (wire->head + wire->used + RECORD_SIZE + len > MV643XX_STAGING_SIZE) {
        memmove(wire->staging, wire->staging + wire->head, wire->used);
        wire->head = 0;
    }
    to = wire->staging + wire->head + wire->used;
    store_record(to, &record);
    memcpy(to + RECORD_SIZE, frame, len);
    wire->used += RECORD_SIZE + len;
    wire->frames++;
    port->stats.rx_held = wire->frames;
}

static void unstage(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;
    uint32_t n = RECORD_SIZE + head_record(wire).len;

    wire->head += n;
    wire->used -= n;
    wire->frames--;
    port->stats.rx_held = wire->frames;
}

static void drop_staged(MV643xxPort *port, uint64_t *reason)
{
    *reason += port->wire.frames;
    port->wire.head = 0;
    port->wire.used = 0;
    port->wire.frames = 0;
    port->stats.rx_held = 0;
}

void mv643xx_wire_offer_again(MV643xxPort *port)
{
    qemu_flush_queued_packets(qemu_get_queue(port->nic));
}

void mv643xx_wire_drop(MV643xxPort *port, uint64_t *reason)
{
    bool full = !mv643xx_wire_can_receive(port);

    drop_staged(port, reason);
    if (full) {
        mv643xx_wire_offer_again(port);
    }
}

/* Deliver the oldest frame or give it up; false if it still waits. */
static bool settle_head(MV643xxPort *port, int64_t now)
{
    MV643xxWire *wire = &port->wire;
    Record record = head_record(wire);
    const uint8_t *frame = wire->staging + wire->head + RECORD_SIZE;
    MV643xxRxResult result;

    result = mv643xx_rx_deliver(port, frame, record.len, record.refused);
    if (result == MV643XX_RX_NO_DESCRIPTOR) {
        if (now - record.arrival < HOLD_NS) {
            record.refused = true;
            store_record(wire->staging + wire->head, &record);
            return false;
        }
        mv643xx_rx_no_descriptor(port, record.len);
    }
    unstage(port);
    return true;
}

static void settle(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    uint64_t *closed = mv643xx_rx_closed(port);
    bool was_inside = mv643xx_enter(port->unit);

    if (closed) {
        drop_staged(port, closed);
    }
    while (wire->frames && settle_head(port, now)) {
        ;
    }
    if (wire->frames) {
        timer_mod(wire->rx_retry, now + RETRY_NS);
    } else {
        timer_del(wire->rx_retry);
    }
    mv643xx_leave(port->unit, was_inside);
}

void mv643xx_wire_poll(MV643xxPort *port)
{
    bool full;

    if (!port->wire.frames) {
        return;
    }
    full = !mv643xx_wire_can_receive(port);
    settle(port);
    if (full && mv643xx_wire_can_receive(port)) {
        mv643xx_wire_offer_again(port);
    }
}

static void rx_retry(void *opaque)
{
    mv643xx_wire_poll(opaque);
}

void mv643xx_wire_receive(MV643xxPort *port, const uint8_t *frame,
                          uint32_t len)
{
    uint8_t padded[MV643XX_MIN_FRAME] = { 0 };

    port->stats.rx_offered++;
    if (len < sizeof(padded)) {
        memcpy(padded, frame, len);
        frame = padded;
        len = sizeof(padded);
    }
    if (!mv643xx_rx_arrive(port, frame, len)) {
        return;
    }
    if (port->wire.frames) {
        stage(port, frame, len, false);
        settle(port);
    } else if (mv643xx_rx_deliver(port, frame, len, false) ==
               MV643XX_RX_NO_DESCRIPTOR) {
        stage(port, frame, len, true);
        settle(port);
    }
}

void mv643xx_wire_init(MV643xxPort *port)
{
    port->wire.rx_retry = timer_new_ns(QEMU_CLOCK_VIRTUAL, rx_retry, port);
    port->wire.tx_retry = timer_new_ns(QEMU_CLOCK_VIRTUAL, tx_retry, port);
}

/* A frame that has left the MAC is beyond the reach of its reset. */
void mv643xx_wire_reset(MV643xxPort *port)
{
    uint64_t lost = 0;

    timer_del(port->wire.rx_retry);
    drop_staged(port, &lost);
}

void mv643xx_wire_cleanup(MV643xxPort *port)
{
    timer_free(port->wire.rx_retry);
    timer_free(port->wire.tx_retry);
}

static bool wire_valid(const MV643xxWire *wire)
{
    uint32_t at = wire->head;
    uint32_t end = wire->head + wire->used;

    if (wire->tx_held_len > MV643XX_TX_MAX_FRAME ||
        wire->head > MV643XX_STAGING_SIZE ||
        wire->used > MV643XX_STAGING_SIZE - wire->head) {
        return false;
    }
    for (uint32_t n = 0; n < wire->frames; n++) {
        Record record;

        if (end - at < RECORD_SIZE) {
            return false;
        }
        record = load_record(wire->staging + at);
        at += RECORD_SIZE;
        if (record.len < MV643XX_MIN_FRAME ||
            record.len > MV643XX_RX_MAX_FRAME || record.len > end - at) {
            return false;
        }
        at += record.len;
    }
    return at == end;
}

static int wire_post_load(void *opaque, int version_id)
{
    return wire_valid(opaque) ? 0 : -EINVAL;
}

const VMStateDescription vmstate_mv643xx_wire = {
    .name = "mv643xx-wire",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = wire_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8_ARRAY(staging, MV643xxWire, MV643XX_STAGING_SIZE),
        VMSTATE_UINT32(head, MV643xxWire),
        VMSTATE_UINT32(used, MV643xxWire),
        VMSTATE_UINT32(frames, MV643xxWire),
        VMSTATE_TIMER_PTR(rx_retry, MV643xxWire),
        VMSTATE_UINT8_ARRAY(tx_held, MV643xxWire, MV643XX_TX_MAX_FRAME),
        VMSTATE_UINT32(tx_held_len, MV643xxWire),
        VMSTATE_TIMER_PTR(tx_retry, MV643xxWire),
        VMSTATE_END_OF_LIST()
    }
};
