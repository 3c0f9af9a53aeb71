#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every access obeys the Domain Access Control Register in force: a bare-metal program tries them all (domains/domains.c)."""
import re
import subprocess
import unittest

import lab
from domains.build import build
from mvlab_lib import flavours
from mvlab_lib.build import Variant

PARTS = ["walk", "window", "skipped", "far", "mixed"]


def run_image(emulator, image):
    """The exit status that the program gave, and what it printed."""
    done = subprocess.run([emulator, "-M", "sheevaplug", "-nodefaults", "-display", "none", "-monitor", "none", "-serial",
                           "none", "-semihosting-config", "enable=on,target=native", "-kernel", image],
                          capture_output=True, text=True, check=False, timeout=lab.HANG)
    return done.returncode, done.stdout + done.stderr


def wrong(output):
    """{part: (accesses, wrong ones)} of the program's output."""
    found = re.findall(r"^domains: (\w+): accesses (\w+), wrong (\w+)$", output, re.MULTILINE)
    return {name: (int(accesses, 16), int(failed, 16)) for name, accesses, failed in found}


class Domains(lab.TestCase):
    """The same program on QEMU with the patches of qemu/patches, without, and with a change that must make it fail."""

    def setUp(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        self.image = self.directory / "domains.elf"
        build(self.image)

    def assert_right(self, emulator):
        status, output = run_image(emulator, self.image)
        results = wrong(output)
        for part in PARTS:
            with self.subTest(part):
                self.assertIn(part, results, output)
                accesses, failed = results[part]
                self.assertGreater(accesses, 0)
                self.assertEqual(failed, 0, output)
        self.assertEqual(status, 0, output)

    def test_every_access_is_checked(self):
        self.assert_right(lab.EMULATOR)

    @unittest.skipUnless(lab.FULL, "long: only with --full")
    def test_unpatched(self):
        self.assert_right(flavours.ready(flavours.of(Variant(), flavours.UNPATCHED)))

    @unittest.skipUnless(lab.FULL, "long: only with --full")
    def test_never_flushing_is_noticed(self):
        status, output = run_image(flavours.ready(flavours.of(Variant(), flavours.NEVER_FLUSH)), self.image)
        self.assertEqual(status, 1, output)
        self.assertGreater(wrong(output)["walk"][1], 0, output)


if __name__ == "__main__":
    lab.main()
