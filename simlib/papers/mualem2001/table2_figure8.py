"""Table 2 and Figure 8 as one exhibit: how good are users' estimates (section 4.1)? `accuracy` does the work."""

from functools import cached_property

from ..exhibit import LOGS, Part
from . import SP2, accuracy, pictures
from .on_traces import OnTraces

CLAIMS = ("MF-25", "MF-26", "MF-27", "MF-28", "MF-29", "MF-39")


class Table2Figure8(
    OnTraces, name="mualem2001/table2-figure8", section="4.1", seconds=15, claims=dict.fromkeys(CLAIMS, LOGS)
):
    """How good are users' estimates?"""

    traces: tuple = SP2
    popular_values: int = 10

    @cached_property
    def table(self):
        """Table 2, from `accuracy.table2`."""
        return accuracy.table2(self.found)

    @cached_property
    def further(self):
        """Counts that bear on the cells that differ, from `accuracy.further_counts`."""
        return accuracy.further_counts(self.found)

    @cached_property
    def histogram(self):
        """The histograms of Figure 8, from `accuracy.figure8`."""
        return accuracy.figure8(self.found)

    @cached_property
    def flat(self):
        """How flat they are, from `accuracy.flatness`."""
        return accuracy.flatness(self.found)

    @cached_property
    def nice(self):
        """How many estimates are round, from `accuracy.nice_values`."""
        return accuracy.nice_values(self.found)

    @cached_property
    def popular(self):
        """The most frequent estimates and how much of them was used, from `accuracy.popular`."""
        return accuracy.popular(self.found, self.popular_values)

    def judge(self):
        return accuracy.claims(self.found, self.flat, self.popular, self.nice)

    def parts(self):
        cells = accuracy.cells(self.table, self.further)
        return {
            "": Part(self.histogram, self._draw_histograms),
            "popular": Part(self.popular, lambda: pictures.quartiles_by_value(self.popular)),
            "table2": Part(
                self.table, lambda: pictures.counts_against_published(self.table, accuracy.NAMES), cells=cells
            ),
        }

    def _draw_histograms(self):
        lines = {trace.trace: accuracy.lines(trace.workload) for trace in self.found}
        return pictures.used_share(self.histogram, lines, accuracy.SCATTER)
