# SPDX-License-Identifier: GPL-2.0-or-later
"""Values of options: what cannot work is refused before anything is built or booted."""
import argparse
import re
from pathlib import Path

from . import files
from .errors import Error


def text(value):
    """A value that is not empty."""
    if not value:
        raise argparse.ArgumentTypeError("the value is empty")
    return value


def path(value):
    """A file name that is not empty."""
    return Path(text(value))


def whole(low, high=None):
    """The type of a whole number in a range, written with the digits 0 to 9."""
    wanted = f"a whole number {f'from {low} to {high}' if high else f'above {low - 1}'}"

    def number(value):
        if not re.fullmatch("[0-9]{1,9}", value) or int(value) < low or (high and int(value) > high):
            raise argparse.ArgumentTypeError(f"{value!r}: must be {wanted}")
        return int(value)
    return number


positive = whole(1)


def check_writable(option, file):
    """Refuses a file that cannot be written."""
    try:
        if not file.absolute().parent.is_dir():
            raise Error(f"{option} {file}: no such directory")
        files.try_writing(file)
    except OSError as err:
        raise Error(f"{option} {file}: {err.strerror}") from err


def add_modules(parser, metavar, modules):
    """A choice of modules ({name: module}) in a verb's parser, each with its own options and main(), which the verb then is."""
    choices = parser.add_subparsers(metavar=metavar, required=True)
    for name, module in modules.items():
        choice = choices.add_parser(name, help=module.__doc__.splitlines()[0], description=module.__doc__, allow_abbrev=False)
        module.add_arguments(choice)
        choice.set_defaults(module=module)
