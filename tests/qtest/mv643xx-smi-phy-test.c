/*
 * mv643xx SMI, PHYs and link state (section 2, 4.3, 4.4, 7.4)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-util.h"

enum {
    BMCR, BMSR, ID1, ID2, ANAR, ANLPAR, ANER,
    GCTRL = 9, GSTATUS = 10, ESTATUS = 15,
    SPECIFIC_CONTROL = 16, SPECIFIC_STATUS = 17, INT_ENABLE = 18,
    INT_STATUS = 19, PAGE = 22,
};

#define BMSR_LINK       0x0004
#define BMSR_AN_DONE    0x0020

#define PS0_1000_FULL   0x416
#define PS0_100_FULL    0x426
#define PS0_LINK_BITS   (MV_PS0_LINK | MV_PS0_FULL_DUPLEX | \
                         MV_PS0_GMII_1000 | MV_PS0_MII_100)

static Nic *phy_up(void)
{
    Nic *n = nic_new();

    nic_up(n);
    return n;
}

/* Latched low: only the second read tells the present state */
static uint16_t bmsr(Nic *n, unsigned phy)
{
    smi_read(n, phy, BMSR);
    return smi_read(n, phy, BMSR);
}

/* 2.1: both operations complete at once, set SMIDone, and clear with 0 [H] */
static void test_smi(void)
{
    Nic *n = nic_new();

    nic_write(n, MV_EUIM, MV_EUIC_SMI_DONE);
    g_assert_cmphex(nic_read(n, MV_SMI) & MV_SMI_BUSY, ==, 0);
    smi_read(n, 0, ID1);
    g_assert_true(nic_irq(n, IRQ_GE0_ERR));
    nic_write(n, MV_EUIC, ~MV_EUIC_SMI_DONE);
    g_assert_false(nic_irq(n, IRQ_GE0_ERR));
    smi_write(n, 0, ANAR, 0x0de1);
    g_assert_true(nic_irq(n, IRQ_GE0_ERR));
    /* after a write there is no valid read data [L] */
    g_assert_cmphex(nic_read(n, MV_SMI) & MV_SMI_READ_VALID, ==, 0);
    nic_write(n, MV_EUIC, ~MV_EUIC_SMI_DONE);
    g_assert_cmphex(smi_read(n, 0, ANAR), ==, 0x0de1);
    /* reading the result is no operation */
    nic_write(n, MV_EUIC, ~MV_EUIC_SMI_DONE);
    g_assert_cmphex(nic_read(n, MV_SMI) & 0xffff, ==, 0x0de1);
    g_assert_cmphex(nic_read(n, MV_EUIC), ==, 0);
    nic_free(n);
}

/* 2.1: the fields last written read back [L] */
static void test_smi_fields(void)
{
    Nic *n = nic_new();
    uint32_t op = MV_SMI_OP_READ | 2 << MV_SMI_REG_SHIFT |
                  5 << MV_SMI_PHY_SHIFT;

    nic_write(n, MV_SMI, op);
    g_assert_cmphex(nic_read(n, MV_SMI) & 0x07ff0000, ==, op);
    nic_free(n);
}

/* absent PHYs read all ones, valid, and take writes without harm */
static void test_absent(void)
{
    Nic *n = nic_new();

    for (unsigned phy = 1; phy < 32; phy++) {
        for (unsigned reg = 0; reg < 32; reg++) {
            g_assert_cmphex(smi_read(n, phy, reg), ==, 0xffff);
        }
        smi_write(n, phy, BMCR, 0x8000);
        smi_write(n, phy, PAGE, 2);
    }
    g_assert_cmphex(smi_read(n, 0, PAGE), ==, 0);
    g_assert_cmphex(smi_read(n, 0, ID1), ==, 0x0141);
    nic_free(n);
}

/* 2.5: PHYs of the boards [H for SheevaPlug and GuruPlug, L for OpenRD] */
static void test_boards(void)
{
    static const struct {
        const char *machine;
        uint8_t address[2];
        uint16_t id2;
        unsigned phys;
    } boards[] = {
        { "sheevaplug", { 0 }, 0x0e40, 1 },
        { "guruplug", { 0, 1 }, 0x0cb0, 2 },
        { "openrd-client", { 8, 24 }, 0x0e40, 2 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(boards); i++) {
        Nic *n = nic_new_args(&(NicArgs) { .machine = boards[i].machine });
        unsigned found = 0;

        for (unsigned phy = 0; phy < 32; phy++) {
            found += smi_read(n, phy, ID1) != 0xffff;
        }
        g_assert_cmpuint(found, ==, boards[i].phys);
        for (unsigned k = 0; k < boards[i].phys; k++) {
            unsigned phy = boards[i].address[k];

            g_assert_cmphex(smi_read(n, phy, ID1), ==, 0x0141);
            g_assert_cmphex(smi_read(n, phy, ID2) & 0xfff0, ==,
                            boards[i].id2);
        }
        /* the MAC polls the first one without being told */
        g_assert_cmphex(nic_read(n, MV_PHY_ADDR) & 0x1f, ==,
                        boards[i].address[0]);
        nic_free(n);
    }
}

/* B-17: pages are banks, identity and the page register are on all of them */
static void test_pages(void)
{
    Nic *n = nic_new();

    g_assert_cmphex(smi_read(n, 0, PAGE), ==, 0);
    smi_write(n, 0, SPECIFIC_CONTROL, 0x3860);
    smi_write(n, 0, PAGE, 2);
    g_assert_cmphex(smi_read(n, 0, PAGE), ==, 2);
    smi_write(n, 0, 21, 0x1070);
    g_assert_cmphex(smi_read(n, 0, 21), ==, 0x1070);
    smi_write(n, 0, PAGE, 3);
    smi_write(n, 0, 16, 0x1100);
    g_assert_cmphex(smi_read(n, 0, 16), ==, 0x1100);
    for (unsigned page = 0; page < 256; page++) {
        smi_write(n, 0, PAGE, page);
        g_assert_cmphex(smi_read(n, 0, PAGE), ==, page);
        g_assert_cmphex(smi_read(n, 0, ID1), ==, 0x0141);
        g_assert_cmphex(smi_read(n, 0, ID2) & 0xfff0, ==, 0x0e40);
        if (page > 18) {
            smi_write(n, 0, 21, 0xffff);
            g_assert_cmphex(smi_read(n, 0, 21), ==, 0);
        }
    }
    smi_write(n, 0, PAGE, 2);
    g_assert_cmphex(smi_read(n, 0, 21), ==, 0x1070);
    smi_write(n, 0, PAGE, 3);
    g_assert_cmphex(smi_read(n, 0, 16), ==, 0x1100);
    smi_write(n, 0, PAGE, 0);
    g_assert_cmphex(smi_read(n, 0, SPECIFIC_CONTROL), ==, 0x3860);
    nic_free(n);
}

/* Two PHYs on one bus keep their pages apart (2.5, 88E1121R) */
static void test_two_phys(void)
{
    Nic *n = nic_new_args(&(NicArgs) { .machine = "guruplug" });

    smi_write(n, 0, PAGE, 2);
    g_assert_cmphex(smi_read(n, 1, PAGE), ==, 0);
    smi_write(n, 0, 21, 0x0030);
    smi_write(n, 1, PAGE, 2);
    smi_write(n, 1, 21, 0x0010);
    g_assert_cmphex(smi_read(n, 0, 21) & 0x30, ==, 0x30);
    g_assert_cmphex(smi_read(n, 1, 21) & 0x30, ==, 0x10);
    /* resetting one leaves the other */
    smi_write(n, 1, PAGE, 0);
    smi_write(n, 1, BMCR, 0x9140);
    g_assert_cmphex(smi_read(n, 0, PAGE), ==, 2);
    nic_free(n);
}

/* The temperature of an 88E1121R: page 6, register 26 (2.6) */
static void test_temperature(void)
{
    Nic *n = nic_new_args(&(NicArgs) { .machine = "guruplug" });
    uint16_t value;

    smi_write(n, 0, PAGE, 6);
    smi_write(n, 0, 26, 0x0020);
    value = smi_read(n, 0, 26);
    g_assert_cmphex(value & 0x20, ==, 0x20);
    /* somewhere between freezing and boiling */
    g_assert_cmpint(((value & 0x1f) - 5) * 5, >=, 0);
    g_assert_cmpint(((value & 0x1f) - 5) * 5, <=, 100);
    nic_free(n);
}

/* B-17: reset and restart bits clear themselves, identity stays */
static void test_bmcr(void)
{
    Nic *n = nic_new();

    g_assert_cmphex(smi_read(n, 0, BMCR), ==, 0x1140);
    smi_write(n, 0, BMCR, 0x9140);
    g_assert_cmphex(smi_read(n, 0, BMCR), ==, 0x1140);
    smi_write(n, 0, BMCR, 0x1340);
    g_assert_cmphex(smi_read(n, 0, BMCR), ==, 0x1140);
    g_assert_cmphex(smi_read(n, 0, ID1), ==, 0x0141);
    /* read-only registers do not move */
    smi_write(n, 0, ID1, 0);
    smi_write(n, 0, BMSR, 0);
    smi_write(n, 0, ESTATUS, 0);
    g_assert_cmphex(smi_read(n, 0, ID1), ==, 0x0141);
    g_assert_cmphex(smi_read(n, 0, ESTATUS) & 0x3000, ==, 0x3000);
    nic_free(n);
}

/* Registers of table 2.6 in the states 1000 full and down [H] */
static void test_link_registers(void)
{
    Nic *n = phy_up();

    g_assert_cmphex(bmsr(n, 0), ==, 0x796d);
    g_assert_cmphex(smi_read(n, 0, ANLPAR) & 0x01e1, ==, 0x01e1);
    g_assert_cmphex(smi_read(n, 0, GSTATUS) & 0x8800, ==, 0x0800);
    /* resolved, link, full, 1000; page received is for the driver to see */
    g_assert_cmphex(smi_read(n, 0, SPECIFIC_STATUS) & 0xec00, ==, 0xac00);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, PS0_1000_FULL);

    nic_set_link(n, false);
    g_assert_cmphex(bmsr(n, 0), ==, 0x7949);
    g_assert_cmphex(smi_read(n, 0, ANLPAR), ==, 0);
    g_assert_cmphex(smi_read(n, 0, GSTATUS) & 0x0c00, ==, 0);
    g_assert_cmphex(smi_read(n, 0, SPECIFIC_STATUS) & 0x0c00, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_LINK, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_PS1)) & MV_PS1_AN_DONE, ==, 0);

    nic_set_link(n, true);
    g_assert_cmphex(bmsr(n, 0), ==, 0x796d);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, PS0_1000_FULL);
    g_assert_cmphex(nic_read(n, PORT(MV_PS1)) & MV_PS1_AN_DONE, !=, 0);
    nic_free(n);
}

/* C-22: BMSR keeps a loss until it was read; then it shows the present */
static void test_bmsr_latch(void)
{
    Nic *n = phy_up();

    bmsr(n, 0);
    nic_set_link(n, false);
    g_assert_cmphex(smi_read(n, 0, BMSR) & BMSR_LINK, ==, 0);
    g_assert_cmphex(smi_read(n, 0, BMSR) & BMSR_LINK, ==, 0);
    nic_set_link(n, true);
    bmsr(n, 0);
    nic_set_link(n, false);
    nic_set_link(n, true);
    g_assert_cmphex(smi_read(n, 0, BMSR) & BMSR_LINK, ==, 0);
    g_assert_cmphex(smi_read(n, 0, BMSR) & BMSR_LINK, ==, BMSR_LINK);
    nic_free(n);
}

/* What the two ends agree on when one offers less: PHY and MAC say the same */
static void test_negotiation(void)
{
    static const struct {
        uint16_t anar, gctrl;
        uint16_t specific;      /* of 0xe000: speed and duplex */
        uint32_t ps0;
    } rows[] = {
        { 0x01e1, 0x0300, 0xa000, MV_PS0_GMII_1000 | MV_PS0_FULL_DUPLEX },
        { 0x01e1, 0x0000, 0x6000, MV_PS0_MII_100 | MV_PS0_FULL_DUPLEX },
        { 0x00e1, 0x0000, 0x4000, MV_PS0_MII_100 },
        { 0x0061, 0x0000, 0x2000, MV_PS0_FULL_DUPLEX },
        { 0x0021, 0x0000, 0x0000, 0 },
    };
    Nic *n = phy_up();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        smi_write(n, 0, ANAR, rows[i].anar);
        smi_write(n, 0, GCTRL, rows[i].gctrl);
        smi_write(n, 0, BMCR, 0x1340);
        g_assert_cmphex(bmsr(n, 0) & (BMSR_LINK | BMSR_AN_DONE), ==,
                        BMSR_LINK | BMSR_AN_DONE);
        g_assert_cmphex(smi_read(n, 0, SPECIFIC_STATUS) & 0xec00, ==,
                        rows[i].specific | 0x0c00);
        g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & PS0_LINK_BITS, ==,
                        MV_PS0_LINK | rows[i].ps0);
    }
    nic_free(n);
}

/* Power down in the PHY takes the link away, the MAC notices by itself */
static void test_power_down(void)
{
    Nic *n = phy_up();

    smi_write(n, 0, BMCR, 0x1940);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_LINK, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_PHY_STC, !=, 0);
    nic_ack_all(n);
    smi_write(n, 0, BMCR, 0x1140);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, PS0_1000_FULL);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_PHY_STC, !=, 0);
    nic_free(n);
}

/* C-22, B-14: set_link reaches cause bits 16 and 20, both ways [H] */
static void test_link_causes(void)
{
    Nic *n = phy_up();

    nic_write(n, PORT(MV_IME), IME_LINUX);
    nic_write(n, PORT(MV_IM), IM_LINUX);
    for (unsigned up = 0; up < 2; up++) {
        nic_set_link(n, up);
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & ~MV_ICE_SUM, ==,
                        MV_ICE_PHY_STC | MV_ICE_LINK);
        g_assert_true(nic_irq(n, IRQ_GE0_SUM));
        nic_write(n, PORT(MV_ICE), ~(MV_ICE_PHY_STC | MV_ICE_LINK));
        g_assert_false(nic_irq(n, IRQ_GE0_SUM));
        /* no change, no cause */
        nic_set_link(n, up);
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)), ==, 0);
    }
    nic_free(n);
}

/* 4.3, B-13: b1 forces up, else b10 = 0 forces down, else the PHY decides */
static void test_link_rule(void)
{
    for (unsigned i = 0; i < 8; i++) {
        bool pass = i & 1, no_fail = i & 2, cable = i & 4;
        Nic *n = nic_new();

        nic_set_link(n, cable);
        nic_write(n, PORT(MV_PSC0), MV_PSC0_RESERVED_ONE | MV_PSC0_PORT_EN |
                  (pass ? MV_PSC0_FORCE_PASS : 0) |
                  (no_fail ? MV_PSC0_NO_FORCE_FAIL : 0));
        g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_LINK, ==,
                        pass || (no_fail && cable) ? MV_PS0_LINK : 0);
        nic_free(n);
    }
}

/* 7.4: a write that changes the effective link sets b20, others do not */
static void test_link_cause_by_write(void)
{
    static const struct {
        uint32_t psc0;
        bool event;
    } steps[] = {
        { 0x000a0200, false },  /* off, down */
        { 0x000a0201, false },  /* enabled, but forced down */
        { 0x000a0601, true },   /* PHY's link counts */
        { 0x000c0601, false },  /* another MRU */
        { 0x000a0603, false },  /* forced up where it is up */
        { 0x000a0201, true },   /* forced down */
        { 0x000a0203, true },   /* forced up */
        { 0x000a0602, false },  /* disabled: link stays */
        { 0x000a0603, true },   /* enabled with link up */
    };
    Nic *n = nic_new();

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        nic_write(n, PORT(MV_PSC0), steps[i].psc0);
        g_test_message("PSC0 = 0x%08x", steps[i].psc0);
        g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_LINK, ==,
                        steps[i].event ? MV_ICE_LINK : 0);
        nic_write(n, PORT(MV_ICE), 0);
    }
    nic_free(n);
}

/* 4.3: speed, duplex and flow control by register instead of by the PHY */
static void test_forced_modes(void)
{
    Nic *n = phy_up();
    const uint32_t base = 0x000a0601;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t gmii = i & 1 ? MV_PSC0_GMII_1000 : 0;
        uint32_t mii = i & 2 ? MV_PSC0_MII_100 : 0;

        nic_write(n, PORT(MV_PSC0), base | MV_PSC0_AN_SPEED_DIS | gmii | mii);
        g_assert_cmphex(nic_read(n, PORT(MV_PS0)) &
                        (MV_PS0_GMII_1000 | MV_PS0_MII_100), ==,
                        gmii ? MV_PS0_GMII_1000 : mii ? MV_PS0_MII_100 : 0);
        /* without b13 the two bits mean nothing */
        nic_write(n, PORT(MV_PSC0), base | gmii | mii);
        g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, PS0_1000_FULL);
    }
    nic_write(n, PORT(MV_PSC0), base | MV_PSC0_AN_DUPLEX_DIS);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_FULL_DUPLEX, ==, 0);
    nic_write(n, PORT(MV_PSC0),
              base | MV_PSC0_AN_DUPLEX_DIS | MV_PSC0_FULL_DUPLEX);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_FULL_DUPLEX, !=, 0);
    nic_write(n, PORT(MV_PSC0), base | MV_PSC0_AN_FC_DIS | MV_PSC0_FC_EN);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_FC, !=, 0);
    nic_write(n, PORT(MV_PSC0), base | MV_PSC0_AN_FC_DIS);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_FC, ==, 0);
    nic_free(n);
}

/* PHY_ADDR says whose link it is: nobody's at an empty address */
static void test_phy_address(void)
{
    Nic *n = phy_up();

    nic_write(n, MV_PHY_ADDR, 9);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_LINK, ==, 0);
    nic_write(n, MV_PHY_ADDR, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, PS0_1000_FULL);
    nic_free(n);
}

/* GE1's PHY is on GE0's bus; GE1 follows it by itself, its own bus is empty */
static void test_second_unit(void)
{
    Nic *n = nic_new_args(&(NicArgs) { .machine = "guruplug", .gbe = 1 });

    nic_up(n);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, PS0_1000_FULL);
    for (unsigned phy = 0; phy < 32; phy++) {
        g_assert_cmphex(smi_read(n, phy, ID1), ==, 0xffff);
    }
    nic_set_link(n, false);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)) & MV_PS0_LINK, ==, 0);
    g_assert_cmphex(nic_read(n, PORT(MV_ICE)) & MV_ICE_PHY_STC, !=, 0);
    nic_set_link(n, true);
    g_assert_cmphex(nic_read(n, PORT(MV_PS0)), ==, PS0_1000_FULL);
    nic_free(n);
}

/* Interrupt registers of the PHY: enable stores, status clears when read */
static void test_phy_interrupt(void)
{
    Nic *n = phy_up();

    smi_write(n, 0, INT_ENABLE, 0x6400);
    g_assert_cmphex(smi_read(n, 0, INT_ENABLE), ==, 0x6400);
    smi_read(n, 0, INT_STATUS);
    g_assert_cmphex(smi_read(n, 0, INT_STATUS), ==, 0);
    nic_set_link(n, false);
    g_assert_cmphex(smi_read(n, 0, INT_STATUS) & 0x0400, ==, 0x0400);
    g_assert_cmphex(smi_read(n, 0, INT_STATUS), ==, 0);
    nic_free(n);
}

/* A reset of the board brings the PHY back, and leaves the cable as it is */
static void test_reset(void)
{
    Nic *n = phy_up();

    smi_write(n, 0, PAGE, 3);
    nic_set_link(n, false);
    qtest_system_reset(n->qts);
    g_assert_cmphex(smi_read(n, 0, PAGE), ==, 0);
    g_assert_cmphex(bmsr(n, 0) & BMSR_LINK, ==, 0);
    nic_set_link(n, true);
    g_assert_cmphex(bmsr(n, 0) & BMSR_LINK, !=, 0);
    nic_free(n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/mv643xx/smi-phy/A-29-smi", test_smi);
    qtest_add_func("/mv643xx/smi-phy/smi-fields", test_smi_fields);
    qtest_add_func("/mv643xx/smi-phy/A-29-absent", test_absent);
    qtest_add_func("/mv643xx/smi-phy/boards", test_boards);
    qtest_add_func("/mv643xx/smi-phy/B-17-pages", test_pages);
    qtest_add_func("/mv643xx/smi-phy/B-17-two-phys", test_two_phys);
    qtest_add_func("/mv643xx/smi-phy/temperature", test_temperature);
    qtest_add_func("/mv643xx/smi-phy/B-17-bmcr", test_bmcr);
    qtest_add_func("/mv643xx/smi-phy/link-registers", test_link_registers);
    qtest_add_func("/mv643xx/smi-phy/C-22-bmsr-latch", test_bmsr_latch);
    qtest_add_func("/mv643xx/smi-phy/negotiation", test_negotiation);
    qtest_add_func("/mv643xx/smi-phy/power-down", test_power_down);
    qtest_add_func("/mv643xx/smi-phy/C-22-link-causes", test_link_causes);
    qtest_add_func("/mv643xx/smi-phy/B-13-link-rule", test_link_rule);
    qtest_add_func("/mv643xx/smi-phy/link-cause-by-write",
                   test_link_cause_by_write);
    qtest_add_func("/mv643xx/smi-phy/forced-modes", test_forced_modes);
    qtest_add_func("/mv643xx/smi-phy/phy-address", test_phy_address);
    qtest_add_func("/mv643xx/smi-phy/second-unit", test_second_unit);
    qtest_add_func("/mv643xx/smi-phy/phy-interrupt", test_phy_interrupt);
    qtest_add_func("/mv643xx/smi-phy/reset", test_reset);
    return g_test_run();
}
