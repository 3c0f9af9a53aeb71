/*
 * Segmenter of net/gso: cases G
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <string.h>

#include "frame.h"
#include "gso.h"
#include "train.h"

/* A super-frame cut: the segments' bytes, and what the segmenter said. */
typedef struct Cut {
    int ret;             /* of gso_seg_init() */
    GPtrArray *segs;     /* of GBytes */
    GsoMeta meta;        /* of the last segment */
    GsoWork work;
} Cut;

static uint8_t super[FRAME_MAX];

static void cut_free(Cut *c)
{
    g_ptr_array_unref(c->segs);
}

static GBytes *gather(const GsoSegment *seg)
{
    GByteArray *a = g_byte_array_new();

    for (unsigned i = 0; i < seg->iovcnt; i++) {
        g_byte_array_append(a, seg->iov[i].iov_base,
                            (guint)seg->iov[i].iov_len);
    }
    g_assert_cmpint(a->len, ==, seg->len);
    return g_byte_array_free_to_bytes(a);
}

static Cut cut_iov(const struct iovec *whole, unsigned n,
                   const GsoSegParams *p)
{
    Cut c = {
        .segs = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref),
    };
    GsoSegmenter s;
    GsoSegment seg;
    struct iovec *iov;
    unsigned most;
    uint32_t pieces;

    c.ret = gso_seg_init(&s, whole, n, p);
    if (c.ret < 0) {
        return c;
    }
    pieces = gso_seg_count_iov(&s, &most);
    iov = g_new(struct iovec, most);
    for (;;) {
        size_t size = gso_seg_buf_size(&s);
        g_autofree uint8_t *buf = g_malloc(size);

        if (gso_seg_peek(&s, buf, size, iov, most, &seg) <= 0) {
            break;
        }
        g_assert_cmpint(seg.index, ==, c.segs->len);
        g_ptr_array_add(c.segs, gather(&seg));
        g_assert_cmpint(seg.last, ==, (int)c.segs->len == c.ret);
        pieces -= seg.iovcnt;
        c.meta = seg.meta;
        gso_seg_advance(&s);
    }
    c.work = *gso_seg_work(&s);
    g_assert_cmpint(pieces, ==, 0);
    g_assert_cmpint(c.segs->len, ==, c.ret);
    g_free(iov);
    return c;
}

static Cut cut(const Frame *f, const GsoSegParams *p)
{
    size_t len = frame_build(f, super);
    struct iovec whole = { super, len };

    return cut_iov(&whole, 1, p);
}

static const uint8_t *seg_at(const Cut *c, unsigned i)
{
    return g_bytes_get_data(c->segs->pdata[i], NULL);
}

static size_t seg_len(const Cut *c, unsigned i)
{
    return g_bytes_get_size(c->segs->pdata[i]);
}

static uint8_t tcp_flags(const Cut *c, const Frame *f, unsigned i)
{
    return seg_at(c, i)[frame_l4(f) + 13];
}

static uint16_t ip_id(const Cut *c, const Frame *f, unsigned i)
{
    return frame_u16(seg_at(c, i) + frame_l3(f) + 4);
}

/* Valid, of the right sizes, and together the payload of the super-frame. */
static void check_train(const Cut *c, const Frame *f, uint32_t mss)
{
    uint32_t hdr = frame_hdr(f), off = 0;

    for (unsigned i = 0; i < c->segs->len; i++) {
        uint32_t want = MIN(mss, f->payload - off);

        g_assert_cmpint(seg_len(c, i), ==, hdr + want);
        g_assert_true(frame_valid(f, seg_at(c, i), seg_len(c, i)));
        g_assert_cmpint(memcmp(seg_at(c, i) + hdr, super + hdr + off, want),
                        ==, 0);
        if (!f->udp) {
            g_assert_cmphex(frame_u32(seg_at(c, i) + frame_l4(f) + 4), ==,
                            f->seq + off);
        }
        off += want;
    }
    g_assert_cmpint(off, ==, f->payload);
}

static const uint8_t special = GSO_TCP_SYN | GSO_TCP_RST | GSO_TCP_URG;

/* G-01: every combination of flags, 1, 2, 3 and 64 segments. */
static void test_flags(gconstpointer profile)
{
    static const unsigned counts[] = { 1, 2, 3, 64 };
    bool driver = GPOINTER_TO_INT(profile) == GSO_PROFILE_DRIVER;

    for (unsigned i = 0; i < 4 * 256; i++) {
        uint8_t flags = (uint8_t)(i / 4) ? (uint8_t)(i / 4) : 0x10;
        Frame f = { .payload = 10 * counts[i % 4], .flags = flags };
        GsoSegParams p = {
            .gso_size = 10, .profile = GPOINTER_TO_INT(profile),
            .repeat_flags = special,
        };
        uint8_t last_only = GSO_TCP_FIN | GSO_TCP_PSH;
        Cut c = cut(&f, &p);

        g_assert_cmpint(c.ret, ==, counts[i % 4]);
        last_only |= driver ? GSO_TCP_RST : 0;
        for (unsigned k = 0; k < c.segs->len; k++) {
            uint8_t want = flags;

            if (k + 1 < c.segs->len) {
                want &= (uint8_t)~last_only;
            }
            if (k && !driver) {
                want &= (uint8_t)~GSO_TCP_CWR;
            }
            g_assert_cmphex(tcp_flags(&c, &f, k), ==, want);
            g_assert_true(frame_valid(&f, seg_at(&c, k), seg_len(&c, k)));
        }
        cut_free(&c);
    }
}

/* G-01: SYN, RST and URG on data to be cut are refused unless allowed. */
static void test_special_flags(void)
{
    for (unsigned bit = 0; bit < 8; bit++) {
        uint8_t flag = (uint8_t)(1 << bit);
        Frame f = { .payload = 30, .flags = flag };
        GsoSegParams p = { .gso_size = 10 };
        Cut c = cut(&f, &p);

        g_assert_cmpint(c.ret, ==, flag & special ? GSO_E_FLAGS : 3);
        cut_free(&c);
        p.repeat_flags = (uint8_t)(special & ~flag);
        c = cut(&f, &p);
        g_assert_cmpint(c.ret, ==, flag & special ? GSO_E_FLAGS : 3);
        cut_free(&c);
        /* Nothing to cut, nothing to refuse. */
        f.payload = 10;
        c = cut(&f, &p);
        g_assert_cmpint(c.ret, ==, 1);
        g_assert_cmphex(tcp_flags(&c, &f, 0), ==, flag);
        cut_free(&c);
    }
}

/* The three flag results of net_tx_pkt.c that are wrong in QEMU 10.0. */
static void test_qemu_flags(void)
{
    Frame f = { .payload = 3000, .flags = 0x99 };
    GsoSegParams p = { .gso_size = 1448 };
    Cut c = cut(&f, &p);

    g_assert_cmpint(c.ret, ==, 3);
    g_assert_cmphex(tcp_flags(&c, &f, 0), ==, 0x90);
    g_assert_cmphex(tcp_flags(&c, &f, 1), ==, 0x10);
    g_assert_cmphex(tcp_flags(&c, &f, 2), ==, 0x19);
    cut_free(&c);
}

/* AccECN (RFC 9768): CWR is kept on every segment. */
static void test_accecn(void)
{
    Frame f = { .payload = 30, .flags = 0x90, .reserved = 1 };
    GsoSegParams p = { .gso_size = 10, .accecn = true };
    Cut c = cut(&f, &p);

    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmphex(tcp_flags(&c, &f, i), ==, 0x90);
        g_assert_cmphex(seg_at(&c, i)[frame_l4(&f) + 12] & 15, ==, 1);
    }
    cut_free(&c);
}

/* G-03: IDs count up modulo 65536; fixed ones only with DF. */
static void test_ip_id(void)
{
    Frame f = { .payload = 50, .id = 0xfffe };
    GsoSegParams p = { .gso_size = 10 };
    Cut c = cut(&f, &p);

    check_train(&c, &f, 10);
    for (unsigned i = 0; i < 5; i++) {
        g_assert_cmphex(ip_id(&c, &f, i), ==, (0xfffe + i) & 0xffff);
    }
    cut_free(&c);
    p.ip_id = GSO_IPID_FIXED;
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, GSO_E_IPID);
    cut_free(&c);
    f.df = true;
    c = cut(&f, &p);
    check_train(&c, &f, 10);
    for (unsigned i = 0; i < 5; i++) {
        g_assert_cmphex(ip_id(&c, &f, i), ==, 0xfffe);
    }
    cut_free(&c);
    /* DF does not matter to IPv6, nor to what is not cut. */
    f = (Frame) { .payload = 50, .v6 = true };
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, 5);
    cut_free(&c);
    f = (Frame) { .payload = 10 };
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, 1);
    cut_free(&c);
}

/* G-04: the sequence number wraps. */
static void test_seq_wrap(void)
{
    Frame f = { .payload = 10000, .seq = 0xffffff00 };
    GsoSegParams p = { .gso_size = 100 };
    Cut c = cut(&f, &p);

    check_train(&c, &f, 100);
    g_assert_cmphex(frame_u32(seg_at(&c, 3) + frame_l4(&f) + 4), ==, 44);
    cut_free(&c);
}

/* G-04: a TCP checksum that comes out as 0 is 0, of UDP 0xffff. */
static void test_zero_csum(void)
{
    GsoSegParams p = { .gso_size = 2 };

    for (int udp = 0; udp < 2; udp++) {
        Frame f = { .payload = 2, .udp = udp };
        unsigned field = frame_l4(&f) + (udp ? 6 : 16);
        struct iovec whole = { super, frame_hdr(&f) + 2 };
        uint16_t csum;
        Cut c;

        frame_build(&f, super);
        /* The checksum, added to the payload, leaves nothing. */
        csum = frame_u16(super + field);
        csum = (uint16_t)(frame_sum(csum, super + frame_hdr(&f), 2));
        super[frame_hdr(&f)] = (uint8_t)(csum >> 8);
        super[frame_hdr(&f) + 1] = (uint8_t)csum;
        c = cut_iov(&whole, 1, &p);
        g_assert_cmphex(frame_u16(seg_at(&c, 0) + field), ==,
                        udp ? 0xffff : 0);
        cut_free(&c);
    }
}

/*
 * G-05: rows like those of the kernel's udpgso.c: length, size, segments,
 * bytes in the last.
 */
static void test_table(void)
{
    static const struct {
        uint32_t payload, size;
        int segs;
        uint32_t last;
    } rows[] = {
        { 1, 1, 1, 1 }, { 1, 1472, 1, 1 }, { 1472, 1472, 1, 1472 },
        { 1473, 1472, 2, 1 }, { 2944, 1472, 2, 1472 }, { 2945, 1472, 3, 1 },
        { 5, 1, 5, 1 }, { 1000, 1, 1000, 1 }, { 8948, 8948, 1, 8948 },
        { 8949, 8948, 2, 1 }, { 65000, 1448, 45, 1288 },
        { 65000, 65000, 1, 65000 }, { 65000, 64999, 2, 1 },
        { 65160, 1448, 45, 1448 }, { 64, 63, 2, 1 }, { 126, 63, 2, 63 },
        { 3, 2, 2, 1 }, { 2, 65534, 1, 2 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows) * 8; i++) {
        unsigned row = i / 8;
        Frame f = {
            .payload = rows[row].payload, .v6 = i & 1, .udp = i & 2,
        };
        GsoSegParams p = {
            .gso_size = rows[row].size, .features = i & 4 ? GSO_F_SG : 0,
        };
        Cut c = cut(&f, &p);

        g_assert_cmpint(c.ret, ==, rows[row].segs);
        check_train(&c, &f, rows[row].size);
        g_assert_cmpint(seg_len(&c, c.segs->len - 1), ==,
                        frame_hdr(&f) + rows[row].last);
        cut_free(&c);
    }
}

/* G-07: gso_size 0 and the kernel's sentinel; nothing to cut; no payload. */
static void test_degenerate(void)
{
    Frame f = { .payload = 100, .flags = 0x11 };
    GsoSegParams p = { .gso_size = 0 };
    Cut c = cut(&f, &p);

    g_assert_cmpint(c.ret, ==, GSO_E_SIZE);
    cut_free(&c);
    p.gso_size = 0xffff;
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, GSO_E_SIZE);
    cut_free(&c);
    p.gso_size = 0x10001;
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, GSO_E_SIZE);
    cut_free(&c);
    p.gso_size = 101;
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, 1);
    check_train(&c, &f, 101);
    cut_free(&c);
    /* A FIN or an ACK alone is not lost. */
    f.payload = 0;
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, 1);
    check_train(&c, &f, 101);
    g_assert_cmphex(tcp_flags(&c, &f, 0), ==, 0x11);
    cut_free(&c);
}

/* G-10: the consumer turns out not to take super-frames; none is lost. */
static void test_refused_super(void)
{
    const uint8_t tso = GSO_F_SG | GSO_F_CSUM_ANY | GSO_F_TSO4;
    Frame f = { .payload = 10000 };
    GsoSegParams p = { .gso_size = 1000, .features = tso };
    Cut c = cut(&f, &p);

    g_assert_cmpint(c.ret, ==, 1);
    g_assert_cmpint(c.meta.type, ==, GSO_TYPE_TCPV4);
    cut_free(&c);
    p.features = 0;
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, 10);
    check_train(&c, &f, 1000);
    cut_free(&c);
}

/* G-11: datagrams without checksum hardware are summed, not refused. */
static void test_uso_software(void)
{
    static const uint8_t features[] = {
        0, GSO_F_SG, GSO_F_USO, GSO_F_USO | GSO_F_SG,
        GSO_F_USO | GSO_F_SG | GSO_F_CSUM_IPV4,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(features); i++) {
        Frame f = {
            .payload = 500, .udp = true, .v6 = true,
            .csum = FRAME_CSUM_PARTIAL,
        };
        GsoSegParams p = {
            .gso_size = 200, .features = features[i],
            .csum = GSO_CSUM_PARTIAL,
        };
        Cut c = cut(&f, &p);

        g_assert_cmpint(c.ret, ==, 3);
        check_train(&c, &f, 200);
        g_assert_cmpint(c.meta.csum, ==, GSO_CSUM_COMPLETE);
        cut_free(&c);
    }
}

/* G-12, G-20: which frames the checksum and cutting hardware is asked for. */
static void test_hardware(void)
{
    const uint8_t any = GSO_F_CSUM_ANY, v4 = GSO_F_CSUM_IPV4;
    const uint8_t v6 = GSO_F_CSUM_IPV6, sg = GSO_F_SG;
    const struct {
        Frame f;
        uint8_t features;
        bool csum, tso;
    } rows[] = {
        { { 0 }, 0, false, false },
        { { 0 }, v4, true, false },
        { { 0 }, any, true, false },
        { { 0 }, v6, false, false },
        { { .udp = true }, v4, true, false },
        { { .ip_opts = 8, .tags = 2 }, v4, true, false },
        { { .v6 = true }, v4, false, false },
        { { .v6 = true }, v6, true, false },
        { { .v6 = true, .ext_hdrs = 1 }, v6, false, false },
        { { .v6 = true, .ext_hdrs = 1 }, any, true, false },
        { { 0 }, sg | v4 | GSO_F_TSO4, true, true },
        { { 0 }, v4 | GSO_F_TSO4, true, false },
        { { 0 }, sg | GSO_F_TSO4, false, false },
        { { .v6 = true }, sg | any | GSO_F_TSO4, true, false },
        { { .v6 = true }, sg | v6 | GSO_F_TSO6, true, true },
        { { .v6 = true, .ext_hdrs = 1 }, sg | v6 | GSO_F_TSO6, false, false },
        { { .udp = true }, sg | v4 | GSO_F_TSO4, true, false },
        { { .udp = true }, sg | v4 | GSO_F_USO, true, true },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        Frame f = rows[i].f;
        GsoSegParams p = { .gso_size = 100, .features = rows[i].features };
        Cut c;

        f.payload = 250;
        c = cut(&f, &p);
        g_assert_cmpint(c.ret, ==, rows[i].tso ? 1 : 3);
        g_assert_cmpint(c.meta.csum, ==, rows[i].csum ? GSO_CSUM_PARTIAL
                                                      : GSO_CSUM_COMPLETE);
        if (rows[i].csum) {
            g_assert_cmpint(c.meta.csum_start, ==, frame_l4(&f));
            g_assert_cmpint(c.meta.csum_offset, ==, f.udp ? 6 : 16);
        }
        g_assert_cmpint(c.meta.type != GSO_TYPE_NONE, ==, rows[i].tso);
        g_assert_cmpint(c.meta.segs, ==, rows[i].tso ? 3 : 1);
        cut_free(&c);
    }
}

/* G-12: extension headers are repeated; fragments are not cut. */
static void test_ext_hdrs(void)
{
    for (unsigned n = 0; n <= 4; n++) {
        Frame f = {
            .v6 = true, .ext_hdrs = (uint8_t)n, .payload = 3000, .udp = n & 1,
        };
        GsoSegParams p = { .gso_size = 1400 };
        Cut c = cut(&f, &p);

        check_train(&c, &f, 1400);
        cut_free(&c);
    }
}

/* What cannot be cut, and why. */
static void test_errors(void)
{
    static const struct {
        Frame f;
        unsigned at;
        int value;
        int error;
    } rows[] = {
        { { .payload = 99, .frag = 0x2000 }, 0, -1, GSO_E_FRAGMENT },
        { { .payload = 99, .frag = 0x0001 }, 0, -1, GSO_E_FRAGMENT },
        { { .payload = 99, .v6 = true, .ext_hdrs = 1 }, 20, 44,
          GSO_E_FRAGMENT },
        { { .payload = 99, .tags = 3 }, 0, -1, GSO_E_PROTO },
        { { .payload = 99, .tags = 1, .tpid = { 0x9100 } }, 0, -1,
          GSO_E_PROTO },
        { { .payload = 99 }, 12, 0x00, GSO_E_PROTO },
        { { .payload = 99 }, 13, 0x06, GSO_E_PROTO },
        { { .payload = 99 }, 23, 1, GSO_E_PROTO },
        { { .payload = 99 }, 14, 0x42, GSO_E_MALFORMED },
        { { .payload = 99 }, 46, 0x40, GSO_E_MALFORMED },
        { { .payload = 99 }, 16, 0x10, GSO_E_MALFORMED },
        { { .payload = 99 }, 17, 0, GSO_E_MALFORMED },
        { { .payload = 99, .udp = true }, 39, 9, GSO_E_MALFORMED },
    };
    uint8_t tiny[13] = { 0 };
    struct iovec iov = { tiny, sizeof(tiny) };
    GsoSegParams p = { .gso_size = 10 };
    Cut c;

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct iovec whole = { super, frame_build(&rows[i].f, super) };

        if (rows[i].value >= 0) {
            super[rows[i].at] = (uint8_t)rows[i].value;
        }
        c = cut_iov(&whole, 1, &p);
        g_assert_cmpint(c.ret, ==, rows[i].error);
        cut_free(&c);
    }
    c = cut_iov(&iov, 1, &p);
    g_assert_cmpint(c.ret, ==, GSO_E_MALFORMED);
    cut_free(&c);
    c = cut_iov(NULL, 0, &p);
    g_assert_cmpint(c.ret, ==, GSO_E_MALFORMED);
    cut_free(&c);
}

/* G-13: partial sums come out right for both versions, also wrong ones. */
static void test_partial(void)
{
    for (unsigned i = 0; i < 64; i++) {
        Frame f = {
            .v6 = i & 1, .udp = i & 2, .payload = i & 4 ? 777 : 100,
            .tags = i & 8 ? 2 : 0,
            .csum = i & 16 ? FRAME_CSUM_PARTIAL : FRAME_CSUM_BAD,
            .src = (uint8_t)(255 - i),
        };
        GsoSegParams p = {
            .gso_size = 100, .csum = GSO_CSUM_PARTIAL,
            .features = i & 32 ? GSO_F_CSUM_ANY : 0,
        };
        Cut c = cut(&f, &p);

        for (unsigned k = 0; k < c.segs->len; k++) {
            size_t len;
            uint8_t *seg = g_bytes_unref_to_data(
                g_steal_pointer(&c.segs->pdata[k]), &len);
            struct iovec iov = { seg, len };

            if (c.meta.csum == GSO_CSUM_PARTIAL) {
                g_assert_cmpint(gso_csum_complete(&iov, 1, (uint32_t)len,
                                                  c.meta.csum_start,
                                                  c.meta.csum_offset, f.udp),
                                ==, 0);
            }
            c.segs->pdata[k] = g_bytes_new_take(seg, len);
        }
        check_train(&c, &f, 100);
        cut_free(&c);
    }
}

/* G-14: none, one or two tags of either kind stay on every segment. */
static void test_tags(void)
{
    for (unsigned i = 0; i < 24; i++) {
        Frame f = {
            .tags = (uint8_t)(i % 3), .tpid = { i & 1 ? 0x88a8 : 0x8100 },
            .tci = { 0x6005, 0x0123 }, .v6 = i / 3 % 2, .udp = i / 6 % 2,
            .payload = 300,
        };
        GsoSegParams p = {
            .gso_size = 100, .features = i / 12 ? GSO_F_CSUM_ANY : 0,
        };
        Cut c = cut(&f, &p);

        for (unsigned k = 0; k < 3; k++) {
            g_assert_cmpint(memcmp(seg_at(&c, k), super, frame_l3(&f)), ==,
                            0);
        }
        if (i < 12) {
            check_train(&c, &f, 100);
        } else {
            g_assert_cmpint(c.meta.csum_start, ==, frame_l4(&f));
        }
        cut_free(&c);
    }
}

/* G-15: pieces that end where segments do, or a byte beside; both ways. */
static void test_piece_limits(void)
{
    static const uint32_t sizes[] = { 1, 8, 9, 99, 100, 101, 300, 0xffff };

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(sizes); i++) {
        Frame f = { .payload = 1000 };
        size_t len = frame_build(&f, super), off = frame_hdr(&f);
        g_autofree struct iovec *iov = g_new(struct iovec, 1100);
        GsoSegParams p = { .gso_size = 100, .features = i & 1 };
        unsigned n = 1;
        Cut c;

        iov[0] = (struct iovec) { super, off };
        while (off < len) {
            iov[n].iov_base = super + off;
            iov[n].iov_len = MIN(sizes[i / 2], len - off);
            off += iov[n++].iov_len;
        }
        c = cut_iov(iov, n, &p);
        check_train(&c, &f, 100);
        cut_free(&c);
    }
}

/* The number of pieces is exact: 1000 bytes in pieces of 99, cut by 100. */
static void test_piece_count(void)
{
    Frame f = { .payload = 1000 };
    size_t len = frame_build(&f, super), off = frame_hdr(&f);
    struct iovec iov[12] = { { super, off } };
    GsoSegParams p = { .gso_size = 100, .features = GSO_F_SG };
    GsoSegmenter s;
    unsigned n = 1, most;

    while (off < len) {
        iov[n].iov_base = super + off;
        iov[n].iov_len = MIN(99u, len - off);
        off += iov[n++].iov_len;
    }
    g_assert_cmpint(gso_seg_init(&s, iov, n, &p), ==, 10);
    /* 10 headers; each boundary of 11 pieces or 10 segments starts one. */
    g_assert_cmpint(gso_seg_count_iov(&s, &most), ==, 10 + 20);
    g_assert_cmpint(most, ==, 3);
    p.features = 0;
    g_assert_cmpint(gso_seg_init(&s, iov, n, &p), ==, 10);
    g_assert_cmpint(gso_seg_count_iov(&s, NULL), ==, 10);
}

/* G-16: many small segments, and the limit on them. */
static void test_small_mss(void)
{
    static const uint32_t sizes[] = { 1, 48, 88, 536 };

    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        Frame f = { .payload = 65000 };
        GsoSegParams p = { .gso_size = sizes[i] };
        int want = (int)((65000 + sizes[i] - 1) / sizes[i]);
        Cut c = cut(&f, &p);

        g_assert_cmpint(c.ret, ==, want);
        check_train(&c, &f, sizes[i]);
        cut_free(&c);
        p.max_segs = (uint32_t)want;
        c = cut(&f, &p);
        g_assert_cmpint(c.ret, ==, want);
        cut_free(&c);
        p.max_segs--;
        c = cut(&f, &p);
        g_assert_cmpint(c.ret, ==, GSO_E_SEGS);
        cut_free(&c);
    }
}

/* G-17: any alignment, the first pieces within the headers. */
static void test_alignment(void)
{
    for (unsigned off = 1; off < 64; off++) {
        Frame f = { .payload = 2000, .tcp_opts = 12, .v6 = off & 1 };
        size_t len = frame_build(&f, super);
        g_autofree uint8_t *moved = g_malloc(len + off);
        struct iovec iov[4] = {
            { moved + off, off }, { NULL, 0 },
            { moved + 2 * off, 1 }, { moved + 2 * off + 1, len - off - 1 },
        };
        GsoSegParams p = {
            .gso_size = 700, .features = off & 2 ? GSO_F_SG : 0,
        };
        Cut c;

        memcpy(moved + off, super, len);
        c = cut_iov(iov, 4, &p);
        check_train(&c, &f, 700);
        cut_free(&c);
    }
}

/* G-17: buffers or arrays too short give an error and nothing else. */
static void test_nospace(void)
{
    Frame f = { .payload = 250 };
    struct iovec whole[2] = {
        { super, 100 }, { super + 100, frame_build(&f, super) - 100 },
    };
    const size_t hdr = frame_hdr(&f);
    uint8_t buf[200];
    struct iovec iov[3];
    GsoSegmenter s;
    GsoSegment seg;
    GsoSegParams p = { .gso_size = 100 };

    g_assert_cmpint(gso_seg_init(&s, whole, 2, &p), ==, 3);
    g_assert_cmpint(gso_seg_buf_size(&s), ==, hdr + 100);
    g_assert_cmpint(gso_seg_peek(&s, buf, hdr + 99, iov, 3, &seg), ==,
                    GSO_E_NOSPACE);
    g_assert_cmpint(gso_seg_peek(&s, buf, sizeof(buf), iov, 0, &seg), ==,
                    GSO_E_IOV);
    g_assert_cmpint(gso_seg_peek(&s, buf, sizeof(buf), iov, 1, &seg), ==, 1);
    g_assert_cmpint(seg.index, ==, 0);
    p.features = GSO_F_SG;
    g_assert_cmpint(gso_seg_init(&s, whole, 2, &p), ==, 3);
    g_assert_cmpint(gso_seg_buf_size(&s), ==, hdr);
    g_assert_cmpint(gso_seg_peek(&s, buf, hdr - 1, iov, 3, &seg), ==,
                    GSO_E_NOSPACE);
    g_assert_cmpint(gso_seg_peek(&s, buf, hdr, iov, 2, &seg), ==, GSO_E_IOV);
    g_assert_cmpint(gso_seg_peek(&s, buf, hdr, iov, 3, &seg), ==, 1);
    g_assert_cmpint(seg.iovcnt, ==, 3);
    g_assert_cmpint(gso_seg_work(&s)->segs, ==, 0);
}

/* No more iovecs are written than there are, nor read. */
static void test_iov_bounds(void)
{
    const struct iovec none = { NULL, 99 };
    struct iovec *whole = (struct iovec *)(void *)
                          train_end_of_memory(sizeof(*whole));
    GsoSegParams p = { .gso_size = 100, .features = GSO_F_SG };

    for (uint32_t payload = 0; payload <= 300; payload += 100) {
        Frame f = { .payload = payload };
        struct iovec iov[2] = { none, none };
        uint8_t buf[200];
        GsoSegmenter s;
        GsoSegment seg;
        int n;

        *whole = (struct iovec) { super, frame_build(&f, super) };
        n = gso_seg_init(&s, whole, 1, &p);
        g_assert_cmpint(n, ==, MAX(payload / 100, 1));
        g_assert_cmpint(gso_seg_peek(&s, buf, sizeof(buf), iov, 1, &seg), ==,
                        payload ? GSO_E_IOV : 1);
        g_assert_cmpint(iov[1].iov_len, ==, none.iov_len);
        for (int i = 0; i < n; i++) {
            g_assert_cmpint(gso_seg_peek(&s, buf, sizeof(buf), iov, 2, &seg),
                            ==, 1);
            g_assert_cmpint(seg.iovcnt, ==, payload ? 2 : 1);
            gso_seg_advance(&s);
        }
        g_assert_cmpint(gso_seg_peek(&s, buf, sizeof(buf), iov, 2, &seg), ==,
                        0);
    }
    train_free_end_of_memory((uint8_t *)whole, sizeof(*whole));
}

typedef struct Sink {
    GByteArray *bytes;
    int room; /* segments that are taken before one is refused */
} Sink;

static int take(void *opaque, const GsoSegment *seg)
{
    Sink *sink = opaque;

    if (!sink->room) {
        return -1;
    }
    sink->room--;
    for (unsigned i = 0; i < seg->iovcnt; i++) {
        g_byte_array_append(sink->bytes, seg->iov[i].iov_base,
                            (guint)seg->iov[i].iov_len);
    }
    return 0;
}

/* G-18: refused at segment k for every k, then resumed: the same bytes. */
static void test_resume(void)
{
    Frame f = { .payload = 1000, .flags = 0x99 };
    struct iovec whole[2] = {
        { super, 321 }, { super + 321, frame_build(&f, super) - 321 },
    };

    for (unsigned i = 0; i < 22; i++) {
        GsoSegParams p = { .gso_size = 100, .features = i & 1 };
        Sink once = { g_byte_array_new(), 100 };
        Sink twice = { g_byte_array_new(), (int)(i / 2) };
        uint8_t buf[200];
        struct iovec iov[4];
        GsoSegmenter s;
        GsoWork work;

        gso_seg_init(&s, whole, 2, &p);
        g_assert_cmpint(gso_seg_emit(&s, buf, 200, iov, 4, take, &once), ==,
                        10);
        g_assert_cmpint(gso_seg_emit(&s, buf, 200, iov, 4, take, &once), ==,
                        0);
        work = *gso_seg_work(&s);
        gso_seg_init(&s, whole, 2, &p);
        g_assert_cmpint(gso_seg_emit(&s, buf, 200, iov, 4, take, &twice), ==,
                        i / 2);
        g_assert_cmpint(gso_seg_emit(&s, buf, 200, iov, 4, take, &twice), ==,
                        0);
        g_assert_cmpint(gso_seg_emit(&s, buf, 200, iov, 0, take, &twice), ==,
                        GSO_E_IOV);
        twice.room = 100;
        g_assert_cmpint(gso_seg_emit(&s, buf, 200, iov, 4, take, &twice), ==,
                        10 - i / 2);
        g_assert_cmpmem(once.bytes->data, once.bytes->len, twice.bytes->data,
                        twice.bytes->len);
        g_assert_cmpmem(&work, sizeof(work), gso_seg_work(&s), sizeof(work));
        g_byte_array_unref(once.bytes);
        g_byte_array_unref(twice.bytes);
    }
}

/* G-19: forwarded to a link of another size, with the metadata's size. */
static void test_forward(void)
{
    Frame f = { .payload = 5000, .df = true };
    const uint8_t tso = GSO_F_SG | GSO_F_CSUM_ANY | GSO_F_TSO4;
    GsoSegParams p = { .gso_size = 1448, .features = tso };
    Cut c = cut(&f, &p);
    size_t len = seg_len(&c, 0);
    struct iovec whole = { super, len };

    g_assert_cmpint(c.meta.gso_size, ==, 1448);
    g_assert_cmpint(c.meta.segs, ==, 4);
    memcpy(super, seg_at(&c, 0), len);
    cut_free(&c);
    p = (GsoSegParams) { .gso_size = 1348, .csum = c.meta.csum };
    c = cut_iov(&whole, 1, &p);
    g_assert_cmpint(c.ret, ==, 4);
    check_train(&c, &f, 1348);
    cut_free(&c);
}

/* G-21: the longest headers of both versions fit; longer ones are refused. */
static void test_longest_headers(void)
{
    Frame f = { .tags = 2, .ip_opts = 40, .tcp_opts = 40, .payload = 100 };
    GsoSegParams p = { .gso_size = 30 };
    Cut c = cut(&f, &p);

    g_assert_cmpint(frame_hdr(&f), ==, 142);
    check_train(&c, &f, 30);
    cut_free(&c);
    /* 22 + 40 + 60 leave 134 bytes, 16 headers of 8. */
    f = (Frame) {
        .tags = 2, .v6 = true, .ext_hdrs = 16, .tcp_opts = 40, .payload = 90,
    };
    c = cut(&f, &p);
    g_assert_cmpint(frame_hdr(&f), ==, 250);
    check_train(&c, &f, 30);
    cut_free(&c);
    f.ext_hdrs = 17;
    c = cut(&f, &p);
    g_assert_cmpint(c.ret, ==, GSO_E_MALFORMED);
    cut_free(&c);
}

/* G-22: what no IP length can say. */
static void test_too_big(void)
{
    static uint8_t big[70000];
    struct iovec whole[2] = { { super, 0 }, { big, sizeof(big) } };
    GsoSegParams p = { .gso_size = 1448, .len_from_frame = true };

    for (int v6 = 0; v6 < 2; v6++) {
        Frame f = { .v6 = v6 };
        /* Headers that count: IPv4 and TCP, or TCP alone. */
        uint32_t most = 65535 - (v6 ? 20 : 40);
        Cut c;

        whole[0].iov_len = frame_build(&f, super);
        whole[1].iov_len = most;
        c = cut_iov(whole, 2, &p);
        g_assert_cmpint(c.ret, ==, (most + 1447) / 1448);
        cut_free(&c);
        whole[1].iov_len = most + 1;
        c = cut_iov(whole, 2, &p);
        g_assert_cmpint(c.ret, ==, GSO_E_TOO_BIG);
        cut_free(&c);
    }
}

/* C-12, IPv4-TSO captures: a stale IP length, a header checksum of 0. */
static void test_stale_length(void)
{
    static const uint16_t stale[] = { 0, 40, 140, 1500, 60000 };

    for (unsigned i = 0; i < G_N_ELEMENTS(stale) * 2; i++) {
        Frame f = { .payload = 3000, .v6 = i & 1, .ip_opts = i & 1 ? 0 : 4 };
        struct iovec whole = { super, frame_build(&f, super) };
        const uint8_t tso = GSO_F_SG | GSO_F_CSUM_ANY | GSO_F_TSO4 |
                            GSO_F_TSO6;
        GsoSegParams p = { .gso_size = 1000, .len_from_frame = true };
        unsigned field = f.v6 ? 18 : 16;
        uint16_t len = stale[i / 2] ? stale[i / 2] + f.ip_opts : 0;
        Cut c;

        super[field] = (uint8_t)(len >> 8);
        super[field + 1] = (uint8_t)len;
        if (!f.v6) {
            super[24] = super[25] = 0;
        }
        c = cut_iov(&whole, 1, &p);
        g_assert_cmpint(c.ret, ==, 3);
        check_train(&c, &f, 1000);
        cut_free(&c);
        p.features = tso;
        c = cut_iov(&whole, 1, &p);
        g_assert_cmpint(c.ret, ==, 1);
        if (!f.v6) {
            g_assert_cmpint(frame_sum(0, seg_at(&c, 0) + 14, 24), ==, 0xffff);
        }
        g_assert_cmpint(frame_u16(seg_at(&c, 0) + field), ==,
                        seg_len(&c, 0) - (f.v6 ? 54 : 14));
        cut_free(&c);
    }
}

/* padding behind the IP packet is no payload. */
static void test_padding(void)
{
    Frame f = { .payload = 250, .pad = 40, .pad_byte = 0xaa };
    GsoSegParams p = { .gso_size = 100 };
    Cut c = cut(&f, &p);

    g_assert_cmpint(c.ret, ==, 3);
    check_train(&c, &f, 100);
    cut_free(&c);
}

/* UDP over IPv4 that is meant to have no checksum keeps none. */
static void test_udp_no_csum(void)
{
    Frame f = { .payload = 250, .udp = true, .csum = FRAME_CSUM_ZERO };
    GsoSegParams p = { .gso_size = 100, .csum = GSO_CSUM_COMPLETE };
    Cut c = cut(&f, &p);

    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmphex(frame_u16(seg_at(&c, i) + frame_l4(&f) + 6), ==, 0);
    }
    cut_free(&c);
    f.v6 = true;
    c = cut(&f, &p);
    check_train(&c, &f, 100);
    cut_free(&c);
}

/*
 * The feature matrix.  The work in closed form, for n segments of a payload
 * of P bytes and headers of H = L2 + I + T bytes (T: TCP):
 *   header bytes copied:  n H
 *   payload copied:       P without SG, else 0
 *   summed:               I (IPv4) + T + P without checksum hardware,
 *                         I with it; no T and P where the checksum is kept
 * With TSO n is 1.  One complete segment keeps its checksum.
 */
static void test_matrix(void)
{
    const uint8_t tso = GSO_F_TSO4 | GSO_F_TSO6;

    for (unsigned i = 0; i < 2 * 2 * 2 * 3 * 2 * 2 * 2; i++) {
        bool sg = i & 1, hw = i & 2, cutter = i & 4, one = i & 8;
        bool v6 = i & 16, two_pass = i & 32;
        uint8_t csum = (uint8_t)(i / 64);
        uint32_t n = one ? 1 : 7;
        Frame f = {
            .payload = one ? 1000 : 6500, .v6 = v6, .tcp_opts = 12,
            .csum = csum == GSO_CSUM_PARTIAL ? FRAME_CSUM_PARTIAL
                                             : FRAME_CSUM_GOOD,
        };
        GsoSegParams p = {
            .gso_size = 1000, .csum = csum, .two_pass = two_pass,
            .features = (uint8_t)((sg ? GSO_F_SG : 0) |
                                  (hw ? GSO_F_CSUM_ANY : 0) |
                                  (cutter ? tso : 0)),
        };
        bool whole = cutter && hw && sg && !one;
        bool keep = one && csum == GSO_CSUM_COMPLETE;
        uint64_t summed = v6 ? 0 : 20;
        Cut c = cut(&f, &p);

        n = whole ? 1 : n;
        summed += hw || keep ? 0 : 32 + f.payload;
        g_assert_cmpint(c.ret, ==, n);
        g_assert_cmpint(c.work.segs, ==, n);
        g_assert_cmpint(c.work.hdr_copied, ==, n * frame_hdr(&f));
        g_assert_cmpint(c.work.payload_copied, ==, sg ? 0 : f.payload);
        g_assert_cmpint(c.work.summed, ==, summed);
        g_assert_cmpint(c.meta.csum, ==, hw && !keep ? GSO_CSUM_PARTIAL
                                                     : GSO_CSUM_COMPLETE);
        if (!hw) {
            check_train(&c, &f, 1000);
        }
        cut_free(&c);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/gso/segment/G-01-flags-core",
                         GINT_TO_POINTER(GSO_PROFILE_CORE), test_flags);
    g_test_add_data_func("/gso/segment/G-01-flags-driver",
                         GINT_TO_POINTER(GSO_PROFILE_DRIVER), test_flags);
    g_test_add_func("/gso/segment/G-01-special-flags", test_special_flags);
    g_test_add_func("/gso/segment/G-01-as-qemu-should", test_qemu_flags);
    g_test_add_func("/gso/segment/accecn", test_accecn);
    g_test_add_func("/gso/segment/G-03-ip-id", test_ip_id);
    g_test_add_func("/gso/segment/G-04-seq-wrap", test_seq_wrap);
    g_test_add_func("/gso/segment/G-04-zero-csum", test_zero_csum);
    g_test_add_func("/gso/segment/G-05-table", test_table);
    g_test_add_func("/gso/segment/G-07-degenerate", test_degenerate);
    g_test_add_func("/gso/segment/G-10-refused-super", test_refused_super);
    g_test_add_func("/gso/segment/G-11-uso-software", test_uso_software);
    g_test_add_func("/gso/segment/G-12-G-20-hardware", test_hardware);
    g_test_add_func("/gso/segment/G-12-ext-hdrs", test_ext_hdrs);
    g_test_add_func("/gso/segment/C-09-errors", test_errors);
    g_test_add_func("/gso/segment/G-13-partial", test_partial);
    g_test_add_func("/gso/segment/G-14-tags", test_tags);
    g_test_add_func("/gso/segment/G-15-piece-limits", test_piece_limits);
    g_test_add_func("/gso/segment/G-15-piece-count", test_piece_count);
    g_test_add_func("/gso/segment/G-16-small-mss", test_small_mss);
    g_test_add_func("/gso/segment/G-17-alignment", test_alignment);
    g_test_add_func("/gso/segment/G-17-nospace", test_nospace);
    g_test_add_func("/gso/segment/G-17-iov-bounds", test_iov_bounds);
    g_test_add_func("/gso/segment/G-18-resume", test_resume);
    g_test_add_func("/gso/segment/G-19-forward", test_forward);
    g_test_add_func("/gso/segment/G-21-longest-headers",
                    test_longest_headers);
    g_test_add_func("/gso/segment/G-22-too-big", test_too_big);
    g_test_add_func("/gso/segment/C-12-stale-length", test_stale_length);
    g_test_add_func("/gso/segment/R-07-padding", test_padding);
    g_test_add_func("/gso/segment/udp-no-csum", test_udp_no_csum);
    g_test_add_func("/gso/segment/matrix", test_matrix);
    return g_test_run();
}
