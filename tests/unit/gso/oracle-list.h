/*
 * Lists of frames with what is known about them, for the kernel oracle
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_UNIT_GSO_ORACLE_LIST_H
#define TESTS_UNIT_GSO_ORACLE_LIST_H

#include "gso.h"

#define LIST_BYTES (8 << 20)
#define LIST_FRAMES 20000

typedef struct Entry {
    uint8_t *p;
    uint32_t len;
    GsoMeta meta;
} Entry;

typedef struct List {
    uint8_t *bytes;
    size_t used;
    Entry *entry;
    unsigned n;
} List;

/* Make an empty list; exits when there is no memory. */
List list_new(void);

void list_clear(List *list);

/* Append a copy; exits when the list is full. */
void list_add(List *list, const struct iovec *iov, unsigned iovcnt,
              const GsoMeta *meta);

/*
 * Append to @to what @frame becomes on the wire: its segments with complete
 * checksums.  Exits if it cannot be cut.
 */
void list_expand(List *to, const Entry *frame);

/* Sort by content. */
void list_sort(List *list);

/* Index of the first difference in bytes, or -1. */
int list_differ(const List *a, const List *b);

#endif /* TESTS_UNIT_GSO_ORACLE_LIST_H */
