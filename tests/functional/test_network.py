# SPDX-License-Identifier: GPL-2.0-or-later
"""The stock driver on a SheevaPlug with user networking: addresses, data both ways, ethtool, and the driver's own life cycle."""
import re

import lab
from mvlab_lib import pcap
from mvlab_lib.run import nic_counters
from mvlab_lib.servers import HttpServer, Iperf3
from packets import TCP, UDP, checksums_wrong, ipv4_packets
from wire import mac

SIZE = lab.scaled(8 << 20, 1 << 30)
TCLK_PER_USEC = 200         # 200 MHz
COALESCE_UNIT = 64          # TCLK cycles

# IEEE 802.3 clause 30 size classes, in bytes with FCS
SIZE_CLASSES = {"frames_64_octets": (0, 64), "frames_65_to_127_octets": (65, 127), "frames_128_to_255_octets": (128, 255),
                "frames_256_to_511_octets": (256, 511), "frames_512_to_1023_octets": (512, 1023),
                "frames_1024_to_max_octets": (1024, 1 << 16)}
WRONG = re.compile(r"err|bad|drop|discard|overrun|collision|undersize|oversize|jabber|fragments")


class Transfers(lab.SharedGuestCase):
    """Data both ways. The guest is captured from its first frame on."""

    CAPTURE = lab.LOGS / "transfers.pcap"
    BOARD = {"netdevs": [lab.USER], "pcap": CAPTURE}

    @classmethod
    def prepare(cls):
        cls.guest.address = cls.guest.dhcp()

    def test_dhcp_address(self):
        self.assertEqual(self.guest.address, "10.0.2.15")
        self.assertIn("default via 10.0.2.2 dev eth0", self.guest.run("ip route"))

    def test_link_is_1000_full(self):
        self.assertEqual(self.guest.run("cd /sys/class/net/eth0 && cat carrier speed duplex").split(), ["1", "1000", "full"])

    def test_download_and_upload_sha256(self):
        with HttpServer(SIZE) as web, lab.Sink() as sink:
            fetch = f"wget -q -O - http://{lab.GATEWAY}:{web.port}/"
            self.assertEqual(self.guest.run(f"{fetch} | sha256sum", lab.SOAK).split()[0], web.sha256)
            self.guest.run(f"{fetch} | nc {lab.GATEWAY} {sink.port}", lab.SOAK)
            self.assertEqual(sink.sha256(), web.sha256)

    def test_a01_a08_c11_data_and_checksums_with_every_mix_of_offloads(self):
        """A writer of 7777-byte blocks makes odd payload boundaries."""
        size = lab.scaled(1 << 20, 64 << 20)
        with HttpServer(size) as web, lab.Sink() as sink:
            self.guest.run(f"wget -q -O /tmp/data http://{lab.GATEWAY}:{web.port}/")
            for tx, tso in (("on", "on"), ("on", "off"), ("off", "off")):
                with self.subTest(tx=tx, tso=tso):
                    seen = len(pcap.frames(self.CAPTURE))
                    self.guest.run(f"ethtool -K eth0 tx {tx} sg {tx} tso {tso}")
                    self.guest.run(f"dd if=/tmp/data bs=7777 2>/dev/null | nc {lab.GATEWAY} {sink.port}", lab.SOAK)
                    self.assertEqual(sink.sha256(), web.sha256)
                    packets = list(ipv4_packets(pcap.frames(self.CAPTURE)[seen:], lab.MAC))
                    self.assertGreaterEqual(sum(len(packet) - 40 for packet in packets if packet[9] == TCP), size)
                    self.assertEqual([packet for packet in packets if checksums_wrong(packet)], [])
        self.guest.run("rm /tmp/data; ethtool -K eth0 tx on sg on tso on")

    def test_udp_checksum_offload(self):
        seen = len(pcap.frames(self.CAPTURE))
        self.guest.agent.attempt(f"nslookup example.invalid {lab.GATEWAY}")
        packets = [packet for packet in ipv4_packets(pcap.frames(self.CAPTURE)[seen:], lab.MAC) if packet[9] == UDP]
        self.assertGreater(len(packets), 0)
        self.assertEqual([packet for packet in packets if checksums_wrong(packet)], [])

    def test_a07_a20_counters_equal_the_capture(self):
        """Frames at both edges of every size class, counted by the MIB, by the driver and in the capture."""
        before = nic_counters(self.guest.run(f"ping -c 1 {lab.GATEWAY} >/dev/null && ethtool -S eth0"))
        seen = len(pcap.frames(self.CAPTURE))
        for size in (1, 18, 19, 81, 82, 209, 210, 465, 466, 977, 978, 1472):     # + 46 bytes of headers and FCS
            self.guest.run(f"ping -c 2 -i 0.01 -s {size} {lab.GATEWAY} >/dev/null")
        after = nic_counters(self.guest.run("ethtool -S eth0"))
        frames = pcap.frames(self.CAPTURE)[seen:]
        sent = [frame for frame in frames if frame[6:12] == mac(lab.MAC)]
        received = [frame for frame in frames if frame[6:12] != mac(lab.MAC)]
        expected = {
            "good_frames_sent": len(sent), "good_octets_sent": pcap.octets(sent), "tx_packets": len(sent),
            "good_frames_received": len(received), "good_octets_received": pcap.octets(received),
            "rx_packets": len(received), "rx_bytes": pcap.octets(received),
        }
        for name, (low, high) in SIZE_CLASSES.items():
            expected[name] = sum(low <= pcap.octets([frame]) <= high for frame in frames)
            self.assertGreater(expected[name], 0)
        self.assertEqual({name: after[name] - before[name] for name in expected}, expected)
        self.assertEqual({name: value - before[name] for name, value in after.items()
                          if value != before[name] and WRONG.search(name)}, {})


class Streams(lab.SharedGuestCase):
    """Data for so long that a capture of it would fill the disk."""

    BOARD = {"netdevs": [lab.USER]}

    @classmethod
    def prepare(cls):
        cls.guest.dhcp()

    def test_iperf3_both_ways(self):
        seconds = lab.scaled(1, 600)
        with Iperf3() as server:
            for direction in ("", "-R"):
                with self.subTest(direction or "send"):
                    output = self.guest.run(f"iperf3 -c {lab.GATEWAY} -p {server.port} -t {seconds} -i 0 -J {direction}", lab.SOAK)
                    received = re.search(r'"sum_received":\s*{[^}]*?"bytes":\s*(\d+)', output)[1]
                    self.assertGreater(int(received), 0)


class Ethtool(lab.SharedGuestCase):
    """What ethtool shows and changes. Expected values: Linux drivers/net/ethernet/marvell/mv643xx_eth.c."""

    BOARD = {"netdevs": [lab.USER]}

    @classmethod
    def prepare(cls):
        cls.guest.dhcp()

    def ping(self):
        self.guest.run(f"ping -c 2 -i 0.01 {lab.GATEWAY}")

    def rings(self):
        text = self.guest.run("ethtool -g eth0").split("Current hardware settings:")[1]
        return {name: int(re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[1]) for name in ("RX", "TX")}

    def test_features(self):
        features = dict(re.findall(r"^\s*([\w-]+): (.*)$", self.guest.run("ethtool -k eth0"), re.MULTILINE))
        expected = {"rx-checksumming": "on", "tx-checksum-ipv4": "on", "tx-checksum-ipv6": "off [fixed]",
                    "tx-scatter-gather": "on", "tx-tcp-segmentation": "on", "tx-tcp6-segmentation": "off [fixed]",
                    "generic-receive-offload": "on", "tx-vlan-offload": "off [fixed]"}
        self.assertEqual({name: features[name] for name in expected}, expected)

    def test_ring_sizes(self):
        for rx, tx in ((4, 434), (4096, 4096), (256, 1024), (128, 512)):
            with self.subTest(rx=rx, tx=tx):
                self.guest.run(f"ethtool -G eth0 rx {rx} tx {tx}")
                self.assertEqual(self.rings(), {"RX": rx, "TX": tx})
                self.ping()

    def test_a21_rx_coalescing_round_trip(self):
        """The driver recognises Kirkwood's 16-bit field: up to 0xffff units of 64 TCLK; values come back rounded to units."""
        for usecs in (0, 1, 20971, 250):
            with self.subTest(usecs=usecs):
                self.guest.run(f"ethtool -C eth0 rx-usecs {usecs}; ethtool -c eth0 >/tmp/shown")
                shown = int(re.search(r"rx-usecs:\s+(\d+)", self.guest.run("cat /tmp/shown"))[1])
                self.assertAlmostEqual(shown, usecs, delta=COALESCE_UNIT / TCLK_PER_USEC + 0.5)
                self.ping()

    def held_back(self, command):
        """How many receive and transmit events had to wait for their interrupt while the guest ran this."""
        names = ("irq-suppressed-rx", "irq-suppressed-tx")
        before = [self.guest.counter(name) for name in names]
        self.guest.run(command, lab.SOAK)
        return [self.guest.counter(name) - old for name, old in zip(names, before)]

    def test_coalescing_holds_interrupts_back(self):
        """Only where a time is set, and data arrives all the same; 20 ms are longer than any burst of 64 KiB."""
        with HttpServer(1 << 20) as web, lab.Sink() as sink:
            fetch = f"wget -q -O /tmp/data http://{lab.GATEWAY}:{web.port}/"
            send = f"nc {lab.GATEWAY} {sink.port} </tmp/data"
            self.guest.run("ethtool -C eth0 rx-usecs 0 tx-usecs 0")
            self.assertEqual(self.held_back(f"{fetch}; {send}"), [0, 0])
            self.assertEqual(sink.sha256(), web.sha256)
            self.guest.run("ethtool -C eth0 rx-usecs 20000")
            held_rx, held_tx = self.held_back(fetch)
            self.assertGreater(held_rx, 0)
            self.assertEqual(held_tx, 0)
            self.guest.run("ethtool -C eth0 rx-usecs 0 tx-usecs 20000")
            held_rx, held_tx = self.held_back(send)
            self.assertEqual(held_rx, 0)
            self.assertGreater(held_tx, 0)
            self.assertEqual(sink.sha256(), web.sha256)
        self.guest.run("rm /tmp/data; ethtool -C eth0 rx-usecs 250 tx-usecs 0")

    def test_speed_follows_autonegotiation(self):
        """Bits of `advertise`: 10 full 0x002, 100 full 0x008, 1000 full 0x020 (include/uapi/linux/ethtool.h)."""
        for speed, advertise in ((100, 0x008), (10, 0x002), (1000, 0x02F)):
            with self.subTest(speed=speed):
                self.guest.run(f"ethtool -s eth0 advertise {advertise:#05x}")
                self.guest.run("cd /sys/class/net/eth0; until [ \"$(cat carrier)\" = 1 ] && "
                               f"[ \"$(cat speed)\" = {speed} ]; do :; done")
                self.assertEqual(self.guest.run("cat /sys/class/net/eth0/duplex").strip(), "full")
                self.ping()


class LifeCycle(lab.SharedGuestCase):
    """The interface and its driver come and go."""

    BOARD = {"netdevs": [lab.USER]}

    def works(self):
        self.assertEqual(self.guest.dhcp(), "10.0.2.15")
        self.guest.run(f"ping -c 2 -i 0.01 {lab.GATEWAY}")
        self.assertEqual(self.guest.complaints(), "")

    def test_ifdown_ifup_100_times(self):
        times = lab.scaled(100, 1000)
        self.guest.run(f"for i in $(seq {times}); do ip link set eth0 up && ip link set eth0 down || exit 1; done", lab.SOAK)
        self.works()

    def test_rmmod_modprobe_20_times(self):
        times = lab.scaled(20, 200)
        self.guest.run(f"for i in $(seq {times}); do rmmod mv643xx_eth && rmmod mvmdio && modprobe mvmdio && modprobe mv643xx_eth || exit 1; "
                       "until [ -e /sys/class/net/eth0 ]; do :; done; ip link set eth0 up || exit 1; done", lab.SOAK)
        self.works()
        self.assertEqual(self.guest.run("cat /sys/class/net/eth0/address").strip(), lab.MAC)


class Configuration(lab.TestCase):

    def test_a30_mac_address_from_the_command_line(self):
        guest = self.boot(netdevs=[], extra=["-nic", f"{lab.USER},mac=00:50:43:ab:cd:ef"])
        self.assertEqual(guest.run("cat /sys/class/net/eth0/address").strip(), "00:50:43:ab:cd:ef")
        self.assertEqual(guest.dhcp(), "10.0.2.15")

    def test_a13_smallest_and_largest_rings_then_none(self):
        """The stock driver takes 0 descriptors, fails to open, and its next close would never end: only a reset helps."""
        guest = self.boot(netdevs=[lab.USER])
        guest.dhcp()
        for option in ("rx 1", "tx 1", "rx 4096 tx 4096"):
            with self.subTest(option):
                guest.run(f"ethtool -G eth0 {option}; ping -c 3 -i 0.1 {lab.GATEWAY}")
        guest.run("ethtool -G eth0 rx 0; dmesg | grep 'fatal error on re-opening device'")
        self.assertEqual(guest.qmp.execute("query-status")["status"], "running")
        guest.qmp.execute("system_reset")
        guest.booted()
        self.assertEqual(guest.dhcp(), "10.0.2.15")

    def test_guruplug_both_gbes_at_once(self):
        guest = self.boot(name="guruplug", netdevs=[f"{lab.USER},net=10.0.2.0/24", f"{lab.USER},net=10.0.3.0/24"])
        self.assertEqual([guest.dhcp("eth0"), guest.dhcp("eth1")], ["10.0.2.15", "10.0.3.15"])
        with HttpServer(lab.scaled(8 << 20, 256 << 20)) as web:
            fetch = "wget -q -O - http://10.0.{0}.2:{1}/ | sha256sum >/tmp/sum{0}"
            guest.run(f"({fetch.format(2, web.port)}) & ({fetch.format(3, web.port)}) & wait", lab.SOAK)
            self.assertEqual(re.findall(r"\w{64}", guest.run("cat /tmp/sum2 /tmp/sum3")), [web.sha256] * 2)
            for unit in (0, 1):
                with self.subTest(unit=unit):
                    self.assertGreater(guest.counter("rx-delivered", unit), len(web.server.data) // 1460)
        self.assertEqual(guest.complaints(), "")


if __name__ == "__main__":
    lab.main()
