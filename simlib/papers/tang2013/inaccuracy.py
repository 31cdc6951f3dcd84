"""Tables 1 and 2, Figures 1 and 2: how inaccurate the users' estimates are (sections 3 and 4.1)."""

from functools import cached_property
from itertools import pairwise, product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from ... import walltime
from ...confidence import cluster_means
from ...plots import COLOURS
from ...stats import Interval
from .. import results
from ..exhibit import LOGS, Part
from ..judging import published
from . import KEY_NAMES, STAND_INS, decide, printed, said
from .on_traces import OnTraces

WEEK = 7 * 86400
NEAR = 0.99
"""From which R on it counts as close to 1, which the paper leaves open."""


class Table1Figures12(
    OnTraces, name="tang2013/table1-figures1-2", section="3", seconds=15, claims={"TG-01": LOGS, "TG-02": LOGS}
):
    """How inaccurate are the users' estimates?"""

    trace: tuple = STAND_INS
    bins: int = 20
    least_jobs: int = 1000
    resamples: int = 1000
    seed: int = 1

    @cached_property
    def comparison(self):
        """Table 1 and Figures 1 and 2 beside the printed numbers, by (trace, quantity); times in seconds."""
        found = {}
        for trace in self.found:
            jobs, r = trace.workload.jobs, used(trace)
            ours = {
                "jobs": len(jobs),
                "nodes": trace.workload.procs,
                "mean_run": jobs.run.mean(),
                "mean_requested": jobs.estimate.mean(),
                "projects": jobs[trace.project].nunique(),
                "users": jobs.user.nunique(),
                "share_R_near_1": (r >= NEAR).mean(),
                "share_R_above_0.8": (r > 0.8).mean(),
                "share_R_below_0.5": (r < 0.5).mean(),
                "share_R_below_0.2": (r < 0.2).mean(),
                "mean_R": r.mean(),
                "std_R": r.std(),
            }
            ends = self.quarters.loc[trace.name].sort_values("ours").iloc[[0, -1]]
            ends = ends.set_axis(["quarter_mean_min", "quarter_mean_max"]).drop(columns=["jobs", "std_R"])
            found[trace.name] = pd.concat([pd.DataFrame({"ours": ours}), ends])
        table = pd.concat(found, names=["trace", "quantity"])
        return results.against(table, printed("table1", "fig1", "fig2"))

    @property
    def table(self):
        """The same for reading, as the paper has it: a column a log, its own first; all text."""
        wide = results.wide(self.comparison.ours, "trace")
        wide.insert(0, "Tang et al.", self.comparison.published.groupby(level="quantity").first())
        wide = wide.map(lambda value: f"{value:,.0f}" if value > 2 else f"{value:.2f}")
        wide.loc["time_span"] = ["2009-01 to 2011-06", *map(time_span, self.found)]
        return wide

    @cached_property
    def histogram(self):
        """The share of each log's jobs by R: a Series by (trace, lower edge); the last bin takes R = 1 too."""
        edges = np.linspace(0, 1, self.bins + 1)
        shares = {trace.name: np.histogram(used(trace), edges)[0] / len(trace.workload) for trace in self.found}
        return pd.DataFrame(shares, index=edges[:-1]).T.stack().rename_axis(["trace", "R_from"]).rename("ours")

    @cached_property
    def quarters(self):
        """Mean R by (trace, quarter of the log's calendar), such as "1998 Q3", with a bootstrap over its weeks.

        With the number of `jobs`, and `std_R` over them. A quarter of which the log has but some days is left out.
        """
        means, of_jobs = {}, {}
        for trace in self.found:
            jobs, r = trace.workload.jobs, used(trace)
            quarter = pd.PeriodIndex(trace.workload.calendar_month(jobs.submit), freq="M").asfreq("Q")
            week = (jobs.submit - jobs.submit.min()) // WEEK
            for number, (name, part) in enumerate(r.groupby(quarter)):
                if len(part) >= self.least_jobs:
                    place = trace.name, f"{name.year} Q{name.quarter}"
                    weeks = part.groupby(week[part.index]).agg(["sum", "size"])
                    drawn = cluster_means(weeks[["sum"]], weeks["size"], self.resamples, [self.seed, number])
                    means[place], of_jobs[place] = drawn["sum"], {"jobs": len(part), "std_R": part.std()}
        table = results.summary(pd.DataFrame(means).rename_axis(index="replication", columns=["trace", "quarter"]))
        return table.join(pd.DataFrame(of_jobs).T.rename_axis(["trace", "quarter"]))

    def judge(self):
        ours, by_quarter = self.comparison.ours, self.quarters
        logs = by_quarter.index.unique("trace")
        return [
            decide("TG-01", {log: _overestimation(ours[log]) for log in logs}),
            decide("TG-02", {log: _varies(by_quarter.loc[log]) for log in logs}),
        ]

    def parts(self):
        return {
            "": Part(lambda: self.comparison, cells=self.cells),
            "figure1": Part(self.histogram.to_frame, lambda: cumulated(self.histogram)),
            "figure2": Part(lambda: self.quarters, lambda: by_quarter(self.quarters)),
        }


class Table2(OnTraces, name="tang2013/table2", section="4.1", seconds=10, claims={"TG-03": LOGS}):
    """Do similar jobs use similar shares of their estimates?"""

    trace: tuple = STAND_INS
    least: int = 10

    @cached_property
    def comparison(self):
        """How far R scatters within groups of similar jobs beside the printed numbers, by (trace, key, metric).

        The key "all" has all jobs in one group. Metrics are the number of `groups`; the mean `std` of R over them (each
        counts once; divisor n - 1), `sd` being its standard error; `jobs_share`, the share of the jobs in them.
        """
        found = {}
        for trace, key in product(self.found, ("all", *KEY_NAMES)):
            r, jobs = used(trace), trace.workload.jobs
            columns = [] if key == "all" else walltime.Scheme(key, project=trace.project).columns
            groups = r.groupby([jobs[column] for column in columns] or np.zeros(len(r))).agg(["std", "size"])
            groups = groups[groups["size"] >= self.least]
            mean, se = groups["std"].mean(), groups["std"].sem()
            interval = vars(Interval.normal(mean, se)) if len(groups) > 1 else {}
            found[trace.name, key, "groups"] = {"ours": len(groups)}
            found[trace.name, key, "std"] = {"ours": mean, "sd": se, **interval}
            found[trace.name, key, "jobs_share"] = {"ours": groups["size"].sum() / len(r)}
        table = pd.DataFrame(found).T.rename_axis(["trace", "key", "metric"])
        return results.against(table, published("tang2013_table2").set_index(["key", "metric"]).value)

    @property
    def table(self):
        """The same for reading, by (trace, key), the paper's first."""
        wide, std = results.wide(self.comparison.ours, "metric"), self.comparison.xs("std", level="metric")
        paper = results.wide(self.comparison.loc[self.found[0].name].published, "metric")
        return pd.concat([pd.concat({"Tang et al.": paper}, names=["trace"]), wide.join(std[["sd", "low", "high"]])])

    def judge(self):
        return [decide("TG-03", {one.name: _order(self.comparison.loc[one.name]) for one in self.found})]

    def parts(self):
        return {"": Part(lambda: self.comparison, lambda: spread_within_groups(self.table), cells=self.cells)}


def used(trace):
    """Work out R of each job (equation 1), as a Series."""
    jobs = trace.workload.jobs
    return pd.Series(walltime.used(jobs.run, jobs.estimate), jobs.index, name="R")


# Table 1, Figures 1 and 2


def time_span(trace):
    """The months from the first job to the last, as text."""
    first, last = (trace.workload.time(trace.workload.jobs.submit.iloc[place]) for place in (0, -1))
    return f"{first:%Y-%m} to {last:%Y-%m}"


def cumulated(histogram):
    """Draw how R is distributed: histograms, and cumulative with what the paper prints as circles."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.6))
    names = histogram.index.unique("trace")
    for name, colour in zip(names, COLOURS, strict=False):
        shares = histogram[name]
        edges = np.append(shares.index, 1.0)
        left.stairs(shares, edges, color=colour, linewidth=1.6)
        right.plot(edges, np.append(0, shares.cumsum()), color=colour, label=name)
    paper = printed("fig1")
    below = paper["share_R_below_0.2"], paper["share_R_below_0.5"], 1 - paper["share_R_above_0.8"]
    circles = {"marker": "o", "linestyle": "", "color": "black", "fillstyle": "none", "markersize": 7}
    right.plot((0.2, 0.5, 0.8), below, **circles, label="printed")
    left.set(xlabel="R = run time / requested time", xlim=(0, 1), ylabel=f"jobs, by steps of {edges[1]:g}")
    left.set_ylim(0)
    right.set(ylabel="jobs up to here", xlim=(0, 1.01), ylim=(0, 1.01), xlabel="R")
    for ax in (left, right):
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper center", ncols=len(names) + 1)
    return figure


def by_quarter(table):
    """Draw the means of quarters with their intervals, a panel a trace; grey is the range that the paper prints."""
    traces = list(table.index.unique("trace"))
    widths = [2 + len(table.loc[trace]) for trace in traces]
    size = (1.6 + 0.55 * sum(widths), 3.4)
    figure, axes = plt.subplots(1, len(traces), figsize=size, sharey=True, squeeze=False, width_ratios=widths)
    paper = printed("fig2")
    for ax, trace in zip(axes[0], traces, strict=True):
        part = table.loc[trace]
        x = np.arange(len(part))
        span = paper.quarter_mean_min, paper.quarter_mean_max
        band = ax.axhspan(*span, color="#EEEEEE", zorder=0, label="printed: range of the quarters")
        line = ax.axhline(paper.mean_R, color="grey", linestyle="--", linewidth=1, label="printed: mean of all jobs")
        error = [part.ours - part.low, part.high - part.ours]
        style = {"color": COLOURS[0], "marker": "o", "linestyle": "", "capsize": 3}
        dots = ax.errorbar(x, part.ours, error, label="this log, with its 95 % interval", **style)
        ax.set_xticks(x, part.index, rotation=90)
        ax.set(xlim=(-0.7, len(part) - 0.3), ylim=(0, 0.7))
        ax.set_title(trace)
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("mean R")
    figure.legend(handles=[dots, line, band], loc="outside upper center", ncols=3)
    return figure


def _overestimation(ours):
    """Half the jobs or more use less than half, and a quarter or less more than 80 per cent; each share within 0.1."""
    paper = printed("fig1")
    names = ["share_R_below_0.5", "share_R_below_0.2", "share_R_above_0.8"]
    half, fifth, most = ours[names]
    near = (ours[names] - paper[names]).abs() <= 0.1
    text = f"{half:.0%} of the jobs use less than half, {fifth:.0%} less than a fifth, {most:.0%} more than 80 %"
    return [half >= 0.5, most <= 0.25, near.all()], text


def _varies(part):
    """Highest less lowest quarter, relative to the mean, at least half the paper's; clear of each other's intervals."""
    paper = printed("fig2")
    wanted = (paper.quarter_mean_max - paper.quarter_mean_min) / paper.mean_R / 2
    lowest, highest = part.loc[part.ours.idxmin()], part.loc[part.ours.idxmax()]
    width = (highest.ours - lowest.ours) / np.average(part.ours, weights=part.jobs)
    low, high = (f"{said(row.ours, row)} in {row.name}" for row in (lowest, highest))
    return [width >= wanted, lowest.high < highest.low], f"from {low} to {high}, {width:.0%} of the mean"


# Table 2


def spread_within_groups(table):
    """Draw the mean standard deviation of R within groups by key, a panel a trace; dashed is that of all jobs."""
    traces, names = list(table.index.unique("trace")), list(KEY_NAMES)
    size = (1 + 2.9 * len(traces), 2.9)
    figure, axes = plt.subplots(1, len(traces), figsize=size, sharex=True, sharey=True, squeeze=False)
    y = np.arange(len(names))
    for number, (ax, trace) in enumerate(zip(axes[0], traces, strict=True)):
        part = table.loc[trace].loc[names]
        colour, fill = (COLOURS[0], "full") if number else ("black", "none")  # hollow what is printed
        ax.hlines(y, part.low, part.high, color=colour, linewidth=3, alpha=0.4)
        ax.plot(part["std"], y, "o", color=colour, fillstyle=fill)
        ax.axvline(table.loc[(trace, "all"), "std"], color=colour, linestyle="--", linewidth=1)
        for place, row in enumerate(part.itertuples()):
            text = {"xytext": (0, 8), "textcoords": "offset points", "ha": "center", "size": 8}
            ax.annotate(f"{row.groups:,.0f} groups", (row.std, place), **text)
        ax.margins(x=0.15)
        ax.set_xlabel("mean standard deviation of R")
        ax.set_title(trace)
        ax.grid(False, axis="y")
    axes[0, 0].set(yticks=y, yticklabels=list(KEY_NAMES.values()), ylim=(len(names) - 0.5, -0.7))
    return figure


def _order(table):
    """Every key's mean is clearly below all jobs' standard deviation; the keys are in the paper's order.

    Where two keys make the same groups, as user and user+project do if no user has two projects, there is no order.
    """
    ours, std = table.ours.unstack("metric"), table.xs("std", level="metric")
    all_jobs, of_keys = std.ours["all"], std.loc[list(KEY_NAMES)]
    steps = [(one, other) for one, other in pairwise(KEY_NAMES) if not ours.loc[one].equals(ours.loc[other])]
    texts = [f"{KEY_NAMES[row.Index]} {row.ours:.3f} +- {row.high - row.ours:.3f}" for row in of_keys.itertuples()]
    below = (of_keys.high < all_jobs).all()
    return [
        below,
        *(std.ours[one] > std.ours[other] for one, other in steps),
    ], f"all jobs {all_jobs:.3f}; " + ", ".join(texts)
