"""First come, first served: the policy that backfilling improves on (MF section 1)."""

import numpy as np

from ..compiled import compiled
from .arrivals import NEVER, arrivals, submit_followers
from .running import insert


@compiled
def fcfs(submit, run, size, machine, preceding, think, watch):
    """Start times under FCFS.

    Parameters
    ----------
    submit, run, size : int64 arrays of one length, jobs in order of recorded submit times; seconds, seconds,
        processors. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    watch : int64 array, [0] is set to how many jobs have started; when [1] is not 0, the kernel returns what it has

    Returns
    -------
    start : int64 array, seconds
    """
    n = submit.size
    feedback = preceding.size > 0
    start = np.zeros(n, np.int64)
    end = np.zeros(n, np.int64)
    by_end = np.empty(min(machine, n), np.int64)  # the running jobs
    order, at, first, others = arrivals(n, preceding)
    started, arrived, running = 0, 0, 0  # the queue is order[started:arrived]
    free = machine

    while (at < n or started < arrived or running > 0) and watch[1] == 0:
        watch[0] = started
        now = submit[order[at]] if at < n else NEVER
        if running > 0:
            now = min(now, end[by_end[running - 1]])

        while running > 0 and end[by_end[running - 1]] <= now:  # 1. jobs leave
            running -= 1
            job = by_end[running]
            free += size[job]
            if feedback:
                at = submit_followers(order, at, job, now, first, others, think, submit)
        while at < n and submit[order[at]] <= now:  # 2. jobs join the queue
            order[arrived] = order[at]
            arrived += 1
            at += 1
        while started < arrived and size[order[started]] <= free:  # 3. one scheduling pass
            job = order[started]
            started += 1
            start[job] = now
            end[job] = now + run[job]
            free -= size[job]
            running = insert(by_end, running, job, end)
    return start
