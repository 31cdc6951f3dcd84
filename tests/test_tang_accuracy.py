"""The accuracy exhibits of Tang et al.: what is counted, which claims which log bears out."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import tang_trace, verdicts

import simlib
from simlib import walltime
from simlib.papers import judging, results, tang2013
from simlib.papers.tang2013 import (
    DOUBLE,
    TRIPLE,
    accuracy,
    accuracy_claims,
    figure3,
    figure11,
    figures4_10,
    inaccuracy,
)
from simlib.papers.tang2013.accuracy import ORIGINAL, place

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
    return accuracy.study(traces, **{"keys": walltime.KEYS, "resamples": 100} | options)


def of(trace, exhibit):
    """An exhibit that is given one trace."""
    exhibit.found = [trace]
    return exhibit


# Which jobs


def test_every_setting_names_a_log_of_the_catalogue_and_its_variants():
    for setting in tang2013.settings():
        for variant in setting["variants"]:
            assert simlib.archive.files(setting["log"], variant)


def test_a_log_without_a_setting_is_refused_with_those_that_have_one():
    with pytest.raises(ValueError, match="found NASA-iPSC, expected names out of ANL-Intrepid, SDSC-SP2, SDSC-DS"):
        tang2013.traces("NASA-iPSC")


def test_without_any_log_twins_stand_in_and_prove_nothing(monkeypatch, made_up):
    def twin(name):
        return tang_trace(habits(days=60), name=name, synthetic=True).workload

    monkeypatch.setattr(tang2013.archive, "find", lambda *_: None)
    monkeypatch.setattr(tang2013.twin, "workload", twin)
    here, missing = tang2013.traces()
    assert missing == list(tang2013.STAND_INS) == [one.name for one in here]
    assert "synthetic" in tang2013.about(here)
    found = figures4_10.Figures47(resamples=10).verdicts
    assert set(verdicts(found).values()) == {judging.UNTESTED}


def test_the_cleaned_log_is_used_because_restored_lines_have_no_account(log):
    log("SDSC-SP2", "cleaned")
    here, missing = tang2013.traces("SDSC-SP2")
    assert missing == []
    jobs = here[0].workload.jobs
    assert len(jobs) == 54009 and (jobs[["user", "group"]] != -1).all().all()


# Tables 1 and 2, Figures 1 and 2


def test_overruns_have_an_r_of_one():
    one = tang_trace(pd.DataFrame({"submit": [0, 0, 0], "run": [50, 100, 130], "estimate": 100, "user": 1, "group": 1}))
    assert inaccuracy.used(one).tolist() == [0.5, 1, 1]
    assert one.t_act.tolist() == [50, 100, 100]
    ours = of(one, inaccuracy.Table1Figures12(resamples=10, least_jobs=1)).comparison.ours["made up"]
    assert (ours["share_R_near_1"], ours["share_R_below_0.5"]) == (2 / 3, 0)


def test_the_histogram_of_r_has_every_job_once(made_up):
    shares = of(made_up, inaccuracy.Table1Figures12(bins=10)).histogram["made up"]
    assert shares.sum() == pytest.approx(1)
    assert shares.iloc[-1] == (inaccuracy.used(made_up) >= 0.9).mean()


@pytest.mark.slow
def test_quarters_are_the_calendars_and_small_ones_are_left_out(made_up):
    table = of(made_up, inaccuracy.Table1Figures12(resamples=100)).quarters.loc["made up"]
    assert table.index.tolist() == ["2009 Q1", "2009 Q2", "2009 Q3"]
    first = made_up.workload.jobs.submit < 90 * DAY
    assert table.ours["2009 Q1"] == pytest.approx(inaccuracy.used(made_up)[first].mean())
    assert table.jobs["2009 Q1"] == first.sum()
    assert ((table.low < table.ours) & (table.ours < table.high)).all()
    fewer = of(made_up, inaccuracy.Table1Figures12(resamples=10, least_jobs=10_000)).quarters
    assert fewer.index.tolist()[-1] == ("made up", "2009 Q2")


def test_table_2_counts_groups_of_ten_and_averages_their_deviations():
    run = [10, 20] * 5 + [30, 60] * 5 + [100] * 9
    jobs = pd.DataFrame({"submit": 0, "run": run, "estimate": 100, "user": [1] * 10 + [2] * 10 + [3] * 9, "group": 1})
    table = of(tang_trace(jobs), inaccuracy.Table2()).comparison.loc["made up"]
    deviations = [np.std([0.1, 0.2] * 5, ddof=1), np.std([0.3, 0.6] * 5, ddof=1)]
    groups = table.ours.xs("groups", level="metric")
    assert groups.to_dict() == {"all": 1, "project": 1, "user": 2, DOUBLE: 2, TRIPLE: 2}
    assert table.ours["user", "std"] == pytest.approx(np.mean(deviations))
    error = 1.96 * np.std(deviations, ddof=1) / np.sqrt(2)
    assert table.high["user", "std"] == pytest.approx(np.mean(deviations) + error, rel=1e-4)
    assert table.low.isna()["all", "std"], "one group has no spread over groups"
    assert table.ours["user", "jobs_share"] == pytest.approx(20 / 29)


def test_claims_on_inaccuracy_hold_for_a_log_as_the_text_describes_it():
    rng = np.random.default_rng(1)
    jobs = habits()
    quarter = jobs.submit // (90 * DAY)
    share = np.clip(rng.beta(0.7, 0.8, len(jobs)) * (0.85 + 0.15 * quarter), 0.01, 1)
    one = tang_trace(jobs.assign(run=np.rint(share * jobs.estimate).astype(int)))
    assert verdicts(of(one, inaccuracy.Table1Figures12(resamples=100)).verdicts) == {
        "TG-01": judging.REPRODUCED,
        "TG-02": judging.REPRODUCED,
    }
    # but this is no habit of anybody's
    assert verdicts(of(one, inaccuracy.Table2()).verdicts) != {"TG-03": judging.REPRODUCED}


def test_the_claim_on_groups_holds_where_users_have_habits(made_up):
    assert verdicts(of(made_up, inaccuracy.Table2()).verdicts) == {"TG-03": judging.REPRODUCED}


def test_claims_on_inaccuracy_fail_for_good_estimates():
    one = tang_trace(habits().assign(run=lambda jobs: jobs.estimate - 60))
    assert verdicts(of(one, inaccuracy.Table1Figures12(resamples=100)).verdicts) == {
        "TG-01": judging.NOT,
        "TG-02": judging.NOT,
    }


# Figures 4 to 10


def test_the_study_averages_over_all_jobs(made_up):
    ours = study(made_up, keys=[TRIPLE], percentiles=[85], thresholds=(None, 0.5)).loc[results.AS_IT_IS, "made up"]
    jobs, t_act = made_up.workload.jobs, made_up.t_act
    for threshold in (None, 0.5):
        scheme = walltime.Scheme(window=None, threshold=threshold)
        t_sched = walltime.adjusted(jobs, made_up.ends, scheme).t_sched
        row = ours[TRIPLE, "all", 85.0, threshold or 0.0]
        assert row.accuracy == pytest.approx(walltime.accuracy(t_act, t_sched).mean())
        assert row.BE_share == pytest.approx((t_act - t_sched > 1800).mean())
        assert row[[f"{level}_share" for level in walltime.LEVELS]].sum() == pytest.approx(1)
    users_own = ours[ORIGINAL]
    assert users_own.accuracy == pytest.approx(inaccuracy.used(made_up).mean())
    assert (users_own.NA_share, users_own.OE_share) == (1, 0)


def test_intervals_are_those_of_resampled_users(made_up):
    found = study(made_up, keys=["user"], percentiles=[85], resamples=2000)
    row = results.summary(found).loc[("made up", *ORIGINAL, "accuracy")]
    by_user = inaccuracy.used(made_up).groupby(made_up.workload.jobs.user).mean()
    assert row.high - row.low == pytest.approx(2 * 1.96 * by_user.std() / np.sqrt(24), rel=0.15)
    again = study(made_up, keys=["user"], percentiles=[85], resamples=2000)
    pd.testing.assert_frame_equal(found, again)


def test_schemes_are_compared_resample_by_resample(made_up):
    found = study(made_up, keys=[TRIPLE, "project"], percentiles=[85])["made up"]
    places = [(*place(key, 85), "accuracy") for key in (TRIPLE, "project")]
    one, other = (tang2013.spread(found[at]) for at in places)
    gain, interval = tang2013.spread(found[places[0]] - found[places[1]])
    assert gain == pytest.approx(one[0] - other[0])
    assert interval.low < gain < interval.high < one[1].high - other[1].low
    assert tang2013.said(0.5, interval).startswith(f"0.50 ({interval.low:.2f} to ")


def test_windows_change_nothing_against_themselves(made_up):
    found = study(made_up, keys=[TRIPLE], windows=(None, "1 month"))
    changes = accuracy.against_all(found)
    assert (changes.xs("all", axis=1, level="window") == 0).all().all()
    all_history, month = (("made up", *place(TRIPLE, 85, window=window), "accuracy") for window in (None, "1 month"))
    pd.testing.assert_series_equal(changes[month], found[month] - found[all_history], check_names=False)


def test_the_effect_of_a_threshold_is_read_off_the_study(made_up):
    found = study(made_up, keys=[TRIPLE], percentiles=[50], thresholds=(None, 0.5))
    effect = accuracy.threshold_effect(found, 0.5).loc[results.AS_IT_IS]["made up", TRIPLE, 50.0]
    free, limited = (found.loc[results.AS_IT_IS]["made up"][place(TRIPLE, 50, limit)] for limit in (0.0, 0.5))
    assert effect.fewer == pytest.approx(1 - (limited.UE_share + limited.BE_share) / (free.UE_share + free.BE_share))
    assert effect.accuracy == pytest.approx(limited.accuracy - free.accuracy)


@pytest.mark.slow
def test_claims_hold_where_users_have_habits_that_drift(made_up):
    found = verdicts(accuracy_claims.similarity(study(made_up, thresholds=(None, 0.5))))
    assert found["TG-04"] == found["TG-05"] == judging.REPRODUCED
    windows = study(made_up, keys=(TRIPLE, DOUBLE), windows=(None, "1 month"), thresholds=(None, 0.5))
    assert verdicts(accuracy_claims.recency(windows))["TG-10"] == judging.REPRODUCED


def test_claims_fail_where_estimates_are_exact():
    exact = tang_trace(habits(days=120).assign(run=lambda jobs: jobs.estimate))
    found = verdicts(accuracy_claims.similarity(study(exact, thresholds=(None, 0.5))))
    assert (found["TG-04"], found["TG-05"], found["TG-06"]) == (judging.NOT,) * 3


# Figure 11


def test_the_distribution_of_accuracy_has_the_medians_that_numpy_finds(made_up):
    found = figure11.averages([made_up], resamples=200)["made up"][TRIPLE]["original"]
    own = inaccuracy.used(made_up)
    assert found.loc[results.AS_IT_IS].tolist() == pytest.approx([own.mean(), own.median(), own.quantile(0.6)])
    table = results.summary(found.rename_axis(columns="metric"))
    assert ((table.low < table.ours) & (table.ours < table.high)).all()
    assert table["mean"].tolist() == pytest.approx(table.ours.tolist(), abs=0.05)
    curves = figure11.distributions({"made up": dict(figure11.accuracies(made_up, "1 month", 0.5))}).axes[0]
    x, curve = curves.lines[0].get_data()
    assert curve[-1] == pytest.approx(1)
    assert curve[list(x).index(0.4)] == pytest.approx((own < 0.4).mean(), abs=0.002)
    plt.close("all")


# Pictures and records


@pytest.mark.slow
def test_printed_numbers_are_recorded_beside_ours_and_never_judged(made_up):
    exhibits = [
        inaccuracy.Table1Figures12(resamples=10),
        inaccuracy.Table2(),
        figures4_10.Figures47(resamples=10),
        figure11.Figure11(resamples=10),
    ]
    found = []
    for exhibit in exhibits:
        exhibit.found = [made_up]
        cells = exhibit.made[""].cells()
        assert len(cells) == exhibit.comparison.published.notna().sum()
        found += cells
    assert {cell["readings"]["text"]["verdict"] for cell in found} == {judging.OTHER_LOG}
    files = judging.published("tang2013_numbers"), judging.published("tang2013_table2")
    assert len(found) == sum(map(len, files)) + len(judging.published("tang2013_figure11"))
    base = next(cell for cell in found if cell["of"].get("quantity") == "base_accuracy")
    ours = base["readings"]["text"]
    assert ours["low"] <= ours["ours"] <= ours["high"] and base["published"] == 0.5


def test_the_path_through_the_dimensions_marks_one_option_of_each():
    options = pd.DataFrame({"one": ["a", "b", "b"], "two": ["c", "d", "e"]})
    ax = figure3.scheme_dimensions(options, ["b", "d"]).axes[0]
    assert [text.get_text() for text in ax.texts if text.get_color() == "white"] == ["b", "d"]
    plt.close("all")


# The real logs


def test_the_triple_key_on_sdsc_sp2_is_as_accurate_as_first_measured(log):
    log("SDSC-SP2", "cleaned")
    here, _ = tang2013.traces("SDSC-SP2")
    ours = study(*here, keys=[TRIPLE], resamples=0).loc[results.AS_IT_IS, "SDSC-SP2"]
    values = [ours[*place(TRIPLE, p), "accuracy"] for p in (100, 95, 85, 70, 50)]
    assert values == pytest.approx([0.38, 0.43, 0.50, 0.53, 0.53], abs=0.006)
    assert ours[*ORIGINAL, "accuracy"] == pytest.approx(0.32, abs=0.005)


def test_r_scatters_within_groups_of_sdsc_sp2_as_it_did_on_intrepid(log):
    log("SDSC-SP2", "cleaned")
    std = inaccuracy.Table2("SDSC-SP2").comparison.xs("std", level="metric")
    assert np.abs(std.ours - std.published).max() < 0.01
