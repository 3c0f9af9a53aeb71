#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An independent decoder confirms the checksums of 10,000 segments.

usage: decode.py MAKE-PCAP
"""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

FRAMES = 10000
CHECKS = ["ip.check_checksum", "tcp.check_checksum", "udp.check_checksum"]
FIELDS = ["ip.checksum.status", "tcp.checksum.status", "udp.checksum.status"]


def main():
    tshark = shutil.which("tshark")
    if not tshark:
        sys.exit("decode.py: no tshark (Debian package tshark)")
    with tempfile.TemporaryDirectory() as folder:
        capture = os.path.join(folder, "segments.pcap")
        subprocess.run([sys.argv[1], "segments", capture, str(FRAMES)], check=True)
        command = [tshark, "-n", "-r", capture, "-T", "fields"]
        for check in CHECKS:
            command += ["-o", f"{check}:TRUE"]
        for field in FIELDS:
            command += ["-e", field]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    seen = collections.Counter()
    for number, line in enumerate(lines, 1):
        ip, tcp, udp = (line.split("\t") + [""] * 3)[:3]
        # 1 is "good"; IPv6 has no checksum of its own.
        if ip not in ("", "1") or {tcp, udp} != {"", "1"}:
            print(f"frame {number}: IP {ip or '-'} TCP {tcp or '-'} UDP {udp or '-'}")
            return 1
        seen["IPv4" if ip else "IPv6", "TCP" if tcp else "UDP"] += 1
    print(f"{len(lines)} frames, all checksums good:",
          ", ".join(f"{n} {' '.join(kind)}" for kind, n in sorted(seen.items())))
    return 0 if len(lines) == FRAMES and len(seen) == 4 else 1


if __name__ == "__main__":
    sys.exit(main())
