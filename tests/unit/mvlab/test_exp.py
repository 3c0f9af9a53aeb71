# SPDX-License-Identifier: GPL-2.0-or-later
"""The experiments' arithmetic, parsers, predictions and reports, without a guest. Expected figures are worked out by hand."""
import argparse
import html.parser
import json
import os
import signal
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path
from unittest import mock

import exp_fake
import tapmain
from mvlab_lib import arguments, build, config, exp_page, exp_predict, exp_report, exp_run, exp_tso, exp_tso_rows
from mvlab_lib.errors import Error
from mvlab_lib.exp_tso_rows import MIB, ROWS, SWEEP, Row

CORE = Row("core", 100, 1)
NONE = Row("none", 100, 1)


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path


class Rows(unittest.TestCase):
    def test_the_rows_are_the_twelve_of_the_experiment(self):
        self.assertEqual([row.name for row in ROWS],
                         ["none-100-s1", "core-100-s1", "driver-100-s1", "none-1000-s1", "core-1000-s1", "driver-1000-s1",
                          "none-1000-s2", "core-1000-s2", "driver-1000-s2", "none-1000-s3", "core-1000-s3", "driver-1000-s3"])

    def test_names_are_unique(self):
        names = [row.name for row in [*ROWS, *SWEEP]]
        self.assertEqual(len(names), len(set(names)))

    def test_what_the_guest_is_told(self):
        row = Row("core", 1000, 3, sysctl=(("tcp_tso_rtt_log", 0), ("tcp_timestamps", 0)), peer=(("ack", "every=1"),))
        run = row.run("observe", 8 * MIB)
        line = run.command_line()
        for word in ("lab_job=tso", "lab_run=observe", "lab_mode=core", "lab_speed=1000", "lab_bytes=8388608", "lab_port=9",
                     "lab_to=192.168.77.1", "lab_sysctl=tcp_tso_rtt_log=0,tcp_timestamps=0"):
            self.assertIn(word, line.split())
        options = run.recorded()
        self.assertIn("shift=3,sleep=off", options)
        self.assertTrue(any(option.startswith("mvlab-peer,") and "ack=every=1" in option for option in options))
        self.assertNotIn("-plugin", options)
        self.assertIn("-plugin", row.run("profile", MIB).recorded())

    def test_recorded_options_name_no_file_of_this_machine(self):
        for option in CORE.run("profile", MIB).recorded():
            self.assertNotIn(str(Path.cwd()), option)
            self.assertFalse(option.startswith("/"), option)


class Arithmetic(unittest.TestCase):
    def test_wire_limit(self):
        # 1448 of 1538 byte times: 8 preamble, 14 header, 20 IP, 32 TCP with timestamps, 1448, 4 FCS, 12 gap
        self.assertEqual(exp_tso_rows.limit_bps(100, 1448, 1), Fraction(100_000_000 * 1448, 1538))
        self.assertEqual(int(exp_tso_rows.limit_bps(100, 1448, 1)), 94_148_244)
        self.assertEqual(int(exp_tso_rows.limit_bps(1000, 1460, 0)), 949_284_785)

    def test_medians_of_the_post(self):
        self.assertEqual(exp_tso_rows.median(("5.41", "5.38", "5.62", "5.36")), Fraction("5.395"))
        self.assertEqual(exp_tso_rows.median(("3", "1", "2")), 2)
        self.assertEqual(float(round(exp_tso_rows.post_ratio(("core", 100), ("none", 100)), 3)), 0.603)
        self.assertEqual(float(round(exp_tso_rows.post_ratio(("none", 1000), ("none", 100)), 2)), 3.31)
        self.assertIsNone(exp_tso_rows.post_ratio(("driver", 100), ("none", 100)))

    def test_figures(self):
        row = exp_tso_rows.figures(CORE, exp_fake.profiled(), exp_fake.observed())
        self.assertEqual(row["instructions_per_mib"], 50_000_000)          # 200 million for 4 MiB
        self.assertEqual(row["cpu_mips"], 500)
        self.assertEqual(row["idle_ns"], 600_000_000)                       # 1 s less 200 million times 2 ns
        self.assertEqual(row["idle_share"], 0.6)
        self.assertEqual(row["goodput_bps"], 33_554_432)
        self.assertEqual(row["interrupts"], 100)
        self.assertEqual(row["ticks"], {"user": 20, "system": 20, "irq": 20, "softirq": 20, "idle": 20})
        self.assertEqual(row["wire_busy_share"], 0.5)
        self.assertEqual({name: context["share"] for name, context in row["contexts"].items()},
                         {"process": 0.5, "softirq": 0.25, "hardirq": 0.125, "idle": 0.125})
        self.assertEqual((row["packets"], row["rest_packets"]), (11_000, 20))
        self.assertEqual((row["share_45"], row["share_44"]), (0.95, 0.05))
        self.assertEqual(row["segments_per_packet"], 41.0)                  # 451,000 segments in 11,000 packets
        self.assertEqual(len(row["histograms"]), 2)
        self.assertEqual(row["histogram_rest"]["segments"], {"44": 1, "45": 19})

    def test_functions_sum_up_over_contexts(self):
        functions = exp_tso_rows.figures(CORE, exp_fake.profiled(), None)["functions"]
        self.assertEqual(functions[0], {"function": "tcp_sendmsg", "module": "", "instructions": 75_000_000, "calls": 50,
                                        "contexts": {"process": 50_000_000, "softirq": 25_000_000}, "per_mib": 18_750_000,
                                        "share": 0.375})

    def test_functions_beyond_the_limit_are_one(self):
        rows = [{"context": "process", "function": f"f{n:03}", "module": "", "instructions": 1000 - n, "calls": 1} for n in range(50)]
        with mock.patch.object(exp_tso_rows, "TOP", 40):
            listed = exp_tso_rows.functions(rows, MIB)
        self.assertEqual(len(listed), 41)
        self.assertEqual(listed[-1]["function"], "(10 others)")
        self.assertEqual(sum(entry["instructions"] for entry in listed), sum(1000 - n for n in range(50)))

    def test_a_guest_that_tells_too_little(self):
        outcome = exp_fake.profiled()
        del outcome.values["elapsed_ns"]
        with self.assertRaisesRegex(Error, "did not tell elapsed_ns"):
            exp_tso_rows.figures(CORE, outcome, None)

    def test_comparisons(self):
        none = exp_tso_rows.figures(NONE, exp_fake.profiled(200_000_000, system_us=500_000), None)
        core = exp_tso_rows.figures(CORE, exp_fake.profiled(120_000_000, system_us=250_000), None)
        fast = exp_tso_rows.figures(Row("none", 1000, 2), exp_fake.profiled(100_000_000, system_us=0), None)
        found = {item["title"]: item for item in exp_tso_rows.comparisons([none, core, fast])}
        self.assertEqual(sorted(found), ["1000 / 100 Mb/s, none, shift 2 / 1", "core / none, 100 Mb/s, shift 1"])
        item = found["core / none, 100 Mb/s, shift 1"]
        self.assertEqual((item["instructions"], item["system_time"]), (0.6, 0.5))
        self.assertEqual((item["post"], item["instructions_over_post"]), (0.603336, 0.994470))     # 3.255 / 5.395

    def test_no_system_time_is_no_division(self):
        none = exp_tso_rows.figures(NONE, exp_fake.profiled(system_us=0), None)
        core = exp_tso_rows.figures(CORE, exp_fake.profiled(), None)
        self.assertIsNone(exp_tso_rows.comparisons([none, core])[0]["system_time"])


class Parsers(Case):
    def console(self, text):
        return exp_run.parse_console(self.file("console.log", text))

    def test_console(self):
        values, histogram = self.console("boot\r\n@lab begin\r\nbytes=10\r\nqdisc=fq_codel\r\nnoise\r\nhistogram 0 segments 45 7\r\n"
                                         "histogram rest size 127 3\r\n@lab end\r\n")
        self.assertEqual(values, {"bytes": 10, "qdisc": "fq_codel"})
        self.assertEqual(histogram, [(0, "segments", 45, 7), ("rest", "size", 127, 3)])

    def test_the_guest_gave_up(self):
        with self.assertRaisesRegex(Error, "in the guest: eth0 got no link: lab-send: connect: refused"):
            self.console("@lab begin\nlab-send: connect: refused\n@lab error eth0 got no link\n@lab failed\n")

    def test_the_guest_did_not_finish(self):
        with self.assertRaisesRegex(Error, "did not finish; its last line: 'Kernel panic"):
            self.console("@lab begin\nbytes=10\nKernel panic - not syncing\n")

    def test_no_console(self):
        with self.assertRaisesRegex(Error, "did not finish"):
            exp_run.parse_console(self.directory / "none")

    def test_a_broken_histogram(self):
        for line in ("histogram x segments 1 1", "histogram 0 colour 1 1", "histogram 0 segments 1", "histogram 0 size -1 2"):
            with self.subTest(line), self.assertRaisesRegex(Error, "not a line of a histogram"):
                self.console(f"@lab begin\n{line}\n@lab end\n")

    def test_a_profile_has_one_region(self):
        region = {"complete": True, "instructions": 0, "rows": []}
        whole = {"format": "mvlab funcprof 1", "errors": [], "doubts": {}}
        self.assertEqual(exp_run.read_profile(self.file("profile.json", json.dumps({**whole, "regions": [region]})))["instructions"], 0)
        with self.assertRaisesRegex(Error, "2 regions, expected one"):
            exp_run.read_profile(self.file("profile.json", json.dumps({**whole, "regions": [region, region]})))
        with self.assertRaisesRegex(Error, "none: No such file"):
            exp_run.read_profile(self.directory / "none")


class Options(Case):
    def refused(self, function, value, text):
        with self.assertRaisesRegex(argparse.ArgumentTypeError, text):
            function(value)

    def test_sizes(self):
        self.assertEqual([exp_tso.size(text) for text in ("1M", "64M", "1G", "8388608")], [MIB, 64 * MIB, 1024 * MIB, 8 * MIB])
        for text in ("0", "0M", "", "M", "-1", "1.5G", "64k", "1048575", "65G", "9" * 30, "64m", "\N{FULLWIDTH DIGIT EIGHT}M"):
            with self.subTest(text):
                self.refused(exp_tso.size, text, "must be from")

    def test_rows(self):
        self.assertEqual(exp_tso.row_names("core-100-s1,driver-*"), ["core-100-s1", "driver-*"])
        self.refused(exp_tso.row_names, "core-100-s1,core-10-s1", "core-10-s1")
        self.refused(exp_tso.row_names, "core-100-s1,", "empty")

    def test_jobs(self):
        jobs = arguments.whole(1, 64)
        self.assertEqual(jobs("2"), 2)
        for text in ("0", "-1", "many", "65"):
            self.refused(jobs, text, "whole number")

    def test_output(self):
        with self.assertRaisesRegex(Error, "--output .*: Not a directory"):
            exp_tso.prepare_output(self.file("file", "") / "below")
        with self.assertRaisesRegex(Error, "--output"):
            exp_tso.prepare_output(Path("/proc/none"))

    def test_every_file_of_the_output_must_be_writable(self):
        for name in ("result.json", "table.txt", "table.csv", "page.html", "plot.png", "plot.svg"):
            directory = self.directory / name
            (directory / name).mkdir(parents=True)
            with self.subTest(name), self.assertRaisesRegex(Error, f"--output {directory / name}: Is a directory"):
                exp_tso.prepare_output(directory)

    def test_timestamps_off_is_another_setting_of_every_row(self):
        args = argparse.Namespace(sweep=False, rows=["core-*"], timestamps="off")
        for row in exp_tso.chosen(args):
            self.assertIn(("tcp_timestamps", 0), row.sysctl)
            self.assertEqual(row.mode, "core")

    def test_sweep_has_rows_of_its_own(self):
        with self.assertRaisesRegex(Error, "no such row with --sweep"):
            exp_tso.chosen(argparse.Namespace(sweep=True, rows=["none-100-s1"], timestamps="on"))


class Predictions(Case):
    ROWS = [{"name": "a", "cost": 50, "deep": {"er": 7}, "text": "x"}, {"name": "b", "cost": 100}]

    def judged(self, **changes):
        item = {"name": "n", "figure": "a.cost", "over": "b.cost", "low": 0.4, "high": 0.6, "why": "w", **changes}
        return exp_predict.judge([item], self.ROWS)[0]

    def test_verdicts(self):
        for changes, measured, verdict in (
                ({"sign": "below"}, 0.5, "as predicted"),
                ({"sign": "below", "low": 0.6, "high": 0.7}, 0.5, "outside the range"),
                ({"sign": "above"}, 0.5, "WRONG SIGN"),
                ({"sign": "below", "over": "a.cost", "low": 0, "high": 2}, 1.0, "WRONG SIGN"),
                ({"high": 0.5}, 0.5, "as predicted"),
                ({"over": "c.cost"}, None, "not measured"),
                ({"figure": "a.text"}, None, "not measured"),
                ({"figure": "a.deep.er", "over": "b.cost", "low": 0, "high": 1}, 0.07, "as predicted")):
            with self.subTest(str(changes)):
                item = self.judged(**changes)
                self.assertEqual((item["measured"], item["verdict"]), (measured, verdict))

    def test_our_predictions_name_rows_and_figures_that_exist(self):
        rows = [exp_tso_rows.figures(row, exp_fake.profiled(), exp_fake.observed()) for row in ROWS]
        for item in exp_predict.judge(exp_predict.load(exp_tso.PREDICTIONS), rows):
            self.assertNotEqual(item["verdict"], "not measured", item["name"])

    def test_bad_files(self):
        good = {"name": "n", "figure": "a.b", "low": 0, "high": 1, "why": "w"}
        for changes, text in (({"low": 2}, "low is above high"), ({"sign": "up"}, "sign is 'up'"), ({"hihg": 1}, "unknown word hihg")):
            with self.subTest(text), mock.patch.object(config, "load", lambda name, item={**good, **changes}: {"prediction": [item]}), \
                    self.assertRaisesRegex(Error, text):
                exp_predict.load("x.toml")
        del good["why"]
        with mock.patch.object(config, "load", lambda name: {"prediction": [good]}), self.assertRaisesRegex(Error, "no why"):
            exp_predict.load("x.toml")


def example(*rows, missing=()):
    """A whole result of the rows."""
    found = [exp_tso_rows.figures(row, exp_fake.profiled(), exp_fake.observed()) for row in rows]
    return {"format": exp_tso.FORMAT, "rows": found, "missing": list(missing), "comparisons": exp_tso_rows.comparisons(found),
            "post": exp_tso_rows.post(), "predictions": exp_predict.judge(exp_predict.load(exp_tso.PREDICTIONS), found),
            "inputs": {"bytes": 4 * MIB, "guest_packages": {"libc6": "2.36"}, "sha256": {"kernel": "00"},
                       "qemu": {"source": "10.0", "patches": {}}},
            "options": {row.name: row.run("profile", 4 * MIB).recorded() for row in rows}, "host": {"cpu": "a <fast> one", "wall_s": {"x": 1.5}}}


class Balance(html.parser.HTMLParser):
    """Notes tags that are not closed in order, and everything that would be fetched."""
    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.fetched = [], [], []

    def handle_starttag(self, tag, attrs):
        self.fetched += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


class Reports(Case):
    def test_the_same_result_is_the_same_text(self):
        first, second = example(NONE, CORE), example(NONE, CORE)
        reordered = {name: second[name] for name in sorted(second, reverse=True)}
        self.assertEqual(exp_report.as_json(first), exp_report.as_json(reordered))
        self.assertEqual(exp_report.table(first), exp_report.table(reordered))
        self.assertEqual(exp_page.page(first), exp_page.page(reordered))

    def test_a_wrong_sign_comes_first(self):
        result = example(NONE, CORE)        # both cost the same, so that core GSO saves nothing
        self.assertTrue(exp_report.table(result).startswith("*** WRONG SIGN: core GSO saves instructions, 100 Mb/s: measured 1.000"))
        self.assertIn('class="alarm">WRONG SIGN: core GSO saves instructions', exp_page.page(result))

    def test_what_is_missing_is_said(self):
        self.assertIn("*** not measured: core-100-s1\n", exp_report.table(example(NONE, missing=["core-100-s1"])))

    def test_goodput_above_the_wire_is_said(self):
        result = example(NONE)
        result["rows"][0]["goodput_bps"] = 94_148_245
        self.assertIn("*** goodput above the wire: none-100-s1\n", exp_report.table(result))

    def test_table(self):
        table = exp_report.table(example(NONE, CORE))
        line = next(line for line in table.splitlines() if line.startswith("core-100-s1"))
        self.assertEqual(line.split(), ["core-100-s1", "500", "1.000", "60.0", "33.55", "35.64", "50,000,000", "50.0", "25.0", "12.5",
                                        "12.5", "102.40", "76.80", "41.00", "95.00", "0"])

    def test_csv(self):
        lines = exp_report.csv(example(NONE)).splitlines()
        self.assertEqual(len(lines), 2)
        cells = dict(zip(lines[0].split(","), lines[1].split(",")))
        self.assertEqual((cells["name"], cells["instructions"], cells["instructions_softirq"]), ("none-100-s1", "200000000", "50000000"))

    def test_the_page_is_whole_and_fetches_nothing(self):
        for rows in ((), (NONE,), (NONE, CORE), ROWS):
            text = exp_page.page(example(*rows))
            balance = Balance()
            balance.feed(text)
            self.assertEqual((balance.open, balance.wrong, balance.fetched), ([], [], []))
            for word in ("http:", "https:", "@import", "url("):
                self.assertNotIn(word, text)
            self.assertIn("a &lt;fast&gt; one", text)


class Resume(Case):
    def test_only_the_same_inputs_count(self):
        outcome = exp_fake.observed()
        exp_tso.store(self.directory, "k", outcome)
        self.assertEqual(exp_tso.stored(self.directory, "k"), outcome)
        self.assertIsNone(exp_tso.stored(self.directory, "other"))

    def test_what_is_no_outcome(self):
        self.assertIsNone(exp_tso.stored(self.directory, "k"))
        for text in ("", "{", "{}", "[]", "[" * 100_000, '{"key": "k"}', '{"key": "k", "values": {}}'):
            self.file("outcome.json", text)
            with self.subTest(text):
                self.assertIsNone(exp_tso.stored(self.directory, "k"))


    def test_a_damaged_outcome_is_not_done(self):
        exp_tso.store(self.directory, "k", exp_fake.profiled())
        text = (self.directory / "outcome.json").read_text()
        for old, new in (('"instructions"', '"instruction"'), ('"elapsed_ns": 1', '"elapsed_ns": 2'),
                         ('"bytes": ', '"bytes": "x", "b": ')):
            self.assertIn(old, text)
            self.file("outcome.json", text.replace(old, new))
            with self.subTest(new):
                self.assertIsNone(exp_tso.stored(self.directory, "k"))


class Ends(Case):
    """An experiment of two rows that does not get beyond the first run of the second."""

    def ended(self, last):
        """The Experiment after its third run has been `last`, and whether it was interrupted."""
        args = argparse.Namespace(output=self.directory, jobs=1, resume=False, full=False, size=MIB)
        self.enterContext(mock.patch.object(exp_tso, "inputs", return_value={"bytes": MIB}))
        self.enterContext(mock.patch.object(exp_tso, "sha256", return_value=""))
        experiment = exp_tso.Experiment(args, [NONE, CORE], build.Variant(), {})
        runs = iter([exp_fake.profiled, exp_fake.observed, lambda: last(experiment)])
        self.enterContext(mock.patch.object(exp_run, "execute", lambda *_: next(runs)()))
        return experiment, experiment.go()

    def check(self, experiment):
        result = experiment.result([])
        self.assertEqual(([row["name"] for row in result["rows"]], result["missing"]), (["none-100-s1"], ["core-100-s1"]))
        self.assertTrue((self.directory / "runs/none-100-s1.observe/outcome.json").is_file())
        self.assertFalse((self.directory / "runs/core-100-s1.profile/outcome.json").is_file())

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            def interrupt(experiment, number=number):
                os.kill(os.getpid(), number)
                experiment.cancelled.wait(60)
                raise KeyboardInterrupt
            with self.subTest(number):
                experiment, interrupted = self.ended(interrupt)
                self.assertTrue(interrupted)
                self.assertIsNone(experiment.error)
                self.check(experiment)

    def test_a_run_that_fails(self):
        def fail(_):
            raise Error("QEMU ended")
        experiment, interrupted = self.ended(fail)
        self.assertFalse(interrupted)
        self.assertEqual(str(experiment.error), "core-100-s1, profile: QEMU ended")
        self.check(experiment)

    def test_any_exception(self):
        for err, text in ((KeyError("x"), "KeyError: 'x'"), (OSError(28, "No space left"), f"--output {self.directory}: No space left"),
                          (OSError(28, "No space left", "/f"), "/f: No space left"), (RuntimeError("a\nb"), "RuntimeError: a b")):
            def fail(_, err=err):
                raise err
            with self.subTest(text):
                experiment, _ = self.ended(fail)
                self.assertEqual(str(experiment.error), f"core-100-s1, profile: {text}")
                self.check(experiment)

    def test_a_guest_that_tells_too_little_is_a_missing_row(self):
        def silent(_):
            outcome = exp_fake.profiled()
            del outcome.values["elapsed_ns"]
            return outcome
        experiment, _ = self.ended(silent)
        experiment.outcomes["core-100-s1", "observe"] = exp_fake.observed()
        result = experiment.result([])
        self.assertEqual(([row["name"] for row in result["rows"]], result["missing"]), (["none-100-s1"], ["core-100-s1"]))


class Commands(Case):
    """The whole of `exp tso`, with nothing built and no guest run."""

    def setUp(self):
        super().setUp()
        for module, name in ((exp_tso.build, "build"), (exp_tso.testing, "prepare"), (exp_tso.exp_guest, "prepare"),
                             (exp_tso.host, "install"), (exp_tso, "plot")):
            self.enterContext(mock.patch.object(module, name))
        self.enterContext(mock.patch.object(exp_tso, "sha256", return_value=""))
        self.enterContext(mock.patch.object(exp_tso, "inputs", return_value=example(NONE)["inputs"]))
        self.shown = self.enterContext(mock.patch("builtins.print"))

    def main(self, execute):
        with mock.patch.object(exp_run, "execute", execute):
            return exp_tso.main(argparse.Namespace(output=self.directory, jobs=1, resume=False, full=False, size=MIB, sweep=False,
                                                   rows=["none-100-s1"], timestamps="on", with_peers=False, sanitize=False, cc="gcc"))

    @staticmethod
    def done(run, *_):
        return exp_fake.profiled() if run.profile else exp_fake.observed()

    def test_done(self):
        self.assertEqual(self.main(self.done), 0)
        self.assertEqual(json.loads((self.directory / "result.json").read_text())["missing"], [])

    def test_one_at_a_time(self):
        def second(*_):
            with self.assertRaisesRegex(Error, f"^--output {self.directory}: another mvlab"):
                self.main(self.done)
            return self.done(*_)
        self.assertEqual(self.main(second), 0)
        self.assertEqual(json.loads((self.directory / "result.json").read_text())["missing"], [])

    def test_no_room(self):
        """Both errors, the table, and no file of half a result."""
        def full(run, *_):
            if run.profile:
                return exp_fake.profiled()
            (self.directory / "result.json").mkdir()
            raise Error("the first error")
        with self.assertRaisesRegex(Error, f"observe: the first error; --output {self.directory}: .*/result.json: Is a directory"):
            self.main(full)
        self.assertTrue(any("not measured: none-100-s1" in str(call.args[0]) for call in self.shown.call_args_list))
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()),
                         ["lock", "page.html", "result.json", "runs", "table.csv", "table.txt"])


if __name__ == "__main__":
    tapmain.main()
