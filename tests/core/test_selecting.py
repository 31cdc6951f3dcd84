"""Jobs of a workload by date and by partition, and the jobs of a schedule that ran between two times."""

import pandas as pd
import pytest
from helpers import numbered
from hypothesis import given
from hypothesis import strategies as st

from simlib import EASY, Workload, simulate
from simlib.core.workload import NO_RUN, TOO_LARGE
from simlib.logs.swf import jobs_of

DAY = 86400
START = pd.Timestamp("2004-10-30 12:00", tz="Europe/Stockholm")  # the clock is put back the night after
JOBS = [(0, 50, 60, 4), (DAY // 2, 90, 90, 2), (DAY, 10, 10, 6), (2 * DAY, 10, 10, 2)]


def made(**options):
    """Four jobs of three partitions."""
    w = numbered(JOBS, 8, start=START, name="Seth", **options)
    w._log["partition"] = [1, 2, 2, 7]
    return w


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
        ("soon", "2004-11-01", "Seth: found time 'soon', expected one such as '2012-05-03' or"),
        (None, 5, "Seth: found time None"),
        ("2004-11-01", "2004-11-01", "Seth: found the time from 2004-11-01 to 2004-11-01, expected an end after"),
        (
            "2012-05-03",
            "2012-05-10",
            "no job was submitted from 2012-05-03 to before 2012-05-10; "
            "expected a part of 2004-10-30 12:00 to 2004-11-01 11:00",
        ),
    ],
)
def test_times_that_make_no_sense_are_refused_with_what_would(first, last, message):
    with pytest.raises(ValueError, match=message):
        made().between(first, last)


def test_without_a_calendar_there_are_seconds_and_no_dates():
    w = numbered(JOBS, 8, name="Seth")
    assert len(w.between(0, DAY)) == 2
    with pytest.raises(ValueError, match="Seth: has no calendar"):
        w.between("2004-10-30", "2004-10-31")
    with pytest.raises(ValueError, match="expected a part of 0 to 172,800 s"):
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
        with pytest.raises(ValueError, match="expected .* 1 test .1 jobs., 2 batch,test .2 jobs., 7 .1 jobs."):
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


@pytest.mark.parametrize("numbers, found", [((), "none"), ((3,), "3"), ((1, 3), "1, 3"), (([1, 2],), r"\[1, 2\]")])
def test_a_partition_that_is_none_is_refused_with_those_that_are(numbers, found):
    expected = f"found partition {found}, expected one or several of 1 .1 jobs., 2 .2 jobs., 7 .1 jobs."
    with pytest.raises(ValueError, match=expected):
        made().partition(*numbers, procs=8)


def test_without_a_log_partitions_are_not_known(workload):
    with pytest.raises(ValueError, match="has no log, so the jobs' partitions are not known"):
        workload(JOBS, 8).partition(1, procs=8)


def test_curies_standard_partition(log):
    w = log("CEA-Curie").partition(10, procs=80640)
    assert (len(w), w.procs) == (190532, 80640)
    week = w.between("2012-05-03", "2012-05-10")
    assert f"{week.time(week.jobs.submit.min()):%F %H}" == "2012-05-03 00"
    assert len(week) == (w.calendar_month(week.jobs.submit) == "2012-05").sum() > 1000


def test_what_ran_between_two_times_keeps_the_waits_of_the_full_schedule():
    s = simulate(made(), EASY())
    part = s.between("2004-10-30", "2004-10-31")
    assert part.equals(s.jobs.loc[[1]])
    assert s.between(50, DAY // 2).empty and s.between(49, 50).index.tolist() == [1]


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
