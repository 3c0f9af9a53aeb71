# SPDX-License-Identifier: GPL-2.0-or-later
"""Predictions: what was expected before a run, beside what was measured. The files are mvlab_lib/exp_*_predictions.toml."""
from fractions import Fraction

from . import config
from .errors import Error

WANTED, OPTIONAL = {"name", "figure", "low", "high", "why"}, {"over", "sign"}
AS_PREDICTED, OUTSIDE, WRONG_SIGN, NOT_MEASURED = "as predicted", "outside the range", "WRONG SIGN", "not measured"


def load(name):
    """The predictions of the file ROOT/name, checked."""
    found = config.load(name).get("prediction", [])
    for number, item in enumerate(found, 1):
        title = f"{name}: prediction {number} ({item.get('name', 'without a name')})"
        if missing := sorted(WANTED - item.keys()):
            raise Error(f"{title}: no {missing[0]}")
        if unknown := sorted(item.keys() - WANTED - OPTIONAL):
            raise Error(f"{title}: unknown word {unknown[0]}")
        if item.get("sign", "below") not in ("below", "above"):
            raise Error(f"{title}: sign is {item['sign']!r}, not below or above")
        if not item["low"] <= item["high"]:
            raise Error(f"{title}: low is above high")
    return found


def judge(predictions, results):
    """The predictions with what was measured and a verdict; results are the rows of a result."""
    rows = {row["name"]: row for row in results}
    return [judged(item, rows) for item in predictions]


def judged(item, rows):
    value, base = figure(item["figure"], rows), figure(item["over"], rows) if "over" in item else 1
    if value is None or not base:
        return {**item, "measured": None, "verdict": NOT_MEASURED}
    measured = Fraction(value) / Fraction(base)
    return {**item, "measured": float(round(measured, 4)), "verdict": verdict(item, measured)}


def verdict(item, measured):
    """What a measured figure makes of a prediction. No effect at all is a wrong sign, too."""
    if item.get("sign") == "below" and measured >= 1 or item.get("sign") == "above" and measured <= 1:
        return WRONG_SIGN
    inside = Fraction(str(item["low"])) <= measured <= Fraction(str(item["high"]))
    return AS_PREDICTED if inside else OUTSIDE


def figure(path, rows):
    """The number at ROW.NAME[.NAME...], None if it is not there."""
    row, *names = path.split(".")
    found = rows.get(row)
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, (int, float)) and not isinstance(found, bool) else None
