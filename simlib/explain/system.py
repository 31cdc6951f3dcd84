"""The state that a scheduler sees: the machine, running jobs, the queue, its order, and the usage of accounts."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._util.words import length, number
from ..policies.orders import Multifactor, Thresholded

# What each account has had of the machine of late, in plain Python.


class Usage:
    """Processor-seconds by account, and of all together; half of them are forgotten in each half-life."""

    def __init__(self, accounts: int, half_life: float) -> None:
        self.accounts, self.half_life, self.begin = accounts, half_life, -math.inf
        self.had, self.held, self.since = [0.0] * (accounts + 1), [0] * (accounts + 1), [0.0] * (accounts + 1)

    def hold(self, account: int, now: int, procs: int) -> None:
        """Note that an account holds so many more processors from now on; a negative number gives them back."""
        if self.half_life > 0:
            for one in (account, self.accounts):  # the last is the machine as a whole
                self.had[one] = self._until(one, now)
                self.since[one] = self._weight(now)
                self.held[one] += procs

    def times_its_share(self, account: int, now: int) -> float:
        """The usage of an account, in multiples of an equal share of all, to nine digits."""
        if self.half_life == 0:
            return 0.0
        everything = self._until(self.accounts, now)
        if everything <= 0:
            return 0.0
        return round(self._until(account, now) / everything * self.accounts * 1e9) / 1e9

    def _until(self, account: int, now: int) -> float:
        """The usage of an account up to this second, each processor-second times its weight."""
        weight = self._weight(now)  # first, for all may fade with it
        return self.had[account] + self.held[account] * (weight - self.since[account])

    def _weight(self, now: int) -> float:
        """The present weight of a processor-second: twice that of a half-life before. Only ratios count."""
        if self.begin == -math.inf:
            self.begin = now
        half_lives = math.floor((now - self.begin) / self.half_life)
        if half_lives > 0:  # those before weigh less, instead of those from now on more and more
            self.begin += half_lives * self.half_life
            rest = 0.5**half_lives
            self.had = [had * rest for had in self.had]
            self.since = [since * rest for since in self.since]
        return 2.0 ** ((now - self.begin) / self.half_life)


Profile = list[list[int]]
"""Steps [time, processors free from then until the next step]."""

Decisions = Iterator[tuple[Any, ...]]
"""Of each decision a tuple: its rule, the job that it decides on or None, and what else its sentence needs."""

Scheduler = Callable[["System"], Decisions]
"""A function that decides at an instant."""


@dataclass(eq=False)
class Job:
    """A job as a scheduler sees it; changed in place when it starts or gets a reservation.

    Times are seconds, sizes processors.
    """

    name: Any  # as in the workload's index
    arrival: int  # how many join the queue before it
    submit: int
    run: int
    estimate: int
    procs: int
    start: Any = None  # int once it has started, as those below: None where there is none
    backfilled: bool = False
    priority: Any = None  # EASY with an order: a float, at the last scheduling pass
    shadow: Any = None  # EASY: its last shadow time, once it has waited at the head
    reserved: Any = None  # with a reservation: when it is to start
    guarantee: Any = None  # and what was reserved first
    in_queue: Any = None  # EASY: the estimates that are used, which are predicted or the user's
    to_backfill: Any = None
    while_running: Any = None
    predicted: Any = None  # its run time, where one is predicted
    requested: Any = None  # what its user asked for, where the estimate was raised to the run time
    user: int = -1  # what orders may ask for, as in the jobs table
    group: int = -1
    log_queue: int = -1
    account: int = 0  # whose use of the machine counts
    factors: Any = None  # under a Multifactor: what its priority is made of, by name

    def __post_init__(self) -> None:
        """Use the user's estimate until there is a prediction."""
        self.requested = self.estimate if self.requested is None else self.requested
        self.in_queue = self.estimate if self.in_queue is None else self.in_queue
        self.to_backfill = self.estimate if self.to_backfill is None else self.to_backfill
        self.while_running = self.estimate if self.while_running is None else self.while_running

    @property
    def end(self) -> Any:
        """The second at which it ends, once it has started."""
        return self.start + self.run

    @property
    def expected_end(self) -> Any:
        """The second at which it is expected to end, once it has started."""
        return self.start + self.while_running


@dataclass(eq=False)
class System:
    """The whole state at an instant, `now`; changed in place.

    `to_come` has the jobs that have not arrived yet, in order of arrival; `ended` and `arrived` those of this instant.
    """

    procs: int
    to_come: list[Job]
    now: int = 0
    free: int = 0
    queue: list[Job] = field(default_factory=list)
    running: list[Job] = field(default_factory=list)
    done: list[Job] = field(default_factory=list)
    ended: list[Job] = field(default_factory=list)
    arrived: list[Job] = field(default_factory=list)
    shadow: Any = None  # int: EASY, at this instant
    extra: Any = None
    profile: Any = None  # with reservations: a Profile
    corrects: bool = False  # EASY: whether what a running job outlives is corrected
    usage: Usage | None = None  # where orders ask for more than three numbers

    def next_instant(self) -> int:
        """Find the time when the next job ends, outlives its prediction, arrives or has a reservation."""
        times = [job.end for job in self.running] + [job.submit for job in self.to_come[:1]]
        times += [job.expected_end for job in self.running if self.corrects]
        return min(times + [job.reserved for job in self.queue if job.reserved is not None])

    def leave(self) -> list[Job]:
        """Let jobs that have ended by now leave and free their processors; return them."""
        self.ended = [job for job in self.running if job.end <= self.now]
        self.running = [job for job in self.running if job.end > self.now]
        self.done += self.ended
        self.free += sum(self._held(job) for job in self.ended)
        if self.usage is not None:
            for job in self.ended:
                self.usage.hold(job.account, self.now, -job.procs)
        return self.ended

    def arrive(self) -> list[Job]:
        """Move the jobs that are submitted now out of the jobs to come; return them."""
        count = 0
        while count < len(self.to_come) and self.to_come[count].submit <= self.now:
            count += 1
        self.arrived, self.to_come = self.to_come[:count], self.to_come[count:]
        return self.arrived

    def start(self, job: Job, backfilled: bool = False) -> None:
        """Start a queued job now."""
        job.start, job.backfilled, job.reserved = self.now, backfilled, None
        self.queue.remove(job)
        self.running.append(job)
        self.free -= self._held(job)
        if self.usage is not None:
            self.usage.hold(job.account, self.now, job.procs)

    def _held(self, job: Job) -> int:
        """Count the processors that a job holds.

        Beside reservations a job of length zero holds none, so that any number of such jobs start at once.
        """
        return job.procs if self.profile is None or job.estimate > 0 else 0


def decisions(system: System, scheduler: Scheduler) -> Decisions:
    """Schedule all jobs to come, instant by instant, as the scheduler decides."""
    system.free = system.procs
    while system.to_come or system.queue or system.running:
        system.now = system.next_instant()
        system.shadow = system.extra = None
        yield from scheduler(system)


# The order of the queue, and in which words it is told.

_FEW = 3
"""Of so many jobs it is told what their priorities are made of."""

_BY = {
    "fcfs": "arrival",
    "arrival": "arrival",
    "sjf": "estimate, the shortest first",
    "wfp": "WFP, (wait / estimate)^3 x procs",
    "largest": "processors, the most first",
    "smallest area": "processors x estimate, the smallest first",
    "expansion factor": "expansion factor, (wait + estimate) / estimate",
    "unicef": "UNICEF, wait / (log2(procs) x estimate)",
    "f1": "F1, log10(estimate) x procs + 870 log10(submit), the smallest first",
    "f2": "F2, sqrt(estimate) x procs + 25600 log10(submit), the smallest first",
    "f3": "F3, estimate x procs + 6860000 log10(submit), the smallest first",
    "f4": "F4, estimate x sqrt(procs) + 530000 log10(submit), the smallest first",
    "best-fit": "what they fill of the window until the shadow time, the most processor-seconds first",
}
"""The names of orders in words."""

_SHOWN: dict[str, Callable[[float], str]] = {
    "sjf": lambda rank: length(int(-rank)),
    "largest": lambda rank: number(int(rank)),
    "smallest area": lambda rank: number(int(-rank)),
    "best-fit": lambda rank: number(int(rank)),
} | dict.fromkeys(["f1", "f2", "f3", "f4"], lambda rank: f"{-rank:.7g}")
"""How the rank of a job is shown, if not as a decimal number."""


_WEIGHTS = "age", "procs", "fair_share"
"""What the priority of a `Multifactor` is made of."""


@dataclass
class Ranks:
    """An order of jobs: the largest rank comes first; ties by arrival."""

    order: Any
    function: Callable[..., float]

    def of(self, job: Job, system: System, estimate: int, extra: int = 0, window: int = 0) -> float:
        """Rank a job; `estimate` is the one in use, `extra` and `window` are known when jobs are backfilled."""
        three = float(system.now - job.submit), float(estimate), float(job.procs)
        if system.usage is None:
            return self.function(*three)
        usage = system.usage.times_its_share(job.account, system.now)
        if isinstance(self.order, Multifactor):  # what age, size and fair share add, those that count
            age = min(three[0] / (self.order.max_age_days * 86400), 1.0)
            parts = zip(_WEIGHTS, (age, three[2] / system.procs, 0.5**usage), strict=True)
            weighted = {name: getattr(self.order, name) * part for name, part in parts if getattr(self.order, name)}
            job.factors = {name.replace("_", " "): value for name, value in weighted.items()}
        own = job.user, job.group, job.log_queue
        facts = *three, system.now, *own, usage, 0.5**usage, system.procs, system.free, extra, window
        return self.function(*map(float, facts))

    @property
    def by(self) -> str:
        """The criterion of sorting, in words."""
        if isinstance(self.order, Multifactor):
            counted = [name.replace("_", " ") for name in _WEIGHTS if getattr(self.order, name)]
            return ", ".join(["priority", *filter(None, [" + ".join(counted)])])
        if isinstance(self.order, Thresholded):
            others = Ranks(self.order.order, self.function).by
            return f"{others}, behind all that have waited for more than {length(int(self.order.seconds))}"
        if isinstance(self.order, str):
            return _BY.get(self.order, self.order)
        return getattr(self.order, "__name__", "<lambda>").replace("<lambda>", "the given function")

    def values(self, jobs: Sequence[Job], ranks: Sequence[float]) -> list[str] | None:
        """Write the ranks of jobs in words; None if the order needs none."""
        if self.order in ("arrival", "fcfs"):
            return None
        if isinstance(self.order, Multifactor):
            values = [f"{rank:.3f}" for rank in ranks]
            if len(jobs) > _FEW:
                return values
            made_of = (", ".join(f"{name} {value:.3f}" for name, value in job.factors.items()) for job in jobs)
            return [f"{value}: {factors}" for value, factors in zip(values, made_of, strict=True)]
        if isinstance(self.order, Thresholded):
            of_all = [rank if rank < math.inf else 0.0 for rank in ranks]
            values = Ranks(self.order.order, self.function).values(jobs, of_all) or [""] * len(jobs)
            return ["starved" if rank == math.inf else value for rank, value in zip(ranks, values, strict=True)]
        shown = _SHOWN.get(self.order) if isinstance(self.order, str) else None
        return [shown(rank) if shown else f"{rank:.3g}" for rank in ranks]
