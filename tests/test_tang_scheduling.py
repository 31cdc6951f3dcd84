"""Figures 13 to 17 of Tang et al.: months, measures, what is carried over, gains and the verdicts on them."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import simlib
from simlib import EASY, papers, simulate, walltime
from simlib.papers import tang2013
from simlib.papers.tang2013 import pictures, scheduling, scheduling_claims
from simlib.papers.tang2013.scheduling import BASELINE, METRICS, PERCENTILES, RECORDED, STRATEGIES
from simlib.walltime import Adjustment, Scheme

matplotlib.use("Agg")
HOUR, DAY = 3600, 86400


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def trace(jobs, machine=8, name="made up", synthetic=False):
    """A trace of jobs that did not wait: a DataFrame of submit, run, estimate, and if it likes procs, user, group."""
    absent = {"procs": 1, "user": 1, "group": 1}
    jobs = jobs.assign(**{column: value for column, value in absent.items() if column not in jobs})
    log = jobs.assign(wait=0, requested_time=jobs.estimate)
    options = {"log": log, "start": pd.Timestamp("2009-01-01"), "synthetic": synthetic}
    return tang2013.Trace(name, simlib.Workload(jobs, machine, name, **options), "group")


def busy(months=3, a_day=20, seed=1, **options):
    """A trace under load, of six users who use a part of their requests that is their habit."""
    rng = np.random.default_rng(seed)
    n = 30 * months * a_day
    user = rng.integers(0, 6, n)
    estimate = np.array([2 * HOUR, 6 * HOUR, 12 * HOUR])[rng.integers(0, 3, n)]
    used = np.clip(np.array([0.05, 0.1, 0.3, 0.5, 0.6, 0.9])[user] + rng.normal(0, 0.03, n), 0.001, 1)
    jobs = {"submit": np.sort(rng.integers(0, 30 * months * DAY, n)), "run": (used * estimate).astype(int)}
    jobs |= {"estimate": estimate, "procs": 2 ** rng.integers(0, 4, n), "user": user, "group": user // 2}
    return trace(pd.DataFrame(jobs), **options)


@pytest.fixture(scope="module")
def made_up():
    return busy()


@pytest.fixture(scope="module")
def results(made_up):
    return scheduling.runs([made_up], shakes=3, seed=5)


# Which months


def test_a_month_has_the_jobs_submitted_in_it_and_the_load_that_they_bring():
    jobs = pd.DataFrame({"submit": [0, 31 * DAY - 1, 31 * DAY, 40 * DAY], "run": DAY, "estimate": [DAY, 3 * DAY] * 2})
    table = scheduling.months([trace(jobs, machine=2)], least_jobs=2).loc["made up"]
    assert table.index.tolist() == ["2009-01", "2009-02"] and table.jobs.tolist() == [2, 2]
    assert table.load["2009-01"] == pytest.approx(2 / (2 * 31))
    assert table.requested_h["2009-01"] == 48 and table.r["2009-01"] == pytest.approx(2 / 3)


def test_months_with_few_jobs_are_listed_but_not_simulated(made_up):
    first = made_up.workload.jobs.submit < 31 * DAY + HOUR
    part = tang2013.Trace("part", made_up.workload.select(first), "group")
    table = scheduling.months([part], least_jobs=100)
    assert table.simulated.tolist() == [True, False]
    found = scheduling.runs([part], shakes=2, least_jobs=100)
    assert found.index.unique("month").tolist() == ["2009-01"]
    assert scheduling.accuracy([part], least_jobs=100).index.tolist() == [("part", "2009-01")]


# Measures


def test_waits_are_weighed_with_priority_at_the_start(workload):
    w = workload([(0, 100, 400, 4), (0, 50, 50, 2), (0, 0, 10, 4)], 4)
    found = scheduling.measures(simulate(w, EASY(order="wfp")))
    wait, weight = np.array([0, 100, 100]), np.array([0, (100 / 50) ** 3 * 2, (100 / 10) ** 3 * 4])
    assert found["wait"] == pytest.approx(wait.mean())
    assert found["slowdown"] == pytest.approx((1 + 150 / 50 + 101) / 3)  # a run of no length counts as 1 s
    assert found["weighted_wait"] == found["weighted_wait_own"] == pytest.approx(wait @ weight / weight.sum())
    assert found["effective_jobs"] == pytest.approx(weight.sum() ** 2 / (weight**2).sum())


def test_under_fcfs_the_weight_is_the_wait(workload):
    w = workload([(0, 100, 100, 4), (0, 100, 100, 4), (0, 100, 100, 4)], 4)
    found = scheduling.measures(simulate(w, EASY()))
    assert found["weighted_wait"] == pytest.approx((100**2 + 200**2) / 300)
    assert found["effective_jobs"] == pytest.approx(300**2 / (100**2 + 200**2))


def test_where_nobody_waits_the_weighted_wait_is_nothing(workload):
    found = scheduling.measures(simulate(workload([(0, 100, 100, 1)], 4), EASY(order="wfp")))
    assert (found["weighted_wait"], found["weighted_wait_own"], found["effective_jobs"]) == (0, 0, 0)


def test_the_weight_is_made_of_the_users_request_and_the_own_one_of_the_adjusted(workload):
    past = pd.DataFrame({"user": [-1, 7], "run": 50, "estimate": 100, "end": -1})
    w = workload([(0, 100, 100, 4), (0, 100, 100, 4), (0, 100, 100, 4)], 4)
    w = w.derive(w.jobs.assign(user=[7, 8, 7]), "users")
    scheme = Scheme("user", None, 100, None, 1)
    schedule = simulate(w, EASY(order="wfp", adjust=Adjustment(scheme, past=past)))
    jobs = schedule.jobs
    assert jobs.adjusted.tolist() == [50, 100, 50] and jobs.wait.tolist() == [0, 200, 100]
    found = scheduling.measures(schedule)
    assert found["weighted_wait"] == pytest.approx((200 * 2**3 + 100 * 1) / (2**3 + 1))
    assert found["weighted_wait_own"] == pytest.approx((200 * 2**3 + 100 * 2**3) / (2**3 + 2**3))


# Figure 13


def test_accuracy_by_month_is_that_of_the_jobs_submitted_in_it(made_up):
    table = scheduling.accuracy([made_up]).loc["made up"]
    jobs = made_up.workload.jobs
    january = jobs.submit < 31 * DAY
    plain = walltime.accuracy(jobs.run, jobs.estimate)[january].mean()
    adjusted = walltime.adjusted(jobs, made_up.ends, scheduling.scheme(made_up, 85)).t_sched
    assert table.original["2009-01"] == pytest.approx(plain)
    assert table.p85["2009-01"] == pytest.approx(walltime.accuracy(jobs.run, adjusted)[january].mean())
    assert list(table) == ["original", "p95", "p85", "p70"]


def test_how_far_a_scheme_reaches_is_counted_over_all_jobs(made_up):
    row = scheduling.reach([made_up]).loc["made up"]
    jobs = made_up.workload.jobs
    a = walltime.adjusted(jobs, made_up.ends, scheduling.scheme(made_up, 85)).a
    assert row.no_history == a.isna().mean() and row.at_threshold == (a == 0.5).mean() > 0
    assert row.lowered <= 1 - row.no_history and row.months == 3 and row.jobs == len(jobs)
    assert row.accuracy < row.accuracy_after


# Simulations


def test_a_month_is_simulated_from_an_empty_machine(made_up, results):
    for order in scheduling.ORDERS:
        row = results.loc["made up"].loc["2009-02"].loc[order].loc[RECORDED].loc[BASELINE]
        summary = simulate(made_up.workload.months("2009-02"), EASY(order=order)).summary()
        assert row.wait == pytest.approx(summary.mean_wait)
        assert row.bounded_slowdown == pytest.approx(summary.mean_bounded_slowdown)


def test_what_is_known_of_jobs_is_carried_over_from_before(made_up):
    adjustment = scheduling.cases(made_up)["selective p85"]
    first, second = (scheduling.changes(made_up, month, "fcfs", adjustment) for month in ("2009-01", "2009-02"))
    assert (first.adjusted == first.estimate).iloc[:50].all()
    assert (second.adjusted < second.estimate).iloc[:50].mean() > 0.7
    expected = walltime.adjusted(made_up.workload.jobs, made_up.ends, adjustment.scheme).t_sched
    assert second.adjusted.iloc[0] == expected[second.index[0]]


def test_jobs_that_end_after_a_submission_or_too_long_before_teach_nothing():
    month, ends_at = 31 * DAY, np.array([-1, 1, -30 * DAY - DAY // 2])
    early = pd.DataFrame({"submit": np.repeat(month + ends_at.min() - DAY, 36), "user": np.repeat([1, 2, 3], 12)})
    early = early.assign(run=month + np.repeat(ends_at, 12) - early.submit, estimate=90 * DAY)
    late = pd.DataFrame({"submit": month, "user": [1, 2, 3], "run": 10, "estimate": 90 * DAY})
    one = trace(pd.concat([early, late], ignore_index=True).assign(group=1), machine=100)
    table = scheduling.changes(one, "2009-02", "fcfs", scheduling.cases(one)["regular p85"])
    assert (table.adjusted < table.estimate).tolist() == [True, False, False]


def test_every_case_gets_the_same_shakes_and_is_what_it_is_by_itself(made_up, results):
    month = made_up.workload.months("2009-03")
    shaken = month.shake(60, 6)
    for order, (name, of) in product(scheduling.ORDERS, scheduling.cases(made_up).items()):
        known = of and scheduling._carried_over(of, made_up, month)
        alone = scheduling.measures(simulate(shaken, EASY(order=order, adjust=known)))
        assert results.loc["made up", "2009-03", order, 6, name].to_dict() == alone


def test_results_do_not_depend_on_threads_and_repeat(made_up, results):
    with ThreadPoolExecutor(1) as one:
        again = scheduling.runs([made_up], shakes=3, seed=5, executor=one)
    pd.testing.assert_frame_equal(results, again)
    other = scheduling.runs([made_up], shakes=3, seed=6)
    assert (
        not other.drop(RECORDED, level="seed")
        .reset_index(drop=True)
        .equals(results.drop(RECORDED, level="seed").reset_index(drop=True))
    )


def test_without_shakes_there_is_no_spread(made_up):
    with pytest.raises(ValueError, match="found shakes=1, expected 2 or more"):
        scheduling.runs([made_up], shakes=1)


# Gains


def test_gains_are_relative_to_the_baseline_of_the_same_month_and_shake(results):
    found = scheduling.gains(results)
    row = results.loc["made up"].loc["2009-03"].loc["wfp"].loc[6]
    expected = 1 - row.loc["regular p70", "slowdown"] / row.loc[BASELINE, "slowdown"]
    assert found.loc[("made up", "wfp", "2009-03", 6), ("regular p70", "slowdown")] == pytest.approx(expected)


def table_of(gains, months=("2009-01", "2009-02", "2009-03")):
    """What `gains` gives: by (order, case, metric) a gain, the same in all months, and its spread over the shakes."""
    seeds = [RECORDED, *range(1, 42)]
    places = [place[1:] for place in gains if place[0] == "wfp"]
    columns = pd.MultiIndex.from_tuples(places, names=["case", "metric"])
    index = pd.MultiIndex.from_product(
        [["made up"], ["wfp", "fcfs"], months, seeds], names=["trace", "order", "month", "seed"]
    )
    noise = np.concatenate([[0], np.linspace(-1, 1, 41)])
    values = [
        [gains[order, *place][0] + gains[order, *place][1] * noise[k] for place in places]
        for order in ("wfp", "fcfs")
        for _ in months
        for k in range(len(seeds))
    ]
    return pd.DataFrame(values, index, columns)


def test_averages_are_taken_over_months_and_their_spread_over_shakes():
    names = product(("wfp", "fcfs"), ("regular p85",), METRICS)
    found = table_of({place: (0.2, 0.1) for place in names})
    found.loc[pd.IndexSlice[:, :, "2009-02"], ("regular p85", "wait")] = -0.1
    row = scheduling.averages(found).loc[("made up", "wfp", "regular p85", "wait")]
    assert row.gain == pytest.approx(0.1) and (row.months, row.better) == (3, 2)
    assert (row.low, row.high) == pytest.approx((0.1 - 0.95 * 0.2 / 3, 0.1 + 0.95 * 0.2 / 3))
    assert (row.worst, row.worst_month) == (pytest.approx(-0.1), "2009-02")
    assert row.se == pytest.approx(np.std([0.2, -0.1, 0.2], ddof=1) / np.sqrt(3))


def test_a_month_in_which_nobody_waits_has_no_gain_and_does_not_count():
    values = {(BASELINE, "2009-01"): 0.0, ("regular p85", "2009-01"): 5.0}
    values |= {(BASELINE, "2009-02"): 10.0, ("regular p85", "2009-02"): 5.0}
    rows = {
        ("one", month, "wfp", seed, name): dict.fromkeys(METRICS, value)
        for (name, month), value in values.items()
        for seed in (RECORDED, 1, 2)
    }
    names = ["trace", "month", "order", "seed", "case"]
    index = pd.MultiIndex.from_tuples(rows, names=names)
    found = scheduling.averages(scheduling.gains(pd.DataFrame(list(rows.values()), index)))
    row = found.loc[("one", "wfp", "regular p85", "wait")]
    assert row.gain == 0.5 and row.months == 1


# Beside the paper


def test_the_printed_gains_are_read_by_metric_and_percentile():
    assert scheduling.printed(14) == {
        ("wait", "p95"): 0.15,
        ("wait", "p85"): 0.15,
        ("slowdown", "p85"): 0.16,
        ("weighted_wait", "p85"): 0.19,
    }
    assert scheduling.printed(16) == {("wait", "p95"): 0.02, ("slowdown", "p70"): -0.08}
    assert scheduling.printed(17)["weighted_wait", "p70"] == 0.15


def test_tables_and_cells_have_every_printed_number_beside_ours(results):
    averages = scheduling.averages(scheduling.gains(results))
    table = scheduling.beside_printed(averages, 15)
    assert list(table) == ["p95", "p85", "p70"]
    assert table.loc[("Tang et al.", "weighted_wait"), "p85"] == "+28%"
    assert table.loc[("made up", "wait"), "p85"].endswith(" of 3")
    cells = scheduling.cells(averages)
    assert len(cells) == sum(len(scheduling.printed(figure)) for figure in scheduling.FIGURES)
    of = {"trace": "made up", "figure": 17, "quantity": "wait", "case": "p70"}
    cell = next(cell for cell in cells if cell["of"] == of)
    ours = averages.loc[("made up", "fcfs", "selective p70", "wait")]
    assert (cell["published"], cell["ours"], cell["verdict"]) == (0.2, ours.gain, papers.OTHER_LOG)
    assert (cell["low"], cell["high"]) == (ours.low, ours.high)


def test_pictures_have_three_panels_a_trace_and_the_bars(made_up, results):
    found = scheduling.gains(results)
    monthly, averages = (scheduling.of_figure(of(found), 14) for of in (scheduling.monthly, scheduling.averages))
    figure = pictures.gains_by_month(monthly, averages, scheduling.printed(14))
    wait, slowdown, weighted, bars = figure.axes
    assert [ax.get_ylabel() for ax in figure.axes[:3]] == [
        "mean wait, baseline = 100",
        "mean slowdown, baseline = 10",
        "weighted wait, baseline = 100",
    ]
    expected = 100 * (1 - monthly.gain.loc["made up"].loc["p85"].loc["wait"])
    assert wait.lines[1].get_ydata() == pytest.approx(expected.to_numpy())
    heights = [patch.get_height() for patch in bars.patches]
    assert heights[0] == pytest.approx(100 * averages.gain[("made up", "p95", "wait")])
    assert "printed" in [text.get_text() for text in figure.legends[0].get_texts()]
    figure = pictures.accuracy_by_month(scheduling.accuracy([made_up]))
    assert len(figure.axes[0].lines) == 4


# Verdicts


def as_printed():
    """Gains of the sizes that the paper prints; where it prints none, of the kind that it describes."""
    gains = {
        "wfp": {"regular": {95: 0.15, 85: 0.15, 70: 0.1}, "selective": {95: 0.15, 85: 0.22, 70: 0.2}},
        "fcfs": {"regular": {95: 0.02, 85: -0.03, 70: -0.08}, "selective": {95: 0.1, 85: 0.2, 70: 0.2}},
    }
    return {
        (order, scheduling.case(strategy, p), metric): (gains[order][strategy][p], 0.01)
        for order, strategy, p, metric in product(gains, STRATEGIES, PERCENTILES, METRICS)
    }


def verdicts(gains, here=None):
    here = here or [busy(months=1)]
    return {claim["id"]: claim["verdict"] for claim in scheduling_claims.claims(here, table_of(gains))}


def test_gains_as_printed_reproduce_all_claims():
    assert verdicts(as_printed()) == dict.fromkeys([f"TG-{n}" for n in range(15, 21)], papers.REPRODUCED)


def test_gains_of_a_third_of_the_size_reproduce_the_directions_only():
    gains = {place: (value / 3, spread / 3) for place, (value, spread) in as_printed().items()}
    found = verdicts(gains)
    assert [found[id] for id in ("TG-16", "TG-20")] == [papers.REPRODUCED] * 2
    assert [found[id] for id in ("TG-15", "TG-17", "TG-18", "TG-19")] == [papers.PARTLY] * 4


def test_gains_within_the_spread_of_the_shakes_are_not_clear():
    gains = {place: (value, 0.5) for place, (value, _) in as_printed().items()}
    assert verdicts(gains)["TG-20"] == papers.PARTLY


def test_losses_everywhere_reproduce_none_of_the_gains():
    lost = {place: (-0.3 + (0.05 if "70" in place[1] else 0), 0.01) for place in as_printed()}
    found = verdicts(lost)
    assert [found[id] for id in ("TG-15", "TG-16", "TG-17", "TG-19")] == [papers.NOT] * 4


def test_the_verdict_on_accuracy_asks_every_month():
    table = pd.DataFrame(
        {"original": [0.5, 0.5], "p95": [0.6, 0.6], "p85": [0.62, 0.62], "p70": [0.65, 0.61]},
        pd.MultiIndex.from_product([["made up"], ["2009-01", "2009-02"]], names=["trace", "month"]),
    )
    here = [busy(months=1)]

    def verdict(table):
        return scheduling_claims.accuracy(here, table)[0]["verdict"]

    assert verdict(table) == papers.PARTLY
    assert verdict(table.assign(p70=0.65)) == papers.REPRODUCED
    assert verdict(table.assign(p95=0.4, p70=0.6)) == papers.NOT


def test_twins_prove_nothing(results):
    found = scheduling_claims.claims([busy(months=1, synthetic=True)], scheduling.gains(results))
    assert {claim["verdict"] for claim in found} == {papers.UNTESTED}


# On a real log


def test_on_sdsc_ds_running_jobs_should_keep_the_users_estimates(log):
    log("SDSC-DS")
    (found,), _ = tang2013.traces("SDSC-DS")
    part = tang2013.Trace(found.name, found.workload.months("2004-07", "2004-10"), found.project)
    results = scheduling.runs([part], partial(scheduling.cases, percentiles=(85,)), shakes=2)
    gain = scheduling.averages(scheduling.gains(results)).gain.xs("wait", level="metric").loc["SDSC-DS"]
    assert gain["wfp", "selective p85"] > 0.05 and gain["fcfs", "selective p85"] > 0.05
    assert gain["fcfs", "regular p85"] < 0 < gain["wfp", "selective p85"] - gain["wfp", "regular p85"]
