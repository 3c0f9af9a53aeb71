/*
 * Bench of net/gso: coalescing
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "gso.h"

typedef struct Case {
    unsigned which;       /* index in bench_flows */
    bool verified;        /* checksums are known to be good */
    GsoGro *gro;
} Case;

static Case cases[BENCH_FLOWS][2];

static void deliver(void *opaque, const GsoFrame *frame)
{
    uint64_t *frames = opaque;

    ++*frames;
    bench_use(frame->len);
}

static uint64_t delivered;

static double run(const void *arg)
{
    const Case *c = arg;
    const GsoMeta good = { .csum = GSO_CSUM_COMPLETE, .verified = true };
    const uint8_t *frames = bench_flow_frames(c->which);
    unsigned n = bench_flows[c->which] * BENCH_PER_FLOW;
    double start = bench_now();

    for (unsigned i = 0; i < n; i++) {
        struct iovec iov = {
            (void *)(frames + (size_t)i * BENCH_STRIDE),
            BENCH_HDR + BENCH_MSS,
        };
        GsoPacket packet = {
            .iov = &iov, .iovcnt = 1, .cookie = iov.iov_base,
            .meta = c->verified ? &good : NULL,
        };

        gso_gro_receive(c->gro, &packet, i);
    }
    gso_gro_flush(c->gro, n);
    return bench_now() - start;
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
        for (unsigned v = 0; v < 2; v++) {
            Case *c = &cases[i][v];
            Row row = {
                .group = groups[i],
                .name = v ? "net/gso, checksums known good" : "net/gso",
                .unit = "frame",
                .ops = bench_flows[i] * BENCH_PER_FLOW,
                .bytes = (double)bench_flows[i] * BENCH_PER_FLOW * BENCH_MSS,
                .run = run, .arg = c,
            };

            *c = (Case) { .which = i, .verified = v };
            start(c);
            bench_add(&row);
        }
    }
}
