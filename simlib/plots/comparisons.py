"""Pictures of comparisons of policies: a forest plot, and the groups that gain or lose."""

from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .._util import checks
from .._util.arrays import STATISTICS
from .._util.words import difference, of_any_unit
from ..analysis.comparison import IN_SECONDS, Comparison
from .panels import in_whole_per_cents, legend
from .style import COLOURS, stamp

_COINCIDENCE, _ANOTHER_YEAR = {"linewidth": 5, "alpha": 0.5, "solid_capstyle": "butt"}, {"linewidth": 1.2}

_LEVELS, _OF_GROUPS = ["by", "group", "measure", "statistic"], ["policy", "by", "measure", "statistic"]

_TITLES = {"response": "response time"}


def forest(
    comparison: Comparison, by: str = "all", statistics: tuple[str, ...] = ("mean", "median", "95th", "99th")
) -> Figure:
    """Draw how much policies change each measure, with both intervals: one panel per measure, one row per statistic.

    The thick bars are coincidence, the thin ones another year. A thin bar leaves the panel if it is longer than three
    times the largest change or coincidence. A measure that is zero under the base has no relative difference, and is
    not drawn.

    Parameters
    ----------
    comparison : Comparison
    by : str
        How jobs are divided: with groups, each row is a group, and the means are drawn.
    statistics : tuple of str
        Of all jobs.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> figure = forest(simlib.compare(simlib.load("sample"), policies, shakes=4, by=["all"]))
    >>> [ax.get_title() for ax in figure.axes]
    ['wait', 'response time', 'bounded slowdown']
    >>> plt.close(figure)
    """
    if not statistics or not {*statistics} <= {*STATISTICS}:
        raise ValueError(f"forest: found statistics={statistics!r}, expected some of {', '.join(STATISTICS)}")
    comparison.groups(by)
    table = comparison.relative.xs(by, level="by")
    level = "statistic" if by == "all" else "group"
    rows = list(statistics) if by == "all" else comparison.groups(by)
    table = table[table.index.get_level_values("statistic").isin(statistics if by == "all" else ["mean"])]
    height = 1.4 + len(rows) * (0.2 + 0.16 * len(comparison.others))
    titles = {measure: _TITLES.get(measure, measure.replace("_", " ")) for measure in comparison.measures}
    size = 10 / 3 * max(len(titles), 2), height
    figure, (axes,) = plt.subplots(1, len(titles), figsize=size, sharey=True, squeeze=False)
    colours = dict(zip(comparison.others, COLOURS, strict=False))
    for ax, (measure, title) in zip(axes, titles.items(), strict=True):
        for place, policy in enumerate(comparison.others):
            part = table.xs((policy, measure), level=("policy", "measure")).reset_index()
            dodge = (place - (len(comparison.others) - 1) / 2) * 0.7 / len(comparison.others)
            at = part[level].map(rows.index) + dodge
            _bars(ax, at, part, colours[policy])
        drawn = table.xs(measure, level="measure")[["difference", "coincidence_low", "coincidence_high"]]
        (low, high), reach = ax.get_xlim(), 3 * np.nan_to_num(np.abs(drawn.to_numpy(float)), posinf=0).max(initial=0)
        if reach > 0:
            ax.set_xlim(max(low, -min(reach, 1.1)), min(high, reach))
        ax.axvline(0, color="black", linewidth=1)
        ax.set_title(title)
        in_whole_per_cents(ax.xaxis)
    axes[0].set_yticks(range(len(rows)), rows)
    axes[0].set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel(f"{comparison.workload.name}: change against {comparison.base}", size=10)
    legend(figure, {policy: {"color": colour, "marker": "o"} for policy, colour in colours.items()} | _intervals())
    said = f"change of {', '.join(titles.values())} {'' if by == 'all' else f'by {by} '}under {', '.join(colours)}"
    figure.set_label(f"{comparison.workload.name}: {said} against {comparison.base}, with both intervals")
    return _marked(figure, comparison)


def changes(
    comparison: Comparison,
    policy: str | None = None,
    by: str = "all",
    called: Callable[[str, str], str] | None = None,
    most: int = 6,
) -> Figure:
    """Draw how much the mean wait changes, with both intervals, in a narrow picture with the numbers at the side.

    If a comparison has other measures, the first of them is drawn.

    Parameters
    ----------
    comparison : Comparison
    policy : str, optional
        One policy: then each row is a group of jobs. By default each row is a policy.
    by : str
        How the jobs are divided.
    called : callable, optional
        A function that names a group: from "user" and "12" it makes "user 12".
    most : int
        The number of groups at either end, out of those whose difference is more than coincidence; months and sizes are
        all drawn, in their natural order.

    Returns
    -------
    Figure
        Changes that may be chance are grey dots; triangles point down where the mean is lower, and up where it is
        higher. Changes outside the axis are arrows at its edge.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> figure = changes(simlib.compare(simlib.load("sample"), policies, shakes=4, by=["all"]))
    >>> figure.axes[0].get_yticklabels()[0].get_text()
    'FCFS'
    >>> plt.close(figure)
    """
    measure = comparison.measures[0]
    called_mean = f"mean {measure}".replace("_", " ")
    if policy is None:
        part = pd.concat([comparison.who(name, "all") for name in comparison.others], keys=comparison.others)
        part = part.droplevel(1).sort_values("difference", kind="stable")
        shares: Any = comparison.relative.xs(("all", "all", measure, "mean"), level=_LEVELS).loc[part.index]
        title = f"change of the {called_mean} against {comparison.base}"
    else:
        part = _chosen(comparison, policy, by, most)
        shares = comparison.relative.xs((policy, by, measure, "mean"), level=_OF_GROUPS).loc[part.index]
        part.index = [called(by, str(name)) if called else f"{by} {name}" for name in part.index]
        title = f"change of the {called_mean} with {policy}"
    figure, ax = plt.subplots(figsize=(4.6, max(3.4, 1.2 + 0.26 * len(part))))
    size = shares.difference.abs()
    near = ~(size > max(4 * float(size.median()), 1.5)).to_numpy()  # no fall is more than 1
    ends = shares[near].filter(regex="difference|coincidence|another").clip(-1, 1.5 * float(size[near].max()))
    low, high = (end(np.nan_to_num(ends, posinf=0), initial=0) for end in (np.min, np.max))
    margin = 0.06 * (high - low or 1)
    at = np.arange(len(part))
    chance = part.holds.isin(["coincidence", "equal"]).to_numpy()
    less, more = ("shorter", "longer") if measure in IN_SECONDS else ("lower", "higher")
    marks = {less: {"color": COLOURS[2], "marker": "v"}, more: {"color": COLOURS[1], "marker": "^"}}
    for style, rows in (
        ({"color": "#888888", "marker": "o"}, chance),
        (marks[less], ~chance & (part.difference < 0).to_numpy()),
        (marks[more], ~chance & (part.difference >= 0).to_numpy()),
    ):
        colour = style["color"]
        _bars(ax, at[rows & near], shares[rows & near], **style)
        ax.plot([high + margin / 2] * (rows & ~near).sum(), at[rows & ~near], ">", color=colour, clip_on=False)
    written = partial(difference, short=True) if measure in IN_SECONDS else partial(of_any_unit, sign="+")
    numbers = [written(value) for value in part.difference]
    for place, number in enumerate(numbers):
        ax.text(1.03, place, number, transform=ax.get_yaxis_transform(), va="center", size=9)
    ax.axvline(0, color="black", linewidth=1)
    ax.set(xlim=(low - margin, high + margin), ylim=(max(len(part), 1) - 0.5, -0.5))
    ax.set_yticks(at, [str(name) for name in part.index], size=9)
    in_whole_per_cents(ax.xaxis)
    ax.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    ax.set_xlabel(title)
    intervals = {"chance": _intervals()["coincidence"], "another year": _intervals()["another year"]}
    legend(figure, intervals | {name: style | {"linestyle": ""} for name, style in marks.items()})
    said = ", ".join(f"{name} {number}" for name, number in zip(part.index, numbers, strict=True))
    figure.set_label(f"{comparison.workload.name}: {title}: {said}")
    return _marked(figure, comparison)


def _chosen(comparison: Comparison, policy: str, by: str, most: int) -> pd.DataFrame:
    """The rows to draw: all groups if they have an order, else those that lose and gain most, beyond coincidence."""
    checks.whole("changes", "most", most, 1)
    table = comparison.who(policy, by)
    if by in ("all", "month", "size"):
        return table.loc[comparison.groups(by)]
    clear = table[table.holds != "coincidence"]
    lose, gain = clear[clear.difference > 0], clear[clear.difference < 0]
    return pd.concat([lose[:most], gain[-most:]])


def _bars(ax: Axes, at: Any, part: pd.DataFrame, color: str, marker: str = "o") -> None:
    """Draw differences and their intervals at these heights; infinite ends reach as far as the largest finite one."""
    part = part.replace(np.inf, part.replace(np.inf, np.nan).max(numeric_only=True).max())
    ax.hlines(at, part.another_year_low, part.another_year_high, color=color, **_line(_ANOTHER_YEAR))
    ax.hlines(at, part.coincidence_low, part.coincidence_high, color=color, **_line(_COINCIDENCE))
    ax.plot(part.difference, at, marker, color=color, markersize=5 if marker != "o" else 4)


def _line(style: dict[str, Any]) -> dict[str, Any]:
    """A style, in the form that collections of lines take."""
    return {key.replace("solid_", ""): value for key, value in style.items()}


def _intervals() -> dict[str, dict[str, Any]]:
    """Entries of the legend for the two intervals."""
    return {"coincidence": {"color": "grey", **_COINCIDENCE}, "another year": {"color": "grey", **_ANOTHER_YEAR}}


def _marked(figure: Figure, comparison: Comparison) -> Figure:
    """Mark a figure of a synthetic log."""
    if comparison.workload.stand_in:
        stamp(figure)
    return figure
