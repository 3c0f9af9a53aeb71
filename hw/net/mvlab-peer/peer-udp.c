/*
 * The peer's UDP services: echo, sink, paced source
 *
 * A source is asked with a datagram "COUNT SIZE GAP\n" and sends COUNT
 * datagrams of SIZE bytes, one every GAP ns of virtual time.  Each begins
 * with its number, 4 bytes in network order, and goes on with the pattern.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/timer.h"
#include "peer-int.h"
#include "lwip/udp.h"

#define MAX_STREAMS     64
#define MIN_SIZE        4
#define MAX_SIZE        (PEER_MTU - 20 - 8)
#define MIN_GAP         672             /* the shortest frame at 1 Gb/s */
#define MAX_GAP         (10 * NANOSECONDS_PER_SECOND)
#define LINE_MAX_LEN    64

typedef struct Stream {
    QEMUTimer timer;
    ip_addr_t address;
    uint16_t port;
    uint16_t size;
    uint32_t sent;
    uint32_t count;                     /* 0: this stream is free */
    int64_t gap;
    int64_t next;
} Stream;

static struct udp_pcb *source;
static Stream streams[MAX_STREAMS];

static void send_datagram(struct udp_pcb *pcb, struct pbuf *p,
                          const ip_addr_t *address, uint16_t port)
{
    if (udp_sendto(pcb, p, address, port) == ERR_OK) {
        peer_stats->datagrams_sent++;
    }
}

static void on_sink(void *opaque, struct udp_pcb *pcb, struct pbuf *p,
                    const ip_addr_t *address, u16_t port)
{
    peer_stats->datagrams_received++;
    pbuf_free(p);
}

static void on_echo(void *opaque, struct udp_pcb *pcb, struct pbuf *p,
                    const ip_addr_t *address, u16_t port)
{
    peer_stats->datagrams_received++;
    send_datagram(pcb, p, address, port);
    pbuf_free(p);
}

/* Source */

static void stream_send(Stream *stream)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, stream->size, PBUF_RAM);
    uint8_t *data;

    if (!p) {
        return;
    }
    data = p->payload;
    stl_be_p(data, stream->sent);
    memcpy(data + 4, peer_pattern(0), stream->size - 4);
    send_datagram(source, p, &stream->address, stream->port);
    pbuf_free(p);
}

/* One datagram an event; a late timer makes the stream late, not faster. */
static void stream_work(void *opaque)
{
    Stream *stream = opaque;

    stream_send(stream);
    if (++stream->sent == stream->count) {
        stream->count = 0;
        return;
    }
    stream->next = MAX(stream->next + stream->gap,
                       qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    timer_mod(&stream->timer, stream->next);
}

static void stream_due(void *opaque)
{
    peer_run(stream_work, opaque);
}

/* The client's stream, which a new request replaces, or a free one. */
static Stream *stream_for(const ip_addr_t *address, uint16_t port)
{
    Stream *found = NULL;

    for (int i = 0; i < MAX_STREAMS; i++) {
        Stream *stream = &streams[i];

        if (stream->count && stream->port == port &&
            ip_addr_cmp(&stream->address, address)) {
            return stream;
        }
        if (!stream->count && !found) {
            found = stream;
        }
    }
    return found;
}

/* Begins a stream; returns what is wrong with the request, or NULL. */
static const char *stream_begin(const char *line, const ip_addr_t *address,
                                uint16_t port)
{
    uint64_t n[3];
    Stream *stream;

    if (peer_parse_numbers(line, n, 3) != 3) {
        return "error: expected COUNT SIZE GAP_NS\n";
    }
    if (n[0] < 1 || n[0] > UINT32_MAX) {
        return "error: COUNT must be 1 to 4294967295\n";
    }
    if (n[1] < MIN_SIZE || n[1] > MAX_SIZE) {
        return "error: SIZE must be 4 to 1472\n";
    }
    if (n[2] < MIN_GAP || n[2] > MAX_GAP) {
        return "error: GAP_NS must be 672 to 10000000000\n";
    }
    stream = stream_for(address, port);
    if (!stream) {
        return "error: 64 streams run already\n";
    }
    ip_addr_copy(stream->address, *address);
    stream->port = port;
    stream->count = n[0];
    stream->size = n[1];
    stream->gap = n[2];
    stream->sent = 0;
    stream->next = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + stream->gap;
    timer_mod(&stream->timer, stream->next);
    return NULL;
}

static void refuse(const char *why, const ip_addr_t *address, uint16_t port)
{
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, strlen(why), PBUF_RAM);

    peer_stats->bad_requests++;
    if (p) {
        memcpy(p->payload, why, strlen(why));
        send_datagram(source, p, address, port);
        pbuf_free(p);
    }
}

static void on_source(void *opaque, struct udp_pcb *pcb, struct pbuf *p,
                      const ip_addr_t *address, u16_t port)
{
    char line[LINE_MAX_LEN + 1];
    uint16_t len = pbuf_copy_partial(p, line, LINE_MAX_LEN, 0);
    const char *why;

    peer_stats->datagrams_received++;
    pbuf_free(p);
    line[len] = '\0';
    if (len && line[len - 1] == '\n') {
        line[len - 1] = '\0';
    }
    why = stream_begin(line, address, port);
    if (why) {
        refuse(why, address, port);
    }
}

static struct udp_pcb *serve(uint16_t port, udp_recv_fn on_datagram)
{
    struct udp_pcb *pcb = udp_new();

    udp_bind(pcb, IP4_ADDR_ANY, port);
    udp_recv(pcb, on_datagram, NULL);
    return pcb;
}

void peer_udp_init(void)
{
    serve(PEER_PORT_ECHO, on_echo);
    serve(PEER_PORT_SINK, on_sink);
    source = serve(PEER_PORT_SOURCE, on_source);
    for (int i = 0; i < MAX_STREAMS; i++) {
        timer_init_ns(&streams[i].timer, QEMU_CLOCK_VIRTUAL, stream_due,
                      &streams[i]);
    }
}

void peer_udp_reset(void)
{
    for (int i = 0; i < MAX_STREAMS; i++) {
        timer_del(&streams[i].timer);
        streams[i].count = 0;
    }
}
