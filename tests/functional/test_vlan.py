# SPDX-License-Identifier: GPL-2.0-or-later
"""Two SheevaPlugs on one cable: 802.1Q with data both ways, and what of it is on the wire."""
import struct
import tempfile

import lab
import wire
from mvlab_lib import pcap
from mvlab_lib.machine import escaped
from packets import checksums_wrong, ipv4_packets

SIZE = lab.scaled(4 << 20, 256 << 20)
TPID, VLAN = 0x8100, 42
MACS = ("52:54:00:12:34:56", "52:54:00:12:34:60")


class Vlan(lab.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.sockets = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="mvlab-cable-"))

    def test_a26_tagged_data_both_ways(self):
        capture = self.directory / "capture.pcap"
        guests = []
        for number, (netdev, mac) in enumerate(zip(wire.cable(self.sockets), MACS)):
            dump = ["-object", f"filter-dump,id=capture,netdev=net0,file={escaped(capture)}"] if number == 0 else []
            guests.append(self.start(f"guest{number}", netdevs=[], append=lab.AGENT, extra=[
                "-netdev", f"{netdev},id=net0", "-net", f"nic,netdev=net0,macaddr={mac}", *dump]))
        for number, guest in enumerate(guests):
            guest.booted().run(f"ip link set eth0 up && ip link add link eth0 name eth0.{VLAN} type vlan id {VLAN} && "
                               f"ip addr add 192.0.2.{number + 1}/24 dev eth0.{VLAN} && ip link set eth0.{VLAN} up")
        first, second = guests
        first.run("until ping -c 1 -W 1 192.0.2.2 >/dev/null; do :; done")
        for sender, receiver, address in ((first, second, "192.0.2.2"), (second, first, "192.0.2.1")):
            with self.subTest(to=address):
                expected = sender.run(f"dd if=/dev/urandom of=/tmp/data bs=64k count={SIZE >> 16} 2>/dev/null; sha256sum /tmp/data").split()[0]
                waiting = receiver.agent.send("nc -l -p 5000 -e sha256sum")
                received = sender.run(f"until nc {address} 5000 </tmp/data 2>/dev/null; do :; done")
                self.assertEqual(received.split()[0], expected)
                self.assertEqual(receiver.agent.finish(waiting).status, 0)
        self.check_frames(pcap.frames(capture))

    def check_frames(self, frames):
        """All IP is tagged with the identifier, and checksums behind the tag are right."""
        tags = {struct.unpack_from("!HH", frame, 12) for frame in frames if frame[12:14] != b"\x86\xdd"}
        self.assertEqual({(tpid, tag & 0xFFF) for tpid, tag in tags}, {(TPID, VLAN)})
        for mac in MACS:
            packets = list(ipv4_packets(frames, mac, offset=18))
            self.assertGreater(sum(map(len, packets)), SIZE)
            self.assertEqual([packet for packet in packets if checksums_wrong(packet)], [])


if __name__ == "__main__":
    lab.main()
