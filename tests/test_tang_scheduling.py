"""Figures 13 to 17 of Tang et al.: months, measures, what is carried over, gains and the verdicts on them."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import helpers
import matplotlib
import numpy as np
import pandas as pd
import pytest
from helpers import tang_trace

from simlib import EASY, simulate, walltime
from simlib.papers import judging, tang2013
from simlib.papers import results as tidy
from simlib.papers.results import AS_IT_IS
from simlib.papers.tang2013 import figure13, figures14_17, on_traces, scheduling, scheduling_claims
from simlib.papers.tang2013.scheduling import BASELINE, METRICS, PERCENTILES, STRATEGIES
from simlib.walltime import Adjustment, Scheme

matplotlib.use("Agg")
HOUR, DAY = 3600, 86400


def busy(months=3, a_day=20, seed=1, **options):
    """A trace under load, of six users who use a part of their requests that is their habit."""
    rng = np.random.default_rng(seed)
    n = 30 * months * a_day
    user = rng.integers(0, 6, n)
    estimate = np.array([2 * HOUR, 6 * HOUR, 12 * HOUR])[rng.integers(0, 3, n)]
    used = np.clip(np.array([0.05, 0.1, 0.3, 0.5, 0.6, 0.9])[user] + rng.normal(0, 0.03, n), 0.001, 1)
    jobs = {"submit": np.sort(rng.integers(0, 30 * months * DAY, n)), "run": (used * estimate).astype(int)}
    jobs |= {"estimate": estimate, "procs": 2 ** rng.integers(0, 4, n), "user": user, "group": user // 2}
    return tang_trace(pd.DataFrame(jobs), **options)


def at(table, *place):
    """The rows of a table at some values of its first index levels."""
    return table.xs(place, level=list(range(len(place))))


@pytest.fixture(scope="module")
def made_up():
    return busy()


@pytest.fixture(scope="module")
def results(made_up):
    return scheduling.runs([made_up], shakes=3, seed=5)


# Which months


def test_a_month_has_the_jobs_submitted_in_it_and_the_load_that_they_bring():
    jobs = pd.DataFrame({"submit": [0, 31 * DAY - 1, 31 * DAY, 40 * DAY], "run": DAY, "estimate": [DAY, 3 * DAY] * 2})
    table = scheduling.months([tang_trace(jobs, machine=2)], least_jobs=2).loc["made up"]
    assert table.index.tolist() == ["2009-01", "2009-02"] and table.jobs.tolist() == [2, 2]
    assert table.load["2009-01"] == pytest.approx(2 / (2 * 31))
    assert table.requested_h["2009-01"] == 48 and table.r["2009-01"] == pytest.approx(2 / 3)


def test_months_with_few_jobs_are_listed_but_not_simulated(made_up, monkeypatch):
    first = made_up.workload.jobs.submit < 31 * DAY + HOUR
    part = tang2013.Trace("part", made_up.workload.select(first), "group")
    table = scheduling.months([part], least_jobs=100)
    assert table.simulated.tolist() == [True, False]
    found = scheduling.runs([part], shakes=2, least_jobs=100)
    assert found.index.unique("month").tolist() == ["2009-01"]
    monkeypatch.setattr(on_traces, "traces", lambda names: ([part], []))
    assert figure13.Figure13("part", least_jobs=100).table.index.tolist() == [("part", "2009-01")]


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
    table = figure13.accuracy([made_up]).loc["made up"]
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
        row = results.xs(("made up", "2009-02", order, AS_IT_IS, BASELINE), level=[0, 1, 2, 3, "case"])
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
    one = tang_trace(pd.concat([early, late], ignore_index=True).assign(group=1), machine=100)
    table = scheduling.changes(one, "2009-02", "fcfs", scheduling.cases(one)["regular p85"])
    assert (table.adjusted < table.estimate).tolist() == [True, False, False]


def test_every_case_gets_the_same_shakes_and_is_what_it_is_by_itself(made_up, results):
    month = made_up.workload.months("2009-03")
    shaken = month.shake(60, 6)
    for order, (name, of) in product(scheduling.ORDERS, scheduling.cases(made_up).items()):
        known = of and scheduling._carried_over(of, made_up, month)
        alone = scheduling.measures(simulate(shaken, EASY(order=order, adjust=known)))
        assert results.xs(("made up", "2009-03", order, 2, name), level=[0, 1, 2, 3, "case"]).to_dict() == alone


@pytest.mark.slow
def test_results_do_not_depend_on_threads_and_repeat(made_up, results):
    with ThreadPoolExecutor(1) as one:
        again = scheduling.runs([made_up], shakes=3, seed=5, executor=one)
    pd.testing.assert_series_equal(results, again)
    other = scheduling.runs([made_up], shakes=3, seed=6)
    as_it_is, shaken = (results.xs(number, level="replication") for number in (AS_IT_IS, 2))
    assert other.xs(AS_IT_IS, level="replication").equals(as_it_is)
    assert not other.xs(2, level="replication").equals(shaken)
    assert other.xs(1, level="replication").equals(shaken)  # its seed is 6 in both


def test_without_shakes_there_is_no_spread(made_up):
    with pytest.raises(ValueError, match="found shakes=1, expected 2 or more"):
        scheduling.runs([made_up], shakes=1)


# Gains


def test_gains_are_relative_to_the_baseline_of_the_same_month_and_shake(results):
    found = scheduling.gains(results)
    row = results.xs(("made up", "2009-03", "wfp", 2, "slowdown"), level=[0, 1, 2, 3, "metric"])
    expected = 1 - row["regular p70"] / row[BASELINE]
    assert found["made up", "wfp", "regular p70", "slowdown", "2009-03", 2] == pytest.approx(expected)


def table_of(gains, months=("2009-01", "2009-02", "2009-03")):
    """What `gains` gives: by (order, case, metric) a gain, the same in all months, and its spread over the shakes."""
    noise = np.concatenate([[0], np.linspace(-1, 1, 41)])
    found = {
        ("made up", *place, month, replication): gain + spread * noise[replication]
        for place, (gain, spread) in gains.items()
        for month in months
        for replication in range(AS_IT_IS, AS_IT_IS + 42)
    }
    return pd.Series(found).rename_axis([*scheduling.AVERAGED, "month", "replication"])


def test_averages_are_taken_over_months_and_their_spread_over_shakes():
    names = product(("wfp", "fcfs"), ("regular p85",), METRICS)
    found = table_of({place: (0.2, 0.1) for place in names})
    found[found.index.isin(["wait"], level="metric") & found.index.isin(["2009-02"], level="month")] = -0.1
    row = scheduling.averages(found).loc[("made up", "wfp", "regular p85", "wait")]
    assert row.ours == row.as_it_is == pytest.approx(0.1) and (row.months, row.better) == (3, 2)
    assert (row.low, row.high) == pytest.approx((0.1 - 0.95 * 0.2 / 3, 0.1 + 0.95 * 0.2 / 3))
    assert (row.worst, row.worst_month) == (pytest.approx(-0.1), "2009-02")
    assert row.se == pytest.approx(np.std([0.2, -0.1, 0.2], ddof=1) / np.sqrt(3))


def test_a_month_in_which_nobody_waits_has_no_gain_and_does_not_count():
    values = {(BASELINE, "2009-01"): 0.0, ("regular p85", "2009-01"): 5.0}
    values |= {(BASELINE, "2009-02"): 10.0, ("regular p85", "2009-02"): 5.0}
    rows = {
        ("one", month, "wfp", replication, metric, name): value
        for (name, month), value in values.items()
        for replication in (AS_IT_IS, 1, 2)
        for metric in METRICS
    }
    names = ["trace", "month", "order", "replication", "metric", "case"]
    found = scheduling.averages(scheduling.gains(pd.Series(rows).rename_axis(names)))
    row = found.loc[("one", "wfp", "regular p85", "wait")]
    assert row.ours == 0.5 and row.months == 1


# Beside the paper


def test_the_printed_gains_are_read_by_order_case_and_metric():
    table = scheduling.printed_gains()
    found = {
        figure: table.xs(order, level="order").loc[
            lambda of, s=strategy: of.index.get_level_values(0).str.startswith(s)
        ]
        for figure, (order, strategy) in figures14_17.FIGURES.items()
    }
    assert found[14].to_dict() == {
        ("regular p95", "wait"): 0.15,
        ("regular p85", "wait"): 0.15,
        ("regular p85", "slowdown"): 0.16,
        ("regular p85", "weighted_wait"): 0.19,
    }
    assert found[16].to_dict() == {("regular p95", "wait"): 0.02, ("regular p70", "slowdown"): -0.08}
    assert found[17]["selective p70", "weighted_wait"] == 0.15
    assert sum(map(len, found.values())) == len(table) == 15


@pytest.fixture
def exhibit(made_up, results):
    """Figures 14 to 17 of the results."""
    found = figures14_17.Figures1417("made up")
    found.__dict__.update(found=[made_up], results=results)
    return found


def test_tables_and_cells_have_every_printed_number_beside_ours(exhibit):
    table = exhibit.averages(15)
    assert table.columns.unique("case").tolist() == ["selective p95", "selective p85", "selective p70"]
    place = "made up", "wait"
    assert table.loc[("made up", "weighted_wait"), ("selective p85", "printed")] == "+28%"
    assert table.loc[place, ("selective p95", "printed")] == ""
    ours = exhibit.comparison.loc[("made up", "wfp", "selective p85", "wait")]
    expected = f"{scheduling.percent(ours.ours, ours)}, {ours.better} of 3"
    assert table.loc[place, ("selective p85", "ours")] == expected
    cells = exhibit.made[""].cells()
    assert len(cells) == len(scheduling.printed_gains())
    of = {"trace": "made up", "order": "fcfs", "case": "selective p70", "metric": "wait"}
    cell = next(cell for cell in cells if cell["of"] == of)
    ours, found = exhibit.comparison.loc[tuple(of.values())], cell["readings"][judging.TEXT]
    assert (cell["published"], found["ours"], found["verdict"]) == (0.2, ours.ours, judging.OTHER_LOG)
    assert (found["low"], found["median"], found["high"]) == (ours.low, ours["median"], ours.high)


def test_the_log_as_it_is_stays_apart_from_the_shaken_ones(results):
    found = scheduling.gains(results)
    table = scheduling.spread(found)
    place = "made up", "wfp", "regular p85", "wait", "2009-01"
    assert table.as_it_is[place] == found[(*place, AS_IT_IS)]
    assert table.ours[place] == pytest.approx(at(found, *place).drop(AS_IT_IS).mean())
    assert list(tidy.summary(found)) == ["ours", "mean", "sd", "low", "median", "high"]


def test_pictures_have_three_panels_a_trace_and_the_bars(made_up, exhibit):
    figure = exhibit.figure("figure14")
    wait, *_, bars = figure.axes
    assert [ax.get_ylabel() for ax in figure.axes[:3]] == [
        "mean wait, baseline = 100",
        "mean slowdown, baseline = 10",
        "weighted wait, baseline = 100",
    ]
    gain = at(exhibit.monthly.ours, "made up", "wfp", "regular p85", "wait")
    assert wait.lines[1].get_ydata() == pytest.approx((100 * (1 - gain)).to_numpy())
    heights = [patch.get_height() for patch in bars.patches]
    assert heights[0] == pytest.approx(100 * exhibit.comparison.ours[("made up", "wfp", "regular p95", "wait")])
    assert "printed" in [text.get_text() for text in figure.legends[0].get_texts()]
    figure = figure13.by_month(figure13.accuracy([made_up]))
    assert len(figure.axes[0].lines) == 4


def test_the_worst_month_is_that_of_the_selective_85th_percentile_by_slowdown(exhibit, made_up):
    gain = at(exhibit.monthly.ours, "made up", "wfp", "selective p85", "slowdown")
    assert exhibit.worst == ("made up", gain.idxmin())
    adjustment = scheduling.cases(made_up)["selective p85"]
    expected = scheduling.changes(made_up, gain.idxmin(), "wfp", adjustment)
    pd.testing.assert_frame_equal(exhibit.changes_of_worst, expected)


def test_what_goes_along_with_the_gains_is_a_rank_correlation_over_the_months(exhibit):
    gain = at(exhibit.monthly.ours, "made up", "fcfs", "selective p85", "wait")
    load = exhibit.months.loc["made up"].load
    assert exhibit.correlations.loc[("made up", "fcfs"), "load"] == pytest.approx(gain.corr(load, method="spearman"))
    assert exhibit.correlations.index.tolist() == [("made up", "wfp"), ("made up", "fcfs")]


# Verdicts


def as_printed():
    """Gains of the sizes that the paper prints; where it prints none, of the kind that it describes."""
    gains = {
        "wfp": {"regular": {95: 0.15, 85: 0.15, 70: 0.1}, "selective": {95: 0.15, 85: 0.22, 70: 0.2}},
        "fcfs": {"regular": {95: 0.02, 85: -0.03, 70: -0.08}, "selective": {95: 0.1, 85: 0.2, 70: 0.2}},
    }
    return {
        (order, f"{strategy} p{p}", metric): (gains[order][strategy][p], 0.01)
        for order, strategy, p, metric in product(gains, STRATEGIES, PERCENTILES, METRICS)
    }


def verdicts(gains):
    return helpers.verdicts(scheduling_claims.claims(table_of(gains)))


def test_gains_as_printed_reproduce_all_claims():
    assert verdicts(as_printed()) == dict.fromkeys([f"TG-{n}" for n in range(15, 21)], judging.REPRODUCED)


def test_gains_of_a_third_of_the_size_reproduce_the_directions_only():
    gains = {place: (value / 3, spread / 3) for place, (value, spread) in as_printed().items()}
    found = verdicts(gains)
    assert [found[id] for id in ("TG-16", "TG-20")] == [judging.REPRODUCED] * 2
    assert [found[id] for id in ("TG-15", "TG-17", "TG-18", "TG-19")] == [judging.PARTLY] * 4


def test_gains_within_the_spread_of_the_shakes_are_not_clear():
    gains = {place: (value, 0.5) for place, (value, _) in as_printed().items()}
    assert verdicts(gains)["TG-20"] == judging.PARTLY


def test_losses_everywhere_reproduce_none_of_the_gains():
    lost = {place: (-0.3 + (0.05 if "70" in place[1] else 0), 0.01) for place in as_printed()}
    found = verdicts(lost)
    assert [found[id] for id in ("TG-15", "TG-16", "TG-17", "TG-19")] == [judging.NOT] * 4


def test_the_verdict_on_accuracy_asks_every_month():
    table = pd.DataFrame(
        {"original": [0.5, 0.5], "p95": [0.6, 0.6], "p85": [0.62, 0.62], "p70": [0.65, 0.61]},
        pd.MultiIndex.from_product([["made up"], ["2009-01", "2009-02"]], names=["trace", "month"]),
    )

    def verdict(table):
        return scheduling_claims.accuracy(table)[0]["verdict"]

    assert verdict(table) == judging.PARTLY
    assert verdict(table.assign(p70=0.65)) == judging.REPRODUCED
    assert verdict(table.assign(p95=0.4, p70=0.6)) == judging.NOT


def test_twins_prove_nothing(exhibit):
    assert judging.UNTESTED not in helpers.verdicts(exhibit.verdicts).values()
    twin = figures14_17.Figures1417("made up")
    twin.__dict__.update(found=[busy(months=1, synthetic=True)], results=exhibit.results)
    assert set(helpers.verdicts(twin.verdicts).values()) == {judging.UNTESTED}


# On a real log


@pytest.mark.slow
def test_on_sdsc_ds_running_jobs_should_keep_the_users_estimates(log):
    log("SDSC-DS")
    (found,), _ = tang2013.traces("SDSC-DS")
    part = tang2013.Trace(found.name, found.workload.months("2004-07", "2004-10"), found.project)
    results = scheduling.runs([part], partial(scheduling.cases, percentiles=(85,)), shakes=2)
    gain = scheduling.averages(scheduling.gains(results)).ours.xs("wait", level="metric").loc["SDSC-DS"]
    assert gain["wfp", "selective p85"] > 0.05 and gain["fcfs", "selective p85"] > 0.05
    assert gain["fcfs", "regular p85"] < 0 < gain["wfp", "selective p85"] - gain["wfp", "regular p85"]
