"""What the text says of Figure 5, measured: claims MF-15 to MF-17."""

import numpy as np

from ...size_classes import ALL
from ..judging import published
from ..ledger import NOTHING, PRINTED, Measure, decide
from ..results import AS_IT_IS
from . import METRICS, SCHEDULERS, TRACES, trace_of

HIGH = 0.7
"""From this load on the load is called high."""


def of_logs(changes):
    """Decide claim MF-16 by how much more conservative has than EASY on the paper's logs; see `backfilling.changes`."""
    changes = changes.xs(ALL, level="size_class")
    rules = changes.index.unique("rule")
    readings = {rule: amounts(changes.xs(rule, level="rule")) for rule in rules}
    return decide("MF-16", readings | {PRINTED: printed()}, _shares(changes.xs(rules[0], level="rule")))


def amounts(changes):
    """Measure the amount on the log on which it differs most, and amount and performance on SDSC.

    None without the SDSC log or shaken runs.
    """
    found = changes.xs("relative", level="of").unstack("replication")
    share = found.xs("backfilled", level="metric").loc[_here(changes)]
    if "SDSC" not in share.index or list(found) == [AS_IT_IS]:
        return None
    most = share[AS_IT_IS].abs().idxmax()
    worse = {f"SDSC {name}": Measure.spread(found.loc["SDSC", metric]) for name, metric in _of_performance()}
    both = {"similar": {most: Measure.spread(share.loc[most])}, "SDSC more": Measure.spread(share.loc["SDSC"])}
    return both | worse


def _here(changes):
    """The paper's logs that are there."""
    return [name for name in changes.index.unique("workload") if trace_of(name) in TRACES]


def _shares(changes):
    """Write what share of each log both schedulers backfill."""
    share = changes.xs(("backfilled", AS_IT_IS), level=("metric", "replication")).unstack("of").loc[_here(changes)]
    shares = ", ".join(f"{log.Index} {log.easy:.1%} / {log.conservative:.1%}" for log in share.itertuples())
    return f"EASY / conservative {shares}"


def printed():
    """Measure conservative's mean against EASY's on SDSC by the paper's Table 1, over all its jobs.

    Figure 5 is drawn without numbers.
    """
    table = published("mualem2001_table1").query("trace == 'SDSC'")
    found = {}
    for name, metric in _of_performance():
        means = (np.average(table[f"{scheduler}_{metric}"], weights=table.jobs) for scheduler in SCHEDULERS)
        easy, conservative = means
        found[f"SDSC {name}"] = Measure.exactly(conservative / easy - 1)
    return found


def _of_performance():
    return zip(("response time", "bounded slowdown"), METRICS, strict=True)


def of_models(changes):
    """Decide claims MF-15 and MF-17 by what both schedulers backfill of the Jann model."""
    changes = changes.xs(ALL, level="size_class")
    rules = changes.index.unique("rule")
    measures = {"MF-15": larger, "MF-17": selective}
    return [decide(id, {rule: of(changes.xs(rule, level="rule")) for rule in rules}) for id, of in measures.items()]


def larger(changes):
    """Measure the difference in the share backfilled of the Jann model at high load."""
    return dict.fromkeys(("larger", "slightly"), _at_high_load(changes, "backfilled", "relative"))


def selective(changes):
    """Measure the mean size of what EASY backfills over that of all jobs, and by how much conservative exceeds that."""
    ratio, difference = (_at_high_load(changes, "size_ratio", of) for of in ("easy", "relative"))
    return {"smaller": ratio, "than conservative's": difference}


def _at_high_load(changes, metric, of):
    """Measure the mean over the high loads of the Jann model."""
    runs = changes.xs(("Jann", metric, of), level=("workload", "metric", "of"))
    high = runs[runs.index.get_level_values("load") >= HIGH].groupby("replication").mean()
    return Measure.mean(high) if len(high) else NOTHING
