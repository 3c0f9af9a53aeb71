# SPDX-License-Identifier: GPL-2.0-or-later
"""What the stock driver makes the MAC accept: frames come from a test-made wire, acceptance is read from the port's counters."""
import lab
from wire import BROADCAST, Wire, frame, mac

OWN = mac(lab.MAC)
ALL_HOSTS = mac("01:00:5e:00:00:01")        # RFC 1112: every IPv4 host is a member of 224.0.0.1
GROUP = mac("33:33:ff:ab:cd:ef")            # RFC 4291: solicited-node group of an address that ends in ab:cdef
FOREIGN = [mac("52:54:00:12:34:57"),        # same upper 44 bits, other nibble
           mac("02:00:00:00:00:06"),        # other upper bits, same nibble
           mac("00:50:43:99:88:77")]
MARVELL_MRU = 9700                          # what Linux programs, bytes with FCS
FCS = 4


class Filters(lab.SharedGuestCase):

    @classmethod
    def setUpClass(cls):
        cls.wire = cls.enterClassContext(Wire())
        cls.BOARD = {"netdevs": [cls.wire.netdev]}

    @classmethod
    def prepare(cls):
        cls.guest.run("sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.router_solicitations=0; modprobe ipv6; "
                      "sysctl -qw net.ipv6.conf.eth0.accept_dad=0; ip link set eth0 up && "
                      "until [ \"$(cat /sys/class/net/eth0/carrier)\" = 1 ]; do :; done")

    def accepted(self, data, number=3):
        """Whether the port delivers a frame; every copy must meet the same fate."""
        guest = self.guest
        offered, delivered, filtered = (guest.counter(name) for name in ("rx-offered", "rx-delivered", "rx-drop-filter"))
        for _ in range(number):
            self.wire.send(data)
        guest.offered(offered + number)
        while (done := (guest.counter("rx-delivered") - delivered, guest.counter("rx-drop-filter") - filtered)) not in (
                (number, 0), (0, number)):
            self.assertLessEqual(sum(done), number)
            self.assertGreater(guest.counter("rx-held") + sum(done), 0)
        return done == (number, 0)

    def counted(self, data, number=3):
        """Sends a frame that is accepted and checks that the driver counts it."""
        packets = "cat /sys/class/net/eth0/statistics/rx_packets"
        before = int(self.guest.run(packets))
        self.assertTrue(self.accepted(data, number))
        self.guest.run(f"until [ $({packets}) -ge {before + number} ]; do :; done")
        self.assertEqual(int(self.guest.run(packets)), before + number)

    def test_own_address_and_broadcast(self):
        self.counted(frame(OWN))
        self.counted(frame(BROADCAST))

    def test_foreign_unicast_is_dropped(self):
        for address in FOREIGN:
            with self.subTest(address.hex(":")):
                self.assertFalse(self.accepted(frame(address)))

    def test_promiscuous_mode(self):
        self.guest.run("ip link set eth0 promisc on")
        for address in FOREIGN:
            with self.subTest(address.hex(":")):
                self.counted(frame(address))
        self.guest.run("ip link set eth0 promisc off")
        for address in FOREIGN:
            with self.subTest(address.hex(":"), promisc="off"):
                self.assertFalse(self.accepted(frame(address)))

    def test_a17_rx_checksum_toggle_leaves_promiscuous_mode(self):
        """The stock driver overwrites PORT_CONFIG as a whole; the device must follow the register, not remember.

        The driver fills the unicast table for promiscuous mode and leaves it so: what shares the upper 44 bits still passes.
        """
        near, far, _ = FOREIGN
        self.guest.run("ip link set eth0 promisc on")
        self.assertTrue(self.accepted(frame(far)))
        self.guest.run("ethtool -K eth0 rx off")
        self.assertFalse(self.accepted(frame(far)))
        self.assertTrue(self.accepted(frame(near)))
        self.guest.run("ethtool -K eth0 rx on; ip link set eth0 promisc off; ip link set eth0 promisc on")
        self.assertTrue(self.accepted(frame(far)))
        self.guest.run("ip link set eth0 promisc off")

    def test_a18_additional_unicast_addresses(self):
        """One that shares the upper 44 bits needs one bit of the table; one that does not needs promiscuous mode."""
        near, far, other = FOREIGN
        self.guest.run(f"ip link add link eth0 name near0 address {near.hex(':')} type macvlan && ip link set near0 up")
        self.assertTrue(self.accepted(frame(near)))
        self.assertFalse(self.accepted(frame(other)))
        self.guest.run(f"ip link add link eth0 name far0 address {far.hex(':')} type macvlan && ip link set far0 up")
        self.assertTrue(self.accepted(frame(far)))
        self.assertTrue(self.accepted(frame(other)))
        self.guest.run("ip link del far0; ip link del near0")
        for address in FOREIGN:
            self.assertFalse(self.accepted(frame(address)))

    def test_a19_multicast_join_and_leave(self):
        self.counted(frame(ALL_HOSTS))
        self.assertFalse(self.accepted(frame(GROUP)))
        self.guest.run("ip -6 addr add fd00::ab:cdef/64 dev eth0")
        self.counted(frame(GROUP))
        self.assertFalse(self.accepted(frame(mac("33:33:ff:ab:cd:ee"))))
        self.guest.run("ip -6 addr del fd00::ab:cdef/64 dev eth0")
        self.assertFalse(self.accepted(frame(GROUP)))

    def test_all_multicast(self):
        strangers = [mac("01:00:5e:00:00:05"), mac("01:00:5e:7f:00:05"), mac("33:33:00:01:00:02")]
        for address in strangers:
            self.assertFalse(self.accepted(frame(address)))
        self.guest.run("ifconfig eth0 allmulti")
        for address in strangers:
            with self.subTest(address.hex(":")):
                self.counted(frame(address))
        self.guest.run("ifconfig eth0 -allmulti")
        for address in strangers:
            self.assertFalse(self.accepted(frame(address)))

    def test_a11_frame_that_spans_descriptors_is_dropped_by_the_driver(self):
        """MRU allows 9700 bytes, buffers hold an MTU of 1500: the driver counts each piece, drops it, and goes on."""
        statistics = "cd /sys/class/net/eth0/statistics && cat rx_packets rx_dropped"
        packets, dropped = map(int, self.guest.run(statistics).split())
        self.wire.send(frame(OWN, size=3000))
        self.guest.run(f"until set -- $({statistics}) && [ $2 -ge {dropped + 2} ]; do :; done")
        self.assertEqual(self.guest.run(statistics).split(), [str(packets + 2), str(dropped + 2)])
        self.assertIn("received packet spanning multiple descriptors", self.guest.run("dmesg"))
        self.counted(frame(OWN))

    def test_c05_c06_sizes_from_the_backend(self):
        """Longer than MRU is dropped and counted; short frames are padded; the guest goes on."""
        for size in (MARVELL_MRU - FCS + 1, 9706, 16384, 65535):
            with self.subTest(size=size):
                before = self.guest.counter("rx-drop-oversize")
                offered = self.guest.counter("rx-offered")
                self.wire.send(frame(OWN, size=size))
                self.guest.offered(offered + 1)
                self.assertEqual(self.guest.counter("rx-drop-oversize"), before + 1)
        for size in (14, 15, 59, 60, 61, 1514):
            with self.subTest(size=size):
                self.counted(frame(OWN, size=size))


if __name__ == "__main__":
    lab.main()
