"""Verdicts on what the text says of Figures 13 to 17: claims TG-14 to TG-20.

On each log a claim is a list of parts that hold or do not; direction and size are parts of their own. Gains are means
over the shakes, averaged over the months; "about" a number is between half of it and twice. A gain, or a difference
between two gains of the same shakes, is *clear* where the middle 95 % of the shakes lie on its side of zero. The
evidence gives these ranges in brackets. See `decide` for how the parts make a verdict.
"""

from . import decide, real
from .scheduling import METRICS, PERCENTILES, RECORDED, case, monthly, over_months, percent, printed

PAPERS = METRICS[:3]
"""The paper's metrics."""


# Figure 13


def accuracy(traces, table):
    """Decide claim TG-14 from the table of `scheduling.accuracy`."""
    return [decide("TG-14", {trace.name: _every_month(table.loc[trace.name]) for trace in real(traces)})]


def _every_month(table):
    """In every month each scheme is more accurate than the users, and the most aggressive one than the others."""
    schemes = table.drop(columns="original")
    raised = schemes.gt(table.original, axis=0).all(axis=1)
    best = schemes.iloc[:, -1] >= schemes.max(axis=1)
    changes = schemes.sub(table.original, axis=0)
    text = ", ".join(
        f"{name} {of.mean():+.3f} ({of.min():+.3f} to {of.max():+.3f} by month)" for name, of in changes.items()
    )
    text = (
        f"{table.original.mean():.2f} unadjusted; {text}; all raise it in {raised.sum()} of {len(table)} months, "
        f"{schemes.columns[-1]} most in {best.sum()}"
    )
    return [bool(raised.all()), bool(best.all())], text


# Figures 14 to 17


class Found:
    """What `scheduling.runs` found on one trace."""

    def __init__(self, gains, trace):
        self._runs = over_months(gains).loc[trace].drop(RECORDED, level="seed")
        self._months = monthly(gains).loc[trace].gain

    def runs(self, order, strategy, p, metric):
        """The gain of each shake, averaged over the months."""
        return self._runs.loc[order][case(strategy, p), metric]

    def by_month(self, order, strategy, p, metric):
        """The gain of each month, in the mean over the shakes."""
        return self._months.loc[order].loc[case(strategy, p)].loc[metric]


def claims(traces, gains):
    """Decide claims TG-15 to TG-20 from the table of `scheduling.gains`."""
    deciders = {
        "TG-15": _wfp_regular,
        "TG-16": _least,
        "TG-17": _wfp_selective,
        "TG-18": _fcfs_regular,
        "TG-19": _fcfs_selective,
        "TG-20": _two_by_two,
    }
    found = {trace.name: Found(gains, trace.name) for trace in real(traces)}
    return [decide(id, {name: decider(one) for name, one in found.items()}) for id, decider in deciders.items()]


def _stated(values):
    """A gain with its range over the shakes, as text."""
    return percent(values.mean(), *values.quantile([0.025, 0.975]))


def _clear(values):
    return bool(values.quantile(0.025) > 0)


def _about(values, number):
    return bool(number / 2 <= values.mean() <= number * 2)


def _named(metric):
    return metric.replace("_", " ")


def _wfp_regular(found):
    """Each metric has a gain in more than half the months of all three schemes; wait of p95 and p85 about 15 %."""
    parts, texts = [], []
    for metric in PAPERS:
        better = [gain > 0 for p in PERCENTILES for gain in found.by_month("wfp", "regular", p, metric)]
        parts.append(sum(better) > len(better) / 2)
        texts.append(f"{_named(metric)} {sum(better)} of {len(better)}")
    text = f"months with a gain, three schemes: {', '.join(texts)}"
    for p in (95, 85):
        values = found.runs("wfp", "regular", p, "wait")
        parts.append(_about(values, printed(14)["wait", f"p{p}"]))
        text += f"; wait p{p} {_stated(values)}"
    return parts, text


def _least(found):
    """Under WFP with regular adjustment p70 gains least of the three schemes, in each metric."""
    parts, texts = [], []
    for metric in PAPERS:
        least, *others = (found.runs("wfp", "regular", p, metric) for p in (70, 85, 95))
        parts.append(bool(all(least.mean() < other.mean() for other in others)))
        steps = ", ".join(f"{_stated(other - least)} below p{p}" for p, other in zip((85, 95), others, strict=True))
        texts.append(f"{_named(metric)} {_stated(least)}, {steps}")
    return parts, "p70: " + "; ".join(texts)


def _wfp_selective(found):
    """For p85, in each metric: selective gains more than regular; and it gains about what is printed."""
    more, size, texts = [], [], []
    for metric in PAPERS:
        selective, regular = (found.runs("wfp", strategy, 85, metric) for strategy in ("selective", "regular"))
        more.append(bool(selective.mean() > regular.mean()))
        size.append(_about(selective, printed(15)[metric, "p85"]))
        texts.append(f"{_named(metric)} {_stated(selective)}, {_stated(selective - regular)} over regular")
    return more + size, "p85: " + "; ".join(texts)


def _fcfs_regular(found):
    """No average gain above twice the printed best, 2 %; p70's slowdown clearly worse; by about the printed 8 %."""
    gains = {(p, metric): found.runs("fcfs", "regular", p, metric) for p in PERCENTILES for metric in PAPERS}
    best = max(gains, key=lambda place: gains[place].mean())
    slower = -gains[70, "slowdown"]
    text = f"best: p{best[0]} {_named(best[1])} {_stated(gains[best])}; p70: " + ", ".join(
        f"{_named(metric)} {_stated(gains[70, metric])}" for metric in PAPERS
    )
    parts = [bool(gains[best].mean() <= 2 * printed(16)["wait", "p95"]), _clear(slower)]
    return [*parts, _about(slower, -printed(16)["slowdown", "p70"])], text


def _fcfs_selective(found):
    """For p85 and p70, wait and slowdown each: a clear gain; about 20 %; no month with a loss."""
    clear, size, kept, texts = [], [], [], []
    for p in (85, 70):
        for metric in ("wait", "slowdown"):
            values, by_month = (of("fcfs", "selective", p, metric) for of in (found.runs, found.by_month))
            clear.append(_clear(values))
            size.append(_about(values, printed(17)[metric, f"p{p}"]))
            kept.append(bool(by_month.min() >= 0))
            worse = f"worse in {(by_month < 0).sum()} of {len(by_month)} months, at worst {100 * by_month.min():+.1f} %"
            texts.append(f"p{p} {metric} {_stated(values)}, {worse}")
    return clear + size + kept, "; ".join(texts)


def _two_by_two(found):
    """For p85, wait and slowdown both: a clear gain under WFP and with selective FCFS, none with regular FCFS."""
    parts, texts = [], []
    for order, strategy in (("wfp", "regular"), ("wfp", "selective"), ("fcfs", "selective"), ("fcfs", "regular")):
        gains = [found.runs(order, strategy, 85, metric) for metric in ("wait", "slowdown")]
        clear = [_clear(values) for values in gains]
        parts.append(not any(clear) if (order, strategy) == ("fcfs", "regular") else all(clear))
        wait, slowdown = map(_stated, gains)
        texts.append(f"{order.upper()} {strategy}: wait {wait}, slowdown {slowdown}")
    return parts, "p85: " + "; ".join(texts)
