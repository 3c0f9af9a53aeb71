# SPDX-License-Identifier: GPL-2.0-or-later
"""A result of `./mvlab exp tso` as JSON, text and CSV."""
import csv as csv_format
import io
import json

from .exp_predict import NOT_MEASURED, WRONG_SIGN
from .exp_tso_rows import CONTEXTS, MIB


def as_json(result):
    """The same result is the same text."""
    return json.dumps(result, sort_keys=True, indent=1) + "\n"


def thousands(value):
    return f"{value:,}"


def percent(value, digits=1):
    return "-" if value is None else f"{100 * value:.{digits}f}"


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


# (head, unit, cell of a row)
COLUMNS = [
    ("row", "", lambda row: row["name"]),
    ("CPU", "MIPS", lambda row: str(row["cpu_mips"])),
    ("time", "virtual s", lambda row: f"{row['virtual_ns'] / 1e9:.3f}"),
    ("idle", "%", lambda row: percent(row["idle_share"])),
    ("goodput", "Mb/s", lambda row: f"{row['goodput_bps'] / 1e6:.2f}"),
    ("of limit", "%", lambda row: percent(row["goodput_of_limit"], 2)),
    ("instructions", "/MiB", lambda row: thousands(row["instructions_per_mib"])),
    ("process", "%", lambda row: percent(row["contexts"]["process"]["share"])),
    ("softirq", "%", lambda row: percent(row["contexts"]["softirq"]["share"])),
    ("hardirq", "%", lambda row: percent(row["contexts"]["hardirq"]["share"])),
    ("of idle", "%", lambda row: percent(row["contexts"]["idle"]["share"])),
    ("busy", "s/GiB", lambda row: f"{(row['virtual_ns'] - row['idle_ns']) * 1024 * MIB / row['bytes'] / 1e9:.2f}"),
    ("system", "s/GiB", lambda row: f"{row['system_us'] * 1024 * MIB / row['bytes'] / 1e6:.2f}"),
    ("segments", "/packet", lambda row: number(row.get("segments_per_packet"), 2)),
    ("full", "%", lambda row: percent(full_share(row), 2)),
    ("resent", "", lambda row: str(row["retransmissions"])),
]


def full_share(row):
    """The share of super-segments after the first bytes that are as large as they can be."""
    return row.get("share_45" if row["tcp"].get("timestamps") else "share_44")


def table(result):
    """Everything a reader wants first: wrong signs, rows, functions, comparison with the post, predictions."""
    parts = [warnings(result), rows_table(result), functions_table(result), comparisons_table(result), predictions_table(result)]
    return "\n".join(part for part in parts if part)


def warnings(result):
    """What must not be overlooked."""
    lines = [f"WRONG SIGN: {item['name']}: measured {number(item['measured'])}, expected {item['sign']} 1"
             for item in result["predictions"] if item["verdict"] == WRONG_SIGN]
    lines += [f"goodput above the wire: {row['name']}" for row in result["rows"] if row["goodput_bps"] > row["wire_limit_bps"]]
    lines += [f"not measured: {', '.join(result['missing'])}"] if result["missing"] else []
    return "".join(f"*** {line}\n" for line in lines)


def rows_table(result):
    """One line for each row."""
    if not result["rows"]:
        return "no row was measured\n"
    title = f"{result['inputs']['bytes'] // MIB} MiB by sendfile over one connection"
    lines = [[head for head, _, _ in COLUMNS], [unit for _, unit, _ in COLUMNS],
             *([cell(row) for _, _, cell in COLUMNS] for row in result["rows"])]
    return f"{title}\n{aligned(lines)}"


def aligned(lines):
    """Columns of text, the first to the left and the others to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = ""
    for line in lines:
        cells = [f"{cell:<{width}}" if not column else f"{cell:>{width}}" for column, (cell, width) in enumerate(zip(line, widths))]
        text += "  ".join(cells).rstrip() + "\n"
    return text


def functions_table(result, top=12):
    """Instructions per MiB of the functions that cost most, rows side by side."""
    rows = result["rows"]
    if not rows:
        return ""
    costs = {row["name"]: {title(entry): entry["per_mib"] for entry in row["functions"]} for row in rows}
    names = sorted({name for table in costs.values() for name in table if not name.startswith("(")},
                   key=lambda name: (-max(table.get(name, 0) for table in costs.values()), name))[:top]
    text = ""
    for part in chunks(rows, 6):
        lines = [["instructions/MiB", *(row["name"] for row in part)],
                 *([name, *(thousands(costs[row["name"]][name]) if name in costs[row["name"]] else "-" for row in part)]
                   for name in names)]
        text += aligned(lines)
    return text


def title(entry):
    """A function's name, with its module."""
    return f"{entry['function']} [{entry['module']}]" if entry["module"] else entry["function"]


def chunks(items, length):
    return [items[at:at + length] for at in range(0, len(items), length)]


def comparisons_table(result):
    """Our ratios and the post's."""
    if not result["comparisons"]:
        return ""
    lines = [["ratio", "instructions", "system time", "post", "instructions/post", "system/post"]]
    lines += [[item["title"], number(item["instructions"]), number(item["system_time"]), number(item["post"]),
               number(item["instructions_over_post"]), number(item["system_time_over_post"])] for item in result["comparisons"]]
    return aligned(lines)


def predictions_table(result):
    """Each prediction with its verdict."""
    lines = [[item["name"], f"{item['low']} to {item['high']}", number(item["measured"]), item["verdict"]]
             for item in result["predictions"] if item["verdict"] != NOT_MEASURED]
    return aligned([["prediction", "expected", "measured", "verdict"], *lines]) if lines else ""


def csv(result):
    """One line for each row, with plain numbers."""
    names = ["name", "mode", "speed_mbps", "shift", "cpu_mips", "bytes", "virtual_ns", "idle_ns", "goodput_bps", "wire_limit_bps",
             "instructions", "instructions_per_mib", "system_us", "user_us", "segments", "packets", "segments_per_packet",
             "share_44", "share_45", "retransmissions", "interrupts"]
    file = io.StringIO()
    writer = csv_format.writer(file, lineterminator="\n")
    writer.writerow([*names, *(f"instructions_{context}" for context in CONTEXTS)])
    for row in result["rows"]:
        writer.writerow([*(row.get(name, "") for name in names),
                         *(row["contexts"][context]["instructions"] for context in CONTEXTS)])
    return file.getvalue()
