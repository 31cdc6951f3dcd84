"""Verdicts on what the text says of Table 1: claims MF-08 to MF-13.

A decider looks at one version of the table: by how much conservative exceeds EASY, relatively, by (trace, month), a
column a metric. It gives a verdict and its numbers; None where the months it speaks of are not there.
"""

from collections import Counter

from ..judging import NOT, PARTLY, REPRODUCED, UNTESTED, claim, share_of_wins
from ..results import AS_IT_IS
from . import METRICS, SP2, TRACES


def claims(differences, printed, rules):
    """Decide claims MF-08 to MF-13 from Table 1, by counting the months in which each scheduler is better.

    A share of months is given with its 95 % confidence interval for so many months. A claim is decided by the first
    rule; where another would decide otherwise, or more than one shaken run in twenty does, it is reproduced in part
    only. The same count over the printed numbers shows whether the paper's own table bears the claim out.

    Parameters
    ----------
    differences : Series
        `Table1.differences`.
    printed : DataFrame
        `table1.printed_differences`.
    rules : sequence of str
    """
    deciders = {"MF-08": _sp2, "MF-09": _kth, "MF-10": _others, "MF-11": _paragon, "MF-12": _cm5, "MF-13": _waits}
    by_rule = {rule: differences.xs(rule, level="rule") for rule in rules}
    versions = {rule: of.xs(AS_IT_IS, level="replication").unstack("metric") for rule, of in by_rule.items()}
    versions["as printed"] = printed
    shaken = by_rule[rules[0]].drop(AS_IT_IS, level="replication").unstack("metric")
    runs = [run.droplevel("replication") for _, run in shaken.groupby("replication")]
    return [_decide(id, decider, versions, runs) for id, decider in deciders.items()]


def _decide(id, decider, versions, runs):
    found = {name: decider(version) for name, version in versions.items()}
    first, *_ = rules = [name for name in versions if name != "as printed"]
    if found[first] is None:
        return claim(id, UNTESTED, "the logs it speaks of are not at hand")
    evidence = [f"{name}: {text}" for name, (_, text) in ((name, one) for name, one in found.items() if one)]
    verdict = found[first][0]
    counts = Counter(decider(run)[0] for run in runs)
    evidence.append("of the shaken runs " + ", ".join(f"{count} say {name}" for name, count in counts.most_common()))
    if any(found[rule][0] != verdict for rule in rules) or counts[verdict] < 0.95 * len(runs):
        verdict = PARTLY
    return claim(id, verdict, "; ".join(evidence))


def _here(table, traces):
    return [trace for trace in traces if trace in table.index.unique("trace")]


def _easy_wins(table, traces, metric):
    """In how many months of these traces EASY is better, with the share's interval; None without a month."""
    difference = table[metric][table.index.get_level_values("trace").isin(traces)]
    return share_of_wins((difference > 0).sum(), len(difference)) if len(difference) else None


def _text(wins):
    return f"{wins['wins']} of {wins['of']} ({wins['low']:.0%} to {wins['high']:.0%})"


def _favours_easy(wins):
    return wins["low"] > 0.5


def _sp2(months):
    """EASY is better in most months by both metrics: more than could be chance."""
    wins = {metric: _easy_wins(months, SP2, metric) for metric in METRICS}
    if None in wins.values():
        return None
    clear = [_favours_easy(w) for w in wins.values()]
    by_response, by_slowdown = (_text(wins[metric]) for metric in METRICS)
    text = f"EASY better by response time in {by_response}, by bounded slowdown in {by_slowdown} months"
    return REPRODUCED if all(clear) else PARTLY if any(clear) else NOT, text


def _kth(months):
    """Of the SP2 logs' six combinations, only KTH's bounded slowdown is undecided."""
    wins = {(trace, metric): _easy_wins(months, [trace], metric) for trace in _here(months, SP2) for metric in METRICS}
    if len(wins) < 2 * len(SP2):
        return None
    open_ones = [key for key, w in wins.items() if not _favours_easy(w)]
    lowest = min(wins, key=lambda key: wins[key]["share"])
    text = "EASY better: " + ", ".join(
        f"{t} {m.removesuffix('_s').replace('_', ' ')} {_text(w)}" for (t, m), w in wins.items()
    )
    contender = ("KTH", "bounded_slowdown")
    return REPRODUCED if open_ones == [contender] else PARTLY if lowest == contender else NOT, text


def _others(months):
    """EASY is better by response time on Par and CM5."""
    wins = _easy_wins(months, ["Par", "CM5"], "response_s")
    if wins is None:
        return None
    text = f"EASY better in {_text(wins)} months of {' and '.join(_here(months, ['Par', 'CM5']))}"
    return REPRODUCED if _favours_easy(wins) else PARTLY if wins["share"] > 0.5 else NOT, text


def _paragon(months):
    """By bounded slowdown neither is better on Par."""
    wins = _easy_wins(months, ["Par"], "bounded_slowdown")
    if wins is None:
        return None
    return REPRODUCED if wins["low"] <= 0.5 <= wins["high"] else NOT, f"EASY better in {_text(wins)} months"


def _cm5(months):
    """By bounded slowdown conservative is better on CM5."""
    wins = _easy_wins(months, ["CM5"], "bounded_slowdown")
    if wins is None:
        return None
    verdict = REPRODUCED if wins["high"] < 0.5 else PARTLY if wins["share"] < 0.5 else NOT
    return verdict, f"EASY better in {_text(wins)} months"


def _waits(months):
    """Compared by waiting time, the same scheduler is better in nearly every month."""
    traces = _here(months, TRACES)
    if not traces or "wait_s" not in months:
        return None
    months = months[months.index.get_level_values("trace").isin(traces)]
    agree = share_of_wins(((months.wait_s > 0) == (months.response_s > 0)).sum(), len(months))
    verdict = REPRODUCED if agree["share"] >= 0.9 else PARTLY if agree["share"] >= 0.75 else NOT
    return verdict, f"wait and response time name the same scheduler in {_text(agree)} months"
