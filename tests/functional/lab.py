# SPDX-License-Identifier: GPL-2.0-or-later
"""What the functional tests share: a guest under test with its agent and QMP connection, test cases that share a guest, and a TAP runner.

Each test_*.py is a program of its own that speaks TAP:

    python3 test_network.py [--full] [TestClass[.test_name] ...]

--full (or MVLAB_FULL=1) selects the long tier. MVLAB_OUT names the QEMU build directory to test. Logs are below build/functional/.
"""
import hashlib
import os
import queue
import shutil
import socket
import sys
import threading
import traceback
import unittest
from pathlib import Path

ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(ROOT))

from mvlab_lib import build, guest  # noqa: E402
from mvlab_lib.console import HANG, Agent  # noqa: E402
from mvlab_lib.machine import AGENT, Board, Machine  # noqa: E402
from mvlab_lib.paths import BUILD  # noqa: E402
from mvlab_lib.qmp import Qmp, Refused as QmpError  # noqa: E402, F401 (the tests' name)

FULL = os.environ.get("MVLAB_FULL") == "1" or "--full" in sys.argv
EMULATOR = Path(os.environ.get("MVLAB_OUT") or build.Variant().out) / build.EMULATOR
PROGRAM = Path(sys.argv[0]).stem
LOGS = BUILD / "functional" / PROGRAM

USER = "user,ipv6=off"      # user networking without router advertisements, which would arrive at any time
GATEWAY = "10.0.2.2"        # the host as user networking shows it
MAC = "52:54:00:12:34:56"   # QEMU's default for the first NIC
DHCP = "ip link set {0} up && udhcpc -n -q -f -t 60 -T 1 -i {0} -s /lib/mvlab/dhcp >/dev/null"


SOAK = 4 * 3600             # seconds after which a long job counts as hung


def scaled(short, full):
    """A number of rounds or bytes: `short` in the CI tier, `full` with --full."""
    return full if FULL else short


class Sink:
    """A context with a TCP server on the host that sums up what each connection sends: the other end of `nc` in the guest."""

    def __init__(self, address="127.0.0.1"):
        self.listener = socket.create_server((address, 0))
        self.port = self.listener.getsockname()[1]
        self.sums = queue.Queue()

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            total = hashlib.sha256()
            with connection:
                while block := connection.recv(1 << 16):
                    total.update(block)
            self.sums.put(total.hexdigest())

    def sha256(self):
        """The SHA-256 of the next finished connection."""
        return self.sums.get(timeout=HANG)


class Guest(Machine):
    """A board that runs. `agent` is its shell once booted() was called, `qmp` its monitor."""

    def __init__(self, directory, board, extra=()):
        shutil.rmtree(directory, ignore_errors=True)
        super().__init__(EMULATOR, [*board.options(), *extra], directory, monitor=True)
        self.agent = Agent(self.console)
        self.qmp = Qmp(self.monitor)

    def booted(self):
        """Waits for user space; returns this guest."""
        self.agent.wait_ready()
        return self

    def run(self, script, timeout=HANG):
        """The output of a shell script that must succeed."""
        return self.agent.run(script, timeout)

    def dhcp(self, interface="eth0"):
        """Brings an interface up with an address from DHCP; returns the address."""
        self.run(DHCP.format(interface))
        return self.run(f"ip -4 -o addr show dev {interface}").split()[3].split("/")[0]

    def counter(self, name, unit=0):
        """One of the port's counters (docs/device.md)."""
        return self.qmp.execute("qom-get", path=f"/machine/soc/gbe[{unit}]/port[0]", property=name)

    def offered(self, number, unit=0):
        """Waits until the backend has handed over `number` frames since the machine started."""
        while self.counter("rx-offered", unit) < number:
            pass

    def set_link(self, up, name="net0"):
        """Plugs or unplugs the cable of a backend."""
        self.qmp.execute("set_link", name=name, up=up)

    def complaints(self):
        """The kernel's messages that no healthy system prints."""
        pattern = "BUG|Oops|WARNING|Internal error|Call trace|NETDEV WATCHDOG|soft lockup|rcu.*stall|Unhandled|imprecise"
        return self.run(f"dmesg | grep -E '{pattern}' || :").strip()


class TestCase(unittest.TestCase):
    """A test with a directory of its own for logs and images."""

    maxDiff = None

    @property
    def directory(self):
        return LOGS / self.id().split(".", 1)[-1]

    def boot(self, label="guest", extra=(), **board):
        """Boots a guest with the agent in user space; it ends with the test."""
        board.setdefault("append", AGENT)
        running = Guest(self.directory / label, Board(**board), extra)
        self.addCleanup(running.close)
        return running.booted()

    def start(self, label="guest", extra=(), **board):
        """Starts a board and does not wait for anything; it ends with the test."""
        running = Guest(self.directory / label, Board(**board), extra)
        self.addCleanup(running.close)
        return running


class SharedGuestCase(TestCase):
    """Tests that share one guest. After a failed test the next one gets a new guest."""

    BOARD = {}
    EXTRA = ()
    guest = None

    @classmethod
    def prepare(cls):
        """What a subclass does with each new guest."""

    @classmethod
    def drop(cls):
        if cls.guest:
            cls.guest.close()
            cls.guest = None

    @classmethod
    def tearDownClass(cls):
        cls.drop()

    def setUp(self):
        cls = type(self)
        if not cls.guest:
            cls.guest = Guest(LOGS / cls.__name__, Board(**{"append": AGENT, **self.BOARD}), self.EXTRA).booted()
            cls.prepare()

    def run(self, result=None):
        failed = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > failed:
            self.drop()
        return result


TAIL = 25       # lines of each log that a failure shows


def logs_of(test):
    """The logs of a test's guests. Where tests share a guest they are its logs."""
    directories = [getattr(test, "directory", None), LOGS / type(test).__name__ if isinstance(test, SharedGuestCase) else None]
    return [path for directory in directories if directory and directory.is_dir() for path in sorted(directory.rglob("*.log"))]


class TapResult(unittest.TestResult):
    """Prints one TAP line for each test and subtest; why one failed goes to standard error, which a meson log shows."""

    def __init__(self):
        super().__init__()
        self.lines = 0

    def line(self, ok, test, directive="", detail=None):
        self.lines += 1
        print(f"{'ok' if ok else 'not ok'} {self.lines} - {name_of(test)}{directive}", flush=True)
        if detail:
            print(f"{name_of(test)} failed:", "".join(traceback.format_exception(*detail)), sep="\n", file=sys.stderr)
            for path in logs_of(getattr(test, "test_case", test)):
                lines = path.read_text(errors="replace").splitlines()[-TAIL:]
                print(f"the end of {path}:", *lines, sep="\n| ", end="\n\n", file=sys.stderr, flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line(True, test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line(False, test, detail=err)

    def addError(self, test, err):
        super().addError(test, err)
        self.line(False, test, detail=err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line(True, test, f" # SKIP {reason}")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        self.line(err is None, subtest, detail=err)


def name_of(test):
    """The name of a test without its module."""
    return test.id().removeprefix("__main__.").replace("#", "")


def main():
    """Runs the tests of the program, or those that its arguments name."""
    names = [argument for argument in sys.argv[1:] if argument != "--full"]
    loader = unittest.defaultTestLoader
    module = sys.modules["__main__"]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    print("TAP version 13", flush=True)
    result = TapResult()
    suite.run(result)
    print(f"1..{result.lines}", flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)
