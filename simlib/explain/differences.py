"""Find where two schedules of the same jobs part, and why."""

from dataclasses import dataclass

import numpy as np

from ..core.schedule import Schedule


@dataclass(frozen=True)
class Difference:
    """Say where two schedules of the same jobs part, and why; printed, in words."""

    job: object
    time: int
    starts: tuple[int, int]
    text: str

    def __str__(self) -> str:
        return self.text


def first_difference(one: Schedule, other: Schedule) -> Difference | None:
    """Find the first job that two schedules start at different times, and say why.

    Hold your own policy against one that is known to be right: the same jobs, the reference or a compiled policy.
    """
    a, b = one.jobs, other.jobs
    same = a.index.equals(b.index) and a[_GIVEN].equals(b[_GIVEN]) and one.workload.procs == other.workload.procs
    if not same:
        raise ValueError(
            f"first_difference: found schedules of {one.workload!r} and {other.workload!r}, "
            "expected two of the same jobs and run times on the same machine"
        )
    differ = np.flatnonzero(a.start.to_numpy() != b.start.to_numpy())
    if not len(differ):
        return None
    earlier = np.minimum(a.start.to_numpy(), b.start.to_numpy())
    place = differ[earlier[differ].argmin()]  # the first of them by arrival
    time, job = int(earlier[place]), a.index[place]
    starts = int(a.start.iloc[place]), int(b.start.iloc[place])
    return Difference(job, time, starts, _in_words(one, other, place, time, starts))


_GIVEN = ["run", "estimate", "procs"]


def _in_words(one: Schedule, other: Schedule, place: int, time: int, starts: tuple[int, int]) -> str:
    """Say of the job at a place in the table when it starts in each schedule, and what decided it."""
    from .._util.words import jobs, length, number, processors
    from .waiting import decided  # which is not needed to schedule

    its = one.jobs.iloc[place]
    names = [str(schedule.policy) for schedule in (one, other)]
    names = names if names[0] != names[1] else ["the first", "the second"]
    until = int((one.jobs.start < time).sum())
    who = f"{jobs([its.name])} ({processors(its.procs)}, estimate {length(max(its.estimate, its.run))})"
    lines = [
        f"Until second {number(time)} both schedules start the same {until:,} jobs at the same times. Then they part "
        f"at {who}, submitted at {number(its.submit)}: "
        f"{names[0]} starts it at {number(starts[0])}, {names[1]} at {number(starts[1])}."
    ]
    for name, schedule in zip(names, (one, other), strict=True):
        said = decided(schedule, its.name, time)
        lines += [f"{name}: {sentence}" for sentence in said]
    return "\n".join(lines)
