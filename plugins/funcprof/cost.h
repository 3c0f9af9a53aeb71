/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of a cost model: what instructions cost beyond being counted
 *
 * A model sees every block of code that begins and, if it wants to, every
 * access to memory, and returns what each costs in a unit of its own (cycles,
 * say). The sums are kept beside the instructions and are shown under the
 * model's name. Cache geometry, and the price of registers and of uncached
 * memory, are the model's own parameters. cost_none is what is built in.
 */

#ifndef FUNCPROF_COST_H
#define FUNCPROF_COST_H

#include <stdbool.h>
#include <stdint.h>

struct cost_model {
    const char *name;
    /* @n instructions from @address are executed; NULL: free */
    uint64_t (*fetch)(uint32_t address, unsigned n);
    /*
     * One access of @size bytes; @device: not to RAM. Called after the access.
     * NULL: free, and accesses are not observed, which makes QEMU much faster.
     */
    uint64_t (*access)(uint32_t address, unsigned size, bool store,
                       bool device);
};

/* The model in use; NULL: no cost is counted or shown */
#define cost_none ((const struct cost_model *)NULL)

#endif
