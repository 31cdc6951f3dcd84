"""Tell the time and the calendar month of the seconds of a log."""

import operator
import re
from datetime import date, tzinfo
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._util.arrays import Ints

Moment = str | date | np.datetime64
"""A time that pandas can make a Timestamp of."""


@lru_cache
def _month_edges(
    clock: pd.Timestamp, zone: tzinfo, year: int, month: int, last_year: int, last_month: int
) -> tuple[list[str], Ints]:
    """List the months from one to a later one, and the edges between them as seconds after `clock`.

    Shaken runs need the same months again and again, and calendars are slow. Clocks of two zones can be equal.
    """
    begin, end = (pd.Period(year=y, month=m, freq="M") for y, m in ((year, month), (last_year, last_month)))
    months = pd.period_range(begin, end + 1)
    first_of_two = np.ones(len(months), bool)  # where the clock is put back at midnight
    starts = months.to_timestamp().tz_localize(zone, ambiguous=first_of_two, nonexistent="shift_forward")
    edges = ((starts - clock) // pd.Timedelta(1, "s")).to_numpy(np.int64)
    return [month.strftime("%Y-%m") for month in months[:-1]], edges


def check_month(month: object, where: str = "") -> None:
    """Check that a month is written as everywhere."""
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", str(month)):
        raise ValueError(f"{where}found month {month!r}, expected one such as '1996-10'")


class Calendar:
    """Tell the time and the month of a log's seconds."""

    name: str
    start: pd.Timestamp | None

    def time(self, seconds: float) -> pd.Timestamp:
        """Give the calendar time of a second of the log, as a Timestamp in the log's zone."""
        return self._clock() + pd.Timedelta(int(seconds), "s")

    def second(self, moment: Moment | int) -> int:
        """Convert a calendar time in the log's zone to a second of the log; a number is a second already.

        If the clock shows a local time twice, the first one counts. If it skips a local time, the second at which it
        continues counts.
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
        """Convert two calendar times, the later one last, to seconds: see `second`."""
        begin, end = self.second(first), self.second(last)
        if begin >= end:
            raise ValueError(f"{self.name}: found the time from {first} to {last}, expected an end after the beginning")
        return begin, end

    def month_starts(self, first: float, last: float) -> tuple[list[str], Ints]:
        """List the calendar months between the seconds `first` and `last`, both included."""
        begin, end, clock = self.time(first), self.time(last), self._clock()
        months, edges = _month_edges(clock, clock.tz, begin.year, begin.month, end.year, end.month)
        return list(months), edges.copy()

    def calendar_month(self, seconds: ArrayLike) -> np.ndarray:
        """Find the month, `YYYY-MM` in the log's own zone, of each of an array of seconds."""
        seconds = np.asarray(seconds)
        if seconds.size == 0:
            return np.array([], dtype=object)
        months, edges = self.month_starts(seconds.min(), seconds.max())
        return np.array(months, dtype=object)[np.searchsorted(edges, seconds, side="right") - 1]

    def _clock(self) -> pd.Timestamp:
        """The calendar time of second 0; ValueError if there is none."""
        if self.start is None:
            raise ValueError(
                f"{self.name}: has no calendar: expected '; UnixStartTime:' and '; TimeZoneString:' in the log's "
                "header, or Workload(..., start=pd.Timestamp(...))"
            )
        return self.start
