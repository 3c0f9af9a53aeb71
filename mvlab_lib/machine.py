# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual board: what it boots as QEMU options, and a running one with its console."""
import os
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import guest, images
from .console import Console
from .errors import Error

CONSOLE = "console=ttyS0,115200"
AGENT = "mvlab=agent panic=-1"


@dataclass
class Board:
    """What a board boots and what is plugged in."""
    name: str = "sheevaplug"
    kernel: Path | None = None
    dtb: Path | None = None
    initrd: Path | None = None
    append: str = ""
    uboot: Path | None = None
    netdevs: list = field(default_factory=lambda: ["user"])  # one backend for each GbE, without id=
    pcap: Path | None = None                                 # capture of the first backend
    drives: list = field(default_factory=list)               # disk images, plugged in as USB disks
    memory: str | None = None
    peer: str | None = None                                  # the first GbE's far end is mvlab-peer with these properties

    def options(self):
        """The options for QEMU."""
        parts = ["-M", self.name, *(["-m", self.memory] if self.memory else []), *self.boot_options()]
        for number, netdev in enumerate(self.backends()):
            parts += ["-netdev", f"{netdev},id=net{number}", "-net", f"nic,netdev=net{number}"]
        if self.peer is not None:
            parts += peer_options(self.peer)
        if self.pcap:
            parts += ["-object", f"filter-dump,id=capture,netdev=net0,file={escaped(self.pcap)}"]
        for number, path in enumerate(self.drives):
            parts += ["-drive", f"if=none,id=disk{number},format={images.disk_format(path)},file={escaped(path)}",
                      "-device", f"usb-storage,drive=disk{number}"]
        return [str(part) for part in parts]

    def backends(self):
        """The backends of the GbEs; the peer is on the other port of a hub."""
        return self.netdevs if self.peer is None else ["hubport,hubid=0", *self.netdevs[1:]]

    def boot_options(self):
        if self.uboot:
            return ["-bios", self.uboot]
        return ["-kernel", self.kernel or guest.KERNEL, "-dtb", self.dtb or guest.dtb(self.name),
                "-initrd", self.initrd or guest.INITRD, "-append", f"{CONSOLE} {self.append}".strip()]


def peer_options(properties):
    """The peer, on one port of hub 0."""
    return ["-netdev", "hubport,id=peer0,hubid=0",
            "-device", ",".join(filter(None, ["mvlab-peer,id=peer,netdev=peer0", properties]))]


def escaped(path):
    """A path as the value of a QEMU option."""
    return str(path).replace(",", ",,")


class Machine:
    """A running QEMU whose serial port is a Console. Leaving the context ends it.

    With monitor=True, `monitor` is the host's end of a QMP connection.
    """

    def __init__(self, emulator, options, directory, monitor=False):
        directory.mkdir(parents=True, exist_ok=True)
        self.log = directory / "console.log"
        self.error_log = directory / "qemu.log"
        serial, serial_theirs = socket.socketpair()
        inherited = [serial_theirs]
        command = [str(emulator), *options, "-display", "none", "-monitor", "none"]
        command += ["-chardev", f"socket,id=serial0,fd={serial_theirs.fileno()}", "-serial", "chardev:serial0"]
        self.monitor = None
        if monitor:
            self.monitor, theirs = socket.socketpair()
            inherited.append(theirs)
            command += ["-chardev", f"socket,id=qmp0,fd={theirs.fileno()}", "-mon", "chardev=qmp0,mode=control"]
        with open(self.error_log, "w", encoding="utf-8") as errors:
            print("+", *command, file=errors, flush=True)
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                            pass_fds=[end.fileno() for end in inherited])
        for end in inherited:
            end.close()
        self.console = Console(serial, self.log, self.why_gone)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends QEMU."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.console.close()
        if self.monitor:
            self.monitor.close()

    def why_gone(self):
        """Why QEMU closed the console."""
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            return "QEMU closed the console"
        lines = self.error_log.read_text(errors="replace").splitlines()[1:]
        return f"QEMU ended with status {status}{': ' + lines[-1] if lines else ''} (log: {self.error_log})"


def check_tap(name):
    """Refuses a tap interface that does not exist or that this user may not open."""
    path = Path("/sys/class/net") / name
    if not path.exists():
        raise Error(f"--tap {name}: no such interface (make it with: ip tuntap add {name} mode tap)")
    if not (path / "tun_flags").exists():
        raise Error(f"--tap {name}: not a tap interface")
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise Error(f"--tap {name}: cannot open /dev/net/tun")
