/*
 * NAND flash on the Marvell Kirkwood device bus
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A single-level-cell chip with 2 KiB pages and an 8-bit bus.  Address line 0
 * is its command latch, line 1 its address latch.  It is always ready: reading,
 * programming and erasing take no time and never fail.
 *
 * Behaviour: Linux drivers/mtd/nand/raw/orion_nand.c and nand_base.c.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_nand.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "trace.h"

#define ADDRESS_LINE_COMMAND 1
#define ADDRESS_LINE_ADDRESS 2

#define PAGE_SIZE KIRKWOOD_NAND_PAGE_SIZE
#define BLOCK_SIZE (KIRKWOOD_NAND_BLOCK_PAGES * KIRKWOOD_NAND_PAGE_SIZE)

/* Address bytes of a column and of a row */
#define COLUMN_BYTES 2
#define ROW_BYTES 3

enum {
    CMD_READ = 0x00,
    CMD_READ_COLUMN = 0x05,
    CMD_PROGRAM_CONFIRM = 0x10,
    CMD_PROGRAM_CACHE = 0x15,
    CMD_READ_CONFIRM = 0x30,
    CMD_READ_COPY = 0x35,
    CMD_ERASE = 0x60,
    CMD_STATUS = 0x70,
    CMD_PROGRAM = 0x80,
    CMD_PROGRAM_COLUMN = 0x85,
    CMD_ID = 0x90,
    CMD_ERASE_CONFIRM = 0xd0,
    CMD_READ_COLUMN_CONFIRM = 0xe0,
    CMD_RESET = 0xff,
};

enum {
    STATUS_FAIL = 0x01,
    STATUS_READY = 0x60,
    STATUS_UNPROTECTED = 0x80,
};

typedef enum KirkwoodNandOutput {
    OUTPUT_NONE,
    OUTPUT_PAGE,
    OUTPUT_ID,
    OUTPUT_STATUS,
    OUTPUT_LAST = OUTPUT_STATUS,
} KirkwoodNandOutput;

struct KirkwoodNandChip {
    uint32_t size_mib;
    uint8_t id[5];
};

/* Hynix HY27UF082G2B and HY27UF084G2M */
static const KirkwoodNandChip nand_chips[] = {
    { 256, { 0xad, 0xda, 0x10, 0x95, 0x44 } },
    { 512, { 0xad, 0xdc, 0x80, 0x95, 0x54 } },
};

static uint32_t nand_num_pages(KirkwoodNandState *s)
{
    return s->size_mib * (MiB / KIRKWOOD_NAND_PAGE_DATA);
}

static uint8_t *nand_page_ptr(KirkwoodNandState *s, uint32_t row)
{
    uint8_t *array = memory_region_get_ram_ptr(&s->array);

    return array + (uint64_t)row * PAGE_SIZE;
}

/* Write pages that have changed, from row on, to the drive if there is one */
static bool nand_write_back(KirkwoodNandState *s, uint32_t row, uint32_t pages)
{
    uint64_t offset = (uint64_t)row * PAGE_SIZE;
    size_t size = (size_t)pages * PAGE_SIZE;
    const uint8_t *array = nand_page_ptr(s, row);
    g_autofree uint8_t *buf = NULL;
    int ret;

    memory_region_set_dirty(&s->array, offset, size);
    if (!s->blk) {
        return true;
    }
    buf = g_malloc(size);
    for (size_t i = 0; i < size; i++) {
        buf[i] = ~array[i];
    }
    ret = blk_pwrite(s->blk, offset, size, buf, 0);
    if (ret < 0) {
        error_report("NAND flash: cannot write at offset %" PRIu64
                     " of the drive: %s", offset, strerror(-ret));
    }
    return ret >= 0;
}

static void nand_load_page(KirkwoodNandState *s)
{
    const uint8_t *array = nand_page_ptr(s, s->row);

    for (unsigned i = 0; i < PAGE_SIZE; i++) {
        s->page[i] = ~array[i];
    }
}

static bool nand_program(KirkwoodNandState *s)
{
    uint8_t *array = nand_page_ptr(s, s->row);

    for (unsigned i = 0; i < PAGE_SIZE; i++) {
        array[i] |= ~s->page[i];
    }
    return nand_write_back(s, s->row, 1);
}

static bool nand_erase(KirkwoodNandState *s)
{
    uint32_t first = s->row - s->row % KIRKWOOD_NAND_BLOCK_PAGES;

    memset(nand_page_ptr(s, first), 0, BLOCK_SIZE);
    return nand_write_back(s, first, KIRKWOOD_NAND_BLOCK_PAGES);
}

static void nand_set_column(KirkwoodNandState *s)
{
    s->column = s->address[0] | s->address[1] << 8;
}

/* The row is in the address bytes from first on; what exceeds it wraps */
static void nand_set_row(KirkwoodNandState *s, unsigned first)
{
    uint32_t row = s->address[first] | s->address[first + 1] << 8 |
                   s->address[first + 2] << 16;

    s->row = row % nand_num_pages(s);
}

static void nand_set_result(KirkwoodNandState *s, bool ok)
{
    s->status = ok ? s->status & ~STATUS_FAIL : s->status | STATUS_FAIL;
}

static void nand_reset_chip(KirkwoodNandState *s)
{
    s->output = OUTPUT_NONE;
    s->command = CMD_RESET;
    s->status = STATUS_READY | STATUS_UNPROTECTED;
    s->num_address = 0;
    s->column = 0;
    s->row = 0;
    memset(s->address, 0, sizeof(s->address));
    memset(s->page, 0xff, sizeof(s->page));
}

static void nand_command(KirkwoodNandState *s, uint8_t command)
{
    trace_kirkwood_nand_command(command, s->row, s->column);
    switch (command) {
    case CMD_RESET:
        nand_reset_chip(s);
        break;
    case CMD_ID:
        s->output = OUTPUT_ID;
        break;
    case CMD_STATUS:
        s->output = OUTPUT_STATUS;
        break;
    case CMD_READ:
        s->output = OUTPUT_PAGE;
        break;
    case CMD_READ_CONFIRM:
    case CMD_READ_COPY:
        nand_load_page(s);
        s->output = OUTPUT_PAGE;
        break;
    case CMD_READ_COLUMN_CONFIRM:
        s->output = OUTPUT_PAGE;
        break;
    case CMD_PROGRAM:
        memset(s->page, 0xff, sizeof(s->page));
        break;
    case CMD_PROGRAM_CONFIRM:
    case CMD_PROGRAM_CACHE:
        nand_set_result(s, nand_program(s));
        break;
    case CMD_ERASE_CONFIRM:
        nand_set_result(s, nand_erase(s));
        break;
    case CMD_READ_COLUMN:
    case CMD_PROGRAM_COLUMN:
    case CMD_ERASE:
        break;
    default:
        qemu_log_mask(LOG_UNIMP, "%s: unimplemented command 0x%02x\n",
                      TYPE_KIRKWOOD_NAND, command);
    }
    s->command = command;
    s->num_address = 0;
}

static void nand_address(KirkwoodNandState *s, uint8_t byte)
{
    if (s->num_address >= sizeof(s->address)) {
        qemu_log_mask(LOG_GUEST_ERROR, "%s: more than %zu address bytes\n",
                      TYPE_KIRKWOOD_NAND, sizeof(s->address));
        return;
    }
    s->address[s->num_address++] = byte;
    if (s->command == CMD_ID) {
        s->column = 0;
    } else if (s->command == CMD_ERASE) {
        if (s->num_address == ROW_BYTES) {
            nand_set_row(s, 0);
        }
    } else if (s->num_address == COLUMN_BYTES) {
        nand_set_column(s);
    } else if (s->num_address == COLUMN_BYTES + ROW_BYTES) {
        nand_set_row(s, COLUMN_BYTES);
    }
}

static void nand_data_in(KirkwoodNandState *s, uint8_t byte)
{
    if (s->column < PAGE_SIZE) {
        s->page[s->column++] = byte;
    } else {
        qemu_log_mask(LOG_GUEST_ERROR, "%s: data beyond the end of the page\n",
                      TYPE_KIRKWOOD_NAND);
    }
}

static uint8_t nand_data_out(KirkwoodNandState *s)
{
    switch (s->output) {
    case OUTPUT_STATUS:
        return s->status;
    case OUTPUT_ID:
        return s->column < sizeof(s->chip->id) ? s->chip->id[s->column++] : 0;
    case OUTPUT_PAGE:
        return s->column < PAGE_SIZE ? s->page[s->column++] : 0xff;
    default:
        return 0xff;
    }
}

static uint64_t nand_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodNandState *s = opaque;

    /* The chip ignores its latches while it is read */
    return s->chip ? nand_data_out(s) : 0xff;
}

static void nand_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    KirkwoodNandState *s = opaque;

    if (!s->chip) {
        return;
    }
    if (offset & ADDRESS_LINE_COMMAND) {
        nand_command(s, value);
    } else if (offset & ADDRESS_LINE_ADDRESS) {
        nand_address(s, value);
    } else {
        nand_data_in(s, value);
    }
}

/* Wide reads are a burst of bytes; wide writes would run over the latches */
static const MemoryRegionOps nand_ops = {
    .read = nand_read,
    .write = nand_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 1,
    .valid.max_access_size = 8,
};

static void nand_reset_hold(Object *obj, ResetType type)
{
    nand_reset_chip(KIRKWOOD_NAND(obj));
}

static bool is_erased(const uint8_t *buf, size_t size)
{
    return buf[0] == 0xff && !memcmp(buf, buf + 1, size - 1);
}

static bool nand_load_drive(KirkwoodNandState *s, Error **errp)
{
    uint64_t size = (uint64_t)nand_num_pages(s) * PAGE_SIZE;
    int64_t length = blk_getlength(s->blk);
    g_autofree uint8_t *buf = NULL;

    if (length < 0) {
        error_setg_errno(errp, -length, "cannot get the NAND drive's size");
        return false;
    }
    if (length != size) {
        error_setg(errp, "NAND drive has %" PRId64 " bytes, the chip has %"
                   PRIu64 " (%u bytes a page)", length, size, PAGE_SIZE);
        return false;
    }
    if (blk_set_perm(s->blk, BLK_PERM_CONSISTENT_READ | BLK_PERM_WRITE,
                     BLK_PERM_ALL, errp) < 0) {
        return false;
    }
    buf = g_malloc(BLOCK_SIZE);
    for (uint64_t offset = 0; offset < size; offset += BLOCK_SIZE) {
        uint8_t *array = nand_page_ptr(s, 0) + offset;
        int ret = blk_pread(s->blk, offset, BLOCK_SIZE, buf, 0);

        if (ret < 0) {
            error_setg_errno(errp, -ret, "cannot read the NAND drive");
            return false;
        }
        if (is_erased(buf, BLOCK_SIZE)) {
            continue;   /* leave the array's memory untouched */
        }
        for (unsigned i = 0; i < BLOCK_SIZE; i++) {
            array[i] = ~buf[i];
        }
    }
    return true;
}

static void nand_realize(DeviceState *dev, Error **errp)
{
    KirkwoodNandState *s = KIRKWOOD_NAND(dev);

    if (s->size_mib == 0) {
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(nand_chips); i++) {
        if (nand_chips[i].size_mib == s->size_mib) {
            s->chip = &nand_chips[i];
        }
    }
    if (!s->chip) {
        error_setg(errp, "no NAND chip has %u MiB", s->size_mib);
        return;
    }
    if (!memory_region_init_ram(&s->array, OBJECT(dev), "kirkwood.nand",
                                (uint64_t)nand_num_pages(s) * PAGE_SIZE,
                                errp)) {
        return;
    }
    if (s->blk) {
        nand_load_drive(s, errp);
    }
}

static void nand_init(Object *obj)
{
    KirkwoodNandState *s = KIRKWOOD_NAND(obj);

    memory_region_init_io(&s->iomem, obj, &nand_ops, s, TYPE_KIRKWOOD_NAND,
                          64 * KiB);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
}

static int nand_post_load(void *opaque, int version_id)
{
    KirkwoodNandState *s = opaque;

    if ((s->chip && s->row >= nand_num_pages(s)) || s->output > OUTPUT_LAST ||
        s->num_address > sizeof(s->address)) {
        return -EINVAL;
    }
    return 0;
}

static const VMStateDescription nand_vmstate = {
    .name = TYPE_KIRKWOOD_NAND,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = nand_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8_ARRAY(page, KirkwoodNandState, KIRKWOOD_NAND_PAGE_SIZE),
        VMSTATE_UINT8(output, KirkwoodNandState),
        VMSTATE_UINT8(command, KirkwoodNandState),
        VMSTATE_UINT8(status, KirkwoodNandState),
        VMSTATE_UINT8_ARRAY(address, KirkwoodNandState, 5),
        VMSTATE_UINT8(num_address, KirkwoodNandState),
        VMSTATE_UINT32(column, KirkwoodNandState),
        VMSTATE_UINT32(row, KirkwoodNandState),
        VMSTATE_END_OF_LIST()
    },
};

static const Property nand_properties[] = {
    DEFINE_PROP_UINT32("size", KirkwoodNandState, size_mib, 512),
    DEFINE_PROP_DRIVE("drive", KirkwoodNandState, blk),
};

static void nand_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "NAND flash on the Marvell Kirkwood device bus";
    dc->realize = nand_realize;
    dc->vmsd = &nand_vmstate;
    device_class_set_props(dc, nand_properties);
    rc->phases.hold = nand_reset_hold;
}

static const TypeInfo nand_types[] = {
    {
        .name = TYPE_KIRKWOOD_NAND,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodNandState),
        .instance_init = nand_init,
        .class_init = nand_class_init,
    },
};

DEFINE_TYPES(nand_types)
