"""First come, first served: the policy that backfilling improves on (MF section 1)."""

import numpy as np
from numba import njit

from .running import insert


@njit(cache=True, nogil=True)
def fcfs(submit, run, size, machine):
    """Start times under FCFS.

    Parameters
    ----------
    submit, run, size : int64 arrays of one length, jobs in order of arrival; seconds, seconds, processors
    machine : int, processors; no job is larger

    Returns
    -------
    start : int64 array, seconds
    """
    n = submit.size
    start = np.zeros(n, np.int64)
    end = np.zeros(n, np.int64)
    running = np.empty(n, np.int64)  # by end
    first, last = 0, 0
    free = machine
    now = np.int64(0)
    for job in range(n):  # nobody passes the head, so the jobs start in order of arrival
        now = max(now, submit[job]) if job > 0 else submit[job]
        while free < size[job]:
            now = max(now, end[running[first]])
            free += size[running[first]]
            first += 1
        start[job] = now
        end[job] = now + run[job]
        free -= size[job]
        last = first + insert(running[first:], last - first, job, end)
    return start
