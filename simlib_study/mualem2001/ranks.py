"""How long may a job wait, by its rank in the queue (MF section 2.2), and how long is a profile (2.1)?"""

from heapq import heappop, heappush

import numpy as np
import pandas as pd

from simlib.core.schedule import Schedule, simulate
from simlib.explain.listening import Listener, Told, listen


def beyond_rank(jobs: pd.DataFrame) -> dict[str, float]:
    """Count the jobs that wait longer than any job may run, times their rank in the queue when they arrive.

    `limit` is the longest estimate or run time, `most` the longest wait as a share of what is allowed.
    """
    per_rank = jobs.wait / ranks(jobs.submit, jobs.start)
    estimate = jobs.estimate.max()
    limit = max(estimate, jobs.run.max())
    beyond, of_estimate = (int((per_rank > most).sum()) for most in (limit, estimate))
    return {"limit": limit, "beyond": beyond, "most": per_rank.max() / limit, "beyond_estimate": of_estimate}


def ranks(submit: pd.Series, start: pd.Series) -> pd.Series:
    """Work out each job's rank in the queue when it arrives: one more than the earlier jobs that go on waiting then."""
    places: list[int] = []
    waiting: list[int] = []
    for arrives, starts in zip(submit, start, strict=True):
        while waiting and waiting[0] <= arrives:
            heappop(waiting)
        places.append(len(waiting) + 1)
        heappush(waiting, starts)
    return pd.Series(places, submit.index)


def items(schedule: Schedule, jobs: int) -> pd.DataFrame:
    """Schedule the first jobs again, and count at each decision the profile's items (MF section 2.1) and the jobs."""
    rows = []

    def count(_: Told, listener: Listener) -> None:
        machine = listener.scene.machine
        promised = sum(job.promised is not None for job in listener.scene.queue)
        rows.append((len(machine.profile.times) - 1, promised + len(machine.running)))

    first = schedule.column("submit").argsort(kind="stable")[:jobs]
    few = schedule.workload.select(np.isin(np.arange(len(schedule.jobs)), first))
    listen(simulate(few, schedule.policy, schedule.overrun), count)
    return pd.DataFrame(rows, columns=["items", "jobs"])
