"""Who pays for a shorter mean wait: four measures, waits by request and by size, and processors idle meanwhile."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.arrays import Ints
from simlib._util.words import time
from simlib.core.metrics import class_name, in_use, size_class
from simlib.core.schedule import Schedule

from .facts import RECORDED, share

ALLOWED = 10.0
"""By so many per cent each measure may get worse under a policy that is recommended, unless the reader says else."""

MEAN, BY_WORK, LONGEST, LATE = "mean wait", "wait weighted by work", "longest wait", "late jobs"
MEASURES = (MEAN, BY_WORK, LONGEST, LATE)
"""What must not get worse."""

LEAST = 30
"""Of fewer jobs a group has no percentile worth showing."""

_LATE = 0.99

_HOUR = 3600

_LENGTHS = {1: "up to 1 hour", 4: "1 to 4 hours", 12: "4 to 12 hours", 24: "12 to 24 hours", 48: "1 to 2 days"}
"""Classes of requests by their upper ends in hours; longer ones are in another."""


def measured(schedule: Schedule, late: float) -> dict[str, float]:
    """Measure what may get worse; the waits of at least `late` seconds are late."""
    wait, work = schedule.column("wait"), work_of(schedule)
    by_work = float(np.average(wait, weights=work)) if work.any() else 0.0
    return {
        MEAN: float(wait.mean()),
        BY_WORK: by_work,
        LONGEST: float(wait.max()),
        LATE: float((wait >= late).mean()),
    }


def late_from(base: Schedule) -> float:
    """Find the wait that one job in a hundred exceeds under the base."""
    return float(np.quantile(base.column("wait"), _LATE, method="inverted_cdf"))


def grown(base: Schedule, other: Schedule, least: float) -> list[tuple[str, float, float]]:
    """List the measures that grow by more than so many per cent, with their values, those that grow most first."""
    late = late_from(base)
    before, after = (measured(one, late) for one in (base, other))
    pairs = [(what, before[what], after[what]) for what in before if after[what] > before[what] * (1 + least / 100)]
    return sorted(pairs, key=lambda pair: -pair[2] / max(pair[1], 1e-9))


def refusals(made: Mapping[str, Schedule], base: str, allowed: float) -> dict[str, list[str]]:
    """List by policy what gets worse by more per cent than is allowed, for those with the jobs of the base."""
    jobs = len(made[base].workload)
    others = [name for name in made if name not in (base, RECORDED) and len(made[name].workload) == jobs]
    found = {name: [what for what, _, _ in grown(made[base], made[name], allowed)] for name in others}
    return {name: what for name, what in found.items() if what}


def work_of(schedule: Schedule) -> np.ndarray:
    """The processor-seconds of each job."""
    return schedule.column("run") * schedule.column("procs").astype(float)


def idle_while_waiting(schedule: Schedule) -> float:
    """Sum up the processor-seconds that are idle while a job waits."""
    submit, start, end, procs = (schedule.column(name) for name in ("submit", "start", "end", "procs"))
    waits = start > submit
    times, used, _ = in_use(start, end, procs)
    at, waiting, _ = in_use(submit[waits], start[waits], np.ones(int(waits.sum()), np.int64))
    edges = np.sort(np.concatenate([times, at]))  # `unique` hashes, which is slower
    idle = schedule.workload.procs - _values(times, used, edges)
    return float((idle.clip(0) * (_values(at, waiting, edges) > 0))[:-1] @ np.diff(edges))


def _values(times: Ints, values: Ints, at: Ints) -> Ints:
    """The values of steps at points in time, 0 before the first step."""
    return np.concatenate([[0], values])[np.searchsorted(times, at, side="right")]


def cost(base: Schedule, other: Schedule) -> list[str]:
    """Say what a change of the machine or of the jobs costs, in processor-hours; nothing if it costs nothing."""
    said = []
    if more := other.workload.procs - base.workload.procs:
        hours = more * (base.column("end").max() - base.column("submit").min()) / _HOUR
        count = f"{abs(more):,} {'more' if more > 0 else 'fewer'} processor{' is' if abs(more) == 1 else 's are'}"
        said.append(f"{count} {abs(hours):,.0f} processor-hours in the time of the log.")
    work, left = work_of(base).sum(), work_of(other).sum()
    if left < work:
        said.append(f"{(work - left) / _HOUR:,.0f} processor-hours of work are not done, {share(1 - left / work)}.")
    return said


# The waits by request and by size


def by_request(schedules: Mapping[str, Schedule]) -> pd.DataFrame:
    """Put median, late and longest waits into a table for readers: a row for each class of requests and policy."""
    hours = next(iter(schedules.values())).column("estimate") / _HOUR
    classes = np.searchsorted(list(_LENGTHS), hours)
    names = [f"jobs that request {length}" for length in (*_LENGTHS.values(), "over 2 days")]
    return _by_class(schedules, classes, dict(enumerate(names)))


def by_size(schedules: Mapping[str, Schedule]) -> pd.DataFrame:
    """Put median, late and longest waits into a table for readers: a row for each class of sizes and policy."""
    classes = size_class(next(iter(schedules.values())).column("procs"))
    names = {int(upper): class_name(int(upper)) for upper in np.unique(classes)}
    named = {upper: f"jobs of {name} processor{'s' if upper > 1 else ''}" for upper, name in names.items()}
    return _by_class(schedules, classes, named)


def _by_class(schedules: Mapping[str, Schedule], classes: np.ndarray, names: Mapping[int, str]) -> pd.DataFrame:
    """The waits in seconds of each class with enough jobs."""
    rows = {}
    for number, name in names.items():
        inside = classes == number
        if inside.sum() >= LEAST:
            for policy, one in schedules.items():
                wait = one.column("wait")[inside]
                rows[name, policy] = [len(wait), *np.quantile(wait, [0.5, 0.95, 1], method="inverted_cdf")]
    index = pd.MultiIndex.from_tuples(list(rows), names=["class", "policy"]) if rows else None
    return pd.DataFrame(list(rows.values()), index, ["jobs", "half", "late", "longest"])


def waits_said(table: pd.DataFrame) -> pd.DataFrame | None:
    """Write a table of `by_request` or `by_size`: a row for each class, two columns for each measure."""
    if table.empty:
        return None
    policies = list(table.index.unique("policy"))
    rows: dict[str, dict[str, str]] = {}
    for name in table.index.unique("class"):
        of: Any = table.loc[name]
        rows[name] = {"jobs": f"{of.jobs.iloc[0]:,.0f}"} | {
            f"{column}, {policy}": time(of.at[policy, measure], short=True)
            for column, measure in (("half", "half"), ("1 in 20", "late"), ("longest", "longest"))
            for policy in policies
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def most_lost(table: pd.DataFrame, base: str, policy: str, allowed: float) -> tuple[str, float, float] | None:
    """Find the class whose late wait grows most, if by more than is allowed and ten minutes; also the two waits."""
    if table.empty:
        return None
    late: Any = table.late.unstack()
    grows = late[policy] - late[base]
    grows = grows[(grows > late[base] * allowed / 100) & (grows > 600)]
    if grows.empty:
        return None
    most = grows.idxmax()
    return str(most), float(late.at[most, base]), float(late.at[most, policy])
