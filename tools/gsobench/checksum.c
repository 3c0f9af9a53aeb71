/*
 * Bench of net/gso: checksum, copy-and-sum, memcpy
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gso.h"

/* From QEMU's net/checksum.c, if its object is linked. */
uint32_t net_checksum_add_cont(int len, uint8_t *buf, int seq)
    __attribute__((weak));

/* Calls in one round. */
#define HOT_CALLS 4000
#define COLD_CALLS 4000

/* Payload lies behind the headers of its frame, on no round address. */
#define AT BENCH_HDR

/* Cold: each call has its own place, in turn, in much more than the caches. */
#define COLD_PLACES 65536
#define PLACE 2048

typedef uint64_t Op(uint8_t *dst, uint8_t *src, size_t len);

static uint8_t *hot;
static uint8_t *cold;

static uint64_t op_memcpy(uint8_t *dst, uint8_t *src, size_t len)
{
    memcpy(dst, src, len);
    return dst[0];
}

static uint64_t op_sum(uint8_t *dst, uint8_t *src, size_t len)
{
    (void)dst;
    return gso_sum(src, len, 0);
}

static uint64_t op_sum_scalar(uint8_t *dst, uint8_t *src, size_t len)
{
    (void)dst;
    return gso_sum_scalar(src, len, 0);
}

static uint64_t op_qemu(uint8_t *dst, uint8_t *src, size_t len)
{
    (void)dst;
    return net_checksum_add_cont((int)len, src, 0);
}

static uint64_t op_copy_sum(uint8_t *dst, uint8_t *src, size_t len)
{
    return gso_copy_sum(dst, src, len, 0);
}

static uint64_t op_copy_then_sum(uint8_t *dst, uint8_t *src, size_t len)
{
    memcpy(dst, src, len);
    return gso_sum(dst, len, 0);
}

static double run_hot(const void *arg)
{
    Op *const *op = arg;
    double start = bench_now();

    for (int i = 0; i < HOT_CALLS; i++) {
        bench_use((*op)(hot + PLACE + AT, hot + AT, BENCH_MSS));
    }
    return bench_since(start);
}

static double run_cold(const void *arg)
{
    static unsigned next;
    Op *const *op = arg;
    double start = bench_now();

    for (int i = 0; i < COLD_CALLS; i++) {
        uint8_t *p = cold + (size_t)(next++ % COLD_PLACES) * 2 * PLACE;

        bench_use((*op)(p + PLACE + AT, p + AT, BENCH_MSS));
    }
    return bench_since(start);
}

static void add(const char *name, Op *const *op)
{
    Row row = {
        .group = "checksum hot", .name = name, .unit = "call",
        .ops = HOT_CALLS, .bytes = (double)HOT_CALLS * BENCH_MSS,
        .run = run_hot, .arg = op,
    };

    bench_add(&row);
}

static void add_cold(const char *name, Op *const *op)
{
    Row row = {
        .group = "checksum cold", .name = name, .unit = "call",
        .ops = COLD_CALLS, .bytes = (double)COLD_CALLS * BENCH_MSS,
        .run = run_cold, .arg = op,
    };

    bench_add(&row);
}

void bench_add_checksum(void)
{
    static const struct {
        const char *name;
        Op *op;
    } ops[] = {
        { "memcpy", op_memcpy },
        { "gso_sum", op_sum },
        { "gso_sum_scalar", op_sum_scalar },
        { "gso_copy_sum", op_copy_sum },
        { "memcpy, then gso_sum", op_copy_then_sum },
        { "QEMU net_checksum_add", op_qemu },
    };
    const unsigned n = sizeof(ops) / sizeof(ops[0]) -
                       (net_checksum_add_cont == NULL);

    hot = aligned_alloc(64, 2 * PLACE);
    cold = aligned_alloc(4096, (size_t)COLD_PLACES * 2 * PLACE);
    if (!hot || !cold) {
        abort();
    }
    memset(hot, 0x5a, 2 * PLACE);
    memset(cold, 0x5a, (size_t)COLD_PLACES * 2 * PLACE);
    for (unsigned i = 0; i < n; i++) {
        add(ops[i].name, &ops[i].op);
    }
    for (unsigned i = 0; i < n; i++) {
        add_cold(ops[i].name, &ops[i].op);
    }
}
