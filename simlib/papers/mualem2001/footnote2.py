"""Footnote 2 (section 4.1): may jobs that were killed at their estimates be pieces of longer runs?

A job may save its state now and then, be killed when it has used up its estimate, and go on as another job.
"""

from functools import cached_property

import pandas as pd

from ..exhibit import LOGS, Part
from ..judging import NOT, REPRODUCED, UNTESTED, cell, claim, deviation, published
from .on_traces import OnTraces
from .table2_figure8 import in_peak, lines

LIMIT = 4 * 3600
"""Seconds that a job could request at KTH in the daytime."""


class Footnote2(OnTraces, name="mualem2001/footnote2", section="4.1", seconds=5, claims={"MF-44": LOGS}):
    """How many of the jobs that were killed may be pieces of longer ones?"""

    trace: str = "KTH"

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
        """The counts beside the printed ones."""
        printed = published("mualem2001_footnote2").set_index("quantity").reindex(self.jobs_counted.index)[self.trace]
        table = pd.DataFrame({"published": printed, "ours": self.jobs_counted}).rename_axis("quantity")
        return table.assign(deviation=deviation(table.ours, table.published))

    def judge(self):
        if self.trace != "KTH":
            return [claim("MF-44", UNTESTED, "the footnote speaks of KTH")]
        most = self.jobs_counted.killed_at_daytime_limit / self.jobs_counted.peak_100pct
        holds = 0.2 <= most <= 0.3
        text = f"{self.jobs_counted.iloc[0]:,} of {self.jobs_counted.iloc[1]:,} jobs, {most:.0%} at most"
        return [claim("MF-44", REPRODUCED if holds else NOT, text)]

    def parts(self):
        found = self.table.dropna()
        cells = [
            cell({"trace": self.trace, "quantity": name}, row.published, row.ours) for name, row in found.iterrows()
        ]
        return {"": Part(self.table, cells=cells)}
