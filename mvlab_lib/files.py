# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are written as a whole, whatever the user has named: a file, a link, a pipe, a device."""
import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from . import shell
from .errors import Error, described

# A file that exists may be written although it cannot be replaced: its directory is closed, or it is a mount point.
NOT_REPLACEABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}
TRIAL = bytes(4096)


def write_atomically(path, content):
    """Makes content (text or bytes) what path holds. A regular file is replaced, so that a reader, or a kill, never sees half of it,
    and a link to it stays. Anything else, and a file that cannot be replaced, is written as it is."""
    data = content if isinstance(content, bytes) else content.encode()
    try:
        target = replaceable(path)
        if target is None or not replaced(target, data):
            write_directly(path, data)
    except OSError as err:
        raise OSError(err.errno, err.strerror, str(path)) from err


def try_writing(path):
    """Raises the OSError that write_atomically() would, as far as it can be known before. Changes nothing and never waits."""
    found, target = status(path), replaceable(path)
    if found:
        try_opening(path, found)
    if target:
        try:
            with beside(target, TRIAL):
                pass
        except OSError as err:
            if not found or err.errno not in NOT_REPLACEABLE:
                raise


def try_opening(path, found):
    """Opens what exists for writing. A pipe is not touched: its reader would see an end, and without one the opening would wait."""
    if descriptor(found) is not None:
        return
    if not stat.S_ISFIFO(found.st_mode):
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))
    elif not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def replaceable(path):
    """The regular file that path leads to, or the place for one; None if there is something else, or if it has no name."""
    found, target = status(path), Path(os.path.realpath(path))
    if found is None:
        return target
    named = status(target)
    same = named and os.path.samestat(found, named)
    return target if same and stat.S_ISREG(found.st_mode) and descriptor(found) is None else None


def replaced(target, data):
    """Replaces a regular file; False if it can only be written."""
    try:
        with beside(target, data) as temporary:
            temporary.replace(target)
        return True
    except OSError as err:
        if err.errno in NOT_REPLACEABLE and target.exists():
            return False
        raise


@contextlib.contextmanager
def beside(target, data):
    """A new file of data in target's directory, with its permissions. Gone in the end, unless it was renamed."""
    temporary = target.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with open(temporary, "xb") as file:
            if old := status(target):
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            file.write(data)
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_directly(path, data):
    found = status(path)
    number = descriptor(found) if found else None
    with open(path if number is None else number, "wb", closefd=number is None) as file:
        file.write(data)


def descriptor(found):
    """Our standard output or error if that is the file: opened anew it would be written from its beginning, over what is there."""
    for number in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(found, os.fstat(number)):
                return number
    return None


def status(path):
    """stat() of what path leads to, None if there is nothing."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def report(text, contents):
    """Writes a result's files, pairs of a path (None: not wanted) and content, and then shows its text. A file that cannot be
    written takes neither the others nor the text away."""
    errors = []
    for path, content in contents:
        try:
            if path:
                write_atomically(path, content)
        except OSError as err:
            errors.append(described(err))
    shell.show(text)
    if errors:
        raise Error("; ".join(errors))
