# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU plugins: built with the tests' programs, found in build/plugins."""
from .paths import BUILD

DIRECTORY = BUILD / "plugins"
FUNCPROF = DIRECTORY / "libfuncprof.so"
TARGETS = ["plugins/funcprof/libfuncprof.so"]   # of the top-level meson.build


def link(out):
    """Links the plugins of a meson build directory into build/plugins."""
    DIRECTORY.mkdir(exist_ok=True)
    for target in TARGETS:
        path = out / target
        if not (DIRECTORY / path.name).is_symlink():
            (DIRECTORY / path.name).symlink_to(path)
