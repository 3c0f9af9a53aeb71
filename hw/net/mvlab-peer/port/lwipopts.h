/*
 * lwIP's configuration for the peer
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PEER_LWIPOPTS_H
#define PEER_LWIPOPTS_H

#include <stdint.h>

/* No threads: everything happens in events under QEMU's big lock. */
#define NO_SYS                      1
#define SYS_LIGHTWEIGHT_PROT        0
#define LWIP_NETCONN                0
#define LWIP_SOCKET                 0
#define LWIP_TIMERS                 0
#define LWIP_HOOK_FILENAME          "peer-hooks.h"

/* Memory: fixed pools for what the guest can ask for, a limited heap. */
#define MEM_LIBC_MALLOC             1
#define MEMP_MEM_MALLOC             0
#define MEM_ALIGNMENT               8
#define MEMP_NUM_TCP_PCB            1024
#define MEMP_NUM_TCP_PCB_LISTEN     4
#define MEMP_NUM_UDP_PCB            4
#define MEMP_NUM_TCP_SEG            65000
#define MEMP_NUM_PBUF               65000
#define PBUF_POOL_SIZE              1
#define ARP_TABLE_SIZE              64
#define ARP_QUEUEING                1
#define ARP_QUEUE_LEN               64
#define MEMP_NUM_ARP_QUEUE          256

/* Protocols */
#define LWIP_IPV4                   1
#define LWIP_IPV6                   0
#define LWIP_ARP                    1
#define LWIP_ICMP                   1
#define LWIP_RAW                    0
#define LWIP_UDP                    1
#define LWIP_TCP                    1
#define IP_REASSEMBLY               0
#define IP_FRAG                     0
#define LWIP_NETIF_HOSTNAME         0
#define LWIP_SINGLE_NETIF           1

/*
 * The window is a property of the device.  lwIP also asks for these two in
 * #if, where a variable counts as 0 and the right-hand side is taken.
 */
extern uint32_t peer_window;            /* bytes */
extern uint32_t peer_scale_plus_one;    /* window scale and 1 */

#define TCP_WND             (peer_window ? peer_window : 0x100000)
#define LWIP_WND_SCALE      1
#define TCP_RCV_SCALE       (peer_scale_plus_one ? peer_scale_plus_one - 1 : 5)

/* Segments that wait behind a gap, a connection: a window of full ones fits. */
extern uint16_t peer_ooseq_limit;

/* When a window update goes out of turn: the ACK policy decides otherwise. */
#define TCP_WND_UPDATE_THRESHOLD    (TCP_WND / 2)

#define TCP_MSS                     1460
#define TCP_SND_BUF                 (1024 * 1024)
#define TCP_SND_QUEUELEN            8192
#define LWIP_TCP_TIMESTAMPS         1
#define LWIP_TCP_SACK_OUT           1
#define TCP_QUEUE_OOSEQ             1
#define TCP_OOSEQ_PBUFS_LIMIT(pcb)  peer_ooseq_limit
#define TCP_LISTEN_BACKLOG          0
#define LWIP_DISABLE_TCP_SANITY_CHECKS  1

#define CHECKSUM_GEN_IP             1
#define CHECKSUM_GEN_UDP            1
#define CHECKSUM_GEN_TCP            1
#define CHECKSUM_GEN_ICMP           1
#define CHECKSUM_CHECK_IP           1
#define CHECKSUM_CHECK_UDP          1
#define CHECKSUM_CHECK_TCP          1
#define CHECKSUM_CHECK_ICMP         1

#define LWIP_STATS                  1
#define LWIP_STATS_LARGE            1
#define LWIP_STATS_DISPLAY          0
#define MEM_STATS                   0

#endif
