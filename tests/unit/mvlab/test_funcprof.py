# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of the funcprof plugin: sums, tables, folded stacks, and files that are none."""
import copy
import json
import random
import tempfile
import unittest
from pathlib import Path

import tapmain
from mvlab_lib import funcprof
from mvlab_lib.errors import Error

ROWS = [
    {"context": "process", "program": "sh", "function": "vfs_read", "instructions": 70, "calls": 7},
    {"context": "process", "program": "cat", "function": "vfs_read", "instructions": 30, "calls": 1},
    {"context": "process", "program": "cat", "function": "[user]", "instructions": 40, "calls": 0},
    {"context": "softirq", "function": "poll", "module": "mv643xx_eth", "instructions": 50, "calls": 5},
    {"context": "idle", "function": "do_idle", "instructions": 10, "calls": 1},
]
REGION = {"complete": True, "instructions": 200, "guest_ns": 1000, "rows": ROWS}
STACKED = {**REGION, "stacks": [["idle;do_idle", 200]]}
GOOD = {"format": "mvlab funcprof 1", "functions": 3, "instructions": 500, "errors": [], "doubts": {}, "regions": [REGION, REGION]}


class Results(unittest.TestCase):
    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "result.json"

    def read(self, data=None):
        self.path.write_text(json.dumps(GOOD if data is None else data))
        return funcprof.read(self.path)

    def refused(self, pattern, **changes):
        with self.assertRaisesRegex(Error, pattern) as caught:
            self.read({**GOOD, **changes})
        self.assertNotIn("\n", str(caught.exception))

    def test_regions(self):
        first, second = self.read()
        self.assertEqual(first, second)
        self.assertEqual(first.instructions, 200)
        self.assertEqual(first.by_context(), {"process": 140, "softirq": 50, "hardirq": 0, "idle": 10})
        self.assertEqual(list(first.by_program().items()), [("cat", 70), ("sh", 70)])
        self.assertEqual(first.calls("vfs_read"), 8)
        self.assertEqual([(row.name, row.instructions, row.calls) for row in first.by_function()],
                         [("vfs_read", 100, 8), ("poll [mv643xx_eth]", 50, 5), ("[user]", 40, 0), ("do_idle", 10, 1)])

    def test_sum(self):
        total = funcprof.add(self.read())
        self.assertEqual((total.instructions, total.regions, total.guest_ns, len(total.rows)), (400, 2, 2000, len(ROWS)))
        self.assertEqual(total.by_context(), {"process": 280, "softirq": 100, "hardirq": 0, "idle": 20})
        self.assertEqual(total.calls("poll"), 10)
        self.assertEqual(sum(row["instructions"] for row in funcprof.as_json(total)["rows"]), 400)

    def test_asleep(self):
        """1000 ns, 200 instructions of 4 ns."""
        self.assertEqual(self.read()[0].asleep_ns(2), 200)

    def test_without_clock(self):
        silent = {name: value for name, value in REGION.items() if name != "guest_ns"}
        total = funcprof.add(self.read({**GOOD, "regions": [REGION, silent]}))
        self.assertEqual((total.guest_ns, total.asleep_ns(1)), (None, None))

    def test_folded(self):
        self.assertEqual(funcprof.folded(self.read()[0]),
                         ["process;sh;vfs_read 70", "softirq;poll [mv643xx_eth] 50", "process;cat;[user] 40", "process;cat;vfs_read 30",
                          "idle;do_idle 10"])

    def test_folded_names_cannot_make_levels(self):
        region = {**REGION, "instructions": 1, "rows": [{**ROWS[0], "program": "a;b", "instructions": 1}]}
        self.assertEqual(funcprof.folded(self.read({**GOOD, "regions": [region]})[0]), ["process;a:b;vfs_read 1"])

    def test_stacks(self):
        stacks = [["process;cat;sys_read", 10], ["process;cat;sys_read;vfs_read", 190]]
        first = {**REGION, "stacks": stacks}
        second = {**REGION, "stacks": [["idle;do_idle", 1], ["process;cat;sys_read;vfs_read", 199]]}
        self.assertEqual(funcprof.folded(funcprof.add(self.read({**GOOD, "regions": [first, second]}))),
                         ["idle;do_idle 1", "process;cat;sys_read 10", "process;cat;sys_read;vfs_read 389"])
        self.assertEqual(funcprof.add(self.read({**GOOD, "regions": [first, REGION]})).stacks, ())
        self.refused("region 0: the stacks have not 200", regions=[{**REGION, "stacks": stacks[:1]}])

    def test_table(self):
        lines = funcprof.table(funcprof.add(self.read()), 2)
        self.assertEqual(lines[0], "400 instructions in 2 regions")
        self.assertIn("            280   70.0%  process", lines)
        self.assertIn("            100   25.0%          10      10.0  poll [mv643xx_eth]", lines)
        self.assertNotIn("do_idle", lines[-1])

    def test_wrong_results_are_refused(self):
        self.refused("^.*result.json: symbols: No such file", errors=["symbols: No such file"])
        self.refused("doubtful: contexts nested too deeply .3 times", doubts={"contexts nested too deeply": 3})
        self.refused("no region", regions=[])
        self.refused("region 1 has no end", regions=[REGION, {**REGION, "complete": False}])
        self.refused("200 instructions in rows, 201 in all", regions=[{**REGION, "instructions": 201}])
        self.refused("format 'x'", format="x")
        self.refused("KeyError", regions=[{}])

    def test_nested_too_deep(self):
        for text in ("[" * 100_000, '{"a":' * 100_000):
            self.path.write_text(text)
            with self.assertRaisesRegex(Error, "not a result of funcprof"):
                funcprof.read(self.path)

    def test_counts_beyond_64_bits(self):
        self.refused("is not a count", regions=[{**REGION, "guest_ns": 10**400}])

    def test_no_file(self):
        with self.assertRaisesRegex(Error, "none: No such file"):
            funcprof.read(self.path.with_name("none"))

    def test_damaged_files(self):
        """Whatever the file holds: a result or one line."""
        good, rand = json.dumps(GOOD), random.Random(1)
        for _ in range(3000):
            at = rand.randrange(len(good))
            self.path.write_text(good[:at] + rand.choice(['"', "{", "]", "1", "-", "null", "", "x"]) + good[at + rand.randrange(4):])
            try:
                funcprof.read(self.path)
            except Error as err:
                self.assertNotIn("\n", str(err))

    def test_damaged_values(self):
        """A value of another type anywhere."""
        good = {**GOOD, "regions": [REGION, STACKED]}
        for path in paths(good):
            for value in (None, -1, "x", [], {}, [1], {"a": 1}, 1.5, True):
                data = copy.deepcopy(good)
                place(data, path, value)
                self.path.write_text(json.dumps(data))
                try:
                    profile = funcprof.add(funcprof.read(self.path))
                    funcprof.table(profile, 10)
                    funcprof.folded(profile)
                except Error as err:
                    self.assertNotIn("\n", str(err))
                except Exception as err:
                    raise AssertionError(f"{path} = {value!r}") from err


def paths(item, path=()):
    """The way to each value in nested lists and dictionaries."""
    members = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    for key, value in members:
        yield (*path, key)
        yield from paths(value, (*path, key))


def place(data, path, value):
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = value


if __name__ == "__main__":
    tapmain.main()
