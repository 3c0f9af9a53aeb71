#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel oracle of net/gso on the guest's kernel, inside the virtual board.

usage: guest-oracle.py [--cases N] [--trains N] [--seed N] [--first N]

Needs what ./mvlab setup makes, and a cross compiler for armel.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).absolute().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))

from mvlab_lib import build, guest, host, initramfs  # noqa: E402
from mvlab_lib.console import Agent  # noqa: E402
from mvlab_lib.machine import AGENT, Board, Machine  # noqa: E402

PACKAGES = ["gcc-arm-linux-gnueabi", "libc6-dev-armel-cross"]
EMULATOR = Path(os.environ.get("MVLAB_OUT") or build.Variant().out) / build.EMULATOR
LIBRARY = ROOT / "net/gso"
HANG = 4 * 3600


def cross_build(program):
    files = sorted(HERE.glob("oracle*.c")) + [HERE / "frame.c"] + sorted(LIBRARY.glob("*.c"))
    subprocess.run(["arm-linux-gnueabi-gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-static", f"-I{HERE}", f"-I{LIBRARY}",
                    *(f for f in files if f.name != "checksum-x86.c"), "-o", program], check=True)


def initrd_with(program, folder):
    """The guest's initramfs with one more program."""
    root, extra, both = folder / "root", folder / "extra.gz", folder / "initrd.gz"
    (root / "bin").mkdir(parents=True)
    shutil.copy2(program, root / "bin")
    initramfs.pack(root, extra)
    both.write_bytes(guest.INITRD.read_bytes() + extra.read_bytes())
    return both


def main():
    full = os.environ.get("MVLAB_FULL") == "1"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100000 if full else 2000)
    parser.add_argument("--trains", type=int, default=20000 if full else 500)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    host.install(PACKAGES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cross_build(folder / "gso-oracle")
        board = Board(append=AGENT, initrd=initrd_with(folder / "gso-oracle", folder))
        with Machine(EMULATOR, board.options(), folder / "log") as machine:
            agent = Agent(machine.console)
            agent.wait_ready()
            agent.run("modprobe -a tun bridge ipv6")
            seed = f"--seed {args.seed}" if args.seed is not None else ""
            numbers = f"--cases {args.cases} --trains {args.trains} --first {args.first}"
            result = agent.attempt(f"gso-oracle {numbers} {seed} 2>&1", HANG)
    print(result.output)
    return result.status


if __name__ == "__main__":
    sys.exit(main())
