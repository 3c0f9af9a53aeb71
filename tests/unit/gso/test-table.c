/*
 * The coalescer's flow table: what tells flows apart, how they spread, and
 * the memory that it is in
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "train.h"

#define PAYLOAD 100
#define ALL 16

static const GsoMeta good = { .csum = GSO_CSUM_COMPLETE, .verified = true };

/* Where a flow's addresses and ports are in a frame, and how long. */
static unsigned tuple_at(const Frame *f)
{
    return frame_l3(f) + (f->v6 ? 8 : 12);
}

static unsigned tuple_len(const Frame *f)
{
    return f->v6 ? 36 : 12;
}

/* One packet with @value in byte @at; TCP's checksum is said to be good. */
static GsoVerdict send_with(Train *t, const Frame *f, unsigned at,
                            uint8_t value)
{
    static uint8_t buf[FRAME_MAX];
    size_t len = frame_build(f, buf);

    buf[at] = value;
    frame_mend(f, buf, len, FRAME_MEND_IP);
    return train_send_bytes(t, buf, len, NULL, &good);
}

/* Each byte of Ethernet header, tags, addresses and ports is of the flow. */
static void test_every_byte(void)
{
    for (unsigned kind = 0; kind < 6; kind++) {
        const Frame first = {
            .payload = PAYLOAD, .v6 = kind & 1, .tags = (uint8_t)(kind / 2),
        };
        Frame next = first;
        static uint8_t buf[FRAME_MAX];

        next.seq = PAYLOAD;
        next.id = 1;
        frame_build(&next, buf);
        for (unsigned i = 0; i < tuple_at(&first) + tuple_len(&first); i++) {
            g_autoptr(Train) t = train_new(NULL);
            bool of_ip = i >= frame_l3(&first) && i < tuple_at(&first);

            if (of_ip) {
                continue;
            }
            train_send(t, &first);
            g_assert_cmpint(send_with(t, &next, i, buf[i] ^ 4), !=,
                            GSO_V_MERGED);
            g_assert_cmpint(send_with(t, &next, i, buf[i]), ==, GSO_V_MERGED);
        }
    }
}

/* A table of one place in each of ALL buckets. */
static Train *small_table(uint32_t seed)
{
    GsoGroConfig c = train_config();

    c.buckets = ALL;
    c.depth = 1;
    c.hash_seed = seed;
    return train_new(&c);
}

/* Flows that differ in one byte of the tuple come into every bucket. */
static void test_spread(void)
{
    for (unsigned v6 = 0; v6 < 2; v6++) {
        const Frame f = { .payload = PAYLOAD, .v6 = v6 };

        for (unsigned i = 0; i < tuple_len(&f); i++) {
            g_autoptr(Train) t = small_table(0);

            for (unsigned value = 0; value < 256; value++) {
                send_with(t, &f, tuple_at(&f) + i, (uint8_t)value);
            }
            g_assert_cmpint(gso_gro_held(t->gro), ==, ALL);
        }
    }
}

/* How many of 64 flows are not pushed out by the others. */
static guint64 evicted(uint32_t seed)
{
    g_autoptr(Train) t = small_table(seed);
    guint64 flows = 0;

    for (uint16_t port = 0; port < 64; port++) {
        const Frame f = { .payload = PAYLOAD, .sport = (uint16_t)(port * 77) };

        flows = flows * 31 + gso_gro_stats(t->gro)->close[GSO_CLOSE_EVICT];
        train_send(t, &f);
    }
    return flows;
}

/* Another seed, other neighbours. */
static void test_seed(void)
{
    g_assert_true(evicted(1) == evicted(1));
    g_assert_true(evicted(1) != evicted(2));
    g_assert_true(evicted(1) != evicted(0x80000001));
}

/* The flows of test_spare_places(): the @n-th packet of flow @port. */
static GsoVerdict send_of(Train *t, uint16_t port, unsigned n)
{
    const Frame f = {
        .payload = PAYLOAD, .sport = port, .seq = n * PAYLOAD,
        .id = (uint16_t)n,
    };

    return train_send(t, &f);
}

/*
 * Each delivery hands in a packet of the next flow, which pushes out the one
 * before it, whose delivery does the same.  At the fifth all places are
 * taken; the fourth is full with one packet more.
 */
static void send_next_flow(Train *t, const GsoFrame *frame)
{
    unsigned *deep = t->opaque;

    (void)frame;
    switch (++*deep) {
    case 1:
    case 2:
    case 3:
        g_assert_cmpint(send_of(t, (uint16_t)(2 + *deep), 0), ==,
                        GSO_V_HELD);
        break;
    case 4:
        g_assert_cmpint(send_of(t, 6, 0), ==, GSO_V_PASS_BUSY);
        g_assert_cmpint(send_of(t, 5, 1), ==, GSO_V_MERGED_FULL);
        break;
    default:
        break;
    }
}

/* One place and four to spare, for what is being delivered. */
static void test_spare_places(void)
{
    GsoGroConfig c = train_config();
    unsigned deep = 0;

    c.buckets = c.depth = 1;
    c.max_segs = c.max_iov = 2;
    g_autoptr(Train) t = train_new(&c);
    t->opaque = &deep;
    t->on_deliver = send_next_flow;
    g_assert_cmpint(send_of(t, 1, 0), ==, GSO_V_HELD);
    g_assert_cmpint(send_of(t, 2, 0), ==, GSO_V_HELD);
    g_assert_cmpint(deep, ==, 6);
    g_assert_cmpint(gso_gro_held(t->gro), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gso/table/every-byte", test_every_byte);
    g_test_add_func("/gso/table/spread", test_spread);
    g_test_add_func("/gso/table/seed", test_seed);
    g_test_add_func("/gso/table/spare-places", test_spare_places);
    return g_test_run();
}
