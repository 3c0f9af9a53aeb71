# SPDX-License-Identifier: GPL-2.0-or-later
"""The sources that are compiled: Debian's source packages of QEMU and lwIP, verified by apt and dpkg-source.

QEMU_SRC names another QEMU tree.
"""
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from . import config, shell
from .apt import Archive
from .errors import Error
from .files import write_atomically
from .paths import CACHE, QEMU, SYSTEM_PATH
from .stamp import Stamp, recorded, sha256

DOWNLOADS = CACHE / "src"


def user_tree():
    """The tree that QEMU_SRC names, or None."""
    name = os.environ.get("QEMU_SRC")
    if not name:
        return None
    tree = Path(name).resolve()
    if not (tree / "configure").is_file() or not (tree / "hw/arm/meson.build").is_file():
        raise Error(f"QEMU_SRC={name}: not a QEMU source tree")
    return tree


def managed_tree(update=False):
    """The QEMU tree mvlab unpacked itself, fetched and unpacked now if need be."""
    return QEMU_PACKAGE.unpacked(update, before=lambda: shutil.rmtree(QEMU / "pristine", ignore_errors=True))


def lwip_tree(update=False):
    """lwIP's source tree, fetched and unpacked now if need be."""
    return LWIP_PACKAGE.unpacked(update)


def fetched(update=False):
    """The record of QEMU's downloaded source package: suite, version, dsc and its sha256."""
    return QEMU_PACKAGE.fetched(update)


@dataclass(frozen=True)
class Package:
    """A source package: `section` of qemu/qemu.toml says which; it is unpacked to `tree`."""
    section: str
    name: str
    tree: Path

    @property
    def record(self):
        return DOWNLOADS / f"{self.name}.json"

    def unpacked(self, update, before=lambda: None):
        """The unpacked tree. `before` is called before it is replaced."""
        record = self.fetched(update)
        stamp = Stamp(self.tree.with_name(self.tree.name + ".stamp"), record["sha256"])
        if not (stamp.current() and self.tree.is_dir()):
            before()
            unpack(DOWNLOADS / record["dsc"], self.tree)
            stamp.write()
        return self.tree

    def fetched(self, update=False):
        """The record of the downloaded package, which is downloaded now if need be."""
        record = {} if update else recorded(self.record)
        dsc = DOWNLOADS / record.get("dsc", "")
        if dsc.is_file() and sha256(dsc) == record.get("sha256"):
            return record
        record = self.fetch()
        write_atomically(self.record, json.dumps(record, indent=1))
        return record

    def fetch(self):
        """Downloads the first version that fits from the suites in turn."""
        wanted = config.load("qemu/qemu.toml")[self.section]
        reasons = []
        for suite in wanted["suites"]:
            try:
                return fetch_from(suite, wanted)
            except Error as err:
                reasons.append(str(err))
        raise Error(f"no source of {wanted['package']} {wanted['version']}x: {'; '.join(reasons)}")


QEMU_PACKAGE = Package("source", "qemu", QEMU / "src")
LWIP_PACKAGE = Package("lwip", "lwip", QEMU / "lwip")


def fetch_from(suite, wanted):
    archive = Archive(suite)
    versions = archive.source_versions(wanted["package"])
    version = next((v for v in versions if v.split(":", 1)[-1].startswith(wanted["version"])), None)
    if not version:
        raise Error(f"{suite} has {wanted['package']} {', '.join(versions) or 'not at all'}")
    shell.say(f"fetching the source of {wanted['package']} {version} ({suite})")
    dsc = archive.download_source(wanted["package"], version, DOWNLOADS)
    return {"suite": suite, "version": version, "dsc": dsc, "sha256": sha256(DOWNLOADS / dsc)}


def unpack(dsc, tree):
    """Unpacks a source package with Debian's patches applied; dpkg-source checks every file against the .dsc."""
    shell.say(f"unpacking {dsc.name}")
    scratch = tree.with_name(tree.name + ".new")
    for old in (scratch, tree):
        shutil.rmtree(old, ignore_errors=True)
    scratch.parent.mkdir(parents=True, exist_ok=True)
    shell.logged(["dpkg-source", "--no-copy", "-x", dsc, scratch], f"unpack-{tree.name}.log",
                 env=shell.environment(PATH=SYSTEM_PATH))
    scratch.rename(tree)
