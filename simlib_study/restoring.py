"""Put back jobs that cleaning removed from a log: job numbers limit their submit times; their properties are drawn.

The header of a cleaned log of the Parallel Workloads Archive names the removed users, job numbers and hours, and the
remaining jobs keep their numbers. So each lost job was submitted between its neighbours by number. A log with jobs put
back is one draw of many, not the archive's log: its name and its history say so.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from simlib.core.workload import Workload
from simlib.logs.swf import jobs_of

_COUNT = re.compile(r"\(([0-9]+) jobs? removed\)")
_USER = re.compile(r"\buser=([0-9]+)")
_NUMBERS = re.compile(r"\bjob>=([0-9]+) and job<=([0-9]+)")
_HOURS = re.compile(r"\bhour>=([0-9]+) and hour<=([0-9]+)")


@dataclass(frozen=True)
class _Filter:
    """Describe one rule of cleaning, from a line of a log's header."""

    user: int
    numbers: tuple[tuple[int, int], ...]
    hours: tuple[int, int] | None
    jobs: int


def _filters(header: Iterable[str]) -> list[_Filter]:
    """Read from a log's comments which users' jobs cleaning removed; no job comes before those of other filters."""
    known = []
    for line in header:
        user, count = _USER.search(line), _COUNT.search(line)
        if user and count:
            numbers = tuple((int(first), int(last)) for first, last in _NUMBERS.findall(line))
            hours = _HOURS.search(line)
            span = (int(hours[1]), int(hours[2])) if hours else None
            known.append(_Filter(int(user[1]), numbers, span, int(count[1])))
    return known


def lost(workload: Workload) -> pd.DataFrame:
    """List the jobs that cleaning removed from a log.

    Gives a DataFrame with one row for each gap in the numbers and user, and for a filter by hours one for each day:
    `first` and `last`, the limits of the missing numbers; `user`; `jobs`, how many of them belong to this user;
    `earliest` and `latest`, the seconds between which they were submitted.
    """
    log = _log(workload)
    number, submit = log.job.to_numpy(), log.submit.to_numpy()
    if not ((np.diff(number) > 0).all() and (np.diff(submit) >= 0).all()):
        raise ValueError(f"{workload.name}: job numbers and submit times are not in one order, so gaps say nothing")
    before = np.flatnonzero(np.diff(number) > 1)
    ends = {"first": number[before] + 1, "last": number[before + 1] - 1}
    gaps = pd.DataFrame(ends | {"earliest": submit[before], "latest": submit[before + 1]})
    known = _filters(workload.header)
    rows = [row for gap in gaps.itertuples() for row in _candidates(workload, gap, known)]
    table = pd.DataFrame(rows, columns=["first", "last", "filter", "earliest", "latest"])
    if of_none := sorted(set(gaps["first"]) - set(table["first"])):
        raise ValueError(f"{workload.name}: no filter in the header explains the gap from job {of_none[0]}")
    table["jobs"] = _shared_out(table, known)
    table["user"] = [known[number].user for number in table["filter"]]
    return table.loc[table.jobs > 0, ["first", "last", "user", "jobs", "earliest", "latest"]].reset_index(drop=True)


def _log(workload: Workload) -> pd.DataFrame:
    """The log's lines; ValueError if there are none."""
    if workload.log is None:
        raise ValueError(f"{workload.name}: has no log, so no job numbers; expected a cleaned log read from SWF")
    return workload.log


def _candidates(workload: Workload, gap: Any, known: list[_Filter]) -> list[tuple[int, int, int, int, int]]:
    """The filters that may have removed jobs from a gap, with their parts of its time; by hours one for each day."""
    rows = []
    for number, one in enumerate(known):
        if one.numbers and not any(first <= gap.last and gap.first <= last for first, last in one.numbers):
            continue
        spans = [(gap.earliest, gap.latest)]
        if one.hours:  # those of the local day, by a clock that has a summer time
            first, last = (workload.time(second).tz_localize(None).normalize() for second in spans[0])
            spans = []
            for day in pd.date_range(first, last, freq="D"):
                begin, end = (workload.second(day + pd.Timedelta(hours=h)) for h in (one.hours[0], one.hours[1] + 1))
                spans.append((max(gap.earliest, begin), min(gap.latest, end - 1)))
        rows += [(gap.first, gap.last, number, *span) for span in spans if span[0] <= span[1]]
    return rows


def _shared_out(table: pd.DataFrame, known: list[_Filter]) -> np.ndarray:
    """Divide the numbers of each gap among the rows that may have them.

    If only one filter covers a gap, it gets all, evenly by day. Else one by hours gets on each day the median of its
    days without competition, and the others divide the rest in proportion to their lost jobs by the header.
    """
    jobs = np.zeros(len(table), int)
    missing = table["last"] - table["first"] + 1
    alone = table.groupby("first")["filter"].transform("nunique") == 1
    for _, rows in table[alone].groupby("first"):
        jobs[rows.index] = _shares(missing[rows.index[0]], np.ones(len(rows)))
    counts = pd.Series(jobs).groupby(table["filter"])
    lack = np.array([max(one.jobs - counts.sum().get(number, 0), 0) for number, one in enumerate(known)])
    usual = counts.agg(lambda of: of[of > 0].median())
    for _, rows in table[~alone].groupby("first"):
        daily = np.array([bool(known[number].hours) for number in rows["filter"]])
        jobs[rows.index[daily]] = usual.reindex(rows["filter"][daily]).fillna(0)
        left = max(missing[rows.index[0]] - jobs[rows.index].sum(), 0)
        jobs[rows.index] += _shares(left, np.where(daily & ~daily.all(), 0, lack[rows["filter"]] + 1e-9))
    return jobs


def _shares(count: int, weights: np.ndarray) -> np.ndarray:
    """Divide a whole number by weight."""
    return np.diff(np.r_[0, (count * np.cumsum(weights) / weights.sum()).round()]).astype(int)


def put_back(
    workload: Workload,
    like: Mapping[int, pd.DataFrame],
    seed: int = 0,
    every: Mapping[int, float] | None = None,
    gaps: pd.DataFrame | None = None,
) -> Workload:
    """Draw the lost jobs of some users, and put them back into their log.

    Parameters
    ----------
    workload : Workload
        As for `lost`; all jobs of the log, none left out or changed.
    like : dict of int to DataFrame
        By user, examples of the lost jobs: log lines (SWF fields such as `run`, `procs`, `requested_time`). One line is
        drawn for each job; with a single line all jobs are equal. Jobs of other users are not put back.
    seed : int
        Seed of the draw of submit times and lines.
    every : dict of int to float, optional
        By user, seconds from one job to the next; only the first submit time is drawn. By default each submit time is
        drawn.
    gaps : DataFrame, optional
        The result of `lost`, if it is known already, or a table to use instead.

    Returns
    -------
    Workload
        One draw: its name and its history say that it is restored.

    Raises
    ------
    ValueError
        For a workload without a log, or whose jobs were changed since it was read.

    Examples
    --------
    >>> import simlib
    >>> log = simlib.load("sample").log
    >>> thinned = log[~log.job.between(3001, 3100)]
    >>> w = simlib.Workload(jobs_of(thinned), 128, header=["user=7 and (job>=3001 and job<=3100) (100 jobs removed)"],
    ...                     log=thinned)
    >>> restored = put_back(w, {7: pd.DataFrame({"run": [60], "procs": [1]})})
    >>> restored.name, len(restored), restored.history
    ('workload, restored', 6000, ('100 lost jobs put back, drawn with seed 0',))
    """
    rows = lost(workload) if gaps is None else gaps
    rows = rows[rows.user.isin(like)].reset_index(drop=True)
    log = _log(workload)
    as_read = Workload(jobs_of(log), workload.procs, gpus=workload.gpus, start=workload.start)
    if workload.history and not workload.equals(as_read):
        raise ValueError(
            f"{workload.name}: put_back: found {'; '.join(workload.history)}; expected a log as it was read"
        )
    if rows.jobs.sum():
        back = _drawn(rows, like, every or {}, np.random.default_rng(seed))
        back = back.reindex(columns=log.columns, fill_value=-1).fillna(-1).astype(log.dtypes)
        log = pd.concat([log, back.set_axis(pd.Index(back.job, name=log.index.name))])
        log = log.iloc[np.argsort(log.job.to_numpy())]
    restored = Workload(
        jobs_of(log),
        workload.procs,
        f"{workload.name}, restored",
        gpus=workload.gpus,
        start=workload.start,
        header=workload.header,
        log=log,
        source=workload.source | {"variant": "restored", "sha256": None, "verified": None},
        synthetic=workload.synthetic,
    )
    restored.history = (*workload.history, f"{rows.jobs.sum():,} lost jobs put back, drawn with seed {seed}")
    return restored


def _drawn(
    rows: pd.DataFrame, like: Mapping[int, pd.DataFrame], every: Mapping[int, float], rng: np.random.Generator
) -> pd.DataFrame:
    """Draw the lines of all lost jobs, with submit times; numbered by submit time."""
    of_row = np.repeat(rows.index, rows.jobs)
    jobs = rows.jobs.to_numpy()
    within = np.arange(len(of_row)) - np.repeat(jobs.cumsum() - jobs, jobs)
    span = (rows.latest - rows.earliest).to_numpy()
    spaced, steps = rows.user.map(every).to_numpy(float), jobs - 1
    length = np.minimum(spaced * steps, span)  # of a row whose jobs came one after another; else not known
    step = length / np.maximum(steps, 1)
    begin = rng.uniform(0, span - np.nan_to_num(length))
    offset = begin[of_row] + within * step[of_row]
    offset = np.where(np.isnan(spaced)[of_row], rng.uniform(0, span[of_row]), offset)
    made = pd.DataFrame({"submit": (rows.earliest.to_numpy()[of_row] + offset).round().astype(int)})
    made["user"], first = rows.user.to_numpy()[of_row], rows["first"].to_numpy()[of_row]
    for user in like:
        places = made.index[made.user == user]
        lines = like[user].drop(columns=["submit", "user", "job"], errors="ignore")
        chosen = lines.iloc[rng.integers(len(lines), size=len(places))]
        made.loc[places, lines.columns] = chosen.to_numpy()
    order = np.lexsort([made.submit, first])
    made, first = made.iloc[order], first[order]
    return made.assign(job=first + np.arange(len(first)) - np.searchsorted(first, first))
