/*
 * Fuzz target: virtio-net header
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fuzz f = { data, size };
    uint8_t bits = fuzz_u8(&f);
    size_t hdr_len = bits & 15;
    bool le = bits & 16;
    GsoVnetDir dir = bits & 32 ? GSO_VNET_TO_DRIVER : GSO_VNET_TO_DEVICE;
    uint8_t hdr[16] = { 0 }, again[12];
    struct iovec iov;
    GsoLayout l;
    GsoMeta meta = { 0 }, back = { 0 };

    for (size_t i = 0; i < hdr_len; i++) {
        hdr[i] = fuzz_u8(&f);
    }
    iov = (struct iovec) { (void *)f.p, f.left };
    gso_parse(&iov, 1, &l);
    if (gso_vnet_decode(hdr, hdr_len, le, dir, &l, &meta) < 0) {
        return 0;
    }
    fuzz_check(meta.csum != GSO_CSUM_PARTIAL ||
               meta.csum_start + meta.csum_offset + 2u <= f.left,
               "the checksum field is in the frame");
    fuzz_check(!meta.type || (meta.gso_size && l.hdr_len < f.left),
               "a super-frame has size and payload");
    if (gso_vnet_encode(again, 12, le, dir, &meta) == 0) {
        fuzz_check(gso_vnet_decode(again, 12, le, dir, &l, &back) == 0,
                   "what is encoded can be decoded");
        fuzz_check(!memcmp(&meta, &back, sizeof(meta)),
                   "and comes back the same");
    }
    return 0;
}
