"""The waiting jobs and the machine, as your own policy sees them at a scheduling pass: see `simlib.OwnPolicy`."""

from __future__ import annotations

import copy
import inspect
import math
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any, ClassVar, NoReturn

import numpy as np
import pandas as pd

from .._util import checks
from .._util.arrays import Ints
from ..core.schedule import WHOSE, Feedback, whose

_set = object.__setattr__

_SECOND = checks.number("a second", most=checks.LATEST)

_PREDICTION = checks.whole_number(0, checks.LATEST - 1)


class _Kept:
    """An attribute that only the event loop sets."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{self!r}: found {name} = {value!r}, expected nobody to set it: a job starts when it is yielded or "
            "returned, and the rest follows; count in variables of your own"
        )


class Job(_Kept):
    """Show the facts of a job that a scheduler may know."""

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
        """Its run time in seconds, once it has ended: see above."""
        if self._run is None:
            raise AttributeError(
                f"job {self.number}: found run read before its end, which no scheduler knows; expected estimate, or "
                "the run of a job in machine.ended"
            )
        return self._run

    def __repr__(self) -> str:
        return f"<job {self.number}: {self.procs} processor{'s' * (self.procs != 1)}, estimate {self.estimate} s>"

    # What the event loop does; no policy should come across it.

    def _predict(self, seconds: int) -> None:
        _set(self, "estimate", seconds)
        if self.start is not None:
            _set(self, "expected_end", self.start + seconds)


class Queue(_Kept, Sequence[Job]):
    """Hold the waiting jobs in order of arrival: `for job in queue`, `queue[0]` (the head), `len(queue)`.

    A job leaves the queue when it starts, also during a loop over the queue.
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
        """Forget jobs that have started; only after a pass, when no loop over the queue runs."""
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
        """Iterate over the jobs of the queue, or of a list, that fit the free processors when their turn comes.

        It is faster than a loop over all jobs in the queue, and ends when no processor is free.
        """
        if self.free:
            for job in queue._jobs if isinstance(queue, Queue) else queue:
                if job.procs <= self.free and job.start is None:
                    yield job
                    if not self.free:
                        return

    def shadow(self, job: Job) -> tuple[int, int]:
        """Find the shadow time of a job and the extra processors (MF section 2.2, step 1)."""
        shadow, free = self.now, self.free
        for other in self._running:
            if free >= job.procs and other.expected_end > shadow:
                break
            free += other.procs
            shadow = max(shadow, other.expected_end)
        return shadow, free - job.procs

    def free_at(self, time: int) -> int:
        """Count the processors that are free at a second, if running jobs end at their expected ends."""
        return self.procs - sum(job.procs for job in self._running if job.expected_end > time)

    def call_at(self, second: int) -> None:
        """Request a scheduling pass at a second, even if no job ends or arrives then; it takes place if a job waits.

        Only the last requested second counts, until it is reached.
        """
        if not (_SECOND.fits(second) and second > self.now):
            raise ValueError(f"call_at: found second {second!r}, expected one after now, {self.now}")
        _set(self, "_next_call", math.ceil(second))

    # What the event loop does; no policy should come across it.

    def _start(self, job: Job) -> None:
        _set(job, "start", self.now)
        _set(job, "expected_end", self.now + job.estimate)
        _set(self, "free", self.free - job.procs)
        insort(self._running, job, key=attrgetter("expected_end"))

    def _sort(self) -> None:
        """Sort the running jobs again after their expected ends have changed."""
        self._running.sort(key=attrgetter("expected_end"))

    def _end(self, job: Job, run: int) -> None:
        _set(job, "_run", run)
        _set(self, "free", self.free + job.procs)
        self._running.remove(job)
        self.ended.append(job)


# Predict how long jobs run, in the place of the users' estimates.


Predicted = Mapping[Any, int] | None
"""New predictions in seconds by the jobs' numbers, or None."""


class Predictor:
    """Predict run times as jobs arrive, start, outlive their predictions and end: for `simlib.OwnPolicy`.

    Write a class that inherits from this one, with the methods that it needs, out of four. Each method is called at its
    event, with the job and the present second. It returns new predictions, also for other jobs: a dict of total run
    times, in whole seconds, by the numbers of waiting or running jobs; or None. A policy sees the present prediction of
    a job as `job.estimate`, and plans with it; `job.requested` is the requested time. A prediction never kills a job.

    This class itself predicts the requested time and corrects nothing: with it `examples_own.easy` is the original
    EASY.

    References
    ----------
    D. Tsafrir, Y. Etsion and D. G. Feitelson, "Backfilling using runtime predictions rather than user estimates",
    technical report, Hebrew University, 2005, section 3.7: jobArrival, jobStart, jobDeadlineMiss and jobFinish.

    Examples
    --------
    The prediction is the run time of the last job that ended, and doubles if the job outlives it. B is predicted to run
    for 5 s, and after 5 s for 10 s; it runs for 9 s: (5 x 5 + 4 x 10) / 9 on average.

    >>> import simlib
    >>> from simlib.policies import examples_own
    >>> class Last(simlib.Predictor):
    ...     def __init__(self):
    ...         self.run = None
    ...     def arrival(self, job, now):
    ...         return {job.number: self.run or job.requested}
    ...     def deadline_missed(self, job, now):
    ...         return {job.number: 2 * job.estimate}
    ...     def finish(self, job, now):
    ...         self.run = job.run
    >>> rows = [(0, 5, 60, 1), (6, 9, 60, 4), (7, 4, 60, 1)]
    >>> w = simlib.Workload.of("three jobs", 4, A=rows[0], B=rows[1], C=rows[2])
    >>> simlib.simulate(w, simlib.OwnPolicy(examples_own.easy, Last())).jobs.mean_prediction.round(1).to_list()
    [60.0, 7.2, 5.0]
    """

    def arrival(self, job: Job, now: int) -> Predicted:
        """A job joins the queue. Without a prediction, its estimate counts."""

    def start(self, job: Job, now: int) -> Predicted:
        """A job was started."""

    def deadline_missed(self, job: Job, now: int) -> Predicted:
        """A job still runs after its expected end, `job.start + job.estimate`.

        Without a longer prediction, the job is expected to end at once, and this method is not called for it again.
        """

    def finish(self, job: Job, now: int) -> Predicted:
        """A job has ended; `job.run` is known."""


# Make a policy of one small function that is called at each scheduling pass; the rest is done here.


_Pass = Callable[[Queue, Machine], Iterable[Job]]
"""A function of the queue and the machine that gives the jobs to start, in this order."""

_SHOWN = (*WHOSE, "requested")


@dataclass(frozen=True, repr=False)
class OwnPolicy:
    """Schedule by your own function, which is called at each scheduling pass in which a job waits.

    Parameters
    ----------
    function : callable
        A function of `queue`, the waiting jobs in order of arrival, and `machine`. It chooses the jobs that start now:

        - as a generator, `yield job`: each starts at once, and `machine.free` and the others know of it;
        - or with `return`: a list of them, which start one after the other when the function has ended; `[]` for none.

        `simlib.policies.own_policy` describes `Job`, `Queue` and `Machine`.

        To remember something from pass to pass, give an object with a method `__call__(self, queue, machine)`. Each
        simulation works with its copy of this object. So simulations do not learn from each other, and the same
        simulation gives the same schedule again. The copy, with its memory, is `schedule.policy.function`. A plain
        function that keeps things in global variables has no such protection.
    predictor : Predictor, optional
        Predicts run times that replace the users' estimates. Each simulation works with its copy,
        `schedule.policy.predictor`. The schedule then has the columns `adjusted`, the first prediction for each job,
        and `mean_prediction`, the mean over its time in the system, both in seconds (see `simlib.analysis.accuracy`). A
        job that outlives its prediction causes a scheduling pass.

    Raises
    ------
    ValueError
        For an object that cannot be called with a queue and a machine. In a simulation: if the function starts a job
        that does not wait or does not fit, or starts a job twice; if it starts no waiting job although no job runs or
        arrives any more; for a schedule that the machine cannot run, as from a function that changes the machine (see
        `Schedule.check`); for a prediction of a job that neither waits nor runs, or that is no whole number of seconds.
        An exception of the function or the predictor gets a note with the second.

    Examples
    --------
    First come, first served, and then the shortest job that fits first:

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

    An object that remembers the usage of each user, and prefers users with less:

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
    predictor: Predictor | None = None
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
        given: object = self.predictor
        if not (given is None or isinstance(given, Predictor)):
            expected = "expected an object of a class that inherits from simlib.Predictor"
            raise ValueError(f"OwnPolicy: predictor: found {given!r}, {expected}")

    def __repr__(self) -> str:
        return f"OwnPolicy({', '.join(_called(one) for one in (self.function, self.predictor) if one is not None)})"

    def prepare(self, jobs: pd.DataFrame) -> OwnPolicy:
        """Make the policy for one simulation of these jobs: it knows their users, and has its own memory.

        Examples
        --------
        >>> OwnPolicy(lambda queue, machine: queue[:1])
        OwnPolicy(<lambda>)
        """
        given = self._given or self
        prepared = OwnPolicy(*copy.deepcopy((given.function, given.predictor)))
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
        both = self.function, self.predictor
        loop = _EventLoop(self, *(copy.deepcopy(both) if self._given is None else both), known, machine, feedback)
        loop.to_the_end(np.zeros(2, np.int64) if progress_and_stop is None else progress_and_stop)
        start = [-1 if one is None else one for one in loop.start]  # of a run that was stopped
        times = {"submit": np.array(loop.submit, np.int64), "start": np.array(start, np.int64)}
        predicted = {} if loop.predictions is None else loop.predictions.columns()
        return {**times, "backfilled": np.array(loop.backfilled, bool), **predicted}


def _called(thing: Any) -> str:
    """The name of a function, or of an object's class."""
    shown = repr(thing)
    shown = f"{type(thing).__name__}()" if shown == object.__repr__(thing) else shown
    return getattr(thing, "__name__", shown)


class _Predictions:
    """The present and the mean predictions of all jobs that wait or run."""

    def __init__(self, policy: OwnPolicy, predictor: Predictor, machine: Machine, count: int) -> None:
        self.policy, self.predictor, self.machine = policy, predictor, machine
        self.there: dict[Any, Job] = {}  # by number, those that wait or run
        self.since = [0] * count  # by place, the second from which on the present prediction holds
        self.sum = [0.0] * count  # of earlier ones, each times the seconds that it held
        self.first, self.mean = [0] * count, [0.0] * count
        self.deadlines: list[tuple[int, int, Job]] = []  # a heap: seconds, places, jobs; some have been put off
        self.deadline: list[int | None] = [None] * count  # by place, the one that counts

    def next_deadline(self) -> int | None:
        """Find the next second at which a running job outlives its prediction; None if none will."""
        while self.deadlines and self.deadlines[0][0] != self.deadline[self.deadlines[0][1]]:
            heappop(self.deadlines)
        return self.deadlines[0][0] if self.deadlines else None

    def arrived(self, job: Job) -> None:
        """Predict the run time of a job that joins the queue."""
        self.there[job.number], self.since[job._place] = job, self.machine.now
        self.take("arrival", job)
        self.first[job._place] = job.estimate

    def started(self, job: Job) -> None:
        """Tell the predictor that a job has started."""
        self.expect(job)
        self.take("start", job)

    def outlived(self) -> None:
        """Tell the predictor which running jobs have outlived their predictions."""
        while (deadline := self.next_deadline()) is not None and deadline <= self.machine.now:
            _, place, job = heappop(self.deadlines)
            self.deadline[place] = None
            self.take("deadline_missed", job)

    def ended(self, job: Job) -> None:
        """Tell the predictor that a job has ended."""
        del self.there[job.number]
        self.note(job)
        in_system = self.machine.now - job.submit
        self.mean[job._place] = self.sum[job._place] / in_system if in_system else float(job.estimate)
        self.deadline[job._place] = None
        self.take("finish", job)

    def take(self, event: str, job: Job) -> None:
        """Call the predictor, and adopt its predictions."""
        try:
            predicted = getattr(self.predictor, event)(job, self.machine.now)
        except Exception as error:
            error.add_note(f"{self.policy}: {event} of job {job.number} raised this at {self.machine}")
            raise
        where = f"{self.policy}: second {self.machine.now:,}: {event} of job {job.number}"
        if not (predicted is None or isinstance(predicted, Mapping)):
            raise ValueError(f"{where}: returned {predicted!r}, expected a dict of seconds by job number, or None")
        for number, seconds in (predicted or {}).items():
            if number not in self.there:
                raise ValueError(f"{where}: predicted job {number!r}, expected jobs that wait or run")
            if not _PREDICTION.fits(seconds):
                raise ValueError(f"{where}: predicted {seconds!r} for job {number}, expected whole seconds from 0 on")
            self.note(self.there[number])
            self.there[number]._predict(int(seconds))
            self.expect(self.there[number])

    def expect(self, job: Job) -> None:
        """Expect a running job to end as predicted."""
        if job.start is not None:
            self.machine._sort()
            later = job.expected_end > self.machine.now
            self.deadline[job._place] = job.expected_end if later else None
            if later:
                heappush(self.deadlines, (job.expected_end, job._place, job))

    def note(self, job: Job) -> None:
        """Note for how long the prediction of a job has held."""
        place, now = job._place, self.machine.now
        self.sum[place] += job.estimate * (now - self.since[place])
        self.since[place] = now

    def columns(self) -> dict[str, np.ndarray]:
        """The columns of the schedule."""
        return {"adjusted": np.array(self.first, np.int64), "mean_prediction": np.array(self.mean)}


class _EventLoop:
    """The events of a simulation, for any policy."""

    def __init__(
        self,
        policy: OwnPolicy,
        decide: _Pass,
        predictor: Predictor | None,
        jobs: pd.DataFrame,
        procs: int,
        feedback: Feedback | None,
    ) -> None:
        self.policy, self.decide = policy, decide
        self.submit, self.run = jobs.submit.tolist(), jobs.run.tolist()
        shown = ("number", "submit", "procs", "estimate", *_SHOWN)
        self.known = list(zip(*(jobs[name].tolist() for name in shown), strict=True))
        self.start: list[int | None] = [None] * len(jobs)
        self.backfilled = [False] * len(jobs)
        self.queue, self.machine = Queue(), Machine(procs)
        self.predictions = None
        if predictor is not None:
            self.predictions = _Predictions(policy, predictor, self.machine, len(jobs))
            asked = [one[3] if one[-1] is None else one[-1] for one in self.known]  # also where the job runs longer
            self.known = [(*one[:3], asked[place], *one[4:]) for place, one in enumerate(self.known)]
        self.ends: list[tuple[int, int, Job]] = []  # a heap: the end of each running job, its place, itself
        self.followers = defaultdict(list)
        followed = feedback[0].tolist() if feedback else [-1] * len(jobs)
        for place, preceding in enumerate(followed):
            if feedback and preceding >= 0:
                self.followers[preceding].append((place, int(feedback[1][place])))
        self.coming = [(self.submit[place], place) for place, job in enumerate(followed) if job < 0]  # a heap
        heapify(self.coming)

    def to_the_end(self, progress_and_stop: Ints) -> None:
        """Go from instant to instant until all jobs have ended; `progress_and_stop` as in `simlib.policies`."""
        machine, queue = self.machine, self.queue
        while (now := self.next_instant()) is not None and not progress_and_stop[1]:
            _set(machine, "now", now)
            if machine._next_call is not None and machine._next_call <= now:
                _set(machine, "_next_call", None)
            while self.ends and self.ends[0][0] <= now:  # 1. jobs leave, and those are submitted that follow them
                _, place, ended = heappop(self.ends)
                machine._end(ended, self.run[place])
                if self.predictions:
                    self.predictions.ended(ended)
                for follower, think in self.followers.get(place, ()):
                    self.submit[follower] = now + think
                    heappush(self.coming, (now + think, follower))
            if self.predictions:
                self.predictions.outlived()
            while self.coming and self.coming[0][0] <= now:  # 2. jobs join the queue
                submit, place = heappop(self.coming)
                number, _, *others = self.known[place]
                job = Job(number, submit, *others)
                queue._join(job, place)
                if self.predictions:
                    self.predictions.arrived(job)
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
        """Find the second of the next event; None if there is none."""
        seconds = [heap[0][0] for heap in (self.ends, self.coming) if heap]
        if self.queue and self.machine._next_call is not None:
            seconds.append(self.machine._next_call)
        if self.predictions and (deadline := self.predictions.next_deadline()) is not None:
            seconds.append(deadline)
        return min(seconds, default=None)

    def scheduling_pass(self) -> None:
        """Start the jobs that the function chooses; a job that passes one which still waits is backfilled."""
        started = []
        for job in self.decided():
            self.refuse_impossible(job)
            self.machine._start(job)
            _set(self.queue, "_waiting", self.queue._waiting - 1)
            heappush(self.ends, (self.machine.now + self.run[job._place], job._place, job))
            self.start[job._place] = self.machine.now
            started.append(job)
            if self.predictions:
                self.predictions.started(job)
        self.queue._close_up()
        if self.queue:
            first = self.queue[0]._arrival
            for job in started:
                self.backfilled[job._place] = job._arrival > first

    def decided(self) -> Iterator[Any]:
        """Call the function; if it raises, add the second."""
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
        """Raise if a job cannot start now."""
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
        """Raise, and name the policy and the second."""
        raise ValueError(f"{self.policy}: second {self.machine.now:,}: {why}")
