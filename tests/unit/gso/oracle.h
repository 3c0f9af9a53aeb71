/*
 * Kernel oracle: what its parts share
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_UNIT_GSO_ORACLE_H
#define TESTS_UNIT_GSO_ORACLE_H

#include "frame.h"
#include "oracle-list.h"

/*
 * Where kernels differ from each other or from the library.  Each is found
 * by a probe when the oracle starts, never by version.
 */
typedef enum BehaviourId {
    B_USO_WRITE,      /* a tap takes UDP super-frames */
    B_USO_READ,       /* a tap can be given UDP super-frames whole */
    B_MIN_GSO_SIZE,   /* TCP gso_size below 8 is raised to 8 */
    B_TAIL_DROPPED,   /* payload <= MSS < payload + options: dropped */
    B_TAIL_ALL,       /* the same without NEEDS_CSUM: all but 20 bytes */
    B_ECN_IS_ACCECN,  /* the ECN bit of the header keeps CWR on all */
    B_CWR_FIRST,      /* a packet with CWR may be first of a train */
    B_UDP_GRO,        /* UDP trains are joined on a bridge port */
    B_TAG_GRO,        /* packets with VLAN tags are joined */
    B_FIXED_NO_DF,    /* fixed IP IDs are joined without DF */
    B_COUNT,
} BehaviourId;

typedef struct Oracle {
    int in;               /* tap to write to */
    int out;              /* tap to read from */
    bool out_vnet;        /* frames read have a virtio-net header */
    uint32_t sentinel;
    uint64_t seed;
    FrameRandom random;
    bool seen[B_COUNT];
    List kernel;
    List mine;
} Oracle;

/* Write a frame with its header. */
void oracle_write(Oracle *o, const uint8_t *frame, size_t len,
                  const GsoMeta *meta);

/* Read what there is into @o->kernel; true when the sentinel came. */
bool oracle_read(Oracle *o);

/*
 * Write a sentinel, which the kernel hands on behind all that was written
 * before, and read up to it.
 */
void oracle_finish(Oracle *o);

/* Metadata to send the frame with; @gso_size 0: an ordinary frame. */
GsoMeta oracle_meta(const Frame *f, uint16_t gso_size);

/* Tell how to run case @index again and where it differs; returns 1. */
int oracle_report(const Oracle *o, const char *what, unsigned index,
                  int where);

/* The two experiments; 0, 1 if there was a difference, 77 to skip. */
int oracle_segment(Oracle *o, unsigned cases, unsigned first);
int oracle_coalesce(Oracle *o, unsigned trains, unsigned first);

/* Fields that both experiments choose at random. */
void oracle_random_frame(Oracle *o, Frame *f);

/* Print which behaviours were seen among those from @first to @last. */
void oracle_print_behaviours(const Oracle *o, BehaviourId first,
                             BehaviourId last);

#endif /* TESTS_UNIT_GSO_ORACLE_H */
