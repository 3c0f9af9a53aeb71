# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiments: questions about network drivers, answered on the virtual board with numbers that repeat. See docs/lab.md."""
from . import exp_tso

EXPERIMENTS = {
    "tso": exp_tso,
}


def add_arguments(parser):
    experiments = parser.add_subparsers(metavar="EXPERIMENT", required=True)
    for name, module in EXPERIMENTS.items():
        experiment = experiments.add_parser(name, help=module.__doc__.splitlines()[0], description=module.__doc__,
                                            allow_abbrev=False)
        module.add_arguments(experiment)
        experiment.set_defaults(experiment=module)


def main(args):
    return args.experiment.main(args)
