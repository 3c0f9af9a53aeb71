# SPDX-License-Identifier: GPL-2.0-or-later
"""Speed of a guest whose kernel rewrites the DACR all the time: QEMU with mvlab's patches, without, and never flushing.

Every run boots the same guest with each flavour of QEMU, side by side, and measures each row in all of them, one guest after
the other while the others are idle, several rounds in changing order. A ratio is the median of the ratios within the
rounds, whose measurements are seconds apart, so that a busy machine disturbs both of its sides. The network rows go over
taps in a network namespace made for them.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile

from . import arguments, files, flavours, guest, host, initramfs, multi_v5, shell
from .bench_guest_run import ROWS, TAP
from .build import Variant
from .errors import Error
from .flavours import FLAVOURS, NEVER_FLUSH, PATCHED, UNPATCHED
from .machine import AGENT, Board
from .paths import BUILD, ROOT, SYSTEM_PYTHON

PACKAGES = ["cpio", "gcc-arm-linux-gnueabi", "iperf3", "iproute2", "libc6-dev-armel-cross", "util-linux"]
DIRECTORY = BUILD / "bench/guest"
RUNS, ROUNDS = 5, 3


def sheevaplug(initrd, netdev):
    """QEMU's options for the board with Debian's kernel."""
    return Board("sheevaplug", initrd=initrd, append=AGENT, netdevs=[netdev]).options()


def versatilepb(initrd, netdev):
    """QEMU's options for QEMU's own ARMv5 board with PCI and a kernel of the same version."""
    return ["-M", "versatilepb", "-m", "256", "-kernel", str(multi_v5.KERNEL), "-dtb", str(multi_v5.DTB),
            "-initrd", str(initrd), "-append", f"console=ttyAMA0 {AGENT}", "-nic", f"{netdev},model=e1000",
            "-global", "e1000.romfile="]


MACHINES = {"sheevaplug": sheevaplug, "versatilepb": versatilepb}


def add_arguments(parser):
    parser.add_argument("--runs", type=arguments.positive, default=RUNS, metavar="N",
                        help=f"paired runs (default: {RUNS}; fewer are too few to quote)")
    parser.add_argument("--rounds", type=arguments.positive, default=ROUNDS, metavar="N",
                        help=f"measurements of a row in each run (default: {ROUNDS})")
    parser.add_argument("--seconds", type=arguments.positive, default=1, metavar="S", help="length of a measurement (default: 1)")
    parser.add_argument("--rows", type=row_names, default=list(ROWS), metavar="ROW,...",
                        help=f"some of: {', '.join(ROWS)} (default: all)")
    parser.add_argument("--full", action="store_true",
                        help="also versatilepb with an e1000, whose kernel is built from Debian's source the first time")
    parser.add_argument("--per-cpu", action="store_true",
                        help="divide by the CPU time that QEMU had: for a machine that is busy with other things")
    parser.add_argument("--json", type=arguments.path, metavar="FILE", help="write the figures of every run to FILE")


def row_names(text):
    names = text.split(",")
    if unknown := [name for name in names if name not in ROWS]:
        raise argparse.ArgumentTypeError(f"no row {unknown[0]!r}")
    return list(dict.fromkeys(names))


def main(args):
    if args.json:
        arguments.check_writable("--json", args.json)
    machines = list(MACHINES) if args.full else ["sheevaplug"]
    variant = Variant(peers=args.full)
    emulators = {name: flavours.ready(flavours.of(variant, name)) for name in FLAVOURS}
    host.install(PACKAGES)
    guest.prepare()
    if args.full:
        multi_v5.prepare()
    with shell.locked(DIRECTORY / "lock"):
        results = measured(args, machines, emulators)
    figures = {machine: summary([r["rows"] for r in results if r["machine"] == machine], args) for machine in machines}
    files.report("\n".join(line for machine in machines for line in table_of(machine, args, figures[machine])),
                 [(args.json, json.dumps({"seconds": args.seconds, "per_cpu": args.per_cpu, "runs": results,
                                          "summary": figures}, indent=1))])
    return 0


def measured(args, machines, emulators):
    """One dictionary for each run."""
    initrd = make_initrd()
    return measure({"rows": args.rows, "rounds": args.rounds, "seconds": args.seconds, "directory": str(DIRECTORY),
                    "runs": [{"label": {"machine": machine, "run": run}, "guests": guests(machine, initrd, emulators)}
                             for machine in machines for run in range(args.runs)]})


def guests(machine, initrd, emulators):
    """The guests of a run: flavour, emulator and QEMU's options, with a tap for each."""
    return [{"flavour": flavour, "emulator": str(emulators[flavour]),
             "options": MACHINES[machine](initrd, f"tap,ifname={TAP.format(number)},script=no,downscript=no")}
            for number, flavour in enumerate(FLAVOURS)]


def make_initrd():
    """The guest's initramfs with guest-bench in it."""
    root = DIRECTORY / "rootfs"
    (root / "usr/bin").mkdir(parents=True, exist_ok=True)
    shell.output(["arm-linux-gnueabi-gcc", "-march=armv5te", "-static", "-O2", "-Wall", "-Wextra", "-Werror",
                  "-o", root / "usr/bin/guest-bench", ROOT / "guest/bench/guest-bench.c"])
    extra, initrd = DIRECTORY / "extra.gz", DIRECTORY / "initrd.gz"
    initramfs.pack(root, extra)
    initrd.write_bytes(guest.INITRD.read_bytes() + extra.read_bytes())
    return initrd


def measure(plan):
    """Runs the plan in a network namespace of its own; returns one dictionary per run."""
    if not shutil.which("unshare"):
        raise Error("unshare (package util-linux) is needed for a network namespace")
    runner = ["unshare", "-rn", SYSTEM_PYTHON, "-m", "mvlab_lib.bench_guest_run"]
    results = []
    with tempfile.TemporaryFile("w+") as file:
        json.dump(plan, file)
        file.seek(0)
        with subprocess.Popen(runner, cwd=ROOT, stdin=file, stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1")) as process:
            for line in process.stdout:
                results.append(json.loads(line))
                shell.say(f"measured {len(results)} of {len(plan['runs'])} runs")
    if process.returncode:
        raise Error(f"the measurement stopped after {len(results)} of {len(plan['runs'])} runs")
    return results


def summary(runs, args):
    """{row: medians per flavour, and medians of the ratios within a round} of one machine's runs."""
    table = {}
    for name in args.rows:
        rounds = [one for run in runs for one in run[name]]
        per_cpu = args.per_cpu or ROWS[name].per_cpu
        of = {flavour: [figure(one[flavour], per_cpu) for one in rounds] for flavour in FLAVOURS}
        table[name] = {"unit": ROWS[name].unit, **{flavour: statistics.median(of[flavour]) for flavour in FLAVOURS},
                       "patched/unpatched": ratio(of[PATCHED], of[UNPATCHED]),
                       "patched/never-flush": ratio(of[PATCHED], of[NEVER_FLUSH])}
    return table


def figure(row, per_cpu):
    return row["rate"] / row["cpu"] if per_cpu else row["rate"]


def ratio(of, to):
    return statistics.median(a / b for a, b in zip(of, to))


def table_of(machine, args, table):
    """The lines of one machine's table."""
    yield (f"{machine}, medians of {args.runs} paired runs of {args.rounds} rounds"
           + (", per CPU second of QEMU" if args.per_cpu else ""))
    heads = [UNPATCHED, PATCHED, NEVER_FLUSH, "patched/unpatched", "patched/never-flush"]
    yield f"{'':14}{'':>22}" + "".join(f"{head:>{max(13, len(head) + 2)}}" for head in heads)
    for row, cells in table.items():
        line = "".join(f"{number(cells[head]):>{max(13, len(head) + 2)}}" for head in heads)
        yield f"{row:14}{cells['unit']:>22}{line}"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
