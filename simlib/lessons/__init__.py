"""The checks of the course in `notebooks/teaching/`: is an answer right, and if not, what is wrong with it?

    from simlib import lessons
    lessons.check("2.3", answer)

Each lesson has a module, whose `EXERCISES` has a function for each exercise. The function works out the truth with
simlib, and returns why the answer is right, or raises `NotYet` with a hint. `simlib.lessons.answers` reads what
students write.
"""

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple

import pandas as pd

from ..schedule import Schedule
from .answers import Judge, NotYet, Waiting, is_open

__all__ = ["Verdict", "check", "exercises", "means", "verdict"]

LESSONS = range(1, 7)


class Verdict(NamedTuple):
    """What `verdict` says of an answer: `status` is "right", "not yet" or "waiting"."""

    status: str
    sentence: str

    def __str__(self) -> str:
        heads = {"right": "Right: ", "not yet": "Not yet: ", "waiting": ""}
        return heads[self.status] + self.sentence


def check(number: str, answer: Any) -> None:
    """Print the verdict on an answer; for a right one in a table, also how to keep it.

    Examples
    --------
    >>> check("1.1", {"start": 40, "free": ...})
    1.1 is waiting for your answer.
    """
    result = verdict(number, answer)
    print(result)
    if result.status == "right" and hasattr(answer, "taken") and answer.taken != answer.jobs:
        print("What you typed is lost when the cell of the table runs again. To keep it, write there before `editor`:")
        print(f"editor.take({answer.jobs})")


def verdict(number: str, answer: Any) -> Verdict:
    """Tell whether an answer is right, and why, or what is wrong with it.

    Parameters
    ----------
    number : str
        Of the exercise, such as "2.3".
    answer : object
        Whatever a student gives; "waiting" as long as `...` or None stands in it.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError
        For an exercise that does not exist; never for an answer.

    Examples
    --------
    >>> verdict("1.2", 50).sentence
    'found 50, but a share of the machine lies between 0 and 1.'
    """
    judge = _judge(number)
    try:
        if is_open(answer):
            raise Waiting
        return Verdict("right", judge(answer))
    except Waiting:
        return Verdict("waiting", f"{number} is waiting for your answer.")
    except NotYet as hint:
        return Verdict("not yet", str(hint))
    except Exception as error:  # what students write can fail in any way
        return Verdict("not yet", f"your answer cannot be used as it is: {type(error).__name__}: {error}")


def exercises(lesson: int | str) -> list[str]:
    """List the numbers of a lesson's exercises.

    Examples
    --------
    >>> exercises(2)
    ['2.1', '2.2', '2.3', '2.4']
    """
    return list(_module(lesson).EXERCISES)


def means(schedules: Mapping[str, Schedule]) -> pd.DataFrame:
    """Compute the metrics by which lessons compare schedules, with their units, a row each.

    Parameters
    ----------
    schedules : dict
        Schedules by name.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> means({"FCFS": simlib.simulate(two, simlib.FCFS())}).loc["FCFS", "mean wait [s]"].item()
    4
    """
    summaries = pd.DataFrame({name: schedule.summary() for name, schedule in schedules.items()}).T
    return pd.DataFrame(
        {
            "mean wait [s]": summaries.mean_wait.round().astype(int),
            "mean response [s]": summaries.mean_response.round().astype(int),
            "mean bounded slowdown": summaries.mean_bounded_slowdown.round(1),
            "backfilled [%]": (100 * summaries.backfilled_share).round(1),
        }
    )


def _judge(number: str) -> Judge:
    lesson = str(number).partition(".")[0]
    known = exercises(lesson) if lesson in map(str, LESSONS) else []
    if number not in known:
        expected = ", ".join(known) or f"a lesson from {LESSONS[0]} to {LESSONS[-1]}, such as '2.3'"
        raise ValueError(f"check: found exercise {number!r}, expected {expected}")
    return _module(lesson).EXERCISES[number]


def _module(lesson: int | str) -> ModuleType:
    return importlib.import_module(f".lesson{lesson}", __name__)
