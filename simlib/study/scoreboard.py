"""`figures/README.md`: what of the papers is reproduced, as GitHub shows it."""

from html import escape

from . import counting
from .claims import DEPENDS, PRINTED, decided_by, powers
from .outcomes import CLAIMS, PAPERS, by_verdict, decided, outcomes, total, unjudged
from .verdicts import CLOSE, INSIDE, LIKELY, OFF, RESTORED, TEXT, tally

HEAD = """# Is it reproduced?

<!-- Written by `python -m simlib.study report` from the records (.json) in this folder. -->
"""

HOW = """
A printed number is *inside* if it lies in the band in which one more of our runs, with submit times moved at random by
up to a minute, would lie in 95 of 100 cases, or equals ours where nothing is random; *close* if it is not, but within
5 % of the band's middle (10 % for bounded slowdown); *off* otherwise. *Another log* are numbers that stand beside ours
from a log other than the paper's, or from one that lacks more than one in a hundred of its jobs.
A click on a picture gives its full size; the numbers behind each are in the `.csv` of the same name, and where they
come from (log files with digests, parameters, seed, versions, every number with its band) in the `.json`, as
[the schema](../data/exhibit.schema.json) describes.

What must hold for a claim stands in [a table](../data/published/criteria.csv): its parts, what is measured for each,
and its bounds. A measurement is *shown* where the whole 95 % interval lies within the bounds, *contradicted* where it
lies beyond one of them, and *open* otherwise. The word sums up the shares of these, as [the rule](../docs/verdicts.md)
says; a claim *depends on the bound* where the word changes with bounds twice or half as strict. By the text: we
simulate by the rules of the paper's text. Likely program: by those that the authors' programs most likely followed.
Restored log: the same, with the jobs put back that cleaning took out of a log, drawn anew in each run; such a log is a
draw, never the archive's. Printed: the same criteria, on the numbers that the paper prints. Sees: what difference from
a bound could have been told at all, part by part.
"""

COLUMNS = """
| | exhibit | log files | numbers by the text: inside / close / off | likely program, restored log | claims |
| --- | --- | --- | --- | --- | --- |
"""

VERDICTS = """
| claim | by the text | counts, bounds, main part | sees | likely program | restored log | printed | what was measured |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def text(folder):
    """The scoreboard as Markdown, from the records in a folder beside which it is to lie."""
    found = outcomes(folder)
    picture = f"\n![How many printed means come out, and how many wrong ones would]({counting.PICTURE}.png)\n"
    shown = picture if len(counting.numbers(found)) else ""
    parts = [HEAD, "\n", "".join(f"- {sentence}\n" for sentence in total(found)), shown, HOW]
    for paper, name in PAPERS.items():
        rows = [_row(one) for one in found if one.paper == paper]
        if rows:
            parts += [f"\n## {name}\n", COLUMNS, *rows]
    claims = decided(found)
    for paper, heading in CLAIMS.items():
        lines = [_claim(claim) for claim in claims if claim["paper"] == paper]
        if lines:
            parts += [f"\n## {heading}\n", VERDICTS, *lines]
    return "".join(parts)


def _row(one):
    name = f"<b>{one.label}</b><br>{_cell(one.about)}<br>{_link('notebook', _notebook(one))}"
    first, alt = next(iter(one.pictures), ""), escape(one.title)
    picture = f'<a href="{first}"><img src="{first}" alt="{alt}" width="200"></a>' if first else ""
    others = []
    for other in one.pictures[1:]:
        short = other.removeprefix(f"{one.name}_").removesuffix(".png").replace("_", " ")
        others.append(_link(short, other))
    name += f"<br>more pictures: {', '.join(others)}" if others else ""
    sources = "<br>".join(one.sources) or "made by hand"
    likely = _counts(tally(one.cells, RESTORED, LIKELY))
    verdicts = "<br>".join(f"{count} {verdict}" for verdict, count in by_verdict(one.claims).items() if count)
    return f"| {picture} | {name} | {sources} | {counted(one.cells)} | {likely} | {verdicts} |\n"


def counted(cells):
    """How many cells are inside, close and off by the text, and why others are not judged, as text."""
    parts, others = filter(None, [_counts(tally(cells))]), unjudged(cells)
    return "; ".join([*parts, *(f"{count} {reason}" for reason, count in others.items() if count)])


def _counts(counts):
    return " / ".join(str(counts[verdict]) for verdict in (INSIDE, CLOSE, OFF)) if counts["cells"] else ""


def _claim(claim):
    what = f"**{claim['id']}**, {claim['of']}: {_cell(claim['claim'])}"
    one = claim["exhibit"]
    by = f"{_link(one.label, _notebook(one))}: " if one else ""
    readings = claim.get("readings", {})
    verdicts = [readings.get(reading, {}).get("verdict", "") for reading in (LIKELY, RESTORED, PRINTED)]
    counts = readings[TEXT]["counts"] if TEXT in readings else {}
    turns = claim["bounds"] if claim["verdict"] == DEPENDS else {}
    words = [f"{name} {count}" for name, count in counts.items()] + [f"{name}: {word}" for name, word in turns.items()]
    counted = "<br>".join(filter(None, [*words, _cell(decided_by(claim))]))
    sees = "<br>".join(f"{_cell(part)}: {size}" for part, size in powers(claim).items())
    cells = [what, f"**{claim['verdict']}**", counted, sees, *verdicts, by + _cell(claim["evidence"])]
    return f"| {' | '.join(cells)} |\n"


def _notebook(one):
    return f"../notebooks/{one.paper}/{one.notebook}.ipynb"


def _link(words, to):
    return f"[{words}]({to})"


def _cell(words):
    """Words that do not end a cell of a Markdown table, and are not taken for its marks; lines within the cell."""
    for mark in "|*_<":
        words = words.replace(mark, "\\" + mark)
    return words.replace("\n", "<br>")
