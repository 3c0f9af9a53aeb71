/*
 * What the files of the coalescer share
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef NET_GSO_COALESCE_INT_H
#define NET_GSO_COALESCE_INT_H

#include "gso-int.h"

/* Datagrams in one UDP super-frame (Linux UDP_GRO_CNT_MAX). */
#define GSO_UDP_MAX_SEGS 64

/* A packet while it is being looked at. */
typedef struct GsoIncoming {
    const GsoPacket *packet;
    const uint8_t *p;    /* its headers in one piece */
    GsoLayout layout;
    uint32_t hash;
    uint8_t csum;        /* GsoCsum */
    bool verified;
} GsoIncoming;

/*
 * What all held frames remember of their first packet, to compare with the
 * next: the header itself, and what has been joined to it.
 */
typedef struct GsoHeld {
    uint32_t len;        /* payload so far */
    uint32_t count;      /* packets so far */
    uint16_t mss;        /* payload of the first packet */
    uint16_t l2_len;
    uint16_t l3_len;
    uint16_t l4_off;
    uint16_t hdr_len;
    uint8_t l3;
    uint8_t l4_proto;
    uint8_t csum;        /* of the first packet */
    bool fixed_id;       /* DF, and the IP ID has not moved so far */
    const uint8_t *hdr;
} GsoHeld;

/*
 * May the packet be held at all?  GSO_V_HELD, or why it passes.  Leaves the
 * checksum to gso_gro_check_csum().
 */
GsoVerdict gso_gro_classify(const GsoIncoming *in, uint8_t types);

/* Are the checksums right?  GSO_V_HELD, or why the packet passes. */
GsoVerdict gso_gro_check_csum(const GsoIncoming *in);

/* Of the same flow, as gso.h defines it? */
bool gso_gro_same_flow(const GsoHeld *held, const GsoIncoming *in);

/*
 * May the packet, of the same flow, be joined?  GSO_V_MERGED, or the
 * difference.  Sets @fixed_id to what the frame's becomes.
 */
GsoVerdict gso_gro_compare(const GsoHeld *held, const GsoIncoming *in,
                           bool accecn, bool *fixed_id);

/* Flags with which a packet ends a frame and starts none. */
static inline bool gso_gro_ends(const GsoLayout *l)
{
    return l->tcp_flags & (GSO_TCP_URG | GSO_TCP_PSH | GSO_TCP_RST |
                           GSO_TCP_SYN | GSO_TCP_FIN);
}

#endif /* NET_GSO_COALESCE_INT_H */
