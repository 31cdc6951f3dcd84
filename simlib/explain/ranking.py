"""The order of a queue, and in which words it is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._util.words import length, number
from ..policies.orders import Multifactor
from . import rules
from .system import Decisions, Job, System

FEW = 3
"""Of so many jobs it is told what their priorities are made of."""

BY = {
    "fcfs": "arrival",
    "arrival": "arrival",
    "sjf": "estimate, the shortest first",
    "wfp": "WFP, (wait / estimate)^3 x procs",
    "largest": "processors, the most first",
    "smallest area": "processors x estimate, the smallest first",
    "best-fit": "what they fill of the window until the shadow time, the most processor-seconds first",
}
"""The names of orders in words."""

SHOWN: dict[str, Callable[[float], str]] = {
    "sjf": lambda rank: length(int(-rank)),
    "largest": lambda rank: number(int(rank)),
    "smallest area": lambda rank: number(int(-rank)),
    "best-fit": lambda rank: number(int(rank)),
}
"""How the rank of a job is shown, if not as a decimal number."""


@dataclass
class Ranks:
    """An order of jobs, by which the largest rank comes first; ties by arrival."""

    order: Any
    function: Callable[..., float]

    def of(self, job: Job, system: System, estimate: int, extra: int = 0, window: int = 0) -> float:
        """Rank a job; `estimate` is the one in use, `extra` and `window` are known when jobs are backfilled."""
        three = float(system.now - job.submit), float(estimate), float(job.procs)
        if system.usage is None:
            return self.function(*three)
        usage = system.usage.times_its_share(job.account, system.now)
        if isinstance(self.order, Multifactor):
            job.factors = factors(self.order, *three[::2], usage, system.procs)
        own = job.user, job.group, job.log_queue
        told = *three, system.now, *own, usage, 0.5**usage, system.procs, system.free, extra, window
        return self.function(*map(float, told))

    @property
    def by(self) -> str:
        """What jobs are sorted by, in words."""
        if isinstance(self.order, Multifactor):
            counted = [name.replace("_", " ") for name in WEIGHTS if getattr(self.order, name)]
            return ", ".join(["priority", *filter(None, [" + ".join(counted)])])
        if isinstance(self.order, str):
            return BY[self.order]
        return getattr(self.order, "__name__", "<lambda>").replace("<lambda>", "the given function")

    def values(self, jobs: Sequence[Job], ranks: Sequence[float]) -> list[str] | None:
        """Show the ranks of jobs, in words; None where the order needs none."""
        if self.order in ("arrival", "fcfs"):
            return None
        if isinstance(self.order, Multifactor):
            return [_made_of(job, rank, len(jobs)) for job, rank in zip(jobs, ranks, strict=True)]
        shown = SHOWN.get(self.order) if isinstance(self.order, str) else None
        return [shown(rank) if shown else f"{rank:.3g}" for rank in ranks]


def sort_the_queue(system: System, order: Ranks) -> Decisions:
    """Sort the queue by falling priority, ties by arrival."""
    before = list(system.queue)
    for job in system.queue:
        job.priority = order.of(job, system, job.in_queue)
    system.queue.sort(key=lambda job: (-job.priority, job.arrival))
    if system.queue != before:
        values = order.values(system.queue, [job.priority for job in system.queue])
        yield rules.sorts, system.queue[0], system.queue, order.by, values


WEIGHTS = "age", "procs", "fair_share"


def factors(order: Multifactor, wait: float, procs: float, usage: float, machine: int) -> dict[str, float]:
    """Take apart the priority of a job: what age, size and fair share add to it, those that count."""
    max_age = order.max_age_days * 86400
    parts = min(wait / max_age, 1.0), procs / machine, 0.5**usage
    weighted = {name: getattr(order, name) * part for name, part in zip(WEIGHTS, parts, strict=True)}
    return {name.replace("_", " "): value for name, value in weighted.items() if getattr(order, name)}


def _made_of(job: Job, rank: float, count: int) -> str:
    if count > FEW:
        return f"{rank:.3f}"
    return f"{rank:.3f}: {', '.join(f'{name} {value:.3f}' for name, value in job.factors.items())}"
