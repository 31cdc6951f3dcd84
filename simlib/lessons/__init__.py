"""The checks of the course in `notebooks/teaching/`: is an answer right, and if not, what is wrong with it?

>>> from simlib import lessons
>>> lessons.check("2.3", answer)

Each lesson has a module, whose `EXERCISES` has a function a number. That works out the truth with simlib, returns why
the answer is right, or raises `NotYet` with a hint; `simlib.lessons.answers` reads what students write.
"""

import importlib
from typing import NamedTuple

import pandas as pd

from .answers import NotYet, Waiting, is_open

__all__ = ["Verdict", "check", "exercises", "means", "verdict"]

LESSONS = range(1, 7)


class Verdict(NamedTuple):
    """What is said of an answer: `status` is "right", "not yet" or "waiting"."""

    status: str
    sentence: str

    def __str__(self):
        heads = {"right": "Right: ", "not yet": "Not yet: ", "waiting": ""}
        return heads[self.status] + self.sentence


def check(number, answer):
    """Print what is to be said of an answer; see `verdict`. For a right one in a table, also how to keep it."""
    found = verdict(number, answer)
    print(found)
    if found.status == "right" and hasattr(answer, "kept") and answer.kept != answer.jobs:
        print("What you typed is lost when the cell of the table runs again. To keep it, write there before `editor`:")
        print(f"editor.take({answer.jobs})")


def verdict(number, answer):
    """Whether an answer is right, and why, or what is wrong with it.

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


def exercises(lesson):
    """The numbers of a lesson's exercises, such as ["2.1", "2.2"]."""
    return list(_module(lesson).EXERCISES)


def means(schedules):
    """The metrics by which lessons compare schedules, with their units, a row each.

    Parameters
    ----------
    schedules : dict
        Schedules by what they are to be called.

    Returns
    -------
    DataFrame
    """
    found = pd.DataFrame({name: schedule.summary() for name, schedule in schedules.items()}).T
    return pd.DataFrame(
        {
            "mean wait [s]": found.mean_wait.round().astype(int),
            "mean response [s]": found.mean_response.round().astype(int),
            "mean bounded slowdown": found.mean_bounded_slowdown.round(1),
            "backfilled [%]": (100 * found.backfilled_share).round(1),
        }
    )


def _judge(number):
    lesson = str(number).partition(".")[0]
    known = exercises(lesson) if lesson in map(str, LESSONS) else []
    if number not in known:
        expected = ", ".join(known) or f"a lesson from {LESSONS[0]} to {LESSONS[-1]}, such as '2.3'"
        raise ValueError(f"check: found exercise {number!r}, expected {expected}")
    return _module(lesson).EXERCISES[number]


def _module(lesson):
    return importlib.import_module(f".lesson{lesson}", __name__)
