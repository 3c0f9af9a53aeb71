#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Virtual time under icount depends on the guest alone: a bare-metal program that waits for timers (icount/wfi.S) takes the
same time in every run, whatever else the host does.
"""
import os
import subprocess
import sys
import unittest
from pathlib import Path

import lab
from domains.build import COMPILER
from mvlab_lib import flavours
from mvlab_lib.build import Variant

SOURCE = Path(__file__).absolute().parent / "icount/wfi.S"
FLAGS = ["-march=armv5te", "-nostdlib", "-static", "-Wl,-Ttext=0x8000,--build-id=none,-z,noexecstack"]
RUNS = {1: 20, 7: lab.scaled(5, 20)}    # of each shift: 2 ns and 128 ns an instruction


class Load:
    """A context in which other processes want the host's CPUs, all of them."""

    def __enter__(self):
        command = [sys.executable, "-c", "while True: pass"]
        self.processes = [subprocess.Popen(command) for _ in range(os.cpu_count())]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def end_time(emulator, image, shift):
    """What the program prints at its end: a timer register that tells the virtual time."""
    done = subprocess.run([emulator, "-M", "sheevaplug", "-nodefaults", "-display", "none", "-monitor", "none", "-serial",
                           "stdio", "-no-reboot", "-icount", f"shift={shift},sleep=off", "-kernel", image],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=lab.HANG)
    return int(done.stdout, 16)


class Repeats(lab.TestCase):
    """The program on QEMU with its icount patch, and without it."""

    def setUp(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        self.image = self.directory / "wfi.elf"
        subprocess.run([COMPILER, *FLAGS, "-o", self.image, SOURCE], check=True)

    def test_every_run_takes_the_same_time(self):
        for shift, runs in RUNS.items():
            with self.subTest(shift=shift), Load():
                self.assertEqual(len({end_time(lab.EMULATOR, self.image, shift) for _ in range(runs)}), 1)

    @unittest.skipUnless(lab.FULL, "long: only with --full")
    def test_without_the_patch_runs_differ(self):
        emulator = flavours.ready(flavours.of(Variant(), flavours.EARLY_WARP))
        with Load():
            self.assertGreater(len({end_time(emulator, self.image, 1) for _ in range(20)}), 1)


if __name__ == "__main__":
    lab.main()
