/*
 * mv643xx register traces: what real drivers do, replayed step by step
 *
 * Each trace is a table of register, memory and wire steps, typed from
 * section 12 of the hardware description.  A step that reads states what the
 * driver must see to go on; a poll is read once, because this model's wire
 * takes no time, and a driver would spin for ever where it fails.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-util.h"

typedef enum Op {
    OP_WRITE,           /* register = value */
    OP_READ,            /* register & mask == value */
    OP_RMW,             /* register = (register & ~mask) | value */
    OP_FILL,            /* value into count registers from reg on */
    OP_DRAIN,           /* read count registers from reg on */
    OP_MEM_WRITE,       /* guest memory = value */
    OP_MEM_READ,        /* guest memory & mask == value */
    OP_IRQ,             /* interrupt controller input reg has level value */
    OP_SMI_WRITE,       /* PHY register reg = value */
    OP_SMI_READ,        /* PHY register reg & mask == value */
    OP_RX_DESC,         /* receive descriptor reg is owned, next is value */
    OP_RX_GOT,          /* descriptor reg has the frame, status & mask */
    OP_RECEIVE,         /* the wire brings the standard frame */
    OP_SENT,            /* the port has sent the standard frame */
    OP_SILENCE,         /* the port has sent nothing */
} Op;

typedef struct Step {
    Op op;
    uint32_t reg;
    uint32_t value;
    uint32_t mask;
    unsigned count;
} Step;

#define W(reg, value)           { OP_WRITE, reg, value }
#define R(reg, value, mask)     { OP_READ, reg, value, mask }
#define RMW(reg, clear, set)    { OP_RMW, reg, set, clear }
#define FILL(reg, n, value)     { OP_FILL, reg, value, .count = n }
#define DRAIN(reg, n)           { OP_DRAIN, reg, .count = n }
#define MW(addr, value)         { OP_MEM_WRITE, addr, value }
#define MR(addr, value, mask)   { OP_MEM_READ, addr, value, mask }
#define IRQ(input, level)       { OP_IRQ, input, level }
#define PHY_W(reg, value)       { OP_SMI_WRITE, reg, value }
#define PHY_R(reg, value, mask) { OP_SMI_READ, reg, value, mask }
#define RX_DESC(i, next)        { OP_RX_DESC, i, next }
#define RX_GOT(i)               { OP_RX_GOT, i, RX_GOOD_TCP, ALL }
/* no pseudo header in the sum: neither the sum nor "L4 OK" is checked */
#define RX_GOT_NOSUM(i)         { OP_RX_GOT, i, 0x2f800000, 0xbff80007 }
#define RECEIVE                 { OP_RECEIVE }
#define SENT                    { OP_SENT }
#define SILENCE                 { OP_SILENCE }

#define REPLAY(n, trace)        replay(n, #trace, trace, ARRAY_SIZE(trace))

#define ALL     0xffffffffu
#define CAUSES  0x7fffffffu     /* without the summary of enabled causes */
#define RXD     MEM_RX_RING(0)
#define TXD     MEM_TX_RING(0)
#define TXB     MEM_TX_BUF(0, 0)

/* Before a frame comes: longer than any of the clients moderates interrupts */
#define PAUSE_NS        1000000

#define FRAME_LEN       154     /* TCP with 100 bytes of payload */

static void rx_desc_give(Nic *n, unsigned i, unsigned next)
{
    desc_write(n, RXD + MV_DESC_SIZE * i, &(Desc) {
        .cmd_sts = 0xa0000000,
        .size = 0x640,
        .buf = MEM_RX_BUF(0, i),
        .next = RXD + MV_DESC_SIZE * next,
    });
}

static void rx_desc_expect(Nic *n, const Step *s, const Frame *f)
{
    uint8_t got[2 + FRAME_LEN], want[2 + FRAME_LEN] = { 0 };
    Desc d;

    desc_read(n, RXD + MV_DESC_SIZE * s->reg, &d);
    g_assert_cmphex(d.cmd_sts & s->mask, ==, s->value & s->mask);
    g_assert_cmpuint(d.count, ==, 2 + FRAME_LEN + 4);
    qtest_memread(n->qts, MEM_RX_BUF(0, s->reg), got, sizeof(got));
    memcpy(want + 2, f->data, FRAME_LEN);
    g_assert_cmpmem(got, sizeof(got), want, sizeof(want));
}

static void step_run(Nic *n, const Step *s, const Frame *f)
{
    switch (s->op) {
    case OP_WRITE:
        nic_write(n, s->reg, s->value);
        break;
    case OP_READ:
        g_assert_cmphex(nic_read(n, s->reg) & s->mask, ==, s->value);
        break;
    case OP_RMW:
        nic_rmw(n, s->reg, s->mask, s->value);
        break;
    case OP_FILL:
        for (unsigned i = 0; i < s->count; i++) {
            nic_write(n, s->reg + 4 * i, s->value);
        }
        break;
    case OP_DRAIN:
        for (unsigned i = 0; i < s->count; i++) {
            nic_read(n, s->reg + 4 * i);
        }
        break;
    case OP_MEM_WRITE:
        mem_write32(n, s->reg, s->value);
        break;
    case OP_MEM_READ:
        g_assert_cmphex(mem_read32(n, s->reg) & s->mask, ==, s->value);
        break;
    case OP_IRQ:
        g_assert_cmpint(nic_irq(n, s->reg), ==, s->value);
        break;
    case OP_SMI_WRITE:
        smi_write(n, 0, s->reg, s->value);
        break;
    case OP_SMI_READ:
        g_assert_cmphex(smi_read(n, 0, s->reg) & s->mask, ==, s->value);
        break;
    case OP_RX_DESC:
        rx_desc_give(n, s->reg, s->value);
        break;
    case OP_RX_GOT:
        rx_desc_expect(n, s, f);
        break;
    case OP_RECEIVE:
        qtest_clock_step(n->qts, PAUSE_NS);
        wire_send_frame(n, f);
        break;
    case OP_SENT:
        wire_expect_frame(n, f);
        break;
    case OP_SILENCE:
        wire_expect_none(n);
        break;
    }
}

/* A failing step is named by its trace and index */
static void replay(Nic *n, const char *name, const Step *steps, size_t count)
{
    Frame f;

    frame_build(&f, &(FrameSpec) { .payload = FRAME_LEN - 54 });
    g_assert_cmpuint(f.len, ==, FRAME_LEN);
    mem_write(n, TXB, f.data, f.len);
    for (size_t i = 0; i < count; i++) {
        g_test_message("%s step %zu", name, i);
        step_run(n, &steps[i], &f);
    }
}

/* --- Linux 6.1 mv643xx_eth with mvmdio (12.1) --- */

static const Step linux_probe[] = {
    /* mvmdio: interrupt mode, PHY identity */
    W(MV_EUIM, 0x10),
    PHY_R(2, 0x0141, 0xffff),
    IRQ(IRQ_GE0_ERR, 1),
    W(MV_EUIC, 0xffffffef),
    IRQ(IRQ_GE0_ERR, 0),
    PHY_R(3, 0x0e40, 0xfff0),
    W(MV_EUIC, 0xffffffef),
    /* unit: windows, then the two questions about the silicon */
    FILL(MV_WIN_BASE(0), 12, 0),
    FILL(MV_WIN_REMAP(0), 4, 0),
    W(MV_WIN_BASE(0), 0x00000e00), W(MV_WIN_SIZE(0), 0x0fff0000),
    W(MV_WIN_BASE(1), 0x10000d00), W(MV_WIN_SIZE(1), 0x0fff0000),
    W(MV_BARE, 0x3c),
    W(PORT(MV_SDC), 0x02000000), R(PORT(MV_SDC), 0x02000000, 0x02000000),
    W(PORT(MV_TX_MTU), 1), R(PORT(MV_TX_MTU), 1, 1),
    /* port */
    RMW(PORT(MV_PSC1), 0x10, 0), R(PORT(MV_PSC1), 0, 0x10),
    R(PORT(MV_MACH), 0x00504301, ALL), R(PORT(MV_MACL), 0x0230, 0xffff),
    RMW(MV_PHY_ADDR, 0x1f, 0),
    RMW(PORT(MV_PSC0), 1, 0),
    W(PORT(MV_PSC0), 0x000a0200),
    DRAIN(MIB(0), 32), DRAIN(PORT(MV_PXDFC), 2),
    W(MV_EPAP(0), 0xf),
    W(PORT(MV_SDC), 0x00800034),
    RMW(PORT(MV_SDC), 0x023fff80, 0x00018680),
    R(PORT(MV_SDC), 0x008186b4, ALL),
    W(PORT(MV_PTFUT), 0),
};

static const Step linux_open[] = {
    W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0), R(PORT(MV_ICE), 0, ALL),
    RX_DESC(0, 1), RX_DESC(1, 2), RX_DESC(2, 0),
    MW(TXD, 0), MW(TXD + 12, TXD + 16), MW(TXD + 16, 0),
    MW(TXD + 28, TXD),
    RMW(PORT(MV_PSC0), 0, 1), RMW(PORT(MV_PSC0), 0, 0x400),
    R(PORT(MV_PSC0), 0x000a0601, ALL),
    W(PORT(MV_TX_RATE), 0x140), W(PORT(MV_TX_MTU), 6),
    W(PORT(MV_TX_BUCKET), 0xffff),
    W(PORT(MV_TCQDP(0)), TXD),
    W(PORT(MV_TXQ_COUNT(0)), 0x00500000),
    W(PORT(MV_TXQ_CONFIG(0)), 0x03fffd40),
    RMW(PORT(MV_TX_FIXED_PRIO), 0, 1),
    W(PORT(MV_PXC), 0x02000000), W(PORT(MV_PXCX), 0),
    W(PORT(MV_MACH), 0x00504301), W(PORT(MV_MACL), 0x0230),
    R(PORT(MV_PXC), 0x02000000, ALL),
    W(MV_UC_BASE(0), 1), FILL(MV_UC_BASE(0) + 4, 3, 0),
    W(PORT(MV_PXC), 0x02000000),
    W(PORT(MV_CRDP(0)), RXD), W(PORT(MV_RQC), 1),
    W(PORT(MV_IME), IME_LINUX), W(PORT(MV_IM), IM_LINUX),
    FILL(MV_SMC_BASE(0), 64, 0), FILL(MV_OMC_BASE(0), 64, 0),
    /* link interrupt: carrier on */
    IRQ(IRQ_GE0_SUM, 1),
    R(PORT(MV_IC), 2, 2),
    R(PORT(MV_ICE), 0x00100000, 0x00100000),
    W(PORT(MV_ICE), ~0x001100ffu), W(PORT(MV_IM), 0),
    R(PORT(MV_PS0), 0x416, ALL),
    R(PORT(MV_IC), 0, ALL),
    W(PORT(MV_IM), IM_LINUX),
    IRQ(IRQ_GE0_SUM, 0),
};

/* Transmit: no register is read, reclaim sees EI where it was set */
static const Step linux_transmit[] = {
    MW(TXD + 4, FRAME_LEN << 16), MW(TXD + 8, TXB),
    MW(TXD, 0x80f82800 | 1 << 17 | 1 << 18 | 1 << 10),
    W(PORT(MV_TQC), 1),
    SENT,
    IRQ(IRQ_GE0_SUM, 1),
    R(PORT(MV_IC), 0x00080002, CAUSES),
    R(PORT(MV_ICE), 1, 0x001100ff),
    W(PORT(MV_IC), ~0x00080000u), R(PORT(MV_TQC), 0, 1),
    W(PORT(MV_ICE), ~1u), W(PORT(MV_IM), 0),
    IRQ(IRQ_GE0_SUM, 0),
    R(PORT(MV_TCQDP(0)), TXD + 16, ALL),
    MR(TXD, 0x00800000, 0x80800000),
    R(PORT(MV_IC), 0, ALL),
    W(PORT(MV_IM), IM_LINUX),
    IRQ(IRQ_GE0_SUM, 0),
};

static const Step linux_receive[] = {
    RECEIVE,
    IRQ(IRQ_GE0_SUM, 1),
    R(PORT(MV_IC), 5, CAUSES),
    W(PORT(MV_IC), ~5u | 2), R(PORT(MV_TQC), 0, ALL), W(PORT(MV_IM), 0),
    RX_GOT(0),
    R(PORT(MV_IC), 0, ALL),
    RX_DESC(0, 1),
    W(PORT(MV_IM), IM_LINUX),
    IRQ(IRQ_GE0_SUM, 0),
    RECEIVE,
    RX_GOT(1),
    W(PORT(MV_IC), ~5u),
};

static const Step linux_stop[] = {
    W(PORT(MV_IME), 0), W(PORT(MV_IM), 0), R(PORT(MV_IM), 0, ALL),
    W(PORT(MV_RQC), 0x100), R(PORT(MV_RQC), 0, 1),
    W(PORT(MV_TQC), 0x100), R(PORT(MV_TQC), 0, 1),
    R(PORT(MV_PS0), 0x400, 0x480),
    RMW(PORT(MV_PSC0), 0x403, 0),
    DRAIN(MIB(0x00), 1), DRAIN(MIB(0x08), 13), DRAIN(MIB(0x40), 16),
    DRAIN(PORT(MV_PXDFC), 2),
    R(PORT(MV_PS0), 0, MV_PS0_LINK),
    IRQ(IRQ_GE0_SUM, 0),
};

static void test_linux(void)
{
    Nic *n = nic_new();

    REPLAY(n, linux_probe);
    for (int i = 0; i < 3; i++) {
        REPLAY(n, linux_open);
        REPLAY(n, linux_transmit);
        REPLAY(n, linux_receive);
        REPLAY(n, linux_stop);
    }
    nic_free(n);
}

/* Carrier of a fixed link comes from the interrupt of this write alone */
static const Step linux_fixed_link[] = {
    W(PORT(MV_PSC0), 0x00aa220c), W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0),
    W(PORT(MV_IME), IME_LINUX), W(PORT(MV_IM), IM_LINUX),
    IRQ(IRQ_GE0_SUM, 0),
    W(PORT(MV_PSC0), 0x00aa220d), W(PORT(MV_PSC0), 0x00aa260f),
    IRQ(IRQ_GE0_SUM, 1),
    R(PORT(MV_ICE), 0x00100000, 0x00100000),
    R(PORT(MV_PS0), 0x416, ALL),
};

static void test_linux_fixed_link(void)
{
    Nic *n = nic_new();

    nic_set_link(n, false);
    REPLAY(n, linux_probe);
    REPLAY(n, linux_fixed_link);
    nic_free(n);
}

/* netpoll: mask off, handler, mask back on, pending event not lost */
static const Step linux_netpoll[] = {
    RECEIVE,
    W(PORT(MV_IM), 0), R(PORT(MV_IM), 0, ALL),
    IRQ(IRQ_GE0_SUM, 0),
    R(PORT(MV_IC), 5, ALL),
    W(PORT(MV_IM), IM_LINUX),
    IRQ(IRQ_GE0_SUM, 1),
    W(PORT(MV_IC), ~5u), RX_GOT(0),
    IRQ(IRQ_GE0_SUM, 0),
};

static void test_linux_netpoll(void)
{
    Nic *n = nic_new();

    REPLAY(n, linux_probe);
    REPLAY(n, linux_open);
    REPLAY(n, linux_netpoll);
    nic_free(n);
}

/* --- U-Boot 2023.01 mvgbe (12.2) --- */

static const Step uboot_init[] = {
    W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0), W(PORT(MV_IM), 0x0007ffff),
    W(PORT(MV_IME), 0x0011ffff),
    RMW(MV_EPAP(0), 3, 3), W(MV_WIN_SIZE(0), 0x0fff0000),
    W(MV_WIN_BASE(0), 0x00000e00), W(MV_WIN_REMAP(0), 0),
    RMW(MV_BARE, 1, 0),
    RMW(MV_EPAP(0), 0xc, 0xc), W(MV_WIN_SIZE(1), 0x0fff0000),
    W(MV_WIN_BASE(1), 0x10000d00), W(MV_WIN_REMAP(1), 0),
    RMW(MV_BARE, 2, 0),
    FILL(MV_UC_BASE(0), 4, 0), FILL(MV_SMC_BASE(0), 64, 0),
    FILL(MV_OMC_BASE(0), 64, 0),
    W(PORT(MV_MACL), 0x0230), W(PORT(MV_MACH), 0x00504301),
    RMW(MV_UC_BASE(0), ~0xffu, 1),
    W(PORT(MV_PXC), 0), W(PORT(MV_PXCX), 0),
    W(PORT(MV_PSC0), 0x0024060e),
    W(PORT(MV_SDC), 0x01000038),
    W(PORT(MV_TXQ_COUNT(0)), 0x3fffffff),
    W(PORT(MV_TXQ_CONFIG(0)), 0x03fffcff), W(PORT(MV_TX_MTU), 0),
    RMW(PORT(MV_PSC0), 0x000e0000, 0x000a0000),
    R(PORT(MV_PSC0), 0x002a060e, ALL),
    RMW(PORT(MV_PSC0), 0, 1), W(PORT(MV_TX_MTU), 0),
    RX_DESC(0, 1), RX_DESC(1, 2), RX_DESC(2, 3), RX_DESC(3, 0),
    W(PORT(MV_CRDP(0)), RXD), W(PORT(MV_RQC), 1),
    W(MV_PHY_ADDR, 0),
    PHY_W(22, 0),
    PHY_R(2, 0x0141, 0xffff), PHY_R(3, 0x0e40, 0xfff0),
    PHY_R(1, 0, 0), PHY_R(1, 0x0024, 0x0024),
    PHY_R(17, 0xac00, 0xec00),
};

/* One descriptor for ever, its next pointer never set; OWN is polled */
static const Step uboot_send[] = {
    MW(TXD + 4, FRAME_LEN << 16), MW(TXD + 8, TXB), MW(TXD + 12, 0),
    MW(TXD, 0x80f80000),
    W(PORT(MV_TCQDP(0)), TXD), W(PORT(MV_TQC), 1),
    SENT,
    MR(TXD, 0, 0x80000001),
    R(PORT(MV_TQC), 0, ALL),
};

static const Step uboot_receive[] = {
    RECEIVE, RX_GOT_NOSUM(0), RX_DESC(0, 1),
    RECEIVE, RX_GOT_NOSUM(1), RX_DESC(1, 2),
    RECEIVE, RX_GOT_NOSUM(2), RX_DESC(2, 3),
    RECEIVE, RX_GOT_NOSUM(3), RX_DESC(3, 0),
    RECEIVE, RX_GOT_NOSUM(0), RX_DESC(0, 1),
};

static const Step uboot_halt[] = {
    W(MV_BARE, 0x3f),
    R(PORT(MV_TQC), 0, 0xff),
    R(PORT(MV_RQC), 1, 0xff), W(PORT(MV_RQC), 0x100),
    R(PORT(MV_RQC), 0, 0xff),
    RMW(PORT(MV_PSC0), 1, 0), RMW(PORT(MV_PSC1), 0x10, 0),
    W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0), W(PORT(MV_IM), 0),
    W(PORT(MV_IME), 0),
    RECEIVE,
    MR(RXD + 16, 0xa0000000, ALL),
    IRQ(IRQ_GE0_SUM, 0),
};

static void test_uboot(void)
{
    Nic *n = nic_new();

    for (int i = 0; i < 5; i++) {
        REPLAY(n, uboot_init);
        for (int k = 0; k < 3; k++) {
            REPLAY(n, uboot_send);
        }
        REPLAY(n, uboot_receive);
        REPLAY(n, uboot_halt);
    }
    nic_free(n);
}

/* B-03: with no link OWN clears all the same, the frame is lost */
static const Step uboot_send_no_link[] = {
    MW(TXD + 4, FRAME_LEN << 16), MW(TXD + 8, TXB), MW(TXD + 12, 0),
    MW(TXD, 0x80f80000),
    W(PORT(MV_TCQDP(0)), TXD), W(PORT(MV_TQC), 1),
    MR(TXD, 0, 0x80000000),
    R(PORT(MV_TQC), 0, ALL),
    SILENCE,
};

static void test_uboot_no_link(void)
{
    Nic *n = nic_new();

    REPLAY(n, uboot_init);
    /* the board's own settings force the link up, which this undoes */
    nic_rmw(n, PORT(MV_PSC0), MV_PSC0_FORCE_PASS, 0);
    nic_set_link(n, false);
    REPLAY(n, uboot_send_no_link);
    nic_free(n);
}

/* SheevaPlug board code: RGMII delays on page 2, page 0, reset */
static const Step uboot_board_phy[] = {
    PHY_W(22, 2), PHY_R(21, 0, 0), PHY_W(21, 0x1070), PHY_W(22, 0),
    PHY_W(0, 0x9140), PHY_R(0, 0, 0x8000),
    PHY_W(22, 2), PHY_R(21, 0x30, 0x30), PHY_W(22, 0),
};

static void test_uboot_board_phy(void)
{
    Nic *n = nic_new();

    REPLAY(n, uboot_board_phy);
    nic_free(n);
}

/* U-Boot halts, Linux takes over on the same device (B-04) */
static void test_uboot_then_linux(void)
{
    Nic *n = nic_new();

    REPLAY(n, uboot_init);
    REPLAY(n, uboot_send);
    REPLAY(n, uboot_halt);
    REPLAY(n, linux_probe);
    REPLAY(n, linux_open);
    REPLAY(n, linux_transmit);
    REPLAY(n, linux_receive);
    nic_free(n);
}

/* --- NetBSD if_mvgbe (12.3) --- */

static const Step netbsd[] = {
    /* match, attach */
    R(PORT(MV_MACH), 0x00504301, ALL),
    W(MV_PHY_ADDR, 0), W(MV_EUIM, 0), W(MV_EUIC, 0), W(MV_BARE, 0x3f),
    W(MV_WIN_REMAP(0), 0), W(MV_WIN_BASE(0), 0x00000e00),
    W(MV_WIN_SIZE(0), 0x1fff0000), W(MV_EPAP(0), 3), W(MV_BARE, 0x3e),
    W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0),
    /* stop */
    R(PORT(MV_RQC), 0, ALL), R(PORT(MV_TQC), 0, ALL),
    RMW(PORT(MV_PSC0), 0x400, 0),
    R(PORT(MV_PS0), 0x400, 0x480), R(PORT(MV_PS0), 0x400, 0x480),
    RMW(PORT(MV_PSC0), 1, 0),
    W(MV_EUIM, 0), W(MV_EUIC, 0), W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0),
    W(PORT(MV_IM), 0), W(PORT(MV_IME), 0),
    /* init */
    RX_DESC(0, 1), RX_DESC(1, 0),
    MW(TXD, 0), MW(TXD + 12, TXD + 16), MW(TXD + 16, 0),
    W(PORT(MV_PSC0), 0x00260608), RMW(PORT(MV_PSC1), 0, 8),
    W(PORT(MV_TX_FIXED_PRIO), 1),
    W(PORT(MV_CRDP(0)), RXD), W(PORT(MV_TCQDP(0)), TXD),
    W(PORT(MV_TXQ_COUNT(0)), 0x3fffffff),
    W(PORT(MV_TXQ_CONFIG(0)), 0x03ffffff),
    W(PORT(MV_TXQ_COUNT(1)), 0), W(PORT(MV_TXQ_CONFIG(1)), 0),
    W(PORT(MV_PXC), 0x02000000), W(PORT(MV_PXCX), 0),
    W(PORT(MV_SDC), 0x01000038),
    RMW(PORT(MV_SDC), 0x023fff80, 0x00018000),
    W(PORT(MV_PTFUT), 0x3000),
    W(MV_UC_BASE(0), 1),
    RMW(PORT(MV_PSC0), 0, 1),
    R(PORT(MV_PS0), MV_PS0_LINK, MV_PS0_LINK),
    W(PORT(MV_RQC), 1), W(PORT(MV_TQC), 1),
    W(PORT(MV_IM), 0x0007ffff), W(PORT(MV_IME), 0x0010ffff),
    /* the empty queue stopped at its first descriptor */
    R(PORT(MV_TQC), 0, ALL), R(PORT(MV_TCQDP(0)), TXD, ALL),
    /* transmit: the flags of this driver, no read of a register */
    MW(TXD + 4, FRAME_LEN << 16), MW(TXD + 8, TXB), MW(TXD, 0x80f82800),
    W(PORT(MV_TQC), 1),
    SENT,
    IRQ(IRQ_GE0_SUM, 1),
    R(PORT(MV_ICE), 1, 0xffff), R(PORT(MV_IC), 2, 2),
    W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0),
    IRQ(IRQ_GE0_SUM, 0),
    RECEIVE,
    IRQ(IRQ_GE0_SUM, 1),
    R(PORT(MV_ICE), 0, ALL), R(PORT(MV_IC), 5, 7),
    W(PORT(MV_IC), ~5u), W(PORT(MV_ICE), ALL),
    RX_GOT(0),
    IRQ(IRQ_GE0_SUM, 0),
    /* B-10: the watchdog kicks an idle queue; nothing is sent twice */
    W(PORT(MV_TQC), 1), W(PORT(MV_TQC), 1),
    SILENCE,
    R(PORT(MV_TCQDP(0)), TXD + 16, ALL),
    R(PORT(MV_PXOFC), 0, ALL),
};

static void test_netbsd(void)
{
    Nic *n = nic_new();

    REPLAY(n, netbsd);
    nic_free(n);
}

/* --- FreeBSD if_mge (12.4) --- */

static const Step freebsd[] = {
    W(MV_WIN_BASE(0), 0x00000e00), W(MV_WIN_SIZE(0), 0x1fff0000),
    W(MV_EPAP(0), 3), W(MV_BARE, 0x3e),
    /* stop */
    W(PORT(MV_TQC), 0x100), W(PORT(MV_RQC), 0xff00),
    R(PORT(MV_PS0), 0x400, 0x480), RMW(PORT(MV_PSC0), 1, 0),
    /* init */
    W(MV_EUIC, 0), W(MV_EUIM, 0), W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0),
    W(PORT(MV_IM), 0), W(PORT(MV_IME), 0),
    W(PORT(MV_MACL), 0x0230), W(PORT(MV_MACH), 0x00504301),
    W(MV_UC_BASE(0), 1), FILL(MV_UC_BASE(0) + 4, 3, 0),
    FILL(MV_SMC_BASE(0), 64, 0), FILL(MV_OMC_BASE(0), 64, 0),
    W(PORT(MV_PSC1), 8), W(PORT(MV_TX_FIXED_PRIO), 1),
    W(PORT(MV_TXQ_COUNT(0)), 0x3fffffff),
    /* the driver's slip: the arbiter constant to the token configuration */
    W(PORT(MV_TXQ_CONFIG(0)), 0x03fffcff),
    W(PORT(MV_TXQ_CONFIG(0)), 0xfc0000ff),
    FILL(PORT(MV_TXQ_COUNT(1)), 3, 0),
    W(PORT(MV_TX_MTU), 0),
    W(PORT(MV_PXC), 0x02000000), W(PORT(MV_PXCX), 0),
    RMW(PORT(MV_PXC), 1, 0),
    RX_DESC(0, 1), RX_DESC(1, 0),
    MW(TXD, 0), MW(TXD + 12, TXD + 16), MW(TXD + 16, 0),
    W(PORT(MV_PSC0), 0x00040600), W(PORT(MV_SDC), 0x01000038),
    W(PORT(MV_PTFUT), 0),
    W(PORT(MV_TCQDP(0)), TXD), W(PORT(MV_CRDP(0)), RXD),
    W(PORT(MV_RQC), 1),
    RMW(PORT(MV_PSC0), 0, 1),
    /* B-13: it waits here for the link */
    R(PORT(MV_PS0), MV_PS0_LINK, MV_PS0_LINK),
    RMW(PORT(MV_SDC), 0x023fff80, 0x00018000),
    W(PORT(MV_PTFUT), 0x3000),
    W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0),
    W(PORT(MV_IM), 0x00000806), W(PORT(MV_IME), 0x000c0101),
    /* start */
    MW(TXD + 4, FRAME_LEN << 16), MW(TXD + 8, TXB), MW(TXD, 0x80f82800),
    RMW(PORT(MV_TQC), 0, 1),
    SENT,
    R(PORT(MV_ICE), 1, 0xffff), W(PORT(MV_ICE), ~1u),
    RECEIVE, RX_GOT(0), RECEIVE, RX_GOT(1),
    W(PORT(MV_IC), 0),
    /* ring dry: one resource error, the driver starts over (B-12) */
    RECEIVE,
    R(PORT(MV_IC), 0x00000c00, 0x00000c00),
    W(PORT(MV_IC), 0),
    W(PORT(MV_RQC), 0x100), R(PORT(MV_RQC), 0, ALL),
    RX_DESC(0, 1), RX_DESC(1, 0),
    W(PORT(MV_CRDP(0)), RXD), W(PORT(MV_RQC), 1),
    RECEIVE,
    RX_GOT(0),
    W(PORT(MV_TQC), 0x100), W(PORT(MV_RQC), 0xff00),
    R(PORT(MV_RQC), 0, ALL), R(PORT(MV_PS0), 0x400, 0x480),
};

static void test_freebsd(void)
{
    Nic *n = nic_new();

    REPLAY(n, freebsd);
    nic_free(n);
}

/* --- barebox orion-gbe (12.5) --- */

static const Step barebox[] = {
    W(MV_WIN_SIZE(0), 0x1fff0000), W(MV_WIN_BASE(0), 0x00000e00),
    W(MV_WIN_REMAP(0), 0), RMW(MV_EPAP(0), 3, 3), RMW(MV_BARE, 1, 0),
    /* port_stop */
    W(PORT(MV_TQC), 0x100), R(PORT(MV_TQC), 0, ALL),
    W(PORT(MV_RQC), 0x100), R(PORT(MV_RQC), 0, ALL),
    W(PORT(MV_PSC0), 0), RMW(PORT(MV_PSC1), 0x10, 0),
    W(PORT(MV_IC), 0), W(PORT(MV_ICE), 0), W(PORT(MV_IM), 0),
    W(PORT(MV_IME), 0),
    W(PORT(MV_TXQ_COUNT(0)), ALL), W(PORT(MV_TXQ_CONFIG(0)), ALL),
    W(PORT(MV_TX_MTU), 0),
    RX_DESC(0, 1), RX_DESC(1, 0),
    W(PORT(MV_CRDP(0)), RXD), W(PORT(MV_SDC), 0x01000038),
    W(PORT(MV_PXC), 0), W(PORT(MV_PXCX), 0),
    W(MV_UC_BASE(0), 1),
    W(PORT(MV_PSC0), 0x0000220c),
    W(PORT(MV_PSC1), 0x00238488),
    W(PORT(MV_RQC), 1),
    /* adjust_link: 1000 full, forced; the queue survives it (B-19) */
    RMW(PORT(MV_PSC0), 1, 0),
    RMW(PORT(MV_PSC0), 0x01e00000, 0x00a00403),
    R(PORT(MV_PS0), 0x416, ALL),
    R(PORT(MV_RQC), 1, ALL),
    /* send: no interrupt bit, OWN is polled */
    MW(TXD + 4, FRAME_LEN << 16), MW(TXD + 8, TXB), MW(TXD + 12, 0),
    MW(TXD, 0x80780000),
    W(PORT(MV_TCQDP(0)), TXD), W(PORT(MV_TQC), 1),
    SENT, MR(TXD, 0, 0x80000000), R(PORT(MV_ICE), 0, 0xff),
    RECEIVE, RX_GOT_NOSUM(0), RX_DESC(0, 1), RECEIVE, RX_GOT_NOSUM(1),
    /* halt, remove */
    W(PORT(MV_TQC), 0x100), W(PORT(MV_RQC), 0x100),
    R(PORT(MV_RQC), 0, ALL), W(PORT(MV_PSC0), 0),
    W(MV_BARE, ALL), R(MV_BARE, 0x3f, 0x3f),
};

static void test_barebox(void)
{
    Nic *n = nic_new();

    REPLAY(n, barebox);
    nic_free(n);
}

/* --- 9front ether1116 (12.6) --- */

static const Step plan9[] = {
    RMW(MV_EUC, 0, 1 << 20), RMW(MV_EUC, 1 << 20, 0),
    W(PORT(MV_PSC0), 0),
    RMW(PORT(MV_PSC1), 0, 0x10), RMW(PORT(MV_PSC1), 0x10, 0),
    W(PORT(MV_CRDP(0)), 0), W(PORT(MV_TCQDP(0)), 0),
    W(MV_WIN_BASE(0), 0x00000e00), W(MV_WIN_SIZE(0), 0x1fff0000),
    W(MV_EPAP(0), 0xfff), W(MV_BARE, 0x3e),
    W(MV_EUDA, 0), W(MV_EUDID, 0xd0),
    W(PORT(MV_PMFS), 10 << 2),
    W(PORT(MV_SDC), 0x01000039),
    W(MV_UC_BASE(0), 1),
    W(PORT(MV_IM), 0x07f80403 | 0x3fc), W(PORT(MV_IME), 0x001100ff),
    W(PORT(MV_PSC1), 0x00238008),
    W(PORT(MV_TX_MTU), 0),
    /* b9 stays 0 with this one, and it works */
    W(PORT(MV_PSC0), 0x00020419),
    R(PORT(MV_PS0), MV_PS0_LINK, MV_PS0_LINK),
    R(PORT(MV_PS1), MV_PS1_AN_DONE, MV_PS1_AN_DONE),
    W(PORT(MV_ICE), 0), W(PORT(MV_IC), 0),
    RX_DESC(0, 1), RX_DESC(1, 0),
    MW(TXD, 0), MW(TXD + 12, TXD + 16), MW(TXD + 16, 0),
    /* the interrupt handler restarts what reads zero */
    R(PORT(MV_CRDP(0)), 0, ALL), W(PORT(MV_CRDP(0)), RXD),
    W(PORT(MV_RQC), 1),
    R(PORT(MV_TCQDP(0)), 0, ALL), W(PORT(MV_TCQDP(0)), TXD),
    /* B-15: no GC bit, the backend gets the frame and no stray bytes */
    MW(TXD + 4, FRAME_LEN << 16), MW(TXD + 8, TXB), MW(TXD, 0x80b80000),
    W(PORT(MV_TQC), 1),
    SENT,
    R(PORT(MV_IC), 0x80080002, 0x80080002),
    R(PORT(MV_ICE), 0x80000001, 0x80000001),
    W(PORT(MV_ICE), 0), W(PORT(MV_IC), 0),
    IRQ(IRQ_GE0_SUM, 0),
    RECEIVE,
    R(PORT(MV_IC), 0x80000005, 0x80000005),
    RX_GOT_NOSUM(0),
    W(PORT(MV_ICE), 0), W(PORT(MV_IC), 0),
    IRQ(IRQ_GE0_SUM, 0),
};

static void test_plan9(void)
{
    Nic *n = nic_new();

    REPLAY(n, plan9);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/traces/linux", test_linux);
    qtest_add_func("/mv643xx/traces/linux-fixed-link", test_linux_fixed_link);
    qtest_add_func("/mv643xx/traces/A-23-linux-netpoll", test_linux_netpoll);
    qtest_add_func("/mv643xx/traces/uboot", test_uboot);
    qtest_add_func("/mv643xx/traces/B-03-uboot-no-link", test_uboot_no_link);
    qtest_add_func("/mv643xx/traces/uboot-board-phy", test_uboot_board_phy);
    qtest_add_func("/mv643xx/traces/B-04-uboot-then-linux",
                   test_uboot_then_linux);
    qtest_add_func("/mv643xx/traces/B-10-netbsd", test_netbsd);
    qtest_add_func("/mv643xx/traces/B-12-freebsd", test_freebsd);
    qtest_add_func("/mv643xx/traces/B-19-barebox", test_barebox);
    qtest_add_func("/mv643xx/traces/B-15-9front", test_plan9);
    return g_test_run();
}
