# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's U-Boot as packaged: prompt, environment, network, TFTP with sums, Debian's kernel started from it, reset."""
import re
import shutil
import struct
import subprocess
import zlib

import lab
from mvlab_lib import pcap
from mvlab_lib.machine import CONSOLE, escaped
from wire import Wire

KERNEL, DTB, INITRD = 0x2000000, 0x2800000, 0x3000000   # load addresses: clear of each other and of U-Boot
ETHADDR, ETH1ADDR = "00:50:43:11:22:33", "00:50:43:11:22:34"
PROMPT = rb"^(?:=|\w+)> $"

# U-Boot waits in loops of instructions: with 256 ns of virtual time each, waiting is short. The clock counts instructions, not the host's time.
FAST_CLOCK = ["-icount", "shift=8,sleep=off"]


def uimage(kernel):
    """A kernel as the legacy image that bootm takes, beside it."""
    image = kernel.with_suffix(".uImage")
    subprocess.run(["mkimage", "-A", "arm", "-O", "linux", "-T", "kernel", "-C", "none", "-a", "0x8000", "-e", "0x8000", "-n", "Linux",
                    "-d", kernel, image], check=True, stdout=subprocess.DEVNULL)
    return image


class UBoot(lab.Guest):
    """A board that runs U-Boot."""

    def prompt(self):
        """Waits for U-Boot and stops its automatic boot."""
        self.console.expect(rb"U-Boot 20\d\d.*?Hit any key to stop autoboot")
        self.console.write(b" ")
        self.console.expect(PROMPT)

    def command(self, text):
        """The output of one command line."""
        self.console.write(text.encode() + b"\n")
        self.console.expect(re.escape(text.encode()) + rb"\r?\n")
        return self.console.expect(rb"(.*?)" + PROMPT)[1].decode(errors="replace")

    def boots(self, command):
        """Runs a command that starts Linux; waits for user space."""
        self.console.write(command.encode() + b"\n")
        return self.booted()


class UBootCase(lab.TestCase):

    @property
    def tftp(self):
        """The directory that the guest sees by TFTP, with Debian's files in it."""
        directory = self.directory / "tftp"
        if not directory.is_dir():
            directory.mkdir(parents=True)
            for name, path in (("kernel", lab.guest.KERNEL), ("initrd", lab.guest.UBOOT_INITRD)):
                shutil.copyfile(path, directory / name)
        return directory

    def loader(self, board="sheevaplug", extra=(), **options):
        """A board at U-Boot's prompt."""
        options.setdefault("netdevs", [f"{lab.USER},tftp={escaped(self.tftp)}"])
        running = UBoot(self.directory / "guest", lab.Board(name=board, uboot=lab.guest.uboot(board), **options), extra)
        self.addCleanup(running.close)
        running.prompt()
        return running

    def address(self, loader):
        """Gets an address by DHCP, without a file."""
        loader.command("setenv autoload no")
        self.assertIn("DHCP client bound to address 10.0.2.15", loader.command("dhcp"))

    def load(self, loader, address, path):
        """Loads a file by TFTP and compares its CRC with the host's."""
        data = path.read_bytes()
        self.assertIn(f"Bytes transferred = {len(data)} ", loader.command(f"tftpboot {address:#x} {path.name}"))
        self.assertIn(f"==> {zlib.crc32(data):08x}", loader.command(f"crc32 {address:#x} {len(data):#x}"))

    def linux_works(self, running):
        self.assertEqual(running.run("uname -r").strip(), lab.guest.manifest()["abi"])
        self.assertEqual(running.dhcp(), "10.0.2.15")
        running.run("ping -c 2 -i 0.01 10.0.2.2")
        self.assertEqual(running.complaints(), "")


class Boards(UBootCase):

    def check(self, board, starter="bootz"):
        """The address is saved and read back over a reset: some of these U-Boots have no network without one."""
        loader = self.loader(board)
        self.assertIn("U-Boot 20", loader.command("version"))
        loader.command(f"setenv ethaddr {ETHADDR}; setenv eth1addr {ETH1ADDR}")
        self.assertRegex(loader.command("saveenv"), r"(?i)\bOK|done")
        loader.console.write(b"reset\n")
        loader.prompt()
        self.assertIn(f"ethaddr={ETHADDR}", loader.command("printenv ethaddr"))
        self.address(loader)
        self.assertIn("host 10.0.2.2 is alive", loader.command("ping 10.0.2.2"))
        self.load(loader, KERNEL, uimage(self.tftp / "kernel") if starter == "bootm" else self.tftp / "kernel")
        self.load(loader, INITRD, self.tftp / "initrd")
        dtb = self.tftp / "dtb"
        shutil.copyfile(lab.guest.dtb(board), dtb)
        self.load(loader, DTB, dtb)
        loader.command(f"setenv bootargs {CONSOLE} {lab.AGENT}")
        loader.boots(f"{starter} {KERNEL:#x} {INITRD:#x} {DTB:#x}")
        self.linux_works(loader)
        self.assertEqual(loader.run("cat /sys/class/net/eth0/address").strip(), ETHADDR)

    def test_sheevaplug(self):
        self.check("sheevaplug")

    def test_dockstar(self):
        """Debian's U-Boot of this board has no bootz."""
        self.check("dockstar", "bootm")

    def test_guruplug(self):
        self.check("guruplug")

    def test_dreamplug(self):
        """Debian's U-Boot of this board has no bootz."""
        self.check("dreamplug", "bootm")


class Sheevaplug(UBootCase):

    def test_a30_address_of_uboot_survives_into_linux_and_k08_bootm_with_appended_dtb(self):
        """The way Debian's flash-kernel boots this board: a uImage of the kernel with its device tree appended."""
        appended = self.tftp / "appended"
        appended.write_bytes(lab.guest.KERNEL.read_bytes() + lab.guest.dtb("sheevaplug").read_bytes())
        loader = self.loader()
        loader.command(f"setenv ethaddr {ETHADDR}")
        self.address(loader)
        self.load(loader, KERNEL, uimage(appended))
        self.load(loader, INITRD, self.tftp / "initrd")
        loader.command(f"setenv bootargs {CONSOLE} {lab.AGENT}")
        loader.boots(f"bootm {KERNEL:#x} {INITRD:#x}")
        self.linux_works(loader)
        self.assertEqual(loader.run("cat /sys/class/net/eth0/address").strip(), ETHADDR)

    def test_b06_files_of_every_size_around_a_block(self):
        """Blocks of 512 bytes, and of 1468 which this U-Boot asks for."""
        loader = self.loader()
        self.address(loader)
        for block in (512, 1468):
            loader.command(f"setenv tftpblocksize {block}")
            for size in (0, 1, block - 1, block, block + 1, 2 * block - 1, 2 * block, 2 * block + 1):
                with self.subTest(block=block, size=size):
                    path = self.tftp / f"file-{size}"
                    path.write_bytes(bytes((7 * n + size) & 0xFF for n in range(size)))
                    loader.command(f"mw.b {KERNEL:#x} 0xa5 {size + 8:#x}")
                    if size:
                        self.load(loader, KERNEL, path)
                    else:
                        self.assertNotIn("rror", loader.command(f"tftpboot {KERNEL:#x} {path.name}"))

    def test_b18_sleep_3_takes_3_seconds_of_virtual_time(self):
        """Frames before and after are stamped with the virtual clock, which does not depend on the board's timers."""
        capture = self.directory / "capture.pcap"
        loader = self.loader(extra=FAST_CLOCK, pcap=capture)
        self.address(loader)
        loader.command("ping 10.0.2.2")
        seen = len(stamps(capture))
        loader.command("sleep 3; ping 10.0.2.2")
        times = stamps(capture)
        passed = times[seen] - times[seen - 1]
        self.assertGreaterEqual(passed, 3.0)
        self.assertLess(passed, 3.5)

    def test_b03_prompt_returns_without_a_backend(self):
        loader = self.loader(extra=[*FAST_CLOCK, "-nic", "none"], netdevs=[])
        self.nobody_answers(loader)

    def test_b03_prompt_returns_with_the_cable_pulled_and_c22_it_works_again_when_plugged(self):
        loader = self.loader(extra=FAST_CLOCK)
        loader.set_link(False)
        self.nobody_answers(loader)
        loader.set_link(True)
        self.assertIn("host 10.0.2.2 is alive", loader.command("ping 10.0.2.2"))

    def test_b03_prompt_returns_while_the_far_end_reads_nothing(self):
        with Wire() as wire:
            wire.clog()
            loader = self.loader(extra=FAST_CLOCK, netdevs=[wire.netdev])
            self.nobody_answers(loader)

    def nobody_answers(self, loader):
        loader.command("setenv ipaddr 10.0.2.15; setenv netmask 255.255.255.0")
        self.assertIn("host 10.0.2.2 is not alive", loader.command("ping 10.0.2.2"))

    def test_b17_phy_registers(self):
        """88E1116R: identifier 0x0141 0x0e40; the model that `mii info` shows is bits 9:4 of register 3."""
        loader = self.loader()
        self.assertRegex(loader.command("mii info"), r"PHY 0x00: OUI = 0x5043, Model = 0x24,.*FDX")
        self.assertIn("0141", loader.command("mii read 0 2"))
        self.assertIn("0E40", loader.command("mii read 0 3"))


def stamps(path):
    """The times of a capture's frames in seconds."""
    data, at, times = path.read_bytes(), pcap.FILE_HEADER, []
    while at + pcap.RECORD_HEADER <= len(data):
        seconds, micros, size = struct.unpack_from("<III", data, at)
        times.append(seconds + micros / 1e6)
        at += pcap.RECORD_HEADER + size
    return times


if __name__ == "__main__":
    lab.main()
