# SPDX-License-Identifier: GPL-2.0-or-later
"""What segmentation in software saves: one TCP sender, its super-segments cut by nobody, by the core, or by the driver.

Every row is a guest of its own under icount, run once to count instructions and once to watch the super-segments. The output
directory gets result.json, table.txt, table.csv, page.html, plot.png and plot.svg, which are the same whenever and wherever it
runs, but for the object `host` of result.json and what page.html shows of it: the processor and wall-clock times. Ctrl-C (or
SIGTERM) writes what is done; --resume takes that up again.
"""
import argparse
import fnmatch
import json
import os
import platform
import queue
import re
import signal
import subprocess
import sys
import threading
from dataclasses import asdict

from . import (arguments, build, exp_guest, exp_page, exp_predict, exp_report, exp_run, exp_tso_rows, files, guest, host, overlay,
               plugins, shell, source, testing)
from .errors import Error, described
from .exp_tso_rows import MIB, ROWS, SWEEP
from .files import write_atomically
from .paths import BUILD, ROOT, SYSTEM_PYTHON
from .stamp import digest, sha256

PREDICTIONS = "mvlab_lib/exp_tso_predictions.toml"
DIRECTORY = BUILD / "exp/tso"
SIZE, FULL_SIZE, LEAST, MOST = 64 * MIB, 1024 * MIB, MIB, 64 * 1024 * MIB
KINDS = ("profile", "observe")
FORMAT = "mvlab exp tso 1"
PLOT_PACKAGES = ["python3-matplotlib"]
PLOTS = ("plot.png", "plot.svg")
FILES = ("result.json", "table.txt", "table.csv", "page.html", *PLOTS)


def add_arguments(parser):
    parser.add_argument("--rows", type=row_names, metavar="ROW,...",
                        help=f"some rows: {', '.join(row.name for row in ROWS[:3])}, ...; * and ? match as in file names")
    parser.add_argument("--size", type=size, metavar="N",
                        help="bytes that a row sends; M and G stand for MiB and GiB (default: 64M)")
    parser.add_argument("--full", action="store_true", help="1 GiB for each row, as in the post")
    parser.add_argument("--sweep", action="store_true",
                        help="instead of the rows: what decides the size of super-segments at 1000 Mb/s")
    parser.add_argument("--timestamps", choices=("on", "off"), default="on", help="TCP timestamps (default: on)")
    parser.add_argument("--output", type=arguments.path, default=DIRECTORY, metavar="DIR",
                        help=f"where the results go (default: {DIRECTORY.relative_to(ROOT)})")
    parser.add_argument("--jobs", type=arguments.whole(1, 64), default=min(2, os.cpu_count() or 1), metavar="N",
                        help="guests at a time (default: 2, or 1 on one core)")
    parser.add_argument("--resume", action="store_true",
                        help="keep the runs in the output directory that were made with the same inputs")
    build.Variant.add_arguments(parser)


def size(text):
    """A number of bytes such as 67108864, 64M or 1G."""
    match = re.fullmatch("([0-9]{1,15})([MG]?)", text)
    value = int(match[1]) * {"": 1, "M": MIB, "G": 1024 * MIB}[match[2]] if match else 0
    if not LEAST <= value <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r}: must be from 1M to {MOST // MIB // 1024}G")
    return value


def row_names(text):
    """Patterns of row names."""
    patterns = [arguments.text(pattern) for pattern in text.split(",")]
    names = [row.name for row in [*ROWS, *SWEEP]]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise argparse.ArgumentTypeError(f"no row {pattern!r}; the rows are {', '.join(row.name for row in ROWS)}")
    return patterns


def main(args):
    if args.full and args.size:
        raise Error("--full and --size exclude each other: --full is 1 GiB")
    rows = chosen(args)
    predictions = exp_predict.load(PREDICTIONS)
    prepare_output(args.output)
    with shell.locked(args.output / "lock", f"--output {args.output}: another mvlab is working there"):
        return conduct(args, rows, predictions)


def conduct(args, rows, predictions):
    """Runs the rows and writes what they gave; returns the exit status."""
    variant = build.Variant.of(args)
    build.build(variant)
    testing.prepare(plugins.TARGETS)
    packages = exp_guest.prepare()
    host.install(PLOT_PACKAGES)
    experiment = Experiment(args, rows, variant, packages)
    interrupted = experiment.go()
    result = experiment.result(predictions)
    errors = [str(experiment.error)] if experiment.error else []
    try:
        write(result, args.output)
    except (Error, OSError) as err:
        errors.append(f"--output {args.output}: {described(err)}")
    shell.say(f"results: {args.output}")
    if errors:
        raise Error("; ".join(errors))
    return 130 if interrupted else 0


def chosen(args):
    """The rows to run."""
    rows = SWEEP if args.sweep else ROWS
    if args.rows:
        rows = [row for row in rows if any(fnmatch.fnmatchcase(row.name, pattern) for pattern in args.rows)]
        if not rows:
            raise Error(f"--rows {','.join(args.rows)}: no such row {'with' if args.sweep else 'without'} --sweep")
    if args.timestamps == "off":
        rows = [without_timestamps(row) for row in rows]
    return rows


def without_timestamps(row):
    return exp_tso_rows.Row(row.mode, row.speed, row.shift, row.label, (*row.sysctl, ("tcp_timestamps", 0)), row.peer, row.port)


def prepare_output(directory):
    """Refuses a directory that cannot be written."""
    try:
        (directory / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise Error(f"--output {directory}: {err.strerror}") from err
    for name in FILES:
        arguments.check_writable("--output", directory / name)


class Experiment:
    """Runs rows and collects what they gave."""

    def __init__(self, args, rows, variant, packages):
        self.rows, self.output, self.jobs, self.resume = rows, args.output, args.jobs, args.resume
        self.size = FULL_SIZE if args.full else args.size or SIZE
        self.emulator = variant.emulator
        self.inputs = inputs(self.size, packages)
        self.host = host_facts(variant, args.jobs)
        self.tools = digest(sha256(self.emulator), sha256(plugins.FUNCPROF))
        self.outcomes, self.error, self.interrupted = {}, None, False
        self.cancelled = threading.Event()

    def go(self):
        """Runs everything; returns whether the user interrupted it. A run that fails ends the others; it is in `error`."""
        tasks = queue.SimpleQueue()
        for row in self.rows:
            for kind in KINDS:
                tasks.put((row, kind))
        progress = Progress(len(self.rows) * len(KINDS), self.size)
        workers = [threading.Thread(target=self.work, args=(tasks, progress), daemon=True) for _ in range(self.jobs)]
        before = {number: signal.signal(number, self.interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for number, handler in before.items():
            signal.signal(number, handler)
        progress.end()
        return self.interrupted

    def interrupt(self, *_):
        """What Ctrl-C does: the workers end their guests and go."""
        self.interrupted = True
        self.cancelled.set()

    def work(self, tasks, progress):
        """One worker: takes tasks until there are none."""
        while not self.cancelled.is_set():
            try:
                row, kind = tasks.get_nowait()
            except queue.Empty:
                return
            try:
                self.outcomes[row.name, kind] = self.run(row, kind, progress)
            except KeyboardInterrupt:
                return
            except Exception as err:    # whatever it is: a row that is missing must not be a success
                self.fail(f"{row.name}, {kind}", err)
                self.cancelled.set()

    def fail(self, what, err):
        """Keeps the first error."""
        self.error = self.error or Error(f"{what}: {described(err, f'--output {self.output}')}")

    def run(self, row, kind, progress):
        """The Outcome of one run, from the output directory if it is there and may be used."""
        run = row.run(kind, self.size)
        directory = self.output / "runs" / f"{row.name}.{kind}"
        key = digest(run.recorded(), self.inputs, self.tools)
        if self.resume and (outcome := stored(directory, key)):
            progress.done(row.name, kind)
            return outcome
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "outcome.json").unlink(missing_ok=True)
        outcome = exp_run.execute(run, self.emulator, plugins.FUNCPROF, directory,
                                  lambda received: progress.show(row.name, kind, received), self.cancelled.is_set)
        store(directory, key, outcome)
        progress.done(row.name, kind)
        return outcome

    def result(self, predictions):
        """The whole result. Its object `host` has everything that another run may have otherwise."""
        done, missing = [], []
        for row in self.rows:
            if not all((row.name, kind) in self.outcomes for kind in KINDS):
                missing.append(row.name)
                continue
            try:
                done.append(exp_tso_rows.figures(row, *(self.outcomes[row.name, kind] for kind in KINDS)))
            except Error as err:
                self.fail(row.name, err)
                missing.append(row.name)
        return {
            "format": FORMAT, "inputs": self.inputs, "rows": done, "missing": missing,
            "options": {row.name: row.run("profile", self.size).recorded() for row in self.rows},
            "comparisons": exp_tso_rows.comparisons(done), "post": exp_tso_rows.post(),
            "predictions": exp_predict.judge(predictions, done), "host": self.host | {"wall_s": self.host_runs()},
        }

    def host_runs(self):
        """Wall-clock time of each run, boot and all, in seconds."""
        return {f"{name} {kind}": round(outcome.wall_ms / 1000, 1) for (name, kind), outcome in sorted(self.outcomes.items())}


def store(directory, key, outcome):
    """Leaves an Outcome for a later experiment, with a sum to know it by."""
    fields = asdict(outcome)
    write_atomically(directory / "outcome.json", json.dumps({"key": key, "sum": digest(fields), "outcome": fields}, sort_keys=True))


def stored(directory, key):
    """The Outcome that an earlier experiment left, None if there is none of the same inputs or if it is damaged."""
    try:
        record = json.loads((directory / "outcome.json").read_text())
        fields = record["outcome"]
        if record["key"] != key or record["sum"] != digest(fields):
            return None
        return exp_run.Outcome(**fields | {"histogram": [tuple(line) for line in fields["histogram"]]})
    except (OSError, ValueError, KeyError, RecursionError, TypeError):
        return None


def inputs(bytes_sent, packages):
    """What a result depends on."""
    tree = source.user_tree()
    return {
        "bytes": bytes_sent, "group": exp_tso_rows.GROUP, "skip": exp_tso_rows.SKIP, "board": exp_run.BOARD,
        "rtc": exp_run.RTC, "seed": exp_run.SEED, "guest_mac": exp_run.GUEST_MAC, "peer_mac": exp_run.PEER_MAC,
        "qemu": {"source": "QEMU_SRC" if tree else source.fetched()["version"],
                 "patches": {path.name: sha256(path) for path in sorted(overlay.PATCHES.glob("*.patch"))}},
        "guest_packages": packages,
        "sha256": {"kernel": sha256(guest.KERNEL), "dtb": sha256(guest.dtb(exp_run.BOARD)), "initrd": sha256(exp_guest.INITRD),
                   "predictions": sha256(ROOT / PREDICTIONS)},
    }


def host_facts(variant, workers):
    """The machine that ran the experiment."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    except OSError:
        model = None
    return {"cpu": model[1] if model else platform.machine(), "cpus": os.cpu_count(), "compiler": variant.compiler,
            "emulator": variant.out.name, "jobs": workers}


class Progress:
    """How far the runs are: a line in place on a terminal, quarters of runs elsewhere."""

    def __init__(self, total, bytes_sent):
        self.total, self.size, self.finished = total, bytes_sent, 0
        self.shown, self.lock = {}, threading.Lock()
        self.terminal = sys.stderr.isatty()

    def show(self, name, kind, received):
        """A run's peer has received so many bytes."""
        percent = min(100, received * 100 // self.size)
        with self.lock:
            before = self.shown.get((name, kind), 0)
            self.shown[name, kind] = percent
            if self.terminal:
                self.line()
            elif percent // 25 > before // 25:
                shell.say(f"  {name} {kind}: {percent} %")

    def done(self, name, kind):
        with self.lock:
            self.shown.pop((name, kind), None)
            self.finished += 1
            if self.terminal:
                self.line()
            else:
                shell.say(f"{name} {kind} done ({self.finished} of {self.total})")

    def line(self):
        running = ", ".join(f"{name} {kind} {percent} %" for (name, kind), percent in sorted(self.shown.items()))
        print(f"\r\033[Kmvlab: {self.finished} of {self.total} runs done; {running}", end="", file=sys.stderr, flush=True)

    def end(self):
        if self.terminal:
            print(file=sys.stderr)


def write(result, directory):
    """Writes all files of a result, and shows the table."""
    table = exp_report.table(result)
    files.report(table.rstrip(), [(directory / "result.json", exp_report.as_json(result)), (directory / "table.txt", table),
                                  (directory / "table.csv", exp_report.csv(result)), (directory / "page.html", exp_page.page(result))])
    plot(directory)


def plot(directory):
    """Draws plot.png and plot.svg from result.json, with the Python that has Debian's matplotlib."""
    done = subprocess.run([SYSTEM_PYTHON, "-m", "mvlab_lib.exp_plot", directory.absolute() / "result.json"], cwd=ROOT, check=False,
                          capture_output=True, text=True, env=shell.environment(PYTHONDONTWRITEBYTECODE=1, PYTHONPATH=None))
    if done.returncode:
        raise Error(f"{' and '.join(PLOTS)}: {shell.last_line(done.stderr)}")
