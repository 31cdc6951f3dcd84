"""What the exhibits have in common that are made from the paper's traces."""

from functools import cached_property

from ..exhibit import LOGS, Exhibit
from . import labelled, policies, traces


class OnTraces(Exhibit):
    """An exhibit with the parameter `traces`, the paper's names.

    It may have `jobs` and `estimates`, as `mualem2001.traces` takes them; and `rules`, out of `TEXT` and `LIKELY`, of
    which the first decides claims, with `shakes` and `other_shakes`.
    """

    @cached_property
    def _found(self):
        names = [self.traces] if isinstance(self.traces, str) else self.traces
        return traces(names, getattr(self, "jobs", None), getattr(self, "estimates", None))

    @property
    def found(self):
        """The traces that are on this machine, or their twins: a list of Trace."""
        return self._found[0]

    @property
    def missing(self):
        """The others, as text."""
        return self._found[1]

    @property
    def labelled(self):
        """Their workloads with their names, as pairs."""
        return labelled(self.found)

    def load(self):
        return {LOGS: [trace.workload for trace in self.found]}

    @property
    def policies(self):
        """Both schedulers by (scheduler, rule)."""
        return policies(self.rules)

    @property
    def counts(self):
        """How many shaken runs there are, by rule: `shakes` of the first, which decides, `other_shakes` of others."""
        return dict.fromkeys(self.rules, self.other_shakes) | {self.rules[0]: self.shakes}
