# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures guests, inside a network namespace made for it: reads a plan (JSON) on standard input, writes a line of JSON per
boot on standard output. bench_guest.py starts it and says what is in the plan.
"""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from .console import Agent
from .errors import Error
from .machine import Machine
from .servers import Iperf3

HOST_ADDRESS, GUEST_ADDRESS = "192.168.7.1", "192.168.7.2"
TAP = "tap0"

PREPARATION = f"""
dmesg -n 1
ip addr add {GUEST_ADDRESS}/24 dev eth0
ip link set eth0 up
until [ "$(cat /sys/class/net/eth0/carrier)" = 1 ]; do usleep 100000; done
until ping -c 1 -W 1 {HOST_ADDRESS} >/dev/null; do :; done
"""


def rate(text):
    """What guest-bench prints."""
    return float(text)


def dd_rate(text):
    """Writes per second of a busybox dd under time: "40000+0 records out", "real    0m 1.25s"."""
    records = re.search(r"^(\d+)\+0 records out", text, re.MULTILINE)
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


def client(options):
    return f"iperf3 -J -c {HOST_ADDRESS} -p {{port}} -t {{seconds}} {options} 2>/dev/null"


# name: (unit, guest command, what its output means). More is better in every row.
ROWS = {
    "dd": ("1-byte writes/s", "time dd if=/dev/zero of=/dev/null bs=1 count=$(({seconds} * 20000)) 2>&1", dd_rate),
    "getpid": ("calls/s", "guest-bench getpid {seconds}", rate),
    "pipe": ("round trips/s", "guest-bench pipe {seconds}", rate),
    "fork-exec": ("children/s", "guest-bench forkexec {seconds}", rate),
    "udp-send": ("64-byte packets/s", client("-u -l 64 -b 0"), udp_rate),
    "udp-receive": ("64-byte packets/s", client("-u -l 64 -b 25M -R"), udp_rate),
    "tcp-send": ("Mb/s", client(""), tcp_rate),
    "tcp-receive": ("Mb/s", client("-R"), tcp_rate),
}


def make_network():
    for command in (f"ip tuntap add {TAP} mode tap vnet_hdr", f"ip addr add {HOST_ADDRESS}/24 dev {TAP}",
                    f"ip link set {TAP} up", "ip link set lo up"):
        subprocess.run(command.split(), check=True)


def cpu_seconds(pid):
    """The CPU time of a process so far, all threads, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(agent, pid, name, values):
    """One row: its figure per second, and the share of one CPU that QEMU (process pid) had meanwhile."""
    _, command, meaning = ROWS[name]
    begin, cpu = time.monotonic(), cpu_seconds(pid)
    output = agent.run(command.format(**values))
    return {"rate": meaning(output), "cpu": (cpu_seconds(pid) - cpu) / (time.monotonic() - begin)}


def boot(emulator, options, plan):
    """Boots one guest and measures all rows in it."""
    with Machine(emulator, options, Path(plan["directory"])) as machine, Iperf3(HOST_ADDRESS) as server:
        agent = Agent(machine.console)
        agent.wait_ready()
        agent.run(PREPARATION)
        values = {"seconds": plan["seconds"], "port": server.port}
        return {name: measured(agent, machine.process.pid, name, values) for name in plan["rows"]}


def main():
    plan = json.load(sys.stdin)
    make_network()
    for item in plan["boots"]:
        print(json.dumps({**item["label"], "rows": boot(item["emulator"], item["options"], plan)}), flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Error, subprocess.CalledProcessError) as err:
        sys.exit(f"mvlab: {err}")
