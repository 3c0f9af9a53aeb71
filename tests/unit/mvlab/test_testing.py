# SPDX-License-Identifier: GPL-2.0-or-later
"""How results are counted: a skip whose reason README.md does not name is a problem."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tapmain
from mvlab_lib import testing

JUNIT = """<testsuites><testsuite name="s">
<testcase name="1 a" classname="s"/>
<testcase name="2 b" classname="s"><failure/></testcase>
<testcase name="3 c" classname="s"><error>Test did not finish</error></testcase>
<testcase name="4 d" classname="s"><skipped/><system-out>known reason</system-out></testcase>
<testcase name="5 e" classname="s"><skipped/><system-out>new reason</system-out></testcase>
</testsuite></testsuites>
"""


class Counting(unittest.TestCase):
    def test_counts(self):
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "README.md").write_text("- `known reason`: because\n")
        (directory / "x.xml").write_text(JUNIT)
        with mock.patch.object(testing, "ROOT", directory):
            count = testing.read(directory / "x.xml")
        self.assertEqual((count.passed, count.failed, count.skipped), (1, 2, 2))
        self.assertEqual(len(count.problems), 3)
        self.assertIn("skipped for a reason that README.md does not name: s: 5 e (new reason)", count.problems)


if __name__ == "__main__":
    tapmain.main()
