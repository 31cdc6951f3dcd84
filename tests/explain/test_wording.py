"""What is decided and said, decision by decision, with its rule: `told.txt`, which is reviewed by reading.

`PYTHONPATH=.:tests python tests/explain/test_wording.py` writes it.
"""

import inspect
from pathlib import Path

import pandas as pd
from helpers import numbered, table

from simlib import (
    EASY,
    FCFS,
    Conservative,
    Multifactor,
    Predictions,
    Selective,
    SlurmBackfill,
    Thresholded,
    Workload,
    simulate,
)
from simlib.explain import explain, first_difference, rules, why
from simlib.models import examples
from simlib.plain import decisions
from simlib.policies.adjusting import Adjustment, Scheme

TOLD = Path(__file__).with_name("told.txt")


def half_of_what_is_free(procs, free):
    return -abs(procs - free / 2)


def largest_first(wait, estimate, procs):
    return procs * 100 - estimate


# a head of 10 processors, twice 5 of 16 in use until 10: 6 are extra then, and three jobs of 50 s would like some
EXTRA = table([(0, 10, 10, 5), (0, 10, 10, 5), (1, 10, 10, 10), (1, 50, 50, 4), (1, 50, 50, 3), (1, 50, 50, 2)], 16)
ALIKE = table([(0, 10, 10, 3), (1, 10, 10, 4), (1, 10, 10, 2), (1, 10, 10, 3), (1, 5, 5, 1), (1, 5, 5, 1)], 4)
SORTED = table([(0, 10, 10, 4), (1, 9, 9, 4), (2, 5, 5, 4), (3, 7, 7, 4)], 4)
CLOSE = table([(0, 999, 999, 4), (100, 9, 100_000, 4), (101, 5, 5, 4)], 4)
PASSING = table([(0, 10, 10, 8), (1, 1, 1, 12), (1, 9, 9, 1), (1, 4, 4, 2), (1, 6, 6, 1)], 12)
ANEW = table([(0, 10, 10, 4), (1, 5, 5, 10), (1, 9, 9, 1), (1, 9, 9, 2), (1, 9, 9, 3)], 10)
FITTING = table([(0, 10, 10, 3), (1, 5, 5, 2), (2, 4, 4, 2), (3, 9, 9, 1)], 4)
RESERVED = table([(0, 10, 20, 3), (1, 5, 5, 4), (2, 9, 9, 2), (3, 30, 30, 1), (4, 2, 2, 2)], 4)
GIVEN_UP = table([(0, 10, 20, 3), (1, 5, 5, 4), (2, 9, 9, 2), (4, 2, 2, 2)], 4)
UNTOUCHED = table([(0, 10, 20, 3), (1, 5, 5, 4), (2, 9, 9, 2), (3, 4, 4, 1)], 4)
SLOW = table([(0, 20, 20, 3), (1, 10, 10, 4), (11, 15, 15, 1)], 4)
SET = table([(0, 10, 10, 5), (1, 9, 9, 10), (2, 5, 5, 2), (2, 5, 5, 2), (2, 5, 5, 3), (2, 20, 20, 1)], 10)
FAR = table([(0, 10, 10, 3), (1, 9, 9, 4), *[(2, 20, 20, 1)] * 50, (2, 5, 5, 1), (2, 5, 5, 1)], 4)
INSTANT = table([(5, 0, 0, 4), (5, 3, 3, 4)], 4)
LONG = table([(0, 7200, 7200, 3), (10, 5, 20_000, 4)], 4)
OUTLIVED = [(0, 10, 60, 2, 7), (0, 30, 60, 2, 7), (31, 90, 40, 3, 7), (32, 9, 30, 4, 1), (33, 9, 200, 1, 7)]
OUTLIVED = numbered([*OUTLIVED, (60, 5, 5, 1, -1)], 4)
SINGLE = numbered([(0, 10, 60, 2, 7), (11, 10, 60, 2, 7), (12, 10, 90, 2, 7)], 8)
NO_LONGER = numbered([(0, 99, 99, 2, 7), (100, 10, 60, 2, 7)], 8)
PAST = pd.DataFrame({"user": [7, 7, 8], "run": [10, 30, 9], "submit": [-9, -5, -2], "estimate": [60, 60, 60]})
BEFORE = numbered([(0, 10, 60, 2, 7), (1, 10, 0, 2, 7), (2, 10, 50, 2, 7)], 8)
ON_GPUS = {"submit": [0, 1, 2, 3, 4, 4], "run": [10, 9, 5, 30, 5, 5], "procs": [2, 2, 1, 1, 1, 4]}
ON_GPUS = Workload(pd.DataFrame(ON_GPUS | {"gpus": [1, 2, 1, 0, 2, 0]}), 6, gpus=2)
OF_USERS = numbered(
    [(0, 9, 9, 2, 1), (1, 9, 9, 1, 1), (2, 9, 9, 2, 2), (3, 9, 9, 4, 3), (3, 9, 9, 4, 4), (4, 9, 9, 4, 4)], 4
)
"""Jobs of users with limits."""
PRIORITIES = numbered([(0, 86400, 86400, 4, 1), (1, 9, 9, 4, 1), (2, 9, 9, 2, 2)], 4)

EXPLAINED = [
    *((examples.figure1(), policy) for policy in (FCFS(), EASY(), Conservative())),
    *((examples.figure2(), policy) for policy in (EASY(), *map(Conservative, ("arrival", "start", "none")))),
    (examples.figure2(), Conservative("rebackfill")),
    *((EXTRA, EASY(reuse_extra=reuse)) for reuse in (False, True)),
    (ALIKE, EASY()),
    (LONG, EASY()),
    (INSTANT, EASY()),
    *((SORTED, EASY(order=order)) for order in ("sjf", "wfp", lambda estimate: -estimate)),
    *((SORTED, EASY(order=order)) for order in ("unicef", "expansion factor", Thresholded("sjf", 8))),
    *((CLOSE, EASY(order=order)) for order in ("f1", "f2", "f3", "f4")),
    *((PASSING, EASY(order=largest_first, backfill=way)) for way in ("arrival", "largest", "smallest area")),
    (PASSING, EASY(backfill="sjf")),
    (PASSING, EASY(order=largest_first, backfill="best-fit")),
    (ANEW, EASY(backfill=half_of_what_is_free)),
    (FITTING, FCFS(order="sjf")),
    *((RESERVED, EASY(reservations=most)) for most in (2, 1e9)),
    (UNTOUCHED, EASY(reservations=2)),
    *((GIVEN_UP, policy) for policy in (EASY(reservations=2, order="sjf"), Conservative(order="sjf"))),
    *((SLOW, Selective(threshold)) for threshold in (2, "adaptive")),
    (SET, EASY(backfill="lookahead")),
    (FAR, EASY(backfill="lookahead")),
    (OUTLIVED, EASY(adjust=Predictions())),
    (SINGLE, EASY(adjust=Predictions("same estimate"))),
    (NO_LONGER, EASY(adjust=Predictions(past=PAST[:1].assign(run=500)))),
    *((BEFORE, EASY(adjust=Predictions(predictor, past=PAST))) for predictor in ("last two", "same estimate")),
    (PRIORITIES, EASY(order=Multifactor(procs=0.5, max_age_days=1))),
    (OUTLIVED, EASY(adjust=Adjustment(Scheme("user", "1 day", 85, least=2)))),
    (examples.figure1(), SlurmBackfill(interval=3, resolution=5, window=90)),
    *((ON_GPUS, policy) for policy in (FCFS(), EASY(), Conservative())),
    (OF_USERS, Selective(9, outages=[(12, 20, 3, 1), (19, 40, 2)])),
    (OF_USERS, SlurmBackfill(interval=1, resolution=1, reservations=1, per_user=1, user_jobs=1)),
]
WAITED = [
    (examples.figure1(), EASY(), "second"),
    (examples.figure2(), Conservative(), "second"),
    (examples.figure2(), Conservative("rebackfill"), "second"),
    (examples.figure3(), EASY(), "backfill"),
    (GIVEN_UP, EASY(reservations=2, order="sjf"), 2),
    *((RESERVED, EASY(reservations=2), job) for job in (1, 3)),
    (SET, EASY(backfill="lookahead"), 3),
    (FAR, EASY(backfill="lookahead"), 52),
    (OUTLIVED, EASY(adjust=Predictions()), 5),
    (examples.figure1(), SlurmBackfill(interval=3, resolution=5, window=90), "second"),
    (ON_GPUS, EASY(), 4),
]


MOST = 70
"""Of so many decisions all are told."""


def told():
    """What is said of these schedules: each decision and its rule, why a job waited, where two schedules part.

    Of a further policy with the same jobs the decisions are told that the policies before did not make.
    """
    parts, known, before = [], set(), None
    for workload, policy in EXPLAINED:
        explanation = explain(workload, policy)
        if not workload.jobs.equals(before):
            known, before = set(), workload.jobs
        lines = [f"{seen} [{seen.rule}]" for seen in explanation[:MOST]]
        parts.append("\n".join([repr(explanation)[1:-1], *(line for line in lines if line not in known)]))
        known.update(lines)
    parts += [why(simulate(workload, policy), job) for workload, policy, job in WAITED]
    parts.append(first_difference(*(simulate(examples.figure3(), policy) for policy in (EASY(), Conservative()))).text)
    return "\n\n".join(parts) + "\n"


def test_every_rule_of_a_policy_is_told_from_its_facts():
    assert {*rules.RULES, "gives its promise up"} == {*decisions.RULES}  # what is promised in its place is told
    for rule, told in rules.RULES.items():
        for one in told:
            assert tuple(inspect.signature(one.say).parameters)[2:] == decisions.RULES[rule], one.say


def test_every_rule_is_among_the_words_that_were_reviewed():
    text = TOLD.read_text("utf-8")
    assert [one.name for told in rules.RULES.values() for one in told if f"[{one.name}]" not in text] == []


def test_the_words_are_those_that_were_reviewed():
    assert told() == TOLD.read_text("utf-8")


if __name__ == "__main__":
    TOLD.write_text(told(), "utf-8")
