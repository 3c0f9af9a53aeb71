/*
 * The Internet checksum (RFC 1071, RFC 1624)
 *
 * Theory of operation: the one's complement sum of 16-bit words is the same,
 * up to a byte swap of the result, whatever the byte order of the words, and
 * it can be taken over wider words if each carry is added in again at the
 * bottom (RFC 1071, section 2).  So words are added as they lie in memory,
 * eight bytes at a time, and the result is folded and swapped once.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

uint64_t gso_sum_scalar(const void *buf, size_t len, uint64_t sum)
{
    const uint8_t *p = buf;
    uint64_t other = 0;

    for (; len >= 16; p += 16, len -= 16) {
        sum = gso_add64(sum, gso_load64(p));
        other = gso_add64(other, gso_load64(p + 8));
    }
    sum = gso_sum_tail(p, len, sum);
    return gso_add64(sum, other);
}

uint64_t gso_copy_sum_scalar(void *dst, const void *src, size_t len,
                             uint64_t sum)
{
    uint8_t *d = dst;
    const uint8_t *p = src;

    for (; len >= 8; d += 8, p += 8, len -= 8) {
        uint64_t v = gso_load64(p);

        memcpy(d, &v, sizeof(v));
        sum = gso_add64(sum, v);
    }
    if (len) {
        memcpy(d, p, len);
        sum = gso_sum_tail(p, len, sum);
    }
    return sum;
}

const char *gso_sum_impl(void)
{
    const GsoSumImpl *impl = gso_sum_impls();

    while (!impl->usable()) {
        impl++;
    }
    return impl->name;
}

uint64_t gso_sum_odd(uint64_t sum)
{
    return __builtin_bswap16(gso_fold(sum));
}

uint64_t gso_sum_add(uint64_t a, uint64_t b)
{
    return gso_add64(a, b);
}

uint64_t gso_sum_u16(uint64_t sum, uint16_t value)
{
    return gso_add64(sum, gso_word(value));
}

uint64_t gso_sum_u32(uint64_t sum, uint32_t value)
{
    sum = gso_sum_u16(sum, (uint16_t)(value >> 16));
    return gso_sum_u16(sum, (uint16_t)value);
}

/* The text from @off of the first iovec on, in more than one piece. */
static uint64_t sum_pieces(const struct iovec *iov, unsigned iovcnt,
                           size_t off, size_t len, uint64_t sum)
{
    bool odd = false;

    for (; iovcnt && len; iov++, iovcnt--) {
        size_t n = GSO_MIN(iov->iov_len - off, len);
        const uint8_t *p = iov->iov_base;

        if (!n) {
            continue;
        }
        p += off;
        if (odd) {
            sum = gso_add64(sum, gso_sum_odd(gso_sum(p, n, 0)));
        } else {
            sum = gso_sum(p, n, sum);
        }
        odd ^= n & 1;
        len -= n;
        off = 0;
    }
    return sum;
}

uint64_t gso_sum_iov(const struct iovec *iov, unsigned iovcnt,
                     size_t off, size_t len, uint64_t sum)
{
    for (; iovcnt && off >= iov->iov_len; iov++, iovcnt--) {
        off -= iov->iov_len;
    }
    if (iovcnt && len <= iov->iov_len - off) {
        return gso_sum((const uint8_t *)iov->iov_base + off, len, sum);
    }
    return sum_pieces(iov, iovcnt, off, len, sum);
}

uint64_t gso_sum_pseudo4(const void *saddr, const void *daddr,
                         uint8_t proto, uint32_t len)
{
    uint32_t a, b;
    uint64_t sum;

    memcpy(&a, saddr, sizeof(a));
    memcpy(&b, daddr, sizeof(b));
    sum = (uint64_t)a + b + gso_word(proto);
    return gso_sum_u32(sum, len);
}

uint64_t gso_sum_pseudo6(const void *saddr, const void *daddr,
                         uint8_t proto, uint32_t len)
{
    const uint8_t *a = saddr;
    const uint8_t *b = daddr;
    uint64_t sum = gso_add64(gso_load64(a), gso_load64(a + 8));

    sum = gso_add64(sum, gso_load64(b));
    sum = gso_add64(sum, gso_load64(b + 8));
    return gso_sum_u32(gso_sum_u16(sum, proto), len);
}

uint16_t gso_sum_fold(uint64_t sum)
{
    return (uint16_t)gso_word(gso_fold(sum));
}

uint16_t gso_sum_finish(uint64_t sum)
{
    return (uint16_t)~gso_sum_fold(sum);
}

uint16_t gso_csum_udp(uint16_t csum)
{
    return csum ? csum : 0xffff;
}

uint16_t gso_csum_update16(uint16_t csum, uint16_t from, uint16_t to)
{
    uint32_t sum = (uint16_t)~csum + (uint32_t)(uint16_t)~from + to;

    sum = (sum >> 16) + (sum & 0xffff);
    return (uint16_t)~((sum >> 16) + sum);
}

uint16_t gso_csum_update32(uint16_t csum, uint32_t from, uint32_t to)
{
    csum = gso_csum_update16(csum, (uint16_t)(from >> 16),
                             (uint16_t)(to >> 16));
    return gso_csum_update16(csum, (uint16_t)from, (uint16_t)to);
}

uint16_t gso_sum_reference(const void *buf, size_t len)
{
    const uint8_t *p = buf;
    uint32_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
        sum = (sum >> 16) + (sum & 0xffff);
    }
    return (uint16_t)sum;
}
