/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest kernel's functions, as /proc/kallsyms lists them
 */

#ifndef FUNCPROF_SYMBOLS_H
#define FUNCPROF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No function is larger: code further behind a symbol belongs to nobody */
#define SYMBOL_MAX_SIZE 0x10000u

/* As in the kernel (KSYM_NAME_LEN), with the terminating zero */
#define SYMBOL_MAX_NAME 512

struct symbol {
    uint32_t address;
    char *name;             /* owned by the list */
    char *module;           /* or NULL: the kernel itself */
};

struct symbols {
    struct symbol *list;    /* ascending addresses, one symbol for each */
    size_t n;
    struct symbol *all;     /* every name, ascending by name */
    size_t n_all;
    char *text;
};

/*
 * Reads what a guest sent: lines "ADDRESS TYPE NAME[<tab>[MODULE]]" in hex,
 * all of the file or, if there is a line "@symbols", what stands between the
 * last such line and "@end N", where N is the number of lines between. Of the
 * names of one address local ones come last, then a shorter one is taken
 * (memcpy, not mmiocpy), then the first. Mapping symbols ($a, $d, $t) and data
 * are left out.
 *
 * Returns the functions, to be freed with symbols_free(), or NULL with one
 * line in *error, to be freed with g_free().
 */
struct symbols *symbols_read(const char *path, char **error);
void symbols_free(struct symbols *s);

/* The index in s->list of the function that @address is in, or -1 */
ptrdiff_t symbols_find(const struct symbols *s, uint32_t address);

/* The address of a function by any of its names; false if there is none */
bool symbols_address(const struct symbols *s, const char *name,
                     uint32_t *address);

#endif
