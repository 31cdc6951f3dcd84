"""What the exhibits have in common that are made from the logs that stand in for the paper's."""

from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...plots.style import COLOURS
from .. import results
from ..exhibit import LOGS, Exhibit
from . import about, own_trace, traces, unjudged

# What several pictures of Tang et al.'s exhibits share.


LEVEL_COLOURS = {"NA": "#B0B0B0", "OE": COLOURS[2], "UE": COLOURS[4], "BE": COLOURS[1]}
"""No adjustment, overestimation, underestimation, bad estimation."""


def panels(count, across, size, **shared):
    """Make so many panels, `across` of them a row, each of a size in inches: the figure and the axes in a list."""
    across = min(across, count)
    rows, (width, height) = -(-count // across), size
    options = {"figsize": (0.8 + width * across, 0.6 + height * rows), "squeeze": False} | shared
    figure, axes = plt.subplots(rows, across, **options)
    for ax in axes.flat[count:]:
        ax.set_axis_off()
    return figure, list(axes.flat[:count])


def percentile_axis(ax, percentiles):
    """Label an x axis whose places 0, 1, ... are percentiles that A is set to."""
    names = {100: "max.", 50: "median"}
    ax.set_xticks(range(len(percentiles)), [names.get(p, f"{p:g}th") for p in percentiles], size=9)
    ax.set_xlabel("A: percentile of earlier jobs' R")


CASE_COLOURS = [COLOURS[0], COLOURS[2], COLOURS[1]]
"""Of schemes, by rising aggressiveness."""

CASE_STYLES = [
    {"color": colour, "marker": marker, "markersize": size, "linewidth": 1.3}
    for colour, marker, size in zip(CASE_COLOURS, "os^", (5, 5, 5), strict=True)
]
"""The same as lines."""

MONTHS_A_ROW = 12


def years(months):
    """Divide months, the level of an index, into rows of twelve."""
    names = list(months.index.unique("month"))
    return [names[first : first + MONTHS_A_ROW] for first in range(0, len(names), MONTHS_A_ROW)]


def month_axis(ax, months):
    """Label an x axis whose places 0, 1, ... are twelve months; below the first, and each January, stands the year."""
    texts = []
    for place, date in enumerate(pd.PeriodIndex(months, freq="M")):
        texts.append(f"{date:%b\n%Y}" if place == 0 or date.month == 1 else f"{date:%b}")
    ax.set_xticks(range(len(months)), texts, size=8)
    ax.set_xlim(-0.6, MONTHS_A_ROW - 0.4)


def name_row(ax, name):
    """Write to the left of a row of panels, of which this is the first, what it shows."""
    place = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right", "va": "center"}
    ax.annotate(name, (0, 0.5), (-38, 0), rotation=90, weight="bold", size=12, **place)


class OnTraces(Exhibit):
    """An exhibit with the parameter `trace`, one log or several, as `tang2013.traces` takes them.

    It may have `log`, the path of a log, or its name in the catalogue, to be taken in their place.
    """

    @cached_property
    def found(self):
        """The logs that are on this machine, or synthetic twins: a list of Trace."""
        if self.own:
            return [own_trace(self.log)]
        found, missing = traces(self.trace)
        self.missing = [name for name in missing if name not in {one.name for one in found}]  # and have no twin
        return found

    def beside_printed(self, table):
        """A table of `results.against`; of a log of one's own, without what the paper prints of its own."""
        return table.assign(published=np.nan, deviation=np.nan) if self.own else table

    def cells(self):
        """List the printed numbers of its `comparison` for the record."""
        return results.cells(self.comparison, unjudged)

    def load(self):
        return {LOGS: [one.workload for one in self.found]}

    def show_sources(self):
        """Print what stands in for the paper's log, and what is missing; return the table of what takes part."""
        if not self.own:
            print(about(self.found))
        return super().show_sources()
