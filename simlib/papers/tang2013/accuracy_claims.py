"""Verdicts on what the text says of Figures 4 to 11: claims TG-04 to TG-12.

On each log a claim is a list of parts that hold or do not, by the means over all jobs of the log; the evidence gives
differences with their 95 % interval (bootstrap over users). See `decide` for how the parts make a verdict.
"""

from itertools import pairwise, product

import numpy as np

from ...walltime import KEYS, LEVELS, PERCENTILES
from . import DOUBLE, KEY_NAMES, TRIPLE, decide, real
from .accuracy import ALL, ORIGINAL

BALANCED = (90, 85, 80)
"""The percentiles that the text recommends."""

MONTH = "1 month"


class Found:
    """What `accuracy.study` found on one trace."""

    def __init__(self, table, samples, trace):
        self.table = table.loc[trace]
        self.samples = samples[trace]

    def value(self, measure, *scheme):
        return self.table.loc[scheme, measure]

    def gain(self, measure, one, other):
        """By how much the first scheme's measure is larger, with its 95 % interval."""
        value = self.value(measure, *one) - self.value(measure, *other)
        return value, *(self.samples[*one, measure] - self.samples[*other, measure]).quantile([0.025, 0.975])


def _each(decider, traces, table, samples):
    return {trace.name: decider(Found(table, samples, trace.name)) for trace in real(traces)}


def _points(value, low, high):
    """A difference of shares in percentage points, with its interval."""
    return f"{100 * value:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) points"


# Figures 4 to 7


def similarity(traces, table, samples):
    """Decide claims TG-04 to TG-09 from the schemes of all keys without window, with and without the threshold."""
    deciders = {
        "TG-04": _every_scheme,
        "TG-05": _more_keys,
        "TG-06": _lower_percentiles,
        "TG-07": _levels,
        "TG-08": _balance,
        "TG-09": _threshold,
    }
    return [decide(id, _each(decider, traces, table, samples)) for id, decider in deciders.items()]


def _place(key, percentile, threshold=0.0, window=ALL):
    return key, window, float(percentile), threshold


def _every_scheme(found):
    """Every scheme's accuracy is above the users', by more than its spread."""
    gains = {(key, p): found.gain("accuracy", _place(key, p), ORIGINAL) for key in KEYS for p in PERCENTILES}
    least = min(gains, key=lambda scheme: gains[scheme][0])
    most = max(gains, key=lambda scheme: gains[scheme][0])
    texts = [f"{KEY_NAMES[key]} at {p} {_points(*gains[key, p])}" for key, p in (least, most)]
    text = f"{found.value('accuracy', *ORIGINAL):.3f} unadjusted; least gain {texts[0]}, largest {texts[1]}"
    return [all(low > 0 for _, low, _ in gains.values())], text


def _more_keys(found):
    """At every percentile the triple key is above the double key, and that above both single keys.

    Where no user has two projects, the double key is the user: then it counts if it is no lower.
    """
    triple, double = [], []
    for p in PERCENTILES:
        by_key = {key: found.value("accuracy", *_place(key, p)) for key in KEYS}
        triple.append(by_key[TRIPLE] > by_key[DOUBLE])
        double.append(by_key[DOUBLE] > by_key["project"] and by_key[DOUBLE] >= by_key["user"])
    steps = [
        _points(*found.gain("accuracy", _place(one, 85), _place(other, 85)))
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
    values = [found.value("accuracy", *_place(TRIPLE, p)) for p in PERCENTILES]
    rises = all(one < other for one, other in pairwise(values[:-1]))
    last = found.gain("accuracy", _place(TRIPLE, 50), _place(TRIPLE, 70))
    text = f"{', '.join(f'{value:.3f}' for value in values)} from the maximum to the median; the last step "
    return [rises, last[0] < 0], text + _points(*last)


def _levels(found):
    """Triple key, from the maximum down to the median: UE and BE never fall, NA never rises, OE rises, then falls."""
    na, oe, ue, be = ([found.value(level, *_place(TRIPLE, p)) for p in PERCENTILES] for level in LEVELS)
    top = int(np.argmax(oe))
    turns = 0 < top < len(oe) - 1 and _never_falls(oe[: top + 1]) and _never_falls(oe[: top - 1 : -1])
    spans = zip(LEVELS, (na, oe, ue, be), strict=True)
    text = "; ".join(f"{level} {shares[0]:.1%} to {shares[-1]:.1%}" for level, shares in spans)
    text += f"; OE highest, {oe[top]:.1%}, at percentile {PERCENTILES[top]}"
    return [_never_falls(ue), _never_falls(be), _never_falls(na[::-1]), turns], text


def _never_falls(values):
    return all(one <= other for one, other in pairwise(values))


def _balance(found):
    """Triple key, 90th to 80th percentile: a fifth more accurate than unadjusted; BE to 2.2, UE to 17 per cent."""
    base = found.value("accuracy", *ORIGINAL)
    at = [_place(TRIPLE, p) for p in BALANCED]
    accuracy, bad, under = ([found.value(measure, *scheme) for scheme in at] for measure in ("accuracy", "BE", "UE"))
    text = (
        f"accuracy {min(accuracy):.2f} to {max(accuracy):.2f} ({min(accuracy) / base - 1:+.0%} to "
        f"{max(accuracy) / base - 1:+.0%}), BE {min(bad):.1%} to {max(bad):.1%}, "
        f"UE {min(under):.0%} to {max(under):.0%}"
    )
    return [min(accuracy) >= 1.2 * base, max(bad) <= 0.022, max(under) <= 0.17], text


def _threshold(found):
    """Triple and double key, all percentiles: underestimates fewer by 17 % or more, accuracy lower by 0.02 at most."""
    fewer, costs = [], []
    for key, p in product((TRIPLE, DOUBLE), PERCENTILES):
        free, limited = _place(key, p), _place(key, p, 0.5)
        before, after = (found.value("UE", *scheme) + found.value("BE", *scheme) for scheme in (free, limited))
        fewer.append((before - after) / before if before else 0.0)
        costs.append(found.gain("accuracy", limited, free))
    text = (
        f"underestimated jobs fewer by {min(fewer):.0%} to {max(fewer):.0%}; accuracy changes by "
        f"{_points(*max(costs))} to {_points(*min(costs))}"
    )
    return [min(fewer) >= 0.17, min(costs)[0] >= -0.02], text


# Figures 8 to 10


def recency(traces, table, samples):
    """Decide claims TG-10 and TG-11 from the windows of the triple and the double key.

    The text does not say whether the threshold applies: a part has to hold with it and without.
    """
    deciders = {"TG-10": _recent_accuracy, "TG-11": _recent_underestimates}
    return [decide(id, _each(decider, traces, table, samples)) for id, decider in deciders.items()]


def _recent(found, measure, key, percentiles, wanted):
    """Whether one month differs from all history in the wanted direction at all percentiles; and in how many."""
    thresholds = sorted(found.table.index.unique("threshold"))
    gains = [
        found.gain(measure, _place(key, p, threshold, MONTH), _place(key, p, threshold))
        for threshold in thresholds
        for p in percentiles
    ]
    right = [wanted * value > 0 for value, _, _ in gains]
    clear = [min(wanted * low, wanted * high) > 0 for _, low, high in gains]
    changes = sorted(100 * value for value, _, _ in gains)
    text = (
        f"{measure} {KEY_NAMES[key]} {changes[0]:+.1f} to {changes[-1]:+.1f} points, as claimed in {sum(right)} of "
        f"{len(gains)} cases ({sum(clear)} clearly)"
    )
    return all(right), text


def _parts(found, cases):
    parts, texts = zip(*(_recent(found, *case) for case in cases), strict=True)
    return list(parts), ", ".join(texts)


def _recent_accuracy(found):
    """One month more accurate than all: triple key above the 90th percentile, double key at all percentiles."""
    return _parts(found, [("accuracy", TRIPLE, (100, 95), 1), ("accuracy", DOUBLE, PERCENTILES, 1)])


def _recent_underestimates(found):
    """One month with fewer than all.

    BE: triple key at all percentiles, double key below the 85th. UE: both keys below the 90th.
    """
    cases = [("BE", TRIPLE, PERCENTILES, -1), ("BE", DOUBLE, (80, 70, 50), -1)]
    cases += [("UE", key, (85, 80, 70, 50), -1) for key in (TRIPLE, DOUBLE)]
    return _parts(found, cases)


# Figure 11


def distribution(traces, table, samples):
    """Decide claim TG-12 from the tables of `accuracy.cumulative`."""
    found = {trace.name: _medians(table.loc[trace.name], samples[trace.name]) for trace in real(traces)}
    return [decide("TG-12", found)]


def _medians(table, samples):
    """Triple key: the 85th percentile has the highest median accuracy, at least 21 per cent (half of 42) above none."""
    median, drawn = table.loc[TRIPLE]["median"], samples[TRIPLE]
    best = median["85th percentile"] == median.max()
    gain = median["85th percentile"] / median["original"] - 1
    low, high = (drawn["85th percentile"] / drawn["original"] - 1).quantile([0.025, 0.975])
    over = drawn["85th percentile"] - drawn["median"]
    text = (
        ", ".join(f"{line} {value:.2f}" for line, value in median.items())
        + f"; 85th against original {gain:+.0%} ({low:+.0%} to {high:+.0%}), against the median scheme "
        + _points(median["85th percentile"] - median["median"], *over.quantile([0.025, 0.975]))
    )
    return [bool(best), bool(gain >= 0.21)], text
