"""Jobs kept in order of a time: the running jobs by the end that is known or expected, the next one last."""

import numpy as np

from ..compiled import compiled
from .profile import ONE


class NoRank(ValueError):
    """The order of the queue gave no number for a job; the arguments are its wait, estimate and size."""


@compiled
def insert(jobs, count, job, key):
    """Insert `job` into `jobs[:count]`, which is sorted by falling `key[job]`. Returns the new count."""
    i, own = np.uint64(count), key[job]  # places are unsigned, see `profile`
    while i > 0 and key[jobs[i - ONE]] < own:
        jobs[i] = jobs[i - ONE]
        i -= ONE
    jobs[i] = job
    return count + 1


@compiled
def remove(jobs, count, job):
    """Remove `job` from `jobs[:count]`, keeping the order of the others. Returns the new count."""
    i, last = np.uint64(count - 1), np.uint64(count - 1)
    while jobs[i] != job:
        i -= ONE
    while i < last:
        jobs[i] = jobs[i + ONE]
        i += ONE
    return count - 1


@compiled
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
            raise NoRank(float(now - submit[job]), float(estimate[job]), float(size[job]))
        rank[job] = own
        j = np.uint64(i)  # insertion sort: between two passes the order hardly changes
        while j > 0:
            ahead = queue[j - ONE]
            if rank[ahead] > own or (rank[ahead] == own and arrival[ahead] < arrival[job]):
                break
            queue[j] = ahead
            j -= ONE
        queue[j] = job
