"""The scoreboard and the exhibits as pages of the site: what their records say, as MyST around HTML."""

from itertools import groupby

from jinja2 import Environment, PackageLoader

from .. import plots
from ..archive import NOT_VERIFIED
from .judging import CLOSE, INSIDE, OFF, TEXT, tally
from .ledger import powers
from .report import CLAIMS, PAPERS, by_verdict, decided, total, unjudged

PAGES = Environment(loader=PackageLoader("simlib.papers"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
PAGES.globals["powers"] = powers


def written(rows, executed, stand_ins):
    """Write the scoreboard, and a page an exhibit.

    Parameters
    ----------
    rows : list of Outcome
    executed : set of str
        The names of those whose notebooks were executed.
    stand_ins : set of str
        The names of those whose notebooks were executed on stand-ins for logs.

    Returns
    -------
    dict of str
        By the name of the page its text.
    """
    shared = {"synthetic": plots.SYNTHETIC, "executed": executed, "stand_ins": stand_ins, "not_verified": NOT_VERIFIED}
    texts = {"index": PAGES.get_template("scoreboard.md").render(**shared, **_scoreboard(rows))}
    for one in rows:
        page = {"one": one, "groups": _by_origin(one.records), "cells": _cells}
        texts[one.name] = PAGES.get_template("exhibit.md").render(**shared, **page)
    return texts


def _scoreboard(rows):
    claims = decided(rows)
    by_paper = {name: [one for one in rows if one.paper == paper] for paper, name in PAPERS.items()}
    claims_of = {name: [claim for claim in claims if claim["paper"] == paper] for paper, name in CLAIMS.items()}
    return {
        "total": total([one for one in rows if not one.synthetic]),
        "papers": [part for part in by_paper.items() if part[1]],
        "claims": [part for part in claims_of.items() if part[1]],
        "numbers": _numbers,
        "verdicts": by_verdict,
    }


def _numbers(cells):
    """How many cells got each verdict."""
    counts = tally(cells)
    return {verdict: counts[verdict] for verdict in (INSIDE, CLOSE, OFF)} | unjudged(cells)


# A record


def _by_origin(records):
    """Records that were made from the same together: pairs of what they share and the records."""
    shared = ("logs", "models", "parameters", "seed", "versions")
    groups = groupby(records, key=lambda record: {name: record[name] for name in shared})
    return [(origin, list(part)) for origin, part in groups]


def _cells(cells):
    """Judged cells as a table of texts: `columns`, `rows`, and `verdicts`, the places of columns that hold some."""
    rows = [cell["of"] | _judged(cell) | {"note": cell.get("note", "")} for cell in cells]
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [name for name in names if any(row.get(name, "") != "" for row in rows)]
    verdicts = [place for place, name in enumerate(columns) if name.endswith("verdict")]
    return {"columns": columns, "rows": [[row.get(name, "") for name in columns] for row in rows], "verdicts": verdicts}


def _judged(cell):
    found = {"published": _as_printed(cell["published"])}
    for rule, ours in cell["readings"].items():
        found |= {name if rule == TEXT else f"{rule}: {name}": text for name, text in _verdict(ours).items()}
    return found


def _verdict(one):
    band = f"{_number(one['low'])} to {_number(one['high'])}" if one["low"] != one["high"] else ""
    off = "" if one["deviation"] is None else f"{one['deviation']:+.1%}"
    return {"ours": _number(one["ours"]), "band": band, "off by": off, "verdict": one["verdict"]}


def _as_printed(value):
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"


def _number(value):
    """A number with two decimals at most, or three digits where it is below one."""
    if value is None:
        return ""
    whole = abs(value) >= 100 or value == int(value)
    return f"{value:,.0f}" if whole else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"
