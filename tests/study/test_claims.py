"""The ledger: one rule makes the verdicts on all claims, by a table of criteria; how numbers are judged and counted."""

import json
import re
from fractions import Fraction
from math import inf, isfinite, nan

import numpy as np
import pandas as pd
import pytest
from exhibits import read_as
from hypothesis import given
from hypothesis import strategies as st

from simlib._util import paths
from simlib_study import claims, judging
from simlib_study.claims import (
    HOLDS,
    HOLDS_NOT,
    INCONCLUSIVE,
    NOT,
    NOTHING,
    PARTLY,
    PRINTED,
    REPRODUCED,
    Criterion,
    Measure,
)
from simlib_study.judging import ABSENT, CALENDAR, CLOSE, INFERRED, INSIDE, LIKELY, OFF, OTHER_LOG, RESTORED, TEXT

ALL = [one for parts in claims.criteria().values() for one in parts.values()]
"""All criteria."""


def around(value, half=0.0):
    return Measure(value, value - half, value + half)


# The tables


def test_every_claim_has_parts_or_a_reason_why_it_cannot_be_tested():
    for id in claims.claims().keys() - set(claims.findings()):
        assert bool(claims.claims()[id]["untestable"]) != (id in claims.criteria()), id


def test_a_claim_about_a_model_says_on_whose_refit_it_rests():
    claim = claims.Claim(claims.decide("MF-06", {TEXT: {"response time": around(0.1)}}))
    assert claim.headline.startswith("MF-06  REPRODUCED on our refit of Jann '97, shown 1")
    assert claims.on_refit("MF-24") == "on our refits of Feitelson '96 and Jann '97"
    assert claims.on_refit("MF-08") == claims.on_refit("OWN-01") == ""
    for id, parts in claims.criteria().items():
        measures = "; ".join(one.measure for one in parts.values())
        for model, names in {"Jann '97": ("Jann",), "Feitelson '96": ("Feitelson model", "Fsl", " Fl", " Fs")}.items():
            if any(name in measures for name in names):
                assert model in claims.on_refit(id), id


def test_every_criterion_is_of_a_claim_and_says_what_is_measured_where_the_bound_comes_from_and_can_be_failed():
    for one in ALL:
        assert one.claim in claims.claims()
        assert one.measure and one.why and one.demand
        assert one.known
        assert one.above < one.below and (one.above > -inf or one.below < inf)
    names = [(row["claim"], row["part"]) for row in claims._rows("claims/criteria")]
    assert len(set(names)) == len(names)


# A part


@pytest.mark.parametrize(
    ("measure", "verdict"),
    [
        (around(3, 0.5), HOLDS),
        (around(0.5, 0.4), HOLDS_NOT),
        (around(6, 0.5), HOLDS_NOT),
        (around(1.2, 0.5), claims.OPEN),
        (around(4.9, 0.5), claims.OPEN),
        (around(3, 9), claims.OPEN),
        (around(1), claims.OPEN),  # a tie tells nothing
        (NOTHING, claims.OPEN),
    ],
)
def test_a_part_holds_where_the_whole_interval_lies_within_the_bounds(measure, verdict):
    assert Criterion("MF-01", "part", "words", 1, 5, False, ".1f", "why").judge(measure) == verdict


@given(st.floats(-10, 10), st.floats(0, 10), st.floats(-10, 10))
def test_what_holds_above_a_bound_does_not_hold_below_it(value, half, bound):
    measure = around(value, half)
    above, below = (Criterion("MF-01", "p", "w", *ends, False, "g", "y") for ends in ((bound, inf), (-inf, bound)))
    opposite = {HOLDS: HOLDS_NOT, HOLDS_NOT: HOLDS, claims.OPEN: claims.OPEN}
    assert below.judge(measure) == opposite[above.judge(measure)]


@pytest.mark.parametrize(
    ("bounds", "place", "moved"),
    [
        ((0.2, inf), 0.4, (0.4, inf)),
        ((-inf, 0.2), 0.4, (-inf, 0.4)),
        ((-0.1, 0.1), 0.05, (-0.05, 0.05)),
        ((0.2, 0.8), 0.4, (0.1, 0.9)),
    ],
)
def test_bounds_are_moved_to_a_place_two_about_their_middle(bounds, place, moved):
    one = Criterion("MF-01", "p", "w", *bounds, False, "g", "y")
    assert (one.at(place).above, one.at(place).below) == pytest.approx(moved)
    for bound in filter(isfinite, moved):
        assert one.place(bound) == pytest.approx(place)


@given(st.sampled_from(ALL))
def test_a_criterion_at_its_own_place_is_itself(one):
    there = one.at(one.place(one.below if isfinite(one.below) else one.above))
    assert (there.above, there.below) == pytest.approx((one.above, one.below))


# Measures


def test_a_spread_is_the_middle_of_the_replications_around_the_value_as_it_is():
    found = Measure.spread(pd.Series([7.0, *range(101)]))
    assert (found.value, found.low, found.high) == pytest.approx((7, 2.5, 97.5))
    assert found.runs == tuple(range(101))


def test_a_mean_of_independent_replications_has_students_interval():
    found = Measure.mean([10, 12, 14])
    assert found.value == 12
    assert found.high - found.value == pytest.approx(4.303 * 2 / 3**0.5, rel=1e-3)


def test_a_ratio_of_means_has_the_interval_of_fieller():
    part, whole = pd.Series([1.0, 2.0, 3.0]), pd.Series([4.0, 4.0, 4.0])
    found = Measure.ratio(part, whole)  # of a sure whole that of the part, over it
    assert found.value == 0.5 and found.high - found.value == pytest.approx(4.303 / 3**0.5 / 4, rel=1e-3)
    assert Measure.ratio(whole / 2, whole) == Measure.exactly(0.5)
    unsure = Measure.ratio(part, pd.Series([-1.0, 1.0, 0.5]))
    assert (unsure.low, unsure.high) == (-inf, inf)
    assert all(one.judge(unsure) == claims.OPEN for one in ALL)
    assert Measure.ratio(part[:1], whole[:1]) is NOTHING


def test_the_interval_of_a_ratio_holds_the_true_one_as_often_as_it_says():
    rng, held = np.random.default_rng(0), 0
    for _ in range(400):
        whole = rng.normal(2, 1, size=8)
        found = Measure.ratio(pd.Series(0.3 * whole + rng.normal(0, 1, size=8)), pd.Series(whole))
        held += found.low <= 0.3 <= found.high
    assert 0.93 <= held / 400 <= 0.97


def test_a_share_of_months_has_an_interval_for_so_many_months():
    found = Measure.share(5, 10)
    assert (found.value, round(found.low, 3), round(found.high, 3)) == (0.5, 0.187, 0.813)
    assert Measure.share(0, 0) is NOTHING


def test_these_months_and_months_like_these_are_two_readings(monkeypatch):
    id = claim(monkeypatch, False)
    these = Measure(1, 0.5, 1.5, like_these=Measure(1, -1, 3))
    found = claims.decide(id, {TEXT: {"0": these}})
    assert {name: one["verdict"] for name, one in found["readings"].items()} == {
        TEXT: claims.REPRODUCED,
        claims.LIKE_THESE: claims.INCONCLUSIVE,
    }
    assert these.minus(Measure.exactly(0)).like_these is None
    assert these.minus(these).like_these.value == 0


def test_the_difference_of_two_measures_is_less_certain_than_either():
    found = Measure(5, 2, 6).minus(Measure(1, 1, 5))
    assert (found.value, found.low, found.high) == (4, -1, 5)


# A claim


def claim(monkeypatch, *headlines):
    """Make up a claim with a part a headline, each to be above nought; returns its id."""
    parts = {f"{n}": Criterion("MF-01", f"{n}", "w", 0, inf, head, "g", "y") for n, head in enumerate(headlines)}
    monkeypatch.setattr(claims, "criteria", lambda: {"MF-01": parts})
    return "MF-01"


YES, NO, OPEN = around(1), around(-1), around(0, 1)


@pytest.mark.parametrize(
    ("measures", "verdict"),
    [
        ([YES, YES], REPRODUCED),
        ([YES, NO], PARTLY),
        ([NO, NO], NOT),
        ([NO, OPEN], INCONCLUSIVE),
        ([YES, OPEN], INCONCLUSIVE),
        ([OPEN, OPEN], INCONCLUSIVE),
        ([YES, NOTHING], INCONCLUSIVE),
        ([YES, NO, OPEN], PARTLY),
        ([{"a": YES, "b": NO}], PARTLY),
        ([{"a": YES, "b": OPEN}], INCONCLUSIVE),
        ([{"a": YES, "b": YES, "c": OPEN}], REPRODUCED),  # two thirds
        ([{"a": YES, "b": YES, "c": NO}], PARTLY),
        ([{"a": NO, "b": NO, "c": OPEN}], NOT),
        ([YES, {"a": NO, "b": NO}], PARTLY),  # a part counts the same on however many things it was measured
        ([{"a": YES, "b": NOTHING}], REPRODUCED),  # the part was measured elsewhere
        ([{"a": NOTHING, "b": NOTHING}], INCONCLUSIVE),
    ],
)
def test_the_parts_add_up(monkeypatch, measures, verdict):
    id = claim(monkeypatch, *[False] * len(measures))
    found = claims.decide(id, {TEXT: {f"{n}": one for n, one in enumerate(measures)}})
    assert found["verdict"] == verdict


@pytest.mark.parametrize(
    ("headline", "verdict"),
    [(NO, NOT), ({"a": NO, "b": NO}, NOT), ({"a": NO, "b": YES}, PARTLY), (OPEN, INCONCLUSIVE), (YES, REPRODUCED)],
)
def test_a_claim_whose_headline_does_not_hold_is_not_reproduced_whatever_else_does(monkeypatch, headline, verdict):
    id = claim(monkeypatch, True, False)
    assert claims.decide(id, {TEXT: {"0": headline, "1": YES}})["verdict"] == verdict


def test_the_verdict_is_that_by_the_text_and_others_stand_beside_it(monkeypatch):
    id = claim(monkeypatch, False)
    found = claims.decide(id, {TEXT: {"0": NO}, LIKELY: {"0": Measure.range([1.0, 2.0])}, PRINTED: {"0": YES}})
    assert found["verdict"] == NOT
    assert [found["readings"][one]["verdict"] for one in (LIKELY, PRINTED)] == [REPRODUCED, REPRODUCED]
    assert found["readings"][TEXT]["counts"] == {"shown": 0, "open": 0, "contradicted": 1}
    assert found["readings"][LIKELY]["parts"][0]["sees"] == pytest.approx(0.475)


def turns(monkeypatch, parts, *measured):
    """Where the verdict on a claim turns whose one part has these bounds, from one measurement on each log."""
    one = Criterion("MF-01", "0", "w", *parts, True, "g", "y")
    monkeypatch.setattr(claims, "criteria", lambda: {"MF-01": {"0": one}})
    found = claims.decide("MF-01", {TEXT: {"0": {f"log {number}": of for number, of in enumerate(measured)}}})
    return {way: (place["above"], place["below"], place["verdict"]) for way, place in found["turns"].items()}


def test_a_verdict_turns_at_the_end_of_the_interval_that_a_moved_bound_meets(monkeypatch):
    shown, denied, tie = around(3, 0.5), around(0.2, 0.1), around(1, 0.5)
    assert turns(monkeypatch, (1, inf), shown) == {"stricter": (2.5, inf, claims.INCONCLUSIVE)}
    assert turns(monkeypatch, (1, inf), denied) == {"looser": (pytest.approx(0.3), inf, claims.INCONCLUSIVE)}
    assert turns(monkeypatch, (1, inf), tie) == {"stricter": (1.5, inf, NOT), "looser": (0.5, inf, REPRODUCED)}
    assert turns(monkeypatch, (-inf, 1), denied) == {"stricter": (-inf, pytest.approx(0.3), claims.INCONCLUSIVE)}
    assert turns(monkeypatch, (-inf, 1), shown) == {"looser": (-inf, 2.5, claims.INCONCLUSIVE)}


def test_the_log_as_it_is_has_a_say_where_it_lies_outside_the_runs(monkeypatch):
    below, within = Measure(0.5, 2, 3), Measure(2.5, 2, 3)
    one = Criterion("MF-01", "0", "w", 1, inf, True, ".1f", "y")
    assert (one.judge(within), one.judge(below)) == (HOLDS, claims.OPEN)
    assert one.judge(Measure(0.5, 0.2, 0.4)) == one.judge(Measure(0.3, 0.4, 0.5)) == claims.HOLDS_NOT
    assert turns(monkeypatch, (1, inf), below) == {"stricter": (3, inf, NOT), "looser": (0.5, inf, REPRODUCED)}


def test_a_number_outside_its_runs_is_told_apart_from_them(monkeypatch):
    one = Criterion("MF-01", "0", "w", 1, inf, True, ".1f", "y")
    monkeypatch.setattr(claims, "criteria", lambda: {"MF-01": {"0": one}})
    logs = dict.fromkeys(["A", "B", "C"], Measure(2.5, 2, 3)) | {"D": Measure(0.5, 2, 3)}
    told = claims.decide("MF-01", {TEXT: {"0": logs}})["evidence"]
    assert told.endswith("holds on 3, cannot be decided on 1; on D as it is 0.5, in the runs 2.0 to 3.0")
    assert "in the runs" not in claims.decide("MF-01", {TEXT: {"0": {"A": logs["A"]}}})["evidence"]


def test_two_bounds_turn_together_about_their_middle(monkeypatch):
    above, below, verdict = turns(monkeypatch, (-0.1, 0.1), around(0.02, 0.01))["stricter"]
    assert (above, below) == pytest.approx((-0.03, 0.03)) and verdict == claims.INCONCLUSIVE
    above, below, verdict = turns(monkeypatch, (1, 4), Measure.exactly(5))["looser"]
    assert (above, below) == pytest.approx((0, 5)) and verdict == REPRODUCED


def test_parts_with_one_bound_move_together(monkeypatch):
    bounds = {"0": (0.5, inf), "1": (0.5, inf), "2": (0, inf)}
    known = {part: Criterion("MF-01", part, "w", *of, part != "2", "g", "y") for part, of in bounds.items()}
    monkeypatch.setattr(claims, "criteria", lambda: {"MF-01": known})
    measured = {"0": Measure.exactly(0.9), "1": Measure.exactly(0.8), "2": Measure.exactly(1)}
    place = claims.decide("MF-01", {TEXT: measured})["turns"]["stricter"]
    assert (place["above"], place["verdict"]) == (0.8, claims.PARTLY)


PRINTS = [one for one in claims._rows("claims/criteria") if one["printed"]]
FRACTIONS = {"half": (1 / 3, 2 / 3), "quarter": (1 / 5, 1 / 3)}
"""Between which neighbours a fraction in words lies."""


def margin(printed):
    """Between which bounds a number is the printed one: half a unit of its last digit; "about" drops zeros.

    Or so large a share of it either way, as the paper itself shows for it.
    """
    if printed in FRACTIONS:
        low, high = FRACTIONS[printed]
        middle = {"half": 1 / 2, "quarter": 1 / 4}[printed]
        return (low + middle) / 2, (middle + high) / 2
    printed, _, spread = printed.partition(" +- ")
    side, scale = printed.partition(" ")[0], 0.01 if printed.endswith("%") else 1
    ends = re.findall(r"-?[\d.]+", printed)
    unit = 10.0 ** -len(ends[-1].partition(".")[2])
    if side == "about":
        unit *= 10 ** (len(ends[-1]) - len(ends[-1].rstrip("0")))
    low, high = (scale * float(end) for end in (ends[0], ends[-1]))
    share = float(Fraction(spread or "0"))
    low, high = (
        (low - share * abs(low), high + share * abs(high))
        if share
        else (low - scale * unit / 2, high + scale * unit / 2)
    )
    return (low, high) if side not in ("<=", ">=") else (low, inf) if side == ">=" else (-inf, high)


@pytest.mark.parametrize("row", PRINTS, ids=lambda row: f"{row['claim']} {row['part']}")
def test_a_claim_about_a_printed_number_has_the_margin_of_its_print(row):
    one = claims.criteria()[row["claim"]][row["part"]]
    assert (one.above, one.below) == pytest.approx(margin(row["printed"]), abs=5e-5)
    assert "printed number" in row["known"] or row["claim"] == "MF-28"


def test_of_several_measurements_enough_have_to_turn(monkeypatch):
    logs = [Measure.exactly(value) for value in (2, 3, 4, 5, 6, 7)]
    found = turns(monkeypatch, (1, inf), *logs)  # at most one in six may be contradicted
    assert found == {"stricter": (3, inf, claims.PARTLY)}
    assert turns(monkeypatch, (4.5, inf), *logs) == {"stricter": (6, inf, NOT), "looser": (3, inf, REPRODUCED)}


def test_a_claim_of_which_nothing_is_measured_turns_nowhere(monkeypatch):
    assert turns(monkeypatch, (1, inf), NOTHING) == {}


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 2)), min_size=1, max_size=7), st.floats(-2, 2), st.booleans())
def test_before_the_turn_the_verdict_stands_and_beyond_it_is_another(measured, bound, above):
    one = Criterion("MF-01", "0", "w", *((bound, inf) if above else (-inf, bound)), True, "g", "y")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "criteria", lambda: {"MF-01": {"0": one}})
        logs = {str(number): around(*of) for number, of in enumerate(measured)}
        found = claims.decide("MF-01", {TEXT: {"0": logs}})
        for way, place in found["turns"].items():
            at, up = (place["above"] if above else place["below"]), (way == "stricter") == above
            for share, same in ((0.5, True), (1, False)):
                there = bound + share * (at - bound) + (0 if same else (1e-8 if up else -1e-8))
                patch.setattr(claims, "criteria", lambda there=there: {"MF-01": {"0": one.at(there)}})
                again = claims.decide("MF-01", {TEXT: {"0": logs}})["verdict"]
                assert (again == found["verdict"]) is same or (same and at == bound)
                if not same:
                    assert again == place["verdict"]


def test_the_headline_s_median_decides(monkeypatch):
    id = claim(monkeypatch, False, True)
    of = {"a": around(3), "b": around(1), "c": around(2), "d": NOTHING}
    found = claims.decide(id, {TEXT: {"0": NO, "1": of}})
    assert (found["deciding"]["part"], found["deciding"]["on"], found["deciding"]["value"]) == ("1", "c", 2)


def test_a_claim_whose_logs_are_absent_cannot_be_tested(monkeypatch):
    id = claim(monkeypatch, False)
    for readings in ({}, {TEXT: None}, {TEXT: {"0": None}}):
        assert claims.decide(id, readings)["verdict"] == claims.UNTESTED


def test_code_and_table_agree_on_the_parts(monkeypatch):
    id = claim(monkeypatch, False, False)
    for parts in ({"0": YES}, {"0": YES, "1": YES, "2": YES}):
        with pytest.raises(ValueError, match=r"MF-01, text: .*expected the parts 0, 1 of data/claims/criteria.csv"):
            claims.decide(id, {TEXT: parts})
    assert claims.decide(id, {TEXT: {"0": YES, "1": YES}, PRINTED: {"0": YES}})["verdict"] == REPRODUCED


# What the study found


def recorded_claims():
    """All claims in the committed records."""
    for path in sorted((paths.ROOT / "figures").rglob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["verdicts"]["claims"]


def recorded():
    """All parts of all claims in the committed records: claim, reading, part."""
    for found in recorded_claims():
        for reading, judged in found.get("readings", {}).items():
            yield from ((found, reading, part) for part in judged["parts"])


def on_a_bound(part, one):
    """Whether a number of a record, which is rounded, cannot be told from a bound."""
    numbers = [part[name] for name in ("value", "low", "high") if part[name] is not None]
    return any(abs(number - bound) <= 5e-5 for number in numbers for bound in (one.above, one.below) if bound)


def test_the_records_follow_from_the_table():
    """Verdicts in `figures/` are those of today's criteria, and every claim has its parts."""
    seen = {}
    for found, reading, part in recorded():
        measure = Measure(*(nan if part[name] is None else part[name] for name in ("value", "low", "high")))
        one = claims.criteria()[found["id"]][part["part"]]
        assert part["verdict"] == one.judge(measure) or on_a_bound(part, one), (found["id"], part)
        seen.setdefault((found["id"], reading), set()).add(part["part"])
    for (id, reading), parts in seen.items():
        assert parts == set(claims.criteria()[id]) or reading == PRINTED, (id, reading)


def test_a_planted_false_claim_fails_by_every_criterion_that_a_true_one_passes():
    """What holds above a bound is denied where the claim says below, and the other way round."""
    denied = set()
    for found, _, part in recorded():
        one = claims.criteria()[found["id"]][part["part"]]
        if part["verdict"] == HOLDS and not on_a_bound(part, one):
            measure = Measure(part["value"], part["low"], part["high"])
            for above, below in ((one.below, inf), (-inf, one.above)):
                if above < below:
                    false = Criterion(one.claim, one.part, one.measure, above, below, False, one.form, one.why)
                    assert false.judge(measure) == HOLDS_NOT
                    denied.add((one.claim, one.part))
    assert len(denied) > 50


def test_no_bound_is_failed_by_the_paper_s_own_print():
    """But for MF-52: exact estimates are pessimistic, and in Table 3 they are better in nine of twelve means."""
    failed = [found["id"] for found, reading, part in recorded() if reading == PRINTED and part["verdict"] != HOLDS]
    assert set(failed) == {"MF-52"}


def test_a_verdict_says_what_difference_could_have_been_told(monkeypatch):
    id = claim(monkeypatch, False, False)
    found = claims.decide(id, {TEXT: {"0": {"a": around(3, 2), "b": around(3, 4), "c": around(3, 3)}, "1": around(5)}})
    assert claims.powers(found) == {"0": "3"}
    assert claims.powers(claims.untestable()["MF-38"]) == {}


# How numbers are counted


def cell(**judged):
    """The record of a number with these verdicts by reading."""
    return {"readings": [read_as(word) | {"verdict": one, "low": 0, "high": 1} for word, one in judged.items()]}


def test_of_several_readings_the_first_that_is_judged_is_taken():
    one = cell(text=OFF, likely=INSIDE, restored=INFERRED)
    assert judging.reading(one, TEXT, LIKELY)["verdict"] == OFF
    assert judging.reading(one, RESTORED, CALENDAR, LIKELY, TEXT)["verdict"] == INSIDE
    assert judging.reading(one, RESTORED, CALENDAR) is None
    assert judging.reading(cell(text=ABSENT, likely=OTHER_LOG), TEXT, LIKELY) is None


CELLS = [
    cell(text=OFF, likely=INSIDE),
    cell(text=OTHER_LOG, likely=OTHER_LOG, restored=CLOSE),
    cell(text=OFF, likely=OFF, restored=INSIDE),
    cell(text=INFERRED, likely=INFERRED, restored=INFERRED, calendar=OFF),
    cell(text=CLOSE, likely=CLOSE, restored=INFERRED, calendar=OFF),
    cell(text=ABSENT, likely=ABSENT),
    cell(text=INSIDE),
]


@pytest.mark.parametrize(
    "words, inside, close, off",
    [
        ((), 1, 1, 2),
        ((LIKELY,), 1, 1, 1),
        ((LIKELY, TEXT), 2, 1, 1),
        ((RESTORED, LIKELY, TEXT), 3, 2, 0),
        ((CALENDAR, TEXT), 1, 0, 4),
    ],
)
def test_cells_are_counted_once_each_by_the_first_reading_that_is_judged(words, inside, close, off):
    found = judging.tally(CELLS, *words)
    assert (found[INSIDE], found[CLOSE], found[OFF]) == (inside, close, off)
    assert found["cells"] == found["bands"] == inside + close + off
    assert found["by_chance"] == pytest.approx(0.05 * found["cells"])
