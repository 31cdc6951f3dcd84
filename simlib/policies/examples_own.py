"""Known schedulers for `simlib.OwnPolicy`: each is a function, or a predictor.

>>> import simlib
>>> from simlib.policies import examples_own
>>> w = simlib.load("sample")
>>> easy = simlib.simulate(w, simlib.OwnPolicy(examples_own.easy))
>>> bool((easy.jobs.start == simlib.simulate(w, simlib.EASY()).jobs.start).all())
True
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from .own_policy import Job, Machine, Predictor, Queue


def fcfs(queue: Queue, machine: Machine) -> Iterator[Job]:
    """Start the jobs from the head while they fit (MF section 1).

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(fcfs)).jobs.start.to_list()
    [0, 10, 10]
    """
    for job in queue:
        if job.procs > machine.free:
            return
        yield job


def easy(queue: Queue, machine: Machine) -> Iterator[Job]:
    """Start the head while it fits, then jobs that do not delay it, in order of arrival (MF section 2.2).

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 5, 5, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(easy)).jobs.start.to_list()
    [0, 10, 2]
    """
    yield from fcfs(queue, machine)
    if queue:
        yield from backfill(machine.fits(queue), machine, *machine.shadow(queue[0]))


def backfill(candidates: Iterable[Job], machine: Machine, shadow: int, extra: int) -> Iterator[Job]:
    """Start each candidate that fits and ends by the shadow time, or needs only extra processors.

    Examples
    --------
    >>> import simlib
    >>> def never_long(queue, machine):
    ...     yield from backfill(queue, machine, machine.now + 3600, 0)
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 60, 60, 3), B=(1, 3600, 3600, 1))
    >>> simlib.simulate(w, simlib.OwnPolicy(never_long)).jobs.start.to_list()
    [0, 1]
    """
    for job in candidates:
        if job.procs > machine.free:
            continue
        if machine.now + job.estimate > shadow:
            if job.procs > extra:
                continue
            extra -= job.procs
        yield job


def easy_sjbf(queue: Queue, machine: Machine) -> Iterator[Job]:
    """Do as EASY, but backfill the job with the shortest estimate first; ties by arrival.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("four jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 8, 8, 1), D=(2, 5, 5, 1))
    >>> [simlib.simulate(w, simlib.OwnPolicy(own)).jobs.start.to_list() for own in (easy, easy_sjbf)]
    [[0, 10, 2, 10], [0, 10, 7, 2]]
    """
    yield from fcfs(queue, machine)
    if queue:
        shortest_first = sorted(machine.fits(queue), key=lambda job: job.estimate)
        yield from backfill(shortest_first, machine, *machine.shadow(queue[0]))


def best_fit(queue: Queue, machine: Machine) -> Iterator[Job]:
    """Do as EASY, but backfill the largest job that fits first; ties by arrival.

    This job leaves the fewest processors free.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("four jobs", 4, A=(0, 9, 9, 2), B=(1, 5, 5, 4), C=(2, 5, 5, 1), D=(2, 5, 5, 2))
    >>> [simlib.simulate(w, simlib.OwnPolicy(own)).jobs.start.to_list() for own in (easy, best_fit)]
    [[0, 9, 2, 14], [0, 9, 14, 2]]
    """
    yield from fcfs(queue, machine)
    if queue:
        largest_first = sorted(machine.fits(queue), key=lambda job: -job.procs)
        yield from backfill(largest_first, machine, *machine.shadow(queue[0]))


def lookahead(queue: Queue, machine: Machine, depth: int = 50) -> Iterator[Job]:
    """Start the head while it fits, then the set that fills the machine best (Shmueli & Feitelson 2005).

    The set is chosen from the first `depth` jobs behind the head: see `fullest`.

    Examples
    --------
    EASY fills 3 of 4 free processors, and then no job fits; D and E fill them all.

    >>> import simlib
    >>> jobs = {"A": (0, 9, 9, 4), "B": (1, 5, 5, 8), "C": (2, 5, 5, 3), "D": (2, 5, 5, 2), "E": (2, 5, 5, 2)}
    >>> w = simlib.Workload.of("five jobs", 8, **jobs)
    >>> [simlib.simulate(w, simlib.OwnPolicy(own)).jobs.start.to_list() for own in (easy, lookahead)]
    [[0, 9, 2, 14, 14], [0, 9, 14, 2, 2]]
    """
    yield from fcfs(queue, machine)
    if queue:
        yield from fullest(list(islice(queue, 1, 1 + depth)), machine, *machine.shadow(queue[0]))


def fullest(candidates: list[Job], machine: Machine, shadow: int, extra: int) -> list[Job]:
    """Find the set that fills the machine best, by dynamic programming over the processors that jobs need.

    The set needs no more than the free processors, and its jobs that outlast the shadow time no more than the extra
    ones. Ties: the set with the first candidate wins; then the set with the second, and so on.

    Examples
    --------
    >>> import simlib
    >>> def packed(queue, machine):
    ...     return fullest(list(queue), machine, shadow=machine.now, extra=machine.free)
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 9, 9, 3), B=(0, 9, 9, 2), C=(0, 9, 9, 2))
    >>> simlib.simulate(w, simlib.OwnPolicy(packed)).jobs.start.to_list()
    [9, 0, 0]
    """
    sets = {(0, 0): 0}  # processors in all, and beyond the shadow time: the set, the first job as the highest bit
    for i, job in enumerate(reversed(candidates)):
        late = job.procs if machine.now + job.estimate > shadow else 0
        for (needed, beyond), chosen in list(sets.items()):
            if needed + job.procs <= machine.free and beyond + late <= extra:
                sets[needed + job.procs, beyond + late] = chosen | 1 << i
    best = max(sets, key=lambda processors: (processors[0], sets[processors]))
    return [job for i, job in enumerate(reversed(candidates)) if sets[best] >> i & 1][::-1]


class LastTwo(Predictor):
    """Predict run times as EASY++ does: `OwnPolicy(easy_sjbf, LastTwo())` (Tsafrir et al. 2005, sections 3.2 and 3.4).

    Among the jobs of the same user that have ended when a job arrives, the two that were submitted last count: their
    mean run time, in whole seconds and at least one, is the prediction. If only one has ended, the prediction is its
    run time. If none has ended, or the user is not known, it is the requested time, which a prediction never exceeds. A
    job that outlives its prediction is expected to run for its requested time, and then for one step of `MORE` after
    another in addition.

    Examples
    --------
    Jobs 0 and 1 show that this user's jobs end early. So job 4, submitted last, may end before job 3 starts.

    >>> import pandas as pd, simlib
    >>> jobs = pd.DataFrame({"submit": [0, 0, 6, 6, 6], "run": [5, 5, 60, 9, 5], "estimate": [60, 60, 60, 9, 90]})
    >>> w = simlib.Workload(jobs.assign(procs=[2, 2, 3, 4, 1], user=7), 4)
    >>> for predictor in (None, LastTwo()):
    ...     print(simlib.simulate(w, simlib.OwnPolicy(easy_sjbf, predictor)).jobs.start.to_list())
    [0, 0, 6, 66, 75]
    [0, 0, 6, 66, 6]
    """

    MORE = [60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000)]

    def __init__(self) -> None:
        self.last_two: dict[int, list[tuple[int, int]]] = {}  # by user, of jobs that have ended: number and run time
        self.number: dict[Any, int] = {}  # by job, how many arrived before it

    def arrival(self, job: Job, now: int) -> dict[Any, int]:
        """Predict the mean of the last two."""
        self.number[job.number] = len(self.number)
        known = self.last_two.get(job.user, []) if job.user >= 0 else []
        runs = [run for _, run in known] or [job.requested]
        return {job.number: max(min(sum(runs) // len(runs), job.requested), 1)}

    def deadline_missed(self, job: Job, now: int) -> dict[Any, int]:
        """Correct the prediction."""
        longer, more = max(job.requested, 1), iter(self.MORE)
        while longer <= job.estimate:
            longer += next(more, self.MORE[-1])
        return {job.number: longer}

    def finish(self, job: Job, now: int) -> None:
        """Remember the run time, if the job is one of its user's last two jobs."""
        ended = self.last_two.get(job.user, [])
        self.last_two[job.user] = sorted([*ended, (self.number[job.number], job.run)])[-2:]
