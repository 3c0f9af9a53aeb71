/*
 * Kernel oracle: coalescing
 *
 * A train of packets written to a tap with NAPI goes through GRO and over a
 * bridge to a tap that may be given super-frames.  The tap is polled in a
 * thread on the writer's CPU that runs only when the writer waits, so one
 * train is one poll; without gro_flush_timeout the end of the poll delivers
 * everything, and neither timers nor age play a part.  A scheduler that has
 * let others wait for long may all the same run the thread in mid-train: a
 * train that differs is sent again, since the kernel's rules do not change.
 *
 * What a tap cannot be given (fixed IP IDs) the kernel cuts again; the same
 * is done with the library's before they are compared.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include "oracle.h"
#include "oracle-net.h"

#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

/* A poll takes at most 64 packets; the sentinel may be in it. */
#define TRAIN_MAX 62
#define FLOWS_MAX 10
#define QUIET_MS 2000
#define ATTEMPTS 5

typedef struct Train {
    unsigned n;
    Frame frame[TRAIN_MAX];
    /* Order and verdicts may differ; see docs/gso.md. */
    bool overtakes;
    /* Linux does not compare this field, so it is lost in a merge. */
    bool urgent;
} Train;

typedef struct Flow {
    Frame frame;
    uint32_t mss;
    bool fixed_id;
} Flow;

/* Changes to a packet that stop it from being joined, or ought to. */
typedef void Mutation(Oracle *o, Train *t, Frame *f);

static void m_ack(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->ack += frame_below(&o->random, 3);
}

static void m_window(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->window ^= (uint16_t)frame_below(&o->random, 4);
}

static void m_flags(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->flags |= (uint8_t)(1 << frame_below(&o->random, 7));
}

static void m_cwr(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->flags |= 0x80;
}

static void m_reserved(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->reserved ^= 1;
}

static void m_push(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->flags |= 8;
}

static void m_ttl(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->ttl ^= 2;
}

static void m_tos(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->tos ^= (uint8_t)(1 << frame_below(&o->random, 8));
}

static void m_df(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->df ^= true;
}

static void m_id(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->id += (uint16_t)frame_below(&o->random, 4);
}

static void m_reserved_bit(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->frag |= 0x8000;
}

static void m_seq(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->seq += frame_below(&o->random, 3) - 1;
}

static void m_options(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->opt_fill++;
}

static void m_option_length(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->tcp_opts = (uint8_t)(f->tcp_opts ? f->tcp_opts - 4 : 4);
}

static void m_shorter(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->payload = frame_below(&o->random, f->payload + 1);
}

static void m_longer(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->payload += frame_below(&o->random, 3);
}

static void m_empty(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->payload = 0;
}

static void m_label(Oracle *o, Train *t, Frame *f)
{
    (void)t;
    f->label ^= 1u << frame_below(&o->random, 20);
}

static void m_ext(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->ext_fill ^= 1;
}

static void m_tci(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->tci[0] ^= 0x2001;
}

static void m_mac(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->dmac ^= 4; /* not the source, which the bridge has learnt */
}

static void m_partial(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    (void)t;
    f->csum = FRAME_CSUM_PARTIAL;
}

static void m_padded(Oracle *o, Train *t, Frame *f)
{
    f->pad = (uint8_t)(1 + frame_below(&o->random, 6));
    t->overtakes |= f->udp;
}

static void m_bad_csum(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    f->csum = FRAME_CSUM_BAD;
    t->overtakes = true;
}

static void m_bad_ip_csum(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    f->bad_ip_csum = true;
    t->overtakes |= !f->v6;
}

static void m_ip_options(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    f->ip_opts = f->v6 ? 0 : 4;
    t->overtakes |= !f->v6;
}

static void m_fragment(Oracle *o, Train *t, Frame *f)
{
    f->frag |= frame_below(&o->random, 2) ? 0x2000 : 0x0007;
    t->overtakes |= !f->v6;
}

static void m_no_csum(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    f->csum = f->udp ? FRAME_CSUM_ZERO : f->csum;
    t->overtakes |= f->udp;
}

static void m_urgent(Oracle *o, Train *t, Frame *f)
{
    (void)o;
    f->urgent++;
    t->urgent |= !f->udp;
}

static Mutation *const mutations[] = {
    m_ack, m_window, m_flags, m_cwr, m_reserved, m_push, m_push, m_ttl,
    m_tos, m_df, m_id, m_reserved_bit, m_seq, m_options, m_option_length,
    m_shorter, m_shorter, m_longer, m_empty, m_label, m_ext, m_tci, m_mac,
    m_partial, m_partial, m_padded, m_bad_csum, m_bad_ip_csum, m_ip_options,
    m_fragment, m_no_csum, m_urgent,
};

#define MUTATIONS (sizeof(mutations) / sizeof(mutations[0]))

static void random_flow(Oracle *o, Flow *flow, bool udp)
{
    static const uint16_t sizes[] = { 1, 8, 100, 536, 1000, 1300 };
    FrameRandom *r = &o->random;
    Frame *f = &flow->frame;

    oracle_random_frame(o, f);
    f->udp = udp && frame_below(r, 2);
    f->tags = o->seen[B_TAG_GRO] ? f->tags : 0;
    f->ext_hdrs = (uint8_t)(f->v6 && !frame_below(r, 4) ? 1 : 0);
    f->tcp_opts = f->udp ? 0 : f->tcp_opts;
    f->flags = 0x10;
    f->urgent = 0;
    flow->mss = sizes[frame_below(r, 6)];
    flow->fixed_id = f->df && frame_below(r, 2);
    f->payload = flow->mss;
}

static void step(Flow *flow)
{
    flow->frame.seq += flow->frame.payload;
    flow->frame.id = (uint16_t)(flow->frame.id + !flow->fixed_id);
    flow->frame.payload = flow->mss;
    flow->frame.fill++;
}

/* Two packets of a flow with the same IP ID, though DF is clear? */
static bool same_id_without_df(const Train *t)
{
    for (unsigned i = 0; i < t->n; i++) {
        const Frame *a = &t->frame[i];

        for (unsigned k = 0; k < i; k++) {
            const Frame *b = &t->frame[k];

            if (!a->v6 && !a->df && !b->df && a->id == b->id &&
                a->sport == b->sport) {
                return true;
            }
        }
    }
    return false;
}

static void random_train(Oracle *o, Train *t)
{
    FrameRandom *r = &o->random;
    unsigned flows = 1 + frame_below(r, frame_below(r, 3) ? 3 : FLOWS_MAX);
    unsigned rate = 4 + frame_below(r, 60);
    bool udp = o->seen[B_UDP_GRO] && frame_below(r, 2);
    Flow flow[FLOWS_MAX];

    t->n = 1 + frame_below(r, TRAIN_MAX);
    t->overtakes = t->urgent = false;
    for (unsigned i = 0; i < flows; i++) {
        random_flow(o, &flow[i], udp);
    }
    for (unsigned i = 0; i < t->n; i++) {
        Flow *fl = &flow[frame_below(r, flows)];
        Frame *f = &t->frame[i];

        *f = fl->frame;
        if (!frame_below(r, rate)) {
            mutations[frame_below(r, MUTATIONS)](o, t, f);
            t->overtakes |= f->udp && !f->payload;
            if (frame_below(r, 2)) {
                /* The change stays, as far as it is the stream's. */
                fl->frame.ack = f->ack;
                fl->frame.ttl = f->ttl;
                fl->frame.seq = f->seq;
                fl->frame.flags = f->flags & 0xd0;
                fl->frame.payload = f->payload;
            }
        }
        step(fl);
    }
    t->overtakes |= o->seen[B_FIXED_NO_DF] && same_id_without_df(t);
}

static unsigned packets_seen(const List *list)
{
    unsigned n = 0;

    for (unsigned i = 0; i < list->n; i++) {
        n += list->entry[i].meta.segs;
    }
    return n;
}

static void send_train(Oracle *o, const Train *t)
{
    static uint8_t buf[TRAIN_MAX][2048];
    static uint8_t big[FRAME_MAX];
    size_t len[TRAIN_MAX];

    for (unsigned i = 0; i < t->n; i++) {
        len[i] = frame_build(&t->frame[i], big);
        memcpy(buf[i], big, len[i]);
    }
    list_clear(&o->kernel);
    net_undisturbed(true);
    for (unsigned i = 0; i < t->n; i++) {
        GsoMeta meta = oracle_meta(&t->frame[i], 0);

        oracle_write(o, buf[i], len[i], &meta);
    }
    net_undisturbed(false);
    /* The sentinel is not to be in the same poll: first see all packets. */
    while (packets_seen(&o->kernel) < t->n && net_wait(o->out, QUIET_MS)) {
        oracle_read(o);
    }
    oracle_finish(o);
}

static void deliver(void *opaque, const GsoFrame *frame)
{
    Oracle *o = opaque;

    list_add(&o->mine, frame->iov, frame->iovcnt, &frame->meta);
}

static void join(Oracle *o, const Train *t)
{
    static uint8_t buf[TRAIN_MAX][2048];
    static uint8_t big[FRAME_MAX];
    static uint8_t mem[1 << 20];
    const GsoGroConfig cfg = {
        .buckets = 1,
        .depth = 8,
        .max_segs = TRAIN_MAX + 2,
        .max_iov = TRAIN_MAX + 2,
        .types = (uint8_t)(1 << GSO_TYPE_TCPV4 | 1 << GSO_TYPE_TCPV6 |
                           o->seen[B_UDP_GRO] << GSO_TYPE_UDP_L4),
        .accecn = !o->seen[B_CWR_FIRST],
        .deliver = deliver,
        .opaque = o,
    };
    GsoGro *gro = gso_gro_init(mem, sizeof(mem), &cfg);

    if (!gro) {
        fprintf(stderr, "gso-oracle: coalescer does not start\n");
        exit(2);
    }
    list_clear(&o->mine);
    for (unsigned i = 0; i < t->n; i++) {
        GsoMeta meta = oracle_meta(&t->frame[i], 0);
        struct iovec iov = { buf[i], frame_build(&t->frame[i], big) };
        GsoPacket packet = { &iov, 1, NULL, &meta };

        memcpy(buf[i], big, iov.iov_len);
        gso_gro_receive(gro, &packet, 0);
    }
    gso_gro_poll_end(gro, 0);
}

/*
 * Can the kernel hand this super-frame to the tap in one piece?  With tags
 * and with CWR it depends on more than the tap; those are always cut.
 */
static bool tap_carries(const Oracle *o, const Entry *e)
{
    const GsoMeta *m = &e->meta;
    uint16_t type = frame_u16(e->p + 12);

    if (type == 0x8100 || type == 0x88a8 ||
        (m->type == GSO_TYPE_UDP_L4 && !o->seen[B_USO_READ])) {
        return false;
    }
    if (m->type == GSO_TYPE_UDP_L4) {
        return true; /* Linux does not remember fixed IDs of datagrams */
    }
    return m->type != GSO_TYPE_NONE && !m->fixed_id && !m->ecn;
}

/*
 * Cut what the tap cannot be given, or everything; complete the checksums of
 * ordinary frames.
 */
static void expand(List *list, List *scratch, const Oracle *o, bool all)
{
    List t;

    list_clear(scratch);
    for (unsigned i = 0; i < list->n; i++) {
        const Entry *e = &list->entry[i];
        struct iovec iov = { e->p, e->len };

        if (all || !tap_carries(o, e)) {
            list_expand(scratch, e);
        } else {
            list_add(scratch, &iov, 1, &e->meta);
        }
    }
    t = *list;
    *list = *scratch;
    *scratch = t;
}

/*
 * Linux loses the IP IDs of UDP trains if they are all the same; what it
 * cuts again counts up.  Put them, and the checksums over them, aside.
 */
static void forget_udp_ids(List *list)
{
    for (unsigned i = 0; i < list->n; i++) {
        struct iovec iov = { list->entry[i].p, list->entry[i].len };
        uint8_t *ip;
        GsoLayout l;

        gso_parse(&iov, 1, &l);
        ip = list->entry[i].p + l.l2_len;
        if (l.l3 == GSO_L3_IPV4 && l.l4_proto == GSO_IPPROTO_UDP) {
            memset(ip + 4, 0, 2);
            memset(ip + 10, 0, 2);
        }
    }
}

/* Linux loses the urgent pointer of all packets but the first of a frame. */
static void forget_urgent(List *list)
{
    for (unsigned i = 0; i < list->n; i++) {
        struct iovec iov = { list->entry[i].p, list->entry[i].len };
        GsoLayout l;

        gso_parse(&iov, 1, &l);
        if (l.l4_off && l.l4_proto == GSO_IPPROTO_TCP) {
            memset(list->entry[i].p + l.l4_off + 16, 0, 4);
        }
    }
}

static int compare(Oracle *o, const Train *t, List *scratch)
{
    bool loose = t->overtakes || t->urgent;
    int where;

    expand(&o->mine, scratch, o, loose);
    expand(&o->kernel, scratch, o, loose);
    if (loose) {
        forget_udp_ids(&o->mine);
        forget_udp_ids(&o->kernel);
        if (t->urgent) {
            forget_urgent(&o->mine);
            forget_urgent(&o->kernel);
        }
        list_sort(&o->mine);
        list_sort(&o->kernel);
    }
    where = list_differ(&o->kernel, &o->mine);
    for (unsigned i = 0; !loose && where < 0 && i < o->kernel.n; i++) {
        const GsoMeta *a = &o->kernel.entry[i].meta;
        const GsoMeta *b = &o->mine.entry[i].meta;

        if (a->type != b->type || a->gso_size != b->gso_size) {
            where = (int)i;
        }
    }
    return where;
}

/*
 * Two packets of a flow, the first with CWR, and one of another flow between
 * them: joined, the two come out together.
 */
static bool probe_cwr(Oracle *o)
{
    Train t = {
        .n = 3,
        .frame = {
            { .payload = 100, .flags = 0x90 },
            { .payload = 100, .sport = 1 },
            { .payload = 100, .id = 1, .seq = 100 },
        },
    };

    send_train(o, &t);
    return o->kernel.n == 2 ||
           (o->kernel.n == 3 && frame_u16(o->kernel.entry[1].p + 34) == 1000);
}

static bool probe_fixed_id(Oracle *o)
{
    Train t = {
        .n = 3,
        .frame = {
            { .payload = 100 },
            { .payload = 100, .sport = 1 },
            { .payload = 100, .seq = 100 },
        },
    };

    send_train(o, &t);
    return o->kernel.n == 2 ||
           (o->kernel.n == 3 && frame_u16(o->kernel.entry[1].p + 34) == 1000);
}

static bool probe_udp(Oracle *o)
{
    Train t = { .n = 2 };

    for (int i = 0; i < 2; i++) {
        t.frame[i] = (Frame) {
            .udp = true, .payload = 100, .id = (uint16_t)i,
        };
    }
    send_train(o, &t);
    return o->kernel.n == 1;
}

/* A plain packet that is held, and one with a tag. */
static bool probe_tags(Oracle *o)
{
    Train t = {
        .n = 2,
        .frame = { { .payload = 100 }, { .payload = 100, .tags = 1 } },
    };

    /* A packet that is not held either comes out first. */
    send_train(o, &t);
    return o->kernel.n == 2 && frame_u16(o->kernel.entry[0].p + 12) == 0x0800;
}

static int set_up(Oracle *o)
{
    const unsigned tso = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;

    o->in = net_tap("gsoc", IFF_VNET_HDR | IFF_NAPI);
    o->out = net_tap("gsod", IFF_VNET_HDR);
    o->out_vnet = true;
    if (o->in < 0 || o->out < 0) {
        return 2;
    }
    o->seen[B_USO_READ] =
        !ioctl(o->out, TUNSETOFFLOAD, tso | TUN_F_USO4 | TUN_F_USO6);
    if (!o->seen[B_USO_READ] && ioctl(o->out, TUNSETOFFLOAD, tso)) {
        perror("gso-oracle: TUNSETOFFLOAD");
        return 2;
    }
    if (net_feature("gsoc", "rx-udp-gro-forwarding") < 0 || net_up("gsoc") ||
        net_up("gsod") || net_bridge("gsobr2", "gsoc", "gsod")) {
        return 2;
    }
    if (net_threaded("gsoc")) {
        printf("no right to schedule kernel threads\n");
        return 77;
    }
    o->seen[B_CWR_FIRST] = probe_cwr(o);
    o->seen[B_FIXED_NO_DF] = probe_fixed_id(o);
    o->seen[B_TAG_GRO] = probe_tags(o);
    o->seen[B_UDP_GRO] = o->seen[B_USO_READ] && probe_udp(o);
    return 0;
}

typedef struct Totals {
    unsigned strict, loose;       /* trains, by what is compared */
    unsigned again;               /* attempts beyond the first */
    unsigned long packets, supers;
} Totals;

static unsigned count_supers(const List *list)
{
    unsigned n = 0;

    for (unsigned i = 0; i < list->n; i++) {
        n += list->entry[i].meta.segs > 1;
    }
    return n;
}

/* Send a train through both until they agree; where they differ, or -1. */
static int judge(Oracle *o, const Train *t, List *scratch, Totals *totals)
{
    unsigned supers = 0;
    int where = 0;

    for (unsigned i = 0; where >= 0 && i < ATTEMPTS; i++) {
        totals->again += i > 0;
        send_train(o, t);
        join(o, t);
        supers = count_supers(&o->mine);
        where = compare(o, t, scratch);
    }
    totals->supers += supers;
    totals->packets += t->n;
    totals->loose += t->overtakes || t->urgent;
    totals->strict += !(t->overtakes || t->urgent);
    return where;
}

int oracle_coalesce(Oracle *o, unsigned trains, unsigned first)
{
    Totals totals = { 0 };
    List scratch = list_new();
    int ret = set_up(o);

    if (ret) {
        return ret;
    }
    oracle_print_behaviours(o, B_USO_READ, B_USO_READ);
    oracle_print_behaviours(o, B_CWR_FIRST, B_FIXED_NO_DF);
    for (unsigned i = first; !ret && i < first + trains; i++) {
        Train t;
        int where;

        o->random.state = o->seed + ((uint64_t)i << 32) + 1;
        random_train(o, &t);
        where = judge(o, &t, &scratch, &totals);
        if (where >= 0) {
            ret = oracle_report(o, "coalescing", i, where);
        }
    }
    printf("coalescing: %u trains by verdict and order, %u by content, "
           "%lu packets, %lu super-frames, %u sent again, %s\n",
           totals.strict, totals.loose, totals.packets, totals.supers,
           totals.again, ret ? "DIFFERENT" : "all equal");
    return ret;
}
