"""Do the papers' findings hold on other machines: effects on made-up logs, findings, nothing without logs."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers import first_days, table, texts, verdicts

from simlib import EASY, Conservative, load, simulate
from simlib.papers import elsewhere
from simlib.papers.elsewhere import Machine, deciding, effects, findings, pictures
from simlib.papers.elsewhere.adjusted_estimates import AdjustedEstimates
from simlib.papers.elsewhere.backfilling import CONSERVATIVE, EXACT, Backfilling, printed
from simlib.papers.exhibit import LOGS
from simlib.papers.ledger import HOLDS, HOLDS_NOT, UNTESTED

FEW = {"shakes": 2, "resamples": 20}

SETTINGS = {"shakes": 2, "seconds": 60, "resamples": 20, "seed": 0}


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
    unasked.log = unasked.log.assign(requested_time=-1)
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


def test_the_papers_logs_are_taken_as_the_paper_has_them(monkeypatch):
    monkeypatch.setattr(elsewhere, "_taken", lambda *of: of)
    monkeypatch.setattr(elsewhere, "on_machine", lambda name, variant=None: variant in (None, "original", "cleaned"))
    assert elsewhere.of_backfilling("SDSC-Par-96") == ("SDSC-Par-96", None, "status == 1", "exact", True)
    assert elsewhere.of_backfilling("CEA-Curie") == ("CEA-Curie", None, None, "user", False)
    assert elsewhere.of_adjusting("SDSC-SP2") == ("SDSC-SP2", "cleaned", "requested_time > 0", "user", True)
    assert elsewhere.of_adjusting("CTC-SP2")[-1] is False


# Effects


def test_an_effect_is_that_of_compare_by_log_case_and_measure(machines):
    cases = {"EASY": EASY(), "same": EASY(), CONSERVATIVE: Conservative()}
    found = effects.effects(machines[0], cases, "EASY", SETTINGS)
    assert found.index.names == effects.LEVELS and list(found.columns) == effects.COLUMNS
    assert (found.xs("same", level="case").effect == 0).all()
    row = found.loc["first", CONSERVATIVE, "wait"]
    assert row.effect == pytest.approx(row.value / row.base - 1) and row.low <= row.effect <= row.high


def test_the_share_of_backfilled_jobs_is_that_of_the_schedules(machines):
    found = effects.backfilled(machines[0], CONSERVATIVE, (EASY(), Conservative()), SETTINGS).iloc[0]
    log = machines[0].workload
    runs = [log, *(log.shake(60, seed) for seed in range(2))]
    easy, conservative = (
        np.array([simulate(run, policy).summary().backfilled_share for run in runs])
        for policy in (EASY(), Conservative())
    )
    assert (found.base, found.value) == pytest.approx((easy.mean(), conservative.mean()))
    changes = conservative / easy - 1
    assert changes.min() <= found.low <= found.high <= changes.max() and found.year_low <= found.year_high


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
    assert findings.on_most("OWN-18", {"wait": of}, -1, waits(of))["verdict"] == verdict


def test_a_finding_of_two_measures_wants_both():
    of = {"response": rows(*[-0.1] * 6), "slowdown": rows(*[0.1] * 6)}
    found = findings.on_most("OWN-15", of, -1, waits(of["response"]))
    assert found["verdict"] == HOLDS_NOT
    assert found["numbers"] == {"logs": 6, "with": 0, "year_with": 0, "against": 6}


def test_what_becomes_of_it_without_idle_machines_is_said_and_decides_nothing():
    of = rows(*[-0.1] * 8, 0.1, 0.1)
    queue = waits(of).where(of.index != "log 9", 30.0)
    found = findings.on_most("OWN-18", {"wait": of}, -1, queue)
    assert found["verdict"] == HOLDS_NOT
    assert "Without log 9, where jobs hardly wait, it holds on most" in found["evidence"]


@pytest.mark.parametrize(("changes", "verdict"), [([0.02] * 6, HOLDS), ([0.2] * 6, HOLDS_NOT), ([0], UNTESTED)])
def test_shares_of_backfilled_jobs_are_similar_within_a_tenth(changes, verdict):
    assert findings.similar(rows(*changes))["verdict"] == verdict


@pytest.mark.parametrize(("changes", "verdict"), [([0] * 6, HOLDS), ([-0.1] * 6, HOLDS_NOT), ([0], UNTESTED)])
def test_waits_that_may_be_the_same_are_not_shorter(changes, verdict):
    assert findings.not_shorter("OWN-20", rows(*changes))["verdict"] == verdict


@pytest.mark.parametrize(("chance", "verdict"), [(0.02, HOLDS), (0.03, HOLDS_NOT), (np.nan, UNTESTED)])
def test_an_effect_hangs_on_a_trait_where_chance_is_rare_for_all_pairs_together(chance, verdict):
    index = pd.MultiIndex.from_tuples([("wait", "load"), ("wait", "used")])
    found = pd.DataFrame({"rho": 0.8, "chance": [chance, chance], "logs": 9}, index)
    assert findings.hanging("OWN-17", found)["verdict"] == verdict


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
    assert set(verdicts(made.verdicts).values()) == {UNTESTED}
    assert set(verdicts(made.judge()).values()) == {UNTESTED}
    for part in made.made:
        assert (made.figure(part) is None) == (part in ("effects", "logs"))


def test_a_row_on_the_other_side_is_shaded():
    told = pd.DataFrame({"paper": [True] + [False] * 2, "year": "2001"}, ["log 0", "log 1", "log 2"])
    ax = pictures.forest({"wait": rows(-0.1, 0.1, 2.0)}, told, -1, "one against another").axes[0]
    assert len(ax.patches) == 2
    assert "+200%" in texts(ax)  # beyond the axis
    plt.close("all")


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
    assert set(verdicts(exhibit.judge()).values()) == {UNTESTED}
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


@pytest.mark.parametrize("cls", [Backfilling, AdjustedEstimates])
def test_without_a_log_nothing_is_drawn_decided_or_written_among_the_figures(cls, no_logs, root):
    exhibit = cls()
    assert exhibit.missing == elsewhere.names() and exhibit.left_out == []
    assert all(exhibit.figure(part) is None for part in exhibit.made)
    assert set(verdicts(exhibit.verdicts).values()) == {UNTESTED} == set(verdicts(exhibit.judge()).values())
    exhibit.save()
    assert not (root / "figures").exists()
    assert {path.suffix for path in (root / "build" / "synthetic").iterdir()} == {".csv", ".json"}


def test_a_folder_that_does_not_exist_is_as_no_log(monkeypatch):
    monkeypatch.setenv("SIMLIB_TRACES", "/nonexistent")
    assert Backfilling().found == [] and [one.name for one in Backfilling().sources[LOGS]] == ["sample"]


@pytest.mark.slow
def test_on_kths_log_easy_is_better_by_response_time_and_doubled_estimates_are_better_yet(log):
    log("KTH-SP2")
    exhibit = Backfilling(**FEW)
    exhibit.found = [elsewhere.of_backfilling("KTH-SP2")]
    of = {case: exhibit.effects.loc["KTH-SP2", case, "response"] for case in (CONSERVATIVE, "doubled")}
    assert of[CONSERVATIVE].low > 0 > of["doubled"].high
    assert exhibit.about.paper["KTH-SP2"] and exhibit.about.year["KTH-SP2"] == "1997"
    assert exhibit.by_case["doubled"].printed["response", "KTH-SP2"] == pytest.approx(15060 / 15568 - 1)
