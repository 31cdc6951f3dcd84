"""Orders of jobs by functions of facts, and recent use of the machine by account."""

import inspect
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from .decisions import Note
from .machine import Job, Machine, Queue, _set

FACTS: dict[str, Callable[..., Any]] = {
    "wait": lambda job, machine, *_: machine.now - job.submit,
    "estimate": lambda job, machine, estimate, *_: estimate,
    "procs": lambda job, *_: job.procs,
    "submit": lambda job, *_: job.submit,
    "now": lambda job, machine, *_: machine.now,
    "user": lambda job, *_: job.user,
    "group": lambda job, *_: job.group,
    "queue": lambda job, *_: job.queue,
    "usage": lambda job, machine, *_: machine.usage.share(job, machine),
    "fair_share": lambda job, machine, *_: 0.5 ** machine.usage.share(job, machine),
    "machine": lambda job, machine, *_: machine.procs,
    "free": lambda job, machine, *_: machine.free,
    "extra": lambda job, machine, estimate, extra, window: extra,
    "window": lambda job, machine, estimate, extra, window: window,
}
"""What an order may ask for by the names of its parameters: see `simlib.policies.orders`."""

CHANGING = {"wait", "now", "usage", "fair_share", "free"}
"""Those that change while a job waits."""


class Order:
    """An order of jobs by a function of facts: the largest value comes first, ties by arrival."""

    def __init__(self, function: Callable[..., float], setting: Any = None) -> None:
        self.setting = setting  # what the user asked for
        names = [name for name in inspect.signature(function).parameters if name in FACTS]
        self.function, self.names, self.changes = function, names, not CHANGING.isdisjoint(names)
        self.facts = [FACTS[name] for name in names]

    def rank(self, job: Job, machine: Machine, estimate: int, extra: int = 0, window: int = 0) -> float:
        """Rank a job; `estimate` is the one that counts here, `extra` and `window` are known in backfilling."""
        values = [float(fact(job, machine, estimate, extra, window)) for fact in self.facts]
        try:
            rank = self.function(**dict(zip(self.names, values, strict=True)))
        except ArithmeticError:  # as where it is compiled: 1 / 0 is infinite
            with np.errstate(all="ignore"):
                rank = self.function(
                    **{name: np.float64(value) for name, value in zip(self.names, values, strict=True)}
                )
        if math.isnan(rank):
            said = ", ".join(f"{name}={value:g}" for name, value in zip(self.names, values, strict=True))
            raise ValueError(f"job {job.number}: the order returned {rank} for {said}; expected a number")
        return rank


def sort(queue: Queue, machine: Machine, order: Order) -> Iterator[Note]:
    """Sort the queue by falling rank, ties by arrival."""
    before = queue[:]
    new = [job for job in before if order.changes or job.rank is None]
    for job in new:
        _set(job, "rank", order.rank(job, machine, job.in_queue))
    if new:
        queue.sort(key=lambda job: (-job.rank, job.arrival))
    if machine.heard and queue[:] != before:
        yield Note("sorts by an order", queue[:], {"order": order})


class Usage:
    """Recent use of the machine by account, half of which is forgotten in each half-life (Slurm's fair share)."""

    def __init__(self, accounts: int, half_life: float = 7 * 86400.0, account: str = "user") -> None:
        self.accounts, self.half_life, self.account = accounts, half_life, attrgetter(account)
        self.had: dict[int, tuple[float, int]] = defaultdict(lambda: (0.0, 0))  # of ended jobs, up to a second
        self.now: int | None = None
        self.used: dict[int, float] = {}
        self.total = 0.0

    def faded(self, seconds: int) -> float:
        """What is forgotten of something after so many seconds."""
        return -math.expm1(-seconds / self.half_life * math.log(2))

    def learn(self, ended: Sequence[Job]) -> None:
        """Remember what jobs have used that have ended."""
        self.now = None
        for job in ended:
            had, since = self.had[self.account(job)]
            rest = had * 0.5 ** ((job.end - since) / self.half_life)
            self.had[self.account(job)] = rest + job.procs * self.faded(job.end - job.start), job.end

    def share(self, job: Job, machine: Machine) -> float:
        """The use of a job's account in multiples of an equal share of all, to nine digits."""
        if self.now != machine.now:
            self.now = machine.now
            self.used = {one: had * 0.5 ** ((machine.now - at) / self.half_life) for one, (had, at) in self.had.items()}
            for other in machine._running:
                account = self.account(other)
                self.used[account] = self.used.get(account, 0.0) + other.procs * self.faded(machine.now - other.start)
            self.total = sum(self.used.values())
        used = self.used.get(self.account(job), 0.0)
        return round(used / self.total * self.accounts * 1e9) / 1e9 if self.total > 0 else 0.0
