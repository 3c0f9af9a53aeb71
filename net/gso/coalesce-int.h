/*
 * What the files of the coalescer share
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef NET_GSO_COALESCE_INT_H
#define NET_GSO_COALESCE_INT_H

#include "gso-int.h"

/* Datagrams in one UDP super-frame (Linux UDP_GRO_CNT_MAX). */
#define GSO_UDP_MAX_SEGS 64

/* A free place in a bucket. */
#define GSO_NIL UINT32_MAX

#define GSO_CACHE_LINE 64

/* A packet while it is being looked at. */
typedef struct GsoIncoming {
    const GsoPacket *packet;
    const uint8_t *p;    /* its headers in one piece */
    GsoLayout layout;
    uint32_t hash;
    uint8_t csum;        /* GsoCsum */
    bool verified;
} GsoIncoming;

/*
 * What all held frames remember of their first packet, to compare with the
 * next: the header itself, and what has been joined to it.
 *
 * What is foreseen is so as long as packets are like the first (receive.c);
 * sums are in memory order.
 */
typedef struct GsoHeld {
    uint64_t tcp_sum;    /* foreseen: pseudo and TCP header that stay */
    uint32_t len;        /* payload so far */
    uint32_t count;      /* packets so far */
    uint32_t end;        /* no more are foreseen from that count on */
    uint32_t mss;        /* payload of the first packet */
    uint16_t hdr_len;
    uint16_t id_csum;    /* foreseen: sum of IPv4 ID and header checksum */
    uint8_t csum;        /* GsoCsum of the first packet */
    bool fixed_id;       /* DF, and the IP ID has not moved so far */
    uint8_t hdr[GSO_HDR_MAX] __attribute__((aligned(16)));
    GsoLayout layout;    /* of the first packet */
} GsoHeld;

/* The ends of a list are linked to its head, and an empty head to itself. */
typedef struct GsoLink {
    struct GsoLink *prev;
    struct GsoLink *next;
} GsoLink;

typedef struct GsoFlow GsoFlow;

/* An entry of the delivery queue. */
typedef struct GsoReady {
    struct GsoReady *next;
    GsoFlow *flow;       /* NULL: a packet that passes */
    uint64_t first;      /* arrival of the first packet */
    GsoFrame frame;
} GsoReady;

/*
 * A flow, with its iovecs and cookies behind it.  What each packet touches
 * comes first, and is one cache line and the header.
 */
struct GsoFlow {
    GsoLink by_last;     /* in GsoGro.by_last, or .free by @next */
    uint64_t last;       /* arrival of the last packet, or end of its poll */
    uint32_t epoch;      /* poll of the last packet */
    uint32_t niov;       /* iovecs used, the header's included */
    GsoHeld held;
    GsoLink by_first;
    uint64_t first;      /* arrival of the first packet */
    uint32_t hash;
    uint32_t place;      /* cache lines from GsoGro.flows */
    uint32_t max_segs;
    GsoReady ready;
} __attribute__((aligned(GSO_CACHE_LINE)));

/* A place in a bucket. */
typedef struct GsoPlace {
    uint32_t hash;
    uint32_t flow;       /* its place; GSO_NIL: none, nor in those behind */
} GsoPlace;

struct GsoGro {
    GsoGroConfig cfg;
    GsoPlace *places;
    uint8_t *flows;
    uint32_t bucket_shift; /* a hash's bits below those of its bucket */
    uint32_t depth_shift;  /* places in a bucket, as a power of two */
    GsoLink *free;       /* unused flows, by GsoFlow.by_last.next */
    GsoLink by_last;     /* held flows, the oldest next */
    GsoLink by_first;
    uint32_t epoch;
    bool received;       /* since the last gso_gro_poll_end() */
    unsigned held;
    uint64_t now;
    GsoReady *ready_head;
    GsoReady **ready_tail;
    GsoGroStats stats;
};

/* The rules (match.c) */

/*
 * May the packet be held at all?  GSO_V_HELD, or why it passes.  Leaves the
 * checksum to gso_gro_check_csum().
 */
GsoVerdict gso_gro_classify(const GsoIncoming *in, uint8_t types);

/* Are the checksums right?  GSO_V_HELD, or why the packet passes. */
GsoVerdict gso_gro_check_csum(const GsoIncoming *in);

/* Of the same flow, as gso.h defines it? */
bool gso_gro_same_flow(const GsoHeld *held, const GsoIncoming *in);

/*
 * May the packet, of the same flow, be joined?  GSO_V_MERGED, or the
 * difference.  Sets @fixed_id to what the frame's becomes.
 */
GsoVerdict gso_gro_compare(const GsoHeld *held, const GsoIncoming *in,
                           bool accecn, bool *fixed_id);

/* Is the TCP header's sequence number at @b the next after those from @a? */
static inline bool gso_gro_seq_fits(const GsoHeld *held, const uint8_t *a,
                                    const uint8_t *b)
{
    return gso_get32(a + GSO_TCP_SEQ) + held->len ==
           gso_get32(b + GSO_TCP_SEQ);
}

/* The table (coalesce.c) */

/* Take a held frame out of the table and queue it for delivery. */
void gso_gro_close(GsoGro *g, GsoFlow *f, GsoClose reason);

/* Deliver what is queued. */
void gso_gro_drain(GsoGro *g);

/*
 * By addresses at @addr, and the ports with which the L4 header begins.
 * Multiplying by the golden ratio spreads numbers in sequence evenly over
 * the upper bits.
 */
static inline uint32_t gso_gro_hash(const GsoGro *g, uint8_t l3,
                                    const uint8_t *addr, uint8_t l4_proto,
                                    const uint8_t *l4)
{
    const uint64_t golden = 0x9e3779b97f4a7c15;
    uint64_t h = gso_load32(l4) | (uint64_t)l4_proto << 32;
    int n = l3 == GSO_L3_IPV4 ? 8 : 32;

    h = (h ^ g->cfg.hash_seed) * golden;
    for (int i = 0; i < n - 8; i += 8) {
        h = (h ^ gso_load64(addr + i)) * golden;
        h ^= h >> 32;
    }
    return (uint32_t)((h ^ gso_load64(addr + n - 8)) * golden >> 32);
}

/* The upper bits of the hash depend on all of what it is of. */
static inline GsoPlace *gso_gro_bucket(const GsoGro *g, uint32_t hash)
{
    return g->places +
           (((uint64_t)hash >> g->bucket_shift) << g->depth_shift);
}

static inline GsoFlow *gso_gro_flow_at(const GsoGro *g, uint32_t place)
{
    return (GsoFlow *)(void *)(g->flows + (size_t)place * GSO_CACHE_LINE);
}

/* Where the iovecs of a flow are, max_iov and one for the header. */
static inline struct iovec *gso_gro_iov(GsoFlow *f)
{
    return (struct iovec *)(void *)(f + 1);
}

/* Where its cookies are, max_segs. */
static inline void **gso_gro_cookies(const GsoGro *g, GsoFlow *f)
{
    return (void **)(gso_gro_iov(f) + g->cfg.max_iov + 1);
}

static inline void gso_gro_list_append(GsoLink *list, GsoLink *link)
{
    link->next = list;
    list->prev->next = link;
    link->prev = list->prev;
    list->prev = link;
}

static inline void gso_gro_list_remove(GsoLink *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
}

/* A packet came: the time to hold starts again. */
static inline void gso_gro_touch(GsoGro *g, GsoFlow *f)
{
    gso_gro_list_append(&g->by_last, &f->by_last);
    f->epoch = g->epoch;
    f->last = g->now;
}

/* Add a packet with @len bytes of payload; its pieces end at @niov. */
static inline void gso_gro_add(GsoGro *g, GsoFlow *f, void *cookie,
                               uint32_t niov, uint32_t len)
{
    f->niov = niov;
    gso_gro_cookies(g, f)[f->held.count++] = cookie;
    f->held.len += len;
    g->held++;
}

/* Look at a packet in full and do with it what its verdict says. */
GsoVerdict gso_gro_look(GsoGro *g, const GsoPacket *packet);

/* Prediction (receive.c) */

/*
 * @held has its first packet, whose header is at @p: note what may be
 * foreseen of the next.
 */
void gso_gro_foresee(GsoHeld *held, const uint8_t *p, uint32_t max_segs);

#endif /* NET_GSO_COALESCE_INT_H */
