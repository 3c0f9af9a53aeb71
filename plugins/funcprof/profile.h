/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was counted: cells by context, program and function; regions; JSON
 */

#ifndef FUNCPROF_PROFILE_H
#define FUNCPROF_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include "symbols.h"

enum context { PROCESS, SOFTIRQ, HARDIRQ, IDLE, CONTEXTS };

/* One function in one context */
struct cell {
    uint64_t instructions;
    uint64_t calls;             /* how often its first instruction began */
    uint64_t cost;              /* of the cost model, see cost.h */
};

/*
 * Everything in one context; of process context, everything for one program.
 * The cells stay where they are until profile_clear().
 */
struct bucket {
    enum context context;
    const char *program;        /* interned; NULL unless PROCESS */
    struct cell *cells;         /* by slot */
    bool used;                  /* cells may have counts; set by who counts */
};

/* Takes over @symbols (NULL: none); what was counted so far goes outside */
void profile_set_symbols(struct symbols *symbols);
const struct symbols *profile_symbols(void);

/* The slot of the code at a guest address, below PROFILE_SLOTS_MAX */
uint32_t profile_slot(uint32_t address);
bool profile_is_entry(uint32_t address);

bool profile_is_user(uint32_t slot);

/* Names: interned; *module is NULL for the kernel itself */
const char *profile_function(uint32_t slot, const char **module);
const char *profile_context(enum context context);

struct bucket *profile_bucket(enum context context, const char *program);

/* One line, printed and for the result's "errors"; takes over @text */
void profile_error(char *text);

/* Counts once what makes a result doubtful; @what is a string constant */
void profile_doubt(const char *what);

/*
 * A region begins or ends, and no bucket is used any more. @ns is the guest's
 * clock at that moment, 0 if the guest did not tell. False, with an error
 * noted, if it makes no sense.
 */
bool profile_begin(uint64_t ns);
bool profile_end(uint64_t ns);
bool profile_region_open(void);

/*
 * Writes the result to @path. An open region is ended and marked incomplete.
 * Returns 0, or -1 with errno.
 */
int profile_write(const char *path, const char *cost_model);

#endif
