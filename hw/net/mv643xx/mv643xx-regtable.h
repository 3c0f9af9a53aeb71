/*
 * Form of the register table of the mv643xx unit
 *
 * Free of QEMU's headers: the generator of the reference page reads the table
 * too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_NET_MV643XX_REGTABLE_H
#define HW_NET_MV643XX_REGTABLE_H

#define MV_RW       0           /* bits of @writable are plain storage */
#define MV_W0C      (1u << 0)   /* writing 0 to a bit of @writable clears it */
#define MV_RC       (1u << 1)   /* reading clears */
#define MV_RO       (1u << 2)   /* computed or set by the device alone */
#define MV_CMD      (1u << 3)   /* a write starts something */
#define MV_STORED   (1u << 4)   /* kept, but nothing in the model follows it */

typedef struct MV643xxReg {
    uint16_t offset;    /* within its block, a multiple of 4 */
    uint8_t count;      /* instances, at offset, offset + stride, ... */
    uint8_t stride;
    const char *name;
    uint32_t reset;
    uint32_t writable;
    uint32_t flags;
    const char *doc;
} MV643xxReg;

#endif
