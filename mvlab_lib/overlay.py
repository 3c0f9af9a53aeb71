# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds mvlab's sources to a QEMU tree: links, patches and one-line hooks, as qemu/overlay.toml says.

The result is a function of the tree as it was and of the overlay's data: patches and hooks are applied to copies of the
original files, and the tree is written only where it differs. Applying twice changes nothing; a hook that is taken away
disappears from the tree.
"""
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import config, shell
from .errors import Error
from .paths import QEMU, ROOT, SYSTEM_PATH

DATA = "qemu/overlay.toml"
PATCHES = ROOT / "qemu/patches"


@dataclass(frozen=True)
class Link:
    """A path of the QEMU tree that stands for one of the checkout."""
    path: str
    target: Path
    exported: bool = True    # whether a series for QEMU has it


def parts():
    return config.load(DATA)["part"]


def links():
    """The links of the overlay, patterns expanded. A pattern that matches nothing is an error."""
    return [link for part in parts() for item in part["links"] for link in expand(item)]


def expand(item):
    """The links of one entry."""
    targets = sorted(ROOT.glob(item["from"]))
    if not targets:
        raise Error(f"{DATA}: link {item['from']}: no such file or directory in the checkout")
    if "as" in item:
        return [Link(item["as"], targets[0], item.get("exported", True))]
    directory = Path(item.get("to", Path(item["from"]).parent))
    return [Link(str(directory / target.name), target) for target in targets]


def patches():
    """The patch files in the order in which they apply."""
    return sorted(PATCHES.glob("*.patch"))


def hooks():
    return [hook for part in parts() for hook in part["hooks"]]


def patched_files(patch):
    """The paths that a patch touches, relative to the tree."""
    return re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.MULTILINE)


def touched_files():
    """Every file that a patch or a hook changes."""
    names = [hook["file"] for hook in hooks()]
    for patch in patches():
        names += patched_files(patch)
    return list(dict.fromkeys(names))


def apply(tree, managed):
    """Brings tree into the overlaid state. The originals of a managed tree are kept; another tree is its own original."""
    before = originals(tree, managed)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        files = touched_files()
        before.copy_to(scratch, files)
        change(scratch)
        before.restore_all_but(files)
        for file in files:
            write_if_changed(tree / file, scratch / file)
    make_links(tree, links())


def originals(tree, managed):
    """The files of the tree as they were before the overlay."""
    return Originals(tree, QEMU / "pristine" if managed else None)


def change(tree):
    """Applies the patches, then the hooks, to the files in tree."""
    for patch in patches():
        apply_patch(tree, patch)
    for hook in hooks():
        apply_hook(tree, hook)


def apply_patch(tree, patch):
    """Applies one patch, without fuzz, unless it is already there."""
    if applied(tree, patch):
        return
    done = run_patch(tree, patch, "-F0")
    if done.returncode:
        raise Error(f"{patch.relative_to(ROOT)} does not apply: {' '.join((done.stdout + done.stderr).split())}")


def applied(tree, patch):
    return run_patch(tree, patch, "-R", "--dry-run").returncode == 0


def run_patch(tree, patch, *options):
    return shell.attempt(["patch", "-p1", "-f", "-s", "--no-backup-if-mismatch", "-r", "-", "-d", tree, "-i", patch, *options],
                         env=shell.environment(PATH=SYSTEM_PATH))


def apply_hook(tree, hook):
    """Inserts the hook's line after or before its anchor unless it is already there."""
    path = tree / hook["file"]
    position, anchor = ("after", hook["after"]) if "after" in hook else ("before", hook["before"])
    lines = path.read_text().splitlines(keepends=True)
    places = [number for number, line in enumerate(lines) if line.rstrip("\n") == anchor]
    if len(places) != 1:
        at = ", ".join(f"line {place + 1}" for place in places) or "no line"
        raise Error(f"{hook['file']}: the anchor {anchor!r} must match exactly one line, matches {at}")
    line = hook["insert"] + "\n"
    if line not in lines:
        lines.insert(places[0] + (position == "after"), line)
        path.write_text("".join(lines))


class Originals:
    """The unchanged versions of the files that the overlay changes."""

    def __init__(self, tree, store):
        self.tree, self.store = tree, store

    def copy_to(self, scratch, files):
        """Copies the originals of files below scratch, saving those not saved yet. A patch may add a file that has none."""
        for file in files:
            original = self.original(file)
            if original.is_file():
                copy(original, scratch / file)
            elif file in {hook["file"] for hook in hooks()}:
                raise Error(f"{file}: not in the QEMU tree {self.tree}")
            else:
                (scratch / file).parent.mkdir(parents=True, exist_ok=True)

    def original(self, file):
        if self.store is None:
            return self.tree / file
        saved, absent = self.store / file, self.store / (file + ".absent")
        if not saved.exists() and not absent.exists():
            if (self.tree / file).is_file():
                copy(self.tree / file, saved)
            else:
                absent.parent.mkdir(parents=True, exist_ok=True)
                absent.touch()
        return saved

    def restore_all_but(self, files):
        """Undoes what an earlier overlay changed and this one does not."""
        if self.store is None or not self.store.is_dir():
            return
        for saved in [path for path in self.store.rglob("*") if path.is_file()]:
            file = str(saved.relative_to(self.store)).removesuffix(".absent")
            if file in files:
                continue
            if saved.suffix == ".absent":
                (self.tree / file).unlink(missing_ok=True)
            else:
                write_if_changed(self.tree / file, saved)
            saved.unlink()


def copy(source, destination):
    destination.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, destination)


def write_if_changed(destination, source):
    """Copies source over destination, but leaves an equal file and its time stamp alone."""
    if not destination.is_file() or destination.read_bytes() != source.read_bytes():
        copy(source, destination)


def make_links(tree, wanted):
    """Makes the links, and removes links into the checkout that are no longer wanted."""
    for link in wanted:
        path = tree / link.path
        if path.is_symlink():
            if path.readlink() == link.target:
                continue
            path.unlink()
        elif path.exists():
            raise Error(f"{path}: is in the way of a link to {link.target}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(link.target)
    remove_stale_links(tree, {link.path for link in wanted})


def remove_stale_links(tree, wanted):
    """Removes links beside the wanted ones that point into the checkout, or nowhere, and are not wanted."""
    for directory in {(tree / path).parent for path in wanted}:
        for path in directory.iterdir():
            if path.is_symlink() and str(path.relative_to(tree)) not in wanted:
                if path.readlink().is_relative_to(ROOT) or not path.exists():
                    path.unlink()
