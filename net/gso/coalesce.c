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

#define NIL UINT32_MAX

/* Flows beyond those in buckets: closed ones that are being delivered. */
#define SPARE_FLOWS 4

/* The lists that a held flow is on. */
enum {
    BY_LAST,
    BY_FIRST,
    LISTS,
};

typedef struct Link {
    uint32_t prev;
    uint32_t next;
} Link;

typedef struct Flow Flow;

/* An entry of the delivery queue. */
typedef struct Ready {
    struct Ready *next;
    Flow *flow;          /* NULL: a packet that passes */
    uint64_t first;      /* arrival of the first packet */
    GsoFrame frame;
} Ready;

struct Flow {
    GsoHeld held;
    uint32_t index;      /* in GsoGro.flows and GsoGro.times */
    uint32_t niov;       /* iovecs used, the header's included */
    struct iovec *iov;
    uint8_t hdr[GSO_HDR_MAX];
    void **cookies;
    uint32_t hash;
    Ready ready;
};

/*
 * When, and the neighbours in the lists, kept apart from the flows: each
 * packet touches this of three other flows too.
 */
typedef struct FlowTime {
    Link link[LISTS];
    uint64_t deadline;
    uint64_t first;      /* arrival of the first packet */
    uint32_t epoch;      /* poll of the last packet */
} FlowTime;

/* A place in a bucket. */
typedef struct Place {
    uint32_t hash;
    uint32_t flow;       /* NIL: free, and so are all behind it */
} Place;

struct GsoGro {
    GsoGroConfig cfg;
    size_t stride;
    Place *places;
    FlowTime *times;
    uint8_t *flows;
    uint32_t free;       /* list of unused flows, by FlowTime.link[0] */
    Link list[LISTS];    /* prev: tail, next: head */
    uint32_t epoch;
    bool received;       /* since the last gso_gro_poll_end() */
    unsigned held;
    uint64_t now;
    Ready *ready_head;
    Ready **ready_tail;
    GsoGroStats stats;
};

/* Memory */

#define CACHE_LINE 64

static size_t align_up(size_t n)
{
    return (n + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
}

static size_t places_size(const GsoGroConfig *c)
{
    return align_up((size_t)c->buckets * c->depth * sizeof(Place));
}

static uint32_t flow_count(const GsoGroConfig *c)
{
    return c->buckets * c->depth + SPARE_FLOWS;
}

static size_t times_size(const GsoGroConfig *c)
{
    return align_up(flow_count(c) * sizeof(FlowTime));
}

static size_t flow_stride(const GsoGroConfig *c)
{
    return align_up(align_up(sizeof(Flow)) +
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
    size += align_up(sizeof(GsoGro)) + places_size(c) + times_size(c);
    size += CACHE_LINE; /* to begin at one */
    return size <= SIZE_MAX / 2 ? (size_t)size : 0;
}

static Flow *flow_at(const GsoGro *g, uint32_t index)
{
    return (Flow *)(void *)(g->flows + index * g->stride);
}

static void put_free(GsoGro *g, uint32_t index)
{
    g->times[index].link[0].next = g->free;
    g->free = index;
}

static void init_flow(GsoGro *g, uint32_t index)
{
    Flow *f = flow_at(g, index);
    uint8_t *tail = (uint8_t *)f + align_up(sizeof(Flow));

    f->index = index;
    f->iov = (struct iovec *)(void *)tail;
    f->cookies = (void **)(f->iov + g->cfg.max_iov + 1);
    f->held.hdr = f->hdr;
    put_free(g, index);
}

GsoGro *gso_gro_init(void *mem, size_t size, const GsoGroConfig *config)
{
    size_t need = gso_gro_size(config);
    uint8_t *p = mem;
    GsoGro *g;

    if (!need || size < need) {
        return NULL;
    }
    p += -(uintptr_t)p & (CACHE_LINE - 1);
    g = (GsoGro *)(void *)p;
    memset(g, 0, sizeof(*g));
    g->cfg = *config;
    g->stride = flow_stride(config);
    p += align_up(sizeof(*g));
    g->places = (Place *)(void *)p;
    memset(p, 0xff, places_size(config));
    p += places_size(config);
    g->times = (FlowTime *)(void *)p;
    g->flows = p + times_size(config);
    g->free = NIL;
    for (uint32_t i = flow_count(config); i-- > 0;) {
        init_flow(g, i);
    }
    for (int i = 0; i < LISTS; i++) {
        g->list[i] = (Link) { NIL, NIL };
    }
    g->ready_tail = &g->ready_head;
    return g;
}

/* Lists of held flows */

static void list_append(GsoGro *g, int which, uint32_t index)
{
    Link *list = &g->list[which];
    uint32_t tail = list->prev;

    g->times[index].link[which] = (Link) { .prev = tail, .next = NIL };
    if (tail == NIL) {
        list->next = index;
    } else {
        g->times[tail].link[which].next = index;
    }
    list->prev = index;
}

static void list_remove(GsoGro *g, int which, uint32_t index)
{
    Link l = g->times[index].link[which];

    if (l.prev == NIL) {
        g->list[which].next = l.next;
    } else {
        g->times[l.prev].link[which].next = l.next;
    }
    if (l.next == NIL) {
        g->list[which].prev = l.prev;
    } else {
        g->times[l.next].link[which].prev = l.prev;
    }
}

/* Buckets */

static uint32_t hash_of(const GsoIncoming *in, uint32_t seed)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *ip = in->p + l->l2_len;
    uint64_t h = gso_get32(in->p + l->l4_off) | (uint64_t)l->l4_proto << 32;

    h = (h ^ seed) * 0x9e3779b97f4a7c15;
    if (l->l3 == GSO_L3_IPV4) {
        h ^= gso_load64(ip + GSO_IP4_SADDR);
    } else {
        for (int i = 0; i < 32; i += 8) {
            h = (h ^ gso_load64(ip + GSO_IP6_SADDR + i)) * 0x9e3779b97f4a7c15;
            h ^= h >> 32;
        }
    }
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9;
    return (uint32_t)(h >> 32);
}

static Place *bucket_of(const GsoGro *g, uint32_t hash)
{
    return g->places + (size_t)(hash & (g->cfg.buckets - 1)) * g->cfg.depth;
}

static Flow *find(const GsoGro *g, const GsoIncoming *in)
{
    const Place *bucket = bucket_of(g, in->hash);

    for (uint32_t i = 0; i < g->cfg.depth && bucket[i].flow != NIL; i++) {
        Flow *f = flow_at(g, bucket[i].flow);

        if (bucket[i].hash == in->hash && gso_gro_same_flow(&f->held, in)) {
            return f;
        }
    }
    return NULL;
}

static void bucket_remove(GsoGro *g, const Flow *f)
{
    Place *bucket = bucket_of(g, f->hash);
    uint32_t i = 0;

    while (bucket[i].flow != f->index) {
        i++;
    }
    for (; i + 1 < g->cfg.depth && bucket[i + 1].flow != NIL; i++) {
        bucket[i] = bucket[i + 1];
    }
    bucket[i].flow = NIL;
}

/* Delivery */

static void ready_append(GsoGro *g, Ready *r)
{
    r->next = NULL;
    *g->ready_tail = r;
    g->ready_tail = &r->next;
}

static Ready *ready_pop(GsoGro *g)
{
    Ready *r = g->ready_head;

    if (r) {
        g->ready_head = r->next;
        if (!r->next) {
            g->ready_tail = &g->ready_head;
        }
    }
    return r;
}

static void count_frame(GsoGro *g, const Ready *r)
{
    uint64_t held = g->now - r->first;

    g->stats.frames++;
    g->stats.super_frames += r->frame.ncookies > 1;
    if (held > g->stats.max_held_ns) {
        g->stats.max_held_ns = held;
    }
}

static void drain(GsoGro *g)
{
    Ready *r;

    while ((r = ready_pop(g))) {
        Flow *f = r->flow;

        count_frame(g, r);
        g->cfg.deliver(g->cfg.opaque, &r->frame);
        if (f) {
            put_free(g, f->index);
        }
    }
}

/* Write lengths and checksums of a super-frame into its header. */
static void finish_header(Flow *f)
{
    GsoHeld *h = &f->held;
    uint8_t *ip = f->hdr + h->l2_len;
    uint8_t *l4 = f->hdr + h->l4_off;
    uint16_t l4_len = (uint16_t)(h->hdr_len - h->l4_off + h->len);
    uint64_t sum;

    if (h->l3 == GSO_L3_IPV4) {
        gso_put16(ip + GSO_IP4_LEN, (uint16_t)(h->l3_len + l4_len));
        gso_put16(ip + GSO_IP4_CSUM, 0);
        sum = gso_sum(ip, h->l3_len, 0);
        gso_put16(ip + GSO_IP4_CSUM, gso_sum_finish(sum));
    } else {
        gso_put16(ip + GSO_IP6_LEN,
                  (uint16_t)(h->l3_len - GSO_IP6_HLEN + l4_len));
    }
    if (h->l4_proto == GSO_IPPROTO_UDP) {
        gso_put16(l4 + GSO_UDP_LEN, l4_len);
    }
    sum = gso_sum_pseudo(ip, h->l3, h->l4_proto, l4_len);
    gso_put16(l4 + gso_csum_offset(h->l4_proto), gso_sum_fold(sum));
}

static void set_meta(const Flow *f, GsoMeta *m)
{
    const GsoHeld *h = &f->held;
    bool partial = h->count > 1 || h->csum == GSO_CSUM_PARTIAL;

    *m = (GsoMeta) {
        .csum = partial ? GSO_CSUM_PARTIAL : GSO_CSUM_COMPLETE,
        .verified = !partial,
        .segs = (uint16_t)h->count,
        .hdr_len = h->hdr_len,
        .csum_start = partial ? h->l4_off : 0,
        .csum_offset = partial ? (uint16_t)gso_csum_offset(h->l4_proto) : 0,
    };
    if (h->count == 1) {
        return;
    }
    m->gso_size = h->mss;
    m->fixed_id = h->fixed_id;
    if (h->l4_proto == GSO_IPPROTO_UDP) {
        m->type = GSO_TYPE_UDP_L4;
        return;
    }
    m->type = h->l3 == GSO_L3_IPV4 ? GSO_TYPE_TCPV4 : GSO_TYPE_TCPV6;
    m->ecn = f->hdr[h->l4_off + GSO_TCP_FLAGS] & GSO_TCP_CWR;
}

/* Take a held frame out of the table and queue it for delivery. */
static void close_flow(GsoGro *g, Flow *f, GsoClose reason)
{
    GsoFrame *frame = &f->ready.frame;

    bucket_remove(g, f);
    list_remove(g, BY_LAST, f->index);
    list_remove(g, BY_FIRST, f->index);
    g->held -= f->held.count;
    g->stats.close[reason]++;
    if (f->held.count > 1) {
        finish_header(f);
    }
    f->iov[0].iov_base = f->hdr;
    f->iov[0].iov_len = f->held.hdr_len;
    frame->iov = f->iov;
    frame->iovcnt = f->niov;
    frame->len = f->held.hdr_len + f->held.len;
    frame->cookies = f->cookies;
    frame->ncookies = f->held.count;
    set_meta(f, &frame->meta);
    f->ready.flow = f;
    f->ready.first = g->times[f->index].first;
    ready_append(g, &f->ready);
}

static void close_list(GsoGro *g, GsoClose reason)
{
    uint32_t i;

    while ((i = g->list[BY_FIRST].next) != NIL) {
        close_flow(g, flow_at(g, i), reason);
    }
}

/* Joining packets */

/* Append the payload's pieces; false, with nothing changed, if no room. */
static bool add_payload(GsoGro *g, Flow *f, const GsoIncoming *in)
{
    const struct iovec *v = in->packet->iov;
    size_t off = in->layout.hdr_len;
    uint32_t left = in->layout.payload_len;
    uint32_t n = f->niov;

    for (; left; v++) {
        size_t len;

        if (off >= v->iov_len) {
            off -= v->iov_len;
            continue;
        }
        if (n > g->cfg.max_iov) {
            return false;
        }
        len = GSO_MIN(v->iov_len - off, left);
        f->iov[n].iov_base = (uint8_t *)v->iov_base + off;
        f->iov[n].iov_len = len;
        n++;
        left -= (uint32_t)len;
        off = 0;
    }
    f->niov = n;
    f->cookies[f->held.count++] = in->packet->cookie;
    f->held.len += in->layout.payload_len;
    g->held++;
    return true;
}

/* A packet came: the time to hold starts again. */
static void touch(GsoGro *g, const Flow *f, uint64_t now)
{
    FlowTime *t = &g->times[f->index];

    list_append(g, BY_LAST, f->index);
    t->epoch = g->epoch;
    t->deadline = g->cfg.flush_timeout ? now + g->cfg.flush_timeout
                                       : GSO_NEVER;
}

static void remember(Flow *f, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *ip = in->p + l->l2_len;
    GsoHeld *h = &f->held;

    h->len = 0;
    h->count = 0;
    h->mss = (uint16_t)l->payload_len;
    h->l2_len = l->l2_len;
    h->l3_len = l->l3_len;
    h->l4_off = l->l4_off;
    h->hdr_len = l->hdr_len;
    h->l3 = l->l3;
    h->l4_proto = l->l4_proto;
    h->csum = in->csum;
    h->fixed_id = l->l3 == GSO_L3_IPV4 &&
                  (gso_get16(ip + GSO_IP4_FRAG) & GSO_IP_DF);
    memcpy(f->hdr, in->p, l->hdr_len);
}

/* Hold the packet as the first of a frame; GSO_V_HELD or why not. */
static GsoVerdict start_flow(GsoGro *g, const GsoIncoming *in, uint64_t now)
{
    Place *bucket = bucket_of(g, in->hash);
    uint32_t i = 0;
    Flow *f;

    if (g->free == NIL) {
        return GSO_V_PASS_BUSY;
    }
    f = flow_at(g, g->free);
    remember(f, in);
    f->niov = 1;
    if (!add_payload(g, f, in)) {
        return GSO_V_PASS_PIECES;
    }
    g->free = g->times[f->index].link[0].next;
    if (bucket[g->cfg.depth - 1].flow != NIL) {
        close_flow(g, flow_at(g, bucket[0].flow), GSO_CLOSE_EVICT);
    }
    while (bucket[i].flow != NIL) {
        i++;
    }
    bucket[i] = (Place) { .hash = in->hash, .flow = f->index };
    f->hash = in->hash;
    g->times[f->index].first = now;
    list_append(g, BY_FIRST, f->index);
    touch(g, f, now);
    return GSO_V_HELD;
}

static GsoVerdict after_join(const GsoGro *g, const Flow *f,
                             const GsoLayout *l)
{
    uint32_t limit = g->cfg.max_segs;

    if (l->l4_proto == GSO_IPPROTO_UDP) {
        limit = GSO_MIN(limit, GSO_UDP_MAX_SEGS);
    }
    if (gso_gro_ends(l)) {
        return GSO_V_MERGED_PUSH;
    }
    if (l->payload_len < f->held.mss) {
        return GSO_V_MERGED_SHORT;
    }
    return f->held.count == limit ? GSO_V_MERGED_FULL : GSO_V_MERGED;
}

/* Join the packet to its flow's frame; GSO_V_MERGED* or the difference. */
static GsoVerdict join(GsoGro *g, Flow *f, const GsoIncoming *in,
                       uint64_t now)
{
    const uint8_t sticky = GSO_TCP_FIN | GSO_TCP_PSH;
    bool fixed_id;
    GsoVerdict v = gso_gro_compare(&f->held, in, g->cfg.accecn, &fixed_id);

    if (v != GSO_V_MERGED) {
        return v;
    }
    if (!add_payload(g, f, in)) {
        return GSO_V_DIFF_PIECES;
    }
    f->held.fixed_id = fixed_id;
    if (in->layout.l4_proto == GSO_IPPROTO_TCP) {
        f->hdr[f->held.l4_off + GSO_TCP_FLAGS] |= in->layout.tcp_flags &
                                                  sticky;
    }
    list_remove(g, BY_LAST, f->index);
    touch(g, f, now);
    v = after_join(g, f, &in->layout);
    if (v != GSO_V_MERGED) {
        close_flow(g, f, GSO_CLOSE_MERGED);
    }
    return v;
}

/* A packet that may be held; @kept says whether it was. */
static GsoVerdict hold(GsoGro *g, const GsoIncoming *in, uint64_t now,
                       bool *kept)
{
    Flow *f = find(g, in);
    GsoVerdict v;

    if (f) {
        v = join(g, f, in, now);
        *kept = v <= GSO_V_MERGED_FULL;
        if (*kept) {
            return v;
        }
        close_flow(g, f, GSO_CLOSE_DIFF);
    } else {
        v = gso_gro_ends(&in->layout) ? GSO_V_PASS_FLAGS : GSO_V_HELD;
    }
    *kept = false;
    if (!gso_gro_ends(&in->layout)) {
        GsoVerdict started = start_flow(g, in, now);

        *kept = started == GSO_V_HELD;
        v = f && *kept ? v : started;
    }
    return v;
}

static bool same_addresses(const Flow *f, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    bool v4 = l->l3 == GSO_L3_IPV4;
    uint32_t off = l->l2_len + (v4 ? GSO_IP4_SADDR : GSO_IP6_SADDR);

    return f->held.l3 == l->l3 && f->held.l2_len == l->l2_len &&
           !memcmp(f->hdr + off, in->p + off, v4 ? 8 : 32) &&
           !memcmp(f->hdr, in->p, l->l2_len);
}

/*
 * Deliver what is held of the flow of a packet that has to pass.  Without
 * ports to tell its flow, that is all between the same addresses.
 */
static void close_related(GsoGro *g, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    Flow *f;

    if (l->l3 == GSO_L3_NONE || (l->l4_proto != GSO_IPPROTO_TCP &&
                                 l->l4_proto != GSO_IPPROTO_UDP)) {
        return;
    }
    if (l->l4_off && !(l->flags & GSO_LF_FRAGMENT)) {
        f = find(g, in);
        if (f) {
            close_flow(g, f, GSO_CLOSE_PASS);
        }
        return;
    }
    for (uint32_t i = g->list[BY_FIRST].next, next; i != NIL; i = next) {
        next = g->times[i].link[BY_FIRST].next;
        f = flow_at(g, i);
        if (same_addresses(f, in)) {
            close_flow(g, f, GSO_CLOSE_PASS);
        }
    }
}

static void pass(GsoGro *g, const GsoIncoming *in, uint64_t now, Ready *r)
{
    const GsoPacket *packet = in->packet;
    GsoFrame *frame = &r->frame;

    r->flow = NULL;
    r->first = now;
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

static void look_at(GsoGro *g, const GsoPacket *packet, uint8_t *scratch,
                    GsoIncoming *in)
{
    in->packet = packet;
    in->p = gso_parse_head(packet->iov, packet->iovcnt, scratch,
                           &in->layout);
    in->hash = in->layout.l4_off ? hash_of(in, g->cfg.hash_seed) : 0;
    in->csum = packet->meta ? packet->meta->csum : GSO_CSUM_COMPLETE;
    in->verified = packet->meta && packet->meta->verified;
}

GsoVerdict gso_gro_receive(GsoGro *g, const GsoPacket *packet, uint64_t now)
{
    uint8_t scratch[GSO_HDR_MAX];
    GsoIncoming in;
    GsoVerdict v;
    Ready r;
    bool kept = false;

    look_at(g, packet, scratch, &in);
    g->now = now;
    g->received = true;
    g->stats.packets++;
    v = gso_gro_classify(&in, g->cfg.types);
    if (v == GSO_V_HELD) {
        v = gso_gro_check_csum(&in);
    }
    if (v == GSO_V_HELD) {
        v = hold(g, &in, now, &kept);
    } else {
        close_related(g, &in);
    }
    g->stats.verdict[v]++;
    if (!kept) {
        pass(g, &in, now, &r);
    }
    drain(g);
    return v;
}

/* Time */

static void close_due(GsoGro *g, uint64_t now)
{
    uint32_t i;

    while ((i = g->list[BY_LAST].next) != NIL && g->times[i].deadline <= now) {
        close_flow(g, flow_at(g, i), GSO_CLOSE_DEADLINE);
    }
    while (g->cfg.max_hold && (i = g->list[BY_FIRST].next) != NIL &&
           now - g->times[i].first >= g->cfg.max_hold) {
        close_flow(g, flow_at(g, i), GSO_CLOSE_AGE);
    }
}

void gso_gro_poll_end(GsoGro *g, uint64_t now)
{
    g->now = now;
    close_due(g, now);
    if (!g->received || !g->cfg.flush_timeout) {
        close_list(g, GSO_CLOSE_POLL);
    }
    for (uint32_t i = g->list[BY_LAST].prev;
         i != NIL && g->times[i].epoch == g->epoch;
         i = g->times[i].link[BY_LAST].prev) {
        g->times[i].deadline = now + g->cfg.flush_timeout;
    }
    g->epoch++;
    g->received = false;
    drain(g);
}

uint64_t gso_gro_next_deadline(const GsoGro *g)
{
    uint32_t last = g->list[BY_LAST].next;
    uint32_t first = g->list[BY_FIRST].next;
    uint64_t deadline = GSO_NEVER;

    if (last != NIL) {
        deadline = g->times[last].deadline;
    }
    if (first != NIL && g->cfg.max_hold) {
        uint64_t age = g->times[first].first + g->cfg.max_hold;

        deadline = GSO_MIN(deadline, age);
    }
    return deadline;
}

void gso_gro_expire(GsoGro *g, uint64_t now)
{
    g->now = now;
    close_due(g, now);
    drain(g);
}

void gso_gro_flush(GsoGro *g, uint64_t now)
{
    g->now = now;
    close_list(g, GSO_CLOSE_DEMAND);
    drain(g);
}

unsigned gso_gro_held(const GsoGro *g)
{
    return g->held;
}

const GsoGroStats *gso_gro_stats(const GsoGro *g)
{
    return &g->stats;
}
