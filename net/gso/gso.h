/*
 * Segmentation, coalescing and checksums of network frames
 *
 * A library for NIC models, tests and driver authors.  It cuts super-frames
 * into wire frames, joins wire frames into super-frames, and computes the
 * Internet checksum.  It needs libc only.  It never allocates, keeps no
 * state of its own and reads no clock: the caller owns all memory and all
 * time.
 *
 * Conventions, unless a comment says otherwise:
 *   - lengths and offsets are in bytes, times in nanoseconds;
 *   - 16-bit and 32-bit values in structures and arguments are plain numbers
 *     in host order; bytes in frames are in network order;
 *   - a frame starts with the Ethernet destination address and has no FCS;
 *   - a frame is given as iovecs cut anywhere, empty pieces included;
 *   - functions that can fail return 0 or a count on success and a negative
 *     GsoError on failure, and then have changed nothing of the caller's.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef NET_GSO_GSO_H
#define NET_GSO_GSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Longest header, Ethernet to TCP options, that is parsed or rewritten. */
#define GSO_HDR_MAX 256

/* Most VLAN tags that are parsed. */
#define GSO_VLAN_MAX 2

/* Largest IPv4 total length, and IPv6 header plus payload length. */
#define GSO_IP_MAX 65535

typedef enum GsoError {
    GSO_E_PROTO = -1,     /* not TCP or UDP over IP in Ethernet II */
    GSO_E_FRAGMENT = -2,  /* an IP fragment */
    GSO_E_MALFORMED = -3, /* a header contradicts itself or the frame */
    GSO_E_SIZE = -4,      /* gso_size 0 or 0xffff */
    GSO_E_FLAGS = -5,     /* TCP SYN, RST or URG on data to be cut */
    GSO_E_TOO_BIG = -6,   /* longer than an IP length can say */
    GSO_E_SEGS = -7,      /* more segments than max_segs */
    GSO_E_IPID = -8,      /* fixed IP ID wanted, DF clear */
    GSO_E_NOSPACE = -9,   /* the caller's buffer is too short */
    GSO_E_IOV = -10,      /* the caller's iovec array is too short */
    GSO_E_VNET = -11,     /* virtio-net header invalid */
    GSO_E_CONFIG = -12,   /* a parameter is out of range */
} GsoError;

/*
 * What an error code means, as a clause for a message ("not TCP or UDP over
 * IP").  Never NULL; the string is constant.
 */
const char *gso_strerror(int error);

/*
 * Checksums (RFC 1071, RFC 1624)
 *
 * A running sum is an opaque uint64_t; start with 0.  It is kept in memory
 * order so that no byte is ever swapped while summing; only gso_sum_fold()
 * and gso_sum_finish() turn it into a number.
 */

/*
 * Add the @len bytes at @buf to @sum.  Any alignment.  The bytes start at
 * an even offset of the summed text; see gso_sum_odd() for odd ones.
 */
uint64_t gso_sum(const void *buf, size_t len, uint64_t sum);

/*
 * Copy @len bytes from @src to @dst, which do not overlap, and add them to
 * @sum, reading each byte once.
 */
uint64_t gso_copy_sum(void *dst, const void *src, size_t len, uint64_t sum);

/*
 * gso_sum() and gso_copy_sum() without vector instructions, the same result
 * on every machine; for tests and benches.
 */
uint64_t gso_sum_scalar(const void *buf, size_t len, uint64_t sum);
uint64_t gso_copy_sum_scalar(void *dst, const void *src, size_t len,
                             uint64_t sum);

/*
 * Turn the sum of a text taken alone into its contribution at an odd offset
 * of a longer text (RFC 1071, section 2 (B)).
 */
uint64_t gso_sum_odd(uint64_t sum);

/* Add two running sums. */
uint64_t gso_sum_add(uint64_t a, uint64_t b);

/* Add the number @value as one 16-bit word in network order. */
uint64_t gso_sum_u16(uint64_t sum, uint16_t value);

/* Add the number @value as two 16-bit words in network order. */
uint64_t gso_sum_u32(uint64_t sum, uint32_t value);

/*
 * Add @len bytes at offset @off of the text in @iov.  Where the iovecs end
 * early the sum ends there too.
 */
uint64_t gso_sum_iov(const struct iovec *iov, unsigned iovcnt,
                     size_t off, size_t len, uint64_t sum);

/*
 * Sum of the IPv4 pseudo-header (RFC 793, RFC 768).  @saddr and @daddr point
 * at 4 bytes in network order, @len is the length of L4 header and payload.
 */
uint64_t gso_sum_pseudo4(const void *saddr, const void *daddr,
                         uint8_t proto, uint32_t len);

/* The same for IPv6 (RFC 8200, section 8.1); addresses are 16 bytes. */
uint64_t gso_sum_pseudo6(const void *saddr, const void *daddr,
                         uint8_t proto, uint32_t len);

/* The 16-bit one's complement sum; 0 only if every word was 0. */
uint16_t gso_sum_fold(uint64_t sum);

/*
 * The checksum to store, most significant byte first: the complement of
 * gso_sum_fold().  A UDP sender passes it through gso_csum_udp().
 */
uint16_t gso_sum_finish(uint64_t sum);

/* UDP's zero rule (RFC 768): a computed 0 is sent as 0xffff. */
uint16_t gso_csum_udp(uint16_t csum);

/*
 * The checksum after a 16-bit word of the text changed from @from to @to,
 * by equation 3 of RFC 1624.
 */
uint16_t gso_csum_update16(uint16_t csum, uint16_t from, uint16_t to);

/* The same for an aligned 32-bit word. */
uint16_t gso_csum_update32(uint16_t csum, uint32_t from, uint32_t to);

/* Name of the summing code in use: "scalar" or "avx2". */
const char *gso_sum_impl(void);

/*
 * Byte-wise reference, as RFC 1071 section 4.1 describes it; slow, for
 * tests.  Returns the folded sum of @len bytes.
 */
uint16_t gso_sum_reference(const void *buf, size_t len);

/*
 * Layout of a frame
 */

typedef enum GsoL3 {
    GSO_L3_NONE,
    GSO_L3_IPV4,
    GSO_L3_IPV6,
} GsoL3;

/* IP protocol numbers that the library knows. */
enum {
    GSO_IPPROTO_TCP = 6,
    GSO_IPPROTO_UDP = 17,
};

/* TCP flags as in the 14th header byte. */
enum {
    GSO_TCP_FIN = 0x01,
    GSO_TCP_SYN = 0x02,
    GSO_TCP_RST = 0x04,
    GSO_TCP_PSH = 0x08,
    GSO_TCP_ACK = 0x10,
    GSO_TCP_URG = 0x20,
    GSO_TCP_ECE = 0x40,
    GSO_TCP_CWR = 0x80,
};

/* GsoLayout.flags */
enum {
    GSO_LF_8023 = 1 << 0,      /* 802.3 length field; IP only behind SNAP */
    GSO_LF_IP_OPTIONS = 1 << 1, /* IPv4 options */
    GSO_LF_EXT_HDRS = 1 << 2,  /* IPv6 extension headers before L4 */
    GSO_LF_FRAGMENT = 1 << 3,  /* part of a fragmented IP packet */
    GSO_LF_FRAG_FIRST = 1 << 4, /* its first part; l4_off is valid */
    GSO_LF_PADDED = 1 << 5,    /* bytes follow the end of the IP packet */
    GSO_LF_TRUNCATED = 1 << 6, /* the IP packet is longer than the frame */
    GSO_LF_MALFORMED = 1 << 7, /* a header contradicts itself or the frame */
    GSO_LF_LENGTH_0 = 1 << 8,  /* IP length field is 0 */
    GSO_LF_MORE_TAGS = 1 << 9, /* more than GSO_VLAN_MAX tags; stops there */
};

/*
 * What gso_parse() found.  Each field is valid whatever the frame holds:
 * what is absent is 0.  Offsets count from the start of the frame.
 */
typedef struct GsoLayout {
    uint32_t frame_len;   /* bytes in the iovecs */
    uint32_t flags;       /* GSO_LF_* */
    uint16_t l2_len;      /* Ethernet header, tags, LLC and SNAP */
    uint16_t ethertype;   /* behind the tags; 0 if there is none */
    uint8_t vlan_count;   /* tags parsed, 0 to GSO_VLAN_MAX */
    uint8_t l3;           /* GsoL3 */
    uint8_t l4_proto;     /* IP protocol behind extension headers */
    uint8_t tcp_flags;    /* GSO_TCP_* */
    uint16_t l3_len;      /* IP header, options, extension headers */
    uint16_t l4_off;      /* 0: no L4 header; TCP and UDP only */
    uint16_t l4_hdr_len;  /* TCP header with options, or 8 */
    uint16_t hdr_len;     /* offset of the payload */
    uint32_t ip_len;      /* length of the IP packet, from its header */
    uint32_t l4_len;      /* L4 header and payload, from the IP length */
    uint32_t payload_len; /* L4 payload, from the IP length */
} GsoLayout;

/*
 * Describe the frame in @iov (Ethernet II or 802.3 with SNAP, up to two tags
 * 0x8100 or 0x88a8, IPv4, IPv6, TCP, UDP).  Never reads outside the frame,
 * and at most GSO_HDR_MAX bytes of it.  Lengths come from the IP header,
 * never from the frame, so padding is not counted.
 *
 * l4_off is set when a whole TCP or UDP header is there, in an unfragmented
 * packet or a first fragment; GSO_LF_TRUNCATED may be set beside it.
 */
void gso_parse(const struct iovec *iov, unsigned iovcnt, GsoLayout *layout);

/* gso_parse() of one buffer. */
void gso_parse_buf(const void *buf, size_t len, GsoLayout *layout);

/* What gso_csum_verify() found. */
typedef enum GsoCheck {
    GSO_CHECK_NONE, /* no checksum here, or not one that can be verified */
    GSO_CHECK_GOOD,
    GSO_CHECK_BAD,
} GsoCheck;

/* Verify the IPv4 header checksum of a parsed frame. */
GsoCheck gso_csum_verify_ip(const struct iovec *iov, unsigned iovcnt,
                            const GsoLayout *layout);

/*
 * Verify the TCP or UDP checksum of a parsed frame.  Fragments, truncated
 * packets, UDP over IPv4 without checksum (0) and a UDP length that differs
 * from the IP payload give GSO_CHECK_NONE; UDP over IPv6 with checksum 0 is
 * GSO_CHECK_BAD (RFC 8200, section 8.1).
 */
GsoCheck gso_csum_verify_l4(const struct iovec *iov, unsigned iovcnt,
                            const GsoLayout *layout);

/*
 * Complete a partial checksum in place: sum from @start to the end of the
 * frame at @frame_len, store the complement at @start + @offset.  The field
 * holds the pseudo-header sum (virtio 1.2, section 5.1.6.2; Linux
 * CHECKSUM_PARTIAL).  A result of 0 is stored as 0xffff if @udp.
 * GSO_E_MALFORMED if the field is not inside the frame.
 */
int gso_csum_complete(const struct iovec *iov, unsigned iovcnt,
                      uint32_t frame_len, uint32_t start, uint32_t offset,
                      bool udp);

#endif /* NET_GSO_GSO_H */
