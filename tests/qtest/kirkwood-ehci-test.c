/*
 * Kirkwood USB host: EHCI at its offset and the registers around it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "kirkwood-util.h"

/* EHCI specification 1.0, section 2; capability registers at 0x100 */
#define CAPLENGTH (USB_BASE + 0x100)
#define HCSPARAMS (USB_BASE + 0x104)
#define USBCMD (USB_BASE + 0x140)
#define USBSTS (USB_BASE + 0x144)
#define USBINTR (USB_BASE + 0x148)
#define CONFIGFLAG (USB_BASE + 0x180)
#define PORTSC (USB_BASE + 0x184)

#define USBCMD_RUN 0x1
#define USBSTS_PORT_CHANGE 0x4
#define PORTSC_CONNECTED 0x1
#define PORTSC_CONNECT_CHANGE 0x2
#define PORTSC_ENABLED 0x4
#define PORTSC_RESET 0x100
#define PORTSC_POWER 0x1000

/* Speed field of a ChipIdea port: 2 is high speed */
#define PORTSC_SPEED(value) ((value) >> 26 & 3)

static void test_registers(void)
{
    /* What ehci-orion and ehci-marvell program */
    static const KirkwoodRegExpect regs[] = {
        { "mode", USB_BASE + 0x1a8, .rw = 0x1f },
        { "bridge cause", USB_BASE + 0x310 },
        { "bridge mask", USB_BASE + 0x314, .rw = 0xffffffff },
        { "window 0 control", USB_BASE + 0x320, .rw = 0xffffffff },
        { "window 0 base", USB_BASE + 0x324, .rw = 0xffffffff },
        { "window 3 control", USB_BASE + 0x350, .rw = 0xffffffff },
        { "window 3 base", USB_BASE + 0x354, .rw = 0xffffffff },
        { "IPG", USB_BASE + 0x360, .rw = 0xffffffff },
        { "PHY power", USB_BASE + 0x400, .rw = 0xffffffff },
        { "PHY TX", USB_BASE + 0x420, .rw = 0xffffffff },
        { "PHY RX", USB_BASE + 0x430, .rw = 0xffffffff },
        { "PHY IVREF", USB_BASE + 0x440, .rw = 0xffffffff },
        { "PHY test", USB_BASE + 0x450, .rw = 0xffffffff },
    };
    QTestState *qts = kirkwood_start("");

    kirkwood_check_regs(qts, regs, ARRAY_SIZE(regs));

    /* 0x40 bytes of capability registers, EHCI 1.0, one port */
    g_assert_cmphex(qtest_readb(qts, CAPLENGTH), ==, 0x40);
    g_assert_cmphex(qtest_readw(qts, CAPLENGTH + 2), ==, 0x0100);
    g_assert_cmphex(qtest_readl(qts, HCSPARAMS) & 0xf, ==, 1);
    qtest_quit(qts);
}

static void test_port(void)
{
    QTestState *qts = kirkwood_start(
        "-drive if=none,id=stick,format=raw,file.driver=null-co,"
        "file.size=1048576");

    qtest_writel(qts, CONFIGFLAG, 1);
    qtest_writel(qts, USBCMD, USBCMD_RUN);
    qtest_writel(qts, PORTSC, PORTSC_POWER);
    qtest_writel(qts, USBINTR, USBSTS_PORT_CHANGE);
    g_assert_cmphex(qtest_readl(qts, PORTSC) & PORTSC_CONNECTED, ==, 0);
    g_assert_false(qtest_get_irq(qts, IRQ_USB));

    qtest_qmp_device_add(qts, "usb-storage", "stick", "{'drive': 'stick'}");
    g_assert_cmphex(qtest_readl(qts, PORTSC) &
                    (PORTSC_CONNECTED | PORTSC_CONNECT_CHANGE |
                     PORTSC_ENABLED), ==,
                    PORTSC_CONNECTED | PORTSC_CONNECT_CHANGE);
    g_assert_true(qtest_get_irq(qts, IRQ_USB));
    qtest_writel(qts, USBSTS, USBSTS_PORT_CHANGE);
    g_assert_false(qtest_get_irq(qts, IRQ_USB));

    qtest_writel(qts, PORTSC, PORTSC_POWER | PORTSC_RESET);
    qtest_writel(qts, PORTSC, PORTSC_POWER);
    g_assert_cmphex(qtest_readl(qts, PORTSC) & PORTSC_ENABLED, ==,
                    PORTSC_ENABLED);
    g_assert_cmpuint(PORTSC_SPEED(qtest_readl(qts, PORTSC)), ==, 2);
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/kirkwood/ehci/registers", test_registers);
    qtest_add_func("/kirkwood/ehci/port", test_port);
    return g_test_run();
}
