/*
 * The peer on a virtual clock: when it sends what, to the nanosecond
 *
 * The test is the guest: it writes frames into the peer's datagram backend
 * and reads the peer's.  Headers and numbers are those of RFC 768, 791, 793,
 * 826, 2018 and 7323.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <poll.h>
#include "tests/qtest/libqtest.h"
#include "qobject/qdict.h"
#include "qemu/bswap.h"
#include "qemu/units.h"

#define PEER_IP         0xc0a84d01      /* 192.168.77.1, the default */
#define OUR_IP          0xc0a84d02
#define OUR_PORT        40000
#define OUR_ISN         1000
#define DELAY           1000            /* ns, the peer's in these tests */
#define DELACK          40000000        /* ns: Linux's TCP_DELACK_MIN */

#define FIN             0x01
#define SYN             0x02
#define RST             0x04
#define PSH             0x08
#define ACK             0x10

#define ETH             14
#define IP              (ETH + 20)
#define FRAME_MAX       1514
#define PATTERN_PERIOD  251

/* Round trips to QEMU before a frame counts as lost; then: a hang. */
#define MAX_ROUND_TRIPS 20000
#define TIMEOUT_MS      30000

static const uint8_t peer_mac[6] = { 0x52, 0x55, 0xc0, 0xa8, 0x4d, 0x01 };
static const uint8_t our_mac[6] = { 0x02, 0x50, 0x43, 0x00, 0x00, 0x01 };

typedef struct Lab {
    QTestState *qts;
    int wire;
    uint64_t sent;
    int64_t now;
} Lab;

/* A TCP segment, host byte order, of the connection from OUR_PORT */
typedef struct Segment {
    uint16_t from, to;
    uint32_t seq, ack;
    uint8_t flags;
    uint16_t window;
    uint8_t options[40];
    uint8_t options_len;
    const uint8_t *data;
    uint16_t len;
} Segment;

typedef struct Frame {
    uint8_t data[FRAME_MAX];
    size_t len;
} Frame;

static Lab *lab_new(const char *options)
{
    Lab *lab = g_new0(Lab, 1);
    int fds[2];

    g_assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0);
    lab->wire = fds[0];
    lab->qts = qtest_initf("-machine none "
                           "-netdev dgram,id=wire,local.type=fd,"
                           "local.str=%d "
                           "-device mvlab-peer,id=peer,netdev=wire,"
                           "delay=%d%s", fds[1], DELAY, options);
    close(fds[1]);
    return lab;
}

static void lab_free(Lab *lab)
{
    qtest_quit(lab->qts);
    close(lab->wire);
    g_free(lab);
}

static uint64_t counter(Lab *lab, const char *name)
{
    QDict *rsp = qtest_qmp(lab->qts, "{ 'execute': 'qom-get', 'arguments':"
                           " { 'path': '/machine/peripheral/peer',"
                           "   'property': 'stats' } }");
    uint64_t value = qdict_get_int(qdict_get_qdict(rsp, "return"), name);

    qobject_unref(rsp);
    return value;
}

static void step(Lab *lab, int64_t ns)
{
    lab->now = qtest_clock_step(lab->qts, ns);
}

/* Frames */

static uint32_t get32(const uint8_t *at)
{
    return ldl_be_p(at);
}

static uint16_t checksum(const uint8_t *data, size_t len, uint32_t sum)
{
    for (size_t i = 0; i < len; i++) {
        sum += i % 2 ? data[i] : data[i] << 8;
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum;
}

static uint32_t pseudo_sum(uint8_t proto, size_t len)
{
    return (PEER_IP >> 16) + (PEER_IP & 0xffff) +
           (OUR_IP >> 16) + (OUR_IP & 0xffff) + proto + len;
}

/* Hands a frame to the peer and waits until the peer has worked on it. */
static void send_frame(Lab *lab, const Frame *frame)
{
    unsigned tries = 0;

    g_assert(send(lab->wire, frame->data, frame->len, 0) == frame->len);
    lab->sent++;
    while (counter(lab, "frames-received") != lab->sent) {
        g_assert(++tries < MAX_ROUND_TRIPS);
    }
}

static void put_ethernet(Frame *frame, uint16_t type)
{
    memcpy(frame->data, peer_mac, 6);
    memcpy(frame->data + 6, our_mac, 6);
    stw_be_p(frame->data + 12, type);
}

static void put_ip(Frame *frame, uint8_t proto, size_t payload)
{
    uint8_t *ip = frame->data + ETH;

    put_ethernet(frame, 0x0800);
    memset(ip, 0, 20);
    ip[0] = 0x45;
    stw_be_p(ip + 2, 20 + payload);
    ip[8] = 64;
    ip[9] = proto;
    stl_be_p(ip + 12, OUR_IP);
    stl_be_p(ip + 16, PEER_IP);
    stw_be_p(ip + 10, checksum(ip, 20, 0));
    frame->len = IP + payload;
}

static void send_arp(Lab *lab)
{
    Frame frame = { .len = 60 };
    uint8_t *arp = frame.data + ETH;

    put_ethernet(&frame, 0x0806);
    memset(frame.data, 0xff, 6);
    stw_be_p(arp, 1);
    stw_be_p(arp + 2, 0x0800);
    arp[4] = 6;
    arp[5] = 4;
    stw_be_p(arp + 6, 1);
    memcpy(arp + 8, our_mac, 6);
    stl_be_p(arp + 14, OUR_IP);
    stl_be_p(arp + 24, PEER_IP);
    send_frame(lab, &frame);
}

static void send_segment(Lab *lab, const Segment *s)
{
    size_t header = 20 + s->options_len;
    Frame frame;
    uint8_t *tcp = frame.data + IP;

    put_ip(&frame, 6, header + s->len);
    stw_be_p(tcp, s->from ? s->from : OUR_PORT);
    stw_be_p(tcp + 2, s->to);
    stl_be_p(tcp + 4, s->seq);
    stl_be_p(tcp + 8, s->ack);
    tcp[12] = header / 4 << 4;
    tcp[13] = s->flags;
    stw_be_p(tcp + 14, s->window ? s->window : 0xffff);
    stl_be_p(tcp + 16, 0);
    memcpy(tcp + 20, s->options, s->options_len);
    if (s->len) {
        memcpy(tcp + header, s->data, s->len);
    }
    stw_be_p(tcp + 16, checksum(tcp, header + s->len,
                                pseudo_sum(6, header + s->len)));
    send_frame(lab, &frame);
}

static void send_datagram(Lab *lab, uint16_t port, const char *text)
{
    size_t len = strlen(text);
    Frame frame;
    uint8_t *udp = frame.data + IP;

    put_ip(&frame, 17, 8 + len);
    stw_be_p(udp, OUR_PORT);
    stw_be_p(udp + 2, port);
    stw_be_p(udp + 4, 8 + len);
    stw_be_p(udp + 6, 0);
    memcpy(udp + 8, text, len);
    send_frame(lab, &frame);
}

/* What the peer has sent so far; false if there is nothing. */
static bool take(Lab *lab, Frame *frame)
{
    ssize_t len = recv(lab->wire, frame->data, FRAME_MAX, MSG_DONTWAIT);

    frame->len = len < 0 ? 0 : len;
    return len > 0;
}

static void expect_none(Lab *lab)
{
    Frame frame;

    g_assert_false(take(lab, &frame));
}

static void read_segment(const Frame *frame, Segment *s)
{
    const uint8_t *tcp = frame->data + IP;
    size_t size = lduw_be_p(frame->data + ETH + 2) - 20;
    size_t header = tcp[12] >> 4 << 2;

    g_assert_cmpuint(frame->len, >=, 60);
    g_assert(!memcmp(frame->data, our_mac, 6));
    g_assert(!memcmp(frame->data + 6, peer_mac, 6));
    g_assert_cmphex(lduw_be_p(frame->data + 12), ==, 0x0800);
    g_assert_cmphex(checksum(frame->data + ETH, 20, 0), ==, 0);
    g_assert_cmpuint(frame->data[ETH + 9], ==, 6);
    g_assert_cmphex(checksum(tcp, size, pseudo_sum(6, size)), ==, 0);
    *s = (Segment) {
        .from = lduw_be_p(tcp),
        .to = lduw_be_p(tcp + 2),
        .seq = get32(tcp + 4),
        .ack = get32(tcp + 8),
        .flags = tcp[13],
        .window = lduw_be_p(tcp + 14),
        .options_len = header - 20,
        .data = tcp + header,
        .len = size - header,
    };
    memcpy(s->options, tcp + 20, s->options_len);
}

/* A segment that leaves @ns from now and not a nanosecond before */
static void expect_after(Lab *lab, int64_t ns, Frame *frame, Segment *s)
{
    expect_none(lab);
    step(lab, ns - 1);
    expect_none(lab);
    step(lab, 1);
    g_assert_true(take(lab, frame));
    read_segment(frame, s);
}

/* An ACK alone, of everything before @ack */
static void expect_ack(Lab *lab, int64_t ns, uint32_t ack)
{
    Frame frame;
    Segment s;

    expect_after(lab, ns, &frame, &s);
    g_assert_cmphex(s.flags, ==, ACK);
    g_assert_cmpuint(s.ack, ==, ack);
    g_assert_cmpuint(s.len, ==, 0);
    expect_none(lab);
}

/* Opens a connection; returns the first sequence number of the peer's data. */
static uint32_t connect_to(Lab *lab, uint16_t port)
{
    Segment syn = {
        .to = port, .seq = OUR_ISN - 1, .flags = SYN,
        .options = { 2, 4, 0x05, 0xb4, 1, 1, 4, 2 }, .options_len = 8,
    };
    Frame frame;
    Segment s;

    send_arp(lab);
    step(lab, DELAY);
    g_assert_true(take(lab, &frame));
    g_assert_cmphex(lduw_be_p(frame.data + 12), ==, 0x0806);
    send_segment(lab, &syn);
    expect_after(lab, DELAY, &frame, &s);
    g_assert_cmphex(s.flags, ==, SYN | ACK);
    g_assert_cmpuint(s.ack, ==, OUR_ISN);
    send_segment(lab, &(Segment) { .to = port, .seq = OUR_ISN,
                                   .ack = s.seq + 1, .flags = ACK });
    return s.seq + 1;
}

static void send_data(Lab *lab, uint16_t port, uint32_t seq, uint32_t ack,
                      uint16_t len)
{
    static const uint8_t zeros[1460];

    send_segment(lab, &(Segment) { .to = port, .seq = seq, .ack = ack,
                                   .flags = ACK, .data = zeros, .len = len });
}

static void set_string(Lab *lab, const char *name, const char *value)
{
    qtest_qmp_assert_success(lab->qts, "{ 'execute': 'qom-set', 'arguments':"
                             " { 'path': '/machine/peripheral/peer',"
                             "   'property': %s, 'value': %s } }",
                             name, value);
}

/* An ARP reply leaves DELAY later, and at once without a delay. */
static void test_arp(void)
{
    Lab *lab = lab_new("");
    struct pollfd ready = { lab->wire, POLLIN };
    Frame frame;

    send_arp(lab);
    step(lab, DELAY - 1);
    expect_none(lab);
    step(lab, 1);
    g_assert_true(take(lab, &frame));
    g_assert_cmphex(lduw_be_p(frame.data + ETH + 6), ==, 2);
    g_assert(!memcmp(frame.data + ETH + 8, peer_mac, 6));
    g_assert_cmphex(get32(frame.data + ETH + 14), ==, PEER_IP);
    g_assert(!memcmp(frame.data + ETH + 18, our_mac, 6));

    qtest_qmp_assert_success(lab->qts, "{ 'execute': 'qom-set', 'arguments':"
                             " { 'path': '/machine/peripheral/peer',"
                             "   'property': 'delay', 'value': 0 } }");
    send_arp(lab);
    g_assert_cmpint(poll(&ready, 1, TIMEOUT_MS), ==, 1);
    lab_free(lab);
}

/* Options of SYN|ACK: RFC 793, 7323, 2018; the window is not scaled there. */
static void check_syn_options(uint32_t window, uint8_t scale,
                              uint16_t in_syn, uint16_t in_ack)
{
    g_autofree char *options = g_strdup_printf(",ack=every=1,window=%u",
                                               window);
    Lab *lab = lab_new(options);
    Segment syn = {
        .to = 9, .seq = OUR_ISN - 1, .flags = SYN, .options_len = 20,
        .options = {
            2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 0,
            1, 3, 3, 6,
        },
    };
    bool mss = false, sack = false, stamps = false, scaled = false;
    Frame frame;
    Segment s;

    send_arp(lab);
    step(lab, DELAY);
    take(lab, &frame);
    send_segment(lab, &syn);
    expect_after(lab, DELAY, &frame, &s);
    g_assert_cmpuint(s.window, ==, in_syn);
    for (unsigned i = 0; i < s.options_len; i += s.options[i + 1]) {
        while (i < s.options_len && s.options[i] == 1) {
            i++;
        }
        switch (s.options[i]) {
        case 2:
            mss = lduw_be_p(s.options + i + 2) == 1460;
            break;
        case 3:
            scaled = s.options[i + 2] == scale;
            break;
        case 4:
            sack = true;
            break;
        case 8:
            stamps = get32(s.options + i + 6) == 7;
            break;
        default:
            g_assert_not_reached();
        }
    }
    g_assert(mss && sack && stamps && scaled);
    send_segment(lab, &(Segment) { .to = 9, .seq = OUR_ISN, .ack = s.seq + 1,
                                   .flags = ACK });
    /* A whole segment: the window's edge moves by no less (RFC 1122). */
    send_data(lab, 9, OUR_ISN, s.seq + 1, 1460);
    expect_after(lab, DELAY, &frame, &s);
    g_assert_cmpuint(s.window, ==, in_ack);
    lab_free(lab);
}

static void test_window(void)
{
    /* A sink has read everything, so that the window is whole. */
    check_syn_options(1 * MiB, 5, 65535, 1 * MiB >> 5);
    check_syn_options(65535, 0, 65535, 65535);
    check_syn_options(4 * MiB, 7, 65535, 4 * MiB >> 7);
}

static void test_every_1(void)
{
    Lab *lab = lab_new(",ack=every=1");
    uint32_t ack = connect_to(lab, 9);

    for (unsigned i = 0; i < 5; i++) {
        send_data(lab, 9, OUR_ISN + i * 100, ack, 100);
        expect_ack(lab, DELAY, OUR_ISN + (i + 1) * 100);
    }
    g_assert_cmpuint(counter(lab, "acks-sent"), ==, 5);
    lab_free(lab);
}

static void test_every_2(void)
{
    Lab *lab = lab_new(",ack=every=2");
    uint32_t ack = connect_to(lab, 9);
    uint32_t seq = OUR_ISN;

    for (unsigned i = 0; i < 3; i++) {
        send_data(lab, 9, seq, ack, 100);
        step(lab, 5 * DELAY);
        expect_none(lab);
        send_data(lab, 9, seq + 100, ack, 100);
        seq += 200;
        expect_ack(lab, DELAY, seq);
    }
    /* A single one is acknowledged after the delay of Linux. */
    send_data(lab, 9, seq, ack, 100);
    expect_ack(lab, DELACK + DELAY, seq + 100);
    g_assert_cmpuint(counter(lab, "acks-sent"), ==, 4);
    lab_free(lab);
}

static void test_batch(void)
{
    Lab *lab = lab_new(",ack=batch=3:50000");
    uint32_t ack = connect_to(lab, 9);
    uint32_t seq = OUR_ISN;

    /* full */
    for (unsigned i = 0; i < 3; i++) {
        step(lab, 10000);
        expect_none(lab);
        send_data(lab, 9, seq, ack, 1460);
        seq += 1460;
    }
    expect_ack(lab, DELAY, seq);
    /* not full: the time counts from the first segment */
    send_data(lab, 9, seq, ack, 1460);
    step(lab, 30000);
    send_data(lab, 9, seq + 1460, ack, 1460);
    seq += 2920;
    expect_ack(lab, 50000 - 30000 + DELAY, seq);
    /* and each batch has its own time */
    step(lab, 49999);
    send_data(lab, 9, seq, ack, 1);
    expect_ack(lab, 50000 + DELAY, seq + 1);
    step(lab, 1000000);
    expect_none(lab);
    g_assert_cmpuint(counter(lab, "acks-sent"), ==, 3);
    lab_free(lab);
}

static void test_policy_at_run_time(void)
{
    Lab *lab = lab_new(",ack=batch=100:1000000");
    uint32_t ack = connect_to(lab, 9);

    send_data(lab, 9, OUR_ISN, ack, 100);
    step(lab, 5000);
    expect_none(lab);
    set_string(lab, "ack", "every=2");
    send_data(lab, 9, OUR_ISN + 100, ack, 100);
    expect_ack(lab, DELAY, OUR_ISN + 200);
    lab_free(lab);
}

/* A gap and a duplicate are acknowledged at once, whatever the policy. */
static void test_out_of_order(void)
{
    Lab *lab = lab_new(",ack=batch=100:1000000");
    uint32_t ack = connect_to(lab, 9);
    Frame frame;
    Segment s;

    send_data(lab, 9, OUR_ISN + 100, ack, 100);
    expect_after(lab, DELAY, &frame, &s);
    g_assert_cmpuint(s.ack, ==, OUR_ISN);
    g_assert_cmpuint(s.options_len, ==, 12);    /* NOP NOP SACK, one block */
    g_assert_cmphex(get32(s.options), ==, 0x0101050a);
    g_assert_cmpuint(get32(s.options + 4), ==, OUR_ISN + 100);
    g_assert_cmpuint(get32(s.options + 8), ==, OUR_ISN + 200);
    /* The gap is filled: from here on it is data in order. */
    send_data(lab, 9, OUR_ISN, ack, 100);
    expect_ack(lab, 1000000 + DELAY, OUR_ISN + 200);
    send_data(lab, 9, OUR_ISN, ack, 100);
    expect_ack(lab, DELAY, OUR_ISN + 200);
    g_assert_cmpuint(counter(lab, "segments-out-of-order"), ==, 1);
    g_assert_cmpuint(counter(lab, "segments-duplicate"), ==, 1);
    g_assert_cmpuint(counter(lab, "segments-received"), ==, 3);
    g_assert_cmpuint(counter(lab, "payload-received"), ==, 200);
    lab_free(lab);
}

/* The answer of an echo carries the ACK; none follows it. */
static void test_echo(void)
{
    Lab *lab = lab_new(",ack=batch=100:50000");
    uint32_t ack = connect_to(lab, 7);
    const uint8_t text[] = "request";
    Frame frame;
    Segment s;

    send_segment(lab, &(Segment) { .to = 7, .seq = OUR_ISN, .ack = ack,
                                   .flags = ACK | PSH, .data = text,
                                   .len = 7 });
    expect_after(lab, DELAY, &frame, &s);
    g_assert_cmphex(s.flags, ==, ACK | PSH);
    g_assert_cmpuint(s.seq, ==, ack);
    g_assert_cmpuint(s.ack, ==, OUR_ISN + 7);
    g_assert_cmpmem(s.data, s.len, "request", 7);
    send_segment(lab, &(Segment) { .to = 7, .seq = OUR_ISN + 7,
                                   .ack = ack + 7, .flags = ACK });
    step(lab, 1000000);
    expect_none(lab);
    g_assert_cmpuint(counter(lab, "acks-sent"), ==, 0);
    /* FIN ends both sides. */
    send_segment(lab, &(Segment) { .to = 7, .seq = OUR_ISN + 7,
                                   .ack = ack + 7, .flags = ACK | FIN });
    expect_after(lab, DELAY, &frame, &s);
    g_assert_cmphex(s.flags, ==, ACK | FIN);
    g_assert_cmpuint(s.ack, ==, OUR_ISN + 8);
    g_assert_cmpuint(counter(lab, "flows-open"), ==, 0);
    g_assert_cmpuint(counter(lab, "flows-opened"), ==, 1);
    g_assert_cmpuint(counter(lab, "flows-failed"), ==, 0);
    lab_free(lab);
}

/* 200,000 bytes: the pattern, PSH where 64 KiB end and at the end */
static void test_source(void)
{
    const uint32_t total = 200000;
    Lab *lab = lab_new(",ack=every=1");
    uint32_t first = connect_to(lab, 19);
    const char *line = "200000\n";
    uint32_t got = 0, events = 0;
    bool fin = false;

    send_segment(lab, &(Segment) { .to = 19, .seq = OUR_ISN, .ack = first,
                                   .flags = ACK | PSH,
                                   .data = (const uint8_t *)line,
                                   .len = strlen(line) });
    while (!fin) {
        Frame frame;
        Segment s;

        g_assert_cmpuint(++events, <, 2000);
        step(lab, DELAY);
        while (take(lab, &frame)) {
            bool push;

            read_segment(&frame, &s);
            g_assert_cmpuint(s.seq, ==, first + got);
            for (unsigned i = 0; i < s.len; i++) {
                g_assert_cmpuint(s.data[i], ==, (got + i) % PATTERN_PERIOD);
            }
            push = got / (64 * KiB) != (got + s.len) / (64 * KiB) ||
                   (s.len && got + s.len == total);
            g_assert_cmpint(!!(s.flags & PSH), ==, push);
            got += s.len;
            fin |= s.flags & FIN;
            g_assert_cmpuint(s.len, <=, 1460);
        }
        send_segment(lab, &(Segment) { .to = 19, .seq = OUR_ISN + 7,
                                       .ack = first + got + fin,
                                       .flags = ACK });
    }
    g_assert_cmpuint(got, ==, total);
    g_assert_cmpuint(counter(lab, "segments-sent"), ==, 137); /* ceil(/1460) */
    lab_free(lab);
}

/* A line that is no number is answered with RST. */
static void test_source_refuses(void)
{
    const char *lines[] = {
        "\n", "-1\n", "1 2\n", "12x\n", "18446744073709551616\n",
        "000000000000000000000000000000",
    };
    Lab *lab = lab_new("");

    for (unsigned i = 0; i < ARRAY_SIZE(lines); i++) {
        uint32_t ack = connect_to(lab, 19);
        Frame frame;
        Segment s;

        send_segment(lab, &(Segment) { .to = 19, .seq = OUR_ISN, .ack = ack,
                                       .flags = ACK | PSH,
                                       .data = (const uint8_t *)lines[i],
                                       .len = strlen(lines[i]) });
        expect_after(lab, DELAY, &frame, &s);
        g_assert_cmphex(s.flags & RST, ==, RST);
        g_assert_cmpuint(counter(lab, "bad-requests"), ==, i + 1);
        g_assert_cmpuint(counter(lab, "flows-open"), ==, 0);
    }
    lab_free(lab);
}

static void expect_datagram(Lab *lab, int64_t ns, uint32_t number,
                            uint16_t size)
{
    Frame frame;

    step(lab, ns - 1);
    expect_none(lab);
    step(lab, 1);
    g_assert_true(take(lab, &frame));
    g_assert_cmpuint(frame.data[ETH + 9], ==, 17);
    g_assert_cmpuint(lduw_be_p(frame.data + IP), ==, 19);
    g_assert_cmpuint(lduw_be_p(frame.data + IP + 2), ==, OUR_PORT);
    g_assert_cmpuint(lduw_be_p(frame.data + IP + 4), ==, 8 + size);
    g_assert_cmpuint(get32(frame.data + IP + 8), ==, number);
    expect_none(lab);
}

/* The first datagram leaves one gap after the request. */
static void test_udp_source(void)
{
    const char *refused[] = {
        "", "3 100\n", "3 100 5000 1\n", "0 100 5000\n", "3 3 5000\n",
        "3 1473 5000\n", "3 100 671\n", "3  100 5000\n", "x\n",
    };
    Lab *lab = lab_new("");
    Frame frame;

    send_arp(lab);
    step(lab, DELAY);
    take(lab, &frame);
    send_datagram(lab, 19, "3 100 5000\n");
    expect_datagram(lab, 5000 + DELAY, 0, 100);
    expect_datagram(lab, 5000, 1, 100);
    expect_datagram(lab, 5000, 2, 100);
    step(lab, 1000000);
    expect_none(lab);
    for (unsigned i = 0; i < ARRAY_SIZE(refused); i++) {
        send_datagram(lab, 19, refused[i]);
        step(lab, DELAY);
        g_assert_true(take(lab, &frame));
        g_assert(!memcmp(frame.data + IP + 8, "error: ", 7));
        g_assert_cmpuint(counter(lab, "bad-requests"), ==, i + 1);
    }
    /* A new request of the same client replaces the old one. */
    send_datagram(lab, 19, "1000 4 1000000\n");
    step(lab, 500000);
    send_datagram(lab, 19, "1 1472 1000000\n");
    expect_datagram(lab, 1000000 + DELAY, 0, 1472);
    step(lab, 10000000);
    expect_none(lab);
    lab_free(lab);
}

/* Frames leave in their order when the delay becomes shorter. */
static void test_no_overtaking(void)
{
    Lab *lab = lab_new("");
    Frame frame;

    send_datagram(lab, 7, "");
    send_arp(lab);
    qtest_qmp_assert_success(lab->qts, "{ 'execute': 'qom-set', 'arguments':"
                             " { 'path': '/machine/peripheral/peer',"
                             "   'property': 'delay', 'value': 1 } }");
    send_datagram(lab, 7, "later");
    step(lab, DELAY - 1);
    expect_none(lab);
    step(lab, 1);
    g_assert_true(take(lab, &frame));
    g_assert_cmphex(lduw_be_p(frame.data + 12), ==, 0x0806);
    lab_free(lab);
}

/* A backend that refuses gets everything later, in order. */
static void test_refusal(void)
{
    const unsigned count = 300;
    Lab *lab = lab_new("");
    int size = 4096;
    unsigned got = 0, tries = 0;
    Frame frame;

    g_assert(setsockopt(lab->wire, SOL_SOCKET, SO_RCVBUF, &size,
                        sizeof(size)) == 0);
    send_arp(lab);
    step(lab, DELAY);
    take(lab, &frame);
    send_datagram(lab, 19, "300 1472 1000\n");
    step(lab, 1000 * 1000);
    while (got < count) {
        if (take(lab, &frame)) {
            g_assert_cmpuint(get32(frame.data + IP + 8), ==, got);
            got++;
        } else {
            g_assert_cmpuint(++tries, <, MAX_ROUND_TRIPS);
            step(lab, 1);
        }
    }
    g_assert_cmpuint(counter(lab, "send-queue-full"), ==, 0);
    g_assert_cmpuint(counter(lab, "datagrams-sent"), ==, count);
    lab_free(lab);
}

static void test_reset(void)
{
    Lab *lab = lab_new(",ack=batch=10:50000");
    uint32_t ack = connect_to(lab, 9);
    Frame frame;
    Segment s;

    /* An ACK is to come, a datagram is under way, a stream runs. */
    send_data(lab, 9, OUR_ISN, ack, 100);
    send_datagram(lab, 7, "echo");
    send_datagram(lab, 19, "1000 100 1000\n");
    g_assert_cmpuint(counter(lab, "flows-open"), ==, 1);
    qtest_system_reset(lab->qts);
    g_assert_cmpuint(counter(lab, "flows-open"), ==, 0);
    step(lab, 10000000);
    expect_none(lab);

    /* It is a stranger now, and resolves our address anew. */
    send_datagram(lab, 7, "who are you?");
    step(lab, DELAY);
    g_assert_true(take(lab, &frame));
    g_assert_cmphex(lduw_be_p(frame.data + 12), ==, 0x0806);
    g_assert_cmphex(lduw_be_p(frame.data + ETH + 6), ==, 1);    /* request */
    send_arp(lab);
    step(lab, DELAY);
    while (take(lab, &frame)) {
        ;       /* the answer, and the echo that waited for ours */
    }
    send_data(lab, 9, OUR_ISN + 100, ack, 100);
    expect_after(lab, DELAY, &frame, &s);
    g_assert_cmphex(s.flags & RST, ==, RST);
    connect_to(lab, 9);
    g_assert_cmpuint(counter(lab, "flows-opened"), ==, 2);
    lab_free(lab);
}

static void test_not_migratable(void)
{
    Lab *lab = lab_new("");
    QDict *rsp = qtest_qmp(lab->qts, "{ 'execute': 'migrate', 'arguments':"
                           " { 'uri': 'exec:cat' } }");
    const char *why;

    g_assert(qdict_haskey(rsp, "error"));
    why = qdict_get_str(qdict_get_qdict(rsp, "error"), "desc");
    g_assert(strstr(why, "mvlab-peer cannot be saved or migrated"));
    qobject_unref(rsp);
    lab_free(lab);
}

/* The same seed and the same frames give the same numbers, another others. */
static void test_seed(void)
{
    uint32_t isn[3];
    const char *options[] = { ",seed=1", ",seed=1", ",seed=2" };

    for (int i = 0; i < 3; i++) {
        Lab *lab = lab_new(options[i]);

        isn[i] = connect_to(lab, 9);
        lab_free(lab);
    }
    g_assert_cmphex(isn[0], ==, isn[1]);
    g_assert_cmphex(isn[0], !=, isn[2]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (!qtest_has_device("mvlab-peer")) {
        return g_test_run();    /* a QEMU that was built without lwIP */
    }
    qtest_add_func("/mvlab-peer/arp", test_arp);
    qtest_add_func("/mvlab-peer/window", test_window);
    qtest_add_func("/mvlab-peer/every-1", test_every_1);
    qtest_add_func("/mvlab-peer/every-2", test_every_2);
    qtest_add_func("/mvlab-peer/batch", test_batch);
    qtest_add_func("/mvlab-peer/policy-at-run-time", test_policy_at_run_time);
    qtest_add_func("/mvlab-peer/out-of-order", test_out_of_order);
    qtest_add_func("/mvlab-peer/echo", test_echo);
    qtest_add_func("/mvlab-peer/source", test_source);
    qtest_add_func("/mvlab-peer/source-refuses", test_source_refuses);
    qtest_add_func("/mvlab-peer/udp-source", test_udp_source);
    qtest_add_func("/mvlab-peer/no-overtaking", test_no_overtaking);
    qtest_add_func("/mvlab-peer/refusal", test_refusal);
    qtest_add_func("/mvlab-peer/reset", test_reset);
    qtest_add_func("/mvlab-peer/not-migratable", test_not_migratable);
    qtest_add_func("/mvlab-peer/seed", test_seed);
    return g_test_run();
}
