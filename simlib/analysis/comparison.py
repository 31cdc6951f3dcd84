"""Compare policies on one log: how much they differ, for which jobs, and how sure this is."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from .._util import checks
from .._util.arrays import STATISTICS, Codes, Floats, Ints, block_sums, resampled
from .._util.words import duration, of_any_unit, per_cent
from ..core.schedule import Schedule
from ..core.threads import sweep
from ..core.workload import Workload, check_shaking
from .cases import Case, Made, made, named
from .replicate import BY, Groups, Measure, by_name, grouped, of_jobs, places, schedules
from .stats import FEWEST_RUNS, PARTS, change, intervals, other_logs, relative_intervals

INTERVALS = ("coincidence", "another_year")

OTHER_USERS = "other_users"
"""The third interval, where it is asked for."""

HEADLINES = [("wait", "mean"), ("wait", "median"), ("wait", "95th"), ("response", "mean"), ("bounded_slowdown", "mean")]
"""What is said first: measures and statistics; of other measures the means."""

IN_SECONDS = ("wait", "response", "run", "estimate")
"""Measures that are lengths of time."""

HELD = "84 to 99 of 100 such changes of means where policies differ, mostly 95, and 82 to 95 where luck alone does"
"""How often another year's interval holds one, on made-up logs of 3 months and more: docs/background/intervals.md."""

MEANING = (
    "Two intervals stand beside each difference. Coincidence: the log and {shakes} shaken runs of it, in which "
    "submit times are moved at random by up to {seconds} s, say where one more such run would lie; what is inside may "
    "be luck. Another year: five consecutive parts of the log say where another time as long as this one, of the same "
    f"users on the same machine, would lie. On made-up logs it held {HELD}."
)
"""Of the two intervals, for readers."""

_OTHERS = (
    " Other users: {users} logs are drawn from the users of this one; by how much the difference varies over them says "
    "where another log as long, of other such users, would lie. On logs of made-up users it held 85 to 96 of 100 such "
    "changes of means, mostly 91: docs/background/intervals.md."
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
    """The result of `simlib.compare`: how much policies differ on a log, for which jobs, and how sure this is.

    Attributes
    ----------
    workload : Workload
    policies : dict of str to str
        A description of each policy, by name; the first is the base.
    table : DataFrame
        One row for each `policy`, `by`, `group`, `measure` (by default "wait", "response", in seconds, and
        "bounded_slowdown") and `statistic` ("mean", "median", "95th", "99th"). Columns: `jobs`, the number of jobs in
        the group; `base`, `value` and `difference`, means over the unchanged log and the shaken runs;
        `coincidence_low` and `coincidence_high`, `another_year_low` and `another_year_high`, the intervals of the
        difference (see `simlib.compare`), nan if not known.
    relative : DataFrame
        The same with differences as shares of the base; nan if the base is zero.
    settings : dict
        `shakes`, `seconds`, `seed`, `overrun`, `users`.
    taking_part : DataFrame
        One row for each `policy`, with numbers of jobs: in `both` the case and the base (the differences are over
        these), in the `base only`, in the `case only`, and those whose run time is `shorter` than under the base.

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
    taking_part: pd.DataFrame = field(repr=False)

    @property
    def base(self) -> str:
        """The policy with which the others are compared."""
        return next(iter(self.policies))

    @property
    def others(self) -> list[str]:
        """The other policies."""
        return list(self.policies)[1:]

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The differences that are shown and judged: shares of the base, or absolute ones if the base is zero."""
        return self.relative.where(self.relative.difference.notna(), self.table)

    @property
    def intervals(self) -> list[str]:
        """The names of the intervals."""
        return [*INTERVALS, *([OTHER_USERS] if f"{OTHER_USERS}_low" in self.table else [])]

    @property
    def meaning(self) -> str:
        """An explanation of the intervals for readers."""
        return (MEANING + _OTHERS * (OTHER_USERS in self.intervals)).format(**self.settings)

    @property
    def by(self) -> list[str]:
        """The ways in which the jobs are divided into groups."""
        return list(self.table.index.unique("by"))

    @property
    def measures(self) -> list[str]:
        """What is measured of each job."""
        return list(self.table.index.unique("measure"))

    def overview(self, by: str = "all", headlines: list[tuple[str, str]] | None = None) -> pd.DataFrame:
        """Write the differences as a table for readers: one row per policy, group and measure.

        Parameters
        ----------
        by : str
        headlines : list of (measure, statistic), optional
            By default means, of waits the median and the 95th percentile, too.

        Returns
        -------
        DataFrame of str
            The base's value, the policy's value, the change in per cent, its intervals, and whether it holds.

        Examples
        --------
        >>> import simlib
        >>> policies = {"EASY": simlib.EASY(), "same": simlib.EASY()}
        >>> found = simlib.compare(simlib.load("sample"), policies, shakes=4, by=["all"])
        >>> found.overview(headlines=[("wait", "mean")]).iloc[0].to_list()
        ['2.4 h', '2.4 h', '+0.0 %', '+0.0 to +0.0 %', '+0.0 to +0.0 %', 'equal']
        """
        rows = {}
        if headlines is None:
            headlines = [each for each in HEADLINES if each[0] in self.measures]
            headlines += [(measure, "mean") for measure in self.measures if measure not in MEASURES]
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
            If the jobs are not divided in this way.

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
        if not row.jobs:  # which both have
            return ["no job"] * (4 + len(self.intervals))
        as_said = _writer(key[3])
        said, unit = (per_cent, " %") if row.base else (as_said, "")
        ends = [range_of(row, name, said, unit) for name in self.intervals]
        return [as_said(row.base), as_said(row.value), said(row.difference), *ends, HOLDS[holds(row)]]

    def who(
        self, policy: str | None = None, by: str = "user", measure: str | None = None, statistic: str = "mean"
    ) -> pd.DataFrame:
        """Rank groups by their loss: the group whose measure grows most comes first.

        Parameters
        ----------
        policy : str, optional
            By default the first that is not the base.
        by, statistic : str
        measure : str, optional
            By default the first.

        Returns
        -------
        DataFrame
            One row for each group of the jobs in both: the columns of `table`; `relative`, the difference as a share of
            the base; `holds`: see the function `holds`.

        Raises
        ------
        ValueError
            For a policy that was not compared with the base; if the jobs are not divided in this way.

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
        key = policy, by, slice(None), measure or self.measures[0], statistic
        table = self.table.loc[key, :].droplevel([0, 1, 3, 4])
        table["relative"] = self.relative.loc[key, :].difference.to_numpy()
        table["holds"] = [holds(row) for row in self.shown.loc[key, :].itertuples()]
        return table[table.jobs > 0].sort_values("difference", ascending=False, kind="stable")

    def __repr__(self) -> str:
        lines = [f"<Comparison on {self.workload.name}, {len(self.workload):,} jobs, with {self.base}"]
        lines += [self.overview().to_string(), *self._left_out(), *self._losers()]
        return "\n".join(lines) + ">"

    def _left_out(self) -> list[str]:
        """A sentence on each case whose jobs are not those of the base."""
        named = {"base only": f"take part under {self.base} only", "case only": "take part here only"}
        named |= {"shorter": f"run shorter than under {self.base}"}
        sentences = []
        for policy, row in self.taking_part.iterrows():
            counts = [f"{row[column]:,} {what}" for column, what in named.items() if row[column]]
            if counts:
                sentences.append(f"{policy}: {row['both']:,} jobs compared; {', '.join(counts)}")
        return sentences

    def _losers(self) -> list[str]:
        """A sentence on each policy: which user loses most, or which group of the last way to divide the jobs."""
        by = "user" if "user" in self.by else self.by[-1]
        said, called = _writer(self.measures[0]), self.measures[0].replace("_", " ")
        sentences = []
        for policy in self.others if by != "all" else []:
            table = self.who(policy, by)
            clear = table[table.holds != "coincidence"]
            lose, gain = clear[clear.difference > 0], clear[clear.difference < 0]
            sentence = f"{policy}: {len(lose)} of {len(table)} {by}s lose and {len(gain)} gain beyond coincidence"
            if len(lose):
                most = lose.iloc[0]
                sentence += f"; {by} {most.name} loses most: mean {called} {said(most.base)} -> {said(most.value)}"
            sentences.append(sentence)
        return sentences

    def _repr_html_(self) -> str:
        """Show the same text in notebooks."""
        title = f"<p><b>{escape(self.workload.name)}</b>, {len(self.workload):,} jobs, with {escape(self.base)}</p>"
        ends = "".join(f"<p>{escape(sentence)}.</p>" for sentence in [*self._left_out(), *self._losers()])
        return title + self.overview().to_html() + ends + f"<p>{escape(self.meaning)}</p>"


def holds(row: Any) -> str:
    """Tell how reliable a row of `Comparison.shown` is, by its two intervals."""
    if row.coincidence_low == row.coincidence_high == row.difference == 0:
        return "equal"
    if not (row.coincidence_low > 0 or row.coincidence_high < 0):
        return "coincidence"
    same = row.another_year_low > 0 if row.coincidence_low > 0 else row.another_year_high < 0
    return "another year" if same else "this log"


def _writer(measure: str) -> Callable[[float], str]:
    """How the values of a measure are written."""
    return duration if measure in IN_SECONDS else "{:,.1f}".format if measure in MEASURES else of_any_unit


def range_of(row: Any, interval: str, said: Any, unit: str = "") -> str:
    """Write an interval of a row of `Comparison.shown`; its lower end goes without the unit."""
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


def compare(
    workload: Workload,
    policies: Mapping[str, Case] | list[Case],
    base: str | None = None,
    shakes: int = 20,
    seconds: int = 60,
    seed: int = 0,
    by: Sequence[str] = BY,
    least: int = 30,
    overrun: str = "extend",
    executor: Any = None,
    users: int = 0,
    measures: Sequence[str] | Mapping[str, str | Measure] = MEASURES,
) -> Comparison:
    """Compare policies on a log, overall and for groups of jobs, with two or three intervals for each difference.

    *Coincidence*: the log is shaken, as by `simlib.replicate`, and a policy is compared with the base run by run, with
    the same submit times. The interval is Student's prediction interval for one more such run. A difference inside may
    be a coincidence of submit times.

    *Another year*: the log is cut into five consecutive parts of equal length. The change of the difference when one
    part is left out shows how much it would differ on another log of the same length, with the same users and machine.
    The variation of one more run is added. The interval is for another log, not for the mean of all logs. It does not
    cover changes that the log itself does not contain. It is not known (nan) for a log of less than five weeks, for a
    group without jobs in one of the parts, and if all waiting jobs are in one part.

    *Other users*, if `users` is not 0: so many logs are drawn from the users of this one, as by
    `simlib.models.users.resample_users`. The variation of the difference over them shows how much this log and another
    of the same length may differ, because each could have had other users. It covers the influence of a few users,
    which another year does not. It does not cover what users have in common, and is not known for single users and
    months.

    The intervals of relative differences are computed on a logarithmic scale. We measured their coverage on synthetic
    logs of 12 and of 40 independent, heavy-tailed weeks at loads of 0.60 to 0.97. Coincidence from five shaken runs
    covered 86 to 97 % of further runs, mostly 93 %. Another year covered the change of a mean on another log in 84 to
    99 % of all cases, mostly 95 %, if policies differ. If only chance makes a difference, it covered 82 to 95 %, mostly
    86 %. Its coverage of percentiles is not known.

    On logs of synthetic users, of 12 and of 40 weeks at mean loads of 0.60 to 0.85, other users from ten draws covered
    the change of a mean on another log, with newly drawn users, in 85 to 96 % of all cases, mostly 91 %, least at the
    highest load. Another year covered it in 71 to 97 %, mostly 86 %.

    Estimates that a model draws are drawn once: no interval covers their chance.

    Parameters
    ----------
    workload : Workload
    policies : dict or list
        By name: a policy, such as `EASY()`; or a policy and changes of the log, such as `(EASY(), "exact")`. A change
        is the name of estimates, a model from `simlib.estimates`, or a function that makes another Workload of one: on
        another machine, with fewer jobs or shorter ones; jobs keep their labels. `simlib_report.what_if` makes such
        cases from a few words. The difference between a case and the base is over the jobs that take part in both.
        Those of a list, such as `[EASY(), FCFS()]`, are called as they are written.
    base : str
        The policy with which the others are compared; by default the first.
    shakes, seconds, seed : int
        The number of shaken runs (at least four), the largest shift in seconds, and the first seed.
    by : sequence of str
        The ways to divide jobs into groups, out of `simlib.analysis.replicate.BY`. All jobs together are always a
        group.
    least : int
        The fewest jobs of a group; all jobs together may be fewer.
    overrun : {"extend", "kill"}
        As for `simulate`.
    executor : concurrent.futures.Executor, optional
        By default threads, see `simlib.sweep`.
    users : int
        The number of logs of other users, 0 or at least five; each needs a run of every policy. A case's estimates are
        made for each draw, whose jobs are numbered again.
    measures : sequence of str, or dict
        Names of columns of `Schedule.jobs`, such as "wait"; or a dict that has, by the name of the measure, such a
        column, or a function of the schedule that gives one number for each job, as for `simlib.replicate`.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If there is no second policy, or two have one name; for an unknown base, fewer than four shaken runs or another
        setting out of range; for an unknown measure, or one that is not of each job; for a case that has no job in
        common with the base; with `users` as from `resample_users`; as from `simulate`.
    TypeError
        For an object that is no policy, such as the class `EASY` in place of `EASY()`.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "shortest first": simlib.EASY(order="sjf")}
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=5, by=["all"])
    >>> row = found.relative.loc["shortest first", "all", "all", "bounded_slowdown", "mean"]
    >>> round(float(row.difference), 2), bool(row.coincidence_high < 0), bool(row.another_year_high < 0)
    (-0.47, True, False)

    A measure of your own, and who loses by it:

    >>> def per_hour(schedule):
    ...     return schedule.column("wait") / (schedule.column("estimate") / 3600)
    >>> found = simlib.compare(simlib.load("sample"), policies, shakes=5, by=["size"], measures={"per hour": per_hour})
    >>> found.who(by="size").index[0]
    '1'
    """
    where = f"{workload.name}: compare"
    policies = named(where, policies, least=2)
    if base is not None and base not in list(policies):
        raise ValueError(f"{where}: found base={base!r}, expected one of {', '.join(map(str, policies))}")
    checks.whole(
        where, "shakes", shakes, FEWEST_RUNS - 1, why=": fewer say next to nothing of how far another would lie"
    )
    check_shaking(where, seconds, seed)
    checks.whole(where, "least", least, 1)
    checks.whole(where, "users", users, 0)
    of_each_job = by_name(where, measures)
    if 0 < users < FEWEST_RUNS:
        raise ValueError(f"{where}: found users={users}, expected 0, or at least {FEWEST_RUNS} draws that can differ")
    if not len(workload):
        raise ValueError(f"{where}: found no job, expected some")
    names = [base or next(iter(policies)), *policies]
    names = list(dict.fromkeys(names))  # the base comes first
    cases = [made(workload, name, policies[name]) for name in names]
    groups, part = grouped(workload, by, least), parts(workload)
    codes = _codes(cases, workload, groups)
    of_parts = np.array([block_sums(None, code, len(groups.jobs), part, PARTS) for code in codes])
    if not (common := of_parts[:, 0].any(axis=1)).all():
        alone = names[1 + int(np.argmin(common))]
        raise ValueError(f"{where}: found no job that is in {names[0]} and in {alone}, expected some")
    seeds = [None, *range(seed, seed + shakes)]
    shared = cases, workload, codes, len(groups.jobs), of_each_job, (part, WITHOUT), seconds
    tasks = [(*shared, each, overrun) for each in seeds]
    runs = np.array(sweep(_pairs, tasks, executor, label="runs"))
    levels = names[1:], groups, list(of_each_job)
    table, relative = (_table(levels, runs, of_parts, share) for share in (False, True))
    if users:
        given = {name: policies[name] for name in names}
        draws = [(workload, given, groups, of_each_job, each, overrun) for each in range(seed, seed + users)]
        of_users = np.array(sweep(_of_other_users, draws, executor, label="draws of users"))
        of_users[:, :, :, groups.index.get_level_values("by").isin(OF_THIS_LOG)] = np.nan
        for of_log, share in ((table, False), (relative, True)):
            of_log[[f"{OTHER_USERS}_low", f"{OTHER_USERS}_high"]] = _other_users(of_log.difference, of_users, share)
    settings = {"shakes": shakes, "seconds": seconds, "seed": seed, "overrun": overrun, "users": users}
    said = {case.name: case.said for case in cases}
    return Comparison(workload, said, table, relative, settings, _taking_part(cases))


def _taking_part(cases: list[Made]) -> pd.DataFrame:
    """Count the jobs in a case and the base, in only one of them, and with a shorter run time in the case."""
    base, *others = cases
    runs = base.workload.jobs.run
    rows = {}
    for case in others:
        here = case.workload.jobs.run
        of_base = runs.reindex(here.index)
        both = int(of_base.notna().sum())
        rows[case.name] = [both, len(runs) - both, len(here) - both, int((here < of_base).sum())]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["both", "base only", "case only", "shorter"])
    return table.rename_axis("policy")


def parts(workload: Workload) -> Ints:
    """Number the consecutive parts of a log, each as long as the others, in which its jobs were submitted."""
    submit = workload.jobs.submit.to_numpy()
    length = max(-(-(submit[-1] + 1 - submit[0]) // PARTS), SHORTEST)
    return (submit - submit[0]) // length


def _codes(cases: list[Made], log: Workload, groups: Groups) -> list[Codes]:
    """The groups of the jobs of each pair, of a case and the base; other jobs are in none. Equal ones are one array."""
    base, *others = (log.jobs.index.isin(case.workload.jobs.index) for case in cases)
    pairs = [base & each for each in others]
    codes = {
        pair.tobytes(): groups.code if pair.all() else np.where(pair[:, None], groups.code, np.int32(-1))
        for pair in pairs
    }
    return [codes[pair.tobytes()] for pair in pairs]


def _pairs(
    cases: list[Made],
    log: Workload,
    codes: list[Codes],
    rows: int,
    measures: Mapping[str, str | Measure],
    drawing: tuple,
    seconds: int,
    seed: int | None,
    overrun: str,
) -> Floats:
    """Simulate all cases on a log, unchanged or shaken with a seed: statistics of the jobs in a case and the base.

    Dimensions: other case, base and case, row, measure, statistic, left-out part (first none).
    """
    made_of = [(case.workload, case.policy) for case in cases]
    of_log = map(
        partial(_values, index=log.jobs.index, measures=measures), schedules(log, made_of, seconds, seed, overrun)
    )
    base = list(next(of_log))
    of_base: dict[int, list[Floats]] = {}  # by the jobs of a pair, which most have in common
    pairs = []
    for code, values in zip(codes, of_log, strict=True):
        if id(code) not in of_base:
            of_base[id(code)] = [resampled(each, code, rows, *drawing) for each in base]
        pairs.append((of_base[id(code)], [resampled(each, code, rows, *drawing) for each in values]))
    return np.array(pairs).swapaxes(2, 3)


def _of_other_users(
    workload: Workload,
    policies: Mapping[str, Case],
    groups: Groups,
    measures: Mapping[str, str | Measure],
    seed: int,
    overrun: str,
) -> Floats:
    """Simulate all cases on a log drawn from the users of one: the result of `_pairs`, with no part left out."""
    from ..models import users  # seldom needed

    other, place = users.resampled(workload, seed)
    cases = [made(other, name, given) for name, given in policies.items()]
    codes = _codes(cases, other, replace(groups, code=groups.code[place]))
    once = np.zeros(len(place), np.int64), np.ones((1, 1), int)
    return _pairs(cases, other, codes, len(groups.jobs), measures, once, 0, None, overrun)[..., 0]


def _other_users(difference: pd.Series, draws: Floats, relative: bool) -> Floats:
    """The interval of other users for each row of a table, from draws by case, row, measure and statistic."""
    base, value = (draws[:, :, side].reshape(len(draws), -1).T for side in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        if relative:
            return np.expm1(other_logs(np.log1p(difference.to_numpy()), np.log1p(change(base, value))))
        return other_logs(difference.to_numpy(), value - base)


def _values(schedule: Schedule, index: pd.Index, measures: Mapping[str, str | Measure]) -> Iterator[Floats]:
    """Give one measure of each job after another, in the order of an index, nan for jobs that take no part.

    One after another, as the schedules are: a log may have millions of jobs.
    """
    own = schedule.workload._jobs.index
    place = slice(None) if own.equals(index) else places(index, own)
    for name, measure in measures.items():
        values = np.full(len(index), np.nan)
        values[place] = of_jobs("compare", schedule, name, measure)
        yield values


def _table(levels: tuple[list[str], Groups, list[str]], runs: Floats, of_parts: Floats, relative: bool) -> pd.DataFrame:
    """The differences of all cases from the first, absolute or as shares of the base: see `Comparison`.

    `of_parts` is how many jobs of a case and the base each group has in each part of the log.
    """
    mean = runs.mean(axis=0)
    (base, value), (base_without, value_without) = (
        (each[:, 0], each[:, 1]) for each in (np.moveaxis(runs[..., 0], 0, -1), mean[..., 1:])
    )
    if relative:
        found = relative_intervals(base, value, base_without, value_without)
    else:
        found = intervals(value - base, value_without - base_without)
    found[of_parts.min(axis=2) == 0, ..., 3:] = np.nan
    mean = mean[..., 0]
    columns = {
        "jobs": of_parts.sum(axis=2).astype(int)[..., None, None],
        "base": mean[:, 0],
        "value": mean[:, 1],
        "difference": found[..., 0],
        "coincidence_low": found[..., 1],
        "coincidence_high": found[..., 2],
        "another_year_low": found[..., 3],
        "another_year_high": found[..., 4],
    }
    shape = mean[:, 1].shape
    return pd.DataFrame(
        {name: np.broadcast_to(column, shape).ravel() for name, column in columns.items()},
        _index(*levels, shape),
    )


def _index(names: list[str], groups: Groups, measures: list[str], shape: tuple[int, ...]) -> pd.MultiIndex:
    """The index of a table, made so that pandas knows that it is sorted; else every look-up warns."""
    case, row, measure, statistic = (each.ravel() for each in np.indices(shape))
    by, group = (groups.index.get_level_values(level) for level in ("by", "group"))
    ways, called = by.unique(), sorted(group.unique(), key=_as_people_sort)
    codes = [case, ways.get_indexer(by)[row], pd.Index(called).get_indexer(group)[row], measure, statistic]
    levels: list[Any] = [names, ways, called, measures, STATISTICS]
    return pd.MultiIndex(levels, codes, names=["policy", "by", "group", "measure", "statistic"])


def _as_people_sort(name: str) -> tuple[int, str]:
    """Sort by the number at the beginning of a name: user 10 after user 9, sizes 5-8 after 3-4."""
    number = re.match(r"\d+", name)
    return (int(number[0]) if number else -1, name)
