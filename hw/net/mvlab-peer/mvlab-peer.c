/*
 * The peer: a TCP and UDP endpoint inside QEMU, on the virtual clock
 *
 * A device without a bus, the far end of a network cable.  Frames from the
 * guest are worked on as they come, often inside the guest's own transmit;
 * what the peer sends waits in a queue and leaves from a timer of the virtual
 * clock, @delay ns later, 0 included.  Nothing on this path is a bottom half
 * or depends on the host's time, so a run with -icount repeats.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <arpa/inet.h>
#include "hw/qdev-core.h"
#include "hw/qdev-properties.h"
#include "migration/blocker.h"
#include "net/net.h"
#include "peer.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qom/object.h"
#include "system/reset.h"

#define TYPE_MVLAB_PEER "mvlab-peer"
OBJECT_DECLARE_SIMPLE_TYPE(MvlabPeer, MVLAB_PEER)

#define QUEUE_FRAMES        4096
#define SEND_AT_ONCE        64          /* frames in one event */
#define MAX_DELAY           (10 * NANOSECONDS_PER_SECOND)
#define MAX_HOLD            NANOSECONDS_PER_SECOND

/* Linux's TCP_DELACK_MIN: what every=N does with an incomplete group */
#define EVERY_HOLD          (40 * SCALE_MS)

#define DEFAULT_ADDRESS     "192.168.77.1/24"
#define DEFAULT_WINDOW      (1 * MiB)
#define DEFAULT_ACK         "every=2"

typedef struct QueuedFrame {
    int64_t due;                    /* virtual ns */
    uint32_t len;
    uint8_t data[PEER_MAX_FRAME];
} QueuedFrame;

struct MvlabPeer {
    DeviceState parent_obj;

    NICState *nic;
    NICConf conf;
    char *address;
    uint32_t window;
    uint64_t seed;
    char *ack;
    PeerAckPolicy policy;
    uint64_t delay;
    Error *blocker;

    /* Frames to the guest, in the order in which they leave */
    QueuedFrame *queue;
    uint32_t head;
    uint32_t count;
    bool blocked;                   /* until the NIC takes the last one */
    bool starved;                   /* the stack found the queue full */
    QEMUTimer *send_timer;

    PeerStats stats;
};

/* lwIP's state is global. */
static MvlabPeer *the_peer;

/* Frames to the guest */

static void arm_send(MvlabPeer *peer)
{
    if (peer->count && !peer->blocked) {
        timer_mod(peer->send_timer, peer->queue[peer->head].due);
    }
}

static bool queue_frame(void *opaque, const uint8_t *data, size_t len)
{
    MvlabPeer *peer = opaque;
    int64_t due = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + peer->delay;
    uint32_t tail = (peer->head + peer->count) % QUEUE_FRAMES;
    QueuedFrame *frame = &peer->queue[tail];

    if (peer->count == QUEUE_FRAMES) {
        peer->stats.send_queue_full++;
        peer->starved = true;
        return false;
    }
    if (peer->count) {
        /* The delay may have become shorter; frames do not overtake. */
        uint32_t last = (tail + QUEUE_FRAMES - 1) % QUEUE_FRAMES;

        due = MAX(due, peer->queue[last].due);
    }
    frame->due = due;
    frame->len = MAX(len, PEER_MIN_FRAME);
    memcpy(frame->data, data, len);
    memset(frame->data + len, 0, frame->len - len);
    peer->count++;
    if (peer->count == 1) {
        arm_send(peer);
    }
    return true;
}

/* The NIC has taken the frame that it refused. */
static void frame_taken(NetClientState *nc, ssize_t len)
{
    MvlabPeer *peer = qemu_get_nic_opaque(nc);

    peer->blocked = false;
    if (peer->count) {
        timer_mod(peer->send_timer,
                  MAX(peer->queue[peer->head].due,
                      qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL)));
    }
}

/* A frame that is refused stays in QEMU's queue, alone, and blocks ours. */
static void send_head(MvlabPeer *peer)
{
    NetClientState *nc = qemu_get_queue(peer->nic);
    QueuedFrame *frame = &peer->queue[peer->head];

    peer->head = (peer->head + 1) % QUEUE_FRAMES;
    peer->count--;
    if (nc->link_down) {
        peer->stats.drop_link_down++;
        return;
    }
    peer->stats.frames_sent++;
    peer->stats.bytes_sent += frame->len;
    peer->blocked = qemu_send_packet_async(nc, frame->data, frame->len,
                                           frame_taken) == 0;
}

static void send_due(void *opaque)
{
    MvlabPeer *peer = opaque;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    for (int i = 0; i < SEND_AT_ONCE && peer->count && !peer->blocked &&
         peer->queue[peer->head].due <= now; i++) {
        send_head(peer);
    }
    arm_send(peer);
    if (peer->starved && peer->count <= QUEUE_FRAMES / 2) {
        peer->starved = false;
        peer_stack_resume();
    }
}

/* Network client */

static ssize_t receive(NetClientState *nc, const uint8_t *data, size_t len)
{
    MvlabPeer *peer = qemu_get_nic_opaque(nc);

    peer->stats.frames_received++;
    peer->stats.bytes_received += len;
    if (len > PEER_MAX_RECEIVED) {
        peer->stats.drop_oversize++;
    } else {
        peer_stack_input(data, len);
    }
    return len;
}

static NetClientInfo peer_net_info = {
    .type = NET_CLIENT_DRIVER_NIC,
    .size = sizeof(NICState),
    .receive = receive,
};

/* Properties */

/* Numbers of a property's value: "PREFIX=N" or "PREFIX=N:N" */
static bool parse_ack(const char *text, PeerAckPolicy *policy)
{
    const char *numbers;
    const char *end;
    unsigned segments;
    uint64_t hold = EVERY_HOLD;

    if (strstart(text, "every=", &numbers)) {
        if (qemu_strtoui(numbers, NULL, 10, &segments)) {
            return false;
        }
    } else if (strstart(text, "batch=", &numbers)) {
        if (qemu_strtoui(numbers, &end, 10, &segments) || *end != ':' ||
            qemu_strtou64(end + 1, NULL, 10, &hold)) {
            return false;
        }
    } else {
        return false;
    }
    if (segments < 1 || segments > UINT16_MAX || hold < 1 || hold > MAX_HOLD) {
        return false;
    }
    policy->segments = segments;
    policy->hold = hold;
    return true;
}

static void set_ack(Object *obj, const char *value, Error **errp)
{
    MvlabPeer *peer = MVLAB_PEER(obj);

    if (!parse_ack(value, &peer->policy)) {
        error_setg(errp, "mvlab-peer: ack=%s: expected every=N or batch=N:NS "
                   "with N from 1 to 65535 and NS from 1 to 1000000000",
                   value);
        return;
    }
    g_free(peer->ack);
    peer->ack = g_strdup(value);
    if (the_peer == peer) {
        peer_stack_set_ack(&peer->policy);
    }
}

static char *get_ack(Object *obj, Error **errp)
{
    return g_strdup(MVLAB_PEER(obj)->ack);
}

static void set_delay(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    uint64_t delay;

    if (!visit_type_uint64(v, name, &delay, errp)) {
        return;
    }
    if (delay > MAX_DELAY) {
        error_setg(errp, "mvlab-peer: delay=%" PRIu64 ": more than 10 s "
                   "(10000000000)", delay);
        return;
    }
    MVLAB_PEER(obj)->delay = delay;
}

static void get_delay(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    visit_type_uint64(v, name, &MVLAB_PEER(obj)->delay, errp);
}

#define COUNTER(name, field) { name, offsetof(PeerStats, field) }

static const struct {
    const char *name;
    size_t offset;
} counters[] = {
    COUNTER("frames-received", frames_received),
    COUNTER("bytes-received", bytes_received),
    COUNTER("frames-sent", frames_sent),
    COUNTER("bytes-sent", bytes_sent),
    COUNTER("flows-opened", flows_opened),
    COUNTER("flows-open", flows_open),
    COUNTER("flows-failed", flows_failed),
    COUNTER("segments-received", segments_received),
    COUNTER("segments-duplicate", segments_duplicate),
    COUNTER("segments-out-of-order", segments_out_of_order),
    COUNTER("payload-received", payload_received),
    COUNTER("segments-sent", segments_sent),
    COUNTER("acks-sent", acks_sent),
    COUNTER("datagrams-received", datagrams_received),
    COUNTER("datagrams-sent", datagrams_sent),
    COUNTER("bad-requests", bad_requests),
    COUNTER("checksum-errors", checksum_errors),
    COUNTER("drop-oversize", drop_oversize),
    COUNTER("drop-other-address", drop_other_address),
    COUNTER("drop-malformed", drop_malformed),
    COUNTER("drop-protocol", drop_protocol),
    COUNTER("drop-far-away", drop_far_away),
    COUNTER("drop-memory", drop_memory),
    COUNTER("send-queue-full", send_queue_full),
    COUNTER("drop-link-down", drop_link_down),
    COUNTER("drop-stopped", drop_stopped),
    COUNTER("assertions", assertions),
};

static void get_stats(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    MvlabPeer *peer = MVLAB_PEER(obj);

    if (the_peer == peer) {
        peer_stack_count();
    }
    if (!visit_start_struct(v, name, NULL, 0, errp)) {
        return;
    }
    for (int i = 0; i < ARRAY_SIZE(counters); i++) {
        uint64_t value = *(uint64_t *)((uint8_t *)&peer->stats +
                                       counters[i].offset);

        if (!visit_type_uint64(v, counters[i].name, &value, errp)) {
            break;
        }
    }
    visit_end_struct(v, NULL);
}

static bool parse_address(const char *text, PeerConfig *config)
{
    g_auto(GStrv) parts = g_strsplit(text, "/", 2);
    struct in_addr address;
    uint32_t hosts;

    config->prefix = 24;
    if (!parts[0] || inet_pton(AF_INET, parts[0], &address) != 1 ||
        (parts[1] && qemu_strtoui(parts[1], NULL, 10, &config->prefix)) ||
        config->prefix < 1 || config->prefix > 30) {
        return false;
    }
    config->address = ntohl(address.s_addr);
    hosts = UINT32_MAX >> config->prefix;
    return (config->address & hosts) != 0 &&
           (config->address & hosts) != hosts &&
           config->address >> 24 != 0 && config->address >> 24 != 127 &&
           config->address >> 24 < 224;
}

static bool check_config(MvlabPeer *peer, PeerConfig *config, Error **errp)
{
    if (!peer->conf.peers.ncs[0]) {
        error_setg(errp, "mvlab-peer: netdev is not set");
        return false;
    }
    if (!parse_address(peer->address, config)) {
        error_setg(errp, "mvlab-peer: address=%s: expected the IPv4 address "
                   "of a host and its prefix, 1 to 30, as in "
                   DEFAULT_ADDRESS, peer->address);
        return false;
    }
    if (peer->window < PEER_MIN_WINDOW || peer->window > PEER_MAX_WINDOW) {
        error_setg(errp, "mvlab-peer: window=%u: expected %d to %d bytes",
                   peer->window, PEER_MIN_WINDOW, PEER_MAX_WINDOW);
        return false;
    }
    if (peer->conf.macaddr.a[0] & 1) {
        error_setg(errp, "mvlab-peer: mac: is a group address");
        return false;
    }
    return true;
}

/* 52:55 and the IPv4 address, unless there is one given */
static void default_mac(MvlabPeer *peer, uint32_t address)
{
    uint8_t *mac = peer->conf.macaddr.a;

    if (buffer_is_zero(mac, sizeof(peer->conf.macaddr.a))) {
        mac[0] = 0x52;
        mac[1] = 0x55;
        stl_be_p(mac + 2, address);
    }
}

/* Life of the device */

/* All connections are gone, and what has not left yet. */
static void machine_reset(void *opaque)
{
    MvlabPeer *peer = opaque;

    peer_stack_reset();
    qemu_purge_queued_packets(qemu_get_queue(peer->nic));
    timer_del(peer->send_timer);
    peer->count = 0;
    peer->blocked = false;
    peer->starved = false;
}

static void mvlab_peer_realize(DeviceState *dev, Error **errp)
{
    MvlabPeer *peer = MVLAB_PEER(dev);
    PeerConfig config = { .window = peer->window, .seed = peer->seed };

    if (the_peer) {
        error_setg(errp, "mvlab-peer: there is one already; its TCP/IP stack "
                   "can be only once in a QEMU");
        return;
    }
    if (!check_config(peer, &config, errp)) {
        return;
    }
    error_setg(&peer->blocker, "mvlab-peer cannot be saved or migrated: "
               "the state of its connections is inside its TCP/IP stack");
    if (migrate_add_blocker(&peer->blocker, errp)) {
        return;
    }
    the_peer = peer;
    default_mac(peer, config.address);
    memcpy(config.mac, peer->conf.macaddr.a, sizeof(config.mac));
    peer->queue = g_new(QueuedFrame, QUEUE_FRAMES);
    peer->send_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, send_due, peer);
    peer->nic = qemu_new_nic(&peer_net_info, &peer->conf, TYPE_MVLAB_PEER,
                             dev->id, &dev->mem_reentrancy_guard, peer);
    qemu_format_nic_info_str(qemu_get_queue(peer->nic),
                             peer->conf.macaddr.a);
    peer_stack_set_ack(&peer->policy);
    peer_stack_start(&config, &peer->stats, queue_frame, peer);
    qemu_register_reset(machine_reset, peer);
}

static void mvlab_peer_unrealize(DeviceState *dev)
{
    MvlabPeer *peer = MVLAB_PEER(dev);

    qemu_unregister_reset(machine_reset, peer);
    machine_reset(peer);
    peer_stack_stop();
    qemu_del_nic(peer->nic);
    timer_free(peer->send_timer);
    g_free(peer->queue);
    migrate_del_blocker(&peer->blocker);
}

static void mvlab_peer_init(Object *obj)
{
    MvlabPeer *peer = MVLAB_PEER(obj);

    peer->address = g_strdup(DEFAULT_ADDRESS);
    set_ack(obj, DEFAULT_ACK, &error_abort);
}

static void mvlab_peer_finalize(Object *obj)
{
    g_free(MVLAB_PEER(obj)->ack);
}

static const Property mvlab_peer_properties[] = {
    DEFINE_NIC_PROPERTIES(MvlabPeer, conf),
    DEFINE_PROP_STRING("address", MvlabPeer, address),
    DEFINE_PROP_UINT32("window", MvlabPeer, window, DEFAULT_WINDOW),
    DEFINE_PROP_UINT64("seed", MvlabPeer, seed, 0),
};

static void mvlab_peer_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = mvlab_peer_realize;
    dc->unrealize = mvlab_peer_unrealize;
    dc->desc = "TCP and UDP peer on the virtual clock";
    dc->hotpluggable = false;
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
    device_class_set_props(dc, mvlab_peer_properties);

    object_class_property_add_str(klass, "ack", get_ack, set_ack);
    object_class_property_set_description(klass, "ack",
        "when TCP acknowledges: every=N or batch=N:NS");
    object_class_property_add(klass, "delay", "uint64", get_delay, set_delay,
                              NULL, NULL);
    object_class_property_set_description(klass, "delay",
        "ns until a frame to the guest leaves");
    object_class_property_add(klass, "stats", "struct", get_stats, NULL, NULL,
                              NULL);
    object_class_property_set_description(klass, "stats", "counters");
}

static const TypeInfo mvlab_peer_types[] = {
    {
        .name = TYPE_MVLAB_PEER,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(MvlabPeer),
        .instance_init = mvlab_peer_init,
        .instance_finalize = mvlab_peer_finalize,
        .class_init = mvlab_peer_class_init,
    },
};

DEFINE_TYPES(mvlab_peer_types)
