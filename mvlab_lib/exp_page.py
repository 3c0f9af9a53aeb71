# SPDX-License-Identifier: GPL-2.0-or-later
"""A result of `./mvlab exp tso` as one HTML page that needs nothing else: no scripts, no fonts, no other file."""
from html import escape

from .exp_predict import AS_PREDICTED, NOT_MEASURED, OUTSIDE, WRONG_SIGN
from .exp_report import COLUMNS, full_share, number, percent, thousands, title, warnings
from .exp_tso_rows import CONTEXTS, MIB, MODE_NAMES

STYLE = """
:root { color-scheme: light dark;
  --page: #fbfaf7; --card: #ffffff; --ink: #1d232b; --soft: #626b76; --line: #dedbd3; --track: #efece5;
  --process: #2f6db5; --softirq: #e08a1e; --hardirq: #b5382f; --idle: #9aa0a6; --wire: #3f8f55; --heat: 47, 109, 181;
  --good: #2e7d46; --warn: #a86400; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14171b; --card: #1c2127; --ink: #e6e8ea; --soft: #9aa4af; --line: #323a43; --track: #272d34;
  --process: #6aa3e6; --softirq: #f0aa4d; --hardirq: #e5746b; --idle: #7b838c; --wire: #66bb7d; --heat: 106, 163, 230;
  --good: #77c98d; --warn: #e3ae56; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 78rem; background: var(--page); color: var(--ink);
  font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .4rem; text-wrap: balance; }
h2 { font-size: 1.15rem; margin: 2.6rem 0 .3rem; }
p { max-width: 68ch; margin: .4rem 0 1rem; } .soft { color: var(--soft); }
.alarm { border: 2px solid var(--bad); color: var(--bad); padding: .7rem 1rem; border-radius: 6px; font-weight: 600; margin: 1rem 0; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .38rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); font-size: 12px; } th small { display: block; font-weight: 400; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--card); }
td.text { text-align: left; white-space: normal; min-width: 18rem; color: var(--soft); }
tr:last-child td { border-bottom: 0; } tr.new td { border-top: 2px solid var(--line); }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; margin: 1.4rem 0 0; }
.numbers div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; }
.numbers b { display: block; font-size: 1.55rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.bars { display: grid; grid-template-columns: max-content 1fr max-content; gap: .35rem .9rem; align-items: center;
  background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; font-size: 13px;
  font-variant-numeric: tabular-nums; }
.bar { display: flex; height: 1.15rem; background: var(--track); border-radius: 3px; overflow: hidden; }
.bar i { display: block; height: 100%; } .thin { height: .5rem; margin-top: 2px; }
.process { background: var(--process); } .softirq { background: var(--softirq); } .hardirq { background: var(--hardirq); }
.idle { background: var(--idle); } .wire { background: var(--wire); }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: 13px; margin: 0 0 .6rem; color: var(--soft); }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .4rem; vertical-align: -1px; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .8rem; }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; font-size: 13px; }
.plot { display: flex; align-items: flex-end; height: 6.5rem; gap: 1px; border-bottom: 1px solid var(--soft); margin-top: .5rem; }
.plot i { flex: 1; background: var(--process); min-height: 0; } .axis { display: flex; justify-content: space-between; color: var(--soft);
  font-size: 11px; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); font-weight: 700; }
details { margin-top: .8rem; } summary { cursor: pointer; } pre { overflow-x: auto; font-size: 12px; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; padding: .8rem; }
@media print { body { max-width: none; } .scroll { overflow: visible; } }
"""

BINS = 50   # of the histograms that are drawn
VERDICT_CLASS = {AS_PREDICTED: "good", OUTSIDE: "warn", WRONG_SIGN: "bad", NOT_MEASURED: "soft"}


def page(result):
    """The page as text."""
    parts = [head(result), alarms(result), key_numbers(result), rows(result), split(result), functions(result), use(result),
             histograms(result), comparison(result), predictions(result), provenance(result)]
    body = "\n".join(part for part in parts if part)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>mvlab: software TSO on an mv643xx</title>\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n'
            "</body>\n</html>\n")


def head(result):
    size = result["inputs"]["bytes"] // MIB
    return ("<h1>What segmentation in software saves on a NIC that cannot do it</h1>\n"
            f"<p>A virtual SheevaPlug sends {size} MiB with sendfile() over one TCP connection, Debian's kernel and stock driver. "
            "Super-segments of up to 64 KiB are cut by nobody (there are none), by the network core, or by the driver. "
            "Every figure counts guest instructions on a virtual clock: it repeats exactly, and it is not a number of cycles.</p>")


def alarms(result):
    lines = [line.removeprefix("*** ") for line in warnings(result).splitlines()]
    return "".join(f'<div class="alarm">{escape(line)}</div>\n' for line in lines)


def key_numbers(result):
    """The few figures that answer the first question."""
    cards = []
    for item in result["comparisons"]:
        if "/ none" in item["title"] and item["to"].endswith("-s1"):
            mode, speed = item["of"].split("-")[:2]
            cards.append(f"<div><b>{number(item['instructions'], 2)}</b>of the instructions of no segmentation, "
                         f"{escape(MODE_NAMES[mode])} at {speed} Mb/s"
                         + (f" <span class=soft>(the post: {number(item['post'], 2)} of the system time)</span>" if item["post"] else "")
                         + "</div>")
    return f'<div class="numbers">{"".join(cards)}</div>' if cards else ""


def heading(text, note):
    return f"<h2>{escape(text)}</h2>\n<p class=soft>{escape(note)}</p>"


def html_table(heads, lines, classes=()):
    """A table; cells are HTML. classes: of the lines."""
    top = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "".join(f'<tr class="{kind}">' + "".join(cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in line) + "</tr>\n"
                   for line, kind in zip(lines, [*classes, *[""] * len(lines)]))
    return f'<div class="scroll"><table>\n<tr>{top}</tr>\n{body}</table></div>'


def rows(result):
    if not result["rows"]:
        return ""
    heads = [f"{escape(name)}<small>{escape(unit) or '&nbsp;'}</small>" for name, unit, _ in COLUMNS]
    lines = [[escape(cell(row)) for _, _, cell in COLUMNS] for row in result["rows"]]
    return heading("The rows", "CPU is the virtual one: icount gives an instruction a fixed time. Idle is virtual time without instructions. "
                   "Full super-segments are those of 45 segments (44 without timestamps) after the first 16 MiB.") + \
        html_table(heads, lines, group_classes(result["rows"]))


def group_classes(found):
    """Marks the first row of each speed and shift."""
    keys = [(row["speed_mbps"], row["shift"]) for row in found]
    return ["new" if at and keys[at] != keys[at - 1] else "" for at in range(len(keys))]


def key(names):
    return '<div class="key">' + "".join(f'<span><i class="{kind}"></i>{escape(text)}</span>' for kind, text in names) + "</div>"


def bar(pieces, most, thin=False):
    """A horizontal bar of pieces (class, value, what the pointer shows)."""
    inner = "".join(f'<i class="{kind}" style="width:{100 * value / most:.2f}%" title="{escape(text)}"></i>'
                    for kind, value, text in pieces if value > 0)
    return f'<div class="bar{" thin" if thin else ""}">{inner}</div>'


def split(result):
    """Instructions per MiB by context."""
    found = result["rows"]
    if not found:
        return ""
    most = max(row["instructions_per_mib"] for row in found) or 1
    lines = ""
    for row in found:
        pieces = [(name, row["contexts"][name]["per_mib"], f"{name}: {thousands(row['contexts'][name]['per_mib'])} per MiB, "
                   f"{percent(row['contexts'][name]['share'])} %") for name in CONTEXTS]
        lines += f"<span>{escape(row['name'])}</span>{bar(pieces, most)}<span>{thousands(row['instructions_per_mib'])}</span>\n"
    return heading("Instructions per MiB, by context", "Where the kernel was when it spent them. What runs in softirq on top of an idle CPU is "
                   "charged to nobody by time(1).") + key([(name, name) for name in CONTEXTS]) + f'<div class="bars">{lines}</div>'


def functions(result, top=30):
    """Functions by rows, shaded by cost."""
    found = result["rows"]
    if not found:
        return ""
    costs = {row["name"]: {title(entry): entry for entry in row["functions"]} for row in found}
    names = sorted({name for table in costs.values() for name in table if not name.startswith("(")},
                   key=lambda name: (-max(cost(table, name) for table in costs.values()), name))[:top]
    most = max((cost(table, name) for table in costs.values() for name in names), default=0) or 1
    lines = [[f"<td>{escape(name)}</td>", *(cell(costs[row["name"]], name, most) for row in found)] for name in names]
    return heading("Instructions per MiB, by function", "All contexts together; point at a number for its contexts and calls. "
                   "A dash is below the functions that the result lists.") + \
        html_table(["function", *(escape(row["name"]) for row in found)], lines)


def cost(table, name):
    return table[name]["per_mib"] if name in table else 0


def cell(table, name, most):
    if name not in table:
        return "<td class=soft>-</td>"
    entry = table[name]
    text = ", ".join(f"{context} {100 * value // max(1, entry['instructions'])} %" for context, value in sorted(entry["contexts"].items()))
    return (f'<td style="background:rgba(var(--heat),{0.55 * entry["per_mib"] / most:.3f})" '
            f'title="{escape(text)}; {thousands(entry["calls"])} calls">{thousands(entry["per_mib"])}</td>')


def use(result):
    """How busy CPU and wire were."""
    found = result["rows"]
    if not found:
        return ""
    lines = ""
    for row in found:
        busy, sent = max(0, 1 - row["idle_share"]), row["goodput_of_limit"]
        upper = bar([("process", busy, f"CPU busy {percent(busy)} %")], 1, True)
        lower = bar([("wire", sent, f"goodput {percent(sent, 2)} % of the limit")], 1, True)
        lines += f"<span>{escape(row['name'])}</span><div>{upper}{lower}</div><span>{percent(busy)} / {percent(sent)} %</span>\n"
    return heading("What was the limit", "CPU busy, and goodput as a share of what the wire can carry.") + \
        key([("process", "CPU busy"), ("wire", "goodput of the wire's limit")]) + f'<div class="bars">{lines}</div>'


def histograms(result):
    """Segments per super-segment, a panel for each row."""
    panels = "".join(panel(row) for row in result["rows"] if row.get("histograms"))
    if not panels:
        return ""
    return heading("Segments per super-segment", "What enters the driver's queue before anything is cut, % of the packets after the first 16 MiB "
                   "(of the last 10,000 or fewer, in shorter runs). From runs of their own, because watching costs instructions.") + \
        f'<div class="panels">{panels}</div>'


def panel(row):
    table = row["histogram_rest"]["segments"] or row["histograms"][-1]["segments"]
    total = sum(table.values()) or 1
    plot = ""
    for at in range(1, BINS + 1):
        count = sum(value for text, value in table.items() if int(text) == at or at == BINS and int(text) > BINS)
        plot += f'<i style="height:{100 * count / total:.2f}%" title="{at}: {thousands(count)}, {percent(count / total)} %"></i>'
    return (f'<div class="panel"><b>{escape(row["name"])}</b><br>{number(row["segments_per_packet"], 2)} on average, '
            f'{percent(full_share(row), 2)} % full<div class="plot">{plot}</div><div class="axis"><span>1</span><span>25</span>'
            f"<span>{BINS}</span></div></div>")


def comparison(result):
    """The post's figures and ours."""
    quoted = [[f"{escape(MODE_NAMES[item['mode']])}, {item['speed_mbps']} Mb/s", escape(" ".join(item["system_s"])),
               number(item["median_s"], 2), escape(item["segments"])] for item in result["post"]]
    text = heading("The post", "July 2008, 1.2 GHz Kirkwood, Linux 2.6.27-rc1: system time of the sender of 1 GiB.") + \
        html_table(["row", "seconds, every run", "median", "segments per super-segment"], quoted)
    if result["comparisons"]:
        lines = [[escape(item["title"]), number(item["instructions"]), number(item["system_time"]), number(item["post"]),
                  number(item["instructions_over_post"]), number(item["system_time_over_post"])] for item in result["comparisons"]]
        text += heading("Ratios, and ratios of ratios", "Ours by instructions and by the system time that the guest's time(1) would show; "
                        "the post's by system time; and ours divided by the post's.") + \
            html_table(["ratio", "instructions", "system time", "post", "instructions / post", "system time / post"], lines)
    return text


def predictions(result):
    """What was expected."""
    lines = []
    for item in result["predictions"]:
        kind = VERDICT_CLASS[item["verdict"]]
        lines.append([escape(item["name"]), f"{item['low']} to {item['high']}", number(item["measured"]),
                      f'<td class="{kind}">{escape(item["verdict"])}</td>', f'<td class="text">{escape(item["why"])}</td>'])
    return heading("Predictions", "Written down before the first run.") + html_table(["prediction", "expected", "measured", "verdict", "why"], lines)


def provenance(result):
    """What the result depends on, and who made it."""
    inputs, found = result["inputs"], result["host"]
    packages = "\n".join(f"{name} {version}" for name, version in sorted(inputs["guest_packages"].items()))
    sums = "\n".join(f"{value}  {name}" for name, value in sorted({**inputs["sha256"], **inputs["qemu"]["patches"]}.items()))
    runs = "\n".join(f"{name}: {seconds} s" for name, seconds in sorted(found.get("wall_s", {}).items()))
    options = next(iter(result["options"].values()), [])
    return (heading("Where this comes from", "The same inputs give the same figures, on any machine.")
            + f"<details><summary>Inputs</summary><pre>QEMU {escape(inputs['qemu']['source'])}\n{escape(packages)}\n\n{escape(sums)}</pre></details>"
            + f"<details><summary>QEMU's options, first row</summary><pre>{escape(' '.join(options))}</pre></details>"
            + f"<details><summary>Wall-clock time on {escape(str(found.get('cpu', 'an unknown machine')))}</summary><pre>{escape(runs)}</pre></details>")
