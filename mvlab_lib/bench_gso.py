# SPDX-License-Identifier: GPL-2.0-or-later
"""Speed of net/gso beside DPDK's rte_gso and rte_gro, memcpy and QEMU's checksum.

All rows run in every round, one after the other; the table has the medians over the rounds, in CPU time. See docs/gso.md.
"""
from . import arguments, build, host, shell, testing
from .paths import BUILD, ROOT
from .stamp import Stamp, digest

PACKAGES = ["libdpdk-dev", "libglib2.0-dev", "libpcap-dev"]
OUT = BUILD / "bench/gso"
PROGRAM = "tools/gsobench/gsobench"
CHECKSUM = "libcommon.a.p/net_checksum.c.o"


def add_arguments(parser):
    parser.add_argument("--rounds", default="31", metavar="N", help="paired rounds, 1 to 101 (default: 31)")
    parser.add_argument("--json", type=arguments.path, metavar="FILE", help="write the figures to FILE")


def prepare():
    """Builds the bench, with QEMU's checksum if QEMU has been built."""
    host.install(PACKAGES)
    qemu = build.Variant().out / CHECKSUM
    option = f"-Dqemu_checksum={qemu if qemu.is_file() else ''}"
    with shell.locked(BUILD / "lock"):
        stamp = Stamp(BUILD / "bench-gso.stamp", digest(str(ROOT), option))
        if not (stamp.current() and (OUT / "build.ninja").is_file()):
            shell.logged([*testing.meson(), "setup", "--wipe" if OUT.is_dir() else "--reconfigure", option, OUT, ROOT],
                         "meson-bench-gso.log", env=testing.environment(CC="ccache gcc"))
            stamp.write()
        shell.logged(["ninja", "-C", OUT, PROGRAM], "ninja-bench-gso.log", env=testing.environment())


def main(args):
    if args.json:
        arguments.check_writable("--json", args.json)
    prepare()
    command = [OUT / PROGRAM, "--rounds", args.rounds]
    return shell.visible(command + (["--json", args.json.absolute()] if args.json else []), env=testing.environment())
