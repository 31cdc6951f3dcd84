"""Verdicts on what the text says of Figures 4 to 10: claims TG-04 to TG-11.

On each log a claim is a list of parts that hold or do not, by the means over all jobs of the log; the evidence gives
differences with their 95 % interval (bootstrap over users). See `tang2013.decide` for how the parts make a verdict.
"""

from itertools import pairwise, product

import numpy as np

from ...walltime import KEYS, LEVELS, PERCENTILES
from ..results import AS_IT_IS
from . import DOUBLE, KEY_NAMES, TRIPLE, decide, said, spread
from .accuracy import ORIGINAL, place

BALANCED = (90, 85, 80)
"""The percentiles that the text recommends."""


def decided(deciders, found):
    """Decide claims, by id a function of what `accuracy.study` found on one trace, from what it found on all."""
    traces = found.columns.unique("trace")
    return [decide(id, {trace: decider(found[trace]) for trace in traces}) for id, decider in deciders.items()]


def _value(found, metric, scheme):
    return found.at[AS_IT_IS, (*scheme, metric)]


def _gain(found, metric, one, other):
    """By how much the first scheme's mean is larger, with its interval."""
    return spread(found[*one, metric] - found[*other, metric])


def points(value, interval):
    """Write a difference of shares in percentage points, with its interval."""
    return said(value, interval, "{:+.1f}", 100) + " points"


# Figures 4 to 7


def similarity(found):
    """Decide claims TG-04 to TG-09 from the schemes of all keys without window, with and without the threshold."""
    deciders = _every_scheme, _more_keys, _lower_percentiles, _levels, _balance, _threshold
    return decided({f"TG-{number:02}": decider for number, decider in enumerate(deciders, 4)}, found)


def _every_scheme(found):
    """Every scheme's accuracy is above the users', by more than its spread."""
    gains = {(key, p): _gain(found, "accuracy", place(key, p), ORIGINAL) for key, p in product(KEYS, PERCENTILES)}
    ordered = sorted(gains, key=lambda scheme: gains[scheme][0])
    least, most = (f"{KEY_NAMES[key]} at {p} {points(*gains[key, p])}" for key, p in (ordered[0], ordered[-1]))
    text = f"{_value(found, 'accuracy', ORIGINAL):.3f} unadjusted; least gain {least}, largest {most}"
    return [all(interval.low > 0 for _, interval in gains.values())], text


def _more_keys(found):
    """At every percentile the triple key is above the double key, and that above both single keys.

    Where no user has two projects, the double key is the user: then it counts if it is no lower.
    """
    triple, double = [], []
    for p in PERCENTILES:
        by_key = {key: _value(found, "accuracy", place(key, p)) for key in KEYS}
        triple.append(by_key[TRIPLE] > by_key[DOUBLE])
        double.append(by_key[DOUBLE] > by_key["project"] and by_key[DOUBLE] >= by_key["user"])
    steps = [
        points(*_gain(found, "accuracy", place(one, 85), place(other, 85)))
        for one, other in ((TRIPLE, DOUBLE), (DOUBLE, "user"), ("user", "project"))
    ]
    text = (
        f"triple above double at {sum(triple)} of {len(triple)} percentiles, double not below the single keys at "
        f"{sum(double)}; at the 85th triple over double {steps[0]}, double over user {steps[1]}, user over project "
        f"{steps[2]}"
    )
    return [all(triple), all(double)], text


def _lower_percentiles(found):
    """Triple key: accuracy rises from the maximum down to the 70th percentile; the median is below the 70th."""
    values = [_value(found, "accuracy", place(TRIPLE, p)) for p in PERCENTILES]
    last = _gain(found, "accuracy", place(TRIPLE, 50), place(TRIPLE, 70))
    text = f"{', '.join(f'{value:.3f}' for value in values)} from the maximum to the median; the last step "
    return [all(one < other for one, other in pairwise(values[:-1])), last[0] < 0], text + points(*last)


def _levels(found):
    """Triple key, from the maximum down to the median: UE and BE never fall, NA never rises, OE rises, then falls."""
    shares = {level: [_value(found, f"{level}_share", place(TRIPLE, p)) for p in PERCENTILES] for level in LEVELS}
    na, oe, ue, be = shares.values()
    top = int(np.argmax(oe))
    turns = 0 < top < len(oe) - 1 and _never_falls(oe[: top + 1]) and _never_falls(oe[: top - 1 : -1])
    text = "; ".join(f"{level} {of[0]:.1%} to {of[-1]:.1%}" for level, of in shares.items())
    text += f"; OE highest, {oe[top]:.1%}, at percentile {PERCENTILES[top]}"
    return [_never_falls(ue), _never_falls(be), _never_falls(na[::-1]), turns], text


def _never_falls(values):
    return all(one <= other for one, other in pairwise(values))


def _balance(found):
    """Triple key, 90th to 80th percentile: a fifth more accurate than unadjusted; BE to 2.2, UE to 17 per cent."""
    base, at = _value(found, "accuracy", ORIGINAL), [place(TRIPLE, p) for p in BALANCED]
    values = ([_value(found, metric, scheme) for scheme in at] for metric in ("accuracy", "BE_share", "UE_share"))
    (least, most), (_, bad), (_, under) = ends = [(min(of), max(of)) for of in values]
    text = (
        f"accuracy {least:.2f} to {most:.2f} ({least / base - 1:+.0%} to {most / base - 1:+.0%}), "
        "BE {:.1%} to {:.1%}, UE {:.0%} to {:.0%}".format(*ends[1], *ends[2])
    )
    return [least >= 1.2 * base, bad <= 0.022, under <= 0.17], text


def _threshold(found):
    """Triple and double key, all percentiles: underestimates fewer by 17 % or more, accuracy lower by 0.02 at most."""
    fewer, costs = [], []
    for key, p in product((TRIPLE, DOUBLE), PERCENTILES):
        free, limited = place(key, p), place(key, p, 0.5)
        before, after = (
            _value(found, "UE_share", scheme) + _value(found, "BE_share", scheme) for scheme in (free, limited)
        )
        fewer.append((before - after) / before if before else 0.0)
        costs.append(_gain(found, "accuracy", limited, free))
    costs.sort(key=lambda cost: cost[0])
    text = (
        f"underestimated jobs fewer by {min(fewer):.0%} to {max(fewer):.0%}; accuracy changes by "
        f"{points(*costs[-1])} to {points(*costs[0])}"
    )
    return [min(fewer) >= 0.17, costs[0][0] >= -0.02], text


# Figures 8 to 10


def recency(found):
    """Decide claims TG-10 and TG-11 from the windows of the triple and the double key.

    The text does not say whether the threshold applies: a part has to hold with it and without.
    """
    return decided({"TG-10": _recent_accuracy, "TG-11": _recent_underestimates}, found)


def _recent_accuracy(found):
    """One month more accurate than all: triple key above the 90th percentile, double key at all percentiles."""
    return _recent(found, 1, [("accuracy", TRIPLE, (100, 95)), ("accuracy", DOUBLE, PERCENTILES)])


def _recent_underestimates(found):
    """One month with fewer than all.

    BE: triple key at all percentiles, double key below the 85th. UE: both keys below the 90th.
    """
    cases = [("BE_share", TRIPLE, PERCENTILES), ("BE_share", DOUBLE, (80, 70, 50))]
    return _recent(found, -1, cases + [("UE_share", key, (85, 80, 70, 50)) for key in (TRIPLE, DOUBLE)])


def _recent(found, wanted, cases):
    """Tell whether one month differs from all history in the wanted direction at all percentiles; and in how many."""
    parts, texts = [], []
    thresholds = found.columns.unique("threshold")
    for metric, key, percentiles in cases:
        gains = [
            _gain(found, metric, place(key, p, threshold, "1 month"), place(key, p, threshold))
            for threshold, p in product(thresholds, percentiles)
        ]
        right = [wanted * value > 0 for value, _ in gains]
        clear = [interval.clear and wanted * interval.low > 0 for _, interval in gains]
        changes = sorted(100 * value for value, _ in gains)
        parts.append(all(right))
        name = f"{metric.removesuffix('_share')} {KEY_NAMES[key]}"
        right_in = f"as claimed in {sum(right)} of {len(gains)} cases ({sum(clear)} clearly)"
        texts.append(f"{name} {changes[0]:+.1f} to {changes[-1]:+.1f} points, {right_in}")
    return parts, ", ".join(texts)
