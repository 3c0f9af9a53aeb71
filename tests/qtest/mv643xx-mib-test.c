/*
 * mv643xx MIB counters (section 9): sizes and octets include the FCS
 *
 * Counters that never count here, because no backend brings what they
 * count, are only checked to stay zero: bad frames, fragments, collisions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

typedef struct MibValue {
    uint32_t offset;
    uint32_t value;
} MibValue;

/* Read and so clear all 32 counters: the named ones as given, others zero */
static void expect_mib(Nic *n, const MibValue *want, size_t count)
{
    for (uint32_t offset = 0; offset < MV_MIB_SIZE; offset += 4) {
        uint32_t value = 0;

        for (size_t i = 0; i < count; i++) {
            value += want[i].offset == offset ? want[i].value : 0;
        }
        g_test_message("MIB 0x%02x", offset);
        g_assert_cmpuint(nic_read(n, MIB(offset)), ==, value);
        g_assert_cmpuint(nic_read(n, MIB(offset)), ==, 0);
    }
}

#define EXPECT_MIB(n, ...) do {                                         \
        const MibValue want_[] = { __VA_ARGS__ };                       \
        expect_mib(n, want_, ARRAY_SIZE(want_));                        \
    } while (0)

static Nic *mib_up(RxRing *rx, TxRing *tx)
{
    Nic *n = nic_new();

    nic_up(n);
    nic_rmw(n, PORT(MV_PSC0), 7u << MV_PSC0_MRU_SHIFT,
            5u << MV_PSC0_MRU_SHIFT);
    rx_ring_init(rx, n, 0, 4, 9728);
    tx_ring_init(tx, n, 0, 4);
    return n;
}

/* Size buckets at their borders, without the 4 bytes of FCS */
static const struct {
    uint16_t len;
    uint32_t bucket;
} sizes[] = {
    { 60, MV_MIB_SIZE_64 },
    { 61, MV_MIB_SIZE_65_127 }, { 123, MV_MIB_SIZE_65_127 },
    { 124, MV_MIB_SIZE_128_255 }, { 251, MV_MIB_SIZE_128_255 },
    { 252, MV_MIB_SIZE_256_511 }, { 507, MV_MIB_SIZE_256_511 },
    { 508, MV_MIB_SIZE_512_1023 }, { 1019, MV_MIB_SIZE_512_1023 },
    { 1020, MV_MIB_SIZE_1024_MAX }, { 1514, MV_MIB_SIZE_1024_MAX },
    { 9000, MV_MIB_SIZE_1024_MAX },
};

static void test_rx_sizes(void)
{
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, sizes[i].len, i);
        wire_send_frame(n, &f);
        rx_ring_expect(&rx, &f, RX_NOT_IP);
        rx_ring_refill(&rx);
        EXPECT_MIB(n, { MV_MIB_RX_FRAMES, 1 },
                   { MV_MIB_RX_OCTETS_LO, sizes[i].len + 4 },
                   { sizes[i].bucket, 1 });
    }
    nic_free(n);
}

static void test_tx_sizes(void)
{
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        frame_raw(&f, frame_peer_mac, 0x88b5, sizes[i].len, i);
        tx_ring_put_frame(&tx, &f, 0);
        tx_ring_kick(&tx);
        wire_expect_frame(n, &f);
        EXPECT_MIB(n, { MV_MIB_TX_FRAMES, 1 },
                   { MV_MIB_TX_OCTETS_LO, sizes[i].len + 4 },
                   { sizes[i].bucket, 1 });
    }
    nic_free(n);
}

/* Padding counts as sent */
static void test_padding(void)
{
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 20, 1);
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    EXPECT_MIB(n, { MV_MIB_TX_FRAMES, 1 }, { MV_MIB_TX_OCTETS_LO, 64 },
               { MV_MIB_SIZE_64, 1 });
    nic_free(n);
}

/* Broadcast and multicast, both ways, are good frames as well */
static void test_group_addresses(void)
{
    static const uint8_t multicast[6] = { 0x01, 0, 0x5e, 0, 0, 1 };
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    frame_raw(&f, frame_broadcast, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    EXPECT_MIB(n, { MV_MIB_RX_FRAMES, 1 }, { MV_MIB_RX_OCTETS_LO, 104 },
               { MV_MIB_RX_BROADCAST, 1 }, { MV_MIB_SIZE_65_127, 1 });
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    EXPECT_MIB(n, { MV_MIB_TX_FRAMES, 1 }, { MV_MIB_TX_OCTETS_LO, 104 },
               { MV_MIB_TX_BROADCAST, 1 }, { MV_MIB_SIZE_65_127, 1 });

    filter_set(n, MV_SMC_BASE(0), 1, true, 0);
    frame_raw(&f, multicast, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    EXPECT_MIB(n, { MV_MIB_RX_FRAMES, 1 }, { MV_MIB_RX_OCTETS_LO, 104 },
               { MV_MIB_RX_MULTICAST, 1 }, { MV_MIB_SIZE_65_127, 1 });
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    EXPECT_MIB(n, { MV_MIB_TX_FRAMES, 1 }, { MV_MIB_TX_OCTETS_LO, 104 },
               { MV_MIB_TX_MULTICAST, 1 }, { MV_MIB_SIZE_65_127, 1 });
    nic_free(n);
}

/* The MIB is in front of the address filter [R]; the discard is counted too */
static void test_filtered(void)
{
    static const uint8_t foreign[6] = { 0x02, 1, 2, 3, 4, 5 };
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    frame_raw(&f, foreign, 0x88b5, 100, 1);
    for (unsigned i = 0; i < 3; i++) {
        wire_send_frame(n, &f);
    }
    EXPECT_MIB(n, { MV_MIB_RX_FRAMES, 3 }, { MV_MIB_RX_OCTETS_LO, 312 },
               { MV_MIB_SIZE_65_127, 3 });
    g_assert_cmpuint(nic_read(n, PORT(MV_PXDFC)), ==, 3);
    g_assert_cmpuint(nic_read(n, PORT(MV_PXDFC)), ==, 0);
    g_assert_cmpuint(nic_read(n, PORT(MV_PXOFC)), ==, 0);
    nic_free(n);
}

/* Nothing counts while the port is off or the link is down */
static void test_not_receiving(void)
{
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    wire_send_frame(n, &f);
    expect_mib(n, NULL, 0);
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_NO_FORCE_FAIL, MV_PSC0_PORT_EN);
    wire_send_frame(n, &f);
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    expect_mib(n, NULL, 0);
    nic_free(n);
}

/* Too long for MRU: oversize, and not a good frame */
static void test_oversize(void)
{
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    nic_rmw(n, PORT(MV_PSC0), 7u << MV_PSC0_MRU_SHIFT, 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 1515, 1);
    wire_send_frame(n, &f);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_OVERSIZE)), ==, 1);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_LO)), ==, 0);
    nic_free(n);
}

/* MAC control: good pause, unknown opcode; neither is a good frame [R] */
static void test_mac_control(void)
{
    static const uint8_t pause_mac[6] = { 0x01, 0x80, 0xc2, 0, 0, 0x01 };
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;

    frame_raw(&f, pause_mac, 0x8808, 60, 0);
    stw_be_p(f.data + 14, 1);
    wire_send_frame(n, &f);
    wire_send_frame(n, &f);
    stw_be_p(f.data + 14, 0x0101);
    wire_send_frame(n, &f);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_FC_GOOD)), ==, 2);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_UNREC_MAC_CTRL)), ==, 1);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_FC_SENT)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_FC_BAD)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_MULTICAST)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_LO)), ==, 0);
    nic_free(n);
}

/* A dropped transmit frame is not a sent one */
static void test_tx_error(void)
{
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);

    desc_write(n, tx_ring_desc(&tx, 0), &(Desc) {
        .cmd_sts = MV_TXD_O | MV_TXD_F | MV_TXD_L,
        .buf = MEM_TX_BUF(0, 0), .next = tx_ring_desc(&tx, 1),
    });
    tx_ring_kick(&tx);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_TX_FRAMES)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_TX_OCTETS_LO)), ==, 0);
    nic_free(n);
}

/* Many frames add up, and a read takes exactly what was there */
static void test_accumulate(void)
{
    RxRing rx;
    TxRing tx;
    Nic *n = mib_up(&rx, &tx);
    Frame f;
    uint32_t octets = 0;

    for (unsigned i = 0; i < 40; i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, 60 + 13 * i, i);
        octets += f.len + 4;
        wire_send_frame(n, &f);
        rx_ring_expect(&rx, &f, RX_NOT_IP);
        rx_ring_refill(&rx);
    }
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_LO)), ==, octets);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_HI)), ==, 0);
    /* the octets are gone, the frames are still there */
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 40);
    wire_send_frame(n, &f);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 1);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_LO)), ==, f.len + 4);
    /* a write changes nothing */
    wire_send_frame(n, &f);
    nic_write(n, MIB(MV_MIB_RX_FRAMES), 77);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 1);
    nic_free(n);
}

/*
 * the octet counter is 64 bits wide: more than 4 GiB sent between two
 * reads carry into the high word.
 */
static void test_octets_carry(void)
{
    enum { FRAMES = 262200, LEN = 16384 };
    Nic *n = nic_new_args(&(NicArgs) { .no_wire = true });
    g_autofree uint8_t *ring = g_malloc0(FRAMES * MV_DESC_SIZE);
    const uint32_t base = 0x06000000;
    uint64_t octets = (uint64_t)FRAMES * (LEN + 4);

    nic_up(n);
    /* no token bucket: 4 GiB are more than the port's holds */
    nic_write(n, PORT(MV_TX_MTU), 0);
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint8_t *d = ring + i * MV_DESC_SIZE;

        stl_le_p(d, MV_TXD_O | MV_TXD_F | MV_TXD_L);
        stw_le_p(d + 6, LEN);
        stl_le_p(d + 8, MEM_TX_BUF(0, 0));
        stl_le_p(d + 12, i == FRAMES - 1 ? 0 : base + (i + 1) * MV_DESC_SIZE);
    }
    mem_write(n, base, ring, FRAMES * MV_DESC_SIZE);
    nic_write(n, PORT(MV_TCQDP(0)), base);
    nic_write(n, PORT(MV_TQC), 1);
    for (unsigned i = 0; nic_read(n, PORT(MV_TQC)); i++) {
        g_assert_cmpuint(i, <, 200);
        qtest_clock_step(n->qts, 100 * TX_RESUME_NS);
    }
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_TX_FRAMES)), ==, FRAMES);
    g_assert_cmphex(nic_read(n, MIB(MV_MIB_TX_OCTETS_LO)), ==,
                    (uint32_t)octets);
    g_assert_cmphex(nic_read(n, MIB(MV_MIB_TX_OCTETS_HI)), ==, octets >> 32);
    g_assert_cmphex(nic_read(n, MIB(MV_MIB_TX_OCTETS_HI)), ==, 0);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/mib/A-20-rx-sizes", test_rx_sizes);
    qtest_add_func("/mv643xx/mib/A-20-tx-sizes", test_tx_sizes);
    qtest_add_func("/mv643xx/mib/padding", test_padding);
    qtest_add_func("/mv643xx/mib/A-20-group-addresses",
                   test_group_addresses);
    qtest_add_func("/mv643xx/mib/filtered", test_filtered);
    qtest_add_func("/mv643xx/mib/not-receiving", test_not_receiving);
    qtest_add_func("/mv643xx/mib/oversize", test_oversize);
    qtest_add_func("/mv643xx/mib/mac-control", test_mac_control);
    qtest_add_func("/mv643xx/mib/tx-error", test_tx_error);
    qtest_add_func("/mv643xx/mib/A-20-accumulate", test_accumulate);
    nic_add_ideal_test("/mv643xx/mib/A-20-octets-carry", test_octets_carry);
    return g_test_run();
}
