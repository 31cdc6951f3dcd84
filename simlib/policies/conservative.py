"""Policies that plan ahead for more jobs than the head of the queue.

Conservative backfilling plans for all jobs, selective backfilling for slow ones, Slurm's backfill for the first ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from .. import engine
from .._util import checks
from ..engine.ranking import Facts
from ..plain import reserving
from ..plain.loop import Policy
from . import orders
from .easy import COUNT, Given, Ordered
from .outages import rows_of

_COMPRESS = {
    "arrival": engine.BY_ARRIVAL,
    "start": engine.BY_START,
    "none": engine.NO_COMPRESSION,
    "rebackfill": engine.REBACKFILL,
}

_ADAPTIVE = "adaptive"


@dataclass(frozen=True, repr=False)
class _WithOutages(Ordered):
    """A policy that plans around outages."""

    outages: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outages", rows_of(self.outages, type(self).__name__))
        super().__post_init__()

    def _taken(self, machine: int) -> dict[str, engine.Outages]:
        """What a kernel is told of outages; ValueError for one that takes more than the machine."""
        if self.outages is None:
            return {}
        for row, (_, _, procs, _) in enumerate(self.outages):
            if procs > machine:
                where = f"{type(self).__name__}: outages, row {row}"
                raise ValueError(f"{where}: found procs={procs:,}, expected at most {machine:,}, the whole machine")
        return {"outages": engine.outages_of(self.outages)}


@dataclass(frozen=True, repr=False)
class Conservative(_WithOutages):
    """Conservative backfilling: every job gets a reservation on arrival, and no job may delay it (MF section 2.1).

    A job with an estimate of 0 gets the earliest time at which its processors are free, but takes none of them: other
    jobs may reserve them for the same time. Then it starts beside these jobs on a full machine.

    If jobs need GPUs, a reservation takes processors and GPUs, from the first time at which both are free for the whole
    estimate.

    An outage that is known is like a reservation: a job whose estimate reaches into it starts only if enough is left
    beside it. Running jobs are not killed: an outage takes what is free, and the rest as jobs end. When one becomes
    known, all waiting jobs give up their reservations, and get new ones in the order of the queue, some perhaps later
    than their guarantee. In all measures the machine keeps its size: processors that are away count as idle.

    Parameters
    ----------
    compress : str
        When a job ends early, the queued jobs move forward one by one, in order of "arrival" (the text's rule) or of
        reserved "start". Two more options show why this is necessary: "none" keeps every reservation, and leaves
        processors idle that early ends freed; "rebackfill" makes all reservations again by arrival, and breaks
        guarantees.
    order : str or callable
        As for `simlib.EASY`: the order in which queued jobs move forward when a job ends early, instead of the order of
        arrival. It never gives a job a later reservation. Jobs that arrive at one instant get their reservations in
        this order.
    outages : DataFrame or list of rows, optional
        When which processors are away: `start` and `end` in seconds since the log's start, `procs`, and perhaps
        `known`, the second from which on the scheduler knows start and end. This is 0 where nothing is given, as for
        planned maintenance (Slurm's `sacctmgr show reservation`), and the start for a node that goes down (`sacctmgr
        show event`). Where rows overlap, their processors add up. GPUs stay.

    Raises
    ------
    ValueError
        For an unknown `compress` or `order`, and for an order with a `compress` other than "arrival"; for a table of
        outages without these columns, or with other than such whole numbers; for an outage of more than the machine.

    Examples
    --------
    When job A ends early, B starts 10 seconds before its guarantee.

    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 5, 2))
    >>> simlib.simulate(w, simlib.Conservative()).jobs[["guarantee", "start"]].loc["B"].to_list()
    [20, 10]

    A does not start before the maintenance of all processors, for its estimate reaches into it.

    >>> simlib.simulate(w, simlib.Conservative(outages=[(12, 50, 4)])).jobs.start.to_list()
    [50, 1]
    """

    promise: ClassVar[str] = "guarantee"
    reserves: ClassVar[bool] = True
    compress: str = "arrival"
    order: orders.Order = "fcfs"

    def __post_init__(self) -> None:
        checks.settings(self, compress=checks.one_of(*_COMPRESS))
        super().__post_init__()
        if self.order != "fcfs" and self.compress != "arrival":
            raise ValueError(
                f"Conservative: found compress={self.compress!r} with order={self.order!r}, which says in which order "
                "jobs move forward; expected one of the two"
            )

    def plain(self) -> Policy:
        """Make the policy for one run of `simlib.plain`."""
        if self.order == "fcfs":
            return partial(reserving.conservative, compress=self.compress)
        return partial(reserving.reserving, order=self._by())

    def _run(self, given: Given, facts: Facts | None, **gpus: Any) -> dict[str, np.ndarray]:
        rules = {"when_early": _COMPRESS[self.compress]} | self._queue(given, facts) | gpus | self._taken(given[4])
        start, guarantee, backfilled = engine.reserving(*given, **rules)
        return {"start": start, "backfilled": backfilled, "guarantee": guarantee}


@dataclass(frozen=True, repr=False)
class Selective(_WithOutages):
    """Backfilling with selective reservations: a job gets one when its expected slowdown reaches a threshold.

    The expected slowdown is the slowdown of the job if it starts now and runs for its estimate: (wait + estimate) /
    max(estimate, 10 s), at least 1, rounded to nine digits; the 10 seconds count in the divisor only. Each scheduling
    pass goes through the jobs in the order of the queue. A job that has reached the threshold, and has no reservation,
    gets the earliest one, as under conservative backfilling, and keeps it until it starts. When a job ends early,
    reservations move forward one by one in the order of the queue. Any other job starts if it fits from now until its
    expected end without touching a reservation. A job with an estimate of 0 takes no processors, as under conservative
    backfilling.

    Parameters
    ----------
    threshold : float or "adaptive"
        At 1 every job gets a reservation on arrival, which is conservative backfilling. At infinity no job does, and
        large jobs may starve. "adaptive" is the mean bounded slowdown of all jobs that have ended so far, initially 1.
    order : str or callable
        As for `simlib.EASY`.
    outages : DataFrame or list of rows, optional
        As for `simlib.Conservative`, and treated as there.

    Raises
    ------
    ValueError
        For an unknown threshold or order, and for wrong outages.

    References
    ----------
    S. Srinivasan, R. Kettimuthu, V. Subramani and P. Sadayappan, "Selective reservation strategies for backfill job
    scheduling", JSSPP 2002, LNCS 2537.

    Examples
    --------
    Job B has waited for its own length at second 11, and gets a reservation; C, which comes then, must not delay it.

    >>> import simlib
    >>> w = simlib.Workload.of("three jobs", 4, A=(0, 20, 20, 3), B=(1, 10, 10, 4), C=(11, 15, 15, 1))
    >>> simlib.simulate(w, simlib.Selective(2)).jobs.start.to_list()
    [0, 20, 30]
    """

    promise: ClassVar[str] = "shadow"
    reserves: ClassVar[bool] = True
    threshold: float | str = 2.0
    order: orders.Order = "fcfs"

    def __post_init__(self) -> None:
        slowdown, adaptive = checks.number("a number from 1 on", least=1, most=np.inf), checks.one_of(_ADAPTIVE)
        checks.settings(self, threshold=checks.either(slowdown, adaptive))
        super().__post_init__()

    def plain(self) -> Policy:
        """Make the policy for one run of `simlib.plain`."""
        return reserving.Selective(None if self.threshold == _ADAPTIVE else float(self.threshold), self._by())

    def _run(self, given: Given, facts: Facts | None, **gpus: Any) -> dict[str, np.ndarray]:
        threshold = engine.ADAPTIVE if self.threshold == _ADAPTIVE else float(self.threshold)
        rules = {"threshold": threshold} | self._queue(given, facts) | gpus | self._taken(given[4])
        start, shadow, backfilled = engine.reserving(*given, **rules)
        return {"start": start, "backfilled": backfilled, "shadow": shadow}


@dataclass(frozen=True, repr=False)
class SlurmBackfill(_WithOutages):
    """Backfilling as Slurm's plugin sched/backfill does it: in cycles, to a depth, by a map of coarse time.

    The main scheduler acts whenever jobs arrive or end: it starts jobs from the head of the queue while they fit.

    A backfill cycle follows immediately under three conditions: jobs wait; at least `interval` seconds have passed
    since the last cycle; and a job has arrived, ended or started since that cycle began. If only the seconds are
    missing, the cycle takes place when they have passed. A cycle takes no time. It plans the first `depth` jobs of the
    queue, in their order:

    1. The start of a job is the earliest second, now or later, from which on enough processors are free until its end,
       this second included: a job that ends when a planned one begins would delay it. Here ends are start + estimate
       + 1 s, rounded up to a multiple of `resolution`.
    2. A job whose start is now starts. It holds its processors until its expected end, not rounded, as all jobs do that
       run.
    3. Another job is planned, if fewer than `reservations` are, and holds its processors from its start until its end,
       rounded up. If its start is not before the end of the window, now + `window` (both rounded down), it is not
       planned, and holds nothing.

    A job whose user's running jobs leave it no room within `user_jobs` and `user_procs` is passed by both schedulers:
    it neither starts nor is planned, and jobs behind it may delay it. The main scheduler also passes a job that fits
    but would run into an outage that is known. In a cycle an outage counts as a planned job. A cycle also follows when
    an outage becomes known, begins or ends.

    The plan is forgotten when the cycle ends. So no job has a promise. Any job may delay a job that is not among the
    first `depth`, or that cannot start within the window. Multiples of `resolution` are those of the log's clock. In a
    cycle an estimate of 0 counts as one second.

    Parameters
    ----------
    order : str or callable
        As for `simlib.EASY`; for Slurm's own order use `simlib.Multifactor`. Ranks are updated whenever the scheduler
        acts.
    depth : int or float
        Slurm's bf_max_job_test; `math.inf` for no limit.
    window, resolution, interval : int
        Slurm's bf_window, bf_resolution and bf_interval, all in seconds (Slurm takes bf_window in minutes). The
        defaults are Slurm's.
    reservations : int or float
        Slurm's bf_job_part_count_reserve: how many jobs a cycle plans; `math.inf` for all, Slurm's 0.
    per_user : int or float
        Slurm's bf_max_job_user: a cycle looks at no more jobs of one user; others do not count for the depth. All jobs
        of unknown users belong to one user.
    user_jobs, user_procs : int or float
        Limits of a quality of service that all jobs have, MaxJobsPU and MaxTRESPU=cpu: how many jobs, and jobs on how
        many processors, of one user may run.
    outages : DataFrame or list of rows, optional
        As for `simlib.Conservative`.

    Raises
    ------
    ValueError
        For an unknown order, and for a number that is not whole and at least 1; for a job above `user_procs`; for wrong
        outages.

    References
    ----------
    Slurm, src/plugins/sched/backfill/backfill.c, commit 284c3b95f0. Defaults: lines 102 to 116; when a cycle takes
    place: 1252 to 1257 and 4117; depth: 2501; rounding: 1973 to 1981; window: 2390, 3702 and 4184; planned starts are
    rounded down (1978), and a job that starts now must end before one (3157); reservations: 2739 and 3805; jobs of a
    user: 1858 to 1898; limits: 2687 and 3776; a cycle after a change of nodes or reservations: 4117. A job that would
    run into a reservation of others is passed: src/slurmctld/job_scheduler.c, 1880 to 1897.

    Differences to Slurm: it plans nodes, not processors. Only jobs for which its map has enough nodes somewhere count
    for the depth (3233), and a cycle ends after bf_max_time or when the table of bf_node_space_size slots is full
    (2533, 3825), which 250 planned jobs may do. Running jobs that end within 30 seconds of each other, and later ones
    within more, may count as one (src/plugins/select/cons_tres/job_test.c, 2744 to 2941). Here the main scheduler acts
    at once, so there is no sched_interval, and one job that waits for processors closes the queue. A job over
    `user_procs` counts neither for the depth nor for its user. An outage takes any processors, not certain nodes; a job
    may not end in the slot in which one begins; and when a node that is down will be back is known. Job arrays,
    preemption, licences, advance reservations for users and other limits are left out.

    Examples
    --------
    C arrives 5 seconds after a cycle, and would delay nobody, but waits for the next one:

    >>> import simlib
    >>> rows = {"A": (0, 90, 90, 3), "B": (1, 60, 60, 4), "C": (6, 10, 10, 1)}
    >>> w = simlib.Workload.of("three jobs", 4, **rows)
    >>> simlib.simulate(w, simlib.SlurmBackfill()).jobs.start.to_list()
    [0, 90, 31]
    """

    order: orders.Order = "fcfs"
    depth: float = 500
    window: int = 86400
    resolution: int = 60
    interval: int = 30
    reservations: float = math.inf
    per_user: float = math.inf
    user_jobs: float = math.inf
    user_procs: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        seconds = checks.whole_number(1, checks.LATEST, " of seconds")
        checks.settings(self, depth=COUNT, window=seconds, resolution=seconds, interval=seconds, reservations=COUNT)
        checks.settings(self, per_user=COUNT, user_jobs=COUNT, user_procs=COUNT)

    @property
    def limits(self) -> tuple[float, float, float]:
        """The limits of a user: jobs and processors that run, and jobs that a cycle looks at."""
        return self.user_jobs, self.user_procs, self.per_user

    @property
    def _asks_for_more(self) -> bool:
        """Whether it reads more than times and sizes: who the users are, where they have limits."""
        return min(self.limits) < math.inf or super()._asks_for_more

    def plain(self) -> Policy:
        """Make the policy for one run of `simlib.plain`."""
        cycles = self.depth, self.window, self.resolution, self.interval
        return reserving.Slurm(self._by(), *cycles, self.reservations, self.per_user, self.user_jobs, self.user_procs)

    def _run(self, given: Given, facts: Facts | None, **gpus: Any) -> dict[str, np.ndarray]:
        depth, *most = (
            int(min(count, engine.EVERYONE // 2)) for count in (self.depth, *self.limits, self.reservations)
        )
        rules = depth, int(self.window), int(self.resolution), int(self.interval)
        if (largest := given[3].max(initial=0)) > self.user_procs:
            raise ValueError(f"{self!r}: found a job of {largest:,} processors, expected none above user_procs")
        limits: dict[str, Any] = self._queue(given, facts) | gpus | self._taken(given[4])
        if min(*self.limits, self.reservations) < math.inf:
            limits["users"] = engine.limited_users(np.zeros_like(given[3]) if facts is None else facts.user, most)
        start, backfilled = engine.slurm_backfill(*given, *rules, **limits)
        return {"start": start, "backfilled": backfilled}
