/*
 * Bench of net/gso: rounds, medians, table and JSON
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "frame.h"
#include "gso.h"

#define ROWS_MAX 96

static Row rows[ROWS_MAX];
static unsigned nrows;

/* ns that reading the clock adds to an interval. */
static double clock_cost;

const unsigned bench_flows[BENCH_FLOWS] = { 1, 8, 64, 1000 };
const char *const bench_flow_names[BENCH_FLOWS] = {
    "1 flow", "8 flows", "64 flows", "1000 flows",
};

void bench_add(const Row *row)
{
    if (nrows < ROWS_MAX) {
        rows[nrows++] = *row;
    }
}

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double bench_since(double start)
{
    return bench_now() - start - clock_cost;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of intervals in which nothing is done. */
static void measure_clock(void)
{
    double ns[1001];
    const size_t n = sizeof(ns) / sizeof(ns[0]);

    for (size_t i = 0; i < n; i++) {
        double start = bench_now();

        ns[i] = bench_now() - start;
    }
    qsort(ns, n, sizeof(ns[0]), compare);
    clock_cost = ns[n / 2];
}

uint8_t *bench_frames(unsigned flows, unsigned count, uint32_t payload,
                      size_t stride)
{
    size_t size = (size_t)flows * count * stride;
    uint8_t *mem = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
    uint8_t *one = malloc(FRAME_MAX);

    if (!mem || !one) {
        fprintf(stderr, "gsobench: no memory\n");
        exit(2);
    }
    for (unsigned i = 0; i < flows * count; i++) {
        const Frame f = {
            .tcp_opts = 12, .df = true, .payload = payload,
            .src = (uint8_t)(i % flows), .dst = (uint8_t)(i % flows >> 8),
            .sport = (uint16_t)(1000 + i % flows),
            .seq = payload * (i / flows), .id = (uint16_t)(i / flows),
            .fill = 1, .window = 500,
        };
        size_t len = frame_build(&f, one);

        memcpy(mem + i * stride, one, len);
    }
    free(one);
    return mem;
}

const uint8_t *bench_flow_frames(unsigned i)
{
    static uint8_t *frames[BENCH_FLOWS];

    if (!frames[i]) {
        frames[i] = bench_frames(bench_flows[i], BENCH_PER_FLOW, BENCH_MSS,
                                 BENCH_STRIDE);
    }
    return frames[i];
}

unsigned bench_passes(unsigned i)
{
    unsigned n = bench_flows[i] * BENCH_PER_FLOW;

    return n < 4000 ? 4000 / n : 1;
}

static void run(unsigned rounds)
{
    for (unsigned r = 0; r <= rounds; r++) {
        for (unsigned i = 0; i < nrows; i++) {
            double ns = rows[i].run(rows[i].arg);

            if (r) { /* the first round warms up */
                rows[i].ns[r - 1] = ns;
            }
        }
    }
    for (unsigned i = 0; i < nrows; i++) {
        qsort(rows[i].ns, rounds, sizeof(double), compare);
        rows[i].ns[0] = rows[i].ns[rounds / 2] / rows[i].ops;
    }
}

double bench_result(const char *group, const char *name)
{
    for (unsigned i = 0; i < nrows; i++) {
        if (!strcmp(rows[i].group, group) && !strcmp(rows[i].name, name)) {
            return rows[i].ns[0];
        }
    }
    return 0;
}

/* A comparison that is to hold: how many times as fast @fast is as @slow. */
typedef struct Goal {
    const char *text;
    const char *group, *fast;
    const char *other_group, *slow;
    double least;
} Goal;

static const Goal goals[] = {
    { "segmentation, shared and partial, against rte_gso",
      "segment hot", "share", "segment hot", "rte_gso less allocation", 1.5 },
    { "coalescing 8 flows with checksums, against rte_gro without",
      "coalesce 8 flows", "hot", "coalesce 8 flows", "rte_gro", 1 },
    { "coalescing 64 flows with checksums, against rte_gro without",
      "coalesce 64 flows", "hot", "coalesce 64 flows", "rte_gro", 1 },
    { "checksum of 1448 hot bytes, against net_checksum_add",
      "checksum hot", "gso_sum", "checksum hot", "QEMU net_checksum_add",
      10 },
    { "checksum of 1448 hot bytes, against memcpy",
      "checksum hot", "gso_sum", "checksum hot", "memcpy", 0.5 },
    { "coalescing 1000 flows, per frame, against 8 flows",
      "coalesce 1000 flows", "hot", "coalesce 8 flows", "hot", 0.5 },
};

#define GOALS (sizeof(goals) / sizeof(goals[0]))

static double ratio(const Goal *g)
{
    double fast = bench_result(g->group, g->fast);
    double slow = bench_result(g->other_group, g->slow);

    return fast > 0 ? slow / fast : 0;
}

static void print_table(unsigned rounds)
{
    const char *group = "";

    printf("net/gso bench: medians of %u paired rounds, sums by %s\n",
           rounds, gso_sum_impl());
    for (unsigned i = 0; i < nrows; i++) {
        const Row *r = &rows[i];
        double ns = r->ns[0];

        if (strcmp(group, r->group)) {
            group = r->group;
            printf("\n%-44s %12s %8s\n", group, "ns", "GB/s");
        }
        printf("  %-34s %7s %12.1f %8.2f\n", r->name, r->unit, ns,
               r->bytes / r->ops / ns);
    }
    printf("\n%-60s %7s %6s\n", "times as fast", "is", "wanted");
    for (unsigned i = 0; i < GOALS; i++) {
        double is = ratio(&goals[i]);

        if (is > 0) {
            printf("%-60s %7.2f %6.2f%s\n", goals[i].text, is,
                   goals[i].least, is < goals[i].least ? "  MISSED" : "");
        } else {
            printf("%-60s %7s %6.2f\n", goals[i].text, "absent",
                   goals[i].least);
        }
    }
}

static void print_json(FILE *f, unsigned rounds)
{
    fprintf(f, "{\n  \"rounds\": %u,\n  \"sums_by\": \"%s\",\n  \"rows\": [",
            rounds, gso_sum_impl());
    for (unsigned i = 0; i < nrows; i++) {
        const Row *r = &rows[i];

        fprintf(f, "%s\n    {\"group\": \"%s\", \"name\": \"%s\", "
                "\"per\": \"%s\", \"ns\": %.3f, \"gb_per_s\": %.4f}",
                i ? "," : "", r->group, r->name, r->unit, r->ns[0],
                r->bytes / r->ops / r->ns[0]);
    }
    fprintf(f, "\n  ],\n  \"goals\": [");
    for (unsigned i = 0; i < GOALS; i++) {
        fprintf(f, "%s\n    {\"text\": \"%s\", \"is\": %.4f, "
                "\"wanted\": %.2f}", i ? "," : "", goals[i].text,
                ratio(&goals[i]), goals[i].least);
    }
    fprintf(f, "\n  ]\n}\n");
}

static unsigned rounds_of(const char *text)
{
    unsigned n;
    int end = 0;

    if (sscanf(text, "%3u%n", &n, &end) != 1 || text[end] || !n ||
        n > ROUNDS_MAX) {
        fprintf(stderr, "gsobench: --rounds %s: not 1 to %d\n", text,
                ROUNDS_MAX);
        exit(2);
    }
    return n;
}

/* Whether a file was lost on the way; says so. */
static bool close_file(FILE *f, const char *name)
{
    bool lost = ferror(f);

    if (fclose(f) || lost) {
        fprintf(stderr, "gsobench: %s: cannot be written\n", name);
        return true;
    }
    return false;
}

static int usage(void)
{
    fprintf(stderr, "usage: gsobench [--rounds N] [--json FILE]\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option table[] = {
        { "json", required_argument, NULL, 'j' },
        { "rounds", required_argument, NULL, 'r' },
        { 0 },
    };
    const char *json = NULL;
    unsigned rounds = 31;
    FILE *f = NULL;
    bool lost;
    int c;

    while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (c == 'j') {
            json = optarg;
        } else if (c == 'r') {
            rounds = rounds_of(optarg);
        } else {
            return usage();
        }
    }
    if (optind != argc) {
        return usage();
    }
    if (json) {
        f = fopen(json, "w");
        if (!f) {
            perror(json);
            return 2;
        }
    }
    bench_add_checksum();
    bench_add_segment();
    bench_add_coalesce();
    bench_add_dpdk();
    measure_clock();
    run(rounds);
    print_table(rounds);
    if (f) {
        print_json(f, rounds);
    }
    lost = f && close_file(f, json);
    return close_file(stdout, "standard output") || lost ? 2 : 0;
}
