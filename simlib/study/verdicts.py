"""Judging: what becomes of a printed number."""

from functools import cache

import pandas as pd

from .._util import paths
from ..analysis.stats import Interval

TEXT, LIKELY, RESTORED, CALENDAR = "text", "likely", "restored", "calendar"
"""The rules of the papers' text; those that the authors' programs most likely followed; the latter on logs whose lost
jobs are put back, where that can be done; those of the text with the calendar's months, where the printed numbers of
jobs say that the authors' began or ended at other times. A *reading* of a printed number is what comes out under one of
them."""

COUNTED = {CALENDAR: (CALENDAR, TEXT), TEXT: (TEXT,), LIKELY: (LIKELY, TEXT), RESTORED: (RESTORED, LIKELY, TEXT)}
"""How numbers are counted step by step: each step takes the first of these readings that is judged."""

INSIDE, CLOSE, OFF = "inside", "close", "off"
OTHER_LOG, ABSENT, INFERRED = "another log", "log not at hand", "inferred from"
"""Why a number is not judged. From the last the reading itself was inferred, so it would agree with itself."""


@cache
def _table(name):
    return pd.read_csv(paths.DATA / "published" / f"{name}.csv")


def published(name):
    """Read a table of published numbers, `data/published/<name>.csv`, such as "mualem2001_table1"."""
    return _table(name).copy()


def deviation(ours, published):
    """Work out by how much ours differs from the published number, relatively: 0.01 is 1 % more."""
    return ours / published - 1


# Numbers


def judge(published, interval, close=0.05, decimals=None, absolute=False):
    """Tell whether a printed number may well be the same as ours."""
    slack = 0 if decimals is None else 0.5000001 * 10.0**-decimals
    if interval.low - slack <= published <= interval.high + slack:
        return INSIDE
    return CLOSE if abs(published - interval.median) <= close * (1 if absolute else abs(published)) else OFF


def cell(of, published, readings, close=0.05, decimals=None, absolute=False, unjudged=None, note=""):
    """Judge a printed number under each reading."""
    readings = readings if isinstance(readings, dict) else {TEXT: (readings, None)}
    judged = {}
    for rule, (ours, interval) in readings.items():
        known = interval or Interval(ours, ours, ours)
        verdict = (unjudged or {}).get(rule) or judge(published, known, close, decimals, absolute)
        verdict = ABSENT if ours != ours else verdict
        off = deviation(ours, published) if published and not absolute else float("nan")
        judged[rule] = {"ours": ours, "deviation": off, **vars(known), "verdict": verdict}
    return {"of": of, "published": published, "readings": judged} | ({"note": note} if note else {})


def reading(cell, *rules):
    """Take of a cell the first of these readings that is judged; None where none is."""
    found = [cell["readings"][rule] for rule in rules if rule in cell["readings"]]
    return next((one for one in found if one["verdict"] in (INSIDE, CLOSE, OFF)), None)


def tally(cells, *rules):
    """Count how many cells are inside, close and off, and how many chance would put outside."""
    judged = [one for one in (reading(cell, *(rules or [TEXT])) for cell in cells) if one]
    verdicts = [one["verdict"] for one in judged]
    bands = sum(one["low"] < one["high"] for one in judged)
    counts = {verdict: verdicts.count(verdict) for verdict in (INSIDE, CLOSE, OFF)}
    return {"cells": len(judged)} | counts | {"bands": bands, "by_chance": 0.05 * bands}


def tallies(cells, *keys):
    """Lay out `tally` by some of the keys of `of`, rule beside rule as far as there are any, as a table for reading.

    Under `RESTORED` numbers of logs that lost no jobs count as under `LIKELY`.
    """
    groups, there = {}, {rule for one in cells for rule in one["readings"]}
    for found in cells:
        groups.setdefault(tuple(found["of"][key] for key in keys), []).append(found)
    rules = {TEXT: (TEXT,), LIKELY: (LIKELY,), RESTORED: (RESTORED, LIKELY)}
    rules = {name: of for name, of in rules.items() if name in there}
    rows = {}
    for group, members in groups.items():
        counts = {name: tally(members, *of) for name, of in rules.items()}
        shown = {"cells": "cells", "by_chance": "outside by chance"} | {each: each for each in (INSIDE, CLOSE, OFF)}
        rows[group] = {(name, head): of[key] for name, of in counts.items() for key, head in shown.items()}
    if not rows:
        return pd.DataFrame(index=pd.MultiIndex.from_arrays([[]] * len(keys), names=keys))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(keys)
