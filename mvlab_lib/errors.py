# SPDX-License-Identifier: GPL-2.0-or-later
"""The one exception that ends a command: its text is the one line the user reads."""


class Error(Exception):
    """Something the user can act on. Ends ./mvlab with status 2."""


def described(err, where="system"):
    """An exception as one line. `where` stands for the file that an OSError does not name."""
    if isinstance(err, Error):
        return str(err)
    if isinstance(err, OSError):
        return f"{err.filename or where}: {err.strerror or err}"
    return " ".join(f"{type(err).__name__}: {err}".split())
