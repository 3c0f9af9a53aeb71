# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel, device trees and U-Boot in use are byte for byte those in Debian's packages."""
import hashlib
import subprocess
import tarfile
import unittest

import lab
from mvlab_lib import guest
from mvlab_lib.stamp import sha256


def sums_inside(deb):
    """{path in a package: SHA-256} of its regular files, read from the .deb itself."""
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE)
    with process, tarfile.open(fileobj=process.stdout, mode="r|") as archive:
        return {member.name.removeprefix("./"): hashlib.sha256(archive.extractfile(member).read()).hexdigest()
                for member in archive if member.isreg()}


class Packages(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.manifest = guest.manifest()
        cls.kernel = cls.manifest["packages"][cls.manifest["kernel"]]
        cls.kernel_files = sums_inside(guest.DEBS / cls.kernel["file"])
        cls.uboot_files = sums_inside(guest.DEBS / cls.manifest["packages"]["u-boot"]["file"])

    def test_packages_are_those_that_apt_verified(self):
        for name, package in self.manifest["packages"].items():
            with self.subTest(name):
                self.assertEqual(sha256(guest.DEBS / package["file"]), package["sha256"])

    def test_suite_and_abi_are_recorded(self):
        self.assertEqual(self.manifest["suite"], "bookworm")
        self.assertEqual(f"linux-image-{self.manifest['abi']}", self.manifest["kernel"])

    def test_kernel(self):
        self.assertEqual(sha256(guest.KERNEL), self.kernel_files[f"boot/vmlinuz-{self.manifest['abi']}"])

    def test_device_trees(self):
        for board in guest.boards():
            with self.subTest(board):
                path = guest.dtb(board)
                self.assertEqual(sha256(path), self.kernel_files[f"usr/lib/linux-image-{self.manifest['abi']}/{path.name}"])

    def test_uboot(self):
        for board in ("sheevaplug", "dockstar", "guruplug", "dreamplug"):
            with self.subTest(board):
                self.assertEqual(sha256(guest.uboot(board)), self.uboot_files[f"usr/lib/u-boot/{board}/u-boot.kwb"])

    def test_modules(self):
        modules = sorted((guest.ROOTFS / "lib/modules").rglob("*.ko"))
        self.assertIn("mv643xx_eth.ko", [path.name for path in modules])
        for path in modules:
            with self.subTest(path.name):
                self.assertEqual(sha256(path), self.kernel_files[str(path.relative_to(guest.ROOTFS))])


if __name__ == "__main__":
    lab.main()
