/*
 * mv643xx receive: placement, status words, limits, exhaustion
 *
 * Not reachable from here: frames with a wrong FCS and the overrun counter,
 * since a backend hands over whole frames without an FCS, and a frame of no
 * bytes, which ends a datagram backend.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define L4_SUM_FIELD    (0xffffu << MV_RXD_L4_SUM_SHIFT)
#define L4_TYPE_FIELD   (3u << MV_RXD_L4_TYPE_SHIFT)

static Nic *rx_up(RxRing *r, unsigned count, uint16_t buf_size)
{
    Nic *n = nic_new();

    nic_up(n);
    rx_ring_init(r, n, 0, count, buf_size);
    return n;
}

static void set_mru(Nic *n, unsigned code)
{
    nic_rmw(n, PORT(MV_PSC0), 7u << MV_PSC0_MRU_SHIFT,
            code << MV_PSC0_MRU_SHIFT);
}

/* A-07, B-06: two bytes in front, FCS behind, all of it counted [H] */
static void test_byte_count(void)
{
    static const uint16_t lengths[] = {
        60, 61, 62, 63, 64, 65, 66, 67, 68, 127, 128, 511, 512, 1023, 1024,
        1500, 1513, 1514,
    };
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, lengths[i], i);
        wire_send_frame(n, &f);
        rx_ring_expect(&r, &f, RX_NOT_IP);
        rx_ring_refill(&r);
    }
    g_assert_cmpuint(nic_counter(n, "rx-delivered"), ==, ARRAY_SIZE(lengths));
    nic_free(n);
}

/* only status, byte count and the fragment bit are written [H] */
static void test_write_back(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 0x640);
    Frame f;
    Desc d;

    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    desc_read(n, rx_ring_desc(&r, 0), &d);
    g_assert_cmphex(d.size, ==, 0x640);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);

    frame_build(&f, &(FrameSpec) { .proto = FRAME_UDP, .frag = 0x2000,
                                   .payload = 100 });
    wire_send_frame(n, &f);
    desc_read(n, rx_ring_desc(&r, 1), &d);
    g_assert_cmphex(d.size, ==, 0x640 | MV_RXD_SIZE_FRAGMENT);
    g_assert_cmphex(d.buf, ==, MEM_RX_BUF(0, 1));
    g_assert_cmphex(d.next, ==, rx_ring_desc(&r, 2));
    nic_free(n);
}

/*
 * @f in descriptors from the ring's head on: each filled to the brim, first
 * and last marked, status in the last, nothing outside the buffers touched.
 */
static void expect_scattered(RxRing *r, const Frame *f, uint32_t cmd_sts)
{
    Nic *n = r->n;
    size_t room = r->buf_size & ~7;
    size_t total = MV_RX_PAD + f->len + MV_FCS_LEN;
    g_autofree uint8_t *want = g_malloc0(total);
    g_autofree uint8_t *got = g_malloc0(room + 64);

    memcpy(want + MV_RX_PAD, f->data, f->len);
    stl_le_p(want + MV_RX_PAD + f->len, frame_crc32(f->data, f->len));
    for (size_t at = 0; at < total; at += room) {
        size_t here = MIN(room, total - at);
        bool last = at + here == total;
        uint32_t ends = (at == 0 ? MV_RXD_F : 0) | (last ? MV_RXD_L : 0);
        Desc d;

        desc_read(n, rx_ring_desc(r, r->head), &d);
        g_assert_cmphex(d.cmd_sts & (MV_RXD_O | MV_RXD_F | MV_RXD_L), ==,
                        ends);
        if (last) {
            g_assert_cmphex(d.cmd_sts & ~MV_RXD_F, ==, cmd_sts & ~MV_RXD_F);
        }
        g_assert_cmpuint(d.count, ==, here);
        g_assert_cmphex(d.buf, ==, MEM_RX_BUF(r->q, r->head));
        qtest_memread(n->qts, d.buf, got, room + 64);
        g_assert_cmpmem(got, here, want + at, here);
        for (size_t i = ROUND_UP(here, 8); i < room + 64; i++) {
            g_assert_cmphex(got[i], ==, MEM_POISON);
        }
        r->head = (r->head + 1) % r->count;
        r->taken++;
    }
}

/* a frame larger than the buffers is scattered [M] */
static void test_scatter(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 16, 512);
    Frame f;

    /* from one buffer to many, the FCS in one piece and in two */
    for (size_t len = 500; len < 530; len++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, len, len);
        wire_send_frame(n, &f);
        expect_scattered(&r, &f, RX_NOT_IP);
        rx_ring_refill(&r);
    }
    frame_build(&f, &(FrameSpec) { .payload = 1346 });
    g_assert_cmpuint(f.len, ==, 1400);
    wire_send_frame(n, &f);
    expect_scattered(&r, &f, RX_GOOD_TCP);
    rx_ring_expect_none(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(0))), ==,
                    rx_ring_desc(&r, r.head));
    nic_free(n);
}

static void test_scatter_jumbo(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 64, 256);
    Frame f;

    set_mru(n, 5);
    frame_build(&f, &(FrameSpec) { .payload = 9600 });
    wire_send_frame(n, &f);
    expect_scattered(&r, &f, RX_GOOD_TCP);
    nic_free(n);
}

/* The low 3 bits of the buffer size are ignored on input [H] */
static void test_size_rounding(void)
{
    for (unsigned low = 1; low < 8; low++) {
        RxRing r;
        Nic *n = rx_up(&r, 4, 256 + low);
        Frame f;

        frame_raw(&f, frame_nic_mac, 0x88b5, 400, low);
        wire_send_frame(n, &f);
        expect_scattered(&r, &f, RX_NOT_IP);
        nic_free(n);
    }
}

/* C-20: address 0 is RAM like any other here */
static void test_buffer_at_zero(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 256);
    uint8_t got[256], want[256] = { 0 };
    Frame f;

    mem_write32(n, rx_ring_desc(&r, 1) + MV_DESC_BUF, 0);
    qtest_memset(n->qts, 0, MEM_POISON, 512);
    frame_raw(&f, frame_nic_mac, 0x88b5, 600, 1);
    wire_send_frame(n, &f);
    memcpy(want, f.data + 254, 256);
    qtest_memread(n->qts, 0, got, sizeof(got));
    g_assert_cmpmem(got, sizeof(got), want, sizeof(want));
    g_assert_cmphex(mem_read32(n, 256), ==, 0xa5a5a5a5);
    g_assert_cmphex(mem_read32(n, rx_ring_desc(&r, 2)) & MV_RXD_L, !=, 0);
    nic_free(n);
}

/* A chain that ends inside a frame: closed with a resource error [H] */
static void expect_cut_short(RxRing *r, unsigned pieces)
{
    Nic *n = r->n;

    for (unsigned i = 0; i < pieces; i++) {
        uint32_t sts = mem_read32(n, rx_ring_desc(r, i));
        bool last = i == pieces - 1;

        g_assert_cmphex(sts & MV_RXD_O, ==, 0);
        g_assert_cmphex(sts & MV_RXD_F, ==, i == 0 ? MV_RXD_F : 0);
        g_assert_cmphex(sts & MV_RXD_L, ==, last ? MV_RXD_L : 0);
        if (last) {
            g_assert_cmphex(sts & (MV_RXD_ES | 3 << MV_RXD_CODE_SHIFT), ==,
                            MV_RXD_ES |
                            MV_RXD_CODE_RESOURCE << MV_RXD_CODE_SHIFT);
        }
    }
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) &
                    (MV_IC_RXERR | MV_IC_RXERRQ_MASK), ==,
                    MV_IC_RXERR | MV_IC_RXERRQ(0));
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(0))), ==,
                    rx_ring_desc(r, pieces));
    g_assert_cmpuint(nic_counter(n, "rx-delivered"), ==, 0);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 0);
}

static void test_cut_short_not_owned(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 8, 256);
    Frame f;

    mem_write32(n, rx_ring_desc(&r, 3), 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 1400, 1);
    wire_send_frame(n, &f);
    expect_cut_short(&r, 3);
    nic_free(n);
}

/* C-17, C-20: a buffer of less than 8 bytes is no buffer */
static void test_cut_short_no_room(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 8, 256);
    Frame f;

    mem_write32(n, rx_ring_desc(&r, 2) + MV_DESC_SIZE_CNT, 7);
    frame_raw(&f, frame_nic_mac, 0x88b5, 1400, 1);
    wire_send_frame(n, &f);
    expect_cut_short(&r, 2);
    nic_free(n);
}

static void test_cut_short_null(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 8, 256);
    Frame f;

    mem_write32(n, rx_ring_desc(&r, 1) + MV_DESC_NEXT, 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 1400, 1);
    wire_send_frame(n, &f);
    for (unsigned i = 0; i < 2; i++) {
        g_assert_cmphex(mem_read32(n, rx_ring_desc(&r, i)) & MV_RXD_O, ==, 0);
    }
    g_assert_cmphex(mem_read32(n, rx_ring_desc(&r, 1)) &
                    (MV_RXD_ES | MV_RXD_L), ==, MV_RXD_ES | MV_RXD_L);
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(0))), ==, 0);
    nic_free(n);
}

/* C-17: buffer sizes 0 to 7 in the first descriptor: a resource error */
static void test_no_room_at_all(void)
{
    for (unsigned size = 0; size < 8; size++) {
        RxRing r;
        Nic *n = rx_up(&r, 4, 1536);
        Frame f;

        mem_write32(n, rx_ring_desc(&r, 0) + MV_DESC_SIZE_CNT, size);
        frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
        wire_send_frame(n, &f);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_RXERRQ(0), !=, 0);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        rx_ring_expect_none(&r);
        g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 1);
        nic_free(n);
    }
}

/* C-06: short frames are padded with zeros to 60, then get their FCS */
static void test_short_frames(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    /* promiscuous, so that even a cut off address arrives */
    nic_write(n, PORT(MV_PXC), 0x02000001);
    for (size_t len = 1; len < FRAME_MIN; len++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, len, 0xff);
        wire_send_frame(n, &f);
        rx_ring_expect_masked(&r, &f, 0x2c000000, 0x8e000007);
        rx_ring_refill(&r);
    }
    /* VLAN tagged ones cut inside or behind the tag */
    for (size_t len = 14; len < 22; len++) {
        frame_build(&f, &(FrameSpec) { .tags = 1, .payload = 100 });
        f.len = len;
        wire_send_frame(n, &f);
        rx_ring_expect_masked(&r, &f, 0x2c000000, 0xcc000007);
        rx_ring_refill(&r);
    }
    nic_free(n);
}

/* the limit of each MRU code, FCS included, is exact */
static void test_mru(void)
{
    static const uint16_t limits[] = { 1518, 1522, 1552, 9022, 9192, 9700 };
    RxRing r;
    Nic *n = rx_up(&r, 4, 9728);
    Frame f;

    for (unsigned code = 0; code < ARRAY_SIZE(limits); code++) {
        set_mru(n, code);
        for (int more = -1; more <= 1; more++) {
            frame_raw(&f, frame_nic_mac, 0x88b5,
                      limits[code] - MV_FCS_LEN + more, code);
            nic_read(n, MIB(MV_MIB_OVERSIZE));
            wire_send_frame(n, &f);
            if (more <= 0) {
                rx_ring_expect(&r, &f, RX_NOT_IP);
                rx_ring_refill(&r);
            } else {
                rx_ring_expect_none(&r);
            }
            g_assert_cmpuint(nic_read(n, MIB(MV_MIB_OVERSIZE)), ==,
                             more > 0);
        }
    }
    g_assert_cmpuint(nic_counter(n, "rx-drop-oversize"), ==,
                     ARRAY_SIZE(limits));
    nic_free(n);
}

/* C-05, B-16: whatever a backend brings, no more than MRU is stored */
static void test_oversize(void)
{
    static const uint32_t lengths[] = {
        1519, 1522, 2048, 9700, 9706, 16383, 16384, 32768, 65535, 65536,
        65550, 69000,
    };
    RxRing r;
    Nic *n = rx_up(&r, 4, 65528);
    Frame f;

    set_mru(n, 1);
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, lengths[i], 1);
        wire_send_frame(n, &f);
        rx_ring_expect_none(&r);
    }
    g_assert_cmpuint(nic_counter(n, "rx-drop-oversize"), ==,
                     ARRAY_SIZE(lengths));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 1518, 1);
    wire_send_frame(n, &f);
    desc_read(n, rx_ring_desc(&r, 0), &(Desc) { 0 });
    g_assert_cmphex(mem_read32(n, rx_ring_desc(&r, 0)), ==, RX_NOT_IP);
    nic_free(n);
}

/*
 * what the status word promises.  L4 OK only for a whole, unfragmented
 * IPv4 TCP or UDP datagram whose sum was verified; never where it is not.
 */
static void test_checksum_status(void)
{
    const uint32_t sum = L4_SUM_FIELD, type = L4_TYPE_FIELD;
    const struct {
        const char *what;
        FrameSpec spec;
        uint32_t status;
        uint32_t unknown;
    } rows[] = {
        { "good TCP", { .payload = 100 }, 0x6f800000 },
        { "good TCP, odd length", { .payload = 101 }, 0x6f800000 },
        { "TCP without payload", { .payload = 0 }, 0x6f800000 },
        { "bad TCP", { .payload = 100, .l4_sum = SUM_BAD }, 0x2f800000, sum },
        { "good UDP", { .proto = FRAME_UDP, .payload = 100 }, 0x6fa00000 },
        { "bad UDP", { .proto = FRAME_UDP, .payload = 100,
                       .l4_sum = SUM_BAD }, 0x2fa00000, sum },
        { "UDP without sum", { .proto = FRAME_UDP, .payload = 100,
                               .l4_sum = SUM_ZERO }, 0x2fa00000, sum },
        { "first fragment", { .proto = FRAME_UDP, .frag = 0x2000,
                              .payload = 100 }, 0x2f800000, sum | type },
        { "middle fragment", { .frag = 0x2010, .payload = 100 },
          0x2f800000, sum | type },
        { "last fragment", { .frag = 0x0010, .payload = 100 },
          0x2f800000, sum | type },
        { "don't fragment", { .frag = 0x4000, .payload = 100 }, 0x6f800000 },
        { "IP options", { .ihl = 8, .payload = 100 }, 0x6f800000 },
        { "most IP options", { .ihl = 15, .proto = FRAME_UDP,
                               .payload = 100 }, 0x6fa00000 },
        { "bad IP header", { .payload = 100, .ip_sum = SUM_BAD },
          0x2d800000, sum | type | MV_RXD_L4_OK },
        { "IPv6", { .ipv6 = true, .payload = 100 }, 0x2cc00000 },
        { "VLAN", { .tags = 1, .payload = 100 }, 0x6f880000 },
        { "VLAN, bad TCP", { .tags = 1, .payload = 100, .l4_sum = SUM_BAD },
          0x2f880000, sum },
        /* checks look past one tag of the configured type */
        { "802.1ad and 802.1Q", { .tags = 2, .tpid = { 0x88a8 },
                                  .payload = 100 }, 0x2cc00000 },
        { "two 802.1Q tags", { .tags = 2, .payload = 100 }, 0x2cc80000 },
        { "ICMP", { .proto = FRAME_ICMP, .payload = 100 }, 0x2fc00000, sum },
        { "SCTP", { .proto = FRAME_SCTP, .payload = 100 }, 0x2fc00000, sum },
        { "padded frame", { .payload = 1, .trailer = 50 }, 0x6f800000 },
        { "total length past the end", { .payload = 100, .total_len = 141 },
          0x2d800000, sum | type | MV_RXD_IP_OK },
        { "total length huge", { .payload = 100, .total_len = 65535 },
          0x2d800000, sum | type | MV_RXD_IP_OK },
        { "total length cut", { .payload = 100, .total_len = 100 },
          0x2f800000, sum },
        { "total length inside TCP", { .payload = 100, .total_len = 39 },
          0x2d800000, sum | type | MV_RXD_IP_OK },
        { "total length inside IP", { .payload = 100, .total_len = 19 },
          0x2d800000, sum | type | MV_RXD_IP_OK },
        { "LLC/SNAP", { .snap = true, .payload = 100 }, 0x6f000000 },
        { "LLC/SNAP, bad", { .snap = true, .payload = 100,
                             .l4_sum = SUM_BAD }, 0x2f000000, sum },
    };
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        g_test_message("%s", rows[i].what);
        frame_build(&f, &rows[i].spec);
        wire_send_frame(n, &f);
        rx_ring_expect_masked(&r, &f, rows[i].status, ~rows[i].unknown);
        rx_ring_refill(&r);
    }
    nic_free(n);
}

/* C-09: broken IPv4 headers cost the status bits and nothing else */
static void test_broken_headers(void)
{
    static const uint8_t first_bytes[] = {
        0x40, 0x41, 0x44, 0x55, 0x00, 0x4f, 0xff, 0x65,
    };
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(first_bytes); i++) {
        frame_build(&f, &(FrameSpec) { .payload = 6 });
        f.data[f.l3] = first_bytes[i];
        wire_send_frame(n, &f);
        rx_ring_expect_masked(&r, &f, 0x2c000000, 0xec000007);
        rx_ring_refill(&r);
    }
    /* the data offset points past the segment */
    frame_build(&f, &(FrameSpec) { .payload = 6 });
    f.data[f.l4 + 12] = 0xf0;
    frame_fix_sums(&f);
    wire_send_frame(n, &f);
    rx_ring_expect_masked(&r, &f, 0x2f800000, 0xaf800007);
    /* a UDP length that is not the datagram's */
    rx_ring_refill(&r);
    frame_build(&f, &(FrameSpec) { .proto = FRAME_UDP, .payload = 100 });
    stw_be_p(f.data + f.l4 + 4, 50);
    wire_send_frame(n, &f);
    rx_ring_expect_masked(&r, &f, 0x2fa00000, 0xefe00007);
    nic_free(n);
}

/* Without PxC b25 the pseudo header is missing: never L4 OK [L] */
static void test_rxcs_off(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    nic_write(n, PORT(MV_PXC), 0);
    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect_masked(&r, &f, 0x2f800000, ~L4_SUM_FIELD);
    frame_build(&f, &(FrameSpec) { .proto = FRAME_UDP, .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect_masked(&r, &f, 0x2fa00000, ~L4_SUM_FIELD);
    nic_free(n);
}

/* Fragments: the field is the complement of their own bytes' sum [M] */
static void test_fragment_sum(void)
{
    static const uint16_t frags[] = { 0x2000, 0x2008, 0x0010 };
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(frags); i++) {
        uint16_t sum;

        frame_build(&f, &(FrameSpec) { .proto = FRAME_UDP, .frag = frags[i],
                                       .payload = 80 + i, .seed = i });
        sum = frame_sum(f.data + f.l4, f.l4_len);
        wire_send_frame(n, &f);
        rx_ring_expect_masked(&r, &f,
                              (0xffffu ^ sum) << MV_RXD_L4_SUM_SHIFT,
                              L4_SUM_FIELD | MV_RXD_L4_OK);
        rx_ring_refill(&r);
    }
    nic_free(n);
}

/* 4.6: EVLANE says what a tag is, and the tag stays in the data [M] */
static void test_vlan_ethertype(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    nic_write(n, PORT(MV_EVLANE), 0x88a8);
    frame_build(&f, &(FrameSpec) { .tags = 1, .tpid = { 0x88a8 },
                                   .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP | MV_RXD_VLAN);
    frame_build(&f, &(FrameSpec) { .tags = 1, .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_NOT_IP);
    nic_free(n);
}

/* EI is the driver's: without it no cause, and it is not in the status */
static void test_no_interrupt_bit(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    mem_write32(n, rx_ring_desc(&r, 0), MV_RXD_O);
    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP & ~MV_RXD_EI);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_RX | MV_IC_RXQ(0));
    nic_free(n);
}

/* Bring a ring to its end with one more frame waiting */
static void run_dry(RxRing *r, Frame *f)
{
    for (unsigned i = 0; i < r->count; i++) {
        frame_build(f, &(FrameSpec) { .payload = 100, .seed = i });
        wire_send_frame(r->n, f);
        rx_ring_expect(r, f, RX_GOOD_TCP);
    }
    nic_ack_all(r->n);
    frame_build(f, &(FrameSpec) { .payload = 200, .seed = 99 });
    wire_send_frame(r->n, f);
}

/*
 * one resource error, the frame waits, then it is dropped and counted
 * once; the queue stays enabled and its pointer where it was [H].
 */
static void test_exhaustion(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    run_dry(&r, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                    MV_IC_RXERR | MV_IC_RXERRQ(0));
    nic_write(n, PORT(MV_IC), 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 0);
    /* the same loss is not reported over and over (B-12) */
    qtest_clock_step(n->qts, RX_HOLD_NS - 2 * RX_RETRY_NS);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 1);
    qtest_clock_step(n->qts, 4 * RX_RETRY_NS);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 0);
    g_assert_cmpuint(nic_counter(n, "rx-drop-no-descriptor"), ==, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(0))), ==,
                    rx_ring_desc(&r, r.head));
    rx_ring_refill(&r);
    qtest_clock_step(n->qts, RX_RETRY_NS);
    rx_ring_expect_none(&r);
    frame_build(&f, &(FrameSpec) { .payload = 300 });
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    nic_free(n);
}

/* A refill without any register access is found by time alone [H] */
static void test_refill_by_time(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    run_dry(&r, &f);
    qtest_clock_step(n->qts, 3 * RX_RETRY_NS);
    rx_ring_refill(&r);
    rx_ring_expect_none(&r);
    qtest_clock_step(n->qts, RX_RETRY_NS);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    nic_free(n);
}

/* C-13: whatever the driver touches next finds the refilled ring */
static void test_refill_by_access(void)
{
    static const struct {
        uint32_t offset;
        bool write;
    } touched[] = {
        { PORT(MV_IC) }, { PORT(MV_ICE) }, { PORT(MV_IC), true },
        { PORT(MV_ICE), true }, { PORT(MV_IM), true }, { PORT(MV_RQC), true },
        { PORT(MV_PSC0), true }, { PORT(MV_MACH), true },
        { MV_UC_BASE(0), true }, { MV_BARE, true }, { PORT(MV_CRDP(0)), true },
    };

    for (size_t i = 0; i < ARRAY_SIZE(touched); i++) {
        RxRing r;
        Nic *n = rx_up(&r, 2, 1536);
        uint32_t value;
        Frame f;

        g_test_message("offset 0x%x %s", touched[i].offset,
                       touched[i].write ? "written" : "read");
        value = nic_read(n, touched[i].offset);
        run_dry(&r, &f);
        rx_ring_refill(&r);
        rx_ring_expect_none(&r);
        if (touched[i].write) {
            nic_write(n, touched[i].offset, value);
        } else {
            nic_read(n, touched[i].offset);
        }
        rx_ring_expect(&r, &f, RX_GOOD_TCP);
        nic_free(n);
    }
}

/* A ring without descriptors, and more frames than the port keeps */
static unsigned overfill(RxRing *r)
{
    enum { FRAMES = 60 };
    Nic *n = r->n;
    Frame f;

    for (unsigned i = 0; i < r->count; i++) {
        mem_write32(n, rx_ring_desc(r, i), MV_RXD_EI);
    }
    for (unsigned i = 0; i < FRAMES; i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, 1514, i);
        wire_queue(n, f.data, f.len);
    }
    /* the backend offers until it is refused */
    for (unsigned i = 0; i < 200; i++) {
        nic_counter(n, "rx-offered");
    }
    /* 64 KiB are kept; it refuses once the largest frame would not fit */
    g_assert_cmpuint(nic_counter(n, "rx-held"), <=, 65536 / 1514);
    g_assert_cmpuint(nic_counter(n, "rx-held"), >=, (65536 - 9700) / 1514);
    g_assert_cmpuint(nic_counter(n, "rx-offered"), <, FRAMES);
    return FRAMES;
}

/*
 * C-13, F-12: more than the port keeps stays with the backend; nothing is
 * lost, nothing overtakes, once there are descriptors.
 */
static void test_backpressure(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 64, 1536);
    unsigned frames = overfill(&r);
    Frame f;

    for (unsigned i = 0; i < r.count; i++) {
        rx_ring_give(&r, i);
    }
    qtest_clock_step(n->qts, RX_RETRY_NS);
    nic_settle(n);
    qtest_clock_step(n->qts, RX_RETRY_NS);
    for (unsigned i = 0; i < frames; i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, 1514, i);
        rx_ring_expect(&r, &f, RX_NOT_IP);
    }
    rx_ring_expect_none(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 0);
    nic_free(n);
}

static void restart_by_queue(Nic *n)
{
    nic_write(n, PORT(MV_RQC), 0x100);
}

static void restart_by_port(Nic *n)
{
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
}

static void restart_by_port_reset(Nic *n)
{
    nic_rmw(n, PORT(MV_PSC1), 0, MV_PSC1_PORT_RESET);
    nic_rmw(n, PORT(MV_PSC1), MV_PSC1_PORT_RESET, 0);
}

static void restart_by_unit_reset(Nic *n)
{
    nic_rmw(n, MV_EUC, 0, MV_EUC_PORT_RESET);
    nic_rmw(n, MV_EUC, MV_EUC_PORT_RESET, 0);
}

static void restart_by_link(Nic *n)
{
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_NO_FORCE_FAIL, 0);
}

static void restart_by_time(Nic *n)
{
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
}

static void restart_by_system_reset(Nic *n)
{
    qtest_system_reset(n->qts);
}

/* C-13: whatever makes room again, the backend hears of it */
static void test_refused_then_restart(void)
{
    static void (*const restarts[])(Nic *n) = {
        restart_by_queue, restart_by_port, restart_by_port_reset,
        restart_by_unit_reset, restart_by_link, restart_by_time,
        restart_by_system_reset,
    };

    for (size_t i = 0; i < ARRAY_SIZE(restarts); i++) {
        RxRing r;
        Nic *n = rx_up(&r, 64, 1536);
        Frame f;

        g_test_message("restart %zu", i);
        overfill(&r);
        restarts[i](n);
        /* what the backend still has may come now; it is not waited for */
        nic_settle(n);
        nic_write(n, PORT(MV_RQC), 0x100);
        nic_up(n);
        rx_ring_init(&r, n, 0, 4, 1536);
        frame_raw(&f, frame_nic_mac, 0x88b5, 700, 99);
        wire_send_frame(n, &f);
        rx_ring_expect(&r, &f, RX_NOT_IP);
        nic_free(n);
    }
}

/* A queue that is off loses the frame at once, and counts it [L] */
static void test_queue_disabled(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    frame_build(&f, &(FrameSpec) { .payload = 100 });
    nic_write(n, PORT(MV_RQC), 0x100);
    g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 0);
    wire_send_frame(n, &f);
    rx_ring_expect_none(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 1);
    g_assert_cmpuint(nic_counter(n, "rx-drop-queue-disabled"), ==, 1);
    /* disable wins over enable */
    nic_write(n, PORT(MV_RQC), 0x101);
    g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 0);
    nic_write(n, PORT(MV_RQC), 1);
    g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 1);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    nic_free(n);
}

/* B-19: port off and on: queue and pointer survive, frames meanwhile not */
static void test_port_toggle(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 1);
    wire_send_frame(n, &f);
    rx_ring_expect_none(&r);
    g_assert_cmpuint(nic_counter(n, "rx-drop-port-disabled"), ==, 1);
    /* silently: not even the discard counter (6.4, step 1) */
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 0);
    nic_rmw(n, PORT(MV_PSC0), 0, MV_PSC0_PORT_EN);
    g_assert_cmphex(nic_read(n, PORT(MV_RQC)), ==, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(0))), ==, rx_ring_desc(&r, 1));
    rx_ring_expect_none(&r);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    nic_free(n);
}

/* C-22: nothing that came while the link was down appears afterwards */
static void test_link_down(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 2, 1536);
    Frame f;

    run_dry(&r, &f);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 1);
    nic_set_link(n, false);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 0);
    wire_lose(n, f.data, f.len);
    rx_ring_refill(&r);
    nic_set_link(n, true);
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
    rx_ring_expect_none(&r);
    frame_build(&f, &(FrameSpec) { .payload = 300 });
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_GOOD_TCP);
    nic_free(n);
}

/* A link forced down by the MAC: the backend offers, the port drops */
static void test_forced_down(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 2, 1536);
    Frame f;

    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_NO_FORCE_FAIL, 0);
    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect_none(&r);
    g_assert_cmpuint(nic_counter(n, "rx-drop-link-down"), ==, 1);
    nic_free(n);
}

/* Section 10: pause frames end in the MAC, promiscuous or not [M] */
static void test_pause_frames(void)
{
    static const uint8_t pause_mac[6] = { 0x01, 0x80, 0xc2, 0, 0, 0x01 };
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    nic_write(n, PORT(MV_PXC), 0x02000001);
    filter_set(n, MV_OMC_BASE(0), frame_crc8(pause_mac), true, 0);
    frame_raw(&f, pause_mac, 0x8808, 60, 0);
    stw_be_p(f.data + 14, 1);
    wire_send_frame(n, &f);
    rx_ring_expect_none(&r);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_FC_GOOD)), ==, 1);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_UNREC_MAC_CTRL)), ==, 0);
    stw_be_p(f.data + 14, 2);
    wire_send_frame(n, &f);
    rx_ring_expect_none(&r);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_FC_GOOD)), ==, 0);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_UNREC_MAC_CTRL)), ==, 1);
    g_assert_cmpuint(nic_counter(n, "rx-drop-pause"), ==, 2);
    nic_free(n);
}

/* 5.1: SDC b6 selects the other descriptor layout, both ways [L] */
static void test_descriptor_swap(void)
{
    uint8_t raw[MV_DESC_SIZE], got[106], want[106] = { 0 };
    Nic *n = nic_new();
    Frame f;

    nic_up(n);
    nic_write(n, PORT(MV_SDC), 0x00800034 | MV_SDC_SWAP);
    stl_be_p(raw, 0x640);
    stl_be_p(raw + 4, MV_RXD_O | MV_RXD_EI);
    stl_be_p(raw + 8, MEM_RX_RING(0) + MV_DESC_SIZE);
    stl_be_p(raw + 12, MEM_RX_BUF(0, 0));
    mem_write(n, MEM_RX_RING(0), raw, sizeof(raw));
    nic_write(n, PORT(MV_CRDP(0)), MEM_RX_RING(0));
    nic_write(n, PORT(MV_RQC), 1);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    qtest_memread(n->qts, MEM_RX_RING(0), raw, sizeof(raw));
    g_assert_cmphex(ldl_be_p(raw), ==, 106 << 16 | 0x640);
    g_assert_cmphex(ldl_be_p(raw + 4), ==, RX_NOT_IP);
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(0))), ==,
                    MEM_RX_RING(0) + MV_DESC_SIZE);
    qtest_memread(n->qts, MEM_RX_BUF(0, 0), got, sizeof(got));
    memcpy(want + 2, f.data, 100);
    stl_le_p(want + 102, frame_crc32(f.data, 100));
    g_assert_cmpmem(got, sizeof(got), want, sizeof(want));

    mem_write(n, MEM_TX_BUF(0, 0), f.data, f.len);
    stl_be_p(raw, 100 << 16);
    stl_be_p(raw + 4, MV_TXD_O | MV_TXD_F | MV_TXD_L | MV_TXD_EI);
    stl_be_p(raw + 8, 0);
    stl_be_p(raw + 12, MEM_TX_BUF(0, 0));
    mem_write(n, MEM_TX_RING(0), raw, sizeof(raw));
    nic_write(n, PORT(MV_TCQDP(0)), MEM_TX_RING(0));
    nic_write(n, PORT(MV_TQC), 1);
    wire_expect_frame(n, &f);
    qtest_memread(n->qts, MEM_TX_RING(0), raw, sizeof(raw));
    g_assert_cmphex(ldl_be_p(raw + 4), ==, MV_TXD_F | MV_TXD_L | MV_TXD_EI);
    nic_free(n);
}

/* Shadows show the descriptor last worked on [M] */
static void test_shadows(void)
{
    RxRing r;
    Nic *n = rx_up(&r, 4, 1536);
    Frame f;

    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_RX_SHADOW_BUF(0))), ==,
                    MEM_RX_BUF(0, 0));
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(0))), ==, rx_ring_desc(&r, 1));
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/rx/A-07-byte-count", test_byte_count);
    qtest_add_func("/mv643xx/rx/A-06-write-back", test_write_back);
    qtest_add_func("/mv643xx/rx/A-11-scatter", test_scatter);
    qtest_add_func("/mv643xx/rx/A-28-scatter-jumbo", test_scatter_jumbo);
    qtest_add_func("/mv643xx/rx/A-06-size-rounding", test_size_rounding);
    qtest_add_func("/mv643xx/rx/C-20-buffer-at-zero", test_buffer_at_zero);
    qtest_add_func("/mv643xx/rx/A-11-cut-short-not-owned",
                   test_cut_short_not_owned);
    qtest_add_func("/mv643xx/rx/C-20-cut-short-no-room",
                   test_cut_short_no_room);
    qtest_add_func("/mv643xx/rx/cut-short-null", test_cut_short_null);
    qtest_add_func("/mv643xx/rx/C-17-no-room", test_no_room_at_all);
    qtest_add_func("/mv643xx/rx/C-06-short-frames", test_short_frames);
    qtest_add_func("/mv643xx/rx/A-28-mru", test_mru);
    qtest_add_func("/mv643xx/rx/C-05-oversize", test_oversize);
    qtest_add_func("/mv643xx/rx/A-27-checksum-status", test_checksum_status);
    qtest_add_func("/mv643xx/rx/C-09-broken-headers", test_broken_headers);
    qtest_add_func("/mv643xx/rx/A-27-rxcs-off", test_rxcs_off);
    qtest_add_func("/mv643xx/rx/A-27-fragment-sum", test_fragment_sum);
    qtest_add_func("/mv643xx/rx/vlan-ethertype", test_vlan_ethertype);
    qtest_add_func("/mv643xx/rx/no-interrupt-bit", test_no_interrupt_bit);
    nic_add_ideal_test("/mv643xx/rx/A-10-exhaustion", test_exhaustion);
    nic_add_ideal_test("/mv643xx/rx/A-10-refill-by-time", test_refill_by_time);
    nic_add_ideal_test("/mv643xx/rx/C-13-refill-by-access",
                       test_refill_by_access);
    nic_add_ideal_test("/mv643xx/rx/C-13-backpressure", test_backpressure);
    nic_add_ideal_test("/mv643xx/rx/C-13-refused-then-restart",
                       test_refused_then_restart);
    qtest_add_func("/mv643xx/rx/queue-disabled", test_queue_disabled);
    qtest_add_func("/mv643xx/rx/B-19-port-toggle", test_port_toggle);
    nic_add_ideal_test("/mv643xx/rx/C-22-link-down", test_link_down);
    qtest_add_func("/mv643xx/rx/forced-down", test_forced_down);
    qtest_add_func("/mv643xx/rx/pause-frames", test_pause_frames);
    nic_add_ideal_test("/mv643xx/rx/descriptor-swap", test_descriptor_swap);
    qtest_add_func("/mv643xx/rx/shadows", test_shadows);
    return g_test_run();
}
