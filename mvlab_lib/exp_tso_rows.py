# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of `./mvlab exp tso`: what each runs, and the figures made of what it gave.

All figures are integers, or ratios of integers rounded to DIGITS decimals, so that the same measurement is the same text.
"""
from dataclasses import dataclass
from fractions import Fraction

from .errors import Error
from .exp_run import Run

MODES = ("none", "core", "driver")       # who cuts super-segments
MODE_NAMES = {"none": "no segmentation", "core": "core GSO", "driver": "driver TSO"}
SPEEDS = {100: (1,), 1000: (1, 2, 3)}    # Mb/s: values of icount's shift
MIB = 1 << 20
GROUP = 10_000                           # super-segments of one histogram, as in the post
SKIP = 16 * MIB                          # bytes before the histogram "rest": slow start is over by then
DIGITS = 6
TOP = 200                                # functions that a result lists
OVERHEAD = 14 + 4 + 8 + 12               # bytes around an IP packet: Ethernet header, FCS, preamble, gap
HEADERS = 20 + 20                        # IPv4 and TCP without options
CONTEXTS = ("process", "softirq", "hardirq", "idle")

# The post (July 2008): system time of the sender of 1 GiB in seconds, of every run, on a 1.2 GHz Kirkwood.
POST_SYSTEM_S = {
    ("none", 100): ("5.41", "5.38", "5.62", "5.36"),
    ("core", 100): ("3.28", "3.23", "3.22", "3.35"),
    ("none", 1000): ("18.20", "18.26", "17.83", "17.67", "17.84", "17.67", "17.30", "17.86", "18.26", "17.15", "17.95"),
    ("core", 1000): ("13.93", "14.90", "10.41", "8.44", "12.68", "12.84", "13.86", "14.98", "10.85"),
}
POST_SEGMENTS = {("core", 100): "44 always (45, clipped by the last bin)", ("core", 1000): "2 or 3"}


@dataclass(frozen=True)
class Row:
    """One cell of the experiment. `label` tells variants of a sweep apart."""
    mode: str
    speed: int
    shift: int
    label: str = ""
    sysctl: tuple = ()                   # (name below net.ipv4, value)
    peer: tuple = ()                     # (property of the peer, value)
    port: tuple = ()                     # (property of the NIC's port, value)
    words: tuple = ()                    # more (word, value) for the guest's script

    @property
    def name(self):
        return f"{self.mode}-{self.speed}-s{self.shift}" + (f"-{self.label}" if self.label else "")

    def run(self, kind, size):
        """The Run that measures `kind` (profile or observe) of this row with so many bytes."""
        words = {"run": kind, "mode": self.mode, "speed": self.speed, "bytes": size, "hystart": 0, "call": "sendfile", "group": GROUP, "skip": SKIP,
                 **dict(self.words)}
        if self.sysctl:
            words["sysctl"] = ",".join(f"{name}={value}" for name, value in self.sysctl)
        return Run("tso", self.shift, words, dict(self.peer), dict(self.port), kind == "profile")


ROWS = [Row(mode, speed, shift) for speed, shifts in SPEEDS.items() for shift in shifts for mode in MODES]

NO_TIMESTAMPS = ("tcp_timestamps", 0)
RTT_LOG_0 = ("tcp_tso_rtt_log", 0)
WINDOW_64K = ("window", 65536)


def swept(speed, shift, label, sysctl=(), peer=(), words=()):
    return Row("core", speed, shift, label, tuple(sysctl), tuple(peer), words=tuple(words))


# The third question: what decides the size of a super-segment. Each row changes a thing or two of a `base`.
SWEEP = [
    swept(1000, 1, "base"),
    swept(1000, 1, "rtt-log-0", [RTT_LOG_0]),
    swept(1000, 1, "win-divisor-0", [("tcp_tso_win_divisor", 0)]),
    swept(1000, 1, "win-divisor-32", [("tcp_tso_win_divisor", 32)]),
    swept(1000, 1, "ack-every-1", peer=[("ack", "every=1")]),
    swept(1000, 1, "ack-batch-45", peer=[("ack", "batch=45:1000000")]),
    swept(1000, 1, "delay-1ms", peer=[("delay", 1_000_000)]),
    swept(1000, 1, "delay-1ms-rtt-log-0", [RTT_LOG_0], [("delay", 1_000_000)]),
    swept(1000, 1, "window-64k", peer=[WINDOW_64K]),
    swept(1000, 1, "window-64k-win-divisor-0", [("tcp_tso_win_divisor", 0)], [WINDOW_64K]),
    swept(1000, 1, "no-timestamps", [NO_TIMESTAMPS]),
    swept(1000, 1, "hystart", words=[("hystart", 1)]),
    swept(1000, 1, "write-256k", words=[("call", "write:262144")]),
    swept(1000, 1, "write-4k", words=[("call", "write:4096")]),
    swept(1000, 0, "base"),
    swept(1000, 0, "rtt-log-0", [RTT_LOG_0]),
    swept(1000, 0, "win-divisor-0", [("tcp_tso_win_divisor", 0)]),
    swept(1000, 3, "base"),
    swept(1000, 3, "rtt-log-0", [RTT_LOG_0]),
    swept(1000, 3, "write-4k", words=[("call", "write:4096")]),
    swept(100, 1, "base"),
    swept(100, 1, "hystart", words=[("hystart", 1)]),
    swept(100, 1, "hystart-ack-batch-45", peer=[("ack", "batch=45:1000000")], words=[("hystart", 1)]),
    swept(100, 1, "delay-50us", peer=[("delay", 50_000)]),
    swept(100, 1, "delay-1ms", peer=[("delay", 1_000_000)]),
    swept(100, 1, "no-timestamps", [NO_TIMESTAMPS]),
]


def decimal(value):
    """A fraction as the number that a result holds."""
    return float(round(Fraction(value), DIGITS))


def ratio(of, to):
    """of / to as a number, None if there is nothing to divide by."""
    return decimal(Fraction(of) / Fraction(to)) if to else None


def median(values):
    """The exact median of decimal texts."""
    ordered = sorted(Fraction(value) for value in values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def limit_bps(speed, mss, timestamps):
    """The most bits of payload per second that the wire carries (a Fraction). `mss`: payload of a segment, bytes."""
    return Fraction(speed * 10**6 * mss, mss + HEADERS + (12 if timestamps else 0) + OVERHEAD)


def figures(row, profiled, observed):
    """The result of a row from the Outcomes of its two runs; `observed` may be None."""
    values = profiled.values
    profile = profiled.profile
    size, elapsed, instructions = need(values, "bytes"), need(values, "elapsed_ns"), profile["instructions"]
    limit = limit_bps(row.speed, need(values, "tcp_mss"), values.get("tcp_timestamps"))
    goodput = Fraction(size * 8 * 10**9, elapsed)
    idle = elapsed - (instructions << row.shift)
    result = {
        "name": row.name, "mode": row.mode, "speed_mbps": row.speed, "shift": row.shift, "cpu_mips": 1000 >> row.shift,
        "bytes": size, "virtual_ns": elapsed, "idle_ns": idle, "idle_share": ratio(idle, elapsed),
        "goodput_bps": int(goodput), "wire_limit_bps": int(limit), "goodput_of_limit": ratio(goodput, limit),
        "instructions": instructions, "instructions_per_mib": instructions * MIB // size,
        "instructions_per_segment": instructions // max(1, values.get("tcp_data_segments_out", 0)),
        "contexts": contexts(profile["rows"], size), "functions": functions(profile["rows"], size),
        "system_us": need(values, "system_us"), "user_us": need(values, "user_us"),
        "ticks": {name: difference(values, f"ticks_{name}") for name in ("user", "system", "irq", "softirq", "idle")},
        "segments": values.get("tcp_data_segments_out"), "retransmissions": need(values, "tcp_retransmissions"),
        "tcp": {name.removeprefix("tcp_"): value for name, value in values.items() if name.startswith("tcp_")},
        "interrupts": difference(values, *[name[:-6] for name in values if name.startswith("interrupts_") and name.endswith("_begin")]),
        "setup": {name: value for name, value in values.items() if name in SETUP or name.startswith("sysctl_")},
        "nic": profiled.nic, "peer": profiled.peer, "wire_busy_share": ratio(profiled.nic.get("tx-busy-ns", 0), elapsed),
    }
    return result | (histograms(observed) if observed else {})


SETUP = ("link_speed", "link_duplex", "qdisc", "congestion_control", "hystart", "offload_tso", "gso_max_segs", "tso_max_segs",
         "rx_usecs", "tx_usecs", "tx_ring", "calls", "voluntary_switches", "involuntary_switches", "qdisc_dropped",
         "qdisc_requeues")


def need(values, name):
    """A number that the guest must have told."""
    if not isinstance(values.get(name), int):
        raise Error(f"the guest did not tell {name}, or not as a number: {values.get(name)!r}")
    return values[name]


def difference(values, *names):
    """How much counters of the guest grew between begin and end, summed up."""
    return sum(need(values, f"{name}_end") - need(values, f"{name}_begin") for name in names)


def contexts(rows, size):
    """{context: {instructions, per_mib, share}} of a profile's rows."""
    total = sum(row["instructions"] for row in rows)
    sums = {context: sum(row["instructions"] for row in rows if row["context"] == context) for context in CONTEXTS}
    return {context: {"instructions": value, "per_mib": value * MIB // size, "share": ratio(value, total)}
            for context, value in sums.items()}


def functions(rows, size):
    """The functions with the most instructions, all contexts together, each with its contexts; and the rest as one."""
    table = {}
    for row in rows:
        key = (row["function"], row["module"])
        entry = table.setdefault(key, {"function": key[0], "module": key[1], "instructions": 0, "calls": 0, "contexts": {}})
        entry["instructions"] += row["instructions"]
        entry["calls"] += row["calls"]
        entry["contexts"][row["context"]] = entry["contexts"].get(row["context"], 0) + row["instructions"]
    ordered = sorted(table.values(), key=lambda entry: (-entry["instructions"], entry["function"], entry["module"]))
    total = sum(entry["instructions"] for entry in ordered)
    listed, others = ordered[:TOP], ordered[TOP:]
    if others:
        listed.append(together(others))
    for entry in listed:
        entry["per_mib"] = entry["instructions"] * MIB // size
        entry["share"] = ratio(entry["instructions"], total)
    return listed


def together(entries):
    """One entry for many functions."""
    sums = {}
    for entry in entries:
        for context, value in entry["contexts"].items():
            sums[context] = sums.get(context, 0) + value
    return {"function": f"({len(entries)} others)", "module": "", "instructions": sum(entry["instructions"] for entry in entries),
            "calls": sum(entry["calls"] for entry in entries), "contexts": sums}


def histograms(observed):
    """The histograms of an observing run, and what they come to."""
    groups, rest = {}, {"segments": {}, "size": {}}
    for group, kind, number, count in observed.histogram:
        target = rest if group == "rest" else groups.setdefault(group, {"segments": {}, "size": {}})
        target[kind][number] = count
    whole = merged([group["segments"] for group in groups.values()])
    packets, late = sum(whole.values()), sum(rest["segments"].values())
    return {
        "histograms": [as_text(groups[number]) for number in sorted(groups)], "histogram_rest": as_text(rest),
        "packets": packets, "segments_per_packet": ratio(sum(number * count for number, count in whole.items()), packets),
        "rest_packets": late, "share_44": ratio(rest["segments"].get(44, 0), late),
        "share_45": ratio(rest["segments"].get(45, 0), late),
        "observed_goodput_bps": need(observed.values, "bytes") * 8 * 10**9 // need(observed.values, "elapsed_ns"),
    }


def merged(tables):
    """The sum of histograms."""
    total = {}
    for table in tables:
        for number, count in table.items():
            total[number] = total.get(number, 0) + count
    return total


def as_text(group):
    """A histogram with keys as JSON has them."""
    return {kind: {str(number): table[number] for number in sorted(table)} for kind, table in group.items()}


def comparisons(results):
    """The post's figures and ours: ratios to `none` and of 1000 to 100 Mb/s, and the ratios of those ratios."""
    by = {(result["mode"], result["speed_mbps"], result["shift"]): result for result in results}
    lines = []
    for (mode, speed, shift), result in by.items():
        if base := by.get(("none", speed, shift)) if mode != "none" else None:
            lines.append(compared(f"{mode} / none, {speed} Mb/s, shift {shift}", result, base,
                                  post_ratio((mode, speed), ("none", speed))))
        if base := by.get((mode, 100, 1)) if speed == 1000 else None:
            lines.append(compared(f"1000 / 100 Mb/s, {mode}, shift {shift} / 1", result, base,
                                  post_ratio((mode, 1000), (mode, 100))))
    return lines


def compared(title, result, base, post):
    """One comparison of two rows: by instructions, and by the system time that time(1) shows."""
    instructions = Fraction(result["instructions_per_mib"], base["instructions_per_mib"])
    system = Fraction(result["system_us"] * base["bytes"], base["system_us"] * result["bytes"]) if base["system_us"] else None
    return {"title": title, "of": result["name"], "to": base["name"], "instructions": decimal(instructions),
            "system_time": None if system is None else decimal(system), "post": None if post is None else decimal(post),
            "instructions_over_post": ratio(instructions, post) if post else None,
            "system_time_over_post": ratio(system, post) if post and system is not None else None}


def post_ratio(of, to):
    """The ratio of the post's medians, None where the post has no figure."""
    if of not in POST_SYSTEM_S or to not in POST_SYSTEM_S:
        return None
    return median(POST_SYSTEM_S[of]) / median(POST_SYSTEM_S[to])


def post():
    """The post's figures as a result quotes them."""
    return [{"mode": mode, "speed_mbps": speed, "system_s": list(runs), "median_s": decimal(median(runs)),
             "segments": POST_SEGMENTS.get((mode, speed), "-")} for (mode, speed), runs in POST_SYSTEM_S.items()]
