"""The ledger: one rule makes the verdicts on all claims, by criteria that stand in a table."""

import json
import re
from math import inf, nan

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib._util import paths
from simlib.study import claims
from simlib.study.claims import (
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
from simlib.study.verdicts import LIKELY, TEXT

VERDICTS = paths.ROOT / "docs" / "verdicts.md"
ALL = [one for parts in claims.criteria().values() for one in parts.values()]
"""All criteria."""


def around(value, half=0.0):
    return Measure(value, value - half, value + half)


# The tables


def test_every_claim_has_parts_or_a_reason_why_it_cannot_be_tested():
    for id, row in claims.claims().items():
        assert bool(row["untestable"]) != (id in claims.criteria()), id


def test_every_criterion_is_of_a_claim_and_says_what_is_measured_where_the_bound_comes_from_and_can_be_failed():
    for one in ALL:
        assert one.claim in claims.claims()
        assert one.measure and one.why and one.demand
        assert one.above < one.below and (one.above > -inf or one.below < inf)


def test_parts_of_a_claim_have_different_names():
    names = [(row["claim"], row["part"]) for row in claims._rows("published/criteria")]
    assert len(set(names)) == len(names)


# A part


@pytest.mark.parametrize(
    ("measure", "verdict"),
    [
        (around(3, 0.5), HOLDS),
        (around(0.5, 0.4), HOLDS_NOT),
        (around(6, 0.5), HOLDS_NOT),
        (around(1.2, 0.5), INCONCLUSIVE),
        (around(4.9, 0.5), INCONCLUSIVE),
        (around(3, 9), INCONCLUSIVE),
        (around(1), INCONCLUSIVE),  # a tie tells nothing
        (NOTHING, INCONCLUSIVE),
    ],
)
def test_a_part_holds_where_the_whole_interval_lies_within_the_bounds(measure, verdict):
    assert Criterion("MF-01", "part", "words", 1, 5, False, ".1f", "why").judge(measure) == verdict


@given(st.floats(-10, 10), st.floats(0, 10), st.floats(-10, 10))
def test_what_holds_above_a_bound_does_not_hold_below_it(value, half, bound):
    measure = around(value, half)
    above, below = (Criterion("MF-01", "p", "w", *ends, False, "g", "y") for ends in ((bound, inf), (-inf, bound)))
    opposite = {HOLDS: HOLDS_NOT, HOLDS_NOT: HOLDS, INCONCLUSIVE: INCONCLUSIVE}
    assert below.judge(measure) == opposite[above.judge(measure)]


def test_sure_is_the_share_of_the_replications_that_say_the_same():
    above = Criterion("MF-01", "p", "w", 0, inf, False, "g", "y")
    measure = Measure.range([1, 2, 3, -1])
    assert above.sure(measure, HOLDS) == 0.75
    assert above.sure(measure, HOLDS_NOT) == 0.25
    assert above.sure(measure, INCONCLUSIVE) is None and above.sure(around(1), HOLDS) is None


# Measures


def test_a_spread_is_the_middle_of_the_replications_around_the_value_as_it_is():
    found = Measure.spread(pd.Series([7.0, *range(101)]))
    assert (found.value, found.low, found.high) == pytest.approx((7, 2.5, 97.5))
    assert found.runs == tuple(range(101))


def test_a_mean_of_independent_replications_has_students_interval():
    found = Measure.mean([10, 12, 14])
    assert found.value == 12
    assert found.high - found.value == pytest.approx(4.303 * 2 / 3**0.5, rel=1e-3)


def test_a_share_of_months_has_an_interval_for_so_many_months():
    found = Measure.share(5, 10)
    assert (found.value, round(found.low, 3), round(found.high, 3)) == (0.5, 0.187, 0.813)
    assert Measure.share(0, 0) is NOTHING


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
        ([NO, OPEN], NOT),
        ([YES, OPEN], INCONCLUSIVE),
        ([OPEN, OPEN], INCONCLUSIVE),
        ([YES, NOTHING], INCONCLUSIVE),
        ([YES, NO, OPEN], PARTLY),
        ([{"a": YES, "b": NO}], PARTLY),
        ([{"a": YES, "b": OPEN}], INCONCLUSIVE),
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
    assert found["sure"] is None and found["readings"][LIKELY]["sure"] == 1
    assert found["readings"][LIKELY]["parts"][0]["sees"] == pytest.approx(0.475)


def test_instability_does_not_raise_a_verdict(monkeypatch):
    """Whatever single replications say: they only make it less sure."""
    id = claim(monkeypatch, False)
    found = claims.decide(id, {TEXT: {"0": Measure(-1, -2, -0.1, (-1, -1, -1, 2))}})
    assert (found["verdict"], found["sure"]) == (NOT, 0.75)


def test_a_claim_whose_logs_are_absent_cannot_be_tested(monkeypatch):
    id = claim(monkeypatch, False)
    for readings in ({}, {TEXT: None}, {TEXT: {"0": None}}):
        assert claims.decide(id, readings)["verdict"] == claims.UNTESTED


def test_code_and_table_agree_on_the_parts(monkeypatch):
    id = claim(monkeypatch, False, False)
    for parts in ({"0": YES}, {"0": YES, "1": YES, "2": YES}):
        with pytest.raises(ValueError, match=r"MF-01, text: .*expected the parts 0, 1 of data/published/criteria.csv"):
            claims.decide(id, {TEXT: parts})
    assert claims.decide(id, {TEXT: {"0": YES, "1": YES}, PRINTED: {"0": YES}})["verdict"] == REPRODUCED


# What the study found


def recorded_claims():
    """All claims in the committed records."""
    for path in sorted((paths.ROOT / "figures").glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["verdicts"]["claims"]


def recorded():
    """All parts of all claims in the committed records: claim, reading, part."""
    for found in recorded_claims():
        for reading, judged in found.get("readings", {}).items():
            yield from ((found, reading, part) for part in judged["parts"])


def test_the_records_follow_from_the_table():
    """Verdicts in `figures/` are those of today's criteria, and every claim has its parts."""
    seen = {}
    for found, reading, part in recorded():
        measure = Measure(*(nan if part[name] is None else part[name] for name in ("value", "low", "high")))
        assert part["verdict"] == claims.criteria()[found["id"]][part["part"]].judge(measure), (found["id"], part)
        seen.setdefault((found["id"], reading), set()).add(part["part"])
    for (id, reading), parts in seen.items():
        assert parts == set(claims.criteria()[id]) or reading == PRINTED, (id, reading)


def test_a_planted_false_claim_fails_by_every_criterion_that_a_true_one_passes():
    """What holds above a bound is denied where the claim says below, and the other way round."""
    denied = set()
    for found, _, part in recorded():
        one = claims.criteria()[found["id"]][part["part"]]
        if part["verdict"] == HOLDS:
            measure = Measure(part["value"], part["low"], part["high"])
            for above, below in ((one.below, inf), (-inf, one.above)):
                if above < below:
                    false = Criterion(one.claim, one.part, one.measure, above, below, False, one.form, one.why)
                    assert false.judge(measure) == HOLDS_NOT
                    denied.add((one.claim, one.part))
    assert len(denied) > 50


def test_the_documented_verdicts_are_those_of_the_records():
    row = r"^\| ((?:MF|TG)-\d\d) \|[^|]*\| \*\*(.*?)\*\* \| (.*?) ?\| (.*?) ?\|"
    documented = {id: said for id, *said in re.findall(row, VERDICTS.read_text(encoding="utf-8"), re.M)}
    found = {}
    for one in [*claims.untestable().values(), *recorded_claims()]:
        others = (one.get("readings", {}).get(reading, {}).get("verdict", "") for reading in (LIKELY, PRINTED))
        found[one["id"]] = [one["verdict"], *others]
    assert documented == {id: said for id, said in found.items() if not id.startswith("OWN")}


def test_the_papers_own_numbers_pass_wherever_they_have_a_say():
    """As the documentation says; where they fail, the criterion is a bad one, or the sentence is."""
    failed = [found["id"] for found, reading, part in recorded() if reading == PRINTED and part["verdict"] != HOLDS]
    assert failed == [] and "pass every criterion" in " ".join(VERDICTS.read_text(encoding="utf-8").split())


def test_a_part_measured_on_many_things_is_summed_up_in_words(monkeypatch):
    id = claim(monkeypatch, False)
    found = claims.decide(id, {TEXT: {"0": {"a": YES, "b": NO, "c": OPEN, "d": YES, "e": NOTHING}}})
    assert found["evidence"] == "text: 0 (above 0) on 4, -1 to 1: holds on 2, cannot be told on 1, does not hold on 1"
    assert len(found["readings"][TEXT]["parts"]) == 5


def test_every_criterion_can_be_failed_and_met():
    for one in ALL:
        inside = (
            one.below - 1 if one.above == -inf else one.above + 1 if one.below == inf else (one.above + one.below) / 2
        )
        outside = one.below + 1 if one.above == -inf else one.above - 1
        assert (one.judge(around(inside)), one.judge(around(outside))) == (HOLDS, HOLDS_NOT), one


def test_a_verdict_says_what_difference_could_have_been_told(monkeypatch):
    id = claim(monkeypatch, False, False)
    found = claims.decide(id, {TEXT: {"0": {"a": around(3, 2), "b": around(3, 4), "c": around(3, 3)}, "1": around(5)}})
    assert claims.powers(found) == {"0": "3"}
    assert claims.powers(claims.untestable()["MF-38"]) == {}
