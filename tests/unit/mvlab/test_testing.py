# SPDX-License-Identifier: GPL-2.0-or-later
"""How results are counted: crashes too, and a skip whose reason README.md does not name is a problem."""
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tapmain
from mvlab_lib import testing

JUNIT = """<testsuites><testsuite name="mvlab.s">
<testcase name="1 a" classname="mvlab.s"/>
<testcase name="2 b" classname="mvlab.s"><failure/></testcase>
<testcase name="3 c" classname="mvlab.s"><error>Test did not finish</error></testcase>
<testcase name="4 d" classname="mvlab.s"><skipped/><system-out>known reason</system-out></testcase>
<testcase name="5 e" classname="mvlab.s"><skipped/><system-out>new reason</system-out></testcase>
<testcase name="functional-w" classname="mvlab"><skipped/><system-out>1..0 # SKIP known reason
</system-out></testcase>
</testsuite><testsuite name="mvlab.t"><testcase name="1 f" classname="mvlab.t"/></testsuite>
<testsuite name="mvlab.x"><testcase name="1 - g" classname="mvlab.mvlab:unit / x"><failure/></testcase></testsuite>
<testsuite name="mvlab"><testcase name="mvlab:unit / u" classname="mvlab"><failure/></testcase></testsuite></testsuites>
"""
PROGRAMS = [("s", "FAIL"), ("t", "ERROR"), ("u", "FAIL"), ("v", "OK"), ("x", "ERROR")]


class Counting(unittest.TestCase):
    def test_counts(self):
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "README.md").write_text("- `known reason`: because\n")
        (directory / "x.xml").write_text(JUNIT)
        (directory / "x.json").write_text("".join(
            json.dumps({"name": f"mvlab:unit / {name}", "result": result}) + "\n" for name, result in PROGRAMS))
        with mock.patch.object(testing, "ROOT", directory):
            count = testing.read(directory / "x.xml", directory / "x.json")
        self.assertEqual((count.passed, count.failed, count.skipped), (2, 5, 3))
        self.assertIn("skipped for a reason that README.md does not name: mvlab.s: 5 e (new reason)", count.problems)
        self.assertIn("failed: t: error outside its test cases", count.problems)
        self.assertEqual(len(count.problems), 6)


if __name__ == "__main__":
    tapmain.main()
