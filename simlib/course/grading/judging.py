"""Judge answers in a process that has never seen the notebook they came from: by the checks of the course."""

import importlib
import inspect
import json
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import lessons
from . import carrying, screening

VERDICTS = "verdicts.jsonl"
"""The file that gets a line an answer as soon as it is judged."""

RIGHT, NOT_YET, UNANSWERED, REFUSED = "right", "not yet", "unanswered", "refused"
FAILED, OUT_OF_TIME, OUT_OF_MEMORY = "failed", "out of time", "out of memory"

BEST_FIRST = (RIGHT, REFUSED, NOT_YET, OUT_OF_TIME, OUT_OF_MEMORY, FAILED, UNANSWERED)
"""All that can be said of an answer; of several to the same exercise that counts which stands here first."""


class Judged(NamedTuple):
    """What is said of an answer: one of `BEST_FIRST`, and why."""

    verdict: str
    sentence: str


class Answer(NamedTuple):
    """An answer to judge: data of `carrying.pack`, or, if `typed`, the table as an editor kept it."""

    number: str
    packed: Any
    typed: bool = False


def judge(answers: Sequence[Answer]) -> Callable[[Path], None]:
    """Give the work of judging these answers, one after the other."""

    def work(folder: Path) -> None:
        warnings.simplefilter("ignore")
        with open(folder / VERDICTS, "w", encoding="utf-8") as file:
            for answer in answers:
                file.write(json.dumps(judged(answer)) + "\n")
                file.flush()

    return work


def judged(answer: Answer) -> Judged:
    """Judge one answer."""
    try:
        given = answer.packed if answer.typed else carrying.unpack(answer.packed)
    except screening.Refused as reason:
        return Judged(REFUSED, f"look at it yourself: {reason}.")
    except Exception as error:  # whatever a hostile notebook wrote
        return Judged(REFUSED, f"look at it yourself: it cannot be read: {type(error).__name__}: {error}"[:300])
    status, sentence = lessons.verdict(answer.number, given)
    if status == "waiting":
        return Judged(UNANSWERED, sentence)
    if status == RIGHT:
        return Judged(RIGHT, sentence)
    if "answer cannot be used as it is: MemoryError" in sentence:
        return Judged(OUT_OF_MEMORY, sentence)
    return Judged(NOT_YET, sentence)


def read(folder: Path) -> list[Judged]:
    """Read the verdicts that were reached, in the order of the answers."""
    try:
        lines = (folder / VERDICTS).read_text(encoding="utf-8").split("\n")
    except OSError:
        return []
    return [Judged(*json.loads(line)) for line in lines[:-1]]  # the last is empty, or was not written to its end


def warm(numbers: Iterable[str]) -> None:
    """Work out, once for all, what the checks of these exercises keep, so that no judging process has to."""
    for lesson in sorted({number.partition(".")[0] for number in numbers}):
        module = importlib.import_module(f"simlib.course.lessons.{lessons.LESSONS[lesson]}")
        for function in vars(module).values():
            if hasattr(function, "cache_info") and not inspect.signature(function).parameters:
                function()
