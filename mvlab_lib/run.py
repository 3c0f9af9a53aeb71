# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots Debian's kernel on a SheevaPlug with user networking, moves data both ways and checks every byte and every frame."""
import json
import re
import time
from dataclasses import asdict, dataclass

from . import arguments, build, files, guest, pcap, shell
from .console import Agent, GuestError
from .machine import AGENT, Board, Machine
from .paths import BUILD
from .servers import HOST, SEEN_FROM_GUEST, HttpServer, Iperf3, fetched_sha256, free_port

SIZE = 64 << 20            # bytes of each HTTP transfer
SECONDS = 4                # length of each iperf3 run
MAC = "52:54:00:12:34:56"  # QEMU's default for the first NIC
NETWORK = "user,ipv6=off"  # the server's router advertisements would arrive at any time
DIRECTORY = BUILD / "run"
TRIES = 5
WIDTH = 25                 # columns of a check's name


@dataclass
class Line:
    """One line of the result."""
    check: str
    ok: bool
    measured: str


def add_arguments(parser):
    parser.add_argument("--json", metavar="FILE", type=arguments.path, help="write the result to FILE as well")
    build.Variant.add_arguments(parser)


def main(args):
    if args.json:
        arguments.check_writable("--json", args.json)
    variant = build.Variant.of(args)
    build.build(variant)
    guest.prepare()
    shell.say(f"booting Linux {guest.manifest()['abi']} on a sheevaplug")
    with shell.locked(DIRECTORY / "lock"):
        job = Job(variant.emulator)
        job.go()
        report(job, args.json)
    return 0 if all(line.ok for line in job.lines) else 1


class Job:
    """One run: the machine, and the lines that it produced."""

    def __init__(self, emulator):
        self.emulator = emulator
        self.capture = DIRECTORY / "capture.pcap"
        self.forwarded = free_port(HOST)
        self.lines = []
        self.agent = None

    def go(self):
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        self.capture.unlink(missing_ok=True)
        (DIRECTORY / "console.log").unlink(missing_ok=True)
        network = f"{NETWORK},hostfwd=tcp:{HOST}:{self.forwarded}-:80"
        board = Board(append=AGENT, netdevs=[network], pcap=self.capture)
        started = time.monotonic()
        with Machine(self.emulator, board.options(), DIRECTORY) as machine, HttpServer(SIZE) as web, Iperf3() as iperf:
            self.agent = Agent(machine.console)
            self.agent.wait_ready()
            self.check("boot", lambda: (True, f"{time.monotonic() - started:.1f} s to user space"))
            self.check("DHCP", self.dhcp)
            self.check("link", self.link)
            self.check("download", lambda: self.download(web))
            self.check("upload", lambda: self.upload(web))
            self.check("iperf3 send", lambda: self.iperf(iperf, ""))
            self.check("iperf3 receive", lambda: self.iperf(iperf, "-R"))
            self.statistics()

    def check(self, name, measure):
        """Adds and prints the line of one check; what goes wrong in the guest or on a connection is a failed line, not the end."""
        try:
            ok, measured = measure()
        except (GuestError, OSError) as err:
            ok, measured = False, str(err)
        self.lines.append(Line(name, ok, measured))
        shell.show(f"{'ok  ' if ok else 'FAIL'}  {name:<{WIDTH}}  {measured}")

    def dhcp(self):
        self.agent.run("ip link set eth0 up && udhcpc -n -q -f -t 60 -T 1 -i eth0 -s /lib/mvlab/dhcp")
        address = self.agent.run("ip -4 addr show dev eth0 | sed -n 's/.*inet \\([^ ]*\\).*/\\1/p'").strip()
        return address.startswith("10.0.2."), address or "no address"

    def link(self):
        words = self.agent.run("cd /sys/class/net/eth0 && cat carrier speed duplex").split()
        return words == ["1", "1000", "full"], f"carrier {words[0]}, {words[1]} Mb/s, {words[2]} duplex"

    def download(self, web):
        started = time.monotonic()
        output = self.agent.run(f"wget -q -O /tmp/data http://{SEEN_FROM_GUEST}:{web.port}/ && sha256sum /tmp/data")
        return compared(output.split()[0], web.sha256, time.monotonic() - started)

    def upload(self, web):
        self.agent.run("httpd -p 80 -h /tmp")
        started = time.monotonic()
        total = fetched_sha256(f"http://{HOST}:{self.forwarded}/data")
        measured = compared(total, web.sha256, time.monotonic() - started)
        self.agent.run("killall httpd && rm /tmp/data")
        return measured

    def iperf(self, server, direction):
        output = self.agent.run(f"iperf3 -c {SEEN_FROM_GUEST} -p {server.port} -t {SECONDS} -i 0 -J {direction}")
        end = json.loads(output)["end"]
        rate = end["sum_received"]["bits_per_second"] / 1e6
        return end["sum_received"]["bytes"] > 0, f"{rate:.0f} Mb/s"

    def statistics(self):
        """Compares the NIC's counters with the capture, read while no frame is on its way."""
        for _ in range(TRIES):
            self.agent.run(f"ping -c 1 {SEEN_FROM_GUEST}")
            before = pcap.frames(self.capture)
            counters = nic_counters(self.agent.run("ethtool -S eth0"))
            if len(pcap.frames(self.capture)) == len(before):
                break
        mac = bytes.fromhex(MAC.replace(":", ""))
        sent = [frame for frame in before if frame[6:12] == mac]
        received = [frame for frame in before if frame[6:12] != mac]
        self.check("NIC counters, sent", lambda: equal(counters, sent, "good_frames_sent", "good_octets_sent"))
        self.check("NIC counters, received", lambda: equal(counters, received, "good_frames_received", "good_octets_received"))
        self.check("driver counters, received", lambda: self.driver_received(counters, received))
        errors = {name: value for name, value in counters.items() if value and ERROR.search(name)}
        self.check("error counters", lambda: (not errors, ", ".join(f"{n} {v}" for n, v in errors.items()) or "all zero"))

    @staticmethod
    def driver_received(counters, received):
        """The driver sees every frame except those that found no free descriptor, which the NIC counts."""
        seen, lost = counters["rx_packets"], counters["rx_discard"] + counters["rx_overrun"]
        if not lost:
            return equal(counters, received, "rx_packets", "rx_bytes")
        return seen + lost == len(received), f"{seen} frames and {lost} without a descriptor; capture {len(received)}"


ERROR = re.compile(r"err|bad|drop|collision|undersize|oversize|jabber|fragments")


def equal(counters, found, frames, octets):
    """Compares two counters with the frames of a capture."""
    measured, expected = (counters[frames], counters[octets]), (len(found), pcap.octets(found))
    return measured == expected, f"{measured[0]} frames, {measured[1]} bytes; capture {expected[0]}, {expected[1]}"


def compared(measured, expected, seconds):
    rate = SIZE / seconds / (1 << 20)
    if measured != expected:
        return False, f"sha256 {measured}, expected {expected}"
    return True, f"{SIZE >> 20} MiB, sha256 equal at both ends, {rate:.1f} MiB/s with sums"


def nic_counters(text):
    """{name: value} from the output of ethtool -S."""
    return {name: int(value) for name, value in re.findall(r"^\s*([\w ]+): ([0-9]+)$", text, re.MULTILINE)}


def report(job, path):
    """Says where the evidence is, and writes the result to a file if the user wants one."""
    result = {"ok": all(line.ok for line in job.lines), "lines": [asdict(line) for line in job.lines],
              "guest": {name: guest.manifest()[name] for name in ("suite", "abi")},
              "log": str(DIRECTORY / "console.log"), "capture": str(job.capture)}
    files.report(f"console log: {DIRECTORY / 'console.log'}\ncapture:     {job.capture}", [(path, json.dumps(result, indent=1) + "\n")])
