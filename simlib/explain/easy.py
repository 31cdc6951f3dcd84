"""EASY backfilling, in plain Python (MF section 2.2)."""

from collections.abc import Callable, Sequence
from functools import cache
from math import inf

from ..engine.estimating import STEPS
from ..engine.lookahead import DEPTH
from ..policies.predictions import Predictions
from . import rules
from .ranking import Ranks, sort_the_queue
from .system import Decisions, Job, System, leave_and_join

# First come, first served, in plain Python (MF section 1).


def fcfs(system: System, order: Ranks | None = None) -> Decisions:
    """Decide at an instant under FCFS: a job starts only when all before it in the queue have started.

    The queue is in order of arrival, unless it has an order of its own.

    Examples
    --------
    >>> from simlib.explain.system import Job, decisions
    >>> system = System(4, [Job("A", 0, 0, 10, 10, 3), Job("B", 1, 0, 10, 10, 4)])
    >>> [(system.now, rule.name) for rule, *_ in decisions(system, fcfs)][:3]
    [(0, 'jobs end or arrive'), (0, 'the head fits'), (0, 'nobody may pass the head')]
    """
    yield from leave_and_join(system)
    if order is not None:
        yield from sort_the_queue(system, order)
    yield from start_from_the_head(system)
    if system.queue:
        head, *others = system.queue
        yield rules.head_blocks, head, others, system.free


def start_from_the_head(system: System) -> Decisions:
    """Start jobs from the head of the queue while they fit.

    Examples
    --------
    >>> from simlib.explain.system import Job
    >>> queue = [Job(name, place, 0, 10, 10, 3) for place, name in enumerate("AB")]
    >>> [job.name for _, job, _ in start_from_the_head(System(4, [], free=4, queue=queue))]
    ['A']
    """
    while system.queue and system.queue[0].procs <= system.free:
        head = system.queue[0]
        free = system.free
        system.start(head)
        yield rules.head_starts, head, free


# Who passes the head of the queue, in plain Python (step 2 of EASY, MF section 2.2).


def one_by_one(system: System, reuse_extra: bool = False) -> Decisions:
    """Loop on the queued jobs in order, and start each one that does not delay the head.

    Examples
    --------
    Two processors are free until the head can start at second 10, and none is extra then:

    >>> jobs = [Job(name, 0, 0, run, run, 2) for name, run in (("head", 5), ("long", 11), ("short", 10))]
    >>> system = System(4, [], free=2, queue=jobs, shadow=10, extra=0)
    >>> [(job.name, rule.kind) for rule, job, *_ in one_by_one(system)]
    [('long', 'refuse'), ('short', 'backfill')]
    """
    for job in system.queue[1:]:
        if may_pass(job, system):
            yield from pass_the_head(job, system, reuse_extra)
        else:
            yield refusal(job, system)


def in_order(system: System, order: Ranks, reuse_extra: bool = False) -> Decisions:
    """Start the best of the jobs that do not delay the head, by an order, again and again.

    Examples
    --------
    >>> jobs = [Job(name, 0, 0, run, run, 2) for name, run in (("head", 5), ("long", 9), ("short", 8))]
    >>> system = System(4, [], free=2, queue=jobs, shadow=10, extra=0)
    >>> shortest = Ranks("sjf", lambda wait, estimate, procs: -estimate)
    >>> [(job.name, rule.kind) for rule, job, *_ in in_order(system, shortest)]
    [('short', 'try'), ('short', 'backfill'), ('long', 'refuse')]
    """
    told = others = system.queue[1:]
    while fitting := [job for job in others if job.start is None and may_pass(job, system)]:
        window = system.shadow - system.now
        ranks = {job: order.of(job, system, job.to_backfill, system.extra, window) for job in fitting}
        best_first = sorted(fitting, key=lambda job: (-ranks[job], job.arrival))
        if best_first != [job for job in told if job in ranks]:
            told = best_first
            values = order.values(told, [ranks[job] for job in told])
            yield rules.tries, told[0], system.queue[0], told, order.by, values
        yield from pass_the_head(best_first[0], system, reuse_extra)
    for job in others:
        if job.start is None:
            yield refusal(job, system)


def may_pass(job: Job, system: System) -> bool:
    """Tell whether a job fits, and ends by the shadow time or on the extra processors.

    Examples
    --------
    >>> system = System(4, [], free=2, shadow=10, extra=0)
    >>> may_pass(Job("A", 0, 0, 10, 10, 2), system), may_pass(Job("B", 0, 0, 11, 11, 2), system)
    (True, False)
    """
    ends_in_time = system.now + job.to_backfill <= system.shadow
    return job.procs <= system.free and (ends_in_time or job.procs <= system.extra)


def pass_the_head(job: Job, system: System, reuse_extra: bool = False) -> Decisions:
    """Start a job ahead of the head, which takes extra processors where it may run past the shadow time.

    Examples
    --------
    >>> jobs = [Job("A", 0, 0, 10, 10, 4), Job("B", 0, 0, 30, 30, 1)]
    >>> system = System(4, [], free=2, queue=jobs, shadow=10, extra=1)
    >>> [rule.name for rule, *_ in pass_the_head(jobs[1], system)], system.extra
    (['fits the extra processors'], 0)
    """
    head, extra = system.queue[0], system.extra
    system.start(job, backfilled=True)
    if system.now + job.to_backfill <= system.shadow:
        yield rules.ends_by_the_shadow_time, job, head, system.shadow
    else:
        system.extra = extra if reuse_extra else extra - job.procs
        yield rules.fits_the_extra_processors, job, head, system.shadow, extra, system.extra


def refusal(job: Job, system: System) -> tuple:
    """Say why a job may not pass the head.

    Examples
    --------
    >>> refusal(Job("A", 0, 0, 10, 10, 3), System(4, [], free=2, shadow=10, extra=0))[0].name
    'more processors than are free'
    """
    if job.procs > system.free:
        return rules.too_large, job, system.free
    return rules.would_delay_the_head, job, system.now + job.to_backfill, system.shadow, system.extra


# Lookahead in plain Python: the set of waiting jobs that fills the machine best (Shmueli & Feitelson 2005).


def best_set(system: System) -> Decisions:
    """Start those of the first jobs behind the head that together take the most free processors.

    Examples
    --------
    Of three free processors C and D would take two, E alone takes all:

    >>> jobs = [Job(name, 0, 0, 5, 5, procs) for name, procs in (("B", 9), ("C", 1), ("D", 1), ("E", 3))]
    >>> system = System(9, [], free=3, queue=jobs, shadow=10, extra=0)
    >>> [(job.name, rule.kind) for rule, job, *_ in best_set(system)]
    [('E', 'choose'), ('C', 'refuse'), ('D', 'refuse'), ('E', 'backfill')]
    """
    head, *others = system.queue
    free = system.free
    near = others[:DEPTH]
    candidates = [job for job in near if may_pass(job, system)]
    own, chosen = easys_own(candidates, system), fullest(candidates, system)
    if chosen:
        yield rules.chooses, chosen[0], head, chosen, free, own
    for job in others:
        if job in chosen:
            yield from pass_the_head(job, system)
        elif job in candidates:
            yield rules.not_in_the_set, job, sum(one.procs for one in chosen)
        elif job in near:
            yield refusal(job, system)
        else:
            yield rules.not_looked_at, job, DEPTH


def easys_own(candidates: Sequence[Job], system: System) -> list[Job]:
    """List those whom EASY would take: each that fits beside those before it.

    Examples
    --------
    >>> jobs = [Job(name, 0, 0, 5, 5, procs) for name, procs in (("C", 2), ("D", 3), ("E", 1))]
    >>> [job.name for job in easys_own(jobs, System(9, [], free=3, shadow=10, extra=0))]
    ['C', 'E']
    """
    free, extra = system.free, system.extra
    found = []
    for job in candidates:
        if job.procs <= free and _past(job, system) <= extra:
            free, extra = free - job.procs, extra - _past(job, system)
            found.append(job)
    return found


def fullest(candidates: Sequence[Job], system: System) -> list[Job]:
    """List the set that takes the most free processors, and no more than the extra ones past the shadow time.

    Of equally good sets it is the one that has the first candidate, else not; then the second, and so on.

    Examples
    --------
    >>> jobs = [Job(name, 0, 0, 5, 5, procs) for name, procs in (("C", 2), ("D", 2), ("E", 3))]
    >>> [job.name for job in fullest(jobs, System(9, [], free=5, shadow=10, extra=0))]
    ['C', 'E']
    """

    own = easys_own(candidates, system)
    if sum(job.procs for job in own) == min(system.free, sum(job.procs for job in candidates)):
        return own  # no set takes more

    @cache
    def least(place: int, total: int) -> float:
        """Of sets of the candidates from a place on that take so many processors: how few past the shadow time."""
        if place == len(candidates):
            return 0 if total == 0 else inf
        procs, without = candidates[place].procs, least(place + 1, total)
        if procs > total:
            return without
        return min(without, least(place + 1, total - procs) + _past(candidates[place], system))

    left, extra = next(total for total in range(system.free, -1, -1) if least(0, total) <= system.extra), system.extra
    found = []
    for place, job in enumerate(candidates):
        past = _past(job, system)
        if job.procs <= left and least(place + 1, left - job.procs) + past <= extra:
            left, extra = left - job.procs, extra - past
            found.append(job)
    return found


def _past(job: Job, system: System) -> int:
    """The processors that a job holds past the shadow time."""
    return job.procs if system.now + job.to_backfill > system.shadow else 0


# Predict run times in plain Python, and correct what is outlived (Tsafrir, Etsion & Feitelson 2005, section 3).


class Predictor:
    """What is known of the jobs that have ended, and what it makes of those that arrive and of those that run.

    Parameters
    ----------
    predictions : Predictions
    ended : sequence of Job
        Jobs that ended before.

    Examples
    --------
    >>> ended = [Job(run, run, 0, run, 60, 1, start=0, user=7) for run in (10, 30)]
    >>> predictor = Predictor(Predictions(), ended)
    >>> job = Job("A", 2, 100, 50, 60, 1, user=7)
    >>> [rule.kind for rule, *_ in predictor.predict(System(4, [], now=100, arrived=[job]))], job.to_backfill
    (['predict'], 20)
    """

    def __init__(self, predictions: Predictions, ended: Sequence[Job] = ()) -> None:
        self.predictions = predictions
        self.known: dict[tuple, list[tuple[int, int]]] = {}  # by key: arrival and run time of the jobs that have ended
        self.learns = predictions.predictor in ("last two", "same estimate")
        if predictions.past is not None and self.learns:
            past = predictions.past.sort_values("submit", kind="stable").to_dict("records")
            for place, job in enumerate(past, -len(past)):
                self.known.setdefault(self._key(job["user"], job.get("estimate")), []).append((place, job["run"]))
        self._learn(ended)

    def _key(self, user: int, estimate: int | None) -> tuple:
        """What the jobs have in common that predict each other."""
        return (user, estimate) if self.predictions.predictor == "same estimate" else (user,)

    def _learn(self, ended: Sequence[Job]) -> None:
        for job in ended if self.learns else ():
            if job.user != -1:
                self.known.setdefault(self._key(job.user, job.requested), []).append((job.arrival, job.run))

    def predict(self, system: System) -> Decisions:
        """Predict the run times of the jobs that arrive, from those that have ended."""
        self._learn(system.ended)
        for job in system.arrived:
            known = self.known.get(self._key(job.user, job.requested), []) if job.user != -1 else []
            runs = [run for _, run in sorted(known)[-2:]]
            job.predicted = max(job.requested, 1)
            if self.predictions.predictor == "exact":
                job.predicted = job.run
            elif runs:
                job.predicted = min(max(sum(runs) // len(runs), 1), job.predicted)
            self._use(job)
            if runs:
                yield rules.predicts, job, tuple(runs)
            elif self.learns:
                yield rules.does_not_predict, job

    def _use(self, job: Job) -> None:
        """Go by what is predicted, where that is switched on."""
        job.in_queue = job.predicted if self.predictions.queue else job.estimate
        job.to_backfill = job.predicted if self.predictions.backfill else job.estimate
        job.while_running = job.predicted if self.predictions.running else job.estimate

    def correct(self, system: System) -> Decisions:
        """Expect the running jobs to end later that have outlived what was expected of them.

        Examples
        --------
        >>> job = Job("A", 0, 0, 500, 500, 1, start=0, while_running=20, predicted=20)
        >>> system = System(4, [], now=20, running=[job])
        >>> [rule.kind for rule, *_ in Predictor(Predictions()).correct(system)], job.expected_end
        (['correct'], 500)
        """
        for job in sorted(system.running, key=lambda job: (job.expected_end, job.arrival)):
            if self.predictions.correct and job.expected_end <= system.now:
                before = job.expected_end
                job.while_running = corrected(job.while_running, max(job.requested, 1), system.now - job.start)
                yield rules.corrects, job, before


def corrected(expected: int, estimate: int, age: int) -> int:
    """Say how long a job is expected to run that has run for `age` seconds: what was expected, or its corrections.

    Examples
    --------
    >>> [corrected(20, estimate=500, age=age) for age in (19, 20, 500, 560)]
    [20, 500, 560, 860]
    """
    if expected <= age:
        expected = estimate
    for step in STEPS:
        if expected <= age:
            expected += step
    while expected <= age:
        expected += STEPS[-1]
    return expected


def easy(
    system: System,
    order: Ranks | None = None,
    passing: Callable[[System], Decisions] = one_by_one,
    predictor: Predictor | None = None,
) -> Decisions:
    """Decide at an instant under EASY; steps 1 and 2 are the paper's.

    Parameters
    ----------
    system : System
    order : Ranks or None
        Of the queue; None for the order of arrival.
    passing : callable
        How it is decided who passes the head.
    predictor : Predictor or None
        None to go by the users' estimates.

    Examples
    --------
    Job A takes 3 of 4 processors, B needs all of them, and C has ended before A does.

    >>> from simlib.explain.system import decisions
    >>> jobs = [Job("A", 0, 0, 10, 10, 3), Job("B", 1, 0, 10, 10, 4), Job("C", 2, 0, 5, 5, 1)]
    >>> [rule.name for rule, *_ in decisions(System(4, jobs), easy)][1:4]
    ['the head fits', 'the head does not fit', 'ends by the shadow time']
    """
    yield from leave_and_join(system)
    if predictor is not None:
        yield from predictor.predict(system)
        yield from predictor.correct(system)
    if order is not None:
        yield from sort_the_queue(system, order)
    yield from start_from_the_head(system)
    if not system.queue:
        return
    head = system.queue[0]

    # 1. find the shadow time and the extra processors
    before = head.shadow
    system.shadow, system.extra, leaving = shadow_time(head, system)
    head.shadow = system.shadow
    yield rules.head_waits, head, system.free, leaving, before, system.extra, system.now

    # 2. start each job that does not delay the head
    yield from passing(system)


def shadow_time(head: Job, system: System) -> tuple[int, int, list[Job]]:
    """Find when the head can start at the latest, how many processors it leaves free then, and which jobs end before.

    Examples
    --------
    Job A holds 3 of 4 processors until second 10. The head needs 2, so 2 are left.

    >>> running = Job("A", arrival=0, submit=0, run=10, estimate=10, procs=3, start=0)
    >>> head = Job("B", arrival=1, submit=1, run=5, estimate=5, procs=2)
    >>> shadow, extra, leaving = shadow_time(head, System(4, [], now=1, free=1, queue=[head], running=[running]))
    >>> shadow, extra, [job.name for job in leaving]
    (10, 2, ['A'])
    """
    shadow, available, leaving = system.now, system.free, []
    for job in sorted(system.running, key=lambda job: job.expected_end):
        if available >= head.procs and job.expected_end > shadow:
            break
        available += job.procs
        shadow = max(shadow, job.expected_end)
        leaving.append(job)
    return shadow, available - head.procs, leaving
