# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks files that a user hands to the virtual board, by their magic numbers, before QEMU sees them."""
import struct
from pathlib import Path

from .errors import Error

ZIMAGE = (0x24, "<I", 0x016F2818)        # Linux Documentation/arch/arm/booting: zImage header
UIMAGE = (0, ">I", 0x27051956)           # U-Boot include/image.h: legacy image
FDT = (0, ">I", 0xD00DFEED)              # Devicetree Specification 5.2
QCOW2 = (0, ">I", 0x514649FB)

# Starts of what the kernel unpacks as an initramfs or a ramdisk.
ARCHIVES = (b"070701", b"070702", b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"\x5d\0\0", b"\x89LZO", b"\x02\x21\x4c\x18")

# Marvell Kirkwood functional specification, boot ROM: boot device identifiers of a kwb header
KWB_DEVICES = {0x5A: "SPI", 0x69: "UART", 0x78: "SATA", 0x8B: "NAND", 0x9C: "PEX"}
KWB_HEADER = 0x20


def head_of(path, option):
    """The first 512 bytes of an existing, readable, non-empty file."""
    try:
        with open(path, "rb") as file:
            head = file.read(512)
    except OSError as err:
        raise Error(f"{option} {path}: {err.strerror}") from err
    if not head:
        raise Error(f"{option} {path}: the file is empty")
    return head


def has(head, magic):
    offset, form, value = magic
    size = struct.calcsize(form)
    return len(head) >= offset + size and struct.unpack_from(form, head, offset)[0] == value


def kernel(path):
    head = head_of(path, "--kernel")
    if not has(head, ZIMAGE) and not has(head, UIMAGE):
        raise Error(f"--kernel {path}: neither a zImage nor a uImage")


def dtb(path):
    head = head_of(path, "--dtb")
    if not has(head, FDT) or len(head) < 8:
        raise Error(f"--dtb {path}: not a flattened device tree (compile a .dts with dtc)")
    claimed, size = struct.unpack_from(">I", head, 4)[0], Path(path).stat().st_size
    if claimed > size:
        raise Error(f"--dtb {path}: truncated, its header says {claimed} bytes and the file has {size}")


def initrd(path):
    head = head_of(path, "--initrd")
    if not head.startswith(ARCHIVES) and not has(head, UIMAGE):
        raise Error(f"--initrd {path}: neither a cpio archive, nor compressed, nor a U-Boot ramdisk")


def uboot(path):
    head = head_of(path, "--uboot")
    if len(head) < KWB_HEADER or head[0] not in KWB_DEVICES:
        raise Error(f"--uboot {path}: not a kwb image (byte 0 is {head[0]:#x}, no boot device)")
    if sum(head[:KWB_HEADER - 1]) & 0xFF != head[KWB_HEADER - 1]:
        raise Error(f"--uboot {path}: not a kwb image (its header checksum is wrong)")


def disk_format(path, option="--drive"):
    """The QEMU name of a disk image's format."""
    return "qcow2" if has(head_of(path, option), QCOW2) else "raw"
