"""What an order is told of the jobs that wait, beside one another in memory, so that all are ranked in one call.

An order that is asked job by job takes ten times as long as over arrays, for the processor goes through these four or
eight numbers at a time. So a queue that is ranked anew in each pass has a row for each fact, in which a job's place is
that in the queue.
"""

import numpy as np
from numba.core import types
from numba.extending import overload

from ..compiled import compiled
from .parts import part
from .usage import account_told

SUBMIT, ESTIMATE, SIZE, NEEDED, RANK, FITTING, USER, GROUP, QUEUE, USAGE, FAIR_SHARE = range(11)
"""The rows: what the order is told; NEEDED, the estimate by which jobs are backfilled; the ranks, and those of the jobs
that can be backfilled, not a number for the others. The last five are there where an order asks for more than three
numbers."""


@compiled
def no_rows(jobs, facts):
    """Make room for so many jobs."""
    return np.empty((USER if facts is None else FAIR_SHARE + 1, jobs))


@part
def tell(rows, place, job, submit, size, estimates, facts):
    """Write down what is told of a job that has come to a place, and does not change."""
    rows[SUBMIT, place], rows[SIZE, place] = submit[job], size[job]
    rows[ESTIMATE, place], rows[NEEDED, place] = estimates.queue[job], estimates.backfill[job]
    if facts is not None:
        rows[USER, place], rows[GROUP, place] = facts.user[job], facts.group[job]
        rows[QUEUE, place], rows[USAGE, place], rows[FAIR_SHARE, place] = facts.queue[job], 0.0, 1.0


@part
def copy_row(rows, place, to):
    """Copy all that is known of the job at a place to another."""
    for row in range(rows.shape[0]):
        rows[row, to] = rows[row, place]


def ask(order, facts, rows, jobs, begin, end, now, free):
    """Have an order rank the jobs at the places from `begin` to `end`, told all of `Facts` or three numbers of each."""


@overload(ask, jit_options={"_nrt": False, "forceinline": True})
def _ask(order, facts, rows, jobs, begin, end, now, free):
    def three(order, facts, rows, jobs, begin, end, now, free):
        submit, estimate, size = rows[SUBMIT, begin:end], rows[ESTIMATE, begin:end], rows[SIZE, begin:end]
        order(float(now), submit, estimate, size, rows[RANK, begin:end])

    def every(order, facts, rows, jobs, begin, end, now, free):
        submit, estimate, size = rows[SUBMIT, begin:end], rows[ESTIMATE, begin:end], rows[SIZE, begin:end]
        user, group, queue = rows[USER, begin:end], rows[GROUP, begin:end], rows[QUEUE, begin:end]
        usage, fair_share, rank = rows[USAGE, begin:end], rows[FAIR_SHARE, begin:end], rows[RANK, begin:end]
        if facts.usage.half_life > 0:
            for i in range(end - begin):
                account = account_told(facts.usage, jobs[np.uint64(begin + i)], now)
                usage[i], fair_share[i] = facts.usage.share[account], facts.usage.fair_share[account]
        of_all = float(now), float(facts.machine), float(free)
        order(*of_all, submit, estimate, size, user, group, queue, usage, fair_share, rank)

    return three if isinstance(facts, types.NoneType) else every


@part
def ask_for_ranks(rows, jobs, begin, end, now, free, order, facts):
    """Ask an order, a compiled function, for the ranks of the jobs at the places from `begin` to `end`.

    Returns the place of the first that has no number, `end` where each has one.
    """
    if begin == end:
        return end
    ask(order, facts, rows, jobs, begin, end, now, free)
    rank, without = rows[RANK, begin:end], 0
    for i in range(end - begin):
        without += np.isnan(rank[i])
    if without > 0:
        while not np.isnan(rows[RANK, begin]):
            begin += 1
        return begin
    return end


@part
def best_of(rows, row, jobs, number, begin, end):
    """Find the largest value in a row, ties by arrival. Returns its place, `end` where no value is a number."""
    values = rows[row]
    best, first = -np.inf, end
    for i in range(begin, end):
        if values[i] >= best:  # seldom
            if values[i] > best or first == end or number[jobs[i]] < number[jobs[first]]:
                best, first = values[i], i
    return first


@part
def before(rows, jobs, number, one, other):
    """Tell whether the job at one place ranks before that at another; ties by arrival."""
    ranks = rows[RANK]
    return ranks[one] > ranks[other] or (ranks[one] == ranks[other] and number[jobs[one]] < number[jobs[other]])


@part
def swap(rows, jobs, one, other):
    """Let the jobs at two places change them."""
    jobs[one], jobs[other] = jobs[other], jobs[one]
    for row in range(rows.shape[0]):
        rows[row, one], rows[row, other] = rows[row, other], rows[row, one]
