# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel for versatilepb: Debian's source package of Linux 6.1, multi_v5_defconfig, guest/bench/multi_v5.config.

Debian has no kernel package for that board. The result is kept in the cache.
"""
import shutil
import tempfile
from pathlib import Path

from . import host, shell
from .apt import Archive
from .paths import CACHE, ROOT, SYSTEM_PATH
from .stamp import Stamp, digest

PACKAGE, SUITE = "linux-source-6.1", "bookworm"
FRAGMENT = ROOT / "guest/bench/multi_v5.config"
DIRECTORY = CACHE / "multi_v5"
KERNEL, DTB = DIRECTORY / "zImage", DIRECTORY / "versatile-pb.dtb"
HOST_PACKAGES = ["bc", "bison", "build-essential", "ccache", "flex", "gcc-arm-linux-gnueabi", "xz-utils"]


def prepare():
    """Builds the kernel unless the cache has it."""
    with shell.locked(CACHE / "lock"):
        stamp = Stamp(DIRECTORY / "stamp", digest(FRAGMENT, Path(__file__)))
        if stamp.current() and KERNEL.is_file() and DTB.is_file():
            return
        host.install(HOST_PACKAGES)
        shell.say(f"fetching {PACKAGE}")
        record = Archive(SUITE, host.architecture()).download([PACKAGE], CACHE / "debs")[PACKAGE]
        with tempfile.TemporaryDirectory(dir=CACHE) as name:
            build(Path(name), CACHE / "debs" / record["file"])
        stamp.write()


def build(scratch, package):
    """Unpacks and builds in scratch; leaves kernel and device tree in DIRECTORY."""
    shell.say(f"building Linux for versatilepb from {package.name}")
    shell.output(["dpkg-deb", "-x", package, scratch])
    shell.output(["tar", "-C", scratch, "-xf", scratch / f"usr/src/{PACKAGE}.tar.xz"])
    tree = scratch / PACKAGE
    env = shell.environment(PATH=SYSTEM_PATH, CCACHE_DIR=CACHE / "ccache", CCACHE_BASEDIR=scratch, CCACHE_NOHASHDIR=1,
                            KBUILD_BUILD_TIMESTAMP="1970-01-01", KBUILD_BUILD_USER="mvlab", KBUILD_BUILD_HOST="mvlab")
    make = ["make", "-C", tree, "ARCH=arm", "CROSS_COMPILE=ccache arm-linux-gnueabi-"]
    shutil.copyfile(FRAGMENT, tree / "arch/arm/configs/mvlab.config")
    shell.logged([*make, "multi_v5_defconfig", "mvlab.config"], "multi_v5-config.log", env=env)
    shell.logged([*make, "-j2", "zImage", "dtbs"], "multi_v5-make.log", env=env)
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(tree / "arch/arm/boot/zImage", KERNEL)
    shutil.copyfile(tree / "arch/arm/boot/dts/versatile-pb.dtb", DTB)
