"""Shaken runs that several exhibits need are made once, and are what `simlib.stats.shake` gives."""

from dataclasses import replace
from functools import partial

import pandas as pd
import pytest

from simlib import EASY, Conservative, load, simulate
from simlib.estimates import Uniform
from simlib.papers.mualem2001 import Trace, kept, means, shaken, table3, table4
from simlib.stats import shake
from simlib.walltime import Adjustment, Scheme


@pytest.fixture(scope="module")
def trace():
    w = load("sample")
    return Trace("KTH", w.select((w.jobs.submit < 20 * 86400).to_numpy()))


@pytest.fixture
def simulated(monkeypatch, tmp_path):
    """An empty place for runs, and a list that grows by the seed of each shaken one that is simulated."""
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    found = []
    note = found.extend  # what the list holds must not tell one run's function from another's

    def counting(workload, policy, runs, seconds, seed, *more):
        note(range(seed, seed + runs))
        return shake(workload, policy, runs, seconds, seed, *more)

    monkeypatch.setattr(shaken, "shake", counting)
    return found


def test_runs_are_those_of_the_shaken_workload(trace, simulated):
    found = shaken.by_month(trace, EASY(), runs=25, seconds=30, seed=7)
    expected = shake(trace.workload, EASY(), 25, 30, 7, trace.by_month)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert shaken.whole(trace, EASY(), runs=2, seconds=30, seed=7) == [
        means(trace.workload, EASY(), shake_s=30, seed=seed) for seed in (7, 8)
    ]


def test_what_was_simulated_once_is_not_simulated_again(trace, simulated):
    first = shaken.runs(trace, EASY(), runs=40)
    assert simulated == list(range(40))
    pd.testing.assert_frame_equal(shaken.runs(trace, EASY(), runs=20), first[:20], check_exact=True)
    pd.testing.assert_frame_equal(shaken.runs(trace, EASY(), runs=60)[:40], first, check_exact=True)
    assert simulated == list(range(60))


CHANGES = {
    "policy": lambda trace: (trace, EASY(reuse_extra=True)),
    "estimates": lambda trace: (replace(trace, workload=trace.workload.with_estimates("exact")), EASY()),
    "jobs": lambda trace: (replace(trace, workload=trace.workload.select("procs > 1")), EASY()),
    "months": lambda trace: (replace(trace, months_begin=8.0), EASY()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_is_different_is_simulated(trace, simulated, change):
    shaken.runs(trace, EASY(), runs=1)
    shaken.runs(*change(trace), runs=1)
    assert simulated == [0, 0]


@pytest.mark.parametrize("settings", [{"seconds": 59}, {"seed": 1}, {"overrun": "kill"}], ids=str)
def test_other_settings_are_other_runs(trace, simulated, settings):
    shaken.runs(trace, EASY(), runs=1)
    shaken.runs(trace, EASY(), runs=1, **settings)
    assert len(simulated) == 2


def test_each_run_may_have_its_own_made_up_estimates(trace, simulated):
    found = shaken.whole(trace, EASY(), runs=3, estimates=partial(Uniform, 11))
    assert found == [means(trace.workload, EASY(), estimates=Uniform(11, seed), seed=seed) for seed in range(3)]
    assert shaken.whole(trace, EASY(), runs=3, estimates=partial(Uniform, 2)) != found
    assert shaken.whole(trace, EASY(), runs=3, estimates=lambda seed: "exact") != found
    assert shaken.whole(trace, EASY(), runs=3, estimates=partial(Uniform, 11)) == found
    assert simulated == [*range(3)] * 3


def past(end):
    return pd.DataFrame({"user": [1], "group": [1], "run": [60], "estimate": [90], "end": [end]})


def test_policies_and_estimates_that_look_alike_are_told_apart(trace, simulated):
    one, other = (EASY(adjust=Adjustment(Scheme("user"), past=past(end))) for end in (1, 2))
    assert repr(one) == repr(other)
    shaken.runs(trace, one, runs=1)
    shaken.runs(trace, other, runs=1)
    assert simulated == [0, 0]

    def from_the_second_run_on(seed):
        return Uniform(11, max(seed - 1, 0))

    shaken.runs(trace, EASY(), runs=2, estimates=partial(Uniform, 11))
    shaken.runs(trace, EASY(), runs=2, estimates=from_the_second_run_on)  # the first run's estimates are equal
    assert simulated == [0, 0, 0, 1, 0, 1]


def test_the_users_of_the_jobs_count_too(trace, simulated):
    w = trace.workload
    strangers = replace(trace, workload=w.derive(w.jobs.assign(user=range(len(w))), "each by a user of its own"))
    for each in (trace, strangers):
        shaken.runs(each, EASY(adjust=Adjustment(Scheme("user"))), runs=1)
    assert simulated == [0, 0]


def test_another_state_of_the_library_makes_all_anew(trace, simulated, monkeypatch):
    shaken.runs(trace, EASY(), runs=1)
    monkeypatch.setattr(kept, "_library", lambda: ("2.0", "other"))
    shaken.runs(trace, EASY(), runs=1)
    assert simulated == [0, 0]


def test_the_last_row_has_the_means_over_all_jobs(trace):
    schedule = simulate(trace.workload, Conservative())
    table = trace.by_month_and_whole(schedule)
    assert table.drop(index=shaken.WHOLE).equals(trace.by_month(schedule).astype(float))
    assert table.loc[shaken.WHOLE].tolist() == schedule.summary(floor=None)[table.columns].tolist()


def test_the_tables_share_their_runs(trace, simulated):
    rules = {"easy": EASY(), "conservative": Conservative()}
    results = table4.runs([trace], shakes=2, rules=rules).set_index(["scheduler", "shake", "estimates"])
    table3.runs([trace], kinds=table3.qualities((1,)), shakes=2, rules=rules)
    assert len(simulated) == (2 + 1) * 2 * 2  # scaled, exact, and the log's own once; two schedulers, two shakes
    again = means(trace.workload, rules["conservative"], seed=1)
    assert results.loc[("conservative", 1, "original"), list(again)].to_dict() == again


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:40] + b"x" + data[41:], lambda data: b""]
)
def test_what_was_kept_and_is_damaged_is_made_anew(trace, simulated, damage):
    first = shaken.runs(trace, EASY(), runs=1)
    (path,) = kept.FOLDER.rglob("*.pickle")
    path.write_bytes(damage(path.read_bytes()))
    pd.testing.assert_frame_equal(shaken.runs(trace, EASY(), runs=1), first, check_exact=True)
    assert simulated == [0, 0]
