"""Compare policies on one log: by how much they differ, for whom, and how sure that is."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._util.arrays import Floats, Ints, whole
from .._util.words import duration, per_cent
from ..core import estimates
from ..core.percentiles import STATISTICS, block_sums, by_group, resampled
from ..core.policy import Policy, check_names
from ..core.schedule import Schedule, is_own
from ..core.sweeps import sweep
from ..core.workload import Workload, check_shaking
from .replicate import BY, Groups, blocks, grouped, schedules
from .stats import change, cluster_draws, interval_around

INTERVALS = ("coincidence", "another_year")

HEADLINES = [("wait", "mean"), ("wait", "median"), ("wait", "95th"), ("response", "mean"), ("bounded_slowdown", "mean")]
"""What is said first: measures and statistics."""

MEANING = (
    "Two intervals stand beside each difference. Coincidence: the log was shaken, every submission moved at random by "
    "up to {seconds} s, and 95 % of {shakes} such runs (and the log itself) lie in it; what is inside may be luck. "
    "Another year: the log's {blocks} {block}s were drawn anew {resamples} times, and 95 % of these made-up logs lie "
    "in it; another time as long as this one, of the same users on the same machine, would be about there."
)
"""Of the two intervals, for readers."""

HOLDS = {
    "equal": "equal",
    "coincidence": "may be coincidence",
    "this log": "on this log",
    "another year": "in another year, too",
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Say by how much policies differ on a log, for whom, and how sure that is: what `simlib.compare` found.

    Attributes
    ----------
    workload : Workload
    policies : dict of str to str
        What each policy is, by name; the first is the base.
    table : DataFrame
        By `policy`, `by`, `group`, `measure` ("wait", "response", in seconds, "bounded_slowdown") and `statistic`
        ("mean", "median", "95th", "99th"): how many `jobs` the group has; `base`, `value` and `difference`, means over
        the log as it is and the shaken runs; `coincidence_low` and `coincidence_high`, `another_year_low` and
        `another_year_high`, the intervals of the difference: see `simlib.compare`. nan where one is not known, for the
        group's jobs lie in too few weeks or months.
    relative : DataFrame
        The same with differences as shares of the base; nan where that is nought.
    settings : dict
        `shakes`, `seconds`, `seed`, `resamples`, `block`, `blocks`, `overrun`.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "shortest first": simlib.EASY(order="sjf")}
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=5, by=["all", "size"])
    >>> found.base, found.others
    ('EASY', ['shortest first'])
    """

    workload: Workload
    policies: Mapping[str, str]
    table: pd.DataFrame = field(repr=False)
    relative: pd.DataFrame = field(repr=False)
    settings: Mapping[str, Any]

    @property
    def base(self) -> str:
        """The policy that the others are held against."""
        return next(iter(self.policies))

    @property
    def others(self) -> list[str]:
        """The other policies."""
        return list(self.policies)[1:]

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The differences as they are shown and judged: as shares of the base; where that is nought as they are."""
        return self.relative.where(self.relative.difference.notna(), self.table)

    @property
    def by(self) -> list[str]:
        """How the jobs are divided."""
        return list(self.table.index.unique("by"))

    def overview(self, by: str = "all", headlines: list[tuple[str, str]] = HEADLINES) -> pd.DataFrame:
        """Put the differences into words that can be read: a row a policy, group and measure.

        Parameters
        ----------
        by : str
        headlines : list of (measure, statistic)

        Returns
        -------
        DataFrame of str
            The base's value, the policy's, the change in per cent, both intervals of it, and whether it holds.

        Examples
        --------
        >>> import simlib
        >>> policies = {"EASY": simlib.EASY(), "same": simlib.EASY()}
        >>> found = simlib.compare(simlib.load("sample"), policies, shakes=3, by=["all"])
        >>> found.overview(headlines=[("wait", "mean")]).iloc[0].to_list()
        ['2.4 h', '2.4 h', '+0.0 %', '+0.0 to +0.0 %', '+0.0 to +0.0 %', 'equal']
        """
        rows = {}
        for policy in self.others:
            for group in self.groups(by):
                for measure, statistic in headlines:
                    key = policy, by, group, measure, statistic
                    rows[policy, group, f"{statistic} {measure}".replace("_", " ")] = self._said(key)
        columns = ["base", "value", "change", "coincidence", "another year", "holds"]
        index = pd.MultiIndex.from_tuples(list(rows), names=["policy", by, "measure"])
        table = pd.DataFrame(list(rows.values()), index, columns).rename(columns={"base": self.base})
        return table.droplevel(by) if by == "all" else table

    def groups(self, by: str) -> list[str]:
        """List the groups of one way to divide the jobs.

        Raises
        ------
        ValueError
            Where the jobs are not divided so.

        Examples
        --------
        >>> import simlib
        >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
        >>> simlib.compare(simlib.load("sample"), policies, shakes=3, by=["all", "month"]).groups("month")
        ['2026-01', '2026-02', '2026-03']
        """
        if by not in self.by:
            raise ValueError(f"{self.workload.name}: found by={by!r}, expected one of {', '.join(self.by)}")
        return list(self.table.xs(by, level="by").index.unique("group"))

    def _said(self, key: Any) -> list[str]:
        """A row of the overview."""
        row: Any = self.shown.loc[key]
        as_said = duration if key[3] != "bounded_slowdown" else "{:,.1f}".format
        said, unit = (per_cent, " %") if row.base else (as_said, "")
        ends = [_range(row, name, said, unit) for name in INTERVALS]
        return [as_said(row.base), as_said(row.value), said(row.difference), *ends, HOLDS[holds(row)]]

    def who(
        self, policy: str | None = None, by: str = "user", measure: str = "wait", statistic: str = "mean"
    ) -> pd.DataFrame:
        """Rank groups by what they lose: those whose measure grows most come first, those who gain most last.

        Parameters
        ----------
        policy : str, optional
            By default the first that is not the base.
        by, measure, statistic : str

        Returns
        -------
        DataFrame
            By group: the columns of `table`; `relative`, the difference as a share of the base; `holds`: see
            the function `holds`.

        Raises
        ------
        ValueError
            For a policy that was not held against the base; where the jobs are not divided so.

        Examples
        --------
        >>> import simlib
        >>> policies = {"EASY": simlib.EASY(), "shortest first": simlib.EASY(order="sjf")}
        >>> found = simlib.compare(simlib.load("sample"), policies, shakes=5, by=["size"])
        >>> found.who(by="size").index[0]
        '33-64'
        """
        self.groups(by)
        policy = policy or self.others[0]
        if policy not in self.others:
            raise ValueError(f"who: found policy={policy!r}, expected one of {', '.join(map(repr, self.others))}")
        key = policy, by, slice(None), measure, statistic
        table = self.table.loc[key, :].droplevel([0, 1, 3, 4])
        table["relative"] = self.relative.loc[key, :].difference.to_numpy()
        table["holds"] = [holds(row) for row in self.shown.loc[key, :].itertuples()]
        return table.sort_values("difference", ascending=False, kind="stable")

    def __repr__(self) -> str:
        lines = [f"<Comparison on {self.workload.name}, {len(self.workload):,} jobs, with {self.base}"]
        lines += [self.overview().to_string(), *self._losers()]
        return "\n".join(lines) + ">"

    def _losers(self) -> list[str]:
        """A sentence on each policy: which user loses most, or which group of the last way to divide the jobs."""
        by = "user" if "user" in self.by else self.by[-1]
        sentences = []
        for policy in self.others if by != "all" else []:
            table = self.who(policy, by)
            clear = table[table.holds != "coincidence"]
            lose, gain = clear[clear.difference > 0], clear[clear.difference < 0]
            sentence = f"{policy}: {len(lose)} of {len(table)} {by}s lose and {len(gain)} gain beyond coincidence"
            if len(lose):
                most = lose.iloc[0]
                sentence += f"; {by} {most.name} loses most: mean wait {duration(most.base)} -> {duration(most.value)}"
            sentences.append(sentence)
        return sentences

    def _repr_html_(self) -> str:
        """Say the same in notebooks."""
        title = f"<p><b>{escape(self.workload.name)}</b>, {len(self.workload):,} jobs, with {escape(self.base)}</p>"
        ends = "".join(f"<p>{escape(sentence)}.</p>" for sentence in self._losers())
        return title + self.overview().to_html() + ends + f"<p>{escape(MEANING.format(**self.settings))}</p>"


def holds(row: Any) -> str:
    """Tell how far a row of `Comparison.shown` can be believed, by its two intervals."""
    if row.coincidence_low == row.coincidence_high == row.difference == 0:
        return "equal"
    if not (row.coincidence_low > 0 or row.coincidence_high < 0):
        return "coincidence"
    same = row.another_year_low > 0 if row.coincidence_low > 0 else row.another_year_high < 0
    return "another year" if same else "this log"


def _range(row: Any, interval: str, said: Any, unit: str) -> str:
    """Write an interval of a row."""
    low, high = row[f"{interval}_low"], row[f"{interval}_high"]
    return "not known" if np.isnan(low) else f"{said(low).removesuffix(unit)} to {said(high)}"


# Compare


MEASURES = ("wait", "response", "bounded_slowdown")

FEWEST_BLOCKS = 5
"""Of a group whose jobs lie in fewer weeks, or months, it is not known what another year would bring."""

MANY_MONTHS = 24
"""Of fewer months it is not well known how they differ: then weeks are resampled."""

Case = Policy | tuple[Policy, str | Callable]
"""A policy, or a policy and the estimates that it has: see `compare`."""


def compare(
    workload: Workload,
    policies: Mapping[str, Case],
    base: str | None = None,
    shakes: int = 20,
    seconds: int = 60,
    seed: int = 0,
    resamples: int = 500,
    block: str | None = None,
    by: Sequence[str] = BY,
    least: int = 30,
    overrun: str = "extend",
    executor: Any = None,
) -> Comparison:
    """Compare policies on a log, overall and for groups of jobs, with two intervals for each difference.

    *Coincidence*: the log is shaken, as by `simlib.replicate`, and a policy held against the base run by
    run, with the same submit times. 95 % of the differences lie in this interval: what is inside may be luck of the
    second.

    *Another year*: weeks or months of the log are drawn with replacement, and the same ones counted for both policies.
    95 % of the differences in such made-up logs lie in this interval: another time as long as the log, of the same
    users on the same machine, would give about that. Means are taken over the same runs as the difference itself, the
    log as it is and the shaken ones; percentiles are of one run a made-up log, each in its turn. It cannot know what is
    unlike all of the log, and is rather too narrow where queues last from one week or month to the next. On made-up
    logs of 40 independent weeks it held the truth in 85 to 94 % of all cases where queues were short, and in 60 to 80 %
    where they lasted for weeks; of relative differences in 70 to 90 % there. On logs of 160 such weeks months did
    better than weeks (75 to 84 % against 64 to 72 %), on those of 40 weeks not.

    Of relative differences, a run or a made-up log in which nothing waits under either policy counts as no change.

    Estimates that a model draws are drawn once: what they leave to chance is in neither interval.

    Parameters
    ----------
    workload : Workload
    policies : dict
        By name: a policy, such as `EASY()`; or a policy with estimates of its own, such as `(EASY(), "exact")`. These
        are a name or a model from `simlib.estimates`, or a function that makes a Workload of this one, of the same jobs
        on the same machine. A policy that adjusts estimates, `EASY(adjust=...)`, is a policy.
    base : str
        The one that the others are held against; by default the first.
    shakes, seconds, seed : int
        How many shaken runs, at least three, by how many seconds, from which seed on.
    resamples : int
        How many years are made up.
    block : {"week", "month"}, optional
        What is resampled: by default months where the log has two dozen of them, else weeks.
    by : sequence of str
        How jobs are divided into groups: out of `simlib.analysis.replicate.BY`. All jobs together are always there.
    least : int
        How many jobs a group has at least; all jobs together may be fewer.
    overrun : {"extend", "kill"}
        As for `simulate`.
    executor : concurrent.futures.Executor, optional
        By default threads, see `simlib.sweep`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        For no second policy, a base that is none of them, fewer than three shaken runs or another setting out of range,
        or estimates that do not keep the jobs; as from `simulate`.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "shortest first": simlib.EASY(order="sjf")}
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=5, by=["all"])
    >>> row = found.table.loc["shortest first", "all", "all", "wait", "mean"]
    >>> round(row.difference), bool(row.coincidence_low > 0)
    (2860, True)
    """
    where = f"{workload.name}: compare"
    check_names(where, policies, least=2)
    if base is not None and base not in policies:
        raise ValueError(f"{where}: found base={base!r}, expected one of {', '.join(map(str, policies))}")
    whole(where, "shakes", shakes, 3, why=": two runs say next to nothing of how far a third would lie")
    check_shaking(where, seconds, seed)
    whole(where, "resamples", resamples, 1)
    whole(where, "least", least, 1)
    if not len(workload):
        raise ValueError(f"{where}: found no job, expected some")
    names = [base or next(iter(policies)), *policies]
    names = list(dict.fromkeys(names))  # the base comes first
    cases = [_case(workload, name, policies[name]) for name in names]
    groups = grouped(workload, by, least)
    index, seeds = workload.jobs.index, [None, *range(seed, seed + shakes)]
    block = block or ("month" if _months(workload) >= MANY_MONTHS else "week")
    block_of = blocks(workload, block)
    drawn = cluster_draws(int(block_of.max(initial=0)) + 1, resamples, seed).T[:, 1:]
    tasks = [
        (cases, index, groups, block_of, drawn[:, run :: len(seeds)], seconds, each, overrun)
        for run, each in enumerate(seeds)
    ]
    replications = sweep(_replication, tasks, executor, label="runs")
    runs = np.array([run.statistics for run in replications])  # runs, cases, rows, measures, statistics
    years = _years(replications, groups, block_of, drawn)
    table, relative = (_table(names, groups, runs, years, share) for share in (False, True))
    settings = {"shakes": shakes, "seconds": seconds, "seed": seed, "resamples": resamples, "block": block}
    settings |= {"blocks": len(drawn), "overrun": overrun}
    said = {case.name: case.said for case in cases}
    return Comparison(workload, said, table, relative, settings)


def _months(workload: Workload) -> int:
    """How many months a log has; none where it has no calendar."""
    return int(blocks(workload, "month").max()) + 1 if workload.start is not None else 0


class _Case(NamedTuple):
    """A policy on the workload with its estimates."""

    name: str
    said: str
    policy: Policy
    workload: Workload


def _case(workload: Workload, name: str, given: Case) -> _Case:
    """Make of a policy, and perhaps its estimates, what is to be simulated."""
    policy, how = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    changed, said = workload, str(policy)
    if isinstance(how, str) or type(how).__module__ == estimates.__name__:
        changed = workload.with_estimates(how)  # type: ignore[arg-type]
        said += f", estimates: {how}"
    elif how is not None:
        changed = how(workload)
        said += ", " + "; ".join(getattr(changed, "history", ())[len(workload.history) :])
    kept = isinstance(changed, Workload) and changed.procs == workload.procs
    if not (kept and changed.jobs.index.sort_values().equals(workload.jobs.index.sort_values())):
        raise ValueError(
            f"{workload.name}: compare: {name}: found {changed!r}, expected the same jobs on the same machine: "
            "a policy, or a policy and its estimates, a name such as 'exact' or a function of the workload"
        )
    if is_own(policy) and hasattr(policy, "prepare"):  # once for all runs
        policy = policy.prepare(changed.jobs)
    return _Case(name, said, policy, changed)


class _Run(NamedTuple):
    """One replication of all cases, by case, row and measure: `statistics`, `sums` by block, `drawn` percentiles."""

    statistics: Floats
    sums: Floats
    drawn: Floats


def _replication(
    cases: list[_Case],
    index: pd.Index,
    groups: Groups,
    block: Ints,
    drawn: Ints,
    seconds: int,
    seed: int | None,
    overrun: str,
) -> _Run:
    """Simulate all cases on the log as it is, or shaken with a seed, and measure them; some made-up years of them."""
    rows, of_cases = len(groups.jobs), []
    for schedule in schedules([(case.workload, case.policy) for case in cases], seconds, seed, overrun):
        found = []
        for values in _values(schedule, index):
            order = np.argsort(values)
            percentiles = resampled(values, groups.code, rows, block, drawn, order)[:, 1:]
            sums = block_sums(values, groups.code, rows, block, len(drawn))
            found.append((by_group(values, groups.code, groups.jobs, order), sums, percentiles))
        of_cases.append([np.stack(each, axis=1) for each in zip(*found, strict=True)])
    return _Run(*(np.array(each) for each in zip(*of_cases, strict=True)))


def _values(schedule: Schedule, index: pd.Index) -> Floats:
    """The measures of each job, in the order of an index: shape (measures, jobs)."""
    values = np.array([schedule.column(measure) for measure in MEASURES], float)
    own = schedule.workload._jobs.index
    return values if own.equals(index) else np.take(values, places(own, index), axis=1)


def places(own: pd.Index, index: pd.Index) -> Ints:
    """Find where each job of an index stands in another index of the same jobs."""
    keys, wanted = own.to_numpy(), index.to_numpy()  # pandas' own search is not made for several threads at once
    by_key = np.argsort(keys, kind="stable")
    return by_key[np.searchsorted(keys, wanted, sorter=by_key)]


def _years(runs: Sequence[_Run], groups: Groups, block: Ints, drawn: Ints) -> Floats:
    """All statistics in the years that are made up, by (case, row, measure, statistic, year); nan of too few weeks.

    They have the centre of the differences themselves: means are over all runs, and percentiles of each run in turn.
    """
    jobs = block_sums(None, groups.code, len(groups.jobs), block, len(drawn))
    sums = np.mean([run.sums for run in runs], axis=0)
    with np.errstate(invalid="ignore"):
        means = (sums @ drawn) / np.rint(jobs @ drawn)[:, None]
    percentiles = np.concatenate([run.drawn for run in runs], axis=-1)
    years: Floats = np.concatenate([means[..., None, :], percentiles], axis=-2)
    years[:, (jobs > 0).sum(axis=1) < FEWEST_BLOCKS] = np.nan
    return years


def _table(names: Sequence[str], groups: Groups, runs: Floats, years: Floats, relative: bool) -> pd.DataFrame:
    """The differences of all policies from the first, as they are or as shares of the base: see `Comparison`."""
    mean = runs.mean(axis=0)
    difference = _differences(mean[:1], mean[1:], relative)
    if relative:
        difference = np.where(mean[:1] == 0, np.nan, difference)
    coincidence = interval_around(difference, np.moveaxis(_differences(runs[:, :1], runs[:, 1:], relative), 0, -1))
    year = [
        interval_around(each, _differences(years[0], of, relative))
        for each, of in zip(difference, years[1:], strict=True)
    ]
    another_year = np.array(year)
    columns = {
        "jobs": groups.jobs[:, None, None],
        "base": mean[:1],
        "value": mean[1:],
        "difference": difference,
        "coincidence_low": coincidence[..., 0],
        "coincidence_high": coincidence[..., 1],
        "another_year_low": another_year[..., 0],
        "another_year_high": another_year[..., 1],
    }
    shape = mean[1:].shape
    return pd.DataFrame(
        {name: np.broadcast_to(column, shape).ravel() for name, column in columns.items()},
        _index(names[1:], groups, shape),
    )


def _index(names: Sequence[str], groups: Groups, shape: tuple[int, ...]) -> pd.MultiIndex:
    """The index of a table, made so that pandas knows it is sorted: else every look into it warns."""
    case, row, measure, statistic = (each.ravel() for each in np.indices(shape))
    by, group = (groups.index.get_level_values(level) for level in ("by", "group"))
    ways, called = by.unique(), sorted(group.unique(), key=_as_people_sort)
    codes = [case, ways.get_indexer(by)[row], pd.Index(called).get_indexer(group)[row], measure, statistic]
    levels: list[Any] = [names, ways, called, MEASURES, STATISTICS]
    return pd.MultiIndex(levels, codes, names=["policy", "by", "group", "measure", "statistic"])


def _as_people_sort(name: str) -> tuple[int, str]:
    """Sort by the number that a name begins with: user 10 after user 9, sizes 5-8 after 3-4."""
    number = re.match(r"\d+", name)
    return (int(number[0]) if number else -1, name)


def _differences(base: Floats, other: Floats, relative: bool) -> Floats:
    """How much more there is than of the base; as a share of it."""
    return change(base, other) if relative else other - base
