# SPDX-License-Identifier: GPL-2.0-or-later
"""Hooks need exactly one anchor, applying twice changes nothing, and what is taken away disappears."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tapmain
from mvlab_lib import config, overlay
from mvlab_lib.errors import Error

PATCH = """\
--- a/added.c
+++ b/added.c
@@ -0,0 +1 @@
+int added;
--- a/core.c
+++ b/core.c
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
"""


class Overlay(unittest.TestCase):
    def setUp(self):
        top = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tree, self.checkout = top / "tree", top / "checkout"
        (self.tree / "hw").mkdir(parents=True)
        (self.tree / "hw/Kconfig").write_text("first\nsecond\n")
        (self.tree / "core.c").write_text("one\ntwo\nthree\n")
        (self.checkout / "hw/new").mkdir(parents=True)
        (self.checkout / "patches").mkdir()
        for name, value in {"ROOT": self.checkout, "PATCHES": self.checkout / "patches", "QEMU": top / "state"}.items():
            self.enterContext(mock.patch.object(overlay, name, value))
        self.data = {"part": [{"links": [{"from": "hw/new"}],
                               "hooks": [{"file": "hw/Kconfig", "after": "first", "insert": "source new"}]}]}
        self.enterContext(mock.patch.object(config, "load", side_effect=lambda _: self.data))

    @property
    def hook(self):
        return self.data["part"][0]["hooks"][0]

    def apply(self, managed=True):
        overlay.apply(self.tree, managed)

    def contents(self):
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in self.tree.rglob("*") if path.is_file()}

    def test_hook_and_link(self):
        self.apply()
        self.assertEqual((self.tree / "hw/Kconfig").read_text(), "first\nsource new\nsecond\n")
        self.assertEqual((self.tree / "hw/new").readlink(), self.checkout / "hw/new")

    def test_before(self):
        self.hook["before"] = self.hook.pop("after")
        self.apply()
        self.assertEqual((self.tree / "hw/Kconfig").read_text(), "source new\nfirst\nsecond\n")

    def test_twice_is_once(self):
        for managed in (True, False):
            self.apply(managed)
            before = self.contents()
            self.apply(managed)
            self.assertEqual(self.contents(), before)

    def test_anchor_twice(self):
        (self.tree / "hw/Kconfig").write_text("first\nsecond\nfirst\n")
        with self.assertRaisesRegex(Error, r"hw/Kconfig: the anchor 'first' must match exactly one line, matches line 1, line 3"):
            self.apply()

    def test_anchor_missing(self):
        self.hook["after"] = "firs"
        with self.assertRaisesRegex(Error, "hw/Kconfig: .* matches no line"):
            self.apply()
        self.assertEqual((self.tree / "hw/Kconfig").read_text(), "first\nsecond\n")

    def test_file_missing(self):
        self.hook["file"] = "hw/none"
        with self.assertRaisesRegex(Error, "hw/none: not in the QEMU tree"):
            self.apply()

    def test_hook_taken_away(self):
        self.apply()
        self.data["part"][0]["hooks"].clear()
        self.apply()
        self.assertEqual((self.tree / "hw/Kconfig").read_text(), "first\nsecond\n")

    def test_link_without_target(self):
        self.data["part"][0]["links"].append({"from": "hw/nothing"})
        with self.assertRaisesRegex(Error, "link hw/nothing: no such file"):
            self.apply()

    def test_link_in_the_way(self):
        (self.tree / "hw/new").mkdir()
        with self.assertRaisesRegex(Error, "in the way"):
            self.apply()

    def test_link_that_no_series_has(self):
        (self.checkout / "build").mkdir()
        self.data["part"][0]["links"].append({"from": "build", "as": "hw/theirs", "exported": False})
        self.apply()
        self.assertEqual((self.tree / "hw/theirs").readlink(), self.checkout / "build")
        self.assertEqual({link.path: link.exported for link in overlay.links()}, {"hw/new": True, "hw/theirs": False})

    def test_renamed_target(self):
        self.apply()
        (self.checkout / "hw/new").rename(self.checkout / "hw/newer")
        self.data["part"][0]["links"] = [{"from": "hw/newer"}]
        self.apply()
        self.assertFalse((self.tree / "hw/new").is_symlink())
        self.assertTrue((self.tree / "hw/newer").is_dir())

    def test_patch(self):
        for managed in (True, False):
            (self.checkout / "patches/0001-x.patch").write_text(PATCH)
            self.apply(managed)
            self.assertEqual((self.tree / "core.c").read_text(), "one\nzwei\nthree\n")
            self.assertEqual((self.tree / "added.c").read_text(), "int added;\n")
            self.apply(managed)

    def test_patch_taken_away(self):
        patch = self.checkout / "patches/0001-x.patch"
        patch.write_text(PATCH)
        self.apply()
        patch.unlink()
        self.apply()
        self.assertEqual((self.tree / "core.c").read_text(), "one\ntwo\nthree\n")
        self.assertFalse((self.tree / "added.c").exists())

    def test_patch_that_does_not_apply(self):
        (self.checkout / "patches/0001-x.patch").write_text(PATCH.replace("-two", "-deux"))
        with self.assertRaisesRegex(Error, "patches/0001-x.patch does not apply"):
            self.apply()
        self.assertEqual((self.tree / "core.c").read_text(), "one\ntwo\nthree\n")


if __name__ == "__main__":
    tapmain.main()
