# SPDX-License-Identifier: GPL-2.0-or-later
"""Records of earlier steps: what is damaged is as if it were not there."""
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tapmain
from mvlab_lib import exp_guest, guest, source
from mvlab_lib.errors import Error

DAMAGED = ("", "{", "[]", "null", "[" * 100_000, '{"for": 1}')


class Records(unittest.TestCase):
    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "x.json"

    def test_packages_are_fetched_anew(self):
        self.enterContext(mock.patch.object(guest, "fetch", return_value={"packages": {}}))
        for module in (guest, exp_guest):
            with mock.patch.object(module, "RECORD", self.path), mock.patch.object(module, "Archive") as archive:
                archive.return_value.download.return_value = {}
                for text in DAMAGED:
                    self.path.write_text(text)
                    with self.subTest(f"{module.__name__} {text[:10]}"):
                        self.assertEqual(module.fetched()["packages"], {})
                        self.assertEqual(json.loads(self.path.read_text())["packages"], {})

    def test_sources_are_fetched_anew(self):
        package = source.QEMU_PACKAGE
        with mock.patch.object(source, "DOWNLOADS", self.path.parent), \
                mock.patch.object(source.Package, "fetch", return_value={"dsc": "d"}):
            for text in DAMAGED:
                package.record.write_text(text)
                with self.subTest(text[:10]):
                    self.assertEqual(package.fetched(), {"dsc": "d"})

    def test_manifest(self):
        with mock.patch.object(guest, "MANIFEST", self.path):
            for text in DAMAGED[:-1]:
                self.path.write_text(text)
                with self.subTest(text[:10]), self.assertRaisesRegex(Error, "x.json: damaged"):
                    guest.manifest()


if __name__ == "__main__":
    tapmain.main()
