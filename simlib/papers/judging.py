"""Judging: what becomes of a printed number."""

from functools import cache

import pandas as pd

from .. import paths
from ..stats import Interval

TEXT, LIKELY = "text", "likely"
"""The rules of the papers' text, and those that the authors' programs most likely followed. A *reading* of a printed
number is what comes out under one of them."""

INSIDE, CLOSE, OFF, OTHER_LOG, ABSENT = "inside", "close", "off", "another log", "log not at hand"


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
    """Tell whether a printed number may well be the same as ours.

    Parameters
    ----------
    published : float
    interval : Interval
        Of ours.
    close : float
        How far from its middle a number outside may lie to be called close; relative: 0.05 is 5 %.
    decimals : int, optional
        How many were printed; the published number may be any that rounds to it.
    absolute : bool
        Whether `close` is meant as it stands: for numbers that may be zero, such as differences in per cent.

    Returns
    -------
    str
        `INSIDE` the interval; `CLOSE`, outside, but no further than `close` from its middle; else `OFF`. Of n cells
        some n / 20 would lie outside their 95 % intervals by chance, see `tally`.
    """
    slack = 0 if decimals is None else 0.5000001 * 10.0**-decimals
    if interval.low - slack <= published <= interval.high + slack:
        return INSIDE
    return CLOSE if abs(published - interval.median) <= close * (1 if absolute else abs(published)) else OFF


def cell(of, published, readings, close=0.05, decimals=None, absolute=False, same_log=True, note=""):
    """Judge a printed number under each reading.

    Parameters
    ----------
    of : dict
        What it is a number of, such as {"trace": "CTC", "month": "1996-07", "metric": "response_s"}.
    published : float
    readings : dict
        By rule, a pair: our number and its Interval. Where nothing hangs on chance the Interval is None, and our number
        has to be the published one. Or our number alone, under the rule `TEXT`. It is nan where the log is not at hand.
    close, decimals, absolute
        As for `judge`.
    same_log : bool
        Whether ours was made from the paper's log, with all its jobs; otherwise it is not judged.
    note : str

    Returns
    -------
    dict
        As in `data/exhibit.schema.json`.
    """
    readings = readings if isinstance(readings, dict) else {TEXT: (readings, None)}
    judged = {}
    for rule, (ours, interval) in readings.items():
        known = interval or Interval(ours, ours, ours)
        verdict = judge(published, known, close, decimals, absolute) if same_log else OTHER_LOG
        verdict = ABSENT if ours != ours else verdict
        off = deviation(ours, published) if published and not absolute else float("nan")
        judged[rule] = {"ours": ours, "deviation": off, **vars(known), "verdict": verdict}
    return {"of": of, "published": published, "readings": judged} | ({"note": note} if note else {})


def tally(cells, rule=TEXT):
    """Count how many cells are inside, close and off under a rule, and how many chance would put outside.

    Returns
    -------
    dict
        `cells`, those that are judged; of them `inside`, `close`, `off`; `bands`, those that have an interval;
        `by_chance`: of so many 95 % intervals, so many would be missed even if both programs were the same.
    """
    found = [cell["readings"][rule] for cell in cells if rule in cell["readings"]]
    judged = [one for one in found if one["verdict"] not in (OTHER_LOG, ABSENT)]
    verdicts = [one["verdict"] for one in judged]
    bands = sum(one["low"] < one["high"] for one in judged)
    counts = {verdict: verdicts.count(verdict) for verdict in (INSIDE, CLOSE, OFF)}
    return {"cells": len(judged)} | counts | {"bands": bands, "by_chance": 0.05 * bands}


def tallies(cells, *keys, rules=(TEXT, LIKELY)):
    """Lay out `tally` by some of the keys of `of`, rule beside rule, as a table for reading."""
    groups = {}
    for found in cells:
        groups.setdefault(tuple(found["of"][key] for key in keys), []).append(found)
    rows = {}
    for group, members in groups.items():
        counts = {rule: tally(members, rule) for rule in rules}
        first = counts[rules[0]]
        rows[group] = {("", "cells"): first["cells"], ("", "outside by chance"): f"{first['by_chance']:.1f}"}
        rows[group] |= {(rule, verdict): counts[rule][verdict] for rule in rules for verdict in (INSIDE, CLOSE, OFF)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(keys)
