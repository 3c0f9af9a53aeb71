# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the guest's initramfs: busybox, a few programs with their libraries, kernel modules, and guest/rootfs."""
import gzip
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import shell
from .errors import Error
from .paths import ROOT, SYSTEM_PATH

CROSS_COMPILE = ["arm-linux-gnueabi-gcc", "-march=armv5te", "-marm", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding",
                 "-nostdlib", "-static", "-Wl,--build-id=none", "-s"]
LIBRARY_DIRECTORIES = ["lib/arm-linux-gnueabi", "usr/lib/arm-linux-gnueabi", "lib", "usr/lib"]


def make(wanted, abi, unpacked, rootfs, initrd):
    """Fills the directory rootfs from unpacked packages ({name: directory}) and packs it into the file initrd."""
    shutil.rmtree(rootfs, ignore_errors=True)
    shutil.copytree(ROOT / "guest/rootfs", rootfs)
    for name in ("dev", "proc", "sys", "root", "run", "tmp", "mnt", "bin", "sbin", "usr/bin", "usr/sbin"):
        (rootfs / name).mkdir(parents=True, exist_ok=True)
    add_busybox(unpacked["busybox-static"], rootfs)
    add_programs(wanted["programs"], unpacked, rootfs)
    add_built(wanted["built"], rootfs)
    add_modules(wanted["modules"], abi, next(d for n, d in unpacked.items() if n == f"linux-image-{abi}"), rootfs)
    pack(rootfs, initrd)


def add_busybox(package, rootfs):
    """Copies busybox and links /bin/sh; /init makes the links for its other names."""
    shutil.copy2(package / "bin/busybox", rootfs / "bin/busybox")
    (rootfs / "bin/sh").symlink_to("busybox")


def add_programs(programs, unpacked, rootfs):
    """Copies programs and, recursively, the shared libraries they need."""
    for program in programs:
        origin = find(program, unpacked)
        shutil.copy2(origin, rootfs / program)
        add_libraries(origin, unpacked, rootfs / "lib")


def add_built(sources, rootfs):
    """Compiles programs of ours, which need no library."""
    for program, origin in sources.items():
        shell.output([*CROSS_COMPILE, "-o", rootfs / program, ROOT / origin])


def add_libraries(binary, unpacked, directory):
    listed = shell.output(["readelf", "-d", binary])
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", listed):
        if not (directory / name).exists():
            origin = find_library(name, unpacked, binary)
            shutil.copy2(origin, directory / name)
            add_libraries(origin, unpacked, directory)


def find(path, unpacked):
    """The file at path in whichever package has it."""
    for directory in unpacked.values():
        if (directory / path).is_file():
            return directory / path
    raise Error(f"guest/guest.toml: no package has {path}")


def find_library(name, unpacked, binary):
    for directory in LIBRARY_DIRECTORIES:
        for package in unpacked.values():
            if (package / directory / name).is_file():
                return package / directory / name
    raise Error(f"guest/guest.toml: {binary.name} needs {name}, which no package has")


def add_modules(names, abi, package, rootfs):
    """Copies the named modules and those they depend on, with the indexes that modprobe reads."""
    depmod(package, abi)
    tree = package / "lib/modules" / abi
    wanted = closure(names, dependencies(tree / "modules.dep"), builtin(tree / "modules.builtin"))
    for path in wanted:
        target = rootfs / "lib/modules" / abi / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / path, target)
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        shutil.copy2(tree / name, rootfs / "lib/modules" / abi / name)
    depmod(rootfs, abi)


def depmod(directory, abi):
    shell.output(["depmod", "-b", directory, abi], env=shell.environment(PATH=SYSTEM_PATH))


def dependencies(index):
    """{module path: [paths it needs]} from a modules.dep file."""
    pairs = (line.split(":", 1) for line in index.read_text().splitlines())
    return {path: needs.split() for path, needs in pairs}


def builtin(index):
    """The names of the modules that are part of the kernel."""
    return {module_name(line) for line in index.read_text().splitlines()}


def module_name(path):
    return path.rsplit("/", 1)[-1].split(".ko", 1)[0].replace("-", "_")


def closure(names, needs, inside):
    """The paths of the named modules and of all they need, sorted. Built-in ones have no path."""
    by_name = {module_name(path): path for path in needs}
    found = set()
    for name in (name.replace("-", "_") for name in names):
        if name in by_name:
            found.update([by_name[name], *needs[by_name[name]]])
        elif name not in inside:
            raise Error(f"guest/guest.toml: the kernel package has no module {name}")
    return sorted(found)


def pack(rootfs, initrd):
    """Packs a directory into a gzipped cpio archive, all files root's and from 1970: the same files make the same archive."""
    for path in rootfs.rglob("*"):
        os.utime(path, (0, 0), follow_symlinks=False)
    names = sorted(str(path.relative_to(rootfs)) for path in rootfs.rglob("*"))
    done = subprocess.run(["cpio", "--quiet", "--reproducible", "-0", "-o", "-H", "newc", "-R", "0:0"], cwd=rootfs,
                          input="\0".join(names).encode(), capture_output=True, check=False)
    if done.returncode:
        raise Error(f"cpio: {shell.last_line(done.stderr.decode(errors='replace'))}")
    initrd.write_bytes(gzip.compress(done.stdout, 9, mtime=0))


def with_job(script, initrd, path):
    """Writes a copy of the file initrd to path that has the shell script as /lib/mvlab/job, run with mvlab=job; returns path."""
    with tempfile.TemporaryDirectory() as scratch:
        job = Path(scratch) / "root/lib/mvlab/job"
        job.parent.mkdir(parents=True)
        job.write_text(script)
        job.chmod(0o755)
        for made in (Path(scratch) / "root").rglob("*"):
            os.utime(made, (0, 0))      # the archive's time would be the guest's
        extra = Path(scratch) / "extra.gz"
        pack(Path(scratch) / "root", extra)
        path.write_bytes(initrd.read_bytes() + extra.read_bytes())
    return path
