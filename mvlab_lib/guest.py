# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's software: Debian's armel kernel, device trees, U-Boot, and an initramfs of Debian's user space.

Files from packages are copied byte for byte into build/guest/; manifest.json there says where each came from.
"""
import json
import re
import shutil

from . import config, host, initramfs, shell
from .apt import Archive
from .errors import Error
from .files import write_atomically
from .paths import BUILD, CACHE, GUEST, ROOT
from .stamp import Stamp, digest, recorded, sha256

CONFIG = "guest/guest.toml"
DEBS = CACHE / "debs"
RECORD = CACHE / "guest.json"
MANIFEST = GUEST / "manifest.json"
KERNEL = GUEST / "kernel"
INITRD = GUEST / "initrd.gz"
UBOOT_INITRD = GUEST / "uInitrd"      # the same with the header that U-Boot wants
ROOTFS = GUEST / "rootfs"


def boards():
    """{board: {dtb, uboot}} as guest/guest.toml has it."""
    return config.load(CONFIG)["boards"]


def dtb(board):
    """The board's device tree in build/guest/."""
    return GUEST / "dtb" / boards()[board]["dtb"]


def uboot(board):
    """The board's U-Boot image in build/guest/."""
    if "uboot" not in boards()[board]:
        having = ", ".join(name for name, data in boards().items() if "uboot" in data)
        raise Error(f"Debian has no U-Boot for {board}; it has one for {having}")
    return GUEST / "uboot" / boards()[board]["uboot"] / "u-boot.kwb"


def manifest():
    """What is in build/guest/: kernel ABI, packages with versions and sums, files with their packages and sums."""
    found = recorded(MANIFEST)
    if not found:
        raise Error(f"{MANIFEST}: damaged; without {GUEST} it is made anew")
    return found


def prepare(update=False):
    """Brings build/guest/ up to date."""
    with shell.locked(BUILD / "lock"):
        host.prepare()
        with shell.locked(CACHE / "lock"):
            record = fetched(update)
        stamp = Stamp(GUEST / "stamp", digest(record, config.load(CONFIG), ROOT / "guest/rootfs", ROOT / "guest/mark",
                                              ROOT / "mvlab_lib/guest.py", ROOT / "mvlab_lib/initramfs.py"))
        if not stamp.current():
            shell.say(f"making the guest's files: Linux {record['abi']}")
            stamp.forget()
            assemble(record)
            stamp.write()


def fetched(update=False):
    """The record of the downloaded packages, from the cache if it still fits guest.toml."""
    record = {} if update else recorded(RECORD)
    if record.get("for") == wanted_digest() and all(intact(item) for item in record["packages"].values()):
        return record
    record = fetch()
    write_atomically(RECORD, json.dumps(record, indent=1))
    return record


def wanted_digest():
    wanted = config.load(CONFIG)
    return digest([wanted[name] for name in ("suite", "architecture", "kernel", "packages")])


def intact(item):
    path = DEBS / item["file"]
    return path.is_file() and sha256(path) == item["sha256"]


def fetch():
    """Downloads the current kernel and the other packages."""
    wanted = config.load(CONFIG)
    archive = Archive(wanted["suite"], wanted["architecture"])
    depends = archive.show(wanted["kernel"])["Depends"]
    match = re.match(r"linux-image-(\S+)", depends)
    if not match:
        raise Error(f"{wanted['kernel']} depends on {depends!r}, not on a kernel")
    shell.say(f"fetching Linux {match.group(1)}, U-Boot and user space ({wanted['suite']}, {wanted['architecture']})")
    packages = archive.download([match.group(0), *wanted["packages"]], DEBS)
    return {"for": wanted_digest(), "suite": wanted["suite"], "architecture": wanted["architecture"],
            "abi": match.group(1), "kernel": match.group(0), "packages": packages}


def assemble(record):
    """Unpacks the packages and makes everything in build/guest/ from them."""
    shutil.rmtree(GUEST, ignore_errors=True)
    unpacked = {name: unpack(name, item["file"]) for name, item in record["packages"].items()}
    kernel, uboots = unpacked[record["kernel"]], unpacked["u-boot"]
    files = {KERNEL: kernel / f"boot/vmlinuz-{record['abi']}"}
    for board, data in boards().items():
        files[dtb(board)] = kernel / f"usr/lib/linux-image-{record['abi']}" / data["dtb"]
        if "uboot" in data:
            files[uboot(board)] = uboots / "usr/lib/u-boot" / data["uboot"] / "u-boot.kwb"
    for destination, origin in files.items():
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, destination)
    initramfs.make(config.load(CONFIG), record["abi"], unpacked, ROOTFS, INITRD)
    wrap_initrd()
    sums = {str(path.relative_to(GUEST)): described(origin, unpacked, path) for path, origin in files.items()}
    shutil.rmtree(GUEST / "unpacked")
    write_atomically(MANIFEST, json.dumps({**record, "files": sums}, indent=1))


def wrap_initrd():
    """Gives the initramfs the header without which U-Boot does not take it."""
    shell.output(["mkimage", "-A", "arm", "-O", "linux", "-T", "ramdisk", "-C", "none", "-d", INITRD, UBOOT_INITRD])


def unpack(name, file):
    """Unpacks one package below build/guest/unpacked; returns the directory."""
    directory = GUEST / "unpacked" / name
    directory.mkdir(parents=True)
    shell.output(["dpkg-deb", "-x", DEBS / file, directory])
    return directory


def described(origin, unpacked, path):
    """The manifest's entry of one file."""
    package = origin.relative_to(GUEST / "unpacked").parts[0]
    return {"package": package, "path": str(origin.relative_to(unpacked[package])), "sha256": sha256(path)}
