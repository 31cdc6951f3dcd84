"""The two papers: what they print, how ours compares, and what becomes of each claim."""

import textwrap
import warnings
from functools import cache

import pandas as pd
import scipy

from .. import paths
from ..doubts import LogWarning
from ..loading import load

REPRODUCED, PARTLY, NOT, UNTESTED = "reproduced", "partly reproduced", "not reproduced", "cannot be tested"
VERDICTS = (REPRODUCED, PARTLY, NOT, UNTESTED)
INSIDE, CLOSE, OFF, OTHER_LOG = "inside", "close", "off", "another log"
CONJECTURES = ("MF-38",)
"""The claims that no exhibit can decide."""


def log(name, variant=None):
    """Load a log of the catalogue, as `simlib.load`, without warnings of what is odd about it: the records say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        return load(name, variant)


@cache
def _published(name):
    return pd.read_csv(paths.DATA / "published" / f"{name}.csv")


def published(name):
    """A table of published numbers, `data/published/<name>.csv`, such as "mualem2001_table1"."""
    return _published(name).copy()


def deviation(ours, published):
    """Relative deviation of ours from the published number: 0.01 is 1 % more."""
    return ours / published - 1


def cell(of, published, ours, band=None, close=0.05, decimals=None, same_log=True, variant=None, note=""):
    """The verdict on a published number: whether ours may well be the same.

    *inside*: the published number lies in the band that ours has under shaking; *close*: outside, but no further than
    `close` from the band's median; *off*: neither. Of n cells some n / 20 would lie outside their 95 % bands by chance,
    see `tally`. A number from another log than the paper's is not judged.

    Parameters
    ----------
    of : dict
        What it is a number of, such as {"trace": "CTC", "month": "1996-07", "quantity": "easy_response_s"}.
    published, ours : float
    band : (low, median, high), optional
        Of the shaken runs, or of a bootstrap. Where nothing hangs on chance there is none, and our number has to be
        the published one.
    close : float
        Relative: 0.05 is 5 %.
    decimals : int, optional
        How many were printed; the published number may be any that rounds to it.
    same_log : bool
        Whether ours was made from the paper's log, with all its jobs.
    variant : dict, optional
        `ours` and `band` under the other rule.
    note : str

    Returns
    -------
    dict
        `of`, `published`, `ours`, `deviation`, `low`, `median`, `high`, `verdict`; `variant` with all of these but the
        first two; `note`: as in `data/exhibit.schema.json`.
    """
    slack = 0 if decimals is None else 0.5000001 * 10.0**-decimals
    judged = {"of": of, "published": published} | _judged(published, ours, band, close, slack, same_log)
    if variant is not None:
        judged["variant"] = _judged(published, variant["ours"], variant.get("band"), close, slack, same_log)
    return judged | ({"note": note} if note else {})


def _judged(published, ours, band, close, slack, same_log):
    low, median, high = (ours, ours, ours) if band is None else band
    if not same_log:
        verdict = OTHER_LOG
    elif low - slack <= published <= high + slack:
        verdict = INSIDE
    else:
        verdict = CLOSE if abs(published - median) <= close * abs(published) else OFF
    off = deviation(ours, published) if published else float("nan")
    return {"ours": ours, "deviation": off, "low": low, "median": median, "high": high, "verdict": verdict}


def tally(cells, rule="ours"):
    """How many cells are inside, close and off, and how many of them chance would put outside.

    Parameters
    ----------
    cells : list of dict
        From `cell`.
    rule : {"ours", "variant"}
        Whether to count the verdicts on the rule followed or on the variant, where a cell has one.

    Returns
    -------
    dict
        `cells`, those that are judged; of them `inside`, `close`, `off`; `bands`, those that have a band; `by_chance`:
        of so many 95 % bands, so many would be missed even if both programs were the same.
    """
    found = cells if rule == "ours" else [cell["variant"] for cell in cells if "variant" in cell]
    judged = [one for one in found if one["verdict"] != OTHER_LOG]
    verdicts = [one["verdict"] for one in judged]
    bands = sum(one["low"] < one["high"] for one in judged)
    counts = {verdict: verdicts.count(verdict) for verdict in (INSIDE, CLOSE, OFF)}
    return {"cells": len(judged)} | counts | {"bands": bands, "by_chance": 0.05 * bands}


def tallies(cells, *keys):
    """`tally` by some of the keys of `of`, under the rule followed and under the variant, as a table for reading."""
    groups = {}
    for found in cells:
        groups.setdefault(tuple(found["of"][key] for key in keys), []).append(found)
    rows = {}
    for group, members in groups.items():
        rule, variant = tally(members), tally(members, "variant")
        rows[group] = {("", "cells"): rule["cells"], ("", "outside by chance"): f"{rule['by_chance']:.1f}"}
        for name, counts in (("rule followed", rule), ("variant", variant)):
            rows[group] |= {(name, verdict): counts[verdict] for verdict in (INSIDE, CLOSE, OFF)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(keys)


def share_of_wins(wins, of):
    """A share and its 95 % confidence interval (Clopper-Pearson), as of months in which one scheduler is better.

    Returns
    -------
    dict
        `wins`, `of`, `share`, `low`, `high`.
    """
    low, high = _clopper_pearson(int(wins), int(of))
    return {"wins": int(wins), "of": int(of), "share": wins / of, "low": low, "high": high}


@cache
def _clopper_pearson(wins, of):
    """Slow, and asked for every shaken run."""
    interval = scipy.stats.binomtest(wins, of).proportion_ci(0.95)
    return interval.low, interval.high


def claim(id, verdict, evidence):
    """The verdict on a claim of `data/published/claims.csv`: its text, one of the four verdicts, what decided it."""
    claims = published("claims").set_index("id")
    return {"id": id, "claim": claims.claim[id], "verdict": verdict, "evidence": evidence}


# How notebooks show what they used and found


def logs_table(workloads):
    """Which file or model each workload came from, and which of its jobs take part, as a table."""
    rows = []
    for workload in workloads:
        dropped = [f"{count:,} {reason}" for reason, count in workload.dropped.value_counts(sort=False).items()]
        rows.append(
            {
                "log": workload.name,
                "file": ("SYNTHETIC " if workload.stand_in else "") + _origin(workload.source),
                "processors": f"{workload.procs:,}",
                "jobs": f"{len(workload):,}",
                "dropped": "; ".join(dropped),
                "then": "; ".join(workload.history),
            }
        )
    return pd.DataFrame(rows).set_index("log")


def _origin(source):
    return f"model: {source['model']}" if "model" in source else source.get("file", "none")


def cells_table(cells):
    """Judged cells for reading, as a table: what each is a number of, published, ours, how far off, verdict, note."""
    columns = ("published", "ours", "off by", "verdict", "note")
    rows = (found | {"off by": f"{found['deviation']:+.1%}"} for found in cells)
    return pd.DataFrame([row["of"] | {name: row.get(name, "") for name in columns} for row in rows])


def print_claims(claims):
    """Print verdicts on claims, one after another, wrapped."""
    for found in claims:
        for text, indent in ((f"{found['verdict'].upper()}: {found['claim']}", ""), (found["evidence"], "  ")):
            lines = textwrap.wrap(text, 110, initial_indent=indent, subsequent_indent="  ")
            print(f"{found['id']}  " if not indent else "       ", "\n       ".join(lines), sep="")
