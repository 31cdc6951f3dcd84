"""Figures 4 and 7 of Mu'alem & Feitelson, and the family of Feitelson models: models against load, and the verdicts."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from as_in_study import executed
from described import DESCRIBED, LOADS
from exhibits import parts
from helpers import legend, random_jobs

import simlib
import simlib_study as study
import simlib_study.load_curves
from simlib import EASY, Conservative, estimates, plots
from simlib.models import feitelson96
from simlib_study import records
from simlib_study.claims import HOLDS, HOLDS_NOT, NOT, OPEN, PARTLY, REPRODUCED, UNTESTED, Measure
from simlib_study.judging import LIKELY, TEXT
from simlib_study.mualem2001 import feitelson_family, load_curves
from simlib_study.mualem2001.feitelson_family import MAIN, NOT_COUNTED
from simlib_study.mualem2001.load_curves import DIFFERENCE, POINT
from tools import fit_family

plots.plt.switch_backend("Agg")

ENDLESS = {"most": 100, "precision": None, "ceiling": None}
POLICIES = {"EASY": EASY(), "EASY, shared": EASY(reuse_extra=True), "conservative": Conservative()}


# Simulations


def of_one(workloads, batch, loads=(0.5, 0.8), **settings):
    """The curves of one workload of each model."""
    models = {label: lambda seed, workload=workload: workload for label, workload in workloads.items()}
    return load_curves.curves(models, POLICIES, loads, seeds=[1], batch=batch, **settings)


def test_results_depend_neither_on_threads_nor_on_the_order_of_workloads(forget):
    one, other = {"one": random_jobs(500, 1)}, {"other": random_jobs(900, 2)}
    batch = {"one": 20, "other": 30}
    with ThreadPoolExecutor(1) as single, ThreadPoolExecutor(3) as several:
        ahead = of_one(one | other, batch, executor=single)
        forget()
        behind = of_one(other | one, batch, executor=several)
    for table, turned, names in zip(ahead, behind, (POINT, DIFFERENCE), strict=True):
        assert table.index.names == names
        assert table.index.unique("workload").tolist() == ["one", "other"]
        assert table.index.unique("load").tolist() == [0.5, 0.8]
        pd.testing.assert_frame_equal(table, turned.reindex(table.index))


def test_what_was_simulated_at_a_load_is_not_simulated_again(monkeypatch):
    w, found = random_jobs(600, 3), []
    note = found.append  # what the list holds must not tell one run's function from another's
    monkeypatch.setattr(
        simlib_study.load_curves, "simulate", lambda *args, **options: note(args) or simlib.simulate(*args)
    )
    settings = {"batch": {"made": 20, "also made": 20}, "stopping": ENDLESS}
    once = of_one({"made": w}, loads=(0.5, 0.7), **settings)
    assert len(found) == 2 * 3
    again = of_one({"also made": w}, loads={"also made": (0.7,)}, **settings)
    assert len(found) == 2 * 3
    for table, part in zip(once, again, strict=True):
        assert part.loc[1, "also made", 0.7].equals(table.loc[1, "made", 0.7])
    of_one({"made": w.with_estimates(estimates.Scaled(2))}, loads=(0.7,), **settings)
    assert len(found) == 3 * 3


def test_every_seed_makes_another_replication_whose_policies_are_compared_with_the_first():
    settings = {"seeds": [5, 6], "batch": {"made": 20}}
    points, differences = load_curves.curves({"made": lambda seed: random_jobs(300, seed)}, POLICIES, [0.7], **settings)
    assert points.index.unique("run").tolist() == [1, 2]
    assert points.xs(1).equals(of_one({"made": random_jobs(300, 5)}, {"made": 20}, [0.7]).points.xs(1))
    assert differences.index.unique("policy").tolist() == ["conservative"]
    assert differences.one.gt(0).all() and differences.loc[1, "relative"].ne(differences.loc[2, "relative"]).all()


def test_pictures_ring_what_the_ceiling_stopped_and_leave_out_what_lies_far_above():
    plots.use_style()
    workloads = {"one": random_jobs(500), "other": random_jobs(600)}
    settings = {"batch": {"one": 20, "other": 20}, "stopping": ENDLESS | {"ceiling": 1000}}
    points, differences = (table.loc[1] for table in of_one(workloads, loads=(0.3, 0.95), **settings))
    known = differences.assign(low=0.01, high=0.02)
    figure = load_curves.drawn(study.readings(points)["text"], "mean", known, {"response_s": 900})
    assert [ax.get_title("left") for ax in figure.axes] == ["one", "other", "", ""]
    assert figure.axes[0].get_ylim() == (0, 900) != figure.axes[2].get_ylim()
    others = load_curves.differences_drawn(differences)
    for drawn, entries in ((figure, ["EASY", "conservative"]), (others, ["one", "other", "EASY", "EASY, shared"])):
        found = legend(drawn)
        assert found == [*entries, "stopped: too high"]


def titled(figure):
    return figure.legends[0].get_title().get_text().replace("\n", " ")


def test_a_title_counts_points_that_were_not_stopped_and_differences_there():
    places = pd.MultiIndex.from_product(
        [["one"], [0.5, 0.9], ["EASY", "conservative"], ["response_s"]], names=load_curves.POINT[1:]
    )
    points = pd.DataFrame({"mean": [1, 2, 8, 9], "low": [0, 1, 7, 8], "high": [2, 3, 9, 9.5]}, places).assign(
        ceiling=[False, False, False, True]
    )
    pairs = [("one", load, "conservative", "EASY", "response_s") for load in (0.5, 0.9)]
    pairs = pd.MultiIndex.from_tuples(pairs, names=load_curves.DIFFERENCE[1:])
    for low, clear in ((0.1, 1), (-0.1, 0)):
        differences = pd.DataFrame({"low": low, "high": 0.2}, pairs)
        title = titled(load_curves.drawn(points, "mean", differences))
        assert title.startswith("Of 1 points that were not stopped, separate intervals overlap at 1;")
        assert title.endswith(f"excludes zero at {clear}")


@pytest.mark.parametrize(
    ("stopped", "said"), [(0.9, "at load 0.7, the highest steady on all: b +20%, a +10%"), (0.7, "no load")]
)
def test_models_are_compared_at_one_load(stopped, said):
    models, loads = {"c": 0.3, "b": 0.2, "a": 0.1}, (0.7, 0.9)
    places = [
        (model, load, "conservative", "EASY", of) for model in models for load in loads for of in load_curves.TITLES
    ]
    rows = [{"relative": models[model] * load / 0.7, "ceiling": load >= stopped} for model, load, *_ in places]
    table = pd.DataFrame(rows, pd.MultiIndex.from_tuples(places, names=load_curves.DIFFERENCE[1:]))
    table = table.assign(low=table.relative, high=table.relative)
    some = table[table.index.isin(["a", "b"], level="workload")]  # as where a notebook leaves models out
    assert said in titled(load_curves.differences_drawn(some))


# What the notebooks measure, on made-up simulations


SHORT = {"feitelson_jobs": 700, "jann_jobs": 700, "feitelson_batch": 20, "jann_batch": 20, "number_of_runs": 2}
SHORT |= {"loads": [0.7, 0.8]}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Records are written to a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records.paths, "ROOT", tmp_path_factory.mktemp("root"))
        yield records.paths.ROOT


def told(id, **changed):
    """The verdicts on the parts of a claim, with the differences of Figure 7 or others."""
    return parts(DESCRIBED[id](**changed))


def test_only_high_loads_below_the_ceiling_decide_about_the_jann_model():
    falls = {0.5: -0.3, 0.75: 0.1, 0.8: 0.1, 0.9: -0.5}
    for stopped, verdict in (((), HOLDS_NOT), ((0.9,), HOLDS), (LOADS, OPEN)):
        found = told("MF-06", jann=(falls, -0.12), ceiling=[("Jann", load) for load in stopped])
        assert found["response time"] == verdict


@pytest.mark.parametrize("id", ["MF-05", "MF-14", "MF-20", "MF-21", "MF-22", "MF-23", "MF-24", "MF-43"])
def test_differences_within_the_spread_of_the_runs_cannot_be_told(id):
    assert set(told(id, spread=3).values()) == {OPEN}


def test_equal_amounts_are_asked_at_the_load_at_which_the_schedulers_differ_most_and_equal_means_over_high_loads():
    rises = {0.5: 0.0, 0.75: 0.01, 0.8: 0.02, 0.9: 0.1}
    assert set(told("MF-14", F=(rises, 0)).values()) == {HOLDS_NOT}
    assert set(told("MF-14", F=(rises, 0), ceiling=[("F", 0.9)]).values()) == {HOLDS}
    assert told("MF-05", F=(rises, 0))["response time"] == HOLDS
    assert told("MF-05", F=({**rises, 0.9: 0.2}, 0))["response time"] == HOLDS_NOT
    assert set(told("MF-05", ceiling=[("F", load) for load in LOADS]).values()) == {OPEN}


def test_mirror_claims_are_judged_alike():
    grows, shrinks, none = ((sign * 0.08, sign * 0.08) for sign in (1, -1, 0))
    small = {"F": (0.02, 0.02), "Fl": grows, "Fs": grows}
    turned = {"F": (-0.02, -0.02), "Fl": shrinks, "Fs": shrinks}
    less = {"F": grows, "Fl": (0.02, 0.02), "Fs": (0.02, 0.02)}
    for changed, verdict in ((small, HOLDS), (turned, HOLDS), (less, HOLDS_NOT), ({"F": none} | less, HOLDS_NOT)):
        assert told("MF-20", **changed)["makes a difference"] == verdict
        assert told("MF-22", **changed)["makes a difference"] == verdict


def test_where_fsl_lacks_nothing_to_jann_no_candidate_is_held_against_it():
    assert list(told("MF-24", Jann=(0.05, -0.2)).values()) == [OPEN, OPEN, HOLDS, HOLDS]


def test_models_are_compared_at_loads_that_all_of_them_bear():
    falls = {0.5: 0.0, 0.75: 0.09, 0.8: -0.9, 0.9: -0.9}
    assert told("MF-21", Fsl=(falls, 0), Fl=(0.5, 0))["enlarged"] == HOLDS
    stopped = [("Fl", 0.8), ("Fl", 0.9), ("Fsl", 0.9)]
    assert told("MF-21", ceiling=stopped, Fsl=(falls, 0), Fl=(0.5, 0))["enlarged"] == HOLDS_NOT
    low = {0.5: 0.01, 0.75: 0.2, 0.8: 0.2, 0.9: 0.2}
    high = [("F", load) for load in (0.75, 0.8, 0.9)]
    assert told("MF-20", ceiling=high, Fl=(low, 0), F=(0, 0))["small"] == HOLDS


# The family


@pytest.mark.parametrize("name", feitelson_family.members())
def test_what_is_said_of_a_members_jobs_is_so_in_its_workloads(name):
    about = feitelson_family.members()[name]
    table = feitelson_family.described(about)
    for variant in feitelson96.VARIANTS:
        jobs = feitelson96.workload(20_000, variant, seed=1, repeat=False, about=about).jobs
        expected = table.loc[variant]
        assert jobs.procs.mean() == pytest.approx(expected.mean_size, rel=0.03)
        assert (jobs.procs <= 8).mean() == pytest.approx(expected.upto_8, abs=0.01)
        assert (jobs.run > 3600).mean() == pytest.approx(expected.above_1h, abs=0.01)
        assert (jobs.run > 4 * 3600).mean() == pytest.approx(expected.above_4h, abs=0.01)
        assert (jobs.run <= expected.median_run).mean() == pytest.approx(0.5, abs=0.015)


def test_the_first_member_is_the_model_itself():
    about = feitelson_family.members()[MAIN]
    assert feitelson96.workload(500, "Fl", 3, about=about).equals(feitelson96.workload(500, "Fl", 3))


def test_a_workload_says_which_fit_it_is_of():
    assert feitelson96.workload(10).source["model"] == "Feitelson '96 (refitted), F"
    made = feitelson96.workload(10, "Fs", about=feitelson_family.members()["KTH"])
    assert made.source["model"] == "Feitelson '96 (refitted: KTH), Fs"


def run_times(short, chance):
    return {"means": [short, 10_000], "sizes": [1, 128], "chances": [[chance, 1 - chance]] * 2}


@pytest.mark.parametrize(
    ("order", "run", "found"),
    [
        (1.5, run_times(100, 0.5), []),
        (1.5, run_times(10, 0.5), ["Fl"]),
        (1.5, run_times(100, 0.8), ["Fl"]),
        (0.5, run_times(100, 0.5), ["Fs"]),
        (0.5, run_times(100, 0.8), ["Fs", "Fl"]),
    ],
)
def test_variants_have_to_do_what_their_names_say(order, run, found):
    size = {"general": {"order": 1, "powers_of_two": [1]}, "ctc": {"order": order, "powers_of_two": [1]}}
    about = {"machine": 128, "size": size, "run": {"general": run_times(50, 0.6), "ctc": run}}
    assert feitelson_family.unlike(about) == found


@pytest.mark.thorough
def test_the_table_is_what_the_fit_gives_on_the_logs(log):
    ctc, members = fit_family.family({name: log(name) for name in fit_family.LOGS})
    family = feitelson_family.members()
    assert [member["name"] for member in members] == list(family)[1:]
    for member in members:
        found = family[member["name"]]
        assert feitelson_family.unlike(found) == member["unlike"]
        for part in ("size", "run"):
            for name, values in member[part].items():
                assert np.array(found[part]["general"][name]) == pytest.approx(np.array(values), rel=1e-2, abs=1e-4)
        assert np.array(found["run"]["ctc"]["chances"]) == pytest.approx(np.array(ctc["chances"]), rel=1e-2)


@pytest.mark.filterwarnings("ignore:.*SYNTHETIC")
def test_twins_are_no_logs_to_fit_to(no_logs, monkeypatch):
    monkeypatch.setattr(fit_family, "LOGS", ["KTH-SP2"])
    with pytest.raises(ValueError, match="found only twins of KTH-SP2"):
        fit_family.main()


def test_equal_models_have_one_label_and_others_their_own():
    members = feitelson_family.members()
    labels = feitelson_family.labels(members)
    assert labels["mostly Paragon", "F"] == labels[MAIN, "F"] == f"F of {MAIN}"
    assert labels["recalled form, 5 min", "Fl"] == labels["mostly Paragon", "Fl"]
    assert list(feitelson_family.fsl(members)) == ["Fsl by size", "Fsl in two branches"]
    run = members["KTH"]["run"]
    other = members["KTH"] | {"run": run | {"ctc": run["general"] | {"means": [50, 9000]}}}  # and the same `mimics`
    assert feitelson_family.labels(members | {"other": other})["other", "Fsl"] == "Fsl of other"


LONGER, SHORTER = Measure(0.05, 0.04, 0.06), Measure(-0.05, -0.06, -0.04)


def test_a_claim_holds_for_all_or_for_none_and_members_whose_variant_is_unlike_have_no_say():
    members = feitelson_family.members()
    unlike = feitelson_family.family(members).unlike
    assert unlike[unlike].index.tolist() == [(MAIN, "Fl"), ("KTH", "Fs"), ("KTH", "Fl")]

    def measured(on, **others):
        of = dict.fromkeys(members, on) | {MAIN: SHORTER, "KTH": SHORTER} | others
        parts = {name: {"enlarged": one, "considerably": one} for name, one in of.items()}
        return {TEXT: parts, LIKELY: parts}

    for of, verdict in (
        (measured(LONGER), REPRODUCED),
        (measured(SHORTER), NOT),
        (measured(LONGER, Paragon=SHORTER), REPRODUCED),
        (measured(LONGER, **dict.fromkeys(list(members)[2:6], SHORTER)), PARTLY),
    ):
        assert feitelson_family.decided("MF-21", of, unlike)["verdict"] == verdict
    found = feitelson_family.decided("MF-21", measured(LONGER), unlike)
    assert MAIN not in {one["on"] for one in found["readings"][TEXT]["parts"]}
    assert f"enlarged, {MAIN} -5.0% (-6.0% to -4.0%)" in found["evidence"]
    table = feitelson_family.answers({"MF-21": measured(LONGER)}, unlike)
    table = table.xs(("MF-21", "enlarged", TEXT), level=("claim", "part", "under")).verdict
    assert (table[MAIN], table["Paragon"]) == (NOT_COUNTED, HOLDS)
    one = {"Fl": Measure(0.3, 0.2, 0.4), "Fs": Measure(0.9, 0.8, 1.0)}
    table = feitelson_family.answers({"MF-43": {TEXT: {MAIN: one, "Paragon": one}}}, unlike).verdict
    assert table["MF-43", :, TEXT, MAIN].to_dict() == {"Fl": NOT_COUNTED, "Fs": HOLDS_NOT}


def test_without_the_logs_a_claim_cannot_be_tested():
    nothing = pd.Series(dtype=bool)
    assert feitelson_family.decided("MF-18", {TEXT: {}}, nothing)["verdict"] == UNTESTED
    assert feitelson_family.answers({"MF-18": {TEXT: {}}}, nothing).empty


# The notebooks, changed


@pytest.mark.thorough
def test_a_member_of_ones_own_answers_every_claim_as_the_others_do(elsewhere):
    members, every = [MAIN, "Paragon", "KTH", "mine"], "members = feitelson_family.members()"
    own = 'members["mine"] = members["KTH"] | {"size": members["Paragon"]["size"]}'
    some = f"{every}\n{own}\nmembers = {{name: members[name] for name in {members}}}"
    family = executed("mualem2001/feitelson-family", {every: some}, **SHORT, variant_loads=[0.8])
    table = family["of_family"]
    assert [claim["id"] for claim in family["verdicts"]] == [*family["of_f"], *family["of_fsl"]]
    for id in family["of_f"]:
        assert list(table.xs(id, level="claim").index.unique("member")) == members
    assert [text.get_text() for text in family["picture"].axes[0].get_yticklabels()] == members
    assert list(family["left"].index.unique("member")) == ["Fsl by size", "Fsl in two branches"]
    points = family["curves"].points
    for label, loads in ((f"F of {MAIN}", [0.7, 0.8]), ("F of mine", [0.7, 0.8]), ("Fl of KTH", [0.8])):
        assert points.xs(label, level="workload").index.unique("load").tolist() == loads
    assert {path.suffix for path in elsewhere.rglob("feitelson-family/**/fsl.*")} == {".csv", ".png"}
