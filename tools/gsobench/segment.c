/*
 * Bench of net/gso: segmentation of 64 KiB TCP super-frames
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "bench.h"
#include "gso.h"

#define SUPER_STRIDE 69632
#define COLD_SUPERS 512
#define SUPERS_PER_ROUND 40
#define SEGS 45

/*
 * Room for a header, or for a whole segment; no power of two, so that the
 * slots do not all meet in a few sets of the cache.
 */
#define HDR_SLOT 128
#define SLOT 1600

typedef struct Set {
    const char *name;
    uint8_t features;
    bool two_pass;
    bool cold;
} Set;

static const uint8_t *supers;

static const Set sets[] = {
    { "copy, then sum", 0, true, false },
    { "copy and sum", 0, false, false },
    { "copy", GSO_F_CSUM_ANY, false, false },
    { "share and sum", GSO_F_SG, false, false },
    { "share", GSO_F_SG | GSO_F_CSUM_ANY, false, false },
    { "hardware cuts", GSO_F_SG | GSO_F_CSUM_ANY | GSO_F_TSO4, false, false },
    { "copy, then sum", 0, true, true },
    { "copy and sum", 0, false, true },
    { "copy", GSO_F_CSUM_ANY, false, true },
    { "share and sum", GSO_F_SG, false, true },
    { "share", GSO_F_SG | GSO_F_CSUM_ANY, false, true },
    { "hardware cuts", GSO_F_SG | GSO_F_CSUM_ANY | GSO_F_TSO4, false, true },
};

static double run(const void *arg)
{
    static uint8_t slots[SEGS * SLOT];
    static struct iovec iov[SEGS][3];
    static GsoSegment seg[SEGS];
    static unsigned next;
    const Set *set = arg;
    const size_t slot = set->features & GSO_F_SG ? HDR_SLOT : SLOT;
    const GsoSegParams p = {
        .gso_size = BENCH_MSS, .csum = GSO_CSUM_PARTIAL,
        .features = set->features, .two_pass = set->two_pass,
    };
    double start = bench_now();

    for (int i = 0; i < SUPERS_PER_ROUND; i++) {
        size_t at = set->cold ? next++ % COLD_SUPERS : 0;
        struct iovec whole = {
            (void *)(supers + at * SUPER_STRIDE), BENCH_HDR + BENCH_SUPER,
        };
        GsoSegmenter s;
        int n = gso_seg_init(&s, &whole, 1, &p);

        for (int k = 0; k < n; k++) {
            gso_seg_peek(&s, slots + (size_t)k * slot, slot, iov[k], 3,
                         &seg[k]);
            gso_seg_advance(&s);
        }
        bench_use((uint64_t)n);
    }
    return bench_since(start);
}

void bench_add_segment(void)
{
    supers = bench_frames(1, COLD_SUPERS, BENCH_SUPER, SUPER_STRIDE);
    for (unsigned i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        Row row = {
            .group = sets[i].cold ? "segment cold" : "segment hot",
            .name = sets[i].name, .unit = "segment",
            .ops = SUPERS_PER_ROUND * SEGS,
            .bytes = (double)SUPERS_PER_ROUND * BENCH_SUPER,
            .run = run, .arg = &sets[i],
        };

        bench_add(&row);
    }
}
