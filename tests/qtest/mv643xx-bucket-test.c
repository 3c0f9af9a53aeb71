/*
 * mv643xx transmit scheduling: priority, token buckets, MTU (section 6.5)
 *
 * A bucket gains rate / 64 bit every TCLK, 5 ns at 200 MHz: an octet takes
 * 8 * 64 * 5 = 2560 ns at rate 1.  What is observed is the queue's pointer,
 * which moves when a frame has been taken, and the count of frames sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define OCTET_NS        2560            /* at rate 1 */
#define FRAME           1514
#define OCTETS          1518            /* with FCS */
#define MTU             6               /* 1536 octets, as Linux writes it */
#define KIB_QUARTER     (1 << 14)       /* 256 octets in a count register */

/* Rows of frames that need no ring */
#define ROW(q)          (0x06000000u + 0x40000 * (q))
#define ROW_MAX         0x4000
#define PAYLOAD         0x01000000u

static Nic *start_args(const NicArgs *args)
{
    Nic *n = nic_new_args(args);

    nic_up(n);
    /* virtual time is not 0 */
    qtest_clock_step(n->qts, 1000);
    return n;
}

/* On a wire that takes no time, so that nothing but the buckets does */
static Nic *start(void)
{
    return start_args(&(NicArgs) { .no_wire = true });
}

static Nic *start_paced(void)
{
    return start_args(&(NicArgs) { .no_wire = true, .paced = true });
}

/* @count frames of @len on queue @q, whose last one has no successor */
static void put_row(Nic *n, unsigned q, unsigned count, uint16_t len)
{
    g_autofree uint8_t *row = g_malloc0(count * MV_DESC_SIZE);

    g_assert_cmpuint(count, <=, ROW_MAX);
    for (unsigned i = 0; i < count; i++) {
        uint8_t *d = row + i * MV_DESC_SIZE;

        stl_le_p(d + MV_DESC_CMD_STS, MV_TXD_O | MV_TXD_F | MV_TXD_L);
        stw_le_p(d + MV_DESC_SIZE_CNT + 2, len);
        stl_le_p(d + MV_DESC_BUF, PAYLOAD);
        stl_le_p(d + MV_DESC_NEXT,
                 i == count - 1 ? 0 : ROW(q) + (i + 1) * MV_DESC_SIZE);
    }
    mem_write(n, ROW(q), row, count * MV_DESC_SIZE);
    nic_write(n, PORT(MV_TCQDP(q)), ROW(q));
}

static void kick(Nic *n, uint32_t queues)
{
    nic_write(n, PORT(MV_TQC), queues);
}

/* Frames of the row that were taken; not for one that is at its end */
static unsigned taken(Nic *n, unsigned q)
{
    uint32_t at = nic_read(n, PORT(MV_TCQDP(q)));

    g_assert_cmphex(at, >=, ROW(q));
    return (at - ROW(q)) / MV_DESC_SIZE;
}

static void queue_bucket(Nic *n, unsigned q, uint32_t rate, uint32_t size,
                         uint32_t count)
{
    nic_write(n, PORT(MV_TXQ_CONFIG(q)), size << 10 | rate);
    nic_write(n, PORT(MV_TXQ_COUNT(q)), count);
}

static void port_bucket(Nic *n, uint32_t rate, uint32_t size, uint32_t count)
{
    nic_write(n, PORT(MV_TX_RATE), rate);
    nic_write(n, PORT(MV_TX_BUCKET), size);
    nic_write(n, PORT(MV_TX_TOKENS), count);
}

/* A new ns: the time from which a test counts */
static int64_t now(Nic *n)
{
    return qtest_clock_step(n->qts, 1);
}

/* One more frame of @q is taken exactly at @ns, none in the ns before */
static void expect_next_at(Nic *n, unsigned q, int64_t ns)
{
    unsigned before = taken(n, q);

    qtest_clock_set(n->qts, ns - 1);
    g_assert_cmpuint(taken(n, q), ==, before);
    qtest_clock_set(n->qts, ns);
    g_assert_cmpuint(taken(n, q), ==, before + 1);
}

/* With a rate, and 1518 octets a frame: @k frames after the first */
static int64_t after(int64_t t0, unsigned k, unsigned rate)
{
    return t0 + DIV_ROUND_UP((int64_t)k * OCTETS * OCTET_NS, rate);
}

/*
 * A queue's rate, exact over many frames: 121,440 ns a frame at rate 32.  The
 * bucket has room for the fraction of a ns by which a frame starts later.
 */
static void test_queue_rate(void)
{
    static const unsigned rates[] = { 1, 7, 32, 255, 320, 1023 };

    for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
        Nic *n = start();
        int64_t t0 = now(n);

        nic_write(n, PORT(MV_TX_MTU), MTU);
        queue_bucket(n, 0, rates[i], MTU + 1, MTU * KIB_QUARTER);
        put_row(n, 0, 100, FRAME);
        kick(n, 1);
        g_assert_cmpuint(taken(n, 0), ==, 1);
        for (unsigned k = 1; k < 20; k++) {
            expect_next_at(n, 0, after(t0, k, rates[i]));
        }
        nic_free(n);
    }
}

/* The port's, over two queues that take turns */
static void test_port_rate(void)
{
    Nic *n = start();
    int64_t t0 = now(n);

    nic_write(n, PORT(MV_TX_MTU), MTU);
    port_bucket(n, 7, MTU + 1, MTU * KIB_QUARTER);
    put_row(n, 0, 100, FRAME);
    put_row(n, 3, 100, FRAME);
    kick(n, 1 | 1 << 3);
    for (unsigned k = 1; k < 20; k++) {
        qtest_clock_set(n->qts, after(t0, k, 7) - 1);
        g_assert_cmpuint(taken(n, 0) + taken(n, 3), ==, k);
        qtest_clock_set(n->qts, after(t0, k, 7));
        g_assert_cmpuint(taken(n, 0) + taken(n, 3), ==, k + 1);
        g_assert_cmpuint(taken(n, 3) - taken(n, 0), <=, 1);
    }
    nic_free(n);
}

/*
 * 166.67 MHz: rate 384 is 1,000,000,002 bit/s, so 12,143.99998 ns a frame,
 * which is not a whole ns ahead of 12,144 after 900
 */
static void test_tclk(void)
{
    Nic *n = start_args(&(NicArgs) {
        .no_wire = true, .extra = "-global kirkwood-sar.value=0x200692" });
    int64_t t0 = now(n);

    nic_write(n, PORT(MV_TX_MTU), MTU);
    queue_bucket(n, 0, 384, MTU + 1, MTU * KIB_QUARTER);
    put_row(n, 0, 1000, FRAME);
    kick(n, 1);
    expect_next_at(n, 0, t0 + 12144);
    expect_next_at(n, 0, t0 + 2 * 12144);
    qtest_clock_set(n->qts, t0 + 900 * 12144 - 1);
    g_assert_cmpuint(taken(n, 0), ==, 900);
    expect_next_at(n, 0, t0 + 900 * 12144);
    nic_free(n);
}

/*
 * A full bucket of 25,600 octets lets 16 frames go at once: 1536 must be there
 * before the last, 25600 - 15 * 1518 = 2830 are, and 1312 behind it.  Idle
 * time does not fill it further.
 */
static void test_burst(void)
{
    Nic *n = start();
    int64_t t0 = now(n);

    nic_write(n, PORT(MV_TX_MTU), MTU);
    queue_bucket(n, 0, 32, 100, 100 * KIB_QUARTER);
    put_row(n, 0, 1000, FRAME);
    kick(n, 1);
    g_assert_cmpuint(taken(n, 0), ==, 16);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 1312 * 64);
    expect_next_at(n, 0, t0 + (1536 - 1312) * OCTET_NS / 32);
    kick(n, 1 << 8);
    qtest_clock_step(n->qts, 1000000000);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==,
                    100 * KIB_QUARTER);
    kick(n, 1);
    g_assert_cmpuint(taken(n, 0), ==, 17 + 16);
    nic_free(n);
}

/* What is there may be seen: it grows with time, up to the bucket */
static void test_count(void)
{
    Nic *n = start();

    nic_write(n, PORT(MV_TX_MTU), MTU);
    /* rate 320 is 1 bit a ns, 8 in the register */
    queue_bucket(n, 0, 320, 2, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 0);
    qtest_clock_step(n->qts, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 8);
    qtest_clock_step(n->qts, 4094);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 2 * 16384 - 8);
    qtest_clock_step(n->qts, 2);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 2 * 16384);
    /* 40 ns for one at rate 1; what is read in between loses nothing */
    queue_bucket(n, 1, 1, 0xffff, 0);
    for (unsigned i = 0; i < 13; i++) {
        qtest_clock_step(n->qts, 3);
        g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(1))), ==, 0);
    }
    qtest_clock_step(n->qts, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(1))), ==, 1);
    /* above the bucket: kept, not added to */
    queue_bucket(n, 2, 1023, 1, 0x3fffffff);
    qtest_clock_step(n->qts, 1000000);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(2))), ==, 0x3fffffff);
    /* the largest bucket: 65535 * 256 octets */
    queue_bucket(n, 3, 1023, 0xffff, 0);
    qtest_clock_step(n->qts, 100000000000);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(3))), ==, 0x3fffc000);
    /* the port's own */
    port_bucket(n, 320, 0xffff, 0);
    qtest_clock_step(n->qts, 1000);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_TOKENS)), ==, 8000);
    nic_free(n);
}

/* No rate, no MTU: no limit, and counts stay as they were written */
static void test_unlimited(void)
{
    Nic *n = start();

    nic_write(n, PORT(MV_TX_MTU), 0x3f);
    queue_bucket(n, 0, 0, 0xffff, 5);
    port_bucket(n, 0, 0, 6);
    put_row(n, 0, 101, FRAME);
    kick(n, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    qtest_clock_step(n->qts, 1000000);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 5);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_TOKENS)), ==, 6);

    nic_write(n, PORT(MV_TX_MTU), 0);
    queue_bucket(n, 0, 1, 0xffff, 5);
    port_bucket(n, 1, 0xffff, 6);
    put_row(n, 0, 101, FRAME);
    kick(n, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    qtest_clock_step(n->qts, 1000000);
    g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 5);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_TOKENS)), ==, 6);
    nic_free(n);
}

/* A bucket that cannot hold the MTU, or nothing: the rate holds all the same */
static void test_small_bucket(void)
{
    static const uint32_t sizes[] = { 0, 1, 2, 5 };

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        Nic *n = start();
        int64_t t0 = now(n);

        nic_write(n, PORT(MV_TX_MTU), MTU);
        queue_bucket(n, 0, 32, sizes[i], sizes[i] * KIB_QUARTER);
        put_row(n, 0, 100, FRAME);
        kick(n, 1);
        g_assert_cmpuint(taken(n, 0), ==, 1);
        g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(0))), ==, 0);
        for (unsigned k = 1; k < 10; k++) {
            expect_next_at(n, 0, after(t0, k, 32));
        }
        nic_free(n);
    }
}

/* Frames longer than the MTU says: from 256 octets on, and into debt */
static void test_long_frame(void)
{
    Nic *n = start();
    int64_t t0 = now(n);

    nic_write(n, PORT(MV_TX_MTU), 1);
    queue_bucket(n, 0, 64, 0xffff, 0);
    put_row(n, 0, 100, 9000);
    kick(n, 1);
    g_assert_cmpuint(taken(n, 0), ==, 0);
    for (unsigned k = 0; k < 10; k++) {
        expect_next_at(n, 0, t0 + (256 + k * 9004) * OCTET_NS / 64);
    }
    nic_free(n);
}

/* A waiting queue at rate 32, half of whose time is over, and what ends it */
static Nic *half_way(int64_t *t0)
{
    Nic *n = start();

    *t0 = now(n);
    nic_write(n, PORT(MV_TX_MTU), MTU);
    queue_bucket(n, 0, 32, MTU, MTU * KIB_QUARTER);
    put_row(n, 0, 100, FRAME);
    kick(n, 1);
    qtest_clock_set(n->qts, *t0 + 60720);
    g_assert_cmpuint(taken(n, 0), ==, 1);
    return n;
}

static void test_change_while_waiting(void)
{
    int64_t t0;
    Nic *n;

    /* 759 octets are to come, at twice the rate */
    n = half_way(&t0);
    nic_write(n, PORT(MV_TXQ_CONFIG(0)), MTU << 10 | 64);
    expect_next_at(n, 0, t0 + 60720 + 30360);
    nic_free(n);

    /* 777 octets are there, of 1280 */
    n = half_way(&t0);
    nic_write(n, PORT(MV_TX_MTU), 5);
    expect_next_at(n, 0, t0 + 60720 + (1280 - 777) * OCTET_NS / 32);
    nic_free(n);

    n = half_way(&t0);
    nic_write(n, PORT(MV_TX_MTU), 3);
    g_assert_cmpuint(taken(n, 0), ==, 2);
    nic_free(n);

    /* no limit any more */
    n = half_way(&t0);
    nic_write(n, PORT(MV_TX_MTU), 0);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    nic_free(n);

    n = half_way(&t0);
    nic_write(n, PORT(MV_TXQ_CONFIG(0)), MTU << 10);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    nic_free(n);

    /* a gift of one frame */
    n = half_way(&t0);
    nic_write(n, PORT(MV_TXQ_COUNT(0)), MTU * KIB_QUARTER);
    g_assert_cmpuint(taken(n, 0), ==, 2);
    expect_next_at(n, 0, t0 + 60720 + 121440);
    nic_free(n);

    /* a waiting queue stops at once, and has kept its tokens */
    n = half_way(&t0);
    nic_write(n, PORT(MV_IC), 0);
    kick(n, 1 << 8);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
    qtest_clock_step(n->qts, 10);
    kick(n, 1);
    expect_next_at(n, 0, t0 + 121440);
    nic_free(n);

    /* reset: no queue waits, nothing is limited but by the port's defaults */
    n = half_way(&t0);
    qtest_system_reset(n->qts);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    nic_up(n);
    put_row(n, 0, 101, FRAME);
    kick(n, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    nic_free(n);
}

/*
 * What a late timer finds to do is dated as if it had been in time, so that no
 * token is lost.  The clock of a test never jumps over a timer: the state of a
 * waiting queue is loaded where it is ten and a half frames later.
 */
static void test_late_timer(void)
{
    /* the board with the least memory, since all of it is saved */
    static const NicArgs args = { .machine = "dockstar", .no_wire = true };
    Nic *n = start_args(&args);
    int64_t t0 = now(n);
    g_autofree char *state = NULL;

    nic_write(n, PORT(MV_TX_MTU), MTU);
    queue_bucket(n, 0, 32, MTU, MTU * KIB_QUARTER);
    put_row(n, 0, 100, FRAME);
    kick(n, 1);
    g_assert_cmpuint(taken(n, 0), ==, 1);
    state = nic_save(n);
    nic_free(n);

    n = nic_new_incoming(&args);
    g_assert_true(nic_load(n, state, t0 + 121440 * 10 + 60720));
    unlink(state);
    nic_read(n, PORT(MV_PS0));
    g_assert_cmpuint(taken(n, 0), ==, 11);
    expect_next_at(n, 0, after(t0, 11, 32));
    nic_free(n);
}

/* Reset values (1.7) [M]; the port's count is full, the queues' words are 0 */
static void test_reset_values(void)
{
    Nic *n = nic_new_args(&(NicArgs) { .no_wire = true });

    g_assert_cmphex(nic_read(n, PORT(MV_TX_MTU)), ==, 0x24);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_RATE)), ==, 1023);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_BUCKET)), ==, 0xffff);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_TOKENS)), ==, 0x3fffffff);
    for (unsigned q = 0; q < 8; q++) {
        g_assert_cmphex(nic_read(n, PORT(MV_TXQ_COUNT(q))), ==, 0);
        g_assert_cmphex(nic_read(n, PORT(MV_TXQ_CONFIG(q))), ==, 0);
    }
    nic_free(n);
}

/* Forced 100 Mb/s, full duplex: 80 ns an octet, 123,040 ns a frame */
static void force_100(Nic *n)
{
    nic_write(n, PORT(MV_PSC0), 0x000a0601 | MV_PSC0_AN_SPEED_DIS |
                                MV_PSC0_MII_100 | MV_PSC0_AN_DUPLEX_DIS |
                                MV_PSC0_FULL_DUPLEX);
}

/* Preamble, frame and gap; frames that have left when a wire was never idle */
#define FRAME_100_NS    ((OCTETS + 20) * 80)
#define GAP_100_NS      (12 * 80)

static unsigned left_by(int64_t ns)
{
    return (ns + GAP_100_NS) / FRAME_100_NS;
}

/* Octets of @q after @ns: within one frame of what the rate gives */
static void expect_share(Nic *n, unsigned q, unsigned rate, int64_t ns)
{
    int64_t octets = (int64_t)taken(n, q) * OCTETS;
    int64_t due = ns * rate / OCTET_NS;

    g_assert_cmpint(octets, >=, due - OCTETS);
    g_assert_cmpint(octets, <=, due + OCTETS);
}

/*
 * A wire of 100 Mb/s, full all the time: two limited queues in front get 5/320
 * and 15/320 bit a ns, 1:3, and the third, which is not limited, the rest.
 */
static void test_ratio(void)
{
    enum { NS = 1000000000 };
    Nic *n = start_paced();

    force_100(n);
    nic_write(n, PORT(MV_TX_FIXED_PRIO), 0x6);
    nic_write(n, PORT(MV_TX_MTU), MTU);
    queue_bucket(n, 2, 5, 4 * MTU, MTU * KIB_QUARTER);
    queue_bucket(n, 1, 15, 4 * MTU, MTU * KIB_QUARTER);
    for (unsigned q = 0; q < 3; q++) {
        put_row(n, q, 9000, FRAME);
    }
    kick(n, 7);
    for (unsigned i = 1; i <= 10; i++) {
        qtest_clock_step(n->qts, NS / 10);
        expect_share(n, 2, 5, (int64_t)i * NS / 10);
        expect_share(n, 1, 15, (int64_t)i * NS / 10);
        g_assert_cmpuint(nic_counter(n, "tx-frames"), ==,
                         left_by((int64_t)i * NS / 10));
    }
    nic_free(n);
}

/* The same for the port: 50 Mb/s of a wire of 100 */
static void test_port_limit(void)
{
    enum { NS = 1000000000 };
    Nic *n = start_paced();

    force_100(n);
    nic_write(n, PORT(MV_TX_MTU), MTU);
    port_bucket(n, 16, MTU, MTU * KIB_QUARTER);
    put_row(n, 0, 9000, FRAME);
    kick(n, 1);
    for (unsigned i = 1; i <= 10; i++) {
        qtest_clock_step(n->qts, NS / 10);
        expect_share(n, 0, 16, (int64_t)i * NS / 10);
    }
    nic_free(n);
}

/* The highest of the fixed queues has all; its end lets the next one in */
static void test_priority(void)
{
    Nic *n = start_paced();

    force_100(n);
    nic_write(n, PORT(MV_TX_FIXED_PRIO), 0x88);
    put_row(n, 7, 1001, FRAME);
    put_row(n, 3, 1001, FRAME);
    put_row(n, 6, 1001, FRAME);
    kick(n, 0xc8);
    qtest_clock_step(n->qts, 900LL * FRAME_100_NS);
    g_assert_cmpuint(taken(n, 7), >=, 900);
    g_assert_cmpuint(taken(n, 3), ==, 0);
    g_assert_cmpuint(taken(n, 6), ==, 0);
    qtest_clock_step(n->qts, 1000LL * FRAME_100_NS);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(7))), ==, 0);
    g_assert_cmpuint(taken(n, 3), >=, 898);
    g_assert_cmpuint(taken(n, 6), ==, 0);
    nic_free(n);
}

/* Without fixed priority, turns frame by frame, whatever the weights say */
static void test_turns(void)
{
    Nic *n = start_paced();

    force_100(n);
    for (unsigned q = 0; q < 8; q++) {
        nic_write(n, PORT(MV_TXQ_ARBITER(q)), 1 + 30 * q);
        put_row(n, q, 200, FRAME);
    }
    kick(n, 0xff);
    qtest_clock_step(n->qts, 800LL * FRAME_100_NS);
    for (unsigned q = 0; q < 8; q++) {
        g_assert_cmpuint(taken(n, q), >=, 100);
        g_assert_cmpuint(taken(n, q), <=, 101);
    }
    nic_free(n);
}

/* What each client programs for the queue that it uses (6.5, 12) */
typedef struct Client {
    const char *name;
    struct {
        uint32_t reg;
        uint32_t value;
    } writes[12];
} Client;

static const Client clients[] = {
    { "none", { { 0 } } },
    { "linux", { { MV_TX_RATE, 0x140 }, { MV_TX_MTU, 6 },
                 { MV_TX_BUCKET, 0xffff }, { MV_TXQ_COUNT(0), 0x00500000 },
                 { MV_TXQ_CONFIG(0), 0x03fffd40 },
                 { MV_TX_FIXED_PRIO, 1 } } },
    { "u-boot", { { MV_TXQ_COUNT(0), 0x3fffffff },
                  { MV_TXQ_CONFIG(0), 0x03fffcff }, { MV_TX_MTU, 0 } } },
    { "barebox", { { MV_TXQ_COUNT(0), 0xffffffff },
                   { MV_TXQ_CONFIG(0), 0xffffffff }, { MV_TX_MTU, 0 } } },
    { "netbsd", { { MV_TX_FIXED_PRIO, 1 }, { MV_TXQ_COUNT(0), 0x3fffffff },
                  { MV_TXQ_CONFIG(0), 0x03ffffff }, { MV_TXQ_COUNT(1), 0 },
                  { MV_TXQ_CONFIG(1), 0 } } },
    { "netbsd, not kirkwood", { { MV_TX_FIXED_PRIO, 1 },
                                { MV_TXQ_COUNT(0), 0x3fffffff },
                                { MV_TXQ_CONFIG(0), 0xffff7fff },
                                { MV_TXQ_ARBITER(0), 0xfc0000ff } } },
    { "freebsd", { { MV_TX_FIXED_PRIO, 1 }, { MV_TXQ_COUNT(0), 0x3fffffff },
                   { MV_TXQ_CONFIG(0), 0x03fffcff },
                   { MV_TXQ_CONFIG(0), 0xfc0000ff }, { MV_TXQ_COUNT(1), 0 },
                   { MV_TXQ_CONFIG(1), 0 }, { MV_TX_MTU, 0 } } },
    { "9front", { { MV_TX_MTU, 0 } } },
    { "hal", { { MV_TXQ_COUNT(0), 0x3fffffff },
               { MV_TXQ_CONFIG(0), 0x03ffffff } } },
};

static void program(Nic *n, const Client *client)
{
    for (unsigned i = 0; i < ARRAY_SIZE(client->writes); i++) {
        if (client->writes[i].reg) {
            nic_write(n, PORT(client->writes[i].reg),
                      client->writes[i].value);
        }
    }
}

typedef struct Length {
    uint16_t len;
    int64_t frame_ns;           /* with preamble, FCS and gap, at 1 Gb/s */
} Length;

/* From the first frame on the wire is never idle. */
static void check_client(const Client *client, const Length *length,
                         bool used_up)
{
    enum { FRAMES = 3000, GAP_NS = 12 * 8 };
    Nic *n = start_paced();
    int64_t last = FRAMES * length->frame_ns - GAP_NS;

    g_test_message("%s, %u bytes, %d", client->name, length->len, used_up);
    program(n, client);
    if (used_up) {
        /* as after a long time at a rate below the wire's */
        nic_write(n, PORT(MV_TXQ_COUNT(0)), 2 * 36 * KIB_QUARTER);
        nic_write(n, PORT(MV_TX_TOKENS), 2 * 36 * KIB_QUARTER);
    }
    put_row(n, 0, FRAMES + 10, length->len);
    kick(n, 1);
    qtest_clock_step(n->qts, last - 1);
    g_assert_cmpuint(nic_counter(n, "tx-frames"), ==, FRAMES - 1);
    qtest_clock_step(n->qts, 1);
    g_assert_cmpuint(nic_counter(n, "tx-frames"), ==, FRAMES);
    nic_free(n);
}

static void test_clients(void)
{
    static const Length lengths[] = { { 1514, 12304 }, { 60, 672 } };

    for (size_t c = 0; c < ARRAY_SIZE(clients); c++) {
        for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
            check_client(&clients[c], &lengths[i], false);
            check_client(&clients[c], &lengths[i], true);
        }
    }
}

/* Nothing, very little, anything or all of a field */
static uint32_t any(GRand *rand)
{
    switch (g_rand_int_range(rand, 0, 4)) {
    case 0:
        return 0;
    case 1:
        return g_rand_int_range(rand, 1, 8);
    case 2:
        return g_rand_int(rand);
    default:
        return 0xffffffff;
    }
}

/*
 * No values make a frame wait for ever.  At rate 1, 63 * 256 octets have to
 * come before each of two, and those of the first: less than 3 * 41 ms.
 */
static void test_any_values(void)
{
    Nic *n = start();
    GRand *rand = g_rand_new_with_seed(0x6281);

    for (unsigned i = 0; i < 300; i++) {
        put_row(n, 0, 2, 1 + g_rand_int_range(rand, 0, 9000));
        nic_write(n, PORT(MV_TX_MTU), any(rand));
        port_bucket(n, any(rand), any(rand), any(rand));
        queue_bucket(n, 0, any(rand) & 0x3ff, any(rand) & 0xffff, any(rand));
        kick(n, 1);
        qtest_clock_step(n->qts, 3 * 63 * 256 * OCTET_NS);
        g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    }
    g_rand_free(rand);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/bucket/queue-rate", test_queue_rate);
    qtest_add_func("/mv643xx/bucket/port-rate", test_port_rate);
    qtest_add_func("/mv643xx/bucket/tclk", test_tclk);
    qtest_add_func("/mv643xx/bucket/burst", test_burst);
    qtest_add_func("/mv643xx/bucket/count", test_count);
    qtest_add_func("/mv643xx/bucket/unlimited", test_unlimited);
    qtest_add_func("/mv643xx/bucket/small-bucket", test_small_bucket);
    qtest_add_func("/mv643xx/bucket/long-frame", test_long_frame);
    qtest_add_func("/mv643xx/bucket/change-while-waiting",
                   test_change_while_waiting);
    qtest_add_func("/mv643xx/bucket/late-timer", test_late_timer);
    qtest_add_func("/mv643xx/bucket/reset-values", test_reset_values);
    qtest_add_func("/mv643xx/bucket/ratio", test_ratio);
    qtest_add_func("/mv643xx/bucket/port-limit", test_port_limit);
    qtest_add_func("/mv643xx/bucket/priority", test_priority);
    qtest_add_func("/mv643xx/bucket/turns", test_turns);
    qtest_add_func("/mv643xx/bucket/clients", test_clients);
    qtest_add_func("/mv643xx/bucket/any-values", test_any_values);
    return g_test_run();
}
