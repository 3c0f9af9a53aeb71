# SPDX-License-Identifier: GPL-2.0-or-later
"""Good images pass the checks, whatever their packing."""
import struct
import tempfile
import unittest
from pathlib import Path

import tapmain
from mvlab_lib import images


class Good(unittest.TestCase):
    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "image"

    def check(self, function, content):
        self.path.write_bytes(content)
        function(self.path)

    def test_kernels(self):
        self.check(images.kernel, bytes(0x24) + bytes.fromhex("18286f01") + bytes(100))
        self.check(images.kernel, bytes.fromhex("27051956") + bytes(100))

    def test_dtb(self):
        self.check(images.dtb, struct.pack(">II", 0xD00DFEED, 64) + bytes(56))

    def test_initrds(self):
        for start in ("303730373031", "1f8b08", "fd377a585a00", "28b52ffd", "27051956"):
            self.check(images.initrd, bytes.fromhex(start) + bytes(100))

    def test_uboot(self):
        header = bytes([0x8B]) + bytes(30)
        self.check(images.uboot, header + bytes([0x8B]) + bytes(480))

    def test_disk_formats(self):
        self.path.write_bytes(b"QFI\xfb" + bytes(100))
        self.assertEqual(images.disk_format(self.path), "qcow2")
        self.path.write_bytes(bytes(512))
        self.assertEqual(images.disk_format(self.path), "raw")


if __name__ == "__main__":
    tapmain.main()
