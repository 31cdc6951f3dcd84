"""Figures 13 to 17 of Tang et al.: months, measures, what is carried over, gains and the verdicts on them."""

from functools import partial
from itertools import product

import exhibits
import helpers
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from described import DESCRIBED, MONTHS, as_printed, table_of_gains
from exhibits import tang_trace, trace_logs

from simlib import EASY, simulate
from simlib.policies import adjusting
from simlib.policies.adjusting import Adjustment, Scheme
from simlib_study import claims, tang2013
from simlib_study.judging import AS_IT_IS, OTHER_LOG
from simlib_study.tang2013 import figures14_17, scheduling
from simlib_study.tang2013.scheduling import BASELINE, METRICS, PERCENTILES

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


@pytest.fixture(scope="module", autouse=True)
def style():
    """Keeps the style that notebooks use from other modules."""
    with plt.rc_context():
        yield


@pytest.fixture(scope="module")
def made_up():
    return busy()


FIGURES_14_17, FEW = "tang2013/figures14-17", {"shakes": 3, "large_shakes": 3, "seed": 5}


@pytest.fixture(scope="module")
def notebook(made_up):
    """The variables of the notebook of Figures 14 to 17."""
    return executed(FIGURES_14_17, given={"logs": trace_logs(made_up)}, **FEW)


@pytest.fixture(scope="module")
def results(notebook):
    return notebook["runs"]


# Which months


def test_a_month_has_the_jobs_submitted_in_it_and_the_load_that_they_bring():
    jobs = pd.DataFrame({"submit": [0, 31 * DAY - 1, 31 * DAY, 40 * DAY], "run": DAY, "estimate": [DAY, 3 * DAY] * 2})
    table = scheduling.months([tang_trace(jobs, machine=2)], least_jobs=2).loc["made up"]
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


# Measures


def test_waits_are_weighed_with_priority_at_the_start(workload):
    w = workload([(0, 100, 400, 4), (0, 50, 50, 2), (0, 0, 10, 4)], 4)
    found = scheduling.measures(simulate(w, EASY(order="wfp")))
    wait, weight = np.array([0, 100, 100]), np.array([0, (100 / 50) ** 3 * 2, (100 / 10) ** 3 * 4])
    assert found["wait"] == pytest.approx(wait.mean())
    assert found["slowdown"] == pytest.approx((1 + 150 / 50 + 101) / 3)  # a run of no length counts as 1 s
    assert found["weighted_wait"] == found["weighted_wait_own"] == pytest.approx(wait @ weight / weight.sum())
    assert found["effective_jobs"] == pytest.approx(weight.sum() ** 2 / (weight**2).sum())


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


def test_accuracy_by_month_is_that_of_the_jobs_submitted_in_it(made_up, of_figure13):
    made = of_figure13
    table, runs = made["wide"].loc["made up"], made["runs"]
    assert (runs.drop(AS_IT_IS).std() > 0).all() and list(table) == ["original", "p95", "p85", "p70"]
    jobs = made_up.workload.jobs
    january = jobs.submit < 31 * DAY
    plain = adjusting.accuracy(jobs.run, jobs.estimate)[january].mean()
    adjusted = adjusting.adjusted(jobs, made_up.ends, scheduling.scheme(made_up, 85)).t_sched
    assert table.original["2009-01"] == pytest.approx(plain)
    assert table.p85["2009-01"] == pytest.approx(adjusting.accuracy(jobs.run, adjusted)[january].mean())
    assert claims.UNTESTED not in {made[name]["verdict"] for name in ("every_month", "above")}


@pytest.fixture(scope="module")
def of_figure13(made_up):
    """The variables of the notebook of Figure 13."""
    return executed("tang2013/figure13", given={"logs": trace_logs(made_up)}, resamples=50)


def test_how_far_a_scheme_reaches_is_counted_over_all_jobs(made_up):
    row = scheduling.reach([made_up]).loc["made up"]
    jobs = made_up.workload.jobs
    a = adjusting.adjusted(jobs, made_up.ends, scheduling.scheme(made_up, 85)).a
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
    expected = adjusting.adjusted(made_up.workload.jobs, made_up.ends, adjustment.scheme).t_sched
    assert second.adjusted.iloc[0] == expected[second.index[0]]


def test_jobs_that_end_after_a_submission_or_too_long_before_teach_nothing():
    month, ends_at = 31 * DAY, np.array([-1, 1, -30 * DAY - DAY // 2])
    early = pd.DataFrame({"submit": np.repeat(month + ends_at.min() - DAY, 36), "user": np.repeat([1, 2, 3], 12)})
    early = early.assign(run=month + np.repeat(ends_at, 12) - early.submit, estimate=90 * DAY)
    late = pd.DataFrame({"submit": month, "user": [1, 2, 3], "run": 10, "estimate": 90 * DAY})
    one = tang_trace(pd.concat([early, late], ignore_index=True).assign(group=1), machine=100)
    table = scheduling.changes(one, "2009-02", "fcfs", scheduling.cases(one)["regular p85"])
    assert (table.adjusted < table.estimate).tolist() == [True, False, False]


def test_large_logs_are_shaken_less_often_and_their_gains_are_those_of_their_own_shakes(made_up, monkeypatch):
    small = busy(months=1, name="small")
    monkeypatch.setattr(scheduling, "LARGE", len(small.workload))
    found = scheduling.runs([made_up, small], shakes=4, large_shakes=2, seed=5)
    often = found.groupby("log").apply(lambda of: of.index.unique("run").max())
    assert often.to_dict() == {"made up": 2, "small": 4}
    gains = scheduling.gains(found)
    assert {name: table.shape[1] for name, table in figures14_17.by_log(gains).items()} == {"made up": 3, "small": 5}
    alone = scheduling.gains(scheduling.runs([made_up], shakes=2, seed=5))
    pd.testing.assert_frame_equal(scheduling.averages(gains).loc[["made up"]], scheduling.averages(alone))
    statistics = figures14_17.printed_statistics(gains)
    pd.testing.assert_frame_equal(statistics.loc[["made up"]], figures14_17.printed_statistics(alone))


def test_one_run_of_a_log_stands_beside_its_months(made_up, notebook):
    found, case = notebook["one_run"], notebook["typical"]
    every, mean = figures14_17.ALL_JOBS, figures14_17.MEAN
    assert found.index.unique("of").tolist() == ["2009-01", "2009-02", "2009-03", every, mean]
    assert found.waited.groupby("order").sum().tolist() == pytest.approx([1, 1])
    policies = [EASY(order="fcfs", adjust=scheduling.cases(made_up)[of]) for of in (BASELINE, case)]
    shaken = [made_up.workload.shake(60, 5 + shake) for shake in range(3)]
    base, after = (np.array([simulate(w, policy).jobs.wait.sum() for w in shaken]) for policy in policies)
    assert found.loc[("made up", "fcfs", every), figures14_17.ONE] == pytest.approx((1 - after / base).mean())
    apart = scheduling.averages(notebook["gains"]).ours["made up", "wfp", case, "wait"]
    assert found.loc[("made up", "wfp", mean), figures14_17.APART] == pytest.approx(apart)


def test_a_shake_is_known_by_its_seed(made_up, results):
    other = scheduling.runs([made_up], shakes=3, seed=6)
    as_it_is, shaken = (results.xs(number, level="run") for number in (AS_IT_IS, 2))
    assert other.xs(AS_IT_IS, level="run").equals(as_it_is)
    assert not other.xs(2, level="run").equals(shaken)
    assert other.xs(1, level="run").equals(shaken)  # its seed is 6 in both


@pytest.mark.parametrize("name", ["shakes", "large_shakes"])
def test_without_shakes_there_is_no_spread(made_up, name):
    with pytest.raises(ValueError, match=f"found {name}=1, expected 2 or more"):
        scheduling.runs([made_up], **{name: 1})


# Gains


def test_averages_are_taken_over_months_and_their_spread_over_shakes():
    names = product(("wfp", "fcfs"), ("regular p85",), METRICS)
    found = table_of_gains({place: (0.2, 0.1) for place in names})
    found[found.index.isin(["wait"], level="metric") & found.index.isin(["2009-02"], level="month")] = -0.1
    row = scheduling.averages(found).loc[("made up", "wfp", "regular p85", "wait")]
    assert row.ours == row.as_it_is == pytest.approx(0.1) and (row.months, row.better) == (3, 2)
    assert (row.low, row.high) == pytest.approx((0.1 - 0.95 * 0.2 / 3, 0.1 + 0.95 * 0.2 / 3))
    assert (row.worst, row.worst_month) == (pytest.approx(-0.1), "2009-02")
    assert row.months_low < -0.1 < 0.2 < row.months_high, "all months may be the worst one, or another"


def test_months_are_drawn_anew_from_one_shake_and_all_cases_have_the_same_draws():
    place = ("wfp", "regular p85", "wait"), ("wfp", "regular p70", "wait")
    gains = {place[0]: ([0.3, 0.1, 0.2], 0.0), place[1]: ([0.2, 0.0, 0.1], 0.0), ("fcfs", *place[0][1:]): (0.1, 0.05)}
    gains["fcfs", "regular p70", "wait"] = [0.1, np.nan, 0.3], 0.0
    wide = table_of_gains(gains).drop(AS_IT_IS, level="run").loc["made up"].unstack("run")
    drawn = scheduling.redrawn(wide)
    assert drawn.shape == (4, 1000) and drawn.index.names == ["order", "case", "metric"]
    one, other = (drawn.loc[at] for at in place)
    assert (one - other).to_numpy() == pytest.approx(0.1), "paired"
    assert (one.min(), one.max()) == pytest.approx((0.1, 0.3)) and one.mean() == pytest.approx(0.2, abs=0.01)
    shakes = drawn.loc["fcfs", "regular p85", "wait"]
    assert shakes.std() == pytest.approx(0.05 * np.std(np.linspace(-1, 1, 41)), rel=0.1), "one shake for all months"
    nobody_waits = drawn.loc["fcfs", "regular p70", "wait"].dropna()
    assert 950 < len(nobody_waits) < 990 and nobody_waits.between(0.1 - 1e-9, 0.3 + 1e-9).all()


def test_the_sums_of_the_halves_of_a_month_are_those_of_the_jobs_submitted_in_them(made_up, results):
    jobs = simulate(made_up.workload.months("2009-02"), EASY(order="wfp")).jobs
    row = results.xs(("made up", "2009-02", "wfp", AS_IT_IS, BASELINE), level=[0, 1, 2, 3, "case"])
    early = jobs.submit < (31 + 14) * DAY
    weight = (jobs.wait / jobs.estimate) ** 3 * jobs.procs
    for half, of in zip(scheduling.HALVES, (early, ~early), strict=True):
        assert row[f"jobs, {half}"] == of.sum() > 0 and row[f"wait, {half}"] == jobs.wait[of].sum()
        assert row[f"weighted_wait, {half}"] == pytest.approx((jobs.wait * weight)[of].sum())
    for metric, by in scheduling.DIVIDED_BY.items():
        sums, divided_by = (sum(row[f"{name}, {half}"] for half in scheduling.HALVES) for name in (metric, by))
        assert sums / divided_by == pytest.approx(row[metric]), "together they are the month"


def halves_of(months, base=(1, 1), adjusted=(1, 1), jobs=(10, 10)):
    """What `scheduling.runs` gives of months whose halves have so many jobs, with so large sums of all metrics."""
    places = product(range(AS_IT_IS, AS_IT_IS + 3), {BASELINE: base, "regular p85": adjusted}.items())
    found = {
        ("one", f"2009-{month:02}", "wfp", run, f"{name}, {half}", case): value
        for run, (case, sums) in places
        for month in range(1, months + 1)
        for half, value_of, count in zip(scheduling.HALVES, sums, jobs, strict=True)
        for metric, by in scheduling.DIVIDED_BY.items()
        for name, value in {metric: value_of, by: count}.items()
    }
    return pd.Series(found, dtype=float).rename_axis(["log", "month", "order", "run", "metric", "case"])


def test_months_like_few_are_made_of_two_half_months_whose_jobs_are_taken_together():
    base, adjusted, jobs = (100, 900), (50, 990), (10, 30)
    found = scheduling.months_of_halves(halves_of(3, base, adjusted, jobs))["one"]
    assert found.index.unique("month").size == 3 and found.shape[1] == 1000
    for metric in METRICS:
        of = at(found, "wfp", "regular p85", metric).to_numpy().ravel()
        share = {round(gain, 9): (of.round(9) == round(gain, 9)).mean() for gain in (0.5, 1 - 1040 / 1000, -0.1)}
        assert list(share.values()) == pytest.approx([0.25, 0.5, 0.25], abs=0.03) and sum(share.values()) == 1


def test_half_months_without_jobs_are_not_drawn_and_an_odd_one_makes_no_month():
    found = halves_of(3, (100, 100), (50, 50))
    absent = found.index.isin(["2009-01"], level="month") & found.index.get_level_values("metric").str.endswith(
        "first half"
    )
    made = scheduling.months_of_halves(found.where(~absent, 0))["one"]
    assert made.index.unique("month").size == 2, "five halves"
    assert made.to_numpy() == pytest.approx(0.5)


def test_only_few_months_are_made_of_halves():
    assert list(scheduling.months_of_halves(halves_of(scheduling.FEW_MONTHS - 1))) == ["one"]
    assert scheduling.months_of_halves(halves_of(scheduling.FEW_MONTHS)) == {}
    assert scheduling.months_of_halves(halves_of(1, (0, 1), (0, 1), (0, 10))) == {}, "half a month makes none"


def test_months_made_of_halves_give_the_range_of_averages_and_of_shares(results):
    gains, halves = scheduling.gains(results), scheduling.months_of_halves(results)
    place = ("made up", "wfp", "selective p85", "wait")
    by_months, by_halves = (scheduling.averages(gains, of).loc[place] for of in (None, halves))
    made = at(halves["made up"], *place[1:]).mean()
    assert (by_halves.months_low, by_halves.months_high) == pytest.approx(tuple(made.quantile([0.025, 0.975])))
    assert by_halves.months_low != by_months.months_low and by_halves.ours == by_months.ours
    logs = tang2013.TraceLogs({}, {})
    one, other = (figures14_17.claim("TG-15", gains, logs, of)["readings"]["text"]["parts"] for of in (None, halves))
    differ = {a["part"] for a, b in zip(one, other, strict=True) if (a["low"], a["high"]) != (b["low"], b["high"])}
    assert differ >= {"size of p85"} and [a["value"] for a in one] == [b["value"] for b in other]
    wide = figures14_17.by_log(gains.drop(AS_IT_IS, level="run"))["made up"]
    better = figures14_17.share(wide, ("wfp", "regular", "wait", "better"), made=halves["made up"])
    drawn = at(halves["made up"], "wfp")
    drawn = drawn[
        drawn.index.get_level_values("case").str.startswith("regular") & drawn.index.isin(["wait"], level="metric")
    ]
    assert (better.low, better.high) == pytest.approx(tuple((drawn > 0).mean().quantile([0.025, 0.975])))


def test_what_few_months_tell_stands_beside_what_they_tell_by_halves(notebook, results):
    place = ("made up", "wfp", "selective p85", "wait")
    row, averages = (notebook[name].loc[place] for name in ("few", "averages"))
    low, high = 100 * averages.months_low, 100 * averages.months_high
    assert row["made of halves"] == f"{100 * averages.ours:+.0f} ({low:+.0f}\xa0to\xa0{high:+.0f})"  # on one line
    assert row["known to"] == pytest.approx((high - low) / 2)
    assert row["full months"] == pytest.approx(100 * averages.ours), "all three are full"
    absent = results.index.isin(["2009-01"], level="month") & results.index.isin(["jobs, first half"], level="metric")
    gains = scheduling.gains(results)
    less = figures14_17.few_months(results.where(~absent, 0), gains, scheduling.months_of_halves(results))
    later = at(figures14_17.spread(gains).ours, *place)[["2009-02", "2009-03"]]
    assert less["full months"].to_dict()[place] == pytest.approx(100 * later.mean())
    assert figures14_17.few_months(results, gains, {}).empty


def test_what_is_printed_is_told_with_ours_and_what_months_like_these_give(notebook):
    averages = notebook["averages"]
    row = averages.loc["made up", "wfp", "selective p85", "weighted_wait"]
    told = figures14_17.beside_print(averages.xs("wfp", level="order", drop_level=False))
    ours = f"{100 * row.ours:+.0f} ({100 * row.months_low:+.0f}\xa0to\xa0{100 * row.months_high:+.0f})"
    assert f"selective p85, weighted wait: printed +28%; made up {ours} %" in told and len(told) == 7
    assert figures14_17.beside_print(averages.drop(columns="published")) == []


def test_a_month_in_which_nobody_waits_has_no_gain_and_does_not_count():
    values = {(BASELINE, "2009-01"): 0.0, ("regular p85", "2009-01"): 5.0}
    values |= {(BASELINE, "2009-02"): 10.0, ("regular p85", "2009-02"): 5.0}
    rows = {
        ("one", month, "wfp", run, metric, name): value
        for (name, month), value in values.items()
        for run in (AS_IT_IS, 1, 2)
        for metric in METRICS
    }
    names = ["log", "month", "order", "run", "metric", "case"]
    found = scheduling.averages(scheduling.gains(pd.Series(rows).rename_axis(names)))
    row = found.loc[("one", "wfp", "regular p85", "wait")]
    assert row.ours == 0.5 and row.months == 1


# Beside the paper


def test_a_median_is_over_the_months_of_each_shake():
    wide = table_of_gains({("wfp", "regular p85", "wait"): ([0.4, -0.2, 0.1], 0)}).loc["made up"].unstack("run")
    for name, value in {"median month": 0.1, "median change": 0.2}.items():
        assert figures14_17.statistic(wide, "wfp", "regular p85", "wait", name).eq(value).all()


def test_every_printed_number_stands_beside_ours_and_is_not_judged(notebook):
    tables = notebook["averages"], notebook["stated"]
    assert sum(table.published.notna().sum() for table in tables) == len(scheduling.printed_table())
    judged = pd.concat([table[table.published.notna()] for table in tables])
    assert set(judged.verdict) == {OTHER_LOG}
    row = notebook["stated"].loc["made up", "wfp", "selective p85", "wait", "median month"]
    assert (row.published, row.note) == (0.2, "over; for most months")
    averages = notebook["averages"]
    assert averages.published["made up", "fcfs", "selective p70", "wait"] == 0.2
    row = averages.loc["made up", "wfp", "selective p85", "wait"]
    read = notebook["read"](15).loc[("made up", "wait")]
    assert read["selective p85"] == f"{100 * row.ours:+.0f}"
    ranges = ["low", "high", "months_low", "months_high"]
    assert read[[*ranges, "better", "months"]].tolist() == [
        *map("{:+.0f}".format, 100 * row[ranges]),
        str(row.better),
        "3",
    ]


def test_a_figure_begins_with_the_averages_and_has_a_panel_for_the_months_of_each_percentile(notebook):
    figure = notebook["figure14"]
    wait, months = figure.axes[0], figure.axes[1]
    titles = [ax.get_title("left") for ax in figure.axes if ax.get_title("left")]
    assert titles == [f"gain in {name}" for name in figures14_17.PAPERS.values()]
    assert [label.get_text() for label in wait.get_yticklabels()] == ["made up"]
    averages = notebook["averages"]
    for (case, p), ours, printed in zip(
        {f"regular p{p}": p for p in PERCENTILES}.items(), wait.lines[:-1:2], wait.lines[1:-1:2], strict=True
    ):
        row = averages.loc["made up", "wfp", case, "wait"]
        assert ours.get_xdata() == pytest.approx([row.ours])
        np.testing.assert_allclose(printed.get_xdata(), [row.published])
        (one,) = [ax for ax in figure.axes[1:4] if ax.get_title() == f"p{p}"]
        gain = at(notebook["monthly"].ours, "made up", "wfp", case, "wait")
        assert one.lines[0].get_ydata() == pytest.approx(gain.to_numpy())
    assert months.get_ylabel() == "made up\nJan 2009 to\nMar 2009"
    (legend,) = figure.legends
    assert helpers.texts(legend)[:3] == ["regular p95", "regular p85", "regular p70"]
    assert legend.get_title().get_text().replace("\n", " ").startswith("Figure 14: WFP, regular adjustment: ")


def drawn(gains, months):
    """Figure 17 of made-up gains."""
    table = table_of_gains(gains, [str(month) for month in pd.period_range("2009-05", periods=months, freq="M")])
    table = table[table.index.isin(["fcfs"], level="order")]
    table = table[table.index.get_level_values("case").str.startswith("selective")]
    return figures14_17.draw(scheduling.spread(table), scheduling.averages(table), "Figure 17")


@pytest.mark.parametrize("months", [12, 24])
def test_all_months_of_a_log_are_in_one_row_and_no_value_lies_beyond_the_axis(months):
    gains = as_printed(months)
    gains["fcfs", "selective p70", "weighted_wait"] = np.where(np.arange(months) == 3, -2.5, 0), 0.0
    averages, by_month = (axes[kind] for axes in [panels(drawn(gains, months))] for kind in (0, 1))
    assert (len(averages), len(by_month)) == (3, 9)
    for ax in by_month:
        assert len(ax.lines[0].get_xdata()) == months and ax.get_ylim() == by_month[0].get_ylim()
    assert by_month[0].get_ylim()[0] < -2.5


def panels(figure):
    """The panels of averages, and those of months."""
    titles = [ax.get_title("left") + ax.get_title() for ax in figure.axes]
    return [
        [ax for ax, title in zip(figure.axes, titles, strict=True) if ("gain in" in title) == top]
        for top in (True, False)
    ]


def test_the_worst_month_is_that_of_the_selective_85th_percentile_by_slowdown(notebook, made_up):
    gain = at(notebook["monthly"].ours, "made up", "wfp", "selective p85", "slowdown")
    assert (notebook["worst"], notebook["month"]) == ("made up", gain.idxmin())
    expected = scheduling.changes(made_up, gain.idxmin(), "wfp", scheduling.cases(made_up)["selective p85"])
    pd.testing.assert_frame_equal(notebook["changes"], expected)


# Verdicts


def claimed(gained, id):
    """The record of a claim by (order, case, metric) gains, or by a table of them."""
    gained = table_of_gains(gained, MONTHS) if isinstance(gained, dict) else gained
    return figures14_17.claim(id, gained, tang2013.TraceLogs({}, {}))


def test_the_notebook_decides_these_claims(notebook):
    numbers = *range(15, 21), *range(29, 37), 39, 40, 41, 43, 45, 46, 49
    assert [claim["id"] for claim in notebook["verdicts"]] == [f"TG-{number}" for number in numbers]
    assert claims.UNTESTED not in exhibits.verdict_by_id(notebook["verdicts"]).values()


@pytest.mark.slow
def test_the_papers_own_numbers_pass_wherever_they_are_printed():
    found = {id: DESCRIBED[id]()["readings"].get(claims.PRINTED) for id in figures14_17.CLAIMS}
    told = {id for id, reading in found.items() if reading}
    some = {"TG-15", "TG-17", "TG-18", "TG-19", "TG-20", "TG-30", "TG-31", "TG-36"}
    assert told == some | {"TG-40", "TG-41", "TG-45", "TG-46", "TG-49"}
    assert {found[id]["verdict"] for id in told} == {claims.REPRODUCED}


def test_an_average_gain_is_one_of_months_like_these_and_a_worst_month_one_of_these():
    months = np.where(
        np.arange(24) % 2 == 0, -0.2, 0.6
    )  # 0.2 on average, which 24 such months hardly tell from nothing
    gains = as_printed() | {("fcfs", "selective p85", "wait"): (months, 0.001)}
    found = {part["part"]: part for part in claimed(gains, "TG-19")["readings"]["text"]["parts"]}
    average, worst = found["p85, wait"], found["p85, no month worse"]
    assert average["value"] == pytest.approx(0.2) and average["verdict"] == claims.OPEN
    assert average["high"] - average["low"] == pytest.approx(4 * 0.4 / np.sqrt(24), rel=0.1)
    assert worst["high"] - worst["low"] < 0.003 and worst["verdict"] == claims.HOLDS_NOT


def test_differences_are_taken_within_a_shake():
    gains = {place: (gain, 0.5) for place, (gain, _) in as_printed().items()}
    assert claimed(gains, "TG-16")["verdict"] == claims.REPRODUCED, "all schemes have the same shakes"
    assert claimed(gains, "TG-20")["verdict"] == claims.INCONCLUSIVE, "a gain itself is within their spread"


def test_a_share_of_months_is_averaged_over_schemes_and_shakes_and_its_interval_is_over_months():
    gains = {("wfp", f"regular p{p}", "wait"): ([1.0, 1.0, -1.0, -1.0], 0.1) for p in (95, 85)}
    gains["wfp", "regular p70", "wait"] = [1.0, 1.0, 1.0, 0.0], 0.1
    wide = table_of_gains(gains, [f"2009-0{month}" for month in (1, 2, 3, 4)]).drop(AS_IT_IS, level="run")
    wide = wide.loc["made up"].unstack("run")
    found = figures14_17.share(wide, ("wfp", "regular", "wait", "better"))
    by_month = [1, 1, 1 / 3, 20 / 41 / 3]
    assert found.value == pytest.approx(np.mean(by_month)) and 0.2 < found.low < 0.35 and found.high == 1
    assert set(np.round(found.runs, 6)) == {round(7 / 12, 6), round(8 / 12, 6)}
    less = figures14_17.share(wide, *[("wfp", case, "wait", "better") for case in ("regular p70", "regular p95")])
    assert less.value == pytest.approx(1 / 4 + 20 / 41 / 4)


def test_months_without_a_gain_or_loss_to_compare_do_not_count():
    gains = {("wfp", f"regular p{p}", "wait"): ([0.5, np.nan, -0.5], 0.0) for p in PERCENTILES}
    wide = table_of_gains(gains).drop(AS_IT_IS, level="run").loc["made up"].unstack("run")
    assert figures14_17.share(wide, ("wfp", "regular", "wait", "better")).value == 0.5


@pytest.mark.slow
def test_each_log_is_measured_by_itself():
    place = ("fcfs", "selective p85", "weighted_wait")
    tables = [table_of_gains(of, MONTHS) for of in (as_printed() | {place: (of, 0.001)} for of in (0.15, -0.1))]
    found = claimed(pd.concat([tables[0], tables[1].rename({"made up": "other"}, level="log")]), "TG-36")
    of = {(part["part"], part["on"]): part["verdict"] for part in found["readings"]["text"]["parts"]}
    assert (of["p85", "made up"], of["p85", "other"]) == (claims.HOLDS, claims.HOLDS_NOT)


# On a real log


@pytest.mark.slow
def test_on_sdsc_ds_running_jobs_should_keep_the_users_estimates(log):
    log("SDSC-DS")
    (found,) = tang2013.logs("SDSC-DS").traces.values()
    part = tang2013.Trace(found.name, found.workload.months("2004-07", "2004-10"), found.project)
    results = scheduling.runs([part], partial(scheduling.cases, percentiles=(85,)), shakes=2)
    gain = scheduling.averages(scheduling.gains(results)).ours.xs("wait", level="metric").loc["SDSC-DS"]
    assert gain["wfp", "selective p85"] > 0.05 and gain["fcfs", "selective p85"] > 0.05
    assert gain["fcfs", "regular p85"] < 0 < gain["wfp", "selective p85"] - gain["wfp", "regular p85"]


def test_cases_that_differ_in_anything_are_simulated_each():
    cases = {"baseline": None, "five": EASY(reservations=5), "shared": EASY(reuse_extra=True)}
    found = scheduling.runs([busy(months=1)], lambda trace: cases, shakes=2, least_jobs=1, orders=["fcfs"])
    waits = found.xs("wait", level="metric").groupby("case").mean()
    assert waits.nunique() == 3
