# SPDX-License-Identifier: GPL-2.0-or-later
"""Speed of net/gso beside DPDK's rte_gso and rte_gro, memcpy and QEMU's checksum.

All rows run in every round, one after the other; the table has the medians over the rounds, in CPU time. See docs/gso.md.
"""
import subprocess
import tempfile
from pathlib import Path

from . import arguments, build, files, host, shell, testing
from .errors import Error
from .paths import BUILD, ROOT
from .stamp import Stamp, digest

PACKAGES = ["libdpdk-dev", "libglib2.0-dev", "libpcap-dev"]
OUT = BUILD / "bench/gso"
PROGRAM = "tools/gsobench/gsobench"
CHECKSUM = "libcommon.a.p/net_checksum.c.o"


def add_arguments(parser):
    parser.add_argument("--rounds", type=arguments.whole(1, 101), default=31, metavar="N", help="paired rounds, 1 to 101 (default: 31)")
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
    with tempfile.TemporaryDirectory() as scratch:
        figures = Path(scratch) / "figures.json"
        done = subprocess.run([OUT / PROGRAM, "--rounds", str(args.rounds), "--json", figures], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, check=False, env=testing.environment())
        if done.returncode:
            raise Error(f"gsobench ended with status {done.returncode}")
        files.report(done.stdout.rstrip(), [(args.json, figures.read_text())])
    return 0
