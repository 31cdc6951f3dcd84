"""What is measured of what the text says on Figures 14 to 17: claims TG-15 to TG-20 and TG-29 to TG-36.

All is measured on each log by itself. An average gain, or what else is a `scheduling.statistic`, is that of each shake:
the mean over the shakes counts, and the middle 95 % of them. So is a difference between two gains, which have the same
shakes. A share of months is averaged over months and shakes; how far months may have been others than they are tells a
bootstrap over the months.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from ...confidence import cluster_means
from ...stats import Interval
from ..judging import TEXT
from ..ledger import PRINTED, Measure, decide
from ..results import AS_IT_IS
from .scheduling import by_log, chosen, percent, printed_table, statistic

PAPERS = {"wait": "wait", "slowdown": "slowdown", "weighted_wait": "weighted wait"}
"""The paper's metrics, as they are written."""

ALL = " or ".join(PAPERS)


def _mean(order, case, metric):
    return order, case, metric, "mean"


GAINS = {
    "TG-15": {f"size of p{p}": [_mean("wfp", f"regular p{p}", "wait")] for p in (95, 85)},
    "TG-16": {
        f"{words}, p{p}": [_mean("wfp", f"regular p{each}", metric) for each in (p, 70)]
        for metric, words in PAPERS.items()
        for p in (85, 95)
    },
    "TG-17": {
        f"more in {words}": [_mean("wfp", f"{strategy} p85", metric) for strategy in ("selective", "regular")]
        for metric, words in PAPERS.items()
    }
    | {f"size in {words}": [_mean("wfp", "selective p85", metric)] for metric, words in PAPERS.items()},
    "TG-18": {
        "no gain": [("fcfs", "regular", ALL, "largest mean")],
        "p70 negative": [_mean("fcfs", "regular p70", "slowdown")],
        "size": [_mean("fcfs", "regular p70", "slowdown")],
    },
    "TG-19": {f"p{p}, {m}": [_mean("fcfs", f"selective p{p}", m)] for p in (85, 70) for m in ("wait", "slowdown")}
    | {f"p{p}, no month worse": [("fcfs", f"selective p{p}", "wait or slowdown", "worst month")] for p in (85, 70)},
    "TG-20": {
        f"{order.upper()} {strategy}, {metric}": [_mean(order, f"{strategy} p85", metric)]
        for order in ("wfp", "fcfs")
        for strategy in ("regular", "selective")
        for metric in ("wait", "slowdown")
    },
    "TG-30": {"best month": [("wfp", "regular p85", "wait", "best month")]},
    "TG-31": {
        f"p85 best in {PAPERS[metric]}": [_mean("wfp", f"regular p{p}", metric) for p in (85, 95, 70)]
        for metric in ("slowdown", "weighted_wait")
    }
    | {f"size in {PAPERS[metric]}": [_mean("wfp", "regular p85", metric)] for metric in ("slowdown", "weighted_wait")},
    "TG-33": {
        f"p{p} {words}": [_mean("wfp", f"{strategy} p{p}", "wait") for strategy in ("selective", "regular")]
        for p, words in ((70, "better"), (95, "the same"))
    },
    "TG-34": {"within -4 per cent": [("fcfs", "regular", ALL, "lowest mean but p70's slowdown")]},
    "TG-36": {f"p{p}": [_mean("fcfs", f"selective p{p}", "weighted_wait")] for p in (85, 70)},
}
"""By claim and part: the arguments of `scheduling.statistic`, less the best of others where there are some."""


TESTS = {
    "better": lambda gains: gains > 0,
    "worse": lambda gains: gains < 0,
    "over a fifth": lambda gains: gains > 0.2,
    "within a tenth": lambda gains: gains.abs() < 0.1,
    "p95 best": lambda gains: gains.unstack("case").rank(axis=1, ascending=False, method="max")["regular p95"] == 1,
}
"""What is asked of the gains of a month."""

SHARES = {
    "TG-15": {words: [("wfp", "regular", metric, "better")] for metric, words in PAPERS.items()},
    "TG-29": {"p95": [("wfp", "regular", "wait", "p95 best")]},
    "TG-32": {
        "fewer worse": [("wfp", strategy, ALL, "worse") for strategy in ("regular", "selective")],
        "most over 20 per cent": [("wfp", "selective p85", "wait", "over a fifth")],
    },
    "TG-34": {"mostly within a tenth": [("fcfs", "regular", "wait", "within a tenth")]},
    "TG-35": {
        "mostly better": [("fcfs", "selective", ALL, "better")],
        "fewer outliers": [(order, "selective", ALL, "worse") for order in ("fcfs", "wfp")],
    },
}
"""By claim and part: which gains are `chosen` and what is asked of them, less the share of others if there are any."""

CLAIMS = tuple(sorted({*GAINS, *SHARES}))


def claims(gains):
    """Measure for all claims from `scheduling.gains`, and decide them."""
    on = by_log(gains.drop(AS_IT_IS, level="replication"))
    printed = printed_table().query("bound == ''").value
    return [
        decide(id, {TEXT: _measured(id, on), PRINTED: _as_printed(GAINS.get(id, {}), printed)}, _note(id, on))
        for id in CLAIMS
    ]


def _measured(id, on):
    """Measure the parts of a claim on each log."""
    parts = {part: (share, of) for part, of in SHARES.get(id, {}).items()}
    parts |= {part: (gain, of) for part, of in GAINS.get(id, {}).items()}
    return {part: {trace: measure(gains, *of) for trace, gains in on.items()} for part, (measure, of) in parts.items()}


def gain(gains, of, *others):
    """Measure a `scheduling.statistic` of the gains of one log, less the best of others."""
    first, *rest = (statistic(gains, *one) for one in (of, *others))
    return Measure.range(first - np.max(rest, axis=0) if rest else first)


def _as_printed(parts, printed):
    """Take the same from the printed numbers, as far as they are printed."""
    found = {part: [printed.get(one) for one in of] for part, of in parts.items()}
    return {
        part: Measure.exactly(first - max(others, default=0))
        for part, (first, *others) in found.items()
        if None not in (first, *others)
    }


def share(gains, of, *others):
    """Measure a mean over the months, and over the shakes, of the share of gains for which something holds."""
    by_month = _by_month(gains, *of)
    for other in others:
        by_month = by_month - _by_month(gains, *other)
    means = by_month.mean(axis=1).to_frame()
    resampled = cluster_means(means, np.ones(len(means)))[0]
    return replace(Measure.spread(resampled), runs=tuple(by_month.mean()))


def _by_month(gains, order, case, metric, holds):
    """Work out of what share of the gains something holds, by month, a column a shake."""
    known = chosen(gains, order, case, metric).stack(future_stack=True).dropna()
    return TESTS[holds](known).groupby(["month", "replication"]).mean().unstack("replication")


def _note(id, on):
    """Tell what further numbers a reader wants: how much p70 gains, and which months are worse."""
    title, tell = {
        "TG-16": ("gains of p70", _gains_of_p70),
        "TG-19": ("months that get worse in the mean over the shakes", _months_worse),
    }.get(id, ("", None))
    return tell and "; ".join(f"{title}, {trace}: {tell(gains)}" for trace, gains in on.items())


def _gains_of_p70(gains):
    found = {words: statistic(gains, *_mean("wfp", "regular p70", metric)) for metric, words in PAPERS.items()}
    return ", ".join(f"{words} {percent(of.mean(), Interval.of(of))}" for words, of in found.items())


def _months_worse(gains):
    found = {}
    for p, metric in product((85, 70), ("wait", "slowdown")):
        by_month = chosen(gains, "fcfs", f"selective p{p}", metric).mean(axis=1)
        found[f"p{p} {metric}"] = f"{(by_month < 0).sum()} of {by_month.count()}"
    return ", ".join(" ".join(one) for one in found.items())
