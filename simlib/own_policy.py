"""Make a policy of one small function that is called at each scheduling pass; the rest is done here.

The event loop is that of the engine (`simlib.engine`), in plain Python: at an instant jobs leave, jobs join the queue,
and then one pass says which of the waiting jobs start. It knows no policy.
"""

from __future__ import annotations

import copy
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from .arrays import Ints
from .own_machine import Job, Machine, Queue
from .policies import Feedback

Pass = Callable[[Queue, Machine], Iterable[Job]]
"""A function of the queue and the machine that gives the jobs to start, in this order."""

_SHOWN = ["user", "group", "queue", "requested"]


@dataclass(frozen=True, repr=False)
class OwnPolicy:
    """Schedule by a function of one's own, which is called at each scheduling pass in which a job waits.

    Parameters
    ----------
    function : callable
        Of `queue`, the waiting jobs in order of arrival, and `machine`. It says which of these jobs start now:

        - as a generator, `yield job`: each starts at once, and `machine.free` and the others know of it;
        - or with `return`: a list of them, which start one after the other when the function has ended; `[]` for none.

        `simlib.own_machine` says what can be asked of a `Job`, the `Queue` and the `Machine`.

        To remember something from pass to pass, give an object with a method `__call__(self, queue, machine)`. Each
        simulation works with a copy of it, as it was when it was given: so they do not learn from each other, and
        the same simulation gives the same schedule again. The copy, with what it remembers then, is
        `schedule.policy.function`. A plain function that keeps things in global variables has no such protection.

    Raises
    ------
    ValueError
        For what cannot be called with a queue and a machine. In a simulation: for a job that does not wait or does
        not fit, one that is there twice, and where nobody runs or comes any more and none of those that wait is
        started; for a schedule that no machine can run, as from a function that reaches into the machine (see
        `Schedule.check`). What the function itself raises gets a note with the second.

    Examples
    --------
    First come, first served, and the shortest of those that fit first:

    >>> import simlib
    >>> def fcfs(queue, machine):
    ...     for job in queue:
    ...         if job.procs > machine.free:
    ...             return
    ...         yield job
    >>> def shortest(queue, machine):
    ...     for job in sorted(machine.fits(queue), key=lambda job: job.estimate):
    ...         if job.procs <= machine.free:
    ...             yield job
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2), C=(2, 9, 9, 1))
    >>> [simlib.simulate(w, simlib.OwnPolicy(own)).jobs.start.to_list() for own in (fcfs, shortest)]
    [[0, 10, 10], [0, 10, 2]]

    One that remembers who has used how much, and prefers the others:

    >>> class Fair:
    ...     def __init__(self):
    ...         self.used = {}
    ...     def __call__(self, queue, machine):
    ...         for job in machine.ended:
    ...             self.used[job.user] = self.used.get(job.user, 0) + job.run * job.procs
    ...         fits = [job for job in queue if job.procs <= machine.free]
    ...         return sorted(fits, key=lambda job: self.used.get(job.user, 0))[:1]
    >>> schedule = simlib.simulate(w, simlib.OwnPolicy(Fair()))
    >>> schedule
    <Schedule of three jobs under OwnPolicy(Fair()): mean wait 3 s>
    >>> schedule.policy.function.used  # seconds times processors, by user, at its last pass
    {-1: 30}
    """

    function: Pass
    _given: OwnPolicy | None = field(default=None, init=False, compare=False)  # what it is prepared from
    _jobs: pd.DataFrame | None = field(default=None, init=False, compare=False)  # which it is prepared for

    def __post_init__(self) -> None:
        expected = "expected a function of (queue, machine), or an object that can be called with them"
        if isinstance(self.function, type):
            raise ValueError(f"OwnPolicy: found the class {self.function.__name__}, {expected}: an object of it")
        if not callable(self.function):
            raise ValueError(f"OwnPolicy: found {self.function!r}, {expected}")
        try:
            inspect.signature(self.function).bind(None, None)
        except TypeError as error:
            raise ValueError(f"{self}: cannot be called with a queue and a machine: {error}; {expected}") from None

    def __repr__(self) -> str:
        shown = repr(self.function)
        if shown == object.__repr__(self.function):
            shown = f"{type(self.function).__name__}()"
        return f"OwnPolicy({getattr(self.function, '__name__', shown)})"

    def prepare(self, jobs: pd.DataFrame) -> OwnPolicy:
        """Give the policy for one simulation of these jobs: it knows whose they are, and remembers for itself.

        Examples
        --------
        >>> OwnPolicy(lambda queue, machine: queue[:1])
        OwnPolicy(<lambda>)
        """
        given = self._given or self
        prepared = OwnPolicy(copy.deepcopy(given.function))
        object.__setattr__(prepared, "_given", given)
        object.__setattr__(prepared, "_jobs", jobs)
        return prepared

    def schedule(
        self,
        submit: Ints,
        run: Ints,
        estimate: Ints,
        procs: Ints,
        machine: int,
        feedback: Feedback | None = None,
        watch: Ints | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        columns = pd.DataFrame({"submit": submit, "run": run, "procs": procs, "estimate": estimate})
        whose: dict[str, Any] = {"number": range(len(submit)), **dict.fromkeys(_SHOWN, -1), "requested": None}
        if self._jobs is not None:
            table = self._jobs.assign(requested=self._jobs.estimate)
            whose = {"number": table.index.to_numpy(), **{name: table[name].to_numpy() for name in _SHOWN}}
        decide = copy.deepcopy(self.function) if self._given is None else self.function
        loop = _EventLoop(self, decide, columns.assign(**whose), machine, feedback)
        loop.to_the_end(np.zeros(2, np.int64) if watch is None else watch)
        start = [-1 if one is None else one for one in loop.start]  # of a run that was stopped
        times = {"submit": np.array(loop.submit, np.int64), "start": np.array(start, np.int64)}
        return {**times, "backfilled": np.array(loop.backfilled, bool)}


class _EventLoop:
    """What happens at which second, whatever the policy is."""

    def __init__(
        self, policy: OwnPolicy, decide: Pass, jobs: pd.DataFrame, procs: int, feedback: Feedback | None
    ) -> None:
        self.policy, self.decide = policy, decide
        self.submit, self.run = jobs.submit.tolist(), jobs.run.tolist()
        shown = ("number", "submit", "procs", "estimate", *_SHOWN)
        self.known = list(zip(*(jobs[name].tolist() for name in shown), strict=True))
        self.start: list[int | None] = [None] * len(jobs)
        self.backfilled = [False] * len(jobs)
        self.queue, self.machine = Queue(), Machine(procs)
        self.ends: list[tuple[int, int, Job]] = []  # a heap: the end of each running job, its place, itself
        self.followers = defaultdict(list)
        followed = feedback[0].tolist() if feedback else [-1] * len(jobs)
        for place, preceding in enumerate(followed):
            if feedback and preceding >= 0:
                self.followers[preceding].append((place, int(feedback[1][place])))
        self.coming = [(self.submit[place], place) for place, job in enumerate(followed) if job < 0]  # a heap
        heapify(self.coming)

    def to_the_end(self, watch: Ints) -> None:
        """Go from instant to instant until all is done; `watch` as `simlib.policies` says."""
        machine, queue = self.machine, self.queue
        while (now := self.next_instant()) is not None and not watch[1]:
            machine._turn(now)
            while self.ends and self.ends[0][0] <= now:  # 1. jobs leave
                self.leave(now)
            while self.coming and self.coming[0][0] <= now:  # 2. jobs join the queue
                self.join()
            if queue:  # 3. one scheduling pass
                self.scheduling_pass()
                machine._forget_ended()
            watch[0] = queue._arrived - len(queue)
        if watch[1]:
            return
        if queue:
            self.refuse_to_wait_for_ever()
        if None in self.start:
            job = self.known[self.start.index(None)][0]
            self.refuse(f"job {job} was never started, and does not wait; expected each job to start once")

    def next_instant(self) -> int | None:
        """Find the second at which something happens next; None where nothing does any more."""
        seconds = [heap[0][0] for heap in (self.ends, self.coming) if heap]
        if self.queue and self.machine._next_call is not None:
            seconds.append(self.machine._next_call)
        return min(seconds, default=None)

    def leave(self, now: int) -> None:
        """Let the job leave whose end is next, and those be submitted that follow it."""
        _, place, job = heappop(self.ends)
        self.machine._end(job, self.run[place])
        for follower, think in self.followers.get(place, ()):
            self.submit[follower] = now + think
            heappush(self.coming, (now + think, follower))

    def join(self) -> None:
        """Let the next job join the queue."""
        submit, place = heappop(self.coming)
        number, _, *others = self.known[place]
        self.queue._join(Job(number, submit, *others), place)

    def scheduling_pass(self) -> None:
        """Start the jobs that the function says; backfilled are those that pass one which still waits."""
        started = []
        for job in self.decided():
            self.refuse_impossible(job)
            self.machine._start(job)
            self.queue._leave()
            heappush(self.ends, (self.machine.now + self.run[job._place], job._place, job))
            self.start[job._place] = self.machine.now
            started.append(job)
        self.queue._close_up()
        if self.queue:
            first = self.queue[0]._arrival
            for job in started:
                self.backfilled[job._place] = job._arrival > first

    def decided(self) -> Iterator[Any]:
        """Ask the function; say at which second, where it raises."""
        machine, waiting = self.machine, len(self.queue)
        try:
            found = self.decide(self.queue, machine)
            if not isinstance(found, Iterable):
                self.refuse(f"returned {found!r}, expected the jobs to start: each by yield, or a list, [] for none")
            yield from found
        except Exception as error:
            error.add_note(f"{self.policy} raised this at {machine}; {waiting:,} waited when the pass began")
            raise

    def refuse_impossible(self, job: Any) -> None:
        """Raise where a job cannot start now."""
        if not isinstance(job, Job) or job._in is not self.queue:
            self.refuse(f"found {job!r} to start, expected a job of the queue")
        if (start := self.start[job._place]) is not None:
            self.refuse(f"job {job.number} is to start, which started at second {start:,}; expected one that waits")
        if job.procs > self.machine.free:
            self.refuse(
                f"job {job.number} is to start, which needs {job.procs} processors, where {self.machine.free} of "
                f"{self.machine.procs} are free; expected one that fits"
            )

    def refuse_to_wait_for_ever(self) -> None:
        """Raise where jobs wait that nothing will happen for any more."""
        job, waiting = self.queue[0], len(self.queue)
        self.refuse(
            f"job {job.number} starves: no job runs, none is to come, and none of the {waiting:,} that wait was "
            "started; expected at least one of them"
        )

    def refuse(self, why: str) -> NoReturn:
        """Raise, and say who did it when."""
        raise ValueError(f"{self.policy}: second {self.machine.now:,}: {why}")
