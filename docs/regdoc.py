#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Put the register tables that PROGRAM prints into docs/device.md.

usage: regdoc.py {check,write} PROGRAM device.md
"""

import argparse
import pathlib
import subprocess
import sys

BEGIN = "<!-- begin of the generated register tables -->\n"
END = "<!-- end of the generated register tables -->\n"


def rebuilt(page, tables):
    """The text of the page with what stands between the marks replaced."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        sys.exit("regdoc.py: the page has no marks for the register tables")
    return head + BEGIN + "\n" + tables + END + tail


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=["check", "write"])
    parser.add_argument("program", help="built from hw/net/mv643xx/regdoc.c")
    parser.add_argument("page", type=pathlib.Path)
    args = parser.parse_args()
    tables = subprocess.run([args.program], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    page = args.page.read_text()
    new = rebuilt(page, tables)
    if args.mode == "write":
        args.page.write_text(new)
    elif new != page:
        sys.exit(f"regdoc.py: {args.page} is not up to date: run it with"
                 " 'write'")


if __name__ == "__main__":
    main()
