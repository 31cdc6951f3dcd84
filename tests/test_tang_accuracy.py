"""The accuracy exhibits of Tang et al.: what is counted, which claims which log bears out."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import simlib
from simlib import papers, walltime
from simlib.papers import tang2013
from simlib.papers.tang2013 import DOUBLE, TRIPLE, accuracy, accuracy_claims, inaccuracy, pictures

matplotlib.use("Agg")
DAY = 86400


def trace(jobs, name="made up", project="group", synthetic=False):
    """A trace of jobs that did not wait: a DataFrame of submit, run, estimate, user, group."""
    jobs = jobs.assign(procs=1)
    log = jobs.assign(wait=0, requested_time=jobs.estimate)
    options = {"log": log, "start": pd.Timestamp("2009-01-01"), "synthetic": synthetic}
    return tang2013.Trace(name, simlib.Workload(jobs, 10, name, **options), project)


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
    return trace(habits(drift=0.1))


def study(*traces, **options):
    return accuracy.study(traces, **{"keys": walltime.KEYS, "resamples": 100} | options)


def verdicts(claims):
    return {claim["id"]: claim["verdict"] for claim in claims}


# Which jobs


def test_every_setting_names_a_log_of_the_catalogue_and_its_variants():
    for setting in tang2013.settings():
        for variant in setting["variants"]:
            assert simlib.archive.files(setting["log"], variant)


def test_a_log_without_a_setting_is_refused_with_those_that_have_one():
    with pytest.raises(ValueError, match="found CTC-SP2, expected names out of ANL-Intrepid, SDSC-SP2, SDSC-DS"):
        tang2013.traces("CTC-SP2")


def test_without_any_log_twins_stand_in_and_prove_nothing(monkeypatch, made_up):
    def twin(name):
        return trace(habits(days=60), name, synthetic=True).workload

    monkeypatch.setattr(tang2013.archive, "find", lambda *_: None)
    monkeypatch.setattr(tang2013.twin, "workload", twin)
    here, missing = tang2013.traces()
    assert missing == list(tang2013.STAND_INS) == [one.name for one in here]
    assert "synthetic" in tang2013.about(here)
    table, samples = study(*here, thresholds=(None, 0.5))
    found = accuracy_claims.similarity(here, table, samples)
    assert set(verdicts(found).values()) == {papers.UNTESTED}


def test_the_cleaned_log_is_used_because_restored_lines_have_no_account(log):
    log("SDSC-SP2", "cleaned")
    here, missing = tang2013.traces("SDSC-SP2")
    assert missing == []
    jobs = here[0].workload.jobs
    assert len(jobs) == 54009 and (jobs[["user", "group"]] != -1).all().all()


# Tables 1 and 2, Figures 1 and 2


def test_overruns_have_an_r_of_one():
    one = trace(pd.DataFrame({"submit": [0, 0, 0], "run": [50, 100, 130], "estimate": 100, "user": 1, "group": 1}))
    assert inaccuracy.used(one).tolist() == [0.5, 1, 1]
    assert one.t_act.tolist() == [50, 100, 100]
    table = inaccuracy.table1([one]).loc["made up"]
    assert (table["share_R_near_1"], table["share_R_below_0.5"]) == (2 / 3, 0)


def test_the_histogram_of_r_has_every_job_once(made_up):
    shares = inaccuracy.distribution([made_up], bins=10)["made up"]
    assert shares.sum() == pytest.approx(1)
    assert shares.iloc[-1] == (inaccuracy.used(made_up) >= 0.9).mean()


def test_quarters_are_the_calendars_and_small_ones_are_left_out(made_up):
    table = inaccuracy.quarters([made_up], resamples=100).loc["made up"]
    assert table.index.tolist() == ["2009 Q1", "2009 Q2", "2009 Q3"]
    first = made_up.workload.jobs.submit < 90 * DAY
    assert table.mean_R["2009 Q1"] == inaccuracy.used(made_up)[first].mean()
    assert ((table.low < table.mean_R) & (table.mean_R < table.high)).all()
    assert inaccuracy.quarters([made_up], resamples=10, least_jobs=10_000).index.tolist()[-1] == ("made up", "2009 Q2")


def test_table_2_counts_groups_of_ten_and_averages_their_deviations():
    run = [10, 20] * 5 + [30, 60] * 5 + [100] * 9
    jobs = pd.DataFrame({"submit": 0, "run": run, "estimate": 100, "user": [1] * 10 + [2] * 10 + [3] * 9, "group": 1})
    table = inaccuracy.table2([trace(jobs)]).loc["made up"]
    deviations = [np.std([0.1, 0.2] * 5, ddof=1), np.std([0.3, 0.6] * 5, ddof=1)]
    assert table.groups.to_dict() == {"all": 1, "project": 1, "user": 2, DOUBLE: 2, TRIPLE: 2}
    assert table["std"]["user"] == pytest.approx(np.mean(deviations))
    assert table.jobs_share["user"] == pytest.approx(20 / 29)


def test_claims_on_inaccuracy_hold_for_a_log_as_the_text_describes_it():
    rng = np.random.default_rng(1)
    jobs = habits()
    quarter = jobs.submit // (90 * DAY)
    share = np.clip(rng.beta(0.7, 0.8, len(jobs)) * (0.85 + 0.15 * quarter), 0.01, 1)
    one = trace(jobs.assign(run=np.rint(share * jobs.estimate).astype(int)))
    quarters = inaccuracy.quarters([one], resamples=100)
    assert verdicts(inaccuracy.claims([one], quarters)) == {"TG-01": papers.REPRODUCED, "TG-02": papers.REPRODUCED}
    # but this is no habit of anybody's
    assert verdicts(inaccuracy.claims_table2([one], inaccuracy.table2([one]))) != {"TG-03": papers.REPRODUCED}


def test_the_claim_on_groups_holds_where_users_have_habits(made_up):
    assert verdicts(inaccuracy.claims_table2([made_up], inaccuracy.table2([made_up]))) == {"TG-03": papers.REPRODUCED}


def test_claims_on_inaccuracy_fail_for_good_estimates():
    one = trace(habits().assign(run=lambda jobs: jobs.estimate - 60))
    quarters = inaccuracy.quarters([one], resamples=100)
    assert verdicts(inaccuracy.claims([one], quarters)) == {"TG-01": papers.NOT, "TG-02": papers.NOT}


# Figures 4 to 10


def test_the_study_averages_over_all_jobs(made_up):
    table, _ = study(made_up, keys=[TRIPLE], percentiles=[85], thresholds=(None, 0.5))
    jobs, t_act = made_up.workload.jobs, made_up.t_act
    for threshold in (None, 0.5):
        scheme = walltime.Scheme(window=None, threshold=threshold)
        t_sched = walltime.adjusted(jobs, made_up.ends, scheme).t_sched
        row = table.loc["made up", TRIPLE, "all", 85.0, threshold or 0.0]
        assert row.accuracy == pytest.approx(walltime.accuracy(t_act, t_sched).mean())
        assert row.BE == pytest.approx((t_act - t_sched > 1800).mean())
        assert row[list(walltime.LEVELS)].sum() == pytest.approx(1)
    users_own = table.loc[("made up", *accuracy.ORIGINAL)]
    assert users_own.accuracy == pytest.approx(inaccuracy.used(made_up).mean())
    assert (users_own.NA, users_own.OE) == (1, 0)


def test_intervals_are_those_of_resampled_users(made_up):
    table, samples = study(made_up, keys=["user"], percentiles=[85], resamples=2000)
    row = table.loc[("made up", *accuracy.ORIGINAL)]
    by_user = inaccuracy.used(made_up).groupby(made_up.workload.jobs.user).mean()
    assert row.accuracy_high - row.accuracy_low == pytest.approx(2 * 1.96 * by_user.std() / np.sqrt(24), rel=0.15)
    again = study(made_up, keys=["user"], percentiles=[85], resamples=2000)[1]
    pd.testing.assert_frame_equal(samples, again)


def test_schemes_are_compared_resample_by_resample(made_up):
    table, samples = study(made_up, keys=[TRIPLE, "project"], percentiles=[85])
    one, other = (table.loc["made up", key, "all", 85.0, 0.0] for key in (TRIPLE, "project"))
    found = accuracy_claims.Found(table, samples, "made up")
    gain, low, high = found.gain("accuracy", *((key, "all", 85.0, 0.0) for key in (TRIPLE, "project")))
    assert gain == pytest.approx(one.accuracy - other.accuracy)
    assert low < gain < high < one.accuracy_high - other.accuracy_low


def test_windows_change_nothing_against_themselves(made_up):
    table, samples = study(made_up, keys=[TRIPLE], windows=(None, "1 month"))
    changes = accuracy.against_all(table, samples)
    assert (changes.xs("all", level="window") == 0).all().all()
    month = changes.xs("1 month", level="window").change
    place = "accuracy", "made up", TRIPLE, 85.0, 0.0
    values = table.accuracy["made up", TRIPLE].xs(85.0, level="percentile")
    assert month[place] == pytest.approx(values["1 month"].item() - values["all"].item())


def test_the_effect_of_a_threshold_is_read_off_the_study(made_up):
    table, _ = study(made_up, keys=[TRIPLE], percentiles=[50], thresholds=(None, 0.5))
    effect = accuracy.threshold_effect(table, 0.5).loc["made up", TRIPLE, 50.0]
    free, limited = (table.loc["made up", TRIPLE, "all", 50.0, limit] for limit in (0.0, 0.5))
    assert effect.fewer == pytest.approx(1 - (limited.UE + limited.BE) / (free.UE + free.BE))
    assert effect.accuracy == pytest.approx(limited.accuracy - free.accuracy)


def test_claims_hold_where_users_have_habits_that_drift(made_up):
    found = verdicts(accuracy_claims.similarity([made_up], *study(made_up, thresholds=(None, 0.5))))
    assert found["TG-04"] == found["TG-05"] == papers.REPRODUCED
    windows = study(made_up, keys=(TRIPLE, DOUBLE), windows=(None, "1 month"), thresholds=(None, 0.5))
    assert verdicts(accuracy_claims.recency([made_up], *windows))["TG-10"] == papers.REPRODUCED


def test_claims_fail_where_estimates_are_exact():
    exact = trace(habits(days=120).assign(run=lambda jobs: jobs.estimate))
    found = verdicts(accuracy_claims.similarity([exact], *study(exact, thresholds=(None, 0.5))))
    assert (found["TG-04"], found["TG-05"], found["TG-06"]) == (papers.NOT,) * 3


# Figure 11


def test_the_distribution_of_accuracy_has_the_medians_that_numpy_finds(made_up):
    curves, table, samples = accuracy.cumulative([made_up], resamples=200)
    own = inaccuracy.used(made_up)
    row = table.loc["made up", TRIPLE, "original"]
    assert (row["mean"], row["median"], row.q60) == pytest.approx((own.mean(), own.median(), own.quantile(0.6)))
    assert row.median_low < row["median"] < row.median_high
    curve = curves.loc["made up", TRIPLE, "original"]
    assert curve.iloc[-1] == pytest.approx(1)
    assert curve[0.4] == pytest.approx((own < 0.4).mean(), abs=0.002)
    assert samples["made up", TRIPLE, "original"].mean() == pytest.approx(own.median(), abs=0.05)


# Pictures and records


def test_pictures_and_records_are_made_of_any_log(made_up):
    table, samples = study(made_up, windows=(None, "1 month"), thresholds=(None, 0.5))
    free = table.xs((0.0, "all"), level=("threshold", "window"))
    names = tang2013.KEY_NAMES
    assert pictures.accuracy_by_percentile(free, names, (0.5, 70, 0.679))
    assert pictures.level_shares(free.drop(index="none", level="key"))
    changes = accuracy.against_all(table, samples).xs(("UE", 0.0), level=("measure", "threshold")).loc["made up"]
    values = table.UE.xs(0.0, level="threshold").loc["made up"].drop(index="none", level="key")
    assert pictures.by_window(values, changes, "UE")
    assert pictures.accuracy_distribution(accuracy.cumulative([made_up], resamples=1)[0], names)
    assert pictures.spread_within_groups(inaccuracy.table2([made_up]), names)
    assert pictures.by_quarter(inaccuracy.quarters([made_up], resamples=10), (0.42, 0.5, 0.59))
    assert pictures.r_distribution(inaccuracy.distribution([made_up]), {0.5: 0.5})
    cells = accuracy.cells([made_up], table, 0.5)
    assert {cell["verdict"] for cell in cells} == {papers.OTHER_LOG}
    base = next(cell for cell in cells if cell["of"]["quantity"] == "base_accuracy")
    assert base["low"] <= base["ours"] <= base["high"] and base["published"] == 0.5
    plt.close("all")


def test_the_path_through_the_dimensions_marks_one_option_of_each():
    ax = pictures.scheme_dimensions({"one": ["a", "b"], "two": ["c", "d", "e"]}, ["b", "d"]).axes[0]
    assert [text.get_text() for text in ax.texts if text.get_color() == "white"] == ["b", "d"]
    plt.close("all")


# The real logs


def test_the_triple_key_on_sdsc_sp2_is_as_accurate_as_first_measured(log):
    log("SDSC-SP2", "cleaned")
    here, _ = tang2013.traces("SDSC-SP2")
    table, _ = study(*here, keys=[TRIPLE], resamples=1)
    values = table.accuracy.loc["SDSC-SP2", TRIPLE].droplevel(["window", "threshold"])
    assert values[[100, 95, 85, 70, 50]].tolist() == pytest.approx([0.38, 0.43, 0.50, 0.53, 0.53], abs=0.006)
    assert table.accuracy[("SDSC-SP2", *accuracy.ORIGINAL)] == pytest.approx(0.32, abs=0.005)


def test_r_scatters_within_groups_of_sdsc_sp2_as_it_did_on_intrepid(log):
    log("SDSC-SP2", "cleaned")
    table = inaccuracy.table2(tang2013.traces("SDSC-SP2")[0])["std"]
    assert np.abs(table["SDSC-SP2"] - table["Tang et al."]).max() < 0.01
