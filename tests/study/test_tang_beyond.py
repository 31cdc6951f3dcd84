"""Beyond Tang et al.: the last two jobs, predictions in place of schemes, switches, who pays, other logs."""

from dataclasses import replace
from itertools import product

import matplotlib
import numpy as np
import pandas as pd
import pytest
from helpers import tang_trace
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, Predictions, estimates, simulate, study
from simlib.study import tang2013
from simlib.study.results import AS_IT_IS
from simlib.study.tang2013 import beyond, scheduling
from simlib.study.tang2013.beyond import Predicted
from simlib.study.tang2013.scheduling import BASELINE

matplotlib.use("Agg")


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


def test_the_last_two_jobs_are_those_submitted_last_not_those_to_end_last():
    rows = table([(0, 100, 500, 1, 1), (10, 20, 500, 1, 1), (20, 40, 500, 1, 1), (200, 1, 500, 1, 1)])
    assert estimates.LastTwo(rows.submit + rows.run)(rows).iloc[-1] == (20 + 40) // 2


def test_a_prediction_is_no_more_than_the_user_asks_for():
    rows = table([(0, 100, 500, 1, 1), (0, 100, 500, 1, 1), (200, 1, 50, 1, 1)])
    assert estimates.LastTwo(rows.submit + rows.run)(rows).tolist() == [500, 500, 50]


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


def test_predictions_are_made_over_the_whole_log_and_used_month_by_month(made_up):
    case = beyond.predictions(made_up)["selective last two jobs"]
    assert (case.queue, case.backfill, case.running) == (True, True, False)
    found = scheduling.changes(made_up, "2009-01", "wfp", case)
    expected = estimates.LastTwo(made_up.ends)(made_up.workload.jobs)
    assert found.adjusted.tolist() == expected[found.index].tolist()
    assert (found.adjusted < found.estimate).mean() > 0.9


def test_of_the_first_month_easy_plus_plus_is_the_librarys_and_later_ones_know_who_ended_before(made_up):
    cases = {name: of for name, of in beyond.predictions(made_up).items() if "corrected" in name or name == "EASY++"}
    workload = made_up.workload.months("2009-01")
    policies = scheduling._policies(cases, made_up, workload)
    assert len(policies) == 3
    for name, other in {
        "EASY++": EASY.plus_plus(),
        "selective last two, corrected": EASY(adjust=Predictions(running=False)),
    }.items():
        starts = [simulate(workload, policy).column("start").tolist() for policy in (policies[name], other)]
        assert starts[0] == starts[1]
    later = made_up.workload.derive(made_up.workload.jobs.iloc[300:], "later")
    first = later.jobs.submit.iloc[0]
    past = scheduling._carried_over(Predictions(), made_up, later).past
    assert 0 < len(past) <= 300 and (past.end < first).all()


def test_to_plan_with_predictions_there_must_be_some():
    with pytest.raises(ValueError, match="found no predictions, expected predicted="):
        Predicted()


# Switches and settings


def test_there_are_seven_ways_to_switch_on_something(made_up):
    found = beyond.switches(made_up)
    assert found.pop(BASELINE) is None
    on = {name: {switch for switch in beyond.SWITCHES if getattr(of, switch)} for name, of in found.items()}
    assert len(on) == 7
    assert all(set(name.split(" + ")) == chosen for name, chosen in on.items())
    regular, selective = (scheduling.cases(made_up)[f"{strategy} p85"] for strategy in ("regular", "selective"))
    assert found["queue + backfill + running"] == regular and found["queue + backfill"] == selective


def test_under_fcfs_the_order_of_the_queue_does_not_look_at_estimates(made_up):
    def starts(order, adjust):
        return simulate(made_up.workload, EASY(order=order, adjust=adjust)).jobs.start.tolist()

    queue = beyond.switches(made_up)["queue"]
    assert starts("fcfs", queue) == starts("fcfs", None)
    assert starts("wfp", queue) != starts("wfp", None)


def test_all_cases_at_once_are_what_they_are_by_themselves(made_up):
    results = scheduling.runs([made_up], beyond.cases, measure=beyond.measures, shakes=2, least_jobs=100)
    shaken = made_up.workload.months("2009-01").shake(60, 2)
    for order, (name, of) in product(scheduling.ORDERS, beyond.cases(made_up).items()):
        policy = of if isinstance(of, EASY) else EASY(adjust=of)
        alone = beyond.measures(simulate(shaken, replace(policy, order=order)))
        assert results.xs(("made up", "2009-01", order, 2, name), level=[0, 1, 2, 3, "case"]).to_dict() == alone


def test_settings_change_only_what_their_names_say(made_up):
    found = beyond.relaxed(made_up)
    cases = scheduling.cases(made_up)
    assert found["regular, A >= 0.5, 10 jobs"] == cases["regular p85"]
    loose = found["selective, any A, 2 jobs"]
    assert (loose.scheme.threshold, loose.scheme.least, loose.running) == (None, 2, False)
    assert len({(of.scheme, of.running) for of in found.values() if of}) == len(found) - 1


# Who pays


def test_every_job_is_of_one_kind_by_its_estimate_and_of_one_by_its_size(made_up):
    found = beyond.measures(simulate(made_up.workload, EASY()))
    for measure in ("jobs", "waited"):
        counts = [found[kind, measure] for kind in beyond.KINDS]
        assert counts[0] == sum(counts[1:4]) == sum(counts[4:])
    assert found["all jobs", "jobs"] == len(made_up.workload)
    assert found["above 1/8 of the machine", "jobs"] == (made_up.workload.jobs.procs > 1).sum()


@pytest.fixture(scope="module")
def results(made_up):
    return scheduling.runs([made_up], beyond.strategies, beyond.measures, shakes=2, least_jobs=100)


def test_gains_of_a_kind_are_those_of_its_mean_wait_over_all_months(made_up, results):
    row = beyond.who_pays(results).loc[("made up", "wfp", "selective p85", "R below 0.1")]
    jobs = made_up.workload.jobs
    wild = jobs.run < 0.1 * jobs.estimate
    adjust = scheduling.cases(made_up)["selective p85"]
    before, after = (simulate(made_up.workload, EASY(order="wfp", adjust=of)).jobs.wait for of in (None, adjust))
    assert row.share == wild.mean()
    assert row.as_it_is == pytest.approx(1 - after[wild].mean() / before[wild].mean())
    assert row.low <= row.ours <= row.high
    one = results.xs(("wfp", BASELINE, "R below 0.1", "waited"), level=["order", "case", "kind", "metric"])
    assert one.index.unique("replication").tolist() == [AS_IT_IS, 1, 2]
    assert row.before == pytest.approx(one.drop(AS_IT_IS, level="replication").mean() / wild.sum())


# Other logs


def test_all_logs_with_users_and_estimates_take_part_and_twins_only_where_there_is_none(monkeypatch):
    here = {"KTH-SP2"}
    log = repeated().assign(wait=0, requested_time=7200, group=1)
    log.loc[0, "requested_time"] = -1

    def made(name, synthetic):
        options = {"log": log, "start": pd.Timestamp("2009-01-01"), "synthetic": synthetic}
        return simlib.Workload(log, 8, name, **options)

    monkeypatch.setattr(tang2013.archive, "find", lambda name, variant=None: name in here or None)
    monkeypatch.setattr(study, "load", lambda name, variant=None: made(name, False))
    monkeypatch.setattr(tang2013.twin, "workload", lambda name: made(name, True))
    (kth,) = beyond.Beyond().every
    assert (kth.name, kth.project, len(kth.workload)) == ("KTH-SP2", "group", 599)
    here.clear()
    twins = beyond.Beyond().every
    assert twins and all(one.workload.stand_in for one in twins)


def test_all_logs_that_are_compared_have_estimates_of_users():
    assert all(
        simlib.logs.archive.entry(setting["log"])["estimates"] == "user" for setting in tang2013.settings().values()
    )


def test_pictures_have_a_panel_a_log_and_order(results):
    averages = beyond.averages(results)
    figure = beyond.by_row(averages, ["trace", "order"], "case", "metric", ["wait", "bounded_slowdown"])
    assert [ax.get_title() for ax in figure.axes] == ["made up, WFP", "made up, FCFS"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["regular p85", "selective p85"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["wait", "bounded slowdown"]
    dots = figure.axes[1].lines[0].get_xdata()
    expected = averages.ours.xs(("fcfs", "wait"), level=("order", "metric"))
    assert dots == pytest.approx(100 * expected.to_numpy())


def test_the_cases_of_a_section_can_be_laid_out_wide(made_up, results):
    exhibit = beyond.Beyond(shakes=2)
    exhibit.__dict__.update(
        found=[made_up], averages=beyond.averages(results).rename({"regular p85": "a"}, level="case")
    )
    rows = exhibit.of_cases(beyond.strategies)
    wide = rows.ours.unstack("case", sort=False)
    assert wide.columns.tolist() == ["selective p85"]
    assert (
        wide.loc[("made up", "fcfs", "wait"), "selective p85"] == rows.ours["made up", "fcfs", "selective p85", "wait"]
    )
