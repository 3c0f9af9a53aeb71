/*
 * mv643xx smoke test: the short list a model must pass before anything else
 *
 * Numbers are those of section 12.8 of the hardware description.  Check 12
 * (descriptors in the big-endian layout, rings in the SRAM window, port 1)
 * belongs to the Discovery variant, which no board here has: it is not run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-util.h"

/* 1: the order in which Linux probes [H] */
static void test_probe(void)
{
    Nic *n = nic_new();

    for (unsigned i = 0; i < 6; i++) {
        nic_write(n, MV_WIN_BASE(i), 0);
        nic_write(n, MV_WIN_SIZE(i), 0);
        if (i < 4) {
            nic_write(n, MV_WIN_REMAP(i), 0);
        }
    }
    nic_write(n, MV_WIN_BASE(0), 0x00000e00);
    nic_write(n, MV_WIN_SIZE(0), 0x1fff0000);
    nic_write(n, MV_BARE, 0x3e);
    nic_write(n, PORT(MV_SDC), 0x02000000);
    g_assert_cmphex(nic_read(n, PORT(MV_SDC)) & 0x02000000, !=, 0);
    nic_write(n, PORT(MV_TX_MTU), 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_MTU)) & 1, ==, 1);
    nic_write(n, PORT(MV_PS1), 7);
    g_assert_cmphex(nic_read(n, PORT(MV_PS1)) & 7, ==, 0);
    nic_free(n);
}

/* 2: identity of the 88E1116R at address 0, completion interrupt [H] */
static void test_mdio(void)
{
    Nic *n = nic_new();

    nic_write(n, MV_EUIM, 0x10);
    g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    g_assert_cmphex(smi_read(n, 0, 2), ==, 0x0141);
    g_assert_cmphex(nic_read(n, MV_EUIC) & 0x10, ==, 0x10);
    g_assert_true(nic_irq(n, IRQ_GE0_ERR));
    nic_write(n, MV_EUIC, 0xffffffef);
    g_assert_cmphex(nic_read(n, MV_EUIC), ==, 0);
    g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    g_assert_cmphex(smi_read(n, 0, 3) & 0xfff0, ==, 0x0e40);
    nic_free(n);
}

/* 3: link comes up with the port, 1000 full and TX FIFO empty [H] */
static void test_link(void)
{
    Nic *n = nic_new();

    nic_write(n, PORT(MV_IME), IME_LINUX);
    nic_write(n, PORT(MV_IM), IM_LINUX);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    nic_write(n, PORT(MV_PSC0), 0x000a0200);
    nic_write(n, PORT(MV_PSC0), 0x000a0201);
    nic_write(n, PORT(MV_PSC0), 0x000a0601);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_LINK, !=, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_EXT, !=, 0);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, 0x416);
    nic_free(n);
}

/* 4: minimum frames of three kinds: 66 bytes counted, data at +2 [H] */
static void test_rx(void)
{
    Nic *n = nic_new();
    RxRing r;
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 4, 1536);

    frame_build(&f, &(FrameSpec) { .payload = 6 });
    g_assert_cmpuint(f.len, ==, 60);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);

    frame_build(&f, &(FrameSpec) { .proto = FRAME_UDP, .payload = 18 });
    g_assert_cmpuint(f.len, ==, 60);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_UDP);

    frame_arp(&f, frame_broadcast);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_NOT_IP);
    nic_free(n);
}

/* A TCP frame in three buffers, checksums to be filled in by the port */
static unsigned put_three(TxRing *r, Frame *f)
{
    static uint8_t raw[FRAME_MAX];
    TxBuf bufs[3];

    frame_build(f, &(FrameSpec) { .payload = 1000 });
    memcpy(raw, f->data, f->len);
    memset(raw + f->l3 + 10, 0xff, 2);
    memset(raw + f->l4 + 16, 0xff, 2);
    bufs[0] = (TxBuf) { raw, 54, 2 };
    bufs[1] = (TxBuf) { raw + 54, 500, 0 };
    bufs[2] = (TxBuf) { raw + 554, f->len - 554, 5 };
    return tx_ring_put(r, bufs, 3, MV_TXD_GEN_IP | MV_TXD_GEN_L4 |
                       MV_TXD_L4_FULL | 5 << MV_TXD_IHL_SHIFT, 0);
}

/* 5 and 6: three descriptors, causes, and the pointer at the producer [H] */
static void test_tx(void)
{
    Nic *n = nic_new();
    TxRing r;
    Frame f;
    unsigned first;

    nic_up(n);
    nic_write(n, PORT(MV_IME), IME_LINUX);
    tx_ring_init(&r, n, 0, 8);
    first = put_three(&r, &f);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    tx_ring_expect_done(&r, first, 3);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & ~MV_ICE_SUM, ==,
                    MV_ICE_TXBUF(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                    MV_IC_EXT | MV_IC_TXEND(0));
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==,
                    tx_ring_desc(&r, r.head));
    nic_free(n);
}

/* 7: a dry ring that is refilled with no register access goes on [H] */
static void test_refill(void)
{
    Nic *n = nic_new();
    RxRing r;
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 2, 1536);
    for (unsigned i = 0; i < 2; i++) {
        frame_build(&f, &(FrameSpec) { .payload = 100, .seed = i });
        wire_send_frame(n, &f);
        rx_ring_expect(&r, &f, RX_GOOD_TCP);
    }
    frame_build(&f, &(FrameSpec) { .payload = 100, .seed = 2 });
    wire_send_frame(n, &f);
    rx_ring_refill(&r);
    qtest_clock_step(n->qts, RX_RETRY_NS);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    frame_build(&f, &(FrameSpec) { .payload = 100, .seed = 3 });
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    nic_free(n);
}

/* 8: writing zeros clears exactly those bits, and b1 follows ICE [H] */
static void test_ack(void)
{
    Nic *n = nic_new();
    RxRing rx;
    TxRing tx;
    Frame f;

    nic_up(n);
    nic_write(n, PORT(MV_IME), IME_LINUX);
    rx_ring_init(&rx, n, 0, 4, 1536);
    tx_ring_init(&tx, n, 0, 4);
    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_RX | MV_IC_RXQ(0) |
                    MV_IC_EXT | MV_IC_TXEND(0));
    nic_write(n, PORT(MV_IC), ~MV_IC_RXQ(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                    MV_IC_EXT | MV_IC_TXEND(0));
    nic_write(n, PORT(MV_IC), ~MV_IC_TXEND(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_EXT);
    nic_write(n, PORT(MV_ICE), ~MV_ICE_TXBUF(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    nic_free(n);
}

/* 9: the addresses of table 8.3 and where they are looked up [H] */
static void test_multicast(void)
{
    static const struct {
        uint8_t mac[6];
        uint32_t table;
        uint8_t entry;
    } rows[] = {
        { { 0x33, 0x33, 0, 0, 0, 1 }, MV_OMC_BASE(0), 0x29 },
        { { 0x33, 0x33, 0xff, 0x12, 0x34, 0x56 }, MV_OMC_BASE(0), 0x83 },
        { { 0x01, 0x80, 0xc2, 0, 0, 0 }, MV_OMC_BASE(0), 0x38 },
        { { 0x01, 0x80, 0xc2, 0, 0, 0x0e }, MV_OMC_BASE(0), 0x12 },
        { { 0x01, 0, 0x5e, 0x7f, 0xff, 0xfa }, MV_OMC_BASE(0), 0x0e },
        { { 0x01, 0, 0x0c, 0xcc, 0xcc, 0xcc }, MV_OMC_BASE(0), 0xcd },
        /* NTP: the fifth octet keeps it out of the special table */
        { { 0x01, 0, 0x5e, 0, 1, 1 }, MV_OMC_BASE(0), 0x03 },
        { { 0x01, 0, 0x5e, 0, 0, 0xfb }, MV_SMC_BASE(0), 0xfb },
    };
    Nic *n = nic_new();
    RxRing r;
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 4, 1536);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].table == MV_OMC_BASE(0)) {
            g_assert_cmphex(frame_crc8(rows[i].mac), ==, rows[i].entry);
        }
        frame_raw(&f, rows[i].mac, 0x88b5, 100, i);
        wire_send_frame(n, &f);
        rx_ring_expect_none(&r);
        filter_set(n, rows[i].table, rows[i].entry, true, 0);
        wire_send_frame(n, &f);
        rx_ring_expect(&r, &f, RX_NOT_IP);
        rx_ring_refill(&r);
        filter_set(n, rows[i].table, rows[i].entry, false, 0);
    }
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, ARRAY_SIZE(rows));
    nic_free(n);
}

/* 10: counters count and clear when read [H] */
static void test_mib(void)
{
    Nic *n = nic_new();
    RxRing r;
    Frame f;

    nic_up(n);
    rx_ring_init(&r, n, 0, 4, 1536);
    frame_build(&f, &(FrameSpec) { .payload = 200 });
    wire_send_frame(n, &f);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 1);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_LO)), ==, 254 + 4);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_LO)), ==, 0);
    nic_free(n);
}

/* 11: halt closes the windows first; init on top of that works again [H] */
static void test_halt_init(void)
{
    Nic *n = nic_new();
    RxRing r;
    Frame f;

    for (unsigned cycle = 0; cycle < 5; cycle++) {
        nic_up(n);
        rx_ring_init(&r, n, 0, 4, 1536);
        frame_build(&f, &(FrameSpec) { .payload = 100, .seed = cycle });
        wire_send_frame(n, &f);
        rx_ring_expect(&r, &f, RX_GOOD_TCP);

        nic_write(n, MV_BARE, 0x3f);
        wire_send_frame(n, &f);
        rx_ring_expect_none(&r);
        nic_write(n, PORT(MV_RQC), 1 << 8);
        g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 0);
        nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
        nic_ack_all(n);
    }
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/smoke/01-linux-probe", test_probe);
    qtest_add_func("/mv643xx/smoke/02-mdio-identity", test_mdio);
    qtest_add_func("/mv643xx/smoke/03-link-up", test_link);
    qtest_add_func("/mv643xx/smoke/04-rx-minimum-frames", test_rx);
    qtest_add_func("/mv643xx/smoke/05-06-tx-checksum-pointer", test_tx);
    nic_add_ideal_test("/mv643xx/smoke/07-refill", test_refill);
    qtest_add_func("/mv643xx/smoke/08-acknowledge", test_ack);
    qtest_add_func("/mv643xx/smoke/09-multicast-tables", test_multicast);
    qtest_add_func("/mv643xx/smoke/10-mib", test_mib);
    qtest_add_func("/mv643xx/smoke/11-halt-init", test_halt_init);
    return g_test_run();
}
