# SPDX-License-Identifier: GPL-2.0-or-later
"""Every board boots Debian's kernel to a shell, and is what its device tree says it is."""
import re
from dataclasses import dataclass

import lab

# PHY identifiers: Linux include/linux/marvell_phy.h; revision in bits 3:0
PHY_88E1116R = 0x01410E40
PHY_88E1121R = 0x01410CB0
PHY_ID_MASK = 0xFFFFFFF0


@dataclass(frozen=True)
class Expected:
    """What Linux must find on a board: arch/arm/boot/dts/kirkwood-*.dts and the makers' data sheets."""
    model: str
    megabytes: int
    phys: dict              # {address on the SMI bus: identifier}, one for each GbE
    leds: dict              # {name in Linux: QOM name of the pin}


BOARDS = {
    "sheevaplug": Expected("Globalscale Technologies SheevaPlug", 512, {0: PHY_88E1116R}, {
        "sheevaplug:red:misc": "led-red-misc", "sheevaplug:blue:health": "led-blue-health"}),
    "dockstar": Expected("Seagate FreeAgent Dockstar", 128, {0: PHY_88E1116R}, {
        "status:green:health": "led-green-health", "status:orange:fault": "led-orange-fault"}),
    "guruplug": Expected("Globalscale Technologies Guruplug Server Plus", 512, {0: PHY_88E1121R, 1: PHY_88E1121R}, {
        "guruplug:red:health": "led-red-health", "guruplug:green:health": "led-green-health",
        "guruplug:red:wmode": "led-red-wmode", "guruplug:green:wmode": "led-green-wmode"}),
    "dreamplug": Expected("Globalscale Technologies Dreamplug", 512, {0: PHY_88E1116R, 1: PHY_88E1116R}, {
        "dreamplug:blue:bluetooth": "led-blue-bluetooth", "dreamplug:green:wifi": "led-green-wifi",
        "dreamplug:green:wifi_ap": "led-green-wifi-ap"}),
    "openrd-client": Expected("OpenRD Client", 512, {8: PHY_88E1116R, 24: PHY_88E1116R}, {}),
}


class Board:
    """The tests of one board, inherited once for each."""

    name = None

    @classmethod
    def setUpClass(cls):
        cls.expected = BOARDS[cls.name]
        cls.BOARD = {"name": cls.name, "netdevs": [f"{lab.USER},net=10.0.{2 + n}.0/24" for n in range(len(cls.expected.phys))]}

    def test_model(self):
        self.assertEqual(self.guest.run("cat /proc/device-tree/model").strip("\0\n"), self.expected.model)

    def test_cpu(self):
        cpu = self.guest.run("cat /proc/cpuinfo")
        self.assertIn("Feroceon 88FR131", cpu)
        self.assertIn("Marvell Kirkwood (Flattened Device Tree)", cpu)

    def test_memory(self):
        total = re.search(r"/(\d+)K available", self.guest.run("dmesg"))[1]
        self.assertEqual(int(total), self.expected.megabytes << 10)

    def test_gbes(self):
        found = self.guest.run("cd /sys/class/net && echo eth*").split()
        self.assertEqual(found, [f"eth{n}" for n in range(len(self.expected.phys))])
        for number, name in enumerate(found):
            with self.subTest(name):
                self.assertEqual(self.guest.run(f"cat /sys/class/net/{name}/address").strip(), f"52:54:00:12:34:{0x56 + number:02x}")
                self.assertIn("driver: mv643xx_eth\n", self.guest.run(f"ethtool -i {name}"))

    def test_phys(self):
        listed = self.guest.run("cd /sys/bus/mdio_bus/devices && for d in *; do echo $d $(cat $d/phy_id); done")
        found = {int(address, 16): int(identifier, 16) & PHY_ID_MASK
                 for address, identifier in re.findall(r":(\w+) 0x(\w+)", listed)}
        self.assertEqual(found, self.expected.phys)

    def test_dhcp_on_every_gbe(self):
        for number in range(len(self.expected.phys)):
            with self.subTest(f"eth{number}"):
                self.assertEqual(self.guest.dhcp(f"eth{number}"), f"10.0.{2 + number}.15")

    def test_leds(self):
        self.assertEqual(set(self.guest.run("ls /sys/class/leds").split()), set(self.expected.leds))
        for name, pin in self.expected.leds.items():
            for brightness in (1, 0, 1):
                with self.subTest(name, brightness=brightness):
                    self.guest.run(f"cd /sys/class/leds/{name} && echo none >trigger && echo {brightness} >brightness")
                    active = self.guest.qmp.execute("qom-get", path=f"/machine/pins/{pin}", property="active")
                    self.assertEqual(active, brightness == 1)

    def test_k06_unmodified_kernel_boots_without_complaints(self):
        self.assertEqual(self.guest.run("uname -r").strip(), lab.guest.manifest()["abi"])
        self.assertEqual(self.guest.complaints(), "")

    def test_usb_bus(self):
        self.assertIn("EHCI Host Controller", self.guest.run("cat /sys/bus/usb/devices/usb1/product"))


class Sheevaplug(Board, lab.SharedGuestCase):
    name = "sheevaplug"


class Dockstar(Board, lab.SharedGuestCase):
    name = "dockstar"


class Guruplug(Board, lab.SharedGuestCase):
    name = "guruplug"


class Dreamplug(Board, lab.SharedGuestCase):
    name = "dreamplug"


class OpenrdClient(Board, lab.SharedGuestCase):
    name = "openrd-client"


class Clock(lab.TestCase):

    def test_rtc_has_the_date_that_qemu_has(self):
        guest = self.boot(extra=["-rtc", "base=2024-02-29T12:34:56,clock=vm"])
        passed, since = guest.run("cut -d. -f1 /proc/uptime; cat /sys/class/rtc/rtc0/since_epoch").split()
        base = 1709210096                                           # date -u -d '2024-02-29 12:34:56' +%s
        self.assertGreaterEqual(int(since), base + int(passed))
        self.assertLess(int(since), base + 2 * int(passed) + 60)    # the same clock, read a moment later
        self.assertEqual(guest.run("date -u +%Y").strip(), "2024")


if __name__ == "__main__":
    lab.main()
