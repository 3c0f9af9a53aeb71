# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiments: questions about network drivers, answered on the virtual board with numbers that repeat. See docs/lab.md."""
from . import arguments, exp_tso

EXPERIMENTS = {
    "tso": exp_tso,
}


def add_arguments(parser):
    arguments.add_modules(parser, "EXPERIMENT", EXPERIMENTS)
