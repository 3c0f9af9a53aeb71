# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames that no honest guest sends: the peer never ends QEMU, counts them, and answers afterwards as before. Wrong options too.

The virtual clock stands still unless a test moves it.
"""
import logging
import os
import queue
import random
import socket
import subprocess
import threading

import lab
import peer
from mvlab_lib.console import HANG
from wire import STRANGER, Wire

logging.getLogger("scapy").setLevel(logging.ERROR)
from scapy.layers.inet import ICMP, IP, TCP, UDP  # noqa: E402
from scapy.layers.l2 import ARP, Dot1Q, Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402

US = "192.168.77.9"
MAC = ":".join(f"{byte:02x}" for byte in STRANGER)
SECOND = 1_000_000_000
POOL = 1024                     # connections that the peer has room for
SYN_TIMEOUT = 30 * SECOND       # more than lwIP's 20 s for a half-open connection
ROUNDS = lab.scaled(500, 20_000)


def ether(payload, **fields):
    return Ether(**{"dst": peer.MAC, "src": MAC, **fields}) / payload


def ipv4(payload, **fields):
    return ether(IP(**{"src": US, "dst": peer.ADDRESS, **fields}) / payload)


class Connection:
    """A TCP client made of frames."""

    def __init__(self, case, port, sport):
        self.case, self.port, self.sport, self.seq, self.ack = case, port, sport, 1000, 0
        answer = self.ask("S", options=[("MSS", 1460)])
        case.assertEqual(str(answer[TCP].flags), "SA")
        self.seq, self.ack = 1001, answer[TCP].seq + 1
        self.send("A")

    def segment(self, flags, data=b"", offset=0, **fields):
        """A segment `offset` bytes further than what was sent."""
        fields = {"seq": (self.seq + offset) % 2 ** 32, "ack": self.ack, "window": 65535, **fields}
        return ipv4(TCP(sport=self.sport, dport=self.port, flags=flags, **fields) / Raw(data))

    def send(self, flags, data=b"", **fields):
        self.case.send(self.segment(flags, data, **fields))

    def ask(self, flags, data=b"", **fields):
        """The next TCP frame that comes back to this connection."""
        self.send(flags, data, **fields)
        return self.case.receive(lambda packet: TCP in packet and packet[TCP].dport == self.sport)

    def collect(self, size):
        """The bytes that the peer sends, in order, acknowledged one by one."""
        data = b""
        while len(data) < size:
            packet = self.case.receive(lambda packet: TCP in packet and packet[TCP].dport == self.sport)
            payload = bytes(packet[TCP].payload)[:packet[IP].len - 20 - packet[TCP].dataofs * 4]
            if payload and packet[TCP].seq == self.ack:
                data += payload
                self.ack += len(payload)
                self.send("A")
        return data


class Case(lab.TestCase):

    def setUp(self):
        self.wire = self.enterContext(Wire())
        clock = os.path.join(self.wire.directory.name, "clock")
        listener = self.enterContext(socket.socket(socket.AF_UNIX))
        listener.bind(clock)
        listener.listen()
        self.peer = peer.Peer(self.directory / "peer", self.wire.netdev,
                              extra=["-accel", "qtest", "-qtest", f"unix:{clock}", "-qtest-log", "/dev/null"])
        self.addCleanup(self.peer.close)
        self.received = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.clock = listener.accept()[0].makefile("rw")
        self.addCleanup(self.clock.close)
        self.sent, self.ports = 0, iter(range(20_000, 65_536))
        self.send(ether(ARP(op=1, psrc=US, pdst=peer.ADDRESS, hwsrc=MAC), dst="ff:ff:ff:ff:ff:ff"))
        self.assertEqual(self.receive(lambda packet: ARP in packet)[ARP].hwsrc, peer.MAC)

    def read(self):
        """Takes what the peer sends, so that it is never held up."""
        try:
            while True:
                self.received.put(self.wire.socket.recv(1 << 16))
        except OSError:
            pass

    def step(self, ns):
        """Moves the virtual clock."""
        self.clock.write(f"clock_step {ns}\n")
        self.clock.flush()
        answer = self.clock.readline()
        self.assertTrue(answer.startswith("OK"), f"clock_step {ns}: {answer}")

    def send(self, packet):
        self.send_bytes(bytes(packet))

    def send_bytes(self, data):
        self.wire.send(data)
        self.sent += 1

    def receive(self, wanted):
        """The next frame from the peer for which wanted(packet) is true."""
        while True:
            packet = Ether(self.received.get(timeout=HANG))
            if wanted(packet):
                return packet

    def stats(self):
        """The counters once the peer has worked on everything that was sent."""
        self.peer.wait("frames-received", self.sent)
        stats = self.peer.stats()
        self.assertEqual(stats["frames-received"], self.sent)
        self.assertEqual(stats["assertions"], 0)
        return stats

    def check_alive(self):
        """A connection opens, echoes and closes; a ping is answered."""
        self.stats()
        connection = Connection(self, peer.ECHO, next(self.ports))
        text = random.Random(self.sent).randbytes(3000)
        connection.send("PA", text[:1460])
        connection.send("PA", text[1460:2920], offset=1460)
        connection.send("PA", text[2920:], offset=2920)
        self.assertEqual(connection.collect(len(text)), text)
        connection.seq += len(text)
        connection.send("FA")
        fin = self.receive(lambda packet: TCP in packet and packet[TCP].dport == connection.sport and "F" in str(packet[TCP].flags))
        connection.send("A", seq=connection.seq + 1, ack=fin[TCP].seq + 1)
        self.send(ipv4(ICMP(id=self.sent & 0xFFFF) / b"ping"))
        self.receive(lambda packet: ICMP in packet and packet[ICMP].type == 0)
        return self.stats()


class Frames(Case):

    def test_checksums(self):
        """Each wrong sum is counted once, and nothing is answered: the next frame back is the one of check_alive."""
        bad = [
            ipv4(UDP(sport=1, dport=7) / b"x", chksum=0x1234),
            ipv4(TCP(sport=1, dport=7, flags="S", chksum=0x1234)),
            ipv4(UDP(sport=1, dport=7, chksum=0x1234) / b"x"),
            ipv4(ICMP(chksum=0x1234) / b"x"),
        ]
        connection = Connection(self, peer.ECHO, next(self.ports))
        bad.append(connection.segment("PA", b"lost", chksum=0x4321))
        for packet in bad:
            before = self.stats()
            self.send(packet)
            after = self.stats()
            self.assertEqual(after["checksum-errors"], before["checksum-errors"] + 1, packet.summary())
            self.assertEqual(after["frames-sent"], before["frames-sent"], packet.summary())
        self.check_alive()

    def test_not_for_the_peer(self):
        for packet, counter in (
                (ether(IP(src=US, dst=peer.ADDRESS) / UDP(sport=1, dport=7), dst="52:55:c0:a8:4d:02"), "drop-other-address"),
                (ether(Raw(b"\0" * 50), type=0x88B5), "drop-protocol"),
                (ether(Dot1Q(vlan=5) / IP(src=US, dst=peer.ADDRESS) / UDP(sport=1, dport=7)), "drop-protocol"),
                (ipv4(Raw(b"\0" * 30), proto=99), "drop-protocol"),
                (ipv4(UDP(sport=1, dport=7) / (b"x" * 64), flags="MF"), "drop-malformed"),
                (ether(Raw(b"\0" * 17000), type=0x0800), "drop-oversize")):
            before = self.stats()
            self.send(packet)
            self.assertEqual(self.stats()[counter], before[counter] + 1, packet.summary())
        self.check_alive()

    def test_truncated(self):
        """Every beginning of a segment with options, and of ARP, UDP and ICMP frames."""
        options = [("MSS", 1460), ("WScale", 7), ("Timestamp", (1, 0)), ("SAckOK", b"")]
        for packet in (ipv4(TCP(sport=1, dport=7, flags="S", options=options) / b"data"), ipv4(UDP(sport=1, dport=19) / b"1 100 1000\n"),
                       ipv4(ICMP() / b"data"), ether(ARP(op=1, psrc=US, pdst=peer.ADDRESS))):
            data = bytes(packet)
            for size in range(1, len(data)):
                self.send_bytes(data[:size])
        self.assertGreater(self.stats()["drop-malformed"], 0)
        self.check_alive()

    def test_lengths_that_lie(self):
        for fields in ({"ihl": 4}, {"ihl": 0}, {"ihl": 15}, {"len": 19}, {"len": 0}, {"len": 65535}, {"version": 6}, {"ttl": 0}):
            self.send(ipv4(TCP(sport=1, dport=7, flags="S"), **fields))
        for offset in range(16):
            packet = ipv4(TCP(sport=next(self.ports), dport=7, flags="S", dataofs=offset))
            self.send(packet)
        for length in (0, 1, 7, 9, 65535):
            self.send(ipv4(UDP(sport=1, dport=7, len=length) / b"x"))
        self.check_alive()

    def test_options(self):
        """Kinds that lwIP reads with each length, cut off by the end of the header, and noise."""
        noise = random.Random(2)
        cases = [bytes([1] * pad + [kind, length][:cut]) for pad in range(4) for kind in (0, 1, 2, 3, 4, 5, 8, 30, 255)
                 for length in (0, 1, 2, 3, 4, 10, 40, 255) for cut in (1, 2)]
        cases += [noise.randbytes(4 * noise.randrange(1, 11)) for _ in range(ROUNDS)]
        established = Connection(self, peer.ECHO, next(self.ports))
        for options in cases:
            options += b"\1" * (-len(options) % 4)
            header = TCP(sport=next(self.ports), dport=7, flags="S", dataofs=5 + len(options) // 4)
            self.send(ipv4(header / Raw(options)))
            self.send(established.segment("A", options, dataofs=5 + len(options) // 4))
        for cut in range(1, 41):                # the header is the end of the frame
            self.send(ipv4(TCP(sport=1, dport=7, flags="S", dataofs=15) / Raw((b"\1" * (40 - cut) + b"\2\4" * 20)[:40])))
        self.reset_peer()
        self.check_alive()

    def reset_peer(self):
        """Takes away what the test has left; the clock stays."""
        self.stats()
        self.peer.qmp.execute("system_reset")
        self.peer.qmp.wait_event("RESET")
        self.send(ether(ARP(op=1, psrc=US, pdst=peer.ADDRESS, hwsrc=MAC), dst="ff:ff:ff:ff:ff:ff"))

    def test_overlapping_segments(self):
        """Pieces of a stream in any order, overlapping, repeated: the echo is the stream."""
        for seed in range(lab.scaled(20, 500)):
            chance = random.Random(seed)
            text = chance.randbytes(chance.randrange(1, 8000))
            pieces = []
            at = 0
            while at < len(text):
                pieces.append((at, chance.randrange(1, 1461)))
                at += chance.randrange(1, pieces[-1][1] + 1)
            pieces += chance.choices(pieces, k=len(pieces) // 2)
            chance.shuffle(pieces)
            connection = Connection(self, peer.ECHO, next(self.ports))
            for start, size in pieces:
                connection.send("A", text[start:start + size], offset=start)
            for start in range(0, len(text), 1460):     # a receiver may drop what is behind a gap
                connection.send("A", text[start:start + 1460], offset=start)
            self.assertEqual(connection.collect(len(text)), text, f"seed {seed}")
            connection.send("R", offset=len(text))
        stats = self.check_alive()
        self.assertGreater(stats["segments-out-of-order"], 100)
        self.assertGreater(stats["segments-duplicate"], 100)

    def test_flags_in_odd_states(self):
        """Any flags, with numbers around the right ones and far away, on connections in any state."""
        chance = random.Random(3)
        for number in range(ROUNDS // 20):
            connection = Connection(self, chance.choice((peer.ECHO, peer.SINK, peer.SOURCE)), next(self.ports))
            for _ in range(20):
                near = chance.choice((0, 0, 1, -1, 100, -100, 65535, 2 ** 31, chance.randrange(2 ** 32)))
                ack = (connection.ack + chance.choice((0, 0, 1, -1, 1 << 20, chance.randrange(2 ** 32)))) % 2 ** 32
                data = chance.choice((b"", b"", b"1000\n", b"x" * 100, b"y" * 1460))
                connection.send(chance.randrange(256), data, offset=near, ack=ack, window=chance.choice((0, 1, 100, 65535)),
                                urgptr=chance.choice((0, 1, 65535)))
            self.step(chance.choice((1, 1000, SECOND // 4, 3 * SECOND)))
            if number % 20 == 19:
                self.check_alive()
                self.reset_peer()       # whatever of them still lives would fill the pool in the end
        self.check_alive()

    def test_far_sequence_numbers(self):
        """Half the number space away, where comparisons change their sign (RFC 793, section 3.3), and at the limit of 1 GiB."""
        connection = Connection(self, peer.ECHO, next(self.ports))
        for flags in ("A", "FA", "SA", "R"):
            for data in (b"", b"x", b"x" * 1460):
                for offset in (2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 31 - 1460, 2 ** 30 + 1, -(2 ** 30) - 1):
                    before = self.stats()
                    connection.send(flags, data, offset=offset)
                    after = self.stats()
                    self.assertEqual(after["drop-far-away"], before["drop-far-away"] + 1, (flags, len(data), offset))
        connection.send("A", b"y", offset=2 ** 30)       # lwIP's own business: an ACK
        connection.send("PA", b"still here")
        self.assertEqual(connection.collect(10), b"still here")
        self.check_alive()

    def test_noise(self):
        """Random bytes behind each header, and random changes of good frames."""
        chance = random.Random(4)
        good = [bytes(ipv4(TCP(sport=1, dport=7, flags="S"))), bytes(ipv4(UDP(sport=1, dport=19) / b"5 100 1000\n")),
                bytes(ipv4(ICMP() / b"data")), bytes(ether(ARP(op=1, psrc=US, pdst=peer.ADDRESS)))]
        for _ in range(ROUNDS):
            data = bytearray(chance.choice(good))
            for _ in range(chance.randrange(1, 6)):
                data[chance.randrange(12, len(data))] = chance.randrange(256)
            self.send_bytes(bytes(data))
            self.send_bytes(bytes(good[0][:chance.choice((14, 34))]) + chance.randbytes(chance.randrange(1, 200)))
        self.reset_peer()
        self.check_alive()

    def test_syn_flood(self):
        """The pool is full of half-open connections: the open one works on, new ones are for later."""
        before = Connection(self, peer.ECHO, next(self.ports))
        for number in range(3 * POOL):
            self.send(ipv4(TCP(sport=1024 + number, dport=7, flags="S"), src=US))
        self.stats()
        before.send("PA", b"still here")
        self.assertEqual(before.collect(10), b"still here")
        self.assertGreater(self.stats()["drop-memory"], POOL)
        for _ in range(SYN_TIMEOUT // (SECOND // 4)):
            self.step(SECOND // 4)
        self.ports = iter(range(50_000, 60_000))
        self.check_alive()


class Options(lab.TestCase):
    """Wrong values: one line that names the option and what is wrong."""

    HUB = ["-netdev", "hubport,id=wire,hubid=0"]

    def fails(self, *words, device="", more=()):
        done = subprocess.run([lab.EMULATOR, "-M", "none", "-display", "none", "-monitor", "none", *self.HUB,
                               "-device", f"mvlab-peer,netdev=wire{device}", *more],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANG, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_values(self):
        for value in ("", "every", "every=", "every=0", "every=65536", "every=2:5", "every=x", "batch=3", "batch=3:", "batch=0:5",
                      "batch=3:0", "batch=3:1000000001", "batch=-1:5", "each=1", " every=1", "every=1 "):
            with self.subTest(ack=value):
                self.fails("ack", "every=N or batch=N:NS", device=f",ack={value}")
        for value in ("", "1", "192.168.77", "192.168.77.1/0", "192.168.77.1/31", "192.168.77.1/x", "192.168.77.0/24",
                      "192.168.77.255/24", "224.0.0.1/8", "127.0.0.1/8", "host", "::1"):
            with self.subTest(address=value):
                self.fails("address", value, "192.168.77.1/24", device=f",address={value}")
        for name, value in (("window", "4095"), ("window", "67108865"), ("delay", "10000000001"), ("mac", "01:00:5e:00:00:01"),
                            ("window", "big"), ("seed", "x"), ("mac", "52:54"), ("color", "red")):
            with self.subTest(name=name, value=value):
                self.fails(name, device=f",{name}={value}")

    def test_second_instance(self):
        self.fails("mvlab-peer", "there is one already",
                   more=["-netdev", "hubport,id=other,hubid=1", "-device", "mvlab-peer,netdev=other"])

    def test_without_netdev(self):
        done = subprocess.run([lab.EMULATOR, "-M", "none", "-display", "none", "-monitor", "none", "-device", "mvlab-peer"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANG, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("mvlab-peer: netdev is not set", done.stderr)

    def test_saving_is_refused(self):
        with Wire() as wire:
            machine = peer.Peer(self.directory / "peer", wire.netdev)
            self.addCleanup(machine.close)
            with self.assertRaisesRegex(lab.QmpError, "mvlab-peer cannot be saved or migrated"):
                machine.qmp.execute("migrate", uri="exec:cat >/dev/null")


if __name__ == "__main__":
    lab.main()
