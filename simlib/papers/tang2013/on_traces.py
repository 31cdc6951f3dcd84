"""What the exhibits have in common that are made from the logs that stand in for the paper's."""

from functools import cached_property

import numpy as np

from .. import results
from ..exhibit import LOGS, Exhibit
from . import about, own_trace, traces, unjudged


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
