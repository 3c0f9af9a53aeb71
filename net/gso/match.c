/*
 * Which packets may be joined: Linux's GRO rules
 *
 * Sources: Linux 6.1 net/core/gro.c, net/ipv4/af_inet.c,
 * net/ipv4/tcp_offload.c, net/ipv4/udp_offload.c, net/ipv6/ip6_offload.c.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "coalesce-int.h"

static GsoType type_of(const GsoLayout *l)
{
    if (l->l4_proto == GSO_IPPROTO_UDP) {
        return GSO_TYPE_UDP_L4;
    }
    return l->l3 == GSO_L3_IPV4 ? GSO_TYPE_TCPV4 : GSO_TYPE_TCPV6;
}

static GsoVerdict classify_l4(const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *l4 = in->p + l->l4_off;

    if (l->l4_proto == GSO_IPPROTO_TCP) {
        return l->payload_len ? GSO_V_HELD : GSO_V_PASS_EMPTY;
    }
    if (gso_get16(l4 + GSO_UDP_LEN) != l->l4_len) {
        return GSO_V_PASS_LENGTH;
    }
    if (!gso_get16(l4 + GSO_UDP_CSUM)) {
        return GSO_V_PASS_NO_CSUM;
    }
    return l->payload_len ? GSO_V_HELD : GSO_V_PASS_EMPTY;
}

/* The unused bit beside DF and MF; Linux joins nothing that has it set. */
static bool reserved_bit(const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;

    return l->l3 == GSO_L3_IPV4 && (in->p[l->l2_len + GSO_IP4_FRAG] & 0x80);
}

GsoVerdict gso_gro_classify(const GsoIncoming *in, uint8_t types)
{
    const GsoLayout *l = &in->layout;
    const uint32_t bad_len = GSO_LF_MALFORMED | GSO_LF_TRUNCATED |
                             GSO_LF_PADDED | GSO_LF_LENGTH_0;

    if (in->packet->meta && in->packet->meta->type != GSO_TYPE_NONE) {
        return GSO_V_PASS_SUPER;
    }
    if (l->l3 == GSO_L3_NONE) {
        return GSO_V_PASS_NOT_IP;
    }
    if ((l->flags & GSO_LF_FRAGMENT) || reserved_bit(in)) {
        return GSO_V_PASS_FRAGMENT;
    }
    if (l->flags & bad_len) {
        return GSO_V_PASS_LENGTH;
    }
    if (!l->l4_off || (l->flags & GSO_LF_8023)) {
        return GSO_V_PASS_NOT_L4;
    }
    if (!(types & 1 << type_of(l))) {
        return GSO_V_PASS_TYPE;
    }
    if (l->flags & GSO_LF_IP_OPTIONS) {
        return GSO_V_PASS_OPTIONS;
    }
    return classify_l4(in);
}

/*
 * gso_csum_verify_l4() of a packet that gso_gro_classify() lets be held: the
 * header is at hand, and lengths and UDP's 0 are known to be right.
 */
static bool l4_csum_good(const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const GsoPacket *packet = in->packet;
    uint64_t sum = gso_sum_pseudo(in->p + l->l2_len, l->l3, l->l4_proto,
                                  l->l4_len);

    sum = gso_sum_tail(in->p + l->l4_off, l->l4_hdr_len, sum);
    sum = gso_sum_iov(packet->iov, packet->iovcnt, l->hdr_len,
                      l->payload_len, sum);
    return gso_sum_good(sum);
}

GsoVerdict gso_gro_check_csum(const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *ip = in->p + l->l2_len;
    const uint8_t *l4 = in->p + l->l4_off;

    if (l->l3 == GSO_L3_IPV4) {
        if (!gso_sum_good(gso_sum_ipv4(ip))) {
            return GSO_V_PASS_IP_CSUM;
        }
        if (gso_get16(ip + GSO_IP4_CSUM) == 0xffff) {
            return GSO_V_PASS_CSUM_FORM;
        }
    }
    if (in->csum == GSO_CSUM_PARTIAL) {
        return GSO_V_HELD;
    }
    if (!in->verified && !l4_csum_good(in)) {
        return GSO_V_PASS_L4_CSUM;
    }
    if (l->l4_proto == GSO_IPPROTO_TCP &&
        gso_get16(l4 + GSO_TCP_CSUM) == 0xffff) {
        return GSO_V_PASS_CSUM_FORM;
    }
    return GSO_V_HELD;
}

/* Where do two texts differ?  0 if nowhere. */
static uint32_t differ4(const uint8_t *a, const uint8_t *b)
{
    return gso_load32(a) ^ gso_load32(b);
}

static uint64_t differ8(const uint8_t *a, const uint8_t *b)
{
    return gso_load64(a) ^ gso_load64(b);
}

static uint64_t differ32(const uint8_t *a, const uint8_t *b)
{
    return differ8(a, b) | differ8(a + 8, b + 8) |
           differ8(a + 16, b + 16) | differ8(a + 24, b + 24);
}

static bool options_differ(const uint8_t *a, const uint8_t *b, uint32_t len)
{
    uint32_t d = 0;

    for (uint32_t i = GSO_TCP_HLEN; i < len; i += 4) {
        d |= differ4(a + i, b + i);
    }
    return d;
}

/* Of those with the same tuple: same flow label and extension headers? */
static bool same_ipv6(const GsoHeld *h, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *a = h->hdr + h->layout.l2_len;
    const uint8_t *b = in->p + l->l2_len;

    return h->layout.l3_len == l->l3_len &&
           !((gso_get32(a) ^ gso_get32(b)) & 0xf00fffff) &&
           a[GSO_IP6_NEXT] == b[GSO_IP6_NEXT] &&
           !memcmp(a + GSO_IP6_HLEN, b + GSO_IP6_HLEN,
                   l->l3_len - GSO_IP6_HLEN);
}

/* The Ethernet header is at least 14 bytes, and 8 more with two tags. */
static uint64_t differ_l2(const uint8_t *a, const uint8_t *b, uint32_t len)
{
    uint64_t d = differ8(a, b) | differ8(a + len - 8, b + len - 8);

    return len > 16 ? d | differ8(a + 8, b + 8) : d;
}

bool gso_gro_same_flow(const GsoHeld *h, const GsoIncoming *in)
{
    const GsoLayout *l = &in->layout;
    const uint8_t *a = h->hdr;
    const uint8_t *b = in->p;
    const uint32_t ip = h->layout.l2_len;
    uint64_t d;

    if (h->layout.l3 != l->l3 || h->layout.l4_proto != l->l4_proto ||
        ip != l->l2_len) {
        return false;
    }
    d = differ_l2(a, b, ip);
    d |= differ4(a + h->layout.l4_off, b + l->l4_off);
    if (l->l3 == GSO_L3_IPV4) {
        return !(d | differ8(a + ip + GSO_IP4_SADDR, b + ip + GSO_IP4_SADDR));
    }
    d |= differ32(a + ip + GSO_IP6_SADDR, b + ip + GSO_IP6_SADDR);
    return !d && same_ipv6(h, in);
}

/*
 * Do IP IDs count up with the packets, or are they all the same with DF set
 * on all?  The second packet decides which.  @a and @b are the IPv4 headers
 * of the first packet and of this one.
 */
static bool id_fits(const GsoHeld *held, const uint8_t *a, const uint8_t *b,
                    bool *fixed_id)
{
    uint16_t step = (uint16_t)(gso_get16(b + GSO_IP4_ID) -
                               gso_get16(a + GSO_IP4_ID));

    if (held->fixed_id && step == 0) {
        return true;
    }
    *fixed_id = false;
    return step == (uint16_t)held->count &&
           (!held->fixed_id || held->count == 1);
}

static GsoVerdict compare_ip(const GsoHeld *h, const GsoIncoming *in,
                             bool *fixed_id)
{
    const uint8_t *a = h->hdr + h->layout.l2_len;
    const uint8_t *b = in->p + in->layout.l2_len;

    if (h->layout.l3 == GSO_L3_IPV6) {
        if (a[GSO_IP6_HOPS] != b[GSO_IP6_HOPS]) {
            return GSO_V_DIFF_TTL;
        }
        return (gso_get16(a) ^ gso_get16(b)) & 0x0ff0 ? GSO_V_DIFF_TOS
                                                      : GSO_V_MERGED;
    }
    if (a[GSO_IP4_TTL] != b[GSO_IP4_TTL]) {
        return GSO_V_DIFF_TTL;
    }
    if (a[GSO_IP4_TOS] != b[GSO_IP4_TOS]) {
        return GSO_V_DIFF_TOS;
    }
    if (gso_get16(a + GSO_IP4_FRAG) != gso_get16(b + GSO_IP4_FRAG)) {
        return GSO_V_DIFF_DF;
    }
    return id_fits(h, a, b, fixed_id) ? GSO_V_MERGED : GSO_V_DIFF_IP_ID;
}

static GsoVerdict compare_tcp(const GsoHeld *h, const GsoIncoming *in,
                              bool accecn)
{
    const uint8_t *a = h->hdr + h->layout.l4_off;
    const uint8_t *b = in->p + in->layout.l4_off;
    uint8_t flags = a[GSO_TCP_FLAGS] ^ b[GSO_TCP_FLAGS];

    if ((b[GSO_TCP_FLAGS] | (accecn ? flags : 0)) & GSO_TCP_CWR) {
        return GSO_V_DIFF_CWR;
    }
    if ((flags & (uint8_t)~(GSO_TCP_CWR | GSO_TCP_FIN | GSO_TCP_PSH)) ||
        a[GSO_TCP_DOFF] != b[GSO_TCP_DOFF]) {
        return GSO_V_DIFF_FLAGS;
    }
    if (gso_get16(a + GSO_TCP_WINDOW) != gso_get16(b + GSO_TCP_WINDOW)) {
        return GSO_V_DIFF_WINDOW;
    }
    if (gso_get32(a + GSO_TCP_ACKNO) != gso_get32(b + GSO_TCP_ACKNO)) {
        return GSO_V_DIFF_ACK;
    }
    if (options_differ(a, b, in->layout.l4_hdr_len)) {
        return GSO_V_DIFF_OPTIONS;
    }
    if (gso_get16(a + GSO_TCP_URGPTR) != gso_get16(b + GSO_TCP_URGPTR)) {
        return GSO_V_DIFF_URGENT;
    }
    if (!gso_gro_seq_fits(h, a, b)) {
        return GSO_V_DIFF_SEQ;
    }
    return GSO_V_MERGED;
}

/*
 * Would the frame, with @payload bytes more, be too big?  Tags count as
 * Linux counts them: all behind the MAC addresses' type.
 */
static bool too_big(const GsoHeld *held, uint32_t payload)
{
    return held->hdr_len - GSO_ETH_HLEN + held->len + payload > GSO_IP_MAX;
}

GsoVerdict gso_gro_compare(const GsoHeld *h, const GsoIncoming *in,
                           bool accecn, bool *fixed_id)
{
    const GsoLayout *l = &in->layout;
    GsoVerdict v;

    *fixed_id = h->fixed_id;
    v = compare_ip(h, in, fixed_id);
    if (v == GSO_V_MERGED && l->l4_proto == GSO_IPPROTO_TCP) {
        v = compare_tcp(h, in, accecn);
    }
    if (v != GSO_V_MERGED) {
        return v;
    }
    if (l->payload_len > h->mss) {
        return GSO_V_DIFF_LONGER;
    }
    if (too_big(h, l->payload_len)) {
        return GSO_V_DIFF_TOO_BIG;
    }
    return GSO_V_MERGED;
}
