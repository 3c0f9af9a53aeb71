/*
 * Summing where there are no vector instructions to use
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

uint64_t gso_sum(const void *buf, size_t len, uint64_t sum)
{
    return gso_sum_scalar(buf, len, sum);
}

uint64_t gso_copy_sum(void *dst, const void *src, size_t len, uint64_t sum)
{
    return gso_copy_sum_scalar(dst, src, len, sum);
}

static bool always(void)
{
    return true;
}

const GsoSumImpl *gso_sum_impls(void)
{
    static const GsoSumImpl impls[] = {
        { "scalar", always, gso_sum_scalar, gso_copy_sum_scalar },
        { 0 },
    };

    return impls;
}
