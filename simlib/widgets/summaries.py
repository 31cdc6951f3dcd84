"""Write the names of policies, and what they achieve, in words."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..explain.words import length
from ..schedule import Schedule


def label(policy: Any) -> str:
    """Write a policy's name, with the options that are not the defaults.

    Examples
    --------
    >>> import simlib
    >>> label(simlib.EASY()), label(simlib.EASY(order="sjf"))
    ('EASY', 'EASY, order=sjf')
    """
    name = type(policy).__name__
    if not dataclasses.is_dataclass(policy):
        return name
    options = [(field.name, getattr(policy, field.name), field.default) for field in dataclasses.fields(policy)]
    changed = [f"{key}={getattr(value, '__name__', value)}" for key, value, default in options if value != default]
    return ", ".join([name, *changed])  # where there is no room it breaks at a blank


def summaries(schedules: Sequence[Schedule]) -> pd.DataFrame:
    """Write the metrics of schedules as text, a row each: policy; mean wait, response and slowdown; shares; makespan.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> summaries([simlib.simulate(two, simlib.FCFS())])["mean wait"].tolist()
    ['4.5 s']
    """
    rows = {}
    for place, schedule in enumerate(schedules):
        seen: Any = schedule.summary()
        rows[place] = {
            "policy": label(schedule.policy),
            "mean wait": seconds(seen.mean_wait),
            "mean response": seconds(seen.mean_response),
            "mean bounded slowdown": f"{seen.mean_bounded_slowdown:,.1f}",
            "processors in use": f"{seen.utilization:.0%}",
            "backfilled": f"{seen.backfilled_share:.0%}",
            "makespan": span(seen.makespan),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def summary_lines(schedules: Sequence[Schedule]) -> list[str]:
    """Write the same as lines of text, a column for each schedule, so that the lines are short.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 8, 2))
    >>> summary_lines([simlib.simulate(two, simlib.FCFS())])[1]
    'mean wait               4.5 s'
    """
    return summaries(schedules).set_index("policy").T.rename_axis(columns=None).to_string().splitlines()


def seconds(value: float) -> str:
    """Write a mean length of time: with a decimal below 100 s, else whole.

    Examples
    --------
    >>> seconds(4.53), seconds(123.4)
    ('4.5 s', '123 s')
    """
    return f"{value:.1f} s" if value < 100 else length(round(value))


def span(value: float) -> str:
    """Write the length of a schedule: in days from two days on.

    Examples
    --------
    >>> span(130), span(2859459)
    ('130 s', '33.1 days')
    """
    return f"{value / 86400:,.1f} days" if value >= 2 * 86400 else length(round(value))
