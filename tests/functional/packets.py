# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads IPv4 packets out of captured frames and checks their checksums: RFC 791, 768, 793, 1071."""
import struct

from wire import mac

ETHERTYPE_IPV4 = 0x0800
TCP, UDP = 6, 17
ETHERNET_HEADER = 14


def ipv4_packets(frames, sender, offset=ETHERNET_HEADER):
    """The IPv4 packets, without padding, of the frames that sender (a MAC address) sent; they begin at offset."""
    for frame in frames:
        if frame[6:12] == mac(sender) and struct.unpack_from("!H", frame, offset - 2)[0] == ETHERTYPE_IPV4:
            yield frame[offset:offset + struct.unpack_from("!H", frame, offset + 2)[0]]


def ones_complement(data):
    """The folded ones' complement sum of all 16-bit words; 0xffff when they include a right checksum."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def checksums_wrong(packet):
    """Whether a packet's header checksum, or its TCP or UDP checksum, is wrong."""
    header = (packet[0] & 15) * 4
    if ones_complement(packet[:header]) != 0xFFFF:
        return True
    segment = packet[header:]
    if packet[9] not in (TCP, UDP) or (packet[9] == UDP and segment[6:8] == b"\0\0"):
        return False
    pseudo = packet[12:20] + struct.pack("!HH", packet[9], len(segment))
    return ones_complement(pseudo + segment) != 0xFFFF
