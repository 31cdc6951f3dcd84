"""A page for the lecturer: which exercises went wrong, and what the checks said how often. It names no student."""

from collections import Counter
from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from .. import paths
from . import material
from .judging import BEST_FIRST, RIGHT

if TYPE_CHECKING:
    from .grading import Row

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Common mistakes</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: 0.2em 0.6em; border-bottom: 1px solid #ccc; text-align: right; vertical-align: top;
         white-space: nowrap; }}
td.verdict {{ text-align: left; }}
td.said {{ text-align: left; white-space: normal; overflow-wrap: anywhere; }}
</style>
<h1>Common mistakes</h1>
<p>{students} students. Each sentence is what the check said, with the number of students to whom it said so.</p>
<table>
<tr><th>exercise</th>{verdicts}</tr>
{overview}
</table>
{exercises}
</html>
"""


def write(rows: Iterable["Row"], path: Path) -> None:
    """Write the page of these rows."""
    text = page(list(rows))
    with paths.replacing(path) as new:
        new.write_bytes(text.encode("utf-8", "replace"))


def page(rows: list["Row"]) -> str:
    """Make the page as HTML."""
    by_number = sorted(rows, key=lambda row: material.place(row.exercise))
    groups = {number: list(of) for number, of in groupby(by_number, key=lambda row: row.exercise)}
    shown = [verdict for verdict in BEST_FIRST if any(row.verdict == verdict for row in rows)]
    overview = []
    for number, of in groups.items():
        counts = Counter(row.verdict for row in of)
        cells = "".join(f"<td>{counts[verdict] or ''}</td>" for verdict in shown)
        overview.append(f'<tr><td><a href="#e{number}">{number}</a></td>{cells}</tr>')
    return PAGE.format(
        students=len({row.student for row in rows}),
        verdicts="".join(f"<th>{verdict}</th>" for verdict in shown),
        overview="\n".join(overview),
        exercises="\n".join(_exercise(number, of) for number, of in groups.items()),
    )


def _exercise(number: str, rows: list["Row"]) -> str:
    """List what was said of the answers to an exercise that are not right, the commonest first."""
    right = sum(row.verdict == RIGHT for row in rows)
    said = Counter((row.verdict, row.sentence) for row in rows if row.verdict != RIGHT)
    lines = [
        f'<tr><td>{count}</td><td class="verdict">{verdict}</td><td class="said">{escape(sentence)}</td></tr>'
        for (verdict, sentence), count in sorted(said.items(), key=lambda one: (-one[1], one[0]))
    ]
    table = f"<table>{''.join(lines)}</table>" if lines else ""
    return f'<h2 id="e{number}">{number}: {right} of {len(rows)} right</h2>\n{table}'
