"""Divide the jobs of a workload by when they were submitted, who submitted them, where they ran and their size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..arrays import Codes, Ints
from ..workload import Workload

ALL = "all"

BY = (ALL, "month", "user", "group", "queue", "partition", "size")
"""How jobs can be divided: not at all, by the month of their submission, by whom and where, by size class."""

WEEK = 7 * 86400


@dataclass(frozen=True)
class Groups:
    """Say which group each job is in, for each way to divide them.

    Attributes
    ----------
    index : MultiIndex
        A row a group: `by`, out of `BY`, and `group`, its name.
    code : int32 array, shape (jobs, ways)
        The row of each job, by each way; -1 where its group is not known or too small.
    jobs : int64 array
        Of each row.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 8, A=(0, 9, 9, 1), B=(1, 9, 9, 2), C=(2, 9, 9, 2))
    >>> groups = grouped(w, by=["all", "size"], least=1)
    >>> groups.index.to_list(), groups.jobs.tolist(), groups.code.tolist()
    ([('all', 'all'), ('size', '1'), ('size', '2')], [3, 1, 2], [[0, 1], [0, 2], [0, 2]])
    """

    index: pd.MultiIndex
    code: Codes
    jobs: Ints


def grouped(workload: Workload, by: Sequence[str] = BY, least: int = 30) -> Groups:
    """Divide a workload's jobs.

    Parameters
    ----------
    workload : Workload
    by : sequence of str
        Out of `BY`. What a log does not have, such as queues, or has only one of, is left out; jobs of which it is not
        known are in no group. All jobs together come first, whether they are asked for or not.
    least : int
        Groups of fewer jobs are left out: their percentiles would be single jobs. All jobs are one, however few.

    Returns
    -------
    Groups

    Raises
    ------
    ValueError
        For another `by`, or none.

    Examples
    --------
    >>> import simlib
    >>> groups = grouped(simlib.load("sample"), by=["all", "month"])
    >>> groups.index.get_level_values("group").to_list()
    ['all', '2026-01', '2026-02', '2026-03']
    """
    if isinstance(by, str) or not by or not all(way in BY for way in by):
        raise ValueError(f"{workload.name}: found by={by!r}, expected a list of some of {', '.join(map(repr, BY))}")
    rows: list[tuple[str, str]] = []
    codes, sizes = [], []
    for way in dict.fromkeys([ALL, *by]):
        names, of_job = _divided(workload, way)
        jobs = np.bincount(of_job[of_job >= 0], minlength=len(names))
        large = jobs >= (1 if way == ALL else least)
        if way != ALL and large.sum() < 2:
            continue
        row = np.where(large, len(rows) + np.cumsum(large) - 1, -1)
        codes.append(np.where(of_job >= 0, row[of_job], -1))
        rows += [(way, str(name)) for name, kept in zip(names, large, strict=True) if kept]
        sizes.append(jobs[large])
    index = pd.MultiIndex.from_tuples(rows, names=["by", "group"])
    code = np.array(codes, np.int32).reshape(len(codes), len(workload))
    return Groups(index, np.ascontiguousarray(code.T), np.concatenate(sizes))


def _divided(workload: Workload, way: str) -> tuple[list, Ints]:
    """The names of the groups, in order, and each job's place among them, -1 where it is not known."""
    jobs = workload.jobs
    if way == ALL:
        return [ALL], np.zeros(len(jobs), np.int64)
    if way == "month":
        if workload.start is None:
            return [], np.full(len(jobs), -1)
        code, names = pd.factorize(workload.calendar_month(jobs.submit), sort=True)
        return list(names), code
    if way == "size":
        from ..size_classes import class_name, size_class  # slow to import

        code, classes = pd.factorize(size_class(jobs.procs), sort=True)
        return [class_name(int(upper)) for upper in classes], code
    if way == "partition":
        values = -np.ones(len(jobs)) if workload.log is None else workload.log.partition.loc[jobs.index].to_numpy()
    else:
        values = jobs[way].to_numpy()
    code, names = pd.factorize(np.where(values >= 0, values, np.nan), sort=True)
    return [f"{name:.0f}" for name in names], code


def blocks(workload: Workload, length: str = "week") -> Ints:
    """Number the weeks or the calendar months in which jobs were submitted, for resampling.

    Parameters
    ----------
    workload : Workload
    length : {"week", "month"}
        Weeks begin with the first submission.

    Returns
    -------
    int64 array
        Of each job, counted from 0; there may be empty ones in between.

    Raises
    ------
    ValueError
        For another length, or months where the log has no calendar.

    Examples
    --------
    >>> import simlib
    >>> blocks(simlib.load("sample")).max(), blocks(simlib.load("sample"), "month").max()
    (np.int64(12), np.int64(2))
    """
    submit = workload.jobs.submit.to_numpy()
    if length == "week":
        return (submit - (submit[0] if len(submit) else 0)) // WEEK
    if length == "month":
        months, edges = workload.month_starts(submit[0], submit[-1]) if len(submit) else ([], np.zeros(1, np.int64))
        return np.searchsorted(edges, submit, side="right") - 1
    raise ValueError(f"{workload.name}: found block={length!r}, expected 'week' or 'month'")
