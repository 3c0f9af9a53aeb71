# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: one subcommand per verb."""
import argparse
import sys

from . import bench, boot, exp, path, prof, qemu, run, setup, testing
from .errors import Error, described

DESCRIPTION = """\
A virtual Marvell Kirkwood plug computer with an mv643xx Gigabit Ethernet.

Every verb sets up what it needs first: Debian packages, QEMU with the board, guest kernel and U-Boot."""

# verb: (module, one line, example)
VERBS = {
    "setup": (setup, "set everything up and build", "./mvlab setup"),
    "run": (run, "boot a SheevaPlug and check its network", "./mvlab run --json result.json"),
    "test": (testing, "build everything and run the tests", "./mvlab test -- --suite unit"),
    "bench": (bench, "measure, with ratios to compare", "./mvlab bench guest --json guest.json"),
    "prof": (prof, "count the guest's instructions by function", "./mvlab prof 'gzip -9 </bin/busybox >/dev/null'"),
    "exp": (exp, "experiments, with numbers that repeat", "./mvlab exp tso --rows 'core-100-*'"),
    "boot": (boot, "a console on a board", "./mvlab boot --board guruplug --pcap guru.pcap"),
    "qemu": (qemu, "run the built QEMU as it is", "./mvlab qemu -- -M sheevaplug,help"),
    "path": (path, "print where a file is", "./mvlab path dtb --board dockstar"),
}


class Parser(argparse.ArgumentParser):
    """Reports a bad option in one line."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser():
    examples = "\n".join(f"  {example}" for _, _, example in VERBS.values())
    top = Parser(prog="mvlab", description=DESCRIPTION, epilog=f"examples, one for each verb:\n{examples}\n\nStart with README.md.",
                 formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    verbs = top.add_subparsers(metavar="VERB", required=True)
    for name, (module, text, example) in VERBS.items():
        verb = verbs.add_parser(name, help=text, description=module.__doc__, epilog=f"example: {example}",
                                allow_abbrev=False)
        module.add_arguments(verb)
        verb.set_defaults(module=module, parser=verb)
    return top


def main(arguments):
    """Runs one command; returns its exit status. Arguments after -- go to the program that the verb's REST names."""
    own, _, rest = split(arguments)
    args = parser().parse_args(own)
    args.rest = rest
    try:
        if rest and not hasattr(args.module, "REST"):
            raise Error(f"{args.parser.prog.removeprefix('mvlab ')}: nothing may stand after --: {rest[0]!r}")
        return args.module.main(args)
    except (Error, OSError) as err:
        print(f"mvlab: {described(err)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def split(arguments):
    """What stands before the first --, the -- itself, and what stands after it."""
    if "--" not in arguments:
        return arguments, None, []
    at = arguments.index("--")
    return arguments[:at], "--", arguments[at + 1:]
