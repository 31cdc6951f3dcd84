"""Policies held against each other: what differs, for whom, and how sure that is."""

import re

import numpy as np
import pandas as pd
import pytest
from helpers import random_workload
from hypothesis import given
from hypothesis import strategies as st

import simlib
import simlib_report as report
from simlib import EASY, FCFS, Conservative, Workload, compare, estimates, plots, replicate
from simlib._util.arrays import STATISTICS, statistics
from simlib.analysis import Comparison, comparison
from simlib.analysis.comparison import INTERVALS, MEASURES, holds
from simlib.analysis.stats import FEWEST_RUNS, PARTS, intervals, other_logs, relative_intervals
from simlib.models.users import resample_users
from simlib.policies.adjusting import Adjustment, Scheme

ENDS = [f"{interval}_{end}" for interval in INTERVALS for end in ("low", "high")]


@pytest.fixture(scope="module")
def sample():
    return simlib.load("sample")


@pytest.fixture(scope="module")
def found(sample):
    """A comparison of three policies on the sample."""
    policies = {"FCFS": FCFS(), "EASY": EASY(), "exact": (EASY(), "exact")}
    return compare(sample, policies, base="EASY", shakes=4)


def shaken(workload):
    """The shaken runs of a comparison with four."""
    return [workload.shake(60, seed) for seed in range(4)]


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
    reach = 2.776 * np.sqrt(1 + 1 / 5) * difference.std(axis=0, ddof=1)  # Student's t for five runs
    np.testing.assert_allclose(table.coincidence_low, difference.mean(axis=0) - reach, rtol=1e-3)
    np.testing.assert_allclose(table.coincidence_high, difference.mean(axis=0) + reach, rtol=1e-3)
    relative = found.relative.loc["FCFS", "all", "all", "wait", "mean"]
    assert relative.difference == pytest.approx(runs[1]["mean"].mean() / runs[0]["mean"].mean() - 1)


def test_another_year_is_as_far_off_as_leaving_out_a_part_moves_both(found, sample):
    def waits(policy):  # of each job, the mean over the log as it is and the shaken runs
        runs = [simlib.simulate(w, policy) for w in (sample, *(sample.shake(60, seed) for seed in range(4)))]
        return np.mean([run.jobs.wait.loc[sample.jobs.index] for run in runs], axis=0)

    submit = sample.jobs.submit.to_numpy()
    part = pd.cut(submit, np.linspace(submit[0], submit[-1] + 1, 6), labels=False, right=False)
    difference = waits(FCFS()) - waits(EASY())
    without = np.array([difference[part != k].mean() for k in range(5)])
    error = np.sqrt(4 / 5 * ((without - without.mean()) ** 2).sum())
    row = found.table.loc["FCFS", "all", "all", "wait", "mean"]
    reach = row.coincidence_high - row.difference + 2.776 * np.sqrt(2) * error  # Student's t for five parts
    ends = [row.difference - reach, row.difference + reach]
    np.testing.assert_allclose([row.another_year_low, row.another_year_high], ends, rtol=2e-3)


def test_any_measure_of_a_job_has_intervals_and_groups(sample):
    """Also of cases with other jobs, whose values are matched by the jobs."""

    def per_hour(schedule):
        return (3600 * schedule.jobs.wait / schedule.jobs.estimate).sort_values()

    few = (EASY(order="sjf"), lambda w: w.select(w.jobs.procs > 2))
    measures = {"per hour": per_hour, "slow": "bounded_slowdown"}
    found = compare(sample, {"EASY": EASY(), "few": few}, shakes=4, by=["size"], measures=measures)
    assert found.measures == list(measures) and found.table.another_year_low.loc["few", "all"].notna().all()
    logs = sample, *shaken(sample)
    for column, cases in (("base", logs), ("value", [few[1](each) for each in logs])):
        runs = [simlib.simulate(each, EASY() if column == "base" else few[0]) for each in cases]
        for group, sizes in (("all", (3, 128)), ("33-64", (33, 64))):
            means = [per_hour(run)[run.jobs.procs.between(*sizes)].mean() for run in runs]
            key = "few", group if group == "all" else "size", group, "per hour", "mean"
            assert found.table.loc[key, column] == pytest.approx(np.mean(means))
    assert found.who(by="size").equals(found.who(by="size", measure="per hour"))
    assert list(found.overview().index.unique("measure")) == ["mean per hour", "mean slow"]
    assert [ax.get_title() for ax in plots.forest(found).axes] == list(measures)
    assert "change of the mean per hour" in plots.changes(found).get_label()


def test_policies_that_are_equal_do_not_differ_at_all(sample):
    same = {"EASY": EASY(), "again": EASY(), "by wait": EASY(order=lambda wait, estimate, procs: wait)}
    found = compare(sample, same, shakes=4)
    assert (found.table[["difference", "coincidence_low", "coincidence_high"]] == 0).all(axis=None)
    assert (found.table[ENDS].fillna(0) == 0).all(axis=None) and (found.relative[ENDS].fillna(0) == 0).all(axis=None)
    assert set(found.who(by="user").holds) == {"equal"}
    assert "0 of" in repr(found)


class Planted:
    """EASY on a machine that is somehow better: each job starts halfway between its submission and EASY's start."""

    def schedule(self, submit, run, estimate, procs, machine):
        start = EASY().schedule(submit, run, estimate, procs, machine)["start"]
        return {"start": submit + (start - submit) // 2}


def test_a_planted_better_policy_shows_everywhere(monkeypatch, sample):
    monkeypatch.setattr(simlib.Schedule, "check", lambda schedule: None)
    found = compare(sample, {"EASY": EASY(), "planted": Planted()}, shakes=4)
    relative = found.relative.loc["planted"]
    waits = relative.xs(("wait", "mean"), level=("measure", "statistic"))
    assert waits.difference.between(-0.51, -0.49).all()
    known = waits[waits.another_year_low.notna()]
    assert len(known) > 10 and (known[["coincidence_high", "another_year_high"]] < -0.45).all(axis=None)
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
    found = compare(sample, cases, shakes=4, by=["all"])
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

    found = compare(sample, {"EASY": EASY(), "later": (EASY(), later)}, base=base, shakes=4, by=["size"])
    large = sample.jobs.procs > 64
    for name, change in (("EASY", lambda w: w), ("later", later)):  # each job is shaken by the same in both
        logs = [change(each) for each in (sample, *shaken(sample))]
        waits = [simlib.simulate(each, EASY()).jobs.wait.loc[sample.jobs.index] for each in logs]
        row = found.table.loc[found.others[0], "size", "65-128", "wait", "mean"]
        assert row["base" if name == base else "value"] == pytest.approx(
            np.mean([each[large].mean() for each in waits])
        )


def test_a_policy_may_adjust_estimates(sample):
    adjusted = EASY(adjust=Adjustment(Scheme("user"), running=False))
    found = compare(sample, {"EASY": EASY(), "adjusted": adjusted}, shakes=4, by=["all"])
    runs = [simlib.simulate(w, adjusted) for w in (sample, *shaken(sample))]
    row = found.table.loc["adjusted", "all", "all", "wait", "mean"]
    assert row.value == pytest.approx(np.mean([run.summary().mean_wait for run in runs]))
    assert found.policies["adjusted"] == str(adjusted)


def test_jobs_with_names_and_without_a_calendar_can_be_compared():
    w = Workload.of("few", 4, A=(0, 10, 10, 3), B=(100, 50, 50, 2), C=(200, 5, 5, 4))
    found = compare(w, {"EASY": EASY(), "FCFS": FCFS()}, shakes=4, least=1)
    assert found.by == ["all", "size"]
    assert found.table[["another_year_low", "another_year_high"]].isna().all(axis=None)  # one week
    assert "not known" in repr(found)


EASY_AND_FCFS = {"EASY": EASY(), "FCFS": FCFS()}


@pytest.mark.parametrize(
    "policies, options, message",
    [
        ((EASY(), FCFS()), {}, "compare: found policies="),
        ([EASY(), EASY()], {}, r"compare: found EASY\(\) twice in policies"),
        ([EASY()], {}, "compare: found policies=.* at least 2"),
        *(
            (EASY_AND_FCFS, {name: value}, f"found {name}=")
            for name, values in {
                "shakes": (3, 5.0, None),
                "seconds": (-5, 2**63 - 1, True),
                "seed": (-1, "no"),
                "least": (0, float("nan")),
                "users": (3, -1, 5.5),
                "overrun": (True, "no"),
                "by": ([], {}, True, ["size"] * 2, "size", ["colour"]),
                "base": ([], "SJF", True),
            }.items()
            for value in values
        ),
        *(
            (EASY_AND_FCFS, {"measures": measures}, "compare: .*found .*, expected")
            for measures in ([], "wait", np.mean, {"mine": None}, ["colour"], ["makespan"], {"mine": lambda s: 1})
        ),
        (
            EASY_AND_FCFS | {"new": (EASY(), lambda w: w.derive(w.jobs.set_axis(w.jobs.index + 1), "anew"))},
            {},
            "new: found <Workload ",
        ),
        (
            EASY_AND_FCFS | {"empty": (EASY(), lambda w: w.select("procs > 999"))},
            {},
            "empty: found <Workload .* 0 jobs",
        ),
        (EASY_AND_FCFS | {"none": (EASY(), lambda w: None)}, {}, "none: found None"),
        (
            {"few": (EASY(), lambda w: w.select("procs > 8")), "rest": (EASY(), lambda w: w.select("procs <= 8"))},
            {},
            "found no job that is in few and in rest",
        ),
        (EASY_AND_FCFS | {"wrong": (EASY(), "perfect")}, {}, "perfect"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_what_could(sample, policies, options, message):
    with pytest.raises(ValueError, match=message):
        compare(sample, policies, **options)


@pytest.mark.parametrize("by", [comparison.BY, ["size"]])
def test_few_jobs_are_compared_all_together(sample, by):
    few = sample.derive(sample.jobs[:12], "the first twelve")
    found = compare(few, EASY_AND_FCFS, shakes=4, by=by)
    assert found.by == ["all"] and found.table.jobs.unique().tolist() == [12]
    assert "mean wait" in repr(found) and "not known" in found._repr_html_()


def test_no_job_cannot_be_compared(sample):
    with pytest.raises(ValueError, match="sample: compare: found no job"):
        compare(sample.select("procs > 999"), EASY_AND_FCFS)


@pytest.mark.parametrize("other, expected", [("EASY", "simlib.EASY()"), (FCFS, "FCFS()"), ((FCFS, "exact"), "FCFS()")])
def test_what_is_no_policy_is_refused_with_what_to_type(sample, other, expected):
    for several in ([EASY(), other], {"a": EASY(), "b": other}):
        with pytest.raises(TypeError, match=f"sample: compare: found policy .*{re.escape(expected)}"):
            compare(sample, several, shakes=4)
    with pytest.raises(TypeError, match=f"replicate: found policy .*{re.escape(expected)}"):
        replicate(sample, other, shakes=1)


class OneByOne:
    def schedule(self, submit, run, estimate, procs, machine):
        return {"start": submit.max() + np.cumsum(run) - run}


def halved(w):
    return w.derive(w.jobs.assign(run=w.jobs.run // 2), "half as long")


def test_policies_of_a_list_are_called_as_they_are_written(sample):
    few = sample.derive(sample.jobs[:50], "the first")
    cases = [EASY(), EASY(order="sjf"), (FCFS(), "exact", halved), OneByOne()]
    names = ["EASY()", "EASY(order='sjf')", "FCFS(), exact, halved", "OneByOne"]
    found, runs = compare(few, cases, shakes=4, by=["all"]), replicate(few, cases, shakes=1)
    expected = compare(few, dict(zip(names, cases, strict=True)), shakes=4, by=["all"])
    assert found.table.equals(expected.table) and found.relative.equals(expected.relative)
    assert [found.base, *found.others] == names == runs.index.unique("policy").to_list()


def test_a_change_has_the_intervals_of_students_t_on_the_scale_of_logarithms():
    rng = np.random.default_rng(1)
    base, value = rng.normal(100, 2, 6), rng.normal(80, 2, 6)
    without = rng.normal(100, 1, PARTS), rng.normal(80, 1, PARTS)
    effect, low, high, year_low, year_high = relative_intervals(base, value, *without)
    assert effect == pytest.approx(value.mean() / base.mean() - 1)
    spread = (value / value.mean() - base / base.mean()).std(ddof=1)
    reach = 2.570582 * np.sqrt(1 + 1 / 6) * spread
    assert (np.log1p([low, high]) - np.log1p(effect)).tolist() == pytest.approx([-reach, reach], rel=1e-3)
    away = np.log(without[1] / without[0])
    reach += 2.776 * np.sqrt(2 * 4 / 5 * ((away - away.mean()) ** 2).sum())
    assert (np.log1p([year_low, year_high]) - np.log1p(effect)).tolist() == pytest.approx([-reach, reach], rel=1e-3)


@given(st.lists(st.tuples(*[st.floats(0, 9)] * 2), min_size=5, max_size=9), st.permutations([0, 0, 1, 2, 3]))
def test_no_change_lies_outside_its_own_intervals(runs, without):
    base, value = np.array(runs).T
    for found in (relative_intervals(base, value, without, [1] * 5), intervals(value - base, without)):
        for low, high in (found[1:3], found[3:]):
            assert np.isnan(low) or low <= found[0] + 1e-12 and found[0] <= high + 1e-12


def test_of_few_runs_and_of_what_is_in_one_part_nothing_is_said():
    few = relative_intervals([1.0] * (FEWEST_RUNS - 1), [2.0] * (FEWEST_RUNS - 1), [1.0] * PARTS, [2.0] * PARTS)
    assert few[0] == 1 and np.isnan(few[1:]).all()
    gone = relative_intervals([2.0] * 5, [0.0] * 5, [1.0] * PARTS, [0.0] * PARTS)
    assert gone[:3].tolist() == [-1, -1, -1] and np.isnan(gone[3:]).all()
    one = relative_intervals(
        [2.0] * 5, [1.0] * 5, [0.0, 2, 2, 2, 2], [0.0, 1, 1, 1, 1]
    )  # all that waits is in one part
    assert one[2] < 0 and np.isnan(one[3:]).all()
    assert np.isnan(relative_intervals([0.0] * 5, [1.0] * 5, [0.0] * PARTS, [1.0] * PARTS)).all()


def test_in_normal_runs_the_intervals_hold_what_they_say():
    """Nineteen of twenty further runs, and where parts are independent as many other logs; half a reach holds fewer."""
    rng, count = np.random.default_rng(3), 4000
    parts = rng.normal(100, 5, (count, PARTS))
    runs = parts.mean(axis=1, keepdims=True) + rng.normal(0, 2, (count, 6))
    without = (parts.sum(axis=1, keepdims=True) - parts) / (PARTS - 1)
    found = intervals(runs, without)
    further = parts.mean(axis=1) + rng.normal(0, 2, count)
    other = rng.normal(100, 5, (count, PARTS)).mean(axis=1)
    held = [
        ((low <= value) & (value <= high)).mean()
        for value, low, high in (
            (further, found[:, 1], found[:, 2]),
            (other + rng.normal(0, 2, count), found[:, 3], found[:, 4]),
        )
    ]
    assert 0.94 < held[0] < 0.96 < held[1] < 0.995
    assert (abs(further - found[:, 0]) <= (found[:, 2] - found[:, 0]) / 2).mean() < 0.8


def over_weeks(jobs, weeks=10):
    """Spread the jobs of a random workload over weeks, as many in each."""
    rows = jobs.assign(submit=jobs.submit + 7 * 86400 * (np.arange(len(jobs)) * weeks // len(jobs)))
    return Workload(rows, 64, "over weeks")


@given(st.integers(0, 10_000), st.sampled_from([4, 20, 60]))
def test_every_difference_lies_within_its_own_intervals(seed, shakes):
    """On busy machines, and on such where jobs wait in few runs only."""
    made = over_weeks(random_workload(seed, jobs=150).scale_load(0.05 * (1 + seed % 20)).jobs)
    found = compare(made, {"EASY": EASY(), "sjf": EASY(order="sjf")}, shakes=shakes, least=15)
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
    made_up = Comparison(found.workload, found.policies, table, relative, found.settings, found.taking_part)
    row = made_up.overview().loc["FCFS", "mean wait"]
    assert row.to_list()[2:] == ["-50.0 %", "-70.0 to -40.0 %", "-90.0 to +0.0 %", "on this log"]
    assert set(made_up.who("FCFS").holds) == {"this log"}
    assert report.decided(found.workload, {}, made_up, made_up.base, {})["kind"] == "this log"
    in_seconds = Comparison(
        found.workload, found.policies, table.assign(base=0.0), relative * np.nan, found.settings, found.taking_part
    )
    assert set(in_seconds.who("FCFS").holds) == {"another year"}
    touching = pd.Series({"difference": 1.0} | dict(zip(ENDS, (0.0, 2.0, -1.0, 3.0), strict=True)))
    assert holds(touching) == "coincidence"


def test_where_one_part_alone_has_a_queue_another_year_is_not_known():
    week = 7 * 86400
    rows = [(k * week, 50, 60, 4) for k in range(10)]
    rows += [(5 * week + k, 9000 - 2000 * k, 9000 - 2000 * k, 4) for k in range(4)]
    w = Workload(pd.DataFrame(rows, columns=["submit", "run", "estimate", "procs"]), 4, "one queue")
    found = compare(w, {"EASY": EASY(), "sjf": EASY(order="sjf")}, shakes=5, seconds=0, least=1, by=["all"])
    row = found.relative.loc["sjf", "all", "all", "wait", "mean"]
    assert row.coincidence_high < -0.1 and np.isnan(row.another_year_low)
    assert holds(row) == "this log"


OTHER_ENDS = ["other_users_low", "other_users_high"]


def test_other_users_stand_beside_the_two_intervals_only_where_they_are_asked_for(sample):
    """They change nothing else, and are as far off as draws of the users differ, for both logs."""
    policies = {"EASY": EASY(), "FCFS": FCFS(), "exact": (EASY(), "exact")}
    plain, found = (compare(sample, policies, shakes=4, by=["all", "size"], users=users) for users in (0, 6))
    assert not set(OTHER_ENDS) & set(plain.table) and plain.intervals == list(INTERVALS)
    for before, after in ((plain.table, found.table), (plain.relative, found.relative)):
        pd.testing.assert_frame_equal(before, after.drop(columns=OTHER_ENDS))
    draws = [resample_users(sample, seed) for seed in range(6)]
    for size, chosen in (("all", lambda jobs: jobs.procs > 0), ("33-64", lambda jobs: jobs.procs.between(33, 64))):
        key = ("all", "all") if size == "all" else ("size", size)
        for name, change in (("FCFS", (FCFS(), "user")), ("exact", (EASY(), "exact"))):
            waits = []
            for policy, model in ((EASY(), "user"), change):
                runs = [simlib.simulate(draw.with_estimates(model), policy).jobs for draw in draws]
                waits.append(np.array([run[chosen(run)].wait.mean() for run in runs]))
            row = found.table.loc[(name, *key, "wait", "mean")]
            reach = 2.570582 * np.sqrt(2) * (waits[1] - waits[0]).std(ddof=1)  # Student's t for six draws
            ends = [row.difference - reach, row.difference + reach]
            np.testing.assert_allclose(row[OTHER_ENDS].to_numpy(float), ends, rtol=1e-3)
            row = found.relative.loc[(name, *key, "wait", "mean")]
            reach = 2.570582 * np.sqrt(2) * np.log(waits[1] / waits[0]).std(ddof=1)
            ends = (1 + row.difference) * np.exp([-reach, reach]) - 1
            np.testing.assert_allclose(row[OTHER_ENDS].to_numpy(float), ends, rtol=1e-3)


def test_of_one_user_and_one_month_there_are_no_others(sample):
    found = compare(sample, EASY_AND_FCFS, shakes=4, by=["all", "month", "user", "size"], users=5)
    for way in ("month", "user"):
        assert found.table.xs(way, level="by")[OTHER_ENDS].isna().all(axis=None)
    assert found.table.xs("all", level="by")[OTHER_ENDS].notna().all(axis=None)
    overview = found.overview("user", [("wait", "mean")])
    assert set(overview["other users"]) == {"not known"}
    assert list(found.overview()) == ["EASY", "value", "change", "coincidence", "another year", "other users", "holds"]
    assert "Other users: 5 logs are drawn" in found._repr_html_() and found.settings["users"] == 5


def test_other_logs_are_held_as_often_as_is_said_where_draws_are_what_logs_are():
    rng = np.random.default_rng(4)
    logs, draws, other = rng.normal(0, 1, 4000), rng.normal(0, 1, (4000, 10)), rng.normal(0, 1, 4000)
    low, high = other_logs(logs, draws).T
    assert 0.935 < ((low <= other) & (other <= high)).mean() < 0.965
    assert np.isnan(other_logs(0.0, [1, 2, np.inf, 3, 4])).all() and (other_logs(0.5, [1.0] * 5) == 0.5).all()


def test_the_overview_says_how_far_each_difference_holds(found):
    overview = found.overview()
    assert list(overview) == ["EASY", "value", "change", "coincidence", "another year", "holds"]
    said = overview.loc["FCFS", "mean wait"]
    assert said.change.startswith("+") and said.change.endswith(" %") and said.coincidence.count(" to ") == 1
    assert said.holds in ("on this log", "in another year, too")
    months = found.overview("month", [("wait", "mean")])
    assert list(months.index.names) == ["policy", "month", "measure"] and len(months) == 6
    with pytest.raises(ValueError, match="sample: found by='partition'"):
        found.overview("partition")
    assert repr(found).startswith("<Comparison on sample, 6,000 jobs, with EASY") and "mean wait" in repr(found)
    assert "the log and 4 shaken runs of it" in found._repr_html_()


def test_pictures_have_a_mark_a_policy_and_row(found):
    forest = plots.forest(found)
    assert [len(ax.lines) for ax in forest.axes] == [3] * 3  # two policies and the line at nought
    assert [tick.get_text() for tick in forest.axes[0].get_yticklabels()] == list(STATISTICS)
    assert len(plots.forest(found, by="month").axes[0].get_yticklabels()) == 3
    changes = plots.changes(found, "FCFS", by="user", most=3)
    assert 1 <= len(changes.axes[0].get_yticklabels()) <= 6
    for figure in (forest, changes):
        assert any("SYNTHETIC" in text.get_text() for text in figure.texts)


@pytest.mark.slow
def test_on_kth_other_users_differ_more_than_another_year_of_the_same(log):
    found = compare(log("KTH-SP2"), {"EASY": EASY(), "conservative": Conservative()}, by=["all"], shakes=5, users=10)
    row = found.relative.loc["conservative", "all", "all", "wait", "mean"]
    reach = [np.log1p(row[f"{kind}_high"]) - np.log1p(row.difference) for kind in found.intervals]
    assert 0 < 2 * reach[0] < reach[1] and 1.5 * reach[1] < reach[2]


def test_parts_are_equally_long_and_no_shorter_than_a_week():
    later = simlib.load("sample").between("2026-02-02", "2026-03-12")
    submit, part = later.jobs.submit.to_numpy(), comparison.parts(later)
    assert set(part) == set(range(PARTS)) and np.ptp(submit[part == 1]) <= np.ptp(submit) / PARTS
    weeks = simlib.load("sample").between("2026-02-02", "2026-02-23")
    assert set(comparison.parts(weeks)) == {0, 1, 2, 3}
    found = compare(weeks, {"EASY": EASY(), "FCFS": FCFS()}, shakes=4, by=["all"])
    assert found.table.another_year_low.isna().all()
