# SPDX-License-Identifier: GPL-2.0-or-later
"""The agent's protocol over a socket, with the shell script of the guest at the other end."""
import os
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

import tapmain
from mvlab_lib.console import REQUEST_LIMIT, Agent, Console, Gone, GuestError, Hung
from mvlab_lib.errors import Error
from mvlab_lib.paths import ROOT


class AgentProtocol(unittest.TestCase):
    def setUp(self):
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        script = (ROOT / "guest/rootfs/lib/mvlab/agent").read_text()
        self.assertIn("exec </dev/console >/dev/console 2>&1\nstty raw -echo\n", script)
        script = script.replace("exec </dev/console >/dev/console 2>&1\nstty raw -echo\n", "")
        ours, theirs = socket.socketpair()
        self.guest = subprocess.Popen(["sh", "-c", script], stdin=theirs, stdout=theirs, stderr=theirs,
                                      start_new_session=True)
        theirs.close()
        self.addCleanup(self.guest.wait)
        self.addCleanup(self.kill_guest)
        self.log = directory / "log"
        self.console = Console(ours, self.log)
        self.addCleanup(self.console.close)
        self.agent = Agent(self.console)
        self.assertGreater(self.agent.wait_ready(), 0)

    def kill_guest(self):
        """The script's shell and whatever it runs."""
        os.killpg(self.guest.pid, signal.SIGKILL)

    def test_output_and_status(self):
        result = self.agent.attempt("echo one\necho two >&2\nexit 7")
        self.assertEqual((result.output, result.status), ("one\ntwo\n", 7))

    def test_output_without_newline(self):
        self.assertEqual(self.agent.run("printf abc"), "abc")

    def test_no_output(self):
        self.assertEqual(self.agent.run("true"), "")

    def test_output_that_looks_like_the_protocol(self):
        text = "@end 1 0\n@begin 2\n@ready 5\n"
        self.assertEqual(self.agent.run(f"cat <<'X'\n{text}X"), text)

    def test_input_of_a_script_is_empty(self):
        self.assertEqual(self.agent.run("cat; echo end"), "end\n")

    def test_failure_names_the_command(self):
        with self.assertRaisesRegex(GuestError, "'false' ended with status 1"):
            self.agent.run("false")

    def test_request_limit(self):
        with self.assertRaisesRegex(Error, "too long"):
            self.agent.run("#" * REQUEST_LIMIT)

    def test_hung(self):
        identifier = self.agent.send("echo here; read x </dev/zero")
        with self.assertRaisesRegex(Hung, "did not print"):
            self.agent.finish(identifier, timeout=0)

    def test_gone(self):
        self.guest.kill()
        with self.assertRaises(Gone):
            self.agent.run("echo")

    def test_log_holds_everything(self):
        self.agent.run("echo marker-in-the-log")
        self.assertIn("marker-in-the-log", self.log.read_text())


if __name__ == "__main__":
    tapmain.main()
