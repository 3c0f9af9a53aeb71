/*
 * Checksums of net/gso
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <string.h>

#include "frame.h"
#include "gso.h"

static uint16_t fold(uint32_t sum)
{
    return (uint16_t)((sum >> 16) + (sum & 0xffff));
}

static void assert_sum(uint64_t sum, uint32_t want)
{
    g_assert_cmphex(gso_sum_fold(sum), ==, fold(want));
}

/* RFC 1071, section 3: the numbers in the example. */
static void test_rfc1071(void)
{
    static const uint8_t text[] = {
        0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7,
    };

    g_assert_cmphex(gso_sum_fold(gso_sum(text, 8, 0)), ==, 0xddf2);
    g_assert_cmphex(gso_sum_finish(gso_sum(text, 8, 0)), ==, 0x220d);
    g_assert_cmphex(gso_sum_reference(text, 8), ==, 0xddf2);
}

/* Every length to 600 at every alignment, each way of summing. */
static void test_lengths(void)
{
    FrameRandom r = { 1 };
    uint8_t text[700], copy[700];

    for (unsigned i = 0; i < sizeof(text); i++) {
        text[i] = (uint8_t)frame_random(&r);
    }
    for (size_t off = 0; off < 64; off++) {
        for (size_t len = 0; len <= 600; len++) {
            uint32_t want = frame_sum(0, text + off, len);

            assert_sum(gso_sum(text + off, len, 0), want);
            g_assert_cmphex(gso_sum_reference(text + off, len), ==,
                            fold(want));
            for (const GsoSumImpl *i = gso_sum_impls(); i->name; i++) {
                if (!i->usable()) {
                    continue;
                }
                assert_sum(i->sum(text + off, len, 0), want);
                memset(copy, 0, sizeof(copy));
                assert_sum(i->copy_sum(copy + 63 - off, text + off, len, 0),
                           want);
                g_assert_cmpint(memcmp(copy + 63 - off, text + off, len), ==,
                                0);
                g_assert_cmpint(copy[63 - off + len], ==, 0);
            }
        }
    }
}

/* Nothing is lost in any accumulator, however long and full of ones. */
static void test_long(void)
{
    const size_t len = 5 << 20;
    g_autofree uint8_t *text = g_malloc(len);
    g_autofree uint8_t *copy = g_malloc(len);

    for (unsigned i = 0; i < 3; i++) {
        static const uint8_t fill[] = { 0xff, 0x80, 0x7f };
        uint32_t want;

        memset(text, fill[i], len);
        text[len - 1] = 3;
        want = frame_sum(0, text, len);
        for (const GsoSumImpl *k = gso_sum_impls(); k->name; k++) {
            if (k->usable()) {
                assert_sum(k->sum(text, len, 0), want);
                assert_sum(k->sum(text, len, UINT64_MAX), want);
                assert_sum(k->copy_sum(copy, text, len, 0), want);
            }
        }
    }
    memset(text, 0, len);
    g_assert_cmphex(gso_sum_fold(gso_sum(text, len, 0)), ==, 0);
    g_assert_cmphex(gso_sum_finish(0), ==, 0xffff);
}

/* Any cut into iovecs, odd and empty pieces included. */
static void test_iov(void)
{
    FrameRandom r = { 2 };
    uint8_t text[4000];
    struct iovec iov[64];

    for (unsigned i = 0; i < sizeof(text); i++) {
        text[i] = (uint8_t)frame_random(&r);
    }
    for (int round = 0; round < 3000; round++) {
        size_t used = 0, off, len;
        unsigned n = 0;

        while (n < 63) {
            iov[n].iov_base = text + used;
            iov[n].iov_len = frame_below(&r, 60);
            used += iov[n++].iov_len;
        }
        off = frame_below(&r, (uint32_t)used + 20);
        len = frame_below(&r, (uint32_t)used + 20);
        assert_sum(gso_sum_iov(iov, n, off, len, 0),
                   off >= used ? 0 : frame_sum(0, text + off,
                                               MIN(len, used - off)));
    }
    /* A text in odd pieces. */
    g_assert_cmphex(gso_sum_fold(
                        gso_sum_add(gso_sum(text, 7, 0),
                                    gso_sum_odd(gso_sum(text + 7, 13, 0)))),
                    ==, fold(frame_sum(0, text, 20)));
}

/* RFC 1624, section 4: the case in which RFC 1141 goes wrong. */
static void test_rfc1624(void)
{
    g_assert_cmphex(gso_csum_update16(0xdd2f, 0x5555, 0x3285), ==, 0x0000);
}

/* G-04: updating and computing anew agree, a million times. */
static void test_update(void)
{
    FrameRandom r = { 3 };

    for (int i = 0; i < 1000000; i++) {
        uint8_t text[12];
        uint32_t from, to;
        uint16_t csum, want;

        for (unsigned k = 0; k < sizeof(text); k++) {
            text[k] = (uint8_t)frame_random(&r);
        }
        text[0] |= 1; /* a sum of only zeros is no packet's */
        csum = (uint16_t)~fold(frame_sum(0, text, 12));
        from = frame_u32(text + 4);
        to = i & 1 ? frame_random(&r) : from ^ (frame_random(&r) & 0xffff);
        for (unsigned k = 0; k < 4; k++) {
            text[4 + k] = (uint8_t)(to >> (24 - 8 * k));
        }
        want = (uint16_t)~fold(frame_sum(0, text, 12));
        g_assert_cmphex(gso_csum_update32(csum, from, to), ==, want);
    }
}

/* RFC 768: a computed 0 goes out as 0xffff, everything else as it is. */
static void test_udp_zero(void)
{
    g_assert_cmphex(gso_csum_udp(0), ==, 0xffff);
    g_assert_cmphex(gso_csum_udp(1), ==, 1);
    g_assert_cmphex(gso_csum_udp(0xffff), ==, 0xffff);
}

/* G-13: pseudo-headers of both versions, carries at every place. */
static void test_pseudo(void)
{
    FrameRandom r = { 4 };
    uint8_t a[16], b[16];

    for (int i = 0; i < 20000; i++) {
        uint32_t len = i & 1 ? frame_below(&r, 65536) : frame_random(&r);
        uint8_t tail[4] = {
            (uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8),
            (uint8_t)len,
        };
        uint32_t sum4, sum6;

        for (int k = 0; k < 16; k++) {
            a[k] = i % 3 ? (uint8_t)frame_random(&r) : 0xff;
            b[k] = i % 5 ? (uint8_t)frame_random(&r) : 0xff;
        }
        sum4 = frame_sum(frame_sum(frame_sum(0, a, 4), b, 4) + 6, tail, 4);
        sum6 = frame_sum(frame_sum(frame_sum(0, a, 16), b, 16) + 17, tail, 4);
        assert_sum(gso_sum_pseudo4(a, b, 6, len), sum4);
        assert_sum(gso_sum_pseudo6(a, b, 17, len), sum6);
    }
    /* 10.0.0.1 to 10.0.0.2, TCP, 20 bytes, by hand. */
    g_assert_cmphex(gso_sum_fold(gso_sum_pseudo4("\x0a\0\0\1", "\x0a\0\0\2",
                                                 6, 20)), ==, 0x141d);
    g_assert_cmphex(gso_sum_fold(gso_sum_u32(gso_sum_u16(0, 0x1234),
                                             0x00010002)), ==, 0x1237);
}

static void test_complete(void)
{
    static const Frame kinds[] = {
        { .payload = 101 }, { .payload = 1, .v6 = true, .tags = 2 },
        { .payload = 77, .udp = true }, { .udp = true, .v6 = true },
    };
    uint8_t buf[FRAME_MAX];

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        Frame f = kinds[i];
        struct iovec iov[3];
        size_t len;

        f.csum = FRAME_CSUM_PARTIAL;
        len = frame_build(&f, buf);
        iov[0] = (struct iovec) { buf, 15 };
        iov[1] = (struct iovec) { buf + 15, frame_l4(&f) - 14 + 6 };
        iov[2] = (struct iovec) { buf + frame_l4(&f) + 7,
                                  len - frame_l4(&f) - 7 };
        g_assert_cmpint(gso_csum_complete(iov, 3, (uint32_t)len, frame_l4(&f),
                                          f.udp ? 6 : 16, f.udp), ==, 0);
        g_assert_true(frame_valid(&f, buf, len));
    }
}

/* The field lies in two pieces that are not neighbours in memory. */
static void test_complete_split(void)
{
    Frame f = { .payload = 33, .csum = FRAME_CSUM_PARTIAL };
    uint8_t buf[FRAME_MAX];
    size_t len = frame_build(&f, buf);
    size_t first = frame_l4(&f) + 17;
    /* Room behind the first piece for what must not be written there. */
    g_autofree uint8_t *a = g_malloc0(first + 1);
    g_autofree uint8_t *b = g_memdup2(buf + first, len - first);
    struct iovec iov[2] = { { a, first }, { b, len - first } };

    memcpy(a, buf, first);
    g_assert_cmpint(gso_csum_complete(iov, 2, (uint32_t)len, frame_l4(&f), 16,
                                      false), ==, 0);
    g_assert_cmphex(a[first], ==, 0);
    memcpy(buf, a, first);
    memcpy(buf + first, b, len - first);
    g_assert_true(frame_valid(&f, buf, len));
}

static void test_complete_errors(void)
{
    uint8_t buf[60] = { 0 };
    struct iovec iov = { buf, sizeof(buf) };
    static const struct {
        uint32_t len, start, offset;
    } bad[] = {
        { 61, 0, 0 }, { 60, 60, 0 }, { 60, 59, 0 }, { 60, 61, 0 },
        { 60, 0, 59 }, { 60, 34, 25 }, { 60, 34, UINT32_MAX },
        { 60, UINT32_MAX, 2 }, { 0, 0, 0 }, { 1, 0, 0 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(gso_csum_complete(&iov, 1, bad[i].len, bad[i].start,
                                          bad[i].offset, false), ==,
                        GSO_E_MALFORMED);
    }
    /* The last two bytes may be the field. */
    g_assert_cmpint(gso_csum_complete(&iov, 1, 60, 34, 24, false), ==, 0);
    g_assert_cmphex(buf[58], ==, 0xff);
    g_assert_cmphex(buf[59], ==, 0xff);
}

/* A computed 0: TCP keeps it, UDP turns it round. */
static void test_complete_zero(void)
{
    uint8_t buf[4] = { 0xff, 0xff, 0, 0 };
    struct iovec iov = { buf, 4 };

    g_assert_cmpint(gso_csum_complete(&iov, 1, 4, 0, 2, false), ==, 0);
    g_assert_cmphex(frame_u16(buf + 2), ==, 0);
    g_assert_cmpint(gso_csum_complete(&iov, 1, 4, 0, 2, true), ==, 0);
    g_assert_cmphex(frame_u16(buf + 2), ==, 0xffff);
}

/* which frames have a checksum that can be called good. */
static void test_verify(void)
{
    static const struct {
        Frame f;
        size_t cut;
        GsoCheck ip, l4;
    } rows[] = {
        { { .payload = 9 }, 0, GSO_CHECK_GOOD, GSO_CHECK_GOOD },
        { { .payload = 9, .pad = 6, .pad_byte = 0xaa }, 0,
          GSO_CHECK_GOOD, GSO_CHECK_GOOD },
        { { .payload = 9, .ip_opts = 8, .tags = 1 }, 0,
          GSO_CHECK_GOOD, GSO_CHECK_GOOD },
        { { .payload = 9, .bad_ip_csum = true }, 0,
          GSO_CHECK_BAD, GSO_CHECK_GOOD },
        { { .payload = 9, .csum = FRAME_CSUM_BAD }, 0,
          GSO_CHECK_GOOD, GSO_CHECK_BAD },
        { { .payload = 9, .v6 = true, .ext_hdrs = 1 }, 0,
          GSO_CHECK_NONE, GSO_CHECK_GOOD },
        { { .payload = 9, .v6 = true, .csum = FRAME_CSUM_BAD }, 0,
          GSO_CHECK_NONE, GSO_CHECK_BAD },
        { { .payload = 9, .udp = true }, 0, GSO_CHECK_GOOD, GSO_CHECK_GOOD },
        { { .payload = 9, .udp = true, .csum = FRAME_CSUM_BAD }, 0,
          GSO_CHECK_GOOD, GSO_CHECK_BAD },
        { { .payload = 9, .udp = true, .csum = FRAME_CSUM_ZERO }, 0,
          GSO_CHECK_GOOD, GSO_CHECK_NONE },
        { { .payload = 9, .udp = true, .v6 = true,
            .csum = FRAME_CSUM_ZERO }, 0, GSO_CHECK_NONE, GSO_CHECK_BAD },
        { { .payload = 9, .frag = 0x2000 }, 0,
          GSO_CHECK_GOOD, GSO_CHECK_NONE },
        { { .payload = 9, .frag = 3 }, 0, GSO_CHECK_GOOD, GSO_CHECK_NONE },
        { { .payload = 9 }, 1, GSO_CHECK_GOOD, GSO_CHECK_NONE },
        { { .payload = 9 }, 30, GSO_CHECK_NONE, GSO_CHECK_NONE },
    };
    uint8_t buf[FRAME_MAX];

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        size_t len = frame_build(&rows[i].f, buf) - rows[i].cut;
        struct iovec iov[2] = { { buf, 21 }, { buf + 21, len - 21 } };
        GsoLayout l;

        gso_parse(iov, 2, &l);
        g_assert_cmpint(gso_csum_verify_ip(iov, 2, &l), ==, rows[i].ip);
        g_assert_cmpint(gso_csum_verify_l4(iov, 2, &l), ==, rows[i].l4);
    }
}

/* What is used is usable, and the table ends with what always is. */
static void test_impl(void)
{
    const GsoSumImpl *i = gso_sum_impls();

    while (!i->usable()) {
        g_test_message("not on this machine: %s", i->name);
        i++;
    }
    g_assert_cmpstr(gso_sum_impl(), ==, i->name);
    while (i[1].name) {
        i++;
    }
    g_assert_cmpstr(i->name, ==, "scalar");
    g_assert_true(i->usable());
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gso/checksum/impl", test_impl);
    g_test_add_func("/gso/checksum/rfc1071", test_rfc1071);
    g_test_add_func("/gso/checksum/lengths", test_lengths);
    g_test_add_func("/gso/checksum/long", test_long);
    g_test_add_func("/gso/checksum/iov", test_iov);
    g_test_add_func("/gso/checksum/rfc1624", test_rfc1624);
    g_test_add_func("/gso/checksum/G-04-update", test_update);
    g_test_add_func("/gso/checksum/udp-zero", test_udp_zero);
    g_test_add_func("/gso/checksum/G-13-pseudo", test_pseudo);
    g_test_add_func("/gso/checksum/complete", test_complete);
    g_test_add_func("/gso/checksum/complete-split", test_complete_split);
    g_test_add_func("/gso/checksum/complete-errors", test_complete_errors);
    g_test_add_func("/gso/checksum/complete-zero", test_complete_zero);
    g_test_add_func("/gso/checksum/A-27-verify", test_verify);
    return g_test_run();
}
