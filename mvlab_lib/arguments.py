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


def add_modules(parser, metavar, modules):
    """A choice of modules ({name: module}) in a verb's parser, each with its own options and main(), which the verb then is."""
    choices = parser.add_subparsers(metavar=metavar, required=True)
    for name, module in modules.items():
        choice = choices.add_parser(name, help=module.__doc__.splitlines()[0], description=module.__doc__, allow_abbrev=False)
        module.add_arguments(choice)
        choice.set_defaults(module=module)
