"""Write the grades, their totals, a file for each student, and two pages for the lecturer.

The page of common mistakes says which exercises went wrong and how, and names no student. The page of similar hand-ins
shows two at a time side by side.
"""

import csv
import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, NamedTuple

from simlib._util import paths

from . import handout
from .collecting import HandedIn
from .judging import BEST_FIRST, FAILED, OTHER_NAME, RIGHT


class Row(NamedTuple):
    """A line of the grades: the points of a student for an exercise, out of so many."""

    student: str
    exercise: str
    points: int
    of: int
    verdict: str
    sentence: str
    notebook: str
    seconds: float
    flags: str


def write(out: str | Path, rows: list[Row], files: list[HandedIn]) -> None:
    """Write `GRADES.csv`, and beside it what begins with the same name."""
    if Path(out).exists():
        _table(beside(out, "changes.csv"), ("student", "exercise", "before", "now"), _changes(Path(out), rows))
    else:
        beside(out, "changes.csv").unlink(missing_ok=True)
    _table(Path(out), Row._fields, rows)
    exercises = [row.exercise for row in rows if row.student == rows[0].student]
    held = [list(of) for _, of in groupby(exercises, key=lambda number: number.partition(".")[0])]
    most = [sum(map(handout.points, lesson)) for lesson in held]
    heads = [f"lesson {lesson[0].partition('.')[0]}" for lesson in held]
    ids = {one.student: one.id for one in files if one.id}
    totals, canvas, moodle = [], [["    Points Possible", "", "", "", "", *most]], []
    for student, of in groupby(rows, key=lambda row: row.student):
        own = list(of)
        points = {row.exercise: row.points for row in own}
        scores = [sum(points[number] for number in lesson) for lesson in held]
        number, said = ids.get(student, ""), feedback(student, own)
        totals.append([student, *scores, sum(scores), _flags(own)])
        canvas.append([student, number, "", "", "", *scores])
        moodle.append([f"Participant {number}", student, sum(scores), sum(most), "", said])
        name = student.encode()[:200].decode(errors="ignore")
        _text(Path(beside(out, "feedback"), f"{name}.txt"), said)
    named = [f"{head}, of {of}" for head, of in zip(heads, most, strict=True)]
    _table(beside(out, "totals.csv"), ("student", *named, f"total, of {sum(most)}", "flags"), totals)
    _table(beside(out, "canvas.csv"), ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", *heads), canvas)
    _table(beside(out, "moodle.csv"), MOODLE, moodle)
    _text(beside(out, "mistakes.html"), mistakes(rows))
    _text(beside(out, "similar.html"), similar(files))


MOODLE = "Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)", "Feedback comments"
"""The columns that Moodle reads in a grading worksheet (mod/assign/feedback/offline/importgradeslib.php)."""


def _flags(rows: Iterable[Row]) -> str:
    """Join what is flagged in a student's notebooks."""
    return "; ".join(dict.fromkeys(row.flags for row in rows if row.flags))


def _changes(out: Path, rows: Iterable[Row]) -> Iterator[tuple[str, str, str, str]]:
    """Go through the marks that are not what they were in the grades that lie there."""
    with open(out, encoding="utf-8", newline="") as file:
        before = {
            (row["student"], row["exercise"]): f"{row['points']}, {row['verdict']}" for row in csv.DictReader(file)
        }
    for row in rows:
        was, now = before.get((_harmless(row.student), row.exercise), "nothing"), f"{row.points}, {row.verdict}"
        if was != now:
            yield row.student, row.exercise, was, now


def beside(out: str | Path, what: str) -> Path:
    """Name a file that lies beside the grades."""
    return Path(out).with_name(f"{Path(out).stem}-{what}")


def told(rows: list[Row], out: str | Path) -> list[str]:
    """Say in some lines what came out."""
    students, numbers = {row.student for row in rows}, {row.exercise for row in rows}
    right = sum(row.verdict == RIGHT for row in rows)
    failed = [f"{row.student}, {row.exercise}: {row.sentence}" for row in rows if row.verdict == FAILED]
    lines = [f"{len(students)} students, {len(numbers)} exercises, {right} right answers", *failed[:20]]
    flagged = {row.student: _flags(of for of in rows if of.student == row.student) for row in rows if row.flags}
    lines += [f"{student}: flagged: {flags}" for student, flags in list(flagged.items())[:20]]
    if (changes := beside(out, "changes.csv")).exists():
        lines.append(f"{len(changes.read_text(encoding='utf-8').splitlines()) - 1} marks changed: {changes}")
    return lines


def _table(path: Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with paths.replacing(path) as new, open(new, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(heads)
        table.writerows([_harmless(value) for value in row] for row in rows)


def _text(path: Path, text: str) -> None:
    with paths.replacing(path) as new:
        new.write_bytes(text.encode("utf-8", "replace"))


def _harmless(value: Any) -> Any:
    """Let no spreadsheet take a text for a formula, and no line end in it."""
    if not isinstance(value, str):
        return value
    text = " ".join(value.encode("utf-8", "replace").decode().split())
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def feedback(student: str, rows: list[Row]) -> str:
    """Write what a student gets to read."""
    lines = [f"{student}: {sum(row.points for row in rows)} of {sum(row.of for row in rows)} points", ""]
    if flags := _flags(rows):
        lines += [f"Flagged: {flags}.", ""]
    for row in rows:
        points = f"{row.points} of {row.of} point{'s' * (row.of != 1)}" if row.of else "not marked"
        lines.append(f"{row.exercise}: {points}, {row.verdict}. {' '.join(row.sentence.split())}")
    return "\n".join(lines) + "\n"


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; }}
div {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: 0.2em 0.6em; border-bottom: 1px solid #8888; text-align: left; vertical-align: top; }}
td.number {{ text-align: right; }}
td.verdict {{ white-space: nowrap; }}
table.diff td {{ font: 13px/1.4 monospace; white-space: pre-wrap; border: 0; }}
.diff_add, .diff_sub, .diff_chg {{ background: #fd08; }}
</style>
<h1>{title}</h1>
{body}
</html>
"""


def mistakes(rows: list[Row]) -> str:
    """Make the page that counts the verdicts on each exercise, and the sentences of the checks."""
    by_number = sorted(rows, key=lambda row: handout.place(row.exercise))
    groups = {number: list(of) for number, of in groupby(by_number, key=lambda row: row.exercise)}
    shown = [verdict for verdict in BEST_FIRST if any(row.verdict == verdict for row in rows)]
    students = len({row.student for row in rows})
    body = [f"<p>{students} students. The number before a sentence is that of the students who got it.</p>"]
    body.append(f"<div><table><tr><th>exercise</th>{''.join(f'<th>{verdict}</th>' for verdict in shown)}</tr>")
    for number, of in groups.items():
        counts = Counter(row.verdict for row in of)
        cells = "".join(f'<td class="number">{counts[verdict] or ""}</td>' for verdict in shown)
        body.append(f'<tr><td><a href="#e{number}">{number}</a></td>{cells}</tr>')
    body.append("</table></div>")
    for number, of in groups.items():
        body.append(f'<h2 id="e{number}">{number}: {sum(row.verdict == RIGHT for row in of)} of {len(of)} right</h2>')
        wrong = [row for row in of if row.verdict != RIGHT]
        said = Counter((row.verdict, OTHER_NAME if OTHER_NAME in row.sentence else row.sentence) for row in wrong)
        lines = [
            f'<tr><td class="number">{count}</td><td class="verdict">{verdict}</td><td>{escape(sentence)}</td></tr>'
            for (verdict, sentence), count in sorted(said.items(), key=lambda one: (-one[1], one[0]))  # commonest first
        ]
        body += ["<div><table>", *lines, "</table></div>"]
    return PAGE.format(title="Common mistakes", body="\n".join(body))


# Similar hand-ins

ALIKE = 0.85
"""Share of the words of two hand-ins that are the same in the same order, from which on they are shown."""

LEAST = 60
"""Words, numbers and signs that a student has written at least in a hand-in that is compared."""


def similar(files: Iterable[HandedIn]) -> str:
    """Make the page that shows similar hand-ins of two students side by side: only what they wrote themselves."""
    written: dict[str, list[tuple[str, list[str], list[str]]]] = {}
    for one in files:
        lines = _own_lines(one)
        words = re.findall(r"\w+|[^\w\s]", "\n".join(lines))
        if len(words) >= LEAST:
            written.setdefault(one.lesson, []).append((one.student, lines, words))
    pairs = []
    for lesson, of in written.items():
        for (first, left, words), (second, right, others) in combinations(of, 2):
            match = difflib.SequenceMatcher(None, words, others, autojunk=False)
            if first != second and match.real_quick_ratio() >= ALIKE and match.quick_ratio() >= ALIKE:
                if (alike := match.ratio()) >= ALIKE:
                    pairs.append((alike, f"{first} and {second}, {lesson}: {alike:.0%} alike", left, right))
    body = "\n".join(_side_by_side(*pair[1:]) for pair in sorted(pairs, key=lambda pair: (-pair[0], pair[1])))
    return PAGE.format(title="Similar hand-ins", body=body or "<p>No two hand-ins are similar.</p>")


def _own_lines(one: HandedIn) -> list[str]:
    """List the lines of a notebook that its lesson does not have, but for the calls of checks."""
    notebooks = [handout.read(lesson) for lesson in handout.lessons() if lesson.stem == one.lesson]
    texts = [handout.text(cell) for notebook in notebooks for cell in notebook["cells"]]
    given = {line.strip() for text in texts for line in text.splitlines()}
    lines = [line.rstrip() for text in one.texts for line in text.splitlines()]
    return [line for line in lines if line.strip() and line.strip() not in given and "lessons.check" not in line]


def _side_by_side(title: str, left: list[str], right: list[str]) -> str:
    """Make a table of two texts, with what differs marked."""
    return f"<h2>{escape(title)}</h2>\n{difflib.HtmlDiff(wrapcolumn=60).make_table(left, right)}"
