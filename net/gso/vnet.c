/*
 * The virtio-net header, as tap devices and virtio-net drivers use it
 *
 * Sources: virtio 1.2 section 5.1.6; Linux 6.1 include/linux/virtio_net.h.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

enum {
    VNET_F_NEEDS_CSUM = 1,
    VNET_F_DATA_VALID = 2,
};

enum {
    VNET_GSO_NONE = 0,
    VNET_GSO_TCPV4 = 1,
    VNET_GSO_TCPV6 = 4,
    VNET_GSO_UDP_L4 = 5,
    VNET_GSO_ECN = 0x80,
};

/* Offsets of the fields. */
enum {
    VNET_FLAGS = 0,
    VNET_GSO_TYPE = 1,
    VNET_HDR_LEN = 2,
    VNET_GSO_SIZE = 4,
    VNET_CSUM_START = 6,
    VNET_CSUM_OFFSET = 8,
    VNET_NUM_BUFFERS = 10,
};

static uint16_t get16(const uint8_t *p, bool le)
{
    return le ? (uint16_t)(p[1] << 8 | p[0]) : gso_get16(p);
}

static void put16(uint8_t *p, bool le, uint16_t v)
{
    p[le ? 0 : 1] = (uint8_t)v;
    p[le ? 1 : 0] = (uint8_t)(v >> 8);
}

/* Is the frame one of that GSO type? */
static bool type_fits(uint8_t type, const GsoLayout *l)
{
    if (!l->l4_off || (l->flags & GSO_LF_FRAGMENT)) {
        return false;
    }
    switch (type) {
    case VNET_GSO_TCPV4:
        return l->l3 == GSO_L3_IPV4 && l->l4_proto == GSO_IPPROTO_TCP;
    case VNET_GSO_TCPV6:
        return l->l3 == GSO_L3_IPV6 && l->l4_proto == GSO_IPPROTO_TCP;
    case VNET_GSO_UDP_L4:
        return l->l4_proto == GSO_IPPROTO_UDP;
    default:
        return false;
    }
}

static int decode_csum(const uint8_t *h, bool le, const GsoLayout *l,
                       GsoMeta *m)
{
    uint32_t start = get16(h + VNET_CSUM_START, le);
    uint32_t offset = get16(h + VNET_CSUM_OFFSET, le);

    if (start + offset + 2 > l->frame_len) {
        return GSO_E_VNET;
    }
    m->csum = GSO_CSUM_PARTIAL;
    m->csum_start = (uint16_t)start;
    m->csum_offset = (uint16_t)offset;
    return 0;
}

static int decode_gso(const uint8_t *h, bool le, const GsoLayout *l,
                      GsoMeta *m)
{
    static const uint8_t types[] = {
        [VNET_GSO_TCPV4] = GSO_TYPE_TCPV4,
        [VNET_GSO_TCPV6] = GSO_TYPE_TCPV6,
        [VNET_GSO_UDP_L4] = GSO_TYPE_UDP_L4,
    };
    uint8_t type = h[VNET_GSO_TYPE] & (uint8_t)~VNET_GSO_ECN;
    bool ecn = h[VNET_GSO_TYPE] & VNET_GSO_ECN;
    bool partial = m->csum == GSO_CSUM_PARTIAL;
    uint16_t size = get16(h + VNET_GSO_SIZE, le);
    uint32_t payload = l->frame_len - l->hdr_len;

    if (!type_fits(type, l)) {
        return GSO_E_VNET;
    }
    if (type == VNET_GSO_UDP_L4 && (ecn || !partial)) {
        return GSO_E_VNET;
    }
    if (partial && (m->csum_start != l->l4_off ||
                    m->csum_offset != gso_csum_offset(l->l4_proto))) {
        return GSO_E_VNET;
    }
    if (size == 0 || size == 0xffff) {
        return GSO_E_SIZE;
    }
    if (payload > size) {
        m->type = types[type];
        m->gso_size = size;
        m->segs = (uint16_t)GSO_MIN((payload + size - 1) / size, 0xffff);
        m->ecn = ecn;
    }
    return 0;
}

int gso_vnet_decode(const void *hdr, size_t len, bool little_endian,
                    GsoVnetDir dir, const GsoLayout *layout, GsoMeta *meta)
{
    const uint8_t *h = hdr;
    GsoMeta m = {
        .csum = GSO_CSUM_COMPLETE,
        .segs = 1,
        .hdr_len = layout->hdr_len,
    };
    int err = 0;

    if (len < GSO_VNET_HDR_LEN) {
        return GSO_E_NOSPACE;
    }
    if (h[VNET_FLAGS] & VNET_F_NEEDS_CSUM) {
        err = decode_csum(h, little_endian, layout, &m);
    } else if (dir == GSO_VNET_TO_DRIVER) {
        m.verified = h[VNET_FLAGS] & VNET_F_DATA_VALID;
    }
    if (!err && h[VNET_GSO_TYPE] != VNET_GSO_NONE) {
        err = decode_gso(h, little_endian, layout, &m);
    }
    if (!err) {
        *meta = m;
    }
    return err;
}

static uint8_t encode_type(const GsoMeta *m)
{
    static const uint8_t types[] = {
        [GSO_TYPE_TCPV4] = VNET_GSO_TCPV4,
        [GSO_TYPE_TCPV6] = VNET_GSO_TCPV6,
        [GSO_TYPE_UDP_L4] = VNET_GSO_UDP_L4,
    };

    return types[m->type] | (m->ecn ? VNET_GSO_ECN : 0);
}

int gso_vnet_encode(void *hdr, size_t len, bool little_endian,
                    GsoVnetDir dir, const GsoMeta *m)
{
    uint8_t *h = hdr;

    if (len != GSO_VNET_HDR_LEN && len != GSO_VNET_HDR_LEN_MRG) {
        return GSO_E_NOSPACE;
    }
    if (m->type > GSO_TYPE_UDP_L4) {
        return GSO_E_VNET;
    }
    if (m->type != GSO_TYPE_NONE &&
        (m->fixed_id || m->accecn || m->csum != GSO_CSUM_PARTIAL)) {
        return GSO_E_VNET;
    }
    memset(h, 0, len);
    if (m->csum == GSO_CSUM_PARTIAL) {
        h[VNET_FLAGS] = VNET_F_NEEDS_CSUM;
        put16(h + VNET_CSUM_START, little_endian, m->csum_start);
        put16(h + VNET_CSUM_OFFSET, little_endian, m->csum_offset);
    } else if (dir == GSO_VNET_TO_DRIVER && m->verified) {
        h[VNET_FLAGS] = VNET_F_DATA_VALID;
    }
    if (m->type != GSO_TYPE_NONE) {
        h[VNET_GSO_TYPE] = encode_type(m);
        put16(h + VNET_HDR_LEN, little_endian, m->hdr_len);
        put16(h + VNET_GSO_SIZE, little_endian, m->gso_size);
    }
    if (len == GSO_VNET_HDR_LEN_MRG && dir == GSO_VNET_TO_DRIVER) {
        put16(h + VNET_NUM_BUFFERS, little_endian, 1);
    }
    return 0;
}
