# SPDX-License-Identifier: GPL-2.0-or-later
"""The far end of a guest's cable: a datagram socket on which each datagram is one frame without FCS."""
import contextlib
import os
import socket
import struct
import tempfile

from mvlab_lib.console import HANG

BROADCAST = bytes.fromhex("ffffffffffff")
STRANGER = bytes.fromhex("025043000001")    # a locally administered address that no guest has
PLUG = b"plug"                              # what clog() sends
TEST_ETHERTYPE = 0x88B5                     # IEEE 802 local experimental EtherType 1


def mac(text):
    """A MAC address as bytes."""
    return bytes.fromhex(text.replace(":", ""))


def frame(to, payload=b"", sender=STRANGER, ethertype=TEST_ETHERTYPE, size=60):
    """An Ethernet frame padded to size bytes, without FCS."""
    return (to + sender + struct.pack("!H", ethertype) + payload).ljust(size, b"\0")


class Wire:
    """A context with both ends of a datagram netdev: `netdev` is the guest's, send() and frames() are the far end."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="mvlab-wire-")    # a socket's path may have 107 bytes
        self.theirs = os.path.join(self.directory.name, "guest")
        self.ours = os.path.join(self.directory.name, "far-end")
        self.netdev = f"dgram,local.type=unix,local.path={self.theirs},remote.type=unix,remote.path={self.ours}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.ours)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.directory.cleanup()

    def send(self, data):
        """Sends one frame; waits while the guest's backend takes none."""
        self.socket.sendto(data, self.theirs)

    def receive(self):
        """The next datagram that the far end has not read."""
        self.socket.settimeout(HANG)
        return self.socket.recv(1 << 16)

    def drain(self):
        """Throws away what has come from the guest."""
        with contextlib.suppress(BlockingIOError):
            self.socket.setblocking(False)
            while True:
                self.socket.recv(1 << 16)
        self.socket.setblocking(True)

    def clog(self):
        """Fills the far end's receive queue, so that the guest's backend can send nothing; returns the number of datagrams."""
        count = 0
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other, contextlib.suppress(BlockingIOError):
            other.setblocking(False)
            while True:
                other.sendto(PLUG, self.ours)
                count += 1
        return count


def cable(directory):
    """The two netdevs of a cable between two guests; directory holds their sockets."""
    ends = [os.path.join(directory, name) for name in ("a", "b")]
    return [f"dgram,local.type=unix,local.path={here},remote.type=unix,remote.path={there}" for here, there in (ends, ends[::-1])]
