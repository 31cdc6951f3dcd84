"""The published workload models, and the distributions they are fitted with."""

import tomllib

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import simlib
from simlib.models import feitelson96, jann97
from tools import fit, hyper_erlang

MANY = 200_000


# Hyper-Erlang distributions


@given(st.lists(st.floats(0.1, 1e6), min_size=2, max_size=30))
def test_a_matched_hyper_erlang_distribution_has_the_three_moments(values):
    moments = hyper_erlang.moments(values)
    assume(np.var(values) > 1e-2 * np.mean(values) ** 2)
    assume(moments[0] * moments[2] > (1 + 1e-6) * moments[1] ** 2)
    try:
        matched = hyper_erlang.match(*moments)
    except ValueError as error:
        assert "order above" in str(error)  # noqa: PT017 - values so alike that no reasonable order has their moments
        return
    assert hyper_erlang.moments_of(matched) == pytest.approx(moments, rel=1e-6)
    assert 0 <= matched.chance <= 1 and min(matched.means) > 0


@pytest.mark.parametrize("order", [1, 2, 7])
def test_an_erlang_distribution_is_found_again_with_its_order(order):
    m = 5.0
    moments = m, m**2 * (order + 1) / order, m**3 * (order + 1) * (order + 2) / order**2
    matched = hyper_erlang.match(*moments)
    assert matched.order == order
    assert matched.means == (m, m)


def test_a_sample_of_a_hyper_erlang_distribution_has_its_moments_within_their_error():
    known = jann97.HyperErlang(2, 0.7, (100.0, 3000.0))
    sample = known.sample(np.random.default_rng(1), MANY)
    for power, moment in enumerate(hyper_erlang.moments_of(known), 1):
        error = (sample**power).std() / np.sqrt(MANY)
        assert abs((sample**power).mean() - moment) < 4 * error


@pytest.mark.parametrize(
    ("moments", "expected"),
    [
        ((5, 25, 125), "second moment"),
        ((5, 30, 180), "third moment"),
        ((1, float("nan"), 1), "positive numbers"),
        ((1, 1 + 1e-6, 1 + 4e-6), "order"),
    ],
)
def test_three_moments_that_cannot_be_matched_are_refused(moments, expected):
    with pytest.raises(ValueError, match=f"match: found the moments .*{expected}"):
        hyper_erlang.match(*moments)


# Jann '97


def test_the_jann_table_is_what_the_fit_gives_on_the_ctc_log(log):
    rows = fit.jann97(log("CTC-SP2"))
    assert sum(row["jobs"] for row in rows) == 17432
    as_written = tomllib.loads("\n".join("[[range]]\n" + "\n".join(map(fit.entry, row, row.values())) for row in rows))
    assert as_written == jann97.table()


def test_the_jann_fit_meets_all_moments_of_every_range():
    assert [about["sizes"][1] for about in jann97.table()["range"]] == fit.RANGES
    for about in jann97.table()["range"]:
        for name in ("interarrival", "run"):
            assert about[f"{name}_refitted"] == pytest.approx(about[f"{name}_moments"], rel=1e-5)


def test_jann_jobs_come_and_run_as_each_range_says():
    jobs = jann97.workload(MANY, seed=3).jobs
    days = (jobs.submit.iloc[-1] - jobs.submit.iloc[0]) / 86400
    for about in jann97.table()["range"]:
        part = jobs[jobs.procs.between(*about["sizes"])]
        count = days * 86400 / about["interarrival_moments"][0]
        for values, moments, n in (
            (np.diff(part.submit), about["interarrival_moments"], count),
            (part.run, about["run_moments"], count),
        ):
            error = np.sqrt((moments[1] - moments[0] ** 2) / n)
            assert abs(values.mean() - moments[0]) < 4 * error + 1
        assert (part.procs == about["sizes"][1]).mean() >= about["at_the_end"] - 4 / np.sqrt(count)


def test_jann_interarrival_times_are_those_of_its_workload():
    gaps = jann97.interarrivals(np.random.default_rng(1), MANY)
    workload = np.diff(jann97.workload(MANY, seed=2).jobs.submit)
    assert len(gaps) == MANY
    assert gaps.mean() == pytest.approx(workload.mean(), rel=0.03)
    assert gaps.std() == pytest.approx(workload.std(), rel=0.05)


# Feitelson '96


@pytest.mark.parametrize("which", ["general", "ctc"])
def test_feitelson_sizes_fall_harmonically_but_for_powers_of_two(which):
    about = feitelson96.table()["size"][which]
    chance = feitelson96.size_chances(about, 128)
    assert chance.sum() == pytest.approx(1)
    assert chance[2] / chance[4] == pytest.approx((5 / 3) ** 1.5)
    assert chance[98] / chance[126] == pytest.approx((127 / 99) ** 1.5)
    assert chance[3] / chance[2] == pytest.approx(about["powers_of_two"][2] * (3 / 4) ** 1.5)


@pytest.mark.slow
def test_the_variants_change_sizes_run_times_or_both():
    made = {variant: feitelson96.workload(MANY, variant, seed=1).jobs for variant in feitelson96.VARIANTS}
    assert np.array_equal(np.bincount(made["F"].procs) > 0, np.bincount(made["Fl"].procs) > 0)
    size = {variant: jobs.drop_duplicates("app").procs.mean() for variant, jobs in made.items()}
    assert size["F"] == pytest.approx(size["Fl"], rel=0.02)
    assert size["Fs"] == pytest.approx(size["Fsl"], rel=0.02)
    assert size["Fs"] < 0.7 * size["F"]
    serial = {variant: jobs.drop_duplicates("app").query("procs == 1").run.mean() for variant, jobs in made.items()}
    assert serial["Fl"] == pytest.approx(serial["Fsl"], rel=0.05)
    assert serial["Fl"] > 1.5 * serial["F"]


def test_the_chance_of_a_long_run_rises_with_the_size():
    jobs = feitelson96.workload(MANY, seed=2).jobs.drop_duplicates("app")
    correlation = np.corrcoef(jobs.procs, jobs.run)[0, 1]
    assert 0.05 < correlation < 0.3  # weak
    about = feitelson96.table()["run"]["general"]
    for size in (1, 8, 64):
        part = jobs[jobs.procs == size].run
        mean = feitelson96.branch_chances(about, size) @ about["means"]
        assert abs(part.mean() - mean) < 4 * part.std() / np.sqrt(len(part)) + 1


def test_executions_repeat_as_often_as_a_harmonic_distribution_of_order_two_and_a_half_says():
    jobs = feitelson96.workload(MANY, seed=4).jobs
    times = jobs[jobs.app <= jobs.app.max() // 2].app.value_counts()  # of late jobs the last executions are missing
    for n in (1, 2, 3, 4):
        chance = n**-2.5 / 1.3414872573
        assert abs((times == n).mean() - chance) < 4 * np.sqrt(chance / len(times)) + 0.002


def test_a_repetition_is_the_same_job_again_after_the_one_before_it():
    w = feitelson96.workload(20_000, seed=5)
    later = w.log[w.log.preceding > 0]
    earlier = w.log.loc[later.preceding]
    assert 0.4 < len(later) / len(w) < 0.6
    for field in ("run", "procs", "app"):
        assert np.array_equal(later[field], earlier[field])
    assert np.array_equal(later.submit.to_numpy(), (earlier.submit + earlier.run).to_numpy() + later.think)
    at_once = feitelson96.table()["repetition"]["at_once"]
    assert abs((later.think == 0).mean() - at_once) < 4 * np.sqrt(0.25 / len(later))
    first = w.log[w.log.preceding < 0]
    assert first.app.is_unique
    assert (first.think == -1).all()


def test_without_repetitions_every_job_comes_once_in_a_poisson_process():
    w = feitelson96.workload(50_000, seed=6, repeat=False)
    assert w.jobs.app.is_unique
    assert (w.log.preceding == -1).all()
    gaps = np.diff(w.jobs.submit)
    assert gaps.std() / gaps.mean() == pytest.approx(1, abs=0.02)


def test_other_arrivals_take_the_place_of_the_poisson_process():
    w = feitelson96.workload(1000, arrivals=lambda rng, n: np.full(n, 7.0))
    assert np.ptp(np.diff(w.jobs.submit)) <= 1
    assert w.load == pytest.approx(0.688, rel=1e-4)


@pytest.mark.thorough
def test_the_feitelson_table_is_what_the_fit_gives_on_the_logs(log):
    # the likelihood is flat at its top: on another processor the search stops half a per cent away
    fitted = fit.feitelson({name: log(name) for name in fit.GENERAL})
    table = feitelson96.table()
    for part in ("size", "run"):
        for which, about in fitted[part].items():
            for name, values in about.items():
                assert np.array(table[part][which][name]) == pytest.approx(np.array(values), rel=1e-2)
    for name, value in fitted["repetition"].items():
        assert table["repetition"][name] == pytest.approx(value, rel=1e-5)


def test_powers_of_two_get_their_shares_and_the_others_keep_theirs():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(64))
    chances = feitelson96.size_chances({"order": 1.5, "powers_of_two": fit.powers_of_two(shares, 1.5)}, 64)
    powers = 2 ** np.arange(7) - 1
    assert chances[powers] == pytest.approx(shares[powers])


@pytest.mark.slow
def test_fitting_finds_a_known_hyper_exponential_run_time_again():
    rng = np.random.default_rng(1)
    known = {"means": [60.0, 9000.0], "sizes": [1, 64], "chances": [[0.8, 0.2], [0.3, 0.7]]}
    size = rng.integers(1, 65, 40_000)
    long = rng.random(len(size)) < feitelson96.branch_chances(known, size)[:, 1]
    run = np.ceil(rng.exponential(np.array(known["means"])[long.astype(int)])).astype(np.int64)
    fitted = fit.run_times(run, size, np.ones(len(run)), known["sizes"], 2)
    assert fitted["means"] == pytest.approx(known["means"], rel=0.03)
    assert np.array(fitted["chances"]) == pytest.approx(np.array(known["chances"]), abs=0.02)


# All models


MODELS = {"Jann": lambda jobs, seed: jann97.workload(jobs, seed=seed)} | {
    variant: lambda jobs, seed, variant=variant: feitelson96.workload(jobs, variant, seed)
    for variant in feitelson96.VARIANTS
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_the_same_jobs_for_the_same_seed_and_others_for_another(name):
    one, same, other = (MODELS[name](500, seed) for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)
    assert len(one) == len(other) == 500
    assert one.jobs.submit.is_monotonic_increasing
    assert (one.jobs.run >= 0).all()
    assert (one.jobs.estimate == one.jobs.run).all()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_no_log_but_does_not_stand_in_for_one(name):
    w = MODELS[name](10, 1)
    assert w.synthetic
    assert not w.stand_in
    assert simlib.load("sample").stand_in
    assert name[0] in w.source["model"]
