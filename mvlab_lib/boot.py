# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots a board with its console on this terminal. Ctrl-A x ends QEMU."""
import os
import re

from . import arguments, build, guest, images, shell
from .errors import Error
from .machine import Board, check_tap, escaped, peer_options
from .paths import BUILD

TRACE = BUILD / "boot-trace.log"
REST = "QEMU ARGS"


def add_arguments(parser):
    parser.usage = f"mvlab boot [options] [-- {REST}]"
    parser.add_argument("--board", default="sheevaplug", choices=guest.boards(), help="default: sheevaplug")
    parser.add_argument("--uboot", metavar="FILE", nargs="?", const=True, type=arguments.text,
                        help="start Debian's U-Boot, or the kwb image FILE, instead of a kernel")
    parser.add_argument("--kernel", metavar="FILE", type=arguments.path, help="a zImage or uImage of your own")
    parser.add_argument("--dtb", metavar="FILE", type=arguments.path, help="a device tree of your own")
    parser.add_argument("--initrd", metavar="FILE", type=arguments.path, help="an initramfs of your own")
    parser.add_argument("--append", metavar="TEXT", default="", help="more kernel command line, after console=ttyS0,115200")
    parser.add_argument("--tap", metavar="IFNAME", type=arguments.text,
                        help="connect the first GbE to this tap interface, not to user networking")
    parser.add_argument("--peer", metavar="PROPERTIES", nargs="?", const="", default=None,
                        help="connect the first GbE to mvlab-peer, e.g. --peer ack=every=1,delay=50000 (docs/peer.md)")
    parser.add_argument("--pcap", metavar="FILE", type=arguments.path, help="capture the frames of the first GbE")
    parser.add_argument("--drive", metavar="FILE", type=arguments.path, action="append", default=[],
                        help="plug in a disk image as a USB disk")
    parser.add_argument("--trace", metavar="PATTERN", type=arguments.text,
                        help=f"log QEMU's trace events that start so, e.g. mv643xx, to {TRACE.relative_to(BUILD.parent)}")
    build.Variant.add_arguments(parser)


def main(args):
    check(args)
    variant = build.Variant.of(args)
    build.build(variant)
    guest.prepare()
    if args.trace:
        check_trace(args.trace, variant.out)
    if args.peer:
        check_peer(args.peer, variant.emulator)
    options = board(args).options() + trace_options(args.trace) + ["-nographic"] + args.rest
    shell.say("Ctrl-A x ends QEMU" + (f"; register trace in {TRACE}" if args.trace else ""))
    os.execv(variant.emulator, [str(variant.emulator), *options])


def check(args):
    """Refuses wrong files and combinations before anything is built."""
    for name in ("kernel", "dtb", "initrd", "append"):
        if args.uboot and getattr(args, name):
            raise Error(f"--uboot and --{name} exclude each other: U-Boot loads the kernel itself")
    for name in ("kernel", "dtb", "initrd"):
        if getattr(args, name):
            getattr(images, name)(getattr(args, name))
    if isinstance(args.uboot, str):
        images.uboot(args.uboot)
    if args.uboot is True:
        guest.uboot(args.board)
    if args.tap and args.peer is not None:
        raise Error("--tap and --peer exclude each other: each is the far end of the first GbE")
    for path in args.drive:
        images.disk_format(path)
        if not os.access(path, os.W_OK):
            raise Error(f"--drive {path}: not writable")
    if args.tap:
        check_tap(args.tap)
    if args.pcap:
        arguments.check_writable("--pcap", args.pcap)


def check_trace(pattern, out):
    """Refuses a pattern that no trace event of this QEMU starts with."""
    events = (out / build.EVENTS).read_text()
    if not re.search(rf"^(disable )?{re.escape(pattern)}", events, re.MULTILINE):
        raise Error(f"--trace {pattern}: no trace event starts so (the events are listed in {out / build.EVENTS})")


def check_peer(properties, emulator):
    """Refuses properties that the peer does not take, by asking it: a QEMU with nothing else in it."""
    done = shell.attempt([emulator, "-M", "none", "-display", "none", "-monitor", "stdio", *peer_options(properties)], input="quit\n")
    if done.returncode:
        raise Error(f"--peer {properties}: {done.stderr.strip().splitlines()[-1].split(': ', 2)[-1]}")


def board(args):
    """The board that the options describe."""
    loader = guest.uboot(args.board) if args.uboot is True else args.uboot
    first = f"tap,ifname={args.tap},script=no,downscript=no" if args.tap else f"user,tftp={escaped(guest.GUEST)}"
    others = [f"user,net=10.0.{number + 2}.0/24" for number in range(1, guest.boards()[args.board]["ports"])]
    return Board(args.board, args.kernel, args.dtb, args.initrd, args.append, loader, [first, *others], args.pcap, args.drive,
                 peer=args.peer)


def trace_options(pattern):
    return ["-trace", f"enable={pattern}*", "-D", str(TRACE)] if pattern else []
