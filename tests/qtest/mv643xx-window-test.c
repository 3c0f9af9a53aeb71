/*
 * mv643xx DMA address windows and their faults (section 3)
 *
 * No source says what silicon does on a fault.  The model refuses the access,
 * latches cause and address, and treats a failed descriptor as not owned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-util.h"

#define FAULTS  (MV_EUIC_ADDR_VIOLATION | MV_EUIC_ADDR_NO_MATCH)

/* Window @w from @base on for @size bytes, alone */
static void one_window(Nic *n, unsigned w, uint32_t base, uint32_t size,
                       uint32_t access)
{
    nic_write(n, MV_BARE, 0x3f);
    nic_write(n, MV_WIN_BASE(w), base | 0xe00);
    nic_write(n, MV_WIN_SIZE(w), (size - 1) & 0xffff0000);
    nic_write(n, MV_EPAP(0), access << 2 * w);
    nic_write(n, MV_BARE, 0x3f & ~(1u << w));
}

static Nic *window_up(TxRing *r)
{
    Nic *n = nic_new();

    nic_up(n);
    tx_ring_init(r, n, 0, 4);
    return n;
}

static void put_at(Nic *n, uint32_t desc, uint32_t buf, const Frame *f)
{
    desc_write(n, desc, &(Desc) {
        .cmd_sts = MV_TXD_O | MV_TXD_F | MV_TXD_L | MV_TXD_EI,
        .count = f->len, .buf = buf,
    });
    mem_write(n, buf, f->data, f->len);
    nic_write(n, PORT(MV_TCQDP(0)), desc);
}

/* Send from @desc and @buf: either the frame, or nothing and the fault */
static void expect_send(Nic *n, uint32_t desc, uint32_t buf, uint32_t fault,
                        uint32_t address)
{
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, desc >> 16);
    put_at(n, desc, buf, &f);
    nic_write(n, PORT(MV_TQC), 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    if (!fault) {
        wire_expect_frame(n, &f);
        g_assert_cmphex(nic_read(n, MV_EUIC) & FAULTS, ==, 0);
        g_assert_cmphex(mem_read32(n, desc) & MV_TXD_O, ==, 0);
    } else {
        wire_expect_none(n);
        g_assert_cmphex(nic_read(n, MV_EUIC) & FAULTS, ==, fault);
        g_assert_cmphex(nic_read(n, MV_EUEA), ==, address);
        /* no descriptor is as good as one that is not owned (3.3) */
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), ==,
                        address == desc ? 0 : MV_ICE_TXERR(0));
        g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_TXEND(0), !=, 0);
    }
    nic_ack_all(n);
}

/* Each of the six windows decodes; base and size bound it exactly [H] */
static void test_match(void)
{
    TxRing r;
    Nic *n = window_up(&r);

    for (unsigned w = 0; w < 6; w++) {
        one_window(n, w, 0x00300000, 0x00100000, 3);
        expect_send(n, 0x00300000, 0x003ffc00, 0, 0);
        expect_send(n, 0x003ffff0, 0x00300000, 0, 0);
        expect_send(n, 0x002ffff0, 0x00300000, MV_EUIC_ADDR_NO_MATCH,
                    0x002ffff0);
        expect_send(n, 0x00400000, 0x00300000, MV_EUIC_ADDR_NO_MATCH,
                    0x00400000);
        /* an address that differs in a high bit only */
        expect_send(n, 0x10300000, 0x00300000, MV_EUIC_ADDR_NO_MATCH,
                    0x10300000);
    }
    nic_free(n);
}

/* The smallest window is 64 KiB; the low half of SIZE is ignored [H] */
static void test_size(void)
{
    TxRing r;
    Nic *n = window_up(&r);

    one_window(n, 0, 0x00300000, 0x00010000, 3);
    nic_write(n, MV_WIN_SIZE(0), 0x0000ffff);
    expect_send(n, 0x00300000, 0x0030ff00, 0, 0);
    expect_send(n, 0x00310000, 0x00300000, MV_EUIC_ADDR_NO_MATCH,
                0x00310000);
    nic_write(n, MV_WIN_SIZE(0), 0x00010000);
    expect_send(n, 0x00310000, 0x00300000, 0, 0);
    nic_free(n);
}

/* BARE: one bit for each window; all set stops all DMA [H] */
static void test_bare(void)
{
    TxRing r;
    Nic *n = window_up(&r);

    for (unsigned w = 0; w < 6; w++) {
        nic_write(n, MV_WIN_BASE(w), (0x00300000 + 0x10000 * w) | 0xe00);
        nic_write(n, MV_WIN_SIZE(w), 0);
    }
    nic_write(n, MV_EPAP(0), 0xfff);
    for (unsigned w = 0; w < 6; w++) {
        uint32_t desc = 0x00300000 + 0x10000 * w;

        nic_write(n, MV_BARE, 0x3f & ~(1u << w));
        expect_send(n, desc, desc + 0x100, 0, 0);
        nic_write(n, MV_BARE, 1u << w);
        expect_send(n, desc, desc + 0x100, MV_EUIC_ADDR_NO_MATCH, desc);
    }
    nic_write(n, MV_BARE, 0x3f);
    expect_send(n, 0x00300000, 0x00300100, MV_EUIC_ADDR_NO_MATCH,
                0x00300000);
    nic_free(n);
}

/* C-18: buffers are checked like descriptors, and no part of a frame leaves */
static void test_buffer_fault(void)
{
    TxRing r;
    Nic *n = window_up(&r);
    TxBuf bufs[2];
    Frame f;

    one_window(n, 0, 0x00200000, 0x00100000, 3);
    expect_send(n, 0x00200000, 0x00400000, MV_EUIC_ADDR_NO_MATCH,
                0x00400000);
    g_assert_cmphex(mem_read32(n, 0x00200000) & MV_TXD_O, ==, 0);
    /* the second buffer of a frame */
    frame_raw(&f, frame_peer_mac, 0x88b5, 200, 1);
    bufs[0] = (TxBuf) { f.data, 100, 0 };
    bufs[1] = (TxBuf) { f.data + 100, 100, 0 };
    tx_ring_init(&r, n, 0, 4);
    tx_ring_put(&r, bufs, 2, 0, 0);
    mem_write32(n, tx_ring_desc(&r, 0) + MV_DESC_BUF, 0x00280000);
    tx_ring_kick(&r);
    wire_expect_none(n);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
    g_assert_cmphex(nic_read(n, MV_EUEA), ==, MEM_TX_BUF(0, 1));
    nic_free(n);
}

/* A buffer that leaves its window at byte n is not sent up to byte n */
static void test_buffer_crosses(void)
{
    TxRing r;
    Nic *n = window_up(&r);

    one_window(n, 0, 0x00300000, 0x00010000, 3);
    expect_send(n, 0x00300000, 0x00310000 - 50, MV_EUIC_ADDR_NO_MATCH,
                0x00310000);
    /* two windows side by side are as good as one [L] */
    nic_write(n, MV_WIN_BASE(1), 0x00310e00);
    nic_write(n, MV_WIN_SIZE(1), 0);
    nic_write(n, MV_EPAP(0), 0xf);
    nic_write(n, MV_BARE, 0x3c);
    expect_send(n, 0x00300000, 0x00310000 - 50, 0, 0);
    nic_free(n);
}

/* EPAP 0 allows nothing, 1 reading only; 3 everything [H for 3, M] */
static void test_protection(void)
{
    TxRing r;
    Nic *n = window_up(&r);

    one_window(n, 0, 0, 0x20000000, MV_EPAP_NONE);
    expect_send(n, 0x00300000, 0x00300100, MV_EUIC_ADDR_VIOLATION,
                0x00300000);
    g_assert_cmphex(mem_read32(n, 0x00300000) & MV_TXD_O, !=, 0);
    nic_write(n, MV_EPAP(0), MV_EPAP_FULL);
    expect_send(n, 0x00300000, 0x00300100, 0, 0);
    nic_free(n);
}

/* Read-only: the frame cannot be given back, so the queue stops on it */
static void test_read_only_tx(void)
{
    TxRing r;
    Nic *n = window_up(&r);
    Frame f;

    one_window(n, 0, 0, 0x20000000, MV_EPAP_READ);
    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, MV_EUIC) & FAULTS, ==,
                    MV_EUIC_ADDR_VIOLATION);
    g_assert_cmphex(nic_read(n, MV_EUEA) & ~0xfu, ==, tx_ring_desc(&r, 0));
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_TXEND(0), !=, 0);
    g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, 0)) & MV_TXD_O, !=, 0);
    g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, 1)) & MV_TXD_O, !=, 0);
    g_assert_cmpuint(wire_flush(n), <=, 1);
    nic_free(n);
}

static void test_read_only_rx(void)
{
    RxRing r;
    Nic *n = nic_new();
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 4, 1536);
    one_window(n, 0, 0, 0x20000000, MV_EPAP_READ);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    rx_ring_expect_none(&r);
    g_assert_cmphex(mem_read32(n, MEM_RX_BUF(0, 0)), ==, 0xa5a5a5a5);
    g_assert_cmphex(nic_read(n, MV_EUIC) & FAULTS, ==,
                    MV_EUIC_ADDR_VIOLATION);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_RXERRQ(0), !=, 0);
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
    rx_ring_expect_none(&r);
    nic_write(n, MV_EPAP(0), MV_EPAP_FULL);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_NOT_IP);
    nic_free(n);
}

/* The first fault's address stays until the causes are cleared */
static void test_first_address(void)
{
    TxRing r;
    Nic *n = window_up(&r);
    Frame f;

    one_window(n, 0, 0x00300000, 0x00010000, 3);
    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    put_at(n, 0x00500000, 0x00300000, &f);
    nic_write(n, PORT(MV_TQC), 1);
    put_at(n, 0x00600000, 0x00300000, &f);
    nic_write(n, PORT(MV_TQC), 1);
    g_assert_cmphex(nic_read(n, MV_EUEA), ==, 0x00500000);
    nic_write(n, MV_EUIC, 0);
    nic_write(n, PORT(MV_TQC), 1);
    g_assert_cmphex(nic_read(n, MV_EUEA), ==, 0x00600000);
    nic_free(n);
}

/* 2.4: both faults reach the unit's interrupt through their mask bits */
static void test_interrupt(void)
{
    TxRing r;
    Nic *n = window_up(&r);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    put_at(n, 0x00300000, 0x00300100, &f);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t cause = i ? MV_EUIC_ADDR_VIOLATION : MV_EUIC_ADDR_NO_MATCH;

        if (i) {
            one_window(n, 0, 0, 0x20000000, MV_EPAP_NONE);
        } else {
            nic_write(n, MV_BARE, 0x3f);
        }
        nic_write(n, MV_EUIM, cause ^ FAULTS);
        nic_write(n, PORT(MV_TQC), 1);
        g_assert_false(nic_irq(n, IRQ_GE0_ERR));
        nic_write(n, MV_EUIM, cause);
        g_assert_true(nic_irq(n, IRQ_GE0_ERR));
        nic_write(n, MV_EUIC, ~cause);
        g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    }
    nic_free(n);
}

/* C-18: a receive buffer out of reach costs the frame, not the memory */
static void test_rx_buffer_fault(void)
{
    RxRing r;
    Nic *n = nic_new();
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 4, 1536);
    one_window(n, 0, 0, 0x01000000, MV_EPAP_FULL);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
    g_assert_cmphex(mem_read32(n, MEM_RX_BUF(0, 0)), ==, 0xa5a5a5a5);
    g_assert_cmphex(nic_read(n, MV_EUIC) & FAULTS, ==, MV_EUIC_ADDR_NO_MATCH);
    g_assert_cmphex(nic_read(n, MV_EUEA) & ~7u, ==, MEM_RX_BUF(0, 0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_RXERRQ(0), !=, 0);
    nic_free(n);
}

/*
 * B-04: windows shut while the ring is live, as U-Boot does it.  Nothing is
 * written, the fault is latched, disabling is acknowledged all the same, and
 * nothing arrives late.
 */
static void test_shut_under_ring(void)
{
    RxRing r;
    Nic *n = nic_new();
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 4, 1536);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    nic_write(n, MV_BARE, 0x3f);
    for (unsigned i = 0; i < 3; i++) {
        wire_send_frame(n, &f);
        rx_ring_expect_none(&r);
    }
    g_assert_cmphex(nic_read(n, MV_EUIC) & FAULTS, ==, MV_EUIC_ADDR_NO_MATCH);
    g_assert_cmphex(nic_read(n, MV_EUEA), ==, rx_ring_desc(&r, 0));
    nic_write(n, PORT(MV_RQC), 0x100);
    g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 0);
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    wire_send_frame(n, &f);
    nic_open_dma(n);
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
    rx_ring_expect_none(&r);
    g_assert_cmpuint(nic_counter(n, "rx-delivered"), ==, 0);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 0);
    nic_free(n);
}

/* Addresses at the very top: whether they wrap is unknown, no harm is done */
static void test_top_of_memory(void)
{
    TxRing r;
    Nic *n = window_up(&r);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    put_at(n, 0x00300000, 0x00300100, &f);
    mem_write32(n, 0x00300000 + MV_DESC_BUF, 0xffffffc0);
    nic_write(n, PORT(MV_TQC), 1);
    wire_expect_none(n);
    nic_write(n, PORT(MV_TCQDP(0)), 0xfffffff8);
    nic_write(n, PORT(MV_TQC), 1);
    wire_expect_none(n);
    /* all of the address space in one window */
    one_window(n, 0, 0, 0, MV_EPAP_FULL);
    nic_write(n, MV_WIN_SIZE(0), 0xffff0000);
    put_at(n, 0x00300000, 0x00300100, &f);
    mem_write32(n, 0x00300000 + MV_DESC_BUF, 0xffffffc0);
    nic_write(n, PORT(MV_TQC), 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmpuint(wire_flush(n), <=, 1);
    nic_write(n, PORT(MV_TCQDP(0)), 0xfffffff8);
    nic_write(n, PORT(MV_TQC), 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/window/match", test_match);
    qtest_add_func("/mv643xx/window/size", test_size);
    qtest_add_func("/mv643xx/window/bare", test_bare);
    qtest_add_func("/mv643xx/window/C-18-buffer-fault", test_buffer_fault);
    qtest_add_func("/mv643xx/window/C-18-buffer-crosses",
                   test_buffer_crosses);
    qtest_add_func("/mv643xx/window/C-18-protection", test_protection);
    qtest_add_func("/mv643xx/window/C-18-read-only-tx", test_read_only_tx);
    qtest_add_func("/mv643xx/window/C-18-read-only-rx", test_read_only_rx);
    qtest_add_func("/mv643xx/window/first-address", test_first_address);
    qtest_add_func("/mv643xx/window/interrupt", test_interrupt);
    qtest_add_func("/mv643xx/window/C-18-rx-buffer-fault",
                   test_rx_buffer_fault);
    qtest_add_func("/mv643xx/window/B-04-shut-under-ring",
                   test_shut_under_ring);
    qtest_add_func("/mv643xx/window/top-of-memory", test_top_of_memory);
    return g_test_run();
}
