"""Figure 13: accuracy of the twelve workloads, month by month (section 6.1)."""

from functools import cached_property

import numpy as np
import pandas as pd

from ...analysis.stats import cluster_means
from ...plots.panels import legend
from ...policies import walltime
from .. import results
from ..claims import decide
from ..exhibit import LOGS, Part
from ..parameters import RESAMPLES, SEED, SHARE, WINDOW, or_none, parameter, whole
from ..results import AS_IT_IS
from ..verdicts import TEXT
from . import CASE_STYLES, STAND_INS, TRACE, by_part, month_axis, panels, printed, scheduling, smallest, years
from .scheduling import LEAST_JOBS, PERCENTILES

# How far the scheme of section 6.1 reaches on a log.


def reach(traces, percentile=85, least_jobs=scheduling.LEAST_JOBS, **options):
    """Work out how far a `scheduling.scheme` reaches on each log, in the log's own times, and under what load.

    The table has by trace its `project` column; the `jobs` and `months` that are simulated, and the mean `load` of
    these months. Of all jobs: `requested_h`, the mean estimate in hours; the mean `r`; the shares that are `lowered`,
    that have `no_history`, and whose A is `at_threshold`; mean `accuracy` before and `accuracy_after`;
    `underestimated`, the share below the run time after adjustment.
    """
    simulated, rows = scheduling.months(traces, least_jobs).query("simulated"), {}
    for trace in traces:
        jobs, own, of_scheme = (
            trace.workload.jobs,
            simulated.loc[trace.name],
            scheduling.scheme(trace, percentile, **options),
        )
        adjusted = walltime.adjusted(jobs, trace.ends, of_scheme)
        row = {"project": trace.project, "jobs": own.jobs.sum(), "months": len(own), "load": own.load.mean()}
        rows[trace.name] = row | {
            "requested_h": jobs.estimate.mean() / 3600,
            "r": walltime.used(jobs.run, jobs.estimate).mean(),
            "lowered": (adjusted.t_sched < jobs.estimate).mean(),
            "no_history": adjusted.a.isna().mean(),
            "at_threshold": (adjusted.a == of_scheme.threshold).mean(),
            "accuracy": walltime.accuracy(trace.t_act, jobs.estimate).mean(),
            "accuracy_after": walltime.accuracy(trace.t_act, adjusted.t_sched).mean(),
            "underestimated": (adjusted.t_sched < trace.t_act).mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("trace")


ORIGINAL_STYLE = {"color": "black", "marker": "D", "markersize": 4, "linewidth": 1.3}


class Figure13(
    scheduling.OfMonths, name="tang2013/figure13", section="6.1", seconds=10, claims={"TG-14": LOGS, "TG-28": LOGS}
):
    """Do the schemes raise the accuracy of every month?"""

    trace: tuple = parameter(STAND_INS, TRACE)
    window: str | None = parameter("1 month", WINDOW)
    threshold: float | None = parameter(0.5, or_none(SHARE))
    least: int = parameter(10, whole(1))
    least_jobs: int = parameter(LEAST_JOBS, whole(1))
    resamples: int = parameter(1000, RESAMPLES)
    seed: int = parameter(1, SEED)

    @cached_property
    def results(self):
        """Mean accuracy of the months that are simulated, from `accuracy`."""
        found = accuracy(self.found, self.resamples, self.seed, **self.options)
        simulated = self.months.query("simulated").index
        return found[[place for place in found if place[:2] in simulated]]

    @property
    def table(self):
        """The same on all users, a column a case."""
        return results.wide(self.results.loc[AS_IT_IS], "case")

    @cached_property
    def comparison(self):
        """What the text says in numbers of these months beside ours, by (trace, quantity)."""
        jobs = self.months.query("simulated").jobs.groupby("trace", sort=False)
        counts = {"jobs_a_month": jobs.mean(), "jobs_a_month_min": jobs.min(), "jobs_a_month_max": jobs.max()}
        counts = pd.DataFrame(counts).stack(future_stack=True).rename_axis(["trace", "quantity"]).to_frame("ours")
        means = {}
        for trace in counts.index.unique("trace"):
            of = self.results[trace].T.groupby("case", sort=False).mean().T
            means[trace, "original_accuracy"] = of["original"]
            means[trace, "least_accuracy"] = of.drop(columns="original").min(axis=1)
        means = pd.DataFrame(means).rename_axis(columns=["trace", "quantity"])
        return results.against(pd.concat([counts, results.summary(means)]), printed("fig13"))

    @property
    def reach(self):
        """How far the scheme of the 85th percentile reaches, from `reach`."""
        return reach(self.found, least_jobs=self.least_jobs, **self.options)

    def judge(self):
        found = {one.name: self.results[one.name] for one in self.found}
        note = "; ".join(f"{log}: {counted(self.table.loc[log])}" for log in found)
        raised = by_part({log: every_month(of) for log, of in found.items()})
        least = by_part({log: least_accurate(of) for log, of in found.items()})
        return [decide("TG-14", {TEXT: raised}, note), decide("TG-28", {TEXT: least})]

    def parts(self):
        return {
            "": Part(lambda: results.summary(self.results), lambda: by_month(self.table), cells=self.cells),
        }


def accuracy(traces, resamples=1000, seed=0, **options):
    """Average the accuracy of each month's jobs, with the users' estimates and adjusted, in the log's own times.

    Gives a DataFrame, by replication, a bootstrap over users; columns by trace, month and case: `original`, and
    one a percentile, such as `p95`, each with a `scheduling.scheme`.
    """
    tables = {}
    for number, trace in enumerate(traces):
        jobs = trace.workload.jobs
        schemes = {f"p{p}": scheduling.scheme(trace, p, **options) for p in PERCENTILES}
        a = walltime.parameters(jobs, trace.ends, list(schemes.values()))
        values = {"original": walltime.accuracy(trace.t_act, jobs.estimate)}
        for name, one in schemes.items():
            values[name] = walltime.accuracy(trace.t_act, walltime.t_sched(jobs.estimate, a[one]))
        by = [jobs.user, trace.workload.calendar_month(jobs.submit)]
        of_months = pd.DataFrame(values | {"jobs": 1.0}, jobs.index).groupby(by).sum().unstack(fill_value=0)
        drawn = cluster_means(of_months, np.ones(len(of_months)), resamples, [seed, number])
        found = {(month, case): drawn[case, month] / drawn["jobs", month] for month in drawn["jobs"] for case in values}
        tables[trace.name] = pd.DataFrame(found)
    return pd.concat(tables, axis=1, names=["trace", "month", "case"]).rename_axis("replication")


# What is measured of the text: claims TG-14 and TG-28


def every_month(found):
    """Measure the least gain of a scheme in a month, and by how much the 70th percentile is ahead of the others."""
    cases = {case: found.xs(case, axis=1, level="case") for case in found.columns.unique("case")}
    users = cases.pop("original")
    *others, best = cases.values()
    ahead = pd.concat([best - other for other in others], axis=1, keys=range(len(others)))
    gains = pd.concat([case - users for case in cases.values()], axis=1, keys=cases)
    return {"every month": smallest(gains), "most at the 70th": smallest(ahead)}


def least_accurate(found):
    """Measure the mean accuracy over the months of the least accurate scheme."""
    return {"above 0.6": smallest(found.T.groupby("case", sort=False).mean().T.drop(columns="original"))}


def counted(table):
    """Say in how many months all schemes raise the accuracy, and the last one most."""
    schemes = table.drop(columns="original")
    raised, best = schemes.gt(table.original, axis=0).all(axis=1), schemes.iloc[:, -1] >= schemes.max(axis=1)
    return f"all raise it in {raised.sum()} of {len(table)} months, {schemes.columns[-1]} most in {best.sum()}"


def by_month(table):
    """Draw a `Figure13.table`, a line a column, apart from each other; up to twelve months a panel."""
    shown = [(trace, months) for trace in table.index.unique("trace") for months in years(table.loc[trace])]
    figure, axes = panels(len(shown), 3, (4.3, 3), sharey=True)
    styles = dict(zip(table, [ORIGINAL_STYLE, *CASE_STYLES], strict=True))
    for place, (ax, (trace, months)) in enumerate(zip(axes, shown, strict=True)):
        for shift, (name, style) in enumerate(styles.items()):
            values = table.loc[trace].loc[months, name]
            ax.plot(np.arange(len(months)) + 0.13 * (shift - 1.5), values, markeredgecolor="white", **style)
        month_axis(ax, months)
        ax.set(title=trace, ylabel="mean accuracy" if place % 3 == 0 else "")
    low, high = np.floor(10 * table.min().min()) / 10, np.ceil(10 * table.max().max()) / 10
    axes[0].set_ylim(low, high)
    legend(figure, styles)
    return figure
