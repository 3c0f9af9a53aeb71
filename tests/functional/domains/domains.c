/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does every access obey the Domain Access Control Register in force?
 *
 * Runs on the bare machine (ARMv5, MMU with subpages, caches off) and reports
 * over semihosting; exit status 0 means that every access ended as the
 * architecture says: with the right data, or with the right fault status,
 * domain, address and mode. The rules are those of the ARM Architecture
 * Reference Manual, DDI 0100, part B4, "Access permissions" and "Domains";
 * that a domain with the reserved value 2 has no access is said in the
 * ARM926EJ-S Technical Reference Manual, DDI 0198, 3.4.
 *
 * Physical 4 MiB and up holds one word of data and a small function for every
 * mapping. All of RAM's first 16 MiB is mapped one to one in domain 0.
 */

#include <stdint.h>
#include "start.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MiB             0x100000u
#define DATA_BASE       0x00400000u     /* physical */
#define DATA_STRIDE     0x400u          /* one tiny page each */
#define CODE_OFFSET     0x10u
#define SECTION_VA      0x40000000u     /* one section per domain and AP */
#define COARSE_VA       0x50000000u     /* one coarse table per domain */
#define FINE_VA         0x60000000u     /* one fine table per domain */

#define DOMAINS         16u             /* domain 0 holds this program */
#define APS             4u

#define ADD_R0_R0_90    0xe280005au
#define BX_LR           0xe12fff1eu
#define CODE_RESULT     90u

#define REPORTED_FAILURES       20u

/* Two-bit values of a DACR field */
enum { NO_ACCESS, CLIENT, RESERVED, MANAGER, DOMAIN_VALUES };

enum kind { SECTION, LARGE_PAGE, SMALL_PAGE, SUBPAGE, TINY_PAGE, KINDS };

struct mapping {
    uint32_t va;
    uint32_t pa;
    uint32_t domain;
    uint32_t ap;
    enum kind kind;
};

enum maintenance { NOTHING, FLUSH_VA, FLUSH_ALL, MAINTENANCES };

enum op { READ, WRITE, FETCH };

struct access {
    const char *name;
    access_fn *fn;
    enum op op;
    int user_rights;    /* permissions of User mode apply */
    int user_mode;      /* and the processor is in it */
};

static const struct access accesses[] = {
    { "privileged read",  access_read,    READ,  0, 0 },
    { "privileged write", access_write,   WRITE, 0, 0 },
    { "privileged fetch", access_fetch,   FETCH, 0, 0 },
    { "user read",        access_read,    READ,  1, 1 },
    { "user write",       access_write,   WRITE, 1, 1 },
    { "user fetch",       access_fetch,   FETCH, 1, 1 },
    { "LDRT",             access_read_t,  READ,  1, 0 },
    { "STRT",             access_write_t, WRITE, 1, 0 },
};

static const char *const kind_names[KINDS] = {
    "section", "large page", "small page", "subpage", "tiny page",
};

/* Filled by the abort handlers in start.S, in this order */
volatile struct fault {
    uint32_t count;
    uint32_t status;
    uint32_t address;
    uint32_t mode;
} fault;

static uint32_t l1[4096] __attribute__((aligned(16384)));
static uint32_t coarse[DOMAINS][256] __attribute__((aligned(1024)));
static uint32_t fine[DOMAINS][1024] __attribute__((aligned(4096)));

static struct mapping mappings[KINDS][DOMAINS][APS];
static uint32_t dacr = 1;       /* as last written */
static uint32_t checked, failed;

/* Semihosting output */

static void print(const char *s)
{
    semihosting(0x04, s);
}

static void print_hex(const char *name, uint32_t value)
{
    char text[] = "00000000";

    for (int i = 7; i >= 0; i--, value >>= 4) {
        text[i] = "0123456789abcdef"[value & 15];
    }
    print(name);
    print(text);
}

static void __attribute__((noreturn)) finish(int status)
{
    const uint32_t block[2] = { 0x20026, status };

    semihosting(0x20, block);   /* SYS_EXIT_EXTENDED */
    for (;;) {
        ;
    }
}

void unexpected_exception(uint32_t lr, uint32_t spsr)
{
    print_hex("domains: unexpected exception, lr ", lr);
    print_hex(" spsr ", spsr);
    print("\n");
    finish(1);
}

static uint32_t random(void)
{
    static uint32_t state = 1;

    state = state * 1664525 + 1013904223;
    return state >> 16;
}

/* Page tables */

static void map_section(const struct mapping *m)
{
    l1[m->va / MiB] = (m->pa & ~(MiB - 1)) | m->ap << 10 | m->domain << 5 |
                      0x12;
}

static void add(enum kind kind, uint32_t domain, uint32_t ap, uint32_t va)
{
    struct mapping *m = &mappings[kind][domain][ap];
    uint32_t n = (kind * DOMAINS + domain) * APS + ap;
    uint32_t *data;

    m->kind = kind;
    m->domain = domain;
    m->ap = ap;
    m->pa = DATA_BASE + n * DATA_STRIDE;
    m->va = va;

    data = (uint32_t *)m->pa;
    data[0] = n;
    data[CODE_OFFSET / 4] = ADD_R0_R0_90;
    data[CODE_OFFSET / 4 + 1] = BX_LR;
}

static void map_domain(uint32_t domain)
{
    const uint32_t pa = DATA_BASE + domain * APS * DATA_STRIDE;
    uint32_t *c = coarse[domain], *f = fine[domain];

    for (uint32_t ap = 0; ap < APS; ap++) {
        const uint32_t offset = ap * DATA_STRIDE;
        const uint32_t kind_size = DOMAINS * APS * DATA_STRIDE;
        uint32_t va = SECTION_VA + (domain * APS + ap) * MiB;

        add(SECTION, domain, ap, va | (pa + offset - DATA_BASE));
        map_section(&mappings[SECTION][domain][ap]);

        /* 64 KiB is just what one kind takes, so the base is the same */
        va = COARSE_VA + domain * MiB + ap * 0x10000;
        add(LARGE_PAGE, domain, ap, va | (pa + offset - DATA_BASE));
        for (int i = 0; i < 16; i++) {
            c[ap * 16 + i] = (DATA_BASE + LARGE_PAGE * kind_size) |
                             ap * 0x550 | 1;
        }

        va = COARSE_VA + domain * MiB + 0x40000 + ap * 0x1000;
        add(SMALL_PAGE, domain, ap, va | offset);
        c[64 + ap] = (pa + SMALL_PAGE * kind_size) | ap * 0x550 | 2;

        va = COARSE_VA + domain * MiB + 0x48000;
        add(SUBPAGE, domain, ap, va | offset);

        va = FINE_VA + domain * MiB + ap * 0x400;
        add(TINY_PAGE, domain, ap, va);
        f[ap] = (pa + TINY_PAGE * kind_size + offset) | ap << 4 | 3;
    }
    /* AP 0 to 3 for the four quarters of one small page */
    c[72] = (pa + SUBPAGE * DOMAINS * APS * DATA_STRIDE) | 0xe40 | 2;

    l1[(COARSE_VA + domain * MiB) / MiB] = (uint32_t)c | domain << 5 | 0x11;
    l1[(FINE_VA + domain * MiB) / MiB] = (uint32_t)f | domain << 5 | 0x13;
}

static void map_all(void)
{
    for (uint32_t i = 0; i < 16; i++) {
        l1[i] = i * MiB | 3 << 10 | 0x12;
    }
    for (uint32_t domain = 0; domain < DOMAINS; domain++) {
        map_domain(domain);
    }
}

/* What the architecture says: 0, or the fault status with its domain */
static uint32_t expected_status(const struct mapping *m, const struct access *a)
{
    static const uint8_t user_ops[APS] = {
        [2] = 1 << READ | 1 << FETCH,
        [3] = 1 << READ | 1 << WRITE | 1 << FETCH,
    };
    const uint32_t page = m->kind == SECTION ? 0 : 2;

    switch (dacr >> (m->domain * 2) & 3) {
    case MANAGER:
        return 0;
    case CLIENT:
        if (a->user_rights ? user_ops[m->ap] >> a->op & 1 : m->ap != 0) {
            return 0;
        }
        return m->domain << 4 | 0xd | page;
    default:
        return m->domain << 4 | 0x9 | page;
    }
}

static void report(const char *what, const struct mapping *m,
                   uint32_t status, uint32_t result)
{
    if (failed++ >= REPORTED_FAILURES) {
        return;
    }
    print("domains: wrong ");
    print(what);
    print(" of a ");
    print(kind_names[m->kind]);
    print_hex(", va ", m->va);
    print_hex(", domain ", m->domain);
    print_hex(", AP ", m->ap);
    print_hex(", DACR ", dacr);
    print_hex(": expected status ", status);
    print_hex(", got ", fault.count ? fault.status & 0xff : 0);
    print_hex(", address ", fault.address);
    print_hex(", mode ", fault.mode);
    print_hex(", result ", result);
    print("\n");
}

/* Compare what happened with what should have, for an access at @va */
static int right(uint32_t va, uint32_t status, uint32_t mode,
                 uint32_t result, uint32_t good_result)
{
    checked++;
    if (!status) {
        return fault.count == 0 && result == good_result;
    }
    return fault.count == 1 && (fault.status & 0xff) == status &&
           fault.address == va && fault.mode == mode;
}

static void check(const struct mapping *m, const struct access *a)
{
    /* volatile: code in other modes changes it too */
    volatile uint32_t *data = (uint32_t *)m->pa;
    const uint32_t va = m->va + (a->op == FETCH ? CODE_OFFSET : 0);
    const uint32_t old = *data, new = old + 0x10001;
    const uint32_t status = expected_status(m, a);
    uint32_t result, good = old;

    fault.count = 0;
    if (a->user_mode) {
        result = run_user(a->fn, va, new);
    } else {
        result = a->fn(va, new);
    }

    if (a->op == WRITE) {
        good = new;
    } else if (a->op == FETCH) {
        good = CODE_RESULT;
    }
    if (!right(va, status, a->user_mode ? 0x10 : 0x13, result, good) ||
        *data != (a->op == WRITE && !status ? new : old)) {
        report(a->name, m, status, result);
    }
}

static void write_dacr(uint32_t value)
{
    dacr = value;
    set_dacr(value);
}

/* Give one domain a value, all others but 0 whatever comes */
static void set_domain(uint32_t domain, uint32_t value)
{
    uint32_t others = (random() << 16 | random()) & ~3u;

    write_dacr((others & ~(3u << domain * 2)) | value << domain * 2 | CLIENT);
}

static void maintain(enum maintenance maintenance, uint32_t va)
{
    if (maintenance == FLUSH_VA) {
        tlb_flush_va(va);
    } else if (maintenance == FLUSH_ALL) {
        tlb_flush_all();
    }
}

/*
 * Every series of three domain values, for one mapping and access. Bit n of
 * @used says whether the mapping is used while the n-th value is in force,
 * so its first use comes before, between or after the switches.
 */
static void walk_values(const struct mapping *m, const struct access *a,
                        enum maintenance maintenance, unsigned used)
{
    for (uint32_t series = 0; series < 64; series++) {
        tlb_flush_all();
        for (unsigned i = 0; i < 3; i++) {
            set_domain(m->domain, series >> (i * 2) & 3);
            if (used >> i & 1) {
                check(m, a);
            }
            maintain(maintenance, m->va);
        }
    }
}

static void test_walk(void)
{
    static const unsigned uses[] = { 7, 6, 5 };
    uint32_t domain = 0;

    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t ap = 0; ap < APS; ap++) {
            for (unsigned a = 0; a < ARRAY_SIZE(accesses); a++) {
                for (int how = 0; how < MAINTENANCES; how++) {
                    for (unsigned u = 0; u < ARRAY_SIZE(uses); u++) {
                        domain = domain % (DOMAINS - 1) + 1;
                        walk_values(&mappings[kind][domain][ap], &accesses[a],
                                    how, uses[u]);
                    }
                }
            }
        }
    }
}

/* The rights a kernel opens for one LDRT must be gone for the next */
static void test_window(void)
{
    const struct access *ldrt = &accesses[6];

    for (uint32_t i = 0; i < 5000; i++) {
        const struct mapping *m =
            &mappings[i % KINDS][1 + i % (DOMAINS - 1)][random() % APS];
        const uint32_t shift = m->domain * 2;
        const uint32_t base = (dacr & ~(3u << shift)) | CLIENT;
        const uint32_t open = base | (random() & 3) << shift;
        const uint32_t closed = base | (random() & 3) << shift;
        const uint32_t data = *(uint32_t *)m->pa;
        uint32_t status, result;

        fault.count = 0;
        result = access_window(m->va, open, closed);
        dacr = open;
        status = expected_status(m, ldrt);
        if (!right(m->va, status, 0x13, result, data)) {
            report("LDRT in a window", m, status, result);
        }
        dacr = closed;
        check(m, ldrt);
        check(m, &accesses[random() % ARRAY_SIZE(accesses)]);
    }
}

/* An LDRT whose condition fails has not checked anything for the next one */
static void test_skipped(void)
{
    const struct access *ldrt = &accesses[6];

    for (uint32_t i = 0; i < 2000; i++) {
        const struct mapping *m =
            &mappings[i % KINDS][1 + i % (DOMAINS - 1)][random() % APS];
        const uint32_t run = i / 2 & 1;
        uint32_t status, result;

        set_domain(m->domain, random() & 3);
        check(m, ldrt);
        set_domain(m->domain, random() & 3);
        status = expected_status(m, ldrt);
        fault.count = 0;
        result = access_skipped(m->va, run);
        if (run && fault.count == 2) {
            fault.count = 1;
        }
        if (!right(m->va, status, 0x13, result, *(uint32_t *)m->pa)) {
            report("LDRT after a skipped one", m, status, result);
        }
    }
}

/* The domain and permissions of a section change, with the right upkeep */
static void remap_section(struct mapping *m)
{
    m->domain = random() % DOMAINS;
    m->ap = random() % APS;
    map_section(m);
    maintain(random() & 1 ? FLUSH_VA : FLUSH_ALL, m->va);
}

/* The permissions of a small page change; any address in it will do */
static void remap_small_page(struct mapping *m)
{
    uint32_t *entry = &coarse[m->domain][m->va >> 12 & 0xff];

    m->ap = random() % APS;
    *entry = (*entry & ~0xff0u) | m->ap * 0x550;
    maintain(random() & 7 ? FLUSH_VA : FLUSH_ALL, m->va ^ (random() & 3) << 10);
}

static void set_permissions(struct mapping *m, uint32_t ap)
{
    m->ap = ap;
    if (m->kind == SECTION) {
        map_section(m);
        return;
    }
    for (int i = 0; i < 16; i++) {
        uint32_t *entry = &coarse[m->domain][(m->va >> 12 & 0xf0) + i];

        *entry = (*entry & ~0xff0u) | ap * 0x550;
    }
}

/*
 * A large mapping loses its permissions and is invalidated by an address far
 * from the one that is used; another domain changes in between.
 */
static void test_far(void)
{
    static const enum kind kinds[] = { SECTION, LARGE_PAGE };

    for (uint32_t i = 0; i < ARRAY_SIZE(kinds) * ARRAY_SIZE(accesses); i++) {
        const struct access *a = &accesses[i / ARRAY_SIZE(kinds)];
        struct mapping *m = &mappings[kinds[i % ARRAY_SIZE(kinds)]][3][3];

        set_domain(m->domain, CLIENT);
        set_permissions(m, 3);
        maintain(FLUSH_ALL, m->va);
        check(m, a);
        check(m, a);
        set_permissions(m, 0);
        maintain(FLUSH_VA, m->va ^ 0x8000);
        write_dacr(dacr ^ 1u << 30);
        check(m, a);
        write_dacr(dacr);
        set_permissions(m, 3);
        maintain(FLUSH_ALL, m->va);
    }
}

/* Everything above in any order, with many mappings in use at a time */
static void test_mixed(void)
{
    for (uint32_t i = 0; i < 200000; i++) {
        struct mapping *m = &mappings[random() % KINDS][random() % DOMAINS]
                                     [random() % APS];

        switch (random() % 16) {
        case 0:
            set_domain(1 + random() % (DOMAINS - 1), random() & 3);
            break;
        case 1:         /* one field changes, also that of this program */
            write_dacr((dacr ^ (random() & 3) << (random() & 15) * 2) | 1);
            break;
        case 2:
            write_dacr(dacr);
            break;
        case 3:
            if (random() % 8 == 0) {
                remap_section(&mappings[SECTION][random() % DOMAINS]
                                       [random() % APS]);
            } else if (random() % 8 == 0) {
                remap_small_page(&mappings[SMALL_PAGE][random() % DOMAINS]
                                          [random() % APS]);
            } else if (random() % 8 == 0) {
                maintain(random() % MAINTENANCES, m->va);
            }
            break;
        default:
            check(m, &accesses[random() % ARRAY_SIZE(accesses)]);
        }
    }
}

void main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        { "walk", test_walk },
        { "window", test_window },
        { "skipped", test_skipped },
        { "far", test_far },
        { "mixed", test_mixed },
    };

    map_all();
    mmu_on(l1, dacr);

    for (unsigned i = 0; i < ARRAY_SIZE(tests); i++) {
        checked = failed = 0;
        tests[i].run();
        print("domains: ");
        print(tests[i].name);
        print_hex(": accesses ", checked);
        print_hex(", wrong ", failed);
        print("\n");
        if (failed) {
            finish(1);
        }
    }
    finish(0);
}
