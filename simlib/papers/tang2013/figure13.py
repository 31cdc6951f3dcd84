"""Figure 13: accuracy of the twelve workloads, month by month (section 6.1)."""

from functools import cached_property

from ..exhibit import LOGS, Part
from . import STAND_INS, pictures, scheduling, scheduling_claims
from .on_traces import OnTraces


class Figure13(OnTraces, name="tang2013/figure13", section="6.1", seconds=10, claims={"TG-14": LOGS}):
    """Do the schemes raise the accuracy of every month?"""

    trace: tuple = STAND_INS
    window: str | None = "1 month"
    threshold: float | None = 0.5
    least: int = 10
    least_jobs: int = 500

    @property
    def options(self):
        """Of `walltime.Scheme`, and which months take part."""
        names = ("window", "threshold", "least", "least_jobs")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def months(self):
        """The months of each log, from `scheduling.months`."""
        return scheduling.months(self.found, self.least_jobs)

    @cached_property
    def table(self):
        """Mean accuracy by month, from `scheduling.accuracy`."""
        return scheduling.accuracy(self.found, **self.options)

    @cached_property
    def reach(self):
        """How far the scheme of the 85th percentile reaches."""
        return scheduling.reach(self.found, **self.options)

    def judge(self):
        return scheduling_claims.accuracy(self.found, self.table)

    def parts(self):
        return {"": Part(self.table, lambda: pictures.accuracy_by_month(self.table))}
