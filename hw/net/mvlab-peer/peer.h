/*
 * The peer: what the device and its TCP/IP stack know of each other
 *
 * The device (mvlab-peer.c) is QEMU's side: properties, network client, the
 * queue of frames to the guest.  The stack (peer-stack.c) is lwIP's side; the
 * services on top of it are in peer-flow.c (TCP) and peer-udp.c.  lwIP keeps
 * its state in globals, so there is one stack in a process.
 *
 * Everything runs under QEMU's big lock and on QEMU_CLOCK_VIRTUAL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_NET_MVLAB_PEER_PEER_H
#define HW_NET_MVLAB_PEER_PEER_H

#define PEER_MTU            1500
#define PEER_MAX_FRAME      (14 + PEER_MTU)     /* sent, without FCS */
#define PEER_MIN_FRAME      60
#define PEER_MAX_RECEIVED   (14 + 16384)

#define PEER_MIN_WINDOW     4096
#define PEER_MAX_WINDOW     (64 * 1024 * 1024)

/* The well-known ports of the services: RFC 862, 863, 864. */
#define PEER_PORT_ECHO      7
#define PEER_PORT_SINK      9
#define PEER_PORT_SOURCE    19

/* Counters since the device was made; a reset of the machine keeps them. */
typedef struct PeerStats {
    uint64_t frames_received;
    uint64_t bytes_received;        /* without FCS, like bytes_sent */
    uint64_t frames_sent;
    uint64_t bytes_sent;
    uint64_t flows_opened;          /* TCP connections accepted */
    uint64_t flows_open;            /* now */
    uint64_t flows_failed;          /* reset or timed out */
    uint64_t segments_received;     /* with payload, of a connection */
    uint64_t segments_duplicate;    /* they begin with what was received */
    uint64_t segments_out_of_order; /* they begin behind a gap */
    uint64_t payload_received;      /* bytes that services got by TCP */
    uint64_t segments_sent;         /* with payload */
    uint64_t acks_sent;             /* ACK alone, without payload */
    uint64_t datagrams_received;    /* UDP, by a service */
    uint64_t datagrams_sent;
    uint64_t bad_requests;          /* lines that a source refused */
    uint64_t checksum_errors;
    uint64_t drop_oversize;
    uint64_t drop_other_address;    /* of Ethernet */
    uint64_t drop_malformed;
    uint64_t drop_protocol;         /* nothing here speaks it, or no port */
    uint64_t drop_far_away;         /* TCP, 1 GiB and more from the window */
    uint64_t drop_memory;
    uint64_t send_queue_full;       /* TCP sends again later, UDP does not */
    uint64_t drop_link_down;        /* to the guest */
    uint64_t drop_stopped;          /* after a failed assertion */
    uint64_t assertions;            /* lwIP's, failed: 0 or 1 */
} PeerStats;

typedef struct PeerConfig {
    uint8_t mac[6];
    uint32_t address;           /* IPv4, host byte order */
    unsigned prefix;            /* bits of the network */
    uint32_t window;            /* bytes */
    uint64_t seed;
} PeerConfig;

/*
 * When TCP acknowledges data that arrives in order: once @segments of them
 * are unacknowledged, or @hold ns after the first of them.
 */
typedef struct PeerAckPolicy {
    uint32_t segments;
    int64_t hold;
} PeerAckPolicy;

/*
 * Takes a frame of at most PEER_MAX_FRAME bytes to the guest, but never
 * delivers it before it returns.  False if there is no room.
 */
typedef bool PeerOutput(void *opaque, const uint8_t *frame, size_t len);

/* Starts the one stack of the process.  @stats stays the caller's. */
void peer_stack_start(const PeerConfig *config, PeerStats *stats,
                      PeerOutput *output, void *opaque);
void peer_stack_stop(void);

/* Forgets all connections and what it has learnt, without a word to them. */
void peer_stack_reset(void);

/* A frame of at most PEER_MAX_RECEIVED bytes from the guest. */
void peer_stack_input(const uint8_t *frame, size_t len);

/* There is room again after an output that returned false. */
void peer_stack_resume(void);

void peer_stack_set_ack(const PeerAckPolicy *policy);

/* Brings those counters up to date that lwIP keeps. */
void peer_stack_count(void);

#endif
