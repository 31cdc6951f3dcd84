"""Means and percentiles of groups of jobs, and of resampled ones, against the plain way to work them out."""

import numpy as np
import pandas as pd
import pytest
from helpers import numbered
from hypothesis import given
from hypothesis import strategies as st

from simlib._util.arrays import SHARES, resampled, statistics
from simlib.analysis.replicate import grouped

DAY = 86400


def plainly(values):
    return [values.mean(), *np.quantile(values, SHARES, method="inverted_cdf")] if len(values) else [np.nan] * 4


jobs = st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 2), st.integers(-1, 1), st.integers(0, 3)), min_size=1)


@given(st.lists(st.integers(0, 9)))
def test_statistics_are_those_of_the_values(values):
    np.testing.assert_allclose(statistics(values), plainly(np.array(values, float)))


@given(jobs, st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1))
def test_a_job_counts_as_often_as_its_block_is_drawn(jobs, drawn):
    values, one, other, block = np.array(jobs).T
    code = np.column_stack([one, np.where(other < 0, -1, other + 3)]).astype("int32")
    measures = resampled(values.astype(float), code, 5, block, np.array(drawn).T)
    for draw, times in enumerate(np.array(drawn)):
        for row in range(5):
            its = (code == row).any(axis=1)
            expected = plainly(np.repeat(values[its], times[block[its]]).astype(float))
            np.testing.assert_allclose(measures[row, :, draw], expected)


def test_many_jobs_are_counted_in_chunks():
    rng = np.random.default_rng(1)
    values, block = rng.exponential(size=5000).round(2), rng.integers(0, 20, 5000)
    drawn = rng.multinomial(20, np.full(20, 1 / 20), size=30).T
    measures = resampled(values, np.zeros((5000, 1), "int32"), 1, block, drawn)
    expected = [plainly(np.repeat(values, times[block])) for times in drawn.T]
    np.testing.assert_allclose(measures[0].T, expected)


def test_the_statistics_of_nothing_are_not_known():
    assert np.isnan(statistics([])).all()
    assert statistics(range(1, 101)).tolist() == [50.5, 50, 95, 99]


ROWS = [(0, 9, 9, 1, 7, 1), (DAY, 9, 9, 2, 7, 1), (8 * DAY, 9, 9, 3, 8, 1), (40 * DAY, 9, 9, 4, -1, 1)]


def made():
    w = numbered(ROWS, 8, start=pd.Timestamp("2004-10-30", tz="Europe/Stockholm"))
    w._log["partition"] = [3, 3, 3, 1]
    return w


def test_jobs_are_divided_by_what_the_log_tells_of_them():
    groups = grouped(made(), least=1)
    assert groups.index.to_list() == [
        ("all", "all"),
        *(("month", name) for name in ("2004-10", "2004-11", "2004-12")),
        *(("user", name) for name in ("7", "8")),
        *(("partition", name) for name in ("1", "3")),
        *(("size", name) for name in ("1", "2", "3-4")),
    ]  # of groups there is one, of queues none
    assert groups.jobs.tolist() == [4, 2, 1, 1, 2, 1, 1, 3, 1, 1, 2]
    assert groups.code.tolist() == [[0, 1, 4, 7, 8], [0, 1, 4, 7, 9], [0, 2, 5, 7, 10], [0, 3, -1, 6, 10]]


def test_small_groups_are_left_out():
    groups = grouped(made(), ["all", "size", "user"], least=2)
    assert groups.index.to_list() == [("all", "all")]  # of users and of sizes only one is large enough
    assert grouped(made(), ["partition"], least=1).jobs.tolist() == [4, 1, 3]


def test_another_way_to_divide_is_refused():
    with pytest.raises(ValueError, match="workload: found by=.*colour.*"):
        grouped(made(), ["user", "colour"])


def test_without_a_calendar_there_are_no_months():
    w = numbered(ROWS, 8)
    assert "month" not in grouped(w, least=1).index.unique("by")
