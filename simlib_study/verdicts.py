"""The printed numbers, by levels, and the verdicts on them: each is inside our band, close, off, or not judged."""

from functools import cache

import pandas as pd

from simlib._util import paths

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


SCHEDULERS = ("easy", "conservative")

# Numbers as they are printed


@cache
def _read(name, dtype=None):
    return pd.read_csv(paths.DATA / "published" / f"{name}.csv", dtype=dtype)


def published(name):
    """Read a table of published numbers, `data/published/<name>.csv`, such as "mualem2001_table1"."""
    return _read(name).copy()


def printed(name):
    """Read printed numbers: a Series by the levels of the table that they are held against.

    The name is that of a file in `data/published/`, and for what a file has besides, of a part of it, such as
    "mualem2001_table1 differences"; or of some of its exhibits, such as "tang2013_numbers fig1 fig2".

    Examples
    --------
    >>> printed("mualem2001_table3")["easy", "response_s", "KTH", "original"]
    np.float64(15568.0)
    """
    return _texts(name).astype(float)


@cache
def decimals(name):
    """How many decimals each printed number has."""
    return _texts(name).str.partition(".")[2].str.len()


def _texts(name):
    """The numbers as they are printed, by levels."""
    file, _, part = name.partition(" ")
    table = _read(file, str)
    if name in TABLES:
        found = TABLES[name](table)
    elif part:
        found = table[table.exhibit.isin(part.split())].set_index("quantity").value
    else:
        found = table.set_index(list(table.columns[: table.columns.get_loc("value")])).value
    return found[found.notna()].rename("published")


def _crossed(rows, *across, columns=None):
    """A function that lays out a table with numbers in several columns, or in those by the places that they are of."""

    def laid_out(table):
        of = table.set_index(rows)
        of = pd.DataFrame({place: of[column] for place, column in columns.items()}) if columns else of
        return of.rename_axis(columns=across if len(across) > 1 else across[0]).stack(list(across), future_stack=True)

    return laid_out


def _by_trace(table):
    return _crossed(table.columns[0], "log")(table).rename_axis(index={table.columns[0]: "quantity"})


_by_policy = _crossed(["metric", "log"], "policy")


def _performance(table2):
    """Tables 2 and 3 and Figure 5 of Tsafrir et al. together: each mean from where it has most decimals."""
    table3, figure5 = (_read(f"tsafrir2005_{name}", str) for name in ("table3", "figure5"))
    others = [_by_policy(table.drop(columns="EASY")) for table in (table3, figure5)]
    of_all = pd.concat([_by_policy(table2), *others, _by_policy(figure5).loc[["accuracy_pct"]]])
    return of_all[~of_all.index.duplicated()]


GAINS = ["order", "case", "metric", "statistic"]

TABLES = {
    "mualem2001_table1": _crossed(
        ["log", "month"],
        "policy",
        "metric",
        columns={
            (who, metric): metric if metric in ("load", "jobs") else f"{who}_{metric}"
            for who in SCHEDULERS
            for metric in ("load", "jobs", "response_s", "bounded_slowdown")
        },
    ),
    "mualem2001_table1 differences": _crossed(
        ["log", "month"],
        "metric",
        columns={"response_s": "response_difference_pct", "bounded_slowdown": "bounded_slowdown_difference_pct"},
    ),
    **{f"mualem2001_{name}": _by_trace for name in ("table2", "table2_percent", "footnote2", "section44")},
    "mualem2001_table3": _crossed(["policy", "metric", "log"], "estimates"),
    "mualem2001_table4": _crossed(
        ["metric", "log"],
        "policy",
        "quantity",
        columns={
            (who, name): f"{who}_{column}"
            for who in SCHEDULERS
            for name, column in (("original", "original"), ("scaled", "x2"))
        },
    ),
    "mualem2001_table4 differences": _crossed(
        ["metric", "log"], "policy", columns={who: f"{who}_difference_pct" for who in SCHEDULERS}
    ),
    "tang2013_gains": lambda table: table[table.statistic == "mean"].set_index(GAINS[:3]).value,
    "tang2013_gains statistics": lambda table: table[table.statistic != "mean"].set_index(GAINS).value,
    "tsafrir2005_table1": _crossed("log", "quantity"),
    **{f"tsafrir2005_{name}": _by_policy for name in ("table2", "table3", "figure5", "table5", "table6")},
    **{f"tsafrir2005_{name}_changes": _by_policy for name in ("table2", "table3")},
    "tsafrir2005_table2 and others": _performance,
    "tsafrir2005_figure10": _crossed("log", "jobs"),
}
"""How numbers lie in files that have no column `value`, and what else there is to read in a file."""


# What becomes of a number


def judge(published, interval, close=0.05, decimals=None, absolute=False):
    """Tell whether a printed number may well be the same as ours."""
    if is_inside(published, interval.low, interval.high, decimals):
        return INSIDE
    return CLOSE if abs(published - interval.median) <= close * (1 if absolute else abs(published)) else OFF


def is_inside(published, low, high, decimals=None):
    """Whether a printed number, or each of several, lies in a band, as far as its decimals tell."""
    slack = 0 if decimals is None else 0.5000001 * 10.0**-decimals
    return (low - slack <= published) & (published <= high + slack)


def deviation(ours, published):
    """Work out by how much ours differs from the published number, relatively: 0.01 is 1 % more."""
    return ours / published - 1


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
