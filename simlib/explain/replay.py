"""Make a schedule a second time, by the policies in plain Python."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..orders import compiled
from ..policies import EASY, FCFS, Conservative
from ..schedule import Schedule
from .conservative import conservative
from .easy import easy
from .fcfs import fcfs
from .system import Decisions, Job, Profile, System, decisions


def scheduler(policy: Any) -> Callable[[System], Decisions]:
    """Choose the plain version of a policy: a function of a System that decides at an instant.

    Raises
    ------
    ValueError
        For a policy that has none.

    Examples
    --------
    >>> scheduler(FCFS()).__name__
    'fcfs'
    """
    if type(policy) is FCFS:
        return fcfs
    if type(policy) is EASY and policy.adjust is None:
        # the compiled function, because Python's may differ in the last digit, and ties would be broken in another way
        priority = None if policy.order == "fcfs" else compiled(policy.order).ctypes
        return partial(easy, reuse_extra=policy.reuse_extra, order=policy.order, priority=priority)
    if type(policy) is Conservative:
        return partial(conservative, compress=policy.compress)
    raise ValueError(
        f"explain: found policy {policy!r}, expected FCFS(), EASY(...) without adjusted estimates, or Conservative(...)"
    )


def replay(schedule: Schedule, jobs: pd.DataFrame | None = None) -> tuple[System, Decisions]:
    """Make a system before its first instant, and the decisions by which it becomes the schedule.

    Parameters
    ----------
    schedule : Schedule
    jobs : DataFrame, optional
        Those of `schedule.jobs` to schedule, in order of submit times.

    Returns
    -------
    System, iterator
        See `simlib.explain.system.decisions`.

    Examples
    --------
    >>> import simlib
    >>> one = simlib.Workload.of("one job", 4, A=(0, 10, 10, 3))
    >>> system, steps = replay(simlib.simulate(one, FCFS()))
    >>> [rule.name for rule, *_ in steps]
    ['jobs end or arrive', 'the head fits', 'jobs end or arrive']
    """
    jobs = schedule.jobs if jobs is None else jobs
    estimate = np.maximum(jobs.estimate, jobs.run)  # a job that overran had its estimate raised, or its run cut
    columns = (column.tolist() for column in (jobs.submit, jobs.run, estimate, jobs.procs))
    rows = zip(jobs.index.tolist(), range(len(jobs)), *columns, strict=True)
    procs = schedule.workload.procs
    profile: Profile | None = [[0, procs]] if type(schedule.policy) is Conservative else None
    system = System(procs, [Job(*row) for row in rows], profile=profile)
    return system, decisions(system, scheduler(schedule.policy))
