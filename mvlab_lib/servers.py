# SPDX-License-Identifier: GPL-2.0-or-later
"""What the guest talks to: an HTTP server and iperf3, both on the host's loopback, which user networking shows as 10.0.2.2."""
import hashlib
import http.server
import random
import shutil
import socket
import subprocess
import threading
import urllib.request

from .errors import Error
from .paths import SYSTEM_PATH

HOST = "127.0.0.1"
SEEN_FROM_GUEST = "10.0.2.2"
BLOCK = 1 << 16


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every GET with the server's data."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.data)))
        self.end_headers()
        self.write_data(self.server.data)

    def write_data(self, data):
        self.wfile.write(data)

    def log_message(self, *_):
        """Nothing on the terminal."""


def pseudo_random(size, seed=0):
    """So many bytes, the same ones each time for a seed. Python's own randbytes() ends at 256 MiB."""
    generator, piece = random.Random(seed), 1 << 20
    return b"".join(generator.randbytes(min(piece, size - done)) for done in range(0, size, piece))


class HttpServer:
    """A context that serves `size` bytes of fixed pseudo-random data; sha256 is their sum."""

    def __init__(self, size, address=HOST):
        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        self.server.data = pseudo_random(size)
        self.sha256 = hashlib.sha256(self.server.data).hexdigest()
        self.port = self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Iperf3:
    """A context with an iperf3 server that listens on `port`."""

    def __init__(self, address=HOST):
        self.address = address
        self.port = free_port(address)
        self.process = None

    def __enter__(self):
        program = shutil.which("iperf3", path=SYSTEM_PATH)
        if not program:
            raise Error("iperf3: not installed")
        self.process = subprocess.Popen([program, "-s", "--forceflush", "-B", self.address, "-p", str(self.port)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if "listening" in line:
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return self
        raise Error(f"iperf3 -s ended with status {self.process.wait()}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def fetched_sha256(url):
    """The SHA-256 of what an HTTP server of the guest answers."""
    total = hashlib.sha256()
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url) as answer:
        while block := answer.read(BLOCK):
            total.update(block)
    return total.hexdigest()


def free_port(address):
    """A TCP port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]
