"""The accuracy exhibits of Tang et al.: what is counted, which claims which log bears out."""

from dataclasses import replace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from described import DESCRIBED, schemes
from exhibits import parts, tang_trace, trace_logs

import simlib
from simlib import plots
from simlib.policies import adjusting
from simlib_study import claims, judging, loading, tang2013
from simlib_study.claims import HOLDS, PRINTED, REPRODUCED
from simlib_study.tang2013 import DOUBLE, TRIPLE, accuracy, figure11, levels
from simlib_study.tang2013.accuracy import ORIGINAL

matplotlib.use("Agg")
DAY = 86400


def habits(days=240, a_day=150, drift=0.0, seed=1):
    """24 users whose R is their habit for each project and requested time; `drift` is how far habits change."""
    rng = np.random.default_rng(seed)
    n = days * a_day
    user, project, size = rng.integers(0, 24, n), rng.integers(0, 2, n), rng.integers(0, 3, n)
    submit = np.sort(rng.integers(0, days * DAY, n))
    of_user, of_project, of_size = (
        rng.uniform(0.05, 0.4, 24),
        rng.uniform(0, 0.2, (24, 2)),
        rng.uniform(0, 0.3, (24, 3)),
    )
    habit = of_user[user] + of_project[user, project] + of_size[user, size]
    habit += drift * np.sin(2 * np.pi * (submit / (180 * DAY) + rng.random(24)[user]))
    estimate = np.array([3600, 7200, 14400])[size]
    run = np.rint(np.clip(habit + rng.gamma(2, 0.03, n) - 0.06, 0.01, 1) * estimate).astype(int)
    columns = {"submit": submit, "run": run, "estimate": estimate, "user": user, "group": user // 2 * 2 + project}
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def made_up():
    return tang_trace(habits(drift=0.1))


def study(*traces, **options):
    return accuracy.study(traces, **{"keys": adjusting.KEYS, "resamples": 100} | options)


@pytest.fixture
def run(root):
    """A function that runs a notebook on one trace, or several, and gives its variables."""

    def run(name, *traces, **options):
        return executed(f"tang2013/{name}", given={"logs": trace_logs(*traces)}, **{"resamples": 20} | options)

    return run


# Which jobs


def test_every_setting_names_a_log_of_the_catalogue_and_its_variants():
    for setting in tang2013.settings().values():
        for variant in setting["variants"]:
            assert simlib.logs.archive.files(setting["log"], variant)


def test_without_any_log_twins_stand_in_and_prove_nothing(monkeypatch, made_up):
    def twin(name):
        return tang_trace(habits(days=60), name=name, synthetic=True).workload

    monkeypatch.setattr(simlib.logs.archive, "find", lambda *_: None)
    monkeypatch.setattr(simlib.logs.archive, "twin_of", twin)
    logs = tang2013.logs()  # a partition has no twin, nor has every log
    assert logs.stand_in and logs.absent == [name for name in tang2013.STAND_INS if name not in logs]
    assert {"SDSC-DS", "SDSC-SP2"} <= set(logs) and not {"ANL-Mira", "Curie standard", "CEA-Curie"} & set(logs)
    told = tang2013.about(logs.traces.values())
    assert "synthetic" in told and "only January to September 2009 are public" in told
    decided = tang2013.decided(
        "TG-38", {"text": {name: 0.3 for name in logs}}, lambda gain: {"at least": gain, "size": gain}, logs
    )
    assert decided["verdict"] == claims.UNTESTED


def test_what_is_not_here_and_has_no_twin_is_refused_alone_and_missing_beside_others(monkeypatch):
    here = set()
    monkeypatch.setattr(simlib.logs.archive, "find", lambda name, variant=None: name in here or None)
    with pytest.raises(
        simlib.logs.archive.ArchiveError, match="Curie standard: not on this machine.*expected the log of CEA"
    ):
        tang2013.logs("Curie standard")
    here.add("SDSC-DS")
    monkeypatch.setattr(loading, "log", lambda name, variant: tang_trace(habits(days=3), name=name).workload)
    found = tang2013.logs()
    assert list(found) == ["SDSC-DS"]
    assert found.absent == [name for name in tang2013.STAND_INS if name != "SDSC-DS"]


def test_a_trace_may_be_a_partition_of_a_log_on_a_machine_of_its_size(monkeypatch):
    jobs = habits(days=3).assign(partition=4)
    jobs.loc[jobs.index % 3 == 0, "partition"] = 10
    loaded = []

    def log(name, variant):
        loaded.append((name, variant))
        return tang_trace(jobs, machine=93312, name=name).workload

    monkeypatch.setattr(loading, "log", log)
    monkeypatch.setattr(simlib.logs.archive, "find", lambda name, variant=None: True)
    whole, standard = tang2013.logs(["CEA-Curie", "Curie standard"]).traces.values()
    assert loaded == [("CEA-Curie", "cleaned")]  # once for both
    assert (whole.name, len(whole.workload), whole.workload.procs) == ("CEA-Curie", 450, 93312)
    assert (standard.name, len(standard.workload), standard.workload.procs) == ("Curie standard", 150, 80640)
    assert standard.workload.jobs.index.isin(standard.ends.index).all()


def test_curie_and_its_standard_partition_have_the_jobs_that_were_counted(log):
    log("CEA-Curie")
    whole, standard = tang2013.logs(["CEA-Curie", "Curie standard"]).traces.values()
    assert (len(whole.workload), len(standard.workload)) == (301914, 190532)
    assert (standard.workload.procs, standard.project) == (80640, "group")


def test_the_nearest_log_is_that_of_the_least_ratio_to_what_is_printed(made_up):
    far = tang_trace(habits(days=60), machine=8, name="far")
    near = tang_trace(habits(days=60), machine=160000, name="near")
    of_table1 = ["users", "mean_requested", "mean_run", "mean_R", *accuracy.SHARES.values()]
    counted = pd.DataFrame(1, of_table1, ["far", "near"])
    counted.loc["nodes"] = 8, 160000
    table = accuracy.likeness([far, near], counted)
    assert table["Tang et al."]["processors"] == "163,840" and table.nearest["processors"] == "near"
    assert table.loc["load", ["Tang et al.", "nearest"]].tolist() == ["", ""] and table.far["year"] == "2009"
    assert table.nearest["site"] == ""


def test_likeness_says_which_machine_is_of_the_papers_site_and_whose_users_and_scatter_are_nearest(made_up):
    of_table1 = ["nodes", "users", "mean_requested", "mean_run", "mean_R", *accuracy.SHARES.values()]
    there = replace(made_up, name="there", about={"site": "Argonne", "scheduler": "Cobalt", "block": 512, "cores": 16})
    elsewhere = tang_trace(habits(days=60).assign(run=1), name="elsewhere")  # uses nothing
    counted = pd.DataFrame(100, of_table1, ["elsewhere", "there"])
    table = accuracy.likeness([elsewhere, there], counted)
    rows = ["site", "scheduler", "smallest block [nodes]"]
    assert table.nearest[rows].tolist() == ["there"] * 3 and table.elsewhere[rows].tolist() == [""] * 3
    assert table.loc["processors", ["elsewhere", "there"]].tolist() == ["100", "1,600"]
    distances = table.loc[["largest distance of these three", "largest distance of the scatter by key"]]
    assert (distances["Tang et al."] == "").all() and (distances.nearest == "there").all()
    assert distances.elsewhere.tolist() == ["72%", "0.335"]


def test_a_log_that_scatters_as_is_printed_has_no_distance_and_another_that_of_its_farthest_key(monkeypatch, made_up):
    printed = {"all": 0.335, "project": 0.308, "user": 0.294, DOUBLE: 0.285, TRIPLE: 0.253}
    monkeypatch.setattr(accuracy, "scatter_within", lambda *_, **__: pd.DataFrame([printed]))
    assert accuracy.unlike_by_key(made_up) == pytest.approx(0)
    monkeypatch.setattr(accuracy, "scatter_within", lambda *_, **__: pd.DataFrame([printed | {"user": 0.314}]))
    assert accuracy.unlike_by_key(made_up) == pytest.approx(0.02)


def test_a_machine_counts_once_and_a_partition_alone_for_itself():
    names = ["SDSC-DS", "SDSC-SP2", "Curie standard", "CEA-Curie"]
    assert tang2013.machines(names) == ["SDSC-DS", "SDSC-SP2", "CEA-Curie"]
    assert tang2013.machines(names[:3]) == names[:3] and tang2013.machines(["mine"]) == ["mine"]
    shares = {name: 0.1 if name == "CEA-Curie" else 0.9 for name in names}
    found = tang2013.decided("TG-42", {"text": shares}, lambda of: {"killed": of}, tang2013.TraceLogs({}))
    assert found["readings"]["text"]["counts"] == {"shown": 2, "open": 0, "contradicted": 1}


def used_by(r, **columns):
    """A trace whose jobs use these shares of their requests, of a user each."""
    r = np.asarray(r)
    jobs = {"submit": np.arange(len(r)), "run": (1000 * r).astype(int), "estimate": 1000, "user": np.arange(len(r))}
    return tang_trace(pd.DataFrame(jobs | {"group": 1} | columns))


def test_users_are_as_unlike_intrepids_as_the_farthest_of_three_shares():
    printed = [0.1] * 28 + [0.3] * 22 + [0.6] * 25 + [0.9] * 25
    assert accuracy.unlike(used_by(printed)) == pytest.approx(0)
    assert accuracy.unlike(used_by([0.1] * 12 + printed[12:])) == pytest.approx(0)
    assert accuracy.unlike(used_by(printed[:-10] + [0.6] * 10)) == pytest.approx(0.1), "above 80 per cent"
    assert accuracy.unlike(used_by([0.1] * 100)) == pytest.approx(0.72), "below a fifth"


def test_the_stand_ins_of_the_papers_site_come_first_then_those_whose_users_estimate_like_intrepids(log):
    for name in tang2013.STAND_INS:
        log(tang2013.settings()[name]["log"])
    here = tang2013.logs().traces.values()
    site, scheduler = (tang2013.settings()[tang2013.PAPERS][what] for what in ("site", "scheduler"))
    of_site = [(one.about.get("site"), one.about.get("scheduler")) == (site, scheduler) for one in here]
    found = [(not same, accuracy.unlike(one)) for same, one in zip(of_site, here, strict=True)]
    assert found == sorted(found) and of_site[0]
    assert [away for _, away in found[:2]] == pytest.approx([0.16, 0.21], abs=0.005)


def test_of_the_jobs_that_use_all_of_their_request_those_are_killed_that_the_log_says_did_not_complete():
    status = [5, 5, 0, 1, 5, 1, -1]
    measure = accuracy.killed_near_1(used_by([1, 1, 0.99, 1, 0.5, 0.5, 1], status=status), 50, 1)
    assert measure.value == 3 / 4 and measure.low < 3 / 4 < measure.high
    assert accuracy.killed_near_1(used_by([1, 1], status=-1), 50, 1) == claims.NOTHING


def test_the_cleaned_log_is_used_because_restored_lines_have_no_account(log):
    log("SDSC-SP2", "cleaned")
    jobs = tang2013.logs("SDSC-SP2")["SDSC-SP2"].jobs
    assert len(jobs) == 54009 and (jobs[["user", "group"]] != -1).all().all()


# Tables 1 and 2, Figures 1 and 2


def test_overruns_have_an_r_of_one():
    one = tang_trace(pd.DataFrame({"submit": [0, 0, 0], "run": [50, 100, 130], "estimate": 100, "user": 1, "group": 1}))
    assert accuracy.used(one).tolist() == [0.5, 1, 1]
    assert one.t_act.tolist() == [50, 100, 100]


@pytest.mark.slow
def test_quarters_are_the_calendars_and_small_ones_are_left_out(made_up):
    means = accuracy.quarter_means(made_up, 1000, 100, 1)
    assert means.columns.tolist() == ["2009 Q1", "2009 Q2", "2009 Q3"]
    first = made_up.workload.jobs.submit < 90 * DAY
    assert means.loc[0, "2009 Q1"] == pytest.approx(accuracy.used(made_up)[first].mean())
    assert (accuracy.quarter_of(made_up) == "2009 Q1").sum() == first.sum()
    spread = judging.spread(pd.concat({"made up": means}, axis=1))
    assert ((spread.low < spread.ours) & (spread.ours < spread.high)).all()
    assert accuracy.quarter_means(made_up, 10_000, 10, 1).columns.tolist()[-1] == "2009 Q2"


def test_table_2_counts_groups_of_ten_and_averages_their_deviations():
    run = [10, 20] * 5 + [30, 60] * 5 + [100] * 9
    jobs = pd.DataFrame({"submit": 0, "run": run, "estimate": 100, "user": [1] * 10 + [2] * 10 + [3] * 9, "group": 1})
    one = tang_trace(jobs)
    sizes = {key: accuracy.groups(one, key)["size"].tolist() for key in ("all", "project", "user", DOUBLE, TRIPLE)}
    assert sizes == {"all": [29], "project": [29], "user": [10, 10, 9], DOUBLE: [10, 10, 9], TRIPLE: [10, 10, 9]}
    deviations = [np.std([0.1, 0.2] * 5, ddof=1), np.std([0.3, 0.6] * 5, ddof=1)]
    assert accuracy.scatter_within(one, 10, 2, 1).loc[0, "user"] == pytest.approx(np.mean(deviations))


def test_users_who_share_a_project_are_drawn_together():
    jobs = pd.DataFrame({"user": [1, 2, 3, 4, 4], "group": [1, 1, 2, 3, 2], "submit": 0, "run": 5, "estimate": 10})
    assert accuracy.circles(tang_trace(jobs)).tolist() == [0, 0, 1, 1, 1]


def test_intervals_of_the_scatter_are_those_of_resampled_users():
    rng = np.random.default_rng(1)
    width = np.repeat(rng.uniform(0, 0.5, 40), 30)
    share = 0.5 + width * rng.uniform(-1, 1, len(width))
    jobs = pd.DataFrame({"submit": 0, "run": np.rint(1000 * share).astype(int), "estimate": 1000})
    one = tang_trace(jobs.assign(user=np.repeat(range(40), 30), group=np.repeat(range(40), 30)))
    scatter = accuracy.scatter_within(one, 10, 2000, 1)
    used = accuracy.used(one)
    by_user = used.groupby(one.workload.jobs.user).std()
    assert scatter.loc[0, ["all", "project", "user"]].tolist() == pytest.approx([used.std(), *[by_user.mean()] * 2])
    assert scatter["user"][1:].std() == pytest.approx(by_user.std() / np.sqrt(40), rel=0.1)
    same = tang2013.between_groups(scatter["project"] - scatter["user"])
    assert same == claims.NOTHING, "projects and users are the same groups"


def test_the_average_of_earlier_jobs_takes_those_that_had_ended():
    jobs = pd.DataFrame({"submit": [0, 10, 30, 31], "run": [10, 20, 5, 1], "estimate": 100, "user": [1, 1, 1, 2]})
    found = accuracy.earlier_average(jobs, jobs.submit + jobs.run, ["user"])
    assert found.tolist() == pytest.approx([np.nan, np.nan, 0.1, np.nan], nan_ok=True)
    later = accuracy.earlier_average(jobs.assign(user=1), jobs.submit + jobs.run, ["user"])
    assert later.iloc[3] == pytest.approx((0.1 + 0.2) / 2)


def test_claims_on_inaccuracy_hold_for_a_log_as_the_text_describes_it(run):
    rng = np.random.default_rng(1)
    jobs = habits()
    quarter = jobs.submit // (90 * DAY)
    share = np.clip(rng.beta(0.58, 0.5, len(jobs)) * (0.78 + 0.22 * quarter), 0.01, 1)
    one = tang_trace(jobs.assign(run=np.rint(share * jobs.estimate).astype(int)))
    found = run("table1-figures1-2", one, resamples=100, bins=10)
    for claim in (found["use_little"], found["quarters_vary"]):
        assert claim["verdict"] == claim["readings"][PRINTED]["verdict"] == REPRODUCED
    assert found["shares"]["made up"].sum() == pytest.approx(1)
    assert found["shares"]["made up"].iloc[-1] == (accuracy.used(one) >= 0.9).mean()
    assert found["table"].ours["made up", "share_R_below_0.5"] == (accuracy.used(one) < 0.5).mean()
    # but this is no habit of anybody's, and it has the shape of a bath: its average is far from its median
    assert parts(run("table2", one, resamples=100)["scatters_less"])["triple key"] != claims.HOLDS


# Figures 4 to 10


def test_the_study_averages_over_all_jobs(made_up):
    ours = study(made_up, keys=[TRIPLE], percentiles=[85], thresholds=(None, 0.5)).loc[judging.AS_IT_IS, "made up"]
    jobs, t_act = made_up.workload.jobs, made_up.t_act
    for threshold in (None, 0.5):
        scheme = adjusting.Scheme(window=None, threshold=threshold, least=1)
        t_sched = adjusting.adjusted(jobs, made_up.ends, scheme).t_sched
        row = ours[TRIPLE, "all", 85.0, threshold or 0.0]
        assert row.accuracy == pytest.approx(adjusting.accuracy(t_act, t_sched).mean())
        assert row.BE_share == pytest.approx((t_act - t_sched > 1800).mean())
        assert row[[f"{level}_share" for level in adjusting.LEVELS]].sum() == pytest.approx(1)
    users_own = ours[ORIGINAL]
    assert users_own.accuracy == pytest.approx(accuracy.used(made_up).mean())
    assert (users_own.NA_share, users_own.OE_share) == (1, 0)


def test_intervals_are_those_of_resampled_users(made_up):
    found = study(made_up, keys=["user"], percentiles=[85], resamples=2000)
    row = judging.spread(found).loc[("made up", *ORIGINAL, "accuracy")]
    by_user = accuracy.used(made_up).groupby(made_up.workload.jobs.user).mean()
    assert row.high - row.low == pytest.approx(2 * 1.96 * by_user.std() / np.sqrt(24), rel=0.15)
    again = study(made_up, keys=["user"], percentiles=[85], resamples=2000)
    pd.testing.assert_frame_equal(found, again)


def test_why_jobs_are_left_alone_or_badly_estimated_is_counted_job_by_job(made_up):
    jobs, traces = made_up.workload.jobs, {"made up": made_up}
    adjusted = adjusting.adjusted(jobs, made_up.ends, adjusting.Scheme(window=None, percentile=80, least=10))
    found = accuracy.reasons(traces, 10, 0.5, 2 * jobs.run.mean(), [80]).loc["made up", TRIPLE, 80]
    assert found["no history"] == adjusted.a.isna().mean()
    assert found[["no history", "A is 1"]].sum() == (adjusted.t_sched == jobs.estimate).mean()
    assert found["A too low"] == (adjusted.a.dropna() < 0.5).mean()
    late = made_up.t_act - adjusted.t_sched
    assert (found["bad"], found["bad if scaled"]) == ((late > 1800).mean(), (2 * late > 1800).mean())
    effects = accuracy.at_median(traces, 10)
    median = round(accuracy.used(made_up).median(), 2)
    found = study(made_up, keys=[TRIPLE], thresholds=(None, median), least=10, resamples=0)["made up"]
    expected = accuracy.saved(found, TRIPLE, median).loc[0]
    fewer = effects.xs((median, "made up", TRIPLE, "fewer"), level=[0, 1, 2, 3])
    assert fewer.tolist() == pytest.approx(expected.tolist())


@pytest.mark.slow
def test_claims_on_schemes_hold_where_users_have_habits_that_drift(run, made_up):
    found = run("figures4-7", made_up, resamples=100)
    claimed = {claim["id"]: claim for claim in found["claims"]}
    assert {claimed[id]["verdict"] for id in ("TG-04", "TG-05", "TG-24")} == {REPRODUCED}
    assert "with at least 10 similar jobs: " in claimed["TG-04"]["evidence"]
    cells = judging.cells(found["compared"])
    assert {cell["readings"][0]["verdict"] for cell in cells} == {judging.OTHER_LOG}
    assert len(cells) == 2 * len(judging.printed("tang2013_figure4 figure5 figure6"))
    own = found["compared"].loc[1, "made up", "base_accuracy"]
    assert own.ours == pytest.approx(accuracy.used(made_up).mean()) and own.low < own.ours < own.high


@pytest.mark.slow
def test_windows_are_held_against_all_history(run, made_up):
    found = run("figures8-10", made_up)
    changes, table = found["changes"].ours, found["table"].ours
    assert (changes.xs("all", level="window") == 0).all()
    month, ever = (table[1, "made up", TRIPLE, window, 85, 0, "accuracy"] for window in ("1 month", "all"))
    assert changes[1, "made up", TRIPLE, "1 month", 85, 0, "accuracy"] == pytest.approx(month - ever)


def test_overestimates_rise_and_fall_though_one_percentile_has_fewer():
    found = parts(DESCRIBED["TG-07"](metric="OE_share", change=lambda of: of - 0.45 * np.eye(7)[1]))
    assert found["OE grows first"] == found["then falls"] == HOLDS


def test_keys_that_make_the_same_groups_have_nothing_to_compare():
    others = schemes().drop(columns=DOUBLE, level="key")
    same = others.xs("user", axis=1, level="key", drop_level=False).rename(columns={"user": DOUBLE}, level="key")
    measures = accuracy.SIMILARITY["TG-05"](pd.concat([others, same], axis=1))
    assert measures["double over user"] == claims.NOTHING and measures["triple over double"].low > 0


def test_other_readings_stand_behind_the_verdict_and_printed_numbers_beside_it():
    false, printed = schemes("accuracy", lambda of: of - 0.1), {"at least": 0.35, "size": 0.35}
    readings = {"a": {"made up": schemes()}, "b": {"made up": false}}
    claim = tang2013.decided("TG-38", readings, accuracy.SIMILARITY["TG-38"], tang2013.TraceLogs({}), printed=printed)
    assert claim["verdict"] == claim["readings"][PRINTED]["verdict"] == REPRODUCED
    assert claim["evidence"].endswith("b: not reproduced")


# Figure 11


def test_the_distribution_of_accuracy_has_the_medians_that_numpy_finds(made_up):
    found = figure11.averages([made_up], resamples=200)["made up"][TRIPLE]["original"][["mean", "median", "q60"]]
    own = accuracy.used(made_up)
    assert found.loc[judging.AS_IT_IS].tolist() == pytest.approx([own.mean(), own.median(), own.quantile(0.6)])
    table = judging.spread(found.rename_axis(columns="metric"))
    assert ((table.low < table.ours) & (table.ours < table.high)).all()
    assert table["mean"].tolist() == pytest.approx(table.ours.tolist(), abs=0.05)


def test_figure_11_draws_which_share_of_the_jobs_is_no_more_accurate(run, made_up):
    x, curve = run("figure11", made_up)["picture"].axes[0].lines[0].get_data()
    assert np.interp(0.4, x, curve) == pytest.approx((accuracy.used(made_up) < 0.4).mean(), abs=0.002)


# The real logs


def test_when_jobs_ended_is_simulated_where_recorded_waits_are_broken():
    jobs = pd.DataFrame({"submit": [0, 1], "run": [60, 30], "estimate": [60, 30], "procs": 8})
    trace = tang_trace(jobs)
    assert trace.ends.to_list() == [60, 31]
    assert replace(trace, waits=False).ends.to_list() == [60, 90]


# Printed marks


def shares_at(threshold, under):
    """Shares by level of one log with the triple key and two percentiles, so many of them underestimates."""
    metrics = {"accuracy": 0.5, "NA_share": 0.1, "OE_share": 0.9 - under, "UE_share": under / 2, "BE_share": under / 2}
    places = [(1, "log", TRIPLE, "all", at, threshold, metric) for at in (100.0, 85.0) for metric in metrics]
    index = pd.MultiIndex.from_tuples(places, names=["least", "log", *accuracy.DIMENSIONS, "metric"])
    return pd.DataFrame({"ours": [*metrics.values()] * 2}, index)


def test_the_printed_drop_is_drawn_as_a_share_of_ours_without_the_threshold():
    plots.use_style()
    both = pd.concat([shares_at(0.0, 0.4), shares_at(0.5, 0.1)])
    figure = levels.with_threshold(both, 0.5, 1, drop=(0.25, 0.5))
    title = figure.legends[0].get_title().get_text().replace("\n", " ")
    assert title == "With A at least 0.5 underestimates (UE and BE) are fewer by 75% to 75%, any similar job"
    left, right = ([line.get_ydata() for line in ax.lines if line.get_marker() == "_"] for ax in figure.axes)
    assert left == [] and [sorted(of) for of in right] == [pytest.approx([0.2, 0.3])] * 2
    own = levels.with_threshold(both, 0.5, 1)
    assert not any(line.get_marker() == "_" for ax in own.axes for line in ax.lines)


def test_what_is_printed_of_figure_5_stands_in_the_panels_of_the_triple_key():
    plots.use_style()
    figure = levels.figure5(shares_at(0.0, 0.4), 1)
    ranges = [sorted(line.get_ydata()) for line in figure.axes[0].lines if line.get_marker() == "_"]
    assert ranges == [pytest.approx([0.012, 0.022]), pytest.approx([0.102, 0.192])]
    assert not any(line.get_marker() == "_" for line in levels.figure5(shares_at(0.0, 0.4), 1, own=True).axes[0].lines)
