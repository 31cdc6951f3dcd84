"""What adjusted walltimes do to the schedule: months, cases, simulations and gains (section 6).

A *case* is a way to use adjusted estimates, by name; the BASELINE uses none. Every month is simulated by itself, from
an empty machine, in every case; what the other jobs of the log teach about it is carried over from before.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from simlib.analysis.replicate import replicate
from simlib.core import metrics
from simlib.core.schedule import Schedule, simulate
from simlib.core.workload import Workload
from simlib.policies import adjusting
from simlib.policies.adjusting import Adjustment, Scheme
from simlib.policies.easy import EASY, Predictions

from .. import judging
from ..judging import AS_IT_IS, published
from ..resampling import cluster_means
from . import TRIPLE, Trace

Case = EASY | Adjustment | Predictions | None
"""A policy, or what EASY adjusts estimates by."""

Cases = Callable[[Trace], Mapping[str, Case]]
"""Gives the cases of a log by name."""

ORDERS = ("wfp", "fcfs")
PERCENTILES = (95, 85, 70)
STRATEGIES = {"regular": True, "selective": False}
"""Whether running jobs too are expected to end by their adjusted estimates (section 5.2)."""

BASELINE = "baseline"
METRICS = ("wait", "slowdown", "weighted_wait", "bounded_slowdown", "weighted_wait_own")
"""Means over a month's jobs; the first three are the paper's. See `measures`."""

AVERAGED = ["log", "order", "case", "metric"]
"""The index levels of gains that are averaged over the months."""

LEAST_JOBS = 500
"""Months with fewer are not simulated: the log has but some days of them."""

FEW_MONTHS = 8
"""Of a log with fewer simulated months, what months like these give is found by half months, see `months_of_halves`.

Five months can be drawn again in 126 ways only. The rule was fixed before anything was measured by half months.
"""

HALVES = ("first half", "second half")

DIVIDED_BY = {name: "jobs" for name in ("wait", "slowdown", "bounded_slowdown")}
DIVIDED_BY |= {"weighted_wait": "weight", "weighted_wait_own": "weight_own"}
"""By which sum over the jobs that of each of `METRICS` is divided."""

LARGE = 100_000
"""Logs with more jobs are shaken less often: their months take ten times as long."""


def months(traces: Iterable[Trace], least_jobs: int = LEAST_JOBS) -> pd.DataFrame:
    """Describe each log's months by submission: `load` is work over capacity; with `least_jobs` one is simulated."""
    tables = {}
    for trace in traces:
        workload, jobs = trace.workload, trace.workload.jobs
        names, edges = workload.month_starts(jobs.submit.iloc[0], jobs.submit.iloc[-1])
        columns: dict[str, Any] = {"requested_h": jobs.estimate / 3600, "run_h": jobs.run / 3600}
        columns |= {"r": adjusting.used(jobs.run, jobs.estimate), "work": jobs.run * jobs.procs}
        values = pd.DataFrame(columns).groupby(workload.calendar_month(jobs.submit))
        table = values.mean().reindex(names).drop(columns="work")
        table.insert(0, "jobs", values.size().reindex(names, fill_value=0))
        table.insert(1, "load", values.work.sum() / pd.Series(workload.procs * np.diff(edges), names))
        tables[trace.name] = table.assign(simulated=table.jobs >= least_jobs)
    return pd.concat(tables, names=["log", "month"])


# Cases


def scheme(
    trace: Trace, percentile: float, window: str | None = "1 month", threshold: float | None = 0.5, least: int = 10
) -> Scheme:
    """Make the scheme of section 6.1 for a log, a `adjusting.Scheme`: the project is what takes its place there."""
    return Scheme(TRIPLE, window, percentile, threshold, least, trace.project)


def cases(trace: Trace, percentiles: Sequence[float] = PERCENTILES, **options: Any) -> dict[str, Adjustment | None]:
    """Make section 6.1's cases, such as "regular p95": by name an Adjustment of a `scheme`; None for the baseline."""
    found: dict[str, Adjustment | None] = {BASELINE: None}
    for (strategy, running), p in product(STRATEGIES.items(), percentiles):
        found[f"{strategy} p{p:g}"] = Adjustment(scheme(trace, p, **options), running=running)
    return found


# How far a scheme reaches, and what jobs are like month by month


def reach(
    traces: Sequence[Trace], percentile: float = 85, least_jobs: int = LEAST_JOBS, **options: Any
) -> pd.DataFrame:
    """Work out how far a `scheme` reaches on each log, in the log's own times, and under what load."""
    simulated, rows = months(traces, least_jobs).query("simulated"), {}
    for trace in traces:
        jobs, own, of_scheme = trace.workload.jobs, simulated.loc[trace.name], scheme(trace, percentile, **options)
        adjusted = adjusting.adjusted(jobs, trace.ends, of_scheme)
        row = {"project": trace.project, "jobs": own.jobs.sum(), "months": len(own), "load": own.load.mean()}
        rows[trace.name] = row | {
            "requested_h": jobs.estimate.mean() / 3600,
            "r": adjusting.used(jobs.run, jobs.estimate).mean(),
            "lowered": (adjusted.t_sched < jobs.estimate).mean(),
            "no_history": adjusted.a.isna().mean(),
            "at_threshold": (adjusted.a == of_scheme.threshold).mean(),
            "accuracy": adjusting.accuracy(trace.t_act, jobs.estimate).mean(),
            "accuracy_after": adjusting.accuracy(trace.t_act, adjusted.t_sched).mean(),
            "underestimated": (adjusted.t_sched < trace.t_act).mean(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("log")


def month_means(trace: Trace, values: pd.DataFrame, resamples: int = 1000, seed: int = 0) -> pd.DataFrame:
    """Average values, a row a job, over the jobs of each month: by run of a bootstrap over users."""
    jobs = trace.workload.jobs
    by = [jobs.user, trace.workload.calendar_month(jobs.submit)]
    of_months: Any = values.set_axis(jobs.index).assign(jobs=1.0).groupby(by).sum().unstack(fill_value=0)
    drawn = cluster_means(of_months, np.ones(len(of_months)), resamples, seed)
    found = {(month, name): drawn[name, month] / drawn["jobs", month] for month in drawn["jobs"] for name in values}
    return pd.DataFrame(found).rename_axis("run")


# Simulations


def measures(schedule: Schedule) -> dict[str, float]:
    """Work out means over the jobs of a schedule under EASY in one of `ORDERS` (section 6.1), times in seconds.

    `weighted_wait` is equation 4; `weighted_wait_own` is by the score that ordered the queue; on `effective_jobs` it
    rests. Behind them come sums over the jobs of each of the `HALVES` of the month, of which `DIVIDED_BY` makes means.
    """
    policy: Any = schedule.policy
    order, adjust = policy.order, policy.adjust
    wait, run, estimate, procs = (schedule.column(name) for name in ("wait", "run", "estimate", "procs"))
    wait = wait.astype(float)

    # when a job starts (equation 5); under FCFS it is the wait itself
    def priority(estimate: np.ndarray) -> np.ndarray:
        return (wait / np.maximum(estimate, 1)) ** 3 * procs if order == "wfp" else wait

    def weighted(weight: np.ndarray) -> float:
        # no product of vectors, for which NumPy would start threads of its own
        return (wait * weight).sum() / weight.sum() if weight.any() else 0.0

    weight = priority(estimate)
    own = priority(schedule.column("adjusted")) if adjust and adjust.queue else weight
    slowdown, bounded = metrics.slowdown(wait, np.maximum(run, 1)), schedule.column("bounded_slowdown")
    columns = {"jobs": np.ones(len(wait)), "wait": wait, "slowdown": slowdown, "bounded_slowdown": bounded}
    columns |= {"weight": weight, "weighted_wait": wait * weight, "weight_own": own, "weighted_wait_own": wait * own}
    return {
        "wait": wait.mean(),
        "slowdown": slowdown.mean(),
        "weighted_wait": weighted(weight),
        "bounded_slowdown": bounded.mean(),
        "weighted_wait_own": weighted(own),
        "effective_jobs": weight.sum() ** 2 / (weight * weight).sum() if weight.any() else 0.0,
    } | _sums_by_half(schedule, columns)


def _sums_by_half(schedule: Schedule, columns: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Add columns up over the jobs of the first and the second half of the month; of a log without a calendar none."""
    if schedule.workload.start is None:
        return {}
    submit = schedule.column("submit")
    of_most = np.median(submit)  # in whose month all jobs are, but for a few that are shaken out of it
    _, (begin, end) = schedule.workload.month_starts(of_most, of_most)
    early = submit < (begin + end) / 2
    parts = dict(zip(HALVES, (early, ~early), strict=True))
    return {f"{name}, {half}": of[part].sum() for half, part in parts.items() for name, of in columns.items()}


def runs(
    traces: Sequence[Trace],
    cases: Cases = cases,
    measure: Callable[[Schedule], Mapping[Any, float]] = measures,
    shakes: int = 20,
    large_shakes: int | None = None,
    shake_s: int = 60,
    seed: int = 1,
    least_jobs: int = LEAST_JOBS,
    apart: bool = True,
    executor: Any = None,
    orders: Iterable[str] = ORDERS,
) -> pd.Series:
    """Simulate every month of every log in all cases, as it is and shaken, as `replicate`; or each log as one run.

    By (log, month, order, run, metric, case), or with (kind, metric) before the case.
    """
    for name, count in {"shakes": shakes, "large_shakes": large_shakes or shakes}.items():
        if count < 2:
            raise ValueError(f"runs: found {name}={count!r}, expected 2 or more: without them there is no spread")
    table, found = months(traces, least_jobs), {}
    how: dict[str, Any] = {"measures": measure, "seconds": shake_s, "seed": seed, "keep": False, "executor": executor}
    for trace in traces:
        often = min(shakes, large_shakes or shakes) if len(trace.workload) > LARGE else shakes
        of_trace = cases(trace)
        simulated = table.loc[trace.name].query("simulated").index
        parts = {month: trace.workload.months(month) for month in simulated} if apart else {"all": trace.workload}
        for month, workload in parts.items():
            policies = _policies(of_trace, trace, workload)
            for order in orders:
                ordered = {name: replace(policy, order=order) for name, policy in policies.items()}
                found[trace.name, month, order] = replicate(workload, ordered, shakes=often, **how)
    wide = pd.concat(found, names=["log", "month", "order"]).rename_axis(index={"policy": "case"})
    of_measure = ["kind", "metric"] if wide.columns.nlevels == 2 else ["metric"]
    stacked: Any = wide.rename_axis(columns=of_measure).stack(of_measure, future_stack=True)
    return judging.in_order(stacked, "log", "month", "order", "run", *of_measure, "case")


ANY_USE: dict[str, Any] = {"queue": True, "backfill": True, "running": True}


def _policies(adjustments: Mapping[str, Case], trace: Trace, workload: Workload) -> dict[str, EASY]:
    """Make EASY for each case, with what is known before this month: once for all shakes."""
    policies, prepared = {}, {}
    for name, given in adjustments.items():
        policy = given if isinstance(given, EASY) else EASY(adjust=given)
        of = past = policy.adjust  # what is known before is the same, whatever use is made of it
        if isinstance(of, Predictions):
            past = replace(of, **ANY_USE, correct=True)
        elif of:
            past = replace(of, scheme=replace(of.scheme, percentile=100, threshold=None, least=1), **ANY_USE)
        if past not in prepared:
            prepared[past] = EASY(adjust=of and _carried_over(of, trace, workload)).prepare(workload.jobs)
        policies[name] = replace(policy, known=prepared[past].known)
    return policies


def _carried_over(adjustment: Adjustment | Predictions, trace: Trace, workload: Workload) -> Adjustment | Predictions:
    """Add the jobs that were submitted before this month to an adjustment, as far as they can be in its window."""
    jobs, first = trace.workload.jobs, workload.jobs.submit.iloc[0]
    early, columns = jobs.submit < first, ["user"]
    if isinstance(adjustment, Predictions):
        early &= trace.ends <= first  # one that ends in the second of a submission has ended
    else:
        early &= trace.ends >= first - adjustment.scheme.window_s - 86400  # a day: shakes
        columns = adjustment.scheme.columns
    past = jobs.loc[early, list(dict.fromkeys(["submit", "run", "estimate", *columns]))]
    return replace(adjustment, past=past.assign(end=trace.ends[early]))


def changes(trace: Trace, month: str, order: str, adjustment: Adjustment | Predictions) -> pd.DataFrame:
    """Work out what an adjustment from `cases` does to each job of a month: waits before and after, all in seconds."""
    workload = trace.workload.months(month)
    known = _carried_over(adjustment, trace, workload)
    before, after = (simulate(workload, EASY(order=order, adjust=of)).jobs for of in (None, known))
    table = after[["user", "procs", "estimate", "run", "adjusted"]].assign(before=before.wait, after=after.wait)
    return table.assign(slowdown=(after.wait - before.wait) / np.maximum(after.run, 1))


# Gains


def over_baseline(found: Any) -> Any:
    """Work out gains over the baseline, 1 - value / baseline, of what has the level `case`; nan where it is 0."""
    base = found.xs(BASELINE, level="case").reindex(found.droplevel("case").index).to_numpy()
    gained: Any = 1 - found / np.where(base > 0, base, np.nan)
    return gained.drop(BASELINE, level="case")


def gains(found: pd.Series) -> pd.Series:
    """Work out the gains in `METRICS` from results of `runs`, by (log, order, case, metric, month, run)."""
    wanted = found[found.index.isin(METRICS, level="metric")]
    return judging.in_order(over_baseline(wanted), *AVERAGED, "month", "run")


def spread(gained: pd.Series) -> pd.DataFrame:
    """Work out how gains spread over the shakes: ours is their mean, for one run, also `as_it_is`, is one draw."""
    table = judging.spread(gained, resampled=True).rename(columns={"ours": "as_it_is", "mean": "ours"})
    table.insert(0, "ours", table.pop("ours"))
    return table


def by_log(gained: pd.Series) -> dict[str, pd.DataFrame]:
    """Take gains from `gains` apart by log: by its name a table by the other levels, a column a run."""
    wide = gained.unstack("run")
    return {name: wide.loc[name].dropna(axis=1, how="all") for name in gained.index.unique("log")}


def redrawn(gains: pd.DataFrame) -> pd.DataFrame:
    """Average gains of a log over as many months like these, drawn from a shake; all cases have the same draws."""
    wide = gains.unstack("month")
    values = wide.to_numpy().reshape(len(wide), gains.shape[1], -1)
    random = np.random.default_rng(0)
    draws, (shakes, months) = 1000, values.shape[1:]
    drawn = values[:, random.integers(shakes, size=(draws, 1)), random.integers(months, size=(draws, months))]
    with np.errstate(invalid="ignore"):  # where nobody waits there is no gain
        return pd.DataFrame(np.nansum(drawn, axis=-1) / (~np.isnan(drawn)).sum(axis=-1), wide.index)


def months_of_halves(found: pd.Series) -> dict[str, pd.DataFrame]:
    """Make months like those of logs with fewer than FEW_MONTHS from results of `runs`: by log gains, a column a draw.

    Each is made of the jobs of two half months. In each draw there are as many as all half months of the log make, all
    from one shake. The index is that of gains `by_log`. A log of but one half month is left out.
    """
    shaken = found.drop(AS_IT_IS, level="run")
    of_logs = {name: shaken.xs(name, level="log") for name in shaken.index.unique("log")}
    made = {name: _drawn_from_halves(of) for name, of in of_logs.items() if of.index.unique("month").size < FEW_MONTHS}
    return {name: of for name, of in made.items() if of is not None}


def _drawn_from_halves(found: pd.Series, draws: int = 1000) -> pd.DataFrame | None:
    """Draw months that are made of two half months, of one log, and work out their gains; None if there are no two."""

    def by_half(name: str) -> pd.DataFrame:
        halves = {half: found.xs(f"{name}, {half}", level="metric") for half in HALVES}
        found_by_half: Any = pd.concat(halves, names=["half"]).unstack(["month", "half", "run"])
        return found_by_half.sort_index(axis=1)

    jobs, shakes = by_half("jobs"), found.index.unique("run").size
    there = jobs.to_numpy().reshape(len(jobs), -1, shakes)[0, :, 0] > 0  # a log may begin in the middle of a month
    random, halves = np.random.default_rng(0), int(there.sum())
    if halves < 2:
        return None
    shake = random.integers(shakes, size=(draws, 1, 1))
    half = random.integers(halves, size=(draws, halves // 2, 2))

    def drawn(name: str) -> np.ndarray:
        return by_half(name).to_numpy().reshape(len(jobs), -1, shakes)[:, there][:, half, shake].sum(axis=-1)

    means = {}
    for metric, by in DIVIDED_BY.items():
        sums, divided_by = drawn(metric), drawn(by)
        mean = np.divide(sums, divided_by, out=np.zeros_like(sums), where=divided_by > 0)
        by_month = {month: pd.DataFrame(mean[:, :, month], jobs.index) for month in range(halves // 2)}
        means[metric] = pd.concat(by_month, names=["month"])
    table: Any = pd.concat(means, names=["metric"]).rename_axis("run", axis=1)
    return over_baseline(table).reorder_levels([*AVERAGED[1:], "month"])


def mean_of_months(gains: pd.DataFrame, made: pd.DataFrame | None = None) -> pd.DataFrame:
    """Average gains of a log over months like these: `redrawn`, or those `made` by `months_of_halves`."""
    return redrawn(gains) if made is None else made.groupby(AVERAGED[1:], sort=False).mean()


def averages(gained: pd.Series, halves: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
    """Average gains over the months, with `spread`, 95 % of months like these (of `halves`), and the worst month."""
    table = spread(gained.groupby([*AVERAGED, "run"], sort=False).mean())
    by_month = spread(gained).ours.groupby(AVERAGED, sort=False)
    shaken = by_log(gained.drop(AS_IT_IS, level="run"))
    made = halves or {}
    drawn = pd.concat({name: mean_of_months(of, made.get(name)) for name, of in shaken.items()}, names=["log"])
    drawn = drawn.reindex(table.index)
    for end, share in (("months_low", 0.025), ("months_high", 0.975)):
        table[end] = drawn.quantile(share, axis=1)
    table = table.assign(months=by_month.count(), better=by_month.agg(lambda of: (of > 0).sum()))
    return table.assign(worst=by_month.min(), worst_month=by_month.idxmin().map(lambda place: place[-1]))


def printed_table() -> pd.DataFrame:
    """Read what the text prints of the gains in Figures 14 to 17: values, words such as "over", and notes."""
    means = published("tang2013_gains").assign(statistic="mean", bound="")
    table = pd.concat([means, published("tang2013_gains_statistics")])
    return table.set_index(["order", "case", "metric", "statistic"])
