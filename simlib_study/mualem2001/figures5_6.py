"""What policies backfill on logs and on models by load, and how workloads differ (Figures 5 and 6, section 3.3)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlib import plots
from simlib.analysis.stats import mean_interval
from simlib.core import threads
from simlib.core.workload import Workload

from .. import judging
from ..claims import Measure
from ..judging import AS_IT_IS, RESTORED, SCHEDULERS, TEXT, in_words, plain, printed
from ..resampling import cluster_bootstrap
from . import SP2, trace_of

# Figure 5


def compared(runs: pd.DataFrame) -> pd.DataFrame:
    """Put differences from the first policy, run by run, beside the policies; level `of` in place of `policy`.

    What is read differently is compared with the first policy read differently, if there is that.
    """
    of: dict[Any, Any] = {
        name: runs.drop(columns="jobs").xs(name, level="policy") for name in runs.index.unique("policy")
    }
    first, *others = dict.fromkeys(map(plain, of))
    bases = {name != first: measured for name, measured in of.items() if plain(name) == first}
    for name in [name for name in of if plain(name) != first]:
        differs = name.removeprefix(plain(name))
        base = bases[bool(differs) and True in bases]
        behind = "" if plain(name) == "conservative" or len(others) == 1 else f" of {plain(name)}"
        difference = of[name] - base
        of[f"difference{behind}{differs}"] = difference
        of[f"relative{behind}{differs}"] = difference / base.where(base != 0)
    return pd.concat(of, names=["of"])


def intervals(changes: pd.DataFrame) -> pd.DataFrame:
    """Give of what is `compared` on models the mean, with its 90 % interval by Student's t over the runs."""
    by_run = judging.wide(changes.rename_axis(columns="metric").stack(future_stack=True), "run")
    return mean_interval(by_run.T).rename_axis(by_run.index.names)


def laid_out(table: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Order a table of what is `compared` by metric, workload, load, group and `of`, and say how many `jobs`."""
    levels = [name for name in ("metric", "log", "load", "group", "of") if name in table.index.names]
    of_jobs = [name for name in levels if name in ("log", "load", "group")]
    table = judging.in_order(table, *levels)
    places = table.droplevel([name for name in levels if name not in of_jobs]).index
    table.insert(0, "jobs", runs.jobs.groupby(of_jobs).mean().reindex(places).to_numpy())
    return table.rename_axis(index={"log": "workload"})


def panels(table: pd.DataFrame, other: str) -> pd.DataFrame:
    """Put shares of the policies before what begins with such a name of `of`, as a level `panel`; no restored logs."""
    table = in_words(table, "of", "workload").drop(index=RESTORED, level="under", errors="ignore")
    of = table.index.get_level_values("of").str
    shares = table[~of.startswith(("difference", "relative"))]
    label = f"{other} {'to' if other == 'relative' else 'from'} {table.index.unique('of')[0]}'s"
    return pd.concat({"share of jobs backfilled": shares, label: table[of.startswith(other)]}, names=["panel"])


MOST = 12
"""So many groups, those with most jobs, are drawn."""


def drawn_by_group(table: pd.DataFrame, label: str) -> Figure:
    """Draw shares by group, of those with most jobs: one column per log, below it how conservative differs."""
    jobs = table.jobs.groupby(["workload", "group"]).first().groupby("workload").rank(ascending=False, method="first")
    table = panels(table[jobs.reindex(table.droplevel("of").index).to_numpy() <= MOST], "difference")
    widths = [2 + len(of_log.index.unique("group")) for _, of_log in table.groupby("workload", sort=False)]
    size = max(6, 1.2 + 0.24 * sum(widths)) / len(widths), 2.4
    names = table.droplevel("group")  # of which each log has its own
    for ax, part in plots.facets(table, "panel", "workload", size=size, widths=widths, sharex="col", sharey="row"):
        entries = plots.curves(ax, part, "group", "of", "under", whole=names, bars=("low", "high"))
        ax.tick_params(axis="x", rotation=90)
        ax.yaxis.set_major_formatter("{x:.0%}")
        ax.axhline(0, color="black", linewidth=0.8)
        ax.tick_params(axis="x", labelsize=7)
    assert isinstance(ax.figure, Figure)  # and no part of one
    ax.figure.set_size_inches(11, ax.figure.get_figheight())  # or the sizes would touch each other
    ax.figure.supxlabel(label, size=9)
    plots.legend(ax.figure, entries)
    apart = table.xs(table.index.unique("panel")[1], level="panel")
    of: Any = apart.ours.abs().idxmax()
    farthest = dict(zip(apart.index.names, of, strict=True))
    by = f"by {100 * apart.ours[of]:+.0f} points, of {apart.jobs[of]:,.0f} jobs"
    far = f"{farthest['workload']}, {farthest['group']}: {by}"
    plots.title(ax.figure, f"The policies' shares of backfilled jobs differ most on {far}")
    return ax.figure


def said(totals: pd.DataFrame, names: Iterable[str]) -> str:
    """Write what the policies backfill of some logs by the text, such as "EASY / conservative KTH 40.0% / 41.0%"."""
    shares = in_words(totals.loc["backfilled"], "of", "workload").xs(TEXT, level="under").ours.unstack("of", sort=False)
    of = [name for name in shares if not name.startswith(("difference", "relative"))]
    numbers = (f"{name} {' / '.join(map('{:.1%}'.format, shares.loc[name, of]))}" for name in names)
    return f"{' / '.join(of)} {', '.join(numbers)}"


def beside(table: pd.DataFrame, form: str = "{:.1%}") -> pd.DataFrame:
    """Write what is `laid_out` as text, with intervals: a column each value of `of`."""
    relative = table.index.get_level_values("of").str.startswith("relative")
    value = "ours" if "ours" in table else "mean"
    text = [judging.with_intervals(table[~relative], form, value)]
    text += [judging.with_intervals(table[relative], "{:+.1%}", value)]
    return judging.wide(pd.concat(text), "of")


def with_printed(changes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Take relative differences of all jobs by reading, and as `printed` what Table 1 has of SDSC's performance."""
    relative = judging.readings(changes.xs("all", level="group"), "of")
    relative = {reading: of.xs("relative", level="of") for reading, of in relative.items()}
    of_print, differences = printed("mualem2001_table1").xs("SDSC", level="log").unstack(["policy", "metric"]), {}
    for metric in ("response_s", "bounded_slowdown"):
        means = [np.average(of_print[who, metric], weights=of_print[who, "jobs"]) for who in SCHEDULERS]
        differences[metric] = means[1] / means[0] - 1
    of = {"log": "SDSC", "run": AS_IT_IS}
    like = relative[TEXT]
    index = pd.MultiIndex.from_tuples([tuple(of[name] for name in like.index.names)], names=like.index.names)
    return relative | {"printed": pd.DataFrame(differences, index, columns=like.columns)}


# Figure 6


OTHERS = ("Par", "CM5")
"""The logs that the text sets against the SP2 ones."""

MODEL = "Feitelson"

WEEK = 7 * 86400


def of_weeks(workloads: Mapping[str, Workload], resamples: int = 1000, seed: int = 0) -> pd.DataFrame:
    """Work out mean and median of run time, size and machine share of workloads, and of resamples of their weeks."""
    tasks = [(workload, resamples, [seed, number]) for number, workload in enumerate(workloads.values())]
    tables: dict[str, Any] = dict(zip(workloads, threads.sweep(_of_weeks, tasks), strict=True))
    return pd.concat(tables, names=["workload"])


def _of_weeks(workload: Workload, resamples: int, seed: Sequence[int]) -> pd.DataFrame | pd.Series:
    """Describe one workload, and those that are put together from its weeks."""
    jobs: Any = workload.jobs[["run", "procs"]].set_axis(["run", "size"], axis=1)
    week = (workload.jobs.submit - workload.jobs.submit.min()) // WEEK
    drawn = cluster_bootstrap(jobs, week, resamples, seed)
    medians = jobs.quantile(0.5, interpolation="lower")
    whole = {(name, "mean"): jobs[name].mean() for name in jobs} | {(name, "median"): medians[name] for name in jobs}
    table = pd.concat([pd.DataFrame(whole, [AS_IT_IS]), drawn.set_axis(drawn.index + AS_IT_IS + 1)])
    for statistic in ("mean", "median"):
        table["machine_share", statistic] = table["size", statistic] / workload.procs
    names = ["quantity", "statistic"]
    return table.rename_axis(index="run", columns=names).stack(names, future_stack=True)


def longest(means: pd.DataFrame) -> str:
    """Say which workload has the longest mean run time, and whose interval reaches as far."""
    by_mean: Any = means.xs(("run", "mean"), level=["quantity", "statistic"])
    by_mean = by_mean.sort_values("ours", ascending=False)
    first, *others = by_mean.index
    alike = [name for name in others if by_mean.high[name] >= by_mean.low[first]]
    end = f"; that of {' and '.join(alike)} may be as long" if alike else ""
    return f"{first} has the longest mean run time of all workloads{end}"


def ratios(weeks: pd.DataFrame) -> pd.DataFrame:
    """Divide each statistic of the SP2 logs by that of the others and of the model: the `judging.spread` by pair."""
    there = list(weeks.index.unique("workload"))
    others = [other for other in there if trace_of(other) in (*OTHERS, MODEL)]
    pairs = product([log for log in SP2 if log in there], others)
    divided = {(log, other): weeks.loc[log] / weeks.loc[other] for log, other in pairs}
    made = pd.concat(divided, names=["one", "other"]) if divided else weeks[:0].rename_axis(index={"workload": "one"})
    return judging.spread(made, resampled=True)


def by_quantity(table: judging.Table, forms: Mapping[str, str]) -> pd.DataFrame:
    """Write numbers with their intervals as text, a column each quantity and statistic; `forms` are by quantity."""
    columns = {
        quantity: judging.with_intervals(table.xs(quantity, level="quantity"), form).unstack("statistic")
        for quantity, form in forms.items()
    }
    return pd.concat(columns, axis=1).reindex(table.droplevel(["quantity", "statistic"]).index.unique())


def sp2_against_others(weeks: pd.Series, of_models: pd.Series) -> dict[str, dict[str, Measure]]:
    """Measure the geometric mean of the SP2 logs over that of the others and each model; nothing where a log lacks."""
    traces = weeks.index.get_level_values("workload").map(trace_of)
    if not {*SP2, *OTHERS} <= set(traces):
        return {}
    measured = {}
    for name in of_models.index.unique("workload"):
        both = pd.concat([weeks[traces.isin([*SP2, *OTHERS])], of_models.loc[[name]].rename({name: MODEL})])
        logs = np.log(both.unstack("workload")).T.groupby(trace_of).mean()  # two years of one log count as one
        divided = np.exp(logs.loc[list(SP2)].mean() - logs.loc[[*OTHERS, MODEL]].mean())
        measured[name] = {
            f"{statistic} {word}": Measure.spread(divided.xs((quantity, statistic), level=("quantity", "statistic")))
            for statistic in ("mean", "median")
            for quantity, word in (("run", "run time"), ("size", "size"))
        }
    return measured
