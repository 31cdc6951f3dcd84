"""Recorded schedules, from a log's own times: measured as simulated ones are."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import metrics
from ..core.schedule import Schedule
from ..core.workload import Workload
from .doubts import LogWarning


@dataclass(frozen=True)
class Recorded:
    """Replace the policy of a recorded schedule: the real one is unknown."""

    def schedule(self, *_: Any, **__: Any) -> dict[str, np.ndarray]:
        """Refuse to plan: a log does not say how its scheduler decided."""
        raise ValueError(
            "recorded: a log says when jobs ran, not by which rules, so nothing else can be scheduled so; expected a "
            "policy such as simlib.EASY()"
        )


def recorded(workload: Workload) -> Schedule:
    """Make a Schedule of the log's own times: each job starts its recorded wait after its submission.

    A policy alone does not explain recorded waits: limits of users and queues, holds, dependencies, reservations and
    outages also cause them, and no log has these. `Schedule.plan` is not known; `Schedule.check` tells where more
    processors were in use than the machine has. As in simulations, a job counts as backfilled if it started while an
    earlier job was waiting: if jobs are held for weeks, nearly every job counts.

    Parameters
    ----------
    workload : Workload
        A log, or some of its jobs; estimates may differ from the log's.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        If there is no log, or submit and run times are no longer the log's own.

    Warns
    -----
    LogWarning
        If waits are not recorded: they count as zero. If more processors or GPUs were in use than the machine has.

    Examples
    --------
    >>> import pandas as pd, simlib
    >>> log = pd.DataFrame(-1, index=[1, 2], columns=simlib.logs.swf.FIELDS)
    >>> log = log.assign(submit=[0, 5], wait=[0, 30], run=60, procs=4)
    >>> simlib.recorded(simlib.Workload(simlib.logs.swf.jobs_of(log), 8, log=log)).jobs[["start", "end", "wait"]]
       start  end  wait
    1      0   60     0
    2     35   95    30
    """
    jobs = workload.jobs
    if workload.log is None:
        raise ValueError(
            f"{workload.name}: recorded: has no log, so it is not known when jobs ran; expected one read from SWF"
        )
    log = workload.log.loc[jobs.index, ["submit", "wait", "run"]].round()
    if changed := [column for column in ("submit", "run") if (log[column] != jobs[column]).any()]:
        raise ValueError(
            f"{workload.name}: recorded: found other {' and '.join(changed)} times than the log's "
            f"({'; '.join(workload.history)}); expected the log's own, or some of its jobs"
        )
    submit, run, wait = (column.to_numpy(np.int64) for column in (jobs.submit, jobs.run, log.wait))
    start = submit + np.maximum(wait, 0)
    passed = start < np.maximum.accumulate(start) if len(start) else np.zeros(0, bool)
    schedule = Schedule(workload, Recorded(), "extend", run, start, backfilled=passed)
    doubtful = []
    if unknown := int((wait < 0).sum()):
        doubtful.append(f"{unknown:,} of {len(wait):,} jobs have no wait time, which counts as none")
    most, above, seconds = excess(schedule)
    if above:
        doubtful.append(
            f"up to {most:,.0f} processors were in use at once, the machine has {workload.procs:,}; it was exceeded "
            f"for {above:,} s, {100 * above / seconds:.2g} % of the time"
        )
    gpus = metrics.most_at_once(start, start + run, jobs.gpus.to_numpy(np.int64)) if workload.needs_gpus else 0
    if gpus > workload.gpus:
        doubtful.append(f"up to {gpus:,} GPUs were in use at once, the machine has {workload.gpus:,}")
    for sentence in doubtful:
        warnings.warn(f"{workload.name}: recorded: {sentence}", LogWarning, stacklevel=2)
    return schedule


def excess(schedule: Schedule) -> tuple[float, int, int]:
    """Find the largest number of processors in use, and the number of seconds in which it exceeded the machine."""
    if not len(schedule.workload):
        return 0.0, 0, 0
    steps = schedule.utilization()
    seconds, busy = np.diff(steps.index), steps.to_numpy()[:-1]
    return float(steps.max() * schedule.workload.procs), int(seconds[busy > 1 + 1e-9].sum()), int(seconds.sum())
