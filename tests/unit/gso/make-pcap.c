/*
 * Write captures for tests: what the segmenter makes, or what to feed a tool
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "gso.h"

static FILE *out;
static unsigned written;

static void put32(uint32_t v)
{
    fwrite(&v, sizeof(v), 1, out);
}

static void put_frame(const void *p, uint32_t len, uint64_t ns)
{
    put32((uint32_t)(ns / 1000000000));
    put32((uint32_t)(ns % 1000000000));
    put32(len);
    put32(len);
    fwrite(p, len, 1, out);
    written++;
}

/* Header of a pcap file with nanoseconds, Ethernet. */
static void put_header(void)
{
    put32(0xa1b23c4d);
    put32(4 << 16 | 2);
    put32(0);
    put32(0);
    put32(262144);
    put32(1);
}

static void random_super(FrameRandom *r, Frame *f)
{
    *f = (Frame) {
        .v6 = frame_below(r, 2), .udp = frame_below(r, 2),
        .tags = (uint8_t)frame_below(r, 3), .src = (uint8_t)frame_random(r),
        .sport = 40000, .dport = 40001, .seq = frame_random(r),
        .id = (uint16_t)frame_random(r), .tos = (uint8_t)frame_random(r),
        .payload = 1 + frame_below(r, 20000), .fill = frame_random(r),
        .csum = FRAME_CSUM_PARTIAL, .window = 1000,
        .flags = (uint8_t)(0x10 | (frame_random(r) & 0xc9)),
    };
    f->ip_opts = (uint8_t)(f->v6 ? 0 : 4 * frame_below(r, 11));
    f->ext_hdrs = (uint8_t)(f->v6 ? frame_below(r, 3) : 0);
    f->tcp_opts = (uint8_t)(f->udp ? 0 : 4 * frame_below(r, 11));
}

/* @n frames that the segmenter made, with and without sharing. */
static void segments(unsigned n, uint64_t seed)
{
    FrameRandom r = { seed };

    while (written < n) {
        static uint8_t whole[FRAME_MAX], buf[FRAME_MAX], flat[FRAME_MAX];
        struct iovec super = { whole, 0 }, iov[2];
        GsoSegParams p = {
            .gso_size = 1 + frame_below(&r, 1460),
            .features = (uint8_t)(frame_below(&r, 2) ? GSO_F_SG : 0),
        };
        GsoSegmenter s;
        GsoSegment seg;
        Frame f;

        random_super(&r, &f);
        super.iov_len = frame_build(&f, whole);
        gso_seg_init(&s, &super, 1, &p);
        while (written < n &&
               gso_seg_peek(&s, buf, sizeof(buf), iov, 2, &seg) > 0) {
            uint32_t len = 0;

            for (unsigned i = 0; i < seg.iovcnt; i++) {
                memcpy(flat + len, iov[i].iov_base, iov[i].iov_len);
                len += (uint32_t)iov[i].iov_len;
            }
            put_frame(flat, len, written * 1000ull);
            gso_seg_advance(&s);
        }
    }
}

/* @n super-frames of 64 KiB of one TCP connection. */
static void supers(unsigned n)
{
    static uint8_t buf[FRAME_MAX];
    Frame f = { .payload = 65160, .tcp_opts = 12, .df = true };

    while (written < n) {
        put_frame(buf, (uint32_t)frame_build(&f, buf), written * 524288ull);
        f.seq += f.payload;
        f.id = (uint16_t)(f.id + 45);
        f.fill++;
    }
}

/*
 * @n packets of a wire: @flows connections in turn, @gap ns apart; every
 * 40th of a connection has PSH.
 */
static void wire(unsigned n, unsigned flows, uint64_t gap)
{
    static uint8_t buf[FRAME_MAX];

    while (written < n) {
        unsigned k = written / flows;
        Frame f = {
            .sport = (uint16_t)(1000 + written % flows), .payload = 1448,
            .tcp_opts = 12, .seq = 1448 * k, .id = (uint16_t)k, .fill = k,
            .flags = k % 40 == 39 ? 0x18 : 0x10,
        };

        put_frame(buf, (uint32_t)frame_build(&f, buf), written * gap);
    }
}

/* One frame of each fault that gsotool's check knows, and a good one. */
static void faults(void)
{
    static const Frame f[] = {
        { .payload = 9 },
        { .payload = 9, .csum = FRAME_CSUM_BAD },
        { .payload = 9, .bad_ip_csum = true },
        { .payload = 9, .udp = true },
        { .payload = 9 },
    };
    static uint8_t buf[FRAME_MAX];

    for (unsigned i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
        uint32_t len = (uint32_t)frame_build(&f[i], buf);

        if (f[i].udp) {
            buf[39]--; /* the UDP length */
        }
        put_frame(buf, i == 4 ? len - 3 : len, i);
    }
}

int main(int argc, char **argv)
{
    unsigned n = argc > 3 ? (unsigned)atoi(argv[3]) : 0;

    out = argc > 2 ? fopen(argv[2], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "usage: make-pcap segments|supers|wire|faults FILE "
                        "[N [FLOWS [GAP-NS]]]\n");
        return 2;
    }
    put_header();
    if (!strcmp(argv[1], "segments")) {
        segments(n, argc > 4 ? (uint64_t)atoi(argv[4]) : 1);
    } else if (!strcmp(argv[1], "supers")) {
        supers(n);
    } else if (!strcmp(argv[1], "wire")) {
        wire(n, argc > 4 ? (unsigned)atoi(argv[4]) : 1,
             argc > 5 ? (uint64_t)atoi(argv[5]) : 12304);
    } else {
        faults();
    }
    return fclose(out) ? 2 : 0;
}
