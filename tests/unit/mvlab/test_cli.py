# SPDX-License-Identifier: GPL-2.0-or-later
"""What a user types wrong is answered with one line and status 2, before anything is built."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tapmain
from mvlab_lib.paths import ROOT


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_mvlab(self, *arguments):
        env = {**os.environ, "XDG_CACHE_HOME": str(self.directory)}
        return subprocess.run([sys.executable, ROOT / "mvlab", *map(str, arguments)], capture_output=True, text=True,
                              env=env, check=False)

    def refused(self, text, *arguments):
        done = self.run_mvlab(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def file(self, name, content):
        path = self.directory / name
        path.write_bytes(content)
        return path

    def test_help_has_an_example_for_each_verb(self):
        done = self.run_mvlab("--help")
        self.assertEqual(done.returncode, 0)
        for verb in ("setup", "run", "test", "exp", "boot", "qemu", "path"):
            self.assertIn(f"./mvlab {verb}", done.stdout)

    def test_no_verb(self):
        self.refused("VERB", *())

    def test_unknown_verb(self):
        self.refused("fly", "fly")

    def test_unknown_option(self):
        self.refused("--speed", "run", "--speed")

    def test_unknown_board(self):
        self.refused("raspi", "boot", "--board", "raspi")

    def test_bench_guest(self):
        directory = self.directory / "none/file"
        for text, *arguments in [("'sleep'", "--rows", "dd,sleep"), ("no row ''", "--rows="), ("--runs: '0'", "--runs", "0"),
                                 ("--runs: '²'", "--runs", "²"), ("--seconds: '-1'", "--seconds", "-1"),
                                 ("--rounds: '1.5'", "--rounds", "1.5"), (f"{directory}: no such directory", "--json", directory),
                                 ("is empty", "--json="), ("--run ", "--run", "1")]:
            with self.subTest(arguments):
                self.refused(text, "bench", "guest", *arguments)

    def test_missing_kernel(self):
        self.refused("/no/kernel: No such file", "boot", "--kernel", "/no/kernel")

    def test_kernel_is_a_directory(self):
        self.refused("Is a directory", "boot", "--kernel", self.directory)

    def test_wrong_kernel(self):
        self.refused("neither a zImage nor a uImage", "boot", "--kernel", self.file("k", bytes(600)))

    def test_empty_dtb(self):
        self.refused("is empty", "boot", "--dtb", self.file("d", b""))

    def test_truncated_dtb(self):
        self.refused("truncated", "boot", "--dtb", self.file("d", bytes.fromhex("d00dfeed00001000") + bytes(100)))

    def test_wrong_initrd(self):
        self.refused("cpio", "boot", "--initrd", self.file("i", b"hello, world"))

    def test_wrong_uboot(self):
        self.refused("not a kwb", "boot", "--uboot", self.file("u", b"\x7fELF" + bytes(600)))

    def test_uboot_header_checksum(self):
        self.refused("checksum", "boot", "--uboot", self.file("u", b"\x8b" + bytes(30) + b"\x00" + bytes(600)))

    def test_uboot_with_kernel(self):
        self.refused("exclude each other", "boot", "--uboot", "--kernel", "x")

    def test_board_without_uboot(self):
        self.refused("no U-Boot for openrd-client", "boot", "--uboot", "--board", "openrd-client")

    def test_missing_tap(self):
        self.refused("no such interface", "boot", "--tap", "mvlab-none")

    def test_tap_is_no_tap(self):
        self.refused("not a tap", "boot", "--tap", "lo")

    def test_missing_drive(self):
        self.refused("No such file", "boot", "--drive", "/no/disk")

    def test_pcap_into_nowhere(self):
        self.refused("no such directory", "boot", "--pcap", "/no/where/x.pcap")

    def test_json_into_nowhere(self):
        self.refused("no such directory", "run", "--json", "/no/where/x.json")

    def test_unknown_path(self):
        self.refused("rootfs", "path", "rootfs")

    def test_export_into_full_directory(self):
        self.file("x", b"x")
        self.refused("not an empty directory", "setup", "--export", self.directory)

    def test_no_experiment(self):
        self.refused("EXPERIMENT", "exp")

    def test_unknown_experiment(self):
        self.refused("warp", "exp", "warp")

    def test_experiment_options(self):
        for arguments, word in ((["--rows", "core-10-s1"], "no row 'core-10-s1'"), (["--rows", ""], "empty"),
                                (["--size", "0"], "'0': must be from"), (["--size", "64k"], "64k"), (["--jobs", "0"], "--jobs"),
                                (["--timestamps", "maybe"], "maybe"), (["--full", "--size", "8M"], "--full and --size"),
                                (["--sweep", "--rows", "none-100-s1"], "none-100-s1"),
                                (["--output", ""], "empty"), (["--output", "/proc/none"], "/proc/none"),
                                (["--output", self.file("file", b"")], "--output")):
            with self.subTest(str(arguments)):
                self.refused(word, "exp", "tso", *arguments)

    def test_numbers(self):
        digit = "\N{FULLWIDTH DIGIT EIGHT}"
        for verb, option, values in ((["prof", "true"], "--top", ("-5", "0", "", "1.5", digit)),
                                     (["prof", "true"], "--shift", ("11", "-1", digit)),
                                     (["exp", "tso"], "--size", (f"{digit}M",)), (["exp", "tso"], "--jobs", (digit, "65")),
                                     (["bench", "guest"], "--runs", (digit,)), (["bench", "wire"], "--seconds", (digit, "0")),
                                     (["bench", "gso"], "--rounds", (digit, "0", "102"))):
            for value in values:
                with self.subTest(f"{verb} {option}={value}"):
                    self.refused(f"{option}: {value!r}: must be", *verb, f"{option}={value}")

    def test_nothing_may_stand_after_the_options(self):
        for arguments in (["exp", "tso"], ["path", "dtb"], ["run"], ["setup"], ["bench", "guest"], ["bench", "gso"], ["bench", "wire"],
                          ["prof", "--show", "/no/result"]):
            with self.subTest(str(arguments)):
                self.refused("nothing may stand after --: '-x'", *arguments, "--", "-x")

    def test_empty_file_names(self):
        for option, *arguments in (("--show", "prof"), ("--json", "prof", "true"), ("--folded", "prof", "true"), ("--json", "run"),
                                   ("--export", "setup"), ("--cc", "path", "dtb")):
            with self.subTest(f"{arguments} {option}"):
                self.refused(f"{option}: the value is empty", *arguments, option, "")

    def test_wrong_qemu_src(self):
        os.environ["QEMU_SRC"] = "/"
        self.addCleanup(os.environ.pop, "QEMU_SRC")
        self.refused("not a QEMU source tree", "qemu")


if __name__ == "__main__":
    tapmain.main()
