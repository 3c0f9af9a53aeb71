/*
 * Frames made by hand, for the tests of net/gso
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "frame.h"

static void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
    put16(p, v >> 16);
    put16(p + 2, v);
}

uint32_t frame_sum(uint32_t sum, const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
        sum = (sum >> 16) + (sum & 0xffff);
    }
    return sum;
}

static uint32_t pseudo_sum(const Frame *f, const uint8_t *ip, size_t len)
{
    uint8_t tail[4];
    uint32_t sum;

    put32(tail, (uint32_t)len);
    sum = frame_sum(0, ip + (f->v6 ? 8 : 12), f->v6 ? 32 : 8);
    sum += f->udp ? 17 : 6;
    return frame_sum(sum, tail, 4);
}

unsigned frame_l3(const Frame *f)
{
    return 14 + 4 * f->tags;
}

unsigned frame_l4(const Frame *f)
{
    return frame_l3(f) + (f->v6 ? 40 + 8 * f->ext_hdrs : 20 + f->ip_opts);
}

unsigned frame_hdr(const Frame *f)
{
    return frame_l4(f) + (f->udp ? 8 : 20 + f->tcp_opts);
}

static void build_l2(const Frame *f, uint8_t *p)
{
    static const uint8_t macs[12] = {
        0x02, 0, 0, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0x02,
    };

    memcpy(p, macs, 12);
    p[5] = (uint8_t)(p[5] + f->dmac);
    p += 12;
    for (int i = 0; i < f->tags; i++, p += 4) {
        put16(p, f->tpid[i] ? f->tpid[i] : 0x8100);
        put16(p + 2, f->tci[i]);
    }
    put16(p, f->v6 ? 0x86dd : 0x0800);
}

static void build_ipv4(const Frame *f, uint8_t *ip, uint32_t l4_len)
{
    uint32_t hlen = 20 + f->ip_opts;

    memset(ip, 0, hlen);
    ip[0] = (uint8_t)(0x40 | hlen / 4);
    ip[1] = f->tos;
    put16(ip + 2, hlen + l4_len);
    put16(ip + 4, f->id);
    put16(ip + 6, f->frag | (f->df ? 0x4000 : 0));
    ip[8] = f->ttl ? f->ttl : 64;
    ip[9] = f->udp ? 17 : 6;
    put32(ip + 12, 0x0a000000 + f->src);
    put32(ip + 16, 0x0a000100 + f->dst);
    memset(ip + 20, 1, f->ip_opts); /* NOP */
    put16(ip + 10, ~frame_sum(0, ip, hlen) ^ (f->bad_ip_csum ? 0x10 : 0));
}

static void build_ipv6(const Frame *f, uint8_t *ip, uint32_t l4_len)
{
    uint8_t proto = f->udp ? 17 : 6;

    memset(ip, 0, 40);
    put32(ip, 0x60000000 | (uint32_t)f->tos << 20 | f->label);
    put16(ip + 4, 8 * f->ext_hdrs + l4_len);
    ip[6] = f->ext_hdrs ? 60 : proto;
    ip[7] = f->ttl ? f->ttl : 64;
    ip[8] = ip[24] = 0xfd;
    ip[23] = f->src;
    ip[38] = 1;
    ip[39] = f->dst;
    for (int i = 0; i < f->ext_hdrs; i++) {
        uint8_t *ext = ip + 40 + 8 * i;
        uint8_t next = i + 1 < f->ext_hdrs ? 60 : proto;
        const uint8_t hdr[8] = { next, 0, 0x1e, 4, f->ext_fill, 0, 0, 0 };

        memcpy(ext, hdr, 8);
    }
}

static void build_tcp(const Frame *f, uint8_t *tcp)
{
    put16(tcp, f->sport ? f->sport : 1000);
    put16(tcp + 2, f->dport ? f->dport : 2000);
    put32(tcp + 4, f->seq);
    put32(tcp + 8, f->ack);
    tcp[12] = (uint8_t)((20 + f->tcp_opts) / 4 << 4 | f->reserved);
    tcp[13] = f->flags ? f->flags : 0x10;
    put16(tcp + 14, f->window);
    put16(tcp + 16, 0);
    put16(tcp + 18, f->urgent);
    memset(tcp + 20, 1, f->tcp_opts); /* NOP */
    if (f->tcp_opts >= 12) {
        tcp[22] = 8;
        tcp[23] = 10;
        put32(tcp + 24, 0x01020300u + f->opt_fill);
        put32(tcp + 28, 0x55667788);
    } else if (f->tcp_opts) {
        tcp[19 + f->tcp_opts] = f->opt_fill & 1;
    }
}

static void build_udp(const Frame *f, uint8_t *udp, uint32_t len)
{
    put16(udp, f->sport ? f->sport : 1000);
    put16(udp + 2, f->dport ? f->dport : 2000);
    put16(udp + 4, len);
    put16(udp + 6, 0);
}

static void put_csum(const Frame *f, const uint8_t *ip, uint8_t *l4,
                     size_t len)
{
    uint8_t *field = l4 + (f->udp ? 6 : 16);
    uint32_t sum = pseudo_sum(f, ip, len);
    uint32_t csum;

    if (f->csum == FRAME_CSUM_PARTIAL) {
        put16(field, sum);
        return;
    }
    if (f->csum == FRAME_CSUM_ZERO) {
        return;
    }
    csum = ~frame_sum(sum, l4, len) & 0xffff;
    if (f->udp && !csum) {
        csum = 0xffff;
    }
    put16(field, f->csum == FRAME_CSUM_BAD ? csum ^ 0x0101 : csum);
}

size_t frame_build(const Frame *f, uint8_t *buf)
{
    uint8_t *ip = buf + frame_l3(f);
    uint8_t *l4 = buf + frame_l4(f);
    uint8_t *p = buf + frame_hdr(f);
    uint32_t l4_len = (uint32_t)(p - l4) + f->payload;
    FrameRandom r = { f->fill };

    build_l2(f, buf);
    if (f->v6) {
        build_ipv6(f, ip, l4_len);
    } else {
        build_ipv4(f, ip, l4_len);
    }
    if (f->udp) {
        build_udp(f, l4, l4_len);
    } else {
        build_tcp(f, l4);
    }
    for (uint32_t i = 0; i < f->payload; i++) {
        p[i] = (uint8_t)frame_random(&r);
    }
    put_csum(f, ip, l4, l4_len);
    memset(p + f->payload, f->pad_byte, f->pad);
    return (size_t)(p - buf) + f->payload + f->pad;
}

bool frame_valid(const Frame *like, const uint8_t *buf, size_t len)
{
    const uint8_t *ip = buf + frame_l3(like);
    const uint8_t *l4 = buf + frame_l4(like);
    size_t l4_len = len - frame_l4(like);
    size_t ip_len = len - frame_l3(like);

    if (like->v6 && frame_u16(ip + 4) != ip_len - 40) {
        return false;
    }
    if (!like->v6 && (frame_u16(ip + 2) != ip_len ||
                      frame_sum(0, ip, 20 + like->ip_opts) != 0xffff)) {
        return false;
    }
    if (like->udp && frame_u16(l4 + 4) != l4_len) {
        return false;
    }
    if (like->udp && !frame_u16(l4 + 6)) {
        return false;
    }
    return frame_sum(pseudo_sum(like, ip, l4_len), l4, l4_len) == 0xffff;
}

/* splitmix64 (Steele, Lea, Flood: Fast splittable generators, 2014). */
uint32_t frame_random(FrameRandom *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ z >> 31) >> 16);
}

uint32_t frame_below(FrameRandom *r, uint32_t n)
{
    return frame_random(r) % n;
}

/* Write a checksum that makes the @len bytes at @p, plus @sum, right. */
static void mend(uint32_t sum, uint8_t *p, size_t len, uint8_t *field)
{
    put16(field, 0);
    put16(field, ~frame_sum(sum, p, len));
}

void frame_mend(const Frame *f, uint8_t *buf, size_t len, unsigned what)
{
    uint8_t *ip = buf + frame_l3(f), *tcp = buf + frame_l4(f);
    const size_t tcp_len = len - frame_l4(f);

    if (what & FRAME_MEND_TCP) {
        mend(pseudo_sum(f, ip, tcp_len), tcp, tcp_len, tcp + 16);
    }
    if ((what & FRAME_MEND_IP) && !f->v6) {
        mend(0, ip, 20, ip + 10);
    }
}
