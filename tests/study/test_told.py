"""Claims are told from false ones: each part holds of what the text describes, and each can be denied alone."""

import numpy as np
import pytest
from described import DESCRIBED, FACTORS, FIRST, SECOND, wins
from exhibits import parts

from simlib_study.claims import HOLDS, HOLDS_NOT, criteria
from simlib_study.mualem2001 import SP2
from simlib_study.tang2013 import DOUBLE
from simlib_study.tang2013.figures14_17 import PAPERS
from simlib_study.tang2013.scheduling import PERCENTILES

MORE = [0.2] * 20
NAMES = list(PAPERS.items())
MONTH, LIMITED = {"window": ("1 month",)}, {"threshold": (0.5,)}
ONE_WORSE = np.where(np.arange(24) == 5, -0.2, 0.22)


def won(logs=SP2, kth=None, **by_metric):
    """EASY wins so many of the twenty months of some logs in Table 1, on KTH perhaps another number by slowdown."""
    found = {(log, metric): of if of is MORE else wins(of) for metric, of in by_metric.items() for log in logs}
    return {"changed": found | ({} if kth is None else {("KTH", "bounded_slowdown"): wins(kth)})}


def with_lines(rows):
    """More lines in Table 2."""
    return {"change": lambda of: of + rows}


def scheme(metric, change, **which):
    """Another value of a metric of some schemes in Figures 4 to 10."""
    return {"metric": metric, "change": change} | which


def at(place, value, others=1.0):
    """One percentile has this value, by its place: what is false there alone tells the least from the farthest."""
    return np.where(np.arange(7) == place, value, others)


def gain(value, case, *metrics):
    """Another gain of some cases and metrics in Figures 14 to 17, such as "wfp regular p85", or else of all."""
    order, strategy, *scheme = case.split()
    schemes = scheme or [f"p{p}" for p in PERCENTILES]
    return {f"{order} {strategy} {one} {metric}": value for one in schemes for metric in (metrics or PAPERS)}


WORSE = gain(-0.1, "fcfs selective") | gain(-0.1, "wfp selective")

FALSE = [
    # Mu'alem & Feitelson
    ("MF-01", "kept", {"kept": 1}),
    ("MF-02", "example", {"example": -20}),
    ("MF-02", "logs", {"logs": -0.1}),  # which no log can have
    ("MF-03", "unbounded", {"second": 0}),
    ("MF-04", "head", {"late": 1}),
    ("MF-05", "response time", {"F": (0.3, -0.01)}),
    ("MF-05", "bounded slowdown", {"F": (0.01, -0.3)}),
    ("MF-06", "response time", {"jann": (-0.15, -0.08)}),
    ("MF-07", "higher", {"jann": (0.15, 0.05)}),
    ("MF-07", "slightly", {"jann": (0.15, -0.12)}),
    ("MF-08", "response time", won(response_s=0)),
    ("MF-08", "bounded slowdown", won(bounded_slowdown=0)),
    ("MF-09", "others", won(response_s=5, bounded_slowdown=5, kth=0)),
    ("MF-09", "contender", won(response_s=15, kth=20)),
    ("MF-10", "response time", won(["Par", "CM5"], response_s=0)),
    ("MF-11", "inconclusive", won(["Par"], bounded_slowdown=20)),
    ("MF-12", "conservative", won(["CM5"], bounded_slowdown=20)),
    ("MF-13", "same policy", won(["KTH", "CM5"], wait_s=5)),
    ("MF-14", "share", {"F": (0.3, 0)}),
    ("MF-15", "larger", {"backfilled": (0.6, 0.64)}),
    ("MF-15", "slightly", {"backfilled": (0.6, 0.4)}),
    ("MF-16", "similar", {"other": -0.15}),
    ("MF-16", "SDSC more", {"sdsc": (-0.05, 0.2, 0.1)}),
    ("MF-16", "SDSC response time", {"sdsc": (0.05, -0.2, 0.1)}),
    ("MF-16", "SDSC bounded slowdown", {"sdsc": (0.05, 0.2, -0.1)}),
    ("MF-17", "smaller", {"size": (1.2, 1.3)}),
    ("MF-17", "than conservative's", {"size": (0.6, 0.5)}),
    ("MF-18", "mean run time", {"run mean": 0.5}),
    ("MF-18", "median run time", {"run median": 0.5}),
    ("MF-18", "mean size", {"size mean": 2}),
    ("MF-18", "median size", {"size median": 2}),
    ("MF-20", "makes a difference", {"Fl": (0.01, 0), "F": (0.05, 0)}),
    ("MF-20", "small", {"Fl": (0.15, 0)}),
    ("MF-21", ("enlarged", "considerably"), {"Fl": (0.2, 0)}),
    ("MF-21", "considerably", {"Fl": (0.06, 0)}),  # to less than twice
    ("MF-22", "makes a difference", {"F": (0, -0.2)}),
    ("MF-23", "response time", {"Jann": (0.05, -0.2)}),
    ("MF-23", "bounded slowdown", {"Jann": (0.2, -0.05)}),
    ("MF-24", "response time, no repetition", {FIRST: (0.16, -0.11), SECOND: (0.16, -0.11)}),
    ("MF-24", "response time, Jann's arrivals", {SECOND: (0.18, -0.11)}),
    ("MF-24", "bounded slowdown, no repetition", {FIRST: (0.1, -0.18), SECOND: (0.1, -0.18)}),
    ("MF-24", "bounded slowdown, Jann's arrivals", {SECOND: (0.1, -0.18)}),
    ("MF-25", "flat", with_lines([(0, run, 7200, 1) for run in range(100, 3600)] * 2)),  # they use less than half
    ("MF-25", "peak at 0", {"change": lambda of: [row for row in of if row[1] >= 0.01 * row[2]]}),
    ("MF-25", "peak at 100", {"change": lambda of: [row for row in of if row[1] != 10_020]}),
    ("MF-26", "killed", with_lines([(0, 10_020, 10_000, 1)] * 200)),
    ("MF-28", "removed", with_lines([(0, -1, 200, 5)] * 300)),
    ("MF-29", "rounded", with_lines([(0, run, 310, 1) for run in range(1, 310)] * 50)),
    ("MF-29", "longer ones rounded", with_lines([(0, 100, 7500, 1)] * 6000)),
    ("MF-29", "equally inaccurate", with_lines([(0, 1800, 3600, 1)] * 5000)),  # used alike
    ("MF-30", "f = 2", {"f2": 6}),
    ("MF-30", "f = 4", {"f4": 6}),
    ("MF-31", "worse", {"original": 1}),
    ("MF-32", "used share", {"model": 0.2}),
    ("MF-32", "estimates", {"estimates": 0.2}),
    ("MF-32", "better than uniform", {"uniform": 0.075}),
    ("MF-33", "history", {"jobs": (1000, 500, 192, 96)}),
    ("MF-33", "underestimated", {"jobs": (1000, 721, 400, 200)}),
    ("MF-33", "half of them", {"jobs": (1000, 721, 192, 170)}),
    ("MF-34", "fewer", {"underestimated": (0.1, 0.2, 0)}),
    ("MF-34", "flatter", {"uneven": (0.2, 0.3, 0.3)}),
    ("MF-35", "accuracy", {"won": 1}),
    ("MF-35", "used half", {"over_50": (0.3, 0.2, 0.4)}),
    ("MF-36", "improves", {"easy": 0.1, "conservative": 0.2}),
    ("MF-37", "largest", {"easy": -0.3}),
    ("MF-37", "significant", {"easy": -0.01, "conservative": -0.05}),
    ("MF-39", "killed", with_lines([(0, 10_020, 10_000, 0)] * 3000)),
    ("MF-40", "killed", {"own": 0.09}),
    ("MF-40", "than by users", {"user": 0.15}),
    ("MF-41", "batches", {"long": [0.5]}),
    ("MF-41", "accuracy", {"accuracy": 0.12}),
    ("MF-42", "interarrival times", {"bursts": True}),
    ("MF-43", "Fl", {"Fl": (0.08, 0)}),
    ("MF-43", "Fs", {"Fs": (0.085, -0.1)}),
    ("MF-44", "share", {"at_limit": 2}),
    ("MF-45", "killed", with_lines([(0, 80, 10_000, 1)] * 2000)),
    ("MF-45", "short", with_lines([(0, 95, 10_000, 1)] * 300)),
    ("MF-46", "too small", {"too_small": 30}),
    ("MF-47", "short jobs", {"stretched": 30}),
    ("MF-48", "bound", {"beyond": 1}),
    ("MF-49", "response time", won(["CM5"], response_s=MORE)),
    ("MF-49", "bounded slowdown", won(["CM5"], bounded_slowdown=MORE)),
    ("MF-50", "better", dict.fromkeys(FACTORS[2:], 6)),
    ("MF-51", "which jobs", {"size_ratio": 0}),
    ("MF-52", "pessimistic", {"original": 9}),
    ("MF-53", "proportional", {"items": 3}),
    ("MF-53", "one a job", {"longer": 1}),
    # Tang et al.
    ("TG-01", "below half", {"shares": (28, 2, 45, 25)}),
    ("TG-01", "below a fifth", {"shares": (8, 42, 25, 25)}),
    ("TG-01", "above 80 per cent", {"shares": (28, 22, 45, 5)}),
    ("TG-02", "varies", {"highest": 0.5}),
    ("TG-03", "project", {"all": 0.27}),
    ("TG-03", "user", {"project": 0.24}),
    ("TG-03", "double key", {"user": 0.21}),
    ("TG-03", "triple key", {"user+project+estimate": 0.23}),
    ("TG-04", "every scheme", scheme("accuracy", lambda of: of - 0.1, key="project")),
    ("TG-05", "triple over double", scheme("accuracy", lambda of: of - 0.025)),
    ("TG-05", "double over user", scheme("accuracy", lambda of: of + 0.02, key="user")),
    ("TG-05", "double over project", scheme("accuracy", lambda of: of + 0.04, key="project")),
    ("TG-06", ("rises", "step by step"), scheme("accuracy", lambda of: of[::-1])),
    ("TG-06", "step by step", scheme("accuracy", lambda of: of[[0, 2, 1, 3, 4, 5, 6]])),
    ("TG-06", "best at the 70th", scheme("accuracy", lambda of: of[[0, 1, 2, 3, 4, 6, 5]])),
    ("TG-07", "UE grows", scheme("UE_share", lambda of: of[::-1])),
    ("TG-07", "BE grows", scheme("BE_share", lambda of: of[::-1])),
    ("TG-07", "NA falls", scheme("NA_share", lambda of: of[::-1])),
    ("TG-07", "OE grows first", scheme("OE_share", lambda of: np.linspace(0.7, 0.4, 7))),
    ("TG-07", "then falls", scheme("OE_share", lambda of: np.linspace(0.3, 0.7, 7))),
    ("TG-08", "accuracy", scheme("accuracy", lambda of: of - 0.1)),
    ("TG-08", "BE", scheme("BE_share", lambda of: of * 3)),
    ("TG-08", "UE", scheme("UE_share", lambda of: of * 3)),
    ("TG-09", "triple key", scheme("UE_share", lambda of: of * at(3, 1.4), **LIMITED)),
    ("TG-09", "triple key, most", scheme("UE_share", lambda of: of * at(3, 0.1), **LIMITED)),
    ("TG-09", "double key", scheme("UE_share", lambda of: of * at(3, 1.5), key=DOUBLE, **LIMITED)),
    ("TG-09", "cost", scheme("accuracy", lambda of: of - 0.03, key=DOUBLE, **LIMITED)),
    (
        "TG-10",
        ("triple key, high percentiles", "triple key"),
        scheme("accuracy", lambda of: of - at(0, 0.03, 0), **MONTH),
    ),
    ("TG-10", "triple key", scheme("accuracy", lambda of: of - at(4, 0.02, 0), **MONTH)),
    ("TG-10", "double key", scheme("accuracy", lambda of: of - at(5, 0.02, 0), key=DOUBLE, **MONTH)),
    ("TG-10", "slightly", scheme("accuracy", lambda of: of * 1.3, **MONTH)),
    ("TG-11", "BE, triple key", scheme("BE_share", lambda of: of + at(0, 0.01, 0), **MONTH)),
    ("TG-11", "BE, double key", scheme("BE_share", lambda of: of * at(5, 1.2), key=DOUBLE, **MONTH)),
    ("TG-11", "UE, triple key", scheme("UE_share", lambda of: of * at(5, 1.2), **MONTH)),
    ("TG-11", "UE, double key", scheme("UE_share", lambda of: of * at(5, 1.2), key=DOUBLE, **MONTH)),
    ("TG-12", "best", {"best": -0.01}),
    ("TG-12", "than the original", {"gain": 0.1}),
    ("TG-13", "waiting, OE", {"job 3 overestimated": ("5", 300, 0)}),
    ("TG-13", "waiting, OE", {"job 3 overestimated": ("3, 5", 300, 1)}),
    ("TG-13", "waiting, UE", {"job 4 underestimated": ("5", 300, 15)}),
    ("TG-13", "waiting, UE", {"job 4 underestimated": ("4, 5", 300, 0)}),
    ("TG-13", "waiting, BE", {"job 4 badly underestimated": ("4, 5", 300, 0)}),
    ("TG-13", "running, OE", {"job 1 overestimated": ("", 300, 0)}),
    ("TG-13", "running, OE", {"job 1 overestimated": ("", 246, 1)}),
    ("TG-13", "running, UE", {"job 1 underestimated": ("", 300, 12)}),
    ("TG-13", "running, BE", {"job 1 badly underestimated": ("", 156, 0)}),
    ("TG-14", "every month", {"p95": -0.01}),
    ("TG-14", "most at the 70th", {"p85": 0.16}),
    ("TG-15", ("wait", "size of p95", "size of p85"), gain(-0.2, "wfp regular", "wait")),
    ("TG-15", "slowdown", gain(-0.1, "wfp regular", "slowdown")),
    ("TG-15", "weighted wait", gain(-0.1, "wfp regular", "weighted_wait")),
    ("TG-15", "size of p95", gain(0.05, "wfp regular p95", "wait")),
    ("TG-15", "size of p85", gain(0.05, "wfp regular p85", "wait")),
    *[("TG-16", f"{name}, p85", gain(0.02, "wfp regular p85", metric)) for metric, name in NAMES],
    *[("TG-16", f"{name}, p95", gain(0.02, "wfp regular p95", metric)) for metric, name in NAMES],
    *[("TG-17", f"more in {name}", gain(0.4, "wfp regular p85", metric)) for metric, name in NAMES],
    *[("TG-17", f"size in {name}", gain(0.7, "wfp selective p85", metric)) for metric, name in NAMES],
    ("TG-18", "no gain", gain(0.1, "fcfs regular p95", "wait")),
    ("TG-18", ("p70 negative", "size"), gain(0.02, "fcfs regular p70", "slowdown")),
    ("TG-18", "size", gain(-0.3, "fcfs regular p70", "slowdown")),
    *[("TG-19", f"p85, {name}", gain(0.5, "fcfs selective p85", name)) for name in ("wait", "slowdown")],
    *[("TG-19", f"p70, {name}", gain(0.5, "fcfs selective p70", name)) for name in ("wait", "slowdown")],
    ("TG-19", "p85, no month worse", gain(ONE_WORSE, "fcfs selective p85", "slowdown")),
    ("TG-19", "p70, no month worse", gain(ONE_WORSE, "fcfs selective p70", "wait")),
    *[("TG-20", f"WFP regular, {name}", gain(-0.1, "wfp regular p85", name)) for name in ("wait", "slowdown")],
    *[("TG-20", f"WFP selective, {name}", gain(-0.1, "wfp selective p85", name)) for name in ("wait", "slowdown")],
    *[("TG-20", f"FCFS selective, {name}", gain(-0.1, "fcfs selective p85", name)) for name in ("wait", "slowdown")],
    *[("TG-20", f"FCFS regular, {name}", gain(0.1, "fcfs regular p85", name)) for name in ("wait", "slowdown")],
    ("TG-21", "close", {"distance": 0.2}),
    ("TG-22", "above half", scheme("OE_share", lambda of: of - at(4, 0.25, 0))),
    ("TG-23", "more OE", scheme("OE_share", lambda of: of - at(4, 0.1, 0), key=DOUBLE)),
    ("TG-23", "similar UE", scheme("UE_share", lambda of: of - at(5, 0.12, 0), key=DOUBLE)),
    ("TG-23", "similar UE", scheme("UE_share", lambda of: of + at(5, 0.12, 0), key=DOUBLE)),
    ("TG-23", "similar BE", scheme("BE_share", lambda of: of - at(5, 0.12, 0), key=DOUBLE)),
    ("TG-23", "similar BE", scheme("BE_share", lambda of: of + at(5, 0.12, 0), key=DOUBLE)),
    ("TG-24", "NA unchanged", scheme("NA_share", lambda of: of + at(2, 0.01, 0), **LIMITED)),
    ("TG-24", "NA unchanged", scheme("NA_share", lambda of: of - at(2, 0.01, 0), **LIMITED)),
    ("TG-24", "goes to OE", scheme("OE_share", lambda of: of - at(4, 0.01, 0), **LIMITED)),
    ("TG-25", "triple key", scheme("UE_share", lambda of: of * 1.15, **MONTH)),
    ("TG-25", "double key", scheme("UE_share", lambda of: of * at(4, 0.8), key=DOUBLE, **MONTH)),
    ("TG-26", "below 0.4", {"below": -0.05}),
    ("TG-26", "above 0.4", {"above": 0.05}),
    ("TG-27", "nearer", {"double": 1.5}),
    ("TG-28", "gain", {"p95": 0.04}),
    ("TG-29", "p95", gain(0.05, "wfp regular p95", "wait")),
    ("TG-30", "best month", gain(0.14, "wfp regular p85", "wait")),
    *[("TG-31", f"p85 best in {name}", gain(0.4, "wfp regular p95", metric)) for metric, name in NAMES[1:]],
    *[("TG-31", f"size in {name}", gain(0.5, "wfp regular p85", metric)) for metric, name in NAMES[1:]],
    ("TG-32", "fewer worse", gain(-0.1, "wfp selective p70")),
    ("TG-32", "most over 20 per cent", gain(0.1, "wfp selective p85", "wait")),
    ("TG-33", "p70 better", gain(0.05, "wfp selective p70", "wait")),
    ("TG-33", "p95 the same", gain(0.3, "wfp selective p95", "wait")),
    ("TG-34", "mostly within a tenth", gain(0.2, "fcfs regular", "wait")),
    ("TG-34", "within -4 per cent", gain(-0.2, "fcfs regular p85", "slowdown")),
    ("TG-35", "mostly better", WORSE | gain(0.1, "fcfs selective p95")),
    ("TG-35", "fewer outliers", gain(-0.1, "fcfs selective p95", "wait")),
    ("TG-36", "p85", gain(0.5, "fcfs selective p85", "weighted_wait")),
    ("TG-36", "p70", gain(0.5, "fcfs selective p70", "weighted_wait")),
    ("TG-37", "UE", scheme("UE_share", lambda of: of * 4)),
    ("TG-37", "BE", scheme("BE_share", lambda of: of * 4)),
    ("TG-38", ("at least", "size"), scheme("accuracy", lambda of: of - 0.1)),
    ("TG-38", "size", scheme("accuracy", lambda of: of * 1.5)),
    *[("TG-39", name, gain(0.5, "wfp regular p95", metric)) for metric, name in NAMES],
    ("TG-40", "than wait", gain(0.4, "wfp selective p85", "wait")),
    ("TG-40", "than slowdown", gain(0.4, "wfp selective p85", "slowdown")),
    *[("TG-41", name, gain(0.5, "fcfs selective p85", metric)) for metric, name in NAMES],
    ("TG-42", "killed", {"killed": 0.2}),
    ("TG-43", "weighted wait", gain(0.3, "wfp selective p95", "weighted_wait")),
    ("TG-44", "nearest", {"gain": 0.01}),
    ("TG-45", "wait", gain(0.6, "wfp selective p85", "wait")),
    ("TG-46", "weighted wait", gain(0.7, "wfp selective p85", "weighted_wait")),
    ("TG-47", "near 1", {"near 1": 0.2}),
    ("TG-48", "mean", {"mean": 0.6}),
    ("TG-48", "deviation", {"deviation": 0.4}),
    *[("TG-49", name, gain(0.5, "fcfs selective p95", metric)) for metric, name in NAMES],
]


IDS = [f"{id}: {part if isinstance(part, str) else ' and '.join(part)}" for id, part, _ in FALSE]


@pytest.mark.parametrize("id", DESCRIBED)
def test_all_parts_of_a_claim_hold_of_what_the_text_describes(id):
    assert parts(DESCRIBED[id]()) == dict.fromkeys(criteria()[id], HOLDS)


@pytest.mark.parametrize(("id", "denied", "change"), FALSE, ids=IDS)
def test_each_part_is_false_alone_or_with_what_it_is_bound_to(id, denied, change):
    denied = [denied] if isinstance(denied, str) else denied
    assert parts(DESCRIBED[id](**change)) == dict.fromkeys(criteria()[id], HOLDS) | dict.fromkeys(denied, HOLDS_NOT)


def test_no_part_of_the_criteria_lacks_a_change():
    changed = {(id, part) for id, denied, _ in FALSE for part in ([denied] if isinstance(denied, str) else denied)}
    of_tsafrir = {id for id in criteria() if id.startswith("TS-")}  # which their notebooks measure as they go
    assert changed == {(id, part) for id in criteria().keys() - of_tsafrir for part in criteria()[id]}
