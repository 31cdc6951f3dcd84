"""Schedule slowly and obviously, to check other schedulers: from MF section 2 and Tang et al. sections 4 and 5.

The compiled engine is compared with it job by job, and so can be a policy of your own. It shares no code with the
engine and avoids its ideas: no event queue, no sorted arrays, no profile kept up to date. Every question ("how many
processors are free then?") is answered by going through all jobs. So it is for hundreds of jobs, not for whole logs.

>>> import simlib
>>> from simlib.explain import differences, reference
>>> w = simlib.load("sample")
>>> few = w.select(w.jobs.index <= 60)
>>> right = reference.simulate(few, simlib.EASY())
>>> print(differences.first_difference(simlib.simulate(few, simlib.EASY()), right))
None
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.policy import Policy
from ..core.schedule import Schedule
from ..core.workload import Workload
from ..policies.conservative import Conservative as ConservativePolicy
from ..policies.conservative import Selective as SelectivePolicy
from ..policies.easy import EASY as EasyPolicy
from ..policies.easy import FCFS as FcfsPolicy
from ..policies.orders import BACKFILL, ORDERS, Multifactor, asked_for
from ..policies.predictions import Predictions
from .reference_schedulers import (
    EASY,
    FCFS,
    AdjustedEASY,
    Asking,
    Conservative,
    Predicting,
    Reserving,
    schedule,
    sjf,
    wfp,
)

if TYPE_CHECKING:
    from ..policies.walltime import Adjustment, Scheme


def simulate(workload: Workload, policy: Policy, overrun: str = "extend", feedback: bool = False) -> Schedule:
    """Schedule a workload's jobs as `simlib.simulate` does, slowly and obviously.

    Parameters
    ----------
    workload, policy, overrun, feedback
        As for `simlib.simulate`; the policy is one of this package. An order may be any function of what it asks for,
        for it is not compiled.

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
    priority = _order(getattr(policy, "order", "fcfs"), ORDERS, jobs)
    if type(policy) is FcfsPolicy:
        return FCFS(priority)
    if type(policy) is ConservativePolicy:
        return Reserving(np.inf, 0, priority) if priority else Conservative(policy.compress)
    if type(policy) is SelectivePolicy:
        return Reserving(np.inf, None if policy.threshold == "adaptive" else float(policy.threshold), priority)
    if type(policy) is EasyPolicy:
        return _easy(policy, jobs, priority)
    raise ValueError(
        f"reference: found policy {policy!r}, expected simlib.FCFS(), EASY(...), Conservative(...) or Selective(...)"
    )


def _easy(policy: EasyPolicy, jobs: pd.DataFrame, priority: Callable[..., float] | None) -> FCFS:
    """The scheduler that does what EASY's options say."""
    if policy.reservations != 1:
        return Reserving(policy.reservations, 0, priority)
    lookahead = policy.backfill == "lookahead"
    backfill = None if lookahead or policy.backfill is None else _order(policy.backfill, BACKFILL, jobs)
    options: dict[str, Any] = {"reuse_extra": policy.reuse_extra, "priority": priority, "backfill": backfill}
    options["lookahead"] = lookahead
    if isinstance(policy.adjust, Predictions):
        return Predicting(*_predictions(policy.adjust, jobs), **options)
    return AdjustedEASY(*_adjustment(policy.adjust, jobs), **options) if policy.adjust else EASY(**options)


def _order(order: Any, names: dict[str, Callable], jobs: pd.DataFrame) -> Any:
    """The function by which a queue is sorted; None for the order of arrival."""
    if order == "fcfs":
        return None
    if isinstance(order, str) and order in ("sjf", "wfp"):
        return {"sjf": sjf, "wfp": wfp}[order]
    function = names[order] if isinstance(order, str) else getattr(order, "function", order)

    def of_floats(**told: float) -> float:
        with np.errstate(all="ignore"):  # as where it is compiled: a division by zero is infinite
            return function(**{name: np.float64(value) for name, value in told.items()})

    asked = asked_for(order, names)
    about = jobs.reindex(columns=["user", "group", "queue"], fill_value=-1)
    account, half_life = (order.account, order.half_life_s) if isinstance(order, Multifactor) else ("user", 7 * 86400)
    rows: Any = about.assign(account=about[account]).to_dict("records")
    return Asking(of_floats, asked, rows, half_life)


def _predictions(adjust: Predictions, jobs: pd.DataFrame) -> tuple:
    """The arguments of `Predicting` for a `simlib.Predictions`."""
    columns = {"last two": ["user"], "same estimate": ["user", "estimate"]}.get(adjust.predictor)
    past = jobs[:0] if adjust.past is None else adjust.past.sort_values("submit", kind="stable")
    keys, earlier = ([_key(of, columns) for of in table.to_dict("records")] for table in (jobs, past))
    switches = adjust.queue, adjust.backfill, adjust.running
    known = list(zip(earlier, past.run, strict=True))
    return keys, known, jobs.estimate.clip(lower=1).tolist(), switches, adjust.correct, adjust.predictor == "exact"


def _key(job: dict, columns: list[str] | None) -> tuple | None:
    """What a job has in common with those that predict it; None for nothing."""
    return tuple(job[name] for name in columns) if columns and job["user"] != -1 else None


def _adjustment(adjust: "Adjustment", jobs: pd.DataFrame) -> tuple:
    """The arguments of `AdjustedEASY` for a `simlib.policies.walltime.Adjustment`."""
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
