# SPDX-License-Identifier: GPL-2.0-or-later
"""Where everything is: the checkout, its build directory, and the cache that clones share."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mvlab"

LOGS = BUILD / "logs"
GUEST = BUILD / "guest"
QEMU = BUILD / "qemu"

# Debian's own tools and Python, whatever else is first on the user's PATH.
SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
SYSTEM_PYTHON = "/usr/bin/python3"
