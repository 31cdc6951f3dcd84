"""How good the users' estimates are, and whether exact, doubled or adjusted ones would help."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .._util.words import duration
from ..analysis.comparison import Comparison
from ..analysis.size_classes import class_name, size_class
from ..core.schedule import simulate
from ..core.workload import Workload
from ..plots.style import COLOURS, stamp
from ..policies.walltime import accuracy, used
from .policies import (
    POLICIES,
    chosen,
    compared,
    differences_said,
    forest,
    gains_said,
    requested,
    why_not_adjusted,
    winners,
)
from .sentences import change, share

_OTHERS = ("EASY", "EASY, exact estimates", "EASY, doubled estimates")

_FEWEST = 30
"""Of a size class with fewer jobs quartiles would be single jobs."""

_FULL = 0.99
"""From this share of the request on a job used all of it, or was killed for it."""


def use(workload: Workload) -> pd.DataFrame | None:
    """Tell which share of their requests jobs use, over all and by size class, as a table for readers.

    Returns
    -------
    DataFrame or None
        None where no job has a request.

    Examples
    --------
    >>> w = Workload.of("three jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 50, 2), C=(2, 8, 8, 2))
    >>> use(w)[["jobs", "median share used"]].to_dict("index")["all"]
    {'jobs': '3', 'median share used': '50 %'}
    """
    jobs = workload.jobs[requested(workload)]
    if jobs.empty:
        return None
    classes = size_class(jobs.procs)
    groups = {"all": jobs} | {class_name(int(upper)): jobs[classes == upper] for upper in np.unique(classes)}
    groups = {name: part for name, part in groups.items() if name == "all" or len(part) >= _FEWEST}
    return pd.DataFrame.from_dict({name: _use(part) for name, part in groups.items()}, orient="index")


def _use(jobs: pd.DataFrame) -> dict[str, str]:
    """A row of the table."""
    part = used(jobs.run, jobs.estimate)
    low, median, high = np.quantile(part, [0.25, 0.5, 0.75])
    return {
        "jobs": f"{len(jobs):,}",
        "median request": duration(float(jobs.estimate.median())),
        "median run": duration(float(jobs.run.median())),
        "a quarter uses at most": share(low),
        "median share used": share(median),
        "a quarter uses at least": share(high),
        "use all": share((part >= _FULL).mean()),
        "ran longer": share((jobs.run > jobs.estimate).mean()),
    }


def use_picture(workload: Workload) -> Figure | None:
    """Draw how jobs are spread over the share of their request that they use; None where no job has a request.

    Examples
    --------
    >>> use_picture(Workload.of("one job", 4, A=(0, 10, 20, 3))).axes[0].get_xlabel()
    'share of the requested time that was used'
    """
    jobs = workload.jobs[requested(workload)]
    if jobs.empty:
        return None
    part = used(jobs.run, jobs.estimate)
    figure, ax = plt.subplots(figsize=(8, 3.2))
    ax.hist(
        part,
        bins=np.linspace(0, 1, 21).tolist(),
        weights=np.full(len(part), 1 / len(part)),
        color=COLOURS[0],
        rwidth=0.9,
    )
    ax.axvline(float(np.median(part)), color="black", linestyle="--", linewidth=1.2)
    ax.set_title(f"half of the jobs use no more than {share(float(np.median(part)))} (dashed)")
    ax.set(xlim=(0, 1), xlabel="share of the requested time that was used", ylabel="jobs")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1, decimals=0))
    if workload.stand_in:
        stamp(figure)
    figure.set_label(f"{workload.name}: how jobs are spread over the share of their requested time; {ax.get_title()}")
    plt.close(figure)
    return figure


def use_said(workload: Workload) -> list[str]:
    """Say how good the estimates are.

    Examples
    --------
    >>> use_said(Workload.of("three jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 50, 2), C=(2, 8, 8, 2)))[0]
    'Half of the jobs use no more than 50 % of the time they ask for, a quarter no more than 30 %, ...'
    """
    if not len(workload):
        return ["Nothing can be said of estimates: no job takes part."]
    has = requested(workload)
    if not has.any():
        return [
            "The log has no estimates: each job's run time stands in as a perfect one. So nothing can be said of how "
            "good they are, and what backfills is judged as if users knew their run times."
        ]
    jobs = workload.jobs[has]
    part = used(jobs.run, jobs.estimate)
    low, median, high = (share(quartile) for quartile in np.quantile(part, [0.25, 0.5, 0.75]))
    longer = (jobs.run > jobs.estimate).mean()
    sentences = [
        f"Half of the jobs use no more than {median} of the time they ask for, a quarter no more than {low}, a "
        f"quarter {high} or more.",
        f"{share((part >= _FULL).mean())} use {share(_FULL)} or more of it; {share(longer)} ran longer than they had "
        "asked for, and here their run time counts as their estimate.",
    ]
    if not has.all():
        sentences.append(
            f"{(~has).sum():,} of {len(has):,} jobs ({share((~has).mean())}) have no request: their run time stands in "
            "as a perfect estimate."
        )
    return sentences


def other_estimates(workload: Workload, shakes: int | None = None, seed: int = 0) -> Comparison | None:
    """Compare EASY with itself under exact and doubled estimates; None where the log has no estimates, or no queue.

    Examples
    --------
    >>> import simlib
    >>> other_estimates(simlib.load("sample"), shakes=4).others
    ['EASY, exact estimates', 'EASY, doubled estimates']
    """
    if not len(workload) or not requested(workload).any():
        return None
    return compared(workload, chosen(_OTHERS), shakes, seed, by=["all"])


def other_estimates_said(comparison: Comparison | None) -> list[str]:
    """Say whether exact or doubled estimates would help.

    Examples
    --------
    >>> other_estimates_said(None)
    ['Whether other estimates would help cannot be told.']
    """
    if comparison is None:
        return ["Whether other estimates would help cannot be told."]
    return differences_said(comparison)


# Would estimates help that the system adjusts by what similar jobs used of theirs (Tang et al. 2013), and whom?


BASES = ("EASY", "EASY, WFP")
"""The orders of the queue: by arrival, and WFP, (wait / estimate)^3 x size."""

_SELECTIVE, _ALL = "adjusted estimates", "all adjusted"


def adjusted(workload: Workload, shakes: int | None = None, seed: int = 0) -> dict[str, Comparison]:
    """Compare each order of the queue with itself under adjusted estimates, used selectively or for all.

    Similar are jobs of one user with the same request, of the month before, ten at least; a job's estimate is cut to
    the 85th percentile of the shares that they used of theirs, but not below a half.

    Returns
    -------
    dict of str to Comparison
        By order, out of `BASES`; those without a queue are left out, and all where there are no users or no estimates.

    Examples
    --------
    >>> import simlib
    >>> list(adjusted(simlib.load("sample"), shakes=4))
    ['EASY', 'EASY, WFP']
    """
    comparisons = {}
    if not why_not_adjusted(workload):
        for base in BASES:
            cases = chosen([base, f"{base}, {_SELECTIVE}", f"{base}, {_ALL}"])
            comparisons[base] = compared(workload, cases, shakes, seed, by=["all", "user"])
    return {base: one for base, one in comparisons.items() if one is not None}


def adjusted_table(comparisons: dict[str, Comparison]) -> pd.DataFrame | None:
    """Put the changes of mean wait and mean bounded slowdown into a table for readers; None where there are none.

    Examples
    --------
    >>> adjusted_table({}) is None
    True
    """
    headlines = [("wait", "mean"), ("bounded_slowdown", "mean")]
    tables = [one.overview(headlines=headlines).rename(columns={one.base: "before"}) for one in comparisons.values()]
    return pd.concat(tables).rename_axis([None, None]) if tables else None


def adjusted_picture(comparisons: dict[str, Comparison], base: str) -> Figure | None:
    """Draw what adjusting changes under one order of the queue; None where it was not compared.

    Examples
    --------
    >>> adjusted_picture({}, "EASY") is None
    True
    """
    return forest(comparisons.get(base))


def adjusted_winners(comparisons: dict[str, Comparison], base: str) -> Figure | None:
    """Draw which users gain and lose under one order of the queue; None where there is nothing to draw.

    Examples
    --------
    >>> adjusted_winners({}, "EASY") is None
    True
    """
    return winners(comparisons.get(base))


def adjusted_said(workload: Workload, comparisons: dict[str, Comparison]) -> list[str]:
    """Say whether adjusted estimates would help, and how many users.

    Examples
    --------
    >>> adjusted_said(Workload.of("one job", 4, A=(0, 10, 20, 3)), {})
    ['Whether adjusted estimates would help cannot be told: the log does not say whose the jobs are.']
    """
    if reason := why_not_adjusted(workload):
        return [f"Whether adjusted estimates would help cannot be told: {reason}."]
    sentences = _accuracy(workload)
    for one in comparisons.values():
        sentences += [change(one, policy, "wait") for policy in one.others]
        sentences += gains_said(one)[:1] if "user" in one.by else []
    if not comparisons:
        return [*sentences, "Whether they would help cannot be told: there is no queue."]
    if not any("user" in one.by for one in comparisons.values()):
        sentences.append("For whom cannot be told: the log does not have two users of at least 30 jobs each.")
    return sentences


def _accuracy(workload: Workload) -> list[str]:
    """How many estimates are cut, and how much better they are then."""
    jobs = simulate(workload, POLICIES[f"EASY, {_SELECTIVE}"]).jobs[requested(workload)]  # type: ignore[arg-type]
    cut = jobs.adjusted < jobs.estimate
    if not cut.any():
        return [
            "No job has ten similar ones in the month before it that used less than they asked for: none is adjusted."
        ]
    before, after = (accuracy(jobs.run, estimate).mean() for estimate in (jobs.estimate, jobs.adjusted))
    short = (jobs.adjusted < jobs.run)[cut].mean()
    return [
        f"Of the jobs with a request {share(cut.mean())} get a shorter estimate; {share(short)} of these run for "
        f"longer than it. The mean accuracy of all goes from {before:.2f} to {after:.2f} (1 is exact)."
    ]
