# SPDX-License-Identifier: GPL-2.0-or-later
"""MTU 9000 over a tap; the host's own TCP is the peer. To be run by in-namespace."""
import subprocess

import lab
from mvlab_lib import pcap
from mvlab_lib.servers import HttpServer
from packets import ETHERNET_HEADER, checksums_wrong, ipv4_packets

TAP, HOST, GUEST = "mvlab0", "192.0.2.1", "192.0.2.2"
MTU = 9000
SIZE = lab.scaled(16 << 20, 1 << 30)
PING_HEADERS = 28                    # IPv4 and ICMP

MAKE_TAP = f"ip tuntap add {TAP} mode tap && ip addr add {HOST}/24 dev {TAP} && ip link set {TAP} mtu {MTU} up"


class Jumbo(lab.SharedGuestCase):

    CAPTURE = lab.LOGS / "jumbo.pcap"
    BOARD = {"netdevs": [f"tap,ifname={TAP},script=no,downscript=no"], "pcap": CAPTURE}

    @classmethod
    def setUpClass(cls):
        subprocess.run(["sh", "-c", MAKE_TAP], check=True)

    @classmethod
    def prepare(cls):
        cls.guest.run(f"ip link set eth0 mtu {MTU} up && ip addr add {GUEST}/24 dev eth0 && until ping -c 1 -W 1 {HOST} >/dev/null; do :; done")

    def test_a28_ping_from_the_host_that_may_not_fragment(self):
        subprocess.run(["ping", "-c", "3", "-M", "do", "-s", str(MTU - PING_HEADERS), GUEST], check=True, stdout=subprocess.DEVNULL)
        refused = subprocess.run(["ping", "-c", "1", "-M", "do", "-s", str(MTU - PING_HEADERS + 1), GUEST], check=False, capture_output=True)
        self.assertNotEqual(refused.returncode, 0)

    def test_a28_ping_from_the_guest_fills_one_frame(self):
        seen = len(pcap.frames(self.CAPTURE))
        self.guest.run(f"ping -c 3 -s {MTU - PING_HEADERS} {HOST}")
        sizes = [len(frame) for frame in pcap.frames(self.CAPTURE)[seen:] if frame[12:14] == b"\x08\x00"]
        self.assertEqual(sizes, [MTU + ETHERNET_HEADER] * 6)

    def test_a08_tcp_both_ways_sha256(self):
        """The driver sums up segments above 1600 bytes by itself: every checksum on the wire is right.

        Not so with TSO, whose segments it leaves without a sum: they are lost and sent again.
        """
        with HttpServer(SIZE, HOST) as web, lab.Sink(HOST) as sink:
            fetch = f"wget -q -O - http://{HOST}:{web.port}/"
            self.assertEqual(self.guest.run(f"{fetch} | sha256sum", lab.SOAK).split()[0], web.sha256)
            for tso in ("off", "on"):
                with self.subTest(tso=tso):
                    seen = len(pcap.frames(self.CAPTURE)) if not lab.FULL else 0
                    self.guest.run(f"ethtool -K eth0 tso {tso}; {fetch} | nc {HOST} {sink.port}", lab.SOAK)
                    self.assertEqual(sink.sha256(), web.sha256)
                    if tso == "off" and not lab.FULL:        # a capture of gigabytes is not read into memory
                        packets = list(ipv4_packets(pcap.frames(self.CAPTURE)[seen:], lab.MAC))
                        self.assertEqual(max(map(len, packets)), MTU)
                        self.assertEqual([packet for packet in packets if checksums_wrong(packet)], [])


if __name__ == "__main__":
    lab.main()
