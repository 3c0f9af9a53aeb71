# SPDX-License-Identifier: GPL-2.0-or-later
"""The stock driver against the peer: data both ways, and under -icount everything repeats.

A script in the initramfs drives the guest, since what is typed on the console comes in the host's time. The console is a file, since
a socket may be full, which the guest would notice.
"""
import hashlib
import shutil
import socket
import subprocess

import lab
import peer
from mvlab_lib import initramfs
from mvlab_lib.machine import Board

SIZE = lab.scaled(4 << 20, 64 << 20)
ICOUNT = ["-icount", "shift=1,sleep=off", "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1"]

SCRIPT = f"""\
#!/bin/sh
/bin/busybox --install -s
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
/lib/mvlab/coldplug
ip addr add 192.168.77.2/24 dev eth0
ip link set eth0 up
until [ "$(cat /sys/class/net/eth0/carrier 2>/dev/null)" = 1 ]; do :; done
ping -c 3 {peer.ADDRESS}
echo {SIZE} | nc {peer.ADDRESS} {peer.SOURCE} >/source
sha256sum /source
nc {peer.ADDRESS} {peer.SINK} </source && echo sink took it
nc {peer.ADDRESS} {peer.ECHO} </source | sha256sum
dmesg
echo END
reboot -f
"""


class Guest(lab.TestCase):

    def make_initrd(self):
        """The guest's files and the script."""
        overlay = self.directory / "files"
        shutil.rmtree(self.directory, ignore_errors=True)
        overlay.mkdir(parents=True)
        (overlay / "drive").write_text(SCRIPT)
        (overlay / "drive").chmod(0o755)
        initramfs.pack(overlay, self.directory / "files.gz")
        initrd = self.directory / "initrd.gz"
        initrd.write_bytes(lab.guest.INITRD.read_bytes() + (self.directory / "files.gz").read_bytes())
        return initrd

    def run_once(self, label, initrd):
        """The peer's counters and the console's text at the end of a run."""
        console, errors = self.directory / f"{label}.console", self.directory / f"{label}.qemu"
        board = Board(initrd=initrd, append="rdinit=/drive panic=-1 quiet", peer="ack=batch=10:20000,delay=3000")
        ours, theirs = socket.socketpair()
        command = [lab.EMULATOR, *board.options(), *ICOUNT, "-action", "reboot=shutdown,shutdown=pause", "-display", "none",
                   "-monitor", "none", "-serial", f"file:{console}",
                   "-chardev", f"socket,id=qmp0,fd={theirs.fileno()}", "-mon", "chardev=qmp0,mode=control"]
        with open(errors, "wb") as output:
            machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=[theirs.fileno()])
        self.addCleanup(machine.wait)
        self.addCleanup(machine.kill)
        theirs.close()
        with ours:
            qmp = lab.Qmp(ours)
            qmp.wait_event("SHUTDOWN")
            stats = peer.stats(qmp)
            self.assertEqual(errors.read_text(), "")
            qmp.execute("quit")
        machine.wait()
        return stats, console.read_bytes()

    def test_data_and_repetition(self):
        initrd = self.make_initrd()
        first, console = self.run_once("first", initrd)
        checksum = hashlib.sha256(peer.pattern(SIZE)).hexdigest().encode()
        self.assertEqual(console.count(checksum), 2, console[-4000:])
        self.assertIn(b"3 packets received", console)
        self.assertIn(b"sink took it", console)
        self.assertEqual(first["payload-received"], 2 * SIZE + len(f"{SIZE}\n"))
        self.assertEqual((first["flows-opened"], first["flows-failed"], first["assertions"], first["checksum-errors"]), (3, 0, 0, 0))
        second, again = self.run_once("second", initrd)
        self.assertEqual(second, first)
        self.assertEqual(again, console)


if __name__ == "__main__":
    lab.main()
