# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of the funcprof plugin: reading, adding up, tables. docs/funcprof.md describes what the plugin writes."""
import json
from dataclasses import dataclass

from .errors import Error

FORMAT = "mvlab funcprof 1"
CONTEXTS = ("process", "softirq", "hardirq", "idle")
TEXTS, NUMBERS = ("context", "program", "function", "module"), ("instructions", "calls", "cost")
OPTIONAL = {"program": "", "module": "", "cost": 0}


@dataclass(frozen=True)
class Row:
    """What one function did in one context (in process context: of one program)."""
    context: str
    program: str
    function: str
    module: str
    instructions: int
    calls: int
    cost: int = 0

    @property
    def key(self):
        return self.context, self.program, self.function, self.module

    @property
    def name(self):
        """The function, with its module if it has one."""
        return f"{self.function} [{self.module}]" if self.module else self.function


@dataclass(frozen=True)
class Profile:
    """One region, or several added up."""
    instructions: int
    rows: tuple             # of Row, most instructions first
    regions: int = 1
    guest_ns: int | None = None     # between the marks, by the guest's clock; None if it did not tell
    stacks: tuple = ()              # of (path, instructions), if the plugin kept call stacks: `context;program;function;...`

    def asleep_ns(self, shift):
        """Virtual time in which nothing was executed, if an instruction takes 2^shift ns; None if the guest told no time."""
        return None if self.guest_ns is None else self.guest_ns - (self.instructions << shift)

    def by_context(self):
        """{context: instructions}, all contexts."""
        return self.sums(CONTEXTS, lambda row: row.context)

    def by_program(self):
        """{program: instructions} of process context, most first."""
        sums = self.sums((), lambda row: row.program, [row for row in self.rows if row.context == "process"])
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))

    def by_function(self):
        """Rows with contexts and programs added up, most instructions first."""
        return ranked(merged([Row("", "", row.function, row.module, row.instructions, row.calls, row.cost) for row in self.rows]))

    def sums(self, names, key, rows=None):
        sums = dict.fromkeys(names, 0)
        for row in self.rows if rows is None else rows:
            sums[key(row)] = sums.get(key(row), 0) + row.instructions
        return sums

    def calls(self, function):
        """How often a function was entered, in all contexts."""
        return sum(row.calls for row in self.rows if row.function == function)


def read(path):
    """The regions of a result file as a list of Profile. Refuses a result that the plugin has called wrong."""
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']!r}")
        regions = [region(path, index, item) for index, item in enumerate(data["regions"])]
        errors = [text(item) for item in data["errors"]]
        doubts = [f"{text(name)} ({number(times)} times)" for name, times in data["doubts"].items()]
    except OSError as err:
        raise Error(f"{path}: {err.strerror}") from err
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as err:
        raise Error(f"{path}: not a result of funcprof ({type(err).__name__}: {err})") from err
    if errors:
        raise Error(f"{path}: {errors[0]}")
    if doubts:
        raise Error(f"{path}: doubtful: {doubts[0]}")
    if not regions:
        raise Error(f"{path}: no region: the guest did not set marks 2 and 3")
    return regions


def region(path, index, item):
    """One region of the file as a Profile."""
    if item["complete"] is not True:
        raise Error(f"{path}: region {index} has no end: the guest did not set mark 3")
    rows = tuple(row_of({**OPTIONAL, **row}) for row in item["rows"])
    total = sum(row.instructions for row in rows)
    if total != number(item["instructions"]):
        raise ValueError(f"region {index}: {total} instructions in rows, {item['instructions']} in all")
    stacks = tuple((text(path), number(count)) for path, count in item.get("stacks", []))
    if stacks and sum(count for _, count in stacks) != total:
        raise ValueError(f"region {index}: the stacks have not {total} instructions")
    return Profile(total, ranked(rows), 1, number(item["guest_ns"]) if "guest_ns" in item else None, stacks)


def row_of(item):
    if item["context"] not in CONTEXTS:
        raise ValueError(f"context {item['context']!r}")
    return Row(*(text(item[name]) for name in TEXTS), *(number(item[name]) for name in NUMBERS))


def text(value):
    """A value of the file that must be one line of text."""
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError(f"{value!r} is not a name")
    return value


def number(value):
    """A value of the file that must be a count."""
    if type(value) is not int or not 0 <= value < 1 << 64:
        raise ValueError(f"{value!r} is not a count")
    return value


def ranked(rows):
    return tuple(sorted(rows, key=lambda row: (-row.instructions, row.key)))


def merged(rows):
    """One row for each key."""
    sums = {}
    for row in rows:
        old = sums.get(row.key)
        sums[row.key] = Row(*row.key, row.instructions + old.instructions, row.calls + old.calls, row.cost + old.cost) if old else row
    return sums.values()


def add(profiles):
    """All regions as one Profile."""
    times = [profile.guest_ns for profile in profiles]
    return Profile(sum(profile.instructions for profile in profiles),
                   ranked(merged([row for profile in profiles for row in profile.rows])),
                   sum(profile.regions for profile in profiles), None if None in times else sum(times),
                   add_stacks([profile.stacks for profile in profiles]))


def add_stacks(stacks):
    """The stacks of several profiles as one; none unless each has some."""
    sums = {}
    for path, count in (item for each in stacks for item in each):
        sums[path] = sums.get(path, 0) + count
    return tuple(sorted(sums.items())) if all(stacks) else ()


def as_json(profile):
    """A Profile as a JSON object."""
    return {"instructions": profile.instructions, "regions": profile.regions, "guest_ns": profile.guest_ns,
            "contexts": profile.by_context(), "programs": profile.by_program(),
            "rows": [{"context": row.context, "program": row.program, "function": row.function, "module": row.module,
                      "instructions": row.instructions, "calls": row.calls} for row in profile.rows]}


def folded(profile):
    """Lines `context;program;function;... N` as flame graph tools read them; without call stacks, of one function each."""
    if profile.stacks:
        return [f"{path} {count}" for path, count in profile.stacks]
    return [";".join(part.replace(";", ":") for part in (row.context, row.program, row.name) if part) + f" {row.instructions}"
            for row in profile.rows if row.instructions]


def table(profile, top):
    """The lines of a table: contexts, programs, and the `top` functions by instructions."""
    lines = [f"{profile.instructions:,} instructions" + (f" in {profile.regions} regions" if profile.regions > 1 else "")]
    for title, sums in (("context", profile.by_context()), ("program in process context", profile.by_program())):
        lines += ["", f"{'instructions':>15}  {'share':>6}  {title}"]
        lines += [line(count, profile.instructions, name) for name, count in sums.items() if count]
    lines += ["", f"{'instructions':>15}  {'share':>6}  {'calls':>10}  {'each':>8}  function"]
    for row in profile.by_function()[:top]:
        each = f"{row.instructions / row.calls:8.1f}" if row.calls else " " * 8
        lines.append(f"{row.instructions:15,}  {share(row.instructions, profile.instructions)}  {row.calls:10,}  {each}  {row.name}")
    return lines


def line(count, total, name):
    return f"{count:15,}  {share(count, total)}  {name}"


def share(count, total):
    return f"{100 * count / total:5.1f}%" if total else f"{'-':>6}"
