# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmarks. Each prints a table of medians and ratios; --json FILE has every single run."""
from . import arguments, bench_gso, bench_guest, bench_wire

BENCHES = {
    "gso": bench_gso,
    "guest": bench_guest,
    "wire": bench_wire,
}


def add_arguments(parser):
    arguments.add_modules(parser, "BENCH", BENCHES)
