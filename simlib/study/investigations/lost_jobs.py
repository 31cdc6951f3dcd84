"""The lost jobs: what cleaning took out of three of the paper's logs, when, what it was like, and what it explains."""

from dataclasses import replace
from functools import cached_property, partial
from itertools import permutations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter

from ...analysis.replicate import replicate
from ...analysis.stats import band
from ...plots.panels import legend
from ...plots.style import COLOURS
from ..claims import finding
from ..exhibit import LOGS, Part
from ..mualem2001 import LABELS, METRICS, SCHEDULERS, TRACES, policies
from ..mualem2001.on_traces import OnTraces, across
from ..parameters import SECONDS, SEED, parameter, repeats, some, some_of
from ..verdicts import LIKELY, RESTORED, published
from .suspects import LEAST, fit, monthly, printed

# What the lost jobs explain, held against the criteria of `data/findings.csv`: OWN-07 to OWN-09.


IDS = ("OWN-07", "OWN-08", "OWN-09")


def _counted(counts, lost=None):
    if counts.empty:
        return finding("OWN-07", None, "the cleaned logs are not at hand", {})
    off, before = (counts[column].sub(counts.published).abs() for column in ("median", "ours"))
    lacking = counts.missing > 0
    parts = [(off / counts.published)[lacking].median() <= 0.02]
    text = (
        f"of {lacking.sum()} months the median one is {before[lacking].median():.0f} jobs off as filed, and "
        f"{off[lacking].median():.0f} with the lost jobs back"
    )
    numbers = {"before": before[lacking].median(), "after": off[lacking].median()}
    return finding(
        "OWN-07", all(parts), text, numbers | {name.lower(): int(jobs) for name, jobs in (lost or {}).items()}
    )


def _cured(cures):
    """The cure is likelier than the file and than jobs at any time; jobs put into a whole log make it less likely."""
    if not {"CTC", "Par", "KTH"} <= set(cures.index.unique("trace")):
        return finding("OWN-08", None, "the cleaned logs are not at hand", {})
    likelihood = cures.log_likelihood.unstack("cure")
    lost, whole = likelihood.loc[["CTC", "Par"]], likelihood.loc["KTH"]
    parts = [
        (lost["put back"] - lost["as filed"] > LEAST).all(),
        (lost["put back"] - lost["put back at any time"] > LEAST).all(),
        (whole["as filed"] - whole["put into a log that lost none"] > LEAST).all(),
    ]
    off = cures.loc["Par"][list(METRICS)].groupby("cure").mean()
    numbers = {"before": off.response_s["as filed"], "after": off.response_s["put back"]}
    numbers["any_time"] = off.response_s["put back at any time"]
    gains = ", ".join(
        f"{trace} {scheduler} {lost['put back'][trace, scheduler] - lost['as filed'][trace, scheduler]:+.0f}"
        for trace, scheduler in lost.index
    )
    worse = ", ".join(
        f"{scheduler} {whole['put into a log that lost none'][scheduler] - whole['as filed'][scheduler]:+.0f}"
        for scheduler in SCHEDULERS
    )
    text = (
        f"log likelihood {gains}; Par's response times are off by {numbers['before']:.1%} as filed, "
        f"{numbers['after']:.1%} with the jobs back, {numbers['any_time']:.1%} if they come at any time; KTH with jobs "
        f"that it did not lose: {worse}"
    )
    return finding("OWN-08", all(parts), text, numbers)


def _months(orders):
    if orders is None:
        return finding("OWN-09", None, "the log of CM-5 is not at hand", {})
    best, calendar = orders.iloc[0], orders[orders.calendar].iloc[0]
    more = {name: best[f"log_likelihood_{name}"] - calendar[f"log_likelihood_{name}"] for name in SCHEDULERS}
    parts = [best.name == "28 31 30 31 31", *(gain > LEAST for gain in more.values())]
    second = orders.iloc[1]
    text = (
        f"in days {best.name}: {best.jobs_off_easy:.0f} jobs off in all, the next best order {second.name} "
        f"{second.jobs_off_easy:.0f}, the calendar {calendar.jobs_off_easy:.0f}; loads off by {best.load_off_easy:.3f} "
        f"in place of {calendar.load_off_easy:.3f}; the means, which had no say, likelier by "
        f"{', '.join(f'{gain:.0f} ({name})' for name, gain in more.items())}"
    )
    numbers = {"jobs": best.jobs_off_easy, "calendar": calendar.jobs_off_easy, "more": min(more.values())}
    return finding("OWN-09", all(parts), text, numbers)


# The pictures of the lost jobs' notebook; each function draws a table, and computes nothing.


def counts(table):
    """Draw what each month lacks of its printed number of jobs, and how many numbers are missing: a panel a trace."""
    traces = list(table.index.unique("trace"))
    months = [len(table.loc[trace]) for trace in traces]
    figure, axes = plt.subplots(
        1, len(traces), figsize=(2.5 + 0.27 * sum(months), 3.6), width_ratios=months, squeeze=False
    )
    for ax, trace in zip(axes[0], traces, strict=True):
        of = table.loc[trace]
        x = np.arange(len(of))
        ax.bar(x, of.missing, color=COLOURS[5], width=0.75)
        ax.plot(x, of.short, "o", color=COLOURS[1], markersize=5)
        ax.plot(x, of.published - of["median"], "_", color=COLOURS[0], markersize=9, markeredgewidth=2)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xticks(x, of.index, rotation=90)
        ax.set(title=trace, xlim=(-0.7, len(x) - 0.3))
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("jobs")
    entries = {
        "missing by their numbers": {"facecolor": COLOURS[5]},
        "printed, less those of the file": {"marker": "o", "color": COLOURS[1], "linestyle": ""},
        "printed, less those of the restored log": {"marker": "_", "color": COLOURS[0], "linestyle": ""},
    }
    legend(figure, entries)
    return figure


def run_times(tried, folds, lowest=-40):
    """Draw how likely the Paragon's printed months are by the nightly jobs' run time: a line each half of them."""
    figure, ax = plt.subplots(figsize=(6.5, 3.4))
    for fold, colour in zip(folds, (COLOURS[2], COLOURS[3], *COLOURS[:2]), strict=True):
        likelihood = tried.log_likelihood[in_fold(tried, fold)].groupby("value").sum()
        label = "EASY" if fold == "easy" else fold
        ax.plot(likelihood.index, likelihood - likelihood.max(), "o-", color=colour, markersize=4, label=label)
    ax.set(xlabel="mean run time of the nightly jobs [s]", ylabel="log likelihood, below the best", ylim=(lowest, 2))
    ax.legend(title="inferred from", loc="lower center")
    return figure


def draw_orders(table):
    """Draw how far each order of the lengths of CM-5's first months is off, the best first."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 1 + 0.24 * len(table)), sharey=True)
    y = np.arange(len(table))
    for scheduler, colour, mark in zip(SCHEDULERS, COLOURS[:2], "os", strict=True):
        name = "EASY" if scheduler == "easy" else scheduler
        left.plot(table[f"jobs_off_{scheduler}"], y, mark, color=colour, markersize=5, fillstyle="none", label=name)
        right.plot(table[f"log_likelihood_{scheduler}"], y, mark, color=colour, markersize=5, fillstyle="none")
    labels = [f"{days}, the calendar" if row.calendar else days for days, row in table.iterrows()]
    left.set_yticks(y, labels)
    left.invert_yaxis()
    left.set(xlabel="numbers of jobs off, five months together", ylabel="days of the first months", xlim=(0, None))
    right.set_xlabel("log likelihood of the means, which had no say")
    figure.legend(loc="outside upper right", ncols=2)
    return figure


def cures(table):
    """Draw by how much the printed means are missed, as filed, cured, and falsely cured: a panel a metric."""
    figure, axes = plt.subplots(1, len(METRICS), figsize=(9.5, 1.2 + 0.2 * len(table)), sharey=True)
    looks = ("o", "#888888"), ("X", COLOURS[4]), ("o", COLOURS[2]), ("o", COLOURS[5]), ("X", COLOURS[1])
    styles = dict(zip(table.index.unique("cure"), looks, strict=False))
    groups = list(table.groupby(["trace", "scheduler"], sort=False))
    for ax, metric in zip(axes, METRICS, strict=True):
        for y, (_, part) in enumerate(groups):
            for cure, off in part[metric].droplevel(["trace", "scheduler"]).items():
                marker, colour = styles[cure]
                ax.plot(off, y, marker, color=colour, markersize=7)
        ax.set(xlabel=f"{LABELS[metric].partition(' [')[0]}, off in the median month", xscale="log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(PercentFormatter(1))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_yticks(range(len(groups)), [" ".join(key).replace("easy", "EASY") for key, _ in groups])
    axes[0].invert_yaxis()
    legend(figure, {cure: {"marker": m, "color": c, "linestyle": ""} for cure, (m, c) in styles.items()})
    return figure


PROGRAMS = {scheduler: policy for (scheduler, _), policy in policies([LIKELY]).items()}
"""The likely program of each scheduler."""

WITHIN = 2.0
"""A setting whose log likelihood is not further below the best one's is as good."""

LENGTHS = (28, 30, 31, 31, 31)
"""The days of CM-5's first five months, in some order: October to February."""

FOLDS = ("odd months", "even months", *SCHEDULERS)
"""What a setting is inferred from; it is judged on what is left."""

AS_FILED, PUT_BACK, IN_MONTH = "as filed", "put back", "put back in their months"
ANYWHERE, UNCALLED = "put back at any time", "put into a log that lost none"
"""The cure, what it is held against, a weaker one, and two that must not do as well."""


class LostJobs(
    OnTraces,
    name="mualem2001/lost-jobs",
    section="5",
    seconds=30,
    after="mualem2001/table1",
    claims=dict.fromkeys(IDS, LOGS),
):
    """What cleaning took out of the logs, put back."""

    puts_back = True

    traces: tuple = parameter(("CTC", "KTH", "Par", "CM5"), some_of(TRACES))
    run_times: tuple = parameter((900, 1200, 1500, 1800, 2100, 2400, 2700, 3000), some(SECONDS))
    requests: tuple = parameter((7201, 10800, 14400, 21600, 43200, 64800), some(SECONDS))
    spacings: tuple = parameter((1, 9, 48), some(SECONDS))
    shakes: int = repeats(20)
    shake_s: int = parameter(60, SECONDS)
    seed: int = parameter(0, SEED)

    @property
    def by_name(self):
        """The traces at hand, by the paper's name; of two years the one that lost jobs."""
        return {trace.trace: trace for trace in sorted(self.found, key=lambda trace: bool(trace.lost))}

    # When

    @cached_property
    def counts(self):
        """The jobs of each month, by (trace, month): see `counted`."""
        found = {name: counted(trace, **self.settings) for name, trace in self.by_name.items() if trace.lost}
        return pd.concat(found, names=["trace"]) if found else pd.DataFrame(columns=["published"])

    @cached_property
    def orders(self):
        """How well each order of the lengths of CM-5's first months fits, from `orders`; None without its log."""
        trace = self.by_name.get("CM5")
        return orders(trace, LENGTHS, **self.settings) if trace and trace.begin_on else None

    # What they were like

    @cached_property
    def tried_par(self):
        """The Paragon's months with nightly jobs of each run time, from `tried`."""
        return self._tried("Par", 5, "run", {mean: {"mean": mean, "log_sd": 1.37} for mean in self.run_times})

    @cached_property
    def tried_ctc(self):
        """CTC's January with each requested time of the lost burst, from `tried`."""
        return self._tried("CTC", 135, "requested_time", {asked: asked for asked in self.requests})

    @cached_property
    def tried_spacings(self):
        """CTC's January with the lost burst so many seconds apart within each gap, from `tried`; 0: spread evenly."""
        return self._tried("CTC", 135, "every", {0: None} | {every: every for every in self.spacings})

    def _tried(self, name, user, field, values):
        trace = self.by_name.get(name)
        if trace is None or not trace.lost:
            return None
        settings = {name: trace.lost.with_setting(user, field, value) for name, value in values.items()}
        return tried(trace, settings, **self.settings)

    @cached_property
    def inferred(self):
        """What each half says, and how it does on the other, from `across`: by (trace, setting, inferred from)."""
        found = {}
        if self.tried_par is not None:
            found["Par", "run time of the nightly jobs [s]"] = across(self.tried_par, FOLDS)
        if self.tried_ctc is not None:
            january = self.tried_ctc.xs("1997-01", level="month", drop_level=False)
            found["CTC", "requested time of the burst [s]"] = across(january, SCHEDULERS)
        return pd.concat(found, names=["trace", "setting"]) if found else pd.DataFrame(columns=["best"])

    # What they explain

    @cached_property
    def cures(self):
        """How well printed numbers are met as filed, with the lost jobs back, and with two false cures.

        By (trace, scheduler, cure): `log_likelihood`, `inside`, `close`, `cells`, and the median absolute deviation of
        each metric, over the months that a file as filed can match least of all: all of them.
        """
        found = {}
        for name, trace in self.by_name.items():
            for cure, other in self._cures(trace).items():
                for scheduler, policy in PROGRAMS.items():
                    found[name, scheduler, cure] = met(other, policy, scheduler, **self.settings)
        index = pd.MultiIndex.from_tuples(list(found), names=["trace", "scheduler", "cure"])
        return pd.DataFrame(list(found.values()), index, None if found else ["log_likelihood", *METRICS])

    def _cures(self, trace):
        if trace.lost:
            submit = trace.lost.log.log.submit
            spans = {IN_MONTH: trace.month_edges[1], ANYWHERE: submit.agg(["min", "max"]).to_numpy()}
            spread = {cure: replace(trace.lost, gaps=spread_out(trace, edges)) for cure, edges in spans.items()}
            cures = {PUT_BACK: trace.lost} | spread
        elif trace.trace == "KTH" and "CTC" in self.by_name and self.by_name["CTC"].lost:
            cures = {UNCALLED: uncalled(trace, self.by_name["CTC"].lost)}
        else:
            return {}
        return {AS_FILED: trace} | {cure: replace(trace, lost=lost, restored=True) for cure, lost in cures.items()}

    # What it shows

    def judge(self):
        lost = {name: trace.lost.known_gaps.jobs.sum() for name, trace in self.by_name.items() if trace.lost}
        return [_counted(self.counts, lost), _cured(self.cures), _months(self.orders)]

    def parts(self):
        tables = {
            "": (self.counts, counts),
            "inferred": (self.inferred, None),
            "cures": (self.cures, cures),
            "run-times": (self.tried_par, lambda tried: run_times(tried, FOLDS)),
            "requests": (self.tried_ctc, None),
            "spacings": (self.tried_spacings, None),
            "months": (self.orders, draw_orders),
        }
        return {suffix: _part(*of) for suffix, of in tables.items()}


def _part(table, draw):
    """A part of the record; of what no log here can tell, an empty table and no picture."""
    if table is None or table.empty:
        return Part(pd.DataFrame(columns=["nothing"]))
    return Part(table, partial(draw, table) if draw else None)


# When


def counted(trace, **settings):
    """Count a trace's jobs by month: printed, of the file, missing by their numbers, and with the lost ones back.

    Gives a DataFrame, by month: `published`; `ours`, the median of shaken runs under the likely EASY; `short`,
    what the file lacks of the printed number; `missing`, the lost jobs whose gaps in the numbers begin in this
    month; `low`, `median` and `high` of the restored log.
    """
    jobs = published("mualem2001_table1").query("trace == @trace.trace").set_index("month").jobs
    months, edges = trace.month_edges
    gaps = trace.lost.known_gaps
    gaps = gaps[gaps.user.isin([user["user"] for user in trace.lost.users])]
    missing = np.histogram(gaps.earliest, edges, weights=gaps.jobs)[0].astype(int)
    ours, back = (_jobs(each, **settings) for each in (trace, trace.under(RESTORED)))
    table = pd.DataFrame({"published": jobs.reindex(months), "ours": ours.median()})
    table["short"], table["missing"] = table.published - table.ours, missing
    return table.join(band(back)).rename_axis("month")


def _jobs(trace, shakes, shake_s, seed):
    """The number of jobs of each month, a row a shaken run."""
    settings = {"shakes": shakes, "seconds": shake_s, "seed": seed, "as_it_is": False, "keep": False}
    runs = replicate(trace.workloads, PROGRAMS["easy"], measures=trace.by_month, **settings)
    return runs.jobs.unstack("month", sort=False)


def orders(trace, lengths, shakes, shake_s, seed):
    """Tell how well every order of the lengths of the first months fits what is printed of them.

    The numbers of jobs choose; the loads and means have no part in that.

    Gives a DataFrame, by order, such as "28 31 30 31 31", the best first: `jobs_off` and `load_off`, summed over
    these months and the mean over runs; `log_likelihood` of the means under each scheduler.
    """
    months = trace.month_edges[0][: len(lengths)]
    variants = {_written(days): replace(trace, begin_on=begin_on(months, days)) for days in permuted(lengths)}
    calendar = _written(pd.Period(month).days_in_month for month in months)
    table = printed(trace).loc[months]
    settings = {"shakes": shakes, "seconds": shake_s, "seed": seed, "as_it_is": False, "keep": False}
    found = {}
    for scheduler, policy in PROGRAMS.items():
        runs = replicate(trace.workload, policy, measures=_Months(variants, table.index), **settings)
        for order in variants:
            means = across(runs.xs(order, level="order"))
            means = means.rename(columns={name: metric for metric, name in METRICS.items()}, level=1)
            mean = means.mean().unstack()
            found[order, scheduler] = {
                "jobs_off": (mean.jobs - table.jobs).abs().sum(),
                "load_off": (mean.utilization - table.load).abs().sum(),
                "log_likelihood": fit(means, table, scheduler).log_likelihood.sum(),
            }
    found = pd.DataFrame.from_dict(found, orient="index").unstack()
    found.columns = [f"{what}_{scheduler}" for what, scheduler in found.columns]
    found["calendar"] = found.index == calendar
    return found.sort_values("jobs_off_easy").rename_axis("days")


class _Months:
    """Measures the months of a schedule under several divisions of the time."""

    def __init__(self, variants, months):
        self.variants, self.months = variants, months

    def __call__(self, schedule):
        months = {order: each.by_month(schedule).loc[self.months] for order, each in self.variants.items()}
        return pd.concat(months, names=["order"])


def begin_on(months, days):
    """Find the days on which months begin that have so many days, the first on its first."""
    starts = pd.Timestamp(f"{months[0]}-01") + pd.to_timedelta(np.cumsum(days), unit="D")
    return {month: f"{start:%Y-%m-%d}" for month, start in zip(months[1:], starts[:-1], strict=True)}


def permuted(lengths):
    """List all different orders of some numbers."""
    return sorted(set(permutations(lengths)))


def _written(days):
    return " ".join(map(str, days))


# What they were like


def tried(trace, settings, **shaken):
    """Hold restored logs of several settings against Table 1, from `suspects.fit`.

    Gives a DataFrame, by (value, scheduler, month).
    """
    found = {}
    for value, lost in settings.items():
        other = replace(trace, lost=lost, restored=True)
        for scheduler, policy in PROGRAMS.items():
            found[value, scheduler] = fit(monthly(other, policy, **shaken), printed(other), scheduler)
    return pd.concat(found, names=["value", "scheduler"])


def across(tried, folds):
    """Infer a setting from one half of the printed numbers, and judge it on the other; and turn that round.

    Gives a DataFrame, by what it is inferred `from`: the `best` value, and the `low`est and `high`est that are as
    good; of the other half `cells`, and how many are `inside`, `close` and `off` under the best.
    """
    rows = {}
    for fold in folds:
        half = in_fold(tried, fold)
        likelihood = tried.log_likelihood[half].groupby("value").sum()
        best, as_good = likelihood.idxmax(), likelihood.index[likelihood > likelihood.max() - WITHIN]
        counts = tried[~half].loc[best][["cells", "inside", "close"]].sum()
        counts["off"] = counts.cells - counts.inside - counts.close
        rows[fold] = {"best": best, "low": as_good.min(), "high": as_good.max(), **counts}
    return pd.DataFrame.from_dict(rows, orient="index").astype(int).rename_axis("from")


def in_fold(tried, fold):
    """Which rows of `tried` a fold has."""
    if fold in SCHEDULERS:
        return tried.index.isin([fold], level="scheduler")
    odd = tried.index.get_level_values("month").str[-2:].astype(int) % 2 == 1
    return odd if fold == "odd months" else ~odd


# What they explain


def met(trace, policy, scheduler, **shaken):
    """Tell how well the printed months of a scheduler are met, all of them."""
    runs = monthly(trace, policy, **shaken)
    table = published("mualem2001_table1").query("trace == @trace.trace").set_index("month")
    table = table.loc[trace.months[0] : trace.months[1]]
    fits, medians = fit(runs, table, scheduler), runs.median().unstack("metric")
    off = {metric: (medians[metric] / table[f"{scheduler}_{metric}"] - 1).abs().median() for metric in METRICS}
    return fits[["log_likelihood", "inside", "close", "cells"]].sum().to_dict() | off


def spread_out(trace, edges):
    """Forget when lost jobs were submitted, but for the span between two edges in which that was."""
    gaps, log = trace.lost.known_gaps, trace.lost.log.log
    span = np.clip(np.searchsorted(edges, gaps.earliest, side="right") - 1, 0, len(edges) - 2)
    found = gaps.groupby(["user", span]).jobs.sum().rename_axis(["user", "span"]).reset_index()
    first = log.job.max() + 1 + found.jobs.cumsum() - found.jobs  # numbers that no job has
    times = {"earliest": edges[found.span], "latest": edges[found.span + 1]}
    return found.drop(columns="span").assign(first=first, last=first + found.jobs - 1, **times)


def uncalled(trace, lost):
    """Give a log that lost nothing the lost jobs of another one, in the middle of it, as they came there."""
    log, gaps = trace.workload.log, lost.known_gaps
    middle = (log.submit.min() + log.submit.max()) // 2 - gaps.earliest.min()
    first = log.job.max() + 1 + gaps.jobs.cumsum() - gaps.jobs
    moved = gaps.assign(first=first, last=first + gaps.jobs - 1)
    moved[["earliest", "latest"]] = gaps[["earliest", "latest"]] + middle
    return replace(lost, log=trace.workload, gaps=moved, lines=lost.log.log, condition="")
