#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Build the fuzz targets with clang, run each a fixed number of times, and measure what they cover.

usage: run-fuzz.py [--quick] [--keep FOLDER]

Fails on a finding, whose input it keeps, or when the targets together cover less than 90 % of the lines of net/gso.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.normpath(os.path.join(HERE, "../../../net/gso"))
RUNS = {"parse": 1000000, "segment": 500000, "coalesce": 150000, "vnet": 3000000}
QUICK = 50
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
         "-fprofile-instr-generate", "-fcoverage-mapping", f"-I{HERE}", f"-I{LIBRARY}"]
WANTED = 90


def sources():
    names = [name for name in os.listdir(LIBRARY) if name.endswith(".c")]
    other = "checksum-generic.c" if os.uname().machine == "x86_64" else "checksum-x86.c"
    return [os.path.join(LIBRARY, name) for name in sorted(names) if name != other]


def run_target(clang, name, folder, runs):
    """Builds and runs one target; returns the files of its program and its profile."""
    program, profile = os.path.join(folder, name), os.path.join(folder, f"{name}.profraw")
    found = os.path.join(folder, f"{name}.new")
    os.mkdir(found)
    subprocess.run([clang, *FLAGS, f"{HERE}/fuzz-{name}.c", f"{HERE}/frame.c", *sources(), "-o", program], check=True)
    command = [program, f"-runs={runs}", "-seed=1", "-max_len=2000", "-verbosity=0", found, f"{HERE}/corpus/{name}"]
    done = subprocess.run(command, cwd=os.getcwd(), env={**os.environ, "LLVM_PROFILE_FILE": profile})
    print(f"{name}: {runs} runs, {len(os.listdir(found))} new inputs, status {done.returncode}", flush=True)
    if done.returncode:
        sys.exit(f"run-fuzz.py: finding in fuzz-{name}; the input is in {os.getcwd()}")
    return program, profile


def coverage(folder, targets):
    """Prints line coverage per file; returns the total in percent."""
    merged = os.path.join(folder, "merged")
    subprocess.run(["llvm-profdata", "merge", "-o", merged, *(profile for _, profile in targets)], check=True)
    programs = [targets[0][0]] + [word for program, _ in targets[1:] for word in ("-object", program)]
    report = subprocess.run(["llvm-cov", "report", *programs, f"-instr-profile={merged}", *sources()],
                            check=True, capture_output=True, text=True).stdout
    for line in report.splitlines():
        fields = line.split()
        if len(fields) >= 10 and re.search(r"\.c$|^TOTAL$", fields[0]):
            print(f"{os.path.basename(fields[0]):24} lines {fields[7]:>5} missed {fields[8]:>4} covered {fields[9]}")
            total = float(fields[9].rstrip("%"))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"1/{QUICK} of the runs")
    parser.add_argument("--keep", metavar="FOLDER", help="leave programs, profiles and new inputs in FOLDER")
    args = parser.parse_args()
    clang = shutil.which("clang")
    if not clang or not shutil.which("llvm-cov"):
        sys.exit("run-fuzz.py: no clang with llvm-cov (Debian packages clang and llvm)")
    with tempfile.TemporaryDirectory() as folder:
        targets = [run_target(clang, name, folder, runs // (QUICK if args.quick else 1)) for name, runs in RUNS.items()]
        total = coverage(folder, targets)
        if args.keep:
            shutil.copytree(folder, args.keep, dirs_exist_ok=True)
    if total < WANTED:
        sys.exit(f"run-fuzz.py: {total} % of the lines, not {WANTED} %")


if __name__ == "__main__":
    main()
