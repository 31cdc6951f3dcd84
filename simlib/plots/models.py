"""Pictures of twins beside their logs."""

from collections.abc import Collection, Mapping, Sequence
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from .panels import legend
from .style import COLOURS

TWIN_STYLES = [{"color": COLOURS[6], "linewidth": 2.2}, {"color": COLOURS[1], "linewidth": 1.1}]
"""How the log and the twin are drawn."""


def distributions_compared(
    curves: Mapping[str, Mapping[str, pd.Series]], titles: Mapping[str, str], logarithmic: Collection[str] = ()
) -> Figure:
    """Draw the distributions of two workloads, a panel for each distribution."""
    rows = -(-len(titles) // 3)
    figure, axes = plt.subplots(rows, 3, figsize=(13, 0.5 + 2.9 * rows))
    for ax, (panel, title) in zip(axes.flat, titles.items(), strict=False):
        for curve, style in zip((parts[panel] for parts in curves.values()), TWIN_STYLES, strict=False):
            if curve.index.dtype.kind in "iuf":
                ax.plot(curve.index, curve.to_numpy(), drawstyle="steps-post", **style)
            else:
                every = slice(0, None, -(-len(curve) // 4))
                ax.plot(range(len(curve)), curve.to_numpy(), drawstyle="steps-mid", **style)
                ax.set_xticks(range(len(curve))[every], curve.index[every])
        if panel in logarithmic:
            _log_x(ax, (1,))
        ax.set_title(title, fontsize=10)
        ax.set_ylim(bottom=0)
    for ax in axes.flat[len(titles) :]:
        ax.set_axis_off()
    legend(figure, dict(zip(curves, TWIN_STYLES, strict=False)))
    return figure


def scheduled_compared(table: pd.DataFrame, metrics: Mapping[str, str]) -> Figure:
    """Draw the scheduling results of logs and of their twins: one panel per metric, one row per log and scheduler."""
    logs, kinds = (list(table.index.unique(level)) for level in ("log", "kind"))
    rows = list(product(logs, ("easy", "conservative")))
    figure, axes = plt.subplots(1, len(metrics), figsize=(5.6 * len(metrics), 1.2 + 0.42 * len(rows)), sharey=True)
    for ax, (metric, title) in zip(axes, metrics.items(), strict=True):
        for y, (log, scheduler) in enumerate(rows):
            for kind, style, shift in zip(kinds, TWIN_STYLES, (-0.16, 0.16), strict=True):
                values = table.xs((log, kind), level=("log", "kind"))[f"{scheduler}_{metric}"]
                ax.hlines(y + shift, values.min(), values.max(), color=style["color"], linewidth=1)
                ax.plot(values, np.full(len(values), y + shift), "|", color=style["color"], markersize=6)
                ax.plot(values.mean(), y + shift, "o", color=style["color"], markersize=5)
        _log_x(ax, (1, 2, 5))
        ax.set_yticks(range(len(rows)), [f"{log} {scheduler}" for log, scheduler in rows])
        ax.set_title(title)
    axes[0].invert_yaxis()
    dots = ({"color": style["color"], "marker": "o"} for style in TWIN_STYLES)
    legend(figure, dict(zip((f"{kind}: runs and mean" for kind in kinds), dots, strict=True)))
    return figure


def _log_x(ax: Axes, subs: Sequence[float]) -> None:
    """Make the x axis logarithmic, with plain numbers at `subs` times powers of ten."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
