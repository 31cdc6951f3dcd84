"""Tang et al.'s exhibits of any log, and what lies beyond: predictions, switches, who pays, readings of the text."""

from dataclasses import replace
from itertools import product

import matplotlib
import numpy as np
import pandas as pd
import pytest
from helpers import tang_trace, texts
from hypothesis import given
from hypothesis import strategies as st

import simlib
from simlib import EASY, Predictions, estimates, plots, simulate, study
from simlib.policies import walltime
from simlib.study import claims, tang2013
from simlib.study.exhibit import LOGS
from simlib.study.investigations import tang_months
from simlib.study.investigations.tang_months import (
    BY_THEN,
    COBALT,
    COMPLETED,
    DAYS_31,
    FIGURES,
    SUBMITTED,
    TEXT,
    Reading,
)
from simlib.study.results import AS_IT_IS
from simlib.study.tang2013 import (
    accuracy,
    beyond,
    figure11,
    figure13,
    figures14_17,
    scheduling,
)
from simlib.study.tang2013.beyond import Predicted
from simlib.study.tang2013.scheduling import BASELINE

matplotlib.use("Agg")
HOUR, DAY = 3600, 86400
RESAMPLED, SHAKEN = {"resamples": 20}, {"shakes": 2}


def trace(name="made up", synthetic=False, n=1800):
    """Three months of jobs of six users who use a part of their requests that is their habit."""
    rng = np.random.default_rng(1)
    user = rng.integers(0, 6, n)
    jobs = pd.DataFrame({"submit": np.sort(rng.integers(0, 90 * DAY, n)), "user": user, "group": user // 2})
    jobs["estimate"] = np.array([2 * HOUR, 6 * HOUR])[rng.integers(0, 2, n)]
    used = np.array([0.05, 0.1, 0.3, 0.5, 0.6, 0.9])[user] + rng.uniform(-0.04, 0.04, n)
    jobs = jobs.assign(run=(used * jobs.estimate).astype(int), procs=2 ** rng.integers(0, 4, n))
    return tang_trace(jobs, name=name, synthetic=synthetic)


@pytest.fixture
def at_hand(monkeypatch):
    """A function that says which traces are found, which are missing, and which all logs are."""

    def say(found, missing=(), every=()):
        monkeypatch.setattr(tang2013, "traces", lambda names: (found, list(missing)))
        monkeypatch.setattr(beyond, "traces", lambda names: ([*every], []))

    return say


@pytest.mark.slow
@pytest.mark.parametrize(
    "make, options",
    [
        (figure13.Figure13, RESAMPLED),
        (tang_months.Detective, RESAMPLED),
        (figures14_17.Figures1417, SHAKEN),
        (beyond.Beyond, SHAKEN),
    ],
)
def test_from_any_log_every_part_is_made_and_drawn_and_every_claim_is_judged(at_hand, make, options):
    at_hand([trace()], every=[trace(), trace("other")])
    exhibit = make(**options)
    assert [claim["id"] for claim in exhibit.verdicts] == list(exhibit.claims)
    assert claims.UNTESTED not in {claim["verdict"] for claim in exhibit.verdicts}
    for suffix, part in exhibit.made.items():
        assert len(made(part.table))
        if part.draw:
            assert not stamped(exhibit.figure(suffix))


def made(table):
    return table() if callable(table) else table


def stamped(figure):
    return plots.SYNTHETIC in texts(figure)


@pytest.mark.slow
def test_where_a_twin_stands_in_pictures_are_stamped_when_made_and_no_claim_is_judged(at_hand):
    at_hand([trace(synthetic=True)])
    exhibit = figure13.Figure13()
    assert stamped(exhibit.figure())
    assert [claim["verdict"] for claim in exhibit.verdicts] == [claims.UNTESTED] * 2


@pytest.mark.slow
def test_a_log_is_named_as_missing_only_where_no_twin_takes_its_place(at_hand, capsys):
    at_hand([trace("one")], ["two"])
    assert list(figure13.Figure13().show_sources().index) == ["one"]
    assert "two: not on this machine, left out" in capsys.readouterr().out
    at_hand([trace("one", synthetic=True)], ["one"])
    figure13.Figure13().show_sources()
    said = capsys.readouterr().out
    assert "one: a synthetic twin" in said and "left out" not in said


@pytest.mark.slow
def test_all_logs_are_compared_without_those_that_only_stand_in(at_hand):
    at_hand([trace("one")], every=[trace("one"), trace("two")])
    exhibit = beyond.Beyond(shakes=2)
    assert {group: [one.name for one in of] for group, of in exhibit.sources.items()} == {
        LOGS: ["one"],
        beyond.OTHER_LOGS: ["two"],
    }
    assert exhibit.made["logs"].on == exhibit.made["reach"].on == (LOGS, beyond.OTHER_LOGS)
    at_hand([trace("one", synthetic=True)], every=[trace("two")])
    exhibit = beyond.Beyond(shakes=2)
    assert list(exhibit.logs.index.unique("trace")) == ["two"]
    assert not exhibit.synthetic(exhibit.made["logs"].on) and exhibit.synthetic(exhibit.made["switches"].on)


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
    monkeypatch.setattr(tang2013.archive, "twin_of", lambda name: made(name, True))
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


def earlier(submit=31 * DAY, **columns):
    """Three earlier jobs, of 10, 20 and 90 of 100 s, of which the last runs still; and a fourth that is submitted."""
    jobs = pd.DataFrame({"submit": [submit - 40, submit - 30, submit - 20, submit], "run": [10, 20, 90, 50]})
    return tang_trace(jobs.assign(estimate=100, **columns))


def a_of(trace, reading, percentile=100, window="1 month"):
    """The A of the last job, by the user's earlier ones."""
    jobs = trace.workload.jobs
    scheme = walltime.Scheme("user", window, percentile, least=reading.least)
    return reading.parameters(jobs, trace.ends, [scheme]).iloc[-1, 0]


def test_earlier_jobs_have_ended_or_end_that_very_second_or_were_submitted():
    ends_now = tang_trace(pd.DataFrame({"submit": [0, 0, 10], "run": [5, 10, 50], "estimate": 100}))
    assert a_of(ends_now, Reading(1)) == 0.05
    assert a_of(ends_now, Reading(1, history=BY_THEN)) == 0.1
    assert a_of(earlier(), Reading(1)) == 0.2
    assert a_of(earlier(), Reading(1, history=SUBMITTED)) == 0.9


def test_a_month_may_have_a_day_more():
    jobs = tang_trace(pd.DataFrame({"submit": [0, 30 * DAY + 100], "run": [50, 50], "estimate": 100}))
    assert np.isnan(a_of(jobs, Reading(1)))
    assert a_of(jobs, Reading(1, history=DAYS_31)) == 0.5
    assert a_of(jobs, Reading(1, history=DAYS_31), window=None) == 0.5


def test_a_percentile_may_be_one_of_the_values():
    jobs = tang_trace(pd.DataFrame({"submit": [0, 0, 50], "run": [10, 20, 90], "estimate": 100}))
    assert a_of(jobs, Reading(1), 50) == pytest.approx(0.15)
    assert a_of(jobs, Reading(1, percentile=COBALT), 50) == 0.2
    assert np.isnan(a_of(jobs, Reading(3, percentile=COBALT), 50))


@pytest.mark.parametrize("window", [None, "1 month"])
def test_without_interpolation_the_maximum_and_the_windows_are_the_same(window):
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, 90 * DAY, 500))
    jobs = pd.DataFrame({"submit": submit, "run": rng.integers(1, 3 * DAY, 500), "estimate": 3 * DAY})
    trace = tang_trace(jobs.assign(user=rng.integers(0, 5, 500)))
    schemes = [walltime.Scheme("user", window, 100, threshold, least) for threshold in (None, 0.5) for least in (1, 10)]
    of = trace.workload.jobs, trace.ends, schemes
    pd.testing.assert_frame_equal(tang_months.without_interpolation(*of), walltime.parameters(*of))


def test_jobs_that_did_not_complete_may_not_count():
    trace = earlier(status=[1, 5, 1, 1])
    (chosen,) = Reading(1, jobs=COMPLETED).traces([trace])
    assert len(chosen.workload) == 3 and a_of(chosen, Reading(1)) == 0.1
    assert Reading(1).traces([trace]) == [trace]


def exhibit(measured):
    """A detective that has measured parts of claims: by (least, floor), claim and part the value, and resamples."""
    found = tang_months.Detective(least=tuple(dict.fromkeys(least for least, _ in measured)), resamples=3)
    columns = {
        (*place, *TEXT, "made up", *of): values for place, parts in measured.items() for of, values in parts.items()
    }
    names = [*tang_months.PLACE, "trace", "claim", "part"]
    found.results = pd.DataFrame(columns).rename_axis(index="replication", columns=names)
    return found


def test_a_score_is_the_share_of_the_claims_that_is_met():
    accuracy, under, over = ("TG-08", "accuracy"), ("TG-08", "UE"), ("TG-22", "above half")
    nothing = [np.nan] * 4
    found = exhibit(
        {
            (1, 0.0): {accuracy: [0.3] * 4, under: [0.1, 0.1, 0.1, 0.9], ("TG-08", "BE"): nothing, over: [0.6] * 4},
            (1, 0.5): {accuracy: [0.3] * 4, under: [0.1] * 4, ("TG-08", "BE"): nothing, over: [0.4] * 4},
        }
    )
    assert found.scores[1, 0.0, *TEXT].tolist() == [1, 1, 1, 0.75]
    assert found.scores[1, 0.5, *TEXT].tolist() == [0.5] * 4
    assert found.ranking.index.get_level_values("floor").tolist() == [0, 0.5]
    assert found.ranking.behind.tolist() == [0, 0.5] and found.ranking.behind_low.iloc[1] < 0.5
    change = found.comparisons.loc["floor"].iloc[0]
    assert change.ours == -0.5 and change.clear
    assert found.statements["has to be"].tolist()[0] == "above +20%"


def test_each_group_of_figures_speaks_for_itself():
    def measured(least):
        parts = {(claim, next(iter(claims.criteria()[claim]))): [0.5] * 4 for of in FIGURES.values() for claim in of}
        ten = least == 10
        return parts | {
            ("TG-22", "above half"): [0.4 if ten else 0.6] * 4,
            ("TG-10", "double key"): [0.1 * ten - 0.05] * 4,
        }

    found = exhibit({(least, floor): measured(least) for least in (1, 10) for floor in (0.0, 0.5)}).where
    changes = found.ours.xs((10, 0.0), level=("least", "floor")).to_dict()
    expected = dict.fromkeys(FIGURES, 0) | {"Figures 4 and 5": -1 / 8, "Figure 8": 0.5}
    assert changes == pytest.approx(expected)
    assert found.clear.groupby("figures").all().to_dict() == {name: change != 0 for name, change in expected.items()}


def test_each_claim_on_figures_4_to_11_belongs_to_one_group_of_figures():
    measures = accuracy.SIMILARITY | accuracy.RECENCY | figure11.MEASURES
    assert sorted(claim for claims in FIGURES.values() for claim in claims) == sorted(measures)
