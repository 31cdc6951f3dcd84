"""`figures/README.md`: what of the papers is reproduced, as GitHub shows it."""

from .judging import CLOSE, INSIDE, OFF, tally
from .report import CLAIMS, PAPERS, another_log, by_verdict, decided, outcomes, total

HEAD = """# Is it reproduced?

<!-- Written by `python -m simlib.papers report` from the records (.json) in this folder. -->
"""

HOW = """
A printed number is *inside* if it lies in the band that holds 95 % of our runs with submit times moved at random by up
to a minute, or equals ours where nothing is random; *close* if it is not, but within 5 % of the band's middle (10 % for
bounded slowdown); *off* otherwise. *Another log* are numbers that stand beside ours from a log other than the paper's.
A click on a picture gives its full size; the numbers behind each are in the `.csv` of the same name, and where they
come from (log files with digests, parameters, seed, versions, every number with its band) in the `.json`, as
[the schema](../data/exhibit.schema.json) describes.
"""

COLUMNS = """
| | exhibit | log files | numbers: inside / close / off | claims: reproduced / partly / not / untestable |
| --- | --- | --- | --- | --- |
"""


def text(folder):
    """The scoreboard as Markdown, from the records in a folder beside which it is to lie."""
    found = outcomes(folder)
    parts = [HEAD, "\n", "".join(f"- {sentence}\n" for sentence in total(found)), HOW]
    for paper, name in PAPERS.items():
        rows = [_row(one) for one in found if one.paper == paper]
        if rows:
            parts += [f"\n## {name}\n", COLUMNS, *rows]
    claims = decided(found)
    for paper, heading in CLAIMS.items():
        lines = [_claim(claim) for claim in claims if claim["paper"] == paper]
        if lines:
            parts += [f"\n## {heading}\n\n| claim | verdict | evidence |\n| --- | --- | --- |\n", *lines]
    return "".join(parts)


def _row(one):
    name = f"<b>{one.label}</b><br>{_cell(one.about)}<br>{_link('notebook', _notebook(one))}"
    picture = f'<a href="{one.pictures[0]}"><img src="{one.pictures[0]}" width="200"></a>' if one.pictures else ""
    others = [_link(_short(one, other), other) for other in one.pictures[1:]]
    name += f"<br>more pictures: {', '.join(others)}" if others else ""
    sources = "<br>".join(one.sources) or "made by hand"
    return f"| {picture} | {name} | {sources} | {counted(one.cells)} | {_verdicts(one)} |\n"


def counted(cells):
    """How many cells are inside, close and off, and from another log, as text."""
    counts, others = tally(cells), another_log(cells)
    parts = [" / ".join(str(counts[verdict]) for verdict in (INSIDE, CLOSE, OFF))] if counts["cells"] else []
    return "; ".join([*parts, *([f"{others} of another log"] if others else [])])


def _verdicts(one):
    return " / ".join(map(str, by_verdict(one.claims).values())) if one.claims else ""


def _claim(claim):
    what = f"**{claim['id']}**, {claim['of']}: {_cell(claim['claim'])}"
    one = claim["exhibit"]
    by = f" ({_link(one.label, _notebook(one))})" if one else ""
    return f"| {what} | **{claim['verdict']}** | {_cell(claim['evidence'])}{by} |\n"


def _notebook(one):
    return f"../notebooks/{one.paper}/{one.notebook}.ipynb"


def _short(one, picture):
    """What tells a picture from its exhibit's main one."""
    return picture.removeprefix(f"{one.name}_").removesuffix(".png").replace("_", " ")


def _link(words, to):
    return f"[{words}]({to})"


def _cell(words):
    """Words that do not end a cell of a Markdown table, and are not taken for its marks."""
    for mark in "|*_<":
        words = words.replace(mark, "\\" + mark)
    return words
