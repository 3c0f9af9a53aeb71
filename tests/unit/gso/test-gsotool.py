#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gsotool from the outside: results, messages, exit statuses.

usage: test-gsotool.py GSOTOOL MAKE-PCAP
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

GSOTOOL, MAKE_PCAP = sys.argv[1:3]


class Gsotool(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def make(self, kind, *numbers):
        subprocess.run([MAKE_PCAP, kind, self.path("in.pcap"), *map(str, numbers)], check=True)
        return self.path("in.pcap")

    def run_tool(self, *args, status=0):
        done = subprocess.run([GSOTOOL, *args], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def result(self, *args, status=0):
        return json.loads(self.run_tool(*args, "--json", status=status).stdout)

    def test_segment_and_back(self):
        """45 segments of each super-frame; joined again they are what they were."""
        capture = self.make("supers", 10)
        cut = self.result("segment", "--mss", "1448", capture, self.path("cut.pcap"))
        self.assertEqual((cut["frames_in"], cut["frames_out"], cut["cut"]), (10, 450, 10))
        self.assertEqual(self.result("check", self.path("cut.pcap"))["l4_checksum_good"], 450)
        run, = self.result("coalesce", self.path("cut.pcap"), self.path("back.pcap"), "--flush-timeout", "1us")["runs"]
        self.assertEqual((run["packets"], run["frames"], run["super_frames"]), (450, 10, 10))
        self.assertEqual(run["verdicts"], {"held": 10, "merged": 440})
        again = self.result("segment", "--mss", "1448", self.path("back.pcap"), self.path("cut2.pcap"))
        self.assertEqual(again["frames_out"], 450)
        with open(self.path("cut.pcap"), "rb") as a, open(self.path("cut2.pcap"), "rb") as b:
            self.assertEqual(frames(a.read()), frames(b.read()))

    def test_experiment_table(self):
        """E4: a timeout longer than the gap between packets joins, 0 does not."""
        capture = self.make("wire", 4000, 1, 1230)
        runs = self.result("coalesce", "--flush-timeout", "0,2000ns", capture)["runs"]
        self.assertEqual([r["gro_flush_timeout_ns"] for r in runs], [0, 2000])
        self.assertEqual(runs[0]["segments_per_frame"], 1)
        # 40 packets to a PSH: 4000 packets make 100 frames.
        self.assertEqual(runs[1]["segments_per_frame"], 40)
        self.assertEqual(runs[1]["frames"], 100)
        self.assertGreater(runs[0]["acks_per_s_estimate"], 15 * runs[1]["acks_per_s_estimate"])

    def test_poll(self):
        """Polled every 20 packets' time, 20 packets make a frame even without a timeout."""
        capture = self.make("wire", 4000, 1, 1000)
        run, = self.result("coalesce", "--poll", "20us", capture)["runs"]
        self.assertGreater(run["segments_per_frame"], 12)

    def test_cost(self):
        """E2: the strategies copy and sum what they say."""
        rows = self.result("cost", "--mss", "1448", self.make("supers", 20))["strategies"]
        cost = {name: row for entry in rows for name, row in entry.items()}
        payload, headers = 20 * 65160, 20 * (20 + 32)
        self.assertEqual(cost["copy"]["payload_bytes_copied"], payload)
        self.assertEqual(cost["copy"]["bytes_summed"], 20 * 20)
        self.assertEqual(cost["copy_then_sum"]["payload_bytes_copied"], payload)
        self.assertEqual(cost["copy_then_sum"]["bytes_summed"], payload + headers)
        self.assertEqual(cost["copy_and_sum"]["bytes_summed"], payload + headers)
        self.assertEqual(cost["share"]["payload_bytes_copied"], 0)
        self.assertEqual({row["segments"] for row in cost.values()}, {900})

    def test_check(self):
        done = self.run_tool("check", self.make("faults"), status=1)
        for line in ("frame 2: TCP or UDP checksum wrong", "frame 3: IPv4 header checksum wrong",
                     "frame 4: UDP length is not that of the IP payload",
                     "frame 5: shorter than its headers say"):
            self.assertIn(line, done.stdout)
        self.assertNotIn("frame 1:", done.stdout)
        self.assertEqual(self.result("check", self.path("in.pcap"), status=1)["faults"],
                         {"truncated": 1, "malformed": 0, "ip_checksum": 1, "l4_checksum": 1, "udp_length": 1})

    def test_bad_options(self):
        capture = self.make("supers", 1)
        for args, message in (
                ([], "no command"),
                (["cut", capture], "cut: no command of gsotool"),
                (["segment"], "no input file"),
                (["segment", "--mss", "0", capture], "--mss 0: not between 1 and 65534"),
                (["segment", "--mss", "x", capture], "--mss x: not a number"),
                (["segment", "--poll", "1us", capture], "--poll is no option of segment"),
                (["segment", "--profile", "x", capture], "--profile x: unknown"),
                (["coalesce", "--flush-timeout", "2000", capture], "needs one of the units"),
                (["coalesce", "--flush-timeout", "2h", capture], "needs one of the units"),
                (["coalesce", "--flush-timeout", "0,1us", capture, self.path("o")], "writes no file"),
                (["coalesce", "--flush-timeout", "-5ns", capture], "--flush-timeout -5ns: not a time"),
                (["coalesce", "--flush-timeout", "5ns,", capture], "--flush-timeout : not a time"),
                (["coalesce", "--poll", " 5ns", capture], "--poll  5ns: not a time"),
                (["coalesce", "--max-hold", "5ns,6ns", capture], "one time only"),
                (["segment", "--mss", "+5", capture], "--mss +5: not a number"),
                (["coalesce", "--buckets", "3", capture], "not a power of two"),
                (["coalesce", "--buckets", "65536", capture], "--buckets 65536 --depth 8: more than 65536 flows"),
                (["check", capture, "more"], "unexpected argument more"),
                (["cost", "--mss", "65000", self.make("wire", 3)], "no frame has more payload")):
            with self.subTest(args=args):
                self.assertIn(message, self.run_tool(*args, status=2).stderr)

    def test_bad_files(self):
        """A message that names the file, status 2, and an old output still there."""
        old = self.path("old.pcap")
        with open(old, "w", encoding="ascii") as f:
            f.write("precious")
        missing, empty, cut = self.path("missing"), self.path("empty"), self.path("cut")
        open(empty, "w", encoding="ascii").close()
        with open(self.make("supers", 2), "rb") as f:
            data = f.read()
        with open(cut, "wb") as f:
            f.write(data[:-100])
        kept = sorted(os.listdir(self.folder.name))
        for name in (missing, empty, cut):
            for command in ("segment", "coalesce"):
                with self.subTest(name=name, command=command):
                    error = self.run_tool(command, name, old, status=2).stderr
                    self.assertIn(name, error)
                    with open(old, encoding="ascii") as f:
                        self.assertEqual(f.read(), "precious")
                    self.assertEqual(sorted(os.listdir(self.folder.name)), kept)
        self.assertIn("folder", self.run_tool("segment", self.path("in.pcap"), self.path("no/folder"),
                                              status=2).stderr)

    def test_precious_outputs(self):
        """What is no file, or the input, is not replaced; a link stays a link."""
        capture = self.make("supers", 1)
        os.mkfifo(self.path("fifo"))
        os.mkdir(self.path("folder"))
        with open(self.path("file"), "w", encoding="ascii") as f:
            f.write("old")
        os.chmod(self.path("file"), 0o640)
        os.symlink("file", self.path("link"))
        kept = sorted(os.listdir(self.folder.name))
        for name, message in (("fifo", "not a regular file"), ("folder", "not a regular file"),
                              ("in.pcap", "is the input"), ("link", None)):
            for command in ("segment", "coalesce"):
                with self.subTest(name=name, command=command):
                    done = self.run_tool(command, capture, self.path(name), status=2 if message else 0)
                    if message:
                        self.assertEqual(done.stderr, f"gsotool: {self.path(name)}: {message}\n")
                    self.assertEqual(sorted(os.listdir(self.folder.name)), kept)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(os.stat(self.path("file")).st_mode & 0o777, 0o640)
        with open(self.path("file"), "rb") as f:
            self.assertEqual(len(frames(f.read())), 1)

    def test_captured_in_part(self):
        """A frame captured in part goes through, and stays one that is captured in part."""
        with open(self.make("wire", 3), "rb") as f:
            data = f.read()
        first = int.from_bytes(data[32:36], "little")
        self.assertGreater(first, 96)
        with open(self.path("part.pcap"), "wb") as f:
            f.write(data[:32] + (96).to_bytes(4, "little") + data[36:40 + 96] + data[40 + first:])
        for command in ("segment", "coalesce"):
            with self.subTest(command=command):
                self.run_tool(command, self.path("part.pcap"), self.path("out.pcap"))
                self.assertEqual(self.result("check", self.path("out.pcap"))["captured_in_part"], 1)
                with open(self.path("out.pcap"), "rb") as f:
                    f.seek(32)
                    self.assertEqual(f.read(4) + f.read(4), (96).to_bytes(4, "little") + data[36:40])

    def test_pipes(self):
        """A pipe is read, once; standard output that is full is an error."""
        with open(self.make("wire", 80), "rb") as f:
            data = f.read()
        for timeouts, status in (("1us", 0), ("0,1us", 2)):
            done = subprocess.run([GSOTOOL, "coalesce", "--flush-timeout", timeouts, "/dev/stdin"],
                                  input=data, capture_output=True)
            self.assertEqual((done.returncode, b"cannot be read again" in done.stderr), (status, status == 2))
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([GSOTOOL, "check", self.path("in.pcap")], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (2, b"gsotool: standard output could not be written\n"))

    def test_error_alone(self):
        """Nothing but the error is printed, also when the fault is at the end of the capture."""
        with open(self.make("wire", 80), "rb") as f:
            data = f.read()
        with open(self.path("cut"), "wb") as f:
            f.write(data[:-10])
        for command in ("segment", "coalesce", "cost"):
            done = self.run_tool(command, self.path("cut"), "--json", status=2)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))

    def test_not_cut(self):
        """What cannot be cut is named, and goes through whole."""
        with open(self.make("supers", 1), "rb") as f:
            data = bytearray(f.read())
        data[24 + 16 + 14 + 20 + 13] |= 0x02  # SYN
        with open(self.path("in.pcap"), "wb") as f:
            f.write(data)
        done = self.run_tool("segment", self.path("in.pcap"), self.path("out.pcap"))
        self.assertIn("frame 1 not cut: TCP SYN, RST or URG", done.stderr)
        with open(self.path("out.pcap"), "rb") as f:
            self.assertEqual(len(frames(f.read())), 1)
        done = self.result("segment", "--repeat-flags", self.path("in.pcap"))
        self.assertEqual(done["frames_out"], 45)


def frames(data):
    """The frames of a pcap file, without their times."""
    out, at = [], 24
    while at < len(data):
        length = int.from_bytes(data[at + 8:at + 12], "little")
        out.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return out


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
