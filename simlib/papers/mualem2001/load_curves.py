"""Figures 4 and 7: response time and slowdown of models against the load (sections 3.1 to 3.3).

Workloads come as a list of (label, Workload), and batch sizes by label. Tables of several runs of the same models, with
other seeds, have the level `seed` before all others.
"""

import numpy as np
import pandas as pd

from ... import metrics, sweeps
from ...identity import identity
from ...schedule import MEANS, simulate
from ...stats import batch_means
from . import METRICS, SCHEDULERS, kept, policies
from .distributions import bracketed

LOADS = tuple(n / 20 for n in range(10, 20))
"""From 0.5 to 0.95."""

STOPPING = {"most": 100, "precision": 0.05, "ceiling": 30_000}
"""MF's rules, asked of the response time: batches, half width as a share of the mean, seconds."""

RULES = {"followed": ("easy", "conservative"), "variant": ("easy_variant", "conservative")}
"""Which schedulers of `mualem2001.policies` are compared. The models' estimates are exact, so no job ends early, and
the order in which conservative compresses makes no difference: it has no variant here."""

POINT = ["workload", "load", "scheduler", "metric"]
PAIR = ["workload", "load", "rule", "metric"]


def curves(workloads, batch, loads=LOADS, rules=None, stopping=STOPPING, feedback=(), executor=None):
    """Simulate every workload at every load under every scheduler.

    The load is changed by scaling all interarrival times. Response times are taken in order of termination, ties by
    arrival, and cut into batches until one of the stopping rules holds (see `simlib.stats.batch_means`); the bounded
    slowdown (MF's formula) is then given over the same batches.

    Both schedulers see the same jobs, so their difference is known far better than either mean. It is taken job by job,
    in the order of the workload, over batches of the same size, the first one dropped, and as many as the jobs allow
    up to the most that is asked for, wherever the single runs were stopped.

    Parameters
    ----------
    workloads : list of (str, Workload)
    batch : dict
        Jobs a batch, by label.
    loads : sequence of float
    rules : dict
        From `mualem2001.policies`.
    stopping : dict
        As `STOPPING`.
    feedback : sequence of str
        Labels of the workloads in which jobs follow others, by think times after their simulated ends.
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    points : DataFrame
        By workload, load, scheduler and metric: `mean`, `low`, `high` (90 % confidence), `accuracy` (half width as a
        share of the mean), `batches`, `stopped` and `lag1` as in `stats.BatchMeans`; `ceiling`, whether that stopped
        it, and the mean says only that it rose so high. And had nothing but the most batches stopped the run: `whole`,
        its mean, and `executed`, the load that it executed; with feedback that is less than the load it is called by.
    differences : DataFrame
        By workload, load, rule (see `RULES`) and metric: `easy` and `conservative`, means over the same jobs;
        `relative`, how much more conservative has, as a share of EASY's mean, with `low` and `high` (90 %
        confidence); `lag1`; `ceiling`, whether either scheduler's run was stopped by it.
    """
    rules = rules or policies()
    rules = {name: rules[name] for pair in RULES.values() for name in pair}
    cases = [(label, load) for label, _ in workloads for load in loads]
    by_label = dict(workloads)
    longest_first = sorted(cases, key=lambda case: -len(by_label[case[0]]) * case[1])
    key = {label: (kept.state_of(workload, label in feedback), identity(rules)) for label, workload in workloads}
    tasks = [
        (key[label], by_label[label], load, batch[label], rules, stopping, label in feedback)
        for label, load in longest_first
    ]
    once = kept.once(at_load, "workload", "rules")
    results = dict(zip(longest_first, sweeps.sweep(once, tasks, executor, label="loads"), strict=True))
    points, differences = (
        {(*case, *key): row for case in cases for key, row in results[case][kind].items()} for kind in (0, 1)
    )
    return tuple(
        pd.DataFrame.from_dict(rows, orient="index").rename_axis(names)
        for rows, names in ((points, POINT), (differences, PAIR))
    )


def at_load(key, workload, load, batch, rules, stopping, feedback):
    """One workload at one load: the rows of both tables of `curves`, by scheduler or rule, and metric.

    `key` stands for the workload and the rules when it is looked for among what is kept: figures 4 and 7 share models.
    """
    scaled = workload.scale_load(load)
    values, points = {}, {}
    for scheduler, policy in rules.items():
        schedule = simulate(scaled, policy, feedback=feedback)
        slowdown = metrics.bounded_slowdown(schedule.column("wait"), schedule.column("run"), floor=None)
        values[scheduler] = {"response_s": schedule.column("response").astype(float), "bounded_slowdown": slowdown}
        for metric, row in _stopped(schedule, values[scheduler], batch, stopping).items():
            points[scheduler, metric] = row
    pairs = {}
    for rule, (easy, conservative) in RULES.items():
        ceiling = any(points[scheduler, "response_s"]["ceiling"] for scheduler in (easy, conservative))
        for metric in METRICS:
            pair = _paired(values[easy][metric], values[conservative][metric], batch, stopping["most"])
            pairs[rule, metric] = pair | {"ceiling": ceiling}
    return points, pairs


def _stopped(schedule, values, batch, stopping):
    """One simulation's row of `points` by metric; the response time decides where it stops."""
    end = schedule.column("end")
    ended = np.argsort(end, kind="stable")  # order of termination, ties by arrival
    values = {metric: values[metric][ended] for metric in METRICS}
    run = batch_means(values["response_s"], batch, **stopping)
    rows = {}
    for metric in METRICS:
        found = batch_means(values[metric], batch, most=run.batches)
        whole = batch_means(values[metric], batch, most=stopping["most"])
        interval = {"mean": found.mean, "low": found.low, "high": found.high, "accuracy": found.half_width / found.mean}
        rows[metric] = interval | {"batches": run.batches, "stopped": run.stopped, "lag1": found.lag1}
        rows[metric] |= {"ceiling": run.stopped == "ceiling", "whole": whole.mean}
    edges = end[ended[[batch - 1, batch * (1 + whole.batches) - 1]]]
    executed = schedule.means(edges)[0, MEANS.index("load")]
    return {metric: row | {"executed": executed} for metric, row in rows.items()}


def _paired(easy, conservative, batch, most):
    """How much more conservative has than EASY over the same jobs, with its interval.

    The relative difference r is a ratio of two means. Its interval is that of the mean of conservative - (1 + r) EASY,
    which is nought, as a share of EASY's mean: the usual first-order interval of a ratio.
    """
    means = [batch_means(values, batch, most=most).mean for values in (easy, conservative)]
    relative = means[1] / means[0] - 1
    rest = batch_means(conservative - (1 + relative) * easy, batch, most=most)
    half_width = rest.half_width / means[0]
    interval = {"relative": relative, "low": relative - half_width, "high": relative + half_width}
    return {"easy": means[0], "conservative": means[1]} | interval | {"lag1": rest.lag1}


# Several runs


def runs(models, seeds, batch, **settings):
    """`curves` of several workloads of each model.

    Parameters
    ----------
    models : dict
        By label, a function of a seed that makes the workload.
    seeds : sequence of int
    batch, settings
        As for `curves`.

    Returns
    -------
    points, differences : DataFrame
        As from `curves`, by seed first.
    """
    found = [curves([(label, make(seed)) for label, make in models.items()], batch, **settings) for seed in seeds]
    points, differences = (pd.concat(tables, keys=seeds, names=["seed"]) for tables in zip(*found, strict=True))
    return points, differences


def independent(values):
    """The 90 % confidence interval for the mean of independent values, one a run, as `stats.BatchMeans`."""
    if len(values) < 2:
        raise ValueError("load_curves: found a single run, expected at least 2 to see how much they differ")
    return batch_means(values, batch=1, warmup=0, most=len(values))


def over_runs(table, column):
    """One column of a table over several runs, with the interval that these give.

    Parameters
    ----------
    table : DataFrame
        Either one of `runs`.
    column : str
        `whole` of points, `relative` of differences.

    Returns
    -------
    DataFrame
        By all levels but the seed: the means of all numeric columns over the runs; `low` and `high` of the column asked
        for (90 % confidence, Student's t over the runs, which are independent whatever the correlation within each);
        `runs`, how many; `ceiling`, whether it stopped most of them.

    Raises
    ------
    ValueError
        For a single run.
    """
    cases = table.groupby(table.index.names[1:], sort=False)
    intervals = cases[column].agg(independent)
    bounds = {"low": intervals.map(lambda found: found.low), "high": intervals.map(lambda found: found.high)}
    return cases.mean(numeric_only=True).assign(**bounds, runs=cases.size(), ceiling=cases.ceiling.mean() > 0.5)


def coverage(table, truth):
    """Whether the interval of each single run holds the mean over all runs, to see whether intervals are honest.

    Parameters
    ----------
    table : DataFrame
        Either one of `runs`.
    truth : str
        The column whose mean over the runs counts as the truth: `whole` for points, `relative` for differences.

    Returns
    -------
    Series of bool
    """
    mean = table[truth].groupby(table.index.names[1:], sort=False).transform("mean")
    return (table.low <= mean) & (mean <= table.high)


# Tables for reading


def beside(points, metric, schedulers=SCHEDULERS):
    """One metric of both schedulers: mean +- half width, the half width as a share, batches and why no more; text."""
    number = "{:,.0f}" if metric == "response_s" else "{:,.1f}"
    columns = {}
    for scheduler in schedulers:
        part = points.xs((scheduler, metric), level=("scheduler", "metric"))
        half_width = (part.high - part["mean"]).map(number.format)
        columns[scheduler] = part["mean"].map(number.format) + " \u00b1 " + half_width
        columns[f"{scheduler} \u00b1"] = part.accuracy.map("{:.1%}".format)
        columns[f"{scheduler} batches"] = part.batches.map(str) + " (" + part.stopped + ")"
    return pd.DataFrame(columns)


def differences_beside(single, several):
    """The relative difference of one run and over several, each with its interval, by workload and load; text."""
    columns = {}
    for rule, metric in ((rule, metric) for rule in RULES for metric in METRICS):
        for name, table in (("one run", single), ("all runs", several)):
            part = table.xs((rule, metric), level=("rule", "metric"))
            rows = zip(part.relative, part.low, part.high, strict=True)
            columns[rule, metric, name] = [bracketed("{:+.1%}", *row) for row in rows]
    return pd.DataFrame(columns, index=part.index)
