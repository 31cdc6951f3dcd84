"""Beyond Tang et al.: the notebook, run and changed; predictions, switches, who pays, other logs."""

from dataclasses import replace
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from exhibits import executed, tang_trace
from helpers import legend, texts
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, Predictions, estimates, plots, simulate
from simlib_study import claims, tang2013
from simlib_study.judging import AS_IT_IS
from simlib_study.tang2013 import beyond, scheduling
from simlib_study.tang2013.beyond import Predicted
from simlib_study.tang2013.scheduling import BASELINE

FEW = {"logs": ["SDSC-SP2"], "shakes": 2, "large_shakes": 2}
KINDS = {"R below 0.1": "r < 0.1", "the others": "r >= 0.1", "one processor": "share == 1 / 8"}


def table(rows):
    """Jobs of (submit, run, estimate, procs, user)."""
    return pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs", "user"], dtype="int64")


@st.composite
def jobs(draw, most=30):
    job = st.tuples(st.integers(0, 60), st.integers(0, 30), st.integers(1, 60), st.integers(1, 4), st.integers(-1, 2))
    return table(draw(st.lists(job, min_size=1, max_size=most))).sort_values("submit", ignore_index=True)


def repeated(n=600, seed=2):
    """A log of repeated jobs under load, most far below their requests."""
    rng = np.random.default_rng(seed)
    user = rng.integers(0, 5, n)
    run = rng.integers(60, 1200, n) * (user + 1)
    rows = [np.sort(rng.integers(0, 20 * 86400, n)), run, 7200, 2 ** rng.integers(0, 4, n), user]
    return table(dict(zip(["submit", "run", "estimate", "procs", "user"], rows, strict=True)))


@pytest.fixture(scope="module")
def made_up():
    return tang_trace(repeated())


# The last two jobs


@pytest.mark.slow
@given(jobs(), st.lists(st.integers(0, 40), min_size=30, max_size=30))
def test_a_job_is_predicted_from_the_last_two_of_its_user_that_ended_before(rows, delays):
    ends = rows.submit + rows.run + pd.Series(delays[: len(rows)])
    found = estimates.LastTwo(ends)(rows)
    for job, row in rows.iterrows():
        own = [
            other
            for other in rows.index[rows.index < job]
            if rows.user[other] == row.user and ends[other] <= row.submit
        ]
        expected = row.estimate
        if row.user != -1 and own:
            expected = min(expected, max(sum(rows.run[own[-2:]]) // len(own[-2:]), 1))
        assert found[job] == expected


# Predictions in place of a scheme


@pytest.mark.slow
@given(jobs(), st.sampled_from(scheduling.ORDERS))
def test_perfect_predictions_everywhere_are_exact_estimates(rows, order):
    w = simlib.Workload(rows.assign(group=1), 4)
    perfect = Predicted(predicted=w.jobs.run)
    schedule = simulate(w, EASY(order=order, adjust=perfect)).jobs
    assert schedule.adjusted.tolist() == w.jobs.run.tolist()
    expected = simulate(w.with_estimates("exact"), EASY(order=order)).jobs
    assert schedule.start.tolist() == expected.start.tolist()


@pytest.mark.slow
@given(jobs(), st.sampled_from(scheduling.ORDERS))
def test_predictions_above_the_estimates_change_nothing(rows, order):
    w = simlib.Workload(rows.assign(group=1), 4)
    above = Predicted(predicted=np.maximum(w.jobs.estimate, w.jobs.run) + 7)
    schedules = [simulate(w, EASY(order=order, adjust=of)).jobs.start.tolist() for of in (above, None)]
    assert schedules[0] == schedules[1]


# The notebook's cases


@pytest.fixture
def cells(small_logs):
    """What the notebook has before it simulates."""
    return executed("tang2013/beyond", until="runs = ", **FEW)


@pytest.fixture
def cases(cells, made_up):
    """Its cases of a made-up log, by section."""
    return {name: cells[name](made_up) for name in ("papers", "switched", "relaxed", "predicted")}


@pytest.mark.slow
def test_there_are_seven_ways_to_switch_on_something(cases):
    switches = {"queue", "backfill", "running"}
    on = {name: {switch for switch in switches if getattr(of, switch)} for name, of in cases["switched"].items()}
    assert len(on) == 7
    assert all(set(name.split(" + ")) == chosen for name, chosen in on.items())
    papers = cases["papers"]
    assert cases["switched"]["queue + backfill + running"] == papers["regular p85"]
    assert cases["switched"]["queue + backfill"] == papers["selective p85"]


@pytest.mark.slow
def test_settings_change_only_what_their_names_say(cases):
    found, papers = cases["relaxed"], cases["papers"]
    assert found["regular, A >= 0.5, 10 jobs"] == papers["regular p85"]
    loose = found["selective, any A, 2 jobs"]
    assert (loose.scheme.threshold, loose.scheme.least, loose.running) == (None, 2, False)
    assert len({(of.scheme, of.running) for of in found.values()}) == len(found) == 10


@pytest.mark.slow
def test_predictions_are_made_over_the_whole_log_and_used_month_by_month(made_up, cases):
    case = cases["predicted"]["selective last two jobs"]
    assert (case.queue, case.backfill, case.running) == (True, True, False)

    def asked(schedule):
        return {"mean": schedule.column("adjusted" if schedule.policy.adjust else "estimate").mean()}

    found = scheduling.runs([made_up], lambda trace: {BASELINE: None, "two": case}, asked, shakes=2, least_jobs=100)
    expected = estimates.LastTwo(made_up.ends)(made_up.workload.jobs)
    assert expected.mean() < made_up.workload.jobs.estimate.mean() / 2
    assert found.xs("two", level="case").to_numpy() == pytest.approx(expected.mean())


@pytest.mark.slow
def test_corrected_predictions_know_who_ended_before_the_month(made_up):
    later = made_up.workload.derive(made_up.workload.jobs.iloc[300:], "later")
    first = later.jobs.submit.iloc[0]
    ends = made_up.ends.copy()
    ends.iloc[[0, 1]] = first, first + 1  # who ends in the second of a submission has ended
    past = scheduling._carried_over(Predictions(), SimpleNamespace(workload=made_up.workload, ends=ends), later).past
    assert 0 < len(past) <= 300 and past.end.max() == first


@pytest.mark.slow
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.thorough)], ids=["some", "all"])
def test_all_cases_at_once_are_what_they_are_by_themselves(made_up, cells, step):
    def cases(trace):
        return dict(list(cells["cases"](trace).items())[::step])

    measures = partial(beyond.measures, cells["kinds"])
    results = scheduling.runs([made_up], cases, measures, shakes=2, least_jobs=100)
    shaken = made_up.workload.months("2009-01").shake(60, 2)
    for order, (name, of) in product(scheduling.ORDERS, cases(made_up).items()):
        policy = of if isinstance(of, EASY) else EASY(adjust=of)
        alone = measures(simulate(shaken, replace(policy, order=order)))
        assert results.xs(("made up", "2009-01", order, 2, name), level=[0, 1, 2, 3, "case"]).to_dict() == alone


# Who pays


def test_of_each_kind_are_the_jobs_that_its_condition_says(made_up):
    found = beyond.measures(KINDS, simulate(made_up.workload, EASY()))
    for measure in ("jobs", "waited"):
        assert found["all jobs", measure] == found["R below 0.1", measure] + found["the others", measure] > 0
    assert found["all jobs", "jobs"] == len(made_up.workload)
    assert found["one processor", "jobs"] == (made_up.workload.jobs.procs == 1).sum()


def test_gains_of_a_kind_are_those_of_its_mean_wait_over_all_months(made_up):
    cases = partial(scheduling.cases, percentiles=[85])
    runs = scheduling.runs([made_up], cases, partial(beyond.measures, KINDS), shakes=2, least_jobs=100)
    row = beyond.who_pays(runs).loc[("made up", "wfp", "selective p85", "R below 0.1")]
    jobs = made_up.workload.jobs
    wild = jobs.run < 0.1 * jobs.estimate
    adjust = scheduling.cases(made_up)["selective p85"]
    before, after = (simulate(made_up.workload, EASY(order="wfp", adjust=of)).jobs.wait for of in (None, adjust))
    assert row.share == wild.mean()
    assert row.as_it_is == pytest.approx(1 - after[wild].mean() / before[wild].mean())
    assert row.low <= row.ours <= row.high
    one = runs.xs(("wfp", BASELINE, "R below 0.1", "waited"), level=["order", "case", "kind", "metric"])
    assert one.index.unique("run").tolist() == [AS_IT_IS, 1, 2]
    assert row.before == pytest.approx(one.drop(AS_IT_IS, level="run").mean() / wild.sum())


# The notebook


@pytest.mark.slow
def test_all_logs_at_hand_are_compared_in_the_order_of_the_catalogue(small_logs):
    found = executed("tang2013/beyond", **FEW)
    here = ["SDSC-SP2", "CTC-SP2", "KTH-SP2", "LANL-CM5"]  # what is asked for, and the others
    assert list(found["of_logs"].index.unique("log")) == list(found["reached"].index) == here
    assert set(found["compared"]) == set(here) and found["compared"]["SDSC-SP2"] is found["logs"]["SDSC-SP2"]
    assert [text.get_text() for text in found["picture"].axes[0].get_yticklabels()] == here
    assert legend(found["picture"]) == ["wait", "slowdown", "bounded slowdown"]
    assert plots.SYNTHETIC not in texts(found["picture"])


def test_all_logs_that_are_compared_have_estimates_of_users():
    assert all(
        simlib.logs.archive.entry(setting["log"])["estimates"] == "user" for setting in tang2013.settings().values()
    )


@pytest.mark.thorough
def test_other_logs_are_compared_without_those_that_only_stand_in(small_logs, monkeypatch):
    monkeypatch.setattr(simlib.logs.archive, "find", lambda name, variant=None: name == "KTH-SP2" or None)
    twin = tang_trace(repeated(), name="SDSC-SP2", synthetic=True).workload
    monkeypatch.setattr(simlib.logs.archive, "twin_of", lambda name: twin)
    found = executed("tang2013/beyond", **FEW)
    assert list(found["of_logs"].index.unique("log")) == list(found["compared"]) == ["KTH-SP2"]
    assert all(plots.SYNTHETIC in texts(picture) for picture in found["pictures"].values())  # one record for all
    assert not (small_logs / "figures").exists()


# Which machines gain


def gained(gains, unlike=tuple(range(8)), reach=0.01):
    """Gains of some machines under both orders, all months alike but for a little."""
    table = pd.DataFrame({"ours": gains, "unlike": unlike}, [f"log {n}" for n in range(len(gains))])
    table = table.assign(months_low=table.ours - reach, months_high=table.ours + reach).rename_axis("log")
    return pd.concat({order: table for order in scheduling.ORDERS}, names=["order"]).assign(published=0.22)


def test_machines_gain_less_where_users_are_alike_only_if_that_is_beyond_chance():
    rising, mixed = np.arange(8) / 40, np.arange(8) % 2 / 10
    for gains, holds in ((rising, True), (-rising, False), (mixed, claims.OPEN), (rising[:5], None)):
        found, evidence, numbers = beyond.less_where_alike(gained(gains, range(len(gains))))
        assert found is holds or found == holds == claims.OPEN
        if holds is True:
            assert numbers == {"wfp": 1, "fcfs": 1} and "WFP +1.00 on 8 logs" in evidence


@pytest.mark.parametrize(
    "nearest, others, holds, counts",
    [
        ([0.2, 0.2, 0.2, 0.0], 0.0, True, (3, 1)),
        ([0.0, 0.0, 0.2, 0.0], 0.2, False, (1, 3)),
        ([0.2, 0.2, 0.0, 0.0], 0.0, claims.OPEN, (2, 2)),
        ([0.2, 0.2, 0.11, 0.11], 0.0, claims.OPEN, (2, 0)),
    ],
)
def test_half_of_the_printed_gain_is_asked_of_the_four_machines_that_are_most_alike(nearest, others, holds, counts):
    shuffled = gained([*nearest, *[others] * 4]).loc["wfp"].sample(frac=1, random_state=1)
    found, _, numbers = beyond.half_where_alike(shuffled)
    assert found is holds or found == holds == claims.OPEN
    assert (numbers["with"], numbers["against"], numbers["logs"]) == (*counts, 4)
    assert beyond.half_where_alike(shuffled.head(5))[0] is None
