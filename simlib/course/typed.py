"""Read jobs that were typed into a table, and tell what is wrong with them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from .._util.words import number
from ..core.workload import Workload

LIMIT = 30
"""The most rows that a table to be edited can have."""

LONGEST = 10**9
"""The latest submit time and the longest time that can be typed in, seconds."""

FIELDS = {"submit": "submit [s]", "run": "run [s]", "procs": "processors", "estimate": "estimate [s]"}
"""The columns that can be edited, and their names on the page."""


def read(jobs: Mapping[Any, Sequence[object]], given: Workload) -> Workload:
    """Make a workload of jobs without a complaint, on the machine of another workload."""
    numbers = {job: [_whole(value) for value in values] for job, values in jobs.items()}
    return Workload(pd.DataFrame.from_dict(numbers, orient="index", columns=list(FIELDS)), given.procs, given.name)


def in_order(jobs: Mapping[Any, Sequence[object]], given: Workload) -> dict[Any, Sequence[object]]:
    """Put jobs in the order of the rows of their table, which a notebook's file does not keep: added ones come last."""
    first = [str(job) for job in given.jobs.index if str(job) in jobs]
    return {job: jobs[job] for job in [*first, *sorted(set(jobs) - set(first), key=lambda job: (len(job), job))]}


def complaints(jobs: Mapping[Any, Sequence[object]], machine: int) -> list[str]:
    """Tell what is wrong with jobs for a machine of so many processors, a sentence a number."""
    if not jobs:
        return ["There is no job: add one."]
    if len(jobs) > LIMIT:
        return [f"Found {len(jobs):,} jobs, expected at most {LIMIT}."]
    sentences = []
    for job, values in jobs.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != len(FIELDS):
            sentences.append(f"Job {job}: found {values!r}, expected {', '.join(FIELDS)}.")
        else:
            found = (complaint(job, field, value, machine) for field, value in zip(FIELDS, values, strict=True))
            sentences += [sentence for sentence in found if sentence]
    return sentences


def complaint(job: Hashable, field: str, value: object, machine: int) -> str | None:
    """Tell what is wrong with a number of a job, or return None."""
    least, most = (1, machine) if field == "procs" else (0, LONGEST)
    whole = _whole(value)
    if whole is not None and least <= whole <= most:
        return None
    found = "nothing" if isinstance(value, str) and not value.strip() else repr(value)
    limits = f"{number(least)} to {number(most)}"
    machine_size = ", the size of the machine" if field == "procs" else ""
    return f"Job {job}, {FIELDS[field]}: found {found}, expected a whole number from {limits}{machine_size}."


def _whole(value: object) -> int | None:
    """Read a whole number; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        return int(value)
    except ValueError:
        return None
