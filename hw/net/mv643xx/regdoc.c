/*
 * Print the register table of the mv643xx unit as Markdown
 *
 * A program of its own, built without QEMU; docs/regdoc.py puts its output
 * into docs/device.md.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include "../../../include/hw/net/mv643xx_regs.h"
#include "mv643xx-regtable.h"
#include "mv643xx-regtable.c.inc"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const char *access_name(const MV643xxReg *reg)
{
    if (reg->flags & MV_CMD) {
        return "command";
    }
    if (reg->flags & MV_W0C) {
        return "write 0 clears";
    }
    if (reg->flags & MV_RC) {
        return "read clears";
    }
    return reg->flags & MV_RO ? "read-only" : "read/write";
}

static void print_offset(const MV643xxReg *reg)
{
    printf("| 0x%03x", reg->offset);
    if (reg->count > 1) {
        printf(" + 0x%x n, n < %u", reg->stride, reg->count);
    }
}

static void print_table(const char *title, const MV643xxReg *table,
                        size_t rows)
{
    printf("### %s\n\n"
           "| Offset | Name | Access | Reset | Writable bits | Followed | |\n"
           "|---|---|---|---|---|---|---|\n", title);
    for (size_t i = 0; i < rows; i++) {
        const MV643xxReg *reg = &table[i];

        print_offset(reg);
        printf(" | %s | %s | 0x%08" PRIx32 " | 0x%08" PRIx32 " | %s | %s |\n",
               reg->name, access_name(reg), reg->reset, reg->writable,
               reg->flags & MV_STORED ? "no" : "yes", reg->doc);
    }
    printf("\n");
}

int main(void)
{
    print_table("Unit registers", mv643xx_unit_regs, ROWS(mv643xx_unit_regs));
    print_table("Port registers, from 0x400 + 0x400 p", mv643xx_port_regs,
                ROWS(mv643xx_port_regs));
    return 0;
}
