# SPDX-License-Identifier: GPL-2.0-or-later
"""The peer on a machine without a guest: what a network backend sends to it, it answers in host time."""
import shutil

import lab
from mvlab_lib.machine import Machine

ADDRESS = "192.168.77.1"
MAC = "52:55:c0:a8:4d:01"       # its default: 52:55 and the address
ECHO, SINK, SOURCE = 7, 9, 19
PERIOD = 251                    # byte n of what a source sends is n % 251


def pattern(size):
    """What a source sends."""
    return (bytes(range(PERIOD)) * (size // PERIOD + 1))[:size]


def options(netdev, **properties):
    """QEMU's options for the peer on a backend."""
    device = ",".join(f"{name}={value}" for name, value in properties.items())
    return ["-netdev", f"{netdev},id=wire", "-device", f"mvlab-peer,id=peer,netdev=wire{',' if device else ''}{device}"]


def stats(qmp):
    """The peer's counters."""
    return qmp.execute("qom-get", path="/machine/peripheral/peer", property="stats")


class Peer(Machine):
    """A QEMU with the peer and nothing else."""

    def __init__(self, directory, netdev, extra=(), **properties):
        shutil.rmtree(directory, ignore_errors=True)
        super().__init__(lab.EMULATOR, ["-M", "none", *options(netdev, **properties), *extra], directory, monitor=True)
        self.qmp = lab.Qmp(self.monitor)

    def stats(self):
        return stats(self.qmp)

    def wait(self, name, value):
        """Waits until a counter has reached a value."""
        while self.stats()[name] < value:
            pass
