"""Who passes the head of the queue, in plain Python (step 2 of EASY, MF section 2.2)."""

from . import rules, rules_beyond
from .ranking import Ranks
from .system import Decisions, Job, System


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
            yield rules_beyond.tries, told[0], system.queue[0], told, order.by, values
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
