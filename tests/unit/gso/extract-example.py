#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write the C program in a Markdown page to a file.

usage: extract-example.py PAGE FILE
"""
import re
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        programs = re.findall(r"^```c\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)
    if len(programs) != 1:
        sys.exit(f"{sys.argv[1]}: {len(programs)} C programs, not one")
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(programs[0])


if __name__ == "__main__":
    main()
