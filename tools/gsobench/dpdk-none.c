/*
 * Bench of net/gso where there is no DPDK
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "bench.h"

bool bench_have_dpdk(void)
{
    return false;
}

void bench_add_dpdk(void)
{
}
