/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks: who called the function that an instruction is counted for
 *
 * A call is noticed when a function's first instruction begins, with the
 * address to return to and the stack pointer; it is over when both are back.
 * What looks like a call but never returns (vectors, jumps between pieces of
 * assembly) is given up when an older function of the stack goes on, or when
 * the stack pointer is above its own. A function that was jumped to instead
 * of called takes the place of the one that jumped.
 */

#include <string.h>
#include <glib.h>
#include "contexts.h"
#include "stacks.h"

#define CALLS           256u    /* of one task */
#define LEVELS          32u     /* contexts of one task */
#define NODES_MAX       200000u
#define NO_ADDRESS      1u      /* no instruction begins there */

/* One function in one place of the tree of calls of a context */
struct node {
    uint32_t slot;
    struct node *parent, *children, *sibling;
    uint64_t instructions;
};

struct call {
    uint32_t address, sp;       /* to return to */
    struct node *node;
};

struct task_stack {
    struct call calls[CALLS];
    unsigned n;                 /* calls */
    unsigned bases[LEVELS];     /* the first call of each context */
    struct node *roots[LEVELS]; /* that its calls are below */
    unsigned level;
};

bool stacks_on;

static GHashTable *roots;       /* struct bucket -> struct node */
static unsigned nodes;
static struct task_stack *stack;
static struct node *root;       /* of the context */
static struct node *last;       /* that instructions were counted for */

static struct node *new_node(struct node *parent, uint32_t slot)
{
    struct node *node = g_new0(struct node, 1);

    node->slot = slot;
    node->parent = parent;
    if (parent) {
        node->sibling = parent->children;
        parent->children = node;
    }
    nodes++;
    return node;
}

/* The child of @parent for a function; the parent itself if memory is short */
static struct node *child(struct node *parent, uint32_t slot)
{
    struct node **link = &parent->children, *node;

    for (; (node = *link); link = &node->sibling) {
        if (node->slot == slot) {
            *link = node->sibling;      /* to the front: likely again */
            node->sibling = parent->children;
            parent->children = node;
            return node;
        }
    }
    if (nodes >= NODES_MAX) {
        profile_doubt("too many different call stacks");
        return parent;
    }
    return new_node(parent, slot);
}

static inline unsigned base(void)
{
    return stack->bases[stack->level];
}

static inline struct node *top(void)
{
    return stack->n > base() ? stack->calls[stack->n - 1].node : root;
}

static void return_to(uint32_t address)
{
    while (stack->n > base() &&
           stack->calls[stack->n - 1].address == address &&
           stack->calls[stack->n - 1].sp == guest_reg(REG_SP)) {
        stack->n--;
    }
}

/* A function began that returns to @address; returns its node */
static struct node *call(uint32_t slot, uint32_t address)
{
    const uint32_t sp = guest_reg(REG_SP);
    struct node *node;

    while (stack->n > base()) {
        const struct call *c = &stack->calls[stack->n - 1];

        if (c->sp > sp || (c->sp == sp && c->address != address)) {
            break;
        }
        stack->n--;
    }
    node = child(top(), slot);
    if (stack->n < CALLS) {
        stack->calls[stack->n++] = (struct call) { address, sp, node };
    }
    return node;
}

/* A function goes on: one of the stack, or one that began unnoticed */
static struct node *go_on(uint32_t slot)
{
    for (unsigned n = stack->n; n > base(); n--) {
        if (stack->calls[n - 1].node->slot == slot) {
            stack->n = n;
            return stack->calls[n - 1].node;
        }
    }
    return call(slot, NO_ADDRESS);
}

void stacks_count(uint32_t address, uint32_t slot, unsigned n, bool entry)
{
    struct node *node;

    if (profile_is_user(slot)) {
        stack->n = base();      /* the kernel is left: no call is open */
        node = child(root, slot);
    } else {
        return_to(address);
        node = entry ? call(slot, guest_reg(REG_LR) & ~1u) : top();
        if (node->slot != slot) {
            node = go_on(slot);
        }
    }
    node->instructions += n;
    last = node;
}

void stacks_take_back(unsigned n)
{
    if (last) {
        last->instructions -= n;
    }
}

void stacks_push(void)
{
    if (stack->level + 1 < LEVELS) {
        stack->bases[++stack->level] = stack->n;
    }
}

void stacks_pop(void)
{
    if (stack->level) {
        stack->n = stack->bases[stack->level--];
    }
}

void stacks_switch(struct task_stack **to)
{
    if (!*to) {
        *to = g_new0(struct task_stack, 1);
    }
    stack = *to;
}

void stacks_free(struct task_stack *s)
{
    g_free(s);
}

/* The same calls, now of another program */
static void move_calls(void)
{
    struct node *node = root;

    for (unsigned n = base(); n < stack->n; n++) {
        node = child(node, stack->calls[n].node->slot);
        stack->calls[n].node = node;
    }
}

void stacks_set_bucket(struct bucket *bucket)
{
    root = g_hash_table_lookup(roots, bucket);
    if (!root) {
        root = new_node(NULL, UINT32_MAX);
        g_hash_table_insert(roots, bucket, root);
    }
    if (stack->roots[stack->level] != root) {
        stack->roots[stack->level] = root;
        move_calls();
    }
}

static void free_node(gpointer opaque)
{
    struct node *node = opaque, *next;

    for (struct node *c = node->children; c; c = next) {
        next = c->sibling;
        free_node(c);
    }
    g_free(node);
}

void stacks_reset(void)
{
    if (roots) {
        g_hash_table_destroy(roots);
    }
    roots = g_hash_table_new_full(NULL, NULL, NULL, free_node);
    nodes = 0;
    root = last = NULL;
}

struct visit {
    void (*visit)(const char *path, uint64_t n, void *opaque);
    void *opaque;
};

static void drain_node(struct node *node, GString *path, const struct visit *v)
{
    const size_t length = path->len;

    if (node->parent) {
        const char *module, *function = profile_function(node->slot, &module);

        g_string_append_printf(path, ";%s", function);
        if (module) {
            g_string_append_printf(path, " [%s]", module);
        }
    }
    if (node->instructions) {
        v->visit(path->str, node->instructions, v->opaque);
        node->instructions = 0;
    }
    for (struct node *c = node->children; c; c = c->sibling) {
        drain_node(c, path, v);
    }
    g_string_truncate(path, length);
}

void stacks_drain(void (*visit)(const char *path, uint64_t n, void *opaque),
                  void *opaque)
{
    const struct visit v = { visit, opaque };
    GHashTableIter i;
    gpointer key, value;

    if (!roots) {
        return;
    }
    g_hash_table_iter_init(&i, roots);
    while (g_hash_table_iter_next(&i, &key, &value)) {
        const struct bucket *b = key;
        g_autoptr(GString) path = g_string_new(profile_context(b->context));

        if (b->program) {
            g_string_append_c(path, ';');
            for (const char *c = b->program; *c; c++) {
                g_string_append_c(path, *c == ';' ? ':' : *c);
            }
        }
        drain_node(value, path, &v);
    }
}
