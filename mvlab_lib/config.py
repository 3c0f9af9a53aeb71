# SPDX-License-Identifier: GPL-2.0-or-later
"""The data files qemu/qemu.toml, qemu/overlay.toml and guest/guest.toml."""
import functools
import tomllib

from .errors import Error
from .paths import ROOT


@functools.cache
def load(name):
    """The parsed TOML file at ROOT/name."""
    try:
        return tomllib.loads((ROOT / name).read_text())
    except OSError as err:
        raise Error(f"{name}: {err.strerror}") from err
    except tomllib.TOMLDecodeError as err:
        raise Error(f"{name}: {err}") from err
