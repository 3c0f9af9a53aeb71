# SPDX-License-Identifier: GPL-2.0-or-later
"""Values of options: what cannot work is refused before anything is built or booted."""
import argparse
from pathlib import Path

from .errors import Error


def text(value):
    """A value that is not empty."""
    if not value:
        raise argparse.ArgumentTypeError("the value is empty")
    return value


def path(value):
    """A file name that is not empty."""
    return Path(text(value))


def check_writable(option, file):
    """Refuses a file that cannot be written."""
    if not file.absolute().parent.is_dir():
        raise Error(f"{option} {file}: no such directory")
    existed = file.exists()
    try:
        file.open("ab").close()
    except OSError as err:
        raise Error(f"{option} {file}: {err.strerror}") from err
    if not existed:
        file.unlink()
