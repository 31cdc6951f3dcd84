"""What a scheduler sees: jobs, the queue, the machine at an instant, and what will be free."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from math import ceil, inf
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, NoReturn

from .._util import checks

_set = object.__setattr__

_SECOND = checks.number("a second", most=checks.LATEST)


class _Kept:
    """Attributes that only the loop sets."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{self!r}: found {name} = {value!r}, expected nobody to set it: a job starts when it is yielded or "
            "returned, and the rest follows; count in variables of your own"
        )

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Make a copy: of what a policy remembers, as from another process."""
        for name, value in state[1].items():
            _set(self, name, value)


class Both(NamedTuple):
    """Processors and GPUs, of a job that needs both; `<=` means no more of either."""

    procs: int
    gpus: int

    def __add__(self, other: Any) -> "Both":
        return Both(self.procs + other.procs, self.gpus + other.gpus)

    def __sub__(self, other: Any) -> "Both":
        return Both(self.procs - other.procs, self.gpus - other.gpus)

    def __neg__(self) -> "Both":
        return Both(-self.procs, -self.gpus)

    def __le__(self, other: Any) -> bool:
        return bool(self.procs <= other.procs and self.gpus <= other.gpus)


Needs = Any
"""What a job needs and a machine has: a number of processors, or `Both`."""


class Job(_Kept):
    """Show the facts of a job that a scheduler may know, in processors and seconds.

    Attributes
    ----------
    number
        Its label in the jobs table.
    submit, procs, user, group, queue : int
        As in the log; -1 for a user, group or queue that is not known.
    gpus : int or None
    needs : int or Both
        Its processors, and its GPUs where jobs need any.
    requested : int
        The user's estimate, also where the job runs longer.
    estimate : int
        The estimate that is planned with: the user's, raised to the run time where nothing ends the job; or a
        prediction.
    arrival : int
        How many jobs joined the queue before it.
    start, expected_end, end : int
        None before it starts, and before it ends.
    promised : int or None
        The start that it is promised.
    run : int
        Its run time, once it has ended; reading it earlier is an error.

    Examples
    --------
    >>> import simlib
    >>> def watched(queue, machine):
    ...     print(queue[0], "waits for", machine.now - queue[0].submit, "s")
    ...     yield queue[0]
    >>> schedule = simlib.simulate(simlib.Workload.of("a job", 4, A=(0, 10, 20, 3)), simlib.OwnPolicy(watched))
    <job A: 3 processors, estimate 20 s> waits for 0 s
    """

    __slots__ = (
        *("number", "submit", "procs", "gpus", "needs", "user", "group", "queue", "requested"),
        *("given", "estimate", "in_queue", "while_running", "adjusted"),  # see `expect`
        *("arrival", "rank", "promised", "first_promise", "start", "expected_end", "end", "backfilled"),
        *("_run", "_place"),
    )
    number: Any
    submit: int
    procs: int
    gpus: int | None
    needs: Needs
    user: int
    group: int
    queue: int
    requested: int
    given: int
    estimate: int
    in_queue: int
    while_running: int
    adjusted: int
    arrival: Any  # int, as those below, from when it is known
    rank: Any
    promised: Any
    first_promise: Any
    start: Any
    expected_end: Any
    end: Any
    backfilled: bool
    _run: int
    _place: int

    def __init__(
        self,
        number: object,
        place: int,
        submit: int,
        run: int,
        estimate: int,
        procs: int,
        requested: int | None = None,
        gpus: int | None = None,
        user: int = -1,
        group: int = -1,
        queue: int = -1,
    ) -> None:
        needs = procs if gpus is None else Both(procs, gpus)
        asked = estimate if requested is None else requested
        known = number, submit, procs, gpus, needs, user, group, queue, asked
        values = *known, *[estimate] * 5, *[None] * 7, False, run, place
        for name, value in zip(Job.__slots__, values, strict=True):
            _set(self, name, value)

    def expect(self, seconds: int, in_queue: bool = True, to_backfill: bool = True, while_running: bool = True) -> None:
        """Plan with another estimate: in the order of the queue, as a candidate, and while it runs."""
        _set(self, "adjusted", seconds)
        _set(self, "in_queue", seconds if in_queue else self.given)
        _set(self, "estimate", seconds if to_backfill else self.given)
        _set(self, "while_running", seconds if while_running else self.given)

    @property
    def run(self) -> int:
        """Its run time in seconds, once it has ended: see above."""
        if self.end is None:
            raise AttributeError(
                f"job {self.number}: found run read before its end, which no scheduler knows; expected estimate, or "
                "the run of a job in machine.ended"
            )
        return self._run

    def __repr__(self) -> str:
        return f"<job {self.number}: {self.procs} processor{'s' * (self.procs != 1)}, estimate {self.estimate} s>"


class Queue(_Kept, list[Job]):
    """The jobs that wait, the head first: in order of arrival, or as a policy has sorted them.

    A job leaves the queue when it starts, also during a loop over the queue. It is a list that nobody can change but by
    `sort`; the order stays for the next pass, and jobs that arrive join its end.

    Examples
    --------
    >>> import simlib
    >>> def widest(queue, machine):
    ...     queue.sort(key=lambda job: -job.procs)
    ...     while queue and machine.fits(queue[0]):
    ...         yield queue[0]
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 9, 9, 2), B=(1, 5, 5, 3), C=(2, 3, 3, 4))
    >>> simlib.simulate(w, simlib.OwnPolicy(widest)).jobs.start.to_list()
    [0, 12, 9]
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[Job]:
        return (job for job in self[:] if job.start is None)

    def __reversed__(self) -> Iterator[Job]:
        return (job for job in self[::-1] if job.start is None)

    def __repr__(self) -> str:
        return f"<queue of {len(self)} jobs>"

    def __reduce__(self) -> tuple[type[list], tuple[list[Job]]]:
        return list, (self[:],)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        """Refuse to change the queue."""
        raise AttributeError(
            f"{self!r}: found a change of the queue, expected nobody to make one: a job leaves it when it is yielded "
            "or returned; queue.sort(...) sorts it, and list(queue) is a copy"
        )

    append = extend = insert = remove = pop = clear = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse


class Profile:
    """How much will be free from now on, in steps: `free[k]` from `times[k]` on (MF section 2.1).

    Examples
    --------
    4 processors are free at second 0; a job takes 3 of them for 10 seconds.

    >>> profile = Profile(0, 4)
    >>> profile.give(0, 10, -3)
    >>> profile.times, profile.free
    ([0, 10], [1, 4])
    >>> profile.anchor(2, 5), profile.anchor(1, 5)  # the earliest starts of two jobs of 5 seconds
    (10, 0)
    """

    def __init__(self, now: int, free: Needs) -> None:
        self.times, self.free = [now], [free]

    def anchor(self, needs: Needs, duration: int, promised: float = inf, whole: int = 1) -> Any:
        """Find the earliest second from which on so much stays free for so long; ends are multiples of `whole`.

        A job that is `promised` a start fits there without its own reservation, so it need not be lifted out.
        """
        begin, until = None, 0
        for time, free in zip(self.times, self.free, strict=True):
            if time >= promised or (begin is not None and time >= until):
                break
            if not needs <= free:  # c. if not, continue to the next possible anchor point;
                begin = None
            elif begin is None:  # a. the first point where enough processors are available;
                begin, until = time, time + duration  # b. they remain available until the job's expected end
                until += -until % whole
        return promised if begin is None else begin

    def give(self, begin: int, end: int, amount: Needs) -> None:
        """Add what is free from `begin` until `end`; a negative amount takes it."""
        if begin < end:
            first, last = self._step(begin), self._step(end)
            for k in range(first, last):
                self.free[k] += amount
            for k in (last, first):  # a step that is none any more goes
                if k > 0 and self.free[k] == self.free[k - 1]:
                    del self.times[k], self.free[k]

    def fits(self, needs: Needs, duration: int) -> bool:
        """Tell whether so much is free from now on for so long."""
        return self.lacks(needs, duration) is None

    def lacks(self, needs: Needs, duration: int) -> int | None:
        """Find the first second, from now on for so long, at which less is free; None for none."""
        end, steps = self.times[0] + max(duration, 1), zip(self.times, self.free, strict=True)
        return next((time for time, free in steps if time < end and not needs <= free), None)

    def advance(self, now: int) -> None:
        """Forget what was before now."""
        k = bisect_right(self.times, now) - 1
        del self.times[:k], self.free[:k]
        self.times[0] = now

    def _step(self, time: int) -> int:
        """Find the step that begins at a second, or make it."""
        k = bisect_left(self.times, time)
        if k == len(self.times) or self.times[k] > time:
            self.times.insert(k, time)
            self.free.insert(k, self.free[k - 1])
        return k


class Outage(NamedTuple):
    """Processors that are away from `start` to `end`; from second `known` on schedulers know it."""

    start: int
    end: int
    procs: int
    known: int


_by_expected_end = attrgetter("expected_end")


class Machine(_Kept):
    """Show the machine at an instant: what is free, who runs, and what has happened.

    Attributes
    ----------
    now : int
        The present second.
    procs, free : int
        All processors, and the free ones.
    gpus : int or None
    left : int or Both
        What is free of all that jobs need.
    running, ended, arrived : list of Job
        The running jobs, the one expected to end first at the front; those that have ended, and arrived, now.
    news : set of str
        What outages do now: one "becomes known", "begins" or "ends".
    heard : bool
        Whether somebody listens: see `simlib.plain.loop`.

    Examples
    --------
    >>> import simlib
    >>> def watched(queue, machine):
    ...     print(machine, "for", queue[0], "at", machine.shadow(queue[0]))
    ...     return list(machine.fitting(queue))
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
    >>> schedule = simlib.simulate(w, simlib.OwnPolicy(watched))
    second 0, 4 of 4 processors free for <job A: 3 processors, estimate 20 s> at (0, 1)
    second 1, 1 of 4 processors free for <job B: 2 processors, estimate 5 s> at (20, 2)
    second 10, 4 of 4 processors free for <job B: 2 processors, estimate 5 s> at (10, 2)
    """

    __slots__ = (
        *("procs", "gpus", "usage", "reserves", "corrects", "now", "left", "ended", "arrived", "news", "heard"),
        *("_running", "_refused", "_call", "_profile", "_outages", "_coming"),
    )
    procs: int
    gpus: int | None
    usage: Any  # simlib.plain.orders.Usage, where an order asks for it
    reserves: bool  # whether jobs are promised a start; then those of no length need nothing
    corrects: bool  # whether a job that outlives its expected end causes a pass
    now: int
    left: Needs
    ended: list[Job]
    arrived: list[Job]
    news: set[str]
    heard: bool
    _running: list[Job]
    _refused: Callable[[Job], None]  # tells who listens that a job does not fit
    _call: float
    _profile: Profile | None
    _outages: list[Outage]  # that are known and have not ended
    _coming: list[tuple[int, str, Outage]]  # what outages will do, and when; the last comes first

    def __init__(
        self,
        procs: int,
        gpus: int | None = None,
        usage: Any = None,
        reserves: bool = False,
        corrects: bool = False,
        outages: Iterable[Outage] = (),
    ) -> None:
        left = procs if gpus is None else Both(procs, gpus)
        coming = [(one.known, "becomes known", one) for one in outages]
        coming += [event for one in outages for event in ((one.start, "begins", one), (one.end, "ends", one))]
        values: tuple = procs, gpus, usage, reserves, corrects, 0, left, [], [], set(), False, [], None, inf, None, []
        values += (sorted(coming, key=itemgetter(0), reverse=True),)
        for name, value in zip(Machine.__slots__, values, strict=True):
            _set(self, name, value)

    def __repr__(self) -> str:
        return f"second {self.now:,}, {self.free} of {self.procs} processors free"

    @property
    def free(self) -> int:
        """The free processors."""
        return self.left if self.gpus is None else self.left.procs

    @property
    def running(self) -> list[Job]:
        """The running jobs: see above."""
        return self._running.copy()

    @property
    def ended_early(self) -> list[Job]:
        """Those of `ended` that ended before they were expected to."""
        return [job for job in self.ended if job.expected_end > job.end]

    def fits(self, job: Job) -> bool:
        """Tell whether a job fits what is free."""
        return bool(job.needs <= self.left)

    def fitting(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Iterate over those that fit what is free when it is their turn; who listens hears of the others."""
        for job in jobs[:] if isinstance(jobs, Queue) else jobs:
            if job.needs <= self.left:
                if job.start is None:
                    yield job
            elif self.heard:
                if job.start is None:
                    self._refused(job)
            elif self.left == 0:
                return

    def shadow(self, job: Job) -> tuple[int, Needs]:
        """Find the shadow time of a job and the extra processors (MF section 2.2, step 1)."""
        shadow, left = self.now, self.left
        for other in self._running:  # a. sort the running jobs by expected termination; b. collect nodes
            if job.needs <= left and other.expected_end > shadow:  # until there are enough: c. this is the shadow time
                break
            left += other.needs
            shadow = max(shadow, other.expected_end)
        return shadow, left - job.needs  # d. those that are left over are the extra nodes

    def due(self, job: Job) -> int:
        """Find the expected end that frees enough for a job; where nobody corrects it, it may lie in the past."""
        left, due = self.left, self.now
        for other in self._running:
            if job.needs <= left:
                break
            left, due = left + other.needs, other.expected_end
        return due

    def free_at(self, second: int) -> int:
        """Count the processors that are free at a second, if running jobs end at their expected ends."""
        return self.procs - sum(job.procs for job in self._running if job.expected_end > second)

    @property
    def profile(self) -> Profile:
        """What will be free beside the running jobs, and beside all promises on a machine that `reserves`."""
        if not self.reserves:
            return self.plan()
        profile = self._profile or self.plan()
        _set(self, "_profile", profile)
        return profile

    def plan(self) -> Profile:
        """Make a profile of the running jobs, for a plan of one's own."""
        left = self.left
        for outage in self._outages:
            if outage.start <= self.now:
                left += self._needs(outage)
        plan = Profile(self.now, left)
        for job in self._running:
            end = max(job.expected_end, self.now + 1)  # one that should have ended has not
            if end > plan.times[-1]:
                plan.times.append(end)
                plan.free.append(plan.free[-1])
            plan.free[-1] += job.needs
        for outage in self._outages:
            plan.give(max(outage.start, self.now), outage.end, -self._needs(outage))
        return plan

    def outage_ahead(self, job: Job) -> int | None:
        """Find the first second at which outages leave too little for a job that starts now; None for none."""
        return self.plan().lacks(job.needs, job.estimate) if self._outages else None

    def expect(self, job: Job, end: int) -> None:
        """Expect a running job to end then; not on a machine that reserves."""
        _set(job, "expected_end", end)
        self._running.sort(key=_by_expected_end)

    def call_at(self, second: float) -> None:
        """Request a scheduling pass at a second, even if no job ends or arrives then.

        Only the last requested second counts, until it is reached.
        """
        if not (_SECOND.fits(second) and second > self.now):
            raise ValueError(f"call_at: found second {second!r}, expected one after now, {self.now}")
        _set(self, "_call", ceil(second))

    # What the loop does; no policy should come across it.

    @property
    def _next_call(self) -> float:
        """The second for which a pass is requested, or in which a job outlives its expected end."""
        call = min(self._call, self._coming[-1][0]) if self._coming else self._call
        if not self.corrects:
            return call
        return min(call, next((job.expected_end for job in self._running if job.expected_end > self.now), inf))

    def _advance(self, now: int) -> None:
        """Go to the next instant."""
        if self.reserves:
            self.profile.advance(now)
        for name, value in (("now", now), ("ended", []), ("arrived", [])):
            _set(self, name, value)
        if self._call <= now:
            _set(self, "_call", inf)
        self._hear(now)

    def _hear(self, now: int) -> None:
        """Let outages become known, begin and end until now."""
        _set(self, "news", set())
        while self._coming and self._coming[-1][0] <= now:
            _, news, outage = self._coming.pop()
            self.news.add(news)
            taken = self._needs(outage)
            if news == "becomes known":
                self._outages.append(outage)
                if self._profile is not None:
                    self._profile.give(max(outage.start, now), outage.end, -taken)
            elif news == "begins":
                _set(self, "left", self.left - taken)
            else:
                _set(self, "left", self.left + taken)
                self._outages.remove(outage)

    def _needs(self, outage: Outage) -> Needs:
        """What an outage takes: no GPUs."""
        return outage.procs if self.gpus is None else Both(outage.procs, 0)

    def _begin(self, job: Job) -> None:
        """Let a job take what it needs; beside promises one of no length needs nothing."""
        _set(job, "start", self.now)
        _set(job, "expected_end", self.now + job.while_running)
        if self.reserves and job.promised != self.now:
            self._promise(job, None)
            self.profile.give(self.now, job.expected_end, -job.needs)
        if not self.reserves or job.estimate > 0:
            _set(self, "left", self.left - job.needs)
        insort(self._running, job, key=_by_expected_end)

    def _end(self, job: Job) -> None:
        """Let a job give back what it needed."""
        _set(job, "end", self.now)
        if not self.reserves or job.estimate > 0:
            _set(self, "left", self.left + job.needs)
        if self.reserves:
            self.profile.give(self.now, job.expected_end, job.needs)
        self._running.remove(job)
        self.ended.append(job)

    def _promise(self, job: Job, at: int | None) -> None:
        """Move a promise in the profile."""
        if job.promised is not None:
            self.profile.give(job.promised, job.promised + job.while_running, job.needs)
        if at is not None:
            self.profile.give(at, at + job.while_running, -job.needs)
            if job.first_promise is None:
                _set(job, "first_promise", at)
        _set(job, "promised", at)
