/*
 * Segmenter: cut a super-frame into wire frames
 *
 * Theory of operation: gso_seg_init() makes one header template in which
 * every field that differs between segments is 0, and the sums over it.  A
 * segment is then a copy of the template with those fields filled in, and
 * its checksums are the template's sums plus the same fields: the header is
 * never summed again.
 *
 * Sources: Linux 6.1 net/ipv4/tcp_offload.c, net/ipv4/udp_offload.c,
 * net/ipv4/af_inet.c, net/ipv6/ip6_offload.c, net/core/tso.c.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

static bool is_tcp(const GsoSegmenter *s)
{
    return s->layout.l4_proto == GSO_IPPROTO_TCP;
}

/* Why a frame is none that can be cut, or 0. */
static int check_layout(const GsoLayout *l, bool len_from_frame)
{
    const uint32_t bad_len = GSO_LF_TRUNCATED | GSO_LF_LENGTH_0;

    if (l->flags & GSO_LF_FRAGMENT) {
        return GSO_E_FRAGMENT;
    }
    if (l->flags & (GSO_LF_8023 | GSO_LF_MORE_TAGS)) {
        return GSO_E_PROTO;
    }
    if (!l->l4_off) {
        return l->flags & (GSO_LF_MALFORMED | GSO_LF_TRUNCATED)
               ? GSO_E_MALFORMED : GSO_E_PROTO;
    }
    if (len_from_frame) {
        uint32_t ip_len = l->frame_len - l->l2_len;

        if (l->l3 == GSO_L3_IPV6) {
            ip_len -= GSO_IP6_HLEN;
        }
        return ip_len > GSO_IP_MAX ? GSO_E_TOO_BIG : 0;
    }
    return l->flags & bad_len ? GSO_E_MALFORMED : 0;
}

static bool can_hw_csum(const GsoLayout *l, uint8_t features)
{
    if (features & GSO_F_CSUM_ANY) {
        return true;
    }
    if (l->l3 == GSO_L3_IPV4) {
        return features & GSO_F_CSUM_IPV4;
    }
    return (features & GSO_F_CSUM_IPV6) && !(l->flags & GSO_LF_EXT_HDRS);
}

/* Hardware that cuts must also sum and gather, as in Linux. */
static bool can_hw_tso(const GsoSegmenter *s)
{
    uint8_t need = GSO_F_USO;

    if (is_tcp(s)) {
        need = s->layout.l3 == GSO_L3_IPV4 ? GSO_F_TSO4 : GSO_F_TSO6;
    }
    return s->hw_csum && (s->params.features & need) &&
           (s->params.features & GSO_F_SG);
}

static GsoType super_type(const GsoLayout *l)
{
    if (l->l4_proto == GSO_IPPROTO_UDP) {
        return GSO_TYPE_UDP_L4;
    }
    return l->l3 == GSO_L3_IPV4 ? GSO_TYPE_TCPV4 : GSO_TYPE_TCPV6;
}

/* Which TCP flags go where once the frame is cut. */
static int set_flag_rules(GsoSegmenter *s)
{
    const uint8_t special = GSO_TCP_SYN | GSO_TCP_RST | GSO_TCP_URG;
    uint8_t refused = special & (uint8_t)~s->params.repeat_flags;

    if (s->params.profile == GSO_PROFILE_DRIVER) {
        s->clear_not_last = GSO_TCP_PSH | GSO_TCP_FIN | GSO_TCP_RST;
        s->clear_not_first = 0;
    } else {
        s->clear_not_last = GSO_TCP_PSH | GSO_TCP_FIN;
        s->clear_not_first = s->params.accecn ? 0 : GSO_TCP_CWR;
    }
    return s->layout.tcp_flags & refused ? GSO_E_FLAGS : 0;
}

/* Checks that only matter when there is more than one segment. */
static int check_cut(GsoSegmenter *s, const uint8_t *ip)
{
    int err = set_flag_rules(s);

    if (err) {
        return err;
    }
    if (s->params.max_segs && s->count > s->params.max_segs) {
        return GSO_E_SEGS;
    }
    if (s->params.ip_id == GSO_IPID_FIXED && s->layout.l3 == GSO_L3_IPV4 &&
        !(gso_get16(ip + GSO_IP4_FRAG) & GSO_IP_DF)) {
        return GSO_E_IPID;
    }
    return 0;
}

/* Zero what differs between segments and sum the rest. */
static void make_template(GsoSegmenter *s)
{
    const GsoLayout *l = &s->layout;
    uint8_t *ip = s->hdr + l->l2_len;
    uint8_t *l4 = s->hdr + l->l4_off;

    if (l->l3 == GSO_L3_IPV4) {
        s->id = gso_get16(ip + GSO_IP4_ID);
        gso_put16(ip + GSO_IP4_LEN, 0);
        gso_put16(ip + GSO_IP4_ID, 0);
        gso_put16(ip + GSO_IP4_CSUM, 0);
        s->ip_sum = gso_sum(ip, l->l3_len, 0);
        s->work.summed += l->l3_len;
    }
    s->l4_sum = gso_sum_pseudo(ip, l->l3, l->l4_proto, 0);
    if (is_tcp(s)) {
        s->seq = gso_get32(l4 + GSO_TCP_SEQ);
        gso_put32(l4 + GSO_TCP_SEQ, 0);
        l4[GSO_TCP_FLAGS] = 0;
    } else {
        gso_put16(l4 + GSO_UDP_LEN, 0);
    }
    if (!s->keep_csum) {
        gso_put16(l4 + gso_csum_offset(l->l4_proto), 0);
    }
    if (s->want_sum) {
        s->l4_sum = gso_add64(s->l4_sum, gso_sum(l4, l->l4_hdr_len, 0));
        s->work.summed += l->l4_hdr_len;
    }
    s->full_csum = gso_sum_fold(gso_sum_u16(
        s->l4_sum, (uint16_t)(l->l4_hdr_len + s->seg_size)));
}

/* Leave the checksum of an uncut complete frame and of UDP without one. */
static bool may_keep_csum(const GsoSegmenter *s)
{
    const GsoLayout *l = &s->layout;
    bool udp4 = !is_tcp(s) && l->l3 == GSO_L3_IPV4;

    if (s->params.csum != GSO_CSUM_COMPLETE) {
        return false;
    }
    if (udp4 && !gso_get16(s->hdr + l->l4_off + GSO_UDP_CSUM)) {
        return true;
    }
    return s->count == 1 && !s->hw_tso;
}

/* Position of byte @off of the frame. */
static void seek(GsoSegmenter *s, size_t off)
{
    s->cur_iov = 0;
    while (s->cur_iov < s->iovcnt && off >= s->iov[s->cur_iov].iov_len) {
        off -= s->iov[s->cur_iov++].iov_len;
    }
    s->cur_off = off;
}

static void set_meta(GsoSegmenter *s)
{
    const GsoLayout *l = &s->layout;
    GsoMeta *m = &s->meta;
    bool partial = s->hw_csum && !s->keep_csum;

    *m = (GsoMeta) {
        .csum = partial ? GSO_CSUM_PARTIAL : GSO_CSUM_COMPLETE,
        .segs = 1,
        .hdr_len = l->hdr_len,
        .csum_start = partial ? l->l4_off : 0,
        .csum_offset = partial ? (uint16_t)gso_csum_offset(l->l4_proto) : 0,
    };
    if (s->hw_tso) {
        uint32_t size = s->params.gso_size;

        m->type = (uint8_t)super_type(l);
        m->gso_size = (uint16_t)size;
        m->segs = (uint16_t)((s->payload_len + size - 1) / size);
        m->ecn = l->tcp_flags & GSO_TCP_CWR;
        m->accecn = s->params.accecn;
        m->fixed_id = s->params.ip_id == GSO_IPID_FIXED;
    }
}

static void set_count(GsoSegmenter *s)
{
    const GsoLayout *l = &s->layout;
    uint32_t size = s->params.gso_size;

    s->payload_len = s->params.len_from_frame ? l->frame_len - l->hdr_len
                                              : l->payload_len;
    s->count = s->payload_len ? (s->payload_len + size - 1) / size : 1;
    s->seg_size = size;
    s->share = s->params.features & GSO_F_SG;
    s->hw_csum = can_hw_csum(l, s->params.features);
    s->hw_tso = s->count > 1 && can_hw_tso(s);
}

int gso_seg_init(GsoSegmenter *s, const struct iovec *iov, unsigned iovcnt,
                 const GsoSegParams *params)
{
    int err;

    s->iov = iov;
    s->iovcnt = iovcnt;
    s->params = *params;
    s->index = 0;
    s->clear_not_first = s->clear_not_last = 0;
    memset(&s->work, 0, sizeof(s->work));
    if (params->gso_size == 0 || params->gso_size >= 0xffff) {
        return GSO_E_SIZE;
    }
    gso_parse(iov, iovcnt, &s->layout);
    err = check_layout(&s->layout, params->len_from_frame);
    if (err) {
        return err;
    }
    gso_iov_read(iov, iovcnt, 0, s->hdr, s->layout.hdr_len);
    if (!is_tcp(s) && !params->len_from_frame &&
        gso_get16(s->hdr + s->layout.l4_off + GSO_UDP_LEN) !=
        s->layout.l4_len) {
        return GSO_E_MALFORMED;
    }
    set_count(s);
    err = s->count > 1 ? check_cut(s, s->hdr + s->layout.l2_len) : 0;
    if (err) {
        return err;
    }
    if (s->hw_tso) {
        s->count = 1;
        s->seg_size = s->payload_len;
    }
    s->keep_csum = may_keep_csum(s);
    s->want_sum = !s->hw_csum && !s->keep_csum;
    make_template(s);
    set_meta(s);
    seek(s, s->layout.hdr_len);
    return (int)s->count;
}

static uint32_t seg_payload(const GsoSegmenter *s, uint32_t index)
{
    uint32_t off = index * s->seg_size;

    return GSO_MIN(s->seg_size, s->payload_len - off);
}

size_t gso_seg_buf_size(const GsoSegmenter *s)
{
    return s->layout.hdr_len + (s->share ? 0 : seg_payload(s, 0));
}

uint32_t gso_seg_count_iov(const GsoSegmenter *s, unsigned *most)
{
    uint32_t total = s->count - s->index;
    unsigned largest = 1;
    unsigned i = s->cur_iov;
    size_t off = s->cur_off;

    for (uint32_t k = s->index; s->share && k < s->count; k++) {
        uint32_t left = seg_payload(s, k);
        unsigned pieces = 1;

        while (left) {
            size_t n = GSO_MIN(s->iov[i].iov_len - off, left);

            pieces += n > 0;
            left -= (uint32_t)n;
            off += n;
            if (off == s->iov[i].iov_len) {
                i++;
                off = 0;
            }
        }
        total += pieces - 1;
        largest = pieces > largest ? pieces : largest;
    }
    if (most) {
        *most = largest;
    }
    return total;
}

/*
 * Next piece of the payload, at most @left bytes, and step over it.  There
 * is one: the payload ends inside the iovecs.
 */
static struct iovec next_piece(GsoSegmenter *s, uint32_t left)
{
    struct iovec piece = { 0 };

    while (!piece.iov_len) {
        const struct iovec *v = &s->iov[s->next_iov];

        piece.iov_base = (uint8_t *)v->iov_base + s->next_off;
        piece.iov_len = GSO_MIN(v->iov_len - s->next_off, left);
        s->next_off += piece.iov_len;
        if (s->next_off == v->iov_len) {
            s->next_iov++;
            s->next_off = 0;
        }
    }
    return piece;
}

/* next_piece() if the iovec at hand has more than @size bytes, as most have. */
static inline bool next_within(GsoSegmenter *s, struct iovec *piece,
                               uint32_t size)
{
    const struct iovec *v = &s->iov[s->next_iov];

    if (v->iov_len - s->next_off <= size) {
        return false;
    }
    piece->iov_base = (uint8_t *)v->iov_base + s->next_off;
    piece->iov_len = size;
    s->next_off += size;
    return true;
}

/* Fill @iov with shared pieces; returns their number or GSO_E_IOV. */
static int share_payload(GsoSegmenter *s, struct iovec *iov, unsigned max,
                         uint32_t size)
{
    unsigned n = 0;

    if (size && max && next_within(s, iov, size)) {
        return 1;
    }
    while (size) {
        if (n == max) {
            return GSO_E_IOV;
        }
        iov[n] = next_piece(s, size);
        size -= (uint32_t)iov[n].iov_len;
        n++;
    }
    return (int)n;
}

static void copy_payload(GsoSegmenter *s, uint8_t *d, uint32_t size)
{
    while (size) {
        struct iovec v = next_piece(s, size);

        memcpy(d, v.iov_base, v.iov_len);
        d += v.iov_len;
        size -= (uint32_t)v.iov_len;
    }
}

static uint64_t copy_sum_payload(GsoSegmenter *s, uint8_t *d, uint32_t size)
{
    uint64_t sum = 0;
    bool odd = false;

    while (size) {
        struct iovec v = next_piece(s, size);
        uint64_t part = gso_copy_sum(d, v.iov_base, v.iov_len, 0);

        sum = gso_add64(sum, odd ? gso_sum_odd(part) : part);
        odd ^= v.iov_len & 1;
        d += v.iov_len;
        size -= (uint32_t)v.iov_len;
    }
    return sum;
}

/*
 * Put the payload of a segment behind its header, by reference or by copy;
 * add it to *@sum if a checksum is wanted.  Returns the pieces used.
 */
static int put_payload(GsoSegmenter *s, uint8_t *d, struct iovec *iov,
                       unsigned max, uint32_t size, uint64_t *sum)
{
    int n = 0;

    s->next_iov = s->cur_iov;
    s->next_off = s->cur_off;
    if (s->share) {
        n = share_payload(s, iov, max, size);
        if (n > 0 && s->want_sum) {
            *sum = gso_sum_add(*sum, gso_sum_iov(iov, (unsigned)n, 0, size,
                                                 0));
        }
    } else if (s->want_sum && !s->params.two_pass) {
        *sum = gso_sum_add(*sum, copy_sum_payload(s, d, size));
    } else {
        copy_payload(s, d, size);
        *sum = s->want_sum ? gso_sum(d, size, *sum) : *sum;
    }
    return n;
}

static void put_ip(const GsoSegmenter *s, uint8_t *ip, uint32_t size)
{
    const GsoLayout *l = &s->layout;
    uint16_t len = (uint16_t)(l->hdr_len - l->l2_len + size);
    uint16_t id = s->id;
    uint64_t sum;

    if (l->l3 == GSO_L3_IPV6) {
        gso_put16(ip + GSO_IP6_LEN, (uint16_t)(len - GSO_IP6_HLEN));
        return;
    }
    if (s->params.ip_id == GSO_IPID_INCREMENT) {
        id = (uint16_t)(id + s->index);
    }
    sum = gso_add64(s->ip_sum, gso_word(len) + gso_word(id));
    gso_put16(ip + GSO_IP4_LEN, len);
    gso_put16(ip + GSO_IP4_ID, id);
    gso_put16(ip + GSO_IP4_CSUM, (uint16_t)~gso_word(gso_fold(sum)));
}

/* Fill in the TCP fields; returns what they add to a sum. */
static uint64_t put_tcp(const GsoSegmenter *s, uint8_t *tcp)
{
    uint32_t seq = s->seq + s->index * s->seg_size;
    uint8_t flags = s->layout.tcp_flags;

    if (s->index) {
        flags &= (uint8_t)~s->clear_not_first;
    }
    if (s->index + 1 < s->count) {
        flags &= (uint8_t)~s->clear_not_last;
    }
    gso_put32(tcp + GSO_TCP_SEQ, seq);
    tcp[GSO_TCP_FLAGS] = flags;
    return (uint64_t)gso_load32(tcp + GSO_TCP_SEQ) + gso_word(flags);
}

static uint64_t put_udp(uint8_t *udp, uint16_t len)
{
    gso_put16(udp + GSO_UDP_LEN, len);
    return gso_word(len);
}

/*
 * Fill in the L4 header; @sum is of the payload and of what the template
 * has of the header and the pseudo-header.
 */
static void put_l4(const GsoSegmenter *s, uint8_t *l4, uint32_t size,
                   uint64_t sum)
{
    const GsoLayout *l = &s->layout;
    uint16_t len = (uint16_t)(l->l4_hdr_len + size);
    uint8_t *field = l4 + gso_csum_offset(l->l4_proto);
    uint64_t fields = is_tcp(s) ? put_tcp(s, l4) : put_udp(l4, len);

    if (s->keep_csum) {
        return;
    }
    if (s->hw_csum) {
        gso_put16(field, size == s->seg_size
                         ? s->full_csum
                         : gso_sum_fold(gso_sum_u16(sum, len)));
    } else {
        uint16_t csum;

        sum = gso_add64(sum, fields + gso_word(len));
        csum = (uint16_t)~gso_word(gso_fold(sum));
        gso_put16(field, is_tcp(s) ? csum : gso_csum_udp(csum));
    }
}

/* memcpy() of a header, whose length no compiler can see. */
static inline void copy_header(uint8_t *d, const uint8_t *s, size_t len)
{
    if (len >= 64 && len <= 128) {
        memcpy(d, s, 64);
        memcpy(d + len - 64, s + len - 64, 64);
    } else if (len >= 32 && len < 64) {
        memcpy(d, s, 32);
        memcpy(d + len - 32, s + len - 32, 32);
    } else {
        memcpy(d, s, len);
    }
}

int gso_seg_peek(GsoSegmenter *s, void *buf, size_t buf_len,
                 struct iovec *iov, unsigned iov_max, GsoSegment *seg)
{
    const GsoLayout *l = &s->layout;
    uint64_t sum = s->l4_sum;
    uint8_t *d = buf;
    uint32_t size;
    int pieces;

    if (s->index == s->count) {
        return 0;
    }
    size = seg_payload(s, s->index);
    if (buf_len < l->hdr_len + (s->share ? 0 : size)) {
        return GSO_E_NOSPACE;
    }
    if (!iov_max) {
        return GSO_E_IOV;
    }
    pieces = put_payload(s, d + l->hdr_len, iov + 1, iov_max - 1, size, &sum);
    if (pieces < 0) {
        return pieces;
    }
    copy_header(d, s->hdr, l->hdr_len);
    put_ip(s, d + l->l2_len, size);
    put_l4(s, d + l->l4_off, size, sum);
    iov[0].iov_base = d;
    iov[0].iov_len = l->hdr_len + (s->share ? 0 : size);
    s->built = size;
    seg->iov = iov;
    seg->iovcnt = (unsigned)pieces + 1;
    seg->index = s->index;
    seg->len = l->hdr_len + size;
    seg->hdr_len = l->hdr_len;
    seg->last = s->index + 1 == s->count;
    seg->meta = s->meta;
    return 1;
}

void gso_seg_advance(GsoSegmenter *s)
{
    s->index++;
    s->cur_iov = s->next_iov;
    s->cur_off = s->next_off;
    s->work.segs++;
    s->work.hdr_copied += s->layout.hdr_len;
    s->work.payload_copied += s->share ? 0 : s->built;
    s->work.summed += s->want_sum ? s->built : 0;
}

const GsoWork *gso_seg_work(const GsoSegmenter *s)
{
    return &s->work;
}

int gso_seg_emit(GsoSegmenter *s, void *buf, size_t buf_len,
                 struct iovec *iov, unsigned iov_max,
                 GsoEmitFn *emit, void *opaque)
{
    GsoSegment seg;
    unsigned most;
    int taken = 0;
    int ret;

    gso_seg_count_iov(s, &most);
    if (most > iov_max) {
        return GSO_E_IOV;
    }
    while ((ret = gso_seg_peek(s, buf, buf_len, iov, iov_max, &seg)) > 0) {
        if (emit(opaque, &seg)) {
            break;
        }
        gso_seg_advance(s);
        taken++;
    }
    return taken ? taken : GSO_MIN(ret, 0);
}
