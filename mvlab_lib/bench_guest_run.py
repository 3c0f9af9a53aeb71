# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures guests, inside a network namespace made for it: reads a plan (JSON) on standard input, writes a line of JSON per
run on standard output. bench_guest.py starts it and says what is in the plan.
"""
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from .console import Agent
from .errors import Error
from .machine import Machine
from .servers import Iperf3

TAP, HOST_ADDRESS, GUEST_ADDRESS = "tap{0}", "192.168.{0}.1", "192.168.{0}.2"     # of the guest with that number

PREPARATION = """
dmesg -n 1
ip addr add {guest}/24 dev eth0
ip link set eth0 up
until [ "$(cat /sys/class/net/eth0/carrier)" = 1 ]; do usleep 100000; done
until ping -c 1 -W 1 {host} >/dev/null; do :; done
"""


@dataclass
class Subject:
    """A guest that is measured: its flavour of QEMU, its shell, QEMU's process, and the iperf3 server for it."""
    flavour: str
    agent: Agent
    pid: int
    address: str
    port: int


def rate(text):
    """What guest-bench prints."""
    return float(text)


def dd_rate(text):
    """Writes per second of a busybox dd under time: "50000+0 records out", "real    0m 1.25s"."""
    records = re.search(r"^([0-9]+)\+0 records out", text, re.MULTILINE)
    minutes, seconds = re.search(r"^real\s+(\d+)m\s*([\d.]+)s", text, re.MULTILINE).groups()
    return int(records[1]) / (int(minutes) * 60 + float(seconds))


def udp_rate(text):
    """Datagrams per second that arrived, of an iperf3 client."""
    total = iperf(text)["sum"]
    return (total["packets"] - total["lost_packets"]) / total["seconds"]


def tcp_rate(text):
    """Megabits per second that arrived, of an iperf3 client."""
    return iperf(text)["sum_received"]["bits_per_second"] / 1e6


def iperf(text):
    result = json.loads(re.search(r"^\{.*^\}", text, re.MULTILINE | re.DOTALL)[0])  # without what the kernel prints
    if "error" in result:
        raise Error(f"iperf3 in the guest: {result['error']}")
    return result["end"]


def client(options, seconds="{seconds}"):
    return f"iperf3 -J -c {{address}} -p {{port}} -t {seconds} {options} 2>/dev/null"


@dataclass(frozen=True)
class Row:
    """What is measured. More is better. With per_cpu the figure is always per second of QEMU's CPU time."""
    unit: str
    command: str
    meaning: Callable       # of the command's output: a rate
    per_cpu: bool = False


# Datagrams come at a rate that the slowest flavour can take: what a flooded guest still delivers says more about which
# packets it drops than about its speed.
ROWS = {
    "dd": Row("1-byte writes/s", "time dd if=/dev/zero of=/dev/null bs=1 count=$(({seconds} * 50000)) 2>&1", dd_rate),
    "getpid": Row("calls/s", "guest-bench getpid {seconds}", rate),
    "pipe": Row("round trips/s", "guest-bench pipe {seconds}", rate),
    "fork-exec": Row("children/s", "guest-bench forkexec {seconds}", rate),
    "udp-send": Row("64-byte packets/s", client("-u -l 64 -b 0"), udp_rate),
    "udp-receive": Row("64-byte packets/CPU s", client("-u -l 64 -b 1M -R", "$(({seconds} * 4))"), udp_rate, per_cpu=True),
    "tcp-send": Row("Mb/s", client(""), tcp_rate),
    "tcp-receive": Row("Mb/s", client("-R"), tcp_rate),
}


def make_network(guests):
    """A tap with the host's address for each guest."""
    commands = ["ip link set lo up"]
    for number in range(guests):
        tap = TAP.format(number)
        commands += [f"ip tuntap add {tap} mode tap vnet_hdr", f"ip addr add {HOST_ADDRESS.format(number)}/24 dev {tap}",
                     f"ip link set {tap} up"]
    for command in commands:
        subprocess.run(command.split(), check=True)


def cpu_seconds(pid):
    """The CPU time of a process so far, all threads, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(subject, name, seconds):
    """One row: its figure per second, and the share of one CPU that QEMU had meanwhile."""
    row = ROWS[name]
    begin, cpu = time.monotonic(), cpu_seconds(subject.pid)
    output = subject.agent.run(row.command.format(seconds=seconds, address=subject.address, port=subject.port))
    return {"rate": row.meaning(output), "cpu": (cpu_seconds(subject.pid) - cpu) / (time.monotonic() - begin)}


def start(stack, guests, directory):
    """Boots guests side by side; returns them as Subjects, ready to be measured. They end with the stack."""
    machines = [stack.enter_context(Machine(guest["emulator"], guest["options"], directory / guest["flavour"]))
                for guest in guests]
    subjects = []
    for number, (guest, machine) in enumerate(zip(guests, machines)):
        agent, host = Agent(machine.console), HOST_ADDRESS.format(number)
        agent.wait_ready()
        agent.run(PREPARATION.format(host=host, guest=GUEST_ADDRESS.format(number)))
        server = stack.enter_context(Iperf3(host))
        subjects.append(Subject(guest["flavour"], agent, machine.process.pid, host, server.port))
    return subjects


def rotated(items, by):
    by %= len(items)
    return [*items[by:], *items[:by]]


def measure(subjects, plan):
    """{row: one dictionary for each round, {flavour: figure}}; the guests take turns, in changing order."""
    return {name: [{subject.flavour: measured(subject, name, plan["seconds"]) for subject in rotated(subjects, number)}
                   for number in range(plan["rounds"])] for name in plan["rows"]}


def main():
    plan = json.load(sys.stdin)
    make_network(max(len(run["guests"]) for run in plan["runs"]))
    for run in plan["runs"]:
        with ExitStack() as stack:
            subjects = start(stack, run["guests"], Path(plan["directory"]))
            print(json.dumps({**run["label"], "rows": measure(subjects, plan)}), flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Error, subprocess.CalledProcessError) as err:
        sys.exit(f"mvlab: {err}")
