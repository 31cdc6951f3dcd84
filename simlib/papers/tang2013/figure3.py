"""Figure 3: the three dimensions of an adjustment scheme (section 4.1)."""

from functools import cached_property

import pandas as pd

from ... import walltime
from ..exhibit import Exhibit, Part
from . import KEY_NAMES, TRIPLE, pictures


class Figure3(Exhibit, name="tang2013/figure3", section="4.1", seconds=5):
    """Which schemes are there?"""

    key: str = TRIPLE
    window: str | None = "1 month"
    percentile: float = 85

    @property
    def marked(self):
        """The scheme to mark."""
        return walltime.Scheme(self.key, self.window, self.percentile)

    @cached_property
    def schemes(self):
        """All schemes, from `walltime.schemes`."""
        return walltime.schemes()

    @cached_property
    def options(self):
        """The options that each scheme takes of the dimensions, in the paper's words: a row a scheme."""
        rows = [(KEY_NAMES[s.key], s.window or "all", f"{s.percentile:g}th") for s in self.schemes]
        options = pd.DataFrame(rows, columns=["similarity", "recency", "aggressiveness"])
        return options.replace({"100th": "maximum", "50th": "median"})

    @property
    def dimensions(self):
        """The options by dimension, as a dict of lists."""
        return {name: list(self.options[name].unique()) for name in self.options}

    def parts(self):
        table = self.options.set_axis(pd.RangeIndex(1, len(self.options) + 1, name="scheme"))
        chosen = self.options.iloc[self.schemes.index(self.marked)]
        return {"": Part(table, lambda: pictures.scheme_dimensions(self.dimensions, chosen), on=())}
