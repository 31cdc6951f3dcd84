"""The clock and calendar of a log, its jobs by date and by partition, and the jobs that ran between two times."""

from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from helpers import numbered
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, Workload, simulate
from simlib.core.jobs_table import NO_RUN, TOO_LARGE
from simlib.logs.swf import jobs_of

HOUR, DAY = 3600, 86400
STOCKHOLM = pd.Timestamp("1996-09-30 23:00", tz="Europe/Stockholm")
START = pd.Timestamp("2004-10-30 12:00", tz="Europe/Stockholm")  # the clock is put back the night after
JOBS = [(0, 50, 60, 4), (DAY // 2, 90, 90, 2), (DAY, 10, 10, 6), (2 * DAY, 10, 10, 2)]


def at(*submits, start=STOCKHOLM):
    """A workload of jobs submitted at these seconds."""
    return Workload(pd.DataFrame({"submit": submits, "run": 1, "procs": 1}), 4, start=start)


def seconds(time, start=STOCKHOLM):
    """The second of the log at a local time."""
    return int((pd.Timestamp(time, tz=start.tz) - start).total_seconds())


def made(**options):
    """Four jobs of three partitions."""
    w = numbered(JOBS, 8, start=START, name="Seth", **options)
    w._log["partition"] = [1, 2, 2, 7]
    return w


# The clock


def test_months_across_a_change_of_the_clock_are_as_long_as_they_are():
    w = at(0)
    months, edges = w.month_starts(seconds("1996-10-01"), seconds("1997-03-31 23:59"))
    assert months == ["1996-10", "1996-11", "1996-12", "1997-01", "1997-02", "1997-03"]
    days = np.diff(edges) / DAY
    assert days.tolist() == [31 + 1 / 24, 30, 31, 31, 28, 31 - 1 / 24]
    assert w.calendar_month([edges[1] - 1, edges[1]]).tolist() == ["1996-10", "1996-11"]


def test_a_month_begins_at_the_first_of_two_midnights():
    edges = at(0, start=pd.Timestamp("2020-10-01", tz="America/Havana")).month_starts(0, 40 * DAY)[1]
    assert edges[1] == 31 * DAY


def test_one_second_touches_one_month_and_no_seconds_touch_none():
    months, edges = at(0).month_starts(0, 0)
    assert (months, edges.tolist()) == (["1996-09"], [seconds("1996-09-01"), HOUR])
    assert at(0).calendar_month([]).tolist() == []


@pytest.mark.parametrize(
    "zone, last",
    [
        ("US/Pacific", "1997-09-26 01:30"),  # a month before an hour that the clock shows twice
        ("US/Pacific", "1997-03-06 02:30"),  # and one that it leaves out
        ("America/Havana", "2001-03-05 12:00"),  # where the next month begins at 01:00
        ("America/Havana", "2001-04-01 01:00"),
        ("Asia/Amman", "2005-04-01 01:00"),
    ],
)
def test_every_clock_has_months(zone, last):
    start = pd.Timestamp("1996-12-31 12:00", tz=zone)
    w = at(0, seconds(last, start), start=start)
    assert w.calendar_month(w.jobs.submit).tolist() == ["1996-12", last[:7]]
    assert len(w.months(last[:7])) == 1


@pytest.mark.slow
@given(
    first=st.integers(-(10**9), 10**9),
    span=st.integers(0, 10**8),
    zone=st.sampled_from(
        ["UTC", "US/Pacific", "Europe/Stockholm", "Asia/Kathmandu", "America/Havana", "Australia/Lord_Howe"]
    ),
)
def test_a_month_is_what_the_local_calendar_says(first, span, zone):
    w = at(0, start=pd.Timestamp(0, unit="s", tz=zone))
    expected = [datetime.fromtimestamp(second, ZoneInfo(zone)).strftime("%Y-%m") for second in (first, first + span)]
    assert w.calendar_month([first, first + span]).tolist() == expected


# Selection


def test_months_are_selected_by_name():
    w = at(0, HOUR, seconds("1996-10-31 23:59:59"), seconds("1996-11-01"), seconds("1997-01-01"))
    assert w.months("1996-10").jobs.index.tolist() == [1, 2]
    assert w.months("1996-10", "1996-11").jobs.index.tolist() == [1, 2, 3]
    assert w.months("1996-10", "1997-12").jobs.index.tolist() == [1, 2, 3, 4]
    assert w.months("1996-10").history == ("submitted 1996-10",)
    assert w.months("1996-10", "1996-11").history == ("submitted 1996-10 to 1996-11",)


@pytest.mark.parametrize("months", [("1997-01",), ("1996-12", "1997-10"), ("1996-10", "1996-09")])
def test_months_without_jobs_are_refused_with_those_that_have_some(months):
    message = f"workload: no job was submitted from {months[0]} to {months[-1]}; the log has 1996-09 to 1996-10"
    with pytest.raises(ValueError, match=f"^{message}$"):
        at(0, HOUR).months(*months)
    with pytest.raises(ValueError, match="; the log has no job$"):
        at(0).select("run > 1").months(*months)


@pytest.mark.parametrize("month", ["1996-9", "1996-13", "October 1996", "1996-10-01", 1996])
def test_a_month_has_four_digits_and_two(month):
    for months in [(month,), ("1996-10", month)]:
        with pytest.raises(ValueError, match=f"workload: found month {month!r}"):
            at(0, HOUR).months(*months)


def test_jobs_between_two_local_times_are_those_submitted_from_the_first_to_before_the_second():
    w = made()
    assert w.between("2004-10-30", "2004-10-31").jobs.index.tolist() == [1]
    assert w.between("2004-10-31", "2004-11-01").jobs.index.tolist() == [2, 3]  # a day of 25 hours
    assert w.between("2004-10-31 11:00", "2004-11-01 11:00:01").jobs.index.tolist() == [3, 4]
    assert w.between("2004-10-31 11:00", "2004-11-01 11:00").jobs.index.tolist() == [3]
    assert w.between(0, DAY).jobs.index.tolist() == [1, 2]
    assert "submitted from 0 to before 86400" in repr(w.between(0, DAY))


def test_a_time_in_another_zone_is_that_time():
    w = made()
    assert w.second(pd.Timestamp("2004-10-30 10:00", tz="UTC")) == 0
    assert w.second("2004-10-31 02:30") == 14.5 * 3600  # of the two half past twos the first
    assert w.second("2005-03-27 02:30") == w.second("2005-03-27 03:00")  # there was no half past two


@pytest.mark.parametrize(
    "first, last, message",
    [
        ("soon", "2004-11-01", "Seth: found time 'soon'"),
        ("2004-11-01", "2004-11-01", "Seth: found the time from 2004-11-01 to 2004-11-01"),
        ("2012-05-03", "2012-05-10", "no job .* 2012-05-03 .* 2012-05-10; .*2004-10-30 12:00 to 2004-11-01 11:00"),
    ],
)
def test_times_that_make_no_sense_are_refused_with_what_would(first, last, message):
    with pytest.raises(ValueError, match=message):
        made().between(first, last)


def test_without_a_calendar_there_are_seconds_and_no_dates():
    w = numbered(JOBS, 8, name="Seth")
    assert len(w.between(0, DAY)) == 2
    asked = [lambda: w.time(0), lambda: w.months("1996-10"), lambda: w.month_starts(0, 1)]
    for ask in [*asked, lambda: w.between("2004-10-30", "2004-10-31")]:
        with pytest.raises(ValueError, match="Seth: has no calendar: .*UnixStartTime"):
            ask()
    with pytest.raises(ValueError, match="0 to 172,800 s"):
        w.between(5, 6)


def test_a_partition_is_a_machine_of_its_own():
    w = made()
    two = w.partition(2, procs=6)
    assert (two.procs, two.jobs.index.tolist(), len(two.dropped)) == (6, [2, 3], 0)
    assert w.partition(1, 7, procs=6).jobs.index.tolist() == [1, 4]
    small = w.partition(2, procs=4)
    assert small.jobs.index.tolist() == [2] and small.dropped.to_dict() == {3: TOO_LARGE}
    assert "partition 2; on 4 processors instead of 8" in repr(small)


def test_a_partition_has_a_name_where_the_header_tells_it():
    w = made(header=[" Partition: 1  test", " Partition:  2 batch,test (nights)", " Partition: 7", " Partition: 9 no"])
    assert w.partition("batch,test", procs=6).jobs.index.tolist() == [2, 3]
    assert w.partition("test", "7", procs=6).jobs.index.tolist() == [1, 4]
    for name in "batch", "9", "no", "":
        with pytest.raises(ValueError, match="1 test .1 jobs., 2 batch,test .2 jobs., 7 .1 jobs."):
            w.partition(name, procs=6)


def test_of_a_part_of_a_log_only_the_jobs_in_it_are_dropped():
    log = made().log
    log.loc[[1, 4], "procs"] = 9
    log.loc[3, "run"] = -1
    w = Workload(jobs_of(log), 8, start=START, log=log)
    assert w.dropped.index.tolist() == [1, 3, 4]
    month, early = w.months("2004-10"), w.between("2004-10-30", "2004-11-01")
    assert (month.dropped.index.tolist(), early.dropped.index.tolist()) == ([1, 3], [1, 3])
    assert w.partition(2, procs=1).dropped.to_dict() == {3: NO_RUN, 2: TOO_LARGE}


@pytest.mark.parametrize("numbers, said", [((), "none"), ((3,), "3"), ((1, 3), "1, 3"), (([1, 2],), r"\[1, 2\]")])
def test_a_partition_that_is_none_is_refused_with_those_that_are(numbers, said):
    with pytest.raises(ValueError, match=f"found partition {said}, .*1 .1 jobs., 2 .2 jobs., 7 .1 jobs."):
        made().partition(*numbers, procs=8)
    with pytest.raises(ValueError, match="has no log"):
        at(0).partition(*numbers, procs=8)


@given(st.lists(st.tuples(*[st.integers(0, 20)] * 2), min_size=1), st.integers(0, 40), st.integers(1, 20))
def test_a_job_is_in_a_time_if_it_runs_in_some_second_of_it(jobs, first, length):
    s = simulate(numbered([(submit, run, run, 1) for submit, run in sorted(jobs)], 2), EASY())
    seconds = range(first, first + length)
    expected = [
        job.Index
        for job in s.jobs.itertuples()
        if any(second in seconds for second in range(job.start, max(job.end, job.start + 1)))
    ]
    assert s.between(first, first + length).index.tolist() == expected
