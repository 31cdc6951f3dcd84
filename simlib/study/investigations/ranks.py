"""How long may a job wait, by its rank in the queue (MF section 2.2)?"""

from heapq import heappop, heappush

import pandas as pd


def beyond_rank(jobs):
    """Count the jobs that wait longer than any job may run, times their rank in the queue when they arrive.

    The `limit` is the longest estimate, or run time where jobs outlive their estimates; `most` the longest wait as a
    share of what is allowed; `beyond_estimate` counts the jobs if the longest estimate alone is the limit.
    """
    per_rank = jobs.wait / ranks(jobs.submit, jobs.start)
    estimate = jobs.estimate.max()
    limit = max(estimate, jobs.run.max())
    beyond, of_estimate = (int((per_rank > most).sum()) for most in (limit, estimate))
    return {"limit": limit, "beyond": beyond, "most": per_rank.max() / limit, "beyond_estimate": of_estimate}


def ranks(submit, start):
    """Work out each job's rank in the queue when it arrives: one more than the earlier jobs that go on waiting then."""
    found, waiting = [], []
    for arrives, starts in zip(submit, start, strict=True):
        while waiting and waiting[0] <= arrives:
            heappop(waiting)
        found.append(len(waiting) + 1)
        heappush(waiting, starts)
    return pd.Series(found, submit.index)
