"""Jobs kept in order of a time: the running jobs by the end that is known or expected, the next one last."""

import numpy as np
from numba import njit

from .profile import ONE


@njit(cache=True)
def insert(jobs, count, job, key):
    """Insert `job` into `jobs[:count]`, which is sorted by falling `key[job]`. Returns the new count."""
    i = count
    while i > 0 and key[jobs[i - 1]] < key[job]:
        jobs[i] = jobs[i - 1]
        i -= 1
    jobs[i] = job
    return count + 1


@njit(cache=True)
def remove(jobs, count, job):
    """Remove `job` from `jobs[:count]`, keeping the order of the others. Returns the new count."""
    i = count - 1
    while jobs[i] != job:
        i -= 1
    for k in range(i, count - 1):
        jobs[k] = jobs[k + 1]
    return count - 1


@njit(cache=True)
def sort_by_priority(queue, queued, now, submit, arrival, estimate, size, priority, rank):
    """Sort `queue[:queued]` by falling priority, ties by arrival.

    Parameters
    ----------
    queue : int64 array, the first `queued` of which are jobs
    arrival : int64 array, the jobs' numbers in order of arrival
    priority : compiled function of (wait, estimate, size) -> float64
    rank : float64 array of at least the length of `queue`, one number a job; overwritten
    """
    for i in range(queued):
        job = queue[i]
        own = priority(float(now - submit[job]), float(estimate[job]), float(size[job]))
        if np.isnan(own):
            raise ValueError("order: the function of (wait, estimate, size) returned nan, expected a number")
        rank[job] = own
        j = np.uint64(i)  # insertion sort: between two passes the order hardly changes
        while j > 0:
            ahead = queue[j - ONE]
            if rank[ahead] > own or (rank[ahead] == own and arrival[ahead] < arrival[job]):
                break
            queue[j] = ahead
            j -= ONE
        queue[j] = job
