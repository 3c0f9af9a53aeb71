#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the bare-metal program of test_funcprof.py: build.py ELF SYMBOLS. Needs Debian's gcc-arm-linux-gnueabi."""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PREFIX = "arm-linux-gnueabi-"
FLAGS = ["-march=armv5te", "-marm", "-mfloat-abi=soft", f"-I{ROOT}", "-nostdlib", "-static",
         "-Wl,--build-id=none,-z,noexecstack,--no-warn-rwx-segments", f"-Wl,-T,{HERE / 'image.ld'}"]


def build(image, symbols, *options):
    """Makes the ELF file `image`, which a board loads as its kernel, and its functions as /proc/kallsyms would list them. options: gcc's."""
    subprocess.run([f"{PREFIX}gcc", *FLAGS, *options, "-o", image, HERE / "program.S"], check=True)
    listed = subprocess.run([f"{PREFIX}readelf", "-sW", image], check=True, capture_output=True, text=True).stdout
    functions = re.findall(r": (\w{8}) +\d+ FUNC +.* (\w+)$", listed, re.MULTILINE)
    symbols.write_text("".join(f"{int(address, 16) & ~1:08x} t {name}\n" for address, name in [("0", "vectors"), *functions]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} ELF SYMBOLS")
    build(Path(sys.argv[1]), Path(sys.argv[2]))
