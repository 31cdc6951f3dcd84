"""The loop: from instant to instant, until all jobs have ended; also from the middle of a finished schedule."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import inf
from operator import attrgetter
from typing import Any, NoReturn

from .decisions import Decision, Note, Promise, Start, Wait
from .machine import Job, Machine, Queue, _by_expected_end, _set

Policy = Callable[[Queue, Machine], Iterable[Decision | Job]]
"""A function of the queue and the machine that yields decisions, or an object that belongs to one run."""

_by_arrival = attrgetter("submit", "_place")


class ImpossibleError(ValueError):
    """A decision that no machine can carry out; the message begins with the second."""


def simulate(
    jobs: Iterable[Job],
    machine: Machine,
    policy: Policy,
    listen: Callable[[Decision], None] | None = None,
    queue: Queue | None = None,
    follows: Mapping[int, Sequence[tuple[Job, int]]] | None = None,
    until: float = inf,
    progress_and_stop: Any = None,
) -> None:
    """Run jobs on a machine; each job then knows its start.

    `listen` is called with each decision, right after it took effect. `queue` and the machine's running jobs may be
    those of an instant in the middle: see `restore`. `follows` has, by place of a job, the jobs that follow it with
    their think times. After `until` nothing happens. `progress_and_stop` is as in `simlib.policies`.
    """
    for _ in asking(jobs, machine, policy, listen, queue, follows, until, progress_and_stop):
        refuse(machine, "found None to start, expected a job of the queue")


def asking(
    jobs: Iterable[Job],
    machine: Machine,
    policy: Policy,
    listen: Callable[[Decision], None] | None = None,
    queue: Queue | None = None,
    follows: Mapping[int, Sequence[tuple[Job, int]]] | None = None,
    until: float = inf,
    progress_and_stop: Any = None,
) -> Iterator[None]:
    """Do as `simulate`, but pause where the policy yields None: somebody else decides what it yields next."""
    queue = Queue() if queue is None else queue
    follows = {} if follows is None else follows
    coming = [(job.submit, job._place, job) for job in jobs]
    ends = [(job.start + job._run, job._place, job) for job in machine._running]
    promises = [(job.promised, job.arrival, job) for job in queue if job.promised is not None]
    arrived = max((job.arrival for job in [*machine._running, *queue]), default=-1) + 1
    started = 0
    for heap in (coming, ends, promises):
        heapify(heap)
    _set(machine, "heard", listen is not None)
    if listen is not None:
        told = listen
        _set(machine, "_refused", lambda job: told(Wait(job, "does not fit", facts={"free": machine.left})))
    while progress_and_stop is None or not progress_and_stop[1]:
        while promises and (promises[0][2].start is not None or promises[0][2].promised != promises[0][0]):
            heappop(promises)
        now: Any = machine._next_call
        for heap in (ends, coming, promises):
            if heap and heap[0][0] < now:
                now = heap[0][0]
        if now > until or now == inf:
            break
        machine._advance(now)
        while ends and ends[0][0] <= now:  # 1. jobs leave, and those are submitted that follow them
            job = heappop(ends)[2]
            machine._end(job)
            for follower, think in follows.get(job._place, ()):
                _set(follower, "submit", now + think)
                heappush(coming, (now + think, follower._place, follower))
        while coming and coming[0][0] <= now:  # 2. jobs join the queue
            job = heappop(coming)[2]
            _set(job, "arrival", arrived)
            arrived += 1
            list.append(queue, job)
            machine.arrived.append(job)
        if machine.usage is not None:
            machine.usage.learn(machine.ended)
        if listen is not None:
            listen(Note("jobs end or arrive", machine.ended + machine.arrived))
        before: list[Job] = []  # the queue before anybody left it from behind its head
        passing: list[Job] = []  # those who did
        given: Any
        for given in policy(queue, machine):  # 3. one scheduling pass
            if given is None:
                yield
                continue
            decision = Start(given) if isinstance(given, Job) else given
            if isinstance(decision, Start):
                job = decision.job
                if (place := _place_of(job, queue, machine)) > 0:
                    before = before or queue[:]
                    passing.append(job)
                list.pop(queue, place)
                machine._begin(job)
                heappush(ends, (now + job._run, job._place, job))
                started += 1
            elif isinstance(decision, Promise):
                _check(decision, machine)
                machine._promise(decision.job, decision.at)
                if decision.at is not None:
                    heappush(promises, (decision.at, decision.job.arrival, decision.job))
            elif isinstance(decision, Wait):
                if decision.until is not None and decision.job.first_promise is None:
                    _set(decision.job, "first_promise", decision.until)
            elif not isinstance(decision, Note):
                refuse(machine, f"found {decision!r} to start, expected a job of the queue")
            if listen is not None:
                listen(decision)
        if queue and passing:  # who passes one that still waits is backfilled
            first = before.index(queue[0])
            for job in passing:
                _set(job, "backfilled", before.index(job) > first)
        if progress_and_stop is not None:
            progress_and_stop[0] = started
    else:
        return
    if queue and until == inf:
        refuse(
            machine,
            f"job {queue[0].number} starves: no job runs, none is to come, and none of the {len(queue):,} that wait "
            "was started; expected at least one of them",
        )


def _place_of(job: Any, queue: Queue, machine: Machine) -> int:
    """Find the place of a job in the queue; raise if it cannot start now."""
    try:
        place = queue.index(job)
    except ValueError:
        if getattr(job, "start", None) is None:
            refuse(machine, f"found {job!r} to start, expected a job of the queue")
        started = f"which started at second {job.start:,}"
        refuse(machine, f"job {job.number} is to start, {started}; expected one that waits")
    if not (job.needs <= machine.left or (machine.reserves and job.estimate == 0)):
        gpus = "" if machine.gpus is None else f" and {job.gpus} GPUs"
        left = "" if machine.gpus is None else f" and {machine.left.gpus} of {machine.gpus} GPUs"
        refuse(
            machine,
            f"job {job.number} is to start, which needs {job.procs} processors{gpus}, where {machine.free} of "
            f"{machine.procs}{left} are free; expected one that fits",
        )
    return place


def _check(promise: Promise, machine: Machine) -> None:
    """Raise if a job cannot be promised this start."""
    job, was, at, *_ = promise
    if not machine.reserves:
        refuse(machine, f"job {job.number} is promised second {at}, expected a policy with reserves = True to promise")
    if was != job.promised or job.start is not None:
        holds = f"which is promised {job.promised}" if job.start is None else f"which started at second {job.start:,}"
        refuse(machine, f"job {job.number}: found a promise that was {was}, expected that of a job that waits, {holds}")
    if at is not None and not (isinstance(at, int) and at >= machine.now):
        refuse(machine, f"job {job.number} is promised second {at!r}, expected a whole one from now on, or None")


def refuse(machine: Machine, why: str) -> NoReturn:
    """Raise, and name the second."""
    raise ImpossibleError(f"second {machine.now:,}: {why}")


# In the middle of a finished schedule


def restore(schedule: Iterable[tuple[Job, int]], now: int, machine: Machine, policy: Policy) -> tuple[Queue, list[Job]]:
    """Let an empty machine be as just before an instant of a finished schedule; return the queue and the jobs to come.

    The schedule has each job, as before it arrived, with its start. A policy that remembers what has ended has a method
    `restore`. Promises are not restored: nobody may have one then.
    """
    queue, coming, past = Queue(), [], []
    for arrival, (job, start) in enumerate(sorted(schedule, key=lambda one: _by_arrival(one[0]))):
        if job.submit >= now:
            coming.append(job)
            continue
        _set(job, "arrival", arrival)
        if start >= now:
            list.append(queue, job)
            continue
        _set(job, "start", start)
        if start + job._run < now:
            _set(job, "end", start + job._run)
            past.append(job)
        else:
            machine._running.append(job)
    past.sort(key=attrgetter("end"))
    if machine.usage is not None:
        machine.usage.learn(past)
    if hasattr(policy, "restore"):
        policy.restore(past, [*queue, *machine._running])
    for job in machine._running:
        _set(job, "expected_end", job.start + job.while_running)
        _set(machine, "left", machine.left - job.needs)
    machine._running.sort(key=_by_expected_end)
    _set(machine, "now", now - 1)  # what was outlived before causes no pass any more
    machine._hear(now - 1)
    return queue, coming
