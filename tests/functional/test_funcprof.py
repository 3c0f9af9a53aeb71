#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin funcprof counts what icount counts, and knows where: a bare-metal program with known counts, and Debian's kernel."""
import json
import re
import subprocess
import unittest

import lab
from funcprof.build import build
from mvlab_lib import funcprof, initramfs, plugins, prof
from mvlab_lib.errors import Error
from mvlab_lib.machine import Board

ICOUNT = ["-icount", "shift=1,sleep=off"]
RESET_STOPS = ["-no-reboot", "-no-shutdown"]
UNKNOWN = "[unknown]"       # the program before the first task switch

# What stands in program.S, counted by hand: {(context, program, function): (instructions, calls)} of each region.
# main, without the calls themselves: the first mark, `mov r4`, `subs` and `bne` each time, and what the last mark needs.
ROUNDS = 50


def main(calls, rounds=ROUNDS):
    """main's instructions if each round has so many of them beside `subs` and `bne`."""
    return 2 + rounds * (calls + 2) + 4, 0


def process(**functions):
    return {("process", UNKNOWN, name): counts for name, counts in functions.items()}


def each(instructions, calls=1):
    """A function of so many instructions, executed in each round."""
    return ROUNDS * instructions, ROUNDS * calls


VECTOR = each(1, 0)         # only the one at address 0 would be the first instruction of `vectors`
REGIONS = [
    process(main=main(1, 100), two=(200, 100), six=(600, 100)),
    # the aborted load is not executed; the handler has 5 instructions
    process(main=main(1), aborts=each(3), vectors=VECTOR, data_abort=each(5)),
    # the load that is tried again is executed once
    process(main=main(4), restarts=each(5), restarts_multiple=each(5), vectors=each(2, 0), data_abort=each(10, 2)),
    process(main=main(3), undefined_insn=each(3), svc_insn=each(3), bkpt_insn=each(3), vectors=each(3, 0),
            undefined=each(1), svc=each(1), prefetch_abort=each(7)),
    process(main=main(1), calls_hole=each(4), vectors=VECTOR, prefetch_abort=each(7)),
    process(main=main(1), device=each(9)),
    process(main=main(1), changes_itself=each(8)),
    process(main=main(1), sleeps=each(7)),
    # irq: 19 instructions with the softirq, 14 in it
    {**process(main=main(1)), ("idle", "", "do_idle"): each(15),
     ("softirq", "", "__do_softirq"): each(1), ("softirq", "", "handle_softirqs"): each(9),
     ("hardirq", "", "irq"): each(19 + 14, 2), ("hardirq", "", "vectors"): each(2, 0)},
    # the end of the interrupt, from ret_to_user_from_irq on, is the program's
    {**process(main=main(1), user=each(12), svc=each(1), vectors=VECTOR, ret_to_user_from_irq=each(3)),
     ("hardirq", "", "irq"): each(9), ("hardirq", "", "vectors"): VECTOR},
    {("process", UNKNOWN, "main"): (6, 0), ("process", UNKNOWN, "__set_task_comm"): (5, 1),
     ("process", "alpha", "__switch_to"): (1, 1), ("process", "alpha", "main"): (9, 0), ("process", "alpha", "six"): (6, 1),
     ("process", "betabet", "__switch_to"): (1, 1), ("process", "betabet", "main"): (5, 0), ("process", "betabet", "six"): (6, 1)},
    {("process", "betabet", "main"): main(1, 1), ("idle", "", "do_idle"): (10, 1), ("idle", "", "__switch_to"): (1, 1),
     ("process", "gamma", "__switch_to"): (1, 1), ("process", "gamma", "do_idle"): (3, 0), ("process", "gamma", "six"): (6, 1)},
    {("process", "betabet", "main"): main(1, 1), ("process", "betabet", "deeper"): (5, 1),
     ("idle", "", "do_idle"): (7, 1), ("idle", "", "deeper"): (5, 1)},
    {("process", "betabet", "main"): main(2), ("process", "betabet", "interrupted"): each(6), ("process", "betabet", "target"): each(2),
     ("hardirq", "", "target"): each(2), ("hardirq", "", "irq"): each(19), ("hardirq", "", "vectors"): VECTOR},
    {("process", "betabet", "main"): main(2), ("process", "betabet", "thumb_restarts"): each(4),
     ("process", "betabet", "vectors"): VECTOR, ("process", "betabet", "data_abort"): each(5)},
    {("process", "betabet", "main"): main(1), ("process", "betabet", "back_to_back"): each(11),
     ("hardirq", "", "irq"): each(28, 2), ("hardirq", "", "vectors"): each(2, 0)},
    {("process", "betabet", "main"): main(2), ("process", "betabet", "idle_then_interrupt"): each(10),
     ("idle", "", "do_idle"): each(6), ("hardirq", "", "irq"): each(14), ("hardirq", "", "vectors"): VECTOR},
    {("process", "betabet", "main"): main(1), ("softirq", "", "handle_softirqs"): each(9),
     ("hardirq", "", "irq"): each(14), ("hardirq", "", "vectors"): VECTOR},
    {("process", "betabet", "main"): main(1, 1), ("process", "betabet", "recurses"): (15, 3)},
    {("process", "betabet", "main"): (4, 0), ("process", "delta", "main"): (4, 0), ("process", "delta", "__set_task_comm"): (5, 1)},
]

# (region, path, instructions): calls in a row, an abort, a task switch in idle, recursion with the same return address, Thumb, exec
STACKS = [
    (0, f"process;{UNKNOWN};_start;main;six", 600),
    (1, f"process;{UNKNOWN};_start;main;aborts;vectors;data_abort", 250),
    (2, f"process;{UNKNOWN};_start;main;restarts", 250),
    (8, "softirq;handle_softirqs", 450),
    (11, "process;gamma;do_idle;six", 6),
    (11, "idle;do_idle", 10),
    (12, "process;betabet;main;deeper", 5),
    (12, "idle;do_idle;deeper", 5),
    (14, "process;betabet;main;thumb_restarts", 200),
    (18, "process;betabet;main;recurses", 5),
    (18, "process;betabet;main;recurses;recurses", 5),
    (18, "process;betabet;main;recurses;recurses;recurses", 5),
    (19, "process;delta;main;__set_task_comm", 5),
]


def counted(profile):
    return {row.key[:3]: (row.instructions, row.calls) for row in profile.rows}


def plugin(**options):
    return ["-plugin", ",".join([str(plugins.FUNCPROF), *(f"{name.replace('_', '-')}={value}" for name, value in options.items())])]


class Stopped(lab.Machine):
    """A machine that has run until it reset itself, and is stopped there."""

    def __init__(self, directory, options):
        super().__init__(lab.EMULATOR, [*options, *RESET_STOPS, "-S"], directory, monitor=True)
        self.qmp = lab.Qmp(self.monitor)
        self.qmp.execute("cont")
        self.qmp.wait_event("SHUTDOWN")

    def icount(self):
        """The instructions that icount has counted since the machine started."""
        return self.qmp.execute("query-replay")["icount"]


class BareMetal(lab.TestCase):
    """The program of funcprof/program.S."""

    def setUp(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        self.image, self.symbols, self.out = (self.directory / name for name in ("program.elf", "symbols", "result.json"))
        build(self.image, self.symbols)

    def options(self, **options):
        return ["-M", "sheevaplug", "-nodefaults", "-kernel", str(self.image), *plugin(out=self.out, **options)]

    def run_program(self, icount=None, **options):
        """Runs the program; returns how many instructions icount has counted, and the result."""
        with Stopped(self.directory, [*self.options(**options), *(icount or ICOUNT)]) as machine:
            executed = machine.icount()
        return executed, json.loads(self.out.read_text())

    def test_each_region_is_counted(self):
        self.run_program(symbols=self.symbols)
        for number, (expected, profile) in enumerate(zip(REGIONS, funcprof.read(self.out), strict=True)):
            with self.subTest(number):
                self.assertEqual(counted(profile), expected)

    def test_call_stacks(self):
        """Each region's stacks add up to its rows; some paths that follow from program.S."""
        self.run_program(symbols=self.symbols, stacks="on")
        profiles = funcprof.read(self.out)
        for number, profile in enumerate(profiles):
            with self.subTest(number):
                sums = {}
                for path, count in profile.stacks:
                    names = path.split(";")
                    key = (names[0], names[1] if names[0] == "process" else "", names[-1])
                    sums[key] = sums.get(key, 0) + count
                self.assertEqual(sums, {row.key[:3]: row.instructions for row in profile.rows})
        for number, path, count in STACKS:
            with self.subTest(number, path=path):
                self.assertEqual(dict(profiles[number].stacks).get(path), count)

    def test_total_is_icounts(self):
        for shift in (0, 1, 7):
            with self.subTest(shift=shift):
                executed, result = self.run_program(["-icount", f"shift={shift},sleep=off"], symbols=self.symbols, from_start="on")
                self.assertEqual(result["instructions"], executed)
                self.assertEqual(result["doubts"], {})

    def test_without_symbols(self):
        self.run_program()
        profiles = funcprof.read(self.out)
        self.assertEqual([profile.instructions for profile in profiles],
                         [sum(count for count, _ in region.values()) for region in REGIONS])
        self.assertEqual({row.function for row in profiles[0].rows}, {"[unknown 0x00008000]"})

    def test_missing_symbols(self):
        """The guest runs on, nothing is lost, and the result says what is missing."""
        _, result = self.run_program(symbols=self.directory / "none")
        self.assertEqual(result["errors"], [f"{self.directory / 'none'}: No such file or directory"])
        self.assertEqual(len(result["regions"]), len(REGIONS))
        with self.assertRaisesRegex(Error, "none: No such file"):
            funcprof.read(self.out)

    def test_wrong_marks(self):
        """One line each, however many there are (20 are kept); the region is not lost."""
        build(self.image, self.symbols, "-DWRONG_MARKS")
        _, result = self.run_program(symbols=self.symbols)
        nothing_to_end = "mark 3: no region is open"
        expected = ["mark 2 before mark 1", nothing_to_end, "mark 2: a region is open already; regions do not nest",
                    "mark 1: a region is open", "mark 7: there are marks 1 to 3"]
        self.assertEqual(result["errors"], [*expected, *[nothing_to_end] * (20 - len(expected))])
        printed = (self.directory / "qemu.log").read_text()
        self.assertEqual(printed.count("funcprof: "), 20)
        # from the first mark to the last: 4 times 5 instructions
        self.assertEqual([region["instructions"] for region in result["regions"]], [20])

    def test_too_many(self):
        """Of 300 programs 256 have their names, with the unknown one; of 1001 regions 1000 are kept."""
        build(self.image, self.symbols, "-DTOO_MANY")
        _, result = self.run_program(symbols=self.symbols)
        self.assertEqual(result["errors"], ["mark 2: only 1000 regions are kept", "mark 3: no region is open"])
        self.assertEqual([region["instructions"] for region in result["regions"][1:]], [5] * 999)
        programs = [row["program"] for row in result["regions"][0]["rows"] if row["function"] == "__set_task_comm"]
        self.assertEqual((len(programs), programs.count("[more programs]"), len(set(programs))), (256, 1, 256))
        more = [row for row in result["regions"][0]["rows"] if row["program"] == "[more programs]"]
        self.assertEqual({row["function"]: row["calls"] for row in more}["__set_task_comm"], 300 - 255)


class BadOptions(lab.TestCase):
    """One line, status 2."""

    def refused(self, *options):
        done = subprocess.run([lab.EMULATOR, "-M", "sheevaplug", "-display", "none", "-plugin",
                               ",".join([str(plugins.FUNCPROF), *options])], capture_output=True, text=True, check=False, timeout=lab.HANG)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_refused(self):
        for options, expected in [([], "out=FILE is missing"), (["out=/nowhere/x"], "out=/nowhere/x: No such file or directory"),
                                  (["out="], "out: the value is empty"), (["oui=x"], "no option oui"),
                                  (["out=/dev/null", "symbols="], "symbols: the value is empty"),
                                  (["out=/dev/null", "from-start=maybe"], "from-start=maybe: must be on or off"),
                                  (["out=/dev/null", "stacks=2"], "stacks=2: must be on or off")]:
            with self.subTest(options):
                self.assertIn(f"funcprof: {expected}", self.refused(*options))

    def test_disk_that_is_full_in_the_end(self):
        done = subprocess.run([lab.EMULATOR, "-M", "sheevaplug", "-S", "-display", "none", "-monitor", "stdio",
                               "-plugin", f"{plugins.FUNCPROF},out=/dev/full"], input="quit\n", capture_output=True, text=True,
                              check=False, timeout=lab.HANG)
        self.assertEqual((done.returncode, done.stderr), (2, "funcprof: out=/dev/full: No space left on device\n"))


class Debian(lab.TestCase):
    """The laboratory's kernel and user space."""

    # Each region has 0.1 s of the virtual clock in which the guest is idle: check_regions() wants to see them.
    JOB = """#!/bin/sh
exec </dev/null >/dev/console 2>&1
/lib/mvlab/send-symbols || exit
for region in 1 2; do
    mark 2
    head -c 300000 /bin/busybox | gzip -9 | md5sum
    sleep 0.1
    mark 3
done
"""

    def boot_job(self, label, extra=(), **options):
        """Boots, runs the job; returns icount's instructions and the plugin's file."""
        directory = self.directory / label
        directory.mkdir(parents=True, exist_ok=True)
        symbols, out = directory / "symbols", directory / "result.json"
        initrd = initramfs.with_job(self.JOB, lab.guest.INITRD, directory / "initrd.gz")
        board = Board(initrd=initrd, append="mvlab=job panic=-1", netdevs=[])
        serial = [part for name, path in (("messages", directory / "messages"), ("symbols", symbols))
                  for part in ("-chardev", f"file,id={name},path={path}", "-serial", f"chardev:{name}")]
        with Stopped(directory, [*board.options(), *serial, *prof.CLOCK, *ICOUNT, *extra,
                                 *plugin(symbols=symbols, out=out, **options)]) as machine:
            executed = machine.icount()
        return executed, out

    def test_total_is_icounts(self):
        """From the first instruction of the boot on, with all its faults and accesses to devices."""
        executed, out = self.boot_job("from-start", from_start="on", stacks="on")
        result = json.loads(out.read_text())
        self.assertEqual(result["instructions"], executed)
        self.assertEqual(result["doubts"], {})
        self.check_stacks(result["regions"][0]["stacks"])

    @unittest.skipUnless(lab.FULL, "long: only with --full")
    def test_total_with_little_memory(self):
        """QEMU throws its translations away all the time."""
        executed, out = self.boot_job("little-memory", ["-accel", "tcg,tb-size=1"], from_start="on", stacks="on")
        result = json.loads(out.read_text())
        self.assertEqual((result["instructions"], result["doubts"]), (executed, {}))

    def check_stacks(self, stacks):
        """A write to a pipe, as fs/read_write.c and fs/pipe.c have it, from the system call on; nothing below a system call."""
        paths = [path.split(";") for path, _ in stacks]
        self.assertTrue([path for path in paths if path[:2] == ["process", "gzip"] and path[-3:] == ["ksys_write", "vfs_write", "pipe_write"]])
        self.assertEqual({path[2] for path in paths if "vector_swi" in path and path[1] == "gzip"} - {"[vectors]"}, set())

    def test_runs_are_equal(self):
        """But for what is executed between the guest's reset and the host's noticing it, which no region contains."""
        (_, first), (_, second) = self.boot_job("first"), self.boot_job("second")
        first, second = funcprof.read(first), funcprof.read(second)
        self.assertEqual(first, second)
        self.check_regions(first)

    def check_regions(self, profiles):
        self.assertEqual(len(profiles), 2)
        for profile in profiles:
            contexts, programs = profile.by_context(), profile.by_program()
            self.assertEqual(next(iter(programs)), "gzip")          # it has most to do
            self.assertIn("md5sum", programs)
            self.assertNotIn(UNKNOWN, programs)
            for context in ("softirq", "hardirq", "idle"):
                self.assertGreater(contexts[context], 0)
            # 2 ns each, and the processor sleeps for most of 0.1 s
            self.assertLess(profile.instructions * 2, profile.guest_ns - 50_000_000)
            self.assertGreater(profile.calls("__switch_to"), 3)
            self.assertFalse([row for row in profile.rows if re.match(r"\[unknown", row.function)])


if __name__ == "__main__":
    lab.main()
