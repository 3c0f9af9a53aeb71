/*
 * Trains of packets through the coalescer, for its tests
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>
#include <sys/mman.h>

#include "train.h"

/* What malloc() aligns to, and what stands behind the memory handed out. */
#define MALLOC_ALIGN 16
#define CANARY 0xa5

static void out_free(gpointer data)
{
    TrainOut *out = data;

    g_free(out->bytes);
    g_free(out);
}

static void deliver(void *opaque, const GsoFrame *frame)
{
    Train *t = opaque;
    TrainOut *out = g_new0(TrainOut, 1);

    if (t->on_deliver) {
        t->on_deliver(t, frame);
    }
    out->bytes = g_malloc(frame->len);
    for (unsigned i = 0; i < frame->iovcnt; i++) {
        g_assert_cmpint(out->len + frame->iov[i].iov_len, <=, frame->len);
        if (frame->iov[i].iov_len) {
            memcpy(out->bytes + out->len, frame->iov[i].iov_base,
                   frame->iov[i].iov_len);
        }
        out->len += frame->iov[i].iov_len;
    }
    g_assert_cmpint(out->len, ==, frame->len);
    out->meta = frame->meta;
    out->npackets = frame->ncookies;
    out->at = t->now;
    g_ptr_array_add(t->out, out);
    /* the packets are ours again; each comes back exactly once. */
    for (unsigned i = 0; i < frame->ncookies; i++) {
        g_assert_true(g_ptr_array_remove(t->held, frame->cookies[i]));
    }
}

GsoGroConfig train_config(void)
{
    return (GsoGroConfig) {
        .buckets = 64,
        .depth = 8,
        .max_segs = 64,
        .max_iov = 128,
        .types = TRAIN_ALL_TYPES,
    };
}

Train *train_new(const GsoGroConfig *config)
{
    GsoGroConfig c = config ? *config : train_config();
    Train *t = g_new0(Train, 1);
    size_t size;

    c.deliver = deliver;
    c.opaque = t;
    t->out = g_ptr_array_new_with_free_func(out_free);
    t->held = g_ptr_array_new_with_free_func(g_free);
    size = gso_gro_size(&c);
    g_assert_cmpint(size, >, 0);
    t->size = size;
    t->mem = g_aligned_alloc(1, size + 2 * MALLOC_ALIGN, 4 * MALLOC_ALIGN);
    t->mem += MALLOC_ALIGN;
    memset(t->mem + size, CANARY, MALLOC_ALIGN);
    t->gro = gso_gro_init(t->mem, size, &c);
    g_assert_nonnull(t->gro);
    return t;
}

void train_free(Train *t)
{
    gso_gro_flush(t->gro, t->now);
    g_assert_cmpint(gso_gro_held(t->gro), ==, 0);
    g_assert_cmpint(t->held->len, ==, 0);
    g_ptr_array_unref(t->held);
    g_ptr_array_unref(t->out);
    for (unsigned i = 0; i < MALLOC_ALIGN; i++) {
        g_assert_cmpint(t->mem[t->size + i], ==, CANARY);
    }
    g_aligned_free(t->mem - MALLOC_ALIGN);
    g_free(t);
}

GsoVerdict train_send_bytes(Train *t, const uint8_t *bytes, size_t len,
                            const unsigned *cuts, const GsoMeta *meta)
{
    uint8_t *copy = g_memdup2(bytes, len);
    struct iovec iov[256];
    GsoPacket packet = { .iov = iov, .cookie = copy, .meta = meta };
    size_t off = 0;

    for (; cuts && *cuts; cuts++) {
        size_t end = MIN(*cuts, len);

        iov[packet.iovcnt++] = (struct iovec) { copy + off, end - off };
        off = end;
    }
    iov[packet.iovcnt++] = (struct iovec) {
        copy ? copy + off : NULL, len - off,
    };
    g_ptr_array_add(t->held, copy);
    return gso_gro_receive(t->gro, &packet, t->now);
}

GsoVerdict train_send(Train *t, const Frame *f)
{
    static uint8_t buf[FRAME_MAX];
    GsoMeta meta = {
        .csum = GSO_CSUM_PARTIAL,
        .segs = 1,
        .csum_start = (uint16_t)frame_l4(f),
        .csum_offset = f->udp ? 6 : 16,
    };
    size_t len = frame_build(f, buf);

    return train_send_bytes(t, buf, len, NULL,
                            f->csum == FRAME_CSUM_PARTIAL ? &meta : NULL);
}

/* As large as pages get. */
#define PAGE 65536

uint8_t *train_end_of_memory(size_t len)
{
    uint8_t *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    g_assert_true(p != MAP_FAILED);
    g_assert_cmpint(mprotect(p + PAGE, PAGE, PROT_NONE), ==, 0);
    return p + PAGE - len;
}

void train_free_end_of_memory(uint8_t *p, size_t len)
{
    g_assert_cmpint(munmap(p + len - PAGE, 2 * PAGE), ==, 0);
}

const TrainOut *train_out(const Train *t, unsigned n)
{
    g_assert_cmpint(n, <, t->out->len);
    return t->out->pdata[n];
}

char *train_lengths(const Train *t)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < t->out->len; i++) {
        const TrainOut *out = t->out->pdata[i];
        GsoLayout l;

        gso_parse_buf(out->bytes, out->len, &l);
        g_string_append_printf(s, "%s%u", i ? " " : "", l.payload_len);
    }
    return g_string_free(s, FALSE);
}
