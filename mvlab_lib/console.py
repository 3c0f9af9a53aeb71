# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's end of a guest's serial port, and the agent that runs commands behind it (guest/rootfs/lib/mvlab/agent)."""
import re
import secrets
import select
import time
from dataclasses import dataclass

from .errors import Error

HANG = 300          # seconds without the awaited text after which the guest counts as hung
REQUEST_LIMIT = 3500  # bytes: the guest's serial port has no flow control and its line buffer holds 4096


class Gone(Error):
    """The other end of the console is closed."""


class Hung(Error):
    """What was awaited did not come."""


class GuestError(Error):
    """A command in the guest failed."""


class Console:
    """A serial port as a stream of bytes. All that arrives is appended to a log file."""

    def __init__(self, sock, log, why_gone=lambda: "the console is closed"):
        self.sock, self.why_gone = sock, why_gone
        self.log = open(log, "ab")
        self.pending = b""

    def close(self):
        self.sock.close()
        self.log.close()

    def write(self, data):
        try:
            self.sock.sendall(data)
        except ConnectionError as err:
            raise Gone(self.why_gone()) from err

    def expect(self, pattern, timeout=HANG):
        """Waits for a regular expression (bytes); returns its match and drops everything up to its end."""
        compiled = re.compile(pattern, re.DOTALL | re.MULTILINE)
        deadline = time.monotonic() + timeout
        while not (match := compiled.search(self.pending)):
            self.receive(deadline, pattern)
        self.pending = self.pending[match.end():]
        return match

    def receive(self, deadline, pattern):
        """Waits for more bytes."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.sock], [], [], left)[0]:
            raise Hung(f"the guest did not print {pattern!r}; its last line: {self.last_line()!r} (log: {self.log.name})")
        try:
            data = self.sock.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            raise Gone(self.why_gone())
        self.log.write(data)
        self.log.flush()
        self.pending += data

    def last_line(self):
        lines = [line for line in self.pending.decode(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else ""


@dataclass
class Result:
    """What a guest's shell made of a script."""
    status: int
    output: str


class Agent:
    """Runs shell scripts in the guest."""

    def __init__(self, console):
        self.console = console
        self.session = secrets.token_hex(4)
        self.count = 0

    def wait_ready(self, timeout=HANG):
        """Waits until the guest has booted; returns its uptime in seconds."""
        return float(self.console.expect(rb"^@ready ([\d.]+)[^\n]*\n", timeout)[1])

    def send(self, script):
        """Starts a script without waiting for it; returns its identifier for finish()."""
        self.count += 1
        identifier = f"{self.session}.{self.count}"
        request = f"{script}\n@run {identifier}\n".encode()
        if len(request) > REQUEST_LIMIT:
            raise Error(f"a script of {len(request)} bytes is too long for the guest's console (limit {REQUEST_LIMIT})")
        self.console.write(request)
        return identifier

    def finish(self, identifier, timeout=HANG):
        """Waits for a script started by send(); returns its Result."""
        name = re.escape(identifier.encode())
        self.console.expect(rb"^@begin %s\n" % name, timeout)
        match = self.console.expect(rb"(.*?)\n@end %s (\d+)\n" % name, timeout)
        return Result(int(match[2]), match[1].decode(errors="replace"))

    def attempt(self, script, timeout=HANG):
        """Runs a script that may fail; returns its Result."""
        return self.finish(self.send(script), timeout)

    def run(self, script, timeout=HANG):
        """Runs a script that is expected to succeed; returns its output."""
        result = self.attempt(script, timeout)
        if result.status:
            raise GuestError(f"in the guest: {script.strip().splitlines()[-1]!r} ended with status {result.status}: "
                             f"{' '.join(result.output.split())[-300:]}")
        return result.output
