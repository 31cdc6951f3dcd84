"""Footnote 2 (section 4.1): may jobs that were killed at their estimates be pieces of longer runs?

A job may save its state now and then, be killed when it has used up its estimate, and go on as another job.
"""

from functools import cached_property

import pandas as pd

from ..claims import PRINTED, Measure, decide
from ..exhibit import LOGS, Part
from ..parameters import one_of, parameter
from ..verdicts import TEXT, cell, deviation, published
from . import TRACES
from .on_traces import OnTraces
from .table2_figure8 import in_peak, lines

LIMIT = 4 * 3600
"""Seconds that a job could request at KTH in the daytime."""

ONE_IN = "one_in_so_many"


class Footnote2(OnTraces, name="mualem2001/footnote2", section="4.1", seconds=5, claims={"MF-44": LOGS}):
    """How many of the jobs that were killed may be pieces of longer ones?"""

    trace: str = parameter("KTH", one_of(*TRACES))

    @property
    def traces(self):
        """The one trace that it is made from."""
        return self.trace

    @cached_property
    def jobs_counted(self):
        """How many jobs were killed that had requested the daytime's limit, and are in the peak at 100 per cent."""
        jobs = lines(self.found[0].workload)
        at_limit = jobs.killed & (jobs.estimate == LIMIT)
        return pd.Series({"killed_at_daytime_limit": at_limit.sum(), "peak_100pct": in_peak(jobs).sum()})

    @cached_property
    def table(self):
        """The counts beside the printed ones, and one in how many jobs of the peak that makes."""
        counted = self.jobs_counted
        ours = pd.Series({**counted, ONE_IN: counted.peak_100pct / max(counted.killed_at_daytime_limit, 1)})
        printed = (
            published("mualem2001_footnote2")
            .set_index("quantity")
            .reindex(ours.index, columns=[self.trace])[self.trace]
        )
        table = pd.DataFrame({"published": printed, "ours": ours}).rename_axis("quantity")
        return table.assign(deviation=deviation(table.ours, table.published))

    def judge(self):
        kth = self.table if self.trace == "KTH" else None
        return [decide("MF-44", {TEXT: _share(kth, "ours"), PRINTED: _share(kth, "published")})]

    def parts(self):
        about = {"decimals": 0} | self.origin(self.trace)
        cells = [
            cell({"trace": self.trace, "quantity": name}, row.published, row.ours, **about)
            for name, row in self.table.dropna().iterrows()
        ]
        return {"": Part(self.table, cells=cells)}


def _share(table, column):
    """Divide the killed jobs that had requested four hours by the jobs in the peak."""
    if table is None:
        return None
    at_limit, peak = table[column].iloc[:2]
    return {"share": Measure.exactly(at_limit / peak)}
