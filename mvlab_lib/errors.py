# SPDX-License-Identifier: GPL-2.0-or-later
"""The one exception that ends a command: its text is the one line the user reads."""


class Error(Exception):
    """Something the user can act on. Ends ./mvlab with status 2."""
