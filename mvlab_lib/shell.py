# SPDX-License-Identifier: GPL-2.0-or-later
"""Running other programs: quietly into a log, with progress on the terminal and a one-line error at the end."""
import contextlib
import fcntl
import os
import re
import subprocess
import sys

from .errors import Error
from .paths import LOGS

PROGRESS = re.compile(r"^\[(\d+)/(\d+)\]")


def say(text):
    """One line of progress for the user."""
    print(f"mvlab: {text}", file=sys.stderr, flush=True)


def show(text, end="\n"):
    """A piece of the result, on standard output. A reader that has gone (`| head`) misses the rest; the work goes on."""
    try:
        print(text, end=end, flush=True)
    except OSError as err:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(err, BrokenPipeError):
            raise OSError(err.errno, err.strerror, "standard output") from err


def output(command, **options):
    """The standard output of a command that is expected to succeed."""
    done = attempt(command, **options)
    if done.returncode:
        raise Error(f"{command[0]} failed with status {done.returncode}: {last_line(done.stderr)}")
    return done.stdout


def attempt(command, **options):
    """The finished process of a command that may fail, its output as text."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, **options)
    except FileNotFoundError as err:
        raise Error(f"{err.filename}: not found") from err


def logged(command, log, **options):
    """Runs a command with its output in LOGS/log. A failure names the log and its last error line."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / log
    with open(path, "w", encoding="utf-8", buffering=1) as file:
        print("+", *command, file=file)
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       errors="replace", **options)
        except FileNotFoundError as err:
            raise Error(f"{err.filename}: not found") from err
        with process, Meter() as meter:
            try:
                for line in process.stdout:
                    file.write(line)
                    meter.line(line)
            except BaseException:
                process.terminate()
                raise
    if process.returncode:
        raise Error(f"{command[0]} failed: {error_line(path)} (log: {path})")


class Meter:
    """Shows ninja's [done/total] counts: in place on a terminal, every tenth elsewhere."""

    def __init__(self):
        self.tenth, self.shown = 0, False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.shown and sys.stderr.isatty():
            print(file=sys.stderr)

    def line(self, text):
        match = PROGRESS.match(text)
        if not match:
            return
        done, total = map(int, match.groups())
        if sys.stderr.isatty():
            print(f"\rmvlab:   {done} of {total}", end="", file=sys.stderr, flush=True)
            self.shown = True
        elif total >= 20 and done * 10 // total > self.tenth:
            self.tenth = done * 10 // total
            say(f"  {done} of {total}")


def error_line(path):
    """The line of a log that most likely says why."""
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror: |^E: ", line, re.IGNORECASE)]
    return (errors or lines or ["no output"])[0 if errors else -1]


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"


@contextlib.contextmanager
def locked(path, busy=None):
    """Holds an exclusive lock on path, so that two commands do not make the same files at once. Waits for another one that holds
    it and says so; if there is a text `busy`, ends with that instead."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            if busy:
                raise Error(busy) from err
            say(f"waiting for another mvlab that holds {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def environment(**changes):
    """A copy of the process environment with changes; None removes a name."""
    env = dict(os.environ)
    for name, value in changes.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = str(value)
    return env


def visible(command, **options):
    """Runs a command with its output on the terminal; returns its status."""
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, **options).returncode
