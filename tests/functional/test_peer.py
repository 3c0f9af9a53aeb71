# SPDX-License-Identifier: GPL-2.0-or-later
"""The peer against the host's TCP/IP over a tap interface. To be run by in-namespace."""
import concurrent.futures
import fcntl
import os
import random
import selectors
import socket
import struct
import subprocess
import threading

import lab
import peer
from mvlab_lib import pcap
from mvlab_lib.console import HANG
from mvlab_lib.servers import pseudo_random
from packets import ETHERNET_HEADER, checksums_wrong, ipv4_packets
from wire import Wire

TAP, HOST = "mvlab0", "192.168.77.2"
SIZE = lab.scaled(64 << 20, 1 << 30)
FLOWS = 500

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000      # linux/if_tun.h
TCP_INFO, OPTIONS_AT = 11, 5                                    # linux/tcp.h: tcpi_options
TIMESTAMPS, SACK, WSCALE = 1, 2, 4
SCALES_AT = 6                                                   # tcpi_snd_wscale, tcpi_rcv_wscale: 4 bits each


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def make_tap():
    ip("tuntap", "add", TAP, "mode", "tap")
    ip("addr", "add", f"{HOST}/24", "dev", TAP)
    ip("link", "set", TAP, "up")


def connect(port):
    connection = socket.create_connection((peer.ADDRESS, port), HANG)
    connection.settimeout(HANG)
    return connection


def read_all(connection, check=None):
    """The number of bytes until the peer closes; check(offset, data) sees them."""
    total = 0
    while data := connection.recv(1 << 20):
        if check:
            check(total, data)
        total += len(data)
    return total


def read_up_to(connection, size):
    """The next `size` bytes, or fewer if the peer closes."""
    data = bytearray()
    while len(data) < size and (more := connection.recv(size - len(data))):
        data += more
    return bytes(data)


class PatternCheck:
    """Fails at the first byte that is not the source's."""

    def __init__(self, case):
        self.case, self.reference = case, peer.pattern((1 << 20) + peer.PERIOD)

    def __call__(self, offset, data):
        start = offset % peer.PERIOD
        self.case.assertTrue(data == self.reference[start:start + len(data)], f"wrong byte after {offset}")


def ask(connection, size):
    connection.sendall(b"%d\n" % size)


class Case(lab.TestCase):

    def download(self, size=SIZE):
        with connect(peer.SOURCE) as connection:
            ask(connection, size)
            self.assertEqual(read_all(connection, PatternCheck(self)), size)

    def upload(self, size=SIZE):
        """All bytes arrive, since the peer's FIN is the answer to ours, which follows them."""
        block = peer.pattern(1 << 20)
        with connect(peer.SINK) as connection:
            for at in range(0, size, len(block)):
                connection.sendall(block[:size - at])
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(connection.recv(1), b"")

    def echo(self, size, seed=0):
        """Sends and receives at once; what comes back is what was sent."""
        sent, got = pseudo_random(size, seed), bytearray()
        with connect(peer.ECHO) as connection, selectors.DefaultSelector() as selector:
            connection.setblocking(False)
            selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE)
            at = 0
            while len(got) < size:
                for _, events in selector.select(HANG):
                    if events & selectors.EVENT_READ:
                        data = connection.recv(1 << 20)
                        self.assertTrue(data, "closed early")
                        got += data
                    if events & selectors.EVENT_WRITE and at < size:
                        at += connection.send(sent[at:at + (1 << 18)])
                    if at == size:
                        selector.modify(connection, selectors.EVENT_READ)
        self.assertEqual(got, sent)


class Tap(Case):
    """QEMU's tap backend."""

    @classmethod
    def setUpClass(cls):
        make_tap()

    @classmethod
    def tearDownClass(cls):
        ip("link", "delete", TAP)

    def setUp(self):
        self.peer = peer.Peer(self.directory / "peer", f"tap,ifname={TAP},script=no,downscript=no", ack="every=2")
        self.addCleanup(self.peer.close)

    def check_sound(self):
        stats = self.peer.stats()
        self.assertEqual((stats["assertions"], stats["checksum-errors"], stats["drop-memory"]), (0, 0, 0), stats)
        return stats

    def test_download(self):
        self.download()
        self.check_sound()

    def test_upload(self):
        self.upload()
        self.assertEqual(self.check_sound()["payload-received"], SIZE)

    def test_echo(self):
        self.echo(SIZE // 4)
        self.check_sound()

    def test_request_response(self):
        with connect(peer.ECHO) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for number in range(2000):
                request = struct.pack("!I", number)
                connection.sendall(request)
                self.assertEqual(read_up_to(connection, 4), request)

    def test_options(self):
        """Time stamps, SACK and both window scales, as Linux sees them; the scale is that of 1 MiB."""
        with connect(peer.SINK) as connection:
            info = connection.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 64)
        self.assertEqual(info[OPTIONS_AT] & 7, TIMESTAMPS | SACK | WSCALE)
        self.assertEqual(info[SCALES_AT] & 15, 5)

    def test_checksums_on_the_wire(self):
        capture = self.directory / "wire.pcap"
        self.peer.qmp.execute("object-add", qom_type="filter-dump", id="dump", netdev="wire", file=str(capture))
        self.download(1 << 20)
        self.peer.qmp.execute("object-del", id="dump")
        packets = list(ipv4_packets(pcap.frames(capture), peer.MAC))
        self.assertGreater(len(packets), (1 << 20) // 1460)
        self.assertEqual([packet for packet in packets if checksums_wrong(packet)], [])

    def test_many_flows(self):
        """All connections are open before the first one moves data; a third of them for each service."""
        ports = (peer.ECHO, peer.SINK, peer.SOURCE)
        connections = [(ports[number % 3], connect(ports[number % 3])) for number in range(FLOWS)]
        self.peer.wait("flows-opened", FLOWS)
        self.assertEqual(self.peer.stats()["flows-open"], FLOWS)
        reference = peer.pattern(100_000)
        for port, connection in connections:
            if port == peer.SOURCE:
                ask(connection, len(reference))
            else:
                connection.sendall(reference[:20_000])
        for port, connection in connections:
            if port == peer.SOURCE:
                self.assertEqual(read_up_to(connection, len(reference)), reference)
            connection.shutdown(socket.SHUT_WR)
        for port, connection in connections:
            rest = read_up_to(connection, 1 << 20)
            self.assertEqual(rest, reference[:20_000] if port == peer.ECHO else b"")
            connection.close()
        stats = self.check_sound()
        self.assertEqual((stats["flows-open"], stats["flows-failed"]), (0, 0), stats)

    def test_source_until_closed(self):
        with connect(peer.SOURCE) as connection:
            ask(connection, 0)
            data = read_up_to(connection, 5 << 20)
            self.assertTrue(data == peer.pattern(5 << 20))
        self.download(1000)

    def test_line_and_fin_together(self):
        """`echo 1000 | nc` sends its line and FIN in a row and still gets everything."""
        with connect(peer.SOURCE) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            ask(connection, 1000)
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(read_up_to(connection, 2000), peer.pattern(1000))

    def test_ping_and_udp(self):
        subprocess.run(["ping", "-c", "3", "-s", "1400", peer.ADDRESS], check=True, stdout=subprocess.DEVNULL)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(HANG)
            sock.sendto(b"there and back", (peer.ADDRESS, peer.ECHO))
            self.assertEqual(sock.recv(100), b"there and back")
            sock.sendto(b"10 200 1000000\n", (peer.ADDRESS, peer.SOURCE))
            for number in range(10):
                self.assertEqual(sock.recv(2000), struct.pack("!I", number) + peer.pattern(196))
            sock.sendto(b"lost", (peer.ADDRESS, peer.SINK))
        self.peer.wait("datagrams-received", 3)
        self.assertEqual(self.check_sound()["datagrams-sent"], 11)


class Lossy:
    """A context: the host's interface and the peer's backend with something in between that loses frames."""

    def __init__(self, wire, every):
        self.wire, self.every, self.lost = wire, every, 0
        self.stop, self.stopped = os.pipe()
        self.tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tap, TUNSETIFF, struct.pack("16sH22x", TAP.encode(), IFF_TAP | IFF_NO_PI))
        ip("addr", "add", f"{HOST}/24", "dev", TAP)
        ip("link", "set", TAP, "up")
        self.thread = threading.Thread(target=self.work)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        os.close(self.stopped)
        self.thread.join()
        os.close(self.tap)
        os.close(self.stop)

    def work(self):
        chance = random.Random(1)
        with selectors.DefaultSelector() as selector:
            for item in (self.tap, self.wire.socket, self.stop):
                selector.register(item, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self.stop in ready:
                    return
                for source in ready:
                    frame = os.read(source if source == self.tap else source.fileno(), 1 << 16)
                    if chance.random() * self.every < 1:
                        self.lost += 1
                    elif source == self.tap:
                        self.wire.send(frame)
                    else:
                        os.write(self.tap, frame)


class Loss(Case):
    """One frame in fifty is lost, each way."""

    SIZE = lab.scaled(2 << 20, 64 << 20)

    def run_lossy(self, *transfers):
        with Wire() as wire:
            machine = peer.Peer(self.directory / "peer", wire.netdev)
            self.addCleanup(machine.close)
            with Lossy(wire, 50) as lossy:
                for transfer in transfers:
                    transfer()
                self.assertGreater(lossy.lost, 20)
            return machine.stats()

    def test_upload(self):
        stats = self.run_lossy(lambda: self.upload(self.SIZE))
        self.assertEqual(stats["payload-received"], self.SIZE)
        self.assertGreater(stats["segments-out-of-order"], 0)
        self.assertEqual(stats["assertions"], 0)

    def test_download(self):
        stats = self.run_lossy(lambda: self.download(self.SIZE))
        self.assertGreater(stats["segments-sent"], self.SIZE // 1448)
        self.assertEqual(stats["assertions"], 0)

    def test_echo_of_many(self):
        def many():
            with concurrent.futures.ThreadPoolExecutor(20) as pool:
                for done in [pool.submit(self.echo, self.SIZE // 40, number) for number in range(20)]:
                    done.result()
        self.assertEqual(self.run_lossy(many)["assertions"], 0)


if __name__ == "__main__":
    lab.main()
