"""Fit the parts of a twin's table to a log."""

from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo

import numpy as np
import pandas as pd
import scipy

from simlib.core.jobs_table import NO_RUN
from simlib.core.workload import Workload
from simlib.models import twin
from simlib.models.twin import GRID, NONE, Clock, Table
from simlib_study import model_comparison

BUSY = [9, 49, 199, 999]
"""The classes of users in a month, by the number of their jobs: upper ends, but for the last."""

SIZE_CLASS = {"jobs": 200, "share": 1 / 8}
"""A class of sizes, a few powers of two, has so many jobs, and this share of the jobs or of the work."""

REQUEST_CLASSES = 6
POPULAR = 1 / 200
"""A requested time is popular if this share of its size class has it."""

STATUS_CLASSES = {True: [10, 100, 500, 990, 1020], False: [10, 60, 600, 3600]}
"""By whether a time was requested, upper ends of classes of R in per mille, or of the run time in seconds."""

CHOICES = (1, 2, 4, 8, 16, 32)


def fit(workload: Workload) -> Table:
    """Make a twin's table, see `data/models/twins/README.md`; twins are tried to see which are like the log."""
    jobs, sizes, classes = _classified(workload)
    hours = np.bincount(jobs.hour, minlength=7 * 24)
    start, wait = workload.time(0), workload.log.wait  # type: ignore[union-attr]  # described() refuses what has no log
    table = {
        "start": int(start.timestamp()),
        "first": int(jobs.submit.min()),
        "last": int(jobs.submit.max()),
        "longest": int(jobs.run.max()),
        "removed": int((workload.dropped == NO_RUN).sum()),
        "waits": curve(wait[wait >= 0]),
        "classes": classes,
        "week": np.maximum(hours, 1).reshape(7, 24).tolist(),  # so that no hour is impossible
        "months": _months(jobs),
        "users": _users(jobs),
        "likeness": _likeness(jobs),
        "sizes": _counted(jobs.procs),
        "queues": _counted(jobs.queue[jobs.queue != NONE]),
        "apps": _apps(jobs[jobs.app != NONE]),
        "size_class": _size_classes(jobs, sizes, len(classes)),
        "status": _statuses(jobs),
    }
    table["sessions"] = _sessions(jobs, Clock(table, start.tz))
    _calibrate(table, start.tz, jobs)
    return table


def _classified(workload: Workload) -> tuple[pd.DataFrame, list[int], list[int]]:
    """Add to the jobs what the parts of a table need; return also the upper ends of their classes."""
    jobs = model_comparison.described(workload)
    jobs["used"] = (1000 * jobs.used).where(jobs.requested != NONE, jobs.run)
    jobs["spell"] = jobs.groupby(["user", "month"]).ngroup()
    jobs["of_spell"] = jobs.groupby("spell").user.transform("size")
    sizes = size_edges(jobs)
    known = jobs.requested[jobs.requested != NONE]
    classes = [] if len(known) == len(jobs) else [NONE]
    if len(known):
        shares = np.arange(1, REQUEST_CLASSES + 1) / REQUEST_CLASSES
        classes += np.unique(np.quantile(known, shares, method="inverted_cdf").astype(int)).tolist()
    jobs["size_class"] = np.searchsorted(sizes, jobs.procs)
    jobs["cell"] = jobs.size_class * len(classes) + np.searchsorted(classes, jobs.requested)
    return jobs, sizes, classes


def size_edges(jobs: pd.DataFrame) -> list[int]:
    """Choose upper ends of size classes: powers of two, so far apart that each class has enough jobs or work."""
    work = jobs.run * jobs.procs / (jobs.run * jobs.procs).sum()
    last = int(2 ** np.ceil(np.log2(jobs.procs.max())))
    edges, low = [], 0
    for upper in (2**power for power in range(last.bit_length())):
        part = jobs.procs.between(low, upper, inclusive="right")
        enough = max(part.mean(), work[part].sum()) >= SIZE_CLASS["share"] and part.sum() >= SIZE_CLASS["jobs"]
        if enough or upper == last:
            edges.append(upper)
            low = upper
    return edges


# The parts of a table


def curve(values: Sequence[float] | pd.Series) -> list[float]:
    """Give a distribution's values at the probabilities `GRID`, to two digits below 100, four from 1000 on."""
    return [_short(value) for value in np.quantile(values, GRID)]


def _short(value: float) -> float:
    """Round to two digits, from 100 on to three, from 1000 on to four."""
    if value < 1e-6:
        return 0
    short = float(f"{value:.{2 + (value >= 100) + (value >= 1000)}g}")
    return int(short) if short.is_integer() else short


def _counted(values: pd.Series) -> dict[str, list[int]]:
    """Count how many jobs have each value, as two lists; empty where there is none."""
    counts = values.value_counts().sort_index()
    return {str(values.name): counts.index.tolist(), "jobs": counts.tolist()} if len(counts) else {}


def normal_scores(values: pd.Series) -> pd.Series:
    """Replace values by the normal numbers at their ranks."""
    return pd.Series(scipy.stats.norm.ppf((scipy.stats.rankdata(values) - 0.5) / len(values)), values.index)


def explained(values: pd.Series, *groups: pd.Series) -> list[float]:
    """Split the variance into the shares that groupings explain beyond those before, from the coarsest on."""
    left = [values.var()]
    for group in groups:
        within = values.groupby(group)
        left.append(((values - within.transform("mean")) ** 2).sum() / max(len(values) - within.ngroups, 1))
    return np.maximum(-np.diff(left) / left[0], 0).round(3).tolist()


def _months(jobs: pd.DataFrame) -> Table:
    by_month = jobs.groupby("month")
    work = (jobs.run * jobs.procs).groupby(jobs.month).sum() / 3600
    return {
        "name": list(by_month.groups),
        "jobs": by_month.size().tolist(),
        "work": work.round().astype(int).tolist(),
    }


def _users(jobs: pd.DataFrame) -> Table:
    cells = jobs.groupby(["user", "month"]).size()
    total, squares = cells.groupby("user").sum(), (cells**2).groupby("user").sum()
    total = total.sort_values(ascending=False, kind="stable")
    months = np.rint(total**2 / squares.loc[total.index]).astype(int)
    table = {"jobs": total.tolist(), "months": months.tolist(), "groups": [], "second": 0.0}
    known = jobs[jobs.group != NONE]
    if len(known):
        first = known.groupby("user").group.agg(lambda groups: groups.value_counts().index[0])
        unknown = len(total) - len(first)
        table["groups"] = first.value_counts().tolist() + [1] * unknown
        table["second"] = round(float((known.group != known.user.map(first)).mean()), 3)
    return table


def _likeness(jobs: pd.DataFrame) -> Table:
    request = jobs.groupby("size_class").requested.transform(normal_scores)
    used = jobs.groupby("cell").used.transform(normal_scores)
    pair = jobs.groupby(["user", "requested"]).ngroup()
    return {
        "size": explained(normal_scores(jobs.procs), jobs.user)[0],
        "request": explained(request, jobs.user)[0] if request.any() else 0.0,
        "queue": explained(normal_scores(jobs.queue), jobs.user)[0] if jobs.queue.nunique() > 1 else 0.0,
        "used": explained(used, jobs.user, pair, jobs.session),
    }


def _apps(jobs: pd.DataFrame) -> Table:
    requests = jobs.groupby(["user", "procs", "requested"]).ngroups
    return {"one_off": round(max(jobs.app.nunique() - requests, 0) / len(jobs), 3)} if len(jobs) else {}


def _sessions(jobs: pd.DataFrame, clock: Clock) -> Table:
    first = jobs.sort_values(["user", "submit"], kind="stable").drop_duplicates("session").reset_index()
    lag = first.index.to_series().groupby([first.user, first.procs, first.requested]).diff().dropna()
    return {
        "length": curve(jobs.groupby("session").size()),
        "shorten": 1.0,
        "returns": round(len(lag) / len(first), 3),
        "lag": curve(lag),
    } | _times(jobs, clock)


def _times(jobs: pd.DataFrame, clock: Clock) -> Table:
    """Make the fields of `sessions` from `busy` on."""
    busy = [upper for upper in BUSY if (jobs.of_spell > upper).any()]
    jobs = jobs.sort_values(["user", "submit"], kind="stable")
    jobs["busy"], jobs["work"] = np.searchsorted(busy, jobs.of_spell), jobs.run * jobs.procs
    jobs["at"] = clock.busy(jobs.submit) / np.diff(clock.busy(clock.edges))[pd.factorize(jobs.month, sort=True)[0]]
    several = jobs[jobs.of_spell > 1]
    spells = several.groupby("spell").agg({"busy": "first", "work": "sum", "at": np.ptp, "of_spell": "first"})
    mean = (spells["at"] / (spells.of_spell - 1)).loc[several.spell].to_numpy()
    gap = (several["at"].diff() / mean)[(several.spell == several.spell.shift()) & (mean > 0)]
    kind = 2 * jobs.busy + (jobs.session == jobs.session.shift())
    work = jobs.work.groupby(jobs.busy).sum().reindex(range(len(busy) + 1), fill_value=0)
    return {
        "busy": busy,
        "work": (work / work.sum()).round(4).tolist(),
        "span": _curves(spells["at"], spells.busy, range(len(busy) + 1)),
        "again": _curves(gap, kind, range(1, 2 * len(busy) + 2, 2)),
        "next": _curves(gap, kind, range(0, 2 * len(busy) + 2, 2)),
        "span_work": _correlation(spells["at"], spells.work, spells.busy),
        "after_work": _correlation(gap, jobs.work.shift(), kind),
        "choices": 1,
    }


def _curves(values: pd.Series, group: pd.Series, groups: Iterable[int]) -> list[list[float]]:
    by_group = values.groupby(group)
    return [curve(by_group.get_group(number)) for number in groups]


def _correlation(one: pd.Series, other: pd.Series, group: pd.Series) -> float:
    """Correlate the normal scores of two series within groups."""
    both = [values[one.index].groupby(group[one.index]).transform(normal_scores) for values in (one, other)]
    return round(float(both[0].corr(both[1])), 3)


def _size_classes(jobs: pd.DataFrame, sizes: Iterable[int], classes: int) -> list[Table]:
    parts = []
    for number, upto in enumerate(sizes):
        part = jobs[jobs.size_class == number]
        counts = part.requested.value_counts().sort_index()
        popular = counts[(counts >= POPULAR * len(part)) | (counts.index == NONE)]
        others = part.requested[~part.requested.isin(popular.index)]
        cells = [part.used[part.cell == number * classes + one] for one in range(classes)]
        parts.append(
            {
                "upto": upto,
                "popular": [[int(seconds), int(count)] for seconds, count in zip(popular.index, popular, strict=True)],
                "rest": len(others),
                "others": curve(others) if len(others) else [0] * len(GRID),
                "used": [curve(cell) if len(cell) else [] for cell in cells],
            }
        )
    return parts


def _statuses(jobs: pd.DataFrame) -> list[Table]:
    jobs = jobs[jobs.status != NONE]
    parts = []
    for requested, upto in STATUS_CLASSES.items():
        part = jobs[(jobs.requested != NONE) == requested]
        if len(part):
            counts = pd.crosstab(np.searchsorted(upto, part.used), part.status)
            counts = counts.reindex(range(len(upto) + 1), method="nearest")
            codes = [int(code) for code in counts.columns]
            parts.append({"requested": requested, "upto": upto, "status": codes, "jobs": counts.to_numpy().tolist()})
    return parts


# What is found by trying


def _calibrate(table: Table, zone: tzinfo | None, jobs: pd.DataFrame) -> None:
    """Set `shorten` and `choices` in `table` so that the twin repeats jobs, and is as uneven, as the log."""
    sessions = table["sessions"]
    low, high = 0.0, 1.0
    for _ in range(8):
        sessions["shorten"] = (low + high) / 2
        too_long = mean_of_twins(table, zone, model_comparison.repeated) > model_comparison.repeated(jobs)
        low, high = (low, sessions["shorten"]) if too_long else (sessions["shorten"], high)
    sessions["shorten"] = round(high, 3)

    off = {}
    for sessions["choices"] in CHOICES:
        off[sessions["choices"]] = abs(
            mean_of_twins(table, zone, model_comparison.unevenness) - model_comparison.unevenness(jobs)
        )
    sessions["choices"] = min(off, key=lambda choices: off[choices])


def mean_of_twins(
    table: Table, zone: str | tzinfo | None, measure: Callable[[pd.DataFrame], float], seeds: int = 3
) -> float:
    """Generate some twins and return the mean of a measure over them."""
    twins = (twin.generate(table, zone, np.random.default_rng(seed)) for seed in range(seeds))
    return float(np.mean([measure(jobs) for jobs in twins]))
