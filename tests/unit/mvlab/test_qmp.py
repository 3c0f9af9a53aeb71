# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor's client against a QEMU that is a list of answers."""
import json
import socket
import unittest

import tapmain
from mvlab_lib import qmp

GREETING = b'{"QMP": {}}\n{"return": {}}\n'


class Client(unittest.TestCase):
    def client(self, answers):
        """A client whose QEMU has said all of `answers` already."""
        ours, self.theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(self.theirs.close)
        self.theirs.sendall(GREETING + answers)
        return qmp.Qmp(ours)

    def test_commands_and_events(self):
        client = self.client(b'{"event": "STOP"}\n{"return": 7}\n{"event": "RESUME"}\n')
        self.assertEqual(client.execute("qom-get", a_b=1), 7)
        sent = [json.loads(line) for line in self.theirs.recv(65536).splitlines()]
        self.assertEqual(sent, [{"execute": "qmp_capabilities", "arguments": {}}, {"execute": "qom-get", "arguments": {"a-b": 1}}])
        self.assertEqual(client.wait_event("RESUME", 10), {"event": "RESUME"})
        self.assertEqual(client.wait_event("STOP", 10), {"event": "STOP"})

    def test_an_error(self):
        with self.assertRaisesRegex(qmp.Refused, "fly: no wings"):
            self.client(b'{"error": {"desc": "no wings"}}\n').execute("fly")

    def test_silence_keeps_what_came_in_part(self):
        client = self.client(b'{"event": ')
        self.assertIsNone(client.wait_event("STOP", 0.01))
        self.theirs.sendall(b'"STOP"}\n')
        self.assertEqual(client.wait_event("STOP", 10), {"event": "STOP"})

    def test_the_end(self):
        client = self.client(b"")
        self.theirs.close()
        with self.assertRaises(qmp.Closed):
            client.wait_event("STOP", 10)
        with self.assertRaises(qmp.Closed):
            client.execute("quit")


if __name__ == "__main__":
    tapmain.main()
