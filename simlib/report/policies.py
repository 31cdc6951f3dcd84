"""Which policy: how others differ from the first, for whom, and how sure that is."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._util.words import duration
from ..analysis.cases import Case
from ..analysis.comparison import Comparison, compare, holds
from ..analysis.replicate import replicate
from ..analysis.stats import band
from ..core.estimates import Scaled
from ..core.schedule import simulate
from ..core.workload import Workload
from ..plots import comparisons
from ..policies.conservative import Conservative, Selective
from ..policies.easy import EASY, FCFS
from ..policies.orders import Multifactor
from ..policies.walltime import Adjustment, Scheme
from .sentences import change, digits, enough_shakes
from .wait_times import has_queue, simulated

# What is coincidence, and what another year would change, from the numbers of all comparisons.


_KEY = "all", "all", "wait", "mean"


def certainty_table(comparisons: Iterable[Comparison | None]) -> pd.DataFrame | None:
    """Put how far each difference in the mean wait can be believed into a table for readers; None where there is none.

    Examples
    --------
    >>> certainty_table([None]) is None
    True
    """
    tables = []
    for one in comparisons:
        if one is not None:
            table = one.overview(headlines=[("wait", "mean")]).droplevel("measure")
            table.insert(0, "against", one.base)
            tables.append(table.rename(columns={one.base: "before", "value": "after"}))
    return pd.concat(tables).rename_axis(None) if tables else None


def certainty_said(
    workload: Workload, comparisons: Iterable[Comparison | None], shakes: int | None = None, seed: int = 0
) -> list[str]:
    """Say how much coincidence moves EASY's mean wait, how it goes from month to month, and which differences stand.

    Examples
    --------
    >>> certainty_said(Workload.of("one job", 4, A=(0, 10, 20, 3)), [], shakes=4)[0]
    "Moved by up to a minute, the same submissions give EASY's mean wait as 0 s to 0 s."
    """
    if not len(workload):
        return ["Nothing can be said of coincidence: no job takes part."]
    made = [one for one in comparisons if one is not None]
    return _moved(workload, shakes or enough_shakes(workload), seed) + _by_month(workload) + _standing(made)


def _moved(workload: Workload, shakes: int, seed: int) -> list[str]:
    """How much shaking moves the mean wait."""
    runs = replicate(workload, EASY(), shakes=shakes, seed=seed, as_it_is=False).mean_wait
    low, median, high = band(runs.to_frame()).iloc[0]
    ends = f"{duration(max(low, 0))} to {duration(high)}"
    share = f", {digits(100 * (high - low) / median)} % from end to end" if median else ""
    return [f"Moved by up to a minute, the same submissions give EASY's mean wait as {ends}{share}."]


def _by_month(workload: Workload) -> list[str]:
    """How the mean wait goes from month to month."""
    if workload.start is None:
        return ["The log has no calendar, so months cannot be told apart."]
    table = simulate(workload, POLICIES["EASY"]).by_month()  # type: ignore[arg-type]
    table = table[table.jobs >= 30]
    if len(table) < 2:
        return ["The log has a single month with at least 30 jobs, so how much months differ cannot be told."]
    ordered = [(str(month), float(wait)) for month, wait in table.mean_wait.sort_values().items()]
    (least, shortest), (most, longest) = ordered[0], ordered[-1]
    return [
        f"From month to month it goes from {duration(shortest)} ({least}) to "
        f"{duration(longest)} ({most}): that is what another month can do."
    ]


def _standing(comparisons: list[Comparison]) -> list[str]:
    """Which differences are more than coincidence, and which would be there another year."""
    rows: dict[str, Any] = {policy: one.shown.loc[(policy, *_KEY), :] for one in comparisons for policy in one.others}
    if not rows:
        return ["No difference between policies could be judged."]
    by = {
        verdict: [name for name, row in rows.items() if holds(row) == verdict] for verdict in map(holds, rows.values())
    }
    unknown = [name for name in by.get("this log", []) if np.isnan(rows[name].another_year_low)]
    sure, here = by.get("another year", []), [name for name in by.get("this log", []) if name not in unknown]
    sentences = [
        f"Of the {len(rows)} differences in mean wait on this page {len(sure) + len(here) + len(unknown)} are more "
        "than coincidence."
    ]
    if sure:
        sentences.append(f"To be expected in another year, too: {'; '.join(sure)}.")
    if here:
        sentences.append(f"Another year might bring none, or the opposite: {'; '.join(here)}.")
    if unknown:
        sentences.append(f"Of another year nothing can be told: {'; '.join(unknown)}.")
    return sentences + _widths(list(rows.values()))


def _widths(rows: list[Any]) -> list[str]:
    """How much wider another year's intervals are."""
    pairs = [(r.coincidence_high - r.coincidence_low, r.another_year_high - r.another_year_low) for r in rows]
    ratios = [year / luck for luck, year in pairs if 0 < luck < np.inf and year < np.inf]
    if not ratios:
        return []
    least, most = digits(min(ratios)), digits(max(ratios))
    if least == most:
        return [f"The interval of another year is {least} times as wide as that of coincidence."]
    return [
        f"The interval of another year is {least} to {most} times as wide as that of coincidence, "
        f"{digits(float(np.median(ratios)))} times in the middle."
    ]


# Choose policies by name.


_SCHEME = Scheme(key="user+estimate", window="1 month", percentile=85, threshold=0.5)
"""Tang's adjustment with what every log of a cluster has: similar are jobs of one user with the same request."""

_SELECTIVE, _ALL = Adjustment(_SCHEME, running=False), Adjustment(_SCHEME)

POLICIES: dict[str, Case] = {
    "EASY": EASY(),
    "conservative": Conservative(),
    "FCFS": FCFS(),
    "EASY, shortest first": EASY(order="sjf"),
    "EASY, WFP": EASY(order="wfp"),
    "fair share": EASY(order=Multifactor()),
    "fair share by group": EASY(order=Multifactor(account="group")),
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
    "EASY, adjusted estimates": EASY(adjust=_SELECTIVE),
    "EASY, all adjusted": EASY(adjust=_ALL),
    "EASY, WFP, adjusted estimates": EASY(order="wfp", adjust=_SELECTIVE),
    "EASY, WFP, all adjusted": EASY(order="wfp", adjust=_ALL),
}
"""By name. *Adjusted estimates* are used for the order of the queue and for backfilling (Tang's selective adjustment),
*all adjusted* ones for running jobs, too (his regular one).

*Fair share* is a queue ordered by age and by what a user, or group, has had of late, as Slurm does it: see
`simlib.Multifactor`. A number of *reservations* is how many waiting jobs have one, which Maui calls RESERVATIONDEPTH;
*selective* ones go to the jobs that have become slow. All are in `docs/policies.md`."""


def chosen(names: Iterable[str]) -> dict[str, Case]:
    """Choose policies by their names in `POLICIES`; the first is what the others are held against.

    Raises
    ------
    ValueError
        For none, or an unknown name; the message lists the known ones.

    Examples
    --------
    >>> list(chosen(["conservative", "EASY"]))
    ['conservative', 'EASY']
    """
    names = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in names if name not in POLICIES]
    if unknown or not names:
        given = ", ".join(map(repr, unknown)) or "none"
        raise ValueError(f"policies: found {given}, expected some of {', '.join(map(repr, POLICIES))}")
    return {name: POLICIES[name] for name in names}


def usable(workload: Workload, cases: Mapping[str, Case]) -> tuple[dict[str, Case], list[str]]:
    """Leave out the policies that need what the log does not have.

    Returns
    -------
    cases : dict
    sentences : list of str
        Of what is left out, and why.

    Examples
    --------
    >>> w = Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> kept, sentences = usable(w, chosen(["EASY", "EASY, adjusted estimates"]))
    >>> list(kept), sentences
    (['EASY'], ['EASY, adjusted estimates: left out, for the log does not say whose the jobs are.'])
    """
    why = {name: why_not_usable(workload, case) for name, case in cases.items()}
    kept = {name: case for name, case in cases.items() if not why[name]}
    return kept, [f"{name}: left out, for {reason}." for name, reason in why.items() if reason]


def why_not_usable(workload: Workload, case: Case) -> str:
    """Tell why a policy cannot be used on a log: it needs users, groups or estimates; "" where it can."""
    if getattr(case, "adjust", None):
        return why_not_adjusted(workload)
    order = getattr(case, "order", None)
    if not isinstance(order, Multifactor) or not len(workload):
        return ""
    if (workload.jobs[order.account] >= 0).any():
        return ""
    return f"the log does not say {'whose' if order.account == 'user' else 'of which group'} the jobs are"


def why_not_adjusted(workload: Workload) -> str:
    """Tell why estimates cannot be adjusted, "" where they can."""
    if not len(workload):
        return "no job takes part"
    if not (workload.jobs.user >= 0).any():
        return "the log does not say whose the jobs are"
    return "" if requested(workload).any() else "the log has no estimates"


def requested(workload: Workload) -> pd.Series:
    """Tell which jobs have a request in the log, by the index of the jobs.

    Without a log all have, unless every estimate is the run time: then there may have been none.
    """
    jobs = workload.jobs
    if workload.log is not None:
        return workload.log.requested_time.loc[jobs.index] > 0
    return pd.Series(bool((jobs.estimate != jobs.run).any()), jobs.index)


_FAR = 3
"""A policy that makes the mean wait so many times as long, or more, is not drawn beside others: they would shrink."""

_STATISTICS = ("mean", "95th", "99th")
"""What is drawn: where half of the jobs hardly wait, the relative change of their median says nothing."""


def compared(
    workload: Workload,
    cases: Mapping[str, Case],
    shakes: int | None = None,
    seed: int = 0,
    by: Sequence[str] = ("all", "user", "size"),
) -> Comparison | None:
    """Compare policies on a log: `simlib.compare`, with as many shaken runs as a page has time for.

    Parameters
    ----------
    workload : Workload
    cases : dict
        By name, as for `simlib.compare`; the first is what the others are held against.
    shakes : int, optional
        By default see `simlib.report.enough_shakes`.
    seed : int
    by : sequence of str

    Returns
    -------
    Comparison or None
        None where there is no job, no second policy, or under the first no queue.

    Examples
    --------
    >>> import simlib
    >>> comparison = compared(simlib.load("sample"), {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}, shakes=4)
    >>> comparison.others, comparison.by
    (['FCFS'], ['all', 'user', 'size'])
    """
    if not len(workload) or len(cases) < 2 or not has_queue(simulated(workload, next(iter(cases.values())))):
        return None
    shakes = enough_shakes(workload) if shakes is None else shakes
    return compare(workload, cases, shakes=shakes, seed=seed, by=by)


def overview(comparison: Comparison | None) -> pd.DataFrame | None:
    """Put a comparison into a table for readers: see `Comparison.overview`.

    Examples
    --------
    >>> overview(None) is None
    True
    """
    return None if comparison is None else comparison.overview().rename_axis([None, None])


def differences_said(comparison: Comparison | None) -> list[str]:
    """Say how each policy changes the mean wait and the mean bounded slowdown, a sentence each.

    Examples
    --------
    >>> differences_said(None)
    ['Nothing can be compared: it takes a queue, and two policies that suit the log.']
    """
    if comparison is None:
        return ["Nothing can be compared: it takes a queue, and two policies that suit the log."]
    return [
        change(comparison, policy, measure) for policy in comparison.others for measure in ("wait", "bounded_slowdown")
    ]


def gains_said(comparison: Comparison | None) -> list[str]:
    """Say how many users gain and lose by each policy, who loses most, and which size classes do.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> gains_said(compared(w, {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}, shakes=4))[0]
    'Who gains cannot be told by user: the log does not have two users of at least 30 jobs each.'
    """
    if comparison is None:
        return []
    sentences = []
    for by, called in (("user", "users"), ("size", "size classes")):
        if by in comparison.by:
            sentences += [_gains(comparison, policy, by, called) for policy in comparison.others]
        else:
            several = f"the log does not have two {called} of at least 30 jobs each"
            sentences.append(f"Who gains cannot be told by {by.replace('size', 'size class')}: {several}.")
    return sentences


def _gains(comparison: Comparison, policy: str, by: str, called: str) -> str:
    """One policy's sentence on the groups of one way to divide the jobs."""
    table = comparison.who(policy, by)
    clear = table[~table.holds.isin(["coincidence", "equal"])]
    lose, gain = clear[clear.difference > 0], clear[clear.difference < 0]
    said = (
        f"{policy}: of {len(table)} {called} {len(gain)} wait less than under {comparison.base} and {len(lose)} longer"
    )
    for word, part, place in (("gains", gain, -1), ("loses", lose, 0)):
        if len(part):
            most = part.iloc[place]
            who = f"size class {most.name}" if by == "size" else f"user {most.name}"
            said += f"; {who} {word} most, from {duration(most.base)} to {duration(most.value)}"
    return f"{said}. The other {len(table) - len(clear)} may be coincidence." if len(clear) < len(table) else f"{said}."


def forest(comparison: Comparison | None) -> Figure | None:
    """Draw how much each policy changes each measure, without those that are `_FAR` off and would shrink the others.

    Examples
    --------
    >>> import simlib
    >>> figure = forest(compared(simlib.load("sample"), {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}, shakes=4))
    >>> [ax.get_title() for ax in figure.axes]
    ['wait', 'response time', 'bounded slowdown']
    """
    return None if comparison is None else closed(comparisons.forest(_near(comparison), statistics=_STATISTICS))


def _near(comparison: Comparison) -> Comparison:
    """A comparison without the policies that are far off, unless all are."""
    wait = comparison.relative.difference.xs(
        ("all", "all", "wait", "mean"), level=("by", "group", "measure", "statistic")
    )
    kept = [policy for policy in comparison.others if not abs(wait[policy]) > _FAR - 1] or comparison.others
    if kept == comparison.others:
        return comparison
    policies = {name: said for name, said in comparison.policies.items() if name in (comparison.base, *kept)}
    table, relative = (
        each[each.index.get_level_values("policy").isin(kept)] for each in (comparison.table, comparison.relative)
    )
    return replace(comparison, policies=policies, table=table, relative=relative)


def winners(comparison: Comparison | None, by: str = "user") -> Figure | None:
    """Draw who gains and who loses; None where the jobs cannot be divided so, or all may be coincidence.

    Examples
    --------
    >>> winners(None) is None
    True
    """
    if comparison is None or by not in comparison.by:
        return None
    clear = any(
        (~comparison.who(policy, by).holds.isin(["coincidence", "equal"])).any() for policy in comparison.others
    )
    return closed(comparisons.winners(comparison, by=by)) if clear else None


def closed(figure: Figure) -> Figure:
    """Close a figure: pyplot forgets it, and a notebook shows it only where it is the value of a cell."""
    plt.close(figure)
    return figure
