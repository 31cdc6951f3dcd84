"""Make cases of a comparison from a few words: another machine, other jobs, other options of a policy."""

import re
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from simlib._util.words import duration
from simlib.analysis.cases import Case
from simlib.core import estimates
from simlib.core.schedule import Policy
from simlib.core.workload import Workload
from simlib.policies.adjusting import Adjustment, Scheme
from simlib.policies.conservative import SlurmBackfill
from simlib.policies.easy import EASY

ADJUSTED = Adjustment(Scheme(key="user+estimate", window="1 month", percentile=85, threshold=0.5), running=False)
"""Tang's adjustment with what every log of a cluster has: similar are jobs of one user with the same request."""

FORMS = {
    "procs 512": "the machine has 512 processors; also +64, -64, +20% or -20% of what it has",
    "limit 12h cut": "jobs that ask for more than 12 hours ask for 12, and run for 12 at most",
    "limit 12h refuse": "jobs that ask for more than 12 hours are not taken",
    "estimates exact": "users know how long their jobs run",
    "estimates x2": "users ask for twice as much",
    "adjusted": "the system shortens requests by what a user's similar jobs used of theirs",
    "reservations 5": "the first five waiting jobs have a reservation",
    "depth 100": "Slurm's backfill looks at 100 waiting jobs",
    "window 1 day": "Slurm's backfill plans a day ahead",
    "resolution 60": "Slurm's backfill plans in steps of 60 seconds",
    "interval 30": "Slurm's backfill runs every 30 seconds",
    "per user 5": "Slurm's backfill looks at five jobs of each user",
    "user jobs 10": "Slurm's backfill, and at most ten jobs of a user run (MaxJobsPU)",
    "user procs 512": "Slurm's backfill, and jobs of a user run on at most 512 processors (MaxTRESPU=cpu)",
}
"""What can be asked, and what it means."""

_SIZE = r"([+-]?)(\d{1,9})(%?)"


def what_if(text: str, base: Case = EASY()) -> tuple[str, Case]:  # noqa: B008, which never changes
    """Make a case from a question such as "procs +20%": what would the base do then?

    Parameters
    ----------
    text : str
        Such as "procs +20%" or "limit 12h refuse"; `what_if("")` raises an error that lists all. Times have a unit,
        such as 90min, 12h or 2 days.

        *procs 512*: larger jobs take no part; jobs that were too large before stay out. GPUs do not change.

        *limit 12h cut*: the rest of a longer job is lost: nobody submits it again. A job without a request requests its
        run time, here and where longer jobs are refused.

        *adjusted* (`ADJUSTED`): for the order of the queue and for backfilling, an estimate is multiplied by the 85th
        percentile of the used shares of the user's jobs with the same request, at least ten in the month before, but
        not by less than a half. Only EASY supports this; *reservations 5* EASY and Slurm's backfill.

        *depth 100* to *user procs 512*: options of `simlib.SlurmBackfill`. If the base is another policy, the case is
        Slurm's backfill with the base's order and the defaults of the other options.
    base : Case
        The case to change: the new case is the base with the change. So you can combine several changes.

    Returns
    -------
    name : str
    case : Case

    Raises
    ------
    ValueError
        For any other text; the message lists the forms. For a base that does not support the change.

    Examples
    --------
    >>> import simlib
    >>> cases = {"EASY": EASY()} | dict([what_if("procs +20%"), what_if("limit 12h refuse")])
    >>> found = simlib.compare(simlib.load("sample"), cases, shakes=4, by=["all"])
    >>> found.taking_part[["both", "base only"]].to_numpy().tolist()
    [[6000, 0], [5126, 874]]
    """
    policy, *changes = base if isinstance(base, tuple) else (base,)
    words = str(text).split()
    match words:
        case ["procs", size] if re.fullmatch(_SIZE, size) and (size[0] in "+-" or size[-1] != "%"):
            changes.append(partial(on_machine, size=size))
        case ["limit", *length, ("cut" | "refuse") as how] if seconds := _seconds(length):
            changes.append(partial(limited, seconds=seconds, refuse=how == "refuse"))
        case ["estimates", "exact"]:
            changes.append("exact")
        case ["estimates", factor] if (number := re.fullmatch(r"x(\d{1,9}(?:\.\d{1,9})?)", factor)) and float(
            number[1]
        ):
            changes.append(estimates.Scaled(float(number[1])))
        case ["adjusted"]:
            policy = _easy(text, policy, adjust=ADJUSTED)
        case ["reservations", number] if number.isdecimal():
            of_slurm = isinstance(policy, SlurmBackfill)
            policy = (_slurm if of_slurm else partial(_easy, text))(policy, reservations=int(number))
        case ["user", "jobs" | "procs" as what, number] if number.isdecimal():
            policy = _slurm(policy, **{f"user_{what}": int(number)})
        case ["per", "user", number] if number.isdecimal():
            policy = _slurm(policy, per_user=int(number))
        case ["depth" | "resolution" | "interval" as option, number] if number.isdecimal():
            policy = _slurm(policy, **{option: int(number)})
        case ["window", *length] if seconds := _seconds(length):
            policy = _slurm(policy, window=seconds)
        case _:
            forms = "\n".join(f"  {form:16}  {meaning}" for form, meaning in FORMS.items())
            raise ValueError(f"what if: found {text!r}, expected one of these, with other numbers:\n{forms}")
    return " ".join(words), (policy, *changes) if changes else policy


def _seconds(words: list[str]) -> int:
    """The seconds of a time with a unit; 0 if it is none."""
    text = " ".join(words)
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})? ?[a-z]+", text):
        return 0
    try:
        return round(pd.Timedelta(text).total_seconds())
    except ValueError:
        return 0


def _easy(text: str, policy: Policy, **options: Any) -> EASY:
    """EASY with another option."""
    if not isinstance(policy, EASY):
        raise ValueError(f"what if: found {text!r} with {policy}, expected EASY, the one policy that can do that")
    return replace(policy, **options)


def _slurm(policy: Policy, **option: Any) -> Policy:
    """Slurm's backfill with another option; times are in seconds."""
    if isinstance(policy, SlurmBackfill):
        return replace(policy, **option)
    return SlurmBackfill(order=getattr(policy, "order", "fcfs"), **option)


def on_machine(workload: Workload, size: str) -> Workload:
    """Put a workload on a machine of another size, such as "512", or "+20%" of the present size."""
    sign, number, per_cent = re.fullmatch(_SIZE, size).groups()  # type: ignore[union-attr]
    change = int(number) * (workload.procs / 100 if per_cent else 1)
    if sign:
        return workload.with_procs(int(workload.procs + (change if sign == "+" else -change) + 0.5))
    return workload.with_procs(int(number))


def limited(workload: Workload, seconds: int, refuse: bool) -> Workload:
    """Limit the requests of jobs: jobs with longer requests are refused, or else cut to the limit."""
    jobs = workload.jobs
    over = jobs.estimate > seconds
    which = f"{over.sum():,} jobs that ask for more than {duration(seconds)}"
    if refuse:
        return workload.derive(jobs[~over], f"{which} refused")
    return workload.derive(
        jobs.assign(estimate=jobs.estimate.clip(upper=seconds), run=jobs.run.clip(upper=seconds)), f"{which} cut to it"
    )
