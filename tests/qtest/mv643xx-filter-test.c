/*
 * mv643xx address filter and queue selection (section 8, 4.1, 4.6)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define RING            4
#define BUF_SIZE        256
#define NO_QUEUE        8

static Nic *filter_up(RxRing r[8])
{
    Nic *n = nic_new();

    nic_up(n);
    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, false, 0);
    for (unsigned q = 0; q < 8; q++) {
        rx_ring_init(&r[q], n, q, RING, BUF_SIZE);
    }
    return n;
}

/*
 * Send @f: it must land in @queue, or nowhere when that is NO_QUEUE.  The
 * causes tell which queue it was, so that eight rings need not be read.
 */
static void expect_queue(RxRing r[8], const Frame *f, unsigned queue)
{
    Nic *n = r[0].n;
    uint32_t cause;

    nic_write(n, PORT(MV_IC), 0);
    wire_send_frame(n, f);
    cause = nic_read(n, PORT(MV_IC)) & MV_IC_RXQ_MASK;
    if (queue == NO_QUEUE) {
        g_assert_cmphex(cause, ==, 0);
        g_assert_cmpuint(nic_read(n, PORT(MV_PXDFC)), ==, 1);
        return;
    }
    g_assert_cmphex(cause, ==, MV_IC_RXQ(queue));
    rx_ring_expect_masked(&r[queue], f, MV_RXD_F | MV_RXD_L,
                          MV_RXD_O | MV_RXD_F | MV_RXD_L | MV_RXD_ES);
    rx_ring_refill(&r[queue]);
}

static void expect_mac(RxRing r[8], const uint8_t mac[6], unsigned queue)
{
    Frame f;

    frame_raw(&f, mac, 0x88b5, 64, mac[5]);
    expect_queue(r, &f, queue);
}

static void clear_table(Nic *n, uint32_t table, unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        nic_write(n, table + 4 * i, 0);
    }
}

/* Section 8.3, checked against the table there and its linearity [H] */
static void test_crc8(void)
{
    /* contribution of each address bit, last octet's LSB first */
    static const uint8_t bits[48] = {
        0x07, 0x0e, 0x1c, 0x38, 0x70, 0xe0, 0xc7, 0x89,
        0x15, 0x2a, 0x54, 0xa8, 0x57, 0xae, 0x5b, 0xb6,
        0x6b, 0xd6, 0xab, 0x51, 0xa2, 0x43, 0x86, 0x0b,
        0x16, 0x2c, 0x58, 0xb0, 0x67, 0xce, 0x9b, 0x31,
        0x62, 0xc4, 0x8f, 0x19, 0x32, 0x64, 0xc8, 0x97,
        0x29, 0x52, 0xa4, 0x4f, 0x9e, 0x3b, 0x76, 0xec,
    };

    for (unsigned bit = 0; bit < 48; bit++) {
        uint8_t mac[6] = { 0 };

        mac[5 - bit / 8] = 1 << bit % 8;
        g_assert_cmphex(frame_crc8(mac), ==, bits[bit]);
    }
}

/*
 * A-18, all 16 entries: the upper 44 bits and the entry's pass bit together
 * let a unicast frame in, to the entry's queue.
 */
static void test_unicast_table(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);

    for (unsigned e = 0; e < 16; e++) {
        uint8_t mac[6];

        memcpy(mac, frame_nic_mac, 6);
        mac[5] = (mac[5] & 0xf0) | e;
        expect_mac(r, mac, NO_QUEUE);
        filter_set(n, MV_UC_BASE(0), e, true, e % 8);
        expect_mac(r, mac, e % 8);

        /* one address bit wrong, in each octet */
        for (unsigned i = 0; i < 6; i++) {
            uint8_t bit = i == 0 ? 0x02 : 0x10;

            mac[i] ^= bit;
            expect_mac(r, mac, NO_QUEUE);
            mac[i] ^= bit;
        }
        /* the neighbours' entries are their own */
        mac[5] ^= 1;
        expect_mac(r, mac, NO_QUEUE);
        filter_set(n, MV_UC_BASE(0), e, false, 0);
    }
    nic_free(n);
}

/* the nibbles of the case, with and without promiscuous mode */
static void test_unicast_nibbles(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);
    uint8_t other[6] = { 0x00, 0x50, 0x43, 0x09, 0x02, 0x30 };

    nic_write(n, MV_UC_BASE(0) + 0, 0x00000001);
    nic_write(n, MV_UC_BASE(0) + 4, 0x00000100);
    nic_write(n, MV_UC_BASE(0) + 8, 0);
    nic_write(n, MV_UC_BASE(0) + 12, 0x01000000);
    for (unsigned promiscuous = 0; promiscuous < 2; promiscuous++) {
        nic_write(n, PORT(MV_PXC), promiscuous);
        for (unsigned e = 0; e < 16; e++) {
            bool pass = e == 0x0 || e == 0x5 || e == 0xf;
            uint8_t mac[6];

            memcpy(mac, frame_nic_mac, 6);
            mac[5] = 0x30 | e;
            if (pass || !promiscuous) {
                expect_mac(r, mac, pass ? 0 : NO_QUEUE);
            }
        }
        expect_mac(r, other, promiscuous ? 0 : NO_QUEUE);
    }
    nic_free(n);
}

/* UPM sends foreign unicast to the default queue, marked as unknown */
static void test_promiscuous(void)
{
    static const uint8_t foreign[6] = { 0x02, 1, 2, 3, 4, 5 };
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame f;

    frame_raw(&f, foreign, 0x88b5, 64, 1);
    for (unsigned q = 0; q < 8; q++) {
        nic_write(n, PORT(MV_PXC), MV_PXC_UPM | q << MV_PXC_RXQ_SHIFT);
        wire_send_frame(n, &f);
        rx_ring_expect(&r[q], &f, RX_NOT_IP | MV_RXD_UNKNOWN_DA);
        rx_ring_refill(&r[q]);
    }
    /* the register alone decides */
    nic_write(n, PORT(MV_PXC), 0x02000000);
    expect_queue(r, &f, NO_QUEUE);
    /* in UPM the own address still goes by the table */
    nic_write(n, PORT(MV_PXC), MV_PXC_UPM | 3 << MV_PXC_RXQ_SHIFT);
    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 6);
    frame_raw(&f, frame_nic_mac, 0x88b5, 64, 1);
    wire_send_frame(n, &f);
    rx_ring_expect(&r[6], &f, RX_NOT_IP);
    nic_free(n);
}

/* Writing another address moves the comparison with it, in either order */
static void test_address_change(void)
{
    static const uint8_t second[6] = { 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xe7 };
    RxRing r[8];
    Nic *n = filter_up(r);

    filter_set(n, MV_UC_BASE(0), 0x0, true, 0);
    filter_set(n, MV_UC_BASE(0), 0x7, true, 0);
    expect_mac(r, frame_nic_mac, 0);
    expect_mac(r, second, NO_QUEUE);
    nic_write(n, PORT(MV_MACL), 0xdde7);
    nic_write(n, PORT(MV_MACH), 0x02aabbcc);
    expect_mac(r, frame_nic_mac, NO_QUEUE);
    expect_mac(r, second, 0);
    nic_write(n, PORT(MV_MACH), 0x00504301);
    nic_write(n, PORT(MV_MACL), 0x0230);
    expect_mac(r, frame_nic_mac, 0);
    nic_free(n);
}

/*
 * B-05: U-Boot's table update wipes the three neighbours of the entry it
 * sets; the address comparison keeps a stale entry harmless.
 */
static void test_stale_entry(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);
    uint8_t old[6];

    memcpy(old, frame_nic_mac, 6);
    nic_write(n, MV_UC_BASE(0), 0x00000001);
    expect_mac(r, old, 0);
    /* new address: same upper bits, nibble 1; lane 0 is lost on the way */
    nic_write(n, PORT(MV_MACL), 0x0231);
    nic_rmw(n, MV_UC_BASE(0), ~(0xffu << 8), 1 << 8);
    expect_mac(r, old, NO_QUEUE);
    /* new address with other upper bits: the stale entry of old is left */
    nic_write(n, MV_UC_BASE(0), 0x00000101);
    nic_write(n, PORT(MV_MACH), 0x00504399);
    expect_mac(r, old, NO_QUEUE);
    nic_free(n);
}

/*
 * A-19, all 256 entries of a multicast table: the entry alone lets the
 * address in, to the entry's queue, and no other entry does.
 */
static void check_multicast_table(uint32_t table,
                                  void (*address)(unsigned e, uint8_t *mac))
{
    RxRing r[8];
    Nic *n = filter_up(r);

    for (unsigned e = 0; e < 256; e++) {
        unsigned q = (e ^ e >> 3) % 8;
        uint8_t mac[6];

        address(e, mac);
        expect_mac(r, mac, NO_QUEUE);
        filter_set(n, table, e, true, q);
        expect_mac(r, mac, q);
        filter_set(n, table, e, false, 7);
        expect_mac(r, mac, NO_QUEUE);
        /* everything but this entry */
        for (unsigned w = 0; e % 32 == 0 && w < 64; w++) {
            nic_write(n, table + 4 * w, 0x01010101);
        }
        if (e % 32 == 0) {
            filter_set(n, table, e, false, 0);
            expect_mac(r, mac, NO_QUEUE);
            clear_table(n, table, 64);
        }
    }
    nic_free(n);
}

static void special_address(unsigned e, uint8_t *mac)
{
    memcpy(mac, (uint8_t[]) { 0x01, 0x00, 0x5e, 0, 0, e }, 6);
}

static void other_address(unsigned e, uint8_t *mac)
{
    /* some address of the IPv6 multicast range with this hash */
    memcpy(mac, (uint8_t[]) { 0x33, 0x33, 0xff, e, 0, 0 }, 6);
    for (unsigned last = 0; last < 256; last++) {
        mac[5] = last;
        if (frame_crc8(mac) == e) {
            return;
        }
    }
    g_assert_not_reached();
}

static void test_special_table(void)
{
    check_multicast_table(MV_SMC_BASE(0), special_address);
}

static void test_other_table(void)
{
    check_multicast_table(MV_OMC_BASE(0), other_address);
}

/* which of the two tables an address is looked up in */
static void test_table_choice(void)
{
    static const uint8_t others[][6] = {
        { 0x01, 0x00, 0x5e, 0x00, 0x01, 0x01 },     /* fifth octet */
        { 0x01, 0x00, 0x5e, 0x01, 0x00, 0x01 },     /* fourth octet */
        { 0x01, 0x00, 0x5f, 0x00, 0x00, 0x01 },     /* third octet */
        { 0x03, 0x00, 0x5e, 0x00, 0x00, 0x01 },     /* first octet */
        { 0x33, 0x33, 0x00, 0x00, 0x00, 0x01 },
        { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x00 },     /* BPDU, not captured */
        { 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe },     /* nearly broadcast */
    };
    static const uint8_t special[6] = { 0x01, 0, 0x5e, 0, 0, 0x01 };
    RxRing r[8];
    Nic *n = filter_up(r);

    for (unsigned w = 0; w < 64; w++) {
        nic_write(n, MV_SMC_BASE(0) + 4 * w, 0x01010101);
        nic_write(n, MV_OMC_BASE(0) + 4 * w, 0x05050505);
    }
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        expect_mac(r, others[i], 2);
    }
    expect_mac(r, special, 0);
    nic_free(n);
}

/* Table 8.3, each with nothing but its own entry set [H] */
static void test_known_addresses(void)
{
    static const struct {
        uint8_t mac[6];
        uint8_t crc, word, lane;
    } rows[] = {
        { { 0x33, 0x33, 0, 0, 0, 1 }, 0x29, 0x28, 1 },
        { { 0x33, 0x33, 0xff, 0x12, 0x34, 0x56 }, 0x83, 0x80, 3 },
        { { 0x01, 0x80, 0xc2, 0, 0, 0 }, 0x38, 0x38, 0 },
        { { 0x01, 0x80, 0xc2, 0, 0, 0x0e }, 0x12, 0x10, 2 },
        { { 0x01, 0, 0x5e, 0x7f, 0xff, 0xfa }, 0x0e, 0x0c, 2 },
        { { 0x01, 0, 0x0c, 0xcc, 0xcc, 0xcc }, 0xcd, 0xcc, 1 },
        { { 0x01, 0, 0x5e, 0, 1, 1 }, 0x03, 0x00, 3 },
    };
    RxRing r[8];
    Nic *n = filter_up(r);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        g_assert_cmphex(frame_crc8(rows[i].mac), ==, rows[i].crc);
        nic_write(n, MV_OMC_BASE(0) + rows[i].word, 1u << 8 * rows[i].lane);
        expect_mac(r, rows[i].mac, 0);
        nic_write(n, MV_OMC_BASE(0) + rows[i].word, 0);
        expect_mac(r, rows[i].mac, NO_QUEUE);
    }
    nic_write(n, MV_SMC_BASE(0) + 0xf8, 1u << 24);
    expect_mac(r, (uint8_t[]) { 0x01, 0, 0x5e, 0, 0, 0xfb }, 0);
    nic_free(n);
}

/* The three kinds of broadcast, each with its own reject bit and queue */
static void test_broadcast(void)
{
    static const uint32_t rejects[] = {
        MV_PXC_RB, MV_PXC_RBIP, MV_PXC_RBARP
    };
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame kinds[3];

    frame_raw(&kinds[0], frame_broadcast, 0x88b5, 64, 0);
    frame_build(&kinds[1], &(FrameSpec) { .dst = frame_broadcast,
                                          .proto = FRAME_UDP });
    frame_pad(&kinds[1]);
    frame_arp(&kinds[2], frame_broadcast);
    /* ARP to queue 5, the rest to queue 3; no table entry is set */
    for (unsigned reject = 0; reject < 8; reject++) {
        uint32_t bits = 3 << MV_PXC_RXQ_SHIFT | 5 << MV_PXC_ARPQ_SHIFT;

        for (unsigned k = 0; k < 3; k++) {
            bits |= reject >> k & 1 ? rejects[k] : 0;
        }
        nic_write(n, PORT(MV_PXC), bits);
        for (unsigned k = 0; k < 3; k++) {
            expect_queue(r, &kinds[k],
                         reject >> k & 1 ? NO_QUEUE : k == 2 ? 5 : 3);
        }
    }
    nic_free(n);
}

/* C-24: every queue number 0..7 from every source, enabled or not */
static void test_queue_bounds(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame f;

    nic_write(n, PORT(MV_RQC), 0xff00);
    for (unsigned q = 0; q < 8; q++) {
        nic_write(n, PORT(MV_CRDP(q)), 0);
    }
    for (unsigned q = 0; q < 8; q++) {
        filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, q);
        expect_mac(r, frame_nic_mac, NO_QUEUE);
        filter_set(n, MV_SMC_BASE(0), 9, true, q);
        expect_mac(r, (uint8_t[]) { 0x01, 0, 0x5e, 0, 0, 9 }, NO_QUEUE);
        nic_write(n, PORT(MV_PXC), MV_PXC_UPM | q << MV_PXC_RXQ_SHIFT |
                  q << MV_PXC_ARPQ_SHIFT);
        expect_mac(r, (uint8_t[]) { 2, 0, 0, 0, 0, 9 }, NO_QUEUE);
        frame_arp(&f, frame_broadcast);
        expect_queue(r, &f, NO_QUEUE);
    }
    g_assert_cmpuint(nic_counter(n, "rx-drop-queue-disabled"), ==, 32);
    /* enabled, but without a ring: a resource error of that queue alone */
    for (unsigned q = 0; q < 8; q++) {
        nic_write(n, PORT(MV_RQC), 1u << q);
        filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, q);
        nic_ack_all(n);
        frame_raw(&f, frame_nic_mac, 0x88b5, 64, 0);
        wire_send_frame(n, &f);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                        MV_IC_RXERR | MV_IC_RXERRQ(q));
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 1);
    }
    nic_free(n);
}

/* PxCX b1: BPDUs go to their queue past the tables, pause frames do not */
static void test_bpdu_capture(void)
{
    static const uint8_t stp[6] = { 0x01, 0x80, 0xc2, 0, 0, 0 };
    static const uint8_t lldp[6] = { 0x01, 0x80, 0xc2, 0, 0, 0x0e };
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame f;

    frame_raw(&f, stp, 0x0040, 78, 1);
    expect_queue(r, &f, NO_QUEUE);
    nic_write(n, PORT(MV_PXCX), MV_PXCX_SPAN);
    for (unsigned q = 0; q < 8; q++) {
        nic_write(n, PORT(MV_PXC), q << MV_PXC_BPDUQ_SHIFT);
        wire_send_frame(n, &f);
        rx_ring_expect_masked(&r[q], &f, MV_RXD_BPDU | MV_RXD_L,
                              MV_RXD_BPDU | MV_RXD_L | MV_RXD_O);
        rx_ring_refill(&r[q]);
    }
    expect_mac(r, lldp, 7);
    expect_mac(r, (uint8_t[]) { 0x01, 0x80, 0xc2, 0, 0, 0xff }, 7);
    expect_mac(r, (uint8_t[]) { 0x01, 0x80, 0xc2, 0, 1, 0 }, NO_QUEUE);
    nic_free(n);
}

/* TCP and UDP capture overrides the table's queue [R] */
static void test_l4_capture(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame tcp, udp, icmp;

    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 1);
    frame_build(&tcp, &(FrameSpec) { .payload = 40 });
    frame_build(&udp, &(FrameSpec) { .proto = FRAME_UDP, .payload = 40 });
    frame_build(&icmp, &(FrameSpec) { .proto = FRAME_ICMP, .payload = 40 });
    expect_queue(r, &tcp, 1);
    expect_queue(r, &udp, 1);
    nic_write(n, PORT(MV_PXC), MV_PXC_TCP_CAP | 6 << MV_PXC_TCPQ_SHIFT |
              4 << MV_PXC_UDPQ_SHIFT);
    expect_queue(r, &tcp, 6);
    expect_queue(r, &udp, 1);
    nic_write(n, PORT(MV_PXC), MV_PXC_UDP_CAP | 6 << MV_PXC_TCPQ_SHIFT |
              4 << MV_PXC_UDPQ_SHIFT);
    expect_queue(r, &tcp, 1);
    expect_queue(r, &udp, 4);
    expect_queue(r, &icmp, 1);
    nic_free(n);
}

/* 4.6: 64 DSCP entries, 10 to a register, 3 bits each [M] */
static void test_dscp(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame f;

    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 0);
    for (unsigned dscp = 0; dscp < 64; dscp++) {
        unsigned q = 1 + dscp % 7;

        frame_build(&f, &(FrameSpec) { .payload = 40 });
        f.data[f.l3 + 1] = dscp << 2;
        frame_fix_sums(&f);
        expect_queue(r, &f, 0);
        nic_write(n, PORT(MV_DSCP(dscp / 10)), q << 3 * (dscp % 10));
        expect_queue(r, &f, q);
        nic_write(n, PORT(MV_DSCP(dscp / 10)), 0);
    }
    nic_free(n);
}

/* 4.6: 8 VLAN priorities, 3 bits each [M] */
static void test_vlan_priority(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame f;

    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 0);
    for (unsigned prio = 0; prio < 8; prio++) {
        unsigned q = 7 - prio % 7;

        frame_build(&f, &(FrameSpec) { .tags = 1, .payload = 40 });
        f.data[14] = prio << 5 | 1;
        nic_write(n, PORT(MV_VPT2P), q << 3 * prio);
        expect_queue(r, &f, q);
        nic_write(n, PORT(MV_VPT2P), 0);
        expect_queue(r, &f, 0);
    }
    nic_free(n);
}

/* 4.6: one EtherType with a queue of its own [M] */
static void test_ethertype_priority(void)
{
    RxRing r[8];
    Nic *n = filter_up(r);
    Frame f;

    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 0);
    nic_write(n, PORT(MV_ETHERTYPE_PRIO), 0x1 | 5 << 2 | 0x88b5 << 5);
    frame_raw(&f, frame_nic_mac, 0x88b5, 64, 1);
    expect_queue(r, &f, 5);
    frame_raw(&f, frame_nic_mac, 0x88b6, 64, 1);
    expect_queue(r, &f, 0);
    nic_write(n, PORT(MV_ETHERTYPE_PRIO), 0x0 | 5 << 2 | 0x88b5 << 5);
    frame_raw(&f, frame_nic_mac, 0x88b5, 64, 1);
    expect_queue(r, &f, 0);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/filter/crc8", test_crc8);
    qtest_add_func("/mv643xx/filter/A-18-unicast-table", test_unicast_table);
    qtest_add_func("/mv643xx/filter/A-18-unicast-nibbles",
                   test_unicast_nibbles);
    qtest_add_func("/mv643xx/filter/A-17-promiscuous", test_promiscuous);
    qtest_add_func("/mv643xx/filter/address-change", test_address_change);
    qtest_add_func("/mv643xx/filter/B-05-stale-entry", test_stale_entry);
    qtest_add_func("/mv643xx/filter/A-19-special-table", test_special_table);
    qtest_add_func("/mv643xx/filter/A-19-other-table", test_other_table);
    qtest_add_func("/mv643xx/filter/A-19-table-choice", test_table_choice);
    qtest_add_func("/mv643xx/filter/A-19-known-addresses",
                   test_known_addresses);
    qtest_add_func("/mv643xx/filter/broadcast", test_broadcast);
    qtest_add_func("/mv643xx/filter/C-24-queue-bounds", test_queue_bounds);
    qtest_add_func("/mv643xx/filter/bpdu-capture", test_bpdu_capture);
    qtest_add_func("/mv643xx/filter/l4-capture", test_l4_capture);
    qtest_add_func("/mv643xx/filter/dscp", test_dscp);
    qtest_add_func("/mv643xx/filter/vlan-priority", test_vlan_priority);
    qtest_add_func("/mv643xx/filter/ethertype-priority",
                   test_ethertype_priority);
    return g_test_run();
}
