/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was counted: cells by context, program and function; regions; JSON
 *
 * A slot is a function, or one of the places without a function: user space,
 * the pages of kernel helpers, a page nobody named. Slots are given out while
 * code is translated, so counting is one addition at a fixed place.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <glib.h>
#include "profile.h"
#include "stacks.h"

#define PAGE_SIZE       0x1000u
#define PAGES_MAX       4096u           /* places without a function */
#define PROGRAMS_MAX    256u
#define REGIONS_MAX     1000u
#define ERRORS_MAX      20u             /* a guest can make any number */

/*
 * Where user space ends: the lowest function, rounded down to this. ARM has
 * its modules 16 MiB below the kernel, and user space below the modules.
 */
#define USER_ALIGN      0x1000000u

/* The page of exception vectors and helpers, and of the handlers' stubs */
#define VECTORS         0xffff0000u
#define VECTORS_END     0xffff2000u
#define HELPERS         0xffff0f60u     /* called from user space */
#define HELPERS_END     0xffff1000u

enum { SLOT_USER, SLOT_VECTORS, SLOT_HELPERS, SLOT_OTHER, SLOT_FIRST_PAGE };

struct row {
    enum context context;
    const char *program, *function, *module;    /* interned */
    struct cell cell;
};

struct stack_row {
    char *path;                 /* context;program;function;... */
    uint64_t instructions;
};

struct region {
    GArray *rows;               /* of struct row */
    GArray *stacks;             /* of struct stack_row */
    uint64_t instructions, begin_ns, end_ns;
    bool complete;
};

static const char *const context_names[CONTEXTS] = {
    "process", "softirq", "hardirq", "idle",
};

static struct {
    struct symbols *symbols;
    uint32_t user_end;
    GHashTable *pages;          /* page number -> slot */
    GArray *page_list;          /* of uint32_t, by slot - SLOT_FIRST_PAGE */
    GPtrArray *buckets;         /* of struct bucket; the first CONTEXTS fixed */
    GHashTable *by_program;
    GPtrArray *regions;         /* of struct region */
    bool open;
    uint64_t begin_ns;
    uint64_t outside;           /* instructions outside regions */
    GPtrArray *errors;
    GHashTable *doubts;         /* string constant -> count */
} profile;

static size_t slots_max(void)
{
    return SLOT_FIRST_PAGE + PAGES_MAX +
           (profile.symbols ? profile.symbols->n : 0);
}

static void init(void)
{
    if (!profile.buckets) {
        profile.pages = g_hash_table_new(NULL, NULL);
        profile.page_list = g_array_new(false, false, sizeof(uint32_t));
        profile.buckets = g_ptr_array_new();
        profile.by_program = g_hash_table_new(g_str_hash, g_str_equal);
        profile.regions = g_ptr_array_new();
        profile.errors = g_ptr_array_new_with_free_func(g_free);
        profile.doubts = g_hash_table_new(NULL, NULL);
    }
}

void profile_error(char *text)
{
    init();
    if (profile.errors->len == ERRORS_MAX) {
        g_free(text);
        return;
    }
    fprintf(stderr, "funcprof: %s\n", text);
    g_ptr_array_add(profile.errors, text);
}

void profile_doubt(const char *what)
{
    uintptr_t n;

    init();
    n = (uintptr_t)g_hash_table_lookup(profile.doubts, what);
    g_hash_table_insert(profile.doubts, (gpointer)what, (gpointer)(n + 1));
}

const struct symbols *profile_symbols(void)
{
    return profile.symbols;
}

/* Slots: fixed ones, pages, functions */

static uint32_t slot_of_page(uint32_t address)
{
    const uint32_t page = address / PAGE_SIZE;
    uintptr_t slot;

    init();
    slot = (uintptr_t)g_hash_table_lookup(profile.pages,
                                          GUINT_TO_POINTER(page));
    if (slot) {
        return slot;
    }
    if (profile.page_list->len == PAGES_MAX) {
        return SLOT_OTHER;
    }
    slot = SLOT_FIRST_PAGE + profile.page_list->len;
    g_array_append_val(profile.page_list, page);
    g_hash_table_insert(profile.pages, GUINT_TO_POINTER(page),
                        (gpointer)slot);
    return slot;
}

uint32_t profile_slot(uint32_t address)
{
    ptrdiff_t function;

    if (profile.symbols) {
        function = symbols_find(profile.symbols, address);
        if (function >= 0) {
            return SLOT_FIRST_PAGE + PAGES_MAX + function;
        }
        if (address < profile.user_end) {
            return SLOT_USER;
        }
        if (address >= HELPERS && address < HELPERS_END) {
            return SLOT_HELPERS;
        }
        if (address >= VECTORS && address < VECTORS_END) {
            return SLOT_VECTORS;
        }
    }
    return slot_of_page(address);
}

bool profile_is_user(uint32_t slot)
{
    return slot == SLOT_USER;
}

const char *profile_context(enum context context)
{
    return context_names[context];
}

bool profile_is_entry(uint32_t address)
{
    ptrdiff_t function = -1;

    if (profile.symbols) {
        function = symbols_find(profile.symbols, address);
    }
    return function >= 0 && profile.symbols->list[function].address == address;
}

const char *profile_function(uint32_t slot, const char **module)
{
    char text[40];

    *module = NULL;
    switch (slot) {
    case SLOT_USER:
        return "[user]";
    case SLOT_VECTORS:
        return "[vectors]";
    case SLOT_HELPERS:
        return "[user helpers]";
    case SLOT_OTHER:
        return "[unknown, more pages]";
    }
    slot -= SLOT_FIRST_PAGE;
    if (slot >= PAGES_MAX) {
        const struct symbol *s = &profile.symbols->list[slot - PAGES_MAX];

        *module = s->module ? g_intern_string(s->module) : NULL;
        return g_intern_string(s->name);
    }
    snprintf(text, sizeof(text), "[unknown 0x%08" PRIx32 "]",
             g_array_index(profile.page_list, uint32_t, slot) * PAGE_SIZE);
    return g_intern_string(text);
}

/* Buckets */

static struct bucket *add_bucket(enum context context, const char *program)
{
    struct bucket *b = g_new0(struct bucket, 1);

    b->context = context;
    b->program = program;
    b->cells = g_new0(struct cell, slots_max());
    g_ptr_array_add(profile.buckets, b);
    return b;
}

static struct bucket *program_bucket(const char *program)
{
    static const char more[] = "[more programs]";
    struct bucket *b = g_hash_table_lookup(profile.by_program, program);

    if (!b && g_hash_table_size(profile.by_program) >= PROGRAMS_MAX) {
        program = more;
        b = g_hash_table_lookup(profile.by_program, program);
    }
    if (!b) {
        b = add_bucket(PROCESS, g_intern_string(program));
        g_hash_table_insert(profile.by_program, (gpointer)b->program, b);
    }
    return b;
}

struct bucket *profile_bucket(enum context context, const char *program)
{
    init();
    while (profile.buckets->len < CONTEXTS) {
        add_bucket(profile.buckets->len, NULL);
    }
    return context == PROCESS ? program_bucket(program) :
           g_ptr_array_index(profile.buckets, context);
}

/* Calls visit(bucket, slot) for each cell that is not empty, and empties it */
static void drain(void (*visit)(const struct bucket *, uint32_t slot, void *),
                  void *opaque)
{
    static const struct cell empty;

    init();
    for (guint i = 0; i < profile.buckets->len; i++) {
        struct bucket *b = g_ptr_array_index(profile.buckets, i);

        if (!b->used) {
            continue;
        }
        b->used = false;
        for (uint32_t slot = 0; slot < slots_max(); slot++) {
            struct cell *c = &b->cells[slot];

            if (c->instructions || c->calls || c->cost) {
                visit(b, slot, opaque);
                *c = empty;
            }
        }
    }
}

static void drain_outside(const struct bucket *b, uint32_t slot, void *opaque)
{
    profile.outside += b->cells[slot].instructions;
}

static void forget_stack(const char *path, uint64_t n, void *opaque)
{
}

static void add_stack(const char *path, uint64_t n, void *opaque)
{
    const struct stack_row row = { g_strdup(path), n };

    g_array_append_val((GArray *)opaque, row);
}

static void drain_all_outside(void)
{
    drain(drain_outside, NULL);
    stacks_drain(forget_stack, NULL);
}

static void drain_into_region(const struct bucket *b, uint32_t slot,
                              void *opaque)
{
    struct region *region = opaque;
    struct row row = { b->context, b->program, .cell = b->cells[slot] };

    row.function = profile_function(slot, &row.module);
    region->instructions += row.cell.instructions;
    g_array_append_val(region->rows, row);
}

void profile_set_symbols(struct symbols *symbols)
{
    init();
    drain_all_outside();
    symbols_free(profile.symbols);
    profile.symbols = symbols;
    profile.user_end = symbols ? symbols->list[0].address & ~(USER_ALIGN - 1)
                               : 0;
    for (guint i = 0; i < profile.buckets->len; i++) {
        struct bucket *b = g_ptr_array_index(profile.buckets, i);

        g_free(b->cells);
        b->cells = g_new0(struct cell, slots_max());
    }
}

/* Regions */

static void add_region(uint64_t end_ns, bool complete)
{
    struct region *r = g_new0(struct region, 1);

    r->rows = g_array_new(false, false, sizeof(struct row));
    r->begin_ns = profile.begin_ns;
    r->end_ns = end_ns;
    r->complete = complete;
    r->stacks = g_array_new(false, false, sizeof(struct stack_row));
    drain(drain_into_region, r);
    stacks_drain(add_stack, r->stacks);
    g_ptr_array_add(profile.regions, r);
    profile.open = false;
}

bool profile_begin(uint64_t ns)
{
    if (profile.regions->len == REGIONS_MAX) {
        profile_error(g_strdup_printf("mark 2: only %u regions are kept",
                                      REGIONS_MAX));
        return false;
    }
    if (profile.open) {
        profile_error(g_strdup("mark 2: a region is open already; "
                               "regions do not nest"));
        return false;
    }
    drain_all_outside();
    profile.open = true;
    profile.begin_ns = ns;
    return true;
}

bool profile_end(uint64_t ns)
{
    if (!profile.open) {
        profile_error(g_strdup("mark 3: no region is open"));
        return false;
    }
    add_region(ns, true);
    return true;
}

bool profile_region_open(void)
{
    return profile.open;
}

/* JSON */

/* Names are the guest's: what is no printable ASCII becomes '?' */
static void put_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', f);
        }
        fputc(g_ascii_isprint(*text) ? *text : '?', f);
    }
    fputc('"', f);
}

static void put_member(FILE *f, const char *name, const char *text)
{
    fprintf(f, ", \"%s\": ", name);
    put_string(f, text);
}

static int by_row(gconstpointer a, gconstpointer b)
{
    const struct row *x = a, *y = b;
    int order = x->context - y->context;

    order = order ? order : g_strcmp0(x->program, y->program);
    if (!order && x->cell.instructions != y->cell.instructions) {
        order = x->cell.instructions > y->cell.instructions ? -1 : 1;
    }
    order = order ? order : strcmp(x->function, y->function);
    return order ? order : g_strcmp0(x->module, y->module);
}

static void put_row(FILE *f, const struct row *row, bool with_cost)
{
    fprintf(f, "{\"context\": \"%s\"", context_names[row->context]);
    if (row->program) {
        put_member(f, "program", row->program);
    }
    put_member(f, "function", row->function);
    if (row->module) {
        put_member(f, "module", row->module);
    }
    fprintf(f, ", \"instructions\": %" PRIu64 ", \"calls\": %" PRIu64,
            row->cell.instructions, row->cell.calls);
    if (with_cost) {
        fprintf(f, ", \"cost\": %" PRIu64, row->cell.cost);
    }
    fputc('}', f);
}

static int by_path(gconstpointer a, gconstpointer b)
{
    return strcmp(((const struct stack_row *)a)->path,
                  ((const struct stack_row *)b)->path);
}

static void put_stacks(FILE *f, GArray *stacks)
{
    g_array_sort(stacks, by_path);
    fprintf(f, ",\n   \"stacks\": [");
    for (guint i = 0; i < stacks->len; i++) {
        const struct stack_row *row =
            &g_array_index(stacks, struct stack_row, i);

        fprintf(f, "%s\n    [", i ? "," : "");
        put_string(f, row->path);
        fprintf(f, ", %" PRIu64 "]", row->instructions);
    }
    fprintf(f, "\n   ]");
}

static void put_region(FILE *f, struct region *r, bool with_cost)
{
    g_array_sort(r->rows, by_row);
    fprintf(f, "  {\"complete\": %s, \"instructions\": %" PRIu64,
            r->complete ? "true" : "false", r->instructions);
    if (r->begin_ns && r->end_ns >= r->begin_ns) {
        fprintf(f, ", \"guest_ns\": %" PRIu64, r->end_ns - r->begin_ns);
    }
    fprintf(f, ", \"rows\": [");
    for (guint i = 0; i < r->rows->len; i++) {
        fprintf(f, "%s\n   ", i ? "," : "");
        put_row(f, &g_array_index(r->rows, struct row, i), with_cost);
    }
    fprintf(f, "\n  ]");
    if (stacks_on) {
        put_stacks(f, r->stacks);
    }
    fputc('}', f);
}

static void put_doubts(FILE *f)
{
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(profile.doubts),
                                         (GCompareFunc)strcmp);

    for (GList *i = names; i; i = i->next) {
        fprintf(f, "%s", i == names ? "" : ", ");
        put_string(f, i->data);
        fprintf(f, ": %" PRIuPTR,
                (uintptr_t)g_hash_table_lookup(profile.doubts, i->data));
    }
}

static void put_profile(FILE *f, const char *cost_model)
{
    uint64_t total = profile.outside;

    for (guint i = 0; i < profile.regions->len; i++) {
        struct region *r = g_ptr_array_index(profile.regions, i);

        total += r->instructions;
    }
    fprintf(f, "{\"format\": \"mvlab funcprof 1\",\n \"functions\": %zu,\n",
            profile.symbols ? profile.symbols->n : 0);
    if (cost_model) {
        fprintf(f, " \"cost_model\": ");
        put_string(f, cost_model);
        fprintf(f, ",\n");
    }
    fprintf(f, " \"instructions\": %" PRIu64 ",\n \"errors\": [", total);
    for (guint i = 0; i < profile.errors->len; i++) {
        fprintf(f, "%s", i ? ", " : "");
        put_string(f, g_ptr_array_index(profile.errors, i));
    }
    fprintf(f, "],\n \"doubts\": {");
    put_doubts(f);
    fprintf(f, "},\n \"regions\": [\n");
    for (guint i = 0; i < profile.regions->len; i++) {
        put_region(f, g_ptr_array_index(profile.regions, i),
                   cost_model != NULL);
        fprintf(f, "%s\n", i + 1 < profile.regions->len ? "," : "");
    }
    fprintf(f, " ]}\n");
}

int profile_write(const char *path, const char *cost_model)
{
    FILE *f;

    init();
    if (profile.open) {
        add_region(0, false);
    } else {
        drain_all_outside();
    }
    f = fopen(path, "w");
    if (!f) {
        return -1;
    }
    put_profile(f, cost_model);
    if (ferror(f)) {
        fclose(f);
        errno = EIO;
        return -1;
    }
    return fclose(f);
}
