/*
 * Layout of a frame: Ethernet, VLAN tags, IPv4, IPv6, TCP, UDP
 *
 * Sources: IEEE 802.3 and 802.1Q, RFC 1042 (SNAP), RFC 791, RFC 8200,
 * RFC 793, RFC 768.
 *
 * Each step takes what the step before it left in a cursor: the bytes that
 * may be read, and how far the headers reach so far.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

enum {
    ETH_P_8021Q = 0x8100,
    ETH_P_8021AD = 0x88a8,
    ETH_P_MIN = 0x0600,
};

enum {
    NEXT_HOP_BY_HOP = 0,
    NEXT_ROUTING = 43,
    NEXT_FRAGMENT = 44,
    NEXT_DEST_OPTIONS = 60,
};

typedef struct Head {
    const uint8_t *p; /* start of the frame */
    uint32_t len;     /* bytes that may be read */
    uint32_t off;     /* start of the header to parse next */
    bool wanted_more; /* than may be read */
} Head;

static bool have(Head *h, uint32_t n)
{
    bool there = h->off + n <= h->len;

    h->wanted_more |= !there;
    return there;
}

static bool is_vlan(uint16_t type)
{
    return type == ETH_P_8021Q || type == ETH_P_8021AD;
}

/* LLC with the SNAP header of RFC 1042: the type is in its last 2 bytes. */
static uint16_t parse_llc(Head *h, GsoLayout *l)
{
    static const uint8_t snap[6] = { 0xaa, 0xaa, 0x03, 0, 0, 0 };
    uint16_t type;

    l->flags |= GSO_LF_8023;
    if (!have(h, 8) || memcmp(h->p + h->off, snap, sizeof(snap))) {
        return 0;
    }
    type = gso_get16(h->p + h->off + 6);
    h->off += 8;
    return type;
}

static void parse_l2(Head *h, GsoLayout *l)
{
    uint16_t type;

    if (!have(h, GSO_ETH_HLEN)) {
        l->flags |= GSO_LF_TRUNCATED;
        return;
    }
    type = gso_get16(h->p + 12);
    h->off = GSO_ETH_HLEN;
    while (is_vlan(type) && l->vlan_count < GSO_VLAN_MAX) {
        if (!have(h, GSO_VLAN_HLEN)) {
            l->flags |= GSO_LF_TRUNCATED;
            l->l2_len = (uint16_t)h->off;
            return;
        }
        type = gso_get16(h->p + h->off + 2);
        h->off += GSO_VLAN_HLEN;
        l->vlan_count++;
    }
    if (is_vlan(type)) {
        l->flags |= GSO_LF_MORE_TAGS;
    } else if (type < ETH_P_MIN) {
        type = parse_llc(h, l);
    }
    l->l2_len = (uint16_t)h->off;
    l->ethertype = type;
}

/* Take over the IP length; say how it relates to the frame. */
static void set_ip_len(GsoLayout *l, uint32_t ip_len)
{
    uint32_t room = l->frame_len - l->l2_len;

    l->ip_len = ip_len;
    if (ip_len > room) {
        l->flags |= GSO_LF_TRUNCATED;
    } else if (ip_len < room) {
        l->flags |= GSO_LF_PADDED;
    }
}

static bool parse_ipv4(Head *h, GsoLayout *l)
{
    const uint8_t *ip = h->p + h->off;
    uint32_t ihl, total;
    uint16_t frag;

    if (!have(h, GSO_IP4_HLEN)) {
        l->flags |= GSO_LF_TRUNCATED;
        return false;
    }
    ihl = (ip[0] & 0x0f) * 4u;
    total = gso_get16(ip + GSO_IP4_LEN);
    if (ip[0] >> 4 != 4 || ihl < GSO_IP4_HLEN) {
        l->flags |= GSO_LF_MALFORMED;
        return false;
    }
    l->l3 = GSO_L3_IPV4;
    l->l3_len = (uint16_t)ihl;
    l->l4_proto = ip[GSO_IP4_PROTO];
    set_ip_len(l, total);
    if (!total) {
        l->flags |= GSO_LF_LENGTH_0;
    } else if (total < ihl) {
        l->flags |= GSO_LF_MALFORMED;
        return false;
    }
    if (ihl > GSO_IP4_HLEN) {
        l->flags |= GSO_LF_IP_OPTIONS;
    }
    frag = gso_get16(ip + GSO_IP4_FRAG) & GSO_IP_MF_OR_OFFSET;
    if (frag) {
        l->flags |= GSO_LF_FRAGMENT;
        l->flags |= frag & 0x1fff ? 0 : GSO_LF_FRAG_FIRST;
    }
    if (!have(h, ihl)) {
        l->flags |= GSO_LF_TRUNCATED;
        return false;
    }
    h->off += ihl;
    return !frag || !(frag & 0x1fff);
}

static void parse_fragment_header(const uint8_t *ext, GsoLayout *l)
{
    uint16_t frag = gso_get16(ext + 2);

    /* An atomic fragment (RFC 6946) is a fragment all the same. */
    l->flags |= GSO_LF_FRAGMENT;
    l->flags |= frag & 0xfff8 ? 0 : GSO_LF_FRAG_FIRST;
}

/* Walk the extension headers; true if an L4 header follows them. */
static bool parse_ext_hdrs(Head *h, GsoLayout *l)
{
    for (;;) {
        const uint8_t *ext = h->p + h->off;
        uint32_t len = 8;

        switch (l->l4_proto) {
        case NEXT_HOP_BY_HOP:
        case NEXT_ROUTING:
        case NEXT_DEST_OPTIONS:
        case NEXT_FRAGMENT:
            break;
        default:
            return true;
        }
        if (have(h, 8) && l->l4_proto != NEXT_FRAGMENT) {
            len = (ext[1] + 1u) * 8;
        }
        if (!have(h, len)) {
            l->flags |= GSO_LF_TRUNCATED;
            return false;
        }
        if (l->l4_proto == NEXT_FRAGMENT) {
            parse_fragment_header(ext, l);
        }
        l->flags |= GSO_LF_EXT_HDRS;
        l->l4_proto = ext[0];
        l->l3_len = (uint16_t)(l->l3_len + len);
        h->off += len;
        if ((l->flags & GSO_LF_FRAGMENT) && !(l->flags & GSO_LF_FRAG_FIRST)) {
            return false;
        }
    }
}

static bool parse_ipv6(Head *h, GsoLayout *l)
{
    const uint8_t *ip = h->p + h->off;
    uint32_t payload;

    if (!have(h, GSO_IP6_HLEN)) {
        l->flags |= GSO_LF_TRUNCATED;
        return false;
    }
    if (ip[0] >> 4 != 6) {
        l->flags |= GSO_LF_MALFORMED;
        return false;
    }
    payload = gso_get16(ip + GSO_IP6_LEN);
    l->l3 = GSO_L3_IPV6;
    l->l3_len = GSO_IP6_HLEN;
    l->l4_proto = ip[GSO_IP6_NEXT];
    l->flags |= payload ? 0 : GSO_LF_LENGTH_0;
    set_ip_len(l, payload + GSO_IP6_HLEN);
    h->off += GSO_IP6_HLEN;
    if (!parse_ext_hdrs(h, l)) {
        return false;
    }
    if (payload && l->l3_len > l->ip_len) {
        l->flags |= GSO_LF_MALFORMED;
        return false;
    }
    return true;
}

static void parse_l4(Head *h, GsoLayout *l)
{
    const uint8_t *l4 = h->p + h->off;
    uint32_t hlen;
    bool tcp = l->l4_proto == GSO_IPPROTO_TCP;

    if (!tcp && l->l4_proto != GSO_IPPROTO_UDP) {
        return;
    }
    hlen = tcp ? GSO_TCP_HLEN : GSO_UDP_HLEN;
    if (!have(h, hlen)) {
        l->flags |= GSO_LF_TRUNCATED;
        return;
    }
    if (tcp) {
        hlen = (l4[GSO_TCP_DOFF] >> 4) * 4u;
    }
    if (hlen < (tcp ? GSO_TCP_HLEN : GSO_UDP_HLEN)) {
        l->flags |= GSO_LF_MALFORMED;
        return;
    }
    if (!have(h, hlen)) {
        l->flags |= GSO_LF_TRUNCATED;
        return;
    }
    if (l->l4_len < hlen && !(l->flags & GSO_LF_LENGTH_0)) {
        l->flags |= GSO_LF_MALFORMED;
        return;
    }
    l->l4_off = (uint16_t)h->off;
    l->l4_hdr_len = (uint16_t)hlen;
    l->hdr_len = (uint16_t)(h->off + hlen);
    l->payload_len = l->l4_len > hlen ? l->l4_len - hlen : 0;
    l->tcp_flags = tcp ? l4[GSO_TCP_FLAGS] : 0;
}

/*
 * Parse what begins at @p, of which @avail bytes may be read.  Returns
 * whether more bytes could have made a difference.
 */
static bool parse(const uint8_t *p, size_t avail, size_t frame_len,
                  GsoLayout *l)
{
    Head h = { .p = p, .len = (uint32_t)GSO_MIN(avail, GSO_HDR_MAX) };
    bool l4_follows = false;

    memset(l, 0, sizeof(*l));
    l->frame_len = (uint32_t)frame_len;
    parse_l2(&h, l);
    if (l->ethertype == GSO_ETH_P_IP) {
        l4_follows = parse_ipv4(&h, l);
    } else if (l->ethertype == GSO_ETH_P_IPV6) {
        l4_follows = parse_ipv6(&h, l);
    }
    if (l->ip_len > l->l3_len) {
        l->l4_len = l->ip_len - l->l3_len;
    }
    if (l4_follows) {
        parse_l4(&h, l);
    }
    return h.wanted_more;
}

const uint8_t *gso_parse_head(const struct iovec *iov, unsigned iovcnt,
                              uint8_t *scratch, GsoLayout *l)
{
    size_t size = gso_iov_size(iov, iovcnt);
    size_t head = GSO_MIN(size, GSO_HDR_MAX);

    if (iovcnt && iov->iov_len) {
        size_t avail = GSO_MIN(iov->iov_len, head);
        bool more = parse(iov->iov_base, avail, size, l);

        if (avail == head || !more) {
            return iov->iov_base;
        }
    }
    gso_iov_read(iov, iovcnt, 0, scratch, head);
    parse(scratch, head, size, l);
    return scratch;
}

void gso_parse(const struct iovec *iov, unsigned iovcnt, GsoLayout *layout)
{
    uint8_t scratch[GSO_HDR_MAX];

    gso_parse_head(iov, iovcnt, scratch, layout);
}

void gso_parse_buf(const void *buf, size_t len, GsoLayout *layout)
{
    parse(buf, len, len, layout);
}
