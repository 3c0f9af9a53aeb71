/*
 * Fuzz target: segmenter
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "fuzz.h"

#define MAX_SEGS 300

/* Each segment is a frame of its own that the parser agrees with. */
static uint32_t check_segment(const GsoSegment *seg, const GsoSegParams *p)
{
    GsoLayout l;
    uint32_t len = 0;

    for (unsigned i = 0; i < seg->iovcnt; i++) {
        len += (uint32_t)seg->iov[i].iov_len;
    }
    fuzz_check(len == seg->len, "len is the pieces' length");
    gso_parse(seg->iov, seg->iovcnt, &l);
    fuzz_check(l.l4_off && !(l.flags & (GSO_LF_MALFORMED | GSO_LF_TRUNCATED |
                                        GSO_LF_PADDED)),
               "a segment is a whole packet");
    fuzz_check(seg->meta.type || l.payload_len <= p->gso_size,
               "a segment is no larger than gso_size");
    fuzz_check(l.l3 != GSO_L3_IPV4 ||
               gso_csum_verify_ip(seg->iov, seg->iovcnt, &l) ==
               GSO_CHECK_GOOD, "the IPv4 header checksum is good");
    if (seg->meta.csum == GSO_CSUM_COMPLETE &&
        p->csum != GSO_CSUM_COMPLETE) {
        fuzz_check(gso_csum_verify_l4(seg->iov, seg->iovcnt, &l) ==
                   GSO_CHECK_GOOD, "the L4 checksum is good");
    }
    return l.payload_len;
}

static void run(GsoSegmenter *s, const GsoSegParams *p)
{
    size_t size = gso_seg_buf_size(s);
    uint8_t *buf = malloc(size);
    struct iovec out[FUZZ_IOV + 1];
    unsigned most;
    uint32_t pieces = gso_seg_count_iov(s, &most);
    GsoSegment seg;

    if (!buf) {
        abort();
    }
    fuzz_check(most <= FUZZ_IOV + 1, "no more pieces than there are");
    fuzz_check(gso_seg_peek(s, buf, size - 1, out, most, &seg) ==
               GSO_E_NOSPACE, "a short buffer is refused");
    for (uint32_t i = 0; i < s->count && i < MAX_SEGS; i++) {
        fuzz_check(gso_seg_peek(s, buf, size, out, most, &seg) == 1,
                   "there is a segment");
        check_segment(&seg, p);
        gso_seg_advance(s);
        pieces -= seg.iovcnt;
    }
    fuzz_check(s->count > MAX_SEGS || pieces == 0, "the count is exact");
    fuzz_check(s->count > MAX_SEGS ||
               gso_seg_peek(s, buf, size, out, most, &seg) == 0,
               "there is no segment behind the last");
    free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fuzz f = { data, size };
    uint8_t cut = fuzz_u8(&f);
    uint8_t bits = fuzz_u8(&f);
    GsoSegParams p = {
        .features = fuzz_u8(&f),
        .gso_size = fuzz_u16(&f),
        .csum = bits & 3 ? (bits & 3) - 1 : 0,
        .profile = bits >> 2 & 1,
        .ip_id = bits >> 3 & 1,
        .accecn = bits & 16,
        .len_from_frame = bits & 32,
        .two_pass = bits & 64,
        .repeat_flags = bits & 128 ? 0xff : 0,
        .max_segs = fuzz_u8(&f),
    };
    struct iovec iov[FUZZ_IOV];
    unsigned n = fuzz_pieces(f.p, f.left, cut, iov);
    GsoSegmenter s;
    int ret = gso_seg_init(&s, iov, n, &p);

    if (ret > 0) {
        run(&s, &p);
    } else {
        fuzz_check(ret < 0 && gso_strerror(ret)[0] != 'u', "a known error");
    }
    fuzz_free(iov, n);
    return 0;
}
