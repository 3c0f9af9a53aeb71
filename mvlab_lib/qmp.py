# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of QEMU's monitor protocol (QMP) over a connected socket."""
import json

from .errors import Error

ANSWER = 300        # seconds after which a command that is not answered counts as lost


class Closed(Error):
    """QEMU has ended or closed the connection."""


class Refused(Error):
    """QEMU did not do what a command says."""


class Qmp:
    """A connection; events that nobody has waited for yet are in `events`, oldest first."""

    def __init__(self, sock):
        self.sock, self.pending, self.events = sock, b"", []
        self.receive(ANSWER)
        self.execute("qmp_capabilities")

    def receive(self, seconds):
        """The next message; TimeoutError after so many seconds without a byte (what came in part is kept)."""
        self.sock.settimeout(seconds)
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
        try:
            self.sock.sendall(json.dumps(request).encode() + b"\n")
            while "event" in (answer := self.receive(ANSWER)):
                self.events.append(answer)
        except ConnectionError as err:
            raise Closed("QEMU closed its monitor") from err
        except TimeoutError as err:
            raise Error(f"QEMU does not answer {command}") from err
        if "error" in answer:
            raise Refused(f"{command}: {answer['error']['desc']}")
        return answer["return"]

    def wait_event(self, name, seconds=None):
        """The next event of that name, also one that came earlier. After so many seconds of silence None; without a limit
        silence is an error in the end."""
        while True:
            for number, event in enumerate(self.events):
                if event["event"] == name:
                    return self.events.pop(number)
            try:
                self.events.append(self.receive(ANSWER if seconds is None else seconds))
            except TimeoutError as err:
                if seconds is None:
                    raise Error(f"QEMU does not report {name}") from err
                return None
