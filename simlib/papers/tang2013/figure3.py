"""Figure 3: the three dimensions of an adjustment scheme (section 4.1)."""

from functools import cached_property

import matplotlib.pyplot as plt
import pandas as pd

from ... import walltime
from ...plots import COLOURS, INK
from ..exhibit import Exhibit, Part
from ..parameters import one_of, parameter
from . import KEY_NAMES, TRIPLE


class Figure3(Exhibit, name="tang2013/figure3", section="4.1", seconds=5):
    """Which schemes are there?"""

    key: str = parameter(TRIPLE, one_of(*walltime.KEYS))
    window: str | None = parameter("1 month", one_of(*walltime.WINDOWS))
    percentile: float = parameter(85, one_of(*walltime.PERCENTILES))

    @cached_property
    def table(self):
        """The options that each scheme takes of the dimensions, in the paper's words: a row a scheme."""
        rows = [words(scheme) for scheme in walltime.schemes()]
        index = pd.RangeIndex(1, len(rows) + 1, name="scheme")
        return pd.DataFrame(rows, index, ["similarity", "recency", "aggressiveness"])

    def parts(self):
        marked = words(walltime.Scheme(self.key, self.window, self.percentile))
        return {"": Part(self.table, lambda: scheme_dimensions(self.table, marked), on=())}


def words(scheme):
    """Name a scheme's options as the paper does."""
    percentile = {100: "maximum", 50: "median"}.get(scheme.percentile, f"{scheme.percentile:g}th")
    return KEY_NAMES[scheme.key], scheme.window or "all", percentile


def scheme_dimensions(options, chosen):
    """Draw the options of each dimension, a column of `options`, as boxes in a row, and a scheme as a path."""
    figure, ax = plt.subplots(figsize=(10, 0.85 * len(options.columns) + 0.1))
    path = []
    for row, (name, choice) in enumerate(zip(options, chosen, strict=True)):
        ax.text(-0.02, -row, name, ha="right", va="center", weight="bold")
        boxes = options[name].unique()
        width = 1 / len(boxes)
        for place, option in enumerate(boxes):
            middle = (place + 0.5) * width
            colour, ink = (COLOURS[0], INK[0]) if option == choice else ("#E4ECF4", INK[1])
            ax.barh(-row, width - 0.012, 0.5, left=middle - width / 2 + 0.006, color=colour)
            ax.text(middle, -row, option, ha="center", va="center", color=ink)
            if option == choice:
                path += [(middle, 0.25 - row), (middle, -0.25 - row)]  # where it enters and leaves the box
    for (x, y), (next_x, next_y) in zip(path[1:-1:2], path[2::2], strict=True):
        ax.plot([x, next_x], [y, next_y], color=COLOURS[0], linewidth=2.5, alpha=0.5)
    ax.set(xlim=(-0.17, 1), ylim=(-len(options.columns) + 0.6, 0.4))
    ax.set_axis_off()
    return figure
