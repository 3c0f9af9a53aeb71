/*
 * Frames made by hand, for the tests of net/gso
 *
 * Nothing here uses the library: lengths and checksums are computed in the
 * plainest way, so that a mistake of the library shows.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_UNIT_GSO_FRAME_H
#define TESTS_UNIT_GSO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAX 66000

/* What stands in the L4 checksum field. */
typedef enum FrameCsum {
    FRAME_CSUM_GOOD,
    FRAME_CSUM_PARTIAL, /* the pseudo-header sum */
    FRAME_CSUM_BAD,
    FRAME_CSUM_ZERO,
} FrameCsum;

/*
 * A frame in numbers.  {0} is a TCP/IPv4 frame without payload; the other
 * defaults are in frame_build().
 */
typedef struct Frame {
    uint8_t tags;        /* VLAN tags */
    uint16_t tpid[3];    /* 0: 0x8100 */
    uint16_t tci[3];
    uint8_t dmac;        /* last byte of the destination MAC */
    bool v6;
    bool udp;
    uint8_t src, dst;    /* last byte of the addresses */
    uint16_t sport, dport;
    uint8_t ttl;         /* 0: 64 */
    uint8_t tos;
    uint16_t id;
    bool df;
    bool bad_ip_csum;
    uint16_t frag;       /* fragment offset in units of 8, MF is 0x2000 */
    uint32_t label;
    uint8_t ip_opts;     /* bytes, a multiple of 4, at most 40 */
    uint8_t ext_hdrs;    /* 8-byte destination options headers */
    uint8_t ext_fill;
    uint8_t tcp_opts;    /* bytes, a multiple of 4, at most 40 */
    uint8_t opt_fill;    /* changes the bytes of the TCP options */
    uint32_t seq, ack;
    uint8_t flags;       /* TCP; 0: ACK */
    uint8_t reserved;    /* low bits of the data offset byte */
    uint16_t window;
    uint16_t urgent;
    uint32_t payload;
    uint32_t fill;       /* seed of the payload bytes */
    uint8_t csum;        /* FrameCsum */
    uint8_t pad;         /* bytes behind the IP packet */
    uint8_t pad_byte;
} Frame;

/* Offsets within a frame that was built. */
unsigned frame_l3(const Frame *f);
unsigned frame_l4(const Frame *f);
unsigned frame_hdr(const Frame *f);

/* Write the frame to @buf of FRAME_MAX bytes; returns its length. */
size_t frame_build(const Frame *f, uint8_t *buf);

/* Checksums that frame_mend() makes right. */
enum {
    FRAME_MEND_IP = 1,
    FRAME_MEND_TCP = 2,
    FRAME_MENDS = 4,
};

/*
 * Make checksums right after bytes of @buf, a TCP frame of @len bytes like
 * @f, were changed: those that @what has the bits of.
 */
void frame_mend(const Frame *f, uint8_t *buf, size_t len, unsigned what);

/* The Internet checksum of @len bytes after @sum, byte by byte. */
uint32_t frame_sum(uint32_t sum, const uint8_t *p, size_t len);

/* Checksum field of the L4 header right?  Also IPv4's and the lengths. */
bool frame_valid(const Frame *like, const uint8_t *buf, size_t len);

static inline uint16_t frame_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t frame_u32(const uint8_t *p)
{
    return (uint32_t)frame_u16(p) << 16 | frame_u16(p + 2);
}

/* A small generator of numbers, so that a seed means the same anywhere. */
typedef struct FrameRandom {
    uint64_t state;
} FrameRandom;

uint32_t frame_random(FrameRandom *r);

/* A number below @n. */
uint32_t frame_below(FrameRandom *r, uint32_t n);

#endif /* TESTS_UNIT_GSO_FRAME_H */
