"""Write schedules for other people's tools."""

from pathlib import Path

import numpy as np
import pandas as pd

from .._util import paths
from ..core import metrics
from ..core.schedule import Schedule, most_at_once, pieces

FAILED = (0, 5)
"""What SWF's status says of jobs that failed or were cancelled."""


def write_evalys(schedule: Schedule, path: str | Path) -> None:
    """Write a Schedule as the CSV file of jobs that evalys reads (`JobSet.from_csv`) and Batsim writes.

    As a simulation says how many processors a job has, and not which, each job gets the lowest free ones. For Parquet
    there is pandas, where pyarrow is installed: `schedule.jobs.to_parquet(path)`.

    Parameters
    ----------
    schedule : Schedule
    path : str or Path
        The file appears at once and whole.

    Raises
    ------
    OSError
        Where the file cannot be written.

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
    table = pd.DataFrame(
        {
            "job_id": jobs.index,
            "workload_name": schedule.workload.name,
            "submission_time": jobs.submit,
            "requested_number_of_resources": jobs.procs,
            "requested_time": jobs.estimate,
            "success": (~jobs.status.isin(FAILED)).astype(int),
            "starting_time": jobs.start,
            "execution_time": jobs.run,
            "finish_time": jobs.end,
            "waiting_time": jobs.wait,
            "turnaround_time": jobs.response,
            "stretch": metrics.slowdown(jobs.wait, jobs.run),
            "allocated_resources": _allocated(jobs, schedule.workload.procs),
        }
    )
    with paths.replacing(path) as new:
        table.to_csv(new, index=False, lineterminator="\n", compression=None)


def _allocated(jobs: pd.DataFrame, machine: int) -> list[str]:
    """The processors of each job as evalys writes sets of them, such as "0-3 7"."""
    order = np.flatnonzero(jobs.run > 0)
    order = order[np.argsort(jobs.start.to_numpy()[order], kind="stable")]
    start, end, procs = (jobs[column].to_numpy()[order] for column in ("start", "end", "procs"))
    found: list[list[str]] = [[] for _ in range(len(jobs))]
    for job, first, count in pieces(start, end, procs, max(machine, most_at_once(start, end, procs))).tolist():
        found[order[job]].append(str(first) if count == 1 else f"{first}-{first + count - 1}")
    return [" ".join(each) for each in found]
