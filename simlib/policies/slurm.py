"""Slurm's backfill scheduler, with its most important settings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import engine
from .._util.arrays import whole
from ..engine.ranking import Facts
from . import orders
from .easy import EVERYONE, Given, Ordered


@dataclass(frozen=True, repr=False)
class SlurmBackfill(Ordered):
    """Backfilling as Slurm's plugin sched/backfill does it: in cycles, to a depth, by a map of coarse time.

    The main scheduler acts whenever jobs arrive or end: it starts jobs from the head of the queue while they fit.

    A backfill cycle follows immediately under three conditions: jobs wait; at least `interval` seconds have passed
    since the last cycle; and a job has arrived, ended or started since that cycle began. If only the seconds are
    missing, the cycle takes place when they have passed. A cycle takes no time. It plans the first `depth` jobs of the
    queue, in their order:

    1. The start of a job is the earliest second, now or later, from which on enough processors are free until its end.
       Here ends are start + estimate, rounded up to a multiple of `resolution`.
    2. A job whose start is now starts. It holds its processors until its expected end, not rounded, as all jobs do that
       run.
    3. Another job is planned, and holds its processors from its start until its rounded end. If its start is not before
       the end of the window, now + `window` (both rounded down), it is not planned, and holds nothing.

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

    Raises
    ------
    ValueError
        For an unknown order, and for a number that is not whole and at least 1.

    References
    ----------
    Slurm, src/plugins/sched/backfill/backfill.c, commit 284c3b95f0. Defaults: lines 102 to 116; when a cycle takes
    place: 1252 to 1257 and 4117; depth: 2501; rounding: 1973 to 1981; window: 2390 and 4184. It rounds planned starts
    down, too, which makes no difference where ends are rounded up.

    Differences to Slurm: in Slurm only jobs for which the map has enough nodes somewhere count for the depth (line
    3233), and a cycle ends after bf_max_time or when the table of bf_node_space_size slots is full (2533, 3825). It
    plans nodes, not processors. A job that starts now must end before the slot in which a planned job starts, not with
    it (3157). Running jobs that end within 30 seconds of each other, and later ones within more, may count as one
    (src/plugins/select/cons_tres/job_test.c, 2744 to 2941). Here the main scheduler acts at once, so there is no
    sched_interval. Job arrays, preemption, licences, advance reservations and the limits of users and partitions are
    left out.

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

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("depth", "window", "resolution", "interval"):
            value = getattr(self, name)
            if not (name == "depth" and value == np.inf):
                whole("SlurmBackfill", name, value, 1)

    def _run(self, given: Given, facts: Facts | None) -> dict[str, np.ndarray]:
        depth = EVERYONE // 2 if self.depth == np.inf else int(self.depth)
        rules = depth, int(self.window), int(self.resolution), int(self.interval)
        order = self.order != "fcfs", self._pointer("order", facts), facts
        start, backfilled = engine.slurm_backfill(*given, *rules, *order)
        return {"start": start, "backfilled": backfilled}
