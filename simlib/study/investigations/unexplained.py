"""The unexplained months of Table 1: which are off under the likely program, by how much, and for what reasons."""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

from ...analysis.replicate import replicate
from ...core.schedule import MEANS, simulate
from ...plots.facets import colours, facets
from ...plots.panels import legend, title
from ...plots.style import COLOURS
from ..mualem2001 import CLOSE_TO, LABELS, METRICS
from ..verdicts import CLOSE, INSIDE, OFF, RESTORED, published

MONTH = ["trace", "month", "scheduler"]

# Which months are off, and how far?


def judged(table):
    """Take the printed means of Table 1, from `study.judge`, by the restored log, or else by the file."""
    table = table[table.verdict.isin([INSIDE, CLOSE, OFF]) & table.index.isin(list(METRICS), level="metric")]
    restored = table.index.isin([RESTORED], level="rule")
    found = pd.concat([table[restored], table[~restored]]).droplevel("rule")
    found = found[~found.index.duplicated()].reorder_levels([*MONTH, "metric"])
    places = table.droplevel("rule").reorder_levels([*MONTH, "metric"]).index.unique()
    return found.reindex(places)[["published", "median", "verdict"]]


def off_months(judged):
    """List the months, (trace, month, scheduler), of which a metric is off by one of the columns of verdicts."""
    of_either = (judged.filter(like="verdict") == OFF).any(axis=1)
    return list(dict.fromkeys(place[:3] for place in judged.index[of_either]))


def off(places, judged, runs, wide):
    """Lay the off months out: printed, our medians and verdicts, ranks of print among runs and `wide` runs, and why."""
    why, of_month, rows = reasons(), _by_month(judged), []
    for place in places:
        row, of = {}, of_month[place]
        for metric, one in of.iterrows():
            row |= {f"{metric}_printed": one.published, f"{metric}_median": one["median"]}
            row |= {f"{metric}_{name}": one[name] for name in ("verdict", "verdict_in_table1")}
            row[f"{metric}_rank"] = (runs[place][metric] < one.published).mean()
            row[f"{metric}_wide_rank"] = (wide[place][metric] < one.published).mean()
        row["both"], row["wide_both"] = (near(each[place], of.published).mean() for each in (runs, wide))
        rows.append(row | {"why": why.get(place, INCONCLUSIVE)})
    return pd.DataFrame(rows, pd.MultiIndex.from_tuples(places, names=MONTH))


def _by_month(judged):
    """The rows of `judged` by metric, of each month."""
    return {place: part.droplevel(MONTH) for place, part in judged.groupby(level=MONTH, sort=False)}


INCONCLUSIVE = "not looked at yet"
"""Of a month that nothing is written of."""


def reasons():
    """The sentences of `data/published/mualem2001_leftovers.csv`, by (trace, month, scheduler)."""
    return published("mualem2001_leftovers").set_index(MONTH).why.to_dict()


def near(runs, printed):
    """Which runs come close to what is printed, in all metrics at once: a bool a run."""
    return np.all([(runs[m] - printed[m]).abs() <= close * printed[m] for m, close in CLOSE_TO.items()], axis=0)


SHARES = {"low": 0.025, "quarter": 0.25, "median": 0.5, "three_quarters": 0.75, "high": 0.975}
"""What is told of a distribution."""


def spread(places, judged, runs_by_shaking):
    """Tell how runs lie around print, which is 1, by (trace, month, scheduler, metric, shake_s): `SHARES` of them."""
    found, of_month = {}, _by_month(judged)
    for place in places:
        for seconds, runs in runs_by_shaking.items():
            relative = runs[place] / of_month[place].published
            for metric in METRICS:
                found[*place, metric, seconds] = relative[metric].quantile(list(SHARES.values())).to_numpy()
    index = pd.MultiIndex.from_tuples(list(found), names=[*MONTH, "metric", "shake_s"])
    return pd.DataFrame(np.array(list(found.values())).reshape(-1, len(SHARES)), index, list(SHARES))


def draw_spread(table, off):
    """Draw for each off month where 95 % and half of its runs lie around the printed number, which is 1."""
    looks = colours(table.index.unique("shake_s"))
    size = (5, 0.4 + 0.36 * len(off))
    panels = facets(table, column="metric", size=size, sharey=True)
    for metric, (ax, part) in zip(table.index.unique("metric"), panels, strict=True):
        ax.axvspan(1 - CLOSE_TO[metric], 1 + CLOSE_TO[metric], color="#EEEEEE", zorder=0)
        ax.axvline(1, color="black", linewidth=1)
        is_off = (off[[f"{metric}_verdict", f"{metric}_verdict_in_table1"]] == OFF).any(axis=1)
        for number, (seconds, colour) in enumerate(looks.items()):
            of = part.xs(seconds, level="shake_s").loc[off.index]
            y = np.arange(len(off)) + 0.32 * (number - (len(looks) - 1) / 2)
            ax.hlines(y, of.low, of.high, color=colour, linewidth=1.2)
            ax.hlines(y, of.quarter, of.three_quarters, color=colour, linewidth=4, alpha=0.6)
            ax.plot(of["median"], y, "o", color=colour, markersize=5, markerfacecolor="white")
            ax.plot(of["median"][is_off], y[is_off], "o", color=colour, markersize=5)
        ax.set_xscale("log")
        low, high = ax.get_xlim()
        ticks = [ratio for ratio in (FINE if high < 4 * low else COARSE) if low <= ratio <= high]
        ax.xaxis.set(major_locator=FixedLocator(ticks), major_formatter=StrMethodFormatter("{x:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.grid(False, axis="y")
        ax.set_title("")
        ax.set(xlabel=f"{LABELS[metric].partition(' [')[0]}, printed = 1", ylim=(len(off) - 0.4, -0.6))
        ax.set_yticks(range(len(off)), [" ".join(place).replace("easy", "EASY") for place in off.index])
    entries = {f"shaken by ±{seconds:,} s": {"color": colour, "linewidth": 4} for seconds, colour in looks.items()}
    dot = {"color": GREY, "marker": "o", "linestyle": ""}
    entries |= {"median, off": dot, "median, not off": dot | {"fillstyle": "none"}}
    legend(ax.figure, entries | {"close to print": {"facecolor": "#EEEEEE"}})
    title(ax.figure, f"What chance does to the {len(off)} months that are off under the likely program")
    return ax.figure


GREY = "#888888"
FINE, COARSE = (0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2), (0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 4, 6)
"""Ticks of axes that are relative to print."""


# Forks: small changes after which a month comes out otherwise, and others that change nothing. Each function gives the
# runs of each variant, by its name; none where the jobs that it is about are not in the log.

LEVELS = ["name", "variant", "run"]
FORK_COLUMNS = [f"{metric}{of}" for of in ("_printed", "") for metric in METRICS] + ["cause", "cause_printed"]
DAY = 86400
AS_IT_IS = "the log as it is"

BRANCHING = (13055, 13054, 13046, 13069)
"""KTH's jobs of the afternoon of 6 March 1997, which decide the month's mean."""

CONTROLS = 20
"""Other jobs of these days that are taken out in their places, one at a time."""


def branches(trace, policy, seed=0):
    """March 1997 at KTH: without one of four jobs of 6 March, and without one of others of two days."""
    if trace is None or not (jobs := trace.workload.jobs).index.isin(BRANCHING).sum() == len(BRANCHING):
        return {}
    one = partial(measured, trace, policy, "1997-03")
    begin = trace.workload.second("1997-03-05")
    around = jobs.index[(jobs.submit >= begin) & (jobs.submit < begin + 2 * DAY)].difference(BRANCHING)
    others = np.random.default_rng(seed).choice(around, min(CONTROLS, len(around)), replace=False)
    alone = {f"without job {job}": [one(jobs.drop(job))] for job in BRANCHING}
    without = {f"without one of {len(others)} other jobs": [one(jobs.drop(job)) for job in others]}
    return {AS_IT_IS: [one(jobs)]} | alone | without


SECOND = 62011, 62012
"""Jobs of one user that came in one second, 6 October 1999."""

DAYS_BEFORE = 40
"""How long before that November other jobs of one second are swapped."""


def swaps(trace, policy):
    """November 1999 at SDSC: two jobs of one second in the other order, and other such pairs."""
    if trace is None or not (jobs := trace.workload.jobs).index.isin(SECOND).sum() == len(SECOND):
        return {}
    one = partial(measured, trace, policy, "1999-11")
    months, edges = trace.month_edges
    month = months.index("1999-11")
    pairs = [pair for pair in of_one_second(jobs, edges[month] - DAYS_BEFORE * DAY, edges[month + 1]) if pair != SECOND]
    first = {AS_IT_IS: [one(jobs)], "jobs {} and {} swapped".format(*SECOND): [one(swapped(jobs, *SECOND))]}
    return first | {f"with one of {len(pairs)} other pairs swapped": [one(swapped(jobs, *pair)) for pair in pairs]}


def of_one_second(jobs, begin, end):
    """Pairs of jobs that follow one another and came in one second, within a time: by their numbers."""
    submit, number = jobs.submit.to_numpy(), jobs.index
    places = np.flatnonzero((submit[1:] == submit[:-1]) & (submit[1:] >= begin) & (submit[1:] < end))
    return [(int(number[place]), int(number[place + 1])) for place in places]


def swapped(jobs, one, other):
    """The jobs with two of one second in the other order."""
    order = np.arange(len(jobs))
    places = jobs.index.get_indexer([one, other])
    order[places] = places[::-1]
    return jobs.iloc[order]


FLURRY = 328
"""The user who submitted 412 jobs on two days of December 1999."""

LIGHT = 0.9225
"""What February 2000 executed at most: .920 is printed."""


def winter(trace, policy, **how):
    """Simulate SDSC again and again: one row per run, December's and March's means, and what they may depend on."""
    if trace is None or not (trace.workload.jobs.user == FLURRY).any():
        return None
    months, edges = trace.month_edges
    measure = partial(of_winter, tuple(months), tuple(edges.tolist()))
    return replicate(trace.workload, policy, measures=measure, as_it_is=False, **how)


def of_winter(months, edges, schedule):
    """Measure the winter of 1999 of a schedule on SDSC."""
    found = {}
    means = pd.DataFrame(schedule.means(np.array(edges), floor=None)[:-1], list(months), MEANS)
    for name, month in (("december", "1999-12"), ("march", "2000-03")):
        found |= {f"{name}_{metric}": means.loc[month, mean] for metric, mean in METRICS.items()}
    begin, end = edges[months.index("1999-12") :][:2]
    ended, user = schedule.column("end"), schedule.column("user")
    of_flurry = (user == FLURRY) & (ended >= begin) & (ended < end)
    found["wait_h"] = schedule.column("wait")[of_flurry].sum() / 3600
    return pd.Series(found | {"february_load": means.utilization["2000-02"]})


def flurry(trace, policy, winter):
    """December 1999 at SDSC: shaken runs by how long user 328's jobs wait in all, in hours."""
    if winter is None:
        return {}
    runs = _caused(winter, ["december_response_s", "december_bounded_slowdown", "wait_h"])
    least = runs.cause <= runs.cause.quantile(0.1)
    waits = {"shaken, user 328 waits least (a tenth)": runs[least], "shaken, the other nine tenths": runs[~least]}
    return {AS_IT_IS: [measured(trace, policy, "1999-12")]} | waits


def light_february(trace, policy, winter):
    """March 2000 at SDSC: shaken runs in which February executes as little as printed, and the others."""
    if winter is None:
        return {}
    runs = _caused(winter, ["march_response_s", "march_bounded_slowdown", "february_load"])
    table = published("mualem2001_table1").set_index(["trace", "month"])
    runs, light = runs.assign(cause_printed=table.load["SDSC", "2000-02"]), runs.cause <= LIGHT
    loads = {f"shaken, February's load at most {LIGHT}": runs[light], "shaken, February's load higher": runs[~light]}
    return {AS_IT_IS: [measured(trace, policy, "2000-03")]} | loads


def _caused(winter, columns):
    """Some columns of the winter's runs: both means, and what they may depend on."""
    return winter[columns].set_axis([*METRICS, "cause"], axis=1)


LONG = 29465, 30028
"""The largest two, of user 4: all 128 processors for two days."""

LARGEST = 20
"""So many of the Paragon's jobs of September 1996 that did not complete are put in, one at a time."""


def uncompleted(trace, policy, seed=0):
    """September 1996 on the Paragon: one draw of the restored log, and with each large job that did not complete."""
    if trace is None or not trace.lost or "1996-09" not in trace.month_edges[0]:
        return {}
    drawn, begin_end = trace.drawn(seed), trace.month_edges[1][trace.month_edges[0].index("1996-09") :][:2]
    filed, jobs = trace.lost.log.jobs, drawn.workload.jobs
    others = filed[(filed.status != 1) & filed.submit.between(*begin_end)]
    others = others.loc[(others.run * others.procs).nlargest(LARGEST).index].assign(estimate=lambda of: of.run)
    one = partial(measured, drawn, policy, "1996-09")
    found = {"one draw of the restored log": [one()]}
    for job in others.index:
        alone = f"with job {job}, which did not complete"
        name = alone if job in LONG else "with one of the other large jobs that did not"
        found.setdefault(name, []).append(one(pd.concat([jobs, others.loc[[job]]])))
    return found


def measured(trace, policy, month, jobs=None):
    """The means of a month with other jobs: a dict by metric."""
    workload = trace.workload if jobs is None else trace.workload.derive(jobs, "other jobs")
    means = trace.by_month(simulate(workload, policy)).loc[month]
    return {metric: means[quantity] for metric, quantity in METRICS.items()}


# What they come to


def fork_runs(variants):
    """Lay out the runs of forks, dicts of variants by month, with print and the `cause` that may move them."""
    table, rows = published("mualem2001_table1").set_index(["trace", "month"]), {}
    for place, of in variants.items():
        trace, month, scheduler = place
        printed = {f"{metric}_printed": table.loc[(trace, month), f"{scheduler}_{metric}"] for metric in METRICS}
        for variant, made in of.items():
            rows[" ".join(place), variant] = pd.DataFrame(made).reset_index(drop=True).assign(**printed)
    if not rows:
        return pd.DataFrame(columns=FORK_COLUMNS, index=pd.MultiIndex.from_tuples([], names=LEVELS), dtype=float)
    return pd.concat(rows, names=LEVELS).reindex(columns=FORK_COLUMNS).astype(float)


def summed_up(found):
    """Sum up the runs of each variant: medians beside print, the share close to it, and how the cause correlates."""
    rows = {}
    for (name, variant), part in found.groupby(level=["name", "variant"], sort=False):
        of_name = found.loc[name]
        first = of_name.loc[of_name.index[0][0]]
        printed = {metric: part[f"{metric}_printed"].iloc[0] for metric in METRICS}
        row = {f"{metric}_printed": value for metric, value in printed.items()}
        row |= {f"{metric}_ours": first[metric].median() for metric in METRICS}
        row |= {metric: part[metric].median() for metric in METRICS}
        row |= {"runs": len(part), "both": near(part, printed).mean()}
        caused = of_name.dropna(subset="cause") if part.cause.notna().any() else of_name.iloc[:0]
        rows[name, variant] = row | {"correlation": caused.cause.corr(caused.response_s) if len(caused) else np.nan}
    columns = [f"{metric}{of}" for of in ("_printed", "_ours", "") for metric in METRICS]
    index = pd.MultiIndex.from_tuples(list(rows), names=LEVELS[:2])
    return pd.DataFrame(list(rows.values()), index, [*columns, "runs", "both", "correlation"])


def draw_forks(runs, causes):
    """Draw the forks that `causes` names against their cause, or bounded slowdown; None where none can be shown."""
    here = {}
    for name in causes if len(runs) else ():
        of = runs[runs.index.isin([name], level="name")].droplevel("name")
        shaken = of.index.get_level_values("variant").str.startswith("shaken")
        here[name] = of.dropna(subset="cause") if causes[name] else of[~shaken]
    here = {name: of for name, of in here.items() if len(of)}
    if not here:
        return None
    columns = min(2, len(here))
    rows = -(-len(here) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(5.6 * columns, 4.2 * rows), squeeze=False)
    for ax, (name, of) in zip(axes.flat, here.items(), strict=False):
        x = "cause" if causes[name] else "bounded_slowdown"
        names = list(of.index.unique("variant"))
        looks = _CAUSED if causes[name] else [_FIRST, *[_CHANGED] * (len(names) - 2), _OTHERS]
        for variant, look in zip(names, looks, strict=True):
            label = "with the change" if look is _CHANGED else variant
            ax.plot(of.loc[variant][x], of.loc[variant].response_s, label=label, linestyle="", **look)
        first, printed = of.iloc[0], f"{x}_printed"
        if np.isnan(first[printed]):
            ax.axhline(first.response_s_printed, color="black", linewidth=1.2, linestyle="--", label="printed")
        else:
            ax.plot(first[printed], first.response_s_printed, "kD", markersize=8, fillstyle="none", label="printed")
        by_label = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
        ax.legend(by_label.values(), by_label, fontsize=8.5)
        ax.margins(0.15)
        ax.set(title=name.replace("easy", "EASY"), xlabel=causes[name] or LABELS[x], ylabel=LABELS["response_s"])
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    for ax in axes.flat[len(here) :]:
        ax.set_axis_off()
    return figure


_FIRST = {"marker": "s", "color": "black", "markersize": 8, "fillstyle": "none"}
_CHANGED = {"marker": "o", "color": COLOURS[2], "markersize": 8}
_OTHERS = {"marker": "x", "color": GREY, "markersize": 8}
_CAUSED = [{"marker": "o", "color": colour, "markersize": 3, "alpha": 0.6} for colour in (COLOURS[2], COLOURS[0])]
