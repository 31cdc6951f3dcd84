"""The submit times of a twin, by its calendar."""

from collections.abc import Sequence
from datetime import tzinfo

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ...arrays import Floats, Ints
from .chance import Curve, Table, places, read

Numbers = Sequence[float] | Floats | Ints | pd.Series

PARTS = 30
"""Into so many parts a month is divided, to compare how busy they are."""


class Clock:
    """A log's calendar, and how busy each hour of its week is.

    Parameters
    ----------
    table : dict
        Of the twin: its `start`, `first`, `last` and `week`.
    zone : str or tzinfo
        The time zone of the calendar.

    Attributes
    ----------
    edges : int array
        The seconds at which the months begin, and the one at which the last of them ends.

    Examples
    --------
    A log of 40 days from 1 January 1970, on a machine that is as busy in each hour of the week:

    >>> clock = Clock({"start": 0, "first": 0, "last": 40 * 86400 - 1, "week": [[1] * 24] * 7}, "UTC")
    >>> (clock.edges // 86400).tolist()
    [0, 31, 40]
    >>> clock.busy([86400]).tolist()
    [86400.0]
    """

    def __init__(self, table: Table, zone: str | tzinfo | None) -> None:
        start = pd.Timestamp(table["start"], unit="s", tz="UTC").tz_convert(zone)
        into_hour = start.minute * 60 + start.second
        self._hours = np.arange(table["last"] // 3600 + 3) * 3600 - into_hour
        local = start + pd.to_timedelta(self._hours[:-1], unit="s")
        week = np.array(table["week"], float)
        rate = week[local.day_of_week, local.hour] / week.mean()
        self._busy = np.concatenate([[0.0], np.cumsum(rate * 3600)])
        new_month = np.flatnonzero(np.diff(local.month, prepend=local.month[0]))
        edges = [table["first"], *self._hours[new_month], table["last"] + 1]
        self.edges: Ints = np.array([edge for edge in edges if table["first"] <= edge <= table["last"] + 1])

    def busy(self, seconds: Numbers) -> Floats:
        """Count time by submissions: fast by day, slow by night, a second for a second on average."""
        return np.interp(seconds, self._hours, self._busy)

    def time(self, busy: Numbers) -> Floats:
        """Tell the second of the log from time counted by submissions: the inverse of `busy`."""
        return np.interp(busy, self._busy, self._hours)


def add_times(table: Table, clock: Clock, jobs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Add `submit` (seconds).

    A user's month begins at some time of the month; what runs over its end goes to its start.
    """
    spell, month = jobs.spell.to_numpy(), jobs.month.to_numpy()
    gap = _gaps(table["sessions"], jobs, rng)
    gap[np.diff(spell, prepend=-1) != 0] = 0
    gap *= (_spans(table["sessions"], jobs, rng) / np.maximum(np.bincount(spell, gap), 1e-9))[spell]
    since = np.cumsum(gap)
    since -= since[np.searchsorted(spell, spell)]
    place = (_begins(table["sessions"]["choices"], jobs, since, rng)[spell] + since) % 1
    begin, end = clock.busy(clock.edges[:-1])[month], clock.busy(clock.edges[1:])[month]
    return jobs.assign(submit=clock.time(begin + place * (end - begin)).astype(int))


def _spans(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> Floats:
    """Draw the part of its month from the first to the last job of each spell, longer where there is much work."""
    spells = jobs.assign(work=jobs.procs * jobs.run).groupby("spell").agg({"busy": "first", "work": "sum"})
    return draw_after(spells.work, spells.busy, table["span_work"], table["span"], rng)


def _gaps(table: Table, jobs: pd.DataFrame, rng: np.random.Generator) -> Floats:
    """Draw the time from the user's job before to each job, in some unit for each spell, longer after a heavy job."""
    again = np.diff(jobs.session, prepend=-1) == 0
    curves = [curve for pair in zip(table["next"], table["again"], strict=True) for curve in pair]
    return draw_after(np.roll(jobs.procs * jobs.run, 1), jobs.busy * 2 + again, table["after_work"], curves, rng)


def draw_after(
    work: Numbers, group: Numbers, correlation: float, curves: Sequence[Curve], rng: np.random.Generator
) -> Floats:
    """Draw a value for each job from the curve of its group, correlated with the work.

    Examples
    --------
    Perfectly correlated: most work, largest value.

    >>> curve = [0] * 7 + [60] * 11
    >>> draw_after([1, 3, 5, 7], [0, 0, 0, 0], 1.0, [curve], np.random.default_rng(0)).round().tolist()
    [0.0, 0.0, 60.0, 60.0]
    """
    work, groups = np.array(work) + rng.random(len(work)), np.array(group, int)  # no two alike
    own = np.sqrt(1 - correlation**2) * rng.standard_normal(len(work))
    place = places(correlation * ndtri(places(work, groups)) + own, groups)
    drawn = np.empty(len(work))
    for number, curve in enumerate(curves):
        drawn[groups == number] = read(curve, place[groups == number])
    return drawn


def _begins(choices: int, jobs: pd.DataFrame, since: Floats, rng: np.random.Generator) -> Floats:
    """Choose where in its month each spell begins, from 0 to 1; the heaviest choose first.

    Users who find the machine busy come back later, which keeps real load more even than chance would. So each spell
    takes, of some random times, the one at which its own work meets the least work of others.
    """
    spells = jobs.spell.iloc[-1] + 1
    part = np.minimum(since * PARTS, PARTS - 1).astype(int)
    work = np.bincount(jobs.spell * PARTS + part, jobs.procs * jobs.run.astype(float), spells * PARTS)
    work = work.reshape(spells, PARTS)
    month = jobs.groupby("spell").month.first().to_numpy()
    shift = rng.integers(PARTS, size=(spells, choices))
    busy = np.zeros((month.max() + 1, PARTS))
    begin = np.empty(spells)
    for spell in np.argsort(-work.sum(axis=1), kind="stable"):
        shifted = work[spell][(np.arange(PARTS) - shift[spell][:, None]) % PARTS]
        best = np.argmin(shifted @ busy[month[spell]])
        busy[month[spell]] += shifted[best]
        begin[spell] = shift[spell, best]
    return (begin + rng.random(spells)) / PARTS
