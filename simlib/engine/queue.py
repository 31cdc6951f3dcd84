"""The queue of EASY: the jobs that wait, in order, with an index over them where they are many (see `candidates`)."""

from typing import NamedTuple

import numpy as np

from ..compiled import compiled
from .candidates import GROUP, Index, empty_index, enter, index_all, leave, next_candidate
from .parts import part, uncounted
from .profile import ONE
from .ranking import rank
from .rows import FITTING, NEEDED, RANK, SIZE, ask_for_ranks, before, best_of, copy_row, no_rows, swap, tell

LONG = 256  # jobs in a queue that is worth an index

NOT_RANKED, RANKED_ONCE, RANKED_ANEW = range(3)  # how a queue is kept in order; one that is ranked anew is not sorted

GONE = np.uint64(2**64 - 1)


class Queue(NamedTuple):
    """The jobs that wait, in order.

    Attributes
    ----------
    ordering : int
        Whether it is `NOT_RANKED`, but by arrival; sorted by ranks that are `RANKED_ONCE`, as they do not change; or
        `RANKED_ANEW` in each pass. Who is first is then looked for among all, which stand in any order.
    jobs : uint64 array
        The jobs at the places from `first[0]` to `end[0]`; `GONE` where one has been taken out since the queue was
        closed up, which were `gone[0]`.
    first, end, gone : int64 arrays of one number
    index : Index
        Of a long queue's places; what is never needed of it takes no memory.
    groups : int64 array of one number
        How many groups the index has, 0 where the queue has none.
    rows : float64 array
        What an order is told of the jobs, and their ranks, by place: see `rows`.
    priority : float64 array, by job, where the queue is sorted by it
    ranked : int64 array of one number
        How many places were in order after the last pass.
    considered : int64 array of three numbers
        The jobs before this place could not be backfilled in the last pass, which left this shadow time and these extra
        processors; 0 places where a job has left the machine since.
    """

    ordering: int
    jobs: np.ndarray
    first: np.ndarray
    end: np.ndarray
    gone: np.ndarray
    index: Index
    groups: np.ndarray
    rows: np.ndarray
    priority: np.ndarray
    ranked: np.ndarray
    considered: np.ndarray


@compiled
def empty_queue(size, ordering, facts):
    """Make room for the queue of jobs of these sizes; the order is told these facts, None for three numbers."""
    jobs, index = np.empty(size.size, np.uint64), empty_index(size)
    first, end, gone, groups, ranked = np.zeros((5, 1), np.int64)
    rows = no_rows(0 if ordering == NOT_RANKED else size.size, facts)
    priority, considered = np.empty(size.size), np.zeros(3, np.int64)
    return Queue(ordering, jobs, first, end, gone, index, groups, rows, priority, ranked, considered)


@part
def join(queue, job, submit, size, estimates, facts):
    """Put a job at the end of the queue."""
    place, groups = queue.end[0], queue.groups[0]
    queue.jobs[np.uint64(place)] = job
    queue.end[0] = place + 1
    if queue.ordering != NOT_RANKED:
        tell(queue.rows, place, job, submit, size, estimates, facts)
    elif groups > 0:
        enter(queue.index, groups, place, size[job], estimates.backfill[job])
        if place + 1 == groups * GROUP:
            close_up(queue)


@part
def waiting(queue):
    """Count the jobs that wait."""
    return queue.end[0] - queue.gone[0]


@part
def find_head(queue, place, number):
    """Find the head of the queue, which is at this place or behind it. Returns its place, `end[0]` for none."""
    if queue.ordering == RANKED_ANEW:
        return best_of(queue.rows, RANK, queue.jobs, number, 0, queue.end[0])
    return first_waiting(queue, place)


@part
def take_head(queue, place):
    """Take out the head. Returns the place at or behind which the next one is."""
    if queue.ordering == RANKED_ANEW:
        take_out(queue, place)
        return place
    take(queue, place)
    return place + 1


@part
def first_waiting(queue, place):
    """Find the first job that waits at this place or behind it. Returns its place, `end[0]` for none."""
    while place < queue.end[0] and queue.jobs[np.uint64(place)] == GONE:
        place += 1
    return place


@part
def take(queue, place):
    """Take out the job at a place."""
    queue.jobs[np.uint64(place)] = GONE
    queue.gone[0] += 1
    if queue.groups[0] > 0:
        leave(queue.index, queue.groups[0], place)


@part
def take_out(queue, place):
    """Take out the job at a place, and leave no gap; in a long queue there may be one, for nobody walks it."""
    if queue.groups[0] > 0:
        take(queue, place)
    elif queue.ordering == RANKED_ANEW:  # the last one takes the place
        queue.end[0] -= 1
        queue.jobs[np.uint64(place)] = queue.jobs[np.uint64(queue.end[0])]
        copy_row(queue.rows, queue.end[0], place)
    else:
        queue.end[0] -= 1
        for i in range(np.uint64(place), np.uint64(queue.end[0])):
            queue.jobs[i] = queue.jobs[i + ONE]


@part
def next_to_backfill(queue, place, free, shadow, extra, now, size, estimate):
    """Find the first job from a place on that can be backfilled (MF 2.2, step 2). Returns its place; `end[0]`: none.

    That is one that requires no more than the free processors and will terminate by the shadow time, or that requires
    no more than the free and the extra ones. Without an index no place behind it may be one that a job was taken from,
    as it is in a pass: the queue was closed up after the last one.
    """
    if queue.groups[0] > 0:
        return next_candidate(queue.index, queue.groups[0], place, queue.end[0], free, extra, shadow - now)
    jobs, end = queue.jobs, np.uint64(queue.end[0])
    if free == 0:
        return queue.end[0]
    i = np.uint64(place)
    while i < end:
        job = jobs[i]
        if size[job] <= free and (now + estimate[job] <= shadow or size[job] <= extra):
            break
        i += ONE
    return np.int64(i)


@uncounted
def best_to_backfill(queue, place, arrivals, free, shadow, extra, now, size, estimate, backfill, facts):
    """Find the job from a place on that an order ranks first of those that can be backfilled; ties by arrival.

    Returns its place, `end[0]` where there is none; for a job to which the order gives no number, the place from the
    other end, below zero.
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
def best_ranked_to_backfill(queue, number, free, shadow, extra, now):
    """Find the job of the highest rank of those that can be backfilled, in a queue that is ranked anew.

    The head is none of them, for there are too few processors free. Returns the place; `end[0]` where there is none.
    """
    end, window, found = queue.end[0], shadow - now, 0
    if free == 0:
        return end
    size, needed = queue.rows[SIZE, :end], queue.rows[NEEDED, :end]
    rank, fitting = queue.rows[RANK, :end], queue.rows[FITTING, :end]
    for i in range(end):
        fits = (size[i] <= free) & ((needed[i] <= window) | (size[i] <= extra))
        fitting[i] = rank[i] if fits else np.nan
        found += fits
    return best_of(queue.rows, FITTING, queue.jobs, number, 0, end) if found > 0 else end


@part
def not_considered(queue, head, shadow, extra):
    """Find where those begin that may be backfilled. Returns the place behind the head, or one further behind.

    In a queue that is ranked anew they are anywhere. Where nobody has left since the last pass, and the shadow time and
    extra processors are what it left them, those that it refused have to wait again: there are fewer processors free,
    and there is less time.
    """
    if queue.ordering == RANKED_ANEW:
        return np.int64(0)
    considered = queue.considered
    again = head < considered[0] and shadow == considered[1] and extra == considered[2]
    return considered[0] if again else head + 1


@part
def end_pass(queue, shadow, extra, size, estimate):
    """Tidy up after a pass, and remember what it has left."""
    if waiting(queue) == 0:  # as often after a pass
        count_from_front(queue, 0)
    elif queue.groups[0] == 0:
        if queue.gone[0] > 0:
            close_up(queue)
        if queue.end[0] > LONG and queue.ordering == NOT_RANKED:
            queue.groups[0] = index_all(queue.index, queue.jobs, queue.end[0], size, estimate)
    elif queue.gone[0] > queue.end[0] // 2:
        close_up(queue)
    queue.ranked[0] = queue.end[0]
    queue.considered[0] = queue.end[0]
    queue.considered[1], queue.considered[2] = shadow, extra


@uncounted
def close_up(queue):
    """Move the jobs that wait to the front; the index is no longer right then."""
    jobs = queue.jobs
    left = np.uint64(0)
    for i in range(np.uint64(queue.end[0])):
        jobs[left] = jobs[i]
        left += np.uint64(jobs[left] != GONE)
    count_from_front(queue, np.int64(left))


@part
def count_from_front(queue, left):
    """Say that so many jobs wait, all at the front, and that there is no index over them."""
    queue.end[0] = left
    queue.first[0] = queue.gone[0] = queue.groups[0] = queue.considered[0] = 0


@part
def put_in_order(queue, number, now, free, priority, facts):
    """Rank the jobs, or those that have come since the last pass, and sort these into the queue; ties by arrival.

    Returns the place of the first job whose rank is not a number, `end[0]` where there is none.
    """
    if queue.ordering == NOT_RANKED:
        return queue.end[0]
    begin = queue.ranked[0] if queue.ordering == RANKED_ONCE else 0
    place = ask_for_ranks(queue.rows, queue.jobs, begin, queue.end[0], now, free, priority, facts)
    if queue.ordering == RANKED_ONCE and place == queue.end[0] > begin:
        sort_from(queue, begin, number)
    return place


@uncounted
def sort_from(queue, begin, number):
    """Sort the jobs from a place on into those before it, which are sorted by falling rank; ties by arrival."""
    jobs, priorities = queue.jobs, queue.priority
    for i in range(begin, queue.end[0]):
        job, own = jobs[i], queue.rows[RANK, i]
        priorities[job] = own
        j = np.uint64(i)
        while j > 0:
            ahead = jobs[j - ONE]
            if priorities[ahead] > own or (priorities[ahead] == own and number[ahead] < number[job]):
                break
            jobs[j] = ahead
            j -= ONE
        jobs[j] = job
        queue.considered[0] = min(queue.considered[0], np.int64(j))


@uncounted
def bring_to_front(queue, count, number):
    """Put the first so many jobs by rank to the front, in their order, where the queue is ranked anew.

    They seldom are others than in the last pass.
    """
    rows, jobs = queue.rows, queue.jobs
    for i in range(1, queue.end[0]):
        j = min(i, count)
        if i > j:
            if not before(rows, jobs, number, i, j - 1):
                continue
            swap(rows, jobs, i, j - 1)
            j -= 1
        while j > 0 and before(rows, jobs, number, j, j - 1):
            swap(rows, jobs, j, j - 1)
            j -= 1
