"""What the text says of Table 1, measured by counting months: claims MF-08 to MF-13."""

import pandas as pd

from ..judging import TEXT
from ..ledger import PRINTED, Measure, decide
from ..results import AS_IT_IS
from . import METRICS, SP2

RESPONSE, SLOWDOWN = METRICS


def claims(differences, printed):
    """Decide claims MF-08 to MF-13.

    Parameters
    ----------
    differences : Series
        `Table1.differences`.
    printed : Series
        The same of all printed months, by (trace, month, metric).
    """
    months = {rule: months_of(differences.xs(rule, level="rule")) for rule in differences.index.unique("rule")}
    months[PRINTED] = months_of(pd.concat({AS_IT_IS: printed}, names=["replication"]))
    measures = {"MF-08": _sp2, "MF-09": _contender, "MF-10": _others, "MF-11": _paragon, "MF-12": _cm5, "MF-13": _waits}
    return [
        decide(id, {reading: measured(table) for reading, table in months.items()}, _wins(id, months))
        for id, measured in measures.items()
    ]


def months_of(differences):
    """Lay out by how much conservative exceeds EASY: by (replication, trace, month), a column a metric."""
    table = differences.unstack("metric").reorder_levels(["replication", "trace", "month"])
    return table.dropna(subset=list(METRICS))


def share(found):
    """Count the months in which something is so: of the log as it is, with the share in each replication.

    Parameters
    ----------
    found : list of Series
        bool, by (replication, trace, month), one after another.
    """
    by_run = pd.concat(found).groupby("replication").agg(["sum", "count", "mean"])
    as_it_is = by_run.loc[AS_IT_IS]
    return Measure.share(as_it_is["sum"], as_it_is["count"], by_run["mean"].drop(AS_IT_IS))


def _easy_wins(months, traces, metric):
    """Tell in which months of these traces EASY has less."""
    return months[metric][months.index.isin(traces, level="trace")] > 0


def _have(months, *traces):
    return set(traces) <= set(months.index.unique("trace"))


def _sp2(months):
    """Share out the months of the SP2 logs by which scheduler is better."""
    if not _have(months, *SP2):
        return None
    parts = {"response time": RESPONSE, "bounded slowdown": SLOWDOWN}
    return {part: share([_easy_wins(months, SP2, metric)]) for part, metric in parts.items()}


def _contender(months):
    """Compare KTH by bounded slowdown with the other combinations of SP2 log and metric."""
    if not _have(months, *SP2):
        return None
    elsewhere = [*((["CTC", "SDSC"], metric) for metric in METRICS), (["KTH"], RESPONSE)]
    others = share([_easy_wins(months, *case) for case in elsewhere])
    return {"others": others, "contender": share([_easy_wins(months, ["KTH"], SLOWDOWN)]).minus(others)}


def _others(months):
    """Share out the months of the other logs by which scheduler has the lower response time."""
    traces = ["Par", "CM5"]
    return {"response time": share([_easy_wins(months, traces, RESPONSE)])} if _have(months, *traces) else None


def _paragon(months):
    """Share out Par's months by which scheduler has the lower bounded slowdown."""
    return {"inconclusive": share([_easy_wins(months, ["Par"], SLOWDOWN)])} if _have(months, "Par") else None


def _cm5(months):
    """Share out CM5's months by which scheduler has the lower bounded slowdown."""
    return {"conservative": share([_easy_wins(months, ["CM5"], SLOWDOWN)])} if _have(months, "CM5") else None


def _waits(months):
    """Count the months in which wait and response time name the same scheduler."""
    return {"same scheduler": share([(months.wait_s > 0) == (months[RESPONSE] > 0)])} if "wait_s" in months else None


# What the verdict does not hang on

NOTED = {
    "MF-08": [(trace, metric) for trace in SP2 for metric in METRICS],
    "MF-10": [("Par", RESPONSE), ("CM5", RESPONSE)],
}
"""Of which claims the months are counted by log too."""


def _wins(id, months):
    """Write in how many months of each log EASY is better, by the text."""
    if id not in NOTED or TEXT not in months:
        return ""
    as_it_is = months[TEXT].loc[[AS_IT_IS]]
    found = {case: _easy_wins(as_it_is, [case[0]], case[1]) for case in NOTED[id] if _have(as_it_is, case[0])}
    counts = [f"{trace} {_words(metric)} {wins.sum()} of {len(wins)}" for (trace, metric), wins in found.items()]
    return f"{TEXT}, months in which EASY is better: {', '.join(counts)}"


def _words(metric):
    return metric.removesuffix("_s").replace("_", " ")
