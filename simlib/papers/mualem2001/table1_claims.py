"""Verdicts on what the text says of Table 1: claims MF-08 to MF-13."""

from collections import Counter

import pandas as pd

from .. import NOT, PARTLY, REPRODUCED, UNTESTED, claim, deviation, share_of_wins
from . import METRICS, SP2, TRACES

RULES = {"rule followed": "", "variant": "_variant", "as printed": "_published"}
"""The three versions of Table 1 that a claim is held against, and the suffix of their columns."""


def claims(table, shaken):
    """Decide claims MF-08 to MF-13 from Table 1, by counting the months in which each scheduler is better.

    A share of months is given with its 95 % confidence interval for so many months. A claim is decided by the rule
    followed; where the variant would decide otherwise, or more than one shaken run in twenty does, it is reproduced in
    part only. The same count over the printed numbers shows whether the paper's own table bears the claim out.

    Parameters
    ----------
    table : DataFrame
        From `table1.months`, all traces.
    shaken : list of (str, DataFrame)
        The name of each trace and its runs, from `table1.shaken`.

    Returns
    -------
    list of dict
        `id`, `claim`, `verdict`, `evidence`.
    """
    deciders = {"MF-08": _sp2, "MF-09": _kth, "MF-10": _others, "MF-11": _paragon, "MF-12": _cm5, "MF-13": _waits}
    runs = list(_differences(table, shaken)) if shaken else []
    return [_decide(id, decider, table, runs) for id, decider in deciders.items()]


def _differences(table, shaken):
    """For each shaken run a table by (trace, month) with the `difference_` columns of Table 1."""
    quantities = METRICS | {"wait_s": "mean_wait"}
    columns = {}
    for name, mean in quantities.items():
        parts = []
        for trace, runs in shaken:
            of = runs.xs(mean, axis=1, level=-1)
            difference = deviation(of["conservative"], of["easy"]).T
            parts.append(pd.concat({trace: difference}, names=["trace", "month"]))
        columns[f"difference_{name}"] = pd.concat(parts).reindex(table.index)
    for run in columns["difference_response_s"]:
        yield pd.DataFrame({name: by_run[run] for name, by_run in columns.items()})


def _decide(id, decider, table, runs):
    verdicts, evidence = {}, []
    for rule, suffix in RULES.items():
        found = decider(_Months(table, suffix))
        if found is not None:
            verdicts[rule] = found[0]
            evidence.append(f"{rule}: {found[1]}")
    if "rule followed" not in verdicts:
        return claim(id, UNTESTED, "the logs it speaks of are not at hand")
    verdict = verdicts["rule followed"]
    counts = Counter(decider(_Months(run, ""))[0] for run in runs)
    evidence.append("of the shaken runs " + ", ".join(f"{count} say {name}" for name, count in counts.most_common()))
    if verdicts["variant"] != verdict or counts[verdict] < 0.95 * len(runs):
        verdict = PARTLY
    return claim(id, verdict, "; ".join(evidence))


class _Months:
    """Counts over the months of one version of Table 1."""

    def __init__(self, table, suffix):
        self.table, self.suffix = table, suffix
        self.trace = table.index.get_level_values("trace")

    def here(self, traces):
        return [trace for trace in traces if trace in self.trace]

    def difference(self, traces, metric):
        """Conservative / EASY - 1 in each month of these traces, or None where there is no such column."""
        column = f"difference_{metric}{self.suffix}"
        return self.table[column].to_numpy()[self.trace.isin(traces)] if column in self.table else None

    def easy_wins(self, traces, metric):
        """In how many months EASY is better, with the share's interval; None without a month."""
        difference = self.difference(traces, metric)
        return share_of_wins((difference > 0).sum(), len(difference)) if len(difference) else None


def _text(wins):
    return f"{wins['wins']} of {wins['of']} ({wins['low']:.0%} to {wins['high']:.0%})"


def _favours_easy(wins):
    return wins["low"] > 0.5


def _sp2(months):
    """EASY is better in most months by both metrics: more than could be chance."""
    wins = {metric: months.easy_wins(SP2, metric) for metric in METRICS}
    if None in wins.values():
        return None
    clear = [_favours_easy(w) for w in wins.values()]
    by_response, by_slowdown = (_text(wins[metric]) for metric in METRICS)
    text = f"EASY better by response time in {by_response}, by bounded slowdown in {by_slowdown} months"
    return REPRODUCED if all(clear) else PARTLY if any(clear) else NOT, text


def _kth(months):
    """Of the SP2 logs' six combinations, only KTH's bounded slowdown is undecided."""
    wins = {(trace, metric): months.easy_wins([trace], metric) for trace in months.here(SP2) for metric in METRICS}
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
    wins = months.easy_wins(["Par", "CM5"], "response_s")
    if wins is None:
        return None
    text = f"EASY better in {_text(wins)} months of {' and '.join(months.here(['Par', 'CM5']))}"
    return REPRODUCED if _favours_easy(wins) else PARTLY if wins["share"] > 0.5 else NOT, text


def _paragon(months):
    """By bounded slowdown neither is better on Par."""
    wins = months.easy_wins(["Par"], "bounded_slowdown")
    if wins is None:
        return None
    return REPRODUCED if wins["low"] <= 0.5 <= wins["high"] else NOT, f"EASY better in {_text(wins)} months"


def _cm5(months):
    """By bounded slowdown conservative is better on CM5."""
    wins = months.easy_wins(["CM5"], "bounded_slowdown")
    if wins is None:
        return None
    verdict = REPRODUCED if wins["high"] < 0.5 else PARTLY if wins["share"] < 0.5 else NOT
    return verdict, f"EASY better in {_text(wins)} months"


def _waits(months):
    """Compared by waiting time, the same scheduler is better in nearly every month."""
    traces = months.here(TRACES)
    wait, response = (months.difference(traces, metric) for metric in ("wait_s", "response_s"))
    if not traces or wait is None:
        return None
    agree = share_of_wins(((wait > 0) == (response > 0)).sum(), len(wait))
    verdict = REPRODUCED if agree["share"] >= 0.9 else PARTLY if agree["share"] >= 0.75 else NOT
    return verdict, f"wait and response time name the same scheduler in {_text(agree)} months"
