/*
 * Coalescer: flow table, deadlines, delivery
 *
 * Theory of operation: a held frame is a flow that is in three places: its
 * bucket (oldest first), and two lists, by arrival of its last packet and of
 * its first.  Deadlines are a constant after the one or the other, so the
 * heads of the lists are due first and no search is needed.
 *
 * Whatever is to be delivered goes to the end of one queue, the packet that
 * passes alone included, and the queue is emptied after all other state is
 * up to date.  A delivery that calls back in appends to the same queue;
 * hence order is kept at any depth.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "coalesce-int.h"

/* Flows beyond those in buckets: closed ones that are being delivered. */
#define SPARE_FLOWS 4

/* Memory */

static size_t align_up(size_t n)
{
    return (n + GSO_CACHE_LINE - 1) & ~(size_t)(GSO_CACHE_LINE - 1);
}

/* The power of two that is at least @n. */
static uint32_t log2_up(uint32_t n)
{
    uint32_t log = 0;

    while (1u << log < n) {
        log++;
    }
    return log;
}

static size_t places_size(const GsoGroConfig *c)
{
    return align_up(((size_t)c->buckets << log2_up(c->depth)) *
                    sizeof(GsoPlace));
}

static uint32_t flow_count(const GsoGroConfig *c)
{
    return c->buckets * c->depth + SPARE_FLOWS;
}

static size_t flow_stride(const GsoGroConfig *c)
{
    return align_up(sizeof(GsoFlow) +
                    (c->max_iov + 1) * sizeof(struct iovec) +
                    c->max_segs * sizeof(void *));
}

static bool config_valid(const GsoGroConfig *c)
{
    return c->buckets && c->buckets <= 65536 &&
           !(c->buckets & (c->buckets - 1)) &&
           c->depth && c->depth <= 64 &&
           c->max_segs >= 2 && c->max_segs <= 65535 &&
           c->max_iov >= c->max_segs && c->max_iov <= 1 << 20 &&
           c->flush_timeout <= INT64_MAX && c->max_hold <= INT64_MAX &&
           c->deliver;
}

size_t gso_gro_size(const GsoGroConfig *c)
{
    uint64_t size;

    if (!config_valid(c)) {
        return 0;
    }
    size = (uint64_t)flow_count(c) * flow_stride(c);
    if (size / GSO_CACHE_LINE >= GSO_NIL) {
        return 0;
    }
    size += align_up(sizeof(GsoGro)) + places_size(c);
    size += GSO_CACHE_LINE; /* to begin at one */
    return size <= SIZE_MAX / 2 ? (size_t)size : 0;
}

static GsoFlow *flow_by_last(const GsoLink *link)
{
    return (GsoFlow *)((uintptr_t)link - offsetof(GsoFlow, by_last));
}

static GsoFlow *flow_by_first(const GsoLink *link)
{
    return (GsoFlow *)((uintptr_t)link - offsetof(GsoFlow, by_first));
}

static void put_free(GsoGro *g, GsoFlow *f)
{
    f->by_last.next = g->free;
    g->free = &f->by_last;
}

GsoGro *gso_gro_init(void *mem, size_t size, const GsoGroConfig *config)
{
    size_t need = gso_gro_size(config);
    uint8_t *p = mem;
    GsoGro *g;

    if (!need || size < need) {
        return NULL;
    }
    p += -(uintptr_t)p & (GSO_CACHE_LINE - 1);
    g = (GsoGro *)(void *)p;
    memset(g, 0, sizeof(*g));
    g->cfg = *config;
    g->bucket_shift = 32 - log2_up(config->buckets);
    g->depth_shift = log2_up(config->depth);
    p += align_up(sizeof(*g));
    g->places = (GsoPlace *)(void *)p;
    memset(p, 0xff, places_size(config));
    g->flows = p + places_size(config);
    for (uint32_t i = flow_count(config); i-- > 0;) {
        uint32_t place = (uint32_t)(i * flow_stride(config) / GSO_CACHE_LINE);
        GsoFlow *f = gso_gro_flow_at(g, place);

        f->place = place;
        put_free(g, f);
    }
    g->by_last = (GsoLink) { &g->by_last, &g->by_last };
    g->by_first = (GsoLink) { &g->by_first, &g->by_first };
    g->ready_tail = &g->ready_head;
    return g;
}

/* Buckets */

static GsoFlow *find(const GsoGro *g, const GsoIncoming *in)
{
    const GsoPlace *bucket = gso_gro_bucket(g, in->hash);

    for (uint32_t i = 0; i < g->cfg.depth && bucket[i].flow != GSO_NIL; i++) {
        GsoFlow *f = gso_gro_flow_at(g, bucket[i].flow);

        if (bucket[i].hash == in->hash && gso_gro_same_flow(&f->held, in)) {
            return f;
        }
    }
    return NULL;
}

static void bucket_remove(GsoGro *g, const GsoFlow *f)
{
    GsoPlace *bucket = gso_gro_bucket(g, f->hash);
    uint32_t i = 0;

    while (bucket[i].flow != f->place) {
        i++;
    }
    for (; i + 1 < g->cfg.depth && bucket[i + 1].flow != GSO_NIL; i++) {
        bucket[i] = bucket[i + 1];
    }
    bucket[i].flow = GSO_NIL;
}

/* Delivery */

static void ready_append(GsoGro *g, GsoReady *r)
{
    r->next = NULL;
    *g->ready_tail = r;
    g->ready_tail = &r->next;
}

static GsoReady *ready_pop(GsoGro *g)
{
    GsoReady *r = g->ready_head;

    if (r) {
        g->ready_head = r->next;
        if (!r->next) {
            g->ready_tail = &g->ready_head;
        }
    }
    return r;
}

static void count_frame(GsoGro *g, const GsoReady *r)
{
    uint64_t held = g->now - r->first;

    g->stats.frames++;
    g->stats.super_frames += r->frame.ncookies > 1;
    if (held > g->stats.max_held_ns) {
        g->stats.max_held_ns = held;
    }
}

void gso_gro_drain(GsoGro *g)
{
    GsoReady *r;

    while ((r = ready_pop(g))) {
        GsoFlow *f = r->flow;

        count_frame(g, r);
        g->cfg.deliver(g->cfg.opaque, &r->frame);
        if (f) {
            put_free(g, f);
        }
    }
}

/* Write lengths and checksums of a super-frame into its header. */
static void finish_header(GsoFlow *f)
{
    const GsoLayout *l = &f->held.layout;
    uint8_t *ip = f->held.hdr + l->l2_len;
    uint8_t *l4 = f->held.hdr + l->l4_off;
    uint16_t l4_len = (uint16_t)(l->l4_hdr_len + f->held.len);
    uint64_t sum;

    if (l->l3 == GSO_L3_IPV4) {
        gso_put16(ip + GSO_IP4_LEN, (uint16_t)(l->l3_len + l4_len));
        gso_put16(ip + GSO_IP4_CSUM, 0);
        sum = gso_sum(ip, l->l3_len, 0);
        gso_put16(ip + GSO_IP4_CSUM, gso_sum_finish(sum));
    } else {
        gso_put16(ip + GSO_IP6_LEN,
                  (uint16_t)(l->l3_len - GSO_IP6_HLEN + l4_len));
    }
    if (l->l4_proto == GSO_IPPROTO_UDP) {
        gso_put16(l4 + GSO_UDP_LEN, l4_len);
    }
    sum = gso_sum_pseudo(ip, l->l3, l->l4_proto, l4_len);
    gso_put16(l4 + gso_csum_offset(l->l4_proto), gso_sum_fold(sum));
}

static void set_meta(const GsoFlow *f, GsoMeta *m)
{
    const GsoHeld *h = &f->held;
    const GsoLayout *l = &h->layout;
    bool partial = h->count > 1 || h->csum == GSO_CSUM_PARTIAL;

    *m = (GsoMeta) {
        .csum = partial ? GSO_CSUM_PARTIAL : GSO_CSUM_COMPLETE,
        .verified = !partial,
        .segs = (uint16_t)h->count,
        .hdr_len = l->hdr_len,
        .csum_start = partial ? l->l4_off : 0,
        .csum_offset = partial ? (uint16_t)gso_csum_offset(l->l4_proto) : 0,
    };
    if (h->count == 1) {
        return;
    }
    m->gso_size = (uint16_t)l->payload_len;
    m->fixed_id = h->fixed_id;
    if (l->l4_proto == GSO_IPPROTO_UDP) {
        m->type = GSO_TYPE_UDP_L4;
        return;
    }
    m->type = l->l3 == GSO_L3_IPV4 ? GSO_TYPE_TCPV4 : GSO_TYPE_TCPV6;
    m->ecn = f->held.hdr[l->l4_off + GSO_TCP_FLAGS] & GSO_TCP_CWR;
}

void gso_gro_close(GsoGro *g, GsoFlow *f, GsoClose reason)
{
    GsoFrame *frame = &f->ready.frame;
    struct iovec *iov = gso_gro_iov(f);

    bucket_remove(g, f);
    gso_gro_list_remove(&f->by_last);
    gso_gro_list_remove(&f->by_first);
    g->held -= f->held.count;
    g->stats.close[reason]++;
    if (f->held.count > 1) {
        finish_header(f);
    }
    iov->iov_base = f->held.hdr;
    iov->iov_len = f->held.hdr_len;
    frame->iov = iov;
    frame->iovcnt = f->niov;
    frame->len = f->held.hdr_len + f->held.len;
    frame->cookies = gso_gro_cookies(g, f);
    frame->ncookies = f->held.count;
    set_meta(f, &frame->meta);
    f->ready.flow = f;
    f->ready.first = f->first;
    ready_append(g, &f->ready);
}

static void close_list(GsoGro *g, GsoClose reason)
{
    while (g->by_first.next != &g->by_first) {
        gso_gro_close(g, flow_by_first(g->by_first.next), reason);
    }
}

/* Joining packets */

/*
 * Write the pieces of a packet's payload, all that follows its first
 * @hdr_len bytes, behind those of the flow's frame.  They are part of it
 * when gso_gro_add() says so.  Returns how many iovecs that makes in all;
 * 0 if there is no room.
 */
static uint32_t add_pieces(const GsoGro *g, GsoFlow *f,
                           const GsoPacket *packet, size_t hdr_len)
{
    const struct iovec *v = packet->iov;
    const struct iovec *end = v + packet->iovcnt;
    struct iovec *to = gso_gro_iov(f);
    uint32_t n = f->niov;

    for (; v != end; v++) {
        size_t rest = v->iov_len - hdr_len;

        if (hdr_len >= v->iov_len) {
            hdr_len -= v->iov_len;
            continue;
        }
        if (n > g->cfg.max_iov) {
            return 0;
        }
        to[n++] = (struct iovec) { (uint8_t *)v->iov_base + hdr_len, rest };
        hdr_len = 0;
    }
    return n;
}

static void remember(const GsoGro *g, GsoFlow *f, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *ip = in->p + l->l2_len;

    f->held.len = 0;
    f->held.count = 0;
    f->held.layout = *l;
    f->held.mss = l->payload_len;
    f->held.hdr_len = l->hdr_len;
    f->held.csum = in->csum;
    f->held.fixed_id = l->l3 == GSO_L3_IPV4 &&
                       (gso_get16(ip + GSO_IP4_FRAG) & GSO_IP_DF);
    f->max_segs = l->l4_proto == GSO_IPPROTO_UDP
                  ? GSO_MIN(g->cfg.max_segs, GSO_UDP_MAX_SEGS)
                  : g->cfg.max_segs;
    memcpy(f->held.hdr, in->p, l->hdr_len);
    gso_gro_foresee(&f->held, in->p, f->max_segs);
}

/* Hold the packet as the first of a frame; GSO_V_HELD or why not. */
static GsoVerdict start_flow(GsoGro *g, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    GsoPlace *bucket = gso_gro_bucket(g, in->hash);
    uint32_t niov, i = 0;
    GsoFlow *f;

    if (!g->free) {
        return GSO_V_PASS_BUSY;
    }
    f = flow_by_last(g->free);
    f->niov = 1;
    niov = add_pieces(g, f, in->packet, l->hdr_len);
    if (!niov) {
        return GSO_V_PASS_PIECES;
    }
    g->free = g->free->next;
    remember(g, f, in);
    gso_gro_add(g, f, in->packet->cookie, niov, l->payload_len);
    if (bucket[g->cfg.depth - 1].flow != GSO_NIL) {
        gso_gro_close(g, gso_gro_flow_at(g, bucket[0].flow), GSO_CLOSE_EVICT);
    }
    while (bucket[i].flow != GSO_NIL) {
        i++;
    }
    bucket[i] = (GsoPlace) { .hash = in->hash, .flow = f->place };
    f->hash = in->hash;
    f->first = g->now;
    gso_gro_list_append(&g->by_first, &f->by_first);
    gso_gro_touch(g, f);
    return GSO_V_HELD;
}

/* Flags with which a packet ends a frame and starts none. */
static bool ends_frame(uint8_t tcp_flags)
{
    return tcp_flags & (GSO_TCP_URG | GSO_TCP_PSH | GSO_TCP_RST |
                        GSO_TCP_SYN | GSO_TCP_FIN);
}

/* Close a frame that the packet just joined ends; why. */
static GsoVerdict end_frame(GsoGro *g, GsoFlow *f, uint32_t len,
                            uint8_t tcp_flags)
{
    const uint8_t sticky = GSO_TCP_FIN | GSO_TCP_PSH;
    const GsoLayout *l = &f->held.layout;
    GsoVerdict v = GSO_V_MERGED_FULL;

    if (ends_frame(tcp_flags)) {
        f->held.hdr[l->l4_off + GSO_TCP_FLAGS] |= tcp_flags & sticky;
        v = GSO_V_MERGED_PUSH;
    } else if (len < f->held.mss) {
        v = GSO_V_MERGED_SHORT;
    }
    gso_gro_close(g, f, GSO_CLOSE_MERGED);
    return v;
}

/*
 * A packet was added to a frame: what all joined ones change.  @tcp_flags
 * are 0 for UDP.
 */
static GsoVerdict joined(GsoGro *g, GsoFlow *f, uint32_t len,
                         uint8_t tcp_flags)
{
    gso_gro_list_remove(&f->by_last);
    gso_gro_touch(g, f);
    if (ends_frame(tcp_flags) || len < f->held.mss ||
        f->held.count >= f->max_segs) {
        return end_frame(g, f, len, tcp_flags);
    }
    return GSO_V_MERGED;
}

/* Join the packet to its flow's frame; GSO_V_MERGED* or why not. */
static GsoVerdict join(GsoGro *g, GsoFlow *f, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    bool fixed_id;
    GsoVerdict v = gso_gro_compare(&f->held, in, g->cfg.accecn, &fixed_id);
    uint32_t niov;

    if (v != GSO_V_MERGED) {
        return v;
    }
    niov = add_pieces(g, f, in->packet, l->hdr_len);
    if (!niov) {
        return GSO_V_DIFF_PIECES;
    }
    f->held.fixed_id = fixed_id;
    gso_gro_add(g, f, in->packet->cookie, niov, l->payload_len);
    return joined(g, f, l->payload_len, l->tcp_flags);
}

/* A packet that may be held; @kept says whether it was. */
static GsoVerdict hold(GsoGro *g, const GsoIncoming *in, bool *kept)
{
    GsoFlow *f = find(g, in);
    GsoVerdict v;

    if (f) {
        v = join(g, f, in);
        *kept = v <= GSO_V_MERGED_FULL;
        if (*kept) {
            return v;
        }
        gso_gro_close(g, f, GSO_CLOSE_DIFF);
    } else {
        v = ends_frame(in->layout.tcp_flags) ? GSO_V_PASS_FLAGS : GSO_V_HELD;
    }
    *kept = false;
    if (!ends_frame(in->layout.tcp_flags)) {
        GsoVerdict started = start_flow(g, in);

        *kept = started == GSO_V_HELD;
        v = f && *kept ? v : started;
    }
    return v;
}

static bool same_addresses(const GsoFlow *f, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const GsoLayout *held = &f->held.layout;
    bool v4 = l->l3 == GSO_L3_IPV4;
    uint32_t off = l->l2_len + (v4 ? GSO_IP4_SADDR : GSO_IP6_SADDR);

    return held->l3 == l->l3 && held->l2_len == l->l2_len &&
           !memcmp(f->held.hdr + off, in->p + off, v4 ? 8 : 32) &&
           !memcmp(f->held.hdr, in->p, l->l2_len);
}

/*
 * Deliver what is held of the flow of a packet that has to pass.  Without
 * ports to tell its flow, that is all between the same addresses.
 */
static void close_related(GsoGro *g, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const GsoLink *list = &g->by_first;
    GsoFlow *f;

    if (l->l3 == GSO_L3_NONE || (l->l4_proto != GSO_IPPROTO_TCP &&
                                 l->l4_proto != GSO_IPPROTO_UDP)) {
        return;
    }
    if (l->l4_off && !(l->flags & GSO_LF_FRAGMENT)) {
        f = find(g, in);
        if (f) {
            gso_gro_close(g, f, GSO_CLOSE_PASS);
        }
        return;
    }
    for (GsoLink *i = list->next, *next; i != list; i = next) {
        next = i->next;
        f = flow_by_first(i);
        if (same_addresses(f, in)) {
            gso_gro_close(g, f, GSO_CLOSE_PASS);
        }
    }
}

static void pass(GsoGro *g, const GsoIncoming *in, GsoReady *r)
{
    const GsoPacket *packet = in->packet;
    GsoFrame *frame = &r->frame;

    r->flow = NULL;
    r->first = g->now;
    frame->iov = packet->iov;
    frame->iovcnt = packet->iovcnt;
    frame->len = in->layout.frame_len;
    frame->cookies = &packet->cookie;
    frame->ncookies = 1;
    if (packet->meta) {
        frame->meta = *packet->meta;
    } else {
        frame->meta = (GsoMeta) {
            .csum = GSO_CSUM_COMPLETE,
            .segs = 1,
            .hdr_len = in->layout.hdr_len,
        };
    }
    ready_append(g, r);
}

static void look_at(const GsoGro *g, const GsoPacket *packet,
                    uint8_t *scratch, GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *addr;

    in->packet = packet;
    in->csum = packet->meta ? packet->meta->csum : GSO_CSUM_COMPLETE;
    in->verified = packet->meta && packet->meta->verified;
    in->hash = 0;
    in->p = gso_parse_head(packet->iov, packet->iovcnt, scratch,
                           &in->layout);
    if (l->l4_off) {
        addr = in->p + l->l2_len + (l->l3 == GSO_L3_IPV4 ? GSO_IP4_SADDR
                                                         : GSO_IP6_SADDR);
        in->hash = gso_gro_hash(g, l->l3, addr, l->l4_proto,
                                in->p + l->l4_off);
    }
}

GsoVerdict gso_gro_look(GsoGro *g, const GsoPacket *packet)
{
    uint8_t scratch[GSO_HDR_MAX];
    GsoIncoming in;
    GsoVerdict v;
    GsoReady r;
    bool kept = false;

    look_at(g, packet, scratch, &in);
    v = gso_gro_classify(&in, g->cfg.types);
    if (v == GSO_V_HELD) {
        v = gso_gro_check_csum(&in);
    }
    if (v == GSO_V_HELD) {
        v = hold(g, &in, &kept);
    } else {
        close_related(g, &in);
    }
    if (!kept) {
        pass(g, &in, &r);
    }
    gso_gro_drain(g);
    return v;
}

/* Time */

/* When the frame of a flow is due that waits for more packets. */
static uint64_t deadline(const GsoGro *g, const GsoFlow *f)
{
    return g->cfg.flush_timeout ? f->last + g->cfg.flush_timeout : GSO_NEVER;
}

/* When it is due for its age. */
static uint64_t age_limit(const GsoGro *g, const GsoFlow *f)
{
    return g->cfg.max_hold ? f->first + g->cfg.max_hold : GSO_NEVER;
}

uint64_t gso_gro_next_deadline(const GsoGro *g)
{
    uint64_t last, first;

    if (g->by_last.next == &g->by_last) {
        return GSO_NEVER;
    }
    last = deadline(g, flow_by_last(g->by_last.next));
    first = age_limit(g, flow_by_first(g->by_first.next));
    return GSO_MIN(last, first);
}

static void close_due(GsoGro *g, uint64_t now)
{
    GsoFlow *f;

    while (g->by_last.next != &g->by_last) {
        f = flow_by_last(g->by_last.next);
        if (deadline(g, f) > now) {
            break;
        }
        gso_gro_close(g, f, GSO_CLOSE_DEADLINE);
    }
    while (g->by_first.next != &g->by_first) {
        f = flow_by_first(g->by_first.next);
        if (age_limit(g, f) > now) {
            break;
        }
        gso_gro_close(g, f, GSO_CLOSE_AGE);
    }
}

void gso_gro_poll_end(GsoGro *g, uint64_t now)
{
    g->now = now;
    close_due(g, now);
    if (!g->received || !g->cfg.flush_timeout) {
        close_list(g, GSO_CLOSE_POLL);
    }
    for (GsoLink *i = g->by_last.prev; i != &g->by_last; i = i->prev) {
        GsoFlow *f = flow_by_last(i);

        if (f->epoch != g->epoch) {
            break;
        }
        f->last = now;
    }
    g->epoch++;
    g->received = false;
    gso_gro_drain(g);
}

void gso_gro_expire(GsoGro *g, uint64_t now)
{
    g->now = now;
    close_due(g, now);
    gso_gro_drain(g);
}

void gso_gro_flush(GsoGro *g, uint64_t now)
{
    g->now = now;
    close_list(g, GSO_CLOSE_DEMAND);
    gso_gro_drain(g);
}

unsigned gso_gro_held(const GsoGro *g)
{
    return g->held;
}

const GsoGroStats *gso_gro_stats(const GsoGro *g)
{
    return &g->stats;
}
