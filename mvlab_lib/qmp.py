# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of QEMU's monitor protocol over a connected socket."""
import json

from .errors import Error


class Closed(Error):
    """QEMU has ended or closed the connection."""


class Refused(Error):
    """QEMU did not do what a command says."""


class Qmp:
    """A connection; events that arrive meanwhile are kept in `events`."""

    def __init__(self, sock):
        self.sock, self.pending, self.events = sock, b"", []
        self.receive()
        self.execute("qmp_capabilities")

    def receive(self):
        """The next message; socket.timeout if the socket has a timeout and nothing came (what came in part is kept)."""
        while b"\n" not in self.pending:
            try:
                data = self.sock.recv(65536)
            except ConnectionError:
                data = b""
            if not data:
                raise Closed("QEMU closed its monitor")
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        return json.loads(line)

    def execute(self, command, **arguments):
        """What a command returns. An underscore in an argument's name stands for a hyphen."""
        request = {"execute": command, "arguments": {name.replace("_", "-"): value for name, value in arguments.items()}}
        timeout = self.sock.gettimeout()
        self.sock.settimeout(None)
        try:
            self.sock.sendall(json.dumps(request).encode() + b"\n")
            while "event" in (answer := self.receive()):
                self.events.append(answer)
        except ConnectionError as err:
            raise Closed("QEMU closed its monitor") from err
        finally:
            self.sock.settimeout(timeout)
        if "error" in answer:
            raise Refused(f"{command}: {answer['error']['desc']}")
        return answer["return"]

    def wait(self, *names, seconds):
        """The next event of those names, or None if it does not come within so many seconds of silence."""
        self.sock.settimeout(seconds)
        try:
            while True:
                if found := next((event for event in self.events if event["event"] in names), None):
                    self.events.remove(found)
                    return found
                self.events.append(self.receive())
        except TimeoutError:
            return None
        finally:
            self.sock.settimeout(None)
