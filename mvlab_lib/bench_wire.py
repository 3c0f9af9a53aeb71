# SPDX-License-Identifier: GPL-2.0-or-later
"""What a wire that takes time costs: TCP over a tap with the stock driver, wire=paced beside wire=ideal.

Two guests side by side, without icount, take turns; a ratio is the median of the ratios within the rounds. The taps are in a
network namespace made for them.
"""
import json
import statistics

from . import arguments, bench_guest, build, files, guest, host, shell
from .bench_guest_run import ROWS, TAP
from .paths import BUILD

WIRES = ("ideal", "paced")
WANTED = 0.9
NAMES = ("tcp-send", "tcp-receive")
DIRECTORY = BUILD / "bench/wire"


def add_arguments(parser):
    parser.add_argument("--rounds", type=arguments.positive, default=9, metavar="N", help="paired rounds (default: 9)")
    parser.add_argument("--seconds", type=arguments.positive, default=3, metavar="S",
                        help="length of a measurement (default: 3)")
    parser.add_argument("--json", type=arguments.path, metavar="FILE", help="write the figures of every round to FILE")


def main(args):
    if args.json:
        arguments.check_writable("--json", args.json)
    emulator = build.Variant().emulator
    build.build(build.Variant())
    host.install(bench_guest.PACKAGES)
    guest.prepare()
    guests = [{"flavour": wire, "emulator": str(emulator), "options": options(number, wire)}
              for number, wire in enumerate(WIRES)]
    with shell.locked(DIRECTORY / "lock"):
        run, = bench_guest.measure({"rows": NAMES, "rounds": args.rounds, "seconds": args.seconds, "directory": str(DIRECTORY),
                                    "runs": [{"label": {}, "guests": guests}]})
    files.report("\n".join(table(run["rows"], args.rounds)), [(args.json, json.dumps(run["rows"], indent=1))])
    return 0


def table(rows, rounds):
    """The lines of the table."""
    yield f"{'':14}{'ideal':>10}{'paced':>10}{'paced/ideal':>13}{'wanted':>9}   medians of {rounds} rounds"
    for name in NAMES:
        rates = {wire: [one[wire]["rate"] for one in rows[name]] for wire in WIRES}
        ratio = bench_guest.ratio(rates["paced"], rates["ideal"])
        yield (f"{name:14}" + "".join(f"{statistics.median(rates[wire]):>10.0f}" for wire in WIRES)
               + f"{ratio:>13.2f}{WANTED:>9.2f}   {ROWS[name].unit}" + ("" if ratio >= WANTED else "  MISSED"))


def options(number, wire):
    """QEMU's options for the guest with that number."""
    tap = f"tap,ifname={TAP.format(number)},script=no,downscript=no"
    return [*bench_guest.sheevaplug(guest.INITRD, tap), "-global", f"mv643xx-port.wire={wire}"]
