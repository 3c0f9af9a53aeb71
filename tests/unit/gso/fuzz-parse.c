/*
 * Fuzz target: layout parser and whole-frame checksums
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "fuzz.h"

static void check_layout(const GsoLayout *l, size_t size)
{
    fuzz_check(l->frame_len == size, "frame_len is the size");
    fuzz_check(l->l2_len <= size, "the L2 header is in the frame");
    fuzz_check(l->vlan_count <= GSO_VLAN_MAX, "few tags");
    fuzz_check(!l->l4_off || l->hdr_len <= size, "headers are in the frame");
    fuzz_check(l->hdr_len <= GSO_HDR_MAX, "headers are short");
    fuzz_check(!l->l4_off || l->l4_off == l->l2_len + l->l3_len,
               "L4 follows L3");
    fuzz_check(l->ip_len <= GSO_IP_MAX + 40, "an IP length");
    fuzz_check(l->payload_len <= l->ip_len, "payload is in the packet");
    fuzz_check((l->flags & GSO_LF_TRUNCATED) || !l->ip_len ||
               l->l2_len + l->ip_len <= size ||
               (l->flags & GSO_LF_LENGTH_0), "not truncated means whole");
}

/* Each way to sum and to copy and sum, against the reference. */
static void check_sums(const uint8_t *p, size_t len)
{
    uint16_t want = gso_sum_reference(p, len);
    uint8_t *copy = malloc(len ? len : 1);

    for (const GsoSumImpl *i = gso_sum_impls(); copy && i->name; i++) {
        if (i->usable()) {
            fuzz_check(gso_sum_fold(i->sum(p, len, 0)) == want, i->name);
            fuzz_check(gso_sum_fold(i->copy_sum(copy, p, len, 0)) == want,
                       i->name);
            fuzz_check(!memcmp(copy, p, len), "the copy is the same");
        }
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fuzz f = { data, size };
    uint8_t cut = fuzz_u8(&f);
    uint32_t start = fuzz_u16(&f), offset = fuzz_u16(&f);
    struct iovec iov[FUZZ_IOV];
    unsigned n = fuzz_pieces(f.p, f.left, cut, iov);
    GsoLayout pieces, flat;
    uint64_t sum;

    gso_parse(iov, n, &pieces);
    gso_parse_buf(f.p, f.left, &flat);
    fuzz_check(!memcmp(&pieces, &flat, sizeof(flat)), "any cut is the same");
    check_layout(&flat, f.left);
    gso_csum_verify_ip(iov, n, &flat);
    gso_csum_verify_l4(iov, n, &flat);
    sum = gso_sum_iov(iov, n, start % (f.left + 1), offset, 0);
    if (start % (f.left + 1) + offset <= f.left) {
        fuzz_check(gso_sum_fold(sum) ==
                   gso_sum_reference(f.p + start % (f.left + 1), offset),
                   "the sum is the reference's");
    }
    check_sums(f.p, f.left);
    gso_csum_complete(iov, n, (uint32_t)f.left, start, offset, cut & 1);
    fuzz_free(iov, n);
    return 0;
}
