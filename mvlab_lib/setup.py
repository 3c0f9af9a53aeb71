# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets everything up: packages, QEMU's source, the overlay, the build, guest kernel, U-Boot and user space."""
from . import build, shell


def add_arguments(parser):
    build.Variant.add_arguments(parser)
    parser.add_argument("--update", action="store_true", help="ask the archive for newer versions of what is cached")


def main(args):
    variant = build.Variant.of(args)
    build.build(variant, update=args.update)
    shell.say(f"ready: {variant.emulator}")
    return 0
