# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws the result of `./mvlab exp tso`: python3 -m mvlab_lib.exp_plot RESULT.json writes plot.png and plot.svg beside it.

A program of its own, because matplotlib is installed for Debian's Python only. The same result gives the same files.
"""
import io
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (after the backend is chosen)

from .files import write_atomically  # noqa: E402

CONTEXTS = {"process": "#2f6db5", "softirq": "#e08a1e", "hardirq": "#b5382f", "idle": "#9a9a9a"}
SALT = "mvlab"


def key(axes, title):
    """A title with the legend below it, where no bar is."""
    axes.set_title(title, pad=24)
    axes.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)


def bars(axes, rows):
    """Instructions per MiB of each row, by context."""
    names = [row["name"] for row in rows]
    left = [0] * len(rows)
    for context, color in CONTEXTS.items():
        values = [row["contexts"][context]["per_mib"] / 1e6 for row in rows]
        axes.barh(names, values, left=left, color=color, label=context, height=0.7)
        left = [a + b for a, b in zip(left, values)]
    axes.invert_yaxis()
    axes.set_xlabel("million guest instructions per MiB")
    key(axes, "Instructions by context")


def use(axes, rows):
    """How busy CPU and wire are."""
    names = [row["name"] for row in rows]
    places = range(len(rows))
    axes.barh([place - 0.2 for place in places], [100 * (1 - row["idle_share"]) for row in rows], height=0.38, color="#2f6db5",
              label="CPU busy")
    axes.barh([place + 0.2 for place in places], [100 * row["goodput_of_limit"] for row in rows], height=0.38, color="#4c9a4c",
              label="goodput of the wire's limit")
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 105)
    axes.set_xlabel("%")
    key(axes, "CPU and wire")


def histogram(axes, row):
    """Segments per super-segment after slow start."""
    table = row.get("histogram_rest", {}).get("segments", {})
    if not table and row.get("histograms"):
        table = row["histograms"][-1]["segments"]
    total = sum(table.values()) or 1
    axes.bar([int(number) for number in table], [100 * count / total for count in table.values()], width=1.0, color="#2f6db5")
    axes.set_xlim(0, 50)
    axes.set_ylim(0, 100)
    axes.set_title(row["name"], fontsize=9)


def draw(result, png, svg):
    """Writes the figure of a result."""
    rows = result["rows"]
    segmented = [row for row in rows if row["mode"] != "none"] or rows
    lines = -(-len(segmented) // 4)
    figure = pyplot.figure(figsize=(13, 3 + 0.45 * len(rows) + 2.1 * lines), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(2 + 0.45 * len(rows), 1 + 2.1 * lines))
    left, right = upper.subplots(1, 2)
    bars(left, rows)
    use(right, rows)
    panels = lower.subplots(lines, 4, sharex=True, sharey=True, squeeze=False).flat
    for axes, row in zip(panels, segmented):
        histogram(axes, row)
    for axes in list(panels)[len(segmented):]:
        axes.set_axis_off()
    lower.suptitle("Segments per super-segment, % of super-segments after the first 16 MiB", fontsize=10)
    save(figure, png, dpi=110, metadata={"Software": None})
    save(figure, svg, metadata={"Date": None, "Creator": None})


def save(figure, path, **options):
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], **options)
    write_atomically(path, drawn.getvalue())


def main():
    path = Path(sys.argv[1])
    result = json.loads(path.read_text())
    matplotlib.rcParams["svg.hashsalt"] = SALT
    if result["rows"]:
        draw(result, path.with_name("plot.png"), path.with_name("plot.svg"))


if __name__ == "__main__":
    main()
