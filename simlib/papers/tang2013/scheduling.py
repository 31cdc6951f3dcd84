"""Figures 13 to 17: what adjusted walltimes do to the schedule, month by month (section 6).

A *case* is a way to use adjusted estimates, by name; the BASELINE uses none. Every month is simulated by itself, from
an empty machine, in every case; what the other jobs of the log teach about it is carried over from before.
"""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from ... import metrics, sweeps, walltime
from ...policies import EASY
from ...schedule import simulate
from ...walltime import Adjustment, Scheme
from ..mualem2001.backfilling import RECORDED
from . import TRIPLE, beside, inaccuracy

ORDERS = ("wfp", "fcfs")
PERCENTILES = (95, 85, 70)
STRATEGIES = {"regular": True, "selective": False}
"""Whether running jobs too are expected to end by their adjusted estimates (section 5.2)."""

FIGURES = {14: ("wfp", "regular"), 15: ("wfp", "selective"), 16: ("fcfs", "regular"), 17: ("fcfs", "selective")}

BASELINE = "baseline"
METRICS = ("wait", "slowdown", "weighted_wait", "bounded_slowdown", "weighted_wait_own")
"""Means over a month's jobs; the first three are the paper's. See `measures`."""

LEAST_JOBS = 500


# Which months


def months(traces, least_jobs=LEAST_JOBS):
    """The calendar months of each log, by the submission of the jobs.

    Parameters
    ----------
    traces : sequence of Trace
    least_jobs : int
        Months with fewer are not simulated: the log has but some days of them.

    Returns
    -------
    DataFrame
        By (trace, month): `jobs`; `load`, the work submitted over what the machine can do in the month; the means
        `requested_h` and `run_h` in hours and `r`; whether it is `simulated`.
    """
    tables = {}
    for trace in traces:
        workload, jobs = trace.workload, trace.workload.jobs
        names, edges = workload.month_starts(jobs.submit.iloc[0], jobs.submit.iloc[-1])
        values = pd.DataFrame(
            {
                "work": jobs.run * jobs.procs,
                "requested_h": jobs.estimate / 3600,
                "run_h": jobs.run / 3600,
                "r": walltime.used(jobs.run, jobs.estimate),
            }
        ).groupby(workload.calendar_month(jobs.submit))
        table = values.mean().reindex(names)
        capacity = pd.Series(workload.procs * np.diff(edges), names)
        table.insert(0, "jobs", values.size().reindex(names, fill_value=0))
        table.insert(1, "load", values.work.sum() / capacity)
        tables[trace.name] = table.drop(columns="work").assign(simulated=table.jobs >= least_jobs)
    return pd.concat(tables, names=["trace", "month"])


# Figure 13


def accuracy(traces, percentiles=PERCENTILES, least_jobs=LEAST_JOBS, **options):
    """Mean accuracy of each month's jobs, with the users' estimates and adjusted, in the log's own times.

    Parameters
    ----------
    traces : sequence of Trace
    percentiles : sequence of float
    least_jobs : int
        Months with fewer are left out.
    **options
        Of `walltime.Scheme`.

    Returns
    -------
    DataFrame
        By (trace, month), the columns `original` and one a percentile, such as `p95`.
    """
    tables = {}
    for trace in traces:
        jobs, t_act = trace.workload.jobs, trace.t_act
        schemes = {f"p{p:g}": scheme(trace, p, **options) for p in percentiles}
        a = walltime.parameters(jobs, trace.ends, list(schemes.values()))
        scheduled = {"original": jobs.estimate}
        scheduled |= {name: walltime.t_sched(jobs.estimate, a[one]) for name, one in schemes.items()}
        values = pd.DataFrame({name: walltime.accuracy(t_act, of) for name, of in scheduled.items()})
        by_month = values.groupby(trace.workload.calendar_month(jobs.submit))
        tables[trace.name] = by_month.mean()[by_month.size() >= least_jobs]
    return pd.concat(tables, names=["trace", "month"])


def reach(traces, percentile=85, least_jobs=LEAST_JOBS, **options):
    """How far the scheme of section 6.1 reaches on each log, in the log's own times, and under what load.

    Parameters
    ----------
    traces : sequence of Trace
    percentile, **options
        Of `walltime.Scheme`.
    least_jobs : int
        As in `months`.

    Returns
    -------
    DataFrame
        By trace: its `project` column; the `jobs` and `months` that are simulated, and the mean `load` of these months.
        Of all jobs: `requested_h`, the mean estimate in hours; the mean `r`; the shares that are `lowered`, that have
        `no_history`, and whose A is `at_threshold`; mean `accuracy` before and `accuracy_after`; `underestimated`, the
        share below the run time after adjustment.
    """
    by_month = months(traces, least_jobs).query("simulated").groupby("trace")
    rows = {}
    for trace in traces:
        jobs, of_scheme = trace.workload.jobs, scheme(trace, percentile, **options)
        adjusted = walltime.adjusted(jobs, trace.ends, of_scheme)
        rows[trace.name] = {
            "project": trace.project,
            "jobs": by_month.jobs.sum()[trace.name],
            "months": by_month.size()[trace.name],
            "load": by_month.load.mean()[trace.name],
            "requested_h": jobs.estimate.mean() / 3600,
            "r": walltime.used(jobs.run, jobs.estimate).mean(),
            "lowered": (adjusted.t_sched < jobs.estimate).mean(),
            "no_history": adjusted.a.isna().mean(),
            "at_threshold": (adjusted.a == of_scheme.threshold).mean(),
            "accuracy": walltime.accuracy(trace.t_act, jobs.estimate).mean(),
            "accuracy_after": walltime.accuracy(trace.t_act, adjusted.t_sched).mean(),
            "underestimated": (adjusted.t_sched < trace.t_act).mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("trace")


def scheme(trace, percentile, key=TRIPLE, window="1 month", threshold=0.5, least=10):
    """The scheme of section 6.1 for a log: the project is what takes its place there."""
    return Scheme(key, window, percentile, threshold, least, trace.project)


# Simulations


def cases(trace, percentiles=PERCENTILES, **options):
    """Section 6.1's cases: the baseline, and each percentile with either strategy, as "regular p95".

    Parameters
    ----------
    trace : Trace
    percentiles : sequence of float
    **options
        Of `walltime.Scheme`.

    Returns
    -------
    dict
        An Adjustment by case, without what is known of the past; None for the baseline.
    """
    found = {BASELINE: None}
    for (strategy, running), p in product(STRATEGIES.items(), percentiles):
        found[case(strategy, p)] = Adjustment(scheme(trace, p, **options), running=running)
    return found


def case(strategy, percentile):
    """The name of one of section 6.1's cases."""
    return f"{strategy} p{percentile:g}"


def measures(schedule):
    """Means over the jobs of a schedule under EASY in one of `ORDERS` (section 6.1).

    Parameters
    ----------
    schedule : Schedule

    Returns
    -------
    dict
        `wait` in seconds; `slowdown`, without bound, run times below 1 s counted as 1 s; `weighted_wait` (equation 4)
        in seconds, 0 where no job waits; `bounded_slowdown`; `weighted_wait_own`, the same as `weighted_wait` but by
        the score that ordered the queue, with adjusted estimates where these did; `effective_jobs`, on how many jobs
        the weighted wait rests: the square of the sum of the weights over the sum of their squares.
    """
    order, adjust = schedule.policy.order, schedule.policy.adjust
    wait, run, estimate, procs = (schedule.column(name) for name in ("wait", "run", "estimate", "procs"))
    wait = wait.astype(float)
    weight = score(order, wait, estimate, procs)
    own = score(order, wait, schedule.column("adjusted"), procs) if adjust and adjust.queue else weight
    return {
        "wait": wait.mean(),
        "slowdown": metrics.slowdown(wait, np.maximum(run, 1)).mean(),
        "weighted_wait": _weighted(wait, weight),
        "bounded_slowdown": schedule.column("bounded_slowdown").mean(),
        "weighted_wait_own": _weighted(wait, own),
        "effective_jobs": weight.sum() ** 2 / (weight @ weight) if weight.any() else 0.0,
    }


def score(order, wait, estimate, procs):
    """P, a job's priority when it starts (equation 5); under FCFS the wait itself."""
    return (wait / np.maximum(estimate, 1)) ** 3 * procs if order == "wfp" else wait


def _weighted(wait, weight):
    """Equation 4; 0 where there is no weight."""
    return wait @ weight / weight.sum() if weight.any() else 0.0


def runs(traces, cases=cases, orders=ORDERS, measure=measures, shakes=20, shake_s=60, seed=1, **options):
    """Simulate every month of every log in all cases, as it is and shaken.

    Cases that come to the same, by what their adjustments are equal in, are simulated once.

    Parameters
    ----------
    traces : sequence of Trace
    cases : callable
        Gives the cases of a trace: a dict of Adjustment by name, with BASELINE.
    orders : sequence of str
        Orders of the queue, as of `EASY`.
    measure : callable
        Of a Schedule: a dict.
    shakes : int
        How often, 2 or more; each shake of a month is the same in all cases, so that their differences are paired.
    shake_s : int
        Every submit time of the month moves at random within +-`shake_s` seconds; those of the past stay.
    seed : int
        Of the first shake; the others follow.
    **options
        `least_jobs` as in `months`; `executor` as in `simlib.sweep`.

    Returns
    -------
    DataFrame
        What was measured, by trace, month, order, seed (RECORDED for the month as it is) and case.
    """
    if shakes < 2:
        raise ValueError(f"runs: found shakes={shakes!r}, expected 2 or more: without them there is no spread")
    table = months(traces, options.get("least_jobs", LEAST_JOBS))
    tasks = {}
    for trace in traces:
        adjustments = cases(trace)
        for month in table.loc[trace.name].query("simulated").index:
            workload = trace.workload.months(month)
            known = _knowing(adjustments, trace, workload)
            for order, number in product(orders, (RECORDED, *range(seed, seed + shakes))):
                tasks[trace.name, month, order, number] = workload, known, order, measure, shake_s, number
    results = sweeps.sweep(_month, tasks.values(), options.get("executor"), label="months")
    return pd.concat(dict(zip(tasks, results, strict=True)), names=["trace", "month", "order", "seed", "case"])


def _knowing(adjustments, trace, workload):
    """EASY for each case, with what is known before this month and whose its jobs are: made once for all shakes."""
    policies, learned = {}, {}
    for name, of in adjustments.items():
        if (past := _learning(of)) not in learned:
            learned[past] = EASY(adjust=of and _carried_over(of, trace, workload)).prepare(workload.jobs)
        policies[name] = replace(learned[past], adjust=of)
    return policies


def _learning(adjustment):
    """What two cases have in common that learn from the same jobs, whatever use they make of it."""
    if adjustment is None:
        return None
    scheme = replace(adjustment.scheme, percentile=100, threshold=None, least=1)
    return replace(adjustment, scheme=scheme, queue=True, backfill=True, running=True)


def _carried_over(adjustment, trace, workload):
    """The adjustment with the jobs that were submitted before this month, as far as they can be in its window."""
    jobs, first = trace.workload.jobs, workload.jobs.submit.iloc[0]
    early = (jobs.submit < first) & (trace.ends >= first - adjustment.scheme.window_s - 86400)  # a day: shakes
    past = jobs.loc[early, list(dict.fromkeys(["run", "estimate", *adjustment.scheme.columns]))]
    return replace(adjustment, past=past.assign(end=trace.ends[early]))


def _month(workload, policies, order, measure, shake_s, seed):
    """What is measured of one month in all cases, as a DataFrame by case."""
    workload = workload if seed == RECORDED else workload.shake(shake_s, seed)
    used = {name: _used(policy.adjust, order) for name, policy in policies.items()}
    measured = {}
    for name, policy in policies.items():
        if used[name] not in measured:
            measured[used[name]] = measure(simulate(workload, replace(policy, order=order)))
    return pd.DataFrame([measured[of] for of in used.values()], index=list(used))


def _used(adjustment, order):
    """What makes two cases different simulations: a queue in order of arrival does not look at estimates."""
    return replace(adjustment, queue=False) if adjustment and order == "fcfs" else adjustment


def changes(trace, month, order, adjustment):
    """What an adjustment does to each job of a month, as it is: which jobs make its means.

    Parameters
    ----------
    trace : Trace
    month : str
    order : str
        Of the queue.
    adjustment : Adjustment
        From `cases`.

    Returns
    -------
    DataFrame
        By job: `user`, `procs`, `estimate` and `run`; `adjusted`, the estimate; `before` and `after`, waits; all times
        in seconds; `slowdown`, by how much it grows.
    """
    workload = trace.workload.months(month)
    known = _carried_over(adjustment, trace, workload)
    before, after = (simulate(workload, EASY(order=order, adjust=of)).jobs for of in (None, known))
    table = after[["user", "procs", "estimate", "run", "adjusted"]].assign(before=before.wait, after=after.wait)
    return table.assign(slowdown=(after.wait - before.wait) / np.maximum(after.run, 1))


# Gains


def gains(results):
    """What each case gains over the baseline in the same month and shake: 1 - value / baseline.

    Parameters
    ----------
    results : DataFrame
        From `runs`.

    Returns
    -------
    DataFrame
        Rows by (trace, order, month, seed), columns by (case, metric); nan where the baseline is 0.
    """
    wide = results[list(METRICS)].unstack("case", sort=False).swaplevel(axis=1)
    base = wide[BASELINE].where(wide[BASELINE] > 0)
    parts = {name: 1 - wide[name] / base for name in wide.columns.unique("case") if name != BASELINE}
    found = pd.concat(parts, axis=1, names=["case", "metric"])
    return found.reorder_levels(["trace", "order", "month", "seed"])


def over_months(found):
    """Gains averaged over the months, shake by shake: rows by (trace, order, seed), columns as they are."""
    return found.groupby(["trace", "order", "seed"], sort=False).mean()


def spread(values):
    """Mean and middle 95 % over the shakes, and the log as it is.

    Parameters
    ----------
    values : DataFrame
        Rows with a level `seed`.

    Returns
    -------
    DataFrame
        By the other levels and those of the columns: `gain`, `low`, `high`, `recorded`.
    """
    levels = [name for name in values.index.names if name != "seed"]
    shaken = values.drop(RECORDED, level="seed").groupby(levels, sort=False)
    parts = {"gain": shaken.mean(), "low": shaken.quantile(0.025), "high": shaken.quantile(0.975)}
    parts["recorded"] = values.xs(RECORDED, level="seed").reindex(parts["gain"].index)
    columns = values.columns.names
    return pd.DataFrame({name: part.stack(columns, future_stack=True) for name, part in parts.items()})


def monthly(found):
    """Gains by month with their spread over the shakes.

    Parameters
    ----------
    found : DataFrame
        From `gains`.

    Returns
    -------
    DataFrame
        By (trace, order, case, metric, month): `gain`, the mean over the shakes; `low` and `high`, between which 95 %
        of them lie; `recorded`, that of the log as it is.
    """
    return spread(found).reorder_levels(["trace", "order", "case", "metric", "month"])


def averages(found):
    """Gains averaged over the months, with their spread over the shakes.

    Parameters
    ----------
    found : DataFrame
        From `gains`.

    Returns
    -------
    DataFrame
        By (trace, order, case, metric): `gain`, `low`, `high`, `recorded` as in `monthly`; `months`, how many; `se`,
        the standard error of the average as one over months drawn from many; `better`, how many months have a gain
        (in the mean over the shakes); the `worst` month's gain and its name, `worst_month`.
    """
    table = spread(over_months(found))
    by_month = monthly(found).gain.groupby(table.index.names)
    table["months"] = by_month.count()
    table["se"] = by_month.sem()
    table["better"] = by_month.agg(lambda of: (of > 0).sum())
    table["worst"] = by_month.min()
    table["worst_month"] = by_month.idxmin().map(lambda place: place[-1])
    return table


# Beside the paper


def of_figure(table, figure):
    """What one of figures 14 to 17 shows of a table of `monthly` or `averages`, the cases as "p95"."""
    order, strategy = FIGURES[figure]
    part = table.xs(order, level="order")
    part = part[part.index.get_level_values("case").str.startswith(f"{strategy} ")]
    return part.rename(index=lambda name: name.removeprefix(f"{strategy} "), level="case")


def printed(figure):
    """The average gains that the text prints of one of figures 14 to 17, as a dict by (metric, case), such as "p85".

    Where the text names no percentile, it speaks of the 85th and the 70th.
    """
    found = {}
    for name, value in inaccuracy.printed(f"fig{figure}").items():
        metric = re.match(r"gain_([a-z_]+?)(_p\d|$)", name)[1]
        for one in re.findall(r"p\d+", name) or ("p85", "p70"):
            found[metric, one] = value
    return found


def beside_printed(table, figure):
    """The average gains of one of figures 14 to 17 for reading, the printed ones as the first rows: all text.

    Parameters
    ----------
    table : DataFrame
        From `averages`.
    figure : int

    Returns
    -------
    DataFrame
        By (trace, metric), a column a case: the gain in per cent with the spread over the shakes in brackets, and in
        how many months there is one.
    """
    part = of_figure(table, figure)
    rows = {("Tang et al.", metric): {} for metric in METRICS[:3]}
    for (metric, name), value in printed(figure).items():
        rows["Tang et al.", metric][name] = f"{value:+.0%}"
    for (trace, name, metric), row in part.iterrows():
        text = f"{percent(row.gain, row.low, row.high)}, {row.better} of {row.months}"
        rows.setdefault((trace, metric), {})[name] = text
    index = pd.MultiIndex.from_tuples(rows, names=["trace", "metric"])
    return pd.DataFrame(list(rows.values()), index=index, columns=part.index.unique("case")).fillna("")


def percent(value, low, high):
    """A gain in per cent with its spread, as text."""
    return f"{100 * value:+.1f} % ({100 * low:+.1f} to {100 * high:+.1f})"


def cells(table):
    """Every average gain that the text prints beside ours, for the exhibit's record."""
    found = []
    for figure in FIGURES:
        part = of_figure(table, figure)
        for trace, ((metric, case), value) in product(part.index.unique("trace"), printed(figure).items()):
            ours = part.loc[trace, case, metric]
            of = {"figure": figure, "quantity": metric, "case": case}
            found.append(beside(trace, of, value, ours.gain, ours.low, ours.high))
    return found
