"""Policies held against each other: what differs, for whom, and how sure that is."""

import numpy as np
import pandas as pd
import pytest
from helpers import random_workload
from hypothesis import given, settings
from hypothesis import strategies as st

import simlib
from simlib import EASY, FCFS, Conservative, Workload, compare, estimates, plots, replicate, report
from simlib.analysis import Comparison, comparison
from simlib.analysis.comparison import INTERVALS, MEASURES, holds
from simlib.analysis.replicate import blocks
from simlib.analysis.stats import interval_around
from simlib.core.percentiles import STATISTICS, statistics
from simlib.policies.walltime import Adjustment, Scheme
from simlib.study.tang2013.beyond import Predicted

ENDS = [f"{interval}_{end}" for interval in INTERVALS for end in ("low", "high")]


@pytest.fixture(scope="module")
def sample():
    return simlib.load("sample")


@pytest.fixture(scope="module")
def found(sample):
    """A comparison of three policies on the sample."""
    policies = {"FCFS": FCFS(), "EASY": EASY(), "exact": (EASY(), "exact")}
    return compare(sample, policies, base="EASY", shakes=4, resamples=100)


def shaken(workload):
    """The shaken runs of a comparison with three."""
    return [workload.shake(60, seed) for seed in range(3)]


def test_the_table_has_a_row_a_policy_group_measure_and_statistic(found, sample):
    assert (found.base, found.others) == ("EASY", ["FCFS", "exact"])
    index = found.table.index
    assert list(index.names) == ["policy", "by", "group", "measure", "statistic"]
    assert index.is_unique and index.equals(found.relative.index)
    assert found.by == ["all", "month", "user", "group", "size"]  # there is one queue, and no partition
    assert list(found.table) == ["jobs", "base", "value", "difference", *ENDS]
    assert found.table.loc["FCFS", "all", "all"].index.to_list() == [(m, s) for m in MEASURES for s in STATISTICS]
    users = sample.jobs.user.value_counts()
    assert found.groups("user") == [str(user) for user in sorted(users[users >= 30].index)]


def test_differences_are_those_of_runs_with_the_same_seeds(found, sample):
    def measure(schedule):
        return pd.Series(statistics(schedule.column("wait")), STATISTICS)

    runs = [replicate(sample, policy, shakes=4, measures=measure, as_it_is=False) for policy in (EASY(), FCFS())]
    runs = [
        pd.concat([measure(simlib.simulate(sample, policy)).to_frame().T, of])
        for of, policy in zip(runs, (EASY(), FCFS()), strict=True)
    ]
    table = found.table.loc["FCFS", "all", "all", "wait"]
    difference = runs[1].to_numpy() - runs[0].to_numpy()
    np.testing.assert_allclose(table.base, runs[0].mean())
    np.testing.assert_allclose(table.difference, difference.mean(axis=0))
    np.testing.assert_allclose(table.coincidence_low, np.quantile(difference, 0.025, axis=0))
    np.testing.assert_allclose(table.coincidence_high, np.quantile(difference, 0.975, axis=0))
    relative = found.relative.loc["FCFS", "all", "all", "wait", "mean"]
    assert relative.difference == pytest.approx(runs[1]["mean"].mean() / runs[0]["mean"].mean() - 1)


def test_another_year_is_made_of_the_same_weeks_for_both(found, sample):
    def waits(policy):  # of each job, the mean over the log as it is and the shaken runs
        runs = [simlib.simulate(w, policy) for w in (sample, *(sample.shake(60, seed) for seed in range(4)))]
        return np.mean([run.jobs.wait.loc[sample.jobs.index] for run in runs], axis=0)

    week = blocks(sample)
    sums = np.array([np.bincount(week, wait) for wait in (waits(EASY()), waits(FCFS()), np.ones(len(week)))])
    drawn = simlib.analysis.stats.cluster_draws(len(sums.T), 100)[1:]
    base, other, jobs = sums @ drawn.T
    expected = np.quantile((other - base) / jobs, [0.025, 0.975])
    row = found.table.loc["FCFS", "all", "all", "wait", "mean"]
    np.testing.assert_allclose([row.another_year_low, row.another_year_high], expected)


def test_a_groups_rows_are_those_of_its_jobs(found, sample):
    jobs = sample.jobs
    month = sample.calendar_month(jobs.submit) == "2026-02"
    alone = compare(sample, {"EASY": EASY(), "FCFS": FCFS()}, shakes=3, by=["all", "month"], resamples=3)
    runs = [[simlib.simulate(w, p) for w in (sample, *shaken(sample))] for p in (EASY(), FCFS())]
    means = [np.mean([run.jobs.loc[jobs.index[month]].response.mean() for run in of]) for of in runs]
    row = alone.table.loc["FCFS", "month", "2026-02", "response", "mean"]
    assert (row.jobs, row.base, row.value) == (month.sum(), *map(pytest.approx, means))


def test_policies_that_are_equal_do_not_differ_at_all(sample):
    same = {"EASY": EASY(), "again": EASY(), "by wait": EASY(order=lambda wait, estimate, procs: wait)}
    found = compare(sample, same, shakes=3, resamples=50)
    assert (found.table[["difference", "coincidence_low", "coincidence_high"]] == 0).all(axis=None)
    assert (found.table[ENDS].fillna(0) == 0).all(axis=None)
    assert set(found.who(by="user").holds) == {"equal"}
    assert "0 of" in repr(found)


class Planted:
    """EASY on a machine that is somehow better: each job starts halfway between its submission and EASY's start."""

    def schedule(self, submit, run, estimate, procs, machine):
        start = EASY().schedule(submit, run, estimate, procs, machine)["start"]
        return {"start": submit + (start - submit) // 2}


def test_a_planted_better_policy_shows_everywhere(monkeypatch, sample):
    monkeypatch.setattr(simlib.Schedule, "check", lambda schedule: None)
    found = compare(sample, {"EASY": EASY(), "planted": Planted()}, shakes=3, resamples=100)
    relative = found.relative.loc["planted"]
    waits = relative.xs(("wait", "mean"), level=("measure", "statistic"))
    assert waits.difference.between(-0.51, -0.49).all()
    known = waits[waits.another_year_low.notna()]
    assert (known[["coincidence_high", "another_year_high"]] < -0.49).all(axis=None)
    assert holds(found.table.loc["planted", "all", "all", "wait", "95th"]) == "another year"
    clear = found.who("planted", "user")
    assert (clear.difference <= 0).all() and "planted: 0 of" in repr(found)


def test_one_measure_may_gain_while_another_loses():
    w = random_workload(3, jobs=3000)
    found = compare(w, {"EASY": EASY(), "narrow first": EASY(order=lambda wait, estimate, procs: -procs)}, shakes=5)
    sizes = found.who(by="size")
    assert sizes.index[0] == "33-64" and sizes.difference.iloc[0] > 0 > sizes.difference.iloc[-1]
    assert sizes.difference.is_monotonic_decreasing


def test_a_policy_may_have_estimates_of_its_own(sample):
    cases = {
        "EASY": EASY(),
        "exact": (EASY(), "exact"),
        "model": (EASY(), estimates.Exact()),
        "function": (EASY(), lambda w: w.with_estimates("exact")),
    }
    found = compare(sample, cases, shakes=3, by=["all"])
    rows = found.table.droplevel(["by", "group"]).groupby("policy")
    exact, model, function = (rows.get_group(name).to_numpy() for name in ("exact", "model", "function"))
    assert np.array_equal(exact, model) and np.array_equal(exact, function)
    assert found.policies["exact"].endswith("estimates: exact") and "Exact()" in found.policies["function"]
    direct = simlib.simulate(sample.with_estimates("exact"), EASY()).summary().mean_wait
    runs = [simlib.simulate(one, EASY()).summary().mean_wait for one in shaken(sample.with_estimates("exact"))]
    row = found.table.loc["exact", "all", "all", "wait", "mean"]
    assert row.value == pytest.approx(np.mean([direct, *runs]))


@pytest.mark.parametrize("base", ["EASY", "later"])
def test_jobs_that_come_in_another_order_are_still_the_same_jobs(sample, base):
    def later(w):  # one job in three comes a day later
        return w.derive(w.jobs.assign(submit=w.jobs.submit + 86400 * (w.jobs.index % 3 == 0)), "later")

    found = compare(sample, {"EASY": EASY(), "later": (EASY(), later)}, base=base, shakes=3, by=["size"])
    large = sample.jobs.procs > 64
    for name, w in (("EASY", sample), ("later", later(sample))):
        waits = [simlib.simulate(each, EASY()).jobs.wait.loc[sample.jobs.index] for each in (w, *shaken(w))]
        row = found.table.loc[found.others[0], "size", "65-128", "wait", "mean"]
        assert row["base" if name == base else "value"] == pytest.approx(
            np.mean([each[large].mean() for each in waits])
        )


def test_a_policy_may_adjust_estimates(sample):
    scheme = Adjustment(Scheme("user"), running=False)
    cases = {
        "EASY": EASY(),
        "adjusted": EASY(adjust=scheme),
        "known": EASY(adjust=Predicted(predicted=sample.jobs.run)),
    }
    found = compare(sample, cases, shakes=3, by=["all"])
    for name in ("adjusted", "known"):
        runs = [simlib.simulate(w, cases[name]) for w in (sample, *shaken(sample))]
        row = found.table.loc[name, "all", "all", "wait", "mean"]
        assert row.value == pytest.approx(np.mean([run.summary().mean_wait for run in runs]))
    assert found.policies["adjusted"] == str(cases["adjusted"])


def test_jobs_with_names_and_without_a_calendar_can_be_compared():
    w = Workload.of("few", 4, A=(0, 10, 10, 3), B=(100, 50, 50, 2), C=(200, 5, 5, 4))
    found = compare(w, {"EASY": EASY(), "FCFS": FCFS()}, shakes=3, least=1)
    assert found.by == ["all", "size"]
    assert found.table[["another_year_low", "another_year_high"]].isna().all(axis=None)  # one week
    assert "not known" in repr(found)


EASY_AND_FCFS = {"EASY": EASY(), "FCFS": FCFS()}


@pytest.mark.parametrize(
    "policies, options, message",
    [
        ({"EASY": EASY()}, {}, "compare: found policies=.*, expected a dict by name, .* with at least 2"),
        ([EASY(), FCFS()], {}, "compare: found policies=.*EASY.*, expected a dict by name"),
        (EASY_AND_FCFS, {"base": "SJF"}, "found base='SJF', expected one of EASY, FCFS"),
        (EASY_AND_FCFS, {"shakes": 2}, "found shakes=2, expected a whole number of at least 3: two runs say"),
        (EASY_AND_FCFS, {"shakes": 5.0}, "found shakes=5.0, expected a whole number"),
        (EASY_AND_FCFS, {"seconds": -5}, "compare: found seconds=-5, expected a whole number, 0 to"),
        (EASY_AND_FCFS, {"seconds": 2**63 - 1}, "compare: found seconds=.*, expected a whole number, 0 to"),
        (EASY_AND_FCFS, {"seed": -1}, "compare: found seed=-1, expected a whole number of at least 0"),
        (EASY_AND_FCFS, {"least": 0}, "compare: found least=0, expected a whole number of at least 1"),
        (EASY_AND_FCFS, {"by": []}, "found by=.*, expected a list of some of 'all', 'month'"),
        (EASY_AND_FCFS, {"by": "size"}, "found by='size', expected a list"),
        (EASY_AND_FCFS, {"resamples": 2.5}, "found resamples=2.5, expected"),
        (EASY_AND_FCFS, {"block": "day"}, "found block='day', expected 'week' or 'month'"),
        (EASY_AND_FCFS, {"by": ["colour"]}, "found by=.*colour.*, expected a list of some of"),
        (
            EASY_AND_FCFS | {"few": (EASY(), lambda w: w.select("procs > 8"))},
            {},
            "few: found <Workload .* the same jobs",
        ),
        (EASY_AND_FCFS | {"large": (EASY(), lambda w: w.with_procs(999))}, {}, "large: found <Workload .* machine"),
        (EASY_AND_FCFS | {"none": (EASY(), lambda w: None)}, {}, "none: found None, expected the same jobs"),
        (EASY_AND_FCFS | {"wrong": (EASY(), "perfect")}, {}, "perfect"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_what_could(sample, policies, options, message):
    with pytest.raises(ValueError, match=message):
        compare(sample, policies, **options)


@pytest.mark.parametrize("by", [comparison.BY, ["size"]])
def test_few_jobs_are_compared_all_together(sample, by):
    few = sample.derive(sample.jobs[:12], "the first twelve")
    found = compare(few, EASY_AND_FCFS, shakes=3, by=by)
    assert found.by == ["all"] and found.table.jobs.unique().tolist() == [12]
    assert "mean wait" in repr(found) and "not known" in found._repr_html_()


def test_all_jobs_are_told_whatever_they_are_divided_by(sample):
    found = compare(sample, EASY_AND_FCFS, shakes=3, by=["size"], resamples=9)
    assert found.by == ["all", "size"] and "mean wait" in repr(found)


def test_no_job_cannot_be_compared(sample):
    with pytest.raises(ValueError, match="sample: compare: found no job"):
        compare(sample.select("procs > 999"), EASY_AND_FCFS)


def test_what_is_no_policy_is_refused(sample):
    with pytest.raises(TypeError, match="found policy 'EASY', expected an object such as"):
        compare(sample, {"EASY": EASY(), "other": "EASY"}, shakes=3)


@given(st.lists(st.lists(st.floats(-9, 9) | st.just(np.nan), min_size=3, max_size=3), min_size=1))
def test_intervals_leave_out_what_is_not_known(values):
    values = np.array(values)
    middle = [np.nanmean(row) if (row == row).any() else 0 for row in values]
    for row, found in zip(values, interval_around(middle, values), strict=True):
        there = row[~np.isnan(row)]
        expected = np.quantile(there, [0.025, 0.975]) if len(there) else [np.nan] * 2
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_an_interval_holds_its_estimate_and_may_have_no_end():
    assert interval_around(100, [0] * 99 + [10_000]).tolist() == [0, 100]  # the mean of one in a hundred
    assert interval_around(1, [0, 1, np.inf]).tolist() == pytest.approx([0.05, np.inf])
    assert np.isnan(interval_around(np.nan, [0, 1])).all()


def over_weeks(jobs, weeks=10):
    """Spread the jobs of a random workload over weeks, as many in each."""
    rows = jobs.assign(submit=jobs.submit + 7 * 86400 * (np.arange(len(jobs)) * weeks // len(jobs)))
    return Workload(rows, 64, "over weeks")


@given(st.integers(0, 10_000), st.sampled_from([3, 20, 60]))
@settings(max_examples=20, deadline=None)
def test_every_difference_lies_within_its_own_intervals(seed, shakes):
    """On busy machines, and on such where jobs wait in few runs only."""
    made = over_weeks(random_workload(seed, jobs=150).scale_load(0.05 * (1 + seed % 20)).jobs)
    found = compare(made, {"EASY": EASY(), "sjf": EASY(order="sjf")}, shakes=shakes, resamples=100, least=15)
    for table in (found.table, found.relative):
        known = table[table.difference.notna()]
        assert known.another_year_low.notna().any() or table is found.relative
        for interval in INTERVALS:
            low, high = known[f"{interval}_low"], known[f"{interval}_high"]
            assert ((low <= known.difference) & (known.difference <= high) | low.isna()).all()


def test_a_verdict_is_that_of_the_intervals_that_are_shown(found):
    """By the share of the base another year may bring nothing; by seconds it would bring less for certain."""
    table = found.table.assign(base=10.0, difference=-5.0, **dict(zip(ENDS, (-7.0, -4.0, -9.0, -1.0), strict=True)))
    relative = table.assign(difference=-0.5, **dict(zip(ENDS, (-0.7, -0.4, -0.9, 0.0), strict=True)))
    made_up = Comparison(found.workload, found.policies, table, relative, found.settings)
    row = made_up.overview().loc["FCFS", "mean wait"]
    assert row.to_list()[2:] == ["-50.0 %", "-70.0 to -40.0 %", "-90.0 to +0.0 %", "on this log"]
    assert set(made_up.who("FCFS").holds) == {"this log"}
    assert "another year might bring none" in report.differences_said(made_up)[0]
    assert "To be expected" not in " ".join(report.certainty_said(found.workload, [made_up], shakes=1))
    in_seconds = Comparison(found.workload, found.policies, table.assign(base=0.0), relative * np.nan, found.settings)
    assert set(in_seconds.who("FCFS").holds) == {"another year"}


def test_a_made_up_year_without_any_wait_counts_as_no_change():
    """All waiting is in one week of ten, and a third of the made-up years lack it: they do not bring the change."""
    week = 7 * 86400
    rows = [(k * week, 50, 60, 4) for k in range(10)]
    rows += [(5 * week + k, 9000 - 2000 * k, 9000 - 2000 * k, 4) for k in range(4)]
    w = Workload(pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs"]), 4, "one queue")
    found = compare(w, {"EASY": EASY(), "sjf": EASY(order="sjf")}, shakes=5, seconds=0, least=1, by=["all"])
    row = found.relative.loc["sjf", "all", "all", "wait", "mean"]
    assert row.coincidence_high < -0.1 and row.another_year_low < -0.1 and row.another_year_high == 0
    assert holds(row) == "this log"


def test_the_overview_says_how_far_each_difference_holds(found):
    overview = found.overview()
    assert list(overview) == ["EASY", "value", "change", "coincidence", "another year", "holds"]
    said = overview.loc["FCFS", "mean wait"]
    assert said.change.startswith("+") and said.change.endswith(" %") and said.coincidence.count(" to ") == 1
    assert said.holds in ("on this log", "in another year, too")
    months = found.overview("month", [("wait", "mean")])
    assert list(months.index.names) == ["policy", "month", "measure"] and len(months) == 6
    with pytest.raises(ValueError, match="sample: found by='partition', expected one of all, month, user"):
        found.overview("partition")


def test_it_shows_itself(found):
    assert repr(found).startswith("<Comparison on sample, 6,000 jobs, with EASY") and "mean wait" in repr(found)
    html = found._repr_html_()
    assert "<table" in html and "13 weeks were drawn anew 100 times" in html


def test_the_page_stands_alone(found, tmp_path):
    page = report.comparison_page(found, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert page.count("data:image/png;base64,") == 1 + len(found.by) - 1 and "http" not in page
    assert page.count('alt="sample: ') == page.count("<img ") and "against EASY, with both intervals" in page
    assert "SYNTHETIC" in page


def test_pictures_have_a_mark_a_policy_and_row(found):
    forest = plots.forest(found)
    assert [len(ax.lines) for ax in forest.axes] == [3] * 3  # two policies and the line at nought
    assert [tick.get_text() for tick in forest.axes[0].get_yticklabels()] == list(STATISTICS)
    assert len(plots.forest(found, by="month").axes[0].get_yticklabels()) == 3
    winners = plots.winners(found, by="size")
    assert [ax.get_title() for ax in winners.axes] == ["FCFS", "exact"]
    users = plots.winners(found, most=3).axes[0].get_yticklabels()
    assert 1 <= len(users) <= 6
    for figure in (forest, winners):
        assert any("SYNTHETIC" in text.get_text() for text in figure.texts)


@pytest.mark.slow
def test_on_hpc2n_another_year_differs_far_more_than_coincidence(log):
    cases = {"EASY": EASY(), "shortest first": EASY(order="sjf"), "conservative": Conservative("start")}
    found = compare(log("HPC2N"), cases, by=["all", "month"], shakes=10)
    assert (found.settings["block"], found.settings["blocks"]) == ("month", 42)
    assert found.table.xs("month", level="by").another_year_low.isna().all()  # of one month another cannot be made
    row = found.table.loc["shortest first", "all", "all", "wait", "mean"]
    assert row.coincidence_high < row.another_year_high < 0
    ratio = (row.another_year_high - row.another_year_low) / (row.coincidence_high - row.coincidence_low)
    assert 8 < ratio < 32
    assert holds(found.table.loc["conservative", "all", "all", "wait", "mean"]) == "coincidence"


def test_weeks_are_counted_from_the_first_submit_whenever_the_log_begins():
    """A selection of dates begins late: weeks before it have no jobs, and are not drawn."""
    later = simlib.load("sample").between("2026-02-02", "2026-03-02")
    assert set(comparison.blocks(later)) == {0, 1, 2, 3}
    assert len(comparison.blocks(later.select(later.jobs.index < 0))) == 0
