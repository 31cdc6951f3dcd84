"""What a comparison of policies found: tables, who gains and who loses, pictures, a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._util.arrays import Codes, Ints
from .._util.words import duration, per_cent
from ..core.workload import Workload

if TYPE_CHECKING:
    pass


# Divide the jobs of a workload by when they were submitted, who submitted them, where they ran and their size.


ALL = "all"

BY = (ALL, "month", "user", "group", "queue", "partition", "size")
"""How jobs can be divided: not at all, by the month of their submission, by whom and where, by size class."""

WEEK = 7 * 86400


@dataclass(frozen=True)
class Groups:
    """Say which group each job is in, for each way to divide them."""

    index: pd.MultiIndex
    code: Codes
    jobs: Ints


def grouped(workload: Workload, by: Sequence[str] = BY, least: int = 30) -> Groups:
    """Divide a workload's jobs."""
    if isinstance(by, str) or not by or not all(way in BY for way in by):
        raise ValueError(f"{workload.name}: found by={by!r}, expected a list of some of {', '.join(map(repr, BY))}")
    rows: list[tuple[str, str]] = []
    codes, sizes = [], []
    for way in dict.fromkeys([ALL, *by]):
        names, of_job = divided(workload, way)
        jobs = np.bincount(of_job[of_job >= 0], minlength=len(names))
        large = jobs >= (1 if way == ALL else least)
        if way != ALL and large.sum() < 2:
            continue
        row = np.where(large, len(rows) + np.cumsum(large) - 1, -1)
        codes.append(np.where(of_job >= 0, row[of_job], -1))
        rows += [(way, str(name)) for name, kept in zip(names, large, strict=True) if kept]
        sizes.append(jobs[large])
    index = pd.MultiIndex.from_tuples(rows, names=["by", "group"])
    code = np.array(codes, np.int32).reshape(len(codes), len(workload))
    return Groups(index, np.ascontiguousarray(code.T), np.concatenate(sizes))


def divided(workload: Workload, way: str) -> tuple[list, Ints]:
    """The names of the groups, in order, and each job's place among them, -1 where it is not known."""
    jobs = workload.jobs
    if way == ALL:
        return [ALL], np.zeros(len(jobs), np.int64)
    if way == "month":
        if workload.start is None:
            return [], np.full(len(jobs), -1)
        code, names = pd.factorize(workload.calendar_month(jobs.submit), sort=True)
        return list(names), code
    if way == "size":
        from .size_classes import class_name, size_class  # slow to import

        code, classes = pd.factorize(size_class(jobs.procs), sort=True)
        return [class_name(int(upper)) for upper in classes], code
    if way == "partition":
        values = -np.ones(len(jobs)) if workload.log is None else workload.log.partition.loc[jobs.index].to_numpy()
    else:
        values = jobs[way].to_numpy()
    code, names = pd.factorize(np.where(values >= 0, values, np.nan), sort=True)
    return [f"{name:.0f}" for name in names], code


def blocks(workload: Workload, length: str = "week") -> Ints:
    """Number the weeks or the calendar months in which jobs were submitted, for resampling."""
    submit = workload.jobs.submit.to_numpy()
    if length == "week":
        return (submit - (submit[0] if len(submit) else 0)) // WEEK
    if length == "month":
        months, edges = workload.month_starts(submit[0], submit[-1]) if len(submit) else ([], np.zeros(1, np.int64))
        return np.searchsorted(edges, submit, side="right") - 1
    raise ValueError(f"{workload.name}: found block={length!r}, expected 'week' or 'month'")


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
