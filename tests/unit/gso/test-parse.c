/*
 * Layout parser of net/gso
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <string.h>

#include "frame.h"
#include "gso.h"

static GsoLayout parse(const uint8_t *p, size_t len)
{
    /* An exact allocation, so that a read past the end is seen. */
    g_autofree uint8_t *exact = g_memdup2(p, len);
    GsoLayout l;

    gso_parse_buf(exact, len, &l);
    return l;
}

/* Offsets and lengths of every kind of frame, from the builder's numbers. */
static void test_kinds(void)
{
    uint8_t buf[FRAME_MAX];

    for (unsigned i = 0; i < 3 * 2 * 2 * 3 * 3; i++) {
        Frame f = {
            .tags = (uint8_t)(i % 3),
            .v6 = i / 3 % 2,
            .udp = i / 6 % 2,
            .payload = 33,
            .flags = 0x59,
        };
        unsigned opts = i / 12 % 3, l4_opts = i / 36;
        size_t len;
        GsoLayout l;

        f.ip_opts = (uint8_t)(f.v6 ? 0 : 20 * opts);
        f.ext_hdrs = (uint8_t)(f.v6 ? opts : 0);
        f.tcp_opts = (uint8_t)(f.udp ? 0 : 20 * l4_opts);
        len = frame_build(&f, buf);
        l = parse(buf, len);
        g_assert_cmpint(l.frame_len, ==, len);
        g_assert_cmpint(l.l2_len, ==, frame_l3(&f));
        g_assert_cmpint(l.vlan_count, ==, f.tags);
        g_assert_cmphex(l.ethertype, ==, f.v6 ? 0x86dd : 0x0800);
        g_assert_cmpint(l.l3, ==, f.v6 ? GSO_L3_IPV6 : GSO_L3_IPV4);
        g_assert_cmpint(l.l3_len, ==, frame_l4(&f) - frame_l3(&f));
        g_assert_cmpint(l.l4_proto, ==, f.udp ? 17 : 6);
        g_assert_cmpint(l.l4_off, ==, frame_l4(&f));
        g_assert_cmpint(l.hdr_len, ==, frame_hdr(&f));
        g_assert_cmpint(l.l4_hdr_len, ==, frame_hdr(&f) - frame_l4(&f));
        g_assert_cmpint(l.payload_len, ==, 33);
        g_assert_cmpint(l.l4_len, ==, len - frame_l4(&f));
        g_assert_cmpint(l.ip_len, ==, len - frame_l3(&f));
        g_assert_cmphex(l.tcp_flags, ==, f.udp ? 0 : 0x59);
        g_assert_cmphex(l.flags, ==, (f.ip_opts ? GSO_LF_IP_OPTIONS : 0) |
                                     (f.ext_hdrs ? GSO_LF_EXT_HDRS : 0));
    }
}

/* the payload is what the IP length says, whatever follows. */
static void test_padding(void)
{
    uint8_t buf[FRAME_MAX];

    for (unsigned pad = 1; pad < 20; pad++) {
        for (int v6 = 0; v6 < 2; v6++) {
            Frame f = {
                .v6 = v6, .payload = 5, .pad = (uint8_t)pad, .pad_byte = 0xaa,
            };
            GsoLayout l = parse(buf, frame_build(&f, buf));

            g_assert_cmpint(l.payload_len, ==, 5);
            g_assert_cmphex(l.flags, ==, GSO_LF_PADDED);
        }
    }
}

/* G-14: a third tag and an unknown tag stop the parser. */
static void test_tags(void)
{
    uint8_t buf[FRAME_MAX];
    Frame three = { .tags = 3, .payload = 9 };
    Frame old = { .tags = 1, .tpid = { 0x9100 }, .payload = 9 };
    GsoLayout l = parse(buf, frame_build(&three, buf));

    g_assert_cmphex(l.flags, ==, GSO_LF_MORE_TAGS);
    g_assert_cmpint(l.vlan_count, ==, 2);
    g_assert_cmpint(l.l3, ==, GSO_L3_NONE);
    g_assert_cmpint(l.l4_off, ==, 0);
    l = parse(buf, frame_build(&old, buf));
    g_assert_cmphex(l.ethertype, ==, 0x9100);
    g_assert_cmpint(l.vlan_count, ==, 0);
    g_assert_cmpint(l.l3, ==, GSO_L3_NONE);
}

static void test_8023(void)
{
    static const uint8_t snap[] = { 0xaa, 0xaa, 3, 0, 0, 0 };
    uint8_t buf[FRAME_MAX], out[FRAME_MAX];
    Frame f = { .payload = 10 };
    size_t len = frame_build(&f, buf);
    GsoLayout l;

    /* Length field and SNAP in place of the type. */
    memcpy(out, buf, 12);
    out[12] = 0;
    out[13] = (uint8_t)(len - 14 + 8);
    memcpy(out + 14, snap, 6);
    memcpy(out + 20, buf + 12, len - 12);
    l = parse(out, len + 8);
    g_assert_cmphex(l.flags, ==, GSO_LF_8023);
    g_assert_cmpint(l.l2_len, ==, 22);
    g_assert_cmpint(l.l4_off, ==, frame_l4(&f) + 8);
    g_assert_cmpint(l.payload_len, ==, 10);
    /* However it is cut. */
    for (size_t cut = 0; cut <= len + 8; cut++) {
        struct iovec iov[2] = { { out, cut }, { out + cut, len + 8 - cut } };
        GsoLayout pieces;

        gso_parse(iov, 2, &pieces);
        g_assert_cmpint(memcmp(&pieces, &l, sizeof(l)), ==, 0);
    }
    /* LLC that is not SNAP (spanning tree). */
    memcpy(out + 14, "\x42\x42\x03", 3);
    l = parse(out, len + 8);
    g_assert_cmphex(l.flags, ==, GSO_LF_8023);
    g_assert_cmpint(l.ethertype, ==, 0);
    g_assert_cmpint(l.l2_len, ==, 14);
}

/* fragments of both versions. */
static void test_fragments(void)
{
    uint8_t buf[FRAME_MAX];
    Frame f = { .payload = 40, .frag = 0x2000 };
    GsoLayout l = parse(buf, frame_build(&f, buf));
    uint8_t *ext;

    g_assert_cmphex(l.flags, ==, GSO_LF_FRAGMENT | GSO_LF_FRAG_FIRST);
    g_assert_cmpint(l.l4_off, ==, 34);
    f.frag = 0x2005;
    l = parse(buf, frame_build(&f, buf));
    g_assert_cmphex(l.flags, ==, GSO_LF_FRAGMENT);
    g_assert_cmpint(l.l4_off, ==, 0);
    g_assert_cmpint(l.l4_proto, ==, 6);
    f = (Frame) { .payload = 40, .v6 = true, .ext_hdrs = 1 };
    frame_build(&f, buf);
    ext = buf + 14 + 40;
    buf[14 + 6] = 44;
    memset(ext + 1, 0, 7);
    l = parse(buf, frame_hdr(&f) + 40);
    g_assert_cmphex(l.flags, ==, GSO_LF_FRAGMENT | GSO_LF_FRAG_FIRST |
                                 GSO_LF_EXT_HDRS);
    g_assert_cmpint(l.l4_off, ==, 62);
    ext[3] = 9; /* offset 8, more to come */
    l = parse(buf, frame_hdr(&f) + 40);
    g_assert_cmphex(l.flags, ==, GSO_LF_FRAGMENT | GSO_LF_EXT_HDRS);
    g_assert_cmpint(l.l4_off, ==, 0);
}

/* Lengths of extension headers are in units of 8 (RFC 8200, section 4.3). */
static void test_long_ext_hdr(void)
{
    const Frame f = { .payload = 40, .v6 = true, .ext_hdrs = 3 };
    uint8_t buf[FRAME_MAX];
    size_t len = frame_build(&f, buf);
    GsoLayout l;

    buf[14 + 40 + 1] = 1; /* the first is 16 bytes, and has the second in it */
    l = parse(buf, len);
    g_assert_cmphex(l.flags, ==, GSO_LF_EXT_HDRS);
    g_assert_cmpint(l.l3_len, ==, 40 + 24);
    g_assert_cmpint(l.l4_off, ==, 14 + 40 + 24);
    g_assert_cmpint(l.payload_len, ==, 40);
}

/* C-09: one byte of a good frame changed. */
static void test_malformed(void)
{
    static const struct {
        const char *what;
        Frame f;
        unsigned at;
        uint8_t value;
        uint32_t flags;
        unsigned l4_off;
    } rows[] = {
        { "version 5 in IPv4", { .payload = 9 }, 14, 0x55,
          GSO_LF_MALFORMED, 0 },
        { "IHL 4", { .payload = 9 }, 14, 0x44, GSO_LF_MALFORMED, 0 },
        { "IHL 0", { .payload = 9 }, 14, 0x40, GSO_LF_MALFORMED, 0 },
        { "IHL 15 past the end", { .payload = 9 }, 14, 0x4f,
          GSO_LF_MALFORMED, 0 },
        { "total length 0", { .payload = 9 }, 17, 0,
          GSO_LF_LENGTH_0 | GSO_LF_PADDED, 34 },
        { "total length 19", { .payload = 9 }, 17, 19,
          GSO_LF_MALFORMED | GSO_LF_PADDED, 0 },
        { "total length without TCP header", { .payload = 9 }, 17, 39,
          GSO_LF_MALFORMED | GSO_LF_PADDED, 0 },
        { "total length past the frame", { .payload = 9 }, 16, 0xff,
          GSO_LF_TRUNCATED, 34 },
        { "data offset 4", { .payload = 9 }, 46, 0x40, GSO_LF_MALFORMED, 0 },
        { "data offset 15 past the end", { .payload = 9 }, 46, 0xf0,
          GSO_LF_TRUNCATED, 0 },
        { "version 4 in IPv6", { .payload = 9, .v6 = true }, 14, 0x40,
          GSO_LF_MALFORMED, 0 },
        { "extension header past the end",
          { .payload = 9, .v6 = true, .ext_hdrs = 1 }, 55, 255,
          GSO_LF_TRUNCATED, 0 },
        { "extension headers past the payload length",
          { .payload = 9, .v6 = true, .ext_hdrs = 2 }, 19, 9,
          GSO_LF_MALFORMED | GSO_LF_PADDED | GSO_LF_EXT_HDRS, 0 },
        { "SCTP", { .payload = 9 }, 23, 132, 0, 0 },
        { "ESP", { .payload = 9, .v6 = true }, 20, 50, 0, 0 },
    };
    uint8_t buf[FRAME_MAX];

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        size_t len = frame_build(&rows[i].f, buf);
        GsoLayout l;

        buf[rows[i].at] = rows[i].value;
        l = parse(buf, len);
        g_test_message("%s: flags 0x%x", rows[i].what, l.flags);
        g_assert_cmphex(l.flags, ==, rows[i].flags);
        g_assert_cmpint(l.l4_off, ==, rows[i].l4_off);
        g_assert_true(l.l3 != GSO_L3_IPV4 || l.l3_len >= 20);
    }
}

/* R-17, C-06: cut off at every byte; what is there stays described. */
static void test_truncated(void)
{
    uint8_t buf[FRAME_MAX];
    FrameRandom r = { 5 };

    for (int i = 0; i < 200; i++) {
        Frame f = {
            .tags = (uint8_t)frame_below(&r, 3), .v6 = frame_below(&r, 2),
            .udp = frame_below(&r, 2), .payload = 20,
        };
        size_t len;

        f.ip_opts = (uint8_t)(f.v6 ? 0 : 4 * frame_below(&r, 11));
        f.ext_hdrs = (uint8_t)(f.v6 ? frame_below(&r, 3) : 0);
        f.tcp_opts = (uint8_t)(f.udp ? 0 : 4 * frame_below(&r, 11));
        len = frame_build(&f, buf);
        for (size_t n = 0; n < len; n++) {
            GsoLayout l = parse(buf, n);

            g_assert_cmpint(l.frame_len, ==, n);
            g_assert_true(l.flags & GSO_LF_TRUNCATED);
            g_assert_cmpint(l.l4_off, ==,
                            n >= frame_hdr(&f) ? frame_l4(&f) : 0);
            g_assert_cmpint(l.l2_len, <=, n);
        }
    }
}

/* G-17: the same description however the frame is cut. */
static void test_any_cut(void)
{
    uint8_t buf[FRAME_MAX];
    struct iovec iov[200];
    FrameRandom r = { 6 };

    for (int i = 0; i < 2000; i++) {
        Frame f = {
            .tags = (uint8_t)frame_below(&r, 3), .v6 = frame_below(&r, 2),
            .payload = 60, .tcp_opts = 12, .pad = (uint8_t)frame_below(&r, 2),
        };
        size_t len = frame_build(&f, buf), off = 0;
        GsoLayout flat, cut;
        unsigned n = 0;

        gso_parse_buf(buf, len, &flat);
        while (off < len && n < 199) {
            iov[n].iov_base = buf + off;
            iov[n].iov_len = MIN(frame_below(&r, i % 2 ? 3 : 90), len - off);
            off += iov[n++].iov_len;
        }
        iov[n].iov_base = buf + off;
        iov[n++].iov_len = len - off;
        gso_parse(iov, n, &cut);
        g_assert_cmpint(memcmp(&flat, &cut, sizeof(cut)), ==, 0);
    }
    gso_parse(NULL, 0, &(GsoLayout) { 0 });
}

/* Headers that do not end within GSO_HDR_MAX are not followed. */
static void test_long_headers(void)
{
    uint8_t buf[FRAME_MAX];
    Frame f = { .v6 = true, .ext_hdrs = 40, .payload = 20 };
    GsoLayout l = parse(buf, frame_build(&f, buf));

    g_assert_true(l.flags & GSO_LF_TRUNCATED);
    g_assert_cmpint(l.l4_off, ==, 0);
}

static void test_errors_in_words(void)
{
    for (int e = -12; e <= 0; e++) {
        g_assert_nonnull(gso_strerror(e));
        g_assert_cmpstr(gso_strerror(e), !=, "unknown error");
    }
    g_assert_cmpstr(gso_strerror(-13), ==, "unknown error");
    g_assert_cmpstr(gso_strerror(1), ==, "unknown error");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gso/parse/kinds", test_kinds);
    g_test_add_func("/gso/parse/R-07-padding", test_padding);
    g_test_add_func("/gso/parse/G-14-tags", test_tags);
    g_test_add_func("/gso/parse/8023", test_8023);
    g_test_add_func("/gso/parse/R-16-fragments", test_fragments);
    g_test_add_func("/gso/parse/G-12-long-ext-hdr", test_long_ext_hdr);
    g_test_add_func("/gso/parse/C-09-malformed", test_malformed);
    g_test_add_func("/gso/parse/R-17-truncated", test_truncated);
    g_test_add_func("/gso/parse/G-17-any-cut", test_any_cut);
    g_test_add_func("/gso/parse/long-headers", test_long_headers);
    g_test_add_func("/gso/parse/errors-in-words", test_errors_in_words);
    return g_test_run();
}
