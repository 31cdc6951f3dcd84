"""The printed numbers, by levels, and the verdicts on them: each is inside our band, close, off, or not judged."""

import csv
import re
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

NUMBER = re.compile(r"-?\d+(\.\d+)?")


def published(name):
    """Read all columns of a file of printed numbers, such as "mualem2001_table1"; `value` as numbers."""
    return _read(name).astype({"value": float})


def printed(name):
    """Read printed numbers: a Series by the levels of the table that they are held against.

    The name is that of a file in `data/published/`, or of several of a paper, such as "tang2013_figure1 figure2"; of a
    number that several print, the first counts. Each line has a number as the paper prints it, in the column `value`,
    behind the levels that tell what it is of; notes may follow.

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
    first, *others = name.split(" ")
    tables = [_read(file) for file in (first, *(f"{first.partition('_')[0]}_{other}" for other in others))]
    texts = pd.concat([table.set_index(_levels(table)).value for table in tables])
    return texts[~texts.index.duplicated()].rename("published")


def _levels(table):
    """The columns that tell what the numbers of a table are of."""
    return list(table.columns[: table.columns.get_loc("value")])


@cache
def _read(name):
    """Read a file of printed numbers as text, and refuse one in which a line is wrong."""
    path = paths.DATA / "published" / f"{name}.csv"
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.csv")))
        raise ValueError(f"{name}: found no file {path}; expected one of {known}")
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        head = next(lines, [])
        if "value" not in head[1:]:
            raise ValueError(f"{path}, line 1: found the columns {', '.join(head)}; expected levels, then value")
        rows, lines_of = [], {}
        for row in lines:
            of, at = tuple(row[: head.index("value")]), f"{path}, line {lines.line_num}"
            if len(row) != len(head):
                raise ValueError(f"{at}: found {len(row)} fields; expected {len(head)}, as in line 1")
            if "" in of:
                raise ValueError(f"{at}: found no {head[of.index('')]}; expected every level of a number")
            if not NUMBER.fullmatch(row[len(of)]):
                raise ValueError(f"{at}: found the value {row[len(of)]!r}; expected a number as printed, such as -1.50")
            if of in lines_of:
                raise ValueError(f"{at}: found {', '.join(of)} again; expected it once, in line {lines_of[of]}")
            rows.append(row)
            lines_of[of] = lines.line_num
    return pd.DataFrame(rows, columns=head)


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
