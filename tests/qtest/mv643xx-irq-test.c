/*
 * mv643xx interrupts: causes, masks, summary bits, lines (section 7)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-util.h"

#define CAUSES  0x7fffffffu     /* all but the summary of enabled causes */

static void send_one(TxRing *r)
{
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    tx_ring_put_frame(r, &f, 0);
    tx_ring_kick(r);
    wire_expect_frame(r->n, &f);
}

/* No frame, but a kick: TxEnd alone */
static void kick_empty(Nic *n, unsigned q)
{
    nic_write(n, PORT(MV_TCQDP(q)), 0);
    nic_write(n, PORT(MV_TQC), 1u << q);
}

/*
 * b1 is the live OR of enabled extended causes.  Clearing those, and
 * nothing else, drops it and the line; the line follows the mask as a level.
 */
static void test_extended_summary(void)
{
    Nic *n = nic_new();
    TxRing r;

    nic_up(n);
    nic_write(n, PORT(MV_IME), IME_LINUX);
    nic_write(n, PORT(MV_IM), MV_IC_EXT);
    tx_ring_init(&r, n, 0, 4);
    send_one(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_EXT, !=, 0);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    /* writing zero to the summary itself does nothing while ICE is set */
    nic_write(n, PORT(MV_IC), ~MV_IC_EXT);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_EXT, !=, 0);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));

    nic_write(n, PORT(MV_IM), 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IM), MV_IC_EXT);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));

    nic_write(n, PORT(MV_IME), 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_EXT, ==, 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IME), IME_LINUX);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));

    nic_write(n, PORT(MV_ICE), ~MV_ICE_TXBUF(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_EXT, ==, 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    nic_free(n);
}

/* Writing ones neither sets nor clears, in any cause register */
static void test_write_ones(void)
{
    Nic *n = nic_new();

    nic_up(n);
    kick_empty(n, 3);
    nic_write(n, PORT(MV_IC), 0xffffffff);
    nic_write(n, PORT(MV_ICE), 0xffffffff);
    nic_write(n, MV_EUIC, 0xffffffff);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_TXEND(3));
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==, 0);
    g_assert_cmphex(nic_read(n, MV_EUIC), ==, 0);
    nic_free(n);
}

/* Each TxEnd bit is set by its queue, whatever the mask, and clears alone */
static void test_tx_end(void)
{
    Nic *n = nic_new();

    nic_up(n);
    for (unsigned q = 0; q < 8; q++) {
        kick_empty(n, q);
        /* the queue is seen idle before its end is reported */
        g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    }
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_TXEND_MASK);
    for (unsigned q = 0; q < 8; q++) {
        uint32_t left = MV_IC_TXEND_MASK & ~((2u << (19 + q)) - 1);

        nic_write(n, PORT(MV_IC), ~MV_IC_TXEND(q));
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, left);
    }
    nic_free(n);
}

/* One TxEnd each time the queue goes idle, not one a frame [H] */
static void test_tx_end_once(void)
{
    Nic *n = nic_new();
    TxRing r;
    Frame f;

    nic_up(n);
    tx_ring_init(&r, n, 0, 8);
    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    nic_write(n, PORT(MV_IM), MV_IC_TXEND(0));
    for (unsigned i = 0; i < 3; i++) {
        tx_ring_put_frame(&r, &f, 0);
    }
    tx_ring_kick(&r);
    g_assert_cmpuint(nic_counter(n, "irq-raised"), ==, 1);
    nic_write(n, PORT(MV_IC), 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    qtest_clock_step(n->qts, RX_HOLD_NS);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    /* and again with the next work */
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & CAUSES, ==, MV_IC_TXEND(0));
    g_assert_cmpuint(nic_counter(n, "irq-raised"), ==, 2);
    nic_free(n);
}

/* TxBuffer and TxError of each queue */
static void test_tx_extended(void)
{
    Nic *n = nic_new();

    nic_up(n);
    for (unsigned q = 0; q < 8; q++) {
        TxRing r;

        tx_ring_init(&r, n, q, 4);
        send_one(&r);
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==, MV_ICE_TXBUF(q));
        nic_write(n, PORT(MV_ICE), 0);

        /* a frame that never ends */
        mem_write32(n, tx_ring_desc(&r, r.head), MV_TXD_O | MV_TXD_F);
        tx_ring_kick(&r);
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==, MV_ICE_TXERR(q));
        nic_write(n, PORT(MV_ICE), ~MV_ICE_TXERR(q));
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==, 0);
    }
    nic_free(n);
}

/* RxBuffer and RxError of each queue, with their summaries b0 and b10 [M] */
static void test_rx(void)
{
    Nic *n = nic_new();
    Frame f;

    nic_up(n);
    for (unsigned q = 0; q < 8; q++) {
        RxRing r;

        filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, q);
        rx_ring_init(&r, n, q, 1, 256);
        frame_raw(&f, frame_nic_mac, 0x88b5, 100, q);
        wire_send_frame(n, &f);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                        MV_IC_RX | MV_IC_RXQ(q));
        nic_write(n, PORT(MV_IC), ~MV_IC_RXQ(q));
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);

        wire_send_frame(n, &f);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                        MV_IC_RXERR | MV_IC_RXERRQ(q));
        nic_write(n, PORT(MV_IC), ~MV_IC_RXERRQ(q));
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        nic_ack_all(n);
    }
    nic_free(n);
}

/* 0 written to everything clears everything; the event comes back with use */
static void test_clear_all(void)
{
    Nic *n = nic_new();
    RxRing rx;
    TxRing tx;
    Frame f;

    nic_up(n);
    rx_ring_init(&rx, n, 0, 4, 256);
    tx_ring_init(&tx, n, 0, 4);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    for (unsigned i = 0; i < 3; i++) {
        wire_send_frame(n, &f);
        send_one(&tx);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                        MV_IC_RX | MV_IC_RXQ(0) | MV_IC_TXEND(0));
        /* reading does not clear */
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                        MV_IC_RX | MV_IC_RXQ(0) | MV_IC_TXEND(0));
        nic_write(n, PORT(MV_IC), 0);
        nic_write(n, PORT(MV_ICE), 0);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==, 0);
    }
    nic_free(n);
}

/* B-14: b31 sums up the enabled causes; clearing ICE, then IC, ends it [L] */
static void test_summary_31(void)
{
    Nic *n = nic_new();
    TxRing r;

    nic_up(n);
    tx_ring_init(&r, n, 0, 4);
    send_one(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_SUM, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_SUM, ==, 0);
    nic_write(n, PORT(MV_IME), MV_ICE_TXBUF(0));
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==,
                    MV_ICE_SUM | MV_ICE_TXBUF(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_SUM, ==, 0);
    nic_write(n, PORT(MV_IM), MV_IC_EXT | MV_IC_TXEND(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                    MV_IC_SUM | MV_IC_EXT | MV_IC_TXEND(0));
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_ICE), 0);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IC), 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    nic_free(n);
}

/* C-19: mask, unmask, clear in every order leave the line where it belongs */
static void test_line_orders(void)
{
    Nic *n = nic_new();

    nic_up(n);
    /* cause before mask */
    kick_empty(n, 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IM), MV_IC_TXEND(0));
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IC), 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    /* mask before cause */
    kick_empty(n, 0);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IM), 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IC), 0);
    nic_write(n, PORT(MV_IM), MV_IC_TXEND(0));
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    /* another queue's mask */
    kick_empty(n, 1);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    /* two causes, one cleared */
    kick_empty(n, 0);
    nic_write(n, PORT(MV_IM), MV_IC_TXEND(0) | MV_IC_TXEND(1));
    nic_write(n, PORT(MV_IC), ~MV_IC_TXEND(0));
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_IC), ~MV_IC_TXEND(1));
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    nic_free(n);
}

/* C-19, A-31: a reset lowers every line */
static void test_reset_lowers(void)
{
    Nic *n = nic_new();

    nic_up(n);
    nic_write(n, PORT(MV_IM), 0x07ffffff);
    nic_write(n, MV_EUIM, MV_EUIC_SMI_DONE);
    kick_empty(n, 0);
    smi_read(n, 0, 2);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    g_assert_true(nic_irq(n, IRQ_GE0_TX));
    g_assert_true(nic_irq(n, IRQ_GE0_ERR));
    qtest_system_reset(n->qts);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    g_assert_false(nic_irq(n, IRQ_GE0_TX));
    g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IM)), ==, 0);
    nic_free(n);
}

static void expect_lines(Nic *n, unsigned first, bool sum, bool rx, bool tx,
                         bool misc)
{
    g_assert_cmpint(nic_irq(n, first), ==, sum);
    g_assert_cmpint(nic_irq(n, first + 1), ==, rx);
    g_assert_cmpint(nic_irq(n, first + 2), ==, tx);
    g_assert_cmpint(nic_irq(n, first + 3), ==, misc);
}

/* 7.6: SUM has everything, RX, TX and MISC their share [H for SUM, L] */
static void check_lines(const NicArgs *args, unsigned first, unsigned err)
{
    Nic *n = nic_new_args(args);
    RxRing rx;
    TxRing tx;
    Frame f;

    nic_up(n);
    nic_write(n, PORT(MV_IME), 0x03bfffff);
    nic_write(n, PORT(MV_IM), 0x07ffffff);
    rx_ring_init(&rx, n, 0, 4, 256);
    tx_ring_init(&tx, n, 0, 4);
    expect_lines(n, first, 0, 0, 0, 0);

    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    expect_lines(n, first, 1, 1, 0, 0);
    nic_ack_all(n);
    expect_lines(n, first, 0, 0, 0, 0);

    send_one(&tx);
    expect_lines(n, first, 1, 0, 1, 0);
    nic_write(n, PORT(MV_IC), 0);
    expect_lines(n, first, 1, 0, 1, 0);
    nic_ack_all(n);
    kick_empty(n, 0);
    expect_lines(n, first, 1, 0, 1, 0);
    nic_ack_all(n);

    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_NO_FORCE_FAIL, 0);
    expect_lines(n, first, 1, 0, 0, 1);
    /* without b1 in the mask the extended causes reach no line */
    nic_write(n, PORT(MV_IM), ~MV_IC_EXT & 0x07ffffff);
    expect_lines(n, first, 0, 0, 0, 0);
    nic_ack_all(n);

    g_assert_false(nic_irq(n, err));
    nic_write(n, MV_EUIM, MV_EUIC_SMI_DONE);
    nic_write(n, MV_SMI, MV_SMI_OP_READ | 2 << MV_SMI_REG_SHIFT);
    g_assert_true(nic_irq(n, err));
    expect_lines(n, first, 0, 0, 0, 0);
    nic_write(n, MV_EUIC, ~MV_EUIC_SMI_DONE);
    g_assert_false(nic_irq(n, err));
    nic_free(n);
}

static void test_lines_ge0(void)
{
    check_lines(&(NicArgs) { }, IRQ_GE0_SUM, IRQ_GE0_ERR);
}

static void test_lines_ge1(void)
{
    check_lines(&(NicArgs) { .machine = "guruplug", .gbe = 1 }, IRQ_GE1_SUM,
                IRQ_GE1_ERR);
}

/* SDC b0: an RX interrupt for each frame, whatever EI says [L] */
static void test_rifb(void)
{
    Nic *n = nic_new();
    RxRing r;
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 8, 64);
    frame_raw(&f, frame_nic_mac, 0x88b5, 150, 1);
    for (unsigned i = 0; i < 8; i++) {
        mem_write32(n, rx_ring_desc(&r, i), MV_RXD_O);
    }
    wire_send_frame(n, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    nic_write(n, PORT(MV_SDC), 0x00800034 | MV_SDC_RIFB);
    wire_send_frame(n, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_RX | MV_IC_RXQ(0));
    nic_free(n);
}

/* EI on any descriptor of a frame is enough without RIFB [L] */
static void test_ei_in_first(void)
{
    Nic *n = nic_new();
    RxRing r;
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 8, 64);
    frame_raw(&f, frame_nic_mac, 0x88b5, 150, 1);
    mem_write32(n, rx_ring_desc(&r, 1), MV_RXD_O);
    mem_write32(n, rx_ring_desc(&r, 2), MV_RXD_O);
    wire_send_frame(n, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_RX | MV_IC_RXQ(0));
    nic_free(n);
}

/* Section 2.4: the unit's own cause, mask, summary and line [M] */
static void test_unit_cause(void)
{
    Nic *n = nic_new();

    smi_read(n, 0, 2);
    g_assert_cmphex(nic_read(n, MV_EUIC), ==, MV_EUIC_SMI_DONE);
    g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    /* stale completion: unmasking interrupts at once */
    nic_write(n, MV_EUIM, MV_EUIC_SMI_DONE);
    g_assert_true(nic_irq(n, IRQ_GE0_ERR));
    g_assert_cmphex(nic_read(n, MV_EUIC), ==,
                    MV_EUIC_SMI_DONE | MV_EUIC_SUM);
    nic_write(n, MV_EUIC, ~MV_EUIC_SUM);
    g_assert_true(nic_irq(n, IRQ_GE0_ERR));
    nic_write(n, MV_EUIM, 0);
    g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    g_assert_cmphex(nic_read(n, MV_EUIC), ==, MV_EUIC_SMI_DONE);
    nic_write(n, MV_EUIC, ~MV_EUIC_SMI_DONE);
    g_assert_cmphex(nic_read(n, MV_EUIC), ==, 0);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/irq/A-22-extended-summary",
                   test_extended_summary);
    qtest_add_func("/mv643xx/irq/A-22-write-ones", test_write_ones);
    qtest_add_func("/mv643xx/irq/A-16-tx-end", test_tx_end);
    qtest_add_func("/mv643xx/irq/tx-end-once", test_tx_end_once);
    qtest_add_func("/mv643xx/irq/tx-extended", test_tx_extended);
    qtest_add_func("/mv643xx/irq/rx", test_rx);
    qtest_add_func("/mv643xx/irq/A-22-clear-all", test_clear_all);
    qtest_add_func("/mv643xx/irq/B-14-summary", test_summary_31);
    qtest_add_func("/mv643xx/irq/C-19-line-orders", test_line_orders);
    qtest_add_func("/mv643xx/irq/C-19-reset-lowers", test_reset_lowers);
    qtest_add_func("/mv643xx/irq/lines-ge0", test_lines_ge0);
    qtest_add_func("/mv643xx/irq/lines-ge1", test_lines_ge1);
    qtest_add_func("/mv643xx/irq/rifb", test_rifb);
    qtest_add_func("/mv643xx/irq/ei-in-first", test_ei_in_first);
    qtest_add_func("/mv643xx/irq/A-29-unit-cause", test_unit_cause);
    return g_test_run();
}
