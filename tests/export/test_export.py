# SPDX-License-Identifier: GPL-2.0-or-later
"""The exported patch series applies to Debian's QEMU source, builds there, and passes QEMU's own tests of every machine and device."""
import os
import shutil
import subprocess
import unittest

import tapmain
from mvlab_lib import build, export, overlay, shell, source
from mvlab_lib.paths import BUILD

WORK = BUILD / "export"
SERIES, TREE, OUT = WORK / "series", WORK / "src", WORK / "out"
QTESTS = ("qom-test", "device-introspect-test", "test-hmp")


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        export.export(source.managed_tree(), True, SERIES)
        cls.patches = sorted(SERIES.glob("*.patch"))
        source.unpack(source.DOWNLOADS / source.fetched()["dsc"], TREE)
        for name in overlay.touched_files():
            (WORK / "touched" / name).parent.mkdir(parents=True, exist_ok=True)
            if (TREE / name).is_file():
                shutil.copyfile(TREE / name, WORK / "touched" / name)
        export.git(TREE, "init", "-q")
        export.commit(TREE, "Debian's source")
        export.git(TREE, "am", "-q", *cls.patches)
        env = build.build_environment(build.prepare_tools()) | {"CCACHE_BASEDIR": str(WORK)}
        OUT.mkdir()
        shell.logged([TREE / "configure", *build.Variant().options, "--enable-werror"], "export-configure.log", cwd=OUT, env=env)
        shell.logged(["ninja", "-C", OUT, build.EMULATOR, *(f"tests/qtest/{name}" for name in QTESTS)], "export-ninja.log", env=env)

    def test_one_patch_for_each_part(self):
        self.assertEqual(len(self.patches), len(overlay.patches()) + len(overlay.parts()))

    def test_applies_with_patch(self):
        for patch in self.patches:
            done = shell.attempt(["patch", "-p1", "-s", "-F0", "-d", WORK / "touched", "-i", patch])
            self.assertEqual(done.returncode, 0, f"{patch.name}: {done.stdout}")

    def test_real_files(self):
        """No link of the overlay is left."""
        for link in overlay.links():
            self.assertEqual((TREE / link.path).exists(), link.exported, link.path)
            self.assertFalse((TREE / link.path).is_symlink(), link.path)

    def run_qtest(self, name):
        env = os.environ | {"QTEST_QEMU_BINARY": f"./{build.EMULATOR}"}
        done = subprocess.run([OUT / "tests/qtest" / name, "--tap", "-k", "-m=quick"], cwd=OUT, env=env, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        self.assertNotIn("\nnot ok", done.stdout)
        return done.stdout

    def test_qom(self):
        self.assertIn("/arm/qom/sheevaplug", self.run_qtest("qom-test"))

    def test_device_introspect(self):
        self.run_qtest("device-introspect-test")

    def test_hmp(self):
        self.assertIn("/arm/hmp/sheevaplug", self.run_qtest("test-hmp"))


if __name__ == "__main__":
    tapmain.main()
