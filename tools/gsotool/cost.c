/*
 * gsotool cost: what cutting a capture's frames costs
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gsotool.h"

/* Super-frames kept in memory; more would only take longer. */
#define FRAMES_MAX 4096

/* Paired runs; the median of each is printed. */
#define ROUNDS 31

typedef struct Strategy {
    const char *name;
    uint8_t features;
    bool two_pass;
} Strategy;

/* Feature sets of experiment E2, dearest first; [1] is what is compared. */
static const Strategy strategies[] = {
    { "copy_then_sum", 0, true },
    { "copy", GSO_F_CSUM_ANY, false },
    { "copy_and_sum", 0, false },
    { "share_and_sum", GSO_F_SG, false },
    { "share", GSO_F_SG | GSO_F_CSUM_ANY, false },
};

#define STRATEGIES (sizeof(strategies) / sizeof(strategies[0]))
#define COPY 1

typedef struct Cost {
    double ns[ROUNDS];
    GsoWork work;
} Cost;

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof(*v), compare);
    return v[ROUNDS / 2];
}

/* Copies of the frames that can be cut. */
static unsigned load(const Options *o, struct iovec *frames)
{
    Capture *in = capture_open(o->in);
    CaptureFrame frame;
    unsigned n = 0;

    while (n < FRAMES_MAX && capture_next(in, &frame)) {
        struct iovec whole = { (void *)frame.p, frame.len };
        GsoSegParams p = o->seg;
        GsoSegmenter s;

        p.gso_size = o->mss;
        if (gso_seg_init(&s, &whole, 1, &p) > 1) {
            frames[n].iov_len = frame.len;
            frames[n].iov_base = malloc(frame.len);
            if (!frames[n].iov_base) {
                die("no memory");
            }
            memcpy(frames[n++].iov_base, frame.p, frame.len);
        }
    }
    capture_close(in);
    return n;
}

static double run_once(const Options *o, const Strategy *st,
                       const struct iovec *frames, unsigned n, GsoWork *work)
{
    static uint8_t buf[FRAME_MAX];
    GsoSegParams p = o->seg;
    double start = now_ns();

    p.gso_size = o->mss;
    p.features = st->features;
    p.two_pass = st->two_pass;
    memset(work, 0, sizeof(*work));
    for (unsigned i = 0; i < n; i++) {
        struct iovec iov[2];
        GsoSegmenter s;
        GsoSegment seg;

        gso_seg_init(&s, &frames[i], 1, &p);
        while (gso_seg_peek(&s, buf, sizeof(buf), iov, 2, &seg) > 0) {
            gso_seg_advance(&s);
        }
        work->segs += gso_seg_work(&s)->segs;
        work->payload_copied += gso_seg_work(&s)->payload_copied;
        work->hdr_copied += gso_seg_work(&s)->hdr_copied;
        work->summed += gso_seg_work(&s)->summed;
    }
    return now_ns() - start;
}

int command_cost(const Options *o)
{
    static struct iovec frames[FRAMES_MAX];
    static Cost cost[STRATEGIES];
    unsigned n = load(o, frames);
    double copy;

    if (!n) {
        die("%s: no frame has more payload than --mss %u", o->in, o->mss);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < STRATEGIES; i++) {
            cost[i].ns[round] = run_once(o, &strategies[i], frames, n,
                                         &cost[i].work);
        }
    }
    copy = median(cost[COPY].ns);
    report_start(o->json, "cost");
    report_number("super_frames", n);
    report_array("strategies");
    for (unsigned i = 0; i < STRATEGIES; i++) {
        double ns = i == COPY ? copy : median(cost[i].ns);

        report_row();
        report_group(strategies[i].name);
        report_number("segments", cost[i].work.segs);
        report_number("header_bytes_copied", cost[i].work.hdr_copied);
        report_number("payload_bytes_copied", cost[i].work.payload_copied);
        report_number("bytes_summed", cost[i].work.summed);
        report_real("ns_per_segment", ns / (double)cost[i].work.segs);
        report_real("ratio_to_copy", ns / copy);
        report_close();
        report_close();
    }
    report_close();
    report_end();
    for (unsigned i = 0; i < n; i++) {
        free(frames[i].iov_base);
    }
    return EXIT_FINE;
}
