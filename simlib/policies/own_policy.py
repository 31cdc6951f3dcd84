"""What a policy of one's own sees at a scheduling pass: the jobs that wait, and the machine. See `simlib.OwnPolicy`."""

from __future__ import annotations

import copy
import inspect
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any, ClassVar, NoReturn

import numpy as np
import pandas as pd

from .._util.arrays import Ints
from ..core.policy import WHOSE, Feedback, whose

_set = object.__setattr__


class _Kept:
    """What the event loop keeps: nobody else sets it."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{self!r}: found {name} = {value!r}, expected nobody to set it: a job starts when it is yielded or "
            "returned, and the rest follows; count in variables of your own"
        )


class Job(_Kept):
    """Show what a scheduler may know of a job."""

    __slots__ = tuple(
        "number submit procs estimate requested user group queue start expected_end _run _place _arrival _in".split()
    )
    number: Any
    submit: int
    procs: int
    estimate: int
    requested: int
    user: int
    group: int
    queue: int
    start: Any  # an int as soon as it runs, which is where it is asked for
    expected_end: Any
    _run: int | None
    _place: int  # in the jobs table
    _arrival: int  # how many joined the queue before it
    _in: Queue | None  # the queue that it joined

    def __init__(
        self,
        number: object,
        submit: int,
        procs: int,
        estimate: int,
        user: int = -1,
        group: int = -1,
        queue: int = -1,
        requested: int | None = None,
    ) -> None:
        wanted = estimate if requested is None else requested
        values: tuple = number, submit, procs, estimate, wanted, user, group, queue, None, None, None, 0, 0, None
        for name, value in zip(Job.__slots__, values, strict=True):
            _set(self, name, value)

    @property
    def run(self) -> int:
        """Its run time in seconds, when it has ended: see above."""
        if self._run is None:
            raise AttributeError(
                f"job {self.number}: found run read before its end, which no scheduler knows; expected estimate, or "
                "the run of a job in machine.ended"
            )
        return self._run

    def __repr__(self) -> str:
        return f"<job {self.number}: {self.procs} processor{'s' * (self.procs != 1)}, estimate {self.estimate} s>"


class Queue(_Kept, Sequence[Job]):
    """Hold the jobs that wait, in order of arrival: `for job in queue`, `queue[0]` (the head), `len(queue)`.

    A job leaves it when it starts, also while somebody goes through it.
    """

    __slots__ = ("_jobs", "_waiting", "_arrived")
    _jobs: deque[Job]  # also those that have started in this pass, and some of earlier ones
    _waiting: int
    _arrived: int

    def __init__(self) -> None:
        for name, value in zip(Queue.__slots__, (deque(), 0, 0), strict=True):
            _set(self, name, value)

    def __len__(self) -> int:
        return self._waiting

    def __iter__(self) -> Iterator[Job]:
        return (job for job in self._jobs if job.start is None)

    def __getitem__(self, place: Any) -> Any:
        if place == 0 and self._waiting:
            return next(iter(self))
        return list(self)[place]

    def __repr__(self) -> str:
        return f"<queue of {len(self)} jobs>"

    # What the event loop does; no policy should come across it.

    def _join(self, job: Job, place: int) -> None:
        for name, value in (("_in", self), ("_place", place), ("_arrival", self._arrived)):
            _set(job, name, value)
        self._jobs.append(job)
        _set(self, "_waiting", self._waiting + 1)
        _set(self, "_arrived", self._arrived + 1)

    def _close_up(self) -> None:
        """Forget jobs that have started: after a pass, for nobody goes through the queue then."""
        jobs = self._jobs
        while jobs and jobs[0].start is not None:
            jobs.popleft()
        if len(jobs) > 2 * self._waiting:  # so that each job is moved about twice, however long the queue is
            _set(self, "_jobs", deque(self))


class Machine(_Kept):
    """Show the machine at a scheduling pass."""

    __slots__ = ("now", "procs", "free", "ended", "_running", "_next_call")
    now: int
    procs: int
    free: int
    ended: list[Job]
    _running: list[Job]
    _next_call: int | None

    def __init__(self, procs: int) -> None:
        values: tuple = 0, procs, procs, [], [], None
        for name, value in zip(Machine.__slots__, values, strict=True):
            _set(self, name, value)

    def __repr__(self) -> str:
        return f"second {self.now:,}, {self.free} of {self.procs} processors free"

    @property
    def running(self) -> list[Job]:
        """The running jobs: see above."""
        return self._running.copy()

    def fits(self, queue: Iterable[Job]) -> Iterator[Job]:
        """Go through the jobs of the queue, or a list of some, that fit the processors free when it is their turn.

        It is faster than to look at each job in the queue, and ends when no processor is free.
        """
        if self.free:
            for job in queue._jobs if isinstance(queue, Queue) else queue:
                if job.procs <= self.free and job.start is None:
                    yield job
                    if not self.free:
                        return

    def shadow(self, job: Job, expected_end: Callable[[Job], int] | None = None) -> tuple[int, int]:
        """Find the shadow time of a job and the extra processors (MF section 2.2, step 1)."""
        held = [(other.expected_end, other.procs) for other in self._running]
        if expected_end is not None:
            held = sorted((expected_end(other), other.procs) for other in self._running)
        shadow, free = self.now, self.free
        for end, procs in held:
            if free >= job.procs and end > shadow:
                break
            free += procs
            shadow = max(shadow, end)
        return shadow, free - job.procs

    def free_at(self, time: int) -> int:
        """Count the processors that are free at a second, if those that run end when they are expected to."""
        return self.procs - sum(job.procs for job in self._running if job.expected_end > time)

    def call_at(self, second: int) -> None:
        """Ask for a scheduling pass at a second, even if no job ends or arrives then; it takes place if a job waits.

        Only one such second is kept: the one asked for last, until it has come.
        """
        if not second > self.now:
            raise ValueError(f"call_at: found second {second!r}, expected one after now, {self.now}")
        _set(self, "_next_call", int(second))

    # What the event loop does; no policy should come across it.

    def _start(self, job: Job) -> None:
        _set(job, "start", self.now)
        _set(job, "expected_end", self.now + job.estimate)
        _set(self, "free", self.free - job.procs)
        insort(self._running, job, key=attrgetter("expected_end"))

    def _end(self, job: Job, run: int) -> None:
        _set(job, "_run", run)
        _set(self, "free", self.free + job.procs)
        self._running.remove(job)
        self.ended.append(job)


# Make a policy of one small function that is called at each scheduling pass; the rest is done here.


_Pass = Callable[[Queue, Machine], Iterable[Job]]
"""A function of the queue and the machine that gives the jobs to start, in this order."""

_SHOWN = (*WHOSE, "requested")


@dataclass(frozen=True, repr=False)
class OwnPolicy:
    """Schedule by a function of one's own, which is called at each scheduling pass in which a job waits.

    Parameters
    ----------
    function : callable
        Of `queue`, the waiting jobs in order of arrival, and `machine`. It says which of these jobs start now:

        - as a generator, `yield job`: each starts at once, and `machine.free` and the others know of it;
        - or with `return`: a list of them, which start one after the other when the function has ended; `[]` for none.

        `simlib.policies.own_policy` says what can be asked of a `Job`, the `Queue` and the `Machine`.

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

    in_python: ClassVar[bool] = True  # for `simulate`: a pass is a call of the user's Python
    function: _Pass
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
        progress_and_stop: Ints | None = None,
    ) -> dict[str, np.ndarray]:
        """Schedule jobs in order of arrival: see `simlib.policies`."""
        columns = pd.DataFrame({"submit": submit, "run": run, "procs": procs, "estimate": estimate})
        jobs = pd.DataFrame(index=range(len(submit))) if self._jobs is None else self._jobs
        requested = None if self._jobs is None else jobs.estimate.to_numpy()
        known = columns.assign(number=jobs.index.to_numpy(), **whose(jobs), requested=requested)
        decide = copy.deepcopy(self.function) if self._given is None else self.function
        loop = _EventLoop(self, decide, known, machine, feedback)
        loop.to_the_end(np.zeros(2, np.int64) if progress_and_stop is None else progress_and_stop)
        start = [-1 if one is None else one for one in loop.start]  # of a run that was stopped
        times = {"submit": np.array(loop.submit, np.int64), "start": np.array(start, np.int64)}
        return {**times, "backfilled": np.array(loop.backfilled, bool)}


class _EventLoop:
    """What happens at which second, whatever the policy is."""

    def __init__(
        self, policy: OwnPolicy, decide: _Pass, jobs: pd.DataFrame, procs: int, feedback: Feedback | None
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

    def to_the_end(self, progress_and_stop: Ints) -> None:
        """Go from instant to instant until all is done; `progress_and_stop` as `simlib.policies` says."""
        machine, queue = self.machine, self.queue
        while (now := self.next_instant()) is not None and not progress_and_stop[1]:
            _set(machine, "now", now)
            if machine._next_call is not None and machine._next_call <= now:
                _set(machine, "_next_call", None)
            while self.ends and self.ends[0][0] <= now:  # 1. jobs leave, and those are submitted that follow them
                _, place, ended = heappop(self.ends)
                machine._end(ended, self.run[place])
                for follower, think in self.followers.get(place, ()):
                    self.submit[follower] = now + think
                    heappush(self.coming, (now + think, follower))
            while self.coming and self.coming[0][0] <= now:  # 2. jobs join the queue
                submit, place = heappop(self.coming)
                number, _, *others = self.known[place]
                queue._join(Job(number, submit, *others), place)
            if queue:  # 3. one scheduling pass
                self.scheduling_pass()
                _set(machine, "ended", [])
            progress_and_stop[0] = queue._arrived - len(queue)
        if progress_and_stop[1]:
            return
        if queue:
            self.refuse(
                f"job {queue[0].number} starves: no job runs, none is to come, and none of the {len(queue):,} that "
                "wait was started; expected at least one of them"
            )
        if None in self.start:
            job = self.known[self.start.index(None)][0]
            self.refuse(f"job {job} was never started, and does not wait; expected each job to start once")

    def next_instant(self) -> int | None:
        """Find the second at which something happens next; None where nothing does any more."""
        seconds = [heap[0][0] for heap in (self.ends, self.coming) if heap]
        if self.queue and self.machine._next_call is not None:
            seconds.append(self.machine._next_call)
        return min(seconds, default=None)

    def scheduling_pass(self) -> None:
        """Start the jobs that the function says; backfilled are those that pass one which still waits."""
        started = []
        for job in self.decided():
            self.refuse_impossible(job)
            self.machine._start(job)
            _set(self.queue, "_waiting", self.queue._waiting - 1)
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
            chosen = self.decide(self.queue, machine)
            if not isinstance(chosen, Iterable):
                self.refuse(f"returned {chosen!r}, expected the jobs to start: each by yield, or a list, [] for none")
            yield from chosen
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

    def refuse(self, why: str) -> NoReturn:
        """Raise, and say who did it when."""
        raise ValueError(f"{self.policy}: second {self.machine.now:,}: {why}")
