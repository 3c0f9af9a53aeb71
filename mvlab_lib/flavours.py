# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU as it would be without some of mvlab's patches, to show what they do.

unpatched    the patches of SPEED_PATCHES taken back
never-flush  in addition, a DACR write that flushes nothing at all: wrong, but the most that can be gained
early-warp   the patches of ICOUNT_PATCHES taken back

Each has a source tree of links into the managed one, with copies of the files that differ, so that a flavour and the ordinary
QEMU differ in nothing else.
"""
import shutil
from dataclasses import dataclass

from . import build, overlay, shell
from .errors import Error
from .paths import BUILD, QEMU, ROOT, SYSTEM_PATH
from .source import user_tree
from .stamp import Stamp, digest

PATCHED, UNPATCHED, NEVER_FLUSH = FLAVOURS = ("patched", "unpatched", "never-flush")
EARLY_WARP = "early-warp"
SPEED_PATCHES = ("*-target-arm-*.patch", "*-accel-tcg-*.patch")
ICOUNT_PATCHES = ("*-icount-*.patch",)
NEVER_FLUSH_PATCH = ROOT / "tests/functional/domains/never-flush.patch"


@dataclass(frozen=True)
class Flavour(build.Variant):
    """A variant of QEMU in one of FLAVOURS, or EARLY_WARP."""
    flavour: str = PATCHED

    @property
    def directory(self):
        return QEMU / "flavours" / self.flavour

    @property
    def out(self):
        ordinary = super().out
        return ordinary if self.flavour == PATCHED else self.directory / ordinary.name


def of(variant, flavour):
    """The variant in another flavour."""
    return Flavour(variant.peers, variant.sanitize, variant.compiler, flavour)


def ready(variant):
    """Builds a Flavour; returns the path of its emulator."""
    build.build(build.Variant(variant.peers, variant.sanitize, variant.compiler))
    if variant.flavour != PATCHED:
        if user_tree():
            raise Error(f"{variant.flavour}: only for the QEMU that mvlab fetches itself; unset QEMU_SRC")
        with shell.locked(BUILD / "lock"):
            shell.say(f"building QEMU, {variant.flavour}")
            env = build.build_environment(build.prepare_tools())
            build.configure(variant, tree(variant), env)
            shell.logged(["ninja", "-C", variant.out, build.EMULATOR], f"ninja-{variant.flavour}.log", env=env)
    return variant.emulator


def taken_back(flavour):
    """The patches that a flavour is without, in the order in which they were applied."""
    patterns = ICOUNT_PATCHES if flavour == EARLY_WARP else SPEED_PATCHES
    return sorted(path for pattern in patterns for path in overlay.PATCHES.glob(pattern))


def tree(variant):
    """The flavour's source tree, brought up to date with the managed one."""
    managed, path = QEMU / "src", variant.directory / "src"
    stamp = Stamp(variant.directory / "src.stamp", digest((QEMU / "src.stamp").read_text(), overlay.touched_files(),
                                                          [str(link) for link in overlay.links()]))
    if not (stamp.current() and path.is_dir()):
        shutil.rmtree(variant.directory, ignore_errors=True)
        path.mkdir(parents=True)
        shell.output(["cp", "-as", f"{managed}/.", path])
        stamp.write()
    steps = [(patch, ["-R"]) for patch in reversed(taken_back(variant.flavour))]
    steps += [(NEVER_FLUSH_PATCH, [])] if variant.flavour == NEVER_FLUSH else []
    replace(managed, path, variant.directory / "changed", steps)
    return path


def replace(managed, path, scratch, steps):
    """Makes copies of the files that the steps (patch, options) touch, and applies the steps to them."""
    shutil.rmtree(scratch, ignore_errors=True)
    files = {file for patch, _ in steps for file in overlay.patched_files(patch)}
    for file in files:
        overlay.copy(managed / file, scratch / file)
    for patch, options in steps:
        done = shell.attempt(["patch", "-p1", "-f", "-s", "-F0", *options, "-d", scratch, "-i", patch],
                             env=shell.environment(PATH=SYSTEM_PATH))
        if done.returncode:
            raise Error(f"{patch.relative_to(ROOT)} {' '.join(options)}: {shell.last_line(done.stdout)}")
    for file in files:
        if (path / file).is_symlink():
            (path / file).unlink()
        overlay.write_if_changed(path / file, scratch / file)
