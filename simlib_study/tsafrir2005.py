"""Tsafrir, Etsion & Feitelson, Hebrew University 2005: the logs, what is measured of them, and the printed numbers."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Bools, Ints
from simlib.analysis.predictions import accuracy
from simlib.core.schedule import Schedule
from simlib.plain.easy import fcfs
from simlib.plain.machine import Job, Machine, Queue
from simlib.policies.examples_own import LastTwo

from . import judging, loading
from .loading import Logs

TRACES = tuple(row["name"] for row in loading.settings("tsafrir2005"))
"""In the order of the paper's tables."""

WARM_UP = 0.01
"""Of the jobs in the order of their ends, the share that does not count (section 2)."""


def logs(names: Sequence[str] = TRACES) -> Logs:
    """Take the paper's logs, cleaned as in the paper, as far as they are on this machine; else twins."""
    rows = [row for name in names for row in loading.settings("tsafrir2005") if row["name"] == name]
    here, absent = loading.take(rows, twin="KTH-SP2")
    return Logs({row["name"]: workload for row, _, workload in here}, absent=[row["name"] for row in absent])


def counted(schedule: Schedule) -> Bools:
    """Tell which jobs count: all but the first of those that end."""
    end = schedule.column("end")
    counts = np.ones(len(end), bool)
    counts[np.argsort(end, kind="stable")[: int(WARM_UP * len(end))]] = False
    return counts


def performance(schedule: Schedule) -> pd.Series:
    """Measure the mean wait in minutes, the mean bounded slowdown, and the accuracy of the predictions in per cent."""
    counts = counted(schedule)
    return pd.Series(
        {
            "wait_min": schedule.column("wait")[counts].mean() / 60,
            "bounded_slowdown": schedule.column("bounded_slowdown")[counts].mean(),
            "accuracy_pct": 100 * accuracy(schedule)[counts].mean(),
        }
    )


def reservations(schedule: Schedule, made: Any = None) -> pd.DataFrame:
    """Measure how far from its first reservation each job starts that waits and is not backfilled (Tables 5 and 6).

    One that becomes the head of the queue and starts in the same pass has a reservation for that moment: so the printed
    rates come out. Reservations are the schedule's, or were `made` otherwise, by job, -1 for none. By `table`,
    "difference" either way and "delay": the `rate` in per cent of all jobs; `average`, `median` and `sd` in minutes.
    """
    made = schedule.shadow if made is None else made
    if made is None:
        raise ValueError(f"reservations: found a schedule under {schedule.policy}, expected one under EASY")
    start, first = schedule.column("start"), np.asarray(made)
    waited = counted(schedule) & (schedule.column("wait") > 0) & ~schedule.column("backfilled")
    late = ((start - np.where(first >= 0, first, start)) / 60)[waited]
    rows = {}
    for table, minutes in (("difference", np.abs(late)), ("delay", late[late > 0])):
        known = pd.Series(minutes, dtype=float)
        rows[table] = {"rate": 100 * len(known) / counted(schedule).sum(), "average": known.mean()}
        rows[table] |= {"median": known.median(), "sd": known.std(ddof=0)}
    return pd.DataFrame(rows).T.rename_axis("table")


def performance_and_averages(schedule: Schedule) -> pd.Series:
    """Measure performance, and the average difference and delay of `reservations`."""
    return pd.concat([performance(schedule), reservations(schedule)["average"].add_prefix("average ")])


def late_shares(schedule: Schedule) -> pd.Series:
    """Measure in per cent which share of the jobs starts after its first reservation, and after its second one."""
    made = {"first": None, "second": by_estimates(schedule)}
    return pd.Series({name: reservations(schedule, of)["rate"]["delay"] for name, of in made.items()})


def by_estimates(schedule: Schedule) -> Ints:
    """Work out the second reservations of double booking, by the users' estimates (section 5.2); -1 where none is.

    A job has one when it waits at the head of the queue, as all who came before it have started: under any policy that
    reserves in order of arrival. Estimates that running jobs outlive are not corrected, as under the paper's EASY.
    """
    workload, start, end = schedule.workload, schedule.column("start"), schedule.column("end")
    procs, requested = workload.jobs.procs.to_numpy(), workload.jobs.estimate.clip(lower=1).to_numpy()
    begins = np.maximum(schedule.column("submit"), np.maximum.accumulate(np.append(0, start[:-1])))
    made, by_start, seen = np.full(len(start), -1), np.argsort(start, kind="stable"), 0
    running = np.empty(0, int)
    for job in np.flatnonzero(start > begins):
        now = begins[job]
        before = by_start[seen : np.searchsorted(start, now, sorter=by_start)]
        seen += len(before)
        running = np.append(running, before)
        running = running[end[running] > now]
        together = by_start[seen : np.searchsorted(start, now, "right", sorter=by_start)]
        there = np.append(running, together[(together < job) & (end[together] > now)])  # later ones are backfilled
        expected = start[there] + requested[there]
        order = np.argsort(expected, kind="stable")
        free = workload.procs - procs[there].sum() + np.cumsum(procs[there][order])
        made[job] = expected[order][np.searchsorted(free, procs[job])]
    return made


def by_changes(printed: pd.DataFrame, names: str) -> pd.DataFrame:
    """Work printed numbers, by run, log and policy, out of EASY's and the changes, which were taken before rounding."""
    places: Any = printed.index
    changed = judging.printed(names).unstack("metric").reindex(places.droplevel("run")).set_axis(places)
    easy = printed.xs("EASY", level="policy").reindex(places.droplevel("policy")).set_axis(places)
    return (easy * (1 + changed / 100)).reindex(columns=printed.columns).combine_first(printed)


def on_each(measured: pd.Series) -> dict[str, pd.Series]:
    """Lay out a Series by log and run, or by log, policy and run, for `study.claim`: by log, or log and policy."""
    others = [level for level in measured.index.names if level != "run"]
    return {" ".join(map(str, levels)): of.droplevel(others) for levels, of in measured.groupby(others, sort=False)}


def predicted_order(queue: Queue, machine: Machine) -> Iterator[Any]:
    """Do as EASY-SJBF, but try the jobs in the order of their predictions (section 5.2)."""
    yield from fcfs(queue, machine)
    if not queue:
        return
    head, shadow, left = queue[0], machine.now, machine.free
    for end, procs in sorted((job.start + job.requested, job.procs) for job in machine.running):
        if head.procs <= left and end > shadow:
            break
        shadow, left = max(shadow, end), left + procs
    extra = left - head.procs
    for job in sorted(queue[1:], key=lambda job: job.estimate):
        in_time = machine.now + job.requested <= shadow
        if machine.fits(job) and (in_time or job.procs <= extra):
            extra -= 0 if in_time else job.procs
            yield job


class Window(LastTwo):
    """Predict the mean run time of the user's jobs in a window, and correct as EASY++ does: the choices of section 6.

    The `kind` holds the last two that have ended, of "all"; of the same estimate, "extended"; or, "immediate", of all
    if their estimates are the same; "submitted" takes the last two submitted, as far as they have ended. A `full`
    window has both, or the user's estimate stands; the `longest` may predict in place of the mean.
    """

    def __init__(self, kind: str, full: bool = False, longest: bool = False) -> None:
        super().__init__()
        self.kind, self.full, self.longest = kind, full, longest
        self.of_user: dict[int, list[Job]] = {}  # by user, the jobs in the order of their submission
        self.run: dict[Any, int] = {}  # by job that has ended

    def arrival(self, job: Job, now: int) -> dict[Any, int]:
        """Predict from the window."""
        mine = self.of_user.setdefault(job.user, []) if job.user >= 0 else []
        latest = mine[-2:] if self.kind == "submitted" else mine
        known: Iterable[Job] = (one for one in reversed(latest) if one.number in self.run)
        if self.kind == "extended":
            known = (one for one in known if one.requested == job.requested)
        if self.kind == "immediate":
            known = takewhile(lambda one: one.requested == job.requested, known)
        runs = [self.run[one.number] for one in islice(known, 2)]
        mine.append(job)
        if not runs or (self.full and len(runs) < 2):
            return {job.number: max(job.requested, 1)}
        predicted = max(runs) if self.longest else sum(runs) // len(runs)
        return {job.number: max(min(predicted, job.requested), 1)}

    def finish(self, job: Job, now: int) -> None:
        """Remember the run time."""
        self.run[job.number] = job.run
