# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints where a file of the laboratory is, for use in scripts."""
from . import build, guest, shell

FILES = {
    "qemu": lambda args: build.Variant.of(args).emulator,
    "kernel": lambda args: guest.KERNEL,
    "dtb": lambda args: guest.dtb(args.board),
    "initrd": lambda args: guest.INITRD,
    "uboot": lambda args: guest.uboot(args.board),
}


def add_arguments(parser):
    parser.add_argument("file", choices=FILES)
    parser.add_argument("--board", default="sheevaplug", choices=guest.boards(), help="default: sheevaplug")
    build.Variant.add_arguments(parser)


def main(args):
    path = FILES[args.file](args)
    if args.file == "qemu":
        build.build(build.Variant.of(args))
    else:
        guest.prepare()
    shell.show(path)
    return 0
