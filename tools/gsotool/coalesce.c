/*
 * gsotool coalesce
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "gsotool.h"

#define MAX_SEGS 1024

/* A packet that is held, and comes back as a cookie. */
typedef struct Packet {
    uint32_t wire_len;
    uint8_t bytes[];
} Packet;

/* A capture on its way through a coalescer. */
typedef struct Run {
    GsoGro *gro;
    void *mem;
    Output *out;
    uint64_t now;
    uint64_t start;
    uint64_t next_poll;
    uint64_t data_in;        /* packets with TCP or UDP payload */
    uint64_t singles;        /* of them, delivered alone */
} Run;

static void deliver(void *opaque, const GsoFrame *frame)
{
    static uint8_t buf[FRAME_MAX];
    Run *run = opaque;
    struct iovec whole = { buf, frame->len };
    uint32_t off = 0;

    if (frame->len <= sizeof(buf) && frame->ncookies > 1) {
        for (unsigned i = 0; i < frame->iovcnt; i++) {
            memcpy(buf + off, frame->iov[i].iov_base, frame->iov[i].iov_len);
            off += (uint32_t)frame->iov[i].iov_len;
        }
        gso_csum_complete(&whole, 1, off, frame->meta.csum_start,
                          frame->meta.csum_offset,
                          frame->meta.type == GSO_TYPE_UDP_L4);
        output_frame(run->out, &whole, 1, off, run->now);
    } else {
        const Packet *packet = frame->cookies[0];
        GsoLayout l;

        gso_parse(frame->iov, frame->iovcnt, &l);
        run->singles += l.payload_len > 0;
        output_frame(run->out, frame->iov, frame->iovcnt, packet->wire_len,
                     run->now);
    }
    for (unsigned i = 0; i < frame->ncookies; i++) {
        free(frame->cookies[i]);
    }
}

static void start(Run *run, const Options *o, uint64_t timeout)
{
    GsoGroConfig c = {
        .buckets = o->buckets,
        .depth = o->depth,
        .max_segs = MAX_SEGS,
        .max_iov = MAX_SEGS,
        .types = (uint8_t)(1 << GSO_TYPE_TCPV4 | 1 << GSO_TYPE_TCPV6 |
                           o->udp << GSO_TYPE_UDP_L4),
        .flush_timeout = timeout,
        .max_hold = o->max_hold,
        .deliver = deliver,
        .opaque = run,
    };
    size_t size = gso_gro_size(&c);

    run->mem = malloc(size);
    run->gro = run->mem ? gso_gro_init(run->mem, size, &c) : NULL;
    if (!run->gro) {
        die("no memory for %u flows", o->buckets * o->depth);
    }
}

/* Polls and deadlines up to @time. */
static void run_to(Run *run, const Options *o, uint64_t time)
{
    for (;;) {
        uint64_t due = gso_gro_next_deadline(run->gro);
        uint64_t poll = gso_gro_held(run->gro) && o->poll ? run->next_poll
                                                          : GSO_NEVER;

        if (due > time && poll > time) {
            break;
        }
        if (poll <= due) {
            run->now = poll;
            run->next_poll += o->poll;
            gso_gro_poll_end(run->gro, run->now);
        } else {
            run->now = due;
            gso_gro_expire(run->gro, run->now);
        }
    }
    run->now = time;
    if (o->poll && run->next_poll <= time) {
        run->next_poll += ((time - run->next_poll) / o->poll + 1) * o->poll;
    }
}

static void receive(Run *run, const Options *o, const CaptureFrame *frame)
{
    Packet *copy = malloc(sizeof(*copy) + frame->len);
    struct iovec iov = { copy ? copy->bytes : NULL, frame->len };
    GsoPacket packet = { .iov = &iov, .iovcnt = 1, .cookie = copy };
    GsoLayout l;
    /* Captures of several queues may step back a little. */
    uint64_t time = frame->time > run->now ? frame->time : run->now;

    if (!copy) {
        die("no memory");
    }
    copy->wire_len = frame->wire_len;
    memcpy(copy->bytes, frame->p, frame->len);
    gso_parse(&iov, 1, &l);
    run->data_in += l.payload_len > 0;
    run_to(run, o, time);
    gso_gro_receive(run->gro, &packet, time);
    if (!o->poll) {
        gso_gro_poll_end(run->gro, time);
    }
}

/*
 * A TCP receiver acknowledges each super-frame and every second single
 * segment (RFC 5681, section 4.2); an estimate, without delayed-ACK timers.
 */
static double acks(const Run *run, const GsoGroStats *st)
{
    return (double)st->super_frames + (double)run->singles / 2;
}

static void print_row(const Run *run, uint64_t timeout)
{
    const GsoGroStats *st = gso_gro_stats(run->gro);
    double seconds = (double)(run->now - run->start) / 1e9;
    double frames = (double)(st->super_frames + run->singles);

    report_number("gro_flush_timeout_ns", timeout);
    report_number("packets", st->packets);
    report_number("frames", st->frames);
    report_number("super_frames", st->super_frames);
    report_number("longest_hold_ns", st->max_held_ns);
    report_real("segments_per_frame",
                frames > 0 ? (double)run->data_in / frames : 0);
    if (seconds > 0) {
        report_real("rx_packets_per_s", (double)st->packets / seconds);
        report_real("acks_per_s_estimate", acks(run, st) / seconds);
    }
    report_group("verdicts");
    for (int v = 0; v < GSO_V_COUNT; v++) {
        if (st->verdict[v]) {
            report_number(gso_verdict_name((GsoVerdict)v), st->verdict[v]);
        }
    }
    report_close();
    report_group("delivered_because");
    for (int c = 0; c < GSO_CLOSE_COUNT; c++) {
        if (st->close[c]) {
            report_number(gso_close_name((GsoClose)c), st->close[c]);
        }
    }
    report_close();
}

static void run_capture(Run *run, const Options *o, uint64_t timeout,
                        Capture *in)
{
    CaptureFrame frame;

    start(run, o, timeout);
    while (capture_next(in, &frame)) {
        if (frame.number == 1) {
            run->start = run->now = frame.time;
            run->next_poll = frame.time + o->poll;
        }
        receive(run, o, &frame);
    }
    capture_close(in);
    gso_gro_flush(run->gro, run->now);
}

int command_coalesce(const Options *o)
{
    Capture *in;
    Output *out;

    if (o->timeouts > 1 && o->out) {
        die("--flush-timeout with several values writes no file: %s", o->out);
    }
    in = capture_open(o->in);
    if (o->timeouts > 1 && !capture_can_reopen(o->in)) {
        die("%s: cannot be read again for each --flush-timeout", o->in);
    }
    if (o->buckets * o->depth > FLOWS_MAX) {
        die("--buckets %u --depth %u: more than %u flows", o->buckets,
            o->depth, FLOWS_MAX);
    }
    out = output_open(o->out, o->in);
    for (unsigned i = 0; i < o->timeouts; i++) {
        Run run = { .out = out };

        run_capture(&run, o, o->timeout[i], i ? capture_open(o->in) : in);
        if (!i) {
            report_start(o->json, "coalesce");
            report_array("runs");
        }
        report_row();
        print_row(&run, o->timeout[i]);
        report_close();
        free(run.mem);
    }
    report_close();
    report_end();
    output_commit(out);
    return EXIT_FINE;
}
