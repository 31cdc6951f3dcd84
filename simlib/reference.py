"""Schedule slowly and obviously, to check other schedulers: from MF section 2 and Tang et al. sections 4 and 5.

The compiled engine is compared with it job by job, and so can be a policy of your own. It shares no code with the
engine and avoids its ideas: no event queue, no sorted arrays, no profile kept up to date. Every question ("how many
processors are free then?") is answered by going through all jobs. So it is for hundreds of jobs, not for whole logs.

>>> import simlib
>>> from simlib import reference
>>> w = simlib.load("sample")
>>> few = w.select(w.jobs.index <= 60)
>>> right = reference.simulate(few, simlib.EASY())
>>> print(reference.first_difference(simlib.simulate(few, simlib.EASY()), right))
None
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .differences import Difference as Difference
from .differences import first_difference as first_difference
from .orders import Order
from .policies import EASY as EasyPolicy
from .policies import FCFS as FcfsPolicy
from .policies import Conservative as ConservativePolicy
from .policies import Policy
from .reference_schedulers import EASY as EASY
from .reference_schedulers import FCFS as FCFS
from .reference_schedulers import AdjustedEASY as AdjustedEASY
from .reference_schedulers import Conservative as Conservative
from .reference_schedulers import Job as Job
from .reference_schedulers import next_instant as next_instant
from .reference_schedulers import schedule as schedule
from .reference_schedulers import sjf as sjf
from .reference_schedulers import wfp as wfp
from .schedule import Schedule
from .workload import Workload

if TYPE_CHECKING:
    from .walltime import Adjustment, Scheme


def simulate(workload: Workload, policy: Policy, overrun: str = "extend", feedback: bool = False) -> Schedule:
    """Schedule a workload's jobs as `simlib.simulate` does, slowly and obviously.

    Parameters
    ----------
    workload, policy, overrun, feedback
        As for `simlib.simulate`; the policy is FCFS, EASY or Conservative. An order of EASY may be any function of
        (wait, estimate, size), for it is not compiled.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        For a policy that is written nowhere here.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simulate(w, simlib.EASY()).jobs.start.to_list()
    [0, 10, 2]
    """
    jobs = workload.jobs
    run = jobs.run.clip(upper=jobs.estimate.clip(lower=0)) if overrun == "kill" else jobs.run
    rows = zip(jobs.submit, run, jobs.estimate.clip(lower=run), jobs.procs, strict=True)
    place, think = (column.tolist() for column in workload.followed()) if feedback else ([], [])
    follows = {job: link for job, link in enumerate(zip(place, think, strict=True)) if link[0] >= 0}
    whole = [(int(submit), int(run), int(estimate), int(size)) for submit, run, estimate, size in rows]
    done = schedule(whole, workload.procs, _scheduler(policy, jobs), follows)
    columns = {"start": "start", "submit": "submit", "backfilled": "backfilled"}
    if type(policy) is ConservativePolicy:
        columns["guarantee"] = "guarantee"
    if getattr(policy, "adjust", None) is not None:
        columns["adjusted"] = "adjusted"
    arrays = {name: np.array([getattr(job, own) for job in done]) for name, own in columns.items()}
    return Schedule(workload, policy, overrun, run.to_numpy(), **arrays, feedback=feedback)


def _scheduler(policy: Policy, jobs: pd.DataFrame) -> FCFS:
    """The scheduler of this module that does what a policy says."""
    if type(policy) is FcfsPolicy:
        return FCFS()
    if type(policy) is ConservativePolicy:
        return Conservative(policy.compress)
    if type(policy) is EasyPolicy:
        options: dict[str, Any] = {"reuse_extra": policy.reuse_extra, "priority": _priority(policy.order)}
        return AdjustedEASY(*_adjustment(policy.adjust, jobs), **options) if policy.adjust else EASY(**options)
    raise ValueError(f"reference: found policy {policy!r}, expected simlib.FCFS(), EASY(...) or Conservative(...)")


def _priority(order: Order) -> Callable[..., float] | None:
    """The function of (wait, estimate, size) by which the queue is sorted; None for the order of arrival."""
    if isinstance(order, str):
        return {"fcfs": None, "sjf": sjf, "wfp": wfp}[order]

    def of_floats(*numbers: float) -> float:
        with np.errstate(all="ignore"):  # as where it is compiled: a division by zero is infinite
            return order(*map(np.float64, numbers))

    return of_floats


def _adjustment(adjust: "Adjustment", jobs: pd.DataFrame) -> tuple:
    """The arguments of `AdjustedEASY` for a `simlib.walltime.Adjustment`."""
    scheme = adjust.scheme
    past = adjust.past if adjust.past is not None else jobs[:0].assign(end=0)
    used = [min(1, run / estimate) if estimate else 1 for run, estimate in zip(past.run, past.estimate, strict=True)]
    earlier = list(zip(_keys(past, scheme), used, past.end, strict=True))
    switches = adjust.queue, adjust.backfill, adjust.running
    limits = scheme.window_s, scheme.percentile, scheme.threshold or 0, scheme.least
    return _keys(jobs, scheme), earlier, *limits, switches, adjust.overdue


def _keys(jobs: pd.DataFrame, scheme: "Scheme") -> list[tuple | None]:
    """The key of each job, None where a part of it is not known."""
    parts = zip(*(jobs[column] for column in scheme.columns), strict=True)
    return [None if -1 in key else key for key in parts]
