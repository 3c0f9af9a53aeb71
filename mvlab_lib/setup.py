# SPDX-License-Identifier: GPL-2.0-or-later
"""Sets everything up: packages, QEMU's source, the overlay, the build, guest kernel, U-Boot and user space."""
from . import arguments, build, exp_guest, export, guest, plugins, shell, source, testing


def add_arguments(parser):
    parser.add_argument("--update", action="store_true", help="ask the archive for newer versions of what is cached")
    parser.add_argument("--export", metavar="DIR", type=arguments.path, help="write what is added to QEMU as a patch series into DIR")
    build.Variant.add_arguments(parser)


def main(args):
    variant = build.Variant.of(args)
    if args.export:
        export.check(args.export)
        managed = source.user_tree() is None
        export.export(build.overlaid_tree(args.update), managed, args.export)
        shell.say(f"the series for QEMU is in {args.export}")
        return 0
    build.build(variant, update=args.update)
    testing.prepare(plugins.TARGETS)
    guest.prepare(args.update)
    exp_guest.prepare(args.update)
    shell.say(f"ready: {variant.emulator}")
    return 0
