"""Replications that several exhibits need are made once, and are what `simlib.analysis.stats.shake` gives."""

from dataclasses import replace
from functools import partial

import pandas as pd
import pytest
from helpers import first_days, lossy, means, of_traces, past

from simlib import EASY, Conservative, simulate
from simlib.analysis import cache
from simlib.analysis.stats import shake
from simlib.core.estimates import Uniform
from simlib.policies.walltime import Adjustment, Scheme
from simlib.study.mualem2001 import METRICS, WHOLE, Trace, on_traces, policies, tables3_4
from simlib.study.results import AS_IT_IS
from simlib.study.verdicts import CALENDAR, LIKELY, RESTORED, TEXT


@pytest.fixture(scope="module")
def trace():
    return Trace("KTH", first_days(20))


@pytest.fixture
def simulated(monkeypatch, tmp_path):
    """An empty place for runs, and a list that grows by the seed of each shaken one that is simulated."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    found = []
    note = found.extend  # what the list holds must not tell one run's function from another's

    def counting(workload, policy, runs, seconds, seed, *more):
        note(range(seed, seed + runs))
        return shake(workload, policy, runs, seconds, seed, *more)

    monkeypatch.setattr(on_traces, "shake", counting)
    return found


def shaken(trace, policy, shakes, **settings):
    """The replications that are not the workload as it is."""
    return on_traces.replications(trace, policy, shakes, as_it_is=False, **settings)


def of_all_jobs(found):
    """The means of each replication, as `means` gives them."""
    return on_traces.means(found, METRICS).unstack("metric")[list(METRICS)].to_dict("records")


def test_replications_are_the_workload_as_it_is_and_shaken(trace, simulated):
    found = on_traces.replications(trace, EASY(), 25, shake_s=30, seed=7)
    expected = shake(trace.workload, EASY(), 25, 30, 7, trace.by_month_and_whole)
    expected = expected.rename(columns=on_traces.QUANTITIES, level=1).set_axis(range(1, 26))
    wide = found.unstack(["month", "metric"]).drop(index=AS_IT_IS)
    assert set(wide.columns.unique("metric")) == set(on_traces.QUANTITIES.values())
    assert wide.to_numpy().tolist() == expected[list(wide.columns)].to_numpy().tolist()
    seeds = {AS_IT_IS: None, 1: 7, 2: 8}
    assert of_all_jobs(found.loc[:2]) == [
        means(trace.workload, EASY(), shake_s=30, seed=seed) for seed in seeds.values()
    ]


def test_what_was_simulated_once_is_not_simulated_again(trace, simulated):
    first = shaken(trace, EASY(), 40)
    assert simulated == list(range(40))
    pd.testing.assert_series_equal(shaken(trace, EASY(), 20), first.loc[:20], check_exact=True)
    pd.testing.assert_series_equal(shaken(trace, EASY(), 60).loc[:40], first, check_exact=True)
    assert simulated == list(range(60))


def test_the_months_of_both_calendars_are_measured_in_the_same_runs(trace, simulated):
    moved = replace(trace, months_begin=8.0)
    settled, calendar = (shaken(one, EASY(), 2) for one in (moved, moved.under(CALENDAR)))
    assert simulated == [0, 1]
    assert of_all_jobs(settled) == of_all_jobs(calendar)
    assert not settled.equals(calendar)
    pd.testing.assert_series_equal(calendar, shaken(trace, EASY(), 2), check_exact=True)
    assert simulated == [0, 1, 0, 1]


CHANGES = {
    "policy": lambda trace: (trace, EASY(reuse_extra=True)),
    "estimates": lambda trace: (replace(trace, workload=trace.workload.with_estimates("exact")), EASY()),
    "jobs": lambda trace: (replace(trace, workload=trace.workload.select("procs > 1")), EASY()),
    "months": lambda trace: (replace(trace, months_begin=8.0), EASY()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_is_different_is_simulated(trace, simulated, change):
    shaken(trace, EASY(), 1)
    shaken(*change(trace), 1)
    assert simulated == [0, 0]


@pytest.mark.parametrize("settings", [{"shake_s": 59}, {"seed": 1}, {"overrun": "kill"}], ids=str)
def test_other_settings_are_other_runs(trace, simulated, settings):
    shaken(trace, EASY(), 1)
    shaken(trace, EASY(), 1, **settings)
    assert len(simulated) == 2


def test_each_run_may_have_its_own_made_up_estimates(trace, simulated):
    def drawn(model):
        return of_all_jobs(shaken(trace, EASY(), 3, estimates=model))

    found = drawn(partial(Uniform, 11))
    assert found == [means(trace.workload, EASY(), estimates=Uniform(11, seed), seed=seed) for seed in range(3)]
    assert drawn(partial(Uniform, 2)) != found
    assert drawn(lambda seed: "exact") != found
    assert drawn(partial(Uniform, 11)) == found
    assert simulated == [*range(3)] * 3


def test_policies_and_estimates_that_look_alike_are_told_apart(trace, simulated):
    one, other = (EASY(adjust=Adjustment(Scheme("user"), past=past(end))) for end in (1, 2))
    assert repr(one) == repr(other)
    shaken(trace, one, 1)
    shaken(trace, other, 1)
    assert simulated == [0, 0]

    def from_the_second_run_on(seed):
        return Uniform(11, max(seed - 1, 0))

    shaken(trace, EASY(), 2, estimates=partial(Uniform, 11))
    shaken(trace, EASY(), 2, estimates=from_the_second_run_on)  # the first run's estimates are equal
    assert simulated == [0, 0, 0, 1, 0, 1]


def test_the_users_of_the_jobs_count_too(trace, simulated):
    w = trace.workload
    strangers = replace(trace, workload=w.derive(w.jobs.assign(user=range(len(w))), "each by a user of its own"))
    for each in (trace, strangers):
        shaken(each, EASY(adjust=Adjustment(Scheme("user"))), 1)
    assert simulated == [0, 0]


def test_another_state_of_the_library_makes_all_anew(trace, simulated, monkeypatch):
    shaken(trace, EASY(), 1)
    monkeypatch.setattr(cache, "_library", lambda: ("2.0", "other"))
    shaken(trace, EASY(), 1)
    assert simulated == [0, 0]


def test_the_last_row_has_the_means_over_all_jobs(trace):
    schedule = simulate(trace.workload, Conservative())
    table = trace.by_month_and_whole(schedule)
    assert table.drop(index=WHOLE).equals(trace.by_month(schedule).astype(float))
    assert table.loc[WHOLE].tolist() == schedule.summary(floor=None)[table.columns].tolist()


def test_the_tables_share_their_runs(trace, simulated):
    few = {"rules": (TEXT,), "shakes": 2}
    found = of_traces(tables3_4.Table4, trace, **few).results
    assert len(of_traces(tables3_4.Table3, trace, factors=(1,), **few).results) == 2 * 2 * 3 * 2
    assert len(simulated) == (2 + 1) * 2 * 2  # scaled, exact, and the log's own once; two schedulers, two shakes
    levels = {"quantity": "original", "trace": "KTH", "scheduler": "conservative", "rule": TEXT, "replication": 2}
    again = means(trace.workload, Conservative(), seed=1)
    assert found.xs(tuple(levels.values()), level=tuple(levels))[list(again)].to_dict() == again


# Restored logs


def test_each_replication_of_a_restored_trace_is_another_draw_and_their_median_stands_for_the_log(simulated):
    trace = lossy().under(RESTORED)
    found = on_traces.replications(trace, EASY(), 3, seed=4).unstack(["month", "metric"])
    runs = found.drop(index=AS_IT_IS)
    assert found.loc[AS_IT_IS].tolist() == runs.median().tolist()
    for number, seed in zip(runs.index, (4, 5, 6), strict=True):
        of_draw = means(trace.lost.whole(seed), EASY(), seed=seed)
        assert runs.loc[number, WHOLE][list(of_draw)].to_dict() == pytest.approx(of_draw, rel=1e-12)
    assert runs["1996-08"].jobs.tolist() == [runs["1996-08"].jobs.iloc[0]] * 3
    assert simulated == [4, 5, 6]


def test_draws_differ_even_where_nothing_is_shaken(simulated):
    found = shaken(lossy().under(RESTORED), EASY(), 3, shake_s=0).xs((WHOLE, "response_s"), level=("month", "metric"))
    assert found.nunique() == 3
    as_filed = shaken(lossy(), EASY(), 3, shake_s=0).xs((WHOLE, "response_s"), level=("month", "metric"))
    assert as_filed.nunique() == 1


def test_restored_traces_share_no_runs_with_the_file_nor_with_other_settings(simulated):
    trace = lossy()
    other = replace(trace, lost=trace.lost.with_setting(7, "run", 61))
    for each in (trace, other, trace.under(RESTORED), other.under(RESTORED), lossy().under(RESTORED)):
        shaken(each, EASY(), 1)
    assert simulated == [0, 0, 0]  # as filed both are one; a restored one made again is the same


def test_a_trace_that_lost_nothing_is_the_same_under_the_likely_program_and_restored(trace, simulated):
    found = on_traces.of_rules(trace, policies([LIKELY, RESTORED]), dict.fromkeys((LIKELY, RESTORED), 2))
    likely, restored = (found.xs(rule, level="rule") for rule in (LIKELY, RESTORED))
    pd.testing.assert_series_equal(likely, restored, check_exact=True)
    assert simulated == [0, 1] * 2  # once by each scheduler


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:40] + b"x" + data[41:], lambda data: b""]
)
def test_a_damaged_file_of_the_cache_is_made_anew(trace, simulated, damage):
    first = shaken(trace, EASY(), 1)
    (path,) = cache.FOLDER.rglob("*.pickle")
    path.write_bytes(damage(path.read_bytes()))
    pd.testing.assert_series_equal(shaken(trace, EASY(), 1), first, check_exact=True)
    assert simulated == [0, 0]
