/*
 * mv643xx rings that try to hang it: cycles, endless chains, rings that
 * cannot be written back, pointers at the port's own registers
 *
 * A bound is checked by count: how many descriptors one event served, and
 * that the monitor answers between events.  Nothing here measures time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define TX_DESC_LIMIT   1024        /* descriptors of one frame, model's */
#define MILLION         1000000
#define RING            0x06000000u /* room for a million descriptors */
#define BUF             MEM_TX_BUF(0, 0)

/* The boot ROM; the rings in it are put there by the loader device */
#define ROM             0xffff8000u

static Nic *ring_up(const char *extra)
{
    Nic *n = nic_new_args(&(NicArgs) { .extra = extra });

    nic_up(n);
    /* everything in one window, so that only the ring is to blame */
    nic_write(n, MV_WIN_SIZE(0), 0xffff0000);
    qtest_memset(n->qts, BUF, 0x42, 64 * 1024);
    return n;
}

static void answers(Nic *n)
{
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'query-status' }");
}

static void put_desc(uint8_t *d, uint32_t cmd_sts, uint16_t count,
                     uint32_t buf, uint32_t next)
{
    stl_le_p(d + MV_DESC_CMD_STS, cmd_sts);
    stw_le_p(d + MV_DESC_SIZE_CNT, 0);
    stw_le_p(d + MV_DESC_SIZE_CNT + 2, count);
    stl_le_p(d + MV_DESC_BUF, buf);
    stl_le_p(d + MV_DESC_NEXT, next);
}

/* @count descriptors in a row at RING, the last one's next is NULL */
static void put_row(Nic *n, uint32_t count, uint32_t cmd_sts, uint16_t len)
{
    g_autofree uint8_t *ring = g_malloc((size_t)count * MV_DESC_SIZE);

    for (uint32_t i = 0; i < count; i++) {
        put_desc(ring + i * MV_DESC_SIZE, cmd_sts, len, BUF,
                 i == count - 1 ? 0 : RING + (i + 1) * MV_DESC_SIZE);
    }
    mem_write(n, RING, ring, (size_t)count * MV_DESC_SIZE);
}

static void put_one(Nic *n, uint32_t addr, uint32_t cmd_sts, uint16_t count,
                    uint32_t next)
{
    desc_write(n, addr, &(Desc) { .cmd_sts = cmd_sts, .count = count,
                                  .buf = BUF, .next = next });
}

/* One event may serve one batch and finish the frame it has begun */
static void kick(Nic *n, uint32_t desc)
{
    uint64_t before = nic_counter(n, "tx-descriptors");

    nic_write(n, PORT(MV_TCQDP(0)), desc);
    nic_write(n, PORT(MV_TQC), 1);
    g_assert_cmpuint(nic_counter(n, "tx-descriptors") - before, <=,
                     TX_BATCH + TX_DESC_LIMIT);
    answers(n);
}

static void expect_stopped(Nic *n)
{
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_TXEND(0), !=, 0);
}

#define WHOLE   (MV_TXD_O | MV_TXD_F | MV_TXD_L | MV_TXD_EI)

/* C-01: linked to itself, each descriptor is sent once */
static void test_tx_self(void)
{
    Nic *n = ring_up(NULL);

    put_one(n, RING, WHOLE, 100, RING);
    kick(n, RING);
    expect_stopped(n);
    g_assert_cmpuint(wire_flush(n), ==, 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, RING);
    nic_free(n);
}

static void test_tx_two_cycle(void)
{
    Nic *n = ring_up(NULL);

    put_one(n, RING, WHOLE, 100, RING + 16);
    put_one(n, RING + 16, WHOLE, 100, RING);
    kick(n, RING);
    expect_stopped(n);
    g_assert_cmpuint(wire_flush(n), ==, 2);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, RING);
    nic_free(n);
}

/* C-01: A, B, C, B, C ...: never back at its head */
static void test_tx_lasso(void)
{
    Nic *n = ring_up(NULL);

    put_one(n, RING, WHOLE, 100, RING + 16);
    put_one(n, RING + 16, WHOLE, 100, RING + 32);
    put_one(n, RING + 32, WHOLE, 100, RING + 16);
    kick(n, RING);
    expect_stopped(n);
    g_assert_cmpuint(wire_flush(n), ==, 3);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, RING + 16);
    nic_free(n);
}

/*
 * A frame without an end in a cycle, with full, single and no bytes: given
 * up after as many descriptors as a frame may have, nothing written back.
 */
static void test_tx_endless_frame(void)
{
    static const uint16_t counts[] = { 0, 1, 8, 1000, 0xffff };

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        for (unsigned cycle = 1; cycle <= 3; cycle++) {
            Nic *n = ring_up(NULL);

            put_one(n, RING, MV_TXD_O | MV_TXD_F, counts[i], RING + 16);
            for (unsigned k = 1; k <= cycle; k++) {
                put_one(n, RING + 16 * k, MV_TXD_O, counts[i],
                        RING + 16 * (k == cycle ? 1 : k + 1));
            }
            kick(n, RING);
            qtest_clock_step(n->qts, 100 * TX_RESUME_NS);
            expect_stopped(n);
            wire_expect_none(n);
            g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=,
                            0);
            g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, RING);
            g_assert_cmphex(mem_read32(n, RING), ==, MV_TXD_O | MV_TXD_F);
            nic_free(n);
        }
    }
}

/* The longest chain that is a frame, and the first that is none */
static void test_tx_chain_limit(void)
{
    for (unsigned over = 0; over < 2; over++) {
        Nic *n = ring_up(NULL);
        uint32_t count = TX_DESC_LIMIT + over;

        put_row(n, count, MV_TXD_O, 1);
        mem_write32(n, RING, MV_TXD_O | MV_TXD_F);
        mem_write32(n, RING + (count - 1) * MV_DESC_SIZE,
                    MV_TXD_O | MV_TXD_L);
        kick(n, RING);
        qtest_clock_step(n->qts, 100 * TX_RESUME_NS);
        expect_stopped(n);
        if (over) {
            wire_expect_none(n);
            g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, RING);
        } else {
            g_assert_cmpuint(wire_take(n, &count, sizeof(count)), ==,
                             TX_DESC_LIMIT);
        }
        nic_free(n);
    }
}

/*
 * C-02: 10^6 owned descriptors and one kick.  Each event serves a batch, the
 * monitor answers in between, and in the end every one of them was served.
 */
static void check_million(uint32_t cmd_sts, uint16_t len)
{
    Nic *n = ring_up(NULL);
    uint64_t done, last = 0;
    unsigned steps = 0;

    put_row(n, MILLION, cmd_sts, len);
    kick(n, RING);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 1);
    do {
        qtest_clock_step(n->qts, 20 * TX_RESUME_NS);
        answers(n);
        wire_flush(n);
        done = nic_counter(n, "tx-descriptors");
        /* no more than a batch for each time the timer came due */
        g_assert_cmpuint(done - last, <=, 22 * TX_BATCH);
        last = done;
        steps++;
    } while (nic_read(n, PORT(MV_TQC)) && steps < MILLION / TX_BATCH);
    g_assert_cmpuint(done, ==, MILLION);
    expect_stopped(n);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    g_assert_cmphex(mem_read32(n, RING + (MILLION - 1) * MV_DESC_SIZE) &
                    MV_TXD_O, ==, 0);
    nic_free(n);
}

static void test_million_empty(void)
{
    check_million(MV_TXD_O | MV_TXD_F | MV_TXD_L, 0);
}

static void test_million_tiny(void)
{
    check_million(MV_TXD_O | MV_TXD_F | MV_TXD_L, 1);
}

static void test_million_headless(void)
{
    check_million(MV_TXD_O | MV_TXD_L, 1);
}

/* A busy queue does not starve another one */
static void test_fairness(void)
{
    Nic *n = ring_up(NULL);
    uint8_t got[64];
    unsigned frames = 0;
    bool seen = false;
    TxRing other;
    Frame f;

    put_row(n, 10000, MV_TXD_O | MV_TXD_F | MV_TXD_L, 60);
    tx_ring_init(&other, n, 1, 4);
    frame_raw(&f, frame_peer_mac, 0x88b5, 64, 1);
    tx_ring_put_frame(&other, &f, 0);
    nic_write(n, PORT(MV_TCQDP(0)), RING);
    nic_write(n, PORT(MV_TQC), 3);
    while (!seen && frames++ < TX_BATCH) {
        seen = wire_take(n, got, sizeof(got)) == f.len;
    }
    g_assert_true(seen);
    nic_free(n);
}

/* B-10: kicks while a batch is pending neither repeat nor rewind */
static void test_kick_while_pending(void)
{
    enum { FRAMES = 2000 };
    g_autofree uint8_t *ring = g_malloc(FRAMES * MV_DESC_SIZE);
    Nic *n = ring_up(NULL);
    unsigned next = 0;

    for (uint32_t i = 0; i < FRAMES; i++) {
        put_desc(ring + i * MV_DESC_SIZE, MV_TXD_O | MV_TXD_F | MV_TXD_L,
                 60 + i, BUF, i == FRAMES - 1 ? 0 : RING + 16 * (i + 1));
    }
    mem_write(n, RING, ring, FRAMES * MV_DESC_SIZE);
    nic_write(n, PORT(MV_TCQDP(0)), RING);
    for (unsigned i = 0; i < FRAMES && next < FRAMES; i++) {
        uint8_t byte;
        ssize_t len;

        nic_write(n, PORT(MV_TQC), 1);
        if (i % 3 == 0) {
            qtest_clock_step(n->qts, TX_RESUME_NS);
        }
        while ((len = recv(n->wire, &byte, 1, MSG_TRUNC | MSG_DONTWAIT)) > 0) {
            g_assert_cmpint(len, ==, 60 + next);
            next++;
        }
    }
    g_assert_cmpuint(next, ==, FRAMES);
    g_assert_cmpuint(nic_counter(n, "tx-frames"), ==, FRAMES);
    nic_free(n);
}

/* Long enough that an event leaves most of it to the timer */
static Nic *pending_up(void)
{
    Nic *n = ring_up(NULL);

    put_row(n, 5000, MV_TXD_O | MV_TXD_F | MV_TXD_L | MV_TXD_EI, 60);
    kick(n, RING);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 1);
    wire_flush(n);
    return n;
}

static void expect_no_progress(Nic *n)
{
    uint64_t before = nic_counter(n, "tx-descriptors");
    uint32_t last = mem_read32(n, RING + 4999 * MV_DESC_SIZE);

    qtest_clock_step(n->qts, 1000 * TX_RESUME_NS);
    g_assert_cmpuint(nic_counter(n, "tx-descriptors"), ==, before);
    g_assert_cmphex(last & MV_TXD_O, !=, 0);
    g_assert_cmphex(mem_read32(n, RING + 4999 * MV_DESC_SIZE), ==, last);
    wire_expect_none(n);
}

/* C-21, A-31: reset in the middle of DMA: nothing moves afterwards */
static void test_reset_pending(void)
{
    Nic *n = pending_up();

    qtest_system_reset(n->qts);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_TCQDP(0))), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    expect_no_progress(n);
    /* even once DMA is possible again */
    nic_up(n);
    expect_no_progress(n);
    nic_free(n);
}

/* C-21: held frames and filters do not outlive a reset */
static void test_reset_held(void)
{
    Nic *n = ring_up(NULL);
    RxRing r;
    Frame f;

    rx_ring_init(&r, n, 0, 2, 1536);
    mem_write32(n, rx_ring_desc(&r, 0), 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 1);
    qtest_system_reset(n->qts);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 0);
    nic_open_dma(n);
    nic_write(n, PORT(MV_PSC0), 0x000a0601);
    rx_ring_init(&r, n, 0, 2, 1536);
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
    rx_ring_expect_none(&r);
    /* the unicast table is empty again */
    wire_send_frame(n, &f);
    rx_ring_expect_none(&r);
    nic_free(n);
}

/* disabling a queue in the middle is acknowledged and final */
static void test_disable_pending(void)
{
    Nic *n = pending_up();
    uint32_t at;

    nic_write(n, PORT(MV_TQC), 0x100);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) &
                    (MV_PS0_TX_FIFO_EMPTY | MV_PS0_TX_IN_PROGRESS), ==,
                    MV_PS0_TX_FIFO_EMPTY);
    at = nic_read(n, PORT(MV_TCQDP(0)));
    expect_no_progress(n);
    /* it goes on where it was, not at the start */
    g_assert_cmphex(mem_read32(n, at) & MV_TXD_O, !=, 0);
    g_assert_cmphex(mem_read32(n, at - MV_DESC_SIZE) & MV_TXD_O, ==, 0);
    nic_write(n, PORT(MV_TQC), 1);
    for (unsigned i = 0; i < 40; i++) {
        qtest_clock_step(n->qts, TX_RESUME_NS);
        wire_flush(n);
    }
    expect_stopped(n);
    g_assert_cmpuint(nic_counter(n, "tx-descriptors"), ==, 5000);
    nic_free(n);
}

/* B-19: the port off in the middle: it waits, and goes on when it is on */
static void test_port_off_pending(void)
{
    Nic *n = pending_up();

    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    expect_no_progress(n);
    nic_rmw(n, PORT(MV_PSC0), 0, MV_PSC0_PORT_EN);
    for (unsigned i = 0; i < 40; i++) {
        qtest_clock_step(n->qts, TX_RESUME_NS);
        wire_flush(n);
    }
    g_assert_cmpuint(nic_counter(n, "tx-descriptors"), ==, 5000);
    nic_free(n);
}

/* 4.3.1: port reset in the middle stops the queues */
static void test_port_reset_pending(void)
{
    static const struct {
        uint32_t offset, bit;
    } resets[] = {
        { PORT(MV_PSC1), MV_PSC1_PORT_RESET },
        { MV_EUC, MV_EUC_PORT_RESET }, { MV_EUC, MV_EUC_PORT_RESET_ALT },
    };

    for (size_t i = 0; i < ARRAY_SIZE(resets); i++) {
        Nic *n = pending_up();

        nic_rmw(n, resets[i].offset, 0, resets[i].bit);
        nic_rmw(n, resets[i].offset, resets[i].bit, 0);
        g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
        expect_no_progress(n);
        nic_free(n);
    }
}

/* B-04: windows shut in the middle: the queue stops on a fault */
static void test_windows_shut_pending(void)
{
    Nic *n = pending_up();

    nic_write(n, MV_BARE, 0x3f);
    expect_no_progress(n);
    expect_stopped(n);
    g_assert_cmphex(nic_read(n, MV_EUIC) & MV_EUIC_ADDR_NO_MATCH, !=, 0);
    nic_free(n);
}

/* B-03: link down in the middle: the rest is completed and lost */
static void test_link_down_pending(void)
{
    Nic *n = pending_up();

    nic_set_link(n, false);
    for (unsigned i = 0; i < 40; i++) {
        qtest_clock_step(n->qts, TX_RESUME_NS);
    }
    wire_expect_none(n);
    g_assert_cmphex(mem_read32(n, RING + 4999 * MV_DESC_SIZE) & MV_TXD_O, ==,
                    0);
    expect_stopped(n);
    nic_free(n);
}

/* The rings in ROM, where ownership never changes; by offset from ROM */
enum {
    ROM_TX_SELF = 0x00, ROM_TX_A = 0x10, ROM_TX_B = 0x20,
    ROM_TX_ENDLESS = 0x30, ROM_RX_SELF = 0x40, ROM_RX_TINY = 0x50,
    ROM_TX_EMPTY = 0x60, ROM_DATA = 0x1000, ROM_SIZE = 0x2000,
};

static Nic *rom_up(void)
{
    g_autofree uint8_t *rom = g_malloc0(ROM_SIZE);
    g_autofree char *path = NULL, *extra = NULL;
    Nic *n;
    int fd;

    put_desc(rom + ROM_TX_SELF, WHOLE, 100, ROM + ROM_DATA,
             ROM + ROM_TX_SELF);
    put_desc(rom + ROM_TX_A, WHOLE, 100, ROM + ROM_DATA, ROM + ROM_TX_B);
    put_desc(rom + ROM_TX_B, WHOLE, 100, ROM + ROM_DATA, ROM + ROM_TX_A);
    put_desc(rom + ROM_TX_ENDLESS, MV_TXD_O | MV_TXD_F, 1, ROM + ROM_DATA,
             ROM + ROM_TX_ENDLESS);
    put_desc(rom + ROM_TX_EMPTY, WHOLE, 0, ROM + ROM_DATA,
             ROM + ROM_TX_EMPTY);
    put_desc(rom + ROM_RX_SELF, MV_RXD_O | MV_RXD_EI, 0, MEM_RX_BUF(0, 0),
             ROM + ROM_RX_SELF);
    stw_le_p(rom + ROM_RX_SELF + MV_DESC_SIZE_CNT, 1536);
    put_desc(rom + ROM_RX_TINY, MV_RXD_O | MV_RXD_EI, 0, MEM_RX_BUF(0, 0),
             ROM + ROM_RX_TINY);
    stw_le_p(rom + ROM_RX_TINY + MV_DESC_SIZE_CNT, 8);

    fd = g_file_open_tmp("mv643xx-rom-XXXXXX", &path, NULL);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(write(fd, rom, ROM_SIZE), ==, ROM_SIZE);
    close(fd);
    extra = g_strdup_printf("-device loader,file=%s,addr=0x%x,force-raw=on",
                            path, ROM);
    n = ring_up(extra);
    unlink(path);
    g_assert_cmphex(mem_read32(n, ROM + ROM_TX_SELF), ==, WHOLE);
    return n;
}

/* C-01: ownership that cannot be given back never makes an endless loop */
static void test_rom_tx(void)
{
    static const uint32_t rings[] = {
        ROM_TX_SELF, ROM_TX_A, ROM_TX_ENDLESS, ROM_TX_EMPTY,
    };
    Nic *n = rom_up();

    for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
        g_test_message("ring at 0x%x", ROM + rings[i]);
        kick(n, ROM + rings[i]);
        qtest_clock_step(n->qts, 100 * TX_RESUME_NS);
        answers(n);
        expect_stopped(n);
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_TXERR(0), !=, 0);
        g_assert_cmpuint(wire_flush(n), <=, 1);
        nic_ack_all(n);
    }
    nic_free(n);
}

static void test_rom_rx(void)
{
    static const uint32_t rings[] = { ROM_RX_SELF, ROM_RX_TINY };
    Nic *n = rom_up();
    Frame f;

    frame_raw(&f, frame_nic_mac, 0x88b5, 1000, 1);
    for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
        nic_write(n, PORT(MV_CRDP(0)), ROM + rings[i]);
        nic_write(n, PORT(MV_RQC), 1);
        wire_send_frame(n, &f);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_RXERRQ(0), !=, 0);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        answers(n);
        g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 0);
        g_assert_cmpuint(nic_counter(n, "rx-delivered"), ==, 0);
        nic_ack_all(n);
    }
    nic_free(n);
}

/* C-01 for receive: each descriptor of a cycle is filled once */
static void test_rx_cycles(void)
{
    for (unsigned cycle = 1; cycle <= 3; cycle++) {
        Nic *n = ring_up(NULL);
        RxRing r;
        Frame f;

        rx_ring_init(&r, n, 0, cycle, 1536);
        frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
        for (unsigned i = 0; i < cycle; i++) {
            wire_send_frame(n, &f);
            rx_ring_expect(&r, &f, RX_NOT_IP);
        }
        wire_send_frame(n, &f);
        g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 1);
        answers(n);
        nic_free(n);
    }
}

/* A lasso of tiny buffers, far too small for the frame: bounded, cut short */
static void test_rx_tiny_lasso(void)
{
    Nic *n = ring_up(NULL);
    Frame f;

    for (unsigned i = 0; i < 3; i++) {
        desc_write(n, RING + 16 * i, &(Desc) {
            .cmd_sts = MV_RXD_O | MV_RXD_EI, .size = 8, .buf = BUF,
            .next = RING + 16 * (i == 2 ? 1 : i + 1),
        });
    }
    nic_write(n, PORT(MV_CRDP(0)), RING);
    nic_write(n, PORT(MV_RQC), 1);
    frame_raw(&f, frame_nic_mac, 0x88b5, 1500, 1);
    wire_send_frame(n, &f);
    answers(n);
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmphex(mem_read32(n, RING + 16 * i) & MV_RXD_O, ==, 0);
    }
    g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_RXERRQ(0), !=, 0);
    g_assert_cmpuint(nic_counter(n, "rx-delivered"), ==, 0);
    g_assert_cmphex(mem_read32(n, BUF + 8), ==, 0x42424242);
    nic_free(n);
}

/* C-17: buffers without room in a cycle are no buffers: all stays as it is */
static void test_rx_no_room_cycle(void)
{
    for (unsigned size = 0; size < 8; size++) {
        Nic *n = ring_up(NULL);
        Frame f;

        desc_write(n, RING, &(Desc) { .cmd_sts = MV_RXD_O, .size = size,
                                      .buf = BUF, .next = RING });
        nic_write(n, PORT(MV_CRDP(0)), RING);
        nic_write(n, PORT(MV_RQC), 1);
        frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
        wire_send_frame(n, &f);
        g_assert_cmphex(nic_read(n, PORT(MV_IC)) & MV_IC_RXERRQ(0), !=, 0);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        answers(n);
        g_assert_cmphex(mem_read32(n, RING), ==, MV_RXD_O);
        g_assert_cmphex(mem_read32(n, BUF), ==, 0x42424242);
        g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 1);
        nic_free(n);
    }
}

/* C-03: every register of the port as a descriptor, both directions */
static void test_own_registers_as_ring(void)
{
    static const uint32_t at[] = {
        MV_PHY_ADDR, MV_EUIC, MV_WIN_BASE(0), MV_BARE, PORT(MV_PXC),
        PORT(MV_VPT2P), PORT(MV_IC), PORT(MV_RQC), PORT(MV_TCQDP(0)),
        MIB(0), MV_SMC_BASE(0), MV_UC_BASE(0),
    };
    Nic *n = ring_up(NULL);
    Frame f;

    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
        uint32_t addr = n->base + at[i];

        /* as the first descriptor, and as the one after a good frame */
        kick(n, addr);
        put_one(n, RING, WHOLE, 100, addr);
        kick(n, RING);
        put_one(n, RING, MV_TXD_O | MV_TXD_F, 100, addr);
        kick(n, RING);
        qtest_clock_step(n->qts, 100 * TX_RESUME_NS);
        g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
        wire_flush(n);

        nic_write(n, PORT(MV_CRDP(0)), addr);
        nic_write(n, PORT(MV_RQC), 1);
        wire_send_frame(n, &f);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        answers(n);
        nic_write(n, PORT(MV_RQC), 0x100);
    }
    nic_free(n);
}

/* C-03: registers as buffers: reads leak nothing, writes change nothing */
static void test_own_registers_as_buffer(void)
{
    Nic *n = ring_up(NULL);
    Frame f;

    nic_write(n, PORT(MV_IM), 0x00080006);
    put_one(n, RING, WHOLE, 100, 0);
    mem_write32(n, RING + MV_DESC_BUF, n->base + PORT(MV_TQC));
    kick(n, RING);
    expect_stopped(n);
    wire_flush(n);

    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    for (uint32_t offset = 0; offset < 0x2000; offset += 0x40) {
        desc_write(n, RING, &(Desc) {
            .cmd_sts = MV_RXD_O | MV_RXD_EI, .size = 1536,
            .buf = n->base + offset,
        });
        nic_write(n, PORT(MV_CRDP(0)), RING);
        nic_write(n, PORT(MV_RQC), 1);
        wire_send_frame(n, &f);
    }
    answers(n);
    g_assert_cmphex(nic_read(n, PORT(MV_IM)), ==, 0x00080006);
    g_assert_cmphex(nic_read(n, MV_BARE), ==, 0x3e);
    g_assert_cmphex(nic_read(n, PORT(MV_MACH)), ==, 0x00504301);
    nic_free(n);
}

/*
 * C-03: the same from a timer, where no register access is under way.  The
 * four REMAP registers look like an owned descriptor at the end of a ring.
 */
static void test_own_registers_by_timer(void)
{
    Nic *n = ring_up(NULL);
    const uint32_t count = 2 * TX_BATCH;
    unsigned frames;
    RxRing r;
    Frame f;

    nic_write(n, MV_WIN_REMAP(0), WHOLE);
    nic_write(n, MV_WIN_REMAP(1), 100 << 16);
    nic_write(n, MV_WIN_REMAP(2), BUF);
    nic_write(n, MV_WIN_REMAP(3), 0);
    put_row(n, count, WHOLE, 60);
    mem_write32(n, RING + (count - 1) * MV_DESC_SIZE + MV_DESC_NEXT,
                n->base + MV_WIN_REMAP(0));
    kick(n, RING);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 1);
    frames = wire_flush(n);
    qtest_clock_step(n->qts, 100 * TX_RESUME_NS);
    expect_stopped(n);
    g_assert_cmpuint(frames + wire_flush(n), ==, count);
    g_assert_cmpuint(nic_counter(n, "tx-descriptors"), ==, count);
    g_assert_cmphex(nic_read(n, MV_WIN_REMAP(0)), ==, WHOLE);

    /* a held frame that finds its buffer there */
    rx_ring_init(&r, n, 0, 1, 1536);
    mem_write32(n, rx_ring_desc(&r, 0), 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    mem_write32(n, rx_ring_desc(&r, 0) + MV_DESC_BUF,
                n->base + PORT(MV_DSCP(0)));
    mem_write32(n, rx_ring_desc(&r, 0), MV_RXD_O);
    qtest_clock_step(n->qts, 4 * RX_RETRY_NS);
    for (unsigned i = 0; i < 7; i++) {
        g_assert_cmphex(nic_read(n, PORT(MV_DSCP(i))), ==, 0);
    }
    g_assert_cmphex(nic_read(n, PORT(MV_PSC0)), ==, 0x000a0601);
    nic_free(n);
}

/* C-03: the other unit and the UART as buffers: whatever, but no crash */
static void test_other_devices_as_buffer(void)
{
    static const uint32_t devices[] = {
        GBE1_BASE + PORT(MV_TQC), GBE1_BASE + PORT(MV_IM), 0xf1012000,
        0xf1020200, 0xf1020300,
    };
    Nic *n = nic_new_args(&(NicArgs) { .machine = "guruplug" });
    Frame f;

    nic_up(n);
    nic_write(n, MV_WIN_SIZE(0), 0xffff0000);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
        desc_write(n, RING, &(Desc) { .cmd_sts = WHOLE, .count = 100,
                                      .buf = devices[i] });
        kick(n, RING);
        desc_write(n, RING, &(Desc) { .cmd_sts = MV_RXD_O, .size = 1536,
                                      .buf = devices[i] });
        nic_write(n, PORT(MV_CRDP(0)), RING);
        nic_write(n, PORT(MV_RQC), 1);
        wire_send_frame(n, &f);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        answers(n);
        /* and as rings */
        kick(n, devices[i] & ~0xfu);
        nic_write(n, PORT(MV_CRDP(0)), devices[i] & ~0xfu);
        wire_send_frame(n, &f);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        answers(n);
        wire_flush(n);
    }
    nic_free(n);
}

/* Outside all memory, unaligned, at the end of the address space */
static void test_wild_pointers(void)
{
    static const uint32_t wild[] = {
        0x40000000, 0x7ffffff0, 0xe0000000, 0xfffffff0, 0xfffffffc,
        0x00000001, RING + 1, RING + 8, RING + 15, 0x1ffffff8,
    };
    Nic *n = ring_up(NULL);
    Frame f;

    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    put_row(n, 4, WHOLE, 100);
    for (size_t i = 0; i < ARRAY_SIZE(wild); i++) {
        kick(n, wild[i]);
        qtest_clock_step(n->qts, 100 * TX_RESUME_NS);
        g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
        nic_write(n, PORT(MV_CRDP(0)), wild[i]);
        nic_write(n, PORT(MV_RQC), 1);
        wire_send_frame(n, &f);
        qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
        answers(n);
        wire_flush(n);
    }
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/ring/C-01-tx-self", test_tx_self);
    qtest_add_func("/mv643xx/ring/C-01-tx-two-cycle", test_tx_two_cycle);
    qtest_add_func("/mv643xx/ring/C-01-tx-lasso", test_tx_lasso);
    qtest_add_func("/mv643xx/ring/C-01-tx-endless-frame",
                   test_tx_endless_frame);
    qtest_add_func("/mv643xx/ring/C-05-tx-chain-limit", test_tx_chain_limit);
    qtest_add_func("/mv643xx/ring/C-02-million-empty", test_million_empty);
    qtest_add_func("/mv643xx/ring/C-02-million-tiny", test_million_tiny);
    qtest_add_func("/mv643xx/ring/C-02-million-headless",
                   test_million_headless);
    qtest_add_func("/mv643xx/ring/fairness", test_fairness);
    qtest_add_func("/mv643xx/ring/B-10-kick-while-pending",
                   test_kick_while_pending);
    qtest_add_func("/mv643xx/ring/C-21-reset-pending", test_reset_pending);
    qtest_add_func("/mv643xx/ring/C-21-reset-held", test_reset_held);
    qtest_add_func("/mv643xx/ring/A-15-disable-pending",
                   test_disable_pending);
    qtest_add_func("/mv643xx/ring/B-19-port-off-pending",
                   test_port_off_pending);
    qtest_add_func("/mv643xx/ring/port-reset-pending",
                   test_port_reset_pending);
    qtest_add_func("/mv643xx/ring/B-04-windows-shut-pending",
                   test_windows_shut_pending);
    qtest_add_func("/mv643xx/ring/B-03-link-down-pending",
                   test_link_down_pending);
    qtest_add_func("/mv643xx/ring/C-01-rom-tx", test_rom_tx);
    qtest_add_func("/mv643xx/ring/C-01-rom-rx", test_rom_rx);
    qtest_add_func("/mv643xx/ring/C-01-rx-cycles", test_rx_cycles);
    qtest_add_func("/mv643xx/ring/C-01-rx-tiny-lasso", test_rx_tiny_lasso);
    qtest_add_func("/mv643xx/ring/C-17-rx-no-room-cycle",
                   test_rx_no_room_cycle);
    qtest_add_func("/mv643xx/ring/C-03-own-registers-ring",
                   test_own_registers_as_ring);
    qtest_add_func("/mv643xx/ring/C-03-own-registers-buffer",
                   test_own_registers_as_buffer);
    qtest_add_func("/mv643xx/ring/C-03-own-registers-timer",
                   test_own_registers_by_timer);
    qtest_add_func("/mv643xx/ring/C-03-other-devices",
                   test_other_devices_as_buffer);
    qtest_add_func("/mv643xx/ring/wild-pointers", test_wild_pointers);
    return g_test_run();
}
