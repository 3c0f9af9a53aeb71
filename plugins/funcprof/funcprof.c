/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts guest instructions by function and context, as icount counts them
 *
 * A translation block (TB) is one or more blocks of ours; one ends where a
 * function, a mark or a change of context begins. When a block begins, all
 * its instructions are counted. That is what icount does at the start of a
 * TB, and what it takes back is taken back here too:
 *
 * - After a data abort it has not counted the aborted instruction and those
 *   behind it. The abort's vector says which one it was.
 * - An instruction in mid-TB that turns out to access a device is taken back
 *   with those behind it, and executed in a TB of its own. QEMU lets a plugin
 *   see only memory accesses of such a TB, and that is enough to notice it.
 *
 * Everything else (interrupts, prefetch aborts, undefined instructions, calls,
 * WFI, an exhausted budget) happens at the end of a TB.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>
#include <qemu-plugin.h>
#include "contexts.h"
#include "cost.h"
#include "guest/mark/mark-abi.h"
#include "profile.h"
#include "stacks.h"
#include "symbols.h"

#define likely(x)       __builtin_expect(!!(x), 1)
#define unlikely(x)     __builtin_expect(!!(x), 0)

#define VECTOR_DATA_ABORT       0x10u
#define HIGH_VECTORS            0xffff0000u
#define MODE_MASK               0x1fu
#define MODE_ABORT              0x17u
#define ABORT_OFFSET            8u      /* LR of abort mode - instruction */

/*
 * QEMU may execute one TB at several virtual addresses of the same code, so
 * only the address within the smallest page is certain.
 */
#define PAGE_MASK               0x3ffu

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

struct block {
    uint32_t address;
    uint32_t slot;
    unsigned n;                 /* instructions */
    bool entry;                 /* the first one is a function's */
    const struct hook *hook;    /* of the first one, or NULL */
    uint16_t offsets[];         /* of the instructions, bytes */
};

static const struct cost_model *const cost = cost_none;

static struct {
    char *symbols, *out;        /* file names; symbols may be NULL */
    bool from_start;            /* count before mark 1, too */
} options;

static const char *const reg_names[GUEST_REGS] = {
    [REG_R0] = "r0", [REG_R1] = "r1", [REG_R2] = "r2", [REG_R3] = "r3",
    [REG_SP] = "sp", [REG_LR] = "lr", [REG_CPSR] = "cpsr",
};

static struct qemu_plugin_register *regs[GUEST_REGS];
static GByteArray *buffer;
static bool counting;           /* blocks are instrumented */
static struct symbols *new_symbols;

static GPtrArray *blocks;       /* all since the last flush */
static struct block nothing;
static struct block *saved;     /* a copy of a flushed one */
static struct block *last = &nothing;   /* that began */

uint32_t guest_reg(enum guest_reg reg)
{
    uint32_t value = 0;

    g_byte_array_set_size(buffer, 0);
    if (qemu_plugin_read_register(regs[reg], buffer) == sizeof(value)) {
        memcpy(&value, buffer->data, sizeof(value));
    }
    return GUINT32_FROM_LE(value);
}

bool guest_read(uint32_t address, void *data, size_t size)
{
    if (!qemu_plugin_read_memory_vaddr(address, buffer, size)) {
        return false;
    }
    memcpy(data, buffer->data, size);
    return true;
}

/* Counting */

static inline struct cell *cell_of(const struct block *b)
{
    return &contexts_bucket->cells[b->slot];
}

static inline void count(struct block *b)
{
    struct cell *c = cell_of(b);

    c->instructions += b->n;
    if (cost && cost->fetch) {
        c->cost += cost->fetch(b->address, b->n);
    }
    if (unlikely(stacks_on)) {
        stacks_count(b->address, b->slot, b->n, b->entry);
    }
    last = b;
}

/* Takes back the instruction at @address of the last block and all behind */
static void take_back(uint32_t address)
{
    for (unsigned i = 0; i < last->n; i++) {
        if (!((last->address + last->offsets[i] - address) & PAGE_MASK)) {
            cell_of(last)->instructions -= last->n - i;
            if (stacks_on) {
                stacks_take_back(last->n - i);
            }
            return;
        }
    }
    if (last != &nothing) {         /* else it began before counting did */
        profile_doubt("an instruction ended early, but not in the last block");
    }
}

static bool is_data_abort(uint32_t address)
{
    return (address & ~HIGH_VECTORS) == VECTOR_DATA_ABORT;
}

static inline void check_return(const struct block *b)
{
    if (unlikely(b->address == contexts_return)) {
        contexts_check_return();
    }
}

static void on_block(unsigned cpu, void *opaque)
{
    struct block *b = opaque;

    check_return(b);
    count(b);
}

static void on_entry(unsigned cpu, void *opaque)
{
    struct block *b = opaque;

    check_return(b);
    cell_of(b)->calls++;
    count(b);
}

static void on_special(unsigned cpu, void *opaque)
{
    struct block *b = opaque;

    if (is_data_abort(b->address) &&
        (guest_reg(REG_CPSR) & MODE_MASK) == MODE_ABORT) {
        take_back(guest_reg(REG_LR) - ABORT_OFFSET);
    }
    check_return(b);
    if (b->hook) {
        contexts_run(b->hook);
    }
    cell_of(b)->calls += b->entry;
    count(b);
}

/*
 * A TB of one instruction accessed memory. If it did not begin as a block, it
 * is the second try of an instruction that accesses a device.
 */
static void on_second_try(unsigned cpu, qemu_plugin_meminfo_t info,
                          uint64_t address, void *opaque)
{
    struct block *b = opaque;

    if (last != b) {
        take_back(b->address);
        count(b);
    }
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info,
                      uint64_t address, void *opaque)
{
    struct qemu_plugin_hwaddr *at = qemu_plugin_get_hwaddr(info, address);

    cell_of(last)->cost +=
        cost->access(address, 1u << qemu_plugin_mem_size_shift(info),
                     qemu_plugin_mem_is_store(info),
                     at && qemu_plugin_hwaddr_is_io(at));
}

/* Marks */

static void complete_symbols(void);

static void on_mark(unsigned cpu, void *opaque)
{
    const uint32_t number = guest_reg(REG_R0);
    const uint64_t ns = guest_reg(REG_R2) | (uint64_t)guest_reg(REG_R3) << 32;

    if (guest_reg(REG_R1) != MARK_MAGIC) {
        return;
    }
    if (number == MARK_SYMBOLS) {
        complete_symbols();
    } else if (number != MARK_BEGIN && number != MARK_END) {
        profile_error(g_strdup_printf("mark %u: there are marks 1 to 3",
                                      number));
    } else if (!counting) {
        profile_error(g_strdup_printf("mark %u before mark 1", number));
    } else if (number == MARK_BEGIN) {
        profile_begin(ns);
    } else {
        profile_end(ns);
    }
    contexts_bucket->used = true;
}

/* Translation */

static bool is_mark(const struct qemu_plugin_insn *insn)
{
    uint32_t code;

    return qemu_plugin_insn_data(insn, &code, sizeof(code)) == sizeof(code) &&
           GUINT32_FROM_LE(code) == MARK_INSTRUCTION;
}

static struct block *new_block(uint32_t address, size_t n)
{
    struct block *b = g_malloc(sizeof(*b) + n * sizeof(b->offsets[0]));

    memset(b, 0, sizeof(*b));
    b->address = address;
    b->slot = profile_slot(address);
    b->entry = profile_is_entry(address);
    b->hook = contexts_hook(address);
    g_ptr_array_add(blocks, b);
    return b;
}

static void instrument(struct qemu_plugin_insn *insn, struct block *b)
{
    qemu_plugin_vcpu_udata_cb_t callback =
        b->hook || is_data_abort(b->address) ? on_special :
        b->entry ? on_entry : on_block;

    qemu_plugin_register_vcpu_insn_exec_cb(insn, callback,
                                           QEMU_PLUGIN_CB_R_REGS, b);
}

/*
 * Adds an instruction to the block @b, or to a new one; returns the block.
 * @left: so many instructions are left in the TB, with this one.
 */
static struct block *add_insn(struct block *b, struct qemu_plugin_insn *insn,
                              bool begin, size_t left)
{
    const bool alone = !b && left == 1;
    const uint32_t address = qemu_plugin_insn_vaddr(insn);

    if (!b || begin || profile_slot(address) != b->slot ||
        contexts_hook(address)) {
        b = new_block(address, left);
        instrument(insn, b);
    }
    b->offsets[b->n++] = address - b->address;
    if (alone) {
        qemu_plugin_register_vcpu_mem_cb(insn, on_second_try,
                                         QEMU_PLUGIN_CB_R_REGS,
                                         QEMU_PLUGIN_MEM_RW, b);
    }
    if (cost && cost->access) {
        qemu_plugin_register_vcpu_mem_cb(insn, on_access,
                                         QEMU_PLUGIN_CB_R_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    }
    return b;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    const size_t n = qemu_plugin_tb_n_insns(tb);
    struct block *b = NULL;

    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const bool marks = is_mark(insn);

        if (marks) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
                                                   QEMU_PLUGIN_CB_R_REGS,
                                                   NULL);
        }
        if (counting) {
            b = add_insn(b, insn, marks, n - i);
        }
    }
}

/* No TB is left, nor executed right now; the last one may have ended early */
static void on_flush(qemu_plugin_id_t id)
{
    struct block *copy = NULL;

    if (last != &nothing) {
        const size_t size = sizeof(*last) + last->n * sizeof(*last->offsets);

        copy = g_malloc(size);
        memcpy(copy, last, size);
    }
    g_ptr_array_set_size(blocks, 0);
    g_free(saved);
    saved = copy;
    last = copy ? copy : &nothing;
}

/* The plugin's life */

/* QEMU is about to exit; only here can it still be told the status. */
static void at_exit(qemu_plugin_id_t id, void *opaque)
{
    if (profile_write(options.out, cost ? cost->name : NULL)) {
        fprintf(stderr, "funcprof: out=%s: %s\n", options.out,
                strerror(errno));
        fflush(NULL);
        _exit(2);
    }
}

static void register_callbacks(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_flush_cb(id, on_flush);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
}

/* All TBs are gone: from here on, code is translated with the new symbols */
static void on_reset(qemu_plugin_id_t id)
{
    profile_set_symbols(new_symbols);
    new_symbols = NULL;
    contexts_init(profile_symbols());
    last->slot = profile_slot(last->address);
    counting = true;
    register_callbacks(id);
}

static qemu_plugin_id_t plugin_id;

static void complete_symbols(void)
{
    char *error = NULL;

    if (profile_region_open()) {
        profile_error(g_strdup("mark 1: a region is open"));
        return;
    }
    symbols_free(new_symbols);
    new_symbols = NULL;
    if (options.symbols) {
        new_symbols = symbols_read(options.symbols, &error);
        if (!new_symbols) {
            profile_error(error);
        }
    }
    qemu_plugin_reset(plugin_id, on_reset);
}

static void on_vcpu(qemu_plugin_id_t id, unsigned cpu)
{
    g_autoptr(GArray) list = qemu_plugin_get_registers();

    for (guint i = 0; i < list->len; i++) {
        qemu_plugin_reg_descriptor *r =
            &g_array_index(list, qemu_plugin_reg_descriptor, i);

        for (unsigned reg = 0; reg < GUEST_REGS; reg++) {
            if (!regs[reg] && strcmp(r->name, reg_names[reg]) == 0) {
                regs[reg] = r->handle;
            }
        }
    }
}

static void __attribute__((noreturn, format(printf, 1, 2)))
refuse(const char *format, ...)
{
    va_list args;

    fputs("funcprof: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static void parse_option(const char *option)
{
    const char *value = strchr(option, '=');
    g_autofree char *name = value ? g_strndup(option, value - option)
                                  : g_strdup(option);

    value = value ? value + 1 : "";
    if (strcmp(name, "from-start") == 0) {
        if (!qemu_plugin_bool_parse(name, value, &options.from_start)) {
            refuse("from-start=%s: must be on or off", value);
        }
    } else if (strcmp(name, "stacks") == 0) {
        if (!qemu_plugin_bool_parse(name, value, &stacks_on)) {
            refuse("stacks=%s: must be on or off", value);
        }
    } else if (!value[0]) {
        refuse("%s: the value is empty", name);
    } else if (strcmp(name, "symbols") == 0) {
        options.symbols = g_strdup(value);
    } else if (strcmp(name, "out") == 0) {
        options.out = g_strdup(value);
    } else {
        refuse("no option %s (there are symbols, out, stacks, from-start)",
               name);
    }
}

static void check_out(void)
{
    FILE *f;

    if (!options.out) {
        refuse("out=FILE is missing");
    }
    f = fopen(options.out, "w");
    if (!f) {
        refuse("out=%s: %s", options.out, strerror(errno));
    }
    fclose(f);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                           const qemu_info_t *info,
                                           int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        parse_option(argv[i]);
    }
    check_out();
    if (!info->system_emulation || strcmp(info->target_name, "arm") != 0 ||
        info->system.max_vcpus != 1) {
        refuse("only for qemu-system-arm with one processor");
    }
    plugin_id = id;
    buffer = g_byte_array_new();
    blocks = g_ptr_array_new_with_free_func(g_free);
    contexts_init(NULL);
    counting = options.from_start;
    qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
    register_callbacks(id);
    return 0;
}
