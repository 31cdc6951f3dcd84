"""Figure 5: how many jobs each scheduler backfills, and of which sizes (section 3.3).

Workloads come as a list of (label, Workload), so that logs and models can stand side by side.
"""

import numpy as np
import pandas as pd

from ... import metrics, sweeps
from ...schedule import simulate
from .. import NOT, PARTLY, REPRODUCED, UNTESTED, claim
from . import METRICS, SCHEDULERS, TRACES, policies, trace_of
from .distributions import ALL, bracketed, size_class

RECORDED = -1
"""Stands for the workload as it is where the seed of a shake is meant."""

RULES = {"followed": "", "variant": "_variant"}
"""The rules that the parameters name and the other ones, and the suffix of their schedulers in `policies`."""

QUANTITIES = ("backfilled", "backfilled_work", "size_ratio", *METRICS)
"""What `amounts` measures."""

SIMILAR = 0.1
"""Two amounts are called similar where they differ by less than this share of EASY's."""


def amounts(workload, rules, shake_s=60, seed=RECORDED, feedback=False):
    """What each scheduler backfills of one workload, of all jobs and by size class.

    A job counts as backfilled, under either scheduler, if it starts while one that arrived earlier is left waiting.

    Parameters
    ----------
    workload : Workload
    rules : dict
        Policies, by name of the scheduler.
    shake_s, seed : int
        The shake, the same for all schedulers; RECORDED for the workload as it is.
    feedback : bool
        Whether repetitions wait for the end of the execution before them (see `simulate`).

    Returns
    -------
    DataFrame
        By scheduler and size class (ALL for all jobs): `jobs`; `backfilled`, their share; `backfilled_work`, the same
        of processor-seconds; `size_ratio`, the mean size of the backfilled jobs over that of all; `response_s` and
        `bounded_slowdown`, means (MF's formula).
    """
    workload = workload if seed == RECORDED else workload.shake(shake_s, seed)
    classes, which = np.unique(size_class(workload.jobs.procs.to_numpy()), return_inverse=True)
    schedules = {name: simulate(workload, policy, feedback=feedback) for name, policy in rules.items()}
    tables = {name: pd.DataFrame(_amount(schedule, which), [ALL, *classes]) for name, schedule in schedules.items()}
    return pd.concat(tables)


def _amount(schedule, which):
    """The columns of `amounts` for one schedule, of all jobs and of each class; `which` is the class of each job."""
    wait, run, procs = (schedule.column(name) for name in ("wait", "run", "procs"))
    passed, work = schedule.column("backfilled"), procs * run
    slowdown = metrics.bounded_slowdown(wait, run, floor=None)
    values = np.ones(len(work)), passed, work, work * passed, procs, procs * passed, wait + run, slowdown
    sums = np.array([np.bincount(which, column) for column in values])
    jobs, passed, work, passed_work, procs, passed_procs, response, slowdown = np.c_[sums.sum(axis=1), sums]
    with np.errstate(invalid="ignore"):  # nan where none is backfilled
        return {
            "jobs": jobs.astype(int),
            "backfilled": passed / jobs,
            "backfilled_work": passed_work / work,
            "size_ratio": (passed_procs / passed) / (procs / jobs),
            "response_s": response / jobs,
            "bounded_slowdown": slowdown / jobs,
        }


def runs(workloads, shakes=20, shake_s=60, seed=1, rules=None, executor=None):
    """Simulate every workload under both schedulers and their variants, as it is and shaken.

    Parameters
    ----------
    workloads : list of (str, Workload)
    shakes : int
        How often; each shake is the same for all schedulers, so that their differences are paired.
    shake_s : int
        Every submit time moves at random within +-`shake_s` seconds.
    seed : int
        Of the first shake; the others follow.
    rules : dict
        From `mualem2001.policies`.
    executor : concurrent.futures.Executor, optional

    Returns
    -------
    DataFrame
        What `amounts` gives, by workload, seed (RECORDED for the workload as it is), scheduler (with its variants)
        and size class.
    """
    keys = [(label, number) for label, _ in workloads for number in (RECORDED, *range(seed, seed + shakes))]
    by_label = dict(workloads)
    tasks = [(by_label[label], rules or policies(), shake_s, number) for label, number in keys]
    results = sweeps.sweep(amounts, tasks, executor, label="shakes")
    return pd.concat(dict(zip(keys, results, strict=True)), names=["workload", "seed", "scheduler", "size_class"])


def compared(results, quantity="backfilled"):
    """Both schedulers and the difference between them, with the spread over the shakes.

    Parameters
    ----------
    results : DataFrame
        From `runs`.
    quantity : str
        One of its columns.

    Returns
    -------
    DataFrame
        By workload, rule ("followed", "variant") and size class: `jobs`; `easy`, `conservative`, `difference`
        (conservative - EASY) and `relative` (conservative / EASY - 1), each of the workload as it is; and their
        `_low` and `_high`, between which 95 % of the shaken ones lie. Differences are taken shake by shake.
    """
    wide = results[quantity].unstack("scheduler")
    tables = {}
    for rule, suffix in RULES.items():
        values = pd.DataFrame({scheduler: wide[f"{scheduler}{suffix}"] for scheduler in SCHEDULERS})
        values["difference"] = values.conservative - values.easy
        values["relative"] = values.difference / values.easy.where(values.easy != 0)
        tables[rule] = _spread(values)
    table = pd.concat(tables, names=["rule"]).reorder_levels(["workload", "rule", "size_class"])
    jobs = results.jobs.groupby(["workload", "size_class"]).first()
    table.insert(0, "jobs", jobs.reindex(table.index.droplevel("rule")).to_numpy())
    workloads = results.index.unique("workload")
    return table.sort_index().reindex(workloads, level="workload")


def _spread(values):
    """Each column as recorded, and the bounds of the middle 95 % of its shaken values."""
    recorded = values.xs(RECORDED, level="seed")
    shaken = values.drop(RECORDED, level="seed").groupby(["workload", "size_class"])
    low, high = (shaken.quantile(q).reindex(recorded.index) for q in (0.025, 0.975))
    columns = {}
    for name in values:
        columns |= {name: recorded[name], f"{name}_low": low[name], f"{name}_high": high[name]}
    return pd.DataFrame(columns)


def totals(results):
    """`compared` for the jobs of all sizes, all quantities below each other; by quantity, workload and rule."""
    tables = {quantity: compared(results, quantity).xs(ALL, level="size_class") for quantity in QUANTITIES}
    return pd.concat(tables, names=["quantity"])


def beside(table, form="{:.1%}", points=False):
    """A table of `compared` for reading: values with the spread of the shaken ones in brackets, all text.

    Parameters
    ----------
    table : DataFrame
    form : str
        How values are written.
    points : bool
        Whether the difference is given in percentage points, and not as a share of EASY's value.
    """
    parts = [(scheduler, scheduler, form, 1) for scheduler in SCHEDULERS]
    parts.append(("difference", "relative", "{:+.1%}", 1) if not points else ("points", "difference", "{:+.1f}", 100))
    columns = {"jobs": table.jobs.map("{:,.0f}".format)}
    for name, column, written, unit in parts:
        rows = unit * table[[column, f"{column}_low", f"{column}_high"]].to_numpy()
        columns[name] = [bracketed(written, *row) for row in rows]
    return pd.DataFrame(columns)


# The claim


def claims(table):
    """Decide claim MF-16: on the logs the amounts are similar; on SDSC conservative backfills more, performs worse.

    Similar means that the range of the relative difference over the shakes lies within +-SIMILAR. More and worse mean
    that this range lies above nought; worse is asked of both metrics. Reproduced where all parts hold by the rules
    followed and by the variants, not where none holds by the rules followed, and in part otherwise.

    Parameters
    ----------
    table : DataFrame
        From `totals`, of all workloads; only the paper's logs are looked at.
    """
    here = [name for name in table.index.unique("workload") if trace_of(name) in TRACES]
    if "SDSC" not in here:
        return [claim("MF-16", UNTESTED, "SDSC is not at hand")]
    if table.relative_low.isna().any():
        return [claim("MF-16", UNTESTED, "no shaken runs, so no spread")]
    parts, evidence = {}, []
    for rule in RULES:
        share = table.loc["backfilled"].xs(rule, level="rule").loc[here]
        sdsc = table.xs(("SDSC", rule), level=("workload", "rule"))
        similar = (share.relative_low > -SIMILAR) & (share.relative_high < SIMILAR)
        above = sdsc.relative_low[["backfilled", *METRICS]] > 0
        parts[rule] = [similar.all(), *above]
        evidence.append(_evidence(rule, share, similar, sdsc))
    held = parts["followed"] + parts["variant"]
    verdict = REPRODUCED if all(held) else PARTLY if any(parts["followed"]) else NOT
    return [claim("MF-16", verdict, "; ".join(evidence))]


def _evidence(rule, share, similar, sdsc):
    amounts = ", ".join(f"{name} {row.easy:.1%} / {row.conservative:.1%}" for name, row in share.iterrows())
    names = {"backfilled": "backfills", "response_s": "response time", "bounded_slowdown": "bounded slowdown"}
    changes = ", ".join(
        f"{name} {bracketed('{:+.1%}', *sdsc.loc[key, ['relative', 'relative_low', 'relative_high']])}"
        for key, name in names.items()
    )
    text = f"{rule}: EASY / conservative {amounts}; similar on {similar.sum()} of {len(similar)} logs; SDSC {changes}"
    more = [name for name, row in share.iterrows() if row.relative_low > 0 and name != "SDSC"]
    return text + (f"; conservative clearly backfills more on {', '.join(more)} too" if more else "")
