/*
 * Kernel oracle: the running kernel and net/gso must agree, byte for byte
 *
 * Random super-frames and trains of packets go through two taps and a bridge
 * in a network namespace of their own, and through the library.  A seed is
 * printed; the same seed makes the same cases.
 *
 * Exit status: 0 equal, 1 different, 2 bad usage or no set-up, 77 skipped.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/random.h>
#include <sys/utsname.h>

#include "oracle.h"
#include "oracle-net.h"

#define WAIT_MS 10000

enum {
    LITTLE_ENDIAN_HOST = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
};

static const char *const behaviours[B_COUNT] = {
    [B_USO_WRITE] = "uso-write: a tap takes UDP super-frames",
    [B_USO_READ] = "uso-read: a tap can be given UDP super-frames",
    [B_MIN_GSO_SIZE] = "min-gso-size: TCP gso_size below 8 becomes 8",
    [B_TAIL_DROPPED] = "tail-dropped: a super-frame whose payload is at most "
                       "MSS, but not with TCP options, is dropped",
    [B_TAIL_ALL] = "tail-all: without NEEDS_CSUM all headers but 20 bytes "
                   "count as payload there",
    [B_ECN_IS_ACCECN] = "ecn-is-accecn: the ECN bit keeps CWR on all "
                        "segments",
    [B_CWR_FIRST] = "cwr-first: a packet with CWR may be first of a train",
    [B_UDP_GRO] = "udp-gro: UDP trains are joined for a bridge",
    [B_TAG_GRO] = "tag-gro: packets with VLAN tags are joined",
    [B_FIXED_NO_DF] = "fixed-id-no-df: the same IP IDs are joined without DF",
};

void oracle_print_behaviours(const Oracle *o, BehaviourId first,
                             BehaviourId last)
{
    for (int i = (int)first; i <= (int)last; i++) {
        printf("behaviour: %-3s %s\n", o->seen[i] ? "yes" : "no",
               behaviours[i]);
    }
}

void oracle_write(Oracle *o, const uint8_t *frame, size_t len,
                  const GsoMeta *meta)
{
    uint8_t hdr[GSO_VNET_HDR_LEN];
    struct iovec iov[] = { { hdr, sizeof(hdr) }, { (void *)frame, len } };
    GsoMeta m = *meta;

    m.csum = m.type ? GSO_CSUM_PARTIAL : m.csum;
    if (gso_vnet_encode(hdr, sizeof(hdr), LITTLE_ENDIAN_HOST,
                        GSO_VNET_TO_DEVICE, &m)) {
        fprintf(stderr, "gso-oracle: header not encodable\n");
        exit(1);
    }
    if (meta->csum != GSO_CSUM_PARTIAL) {
        /* Linux takes super-frames without; the standard forbids them. */
        hdr[0] = 0;
        memset(hdr + 6, 0, 4);
    }
    /* The kernel may refuse a frame; then nothing comes out. */
    if (writev(o->in, iov, 2) < 0 && errno != EINVAL) {
        perror("gso-oracle: write to tap");
        exit(2);
    }
}

static bool is_sentinel(const Oracle *o, const uint8_t *p, size_t len)
{
    return len >= 18 && p[12] == 0x88 && p[13] == 0xb5 &&
           frame_u32(p + 14) == o->sentinel;
}

/* Not the kernel's own multicast (IGMP when the devices come up). */
static bool is_ours(const uint8_t *p)
{
    return p[0] == 2 && frame_u32(p + 1) == 0;
}

static void add_frame(Oracle *o, uint8_t *p, size_t len)
{
    struct iovec iov = { p, len };
    GsoMeta meta = { .csum = GSO_CSUM_COMPLETE, .segs = 1 };
    GsoLayout layout;
    int err;

    if (o->out_vnet) {
        iov.iov_base = p + GSO_VNET_HDR_LEN;
        iov.iov_len = len - GSO_VNET_HDR_LEN;
        gso_parse(&iov, 1, &layout);
        err = gso_vnet_decode(p, GSO_VNET_HDR_LEN, LITTLE_ENDIAN_HOST,
                              GSO_VNET_TO_DRIVER, &layout, &meta);
        if (err) {
            fprintf(stderr, "gso-oracle: kernel's header: %s\n",
                    gso_strerror(err));
            exit(1);
        }
    }
    list_add(&o->kernel, &iov, 1, &meta);
}

bool oracle_read(Oracle *o)
{
    static uint8_t buf[FRAME_MAX + GSO_VNET_HDR_LEN];
    const size_t hdr = o->out_vnet ? GSO_VNET_HDR_LEN : 0;
    ssize_t n;

    while ((n = read(o->out, buf, sizeof(buf))) > 0) {
        if (is_sentinel(o, buf + hdr, (size_t)n - hdr)) {
            o->sentinel++;
            return true;
        }
        if (is_ours(buf + hdr)) {
            add_frame(o, buf, (size_t)n);
        }
    }
    return false;
}

void oracle_finish(Oracle *o)
{
    const GsoMeta plain = { .csum = GSO_CSUM_COMPLETE, .segs = 1 };
    uint8_t frame[60] = {
        2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x88, 0xb5,
        (uint8_t)(o->sentinel >> 24), (uint8_t)(o->sentinel >> 16),
        (uint8_t)(o->sentinel >> 8), (uint8_t)o->sentinel,
    };

    oracle_write(o, frame, sizeof(frame), &plain);
    while (!oracle_read(o)) {
        if (!net_wait(o->out, WAIT_MS)) {
            fprintf(stderr, "gso-oracle: the sentinel did not come out\n");
            exit(2);
        }
    }
}

GsoMeta oracle_meta(const Frame *f, uint16_t gso_size)
{
    GsoMeta m = { .csum = GSO_CSUM_COMPLETE, .segs = 1 };

    if (f->csum == FRAME_CSUM_PARTIAL) {
        m.csum = GSO_CSUM_PARTIAL;
        m.csum_start = (uint16_t)frame_l4(f);
        m.csum_offset = f->udp ? 6 : 16;
    }
    if (gso_size) {
        m.type = f->udp ? GSO_TYPE_UDP_L4
                        : f->v6 ? GSO_TYPE_TCPV6 : GSO_TYPE_TCPV4;
        m.gso_size = gso_size;
        m.hdr_len = (uint16_t)frame_hdr(f);
    }
    return m;
}

void oracle_random_frame(Oracle *o, Frame *f)
{
    FrameRandom *r = &o->random;

    *f = (Frame) {
        .v6 = frame_below(r, 2),
        .tags = (uint8_t)(frame_below(r, 3) ? 0 : frame_below(r, 3)),
        .src = (uint8_t)frame_random(r),
        .dst = (uint8_t)frame_random(r),
        .sport = (uint16_t)(frame_below(r, 60000) + 1),
        .dport = (uint16_t)(frame_below(r, 60000) + 1),
        .ttl = (uint8_t)(frame_below(r, 255) + 1),
        .tos = (uint8_t)frame_random(r),
        .id = (uint16_t)(frame_random(r) | (frame_below(r, 4) ? 0 : 0xfff0)),
        .df = frame_below(r, 2),
        .label = frame_random(r) & 0xfffff,
        .ack = frame_random(r),
        .seq = frame_random(r) | (frame_below(r, 2) ? 0xffffc000u : 0),
        .window = (uint16_t)frame_random(r),
        .opt_fill = (uint8_t)frame_random(r),
        .fill = frame_random(r),
        .tcp_opts = (uint8_t)(frame_below(r, 2) ? 12
                                                : 4 * frame_below(r, 11)),
    };
    for (int i = 0; i < f->tags; i++) {
        f->tci[i] = (uint16_t)frame_random(r);
        f->tpid[i] = i == 0 && f->tags == 2 ? 0x88a8 : 0x8100;
    }
}

static void dump(const char *who, const List *list, int where)
{
    fprintf(stderr, "%s: %u frames", who, list->n);
    if (where >= 0 && (unsigned)where < list->n) {
        const Entry *e = &list->entry[where];

        fprintf(stderr, ", of %u bytes, type %u gso_size %u:", e->len,
                e->meta.type, e->meta.gso_size);
        for (uint32_t i = 0; i < e->len && i < 110; i++) {
            fprintf(stderr, "%s%02x", i % 4 ? "" : " ", e->p[i]);
        }
    }
    fprintf(stderr, "\n");
}

int oracle_report(const Oracle *o, const char *what, unsigned index,
                  int where)
{
    fprintf(stderr, "gso-oracle: %s differs at frame %d; again with "
            "--seed %llu --first %u\n", what, where,
            (unsigned long long)o->seed, index);
    dump("kernel ", &o->kernel, where);
    dump("net/gso", &o->mine, where);
    return 1;
}

typedef struct Options {
    unsigned cases;
    unsigned trains;
    unsigned first;
    uint64_t seed;
    bool here;
} Options;

static unsigned number(const char *name, const char *text)
{
    unsigned n;
    int end = 0;

    if (sscanf(text, "%9u%n", &n, &end) != 1 || text[end]) {
        fprintf(stderr, "gso-oracle: --%s %s: not a number below 10^9\n",
                name, text);
        exit(2);
    }
    return n;
}

static void usage(FILE *to)
{
    fprintf(to,
            "usage: gso-oracle [--cases N] [--trains N] [--seed N] "
            "[--first N] [--here]\n"
            "  --cases N   super-frames to cut (default 2000)\n"
            "  --trains N  trains of packets to join (default 500)\n"
            "  --seed N    make these cases (default: random, printed)\n"
            "  --first N   start with this case or train\n"
            "  --here      in this network namespace, not a new one\n");
}

static Options parse_options(int argc, char **argv)
{
    static const struct option table[] = {
        { "cases", required_argument, NULL, 'c' },
        { "trains", required_argument, NULL, 't' },
        { "seed", required_argument, NULL, 's' },
        { "first", required_argument, NULL, 'f' },
        { "here", no_argument, NULL, 'h' },
        { "help", no_argument, NULL, '?' + 128 },
        { 0 },
    };
    Options o = { .cases = 2000, .trains = 500 };
    uint32_t seed = 0;
    int c;

    if (getrandom(&seed, sizeof(seed), 0) < 0) {
        perror("gso-oracle: getrandom");
    }
    o.seed = seed % 100000000;
    while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
        switch (c) {
        case 'c':
            o.cases = number("cases", optarg);
            break;
        case 't':
            o.trains = number("trains", optarg);
            break;
        case 's':
            o.seed = number("seed", optarg);
            break;
        case 'f':
            o.first = number("first", optarg);
            break;
        case 'h':
            o.here = true;
            break;
        case '?' + 128:
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "gso-oracle: unexpected argument %s\n",
                argv[optind]);
        exit(2);
    }
    return o;
}

int main(int argc, char **argv)
{
    Options options = parse_options(argc, argv);
    Oracle o = { .seed = options.seed };
    struct utsname u;
    int segment = 0, coalesce = 0;

    if (!options.here && net_enter_namespace()) {
        printf("no network namespaces\n");
        return 77;
    }
    o.kernel = list_new();
    o.mine = list_new();
    if (options.cases) {
        segment = oracle_segment(&o, options.cases, options.first);
    }
    if (options.trains) {
        coalesce = oracle_coalesce(&o, options.trains, options.first);
    }
    if (segment == 77 || coalesce == 77) {
        return 77;
    }
    uname(&u);
    printf("kernel %s %s, seed %llu, sums by %s\n", u.release, u.machine,
           (unsigned long long)options.seed, gso_sum_impl());
    return segment ? segment : coalesce;
}
