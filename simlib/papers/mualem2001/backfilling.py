"""What each scheduler backfills, and of which sizes: of logs, and of models by load (section 3.3).

Results are a Series by workload, for models load, scheduler, rule, replication, size class and metric. A comparison has
in place of the scheduler the level `of`: both schedulers, the `difference` between them and the `relative` one.
"""

from itertools import product

import pandas as pd

from ... import sweeps
from ...confidence import mean_interval
from ...schedule import simulate
from ...size_classes import backfilled
from ...stats import shake
from .. import results
from ..results import AS_IT_IS, with_intervals
from . import SCHEDULERS


def of_logs(workloads, policies, shakes=20, shake_s=60, seed=1, executor=None):
    """Simulate workloads as they are and shaken (see `simlib.stats.shake`); each shake is the same for all policies.

    Workloads come as pairs with their labels, by rule; policies by (scheduler, rule). Of one that is a function of a
    seed, a draw stands for the workload as it is. What is the same under two rules is simulated once.
    """
    made, found = {}, {}
    for (label, by_rule), ((scheduler, rule), policy) in product(workloads, policies.items()):
        if rule in by_rule:
            case = by_rule[rule], policy
            if case not in made:
                made[case] = _of_log(*case, shakes, shake_s, seed, executor)
            found[label, scheduler, rule] = made[case]
    return pd.concat(found, names=["workload", "scheduler", "rule"])


def _of_log(workload, policy, shakes, shake_s, seed, executor):
    """One workload under one policy, by (replication, size class, metric)."""
    as_it_is = workload(seed) if callable(workload) else workload
    runs = [backfilled(simulate(as_it_is, policy)).stack().to_frame(AS_IT_IS).T]
    if shakes:
        shaken = shake(workload, policy, shakes, shake_s, seed, backfilled, executor=executor)
        runs.append(shaken.set_axis(pd.RangeIndex(AS_IT_IS + 1, AS_IT_IS + 1 + shakes)))
    levels = ["size_class", "metric"]
    return pd.concat(runs).rename_axis(index="replication", columns=levels).stack(levels, future_stack=True)


def of_models(models, loads, seeds, policies, feedback=(), executor=None):
    """Simulate several workloads of models at some loads; each is the same for all loads and policies.

    Models are, by label, functions of a seed that make the workload; `feedback` has the labels of those whose jobs come
    when the execution before has ended. Seeds make the replications 1, 2, ...; policies are by (scheduler, rule).
    """
    made = {(label, number): make(seed) for label, make in models.items() for number, seed in enumerate(seeds, 1)}
    cases = list(product(made, loads, policies))
    tasks = [(made[case], load, policies[key], case[0] in feedback) for case, load, key in cases]
    tables = sweeps.sweep(_backfilled_at, tasks, executor, label="simulations")
    found = {
        (label, load, *key, number): table.stack()
        for ((label, number), load, key), table in zip(cases, tables, strict=True)
    }
    return pd.concat(found, names=["workload", "load", "scheduler", "rule", "replication"])


def _backfilled_at(workload, load, policy, feedback):
    return backfilled(simulate(workload.scale_load(load), policy, feedback=feedback))


def compared(found):
    """Compare both schedulers on logs: `results.summary` by (metric, workload, rule, size_class, of), and `jobs`."""
    return _ordered(results.summary(changes(found)), found)


def compared_by_load(found):
    """Compare both schedulers on models by (metric, workload, load, rule, size_class, of), with `jobs`.

    Each `mean` has its 90 % interval `low` to `high`, by Student's t over the replications.
    """
    values = changes(found)
    intervals = mean_interval(values.unstack("replication").T)
    return _ordered(intervals.reindex(values.index.droplevel("replication").unique()), found)


def changes(found):
    """Put differences, replication by replication, beside both schedulers; level `of` in place of the scheduler."""
    found = found[found.index.get_level_values("metric") != "jobs"]
    easy, conservative = (found.xs(scheduler, level="scheduler") for scheduler in SCHEDULERS)
    difference = conservative - easy
    both = {"easy": easy, "conservative": conservative, "difference": difference}
    return pd.concat(both | {"relative": difference / easy.where(easy != 0)}, names=["of"])


def _ordered(table, found):
    """Order a comparison, and say how many jobs there are."""
    of_jobs = [name for name in found.index.names if name in ("workload", "load", "size_class")]
    jobs = found.xs("jobs", level="metric").groupby(of_jobs).mean()
    table = results.by(table, "metric", *of_jobs[:-1], "rule", "size_class", "of")
    table.insert(0, "jobs", jobs.reindex(table.index.droplevel(["metric", "rule", "of"])).to_numpy())
    return table


def beside(table, form="{:.1%}", points=False):
    """Lay out one metric of a comparison for reading: both schedulers and the difference, with their intervals.

    The difference is relative, or with `points` in percentage points.
    """
    value = "ours" if "ours" in table else "mean"
    forms = dict.fromkeys(SCHEDULERS, (form, 1))
    forms |= {"difference": ("{:+.1f}", 100)} if points else {"relative": ("{:+.1%}", 1)}
    columns = {"jobs": table.jobs.xs(SCHEDULERS[0], level="of").map("{:,.0f}".format)}
    for of, (written, unit) in forms.items():
        columns[of] = with_intervals(table.xs(of, level="of"), written, value, unit)
    return pd.DataFrame(columns)
