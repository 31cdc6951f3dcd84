"""What a policy of one's own sees at a scheduling pass: the jobs that wait, and the machine. See `simlib.OwnPolicy`."""

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

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
    """Show what a scheduler may know of a job.

    Attributes
    ----------
    number
        Its label in the jobs table.
    submit, estimate : int
        Seconds. `machine.now - job.submit` is how long it has waited. No job runs for longer than `estimate`.
    requested : int
        The estimate that its user gave, in seconds: where the job runs for longer, `estimate` is its run time instead.
    procs : int
    user, group, queue : int
        As in the log; -1 where they are not known.
    start, expected_end : int or None
        Seconds; None while it waits. It is expected to end when it has run for its estimate.
    run : int
        Seconds, when it has ended. No scheduler knows it before: then to read it is an error.

    Examples
    --------
    >>> job = Job(7, submit=0, procs=4, estimate=60)
    >>> job
    <job 7: 4 processors, estimate 60 s>
    >>> job.run
    Traceback (most recent call last):
        ...
    AttributeError: job 7: found run read before its end, which no scheduler knows; expected estimate, or the run ...
    """

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
    _in: "Queue | None"  # the queue that it joined

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
        asked = estimate if requested is None else requested
        values: tuple = number, submit, procs, estimate, asked, user, group, queue, None, None, None, 0, 0, None
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

    Examples
    --------
    >>> import simlib
    >>> def show(queue, machine):
    ...     print(len(queue), "wait, the head is", queue[0])
    ...     yield queue[0]
    ...     print(len(queue), "waits:", list(queue))
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(0, 5, 5, 2))
    >>> simlib.simulate(w, simlib.OwnPolicy(show))
    2 wait, the head is <job A: 3 processors, estimate 10 s>
    1 waits: [<job B: 2 processors, estimate 5 s>]
    1 wait, the head is <job B: 2 processors, estimate 5 s>
    0 waits: []
    <Schedule of two jobs under OwnPolicy(show): mean wait 5 s>
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

    def _leave(self) -> None:
        _set(self, "_waiting", self._waiting - 1)

    def _close_up(self) -> None:
        """Forget jobs that have started: after a pass, for nobody goes through the queue then."""
        jobs = self._jobs
        while jobs and jobs[0].start is not None:
            jobs.popleft()
        if len(jobs) > 2 * self._waiting:  # so that each job is moved about twice, however long the queue is
            _set(self, "_jobs", deque(self))


class Machine(_Kept):
    """Show the machine at a scheduling pass.

    Attributes
    ----------
    now : int
        The second.
    procs, free : int
        All processors, and those that are free now.
    running : list of Job
        The running jobs, the one that is expected to end first at the front. With every job that starts, `free` and
        `running` change.
    ended : list of Job
        Those that have left since the last pass, in order of their ends; at the same second in that of the jobs table.

    Examples
    --------
    >>> import simlib
    >>> def show(queue, machine):
    ...     yield from machine.fits(queue)
    ...     print(f"{machine}; {machine.running} run, {machine.ended} ended")
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(5, 5, 5, 2))
    >>> simlib.simulate(w, simlib.OwnPolicy(show)).jobs.start.to_list()
    second 0, 1 of 4 processors free; [<job A: 3 processors, estimate 20 s>] run, [] ended
    second 5, 1 of 4 processors free; [<job A: 3 processors, estimate 20 s>] run, [] ended
    second 10, 2 of 4 processors free; [<job B: 2 processors, ...>] run, [<job A: 3 processors, ...>] ended
    [0, 10]
    """

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

        Examples
        --------
        >>> import simlib
        >>> def first_fit(queue, machine):
        ...     yield from machine.fits(queue)
        >>> w = simlib.Workload.of("three jobs", 4, A=(0, 10, 10, 3), B=(0, 5, 5, 2), C=(0, 5, 5, 1))
        >>> simlib.simulate(w, simlib.OwnPolicy(first_fit)).jobs.start.to_dict()
        {'A': 0, 'B': 10, 'C': 0}
        """
        if self.free:
            for job in queue._jobs if isinstance(queue, Queue) else queue:
                if job.procs <= self.free and job.start is None:
                    yield job
                    if not self.free:
                        return

    def shadow(self, job: Job, expected_end: Callable[[Job], int] | None = None) -> tuple[int, int]:
        """Find the shadow time of a job and the extra processors (MF section 2.2, step 1).

        Parameters
        ----------
        job : Job
            One that waits, such as the head of the queue.
        expected_end : callable, optional
            Says of a running job at which second it ends; by default what its estimate says.

        Returns
        -------
        (int, int)
            The second from which on enough processors are free for the job, if all run as long as is expected; and
            how many will be free then beyond those that it needs. A job that fits already has `now`.

        Examples
        --------
        >>> import simlib
        >>> def fcfs(queue, machine):
        ...     while queue and queue[0].procs <= machine.free:
        ...         yield queue[0]
        ...     if queue:
        ...         print(f"second {machine.now}: job {queue[0].number} waits for", machine.shadow(queue[0]))
        >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(5, 5, 5, 2))
        >>> simlib.simulate(w, simlib.OwnPolicy(fcfs)).jobs.start.to_list()
        second 5: job B waits for (20, 2)
        [0, 10]
        """
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
        """Count the processors that are free at a second, if those that run end when they are expected to.

        Examples
        --------
        >>> import simlib
        >>> def show(queue, machine):
        ...     yield from machine.fits(queue)
        ...     print(machine.free_at(19), machine.free_at(20))
        >>> w = simlib.Workload.of("one job", 4, A=(0, 10, 20, 3))
        >>> simlib.simulate(w, simlib.OwnPolicy(show)).jobs.start.to_list()
        1 4
        [0]
        """
        return self.procs - sum(job.procs for job in self._running if job.expected_end > time)

    def call_at(self, second: int) -> None:
        """Ask for a scheduling pass at a second, even if no job ends or arrives then; it takes place if a job waits.

        Only one such second is kept: the one asked for last, until it has come.

        Raises
        ------
        ValueError
            For a second that is not after `now`.

        Examples
        --------
        >>> import simlib
        >>> def late(queue, machine):
        ...     if machine.now < 7:
        ...         machine.call_at(7)
        ...     else:
        ...         yield from machine.fits(queue)
        >>> w = simlib.Workload.of("one job", 4, A=(0, 10, 20, 3))
        >>> simlib.simulate(w, simlib.OwnPolicy(late)).jobs.start.to_list()
        [7]
        """
        if not second > self.now:
            raise ValueError(f"call_at: found second {second!r}, expected one after now, {self.now}")
        _set(self, "_next_call", int(second))

    # What the event loop does; no policy should come across it.

    def _turn(self, now: int) -> None:
        _set(self, "now", now)
        if self._next_call is not None and self._next_call <= now:
            _set(self, "_next_call", None)

    def _start(self, job: Job) -> None:
        _set(job, "start", self.now)
        _set(job, "expected_end", self.now + job.estimate)
        _set(self, "free", self.free - job.procs)
        insort(self._running, job, key=_expected_end)

    def _end(self, job: Job, run: int) -> None:
        _set(job, "_run", run)
        _set(self, "free", self.free + job.procs)
        self._running.remove(job)
        self.ended.append(job)

    def _forget_ended(self) -> None:
        _set(self, "ended", [])


def _expected_end(job: Job) -> int:
    return job.expected_end
