/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks: who called the function that an instruction is counted for
 */

#ifndef FUNCPROF_STACKS_H
#define FUNCPROF_STACKS_H

#include <stdbool.h>
#include <stdint.h>
#include "profile.h"

struct task_stack;

/* Whether stacks are kept; set once, before anything is counted */
extern bool stacks_on;

/*
 * The instructions of a block of the function in @slot begin: the call of it
 * if @entry, perhaps a return. Counts them for the stack as it then is.
 */
void stacks_count(uint32_t address, uint32_t slot, unsigned n, bool entry);

/* The last @n instructions of those counted last were not executed */
void stacks_take_back(unsigned n);

/* Another context begins on the stack of the current task, or ends */
void stacks_push(void);
void stacks_pop(void);

/* The current task's stack (made if *stack is NULL), and its context */
void stacks_switch(struct task_stack **stack);
void stacks_set_bucket(struct bucket *bucket);
void stacks_free(struct task_stack *stack);

/* Forgets all calls, of all tasks; the caller frees their stacks */
void stacks_reset(void);

/* Calls visit(path, n) for each stack with instructions, and empties it */
void stacks_drain(void (*visit)(const char *path, uint64_t n, void *opaque),
                  void *opaque);

#endif
