"""By how much a policy, or an estimate, changes what jobs see on a log, with both intervals: tables with a row a log.

An effect is a change as a share of the base, -0.1 being a tenth less. Coincidence and another year are as in
`simlib.compare`: its `coincidence_low` to `coincidence_high` are `low` to `high` here. That function holds all cases
against one base, with their percentiles and groups; here cases are simulated once for several bases, and only means are
worked out, which costs less. The means of another year are over all runs, as the effect is.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from ..._util.fingerprint import identity
from ...analysis import cache
from ...analysis.comparison import FEWEST_BLOCKS, MANY_MONTHS, places
from ...analysis.replicate import blocks
from ...analysis.stats import change, cluster_draws, interval_around
from ...core.schedule import Schedule, simulate
from ...core.sweeps import sweep
from ...policies.conservative import Conservative
from ...policies.easy import EASY

LEVELS = ["log", "case", "measure"]

COLUMNS = ["base", "value", "effect", "low", "high", "year_low", "year_high"]

BACKFILLED = "backfilled"
"""The measure that `simlib.compare` does not have: the share of the jobs that were backfilled."""

MEASURES = ["wait", "response", "bounded_slowdown", BACKFILLED]

TAILS = WAIT_95TH, LONGEST_WAIT = "wait_95th", "longest_wait"
"""Measures that are no means, for whom they matter: they have no other year."""

HOUR_LONGER = "hour_longer"
"""The share of the jobs that wait more than an hour longer than under the base: that share is the effect, too."""

HOUR_S = 3600

SHARED = EASY(order="wfp"), Conservative()
"""Policies that several exhibits simulate, and which take longer than to read their waits: these are kept."""

ENDS = ["low", "high"], ["year_low", "year_high"]


def effects(machine, cases, pairs, settings, tails=False, shared=True):
    """Hold cases against each other on a log, by mean wait, response time, bounded slowdown and share backfilled.

    Gives a DataFrame, by (log, case, measure), the columns `COLUMNS`: means under the base and the case, over the
    log as it is and the shaken runs; the effect, its intervals.
    """
    table = cache.once(_effects, "workload")(
        cache.state_of(machine.workload), machine.workload, cases, pairs, tails, shared, **settings
    )
    return pd.concat({machine.name: table}, names=LEVELS)


def _effects(key, workload, cases, pairs, tails, shared, shakes, seconds, resamples, seed):
    """As `effects`; `key` stands for the workload where earlier results are looked for."""
    of_cases = [case if isinstance(case, tuple) else (case, "user") for case in cases.values()]
    workloads = {model: workload.with_estimates(model) for model in dict.fromkeys(model for _, model in of_cases)}
    ready = []  # the workload of a case; its policy, which may want to know the jobs; the key of one that is shared
    for policy, model in of_cases:
        jobs, kept = workloads[model].jobs, shared and model == "user" and policy in SHARED
        of_case = (cache.state_of(workloads[model]), identity(policy)) if kept else None
        ready.append((workloads[model], policy.prepare(jobs) if hasattr(policy, "prepare") else policy, of_case))
    place = {name: number for number, name in enumerate(cases)}
    rivals = [(place[case], place[base]) for case, base in pairs.values()] if tails else None
    long = workload.start is not None and blocks(workload, "month").max(initial=0) + 1 >= MANY_MONTHS
    block = blocks(workload, "month" if long else "week")  # of each job; weeks where months are few
    tasks = [(ready, rivals, workload, block, seconds, each) for each in [None, *range(seed, seed + shakes)]]
    means, sums, ends = zip(*sweep(_run, tasks, label="runs"), strict=True)
    means = np.array(means)  # by run, case, measure
    years = _years(block, np.mean(sums, axis=0), resamples, seed)
    held = {name: _held(place[case], place[base], means, years) for name, (case, base) in pairs.items()}
    if tails:
        of = zip(held, rivals, np.array([longer for _, longer in ends]).T, strict=True)
        numbers = np.array([of_waits for of_waits, _ in ends])  # by run, case, tail
        held = {name: pd.concat([held[name], _tails(*rival, numbers, longer)]) for name, rival, longer in of}
    return pd.concat(held)


def _run(ready, rivals, original, block, seconds, seed):
    """Simulate all cases, shaken with a seed: means by case and measure; sums by case, block and measure; the tails.

    These are None without rivals; with them an array of shape (cases, `TAILS`), and `HOUR_LONGER` by pair.
    """
    means, sums, waits = [], [], []
    workloads = dict.fromkeys(workload for workload, _, _ in ready)  # several cases have the same
    shaken = {one: one if seed is None else one.shake(seconds, seed) for one in workloads}
    for workload, policy, key in ready:
        of_case = shaken[workload], policy
        schedule = _shared((*key, seconds, seed), *of_case) if key else simulate(*of_case)
        values = np.array([schedule.column(measure) for measure in MEASURES], float)
        waits += [values[0].copy()] if rivals else []
        means.append(values.mean(axis=1))
        own = block[places(original.jobs.index, of_case[0].jobs.index)]  # shaken jobs stand in another order
        sums.append(np.transpose([np.bincount(own, of_measure) for of_measure in values]))
    of_waits = np.array([[np.quantile(wait, 0.95), wait.max()] for wait in waits])
    longer = [(waits[one] - waits[other] > HOUR_S).mean() for one, other in rivals or []]
    return means, sums, (of_waits, longer)


def _shared(key, workload, policy):
    """Simulate as `simulate`, if no other exhibit has; `key` tells what: the workload, its shaking, the policy."""
    wait, backfilled = cache.once(_waits, "workload", "policy")(key, workload, policy)
    jobs = workload.jobs
    start = jobs.submit.to_numpy() + wait.astype(np.int64)
    return Schedule(workload, policy, "extend", jobs.run.to_numpy(), start, backfilled=backfilled)


def _waits(key, workload, policy):
    """What has to be kept of a schedule, in few bytes a job."""
    schedule = simulate(workload, policy)
    wait = schedule.column("wait")
    return wait.astype(np.min_scalar_type(int(wait.max(initial=0)))), schedule.column("backfilled")


def _years(block, sums, resamples, seed):
    """Means over the jobs of years that are made up of the log's months, or weeks: by case, year and measure.

    The sums, by case, block and measure, are means over all runs: so years have the centre of the effect itself.
    """
    jobs = np.bincount(block)
    if (jobs > 0).sum() < FEWEST_BLOCKS:
        return np.full((len(sums), resamples, len(MEASURES)), np.nan)
    drawn = cluster_draws(len(jobs), resamples, seed)[1:]
    return (drawn @ sums) / (drawn @ jobs)[:, None]


def _held(case, base, means, years, measures=MEASURES):
    """One case against another, from the means by run, case and measure, and those of years by case, year, measure."""
    first, second = (means[:, one].mean(axis=0) for one in (base, case))
    table = pd.DataFrame(
        {"base": first, "value": second, "effect": change(np.where(first == 0, np.nan, first), second)}, measures
    )
    for ends, (one, other) in zip(ENDS, ((means[:, base], means[:, case]), (years[base], years[case])), strict=True):
        table[ends] = interval_around(table.effect, change(one, other).T)
    return table.rename_axis("measure")[COLUMNS]


def _tails(case, base, numbers, longer):
    """What `_held` has of means, of `TAILS` by run, case and tail, and of `HOUR_LONGER` by run."""
    table = _held(case, base, numbers, np.full((*numbers.shape[1:2], 1, len(TAILS)), np.nan), list(TAILS))
    mean = np.mean(longer)
    share = [0, mean, mean, *interval_around(mean, longer), np.nan, np.nan]
    return pd.concat([table, pd.DataFrame([share], [HOUR_LONGER], COLUMNS)]).rename_axis("measure")


def minus(one, other):
    """Subtract effects from others, by log, as if their errors were independent: a table of the same columns."""
    one, other = (table.loc[one.index.intersection(other.index, sort=False)] for table in (one, other))
    found = pd.DataFrame({"base": other.effect, "value": one.effect, "effect": one.effect - other.effect})
    for low, high in ENDS:
        found[low] = found.effect - np.hypot(one.effect - one[low], other[high] - other.effect)
        found[high] = found.effect + np.hypot(one[high] - one.effect, other.effect - other[low])
    return found


def of_change(value, base):
    """Make a row of effects of two numbers by replication: 0 as it is, the others resampled, pair by pair.

    There is one interval: it stands in the place of both.
    """
    found = value / base - 1
    interval = interval_around(found[0], found.drop(0))
    return dict(zip(COLUMNS, [base[0], value[0], found[0], *interval, *interval], strict=True))


def table_of(rows, names, columns=COLUMNS):
    """Make a table of rows by their places, tuples of these names; with no row the columns are there all the same."""
    index = pd.MultiIndex.from_tuples(list(rows), names=names)
    return pd.DataFrame(list(rows.values()), index, columns)


def of_level(table, value):
    """Take the rows of a value of the first level, by the others; none where there is none."""
    return table[table.index.isin([value], 0)].droplevel(0)


def together(tables):
    """Put tables of effects one under the other; with none the columns are there all the same."""
    empty = pd.DataFrame(index=pd.MultiIndex.from_tuples([], names=LEVELS), columns=COLUMNS, dtype=float)
    return pd.concat(tables) if tables else empty


def of_case(table, case, measure):
    """Take the rows of a case and a measure, by log."""
    return table[table.index.isin([case], "case") & table.index.isin([measure], "measure")].droplevel(LEVELS[1:])


# EASY against conservative backfilling at other loads than a log's own (MF section 3.1).


LOADS = 0.6, 0.7, 0.8, 0.9

SHORTEST, LONGEST = 3 / 4, 3 / 2
"""A load is in reach where interarrival times need not be multiplied by less or more."""

CASES = {"EASY": EASY(), "conservative": Conservative()}

EXACT = "exact"
"""The column of the highest load: the same effect with exact estimates, from one run."""


def in_reach(load):
    """List the loads that a log of this load comes to.

    >>> in_reach(0.55)
    [0.6, 0.7]
    """
    return [to for to in LOADS if SHORTEST <= load / to <= LONGEST]


def of_machine(machine, settings):
    """Work out what conservative changes against EASY on one log at the loads in reach; None where there is none."""
    rows = {}
    for load in in_reach(machine.workload.load):
        scaled = replace(machine, workload=machine.workload.scale_load(load))
        pairs = {load: ("conservative", "EASY")}
        rows[load] = effects(scaled, CASES, pairs, settings, shared=False).assign(**{EXACT: np.nan})
    if not rows:
        return None
    exact = {name: (policy, EXACT) for name, policy in CASES.items()}
    one_run = effects(scaled, exact, pairs, settings | {"shakes": 0}, shared=False)
    rows[load][EXACT] = one_run.effect
    return pd.concat(rows.values())


def line(table, measure):
    """Take a measure at all loads, by (log, load)."""
    return table[table.index.isin([measure], "measure")].droplevel("measure").rename_axis([LEVELS[0], "load"])


def growth(table, measure="response"):
    """Subtract the effect at the lowest load in reach from that at the highest, by log: see `effects.minus`."""
    of = line(table, measure)
    several = of[of.groupby("log").effect.transform("size") > 1].groupby("log", sort=False)
    return minus(*(several.nth(place).droplevel("load") for place in (-1, 0)))
