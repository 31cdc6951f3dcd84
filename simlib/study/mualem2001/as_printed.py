"""Table 1 by its verdicts: which printed numbers lie in our bands, month by month."""

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap

from ... import plots
from ..counting import COLOURS
from ..results import wide
from ..verdicts import CLOSE, INSIDE, OFF, TEXT

ROWS = {
    ("load", "easy"): "load",
    ("jobs", "easy"): "jobs",
    ("response_s", "easy"): "response time, EASY",
    ("response_s", "conservative"): "conservative",
    ("response_s", "difference"): "difference",
    ("bounded_slowdown", "easy"): "slowdown, EASY",
    ("bounded_slowdown", "conservative"): "conservative",
    ("bounded_slowdown", "difference"): "difference",
}
"""The paper's columns by metric and scheduler: response times, then bounded slowdowns."""

GROUND = {verdict: COLOURS[verdict] for verdict in (INSIDE, CLOSE, OFF)} | {"not judged": "#DDDDDD"}


def as_printed(table, changes):
    """Draw the verdicts by the text on means and changes: one panel per log, by column of the paper and month."""
    differences = pd.concat({"difference": changes}, names=["scheduler"]).reorder_levels(table.index.names)
    both = pd.concat([table, differences]).xs("text", level="rule")
    traces = table.index.unique("trace")
    size = {"figsize": (plots.WIDEST, 1.1 + 1.75 * len(traces)), "squeeze": False}
    figure, axes = plots.plt.subplots(len(traces), 1, **size)
    longest = both.groupby("trace").apply(lambda of: of.index.unique("month").size).max()
    for ax, trace in zip(axes[:, 0], traces, strict=True):
        of = both.xs(trace, level="trace")
        verdicts = of.verdict.where(of.verdict.isin(list(GROUND)), "not judged").where(of.published.notna())
        cells = (
            wide(verdicts, "month")
            .reorder_levels(["metric", "scheduler"])
            .reindex(list(ROWS))
            .map(list(GROUND).index, na_action="ignore")
        )
        shades = {"cmap": ListedColormap(list(GROUND.values())), "vmin": 0, "vmax": len(GROUND) - 1}
        places = np.arange(len(cells.columns) + 1) - 0.5, np.arange(len(ROWS) + 1) - 0.5
        ax.pcolormesh(*places, cells.to_numpy(float), edgecolor="white", linewidth=1, **shades)
        ax.set_yticks(range(len(ROWS)), ROWS.values(), size=7)
        ax.set(title=trace, ylim=(len(ROWS) - 0.5, -0.5))
        plots.month_axis(ax, cells.columns)
        ax.set_xlim(-0.5, longest - 0.5)
        ax.grid(False)
        ax.spines[:].set_visible(False)
    plots.legend(figure, {verdict: {"facecolor": colour} for verdict, colour in GROUND.items()})
    return figure


def farthest(table, relative=True, months=10):
    """Keep the months in which the judged numbers are farthest from the printed ones by the text's rules.

    All months stay where nothing is printed, as of your own log.
    """
    if "published" not in table:
        return table
    judged = table[table.verdict.isin([INSIDE, CLOSE, OFF]) & table.index.isin([TEXT], level="rule")]
    off = (judged.ours - judged.published).abs() / (judged.published.abs() if relative else 1)
    shown = off.groupby(["trace", "month"]).max().nlargest(months).index
    return table[pd.MultiIndex.from_frame(table.index.to_frame()[["trace", "month"]]).isin(shown)]
