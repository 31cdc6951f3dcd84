"""Known schedulers for `simlib.OwnPolicy`: each is a function, or a predictor. FCFS and EASY are simlib's own.

>>> import simlib
>>> from simlib.policies import examples_own
>>> w = simlib.load("sample")
>>> easy = simlib.simulate(w, simlib.OwnPolicy(examples_own.easy))
>>> bool((easy.jobs.start == simlib.simulate(w, simlib.EASY()).jobs.start).all())
True
"""

from typing import Any

from ..plain.easy import DEPTH, Decisions, easy, fcfs, one_by_one
from ..plain.easy import lookahead as best_set
from ..plain.estimates import MORE
from ..plain.machine import Job, Machine, Queue
from .own_policy import Predictor

__all__ = ["LastTwo", "best_fit", "easy", "easy_sjbf", "fcfs", "lookahead", "one_by_one"]


def easy_sjbf(queue: Queue, machine: Machine) -> Decisions:
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
        shortest_first = sorted(queue[1:], key=lambda job: job.estimate)
        yield from one_by_one(shortest_first, machine, *machine.shadow(queue[0]))


def best_fit(queue: Queue, machine: Machine) -> Decisions:
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
        largest_first = sorted(queue[1:], key=lambda job: -job.procs)
        yield from one_by_one(largest_first, machine, *machine.shadow(queue[0]))


def lookahead(queue: Queue, machine: Machine, depth: int = DEPTH) -> Decisions:
    """Start the head while it fits, then the set that fills the machine best (Shmueli & Feitelson 2005).

    The set is chosen from the first `depth` jobs behind the head: see `simlib.plain.easy.lookahead`.

    Examples
    --------
    EASY fills 3 of 4 free processors, and then no job fits; D and E fill them all.

    >>> import simlib
    >>> jobs = {"A": (0, 9, 9, 4), "B": (1, 5, 5, 8), "C": (2, 5, 5, 3), "D": (2, 5, 5, 2), "E": (2, 5, 5, 2)}
    >>> w = simlib.Workload.of("five jobs", 8, **jobs)
    >>> [simlib.simulate(w, simlib.OwnPolicy(own)).jobs.start.to_list() for own in (easy, lookahead)]
    [[0, 9, 2, 14, 14], [0, 9, 14, 2, 2]]
    """
    return easy(queue, machine, backfill=best_set, depth=depth)


class LastTwo(Predictor):
    """Predict run times as EASY++ does: `OwnPolicy(easy_sjbf, LastTwo())` (Tsafrir et al. 2005, sections 3.2 and 3.4).

    Among the jobs of the same user that have ended when a job arrives, the two that were submitted last count: their
    mean run time, in whole seconds and at least one, is the prediction. If only one has ended, the prediction is its
    run time. If none has ended, or the user is not known, it is the requested time, which a prediction never exceeds. A
    job that outlives its prediction is expected to run for its requested time, and then for one more step after
    another: of 1, 5, 15 and 30 minutes, 1, 2, 5, 10, 20, 50 and 100 hours.

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
        longer, more = max(job.requested, 1), iter(MORE)
        while longer <= job.estimate:
            longer += next(more, MORE[-1])
        return {job.number: longer}

    def finish(self, job: Job, now: int) -> None:
        """Remember the run time, if the job is one of its user's last two jobs."""
        ended = self.last_two.get(job.user, [])
        self.last_two[job.user] = sorted([*ended, (self.number[job.number], job.run)])[-2:]
