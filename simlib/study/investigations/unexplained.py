"""The unexplained months of Table 1: which are off under the likely program, by how much, and for what reasons."""

from functools import partial
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ... import plots
from ...analysis.replicate import replicate
from ...core.schedule import MEANS, simulate
from ..mualem2001 import CLOSE_TO, LABELS, METRICS
from ..verdicts import CLOSE, INSIDE, OFF, published
from .suspects import by_place

MONTH = ["trace", "month", "scheduler"]

# Which months are off, and how far?


def judged(table):
    """Take the printed means of Table 1 from `study.judge`, by the restored log, the last rule, or else by the file."""
    table = table[table.verdict.isin([INSIDE, CLOSE, OFF]) & table.index.isin(list(METRICS), level="metric")]
    return table.groupby(level=[*MONTH, "metric"], sort=False)[["published", "median", "verdict"]].last()


def off_months(judged):
    """List the months, (trace, month, scheduler), of which a metric is off by one of the columns of verdicts."""
    of_either = (judged.filter(like="verdict") == OFF).any(axis=1)
    return list(dict.fromkeys(place[:3] for place in judged.index[of_either]))


def off(places, judged, runs, wide):
    """Lay the off months out: printed, our medians and verdicts, ranks of print among runs and `wide` runs, and why."""
    rows = []
    why = published("mualem2001_leftovers").set_index(MONTH).why.to_dict()
    for place in places:
        row, of = {}, judged.xs(place, level=MONTH)
        for metric, one in of.iterrows():
            row |= {f"{metric}_printed": one.published, f"{metric}_median": one["median"]}
            row |= {f"{metric}_{name}": one[name] for name in ("verdict", "verdict_in_table1")}
            row[f"{metric}_rank"] = (runs[place][metric] < one.published).mean()
            row[f"{metric}_wide_rank"] = (wide[place][metric] < one.published).mean()
        row["both"], row["wide_both"] = (near(each[place], of.published).mean() for each in (runs, wide))
        rows.append(row | {"why": why.get(place, INCONCLUSIVE)})
    return pd.DataFrame(rows, pd.MultiIndex.from_tuples(places, names=MONTH))


INCONCLUSIVE = "not looked at yet"
"""Of a month that nothing is written of."""


def near(runs, printed):
    """Which runs come close to what is printed, in all metrics at once: a bool a run."""
    return np.all([(runs[m] - printed[m]).abs() <= close * printed[m] for m, close in CLOSE_TO.items()], axis=0)


SHARES = {"low": 0.025, "quarter": 0.25, "median": 0.5, "three_quarters": 0.75, "high": 0.975}
"""What is told of a distribution."""


def spread(places, judged, runs_by_shaking):
    """Tell how runs lie around print, which is 1, by (trace, month, scheduler, metric, shake_s): `SHARES` of them."""
    found = {}
    for place in places:
        for seconds, runs in runs_by_shaking.items():
            relative = runs[place] / judged.xs(place, level=MONTH).published
            for metric in METRICS:
                found[*place, metric, seconds] = relative[metric].quantile(list(SHARES.values())).to_numpy()
    index = pd.MultiIndex.from_tuples(list(found), names=[*MONTH, "metric", "shake_s"])
    return pd.DataFrame(np.array(list(found.values())).reshape(-1, len(SHARES)), index, list(SHARES))


def draw_spread(table):
    """Draw for each month where 95 % of its runs lie, and their median, against the printed number."""
    shown = table[["low", "median", "high"]].rename("shaken by ±{:,} s".format, level="shake_s") - 1
    months = shown.index.droplevel(["metric", "shake_s"]).nunique()
    labels = {metric: label.partition(" [")[0] + " against print" for metric, label in LABELS.items()}
    panels = plots.facets(shown, column="metric", size=(5, 0.4 + 0.36 * months), labels=labels, sharey=True)
    for close, (ax, part) in zip(CLOSE_TO.values(), panels, strict=True):
        ax.axvspan(-close, close, color="#EEEEEE", zorder=0)
        entries = plots.intervals(ax, part, MONTH, "shake_s", value="median", shift=0.35)
        plots.bent_axis(ax.xaxis, [-0.7, -0.3, -0.1, 0, 0.1, 0.4, 2])
    plots.legend(ax.figure, entries | {"close to print": {"facecolor": "#EEEEEE"}})
    plots.title(ax.figure, f"What chance does to the {months} months that are off under the likely program")
    return ax.figure


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


def swaps(trace, policy):
    """November 1999 at SDSC: two jobs of one second in the other order, and other such pairs of forty days before."""
    if trace is None or not (jobs := trace.workload.jobs).index.isin(SECOND).sum() == len(SECOND):
        return {}
    one = partial(measured, trace, policy, "1999-11")
    months, edges = trace.month_edges
    month = months.index("1999-11")
    pairs = [pair for pair in of_one_second(jobs, edges[month] - 40 * DAY, edges[month + 1]) if pair != SECOND]
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


def winter(trace, policy, **how):
    """December 1999 and March 2000 at SDSC, by month: shaken runs with little of a `cause`, and with more of it.

    December's is how long the flurry's jobs wait in all, in hours; March's how much February executes.
    """
    if trace is None or not (trace.workload.jobs.user == FLURRY).any():
        return {}
    months, edges = trace.month_edges
    measure = partial(of_winter, tuple(months), tuple(edges.tolist()))
    runs = replicate(trace.workload, policy, measures=measure, as_it_is=False, **how)
    december, march = (runs.xs(month, level="month") for month in ("1999-12", "2000-03"))
    table = published("mualem2001_table1").set_index(["trace", "month"])
    march = march.assign(cause_printed=table.load["SDSC", "2000-02"])
    least, light = december.cause <= december.cause.quantile(0.1), march.cause <= 0.9225  # printed is .920
    found = {
        "1999-12": {
            "shaken, user 328 waits least (a tenth)": december[least],
            "shaken, the other nine tenths": december[~least],
        },
        "2000-03": {
            "shaken, February's load at most 0.9225": march[light],
            "shaken, February's load higher": march[~light],
        },
    }
    return {month: {AS_IT_IS: [measured(trace, policy, month)]} | of for month, of in found.items()}


def of_winter(months, edges, schedule):
    """Measure the winter of 1999 of a schedule on SDSC."""
    means = pd.DataFrame(schedule.means(np.array(edges), floor=None)[:-1], list(months), MEANS)
    begin, end = edges[months.index("1999-12") :][:2]
    ended, user = schedule.column("end"), schedule.column("user")
    of_flurry = (user == FLURRY) & (ended >= begin) & (ended < end)
    hours = schedule.column("wait")[of_flurry].sum() / 3600
    found = means.loc[["1999-12", "2000-03"], list(METRICS.values())].set_axis(list(METRICS), axis=1)
    return found.assign(cause=[hours, means.utilization["2000-02"]]).rename_axis("month")


def uncompleted(trace, policy, seed=0):
    """September 1996 on the Paragon: a draw of the restored log; and with each of the 20 largest jobs not completed."""
    if trace is None or not trace.lost or "1996-09" not in trace.month_edges[0]:
        return {}
    drawn, begin_end = trace.drawn(seed), trace.month_edges[1][trace.month_edges[0].index("1996-09") :][:2]
    filed, jobs = trace.lost.log.jobs, drawn.workload.jobs
    others = filed[(filed.status != 1) & filed.submit.between(*begin_end)]
    others = others.loc[(others.run * others.procs).nlargest(20).index].assign(estimate=lambda of: of.run)
    one = partial(measured, drawn, policy, "1996-09")
    found = {"one draw of the restored log": [one()]}
    for job in others.index:
        alone = f"with job {job}, which did not complete"
        largest = job in (29465, 30028)  # of user 4: all 128 processors for two days
        name = alone if largest else "with one of the other large jobs that did not"
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
    for (trace, month, scheduler), of in variants.items():
        printed = {f"{metric}_printed": table.loc[(trace, month), f"{scheduler}_{metric}"] for metric in METRICS}
        for variant, made in of.items():
            made = pd.DataFrame(made).reset_index(drop=True).assign(**printed)
            rows[f"{trace} {month} {scheduler}", variant] = made
    if not rows:
        return by_place({}, LEVELS, FORK_COLUMNS).astype(float)
    return pd.concat(rows, names=LEVELS).reindex(columns=FORK_COLUMNS).astype(float)


def summed_up(found):
    """Sum up the runs of each variant: medians beside print, the share close to it, and how the cause correlates."""
    printed = [f"{metric}_printed" for metric in METRICS]
    close = near(found, {metric: found[f"{metric}_printed"] for metric in METRICS})
    by_variant = found.assign(both=close.astype(float)).groupby(level=LEVELS[:2], sort=False)
    table = by_variant[[*printed, *METRICS, "cause"]].median()
    ours = table[list(METRICS)].groupby("name", sort=False).transform("first").add_suffix("_ours")
    correlation = {name: of.cause.corr(of.response_s) for name, of in found.groupby("name")}
    of_name = np.where(table.cause.notna(), table.index.get_level_values("name").map(correlation), np.nan)
    table = table.join(ours).assign(runs=by_variant.size(), both=by_variant.both.mean(), correlation=of_name)
    return table[[*printed, *ours, *METRICS, "runs", "both", "correlation"]]


def draw_forks(runs, causes):
    """Draw the forks that `causes` names against their cause, or bounded slowdown; None where none can be shown."""
    here = {}
    for name, cause in causes.items():
        of = runs[runs.index.isin([name], level="name")].droplevel("name")
        shaken = of.index.get_level_values("variant").str.startswith("shaken")
        here[name] = of.dropna(subset="cause") if cause else of[~shaken]
    here = {name: of for name, of in here.items() if len(of)}
    if not here:
        return None
    figure = plt.figure(figsize=(11.2, 4.2 * -(-len(here) // 2)))
    for number, (name, of) in enumerate(here.items(), 1):
        ax = figure.add_subplot(-(-len(here) // 2), 2, number)
        x, size = ("cause", 3) if causes[name] else ("bounded_slowdown", 7)
        for mark, (variant, part) in zip(cycle("so^v<>D"), of.groupby("variant", sort=False), strict=False):
            ax.plot(part[x], part.response_s, mark, label=variant, fillstyle="none", markersize=size)
        ax.axhline(of.response_s_printed.iloc[0], color="black", linewidth=1, linestyle="--", label="printed")
        ax.axvline(of[f"{x}_printed"].iloc[0], color="black", linewidth=1, linestyle="--")
        ax.legend(fontsize=8.5, frameon=True, edgecolor="none")
        ax.set(title=name.replace("easy", "EASY"), xlabel=causes[name] or LABELS[x], ylabel=LABELS["response_s"])
    return figure
