# SPDX-License-Identifier: GPL-2.0-or-later
"""`./mvlab exp tso` at a small size: twice the same, and figures that arithmetic or the kernel's source foretell."""
import argparse
import shutil
import unittest.mock

import lab
from mvlab_lib import build, exp_guest, exp_page, exp_report, exp_run, exp_tso, plugins
from mvlab_lib.exp_tso_rows import MIB, ROWS

SIZE = 8 * MIB
CHOSEN = lab.scaled(["core-100-s1", "driver-1000-s3"], [row.name for row in ROWS])


class Variant(build.Variant):
    """The QEMU under test."""
    out = lab.EMULATOR.parent


class Experiment(lab.TestCase):
    """Two experiments with the same inputs, with two guests at a time and with one."""

    @classmethod
    def setUpClass(cls):
        packages = exp_guest.prepare()
        rows = [row for row in ROWS if row.name in CHOSEN]
        cls.results = []
        for label, jobs in (("first", 2), ("second", 1)):
            output = lab.LOGS / label
            shutil.rmtree(output, ignore_errors=True)
            exp_tso.prepare_output(output)
            args = argparse.Namespace(output=output, jobs=jobs, resume=False, full=False, size=SIZE)
            experiment = exp_tso.Experiment(args, rows, Variant(), packages)
            experiment.go()
            if experiment.error:
                raise experiment.error
            cls.results.append(experiment.result([]))

    def rows(self):
        """The rows of the first result, each as a subtest."""
        self.assertEqual([row["name"] for row in self.results[0]["rows"]], CHOSEN)
        for row in self.results[0]["rows"]:
            with self.subTest(row["name"]):
                yield row

    def test_repeats_to_the_byte(self):
        texts = [exp_report.as_json({**result, "host": None}) for result in self.results]
        self.assertEqual(*texts)
        self.assertEqual(*(exp_report.table(result) for result in self.results))
        self.assertEqual(*(exp_page.page({**result, "host": {}}) for result in self.results))

    def test_everything_arrived(self):
        for row in self.rows():
            self.assertEqual(row["bytes"], SIZE)
            self.assertEqual(row["peer"]["payload-received"], SIZE)
            self.assertEqual(row["retransmissions"], 0)

    def test_the_settings_took_effect(self):
        for row in self.rows():
            self.assertEqual(row["setup"]["link_speed"], row["speed_mbps"])
            self.assertEqual(row["setup"]["link_duplex"], "full")
            self.assertEqual(row["setup"]["qdisc"], "fq_codel")
            self.assertEqual(row["setup"]["congestion_control"], "cubic")
            self.assertEqual(row["setup"]["offload_tso"], "on" if row["mode"] == "driver" else "off")
            self.assertEqual(row["setup"]["gso_max_segs"] == 1, row["mode"] == "none")
            self.assertEqual((row["tcp"]["mss"], row["tcp"]["timestamps"]), (1448, 1))

    def test_goodput_stays_below_the_wire(self):
        for row in self.rows():
            limit = row["speed_mbps"] * 10**6 * 1448 // 1538
            self.assertLessEqual(row["goodput_bps"], limit)
            self.assertLessEqual(row["observed_goodput_bps"], limit)

    def test_idle_and_busy_are_the_whole_time(self):
        for row in self.rows():
            self.assertGreaterEqual(row["idle_ns"], 0)
            self.assertEqual(row["idle_ns"] + (row["instructions"] << row["shift"]), row["virtual_ns"])

    def test_contexts_and_functions_are_all_instructions(self):
        for row in self.rows():
            self.assertEqual(sum(context["instructions"] for context in row["contexts"].values()), row["instructions"])
            self.assertEqual(sum(entry["instructions"] for entry in row["functions"]), row["instructions"])
            self.assertGreater(row["contexts"]["softirq"]["instructions"], 0)

    def test_histograms_hold_every_segment(self):
        for row in self.rows():
            segments = sum(int(number) * count for group in row["histograms"] for number, count in group["segments"].items())
            packets = sum(count for group in row["histograms"] for count in group["size"].values())
            self.assertEqual(packets, row["packets"])
            # an observed run sends the same bytes; a segment has 1448 of them at most
            self.assertGreaterEqual(segments, -(-SIZE // 1448))
            largest = max(int(number) for group in row["histograms"] for number in group["segments"])
            self.assertEqual(largest, 1 if row["mode"] == "none" else 45)

    def test_a_resumed_experiment_runs_nothing(self):
        row = next(row for row in ROWS if row.name == CHOSEN[0])
        args = argparse.Namespace(output=lab.LOGS / "first", jobs=1, resume=True, full=False, size=SIZE)
        experiment = exp_tso.Experiment(args, [row], Variant(), exp_guest.prepare())
        with unittest.mock.patch.object(exp_run, "execute", side_effect=AssertionError("ran a guest")):
            experiment.go()
        self.assertIsNone(experiment.error)
        self.assertEqual(experiment.result([])["rows"], self.results[0]["rows"][:1])


class Failures(lab.TestCase):
    """A guest that cannot do what it is told says so in one line."""

    def refused(self, text, **words):
        words = {"run": "observe", "mode": "core", "speed": 100, "bytes": MIB, "hystart": 0, "call": "sendfile", "group": 10,
                 "skip": 0, **words}
        with self.assertRaisesRegex(exp_tso.Error, text):
            exp_run.execute(exp_run.Run("tso", 1, words), lab.EMULATOR, plugins.FUNCPROF, self.directory)

    def test_refusals(self):
        exp_guest.prepare()
        for text, words in (("lab_mode=magic", {"mode": "magic"}),
                            ("sysctl .*no_such", {"sysctl": "no_such=1"}), ("lab-send: 0: not a number", {"bytes": 0}),
                            ("lab-send: .*refused", {"port": 4})):
            with self.subTest(str(words)):
                self.refused(text, **words)


if __name__ == "__main__":
    lab.main()
