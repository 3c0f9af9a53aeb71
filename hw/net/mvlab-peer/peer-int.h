/*
 * The peer's stack: shared by its parts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_NET_MVLAB_PEER_INT_H
#define HW_NET_MVLAB_PEER_INT_H

#include "peer.h"

/* Length of the pattern that sources send over and over: byte n is n % 251. */
#define PEER_PATTERN_PERIOD 251

extern PeerStats *peer_stats;
extern PeerAckPolicy peer_ack;

/*
 * Calls @work, which may use lwIP.  An assertion that fails inside ends it
 * and silences the peer.  Not to be nested.
 */
void peer_run(void (*work)(void *opaque), void *opaque);

/* At least @len bytes, up to 64 KiB, of the pattern from @offset on. */
const uint8_t *peer_pattern(uint64_t offset);

/*
 * Reads a line of up to @max decimal numbers with one space between them.
 * Returns how many there are, or 0 for anything else.
 */
unsigned peer_parse_numbers(const char *line, uint64_t *numbers, unsigned max);

/* peer-flow.c */

void peer_flow_init(void);
void peer_flow_reset(void);

/* peer-udp.c */

void peer_udp_init(void);
void peer_udp_reset(void);

#endif
