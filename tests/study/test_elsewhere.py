"""Do the papers' findings hold on other machines, and what does every policy do there: effects and findings."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import first_days, random_workload, table, texts, verdict_by_id

from simlib import EASY, Conservative, Workload, compare, load, simulate
from simlib.study import elsewhere
from simlib.study.claims import HOLDS, HOLDS_NOT, UNTESTED
from simlib.study.elsewhere import Machine, deciding, effects, pictures, policies
from simlib.study.elsewhere.adjusted_estimates import AdjustedEstimates
from simlib.study.elsewhere.backfilling import EXACT, Backfilling, printed
from simlib.study.elsewhere.estimates import STEPS, Estimates
from simlib.study.elsewhere.policies import ACROSS, BY_ESTIMATE, CONSERVATIVE, Policies
from simlib.study.exhibit import LOGS
from simlib.study.tang2013 import TRIPLE

FEW = {"shakes": 2, "resamples": 20}

SETTINGS = {"shakes": 3, "seconds": 60, "resamples": 20, "seed": 0}


def rows(*effects, half=0.01, year=0.02):
    """Effects by log, each with intervals of these half widths."""
    effect = pd.Series(effects, [f"log {place}" for place in range(len(effects))], dtype=float)
    ends = {"low": effect - half, "high": effect + half, "year_low": effect - year, "year_high": effect + year}
    return pd.DataFrame({"base": 100.0, "value": 100 * (1 + effect), "effect": effect, **ends})


def waits(of, seconds=3600.0):
    return pd.Series(seconds, of.index)


@pytest.fixture(scope="module")
def machines():
    """Three made-up machines, one of the paper, one without estimates."""
    log = first_days(20)
    unasked = load("sample")
    unasked._log = unasked.log.assign(requested_time=-1)
    named = {"first": log, "second": log.shake(3600, 1), "no estimates": unasked.with_estimates("exact")}
    return [Machine(name, workload, name == "first") for name, workload in named.items()]


# What the logs are


def test_a_log_is_described_by_the_jobs_that_take_part():
    w = table([(0, 30, 60, 1), (100, 50, 100, 2), (200, 90, 60, 4)], 4, start=pd.Timestamp("2001-05-03"))
    row = elsewhere.about([Machine("made up", w)]).loc["made up"]
    assert (row.year, row.procs, row.jobs, row.used, row.estimated) == ("2001", 4, 3, 0.5, 1)
    assert row.serial == pytest.approx(1 / 3) and row.load == w.load and not row.paper


def test_a_job_without_a_requested_time_has_no_estimate(machines):
    told = elsewhere.about(machines)
    assert told.estimated["no estimates"] == 0 and np.isnan(told.used["no estimates"])
    assert told.estimated["first"] == 1


def test_the_sample_is_no_machine_and_no_log_is_in_a_folder_that_does_not_exist(monkeypatch):
    assert "sample" not in elsewhere.names() and "KTH-SP2" in elsewhere.names()
    monkeypatch.setenv("SIMLIB_TRACES", "/nonexistent")
    assert not elsewhere.on_machine("KTH-SP2")
    assert Backfilling().found == [] and [one.name for one in Backfilling().sources[LOGS]] == ["sample"]


def test_the_papers_logs_are_taken_as_the_paper_has_them(monkeypatch):
    monkeypatch.setattr(elsewhere, "_taken", lambda *of: of)
    monkeypatch.setattr(elsewhere, "on_machine", lambda name, variant=None: variant in (None, "original", "cleaned"))
    assert elsewhere.of_backfilling("SDSC-Par-96") == ("SDSC-Par-96", None, "status == 1", "exact", True)
    assert elsewhere.of_backfilling("CEA-Curie") == ("CEA-Curie", None, None, "user", False)
    assert elsewhere.of_adjusting("SDSC-SP2") == ("SDSC-SP2", "cleaned", "requested_time > 0", "user", True)
    assert elsewhere.of_adjusting("CTC-SP2")[-1] is False


# Effects


def test_an_effect_is_that_of_compare_by_log_case_and_measure(machines):
    cases = {"EASY": EASY(), "same": EASY(), CONSERVATIVE: Conservative(), EXACT: (EASY(), "exact")}
    pairs = {case: (case, "EASY") for case in list(cases)[1:]}
    found = effects.effects(machines[0], cases, pairs, SETTINGS)
    assert found.index.names == effects.LEVELS and list(found.columns) == effects.COLUMNS
    assert (found.xs("same", level="case").effect == 0).all()
    expected = compare(machines[0].workload, cases, by=["all"], least=1, **SETTINGS).relative
    for case, measure in [(CONSERVATIVE, "wait"), (EXACT, "response"), (EXACT, "bounded_slowdown")]:
        row = found.loc["first", case, measure]
        other = expected.loc[case, "all", "all", measure, "mean"].iloc[1:]
        assert row.to_list() == pytest.approx(other.to_list(), nan_ok=True)


def test_effects_and_another_year_are_of_the_same_runs():
    """On a machine where jobs wait in few runs only the log as it is says little of all of them."""
    made = random_workload(2, jobs=300).scale_load(0.6).jobs
    made = made.assign(submit=made.submit + 604800 * (np.arange(300) // 30))
    over_weeks = Machine("weeks", Workload(made, 64, "weeks"))
    cases, options = {"EASY": EASY(), "sjf": EASY(order="sjf")}, {"resamples": 200, "seed": 1, "shakes": 7}
    found = effects.effects(over_weeks, cases, {"sjf": ("sjf", "EASY")}, options | {"seconds": 60}, tails=True)
    known = found[found.year_low.notna()]
    assert len(known) == 4 and known.effect.between(known.year_low, known.year_high).all()
    known = found[found.low.notna()]
    assert known.effect.between(known.low, known.high).all() and (known.effect != 0).sum() > 3
    same = compare(over_weeks.workload, cases, by=["all"], **options).relative.loc["sjf", "all", "all", "wait", "mean"]
    assert found.loc["weeks", "sjf", "wait"].to_list() == pytest.approx(same.iloc[1:].to_list())


def test_cases_are_held_against_bases_of_their_own(machines):
    cases = {"EASY": EASY(), CONSERVATIVE: Conservative()}
    pairs = {"one": (CONSERVATIVE, "EASY"), "other": ("EASY", CONSERVATIVE)}
    found = effects.effects(machines[0], cases, pairs, SETTINGS).effect.xs("wait", level="measure").loc["first"]
    assert (1 + found["one"]) * (1 + found["other"]) == pytest.approx(1)


def test_the_share_of_backfilled_jobs_is_that_of_the_schedules(machines):
    cases = {"EASY": EASY(), CONSERVATIVE: Conservative()}
    table = effects.effects(machines[0], cases, {CONSERVATIVE: (CONSERVATIVE, "EASY")}, SETTINGS)
    found = effects.of_case(table, CONSERVATIVE, effects.BACKFILLED).iloc[0]
    log = machines[0].workload
    runs = [log, *(log.shake(60, seed) for seed in range(SETTINGS["shakes"]))]
    easy, conservative = (
        np.array([simulate(run, policy).summary().backfilled_share for run in runs])
        for policy in (EASY(), Conservative())
    )
    assert (found.base, found.value) == pytest.approx((easy.mean(), conservative.mean()))
    changes = conservative / easy - 1
    assert changes.min() <= found.low <= found.high <= changes.max()


def test_one_run_has_no_interval_and_few_weeks_no_other_year(machines):
    cases = {"EASY": EASY(), CONSERVATIVE: Conservative()}
    found = effects.effects(machines[0], cases, {"one": (CONSERVATIVE, "EASY")}, SETTINGS | {"shakes": 0})
    assert (found.low == found.effect).all() and (found.high == found.effect).all()
    assert found[["year_low", "year_high"]].isna().all(axis=None)  # of twenty days


def test_a_difference_of_effects_is_as_sure_as_both_together():
    found = effects.minus(rows(0.3, half=0.03), rows(0.1, 0.2, half=0.04)).iloc[0]
    assert (found.effect, found.high - found.effect) == pytest.approx((0.2, 0.05))


def test_a_row_of_resampled_numbers_has_one_interval_in_the_place_of_both():
    value = pd.Series([3.0, 2.0, 4.0])
    row = effects.of_change(value, pd.Series(2.0, value.index))
    assert (row["base"], row["value"], row["effect"]) == (2, 3, 0.5)
    assert row["low"] == row["year_low"] == pytest.approx(0.025) and row["high"] == row["year_high"]
    assert list(effects.table_of({}, ["key", "log"]).columns) == effects.COLUMNS


# Loads


def test_loads_are_in_reach_where_gaps_are_shortened_by_a_quarter_or_stretched_by_half():
    assert effects.in_reach(0.7) == [0.6, 0.7, 0.8, 0.9] and effects.in_reach(0.91) == [0.7, 0.8, 0.9]
    assert effects.in_reach(0.3) == []


def test_what_load_does_is_the_highest_less_the_lowest_of_logs_with_two(machines):
    log = machines[0].workload
    thin = Machine("thin", log.scale_load(0.3))
    assert effects.of_machine(thin, SETTINGS) is None
    table = effects.of_machine(Machine("some", log.scale_load(0.62)), SETTINGS)
    line = effects.line(table, "response").loc["some"]
    assert list(line.index) == [0.6, 0.7, 0.8]
    assert line.exact.isna().tolist() == [True, True, False]
    found = effects.growth(table)
    assert found.effect["some"] == pytest.approx(line.effect[0.8] - line.effect[0.6])
    assert effects.growth(table.xs(0.6, level="case", drop_level=False)).empty


def test_no_effects_have_columns_all_the_same():
    empty = effects.together([])
    assert empty.empty and list(empty.columns) == effects.COLUMNS and empty.index.names == effects.LEVELS
    assert effects.of_case(empty, EXACT, "wait").empty


# Most machines


def test_a_row_is_with_a_claim_against_it_or_open():
    found = rows(-0.1, 0.1, 0.0, np.nan)
    assert deciding.sides(found, -1).to_list() == ["with", "against", "open", "open"]
    assert deciding.sides(found, 1).to_list() == ["against", "with", "open", "open"]


@pytest.mark.parametrize(
    ("changes", "said", "holds"),
    [
        ([-0.1] * 6, "holds everywhere", True),
        ([-0.1] * 4 + [0, 0.1], "holds on most", True),
        ([-0.1] * 4 + [0.1, 0.1], "goes either way, and hangs on the machine", False),
        ([-0.1] * 3 + [0] * 3, "cannot be told on most", False),
        ([0.1] * 6, "is the other way on most", False),
    ],
)
def test_a_claim_holds_on_most_where_two_thirds_are_clear_and_one_in_six_is_against(changes, said, holds):
    assert deciding.scope(rows(*changes), -1) == said
    assert deciding.on_most(rows(*changes), -1) is holds


def test_another_year_has_to_agree_on_a_third_and_six_logs_are_needed():
    assert not deciding.on_most(rows(*[-0.1] * 6, year=0.2), -1)
    assert deciding.on_most(rows(*[-0.1] * 5), -1) is None
    assert "log 0 -10.0 %*," in deciding.said(rows(*[-0.1] * 6, year=0.2), -1)
    assert "log 0 -10.0 %**," in deciding.said(rows(*[-0.1] * 6), -1)


# What it hangs on


def test_ranks_that_agree_are_rare_by_chance_and_few_logs_say_nothing():
    one = pd.Series(range(8), list("abcdefgh"))
    assert deciding.correlation(one, one**3)["rho"] == pytest.approx(1)
    assert deciding.correlation(one, -one)["chance"] < 0.001
    assert deciding.correlation(one, one)["chance"] == deciding.correlation(one, one)["chance"]
    assert np.isnan(deciding.correlation(one[:5], one)["rho"])


def test_logs_without_a_queue_have_no_say_in_what_it_hangs_on():
    effect = pd.Series(range(8), list("abcdefgh"), dtype=float)
    traits = pd.DataFrame({"load": effect})
    queue = pd.Series([59.0, *[60.0] * 7], effect.index)
    assert deciding.correlations({"wait": effect}, traits, queue).logs.to_list() == [7]


# Findings


@pytest.mark.parametrize(
    ("changes", "verdict"), [([-0.1] * 6, HOLDS), ([-0.1] * 4 + [0.1] * 2, HOLDS_NOT), ([-0.1] * 5, UNTESTED)]
)
def test_what_is_claimed_of_most_machines_is_decided_by_their_number(changes, verdict):
    of = rows(*changes)
    assert deciding.finding_on_most("OWN-18", {"wait": of}, -1, waits(of))["verdict"] == verdict


def test_a_finding_of_two_measures_wants_both():
    of = {"response": rows(*[-0.1] * 6), "slowdown": rows(*[0.1] * 6)}
    found = deciding.finding_on_most("OWN-15", of, -1, waits(of["response"]))
    assert found["verdict"] == HOLDS_NOT
    assert found["numbers"] == {"logs": 6, "with": 0, "year_with": 0, "against": 6}


def test_what_becomes_of_it_without_idle_machines_is_said_and_decides_nothing():
    of = rows(*[-0.1] * 8, 0.1, 0.1)
    queue = waits(of).where(of.index != "log 9", 30.0)
    found = deciding.finding_on_most("OWN-18", {"wait": of}, -1, queue)
    assert found["verdict"] == HOLDS_NOT
    assert "Without log 9, where jobs hardly wait, it holds on most" in found["evidence"]


def not_shorter(effects):
    return deciding.not_shorter("OWN-20", effects)


@pytest.mark.parametrize(
    ("decide", "changes", "half", "verdict"),
    [
        (deciding.similar, [0.02] * 6, 0.01, HOLDS),  # shares of backfilled jobs, within a tenth
        (deciding.similar, [0.2] * 6, 0.01, HOLDS_NOT),
        (not_shorter, [0] * 6, 0.01, HOLDS),  # waits that may be the same
        (not_shorter, [-0.1] * 6, 0.01, HOLDS_NOT),
        (deciding.levelled, [0.005] * 6, 0.01, HOLDS),  # response times that hardly change
        (deciding.levelled, [0.005] * 6, 0.03, HOLDS_NOT),
        (deciding.levelled, [0.1] * 6, 0.01, HOLDS_NOT),
    ],
)
def test_what_is_within_a_bound_on_most_machines_holds(decide, changes, half, verdict):
    assert decide(rows(*changes, half=half))["verdict"] == verdict
    assert decide(rows(0))["verdict"] == UNTESTED


@pytest.mark.parametrize(("chance", "verdict"), [(0.02, HOLDS), (0.03, HOLDS_NOT), (np.nan, UNTESTED)])
def test_an_effect_hangs_on_a_trait_where_chance_is_rare_for_all_pairs_together(chance, verdict):
    index = pd.MultiIndex.from_tuples([("wait", "load"), ("wait", "used")])
    found = pd.DataFrame({"rho": 0.8, "chance": [chance, chance], "logs": 9}, index)
    assert deciding.hanging("OWN-17", found)["verdict"] == verdict


def test_a_verdict_says_what_it_goes_with_and_whether_that_may_be_chance():
    index = pd.MultiIndex.from_tuples([("wait", "load"), ("wait", "serial")])
    found = pd.DataFrame({"rho": [0.3, -0.8], "chance": [0.4, 0.02], "logs": 9}, index)
    of = rows(*[-0.1] * 6)
    said = deciding.finding_on_most("OWN-33", {"wait": of}, -1, waits(of), hangs=found)["evidence"]
    assert "the share of serial jobs: rank correlation -0.80 on 9 logs" in said and "which is beyond chance" in said
    assert "which may be chance, for 2 were looked at" in deciding.goes_with(found.assign(chance=[0.4, 0.03]))
    assert deciding.goes_with(found.assign(chance=np.nan)) == ""


@pytest.mark.parametrize(("so", "verdict"), [([True] * 4, HOLDS), ([True] * 3, HOLDS_NOT), ([], UNTESTED)])
def test_estimates_are_as_in_figure_8_where_two_thirds_of_the_logs_are(so, verdict):
    flat = pd.DataFrame({"ks": 0.05, "zero": 9.0, "hundred": 3.0}, [f"log {place}" for place in range(6 * bool(so))])
    flat["as_claimed"] = [*so, *[False] * (len(flat) - len(so))]
    assert deciding.as_figure8(flat)["verdict"] == verdict


@pytest.mark.parametrize(("near", "logs", "verdict"), [(4, 6, HOLDS), (3, 6, HOLDS_NOT), (5, 5, UNTESTED)])
def test_users_are_as_on_intrepid_where_all_three_shares_are_near(near, logs, verdict):
    places = pd.MultiIndex.from_product([["below half", "above"], [f"log {each}" for each in range(logs)]])
    table = pd.DataFrame({"ours": 0.5, "published": 0.5, "near": True}, places.rename(["part", "log"]))
    table.loc[[("above", f"log {each}") for each in range(near, logs)], "near"] = False
    assert deciding.as_on_intrepid(table)["verdict"] == verdict


@pytest.mark.parametrize(("last", "verdict"), [(-0.1, HOLDS), (0.0, HOLDS_NOT), (0.1, HOLDS_NOT)])
def test_every_key_has_to_lower_the_scatter(last, verdict):
    steps = {"user": rows(*[-0.1] * 6).rename_axis("log"), "both": rows(*[last] * 3).rename_axis("log")}
    found = deciding.every_step(steps)
    assert found["verdict"] == verdict
    assert f"user on 6 of 6, both on {3 * (last < 0)} of 3" in found["evidence"]
    assert deciding.every_step({})["verdict"] == UNTESTED


@pytest.mark.parametrize(
    ("run", "size", "verdict"), [(500, 20, HOLDS), (500, 5, HOLDS_NOT), (5000, 20, HOLDS_NOT), (None, 0, UNTESTED)]
)
def test_sp2_machines_are_held_against_the_others_by_run_time_and_size(run, size, verdict):
    others = {f"log {place}": (run, size) for place in range(6)} if run else {}
    told = pd.DataFrame({"one": (1000, 10), "other": (1000, 10)} | others, ["run", "size"], dtype=float).T
    assert deciding.of_sp2(told, ("one", "other"))["verdict"] == verdict


# Printed effects


def test_printed_effects_are_those_of_the_whole_logs_or_of_their_months():
    found = printed()
    assert found[CONSERVATIVE]["response"]["SDSC-SP2"] == pytest.approx(29422 / 24519 - 1)
    assert found[EXACT]["bounded_slowdown"]["KTH-SP2"] == pytest.approx(67.6 / 84.0 - 1)
    assert found[CONSERVATIVE]["bounded_slowdown"]["LANL-CM5"] < 0 < found[CONSERVATIVE]["response"]["LANL-CM5"]


# The exhibits


@pytest.fixture(scope="module")
def made(machines):
    exhibit = Backfilling(**FEW)
    exhibit.found = machines
    return exhibit


@pytest.mark.slow
def test_what_has_no_estimates_takes_part_only_where_they_do_not_matter(made):
    logs = {case: set(part.index.unique("log")) for case, part in made.effects.groupby(level="case")}
    assert logs[CONSERVATIVE] == {"first", "second", "no estimates"} and logs[EXACT] == {"first", "second"}
    assert made.left_out == ["no estimates: 0% of the jobs have an estimate"]


@pytest.mark.slow
def test_every_log_has_a_row_the_papers_apart_and_what_takes_no_part_says_so(made):
    ax, _ = made.figure("exact").axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first* 2026", "second 2026", "no estimates 2026"]
    assert np.diff(ax.get_yticks()).tolist() == pytest.approx([1 + pictures.GAP, 1])
    assert [text.strip() for text in texts(ax)] == ["no estimates"]


@pytest.mark.slow
def test_nothing_is_decided_on_three_machines_and_all_of_stand_ins_is_stamped(made):
    assert set(verdict_by_id(made.verdicts).values()) == {UNTESTED}
    assert set(verdict_by_id(made.judge()).values()) == {UNTESTED}
    for part in made.made:
        assert (made.figure(part) is None) == (part in ("effects", "logs"))


def test_a_row_on_the_other_side_is_shaded():
    told = pd.DataFrame({"paper": [True] + [False] * 2, "year": "2001"}, ["log 0", "log 1", "log 2"])
    ax = pictures.forest({"wait": rows(-0.1, 0.1, 2.0)}, told, -1, "one against another").axes[0]
    assert len(ax.patches) == 2
    assert "+200%" in texts(ax)  # beyond the axis
    plt.close("all")


def test_a_panel_is_shaded_where_most_points_are_on_the_other_side():
    told = pd.DataFrame({"paper": [True, False], "year": "2001", "load": 0.7}, ["log 0", "log 1"])
    places = pd.MultiIndex.from_product([told.index, [0.6, 0.8]], names=["log", "load"])
    table = rows(-0.1, 0.1, 0.1, 0.2).set_axis(places).assign(exact=[np.nan, 0.1] * 2)
    for figure in (
        pictures.of_effects({"wait": table}, told, -1, "load", "one against another"),
        pictures.by_load({"wait": table}, told, -1, "one against another", pictures.SAID),
    ):
        shades = [ax.get_facecolor() for ax in figure.axes]
        assert len(shades) == 2 and shades[0] != shades[1]
    plt.close("all")


# Partitions


def test_a_partition_has_a_row_and_no_say(machines):
    log = load("sample")
    log._log = log.log.assign(partition=np.where(np.arange(len(log.log)) % 2, 10, 4))
    found = elsewhere.partitions(Machine("CEA-Curie", log, True))
    assert [(one.name, one.workload.procs, one.paper, one.part) for one in found] == [
        ("CEA-Curie, standard", 80640, True, True)
    ]
    assert (log.log.partition.loc[found[0].workload.jobs.index] == 10).all()
    assert elsewhere.partitions(machines[0]) == []
    exhibit = Estimates()
    exhibit.found = [machines[0], *found]
    assert exhibit.whole(exhibit.about).index.to_list() == ["first"]


# How good estimates are


@pytest.fixture(scope="module")
def estimating(machines):
    exhibit = Estimates(resamples=20)
    log = load("sample")
    projects = log.derive(log.jobs.assign(group=log.jobs.user % 12), "projects")
    plain = log.derive(log.jobs.assign(group=1), "one group")
    exhibit.found = [Machine("plain", plain, True), Machine("projects", projects), machines[2]]
    return exhibit


def test_what_has_no_estimates_is_only_in_the_table_of_logs(estimating):
    assert [one.name for one in estimating.asked] == ["plain", "projects"]
    assert set(estimating.histogram.index.unique("log")) == {"plain", "projects"}
    row = estimating.speaks.loc["no estimates"]
    assert row.run > 0 and row["size"] > 0 and np.isnan(row.intrepid) and np.isnan(row.flat)
    assert set(verdict_by_id(estimating.judge()).values()) == {UNTESTED}


def test_a_log_without_projects_has_two_keys_and_one_with_some_has_four(estimating):
    keys = estimating.steps.index.to_frame(index=False).groupby("log", sort=False).key.apply(list)
    assert keys.to_dict() == {"plain": ["user", TRIPLE], "projects": list(STEPS)}
    r = estimating.lines.used["plain"].clip(upper=100) / 100
    assert estimating.steps.base["user", "plain"] == pytest.approx(r.std())


def test_accuracy_is_held_against_the_users_own(estimating):
    own = estimating.accuracy.base.groupby("log").nunique()
    assert (own == 1).all()
    assert (estimating.best.loc[100].effect > 0).all()


def test_every_picture_of_estimates_has_its_logs(estimating):
    pictured = {part for part in estimating.made if estimating.figure(part) is not None}
    assert pictured == {"", "used", "keys", "percentiles", "best"}
    assert len(estimating.figure().axes) == 2


@pytest.mark.slow
def test_estimates_are_adjusted_by_user_alone_where_few_have_one(machines):
    exhibit = AdjustedEstimates(**FEW)
    asked = machines[0].requested
    few = Machine("few", machines[0].workload)
    vars(few)["requested"] = asked & (np.arange(len(asked)) % 5 > 0)
    exhibit.found = [machines[0], few, machines[2]]
    assert exhibit.accuracy.key.to_dict() == {"first": "user+estimate", "few": "user"}
    assert (exhibit.accuracy.after > exhibit.accuracy.before).all()
    assert exhibit.effects.index.unique("log").to_list() == ["first", "few"]
    assert set(verdict_by_id(exhibit.judge()).values()) == {UNTESTED}
    assert len(exhibit.figure().axes) == 4


@pytest.mark.slow
def test_of_fcfs_only_backfilling_and_running_jobs_see_adjusted_estimates(machines):
    exhibit = AdjustedEstimates(**FEW)
    exhibit.found = machines[:1]
    found = exhibit.effects.effect.xs("wait", level="measure").droplevel("log")
    regular, selective, between = (
        found[f"FCFS, {case}"] for case in ("regular", "selective", "selective against regular")
    )
    assert (1 + selective) / (1 + regular) - 1 == pytest.approx(between)


@pytest.mark.parametrize("cls", [Backfilling, AdjustedEstimates, Estimates, Policies])
def test_without_a_log_nothing_is_drawn_decided_or_written_among_the_figures(cls, no_logs, root):
    exhibit = cls()
    assert exhibit.missing == elsewhere.names() and exhibit.left_out == []
    assert all(exhibit.figure(part) is None for part in exhibit.made)
    assert set(verdict_by_id(exhibit.verdicts).values()) == {UNTESTED} == set(verdict_by_id(exhibit.judge()).values())
    exhibit.save()
    assert not (root / "figures").exists()
    assert {path.suffix for path in (root / "build" / "synthetic").iterdir()} == {".csv", ".json"}


@pytest.mark.slow
def test_on_kths_log_easy_is_better_by_response_time_and_doubled_estimates_are_better_yet(log):
    log("KTH-SP2")
    exhibit = Backfilling(**FEW)
    exhibit.found = [elsewhere.of_backfilling("KTH-SP2")]
    of = {case: exhibit.effects.loc["KTH-SP2", case, "response"] for case in (CONSERVATIVE, "doubled")}
    assert of[CONSERVATIVE].low > 0 > of["doubled"].high
    assert exhibit.about.paper["KTH-SP2"] and exhibit.about.year["KTH-SP2"] == "1997"
    assert exhibit.by_case["doubled"].printed["response", "KTH-SP2"] == pytest.approx(15060 / 15568 - 1)


@pytest.fixture(scope="module")
def against_easy():
    """The exhibit of two made-up machines, the second without estimates and users."""
    log = first_days(20)
    bare = load("sample")
    bare._log = bare.log.assign(requested_time=-1)
    bare = bare.with_estimates("exact")
    bare = bare.derive(bare.jobs.assign(user=-1), "without users")
    exhibit = Policies(reservations=(2, 5), shakes=2, resamples=20)
    exhibit.found = [Machine("first", log, True), Machine("bare", bare)]
    return exhibit


# Tails


def test_tails_are_those_of_the_schedules_run_by_run():
    log = first_days(20)
    cases = {"EASY": EASY(), CONSERVATIVE: Conservative()}
    machine, pairs = Machine("first", log), {CONSERVATIVE: (CONSERVATIVE, "EASY")}
    table = effects.effects(machine, cases, pairs, SETTINGS, tails=True).loc["first", CONSERVATIVE]
    runs = [log, *(log.shake(60, seed) for seed in range(SETTINGS["shakes"]))]
    easy, other = ([simulate(run, policy).column("wait") for run in runs] for policy in cases.values())
    longer = [(one - base > 3600).mean() for one, base in zip(other, easy, strict=True)]
    assert table.effect[effects.HOUR_LONGER] == pytest.approx(np.mean(longer))
    for measure, of in {effects.WAIT_95TH: lambda wait: np.quantile(wait, 0.95), effects.LONGEST_WAIT: np.max}.items():
        assert table.base[measure] == pytest.approx(np.mean([of(wait) for wait in easy]))
        assert table.value[measure] == pytest.approx(np.mean([of(wait) for wait in other]))
    assert table.loc[[*effects.TAILS, effects.HOUR_LONGER], ["year_low", "year_high"]].isna().all(axis=None)
    without = effects.effects(machine, cases, pairs, SETTINGS).loc["first", CONSERVATIVE]
    pd.testing.assert_frame_equal(table.loc[without.index], without)


# Between EASY and conservative


@pytest.mark.slow
def test_one_reservation_is_easy_and_all_of_them_conservative_backfilling(against_easy):
    ends = against_easy.curve.xs("1", level="k")
    assert (ends[["effect", "low", "high", "year_low", "year_high"]] == 0).all(axis=None) and (
        ends.value == ends.base
    ).all()
    for machine in against_easy.found:
        all_of_them, conservative = (
            simulate(machine.workload, policy).column("start")
            for policy in (EASY(reservations=math.inf), Conservative())
        )
        assert (all_of_them == conservative).all()


def test_how_much_is_there_is_told_where_conservative_clearly_differs():
    index = pd.MultiIndex.from_product([["log 0", "log 1"], ["1", "5", "all"]], names=["log", "k"])
    found = policies.arises(rows(0, 0.09, 0.1, 0, 0.1, 0.005).set_axis(index))
    assert found.index.to_list() == ["log 0"] and found.loc["log 0"].to_list() == pytest.approx([0, 0.9, 1])


@pytest.mark.parametrize(
    ("part", "whole", "verdict"),
    [
        ([0.05, 0.06, 0.07, 0.08, 0.0, 0.0], [0.1] * 6, HOLDS),
        ([0.05, 0.06, 0.07, -0.08, 0.0, 0.0], [0.1] * 6, HOLDS_NOT),  # the other sign is not there
        ([0.1] * 6, [0.1] * 5 + [0.0], UNTESTED),  # on five it clearly differs
    ],
)
def test_half_of_a_change_is_there_on_most_where_it_is_clear(part, whole, verdict):
    found = deciding.half_there(
        "OWN-35", {"response": (rows(*part), rows(*whole)), "slowdown": (rows(*part), rows(*whole))}
    )
    assert found["verdict"] == verdict


@pytest.mark.parametrize(("up", "verdict"), [(4, HOLDS), (3, HOLDS_NOT)])
def test_the_longest_wait_grows_on_most(up, verdict):
    found = deciding.longer("OWN-41", rows(*[0.5] * up, *[0.0] * (6 - up)))
    assert found["verdict"] == verdict and f"longer on {up} of 6" in found["evidence"]


# The exhibit


@pytest.mark.slow
def test_what_needs_users_or_estimates_is_left_out_where_there_are_none(against_easy):
    run = against_easy.effects.loc["bare"].index.unique("case")
    assert not set(run) & ({"fair share", "EASY++"} | BY_ESTIMATE) and "EASY, largest" in run
    assert set(ACROSS) <= set(against_easy.effects.loc["first"].index.unique("case"))
    assert "bare, fair share: the log does not say whose the jobs are" in against_easy.left_out


@pytest.mark.slow
def test_every_picture_is_drawn_and_nothing_is_decided_on_two_machines(against_easy):
    assert set(verdict_by_id(against_easy.judge()).values()) == {UNTESTED}
    for part in against_easy.made:
        assert (against_easy.figure(part) is None) == (part in ("arises", "effects", "logs"))
    assert len(against_easy.figure("response").axes) == len(ACROSS)
    assert len(against_easy.said()) == 2


def test_a_map_has_a_number_where_there_is_one_and_colour_where_it_is_clear():
    told = pd.DataFrame({"paper": [True, False], "year": "2001"}, ["log 0", "log 1"])
    index = pd.MultiIndex.from_tuples([("a", "log 0"), ("a", "log 1"), ("b", "log 0")], names=["policy", "log"])
    table = rows(-0.2, 0.1, 0.005).set_axis(index).assign(base=1.0)
    ax = pictures.maps({"wait": table}, told, {"a": "A", "b": "B"}, "change").axes[0]
    assert texts(ax) == ["-20", "+10", "0", "\N{EN DASH}"]
    assert [patch.get_alpha() > 0 for patch in ax.patches] == [True, True, False]


def test_without_a_log_nothing_is_said_of_where_a_difference_arises(no_logs):
    exhibit = Policies()
    assert len(exhibit.arises) == 0 and exhibit.said() == []
