# SPDX-License-Identifier: GPL-2.0-or-later
"""Outcomes of runs that never ran, with round numbers: 64 MiB in segments of 1024 bytes is easy to divide."""
from mvlab_lib.exp_run import Outcome

MIB = 1 << 20


def guest_values(**changes):
    """What a guest tells: 4 MiB in a second."""
    values = {"bytes": 4 * MIB, "elapsed_ns": 10**9, "system_us": 300_000, "user_us": 1000, "tcp_mss": 1448, "tcp_timestamps": 1,
              "tcp_retransmissions": 0, "tcp_data_segments_out": 2897, "qdisc": "fq_codel"}
    for name in ("user", "system", "irq", "softirq", "idle"):
        values |= {f"ticks_{name}_begin": 10, f"ticks_{name}_end": 30}
    values |= {"interrupts_27_begin": 5, "interrupts_27_end": 105}
    return values | changes


def profile_rows(total):
    """Half in process context, a quarter in softirq, the rest in hardirq and idle."""
    return [
        {"context": "process", "function": "copy_page", "module": "", "instructions": total // 4, "calls": 10},
        {"context": "process", "function": "tcp_sendmsg", "module": "", "instructions": total // 4, "calls": 20},
        {"context": "softirq", "function": "tcp_sendmsg", "module": "", "instructions": total // 8, "calls": 30},
        {"context": "softirq", "function": "mv643xx_eth_poll", "module": "mv643xx_eth", "instructions": total // 8, "calls": 40},
        {"context": "hardirq", "function": "mv643xx_eth_irq", "module": "mv643xx_eth", "instructions": total // 8, "calls": 50},
        {"context": "idle", "function": "cpu_do_idle", "module": "", "instructions": total // 8, "calls": 60},
    ]


def profiled(instructions=200_000_000, **changes):
    """The Outcome of a profiling run."""
    profile = {"instructions": instructions, "rows": profile_rows(instructions)}
    return Outcome(guest_values(**changes), [], {"tx-busy-ns": 500_000_000, "tx-frames": 2900}, {"payload-received": 4 * MIB}, profile,
                   2000)


def observed(**changes):
    """The Outcome of an observing run: 10,000 packets of 45 and 1,000 of 1, then 19 of 45 and one of 44 after the skipped bytes."""
    histogram = [(0, "segments", 45, 10_000), (0, "size", 127, 10_000), (1, "segments", 1, 1000), (1, "size", 2, 1000),
                 ("rest", "segments", 45, 19), ("rest", "segments", 44, 1), ("rest", "size", 127, 20)]
    return Outcome(guest_values(**changes), histogram, {}, {}, None, 1000)
