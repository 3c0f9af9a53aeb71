/*
 * Handing in a packet; most are the next of a held flow, and predicted
 *
 * Most packets of a bulk transfer are the one before with another sequence
 * number, IP ID and checksum (Van Jacobson's header prediction; RFC 1144,
 * section 3.2).  A packet whose header is that of the held frame's first one
 * in all other fields, the length included, has the same layout and may be
 * held for the same reasons.  So nothing is parsed, one comparison stands
 * for all the rules, and the checksums of what is the same are known.
 *
 * What is not as predicted, for whatever reason, is looked at in full and
 * gets its verdict there.  That is also the way of a packet that ends its
 * frame, of UDP, of tags, IPv4 options and extension headers, and of a
 * payload in several pieces.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "coalesce-int.h"

/*
 * Functions with a GsoL3 are made once for each, so that offsets are
 * constants.
 */
#define PER_L3 inline __attribute__((always_inline))

/* Header bytes are compared so many at a time. */
typedef uint64_t Vector __attribute__((vector_size(16)));

enum {
    IP = GSO_ETH_HLEN,
    TCP4 = IP + GSO_IP4_HLEN,
    TCP6 = IP + GSO_IP6_HLEN,
    TCP_MAX = 60,
};

/* Which bytes are the same: all but IP ID, sequence number and checksums. */
static const uint8_t same4[TCP4 + TCP_MAX] = {
    [0 ... IP + GSO_IP4_ID - 1] = 0xff,
    [IP + GSO_IP4_FRAG ... IP + GSO_IP4_CSUM - 1] = 0xff,
    [IP + GSO_IP4_SADDR ... TCP4 + GSO_TCP_SEQ - 1] = 0xff,
    [TCP4 + GSO_TCP_ACKNO ... TCP4 + GSO_TCP_CSUM - 1] = 0xff,
    [TCP4 + GSO_TCP_URGPTR ... TCP4 + TCP_MAX - 1] = 0xff,
};

static const uint8_t same6[TCP6 + TCP_MAX] = {
    [0 ... TCP6 + GSO_TCP_SEQ - 1] = 0xff,
    [TCP6 + GSO_TCP_ACKNO ... TCP6 + GSO_TCP_CSUM - 1] = 0xff,
    [TCP6 + GSO_TCP_URGPTR ... TCP6 + TCP_MAX - 1] = 0xff,
};

/* Offset of the TCP header. */
static PER_L3 uint32_t tcp_off(GsoL3 l3)
{
    return l3 == GSO_L3_IPV4 ? TCP4 : TCP6;
}

/* Offset of the addresses, which end where the TCP header begins. */
static PER_L3 uint32_t addr_off(GsoL3 l3)
{
    return IP + (l3 == GSO_L3_IPV4 ? GSO_IP4_SADDR : GSO_IP6_SADDR);
}

/* Sum of IP ID and IPv4 checksum: constant if nothing else changes. */
static inline uint16_t id_csum(const uint8_t *ip)
{
    uint32_t sum = gso_load16(ip + GSO_IP4_ID) + gso_load16(ip + GSO_IP4_CSUM);

    return (uint16_t)((sum >> 16) + sum);
}

static inline Vector load_vector(const uint8_t *p)
{
    Vector v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline Vector differ(const uint8_t *a, const uint8_t *b,
                            const uint8_t *mask)
{
    return (load_vector(a) ^ load_vector(b)) & load_vector(mask);
}

/* Are the headers at @a and @b, of @len bytes, the same where they are to? */
static PER_L3 bool same_header(const uint8_t *a, const uint8_t *b,
                               uint32_t len, GsoL3 l3)
{
    const uint8_t *mask = l3 == GSO_L3_IPV4 ? same4 : same6;
    const uint32_t step = sizeof(Vector), last = len - step;
    const uint32_t least = (tcp_off(l3) + GSO_TCP_HLEN) & ~(step - 1);
    Vector d = { 0 };
    uint32_t i = 0;

#pragma GCC unroll 4
    for (; i < least; i += step) {
        d |= differ(a + i, b + i, mask + i);
    }
    for (; i < last; i += step) {
        d |= differ(a + i, b + i, mask + i);
    }
    d |= differ(a + last, b + last, mask + last);
    return !(d[0] | d[1]);
}

/*
 * Does the IP ID count on, or is it fixed as the second one was?  What is
 * behind it is the same in both headers.
 */
static PER_L3 bool next_id(const GsoHeld *h, const uint8_t *a,
                           const uint8_t *b)
{
    uint32_t step = h->fixed_id && h->count > 1 ? 0 : h->count;

    return gso_get32(b + GSO_IP4_ID) - gso_get32(a + GSO_IP4_ID) == step << 16;
}

/* Is the header, of which @avail bytes are at hand, the one expected? */
static PER_L3 bool expected(const GsoHeld *h, const uint8_t *p, size_t avail,
                            GsoL3 l3)
{
    const uint8_t *a = h->hdr;
    const uint32_t tcp = tcp_off(l3);

    return h->count < h->end && avail >= h->hdr_len &&
           same_header(a, p, h->hdr_len, l3) &&
           gso_gro_seq_fits(h, a + tcp, p + tcp) &&
           (l3 == GSO_L3_IPV6 ||
            (next_id(h, a + IP, p + IP) &&
             id_csum(p + IP) == h->id_csum &&
             gso_load16(p + IP + GSO_IP4_CSUM) != 0xffff));
}

/* The payload if it is in one piece and of the length expected, or NULL. */
static PER_L3 uint8_t *find_payload(const GsoHeld *h, const GsoPacket *packet)
{
    const struct iovec *v = packet->iov;
    const uint32_t hdr_len = h->hdr_len;
    const uint32_t len = h->mss;

    if (packet->iovcnt == 2 && v->iov_len == hdr_len && v[1].iov_len == len) {
        return v[1].iov_base;
    }
    if (packet->iovcnt == 1 && v->iov_len == hdr_len + len) {
        return (uint8_t *)v->iov_base + hdr_len;
    }
    return NULL;
}

static PER_L3 bool tcp_csum_good(const GsoHeld *h, const GsoMeta *meta,
                                 const uint8_t *tcp, const uint8_t *payload)
{
    const uint16_t csum = gso_load16(tcp + GSO_TCP_CSUM);
    uint64_t sum = h->tcp_sum;

    if (meta && meta->csum == GSO_CSUM_PARTIAL) {
        return true;
    }
    if (csum == 0xffff) {
        return false;
    }
    if (meta && meta->verified) {
        return true;
    }
    sum = gso_add64(sum, (uint64_t)gso_load32(tcp + GSO_TCP_SEQ) + csum);
    return gso_sum_good(gso_sum(payload, h->mss, sum));
}

/* The first flow that the packet may be of. */
static PER_L3 GsoFlow *find(const GsoGro *g, uint32_t hash)
{
    const GsoPlace *place = gso_gro_bucket(g, hash);
    const GsoPlace *end = place + g->cfg.depth;

    do {
        if (place->hash == hash) {
            return place->flow == GSO_NIL ? NULL
                                          : gso_gro_flow_at(g, place->flow);
        }
    } while (++place != end);
    return NULL;
}

/*
 * With many flows the cache line that a later packet writes to is far away;
 * fetch the one behind @p ahead of it.  It need not exist.
 */
static inline void prefetch_next(const void *p)
{
    __builtin_prefetch((const void *)((uintptr_t)p + GSO_CACHE_LINE), 1);
}

static PER_L3 bool predict(GsoGro *g, const GsoPacket *packet, GsoL3 l3)
{
    const uint8_t *p = packet->iov->iov_base;
    const uint8_t *tcp = p + tcp_off(l3);
    GsoFlow *f = find(g, gso_gro_hash(g, l3, p + addr_off(l3),
                                      GSO_IPPROTO_TCP, tcp));
    struct iovec *iov;
    uint8_t *payload;

    if (!f || !expected(&f->held, p, packet->iov->iov_len, l3)) {
        return false;
    }
    payload = find_payload(&f->held, packet);
    if (!payload || f->niov > g->cfg.max_iov ||
        !tcp_csum_good(&f->held, packet->meta, tcp, payload)) {
        return false;
    }
    f->held.fixed_id &= f->held.count > 1;
    iov = gso_gro_iov(f) + f->niov;
    iov->iov_base = payload;
    iov->iov_len = f->held.mss;
    prefetch_next(iov);
    prefetch_next(gso_gro_cookies(g, f) + f->held.count);
    gso_gro_add(g, f, packet->cookie, f->niov + 1, f->held.mss);
    gso_gro_list_remove(&f->by_last);
    gso_gro_touch(g, f);
    return true;
}

/* Apart, so that IPv4 has the registers for itself. */
static __attribute__((noinline)) bool predict6(GsoGro *g,
                                               const GsoPacket *packet)
{
    return predict(g, packet, GSO_L3_IPV6);
}

/* Is the packet a whole one of TCP over @l3, without tags and options? */
static PER_L3 bool is_tcp(const GsoPacket *packet, uint16_t type, GsoL3 l3)
{
    const uint8_t *p = packet->iov->iov_base;

    return packet->iov->iov_len >= tcp_off(l3) + GSO_TCP_HLEN &&
           gso_get16(p + IP - 2) == type &&
           p[IP + (l3 == GSO_L3_IPV4 ? GSO_IP4_PROTO : GSO_IP6_NEXT)] ==
           GSO_IPPROTO_TCP;
}

/* Packets of a frame, all as long as the first, that fit it. */
static uint32_t frame_packets(const GsoLayout *l, uint32_t max_segs)
{
    uint32_t room = GSO_IP_MAX - (l->hdr_len - GSO_ETH_HLEN);

    return GSO_MIN(max_segs, room / l->payload_len);
}

void gso_gro_foresee(GsoHeld *h, const uint8_t *p, uint32_t max_segs)
{
    const GsoLayout *l = &h->layout;
    const uint8_t *ip = p + IP;
    const uint8_t *tcp = p + l->l4_off;
    uint64_t sum;

    h->end = 0;
    if (l->l4_proto != GSO_IPPROTO_TCP || (l->tcp_flags & GSO_TCP_CWR) ||
        l->l4_off != tcp_off(l->l3)) {
        return;
    }
    sum = gso_sum_pseudo(ip, l->l3, l->l4_proto, l->l4_len);
    sum = gso_sum_tail(tcp, l->l4_hdr_len, sum);
    sum = gso_add64(sum, ~gso_load32(tcp + GSO_TCP_SEQ));
    sum = gso_add64(sum, 0xffff - gso_load16(tcp + GSO_TCP_CSUM));
    h->tcp_sum = sum;
    h->id_csum = id_csum(ip);
    h->end = frame_packets(l, max_segs - 1);
}

/*
 * Join the packet, GSO_V_MERGED, if it is the next of a held flow and looks
 * like it.  False, with nothing done: it has to be looked at in full.
 */
static inline bool join_predicted(GsoGro *g, const GsoPacket *packet)
{
    if (!packet->iovcnt ||
        (packet->meta && packet->meta->type != GSO_TYPE_NONE)) {
        return false;
    }
    if (is_tcp(packet, GSO_ETH_P_IP, GSO_L3_IPV4)) {
        return predict(g, packet, GSO_L3_IPV4);
    }
    return is_tcp(packet, GSO_ETH_P_IPV6, GSO_L3_IPV6) && predict6(g, packet);
}

GsoVerdict gso_gro_receive(GsoGro *g, const GsoPacket *packet, uint64_t now)
{
    GsoVerdict v = GSO_V_MERGED;

    g->now = now;
    g->received = true;
    g->stats.packets++;
    if (!join_predicted(g, packet)) {
        v = gso_gro_look(g, packet);
    }
    g->stats.verdict[v]++;
    return v;
}
