"""Recorded schedules, from a log's own times, and schedules written for other tools."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._util import paths
from ..core import metrics
from ..core.schedule import Schedule
from ..core.workload import Workload
from .swf import LogWarning

# What happened, as a schedule that can be measured as simulated ones are.


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


# Write schedules for other people's tools.


_FAILED = (0, 5)
"""What SWF's status says of jobs that failed or were cancelled."""


def write_evalys(schedule: Schedule, path: str | Path) -> None:
    """Write a Schedule as the CSV file of jobs that evalys reads (`JobSet.from_csv`) and Batsim writes.

    A simulation knows how many processors a job has, but not which: here each job gets the lowest free ones. To write
    Parquet, use pandas with pyarrow: `schedule.jobs.to_parquet(path)`.

    Parameters
    ----------
    schedule : Schedule
    path : str or Path
        The file appears at once and whole.

    Raises
    ------
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import simlib, tempfile
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 15, 3), B=(1, 5, 8, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_evalys(simlib.simulate(w, simlib.EASY()), f"{folder}/two.csv")
    ...     pd.read_csv(f"{folder}/two.csv")[["job_id", "starting_time", "allocated_resources"]]
      job_id  starting_time allocated_resources
    0      A              0                 0-2
    1      B             10                 0-1
    """
    jobs = schedule.jobs
    ran = jobs[jobs.run > 0]
    most = metrics.most_at_once(*(ran[name].to_numpy() for name in ("start", "end", "procs")))
    sets = [  # of processors, such as "0-3 7"
        " ".join(str(first) if count == 1 else f"{first}-{first + count - 1}" for first, count in pieces)
        for pieces in metrics.pieces_by_job(jobs, max(schedule.workload.procs, most))
    ]
    table = pd.DataFrame(
        {
            "job_id": jobs.index,
            "workload_name": schedule.workload.name,
            "submission_time": jobs.submit,
            "requested_number_of_resources": jobs.procs,
            "requested_time": jobs.estimate,
            "success": (~jobs.status.isin(_FAILED)).astype(int),
            "starting_time": jobs.start,
            "execution_time": jobs.run,
            "finish_time": jobs.end,
            "waiting_time": jobs.wait,
            "turnaround_time": jobs.response,
            "stretch": metrics.slowdown(jobs.wait, jobs.run),
            "allocated_resources": sets,
        }
    )
    with paths.replacing(path) as new:
        table.to_csv(new, index=False, lineterminator="\n", compression=None)
