/*
 * mv643xx transmit: buffers, padding, FCS, checksums, queues, bad input
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define CSUM_FULL   (MV_TXD_GEN_IP | MV_TXD_GEN_L4 | MV_TXD_L4_FULL)
#define IHL(words)  ((uint32_t)(words) << MV_TXD_IHL_SHIFT)

#define TX_FRAME_LIMIT      16384   /* of the model: docs/device.md */
#define TX_DESC_LIMIT       1024

static Nic *tx_up(TxRing *r, unsigned count)
{
    Nic *n = nic_new();

    nic_up(n);
    tx_ring_init(r, n, 0, count);
    return n;
}

static void send_and_check(TxRing *r, const TxBuf *bufs, unsigned n_bufs,
                           uint32_t cmd, const void *want, size_t len)
{
    unsigned first = tx_ring_put(r, bufs, n_bufs, cmd, 0);

    tx_ring_kick(r);
    wire_expect(r->n, want, len);
    tx_ring_expect_done(r, first, n_bufs);
}

static void test_lengths(void)
{
    static const uint16_t lengths[] = {
        60, 61, 63, 64, 65, 127, 128, 1500, 1513, 1514, 1518, 1522, 2047,
        2048, 4096, 9014, 9700, TX_FRAME_LIMIT - 4,
    };
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        frame_raw(&f, frame_peer_mac, 0x88b5, lengths[i], i);
        tx_ring_put_frame(&r, &f, 0);
        tx_ring_kick(&r);
        wire_expect_frame(n, &f);
    }
    wire_expect_none(n);
    nic_free(n);
}

/* B-01: buffers of more than 8 bytes may start anywhere [H] */
static void test_alignment(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    for (unsigned align = 0; align < 8; align++) {
        TxBuf buf = { f.data, 0, align };

        frame_raw(&f, frame_peer_mac, 0x88b5, 601 + align, align);
        buf.len = f.len;
        send_and_check(&r, &buf, 1, 0, f.data, f.len);
    }
    nic_free(n);
}

/* by default tiny buffers carry the bytes they point at, 1..8 x 0..7 */
static void test_tiny_buffers(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    for (unsigned len = 1; len <= 8; len++) {
        for (unsigned align = 0; align < 8; align++) {
            TxBuf bufs[3];

            frame_raw(&f, frame_peer_mac, 0x88b5, 300, len * 8 + align);
            bufs[0] = (TxBuf) { f.data, 54, align ^ 5 };
            bufs[1] = (TxBuf) { f.data + 54, len, align };
            bufs[2] = (TxBuf) { f.data + 54 + len, 300 - 54 - len, 0 };
            send_and_check(&r, bufs, 3, 0, f.data, f.len);
        }
    }
    nic_free(n);
}

/* a payload cut at arbitrary bytes arrives as it was */
static void test_many_buffers(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 64);
    uint32_t seed = 1;
    Frame f;

    for (unsigned n_bufs = 2; n_bufs <= 40; n_bufs++) {
        TxBuf bufs[40];
        size_t at = 0;

        frame_raw(&f, frame_peer_mac, 0x88b5, 40 * n_bufs + 14, n_bufs);
        for (unsigned i = 0; i < n_bufs; i++) {
            size_t left = f.len - at - (n_bufs - 1 - i);

            seed = seed * 1103515245 + 12345;
            bufs[i].data = f.data + at;
            bufs[i].len = i == n_bufs - 1 ? left
                                          : 1 + (seed >> 16) % MIN(left, 60);
            bufs[i].align = (seed >> 8) % 8;
            at += bufs[i].len;
        }
        send_and_check(&r, bufs, n_bufs, 0, f.data, f.len);
    }
    nic_free(n);
}

/* Byte count 0 inside a frame is an empty fragment [L] */
static void test_empty_fragment(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;
    TxBuf bufs[3];

    frame_raw(&f, frame_peer_mac, 0x88b5, 200, 1);
    bufs[0] = (TxBuf) { f.data, 100, 0 };
    bufs[1] = (TxBuf) { f.data + 100, 0, 0 };
    bufs[2] = (TxBuf) { f.data + 100, 100, 3 };
    send_and_check(&r, bufs, 3, 0, f.data, f.len);
    nic_free(n);
}

/* A frame of @len bytes with just the given flags in its only descriptor */
static void put_raw(TxRing *r, const void *data, size_t len, uint32_t cmd)
{
    Desc d = {
        .cmd_sts = cmd,
        .count = len,
        .buf = MEM_TX_BUF(r->q, r->head),
        .next = tx_ring_desc(r, r->head + 1),
    };

    if (len) {
        mem_write(r->n, d.buf, data, len);
    }
    desc_write(r->n, tx_ring_desc(r, r->head), &d);
    r->head = (r->head + 1) % r->count;
}

/* C-06: ZP pads to 60 with zeros [H], without it short frames stay short [L] */
static void test_padding(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    uint8_t padded[FRAME_MIN];
    Frame f;

    for (size_t len = 1; len <= 61; len++) {
        frame_raw(&f, frame_peer_mac, 0x88b5, len, 0x80);
        memset(padded, 0, sizeof(padded));
        memcpy(padded, f.data, MIN(len, sizeof(padded)));
        put_raw(&r, f.data, len, MV_TXD_O | MV_TXD_F | MV_TXD_L | MV_TXD_ZP);
        tx_ring_kick(&r);
        if (len < FRAME_MIN) {
            wire_expect(n, padded, sizeof(padded));
        } else {
            wire_expect_frame(n, &f);
        }
        put_raw(&r, f.data, len, MV_TXD_O | MV_TXD_F | MV_TXD_L);
        tx_ring_kick(&r);
        wire_expect_frame(n, &f);
    }
    nic_free(n);
}

/* B-15: without GC the backend gets the same bytes */
static void test_no_gc(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 4);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    put_raw(&r, f.data, f.len, MV_TXD_O | MV_TXD_F | MV_TXD_L);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    nic_free(n);
}

/* PxCX b3: the frame brings its FCS; a wrong one never reaches a receiver */
static void test_own_fcs(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    nic_write(n, PORT(MV_PXCX), MV_PXCX_TX_CRC_DIS);
    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    stl_le_p(f.data + f.len, frame_crc32(f.data, f.len));
    put_raw(&r, f.data, f.len + 4, MV_TXD_O | MV_TXD_F | MV_TXD_L);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);

    stl_le_p(f.data + f.len, ~frame_crc32(f.data, f.len));
    put_raw(&r, f.data, f.len + 4, MV_TXD_O | MV_TXD_F | MV_TXD_L);
    tx_ring_kick(&r);
    wire_expect_none(n);
    g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, 1)) & MV_TXD_O, ==, 0);
    /* too short to hold one */
    put_raw(&r, f.data, 3, MV_TXD_O | MV_TXD_F | MV_TXD_L);
    tx_ring_kick(&r);
    wire_expect_none(n);
    nic_free(n);
}

/* What the driver leaves in the checksum fields must not matter [H] */
static void spoil_sums(Frame *raw, bool ip, bool l4)
{
    if (ip) {
        memset(raw->data + raw->l3 + 10, 0xa7, 2);
    }
    if (l4) {
        bool udp = raw->data[raw->l3 + 9] == FRAME_UDP;

        memset(raw->data + raw->l4 + (udp ? 6 : 16), 0x7a, 2);
    }
}

static void check_csum(TxRing *r, const FrameSpec *spec, uint32_t l2_bits)
{
    Frame want, raw;
    uint32_t ihl = spec->ihl ? spec->ihl : 5;

    frame_build(&want, spec);
    frame_build(&raw, spec);
    spoil_sums(&raw, true, true);
    tx_ring_put_frame(r, &raw, CSUM_FULL | IHL(ihl) | l2_bits |
                      (spec->proto == FRAME_UDP ? MV_TXD_UDP : 0));
    tx_ring_kick(r);
    wire_expect_frame(r->n, &want);
}

/* 0, 4, 8 and 12 more bytes of L2 header by the descriptor's bits */
static void test_csum_l2(void)
{
    static const uint32_t bits[] = {
        0, MV_TXD_VLAN, MV_TXD_LLC_SNAP, MV_TXD_VLAN | MV_TXD_LLC_SNAP,
    };
    static const uint8_t protos[] = { FRAME_TCP, FRAME_UDP };
    TxRing r;
    Nic *n = tx_up(&r, 8);

    for (unsigned p = 0; p < ARRAY_SIZE(protos); p++) {
        for (unsigned tags = 0; tags < 4; tags++) {
            for (size_t payload = 0; payload < 260; payload += 37) {
                FrameSpec spec = {
                    .tags = tags, .tpid = { 0x88a8 }, .proto = protos[p],
                    .payload = 20 + payload,
                };

                check_csum(&r, &spec, bits[tags]);
            }
        }
        /* what bit 9 is named for: an LLC/SNAP header */
        check_csum(&r, &(FrameSpec) { .snap = true, .proto = protos[p],
                                      .payload = 99 }, MV_TXD_LLC_SNAP);
        check_csum(&r, &(FrameSpec) { .snap = true, .tags = 1,
                                      .proto = protos[p], .payload = 99 },
                   MV_TXD_LLC_SNAP | MV_TXD_VLAN);
    }
    nic_free(n);
}

/* the L4 header is where IHL says, 5 to 15 words */
static void test_csum_ihl(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);

    for (unsigned ihl = 5; ihl <= 15; ihl++) {
        FrameSpec spec = { .ihl = ihl, .payload = 100 + ihl };

        check_csum(&r, &spec, 0);
        spec.proto = FRAME_UDP;
        check_csum(&r, &spec, 0);
        spec.tags = 1;
        check_csum(&r, &spec, MV_TXD_VLAN);
    }
    nic_free(n);
}

/* Checksums over frames in pieces, up to the largest */
static void test_csum_jumbo(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 16);
    Frame want, raw;
    TxBuf bufs[9];

    frame_build(&want, &(FrameSpec) { .payload = 8960 });
    raw = want;
    spoil_sums(&raw, true, true);
    g_assert_cmpuint(raw.len, ==, 9014);
    for (unsigned i = 0; i < 9; i++) {
        size_t at = i ? 54 + 1121 * (i - 1) : 0;

        bufs[i] = (TxBuf) { raw.data + at,
                            i == 0 ? 54 : MIN(1121, raw.len - at), i % 8 };
    }
    send_and_check(&r, bufs, 9, CSUM_FULL | IHL(5), want.data, want.len);
    nic_free(n);
}

/* Each of the two can be asked for alone; none asked for changes nothing */
static void test_csum_separately(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame good, raw;

    frame_build(&good, &(FrameSpec) { .payload = 101 });
    raw = good;
    spoil_sums(&raw, true, false);
    tx_ring_put_frame(&r, &raw, MV_TXD_GEN_IP | IHL(5));
    tx_ring_kick(&r);
    wire_expect_frame(n, &good);

    raw = good;
    spoil_sums(&raw, false, true);
    tx_ring_put_frame(&r, &raw, MV_TXD_GEN_L4 | MV_TXD_L4_FULL | IHL(5));
    tx_ring_kick(&r);
    wire_expect_frame(n, &good);

    raw = good;
    spoil_sums(&raw, true, true);
    tx_ring_put_frame(&r, &raw, IHL(5));
    tx_ring_put_frame(&r, &raw, MV_TXD_L4_FULL | MV_TXD_UDP | IHL(5));
    tx_ring_kick(&r);
    wire_expect_frame(n, &raw);
    wire_expect_frame(n, &raw);
    nic_free(n);
}

/* The Ethernet trailer is not part of the L4 sum [L]: total length rules */
static void test_csum_trailer(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);

    check_csum(&r, &(FrameSpec) { .payload = 0, .trailer = 6 }, 0);
    check_csum(&r, &(FrameSpec) { .payload = 1, .trailer = 300 }, 0);
    check_csum(&r, &(FrameSpec) { .proto = FRAME_UDP, .payload = 3,
                                  .trailer = 15 }, 0);
    nic_free(n);
}

/* Mode b10 = 0: the sum starts from l4i_chk, no pseudo header [M] */
static void test_csum_initial(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame good, raw;
    TxBuf buf = { raw.data };

    frame_build(&good, &(FrameSpec) { .payload = 333 });
    raw = good;
    spoil_sums(&raw, false, true);
    buf.len = raw.len;
    tx_ring_put(&r, &buf, 1, MV_TXD_GEN_L4 | IHL(5), frame_pseudo_sum(&good));
    tx_ring_kick(&r);
    wire_expect_frame(n, &good);

    /* any other start value shifts the result by the difference */
    memset(raw.data + raw.l4 + 16, 0, 2);
    stw_be_p(good.data + good.l4 + 16,
             ~frame_sum(raw.data + raw.l4, raw.l4_len));
    spoil_sums(&raw, false, true);
    tx_ring_put(&r, &buf, 1, MV_TXD_GEN_L4 | IHL(5), 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &good);

    /* and with b10 = 1 it is ignored [H] */
    frame_build(&good, &(FrameSpec) { .payload = 333 });
    tx_ring_put(&r, &buf, 1, MV_TXD_GEN_L4 | MV_TXD_L4_FULL | IHL(5),
                0xbeef);
    tx_ring_kick(&r);
    wire_expect_frame(n, &good);
    nic_free(n);
}

/* RFC 768: a computed UDP sum of zero goes out as all ones [L] */
static void test_csum_udp_zero(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame want, raw;
    uint8_t *tail;

    frame_build(&want, &(FrameSpec) { .proto = FRAME_UDP, .payload = 40 });
    /* the last payload word takes up what is missing to a sum of zero */
    tail = want.data + want.len - 2;
    stw_be_p(tail, 0);
    frame_fix_sums(&want);
    stw_be_p(tail, lduw_be_p(want.data + want.l4 + 6));
    frame_fix_sums(&want);
    g_assert_cmphex(lduw_be_p(want.data + want.l4 + 6), ==, 0xffff);

    raw = want;
    spoil_sums(&raw, true, true);
    tx_ring_put_frame(&r, &raw, CSUM_FULL | MV_TXD_UDP | IHL(5));
    tx_ring_kick(&r);
    wire_expect_frame(n, &want);
    nic_free(n);
}

/* B-09: nothing carries over from one frame to the next, in any order */
static void test_csum_interleaved(void)
{
    static const uint8_t orders[][4] = {
        { 0, 1, 2, 3 }, { 1, 0, 3, 2 }, { 2, 3, 0, 1 }, { 3, 2, 1, 0 },
        { 1, 1, 0, 1 }, { 0, 2, 0, 2 },
    };
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame want[4], raw[4];
    static const uint32_t cmd[4] = {
        IHL(5), CSUM_FULL | IHL(5), CSUM_FULL | MV_TXD_UDP | IHL(5), IHL(5),
    };

    frame_build(&want[0], &(FrameSpec) { .ipv6 = true, .payload = 120,
                                         .l4_sum = SUM_ZERO });
    frame_build(&want[1], &(FrameSpec) { .payload = 121 });
    frame_build(&want[2], &(FrameSpec) { .proto = FRAME_UDP,
                                         .payload = 122 });
    frame_raw(&want[3], frame_peer_mac, 0x0040, 80, 3);
    memcpy(raw, want, sizeof(raw));
    spoil_sums(&raw[1], true, true);
    spoil_sums(&raw[2], true, true);

    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        for (unsigned k = 0; k < 4; k++) {
            tx_ring_put_frame(&r, &raw[orders[i][k]], cmd[orders[i][k]]);
        }
        tx_ring_kick(&r);
        for (unsigned k = 0; k < 4; k++) {
            wire_expect_frame(n, &want[orders[i][k]]);
        }
    }
    nic_free(n);
}

/* C-15: nothing of a long frame is left in the short one after it */
static void test_long_then_short(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 16);
    Frame lng, shrt;
    TxBuf bufs[4];

    frame_raw(&lng, frame_peer_mac, 0x88b5, 9000, 0x11);
    frame_raw(&shrt, frame_peer_mac, 0x88b5, 20, 0x22);
    for (unsigned i = 0; i < 4; i++) {
        bufs[i] = (TxBuf) { lng.data + 2250 * i, 2250, i };
    }
    for (unsigned round = 0; round < 3; round++) {
        tx_ring_put(&r, bufs, 4, 0, 0);
        tx_ring_put_frame(&r, &shrt, 0);
    }
    tx_ring_kick(&r);
    frame_pad(&shrt);
    for (unsigned round = 0; round < 3; round++) {
        wire_expect_frame(n, &lng);
        wire_expect_frame(n, &shrt);
    }
    wire_expect_none(n);
    nic_free(n);
}

/* Status goes to the last descriptor, everything but O survives [H] */
static void test_write_back(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;
    uint32_t cmd[3] = {
        MV_TXD_F | MV_TXD_GC | IHL(5) | MV_TXD_EI, 0x00000000,
        MV_TXD_L | MV_TXD_ZP | MV_TXD_EI,
    };

    frame_raw(&f, frame_peer_mac, 0x88b5, 300, 9);
    for (unsigned i = 0; i < 3; i++) {
        put_raw(&r, f.data + 100 * i, 100, cmd[i] | MV_TXD_O);
    }
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    for (unsigned i = 0; i < 3; i++) {
        Desc d;

        desc_read(n, tx_ring_desc(&r, i), &d);
        g_assert_cmphex(d.cmd_sts, ==, cmd[i]);
        g_assert_cmpuint(d.count, ==, 100);
        g_assert_cmphex(d.buf, ==, MEM_TX_BUF(0, i));
        g_assert_cmphex(d.next, ==, tx_ring_desc(&r, i + 1));
    }
    nic_free(n);
}

/* No EI, no TxBuffer cause; TxEnd comes all the same */
static void test_no_interrupt_bit(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 4);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    put_raw(&r, f.data, f.len, MV_TXD_O | MV_TXD_F | MV_TXD_L);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
    nic_free(n);
}

/* A NULL next pointer ends the chain, and reads back as zero [M] */
static void test_null_next(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 4);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    tx_ring_put_frame(&r, &f, 0);
    mem_write32(n, tx_ring_desc(&r, 0) + MV_DESC_NEXT, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_TXEND(0), !=, 0);
    nic_write(n, PORT(MV_IC), 0);
    tx_ring_kick(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    wire_expect_none(n);
    nic_free(n);
}

/* The frame at the ring's start cannot be sent: nothing of it moves */
static void expect_refused(TxRing *r)
{
    Nic *n = r->n;

    wire_expect_none(n);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR_MASK, ==,
                    MV_ICE_TXERR(0));
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_TXEND_MASK, ==,
                    MV_IC_TXEND(0));
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, tx_ring_desc(r, 0));
    g_assert_cmphex(mem_read32(n, tx_ring_desc(r, 0)) & MV_TXD_O, !=, 0);
    nic_ack_all(n);
}

/* a frame whose rest is not owned yet waits, then leaves once, whole */
static void test_early_owner(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 4);
    TxBuf bufs[2];
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 300, 1);
    bufs[0] = (TxBuf) { f.data, 100, 0 };
    bufs[1] = (TxBuf) { f.data + 100, 200, 0 };
    tx_ring_put(&r, bufs, 2, 0, 0);
    mem_write32(n, tx_ring_desc(&r, 1), MV_TXD_L | MV_TXD_ZP | MV_TXD_EI);
    tx_ring_kick(&r);
    expect_refused(&r);

    mem_write32(n, tx_ring_desc(&r, 1),
                MV_TXD_O | MV_TXD_L | MV_TXD_ZP | MV_TXD_EI);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    tx_ring_expect_done(&r, 0, 2);
    nic_free(n);
}

/* The same where the chain ends before the frame does */
static void test_null_inside_frame(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 4);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    put_raw(&r, f.data, f.len, MV_TXD_O | MV_TXD_F);
    mem_write32(n, tx_ring_desc(&r, 0) + MV_DESC_NEXT, 0);
    tx_ring_kick(&r);
    expect_refused(&r);
    nic_free(n);
}

/* Descriptors out of order cost the frame so begun, and no more */
static void test_descriptor_order(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 16);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    /* no F at the start */
    put_raw(&r, f.data, f.len, MV_TXD_O | MV_TXD_L | MV_TXD_EI);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
    g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, 0)) & MV_TXD_O, ==, 0);
    nic_ack_all(n);

    /* F again before L: the second frame goes out, the first is lost */
    put_raw(&r, f.data, 50, MV_TXD_O | MV_TXD_F);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
    g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, 2)) & MV_TXD_O, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==,
                    tx_ring_desc(&r, r.head));
    nic_free(n);
}

/* C-17: nothing to send is dropped, the descriptor comes back */
static void test_zero_length(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    put_raw(&r, NULL, 0, MV_TXD_O | MV_TXD_F | MV_TXD_L | MV_TXD_ZP);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, 0)) & MV_TXD_O, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
    nic_free(n);
}

/* C-05: frames beyond any wire are dropped whole, descriptors come back */
static void test_oversize(void)
{
    static const unsigned counts[] = { 1, 2, 16, 63 };
    g_autofree uint8_t *data = g_malloc0(65535);
    TxRing r;
    Nic *n = tx_up(&r, 64);
    TxBuf bufs[63];
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    for (unsigned i = 0; i < ARRAY_SIZE(bufs); i++) {
        bufs[i] = (TxBuf) { data, 65535, 0 };
    }
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        unsigned first = tx_ring_put(&r, bufs, counts[i], 0, 0);

        tx_ring_kick(&r);
        wire_expect_none(n);
        for (unsigned k = 0; k < counts[i]; k++) {
            g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, first + k)) &
                            MV_TXD_O, ==, 0);
        }
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
        nic_ack_all(n);
        tx_ring_put_frame(&r, &f, 0);
        tx_ring_kick(&r);
        wire_expect_frame(n, &f);
    }
    nic_free(n);
}

/* C-05: the limit is exact */
static void test_frame_limit(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, TX_FRAME_LIMIT, 1);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    nic_ack_all(n);
    frame_raw(&f, frame_peer_mac, 0x88b5, TX_FRAME_LIMIT + 1, 1);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_none(n);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
    nic_free(n);
}

/*
 * C-09: checksum commands that do not fit the frame: it is sent as it is or
 * dropped, its descriptor comes back and the next frame is right.
 */
static void test_bad_csum_commands(void)
{
    static const uint32_t l2[] = {
        0, MV_TXD_VLAN, MV_TXD_LLC_SNAP, MV_TXD_VLAN | MV_TXD_LLC_SNAP,
    };
    static const uint16_t lengths[] = { 1, 13, 14, 20, 24, 33, 34, 35, 49 };
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame probe, f;
    unsigned tried = 0;

    frame_build(&probe, &(FrameSpec) { .payload = 50 });
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        for (unsigned ihl = 0; ihl <= 15; ihl += 3) {
            for (size_t k = 0; k < ARRAY_SIZE(l2); k++) {
                unsigned slot = r.head;

                f = probe;
                put_raw(&r, f.data, lengths[i], MV_TXD_O | MV_TXD_F |
                        MV_TXD_L | CSUM_FULL | IHL(ihl) | l2[k]);
                tx_ring_kick(&r);
                g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, slot)) &
                                MV_TXD_O, ==, 0);
                g_assert_cmpuint(wire_flush(n), <=, 1);
                tried++;
            }
        }
    }
    g_assert_cmpuint(tried, ==, 9 * 6 * 4);
    check_csum(&r, &(FrameSpec) { .payload = 50 }, 0);
    nic_free(n);
}

/* C-09: an IPv4 total length that lies never makes the port read past it */
static void test_lying_total_length(void)
{
    static const uint16_t claims[] = { 1, 19, 20, 39, 41, 1000, 65535 };
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    for (size_t i = 0; i < ARRAY_SIZE(claims); i++) {
        uint8_t got[200];
        size_t len;
        unsigned slot = r.head;

        frame_build(&f, &(FrameSpec) { .payload = 46,
                                       .total_len = claims[i] });
        tx_ring_put_frame(&r, &f, CSUM_FULL | IHL(5));
        tx_ring_kick(&r);
        g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, slot)) & MV_TXD_O,
                        ==, 0);
        len = wire_take(n, got, sizeof(got));
        g_assert_cmpuint(len, ==, f.len);
        /* all but the checksums as it was, and no L4 sum past the frame */
        memcpy(got + f.l3 + 10, f.data + f.l3 + 10, 2);
        if (claims[i] >= 40 && claims[i] <= f.len - f.l3) {
            memcpy(got + f.l4 + 16, f.data + f.l4 + 16, 2);
        }
        g_assert_cmpmem(got, len, f.data, f.len);
    }
    nic_free(n);
}

/* Every queue works, with its own pointer and its own cause bits */
static void test_all_queues(void)
{
    TxRing r[8];
    Nic *n = tx_up(&r[0], 4);
    Frame f;

    nic_write(n, PORT(MV_IME), 0xff);
    for (unsigned q = 0; q < 8; q++) {
        tx_ring_init(&r[q], n, q, 4);
        frame_raw(&f, frame_peer_mac, 0x88b5, 100 + q, q);
        tx_ring_put_frame(&r[q], &f, 0);
        tx_ring_kick(&r[q]);
        wire_expect_frame(n, &f);
        tx_ring_expect_done(&r[q], 0, 1);
        g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(q))), ==,
                        tx_ring_desc(&r[q], 1));
        g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==,
                        MV_IC_EXT | MV_IC_TXEND(q));
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & ~MV_ICE_SUM, ==,
                        MV_ICE_TXBUF(q));
        nic_ack_all(n);
    }
    nic_free(n);
}

static unsigned take_queue_number(Nic *n)
{
    uint8_t got[100];

    g_assert_cmpuint(wire_take(n, got, sizeof(got)), ==, sizeof(got));
    return got[14] / 16;
}

/* 6.5: fixed queues first, highest number first; the rest take turns */
static void check_priority(uint8_t fixed)
{
    enum { FRAMES = 3 };
    TxRing r[8];
    Nic *n = tx_up(&r[0], 8);
    Frame f;

    nic_write(n, PORT(MV_TX_FIXED_PRIO), fixed);
    for (unsigned q = 0; q < 8; q++) {
        tx_ring_init(&r[q], n, q, 8);
        for (unsigned i = 0; i < FRAMES; i++) {
            frame_raw(&f, frame_peer_mac, 0x88b5, 100, 16 * q);
            tx_ring_put_frame(&r[q], &f, 0);
        }
    }
    nic_write(n, PORT(MV_TQC), 0xff);
    for (int q = 7; q >= 0; q--) {
        for (unsigned i = 0; fixed >> q & 1 && i < FRAMES; i++) {
            g_assert_cmpuint(take_queue_number(n), ==, q);
        }
    }
    for (unsigned i = 0; i < FRAMES; i++) {
        uint8_t turn = fixed;

        while (turn != 0xff) {
            uint8_t bit = 1 << take_queue_number(n);

            g_assert_cmphex(turn & bit, ==, 0);
            turn |= bit;
        }
    }
    wire_expect_none(n);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    nic_free(n);
}

static void test_priority(void)
{
    check_priority(0xff);
    check_priority(0x00);
    check_priority(0xa1);
}

/* 6.1: disable clears the bit at once, wins over enable, reads back 0 */
static void test_disable(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0x01);
    nic_write(n, PORT(MV_TQC), 0x0100);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0x00);
    nic_write(n, PORT(MV_TQC), 0x0101);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0x00);
    nic_write(n, PORT(MV_TQC), 0xffff0000);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0x00);
    nic_rmw(n, PORT(MV_PSC0), 0, MV_PSC0_PORT_EN);
    wire_expect_none(n);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    nic_free(n);
}

/* A queue kicked while the port is off starts with the port */
static void test_port_disabled(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_none(n);
    g_assert_cmphex(mem_read32(n, tx_ring_desc(&r, 0)) & MV_TXD_O, !=, 0);
    nic_rmw(n, PORT(MV_PSC0), 0, MV_PSC0_PORT_EN);
    wire_expect_frame(n, &f);
    tx_ring_expect_done(&r, 0, 1);
    nic_free(n);
}

/* The same with the port held in reset by PSC1 b4 */
static void test_port_reset(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    nic_rmw(n, PORT(MV_PSC1), 0, MV_PSC1_PORT_RESET);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_none(n);
    nic_write(n, PORT(MV_TQC), 0x100);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    nic_rmw(n, PORT(MV_PSC1), MV_PSC1_PORT_RESET, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    nic_free(n);
}

/* B-03, C-22: with no link frames are completed and lost, not kept */
static void test_link_down(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    nic_set_link(n, false);
    for (unsigned i = 0; i < 3; i++) {
        unsigned first = tx_ring_put_frame(&r, &f, 0);

        tx_ring_kick(&r);
        tx_ring_expect_done(&r, first, 1);
    }
    g_assert_cmpuint(nic_counter(n, "tx-drop-link-down"), ==, 3);
    nic_set_link(n, true);
    wire_expect_none(n);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    nic_free(n);
}

/* C-26: loopback is not modelled: its bit is storage, frames go out once */
static void test_loopback_bit(void)
{
    TxRing tx;
    Nic *n = tx_up(&tx, 4);
    RxRing rx;
    Frame f;

    rx_ring_init(&rx, n, 0, 4, 1536);
    nic_write(n, PORT(MV_PSC1), 0x0000000b);
    g_assert_cmphex(nic_read(n, PORT(MV_PSC1)), ==, 0x0000000b);
    frame_build(&f, &(FrameSpec) { .tags = 1, .payload = 100 });
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    rx_ring_expect_none(&rx);
    nic_free(n);
}

/* Kick until the wire is full of frames that nobody takes */
static unsigned fill_wire(TxRing *r, const Frame *f)
{
    unsigned sent = 0;

    for (unsigned i = 0; i < 4000; i++) {
        unsigned slot = tx_ring_put_frame(r, f, 0);

        tx_ring_kick(r);
        sent++;
        g_assert_cmphex(mem_read32(r->n, tx_ring_desc(r, slot)) & MV_TXD_O,
                        ==, 0);
        if (nic_counter(r->n, "tx-drop-backend")) {
            break;
        }
    }
    return sent;
}

/*
 * A-15, B-03, C-23: the peer reads nothing.  Descriptors still come back,
 * disable is acknowledged, the FIFO is empty, and later frames flow in order.
 */
static void test_blocked_backend(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    uint64_t arrived, dropped, sent;
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 9000, 1);
    sent = fill_wire(&r, &f);
    dropped = nic_counter(n, "tx-drop-backend");
    g_assert_cmpuint(dropped, >, 0);
    nic_write(n, PORT(MV_TQC), 0x100);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) &
                    (MV_PS0_TX_FIFO_EMPTY | MV_PS0_TX_IN_PROGRESS), ==,
                    MV_PS0_TX_FIFO_EMPTY);

    /* every frame that does not count as lost arrives, the last one late */
    arrived = wire_flush(n);
    qtest_clock_step(n->qts, RX_HOLD_NS);
    arrived += wire_flush(n);
    g_assert_cmpuint(arrived, ==, sent - dropped);

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 2);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    nic_free(n);
}

/* C-23: neither stopping the machine nor time loses or repeats a frame */
static void test_blocked_stop_cont(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    uint64_t through, arrived;
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 9000, 1);
    through = fill_wire(&r, &f);
    through -= nic_counter(n, "tx-drop-backend");
    qtest_clock_step(n->qts, 10 * RX_HOLD_NS);
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'stop' }");
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'cont' }");
    arrived = wire_flush(n);
    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 2);
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    while (wire_take(n, NULL, 0) == 9000) {
        arrived++;
    }
    g_assert_cmpuint(arrived, ==, through);
    wire_expect_none(n);
    nic_free(n);
}

/* C-23: the backend goes away; transmitting goes on into nothing */
static void test_backend_removed(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 9000, 1);
    fill_wire(&r, &f);
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'netdev_del',"
                             " 'arguments': { 'id': 'wire' } }");
    for (unsigned i = 0; i < 3; i++) {
        unsigned first = tx_ring_put_frame(&r, &f, 0);

        tx_ring_kick(&r);
        tx_ring_expect_done(&r, first, 1);
    }
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_TX_FIFO_EMPTY, !=, 0);
    nic_free(n);
}

/* B-11: no token bucket setting keeps a frame back */
static void test_rate_registers(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    nic_write(n, PORT(MV_TX_MTU), 1);
    nic_write(n, PORT(MV_TX_RATE), 0);
    nic_write(n, PORT(MV_TX_BUCKET), 0);
    nic_write(n, PORT(MV_TXQ_COUNT(0)), 0);
    nic_write(n, PORT(MV_TXQ_CONFIG(0)), 0);
    frame_raw(&f, frame_peer_mac, 0x88b5, 1514, 1);
    for (unsigned i = 0; i < 20; i++) {
        tx_ring_put_frame(&r, &f, 0);
        tx_ring_kick(&r);
        wire_expect_frame(n, &f);
    }
    nic_free(n);
}

/* A-16, B-10: no order of "owned" and "kick" loses or repeats a frame */
static void test_kick_orders(void)
{
    TxRing r;
    Nic *n = tx_up(&r, 8);
    Frame f;

    frame_raw(&f, frame_peer_mac, 0x88b5, 100, 1);
    /* kick before there is anything: stops, pointer stays, TxEnd */
    tx_ring_kick(&r);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, tx_ring_desc(&r, 0));
    nic_write(n, PORT(MV_IC), 0);
    /* owned without a kick: not even time makes it go */
    tx_ring_put_frame(&r, &f, 0);
    qtest_clock_step(n->qts, 10 * RX_HOLD_NS);
    wire_expect_none(n);
    /* kick after; kick again; kick once more later: one frame */
    tx_ring_kick(&r);
    tx_ring_kick(&r);
    qtest_clock_step(n->qts, TX_RESUME_NS);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, tx_ring_desc(&r, 1));
    /* a kick for the next one right behind a stop */
    tx_ring_put_frame(&r, &f, 0);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/tx/lengths", test_lengths);
    qtest_add_func("/mv643xx/tx/B-01-alignment", test_alignment);
    qtest_add_func("/mv643xx/tx/A-02-tiny-buffers", test_tiny_buffers);
    qtest_add_func("/mv643xx/tx/A-01-many-buffers", test_many_buffers);
    qtest_add_func("/mv643xx/tx/empty-fragment", test_empty_fragment);
    qtest_add_func("/mv643xx/tx/C-06-padding", test_padding);
    qtest_add_func("/mv643xx/tx/B-15-no-gc", test_no_gc);
    qtest_add_func("/mv643xx/tx/own-fcs", test_own_fcs);
    qtest_add_func("/mv643xx/tx/A-26-csum-l2-length", test_csum_l2);
    qtest_add_func("/mv643xx/tx/A-26-csum-ihl", test_csum_ihl);
    qtest_add_func("/mv643xx/tx/csum-jumbo", test_csum_jumbo);
    qtest_add_func("/mv643xx/tx/A-26-csum-separately", test_csum_separately);
    qtest_add_func("/mv643xx/tx/csum-trailer", test_csum_trailer);
    qtest_add_func("/mv643xx/tx/csum-initial-value", test_csum_initial);
    qtest_add_func("/mv643xx/tx/csum-udp-zero", test_csum_udp_zero);
    qtest_add_func("/mv643xx/tx/B-09-csum-interleaved",
                   test_csum_interleaved);
    qtest_add_func("/mv643xx/tx/C-09-bad-csum-commands",
                   test_bad_csum_commands);
    qtest_add_func("/mv643xx/tx/C-09-lying-total-length",
                   test_lying_total_length);
    qtest_add_func("/mv643xx/tx/C-15-long-then-short", test_long_then_short);
    qtest_add_func("/mv643xx/tx/write-back", test_write_back);
    qtest_add_func("/mv643xx/tx/no-interrupt-bit", test_no_interrupt_bit);
    qtest_add_func("/mv643xx/tx/null-next", test_null_next);
    qtest_add_func("/mv643xx/tx/A-03-early-owner", test_early_owner);
    qtest_add_func("/mv643xx/tx/A-03-null-inside-frame",
                   test_null_inside_frame);
    qtest_add_func("/mv643xx/tx/descriptor-order", test_descriptor_order);
    qtest_add_func("/mv643xx/tx/C-17-zero-length", test_zero_length);
    qtest_add_func("/mv643xx/tx/C-05-oversize", test_oversize);
    qtest_add_func("/mv643xx/tx/C-05-frame-limit", test_frame_limit);
    qtest_add_func("/mv643xx/tx/all-queues", test_all_queues);
    nic_add_ideal_test("/mv643xx/tx/priority", test_priority);
    qtest_add_func("/mv643xx/tx/disable", test_disable);
    nic_add_ideal_test("/mv643xx/tx/port-disabled", test_port_disabled);
    qtest_add_func("/mv643xx/tx/port-reset", test_port_reset);
    qtest_add_func("/mv643xx/tx/C-22-link-down", test_link_down);
    qtest_add_func("/mv643xx/tx/C-26-loopback-bit", test_loopback_bit);
    qtest_add_func("/mv643xx/tx/A-15-blocked-backend", test_blocked_backend);
    qtest_add_func("/mv643xx/tx/C-23-blocked-stop-cont",
                   test_blocked_stop_cont);
    qtest_add_func("/mv643xx/tx/C-23-backend-removed", test_backend_removed);
    qtest_add_func("/mv643xx/tx/B-11-rate-registers", test_rate_registers);
    qtest_add_func("/mv643xx/tx/A-16-kick-orders", test_kick_orders);
    return g_test_run();
}
