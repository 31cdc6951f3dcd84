"""Tables 1 and 2, Figures 1 and 2: how inaccurate the users' estimates are (sections 3 and 4.1)."""

from functools import cached_property
from itertools import pairwise, product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy
from matplotlib.ticker import PercentFormatter

from ...analysis.stats import cluster_means
from ...plots.style import COLOURS
from ...policies import walltime
from .. import claims, results
from ..claims import PRINTED, Measure
from ..exhibit import LOGS, Part
from ..parameters import RESAMPLES, SEED, parameter, whole
from ..verdicts import TEXT, published
from . import KEY_NAMES, STAND_INS, TRACE, OnTraces, between_groups, by_part, printed

# Which log is most like the paper's, and by what (Table 1, section 3).


MONTH = 365.25 / 12 * 86400
CORES = 4
"""Of a node of Intrepid, a Blue Gene/P."""

FORMS = {
    "year": "{:.0f}",
    "processors": "{:,.0f}",
    "jobs a month": "{:,.0f}",
    "users": "{:.0f}",
    "mean requested time [h]": "{:.1f}",
    "mean run time [h]": "{:.1f}",
    "mean R": "{:.2f}",
    "jobs with R below 0.2": "{:.0%}",
    "jobs with R below 0.5": "{:.0%}",
    "jobs with R above 0.8": "{:.0%}",
    "load": "{:.2f}",
}
"""What is compared, and how it is written. The paper does not print a load."""


def likeness(traces):
    """Lay out what logs are beside the paper's: by measure, a column a log, and which of them is `nearest`; all text.

    The nearest is that of the least ratio to the paper's number, or of that to it.
    """
    ours = pd.DataFrame({one.name: _of(one) for one in traces}, FORMS)
    printed_of = printed("table1", "fig1", "fig2", "fig13")
    paper = {
        "year": 2010,  # in the middle of January 2009 to June 2011
        "processors": CORES * printed_of.nodes,
        "jobs a month": printed_of.jobs_a_month,
        "users": printed_of.users,
        "mean requested time [h]": printed_of.mean_requested / 3600,
        "mean run time [h]": printed_of.mean_run / 3600,
        "mean R": printed_of.mean_R,
        "jobs with R below 0.2": printed_of["share_R_below_0.2"],
        "jobs with R below 0.5": printed_of["share_R_below_0.5"],
        "jobs with R above 0.8": printed_of["share_R_above_0.8"],
    }
    paper = pd.Series(paper).reindex(ours.index)
    away = np.log(ours.div(paper, axis=0)).abs().dropna()
    every = pd.concat([paper.rename("Tang et al."), ours], axis=1)
    text = pd.DataFrame({name: results.written(of, FORMS[name]) for name, of in every.iterrows()}).T
    return text.assign(nearest=away.idxmin(axis=1)).fillna("")


def _of(trace):
    """What is compared, of a log."""
    workload, jobs = trace.workload, trace.workload.jobs
    first, last = jobs.submit.iloc[[0, -1]]
    r = walltime.used(jobs.run, jobs.estimate)
    return {
        "year": int(workload.calendar_month(jobs.submit)[len(jobs) // 2][:4]),
        "processors": workload.procs,
        "jobs a month": len(jobs) / ((last - first) / MONTH),
        "users": jobs.user.nunique(),
        "mean requested time [h]": jobs.estimate.mean() / 3600,
        "mean run time [h]": jobs.run.mean() / 3600,
        "mean R": r.mean(),
        "jobs with R below 0.2": (r < 0.2).mean(),
        "jobs with R below 0.5": (r < 0.5).mean(),
        "jobs with R above 0.8": (r > 0.8).mean(),
        "load": workload.load,
    }


WEEK = 7 * 86400
NEAR = 0.99
"""From which R on it counts as close to 1, which the paper leaves open."""


class Table1Figures12(
    OnTraces, name="tang2013/table1-figures1-2", section="3", seconds=15, claims={"TG-01": LOGS, "TG-02": LOGS}
):
    """How inaccurate are the users' estimates?"""

    trace: tuple = parameter(STAND_INS, TRACE)
    bins: int = parameter(20, whole(1))
    least_jobs: int = parameter(1000, whole(1))
    resamples: int = parameter(1000, RESAMPLES)
    seed: int = parameter(1, SEED)

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
        spans = []
        for one in self.found:
            first, last = (one.workload.time(one.workload.jobs.submit.iloc[place]) for place in (0, -1))
            spans.append(f"{first:%Y-%m} to {last:%Y-%m}")
        wide.loc["time_span"] = ["2009-01 to 2011-06", *spans]
        return wide

    @property
    def likeness(self):
        """Which log is most like the paper's, and by what, from `likeness`."""
        return likeness(self.found)

    @cached_property
    def histogram(self):
        """The share of each log's jobs by R: a Series by (trace, lower edge); the last bin takes R = 1 too."""
        edges = np.linspace(0, 1, self.bins + 1)
        shares = {trace.name: np.histogram(used(trace), edges)[0] / len(trace.workload) for trace in self.found}
        return pd.DataFrame(shares, index=edges[:-1]).T.stack().rename_axis(["trace", "R_from"]).rename("ours")

    @cached_property
    def quarter_means(self):
        """Mean R by replication, a column a (trace, quarter of the log's calendar): a bootstrap over the log's weeks.

        A quarter of which the log has but some days is left out.
        """
        means = {}
        for trace in self.found:
            jobs, r = trace.workload.jobs, used(trace)
            week = (jobs.submit - jobs.submit.min()) // WEEK
            for number, (name, part) in enumerate(r.groupby(quarter_of(trace))):
                if len(part) >= self.least_jobs:
                    weeks = part.groupby(week[part.index]).agg(["sum", "size"])
                    drawn = cluster_means(weeks[["sum"]], weeks["size"], self.resamples, [self.seed, number])
                    means[trace.name, name] = drawn["sum"]
        return pd.DataFrame(means).rename_axis(index="replication", columns=["trace", "quarter"])

    @cached_property
    def quarters(self):
        """These with their spread, the number of `jobs`, and `std_R` over them, by (trace, quarter)."""
        of_jobs = {trace.name: used(trace).groupby(quarter_of(trace)).agg(["size", "std"]) for trace in self.found}
        of_jobs = pd.concat(of_jobs, names=["trace", "quarter"]).set_axis(["jobs", "std_R"], axis=1)
        return results.summary(self.quarter_means).join(of_jobs)

    def judge(self):
        shares = {one.name: shares_used(one, self.resamples, self.seed) for one in self.found}
        vary = {log: varies(self.quarter_means[log], self.quarters.jobs[log]) for log in shares}
        paper, range_of = printed("fig1"), printed("fig2")
        as_printed = {part: Measure.exactly(paper[quantity]) for part, quantity in SHARES.items()}
        width = (range_of.quarter_mean_max - range_of.quarter_mean_min) / range_of.mean_R
        ends = self.quarters.ours.groupby("trace", sort=False).agg(["idxmin", "idxmax"]).map(lambda place: place[1])
        note = "; ".join(f"{log}: lowest in {low}, highest in {high}" for log, low, high in ends.itertuples())
        return [
            claims.decide("TG-01", {TEXT: by_part(shares), PRINTED: as_printed}),
            claims.decide("TG-02", {TEXT: by_part(vary), PRINTED: {"varies": Measure.exactly(width)}}, note),
        ]

    def parts(self):
        return {
            "": Part(lambda: self.comparison, cells=self.cells),
            "likeness": Part(lambda: self.likeness.rename_axis("measure")),
            "figure1": Part(self.histogram.to_frame, lambda: cumulated(self.histogram)),
            "figure2": Part(lambda: self.quarters, lambda: by_quarter(self.quarters)),
        }


class Table2(OnTraces, name="tang2013/table2", section="4.1", seconds=10, claims={"TG-03": LOGS, "TG-21": LOGS}):
    """Do similar jobs use similar shares of their estimates?"""

    trace: tuple = parameter(STAND_INS, TRACE)
    least: int = parameter(10, whole(1))
    resamples: int = parameter(1000, RESAMPLES)
    seed: int = parameter(1, SEED)

    @cached_property
    def scatter(self):
        """The mean standard deviation of R within groups: a column a (trace, key), from `scatter_within`."""
        found = {
            one.name: scatter_within(one, self.least, self.resamples, [self.seed, number])
            for number, one in enumerate(self.found)
        }
        return pd.concat(found, axis=1, names=["trace", "key"])

    @cached_property
    def comparison(self):
        """How far R scatters within groups of similar jobs beside the printed numbers, by (trace, key, metric).

        The key "all" has all jobs in one group. Metrics are the number of `groups`; the mean `std` of R over them (each
        counts once; divisor n - 1), with a bootstrap over users; `jobs_share`, the share of the jobs in them.
        """
        spread = results.summary(self.scatter)
        found = {(*place, "std"): row for place, row in spread.iterrows()}
        for trace, key in product(self.found, ("all", *KEY_NAMES)):
            size = groups(trace, key)["size"]
            size = size[size >= self.least]
            found[trace.name, key, "groups"] = {"ours": len(size)}
            found[trace.name, key, "jobs_share"] = {"ours": size.sum() / len(trace.workload)}
        table = pd.DataFrame(found).T.rename_axis(["trace", "key", "metric"])[[*spread]]
        return results.against(results.by(table, *table.index.names), self._paper)

    @property
    def _paper(self):
        return published("tang2013_table2").set_index(["key", "metric"]).value

    @property
    def table(self):
        """The same for reading, by (trace, key), the paper's first."""
        wide, std = results.wide(self.comparison.ours, "metric"), self.comparison.xs("std", level="metric")
        paper = results.wide(self.comparison.loc[self.found[0].name].published, "metric")
        return pd.concat([pd.concat({"Tang et al.": paper}, names=["trace"]), wide.join(std[["sd", "low", "high"]])])

    @cached_property
    def averages(self):
        """How far the average of the earlier jobs' R is from their median, by trace and `least`, from `mean_distance`.

        The earlier jobs are the similar ones by the triple key: any, or at least so many.
        """
        return {
            one.name: {least: mean_distance(one, least, self.resamples, self.seed) for least in (1, self.least)}
            for one in self.found
        }

    def judge(self):
        scatter = {one.name: steps(self.scatter[one.name]) for one in self.found}
        close = {log: {"close": Measure.spread(of[1])} for log, of in self.averages.items()}
        more = (f"{log} {of[self.least][results.AS_IT_IS]:.3f}" for log, of in self.averages.items())
        note = f"with at least {self.least} earlier jobs: {', '.join(more)}"
        return [
            claims.decide(
                "TG-03",
                {TEXT: by_part(scatter), PRINTED: steps(self._paper.xs("std", level="metric"), Measure.exactly)},
            ),
            claims.decide("TG-21", {TEXT: by_part(close)}, note),
        ]

    def parts(self):
        return {"": Part(lambda: self.comparison, lambda: spread_within_groups(self.table), cells=self.cells)}


def used(trace):
    """Work out R of each job (equation 1), as a Series."""
    jobs = trace.workload.jobs
    return pd.Series(walltime.used(jobs.run, jobs.estimate), jobs.index, name="R")


# Table 1, Figures 1 and 2


def quarter_of(trace):
    """The quarter of the log's calendar in which each job was submitted, such as "1998 Q3"."""
    number, months = pd.factorize(trace.workload.calendar_month(trace.workload.jobs.submit))  # jobs are many
    return pd.PeriodIndex(months, freq="M").asfreq("Q").strftime("%Y Q%q").take(number)


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
    size = (1.6 + 0.4 * sum(widths), 3.4)
    figure, axes = plt.subplots(1, len(traces), figsize=size, sharey=True, squeeze=False, width_ratios=widths)
    paper = printed("fig2")
    for ax, trace in zip(axes[0], traces, strict=True):
        part = table.loc[trace]
        x = np.arange(len(part))
        span = paper.quarter_mean_min, paper.quarter_mean_max
        band = ax.axhspan(*span, color="#EEEEEE", zorder=0, label="printed: range of the quarters")
        line = ax.axhline(paper.mean_R, color="grey", linestyle="--", linewidth=1, label="printed: mean of all jobs")
        error = [(part.ours - part.low).clip(lower=0), (part.high - part.ours).clip(lower=0)]  # few resamples
        style = {"color": COLOURS[0], "marker": "o", "linestyle": "", "capsize": 3}
        dots = ax.errorbar(x, part.ours, error, label="this log, with its 95 % interval", **style)
        ax.set_xticks(x, part.index, rotation=90)
        ax.set(xlim=(-0.7, len(part) - 0.3), ylim=(0, 0.7))
        ax.set_title(trace)
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("mean R")
    figure.legend(handles=[dots, line, band], loc="outside upper center", ncols=3)
    return figure


SHARES = {
    "below half": "share_R_below_0.5",
    "below a fifth": "share_R_below_0.2",
    "above 80 per cent": "share_R_above_0.8",
}
"""By part of TG-01 the printed number."""


def shares_used(trace, resamples, seed):
    """Measure the shares of the jobs by how much of their requested time they use, with a bootstrap over users."""
    r = used(trace)
    of = pd.DataFrame({"below half": r < 0.5, "below a fifth": r < 0.2, "above 80 per cent": r > 0.8})
    by_user = of.groupby(trace.workload.jobs.user)
    shares = cluster_means(by_user.sum(), by_user.size(), resamples, seed)
    return {part: Measure.spread(shares[part]) for part in of}


def varies(means, jobs):
    """Measure how far the highest quarter is above the lowest, over the mean of all jobs."""
    ours = means.loc[results.AS_IT_IS]
    all_jobs = (means * jobs).sum(axis=1) / jobs[means.columns].sum()
    return {"varies": Measure.spread((means[ours.idxmax()] - means[ours.idxmin()]) / all_jobs)}


# Table 2


def spread_within_groups(table):
    """Draw the mean standard deviation of R within groups by key, a panel a trace; dashed is that of all jobs."""
    traces, names = list(table.index.unique("trace")), list(KEY_NAMES)
    size = (1 + 2.3 * len(traces), 2.9)
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


def groups(trace, key):
    """Take the jobs in groups with the same key, or "all": `std` of R, `size`, and the first of its `circles`."""
    jobs = trace.workload.jobs
    columns = [] if key == "all" else walltime.Scheme(key, project=trace.project).columns
    of = pd.DataFrame({"r": used(trace), "circle": circles(trace)}).groupby(
        [jobs[column] for column in columns] or np.zeros(len(jobs))
    )
    return of.r.agg(["std", "size"]).assign(circle=of.circle.first())


def scatter_within(trace, least, resamples, seed):
    """Average the standard deviation of R over the groups of "all" and each key: by replication, a column each.

    A bootstrap over users, of whom those that share a project stay together: else two copies of a user would share it,
    and R would scatter less within projects.
    """
    circle = circles(trace)
    moments = pd.DataFrame({"r": used(trace), "square": used(trace) ** 2})
    sums, counts = moments.groupby(circle).sum(), circle.value_counts(sort=False).sort_index()
    means = cluster_means(sums, counts, resamples, seed)
    found = {"all": np.sqrt((means.square - means.r**2) * len(circle) / (len(circle) - 1))}
    for key in KEY_NAMES:
        of_key = groups(trace, key)
        of_key = of_key[of_key["size"] >= least].groupby("circle")["std"].agg(["sum", "size"])
        of_key = of_key.reindex(sums.index, fill_value=0)
        found[key] = cluster_means(of_key[["sum"]], of_key["size"], resamples, seed)["sum"]
    return pd.DataFrame(found).rename_axis("replication")


def circles(trace):
    """Number the circles of users, by job: two who share a project are in one, and whoever shares one with either."""
    jobs = trace.workload.jobs
    user, project = (pd.factorize(jobs[column])[0].astype(np.int32) for column in ("user", trace.project))
    count = user.max() + project.max() + 2
    links = scipy.sparse.coo_array((np.ones(len(jobs)), (user, user.max() + 1 + project)), shape=(count, count))
    return pd.Series(scipy.sparse.csgraph.connected_components(links)[1][user], jobs.index, name="circle")


def steps(std, measure=between_groups):
    """Measure by how much less R scatters with each key than with the one before it, the first than over all jobs."""
    keys = ["all", *KEY_NAMES]
    return {KEY_NAMES[key]: measure(std[before] - std[key]) for before, key in pairwise(keys)}


def mean_distance(trace, least, resamples, seed):
    """Work out how far the average of R over the similar earlier jobs is from its median, a mean over the jobs.

    Similar by the triple key, of which there must be `least`. By replication: a bootstrap over users.
    """
    jobs = trace.workload.jobs
    scheme = walltime.Scheme(window=None, percentile=50, least=least, project=trace.project)
    median = walltime.parameters(jobs, trace.ends, [scheme])[scheme]
    distance = (earlier_average(jobs, trace.ends, scheme.columns) - median).abs().groupby(jobs.user)
    return cluster_means(distance.sum().to_frame("mean"), distance.count(), resamples, seed)["mean"]


def earlier_average(jobs, ends, columns):
    """Average R over the jobs with the same key that had ended when a job was submitted; nan where there is none."""
    group, end = jobs.groupby(columns).ngroup().to_numpy(), ends.loc[jobs.index].to_numpy()
    span = end.max() + 1  # so that group and second make one number, in whose order the jobs of a group end
    ended = group * span + end
    order = np.argsort(ended)
    total = np.append(0, np.cumsum(walltime.used(jobs.run, jobs.estimate)[order]))
    first, past = (np.searchsorted(ended[order], group * span + second) for second in (0, jobs.submit.to_numpy()))
    with np.errstate(invalid="ignore"):
        return pd.Series((total[past] - total[first]) / (past - first), jobs.index)
