/*
 * Coalescer of net/gso: time, on a virtual clock
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "train.h"

#define TIMEOUT 2000

static Train *timed(guint64 timeout, guint64 max_hold)
{
    GsoGroConfig c = train_config();

    c.flush_timeout = timeout;
    c.max_hold = max_hold;
    return train_new(&c);
}

static void send_nth(Train *t, unsigned i, uint16_t port)
{
    const Frame f = {
        .seq = 100 * i, .id = (uint16_t)i, .payload = 100, .sport = port,
    };

    train_send(t, &f);
}

/* Advance the clock, doing at each deadline what is due, as a timer would. */
static void run_to(Train *t, guint64 when)
{
    guint64 due;

    while ((due = gso_gro_next_deadline(t->gro)) <= when) {
        t->now = due;
        gso_gro_expire(t->gro, due);
    }
    t->now = when;
}

/* E4: 0 is off; the end of the poll delivers everything. */
static void test_off(void)
{
    g_autoptr(Train) t = timed(0, 0);

    send_nth(t, 0, 1);
    send_nth(t, 1, 1);
    g_assert_cmpint(t->out->len, ==, 0);
    g_assert_true(gso_gro_next_deadline(t->gro) == GSO_NEVER);
    gso_gro_poll_end(t->gro, 0);
    g_assert_cmpint(t->out->len, ==, 1);
    g_assert_cmpint(train_out(t, 0)->meta.segs, ==, 2);
    g_assert_cmpint(gso_gro_stats(t->gro)->close[GSO_CLOSE_POLL], ==, 1);
}

/* E4: nothing held, no timer. */
static void test_idle(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    g_assert_true(gso_gro_next_deadline(t->gro) == GSO_NEVER);
    gso_gro_poll_end(t->gro, 5);
    g_assert_true(gso_gro_next_deadline(t->gro) == GSO_NEVER);
    gso_gro_expire(t->gro, 10);
    gso_gro_flush(t->gro, 10);
    g_assert_cmpint(t->out->len, ==, 0);
}

/* E4: held beyond the poll, delivered at completion + timeout. */
static void test_hold(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    t->now = 100;
    send_nth(t, 0, 1);
    gso_gro_poll_end(t->gro, 150);
    g_assert_cmpint(t->out->len, ==, 0);
    g_assert_cmpint(gso_gro_next_deadline(t->gro), ==, 150 + TIMEOUT);
    gso_gro_expire(t->gro, 149 + TIMEOUT);
    g_assert_cmpint(t->out->len, ==, 0);
    gso_gro_expire(t->gro, 150 + TIMEOUT);
    g_assert_cmpint(t->out->len, ==, 1);
    g_assert_cmpint(gso_gro_stats(t->gro)->close[GSO_CLOSE_DEADLINE], ==, 1);
    g_assert_cmpint(gso_gro_stats(t->gro)->max_held_ns, ==, 50 + TIMEOUT);
}

/* E4: armed again at each completion that follows a packet. */
static void test_rearm(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    for (unsigned i = 0; i < 20; i++) {
        run_to(t, i * 1500);
        send_nth(t, i, 1);
        gso_gro_poll_end(t->gro, i * 1500 + 20);
        g_assert_cmpint(gso_gro_next_deadline(t->gro), ==,
                        i * 1500 + 20 + TIMEOUT);
    }
    g_assert_cmpint(t->out->len, ==, 0);
    run_to(t, 19 * 1500 + 20 + TIMEOUT);
    g_assert_cmpint(t->out->len, ==, 1);
    g_assert_cmpint(train_out(t, 0)->meta.segs, ==, 20);
    g_assert_cmpint(train_out(t, 0)->at, ==, 19 * 1500 + 20 + TIMEOUT);
}

/*
 * Packets that are not predicted start the time again too, before the end
 * of the poll as well.
 */
static void test_rearm_unpredicted(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    for (unsigned i = 0; i < 20; i++) {
        const Frame f = {
            .udp = true, .payload = 100, .id = (uint16_t)i, .sport = 1,
        };

        t->now = i * 1500;
        g_assert_cmpint(train_send(t, &f), ==,
                        i ? GSO_V_MERGED : GSO_V_HELD);
        g_assert_cmpint(gso_gro_next_deadline(t->gro), ==,
                        i * 1500 + TIMEOUT);
        gso_gro_poll_end(t->gro, i * 1500 + 20);
        g_assert_cmpint(gso_gro_next_deadline(t->gro), ==,
                        i * 1500 + 20 + TIMEOUT);
    }
    g_assert_cmpint(t->out->len, ==, 0);
}

/* What is due when a poll ends goes, whoever else received in it. */
static void test_overdue(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    send_nth(t, 0, 1);
    gso_gro_poll_end(t->gro, 0);
    t->now = TIMEOUT + 10;
    send_nth(t, 0, 2);
    gso_gro_poll_end(t->gro, TIMEOUT + 10);
    g_assert_cmpint(t->out->len, ==, 1);
    g_assert_cmpint(gso_gro_stats(t->gro)->close[GSO_CLOSE_DEADLINE], ==, 1);
    g_assert_cmpint(gso_gro_next_deadline(t->gro), ==, 2 * TIMEOUT + 10);
}

/* E4: a completion without a packet since the last one holds nothing. */
static void test_nothing_received(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    send_nth(t, 0, 1);
    gso_gro_poll_end(t->gro, 0);
    g_assert_cmpint(t->out->len, ==, 0);
    gso_gro_poll_end(t->gro, 1);
    g_assert_cmpint(t->out->len, ==, 1);
}

/* E4: pushed data is never held, nor what it follows. */
static void test_push(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);
    const Frame push = { .seq = 100, .id = 1, .payload = 100, .flags = 0x18 };

    send_nth(t, 0, 0);
    train_send(t, &push);
    g_assert_cmpint(t->out->len, ==, 1);
    g_assert_cmpint(train_out(t, 0)->meta.segs, ==, 2);
    train_send(t, &push);
    g_assert_cmpint(t->out->len, ==, 2);
    g_assert_true(gso_gro_next_deadline(t->gro) == GSO_NEVER);
}

/* A packet has a deadline before the poll ends: a long poll delays none. */
static void test_long_poll(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    t->now = 10;
    send_nth(t, 0, 1);
    g_assert_cmpint(gso_gro_next_deadline(t->gro), ==, 10 + TIMEOUT);
}

/* another flow's packets do not make an idle one wait. */
static void test_busy_neighbour(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);
    guint64 delivered = 0;

    send_nth(t, 0, 1);
    gso_gro_poll_end(t->gro, 0);
    for (unsigned i = 1; i < 100; i++) {
        run_to(t, i * 100);
        send_nth(t, i, 2);
        gso_gro_poll_end(t->gro, i * 100);
    }
    for (unsigned i = 0; i < t->out->len; i++) {
        if (frame_u16(train_out(t, i)->bytes + 34) == 1) {
            delivered = train_out(t, i)->at;
        }
    }
    g_assert_cmpint(delivered, ==, TIMEOUT);
}

/* a drip that always re-arms ends at max_segs, or at max_hold. */
static void test_drip(gconstpointer data)
{
    guint64 max_hold = GPOINTER_TO_UINT(data);
    g_autoptr(Train) t = timed(TIMEOUT, max_hold);
    const guint64 bound = max_hold ? max_hold : 63 * 1900;

    for (unsigned i = 0; i < 1000; i++) {
        run_to(t, i * 1900);
        send_nth(t, i, 1);
        gso_gro_poll_end(t->gro, i * 1900);
    }
    run_to(t, 2000000);
    g_assert_cmpint(gso_gro_held(t->gro), ==, 0);
    g_assert_cmpint(gso_gro_stats(t->gro)->max_held_ns, ==, bound);
    g_assert_cmpint(gso_gro_stats(t->gro)->close[GSO_CLOSE_AGE] > 0, ==,
                    max_hold > 0);
}

/* no packet is held longer than its bound under random load. */
static void test_random_load(void)
{
    FrameRandom r = { 12 };
    g_autoptr(Train) t = timed(TIMEOUT, 10000);
    unsigned next[20] = { 0 };

    for (unsigned i = 0; i < 20000; i++) {
        unsigned flow = frame_below(&r, 20);

        run_to(t, t->now + frame_below(&r, 400));
        send_nth(t, next[flow]++, (uint16_t)(flow + 1));
        if (frame_below(&r, 3)) {
            gso_gro_poll_end(t->gro, t->now);
        }
    }
    g_assert_cmpint(gso_gro_stats(t->gro)->max_held_ns, <=, 10000);
    g_assert_cmpint(gso_gro_stats(t->gro)->super_frames, >, 1000);
}

/* Deadlines come in the order of the last packets. */
static void test_order(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    for (unsigned i = 0; i < 4; i++) {
        t->now = i * 10;
        send_nth(t, 0, (uint16_t)(i + 1));
        gso_gro_poll_end(t->gro, t->now);
    }
    t->now = 50;
    send_nth(t, 1, 1);
    gso_gro_poll_end(t->gro, 50);
    run_to(t, 10 + TIMEOUT);
    g_assert_cmpint(t->out->len, ==, 1);
    g_assert_cmpint(frame_u16(train_out(t, 0)->bytes + 34), ==, 2);
    run_to(t, 100 + TIMEOUT);
    g_assert_cmpint(t->out->len, ==, 4);
    g_assert_cmpint(frame_u16(train_out(t, 3)->bytes + 34), ==, 1);
    g_assert_cmpint(train_out(t, 3)->at, ==, 50 + TIMEOUT);
}

/* On demand: all, oldest first. */
static void test_demand(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 0);

    for (unsigned i = 0; i < 5; i++) {
        send_nth(t, 0, (uint16_t)(i + 1));
    }
    send_nth(t, 1, 1);
    g_assert_cmpint(gso_gro_held(t->gro), ==, 6);
    gso_gro_flush(t->gro, 7);
    g_assert_cmpint(gso_gro_held(t->gro), ==, 0);
    for (unsigned i = 0; i < 5; i++) {
        g_assert_cmpint(frame_u16(train_out(t, i)->bytes + 34), ==, i + 1);
    }
    g_assert_cmpint(gso_gro_stats(t->gro)->close[GSO_CLOSE_DEMAND], ==, 5);
}

/*
 * the device goes down with the timer pending: the caller flushes and
 * has no deadline left.
 */
static void test_down(void)
{
    g_autoptr(Train) t = timed(TIMEOUT, 100);

    send_nth(t, 0, 1);
    gso_gro_poll_end(t->gro, 0);
    g_assert_cmpint(gso_gro_next_deadline(t->gro), ==, 100);
    gso_gro_flush(t->gro, 1);
    g_assert_true(gso_gro_next_deadline(t->gro) == GSO_NEVER);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gso/timer/E4-off", test_off);
    g_test_add_func("/gso/timer/E4-idle", test_idle);
    g_test_add_func("/gso/timer/E4-hold", test_hold);
    g_test_add_func("/gso/timer/E4-rearm", test_rearm);
    g_test_add_func("/gso/timer/E4-rearm-unpredicted",
                    test_rearm_unpredicted);
    g_test_add_func("/gso/timer/E4-overdue", test_overdue);
    g_test_add_func("/gso/timer/E4-nothing-received", test_nothing_received);
    g_test_add_func("/gso/timer/E4-push", test_push);
    g_test_add_func("/gso/timer/R-12-long-poll", test_long_poll);
    g_test_add_func("/gso/timer/R-12-busy-neighbour", test_busy_neighbour);
    g_test_add_data_func("/gso/timer/R-12-drip", GUINT_TO_POINTER(0),
                         test_drip);
    g_test_add_data_func("/gso/timer/R-12-drip-max-hold",
                         GUINT_TO_POINTER(9500), test_drip);
    g_test_add_func("/gso/timer/R-12-random-load", test_random_load);
    g_test_add_func("/gso/timer/R-12-order", test_order);
    g_test_add_func("/gso/timer/demand", test_demand);
    g_test_add_func("/gso/timer/R-13-down", test_down);
    return g_test_run();
}
