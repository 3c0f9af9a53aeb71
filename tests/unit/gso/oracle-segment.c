/*
 * Kernel oracle: segmentation
 *
 * A super-frame written to a tap with a virtio-net header is bridged to a
 * tap without one, so the kernel must cut it (net/core/dev.c,
 * validate_xmit_skb).
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/if_tun.h>

#include "oracle.h"
#include "oracle-net.h"

/* Largest payload that keeps the IP packet below 64 KiB with all headers. */
#define MAX_PAYLOAD 65200

static uint8_t frame[FRAME_MAX];

static void send_one(Oracle *o, const Frame *f, const GsoMeta *meta)
{
    size_t len = frame_build(f, frame);

    list_clear(&o->kernel);
    oracle_write(o, frame, len, meta);
    oracle_finish(o);
}

static bool probe_uso(Oracle *o)
{
    Frame f = { .udp = true, .payload = 200, .csum = FRAME_CSUM_PARTIAL };
    GsoMeta m = oracle_meta(&f, 100);

    send_one(o, &f, &m);
    return o->kernel.n == 2;
}

static bool probe_min_gso_size(Oracle *o)
{
    Frame f = { .payload = 16, .csum = FRAME_CSUM_PARTIAL };
    GsoMeta m = oracle_meta(&f, 4);

    send_one(o, &f, &m);
    return o->kernel.n == 2;
}

static bool probe_tail(Oracle *o)
{
    Frame f = { .payload = 95, .tcp_opts = 12, .csum = FRAME_CSUM_PARTIAL };
    GsoMeta m = oracle_meta(&f, 100);

    send_one(o, &f, &m);
    return o->kernel.n == 0;
}

/* Payload of 100 bytes, with Ethernet and IP headers 134, for 120. */
static bool probe_tail_all(Oracle *o)
{
    Frame f = { .payload = 100 };
    GsoMeta m = oracle_meta(&f, 120);

    send_one(o, &f, &m);
    return o->kernel.n == 0;
}

static bool probe_ecn(Oracle *o)
{
    Frame f = { .payload = 200, .flags = 0x90, .csum = FRAME_CSUM_PARTIAL };
    GsoMeta m = oracle_meta(&f, 100);

    m.ecn = true;
    send_one(o, &f, &m);
    return o->kernel.n == 2 &&
           (o->kernel.entry[1].p[frame_l4(&f) + 13] & 0x80);
}

static int set_up(Oracle *o)
{
    o->in = net_tap("gsoa", IFF_VNET_HDR);
    o->out = net_tap("gsob", 0);
    o->out_vnet = false;
    if (o->in < 0 || o->out < 0 || net_up("gsoa") || net_up("gsob") ||
        net_bridge("gsobr", "gsoa", "gsob")) {
        return -1;
    }
    o->seen[B_USO_WRITE] = probe_uso(o);
    o->seen[B_MIN_GSO_SIZE] = probe_min_gso_size(o);
    o->seen[B_TAIL_DROPPED] = probe_tail(o);
    o->seen[B_TAIL_ALL] = probe_tail_all(o);
    o->seen[B_ECN_IS_ACCECN] = probe_ecn(o);
    return 0;
}

static uint32_t random_size(Oracle *o)
{
    static const uint16_t usual[] = { 1448, 1460, 1440, 1428, 536, 1220 };
    FrameRandom *r = &o->random;

    switch (frame_below(r, 4)) {
    case 0:
        return 1 + frame_below(r, 64);
    case 1:
        return 1 + frame_below(r, 9000);
    default:
        return usual[frame_below(r, 6)];
    }
}

static void random_case(Oracle *o, Frame *f, GsoMeta *m)
{
    FrameRandom *r = &o->random;
    uint32_t size = random_size(o);
    uint32_t most;

    oracle_random_frame(o, f);
    f->udp = o->seen[B_USO_WRITE] && !frame_below(r, 3);
    if (!frame_below(r, 3)) {
        f->ip_opts = (uint8_t)(f->v6 ? 0 : 4 * frame_below(r, 11));
        f->ext_hdrs = (uint8_t)(f->v6 ? frame_below(r, 4) : 0);
    }
    f->tcp_opts = f->udp ? 0 : f->tcp_opts;
    f->flags = (uint8_t)(frame_random(r) | 1);
    f->reserved = (uint8_t)frame_below(r, 16);
    f->urgent = (uint16_t)frame_random(r);
    f->csum = f->udp || frame_below(r, 4) ? FRAME_CSUM_PARTIAL
                                          : FRAME_CSUM_GOOD;
    most = size * (f->udp ? 64 : 1000);
    f->payload = frame_below(r, most < MAX_PAYLOAD ? most : MAX_PAYLOAD);
    if (!frame_below(r, 8)) {
        /* Around exact multiples. */
        f->payload = size * (1 + frame_below(r, 5)) + frame_below(r, 3) - 1;
    }
    /* What is not cut must fit the bridge's MTU. */
    f->payload = f->payload <= size && f->payload > 1200 ? 1200 : f->payload;
    *m = oracle_meta(f, (uint16_t)size);
    m->ecn = !f->udp && (f->flags & 0x80) && frame_below(r, 2);
}

/*
 * Header bytes that Linux takes for payload when it decides whether a frame
 * from a tap is to be cut (virtio_net_hdr_to_skb()): TCP options; without
 * NEEDS_CSUM all but the fixed parts of the IP and TCP headers, or all but
 * 20 bytes.
 */
static uint32_t miscounted(const Oracle *o, const Frame *f)
{
    if (f->udp) {
        return 0;
    }
    if (f->csum == FRAME_CSUM_PARTIAL) {
        return f->tcp_opts;
    }
    if (o->seen[B_TAIL_ALL]) {
        return frame_hdr(f) - 20;
    }
    return frame_hdr(f) - (f->v6 ? 60 : 40);
}

/* The same through the library. */
static void cut(Oracle *o, const Frame *f, const GsoMeta *m)
{
    static uint8_t buf[FRAME_MAX];
    const GsoMeta complete = { .csum = GSO_CSUM_COMPLETE, .segs = 1 };
    struct iovec whole = { frame, frame_hdr(f) + f->payload };
    struct iovec iov[2];
    GsoSegParams p = {
        .gso_size = m->gso_size,
        .csum = m->csum,
        .features = frame_below(&o->random, 2) ? GSO_F_SG : 0,
        .repeat_flags = GSO_TCP_SYN | GSO_TCP_RST | GSO_TCP_URG,
        .accecn = m->ecn && o->seen[B_ECN_IS_ACCECN],
    };
    GsoSegmenter s;
    GsoSegment seg;
    int n;

    if (!f->udp && p.gso_size < 8 && o->seen[B_MIN_GSO_SIZE]) {
        p.gso_size = 8;
    }
    list_clear(&o->mine);
    if (o->seen[B_TAIL_DROPPED] && f->payload <= p.gso_size &&
        f->payload + miscounted(o, f) > p.gso_size) {
        return;
    }
    n = gso_seg_init(&s, &whole, 1, &p);
    if (n < 0) {
        fprintf(stderr, "gso-oracle: not cut: %s\n", gso_strerror(n));
        exit(1);
    }
    while (gso_seg_peek(&s, buf, sizeof(buf), iov, 2, &seg) > 0) {
        list_add(&o->mine, seg.iov, seg.iovcnt, &complete);
        gso_seg_advance(&s);
    }
}

int oracle_segment(Oracle *o, unsigned cases, unsigned first)
{
    unsigned done[4] = { 0 };
    unsigned long frames = 0;
    int ret = 0;

    if (set_up(o)) {
        return 2;
    }
    oracle_print_behaviours(o, B_USO_WRITE, B_USO_WRITE);
    oracle_print_behaviours(o, B_MIN_GSO_SIZE, B_ECN_IS_ACCECN);
    for (unsigned i = first; !ret && i < first + cases; i++) {
        Frame f;
        GsoMeta m;
        int where;

        o->random.state = o->seed + ((uint64_t)i << 32);
        random_case(o, &f, &m);
        send_one(o, &f, &m);
        cut(o, &f, &m);
        where = list_differ(&o->kernel, &o->mine);
        if (where >= 0) {
            ret = oracle_report(o, "segmentation", i, where);
        }
        done[2 * f.udp + f.v6]++;
        frames += o->kernel.n;
    }
    printf("segmentation: %u tcp4, %u tcp6, %u udp4, %u udp6 super-frames, "
           "%lu frames, %s\n", done[0], done[1], done[2], done[3], frames,
           ret ? "DIFFERENT" : "all equal");
    close(o->in);
    close(o->out);
    return ret;
}
