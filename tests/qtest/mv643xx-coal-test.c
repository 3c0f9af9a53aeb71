/*
 * mv643xx interrupt moderation (sections 4.7 and 7)
 *
 * RxBuffer and TxBuffer interrupts are kept apart by the programmed time, to
 * the nanosecond: N units of 64 TCLK, 320 ns each at 200 MHz.  Causes are
 * never delayed, and neither is any other interrupt.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-util.h"

#define TCLK            200000000
#define UNIT_NS         320             /* 64 / 200 MHz */
#define LINUX_RX        781             /* 250 us at 200 MHz (4.7) [H] */
#define LINUX_RX_NS     249920          /* 781 * 320 */
#define PAUSE_NS        20971200        /* 0xffff * 320 */
#define SDC_LINUX       0x00800034

#define ALL_RXQ         0x000003fc
#define IRQ_RX          IRQ_GE0_RX
#define IRQ_TX          IRQ_GE0_TX
#define IRQ_SUM         IRQ_GE0_SUM
#define IRQ_MISC        IRQ_GE0_MISC

static void set_rx(Nic *n, uint32_t units)
{
    nic_write(n, PORT(MV_SDC), SDC_LINUX | (units & 0x7fff) << 7 |
                               (units >> 15) << 25);
}

static void set_tx(Nic *n, uint32_t units)
{
    nic_write(n, PORT(MV_PTFUT), units << 4);
}

typedef struct Lab {
    Nic *n;
    RxRing rx;
    TxRing tx;
    Frame frame;
} Lab;

/* RxBuffer and TxBuffer of all queues enabled, nothing else */
static void lab_init(Lab *l, const char *extra)
{
    l->n = nic_new_args(&(NicArgs) { .extra = extra });
    nic_up(l->n);
    rx_ring_init(&l->rx, l->n, 0, RING_MAX, 256);
    tx_ring_init(&l->tx, l->n, 0, 16);
    frame_raw(&l->frame, frame_nic_mac, 0x88b5, 100, 1);
    nic_write(l->n, PORT(MV_IME), 0xff);
    nic_write(l->n, PORT(MV_IM), MV_IC_EXT | ALL_RXQ);
    /* virtual time is not 0, so that "never" and "at 0" differ */
    qtest_clock_step(l->n->qts, 1000);
}

static void step(Lab *l, int64_t ns)
{
    qtest_clock_step(l->n->qts, ns);
}

static void receive(Lab *l)
{
    unsigned at = l->rx.head;

    wire_send_frame(l->n, &l->frame);
    l->rx.head = (at + 1) % l->rx.count;
    rx_ring_give(&l->rx, at);
}

static void transmit(Lab *l)
{
    tx_ring_put_frame(&l->tx, &l->frame, 0);
    tx_ring_kick(&l->tx);
    wire_expect_frame(l->n, &l->frame);
}

static void ack(Lab *l)
{
    nic_write(l->n, PORT(MV_ICE), 0);
    nic_write(l->n, PORT(MV_IC), 0);
}

#define expect_lines(l, sum, rx, tx, misc)                                  \
    do {                                                                    \
        g_assert_cmpint(nic_irq((l)->n, IRQ_SUM), ==, sum);                 \
        g_assert_cmpint(nic_irq((l)->n, IRQ_RX), ==, rx);                   \
        g_assert_cmpint(nic_irq((l)->n, IRQ_TX), ==, tx);                   \
        g_assert_cmpint(nic_irq((l)->n, IRQ_MISC), ==, misc);               \
    } while (0)

#define expect_counts(l, raised, rx, tx)                                    \
    do {                                                                    \
        g_assert_cmpuint(nic_counter((l)->n, "irq-raised"), ==, raised);    \
        g_assert_cmpuint(nic_counter((l)->n, "irq-suppressed-rx"), ==, rx); \
        g_assert_cmpuint(nic_counter((l)->n, "irq-suppressed-tx"), ==, tx); \
    } while (0)

/* After one at t0, the next receive interrupt comes @ns later, not before */
static void check_rx_spacing(Lab *l, int64_t ns)
{
    step(l, PAUSE_NS);
    receive(l);
    expect_lines(l, 1, 1, 0, 0);
    ack(l);
    expect_lines(l, 0, 0, 0, 0);
    receive(l);
    expect_lines(l, 0, 0, 0, 0);
    g_assert_cmphex(nic_read(l->n, PORT(MV_IC)) & (MV_IC_RX | ALL_RXQ), ==,
                    MV_IC_RX | MV_IC_RXQ(0));
    step(l, ns - 1);
    expect_lines(l, 0, 0, 0, 0);
    step(l, 1);
    expect_lines(l, 1, 1, 0, 0);
    ack(l);
}

static void check_tx_spacing(Lab *l, int64_t ns)
{
    step(l, PAUSE_NS);
    transmit(l);
    expect_lines(l, 1, 0, 1, 0);
    ack(l);
    expect_lines(l, 0, 0, 0, 0);
    transmit(l);
    expect_lines(l, 0, 0, 0, 0);
    g_assert_cmphex(nic_read(l->n, PORT(MV_ICE)) & 0xff, ==, MV_ICE_TXBUF(0));
    step(l, ns - 1);
    expect_lines(l, 0, 0, 0, 0);
    step(l, 1);
    expect_lines(l, 1, 0, 1, 0);
    ack(l);
}

static const struct {
    uint32_t units;
    int64_t ns;
} spacings[] = {
    { 1, 320 },
    { 3, 960 },                         /* Linux, 1 us */
    { 768, 245760 },                    /* FreeBSD, NetBSD */
    { LINUX_RX, LINUX_RX_NS },
    { 0x7fff, 10485440 },               /* without the top bit */
    { 0x8001, 10486080 },               /* with it */
    { 0xffff, 20971200 },
};

static void test_spacing_rx(void)
{
    Lab l;

    lab_init(&l, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(spacings); i++) {
        set_rx(l.n, spacings[i].units);
        check_rx_spacing(&l, spacings[i].ns);
        expect_counts(&l, 2 * (i + 1), i + 1, 0);
    }
    nic_free(l.n);
}

static void test_spacing_tx(void)
{
    Lab l;

    lab_init(&l, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(spacings); i++) {
        set_tx(l.n, spacings[i].units);
        check_tx_spacing(&l, spacings[i].ns);
        expect_counts(&l, 2 * (i + 1), 0, i + 1);
    }
    nic_free(l.n);
}

/*
 * 166.67 MHz by the strap: 651 units are 41664 cycles, which at 166666667 Hz
 * are over after 249983.9995 ns (4.7: 250 us is 651)
 */
static void test_tclk(void)
{
    Lab l;

    lab_init(&l, "-global kirkwood-sar.value=0x200692");
    set_rx(l.n, 651);
    check_rx_spacing(&l, 249984);
    set_tx(l.n, 651);
    check_tx_spacing(&l, 249984);
    nic_free(l.n);
}

/* Without a time every event interrupts at once, as often as it is cleared */
static void test_zero(void)
{
    Lab l;

    lab_init(&l, NULL);
    for (unsigned i = 0; i < 10; i++) {
        receive(&l);
        expect_lines(&l, 1, 1, 0, 0);
        ack(&l);
        transmit(&l);
        expect_lines(&l, 1, 0, 1, 0);
        ack(&l);
    }
    expect_counts(&l, 20, 0, 0);
    nic_free(l.n);
}

/* The first interrupt after a pause is not late */
static void test_first_at_once(void)
{
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, LINUX_RX);
    set_tx(l.n, LINUX_RX);
    for (unsigned i = 0; i < 3; i++) {
        receive(&l);
        expect_lines(&l, 1, 1, 0, 0);
        transmit(&l);
        expect_lines(&l, 1, 1, 1, 0);
        ack(&l);
        step(&l, LINUX_RX_NS);
    }
    expect_counts(&l, 3, 0, 0);
    nic_free(l.n);
}

/* Receive and transmit have a timer each */
static void test_directions(void)
{
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, 1000);
    set_tx(l.n, 500);
    receive(&l);
    ack(&l);
    transmit(&l);
    expect_lines(&l, 1, 0, 1, 0);
    ack(&l);
    receive(&l);
    transmit(&l);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 500 * UNIT_NS - 1);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 1);
    expect_lines(&l, 1, 0, 1, 0);
    step(&l, 500 * UNIT_NS - 1);
    expect_lines(&l, 1, 0, 1, 0);
    step(&l, 1);
    expect_lines(&l, 1, 1, 1, 0);
    nic_free(l.n);
}

/* One timer for all queues of a direction */
static void test_queues_share(void)
{
    RxRing other;
    TxRing tx;
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, 1000);
    set_tx(l.n, 1000);
    rx_ring_init(&other, l.n, 5, 4, 256);
    tx_ring_init(&tx, l.n, 5, 4);
    receive(&l);
    transmit(&l);
    ack(&l);
    filter_set(l.n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 5);
    wire_send_frame(l.n, &l.frame);
    tx_ring_put_frame(&tx, &l.frame, 0);
    tx_ring_kick(&tx);
    expect_lines(&l, 0, 0, 0, 0);
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)) & ALL_RXQ, ==, MV_IC_RXQ(5));
    g_assert_cmphex(nic_read(l.n, PORT(MV_ICE)) & 0xff, ==, MV_ICE_TXBUF(5));
    step(&l, 1000 * UNIT_NS);
    expect_lines(&l, 1, 1, 1, 0);
    nic_free(l.n);
}

/* Put both directions into the time in which nothing may come */
static void hold_both(Lab *l)
{
    set_rx(l->n, 0xffff);
    set_tx(l->n, 0xffff);
    receive(l);
    transmit(l);
    ack(l);
    receive(l);
    transmit(l);
    expect_lines(l, 0, 0, 0, 0);
}

/* RxError, TxEnd, TxError and the link are not moderated (4.7) [R] */
static void test_never_delayed(void)
{
    Desc half = { .cmd_sts = MV_TXD_O | MV_TXD_F, .count = 60,
                  .buf = MEM_TX_BUF(1, 0), .next = 0 };
    Lab l;

    lab_init(&l, NULL);
    hold_both(&l);
    nic_write(l.n, PORT(MV_IC), ~MV_IC_TXEND_MASK);

    /* a kick without work ends the queue */
    nic_write(l.n, PORT(MV_IM), MV_IC_EXT | ALL_RXQ | MV_IC_TXEND(1));
    nic_write(l.n, PORT(MV_TCQDP(1)), 0);
    nic_write(l.n, PORT(MV_TQC), 1 << 1);
    expect_lines(&l, 1, 0, 1, 0);
    nic_write(l.n, PORT(MV_IC), ~MV_IC_TXEND(1));
    expect_lines(&l, 0, 0, 0, 0);

    /* a frame without an end */
    nic_write(l.n, PORT(MV_IM), MV_IC_EXT | ALL_RXQ);
    nic_write(l.n, PORT(MV_IME), 0xff | MV_ICE_TXERR(1));
    desc_write(l.n, MEM_TX_RING(1), &half);
    nic_write(l.n, PORT(MV_TCQDP(1)), MEM_TX_RING(1));
    nic_write(l.n, PORT(MV_TQC), 1 << 1);
    expect_lines(&l, 1, 0, 1, 0);
    nic_write(l.n, PORT(MV_ICE), ~MV_ICE_TXERR(1));
    expect_lines(&l, 0, 0, 0, 0);

    /* no descriptor */
    nic_write(l.n, PORT(MV_IM), MV_IC_EXT | ALL_RXQ | MV_IC_RXERRQ(0));
    mem_write32(l.n, rx_ring_desc(&l.rx, l.rx.head), 0);
    wire_send_frame(l.n, &l.frame);
    expect_lines(&l, 1, 1, 0, 0);
    nic_write(l.n, PORT(MV_IC), ~MV_IC_RXERRQ(0));
    expect_lines(&l, 0, 0, 0, 0);

    /* the cable */
    nic_write(l.n, PORT(MV_IME), 0xff | MV_ICE_LINK);
    nic_set_link(l.n, false);
    expect_lines(&l, 1, 0, 0, 1);
    nic_write(l.n, PORT(MV_ICE), ~MV_ICE_LINK);
    expect_lines(&l, 0, 0, 0, 0);

    /* what was held back is still there, and comes when its time is over */
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)) & ALL_RXQ, ==, MV_IC_RXQ(0));
    g_assert_cmphex(nic_read(l.n, PORT(MV_ICE)) & 0xff, ==, MV_ICE_TXBUF(0));
    step(&l, 0xffff * UNIT_NS - 1);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 1);
    expect_lines(&l, 1, 1, 1, 0);
    nic_free(l.n);
}

/* The unit's own interrupt knows nothing of a port's times */
static void test_unit_line(void)
{
    Lab l;

    lab_init(&l, NULL);
    hold_both(&l);
    nic_write(l.n, MV_EUIM, MV_EUIC_SMI_DONE);
    smi_read(l.n, 0, 2);
    g_assert_true(nic_irq(l.n, IRQ_GE0_ERR));
    expect_lines(&l, 0, 0, 0, 0);
    nic_free(l.n);
}

/* A cause that polling has cleared makes no interrupt, nor a new wait */
static void test_polled(void)
{
    Lab l;

    lab_init(&l, NULL);
    hold_both(&l);
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==,
                    MV_IC_SUM | MV_IC_RX | MV_IC_RXQ(0) | MV_IC_EXT |
                    MV_IC_TXEND(0));
    g_assert_cmphex(nic_read(l.n, PORT(MV_ICE)), ==,
                    MV_ICE_SUM | MV_ICE_TXBUF(0));
    step(&l, 1000);
    ack(&l);
    step(&l, 0xffff * UNIT_NS - 1000);
    expect_lines(&l, 0, 0, 0, 0);
    expect_counts(&l, 1, 1, 1);
    receive(&l);
    transmit(&l);
    expect_lines(&l, 1, 1, 1, 0);
    expect_counts(&l, 2, 1, 1);
    nic_free(l.n);
}

/* Masked when the time is over: comes with the mask, and starts a new time */
static void test_masked_at_end(void)
{
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, 1000);
    receive(&l);
    ack(&l);
    receive(&l);
    nic_write(l.n, PORT(MV_IM), 0);
    step(&l, 1500 * UNIT_NS);
    expect_lines(&l, 0, 0, 0, 0);
    nic_write(l.n, PORT(MV_IM), ALL_RXQ);
    expect_lines(&l, 1, 1, 0, 0);
    ack(&l);
    receive(&l);
    step(&l, 1000 * UNIT_NS - 1);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 1);
    expect_lines(&l, 1, 1, 0, 0);
    nic_free(l.n);
}

/*
 * What Linux does: masked by the handler, unmasked after the poll.  What came
 * in between waits for the rest of the time, counted from the interrupt.
 */
static void test_mask_cycle(void)
{
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, 1000);
    receive(&l);
    expect_lines(&l, 1, 1, 0, 0);
    nic_write(l.n, PORT(MV_IM), 0);
    ack(&l);
    step(&l, 100 * UNIT_NS);
    receive(&l);
    nic_write(l.n, PORT(MV_IM), ALL_RXQ);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 900 * UNIT_NS - 1);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 1);
    expect_lines(&l, 1, 1, 0, 0);
    nic_free(l.n);
}

/* A cause that was not cleared is no new one: it follows the mask at once */
static void test_mask_without_ack(void)
{
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, 1000);
    receive(&l);
    step(&l, 100 * UNIT_NS);
    nic_write(l.n, PORT(MV_IM), 0);
    expect_lines(&l, 0, 0, 0, 0);
    nic_write(l.n, PORT(MV_IM), ALL_RXQ);
    expect_lines(&l, 1, 1, 0, 0);
    ack(&l);
    receive(&l);
    step(&l, 900 * UNIT_NS - 1);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 1);
    expect_lines(&l, 1, 1, 0, 0);
    nic_free(l.n);
}

/* A level that nobody clears stays, whatever comes */
static void test_stays_up(void)
{
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, 1000);
    receive(&l);
    for (unsigned i = 0; i < 5; i++) {
        step(&l, 700 * UNIT_NS);
        receive(&l);
        expect_lines(&l, 1, 1, 0, 0);
    }
    expect_counts(&l, 1, 0, 0);
    /* its time has long been over */
    ack(&l);
    receive(&l);
    expect_lines(&l, 1, 1, 0, 0);
    expect_counts(&l, 2, 0, 0);
    nic_free(l.n);
}

/* A new time counts from the last interrupt, for what waits too */
static void test_new_time(void)
{
    Lab l;

    lab_init(&l, NULL);
    set_rx(l.n, 1000);
    receive(&l);
    ack(&l);
    receive(&l);
    step(&l, 400 * UNIT_NS);
    set_rx(l.n, 600);
    expect_lines(&l, 0, 0, 0, 0);
    set_rx(l.n, 500);
    step(&l, 100 * UNIT_NS - 1);
    expect_lines(&l, 0, 0, 0, 0);
    set_rx(l.n, 2000);
    step(&l, 1500 * UNIT_NS);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 1);
    expect_lines(&l, 1, 1, 0, 0);
    ack(&l);

    /* over already */
    receive(&l);
    step(&l, 400 * UNIT_NS);
    expect_lines(&l, 0, 0, 0, 0);
    set_rx(l.n, 400);
    expect_lines(&l, 1, 1, 0, 0);
    ack(&l);

    /* none at all */
    set_rx(l.n, 0xffff);
    receive(&l);
    expect_lines(&l, 0, 0, 0, 0);
    set_rx(l.n, 0);
    expect_lines(&l, 1, 1, 0, 0);
    ack(&l);

    /* the last one counts even though it came without a time */
    step(&l, 300 * UNIT_NS);
    receive(&l);
    ack(&l);
    set_rx(l.n, 1000);
    receive(&l);
    expect_lines(&l, 0, 0, 0, 0);
    step(&l, 1000 * UNIT_NS);
    expect_lines(&l, 1, 1, 0, 0);
    nic_free(l.n);
}

/* Reset: the next one is at once, and what was held back is gone */
static void test_reset(void)
{
    Lab l;

    lab_init(&l, NULL);
    hold_both(&l);
    qtest_system_reset(l.n->qts);
    nic_up(l.n);
    rx_ring_init(&l.rx, l.n, 0, RING_MAX, 256);
    nic_write(l.n, PORT(MV_IM), ALL_RXQ);
    set_rx(l.n, 0xffff);
    receive(&l);
    expect_lines(&l, 1, 1, 0, 0);
    ack(&l);
    receive(&l);
    qtest_system_reset(l.n->qts);
    step(&l, 0xffff * UNIT_NS);
    expect_lines(&l, 0, 0, 0, 0);
    nic_free(l.n);
}

/* Register value for ethtool's microseconds (Linux adds half a unit) [H] */
static uint32_t linux_units(unsigned usecs)
{
    return ((uint64_t)usecs * TCLK + 31999999) / 64000000;
}

static void ack_if_up(Lab *l)
{
    if (nic_irq(l->n, IRQ_SUM)) {
        ack(l);
    }
}

static void run_load(Lab *l, unsigned usecs, void (*event)(Lab *l))
{
    lab_init(l, NULL);
    set_rx(l->n, linux_units(usecs));
    set_tx(l->n, linux_units(usecs));
    for (unsigned k = 0; k < 1000; k++) {
        event(l);
        ack_if_up(l);
        if (k < 999) {
            step(l, 10000);
            ack_if_up(l);
        }
    }
}

/*
 * A frame every 10 us, looked at every 10 us, the last one at 9,990 us.  The
 * first interrupts at once; then, since there is always another that waits,
 * interrupts are exactly N units of 320 ns apart, and all frames but the first
 * are held back.
 */
static void test_counts_by_usecs(void)
{
    static const struct {
        unsigned usecs;
        unsigned raised;
        unsigned held;
    } cases[] = {
        { 0, 1000, 0 },
        { 5, 1000, 0 },         /* 16 units: 5.12 us */
        { 100, 101, 999 },      /* 312 units: 9990 / 99.84 = 100.06 */
        { 250, 40, 999 },       /* 781 units: 9990 / 249.92 = 39.97 */
        { 1000, 10, 999 },      /* 3125 units: 9990 / 1000 = 9.99 */
    };
    Lab l;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        run_load(&l, cases[i].usecs, receive);
        expect_counts(&l, cases[i].raised, cases[i].held, 0);
        nic_free(l.n);
        run_load(&l, cases[i].usecs, transmit);
        expect_counts(&l, cases[i].raised, 0, cases[i].held);
        nic_free(l.n);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/coal/spacing-rx", test_spacing_rx);
    qtest_add_func("/mv643xx/coal/spacing-tx", test_spacing_tx);
    qtest_add_func("/mv643xx/coal/tclk", test_tclk);
    qtest_add_func("/mv643xx/coal/zero", test_zero);
    qtest_add_func("/mv643xx/coal/first-at-once", test_first_at_once);
    qtest_add_func("/mv643xx/coal/directions", test_directions);
    qtest_add_func("/mv643xx/coal/queues-share", test_queues_share);
    qtest_add_func("/mv643xx/coal/never-delayed", test_never_delayed);
    qtest_add_func("/mv643xx/coal/unit-line", test_unit_line);
    qtest_add_func("/mv643xx/coal/polled", test_polled);
    qtest_add_func("/mv643xx/coal/masked-at-end", test_masked_at_end);
    qtest_add_func("/mv643xx/coal/mask-cycle", test_mask_cycle);
    qtest_add_func("/mv643xx/coal/mask-without-ack", test_mask_without_ack);
    qtest_add_func("/mv643xx/coal/stays-up", test_stays_up);
    qtest_add_func("/mv643xx/coal/new-time", test_new_time);
    qtest_add_func("/mv643xx/coal/reset", test_reset);
    qtest_add_func("/mv643xx/coal/counts-by-usecs", test_counts_by_usecs);
    return g_test_run();
}
