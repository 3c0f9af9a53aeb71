/*
 * Taps, a bridge and a namespace for the kernel oracle
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_UNIT_GSO_ORACLE_NET_H
#define TESTS_UNIT_GSO_ORACLE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All functions return 0 or a file descriptor, or print what failed and
 * return -1.
 */

/*
 * Enter new network and mount namespaces, as "unshare -nm" does for root and
 * "unshare -Urnm" for others; they go when the process ends.
 */
int net_enter_namespace(void);

/* Make a tap of that name with IFF_* @flags; it goes with the descriptor. */
int net_tap(const char *name, int flags);

/* Queue length, no IPv6 of its own, up. */
int net_up(const char *name);

/* Make a bridge with these two ports. */
int net_bridge(const char *name, const char *port_a, const char *port_b);

/* Poll the device in a thread on this process's CPU. */
int net_threaded(const char *name);

/*
 * Let this process go before that thread, so that what is written in one go
 * is polled in one go; for no longer than that, or the scheduler makes an
 * exception for those who wait.
 */
int net_undisturbed(bool on);

/* Switch an ethtool feature on; 1 if the kernel does not know it. */
int net_feature(const char *name, const char *feature);

/* Wait up to @ms for something to read; false if nothing came. */
bool net_wait(int fd, int ms);

#endif /* TESTS_UNIT_GSO_ORACLE_NET_H */
