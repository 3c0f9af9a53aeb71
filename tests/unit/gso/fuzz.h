/*
 * What the fuzz targets of net/gso share
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_UNIT_GSO_FUZZ_H
#define TESTS_UNIT_GSO_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gso.h"

#define FUZZ_IOV 64

/* libFuzzer's entry point, one in each target. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input, from which small numbers are taken at the front. */
typedef struct Fuzz {
    const uint8_t *p;
    size_t left;
} Fuzz;

static inline uint8_t fuzz_u8(Fuzz *f)
{
    if (!f->left) {
        return 0;
    }
    f->left--;
    return *f->p++;
}

static inline uint16_t fuzz_u16(Fuzz *f)
{
    uint16_t hi = fuzz_u8(f);

    return (uint16_t)(hi << 8 | fuzz_u8(f));
}

/* Stop with a message; a sanitizer's report would look no different. */
static inline void fuzz_check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "fuzz: not so: %s\n", what);
        abort();
    }
}

/*
 * @len bytes in pieces whose sizes follow from @cut, each in memory of its
 * own so that reading past it is seen.  Returns their number.
 */
static inline unsigned fuzz_pieces(const uint8_t *p, size_t len, uint8_t cut,
                                   struct iovec *iov)
{
    unsigned n = 0;

    while (n < FUZZ_IOV && (len || !n)) {
        size_t size = n + 1 == FUZZ_IOV || cut == 0 ? len
                                                    : (cut >> n % 5) & 0x3f;

        size = size < len ? size : len;
        iov[n].iov_len = size;
        iov[n].iov_base = malloc(size ? size : 1);
        if (!iov[n].iov_base) {
            abort();
        }
        memcpy(iov[n].iov_base, p, size);
        p += size;
        len -= size;
        n++;
    }
    return n;
}

static inline void fuzz_free(struct iovec *iov, unsigned n)
{
    while (n--) {
        free(iov[n].iov_base);
    }
}

#endif /* TESTS_UNIT_GSO_FUZZ_H */
