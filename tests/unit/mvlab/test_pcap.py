# SPDX-License-Identifier: GPL-2.0-or-later
"""Capture files in both byte orders, unfinished ones, and the octets of frames."""
import struct
import tempfile
import unittest
from pathlib import Path

import tapmain
from mvlab_lib import pcap


class Pcap(unittest.TestCase):
    FRAMES = [bytes(42), b"\xaa" * 1514]

    def read(self, order, cut=0):
        data = struct.pack(order + "IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65536, 1)
        for frame in self.FRAMES:
            data += struct.pack(order + "IIII", 0, 0, len(frame), len(frame)) + frame
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "x.pcap"
        path.write_bytes(data[:len(data) - cut])
        return pcap.frames(path)

    def test_both_orders(self):
        self.assertEqual(self.read("<"), self.FRAMES)
        self.assertEqual(self.read(">"), self.FRAMES)

    def test_unfinished_record(self):
        self.assertEqual(self.read("<", 1), self.FRAMES[:1])
        self.assertEqual(self.read("<", 1520), self.FRAMES[:1])

    def test_octets(self):
        """IEEE 802.3: 60 bytes at least, and 4 of FCS."""
        self.assertEqual(pcap.octets(self.FRAMES), 64 + 1518)


if __name__ == "__main__":
    tapmain.main()
