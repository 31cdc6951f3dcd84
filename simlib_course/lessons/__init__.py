"""The checks of the course in `notebooks/teaching/`: is an answer right, and if not, what is wrong with it?

    from simlib_course import lessons
    lessons.check("1.1", start=..., free=...)

An answer stands in the call that checks it, so that no check judges an older one. The `EXERCISES` of a lesson's module
have a function for each exercise: it works out the truth with simlib, and returns why the answer is right, or raises
`NotYet` with a hint. `simlib_course.answers` reads what students write.
"""

import importlib
import random
import textwrap
from collections.abc import Callable, Mapping
from functools import cache, wraps
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from simlib import plots
from simlib.core.calendar import check_month
from simlib.core.schedule import Policy, Schedule, simulate
from simlib.core.workload import Workload
from simlib.logs.archive import load

from ..answers import Judge, NotYet, Waiting, is_open, words

__all__ = ["Verdict", "charts", "check", "exercises", "means", "seed", "use_seed", "verdict"]

LESSONS = {str(number): f"lesson{number}" for number in range(1, 8)} | {"A": "assignment"}
"""The modules of the lessons, and of the assignment at the end."""

WIDTH = 88
"""Letters in a line of what is printed: JupyterLab breaks longer lines within words."""


class Verdict(NamedTuple):
    """Hold what `verdict` says of an answer: `status` is "right", "not yet" or "waiting"."""

    status: str
    sentence: str

    def __str__(self) -> str:
        heads = {"right": "Right: ", "not yet": "Not yet: ", "waiting": ""}
        return heads[self.status] + self.sentence


def check(number: str, answer: Any = ..., /, *more: Any, **parts: Any) -> None:
    """Print the verdict on an answer.

    Parameters
    ----------
    number : str
        Of the exercise, such as "2.3".
    answer : object, optional
        A number, a text, a list or a function, as the exercise says.
    *more : object
        Nothing; `0,54` comes here as two numbers, and the verdict says how to write one.
    **parts : object
        The parts of an answer that has several, by name, in the place of `answer`.

    Raises
    ------
    ValueError
        For an exercise that does not exist; never for an answer.

    Examples
    --------
    >>> check("1.1", start=40, free=...)
    1.1 is waiting for your answer.
    >>> check("1.2", 54)
    Not yet: that is the right number in per cent. Give it as a share, between 0 and 1.
    """
    said = str(verdict(number, parts or ((answer, *more) if more else answer)))
    print(textwrap.fill(said, WIDTH, break_long_words=False, break_on_hyphens=False))


def a_month(text: str) -> None:
    """Refuse what is no month, for a lesson's parameters."""
    check_month(text)


def verdict(number: str, answer: Any) -> Verdict:
    """Tell whether an answer is right, and why, or what is wrong with it; ValueError only for an unknown exercise.

    The answer is whatever a student gives; "waiting" as long as `...` stands in it.
    """
    judge = _judge(number)
    try:
        if is_open(answer):
            raise Waiting
        if answer is None:
            raise NotYet("found None, which is nothing. What prints or sorts returns None: give the value itself.")
        return Verdict("right", judge(answer))
    except Waiting:
        return Verdict("waiting", f"{number} is waiting for your answer.")
    except NotYet as hint:
        return Verdict("not yet", str(hint))
    except Exception as error:  # what students write can fail in any way
        return Verdict("not yet", f"your answer cannot be used as it is: {type(error).__name__}: {error}")


def exercises(lesson: int | str) -> list[str]:
    """List the numbers of a lesson's exercises; those of lesson "A" are the assignment's."""
    return list(_module(lesson).EXERCISES)


def _judge(number: str) -> Judge:
    lesson = str(number).partition(".")[0]
    known = exercises(lesson) if lesson in LESSONS else []
    if number not in known:
        expected = ", ".join(known) or f"one of the lessons {', '.join(LESSONS)}, such as '2.3'"
        raise ValueError(f"check: found exercise {number!r}, expected {expected}")
    return _module(lesson).EXERCISES[number]


def _module(lesson: int | str) -> ModuleType:
    return importlib.import_module(f".{LESSONS[str(lesson)]}", __name__)


# Seeds: the same exercises with other jobs

_used = [""]
T = TypeVar("T")


def use_seed(text: str) -> None:
    """Take the jobs and numbers of a seed in the exercises; "" brings back those of the site.

    Parameters
    ----------
    text : str
        Any text, such as a student's name. Case, blanks and the order of the words do not count.

    Examples
    --------
    >>> from simlib_course.lessons import lesson2
    >>> use_seed("Ada Lovelace")
    >>> verdict("2.1", {"shadow": 30, "extra": 2}).status
    'not yet'
    >>> use_seed("")
    """
    _used[0] = " ".join(words(text))


def seed() -> str:
    """Give the seed that is used; "" is that of the site."""
    return _used[0]


def by_seed(make: Callable[[], T]) -> Callable[[], T]:
    """Keep what a function makes, for each seed."""
    kept = cache(lambda _: make())
    return wraps(make)(lambda: kept(seed()))


def drawn(what: str, make: Callable[[random.Random], T], shows: Callable[[T], bool] = lambda _: True) -> T:
    """Draw by the seed until what is drawn shows what the lesson is about."""
    draw = random.Random(f"{what} {seed()}")
    while not shows(found := make(draw)):
        pass
    return found


# What the lessons look at, and what they share

LOG = "KTH-SP2"
"""Lessons 4 to 6 look at a month of this log, and the assignment at its weeks."""


@cache
def january() -> Workload:
    """Load the jobs of January 1997 at KTH, or of its twin without the log: both show the effects of lessons 4 to 6."""
    return load(LOG).months("1997-01")


def shaken(month: Workload, policy: Policy, runs: int, first: int = 0) -> pd.DataFrame:
    """Summarise shaken runs as `simlib.replicate` does, but without a progress bar, which is no part of a verdict."""
    summaries = [simulate(month.shake(60, first + run), policy).summary() for run in range(runs)]
    return pd.DataFrame(summaries, index=range(runs))


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


def charts(schedules: Mapping[str, Schedule]) -> Figure:
    """Draw schedules one above the other on one time axis, each with its means in the title."""
    figure, axes = plt.subplots(len(schedules), 1, figsize=(9, 2.5 * len(schedules)), sharex=True, squeeze=False)
    for ax, (name, schedule) in zip(axes[:, 0], schedules.items(), strict=True):
        mean = schedule.summary()
        wait = f"{mean.mean_wait:.0f} s" if mean.mean_wait < 3600 else f"{mean.mean_wait / 3600:.1f} h"
        plots.gantt(schedule, ax).set_title(
            f"{name}: mean wait {wait}, mean bounded slowdown {mean.mean_bounded_slowdown:.1f}"
        )
        ax.set_xlabel("")
    last = max(schedule.jobs.end.max() for schedule in schedules.values())
    axes[0, 0].set_xlim(0, last)
    plots.time_axis(axes[-1, 0])
    return figure


def is_share(given: float, truth: float, of: str = "") -> bool:
    """Tell whether a share is right; refuse a right one in per cent."""
    if abs(given - 100 * truth) <= 0.5 < abs(given - truth):
        raise NotYet(f"{of}that is the right number in per cent. Give it as a share, between 0 and 1.")
    return abs(given - truth) <= 0.005001  # as much as two decimals can be off, rounded either way
