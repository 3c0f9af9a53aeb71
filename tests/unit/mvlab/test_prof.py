# SPDX-License-Identifier: GPL-2.0-or-later
"""`./mvlab prof` without QEMU: one run at a time has the directory, and an old result is never taken for a new one."""
import argparse
import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tapmain
from mvlab_lib import prof, shell
from mvlab_lib.errors import Error

RESULT = {"format": "mvlab funcprof 1", "errors": [], "doubts": {}, "regions": [{"complete": True, "instructions": 0, "rows": []}]}


class Runs(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("build", "testing", "guest", "initramfs", "Board", "options"):
            self.enterContext(mock.patch.object(prof, name))
        self.enterContext(mock.patch.object(prof, "DIRECTORY", self.directory))
        self.shown = self.enterContext(mock.patch("builtins.print"))

    def main(self, qemu):
        args = argparse.Namespace(script="true", show=None, prepare="", board="sheevaplug", shift=1, top=1, json=None, folded=None,
                                  rest=[], with_peers=False, sanitize=False, cc="gcc")
        with mock.patch.object(subprocess, "run", qemu), mock.patch.object(prof.initramfs, "with_job"):
            prof.Board.return_value.options.return_value = []
            prof.options.return_value = []
            return prof.main(args)

    def test_one_at_a_time(self):
        def qemu(command, **_):
            with self.assertRaisesRegex(Error, "taken"), shell.locked(self.directory / "lock", "taken"):
                self.fail("two runs at once")
            (self.directory / "result.json").write_text(json.dumps(RESULT))
            return subprocess.CompletedProcess(command, 0)
        self.assertEqual(self.main(qemu), 0)

    def test_an_old_result_is_not_a_new_one(self):
        (self.directory / "result.json").write_text(json.dumps(RESULT))
        with self.assertRaisesRegex(Error, "result.json: No such file"):
            self.main(lambda command, **_: subprocess.CompletedProcess(command, 0))


if __name__ == "__main__":
    tapmain.main()
