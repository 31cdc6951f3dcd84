"""Figures 4 and 7 of Mu'alem & Feitelson: models against load, the difference between schedulers, and the verdicts."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import simlib
from simlib import EASY, Conservative, estimates, metrics, papers, plots
from simlib.papers import mualem2001
from simlib.papers.mualem2001 import load_curves, load_curves_claims, pictures
from simlib.papers.mualem2001.load_curves import PAIR, POINT, RULES
from simlib.papers.mualem2001.load_curves_claims import CANDIDATES
from simlib.stats import batch_means
from simlib.swf import FIELDS

plots.plt.switch_backend("Agg")

ENDLESS = {"most": 100, "precision": None, "ceiling": None}


def random_jobs(jobs=2000, seed=1, procs=16):
    """A queue of parallel jobs with exact estimates, as the models give them."""
    rng = np.random.default_rng(seed)
    submit = np.cumsum(rng.exponential(100, jobs)).astype(int)
    run, size = 1 + rng.exponential(500, jobs).astype(int), 2 ** rng.integers(0, 5, jobs)
    return simlib.Workload(pd.DataFrame({"submit": submit, "run": run, "procs": size}), procs)


def unhurried(runs):
    """Jobs that never wait, one a second, on a machine as large as all together; response times are run times."""
    jobs = pd.DataFrame({"submit": np.arange(len(runs)), "run": runs, "procs": 1})
    return simlib.Workload(jobs, len(runs))


def test_a_point_is_the_batch_means_of_the_simulation_at_that_load():
    w = random_jobs()
    points, _ = load_curves.curves([("made", w)], {"made": 50}, [0.7], stopping=ENDLESS)
    for name, policy in (("easy", EASY()), ("conservative", Conservative()), ("easy_variant", EASY(reuse_extra=True))):
        jobs = simlib.simulate(w.scale_load(0.7), policy).jobs.sort_values("end", kind="stable")
        slowdown = metrics.bounded_slowdown(jobs.wait, jobs.run, floor=None)
        for metric, values in (("response_s", jobs.response), ("bounded_slowdown", slowdown)):
            found, row = batch_means(values, 50), points.loc["made", 0.7, name, metric]
            assert (row["mean"], row.low, row.high, row.lag1) == (found.mean, found.low, found.high, found.lag1)
            assert (row.batches, row.stopped, row.whole) == (39, "end", found.mean)
            assert row.accuracy == pytest.approx(found.half_width / found.mean)


def test_the_load_executed_is_that_of_the_batches_without_the_warm_up():
    w = unhurried([4, 4, 4, 4])  # on four processors; the first batch, of one job, ends at second 4, the last at 7
    points, _ = load_curves.curves([("made", w)], {"made": 1}, [w.load], stopping=ENDLESS)
    assert points.loc["made", w.load, "easy", "response_s"].executed == (3 + 2 + 1) / (4 * 3)


def test_with_feedback_jobs_follow_the_simulated_end_of_others():
    runs = [4, 1, 1, 1]
    jobs = unhurried(runs).jobs
    log = pd.DataFrame(-1, index=jobs.index, columns=FIELDS).assign(job=jobs.index + 1, submit=jobs.submit, run=runs)
    log.loc[jobs.index[1:], ["preceding", "think"]] = [[1, 0], [2, 0], [3, 0]]
    w = simlib.Workload(jobs.assign(procs=4), 4, log=log)  # one after another, though recorded as overlapping
    for feedback, mean in (((), 4), (["made"], 1)):
        points, _ = load_curves.curves([("made", w)], {"made": 1}, [w.load], stopping=ENDLESS, feedback=feedback)
        assert points.loc["made", w.load, "easy", "response_s"]["mean"] == mean


@pytest.mark.parametrize(
    ("runs", "first_to_end"),
    [
        ([1000, 30, 60, 90], 1),
        ([1000, 31, 30, 90], 1),  # at the same second as the third
        ([1000, 90, 30, 60], 2),
    ],
)
def test_the_batches_are_cut_in_order_of_termination_ties_by_arrival(runs, first_to_end):
    w = unhurried(runs)
    points, _ = load_curves.curves([("made", w)], {"made": 1}, [w.load], stopping=ENDLESS)
    kept = np.delete(runs, first_to_end)  # the first batch, here of one job, is dropped
    assert points.loc["made", w.load, "easy", "response_s"]["mean"] == np.mean(kept)


def test_the_response_time_decides_where_both_metrics_stop():
    w = random_jobs()
    stopping = {"most": 100, "precision": None, "ceiling": 3000}
    points, differences = load_curves.curves([("made", w)], {"made": 20}, [0.3, 0.95], stopping=stopping)
    high, low = points.loc["made", 0.95], points.loc["made", 0.3]
    assert (high.stopped == "ceiling").all() and (low.stopped == "end").all()
    response, slowdown = (high.loc["easy", metric] for metric in ("response_s", "bounded_slowdown"))
    assert 20 <= response.batches == slowdown.batches < 99
    assert response["mean"] > 3000 and response["mean"] != response.whole
    assert differences.ceiling.groupby("load").all().tolist() == [False, True]


def test_the_difference_is_known_better_than_the_means():
    points, differences = load_curves.curves([("made", random_jobs())], {"made": 50}, [0.7], stopping=ENDLESS)
    pair = differences.loc["made", 0.7, "followed", "response_s"]
    easy, conservative = (points.loc["made", 0.7, name, "response_s"] for name in ("easy", "conservative"))
    assert pair.relative == pytest.approx(pair.conservative / pair.easy - 1)
    assert (pair.easy, pair.conservative) == pytest.approx((easy["mean"], conservative["mean"]), rel=0.05)
    assert (pair.high - pair.low) < 0.5 * (easy.high - easy.low) / easy["mean"]


def test_equal_schedulers_do_not_differ():
    rules = dict.fromkeys(mualem2001.policies(), EASY())
    _, differences = load_curves.curves([("made", random_jobs())], {"made": 50}, [0.7, 0.9], rules)
    assert (differences[["relative", "low", "high"]] == 0).all(axis=None)


def test_intervals_of_the_relative_difference_cover_that_of_long_runs():
    runs = {
        seed: load_curves.curves([("made", random_jobs(4000, seed))], {"made": 100}, [0.7])[1] for seed in range(40)
    }
    table = pd.concat(runs, names=["seed"]).xs("followed", level="rule", drop_level=False)
    covered = load_curves.coverage(table, "relative")
    assert stats.binomtest(int(covered.sum()), len(covered), 0.9).pvalue > 0.01


def test_with_exact_estimates_the_order_of_compression_makes_no_difference():
    w = random_jobs().scale_load(0.9)
    one, other = (simlib.simulate(w, Conservative(compress=order)).jobs for order in ("arrival", "start"))
    pd.testing.assert_frame_equal(one, other)


def test_results_depend_neither_on_threads_nor_on_the_order_of_workloads(forget):
    one, other = ("one", random_jobs(500, 1)), ("other", random_jobs(900, 2))
    batch = {"one": 20, "other": 30}
    with ThreadPoolExecutor(1) as single, ThreadPoolExecutor(3) as several:
        ahead = load_curves.curves([one, other], batch, executor=single)
        forget()
        behind = load_curves.curves([other, one], batch, executor=several)
    for table, turned, names in zip(ahead, behind, (POINT, PAIR), strict=True):
        assert table.index.names == names
        assert table.index.unique("workload").tolist() == ["one", "other"]
        assert tuple(table.index.unique("load")) == load_curves.LOADS
        pd.testing.assert_frame_equal(table, turned.reindex(table.index))


def test_what_was_simulated_at_a_load_is_not_simulated_again(monkeypatch):
    w, found = random_jobs(600, 3), []
    note = found.append  # what the list holds must not tell one run's function from another's
    monkeypatch.setattr(load_curves, "simulate", lambda *args, **options: note(args) or simlib.simulate(*args))
    settings = {"batch": {"made": 20, "also made": 20}, "stopping": ENDLESS}
    once = load_curves.curves([("made", w)], loads=(0.5, 0.7), **settings)
    assert len(found) == 2 * 3
    again = load_curves.curves([("also made", w)], loads=(0.7,), **settings)
    assert len(found) == 2 * 3
    for table, part in zip(once, again, strict=True):
        assert part.loc["also made", 0.7].equals(table.loc["made", 0.7])
    load_curves.curves([("made", w.with_estimates(estimates.Scaled(2)))], loads=(0.7,), **settings)
    assert len(found) == 3 * 3


# Several runs


def differences(values, ceiling=(), runs=4, spread=0.001):
    """Made-up differences of several runs: `values` by (workload, rule, metric) at all loads, or by load last."""
    wiggle = spread * np.linspace(-1, 1, runs)
    rows = {}
    for seed, ((label, rule, metric), value), load in itertools.product(range(runs), values.items(), LOADS):
        relative = (value[load] if isinstance(value, dict) else value) + wiggle[seed]
        found = {"easy": 1.0, "conservative": 1 + relative, "relative": relative, "ceiling": (label, load) in ceiling}
        rows[seed, label, load, rule, metric] = found | {"low": relative - spread, "high": relative + spread}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["seed", *PAIR])


LOADS = (0.5, 0.75, 0.8, 0.9)


def test_over_runs_gives_students_t_over_them():
    found = differences({("Jann", "followed", "response_s"): 0.1}, runs=5)
    table = load_curves.over_runs(found, "relative")
    row = table.loc["Jann", 0.5, "followed", "response_s"]
    values = 0.1 + 0.001 * np.linspace(-1, 1, 5)
    assert (row.low, row.high) == pytest.approx(stats.t.interval(0.9, 4, 0.1, stats.sem(values)))
    assert (row.relative, row.easy, row.runs, row.ceiling) == (pytest.approx(0.1), 1, 5, False)


def test_a_single_run_cannot_tell_how_much_runs_differ():
    with pytest.raises(ValueError, match="found a single run, expected at least 2"):
        load_curves.over_runs(differences({("Jann", "followed", "response_s"): 0.1}, runs=1), "relative")


def test_coverage_asks_whether_each_interval_holds_the_mean_of_all_runs():
    table = differences({("Jann", "followed", "response_s"): 0.1}, runs=5, spread=0.004)
    table["low"], table["high"] = table.relative - 0.003, table.relative + 0.003
    covered = load_curves.coverage(table, "relative")
    assert covered.groupby("seed").all().tolist() == [False, True, True, True, False]


# The claims


def points(apart=0.0, batches="batches", accuracy=0.08):
    """Made-up points of four runs: conservative's mean is so much above EASY's."""
    rows = {}
    for seed, label, load, scheduler in itertools.product(
        range(4), ("Feitelson", "Jann"), LOADS, mualem2001.policies()
    ):
        for metric in mualem2001.METRICS:
            mean = 1 + apart * scheduler.startswith("conservative")
            found = {"mean": mean, "low": mean * (1 - accuracy), "high": mean * (1 + accuracy), "accuracy": accuracy}
            rows[seed, label, load, scheduler, metric] = found | {"batches": 100, "stopped": batches}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["seed", *POINT])


def made_up(by_workload, variant=None):
    """Differences in which both metrics of a model are as in `by_workload`, the variant's too unless it is given."""
    values = {}
    for rule, found in zip(RULES, (by_workload, variant or by_workload), strict=True):
        for label, pair in found.items():
            values |= {(label, rule, metric): value for metric, value in zip(mualem2001.METRICS, pair, strict=True)}
    return values


AS_IN_FIGURE_4 = {"Feitelson": (0.01, -0.01), "Jann": (0.15, -0.12)}


def verdicts(claims):
    return {claim["id"]: claim["verdict"] for claim in claims}


def figure4(found=AS_IN_FIGURE_4, variant=None, of=None, **settings):
    table = differences(made_up(found, variant), **settings)
    return verdicts(load_curves_claims.figure4(points() if of is None else of, table))


def test_figure_4_as_the_paper_describes_it_is_reproduced():
    assert set(figure4().values()) == {papers.REPRODUCED}


def test_figure_4_with_the_schedulers_exchanged_is_not_reproduced():
    found = figure4({"Feitelson": (0.3, -0.3), "Jann": (-0.15, 0.12)}, of=points(0.3, "precision", 0.03))
    assert set(found.values()) == {papers.NOT}


def test_a_verdict_that_hangs_on_the_variant_is_in_part_only():
    found = figure4(variant={"Feitelson": (0.3, -0.3), "Jann": (-0.15, 0.12)})
    assert {found[id] for id in ("MF-05", "MF-06", "MF-07")} == {papers.PARTLY}


def test_overlapping_intervals_do_not_make_schedulers_the_same_where_the_paired_difference_is_clear():
    assert figure4({"Feitelson": (0.08, -0.08), "Jann": (0.15, -0.12)})["MF-05"] == papers.PARTLY


def test_a_difference_in_slowdown_beyond_a_fifth_is_not_slight():
    assert figure4({"Feitelson": (0.01, -0.01), "Jann": (0.15, -0.3)})["MF-07"] == papers.PARTLY


def test_only_high_loads_below_the_ceiling_decide_about_the_jann_model():
    falls = {0.5: -0.3, 0.75: 0.1, 0.8: 0.1, 0.9: -0.3}
    found = {"Feitelson": (0.01, -0.01), "Jann": (falls, -0.12)}
    assert figure4(found)["MF-06"] == papers.PARTLY
    assert figure4(found, ceiling=[("Jann", 0.9)])["MF-06"] == papers.REPRODUCED
    stopped = [("Jann", load) for load in LOADS]
    assert figure4(found, ceiling=stopped)["MF-06"] == papers.UNTESTED


def test_runs_that_took_100_batches_at_another_accuracy_bear_out_half_the_claim():
    assert figure4(of=points(accuracy=0.12))["MF-41"] == papers.PARTLY
    assert figure4(of=points(batches="precision"))["MF-41"] == papers.NOT


AS_IN_FIGURE_7 = {
    "F": (0.01, -0.01),
    "Fs": (0.02, -0.1),
    "Fl": (0.03, -0.02),
    "Fsl": (0.09, -0.1),
    "Jann": (0.2, -0.2),
    **dict.fromkeys(CANDIDATES, (0.1, -0.11)),  # without repetitions, and with Jann's arrivals as well
}


def figure7(ceiling=(), **changed):
    return verdicts(load_curves_claims.figure7(differences(made_up(AS_IN_FIGURE_7 | changed), ceiling)))


def test_figure_7_as_the_paper_describes_it_is_reproduced():
    found = figure7()
    assert list(found) == ["MF-20", "MF-21", "MF-22", "MF-23", "MF-24", "MF-43"]
    assert set(found.values()) == {papers.REPRODUCED}


def test_figure_7_with_everything_turned_is_not_reproduced():
    found = figure7(Fl=(-0.05, 0), Fsl=(-0.2, 0.1), Fs=(0, -0.01), Jann=(-0.05, 0.05))
    assert found.pop("MF-24") == papers.UNTESTED  # nothing remains to explain
    assert set(found.values()) == {papers.NOT}


def test_a_candidate_that_goes_more_than_half_the_way_explains_what_remains():
    single, arrivals = CANDIDATES
    assert figure7(**{single: (0.18, -0.11), arrivals: (0.18, -0.11)})["MF-24"] == papers.PARTLY
    assert figure7(**{single: (0.16, -0.16), arrivals: (0.23, -0.23)})["MF-24"] == papers.NOT


def test_candidates_that_explain_it_only_together_leave_the_claim_in_part():
    single, arrivals = CANDIDATES
    assert figure7(**{single: (0.13, -0.14), arrivals: (0.17, -0.18)})["MF-24"] == papers.PARTLY


def test_sizes_alone_that_make_the_difference_leave_no_need_for_run_times():
    assert figure7(Fs=(0.085, -0.1))["MF-43"] == papers.PARTLY


def test_a_difference_in_slowdown_that_sizes_make_smaller_is_none_that_they_make():
    assert figure7(F=(0.01, -0.15))["MF-22"] == papers.NOT


def test_longer_runs_with_a_large_difference_bear_out_half_the_claim():
    assert figure7(Fl=(0.15, 0))["MF-20"] == papers.PARTLY
    assert figure7(Fl=(0.0, 0))["MF-20"] == papers.PARTLY


def test_models_are_compared_at_loads_that_all_of_them_bear():
    falls = {0.5: 0.0, 0.75: 0.09, 0.8: -0.9, 0.9: -0.9}
    assert figure7(Fsl=(falls, -0.1))["MF-21"] == papers.NOT
    assert figure7([("Fl", 0.8), ("Jann", 0.9), ("Fsl", 0.9)], Fsl=(falls, -0.1))["MF-21"] == papers.REPRODUCED
    high = [("Fl", load) for load in (0.75, 0.8, 0.9)]
    assert figure7(high, Fl=({0.5: 0.2, 0.75: 0.03, 0.8: 0.03, 0.9: 0.03}, 0))["MF-20"] == papers.PARTLY
    assert figure7([*high, ("Fl", 0.5)])["MF-20"] == papers.UNTESTED


def test_interarrival_times_are_compared_at_equal_means():
    steady, slower = (random_jobs(seed=seed) for seed in (1, 2))
    slower = slower.scale_arrivals(3)
    (found,) = load_curves_claims.interarrivals(steady, slower)
    assert found["verdict"] == papers.REPRODUCED
    jobs = steady.jobs
    bursts = steady.derive(jobs.assign(submit=jobs.submit // 20_000 * 20_000), "in bursts")
    (found,) = load_curves_claims.interarrivals(steady, bursts)
    assert found["verdict"] == papers.NOT


# Tables and pictures


def test_tables_for_reading_give_every_mean_with_its_interval_and_end():
    text = load_curves.beside(points(), "response_s").loc[0, "Jann", 0.5]
    assert text["conservative"] == "1 \u00b1 0"
    assert (text["easy \u00b1"], text["easy batches"]) == ("8.0%", "100 (batches)")
    table = differences(made_up(AS_IN_FIGURE_4))
    text = load_curves.differences_beside(table.loc[0], load_curves.over_runs(table, "relative")).loc["Jann", 0.5]
    assert text["followed", "response_s", "one run"] == "+14.9% (+14.8% to +15.0%)"
    assert text["variant", "bounded_slowdown", "all runs"].startswith("-12.0%")


def test_pictures_show_every_workload_and_mark_what_the_ceiling_stopped():
    workloads, batch = [("one", random_jobs(500)), ("other", random_jobs(600))], {"one": 20, "other": 20}
    stopping = {"most": 100, "precision": None, "ceiling": 1000}
    found, pairs = load_curves.curves(workloads, batch, (0.3, 0.95), stopping=stopping)
    labels = {"response_s": "mean response time [s]", "bounded_slowdown": "mean bounded slowdown"}
    figure = pictures.against_load(found, labels)
    assert [ax.get_ylabel() for ax in figure.axes] == list(labels.values())
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["EASY", "conservative", "one", "other", "stopped: too high"]
    figure = pictures.against_load(found, labels, [["one"], ["other"]])
    assert [ax.get_title() for ax in figure.axes] == ["one", "other", "", ""]
    figure = pictures.differences_by_load(pairs, labels)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["one", "other", "variant", "stopped: too high"]
    plots.plt.close("all")
