"""What happened on the machine by the log's own times, as a schedule that can be measured as simulated ones are."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._util.arrays import Ints
from ..core.schedule import Schedule
from ..core.workload import Workload
from .sanity import LogWarning


@dataclass(frozen=True)
class Recorded:
    """Stand in a recorded schedule where others have their policy: nobody knows what it was."""

    def schedule(self, *_: Any, **__: Any) -> dict[str, np.ndarray]:
        """Refuse to plan: a log does not say how its scheduler decided."""
        raise ValueError(
            "recorded: a log says when jobs ran, not by which rules, so nothing else can be scheduled so; expected a "
            "policy such as simlib.EASY()"
        )


def recorded(workload: Workload) -> Schedule:
    """Take what happened by the log's own times as a Schedule: each job starts its recorded wait after its submission.

    Recorded waits are not what a policy alone would give: limits of users and queues, holds, jobs that wait for others,
    reservations and outages are in them, and in no log. `Schedule.plan` is not known; `Schedule.check` says where more
    processors were in use than there are. As backfilled counts, as in simulations, a job that started while one that
    came earlier was waiting: where jobs are held for weeks, that is nearly every one.

    Parameters
    ----------
    workload : Workload
        Of a log, or some of its jobs; their estimates may be others.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        Where there is no log, or the submit and run times are not the log's own any more.

    Warns
    -----
    LogWarning
        Where waits are not recorded: they count as none. Where more processors were in use than the machine has.

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
    submit, run, wait = (of.to_numpy(np.int64) for of in (jobs.submit, jobs.run, log.wait))
    start = submit + np.maximum(wait, 0)
    made = Schedule(workload, Recorded(), "extend", run, start, backfilled=_passed(start))
    for sentence in (_unknown(wait), _excess(made)):
        if sentence:
            warnings.warn(f"{workload.name}: recorded: {sentence}", LogWarning, stacklevel=2)
    return made


def _passed(start: Ints) -> np.ndarray:
    """Whether each job, in order of arrival, starts before one that came earlier."""
    return start < np.maximum.accumulate(start) if len(start) else np.zeros(0, bool)


def _unknown(wait: Ints) -> str:
    """Say how many waits are not recorded, if any."""
    count = int((wait < 0).sum())
    return f"{count:,} of {len(wait):,} jobs have no wait time, which counts as none" if count else ""


def _excess(schedule: Schedule) -> str:
    """Say by how much, and for how long, more processors were in use than the machine has, if ever."""
    if not len(schedule.workload):
        return ""
    steps = schedule.utilization()
    above = steps.to_numpy()[:-1] > 1 + 1e-9
    if not above.any():
        return ""
    seconds = np.diff(steps.index)
    machine = schedule.workload.procs
    return (
        f"up to {steps.max() * machine:,.0f} processors were in use at once, the machine has {machine:,}; it was "
        f"exceeded for {seconds[above].sum():,} s, {100 * seconds[above].sum() / seconds.sum():.2g} % of the time"
    )
