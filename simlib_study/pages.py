"""What is shown of the study: scoreboard, claims of each paper, exhibits, sources, a report; what the study found, in
README and in `docs/`; and each notebook as it was executed, so that an exhibit's folder reads as one.

A code host shows these pages as they are; the site has the same ones.
"""

import base64
import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from simlib._util import paths
from simlib.logs import archive

from . import claims, records
from .claims import HOLDS, HOLDS_NOT, INCONCLUSIVE, NOT, OPEN, PARTLY, REPRODUCED, UNTESTED
from .judging import (
    ABSENT,
    CLOSE,
    INFERRED,
    INSIDE,
    LIKELY,
    OFF,
    OTHER_LOG,
    RESTORED,
    TEXT,
    decimals,
    is_inside,
    reading,
    tally,
)
from .mualem2001 import printed_means
from .notebooks import PAPERS, frozen, notebooks
from .records import Json, Outcome, by_verdict, decided, unjudged
from .tang2013 import STAND_INS, machines

WRITTEN = "<!-- Written by `python -m simlib_study report` from the records in figures/ -->\n"
"""Stands before findings."""

UNTIL = "<!-- Until here -->"
"""Stands behind them."""

FINDINGS = {"README.md": "headlines.md", "docs/background/findings.md": "findings.md"}
"""The files that state findings, and the templates of what they state."""


SIMULATED = dict(zip(("test", "lost", "months", "settings", "programs"), printed_means.SIMULATED, strict=True))
"""What texts call the groups of simulated means."""

SIGNS = {REPRODUCED: "✔", PARTLY: "◐", INCONCLUSIVE: "?", NOT: "✘", UNTESTED: "–"}
SIGNS |= {HOLDS: "✔", OPEN: "?", HOLDS_NOT: "✘"}
"""Of verdicts on claims; and of those on measurements, and on the study's own findings."""

TEXT_RESTORED = "text_restored"
"""What texts call the rules of the text on logs with their lost jobs put back, which are in no summary."""

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


def texts(exhibits: Sequence[Outcome], site: bool = False) -> dict[str, str]:
    """Write the pages about some outcomes: texts by their names in `figures/`, or in the site's folder `exhibits/`."""
    env = templates()
    env.filters |= {"cell": cell, "number": number, "bound": bound, "turning": turning}
    env.filters |= {"counted": counted, "counts_of": counts_of}
    real = [one for one in exhibits if not one.synthetic]
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
        "on_refit": claims.on_refit,
        "address": address,
        "page": lambda one: f"{one.slug}.md" if site else f"{one.name}/README.md",
        "outcomes": exhibits,
        "claims": papers,
        "own_findings": [row for row in rows if row["paper"] == "own"],
        "counts": {paper: of for paper, of in counts.items() if sum(of.values())},
        "means": counted_means(real),
        "group_names": {name: printed_means.GROUPS[group] for name, group in SIMULATED.items()},
        "tsafrir": tsafrir(real),
        "unjudged": unjudged([each for one in real for each in one.cells]),
        "used": Counter(file for file, _ in files),
    }
    names = {home: "scoreboard", "FINDINGS.md": "own", "EXHIBITS.md": "exhibits", "SOURCES.md": "sources"}
    written = {name: env.get_template(f"{template}.md").render() for name, template in names.items()}
    if complete:
        written["REPORT.md"] = env.get_template("report.md").render(numbers(real))
    for paper, of in groupby(rows, key=lambda row: row["paper"]):
        details = [(row, _details(row)) for row in of]
        written[f"claims/{paper}.md"] = env.get_template("claims.md").render(paper=paper, rows=details)
    return {name: re.sub(r"\n{3,}", "\n\n", text).strip() + "\n" for name, text in written.items()}


def write(exhibits: Sequence[Outcome], folder: Path) -> None:
    """Write the pages into a folder, and remove pages of papers that are no more."""
    written = texts(exhibits)
    for name, text in written.items():
        with paths.replacing(folder / name) as path:
            path.write_text(text, encoding="utf-8")
    for path in (folder / "claims").glob("*.md"):
        if f"claims/{path.name}" not in written:
            path.unlink()


def first_look(found: Sequence[Outcome]) -> str:
    """The page of all pictures that few runs made."""
    return templates(autoescape=True).get_template("first_look.html").render(papers=PAPERS, outcomes=found)


def address(id: str) -> str:
    """Where a claim or finding stands, from the scoreboard."""
    return f"claims/{claims.claims()[id]['paper']}.md#{id.lower()}"


def brief(row: Json) -> str:
    """A claim or finding in at most twenty words."""
    known = claims.claims()[row["id"]]
    return known["short"] or known["claim"]


def number(one: Json | None, id: str, part: bool = False) -> str:
    """Write a measurement with its interval, and its part before it if wanted; nothing where there is none."""
    if not one:
        return ""
    text = claims.number(one, claims.criteria()[id][one["part"]].form)
    return f"{one['part']}: {text}" if part and one["value"] is not None else text


def bound(row: Json) -> str:
    """The bound of the measurement that decides a claim, in short; nothing where none does."""
    return _short(_deciding(row)) if row.get("deciding") else ""


def turning(row: Json, way: str) -> str:
    """Where the verdict on a claim turns with a "stricter" or a "looser" bound, and to which; nothing where never."""
    bounds = row.get("turns", {}).get(way)
    if not bounds:
        return ""
    above = -np.inf if bounds["above"] is None else bounds["above"]
    below = np.inf if bounds["below"] is None else bounds["below"]
    return f"{_short(replace(_deciding(row), above=above, below=below))} {SIGNS[bounds['verdict']]}"


def _short(criterion: claims.Criterion) -> str:
    """The bounds of a criterion, such as ">50%" or "-5% to 5%"."""
    above, below = (criterion.said(end) if np.isfinite(end) else "" for end in (criterion.above, criterion.below))
    return f"{above} to {below}" if above and below else f">{above}" if above else f"<{below}"


def _deciding(row: Json) -> claims.Criterion:
    """The criterion of the measurement that decides a claim."""
    return claims.criteria()[row["id"]][row["deciding"]["part"]]


def _details(row: Json) -> dict[str, Any]:
    """What is shown of a claim beside its verdict."""
    readings, id = row.get("readings", {}), row["id"]
    measured: dict[tuple[str, str], Json] = {}
    for name, of in readings.items():
        for one in of["parts"]:
            measured.setdefault((one["part"], one["on"]), {})[name] = one
    return {
        "about": claims.claims()[id],
        "criteria": claims.criteria().get(id, {}),
        "powers": claims.powers(row),
        "readings": {name: READINGS[name] for name in readings},
        "measured": measured,
        "notes": row["evidence"].split("\n")[len(readings) :] if readings else row["evidence"].split("\n"),
    }


def counted(cells: Sequence[Json]) -> str:
    """How many cells are inside, close and off by the text, and why others are not judged, as text."""
    others = [f"{count} {NOT_JUDGED[reason]}" for reason, count in unjudged(cells).items() if count]
    return "; ".join(filter(None, [counts_of(cells, TEXT), f"not judged: {', '.join(others)}" if others else ""]))


def counts_of(cells: Iterable[Json], *rules: str) -> str:
    """Write how many cells are inside, close and off by these rules."""
    counts = tally(cells, *rules)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in (INSIDE, CLOSE, OFF)) if counts["cells"] else ""


def cell(words: str) -> str:
    """Words that do not end a cell of a Markdown table, and are not taken for its marks; lines within the cell."""
    return re.sub(r"([|*_<])", r"\\\1", words).replace("\n", "<br>")


# What the study found, for texts


def numbers(exhibits: Sequence[Outcome]) -> dict[str, Any]:
    """Collect every number that texts about the study state, from the records."""
    verdicts = {claim["id"]: claim for claim in decided(exhibits)}
    papers = by_verdict([claim for id, claim in verdicts.items() if not id.startswith("OWN")])
    readings = [claim.get("readings", {}) for claim in verdicts.values()]
    folders = {one.name: one.folder for one in exhibits}
    thinned = pd.read_csv(folders["mualem2001/lost-jobs"] / "controls.csv")
    return {
        "papers": papers,
        "all": sum(papers.values()),
        "refits": by_verdict([claim for id, claim in verdicts.items() if claims.on_refit(id)]),
        "own": {id: claim["numbers"] for id, claim in verdicts.items() if "numbers" in claim},
        "verdicts": verdicts,
        "gains": _gains(folders["tang2013/figures14-17"]),
        "printed": by_verdict([each[claims.PRINTED] for each in readings if claims.PRINTED in each]),
        "absent": unjudged([cell for one in exhibits for cell in one.cells])[ABSENT],
        "counted": counted_means(exhibits),
        "expected": printed_means.EXPECTED,
        "most": lambda on: max(high for _, _, high in on.values()),
        "thinned": float(thinned.thinned.sum() / thinned.cells.sum()),
        "weighted": _stated(verdicts["TG-46"]),
        "regular": _stated(verdicts["TG-15"], "size of p85"),
        "tsafrir": tsafrir(exhibits),
    }


def missing(exhibits: Iterable[Outcome]) -> list[str]:
    """The findings whose numbers texts state, but that no record decides."""
    return sorted(set(claims.findings()) - {claim["id"] for claim in decided(exhibits) if "numbers" in claim})


def stated(exhibits: Sequence[Outcome], template: str) -> str:
    """Write what the study found, every number from a record."""
    if lacking := missing(exhibits):
        raise ValueError(f"{template}: found no record that decides {', '.join(lacking)}, whose numbers it states")
    return templates().get_template(template).render(numbers(exhibits))


def templates(**options: Any) -> Environment:
    """Find the templates of texts and pages; a number that is not there is an error."""
    common: dict[str, Any] = {"loader": PackageLoader("simlib_study"), "undefined": StrictUndefined}
    return Environment(**(common | {"trim_blocks": True, "lstrip_blocks": True} | options))


def counted_means(exhibits: Iterable[Outcome]) -> dict[str, Any]:
    """How many means of simulated schedules come out, and how many wrong ones would: by group, `of` those judged."""
    table = printed_means.numbers(exhibits)
    if not len(table):
        return {}
    table = printed_means.with_tables(table)
    counts, controls = printed_means.counts(table), printed_means.controls(table)
    counts["inside"] = counts[[INSIDE, printed_means.WIDE]].sum(axis=1)
    counts["of"] = counts.numbers - counts[printed_means.UNJUDGED]
    counted: dict[str, Any] = {}
    for name, group in {"tables": printed_means.TABLES, **SIMULATED}.items():
        if group not in counts.index:
            continue
        policies = {policy: _by_step(of) for policy, of in counts.loc[group].groupby(level="policy", sort=False)}
        both = pd.concat(policies).groupby(level=1).sum()
        counted[name] = both[["inside", "of"]].to_dict() | {"numbers": int(both.numbers.iloc[0])}
        counted[name] |= {"wide": both[printed_means.WIDE][RESTORED], "off": both[OFF][RESTORED]}
        counted[name] |= {"policies": {policy: of.to_dict("index") for policy, of in policies.items()}}
        counted[name] |= {"controls": controls.loc[group].to_dict()}
    return counted | {"rows": printed_means.rows(table), "above": printed_means.above(table)}


def _by_step(of: Any) -> pd.DataFrame:
    """Take of a policy's counts those of the text and of the likely program, on logs as they are and restored."""
    programs, of = of.index.unique("program"), of.droplevel("policy")
    places = {TEXT: (0, ""), TEXT_RESTORED: (0, RESTORED), LIKELY: (-1, ""), RESTORED: (-1, RESTORED)}
    by_step = {}
    for step, (place, done) in places.items():
        logs = [(programs[place], printed_means.LOGS[name]) for name in (done, "")]
        by_step[step] = of.loc[next(one for one in logs if one in of.index)]
    return pd.DataFrame(by_step).T


def _stated(claim: Json, part: str = "") -> dict[str, Any]:
    """What became of a gain that Tang prints, part of a claim: as printed, ours, and on how many machines it is met."""
    text, printed = (claim["readings"][name]["parts"] for name in (TEXT, claims.PRINTED))
    ours, (in_print, *_) = ([one for one in parts if one["part"].startswith(part)] for parts in (text, printed))
    met = sum(one["verdict"] == HOLDS for one in ours)
    measured = {one["on"]: (one["value"], one["low"], one["high"]) for one in ours}
    return {"printed": in_print["value"], "ours": [one["value"] for one in ours], "met": met, "on": measured}


def tsafrir(exhibits: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    """Count the numbers of Tsafrir et al. in our bands, and how many would be if they were 10 % larger.

    `three` and `blue` are of Tables 2, 3, 5 and 6 on three logs and on BLUE, a number in two tables once; `free` are
    those of `three` by which nothing was chosen; `changes` are what the tables print against EASY, on the three logs.
    """
    cells: dict[str, dict[Any, Json]] = {of: {} for of in ("three", "free", "blue", "changes")}
    for cell in (cell for one in exhibits if one.paper == "tsafrir2005" for cell in one.cells):
        table = cell["exhibit"].removeprefix("tsafrir2005_")
        of = "blue" if cell["of"].get("log") == "SDSC-BLUE" else "three"
        if table in ("table2", "table3", "table5", "table6"):
            place = "means" if table in ("table2", "table3") else table, *cell["of"].values()
            cells[of].setdefault(place, cell)  # Table 2 has more decimals
            if of == "three" and table != "table5" and not reading(cell, LIKELY):
                cells["free"].setdefault(place, cell)  # what a reservation is in Table 5, and which EASY+ Table 2 has
        elif table.endswith("_changes") and of == "three":
            cells["changes"][table, *cell["of"].values()] = cell
    return {of: _inside(list(group.values())) for of, group in cells.items()}


def _inside(cells: list[Json]) -> dict[str, int]:
    """How many numbers are judged and inside, and how many would be if the same numbers were 10 % larger."""
    counts = {"numbers": len(cells), "inside": tally(cells, LIKELY, TEXT)[INSIDE], "larger": 0}
    for cell in cells:
        if one := reading(cell, LIKELY, TEXT):
            digits = decimals(cell["exhibit"])
            of = tuple(cell["of"][level] for level in digits.index.names)
            counts["larger"] += int(is_inside(1.1 * cell["published"], one["low"], one["high"], digits[of]))
    return counts


def _gains(folder: Path) -> dict[str, dict[str, Any]]:
    """Tang's average gains by selective adjustment at the 85th percentile, by metric: `printed`, and by machine."""
    rows = pd.read_csv(folder / records.NUMBERS).query("case == 'selective p85' and published.notna()")
    here, gains = machines([name for name in STAND_INS if name in set(rows.log)]), {}
    for metric in ("wait", "slowdown"):
        of = rows[rows.metric == metric]
        gains[metric] = {
            "printed": list(of.published),
            "ours": {name: list(of.ours[of.log == name]) for name in here},
        }
    return gains


def with_findings(text: str, exhibits: Sequence[Outcome], template: str, name: str = "text") -> str:
    """Put what the study found, from `stated`, in its place in the text of a file, between two comments."""
    before, begin, rest = text.partition(WRITTEN)
    _, end, after = rest.partition(UNTIL)
    for mark, there in ((WRITTEN, begin), (UNTIL, end)):
        if not there:
            raise ValueError(f"{name}: found no {mark.strip()!r}, expected the comment beside the findings")
    return f"{before}{begin}\n{stated(exhibits, template)}\n{end}{after}"


def total(exhibits: Iterable[Outcome]) -> list[str]:
    """How many numbers lie in our bands and how many claims hold, as a list of sentences."""
    sentences = []
    means = counted_means(exhibits)
    for name, of in ((name, means[name]) for name in SIMULATED if name in means):
        steps = {TEXT: "the text", LIKELY: "the likely programs", RESTORED: "these with the lost jobs put back"}
        counts = [f"{of['inside'][step]} of {of['of'][step]} by {said}" for step, said in steps.items()]
        sentences.append(f"{printed_means.GROUPS[SIMULATED[name]]}, means in our bands: {', '.join(counts)}.")
    rows = decided(exhibits)
    own = [claim for claim in rows if claim["paper"] == "own"]
    papers = [claim for claim in rows if claim["paper"] != "own"]
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in by_verdict(papers).items())
    sentences.append(f"{len(papers)} claims of the papers: {verdicts}.")
    held = sum(claim["verdict"] == HOLDS for claim in own)
    return sentences + ([f"{len(own)} findings of this study: {held} hold."] if own else [])


# Executed notebooks

STYLES = r'(?s)<style.*?</style>\s*| (?:border|class|id|style)="[^"]*"'
"""What a code host shows as text, and what is drawn anew in each run."""

BETWEEN_CELLS = r"\n\s*(?=<t[hd][ >]|</tr>)"
"""So that a row of a table is a line."""

LINK = r"(?<=\]\()(?![a-z]+:)[^)#]+"
"""Within the repository."""

NOTE = (
    "*[This notebook]({}) as `make reproduce` executed it. The tables and pictures beside it are its own, "
    "[record.json](record.json) says what they were made from, and [this page]({}) what their columns mean.*"
)


def write_executed() -> None:
    """Write `README.md` into the folders in `figures/` of those notebooks that the last run has executed."""
    for name in sorted(records.of_last_run().keys() & notebooks().keys()):
        path = paths.ROOT / "build" / "notebooks" / f"{name}.ipynb"
        if path.exists():
            about = _link(f"notebooks/{name}.ipynb", name), _link("docs/reference/columns.md", name)
            note = NOTE.format(*about)
            text = markdown(nbformat.read(path, as_version=4), name, note)
            with paths.replacing(paths.ROOT / "figures" / name / "README.md") as new:
                new.write_text(text, encoding="utf-8")


def markdown(book: Any, name: str, note: str) -> str:
    """Write an executed notebook, whose pictures are files of its exhibit's folder; the note stands below its title."""
    from nbconvert import MarkdownExporter  # which takes a second, and which tests of the library do without

    folder = paths.ROOT / "figures" / name
    pictures = {hashlib.sha256(path.read_bytes()).digest(): path for path in sorted(folder.glob("*.png"))}
    exhibits = notebooks().keys() | frozen()["notebooks"].keys()
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(LINK, lambda link: _linked(link[0], name, exhibits), cell.source)
        if cell.cell_type == "code":  # warnings, and what differs from run to run, are told on the other stream
            cell.outputs = _joined([output for output in cell.outputs if output.get("name") != "stderr"])
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                data["text/html"] = re.sub(BETWEEN_CELLS, "", re.sub(STYLES, "", data["text/html"]))
            if "image/png" in data:
                picture = pictures.get(hashlib.sha256(base64.b64decode(data["image/png"])).digest())
                if picture is None:
                    raise ValueError(f"{name}: found a picture that is not in {folder}, expected those that are saved")
                output["data"] = {"text/markdown": f"![{picture.stem}]({picture.name})"}
    title, _, rest = book.cells[0].source.partition("\n")
    book.cells[0].source = f"{title}\n\n{note}\n{rest}"
    text, _ = MarkdownExporter().from_notebook_node(book)
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    return re.sub(r"\n{4,}", "\n\n", text).strip() + "\n"


def _joined(outputs: list[Any]) -> list[Any]:
    """Join what is printed without a table or picture between; a kernel sends it in one piece or in several."""
    joined: list[Any] = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream":
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _linked(link: str, name: str, exhibits: Collection[str]) -> str:
    """Let a link of a notebook lead there from its exhibit's folder; to other exhibits, as they were executed."""
    target = posixpath.normpath(posixpath.join("notebooks", posixpath.dirname(name), link))
    other = target.removeprefix("notebooks/").removesuffix(".ipynb")
    return _link(f"figures/{other}/README.md" if other in exhibits else target, name)


def _link(target: str, name: str) -> str:
    """The way to a file of the repository from an exhibit's folder."""
    return posixpath.relpath(target, f"figures/{name}")
