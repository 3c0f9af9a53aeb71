/*
 * Trains of packets through the coalescer, for its tests
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_UNIT_GSO_TRAIN_H
#define TESTS_UNIT_GSO_TRAIN_H

#include <glib.h>

#include "frame.h"
#include "gso.h"

/* All types of super-frame. */
#define TRAIN_ALL_TYPES \
    (1 << GSO_TYPE_TCPV4 | 1 << GSO_TYPE_TCPV6 | 1 << GSO_TYPE_UDP_L4)

/* A frame that came out, in one piece. */
typedef struct TrainOut {
    uint8_t *bytes;
    size_t len;
    GsoMeta meta;
    unsigned npackets;
    guint64 at;          /* time of the call that delivered it */
} TrainOut;

/* A coalescer with its memory, and everything that came out of it. */
typedef struct Train {
    GsoGro *gro;
    uint8_t *mem;        /* as badly aligned as malloc() may align it */
    size_t size;
    GPtrArray *out;      /* of TrainOut */
    GPtrArray *held;     /* packets' bytes that the coalescer still has */
    guint64 now;
    /* Called for each frame before it is recorded. */
    void (*on_deliver)(struct Train *t, const GsoFrame *frame);
    void *opaque;
} Train;

/* 64 buckets of 8, 64 packets a frame, all types, timeout 0. */
GsoGroConfig train_config(void);

/* NULL: train_config(). */
Train *train_new(const GsoGroConfig *config);

/* Flush, check that every packet came back once, and free. */
void train_free(Train *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Train, train_free)

/* Hand in a frame in one piece at t->now. */
GsoVerdict train_send(Train *t, const Frame *f);

/* Hand in bytes, cut where @cuts says (ascending, ends with 0). */
GsoVerdict train_send_bytes(Train *t, const uint8_t *bytes, size_t len,
                            const unsigned *cuts, const GsoMeta *meta);

/* A place that ends @len bytes later, where reading on is a fault. */
uint8_t *train_end_of_memory(size_t len);
void train_free_end_of_memory(uint8_t *p, size_t len);

/* The n-th frame that came out. */
const TrainOut *train_out(const Train *t, unsigned n);

/* Payload lengths of what came out, as "200 100"; free with g_free(). */
char *train_lengths(const Train *t);

#endif /* TESTS_UNIT_GSO_TRAIN_H */
