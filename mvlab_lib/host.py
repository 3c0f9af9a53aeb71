# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine mvlab runs on: its release, and the Debian packages it must have."""
import functools
import os
import re
import shutil

from . import config, shell
from .errors import Error
from .paths import SYSTEM_PATH, SYSTEM_PYTHON

TOOL_VERSIONS = "import mesonbuild.coredata, pycotap; print(mesonbuild.coredata.version)"


@functools.cache
def codename():
    """The machine's Debian release, e.g. bookworm."""
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            match = re.search(r'^VERSION_CODENAME="?([\w-]+)', file.read(), re.MULTILINE)
    except OSError:
        match = None
    if not match or not shutil.which("apt-get", path=SYSTEM_PATH):
        raise Error("this machine is not a Debian with apt: mvlab sets itself up on Debian 12 and 13")
    return match.group(1)


@functools.cache
def architecture():
    """The machine's Debian architecture, e.g. amd64."""
    return shell.output(["dpkg", "--print-architecture"]).strip()


def needs_private_tools(python_path=None):
    """Whether the build tools that Python sees (with python_path added) are too old or absent."""
    env = shell.environment(PYTHONPATH=python_path)
    found = shell.attempt([SYSTEM_PYTHON, "-c", TOOL_VERSIONS], env=env)
    version = [int(part) for part in re.findall(r"\d+", found.stdout)[:2]]
    return found.returncode != 0 or version < config.load("qemu/qemu.toml")["tools"]["meson"]


def prepare():
    """Installs what this machine lacks to build and run the laboratory."""
    wanted = config.load("qemu/qemu.toml")
    newer = wanted["tools"]["packages"] if codename() != "bookworm" else []
    install([*wanted["host"]["packages"], *newer])


def install(packages):
    """Installs those of packages that the machine lacks, through its own apt-get, as root or through sudo."""
    missing = missing_of(packages)
    if not missing:
        return
    prefix = as_root(missing)
    shell.say(f"installing {len(missing)} Debian packages: {' '.join(missing)}")
    env = shell.environment(DEBIAN_FRONTEND="noninteractive", PATH=SYSTEM_PATH)
    shell.logged([*prefix, "apt-get", "update"], "apt-update.log", env=env)
    shell.logged([*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y",
                  "--no-install-recommends", *missing], "apt-install.log", env=env)


def missing_of(packages):
    """The packages that are not installed."""
    listed = shell.attempt(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *packages]).stdout
    installed = {line.split()[1] for line in listed.splitlines() if line.startswith("installed ")}
    return [name for name in packages if name not in installed]


def as_root(missing):
    """The command prefix that makes a command run as root."""
    if os.geteuid() == 0:
        return []
    if not shutil.which("sudo"):
        raise Error(f"need root or sudo to install: apt-get install {' '.join(missing)}")
    return ["sudo"]
