/*
 * Ethernet frames for the mv643xx tests: builder, CRC-32, CRC-8, checksums
 *
 * Everything is computed byte by byte from the definitions (IEEE 802.3,
 * RFC 791, 768, 793, 1071), with no code shared with the device.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_QTEST_MV643XX_FRAME_H
#define TESTS_QTEST_MV643XX_FRAME_H

#define FRAME_MAX               0x11000
#define FRAME_MIN               60      /* without FCS */

/* The address of the port under test; its low nibble is 0 */
extern const uint8_t frame_nic_mac[6];
extern const uint8_t frame_peer_mac[6];
extern const uint8_t frame_broadcast[6];

typedef enum FrameSum {
    SUM_GOOD,
    SUM_BAD,
    SUM_ZERO,           /* field left zero */
} FrameSum;

enum {
    FRAME_TCP = 6,
    FRAME_UDP = 17,
    FRAME_ICMP = 1,
    FRAME_SCTP = 132,
};

/* What to build: all zero is a TCP/IPv4 segment for the port, no payload */
typedef struct FrameSpec {
    const uint8_t *dst;         /* NULL: the port under test */
    unsigned tags;              /* VLAN tags, at most 3 */
    uint16_t tpid[3];           /* outermost first, 0: 0x8100 */
    bool snap;                  /* 802.3 length and LLC/SNAP header */
    unsigned ihl;               /* IPv4 header words, 0: 5 */
    uint8_t proto;              /* IP protocol, 0: TCP */
    uint16_t frag;              /* IPv4 flags and fragment offset */
    size_t payload;             /* bytes after the TCP or UDP header */
    uint8_t seed;               /* payload pattern */
    FrameSum ip_sum;
    FrameSum l4_sum;
    uint16_t total_len;         /* IPv4 total length, 0: the true one */
    size_t trailer;             /* bytes after the datagram */
    bool ipv6;
} FrameSpec;

typedef struct Frame {
    uint8_t data[FRAME_MAX];
    size_t len;                 /* without FCS */
    size_t l3;                  /* offset of the IP header */
    size_t l4;                  /* offset of the TCP or UDP header */
    size_t l4_len;              /* bytes from l4 to the datagram's end */
} Frame;

/* Build the frame described by @spec */
void frame_build(Frame *f, const FrameSpec *spec);

/* @len bytes: addresses, EtherType, then a pattern that depends on @seed */
void frame_raw(Frame *f, const uint8_t *dst, uint16_t ethertype, size_t len,
               uint8_t seed);

/* A who-has request, 42 bytes, padded with zeros to 60 */
void frame_arp(Frame *f, const uint8_t *dst);

/* Extend with zeros to the 60 bytes that Ethernet needs */
void frame_pad(Frame *f);

/* Recompute the IPv4 header and TCP/UDP checksums of @f in place */
void frame_fix_sums(Frame *f);

/* Folded, not complemented, one's complement sum of @len bytes (RFC 1071) */
uint16_t frame_sum(const uint8_t *p, size_t len);

/* The same over the IPv4 pseudo header of @f and @l4_len bytes */
uint16_t frame_pseudo_sum(const Frame *f);

/* Ethernet FCS over @len bytes: sent least significant byte first */
uint32_t frame_crc32(const uint8_t *p, size_t len);

/* Hash of the other-multicast table: x^8 + x^2 + x + 1, first bit first */
uint8_t frame_crc8(const uint8_t mac[6]);

#endif
