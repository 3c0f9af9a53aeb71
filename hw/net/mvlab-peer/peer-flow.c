/*
 * The peer's TCP services: echo, sink, source; and when TCP acknowledges
 *
 * lwIP has no setting for the ACK policy, but the places to have one.  By
 * itself it marks a connection for an ACK at every second segment in order,
 * calls the service with the data, and then sends what is marked.  So the
 * service takes the marks away and sets its own.  The rest of TCP's ACKs (of
 * duplicates, gaps, FIN, window updates) do not come this way and stay as
 * they are: at once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "peer-int.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/tcp.h"

#define PSH_PERIOD      (64 * KiB)      /* of a source */
#define WRITE_MAX       (32 * KiB)      /* tcp_write() takes 16 bits */
#define LINE_MAX_LEN    24              /* 20 digits and a newline */
#define POLL_INTERVAL   2               /* lwIP's slow ticks of 500 ms */

typedef struct Flow Flow;

typedef struct Service {
    uint16_t port;
    bool nodelay;
    void (*data)(Flow *flow, struct pbuf *p);   /* takes @p over */
    void (*send)(Flow *flow);                   /* there may be room */
    bool (*done)(const Flow *flow);             /* nothing left to send */
} Service;

struct Flow {
    const Service *service;
    struct tcp_pcb *pcb;
    bool finished;              /* the client has sent FIN */
    bool shut;                  /* FIN is sent, or in the queue */
    bool refused;               /* the client's request makes no sense */

    /* Acknowledgements */
    QEMUTimer hold;
    uint32_t acked;             /* the last ACK when @pending was counted */
    uint32_t pending;           /* segments since then */

    /* Echo: pbufs to send back, the first of them from @used on */
    GQueue echo;
    uint16_t used;

    /* Source */
    char line[LINE_MAX_LEN];
    unsigned line_len;
    bool asked;
    bool endless;
    uint64_t left;              /* bytes to write, unless @endless */
    uint64_t offset;            /* bytes written */
};

static void flow_free(Flow *flow)
{
    timer_del(&flow->hold);
    while (!g_queue_is_empty(&flow->echo)) {
        pbuf_free(g_queue_pop_head(&flow->echo));
    }
    peer_stats->flows_open--;
    g_free(flow);
}

/* The connection goes on without its service. */
static struct tcp_pcb *flow_detach(Flow *flow)
{
    struct tcp_pcb *pcb = flow->pcb;

    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    tcp_err(pcb, NULL);
    flow_free(flow);
    return pcb;
}

/* Acknowledgements */

/* lwIP notes the last ACK it has sent for the sake of time stamps. */
static bool ack_pending(const struct tcp_pcb *pcb)
{
    return pcb->ts_lastacksent != pcb->rcv_nxt;
}

static void hold_work(void *opaque)
{
    Flow *flow = opaque;

    if (ack_pending(flow->pcb)) {
        tcp_send_empty_ack(flow->pcb);
    }
}

static void hold_expired(void *opaque)
{
    peer_run(hold_work, opaque);
}

/*
 * Decides about the ACK of a segment in order that has just come in; lwIP
 * sends it after the service has returned.  An ACK of any origin, with data
 * or without, begins the count again.
 */
static void acknowledge(Flow *flow)
{
    struct tcp_pcb *pcb = flow->pcb;

    tcp_clear_flags(pcb, TF_ACK_DELAY | TF_ACK_NOW);
    if (!ack_pending(pcb)) {
        return;
    }
    if (flow->acked != pcb->ts_lastacksent) {
        flow->acked = pcb->ts_lastacksent;
        flow->pending = 0;
    }
    if (++flow->pending >= peer_ack.segments || pcb->ooseq) {
        tcp_set_flags(pcb, TF_ACK_NOW);
        timer_del(&flow->hold);
    } else if (flow->pending == 1) {
        timer_mod(&flow->hold,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + peer_ack.hold);
    }
}

/* Sink */

static void sink_data(Flow *flow, struct pbuf *p)
{
    tcp_recved(flow->pcb, p->tot_len);
    pbuf_free(p);
}

static void sink_send(Flow *flow)
{
}

static bool sink_done(const Flow *flow)
{
    return flow->finished;
}

/* Echo */

/* Sends from one pbuf; false if there is no room for all of it. */
static bool echo_pbuf(Flow *flow, struct pbuf *p)
{
    uint16_t n = MIN(p->len - flow->used, tcp_sndbuf(flow->pcb));

    if (n && tcp_write(flow->pcb, (uint8_t *)p->payload + flow->used, n,
                       TCP_WRITE_FLAG_COPY) == ERR_OK) {
        flow->used += n;
        tcp_recved(flow->pcb, n);
    }
    return flow->used == p->len;
}

static void echo_send(Flow *flow)
{
    struct pbuf *p;

    while ((p = g_queue_peek_head(&flow->echo)) && echo_pbuf(flow, p)) {
        pbuf_free(g_queue_pop_head(&flow->echo));
        flow->used = 0;
    }
    tcp_output(flow->pcb);
}

/* Unread bytes stay in the window, so the guest cannot pile them up. */
static void echo_data(Flow *flow, struct pbuf *p)
{
    while (p) {
        struct pbuf *rest = p->next;

        if (rest) {
            pbuf_ref(rest);         /* p's own is what this takes away */
            pbuf_dechain(p);
        }
        g_queue_push_tail(&flow->echo, p);
        p = rest;
    }
    echo_send(flow);
}

static bool echo_done(const Flow *flow)
{
    return flow->finished && !flow->echo.length;
}

/* Source */

/* How much to write next; 0 while the buffer has no room worth a write. */
static uint16_t source_chunk(const Flow *flow)
{
    uint64_t left = flow->endless ? UINT64_MAX : flow->left;
    uint64_t room = tcp_sndbuf(flow->pcb);

    if (room < MIN(left, 2 * TCP_MSS)) {
        return 0;
    }
    return MIN(MIN(left, room),
               MIN(WRITE_MAX, PSH_PERIOD - flow->offset % PSH_PERIOD));
}

static void source_send(Flow *flow)
{
    uint16_t n;

    while (flow->asked && (n = source_chunk(flow))) {
        bool push = (flow->offset + n) % PSH_PERIOD == 0 ||
                    (!flow->endless && n == flow->left);

        if (tcp_write(flow->pcb, peer_pattern(flow->offset), n,
                      push ? 0 : TCP_WRITE_FLAG_MORE) != ERR_OK) {
            break;
        }
        flow->offset += n;
        flow->left -= flow->endless ? 0 : n;
    }
    tcp_output(flow->pcb);
}

/* The line is complete: false if it is no number. */
static bool source_ask(Flow *flow)
{
    flow->line[flow->line_len] = '\0';
    if (peer_parse_numbers(flow->line, &flow->left, 1) != 1) {
        return false;
    }
    flow->asked = true;
    flow->endless = flow->left == 0;
    return true;
}

/* One byte from the client; what follows the line is ignored. */
static bool source_byte(Flow *flow, char c)
{
    if (c == '\r') {
        return true;
    }
    if (c == '\n') {
        return source_ask(flow);
    }
    if (flow->line_len == LINE_MAX_LEN - 1) {
        return false;
    }
    flow->line[flow->line_len++] = c;
    return true;
}

static void source_data(Flow *flow, struct pbuf *p)
{
    for (unsigned i = 0; !flow->asked && !flow->refused && i < p->tot_len;
         i++) {
        flow->refused = !source_byte(flow, pbuf_get_at(p, i));
    }
    tcp_recved(flow->pcb, p->tot_len);
    pbuf_free(p);
    source_send(flow);
}

static bool source_done(const Flow *flow)
{
    return flow->asked && !flow->endless ? flow->left == 0 : flow->finished;
}

static const Service services[] = {
    { PEER_PORT_ECHO, true, echo_data, echo_send, echo_done },
    { PEER_PORT_SINK, false, sink_data, sink_send, sink_done },
    { PEER_PORT_SOURCE, false, source_data, source_send, source_done },
};

/* Events of a connection */

/*
 * Closes a connection that both sides have finished; one that only this side
 * has is shut, since lwIP answers with RST if data and FIN come together and
 * the data make the service close.
 */
static err_t close_if_done(Flow *flow)
{
    if (flow->refused) {
        peer_stats->bad_requests++;
        tcp_abort(flow_detach(flow));
        return ERR_ABRT;
    }
    if (!flow->service->done(flow)) {
        return ERR_OK;
    }
    if (flow->finished) {
        tcp_close(flow_detach(flow));
    } else if (!flow->shut) {
        flow->shut = true;
        tcp_shutdown(flow->pcb, 0, 1);
    }
    return ERR_OK;
}

static err_t on_data(void *opaque, struct tcp_pcb *pcb, struct pbuf *p,
                     err_t err)
{
    Flow *flow = opaque;

    if (p) {
        peer_stats->payload_received += p->tot_len;
        acknowledge(flow);
        flow->service->data(flow, p);
    } else {
        flow->finished = true;
        tcp_ack_now(pcb);
    }
    return close_if_done(flow);
}

static err_t on_sent(void *opaque, struct tcp_pcb *pcb, u16_t len)
{
    Flow *flow = opaque;

    flow->service->send(flow);
    return close_if_done(flow);
}

/* A second chance for a write that found no memory. */
static err_t on_poll(void *opaque, struct tcp_pcb *pcb)
{
    return on_sent(opaque, pcb, 0);
}

/* The connection is gone already. */
static void on_error(void *opaque, err_t err)
{
    peer_stats->flows_failed++;
    flow_free(opaque);
}

static err_t on_accept(void *opaque, struct tcp_pcb *pcb, err_t err)
{
    Flow *flow;

    if (err != ERR_OK || !pcb) {
        return ERR_VAL;
    }
    flow = g_new0(Flow, 1);
    flow->service = opaque;
    flow->pcb = pcb;
    flow->acked = pcb->ts_lastacksent;
    g_queue_init(&flow->echo);
    timer_init_ns(&flow->hold, QEMU_CLOCK_VIRTUAL, hold_expired, flow);
    peer_stats->flows_opened++;
    peer_stats->flows_open++;
    if (flow->service->nodelay) {
        tcp_nagle_disable(pcb);
    }
    tcp_arg(pcb, flow);
    tcp_recv(pcb, on_data);
    tcp_sent(pcb, on_sent);
    tcp_poll(pcb, on_poll, POLL_INTERVAL);
    tcp_err(pcb, on_error);
    return ERR_OK;
}

void peer_flow_init(void)
{
    for (int i = 0; i < ARRAY_SIZE(services); i++) {
        struct tcp_pcb *pcb = tcp_new();

        tcp_bind(pcb, IP4_ADDR_ANY, services[i].port);
        pcb = tcp_listen(pcb);
        tcp_arg(pcb, (void *)&services[i]);
        tcp_accept(pcb, on_accept);
    }
}

void peer_flow_reset(void)
{
    while (tcp_active_pcbs) {
        tcp_abandon(tcp_active_pcbs, 0);
    }
    while (tcp_tw_pcbs) {
        tcp_abandon(tcp_tw_pcbs, 0);
    }
}
