# SPDX-License-Identifier: GPL-2.0-or-later
"""What the servers for guests serve."""
import hashlib
import unittest

import tapmain
from mvlab_lib.servers import HttpServer, pseudo_random


class PseudoRandom(unittest.TestCase):
    def test_sizes(self):
        for size in (0, 1, 1 << 20, (1 << 20) + 1):
            with self.subTest(size):
                self.assertEqual(len(pseudo_random(size)), size)
                self.assertEqual(pseudo_random(size), pseudo_random(size))

    def test_more_than_one_call_of_python_makes(self):
        with HttpServer(256 << 20) as web:
            self.assertEqual(len(web.server.data), 256 << 20)
            self.assertEqual(web.sha256, hashlib.sha256(web.server.data).hexdigest())


if __name__ == "__main__":
    tapmain.main()
