"""Predict when each job starts, as a scheduler does on its arrival; measure the accuracy of predicted run times."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from .._util.arrays import Floats, Ints
from .._util.compiled import bar_shows
from ..core.schedule import Policy, Schedule, simulate
from ..core.workload import Workload
from ..engine.estimating import STEPS
from ..policies import adjusting
from ..policies.conservative import Conservative, Selective
from ..policies.easy import EASY, FCFS, Predictions
from ..policies.orders import BACKFILL, THREE, Thresholded, asked_for

_AGES = 2**49
"""Seconds for which nobody waits, where all jobs one after another take less; floats can add and compare them exactly.
It is the same for all logs, so that an order is compiled once."""


def predicted_starts(workload: Workload, policy: Policy, overrun: str = "extend") -> pd.DataFrame:
    """Predict when each job starts, from the facts that are known in the second of its arrival.

    The prediction is the start under the policy itself, if no other job arrived and all jobs ran as long as expected:
    for their estimates or, if the policy adjusts or predicts estimates, for the adjusted one until the job has outlived
    it. Under conservative backfilling the prediction is the guarantee. So an error has two causes: jobs end before
    their estimates, so that others start earlier; and later jobs are favoured, so that others start later.

    Under `FCFS` and `EASY` each prediction needs a simulation of the jobs that run or wait then. If decisions depend on
    more than these, such as reservations, usage, adjusted estimates or submit times, and for policies from outside the
    package, it needs a simulation of all jobs up to then. For n jobs this takes n / 2 times as long as the policy
    itself: a minute or two for 30,000 jobs, hours for 200,000 or for plain Python.

    Parameters
    ----------
    workload, policy, overrun
        As for `simlib.simulate`. Your own policy must not read run times before jobs end. Each job is submitted at the
        workload's time: there is no feedback.

    Returns
    -------
    DataFrame
        By the index of the jobs, in seconds: `predicted`, the start predicted on arrival; `start`, the simulated start;
        `error`, start - predicted, above 0 for a job that starts later than predicted.

    References
    ----------
    W. Smith, V. Taylor and I. Foster, "Using run-time predictions to estimate queue wait times and improve scheduler
    performance", JSSPP 1999, LNCS 1659 (the abstract). Slurm shows such a start with `squeue --start`, for jobs that
    its backfill scheduler has considered.

    Examples
    --------
    C's predicted start is A's expected end, but A ends early. D comes later, is shorter than B, and passes it.

    >>> import simlib
    >>> w = simlib.Workload.of("four jobs", 4, A=(0, 10, 20, 3), B=(1, 9, 9, 4), C=(2, 5, 5, 4), D=(3, 6, 6, 4))
    >>> simlib.predicted_starts(w, simlib.FCFS(order="sjf"))
       predicted  start  error
    A          0      0      0
    B         20     21      1
    C         20     10    -10
    D         25     15    -10
    """
    schedule = simulate(workload, policy, overrun)
    start = schedule.column("start")
    predicted = schedule.column("guarantee") if type(policy) is Conservative else _told(schedule)
    return pd.DataFrame({"predicted": predicted, "start": start, "error": start - predicted}, workload.jobs.index)


def _told(schedule: Schedule) -> Ints:
    """Predict all starts; for a job that starts on arrival, the prediction is its start."""
    start, submit, run = (schedule.column(name) for name in ("start", "submit", "run"))
    predicted = start.copy()
    again = np.isin(submit, start[run == 0])  # a job ends at once, sooner than expected, and others start
    unsettled = np.flatnonzero((start > submit) | again)
    sees_no_more = _sees_no_more(schedule.policy) and not schedule.workload.needs_gpus and _in_a_row(schedule) < _AGES
    what_if = _by_state(schedule) if sees_no_more else _by_replay(schedule)
    arrivals = submit[unsettled]
    for now in tqdm(np.unique(arrivals).tolist(), desc="predict", unit=" instants", delay=1, disable=not bar_shows()):
        arrived = unsettled[slice(*np.searchsorted(arrivals, [now, now + 1]))]
        predicted[arrived] = what_if(now, arrived)
    return predicted


_WhatIf = Callable[[int, Ints], Ints]
"""A function of a second and of the places of jobs that arrive then, which finds when these start."""


def _sees_no_more(policy: Any) -> bool:
    """Tell whether a policy decides only by the jobs that run or wait: their waits, estimates and sizes."""
    if type(policy) is FCFS:
        asked = asked_for(policy.order)
    elif type(policy) is EASY and policy.adjust is None and policy.reservations == 1:
        asked = asked_for(policy.order)
        if policy.backfill is not None and policy.backfill != "lookahead":
            asked += asked_for(policy.backfill, BACKFILL)
    else:
        return False
    return set(asked) <= set(THREE)


def _in_a_row(schedule: Schedule) -> int:
    """Seconds from the first submission to the end of all jobs, if they ran one after another from the last one on."""
    submit = schedule.column("submit")
    return sum(_estimates(schedule).tolist(), int(submit[-1] - submit[0]) if len(submit) else 0)


def _by_state(schedule: Schedule) -> _WhatIf:
    """Continue the simulation from the jobs that run or wait.

    An artificial job takes the whole machine until now, so that no waiting job starts earlier. Then the running jobs
    start, for the rest of their estimates; their rank is the highest because of very early submit times.
    """
    policy: Any = schedule.policy
    if isinstance(policy.order, Thresholded):
        policy = replace(policy, order=replace(policy.order, seconds=min(policy.order.seconds, _AGES)))
    elif policy.order != "fcfs":
        policy = replace(policy, order=Thresholded(policy.order, _AGES))
    submit, start, end = (schedule.column(name) for name in ("submit", "start", "end"))
    estimate, procs, machine = _estimates(schedule), schedule.column("procs"), schedule.workload.procs
    alive, known = np.empty(0, np.int64), 0

    def what_if(now: int, arrived: Ints) -> Ints:
        nonlocal alive, known
        before, known = known, int(np.searchsorted(submit, now, "right"))
        alive = np.concatenate([alive, np.arange(before, known)])
        alive = alive[end[alive] > now - (start[alive] == now)]  # one of no length that starts now is there, too
        runs = start[alive] < now
        running, waiting = alive[runs], alive[~runs]
        left = np.concatenate([[2 * _AGES + 1], start[running] + estimate[running] - now, estimate[waiting]])
        sizes = np.concatenate([[machine], procs[running], procs[waiting]])
        begin = np.full(1 + len(running), now - 2 * _AGES)
        begin[0] -= 1
        told = policy.schedule(np.concatenate([begin, submit[waiting]]), left, left, sizes, machine)["start"]
        return told[len(begin) + np.searchsorted(waiting, arrived)]

    return what_if


def _by_replay(schedule: Schedule) -> _WhatIf:
    """Simulate from the first job on: jobs that have ended by now run as they did, so all happens again up to now."""
    workload, policy = schedule.workload, schedule.policy
    jobs = workload.jobs
    columns = [schedule.column(name) for name in ("submit", "run", "procs", "start", "end")]
    submit, run, procs, start, end = columns
    estimate = _estimates(schedule)
    planned = schedule.column("adjusted") if "adjusted" in schedule.names else estimate
    of_package = type(policy) in (FCFS, EASY, Selective) and not workload.needs_gpus
    prepared: Any = policy.prepare(jobs) if of_package else policy  # type: ignore[attr-defined]

    def what_if(now: int, arrived: Ints) -> Ints:
        known = slice(np.searchsorted(submit, now, "right"))
        expected = np.where(start[known] + planned[known] > now, planned[known], estimate[known])
        runs = np.where(end[known] <= now - (start[known] == now), run[known], expected)
        if of_package:
            given = submit[known], runs, estimate[known], procs[known], workload.procs
            return np.asarray(prepared.schedule(*given)["start"])[arrived]
        now_known = jobs[known].assign(run=runs, estimate=estimate[known])
        return simulate(workload.derive(now_known, f"known at {now}"), policy).column("start")[arrived]

    return what_if


def _estimates(schedule: Schedule) -> Ints:
    """The estimates that the scheduler uses; none is below the run time."""
    estimates: Ints = np.maximum(schedule.column("estimate"), schedule.column("run"))
    return estimates


def accuracy(schedule: Schedule) -> pd.Series:
    """Measure the accuracy of each job's prediction: the smaller of prediction and run time divided by the larger.

    A prediction may be corrected, so the mean counts over the job's time in the system, from its submission to its end.
    Without predictions it is the user's estimate, even if the job runs longer. Under
    `simlib.policies.adjusting.Adjustment` it is the adjusted estimate, without corrections.

    Parameters
    ----------
    schedule : Schedule

    Returns
    -------
    Series
        By job, from 0 to 1; 1 if both are zero.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005, section 4.

    Examples
    --------
    The second job was predicted to run for 10 s, as the first one did, and after 10 s for its estimate of 60 s. It was
    in the system for 30 s, so its mean prediction is (10 x 10 + 20 x 60) / 30 = 43.3 s.

    >>> import pandas as pd, simlib
    >>> rows = {"submit": [0, 100], "run": [10, 30], "estimate": 60, "procs": 1, "user": 7}
    >>> w = simlib.Workload(pd.DataFrame(rows), 4)
    >>> accuracy(simlib.simulate(w, simlib.EASY(adjust=simlib.Predictions()))).round(3).to_list()
    [0.167, 0.692]
    """
    names, policy = schedule.names, schedule.policy
    if "mean_prediction" in names:
        predicted = schedule.column("mean_prediction")
    elif isinstance(getattr(policy, "adjust", None), Predictions) and policy.adjust.correct:  # type: ignore[attr-defined]
        predicted = _mean_of_corrected(schedule)
    else:
        predicted = schedule.column("adjusted") if "adjusted" in names else schedule.workload.jobs.estimate.to_numpy()
    return pd.Series(
        adjusting.accuracy(schedule.column("run"), predicted), schedule.workload.jobs.index, name="accuracy"
    )


def _mean_of_corrected(schedule: Schedule) -> Floats:
    """Average the predictions of each job over its time in the system, as `simlib.Predictions` corrects them."""
    wait, run, first = schedule.column("wait"), schedule.column("run"), schedule.column("adjusted")
    longer = schedule.workload.jobs.estimate.clip(lower=1).to_numpy()
    total = first * (wait + np.minimum(run, first)).astype(float)
    outlived, steps = first, iter(STEPS)
    while (run > outlived).any():
        total += longer * np.clip(np.minimum(run, longer) - outlived, 0, None)
        outlived = np.maximum(outlived, longer)
        longer = longer + next(steps, STEPS[-1])
    response = wait + run
    return np.divide(total, response, out=first.astype(float), where=response > 0)
