"""The queue of EASY in another order: ranked once for each job, and kept sorted, or ranked again in each pass.

A long sorted queue has gaps, so that a job that joins it shifts few others. The index finds the jobs that can be
backfilled, as in a queue by arrival.
"""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .queue import (
    GONE,
    GROUP,
    LONG,
    Queue,
    count_from_front,
    empty_queue,
    end_pass,
    enter,
    first_waiting,
    groups_for,
    index_all,
    join,
    next_candidate,
    next_to_backfill,
    not_considered,
    refresh,
    remember_pass,
    take,
    waiting,
)
from .ranking import FITTING, NEEDED, RANK, SIZE, ask_for_ranks, before, best_of, copy_row, no_rows, rank, swap, tell
from .running import NEVER, ONE, part, uncounted

NOT_RANKED, RANKED_ONCE, RANKED_ANEW = range(3)  # how a queue is kept in order; one that is ranked anew is not sorted

_FAR = 128  # places that are shifted to make room for a job, at most, in a queue that has gaps


class _Ranked(NamedTuple):
    """The jobs that wait, in any order.

    Attributes
    ----------
    ordering : int
        How the queue is ordered: `NOT_RANKED` (by arrival), `RANKED_ONCE` (sorted by ranks that do not change) or
        `RANKED_ANEW` (in each pass; the jobs stand in any order, and the first is searched among all).
    queue : Queue
    rows : float64 array
        The facts that an order reads, and the ranks: see `ranking`. A queue that is ranked in each pass has them by the
        jobs' places. A sorted queue has them only for jobs that joined since the last pass.
    came : uint64 array
        The jobs that joined a sorted queue since the last pass: `came[:count[0]]`.
    count : int64 array of one number
    key : float64 array
        In a sorted queue, the rank of the job at each place; at a gap, the rank of a job before it.
    """

    ordering: int
    queue: Queue
    rows: np.ndarray
    came: np.ndarray
    count: np.ndarray
    key: np.ndarray


@compiled
def empty_ranked(size, ordering, facts):
    """Make room for the queue of jobs of these sizes; the order reads these facts, None for three numbers."""
    queue, rows = empty_queue(size), no_rows(0 if ordering == NOT_RANKED else size.size, facts)
    came, key = np.empty(size.size, np.uint64), np.empty(queue.jobs.size)
    return _Ranked(ordering, queue, rows, came, np.zeros(1, np.int64), key)


@part
def join_ranked(ranked, job, submit, size, estimates, facts):
    """Let a job join the queue: at its end, or if it is sorted, among the newly joined jobs."""
    place = ranked.queue.end[0]
    if ranked.ordering == RANKED_ONCE:
        place = ranked.count[0]
        ranked.came[np.uint64(place)] = job
        ranked.count[0] = place + 1
    else:
        join(ranked.queue, job, size, estimates.backfill)
    if ranked.ordering != NOT_RANKED:
        tell(ranked.rows, place, job, submit, size, estimates, facts)


@part
def put_in_order(ranked, now, free, size, estimate, priority, facts):
    """Rank all jobs, or sort the jobs that joined since the last pass into the queue.

    Returns the first job whose rank is not a number, -1 if there is none.
    """
    if ranked.ordering == NOT_RANKED:
        return np.int64(-1)
    once = ranked.ordering == RANKED_ONCE
    jobs, end = (ranked.came, ranked.count[0]) if once else (ranked.queue.jobs, ranked.queue.end[0])
    place = ask_for_ranks(ranked.rows, jobs, 0, end, now, free, priority, facts)
    if place < end:
        return np.int64(jobs[np.uint64(place)])
    for i in range(ranked.count[0]):
        _sort_in(ranked, jobs[i], ranked.rows[RANK, i], size, estimate)
    ranked.count[0] = 0
    return np.int64(-1)


@part
def _sort_in(ranked, job, own, size, estimate):
    """Sort the last arrived job into the queue, behind all jobs that do not rank below it."""
    queue, jobs, key = ranked.queue, ranked.queue.jobs, ranked.key
    if queue.groups[0] > 0:
        _squeeze_in(ranked, job, own, size, estimate)
        return
    place = np.uint64(queue.end[0])
    while place > 0 and key[place - ONE] < own:
        jobs[place], key[place] = jobs[place - ONE], key[place - ONE]
        place -= ONE
    jobs[place], key[place] = job, own
    queue.end[0] += 1
    queue.considered[0] = min(queue.considered[0], np.int64(place))


@uncounted
def _squeeze_in(ranked, job, own, size, estimate):
    """Sort a job into a queue that has gaps."""
    queue, jobs, key = ranked.queue, ranked.queue.jobs, ranked.key
    place = _first_below(key, queue.end[0], own)
    gap = _nearest_gap(queue, place)
    if gap < 0:
        _spread(ranked, size, estimate)
        place = _first_below(key, queue.end[0], own)
        gap = _nearest_gap(queue, place)
    place -= gap < place  # those between are shifted to the gap
    low, high, i = min(gap, place), max(gap, place), gap
    step = 1 if gap < place else -1
    while i != place:
        jobs[i], key[i] = jobs[i + step], key[i + step]
        i += step
    jobs[place], key[place] = job, own
    queue.gone[0] -= 1
    _index_between(queue, low, high, size, estimate)
    queue.first[0] = min(queue.first[0], low)
    queue.considered[0] = min(queue.considered[0], low)


@uncounted
def _first_below(key, end, own):
    """Find the first place whose rank is below this one, in ranks that fall; `end` for none."""
    low, high = 0, end
    while low < high:
        middle = (low + high) // 2
        if key[middle] >= own:
            low = middle + 1
        else:
            high = middle
    return low


@uncounted
def _nearest_gap(queue, place):
    """Find the nearest gap to a place; -1 if it is far."""
    jobs, end = queue.jobs, queue.end[0]
    for far in range(_FAR):
        if place + far < end and jobs[place + far] == GONE:
            return place + far
        if place > far and jobs[place - 1 - far] == GONE:
            return place - 1 - far
    return -1


@uncounted
def _index_between(queue, low, high, size, estimate):
    """Update the index for the jobs from one place to another."""
    index, groups = queue.index, queue.groups[0]
    for place in range(low, high + 1):
        job = queue.jobs[place]
        index.size[place], index.estimate[place] = size[job], estimate[job]
    if low == high:
        enter(index, groups, low, index.size[low], index.estimate[low])
    else:
        for group in range(low // GROUP, high // GROUP + 1):
            refresh(index, groups, group)


@uncounted
def _close_gaps(ranked):
    """Move the jobs of a sorted queue to the front; this invalidates the index."""
    jobs, key, left = ranked.queue.jobs, ranked.key, 0
    for place in range(ranked.queue.end[0]):
        if jobs[place] != GONE:
            jobs[left], key[left] = jobs[place], key[place]
            left += 1
    count_from_front(ranked.queue, left)


@uncounted
def _spread(ranked, size, estimate):
    """Spread the jobs of a sorted queue evenly, with gaps between them, and index them."""
    _close_gaps(ranked)
    queue, jobs, key, count = ranked.queue, ranked.queue.jobs, ranked.key, ranked.queue.end[0]
    queue.groups[0] = groups_for(count)
    queue.end[0] = behind = queue.groups[0] * GROUP
    queue.gone[0] = queue.end[0] - count
    for i in range(count - 1, -1, -1):
        place, job, own = i * queue.end[0] // count, jobs[i], key[i]
        jobs[place + 1 : behind] = GONE
        key[place + 1 : behind] = own
        jobs[place], key[place], behind = job, own, place
    index_all(queue.index, jobs, queue.end[0], size, estimate, queue.groups[0])


@part
def find_head(ranked, place, number):
    """Find the head of the queue, which is at this place or behind it. Returns its place, `end[0]` for none."""
    queue = ranked.queue
    if ranked.ordering == RANKED_ANEW:
        return best_of(ranked.rows, RANK, queue.jobs, number, 0, queue.end[0])
    if ranked.ordering == RANKED_ONCE and queue.groups[0] > 0:
        return next_candidate(queue.index, queue.groups[0], place, queue.end[0], queue.index.largest, 0, NEVER - 1)
    return first_waiting(queue, place)


@part
def take_head(ranked, place):
    """Take out the head. Returns the place at or behind which the next one is."""
    if ranked.ordering == RANKED_ANEW:
        take_out(ranked, place)
        return place
    take(ranked.queue, place)
    return place + 1


@part
def take_out(ranked, place):
    """Take out the job at a place, without a gap; in a long queue a gap may remain, because the index skips it."""
    queue, key = ranked.queue, ranked.key
    if queue.groups[0] > 0:
        take(queue, place)
    elif ranked.ordering == RANKED_ANEW:  # the last one takes the place
        queue.end[0] -= 1
        queue.jobs[np.uint64(place)] = queue.jobs[np.uint64(queue.end[0])]
        copy_row(ranked.rows, queue.end[0], place)
    else:
        queue.end[0] -= 1
        for i in range(place, queue.end[0]):
            queue.jobs[i], key[i] = queue.jobs[i + 1], key[i + 1]


@uncounted
def best_to_backfill(queue, place, arrivals, free, shadow, extra, now, size, estimate, backfill, facts):
    """Find, from a place on, the job that an order ranks first among those that can be backfilled; ties by arrival.

    Returns its place, `end[0]` if there is none. If the order gives a job no number, returns that job's place counted
    from the end, below zero.
    """
    submit, number, best, first = arrivals.submit, arrivals.number, -np.inf, queue.end[0]
    place = next_to_backfill(queue, place, free, shadow, extra, now, size, estimate)
    while place < queue.end[0]:
        job = queue.jobs[np.uint64(place)]
        own = rank(backfill, facts, job, now, submit, estimate, size, free, extra, shadow - now)
        if np.isnan(own):
            return place - queue.end[0]
        if first == queue.end[0] or own > best or (own == best and number[job] < number[queue.jobs[np.uint64(first)]]):
            best, first = own, place
        place = next_to_backfill(queue, place + 1, free, shadow, extra, now, size, estimate)
    return first


@part
def best_ranked_to_backfill(ranked, number, free, shadow, extra, now):
    """Find the highest-ranked job that can be backfilled, in a queue that is ranked in each pass.

    The head cannot be, because too few processors are free. Returns the place; `end[0]` if there is none.
    """
    queue, rows = ranked.queue, ranked.rows
    end, window, candidates = queue.end[0], shadow - now, 0
    if free == 0:
        return end
    size, needed = rows[SIZE, :end], rows[NEEDED, :end]
    rank, fitting = rows[RANK, :end], rows[FITTING, :end]
    for i in range(end):
        fits = (size[i] <= free) & ((needed[i] <= window) | (size[i] <= extra))
        fitting[i] = rank[i] if fits else np.nan
        candidates += fits
    return best_of(rows, FITTING, queue.jobs, number, 0, end) if candidates > 0 else end


@part
def may_be_considered(ranked, head, shadow, extra):
    """Find the first place whose job may be backfilled: place 0 in a queue that is ranked in each pass."""
    return np.int64(0) if ranked.ordering == RANKED_ANEW else not_considered(ranked.queue, head, shadow, extra)


@part
def end_ranked_pass(ranked, shadow, extra, size, estimate):
    """Tidy up after a pass, and remember its shadow time and extra processors."""
    queue, count = ranked.queue, waiting(ranked.queue)
    if ranked.ordering == NOT_RANKED:
        end_pass(queue, shadow, extra, size, estimate)
        return
    if count == 0:
        count_from_front(queue, np.int64(0))
    elif ranked.ordering == RANKED_ONCE:
        if queue.groups[0] == 0:
            if queue.gone[0] > 0:
                _close_gaps(ranked)
            if count > 2 * LONG:
                _spread(ranked, size, estimate)
        elif count < LONG:
            _close_gaps(ranked)
        elif 16 * count < queue.end[0] or 4 * count > 3 * queue.end[0]:
            _spread(ranked, size, estimate)
    remember_pass(queue, shadow, extra)


@uncounted
def bring_to_front(ranked, count, number):
    """In a queue that is ranked in each pass, put the first so many jobs by rank to the front, in their order.

    They are seldom other jobs than in the last pass.
    """
    rows, jobs = ranked.rows, ranked.queue.jobs
    for i in range(1, ranked.queue.end[0]):
        j = min(i, count)
        if i > j:
            if not before(rows, jobs, number, i, j - 1):
                continue
            swap(rows, jobs, i, j - 1)
            j -= 1
        while j > 0 and before(rows, jobs, number, j, j - 1):
            swap(rows, jobs, j, j - 1)
            j -= 1
