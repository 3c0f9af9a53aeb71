#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the bare-metal domain test: build.py FILE. Needs Debian's gcc-arm-linux-gnueabi."""
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILER = "arm-linux-gnueabi-gcc"
FLAGS = ["-march=armv5te", "-marm", "-mfloat-abi=soft", "-ffreestanding", "-fno-pic", "-O2", "-Wall", "-Wextra", "-Werror",
         "-nostdlib", "-static", "-Wl,--build-id=none,-z,noexecstack,--no-warn-rwx-segments", f"-Wl,-T,{HERE / 'image.ld'}"]


def build(image):
    """Makes the ELF file `image`, which a board loads as its kernel."""
    subprocess.run([COMPILER, *FLAGS, "-o", image, HERE / "start.S", HERE / "domains.c"], check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FILE")
    build(sys.argv[1])
