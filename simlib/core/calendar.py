"""Tell the time and the calendar month of the seconds of a log."""

import operator
from datetime import date, tzinfo
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._util.arrays import Ints

Moment = str | date | np.datetime64
"""A time that pandas can make a Timestamp of."""


def in_a_zone(start: Moment | None) -> pd.Timestamp | None:
    """Make a Timestamp in a zone of a time, UTC where it has none; None stays None.

    Examples
    --------
    >>> in_a_zone("1996-09-23 12:00")
    Timestamp('1996-09-23 12:00:00+0000', tz='UTC')
    """
    if start is None:
        return None
    start = pd.Timestamp(start)
    return start.tz_localize("UTC") if start.tz is None else start


@lru_cache
def month_edges(
    clock: pd.Timestamp, zone: tzinfo, year: int, month: int, last_year: int, last_month: int
) -> tuple[list[str], Ints]:
    """List the months from one to a later one, and the edges between them as seconds after `clock`.

    Shaken runs ask for the same ones again and again, and calendars are slow. Clocks of two zones can be equal.

    Parameters
    ----------
    clock : Timestamp
        The time of second 0.
    zone : tzinfo
        Whose calendar it is.
    year, month, last_year, last_month : int

    Returns
    -------
    months : list of str
        `YYYY-MM`.
    edges : int64 array
        The second each of them begins at, and the one the last of them ends at.

    Examples
    --------
    >>> clock = in_a_zone("1996-01-31")
    >>> months, edges = month_edges(clock, clock.tz, 1996, 1, 1996, 2)
    >>> months, (edges // 86400).tolist()
    (['1996-01', '1996-02'], [-30, 1, 30])
    """
    begin, end = (pd.Period(year=y, month=m, freq="M") for y, m in ((year, month), (last_year, last_month)))
    months = pd.period_range(begin, end + 1)
    first_of_two = np.ones(len(months), bool)  # where the clock is put back at midnight
    starts = months.to_timestamp().tz_localize(zone, ambiguous=first_of_two, nonexistent="shift_forward")
    edges = ((starts - clock) // pd.Timedelta(1, "s")).to_numpy(np.int64)
    return [month.strftime("%Y-%m") for month in months[:-1]], edges


class Calendar:
    """Tell the time and the month of a log's seconds.

    Attributes
    ----------
    name : str
        For messages.
    start : Timestamp or None
        The time of second 0, in the zone whose calendar divides the log into months; None where it is not known.

    Examples
    --------
    >>> log = Calendar()
    >>> log.start = in_a_zone("1996-01-31")
    >>> log.calendar_month([0, 86400]).tolist()
    ['1996-01', '1996-02']
    """

    name: str
    start: pd.Timestamp | None

    def time(self, seconds: float) -> pd.Timestamp:
        """Give the calendar time of a second of the log, as a Timestamp in the log's zone.

        Raises
        ------
        ValueError
            Where the log has no calendar.

        Examples
        --------
        >>> import simlib
        >>> simlib.load("sample").time(0)
        Timestamp('2026-01-01 00:00:00+0000', tz='UTC')
        """
        return self._clock() + pd.Timedelta(int(seconds), "s")

    def second(self, moment: Moment | int) -> int:
        """Give the second of the log at which it is a calendar time of its zone; a number is a second already.

        A local time that the clock shows twice is the earlier one; of one that it leaves out, the time at which it
        goes on.

        Raises
        ------
        ValueError
            For what is no time, or where the log has no calendar.

        Examples
        --------
        >>> import simlib
        >>> simlib.load("sample").second("2026-01-02 01:00"), simlib.load("sample").second(90)
        (90000, 90)
        """
        if isinstance(moment, (int, np.integer)):
            return int(moment)
        clock = self._clock()
        try:
            time = pd.Timestamp(moment)
            if time.tz is None:
                time = time.tz_localize(clock.tz, ambiguous=True, nonexistent="shift_forward")
            return operator.index((time - clock) // pd.Timedelta(1, "s"))  # of no time it is no whole number
        except (ValueError, TypeError, OverflowError):
            raise ValueError(
                f"{self.name}: found time {moment!r}, expected one such as '2012-05-03' or '2012-05-03 14:30', or a "
                "number of seconds since the log's start"
            ) from None

    def period(self, first: Moment | int, last: Moment | int) -> tuple[int, int]:
        """Give the seconds of two calendar times, of which the second is the later: see `second`.

        Raises
        ------
        ValueError
            As from `second`, and where the second is not the later one.

        Examples
        --------
        >>> import simlib
        >>> simlib.load("sample").period("2026-01-02", "2026-01-03")
        (86400, 172800)
        """
        begin, end = self.second(first), self.second(last)
        if begin >= end:
            raise ValueError(f"{self.name}: found the time from {first} to {last}, expected an end after the beginning")
        return begin, end

    def month_starts(self, first: float, last: float) -> tuple[list[str], Ints]:
        """List the calendar months that `first` to `last` (seconds) touch.

        Returns
        -------
        months : list of str
            `YYYY-MM`, in the log's own zone.
        edges : int64 array
            The second each of them begins at, and the one the last of them ends at.

        Examples
        --------
        >>> import simlib
        >>> months, edges = simlib.load("sample").month_starts(0, 40 * 86400)
        >>> months, (edges // 86400).tolist()
        (['2026-01', '2026-02'], [0, 31, 59])
        """
        begin, end, clock = self.time(first), self.time(last), self._clock()
        months, edges = month_edges(clock, clock.tz, begin.year, begin.month, end.year, end.month)
        return list(months), edges.copy()

    def calendar_month(self, seconds: ArrayLike) -> np.ndarray:
        """Find the month, `YYYY-MM` in the log's own zone, of each of an array of seconds.

        Examples
        --------
        >>> import simlib
        >>> simlib.load("sample").calendar_month([0, 40 * 86400]).tolist()
        ['2026-01', '2026-02']
        """
        seconds = np.asarray(seconds)
        if seconds.size == 0:
            return np.array([], dtype=object)
        months, edges = self.month_starts(seconds.min(), seconds.max())
        return np.array(months, dtype=object)[np.searchsorted(edges, seconds, side="right") - 1]

    def _clock(self) -> pd.Timestamp:
        """The time of second 0; ValueError where there is none."""
        if self.start is None:
            raise ValueError(
                f"{self.name}: has no calendar: expected '; UnixStartTime:' and '; TimeZoneString:' in the log's "
                "header, or Workload(..., start=pd.Timestamp(...))"
            )
        return self.start
