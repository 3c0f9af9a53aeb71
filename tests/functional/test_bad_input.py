# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong options, files, images and sizes: one line that names what and where, a status that is not 0, and nothing started."""
import struct
import subprocess
import sys

import lab

HEADER = 0x20                       # bytes of a kwb main header, its checksum in the last one
SIZE_AT, SOURCE_AT, EXTENDED_AT = 0x04, 0x0C, 0x1E
EXTENDED = 0x200                    # where the payload of Debian's images begins


def resum(image):
    """Makes the checksum of a changed kwb main header right: the sum of its first 31 bytes."""
    image[HEADER - 1] = sum(image[:HEADER - 1]) & 0xFF
    return image


class Case(lab.TestCase):

    def setUp(self):
        self.directory.mkdir(parents=True, exist_ok=True)

    def file(self, name, data):
        path = self.directory / name
        path.write_bytes(data)
        return path

    def fails(self, command, *words, status):
        """A command must end with the status and one line of error that has all the words."""
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=lab.HANG, check=False, cwd=lab.ROOT)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)


class Command(Case):
    """./mvlab"""

    def mvlab(self, *arguments, words):
        self.fails([sys.executable, lab.ROOT / "mvlab", *arguments], *words, status=2)

    def test_verbs_and_options(self):
        for arguments, words in (
                (["fly"], ["fly"]),
                ([], ["VERB"]),
                (["boot", "--bord", "sheevaplug"], ["--bord"]),
                (["boot", "--board", "pogoplug"], ["--board", "pogoplug", "sheevaplug"]),
                (["path", "moon"], ["moon", "kernel"]),
                (["path", "uboot", "--board", "openrd-client"], ["openrd-client", "sheevaplug"]),
                (["boot", "--uboot", "--board", "openrd-client"], ["openrd-client", "sheevaplug"]),
                (["boot", "--uboot", "--kernel", lab.guest.KERNEL], ["--uboot", "--kernel"]),
                (["boot", "--tap", "no-such-tap"], ["--tap", "no-such-tap"]),
                (["boot", "--tap", "lo"], ["--tap", "lo"]),
                (["boot", "--tap", "lo", "--peer"], ["--tap", "--peer"]),
                (["boot", "--peer", "windoe=4096"], ["--peer windoe=4096", "windoe"]),
                (["boot", "--peer", "ack=often"], ["--peer ack=often", "ack"]),
                (["boot", "--peer", ","], ["--peer ,"]),
                (["boot", "--pcap", "/no/such/directory/file.pcap"], ["--pcap", "/no/such/directory/file.pcap"]),
                (["boot", "--pcap", "/"], ["--pcap", "/", "directory"]),
                (["boot", "--pcap", ""], ["--pcap", "empty"]),
                (["boot", "--kernel", ""], ["--kernel", "empty"]),
                (["boot", "--tap", ""], ["--tap", "empty"]),
                (["run", "--json", "/"], ["--json", "/", "directory"]),
                (["run", "--json", "/proc/result.json"], ["--json", "/proc/result.json"]),
                (["run", "--json", "/no/such/directory/result.json"], ["--json", "/no/such/directory/result.json"])):
            with self.subTest(" ".join(map(str, arguments))):
                self.mvlab(*arguments, words=words)

    def test_files(self):
        empty, text = self.file("empty", b""), self.file("text", b"This is no image at all. " * 40)
        cut = self.file("cut.dtb", lab.guest.dtb("sheevaplug").read_bytes()[:1000])
        for option in ("--kernel", "--dtb", "--initrd", "--uboot"):
            for path in (self.directory / "missing", self.directory, empty, text):
                with self.subTest(option, path=path.name):
                    self.mvlab("boot", option, path, words=[option, path])
        for path in (self.directory / "missing", self.directory, empty):
            with self.subTest("--drive", path=path.name):
                self.mvlab("boot", "--drive", path, words=["--drive", path])
        with self.subTest("--dtb", path=cut.name):
            self.mvlab("boot", "--dtb", cut, words=["--dtb", cut, "truncated"])
        with self.subTest("--kernel", path="device tree"):
            self.mvlab("boot", "--kernel", lab.guest.dtb("sheevaplug"), words=["--kernel", "zImage"])


class Qemu(Case):
    """The machines themselves, whatever starts them."""

    def qemu(self, *arguments, words):
        self.fails([lab.EMULATOR, "-M", "sheevaplug", "-display", "none", "-monitor", "none", "-serial", "none", *arguments], *words, status=1)

    def test_ram_sizes(self):
        for size in ("1M", "100M", "2G", "3G", "1000M"):
            with self.subTest(size=size):
                self.qemu("-m", size, words=["RAM size", "MiB"])

    def test_more_than_one_cpu(self):
        self.qemu("-smp", "2", words=["CPUs", "sheevaplug"])

    def test_kernel_and_firmware_exclude_each_other(self):
        self.qemu("-bios", lab.guest.uboot("sheevaplug"), "-kernel", lab.guest.KERNEL, words=["-bios", "-kernel"])

    def kwb(self, image, *words):
        path = self.file("image.kwb", bytes(image))
        self.qemu("-bios", path, words=[path, *words])

    def test_boot_images(self):
        good = lab.guest.uboot("sheevaplug").read_bytes()
        size = struct.unpack_from("<I", good, SIZE_AT)[0]

        def changed(offset, form, value):
            image = bytearray(good)
            struct.pack_into(form, image, offset, value)
            return resum(image)

        header_sum, payload = bytearray(good), bytearray(good)
        header_sum[HEADER - 1] ^= 0xFF
        payload[EXTENDED + 1000] ^= 1
        with self.subTest("missing"):
            self.qemu("-bios", self.directory / "missing.kwb", words=["missing.kwb"])
        for name, image, words in (
                ("empty", b"", ["short"]), ("31 bytes", good[:31], ["31", "short"]), ("text", b"Not a boot image" * 100, ["0x4e"]),
                ("header checksum", header_sum, ["checksum"]), ("payload checksum", payload, ["payload checksum"]),
                ("truncated", good[:len(good) // 2], ["truncated"]), ("no boot device", changed(0, "<B", 0x00), ["0x00"]),
                ("size not of words", changed(SIZE_AT, "<I", size - 2), ["payload size"]),
                ("source beyond the file", changed(SOURCE_AT, "<I", 0x7FFFFFFC), []),
                ("size beyond the file", changed(SIZE_AT, "<I", 0xFFFFFFFC), [])):
            with self.subTest(name):
                self.kwb(image, *words)


if __name__ == "__main__":
    lab.main()
