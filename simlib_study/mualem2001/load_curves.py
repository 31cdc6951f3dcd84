"""Models under rising load: simulated again and again, and by how much policies differ (sections 3.1 to 3.3)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from simlib import plots
from simlib._util import cache
from simlib._util.arrays import Floats
from simlib.core import threads
from simlib.core.schedule import Policy, Schedule
from simlib.core.workload import Workload

from .. import judging, load_curves
from ..claims import NOTHING, Measure
from ..load_curves import over_runs
from . import LABELS


def share_backfilled(schedule: Schedule) -> Floats:
    """Tell for each job whether it was backfilled, as 0 or 1."""
    backfilled: Floats = schedule.column("backfilled").astype(float)
    return backfilled


MEASURES = {**load_curves.MEASURES, "backfilled": share_backfilled}
"""What is measured of every simulation, whatever a notebook shows of it: so one finds what another has made."""

POINT = ["run", "workload", "load", "policy", "metric"]
DIFFERENCE = ["run", "workload", "load", "policy", "against", "metric"]


class Curves(NamedTuple):
    """Each simulation, and how much more each policy has than the first one, and than others of its plain name."""

    points: pd.DataFrame
    differences: pd.DataFrame


def curves(
    models: Mapping[str, Callable[[int], Workload]],
    policies: Mapping[str, Policy],
    loads: Collection[float] | Mapping[str, Collection[float]],
    *,
    seeds: Iterable[int],
    batch: Mapping[str, int],
    measures: Mapping[str, load_curves.Measure] = load_curves.MEASURES,
    stopping: Mapping[str, float | None] = load_curves.STOPPING,
    feedback: Collection[str] = (),
    executor: Any = None,
) -> Curves:
    """Simulate workloads of models, functions of a seed by label, at loads under policies: see `load_curves.at_load`.

    Policies of the first one's plain name are what the others are compared with; `batch` and `feedback` are by label.
    """
    once = cache.once(_at_load)
    made: dict[tuple[int, str, float], tuple[pd.DataFrame, pd.DataFrame]] = {}
    by_label = loads if isinstance(loads, Mapping) else dict.fromkeys(models, loads)
    seed_of = dict(enumerate(seeds, 1))
    with closing(threads.counted(len(seed_of) * sum(len(by_label[label]) for label in models), "loads")) as bar:
        for label, make in models.items():  # one after another, for the workloads of all are large
            how = policies, {**MEASURES, **measures}, batch[label], dict(stopping), label in feedback
            workloads = {number: make(seed) for number, seed in seed_of.items()}
            cases = list(product(workloads, sorted(by_label[label], reverse=True)))  # high loads take longest
            tasks = [(workloads[number], load, *how) for number, load in cases]
            of_cases = dict(zip(cases, threads.sweep(once, tasks, executor, bar), strict=True))
            made |= {(number, label, load): of_cases[number, load] for number in workloads for load in by_label[label]}
    in_order = sorted(made, key=lambda case: case[0])
    tables = [
        pd.concat({case: made[case][kind] for case in in_order}).rename_axis(names)
        for kind, names in enumerate((POINT, DIFFERENCE))
    ]
    return Curves(*(table[table.index.isin(list(measures), level="metric")] for table in tables))


def joined(*parts: Curves) -> Curves:
    """Join curves of different models; runs come in order, as if all had been simulated at once."""
    tables = (pd.concat(tables) for tables in zip(*parts, strict=True))
    return Curves(*(table.sort_index(level="run", sort_remaining=False) for table in tables))


def _at_load(
    workload: Workload,
    load: float,
    policies: Mapping[str, Policy],
    measures: Mapping[str, load_curves.Measure],
    batch: int,
    stopping: Mapping[str, float | None],
    feedback: bool,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate one load; the cache, which notebooks share, keeps it."""
    first = judging.plain(next(iter(policies)))
    against = [name for name in policies if judging.plain(name) == first]
    pairs = {(name, base): (base, name) for name in policies if name not in against for base in against}
    return load_curves.at_load(workload, load, policies, batch, pairs, measures, stopping, feedback)


def readings(curves: Curves) -> dict[str, Curves]:
    """Take curves by the word of a summary, as `judging.readings`."""
    points, differences = judging.readings(curves.points), judging.readings(curves.differences, "against")
    return {word: Curves(points[word], differences[word]) for word in points}


def filed(differences: pd.DataFrame) -> pd.DataFrame:
    """Lay differences out as they are filed: where two policies were compared, these are columns."""
    others = differences.index.unique("policy")
    if len(others) > 1:
        return differences
    return differences.droplevel("policy").rename(columns={"one": "EASY", "other": others[0]})


STOPPED = "stopped: too high"
TITLES = {"response_s": "Response time", "bounded_slowdown": "Bounded slowdown"}


def drawn(
    points: pd.DataFrame, value: str, differences: pd.DataFrame, limits: Mapping[str, float] | None = None
) -> Figure:
    """Draw means against load with their intervals: a row of panels a metric, a column a model, a colour a policy.

    Circles are around what the ceiling stopped; axes end a little above all else, or at a metric's limit.
    """
    tops = (1.15 * points.high[~points.ceiling].groupby("metric").max()).to_dict() | dict(limits or {})
    top = points.index.get_level_values("metric").map(tops)
    table = points.assign(top=top, **{STOPPED: points[value].where(points.ceiling)})
    entries: dict[str, dict[str, Any]] = {}
    size = 2.3 + 1.2 / points.index.unique("workload").size, 2.7
    for ax, part in plots.facets(table, "metric", "workload", size=size, labels=LABELS, sharex=True, sharey="row"):
        shared: dict[str, Any] = {"whole": table, "shift": 0.003}
        entries = plots.curves(ax, part, "load", "policy", value=value, bars=("low", "high"), **shared) | entries
        entries |= plots.circles(ax, part, "load", "policy", value=STOPPED, **shared)
        ax.set_ylim(0, part.top.max() if part.top.notna().any() else None)
        ax.yaxis.set_major_formatter("{x:,.0f}")
    assert isinstance(ax.figure, Figure)  # and no part of one
    ax.figure.supxlabel("load", size=9)
    plots.legend(ax.figure, entries)
    apart: Any = points[["low", "high", "ceiling"]].unstack("policy")
    apart = apart[~apart.ceiling.any(axis=1)]
    overlap = (apart.low.max(axis=1) <= apart.high.min(axis=1)).sum()
    paired = differences.xs(differences.index.unique("against")[0], level="against")
    clear = ((paired.low > 0) | (paired.high < 0)).groupby(apart.index.names).all()
    clear = clear.reindex(apart.index, fill_value=False).sum()
    message = f"Of {len(apart)} points that were not stopped, separate intervals overlap at {overlap}"
    plots.title(ax.figure, f"{message}; that of the difference job by job, over all runs, excludes zero at {clear}")
    return ax.figure


def differences_drawn(differences: pd.DataFrame) -> Figure:
    """Draw by load how much more policies have than the first: a column of panels a metric, a colour a model."""
    table = differences.assign(**{STOPPED: differences.relative.where(differences.ceiling)})
    entries: dict[str, dict[str, Any]] = {}
    labels = TITLES | {name: f"{name}'s mean against EASY's" for name in table.index.unique("policy")}
    for ax, part in plots.facets(table, "policy", "metric", size=(3.2, 2.8), labels=labels, squeeze=False):
        ax.axhline(0, color="black", linewidth=1)
        how: dict[str, Any] = {"value": "relative", "bars": ("low", "high")}
        entries = plots.curves(ax, part, "load", "workload", "against", whole=table, **how) | entries
        entries |= plots.circles(ax, part, "load", "workload", whole=table, value=STOPPED)
        plots.in_whole_per_cents(ax.yaxis)
        ax.set_xlabel("load")
    assert isinstance(ax.figure, Figure)  # and no part of one
    plots.legend(ax.figure, entries)
    plots.title(ax.figure, _at_one_load(differences))
    return ax.figure


def _at_one_load(differences: pd.DataFrame) -> str:
    """Say how response times differ at the highest load that is steady on all models: so all have the same load."""
    against = differences.index.unique("against")[0]
    of = judging.wide(differences.xs((against, "response_s"), level=("against", "metric")), "workload")
    steady = of.relative[~of.ceiling.astype(bool).any(axis=1)]
    if not len(steady):
        return f"Response time against {against}'s: no load is steady on all of these models"
    (load, policy), last = steady.index[-1], steady.iloc[-1]
    each = ", ".join(f"{name} {relative:+.0%}" for name, relative in last.items())
    return f"Response time of {policy} against {against} at load {load:g}, the highest steady on all: {each}"


# What the text says of models under rising load, measured on differences of one reading


HIGH = (0.75, 0.90)
"""The loads, both included, that are called high."""


def at_high_load(differences: pd.DataFrame, metric: str, labels: Sequence[str]) -> pd.DataFrame:
    """Average relative differences, by run, over the HIGH loads that are steady on all of these models.

    A load is steady where the ceiling stops at most half of the runs; if no high one is, the next below is taken.
    """
    relative, steady = _by_load(differences, metric, labels)
    loads = [load for load in steady if HIGH[0] <= load <= HIGH[1]] or steady[steady < HIGH[0]][-1:]
    return relative[relative.index.isin(loads, level="load")].groupby("run").mean()


def furthest(differences: pd.DataFrame, metric: str, label: str) -> pd.Series:
    """Take the relative difference on a model at the steady load at which it is the largest, by run."""
    relative, steady = _by_load(differences, metric, [label])
    by_load = relative[label].unstack("load")[list(steady)]
    return by_load[by_load.mean().abs().idxmax()] if len(steady) else pd.Series(dtype=float)


def _by_load(differences: pd.DataFrame, metric: str, labels: Sequence[str]) -> tuple[pd.DataFrame, pd.Index]:
    """Lay out differences by run and load, a column a model, and find those that are steady on all."""
    of_metric: Any = differences.xs(("conservative", "EASY", metric), level=("policy", "against", "metric"))
    stopped = over_runs(of_metric, "relative").ceiling.astype(float).unstack("workload")[list(labels)]
    return of_metric.relative.unstack("workload")[list(labels)], stopped.index[stopped.sum(axis=1, skipna=False) == 0]


def larger(high: pd.DataFrame, one: str, other: str) -> pd.Series:
    """Work out, run by run, how much larger one model's difference is in size than another's."""
    return np.sign(high[one].mean()) * (high[one] - high[other])


def explained(
    differences: pd.DataFrame, metric: str, one: str, steps: Mapping[str, str], other: str
) -> dict[str, Measure]:
    """Measure the share that each step from one model on adds of what its difference lacks to another model's."""
    high = at_high_load(differences, metric, [one, *steps.values(), other])
    high *= np.sign(high[other].mean())
    lacking, before, shares = high[other] - high[one], one, {}
    for name, after in steps.items():
        added, before = high[after] - high[before], after
        shares[name] = Measure.ratio(added, lacking) if lacking.mean() > 0 else NOTHING
    return shares


def mean(runs: pd.Series) -> Measure:
    """Measure the mean over the runs that there are."""
    runs = runs.dropna()
    return Measure.mean(runs) if len(runs) > 1 else NOTHING
