/*
 * Register tables of the Marvell Kirkwood SoC models
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every block describes its 32-bit registers in one const table, indexed by
 * word offset.  The table drives access, reset, trace and guest-error logging;
 * a block adds only the side effects.
 */

#ifndef HW_ARM_KIRKWOOD_REG_H
#define HW_ARM_KIRKWOOD_REG_H

#include "exec/hwaddr.h"

/**
 * KirkwoodReg: one 32-bit register
 * @name: name for traces and logs; NULL marks a hole
 * @reset: value after reset
 * @rw: bits that software writes and reads back
 * @w0c: bits cleared by writing 0
 * @w1c: bits cleared by writing 1
 *
 * Bits in none of the masks ignore writes.
 */
typedef struct KirkwoodReg {
    const char *name;
    uint32_t reset;
    uint32_t rw;
    uint32_t w0c;
    uint32_t w1c;
} KirkwoodReg;

/**
 * KirkwoodRegBlock: the registers of one block
 * @name: name of the block for traces and logs
 * @reg: table indexed by word offset
 * @count: number of entries of @reg, and of words of the block's storage
 */
typedef struct KirkwoodRegBlock {
    const char *name;
    const KirkwoodReg *reg;
    unsigned count;
} KirkwoodRegBlock;

/** kirkwood_reg_reset: load the reset values into @regs[block->count] */
void kirkwood_reg_reset(const KirkwoodRegBlock *block, uint32_t *regs);

/**
 * kirkwood_reg_read: read 1, 2 or 4 bytes at a naturally aligned @offset
 *
 * Holes read as zero and are logged as unimplemented.
 */
uint64_t kirkwood_reg_read(const KirkwoodRegBlock *block, const uint32_t *regs,
                           hwaddr offset, unsigned size);

/**
 * kirkwood_reg_write: write 1, 2 or 4 bytes at a naturally aligned @offset
 *
 * Only the byte lanes addressed are touched, as with the bus's byte enables.
 * Writes to holes are logged as unimplemented, writes to registers without a
 * writable bit as guest errors; both are dropped.
 */
void kirkwood_reg_write(const KirkwoodRegBlock *block, uint32_t *regs,
                        hwaddr offset, uint64_t value, unsigned size);

#endif
