"""How much a policy, or an estimate, changes what jobs see on a log, with both intervals: one row per log.

An effect is a change as a share of the base, -0.1 being a tenth less. Coincidence and another year are as in
`simlib.compare`: its `coincidence_low` to `coincidence_high` are `low` to `high` here. That function holds all cases
against one base, with their percentiles and groups; here the same runs are held against several bases.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from simlib._util.arrays import Floats
from simlib.analysis.comparison import parts, places
from simlib.analysis.stats import PARTS, intervals, relative_intervals
from simlib.core.schedule import Policy, Schedule, simulate
from simlib.core.workload import Workload

from ..judging import printed
from ..resampling import Interval
from ..tang2013 import TRIPLE, Trace, accuracy
from . import ENOUGH_ESTIMATES

LEVELS = ["log", "case", "measure"]

COLUMNS = ["base", "value", "effect", "low", "high", "year_low", "year_high"]

MEASURES = ["wait", "response", "bounded_slowdown", "backfilled"]
"""Means over all jobs; the last is the share of the jobs that were backfilled."""

TAILS = ["wait_95th", "longest_wait"]
"""Measures that are no means, for whom they matter: they have no other year."""

HOUR_LONGER = "hour_longer"
"""The share of the jobs that wait more than an hour longer than under the base: that share is the effect, too."""


def in_parts(workload: Workload, bases: Mapping[str, Policy] | None = None) -> Callable[[Schedule], pd.DataFrame]:
    """Make a measure for `replicate`: sums of `MEASURES` over the jobs of each of five parts, and how many these are.

    With policies in `bases`, which come first in what is simulated, also `TAILS`, and who waits an hour longer than by
    each.
    """
    part = pd.Series(parts(workload), workload.jobs.index)
    return partial(_in_parts, part, bases or {})


def _in_parts(part: pd.Series, bases: Mapping[str, Policy], schedule: Schedule) -> pd.DataFrame:
    """What `in_parts` measures; `part` is that of each job in the log as it is, by the index of the jobs."""
    workload, wait = schedule.workload, schedule.column("wait")
    own = part.to_numpy()[places(part.index, workload.jobs.index)]  # shaken jobs stand in another order
    sums = {measure: np.bincount(own, schedule.column(measure).astype(float), PARTS) for measure in MEASURES}
    table = pd.DataFrame(sums | {"jobs": np.bincount(own, minlength=PARTS)}).rename_axis("part")
    if bases:
        table[TAILS] = np.quantile(wait, 0.95), wait.max()
    for base, policy in bases.items():
        table[f"{HOUR_LONGER} than {base}"] = (wait - _waits(workload, policy, schedule) > 3600).mean()
    return table


def _waits(workload: Workload, policy: Policy, schedule: Schedule) -> np.ndarray:
    """The waits of these jobs under another policy, which has most likely just been simulated."""
    known = _Known.waits.setdefault(workload, {})
    if schedule.policy not in known:
        known[schedule.policy] = schedule.column("wait")
    if policy not in known:
        known[policy] = simulate(workload, policy).column("wait")
    return known[policy]


class _Known:
    """Waits by workload and policy; in `_memory`, so that they are not part of the key of what is kept."""

    _memory = ("waits",)
    waits: WeakKeyDictionary[Workload, dict[Policy, np.ndarray]] = WeakKeyDictionary()


def effects(runs: pd.DataFrame, pairs: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Hold policies of a log against each other, by mean wait, response time, bounded slowdown and share backfilled.

    `runs` are from `replicate`, measured by `in_parts`; `pairs` have by the name of an effect those of policy and base,
    and are left out if one is missing. Gives the `COLUMNS` by case and measure, also of tails if there are any.
    """
    by_policy = {name: of.droplevel("policy") for name, of in runs.groupby("policy", sort=False)}
    pairs = {name: pair for name, pair in pairs.items() if set(pair) <= by_policy.keys()}
    of_cases = {name: _means(of) for name, of in by_policy.items()}
    held = {name: _held(of_cases[base], of_cases[case]) for name, (case, base) in pairs.items()}
    if set(TAILS) <= set(runs):
        held = {name: pd.concat([of, _tails(by_policy, *pairs[name])]) for name, of in held.items()}
    return pd.concat(held, names=["case"])


def _means(runs: pd.DataFrame) -> tuple[Floats, Floats]:
    """Means over all jobs, by measure and run; and without each part of the log, over all runs, where each has jobs."""
    sums = runs[MEASURES].to_numpy().reshape(-1, PARTS, len(MEASURES)).T
    jobs = runs.jobs.to_numpy()[:PARTS]
    of_all, without = sums.sum(axis=1), sums.mean(axis=2)
    with np.errstate(invalid="ignore"):
        without = (without.sum(axis=1, keepdims=True) - without) / (jobs.sum() - jobs)
    return of_all / jobs.sum(), np.where(jobs.all(), without, np.nan)


def _held(base: tuple[Floats, Floats], case: tuple[Floats, Floats], measures: Sequence[str] = MEASURES) -> pd.DataFrame:
    """One policy against another, from the means by measure and run, and those without each part."""
    (of_base, base_without), (of_case, case_without) = base, case
    means = {"base": of_base.mean(axis=1), "value": of_case.mean(axis=1)}
    table = pd.DataFrame(means, pd.Index(measures, name="measure"))
    table[COLUMNS[2:]] = relative_intervals(of_base, of_case, base_without, case_without)
    return table


def _tails(runs: Mapping[Any, pd.DataFrame], case: str, base: str) -> pd.DataFrame:
    """What `_held` has of means, of `TAILS` and of `HOUR_LONGER`."""
    of_base, of_case = (runs[each].groupby("run").first() for each in (base, case))
    never = np.full((len(TAILS), PARTS), np.nan)
    table = _held((of_base[TAILS].to_numpy().T, never), (of_case[TAILS].to_numpy().T, never), TAILS)
    longer = intervals(of_case[f"{HOUR_LONGER} than {base}"], never[0])
    table.loc[HOUR_LONGER] = [0, longer[0], *longer]
    return table


# Tables of effects


def of_case(table: pd.DataFrame, case: str, measure: str) -> pd.DataFrame:
    """Take the rows of a case and a measure, by log; none where there is none."""
    rows = table[table.index.isin([case], "case") & table.index.isin([measure], "measure")]
    return rows.droplevel(["case", "measure"])


def by_measure(
    table: pd.DataFrame, case: str, measures: Iterable[str], beside: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Take the rows of a case by measure and log, and `beside` them what is printed of it, if its columns have it."""
    changes = pd.concat({measure: of_case(table, case, measure) for measure in measures}, names=["measure"])
    if beside is None or case not in beside:
        return changes
    return changes.assign(printed=beside[case].reindex(changes.index))


def minus(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Subtract effects on the same logs, with intervals as of independent errors."""
    one, other = one.align(other, join="inner", axis=0)
    table = pd.DataFrame({"base": other.effect, "value": one.effect, "effect": one.effect - other.effect})
    for low, high in (("low", "high"), ("year_low", "year_high")):
        down = np.hypot(one.effect - one[low], other[high] - other.effect)
        up = np.hypot(one[high] - one.effect, other.effect - other[low])
        table[low], table[high] = table.effect - down, table.effect + up
    return table


def growth(table: pd.DataFrame) -> pd.DataFrame:
    """Subtract the first effect of each log from its last, where it has several, in a table by (log, place)."""
    several: Any = table[table.groupby("log").effect.transform("size") > 1].groupby("log", sort=False)
    last, first = (several.nth(place).droplevel(1) for place in (-1, 0))
    return minus(last, first)


def of_change(value: pd.Series, base: pd.Series) -> dict[str, float]:
    """Make a row of effects of two numbers by run, pair by pair; one interval stands in the place of both."""
    change = value / base - 1
    interval = Interval.of(change.drop(0))
    ends = min(interval.low, change[0]), max(interval.high, change[0])
    return dict(zip(COLUMNS, [base[0], value[0], change[0], *ends, *ends], strict=True))


def printed_effects() -> pd.DataFrame:
    """Work out effects that Mu'alem & Feitelson print of whole logs, and of the Paragon (1996) and CM-5 from months."""
    table3 = printed("mualem2001_table3").unstack("estimates")
    easy, conservative = (table3.xs(name, level="policy") for name in ("EASY", "conservative"))
    doubled = printed("mualem2001_table4").unstack("quantity")
    doubled = (doubled.scaled / doubled.original - 1).unstack("policy")
    months = printed("mualem2001_table1").unstack("metric")
    months = months.query("log == 'CM5' or log == 'Par' and month >= '1996'")
    sums = months.mul(months.jobs, axis=0).groupby(["policy", "log"]).sum()
    by_months = (sums.loc["conservative"] / sums.loc["EASY"] - 1)[["response_s", "bounded_slowdown"]].T.stack()
    changes = {
        "conservative": pd.concat([conservative.original / easy.original - 1, by_months]),
        "exact": easy.f1 / easy.original - 1,
        "f = 2, against exact": easy.f2 / easy.f1 - 1,
        "f = 4": easy.f4 / easy.original - 1,
        "doubled": doubled.EASY,
        "doubled, conservative": doubled.conservative,
    }
    logs = {"CTC": "CTC-SP2", "KTH": "KTH-SP2", "SDSC": "SDSC-SP2", "Par": "SDSC-Par-96", "CM5": "LANL-CM5"}
    return pd.DataFrame(changes).rename(index=logs | {"response_s": "response"}).rename_axis(["measure", "log"])


def printed_gains(percentile: float) -> dict[tuple[str, str], float]:
    """List the average changes that Tang et al. print, by (case, measure); their slowdown has no bound."""
    gains: Any = printed("tang2013_gains")
    end, measures = f" p{percentile:g}", {"wait": "wait", "slowdown": "bounded_slowdown"}
    return {
        (f"{order.upper()}, {case.removesuffix(end)}", measures[metric]): -gain
        for (order, case, metric), gain in gains.items()
        if case.endswith(end) and metric in measures
    }


LEAST_JOBS = 10
"""Similar jobs that there have to be, as in the paper of Tang et al."""


# How good users' estimates are on a log, and which earlier jobs tell: with a bootstrap over users


def with_estimates(logs: Mapping[str, Workload], about: pd.DataFrame) -> dict[str, Trace]:
    """Take the jobs with an estimate of the logs that have enough: Traces, whose projects are groups, or users."""
    traces = {}
    for name, workload in logs.items():
        if about.estimated[name] >= ENOUGH_ESTIMATES:
            log = workload.select("requested_time > 0")
            if log.jobs.group.nunique() < 10:  # no projects: HPC2N has three groups, and 98 % of its jobs are of one
                log = log.derive(log.jobs.assign(group=log.jobs.user), "users for projects")
            traces[name] = Trace(name, log, "group")
    return traces


def shares_used(traces: Mapping[str, Trace], **bootstrap: Any) -> pd.DataFrame:
    """Measure the shares of jobs by how much of their estimates they used; `near` Intrepid's, as in TG-01, or not."""
    of_print: Any = printed("tang2013_figure1")
    rows = {}
    for name, trace in traces.items():
        for part, of in accuracy.shares_used(trace, **bootstrap).items():
            rows[part, name] = {"ours": of.value, "low": of.low, "high": of.high}
    table = _by(rows, "part", "log")
    table["published"] = table.index.get_level_values("part").map(accuracy.SHARES).map(of_print)
    return table.assign(near=(table.ours - table.published).abs() <= 0.1)


def scatter(traces: Mapping[str, Trace], **bootstrap: Any) -> pd.DataFrame:
    """Measure how much less R scatters within groups by each key than by the one before, the first than of all jobs."""
    rows = {}
    for name, trace in traces.items():
        jobs, of = trace.workload.jobs, accuracy.scatter_within(trace, LEAST_JOBS, **bootstrap)
        projects = [] if jobs.group.equals(jobs.user) else ["project", "user", "user+project"]
        for before, key in pairwise(["all", *(projects or ["user"]), TRIPLE]):
            rows[key, name] = of_change(of[key], of[before])
    return _by(rows, "key", "log")


def by_percentile(
    traces: Mapping[str, Trace], percentiles: Sequence[float], best: float, others: Sequence[float], **bootstrap: Any
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure as effects how much more accurate estimates are by percentiles, and by the `best` than by others."""
    keys, rows, better = (TRIPLE, "user"), {}, {}
    asked = list(dict.fromkeys([*percentiles, best, *others]))
    for name, trace in traces.items():
        measured: Any = accuracy.study([trace], keys, (None,), asked, least=LEAST_JOBS, **bootstrap)[name]
        measured = measured.xs("accuracy", axis=1, level="metric").droplevel(["window", "threshold"], axis=1)
        for key, percentile in product(keys, percentiles):
            rows[key, name, percentile] = of_change(measured[key, percentile], measured[accuracy.ORIGINAL[0], 100])
        for other in others:
            better[other, name] = of_change(measured[TRIPLE, best], measured[TRIPLE, other])
    return _by(rows, "key", "log", "percentile"), _by(better, "other", "log")


def _by(rows: Mapping[Any, Mapping[str, float]], *levels: str) -> pd.DataFrame:
    """Make a table of rows by their places."""
    return pd.DataFrame(rows).T.rename_axis(index=list(levels))
