/*
 * mv643xx: time on the wire, to the nanosecond, at three speeds
 *
 * A byte takes 8000 / rate ns with the rate in Mb/s.  A frame is 8 bytes of
 * preamble, itself (60 bytes at least), 4 bytes of FCS, and 12 bytes of gap
 * before the next one (IEEE 802.3, 3.1.1 and 4.4.2).  All that is expected
 * here is that arithmetic, and a transmit FIFO of 2048 bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qobject/qlist.h"
#include "mv643xx-util.h"

#define PREAMBLE        8
#define FCS             4
#define GAP             12
#define FIFO            2048
#define CATCH_UP        256     /* of the model: docs/device.md */

static const unsigned rates[] = { 1000, 100, 10 };

/* A port that has negotiated @mbps, on a wire that takes time */
typedef struct Lane {
    Nic *n;
    int64_t byte;       /* ns */
    int64_t now;        /* virtual time, ns */
    TxRing tx;
    RxRing rx;
    Frame f;
} Lane;

/* Frames by their length: from the port, and to it */
static void frame_out(Frame *f, size_t len)
{
    frame_raw(f, frame_peer_mac, 0x88b5, len, len % 256);
}

static void frame_in(Frame *f, size_t len)
{
    frame_raw(f, frame_nic_mac, 0x88b5, len, len % 256);
}

static void negotiate(Nic *n, unsigned mbps)
{
    static const uint32_t status[] = { 0x406, 0x426, 0x416 };

    smi_write(n, 0, 9, mbps == 1000 ? 0x0300 : 0);
    smi_write(n, 0, 4, mbps == 10 ? 0x0061 : 0x01e1);
    smi_write(n, 0, 0, 0x1340);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==,
                    status[mbps == 1000 ? 2 : mbps == 100]);
    nic_ack_all(n);
}

static void lane_init(Lane *l, Nic *n, unsigned mbps)
{
    *l = (Lane) { .n = n, .byte = 8000 / mbps };
    nic_up(n);
    nic_write(n, PORT(MV_PSC0), 0x00060601);    /* MRU 9022 */
    negotiate(n, mbps);
    tx_ring_init(&l->tx, n, 0, 64);
    rx_ring_init(&l->rx, n, 0, 64, 2048);
    l->now = qtest_clock_step(n->qts, 1);
}

static void lane_new_args(Lane *l, unsigned mbps, const char *extra)
{
    lane_init(l, nic_new_args(&(NicArgs) { .paced = true, .extra = extra }),
              mbps);
}

static void lane_new(Lane *l, unsigned mbps)
{
    lane_new_args(l, mbps, NULL);
}

/* No step of 0 ns: QEMU refuses that */
static void step(Lane *l, int64_t ns)
{
    if (ns) {
        l->now = qtest_clock_step(l->n->qts, ns);
    }
}

static void step_to(Lane *l, int64_t ns)
{
    g_assert_cmpint(l->now, <=, ns);
    step(l, ns - l->now);
}

static void set(Nic *n, const char *name, const char *value)
{
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'qom-set', 'arguments':"
                             " { 'path': %s, 'property': %s, 'value': %s } }",
                             n->qom, name, value);
}

static void set_ns(Nic *n, const char *name, int64_t ns)
{
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'qom-set', 'arguments':"
                             " { 'path': %s, 'property': %s,"
                             " 'value': %" PRId64 " } }", n->qom, name, ns);
}

/* Time from a frame's start to its last bit, and to the next one's start */
static int64_t last_bit(Lane *l, unsigned len)
{
    return (PREAMBLE + MAX(len, 60u) + FCS) * l->byte;
}

static int64_t slot(Lane *l, unsigned len)
{
    return last_bit(l, len) + GAP * l->byte;
}

/* Queue a frame of @len bytes; the index of its descriptor */
static unsigned put(Lane *l, unsigned len)
{
    frame_out(&l->f, len);
    return tx_ring_put_frame(&l->tx, &l->f, 0);
}

static bool owned(Lane *l, unsigned desc)
{
    return mem_read32(l->n, tx_ring_desc(&l->tx, desc)) & MV_TXD_O;
}

static uint32_t fifo_status(Lane *l)
{
    return nic_read(l->n, PORT(MV_PS0)) &
           (MV_PS0_TX_FIFO_EMPTY | MV_PS0_TX_IN_PROGRESS);
}

static void expect_sent(Lane *l, unsigned len)
{
    frame_out(&l->f, len);
    wire_expect_frame(l->n, &l->f);
    wire_expect_none(l->n);
}

/* Nothing until @ns, and the frame of @len bytes then */
static void expect_sent_at(Lane *l, unsigned len, int64_t ns)
{
    step_to(l, ns - 1);
    wire_expect_none(l->n);
    step(l, 1);
    expect_sent(l, len);
}

/* One frame: what the guest sees at once, and what at the wire end */
static void test_instants(void)
{
    static const unsigned lengths[] = { 60, 61, 100, 1514, 2048 };

    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        int64_t busy = 0;
        Lane l;

        lane_new(&l, rates[k]);
        for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
            unsigned len = lengths[i];
            unsigned desc = put(&l, len);
            int64_t kick = l.now;

            tx_ring_kick(&l.tx);
            /* DMA done: the queue has nothing to do, the wire has */
            tx_ring_expect_done(&l.tx, desc, 1);
            g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0);
            g_assert_cmphex(nic_read(l.n, PORT(MV_TCQDP(0))), ==,
                            tx_ring_desc(&l.tx, desc + 1));
            g_assert_cmphex(nic_read(l.n, PORT(MV_ICE)), ==, MV_ICE_TXBUF(0));
            g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, 0);
            nic_write(l.n, PORT(MV_ICE), 0);

            step_to(&l, kick + last_bit(&l, len) - 1);
            wire_expect_none(l.n);
            g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, 0);
            g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_IN_PROGRESS);
            g_assert_cmpuint(nic_read(l.n, MIB(MV_MIB_TX_FRAMES)), ==, 0);
            g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, i);
            step(&l, 1);
            expect_sent(&l, len);
            g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
            g_assert_cmphex(nic_read(l.n, PORT(MV_ICE)), ==, 0);
            g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_FIFO_EMPTY);
            g_assert_cmpuint(nic_read(l.n, MIB(MV_MIB_TX_FRAMES)), ==, 1);
            g_assert_cmpuint(nic_read(l.n, MIB(MV_MIB_TX_OCTETS_LO)), ==,
                             len + FCS);
            nic_write(l.n, PORT(MV_IC), 0);
            busy += slot(&l, len);
            g_assert_cmpuint(nic_counter(l.n, "tx-busy-ns"), ==, busy);
            step_to(&l, kick + slot(&l, len));
        }
        g_assert_cmpuint(nic_counter(l.n, "tx-fifo-full-ns"), ==, 0);
        nic_free(l.n);
    }
}

/* A frame below 60 bytes takes the time of one of 60 */
static void test_short(void)
{
    Lane l;

    lane_new(&l, 100);
    for (unsigned len = 20; len < 60; len += 13) {
        int64_t kick = l.now;
        Desc d = {
            .cmd_sts = MV_TXD_O | MV_TXD_F | MV_TXD_L,
            .count = len,
            .buf = MEM_TX_BUF(0, 0),
        };

        frame_out(&l.f, len);
        mem_write(l.n, d.buf, l.f.data, len);
        desc_write(l.n, MEM_SCRATCH, &d);
        nic_write(l.n, PORT(MV_TCQDP(0)), MEM_SCRATCH);
        tx_ring_kick(&l.tx);
        expect_sent_at(&l, len, kick + (8 + 60 + 4) * 80);
        step(&l, 12 * 80);
    }
    nic_free(l.n);
}

/* Frames that are there follow each other with nothing but the gap */
static void test_back_to_back(void)
{
    static const unsigned lengths[] = { 700, 60, 600, 61, 300 };

    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        int64_t start;
        Lane l;

        lane_new(&l, rates[k]);
        start = l.now;
        for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
            put(&l, lengths[i]);
        }
        tx_ring_kick(&l.tx);
        for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
            g_assert_cmphex(nic_read(l.n, PORT(MV_IC)) & MV_IC_TXEND(0), ==,
                            0);
            expect_sent_at(&l, lengths[i], start + last_bit(&l, lengths[i]));
            start += slot(&l, lengths[i]);
        }
        /* one TxEnd, for the last of them */
        g_assert_cmphex(nic_read(l.n, PORT(MV_IC)) & MV_IC_TXEND(0), ==,
                        MV_IC_TXEND(0));
        nic_free(l.n);
    }
}

/* The next start is when the wire is free or at the kick: the later one */
static void test_next_start(void)
{
    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        int64_t start, free;
        Lane l;

        lane_new(&l, rates[k]);
        start = l.now;
        put(&l, 200);
        tx_ring_kick(&l.tx);
        free = start + slot(&l, 200);
        expect_sent_at(&l, 200, start + last_bit(&l, 200));

        /* in the gap, one ns before it ends */
        step_to(&l, free - 1);
        put(&l, 100);
        tx_ring_kick(&l.tx);
        expect_sent_at(&l, 100, free + last_bit(&l, 100));
        free += slot(&l, 100);

        /* one ns after it */
        step_to(&l, free + 1);
        put(&l, 300);
        tx_ring_kick(&l.tx);
        expect_sent_at(&l, 300, free + 1 + last_bit(&l, 300));
        nic_free(l.n);
    }
}

/* DMA waits while the FIFO is full: a descriptor returns with its last byte */
static void test_fifo_full(void)
{
    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        int64_t start, done[3];
        unsigned desc;
        Lane l;

        lane_new(&l, rates[k]);
        start = l.now;
        desc = put(&l, 1500);
        put(&l, 1500);
        put(&l, 1500);
        tx_ring_kick(&l.tx);
        /*
         * 3000 - 2048 bytes of the first must have left for the second to be
         * in, and as many of the second for the third.
         */
        done[0] = start;
        done[1] = start + (PREAMBLE + 3000 - FIFO) * l.byte;
        done[2] = done[1] + slot(&l, 1500);
        for (unsigned i = 0; i < 3; i++) {
            if (i) {
                nic_write(l.n, PORT(MV_ICE), 0);
                step_to(&l, done[i] - 1);
                g_assert_true(owned(&l, desc + i));
                g_assert_cmphex(nic_read(l.n, PORT(MV_TCQDP(0))), ==,
                                tx_ring_desc(&l.tx, desc + i));
                g_assert_cmphex(nic_read(l.n, PORT(MV_ICE)), ==, 0);
                g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 1);
                step(&l, 1);
            }
            tx_ring_expect_done(&l.tx, desc + i, 1);
            g_assert_cmphex(nic_read(l.n, PORT(MV_ICE)), ==, MV_ICE_TXBUF(0));
            g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, 0);
        }
        g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0);
        g_assert_cmpuint(nic_counter(l.n, "tx-fifo-full-ns"), ==,
                         done[2] - start);
        /* one has left by then, the others come right behind it */
        g_assert_cmpuint(wire_flush(l.n), ==, 1);
        expect_sent_at(&l, 1500, start + slot(&l, 1500) + last_bit(&l, 1500));
        expect_sent_at(&l, 1500, start + 2 * slot(&l, 1500) +
                                 last_bit(&l, 1500));
        g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
        nic_free(l.n);
    }
}

/* A frame larger than the FIFO starts while its end is still in memory */
static void test_jumbo(void)
{
    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        int64_t start, done;
        unsigned desc;
        Lane l;

        lane_new(&l, rates[k]);
        start = l.now;
        desc = put(&l, 9000);
        tx_ring_kick(&l.tx);
        done = start + (PREAMBLE + 9000 - FIFO) * l.byte;
        step_to(&l, done - 1);
        g_assert_true(owned(&l, desc));
        step(&l, 1);
        g_assert_false(owned(&l, desc));
        expect_sent_at(&l, 9000, start + last_bit(&l, 9000));
        g_assert_cmpuint(nic_counter(l.n, "tx-fifo-full-ns"), ==,
                         done - start);
        nic_free(l.n);
    }
}

/* The backend has a frame one delay after its wire end, the guest knows then */
static void test_delay(void)
{
    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        int64_t start, end;
        Lane l;

        lane_new_args(&l, rates[k], "-global mv643xx-port.wire-delay=50000");
        start = l.now;
        put(&l, 100);
        put(&l, 200);
        tx_ring_kick(&l.tx);
        end = start + slot(&l, 100) + last_bit(&l, 200);
        if (end < start + last_bit(&l, 100) + 50000) {
            step_to(&l, end);
            g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
            g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_FIFO_EMPTY);
            g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 2);
        }
        expect_sent_at(&l, 100, start + last_bit(&l, 100) + 50000);
        expect_sent_at(&l, 200, end + 50000);

        /* a shorter cable lets no frame overtake another */
        start = l.now;
        put(&l, 100);
        tx_ring_kick(&l.tx);
        set_ns(l.n, "wire-delay", 0);
        put(&l, 200);
        tx_ring_kick(&l.tx);
        end = start + slot(&l, 100) + last_bit(&l, 200);
        step_to(&l, MAX(start + last_bit(&l, 100) + 50000, end) - 1);
        frame_out(&l.f, 100);
        if (rates[k] == 10) {
            wire_expect_frame(l.n, &l.f);
        }
        wire_expect_none(l.n);
        step(&l, 1);
        if (rates[k] != 10) {
            wire_expect_frame(l.n, &l.f);
        }
        expect_sent(&l, 200);
        nic_free(l.n);
    }
}

static void offer(Lane *l, unsigned len)
{
    frame_in(&l->f, len);
    wire_queue(l->n, l->f.data, len);
}

/* The frame of @len bytes is in memory at @ns and not before */
static void expect_received_at(Lane *l, unsigned len, int64_t ns)
{
    step_to(l, ns - 1);
    rx_ring_expect_none(&l->rx);
    g_assert_cmphex(nic_read(l->n, PORT(MV_IC)), ==, 0);
    g_assert_cmpuint(nic_read(l->n, MIB(MV_MIB_RX_FRAMES)), ==, 0);
    step(l, 1);
    g_assert_cmphex(nic_read(l->n, PORT(MV_IC)), ==,
                    MV_IC_RX | MV_IC_RXQ(0));
    g_assert_cmpuint(nic_read(l->n, MIB(MV_MIB_RX_FRAMES)), ==, 1);
    frame_in(&l->f, len);
    rx_ring_expect(&l->rx, &l->f, RX_NOT_IP);
    nic_write(l->n, PORT(MV_IC), 0);
}

/* Frames of a sender without wire come at the rate of this one */
static void test_receive(void)
{
    static const unsigned lengths[] = { 1000, 60, 20, 1514, 61 };

    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        for (unsigned delay = 0; delay <= 50000; delay += 50000) {
            int64_t start, busy = 0;
            Lane l;

            lane_new(&l, rates[k]);
            set_ns(l.n, "wire-delay", delay);
            start = l.now;
            for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
                offer(&l, lengths[i]);
            }
            nic_settle(l.n);
            g_assert_cmpuint(nic_counter(l.n, "rx-held"), ==, 5);
            for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
                unsigned len = MAX(lengths[i], 60);

                expect_received_at(&l, lengths[i], start + delay +
                                   last_bit(&l, len));
                start += slot(&l, len);
                busy += slot(&l, len);
            }
            g_assert_cmpuint(nic_counter(l.n, "rx-busy-ns"), ==, busy);
            /* after a pause the sender's time counts */
            step(&l, 12345);
            start = l.now;
            offer(&l, 333);
            nic_settle(l.n);
            expect_received_at(&l, 333, start + delay + last_bit(&l, 333));
            nic_free(l.n);
        }
    }
}

/* Without a descriptor a frame is lost when it arrives, and counted then */
static void test_no_descriptor(void)
{
    int64_t start;
    Lane l;

    lane_new(&l, 100);
    rx_ring_init(&l.rx, l.n, 0, 1, 2048);
    start = l.now;
    offer(&l, 500);
    offer(&l, 600);
    nic_settle(l.n);
    expect_received_at(&l, 500, start + (500 + 12) * 80);
    step_to(&l, start + (500 + 24 + 600 + 12) * 80 - 1);
    g_assert_cmpuint(nic_counter(l.n, "rx-drop-no-descriptor"), ==, 0);
    step(&l, 1);
    g_assert_cmpuint(nic_counter(l.n, "rx-drop-no-descriptor"), ==, 1);
    g_assert_cmpuint(nic_read(l.n, PORT(MV_PXDFC)), ==, 1);
    g_assert_cmpuint(nic_read(l.n, MIB(MV_MIB_RX_FRAMES)), ==, 1);
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==,
                    MV_IC_RXERR | MV_IC_RXERRQ(0));
    /* a descriptor that comes later is for the next frame */
    rx_ring_refill(&l.rx);
    nic_ack_all(l.n);
    step(&l, 2 * RX_HOLD_NS);
    rx_ring_expect_none(&l.rx);
    start = l.now;
    offer(&l, 700);
    nic_settle(l.n);
    expect_received_at(&l, 700, start + (700 + 12) * 80);
    nic_free(l.n);
}

/* One record of a capture */
typedef struct Packet {
    int64_t ns;
    uint32_t len;
    const uint8_t *data;
} Packet;

/* The packets of a capture, which must be whole; @data is its file's content */
static GArray *read_pcap(const char *path, uint8_t **data)
{
    static const uint8_t header[] = {
        0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0x40, 0, 0, 1, 0, 0, 0,
    };
    GArray *packets = g_array_new(false, false, sizeof(Packet));
    gsize len;

    g_assert_true(g_file_get_contents(path, (char **)data, &len, NULL));
    g_assert_cmpuint(len, >=, sizeof(header));
    g_assert_cmpmem(*data, sizeof(header), header, sizeof(header));
    for (gsize at = sizeof(header); at < len;) {
        const uint8_t *record = *data + at;
        Packet p = {
            .ns = ldl_le_p(record) * 1000000000LL + ldl_le_p(record + 4),
            .len = ldl_le_p(record + 8),
            .data = record + 16,
        };

        g_assert_cmpuint(ldl_le_p(record + 4), <, 1000000000);
        g_assert_cmpuint(ldl_le_p(record + 12), ==, p.len);
        at += 16 + p.len;
        g_assert_cmpuint(at, <=, len);
        g_array_append_val(packets, p);
    }
    return packets;
}

static char *temp_file(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("mv643xx-wire-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

static void expect_packet(GArray *packets, unsigned i, int64_t ns,
                          const Frame *f)
{
    const Packet *p = &g_array_index(packets, Packet, i);

    g_assert_cmpuint(i, <, packets->len);
    g_assert_cmpint(p->ns, ==, ns);
    g_assert_cmpmem(p->data, p->len, f->data, MAX(f->len, 60));
}

/* Both directions, in the order of their stamps, wire end and last bit */
static void test_pcap(void)
{
    g_autofree char *path = temp_file();
    g_autofree char *extra = g_strdup_printf("-global mv643xx-port.pcap=%s",
                                             path);
    g_autofree uint8_t *data = NULL;
    GArray *packets;
    int64_t start;
    Frame f;
    Lane l;

    lane_new_args(&l, 100, extra);
    step(&l, 1999999999);
    start = l.now;
    offer(&l, 300);
    offer(&l, 100);
    nic_settle(l.n);
    put(&l, 200);
    put(&l, 250);
    tx_ring_kick(&l.tx);
    step(&l, 1000000);
    set(l.n, "pcap", "");
    put(&l, 80);
    tx_ring_kick(&l.tx);
    step(&l, 1000000);

    packets = read_pcap(path, &data);
    g_assert_cmpuint(packets->len, ==, 4);
    frame_out(&f, 200);
    expect_packet(packets, 0, start + 212 * 80, &f);
    frame_in(&f, 300);
    expect_packet(packets, 1, start + 312 * 80, &f);
    frame_in(&f, 100);
    expect_packet(packets, 2, start + (324 + 112) * 80, &f);
    frame_out(&f, 250);
    expect_packet(packets, 3, start + (224 + 262) * 80, &f);
    g_array_free(packets, true);
    nic_free(l.n);
    unlink(path);
}

/* QMP's error when @property is set to @value, which is JSON */
static char *refused(Nic *n, const char *property, const char *value)
{
    g_autofree char *command = g_strdup_printf(
        "{ 'execute': 'qom-set', 'arguments': { 'path': '%s',"
        " 'property': '%s', 'value': %s } }", n->qom, property, value);
    QDict *rsp = qtest_qmp(n->qts, command, NULL);
    char *desc;

    g_assert_true(qdict_haskey(rsp, "error"));
    desc = g_strdup(qdict_get_str(qdict_get_qdict(rsp, "error"), "desc"));
    qobject_unref(rsp);
    return desc;
}

static void test_bad_settings(void)
{
    static const char *const cases[][3] = {
        { "wire", "'fast'", "does not accept value 'fast'" },
        { "wire-delay", "8000001", "8000001 ns are more than 8000000" },
        { "wire-delay", "-1", "wire-delay" },
        { "wire-slack", "1000001", "1000001 ns are more than 1000000" },
        { "wire-slack", "'0'", "wire-slack" },
        { "pcap", "'/nonexistent/x.pcap'", "/nonexistent/x.pcap" },
        { "pcap", "'/dev/full'", "/dev/full" },
    };
    g_autofree char *path = temp_file();
    g_autofree char *json = g_strdup_printf("'%s'", path);
    g_autofree char *no_reader = NULL;
    g_autofree char *error = NULL;
    Lane l;

    lane_init(&l, nic_new_args(&(NicArgs) { .machine = "guruplug",
                                            .paced = true }), 1000);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        g_autofree char *desc = refused(l.n, cases[i][0], cases[i][1]);

        g_assert_nonnull(strstr(desc, cases[i][2]));
        g_assert_null(strchr(desc, '\n'));
    }
    /* a pipe that nobody reads */
    unlink(path);
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    no_reader = refused(l.n, "pcap", json);
    g_assert_nonnull(strstr(no_reader, path));
    unlink(path);
    /* a file has one writer */
    set(l.n, "pcap", path);
    l.n->qom[strlen("/machine/soc/gbe[")] = '1';
    error = refused(l.n, "pcap", json);
    l.n->qom[strlen("/machine/soc/gbe[")] = '0';
    g_assert_nonnull(strstr(error, "another capture"));
    nic_free(l.n);
    unlink(path);
}

/* Frames in flight keep their times when the wire changes */
static void test_switch(void)
{
    int64_t start;
    Lane l;

    lane_new(&l, 10);
    start = l.now;
    put(&l, 100);
    put(&l, 200);
    tx_ring_kick(&l.tx);
    offer(&l, 500);
    nic_settle(l.n);
    set(l.n, "wire", "ideal");
    put(&l, 300);
    tx_ring_kick(&l.tx);
    offer(&l, 600);
    nic_settle(l.n);
    expect_sent_at(&l, 100, start + 112 * 800);
    expect_sent_at(&l, 200, start + (124 + 212) * 800);
    expect_sent_at(&l, 300, start + (124 + 224) * 800);
    nic_ack_all(l.n);
    expect_received_at(&l, 500, start + 512 * 800);
    expect_received_at(&l, 600, start + 524 * 800);
    /* no time now */
    put(&l, 400);
    tx_ring_kick(&l.tx);
    expect_sent(&l, 400);
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, MV_IC_TXEND(0));

    set(l.n, "wire", "paced");
    start = l.now;
    put(&l, 500);
    tx_ring_kick(&l.tx);
    expect_sent_at(&l, 500, start + 512 * 800);
    nic_free(l.n);
}

/* A queue disabled in the middle of its DMA stops behind that frame (6.1) */
static void test_queue_disable(void)
{
    int64_t start;
    unsigned desc;
    Lane l;

    lane_new(&l, 1000);
    start = l.now;
    desc = put(&l, 1500);
    put(&l, 1500);
    put(&l, 1500);
    tx_ring_kick(&l.tx);
    nic_write(l.n, PORT(MV_TQC), 0x100);
    g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0x01);
    step_to(&l, start + (8 + 952) * 8 - 1);
    g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0x01);
    step(&l, 1);
    g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0);
    g_assert_false(owned(&l, desc + 1));
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, 0);
    step_to(&l, start + (1524 + 1512) * 8 - 1);
    g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_IN_PROGRESS);
    step(&l, 1);
    g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_FIFO_EMPTY);
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
    step(&l, RX_HOLD_NS);
    g_assert_true(owned(&l, desc + 2));
    g_assert_cmpuint(wire_flush(l.n), ==, 2);
    /* and goes on from there */
    tx_ring_kick(&l.tx);
    g_assert_false(owned(&l, desc + 2));
    step(&l, 1512 * 8);
    expect_sent(&l, 1500);
    nic_free(l.n);
}

/* With the port disabled the FIFO empties, and nothing new enters it */
static void test_port_disable(void)
{
    int64_t start;
    unsigned desc;
    Lane l;

    lane_new(&l, 1000);
    start = l.now;
    desc = put(&l, 1500);
    put(&l, 1500);
    put(&l, 1500);
    tx_ring_kick(&l.tx);
    offer(&l, 1000);
    nic_settle(l.n);
    nic_rmw(l.n, PORT(MV_PSC0), MV_PSC0_PORT_EN, 0);
    step_to(&l, start + (1524 + 1512) * 8);
    g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_FIFO_EMPTY);
    g_assert_cmpuint(wire_flush(l.n), ==, 2);
    g_assert_true(owned(&l, desc + 2));
    g_assert_cmpuint(nic_counter(l.n, "rx-drop-port-disabled"), ==, 1);
    step(&l, 5000);
    start = l.now;
    nic_rmw(l.n, PORT(MV_PSC0), 0, MV_PSC0_PORT_EN);
    expect_sent_at(&l, 1500, start + 1512 * 8);
    rx_ring_expect_none(&l.rx);
    nic_free(l.n);
}

/* Without a link frames come back to the driver and are lost */
static void test_link_down(void)
{
    unsigned desc;
    Lane l;

    lane_new(&l, 1000);
    desc = put(&l, 1500);
    put(&l, 1500);
    put(&l, 1500);
    tx_ring_kick(&l.tx);
    offer(&l, 1000);
    nic_settle(l.n);
    step(&l, 100);
    g_assert_true(owned(&l, desc + 1));
    nic_set_link(l.n, false);
    for (unsigned i = 0; i < 3; i++) {
        tx_ring_expect_done(&l.tx, desc + i, 1);
    }
    g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)) & MV_IC_TXEND(0), !=, 0);
    g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_FIFO_EMPTY);
    g_assert_cmpuint(nic_counter(l.n, "tx-drop-link-down"), ==, 3);
    g_assert_cmpuint(nic_counter(l.n, "rx-drop-link-down"), ==, 1);
    nic_set_link(l.n, true);
    put(&l, 100);
    tx_ring_kick(&l.tx);
    step(&l, 112 * 8 - 1);
    wire_expect_none(l.n);
    step(&l, 1);
    expect_sent(&l, 100);
    step(&l, RX_HOLD_NS);
    wire_expect_none(l.n);
    rx_ring_expect_none(&l.rx);
    nic_free(l.n);
}

/* The port's reset bit empties the FIFO; the descriptor in DMA stays owned */
static void test_port_reset(void)
{
    unsigned desc;
    Lane l;

    lane_new(&l, 1000);
    desc = put(&l, 1500);
    put(&l, 1500);
    tx_ring_kick(&l.tx);
    offer(&l, 1000);
    nic_settle(l.n);
    step(&l, 100);
    nic_rmw(l.n, PORT(MV_PSC1), 0, MV_PSC1_PORT_RESET);
    g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0);
    g_assert_cmphex(fifo_status(&l), ==, MV_PS0_TX_FIFO_EMPTY);
    nic_rmw(l.n, PORT(MV_PSC1), MV_PSC1_PORT_RESET, 0);
    step(&l, RX_HOLD_NS);
    wire_expect_none(l.n);
    g_assert_true(owned(&l, desc + 1));
    g_assert_cmphex(nic_read(l.n, PORT(MV_TCQDP(0))), ==,
                    tx_ring_desc(&l.tx, desc + 1));
    g_assert_cmpuint(nic_counter(l.n, "tx-drop-reset"), ==, 2);
    rx_ring_expect_none(&l.rx);
    tx_ring_kick(&l.tx);
    step(&l, 1512 * 8 - 1);
    wire_expect_none(l.n);
    step(&l, 1);
    expect_sent(&l, 1500);
    nic_free(l.n);
}

/* The machine's reset: what left the port is on its way, all else is gone */
static void test_reset(void)
{
    int64_t start;
    Lane l;

    lane_new_args(&l, 1000, "-global mv643xx-port.wire-delay=100000");
    start = l.now;
    put(&l, 100);
    put(&l, 1500);
    put(&l, 1500);
    tx_ring_kick(&l.tx);
    offer(&l, 1000);
    nic_settle(l.n);
    step_to(&l, start + 124 * 8 + 100);
    qtest_system_reset(l.n->qts);
    g_assert_cmpuint(nic_counter(l.n, "tx-drop-reset"), ==, 2);
    g_assert_cmpuint(nic_counter(l.n, "rx-held"), ==, 0);
    expect_sent_at(&l, 100, start + 112 * 8 + 100000);
    step(&l, RX_HOLD_NS);
    wire_expect_none(l.n);
    /* and the port is as good as new */
    lane_init(&l, l.n, 1000);
    start = l.now;
    put(&l, 200);
    tx_ring_kick(&l.tx);
    expect_sent_at(&l, 200, start + 212 * 8 + 100000);
    nic_free(l.n);
}

/* Everything that counts, as one object */
static void test_stats(void)
{
    QDict *rsp, *stats, *kicks;
    Lane l;

    lane_new(&l, 1000);
    put(&l, 100);
    tx_ring_kick(&l.tx);
    step(&l, 100000);
    put(&l, 200);
    put(&l, 300);
    put(&l, 400);
    tx_ring_kick(&l.tx);
    step(&l, 100000);
    tx_ring_kick(&l.tx);
    offer(&l, 500);
    nic_settle(l.n);
    step(&l, 100000);
    rsp = qtest_qmp(l.n->qts, "{ 'execute': 'qom-get', 'arguments':"
                    " { 'path': %s, 'property': 'stats' } }", l.n->qom);
    stats = qdict_get_qdict(rsp, "return");
    g_assert_cmpint(qdict_get_int(stats, "tx-frames"), ==, 4);
    g_assert_cmpint(qdict_get_int(stats, "tx-bytes"), ==, 1000);
    g_assert_cmpint(qdict_get_int(stats, "tx-kicks"), ==, 3);
    g_assert_cmpint(qdict_get_int(stats, "tx-descriptors"), ==, 4);
    g_assert_cmpint(qdict_get_int(stats, "tx-busy-ns"), ==,
                    (1000 + 4 * 24) * 8);
    g_assert_cmpint(qdict_get_int(stats, "rx-delivered"), ==, 1);
    g_assert_cmpint(qdict_get_int(stats, "rx-bytes"), ==, 500);
    g_assert_cmpint(qdict_get_int(stats, "rx-busy-ns"), ==, 524 * 8);
    g_assert_cmpint(qdict_get_int(stats, "rx-drop-no-descriptor"), ==, 0);
    g_assert_cmpint(qdict_get_int(stats, "irq-raised"), ==, 0);
    kicks = qdict_get_qdict(stats, "descriptors-per-kick");
    g_assert_cmpint(qdict_get_int(kicks, "0"), ==, 1);
    g_assert_cmpint(qdict_get_int(kicks, "1"), ==, 1);
    g_assert_cmpint(qdict_get_int(kicks, "2"), ==, 1);
    g_assert_cmpint(qdict_get_int(kicks, "4"), ==, 0);
    qobject_unref(rsp);
    nic_free(l.n);
}

/* The board with the least memory, since every page is looked at */
static const NicArgs small = { .machine = "dockstar", .paced = true };

static void lane_move(Lane *l)
{
    l->n = nic_move(l->n, &small);
    l->tx.n = l->rx.n = l->n;
    l->now = qtest_clock_step(l->n->qts, 1);
}

/* In the middle of all: each event has its time on the other side */
static void test_migration(void)
{
    for (unsigned k = 0; k < ARRAY_SIZE(rates); k++) {
        int64_t start, done, delay;
        unsigned desc;
        Lane l;

        lane_init(&l, nic_new_args(&small), rates[k]);
        delay = 500 * l.byte;
        set_ns(l.n, "wire-delay", delay);
        start = l.now;
        desc = put(&l, 1500);
        put(&l, 1500);
        put(&l, 700);
        tx_ring_kick(&l.tx);
        offer(&l, 300);
        offer(&l, 1400);
        nic_settle(l.n);
        /* the first frame is under way, the second has no room yet */
        step_to(&l, start + 500 * l.byte);
        lane_move(&l);
        set_ns(l.n, "wire-delay", delay);      /* settings are not state */
        expect_received_at(&l, 300, start + last_bit(&l, 300) + delay);
        done = start + (PREAMBLE + 3000 - FIFO) * l.byte;
        step_to(&l, done - 1);
        g_assert_true(owned(&l, desc + 1));
        g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 1);
        step(&l, 1);
        g_assert_false(owned(&l, desc + 1));
        /* all is in the FIFO or beyond it */
        done = start + slot(&l, 1500) + (PREAMBLE + 2200 - FIFO) * l.byte;
        step_to(&l, done);
        g_assert_cmphex(nic_read(l.n, PORT(MV_TQC)), ==, 0);
        g_assert_cmpuint(nic_counter(l.n, "tx-fifo-full-ns"), ==,
                         done - start);
        lane_move(&l);
        expect_sent_at(&l, 1500, start + last_bit(&l, 1500) + delay);
        expect_received_at(&l, 1400, start + slot(&l, 300) +
                           last_bit(&l, 1400) + delay);
        expect_sent_at(&l, 1500, start + slot(&l, 1500) +
                                 last_bit(&l, 1500) + delay);
        lane_move(&l);
        step_to(&l, start + 2 * slot(&l, 1500) + last_bit(&l, 700) - 1);
        g_assert_cmphex(nic_read(l.n, PORT(MV_IC)) & MV_IC_TXEND(0), ==, 0);
        step(&l, 1);
        g_assert_cmphex(nic_read(l.n, PORT(MV_IC)) & MV_IC_TXEND(0), !=, 0);
        expect_sent_at(&l, 700, start + 2 * slot(&l, 1500) +
                                last_bit(&l, 700) + delay);
        g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 3);
        g_assert_cmpuint(nic_counter(l.n, "rx-delivered"), ==, 2);
        nic_free(l.n);
    }
}

/*
 * A timer that is late loses no wire time.  The clock of a test never jumps
 * over a timer, so the state of a busy port is loaded where it is later.
 */
static void test_late_timer(void)
{
    enum { FRAMES = 600, LEN = 100 };
    g_autofree char *path = temp_file();
    g_autofree char *state = NULL;
    g_autofree uint8_t *data = NULL;
    GArray *packets;
    Packet *first, *last;
    int64_t start;
    unsigned sent;
    Lane l;

    lane_init(&l, nic_new_args(&small), 1000);
    frame_raw(&l.f, frame_peer_mac, 0x88b5, LEN, 1);
    mem_write(l.n, MEM_TX_BUF(0, 0), l.f.data, LEN);
    for (unsigned i = 0; i < FRAMES; i++) {
        desc_write(l.n, MEM_SCRATCH + i * MV_DESC_SIZE, &(Desc) {
            .cmd_sts = MV_TXD_O | MV_TXD_F | MV_TXD_L,
            .count = LEN,
            .buf = MEM_TX_BUF(0, 0),
            .next = i == FRAMES - 1 ? 0
                                    : MEM_SCRATCH + (i + 1) * MV_DESC_SIZE,
        });
    }
    start = l.now;
    nic_write(l.n, PORT(MV_TCQDP(0)), MEM_SCRATCH);
    tx_ring_kick(&l.tx);
    offer(&l, 1000);
    offer(&l, 500);
    nic_settle(l.n);
    state = nic_save(l.n);
    nic_free(l.n);

    l.n = nic_new_incoming(&small);
    l.tx.n = l.rx.n = l.n;
    set(l.n, "pcap", path);
    /* all that is in the ring would have been sent by then */
    g_assert_true(nic_load(l.n, state, start + FRAMES * slot(&l, LEN)));
    l.now = start + FRAMES * slot(&l, LEN);
    nic_read(l.n, PORT(MV_PS0));
    sent = nic_counter(l.n, "tx-frames");
    g_assert_cmpuint(sent, >, CATCH_UP / 4);
    g_assert_cmpuint(sent, <=, CATCH_UP);
    for (unsigned i = 0; i < 10; i++) {
        step(&l, TX_RESUME_NS);
    }
    g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, FRAMES);
    g_assert_cmpuint(wire_flush(l.n), ==, FRAMES);
    g_assert_cmpuint(nic_counter(l.n, "tx-busy-ns"), ==,
                     FRAMES * slot(&l, LEN));
    frame_in(&l.f, 1000);
    rx_ring_expect(&l.rx, &l.f, RX_NOT_IP);
    frame_in(&l.f, 500);
    rx_ring_expect(&l.rx, &l.f, RX_NOT_IP);

    packets = read_pcap(path, &data);
    g_assert_cmpuint(packets->len, ==, FRAMES + 2);
    for (unsigned i = 1; i < packets->len; i++) {
        g_assert_cmpint(g_array_index(packets, Packet, i - 1).ns, <=,
                        g_array_index(packets, Packet, i).ns);
    }
    first = &g_array_index(packets, Packet, 0);
    last = &g_array_index(packets, Packet, FRAMES + 1);
    g_assert_cmpint(first->ns, ==, start + last_bit(&l, LEN));
    g_assert_cmpint(last->ns, ==, start + (FRAMES - 1) * slot(&l, LEN) +
                                  last_bit(&l, LEN));
    g_array_free(packets, true);

    /* the next frame starts where the last one ended, or at its kick */
    start = l.now;
    nic_write(l.n, PORT(MV_TCQDP(0)), tx_ring_desc(&l.tx, 0));
    put(&l, 200);
    tx_ring_kick(&l.tx);
    expect_sent_at(&l, 200, start + last_bit(&l, 200));
    nic_free(l.n);
    unlink(state);
    unlink(path);
}

#define SLACK           100000
#define APART           (10 * SLACK)

/*
 * With slack the timer comes late in a stream of transmitted frames, and only
 * there; an access to a register and a received frame do not wait for it.
 */
static void test_slack(void)
{
    int64_t start;
    unsigned desc;
    Lane l;

    lane_new(&l, 1000);
    set_ns(l.n, "wire-slack", SLACK);

    /* the first after a pause is in time, what follows it together and late */
    step(&l, APART);
    start = l.now;
    put(&l, 300);
    put(&l, 400);
    put(&l, 500);
    tx_ring_kick(&l.tx);
    expect_sent_at(&l, 300, start + last_bit(&l, 300));
    step_to(&l, start + slot(&l, 300) + last_bit(&l, 400) + SLACK - 1);
    wire_expect_none(l.n);
    step(&l, 1);
    frame_out(&l.f, 400);
    wire_expect_frame(l.n, &l.f);
    expect_sent(&l, 500);

    /* one that starts just within the slack, and one that does not */
    start += slot(&l, 300) + slot(&l, 400) + slot(&l, 500) + SLACK - 1;
    step_to(&l, start);
    put(&l, 100);
    tx_ring_kick(&l.tx);
    expect_sent_at(&l, 100, start + last_bit(&l, 100) + SLACK);
    start += slot(&l, 100) + SLACK;
    step_to(&l, start);
    put(&l, 200);
    tx_ring_kick(&l.tx);
    expect_sent_at(&l, 200, start + last_bit(&l, 200));

    /* a register shows its own moment */
    nic_ack_all(l.n);
    start += slot(&l, 200);
    step_to(&l, start);
    put(&l, 600);
    tx_ring_kick(&l.tx);
    step_to(&l, start + last_bit(&l, 600));
    wire_expect_none(l.n);
    g_assert_cmphex(nic_read(l.n, PORT(MV_IC)), ==, MV_IC_TXEND(0));
    expect_sent(&l, 600);

    /* a DMA that waits for the FIFO is in a stream, too */
    step(&l, APART);
    start = l.now;
    desc = put(&l, 1500);
    put(&l, 1500);
    tx_ring_kick(&l.tx);
    expect_sent_at(&l, 1500, start + last_bit(&l, 1500));
    tx_ring_expect_done(&l.tx, desc, 1);
    tx_ring_expect_done(&l.tx, desc + 1, 1);
    step(&l, APART);
    start = l.now;
    desc = put(&l, 2000);
    put(&l, 100);
    tx_ring_kick(&l.tx);
    step_to(&l, start + (PREAMBLE + 2100 - FIFO) * l.byte);
    g_assert_true(owned(&l, desc + 1));
    nic_read(l.n, PORT(MV_TQC));
    tx_ring_expect_done(&l.tx, desc + 1, 1);
    step(&l, APART);
    g_assert_cmpuint(wire_flush(l.n), ==, 3);

    /* a received frame is in time, and what is to be sent still waits */
    nic_ack_all(l.n);
    put(&l, 100);
    put(&l, 100);
    tx_ring_kick(&l.tx);
    start = l.now;
    offer(&l, 700);
    nic_settle(l.n);
    step_to(&l, start + last_bit(&l, 700));
    frame_in(&l.f, 700);
    rx_ring_expect(&l.rx, &l.f, RX_NOT_IP);
    g_assert_cmpuint(wire_flush(l.n), ==, 1);
    step_to(&l, start + slot(&l, 100) + last_bit(&l, 100) + SLACK);
    g_assert_cmpuint(wire_flush(l.n), ==, 1);

    /* without it all is in time, from the moment it is taken away */
    put(&l, 100);
    put(&l, 100);
    tx_ring_kick(&l.tx);
    start = l.now;
    set_ns(l.n, "wire-slack", 0);
    expect_sent_at(&l, 100, start + last_bit(&l, 100));
    expect_sent_at(&l, 100, start + slot(&l, 100) + last_bit(&l, 100));
    nic_free(l.n);
}

/* A port that has sent three frames; the wire ends of two have not come up */
static void lane_in_slack(Lane *l)
{
    int64_t start;

    lane_new(l, 1000);
    set_ns(l->n, "wire-slack", SLACK);
    step(l, APART);
    start = l->now;
    put(l, 300);
    put(l, 400);
    put(l, 500);
    tx_ring_kick(&l->tx);
    step_to(l, start + slot(l, 300) + slot(l, 400) + slot(l, 500));
    g_assert_cmpuint(wire_flush(l->n), ==, 1);
    g_assert_cmpuint(nic_counter(l->n, "tx-frames"), ==, 1);
}

/* What ends or changes the wire finds it as it is at that moment */
static void test_slack_ends(void)
{
    g_autofree char *path = temp_file();
    g_autofree uint8_t *data = NULL;
    GArray *packets;
    Lane l;

    lane_in_slack(&l);
    nic_set_link(l.n, false);
    g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 3);
    g_assert_cmpuint(nic_counter(l.n, "tx-drop-link-down"), ==, 0);
    nic_free(l.n);

    lane_in_slack(&l);
    qtest_system_reset(l.n->qts);
    g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 3);
    g_assert_cmpuint(nic_counter(l.n, "tx-drop-reset"), ==, 0);
    g_assert_cmpuint(wire_flush(l.n), ==, 2);
    nic_free(l.n);

    /* also frames that would have been in the FIFO by then */
    lane_in_slack(&l);
    step(&l, APART);
    g_assert_cmpuint(wire_flush(l.n), ==, 2);
    for (unsigned i = 0; i < 4; i++) {
        put(&l, 1500);
    }
    tx_ring_kick(&l.tx);
    step(&l, 4 * slot(&l, 1500));
    set_ns(l.n, "wire-delay", APART);
    g_assert_cmpuint(wire_flush(l.n), ==, 4);
    nic_free(l.n);

    lane_in_slack(&l);
    set(l.n, "pcap", path);
    step(&l, APART);
    put(&l, 300);
    put(&l, 400);
    tx_ring_kick(&l.tx);
    step(&l, slot(&l, 300) + slot(&l, 400));
    set(l.n, "pcap", "");
    packets = read_pcap(path, &data);
    g_assert_cmpuint(packets->len, ==, 2);
    g_array_free(packets, true);
    nic_free(l.n);
    unlink(path);
}

/* A capture is in the order of time, whatever has slack */
static void test_slack_pcap(void)
{
    enum { FRAMES = 5 };
    g_autofree char *path = temp_file();
    g_autofree uint8_t *data = NULL;
    GArray *packets;
    Lane l;

    lane_new(&l, 1000);
    set_ns(l.n, "wire-slack", SLACK);
    set(l.n, "pcap", path);
    step(&l, APART);
    for (unsigned i = 0; i < FRAMES; i++) {
        put(&l, 1000);
    }
    tx_ring_kick(&l.tx);
    for (unsigned i = 0; i < FRAMES; i++) {
        offer(&l, 1200);
    }
    nic_settle(l.n);
    step(&l, APART);
    packets = read_pcap(path, &data);
    g_assert_cmpuint(packets->len, ==, 2 * FRAMES);
    for (unsigned i = 1; i < packets->len; i++) {
        g_assert_cmpint(g_array_index(packets, Packet, i - 1).ns, <=,
                        g_array_index(packets, Packet, i).ns);
    }
    g_array_free(packets, true);
    nic_free(l.n);
    unlink(path);
}

/* Each frame has its own slack, whatever is still on its way to the far end */
static void test_slack_delay(void)
{
    int64_t start;
    Lane l;

    lane_new(&l, 1000);
    set_ns(l.n, "wire-slack", SLACK);
    set_ns(l.n, "wire-delay", 5 * APART);
    step(&l, APART);
    start = l.now;
    put(&l, 300);
    put(&l, 400);
    tx_ring_kick(&l.tx);
    /* the second follows the first, which is not late itself */
    step_to(&l, start + slot(&l, 300) + last_bit(&l, 400) + SLACK - 1);
    g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 1);
    step(&l, 1);
    g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 2);
    /* one after a pause is in time, while the second waits to arrive */
    step_to(&l, start + last_bit(&l, 300) + 5 * APART);
    g_assert_cmpuint(wire_flush(l.n), ==, 1);
    put(&l, 100);
    tx_ring_kick(&l.tx);
    step(&l, last_bit(&l, 100) - 1);
    g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 2);
    step(&l, 1);
    g_assert_cmpuint(nic_counter(l.n, "tx-frames"), ==, 3);
    nic_free(l.n);
}

/* The backend is refused only when much waits, and the wire is never idle */
static void test_refusal(void)
{
    enum { FRAMES = 120, LEN = 1514 };
    g_autofree char *path = temp_file();
    g_autofree uint8_t *data = NULL;
    GArray *packets;
    uint64_t taken;
    int64_t start;
    Lane l;

    lane_new(&l, 1000);
    set(l.n, "pcap", path);
    nic_write(l.n, PORT(MV_RQC), 0x100);
    start = l.now;
    frame_in(&l.f, LEN);
    for (unsigned i = 0; i < FRAMES; i++) {
        g_assert_cmpint(send(l.n->wire, l.f.data, LEN, MSG_DONTWAIT), ==,
                        LEN);
    }
    for (unsigned i = 0; i < 100; i++) {
        taken = nic_counter(l.n, "rx-offered");
    }
    /* 64 KiB wait at most: more than half of that, less than all frames */
    g_assert_cmpuint(taken, >, 32768 / LEN);
    g_assert_cmpuint(taken, <=, 65536 / LEN);
    for (unsigned i = 0; i < FRAMES; i++) {
        step(&l, slot(&l, LEN));
        for (unsigned k = 0; k < 20; k++) {
            nic_counter(l.n, "rx-offered");
        }
    }
    g_assert_cmpuint(nic_counter(l.n, "rx-drop-queue-disabled"), ==, FRAMES);
    g_assert_cmpuint(nic_counter(l.n, "rx-drop-queue-full"), ==, 0);
    packets = read_pcap(path, &data);
    g_assert_cmpuint(packets->len, ==, FRAMES);
    for (unsigned i = 0; i < packets->len; i++) {
        g_assert_cmpint(g_array_index(packets, Packet, i).ns, ==,
                        start + i * slot(&l, LEN) + last_bit(&l, LEN));
    }
    g_array_free(packets, true);
    nic_free(l.n);
    unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/wire/instants", test_instants);
    qtest_add_func("/mv643xx/wire/short", test_short);
    qtest_add_func("/mv643xx/wire/back-to-back", test_back_to_back);
    qtest_add_func("/mv643xx/wire/next-start", test_next_start);
    qtest_add_func("/mv643xx/wire/fifo-full", test_fifo_full);
    qtest_add_func("/mv643xx/wire/jumbo", test_jumbo);
    qtest_add_func("/mv643xx/wire/delay", test_delay);
    qtest_add_func("/mv643xx/wire/receive", test_receive);
    qtest_add_func("/mv643xx/wire/no-descriptor", test_no_descriptor);
    qtest_add_func("/mv643xx/wire/pcap", test_pcap);
    qtest_add_func("/mv643xx/wire/bad-settings", test_bad_settings);
    qtest_add_func("/mv643xx/wire/switch", test_switch);
    qtest_add_func("/mv643xx/wire/queue-disable", test_queue_disable);
    qtest_add_func("/mv643xx/wire/port-disable", test_port_disable);
    qtest_add_func("/mv643xx/wire/link-down", test_link_down);
    qtest_add_func("/mv643xx/wire/port-reset", test_port_reset);
    qtest_add_func("/mv643xx/wire/reset", test_reset);
    qtest_add_func("/mv643xx/wire/stats", test_stats);
    qtest_add_func("/mv643xx/wire/C-14-migration", test_migration);
    qtest_add_func("/mv643xx/wire/late-timer", test_late_timer);
    qtest_add_func("/mv643xx/wire/slack", test_slack);
    qtest_add_func("/mv643xx/wire/slack-ends", test_slack_ends);
    qtest_add_func("/mv643xx/wire/slack-pcap", test_slack_pcap);
    qtest_add_func("/mv643xx/wire/slack-delay", test_slack_delay);
    qtest_add_func("/mv643xx/wire/refusal", test_refusal);
    return g_test_run();
}
