/*
 * gsotool segment
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <string.h>

#include "gsotool.h"

typedef struct Tally {
    uint64_t frames_in;
    uint64_t frames_out;
    uint64_t cut;
    uint64_t whole;
    uint64_t refused[16];   /* by error code */
} Tally;

/* Is there more payload than fits one segment? */
static bool wants_cut(const CaptureFrame *frame, uint32_t mss)
{
    GsoLayout l;

    gso_parse_buf(frame->p, frame->len, &l);
    if (l.flags & GSO_LF_LENGTH_0) {
        return l.l4_off && frame->len - l.hdr_len > mss;
    }
    return l.payload_len > mss;
}

static void cut(const Options *o, const CaptureFrame *frame, Output *out,
                Tally *tally)
{
    static uint8_t buf[FRAME_MAX];
    struct iovec whole = { (void *)frame->p, frame->len };
    struct iovec iov[1];
    GsoSegParams p = o->seg;
    GsoSegmenter s;
    GsoSegment seg;
    GsoLayout l;
    int ret;

    gso_parse_buf(frame->p, frame->len, &l);
    p.gso_size = o->mss;
    p.len_from_frame = l.flags & GSO_LF_LENGTH_0;
    ret = gso_seg_init(&s, &whole, 1, &p);
    if (ret < 0) {
        fprintf(stderr, "gsotool: %s: frame %llu not cut: %s\n", o->in,
                (unsigned long long)frame->number, gso_strerror(ret));
        tally->refused[-ret]++;
        tally->frames_out++;
        output_frame(out, &whole, 1, frame->wire_len, frame->time);
        return;
    }
    tally->cut++;
    while (gso_seg_peek(&s, buf, sizeof(buf), iov, 1, &seg) > 0) {
        output_frame(out, iov, 1, seg.len, frame->time);
        tally->frames_out++;
        gso_seg_advance(&s);
    }
}

static void print(const Options *o, const Tally *tally)
{
    report_start(o->json, "segment");
    report_number("frames_in", tally->frames_in);
    report_number("frames_out", tally->frames_out);
    report_number("cut", tally->cut);
    report_number("left_whole", tally->whole);
    report_group("not_cut");
    for (int e = 1; e < 16; e++) {
        if (tally->refused[e]) {
            report_number(gso_strerror(-e), tally->refused[e]);
        }
    }
    report_close();
    report_end();
}

int command_segment(const Options *o)
{
    Capture *in = capture_open(o->in);
    Output *out = output_open(o->out, o->in);
    Tally tally = { 0 };
    CaptureFrame frame;

    while (capture_next(in, &frame)) {
        struct iovec whole = { (void *)frame.p, frame.len };

        tally.frames_in++;
        if (frame.len == frame.wire_len && wants_cut(&frame, o->mss)) {
            cut(o, &frame, out, &tally);
        } else {
            tally.whole++;
            tally.frames_out++;
            output_frame(out, &whole, 1, frame.wire_len, frame.time);
        }
    }
    capture_close(in);
    output_commit(out);
    print(o, &tally);
    return EXIT_FINE;
}
