"""Which policy: how others differ from the first, for whom, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ..comparing import Comparison, compare
from ..comparing.paired import Case
from ..wording import duration
from ..workload import Workload
from .saying import change, enough_shakes
from .waits import has_queue, simulated

FAR = 3
"""A policy that makes the mean wait so many times as long, or more, is not drawn beside others: they would shrink."""

STATISTICS = ("mean", "95th", "99th")
"""What is drawn: where half of the jobs hardly wait, the relative change of their median says nothing."""

RESAMPLES = 300


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
        By default see `simlib.cluster.enough_shakes`.
    seed : int
    by : sequence of str

    Returns
    -------
    Comparison or None
        None where there is no job, no second policy, or under the first no queue.

    Examples
    --------
    >>> import simlib
    >>> found = compared(simlib.load("sample"), {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}, shakes=3)
    >>> found.others, found.by
    (['FCFS'], ['all', 'user', 'size'])
    """
    if not len(workload) or len(cases) < 2 or not has_queue(simulated(workload, next(iter(cases.values())))):
        return None
    shakes = enough_shakes(workload) if shakes is None else shakes
    return compare(workload, cases, shakes=shakes, seed=seed, by=by, resamples=RESAMPLES)


def overview(found: Comparison | None) -> pd.DataFrame | None:
    """Put a comparison into a table for readers: see `Comparison.overview`.

    Examples
    --------
    >>> overview(None) is None
    True
    """
    return None if found is None else found.overview().rename_axis([None, None])


def differences_said(found: Comparison | None) -> list[str]:
    """Say how each policy changes the mean wait and the mean bounded slowdown, a sentence each.

    Examples
    --------
    >>> differences_said(None)
    ['Nothing can be compared: it takes a queue, and two policies that suit the log.']
    """
    if found is None:
        return ["Nothing can be compared: it takes a queue, and two policies that suit the log."]
    return [change(found, policy, measure) for policy in found.others for measure in ("wait", "bounded_slowdown")]


def gains_said(found: Comparison | None) -> list[str]:
    """Say how many users gain and lose by each policy, who loses most, and which size classes do.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 20, 3), B=(1, 5, 8, 2))
    >>> gains_said(compared(w, {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}, shakes=3))[0]
    'Who gains cannot be told by user: the log does not have two users of at least 30 jobs each.'
    """
    if found is None:
        return []
    sentences = []
    for by, called in (("user", "users"), ("size", "size classes")):
        if by in found.by:
            sentences += [_gains(found, policy, by, called) for policy in found.others]
        else:
            several = f"the log does not have two {called} of at least 30 jobs each"
            sentences.append(f"Who gains cannot be told by {by.replace('size', 'size class')}: {several}.")
    return sentences


def _gains(found: Comparison, policy: str, by: str, called: str) -> str:
    """One policy's sentence on the groups of one way to divide the jobs."""
    table = found.who(policy, by)
    clear = table[~table.holds.isin(["coincidence", "equal"])]
    lose, gain = clear[clear.difference > 0], clear[clear.difference < 0]
    said = f"{policy}: of {len(table)} {called} {len(gain)} wait less than under {found.base} and {len(lose)} longer"
    for word, part, place in (("gains", gain, -1), ("loses", lose, 0)):
        if len(part):
            most = part.iloc[place]
            who = f"size class {most.name}" if by == "size" else f"user {most.name}"
            said += f"; {who} {word} most, from {duration(most.base)} to {duration(most.value)}"
    return f"{said}. The other {len(table) - len(clear)} may be coincidence." if len(clear) < len(table) else f"{said}."


def forest(found: Comparison | None) -> Figure | None:
    """Draw how much each policy changes each measure, without those that are `FAR` off and would shrink the others.

    Examples
    --------
    >>> import simlib
    >>> figure = forest(compared(simlib.load("sample"), {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}, shakes=3))
    >>> [ax.get_title() for ax in figure.axes]
    ['wait', 'response time', 'bounded slowdown']
    """
    return None if found is None else _closed(_near(found).forest(statistics=STATISTICS))


def _near(found: Comparison) -> Comparison:
    """A comparison without the policies that are far off, unless all are."""
    wait = found.relative.difference.xs(("all", "all", "wait", "mean"), level=("by", "group", "measure", "statistic"))
    kept = [policy for policy in found.others if not abs(wait[policy]) > FAR - 1] or found.others
    if kept == found.others:
        return found
    policies = {name: said for name, said in found.policies.items() if name in (found.base, *kept)}
    table, relative = (each[each.index.get_level_values("policy").isin(kept)] for each in (found.table, found.relative))
    return replace(found, policies=policies, table=table, relative=relative)


def winners(found: Comparison | None, by: str = "user") -> Figure | None:
    """Draw who gains and who loses; None where the jobs cannot be divided so, or all may be coincidence.

    Examples
    --------
    >>> winners(None) is None
    True
    """
    if found is None or by not in found.by:
        return None
    clear = any((~found.who(policy, by).holds.isin(["coincidence", "equal"])).any() for policy in found.others)
    return _closed(found.winners(by=by)) if clear else None


def _closed(figure: Figure) -> Figure:
    """Close a figure, so that a notebook shows it only where it is the value of a cell."""
    plt.close(figure)
    return figure
