"""A schedule made once more, by the policies in plain Python."""

from functools import partial

import numpy as np

from ..orders import compiled
from ..policies import EASY, FCFS, Conservative
from .conservative import conservative
from .easy import easy
from .fcfs import fcfs
from .system import Job, System, decisions


def scheduler(policy):
    """The plain version of a policy: a function of a System that decides at an instant.

    Raises
    ------
    ValueError
        For a policy that has none.
    """
    if type(policy) is FCFS:
        return fcfs
    if type(policy) is EASY and policy.adjust is None:
        # the compiled function: where Python's last digit is another one, ties would be broken otherwise
        priority = None if policy.order == "fcfs" else compiled(policy.order).ctypes
        return partial(easy, reuse_extra=policy.reuse_extra, order=policy.order, priority=priority)
    if type(policy) is Conservative:
        return partial(conservative, compress=policy.compress)
    raise ValueError(
        f"explain: found policy {policy!r}, expected FCFS(), EASY(...) without adjusted estimates, or Conservative(...)"
    )


def replay(schedule, jobs=None):
    """A system before its first instant, and the decisions that make the schedule of it.

    Parameters
    ----------
    schedule : Schedule
    jobs : DataFrame, optional
        Those of `schedule.jobs` to schedule, in order of submit times.

    Returns
    -------
    System, iterator
        See `simlib.explain.system.decisions`.
    """
    jobs = schedule.jobs if jobs is None else jobs
    estimate = np.maximum(jobs.estimate, jobs.run)  # an overrun was extended, or the run cut at the estimate
    columns = (column.tolist() for column in (jobs.submit, jobs.run, estimate, jobs.procs))
    rows = zip(jobs.index.tolist(), range(len(jobs)), *columns, strict=True)
    procs = schedule.workload.procs
    profile = [[0, procs]] if type(schedule.policy) is Conservative else None
    system = System(procs, [Job(*row) for row in rows], profile=profile)
    return system, decisions(system, scheduler(schedule.policy))
