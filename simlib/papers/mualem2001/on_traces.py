"""What the exhibits have in common that are made from the paper's traces."""

from functools import cached_property

import pandas as pd

from .. import results
from ..exhibit import LOGS, Exhibit
from . import WHOLE, labelled, policies, traces


class OnTraces(Exhibit):
    """An exhibit with the parameter `traces`, the paper's names.

    It may have `jobs` and `estimates`, as `mualem2001.traces` takes them; and `rules`, out of `TEXT` and `LIKELY`, with
    `shakes` under the first, which is shown at length, and `other_shakes` under the other.
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
        return [f"{setting['trace']}: {setting['log']}" for setting in self._found[1]]

    def is_absent(self, trace, month=WHOLE, **_):
        """Whether the log of a printed number, or one of its logs, is not on this machine."""
        return any(one["trace"] == trace and _covers(one["months"], month) for one in self._found[1])

    def origin(self, trace, month=WHOLE, **_):
        """Whether a printed number is judged, and what is missing from its log: options of `judging.cell`."""
        logs = [each for each in self.found if each.trace == trace and _covers(each.months, month)]
        origins = [each.origin(month) for each in logs]
        notes = [one["note"] for one in origins if one["note"]]
        return {"same_log": all(one["same_log"] for one in origins), "note": "; ".join(notes)}

    def against(self, table, printed):
        """Hold a table against the printed numbers, as `results.against`; those of absent logs stand there alone."""
        places = printed.index.to_frame(index=False)
        alone = places[[self.is_absent(**place) for place in places.to_dict("records")]]
        if not alone.empty:
            rules = pd.DataFrame({"rule": table.index.unique("rule")}) if "rule" in table.index.names else None
            alone = alone if rules is None else alone.merge(rules, how="cross")
            table = table.reindex(table.index.append(alone.set_index(list(table.index.names)).index))
        return results.against(table, printed)

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
        """How many shaken runs there are, by rule: `shakes` of the first, `other_shakes` of others."""
        return dict.fromkeys(self.rules, self.other_shakes) | {self.rules[0]: self.shakes}


def _covers(months, month):
    return month == WHOLE or months[0] <= month <= months[1]
