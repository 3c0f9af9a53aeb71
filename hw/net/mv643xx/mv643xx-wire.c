/*
 * Marvell mv643xx Gigabit Ethernet unit: the wire
 *
 * Between the MAC and QEMU's network backend lie two lanes that carry frames
 * at the rate of the link.  A frame takes its preamble, its bytes (60 at
 * least), its FCS and the gap behind it; the next one starts when the lane is
 * free and the frame is there, whichever is later.  All of it is arithmetic
 * on virtual time, so that an event which is handled late loses nothing: what
 * it starts is dated as if it had been in time.
 *
 * Transmit: mv643xx-tx.c puts a frame into the FIFO, where it has its times.
 * At its *wire end*, with the last bit of its FCS, it is counted; one
 * propagation delay later it is the backend's.
 *
 * Receive: the backend hands a frame over when the far end begins to send it.
 * It waits here until its last bit would have arrived and goes to the MAC
 * then.  The backend is refused only when too much waits.
 *
 * With wire=ideal all this takes no time, so that a sender can be infinitely
 * fast, which no cable allows.  To keep that from overrunning a ring at once,
 * a received frame that finds no descriptor is held for HOLD_NS of virtual
 * time before it is lost; with wire=paced it is lost at once, as on hardware.
 *
 * One timer serves all.  Where virtual time is the host's it is late anyhow,
 * and each time it fires costs the guest a wait for the big lock.  So in a
 * stream of transmitted frames it may come late by a slack: an access to a
 * register, most often the next kick, has handled what was due by then.
 *
 * Frames in flight are the device's own state: nothing is left in QEMU's
 * packet queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "qemu/timer.h"
#include "system/cpu-timers.h"
#include "trace.h"

#define PREAMBLE    8       /* with the start of frame delimiter */
#define GAP         12

#define HOLD_NS     (10 * SCALE_MS)
#define RETRY_NS    (50 * SCALE_US)

/* Work of each kind for one event; the rest is done RESUME_NS later. */
#define MAX_WORK    256
#define RESUME_NS   (10 * SCALE_US)

/* Flag of a transmitted frame's record */
#define TX_FOLLOWS  1       /* starts within the slack of the one before */

/* Flags of a received frame's record */
#define RX_ARRIVED  1       /* counted: only the delivery is left */
#define RX_REFUSED  2       /* has met a queue without a descriptor */

#define RX_RECORD_MAX   (MV643XX_RECORD_SIZE + MV643XX_RX_MAX_FRAME)

/* Times */

static int64_t now_ns(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Time of one byte on the link, ns; 0 when frames take none. */
static unsigned byte_ns(const MV643xxPort *port)
{
    uint32_t status = mv643xx_get(port, MV_PS0);

    if (port->wire.ideal) {
        return 0;
    }
    return status & MV_PS0_GMII_1000 ? 8 : status & MV_PS0_MII_100 ? 80 :
           MV643XX_SLOWEST_BYTE_NS;
}

static uint32_t octets(uint32_t len)
{
    return MAX(len, MV643XX_MIN_FRAME);
}

/* From the start of a frame to its last bit, and to the next frame's start */
static int64_t frame_ns(uint32_t len, unsigned ns)
{
    return (int64_t)(PREAMBLE + octets(len) + MV_FCS_LEN) * ns;
}

static int64_t slot_ns(uint32_t len, unsigned ns)
{
    return frame_ns(len, ns) + (int64_t)GAP * ns;
}

static int64_t wire_end(const MV643xxRecord *record)
{
    return record->start + frame_ns(record->len, record->byte_ns);
}

/* When the first @n bytes of a frame are on the wire. */
static int64_t byte_end(const MV643xxRecord *record, uint32_t n)
{
    return record->start + (int64_t)(PREAMBLE + n) * record->byte_ns;
}

static int64_t delay_ns(const MV643xxWire *wire)
{
    return wire->ideal ? 0 : wire->delay;
}

/* How much the timer may come late in a stream, ns; 0 on an exact clock. */
static int64_t slack_ns(const MV643xxWire *wire)
{
    return icount_enabled() ? 0 : wire->slack;
}

/* Transmit: into the FIFO */

int64_t mv643xx_wire_fifo_time(const MV643xxPort *port, uint32_t len,
                               int64_t at)
{
    const MV643xxWire *wire = &port->wire;
    uint32_t offset = wire->tx_sent;
    MV643xxRecord own;
    uint32_t leave;

    if (wire->tx_fifo + octets(len) <= MV643XX_TX_FIFO) {
        return at;
    }
    leave = wire->tx_fifo + octets(len) - MV643XX_TX_FIFO;
    while (offset < wire->tx.used) {
        MV643xxRecord record = mv643xx_frames_get(&wire->tx, offset);

        if (leave <= octets(record.len)) {
            return MAX(at, byte_end(&record, leave));
        }
        leave -= octets(record.len);
        offset += MV643XX_RECORD_SIZE + record.len;
    }
    /* Its own first bytes make room for its last ones. */
    own.start = MAX(wire->tx_free, at);
    own.byte_ns = byte_ns(port);
    return byte_end(&own, leave);
}

uint8_t *mv643xx_wire_tx_room(MV643xxPort *port)
{
    return mv643xx_frames_room(&port->wire.tx, MV643XX_TX_MAX_FRAME);
}

void mv643xx_wire_tx_push(MV643xxPort *port, unsigned queue, uint32_t len,
                          int64_t at)
{
    MV643xxWire *wire = &port->wire;
    MV643xxRecord record = {
        .start = MAX(wire->tx_free, at),
        .len = len,
        .byte_ns = byte_ns(port),
        .queue = queue,
    };

    if (record.start - wire->tx_free < slack_ns(wire)) {
        record.flags = TX_FOLLOWS;
    }
    wire->tx_free = record.start + slot_ns(len, record.byte_ns);
    record.due = MAX(wire->tx_due, wire_end(&record) + delay_ns(wire));
    wire->tx_due = record.due;
    mv643xx_frames_push(&wire->tx, &record);
    wire->tx_fifo += octets(len);
    wire->tx_unsent[queue]++;
}

bool mv643xx_wire_has_unsent(const MV643xxPort *port, unsigned queue)
{
    return port->wire.tx_unsent[queue];
}

bool mv643xx_wire_tx_empty(const MV643xxPort *port)
{
    return port->wire.tx_sent == port->wire.tx.used;
}

uint32_t mv643xx_wire_tx_abort(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;
    uint32_t lost = mv643xx_frames_cut(&wire->tx, wire->tx_sent);

    wire->tx_free = MIN(wire->tx_free, now_ns());
    wire->tx_due = 0;
    for (uint32_t at = 0; at < wire->tx.used;) {
        MV643xxRecord record = mv643xx_frames_get(&wire->tx, at);

        wire->tx_due = record.due;
        at += MV643XX_RECORD_SIZE + record.len;
    }
    wire->tx_fifo = 0;
    memset(wire->tx_unsent, 0, sizeof(wire->tx_unsent));
    return lost;
}

/* A frame is all on the wire. */
static void transmitted(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;
    MV643xxRecord record = mv643xx_frames_get(&wire->tx, wire->tx_sent);
    const uint8_t *frame = mv643xx_frames_data(&wire->tx, wire->tx_sent);

    trace_mv643xx_wire_tx(DEVICE(port)->canonical_path, record.queue,
                          record.len, record.start, wire_end(&record));
    mv643xx_pcap_frame(port, frame, record.len, wire_end(&record));
    mv643xx_mib_tx(port, frame, record.len);
    port->stats.tx_frames++;
    port->stats.tx_bytes += record.len;
    port->stats.tx_busy_ns += slot_ns(record.len, record.byte_ns);
    wire->tx_sent += MV643XX_RECORD_SIZE + record.len;
    wire->tx_fifo -= octets(record.len);
    if (!--wire->tx_unsent[record.queue]) {
        mv643xx_tx_drained(port, record.queue);
    }
}

/* Transmit: to the backend */

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
    timer_mod(port->wire.tx_retry, now_ns() + RETRY_NS);
}

static void tx_retry(void *opaque)
{
    MV643xxPort *port = opaque;

    if (!offer_held(port)) {
        arm_tx_retry(port);
    }
}

/* A frame reaches the far end; an answer may come from inside. */
static void hand_over(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;
    uint32_t len = mv643xx_frames_get(&wire->tx, 0).len;
    const uint8_t *frame = mv643xx_frames_data(&wire->tx, 0);

    wire->tx_sent -= MV643XX_RECORD_SIZE + len;
    mv643xx_frames_pop(&wire->tx);
    if (!offer_held(port)) {
        port->stats.tx_drop_backend++;
    } else if (!offer(port, frame, len)) {
        memcpy(wire->tx_held, frame, len);
        wire->tx_held_len = len;
        arm_tx_retry(port);
    }
}

/* Receive */

static void arm(MV643xxPort *port);
static void end_refusal(MV643xxPort *port);

/* Bytes that may be on their way: those in the cable, and some that wait. */
static uint32_t rx_limit(const MV643xxPort *port)
{
    unsigned ns = byte_ns(port);

    return MV643XX_RX_WAITING + (ns ? delay_ns(&port->wire) / ns : 0);
}

bool mv643xx_wire_can_receive(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;

    if (wire->rx.used + RX_RECORD_MAX > rx_limit(port)) {
        wire->rx_full = true;
        return false;
    }
    return true;
}

void mv643xx_wire_offer_again(MV643xxPort *port)
{
    qemu_flush_queued_packets(qemu_get_queue(port->nic));
}

static void rx_pop(MV643xxPort *port)
{
    mv643xx_frames_pop(&port->wire.rx);
    port->stats.rx_held = port->wire.rx.count;
}

static uint32_t rx_abort(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;

    wire->rx_free = MIN(wire->rx_free, now_ns());
    wire->rx_due = 0;
    port->stats.rx_held = 0;
    return mv643xx_frames_cut(&wire->rx, 0);
}

void mv643xx_wire_drop(MV643xxPort *port, uint64_t *reason)
{
    *reason += rx_abort(port);
    arm(port);
    end_refusal(port);
}

/* Take note of a frame that is all here; false if it ends in the MAC. */
static bool arrive(MV643xxPort *port, const uint8_t *frame,
                   const MV643xxRecord *record)
{
    trace_mv643xx_wire_rx(DEVICE(port)->canonical_path, record->len,
                          record->start, record->due);
    mv643xx_pcap_frame(port, frame, record->len, record->due);
    port->stats.rx_busy_ns += slot_ns(record->len, record->byte_ns);
    return mv643xx_rx_arrive(port, frame, record->len);
}

/* Deliver the oldest frame, or give it up, or hold it. */
static void deliver(MV643xxPort *port, int64_t now)
{
    MV643xxWire *wire = &port->wire;
    MV643xxRecord record = mv643xx_frames_get(&wire->rx, 0);
    const uint8_t *frame = mv643xx_frames_data(&wire->rx, 0);
    uint64_t *closed = mv643xx_rx_closed(port);
    bool refused = record.flags & RX_REFUSED;

    if (closed) {
        *closed += 1;
    } else if (!(record.flags & RX_ARRIVED) &&
               !arrive(port, frame, &record)) {
        ;
    } else if (mv643xx_rx_deliver(port, frame, record.len, refused) ==
               MV643XX_RX_NO_DESCRIPTOR) {
        if (wire->ideal && now - record.due < HOLD_NS) {
            record.flags |= RX_ARRIVED | RX_REFUSED;
            mv643xx_frames_set(&wire->rx, 0, &record);
            wire->rx_retry = now + RETRY_NS;
            return;
        }
        mv643xx_rx_no_descriptor(port, record.len);
    }
    rx_pop(port);
}

static void stage(MV643xxPort *port, const uint8_t *frame, uint32_t len)
{
    MV643xxWire *wire = &port->wire;
    MV643xxRecord record = {
        .start = MAX(wire->rx_free, now_ns()),
        .len = len,
        .byte_ns = byte_ns(port),
    };
    uint8_t *to = mv643xx_frames_room(&wire->rx, len);

    if (!to) {
        port->stats.rx_drop_queue_full++;
        return;
    }
    wire->rx_free = record.start + slot_ns(len, record.byte_ns);
    record.due = MAX(wire->rx_due, wire_end(&record) + delay_ns(wire));
    wire->rx_due = record.due;
    if (wire->ideal && record.due <= now_ns()) {
        if (!arrive(port, frame, &record)) {
            return;
        }
        record.flags = RX_ARRIVED;
    }
    memcpy(to, frame, len);
    mv643xx_frames_push(&wire->rx, &record);
    port->stats.rx_held = wire->rx.count;
}

void mv643xx_wire_receive(MV643xxPort *port, const uint8_t *frame,
                          uint32_t len)
{
    uint8_t padded[MV643XX_MIN_FRAME] = { 0 };
    uint64_t *closed;

    port->stats.rx_offered++;
    if (len < sizeof(padded)) {
        memcpy(padded, frame, len);
        frame = padded;
        len = sizeof(padded);
    }
    closed = mv643xx_rx_closed(port);
    if (closed) {
        *closed += 1;
    } else if (len > MV643XX_RX_MAX_FRAME) {
        mv643xx_rx_oversize(port, len);
    } else {
        stage(port, frame, len);
        if (port->wire.ideal) {
            mv643xx_wire_run(port);
        } else {
            arm(port);
        }
    }
}

/* Events */

typedef enum Event {
    EVENT_NONE,
    EVENT_HAND_OVER,
    EVENT_TRANSMITTED,
    EVENT_DELIVER,
    EVENT_DMA,
    EVENTS,
} Event;

static int64_t hand_over_time(const MV643xxWire *wire)
{
    return wire->tx_sent ? mv643xx_frames_get(&wire->tx, 0).due : INT64_MAX;
}

static int64_t transmitted_time(const MV643xxWire *wire)
{
    MV643xxRecord record;

    if (wire->tx_sent == wire->tx.used) {
        return INT64_MAX;
    }
    record = mv643xx_frames_get(&wire->tx, wire->tx_sent);
    return wire_end(&record);
}

static int64_t deliver_time(const MV643xxWire *wire)
{
    MV643xxRecord record;

    if (!wire->rx.count) {
        return INT64_MAX;
    }
    record = mv643xx_frames_get(&wire->rx, 0);
    return record.flags & RX_REFUSED ? wire->rx_retry : record.due;
}

/* What comes first; of things at the same time, in this order. */
static Event next_event(const MV643xxPort *port, int64_t *at)
{
    const int64_t times[EVENTS] = {
        [EVENT_NONE] = INT64_MAX,
        [EVENT_HAND_OVER] = hand_over_time(&port->wire),
        [EVENT_TRANSMITTED] = transmitted_time(&port->wire),
        [EVENT_DELIVER] = deliver_time(&port->wire),
        [EVENT_DMA] = mv643xx_tx_next(port),
    };
    Event first = EVENT_NONE;

    for (Event event = EVENT_NONE; event < EVENTS; event++) {
        if (times[event] < times[first]) {
            first = event;
        }
    }
    *at = times[first];
    return first;
}

/* How late @event may come, which is of the frame with its record at @offset */
static int64_t late(const MV643xxWire *wire, int64_t event, uint32_t offset)
{
    if (event == INT64_MAX ||
        !(mv643xx_frames_get(&wire->tx, offset).flags & TX_FOLLOWS)) {
        return event;
    }
    return event + slack_ns(wire);
}

/* When what is to be transmitted needs the timer, at the latest */
static int64_t tx_alarm(const MV643xxPort *port)
{
    const MV643xxWire *wire = &port->wire;
    int64_t sent = late(wire, transmitted_time(wire), wire->tx_sent);
    int64_t handed_over = late(wire, hand_over_time(wire), 0);
    int64_t dma = mv643xx_tx_next(port) +
                  (port->tx_dma.active ? slack_ns(wire) : 0);

    return MIN(MIN(sent, handed_over), dma);
}

/* One that is set earlier than needed stays: to set it anew costs more. */
static void set_timer(MV643xxWire *wire, int64_t at)
{
    bool pending = timer_pending(wire->timer);
    int64_t set = pending ? timer_expire_time_ns(wire->timer) : INT64_MAX;

    if (at == set || (set < at && slack_ns(wire))) {
        return;
    }
    if (at == INT64_MAX) {
        timer_del(wire->timer);
    } else {
        timer_mod(wire->timer, at);
    }
}

static void arm(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;

    if (wire->resume >= 0) {
        wire->next = wire->resume;
        set_timer(wire, wire->resume);
    } else {
        next_event(port, &wire->next);
        set_timer(wire, MIN(tx_alarm(port), deliver_time(wire)));
    }
}

static unsigned handle(MV643xxPort *port, Event event, int64_t at,
                       int64_t now)
{
    switch (event) {
    case EVENT_HAND_OVER:
        hand_over(port);
        break;
    case EVENT_TRANSMITTED:
        transmitted(port);
        break;
    case EVENT_DELIVER:
        deliver(port, now);
        break;
    case EVENT_DMA:
        return mv643xx_tx_step(port, at);
    default:
        break;
    }
    return 1;
}

/* Handle what is due, in its order; false if there is more than enough. */
static bool handle_due(MV643xxPort *port, int64_t now)
{
    unsigned done[EVENTS] = { 0 };
    int64_t at;
    Event event;

    while (event = next_event(port, &at), at <= now) {
        if (done[event] >= MAX_WORK) {
            return false;
        }
        done[event] += handle(port, event, at, now);
    }
    return true;
}

/* After a refusal, offer again when many frames fit: one is not worth it. */
static void end_refusal(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;

    if (wire->rx_full && wire->rx.used <= rx_limit(port) / 2) {
        wire->rx_full = false;
        mv643xx_wire_offer_again(port);
    }
}

/*
 * The same for a timer that came to deliver alone.  Not while there is a
 * capture: its frames are in the order of their times.
 */
static bool deliver_due(MV643xxPort *port, int64_t now)
{
    for (unsigned n = 0; deliver_time(&port->wire) <= now; n++) {
        if (n >= MAX_WORK) {
            return false;
        }
        deliver(port, now);
    }
    return true;
}

static void run(MV643xxPort *port,
                bool (*handler)(MV643xxPort *port, int64_t now))
{
    MV643xxWire *wire = &port->wire;
    bool was_inside;
    int64_t now;

    if (wire->running) {
        return;
    }
    now = now_ns();
    wire->running = true;
    was_inside = mv643xx_enter(port->unit);
    wire->resume = handler(port, now) ? -1 : now + RESUME_NS;
    mv643xx_leave(port->unit, was_inside);
    wire->running = false;
    arm(port);
    end_refusal(port);
}

void mv643xx_wire_run(MV643xxPort *port)
{
    run(port, handle_due);
}

static void on_time(void *opaque)
{
    MV643xxPort *port = opaque;

    run(port, port->wire.resume >= 0 || port->pcap ||
              tx_alarm(port) <= now_ns() ? handle_due : deliver_due);
}

void mv643xx_wire_sync(MV643xxPort *port)
{
    if (port->wire.next != INT64_MAX && port->wire.next <= now_ns()) {
        mv643xx_wire_run(port);
    }
}

void mv643xx_wire_poll(MV643xxPort *port)
{
    port->wire.rx_retry = 0;
    mv643xx_wire_run(port);
}

void mv643xx_wire_poll_held(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;

    if (wire->rx.count &&
        (mv643xx_frames_get(&wire->rx, 0).flags & RX_REFUSED)) {
        mv643xx_wire_poll(port);
    }
}

void mv643xx_wire_link_lost(MV643xxPort *port)
{
    mv643xx_tx_link_lost(port);
    port->stats.tx_drop_link_down += mv643xx_wire_tx_abort(port);
    mv643xx_tx_all_drained(port);
    mv643xx_wire_drop(port, &port->stats.rx_drop_link_down);
}

/* Frames that are on their way keep the times that they have. */
void mv643xx_wire_set_ideal(MV643xxPort *port, bool ideal)
{
    mv643xx_wire_sync(port);
    port->wire.ideal = ideal;
    if (DEVICE(port)->realized) {
        mv643xx_wire_poll(port);
    }
}

/* Life */

void mv643xx_wire_init(MV643xxPort *port)
{
    MV643xxWire *wire = &port->wire;

    mv643xx_frames_init(&wire->tx);
    mv643xx_frames_init(&wire->rx);
    wire->resume = -1;
    wire->next = INT64_MAX;
    wire->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, on_time, port);
    wire->tx_retry = timer_new_ns(QEMU_CLOCK_VIRTUAL, tx_retry, port);
}

/* A frame that has left the MAC is beyond the reach of its reset. */
void mv643xx_wire_reset(MV643xxPort *port)
{
    port->stats.tx_drop_reset += mv643xx_wire_tx_abort(port);
    rx_abort(port);
    port->wire.resume = -1;
    arm(port);
}

void mv643xx_wire_cleanup(MV643xxPort *port)
{
    timer_free(port->wire.timer);
    timer_free(port->wire.tx_retry);
    mv643xx_frames_cleanup(&port->wire.tx);
    mv643xx_frames_cleanup(&port->wire.rx);
}

/* Migration */

static bool rx_valid(const MV643xxFrames *frames)
{
    uint32_t at = 0;

    while (at < frames->used) {
        uint32_t len = mv643xx_frames_get(frames, at).len;

        if (len < MV643XX_MIN_FRAME || len > MV643XX_RX_MAX_FRAME) {
            return false;
        }
        at += MV643XX_RECORD_SIZE + len;
    }
    return true;
}

/* Recompute what is in the FIFO; false if @sent is not between frames. */
static bool count_fifo(MV643xxWire *wire, uint32_t sent)
{
    uint32_t at = 0;

    wire->tx_fifo = 0;
    memset(wire->tx_unsent, 0, sizeof(wire->tx_unsent));
    while (at < wire->tx.used) {
        MV643xxRecord record = mv643xx_frames_get(&wire->tx, at);

        if (at < sent && sent < at + MV643XX_RECORD_SIZE + record.len) {
            return false;
        }
        if (at >= sent) {
            wire->tx_fifo += octets(record.len);
            wire->tx_unsent[record.queue]++;
        }
        at += MV643XX_RECORD_SIZE + record.len;
    }
    return sent <= wire->tx.used;
}

static bool wire_valid(MV643xxWire *wire)
{
    return wire->stream_tx_held_len <= MV643XX_TX_MAX_FRAME &&
           mv643xx_time_valid(wire->tx_free) &&
           mv643xx_time_valid(wire->tx_due) &&
           mv643xx_time_valid(wire->rx_free) &&
           mv643xx_time_valid(wire->rx_due) &&
           mv643xx_time_valid(wire->rx_retry) &&
           (wire->resume == -1 || mv643xx_time_valid(wire->resume)) &&
           rx_valid(&wire->rx) && count_fifo(wire, wire->stream_tx_sent);
}

static int wire_pre_save(void *opaque)
{
    MV643xxWire *wire = opaque;

    wire->stream_tx_sent = wire->tx_sent;
    wire->stream_tx_held_len = wire->tx_held_len;
    return 0;
}

/* A load that fails ends anywhere: until all is checked there is nothing. */
static int wire_pre_load(void *opaque)
{
    MV643xxWire *wire = opaque;

    mv643xx_frames_clear(&wire->tx);
    mv643xx_frames_clear(&wire->rx);
    wire->tx_sent = 0;
    wire->tx_held_len = 0;
    count_fifo(wire, 0);
    return 0;
}

static int wire_post_load(void *opaque, int version_id)
{
    MV643xxWire *wire = opaque;

    mv643xx_frames_take(&wire->tx);
    mv643xx_frames_take(&wire->rx);
    if (!wire_valid(wire)) {
        wire_pre_load(wire);
        return -EINVAL;
    }
    wire->tx_sent = wire->stream_tx_sent;
    wire->tx_held_len = wire->stream_tx_held_len;
    return 0;
}

void mv643xx_wire_loaded(MV643xxPort *port)
{
    port->stats.rx_held = port->wire.rx.count;
    port->wire.rx_full = true;
    arm(port);
}

const VMStateDescription vmstate_mv643xx_wire = {
    .name = "mv643xx-wire",
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_save = wire_pre_save,
    .pre_load = wire_pre_load,
    .post_load = wire_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(tx, MV643xxWire, 1, vmstate_mv643xx_frames,
                       MV643xxFrames),
        VMSTATE_UINT32(stream_tx_sent, MV643xxWire),
        VMSTATE_INT64(tx_free, MV643xxWire),
        VMSTATE_INT64(tx_due, MV643xxWire),
        VMSTATE_STRUCT(rx, MV643xxWire, 1, vmstate_mv643xx_frames,
                       MV643xxFrames),
        VMSTATE_INT64(rx_free, MV643xxWire),
        VMSTATE_INT64(rx_due, MV643xxWire),
        VMSTATE_INT64(rx_retry, MV643xxWire),
        VMSTATE_INT64(resume, MV643xxWire),
        VMSTATE_UINT8_ARRAY(tx_held, MV643xxWire, MV643XX_TX_MAX_FRAME),
        VMSTATE_UINT32(stream_tx_held_len, MV643xxWire),
        VMSTATE_TIMER_PTR(tx_retry, MV643xxWire),
        VMSTATE_END_OF_LIST()
    }
};
