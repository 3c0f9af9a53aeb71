/*
 * Coalescer of net/gso: cases R
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "train.h"

/*
 * Rows in the manner of the kernel's selftests (gro.c): packets of a flow,
 * the payload lengths that must come out, and a verdict for each packet.
 * P(i, ...) is the i-th packet of 100 bytes of an orderly stream, changed.
 */
#pragma GCC diagnostic ignored "-Woverride-init"

#define P(i, ...) { .seq = 100 * (i), .id = (i), .payload = 100, \
                    .fill = 100 + (i), __VA_ARGS__ }
#define T12 .tcp_opts = 12
#define MAX_PACKETS 6

typedef struct Row {
    const char *name;
    unsigned n;
    Frame packet[MAX_PACKETS];
    const char *lengths;
    GsoVerdict verdict[MAX_PACKETS];
} Row;

static const Row rows[] = {
    /* R-01 data: same, large then small, small then large; pure ACKs. */
    { "R-01-data-same", 3, { P(0), P(1), P(2) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    { "R-01-data-same-v6", 3,
      { P(0, .v6 = true), P(1, .v6 = true), P(2, .v6 = true) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    { "R-03-large-small", 3, { P(0), P(1, .payload = 60), P(2, .seq = 160) },
      "160 100", { GSO_V_HELD, GSO_V_MERGED_SHORT, GSO_V_HELD } },
    { "R-03-small-large", 2, { P(0, .payload = 60), P(1, .seq = 60) },
      "60 100", { GSO_V_HELD, GSO_V_DIFF_LONGER } },
    { "R-03-1448-1448-100-1448", 4,
      { P(0, .payload = 1448), P(1, .seq = 1448, .payload = 1448),
        P(2, .seq = 2896), P(3, .seq = 2996, .payload = 1448) },
      "2996 1448",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED_SHORT, GSO_V_HELD } },
    { "R-01-ack", 2, { P(0, .payload = 0), P(1, .seq = 0, .payload = 0) },
      "0 0", { GSO_V_PASS_EMPTY, GSO_V_PASS_EMPTY } },
    { "R-02-data-ack-data", 3,
      { P(0), P(1, .payload = 0), P(2, .seq = 100) }, "100 0 100",
      { GSO_V_HELD, GSO_V_PASS_EMPTY, GSO_V_HELD } },
    { "R-01-ack-number", 2, { P(0), P(1, .ack = 1) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_ACK } },
    /* R-02 flags. */
    { "R-02-psh", 3, { P(0), P(1, .flags = 0x18), P(2) }, "200 100",
      { GSO_V_HELD, GSO_V_MERGED_PUSH, GSO_V_HELD } },
    { "R-02-psh-first", 2, { P(0, .flags = 0x18), P(1) }, "100 100",
      { GSO_V_PASS_FLAGS, GSO_V_HELD } },
    { "R-02-psh-gap", 2, { P(0), P(2, .flags = 0x18) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_IP_ID } },
    { "R-02-fin", 3, { P(0), P(1, .flags = 0x11), P(2) }, "200 100",
      { GSO_V_HELD, GSO_V_MERGED_PUSH, GSO_V_HELD } },
    { "R-02-syn", 3, { P(0), P(1, .flags = 0x12), P(2) }, "100 100 100",
      { GSO_V_HELD, GSO_V_DIFF_FLAGS, GSO_V_HELD } },
    { "R-02-rst", 3, { P(0), P(1, .flags = 0x14), P(2) }, "100 100 100",
      { GSO_V_HELD, GSO_V_DIFF_FLAGS, GSO_V_HELD } },
    { "R-02-urg", 3, { P(0), P(1, .flags = 0x30), P(2) }, "100 100 100",
      { GSO_V_HELD, GSO_V_DIFF_FLAGS, GSO_V_HELD } },
    { "R-02-urg-all", 2, { P(0, .flags = 0x30), P(1, .flags = 0x30) },
      "100 100", { GSO_V_PASS_FLAGS, GSO_V_PASS_FLAGS } },
    { "R-02-urgent-pointer", 2, { P(0), P(1, .urgent = 1) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_URGENT } },
    { "R-02-reserved-bits", 2, { P(0), P(1, .reserved = 1) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_FLAGS } },
    { "R-02-window", 2, { P(0), P(1, .window = 1) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_WINDOW } },
    /* R-14 CWR and ECN (RFC 3168; Linux 6.1 tcp_gro_receive()). */
    { "R-14-cwr-first", 3, { P(0, .flags = 0x90), P(1), P(2) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    { "R-14-cwr-middle", 3, { P(0), P(1, .flags = 0x90), P(2) }, "100 200",
      { GSO_V_HELD, GSO_V_DIFF_CWR, GSO_V_MERGED } },
    { "R-14-cwr-all", 3,
      { P(0, .flags = 0x90), P(1, .flags = 0x90), P(2, .flags = 0x90) },
      "100 100 100", { GSO_V_HELD, GSO_V_DIFF_CWR, GSO_V_DIFF_CWR } },
    { "R-14-ece", 3, { P(0), P(1, .flags = 0x50), P(2, .flags = 0x50) },
      "100 200", { GSO_V_HELD, GSO_V_DIFF_FLAGS, GSO_V_MERGED } },
    { "R-14-ce-marks", 4,
      { P(0, .tos = 2), P(1, .tos = 3), P(2, .tos = 3), P(3, .tos = 2) },
      "100 200 100",
      { GSO_V_HELD, GSO_V_DIFF_TOS, GSO_V_MERGED, GSO_V_DIFF_TOS } },
    { "R-14-ce-marks-v6", 2,
      { P(0, .v6 = true, .tos = 2), P(1, .v6 = true, .tos = 3) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_TOS } },
    /* R-01 tcp: sequence, time stamps, options. */
    { "R-01-seq-gap", 2, { P(0), P(1, .seq = 101) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_SEQ } },
    { "R-01-seq-back", 2, { P(0), P(1, .seq = 0) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_SEQ } },
    { "R-01-seq-wrap", 3,
      { P(0, .seq = 0xffffff9c), P(1, .seq = 0), P(2, .seq = 100) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    { "R-15-same-timestamps", 2, { P(0, T12), P(1, T12) }, "200",
      { GSO_V_HELD, GSO_V_MERGED } },
    { "R-15-timestamps-differ", 2, { P(0, T12), P(1, T12, .opt_fill = 1) },
      "100 100", { GSO_V_HELD, GSO_V_DIFF_OPTIONS } },
    { "R-15-option-added", 2, { P(0, T12), P(1, .tcp_opts = 16) },
      "100 100", { GSO_V_HELD, GSO_V_DIFF_FLAGS } },
    { "R-15-last-option-byte", 2,
      { P(0, .tcp_opts = 4), P(1, .tcp_opts = 4, .opt_fill = 1) },
      "100 100", { GSO_V_HELD, GSO_V_DIFF_OPTIONS } },
    /* R-01 ip: TTL, TOS, DF, IDs. */
    { "R-01-ttl", 2, { P(0), P(1, .ttl = 63) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_TTL } },
    { "R-01-hop-limit", 2, { P(0, .v6 = true), P(1, .v6 = true, .ttl = 63) },
      "100 100", { GSO_V_HELD, GSO_V_DIFF_TTL } },
    { "R-01-tos", 2, { P(0), P(1, .tos = 0x10) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_TOS } },
    { "R-01-traffic-class", 2,
      { P(0, .v6 = true), P(1, .v6 = true, .tos = 0x81) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_TOS } },
    { "R-01-df", 2, { P(0), P(1, .df = true) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_DF } },
    { "R-01-id-df1-increment", 3,
      { P(0, .df = true), P(1, .df = true), P(2, .df = true) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    { "R-01-id-df1-fixed", 3,
      { P(0, .df = true), P(1, .df = true, .id = 0),
        P(2, .df = true, .id = 0) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    { "R-01-id-df0-fixed", 2, { P(0), P(1, .id = 0) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_IP_ID } },
    { "R-01-id-df1-increment-then-fixed", 3,
      { P(0, .df = true), P(1, .df = true), P(2, .df = true, .id = 1) },
      "200 100", { GSO_V_HELD, GSO_V_MERGED, GSO_V_DIFF_IP_ID } },
    { "R-01-id-df1-fixed-then-increment", 3,
      { P(0, .df = true), P(1, .df = true, .id = 0),
        P(2, .df = true, .id = 1) },
      "200 100", { GSO_V_HELD, GSO_V_MERGED, GSO_V_DIFF_IP_ID } },
    { "R-01-id-df0-jump", 2, { P(0), P(1, .id = 2) }, "100 100",
      { GSO_V_HELD, GSO_V_DIFF_IP_ID } },
    { "R-01-id-wrap", 3,
      { P(0, .id = 0xffff), P(1, .id = 0), P(2, .id = 1) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    /* R-16 fragments, options, extension headers. */
    { "R-16-ip-options", 3, { P(0), P(1, .ip_opts = 4), P(2) },
      "100 100 100", { GSO_V_HELD, GSO_V_PASS_OPTIONS, GSO_V_HELD } },
    { "R-16-first-fragment", 3, { P(0), P(1, .frag = 0x2000), P(2) },
      "100 100 100", { GSO_V_HELD, GSO_V_PASS_FRAGMENT, GSO_V_HELD } },
    { "R-16-later-fragment", 3, { P(0), P(1, .frag = 0x0010), P(2) },
      "100 0 100", { GSO_V_HELD, GSO_V_PASS_FRAGMENT, GSO_V_HELD } },
    { "R-16-reserved-bit", 3, { P(0), P(1, .frag = 0x8000), P(2) },
      "100 100 100", { GSO_V_HELD, GSO_V_PASS_FRAGMENT, GSO_V_HELD } },
    { "R-16-ext-same", 2,
      { P(0, .v6 = true, .ext_hdrs = 2), P(1, .v6 = true, .ext_hdrs = 2) },
      "200", { GSO_V_HELD, GSO_V_MERGED } },
    { "R-16-ext-differ", 2,
      { P(0, .v6 = true, .ext_hdrs = 1),
        P(1, .v6 = true, .ext_hdrs = 1, .ext_fill = 1) },
      "100 100", { GSO_V_HELD, GSO_V_HELD } },
    { "R-16-flow-label", 2, { P(0, .v6 = true), P(1, .v6 = true, .label = 1) },
      "100 100", { GSO_V_HELD, GSO_V_HELD } },
    { "R-16-flow-label-high", 2,
      { P(0, .v6 = true), P(1, .v6 = true, .label = 0x10000) },
      "100 100", { GSO_V_HELD, GSO_V_HELD } },
    /* R-06 checksums. */
    { "R-06-bad-first", 3, { P(0, .csum = FRAME_CSUM_BAD), P(1), P(2) },
      "100 200", { GSO_V_PASS_L4_CSUM, GSO_V_HELD, GSO_V_MERGED } },
    { "R-06-bad-middle", 3, { P(0), P(1, .csum = FRAME_CSUM_BAD), P(2) },
      "100 100 100", { GSO_V_HELD, GSO_V_PASS_L4_CSUM, GSO_V_HELD } },
    { "R-06-bad-last", 3, { P(0), P(1), P(2, .csum = FRAME_CSUM_BAD) },
      "200 100", { GSO_V_HELD, GSO_V_MERGED, GSO_V_PASS_L4_CSUM } },
    { "R-06-bad-ip", 3, { P(0), P(1, .bad_ip_csum = true), P(2) },
      "100 100 100", { GSO_V_HELD, GSO_V_PASS_IP_CSUM, GSO_V_HELD } },
    { "R-06-bad-v6", 2,
      { P(0, .v6 = true), P(1, .v6 = true, .csum = FRAME_CSUM_BAD) },
      "100 100", { GSO_V_HELD, GSO_V_PASS_L4_CSUM } },
    { "R-06-partial", 2, { P(0, .csum = FRAME_CSUM_PARTIAL), P(1) }, "200",
      { GSO_V_HELD, GSO_V_MERGED } },
    /* R-07 padding. */
    { "R-07-padded", 3,
      { P(0, .payload = 2), P(1, .seq = 2, .payload = 2, .pad = 2),
        P(2, .seq = 4, .payload = 2) },
      "2 2 2", { GSO_V_HELD, GSO_V_PASS_LENGTH, GSO_V_HELD } },
    { "R-07-padded-0xaa", 2,
      { P(0, .payload = 5, .pad = 1, .pad_byte = 0xaa),
        P(1, .seq = 5, .payload = 5, .pad = 1, .pad_byte = 0xaa) },
      "5 5", { GSO_V_PASS_LENGTH, GSO_V_PASS_LENGTH } },
    /* R-18 UDP. */
    { "R-18-udp-same", 3,
      { P(0, .udp = true), P(1, .udp = true), P(2, .udp = true) }, "300",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED } },
    { "R-18-udp-short", 3,
      { P(0, .udp = true), P(1, .udp = true, .payload = 50),
        P(2, .udp = true) }, "150 100",
      { GSO_V_HELD, GSO_V_MERGED_SHORT, GSO_V_HELD } },
    { "R-18-udp-longer", 2,
      { P(0, .udp = true), P(1, .udp = true, .payload = 101) }, "100 101",
      { GSO_V_HELD, GSO_V_DIFF_LONGER } },
    { "R-18-udp-no-csum", 3,
      { P(0, .udp = true), P(1, .udp = true, .csum = FRAME_CSUM_ZERO),
        P(2, .udp = true) }, "100 100 100",
      { GSO_V_HELD, GSO_V_PASS_NO_CSUM, GSO_V_HELD } },
    { "R-18-udp-empty", 2,
      { P(0, .udp = true), P(1, .udp = true, .payload = 0) }, "100 0",
      { GSO_V_HELD, GSO_V_PASS_EMPTY } },
    { "R-18-quic-like", 6,
      { P(0, .udp = true, .v6 = true, .payload = 1200),
        P(1, .udp = true, .v6 = true, .payload = 1200),
        P(2, .udp = true, .v6 = true, .payload = 300),
        P(3, .udp = true, .v6 = true, .payload = 40),
        P(4, .udp = true, .v6 = true, .payload = 1200),
        P(5, .udp = true, .v6 = true, .payload = 1200) },
      "2700 40 2400",
      { GSO_V_HELD, GSO_V_MERGED, GSO_V_MERGED_SHORT, GSO_V_HELD,
        GSO_V_DIFF_LONGER, GSO_V_MERGED } },
    /* R-19 what is in front of the IP header. */
    { "R-19-same-tag", 2,
      { P(0, .tags = 1, .tci = { 10 }), P(1, .tags = 1, .tci = { 10 }) },
      "200", { GSO_V_HELD, GSO_V_MERGED } },
    { "R-19-vlan-differs", 2,
      { P(0, .tags = 1, .tci = { 10 }), P(1, .tags = 1, .tci = { 20 }) },
      "100 100", { GSO_V_HELD, GSO_V_HELD } },
    { "R-19-priority-differs", 2,
      { P(0, .tags = 1, .tci = { 0x200a }), P(1, .tags = 1, .tci = { 10 }) },
      "100 100", { GSO_V_HELD, GSO_V_HELD } },
    { "R-19-inner-tag-differs", 2,
      { P(0, .tags = 2, .tci = { 1, 2 }), P(1, .tags = 2, .tci = { 1, 3 }) },
      "100 100", { GSO_V_HELD, GSO_V_HELD } },
    { "R-19-mac-differs", 2, { P(0), P(1, .dmac = 7) }, "100 100",
      { GSO_V_HELD, GSO_V_HELD } },
    { "R-19-three-tags", 2, { P(0, .tags = 3), P(1, .tags = 3) }, "0 0",
      { GSO_V_PASS_NOT_IP, GSO_V_PASS_NOT_IP } },
    /* R-11 order: other flows may pass, the own flow may not. */
    { "R-11-other-flow", 3, { P(0), P(0, .sport = 9), P(1) }, "200 100",
      { GSO_V_HELD, GSO_V_HELD, GSO_V_MERGED } },
    { "R-11-other-flow-ack", 3,
      { P(0), P(0, .sport = 9, .payload = 0), P(1) }, "0 200",
      { GSO_V_HELD, GSO_V_PASS_EMPTY, GSO_V_MERGED } },
};

static void test_row(gconstpointer data)
{
    const Row *row = data;
    g_autoptr(Train) t = train_new(NULL);
    g_autofree char *lengths = NULL;

    for (unsigned i = 0; i < row->n; i++) {
        GsoVerdict v = train_send(t, &row->packet[i]);

        g_assert_cmpstr(gso_verdict_name(v), ==,
                        gso_verdict_name(row->verdict[i]));
    }
    gso_gro_poll_end(t->gro, 0);
    lengths = train_lengths(t);
    g_assert_cmpstr(lengths, ==, row->lengths);
    g_assert_cmpint(gso_gro_stats(t->gro)->packets, ==, row->n);
}

/* The super-frame itself: lengths, checksums, flags, metadata. */
static void test_super_frame(gconstpointer data)
{
    unsigned kind = GPOINTER_TO_UINT(data);
    Frame f = {
        .v6 = kind & 1, .udp = kind & 2, .payload = 500, .df = true,
        .flags = 0x10, .tags = kind & 1,
    };
    const uint8_t types[] = {
        GSO_TYPE_TCPV4, GSO_TYPE_TCPV6, GSO_TYPE_UDP_L4, GSO_TYPE_UDP_L4,
    };
    g_autoptr(Train) t = train_new(NULL);
    const TrainOut *out;
    struct iovec iov;

    f.tcp_opts = f.udp ? 0 : 12;
    for (int i = 0; i < 4; i++) {
        f.flags = i == 3 ? 0x19 : 0x10;
        train_send(t, &f);
        f.seq += f.payload;
        f.id++;
    }
    gso_gro_poll_end(t->gro, 0);
    g_assert_cmpint(t->out->len, ==, 1);
    out = train_out(t, 0);
    g_assert_cmpint(out->len, ==, frame_hdr(&f) + 2000);
    g_assert_cmpint(out->npackets, ==, 4);
    g_assert_cmpint(out->meta.type, ==, types[kind]);
    g_assert_cmpint(out->meta.gso_size, ==, 500);
    g_assert_cmpint(out->meta.segs, ==, 4);
    g_assert_cmpint(out->meta.hdr_len, ==, frame_hdr(&f));
    g_assert_cmpint(out->meta.csum, ==, GSO_CSUM_PARTIAL);
    g_assert_cmpint(out->meta.csum_start, ==, frame_l4(&f));
    g_assert_false(out->meta.fixed_id);
    if (!f.udp) {
        g_assert_cmphex(out->bytes[frame_l4(&f) + 13], ==, 0x19);
        g_assert_cmphex(frame_u32(out->bytes + frame_l4(&f) + 4), ==, 0);
    }
    /* DF stays. */
    g_assert_true(f.v6 || (out->bytes[frame_l3(&f) + 6] & 0x40));
    iov = (struct iovec) { out->bytes, out->len };
    g_assert_cmpint(gso_csum_complete(&iov, 1, (uint32_t)out->len,
                                      out->meta.csum_start,
                                      out->meta.csum_offset, f.udp), ==, 0);
    g_assert_true(frame_valid(&f, out->bytes, out->len));
}

/* IDs that are all the same are remembered. */
static void test_fixed_id(void)
{
    g_autoptr(Train) t = train_new(NULL);
    const Frame f[] = {
        P(0, .df = true, .id = 7), P(1, .df = true, .id = 7),
        P(2, .df = true, .id = 7),
    };

    for (int i = 0; i < 3; i++) {
        train_send(t, &f[i]);
    }
    gso_gro_flush(t->gro, 0);
    g_assert_cmpint(t->out->len, ==, 1);
    g_assert_true(train_out(t, 0)->meta.fixed_id);
}

/* R-14 with AccECN (Linux 6.17): CWR is never joined, not even as first. */
static void test_accecn(void)
{
    GsoGroConfig c = train_config();
    g_autofree char *lengths = NULL;
    const Frame f[] = {
        P(0, .flags = 0x90), P(1), P(2), P(3, .flags = 0x90),
        P(4, .flags = 0x90),
    };
    const GsoVerdict want[] = {
        GSO_V_HELD, GSO_V_DIFF_CWR, GSO_V_MERGED, GSO_V_DIFF_CWR,
        GSO_V_DIFF_CWR,
    };

    c.accecn = true;
    g_autoptr(Train) t = train_new(&c);
    for (int i = 0; i < 5; i++) {
        g_assert_cmpint(train_send(t, &f[i]), ==, want[i]);
    }
    gso_gro_flush(t->gro, 0);
    lengths = train_lengths(t);
    g_assert_cmpstr(lengths, ==, "100 200 100 100");
}

/* a bad packet comes out as it went in, its metadata saying nothing. */
static void test_bad_untouched(void)
{
    g_autoptr(Train) t = train_new(NULL);
    const Frame f = P(0, .csum = FRAME_CSUM_BAD, .pad = 3);
    uint8_t buf[FRAME_MAX];
    size_t len = frame_build(&f, buf);

    train_send(t, &f);
    g_assert_cmpmem(train_out(t, 0)->bytes, train_out(t, 0)->len, buf, len);
    g_assert_cmpint(train_out(t, 0)->meta.type, ==, GSO_TYPE_NONE);
    g_assert_cmpint(train_out(t, 0)->meta.csum, ==, GSO_CSUM_COMPLETE);
    g_assert_false(train_out(t, 0)->meta.verified);
}

/* what hardware has verified is not verified again. */
static void test_verified(void)
{
    g_autoptr(Train) t = train_new(NULL);
    const GsoMeta ok = { .csum = GSO_CSUM_COMPLETE, .verified = true };
    const GsoMeta no = { .csum = GSO_CSUM_COMPLETE };
    const Frame f = P(0, .csum = FRAME_CSUM_BAD);
    uint8_t buf[FRAME_MAX];
    size_t len = frame_build(&f, buf);

    g_assert_cmpint(train_send_bytes(t, buf, len, NULL, &ok), ==,
                    GSO_V_HELD);
    g_assert_cmpint(train_send_bytes(t, buf, len, NULL, &no), ==,
                    GSO_V_PASS_L4_CSUM);
}

/* A checksum written 0xffff could not be written back by cutting again. */
static void test_csum_form(void)
{
    g_autoptr(Train) t = train_new(NULL);
    Frame f = P(0, .payload = 2);
    uint8_t buf[FRAME_MAX];
    size_t len = frame_build(&f, buf);
    uint8_t *field = buf + frame_l4(&f) + 16;
    uint32_t csum = frame_sum(frame_u16(field), buf + frame_hdr(&f), 2);

    /* Move the checksum into the payload; what is left of it is 0. */
    buf[len - 2] = (uint8_t)(csum >> 8);
    buf[len - 1] = (uint8_t)csum;
    field[0] = field[1] = 0;
    g_assert_true(frame_valid(&f, buf, len));
    g_assert_cmpint(train_send_bytes(t, buf, len, NULL, NULL), ==,
                    GSO_V_HELD);
    field[0] = field[1] = 0xff;
    g_assert_true(frame_valid(&f, buf, len));
    g_assert_cmpint(train_send_bytes(t, buf, len, NULL, NULL), ==,
                    GSO_V_PASS_CSUM_FORM);
}

/* up to 65535 bytes of IP packet, with each header counted. */
static void test_cap(void)
{
    GsoGroConfig c = train_config();

    c.max_segs = 200;
    c.max_iov = 200;
    for (int tags = 0; tags < 2; tags++) {
        Frame f = { .tags = (uint8_t)tags, .payload = 1000, .tcp_opts = 12 };
        g_autoptr(Train) t = train_new(&c);
        /* 65535 - 20 - 32 - 4 per tag leave room for 65 packets. */
        uint32_t rest = 65535 - 52 - 4 * (uint32_t)tags - 65000;

        for (int i = 0; i < 65; i++) {
            g_assert_cmpint(train_send(t, &f), ==,
                            i ? GSO_V_MERGED : GSO_V_HELD);
            f.seq += 1000;
            f.id++;
        }
        f.payload = rest + 1;
        g_assert_cmpint(train_send(t, &f), ==, GSO_V_DIFF_TOO_BIG);
        g_assert_cmpint(train_out(t, 0)->npackets, ==, 65);
    }
}

/* exactly 65535. */
static void test_cap_exact(void)
{
    GsoGroConfig c = train_config();
    Frame f = { .payload = 1001, .v6 = true };

    c.max_segs = 200;
    c.max_iov = 200;
    g_autoptr(Train) t = train_new(&c);
    for (int i = 0; i < 65; i++) {
        train_send(t, &f);
        f.seq += f.payload;
    }
    f.payload = 65535 - 60 - 65 * 1001;
    g_assert_cmpint(train_send(t, &f), ==, GSO_V_MERGED_SHORT);
    g_assert_cmpint(train_out(t, 0)->len, ==, 14 + 65535);
    g_assert_cmpint(frame_u16(train_out(t, 0)->bytes + 18), ==, 65535 - 40);
}

/* 45 segments of 1448 are a full super-frame of 64 KiB. */
static void test_45_segments(void)
{
    Frame f = { .payload = 1448, .tcp_opts = 12 };
    g_autoptr(Train) t = train_new(NULL);

    for (int i = 0; i < 46; i++) {
        g_assert_cmpint(train_send(t, &f), ==,
                        i == 0 ? GSO_V_HELD : i == 45 ? GSO_V_DIFF_TOO_BIG
                                                      : GSO_V_MERGED);
        f.seq += 1448;
        f.id++;
    }
    g_assert_cmpint(train_out(t, 0)->meta.segs, ==, 45);
}

/* 64 datagrams at most, whatever max_segs says. */
static void test_udp_64(void)
{
    GsoGroConfig c = train_config();

    c.max_segs = c.max_iov = 1000;
    g_autoptr(Train) t = train_new(&c);
    for (int i = 0; i < 65; i++) {
        Frame f = { .udp = true, .payload = 10, .id = (uint16_t)i };

        g_assert_cmpint(train_send(t, &f), ==,
                        i % 64 == 0 ? GSO_V_HELD
                                    : i == 63 ? GSO_V_MERGED_FULL
                                              : GSO_V_MERGED);
    }
    g_assert_cmpint(train_out(t, 0)->meta.segs, ==, 64);
}

/* types that are switched off are not joined. */
static void test_types(void)
{
    GsoGroConfig c = train_config();

    c.types = 1 << GSO_TYPE_TCPV4;
    g_autoptr(Train) t = train_new(&c);
    g_assert_cmpint(train_send(t, &(Frame) { .payload = 9 }), ==, GSO_V_HELD);
    g_assert_cmpint(train_send(t, &(Frame) { .payload = 9, .v6 = true }), ==,
                    GSO_V_PASS_TYPE);
    g_assert_cmpint(train_send(t, &(Frame) { .payload = 9, .udp = true }), ==,
                    GSO_V_PASS_TYPE);
}

static void test_max_segs(void)
{
    GsoGroConfig c = train_config();

    c.max_segs = c.max_iov = 3;
    g_autoptr(Train) t = train_new(&c);
    for (int i = 0; i < 6; i++) {
        const Frame f = P(i);

        g_assert_cmpint(train_send(t, &f), ==,
                        i % 3 == 0 ? GSO_V_HELD
                                   : i % 3 == 2 ? GSO_V_MERGED_FULL
                                                : GSO_V_MERGED);
    }
}

/* a super-frame goes by, in order. */
static void test_super_input(void)
{
    g_autoptr(Train) t = train_new(NULL);
    const Frame first = P(0), after = P(6);
    const Frame big = P(1, .payload = 500, .csum = FRAME_CSUM_PARTIAL);
    const GsoMeta meta = {
        .type = GSO_TYPE_TCPV4, .csum = GSO_CSUM_PARTIAL, .gso_size = 100,
        .segs = 5, .csum_start = 34, .csum_offset = 16,
    };
    uint8_t buf[FRAME_MAX];
    size_t len = frame_build(&big, buf);
    g_autofree char *lengths = NULL;

    train_send(t, &first);
    g_assert_cmpint(train_send_bytes(t, buf, len, NULL, &meta), ==,
                    GSO_V_PASS_SUPER);
    train_send(t, &after);
    gso_gro_flush(t->gro, 0);
    lengths = train_lengths(t);
    g_assert_cmpstr(lengths, ==, "100 500 100");
    g_assert_cmpint(train_out(t, 1)->meta.segs, ==, 5);
    g_assert_cmpint(train_out(t, 1)->meta.gso_size, ==, 100);
}

/* a fragment holds up everything between its addresses. */
static void test_fragment_order(gconstpointer data)
{
    g_autoptr(Train) t = train_new(NULL);
    const Frame f[] = {
        P(0, .sport = 1), P(0, .sport = 2), P(0, .sport = 3, .src = 1),
        P(0, .sport = 4, .udp = true), P(0, .sport = 5, .dmac = 9),
        P(1, .frag = (uint16_t)GPOINTER_TO_UINT(data)),
    };
    g_autofree char *lengths = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(f); i++) {
        train_send(t, &f[i]);
    }
    g_assert_cmpint(t->out->len, ==, 4);
    g_assert_cmpint(gso_gro_held(t->gro), ==, 2);
    lengths = train_lengths(t);
    /* The first fragment has a TCP header to tell its payload by. */
    g_assert_cmpstr(lengths, ==, f[5].frag == 0x2000 ? "100 100 100 100"
                                                     : "100 100 100 0");
}

/* ARP and other protocols have nothing to do with a flow. */
static void test_other_protocols(void)
{
    g_autoptr(Train) t = train_new(NULL);
    const Frame f = P(0), g = P(1);
    uint8_t arp[42] = { 2, [12] = 0x08, 0x06 };
    uint8_t icmp[FRAME_MAX];
    size_t len = frame_build(&f, icmp);

    icmp[23] = 1;
    train_send(t, &f);
    g_assert_cmpint(train_send_bytes(t, arp, sizeof(arp), NULL, NULL), ==,
                    GSO_V_PASS_NOT_IP);
    g_assert_cmpint(train_send_bytes(t, icmp, len, NULL, NULL), ==,
                    GSO_V_PASS_NOT_L4);
    g_assert_cmpint(train_send(t, &g), ==, GSO_V_MERGED);
}

/* flows in one bucket; the oldest makes room. */
static void test_capacity(void)
{
    GsoGroConfig c = train_config();

    c.buckets = 1;
    g_autoptr(Train) t = train_new(&c);
    for (uint16_t flow = 1; flow <= 9; flow++) {
        const Frame f = P(0, .sport = flow);

        g_assert_cmpint(train_send(t, &f), ==, GSO_V_HELD);
        g_assert_cmpint(t->out->len, ==, flow == 9);
    }
    g_assert_cmpint(frame_u16(train_out(t, 0)->bytes + 34), ==, 1);
    g_assert_cmpint(gso_gro_stats(t->gro)->close[GSO_CLOSE_EVICT], ==, 1);
    /* Twelve interleaved flows in a bucket of eight join nothing. */
    for (int round = 0; round < 20; round++) {
        for (uint16_t flow = 1; flow <= 12; flow++) {
            const Frame f = P(round, .sport = flow, .src = 1);

            g_assert_cmpint(train_send(t, &f), ==, GSO_V_HELD);
        }
    }
}

/* 1 to 1024 interleaved flows, with collisions and without. */
static void test_many_flows(gconstpointer data)
{
    GsoGroConfig c = train_config();
    unsigned flows = GPOINTER_TO_UINT(data);

    for (c.buckets = 1; c.buckets <= 1024; c.buckets *= 32) {
        g_autoptr(Train) t = train_new(&c);
        g_autofree uint32_t *next = g_new0(uint32_t, flows);

        for (unsigned i = 0; i < 4 * flows; i++) {
            unsigned n = i % flows;
            const Frame f = {
                .sport = (uint16_t)(n + 1), .seq = i / flows * 50,
                .id = (uint16_t)(i / flows), .payload = 50,
            };

            train_send(t, &f);
        }
        gso_gro_flush(t->gro, 0);
        for (unsigned i = 0; i < t->out->len; i++) {
            const TrainOut *out = train_out(t, i);
            unsigned n = frame_u16(out->bytes + 34) - 1u;

            g_assert_cmpint(frame_u32(out->bytes + 38), ==, next[n]);
            next[n] += (uint32_t)out->len - 54;
        }
        for (unsigned n = 0; n < flows; n++) {
            g_assert_cmpint(next[n], ==, 200);
        }
        if (flows <= 8 || c.buckets == 1024) {
            g_assert_cmpint(t->out->len, <, 4 * flows);
        }
    }
}

/* truncated at each byte and cut into single bytes. */
static void test_truncated(void)
{
    static unsigned cuts[256];
    uint8_t buf[FRAME_MAX];

    for (unsigned kind = 0; kind < 4; kind++) {
        const Frame f = P(0, .v6 = kind & 1, .udp = kind & 2, .payload = 4,
                          .tags = 1);
        size_t len = frame_build(&f, buf);
        g_autoptr(Train) t = train_new(NULL);

        for (size_t n = 0; n <= len; n++) {
            memset(cuts, 0, sizeof(cuts));
            for (unsigned i = 0; i + 1 < n; i++) {
                cuts[i] = i + 1;
            }
            train_send_bytes(t, buf, n, cuts, NULL);
            gso_gro_flush(t->gro, 0);
            g_assert_cmpint(t->out->len, ==, n + 1);
            g_assert_cmpmem(train_out(t, (unsigned)n)->bytes,
                            train_out(t, (unsigned)n)->len, buf, n);
        }
    }
}

/* Payload in pieces: joined while there is room for them. */
static void test_pieces(void)
{
    GsoGroConfig c = train_config();
    const unsigned cuts[] = { 20, 54, 60, 61, 99, 0 };
    const unsigned six[] = { 55, 56, 57, 58, 59, 60, 0 };
    uint8_t buf[FRAME_MAX];
    const GsoVerdict want[] = {
        GSO_V_HELD, GSO_V_MERGED, GSO_V_DIFF_PIECES,
    };

    c.max_segs = 8;
    c.max_iov = 8;
    g_autoptr(Train) t = train_new(&c);
    for (int i = 0; i < 3; i++) {
        const Frame f = P(i);

        g_assert_cmpint(train_send_bytes(t, buf, frame_build(&f, buf), cuts,
                                         NULL), ==, want[i]);
    }
    g_assert_cmpint(train_out(t, 0)->meta.segs, ==, 2);
    c.max_segs = c.max_iov = 6;
    g_autoptr(Train) u = train_new(&c);
    const Frame f = P(0);
    g_assert_cmpint(train_send_bytes(u, buf, frame_build(&f, buf), six, NULL),
                    ==, GSO_V_PASS_PIECES);
    g_assert_cmpint(gso_gro_held(u->gro), ==, 0);
}

/* A delivery that hands in the next packet of the same flow, and so on. */
static void send_more(Train *t, const GsoFrame *frame)
{
    unsigned *left = t->opaque;

    (void)frame;
    if (*left) {
        unsigned i = 40 - --*left;
        const Frame f = P(i, .flags = i % 3 ? 0x10 : 0x18);

        train_send(t, &f);
    }
}

/* Re-entrant deliveries at any depth keep the order of the flow. */
static void test_reentrant(void)
{
    unsigned left = 40;
    g_autoptr(Train) t = train_new(NULL);
    const Frame first = P(0, .flags = 0x18);

    t->opaque = &left;
    t->on_deliver = send_more;
    train_send(t, &first);
    while (gso_gro_held(t->gro)) {
        gso_gro_flush(t->gro, 0);
    }
    g_assert_cmpint(left, ==, 0);
    g_assert_cmpint(gso_gro_stats(t->gro)->packets, ==, 41);
}

/* While all places are being delivered a packet passes, behind them. */
static void send_other_flows(Train *t, const GsoFrame *frame)
{
    unsigned *left = t->opaque;

    (void)frame;
    while (*left) {
        const Frame f = P(0, .sport = (uint16_t)(100 + --*left));

        train_send(t, &f);
    }
    /* One deeper each time. */
    if (t->opaque != &t->now && gso_gro_held(t->gro)) {
        gso_gro_flush(t->gro, 0);
    }
}

static void test_busy(void)
{
    unsigned left = 30;
    GsoGroConfig c = train_config();
    const Frame f = P(0);

    c.buckets = 1;
    c.depth = 1;
    g_autoptr(Train) t = train_new(&c);
    t->opaque = &left;
    t->on_deliver = send_other_flows;
    train_send(t, &f);
    gso_gro_flush(t->gro, 0);
    t->on_deliver = NULL;
    g_assert_cmpint(left, ==, 0);
    gso_gro_flush(t->gro, 0);
    g_assert_cmpint(t->out->len, ==, 31);
}

static void test_config(void)
{
    const GsoGroConfig good = { .buckets = 1, .depth = 1, .max_segs = 2,
                                .max_iov = 2,
                                .deliver = (GsoDeliverFn *)test_config };
    size_t size = gso_gro_size(&good);
    g_autofree void *mem = g_malloc(size);
    GsoGroConfig bad[13];

    g_assert_nonnull(gso_gro_init(mem, size, &good));
    g_assert_null(gso_gro_init(mem, size - 1, &good));
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = good;
    }
    bad[0].buckets = 0;
    bad[1].buckets = 3;
    bad[2].buckets = 131072;
    bad[3].depth = 0;
    bad[4].depth = 65;
    bad[5].max_segs = 1;
    bad[6].max_segs = bad[6].max_iov = 65536;
    bad[7].max_iov = 1;
    bad[8].max_iov = 2 << 20;
    bad[9].flush_timeout = UINT64_MAX;
    bad[10].max_hold = UINT64_MAX;
    bad[11].deliver = NULL;
    /* Valid numbers, but far more than 256 GiB of memory. */
    bad[12].buckets = 65536;
    bad[12].depth = 64;
    bad[12].max_segs = 65535;
    bad[12].max_iov = 1 << 20;
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(gso_gro_size(&bad[i]), ==, 0);
        g_assert_null(gso_gro_init(mem, size, &bad[i]));
    }
}

static void test_names(void)
{
    for (int i = 0; i < GSO_V_COUNT; i++) {
        g_assert_nonnull(gso_verdict_name((GsoVerdict)i));
        for (int k = 0; k < i; k++) {
            g_assert_cmpstr(gso_verdict_name((GsoVerdict)i), !=,
                            gso_verdict_name((GsoVerdict)k));
        }
    }
    for (int i = 0; i < GSO_CLOSE_COUNT; i++) {
        g_assert_nonnull(gso_close_name((GsoClose)i));
    }
    g_assert_cmpstr(gso_verdict_name(GSO_V_COUNT), ==, "unknown");
    g_assert_cmpstr(gso_close_name(GSO_CLOSE_COUNT), ==, "unknown");
}

static void add_rows(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path = g_strdup_printf("/gso/coalesce/%s",
                                                rows[i].name);

        g_test_add_data_func(path, &rows[i], test_row);
    }
}

static void add_numbered(const char *name, unsigned n, GTestDataFunc func)
{
    g_autofree char *path = g_strdup_printf("/gso/coalesce/%s-%u", name, n);

    g_test_add_data_func(path, GUINT_TO_POINTER(n), func);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_rows();
    for (unsigned kind = 0; kind < 4; kind++) {
        add_numbered("R-05-super-frame", kind, test_super_frame);
    }
    g_test_add_func("/gso/coalesce/R-01-fixed-id", test_fixed_id);
    g_test_add_func("/gso/coalesce/R-14-accecn", test_accecn);
    g_test_add_func("/gso/coalesce/R-06-bad-untouched", test_bad_untouched);
    g_test_add_func("/gso/coalesce/R-06-verified", test_verified);
    g_test_add_func("/gso/coalesce/csum-form", test_csum_form);
    g_test_add_func("/gso/coalesce/R-08-cap", test_cap);
    g_test_add_func("/gso/coalesce/R-08-cap-exact", test_cap_exact);
    g_test_add_func("/gso/coalesce/R-03-45-segments", test_45_segments);
    g_test_add_func("/gso/coalesce/R-18-udp-64", test_udp_64);
    g_test_add_func("/gso/coalesce/R-18-types", test_types);
    g_test_add_func("/gso/coalesce/max-segs", test_max_segs);
    g_test_add_func("/gso/coalesce/R-10-super-input", test_super_input);
    g_test_add_data_func("/gso/coalesce/R-11-first-fragment",
                         GUINT_TO_POINTER(0x2000), test_fragment_order);
    g_test_add_data_func("/gso/coalesce/R-11-fragment",
                         GUINT_TO_POINTER(0x0010), test_fragment_order);
    g_test_add_func("/gso/coalesce/R-11-protocols", test_other_protocols);
    g_test_add_func("/gso/coalesce/R-20-capacity", test_capacity);
    for (unsigned flows = 1; flows <= 1024; flows *= 4) {
        add_numbered("R-20-flows", flows, test_many_flows);
    }
    g_test_add_func("/gso/coalesce/R-17-truncated", test_truncated);
    g_test_add_func("/gso/coalesce/pieces", test_pieces);
    g_test_add_func("/gso/coalesce/R-21-reentrant", test_reentrant);
    g_test_add_func("/gso/coalesce/R-21-busy", test_busy);
    g_test_add_func("/gso/coalesce/config", test_config);
    g_test_add_func("/gso/coalesce/names", test_names);
    return g_test_run();
}
