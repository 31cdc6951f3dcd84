"""EASY backfilling (MF section 2.2), and first come, first served, which it improves on (MF section 1).

One loop has both, with all options: GPUs, jobs that follow others, a queue in any order, another order of backfilling,
lookahead, adjusted (Tang section 5) or predicted estimates. What a run does not need is `None`, and is not compiled.
Whoever calls the loop makes all arrays, for it compiles in a tenth of the time then. So do the small functions, which
become part of the loop before its types are known.
"""

from typing import Any

import numpy as np

from .._util.arrays import Bools, Floats, Int, Ints, Place, Places
from .estimating import (
    Adjusting,
    Estimates,
    Predicting,
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
from .events import (
    NEVER,
    ONE,
    Followers,
    followers_of,
    insert_end,
    next_end,
    next_job,
    next_submission,
    part,
    remove_end,
    small,
    submit_followers,
    uncounted,
)
from .index import GONE, GROUP, Index, emptied, empty_index, places_for, refresh, skip
from .lookahead import DEPTH, Candidates, best_set, no_candidates
from .ranking import (
    RANK,
    Bounds,
    Facts,
    Given,
    Order,
    Rise,
    ask_for_ranks,
    best_in_blocks,
    best_of,
    best_ranked,
    best_ranked_in_blocks,
    bring_to_front,
    in_blocks,
    join_block,
    leave_block,
    no_rows,
    note_end,
    note_start,
    rank,
    refuse,
    take_out,
    tell,
)

_COMING, _RUNNING, _WAITING, _FIRST, _LAST, _FREE, _FREE_GPUS, _MOST, _KNOWN = range(9)
"""What the loop knows when it begins and ends, by its place in `state`: how many jobs have come (where jobs follow
others, the place of the next one to come), run and wait; between which places they wait; the free processors and GPUs;
the most jobs that may wait without an index; and how many jobs have come when the next one has no place in it."""

_REFUSED, _NOW, _EXTRA, _WINDOW, _PASSING, _PLACES = range(9, 15)
"""Where an order gave no number for a job: this job, else -1; the second, the extra processors, the seconds until the
shadow time, and whether it was the order of backfilling."""

NOBODY, ONE_BY_ONE, BEST_SET = range(3)
"""Who may pass the head: nobody; each who does not delay it; the jobs that together fill the machine best."""


@small
def fits(job: Int, size: Ints, free: Int, gpus: Ints | None, free_gpus: Int) -> bool:
    """Tell whether enough processors, and GPUs, are free for a job."""
    enough = size[job] <= free
    if gpus is not None:
        enough &= gpus[job] <= free_gpus
    return enough


@small
def shadow_time(
    head: Int,
    free: np.int64,
    free_gpus: np.int64,
    now: Int,
    running: Places,
    count: Place,
    expected_end: Ints,
    size: Ints,
    gpus: Ints | None,
) -> tuple[Int, np.int64, np.int64]:
    """Find the latest start of the head of the queue, and the processors and GPUs it will leave free (MF 2.2, step 1).

    The first `count` of `running` are the running jobs by expected end, latest first. The time is never before now.
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
def next_candidate(
    queue: Places,
    place: Place,
    last: Place,
    given: Given,
    size: Ints,
    estimate: Ints,
    gpus: Ints | None,
    index: Index | None,
    indexed: bool,
    most: Int = NEVER - 1,
) -> Place:
    """Find the first job from a place on that can be backfilled (MF 2.2, step 2). Returns its place; none: not < last.

    Such a job requires no more than the free processors and will terminate by the shadow time, or it requires no more
    than the free and the extra ones; and as many GPUs. Its estimate is at most `most`.
    """
    now, shadow, free, free_gpus, extra, extra_gpus = given
    if free == 0:
        place = last
    while place < last:
        if index is not None:
            if indexed and place % GROUP == 0:
                place = skip(index, place, free, extra, free_gpus, extra_gpus, min(shadow - now, most), most)
                if place >= last:
                    break
        job = queue[place]
        if index is not None:
            if job == GONE:
                place += ONE
                continue
        if fits(job, size, free, gpus, free_gpus):
            passes = now + estimate[job] <= shadow or fits(job, size, extra, gpus, extra_gpus)
            if passes and estimate[job] <= most:
                break
        place += ONE
    return place


@part
def best_candidate(
    queue: Places,
    place: Place,
    last: Place,
    given: Given,
    size: Ints,
    estimate: Ints,
    gpus: Ints | None,
    index: Index | None,
    indexed: bool,
    submit: Ints,
    number: Ints,
    order: Order,
    shortest: bool,
    facts: Facts | None,
) -> tuple[Place, bool]:
    """Find, from a place on, the job that an order ranks first among those that can be backfilled; ties by arrival.

    If the order ranks the `shortest` first, who is longer than the best so far is passed over. Returns its place, none:
    not < last; and whether the order gave a number for each, else that job's place.
    """
    now, shadow, free, _, extra, _ = given
    best, first, most = -np.inf, last, NEVER - 1
    while True:
        place = next_candidate(queue, place, last, given, size, estimate, gpus, index, indexed, most)
        if place >= last:
            return first, True
        job = queue[place]
        own = rank(order, facts, job, now, submit, estimate, size, free, extra, shadow - now)
        if np.isnan(own):
            return place, False
        if shortest:
            most = estimate[job]
        if first >= last or own > best or (own == best and number[job] < number[queue[first]]):
            best, first = own, place
        place += ONE


@small
def next_waiting(queue: Places, place: Place, index: Index | None, indexed: bool) -> Place:
    """Find the first job that waits at a place or behind it; there is one. Returns its place."""
    if index is not None:
        if indexed:
            if queue[place] == GONE:
                nothing = np.int64(0)
                place = skip(index, place // GROUP * GROUP, NEVER, nothing, NEVER - 1, nothing, NEVER - 1, NEVER - 1)
            while queue[place] == GONE:
                place += ONE
    return place


@small
def sorted_in(queue: Places, first: Place, last: Place, places: Places, job: Int) -> Place:
    """Make room for a job where those between two places are sorted by `places`. Returns its place."""
    place = last
    while place > first and places[queue[place - ONE]] > places[job]:
        queue[place] = queue[place - ONE]
        place -= ONE
    return place


@small
def close_gap(queue: Places, place: Place, last: Place) -> Place:
    """Let those behind a place move up by one. Returns the place behind them."""
    last -= ONE
    while place < last:
        queue[place] = queue[place + ONE]
        place += ONE
    queue[last] = GONE
    return last


@small
def close_up(queue: Places, first: Place, last: Place) -> Place:
    """Move the jobs that wait between two places to the front. Returns the place behind them."""
    left = np.uint64(0)
    for i in range(first, last):
        job = queue[i]
        queue[i] = GONE
        queue[left] = job
        left += np.uint64(job != GONE)
    return left


@small
def index_all(index: Index, queue: Places, last: Place, estimate: Ints) -> None:
    """Index a queue, whose jobs all wait before a place."""
    place = np.uint64(0)
    while place < last:
        refresh(index, queue, estimate, place)
        place += GROUP


def in_window(queue: Places, window: Places, places: Places, state: Ints) -> int:
    """Move those who wait, in an order that never changes, to their places in the index; and keep places for others.

    Those are the ones who come next, as many as wait, and more. All have places among all jobs in `places`, and in the
    index in `window`. Returns how many places at the front of the queue the index is over. This is plain Python.
    """
    waits = queue[state[_FIRST] : state[_LAST]]
    waiting, coming = waits[waits != GONE], state[_COMING]
    known = min(coming + waiting.size + state[_MOST], places.size)
    jobs = np.append(waiting, np.arange(coming, known, dtype=np.uint64))
    window[jobs[np.argsort(places[jobs])]] = np.arange(jobs.size)
    waits[:] = GONE
    queue[window[waiting]] = waiting
    state[_FIRST], state[_LAST], state[_KNOWN] = 0, jobs.size, known
    return places_for(jobs.size)


@uncounted
def easy_loop(
    submit: Ints,
    run: Ints,
    estimate: Ints,
    size: Ints,
    reuse_extra: bool,
    start: Ints,
    by_end: Places,
    end: Ints,
    state: Ints,
    progress_and_stop: Ints,
    passing: tuple[Places, Ints, Bools, Ints] | None,
    followers: Followers,
    gpus: Ints | None,
    places: Places | None,
    number: Any,  # Ints wherever an order or a prediction asks for it, which mypy cannot know
    priority: Any,  # Order wherever there are rows
    backfill: Order | None,
    shortest: bool,
    facts: Facts | None,
    candidates: Candidates | None,
    estimates: Estimates | None,
    adjusting: Adjusting | None,
    predicting: Predicting | None,
    queue: Places,
    rows: Floats | None,
    index: Index | None,
    window: Places | None,
    bounds: Bounds | None,
    rise: Any,  # Rise wherever there are bounds
) -> bool:
    """Run until all jobs have ended; or until the queue needs an index, or another one: then return True.

    `queue` has the waiting jobs at their places, and `GONE` everywhere else; `by_end` the running ones, latest first.
    `passing` is None if nobody may pass the head; else the running jobs by expected end, latest first, and by job the
    expected end, whether it was backfilled, and its shadow time. `estimate` is that by which jobs are backfilled, and
    `number` how many jobs arrived before each; None where nothing asks for it. Where the queue is ranked in each pass,
    `rows` has what the order is told, and `bounds` what no rank exceeds, if the queue is long. All else is as
    for `easy`.
    """
    most, free, free_gpus = np.uint64(state[_MOST]), state[_FREE], state[_FREE_GPUS]
    coming, running, waiting = np.uint64(state[_COMING]), np.uint64(state[_RUNNING]), np.uint64(state[_WAITING])
    first, last = np.uint64(state[_FIRST]), np.uint64(state[_LAST])
    asked = while_running = estimate
    if passing is not None:
        by_expected_end, expected_end, backfilled, first_shadow = passing
    if estimates is not None:
        asked, while_running = estimates.queue, estimates.running
    considered, extra_before = np.uint64(0), np.int64(0)
    shadow_before: Int = np.int64(0)
    refused: bool | np.bool_
    interrupted: bool | np.bool_ = False
    indexed, too_many, chosen = False, False, 0
    if bounds is not None or window is not None:
        indexed = True
        if index is not None:
            index_all(index, queue, last, estimate)

    while progress_and_stop[1] == 0:
        if interrupted or (waiting > most and not indexed):
            if index is None or window is not None:
                too_many = True
                break
            first, last, indexed, considered = np.uint64(0), close_up(queue, first, last), True, np.uint64(0)
            index_all(index, queue, last, estimate)

        now = min(next_submission(coming, submit, followers), next_end(by_end, running, end))
        if passing is not None:
            if predicting is not None:
                now = min(now, next_correction(predicting, by_expected_end, running, expected_end))
        if now == NEVER:
            break

        while next_end(by_end, running, end) <= now:  # 1. jobs leave
            running -= ONE
            job = by_end[running]
            free += size[job]
            if gpus is not None:
                free_gpus += gpus[job]
            if passing is not None:
                remove_end(by_expected_end, running, job)
            coming = submit_followers(followers, coming, submit, job, now)
            remember(adjusting, job, now)
            if predicting is not None:
                note_run(predicting, job, run, number)
            note_end(facts, job, now, size)
            considered = np.uint64(0)

        interrupted = False
        while next_submission(coming, submit, followers) <= now:  # 2. jobs join the queue
            job = next_job(coming, followers)
            if places is not None:
                interrupted = coming == np.uint64(state[_KNOWN]) if indexed else waiting > most
                if interrupted:  # who comes next has no place, or to sort in more would take long
                    break
            if number is not None:
                number[job] = progress_and_stop[0] + np.int64(waiting)
            adjust(adjusting, estimates, job, now)
            if predicting is not None:
                predict(predicting, estimates, job, run)
            coming, waiting, place, last = coming + ONE, waiting + ONE, last, last + ONE
            if places is not None:
                if window is not None and indexed:
                    place, last = window[job], last - ONE
                else:
                    place = sorted_in(queue, first, place, places, job)
                first, considered = min(first, place), min(considered, place)
            if bounds is not None:
                place, last = join_block(bounds, job), last - ONE
            queue[place] = job
            if rows is not None:
                tell(rows, place, job, submit, size, asked, estimate, facts)
            if index is not None:
                if indexed:
                    refresh(index, queue, estimate, place)

        if passing is not None:
            put_off(adjusting, by_expected_end, running, expected_end, start, while_running, now)
            if predicting is not None:
                correct(predicting, by_expected_end, running, expected_end, start, now)
        shadow, extra, extra_gpus = NEVER, np.int64(0), np.int64(0)  # 3. one scheduling pass
        place, head_waits, refused, begin = first, False, False, np.uint64(0)
        if rows is not None and bounds is None:
            place = np.uint64(ask_for_ranks(rows, queue, 0, np.int64(last), now, free, priority, facts))
            refused = place < last
        while waiting > 0 and not interrupted and not refused:
            if not head_waits:  # jobs start from the front of the queue, until one does not fit: it is the head
                if rows is None:
                    place = first = next_waiting(queue, place, index, indexed)
                elif bounds is None:
                    place = np.uint64(best_of(rows, RANK, queue, number, 0, np.int64(last)))
                else:
                    place = best_in_blocks(bounds, rows, queue, number, now, free, priority, facts, rise)
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
                        if predicting is not None:
                            first_shadow[job] = reservation(
                                predicting, by_expected_end, running, expected_end, size[job], free, shadow, size
                            )
                    place += ONE
                    if candidates is not None:
                        if rows is not None:
                            bring_to_front(rows, queue, np.int64(last), 1 + DEPTH, number)
                            place = ONE
                        chosen = best_set(candidates, queue, place, last, (now, shadow, free, extra), size, estimate)
                    if shadow == shadow_before and extra == extra_before:  # who was refused then must wait again
                        place = max(place, considered)
                    if rows is None:
                        begin = place
            if passing is not None:
                if head_waits:  # others pass it that do not delay it
                    given = now, shadow, free, free_gpus, extra, extra_gpus
                    if candidates is not None:
                        if chosen == 0:
                            break
                        chosen -= 1  # from the last one, for in a queue without an order the last takes its place
                        place = candidates.places[chosen]
                    elif backfill is not None:
                        place, ranked = best_candidate(
                            queue,
                            begin,
                            last,
                            given,
                            size,
                            estimate,
                            gpus,
                            index,
                            indexed,
                            submit,
                            number,
                            backfill,
                            shortest,
                            facts,
                        )
                        refused = not ranked
                        if refused:
                            break
                    elif rows is not None:
                        if bounds is None:
                            place = np.uint64(best_ranked(rows, queue, number, np.int64(last), given, gpus))
                        else:
                            place = best_ranked_in_blocks(
                                bounds, rows, queue, number, last, given, gpus, priority, facts, rise
                            )
                    else:
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
            if rows is not None:
                if bounds is None:
                    last -= ONE
                    take_out(rows, queue, place, last)
                else:
                    left = leave_block(bounds, rows, queue, job, place)
                    if index is not None:
                        refresh(index, queue, estimate, left)
            elif backfill is not None:
                if head_waits and not indexed:
                    last = close_gap(queue, place, last)
            if index is not None:
                if indexed:
                    refresh(index, queue, estimate, place)
            start[job] = now
            insert_end(by_end, running, end, job, now + run[job])
            if passing is not None:
                insert_end(by_expected_end, running, expected_end, job, now + while_running[job])
            free -= size[job]
            if gpus is not None:
                free_gpus -= gpus[job]
            note_start(facts, job, now, size)
            running, waiting, place = running + ONE, waiting - ONE, place + ONE
            progress_and_stop[0] += 1

        if refused:
            state[_REFUSED], state[_NOW], state[_EXTRA], state[_WINDOW] = queue[place], now, extra, shadow - now
            state[_PASSING] = head_waits
            break
        if passing is not None:
            if head_waits:
                if not indexed and waiting < last - first:
                    first, last = np.uint64(0), close_up(queue, first, last)
                considered, shadow_before, extra_before = last, shadow, extra
        if waiting == 0:
            if bounds is None:
                first, last, considered, indexed = np.uint64(0), np.uint64(0), np.uint64(0), False
    state[_COMING], state[_RUNNING], state[_WAITING] = coming, running, waiting
    state[_FIRST], state[_LAST], state[_FREE], state[_FREE_GPUS] = first, last, free, free_gpus
    return too_many


_LONG = 1024
"""Jobs in a queue that is worth an index, or blocks."""


def easy(
    submit: Ints,
    run: Ints,
    estimate: Ints,
    size: Ints,
    machine: int,
    preceding: Ints,
    think: Ints,
    progress_and_stop: Ints,
    reuse_extra: bool = False,
    passing: int = ONE_BY_ONE,
    priority: Order | None = None,
    rise: Rise | None = None,
    backfill: Order | None = None,
    shortest: bool = False,
    facts: Facts | None = None,
    places: Places | None = None,
    adjusting: Adjusting | None = None,
    predicting: Predicting | None = None,
    gpus: Ints | None = None,
    machine_gpus: int = 0,
    most: int = _LONG,
) -> tuple[Ints, Bools, Ints, Ints]:
    """Start times under EASY backfilling, and FCFS, which is EASY where nobody passes the head.

    Makes all arrays for the loop, and calls it; again with an index if the queue becomes long. This is plain Python.

    Parameters
    ----------
    submit, run, estimate, size : int64 arrays of one length, jobs in order of recorded submit times; seconds and
        processors. The submit times of followers are set to the simulated ones.
    machine : int, processors; no job is larger
    preceding, think : int64 arrays, the job that each one follows, -1 for none, and the seconds between; or `OPEN`
    progress_and_stop : int64 array
        [0] is set to how many jobs have started; when [1] is not 0, the loop returns what it has.
    reuse_extra : bool, whether several backfilled jobs may use the same extra processors, and GPUs
    passing : int, who may pass the head: `NOBODY`, `ONE_BY_ONE` or `BEST_SET`
    priority : compiled function, as `ranking.ask_for_ranks` calls it, which ranks the queue anew in each pass, or None
    rise : how fast ranks rise, see `ranking.Rise`; None if that is not known
    backfill : compiled function, as `ranking.rank` calls it, by which those who could pass are tried, or None for the
        order of the queue
    shortest : bool, whether that is the order of the estimates by which jobs are backfilled, the shortest first
    facts : Facts, or None where the functions need none of them
    places : uint64 array, an order of the queue that never changes: for each job its place among all; or None. Without
        it and without `priority` the queue is in order of arrival. No job follows another.
    adjusting, predicting : Adjusting, Predicting; or None not to adjust estimates, and not to predict run times
    gpus, machine_gpus : int64 array, the GPUs of each job, or None; int, no job needs more
    most : int, the longest queue without an index or blocks

    Returns
    -------
    start : int64 array, seconds
    backfilled : bool array, whether the job passed a waiting head
    first_shadow : int64 array, the job's shadow time when it first waited at the head; -1 where it never did; where
        predictions are not corrected, its reservation
    t_sched : int64 array, the adjusted or predicted estimates in seconds; else the users'
    """
    n = submit.size
    start, end, queue = np.zeros(n, np.int64), np.zeros(n, np.int64), np.full(places_for(n), GONE)
    backfilled, first_shadow, by_end = np.zeros(n, np.bool_), np.full(n, -1), np.empty(min(machine, n), np.uint64)
    expected = None if passing == NOBODY else (by_end.copy(), np.zeros(n, np.int64), backfilled, first_shadow)
    options = priority, backfill, adjusting, predicting
    if any(one is not None for one in options) or passing == BEST_SET:  # compiled once with followers, and not twice
        preceding, think = (preceding, think) if preceding.size else (np.full(n, -1), np.zeros(n, np.int64))
    followers, followed = followers_of(preceding, think)
    if priority is None:
        whole = passing == NOBODY and places is None  # the first in order of arrival is found without an index
    else:
        whole = rise is None or passing == BEST_SET
    state = np.zeros(_PLACES, np.int64)
    state[[_COMING, _FREE, _FREE_GPUS, _MOST, _REFUSED]] = followed, machine, machine_gpus, n if whole else most, -1
    switches = predicting if adjusting is None else adjusting
    estimates = None if switches is None else estimates_in_use(estimate, switches)
    asked, needed = (estimate, estimate) if estimates is None else (estimates.queue, estimates.backfill)
    number = np.arange(n) if any(one is not None for one in (priority, backfill, predicting)) else None
    rows = None if priority is None else no_rows(n, facts)
    candidates = no_candidates(machine) if passing == BEST_SET else None
    given = submit, run, needed, size, reuse_extra, start, by_end, end, state, progress_and_stop, expected, followers
    rules = gpus, places, number, priority, backfill, shortest, facts, candidates, estimates, adjusting, predicting
    window = index = bounds = None
    while easy_loop(*given, *rules, queue, rows, index, window, bounds, None if bounds is None else rise):
        if rows is not None:
            bounds, queue, rows = in_blocks(queue, rows, int(state[_WAITING]), size, estimate, facts)
            state[_LAST] = rows.shape[1]
        places_indexed = queue.size
        if places is not None:
            window = np.empty(n, np.uint64) if window is None else window
            places_indexed = in_window(queue, window, places, state)
        if rows is None or backfill is not None:
            index = empty_index(size, gpus, places_indexed) if index is None else emptied(index, places_indexed)
    if state[_REFUSED] >= 0:
        job, now, extra, window, of_backfilling = state[[_REFUSED, _NOW, _EXTRA, _WINDOW, _PASSING]]
        told = needed if of_backfilling else asked
        refuse(facts, job, now, submit, told, size, state[_FREE], extra, window, bool(of_backfilling))
    return start, backfilled, first_shadow, estimate if estimates is None else estimates.t_sched
