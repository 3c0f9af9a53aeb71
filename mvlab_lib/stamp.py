# SPDX-License-Identifier: GPL-2.0-or-later
"""Stamp files: a step is done when its stamp holds the digest of everything the step depends on."""
import hashlib
import json
from pathlib import Path

from .files import write_atomically


def digest(*inputs):
    """A hex digest of inputs: a Path stands for its contents (a directory for all files below), the rest for their JSON form."""
    total = hashlib.sha256()
    for item in inputs:
        if isinstance(item, Path):
            for path in files_below(item):
                total.update(f"{path.relative_to(item.parent)}:{path.stat().st_mode & 0o111}:".encode())
                total.update(hashlib.sha256(path.read_bytes()).digest())
        else:
            total.update(json.dumps(item, sort_keys=True, default=str).encode())
        total.update(b"\0")
    return total.hexdigest()


def files_below(path):
    """The files of a directory tree in a fixed order, or the file itself."""
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


def sha256(path):
    """The hex SHA-256 of one file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def recorded(path):
    """The JSON object that an earlier step left in a file; an empty one if there is none, or if it is damaged."""
    try:
        found = json.loads(path.read_text())
    except (FileNotFoundError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


class Stamp:
    """The record that a step ran with certain inputs."""

    def __init__(self, path, key):
        self.path, self.key = path, key

    def current(self):
        return self.path.is_file() and self.path.read_text() == self.key

    def forget(self):
        self.path.unlink(missing_ok=True)

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, self.key)
