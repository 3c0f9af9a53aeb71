/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which context and which program the guest is in
 *
 * Each task has a stack of contexts: process at the bottom, and what was
 * entered since. An entry keeps the address to return to and the stack
 * pointer then; both must be back for it to end, so recursion and other users
 * of the return address do not confuse it. An interrupt ends when the
 * interrupted address is executed with interrupts enabled again, which no
 * handler does. Interrupts and softirqs do not switch tasks on this kernel.
 */

#include <string.h>
#include <glib.h>
#include "contexts.h"
#include "stacks.h"

#define DEPTH           16u     /* contexts of one task */
#define TASKS_MAX       10000u  /* distinct task_structs */
#define NO_ADDRESS      1u      /* no instruction begins there */
#define NAME_SIZE       16u     /* TASK_COMM_LEN */
#define TASK_SIZE       4096u   /* of task_struct that is searched for a name */
#define NAME_ALIGN      4u

#define MODE_MASK       0x1fu
#define MODE_FIQ        0x11u
#define MODE_IRQ        0x12u
#define IRQ_DISABLED    0x80u
#define FIQ_DISABLED    0x40u

#define UNKNOWN_PROGRAM "[unknown]"

enum action { ENTER, LEAVE, INTERRUPT, SWITCH, RENAME };

struct hook {
    enum action action;
    enum context context;
    uint32_t irq_disabled;      /* INTERRUPT: the flag in the CPSR */
    uint32_t mode;              /* INTERRUPT: the mode it is taken in */
};

/*
 * The kernel's functions that mean something; Linux 6.1 for ARMv5. Another
 * kernel needs its names here and nothing else.
 */
static const struct {
    const char *function;
    struct hook hook;
} functions[] = {
    { "__do_softirq", { ENTER, SOFTIRQ } },
    /* in later 6.1 kernels __do_softirq jumps to it, ksoftirqd calls it */
    { "handle_softirqs", { ENTER, SOFTIRQ } },
    { "do_idle", { ENTER, IDLE } },
    /* back from an interrupt of user space: signals, rescheduling, return */
    { "ret_to_user_from_irq", { LEAVE, HARDIRQ } },
    /* r2: thread_info of the next task, which is at its task_struct */
    { "__switch_to", { SWITCH } },
    /* r0: task_struct, r1: its new name (exec, prctl, kernel threads) */
    { "__set_task_comm", { RENAME } },
};

/* The processor's: high and low vectors */
static const struct {
    uint32_t address;
    struct hook hook;
} vectors[] = {
    { 0xffff0018, { INTERRUPT, HARDIRQ, IRQ_DISABLED, MODE_IRQ } },
    { 0xffff001c, { INTERRUPT, HARDIRQ, FIQ_DISABLED, MODE_FIQ } },
    { 0x00000018, { INTERRUPT, HARDIRQ, IRQ_DISABLED, MODE_IRQ } },
    { 0x0000001c, { INTERRUPT, HARDIRQ, FIQ_DISABLED, MODE_FIQ } },
};

struct frame {
    enum context context;
    uint32_t address;           /* to return to */
    uint32_t sp;                /* of a function's caller */
    uint32_t irq_disabled;      /* of an interrupt; 0: a function */
};

struct task {
    char name[NAME_SIZE];
    struct bucket *process;     /* of its program */
    struct frame frames[DEPTH];
    unsigned depth;
    struct task_stack *stack;   /* NULL unless stacks_on */
};

struct bucket *contexts_bucket;
uint32_t contexts_return = NO_ADDRESS;

static GHashTable *hooks;       /* address -> struct hook */
static GHashTable *tasks;       /* address of task_struct -> struct task */
static struct task *current;

/* The name in task_struct: its offset, once one rename has shown it */
static struct {
    uint32_t task;              /* renamed, not yet looked at; 0: none */
    char name[NAME_SIZE];
    uint32_t offset;            /* 0: unknown */
} naming;

static void update(void)
{
    if (current->depth) {
        const struct frame *top = &current->frames[current->depth - 1];

        contexts_return = top->address;
        contexts_bucket = profile_bucket(top->context, NULL);
    } else {
        contexts_return = NO_ADDRESS;
        contexts_bucket = current->process;
    }
    contexts_bucket->used = true;
    if (stacks_on) {
        stacks_set_bucket(contexts_bucket);
    }
}

static void set_current(struct task *task)
{
    current = task;
    if (stacks_on) {
        stacks_switch(&task->stack);
    }
}

static void set_name(struct task *task, const char *name)
{
    if (!task->process || memcmp(task->name, name, NAME_SIZE) != 0) {
        memcpy(task->name, name, NAME_SIZE);
        task->name[NAME_SIZE - 1] = 0;
        task->process = profile_bucket(PROCESS, task->name);
    }
}

static struct task *find_task(uint32_t address)
{
    static const char unknown[NAME_SIZE] = UNKNOWN_PROGRAM;
    struct task *task = g_hash_table_lookup(tasks, GUINT_TO_POINTER(address));

    if (!task && g_hash_table_size(tasks) == TASKS_MAX) {
        profile_doubt("too many tasks");
        task = g_hash_table_lookup(tasks, GUINT_TO_POINTER(0));
    }
    if (!task) {
        task = g_new0(struct task, 1);
        set_name(task, unknown);
        g_hash_table_insert(tasks, GUINT_TO_POINTER(address), task);
    }
    return task;
}

static void push(enum context context, uint32_t address, uint32_t sp,
                 uint32_t irq_disabled)
{
    if (current->depth == DEPTH) {
        profile_doubt("contexts nested too deeply");
        return;
    }
    current->frames[current->depth++] = (struct frame) {
        context, address, sp, irq_disabled
    };
    if (stacks_on) {
        stacks_push();
    }
    update();
}

static void pop(void)
{
    current->depth--;
    if (stacks_on) {
        stacks_pop();
    }
    update();
}

void contexts_check_return(void)
{
    const uint32_t address = contexts_return;

    /* An interrupt that came just before the return has the same address */
    while (contexts_return == address) {
        const struct frame *top = &current->frames[current->depth - 1];

        if (top->irq_disabled ? guest_reg(REG_CPSR) & top->irq_disabled
                              : guest_reg(REG_SP) != top->sp) {
            break;
        }
        pop();
    }
}

static void leave(enum context context)
{
    if (current->depth &&
        current->frames[current->depth - 1].context == context) {
        pop();
    }
}

static void interrupt(const struct hook *hook)
{
    if ((guest_reg(REG_CPSR) & MODE_MASK) != hook->mode) {
        return;
    }
    /* The last one has returned, and this one came before anything ran */
    if (current->depth && current->frames[current->depth - 1].irq_disabled ==
                          hook->irq_disabled) {
        pop();
    }
    push(hook->context, guest_reg(REG_LR) - 4, 0, hook->irq_disabled);
}

/* Finds where task_struct keeps the name that a task was just given */
static void learn_offset(void)
{
    char data[TASK_SIZE];
    uint32_t found = 0;

    if (guest_read(naming.task, data, sizeof(data))) {
        for (uint32_t i = NAME_ALIGN; i <= TASK_SIZE - NAME_SIZE;
             i += NAME_ALIGN) {
            if (memcmp(data + i, naming.name, NAME_SIZE) == 0) {
                found = found ? TASK_SIZE : i;
            }
        }
    }
    naming.offset = found == TASK_SIZE ? 0 : found;
    naming.task = 0;
}

static void rename_task(void)
{
    char name[NAME_SIZE] = "";
    struct task *task;
    uint32_t address = guest_reg(REG_R0), from = guest_reg(REG_R1);

    /* Byte by byte: the name may end where nothing is mapped */
    for (unsigned i = 0; i < NAME_SIZE - 1; i++) {
        if (!guest_read(from + i, &name[i], 1) || !name[i]) {
            name[i] = 0;
            break;
        }
    }
    if (!naming.offset && strlen(name) >= 3) {
        naming.task = address;
        memcpy(naming.name, name, NAME_SIZE);
    }
    task = find_task(address);
    set_name(task, name);
    update();
}

static void switch_to(uint32_t address)
{
    char name[NAME_SIZE];

    while (current->depth &&
           current->frames[current->depth - 1].context != IDLE) {
        profile_doubt("task switched inside an interrupt or softirq");
        pop();
    }
    if (naming.task) {
        learn_offset();
    }
    set_current(find_task(address));
    if (naming.offset &&
        guest_read(address + naming.offset, name, NAME_SIZE)) {
        set_name(current, name);
    }
    update();
}

void contexts_run(const struct hook *hook)
{
    switch (hook->action) {
    case ENTER:
        push(hook->context, guest_reg(REG_LR) & ~1u, guest_reg(REG_SP), 0);
        break;
    case LEAVE:
        leave(hook->context);
        break;
    case INTERRUPT:
        interrupt(hook);
        break;
    case SWITCH:
        switch_to(guest_reg(REG_R2));
        break;
    case RENAME:
        rename_task();
        break;
    }
}

const struct hook *contexts_hook(uint32_t address)
{
    return g_hash_table_lookup(hooks, GUINT_TO_POINTER(address));
}

static void add_hook(uint32_t address, const struct hook *hook)
{
    g_hash_table_insert(hooks, GUINT_TO_POINTER(address), (gpointer)hook);
}

static void free_task(gpointer opaque)
{
    struct task *task = opaque;

    stacks_free(task->stack);
    g_free(task);
}

void contexts_init(const struct symbols *symbols)
{
    uint32_t address;

    if (!hooks) {
        hooks = g_hash_table_new(NULL, NULL);
        tasks = g_hash_table_new_full(NULL, NULL, NULL, free_task);
    }
    stacks_reset();
    g_hash_table_remove_all(hooks);
    g_hash_table_remove_all(tasks);
    memset(&naming, 0, sizeof(naming));
    for (size_t i = 0; symbols && i < G_N_ELEMENTS(vectors); i++) {
        add_hook(vectors[i].address, &vectors[i].hook);
    }
    for (size_t i = 0; symbols && i < G_N_ELEMENTS(functions); i++) {
        if (symbols_address(symbols, functions[i].function, &address)) {
            add_hook(address, &functions[i].hook);
        }
    }
    set_current(find_task(0));
    update();
}
