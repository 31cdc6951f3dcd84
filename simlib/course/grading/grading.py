"""Grade the notebooks that were handed in: find them, execute each, judge its answers, write down a row an exercise."""

import csv
import hashlib
import json
import os
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from ..._util import paths
from .. import lessons
from ..answers import KEPT_TABLE
from . import executing, handout, judging
from .judging import BEST_FIRST, FAILED, OUT_OF_MEMORY, OUT_OF_TIME, REFUSED, RIGHT, UNANSWERED, Answer, Judged
from .sandbox import Ended, Limits, Pool, pool

# Find the notebooks that were handed in, whose they are, and read them: any of them may be anything.

LARGEST = 50 * 2**20
"""Bytes of a notebook that are read."""

_SPLIT = re.compile(r"[\s._-]*(?=lesson[\s_-]*\d|assignment)", re.IGNORECASE)
_LESSON = re.compile(r"(lesson[\s_-]*\d+[a-z]?|assignment)(?![a-z])", re.IGNORECASE)
_SKIPPED = re.compile(r"\.|__MACOSX$")


class CollectError(Exception):
    """What was handed in cannot be found."""


@dataclass
class HandedIn:
    """A file that a student handed in."""

    student: str
    name: str
    cells: list[str] = field(default_factory=list)
    typed: dict[str, Any] = field(default_factory=dict)
    lesson: str = ""
    digest: str = ""
    problem: str = ""


def collect(folder: str | Path) -> dict[str, list[HandedIn]]:
    """Read what lies in a folder: by student what he or she handed in, students and files in alphabetical order.

    In `handed-in/<student>/...` the folder is the student's name; a file beside such folders begins with it, as
    `<student>-lesson2-easy.ipynb`.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CollectError(f"{folder}: found no folder, expected one with a folder or a notebook a student")
    students: dict[str, list[HandedIn]] = {}
    for path in _visible(folder):
        student = path.name if path.is_dir() else _SPLIT.split(path.stem)[0] or path.stem
        if path.is_dir() or _counts(path):
            name = unicodedata.normalize("NFC", student)
            files = [_read(file, name, folder) for file in _files(path)]
            students[name] = students.pop(name, []) + files
    if not students:
        raise CollectError(f"{folder}: found nothing that was handed in, expected a folder or a notebook a student")
    for student, files in students.items():  # what is no notebook counts only where there is none
        students[student] = [one for one in files if one.name.endswith(".ipynb")] or files
    return dict(sorted(students.items()))


def _visible(folder: Path) -> list[Path]:
    """List what lies in a folder, but for what programs put there, and links, which may lead anywhere."""
    return sorted(path for path in folder.iterdir() if not _SKIPPED.match(path.name) and not path.is_symlink())


def _files(path: Path) -> Iterator[Path]:
    """Go through a file, or the files in a folder and in those within it."""
    if path.is_dir():
        for inside in _visible(path):
            yield from _files(inside)
    elif _counts(path):
        yield path


def _counts(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in (".ipynb", ".zip", ".gz", ".7z", ".rar", ".py", ".pdf", ".html")


def _read(path: Path, student: str, folder: Path) -> HandedIn:
    one = HandedIn(student, unicodedata.normalize("NFC", str(path.relative_to(folder))))
    if (named := _LESSON.search(path.stem)) is not None:
        plain = re.sub(r"[\s_-]", "", named[1].lower())
        one.lesson = next((each.stem for each in handout.lessons() if each.stem.partition("-")[0] == plain), "")
    if path.suffix.lower() != ".ipynb":
        one.problem = f"found a {path.suffix} file, expected a notebook (.ipynb)"
        return one
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST // 2**20} MB")
        content = path.read_bytes()
        one.digest = hashlib.sha256(content).hexdigest()
        if content[:4] == b"PK\x03\x04":
            raise ValueError("it is a zip file with another name")
        notebook = json.loads(content)
        if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
            raise ValueError("it is no notebook of version 4")
        cells = [cell for cell in notebook["cells"] if isinstance(cell, dict) and cell.get("cell_type") == "code"]
        one.cells = list(map(handout.text, cells))
        one.typed = {number: jobs for cell in cells for number, jobs in _kept(cell)}
    except (OSError, ValueError, RecursionError) as error:
        one.problem = f"the notebook cannot be read: {error}"
    return one


def _kept(cell: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Go through the tables that were kept in a cell's outputs."""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data") if isinstance(output, dict) else None
        kept = data.get(KEPT_TABLE) if isinstance(data, dict) else None
        if isinstance(kept, dict) and isinstance(kept.get("exercise"), str):
            yield kept["exercise"], kept.get("jobs")


# A page for the lecturer: which exercises went wrong, and what the checks said how often. It names no student.


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


def page(rows: list["Row"]) -> str:
    """Make the page as HTML."""
    by_number = sorted(rows, key=lambda row: handout.place(row.exercise))
    groups = {number: list(of) for number, of in groupby(by_number, key=lambda row: row.exercise)}
    shown = [verdict for verdict in BEST_FIRST if any(row.verdict == verdict for row in rows)]
    overview, exercises = [], []
    for number, of in groups.items():
        counts = Counter(row.verdict for row in of)
        cells = "".join(f"<td>{counts[verdict] or ''}</td>" for verdict in shown)
        overview.append(f'<tr><td><a href="#e{number}">{number}</a></td>{cells}</tr>')
        said = Counter((row.verdict, row.sentence) for row in of if row.verdict != RIGHT)
        lines = [
            f'<tr><td>{count}</td><td class="verdict">{verdict}</td><td class="said">{escape(sentence)}</td></tr>'
            for (verdict, sentence), count in sorted(said.items(), key=lambda one: (-one[1], one[0]))  # commonest first
        ]
        table = f"<table>{''.join(lines)}</table>" if lines else ""
        exercises.append(f'<h2 id="e{number}">{number}: {counts[RIGHT]} of {len(of)} right</h2>\n{table}')
    return PAGE.format(
        students=len({row.student for row in rows}),
        verdicts="".join(f"<th>{verdict}</th>" for verdict in shown),
        overview="\n".join(overview),
        exercises="\n".join(exercises),
    )


COLUMNS = ("student", "exercise", "points", "verdict", "sentence", "notebook", "seconds")


class Row(NamedTuple):
    """A line of the grades; `points` is empty where a person has to look."""

    student: str
    exercise: str
    points: int | str
    verdict: str
    sentence: str
    notebook: str
    seconds: float


@dataclass
class Graded:
    """A notebook with what became of it: by exercise the verdict."""

    of: HandedIn
    numbers: list[str]
    seconds: float = 0.0
    verdicts: dict[str, Judged] = field(default_factory=dict)


def grade(
    folder: str | Path,
    out: str | Path,
    jobs: int | None = None,
    seconds: float = 120,
    memory: float = 2,
    progress: bool = False,
) -> list[Row]:
    """Grade what lies in a folder, and write the grades and the page of common mistakes."""
    students = collect(folder)
    graded = [Graded(one, _numbers(one)) for files in students.values() for one in files]
    numbers = sorted({number for one in graded for number in one.numbers}, key=handout.place)
    kept = _Kept(Path(f"{out}.parts"), seconds, memory)
    todo = [one for one in graded if not one.of.problem and not kept.read(one)]
    if todo:
        executing.warm()
        judging.warm({number for one in todo for number in one.numbers})
        tqdm.monitor_interval = 0  # it would start a thread, and a process with threads is not forked well
        bar = tqdm(total=len(todo), desc="grade", unit=" notebooks", disable=not progress)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        with bar, pool(jobs or cores) as workers:
            grader = _Grader(workers, Limits(seconds, memory), kept, bar.update)
            for one in todo:
                grader.add(one)
            workers.run()
    rows = [_row(student, number, graded, students[student]) for student in students for number in numbers]
    with paths.replacing(Path(out)) as new, open(new, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([_harmless(value) for value in row] for row in rows)
    with paths.replacing(mistakes_page(out)) as new:
        new.write_bytes(page(rows).encode("utf-8", "replace"))
    kept.remove()
    return rows


def told(rows: list[Row]) -> list[str]:
    """Say in a few lines what came out, and what a person has to look at."""
    students, numbers = {row.student for row in rows}, {row.exercise for row in rows}
    lines = [
        f"{len(students)} students, {len(numbers)} exercises, {sum(row.verdict == RIGHT for row in rows)} right answers"
    ]
    refused = [row for row in rows if row.verdict == REFUSED]
    return lines + [f"{row.student}, {row.exercise}: {row.sentence}" for row in refused]


def mistakes_page(out: str | Path) -> Path:
    """Name the page of common mistakes that lies beside the grades."""
    return Path(out).with_name(f"{Path(out).stem}-mistakes.html")


def _numbers(one: HandedIn) -> list[str]:
    """List the exercises of a notebook: those of its lesson, else those that it checks."""
    for lesson in handout.lessons():
        if lesson.stem == one.lesson:
            return handout.exercises(handout.read(lesson))
    known = {number for lesson in lessons.LESSONS for number in lessons.exercises(lesson)}
    found = {number for source in one.cells for number in handout.checked(source)}
    return sorted(found & known, key=handout.place)


class _Grader:
    """Executes and judges notebooks with the processes of a pool."""

    def __init__(self, workers: Pool, limits: Limits, kept: "_Kept", tick: Callable[[], object]) -> None:
        self._pool, self._limits, self._kept, self._tick = workers, limits, kept, tick
        self._known: dict[Answer, Judged] = {}  # in a class many answers are the same

    def add(self, one: Graded) -> None:
        """Let a notebook be executed and judged."""
        work = executing.execute(one.of.cells, self._limits.seconds / executing.PATIENCE)
        self._pool.add(work, self._limits, partial(self._executed, one))

    def _executed(self, one: Graded, ended: Ended, folder: Path) -> None:
        found = executing.read(folder)
        one.seconds = ended.seconds
        packed = {number: found["answers"][number] for number in one.numbers if number in found["answers"]}
        answers = [Answer(number, _text(of)) for number, of in packed.items()]
        answers += [Answer(number, _text(of), True) for number, of in one.of.typed.items() if number in one.numbers]
        self._judge(one, answers, partial(_unanswered, one, ended, found))

    def _judge(self, one: Graded, answers: list[Answer], unanswered: Callable[[str], Judged]) -> None:
        new = [answer for answer in answers if answer not in self._known]
        if new:
            work = judging.judge([answer._replace(packed=json.loads(answer.packed)) for answer in new])
            self._pool.add(work, self._limits, partial(self._judged, one, answers, new, unanswered), first=True)
            return
        for number in one.numbers:
            said = [self._known[answer] for answer in answers if answer.number == number]
            one.verdicts[number] = min(said, key=_rank) if said else unanswered(number)
        self._kept.write(one)
        self._tick()

    def _judged(
        self,
        one: Graded,
        answers: list[Answer],
        asked: list[Answer],
        unanswered: Callable[[str], Judged],
        ended: Ended,
        folder: Path,
    ) -> None:
        one.seconds += ended.seconds
        reached = judging.read(folder)
        self._known |= zip(asked, reached, strict=False)
        if len(reached) < len(asked):  # so it ended with this one; the others are judged anew
            verdict = FAILED if ended.why == "done" else ended.why
            self._known[asked[len(reached)]] = Judged(verdict, f"when the answer was checked {ended.sentence}.")
        self._judge(one, answers, unanswered)


def _text(packed: Any) -> str:
    return json.dumps(packed, sort_keys=True)


def _rank(judged: Judged) -> int:
    """Give the place of a verdict among those of several answers: the first one counts."""
    return BEST_FIRST.index(judged.verdict)


def _unanswered(one: Graded, ended: Ended, found: dict[str, Any], number: str) -> Judged:
    """Tell why a notebook has no answer to an exercise."""
    cells = [place for place, source in enumerate(one.of.cells) if number in handout.checked(source)]
    if not cells:
        return Judged(UNANSWERED, f'no cell has lessons.check("{number}", ...).')
    for place, kind, text in found["failed"]:
        if place in cells:
            verdict = {"MemoryError": OUT_OF_MEMORY, "TimeUp": OUT_OF_TIME}.get(kind, FAILED)
            if kind == "TimeUp":
                return Judged(verdict, f"its cell was stopped: {text}.")
            text = re.sub(r"<ipython-input[^>]*>, ", "", text)
            return Judged(verdict, f"its cell fails: {kind}: {text}" if text else f"its cell fails: {kind}.")
    if ended.why != "done" and found["cells"] <= cells[-1]:
        return Judged(ended.why, f"{ended.sentence}, in code cell {found['cells'] + 1}.")
    return Judged(UNANSWERED, "its check was not called.")


def _row(student: str, number: str, graded: Iterable[Graded], files: list[HandedIn]) -> Row:
    """Make a student's row for an exercise, of the best of his or her notebooks."""
    rows = []
    for one in graded:
        if not any(one.of is file for file in files):
            continue
        if one.of.problem and (number in one.numbers or not one.of.lesson):
            rows.append((Judged(FAILED, one.of.problem), one))
        elif number in one.verdicts:
            rows.append((one.verdicts[number], one))
    if not rows:
        return Row(student, number, 0, UNANSWERED, "no notebook of this lesson was handed in.", "", 0.0)
    said, one = min(rows, key=lambda row: _rank(row[0]))
    points = "" if said.verdict == REFUSED else int(said.verdict == RIGHT)
    return Row(student, number, points, said.verdict, said.sentence, one.of.name, round(one.seconds, 1))


def _harmless(value: Any) -> Any:
    """Let no spreadsheet take a text for a formula, and no line end in it."""
    if not isinstance(value, str):
        return value
    text = " ".join(value.encode("utf-8", "replace").decode().split())
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


class _Kept:
    """Keeps what is graded already in a folder, a file a notebook, until all are: so that a run can go on."""

    def __init__(self, folder: Path, *limits: float) -> None:
        self._folder = folder
        sources = sorted(Path(__file__).parent.parent.rglob("*.py"))
        own = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
        self._rest = repr((own, tuple(map(float, limits)), os.environ.get("SIMLIB_TRACES")))

    def _path(self, one: Graded) -> Path:
        of = one.of.digest, one.numbers, self._rest
        return self._folder / hashlib.sha256(repr(of).encode()).hexdigest()[:32]

    def read(self, one: Graded) -> bool:
        """Take what is known of a notebook, and tell whether anything is."""
        data = paths.read_sealed(self._path(one))
        if data is None:
            return False
        one.seconds, verdicts = json.loads(data)
        one.verdicts = {number: Judged(*of) for number, of in verdicts.items()}
        return True

    def write(self, one: Graded) -> None:
        """Keep what is known of a notebook."""
        paths.write_sealed(self._path(one), json.dumps([one.seconds, one.verdicts]).encode())

    def remove(self) -> None:
        """Forget all: it is written down elsewhere now."""
        shutil.rmtree(self._folder, ignore_errors=True)
