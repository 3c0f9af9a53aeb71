# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the guest's instructions by function and context while it runs a shell script.

The board runs under icount: the same script gives the same numbers each time, unless it talks to the host.
"""
import json
import subprocess

from . import arguments, build, files, funcprof, guest, initramfs, plugins, shell, testing
from .errors import Error
from .machine import Board, escaped
from .paths import BUILD

DIRECTORY = BUILD / "prof"
JOB = """\
#!/bin/sh
{prepare}
/lib/mvlab/send-symbols || exit
mark 2
{script}
mark 3
"""
# time comes from the guest's instructions alone
CLOCK = ["-rtc", "base=2024-01-01,clock=vm", "-seed", "1"]
REST = "QEMU ARGS"


def add_arguments(parser):
    parser.usage = f"mvlab prof [options] SCRIPT [-- {REST}]\n       mvlab prof [options] --show FILE"
    parser.add_argument("script", nargs="?", type=arguments.text, metavar="SCRIPT", help="what the guest's shell runs while it is counted")
    parser.add_argument("--prepare", default="", metavar="SCRIPT", help="what it runs before: interfaces, modules, files")
    parser.add_argument("--show", type=arguments.path, metavar="FILE", help="show a result of the plugin instead")
    parser.add_argument("--board", default="sheevaplug", choices=guest.boards(), help="default: sheevaplug")
    parser.add_argument("--shift", type=arguments.whole(0, 10), default=1, metavar="N", help="an instruction takes 2^N ns (default: 1)")
    parser.add_argument("--top", type=arguments.positive, default=30, metavar="N", help="functions in the table (default: 30)")
    parser.add_argument("--json", type=arguments.path, metavar="FILE", help="write all rows to FILE")
    parser.add_argument("--folded", type=arguments.path, metavar="FILE", help="write folded call stacks, for flame graphs, to FILE")
    build.Variant.add_arguments(parser)


def main(args):
    for option in ("json", "folded"):
        if getattr(args, option):
            arguments.check_writable(f"--{option}", getattr(args, option))
    if (args.script is None) == (args.show is None):
        raise Error("prof: give either a script or --show FILE")
    if args.show and args.rest:
        raise Error(f"prof: --show runs no QEMU: nothing may stand after --: {args.rest[0]!r}")
    profile = funcprof.add(funcprof.read(args.show) if args.show else counted(args))
    files.report("\n".join([*funcprof.table(profile, args.top), *slept(profile, args.shift)]),
                 [(args.json, json.dumps(funcprof.as_json(profile), indent=1)),
                  (args.folded, "".join(f"{line}\n" for line in funcprof.folded(profile)))])
    return 0


def slept(profile, at_shift):
    """A line about time, if the guest told it."""
    asleep = profile.asleep_ns(at_shift)
    if not profile.guest_ns or asleep < 0:
        return []       # a result of another shift
    return ["", f"{profile.guest_ns / 1e6:,.3f} ms of the guest's time, {asleep / 1e6:,.3f} ms of them asleep ({100 * asleep / profile.guest_ns:.1f}%)"]


def counted(args):
    """The regions of a new run."""
    variant = build.Variant.of(args)
    build.build(variant)
    testing.prepare(plugins.TARGETS)
    guest.prepare()
    with shell.locked(DIRECTORY / "lock"):
        return funcprof.read(run(args, variant))


def run(args, variant):
    """Boots the guest with the script as its job; returns the plugin's result file."""
    result, console = DIRECTORY / "result.json", DIRECTORY / "console.log"
    result.unlink(missing_ok=True)
    initrd = initramfs.with_job(JOB.format(prepare=args.prepare, script=args.script), guest.INITRD, DIRECTORY / "initrd.gz")
    board = Board(args.board, initrd=initrd, append="mvlab=job panic=-1", netdevs=[])
    shell.say(f"running the guest; its console is in {console}")
    status = subprocess.run([str(variant.emulator), *board.options(), *options(result, console, args), *args.rest],
                            stdin=subprocess.DEVNULL, check=False).returncode
    if status:
        raise Error(f"QEMU ended with status {status}")
    return result


def options(result, console, args):
    """QEMU's options for a run whose second serial port carries the symbols, and whose numbers repeat."""
    symbols = DIRECTORY / "symbols"
    return ["-display", "none", "-monitor", "none", "-no-reboot", *CLOCK, "-icount", f"shift={args.shift},sleep=off",
            "-chardev", f"file,id=console,path={escaped(console)}", "-serial", "chardev:console",
            "-chardev", f"file,id=symbols,path={escaped(symbols)}", "-serial", "chardev:symbols",
            "-plugin", f"{escaped(plugins.FUNCPROF)},symbols={escaped(symbols)},out={escaped(result)}" + (",stacks=on" if args.folded else "")]
