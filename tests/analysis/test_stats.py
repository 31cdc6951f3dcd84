"""Batch means: intervals that cover the truth as often as they say, and stop as Mu'alem & Feitelson's runs did.
Shaking: runs that can be repeated one by one, and bands that hold as many of them as they say. Means over independent
runs.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import signal, stats

import simlib
from simlib.analysis.stats import band, batch_means, mean_interval
from simlib_study.resampling import middle


def covered(series, truth, **settings):
    """In how many of the series (rows) the interval holds the true mean."""
    found = [batch_means(values, **settings) for values in series]
    return sum(abs(interval.mean - truth) <= interval.half_width for interval in found)


def as_stated(covered, of, confidence):
    """Whether so many intervals may well have covered the truth if each did so with this chance."""
    return stats.binomtest(covered, of, confidence).pvalue > 0.01


def autoregressive(rows, length, phi, mean=10.0, seed=1):
    """Independent AR(1) series, one a row, begun far from their mean."""
    noise = np.random.default_rng(seed).normal(size=(rows, length))
    start = np.full((rows, 1), phi * 50)
    return mean + signal.lfilter([1], [1, -phi], noise, axis=1, zi=start)[0]


def queue_times(rows, customers, load, seed=1):
    """Interarrival and service times of M/M/1 queues; mean service 1."""
    rng = np.random.default_rng(seed)
    return rng.exponential(1 / load, (rows, customers)), rng.exponential(1, (rows, customers))


def lindley(interarrival, service):
    """Waiting times: W' = max(0, W + S - A), as the height of a walk above its lowest point so far."""
    walk = np.cumsum(service[:, :-1] - interarrival[:, 1:], axis=1)
    walk = np.insert(walk, 0, 0, axis=1)
    return walk - np.minimum.accumulate(walk, axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_intervals_for_an_autoregressive_series_cover_its_mean_at_the_stated_rate(confidence):
    series = autoregressive(500, 21 * 400, phi=0.9)
    assert as_stated(covered(series, 10, batch=400, confidence=confidence, most=20), 500, confidence)


@pytest.mark.slow
def test_batches_too_small_for_the_correlation_cover_less_than_stated_and_show_it():
    series = autoregressive(300, 101 * 10, phi=0.9)
    assert covered(series, 10, batch=10) < 0.8 * 300
    assert np.mean([batch_means(values, 10).lag1 for values in series]) > 2 / np.sqrt(100)
    long = autoregressive(300, 101 * 400, phi=0.9)
    assert abs(np.mean([batch_means(values, 400).lag1 for values in long])) < 0.5 / np.sqrt(100)


def test_the_wait_of_a_simulated_mm1_queue_is_as_the_formula_says():
    second = 1e-4  # of a mean service time, so that whole seconds do not matter
    times = [np.rint(part / second).astype(int) for part in queue_times(1, 101_000, load=0.7)]
    interarrival, run = (part[0] for part in times)
    jobs = pd.DataFrame({"submit": np.cumsum(interarrival), "run": run, "procs": 1})
    found = simlib.simulate(simlib.Workload(jobs, procs=1), simlib.FCFS()).jobs
    assert (found.wait.to_numpy() == lindley(*times)[0]).all()
    interval = batch_means(found.wait * second, 1000, confidence=0.99)
    assert interval.low < 0.7 / 0.3 < interval.high
    assert interval.half_width < 0.15 * interval.mean


def test_stopping_at_the_precision_keeps_the_coverage_that_two_batches_would_lose():
    means = np.random.default_rng(1).gamma(100, 1, size=(2000, 100))  # standard deviation a tenth of the mean
    settings = {"batch": 1, "warmup": 0, "precision": 0.05}
    assert covered(means, 100, **settings) > 0.88 * 2000
    assert covered(means, 100, **settings, least=2) < 0.84 * 2000


# What the method does, by hand


def test_the_interval_is_students_t_over_the_means_of_the_batches():
    found = batch_means([90, 80, 1, 3, 5, 7, 2, 4, 99], batch=2, confidence=0.9)
    means = [2, 6, 3]
    low, high = stats.t.interval(0.9, 2, np.mean(means), stats.sem(means))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.batches, found.stopped) == (3, "end")
    assert found.lag1 == pytest.approx((-5 * 7 + 7 * -2) / (25 + 49 + 4))


def test_values_beyond_the_batches_asked_for_are_not_looked_at():
    values = np.random.default_rng(1).normal(5, 1, 1000)
    found = batch_means(values, 10, most=30)
    assert (found.batches, found.stopped) == (30, "batches")
    assert found == batch_means(np.append(values[:310], 1e9 * values), 10, most=30)


def test_a_run_ends_as_soon_as_the_interval_is_small_enough_but_not_before_20_batches():
    steady = np.tile([99.0, 101.0], 500)
    assert batch_means(steady, 1, precision=0.05).batches == 20
    wild = np.tile([50.0, 150.0], 2000)
    found = batch_means(wild, 1, most=4000, precision=0.05)
    before = batch_means(wild, 1, most=found.batches - 1)
    assert found.stopped == "precision"
    assert found.half_width < 0.05 * found.mean and before.half_width >= 0.05 * before.mean


def test_a_run_ends_when_its_mean_rises_above_the_ceiling():
    rising = np.arange(1000.0)
    found = batch_means(rising, 10, ceiling=200)
    assert found.stopped == "ceiling"
    assert found.mean > 200 >= batch_means(rising, 10, most=found.batches - 1).mean
    assert batch_means(rising, 10, ceiling=1e6).stopped == "end"


def test_batch_means_that_are_all_equal_have_no_autocorrelation():
    found = batch_means(np.full(50, 0.1), 5)
    assert found.half_width == pytest.approx(0, abs=1e-12)
    assert np.isnan(found.lag1)


@given(arrays(float, 60, elements=st.floats(0, 1e6)), st.integers(2, 20), st.floats(0.01, 0.5), st.floats(1, 1e6))
def test_a_stopped_run_gives_what_asking_for_as_many_batches_gives(values, least, precision, ceiling):
    found = batch_means(values, 2, most=25, least=least, precision=precision, ceiling=ceiling)
    again = batch_means(values, 2, most=found.batches)
    scale = 1e-6 * max(1, values.max())  # the spread is summed up from other parts, so not to the last digit
    assert (found.mean, found.half_width) == pytest.approx((again.mean, again.half_width), abs=scale)
    assert found.batches >= least


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch": 40}, "found 100 values, expected at least 120: 1 batches of 40 to warm up and two more"),
        ({"batch": 0}, "found batch=0, expected a whole number of at least 1"),
        ({"batch": 2.5}, "found batch=2.5"),
        ({"batch": 5, "warmup": -1}, "found warmup=-1"),
        ({"batch": 5, "least": 1}, "found most and least=1, expected a whole number of at least 2"),
        ({"batch": 5, "confidence": 90}, "found confidence=90, expected a share between 0 and 1"),
    ],
)
def test_settings_out_of_range_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        batch_means(np.ones(100), **settings)


def test_values_that_are_not_finite_are_an_error():
    with pytest.raises(ValueError, match="expected one row of finite numbers"):
        batch_means([1.0, np.nan, 2.0, 3.0], 1)


def test_a_band_holds_one_more_run_and_a_mean_of_ten_where_the_middle_of_the_runs_does_not():
    rng = np.random.default_rng(5)
    runs = pd.DataFrame(rng.lognormal(3, 0.1, (10, 2000)))
    further = rng.lognormal(3, 0.1, (10, 2000))

    def held(found, values):
        return ((found.low <= values) & (values <= found.high)).mean()

    assert held(band(runs), further[0]) == pytest.approx(0.95, abs=0.015)
    assert held(band(runs, averaged=10), further.mean(axis=0)) == pytest.approx(0.95, abs=0.015)
    assert held(middle(runs), further[0]) < 0.82


def test_the_band_of_equal_runs_is_their_number_and_of_one_run_nothing_is_known():
    assert band(pd.DataFrame({"jobs": [0.1] * 7})).loc["jobs"].tolist() == [0.1] * 3
    some = band(pd.DataFrame({"some": [1.0, np.nan, 3.0], "none": [np.nan] * 3}))
    assert some.loc["some"].round(1).tolist() == [-20.0, 2, 24.0]
    assert some.loc["none"].isna().all()


def test_intervals_are_those_of_student():
    runs = pd.DataFrame({"a": [0.5, 0.6, 0.7], "b": [1.0, np.nan, 3.0]})
    table = mean_interval(runs, 0.95)
    assert tuple(table.loc["a", ["low", "high"]]) == pytest.approx(stats.t.interval(0.95, 2, 0.6, stats.sem(runs.a)))
    assert tuple(table.loc["b", ["low", "high"]]) == pytest.approx(stats.t.interval(0.95, 1, 2, stats.sem([1, 3])))


def test_a_single_run_has_no_interval():
    with pytest.raises(ValueError, match="found 1 run"):
        mean_interval(pd.DataFrame({"a": [1.0]}))
    row = mean_interval(pd.DataFrame({"a": [1.0, np.nan]})).loc["a"]
    assert row["mean"] == 1 and np.isnan(row.low) and np.isnan(row.high)
