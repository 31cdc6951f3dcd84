"""Figures 4 and 7 of Mu'alem & Feitelson: models against load, the difference between schedulers, and the verdicts."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from helpers import random_jobs, verdicts

import simlib.load_curves
from simlib import Conservative, estimates
from simlib.papers import judging, mualem2001
from simlib.papers.judging import LIKELY, TEXT
from simlib.papers.mualem2001 import load_curves, load_curves_claims
from simlib.papers.mualem2001.figure4 import Figure4
from simlib.papers.mualem2001.load_curves import PAIR, POINT
from simlib.papers.mualem2001.load_curves_claims import CANDIDATES

ENDLESS = {"most": 100, "precision": None, "ceiling": None}


def test_with_exact_estimates_the_order_of_compression_makes_no_difference():
    w = random_jobs().scale_load(0.9)
    one, other = (simlib.simulate(w, Conservative(compress=order)).jobs for order in ("arrival", "start"))
    pd.testing.assert_frame_equal(one, other)


def of_one(workloads, batch, **settings):
    """The tables of one workload of each model."""
    models = {label: lambda seed, workload=workload: workload for label, workload in workloads.items()}
    return load_curves.curves(models, [1], batch, mualem2001.policies(), **settings)


@pytest.mark.slow
def test_results_depend_neither_on_threads_nor_on_the_order_of_workloads(forget):
    one, other = {"one": random_jobs(500, 1)}, {"other": random_jobs(900, 2)}
    batch = {"one": 20, "other": 30}
    with ThreadPoolExecutor(1) as single, ThreadPoolExecutor(3) as several:
        ahead = of_one(one | other, batch, executor=single)
        forget()
        behind = of_one(other | one, batch, executor=several)
    for table, turned, names in zip(ahead, behind, (POINT, PAIR), strict=True):
        assert table.index.names == names
        assert table.index.unique("workload").tolist() == ["one", "other"]
        assert tuple(table.index.unique("load")) == load_curves.LOADS
        pd.testing.assert_frame_equal(table, turned.reindex(table.index))


def test_what_was_simulated_at_a_load_is_not_simulated_again(monkeypatch):
    w, found = random_jobs(600, 3), []
    note = found.append  # what the list holds must not tell one run's function from another's
    monkeypatch.setattr(simlib.load_curves, "simulate", lambda *args, **options: note(args) or simlib.simulate(*args))
    settings = {"batch": {"made": 20, "also made": 20}, "stopping": ENDLESS}
    once = of_one({"made": w}, loads=(0.5, 0.7), **settings)
    assert len(found) == 2 * 4
    again = of_one({"also made": w}, loads=(0.7,), **settings)
    assert len(found) == 2 * 4
    for table, part in zip(once, again, strict=True):
        assert part.loc[1, "also made", 0.7].equals(table.loc[1, "made", 0.7])
    of_one({"made": w.with_estimates(estimates.Scaled(2))}, loads=(0.7,), **settings)
    assert len(found) == 3 * 4


def test_every_seed_makes_another_replication():
    points, differences = load_curves.curves(
        {"made": lambda seed: random_jobs(300, seed)}, [5, 6], {"made": 20}, mualem2001.policies(), loads=[0.7]
    )
    assert points.index.unique("replication").tolist() == [1, 2]
    assert points.xs(1).equals(of_one({"made": random_jobs(300, 5)}, {"made": 20}, loads=[0.7])[0].xs(1))
    assert (differences.easy > 0).all() and differences.loc[1, "relative"].ne(differences.loc[2, "relative"]).all()


def test_conservative_is_the_same_under_all_rules_of_an_exhibit():
    made = Figure4(rules=[TEXT, LIKELY]).policies
    assert made["conservative", LIKELY] == made["conservative", TEXT] == Conservative("arrival")
    assert made["easy", LIKELY] != made["easy", TEXT]


# Several runs


def differences(values, ceiling=(), runs=4, spread=0.001):
    """Made-up differences of several runs: `values` by (workload, rule, metric) at all loads, or by load last."""
    wiggle = spread * np.linspace(-1, 1, runs)
    rows = {}
    for seed, ((label, rule, metric), value), load in itertools.product(range(runs), values.items(), LOADS):
        relative = (value[load] if isinstance(value, dict) else value) + wiggle[seed]
        found = {"easy": 1.0, "conservative": 1 + relative, "relative": relative, "ceiling": (label, load) in ceiling}
        rows[1 + seed, label, load, rule, metric] = found | {"low": relative - spread, "high": relative + spread}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(PAIR)


LOADS = (0.5, 0.75, 0.8, 0.9)


# The claims


def points(apart=0.0, batches="batches", accuracy=0.08):
    """Made-up points of four runs: conservative's mean is so much above EASY's."""
    rows = {}
    for seed, label, load, scheduler in itertools.product(
        range(1, 5), ("Feitelson", "Jann"), LOADS, mualem2001.policies()
    ):
        for metric in mualem2001.METRICS:
            mean = 1 + apart * (scheduler[0] == "conservative")
            found = {"mean": mean, "low": mean * (1 - accuracy), "high": mean * (1 + accuracy), "accuracy": accuracy}
            rows[seed, label, load, *scheduler, metric] = found | {"batches": 100, "stopped": batches}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(POINT)


def made_up(by_workload, likely=None):
    """Differences in which both metrics of a model are as in `by_workload`, by the likely rules unless given."""
    values = {}
    for rule, found in zip((TEXT, LIKELY), (by_workload, likely or by_workload), strict=True):
        for label, pair in found.items():
            values |= {(label, rule, metric): value for metric, value in zip(mualem2001.METRICS, pair, strict=True)}
    return values


AS_IN_FIGURE_4 = {"Feitelson": (0.01, -0.01), "Jann": (0.15, -0.12)}


def figure4(found=AS_IN_FIGURE_4, likely=None, of=None, **settings):
    table = differences(made_up(found, likely), **settings)
    return verdicts(load_curves_claims.figure4(points() if of is None else of, table))


def test_figure_4_as_the_paper_describes_it_is_reproduced():
    assert set(figure4().values()) == {judging.REPRODUCED}


def test_figure_4_with_the_schedulers_exchanged_is_not_reproduced():
    found = figure4({"Feitelson": (0.3, -0.3), "Jann": (-0.15, 0.12)}, of=points(0.3, "precision", 0.03))
    assert set(found.values()) == {judging.NOT}


def test_a_verdict_that_the_likely_rules_deny_is_in_part_only():
    found = figure4(likely={"Feitelson": (0.3, -0.3), "Jann": (-0.15, 0.12)})
    assert {found[id] for id in ("MF-05", "MF-06", "MF-07")} == {judging.PARTLY}


def test_overlapping_intervals_do_not_make_schedulers_the_same_where_the_paired_difference_is_clear():
    assert figure4({"Feitelson": (0.08, -0.08), "Jann": (0.15, -0.12)})["MF-05"] == judging.PARTLY


def test_a_difference_in_slowdown_beyond_a_fifth_is_not_slight():
    assert figure4({"Feitelson": (0.01, -0.01), "Jann": (0.15, -0.3)})["MF-07"] == judging.PARTLY


def test_only_high_loads_below_the_ceiling_decide_about_the_jann_model():
    falls = {0.5: -0.3, 0.75: 0.1, 0.8: 0.1, 0.9: -0.3}
    found = {"Feitelson": (0.01, -0.01), "Jann": (falls, -0.12)}
    assert figure4(found)["MF-06"] == judging.PARTLY
    assert figure4(found, ceiling=[("Jann", 0.9)])["MF-06"] == judging.REPRODUCED
    stopped = [("Jann", load) for load in LOADS]
    assert figure4(found, ceiling=stopped)["MF-06"] == judging.UNTESTED


def test_runs_that_took_100_batches_at_another_accuracy_bear_out_half_the_claim():
    assert figure4(of=points(accuracy=0.12))["MF-41"] == judging.PARTLY
    assert figure4(of=points(batches="precision"))["MF-41"] == judging.NOT


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
    assert set(found.values()) == {judging.REPRODUCED}


def test_figure_7_with_everything_turned_is_not_reproduced():
    found = figure7(Fl=(-0.05, 0), Fsl=(-0.2, 0.1), Fs=(0, -0.01), Jann=(-0.05, 0.05))
    assert found.pop("MF-24") == judging.UNTESTED  # nothing remains to explain
    assert set(found.values()) == {judging.NOT}


def test_a_candidate_that_goes_more_than_half_the_way_explains_what_remains():
    single, arrivals = CANDIDATES
    assert figure7(**{single: (0.18, -0.11), arrivals: (0.18, -0.11)})["MF-24"] == judging.PARTLY
    assert figure7(**{single: (0.16, -0.16), arrivals: (0.23, -0.23)})["MF-24"] == judging.NOT


def test_candidates_that_explain_it_only_together_leave_the_claim_in_part():
    single, arrivals = CANDIDATES
    assert figure7(**{single: (0.13, -0.14), arrivals: (0.17, -0.18)})["MF-24"] == judging.PARTLY


def test_sizes_alone_that_make_the_difference_leave_no_need_for_run_times():
    assert figure7(Fs=(0.085, -0.1))["MF-43"] == judging.PARTLY


def test_a_difference_in_slowdown_that_sizes_make_smaller_is_none_that_they_make():
    assert figure7(F=(0.01, -0.15))["MF-22"] == judging.NOT


def test_longer_runs_with_a_large_difference_bear_out_half_the_claim():
    assert figure7(Fl=(0.15, 0))["MF-20"] == judging.PARTLY
    assert figure7(Fl=(0.0, 0))["MF-20"] == judging.PARTLY


@pytest.mark.slow
def test_models_are_compared_at_loads_that_all_of_them_bear():
    falls = {0.5: 0.0, 0.75: 0.09, 0.8: -0.9, 0.9: -0.9}
    assert figure7(Fsl=(falls, -0.1))["MF-21"] == judging.NOT
    assert figure7([("Fl", 0.8), ("Jann", 0.9), ("Fsl", 0.9)], Fsl=(falls, -0.1))["MF-21"] == judging.REPRODUCED
    high = [("Fl", load) for load in (0.75, 0.8, 0.9)]
    assert figure7(high, Fl=({0.5: 0.2, 0.75: 0.03, 0.8: 0.03, 0.9: 0.03}, 0))["MF-20"] == judging.PARTLY
    assert figure7([*high, ("Fl", 0.5)])["MF-20"] == judging.UNTESTED


def test_interarrival_times_are_compared_at_equal_means():
    steady, slower = (random_jobs(seed=seed) for seed in (1, 2))
    slower = slower.scale_arrivals(3)
    assert load_curves_claims.interarrivals(steady, slower)["verdict"] == judging.REPRODUCED
    jobs = steady.jobs
    bursts = steady.derive(jobs.assign(submit=jobs.submit // 20_000 * 20_000), "in bursts")
    assert load_curves_claims.interarrivals(steady, bursts)["verdict"] == judging.NOT


# Tables for reading


def test_tables_for_reading_give_every_mean_with_its_interval_and_end():
    exhibit = Figure4()
    exhibit._curves = points(), differences(made_up(AS_IN_FIGURE_4))
    text = exhibit.beside("response_s").loc["Jann", 0.5]
    assert text["conservative"] == "1 \u00b1 0"
    assert (text["easy \u00b1"], text["easy batches"]) == ("8.0%", "100 (batches)")
    assert exhibit.apart(TEXT).loc[("Jann", 0.5), ("response_s", "one run")] == "+14.9% (+14.8% to +15.0%)"
    assert exhibit.apart(LIKELY).loc[("Jann", 0.5), ("bounded_slowdown", "all runs")].startswith("-12.0%")
