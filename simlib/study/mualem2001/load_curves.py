"""Pictures of load curves: means against the load, and how much two schedulers differ."""

from collections.abc import Mapping
from functools import partial
from itertools import product
from string import ascii_lowercase
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from ..._util.fingerprint import identity
from ...analysis import cache, load_curves
from ...analysis.load_curves import over_runs
from ...analysis.stats import ks_distance
from ...core import sweeps
from ...plots.panels import in_whole_per_cents, legend
from ...plots.style import COLOURS, scheduler_styles
from ..claims import NOTHING, Measure, decide
from ..verdicts import TEXT
from . import SCHEDULERS

MARKERS = [{"marker": marker, "linestyle": line} for marker, line in (("o", "-"), ("s", "--"), ("^", ":"))]
HOLLOW = {"color": "grey", "marker": "o", "linestyle": "", "markerfacecolor": "white"}
DOTTED = {"color": "grey", "linestyle": ":"}
DIFFERENCE_COLOURS = [*COLOURS[2:6], "#808080", "#8C510A", COLOURS[6]]


def against_load(
    points: pd.DataFrame,
    labels: Mapping[str, str],
    groups: list[list[str]] | None = None,
    value: str = "mean",
    limits: Mapping[str, float] | None = None,
) -> Figure:
    """Draw means against load with their intervals: metrics side by side, or of several groups one a column.

    Panels have letters, row by row.
    """
    groups = groups or [list(points.index.unique("workload"))]
    several, schedulers = len(groups) > 1, list(points.index.unique("scheduler"))
    shape, size = ((len(labels), len(groups)), (0.8 + 2.5 * len(groups), 0.9 + 2.9 * len(labels)))
    shape, size = (shape, size) if several else (shape[::-1], (5.2 * len(labels), 4.0))
    figure, axes = plt.subplots(*shape, figsize=size, squeeze=False, sharex=True, sharey="row" if several else False)
    axes = axes if several else axes.T
    for (row, metric), (column, group) in product(enumerate(labels), enumerate(groups)):
        _panel(axes[row, column], points.xs(metric, level="metric").loc[group], value)
        letter = ascii_lowercase[row * len(groups) + column]
        axes[row, column].set_title(f"({letter}) {', '.join(group)}" if several else f"({letter})")
        axes[row, column].set_ylabel(labels[metric] if column == 0 else "")
    ends = (1.15 * points[~points.ceiling].high.groupby("metric").max()).to_dict() | dict(limits or {})
    for row, metric in enumerate(labels):
        axes[row, 0].set_ylim(0, ends.get(metric))
    for ax in axes[-1] if several else axes[:, 0]:
        ax.set_xlabel("load")
    entries = scheduler_styles(schedulers)
    if not several:
        entries |= {name: {"color": "grey"} | style for name, style in zip(groups[0], MARKERS, strict=False)}
    legend(figure, entries | ({"stopped: too high": HOLLOW} if points.ceiling.any() else {}))
    return figure


def _panel(ax: Axes, points: Any, value: str) -> None:
    """Draw one metric of some workloads against load, a line each of these and each scheduler."""
    workloads = zip(points.index.unique("workload"), MARKERS, strict=False)
    schedulers = list(points.index.unique("scheduler"))
    shifts = ((place - (len(schedulers) - 1) / 2) * 0.003 for place in range(len(schedulers)))
    apart = zip(schedulers, COLOURS, shifts, strict=False)  # so that equal intervals are told apart
    for (workload, style), (scheduler, colour, shift) in product(workloads, apart):
        part = points.xs((workload, scheduler), level=("workload", "scheduler"))
        _with_intervals(ax, part.index + shift, part, part[value], {"color": colour, **style})
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _with_intervals(ax: Axes, x: pd.Index, part: Any, values: pd.Series, style: Mapping[str, Any]) -> None:
    """Draw a line with its intervals, dots hollow where the ceiling stopped the simulation."""
    error = [values - part.low, part.high - values]
    ax.errorbar(x, values, error, markersize=4, linewidth=1.3, elinewidth=0.9, capsize=2, **style)
    over = {"markersize": 4, "linestyle": "", "markerfacecolor": "white", "zorder": 3}
    ax.plot(x[part.ceiling], values[part.ceiling], **{**style, **over})


def differences_by_load(
    differences: pd.DataFrame, titles: Mapping[str, str], names: list[str] | None = None, label: str = ""
) -> Figure:
    """Draw how much more one scheduler has than another, by load: a panel a metric, a line a workload."""
    figure, axes = plt.subplots(1, len(titles), figsize=(5.2 * len(titles), 4.2))
    colours = dict(zip(differences.index.unique("workload"), DIFFERENCE_COLOURS, strict=False))
    names = names or list(colours)
    first, *others = differences.index.unique("rule")
    for ax, (metric, title) in zip(axes, titles.items(), strict=True):
        ax.axhline(0, color="black", linewidth=1)
        for name in names:
            by_rule = differences.xs((name, metric), level=("workload", "metric"))
            part = by_rule.xs(first, level="rule")
            _with_intervals(ax, part.index, part, part.relative, {"color": colours[name], "marker": "o"})
            for rule in others:
                other = by_rule.xs(rule, level="rule").relative
                ax.plot(other.index, other, ":", color=colours[name], linewidth=1.2)
        in_whole_per_cents(ax.yaxis)
        ax.set(title=title, xlabel="load")
    axes[0].set_ylabel(label)
    entries = {name: {"color": colours[name], "marker": "o", "markersize": 4} for name in names}
    entries |= {f"{rule} rules": DOTTED for rule in others}
    legend(figure, entries | ({"stopped: too high": HOLLOW} if differences.loc[names].ceiling.any() else {}))
    return figure


# Figures 4 and 7: response time and slowdown of models against the load (sections 3.1 to 3.3).


LOADS = tuple(n / 20 for n in range(10, 20))
"""From 0.5 to 0.95."""


def share_backfilled(schedule):
    """Tell for each job whether it was backfilled, as 0 or 1."""
    return schedule.column("backfilled").astype(float)


MEASURED = load_curves.MEASURES | {"backfilled": share_backfilled}
"""What is measured of every simulation, whatever an exhibit shows of it: so one exhibit finds what another has made."""

POINT = ["replication", "workload", "load", "scheduler", "rule", "metric"]
PAIR = ["replication", "workload", "load", "rule", "metric"]


def curves(
    models,
    seeds,
    batch,
    policies,
    loads=LOADS,
    stopping=load_curves.STOPPING,
    feedback=(),
    measures=tuple(load_curves.MEASURES),
    executor=None,
):
    """Simulate several workloads of each model at every load under every policy: see `load_curves.at_load`.

    Models are, by label, functions of a seed that make the workload, and `batch` has their jobs a batch; `feedback` has
    the labels of those in which jobs follow others. Seeds make the replications 1, 2, ...; policies are by (scheduler,
    rule), and the schedulers are compared under each rule. Measures are some of `MEASURED`.
    """
    found = []
    for seed in seeds:
        workloads = {label: make(seed) for label, make in models.items()}
        found.append(_replication(workloads, batch, policies, loads, stopping, feedback, executor))
    numbers = range(1, len(found) + 1)
    points, differences = (pd.concat(tables, keys=numbers) for tables in zip(*found, strict=True))
    points, differences = (
        table.rename_axis(names)[table.index.isin(list(measures), level=-1)]
        for table, names in ((points, POINT), (differences, PAIR))
    )
    return points, differences.rename(columns=dict(zip(("one", "other"), SCHEDULERS, strict=True)))


def _replication(workloads, batch, policies, loads, stopping, feedback, executor):
    """Simulate one workload of each model; the largest at the highest loads, which take longest, come first."""
    cases = [(label, load) for label in workloads for load in loads]
    longest_first = sorted(cases, key=lambda case: -len(workloads[case[0]]) * case[1])
    keys = {label: (cache.state_of(one, label in feedback), identity(policies)) for label, one in workloads.items()}
    tasks = [
        (keys[label], workloads[label], load, policies, batch[label], stopping, label in feedback)
        for label, load in longest_first
    ]
    once = cache.once(_at_load, "workload", "policies")
    made = dict(zip(longest_first, sweeps.sweep(once, tasks, executor, label="loads"), strict=True))
    return tuple(pd.concat({case: made[case][kind] for case in cases}) for kind in (0, 1))


def _at_load(key, workload, load, policies, batch, stopping, feedback):
    """Simulate one load; `key` stands for workload and policies in the cache, for figures 4 and 7 share models."""
    pairs = {rule: tuple((scheduler, rule) for scheduler in SCHEDULERS) for _, rule in policies}
    return load_curves.at_load(workload, load, policies, batch, pairs, MEASURED, stopping, feedback)


# What the text says of models under rising load, measured: claims MF-05 to 07, 14, 20 to 24 and 41 to 43.


HIGH = (0.75, 0.90)
"""The loads, both included, that are called high."""

CANDIDATES = ("Fsl, no repetition", "Fsl, Jann's arrivals")
"""Labels of the models that MF-24 asks for; the second has no repetitions either."""

NAMES = {"response_s": "response time", "bounded_slowdown": "bounded slowdown"}


# Figure 4


def figure4(differences):
    """Decide claims MF-06 and MF-07 from the differences of `load_curves.curves` on the model "Jann"."""
    response, slowdown = (
        {
            rule: _mean(at_high_load(differences, rule, metric, ["Jann"])["Jann"])
            for rule in differences.index.unique("rule")
        }
        for metric in NAMES
    )
    return [
        decide("MF-06", {rule: {"response time": one} for rule, one in response.items()}),
        decide("MF-07", {rule: {"higher": one, "slightly": one} for rule, one in slowdown.items()}),
    ]


# The Feitelson model and its variants, labelled F, Fs, Fl, Fsl, with the CANDIDATES and Jann


def same(points, differences, rule):
    """Measure both metrics' difference, each at the steady load at which it is the largest."""
    return {name: furthest(differences, rule, metric) for metric, name in NAMES.items()}


def backfilled(points, differences, rule):
    """Measure the difference in the share of backfilled jobs at the steady load at which it is the largest."""
    return {"share": furthest(differences, rule, "backfilled")}


def furthest(differences, rule, metric):
    """Measure the difference on F at the steady load at which it is the largest."""
    relative, steady = _by_load(differences, rule, metric, ["F"])
    by_load = relative["F"].unstack("load")[list(steady)]
    return _mean(by_load[by_load.mean().abs().idxmax()]) if len(steady) else NOTHING


def accuracy(points, differences, rule):
    """Measure, run by run, the share of simulations that take 100 batches, and the median accuracy of those.

    They are those of F and of the Jann model.
    """
    models = points.index.get_level_values("workload").isin(["F", "Jann"])
    found = points[models].xs((rule, "response_s"), level=("rule", "metric"))
    long = found.stopped == "batches"
    of_long = found.accuracy[long].groupby("replication").median()
    return {"batches": _mean(long.groupby("replication").mean()), "accuracy": _mean(of_long)}


LARGER = {
    "MF-20": dict.fromkeys(("makes a difference", "small"), ("response_s", "Fl", "F", 1)),  # only run times change
    "MF-21": {"enlarged": ("response_s", "Fsl", "Fl", 1), "considerably": ("response_s", "Fsl", "Fl", 2)},
    "MF-22": {"makes a difference": ("bounded_slowdown", "Fs", "F", 1)},  # only sizes change
    "MF-23": {name: (metric, "Jann", "Fsl", 1) for metric, name in NAMES.items()},
}
"""By claim and part: in which metric the difference on one model is larger than so many times that on another."""


def larger_differences(id, points, differences, rule):
    """Measure how much larger the difference is for each part of a claim of `LARGER`."""
    found = {}
    for part, (metric, one, other, times) in LARGER[id].items():
        found[part] = _mean(larger(at_high_load(differences, rule, metric, [other, one]), one, other, times))
    return found


def unexplained(points, differences, rule):
    """Measure how far each candidate stays below half of what both metrics' difference on Fsl lacks to Jann's.

    Repetitions are left out of Fsl, then Jann's interarrival times are put in. Nothing where Fsl lacks nothing.
    """
    found = {}
    for metric, name in NAMES.items():
        high = at_high_load(differences, rule, metric, ["Fsl", *CANDIDATES, "Jann"])
        lacking, sign = larger(high, "Jann", "Fsl"), np.sign(high["Jann"].mean())
        before = "Fsl"
        for step, after in zip(("no repetition", "Jann's arrivals"), CANDIDATES, strict=True):
            added = sign * (high[after] - high[before])
            found[f"{name}, {step}"] = _mean(lacking / 2 - added) if lacking.mean() > 0 else NOTHING
            before = after
    return found


def both_needed(points, differences, rule):
    """Measure how far each change alone stays below half of Fsl's difference in response time."""
    high = at_high_load(differences, rule, "response_s", ["Fl", "Fs", "Fsl"])
    return {label: _mean(larger(high, "Fsl", label, 2) / 2) for label in ("Fl", "Fs")}


OF_F = {
    "MF-05": same,
    "MF-14": backfilled,
    **{id: partial(larger_differences, id) for id in ("MF-20", "MF-21", "MF-22")},
    "MF-43": both_needed,
    "MF-41": accuracy,
}
OF_FSL = {"MF-23": partial(larger_differences, "MF-23"), "MF-24": unexplained}
"""What is measured for a claim on F and its variants, and on Fsl, in the points and differences under a rule."""


# Of differences


def at_high_load(differences, rule, metric, labels):
    """Average the differences over the HIGH loads that are steady on all of these models.

    Where there is none, take the difference at the highest load below them that is. A row a replication, a column a
    model; no rows where no load is steady.
    """
    relative, steady = _by_load(differences, rule, metric, labels)
    loads = [load for load in steady if HIGH[0] <= load <= HIGH[1]] or steady[steady < HIGH[0]][-1:]
    return relative[relative.index.isin(loads, level="load")].groupby("replication").mean()


def _by_load(differences, rule, metric, labels):
    """Lay out differences by replication and load, a column a model, and find those that are steady on all."""
    found = differences.xs((rule, metric), level=("rule", "metric"))
    stopped = over_runs(found, "relative").ceiling.astype(float).unstack("workload")[list(labels)]
    return found.relative.unstack("workload")[list(labels)], stopped.index[stopped.sum(axis=1, skipna=False) == 0]


def larger(high, one, other, times=1):
    """Work out, run by run, how much larger one model's difference is in size than so many times another's."""
    return np.sign(high[one].mean()) * (high[one] - times * high[other])


def _mean(runs):
    """Measure the mean over the replications that there are."""
    runs = runs.dropna()
    return Measure.mean(runs) if len(runs) > 1 else NOTHING


def interarrivals(pairs):
    """Decide claim MF-42 by the largest gap between the distributions of interarrival times of pairs of workloads.

    They are divided by their means, as the load is set by scaling them. A pair a replication.
    """
    gaps = [[np.diff(workload.jobs.submit) for workload in pair] for pair in pairs]
    distances = [ks_distance(*(each / each.mean() for each in both)) for both in gaps]
    names = [workload.name for workload in pairs[0]]
    spread = ", ".join(f"{name} {each.std() / each.mean():.1f}" for name, each in zip(names, gaps[0], strict=True))
    note = f"coefficients of variation {spread}"
    return decide("MF-42", {TEXT: {"interarrival times": Measure.mean(distances)}}, note)
