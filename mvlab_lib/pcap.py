# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads capture files in the classic pcap format, as QEMU writes them."""
import struct

FILE_HEADER, RECORD_HEADER = 24, 16
MINIMUM, FCS = 60, 4        # bytes of the shortest frame without FCS, and of the FCS (IEEE 802.3)


def frames(path):
    """The frames of a capture without FCS, as bytes. An unfinished last record is left out."""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, found = FILE_HEADER, []
    while at + RECORD_HEADER <= len(data):
        size = struct.unpack_from(order + "I", data, at + 8)[0]
        at += RECORD_HEADER
        if at + size > len(data):
            break
        found.append(data[at:at + size])
        at += size
    return found


def octets(found):
    """The bytes that frames occupy on the wire: padded, with FCS, without preamble."""
    return sum(max(len(frame), MINIMUM) + FCS for frame in found)
