/*
 * What the files of the library share
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef NET_GSO_GSO_INT_H
#define NET_GSO_GSO_INT_H

#include <string.h>

#include "gso.h"

#define GSO_ETH_HLEN 14
#define GSO_ETH_P_IP 0x0800
#define GSO_ETH_P_IPV6 0x86dd
#define GSO_VLAN_HLEN 4
#define GSO_IP_DF 0x4000
#define GSO_IP_MF_OR_OFFSET 0x3fff

#define GSO_MIN(a, b) ((a) < (b) ? (a) : (b))

/* Offsets of fields from the start of their header. */
enum {
    GSO_IP4_TOS = 1,
    GSO_IP4_LEN = 2,
    GSO_IP4_ID = 4,
    GSO_IP4_FRAG = 6,
    GSO_IP4_TTL = 8,
    GSO_IP4_PROTO = 9,
    GSO_IP4_CSUM = 10,
    GSO_IP4_SADDR = 12,
    GSO_IP4_DADDR = 16,
    GSO_IP4_HLEN = 20,
    GSO_IP6_LEN = 4,
    GSO_IP6_NEXT = 6,
    GSO_IP6_HOPS = 7,
    GSO_IP6_SADDR = 8,
    GSO_IP6_DADDR = 24,
    GSO_IP6_HLEN = 40,
    GSO_TCP_SEQ = 4,
    GSO_TCP_ACKNO = 8,
    GSO_TCP_DOFF = 12,
    GSO_TCP_FLAGS = 13,
    GSO_TCP_WINDOW = 14,
    GSO_TCP_CSUM = 16,
    GSO_TCP_URGPTR = 18,
    GSO_TCP_HLEN = 20,
    GSO_UDP_LEN = 4,
    GSO_UDP_CSUM = 6,
    GSO_UDP_HLEN = 8,
};

static inline bool gso_little_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* Numbers in network order, at any alignment. */
static inline uint16_t gso_get16(const uint8_t *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof(v));
    return gso_little_endian() ? __builtin_bswap16(v) : v;
}

static inline uint32_t gso_get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return gso_little_endian() ? __builtin_bswap32(v) : v;
}

static inline void gso_put16(uint8_t *p, uint16_t v)
{
    v = gso_little_endian() ? __builtin_bswap16(v) : v;
    memcpy(p, &v, sizeof(v));
}

static inline void gso_put32(uint8_t *p, uint32_t v)
{
    v = gso_little_endian() ? __builtin_bswap32(v) : v;
    memcpy(p, &v, sizeof(v));
}

/* Add two sums, the carry coming in again at the bottom. */
static inline uint64_t gso_add64(uint64_t a, uint64_t b)
{
    a += b;
    return a + (a < b);
}

static inline uint64_t gso_load64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint16_t gso_load16(const uint8_t *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint32_t gso_load32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

/*
 * Add the last @len bytes of a text, zeros behind them.  For headers and
 * ends: below some hundred bytes this is as fast as any vector.
 */
static inline uint64_t gso_sum_tail(const uint8_t *p, size_t len,
                                    uint64_t sum)
{
    uint64_t v = 0;

    for (; len >= 8; p += 8, len -= 8) {
        sum = gso_add64(sum, gso_load64(p));
    }
    if (len & 4) {
        v = gso_load32(p);
        sum = gso_add64(sum, v);
        p += 4;
    }
    if (len & 3) {
        v = 0;
        memcpy(&v, p, len & 3);
        sum = gso_add64(sum, v);
    }
    return sum;
}

/*
 * Fold to 16 bits in memory order.  Halves are added to each other in both
 * places, so that the carry of the lower sum comes into the upper one.
 */
static inline uint16_t gso_fold(uint64_t sum)
{
    uint32_t half;

    sum += sum << 32 | sum >> 32;
    half = (uint32_t)(sum >> 32);
    half += half << 16 | half >> 16;
    return (uint16_t)(half >> 16);
}

/* Is that the sum of a text that holds its checksum, if not all zeros? */
static inline bool gso_sum_good(uint64_t sum)
{
    return gso_fold(sum) == 0xffff;
}

/* Sum of an IPv4 header without options. */
static inline uint64_t gso_sum_ipv4(const uint8_t *ip)
{
    return gso_add64(gso_add64(gso_load64(ip), gso_load64(ip + 8)),
                     gso_load32(ip + 16));
}

/* A 16-bit number as it contributes to a sum in memory order. */
static inline uint64_t gso_word(uint16_t v)
{
    return gso_little_endian() ? __builtin_bswap16(v) : v;
}

/* Where the L4 checksum is, counted from the L4 header. */
static inline uint32_t gso_csum_offset(uint8_t proto)
{
    return proto == GSO_IPPROTO_TCP ? GSO_TCP_CSUM : GSO_UDP_CSUM;
}

/* Sum of the pseudo-header of the IP header at @ip for @len bytes of L4. */
static inline uint64_t gso_sum_pseudo(const uint8_t *ip, uint8_t l3,
                                      uint8_t proto, uint32_t len)
{
    if (l3 == GSO_L3_IPV4) {
        return gso_sum_pseudo4(ip + GSO_IP4_SADDR, ip + GSO_IP4_DADDR,
                               proto, len);
    }
    return gso_sum_pseudo6(ip + GSO_IP6_SADDR, ip + GSO_IP6_DADDR, proto, len);
}

/* Bytes in @iov. */
size_t gso_iov_size(const struct iovec *iov, unsigned iovcnt);

/* Copy up to @len bytes at @off out of @iov; returns how many there were. */
size_t gso_iov_read(const struct iovec *iov, unsigned iovcnt, size_t off,
                    void *buf, size_t len);

/* Copy up to @len bytes into @iov at @off; returns how many fitted. */
size_t gso_iov_write(const struct iovec *iov, unsigned iovcnt, size_t off,
                     const void *buf, size_t len);

/*
 * The first @len bytes in one piece: in place when the first iovec has them,
 * else copied to @scratch.  @len is at most the size of the frame.
 */
const uint8_t *gso_iov_head(const struct iovec *iov, unsigned iovcnt,
                            size_t len, uint8_t *scratch);

/*
 * gso_parse(); returns the headers in one piece: in place when the first
 * iovec has them, else copied to @scratch of GSO_HDR_MAX bytes.
 */
const uint8_t *gso_parse_head(const struct iovec *iov, unsigned iovcnt,
                              uint8_t *scratch, GsoLayout *layout);

#endif /* NET_GSO_GSO_INT_H */
