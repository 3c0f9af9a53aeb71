# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's source: Debian's source package, verified by apt and dpkg-source, or the tree that QEMU_SRC names."""
import json
import os
import shutil
from pathlib import Path

from . import config, shell
from .apt import Archive
from .errors import Error
from .paths import CACHE, QEMU, SYSTEM_PATH
from .stamp import Stamp, sha256, write_atomically

DOWNLOADS = CACHE / "src"
RECORD = DOWNLOADS / "qemu.json"


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
    """The tree mvlab unpacked itself, fetched and unpacked now if need be."""
    record = fetched(update)
    tree = QEMU / "src"
    stamp = Stamp(QEMU / "src.stamp", record["sha256"])
    if not (stamp.current() and tree.is_dir()):
        shutil.rmtree(QEMU / "pristine", ignore_errors=True)
        unpack(DOWNLOADS / record["dsc"], tree)
        stamp.write()
    return tree


def fetched(update=False):
    """The record of the downloaded source package: suite, version, dsc and its sha256."""
    if RECORD.is_file() and not update:
        record = json.loads(RECORD.read_text())
        dsc = DOWNLOADS / record["dsc"]
        if dsc.is_file() and sha256(dsc) == record["sha256"]:
            return record
    record = fetch()
    write_atomically(RECORD, json.dumps(record, indent=1))
    return record


def fetch():
    """Downloads the first version that fits from the suites in turn."""
    wanted = config.load("qemu/qemu.toml")["source"]
    reasons = []
    for suite in wanted["suites"]:
        try:
            return fetch_from(suite, wanted)
        except Error as err:
            reasons.append(str(err))
    raise Error(f"no source of QEMU {wanted['version']}x: {'; '.join(reasons)}")


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
    shell.logged(["dpkg-source", "--no-copy", "-x", dsc, scratch], "unpack.log",
                 env=shell.environment(PATH=SYSTEM_PATH))
    scratch.rename(tree)
