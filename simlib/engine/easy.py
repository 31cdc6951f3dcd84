"""EASY backfilling (MF section 2.2), and first come, first served, which it improves on (MF section 1).

One loop has both, with GPUs, with jobs that follow others, and with a queue in any order that never changes. What a run
does not need is `None`, and is not compiled. Whoever calls the loop makes all arrays, for it compiles in a tenth of the
time then. So do the small functions, which become part of the loop before its types are known.
"""

import numpy as np

from .._util.compiled import compiled
from .index import GONE, GROUP, empty_index, places_for, refresh, skip
from .running import NEVER, ONE, small

_COMING, _RUNNING, _WAITING, _FIRST, _LAST, _FREE, _FREE_GPUS, _MOST = range(8)
"""What the loop knows when it begins and ends, by its place in `state`: how many jobs have come (where jobs follow
others, the place of the next one to come), run and wait; between which places they wait; the free processors and GPUs;
and the most jobs that may wait without an index."""


@small
def insert(jobs, count, time, job, end):
    """Insert a job that is to end at `end` into the `count` running ones, which are sorted, the next to end last."""
    time[job] = end
    i = count
    while i > 0 and time[jobs[i - ONE]] < end:
        jobs[i] = jobs[i - ONE]
        i -= ONE
    jobs[i] = job


@small
def remove(jobs, left, job):
    """Take out a job, keeping the order of the others, of which so many are left."""
    i = left
    while jobs[i] != job:
        i -= ONE
    while i < left:
        jobs[i] = jobs[i + ONE]
        i += ONE


@small
def submit_followers(followers, coming, submit, job, now):
    """Submit the followers of a job that ends now: insert them among the jobs to come.

    The search begins at the front, because few jobs arrive during a think time. Returns the place of the next to come.
    """
    order, by_preceding, begin, think = followers
    for follower in by_preceding[begin[job] : begin[job + ONE]]:
        submit[follower] = time = now + think[follower]
        i = coming
        while i < order.size and (submit[order[i]] < time or (submit[order[i]] == time and order[i] < follower)):
            order[i - ONE] = order[i]
            i += ONE
        order[i - ONE] = follower
        coming -= ONE
    return coming


@small
def fits(job, size, free, gpus, free_gpus):
    """Tell whether enough processors, and GPUs, are free for a job."""
    enough = size[job] <= free
    if gpus is not None:
        enough &= gpus[job] <= free_gpus
    return enough


@small
def shadow_time(head, free, free_gpus, now, running, count, expected_end, size, gpus):
    """Find the latest start of the head of the queue, and what it will leave free then (MF 2.2, step 1).

    Parameters
    ----------
    head, free, free_gpus, now : a job; processors, GPUs, seconds
    running : uint64 array, the first `count` of which are the running jobs by `expected_end`, latest first
    size, gpus : int64 arrays by job; None where there are no GPUs

    Returns
    -------
    shadow, extra, extra_gpus : the shadow time in seconds, never before now; processors; GPUs
    """
    shadow, i = now, count
    while i > 0:
        i -= ONE
        job = running[i]
        if fits(head, size, free, gpus, free_gpus) and expected_end[job] > shadow:
            break
        free += size[job]
        if gpus is not None:
            free_gpus += gpus[job]
        shadow = max(shadow, expected_end[job])
    if gpus is not None:
        free_gpus -= gpus[head]
    return shadow, free - size[head], free_gpus


@small
def next_candidate(queue, place, last, given, size, estimate, gpus, index, indexed):
    """Find the first job from a place on that can be backfilled (MF 2.2, step 2). Returns its place; none: not < last.

    Such a job requires no more than the free processors and will terminate by the shadow time, or it requires no more
    than the free and the extra ones; and as many GPUs.
    """
    now, shadow, free, free_gpus, extra, extra_gpus = given
    if free == 0:
        place = last
    while place < last:
        if index is not None:
            if indexed and place % GROUP == 0:
                place = skip(index, place, free, extra, shadow - now)
                if place >= last:
                    break
        job = queue[place]
        if index is not None:
            if job == GONE:
                place += ONE
                continue
        if fits(job, size, free, gpus, free_gpus):
            if now + estimate[job] <= shadow or fits(job, size, extra, gpus, extra_gpus):
                break
        place += ONE
    return place


@small
def next_waiting(queue, place, index, indexed):
    """Find the first job that waits at a place or behind it; there is one. Returns its place."""
    if index is not None:
        if indexed:
            if queue[place] == GONE:
                place = skip(index, place // GROUP * GROUP, NEVER, np.int64(0), NEVER - 1)
            while queue[place] == GONE:
                place += ONE
    return place


@small
def sorted_in(queue, first, last, places, job):
    """Make room for a job where those between two places are sorted by `places`. Returns its place."""
    place = last
    while place > first and places[queue[place - ONE]] > places[job]:
        queue[place] = queue[place - ONE]
        place -= ONE
    return place


@small
def close_up(queue, first, last):
    """Move the jobs that wait between two places to the front. Returns the place behind them."""
    left = np.uint64(0)
    for i in range(first, last):
        job = queue[i]
        queue[i] = GONE
        queue[left] = job
        left += np.uint64(job != GONE)
    return left


@small
def index_all(index, queue, last, places, estimate):
    """Index a queue whose jobs are all at the front; those that have `places` move to them. Returns its new end."""
    if places is not None:
        for i in range(last):
            from_back = last - ONE - i  # for no job's place is before where it is now
            job = queue[from_back]
            queue[from_back] = GONE
            queue[places[job]] = job
        last = np.uint64(places.size)
    place = np.uint64(0)
    while place < last:
        refresh(index, queue, estimate, place)
        place += GROUP
    return last


@compiled(_nrt=False)
def easy_loop(
    submit,
    run,
    estimate,
    size,
    reuse_extra,
    start,
    queue,
    by_end,
    end,
    state,
    progress_and_stop,
    passing,
    followers,
    gpus,
    places,
    index,
):
    """Run until all jobs have ended; or until the queue is long, where there is no index over it.

    Parameters
    ----------
    submit, run, estimate, size, reuse_extra, progress_and_stop
        As for `easy`.
    start, end : int64 arrays, seconds by job
    queue : uint64 array, the waiting jobs at their places; everywhere else `GONE`
    by_end : uint64 array, the running jobs by `end`, latest first
    state : int64 array, see `_MOST`
    passing : tuple of what backfilling needs; None if nobody may pass the head
        The running jobs by expected end, latest first; by job the expected end, whether it was backfilled, and its
        shadow time.
    followers : tuple of what feedback needs, or None
        The jobs to come, in order, behind empty places; all jobs by the one that they follow; where in these the
        followers of each job begin; and think times.
    gpus : int64 array by job, or None
    places : uint64 array, for each job its place in the order of the queue; None for the order of arrival
    index : as `empty_index` makes it, or None

    Returns
    -------
    bool, whether more jobs wait than may without an index
    """
    n, most, free, free_gpus = np.uint64(submit.size), np.uint64(state[_MOST]), state[_FREE], state[_FREE_GPUS]
    coming, running, waiting = np.uint64(state[_COMING]), np.uint64(state[_RUNNING]), np.uint64(state[_WAITING])
    first, last = np.uint64(state[_FIRST]), np.uint64(state[_LAST])
    if followers is not None:
        order = followers[0]
    if passing is not None:
        by_expected_end, expected_end, backfilled, first_shadow = passing
    considered, shadow_before, extra_before = np.uint64(0), np.int64(0), np.int64(0)
    indexed, too_many = False, False

    while progress_and_stop[1] == 0:
        if waiting > most and not indexed:
            if index is None:
                too_many = True
                break
            first, last, indexed = np.uint64(0), close_up(queue, first, last), True
            last, considered = index_all(index, queue, last, places, estimate), np.uint64(0)

        now = NEVER
        if coming < n:
            job = coming
            if followers is not None:
                job = order[coming]
            now = submit[job]
        if running > 0:
            now = min(now, end[by_end[running - ONE]])
        if now == NEVER:
            break

        while running > 0 and end[by_end[running - ONE]] <= now:  # 1. jobs leave
            running -= ONE
            job = by_end[running]
            free += size[job]
            if gpus is not None:
                free_gpus += gpus[job]
            if passing is not None:
                remove(by_expected_end, running, job)
            if followers is not None:
                coming = submit_followers(followers, coming, submit, job, now)
            considered = np.uint64(0)

        interrupted = False
        while coming < n:  # 2. jobs join the queue
            job = coming
            if followers is not None:
                job = order[coming]
            if submit[job] > now:
                break
            if places is not None:
                if waiting > most and not indexed:  # to sort in more would take long
                    interrupted = True
                    break
            coming, waiting, place, last = coming + ONE, waiting + ONE, last, last + ONE
            if places is not None:
                if indexed:
                    place, last = places[job], n
                else:
                    place = sorted_in(queue, first, place, places, job)
                first, considered = min(first, place), min(considered, place)
            queue[place] = job
            if index is not None:
                if indexed:
                    refresh(index, queue, estimate, place)

        shadow, extra, extra_gpus = NEVER, np.int64(0), np.int64(0)  # 3. one scheduling pass
        place, head_waits = first, False
        while waiting > 0 and not interrupted:
            if not head_waits:  # jobs start from the front of the queue, until one does not fit: it is the head
                place = first = next_waiting(queue, place, index, indexed)
                job = queue[place]
                if not fits(job, size, free, gpus, free_gpus):
                    if passing is None:
                        break
                    head_waits = True
                    shadow, extra, extra_gpus = shadow_time(
                        job, free, free_gpus, now, by_expected_end, running, expected_end, size, gpus
                    )
                    if first_shadow[job] < 0:
                        first_shadow[job] = shadow
                    place += ONE
                    if shadow == shadow_before and extra == extra_before:  # who was refused then must wait again
                        place = max(place, considered)
            if passing is not None:
                if head_waits:  # others pass it that do not delay it
                    given = now, shadow, free, free_gpus, extra, extra_gpus
                    place = next_candidate(queue, place, last, given, size, estimate, gpus, index, indexed)
                    if place >= last:
                        break
                    job = queue[place]
                    if now + estimate[job] > shadow and not reuse_extra:
                        extra -= size[job]
                        if gpus is not None:
                            extra_gpus -= gpus[job]
                    backfilled[job] = True

            queue[place] = GONE  # the job starts
            if index is not None:
                if indexed:
                    refresh(index, queue, estimate, place)
            start[job] = now
            insert(by_end, running, end, job, now + run[job])
            if passing is not None:
                insert(by_expected_end, running, expected_end, job, now + estimate[job])
            free -= size[job]
            if gpus is not None:
                free_gpus -= gpus[job]
            running, waiting, place = running + ONE, waiting - ONE, place + ONE
            progress_and_stop[0] += 1

        if passing is not None:
            if head_waits:
                if not indexed and waiting < last - first:
                    first, last = np.uint64(0), close_up(queue, first, last)
                considered, shadow_before, extra_before = last, shadow, extra
        if waiting == 0:
            first, last, considered, indexed = np.uint64(0), np.uint64(0), np.uint64(0), False
    state[_COMING], state[_RUNNING], state[_WAITING] = coming, running, waiting
    state[_FIRST], state[_LAST], state[_FREE], state[_FREE_GPUS] = first, last, free, free_gpus
    return too_many


_LONG = 1024
"""Jobs in a queue that is worth an index."""


def _simulate(submit, run, estimate, size, machine, preceding, think, progress_and_stop, options):
    """Make all arrays for the loop, and call it; again with an index if the queue becomes long. Returns start times."""
    reuse_extra, passing, gpus, machine_gpus, places, most = options
    n = submit.size
    start, end, queue = np.zeros(n, np.int64), np.zeros(n, np.int64), np.full(places_for(n), GONE)
    followers, followed = _followers(preceding, think) if preceding.size > 0 else (None, 0)
    state = np.zeros(8, np.int64)
    state[_COMING], state[_FREE], state[_FREE_GPUS], state[_MOST] = followed, machine, machine_gpus, most
    given = submit, run, estimate, size, reuse_extra, start, queue, np.empty(min(machine, n), np.uint64), end, state
    rules = progress_and_stop, passing, followers, gpus, places
    if easy_loop(*given, *rules, None):
        easy_loop(*given, *rules, empty_index(size))
    return start


def _followers(preceding, think):
    """Make what `easy_loop` is told of followers, and count them: so many places of the jobs to come are empty."""
    by_preceding = np.argsort(preceding, kind="stable")
    begin = np.searchsorted(preceding[by_preceding], np.arange(preceding.size + 1))
    count = preceding.size - begin[0]
    order = np.concatenate([np.zeros(count, np.int64), by_preceding[: begin[0]]])
    return (*(array.astype(np.uint64) for array in (order, by_preceding, begin)), think), count


def easy(
    submit,
    run,
    estimate,
    size,
    machine,
    preceding,
    think,
    progress_and_stop,
    reuse_extra=False,
    gpus=None,
    machine_gpus=0,
    places=None,
    most=_LONG,
):
    """Start times under EASY backfilling.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of recorded submit times; seconds and
        processors. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    progress_and_stop : int64 array
        [0] is set to how many jobs have started; when [1] is not 0, the loop returns what it has.
    reuse_extra : bool, whether several backfilled jobs may use the same extra processors, and GPUs
    gpus, machine_gpus : int64 array, the GPUs of each job, or None; int, no job needs more
    places : uint64 array, the order of the queue: for each job its place among all; None for the order of arrival
    most : int, the longest queue without an index

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    first_shadow : int64 array, the job's shadow time when it first waited at the head; -1 where it never did
    """
    n = submit.size
    backfilled, first_shadow = np.zeros(n, np.bool_), np.full(n, -1)
    passing = np.empty(min(machine, n), np.uint64), np.zeros(n, np.int64), backfilled, first_shadow
    options = reuse_extra, passing, gpus, machine_gpus, places, most
    start = _simulate(submit, run, estimate, size, machine, preceding, think, progress_and_stop, options)
    return start, backfilled, first_shadow


def fcfs(
    submit, run, size, machine, preceding, think, progress_and_stop, gpus=None, machine_gpus=0, places=None, most=_LONG
):
    """Start times under FCFS, as from `easy`."""
    most = submit.size if places is None else most  # the first in order of arrival is found without an index
    options = False, None, gpus, machine_gpus, places, most
    return _simulate(submit, run, run, size, machine, preceding, think, progress_and_stop, options)
