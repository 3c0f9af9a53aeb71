/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which context and which program the guest is in
 */

#ifndef FUNCPROF_CONTEXTS_H
#define FUNCPROF_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile.h"

struct hook;

enum guest_reg { REG_R0, REG_R1, REG_R2, REG_R3, REG_SP, REG_LR, REG_CPSR,
                 GUEST_REGS };

/* The guest as it is now; given by funcprof.c */
uint32_t guest_reg(enum guest_reg reg);
bool guest_read(uint32_t address, void *data, size_t size);

/*
 * Looks up the functions of the table in contexts.c; also forgets all tasks.
 * Without symbols everything is one program's process context.
 */
void contexts_init(const struct symbols *symbols);

/* What happens when the instruction at @address begins; NULL: nothing */
const struct hook *contexts_hook(uint32_t address);
void contexts_run(const struct hook *hook);

/*
 * The instruction at contexts_return begins: the end of the innermost context,
 * and of others that return there, if the registers confirm it.
 */
void contexts_check_return(void);

/* Where counts go now, and the address that may end it; read on every block */
extern struct bucket *contexts_bucket;
extern uint32_t contexts_return;

#endif
