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
from ..core.percentiles import STATISTICS, block_sums, resampled
from ..core.policy import Policy, check_names
from ..core.schedule import Schedule, is_own
from ..core.sweeps import sweep
from ..core.workload import Workload, check_shaking
from ..models import users as users_of
from .replicate import BY, Groups, grouped, schedules
from .stats import FEWEST_RUNS, PARTS, change, intervals, other_logs, relative_intervals

INTERVALS = ("coincidence", "another_year")

OTHER_USERS = "other_users"
"""The third interval, where it is asked for."""

HEADLINES = [("wait", "mean"), ("wait", "median"), ("wait", "95th"), ("response", "mean"), ("bounded_slowdown", "mean")]
"""What is said first: measures and statistics."""

HELD = "84 to 99 of 100 such changes of means where policies differ, mostly 95, and 82 to 95 where luck alone does"
"""How often another year's interval holds one, on made-up logs of three months and more: tests/torture/intervals.py."""

MEANING = (
    "Two intervals stand beside each difference. Coincidence: the log and {shakes} shaken runs of it, in which every "
    "submission is moved at random by up to {seconds} s, say where one more such run would lie; what is inside may be "
    "luck. Another year: five consecutive parts of the log say where another time as long as this one, of the same "
    f"users on the same machine, would lie. On made-up logs it held {HELD}."
)
"""Of the two intervals, for readers."""

_OTHERS = (
    " Other users: {users} logs are drawn from the users of this one; by how much the difference varies over them says "
    "where another log as long, of other such users, would lie. On logs of made-up users it held 85 to 96 of 100 such "
    "changes of means, mostly 91: tests/torture/users.py."
)
"""Of the third."""

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
        `another_year_high`, the intervals of the difference: see `simlib.compare`. nan where one is not known.
    relative : DataFrame
        The same with differences as shares of the base; nan where that is nought.
    settings : dict
        `shakes`, `seconds`, `seed`, `overrun`, `users`.

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
    def intervals(self) -> list[str]:
        """The names of the intervals."""
        return [*INTERVALS, *([OTHER_USERS] if f"{OTHER_USERS}_low" in self.table else [])]

    @property
    def meaning(self) -> str:
        """What the intervals are, for readers."""
        return (MEANING + _OTHERS * (OTHER_USERS in self.intervals)).format(**self.settings)

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
            The base's value, the policy's, the change in per cent, its intervals, and whether it holds.

        Examples
        --------
        >>> import simlib
        >>> policies = {"EASY": simlib.EASY(), "same": simlib.EASY()}
        >>> found = simlib.compare(simlib.load("sample"), policies, shakes=4, by=["all"])
        >>> found.overview(headlines=[("wait", "mean")]).iloc[0].to_list()
        ['2.4 h', '2.4 h', '+0.0 %', '+0.0 to +0.0 %', '+0.0 to +0.0 %', 'equal']
        """
        rows = {}
        for policy in self.others:
            for group in self.groups(by):
                for measure, statistic in headlines:
                    key = policy, by, group, measure, statistic
                    rows[policy, group, f"{statistic} {measure}".replace("_", " ")] = self._said(key)
        columns = ["base", "value", "change", *(name.replace("_", " ") for name in self.intervals), "holds"]
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
        >>> simlib.compare(simlib.load("sample"), policies, shakes=4, by=["all", "month"]).groups("month")
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
        ends = [_range(row, name, said, unit) for name in self.intervals]
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
        return title + self.overview().to_html() + ends + f"<p>{escape(self.meaning)}</p>"


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

SHORTEST = 13 * 86400 // 2
"""Seconds that a part of a log has at least: of logs of less than five weeks another year is not known."""

OF_THIS_LOG = ("month", "user")
"""Ways to divide jobs whose groups other users do not have."""

WITHOUT = np.column_stack([np.ones(PARTS, int), 1 - np.eye(PARTS, dtype=int)])
"""How often each part of a log counts: all of them once, then without one after another."""

Case = Policy | tuple[Policy, str | Callable]
"""A policy, or a policy and the estimates that it has: see `compare`."""


def compare(
    workload: Workload,
    policies: Mapping[str, Case],
    base: str | None = None,
    shakes: int = 20,
    seconds: int = 60,
    seed: int = 0,
    by: Sequence[str] = BY,
    least: int = 30,
    overrun: str = "extend",
    executor: Any = None,
    users: int = 0,
) -> Comparison:
    """Compare policies on a log, overall and for groups of jobs, with two intervals for each difference, or three.

    *Coincidence*: the log is shaken, as by `simlib.replicate`, and a policy held against the base run by run, with the
    same submit times. The interval is Student's for one more such run: what is inside may be luck of the second.

    *Another year*: the log is cut into five consecutive parts of equal length. How much the difference moves when one
    of them is left out says how far another log as long, of the same users on the same machine, would be off; to this
    comes what one more run moves. It is an interval for another log, not for the mean of all. It cannot know what is
    unlike all of the log, and is not known (nan) for a log of less than five weeks, for a group without
    jobs in one of the parts, and where all that waits is in one part.

    *Other users*, where `users` is not 0: so many logs are drawn from the users of this one, as by
    `simlib.models.users.resample_users`. How much the difference varies over them says how far this log and another as
    long, each of users who might as well have been others, are off. It knows what hangs on few users, which another
    year does not; it cannot know what users have in common, and is not known for single users and months.

    Of relative differences all are found on the scale of logarithms. On made-up logs of 12 and of 40 independent,
    heavy-tailed weeks at loads of 0.60 to 0.97 coincidence from five shaken runs held 86 to 97 % of further runs,
    mostly 93. Another year held the change of a mean on another log in 84 to 99 % of all cases, mostly 95, where
    policies differ, and in 82 to 95 %, mostly 86, where luck alone does, for one log's luck is not another's. How often
    it holds percentiles is not known.

    On logs of made-up users, of 12 and of 40 weeks at mean loads of 0.60 to 0.85, other users from ten draws held the
    change of a mean on another log, of users drawn anew, in 85 to 96 % of all cases, mostly 91, least at the highest
    load; another year held it in 71 to 97 %, mostly 86.

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
        How many shaken runs, at least four, by how many seconds, from which seed on.
    by : sequence of str
        How jobs are divided into groups: out of `simlib.analysis.replicate.BY`. All jobs together are always there.
    least : int
        How many jobs a group has at least; all jobs together may be fewer.
    overrun : {"extend", "kill"}
        As for `simulate`.
    executor : concurrent.futures.Executor, optional
        By default threads, see `simlib.sweep`.
    users : int
        How many logs of other users are drawn, none or at least five; each costs a run of every policy. Estimates of a
        case are then made of each draw, whose jobs are numbered anew.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        For no second policy, a base that is none of them, fewer than four shaken runs or another setting out of range,
        or estimates that do not keep the jobs; with `users` as from `resample_users`; as from `simulate`.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "shortest first": simlib.EASY(order="sjf")}
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=5, by=["all"])
    >>> row = found.relative.loc["shortest first", "all", "all", "bounded_slowdown", "mean"]
    >>> round(float(row.difference), 2), bool(row.coincidence_high < 0), bool(row.another_year_high < 0)
    (-0.48, True, False)
    """
    where = f"{workload.name}: compare"
    check_names(where, policies, least=2)
    if base is not None and base not in policies:
        raise ValueError(f"{where}: found base={base!r}, expected one of {', '.join(map(str, policies))}")
    whole(where, "shakes", shakes, FEWEST_RUNS - 1, why=": fewer say next to nothing of how far another would lie")
    check_shaking(where, seconds, seed)
    whole(where, "least", least, 1)
    whole(where, "users", users, 0)
    if 0 < users < FEWEST_RUNS:
        raise ValueError(f"{where}: found users={users}, expected 0, or at least {FEWEST_RUNS} draws that can differ")
    if not len(workload):
        raise ValueError(f"{where}: found no job, expected some")
    names = [base or next(iter(policies)), *policies]
    names = list(dict.fromkeys(names))  # the base comes first
    cases = [_case(workload, name, policies[name]) for name in names]
    groups = grouped(workload, by, least)
    index, seeds = workload.jobs.index, [None, *range(seed, seed + shakes)]
    part = parts(workload)
    everywhere = block_sums(None, groups.code, len(groups.jobs), part, PARTS).min(axis=1) > 0
    tasks = [(cases, index, groups, part, seconds, each, overrun) for each in seeds]
    runs = np.array(sweep(_replication, tasks, executor, label="runs"))
    table, relative = (_table(names, groups, runs, everywhere, share) for share in (False, True))
    if users:
        given = {name: policies[name] for name in names}
        draws = [(workload, given, groups, each, overrun) for each in range(seed, seed + users)]
        of_users = np.array(sweep(_of_other_users, draws, executor, label="draws of users"))
        of_users[:, :, groups.index.get_level_values("by").isin(OF_THIS_LOG)] = np.nan
        for of_log, share in ((table, False), (relative, True)):
            of_log[[f"{OTHER_USERS}_low", f"{OTHER_USERS}_high"]] = _other_users(of_log.difference, of_users, share)
    settings = {"shakes": shakes, "seconds": seconds, "seed": seed, "overrun": overrun, "users": users}
    said = {case.name: case.said for case in cases}
    return Comparison(workload, said, table, relative, settings)


def parts(workload: Workload) -> Ints:
    """Number the consecutive parts of a log, each as long as the others, in which its jobs were submitted."""
    submit = workload.jobs.submit.to_numpy()
    length = max(-(-(submit[-1] + 1 - submit[0]) // PARTS), SHORTEST)
    return (submit - submit[0]) // length


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


def _replication(
    cases: list[_Case], index: pd.Index, groups: Groups, part: Ints, seconds: int, seed: int | None, overrun: str
) -> Floats:
    """Simulate all cases on the log as it is, or shaken with a seed: all statistics of all jobs, and without each part.

    By case, row, measure, statistic, and what is left out: nothing, then part by part.
    """
    rows = len(groups.jobs)
    of_cases = [
        [resampled(values, groups.code, rows, part, WITHOUT) for values in _values(schedule, index)]
        for schedule in schedules([(case.workload, case.policy) for case in cases], seconds, seed, overrun)
    ]
    return np.array(of_cases).swapaxes(1, 2)


def _of_other_users(
    workload: Workload, policies: Mapping[str, Case], groups: Groups, seed: int, overrun: str
) -> Floats:
    """Simulate all cases on a log drawn from the users of one: all statistics by case, row and measure."""
    other, place = users_of.resampled(workload, seed)
    cases = [_case(other, name, given) for name, given in policies.items()]
    code, rows, once = groups.code[place], len(groups.jobs), (np.zeros(len(place), np.int64), np.ones((1, 1), int))
    of_cases = [
        [resampled(values, code, rows, *once)[..., 0] for values in _values(schedule, other.jobs.index)]
        for schedule in schedules([(case.workload, case.policy) for case in cases], 0, None, overrun)
    ]
    return np.array(of_cases).swapaxes(1, 2)


def _other_users(difference: pd.Series, draws: Floats, relative: bool) -> Floats:
    """The interval of other users for each row of a table, from draws by case, row, measure and statistic."""
    base, value = (part.reshape(len(draws), -1).T for part in np.broadcast_arrays(draws[:, :1], draws[:, 1:]))
    with np.errstate(divide="ignore", invalid="ignore"):
        if relative:
            return np.expm1(other_logs(np.log1p(difference.to_numpy()), np.log1p(change(base, value))))
        return other_logs(difference.to_numpy(), value - base)


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


def _table(names: Sequence[str], groups: Groups, runs: Floats, everywhere: np.ndarray, relative: bool) -> pd.DataFrame:
    """The differences of all policies from the first, as they are or as shares of the base: see `Comparison`."""
    mean = runs.mean(axis=0)
    of_all, without = np.moveaxis(runs[..., 0], 0, -1), mean[..., 1:]
    if relative:
        found = relative_intervals(of_all[:1], of_all[1:], without[:1], without[1:])
    else:
        found = intervals(of_all[1:] - of_all[:1], without[1:] - without[:1])
    found[:, ~everywhere, ..., 3:] = np.nan
    mean = mean[..., 0]
    columns = {
        "jobs": groups.jobs[:, None, None],
        "base": mean[:1],
        "value": mean[1:],
        "difference": found[..., 0],
        "coincidence_low": found[..., 1],
        "coincidence_high": found[..., 2],
        "another_year_low": found[..., 3],
        "another_year_high": found[..., 4],
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
