/*
 * Packets that the coalescer predicts, and those that only look like it
 *
 * A packet whose headers are not in one piece is never predicted.  So each
 * train is handed in twice, as it is and with its first byte in a piece of
 * its own, and the same has to come of it.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "coalesce-int.h"
#include "train.h"

#define MSS 300

/* Cuts for train_send_bytes(); NULL: in one piece. */
static const unsigned apart[] = { 1, 0 };

/* A train in both ways. */
typedef struct Pair {
    Train *whole;
    Train *cut;
} Pair;

/* A small table, of which many can be made. */
static GsoGroConfig pair_config(void)
{
    GsoGroConfig c = train_config();

    c.buckets = 1;
    c.depth = 2;
    return c;
}

static Pair pair_new(const GsoGroConfig *config)
{
    GsoGroConfig c = config ? *config : pair_config();

    return (Pair) { train_new(&c), train_new(&c) };
}

static void pair_free(Pair *p)
{
    train_free(p->whole);
    train_free(p->cut);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_free)

/* Hand in, to the one with @cuts (NULL: whole), to the other apart. */
static GsoVerdict pair_send(Pair *p, const uint8_t *bytes, size_t len,
                            const unsigned *cuts, const GsoMeta *meta)
{
    GsoVerdict v = train_send_bytes(p->whole, bytes, len, cuts, meta);
    GsoVerdict w = train_send_bytes(p->cut, bytes, len, apart, meta);

    g_assert_cmpstr(gso_verdict_name(v), ==, gso_verdict_name(w));
    g_assert_cmpint(gso_gro_held(p->whole->gro), ==,
                    gso_gro_held(p->cut->gro));
    return v;
}

static void pair_flush(Pair *p)
{
    gso_gro_flush(p->whole->gro, p->whole->now);
    gso_gro_flush(p->cut->gro, p->cut->now);
    g_assert_cmpint(p->whole->out->len, ==, p->cut->out->len);
    for (unsigned i = 0; i < p->whole->out->len; i++) {
        const TrainOut *a = train_out(p->whole, i);
        const TrainOut *b = train_out(p->cut, i);

        g_assert_cmpmem(a->bytes, a->len, b->bytes, b->len);
        g_assert_cmpmem(&a->meta, sizeof(a->meta), &b->meta, sizeof(b->meta));
        g_assert_cmpint(a->npackets, ==, b->npackets);
    }
    g_assert_cmpmem(gso_gro_stats(p->whole->gro), sizeof(GsoGroStats),
                    gso_gro_stats(p->cut->gro), sizeof(GsoGroStats));
}

static size_t build_nth(const Frame *first, unsigned n, uint8_t *buf)
{
    Frame f = *first;

    f.seq += n * f.payload;
    f.id += (uint16_t)n;
    return frame_build(&f, buf);
}

/* The fourth packet of a train with a bit changed; the fifth is good. */
static void train_with_bit(const Frame *f, unsigned bit, unsigned what,
                           const unsigned *cuts)
{
    static uint8_t buf[FRAME_MAX];
    g_auto(Pair) p = pair_new(NULL);

    for (unsigned n = 0; n < 5; n++) {
        size_t len = build_nth(f, n, buf);

        if (n == 3) {
            buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
            frame_mend(f, buf, len, what);
        }
        pair_send(&p, buf, len, cuts, NULL);
    }
    pair_flush(&p);
}

static const Frame kinds[] = {
    { .payload = MSS, .df = true },
    { .payload = MSS, .tcp_opts = 4 },
    { .payload = MSS, .tcp_opts = 12, .df = true, .id = 0xfffe },
    { .payload = MSS, .tcp_opts = 40, .df = true, .seq = 0xfffffe00 },
    { .payload = MSS, .tcp_opts = 12, .flags = 0x90, .df = true },
    { .payload = MSS, .v6 = true },
    { .payload = MSS, .v6 = true, .tcp_opts = 12, .tos = 0x11, .label = 7 },
    { .payload = MSS, .v6 = true, .tcp_opts = 40 },
};

/* Any bit of any header, with wrong checksums and with right ones. */
static void test_any_bit(void)
{
    for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
        const Frame *f = &kinds[k];
        const unsigned split[] = { frame_hdr(f), 0 };

        for (unsigned bit = 0; bit < 8 * (frame_hdr(f) + 1); bit++) {
            for (unsigned what = 0; what < FRAME_MENDS; what++) {
                train_with_bit(f, bit, what, NULL);
                train_with_bit(f, bit, what, split);
            }
        }
    }
}

/* The verdicts of a train of which only the @n-th packet has @change. */
typedef struct Change {
    const char *name;
    Frame f;            /* the whole train */
    void (*change)(Frame *f);
    GsoVerdict verdict;
} Change;

static void none(Frame *f)
{
    (void)f;
}

static void push(Frame *f)
{
    f->flags = 0x18;
}

static void fin(Frame *f)
{
    f->flags = 0x11;
}

static void cwr(Frame *f)
{
    f->flags = 0x90;
}

static void shorter(Frame *f)
{
    f->payload--;
}

static void longer(Frame *f)
{
    f->payload++;
}

static void pad(Frame *f)
{
    f->pad = 1;
}

static void bad_csum(Frame *f)
{
    f->csum = FRAME_CSUM_BAD;
}

static void bad_ip_csum(Frame *f)
{
    f->bad_ip_csum = true;
}

static void same_id(Frame *f)
{
    f->id--;
}

static void next_id(Frame *f)
{
    f->id++;
}

static void lost(Frame *f)
{
    f->seq += f->payload;
}

static void again(Frame *f)
{
    f->seq -= f->payload;
}

static void ack(Frame *f)
{
    f->ack++;
}

static const Change changes[] = {
    { "none", { 0 }, none, GSO_V_MERGED },
    { "none, IPv6", { .v6 = true }, none, GSO_V_MERGED },
    { "push", { 0 }, push, GSO_V_MERGED_PUSH },
    { "push, IPv6", { .v6 = true }, push, GSO_V_MERGED_PUSH },
    { "FIN", { 0 }, fin, GSO_V_MERGED_PUSH },
    { "CWR", { 0 }, cwr, GSO_V_DIFF_CWR },
    { "CWR on all", { .flags = 0x90 }, none, GSO_V_DIFF_CWR },
    { "shorter", { 0 }, shorter, GSO_V_MERGED_SHORT },
    { "shorter, IPv6", { .v6 = true }, shorter, GSO_V_MERGED_SHORT },
    { "longer", { 0 }, longer, GSO_V_DIFF_LONGER },
    { "padded", { 0 }, pad, GSO_V_PASS_LENGTH },
    { "padded, IPv6", { .v6 = true }, pad, GSO_V_PASS_LENGTH },
    { "TCP checksum", { 0 }, bad_csum, GSO_V_PASS_L4_CSUM },
    { "TCP checksum, IPv6", { .v6 = true }, bad_csum, GSO_V_PASS_L4_CSUM },
    { "IPv4 checksum", { 0 }, bad_ip_csum, GSO_V_PASS_IP_CSUM },
    { "ID repeated", { .df = true }, same_id, GSO_V_DIFF_IP_ID },
    { "ID skipped", { .df = true }, next_id, GSO_V_DIFF_IP_ID },
    { "packet lost", { 0 }, lost, GSO_V_DIFF_SEQ },
    { "packet again", { 0 }, again, GSO_V_DIFF_SEQ },
    { "acknowledgement", { .v6 = true }, ack, GSO_V_DIFF_ACK },
};

/* What the rules of gso.h say of it, predicted or not. */
static void test_changes(void)
{
    static uint8_t buf[FRAME_MAX];

    for (unsigned i = 0; i < G_N_ELEMENTS(changes); i++) {
        const Change *c = &changes[i];
        g_auto(Pair) p = pair_new(NULL);
        GsoVerdict v = GSO_V_COUNT;

        g_test_message("%s", c->name);
        for (unsigned n = 0; n < 4; n++) {
            Frame f = c->f;

            f.payload = MSS;
            f.tcp_opts = 12;
            f.seq = n * MSS;
            f.id = (uint16_t)n;
            if (n == 3) {
                c->change(&f);
            }
            v = pair_send(&p, buf, frame_build(&f, buf), NULL, NULL);
        }
        g_assert_cmpstr(gso_verdict_name(v), ==, gso_verdict_name(c->verdict));
        pair_flush(&p);
    }
}

/* IDs that stay, as the second packet decides; the third may not move. */
static void test_fixed_id(void)
{
    static uint8_t buf[FRAME_MAX];
    static const struct {
        uint16_t id[4];
        GsoVerdict last;
    } rows[] = {
        { { 9, 9, 9, 9 }, GSO_V_MERGED },
        { { 9, 9, 9, 10 }, GSO_V_DIFF_IP_ID },
        { { 9, 9, 9, 12 }, GSO_V_DIFF_IP_ID },
        { { 9, 10, 11, 9 }, GSO_V_DIFF_IP_ID },
        { { 9, 10, 11, 11 }, GSO_V_DIFF_IP_ID },
        { { 0xfffe, 0xffff, 0, 1 }, GSO_V_MERGED },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(Pair) p = pair_new(NULL);
        GsoVerdict v = GSO_V_COUNT;

        for (unsigned n = 0; n < 4; n++) {
            const Frame f = {
                .payload = MSS, .df = true, .seq = n * MSS,
                .id = rows[i].id[n],
            };

            v = pair_send(&p, buf, frame_build(&f, buf), NULL, NULL);
        }
        g_assert_cmpstr(gso_verdict_name(v), ==,
                        gso_verdict_name(rows[i].last));
        pair_flush(&p);
    }
}

/* Nothing is read behind a piece, wherever in the packet it ends. */
static void test_ends_of_pieces(void)
{
    static uint8_t buf[FRAME_MAX];
    const Frame f = { .payload = MSS, .tcp_opts = 12 };

    for (size_t head = 1; head <= frame_hdr(&f) + MSS; head++) {
        g_autoptr(Train) t = train_new(NULL);
        uint8_t *first = train_end_of_memory(head);
        uint8_t *cookie = g_malloc(1);
        size_t len = 0;

        for (unsigned n = 0; n < 3; n++) {
            len = build_nth(&f, n, buf);
            if (n < 2) {
                train_send_bytes(t, buf, len, NULL, NULL);
            }
        }
        memcpy(first, buf, head);
        struct iovec iov[2] = {
            { first, head }, { buf + head, len - head },
        };
        const GsoPacket packet = {
            .iov = iov, .iovcnt = head < len ? 2 : 1, .cookie = cookie,
        };
        g_ptr_array_add(t->held, cookie);
        g_assert_cmpint(gso_gro_receive(t->gro, &packet, 0), ==,
                        GSO_V_MERGED);
        gso_gro_flush(t->gro, 0);
        train_free_end_of_memory(first, head);
    }
}

/* A packet without any bytes. */
static void test_empty(void)
{
    struct iovec none = { 0 };
    const GsoPacket packets[] = {
        { .iov = NULL }, { .iov = &none, .iovcnt = 1 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(packets); i++) {
        g_autoptr(Train) t = train_new(NULL);

        g_ptr_array_add(t->held, NULL);
        g_assert_cmpint(gso_gro_receive(t->gro, &packets[i], 0), ==,
                        GSO_V_PASS_NOT_IP);
    }
}

/* The 257th packet has the first one's ID, as no count of 8 bits would see. */
static void test_long_count(void)
{
    static uint8_t buf[FRAME_MAX];
    GsoGroConfig c = pair_config();
    Frame f = { .payload = 100, .df = true };
    GsoVerdict v = GSO_V_COUNT;

    c.max_segs = c.max_iov = 300;
    g_auto(Pair) p = pair_new(&c);
    for (unsigned n = 0; n <= 256; n++) {
        f.seq = n * f.payload;
        f.id = (uint16_t)(n % 256);
        v = pair_send(&p, buf, frame_build(&f, buf), NULL, NULL);
    }
    g_assert_cmpstr(gso_verdict_name(v), ==,
                    gso_verdict_name(GSO_V_DIFF_IP_ID));
    pair_flush(&p);
}

/* Where a frame is full: by packets, by bytes, by pieces. */
static void test_full(void)
{
    static uint8_t buf[FRAME_MAX];
    static const struct {
        uint32_t payload;
        uint32_t max_segs;
        unsigned fits;       /* packets in the first frame */
        GsoVerdict last, next;
    } rows[] = {
        { MSS, 3, 3, GSO_V_MERGED_FULL, GSO_V_HELD },
        { MSS, 2, 2, GSO_V_MERGED_FULL, GSO_V_HELD },
        /* 20 + 20 + 12 + 45 * 1448 = 65212 of at most 65535 */
        { 1448, 64, 45, GSO_V_MERGED, GSO_V_DIFF_TOO_BIG },
        /* 52 + 7 * 9354 = 65530; 52 + 7 * 9355 = 65537 */
        { 9354, 64, 7, GSO_V_MERGED, GSO_V_DIFF_TOO_BIG },
        { 9355, 64, 6, GSO_V_MERGED, GSO_V_DIFF_TOO_BIG },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        GsoGroConfig c = pair_config();
        GsoVerdict v = GSO_V_COUNT;
        unsigned n = 0;

        c.max_segs = rows[i].max_segs;
        g_auto(Pair) p = pair_new(&c);
        for (; n < rows[i].fits; n++) {
            const Frame f = { .payload = rows[i].payload, .tcp_opts = 12 };

            v = pair_send(&p, buf, build_nth(&f, n, buf), NULL, NULL);
        }
        g_assert_cmpstr(gso_verdict_name(v), ==,
                        gso_verdict_name(rows[i].last));
        const Frame f = { .payload = rows[i].payload, .tcp_opts = 12 };
        v = pair_send(&p, buf, build_nth(&f, n, buf), NULL, NULL);
        g_assert_cmpstr(gso_verdict_name(v), ==,
                        gso_verdict_name(rows[i].next));
        pair_flush(&p);
        g_assert_cmpint(train_out(p.whole, 0)->npackets, ==, rows[i].fits);
    }
}

/*
 * A packet longer or shorter than its IP header says is seen in whatever
 * pieces it is, also if its checksum is said to be good.
 */
static void test_length(void)
{
    static const GsoMeta good = {
        .csum = GSO_CSUM_COMPLETE, .verified = true,
    };
    static uint8_t buf[FRAME_MAX];
    const Frame f = { .payload = MSS };
    const unsigned hdr = frame_hdr(&f);
    const struct {
        int more;            /* bytes at the end */
        unsigned cuts[3];
    } rows[] = {
        { 4, { 0 } },
        { 4, { hdr, 0 } },
        { 4, { hdr + 4, 0 } },
        { 4, { hdr, hdr + MSS, 0 } },
        { 4, { hdr + MSS, 0 } },
        { -1, { 0 } },
        { -1, { hdr, 0 } },
        { -1, { hdr - 1, 0 } },
        { -MSS, { 0 } },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(Pair) p = pair_new(NULL);
        GsoVerdict v = GSO_V_COUNT;

        for (unsigned n = 0; n < 3; n++) {
            size_t len = build_nth(&f, n, buf);

            v = pair_send(&p, buf, n == 2 ? len + (size_t)rows[i].more : len,
                          n == 2 ? rows[i].cuts : NULL, &good);
        }
        g_assert_cmpstr(gso_verdict_name(v), ==,
                        gso_verdict_name(GSO_V_PASS_LENGTH));
        pair_flush(&p);
    }
}

/* No room for a piece more: packets of two pieces use up max_iov. */
static void test_pieces(void)
{
    static uint8_t buf[FRAME_MAX];
    const Frame f = { .payload = MSS };
    const unsigned two[] = { 200, 0 };
    GsoGroConfig c = train_config();

    c.max_segs = c.max_iov = 4;
    g_autoptr(Train) t = train_new(&c);
    for (unsigned n = 0; n < 2; n++) {
        train_send_bytes(t, buf, build_nth(&f, n, buf), two, NULL);
    }
    g_assert_cmpint(gso_gro_held(t->gro), ==, 2);
    g_assert_cmpint(train_send_bytes(t, buf, build_nth(&f, 2, buf), NULL,
                                     NULL), ==, GSO_V_DIFF_PIECES);
}

/* What is known of the checksum, and of what the packet is. */
static void test_meta(void)
{
    static uint8_t buf[FRAME_MAX];
    static const struct {
        FrameCsum csum;
        GsoMeta meta;
        GsoVerdict verdict;
    } rows[] = {
        { FRAME_CSUM_BAD, { .csum = GSO_CSUM_COMPLETE },
          GSO_V_PASS_L4_CSUM },
        { FRAME_CSUM_BAD, { .csum = GSO_CSUM_COMPLETE, .verified = true },
          GSO_V_MERGED },
        { FRAME_CSUM_PARTIAL, { .csum = GSO_CSUM_PARTIAL }, GSO_V_MERGED },
        { FRAME_CSUM_GOOD, { .csum = GSO_CSUM_COMPLETE }, GSO_V_MERGED },
        { FRAME_CSUM_GOOD,
          { .csum = GSO_CSUM_COMPLETE, .type = GSO_TYPE_TCPV4,
            .gso_size = 10, .segs = 30 }, GSO_V_PASS_SUPER },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        Frame f = { .payload = MSS };
        g_auto(Pair) p = pair_new(NULL);
        GsoVerdict v = GSO_V_COUNT;

        for (unsigned n = 0; n < 3; n++) {
            f.csum = n == 2 ? rows[i].csum : FRAME_CSUM_GOOD;
            v = pair_send(&p, buf, build_nth(&f, n, buf), NULL,
                          n == 2 ? &rows[i].meta : NULL);
        }
        g_assert_cmpstr(gso_verdict_name(v), ==,
                        gso_verdict_name(rows[i].verdict));
        pair_flush(&p);
    }
}

/* Right checksums written 0xffff where 0 is usual are not joined. */
static void test_csum_form(void)
{
    static uint8_t buf[FRAME_MAX];
    unsigned found = 0;

    for (unsigned i = 0; i < 2 * 65536 && found < 2; i++) {
        Frame f = {
            .payload = MSS, .ack = i, .id = (uint16_t)i, .seq = 7,
        };
        const unsigned field = found ? frame_l4(&f) + 16 : frame_l3(&f) + 10;
        size_t len = build_nth(&f, 2, buf);

        if (frame_u16(buf + field)) {
            continue;
        }
        g_auto(Pair) p = pair_new(NULL);
        for (unsigned n = 0; n < 2; n++) {
            len = build_nth(&f, n, buf);
            pair_send(&p, buf, len, NULL, NULL);
        }
        len = build_nth(&f, 2, buf);
        buf[field] = buf[field + 1] = 0xff;
        g_assert_cmpint(pair_send(&p, buf, len, NULL, NULL), ==,
                        GSO_V_PASS_CSUM_FORM);
        pair_flush(&p);
        found++;
    }
    g_assert_cmpint(found, ==, 2);
}

static void test_types_off(void)
{
    static uint8_t buf[FRAME_MAX];
    GsoGroConfig c = pair_config();
    const Frame f = { .payload = MSS };

    c.types = 1 << GSO_TYPE_TCPV6;
    g_auto(Pair) p = pair_new(&c);
    for (unsigned n = 0; n < 3; n++) {
        g_assert_cmpint(pair_send(&p, buf, build_nth(&f, n, buf), NULL, NULL),
                        ==, GSO_V_PASS_TYPE);
    }
}

/* Ports of two flows with one hash, by the birthday paradox. */
static void find_collision(const Frame *f, uint32_t ports[2])
{
    static uint8_t buf[FRAME_MAX];
    const size_t len = frame_build(f, buf);
    const GsoGro g = { 0 };
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    FrameRandom r = { 5 };

    g_assert_cmpint(len, >, 0);
    for (;;) {
        uint32_t tcp = frame_random(&r) | 1, hash;
        gpointer other;

        hash = gso_gro_hash(&g, f->v6 ? GSO_L3_IPV6 : GSO_L3_IPV4,
                            buf + frame_l3(f) + (f->v6 ? 8 : 12), 6,
                            (const uint8_t *)&tcp);
        other = g_hash_table_lookup(seen, GUINT_TO_POINTER(hash));
        if (other && GPOINTER_TO_UINT(other) != tcp) {
            ports[0] = GPOINTER_TO_UINT(other);
            ports[1] = tcp;
            return;
        }
        g_hash_table_insert(seen, GUINT_TO_POINTER(hash),
                            GUINT_TO_POINTER(tcp));
    }
}

/*
 * Two flows with one hash are told apart all the same, even if what the
 * second sends is the next of the first, and no checksum says otherwise.
 */
static void test_same_hash(gconstpointer data)
{
    static const GsoMeta good = {
        .csum = GSO_CSUM_COMPLETE, .verified = true,
    };
    static uint8_t buf[FRAME_MAX];
    const Frame f = { .payload = MSS, .v6 = GPOINTER_TO_INT(data) };
    g_auto(Pair) p = pair_new(NULL);
    uint32_t ports[2];

    find_collision(&f, ports);
    for (unsigned n = 0; n < 4; n++) {
        for (unsigned flow = 0; flow < 2; flow++) {
            size_t len = build_nth(&f, n + flow, buf);

            memcpy(buf + frame_l4(&f), &ports[flow], 4);
            g_assert_cmpint(pair_send(&p, buf, len, NULL, &good), ==,
                            n ? GSO_V_MERGED : GSO_V_HELD);
        }
    }
    pair_flush(&p);
    g_assert_cmpint(p.whole->out->len, ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gso/predict/any-bit", test_any_bit);
    g_test_add_func("/gso/predict/changes", test_changes);
    g_test_add_func("/gso/predict/fixed-id", test_fixed_id);
    g_test_add_func("/gso/predict/ends-of-pieces", test_ends_of_pieces);
    g_test_add_func("/gso/predict/empty", test_empty);
    g_test_add_func("/gso/predict/long-count", test_long_count);
    g_test_add_func("/gso/predict/full", test_full);
    g_test_add_func("/gso/predict/length", test_length);
    g_test_add_func("/gso/predict/pieces", test_pieces);
    g_test_add_func("/gso/predict/meta", test_meta);
    g_test_add_func("/gso/predict/csum-form", test_csum_form);
    g_test_add_func("/gso/predict/types-off", test_types_off);
    g_test_add_data_func("/gso/predict/same-hash-ipv4", GINT_TO_POINTER(0),
                         test_same_hash);
    g_test_add_data_func("/gso/predict/same-hash-ipv6", GINT_TO_POINTER(1),
                         test_same_hash);
    return g_test_run();
}
