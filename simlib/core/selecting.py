"""Select jobs of a workload: by a condition, by when they were submitted, by partition. The methods of `Workload`."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .calendar import Moment

if TYPE_CHECKING:
    from .workload import Workload

_Workload = TypeVar("_Workload", bound="Workload")


def select(workload: _Workload, which: str | ArrayLike) -> _Workload:
    """Select the jobs for which `which` holds, as a new Workload."""
    table = workload.jobs
    if not isinstance(which, str):
        return workload.derive(table[np.asarray(which, dtype=bool)], "selected jobs")
    every = table
    if workload.log is not None:
        every = table.join(workload.log.loc[table.index, workload.log.columns.difference(table.columns)])
    try:
        chosen = every.eval(which)
        if not (isinstance(chosen, pd.Series) and chosen.dtype == bool):
            raise TypeError("it is not true or false of each job")
    except Exception as error:
        raise ValueError(
            f"{workload.name}: cannot select {which!r} ({error}); expected a condition on {', '.join(every.columns)}"
        ) from None
    return workload.derive(table[chosen], f"jobs with {which}")


def months(workload: _Workload, first: str, last: str | None = None) -> _Workload:
    """Select the jobs submitted from the calendar month `first` to the end of month `last`, as a new Workload."""
    last = last or first
    for month in (first, last):
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", str(month)):
            raise ValueError(f"{workload.name}: found month {month!r}, expected one such as '1996-10'")
    submit = workload.jobs.submit
    known, edges = workload.month_starts(submit.iloc[0], submit.iloc[-1]) if len(submit) else ([], np.zeros(1))
    chosen = [place for place, month in enumerate(known) if first <= month <= last]
    begin, end = (edges[chosen[0]], edges[chosen[-1] + 1]) if chosen else (0, 0)
    step = f"submitted {first}" + (f" to {last}" if last != first else "")
    part = _part(workload, lambda jobs: (jobs.submit >= begin) & (jobs.submit < end), step)
    if not len(part):
        span = f"{known[0]} to {known[-1]}" if known else "no job"
        raise ValueError(f"{workload.name}: no job was submitted from {first} to {last}; the log has {span}")
    return part


def _part(workload: _Workload, which: Callable[[pd.DataFrame], "pd.Series[bool]"], step: str) -> _Workload:
    """Select the jobs for which `which` is true, also among those that do not take part."""
    new = workload.derive(workload.jobs[which(workload.jobs)], step)
    new._others = workload._others[which(workload._others)]
    return new


def between(workload: _Workload, first: Moment | int, last: Moment | int) -> _Workload:
    """Select the jobs submitted from one time to just before another, as a new Workload.

    What ran or waited before is not in it: a simulation of it begins with an empty machine. `Schedule.between` and
    `simlib.plots.gantt` look at a part of the full schedule.
    """
    begin, end = workload.period(first, last)
    part = _part(
        workload,
        lambda jobs: (jobs.submit >= begin) & (jobs.submit < end),
        f"submitted from {first} to before {last}",
    )
    if not len(part):
        raise ValueError(
            f"{workload.name}: no job was submitted from {first} to before {last}; expected a part of {_span(workload)}"
        )
    return part


def _span(workload: "Workload") -> str:
    """When jobs were submitted, for messages."""
    submit = workload.jobs.submit
    if submit.empty:
        return "a log with jobs"
    if workload.start is None:
        return f"{submit.iloc[0]:,} to {submit.iloc[-1]:,} s"
    return f"{workload.time(submit.iloc[0]):%Y-%m-%d %H:%M} to {workload.time(submit.iloc[-1]):%Y-%m-%d %H:%M}"


def partition(workload: _Workload, *partitions: int | str, procs: int) -> _Workload:
    """Select the jobs of one or several partitions (field 16 of the log), on a machine of their size."""
    name = workload.name
    if workload.log is None:
        raise ValueError(f"{name}: has no log, so the jobs' partitions are not known; expected one read from SWF")
    log = workload.log
    names = _partition_names(workload)
    counts = log.partition.loc[workload.jobs.index].value_counts().sort_index().to_dict()
    numbers = {number: number for number in counts} | {str(number): number for number in counts}
    numbers |= {called: number for number, called in names.items() if number in counts}
    called = ", ".join(map(str, partitions))
    chosen = [numbers.get(one) if isinstance(one, (int, str, np.integer)) else None for one in partitions]
    if not chosen or None in chosen:
        known = ", ".join(
            f"{number}{f' {names[number]}' if number in names else ''} ({count:,} jobs)"
            for number, count in counts.items()
        )
        raise ValueError(f"{name}: found partition {called or 'none'}, expected one or several of {known}")
    part = _part(workload, lambda jobs: log.partition.loc[jobs.index].isin(chosen), f"partition {called}")
    return part.with_procs(procs)


def _partition_names(workload: "Workload") -> dict[int, str]:
    """The names of partitions by number, as lines of the header such as `Partition: 3 batch` tell them."""
    found = (re.match(r"\s*Partition:\s*(\d{1,9})\s+(\S.*?)\s*(?:[(\[].*)?$", line) for line in workload.header)
    return {int(line[1]): line[2] for line in found if line}
