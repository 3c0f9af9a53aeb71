# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmarks. Each prints a table of medians and ratios; --json FILE has every single run."""
from . import bench_gso, bench_guest, bench_wire

BENCHES = {
    "gso": bench_gso,
    "guest": bench_guest,
    "wire": bench_wire,
}


def add_arguments(parser):
    benches = parser.add_subparsers(metavar="BENCH", required=True)
    for name, module in BENCHES.items():
        bench = benches.add_parser(name, help=module.__doc__.splitlines()[0], description=module.__doc__,
                                   allow_abbrev=False)
        module.add_arguments(bench)
        bench.set_defaults(bench=module)


def main(args):
    return args.bench.main(args)
