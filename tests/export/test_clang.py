# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU with the overlay, and the qtests, build with clang without a warning."""
import unittest

import tapmain
from mvlab_lib import build
from mvlab_lib.testing import QTESTS


class Clang(unittest.TestCase):
    def test_builds(self):
        variant = build.Variant(compiler="clang")
        self.assertIn("--enable-werror", variant.options)
        build.build(variant, (build.EMULATOR, QTESTS))
        self.assertTrue(variant.emulator.exists())


if __name__ == "__main__":
    tapmain.main()
