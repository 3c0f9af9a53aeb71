/*
 * mv643xx registers: reset values, write masks, access rules
 *
 * The expectations below are typed from the hardware description, each with
 * the confidence it has there: H two sources agree, M one source, L inferred
 * from what drivers do, R recollection.  Bits that no source describes are
 * in no mask and are not checked.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-util.h"

#define ALL 0xffffffffu

typedef enum Kind {
    RW,         /* bits of @rw take what is written */
    RO,         /* a write changes no bit of @ro */
    RC,         /* read-only, reading clears */
    W0C,        /* cause: writing 1 sets nothing */
    CMD,        /* queue command: covered where queues are; reset only */
    ANY,        /* accepts any access, nothing more is described */
} Kind;

typedef struct RegExpect {
    const char *name;
    uint32_t offset;
    unsigned count;             /* registers of an array, 0: one */
    unsigned stride;
    Kind kind;
    char mark;
    uint32_t reset;             /* value of the bits in @known after reset */
    uint32_t known;
    uint32_t rw;
    uint32_t ro;
} RegExpect;

static const RegExpect expected[] = {
    /* Unit (1.3, 1.7) */
    { "PHY_ADDR", 0x000, .kind = RW, .mark = 'H', .rw = 0x1f },
    { "SMI", 0x004, .kind = RO, .mark = 'H', .known = 1u << 28,
      .ro = 1u << 28 },
    { "EUDA", 0x008, .kind = RW, .mark = 'M', .rw = ALL },
    { "EUDID", 0x00c, .kind = RW, .mark = 'M', .rw = 0xfff },
    { "EU_AUX", 0x014, .kind = RW, .mark = 'L', .rw = 0x3 },
    { "EUIC", 0x080, .kind = W0C, .mark = 'H', .known = ALL },
    { "EUIM", 0x084, .kind = RW, .mark = 'H', .known = ALL, .rw = 0x12be },
    { "EUEA", 0x094, .kind = RO, .mark = 'M', .ro = ALL },
    { "EUIAE", 0x098, .kind = RO, .mark = 'M', .ro = ALL },
    { "EU_PAD", 0x0a0, 3, 4, .kind = RW, .mark = 'M', .rw = 0x1f0103ff },
    { "EUC", 0x0b0, .kind = RW, .mark = 'M', .rw = 0x0001000b },
    { "BASE", 0x200, 6, 8, .kind = RW, .mark = 'H', .rw = 0xffffff0f },
    { "SIZE", 0x204, 6, 8, .kind = RW, .mark = 'H', .rw = 0xffff0000 },
    { "HDR_RETARGET", 0x230, 2, 4, .kind = ANY, .mark = 'L' },
    { "REMAP", 0x280, 4, 4, .kind = RW, .mark = 'H', .rw = ALL },
    { "BARE", 0x290, .kind = RW, .mark = 'L', .reset = 0x3f, .known = 0x3f,
      .rw = 0x3f },
    { "EPAP", 0x294, 3, 4, .kind = RW, .mark = 'L', .reset = 0xfff,
      .known = 0xfff, .rw = 0xfff },

    /* Port 0 (1.5, section 4) */
    { "PXC", 0x400, .kind = RW, .mark = 'H', .rw = 0x03ffd3ff },
    { "PXCX", 0x404, .kind = RW, .mark = 'M', .rw = 0xf },
    { "MII_SERIAL", 0x408, .kind = RW, .mark = 'M', .rw = 0x003fffff },
    { "GMII_SERIAL", 0x40c, .kind = RW, .mark = 'M', .rw = 0x1f },
    { "EVLANE", 0x410, .kind = RW, .mark = 'R', .reset = 0x8100,
      .known = 0xffff, .rw = 0xffff },
    { "MACL", 0x414, .kind = RW, .mark = 'H', .reset = 0x0230,
      .known = 0xffff, .rw = 0xffff },
    { "MACH", 0x418, .kind = RW, .mark = 'H', .reset = 0x00504301,
      .known = ALL, .rw = ALL },
    { "SDC", 0x41c, .kind = RW, .mark = 'H', .rw = 0x03ffffff },
    { "DSCP0-5", 0x420, 6, 4, .kind = RW, .mark = 'M', .rw = 0x3fffffff },
    { "DSCP6", 0x438, .kind = RW, .mark = 'M', .rw = 0xfff },
    { "PSC0", 0x43c, .kind = RW, .mark = 'L', .reset = 0x200, .known = 0x201,
      .rw = 0x71ffedff },
    { "VPT2P", 0x440, .kind = RW, .mark = 'M', .rw = 0x00ffffff },
    /* TX FIFO empty, nothing in progress, no link while it is forced down */
    { "PS0", 0x444, .kind = RO, .mark = 'H', .reset = 0x400, .known = 0x482,
      .ro = ALL },
    { "TQC", 0x448, .kind = CMD, .mark = 'H', .known = ALL },
    { "PSC1", 0x44c, .kind = RW, .mark = 'M', .reset = 0x8, .known = 0x18,
      .rw = 0x007fbdff },
    /* b2:0 must not echo a written 7, or Linux takes it for the old layout */
    { "PS1", 0x450, .kind = RO, .mark = 'H', .known = 0x17, .ro = ALL },
    { "MARVELL_HEADER", 0x454, .kind = RW, .mark = 'M', .rw = 0xff7 },
    { "FIFO_PARAM", 0x458, 2, 4, .kind = ANY, .mark = 'M' },
    { "IC", 0x460, .kind = W0C, .mark = 'L', .known = ALL },
    { "ICE", 0x464, .kind = W0C, .mark = 'L', .known = ALL },
    { "IM", 0x468, .kind = RW, .mark = 'H', .known = ALL, .rw = 0x07ffffff },
    { "IME", 0x46c, .kind = RW, .mark = 'H', .known = ALL,
      .rw = 0x03bfffff },
    { "RX_FIFO_URGENT", 0x470, .kind = ANY, .mark = 'M' },
    { "PTFUT", 0x474, .kind = RW, .mark = 'H', .rw = 0x000fffff },
    { "TX_FIFO_THRESHOLD", 0x478, .kind = ANY, .mark = 'M' },
    { "PMFS", 0x47c, .kind = RW, .mark = 'R', .reset = 0x40, .known = 0x7c,
      .rw = 0x7c },
    { "PXDFC", 0x484, .kind = RC, .mark = 'H', .known = ALL },
    { "PXOFC", 0x488, .kind = RC, .mark = 'H', .known = ALL },
    { "PORT_IAE", 0x494, .kind = RO, .mark = 'M', .ro = ALL },
    { "ARP_IP", 0x498, 2, 4, .kind = RW, .mark = 'M', .rw = ALL },
    { "SERDES_CONFIG", 0x4a0, .kind = ANY, .mark = 'M' },
    { "SERDES_STATUS", 0x4a4, .kind = RO, .mark = 'M', .ro = ALL },
    { "ETHERTYPE_PRIO", 0x4bc, .kind = RW, .mark = 'M', .rw = 0x003fffff },
    { "TX_FIXED_PRIO", 0x4dc, .kind = RW, .mark = 'H', .rw = 0xff },
    { "TX_RATE", 0x4e0, .kind = RW, .mark = 'M', .reset = 0x3ff,
      .known = 0x3ff, .rw = 0x3ff },
    { "TQC1", 0x4e4, .kind = RW, .mark = 'M', .rw = 0xc },
    { "TX_MTU", 0x4e8, .kind = RW, .mark = 'H', .reset = 0x24, .known = 0x3f,
      .rw = 0x3f },
    { "TX_BUCKET", 0x4ec, .kind = RW, .mark = 'M', .reset = 0xffff,
      .known = 0xffff, .rw = 0xffff },
    { "CLKDIV", 0x4f4, 2, 4, .kind = ANY, .mark = 'M' },

    /* Queues (6.1, 6.2, 6.5) */
    { "RX_SHADOW_STS", 0x600, 8, 16, .kind = RO, .mark = 'M', .ro = ALL },
    { "RX_SHADOW_CNT", 0x604, 8, 16, .kind = RO, .mark = 'M', .ro = ALL },
    { "RX_SHADOW_BUF", 0x608, 8, 16, .kind = RO, .mark = 'M', .ro = ALL },
    { "CRDP", 0x60c, 8, 16, .kind = RW, .mark = 'H', .rw = 0xfffffff0 },
    { "RQC", 0x680, .kind = CMD, .mark = 'H', .known = ALL },
    { "TCSDP", 0x684, .kind = RO, .mark = 'M', .ro = ALL },
    { "TCQDP", 0x6c0, 8, 4, .kind = RW, .mark = 'H', .rw = 0xfffffff0 },
    { "TXQ_COUNT", 0x700, 8, 16, .kind = RW, .mark = 'M', .rw = 0x3fffffff },
    { "TXQ_CONFIG", 0x704, 8, 16, .kind = RW, .mark = 'M', .rw = 0x03ffffff },
    { "TXQ_ARBITER", 0x708, 8, 16, .kind = RW, .mark = 'M', .rw = 0xff },
    { "TX_TOKENS", 0x780, .kind = RW, .mark = 'M', .rw = 0x3fffffff },
    { "EJP_IPG2", 0x7a8, .kind = ANY, .mark = 'M' },
    { "EJP_IPG3", 0x7b8, .kind = ANY, .mark = 'M' },
    { "EJP_TOKEN", 0x7c0, 3, 4, .kind = ANY, .mark = 'M' },
    { "EJP_SPEED", 0x7d0, .kind = ANY, .mark = 'M' },

    /* Names without a description */
    { "DEBUG", 0x48c, 2, 4, .kind = ANY, .mark = 'L' },
    { "INTERNAL", 0x4fc, .kind = ANY, .mark = 'L' },

    /* MIB (section 9) and filters (section 8) */
    { "MIB", 0x1000, 32, 4, .kind = RC, .mark = 'H', .known = ALL },
    { "SMC", 0x1400, 64, 4, .kind = RW, .mark = 'H', .known = ALL,
      .rw = 0x0f0f0f0f },
    { "OMC", 0x1500, 64, 4, .kind = RW, .mark = 'H', .known = ALL,
      .rw = 0x0f0f0f0f },
    { "UC", 0x1600, 4, 4, .kind = RW, .mark = 'H', .known = ALL,
      .rw = 0x0f0f0f0f },
};

/* No table row can be typed wrongly in its offset: names come from elsewhere */
static const struct {
    uint32_t typed;
    uint32_t named;
} offsets[] = {
    { 0x000, MV_PHY_ADDR }, { 0x004, MV_SMI }, { 0x008, MV_EUDA },
    { 0x00c, MV_EUDID }, { 0x014, MV_EU_AUX }, { 0x080, MV_EUIC },
    { 0x084, MV_EUIM }, { 0x094, MV_EUEA }, { 0x098, MV_EUIAE },
    { 0x0b0, MV_EUC }, { 0x228, MV_WIN_BASE(5) }, { 0x22c, MV_WIN_SIZE(5) },
    { 0x28c, MV_WIN_REMAP(3) }, { 0x290, MV_BARE }, { 0x294, MV_EPAP(0) },
    { 0x400, PORT(MV_PXC) }, { 0x404, PORT(MV_PXCX) },
    { 0x410, PORT(MV_EVLANE) }, { 0x414, PORT(MV_MACL) },
    { 0x418, PORT(MV_MACH) }, { 0x41c, PORT(MV_SDC) },
    { 0x438, PORT(MV_DSCP(6)) }, { 0x43c, PORT(MV_PSC0) },
    { 0x440, PORT(MV_VPT2P) }, { 0x444, PORT(MV_PS0) },
    { 0x448, PORT(MV_TQC) }, { 0x44c, PORT(MV_PSC1) },
    { 0x450, PORT(MV_PS1) }, { 0x460, PORT(MV_IC) }, { 0x464, PORT(MV_ICE) },
    { 0x468, PORT(MV_IM) }, { 0x46c, PORT(MV_IME) },
    { 0x474, PORT(MV_PTFUT) }, { 0x47c, PORT(MV_PMFS) },
    { 0x484, PORT(MV_PXDFC) }, { 0x488, PORT(MV_PXOFC) },
    { 0x4dc, PORT(MV_TX_FIXED_PRIO) }, { 0x4e0, PORT(MV_TX_RATE) },
    { 0x4e8, PORT(MV_TX_MTU) }, { 0x4ec, PORT(MV_TX_BUCKET) },
    { 0x67c, PORT(MV_CRDP(7)) }, { 0x680, PORT(MV_RQC) },
    { 0x6dc, PORT(MV_TCQDP(7)) }, { 0x770, PORT(MV_TXQ_COUNT(7)) },
    { 0x774, PORT(MV_TXQ_CONFIG(7)) }, { 0x1010, MIB(MV_MIB_RX_FRAMES) },
    { 0x107c, MIB(MV_MIB_LATE_COLLISION) }, { 0x1400, MV_SMC_BASE(0) },
    { 0x1500, MV_OMC_BASE(0) }, { 0x1600, MV_UC_BASE(0) },
};

static void test_offsets(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
        g_assert_cmphex(offsets[i].typed, ==, offsets[i].named);
    }
}

static const uint32_t patterns[] = { ALL, 0, 0x55555555, 0xaaaaaaaa };

static bool same(uint32_t got, uint32_t want, uint32_t mask,
                 const RegExpect *e, uint32_t offset, const char *what,
                 GString *why)
{
    if ((got & mask) == (want & mask)) {
        return true;
    }
    g_string_printf(why, "%s [%c] at 0x%x %s: 0x%08x, expected 0x%08x in the"
                    " bits 0x%08x", e->name, e->mark, offset, what, got, want,
                    mask);
    return false;
}

/* Compare one freshly reset register with its row; the first fault to @why */
static bool check_reg(Nic *n, const RegExpect *e, uint32_t offset,
                      GString *why)
{
    uint32_t before = nic_read(n, offset);

    if (!same(before, e->reset, e->known, e, offset, "after reset", why)) {
        return false;
    }
    if (e->kind == CMD || e->kind == ANY) {
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        bool stores = e->kind == RW;
        uint32_t got;

        nic_write(n, offset, patterns[i]);
        got = nic_read(n, offset);
        if (stores && !same(got, patterns[i], e->rw, e, offset,
                            "after a write", why)) {
            return false;
        }
        if (!stores && !same(got, before, e->kind == RO ? e->ro : ALL, e,
                             offset, "after a write that must not store",
                             why)) {
            return false;
        }
    }
    return true;
}

static bool check_row(Nic *n, const RegExpect *e, GString *why)
{
    unsigned count = e->count ? e->count : 1;

    for (unsigned i = 0; i < count; i++) {
        if (!check_reg(n, e, e->offset + i * e->stride, why)) {
            return false;
        }
    }
    return true;
}

static void test_table(void)
{
    Nic *n = nic_new();
    g_autoptr(GString) why = g_string_new(NULL);

    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        qtest_system_reset(n->qts);
        if (!check_row(n, &expected[i], why)) {
            g_test_message("%s", why->str);
            g_test_fail();
        }
    }
    nic_free(n);
}

/* Array elements are registers of their own */
static void test_no_aliases(void)
{
    Nic *n = nic_new();

    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        const RegExpect *e = &expected[i];

        if (e->kind != RW || !e->count) {
            continue;
        }
        qtest_system_reset(n->qts);
        for (unsigned k = 0; k < e->count; k++) {
            nic_write(n, e->offset + k * e->stride, (k + 1) * 0x01010101);
        }
        for (unsigned k = 0; k < e->count; k++) {
            g_assert_cmphex(nic_read(n, e->offset + k * e->stride) & e->rw,
                            ==, (k + 1) * 0x01010101 & e->rw);
        }
    }
    nic_free(n);
}

typedef bool Mutate(RegExpect *e);

static bool mutate_reset(RegExpect *e)
{
    e->reset ^= e->known & -e->known;
    return e->known;
}

static bool mutate_rw_wider(RegExpect *e)
{
    bool applies = e->kind == RO;

    e->kind = RW;
    e->rw = e->ro;
    return applies;
}

static bool mutate_rw_to_ro(RegExpect *e)
{
    bool applies = e->kind == RW;

    e->kind = RO;
    e->ro = e->rw;
    return applies;
}

static bool mutate_w0c_to_rw(RegExpect *e)
{
    bool applies = e->kind == W0C || e->kind == RC;

    e->kind = RW;
    e->rw = ALL;
    return applies;
}

static bool mutate_offset(RegExpect *e)
{
    bool applies = e->kind == RW;

    e->offset += 0x2000;        /* nothing is there */
    return applies;
}

/* A wrong table must fail: each wrong row is caught on the same device */
static void test_mutated_table(void)
{
    static Mutate *const mutations[] = {
        mutate_reset, mutate_rw_wider, mutate_rw_to_ro, mutate_w0c_to_rw,
        mutate_offset,
    };
    Nic *n = nic_new();
    g_autoptr(GString) why = g_string_new(NULL);
    unsigned tried = 0;

    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        for (size_t m = 0; m < ARRAY_SIZE(mutations); m++) {
            RegExpect wrong = expected[i];

            if (!mutations[m](&wrong)) {
                continue;
            }
            qtest_system_reset(n->qts);
            if (check_row(n, &wrong, why)) {
                g_test_message("mutation %zu of %s passes", m, wrong.name);
                g_test_fail();
            }
            tried++;
        }
    }
    g_assert_cmpuint(tried, >, 80);
    nic_free(n);
}

static void mark_described(uint8_t *described)
{
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        const RegExpect *e = &expected[i];
        unsigned count = e->count ? e->count : 1;

        for (unsigned k = 0; k < count; k++) {
            described[(e->offset + k * e->stride) / 4] = 1;
        }
    }
}

/* 1.1: everything else reads zero and ignores writes, other ports too [L] */
static void test_unlisted(void)
{
    g_autofree uint8_t *described = g_malloc0(MV643XX_MMIO_SIZE / 4);
    Nic *n = nic_new();

    mark_described(described);
    for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
        if (described[offset / 4]) {
            continue;
        }
        g_assert_cmphex(nic_read(n, offset), ==, 0);
        nic_write(n, offset, ALL);
        g_assert_cmphex(nic_read(n, offset), ==, 0);
    }
    nic_free(n);
}

/* C-16: any access anywhere does no harm, and a reset undoes it */
static void test_sweep(void)
{
    g_autofree uint32_t *fresh = g_new(uint32_t, MV643XX_MMIO_SIZE / 4);
    Nic *n = nic_new();

    for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
        fresh[offset / 4] = nic_read(n, offset);
    }
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
            nic_write(n, offset, patterns[i]);
            nic_read(n, offset);
        }
        qtest_clock_step(n->qts, RX_HOLD_NS);
    }
    qtest_system_reset(n->qts);
    for (uint32_t offset = 0; offset < MV643XX_MMIO_SIZE; offset += 4) {
        g_assert_cmphex(nic_read(n, offset), ==, fresh[offset / 4]);
    }
    nic_free(n);
}

/*
 * Sub-word and unaligned access: no client does it and silicon's answer is
 * unknown; the model refuses it, so nothing changes (section 0).
 */
static void test_access_size(void)
{
    static const uint32_t stored[] = {
        MV_EUDA, MV_WIN_REMAP(0), MV_UC_BASE(0), PORT(MV_MACH),
        PORT(MV_CRDP(0)), PORT(MV_IM),
    };
    Nic *n = nic_new();

    for (size_t i = 0; i < ARRAY_SIZE(stored); i++) {
        uint32_t addr = n->base + stored[i];
        uint32_t value = 0x01020300;

        qtest_writel(n->qts, addr, value);
        g_assert_cmphex(qtest_readl(n->qts, addr), ==, value);
        for (unsigned lane = 0; lane < 4; lane++) {
            qtest_writeb(n->qts, addr + lane, 0xff);
        }
        qtest_writew(n->qts, addr, 0xffff);
        qtest_writew(n->qts, addr + 2, 0xffff);
        qtest_writel(n->qts, addr + 2, 0);
        g_assert_cmphex(qtest_readl(n->qts, addr), ==, value);
    }
    nic_free(n);
}

/* C-16: each width at each address, aligned or not, over the block's end too */
static void test_access_sweep(void)
{
    Nic *n = nic_new();
    uint32_t end = n->base + MV643XX_MMIO_SIZE;

    for (uint32_t addr = n->base; addr < end; addr++) {
        qtest_readb(n->qts, addr);
        qtest_readw(n->qts, addr);
        qtest_readl(n->qts, addr);
        if (addr % 8 == 0 || addr > end - 16) {
            qtest_readq(n->qts, addr);
            qtest_writeq(n->qts, addr, 0);
        }
    }
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'query-status' }");
    nic_free(n);
}

/* A-21, B-11: what Linux infers the silicon variant from (1.6) [H] */
static void test_variant_probe(void)
{
    Nic *n = nic_new();

    nic_write(n, PORT(MV_SDC), 0x02000000);
    g_assert_cmphex(nic_read(n, PORT(MV_SDC)), ==, 0x02000000);
    nic_write(n, PORT(MV_TX_MTU), 1);
    g_assert_cmphex(nic_read(n, PORT(MV_TX_MTU)), ==, 1);
    nic_write(n, PORT(MV_PS1), 7);
    g_assert_cmphex(nic_read(n, PORT(MV_PS1)) & 7, ==, 0);
    nic_free(n);
}

/* 0, 1, 250 and 20971 us of RX coalescing at 200 MHz read back [H] */
static void test_coalescing_fields(void)
{
    static const struct {
        uint16_t ticks;         /* of 64 TCLK */
        uint32_t sdc;           /* b25 and [21:7] */
    } rx[] = {
        { 0, 0 }, { 3, 0x180 }, { 781, 0x18680 }, { 0xffff, 0x023fff80 },
    };
    Nic *n = nic_new();

    for (size_t i = 0; i < ARRAY_SIZE(rx); i++) {
        nic_write(n, PORT(MV_SDC), 0x00800034 | rx[i].sdc);
        g_assert_cmphex(nic_read(n, PORT(MV_SDC)), ==,
                        0x00800034 | rx[i].sdc);
        nic_write(n, PORT(MV_PTFUT), rx[i].ticks << 4);
        g_assert_cmphex(nic_read(n, PORT(MV_PTFUT)), ==, rx[i].ticks << 4);
    }
    nic_free(n);
}

/* The second unit is a register file of its own, with its own address */
static void test_second_unit(void)
{
    Nic *n = nic_new_args(&(NicArgs) { .machine = "guruplug", .gbe = 1 });

    g_assert_cmphex(nic_read(n, PORT(MV_MACH)), ==, 0x00504301);
    g_assert_cmphex(nic_read(n, PORT(MV_MACL)), ==, 0x0230);
    nic_write(n, PORT(MV_EVLANE), 0x88a8);
    g_assert_cmphex(qtest_readl(n->qts, GBE0_BASE + PORT(MV_EVLANE)), ==,
                    0x8100);
    g_assert_cmphex(nic_read(n, PORT(MV_EVLANE)), ==, 0x88a8);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/regs/offsets", test_offsets);
    qtest_add_func("/mv643xx/regs/B-11-table", test_table);
    qtest_add_func("/mv643xx/regs/no-aliases", test_no_aliases);
    qtest_add_func("/mv643xx/regs/mutated-table-fails", test_mutated_table);
    qtest_add_func("/mv643xx/regs/unlisted-offsets", test_unlisted);
    qtest_add_func("/mv643xx/regs/C-16-sweep", test_sweep);
    qtest_add_func("/mv643xx/regs/C-16-access-size", test_access_size);
    qtest_add_func("/mv643xx/regs/C-16-access-sweep", test_access_sweep);
    qtest_add_func("/mv643xx/regs/A-21-variant-probe", test_variant_probe);
    qtest_add_func("/mv643xx/regs/A-21-coalescing", test_coalescing_fields);
    qtest_add_func("/mv643xx/regs/second-unit", test_second_unit);
    return g_test_run();
}
