"""How much of their requested time jobs used (MF section 4.1), and estimates from earlier runs of the same job (4.4).

Used shares are counted over job lines, also over those left out of the simulations.
"""

from collections.abc import Callable, Iterable, Mapping
from string import ascii_lowercase
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from simlib.core.estimates import Historical, Model, did_not_complete
from simlib.core.workload import Workload
from simlib.plots.panels import legend, title
from simlib.plots.style import COLOURS
from simlib.policies.adjusting import accuracy

from .loading import Logs

SHORT = 90
"""Seconds below which a job is taken not to have got going."""

CLASSES = ("completed", "completed, under 90 s", "killed", "status not recorded")

KIND_COLOURS = [COLOURS[0], COLOURS[5], COLOURS[1], "#B0B0B0"]  # kinds of job in a stack


def lines(workload: Workload) -> pd.DataFrame:
    """Take the job lines that ran: `run`, `estimate`, `used` = 100 run / estimate, `killed`, `unknown`, `kind`."""
    log = _ran(workload)
    estimate = log.requested_time.where(log.requested_time > 0)
    killed, unknown = did_not_complete(log), log.status < 0
    kind = np.select([killed, unknown, log.run < SHORT], [CLASSES[2], CLASSES[3], CLASSES[1]], CLASSES[0])
    columns = {"run": log.run, "estimate": estimate, "used": 100 * log.run / estimate}
    return pd.DataFrame(columns | {"killed": killed, "unknown": unknown, "kind": kind})


def _ran(workload: Workload) -> pd.DataFrame:
    """The job lines that ran; ValueError where there are no lines."""
    if workload.log is None:
        raise ValueError(f"{workload.name}: found no job lines, expected a workload that was read from a log")
    return workload.log[workload.log.run >= 0]


def lines_of(workloads: Mapping[str, Workload]) -> pd.DataFrame:
    """Take the job lines of several workloads, a dict by log, by (log, line)."""
    return pd.concat({name: lines(workload) for name, workload in workloads.items()}, names=["log"])


def in_peak(jobs: pd.DataFrame) -> pd.Series:
    """The "100 % peak": 99 <= used < 102 per cent. Systems kill a little late, so that most of it lies above 100."""
    return jobs.used.between(99, 102, inclusive="left")


# Histograms, and how flat they are


def by_per_cent(used: pd.Series, top: int = 110, of: int | None = None) -> pd.Series:
    """Work out how many per cent of so many jobs used each per cent of their estimates; the top holds all above."""
    counts = np.bincount(np.minimum(np.floor(used), top).astype(int), minlength=top + 1)
    return pd.Series(100 * counts / (len(used) if of is None else of), pd.RangeIndex(top + 1, name="percent"))


def histogram(jobs: pd.DataFrame, kinds: Iterable[str], top: int = 110) -> pd.DataFrame:
    """Work out `by_per_cent` for each group of jobs, the first level of the index, a column a kind of job."""
    known, tables = jobs[jobs.used.notna()], {}
    for group in jobs.index.unique(0):
        part = known[known.index.get_level_values(0) == group]
        of = max(len(part), 1)
        tables[group] = pd.DataFrame({kind: by_per_cent(part.used[part.kind == kind], top, of) for kind in kinds})
    return pd.concat(tables, names=[jobs.index.names[0]])


def flatness(jobs: pd.DataFrame) -> pd.DataFrame:
    """Work out how flat the histograms of used shares are, by group, for jobs of 90 s or more that completed.

    `lowest` and `highest` tenth between 1 and 99 per cent, relative to a flat one; `ks`, the distance from it; of all
    jobs the bin of `zero` and the highest of the `hundred` peak, relative to the median bin between.
    """
    rows = {}
    for group, of in jobs.groupby(level=0, sort=False):
        used = of.used[(of.kind == CLASSES[0]) & of.used.between(1, 99, inclusive="left")]
        tenths = np.histogram(used, 10, (1, 99))[0] / max(len(used), 1) * 10
        bins = np.histogram(of.used, range(103))[0]
        between = max(np.median(bins[1:99]), 1)
        ks = scipy.stats.kstest((used - 1) / 98, "uniform").statistic if len(used) else np.nan
        peaks = {"zero": bins[0] / between, "hundred": bins[99:].max() / between}
        rows[group] = {"jobs": len(used), "lowest": tenths.min(), "highest": tenths.max(), "ks": ks} | peaks
    return pd.DataFrame(rows).T.rename_axis(jobs.index.names[:1])


# What users ask for


def popular_estimates(jobs: pd.DataFrame, values: int, longest: float) -> pd.DataFrame:
    """Find a log's most frequent estimates, in minutes: how many jobs have them, and quartiles of their use."""
    short = jobs[jobs.estimate <= longest].assign(minutes=lambda jobs: jobs.estimate / 60)
    asked = short.groupby(["log", "minutes"]).size()
    most = asked.groupby("log", sort=False).nlargest(values).droplevel(0).index
    used = short[~short.killed & ~short.unknown].groupby(["log", "minutes"]).used
    table = pd.DataFrame({"jobs": asked, "completed": used.size().reindex(asked.index, fill_value=0)})
    table = table.join(used.quantile(np.array([0.25, 0.5, 0.75])).unstack().set_axis(["q25", "q50", "q75"], axis=1))
    return table[table.index.isin(most)].reindex(jobs.index.unique("log"), level="log")


def round_estimates(jobs: pd.DataFrame, longest: float) -> pd.DataFrame:
    """Work out the share of estimates that are multiples of 5 minutes, and of those above `longest`, of 10 and 30."""
    known = jobs.estimate.dropna()
    short, long = known[known <= longest], known[known > longest]
    columns = {
        "different values up to 2 h": short.groupby("log").nunique(),
        "multiples of 5 min": (known % 300 == 0).groupby("log").mean(),
        "above 2 h: of 10 min": (long % 600 == 0).groupby("log").mean(),
        "above 2 h: of 30 min": (long % 1800 == 0).groupby("log").mean(),
    }
    return pd.DataFrame(columns).reindex(jobs.index.unique("log"))


# Pictures


def write_heights(ax: Axes, heights: pd.Series, highest: float, line: int = 0, colour: str = "black") -> None:
    """Write the heights of bars that an axis cuts off at the `highest`: of those on the left behind them."""
    cut = heights[heights > highest]
    half = len(heights) / 2
    for part, x, side in ((cut[cut.index < half], 8, "left"), (cut[cut.index >= half], -3, "right")):
        if len(part):
            bar = part.index[-1] + 1 if side == "left" else part.index[0]
            share, at = f"{part.sum():.1f} %", (x, -9 - 11 * line)
            ax.annotate(share, (bar, highest), at, textcoords="offset points", ha=side, size=8, color=colour)


def used_share(histogram: pd.DataFrame, jobs: pd.DataFrame, limit: float) -> Figure:
    """Draw how much of their estimates jobs used: one row per group, its histogram, and run times against estimates."""
    highest = 4  # per cent; higher bars are cut
    groups, top = list(histogram.index.unique(0)), histogram.index.get_level_values("percent").max()
    colours = dict(zip(histogram.columns, KIND_COLOURS, strict=False))
    unit, seconds = ("h", 3600) if limit > 4 * 3600 else ("min", 60)
    size = (10.5, 0.9 + 2.7 * len(groups))
    figure, axes = plt.subplots(len(groups), 2, figsize=size, width_ratios=(1.6, 1), squeeze=False, sharex="col")
    letters = iter(ascii_lowercase)
    for (left, right), group in zip(axes, groups, strict=True):
        bins, shown = histogram.loc[group], jobs.loc[group].query("estimate <= @limit")
        for kind, bottom in bins.cumsum(axis=1).shift(axis=1, fill_value=0).items():
            left.bar(bins.index, bins[kind], 1, bottom, align="edge", color=colours[kind])
        write_heights(left, bins.sum(axis=1), highest)
        left.set(ylim=(0, highest), xlim=(0, top + 1), ylabel="jobs [%]", title=f"({next(letters)}) {group}")
        right.axline((0, 0), slope=1, linewidth=0.8, zorder=0, color="grey", linestyle=":")
        for kind, colour in reversed(colours.items()):
            part = shown[shown.kind == kind]
            dots = {"s": 2, "alpha": 0.25, "linewidths": 0, "color": colour, "rasterized": True}
            right.scatter(part.estimate / seconds, part.run / seconds, **dots)
        right.set(xlim=(0, 1.02 * limit / seconds), ylim=(0, 1.15 * limit / seconds), ylabel=f"run time [{unit}]")
        right.set_title(f"({next(letters)}) {group}")
        for axis in (right.xaxis, right.yaxis):
            axis.set_major_locator(MaxNLocator(6, steps=(1, 2, 3, 6, 10)))
    left.set_xlabel(f"run time / estimate [%]; last bin: {top} % and above")
    right.set_xlabel(f"estimate [{unit}]")
    there = {kind: {"facecolor": colour} for kind, colour in colours.items() if histogram[kind].any()}
    legend(figure, there)
    peak = histogram.sum(axis=1).loc[:, [99, 100, 101]].groupby(level=0).sum()
    title(figure, f"At most {peak.max():.0f}% of the jobs use 99 to 102% of their estimate ({peak.idxmax()})")
    return figure


# Which counts does Table 2 print, where those of the logs are not the same?


def other_counts(logs: Mapping[str, Workload], printed: pd.Series) -> pd.DataFrame:
    """Count what bears on the counts of Table 2 that differ, by (log, count), beside the printed `quantity`."""
    jobs = lines_of(logs)
    known = jobs.estimate.notna()
    counted = {("lines with an estimate", "total_jobs"): known}
    if all(workload.start is not None for workload in logs.values()):
        clock = pd.concat({name: run_by_local_clock(workload) for name, workload in logs.items()})
        local = in_peak(jobs.assign(used=100 * clock / jobs.estimate))
        counted["100 % peak with run times by the local clock", "peak_100pct"] = local
        counted["killed jobs of this peak", "peak_100pct_killed"] = local & jobs.killed
    short = (jobs.run < SHORT) & ~jobs.killed & known
    counted["under 90 s, not known to be killed, with an estimate", "shorter_than_90s"] = short
    sums = pd.DataFrame(counted).rename_axis(columns=["count", "quantity"]).groupby("log", sort=False).sum()
    stacked: Any = sums.stack(["count", "quantity"], future_stack=True)
    table = stacked.to_frame("ours")
    places = table.index.droplevel("count").reorder_levels(printed.index.names)
    return table.assign(published=printed.reindex(places).to_numpy()).reset_index("quantity")


def possible(counts: Callable[[pd.DataFrame], pd.DataFrame], jobs: pd.DataFrame, logs: Logs) -> pd.DataFrame:
    """Work out between which numbers the counts of the complete logs lie, by (log, quantity): `low` and `high`.

    Not known are lines that cleaning removed, the status of restored jobs, and their run times that were cut.
    """
    removed = pd.Series({name: trace.lines_missing for name, trace in logs.traces.items()})
    low, high = counts(jobs), counts(jobs).add(removed, axis=0)
    maybe_killed = counts(jobs.assign(killed=jobs.unknown))
    for row in high.columns.intersection(["killed_jobs", "peak_100pct_killed"]):
        high[row] += maybe_killed[row]
    cut = jobs.used.where(jobs.unknown & (jobs.run == jobs.estimate))
    low["peak_100pct"] -= counts(jobs.assign(used=cut))["peak_100pct"]
    return pd.DataFrame({"low": low.stack(), "high": high.stack()})


def run_by_local_clock(workload: Workload) -> pd.Series:
    """Work out run times by local clock readings, which is an hour out for jobs that ran across its change."""
    log = _ran(workload)
    start = workload.time(0) + pd.to_timedelta(log.submit + log.wait, unit="s")
    end = start + pd.to_timedelta(log.run, unit="s")
    return (end.dt.tz_localize(None) - start.dt.tz_localize(None)) // pd.Timedelta(1, "s")


def why_not_met(table: pd.DataFrame, others: pd.DataFrame) -> pd.Series:
    """Say of each count of Table 2 what may explain that it differs, or why it cannot be counted."""
    notes = pd.Series("", table.index, dtype=object)
    differing: Iterable[Any] = table[table.ours.notna() & (table.ours != table.published)].iterrows()
    for (log, row), counts in differing:
        of = others.loc[[log]]
        met = of[(of.quantity == row) & (of.ours == of.published)].index.get_level_values("count")
        said = [f"met by: {count}" for count in met]
        if counts.low < counts.high:
            within = "within" if counts.low <= counts.published <= counts.high else "beyond"
            said.append(f"{within} what the complete log can have, {counts.low:,.0f} to {counts.high:,.0f} jobs")
        if row == "zero_length_jobs":
            said.append("not judged: the public log lacks the times of single nodes, see MF-27")
        notes[log, row] = "; ".join(said)
    return notes


# Estimates from earlier runs: which of them count?


COUNTS = ("jobs_not_killed", "jobs_with_history", "underestimated", "underestimated_with_history")
"""What the text counts; history is one earlier run or more: information is there."""

WITH_TWO = {"jobs_with_two": COUNTS[1], "underestimated_with_two": COUNTS[3]}
"""The same counts if history is two earlier runs or more, so that there is a standard deviation."""

KINDS = ("two or more earlier runs", "one earlier run", "none: whole workload")

USERS = "users' estimates"


def readings(workload: Workload) -> dict[str, tuple[Historical, bool]]:
    """List ways to read section 4.4: by name, `Historical`, and whether the standard deviation is a sample's."""
    ended: dict[str, Any] = {"ends": workload.ends}
    return {
        "earlier in the log, triple idle for a week": (Historical(), True),
        "... deviation with divisor n": (Historical(), False),
        "... killed jobs recorded too": (Historical(killed=True), True),
        "... a week since the triple's first run": (Historical(since="first"), True),
        "... that, and killed jobs recorded too": (Historical(since="first", killed=True), True),
        "... that, and divisor n": (Historical(since="first", killed=True), False),
        "... nothing discarded": (Historical(stale=np.inf), True),
        "ended before submission, triple idle for a week": (Historical(**ended), True),
        "... deviation with divisor n, ended before": (Historical(**ended), False),
        "... killed jobs recorded too, ended before": (Historical(killed=True, **ended), True),
        "... a week since the triple's first run, ended before": (Historical(since="first", **ended), True),
        "... nothing discarded, ended before": (Historical(stale=np.inf, **ended), True),
    }


def counts(jobs: pd.DataFrame, model: Historical, sample: bool = True) -> pd.Series:
    """Count section 4.4's jobs, with standard deviations of a `sample` (divisor n - 1) or with the divisor n."""
    past = model.past(jobs)
    narrow = [1, 1] if sample else [np.sqrt(1 - 1 / past[n].clip(lower=1)) for n in ("runs", "all_runs")]
    estimate = past["mean"] + model.deviations * narrow[0] * past["sd"]
    estimate = estimate.where(past["runs"] > 0, past["all_mean"] + model.deviations * narrow[1] * past["all_sd"])
    whole = ~did_not_complete(jobs)
    below = whole & (estimate < jobs.run) & (past["all_runs"] > 0)  # the first job has nothing to go by
    one, two = past["runs"] > 0, past["runs"] > 1
    numbers = whole, whole & one, below, below & one, whole & two, below & two
    return pd.Series({name: int(of.sum()) for name, of in zip((*COUNTS, *WITH_TWO), numbers, strict=True)})


def can_be_added(lacking: pd.DataFrame, most: int) -> pd.DataFrame:
    """Tell whether the jobs that a file lacks can add what is lacking, by reading and by what is taken for history."""
    jobs, under = lacking[COUNTS[0]], lacking[COUNTS[2]]
    one, two = ([lacking[name] for name in names] for names in (WITH_TWO.values(), WITH_TWO))
    senses = {"one run or more": one, "two or more": two, "one, of underestimated ones two": [one[0], two[1]]}
    fits = {name: own.between(0, of) & (under >= own) & (of <= jobs) for name, (of, own) in senses.items()}
    return pd.DataFrame(fits).mul((under <= jobs) & (jobs <= most), axis=0)


# Estimates from earlier runs: how good are they?


def described(workload: Workload, deviations: Iterable[float]) -> pd.DataFrame:
    """Describe the jobs that were not killed by (estimates, job), the users' last; `used` is 100 run / estimate."""
    past = Historical().past(workload.jobs)
    jobs = workload.jobs.assign(kind=np.select([past.runs > 1, past.runs == 1], KINDS[:2], KINDS[2]))
    made = {f"mean + {d:g} standard deviations": Historical(d)(jobs) for d in deviations}
    tables = {name: jobs.assign(estimate=estimate) for name, estimate in made.items()} | {USERS: jobs}
    table = pd.concat(tables, names=["estimates"])[lambda table: ~did_not_complete(table)]
    used = (100 * table.run / table.estimate).where(table.estimate > 0, np.where(table.run > 0, np.inf, 100))
    return table[["submit", "run", "estimate", "kind"]].assign(used=used)


def profile(jobs: pd.DataFrame) -> pd.DataFrame:
    """Work out what `described` estimates amount to: the mean `accuracy`, and shares of jobs by what they used.

    `uneven` is how far the jobs within 0 to 100 per cent are from an even spread over its tenths (total variation).
    """
    rows = {}
    for name, of in jobs.groupby("estimates", sort=False):
        tenths = np.histogram(of.used, 10, (0, 100))[0] / (of.used <= 100).sum()
        rows[name] = {
            "accuracy": accuracy(of.run, of.estimate).mean(),
            "under_10": (of.used < 10).mean(),
            "over_50": of.used.between(50, 100).mean(),
            "underestimated": (of.used > 100).mean(),
            "uneven": np.abs(tenths - 0.1).sum() / 2,
        }
    return pd.DataFrame(rows).T.rename_axis("estimates")


def months_won(workload: Workload, jobs: pd.DataFrame) -> pd.Series:
    """Tell in which months of submission the first kind of estimates is more accurate on average than the users'."""
    month = workload.calendar_month(jobs.submit)
    of_jobs = jobs.assign(accuracy=accuracy(jobs.run, jobs.estimate)).accuracy
    by_month = of_jobs.groupby(["estimates", month]).mean().unstack("estimates")
    return by_month[jobs.index[0][0]] > by_month[USERS]


def losses(workload: Workload, kinds: Mapping[str, str | Model | None]) -> pd.DataFrame:
    """Work out how many jobs, and how much of all work, are lost where jobs are killed at estimates, by their kind."""
    rows = {}
    for name, kind in kinds.items():
        jobs = workload.jobs if kind is None else workload.with_estimates(kind).jobs
        completed, killed = ~did_not_complete(jobs), jobs.run > jobs.estimate
        used = np.minimum(jobs.run, jobs.estimate.clip(lower=0)) * jobs.procs
        rows[name] = {
            "killed": killed.sum(),
            "killed_share": killed.mean(),
            "killed_completed": (killed & completed).sum(),
            "killed_completed_share": killed[completed].mean(),
            "work_lost": used[killed & completed].sum() / used.sum(),
        }
    return pd.DataFrame(rows).T.rename_axis("estimates")
