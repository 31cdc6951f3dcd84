"""The pages of `figures/`: the scoreboard, the claims of each paper, the exhibits, the sources, a report.

A code host shows them as they are; the site has the same pages.
"""

import re
from collections import Counter
from itertools import groupby

from simlib._util import paths
from simlib.logs import archive

from . import claims, counting
from .claims import DEPENDS, HOLDS, HOLDS_NOT, INCONCLUSIVE, NOT, OPEN, PARTLY, REPRODUCED, UNTESTED
from .notebooks import PAPERS
from .outcomes import SIMULATED, by_verdict, counted_means, decided, missing, numbers, templates, tsafrir, unjudged
from .verdicts import ABSENT, CLOSE, INFERRED, INSIDE, LIKELY, OFF, OTHER_LOG, RESTORED, TEXT, tally

SIGNS = {REPRODUCED: "✔", PARTLY: "◐", DEPENDS: "±", INCONCLUSIVE: "?", NOT: "✘", UNTESTED: "–"}
SIGNS |= {HOLDS: "✔", OPEN: "?", HOLDS_NOT: "✘"}
"""Of verdicts on claims; and of those on measurements, and on the study's own findings."""

SHORT = {"mualem2001": "MF", "tang2013": "Tang", "tsafrir2005": "TEF"}
"""What texts call the papers."""

READINGS = {
    TEXT: "rules of the text",
    LIKELY: "likely programs",
    RESTORED: "likely programs, restored logs",
    claims.PRINTED: "printed numbers",
    claims.LIKE_THESE: "months like these",
}
"""Headings of what a claim is measured on."""

NOT_JUDGED = {
    OTHER_LOG: "on another log",
    ABSENT: "on a log that this study does not have",
    INFERRED: "from which we inferred when months begin",
}
"""Why numbers are not judged, behind how many they are."""


def pages(found, site=False):
    """Write the pages about some outcomes: texts by their names in `figures/`, or in the site's folder `exhibits/`."""
    env = templates()
    env.filters |= {"cell": cell, "number": number, "counted": counted, "counts_of": counts_of}
    real = [one for one in found if not one.synthetic]
    rows, home, complete = decided(real), "index.md" if site else "README.md", not missing(real)
    papers = [row for row in rows if row["paper"] != "own"]
    counts = {paper: by_verdict([row for row in papers if row["paper"] == paper]) for paper in PAPERS}
    files = {(log["file"], one.name) for one in real for log in one.record["logs"]}
    env.globals |= archive.catalogue() | {
        "site": site,
        "home": home,
        "complete": complete,
        "paper_names": PAPERS,
        "short": SHORT,
        "signs": SIGNS,
        "sign": SIGNS.get,
        "brief": brief,
        "address": address,
        "page": lambda one: f"{one.slug}.md" if site else f"{one.name}/README.md",
        "outcomes": found,
        "claims": papers,
        "own_findings": [row for row in rows if row["paper"] == "own"],
        "counts": {paper: of for paper, of in counts.items() if sum(of.values())},
        "means": counted_means(real),
        "group_names": {name: counting.GROUPS[group] for name, group in SIMULATED.items()},
        "tsafrir": tsafrir(real),
        "unjudged": unjudged([each for one in real for each in one.cells]),
        "used": Counter(file for file, _ in files),
    }
    names = {home: "scoreboard", "FINDINGS.md": "own", "EXHIBITS.md": "exhibits", "SOURCES.md": "sources"}
    texts = {name: env.get_template(f"{template}.md").render() for name, template in names.items()}
    if complete:
        texts["REPORT.md"] = env.get_template("report.md").render(numbers(real))
    for paper, of in groupby(rows, key=lambda row: row["paper"]):
        details = [(row, _details(row)) for row in of]
        texts[f"claims/{paper}.md"] = env.get_template("claims.md").render(paper=paper, rows=details)
    return {name: re.sub(r"\n{3,}", "\n\n", text).strip() + "\n" for name, text in texts.items()}


def write(found, folder):
    """Write the pages into a folder, and remove pages of papers that are no more."""
    texts = pages(found)
    for name, text in texts.items():
        with paths.replacing(folder / name) as path:
            path.write_text(text, encoding="utf-8")
    for path in (folder / "claims").glob("*.md"):
        if f"claims/{path.name}" not in texts:
            path.unlink()


def address(id):
    """Where a claim or finding stands, from the scoreboard."""
    table = claims.claims() | claims.findings()
    return f"claims/{table[id]['paper']}.md#{id.lower()}"


def brief(row):
    """A claim or finding in at most twenty words."""
    table = claims.claims() | claims.findings()
    return table[row["id"]]["short"] or table[row["id"]]["claim"]


def number(one, id, part=False):
    """Write a measurement with its interval, and its part before it if wanted; nothing where there is none."""
    if not one:
        return ""
    text = claims.number(one, claims.criteria()[id][one["part"]].form)
    return f"{one['part']}: {text}" if part and one["value"] is not None else text


def _details(row):
    """What is shown of a claim beside its verdict."""
    readings, id = row.get("readings", {}), row["id"]
    measured = {}
    for reading, of in readings.items():
        for one in of["parts"]:
            measured.setdefault((one["part"], one["on"]), {})[reading] = one
    return {
        "about": (claims.claims() | claims.findings())[id],
        "criteria": claims.criteria().get(id, {}),
        "powers": claims.powers(row),
        "readings": {name: READINGS[name] for name in readings},
        "measured": measured,
        "notes": row["evidence"].split("\n")[len(readings) :] if readings else row["evidence"].split("\n"),
    }


def counted(cells):
    """How many cells are inside, close and off by the text, and why others are not judged, as text."""
    others = [f"{count} {NOT_JUDGED[reason]}" for reason, count in unjudged(cells).items() if count]
    return "; ".join(filter(None, [counts_of(cells, TEXT), f"not judged: {', '.join(others)}" if others else ""]))


def counts_of(cells, *rules):
    """Write how many cells are inside, close and off by these rules."""
    counts = tally(cells, *rules)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in (INSIDE, CLOSE, OFF)) if counts["cells"] else ""


def cell(words):
    """Words that do not end a cell of a Markdown table, and are not taken for its marks; lines within the cell."""
    return re.sub(r"([|*_<])", r"\\\1", words).replace("\n", "<br>")
