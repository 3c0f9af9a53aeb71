/*
 * Bench of net/gso: DPDK's rte_gso and rte_gro beside it
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_gro.h>
#include <rte_gso.h>
#include <rte_mbuf.h>

#include "bench.h"

#define SEGS 45
#define SUPERS_PER_ROUND 40
#define POOL_SIZE 65535
#define CACHE 256

static struct rte_mempool *direct;
static struct rte_mempool *indirect;
static struct rte_mbuf *super;
static struct rte_gso_ctx gso_ctx;

static void fail(const char *what)
{
    fprintf(stderr, "gsobench: DPDK: %s\n", what);
    exit(2);
}

static double run_gso(const void *arg)
{
    struct rte_mbuf *out[SEGS + 1];
    double start = bench_now();

    (void)arg;
    for (int i = 0; i < SUPERS_PER_ROUND; i++) {
        int n;

        super->ol_flags = RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IPV4;
        n = rte_gso_segment(super, &gso_ctx, out, SEGS + 1);
        if (n != SEGS) {
            fail("rte_gso_segment() did not make 45 segments");
        }
        rte_pktmbuf_free_bulk(out, (unsigned)n);
    }
    return bench_since(start);
}

/* The buffers that rte_gso_segment() takes, without what it does to them. */
static double run_allocation(const void *arg)
{
    struct rte_mbuf *m[2 * SEGS];
    double start = bench_now();

    (void)arg;
    for (int i = 0; i < SUPERS_PER_ROUND; i++) {
        for (int k = 0; k < SEGS; k++) {
            m[2 * k] = rte_pktmbuf_alloc(direct);
            m[2 * k + 1] = rte_pktmbuf_alloc(indirect);
        }
        rte_pktmbuf_free_bulk(m, 2 * SEGS);
    }
    return bench_since(start);
}

/* Both in the same round, so that the difference is of one moment. */
static double run_gso_less_allocation(const void *arg)
{
    return run_gso(arg) - run_allocation(arg);
}

static struct rte_mbuf *load(struct rte_mempool *pool, const uint8_t *p,
                             size_t len)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

    if (!m) {
        fail("out of buffers");
    }
    memcpy(rte_pktmbuf_mtod(m, uint8_t *), p, len);
    m->data_len = (uint16_t)len;
    m->pkt_len = (uint32_t)len;
    m->l2_len = 14;
    m->l3_len = 20;
    m->l4_len = 32;
    m->packet_type = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 |
                     RTE_PTYPE_L4_TCP;
    return m;
}

static void add_gso(void)
{
    static const struct {
        const char *name;
        double (*run)(const void *arg);
    } parts[] = {
        { "rte_gso", run_gso },
        { "rte_gso's buffers", run_allocation },
        { "rte_gso less allocation", run_gso_less_allocation },
    };
    struct rte_mempool *big = rte_pktmbuf_pool_create(
        "big", 4, 0, 0, 65535, SOCKET_ID_ANY);
    uint8_t *frame = bench_frames(1, 1, BENCH_SUPER, 69632);

    if (!big) {
        fail("no memory for a super-frame");
    }
    super = load(big, frame, BENCH_HDR + BENCH_SUPER);
    free(frame);
    gso_ctx = (struct rte_gso_ctx) {
        .direct_pool = direct,
        .indirect_pool = indirect,
        .gso_types = RTE_ETH_TX_OFFLOAD_TCP_TSO,
        .gso_size = BENCH_HDR + BENCH_MSS,
    };
    for (unsigned i = 0; i < 3; i++) {
        Row row = {
            .group = "segment hot", .name = parts[i].name,
            .unit = "segment", .ops = SUPERS_PER_ROUND * SEGS,
            .bytes = (double)SUPERS_PER_ROUND * BENCH_SUPER,
            .run = parts[i].run,
        };

        bench_add(&row);
    }
}

/* Buffers of one row; the table keeps them linked, so each round resets. */
typedef struct Case {
    unsigned which;
    void *ctx;
    struct rte_mbuf **mbuf;
    struct rte_mbuf **work;
} Case;

static Case cases[BENCH_FLOWS];

static void arrive(const Case *c, unsigned from, unsigned count)
{
    const uint8_t *frames = bench_flow_frames(c->which);

    for (unsigned i = from; i < from + count; i++) {
        struct rte_mbuf *m = c->mbuf[i];

        m->next = NULL;
        m->nb_segs = 1;
        m->data_off = RTE_PKTMBUF_HEADROOM;
        m->data_len = BENCH_HDR + BENCH_MSS;
        m->pkt_len = BENCH_HDR + BENCH_MSS;
        /* Merging wrote to the headers. */
        memcpy(rte_pktmbuf_mtod(m, uint8_t *),
               frames + (size_t)i * BENCH_STRIDE, BENCH_HDR);
    }
}

/* Hand in a burst, 32 packets a call; returns ns. */
static double burst(const Case *c, unsigned from, unsigned count)
{
    unsigned left = 0;
    double start;

    arrive(c, from, count);
    start = bench_now();
    for (unsigned i = from; i < from + count; i += 32) {
        unsigned n = from + count - i < 32 ? from + count - i : 32;

        memcpy(c->work, c->mbuf + i, n * sizeof(*c->work));
        left += rte_gro_reassemble(c->work, (uint16_t)n, c->ctx);
    }
    if (left) {
        fail("rte_gro did not take all packets");
    }
    return bench_since(start);
}

/* One pass over all frames; returns ns. */
static double pass_gro(const Case *c, unsigned n)
{
    double start, ns = 0;

    for (unsigned i = 0; i < n; i += BENCH_BURST) {
        ns += burst(c, i, n - i < BENCH_BURST ? n - i : BENCH_BURST);
    }
    start = bench_now();
    while (rte_gro_get_pkt_count(c->ctx)) {
        bench_use(rte_gro_timeout_flush(c->ctx, 0, RTE_GRO_TCP_IPV4, c->work,
                                        64));
    }
    return ns + bench_since(start);
}

static double run_gro(const void *arg)
{
    const Case *c = arg;
    double ns = 0;

    for (unsigned pass = bench_passes(c->which); pass; pass--) {
        ns += pass_gro(c, bench_flows[c->which] * BENCH_PER_FLOW);
    }
    return ns;
}

static void add_gro(unsigned i)
{
    static char groups[BENCH_FLOWS][32], pools[BENCH_FLOWS][16];
    unsigned n = bench_flows[i] * BENCH_PER_FLOW;
    const struct rte_gro_param param = {
        .gro_types = RTE_GRO_TCP_IPV4,
        .max_flow_num = (uint16_t)bench_flows[i],
        .max_item_per_flow = BENCH_PER_FLOW,
        .socket_id = 0,
    };
    Case *c = &cases[i];
    struct rte_mempool *pool;
    Row row = {
        .group = groups[i], .name = "rte_gro", .unit = "frame",
        .ops = (double)n * bench_passes(i),
        .bytes = (double)n * bench_passes(i) * BENCH_MSS,
        .run = run_gro, .arg = c,
    };

    snprintf(groups[i], sizeof(groups[i]), "coalesce %s",
             bench_flow_names[i]);
    snprintf(pools[i], sizeof(pools[i]), "gro%u", i);
    pool = rte_pktmbuf_pool_create(pools[i], n + 64, 0, 0, 2048,
                                   SOCKET_ID_ANY);
    c->which = i;
    c->mbuf = calloc(n, sizeof(*c->mbuf));
    c->work = calloc(n + 64, sizeof(*c->work));
    c->ctx = rte_gro_ctx_create(&param);
    if (!pool || !c->mbuf || !c->work || !c->ctx) {
        fail("no memory for rte_gro");
    }
    for (unsigned k = 0; k < n; k++) {
        c->mbuf[k] = load(pool,
                          bench_flow_frames(i) + (size_t)k * BENCH_STRIDE,
                          BENCH_HDR + BENCH_MSS);
    }
    bench_add(&row);
}

bool bench_have_dpdk(void)
{
    return true;
}

void bench_add_dpdk(void)
{
    char *argv[] = {
        "gsobench", "--no-huge", "-m", "1024", "--no-pci", "--no-shconf",
        "--no-telemetry", "--log-level=3", "-l", "0", NULL,
    };

    if (rte_eal_init(sizeof(argv) / sizeof(argv[0]) - 1, argv) < 0) {
        fail("rte_eal_init() failed");
    }
    direct = rte_pktmbuf_pool_create("direct", POOL_SIZE / 32, CACHE, 0, 256,
                                     SOCKET_ID_ANY);
    indirect = rte_pktmbuf_pool_create("indirect", POOL_SIZE / 32, CACHE, 0,
                                       0, SOCKET_ID_ANY);
    if (!direct || !indirect) {
        fail("no memory for buffers");
    }
    add_gso();
    for (unsigned i = 0; i < BENCH_FLOWS; i++) {
        add_gro(i);
    }
}
