# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's mirror is found in apt's own words, and package records are read as apt writes them."""
import unittest
from unittest import mock

import tapmain
from mvlab_lib import apt, host, shell
from mvlab_lib.errors import Error


class Mirrors(unittest.TestCase):
    def found(self, targets, release="bookworm"):
        apt.mirrors.cache_clear()
        with mock.patch.object(host, "codename", return_value=release), \
                mock.patch.object(shell, "output", return_value="\n".join(targets) + "\n"):
            return apt.mirrors()

    def test_main_archive_only(self):
        self.assertEqual(self.found([
            "http://a/debian/|bookworm|main|Debian",
            "http://a/debian/|bookworm-updates|main|Debian",
            "http://a/debian-security/|bookworm-security|main|Debian",
            "http://a/debian/|bookworm|contrib|Debian",
        ]), ["http://a/debian/"])

    def test_debian_first(self):
        """A third party may use Debian's suite and component names."""
        self.assertEqual(self.found(["http://other/apt/|bookworm|main|Other", "mirror+file:/etc/m/|bookworm|main|Debian"]),
                         ["mirror+file:/etc/m/", "http://other/apt/"])

    def test_suite_by_role(self):
        self.assertEqual(self.found(["http://a/|stable|main|"], "trixie"), ["http://a/"])

    def test_none(self):
        with self.assertRaisesRegex(Error, "no mirror with component main of bookworm"):
            self.found(["cdrom:[Debian]/|bookworm|main|Debian"])


class Records(unittest.TestCase):
    RECORD = "Package: u-boot\nVersion: 1:2+b1\nArchitecture: armel\nDescription: x\n continued: no\nSHA256: ab\n"

    def test_fields(self):
        self.assertEqual(apt.fields(self.RECORD)["Version"], "1:2+b1")
        self.assertNotIn("continued", apt.fields(self.RECORD))

    def test_file_name(self):
        self.assertEqual(apt.file_name(apt.fields(self.RECORD)), "u-boot_1%3a2+b1_armel.deb")


if __name__ == "__main__":
    tapmain.main()
