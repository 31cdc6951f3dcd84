"""Step 2 of EASY (MF section 2.2): who of the queue passes its head."""

import numpy as np

from .lookahead import DEPTH, best_set
from .parts import part
from .queue import next_to_backfill, take
from .ranked import (
    RANKED_ANEW,
    best_ranked_to_backfill,
    best_to_backfill,
    bring_to_front,
    may_be_considered,
    take_out,
)
from .ranking import note_start
from .running import start_job


@part
def launch(running, facts, job, now, size, run, estimate):
    """Start a job, and note what it takes."""
    start_job(running, job, now, size, run, estimate)
    note_start(facts, job, now, size)


@part
def pass_one_by_one(
    ranked, head, arrivals, running, shadow, extra, now, size, run, estimates, reuse_extra, backfill, facts
):
    """Start each job that does not delay the head, one after the other, in the order `backfill`; None: the queue's.

    Returns the extra processors that are left; and the job to which the order gives no number, -1 where there is none.
    """
    queue = ranked.queue
    begin, needed = may_be_considered(ranked, head, shadow, extra), estimates.backfill
    place = _next(ranked, begin, arrivals, running, shadow, extra, now, size, needed, backfill, facts)
    while 0 <= place < queue.end[0]:
        job = queue.jobs[place]
        if now + needed[job] > shadow and not reuse_extra:
            extra -= size[job]
        running.backfilled[job] = True
        launch(running, facts, job, now, size, run, estimates.running)
        begin = _take(ranked, place, begin, backfill)
        place = _next(ranked, begin, arrivals, running, shadow, extra, now, size, needed, backfill, facts)
    return extra, np.int64(queue.jobs[queue.end[0] + place]) if place < 0 else np.int64(-1)


@part
def _next(ranked, place, arrivals, running, shadow, extra, now, size, estimate, backfill, facts):
    """Find who is backfilled next, from a place on: the first in the queue, or the best by an order."""
    if backfill is None and ranked.ordering == RANKED_ANEW:
        return best_ranked_to_backfill(ranked, arrivals.number, running.free[0], shadow, extra, now)
    if backfill is None:
        return next_to_backfill(ranked.queue, place, running.free[0], shadow, extra, now, size, estimate)
    free = running.free[0]
    return best_to_backfill(ranked.queue, place, arrivals, free, shadow, extra, now, size, estimate, backfill, facts)


@part
def _take(ranked, place, begin, backfill):
    """Take out who was backfilled from a place. Returns from where on the next one is looked for."""
    if backfill is None and ranked.ordering != RANKED_ANEW:
        take(ranked.queue, place)
        return place + 1
    take_out(ranked, place)
    return begin


@part
def pass_as_best_set(candidates, ranked, head, number, running, shadow, extra, now, size, run, estimates, facts):
    """Start the jobs that together fill the machine best."""
    queue = ranked.queue
    if ranked.ordering == RANKED_ANEW:
        bring_to_front(ranked, 1 + DEPTH, number)
        head = 0
    free, needed = running.free[0], estimates.backfill
    places = candidates.places[: best_set(candidates, queue, head, free, shadow, extra, now, size, needed)]
    for place in places:
        job = queue.jobs[place]
        running.backfilled[job] = True
        launch(running, facts, job, now, size, run, estimates.running)
        if ranked.ordering != RANKED_ANEW:
            take(queue, place)
    if ranked.ordering == RANKED_ANEW:
        for place in places[::-1]:  # who takes a place stood behind all of them that are left
            take_out(ranked, place)
