# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the laboratory's QEMU with the arguments after --, as they are."""
import os

from . import build

REST = "QEMU ARGS"


def add_arguments(parser):
    parser.usage = f"mvlab qemu [options] -- {REST}"
    build.Variant.add_arguments(parser)


def main(args):
    variant = build.Variant.of(args)
    build.build(variant)
    os.execv(variant.emulator, [str(variant.emulator), *args.rest])
