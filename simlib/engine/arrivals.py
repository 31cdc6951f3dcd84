"""In which order jobs arrive: the open stream when the log says, followers when the job before them has ended.

A follower is submitted a think time after the end of the job that it follows (feedback; fields 17 and 18 of the
Standard Workload Format). So who arrives when is known in the simulation only. `order` holds all jobs known so far:
`order[:arrived]` have arrived, in this order; `order[at:]` are to come, sorted by submit time and, where it is equal,
by their place in the workload. In between there is room for the followers whose submit time is not known yet.
"""

import numpy as np

from ..compiled import compiled

NEVER = np.int64(2) ** 62

OPEN = np.empty(0, np.int64), np.empty(0, np.int64)
"""The `preceding` and `think` of a workload in which no job follows another."""


@compiled
def arrivals(n, preceding):
    """All jobs of the open stream as they are to come, and who follows whom.

    Parameters
    ----------
    n : int, how many jobs there are, in order of recorded submit times
    preceding : int64 array, the job that each one follows, -1 for none; empty if no job follows another

    Returns
    -------
    order, at : int64 array, int
    first, others : int64 arrays, the first follower of each job and the next one of the same preceding job, -1 for none
    """
    order = np.arange(n)
    at = preceding.size
    first, others = np.full(at, -1), np.full(at, -1)
    for job in range(preceding.size - 1, -1, -1):
        if preceding[job] < 0:
            at -= 1
            order[at] = job
        else:
            others[job] = first[preceding[job]]
            first[preceding[job]] = job
    return order, at, first, others


@compiled
def submit_followers(order, at, job, end, first, others, think, submit):
    """Set the submit times of those that follow `job`, which ends at `end`, and put them among those to come.

    Returns the new `at`. Searched from the front, because few jobs arrive during a think time.
    """
    follower = first[job]
    while follower >= 0:
        submit[follower] = end + think[follower]
        i = at
        while i < order.size and (
            submit[order[i]] < submit[follower] or (submit[order[i]] == submit[follower] and order[i] < follower)
        ):
            order[i - 1] = order[i]
            i += 1
        order[i - 1] = follower
        at -= 1
        follower = others[follower]
    return at
