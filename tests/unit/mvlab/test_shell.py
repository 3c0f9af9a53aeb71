# SPDX-License-Identifier: GPL-2.0-or-later
"""Locks: the second waits, or is refused."""
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import tapmain
from mvlab_lib import shell
from mvlab_lib.errors import Error


class Locks(unittest.TestCase):
    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "new/lock"

    def test_refused(self):
        with shell.locked(self.path), self.assertRaisesRegex(Error, "^taken$"), shell.locked(self.path, "taken"):
            self.fail("two hold it")
        with shell.locked(self.path, "taken"):
            pass

    def test_waiting_is_said(self):
        said, order = threading.Event(), []

        def second():
            with shell.locked(self.path):
                order.append("second")
        with mock.patch.object(shell, "say", lambda text: said.set()):
            with shell.locked(self.path):
                thread = threading.Thread(target=second)
                thread.start()
                self.assertTrue(said.wait(60))
                order.append("first")
            thread.join()
        self.assertEqual(order, ["first", "second"])


if __name__ == "__main__":
    tapmain.main()
