# SPDX-License-Identifier: GPL-2.0-or-later
"""Configures and builds QEMU from the overlaid tree, one output directory per variant."""
import hashlib
import os
import shutil
from dataclasses import dataclass

from . import arguments, config, host, overlay, shell, source
from .apt import Archive
from .errors import Error
from .paths import BUILD, CACHE, QEMU, ROOT, SYSTEM_PATH, SYSTEM_PYTHON
from .stamp import Stamp, digest

CONFIG = "qemu/qemu.toml"
DEBS = CACHE / "debs"
TOOLS = CACHE / "tools"
TOOLS_PYTHON_PATH = TOOLS / "usr/lib/python3/dist-packages"
EMULATOR = "qemu-system-arm"
EVENTS = "trace/trace-events-all"    # its trace events


@dataclass(frozen=True)
class Variant:
    """How this QEMU differs from the default one."""
    peers: bool = False
    sanitize: bool = False
    compiler: str = "gcc"

    @staticmethod
    def add_arguments(parser):
        group = parser.add_argument_group("variant of QEMU, each with its own build directory")
        group.add_argument("--with-peers", action="store_true",
                           help="with the boards to compare with: palmetto-bmc, versatilepb, imx25-pdk")
        group.add_argument("--sanitize", action="store_true", help="with the address and undefined-behaviour sanitizers")
        group.add_argument("--cc", metavar="CC", type=arguments.text, default=os.environ.get("MVLAB_CC") or "gcc",
                           help="C compiler (default: MVLAB_CC, else gcc)")

    @staticmethod
    def of(args):
        return Variant(args.with_peers, args.sanitize, args.cc)

    @property
    def out(self):
        """The output directory."""
        tree = source.user_tree()
        names = ["out"]
        names += [hashlib.sha256(str(tree).encode()).hexdigest()[:8]] if tree else []
        names += [self.compiler.replace("/", "_")] if self.compiler != "gcc" else []
        names += ["sanitize"] if self.sanitize else []
        names += ["peers"] if self.peers else []
        return QEMU / "-".join(names)

    @property
    def emulator(self):
        return self.out / EMULATOR

    @property
    def options(self):
        """The options for QEMU's configure."""
        wanted = config.load(CONFIG)["configure"]
        return [f"--python={SYSTEM_PYTHON}", f"--cc=ccache {self.compiler}", *wanted["options"],
                f"--with-devices-arm={'mvlab-peers' if self.peers else 'mvlab'}",
                *(wanted["sanitize"] if self.sanitize else []),
                *(["--enable-werror"] if self.compiler.startswith("clang") else [])]    # it is there to find fault


def prepare_tools(update=False):
    """Puts newer Python build tools into the cache on a machine whose own are too old. Returns PYTHONPATH or None."""
    if TOOLS.is_dir() and not update:
        return TOOLS_PYTHON_PATH
    if not host.needs_private_tools():
        return None
    wanted = config.load(CONFIG)["tools"]
    shell.say(f"fetching {' and '.join(wanted['packages'])} from {wanted['suite']}")
    scratch = TOOLS.with_name("tools.new")
    shutil.rmtree(scratch, ignore_errors=True)
    for record in Archive(wanted["suite"], host.architecture()).download(wanted["packages"], DEBS).values():
        shell.output(["dpkg-deb", "-x", DEBS / record["file"], scratch])
    shutil.rmtree(TOOLS, ignore_errors=True)
    scratch.rename(TOOLS)
    return TOOLS_PYTHON_PATH


def build_environment(python_path):
    """The environment of configure and ninja: Debian's tools, and a compiler cache that clones share."""
    return shell.environment(PATH=SYSTEM_PATH, PYTHONPATH=python_path, CCACHE_DIR=CACHE / "ccache",
                             CCACHE_BASEDIR=ROOT, CCACHE_NOHASHDIR=1, NINJA_STATUS=None, LC_ALL="C.UTF-8")


def overlaid_tree(update=False):
    """The overlaid QEMU source tree: Debian's, fetched if need be, or the one that QEMU_SRC names."""
    with shell.locked(BUILD / "lock"):
        host.prepare()
        path = source.user_tree()
        managed = path is None
        with shell.locked(CACHE / "lock"):
            if managed:
                path = source.managed_tree(update)
            source.lwip_tree(update)
        overlay.apply(path, managed)
    return path


def build(variant, targets=(EMULATOR,), update=False):
    """Brings the variant's targets up to date; returns the output directory."""
    path = overlaid_tree(update)
    with shell.locked(BUILD / "lock"):
        check_compiler(variant.compiler)
        with shell.locked(CACHE / "lock"):
            env = build_environment(prepare_tools(update))
        configure(variant, path, env)
        shell.logged(["ninja", "-C", variant.out, *targets, EVENTS], f"ninja-{variant.out.name}.log", env=env)
    return variant.out


def check_compiler(compiler):
    """Refuses a compiler that does not exist; clang is installed if it is missing."""
    if compiler.startswith("clang"):
        host.install(config.load(CONFIG)["host"]["clang"])
    if not shutil.which(compiler, path=SYSTEM_PATH):
        raise Error(f"--cc {compiler}: no such compiler in {SYSTEM_PATH}")


def configure(variant, path, env):
    """Runs configure if the source tree, its options or the device list changed."""
    stamp = Stamp(variant.out / "mvlab.stamp", digest(str(path), str(variant.out), variant.options,
                                                      (QEMU / "src.stamp").read_text() if path == QEMU / "src" else ""))
    if stamp.current() and (variant.out / "build.ninja").is_file():
        return
    shell.say(f"configuring QEMU in {variant.out}")
    shutil.rmtree(variant.out, ignore_errors=True)
    variant.out.mkdir(parents=True)
    shell.logged([path / "configure", *variant.options], f"configure-{variant.out.name}.log", cwd=variant.out, env=env)
    stamp.write()
