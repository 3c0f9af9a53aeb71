# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest of the experiments: an initramfs with busybox, a few of Debian's programs and modules, and guest/lab.

It has no agent and no console to type at: /init runs the script that the kernel's command line names, and ends the machine.
"""
import json
import shutil
import tempfile
from pathlib import Path

from . import config, guest, host, initramfs, shell
from .apt import Archive
from .files import write_atomically
from .paths import BUILD, CACHE, ROOT
from .stamp import Stamp, digest, recorded

SOURCES = ROOT / "guest/lab"
DIRECTORY = BUILD / "exp/guest"
INITRD = DIRECTORY / "initrd.gz"
RECORD = CACHE / "lab.json"
SEND_SYMBOLS = "lib/mvlab/send-symbols"
COMPILER = "arm-linux-gnueabi-gcc"
COMPILER_PACKAGES = ["gcc-arm-linux-gnueabi", "libc6-dev-armel-cross"]
FLAGS = ["-march=armv5te", "-marm", "-static", "-O2", "-Wall", "-Wextra", "-Werror", "-Wl,--build-id=none", "-I", str(ROOT)]


def prepare(update=False):
    """Brings INITRD up to date; returns {package: version} of everything from Debian that the guest may run."""
    guest.prepare()
    host.install(COMPILER_PACKAGES)
    with shell.locked(BUILD / "lock"):
        with shell.locked(CACHE / "lock"):
            record = fetched(update)
        wanted = config.load(guest.CONFIG)["lab"]
        packages = {**guest.manifest()["packages"], **record["packages"]}
        stamp = Stamp(DIRECTORY / "stamp", digest(packages, wanted, SOURCES, ROOT / "guest/mark", FLAGS[:-2], ROOT / "guest/rootfs" / SEND_SYMBOLS, Path(__file__),
                                                  ROOT / "mvlab_lib/initramfs.py"))
        if not (stamp.current() and INITRD.is_file()):
            shell.say("making the experiments' guest")
            assemble(wanted, packages)
            stamp.write()
    return {name: packages[name]["version"] for name in sorted(packages)}


def fetched(update=False):
    """The record of the downloaded packages, from the cache if it still fits guest.toml."""
    wanted = config.load(guest.CONFIG)
    key = digest(wanted["suite"], wanted["architecture"], wanted["lab"]["packages"])
    record = {} if update else recorded(RECORD)
    if record.get("for") == key and all(guest.intact(item) for item in record["packages"].values()):
        return record
    shell.say(f"fetching {wanted['lab']['packages'][0]} for the guest ({wanted['suite']}, {wanted['architecture']})")
    archive = Archive(wanted["suite"], wanted["architecture"])
    record = {"for": key, "packages": archive.download(wanted["lab"]["packages"], guest.DEBS)}
    write_atomically(RECORD, json.dumps(record, indent=1))
    return record


def assemble(wanted, packages):
    """Makes INITRD from packages ({name: {file, ...}}) and guest/lab."""
    abi = guest.manifest()["abi"]
    rootfs = DIRECTORY / "rootfs"
    shutil.rmtree(rootfs, ignore_errors=True)
    for name in ("dev", "proc", "sys", "tmp", "bin", "sbin", "usr/bin", "usr/sbin", "lib/mvlab", "lab"):
        (rootfs / name).mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=DIRECTORY) as scratch:
        unpacked = {name: unpack(Path(scratch) / name, item["file"]) for name, item in packages.items() if name != "u-boot"}
        initramfs.add_busybox(unpacked["busybox-static"], rootfs)
        initramfs.add_programs(wanted["programs"], unpacked, rootfs)
        initramfs.add_modules(wanted["modules"], abi, unpacked[f"linux-image-{abi}"], rootfs)
    initramfs.add_built(wanted["built"], rootfs)
    shutil.copy2(ROOT / "guest/rootfs" / SEND_SYMBOLS, rootfs / SEND_SYMBOLS)
    add_lab(rootfs)
    initramfs.pack(rootfs, INITRD)


def unpack(directory, file):
    directory.mkdir()
    shell.output(["dpkg-deb", "-x", guest.DEBS / file, directory])
    return directory


def add_lab(rootfs):
    """Compiles the programs of guest/lab into /bin and copies its scripts, init to the root and the others to /lab."""
    for path in sorted(SOURCES.iterdir()):
        if path.suffix == ".c":
            shell.output([COMPILER, *FLAGS, "-o", rootfs / "bin" / path.stem, path])
        elif not path.suffix:
            shutil.copy2(path, rootfs / (path.name if path.name == "init" else f"lab/{path.name}"))
