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

typedef uint64_t GsoSumFn(const void *buf, size_t len, uint64_t sum);
typedef uint64_t GsoCopySumFn(void *dst, const void *src, size_t len,
                              uint64_t sum);

/* One way to compute gso_sum() and gso_copy_sum(). */
typedef struct GsoSumImpl {
    const char *name;       /* "avx512", "avx2", "scalar" */
    bool (*usable)(void);   /* on this machine */
    GsoSumFn *sum;
    GsoCopySumFn *copy_sum;
} GsoSumImpl;

/*
 * All there are, best first, "scalar" before the entry of NULLs that ends
 * the table; for tests.
 */
const GsoSumImpl *gso_sum_impls(void);

/* Name of the first usable, which gso_sum() and gso_copy_sum() use. */
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

/*
 * Super-frames
 */

typedef enum GsoType {
    GSO_TYPE_NONE,  /* an ordinary frame */
    GSO_TYPE_TCPV4,
    GSO_TYPE_TCPV6,
    GSO_TYPE_UDP_L4, /* a train of UDP datagrams (USO), IPv4 or IPv6 */
} GsoType;

/* What an L4 checksum field holds. */
typedef enum GsoCsum {
    GSO_CSUM_NONE,     /* nothing; it is still to be computed */
    GSO_CSUM_PARTIAL,  /* the pseudo-header sum, the rest to be added */
    GSO_CSUM_COMPLETE, /* the checksum; not necessarily verified */
} GsoCsum;

/* What a frame cannot say about itself. */
typedef struct GsoMeta {
    uint8_t type;         /* GsoType */
    uint8_t csum;         /* GsoCsum */
    bool verified;        /* csum is GSO_CSUM_COMPLETE and was checked */
    bool fixed_id;        /* all segments have the same IPv4 ID */
    bool accecn;          /* CWR is on every segment (RFC 9768) */
    bool ecn;             /* TCP CWR is set */
    uint16_t gso_size;    /* L4 payload of each segment but the last */
    uint16_t segs;        /* number of segments; 1: an ordinary frame */
    uint16_t hdr_len;     /* offset of the payload */
    uint16_t csum_start;  /* GSO_CSUM_PARTIAL: sum from here to the end, */
    uint16_t csum_offset; /* store at csum_start + csum_offset */
} GsoMeta;

/*
 * Segmenter
 *
 * An iterator in the manner of Linux's net/core/tso.c.  gso_seg_init() says
 * exactly how many segments there will be; gso_seg_peek() builds the next
 * one; gso_seg_advance() takes it as sent.  A segment that could not be sent
 * is left where it is and built again later, so emission stops and resumes
 * anywhere without loss or duplicate.
 */

/* What the hardware (or whoever takes the segments) does itself. */
enum {
    GSO_F_SG = 1 << 0,        /* gathers a frame from pieces */
    GSO_F_CSUM_ANY = 1 << 1,  /* sums from any offset (NETIF_F_HW_CSUM) */
    GSO_F_CSUM_IPV4 = 1 << 2, /* TCP and UDP over IPv4 only (mv643xx) */
    GSO_F_CSUM_IPV6 = 1 << 3, /* TCP and UDP over IPv6, no ext. headers */
    GSO_F_TSO4 = 1 << 4,      /* cuts TCP over IPv4 */
    GSO_F_TSO6 = 1 << 5,      /* cuts TCP over IPv6 */
    GSO_F_USO = 1 << 6,       /* cuts UDP trains */
};

/* Which rules for header fields. */
typedef enum GsoProfile {
    /*
     * Linux net/ipv4/tcp_offload.c: FIN and PSH on the last segment only,
     * CWR on the first only (on all with accecn).
     */
    GSO_PROFILE_CORE,
    /*
     * Linux net/core/tso.c: PSH, FIN and RST on the last segment only, CWR
     * on all.
     */
    GSO_PROFILE_DRIVER,
} GsoProfile;

typedef enum GsoIpId {
    GSO_IPID_INCREMENT, /* ID of the super-frame + segment index, mod 65536 */
    GSO_IPID_FIXED,     /* the same ID; only if DF is set (RFC 6864) */
} GsoIpId;

typedef struct GsoSegParams {
    uint32_t gso_size;    /* L4 payload per segment, 1 to 65534 */
    uint32_t max_segs;    /* 0: no limit */
    uint8_t csum;         /* GsoCsum of the super-frame */
    uint8_t features;     /* GSO_F_* */
    uint8_t profile;      /* GsoProfile */
    uint8_t ip_id;        /* GsoIpId */
    /*
     * Which of GSO_TCP_SYN, RST and URG may be repeated on every segment, as
     * Linux does.  With any other of them set a super-frame is refused.
     */
    uint8_t repeat_flags;
    bool accecn;          /* CWR on every segment, with GSO_PROFILE_CORE */
    /*
     * The IP length field is stale (0, or of one segment): take the length
     * from the frame, as Linux does for super-frames.
     */
    bool len_from_frame;
    bool two_pass;        /* copy, then sum: to measure what that costs */
} GsoSegParams;

/* Work that the library did, in bytes, for the segments taken so far. */
typedef struct GsoWork {
    uint64_t segs;
    uint64_t hdr_copied;     /* header bytes written */
    uint64_t payload_copied;
    uint64_t summed;         /* bytes that went through a checksum */
} GsoWork;

typedef struct GsoSegment {
    const struct iovec *iov; /* the caller's array; [0] is in its buffer */
    unsigned iovcnt;
    uint32_t index;          /* 0 to count - 1 */
    uint32_t len;            /* bytes of the frame */
    uint16_t hdr_len;        /* bytes of header; with sharing all of iov[0] */
    bool last;
    GsoMeta meta;            /* type is not NONE only under GSO_F_TSO*, USO */
} GsoSegment;

/* All private; on the caller's stack or in its state, no clean-up needed. */
typedef struct GsoSegmenter {
    const struct iovec *iov;
    unsigned iovcnt;
    GsoSegParams params;
    GsoLayout layout;
    uint32_t payload_len;
    uint32_t seg_size;
    uint32_t count;
    uint32_t index;
    uint32_t seq;
    uint16_t id;
    uint8_t clear_not_first;
    uint8_t clear_not_last;
    bool hw_csum;
    bool hw_tso;
    bool keep_csum;
    bool want_sum;
    bool share;
    uint32_t built;
    uint64_t ip_sum;
    uint64_t l4_sum;
    uint16_t full_csum;
    GsoMeta meta;
    unsigned cur_iov;
    unsigned next_iov;
    size_t cur_off;
    size_t next_off;
    GsoWork work;
    uint8_t hdr[GSO_HDR_MAX];
} GsoSegmenter;

/*
 * Prepare to cut the frame in @iov, which with its bytes must stay until the
 * last segment is taken and is never written to.
 *
 * Payload of at most gso_size gives one frame, also when it is empty.  The
 * pseudo-header sum is always computed anew, so a wrong one in the frame
 * does no harm.  The IPv4 header checksum of every output is valid.
 *
 * Returns the number of segments (1 where the hardware cuts).  Errors:
 * GSO_E_PROTO, GSO_E_FRAGMENT, GSO_E_MALFORMED, GSO_E_SIZE, GSO_E_FLAGS,
 * GSO_E_TOO_BIG, GSO_E_SEGS, GSO_E_IPID.
 */
int gso_seg_init(GsoSegmenter *s, const struct iovec *iov, unsigned iovcnt,
                 const GsoSegParams *params);

/* Bytes that gso_seg_peek() needs in its buffer for any segment. */
size_t gso_seg_buf_size(const GsoSegmenter *s);

/*
 * Exact number of pieces (descriptors) of all segments together; @most is
 * set to the largest number of one segment unless it is NULL.
 */
uint32_t gso_seg_count_iov(const GsoSegmenter *s, unsigned *most);

/*
 * Build the next segment.  Its header goes to @buf; with GSO_F_SG the
 * payload is shared with the super-frame, else it is copied behind the
 * header.  @iov receives the pieces and @seg points to it; all three are the
 * caller's.  Returns 1, 0 if no segment is left, or GSO_E_NOSPACE or
 * GSO_E_IOV, which leave everything as it was.
 */
int gso_seg_peek(GsoSegmenter *s, void *buf, size_t buf_len,
                 struct iovec *iov, unsigned iov_max, GsoSegment *seg);

/* Take the segment built last as sent. */
void gso_seg_advance(GsoSegmenter *s);

/* Work done for the segments taken so far. */
const GsoWork *gso_seg_work(const GsoSegmenter *s);

/*
 * What receives segments.  0 takes the segment; anything else refuses it and
 * stops the emission there.  The segment is valid during the call only.
 */
typedef int GsoEmitFn(void *opaque, const GsoSegment *seg);

/*
 * Build segments and hand each to @emit until none is left or one is
 * refused; call again to resume there.  Returns the number taken by this
 * call, or GSO_E_NOSPACE or GSO_E_IOV before any was.
 */
int gso_seg_emit(GsoSegmenter *s, void *buf, size_t buf_len,
                 struct iovec *iov, unsigned iov_max,
                 GsoEmitFn *emit, void *opaque);

/*
 * virtio-net header (virtio 1.2, section 5.1.6)
 */

#define GSO_VNET_HDR_LEN 10     /* without num_buffers */
#define GSO_VNET_HDR_LEN_MRG 12 /* with it */

typedef enum GsoVnetDir {
    GSO_VNET_TO_DEVICE, /* a frame that a driver sends (written to a tap) */
    GSO_VNET_TO_DRIVER, /* a frame that a driver receives (read from it) */
} GsoVnetDir;

/*
 * Check the @len bytes of header at @hdr against the frame that follows it
 * and that @layout describes; fill @meta.  Multi-byte fields are little
 * endian if @little_endian, else big endian.
 *
 * Without NEEDS_CSUM the checksum counts as complete; DATA_VALID marks it
 * verified towards a driver and is ignored towards a device.  A super-frame
 * whose payload fits one segment becomes an ordinary frame.  hdr_len is a
 * hint and ignored.
 *
 * GSO_E_NOSPACE: @len below GSO_VNET_HDR_LEN.  GSO_E_SIZE: gso_size.
 * GSO_E_VNET: an unknown GSO type, one that the frame is not of, UFO, a
 * checksum field that is not where the frame has it or not inside it.
 */
int gso_vnet_decode(const void *hdr, size_t len, bool little_endian,
                    GsoVnetDir dir, const GsoLayout *layout, GsoMeta *meta);

/*
 * Write a header of @len bytes (10 or 12) for a frame with @meta.
 * GSO_E_NOSPACE for another length, GSO_E_VNET for what the header cannot
 * say: fixed IP IDs and AccECN are lost silently by Linux; here they fail.
 */
int gso_vnet_encode(void *hdr, size_t len, bool little_endian,
                    GsoVnetDir dir, const GsoMeta *meta);

/*
 * Coalescer
 *
 * Joins consecutive packets of a flow into super-frames by the rules of
 * Linux's GRO (6.1: net/core/gro.c, net/ipv4/af_inet.c, tcp_offload.c,
 * udp_offload.c, net/ipv6/ip6_offload.c).  Differences are listed in
 * docs/gso.md.
 *
 * The flow table is an array of buckets with room for a few flows each; a
 * flow that finds its bucket full pushes the oldest one out.  Packets are
 * held by reference: what the iovecs of a packet point to (not the iovecs
 * themselves) belongs to the coalescer until the packet's cookie comes back
 * with a delivered frame, exactly once.
 *
 * A flow is what has the same Ethernet header and tags, IP addresses, IP
 * protocol and ports, and with IPv6 the same flow label and extension
 * headers.  Frames of one flow are delivered in order of arrival, those that
 * cannot be joined included.
 */

/* What became of a packet; each has a counter. */
typedef enum GsoVerdict {
    GSO_V_HELD,          /* held as the first of its flow */
    GSO_V_MERGED,        /* joined to the held frame */
    GSO_V_MERGED_PUSH,   /* joined; PSH or FIN closed the frame */
    GSO_V_MERGED_SHORT,  /* joined; shorter than the rest, which closed it */
    GSO_V_MERGED_FULL,   /* joined; max_segs or 64 datagrams closed it */
    /*
     * Differs from the held frame, which was closed.  The packet is held in
     * its place or, with PSH or the like, delivered alone.
     */
    GSO_V_DIFF_TTL,      /* TTL or hop limit */
    GSO_V_DIFF_TOS,      /* TOS or traffic class, ECN included */
    GSO_V_DIFF_DF,
    GSO_V_DIFF_IP_ID,    /* IP ID neither counting on nor fixed */
    GSO_V_DIFF_FLAGS,    /* TCP flags, reserved bits or header length */
    GSO_V_DIFF_CWR,
    GSO_V_DIFF_WINDOW,
    GSO_V_DIFF_ACK,      /* acknowledgement number */
    GSO_V_DIFF_OPTIONS,  /* TCP options */
    GSO_V_DIFF_URGENT,   /* urgent pointer (Linux does not compare it) */
    GSO_V_DIFF_SEQ,      /* not the next sequence number */
    GSO_V_DIFF_LONGER,   /* more payload than the first of the frame */
    GSO_V_DIFF_TOO_BIG,  /* the frame would exceed GSO_IP_MAX */
    GSO_V_DIFF_PIECES,   /* no room for its pieces in the held frame */
    /* Cannot be held; delivered alone, behind what is held of its flow. */
    GSO_V_PASS_TYPE,     /* a type that is switched off */
    GSO_V_PASS_NOT_IP,
    GSO_V_PASS_NOT_L4,   /* neither TCP nor UDP, or 802.3 */
    GSO_V_PASS_FRAGMENT, /* or the reserved bit beside DF is set */
    GSO_V_PASS_OPTIONS,  /* IPv4 options */
    GSO_V_PASS_LENGTH,   /* malformed, truncated, padded, UDP length */
    GSO_V_PASS_IP_CSUM,  /* IPv4 header checksum wrong */
    GSO_V_PASS_L4_CSUM,  /* TCP or UDP checksum wrong */
    GSO_V_PASS_NO_CSUM,  /* UDP without checksum */
    GSO_V_PASS_CSUM_FORM, /* right, but written 0xffff where 0 is usual */
    GSO_V_PASS_EMPTY,    /* no payload (pure ACK) */
    GSO_V_PASS_FLAGS,    /* PSH, FIN, SYN, RST or URG, nothing to join */
    GSO_V_PASS_SUPER,    /* is a super-frame already */
    GSO_V_PASS_PIECES,   /* cut into more pieces than max_iov */
    GSO_V_PASS_BUSY,     /* re-entrant call, all places taken */
    GSO_V_COUNT,
} GsoVerdict;

/* Why a held frame was delivered; each has a counter. */
typedef enum GsoClose {
    GSO_CLOSE_MERGED,   /* a packet joined it that ends a frame */
    GSO_CLOSE_DIFF,     /* the next packet of its flow differed */
    GSO_CLOSE_PASS,     /* a packet of its flow had to pass */
    GSO_CLOSE_EVICT,    /* its bucket was full */
    GSO_CLOSE_POLL,     /* gso_gro_poll_end() */
    GSO_CLOSE_DEADLINE, /* flush_timeout */
    GSO_CLOSE_AGE,      /* max_hold */
    GSO_CLOSE_DEMAND,   /* gso_gro_flush() */
    GSO_CLOSE_COUNT,
} GsoClose;

/* Short lower-case names for tables ("merged-push", "deadline"). */
const char *gso_verdict_name(GsoVerdict verdict);
const char *gso_close_name(GsoClose reason);

/* A packet handed in. */
typedef struct GsoPacket {
    const struct iovec *iov;
    unsigned iovcnt;
    void *cookie;           /* comes back with the frame it is part of */
    /*
     * NULL: an ordinary frame whose checksum is to be verified.  Else
     * GSO_CSUM_PARTIAL and verified checksums are not verified again.
     */
    const GsoMeta *meta;
} GsoPacket;

/* A frame delivered; valid, with its iovecs, during the call only. */
typedef struct GsoFrame {
    const struct iovec *iov;
    unsigned iovcnt;
    uint32_t len;           /* bytes in @iov */
    void *const *cookies;   /* of the packets in it, in order */
    unsigned ncookies;
    GsoMeta meta;           /* a super-frame has GSO_CSUM_PARTIAL */
} GsoFrame;

/*
 * Takes a frame.  It may call any function of the same coalescer, which is
 * in a consistent state by then, gso_gro_receive() included.
 */
typedef void GsoDeliverFn(void *opaque, const GsoFrame *frame);

typedef struct GsoGroConfig {
    uint32_t buckets;       /* a power of two, 1 to 65536 */
    uint32_t depth;         /* flows per bucket, 1 to 64 */
    uint32_t max_segs;      /* packets per frame, 2 to 65535 */
    uint32_t max_iov;       /* payload pieces per frame, at least max_segs */
    uint32_t hash_seed;     /* any number; a random one hides the buckets */
    uint8_t types;          /* bit 1 << GsoType for each type to join */
    /*
     * CWR is part of a counter (AccECN, RFC 9768; Linux since 6.17), so a
     * packet that has it is never joined.  Else (RFC 3168; Linux 6.1) it may
     * be the first of a frame.
     */
    bool accecn;
    /*
     * ns that gso_gro_poll_end() leaves a frame held for more packets of its
     * flow (Linux gro_flush_timeout); 0: nothing is held beyond it.
     */
    uint64_t flush_timeout;
    /*
     * ns after its first packet at which a frame is delivered even if more
     * packets keep joining; 0: max_segs times flush_timeout is the bound.
     */
    uint64_t max_hold;
    GsoDeliverFn *deliver;
    void *opaque;
} GsoGroConfig;

typedef struct GsoGroStats {
    uint64_t verdict[GSO_V_COUNT];
    uint64_t close[GSO_CLOSE_COUNT];
    uint64_t packets;       /* handed in */
    uint64_t frames;        /* delivered */
    uint64_t super_frames;  /* of these, of more than one packet */
    uint64_t max_held_ns;   /* longest time that a packet was held */
} GsoGroStats;

typedef struct GsoGro GsoGro;

/* No deadline. */
#define GSO_NEVER UINT64_MAX

/*
 * Bytes of memory that gso_gro_init() needs; 0 if @config is invalid or asks
 * for more than half of what the machine can address, or 256 GiB.
 */
size_t gso_gro_size(const GsoGroConfig *config);

/*
 * Make a coalescer in @mem, aligned as malloc() aligns, of @size bytes.  It
 * is freed with @mem, after gso_gro_flush().  NULL if @config is invalid or
 * @size too small.
 */
GsoGro *gso_gro_init(void *mem, size_t size, const GsoGroConfig *config);

/*
 * Hand in a packet at time @now, which never goes back.  Frames that this
 * completes are delivered before it returns.
 */
GsoVerdict gso_gro_receive(GsoGro *gro, const GsoPacket *packet,
                           uint64_t now);

/*
 * The caller has handed in all packets that it had (Linux
 * napi_complete_done()).  Frames that got a packet since the last call stay
 * held for another flush_timeout from @now; if none did, or flush_timeout
 * is 0, everything is delivered.  First, frames whose time has come are
 * delivered as by gso_gro_expire(): until its poll ends a packet's time
 * counts from its arrival, so that a long poll holds nothing for longer.
 */
void gso_gro_poll_end(GsoGro *gro, uint64_t now);

/* When gso_gro_expire() is to be called next; GSO_NEVER if nothing waits. */
uint64_t gso_gro_next_deadline(const GsoGro *gro);

/* Deliver the frames whose time has come at @now. */
void gso_gro_expire(GsoGro *gro, uint64_t now);

/* Deliver everything that is held, oldest first. */
void gso_gro_flush(GsoGro *gro, uint64_t now);

/* Packets held. */
unsigned gso_gro_held(const GsoGro *gro);

/* Counters since gso_gro_init(). */
const GsoGroStats *gso_gro_stats(const GsoGro *gro);

#endif /* NET_GSO_GSO_H */
