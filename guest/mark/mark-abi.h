/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a mark is, for C, assembly and the plugin
 *
 * r0: the number; r1: MARK_MAGIC; r2, r3: low and high word of the guest's
 * clock (CLOCK_MONOTONIC) in ns, or 0.
 */

#ifndef MVLAB_MARK_ABI_H
#define MVLAB_MARK_ABI_H

#define MARK_SYMBOLS    1   /* the second UART has all of /proc/kallsyms */
#define MARK_BEGIN      2   /* a region begins with this instruction */
#define MARK_END        3   /* and ends before this one */

#define MARK_INSTRUCTION        0xe18bb00b  /* orr r11, r11, r11 */
#define MARK_MAGIC              0x6d61726b  /* in r1 */

#endif
