/*
 * Fuzz target: coalescer
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "frame.h"
#include "fuzz.h"

#define MAX_PACKETS 200

/* One run: a coalescer, its packets, and what has come back of them. */
typedef struct Run {
    GsoGro *gro;
    uint64_t now;
    unsigned sent;
    unsigned back;
    unsigned depth;
    struct iovec iov[MAX_PACKETS][FUZZ_IOV];
    unsigned pieces[MAX_PACKETS];
} Run;

static void deliver(void *opaque, const GsoFrame *frame)
{
    Run *run = opaque;
    GsoLayout l;
    uint32_t len = 0;

    for (unsigned i = 0; i < frame->iovcnt; i++) {
        len += (uint32_t)frame->iov[i].iov_len;
    }
    fuzz_check(len == frame->len, "len is the pieces' length");
    gso_parse(frame->iov, frame->iovcnt, &l);
    if (frame->ncookies > 1) {
        fuzz_check(l.l4_off && !(l.flags & (GSO_LF_MALFORMED |
                                            GSO_LF_TRUNCATED |
                                            GSO_LF_PADDED)),
                   "a super-frame is a whole packet");
        fuzz_check(frame->meta.segs == frame->ncookies,
                   "segs is the number of packets");
        fuzz_check(frame->meta.type != GSO_TYPE_NONE, "it has a type");
    }
    for (unsigned i = 0; i < frame->ncookies; i++) {
        unsigned n = (unsigned)(uintptr_t)frame->cookies[i];

        fuzz_check(n < run->sent && run->pieces[n], "a packet comes once");
        fuzz_free(run->iov[n], run->pieces[n]);
        run->pieces[n] = 0;
        run->back++;
    }
    /* Call back in, but not for ever. */
    if (run->depth < 3) {
        run->depth++;
        gso_gro_expire(run->gro, run->now);
        run->depth--;
    }
}

/* fuzz_pieces(), or the first @split bytes and the rest. */
static unsigned pieces_of(const uint8_t *p, size_t len, uint8_t cut,
                          size_t split, struct iovec *iov)
{
    if (!split) {
        return fuzz_pieces(p, len, cut, iov);
    }
    return fuzz_pieces(p, split, 0, iov) +
           fuzz_pieces(p + split, len - split, 0, iov + 1);
}

static void send_bytes(Run *run, const uint8_t *p, size_t len, uint8_t cut,
                       size_t split, const GsoMeta *meta)
{
    unsigned n = run->sent;
    GsoPacket packet = { .iov = run->iov[n], .cookie = (void *)(uintptr_t)n,
                         .meta = meta };
    unsigned held = gso_gro_held(run->gro);
    GsoVerdict v;

    run->pieces[n] = pieces_of(p, len, cut, split, run->iov[n]);
    packet.iovcnt = run->pieces[n];
    run->sent++;
    v = gso_gro_receive(run->gro, &packet, run->now);
    fuzz_check(gso_verdict_name(v)[0] != 'u', "a verdict with a name");
    fuzz_check(gso_gro_held(run->gro) <= held + 1, "one more at most");
}

/* A good frame near the last one, a few of its numbers changed. */
static void send_built(Run *run, Fuzz *f, Frame *last)
{
    static uint8_t buf[FRAME_MAX];
    uint8_t what = fuzz_u8(f), value = fuzz_u8(f), cut = fuzz_u8(f);
    Frame now;
    size_t len;

    last->seq += last->payload;
    last->id++;
    last->payload = last->payload ? last->payload : 1;
    switch (what >> 3) {
    case 0:
        last->sport = value % 9;
        break;
    case 1:
        last->payload = value * 40u;
        break;
    case 2:
        last->v6 = value & 1;
        last->udp = value & 2;
        last->tags = value >> 2 & 3;
        last->ip_opts = last->v6 ? 0 : 4 * (value >> 4 & 1);
        last->ext_hdrs = last->v6 ? value >> 4 & 3 : 0;
        last->df = value & 128;
        break;
    case 3:
        last->tcp_opts = 4 * (value % 11);
        break;
    default:
        break;
    }
    now = *last;
    now.flags = what & 1 ? value : 0x10;
    now.csum = what & 2 ? value % 4 : FRAME_CSUM_GOOD;
    now.pad = what & 4 ? value % 4 : 0;
    now.ack = what == 32 ? value : 0;
    now.ttl = what == 40 ? value : 0;
    now.tos = what == 48 ? value : 0;
    now.id = what == 56 ? value : last->id;
    now.seq = what == 64 ? value : last->seq;
    now.opt_fill = what == 72 ? value : 0;
    now.window = what == 80 ? value : 0;
    now.urgent = what == 88 ? value : 0;
    now.frag = what == 96 ? (uint16_t)(value << 8 | value) : 0;
    now.label = what == 104 ? value : 0;
    now.bad_ip_csum = what == 112;
    now.reserved = what == 120 ? value & 15 : 0;
    now.df = what == 128 ? !last->df : last->df;
    len = frame_build(&now, buf);
    send_bytes(run, buf, len, cut, cut & 1 ? frame_hdr(&now) : 0, NULL);
}

static void send_raw(Run *run, Fuzz *f)
{
    const GsoMeta good = { .csum = GSO_CSUM_COMPLETE, .verified = true };
    uint8_t cut = fuzz_u8(f);
    size_t len = fuzz_u8(f);

    len = len < f->left ? len : f->left;
    send_bytes(run, f->p, len, cut, 0, cut & 1 ? &good : NULL);
    f->p += len;
    f->left -= len;
}

static void steps(Run *run, Fuzz *f)
{
    Frame last = { .payload = 100 };

    while (f->left && run->sent < MAX_PACKETS) {
        uint8_t op = fuzz_u8(f);

        switch (op & 7) {
        case 0:
            gso_gro_poll_end(run->gro, run->now);
            break;
        case 1:
            run->now += op;
            gso_gro_expire(run->gro, run->now);
            fuzz_check(gso_gro_next_deadline(run->gro) > run->now,
                       "nothing is due any more");
            break;
        case 2:
            gso_gro_flush(run->gro, run->now);
            fuzz_check(gso_gro_held(run->gro) == 0, "nothing is held");
            break;
        case 3:
            send_raw(run, f);
            break;
        default:
            send_built(run, f, &last);
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Run run;
    Fuzz f = { data, size };
    uint8_t a = fuzz_u8(&f), b = fuzz_u8(&f);
    GsoGroConfig c = {
        .buckets = 1u << (a & 3), .depth = 1 + (a >> 2 & 3),
        .max_segs = 2 + (b & 15), .max_iov = 2 + (b & 15) + (b >> 4),
        .types = 0xe, .accecn = a & 16,
        .flush_timeout = a & 32 ? 300 : 0, .max_hold = a & 64 ? 1000 : 0,
        .deliver = deliver, .opaque = &run,
    };
    size_t need = gso_gro_size(&c);
    void *mem = malloc(need);

    memset(&run, 0, sizeof(run));
    run.gro = gso_gro_init(mem, need, &c);
    fuzz_check(run.gro != NULL, "it starts");
    fuzz_check(gso_gro_init(mem, need - 1, &c) == NULL, "not in less");
    steps(&run, &f);
    gso_gro_flush(run.gro, run.now);
    for (int i = 0; i < GSO_CLOSE_COUNT; i++) {
        fuzz_check(gso_close_name((GsoClose)i)[0] != 'u', "a name");
    }
    fuzz_check(run.back == run.sent, "every packet came back");
    free(mem);
    return 0;
}
