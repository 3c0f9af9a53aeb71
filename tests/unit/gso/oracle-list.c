/*
 * Lists of frames with what is known about them, for the kernel oracle
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "oracle-list.h"

List list_new(void)
{
    List list = {
        .bytes = malloc(LIST_BYTES),
        .entry = malloc(LIST_FRAMES * sizeof(Entry)),
    };

    if (!list.bytes || !list.entry) {
        perror("gso-oracle");
        exit(2);
    }
    return list;
}

void list_clear(List *list)
{
    list->used = 0;
    list->n = 0;
}

void list_add(List *list, const struct iovec *iov, unsigned iovcnt,
              const GsoMeta *meta)
{
    Entry *e = &list->entry[list->n];

    if (list->n == LIST_FRAMES || LIST_BYTES - list->used < 2 * FRAME_MAX) {
        fprintf(stderr, "gso-oracle: too many frames in one case\n");
        exit(2);
    }
    e->p = list->bytes + list->used;
    e->len = 0;
    e->meta = *meta;
    for (unsigned i = 0; i < iovcnt; i++) {
        memcpy(e->p + e->len, iov[i].iov_base, iov[i].iov_len);
        e->len += (uint32_t)iov[i].iov_len;
    }
    list->used += e->len;
    list->n++;
}

void list_expand(List *to, const Entry *e)
{
    static uint8_t buf[FRAME_MAX];
    const GsoMeta complete = { .csum = GSO_CSUM_COMPLETE, .segs = 1 };
    struct iovec whole = { e->p, e->len };
    struct iovec iov[1];
    GsoSegParams params = {
        .gso_size = e->meta.gso_size,
        .csum = e->meta.csum,
        .ip_id = e->meta.fixed_id ? GSO_IPID_FIXED : GSO_IPID_INCREMENT,
        .accecn = e->meta.accecn,
    };
    GsoSegmenter s;
    GsoSegment seg;
    int n;

    if (e->meta.type == GSO_TYPE_NONE) {
        if (e->meta.csum == GSO_CSUM_PARTIAL) {
            gso_csum_complete(&whole, 1, e->len, e->meta.csum_start,
                              e->meta.csum_offset, e->meta.csum_offset == 6);
        }
        list_add(to, &whole, 1, &complete);
        return;
    }
    n = gso_seg_init(&s, &whole, 1, &params);
    if (n < 0) {
        fprintf(stderr, "gso-oracle: super-frame: %s\n", gso_strerror(n));
        exit(1);
    }
    while (gso_seg_peek(&s, buf, sizeof(buf), iov, 1, &seg) > 0) {
        list_add(to, iov, 1, &complete);
        gso_seg_advance(&s);
    }
}

static int compare(const void *a, const void *b)
{
    const Entry *x = a;
    const Entry *y = b;

    if (x->len != y->len) {
        return x->len < y->len ? -1 : 1;
    }
    return memcmp(x->p, y->p, x->len);
}

void list_sort(List *list)
{
    qsort(list->entry, list->n, sizeof(Entry), compare);
}

int list_differ(const List *a, const List *b)
{
    for (unsigned i = 0; i < a->n || i < b->n; i++) {
        if (i >= a->n || i >= b->n || compare(&a->entry[i], &b->entry[i])) {
            return (int)i;
        }
    }
    return -1;
}
