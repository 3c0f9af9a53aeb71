/*
 * mv643xx under random use (case C-08): registers, rings, frames, time and
 * cables in any order and with any content, from fixed seeds
 *
 * Whatever came before, QEMU lives, and after a reset the port works.  The
 * sanitizers see most here.  MVLAB_FULL in the environment runs more seeds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define STEPS           1500
#define SEEDS           6
#define SEEDS_FULL      200

#define DESCS           0x00600000u     /* where the rings are, 64 entries */
#define NUM_DESCS       64

typedef struct Random {
    Nic *n;
    uint64_t state;
} Random;

/* xorshift64* */
static uint32_t next(Random *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545f4914f6cdd1dULL >> 32;
}

static uint32_t below(Random *r, uint32_t limit)
{
    return next(r) % limit;
}

static uint32_t desc_address(Random *r)
{
    return DESCS + MV_DESC_SIZE * below(r, NUM_DESCS);
}

/* Mostly RAM, sometimes registers, sometimes anything */
static uint32_t address(Random *r)
{
    switch (below(r, 12)) {
    case 0:
        return 0;
    case 1:
        return next(r);
    case 2:
        return GBE0_BASE + (next(r) & 0x3ffc);
    case 3:
        return desc_address(r) + below(r, MV_DESC_SIZE);
    default:
        return MEM_SCRATCH + below(r, 0x100000);
    }
}

static uint32_t value(Random *r)
{
    static const uint32_t some[] = {
        0, 1, 0xff, 0xff00, 0xffff, 0x0101, 0xffffffff, 0x80000000,
        0x7fffffff, 0x000a0601, 0x02000001, 0x01010101,
    };

    return below(r, 3) ? some[below(r, ARRAY_SIZE(some))] : next(r);
}

static uint32_t offset(Random *r)
{
    static const uint16_t blocks[][2] = {
        { 0x000, 0xb4 }, { 0x200, 0xa0 }, { 0x400, 0x400 }, { 0x400, 0x100 },
        { 0x1000, 0x80 }, { 0x1400, 0x210 }, { 0x0000, 0x4000 },
    };
    const uint16_t *block = blocks[below(r, ARRAY_SIZE(blocks))];

    return block[0] + (below(r, block[1]) & ~3u);
}

static void put_random_desc(Random *r)
{
    static const uint16_t lengths[] = {
        0, 1, 7, 8, 14, 60, 64, 100, 1514, 1600, 9000, 65535,
    };
    uint32_t flags = next(r) & (MV_TXD_F | MV_TXD_L | MV_TXD_EI | MV_TXD_ZP |
                                MV_TXD_GEN_IP | MV_TXD_GEN_L4 | MV_TXD_UDP |
                                MV_TXD_L4_FULL | MV_TXD_VLAN |
                                MV_TXD_LLC_SNAP | 0xf << MV_TXD_IHL_SHIFT);

    desc_write(r->n, desc_address(r), &(Desc) {
        .cmd_sts = flags | (below(r, 8) ? MV_TXD_O : 0) |
                   (below(r, 2) ? MV_TXD_F | MV_TXD_L : 0),
        .size = lengths[below(r, ARRAY_SIZE(lengths))],
        .count = lengths[below(r, ARRAY_SIZE(lengths))],
        .buf = address(r),
        .next = below(r, 10) ? desc_address(r) : address(r),
    });
}

static void send_random_frame(Random *r)
{
    const FrameSpec spec = {
        .dst = below(r, 2) ? NULL : frame_broadcast,
        .tags = below(r, 4),
        .snap = !below(r, 6),
        .ihl = 5 + below(r, 11),
        .proto = below(r, 2) ? FRAME_UDP : below(r, 256),
        .frag = below(r, 4) ? 0 : next(r),
        .payload = below(r, 1800),
        .total_len = below(r, 4) ? 0 : next(r),
        .ipv6 = !below(r, 6),
        .l4_sum = below(r, 3),
    };
    Frame f;

    frame_build(&f, &spec);
    for (unsigned i = below(r, 4); i > 0; i--) {
        f.data[below(r, MIN(f.len, 64))] = next(r);
    }
    if (!below(r, 3)) {
        f.len = 1 + below(r, f.len);
    }
    /* a wire that is full loses it, as a wire does */
    send(r->n->wire, f.data, f.len, MSG_DONTWAIT);
    nic_counter(r->n, "rx-offered");
}

static void point_at_rings(Random *r)
{
    unsigned q = below(r, 8);

    nic_open_dma(r->n);
    if (below(r, 2)) {
        nic_write(r->n, MV_WIN_SIZE(0), 0xffff0000);
    }
    nic_write(r->n, PORT(MV_TCQDP(q)), desc_address(r));
    nic_write(r->n, PORT(MV_CRDP(q)), desc_address(r));
    nic_write(r->n, PORT(MV_PSC1), 8);
    nic_write(r->n, MV_EUC, 0);
    nic_write(r->n, PORT(MV_PSC0), 0x000a0603);
    nic_write(r->n, PORT(MV_PXC), next(r) | MV_PXC_UPM);
    nic_write(r->n, PORT(MV_RQC), 0xff);
    nic_write(r->n, PORT(MV_TQC), 1u << q);
}

static void step(Random *r)
{
    Nic *n = r->n;

    switch (below(r, 16)) {
    case 0 ... 3:
        put_random_desc(r);
        break;
    case 4 ... 6:
        nic_write(n, offset(r), value(r));
        break;
    case 7:
        nic_read(n, offset(r));
        break;
    case 8 ... 9:
        send_random_frame(r);
        break;
    case 10 ... 11:
        point_at_rings(r);
        break;
    case 12:
        qtest_clock_step(n->qts, 1 + below(r, RX_HOLD_NS));
        break;
    case 13:
        wire_flush(n);
        break;
    case 14:
        nic_write(n, MV_SMI, next(r) & 0x07ffffff);
        break;
    case 15:
        if (!below(r, 8)) {
            nic_set_link(n, below(r, 2));
        }
        break;
    }
}

/* Both ways, after all that */
static void expect_working(Nic *n)
{
    RxRing rx;
    TxRing tx;
    Frame f;

    qtest_system_reset(n->qts);
    nic_set_link(n, true);
    nic_resync(n);
    wire_flush(n);
    qtest_clock_step(n->qts, RX_HOLD_NS);
    wire_flush(n);
    nic_up(n);
    rx_ring_init(&rx, n, 0, 4, 1536);
    tx_ring_init(&tx, n, 0, 4);
    frame_build(&f, &(FrameSpec) { .payload = 100 });
    wire_send_frame(n, &f);
    rx_ring_expect(&rx, &f, RX_GOOD_TCP);
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
}

static void test_random(const void *data)
{
    Random r = {
        .n = nic_new(),
        .state = 0x9e3779b97f4a7c15ULL * (GPOINTER_TO_UINT(data) + 1),
    };

    for (unsigned i = 0; i < STEPS; i++) {
        step(&r);
    }
    expect_working(r.n);
    nic_free(r.n);
}

int main(int argc, char **argv)
{
    unsigned seeds = g_getenv("MVLAB_FULL") ? SEEDS_FULL : SEEDS;

    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < seeds; i++) {
        g_autofree char *path = g_strdup_printf("/mv643xx/random/C-08-seed-%u",
                                                i);

        qtest_add_data_func(path, GUINT_TO_POINTER(i), test_random);
    }
    return g_test_run();
}
