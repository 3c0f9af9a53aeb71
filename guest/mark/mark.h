/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks: the guest tells the funcprof plugin where it is
 *
 * A mark is an ARM instruction that does nothing, with its arguments in
 * registers. No compiler makes it, and without the plugin it has no effect.
 */

#ifndef MVLAB_MARK_H
#define MVLAB_MARK_H

#include "mark-abi.h"

/*
 * @ns: the guest's clock (CLOCK_MONOTONIC) in ns, for the profile's guest_ns;
 * 0 if it does not matter.
 */
static inline void mark(unsigned number, unsigned long long ns)
{
    register unsigned r0 __asm__("r0") = number;
    register unsigned r1 __asm__("r1") = MARK_MAGIC;
    register unsigned r2 __asm__("r2") = ns;
    register unsigned r3 __asm__("r3") = ns >> 32;

    __asm__ volatile("orr r11, r11, r11"
                     : : "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}

#endif
