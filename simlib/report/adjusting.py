"""Would estimates help that the system adjusts by what similar jobs used of theirs (Tang et al. 2013), and whom?"""

import pandas as pd
from matplotlib.figure import Figure

from ..analysis.comparison import Comparison
from ..core.schedule import simulate
from ..core.workload import Workload
from ..policies.walltime import accuracy
from .policies import POLICIES, chosen, compared, forest, gains_said, requested, why_not_adjusted, winners
from .sentences import change, share

BASES = ("EASY", "EASY, WFP")
"""The orders of the queue: by arrival, and WFP, (wait / estimate)^3 x size."""

SELECTIVE, ALL = "adjusted estimates", "all adjusted"


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
    >>> list(adjusted(simlib.load("sample"), shakes=3))
    ['EASY', 'EASY, WFP']
    """
    found = {}
    if not why_not_adjusted(workload):
        for base in BASES:
            cases = chosen([base, f"{base}, {SELECTIVE}", f"{base}, {ALL}"])
            found[base] = compared(workload, cases, shakes, seed, by=["all", "user"])
    return {base: one for base, one in found.items() if one is not None}


def adjusted_table(found: dict[str, Comparison]) -> pd.DataFrame | None:
    """Put the changes of mean wait and mean bounded slowdown into a table for readers; None where there are none.

    Examples
    --------
    >>> adjusted_table({}) is None
    True
    """
    headlines = [("wait", "mean"), ("bounded_slowdown", "mean")]
    tables = [one.overview(headlines=headlines).rename(columns={one.base: "before"}) for one in found.values()]
    return pd.concat(tables).rename_axis([None, None]) if tables else None


def adjusted_picture(found: dict[str, Comparison], base: str) -> Figure | None:
    """Draw what adjusting changes under one order of the queue; None where it was not compared.

    Examples
    --------
    >>> adjusted_picture({}, "EASY") is None
    True
    """
    return forest(found.get(base))


def adjusted_winners(found: dict[str, Comparison], base: str) -> Figure | None:
    """Draw which users gain and lose under one order of the queue; None where there is nothing to draw.

    Examples
    --------
    >>> adjusted_winners({}, "EASY") is None
    True
    """
    return winners(found.get(base))


def adjusted_said(workload: Workload, found: dict[str, Comparison]) -> list[str]:
    """Say whether adjusted estimates would help, and how many users.

    Examples
    --------
    >>> adjusted_said(Workload.of("one job", 4, A=(0, 10, 20, 3)), {})
    ['Whether adjusted estimates would help cannot be told: the log does not say whose the jobs are.']
    """
    if reason := why_not_adjusted(workload):
        return [f"Whether adjusted estimates would help cannot be told: {reason}."]
    sentences = _accuracy(workload)
    for one in found.values():
        sentences += [change(one, policy, "wait") for policy in one.others]
        sentences += gains_said(one)[:1] if "user" in one.by else []
    if not found:
        return [*sentences, "Whether they would help cannot be told: there is no queue."]
    if not any("user" in one.by for one in found.values()):
        sentences.append("For whom cannot be told: the log does not have two users of at least 30 jobs each.")
    return sentences


def _accuracy(workload: Workload) -> list[str]:
    """How many estimates are cut, and how much better they are then."""
    jobs = simulate(workload, POLICIES[f"EASY, {SELECTIVE}"]).jobs[requested(workload)]  # type: ignore[arg-type]
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
