"""Figure 13: accuracy of the twelve workloads, month by month (section 6.1)."""

from functools import cached_property

import matplotlib.pyplot as plt
import pandas as pd

from ... import walltime
from ..exhibit import LOGS, Part
from . import STAND_INS, scheduling, scheduling_claims
from .pictures import CASE_COLOURS, month_axis
from .scheduling import LEAST_JOBS, PERCENTILES


class Figure13(scheduling.OfMonths, name="tang2013/figure13", section="6.1", seconds=10, claims={"TG-14": LOGS}):
    """Do the schemes raise the accuracy of every month?"""

    trace: tuple = STAND_INS
    window: str | None = "1 month"
    threshold: float | None = 0.5
    least: int = 10
    least_jobs: int = LEAST_JOBS

    @cached_property
    def table(self):
        """Mean accuracy of the months that are simulated, from `accuracy`."""
        return accuracy(self.found, **self.options).loc[self.months.query("simulated").index]

    @property
    def reach(self):
        """How far the scheme of the 85th percentile reaches, from `scheduling.reach`."""
        return scheduling.reach(self.found, least_jobs=self.least_jobs, **self.options)

    def judge(self):
        return scheduling_claims.accuracy(self.table)

    def parts(self):
        return {"": Part(lambda: self.table, lambda: by_month(self.table))}


def accuracy(traces, **options):
    """Average the accuracy of each month's jobs, with the users' estimates and adjusted, in the log's own times.

    Returns
    -------
    DataFrame
        By (trace, month), the columns `original` and one a percentile, such as `p95`, each with a `scheduling.scheme`.
    """
    tables = {}
    for trace in traces:
        jobs = trace.workload.jobs
        schemes = {f"p{p}": scheduling.scheme(trace, p, **options) for p in PERCENTILES}
        a = walltime.parameters(jobs, trace.ends, list(schemes.values()))
        values = {"original": walltime.accuracy(trace.t_act, jobs.estimate)}
        for name, one in schemes.items():
            values[name] = walltime.accuracy(trace.t_act, walltime.t_sched(jobs.estimate, a[one]))
        tables[trace.name] = pd.DataFrame(values).groupby(trace.workload.calendar_month(jobs.submit)).mean()
    return pd.concat(tables, names=["trace", "month"])


def by_month(table):
    """Draw a table of `accuracy`, a line a column; a panel a trace."""
    traces = list(table.index.unique("trace"))
    widths = [3 + len(table.loc[trace]) for trace in traces]
    size = (1.5 + 0.24 * sum(widths), 3.4)
    figure, axes = plt.subplots(1, len(traces), figsize=size, sharey=True, squeeze=False, width_ratios=widths)
    for ax, trace in zip(axes[0], traces, strict=True):
        part = table.loc[trace]
        for name, colour, marker in zip(part, ["black", *CASE_COLOURS], ".os^", strict=True):
            ax.plot(part[name].to_numpy(), color=colour, marker=marker, markersize=4, linewidth=1.2, label=name)
        month_axis(ax, part.index)
        ax.set_title(trace)
    axes[0, 0].set(ylabel="mean accuracy", ylim=(0, 1))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(table.columns))
    return figure
