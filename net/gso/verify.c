/*
 * Checksums of whole frames: verify what arrived, complete what was left
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

GsoCheck gso_csum_verify_ip(const struct iovec *iov, unsigned iovcnt,
                            const GsoLayout *l)
{
    uint64_t sum;

    if (l->l3 != GSO_L3_IPV4 || l->l2_len + l->l3_len > l->frame_len) {
        return GSO_CHECK_NONE;
    }
    sum = gso_sum_iov(iov, iovcnt, l->l2_len, l->l3_len, 0);
    return gso_sum_finish(sum) ? GSO_CHECK_BAD : GSO_CHECK_GOOD;
}

/* UDP's own rules; GSO_CHECK_GOOD means that there is a sum to verify. */
static GsoCheck udp_has_csum(const GsoLayout *l, const uint8_t *udp)
{
    if (gso_get16(udp + GSO_UDP_LEN) != l->l4_len) {
        return GSO_CHECK_NONE;
    }
    if (!gso_get16(udp + GSO_UDP_CSUM)) {
        return l->l3 == GSO_L3_IPV4 ? GSO_CHECK_NONE : GSO_CHECK_BAD;
    }
    return GSO_CHECK_GOOD;
}

GsoCheck gso_csum_verify_l4(const struct iovec *iov, unsigned iovcnt,
                            const GsoLayout *l)
{
    uint8_t scratch[GSO_HDR_MAX];
    const uint8_t *p;
    uint64_t sum;

    if (!l->l4_off || (l->flags & (GSO_LF_FRAGMENT | GSO_LF_TRUNCATED |
                                   GSO_LF_LENGTH_0))) {
        return GSO_CHECK_NONE;
    }
    p = gso_iov_head(iov, iovcnt, l->hdr_len, scratch);
    if (l->l4_proto == GSO_IPPROTO_UDP) {
        GsoCheck check = udp_has_csum(l, p + l->l4_off);

        if (check != GSO_CHECK_GOOD) {
            return check;
        }
    }
    sum = gso_sum_pseudo(p + l->l2_len, l->l3, l->l4_proto, l->l4_len);
    sum = gso_sum_iov(iov, iovcnt, l->l4_off, l->l4_len, sum);
    return gso_sum_finish(sum) ? GSO_CHECK_BAD : GSO_CHECK_GOOD;
}

int gso_csum_complete(const struct iovec *iov, unsigned iovcnt,
                      uint32_t frame_len, uint32_t start, uint32_t offset,
                      bool udp)
{
    uint8_t field[2];
    uint64_t sum;
    uint16_t csum;

    if (frame_len > gso_iov_size(iov, iovcnt) || start > frame_len ||
        frame_len - start < 2 || offset > frame_len - start - 2) {
        return GSO_E_MALFORMED;
    }
    sum = gso_sum_iov(iov, iovcnt, start, frame_len - start, 0);
    csum = gso_sum_finish(sum);
    gso_put16(field, udp ? gso_csum_udp(csum) : csum);
    gso_iov_write(iov, iovcnt, (size_t)start + offset, field, sizeof(field));
    return 0;
}
