# SPDX-License-Identifier: GPL-2.0-or-later
"""One measurement: a guest that runs a script alone under icount, with the peer on its wire.

Nothing that the guest sees depends on the host: its clock counts instructions, its far end is inside QEMU, nobody types.
The guest says its results on the console, between `@lab begin` and `@lab end`; funcprof writes its own; the counters of
NIC and peer are read by QMP when the guest has ended and virtual time stands still.
"""
import re
import socket
import subprocess
import time
from dataclasses import dataclass, field

from . import exp_guest, funcprof, guest
from .errors import Error
from .machine import CONSOLE, escaped
from .qmp import Closed, Qmp, Refused

BOARD = "sheevaplug"
RTC = "base=2008-07-31T00:00:00,clock=vm"
SEED = 1
GUEST_MAC, PEER_MAC = "52:54:00:12:34:56", "52:54:00:00:00:01"
GUEST_ADDRESS, PEER_ADDRESS = "192.168.77.2/24", "192.168.77.1/24"
SINK = 9
NIC_PATH, PEER_PATH = "/machine/soc/gbe[0]/port[0]", "/machine/peripheral/peer"
LONGEST = 4 * 3600    # seconds of the host after which a run counts as hung: no guest of ours takes a tenth of it
POLL = 1              # seconds between two looks at the progress


@dataclass(frozen=True)
class Run:
    """What one QEMU does. `words` go to the guest's script."""
    job: str
    shift: int
    words: dict
    peer: dict = field(default_factory=dict)     # properties of the peer
    port: dict = field(default_factory=dict)     # properties of the NIC's port
    profile: bool = False

    def command_line(self):
        """The kernel's command line."""
        words = {"job": self.job, "to": PEER_ADDRESS.split("/", maxsplit=1)[0], "port": SINK, "address": GUEST_ADDRESS, **self.words}
        return f"{CONSOLE} quiet panic=-1 " + " ".join(f"lab_{name}={value}" for name, value in words.items())

    def options(self, files):
        """QEMU's options. `files`: the paths of kernel, dtb, initrd, console, symbols, plugin and profile."""
        peer = {"id": "peer", "netdev": "wire", "mac": PEER_MAC, "address": PEER_ADDRESS, **self.peer}
        parts = ["-M", BOARD, "-kernel", files["kernel"], "-dtb", files["dtb"], "-initrd", files["initrd"],
                 "-append", self.command_line(), "-nodefaults", "-icount", f"shift={self.shift},sleep=off", "-rtc", RTC,
                 "-seed", SEED, "-netdev", "hubport,id=wire,hubid=0",
                 "-device", "mvlab-peer," + ",".join(f"{name}={value}" for name, value in peer.items()),
                 "-nic", f"hubport,hubid=0,mac={GUEST_MAC}"]
        for name, value in self.port.items():
            parts += ["-global", f"mv643xx-port.{name}={value}"]
        parts += ["-serial", f"file:{files['console']}", "-serial", f"file:{files['symbols']}"]
        if self.profile:
            parts += ["-plugin", f"{files['plugin']},symbols={escaped(files['symbols'])},out={escaped(files['profile'])}"]
        parts += ["-display", "none", "-monitor", "none", "-action", "reboot=shutdown,shutdown=pause"]
        return [str(part) for part in parts]

    def recorded(self):
        """The options as a result records them: NAME in angle brackets for a file."""
        names = ("kernel", "dtb", "initrd", "console", "symbols", "plugin", "profile")
        return self.options({name: f"<{name}>" for name in names})


@dataclass
class Outcome:
    """What a run gave."""
    values: dict          # name: int or text, from the guest
    histogram: list       # (group, kind, bin, count) of lab-observe
    nic: dict
    peer: dict
    profile: dict | None  # funcprof.as_json()
    wall_ms: int


def execute(run, emulator, plugin, directory, progress=lambda received: None, cancelled=lambda: False):
    """Runs one guest; returns its Outcome. progress() gets the bytes that the peer has received, about once a second."""
    directory.mkdir(parents=True, exist_ok=True)
    files = {"kernel": guest.KERNEL, "dtb": guest.dtb(BOARD), "initrd": exp_guest.INITRD, "plugin": plugin,
             "console": directory / "console.log", "symbols": directory / "symbols", "profile": directory / "profile.json"}
    for name in ("console", "symbols", "profile"):
        files[name].unlink(missing_ok=True)
    started = time.monotonic()
    with Process([emulator, *run.options(files)], directory / "qemu.log") as process:
        nic, peer = process.until_the_end(progress, cancelled)
    wall_ms = round((time.monotonic() - started) * 1000)
    values, histogram = parse_console(files["console"])
    return Outcome(values, histogram, nic, peer, read_profile(files["profile"]) if run.profile else None, wall_ms)


class Process:
    """A QEMU with a QMP connection. Leaving the context ends it."""

    def __init__(self, command, log):
        ours, theirs = socket.socketpair()
        self.log = log
        command = [str(word) for word in command] + ["-chardev", f"socket,id=qmp,fd={theirs.fileno()}",
                                                     "-mon", "chardev=qmp,mode=control"]
        with open(log, "w", encoding="utf-8") as file:
            print("+", *command, file=file, flush=True)
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                            pass_fds=[theirs.fileno()], start_new_session=True)
        theirs.close()
        self.sock, self.qmp = ours, None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.sock.close()
        if not kind and self.process.returncode:
            raise Error(self.why_gone())

    def until_the_end(self, progress, cancelled):
        """Waits until the guest has ended; returns the counters of NIC and peer and ends QEMU."""
        try:
            self.qmp = Qmp(self.sock)
            deadline = time.monotonic() + LONGEST
            while not self.qmp.wait_event("SHUTDOWN", POLL):
                if cancelled():
                    raise KeyboardInterrupt
                if time.monotonic() > deadline:
                    raise Error(f"the guest has not ended in {LONGEST} s (log: {self.log.with_name('console.log')})")
                progress(self.received())
            counters = self.stats(NIC_PATH), self.stats(PEER_PATH)
            self.qmp.execute("quit")
            return counters
        except Closed as err:
            raise Error(self.why_gone()) from err

    def stats(self, path):
        return self.qmp.execute("qom-get", path=path, property="stats")

    def received(self):
        try:
            return self.stats(PEER_PATH)["payload-received"]
        except (KeyError, Refused):
            return 0

    def why_gone(self):
        """Why QEMU ended by itself."""
        status = self.process.wait()
        lines = self.log.read_text(errors="replace").splitlines()[1:]
        return f"QEMU ended with status {status}{': ' + lines[-1] if lines else ''} (log: {self.log})"


def parse_console(path):
    """({name: value}, histogram) from the guest's console: decimal numbers as int, other values as text."""
    text = path.read_text(errors="replace") if path.exists() else ""
    if error := re.search(r"^@lab error (.*)$", text, re.MULTILINE):
        raise Error(f"in the guest: {error[1]}{reason(text)} (log: {path})")
    match = re.search(r"^@lab begin\n(.*?)^@lab end$", text, re.MULTILINE | re.DOTALL)
    if not match:
        raise Error(f"the guest did not finish; its last line: {last_line(text)!r} (log: {path})")
    values, histogram = {}, []
    for line in match[1].splitlines():
        if line.startswith("histogram "):
            histogram.append(parse_bin(line, path))
        elif pair := re.fullmatch(r"([a-z]\w*)=(.*)", line):
            values[pair[1]] = int(pair[2]) if re.fullmatch("[0-9]+", pair[2]) else pair[2].strip()
    return values, histogram


def parse_bin(line, path):
    """One line of lab-observe: `histogram GROUP KIND BIN COUNT`."""
    match = re.fullmatch(r"histogram ([0-9]+|rest) (segments|size) ([0-9]+) ([0-9]+)", line)
    if not match:
        raise Error(f"{path}: not a line of a histogram: {line!r}")
    group = match[1] if match[1] == "rest" else int(match[1])
    return group, match[2], int(match[3]), int(match[4])


def reason(text):
    """What a program complained about before the script gave up."""
    lines = re.findall(r"^lab-\w+: .*$", text, re.MULTILINE)
    return f": {lines[-1]}" if lines else ""


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def read_profile(path):
    """funcprof's result: its one region as funcprof.as_json() has it."""
    regions = funcprof.read(path)
    if len(regions) != 1:
        raise Error(f"{path}: {len(regions)} regions, expected one")
    return funcprof.as_json(regions[0])
