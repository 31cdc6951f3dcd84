"""Verdicts on what the text says of Figures 13 to 17: claims TG-14 to TG-20.

On each log a claim is a list of parts that hold or do not; direction and size are parts of their own. Gains are means
over the shakes, averaged over the months; "about" a number is between half of it and twice. A gain, or a difference
between two gains of the same shakes, is *clear* where the middle 95 % of the shakes lie on its side of zero. The
evidence gives these ranges in brackets. See `decide` for how the parts make a verdict.

A decider has the gains of one log twice: `runs`, of each shake, averaged over the months, by (order, case, metric,
replication); and `months`, of each month, averaged over the shakes, by (order, case, metric, month).
"""

from ...stats import Interval
from ..results import AS_IT_IS
from . import decide
from .scheduling import AVERAGED, PERCENTILES, percent, printed_gains

PAPERS = {"wait": "wait", "slowdown": "slowdown", "weighted_wait": "weighted wait"}
"""The paper's metrics, as they are written."""


def accuracy(table):
    """Decide claim TG-14 from the table of `figure13.accuracy`."""
    return [decide("TG-14", {trace: _every_month(table.loc[trace]) for trace in table.index.unique("trace")})]


def claims(gains):
    """Decide claims TG-15 to TG-20 from `scheduling.gains`."""
    deciders = (_wfp_regular, _least, _wfp_selective, _fcfs_regular, _fcfs_selective, _two_by_two)
    shaken, printed = gains.drop(AS_IT_IS, level="replication"), printed_gains()
    runs, months = (shaken.groupby([*AVERAGED, level]).mean() for level in ("replication", "month"))
    traces = gains.index.unique("trace")
    return [
        decide(f"TG-{number}", {name: decider(runs[name], months[name], printed) for name in traces})
        for number, decider in enumerate(deciders, 15)
    ]


def _every_month(table):
    """In every month each scheme is more accurate than the users, and the most aggressive one than the others."""
    schemes = table.drop(columns="original")
    changes = schemes.sub(table.original, axis=0)
    raised, best = (changes > 0).all(axis=1), schemes.iloc[:, -1] >= schemes.max(axis=1)
    by_scheme = ", ".join(
        f"{name} {of.mean():+.3f} ({of.min():+.3f} to {of.max():+.3f} by month)" for name, of in changes.items()
    )
    text = f"{table.original.mean():.2f} unadjusted; {by_scheme}; all raise it in {raised.sum()} of {len(table)} months"
    return [raised.all(), best.all()], f"{text}, {schemes.columns[-1]} most in {best.sum()}"


def _stated(gain):
    """Write a gain with its range over the shakes."""
    return percent(gain.mean(), Interval.of(gain))


def _clear(gain):
    return Interval.of(gain).low > 0


def _about(gain, number):
    return number / 2 <= gain.mean() <= number * 2


def _wfp_regular(runs, months, printed):
    """Each metric has a gain in more than half the months of all three schemes; wait of p95 and p85 about 15 %."""
    parts, texts = [], []
    for metric, name in PAPERS.items():
        better = [gain > 0 for p in PERCENTILES for gain in months["wfp", f"regular p{p}", metric]]
        parts.append(sum(better) > len(better) / 2)
        texts.append(f"{name} {sum(better)} of {len(better)}")
    text = f"months with a gain, three schemes: {', '.join(texts)}"
    for p in (95, 85):
        place = "wfp", f"regular p{p}", "wait"
        parts.append(_about(runs[place], printed[place]))
        text += f"; wait p{p} {_stated(runs[place])}"
    return parts, text


def _least(runs, months, printed):
    """Under WFP with regular adjustment p70 gains least of the three schemes, in each metric."""
    parts, texts = [], []
    for metric, name in PAPERS.items():
        least, *others = (runs["wfp", f"regular p{p}", metric] for p in (70, 85, 95))
        parts.append(all(least.mean() < other.mean() for other in others))
        steps = ", ".join(f"{_stated(other - least)} below p{p}" for p, other in zip((85, 95), others, strict=True))
        texts.append(f"{name} {_stated(least)}, {steps}")
    return parts, "p70: " + "; ".join(texts)


def _wfp_selective(runs, months, printed):
    """For p85, in each metric: selective gains more than regular; and it gains about what is printed."""
    more, size, texts = [], [], []
    for metric, name in PAPERS.items():
        selective, regular = (runs["wfp", f"{strategy} p85", metric] for strategy in ("selective", "regular"))
        more.append(selective.mean() > regular.mean())
        size.append(_about(selective, printed["wfp", "selective p85", metric]))
        texts.append(f"{name} {_stated(selective)}, {_stated(selective - regular)} over regular")
    return more + size, "p85: " + "; ".join(texts)


def _fcfs_regular(runs, months, printed):
    """No average gain above twice the printed best, 2 %; p70's slowdown clearly worse; by about the printed 8 %."""
    gains = {(f"p{p}", metric): runs["fcfs", f"regular p{p}", metric] for p in PERCENTILES for metric in PAPERS}
    best, metric = max(gains, key=lambda place: gains[place].mean())
    slower, loss = -gains["p70", "slowdown"], -printed["fcfs", "regular p70", "slowdown"]
    largest = 2 * printed["fcfs", "regular p95", "wait"]
    text = ", ".join(f"{name} {_stated(gains['p70', metric])}" for metric, name in PAPERS.items())
    parts = [gains[best, metric].mean() <= largest, _clear(slower), _about(slower, loss)]
    return parts, f"best: {best} {PAPERS[metric]} {_stated(gains[best, metric])}; p70: {text}"


def _fcfs_selective(runs, months, printed):
    """For p85 and p70, wait and slowdown each: a clear gain; about 20 %; no month with a loss."""
    parts, texts = [], []
    for p in (85, 70):
        for metric in ("wait", "slowdown"):
            place = "fcfs", f"selective p{p}", metric
            gain, by_month = runs[place], months[place]
            parts += [_clear(gain), _about(gain, printed[place]), by_month.min() >= 0]
            worse = f"worse in {(by_month < 0).sum()} of {len(by_month)} months, at worst {100 * by_month.min():+.1f} %"
            texts.append(f"p{p} {metric} {_stated(gain)}, {worse}")
    return parts, "; ".join(texts)


def _two_by_two(runs, months, printed):
    """For p85, wait and slowdown both: a clear gain under WFP and with selective FCFS, none with regular FCFS."""
    parts, texts = [], []
    for order, strategy in (("wfp", "regular"), ("wfp", "selective"), ("fcfs", "selective"), ("fcfs", "regular")):
        wait, slowdown = (runs[order, f"{strategy} p85", metric] for metric in ("wait", "slowdown"))
        clear = [_clear(wait), _clear(slowdown)]
        parts.append(not any(clear) if (order, strategy) == ("fcfs", "regular") else all(clear))
        texts.append(f"{order.upper()} {strategy}: wait {_stated(wait)}, slowdown {_stated(slowdown)}")
    return parts, "p85: " + "; ".join(texts)
