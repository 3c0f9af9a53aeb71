# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that results go to: whatever they are, nothing is lost, and what cannot be written is said before the work."""
import errno
import json
import os
import resource
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tapmain
from mvlab_lib import arguments, files
from mvlab_lib.errors import Error
from mvlab_lib.paths import ROOT

ROW = {"context": "idle", "function": "f" * 9000, "instructions": 1, "calls": 1}
RESULT = {"format": "mvlab funcprof 1", "errors": [], "doubts": {}, "regions": [{"complete": True, "instructions": 1, "rows": [ROW]}]}
PAGES = 8192     # more than a trial writes, less than the result's JSON


class Case(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.out = self.directory / "out"

    def file(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path

    def names(self):
        return sorted(path.name for path in self.directory.iterdir())


class Command(Case):
    """`./mvlab prof --show` writes files and needs no QEMU."""

    def setUp(self):
        super().setUp()
        self.result = self.file("result", json.dumps(RESULT))

    def show(self, *options, result=None, largest=None, **streams):
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))) if largest is not None else None
        return subprocess.run([sys.executable, ROOT / "mvlab", "prof", "--show", result or self.result, *options], preexec_fn=limit,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False, **({"stdout": subprocess.PIPE} | streams))

    def shown(self, *options, **streams):
        done = self.show(*options, **streams)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, words, done):
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def refused_before(self, path, *words, **options):
        """Without a result, what is refused is the file, not the result."""
        self.refused([f"--json {path}", *words], self.show("--json", path, result=self.directory / "none", **options))

    def test_a_new_file(self):
        self.shown("--json", self.out)
        self.assertEqual(json.loads(self.out.read_text())["instructions"], 1)
        self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), stat.S_IMODE(self.result.stat().st_mode))
        self.assertEqual(self.names(), ["out", "result"])

    def test_a_file_keeps_its_permissions(self):
        self.file("out", "old").chmod(0o640)
        self.shown("--json", self.out)
        self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), 0o640)

    def test_a_file_beside_it_is_not_touched(self):
        self.file("out.new", "mine")
        self.shown("--json", self.out)
        self.assertEqual((self.directory / "out.new").read_text(), "mine")

    def test_a_link_stays(self):
        target = self.file("target", "old")
        self.out.symlink_to(target)
        self.shown("--json", self.out)
        self.assertTrue(self.out.is_symlink())
        json.loads(target.read_text())

    def test_a_link_to_a_device(self):
        self.out.symlink_to("/dev/null")
        self.shown("--json", self.out)
        self.assertTrue(self.out.is_symlink())

    def test_a_pipe_with_a_reader(self):
        os.mkfifo(self.out)
        with subprocess.Popen(["cat", self.out], stdout=subprocess.PIPE) as reader:
            self.shown("--json", self.out)
            json.loads(reader.communicate(timeout=60)[0])
        self.assertTrue(stat.S_ISFIFO(self.out.stat().st_mode))

    def test_a_pipe_without_a_reader_holds_nothing_up(self):
        os.mkfifo(self.out)
        self.refused(["none: No such file"], self.show("--json", self.out, result=self.directory / "none"))

    def test_standard_output(self):
        self.out.symlink_to("/dev/stdout")
        for name in ("pipe", "file"):
            with self.subTest(name), open(self.directory / "stdout", "w+", encoding="utf-8") as file:
                text = self.shown("--json", self.out, **({"stdout": file} if name == "file" else {}))
                text = text or (self.directory / "stdout").read_text()
                found, end = json.JSONDecoder().raw_decode(text)
                self.assertEqual((found["instructions"], text[end:].splitlines()[0]), (1, "1 instructions"))

    def test_a_reader_that_goes(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.shown("--json", self.out, "--folded", self.directory / "folded", stdout=writer)
        os.close(writer)
        json.loads(self.out.read_text())
        self.assertTrue((self.directory / "folded").read_text().startswith("idle;"))

    def test_standard_output_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.show("--json", self.out, stdout=full)
        self.assertEqual((done.returncode, done.stderr), (2, "mvlab: standard output: No space left on device\n"))
        json.loads(self.out.read_text())

    def test_long_names(self):
        self.shown("--json", self.directory / ("n" * 255))
        self.refused_before(self.directory / ("n" * 256), "too long")

    def test_refused_before_the_work(self):
        self.refused_before(self.directory, "Is a directory")
        self.refused_before(self.out / "below", "no such directory")
        self.out.symlink_to(self.out)
        self.refused_before(self.out, "Too many levels")

    def test_no_room_for_anything(self):
        self.file("out", "old")
        self.refused_before(self.out, "File too large", largest=0)
        self.assertEqual((self.out.read_text(), self.names()), ("old", ["out", "result"]))

    def test_no_room_for_all(self):
        """The old file stays, nothing else does, the other file and the table are there."""
        self.file("out", "old")
        done = self.show("--folded", self.directory / "folded", "--json", self.out, result=self.file("many", json.dumps(RESULT)),
                         largest=PAGES)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn(f"{self.out}: File too large", done.stderr)
        self.assertIn("1 instructions", done.stdout)
        self.assertEqual((self.out.read_text(), self.names()), ("old", ["many", "out", "result"]))


class Replacing(Case):
    """Files that cannot be replaced are written: mount points, and files in directories where nothing can be made."""

    def failing(self, name, number):
        self.enterContext(mock.patch.object(Path, name, side_effect=OSError(number, os.strerror(number))))

    def test_a_mount_point(self):
        self.file("out", "old")
        self.failing("replace", errno.EBUSY)
        arguments.check_writable("--json", self.out)
        files.write_atomically(self.out, "new")
        self.assertEqual((self.out.read_text(), self.names()), ("new", ["out"]))

    def test_a_full_file_system_is_no_reason_to_cut_a_file(self):
        self.file("out", "old")
        self.failing("replace", errno.ENOSPC)
        with self.assertRaises(OSError) as caught:
            files.write_atomically(self.out, "new")
        self.assertEqual((caught.exception.filename, self.out.read_text(), self.names()), (str(self.out), "old", ["out"]))

    def test_a_closed_directory(self):
        closed = PermissionError(errno.EACCES, "Permission denied")
        self.enterContext(mock.patch.object(files, "beside", side_effect=closed))
        with self.assertRaisesRegex(Error, f"--json {self.out}: Permission denied"):
            arguments.check_writable("--json", self.out)
        self.file("out", "old")
        arguments.check_writable("--json", self.out)
        files.write_atomically(self.out, "new")
        self.assertEqual(self.out.read_text(), "new")

    def test_bytes(self):
        files.write_atomically(self.out, b"\0\xff")
        self.assertEqual(self.out.read_bytes(), b"\0\xff")


class Reports(Case):
    def test_one_file_that_fails_takes_nothing_away(self):
        with mock.patch("builtins.print") as printed, self.assertRaisesRegex(Error, f"{self.directory}: Is a directory"):
            files.report("table", [(self.directory, "a"), (None, "b"), (self.out, "c")])
        self.assertEqual((self.out.read_text(), printed.call_args.args), ("c", ("table",)))


if __name__ == "__main__":
    tapmain.main()
