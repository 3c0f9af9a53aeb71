/*
 * Bench of net/gso: what its parts share
 *
 * Every row runs once in each round, so that rows are compared under the
 * same conditions; the median over the rounds is printed.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TOOLS_GSOBENCH_BENCH_H
#define TOOLS_GSOBENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROUNDS_MAX 101

typedef struct Row {
    const char *group;  /* rows of a group are compared */
    const char *name;
    const char *unit;   /* what an operation is: "call", "segment", "frame" */
    double ops;         /* operations in one round */
    double bytes;       /* payload bytes in one round */
    double (*run)(const void *arg); /* one round; returns ns */
    const void *arg;
    double ns[ROUNDS_MAX];
} Row;

/* Add a row; the strings and @arg stay the caller's. */
void bench_add(const Row *row);

/* Median ns per operation of a row; 0 if there is none of that name. */
double bench_result(const char *group, const char *name);

/* CPU time of this thread in ns: other programs only disturb the caches. */
double bench_now(void);

/* ns since bench_now() gave @start, less what reading the clock takes. */
double bench_since(double start);

/* Keep the compiler from dropping a result. */
static inline void bench_use(uint64_t v)
{
    __asm__ volatile("" : : "r"(v) : "memory");
}

/*
 * Packets of TCP over IPv4 with time stamps: @count frames of @payload bytes
 * of each of @flows connections in turn, one behind the other at a distance
 * of @stride bytes.  Checksums are good.  All have the same payload, so
 * that it can be taken from one place to have it hot.
 */
uint8_t *bench_frames(unsigned flows, unsigned count, uint32_t payload,
                      size_t stride);

/* Bytes of header of those frames. */
#define BENCH_HDR 66

#define BENCH_MSS 1448

/* Super-frames: 45 segments of BENCH_MSS. */
#define BENCH_SUPER (45 * BENCH_MSS)

void bench_add_checksum(void);
void bench_add_segment(void);
void bench_add_coalesce(void);

/* DPDK's rte_gso and rte_gro; nothing if it is not there. */
void bench_add_dpdk(void);
bool bench_have_dpdk(void);

/* Flows and packets per flow of the coalescing rows. */
#define BENCH_FLOWS 4
extern const unsigned bench_flows[BENCH_FLOWS];
extern const char *const bench_flow_names[BENCH_FLOWS];
#define BENCH_PER_FLOW 40

/* The frames of bench_flows[i], made once. */
const uint8_t *bench_flow_frames(unsigned i);
#define BENCH_STRIDE 1536

/*
 * Frames that arrive at a time: their headers are written, as by a device
 * that puts them near the processor, then the clock runs.
 */
#define BENCH_BURST 256

/* Times that the frames are gone through in one round. */
unsigned bench_passes(unsigned i);

#endif /* TOOLS_GSOBENCH_BENCH_H */
