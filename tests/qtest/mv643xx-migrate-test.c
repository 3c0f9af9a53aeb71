/*
 * mv643xx migration in the middle of traffic (case C-14)
 *
 * The machine is saved to a file and goes on in a second QEMU on a wire of
 * its own.  Whatever the first one had accepted must come out of the second,
 * once; a stream that was tampered with must be refused or be harmless.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define RING            0x06000000u
/* The board with the least memory, since every page is looked at */
#define MACHINE         "dockstar"

static Nic *source_new(void)
{
    Nic *n = nic_new_args(&(NicArgs) { .machine = MACHINE });

    nic_up(n);
    return n;
}

static Nic *target_new(void)
{
    return nic_new_incoming(&(NicArgs) { .machine = MACHINE });
}

/* Move to a new QEMU; the old one is gone */
static Nic *move(Nic *n)
{
    return nic_move(n, &(NicArgs) { .machine = MACHINE });
}

/* Every register that can be read without changing it */
static bool readable(uint32_t offset)
{
    return !(offset >= MV_MIB_BASE(0) &&
             offset < MV_MIB_BASE(0) + MV_MIB_SIZE) &&
           offset != PORT(MV_PXDFC) && offset != PORT(MV_PXOFC);
}

static void test_registers(void)
{
    g_autofree uint32_t *before = g_new0(uint32_t, MV643XX_MMIO_SIZE / 4);
    Nic *n = source_new();

    for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
        /* the port stays on, and SMI and queue commands are not storage */
        if (readable(offset) && offset != PORT(MV_PSC0) &&
            offset != PORT(MV_PSC1) && offset != MV_SMI &&
            offset != PORT(MV_TQC) && offset != MV_EUC) {
            nic_write(n, offset, 0x2b5c6e7d * (offset + 1));
        }
    }
    /* or the counts of tokens would grow */
    nic_write(n, PORT(MV_TX_MTU), 0);
    nic_write(n, MV_SMI, MV_SMI_OP_READ | 3 << MV_SMI_REG_SHIFT);
    for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
        before[offset / 4] = readable(offset) ? nic_read(n, offset) : 0;
    }
    n = move(n);
    for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
        if (readable(offset)) {
            g_assert_cmphex(nic_read(n, offset), ==, before[offset / 4]);
        }
    }
    nic_free(n);
}

/* Counters that clear when read, and those of the tests */
static void test_counters(void)
{
    static const char *const names[] = {
        "rx-offered", "rx-delivered", "rx-drop-filter", "tx-frames",
        "tx-descriptors", "irq-raised",
    };
    static const uint8_t foreign[6] = { 2, 1, 2, 3, 4, 5 };
    uint64_t before[ARRAY_SIZE(names)];
    Nic *n = source_new();
    RxRing rx;
    TxRing tx;
    Frame f;

    rx_ring_init(&rx, n, 0, 4, 1536);
    tx_ring_init(&tx, n, 0, 4);
    nic_write(n, PORT(MV_IM), IM_LINUX);
    frame_raw(&f, frame_nic_mac, 0x88b5, 500, 1);
    wire_send_frame(n, &f);
    tx_ring_put_frame(&tx, &f, 0);
    tx_ring_kick(&tx);
    frame_raw(&f, foreign, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        before[i] = nic_counter(n, names[i]);
    }
    n = move(n);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        g_assert_cmpuint(nic_counter(n, names[i]), ==, before[i]);
    }
    g_assert_cmpuint(nic_read(n, PORT(MV_PXDFC)), ==, 1);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 2);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_OCTETS_LO)), ==, 504 + 104);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_TX_FRAMES)), ==, 1);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_TX_OCTETS_LO)), ==, 504);
    g_assert_cmpuint(nic_read(n, MIB(MV_MIB_RX_FRAMES)), ==, 0);
    nic_free(n);
}

/* Lines stay as they are, and the guest can clear them on the other side */
static void test_lines(void)
{
    Nic *n = source_new();
    RxRing rx;
    Frame f;

    rx_ring_init(&rx, n, 0, 4, 1536);
    nic_write(n, PORT(MV_IM), IM_LINUX);
    nic_write(n, MV_EUIM, MV_EUIC_SMI_DONE);
    frame_raw(&f, frame_nic_mac, 0x88b5, 500, 1);
    wire_send_frame(n, &f);
    smi_read(n, 0, 2);
    n = move(n);
    rx.n = n;
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    g_assert_true(nic_irq(n, IRQ_GE0_RX));
    g_assert_true(nic_irq(n, IRQ_GE0_ERR));
    rx_ring_expect(&rx, &f, RX_NOT_IP);
    nic_write(n, PORT(MV_IC), 0);
    nic_write(n, MV_EUIC, 0);
    g_assert_false(nic_irq(n, IRQ_GE0_SUM));
    g_assert_false(nic_irq(n, IRQ_GE0_RX));
    g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    /* and traffic goes on */
    wire_send_frame(n, &f);
    rx_ring_expect(&rx, &f, RX_NOT_IP);
    g_assert_true(nic_irq(n, IRQ_GE0_SUM));
    nic_free(n);
}

static void put_row(Nic *n, uint32_t count)
{
    g_autofree uint8_t *ring = g_malloc0(count * MV_DESC_SIZE);

    for (uint32_t i = 0; i < count; i++) {
        uint8_t *d = ring + i * MV_DESC_SIZE;

        stl_le_p(d, MV_TXD_O | MV_TXD_F | MV_TXD_L);
        stw_le_p(d + 6, 60 + i);
        stl_le_p(d + 8, MEM_TX_BUF(0, 0));
        stl_le_p(d + 12, i == count - 1 ? 0 : RING + (i + 1) * MV_DESC_SIZE);
    }
    mem_write(n, RING, ring, count * MV_DESC_SIZE);
    nic_write(n, PORT(MV_TCQDP(0)), RING);
    nic_write(n, PORT(MV_TQC), 1);
}

/* The frames of put_row() are told apart by their length */
static unsigned take_row(Nic *n, unsigned next)
{
    uint8_t byte;
    ssize_t len;

    while ((len = recv(n->wire, &byte, 1, MSG_TRUNC | MSG_DONTWAIT)) > 0) {
        g_assert_cmpint(len, ==, 60 + next);
        next++;
    }
    return next;
}

/* A batch is pending, again and again: each frame leaves one QEMU once */
static void test_tx_pending(void)
{
    enum { FRAMES = 1500 };
    Nic *n = source_new();
    unsigned next;

    put_row(n, FRAMES);
    next = take_row(n, 0);
    g_assert_cmpuint(next, <, FRAMES);
    for (unsigned i = 0; i < 4; i++) {
        n = move(n);
        g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 1);
        next = take_row(n, next);
        g_assert_cmpuint(next, <, FRAMES);
        qtest_clock_step(n->qts, TX_RESUME_NS);
        next = take_row(n, next);
    }
    for (unsigned i = 0; i < 20; i++) {
        qtest_clock_step(n->qts, TX_RESUME_NS);
        next = take_row(n, next);
    }
    g_assert_cmpuint(next, ==, FRAMES);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 0);
    nic_free(n);
}

/* A frame whose rest is not owned yet: nothing of it was kept or lost */
static void test_tx_half_frame(void)
{
    Nic *n = source_new();
    TxBuf bufs[2];
    TxRing r;
    Frame f;

    tx_ring_init(&r, n, 0, 4);
    frame_raw(&f, frame_peer_mac, 0x88b5, 300, 1);
    bufs[0] = (TxBuf) { f.data, 100, 0 };
    bufs[1] = (TxBuf) { f.data + 100, 200, 0 };
    tx_ring_put(&r, bufs, 2, 0, 0);
    nic_rmw(n, PORT(MV_PSC0), 0, 0);
    mem_write32(n, tx_ring_desc(&r, 1), MV_TXD_L | MV_TXD_ZP | MV_TXD_EI);
    tx_ring_kick(&r);
    wire_expect_none(n);
    n = move(n);
    r.n = n;
    wire_expect_none(n);
    mem_write32(n, tx_ring_desc(&r, 1),
                MV_TXD_O | MV_TXD_L | MV_TXD_ZP | MV_TXD_EI);
    tx_ring_kick(&r);
    wire_expect_frame(n, &f);
    wire_expect_none(n);
    nic_free(n);
}

/* A queue that waits for the port starts on the other side */
static void test_tx_port_off(void)
{
    Nic *n = source_new();
    TxRing r;
    Frame f;

    tx_ring_init(&r, n, 3, 4);
    frame_raw(&f, frame_peer_mac, 0x88b5, 300, 1);
    tx_ring_put_frame(&r, &f, 0);
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    tx_ring_kick(&r);
    n = move(n);
    g_assert_cmphex(nic_read(n, PORT(MV_TQC)), ==, 1 << 3);
    wire_expect_none(n);
    nic_rmw(n, PORT(MV_PSC0), 0, MV_PSC0_PORT_EN);
    wire_expect_frame(n, &f);
    nic_free(n);
}

/* Frames that wait for descriptors move along, in order */
static void test_rx_held(void)
{
    enum { FRAMES = 5 };
    Nic *n = source_new();
    RxRing r;
    Frame f;

    rx_ring_init(&r, n, 0, 8, 1536);
    for (unsigned i = 0; i < r.count; i++) {
        mem_write32(n, rx_ring_desc(&r, i), 0);
    }
    for (unsigned i = 0; i < FRAMES; i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, 100 + 200 * i, i);
        wire_send_frame(n, &f);
    }
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, FRAMES);
    nic_ack_all(n);
    n = move(n);
    r.n = n;
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, FRAMES);
    /* the loss was reported before */
    g_assert_cmphex(nic_read(n, PORT(MV_IC)), ==, 0);
    for (unsigned i = 0; i < r.count; i++) {
        rx_ring_give(&r, i);
    }
    qtest_clock_step(n->qts, RX_RETRY_NS);
    for (unsigned i = 0; i < FRAMES; i++) {
        frame_raw(&f, frame_nic_mac, 0x88b5, 100 + 200 * i, i);
        rx_ring_expect(&r, &f, RX_NOT_IP);
    }
    rx_ring_expect_none(&r);
    nic_free(n);
}

/* They do not wait longer for having moved */
static void test_rx_held_expires(void)
{
    Nic *n = source_new();
    RxRing r;
    Frame f;

    rx_ring_init(&r, n, 0, 1, 1536);
    mem_write32(n, rx_ring_desc(&r, 0), 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    qtest_clock_step(n->qts, RX_HOLD_NS - 4 * RX_RETRY_NS);
    n = move(n);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 1);
    qtest_clock_step(n->qts, 8 * RX_RETRY_NS);
    g_assert_cmpuint(nic_counter(n, "rx-held"), ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_PXDFC)), ==, 1);
    nic_free(n);
}

/* A multi-descriptor ring position */
static void test_rx_scatter(void)
{
    Nic *n = source_new();
    RxRing r;
    Frame f;

    rx_ring_init(&r, n, 2, 8, 256);
    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 2);
    frame_raw(&f, frame_nic_mac, 0x88b5, 600, 1);
    wire_send_frame(n, &f);
    n = move(n);
    r.n = n;
    g_assert_cmphex(nic_read(n, PORT(MV_CRDP(2))), ==, rx_ring_desc(&r, 3));
    r.head = 3;
    frame_raw(&f, frame_nic_mac, 0x88b5, 200, 1);
    wire_send_frame(n, &f);
    rx_ring_expect(&r, &f, RX_NOT_IP);
    nic_free(n);
}

/* The guest's link stays down until the new host's cable says otherwise */
static void test_link_down(void)
{
    Nic *n = source_new();

    nic_write(n, PORT(MV_IME), IME_LINUX);
    nic_set_link(n, false);
    n = move(n);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_LINK, ==, 0);
    g_assert_cmphex(smi_read(n, 0, 1) & 4, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) &
                    (MV_ICE_PHY_STC | MV_ICE_LINK), ==,
                    MV_ICE_PHY_STC | MV_ICE_LINK);
    nic_ack_all(n);
    nic_set_link(n, false);
    nic_set_link(n, true);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, 0x416);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_LINK, !=, 0);
    nic_free(n);
}

/* The PHY: page, banked registers, what it negotiated, latched status */
static void test_phy(void)
{
    Nic *n = source_new();

    smi_write(n, 0, 22, 2);
    smi_write(n, 0, 21, 0x1070);
    smi_write(n, 0, 22, 0);
    smi_write(n, 0, 9, 0);
    smi_write(n, 0, 0, 0x1340);
    nic_set_link(n, false);
    nic_set_link(n, true);
    smi_write(n, 0, 22, 3);
    n = move(n);
    g_assert_cmphex(smi_read(n, 0, 22), ==, 3);
    smi_write(n, 0, 22, 2);
    g_assert_cmphex(smi_read(n, 0, 21), ==, 0x1070);
    smi_write(n, 0, 22, 0);
    g_assert_cmphex(smi_read(n, 0, 9), ==, 0);
    g_assert_cmphex(smi_read(n, 0, 1) & 4, ==, 0);
    g_assert_cmphex(smi_read(n, 0, 1) & 4, ==, 4);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, 0x426);
    nic_free(n);
}

/* One event of each direction, given back to the rings' next use */
static void receive_and_send(Nic *n, RxRing *rx, TxRing *tx)
{
    Frame f;

    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    rx->n = n;
    tx->n = n;
    wire_send_frame(n, &f);
    tx_ring_put_frame(tx, &f, 0);
    tx_ring_kick(tx);
    wire_expect_frame(n, &f);
}

static void expect_rx_tx_lines(Nic *n, bool rx, bool tx)
{
    g_assert_cmpint(nic_irq(n, IRQ_GE0_RX), ==, rx);
    g_assert_cmpint(nic_irq(n, IRQ_GE0_TX), ==, tx);
    g_assert_cmpint(nic_irq(n, IRQ_GE0_SUM), ==, rx || tx);
}

/*
 * Moderated interrupts (4.7): 781 and 1000 units of 320 ns, of which 100,000
 * pass on one side and one in between.
 */
static void test_moderation(void)
{
    enum { RX_NS = 781 * 320, TX_NS = 1000 * 320 };
    Nic *n = source_new();
    RxRing rx;
    TxRing tx;

    rx_ring_init(&rx, n, 0, 8, 256);
    tx_ring_init(&tx, n, 0, 8);
    nic_write(n, PORT(MV_IME), 0xff);
    nic_write(n, PORT(MV_IM), MV_IC_EXT | 0x3fc);
    nic_write(n, PORT(MV_SDC), 0x00800034 | 781 << 7);
    nic_write(n, PORT(MV_PTFUT), 1000 << 4);
    qtest_clock_step(n->qts, 1000);
    receive_and_send(n, &rx, &tx);
    expect_rx_tx_lines(n, true, true);
    nic_ack_all(n);
    receive_and_send(n, &rx, &tx);
    expect_rx_tx_lines(n, false, false);
    qtest_clock_step(n->qts, 100000);
    n = move(n);
    expect_rx_tx_lines(n, false, false);
    qtest_clock_step(n->qts, RX_NS - 100002);
    expect_rx_tx_lines(n, false, false);
    qtest_clock_step(n->qts, 1);
    expect_rx_tx_lines(n, true, false);
    g_assert_cmpuint(nic_counter(n, "irq-raised"), ==, 2);
    g_assert_cmpuint(nic_counter(n, "irq-suppressed-rx"), ==, 1);
    g_assert_cmpuint(nic_counter(n, "irq-suppressed-tx"), ==, 1);
    /* one is up, one waits */
    n = move(n);
    expect_rx_tx_lines(n, true, false);
    qtest_clock_step(n->qts, TX_NS - RX_NS - 2);
    expect_rx_tx_lines(n, true, false);
    qtest_clock_step(n->qts, 1);
    expect_rx_tx_lines(n, true, true);
    /* both are up, and cleared on the other side */
    n = move(n);
    expect_rx_tx_lines(n, true, true);
    nic_ack_all(n);
    receive_and_send(n, &rx, &tx);
    expect_rx_tx_lines(n, false, false);
    qtest_clock_step(n->qts, TX_NS - 2);
    expect_rx_tx_lines(n, true, false);
    qtest_clock_step(n->qts, 1);
    expect_rx_tx_lines(n, true, true);
    nic_free(n);
}

/* Frame k of put_row() starts when the 64 + i octets before it are back */
static int64_t row_start(int64_t t0, unsigned k, unsigned rate)
{
    return t0 + DIV_ROUND_UP(2560LL * (64 * k + k * (k - 1) / 2), rate);
}

/*
 * A queue that waits for tokens (6.5), with some and in debt; at rate 7 an
 * octet takes 2560 / 7 ns, and no fraction is lost on the way.
 */
static void check_buckets(unsigned size, unsigned count, unsigned rate)
{
    Nic *n = source_new();
    int64_t t0 = qtest_clock_step(n->qts, 1000);

    nic_write(n, PORT(MV_TX_MTU), 1);
    nic_write(n, PORT(MV_TXQ_CONFIG(0)), size << 10 | rate);
    nic_write(n, PORT(MV_TXQ_COUNT(0)), count << 14);
    put_row(n, 100);
    g_assert_cmpuint(take_row(n, 0), ==, 1);
    for (unsigned k = 1; k < 6; k++) {
        n = move(n);
        qtest_clock_set(n->qts, row_start(t0, k, rate) - 1);
        g_assert_cmpuint(take_row(n, k), ==, k);
        qtest_clock_step(n->qts, 1);
        g_assert_cmpuint(take_row(n, k), ==, k + 1);
    }
    nic_free(n);
}

static void test_buckets(void)
{
    check_buckets(2, 1, 7);
    check_buckets(0, 0, 8);
}

/* Offset of @needle in @data, where it must be */
static size_t find(const char *data, size_t len, const void *needle,
                   size_t needle_len)
{
    const char *at = memmem(data, len, needle, needle_len);

    g_assert_nonnull(at);
    return at - data;
}

/* Use the port as far as a tampered state lets us */
static void exercise(Nic *n)
{
    uint8_t frame[100] = { 0 };

    for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
        nic_read(n, offset);
    }
    nic_write(n, PORT(MV_TQC), 0xff);
    nic_write(n, PORT(MV_RQC), 0xff);
    g_assert_cmpint(send(n->wire, frame, sizeof(frame), MSG_DONTWAIT), >, 0);
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
    nic_counter(n, "rx-offered");
    smi_read(n, 0, 1);
    qtest_system_reset(n->qts);
    qtest_clock_step(n->qts, 2 * RX_HOLD_NS);
    nic_counter(n, "rx-offered");
}

/* A tampered stream: refused, or loaded and harmless; never a crash */
static bool try_tampered(const uint8_t *data, size_t len, int64_t now)
{
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("mv643xx-state-XXXXXX", &path, NULL);
    Nic *n;
    bool loaded;

    close(fd);
    g_assert_true(g_file_set_contents(path, (const char *)data, len, NULL));
    n = target_new();
    loaded = nic_load(n, path, now);
    if (loaded) {
        exercise(n);
    }
    unlink(path);
    nic_free(n);
    return loaded;
}

typedef struct TamperedRegion {
    size_t from;
    unsigned tries;
    unsigned step;
} TamperedRegion;

/*
 * What hurts most in an index, a length or a time: bytes that make it huge.
 * The places are found by what must be near them: names of sections, and the
 * held frame, which lies behind its record of 24 bytes (numbers little-endian
 * there) in the middle of the wire's state.
 */
static void test_tampered(void)
{
    Nic *n = source_new();
    g_autofree char *data = NULL, *path = NULL;
    const TamperedRegion *regions;
    size_t len, unit, port, phy, held;
    RxRing r;
    Frame f;
    int64_t now;
    unsigned refused = 0;

    rx_ring_init(&r, n, 0, 1, 1536);
    mem_write32(n, rx_ring_desc(&r, 0), 0);
    frame_raw(&f, frame_nic_mac, 0x88b5, 100, 1);
    wire_send_frame(n, &f);
    put_row(n, 1000);
    now = qtest_clock_step(n->qts, 1);
    path = nic_save(n);
    nic_free(n);
    g_assert_true(g_file_get_contents(path, &data, &len, NULL));
    unlink(path);
    port = find(data, len, "mv643xx-port", 12);
    held = port + find(data + port, len - port, f.data, f.len);
    unit = held + find(data + held, len - held, "mv643xx", 7);
    phy = find(data, len, "mv88e1xxx", 9);
    regions = (TamperedRegion[]) {
        { unit - 8, 4, 7 },             /* section headers */
        { port - 8, 4, 7 },
        { phy - 8, 4, 7 },
        { port + 32, 3, 1361 },         /* registers, counters, filters */
        { held - 164, 11, 8 },          /* times of the DMA */
        { held - 76, 4, 1 },            /* its state */
        { held - 72, 5, 4 },            /* its descriptors */
        { held - 52, 2, 4 },            /* frames in the FIFO */
        { held - 44, 2, 8 },            /* times of the transmit lane */
        { held - 28, 4, 1 },            /* bytes of received frames */
        { held - 24 + 7, 2, 8 },        /* times of the frame */
        { held - 24 + 16, 7, 1 },       /* its length and rate */
        { held + 100, 4, 8 },           /* times of the receive lane */
        { held + 132 + 16384, 4, 1 },   /* length of the frame refused */
        { 0 },
    };
    for (size_t i = 0; regions[i].tries; i++) {
        for (unsigned k = 0; k < regions[i].tries; k++) {
            g_autofree uint8_t *bad = g_memdup2(data, len);
            size_t at = regions[i].from + k * regions[i].step;

            g_assert_cmpuint(at, <, len);
            bad[at] ^= 0x7f;
            refused += !try_tampered(bad, len, now);
        }
    }
    g_assert_cmpuint(refused, >, 10);
    /* a frame that is longer than what there is of it */
    data[held - 24 + 16]++;
    g_assert_false(try_tampered((uint8_t *)data, len, now));
    data[held - 24 + 16]--;
    /* cut off behind it, so that what would show that it is wrong is missing */
    for (size_t at = held - 76; at < held - 24; at += at < held - 72 ? 1 : 4) {
        g_autofree uint8_t *bad = g_memdup2(data, len);

        bad[at] ^= 0x7f;
        g_assert_false(try_tampered(bad, at + 4, now));
    }
    /* cut off in the middle */
    g_assert_false(try_tampered((uint8_t *)data, held, now));
    /* and the untouched one is fine */
    g_assert_true(try_tampered((uint8_t *)data, len, now));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/migrate/C-14-registers", test_registers);
    qtest_add_func("/mv643xx/migrate/C-14-counters", test_counters);
    qtest_add_func("/mv643xx/migrate/C-14-lines", test_lines);
    qtest_add_func("/mv643xx/migrate/C-14-tx-pending", test_tx_pending);
    qtest_add_func("/mv643xx/migrate/C-14-tx-half-frame",
                   test_tx_half_frame);
    qtest_add_func("/mv643xx/migrate/C-14-tx-port-off", test_tx_port_off);
    qtest_add_func("/mv643xx/migrate/C-14-rx-held", test_rx_held);
    qtest_add_func("/mv643xx/migrate/C-14-rx-held-expires",
                   test_rx_held_expires);
    qtest_add_func("/mv643xx/migrate/C-14-rx-scatter", test_rx_scatter);
    qtest_add_func("/mv643xx/migrate/C-14-link-down", test_link_down);
    qtest_add_func("/mv643xx/migrate/C-14-phy", test_phy);
    qtest_add_func("/mv643xx/migrate/C-14-moderation", test_moderation);
    qtest_add_func("/mv643xx/migrate/C-14-buckets", test_buckets);
    qtest_add_func("/mv643xx/migrate/C-14-tampered", test_tampered);
    return g_test_run();
}
