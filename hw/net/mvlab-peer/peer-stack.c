/*
 * The peer's TCP/IP stack: lwIP on the virtual clock
 *
 * lwIP is called from three kinds of events: a frame from the guest, a timer
 * of the virtual clock, and the device's notice that its queue has room.
 * What it sends goes to the device's queue, never to the guest directly.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/ctype.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "peer-int.h"
#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/stats.h"
#include "lwip/sys.h"
#include "lwip/udp.h"
#include "netif/ethernet.h"
#include "peer-hooks.h"

#define HEAP_LIMIT      (256 * MiB)
#define TICK_NS         (TCP_TMR_INTERVAL * SCALE_MS)
#define TICKS_PER_ARP   (ARP_TMR_INTERVAL / TCP_TMR_INTERVAL)
#define PATTERN_SIZE    (64 * KiB + PEER_PATTERN_PERIOD)
#define FAR_AWAY        ((int32_t)GiB)          /* of sequence numbers */
#define HEADERS         (14 + 20 + 20)      /* Ethernet, IPv4, TCP */

/*
 * Zeros behind each frame: lwIP's option parser may look two bytes beyond a
 * header, and ARP reads its packet whatever the length of the frame.
 */
#define READ_AHEAD      64

uint32_t peer_window;
uint32_t peer_scale_plus_one;
uint16_t peer_ooseq_limit;
PeerStats *peer_stats;
PeerAckPolicy peer_ack = { .segments = 1 };

static struct {
    struct netif netif;
    PeerOutput *output;
    void *opaque;
    QEMUTimer *tick;
    unsigned ticks;
    uint64_t random;
    uint64_t isn_key;
    size_t heap;                    /* bytes in use */
    bool stopped;
    sigjmp_buf escape;
    uint8_t pattern[PATTERN_SIZE];
} stack;

/* What lwIP asks of its environment */

void peer_assertion_failed(const char *what, const char *file, int line)
{
    peer_stats->assertions++;
    stack.stopped = true;
    error_report("mvlab-peer: lwIP's assertion \"%s\" failed at %s:%d: "
                 "the peer is silent from now on", what, file, line);
    siglongjmp(stack.escape, 1);
}

void peer_run(void (*work)(void *opaque), void *opaque)
{
    if (!stack.stopped && sigsetjmp(stack.escape, 0) == 0) {
        work(opaque);
    }
}

/* In front of each block: its size, in the space of the largest alignment. */
#define BLOCK_HEADER    16

void *peer_malloc(size_t size)
{
    uint8_t *block = NULL;

    if (size <= HEAP_LIMIT - stack.heap) {
        block = g_try_malloc(BLOCK_HEADER + size);
    }
    if (!block) {
        return NULL;
    }
    stack.heap += size;
    memcpy(block, &size, sizeof(size));
    return block + BLOCK_HEADER;
}

void *peer_calloc(size_t count, size_t size)
{
    void *block = size && count > SIZE_MAX / size ? NULL :
                  peer_malloc(count * size);

    return block ? memset(block, 0, count * size) : NULL;
}

void peer_free(void *block)
{
    uint8_t *start;
    size_t size;

    if (!block) {
        return;
    }
    start = (uint8_t *)block - BLOCK_HEADER;
    memcpy(&size, start, sizeof(size));
    stack.heap -= size;
    g_free(start);
}

/* The finalizer of SplitMix64: every bit of @x changes half of the result. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

uint32_t peer_random(void)
{
    stack.random += 0x9e3779b97f4a7c15ull;
    return mix(stack.random);
}

uint32_t sys_now(void)
{
    return qemu_clock_get_ms(QEMU_CLOCK_VIRTUAL);
}

/* The tick never stops. */
void tcp_timer_needed(void)
{
}

/* RFC 6528: a clock of 4 us plus a keyed function of the connection */
u32_t peer_hook_isn(const ip_addr_t *local, u16_t local_port,
                    const ip_addr_t *remote, u16_t remote_port)
{
    uint64_t clock = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) / 4000;
    uint64_t ports = (uint64_t)local_port << 16 | remote_port;
    uint64_t hosts = (uint64_t)ip4_addr_get_u32(local) << 32 |
                     ip4_addr_get_u32(remote);

    return clock + mix(mix(hosts ^ stack.isn_key) ^ ports);
}

/*
 * Counts a segment of a connection.  One that is about half the number space
 * away is not for lwIP, whose comparisons fail there: its assertion "insane
 * offset!" could be reached.
 */
err_t peer_hook_segment(struct tcp_pcb *pcb, const struct tcp_hdr *hdr,
                        const struct pbuf *payload)
{
    int32_t ahead;

    if (pcb->state == LISTEN) {
        return ERR_OK;      /* lwIP's struct for these is a shorter one */
    }
    ahead = hdr->seqno - pcb->rcv_nxt;
    if (ahead > FAR_AWAY || ahead < -FAR_AWAY) {
        peer_stats->drop_far_away++;
        return ERR_VAL;
    }
    if (payload->tot_len) {
        peer_stats->segments_received++;
        peer_stats->segments_duplicate += ahead < 0;
        peer_stats->segments_out_of_order += ahead > 0;
    }
    return ERR_OK;
}

/* Frames to the guest */

static void count_segment(const uint8_t *frame, size_t len)
{
    const struct ip_hdr *ip = (const void *)(frame + 14);
    const struct tcp_hdr *tcp = (const void *)(frame + 14 + IP_HLEN);
    size_t payload;

    if (len < HEADERS || lduw_be_p(frame + 12) != ETHTYPE_IP ||
        IPH_PROTO(ip) != IP_PROTO_TCP) {
        return;
    }
    payload = lwip_ntohs(IPH_LEN(ip)) - IP_HLEN - TCPH_HDRLEN_BYTES(tcp);
    if (payload) {
        peer_stats->segments_sent++;
    } else if (TCPH_FLAGS(tcp) == TCP_ACK) {
        peer_stats->acks_sent++;
    }
}

static err_t link_output(struct netif *netif, struct pbuf *p)
{
    uint8_t frame[PEER_MAX_FRAME];
    size_t len = p->tot_len;

    if (len > sizeof(frame)) {
        peer_stats->drop_oversize++;
        return ERR_BUF;
    }
    pbuf_copy_partial(p, frame, len, 0);
    if (!stack.output(stack.opaque, frame, len)) {
        return ERR_MEM;
    }
    count_segment(frame, len);
    return ERR_OK;
}

/* Frames from the guest */

typedef struct Frame {
    const uint8_t *data;
    size_t len;
} Frame;

static void input_work(void *opaque)
{
    const Frame *frame = opaque;
    struct pbuf *p;

    p = pbuf_alloc(PBUF_RAW, frame->len + READ_AHEAD, PBUF_RAM);
    if (!p) {
        lwip_stats.link.memerr++;
        return;
    }
    memcpy(p->payload, frame->data, frame->len);
    memset((uint8_t *)p->payload + frame->len, 0, READ_AHEAD);
    pbuf_realloc(p, frame->len);
    if (stack.netif.input(p, &stack.netif) != ERR_OK) {
        pbuf_free(p);
    }
}

/* Unicast to someone else; lwIP looks at the IPv4 address only. */
static bool for_others(const uint8_t *frame, size_t len)
{
    return len >= ETH_HWADDR_LEN && !(frame[0] & 1) &&
           memcmp(frame, stack.netif.hwaddr, ETH_HWADDR_LEN);
}

void peer_stack_input(const uint8_t *data, size_t len)
{
    Frame frame = { data, len };

    if (stack.stopped) {
        peer_stats->drop_stopped++;
    } else if (for_others(data, len)) {
        peer_stats->drop_other_address++;
    } else {
        peer_run(input_work, &frame);
    }
}

/* Time */

static void tick_work(void *opaque)
{
    tcp_tmr();
    if (++stack.ticks % TICKS_PER_ARP == 0) {
        etharp_tmr();
    }
}

/* Ticks are at multiples of their period, whenever the peer was made. */
static void arm_tick(void)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    timer_mod(stack.tick, (now / TICK_NS + 1) * TICK_NS);
}

static void tick(void *opaque)
{
    arm_tick();
    peer_run(tick_work, NULL);
}

static void resume_work(void *opaque)
{
    tcp_txnow();
}

void peer_stack_resume(void)
{
    peer_run(resume_work, NULL);
}

/* For the services */

const uint8_t *peer_pattern(uint64_t offset)
{
    return stack.pattern + offset % PEER_PATTERN_PERIOD;
}

unsigned peer_parse_numbers(const char *line, uint64_t *numbers, unsigned max)
{
    unsigned n = 0;

    while (n < max) {
        char *end;

        if (!qemu_isdigit(*line)) {
            return 0;
        }
        errno = 0;
        numbers[n++] = g_ascii_strtoull(line, &end, 10);
        if (errno) {
            return 0;
        }
        if (*end == '\0') {
            return n;
        }
        if (*end != ' ') {
            return 0;
        }
        line = end + 1;
    }
    return 0;
}

/* Life */

static err_t netif_work(struct netif *netif)
{
    const PeerConfig *config = netif->state;

    netif->name[0] = 'p';
    netif->name[1] = 'r';
    netif->hwaddr_len = ETH_HWADDR_LEN;
    memcpy(netif->hwaddr, config->mac, ETH_HWADDR_LEN);
    netif->mtu = PEER_MTU;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP |
                   NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    netif->output = etharp_output;
    netif->linkoutput = link_output;
    return ERR_OK;
}

static void start_work(void *opaque)
{
    PeerConfig *config = opaque;
    ip4_addr_t address, mask, gateway;

    ip4_addr_set_u32(&address, lwip_htonl(config->address));
    ip4_addr_set_u32(&mask, lwip_htonl(UINT32_MAX << (32 - config->prefix)));
    ip4_addr_set_zero(&gateway);
    lwip_init();
    netif_add(&stack.netif, &address, &mask, &gateway, config, netif_work,
              ethernet_input);
    netif_set_default(&stack.netif);
    netif_set_up(&stack.netif);
    peer_flow_init();
    peer_udp_init();
}

/* The smallest scale with which 16 bits hold the window: RFC 7323. */
static unsigned scale_of(uint32_t window)
{
    unsigned scale = 0;

    while (window >> scale > UINT16_MAX) {
        scale++;
    }
    return scale;
}

void peer_stack_start(const PeerConfig *config, PeerStats *stats,
                      PeerOutput *output, void *opaque)
{
    PeerConfig copy = *config;

    peer_stats = stats;
    stack.output = output;
    stack.opaque = opaque;
    stack.random = config->seed;
    stack.isn_key = mix(config->seed + 1);
    for (unsigned i = 0; i < PATTERN_SIZE; i++) {
        stack.pattern[i] = i % PEER_PATTERN_PERIOD;
    }
    peer_window = config->window;
    peer_scale_plus_one = scale_of(config->window) + 1;
    peer_ooseq_limit = MIN(config->window / (TCP_MSS / 2) + 64, 50000);
    peer_run(start_work, &copy);
    stack.netif.state = NULL;
    stack.tick = timer_new_ns(QEMU_CLOCK_VIRTUAL, tick, NULL);
    arm_tick();
}

static void reset_work(void *opaque)
{
    peer_flow_reset();
    peer_udp_reset();
    etharp_cleanup_netif(&stack.netif);
}

void peer_stack_reset(void)
{
    peer_run(reset_work, NULL);
}

void peer_stack_stop(void)
{
    peer_stack_reset();
    timer_free(stack.tick);
    stack.tick = NULL;
    stack.stopped = true;
}

void peer_stack_set_ack(const PeerAckPolicy *policy)
{
    peer_ack = *policy;
}

void peer_stack_count(void)
{
    const struct stats_proto *protocols[] = {
        &lwip_stats.link, &lwip_stats.etharp, &lwip_stats.ip,
        &lwip_stats.icmp, &lwip_stats.udp, &lwip_stats.tcp,
    };
    PeerStats *s = peer_stats;

    s->checksum_errors = 0;
    s->drop_malformed = 0;
    s->drop_protocol = 0;
    s->drop_memory = 0;
    for (int i = 0; i < ARRAY_SIZE(protocols); i++) {
        s->checksum_errors += protocols[i]->chkerr;
        s->drop_malformed += protocols[i]->lenerr + protocols[i]->opterr;
        s->drop_protocol += protocols[i]->proterr;
        s->drop_memory += protocols[i]->memerr;
    }
}
