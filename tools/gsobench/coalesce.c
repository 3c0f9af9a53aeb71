/*
 * Bench of net/gso: coalescing
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gso.h"

/* What a row does with the payload. */
typedef enum Mode {
    HOT,      /* verify checksums; the payload is the same memory for all */
    COLD,     /* verify checksums; each frame in its own place */
    VERIFIED, /* checksums are known to be good */
    MODES,
} Mode;

static const char *const mode_names[MODES] = {
    "hot", "cold", "hot, checksums known good",
};

/* Distance of buffers, about that of DPDK's. */
#define BUFFER 2304

typedef struct Case {
    unsigned which;       /* index in bench_flows */
    Mode mode;
    GsoGro *gro;
} Case;

/* A packet as it is handed in: header and payload in a piece each. */
typedef struct Described {
    GsoPacket packet;
    struct iovec iov[2];
} Described;

/* Receive buffers of bench_flows[i]. */
static uint8_t *buffers[BENCH_FLOWS];

/* What describes a burst of them. */
static Described described[BENCH_BURST];

static Case cases[BENCH_FLOWS][MODES];

static void deliver(void *opaque, const GsoFrame *frame)
{
    uint64_t *frames = opaque;

    ++*frames;
    bench_use(frame->len);
}

static uint64_t delivered;

/*
 * A burst arrives: its headers are written anew and its packets described.
 * The former is needless here, but DPDK's headers must be, because it changes
 * them, and then both find them equally near.
 */
static void arrive(const Case *c, unsigned from, unsigned count)
{
    static const GsoMeta good = {
        .csum = GSO_CSUM_COMPLETE, .verified = true,
    };
    const uint8_t *frames = bench_flow_frames(c->which);

    for (unsigned i = 0; i < count; i++) {
        uint8_t *frame = buffers[c->which] + (size_t)(from + i) * BUFFER;
        uint8_t *payload = c->mode == COLD ? frame : buffers[c->which];
        Described *d = &described[i];

        memcpy(frame, frames + (size_t)(from + i) * BENCH_STRIDE, BENCH_HDR);
        d->iov[0] = (struct iovec) { frame, BENCH_HDR };
        d->iov[1] = (struct iovec) { payload + BENCH_HDR, BENCH_MSS };
        d->packet = (GsoPacket) {
            .iov = d->iov, .iovcnt = 2, .cookie = frame,
            .meta = c->mode == VERIFIED ? &good : NULL,
        };
    }
}

/* Hand in a burst; returns ns. */
static double burst(const Case *c, unsigned from, unsigned count)
{
    double start;

    arrive(c, from, count);
    start = bench_now();
    for (unsigned i = 0; i < count; i++) {
        gso_gro_receive(c->gro, &described[i].packet, from + i);
    }
    return bench_since(start);
}

static double run(const void *arg)
{
    const Case *c = arg;
    unsigned n = bench_flows[c->which] * BENCH_PER_FLOW;
    double ns = 0;

    for (unsigned pass = bench_passes(c->which); pass; pass--) {
        double start;

        for (unsigned i = 0; i < n; i += BENCH_BURST) {
            ns += burst(c, i, n - i < BENCH_BURST ? n - i : BENCH_BURST);
        }
        start = bench_now();
        gso_gro_flush(c->gro, n);
        ns += bench_since(start);
    }
    return ns;
}

static void fill_buffers(unsigned which)
{
    unsigned n = bench_flows[which] * BENCH_PER_FLOW;
    const uint8_t *frames = bench_flow_frames(which);

    buffers[which] = malloc((size_t)n * BUFFER);
    if (!buffers[which]) {
        fprintf(stderr, "gsobench: no memory\n");
        exit(2);
    }
    for (unsigned i = 0; i < n; i++) {
        memcpy(buffers[which] + (size_t)i * BUFFER,
               frames + (size_t)i * BENCH_STRIDE, BENCH_HDR + BENCH_MSS);
    }
}

static void start(Case *c)
{
    const GsoGroConfig cfg = {
        .buckets = 256, .depth = 8, .max_segs = 45, .max_iov = 45,
        .types = 1 << GSO_TYPE_TCPV4, .flush_timeout = 1000000,
        .deliver = deliver, .opaque = &delivered,
    };
    size_t size = gso_gro_size(&cfg);
    void *mem = aligned_alloc(64, (size + 63) & ~(size_t)63);

    c->gro = mem ? gso_gro_init(mem, size, &cfg) : NULL;
    if (!c->gro) {
        fprintf(stderr, "gsobench: no memory\n");
        exit(2);
    }
}

void bench_add_coalesce(void)
{
    static char groups[BENCH_FLOWS][32];

    for (unsigned i = 0; i < BENCH_FLOWS; i++) {
        snprintf(groups[i], sizeof(groups[i]), "coalesce %s",
                 bench_flow_names[i]);
        fill_buffers(i);
        for (unsigned mode = 0; mode < MODES; mode++) {
            Case *c = &cases[i][mode];
            double frames = (double)bench_flows[i] * BENCH_PER_FLOW *
                            bench_passes(i);
            Row row = {
                .group = groups[i], .name = mode_names[mode],
                .unit = "frame", .ops = frames, .bytes = frames * BENCH_MSS,
                .run = run, .arg = c,
            };

            *c = (Case) { .which = i, .mode = (Mode)mode };
            start(c);
            bench_add(&row);
        }
    }
}
