"""First come, first served: the policy that backfilling improves on (MF section 1)."""

import numpy as np

from .._util.compiled import compiled
from .running import NEVER, arrivals_of, arrive, insert, next_arrival, next_end, no_ends, submit_followers, take_next


@compiled
def fcfs(submit, run, size, machine, preceding, think, progress_and_stop):
    """Start times under FCFS.

    Parameters
    ----------
    submit, run, size : int64 arrays of one length, jobs in order of recorded submit times; seconds, seconds,
        processors. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    progress_and_stop : int64 array
        [0] is set to how many jobs have started; when [1] is not 0, the kernel returns what it has.

    Returns
    -------
    start : int64 array, seconds
    """
    n = submit.size
    start = np.zeros(n, np.int64)
    arrivals, by_end = arrivals_of(submit, preceding, think), no_ends(n, min(machine, n))
    started = 0  # the queue is order[started:arrived]
    free = machine

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(by_end))
        if now == NEVER:
            break
        progress_and_stop[0] = started

        while next_end(by_end) <= now:  # 1. jobs leave
            job = take_next(by_end)
            free += size[job]
            submit_followers(arrivals, job, now)
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            arrive(arrivals)
        while started < arrivals.arrived[0] and size[arrivals.order[started]] <= free:  # 3. one scheduling pass
            job = arrivals.order[started]
            started += 1
            start[job] = now
            free -= size[job]
            insert(by_end, job, now + run[job])
    return start
