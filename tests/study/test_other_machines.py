"""Do the papers' findings hold on other machines, and what does every policy do there: effects, findings, notebooks."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from exhibits import executed, verdict_by_id
from helpers import first_days, table, texts, words

import simlib_study as study
from simlib import EASY, Conservative, compare, load, replicate, simulate
from simlib.logs import archive
from simlib_study import loading, other_machines
from simlib_study.claims import HOLDS, HOLDS_NOT, OPEN, UNTESTED
from simlib_study.other_machines import deciding, pictures
from simlib_study.other_machines import effects as effects_of
from simlib_study.other_machines.effects import effects, in_parts, of_case
from simlib_study.tang2013 import TRIPLE

SETTINGS = {"shakes": 4, "seconds": 60, "seed": 0}

CASES = {"EASY": EASY(), "conservative": Conservative()}

PAIRS = {"conservative": ("conservative", "EASY")}


def rows(*effects, half=0.01, year=0.02):
    """Effects by log, each with intervals of these half widths."""
    effect = pd.Series(effects, [f"log {place}" for place in range(len(effects))], dtype=float)
    ends = {"low": effect - half, "high": effect + half, "year_low": effect - year, "year_high": effect + year}
    return pd.DataFrame({"base": 100.0, "value": 100 * (1 + effect), "effect": effect, **ends})


def by_measure(**of):
    """Effects by measure and log."""
    return pd.concat(of, names=["measure", "log"])


def waits(of, seconds=3600.0):
    return pd.Series(seconds, of.index)


@pytest.fixture(scope="module")
def days():
    return first_days(20)


def bare():
    """A log without estimates and users."""
    w = load("sample")
    w._log = w.log.assign(requested_time=-1)
    w = w.with_estimates("exact")
    return w.derive(w.jobs.assign(user=-1), "without users")


# What the logs are


def test_a_log_is_described_by_the_jobs_that_take_part():
    w = table([(0, 30, 60, 1), (100, 50, 100, 2), (200, 90, 60, 4)], 4, start=pd.Timestamp("2001-05-03"))
    told = other_machines.about({"made up": w, "bare": bare()})
    row = told.loc["made up"]
    assert (row.year, row.procs, row.jobs, row.used, row.estimated) == ("2001", 4, 3, 0.5, 1)
    assert row.serial == pytest.approx(1 / 3) and row.load == w.load and not row.paper
    assert told.estimated["bare"] == 0 and np.isnan(told.used["bare"])


def test_where_no_log_is_a_twin_stands_in(monkeypatch):
    monkeypatch.setattr(archive, "find", lambda name, variant=None: None)
    found = study.logs("other_machines")
    assert found.stand_in and list(found) == [other_machines.TWIN]
    assert "CTC-SP2" in found.absent and "sample" not in found.absent


def test_a_log_that_is_too_slow_takes_part_where_nothing_is_simulated_and_says_so_elsewhere(monkeypatch, capsys):
    monkeypatch.setattr(other_machines, "TOO_SLOW", {"KTH-SP2": "it has too many jobs"})
    sample = load("sample")
    monkeypatch.setattr(archive, "find", lambda name, variant=None: name in ("KTH-SP2", "CTC-SP2"))
    monkeypatch.setattr(loading, "log", lambda name, variant: sample)
    found = study.logs("other_machines", like="tang2013")
    assert list(found) == ["CTC-SP2"] and "KTH-SP2" not in found.absent
    assert found.table is not None and "KTH-SP2: left out, because it has too many jobs" in capsys.readouterr().out
    for all_of_it in ({"simulated": False}, {"names": ["CTC-SP2", "KTH-SP2"]}):
        found = study.logs("other_machines", like="tang2013", **all_of_it)
        assert set(found) == {"CTC-SP2", "KTH-SP2"} and not found.left_out


def test_every_log_that_is_too_slow_is_in_the_catalogue():
    assert set(other_machines.TOO_SLOW) < set(other_machines.known())


class Asked(tuple):
    """In place of a log what is asked for: its name, variant, jobs and estimates."""

    def select(self, condition):
        return Asked((*self[:2], condition, self[3]))

    def with_estimates(self, kind):
        return Asked((*self[:3], kind))


def test_the_papers_logs_come_first_and_as_the_paper_has_them(monkeypatch):
    monkeypatch.setattr(loading, "log", lambda name, variant: Asked((name, variant, None, "user")))
    here = "CEA-Curie", "SDSC-SP2", "SDSC-Par-96"
    known = {(name, variant) for name in here for variant in (None, "original", "cleaned")}
    monkeypatch.setattr(archive, "find", lambda name, variant=None: (name, variant) in known)
    monkeypatch.setattr(other_machines, "PARTITIONS", {})
    found = study.logs("other_machines")
    assert list(found.values()) == [
        ("SDSC-SP2", None, None, "user"),
        ("SDSC-Par-96", None, "status == 1", "exact"),
        ("CEA-Curie", None, None, "user"),
    ]
    found = study.logs("other_machines", like="tang2013")
    assert found["SDSC-SP2"] == ("SDSC-SP2", "cleaned", "requested_time > 0", "user")
    assert list(found.traces) == ["SDSC-SP2", "CEA-Curie"] and list(found)[-1] == "SDSC-Par-96"


def test_a_partition_has_a_row_and_no_say(monkeypatch):
    w = load("sample")
    w._log = w.log.assign(partition=np.where(np.arange(len(w.log)) % 2, 10, 4))
    monkeypatch.setattr(loading, "log", lambda name, variant: w)
    monkeypatch.setattr(archive, "find", lambda name, variant=None: name == "CEA-Curie")
    found = study.logs("other_machines", like="tang2013")
    part = found["CEA-Curie, standard"]
    assert part.procs == 80640 and (w.log.partition.loc[part.jobs.index] == 10).all()
    told = other_machines.about(found)
    assert told.paper.all() and other_machines.machines(told).index.to_list() == ["CEA-Curie"]


# Effects


def held(workload, cases, pairs, bases=None, **settings):
    """Effects of runs of a log."""
    return effects(replicate(workload, cases, measures=in_parts(workload, bases), **settings), pairs)


def test_an_effect_is_that_of_compare_by_case_and_measure(days):
    cases = {"EASY": EASY(), "same": EASY(), "conservative": Conservative(), "exact": (EASY(), "exact")}
    found = held(days, cases, {case: (case, "EASY") for case in list(cases)[1:]}, **SETTINGS)
    assert found.index.names == effects_of.LEVELS[1:] and list(found.columns) == effects_of.COLUMNS
    assert (found.xs("same", level="case").effect == 0).all()
    expected = compare(days, cases, by=["all"], least=1, **SETTINGS).relative
    for case, measure in [("conservative", "wait"), ("exact", "response"), ("exact", "bounded_slowdown")]:
        other = expected.loc[case, "all", "all", measure, "mean"].iloc[1:]
        assert found.loc[case, measure].to_list() == pytest.approx(other.to_list(), nan_ok=True)


def test_cases_are_held_against_bases_of_their_own_and_what_is_missing_is_left_out(days):
    pairs = {"one": ("conservative", "EASY"), "other": ("EASY", "conservative"), "none": ("FCFS", "EASY")}
    found = held(days, CASES, pairs, **SETTINGS).effect.xs("wait", level="measure")
    assert (1 + found["one"]) * (1 + found["other"]) == pytest.approx(1) and "none" not in found


def test_shares_of_backfilled_jobs_and_tails_are_those_of_the_schedules_run_by_run(days):
    found = held(days, CASES, PAIRS, {"EASY": CASES["EASY"]}, **SETTINGS).loc["conservative"]
    runs = [days, *(days.shake(60, seed) for seed in range(SETTINGS["shakes"]))]
    easy, other = ([simulate(run, policy) for run in runs] for policy in CASES.values())
    shares = [np.array([of.summary().backfilled_share for of in each]) for each in (easy, other)]
    row, (first, second) = found.loc["backfilled"], shares
    assert (row.base, row.value) == pytest.approx((first.mean(), second.mean()))
    reach = 2.776 * np.sqrt(6 / 5) * (second / second.mean() - first / first.mean()).std(ddof=1)
    assert np.log1p([row.low, row.high]) - np.log1p(row.effect) == pytest.approx([-reach, reach], rel=1e-3)
    easy, other = ([of.column("wait") for of in each] for each in (easy, other))
    longer = [(one - base > 3600).mean() for one, base in zip(other, easy, strict=True)]
    assert found.effect["hour_longer"] == pytest.approx(np.mean(longer))
    for measure, of in {"wait_95th": lambda wait: np.quantile(wait, 0.95), "longest_wait": np.max}.items():
        assert found.base[measure] == pytest.approx(np.mean([of(wait) for wait in easy]))
        assert found.value[measure] == pytest.approx(np.mean([of(wait) for wait in other]))
    assert found.loc[["hour_longer", *effects_of.TAILS], ["year_low", "year_high"]].isna().all(axis=None)
    without = held(days, CASES, PAIRS, **SETTINGS).loc["conservative"]
    pd.testing.assert_frame_equal(found.loc[without.index], without)


def test_one_run_has_no_interval_and_few_weeks_no_other_year(days):
    found = held(days, CASES, PAIRS, **SETTINGS | {"shakes": 0})
    assert found.effect.notna().all() and found[["low", "high", "year_low", "year_high"]].isna().all(axis=None)
    assert held(days, CASES, PAIRS, **SETTINGS).notna().all().to_dict()["high"]
    assert held(days, CASES, PAIRS, **SETTINGS)[["year_low", "year_high"]].isna().all(axis=None)  # of twenty days


def test_a_difference_of_effects_is_as_sure_as_both_together():
    found = effects_of.minus(rows(0.3, half=0.03), rows(0.1, 0.2, half=0.04)).iloc[0]
    assert (found.effect, found.high - found.effect) == pytest.approx((0.2, 0.05))


def test_a_row_of_resampled_numbers_has_one_interval_in_the_place_of_both():
    value = pd.Series([3.0, 2.0, 4.0])
    row = effects_of.of_change(value, pd.Series(2.0, value.index))
    assert (row["base"], row["value"], row["effect"]) == (2, 3, 0.5)
    assert row["low"] == row["year_low"] == pytest.approx(0.025) and row["high"] == row["year_high"]


def test_what_load_does_is_the_highest_less_the_lowest_of_logs_with_two():
    some = rows(0.1, 0.2, 0.4).set_axis([0.6, 0.7, 0.8])
    table = pd.concat({"some": some, "one load": some[:1]}, names=["log"])
    found = effects_of.growth(table)
    assert found.effect.to_dict() == {"some": pytest.approx(some.effect[0.8] - some.effect[0.6])}


def test_printed_effects_are_those_of_the_whole_logs_or_of_their_months():
    response, slowdown = (effects_of.printed_effects().loc[of] for of in ("response", "bounded_slowdown"))
    assert response.conservative["SDSC-SP2"] == pytest.approx(29422 / 24519 - 1)
    assert slowdown.exact["KTH-SP2"] == pytest.approx(67.6 / 84.0 - 1)
    assert response.doubled["KTH-SP2"] == pytest.approx(15060 / 15568 - 1)
    assert slowdown.conservative["LANL-CM5"] < 0 < response.conservative["LANL-CM5"]
    assert effects_of.printed_gains(85)["WFP, selective", "wait"] == -0.22


# Most machines


def test_a_row_is_with_a_claim_against_it_or_open():
    found = rows(-0.1, 0.1, 0.0, np.nan)
    assert deciding.sides(found, -1).to_list() == ["with", "against", "open", "open"]
    assert deciding.sides(found, 1).to_list() == ["against", "with", "open", "open"]


def test_another_year_has_to_agree_on_a_third_and_six_logs_are_needed():
    assert deciding.on_most(rows(*[-0.1] * 6, year=0.2), -1) == OPEN
    assert deciding.on_most(rows(*[-0.1] * 5), -1) is None
    assert deciding.starred(rows(-0.1, 0.0, year=0.2)) == ["-10.0 %*", "+0.0 %"]
    assert "log 0 -10.0 %**," in deciding.most(by_measure(wait=rows(*[-0.1] * 6)), -1)[1]


def test_a_change_below_one_per_cent_is_clear_of_zero_and_speaks_for_nobody():
    of = rows(*[-0.1] * 3, *[-0.009] * 2, 0.009, half=0.001)
    assert deciding.sides(of, -1).to_list() == ["with"] * 5 + ["against"]
    found = deciding.counted(of, -1)
    assert (found["logs"], found["with"], found["against"]) == (6, 3, 0)


def test_stars_are_counted_beside_those_that_chance_would_give():
    places = pd.MultiIndex.from_product([["one"], [f"log {k}" for k in range(998)] + ["wait"], ["wait"]])
    of = rows(*[0.0] * 900, *[0.1] * 50, *[-0.015] * 49).set_axis(places.set_names(["case", "log", "measure"]))
    longer = rows(0.5).set_axis(pd.MultiIndex.from_tuples([("one", "log", "hour_longer")], names=of.index.names))
    said = deciding.stars(pd.concat([of, longer, of[:9].assign(low=np.nan, high=np.nan)]), 6)
    assert said.startswith(
        "Of 999 effects 99 are clear of zero by coincidence, where chance alone would make 1, and 50"
    )
    assert said.endswith("where it would make 17 at most")


# What it depends on


def test_ranks_that_agree_are_rare_by_chance_and_few_logs_say_nothing():
    one = pd.Series(range(8), list("abcdefgh"))
    assert deciding.correlation(one, one**3)["rho"] == pytest.approx(1)
    assert deciding.correlation(one, -one)["chance"] < 0.001
    assert deciding.correlation(one, one)["chance"] == deciding.correlation(one, one)["chance"]
    assert np.isnan(deciding.correlation(one[:5], one)["rho"])


def test_logs_without_a_queue_have_no_say_in_what_it_depends_on():
    effect = pd.Series(range(8), list("abcdefgh"), dtype=float)
    traits = pd.DataFrame({"load": effect})
    queue = pd.Series([59.0, *[60.0] * 7], effect.index)
    assert deciding.correlations(by_measure(wait=effect.to_frame("effect")), traits, queue).logs.to_list() == [7]


# Findings


def most(*changes):
    of = rows(*changes)
    return deciding.most(by_measure(wait=of), -1, waits(of))


def within(bound, *changes, half=0.01):
    return deciding.within(rows(*changes, half=half), bound, "{effect:.1%}")


def dependent(chance):
    index = pd.MultiIndex.from_tuples([("wait", "load"), ("wait", "used")])
    return deciding.depends_on_a_trait(pd.DataFrame({"rho": 0.8, "chance": [chance, chance], "logs": 9}, index))


def as_figure8(*so):
    flat = pd.DataFrame({"ks": 0.05, "zero": 9.0, "hundred": 3.0, "as_claimed": so}, range(len(so)))
    return deciding.as_figure8(flat.rename("log {}".format))


def as_on_intrepid(near, logs):
    places = pd.MultiIndex.from_product([["below half", "above"], [f"log {each}" for each in range(logs)]])
    of = pd.DataFrame({"ours": 0.5, "published": 0.5, "near": True}, places.rename(["part", "log"]))
    of.loc[[("above", f"log {each}") for each in range(near, logs)], "near"] = False
    return deciding.as_on_intrepid(of)


def steps(*last, logs=6):
    """Scatter falls with the user on so many logs, and so far with another key on some."""
    return deciding.every_step(pd.concat({"user": rows(*[-0.1] * logs), "both": rows(*last)}, names=["key", "log"]))


def sp2(run, size, logs=6):
    others = {f"log {place}": (run, size) for place in range(logs)}
    told = pd.DataFrame({"one": (1000, 10), "other": (1000, 10)} | others, ["run", "size"], dtype=float).T
    return deciding.of_sp2(told, ("one", "other"))


def half_there(part, whole):
    return deciding.half_there(*(by_measure(response=of, slowdown=of) for of in (rows(*part), rows(*whole))))


DECIDED = {
    HOLDS: [
        most(*[-0.1] * 6),
        most(*[-0.1] * 4, 0, 0.1),  # two thirds are clear and one in six is against
        within(0.1, *[0.02] * 6),
        deciding.not_shorter(rows(*[0] * 6)),  # waits that may be the same
        deciding.longer(rows(*[0.5] * 4, 0, 0)),
        dependent(0.02),
        as_figure8(*[True] * 4, False, False),
        as_on_intrepid(near=4, logs=6),
        steps(*[-0.1] * 3),
        sp2(run=500, size=20),
        half_there([0.05, 0.06, 0.07, 0.08, 0, 0], [0.1] * 6),
    ],
    OPEN: [
        most(*[-0.1] * 4, 0.1, 0.1),
        most(*[-0.1] * 3, 0, 0, 0),
        within(0.02, *[0.005] * 6, half=0.03),
        within(0.02, *[0.005] * 3, *[0.04] * 3, half=0.03),
        deciding.longer(rows(*[0.5] * 3, 0, 0, 0)),
        steps(*[0] * 3),
    ],
    HOLDS_NOT: [
        most(*[0.1] * 6),
        most(*[-0.1] * 3, *[0.1] * 3),
        within(0.1, *[0.2] * 6),
        within(0.02, *[0.005] * 3, *[0.06] * 3, half=0.03),
        deciding.not_shorter(rows(*[-0.1] * 6)),
        deciding.longer(rows(*[0.5] * 3, *[-0.5] * 3)),
        dependent(0.03),  # of two
        as_figure8(*[True] * 3, *[False] * 3),
        as_on_intrepid(near=3, logs=6),
        steps(*[0.1] * 3),
        sp2(run=500, size=5),
        sp2(run=5000, size=20),
        half_there([0.05, 0.06, 0.07, -0.08, 0, 0], [0.1] * 6),  # the other sign is not there
    ],
    UNTESTED: [
        most(*[-0.1] * 5),
        within(0.1, 0),
        deciding.not_shorter(rows(0)),
        deciding.longer(rows(0)),
        dependent(np.nan),
        as_figure8(),
        as_on_intrepid(near=5, logs=5),
        steps(logs=2),
        sp2(None, None, logs=0),
        half_there([0.1] * 6, [0.1] * 5 + [0.0]),  # on five it clearly differs
    ],
}
"""By verdict, what is said of logs with these changes."""


@pytest.mark.parametrize("verdict", DECIDED)
def test_what_is_found_is_decided_by_on_how_many_machines_it_is_clear(verdict):
    assert [study.finding("OWN-11", *said)["verdict"] for said in DECIDED[verdict]] == [verdict] * len(DECIDED[verdict])


def test_a_finding_of_two_measures_wants_both():
    holds, _, numbers = deciding.most(by_measure(response=rows(*[-0.1] * 6), slowdown=rows(*[0.1] * 6)), -1)
    assert not holds and numbers == {"logs": 6, "with": 0, "year_with": 0, "against": 6, "year_against": 6}


def test_what_becomes_of_it_without_idle_machines_is_said_and_decides_nothing():
    of = rows(*[-0.1] * 8, 0.1, 0.1)
    holds, text, _ = deciding.most(by_measure(wait=of), -1, waits(of).where(of.index != "log 9", 30.0))
    assert holds == OPEN and "Without log 9, where jobs hardly wait: holds" in text


def test_a_partition_has_no_say_in_what_is_decided():
    of = rows(*[-0.1] * 6, 0.1).rename({"log 6": "CEA-Curie, standard"})
    assert deciding.most(by_measure(wait=of), -1)[2]["logs"] == deciding.within(of, 0.2, "")[2]["logs"] == 6


def test_keys_that_lower_the_scatter_are_said():
    assert "user on 6 of 6, both on 3 of 3" in steps(*[-0.1] * 3)[1]
    assert "user on 6 of 6, both on 0 of 3" in steps(*[0.1] * 3)[1]


def test_a_verdict_says_what_it_goes_with_and_whether_that_may_be_chance():
    of = rows(*np.linspace(-0.1, -0.8, 8))
    told = pd.DataFrame({"load": of.effect, "used": range(8), "serial": [1, 3, 2, 5, 4, 8, 6, 7]}, of.index)
    text = deciding.most(by_measure(wait=of), -1, waits(of), told)[1]
    assert "the load: rank correlation +1.00 on 8 logs" in text and "which is beyond chance" in text
    index = pd.MultiIndex.from_tuples([("wait", "load"), ("wait", "serial")])
    found = pd.DataFrame({"rho": [0.3, -0.8], "chance": [0.4, 0.03], "logs": 9}, index)
    assert "which may be chance, for 2 were looked at" in deciding.depends_on_a_trait(found)[1]


# Pictures


TOLD = pd.DataFrame({"paper": [True, False, False], "year": "2001"}, ["log 0", "log 1", "log 2"])


def test_every_log_has_a_row_and_one_on_the_other_side_is_shaded():
    changes = pd.concat({"wait": rows(-0.1, 2.0)}, names=["measure", "log"])
    ax = pictures.forest(changes, TOLD, "one against another").axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["log 0* 2001", "log 1 2001", "log 2 2001"]
    assert len(ax.patches) == 1 and {"+200%", "no estimates"} <= set(texts(ax))  # beyond the axis
    many = pictures.forest(pd.concat({k: rows(k / 10) for k in range(7)}), TOLD, "").axes
    assert len(many) == 7 and len({ax.get_xlim() for ax in many}) == 1  # one scale
    plt.close("all")


@pytest.mark.parametrize("own", [None, {"log 0": 0.7, "log 1": 0.7}])
def test_a_panel_is_shaded_where_most_points_are_on_the_other_side(own):
    places = pd.MultiIndex.from_product([["wait"], ["log 0", "log 1"], [0.6, 0.8]], names=["measure", "log", "load"])
    of = rows(-0.1, 0.1, 0.1, 0.2).set_axis(places).assign(exact=[np.nan, 0.1] * 2)
    figure = pictures.lines(of, TOLD, "load", "one against another", own=own)
    shades = [ax.get_facecolor() for ax in figure.axes]
    assert len(shades) == 2 and shades[0] != shades[1]
    plt.close("all")


def test_a_map_has_a_number_where_there_is_one_and_colour_where_it_is_clear():
    index = pd.MultiIndex.from_tuples([("wait", "a", "log 0"), ("wait", "a", "log 1"), ("wait", "b", "log 0")])
    of = rows(-0.2, 0.1, 0.005).set_axis(index.rename(["measure", "policy", "log"]))
    ax = pictures.heat(of, TOLD[:2], "change").axes[0]
    assert texts(ax) == ["-20", "+10", "0", "\N{EN DASH}"]
    assert [patch.get_alpha() > 0 for patch in ax.patches] == [True, True, False]
    plt.close("all")


def titled(figure):
    return figure.legends[0].get_title().get_text().replace("\n", " ")


def test_a_title_counts_machines_and_effects_of_1_per_cent_or_more():
    whole, part = "CEA-Curie", "CEA-Curie, standard"
    told = TOLD.set_axis(["log 0", whole, part])
    of = pd.concat({"wait": rows(-0.1, -0.005, -0.1).set_axis(told.index)}, names=["measure", "log"])
    assert "better on 1 of 2 logs" in titled(pictures.forest(of, told, "one against another"))
    by_load = pd.concat({0.7: of, 0.8: of}, names=["load"]).reorder_levels([1, 2, 0])
    assert "better on 1 of 2 logs" in titled(pictures.lines(by_load, told, "load", "one against another"))
    assert "better on 1 of 2 logs" in titled(pictures.heat(pd.concat({"wait": of}, names=["of"]), told, "change"))
    plt.close("all")


def test_a_title_of_shares_has_the_policies_with_most_and_fewest_on_the_same_logs():
    index = pd.MultiIndex.from_product([["longer [%]"], ["a", "b"], ["log 0", "log 1"]])
    of = rows(0.1, 0.2, 0.3, np.nan).set_axis(index.rename(["measure", "policy", "log"])).assign(base=0.0)
    title = titled(pictures.heat(of, TOLD[:2], "change"))
    assert title == "Longer, average over 1 logs: fewest with a (10.0%), most with b (30.0%)"
    plt.close("all")


def test_the_strongest_relation_is_that_of_the_logs_where_jobs_wait():
    of = rows(*np.linspace(-0.1, -0.8, 8))
    told = pd.DataFrame({"paper": False, "load": of.effect, "other": [1, 3, 2, 5, 4, 8, 6, 7]}, of.index)
    traits, some = {"load": "load", "other": "other one"}, pd.concat({"wait": of})
    title = titled(pictures.scatter(some, told, traits, "change", waits=waits(of)))
    assert title.startswith(
        "Change, wait: related most to the load, rank correlation +1.00 on 8 logs (as strong by chance"
    )
    assert titled(pictures.scatter(some[:3], told, traits, "change")) == "Change: too few logs for a rank correlation"
    plt.close("all")


def test_a_star_is_explained_where_a_log_has_one():
    of = pd.concat({"wait": rows(0.1, 0.2, 0.3)}, names=["measure", "log"])
    for told, there in ((TOLD, True), (TOLD.assign(paper=False), False)):
        entries = [text.get_text() for text in pictures.forest(of, told, "change").legends[0].get_texts()]
        assert ("* a log of the paper" in entries) == there
    plt.close("all")


# The notebooks


FEW = {"shakes": 2}

NOTEBOOKS = {"backfilling": FEW | {"load_shakes": 1}, "policies": FEW | {"reservations": [2, 5]}}
NOTEBOOKS |= {"estimates": {"resamples": 20}, "adjusted-estimates": FEW | {"other_shakes": 1}}


def run(name, edits=None, **parameters):
    """Run a notebook on two small logs, and one without estimates and users."""
    here = executed(f"other-machines/{name}", {"logs.table": ADD} | (edits or {}), **NOTEBOOKS[name] | parameters)
    return here["tables"], here["shown"], here


ADD = """for name in [name for name in logs if name not in ("CTC-SP2", "SDSC-SP2")]:
    del logs[name]
w = logs["CTC-SP2"]
logs["bare"] = type(w)(w.jobs.assign(user=-1, estimate=w.jobs.run), w.procs, "bare", start=w.start)"""


@pytest.mark.thorough
def test_another_factor_and_a_log_reach_the_tables_and_pictures_of_backfilling(small_logs):
    tables, shown, here = run("backfilling", {"[2, 4, 8, 16]": "[2, 3]"})
    logs = {case: set(part.index.unique("log")) for case, part in tables["effects"].groupby(level="case")}
    assert logs["conservative"] == {"CTC-SP2", "SDSC-SP2", "bare"} and logs["exact"] == {"CTC-SP2", "SDSC-SP2"}
    assert set(tables["curve"].index.unique("f")) == {2, 3, "users'"} and "3" in words(shown["curve"])
    assert any("bare" in word for word in words(shown["exact"])) and "no estimates" in texts(shown["exact"].axes[0])
    assert set(verdict_by_id(here["findings"]).values()) == {UNTESTED} and len(here["findings"]) == 12


@pytest.mark.thorough
def test_another_policy_reaches_the_tables_and_pictures_of_policies(small_logs):
    one = 'policies["EASY, reusing"] = EASY(reuse_extra=True)\ncompared = ['
    tables, shown, here = run("policies", {"compared = [": one})
    for name in ("response", "who-loses"):
        assert "EASY, reusing" in tables[name].index.unique("policy") and "reusing" in words(shown[name])
    lacking = tables["effects"].loc["bare"].index.unique("case")
    assert not set(lacking) & {"fair share", "EASY++", *here["by_estimate"]} and "EASY, largest" in lacking
    assert here["lacking"]["bare"]["fair share"] == "the log does not say whose the jobs are"
    ends = tables["reservations"].xs("1", level="k")
    assert (ends.effect == 0).all() and (ends.value == ends.base).all()
    assert len(here["findings"]) == 7


@pytest.mark.thorough
def test_another_percentile_reaches_the_tables_and_pictures_of_adjusted_estimates(small_logs):
    tables, shown, here = run("adjusted-estimates", other_percentiles=[95, 60])
    effects, told = tables["effects"], tables["logs"]
    assert effects.index.unique("log").to_list() == ["SDSC-SP2", "CTC-SP2"]
    assert told.key["CTC-SP2"] == "user+estimate" and pd.isna(told.key["bare"])
    assert (told.after > told.before)[["SDSC-SP2", "CTC-SP2"]].all()
    regular, selective, between = (
        of_case(effects, f"FCFS, {case}", "wait").effect
        for case in ("regular", "selective", "selective against regular")
    )
    assert ((1 + selective) / (1 + regular) - 1).to_list() == pytest.approx(between.to_list())
    assert tables["percentiles"].index.unique("percentile").to_list() == [95, 85, 60]
    assert "60" in words(shown["percentiles"]) and "worse at the 60th" in here["worse"].values()
    assert "WFP, regular, 60th against 95th" in words(shown["lowest-percentile"])
    assert set(verdict_by_id(here["findings"]).values()) == {UNTESTED} and len(here["findings"]) == 7


@pytest.mark.thorough
def test_another_percentile_reaches_the_table_and_picture_of_estimates(small_logs):
    projects = "\nlogs['CTC-SP2'] = w.derive(w.jobs.assign(group=w.jobs.user % 12), 'projects')"
    tables, shown, here = run("estimates", {"logs.table": ADD + projects}, percentiles=[100, 60])
    assert tables["percentiles"].index.unique("percentile").to_list() == [100, 60]
    assert "60" in words(shown["percentiles"]) and "70th against the maximum" in words(shown["best"])
    assert (tables["percentiles"].base.groupby("log").nunique() == 1).all()
    assert (tables["best"].loc[100].effect > 0).all()
    keys = tables["keys"].reset_index().groupby("log", sort=False).key.apply(list)
    assert keys.to_dict() == {"SDSC-SP2": ["user", TRIPLE], "CTC-SP2": ["project", "user", "user+project", TRIPLE]}
    r = here["jobs"].used["SDSC-SP2"].clip(upper=100) / 100
    assert tables["keys"].base["user", "SDSC-SP2"] == pytest.approx(r.std())
    row = tables["logs"].loc["bare"]
    assert row.run > 0 and row["size"] > 0 and np.isnan(row.intrepid) and np.isnan(row.flat)
    assert len(shown["picture"].axes) == 2 and len(here["findings"]) == 5
