/*
 * Laws that net/gso keeps, on random trains
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "train.h"

/*
 * GSO(GRO(train)) == train and GRO(GSO(x)) == x, with the metadata of the
 * library; the order of each flow; packets neither lost nor doubled.
 */

#define ROUNDS 1500
#define PACKETS 60

static void random_stream(FrameRandom *r, Frame *f)
{
    *f = (Frame) {
        .v6 = frame_below(r, 2), .udp = !frame_below(r, 3),
        .tags = (uint8_t)frame_below(r, 3), .src = (uint8_t)frame_below(r, 3),
        .sport = (uint16_t)(frame_below(r, 3) + 1), .df = frame_below(r, 2),
        .id = (uint16_t)frame_random(r), .seq = frame_random(r),
        .payload = 1 + frame_below(r, 400), .ack = frame_random(r),
        .window = (uint16_t)frame_random(r), .flags = 0x10,
    };
    f->tcp_opts = (uint8_t)(f->udp ? 0 : 4 * frame_below(r, 11));
    f->ext_hdrs = (uint8_t)(f->v6 ? frame_below(r, 3) : 0);
}

/* A change now and then; any of them may end or refuse a merge. */
static void disturb(FrameRandom *r, Frame *f)
{
    switch (frame_below(r, 20)) {
    case 0:
        f->flags |= (uint8_t)(1 << frame_below(r, 8));
        break;
    case 1:
        f->payload = frame_below(r, f->payload + 2);
        break;
    case 2:
        f->ack++;
        break;
    case 3:
        f->csum = (uint8_t)frame_below(r, 4);
        break;
    case 4:
        f->pad = (uint8_t)frame_below(r, 9);
        break;
    case 5:
        f->urgent++;
        break;
    case 6:
        f->id += (uint16_t)frame_below(r, 3);
        break;
    case 7:
        f->frag = (uint16_t)(frame_below(r, 2) ? 0x2000 : 8);
        break;
    case 8:
        f->ip_opts = f->v6 ? 0 : 4;
        break;
    case 9:
        f->opt_fill++;
        break;
    case 10:
        f->reserved ^= 1;
        break;
    case 11:
        f->tos ^= 1;
        break;
    default:
        break;
    }
}

static GBytes *bytes_of(const Frame *f)
{
    static uint8_t buf[FRAME_MAX];

    return g_bytes_new(buf, frame_build(f, buf));
}

/* Cut what came out, with its metadata, into @to. */
static void cut_out(const TrainOut *out, GPtrArray *to)
{
    struct iovec whole = { out->bytes, out->len }, iov[1];
    GsoSegParams p = {
        .gso_size = out->meta.gso_size, .csum = out->meta.csum,
        .ip_id = out->meta.fixed_id ? GSO_IPID_FIXED : GSO_IPID_INCREMENT,
    };
    GsoSegmenter s;
    GsoSegment seg;
    uint8_t buf[2000];

    if (out->meta.type == GSO_TYPE_NONE) {
        g_ptr_array_add(to, g_bytes_new(out->bytes, out->len));
        return;
    }
    g_assert_cmpint(gso_seg_init(&s, &whole, 1, &p), ==, out->meta.segs);
    while (gso_seg_peek(&s, buf, sizeof(buf), iov, 1, &seg) > 0) {
        g_ptr_array_add(to, g_bytes_new(iov[0].iov_base, iov[0].iov_len));
        gso_seg_advance(&s);
    }
}

/* What a packet of the train looks like when its checksum is completed. */
static GBytes *completed(const Frame *f)
{
    Frame good = *f;

    good.csum = FRAME_CSUM_GOOD;
    return bytes_of(&good);
}

/*
 * Every packet in @in appears in @out, in the order of its flow: taking one
 * flow's packets out of both gives the same list.
 */
static void check_order(GPtrArray *in, const int *flow, GPtrArray *out,
                        const Frame *frames)
{
    g_autofree bool *used = g_new0(bool, out->len);

    for (int f = 0; f < 4; f++) {
        unsigned from = 0;

        for (unsigned i = 0; i < in->len; i++) {
            g_autoptr(GBytes) whole = completed(&frames[i]);
            unsigned k = from;

            if (flow[i] != f) {
                continue;
            }
            while (k < out->len &&
                   (used[k] || (!g_bytes_equal(out->pdata[k], in->pdata[i]) &&
                                !g_bytes_equal(out->pdata[k], whole)))) {
                k++;
            }
            g_assert_cmpint(k, <, out->len);
            used[k] = true;
            from = k + 1;
        }
    }
    g_assert_cmpint(in->len, ==, out->len);
}

/* GSO(GRO(train)) == train, and strict order per flow. */
static void test_gso_gro(void)
{
    FrameRandom r = { 77 };
    unsigned long supers = 0;

    for (int round = 0; round < ROUNDS; round++) {
        GsoGroConfig c = train_config();
        Frame stream[4], frames[PACKETS];
        int flow[PACKETS];
        g_autoptr(GPtrArray) in =
            g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
        g_autoptr(GPtrArray) out =
            g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

        c.buckets = 1u << frame_below(&r, 4);
        c.depth = 1 + frame_below(&r, 4);
        c.max_segs = 2 + frame_below(&r, 30);
        c.max_iov = c.max_segs;
        c.flush_timeout = frame_below(&r, 2) * 1000;
        c.accecn = frame_below(&r, 2);
        g_autoptr(Train) t = train_new(&c);
        for (int i = 0; i < 4; i++) {
            random_stream(&r, &stream[i]);
            stream[i].dst = (uint8_t)i;
        }
        for (int i = 0; i < PACKETS; i++) {
            int n = (int)frame_below(&r, 4);

            flow[i] = n;
            frames[i] = stream[n];
            frames[i].fill = frame_random(&r);
            disturb(&r, &frames[i]);
            g_ptr_array_add(in, bytes_of(&frames[i]));
            train_send(t, &frames[i]);
            stream[n].seq += frames[i].payload;
            stream[n].id = (uint16_t)(stream[n].id + (round & 1));
            if (!frame_below(&r, 10)) {
                gso_gro_poll_end(t->gro, t->now);
            }
            t->now += frame_below(&r, 300);
            gso_gro_expire(t->gro, t->now);
        }
        gso_gro_flush(t->gro, t->now);
        for (unsigned i = 0; i < t->out->len; i++) {
            cut_out(t->out->pdata[i], out);
            supers += train_out(t, i)->meta.segs > 1;
        }
        check_order(in, flow, out, frames);
    }
    g_test_message("%lu super-frames", supers);
    g_assert_cmpint(supers, >, ROUNDS);
}

/* GRO(GSO(x)) == x where merging is allowed. */
static void test_gro_gso(void)
{
    FrameRandom r = { 78 };

    for (int round = 0; round < ROUNDS; round++) {
        GsoGroConfig c = train_config();
        uint8_t whole[FRAME_MAX], buf[2000];
        struct iovec super = { whole, 0 }, iov[1];
        uint32_t size = 1 + frame_below(&r, 1400);
        GsoSegParams p = {
            .gso_size = size, .csum = GSO_CSUM_PARTIAL,
        };
        GsoSegmenter s;
        GsoSegment seg;
        Frame f;
        int n;

        c.max_segs = c.max_iov = 64;
        g_autoptr(Train) t = train_new(&c);
        random_stream(&r, &f);
        f.csum = FRAME_CSUM_PARTIAL;
        f.payload = size + 1 + frame_below(&r, MIN(size * 62, 60000));
        f.flags |= (uint8_t)(frame_below(&r, 2) ? 0x08 : 0) |
                   (uint8_t)(frame_below(&r, 2) ? 0x80 : 0);
        p.ip_id = f.df && frame_below(&r, 2) ? GSO_IPID_FIXED
                                             : GSO_IPID_INCREMENT;
        super.iov_len = frame_build(&f, whole);
        n = gso_seg_init(&s, &super, 1, &p);
        g_assert_cmpint(n, >, 1);
        while (gso_seg_peek(&s, buf, sizeof(buf), iov, 1, &seg) > 0) {
            train_send_bytes(t, iov[0].iov_base, iov[0].iov_len, NULL, NULL);
            gso_seg_advance(&s);
        }
        gso_gro_flush(t->gro, 0);
        g_assert_cmpint(t->out->len, ==, 1);
        g_assert_cmpmem(train_out(t, 0)->bytes, train_out(t, 0)->len, whole,
                        super.iov_len);
        g_assert_cmpint(train_out(t, 0)->meta.segs, ==, n);
        g_assert_cmpint(train_out(t, 0)->meta.gso_size, ==, size);
        g_assert_cmpint(train_out(t, 0)->meta.fixed_id, ==,
                        !f.v6 && p.ip_id == GSO_IPID_FIXED);
    }
}

/*
 * The same packets, cut within their headers, which are then not in one
 * piece and never predicted, come out the same.
 */
static void test_prediction(void)
{
    static const unsigned apart[] = { 1, 0 };
    FrameRandom r = { 79 };

    for (int round = 0; round < ROUNDS; round++) {
        static uint8_t buf[FRAME_MAX];
        GsoGroConfig c = train_config();
        Frame stream[4];

        c.buckets = 1u << frame_below(&r, 4);
        c.depth = 1 + frame_below(&r, 4);
        c.max_segs = 2 + frame_below(&r, 30);
        c.max_iov = c.max_segs;
        c.accecn = frame_below(&r, 2);
        g_autoptr(Train) whole = train_new(&c);
        g_autoptr(Train) cut = train_new(&c);
        for (int i = 0; i < 4; i++) {
            random_stream(&r, &stream[i]);
        }
        for (int i = 0; i < PACKETS; i++) {
            Frame *s = &stream[frame_below(&r, 4)];
            Frame f = *s;
            size_t len;

            disturb(&r, &f);
            len = frame_build(&f, buf);
            g_assert_cmpint(train_send_bytes(whole, buf, len, NULL, NULL), ==,
                            train_send_bytes(cut, buf, len, apart, NULL));
            s->seq += f.payload;
            s->id = (uint16_t)(s->id + (round & 1));
        }
        gso_gro_flush(whole->gro, 0);
        gso_gro_flush(cut->gro, 0);
        g_assert_cmpint(whole->out->len, ==, cut->out->len);
        for (unsigned i = 0; i < whole->out->len; i++) {
            const TrainOut *a = train_out(whole, i), *b = train_out(cut, i);

            g_assert_cmpmem(a->bytes, a->len, b->bytes, b->len);
            g_assert_cmpmem(&a->meta, sizeof(a->meta), &b->meta,
                            sizeof(b->meta));
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gso/laws/gso-of-gro", test_gso_gro);
    g_test_add_func("/gso/laws/gro-of-gso", test_gro_gso);
    g_test_add_func("/gso/laws/prediction", test_prediction);
    return g_test_run();
}
