/*
 * virtio-net header of net/gso: case G-09
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <string.h>

#include "frame.h"
#include "gso.h"

/* struct virtio_net_hdr, little endian, as numbers. */
typedef struct Header {
    uint8_t flags, type;
    uint16_t hdr_len, gso_size, start, offset;
} Header;

static void write_header(const Header *h, bool le, uint8_t *p)
{
    const uint16_t field[] = { h->hdr_len, h->gso_size, h->start, h->offset };

    p[0] = h->flags;
    p[1] = h->type;
    for (int i = 0; i < 4; i++) {
        p[2 + 2 * i + !le] = (uint8_t)field[i];
        p[2 + 2 * i + le] = (uint8_t)(field[i] >> 8);
    }
}

static int decode(const Header *h, const Frame *f, GsoVnetDir dir,
                  GsoMeta *meta)
{
    uint8_t buf[FRAME_MAX], hdr[10];
    GsoLayout l;
    int big, little;

    gso_parse_buf(buf, frame_build(f, buf), &l);
    write_header(h, true, hdr);
    little = gso_vnet_decode(hdr, 10, true, dir, &l, meta);
    write_header(h, false, hdr);
    big = gso_vnet_decode(hdr, 10, false, dir, &l, meta);
    g_assert_cmpint(big, ==, little);
    return big;
}

/* TCP over IPv4 with 1000 bytes: headers of 54 bytes, checksum at 34 + 16. */
static const Frame tcp = { .payload = 1000 };

/* A header, the frame behind it, and what must come of it. */
typedef struct DecodeRow {
    const char *what;
    Header h;
    Frame f;
    int ret;
    GsoType type;
} DecodeRow;

static const DecodeRow decode_rows[] = {
    { "plain", { 0 }, { .payload = 9 }, 0, GSO_TYPE_NONE },
    { "partial", { 1, 0, 0, 0, 34, 16 }, { .payload = 9 }, 0, 0 },
    { "partial of anything", { 1, 0, 0, 0, 20, 3 }, { .payload = 9 }, 0,
      0 },
    { "field ends the frame", { 1, 0, 0, 0, 34, 27 }, { .payload = 9 },
      0, 0 },
    { "field past the frame", { 1, 0, 0, 0, 34, 28 }, { .payload = 9 },
      GSO_E_VNET, 0 },
    { "start past the frame", { 1, 0, 0, 0, 63, 0 }, { .payload = 9 },
      GSO_E_VNET, 0 },
    { "sum of both wraps", { 1, 0, 0, 0, 0xffff, 0xffff },
      { .payload = 9 }, GSO_E_VNET, 0 },
    { "TSO4", { 1, 1, 54, 100, 34, 16 }, { .payload = 1000 }, 0,
      GSO_TYPE_TCPV4 },
    { "TSO4 with ECN", { 1, 0x81, 54, 100, 34, 16 }, { .payload = 1000 },
      0, GSO_TYPE_TCPV4 },
    { "TSO4 complete", { 0, 1, 54, 100, 0, 0 }, { .payload = 1000 }, 0,
      GSO_TYPE_TCPV4 },
    { "TSO6", { 1, 4, 74, 100, 54, 16 }, { .payload = 999, .v6 = true },
      0, GSO_TYPE_TCPV6 },
    { "TSO6 with tags and extension header",
      { 1, 4, 90, 100, 70, 16 },
      { .payload = 999, .v6 = true, .ext_hdrs = 1, .tags = 2 }, 0,
      GSO_TYPE_TCPV6 },
    { "USO", { 1, 5, 42, 100, 34, 6 }, { .payload = 250, .udp = true },
      0, GSO_TYPE_UDP_L4 },
    { "short tail", { 1, 1, 54, 100, 34, 16 }, { .payload = 101 }, 0,
      GSO_TYPE_TCPV4 },
    { "tail shorter than size", { 1, 1, 54, 1448, 34, 16 },
      { .payload = 1449 }, 0, GSO_TYPE_TCPV4 },
    { "fits one", { 1, 1, 54, 100, 34, 16 }, { .payload = 100 }, 0,
      GSO_TYPE_NONE },
    { "no payload", { 1, 1, 54, 100, 34, 16 }, { 0 }, 0, GSO_TYPE_NONE },
    { "hdr_len is a hint", { 1, 1, 7777, 100, 34, 16 },
      { .payload = 300 }, 0, GSO_TYPE_TCPV4 },
    { "size 0", { 1, 1, 54, 0, 34, 16 }, { .payload = 300 }, GSO_E_SIZE,
      0 },
    { "size 65535", { 1, 1, 54, 65535, 34, 16 }, { .payload = 300 },
      GSO_E_SIZE, 0 },
    { "start in the IP header", { 1, 1, 54, 100, 14, 16 },
      { .payload = 300 }, GSO_E_VNET, 0 },
    { "odd start", { 1, 1, 54, 100, 35, 16 }, { .payload = 300 },
      GSO_E_VNET, 0 },
    { "UDP's offset", { 1, 1, 54, 100, 34, 6 }, { .payload = 300 },
      GSO_E_VNET, 0 },
    { "TSO6 of IPv4", { 1, 4, 54, 100, 34, 16 }, { .payload = 300 },
      GSO_E_VNET, 0 },
    { "TSO4 of UDP", { 1, 1, 42, 100, 34, 16 },
      { .payload = 300, .udp = true }, GSO_E_VNET, 0 },
    { "TSO4 of a fragment", { 1, 1, 54, 100, 34, 16 },
      { .payload = 300, .frag = 0x2000 }, GSO_E_VNET, 0 },
    { "TSO4 of ARP", { 1, 1, 54, 100, 34, 16 },
      { .payload = 300, .tags = 1, .tpid = { 0x0806 } }, GSO_E_VNET, 0 },
    { "USO complete", { 0, 5, 42, 100, 0, 0 },
      { .payload = 300, .udp = true }, GSO_E_VNET, 0 },
    { "USO with ECN", { 1, 0x85, 42, 100, 34, 6 },
      { .payload = 300, .udp = true }, GSO_E_VNET, 0 },
    { "UFO", { 1, 3, 42, 100, 34, 6 }, { .payload = 300, .udp = true },
      GSO_E_VNET, 0 },
    { "type 2", { 1, 2, 54, 100, 34, 16 }, { .payload = 300 },
      GSO_E_VNET, 0 },
    { "type 255", { 1, 255, 54, 100, 34, 16 }, { .payload = 300 },
      GSO_E_VNET, 0 },
    { "ECN alone", { 1, 0x80, 54, 100, 34, 16 }, { .payload = 300 },
      GSO_E_VNET, 0 },
};

static void test_decode(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(decode_rows); i++) {
        const DecodeRow *row = &decode_rows[i];
        GsoMeta meta = { .segs = 99 };
        int ret = decode(&row->h, &row->f, GSO_VNET_TO_DRIVER,
                         &meta);

        g_test_message("%s: %d", row->what, ret);
        g_assert_cmpint(ret, ==, row->ret);
        if (ret) {
            g_assert_cmpint(meta.segs, ==, 99);
            continue;
        }
        g_assert_cmpint(meta.type, ==, row->type);
        g_assert_cmpint(meta.csum, ==, row->h.flags ? GSO_CSUM_PARTIAL
                                                       : GSO_CSUM_COMPLETE);
        if (row->type) {
            g_assert_cmpint(meta.gso_size, ==, row->h.gso_size);
            g_assert_cmpint(meta.segs, ==,
                            (row->f.payload + meta.gso_size - 1) /
                            meta.gso_size);
            g_assert_cmpint(meta.ecn, ==, row->h.type >> 7);
        }
    }
}

/* DATA_VALID is a promise to a driver only. */
static void test_data_valid(void)
{
    const Header h = { .flags = 2 };
    GsoMeta meta;

    g_assert_cmpint(decode(&h, &tcp, GSO_VNET_TO_DRIVER, &meta), ==, 0);
    g_assert_true(meta.verified);
    g_assert_cmpint(decode(&h, &tcp, GSO_VNET_TO_DEVICE, &meta), ==, 0);
    g_assert_false(meta.verified);
}

static void test_short_header(void)
{
    uint8_t buf[10] = { 0 };
    GsoLayout l = { 0 };
    GsoMeta meta = { 0 };

    for (size_t n = 0; n < 10; n++) {
        g_assert_cmpint(gso_vnet_decode(buf, n, true, GSO_VNET_TO_DRIVER, &l,
                                        &meta), ==, GSO_E_NOSPACE);
    }
}

/* What is encoded comes back, in both directions and byte orders. */
static void test_round_trip(void)
{
    static const struct {
        GsoType type;
        Frame f;
    } rows[] = {
        { GSO_TYPE_NONE, { .payload = 1000 } },
        { GSO_TYPE_TCPV4, { .payload = 1000 } },
        { GSO_TYPE_TCPV6, { .payload = 1000, .v6 = true, .tags = 1 } },
        { GSO_TYPE_UDP_L4, { .payload = 1000, .udp = true } },
        { GSO_TYPE_UDP_L4, { .payload = 1000, .udp = true, .v6 = true } },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows) * 8; i++) {
        const Frame *f = &rows[i / 8].f;
        GsoVnetDir dir = i & 1 ? GSO_VNET_TO_DRIVER : GSO_VNET_TO_DEVICE;
        size_t len = i & 2 ? 12 : 10;
        bool le = i & 4;
        uint8_t buf[FRAME_MAX], hdr[12];
        GsoMeta in = {
            .type = rows[i / 8].type, .csum = GSO_CSUM_PARTIAL,
            .gso_size = rows[i / 8].type ? 300 : 0,
            .segs = rows[i / 8].type ? 4 : 1,
            .ecn = rows[i / 8].type && !f->udp,
            .hdr_len = (uint16_t)frame_hdr(f),
            .csum_start = (uint16_t)frame_l4(f),
            .csum_offset = f->udp ? 6 : 16,
        }, out;
        GsoLayout l;

        gso_parse_buf(buf, frame_build(f, buf), &l);
        memset(hdr, 0xee, sizeof(hdr));
        g_assert_cmpint(gso_vnet_encode(hdr, len, le, dir, &in), ==, 0);
        g_assert_cmpint(gso_vnet_decode(hdr, len, le, dir, &l, &out), ==, 0);
        g_assert_cmpmem(&in, sizeof(in), &out, sizeof(out));
        if (len == 12) {
            g_assert_cmpint(hdr[10] + hdr[11], ==, dir == GSO_VNET_TO_DRIVER);
        }
    }
}

/* The bytes, as the standard lays them out. */
static void test_bytes(void)
{
    static const uint8_t want[] = {
        1, 0x81, 0x42, 0, 0xa8, 0x05, 0x22, 0, 0x10, 0,
    };
    const GsoMeta m = {
        .type = GSO_TYPE_TCPV4, .csum = GSO_CSUM_PARTIAL, .ecn = true,
        .gso_size = 1448, .segs = 3, .hdr_len = 0x42, .csum_start = 34,
        .csum_offset = 16,
    };
    uint8_t hdr[10];

    g_assert_cmpint(gso_vnet_encode(hdr, 10, true, GSO_VNET_TO_DEVICE, &m),
                    ==, 0);
    g_assert_cmpmem(hdr, 10, want, 10);
}

static void test_encode(void)
{
    uint8_t hdr[12];
    GsoMeta m = {
        .type = GSO_TYPE_TCPV4, .csum = GSO_CSUM_PARTIAL, .gso_size = 100,
    };

    g_assert_cmpint(gso_vnet_encode(hdr, 9, true, GSO_VNET_TO_DEVICE, &m),
                    ==, GSO_E_NOSPACE);
    g_assert_cmpint(gso_vnet_encode(hdr, 11, true, GSO_VNET_TO_DEVICE, &m),
                    ==, GSO_E_NOSPACE);
    m.fixed_id = true;
    g_assert_cmpint(gso_vnet_encode(hdr, 10, true, GSO_VNET_TO_DEVICE, &m),
                    ==, GSO_E_VNET);
    m.fixed_id = false;
    m.accecn = true;
    g_assert_cmpint(gso_vnet_encode(hdr, 10, true, GSO_VNET_TO_DEVICE, &m),
                    ==, GSO_E_VNET);
    m.accecn = false;
    m.csum = GSO_CSUM_COMPLETE;
    g_assert_cmpint(gso_vnet_encode(hdr, 10, true, GSO_VNET_TO_DEVICE, &m),
                    ==, GSO_E_VNET);
    m.type = 4;
    g_assert_cmpint(gso_vnet_encode(hdr, 10, true, GSO_VNET_TO_DEVICE, &m),
                    ==, GSO_E_VNET);
    /* DATA_VALID goes to a driver only. */
    m = (GsoMeta) { .csum = GSO_CSUM_COMPLETE, .verified = true };
    gso_vnet_encode(hdr, 10, true, GSO_VNET_TO_DEVICE, &m);
    g_assert_cmpint(hdr[0], ==, 0);
    gso_vnet_encode(hdr, 10, true, GSO_VNET_TO_DRIVER, &m);
    g_assert_cmpint(hdr[0], ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gso/vnet/G-09-decode", test_decode);
    g_test_add_func("/gso/vnet/A-27-data-valid", test_data_valid);
    g_test_add_func("/gso/vnet/short-header", test_short_header);
    g_test_add_func("/gso/vnet/round-trip", test_round_trip);
    g_test_add_func("/gso/vnet/bytes", test_bytes);
    g_test_add_func("/gso/vnet/encode", test_encode);
    return g_test_run();
}
