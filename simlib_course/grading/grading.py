"""Grade the notebooks that were handed in: run each in a box, judge its answers, give a row an exercise.

Each notebook has a separate process outside of the box, forked from this one, which has worked out once what the
checks need. That process starts the box and is the judge whom the box sends its answers.
"""

import hashlib
import importlib
import inspect
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from simlib._util import paths

from .. import lessons
from . import handout, judging, results
from .box import ENDED, FAILED, OUT_OF_MEMORY, OUT_OF_TIME, Box, Limits, refuse_without
from .collecting import HandedIn, collect, foreign, numbers
from .judging import BEST_FIRST, RIGHT, UNANSWERED, Judged
from .results import Row

SHARE = 4
"""The check of an answer may take the notebook's time divided by this."""


class Settings(NamedTuple):
    """How notebooks are graded: their limits, and the seed that was handed out, or the names that were."""

    limits: Limits = Limits(120, 2)
    seed: str = ""
    names: tuple[str, ...] = ()


@dataclass
class Graded:
    """A notebook with what became of it: by exercise the verdict."""

    of: HandedIn
    numbers: list[str]
    verdicts: dict[str, Judged] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    """What the lecturer should look at."""
    seconds: float = 0.0
    again: bool = False
    """Whether the system, and not the notebook, may be the cause of a bad verdict."""


def grade(folder: str | Path, out: str | Path, settings: Settings, jobs: int | None, progress: bool) -> list[Row]:
    """Grade what lies in a folder, and write the grades and what belongs to them."""
    students = collect(folder, settings.names)
    graded = [Graded(one, numbers(one)) for files in students.values() for one in files]
    kept = _Kept(Path(f"{out}.parts"), settings)
    todo = [one for one in graded if not one.of.problem and not kept.read(one)]
    if todo:
        refuse_without()
        _warm({number for one in todo for number in one.numbers})
        cores = len(os.sched_getaffinity(0))
        tqdm.monitor_interval = 0  # it would start a thread, and a process with threads is not forked well
        with tqdm(total=len(todo), desc="grade", unit=" notebooks", disable=not progress) as bar:
            doubtful = []
            for one in _run(todo, jobs or cores, settings):
                if one.again:
                    doubtful.append(one)
                else:
                    kept.write(one)
                    bar.update()
            for one in _run(doubtful, 1, settings):
                kept.write(one)
                bar.update()
    listed = sorted({number for one in graded for number in one.numbers}, key=handout.place)
    rows = [_row(student, number, graded, students[student]) for student in students for number in listed]
    results.write(out, rows, [one for files in students.values() for one in files])
    kept.remove()
    return rows


def _warm(exercises: Iterable[str]) -> None:
    """Work out, once for all, what the checks of these exercises keep."""
    for lesson in sorted({number.partition(".")[0] for number in exercises}):
        module = importlib.import_module(f"{lessons.__name__}.{lessons.LESSONS[lesson]}")
        for function in list(vars(module).values()):  # a warning leaves its mark in the module
            if hasattr(function, "cache_info") and not inspect.signature(function).parameters:
                function()


def _run(todo: list[Graded], most: int, settings: Settings) -> Iterator[Graded]:
    """Execute and judge notebooks, at most so many at a time, and give each when it is done."""
    forked = multiprocessing.get_context("fork")
    waiting = list(todo)
    running: dict[Any, tuple[Any, Graded]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < most:
                one = waiting.pop(0)
                ours, sending = forked.Pipe(duplex=False)
                process = forked.Process(target=_execute, args=(one, settings, sending))
                process.start()
                sending.close()
                running[ours] = process, one
            ready: list[Any] = wait(list(running))
            for receiving in ready:
                process, one = running.pop(receiving)
                try:
                    one.verdicts, one.flags, one.seconds, one.again = receiving.recv()
                except EOFError:
                    late = Judged(FAILED, "the check of its answers was stopped.")
                    one.verdicts, one.again = dict.fromkeys(one.numbers, late), True
                process.join()
                yield one
    finally:
        for process, _ in running.values():
            process.terminate()
            process.join()


def _execute(one: Graded, settings: Settings, sending: Connection) -> None:
    """Run a notebook and judge its answers, in a separate process."""
    limits, student = settings.limits, one.of.student
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and end the box on the way
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when
    signal.alarm(2 * limits.seconds + 60)  # ends this process, should a check never end
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + limits.memory * 2**30, resource.RLIM_INFINITY))
    lessons.use_seed(student if settings.names else settings.seed)
    answered: dict[str, Judged] = {}
    seeds: set[str] = set()
    with paths.temporary("/tmp", "grade") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "judge"))
        listener.listen()
        listener.settimeout(0.05)
        box = Box(one.of.cells, limits, folder)
        try:
            while box.status() is None:
                with suppress(TimeoutError):
                    connection, _ = listener.accept()
                    with connection:
                        number, verdict, seed = judging.judge(connection, limits.seconds / SHARE, student)
                    answered[number] = verdict  # so the last answer counts
                    if number and not number.startswith("A."):  # which goes by the name that it is given
                        seeds.add(seed)
        finally:
            box.end(*(() if box.status() else ("done", "")))
    failed = _failed(box.events)
    verdicts = {}
    for number in one.numbers:
        said = answered.get(number) or _unanswered(one, number, box, failed)
        if said.sentence == judging.ENDED:
            said = Judged(box.why, f"{box.sentence}, while the answer was checked.")
        verdicts[number] = said
    found = {verdict.verdict for verdict in verdicts.values()}
    late = OUT_OF_TIME in found or any(error and error[0] == "TimeUp" for error in failed.values())
    delayed = late and box.busy < 0.5 * box.seconds  # so others may have taken its time
    flags = [
        f"it is made for the seed {seed!r}, not for {lessons.seed()!r}" for seed in sorted(seeds - {lessons.seed()})
    ]
    flags += ["its student is not of the class"] * bool(settings.names and student not in settings.names)
    flags += [f"it uses {name}, which no lesson hands out" for name in foreign(one.of)]
    sending.send((verdicts, flags[:10], box.seconds, delayed or (FAILED in found and box.sentence == ENDED)))


def _failed(events: bytes) -> dict[int, tuple[str, str] | None]:
    """Read which cells were run, and how they failed; believe nothing."""
    found: dict[int, tuple[str, str] | None] = {}
    for line in events.splitlines():
        with suppress(ValueError, TypeError, RecursionError):
            cell, error = json.loads(line)
            found[int(cell)] = error and (str(error[0])[:100], str(error[1])[:500])
    return found


def _rank(judged: Judged) -> int:
    """Give the place of a verdict among those of several answers: the first one counts."""
    return BEST_FIRST.index(judged.verdict)


def _unanswered(one: Graded, number: str, box: Box, failed: dict[int, tuple[str, str] | None]) -> Judged:
    """Tell why a notebook has no answer to an exercise."""
    cells = [place for place, source in enumerate(one.of.cells) if number in handout.checked(source)]
    if not cells:
        return Judged(UNANSWERED, f'no cell has lessons.check("{number}", ...).')
    for place in cells:
        if error := failed.get(place):
            kind, text = error
            verdict = {"MemoryError": OUT_OF_MEMORY, "TimeUp": OUT_OF_TIME}.get(kind, FAILED)
            text = re.sub(r"\((?:<ipython-input[^>]*>|\d+\.py), ", "(", text)
            return Judged(verdict, f"its cell fails: {kind}: {text}".rstrip(": ") + ".")
    if cells[-1] not in failed:
        return Judged(box.why, f"{box.sentence}, in code cell {max(failed, default=-1) + 2}.")
    return Judged(UNANSWERED, "its check was not called.")


def _row(student: str, number: str, graded: Iterable[Graded], files: list[HandedIn]) -> Row:
    """Make a student's row for an exercise, of the best of his or her notebooks."""
    most, rows = handout.points(number), []
    for one in graded:
        if not any(one.of is file for file in files):
            continue
        if one.of.problem and (number in one.numbers or not one.of.lesson):
            rows.append((Judged(FAILED, one.of.problem), one))
        elif number in one.verdicts:
            rows.append((one.verdicts[number], one))
    if not rows:
        return Row(student, number, 0, most, UNANSWERED, "no notebook of this lesson was handed in.", "", 0.0, "")
    said, one = min(rows, key=lambda row: _rank(row[0]))
    points = most if said.verdict == RIGHT else 0
    flags = "; ".join(one.flags)
    return Row(student, number, points, most, said.verdict, said.sentence, one.of.name, round(one.seconds, 1), flags)


class _Kept:
    """Keeps what is graded already in a folder, a file a notebook, until all are: so that a run can go on."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        sources = sorted(Path(__file__).parent.parent.rglob("*.py"))
        own = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
        self._rest = repr((own, settings, os.environ.get("SIMLIB_TRACES")))

    def _path(self, one: Graded) -> Path:
        of = one.of.digest, one.of.student, one.numbers, self._rest
        return self._folder / hashlib.sha256(repr(of).encode()).hexdigest()[:32]

    def read(self, one: Graded) -> bool:
        """Take what is known of a notebook, and tell whether anything is."""
        data: Any = paths.read_sealed(self._path(one))
        if data is None:
            return False
        one.seconds, one.flags, verdicts = json.loads(data)
        one.verdicts = {number: Judged(*of) for number, of in verdicts.items()}
        return True

    def write(self, one: Graded) -> None:
        """Keep what is known of a notebook."""
        paths.write_sealed(self._path(one), json.dumps([one.seconds, one.flags, one.verdicts]).encode())

    def remove(self) -> None:
        """Forget all: it is written down elsewhere now."""
        shutil.rmtree(self._folder, ignore_errors=True)
