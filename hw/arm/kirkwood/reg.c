/*
 * Register tables of the Marvell Kirkwood SoC models
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "hw/arm/kirkwood_reg.h"
#include "trace.h"

static const KirkwoodReg *reg_find(const KirkwoodRegBlock *block, hwaddr offset)
{
    const KirkwoodReg *reg;

    if (offset / 4 >= block->count) {
        return NULL;
    }
    reg = &block->reg[offset / 4];
    return reg->name ? reg : NULL;
}

void kirkwood_reg_reset(const KirkwoodRegBlock *block, uint32_t *regs)
{
    for (unsigned i = 0; i < block->count; i++) {
        regs[i] = block->reg[i].reset;
    }
}

uint64_t kirkwood_reg_read(const KirkwoodRegBlock *block, const uint32_t *regs,
                           hwaddr offset, unsigned size)
{
    const KirkwoodReg *reg = reg_find(block, offset);
    unsigned shift = (offset % 4) * 8;
    uint32_t value;

    if (!reg) {
        qemu_log_mask(LOG_UNIMP, "%s: read of unimplemented register 0x%"
                      HWADDR_PRIx "\n", block->name, offset);
        return 0;
    }
    value = regs[offset / 4];
    trace_kirkwood_reg_read(block->name, reg->name, value);
    return extract32(value, shift, size * 8);
}

void kirkwood_reg_write(const KirkwoodRegBlock *block, uint32_t *regs,
                        hwaddr offset, uint64_t value, unsigned size)
{
    const KirkwoodReg *reg = reg_find(block, offset);
    unsigned shift = (offset % 4) * 8;
    uint32_t lanes = MAKE_64BIT_MASK(shift, size * 8);
    uint32_t word = value << shift;
    uint32_t *stored = &regs[offset / 4];

    if (!reg) {
        qemu_log_mask(LOG_UNIMP, "%s: write of 0x%" PRIx64
                      " to unimplemented register 0x%" HWADDR_PRIx "\n",
                      block->name, value, offset);
        return;
    }
    trace_kirkwood_reg_write(block->name, reg->name, word, lanes);
    if (!reg->rw && !reg->w0c && !reg->w1c) {
        qemu_log_mask(LOG_GUEST_ERROR, "%s: write to read-only register %s\n",
                      block->name, reg->name);
        return;
    }
    *stored = (*stored & ~(reg->rw & lanes)) | (word & reg->rw & lanes);
    *stored &= ~(reg->w0c & lanes & ~word);
    *stored &= ~(reg->w1c & lanes & word);
}
