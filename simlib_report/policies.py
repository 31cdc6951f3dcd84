"""The policies that a page compares, and the comparison as tables."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.words import difference, per_cent, time
from simlib.analysis.cases import Case, why_not_usable
from simlib.analysis.comparison import HELD, Comparison, compare, holds, range_of
from simlib.core.estimates import Scaled, requested
from simlib.core.schedule import Schedule
from simlib.core.workload import Workload
from simlib.policies.conservative import Conservative, Selective, SlurmBackfill
from simlib.policies.easy import EASY, FCFS
from simlib.policies.orders import Multifactor

from . import in_slurm, losses
from .facts import digits, share
from .what_if import ADJUSTED, what_if

_ALL = replace(ADJUSTED, running=True)

POLICIES: dict[str, Case] = {
    "EASY": EASY(),
    "conservative": Conservative(),
    "FCFS": FCFS(),
    "EASY, shortest first": EASY(order="sjf"),
    "EASY, WFP": EASY(order="wfp"),
    "fair share": EASY(order=Multifactor()),
    "fair share by group": EASY(order=Multifactor(account="group")),
    "Slurm's backfill": SlurmBackfill(),
    "Slurm's backfill, fair share": SlurmBackfill(order=Multifactor()),
    "EASY-SJBF": EASY(backfill="sjf"),
    "EASY, best fit": EASY(backfill="best-fit"),
    "EASY, largest": EASY(backfill="largest"),
    "EASY, smallest area": EASY(backfill="smallest area"),
    "EASY, lookahead": EASY(backfill="lookahead"),
    "EASY++": EASY.plus_plus(),
    "EASY, reusing extra processors": EASY(reuse_extra=True),
    "two reservations": EASY(reservations=2),
    "five reservations": EASY(reservations=5),
    "all reservations": EASY(reservations=math.inf),
    "selective": Selective(2),
    "selective, adaptive": Selective("adaptive"),
    "conservative, by start": Conservative("start"),
    "EASY, exact estimates": (EASY(), "exact"),
    "EASY, doubled estimates": (EASY(), Scaled(2)),
    "EASY, adjusted estimates": EASY(adjust=ADJUSTED),
    "EASY, all adjusted": EASY(adjust=_ALL),
    "EASY, WFP, adjusted estimates": EASY(order="wfp", adjust=ADJUSTED),
    "EASY, WFP, all adjusted": EASY(order="wfp", adjust=_ALL),
    **in_slurm.SETTINGS,
}
"""By name. *Adjusted estimates* are used for the order of the queue and for backfilling (Tang's selective adjustment),
*all adjusted* ones for running jobs, too (his regular one).

*Fair share* is a queue ordered by age and by what a user, or group, has had of late, as Slurm does it: see
`simlib.Multifactor`. A number of *reservations* is how many waiting jobs have one, which Maui calls RESERVATIONDEPTH;
*selective* ones go to the jobs that have become slow. All are in `docs/reference/policies.md`."""


MEANING: dict[str, str] = {
    "EASY": "jobs start in order of arrival; a later job may go first if the first in the queue does not wait longer",
    "conservative": "a later job may go first if no job before it in the queue waits longer",
    "FCFS": "jobs start in order of arrival, and no job passes another",
    "EASY, shortest first": "EASY with the job of the shortest estimate first in the queue",
    "EASY, WFP": "EASY with a queue by (wait / estimate)³ × size",
    "fair share": "EASY with a queue by age, and by how little a user has had of the machine of late",
    "fair share by group": "EASY with a queue by age, and by how little a group has had of the machine of late",
    "Slurm's backfill": "a plan for the first 500 jobs in the queue, made anew every 30 seconds",
    "Slurm's backfill, fair share": "the same with a queue by age, and by how little a user has had of late",
    "EASY-SJBF": "EASY; of the jobs that may go first the one with the shortest estimate does",
    "EASY, best fit": "EASY; of the jobs that may go first the one that leaves fewest processors idle does",
    "EASY, largest": "EASY; of the jobs that may go first the one with most processors does",
    "EASY, smallest area": "EASY; of the jobs that may go first the one with the least processor time does",
    "EASY, lookahead": "EASY; of the jobs that may go first those that use most processors together do",
    "EASY++": "EASY-SJBF with run times predicted from the user's last two jobs",
    "EASY, reusing extra processors": "EASY that may delay the first in the queue a little",
    "two reservations": "EASY with a promised start for the first two in the queue",
    "five reservations": "EASY with a promised start for the first five in the queue",
    "all reservations": "EASY with a promised start for all in the queue, planned anew each time",
    "selective": "a promised start for jobs that have waited for long, compared with their run time",
    "selective, adaptive": "the same, with a limit that follows the jobs",
    "conservative, by start": "conservative; when a job ends early the queue moves up in order of promised starts",
    "EASY, exact estimates": "EASY if users knew the run times of their jobs",
    "EASY, doubled estimates": "EASY if users asked for twice the time",
    "EASY, adjusted estimates": "EASY with estimates shortened by what similar jobs of the user used of theirs",
    "EASY, all adjusted": "the same, for running jobs, too",
    "EASY, WFP, adjusted estimates": "EASY, WFP with estimates shortened in the same way",
    "EASY, WFP, all adjusted": "the same, for running jobs, too",
    **in_slurm.MEANING,
}
"""What each policy does, in words for a page."""

ASKED = ("EASY", "conservative", "FCFS", "EASY, shortest first", "EASY-SJBF", "fair share")
"""The policies that a page compares unless others are asked for."""


ASKED_OF_SLURM = (
    *("Slurm's backfill", "Slurm, one reservation", "Slurm, small jobs first", "Slurm, short limits first"),
    *("Slurm, five jobs of a user", "Slurm's backfill, fair share", "EASY, shortest first"),
)
"""Those of the output of sacct: Slurm's own way, and first what can be set today."""


def chosen(names: str | Iterable[str], base: str | None = None) -> dict[str, Case]:
    """Choose policies by their names in `POLICIES`, the base first; ValueError if there is none, or an unknown one.

    In a text, commas or semicolons separate the names.
    """
    names = _split(names) if isinstance(names, str) else list(names)
    all_names = names if base is None else [base, *names]
    unknown = [name for name in all_names if name not in POLICIES]
    if unknown or not names:
        given = ", ".join(map(repr, unknown)) or "none"
        raise ValueError(f"policies: found {given}, expected some of {', '.join(map(repr, POLICIES))}")
    return {name: POLICIES[name] for name in all_names}


def _split(text: str) -> list[str]:
    """The names in a text; a name may contain commas, and the longest known name counts."""
    pieces, names = [piece.strip() for piece in re.split("[,;]", text) if piece.strip()], []
    while pieces:
        lengths = [k for k in range(len(pieces), 0, -1) if ", ".join(pieces[:k]) in POLICIES] or [1]
        names.append(", ".join(pieces[: lengths[0]]))
        del pieces[: lengths[0]]
    return names


WHAT_IFS = {"adjusted estimates": "adjusted", "exact estimates": "estimates exact"}
"""What a page asks of every base that can do it: how much better estimates are worth."""


def what_if_cases(workload: Workload, base: Case, asked: Iterable[str] = ()) -> dict[str, Case]:
    """Make cases of the base with a change: of texts for `what_if`, and those of `WHAT_IFS` that suit the log."""
    texts = [asked] if isinstance(asked, str) else asked
    made = dict(what_if(text, base) for text in texts)
    for name, text in WHAT_IFS.items():
        if text not in made and len(workload) and requested(workload).any():
            with suppress(ValueError):  # where the base is not one that can do that
                case = what_if(text, base)[1]
                made |= {} if why_not_usable(workload, case) else {name: case}
    return made


def usable(
    workload: Workload, cases: Mapping[str, Case], asked: Collection[str] = ()
) -> tuple[dict[str, Case], list[str]]:
    """Leave out policies that need data which the log does not have; give the reasons, too.

    ValueError for those that were asked for.
    """
    why = {name: why_not_usable(workload, case) for name, case in cases.items()}
    if refused := [f"{name!r} ({why[name]})" for name in asked if why[name]]:
        raise ValueError(f"{workload.name}: found {', '.join(refused)}, expected cases that this log allows")
    kept = {name: case for name, case in cases.items() if not why[name]}
    reasons = dict.fromkeys(filter(None, why.values()))
    return kept, [f"Not compared: {'; '.join(n for n in why if why[n] == reason)}: {reason}." for reason in reasons]


_JOB_RUNS = 3_000_000
"""So many jobs are scheduled in the shaken runs of a policy, roughly: with 300,000 a page then takes under a minute."""

_MOST, _FEWEST = 20, 5


def enough_shakes(workload: Workload) -> int:
    """Choose the number of shaken runs of a comparison: 20, or fewer for a long log, but at least 5."""
    return max(_FEWEST, min(_MOST, _JOB_RUNS // max(len(workload), 1)))


def compared(
    workload: Workload,
    cases: Mapping[str, Case],
    shakes: int | None = None,
    seed: int = 0,
    by: Sequence[str] = ("all", "user", "size"),
    executor: Any = None,
) -> Comparison | None:
    """Compare policies on a log: `simlib.compare`, with as many shaken runs as a page has time for.

    None if there is no job, or no second policy.
    """
    if not len(workload) or len(cases) < 2:
        return None
    shakes = enough_shakes(workload) if shakes is None else shakes
    measures = ["wait", "bounded_slowdown"]
    return compare(workload, cases, shakes=shakes, seed=seed, by=by, executor=executor, measures=measures)


# The tables


COLUMNS = {
    "mean wait": "mean wait of all jobs; of policies the mean over all runs",
    "change": "mean wait minus the mean wait under the first policy",
    "how sure": "clear: more than chance makes; likely again: another year would most likely show it, too",
    "by chance": "range of the change in 95 of 100 runs in which all jobs arrive up to a minute earlier or later; with "
    "0 in it the change can go either way",
    "in another year": "range of the change in another time as long as the log, with the same users: five parts of the "
    f"log show how much one time differs from another. On made-up logs the range held {HELD}",
    "users better": "users who surely wait less, of those with at least 30 jobs",
    "users worse": "users who surely wait longer, of those with at least 30 jobs",
    "size classes better": "size classes whose jobs surely wait less",
    "size classes worse": "size classes whose jobs surely wait longer",
    "too much worse": "what gets worse than the page allows; such a policy is not recommended",
    "half wait at most": "median wait: half of the jobs wait no longer",
    "1 in 20 waits over": "95th percentile: 5 % of the jobs wait longer",
    "late jobs": "share of the jobs that wait at least as long as one job in 100 does under the first policy",
    "longest wait": "the longest wait of a job, in the log as it is",
    "weighted by work": "mean wait weighted by processors times run time, in the log as it is",
    "wait at all": "share of the jobs that do not start at once",
    "mean slowdown": "mean bounded slowdown: wait and run time over run time; less than 10 seconds count as 10",
    "idle meanwhile": "processor-hours that are idle while at least one job waits, in the log as it is",
}
"""What the numbers in a column are of; the columns of a page's first two tables, in order."""

JUDGED = list(COLUMNS)[: list(COLUMNS).index("half wait at most")]
"""The columns that say how a policy differs from the base; the others say how long jobs wait."""


SURE = {
    "equal": "no change",
    "coincidence": "may be chance",
    "this log": "clear on this log",
    "unknown": "clear on this log",
    "another year": "clear, likely again",
}
"""How sure a difference is, in words for a table; of "unknown" the log is too short to judge another year."""


def sure(row: Any) -> str:
    """Tell how sure a row of `Comparison.shown` is: a key of `SURE`."""
    held = holds(row)
    return "unknown" if held == "this log" and np.isnan(row.another_year_low) else held


def called(by: str, name: str, names: Mapping[str, Mapping[int, str]] | None = None) -> str:
    """Name a group of jobs: by its number, or by its name if names are shown."""
    if by == "size":
        return f"{name} processor{'' if name == '1' else 's'}"
    if not name.replace("+", "").isdecimal():
        return name
    return (names or {}).get(by, {}).get(int(name) if name.isdecimal() else -1, f"{by} {name}")


def overview(
    found: Comparison | None, made: Mapping[str, Schedule], base: str | None = None, allowed: float = losses.ALLOWED
) -> pd.DataFrame | None:
    """Put recorded waits and the waits of all policies into a table for readers; None if there are none.

    Parameters
    ----------
    found : Comparison or None
    made : dict of str to Schedule
        As from `simlib_report.schedules`: the recorded schedule, and those of policies.
    base : str, optional
        The policy with which the others are compared; by default that of the comparison.
    allowed : float
        By so many per cent a measure may get worse.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> overview(simlib.compare(simlib.load("sample"), policies, shakes=4, by=["all"]), {})["change"].to_list()
    ['', '+22.8 h (+950.2 %)']
    """
    base = base or (found.base if found else "")
    late = losses.late_from(made[base]) if base in made else None
    refused = losses.refusals(made, base, allowed) if base in made else {}
    rows = {name: _of_schedule(one, late) for name, one in made.items()}
    if found:
        rows |= {name: rows.get(name, {}) | _of_policy(found, name) for name in found.policies}
    for name, what in refused.items():
        rows[name]["too much worse"] = ", ".join(what)
    if not rows:
        return None
    table = pd.DataFrame.from_dict(rows, orient="index").fillna("")
    return table[[column for column in COLUMNS if column in table]]


def _of_schedule(schedule: Schedule, late: float | None) -> dict[str, str]:
    """The row of a schedule of the log as it is."""
    summary = schedule.summary(percentiles=True)
    waits = {
        "mean wait": summary.mean_wait,
        "half wait at most": summary.median_wait,
        "1 in 20 waits over": summary.p95_wait,
    }
    wait = schedule.column("wait")
    row = {"mean slowdown": digits(summary.mean_bounded_slowdown)}
    if len(wait):
        row["wait at all"] = share(float((wait > 0).mean()))
        values = losses.measured(schedule, late or 0)
        waits |= {"longest wait": values[losses.LONGEST], "weighted by work": values[losses.BY_WORK]}
        row |= {"late jobs": share(values[losses.LATE])} if late is not None else {}
        row["idle meanwhile"] = f"{losses.idle_while_waiting(schedule) / 3600:,.0f}"
    return row | {column: time(seconds, short=True) for column, seconds in waits.items()}


def _of_policy(found: Comparison, policy: str) -> dict[str, str]:
    """What the comparison says of a policy, or of the base."""
    of, which = (found.others[0], "base") if policy == found.base else (policy, "value")
    table: Any = found.table
    mean, median, late, slow = (
        table.at[(of, "all", "all", *key), which]
        for key in (("wait", "mean"), ("wait", "median"), ("wait", "95th"), ("bounded_slowdown", "mean"))
    )
    waits = {"mean wait": mean, "half wait at most": median, "1 in 20 waits over": late}
    row = {column: time(seconds, short=True) for column, seconds in waits.items()}
    row |= {"mean slowdown": digits(slow)}
    if policy == found.base:
        return row
    shown: Any = found.shown.loc[(policy, "all", "all", "wait", "mean"), :]
    row["change"] = difference(table.at[(policy, "all", "all", "wait", "mean"), "difference"], short=True)
    row["change"] += f" ({per_cent(shown.difference)})" if shown.base and row["change"] != "equal" else ""
    row["how sure"] = SURE[sure(shown)]
    written = (per_cent, " %") if shown.base else (time,)
    row["by chance"], row["in another year"] = (
        range_of(shown, name, *written) for name in ("coincidence", "another_year")
    )
    by = "user" if "user" in found.by else "size"
    if by in found.by:
        many = {"user": "users", "size": "size classes"}[by]
        who = found.who(policy, by)
        clear = who.difference[~who.holds.isin(["coincidence", "equal"])]
        for said, count in (("better", (clear < 0).sum()), ("worse", (clear > 0).sum())):
            row[f"{many} {said}"] = f"{count:,} of {len(who):,}" if count else "none"
    return row


_ENDS = 10
"""So many groups are listed at either end where there are many."""


def by_group(
    found: Comparison | None, by: str, first: str | None = None, called: Callable[[str, str], str] = called
) -> pd.DataFrame | None:
    """Put the mean waits of users, or other groups, under all policies into a table for readers.

    Parameters
    ----------
    found : Comparison or None
    by : str
        How the jobs are divided.
    first : str, optional
        The policy whose losers and winners are listed if there are many groups; by default the first.
    called : callable, optional
        How to call a group: of "user" and "12" makes "user 12".

    Returns
    -------
    DataFrame or None
        Changes that may be chance are in brackets. None if the jobs cannot be divided in this way.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=4, by=["size"])
    >>> by_group(found, "size").loc["1 processor", "FCFS"]
    '+23.7 h'
    """
    if found is None or by not in found.by:
        return None
    first = first or found.others[0]
    ranked = found.who(first, by)
    names = found.groups(by)
    if len(names) > 2 * _ENDS and by != "month":
        names = [*ranked.index[:_ENDS], *ranked.index[-_ENDS:]]
    columns = {
        "jobs": ranked.jobs.map("{:,}".format),
        f"under {found.base}": ranked.base.map(lambda seconds: time(seconds, short=True)),
    }
    for policy in [first, *(other for other in found.others if other != first)]:
        of = found.who(policy, by)
        said = of.difference.map(lambda seconds: difference(seconds, short=True))
        columns[policy] = said.where(~of.holds.isin(["coincidence", "equal"]), "(" + said + ")")
    return pd.DataFrame(columns).loc[names].rename(index=lambda name: called(by, str(name)))


# What-ifs


def what_if_said(found: Comparison | None, made: Mapping[str, Schedule], what_ifs: Iterable[str]) -> list[str]:
    """Say of each compared case that is no policy what it would change, and what it costs."""
    if found is None:
        return []
    sentences = []
    for name in (name for name in what_ifs if name in found.others):
        key: Any = (name, "all", "all", "wait", "mean")
        row: Any = found.table.loc[key, :]
        said = f"the mean wait is {time(row.value)}, {difference(row.difference)} than under {found.base}."
        if sure(found.shown.loc[key, :]) in ("equal", "coincidence"):
            said = "no clear difference of the mean wait."
        costs = losses.cost(made[found.base], made[name]) if name in made and found.base in made else []
        sentences.append(" ".join([f"{name}: {said}", *costs]))
    return sentences
