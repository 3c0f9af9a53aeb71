/*
 * What lwIP calls at the places it provides for it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PEER_HOOKS_H
#define PEER_HOOKS_H

#include "lwip/tcp.h"

/* The initial sequence number of a connection. */
u32_t peer_hook_isn(const ip_addr_t *local, u16_t local_port,
                    const ip_addr_t *remote, u16_t remote_port);

/* A segment, its header in host byte order, for a connection or listener. */
err_t peer_hook_segment(struct tcp_pcb *pcb, const struct tcp_hdr *hdr,
                        const struct pbuf *payload);

#define LWIP_HOOK_TCP_ISN peer_hook_isn
#define LWIP_HOOK_TCP_INPACKET_PCB(pcb, hdr, optlen, opt1len, opt2, p) \
    peer_hook_segment(pcb, hdr, p)

#endif
