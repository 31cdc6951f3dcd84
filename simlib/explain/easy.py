"""FCFS and EASY backfilling in plain Python, to be read beside MF sections 1 and 2.2."""

from collections.abc import Sequence
from functools import cache
from math import inf

from ..engine.estimating import STEPS
from ..engine.variants import DEPTH
from ..policies.easy import Predictions
from . import rules
from .system import Decisions, Job, Ranks, Scheduler, System


def fcfs(system: System, order: Ranks | None = None) -> Decisions:
    """Decide at an instant under FCFS: a job starts only when all before it in the queue have started."""
    yield from _start_from_the_head(system, order)
    if system.queue:
        head, *others = system.queue
        yield rules.head_blocks, head, others, system.free


def easy(
    system: System, order: Ranks | None, find_backfill_jobs: Scheduler, predictor: "Predictor | None" = None
) -> Decisions:
    """Decide at an instant under EASY: Algorithm EASY Backfill; step 2 is `one_by_one`, or another of those below."""
    yield from _start_from_the_head(system, order, predictor)
    if not system.queue:
        return
    head = system.queue[0]

    # 1. Find the shadow time and extra processors:
    shadow, available, leaving = system.now, system.free, []
    # a. sort the running jobs by their expected ends;
    for job in sorted(system.running, key=lambda job: job.expected_end):
        # b. collect processors until there are enough for the head;
        if available >= head.procs and job.expected_end > shadow:
            break
        available += job.procs
        shadow = max(shadow, job.expected_end)
        leaving.append(job)
    # c. the time at which this happens is the shadow time; d. what is left over then are the extra processors.
    before, head.shadow = head.shadow, shadow
    system.shadow, system.extra = shadow, available - head.procs
    yield rules.head_waits, head, system.free, leaving, before, system.extra, system.now

    # 2. Find backfill jobs, and start them.
    yield from find_backfill_jobs(system)


def _start_from_the_head(system: System, order: Ranks | None = None, predictor: "Predictor | None" = None) -> Decisions:
    """Begin an instant: jobs leave, jobs join the queue, and jobs start from its head while they fit."""
    system.leave()
    system.queue += system.arrive()
    yield rules.jobs_end_or_arrive, None, system.ended, system.arrived, system.now, system.free, system.queue
    if predictor is not None:
        yield from predictor.predict(system)
        yield from predictor.correct(system)
    if order is not None:
        yield from sort_the_queue(system, order)
    while system.queue and system.queue[0].procs <= system.free:
        head, free = system.queue[0], system.free
        system.start(head)
        yield rules.head_starts, head, free


def sort_the_queue(system: System, order: Ranks) -> Decisions:
    """Sort the queue by falling priority, ties by arrival."""
    before = list(system.queue)
    for job in system.queue:
        job.priority = order.of(job, system, job.in_queue)
    system.queue.sort(key=lambda job: (-job.priority, job.arrival))
    if system.queue != before:
        values = order.values(system.queue, [job.priority for job in system.queue])
        yield rules.sorts, system.queue[0], system.queue, order.by, values


# 2. Find backfill jobs.


def one_by_one(system: System, reuse_extra: bool = False) -> Decisions:
    """Loop on the queued jobs in order, and start each one that may pass the head."""
    for job in system.queue[1:]:
        if _may_pass(job, system):
            yield from _pass_the_head(job, system, reuse_extra)
        else:
            yield _refusal(job, system)


def _may_pass(job: Job, system: System) -> bool:
    """Check whether either of the two conditions holds."""
    ends_by_the_shadow_time = job.procs <= system.free and system.now + job.to_backfill <= system.shadow
    return ends_by_the_shadow_time or job.procs <= min(system.free, system.extra)


def _pass_the_head(job: Job, system: System, reuse_extra: bool = False) -> Decisions:
    """Start a job ahead of the head, which takes extra processors where it may run past the shadow time."""
    head, extra = system.queue[0], system.extra
    system.start(job, backfilled=True)
    if system.now + job.to_backfill <= system.shadow:
        yield rules.ends_by_the_shadow_time, job, head, system.shadow
    else:
        system.extra = extra if reuse_extra else extra - job.procs
        yield rules.fits_the_extra_processors, job, head, system.shadow, extra, system.extra


def _refusal(job: Job, system: System) -> tuple:
    """Say why a job may not pass the head."""
    if job.procs > system.free:
        return rules.too_large, job, system.free
    return rules.would_delay_the_head, job, system.now + job.to_backfill, system.shadow, system.extra


def in_order(system: System, order: Ranks, reuse_extra: bool = False) -> Decisions:
    """Repeatedly start the job that may pass the head and is the best by an order."""
    last_order = others = system.queue[1:]
    while fitting := [job for job in others if job.start is None and _may_pass(job, system)]:
        window = system.shadow - system.now
        ranks = {job: order.of(job, system, job.to_backfill, system.extra, window) for job in fitting}
        best_first = sorted(fitting, key=lambda job: (-ranks[job], job.arrival))
        if best_first != [job for job in last_order if job in ranks]:
            last_order = best_first
            values = order.values(best_first, [ranks[job] for job in best_first])
            yield rules.tries, best_first[0], system.queue[0], best_first, order.by, values
        yield from _pass_the_head(best_first[0], system, reuse_extra)
    for job in others:
        if job.start is None:
            yield _refusal(job, system)


def best_set(system: System) -> Decisions:
    """Start the set of the first jobs behind the head that fills the machine best: lookahead.

    From Shmueli & Feitelson 2005.
    """
    head, *others = system.queue
    free = system.free
    near = others[:DEPTH]
    candidates = [job for job in near if _may_pass(job, system)]
    own, chosen = _easys_own(candidates, system), _fullest(candidates, system)
    if chosen:
        yield rules.chooses, chosen[0], head, chosen, free, own
    for job in others:
        if job in chosen:
            yield from _pass_the_head(job, system)
        elif job in candidates:
            yield rules.not_in_the_set, job, sum(one.procs for one in chosen)
        elif job in near:
            yield _refusal(job, system)
        else:
            yield rules.not_looked_at, job, DEPTH


def _easys_own(candidates: Sequence[Job], system: System) -> list[Job]:
    """List the jobs that EASY would start: each that fits beside those before it."""
    free, extra = system.free, system.extra
    chosen = []
    for job in candidates:
        if job.procs <= free and _past_the_shadow_time(job, system) <= extra:
            free, extra = free - job.procs, extra - _past_the_shadow_time(job, system)
            chosen.append(job)
    return chosen


def _fullest(candidates: Sequence[Job], system: System) -> list[Job]:
    """Find the set that takes the most free processors, and no more than the extra ones past the shadow time.

    Ties: the set with the first candidate wins; then the set with the second, and so on.
    """
    own = _easys_own(candidates, system)
    if sum(job.procs for job in own) == min(system.free, sum(job.procs for job in candidates)):
        return own  # no set takes more

    @cache
    def least(place: int, total: int) -> float:
        """The fewest processors past the shadow time, of sets of candidates from a place on that take so many."""
        if place == len(candidates):
            return 0 if total == 0 else inf
        job, without = candidates[place], least(place + 1, total)
        if job.procs > total:
            return without
        return min(without, least(place + 1, total - job.procs) + _past_the_shadow_time(job, system))

    left, extra = next(total for total in range(system.free, -1, -1) if least(0, total) <= system.extra), system.extra
    chosen = []
    for place, job in enumerate(candidates):
        past = _past_the_shadow_time(job, system)
        if job.procs <= left and least(place + 1, left - job.procs) + past <= extra:
            left, extra = left - job.procs, extra - past
            chosen.append(job)
    return chosen


def _past_the_shadow_time(job: Job, system: System) -> int:
    """Count the processors that a job holds past the shadow time."""
    return job.procs if system.now + job.to_backfill > system.shadow else 0


# Predict run times, and correct what is outlived (Tsafrir, Etsion & Feitelson 2005, section 3).


class Predictor:
    """Predict the run times of arriving and running jobs from the jobs that have ended."""

    def __init__(self, predictions: Predictions, ended: Sequence[Job] = ()) -> None:
        self.predictions = predictions
        self.known: dict[int, list[tuple[int, int, int]]] = {}  # by user: arrival, run time, estimate of ended jobs
        self.learns = predictions.predictor in ("last two", "same estimate")
        if predictions.past is not None and self.learns:
            past = predictions.past.sort_values("submit", kind="stable").to_dict("records")
            for place, job in enumerate(past, -len(past)):
                self.known.setdefault(job["user"], []).append((place, job["run"], max(job.get("estimate", 1), 1)))
        self._learn(ended)

    def _learn(self, ended: Sequence[Job]) -> None:
        for job in ended if self.learns else ():
            if job.user != -1:
                self.known.setdefault(job.user, []).append((job.arrival, job.run, max(job.requested, 1)))

    def predict(self, system: System) -> Decisions:
        """Predict the run times of the jobs that arrive, from those that have ended."""
        self._learn(system.ended)
        for job in system.arrived:
            last_two = sorted(self.known.get(job.user, []))[-2:] if job.user != -1 else []
            runs = [run for _, run, _ in last_two]
            job.predicted = max(job.requested, 1)
            if self.predictions.predictor == "same estimate" and [one[2] for one in last_two] != [job.predicted] * 2:
                runs = []
            if self.predictions.predictor == "exact":
                job.predicted = job.run
            elif runs:
                job.predicted = min(max(sum(runs) // len(runs), 1), job.predicted)
            use = self.predictions  # go by what is predicted, where that is switched on
            job.in_queue = job.predicted if use.queue else job.estimate
            job.to_backfill = job.predicted if use.backfill else job.estimate
            job.while_running = job.predicted if use.running else job.estimate
            if runs:
                yield rules.predicts, job, tuple(runs)
            elif self.learns:
                yield rules.does_not_predict, job, len(last_two)

    def correct(self, system: System) -> Decisions:
        """Expect running jobs that have outlived their predictions to end later."""
        for job in sorted(system.running, key=lambda job: (job.expected_end, job.arrival)):
            if self.predictions.correct and job.expected_end <= system.now:
                before = job.expected_end
                job.while_running = corrected(job.while_running, max(job.requested, 1), system.now - job.start)
                yield rules.corrects, job, before


def corrected(expected: int, estimate: int, age: int) -> int:
    """The expected run time of a job that has run for `age` seconds: the prediction, or its corrections."""
    if expected <= age:
        expected = estimate
    for step in STEPS:
        if expected <= age:
            expected += step
    while expected <= age:
        expected += STEPS[-1]
    return expected
