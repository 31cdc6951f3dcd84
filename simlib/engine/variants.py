"""EASY backfilling with all options: other orders, adjusted (Tang section 5) or predicted estimates, and lookahead."""

from typing import NamedTuple

import numpy as np

from .._util.compiled import compiled
from .estimating import (
    adjust,
    correct,
    estimates_in_use,
    next_correction,
    note_run,
    predict,
    put_off,
    remember,
    reservation,
)
from .queue import first_waiting, next_to_backfill, take, waiting
from .ranking import (
    RANKED_ANEW,
    best_ranked_to_backfill,
    best_to_backfill,
    bring_to_front,
    empty_ranked,
    end_ranked_pass,
    find_head,
    join_ranked,
    may_be_considered,
    note_end,
    note_start,
    put_in_order,
    refuse,
    take_head,
    take_out,
)
from .running import (
    NEVER,
    arrivals_of,
    arrive,
    end_job,
    idle,
    next_arrival,
    next_end,
    part,
    start_job,
    submit_followers,
    uncounted,
)

DEPTH = 50
"""How many jobs behind the head are looked at, as in the paper."""


class _Candidates(NamedTuple):
    """The jobs from which the best set is chosen, and a table of their sets.

    Attributes
    ----------
    places : int64 array, in the queue; finally those of the best set
    size, past : int64 arrays, processors; and those of them that are held past the shadow time
    least : int64 array, (DEPTH + 1, processors + 1)
        `least[i, n]`: the fewest processors past the shadow time of any set of the candidates from i on that takes n
        processors; `NEVER` if there is no such set.
    """

    places: np.ndarray
    size: np.ndarray
    past: np.ndarray
    least: np.ndarray


@compiled
def _no_candidates(machine):
    """Make room for the candidates on a machine of so many processors; none for 0 processors."""
    depth = DEPTH if machine > 0 else 0
    places, size, past = np.empty((3, depth), np.int64)
    return _Candidates(places, size, past, np.empty((depth + 1, machine + 1), np.int64))


@uncounted
def _best_set(candidates, queue, head, free, shadow, extra, now, size, estimate):
    """Find the set that takes the most free processors and no more than `extra` of them past the shadow time.

    Ties: the set with the first candidate wins; then the set with the second, and so on. Returns the number of its
    jobs; their places in the queue are the first of `candidates.places`.
    """
    count = _candidates(candidates, queue, head, free, shadow, extra, now, size, estimate)
    taken, taken_past = _first_that_fit(candidates, count, free, extra)
    total = candidates.size[:count].sum()
    if taken < min(free, total):  # else no set takes more
        _least(candidates, count, free)
        most = free
        while candidates.least[0, most] > extra:
            most -= 1
        if most > taken:
            return _chosen(candidates, count, most, extra)
    return _chosen_first(candidates, count, free, extra)


@uncounted
def _candidates(candidates, queue, head, free, shadow, extra, now, size, estimate):
    """List the jobs, among the first `DEPTH` behind the head, that could be backfilled alone. Returns their number."""
    count, looked, place = 0, 0, first_waiting(queue, head + 1)
    while place < queue.end[0] and looked < DEPTH and free > 0:
        job = queue.jobs[np.uint64(place)]
        past = size[job] if now + estimate[job] > shadow else 0
        if size[job] <= free and past <= extra:
            candidates.places[count], candidates.size[count], candidates.past[count] = place, size[job], past
            count += 1
        looked += 1
        place = first_waiting(queue, place + 1)
    return count


@uncounted
def _first_that_fit(candidates, count, free, extra):
    """Count the processors of EASY's set: each candidate that fits beside those before it."""
    taken, past = 0, 0
    for i in range(count):
        if taken + candidates.size[i] <= free and past + candidates.past[i] <= extra:
            taken += candidates.size[i]
            past += candidates.past[i]
    return taken, past


@uncounted
def _chosen_first(candidates, count, free, extra):
    """Keep the places of EASY's set. Returns their number."""
    chosen = 0
    for i in range(count):
        if candidates.size[i] <= free and candidates.past[i] <= extra:
            free -= candidates.size[i]
            extra -= candidates.past[i]
            candidates.places[chosen] = candidates.places[i]
            chosen += 1
    return chosen


@uncounted
def _least(candidates, count, free):
    """Fill the table, from the last candidate to the first (the paper's dynamic programming, section 3.2)."""
    least = candidates.least
    least[count, : free + 1] = NEVER
    least[count, 0] = 0
    for i in range(count - 1, -1, -1):
        size, past = candidates.size[i], candidates.past[i]
        for n in range(size):
            least[i, n] = least[i + 1, n]
        for n in range(size, free + 1):
            least[i, n] = min(least[i + 1, n], least[i + 1, n - size] + past)


@uncounted
def _chosen(candidates, count, most, extra):
    """Keep the places of the best set, which takes `most` processors. Returns their number."""
    chosen = 0
    for i in range(count):
        size, past = candidates.size[i], candidates.past[i]
        if size <= most and past <= extra and candidates.least[i + 1, most - size] <= extra - past:
            most -= size
            extra -= past
            candidates.places[chosen] = candidates.places[i]
            chosen += 1
    return chosen


# EASY with all options


@uncounted
def shadow_time(head_size, free, now, running, count, expected_end, size):
    """Find the latest start of the head of the queue, and the processors that it will leave free (MF 2.2, step 1).

    Parameters
    ----------
    head_size, free, now : the head's processors; the free ones; seconds
    running : int64 array, the first `count` of which are the running jobs by `expected_end`, latest first

    Returns
    -------
    shadow, extra : the shadow time in seconds, never before now; processors
    """
    available = free
    shadow = now
    for i in range(count - 1, -1, -1):
        job = running[i]
        if available >= head_size and expected_end[job] > shadow:
            break
        available += size[job]
        shadow = max(shadow, expected_end[job])
    return shadow, available - head_size


@part
def _launch(running, facts, job, now, size, run, estimate):
    """Start a job, and note what it takes."""
    start_job(running, job, now, size, run, estimate)
    note_start(facts, job, now, size)


@part
def _pass_one_by_one(
    ranked, head, arrivals, running, shadow, extra, now, size, run, estimates, reuse_extra, backfill, facts
):
    """Start each job that does not delay the head, one after another, in the order `backfill`; None: the queue's.

    Returns the remaining extra processors, and the job to which the order gives no number, -1 if there is none.
    """
    queue = ranked.queue
    begin, needed = may_be_considered(ranked, head, shadow, extra), estimates.backfill
    place = _next(ranked, begin, arrivals, running, shadow, extra, now, size, needed, backfill, facts)
    while 0 <= place < queue.end[0]:
        job = queue.jobs[place]
        if now + needed[job] > shadow and not reuse_extra:
            extra -= size[job]
        running.backfilled[job] = True
        _launch(running, facts, job, now, size, run, estimates.running)
        begin = _take(ranked, place, begin, backfill)
        place = _next(ranked, begin, arrivals, running, shadow, extra, now, size, needed, backfill, facts)
    return extra, np.int64(queue.jobs[queue.end[0] + place]) if place < 0 else np.int64(-1)


@part
def _next(ranked, place, arrivals, running, shadow, extra, now, size, estimate, backfill, facts):
    """Find the next job to backfill from a place on: the first in the queue, or the best by an order."""
    if backfill is None and ranked.ordering == RANKED_ANEW:
        return best_ranked_to_backfill(ranked, arrivals.number, running.free[0], shadow, extra, now)
    if backfill is None:
        return next_to_backfill(ranked.queue, place, running.free[0], shadow, extra, now, size, estimate)
    free = running.free[0]
    return best_to_backfill(ranked.queue, place, arrivals, free, shadow, extra, now, size, estimate, backfill, facts)


@part
def _take(ranked, place, begin, backfill):
    """Take out a backfilled job. Returns the place from which the search for the next one begins."""
    if backfill is None and ranked.ordering != RANKED_ANEW:
        take(ranked.queue, place)
        return place + 1
    take_out(ranked, place)
    return begin


@part
def _pass_as_best_set(candidates, ranked, head, number, running, shadow, extra, now, size, run, estimates, facts):
    """Start the set of jobs that fills the machine best."""
    queue = ranked.queue
    if ranked.ordering == RANKED_ANEW:
        bring_to_front(ranked, 1 + DEPTH, number)
        head = 0
    free, needed = running.free[0], estimates.backfill
    places = candidates.places[: _best_set(candidates, queue, head, free, shadow, extra, now, size, needed)]
    for place in places:
        job = queue.jobs[place]
        running.backfilled[job] = True
        _launch(running, facts, job, now, size, run, estimates.running)
        if ranked.ordering != RANKED_ANEW:
            take(queue, place)
    if ranked.ordering == RANKED_ANEW:
        for place in places[::-1]:  # who takes a place stood behind all of them that are left
            take_out(ranked, place)


NOBODY, ONE_BY_ONE, BEST_SET = range(3)  # who may pass the head


@compiled
def easy_variants(
    submit,
    run,
    estimate,
    size,
    machine,
    preceding,
    think,
    progress_and_stop,
    reuse_extra,
    ordering,
    priority,
    passing,
    backfill,
    facts,
    adjusting,
    predicting,
):
    """Start times under EASY backfilling with these options.

    Parameters
    ----------
    submit, run, estimate, size, machine, preceding, think, progress_and_stop, reuse_extra
        As for `easy`.
    ordering : int, whether the queue is kept `NOT_RANKED`, or its jobs are `RANKED_ANEW` by `priority` in each pass
    priority : compiled function, as `ranking.ask_for_ranks` calls it
    passing : int, who may pass the head: `NOBODY`; `ONE_BY_ONE`, who does not delay it; `BEST_SET`, the jobs that
        together fill the machine best
    backfill : compiled function, as `ranking.rank` calls it, by which those who could are tried one by one, or None for
        the order of the queue
    facts : Facts, or None where the functions need none of them
    adjusting : Adjusting, or None not to adjust estimates
    predicting : Predicting, or None not to predict run times. What is None is compiled separately and costs nothing

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    first_shadow : int64 array, the job's shadow time when it first waited at the head; -1 where it never did; where
        predictions are not corrected, its reservation
    t_sched : int64 array, the adjusted or predicted estimates in seconds; else the users'
    """
    n = submit.size
    arrivals, running = arrivals_of(submit, preceding, think), idle(machine, n)
    estimates = estimates_in_use(estimate, adjusting, predicting)
    ranked, number = empty_ranked(size, ordering, facts), arrivals.number
    queue = ranked.queue
    candidates = _no_candidates(machine if passing == BEST_SET else 0)
    first_shadow = np.full(n, -1)
    shadow, extra = np.int64(0), np.int64(0)

    while progress_and_stop[1] == 0:
        now = min(next_arrival(arrivals), next_end(running.by_end), next_correction(predicting, running))
        if now == NEVER:
            break
        progress_and_stop[0] = arrivals.arrived[0] - waiting(queue)

        while next_end(running.by_end) <= now:  # 1. jobs leave
            job = end_job(running, size)
            submit_followers(arrivals, job, now)
            remember(adjusting, job, now)
            note_run(predicting, job, run, number)
            note_end(facts, job, now, size)
            queue.considered[0] = 0
        while next_arrival(arrivals) <= now:  # 2. jobs join the queue
            job = arrive(arrivals)
            adjust(adjusting, estimates, job, now)
            predict(predicting, estimates, job, run)
            join_ranked(ranked, job, submit, size, estimates, facts)

        put_off(adjusting, running, estimates.running, now)  # 3. one scheduling pass
        correct(predicting, running, now)
        unranked = put_in_order(ranked, now, running.free[0], priority, facts)
        if unranked >= 0:
            refuse(facts, unranked, now, submit, estimates.queue, size, running.free[0], 0, 0, False)
        head = find_head(ranked, queue.first[0], number)
        while head < queue.end[0] and size[queue.jobs[head]] <= running.free[0]:
            _launch(running, facts, queue.jobs[head], now, size, run, estimates.running)
            head = find_head(ranked, take_head(ranked, head), number)
        queue.first[0] = head
        if head < queue.end[0] and passing != NOBODY:
            job, expected = queue.jobs[head], running.by_expected_end
            shadow, extra = shadow_time(
                size[job], running.free[0], now, expected.jobs, expected.count[0], expected.time, size
            )
            if first_shadow[job] < 0:
                first_shadow[job] = reservation(predicting, expected, size[job], running.free[0], shadow, size)
            if passing == BEST_SET:
                _pass_as_best_set(
                    candidates, ranked, head, number, running, shadow, extra, now, size, run, estimates, facts
                )
            else:
                extra, unranked = _pass_one_by_one(
                    ranked,
                    head,
                    arrivals,
                    running,
                    shadow,
                    extra,
                    now,
                    size,
                    run,
                    estimates,
                    reuse_extra,
                    backfill,
                    facts,
                )
                if unranked >= 0:
                    free = running.free[0]
                    refuse(facts, unranked, now, submit, estimates.backfill, size, free, extra, shadow - now, True)
        end_ranked_pass(ranked, shadow, extra, size, estimates.backfill)
    return running.start, running.backfilled, first_shadow, estimates.t_sched
