"""The family of Feitelson models, and the answers over it."""

import numpy as np
import pandas as pd
import pytest

from simlib import plots
from simlib.models import feitelson96
from simlib.study import claims
from simlib.study.claims import HOLDS, HOLDS_NOT, NOT, REPRODUCED, UNTESTED, Measure
from simlib.study.mualem2001 import feitelson_family, figure6, load_curves
from simlib.study.mualem2001.family_exhibit import FeitelsonFamily
from simlib.study.mualem2001.feitelson_family import MAIN
from simlib.study.mualem2001.figure6 import NO_SAY
from simlib.study.verdicts import LIKELY, TEXT
from tools import fit_family

plots.plt.switch_backend("Agg")


# The models


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


def test_a_member_that_is_not_what_its_table_says_is_refused(monkeypatch):
    feitelson_family.members.cache_clear()
    monkeypatch.setattr(feitelson_family, "unlike", lambda about: ["Fs"])
    with pytest.raises(ValueError, match=r"found that \['Fs'\] does not do what its name says, expected \['Fl'\]"):
        feitelson_family.members()


@pytest.mark.thorough
def test_the_table_is_what_the_fit_gives_on_the_logs(log):
    ctc, members = fit_family.family({name: log(name) for name in fit_family.LOGS})
    family = feitelson_family.members()
    assert [member["name"] for member in members] == list(family)[1:]
    for member in members:
        found = family[member["name"]]
        assert found["unlike"] == member["unlike"]
        for part in ("size", "run"):
            for name, values in member[part].items():
                assert np.array(found[part]["general"][name]) == pytest.approx(np.array(values), rel=1e-2, abs=1e-4)
        assert np.array(found["run"]["ctc"]["chances"]) == pytest.approx(np.array(ctc["chances"]), rel=1e-2)


@pytest.mark.filterwarnings("ignore:.*SYNTHETIC")
def test_twins_are_no_logs_to_fit_to(no_logs, monkeypatch):
    monkeypatch.setattr(fit_family, "LOGS", ["KTH-SP2"])
    with pytest.raises(ValueError, match="found only twins of KTH-SP2"):
        fit_family.main()


# The answers

LONGER, SHORTER, UNCLEAR = Measure(0.05, 0.04, 0.06), Measure(-0.05, -0.06, -0.04), Measure(0, -0.05, 0.05)


def measured(on, unlike=SHORTER):
    """What MF-21 asks: this, on all members but those whose Fl is no longer."""
    family = feitelson_family.members()
    members = {name: unlike if "Fl" in about["unlike"] else on for name, about in family.items()}
    return {
        rule: {name: {"enlarged": one, "considerably": one} for name, one in members.items()} for rule in (TEXT, LIKELY)
    }


def test_a_claim_holds_for_all_or_for_none_by_one_rule():
    assert figure6.decided("MF-21", measured(LONGER))["verdict"] == REPRODUCED
    assert figure6.decided("MF-21", measured(SHORTER))["verdict"] == NOT
    some = measured(LONGER)
    some[TEXT]["Paragon"] = {"enlarged": SHORTER, "considerably": SHORTER}
    assert figure6.decided("MF-21", some)["verdict"] == claims.PARTLY


def test_members_whose_variant_does_not_do_what_its_name_says_are_named_and_have_no_say():
    found = figure6.decided("MF-21", measured(LONGER))
    assert MAIN not in {one["on"] for one in found["readings"][TEXT]["parts"]}
    assert f"enlarged, {MAIN} -5.0% (-6.0% to -4.0%)" in found["evidence"]
    table = figure6.answers({"MF-21": measured(LONGER)})
    assert table.verdict["MF-21", "enlarged", TEXT, MAIN] == NO_SAY
    assert table.verdict["MF-21", "enlarged", TEXT, "Paragon"] == HOLDS


def test_of_several_parts_only_those_about_the_variant_fall_away():
    one = {"Fl": LONGER, "Fs": SHORTER}
    table = figure6.answers({"MF-43": {TEXT: {MAIN: one, "KTH": one}}}).verdict
    assert table["MF-43", :, TEXT, MAIN].to_dict() == {"Fl": NO_SAY, "Fs": HOLDS_NOT}
    assert set(table["MF-43", :, TEXT, "KTH"]) == {NO_SAY}


def test_without_the_logs_a_claim_cannot_be_tested():
    assert figure6.decided("MF-18", {TEXT: {}})["verdict"] == UNTESTED
    assert figure6.parts({"MF-18": {TEXT: {}}}, ()) == {}


def test_the_picture_has_a_panel_each_part_and_a_dot_each_member():
    part = figure6.parts({"MF-21": measured(UNCLEAR)}, ())["family"]
    figure = part.draw()
    assert [ax.get_title() for ax in figure.axes] == ["MF-21\nenlarged", "MF-21\nconsiderably"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == list(feitelson_family.members())
    assert len(figure.axes[0].lines) == len(feitelson_family.members())
    plots.plt.close(figure)


# The exhibit


@pytest.fixture(scope="module")
def exhibit():
    """The exhibit of four members and few short runs, whose verdicts mean nothing."""
    small = {"feitelson_jobs": 700, "jann_jobs": 700, "feitelson_batch": 20, "jann_batch": 20}
    loads = {"first_load": 0.7, "last_load": 0.8, "load_step": 0.1, "first_variant_load": 0.8}
    made = FeitelsonFamily(**small, **loads, number_of_runs=2)
    made.family = {name: made.family[name] for name in (MAIN, "mostly Paragon", "Paragon", "KTH")}
    return made


def test_equal_models_are_simulated_once():
    labels, models = (FeitelsonFamily().labels, FeitelsonFamily().models)
    assert labels["mostly Paragon", "F"] == labels[MAIN, "F"] == f"F of {MAIN}"
    assert labels["recalled form, 5 min", "Fl"] == labels["mostly Paragon", "Fl"]
    assert {labels[name, "Fsl"] for name in feitelson_family.members()} == set(feitelson_family.fsl())
    assert set(labels.values()) <= set(models)
    assert len(models) == len(set(labels.values())) + 2 * len(feitelson_family.fsl()) + 1


@pytest.mark.slow
def test_every_member_answers_every_claim(exhibit):
    assert [claim["id"] for claim in exhibit.verdicts] == list(exhibit.claims)
    table = exhibit.made[""].table
    for id in load_curves.OF_F:
        assert list(table.xs(id, level="claim").index.unique("member")) == list(exhibit.family)
    assert list(exhibit.made["fsl"].table.index.unique("member")) == list(feitelson_family.fsl())
    for label, loads in ((f"F of {MAIN}", [0.7, 0.8]), ("Fl of Paragon", [0.8])):
        assert exhibit.points.xs(label, level="workload").index.unique("load").tolist() == loads
    of_member = exhibit.of_member(exhibit.differences, "KTH").xs("Fs", level="workload")
    pd.testing.assert_frame_equal(of_member, exhibit.differences.xs("Fs of KTH", level="workload"))
    assert exhibit.described.unlike.unstack().loc["KTH"].to_dict() == {"F": False, "Fl": True, "Fs": True, "Fsl": False}
