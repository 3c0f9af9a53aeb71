# SPDX-License-Identifier: GPL-2.0-or-later
"""128 MiB to 1 GiB of RAM: Linux sees all of it, keeps data in all of it, and the NIC reaches all of it."""
import re

import lab
from mvlab_lib.servers import HttpServer

SIZES = lab.scaled((128, 1024), (128, 256, 384, 512, 768, 1024))    # MiB


class Memory(lab.TestCase):

    def test_sizes(self):
        for megabytes in SIZES:
            with self.subTest(megabytes=megabytes):
                self.check(megabytes)

    def check(self, megabytes):
        guest = self.boot(f"guest{megabytes}", netdevs=[lab.USER], memory=f"{megabytes}M")
        try:
            total = int(re.search(r"/(\d+)K available", guest.run("dmesg"))[1])
            self.assertEqual(total, megabytes << 10)
            guest.dhcp()
            half = megabytes // 2 if lab.FULL else min(megabytes // 2, 64)
            with HttpServer(half << 20) as web:
                sums = guest.run(f"mount -o remount,size=90% /tmp; wget -q -O /tmp/data http://{lab.GATEWAY}:{web.port}/ && "
                                 "sha256sum /tmp/data && sha256sum /tmp/data", 1800)
                self.assertEqual(re.findall(r"\w{64}", sums), [web.sha256] * 2)
            self.assertEqual(guest.complaints(), "")
        finally:
            guest.close()


if __name__ == "__main__":
    lab.main()
