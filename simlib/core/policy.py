"""The form of a policy and of its result."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd

from .._util.arrays import Bools, Ints

Feedback = tuple[Ints, Ints]
"""For each job the place of the one that it follows, -1 for none, and its think time in seconds."""

_COMPUTED = ("run", "end", "wait", "response", "bounded_slowdown")
"""Columns of a schedule that follow from others, so that no policy returns them."""

WHOSE = ("user", "group", "queue")
"""Columns of the jobs table that an order or a policy of one's own may ask for, besides times and sizes."""

_LATEST = 2**61  # beyond it the end of a job might not fit 64 bits


class Policy(Protocol):
    """An object that can be simulated: it has a method `schedule` (see `simlib.policies`). For annotations."""

    @property
    def schedule(self) -> Callable[..., Mapping[str, Any]]:
        """The method."""


def whose(jobs: pd.DataFrame) -> dict[str, Ints]:
    """Find the user, group and so on (`WHOSE`) of each job; -1 where the table has none."""
    return {name: jobs[name].to_numpy(np.int64) if name in jobs else np.full(len(jobs), -1) for name in WHOSE}


def check_names(where: str, policies: object, least: int = 1) -> None:
    """Check that policies have names, and that there are enough of them."""
    named = isinstance(policies, Mapping)
    if not (named and len(policies) >= least):  # type: ignore[arg-type]
        expected = "a dict by name, such as {'EASY': simlib.EASY(), ...}"
        expected += f", with at least {least}" * named
        raise ValueError(f"{where}: found policies={policies!r}, expected {expected}")


def checked_columns(returned: Any, policy: object, jobs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Check the form of a policy's result, and make arrays of it."""
    if not isinstance(returned, dict) or "start" not in returned:
        keys = ", ".join(map(repr, returned)) if isinstance(returned, dict) else ""
        what = f"a dict of {keys or 'nothing'}" if isinstance(returned, dict) else repr(returned)[:80]
        raise ValueError(f"{policy}: schedule returned {what}, expected a dict with 'start', the jobs' start times")
    kinds: dict[str, Callable] = {"start": _seconds, "submit": _seconds, "shadow": _seconds, "backfilled": _flags}
    columns = {}
    for name, values in returned.items():
        if name not in kinds and (name in _COMPUTED or name in jobs.columns):
            raise ValueError(f"{policy}: schedule returned a column {name!r}, expected another name: this one is taken")
        values = np.asarray(values)
        if values.shape != (len(jobs),):
            shape = (
                f"{len(values):,} value{'s' * (len(values) != 1)}"
                if values.ndim == 1
                else f"an array of shape {values.shape}"
            )
            raise ValueError(f"{policy}: {name}: found {shape}, expected one for each of the {len(jobs)} jobs")
        columns[name] = kinds[name](values, f"{policy}: {name}", jobs.index) if name in kinds else values.copy()
    return columns


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
    """Convert flags to bool; 1 and 0 are accepted."""
    if values.dtype != bool and not np.isin(values, (0, 1)).all():
        raise ValueError(f"{where}: found values such as {_first(values)}, expected True or False")
    return values.astype(bool)


def _first(values: np.ndarray) -> str:
    return repr(values[0].item() if isinstance(values[0], np.generic) else values[0])[:40] if len(values) else "none"
