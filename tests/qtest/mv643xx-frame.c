/*
 * Ethernet frames for the mv643xx tests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-frame.h"

const uint8_t frame_nic_mac[6] = { 0x00, 0x50, 0x43, 0x01, 0x02, 0x30 };
const uint8_t frame_peer_mac[6] = { 0x02, 0x00, 0x00, 0xaa, 0xbb, 0xcc };
const uint8_t frame_broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

static void put16(uint8_t *p, uint16_t v)
{
    p[0] = v >> 8;
    p[1] = v;
}

static uint16_t get16(const uint8_t *p)
{
    return p[0] << 8 | p[1];
}

static void put_pattern(uint8_t *p, size_t len, uint8_t seed)
{
    for (size_t i = 0; i < len; i++) {
        p[i] = seed + i * 7 + (i >> 8);
    }
}

uint16_t frame_sum(const uint8_t *p, size_t len)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        sum += i & 1 ? p[i] : p[i] << 8;
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static uint16_t add16(uint16_t a, uint16_t b)
{
    uint32_t sum = a + b;

    return (sum & 0xffff) + (sum >> 16);
}

uint16_t frame_pseudo_sum(const Frame *f)
{
    uint16_t sum = frame_sum(f->data + f->l3 + 12, 8);

    sum = add16(sum, f->data[f->l3 + 9]);
    return add16(sum, f->l4_len);
}

uint32_t frame_crc32(const uint8_t *p, size_t len)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        }
    }
    return ~crc;
}

uint8_t frame_crc8(const uint8_t mac[6])
{
    unsigned crc = 0;

    for (int i = 0; i < 6; i++) {
        crc ^= mac[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 0x80 ? (crc << 1 ^ 0x07) & 0xff : crc << 1;
        }
    }
    return crc;
}

void frame_pad(Frame *f)
{
    if (f->len < FRAME_MIN) {
        memset(f->data + f->len, 0, FRAME_MIN - f->len);
        f->len = FRAME_MIN;
    }
}

/* Offset of the checksum in the TCP or UDP header, 0: neither */
static size_t l4_sum_offset(uint8_t proto)
{
    return proto == FRAME_TCP ? 16 : proto == FRAME_UDP ? 6 : 0;
}

void frame_fix_sums(Frame *f)
{
    uint8_t *ip = f->data + f->l3;
    uint8_t *l4 = f->data + f->l4;
    size_t offset = l4_sum_offset(ip[9]);
    uint16_t sum;

    put16(ip + 10, 0);
    put16(ip + 10, ~frame_sum(ip, (ip[0] & 0xf) * 4));
    if (!offset) {
        return;
    }
    put16(l4 + offset, 0);
    sum = ~add16(frame_pseudo_sum(f), frame_sum(l4, f->l4_len));
    /* RFC 768: a UDP sum of zero is sent as all ones */
    put16(l4 + offset, sum == 0 && ip[9] == FRAME_UDP ? 0xffff : sum);
}

static void spoil(uint8_t *p, FrameSum how)
{
    if (how == SUM_ZERO) {
        put16(p, 0);
    } else if (how == SUM_BAD) {
        put16(p, get16(p) ^ 0x0101);
    }
}

static size_t build_l2(Frame *f, const FrameSpec *spec)
{
    size_t at = 12;

    memcpy(f->data, spec->dst ? spec->dst : frame_nic_mac, 6);
    memcpy(f->data + 6, frame_peer_mac, 6);
    for (unsigned i = 0; i < spec->tags; i++) {
        put16(f->data + at, spec->tpid[i] ? spec->tpid[i] : 0x8100);
        put16(f->data + at + 2, 0x2064 + i);
        at += 4;
    }
    if (spec->snap) {
        static const uint8_t llc[6] = { 0xaa, 0xaa, 0x03, 0, 0, 0 };

        at += 2;        /* the length comes when it is known */
        memcpy(f->data + at, llc, sizeof(llc));
        at += sizeof(llc);
    }
    put16(f->data + at, spec->ipv6 ? 0x86dd : 0x0800);
    return at + 2;
}

static size_t build_l4(uint8_t *l4, const FrameSpec *spec, uint8_t proto)
{
    size_t head = proto == FRAME_TCP ? 20 : 8;

    memset(l4, 0, head);
    put16(l4, 0x1234);
    put16(l4 + 2, 0x0050);
    if (proto == FRAME_TCP) {
        put16(l4 + 4, 0xdead);
        put16(l4 + 6, 0xbeef);
        l4[12] = 5 << 4;
        l4[13] = 0x18;
        put16(l4 + 14, 0x4000);
    } else {
        put16(l4 + 4, head + spec->payload);
    }
    put_pattern(l4 + head, spec->payload, spec->seed);
    return head + spec->payload;
}

void frame_build(Frame *f, const FrameSpec *spec)
{
    uint8_t proto = spec->proto ? spec->proto : FRAME_TCP;
    unsigned ihl = spec->ihl ? spec->ihl : 5;
    uint8_t *ip, *l4;
    size_t total;

    f->l3 = build_l2(f, spec);
    f->l4 = f->l3 + (spec->ipv6 ? 40 : ihl * 4);
    ip = f->data + f->l3;
    l4 = f->data + f->l4;
    f->l4_len = build_l4(l4, spec, proto);
    total = f->l4 - f->l3 + f->l4_len;
    f->len = f->l3 + total;

    memset(ip, 0, f->l4 - f->l3);
    if (spec->ipv6) {
        ip[0] = 0x60;
        put16(ip + 4, f->l4_len);
        ip[6] = proto;
        ip[7] = 64;
        ip[23] = 1;
        ip[39] = 2;
    } else {
        ip[0] = 0x40 | ihl;
        put16(ip + 2, total);
        put16(ip + 4, 0x1c46);
        put16(ip + 6, spec->frag);
        ip[8] = 64;
        ip[9] = proto;
        put16(ip + 12, 0x0a00);
        put16(ip + 14, 0x0001);
        put16(ip + 16, 0x0a00);
        put16(ip + 18, 0x0002);
        memset(ip + 20, 1, ihl * 4 - 20);       /* options: no-operation */
        frame_fix_sums(f);
        if (spec->total_len) {
            /* the header stays right, only its claim is wrong */
            put16(ip + 2, spec->total_len);
            put16(ip + 10, 0);
            put16(ip + 10, ~frame_sum(ip, ihl * 4));
        }
        spoil(ip + 10, spec->ip_sum);
        if (l4_sum_offset(proto)) {
            spoil(l4 + l4_sum_offset(proto), spec->l4_sum);
        }
    }
    memset(f->data + f->len, 0x5e, spec->trailer);
    f->len += spec->trailer;
    if (spec->snap) {
        put16(f->data + 12 + 4 * spec->tags, 8 + total);
    }
}

void frame_raw(Frame *f, const uint8_t *dst, uint16_t ethertype, size_t len,
               uint8_t seed)
{
    uint8_t head[14];

    memcpy(head, dst, 6);
    memcpy(head + 6, frame_peer_mac, 6);
    put16(head + 12, ethertype);
    memcpy(f->data, head, MIN(len, sizeof(head)));
    if (len > sizeof(head)) {
        put_pattern(f->data + sizeof(head), len - sizeof(head), seed);
    }
    f->len = len;
    f->l3 = sizeof(head);
    f->l4 = f->l4_len = 0;
}

void frame_arp(Frame *f, const uint8_t *dst)
{
    static const uint8_t head[8] = { 0, 1, 8, 0, 6, 4, 0, 1 };

    frame_raw(f, dst, 0x0806, 42, 0);
    memcpy(f->data + 14, head, sizeof(head));
    memcpy(f->data + 22, frame_peer_mac, 6);
    memcpy(f->data + 28, "\x0a\x00\x00\x01", 4);
    memset(f->data + 32, 0, 6);
    memcpy(f->data + 38, "\x0a\x00\x00\x02", 4);
    frame_pad(f);
}
