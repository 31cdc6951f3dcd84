"""Check what must hold of settings that several functions take; and of a schedule, whatever policy made it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._util.arrays import Bools, Ints

if TYPE_CHECKING:
    from .schedule import Schedule

COMPUTED = ("run", "end", "wait", "response", "bounded_slowdown")
"""Columns of a schedule that follow from others, so that no policy returns them."""

_LATEST = 2**61  # beyond it the end of a job might not fit 64 bits

MOST_SHAKEN = 10**9
"""Seconds, some thirty years: who moves submissions by more does not shake a log."""


def whole(where: str, name: str, found: object, least: int, most: int | None = None, why: str = "") -> None:
    """Check that a setting is a whole number of a range."""
    right = isinstance(found, (int, np.integer)) and not isinstance(found, bool)
    if not (right and least <= found and (most is None or found <= most)):  # type: ignore[operator]
        expected = f"a whole number of at least {least:,}" if most is None else f"a whole number, {least:,} to {most:,}"
        raise ValueError(f"{where}: found {name}={found!r}, expected {expected}{why}")


def shaking(where: str, seconds: object, seed: object) -> None:
    """Check by how many seconds submissions are moved, and the seed of that."""
    whole(where, "seconds", seconds, 0, MOST_SHAKEN)
    whole(where, "seed", seed, 0)


def by_name(where: str, policies: object, least: int = 1) -> None:
    """Check that policies have names, and that there are enough of them."""
    named = isinstance(policies, Mapping)
    if not (named and len(policies) >= least):  # type: ignore[arg-type]
        expected = "a dict by name, such as {'EASY': simlib.EASY(), ...}"
        expected += f", with at least {least}" * named
        raise ValueError(f"{where}: found policies={policies!r}, expected {expected}")


def is_own(policy: object) -> bool:
    """Tell whether a policy is one of this package, whose kernels are held to the reference by the tests."""
    return type(policy).__module__.partition(".")[0] == __package__.partition(".")[0]


def columns(returned: Any, policy: object, jobs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Check the form of what a policy returned, and make arrays of it."""
    if not isinstance(returned, dict) or "start" not in returned:
        keys = ", ".join(map(repr, returned)) if isinstance(returned, dict) else ""
        what = f"a dict of {keys or 'nothing'}" if isinstance(returned, dict) else repr(returned)[:80]
        raise ValueError(f"{policy}: schedule returned {what}, expected a dict with 'start', the jobs' start times")
    kinds: dict[str, Callable] = {"start": _seconds, "submit": _seconds, "shadow": _seconds, "backfilled": _flags}
    made = {}
    for name, values in returned.items():
        if name not in kinds and (name in COMPUTED or name in jobs.columns):
            raise ValueError(f"{policy}: schedule returned a column {name!r}, expected another name: this one is taken")
        values = np.asarray(values)
        if values.shape != (len(jobs),):
            shape = (
                f"{len(values):,} value{'s' * (len(values) != 1)}"
                if values.ndim == 1
                else f"an array of shape {values.shape}"
            )
            raise ValueError(f"{policy}: {name}: found {shape}, expected one for each of the {len(jobs)} jobs")
        made[name] = kinds[name](values, f"{policy}: {name}", jobs.index) if name in kinds else values.copy()
    return made


def _seconds(values: np.ndarray, where: str, names: pd.Index) -> Ints:
    """Times as int64."""
    if values.dtype.kind not in "iuf":
        raise ValueError(f"{where}: found values such as {_first(values)}, expected whole seconds")
    whole = np.isfinite(values) & (np.abs(values.astype(float)) < _LATEST)
    whole[whole] = values[whole] == values[whole].astype(np.int64)
    if not whole.all():
        place = int(np.flatnonzero(~whole)[0])
        raise ValueError(f"{where}: job {names[place]}: found {values[place]}, expected whole seconds")
    return values.astype(np.int64)


def _flags(values: np.ndarray, where: str, names: pd.Index) -> Bools:
    """True or false, for which 1 and 0 will do."""
    if values.dtype != bool and not np.isin(values, (0, 1)).all():
        raise ValueError(f"{where}: found values such as {_first(values)}, expected True or False")
    return values.astype(bool)


def _first(values: np.ndarray) -> str:
    return repr(values[0].item() if isinstance(values[0], np.generic) else values[0])[:40] if len(values) else "none"


def possible(schedule: "Schedule") -> None:
    """Check that the machine could have run a schedule: see `simlib.Schedule.check`."""
    jobs, where = schedule.jobs, f"{schedule.workload.name} under {schedule.policy}"
    submit, start, end = (jobs[name].to_numpy() for name in ("submit", "start", "end"))
    due = _due(schedule, end)
    if (early := start < submit).any():
        job = jobs[early].iloc[0]
        raise ValueError(
            f"{where}: job {job.name} starts at second {job.start:,}, before it is submitted; "
            f"expected {job.submit:,} or later"
        )
    if (moved := submit != due).any():
        place = int(np.flatnonzero(moved)[0])
        raise ValueError(
            f"{where}: job {jobs.index[place]} is submitted at second {submit[place]:,}, "
            f"expected {due[place]:,}" + (", the think time after the job it follows" * schedule.feedback)
        )
    _refuse_too_many(jobs, schedule.workload.procs, where)


def _due(schedule: "Schedule", end: Ints) -> Ints:
    """When each job must be submitted: as recorded, or a think time after the end of the job that it follows."""
    recorded = schedule.workload.jobs.submit.to_numpy()
    if not schedule.feedback:
        return recorded
    place, think = schedule.workload.followed()
    return np.where(place >= 0, end[place] + think, recorded)


def _refuse_too_many(jobs: pd.DataFrame, machine: int, where: str) -> None:
    """Raise where more processors are in use at once than there are; a job of no length holds none."""
    jobs = jobs[jobs.run > 0]
    times = np.concatenate([jobs.end, jobs.start])
    change = np.concatenate([-jobs.procs, jobs.procs])
    in_turn = np.argsort(times, kind="stable")  # at the same second ends come first
    in_use = np.cumsum(change[in_turn])
    if (in_use > machine).any():
        event = int(np.argmax(in_use > machine))
        job = jobs.index[in_turn[event] - len(jobs)]
        raise ValueError(
            f"{where}: job {job} starts at second {times[in_turn[event]]:,}, when {in_use[event]:,} processors are in "
            f"use with it: more processors than the machine has; expected at most {machine:,}"
        )
