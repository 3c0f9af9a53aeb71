# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the overlay as a patch series for QEMU's source: the patches to QEMU, then one patch for each part of the overlay."""
import shutil
import tempfile
from pathlib import Path

from . import overlay, shell
from .errors import Error
from .paths import ROOT

IDENTITY = {"GIT_AUTHOR_NAME": "mvlab", "GIT_AUTHOR_EMAIL": "mvlab@localhost",
            "GIT_COMMITTER_NAME": "mvlab", "GIT_COMMITTER_EMAIL": "mvlab@localhost"}


def check(directory):
    """Refuses a directory that the series would be lost in."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise Error(f"--export {directory}: exists and is not an empty directory")


def export(tree, managed, directory):
    """Writes the series for the overlaid tree into an empty or new directory; returns the patch files."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        repository = Path(name)
        overlay.originals(tree, managed).copy_to(repository, overlay.touched_files())
        git(repository, "init", "-q")
        commit(repository, "QEMU as it was", "--allow-empty")
        for patch in overlay.patches():
            if not overlay.applied(repository, patch):
                git(repository, "am", "-q", patch)
        for part in overlay.parts():
            add_part(repository, part)
            commit(repository, part["subject"])
        first = git(repository, "rev-list", "--max-parents=0", "HEAD").strip()
        return git(repository, "format-patch", "-q", "--no-signature", "-o", directory.absolute(), f"{first}..HEAD")


def add_part(repository, part):
    """Copies what the part links to, and applies its hooks."""
    for item in part["links"]:
        for link in filter(lambda link: link.exported, overlay.expand(item)):
            for file in files_of(link.target):
                destination = repository / link.path / file.relative_to(link.target)
                destination.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, destination)
    for hook in part["hooks"]:
        overlay.apply_hook(repository, hook)


def files_of(path):
    """The files of the checkout at or below path, without what git ignores."""
    listed = shell.output(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path])
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def commit(repository, message, *options):
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--no-verify", *options, "-m", message)


def git(repository, *arguments):
    return shell.output(["git", "-C", repository, *map(str, arguments)],
                        env=shell.environment(**IDENTITY, GIT_CONFIG_GLOBAL="/dev/null"))
