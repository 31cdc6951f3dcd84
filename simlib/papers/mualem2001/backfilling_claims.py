"""Verdicts on what the text says of Figure 5: claims MF-14 to MF-17."""

from ...size_classes import ALL
from .. import results
from ..judging import NOT, PARTLY, REPRODUCED, UNTESTED, claim
from . import METRICS, SCHEDULERS, TRACES, trace_of

SIMILAR = 0.1
"""Two amounts are called similar where they differ by less than this share of EASY's."""

SAME = 0.05
"""Two amounts are called the same where they differ by less than this share of EASY's."""

HIGH = 0.7
"""From this load on the load is called high."""

CHANGES = {"backfilled": "backfills", "response_s": "response time", "bounded_slowdown": "bounded slowdown"}


def of_logs(table):
    """Decide claim MF-16: on the logs the amounts are similar; on SDSC conservative backfills more, performs worse.

    Similar means that the range of the relative difference over the shakes lies within +-SIMILAR. More and worse mean
    that this range lies above nought; worse is asked of both metrics. Reproduced where all parts hold under all rules,
    not where none holds under the first, and in part otherwise. The table is from `backfilling.compared`; only the
    paper's logs are looked at.
    """
    table = table.xs(ALL, level="size_class")
    here = [name for name in table.index.unique("workload") if trace_of(name) in TRACES]
    if "SDSC" not in here:
        return claim("MF-16", UNTESTED, "the SDSC log is not at hand")
    relative = table.xs("relative", level="of")
    if relative.low.isna().any():
        return claim("MF-16", UNTESTED, "no shaken runs, so no spread")
    parts, evidence = [], []
    for rule in table.index.unique("rule"):
        more = relative.loc["backfilled"].xs(rule, level="rule").loc[here]
        sdsc = relative.xs(("SDSC", rule), level=("workload", "rule"))
        similar = (more.low > -SIMILAR) & (more.high < SIMILAR)
        parts.append([similar.all(), *(sdsc.low[["backfilled", *METRICS]] > 0)])
        share = table.ours.loc["backfilled"].xs(rule, level="rule").unstack("of").loc[here]
        amounts = ", ".join(f"{name} {row.easy:.1%} / {row.conservative:.1%}" for name, row in share.iterrows())
        percents = results.with_intervals(sdsc, "{:+.1%}")
        changes = ", ".join(f"{name} {percents[metric]}" for metric, name in CHANGES.items())
        text = f"EASY / conservative {amounts}; similar on {similar.sum()} of {len(similar)} logs; SDSC {changes}"
        others = [name for name in more.index[more.low > 0] if name != "SDSC"]
        clearly = f"; conservative clearly backfills more on {', '.join(others)} too" if others else ""
        evidence.append(f"{rule}: {text}{clearly}")
    verdict = REPRODUCED if all(map(all, parts)) else PARTLY if any(parts[0]) else NOT
    return claim("MF-16", verdict, "; ".join(evidence))


def of_models(table):
    """Decide claims MF-14, MF-15 and MF-17 by the 90 % intervals of the relative difference.

    - MF-14, the same amount on the Feitelson model: reproduced where at every load the whole interval lies within
      +-SAME, in part where all of them lie within twice that.
    - MF-15, EASY backfills a slightly larger share on the Jann model: reproduced where at every high load the whole
      interval lies below nought, in part where at some it does and at none above; not reproduced otherwise.
    - MF-17, EASY is selective by size on the Jann model: reproduced where at every high load the jobs that EASY
      backfills are smaller than the average job, and clearly smaller than those of conservative; in part where only
      one of both holds everywhere.

    The table is from `backfilling.compared_by_load` under one rule, with the models "Feitelson" and "Jann".
    """
    table = table.xs(ALL, level="size_class").droplevel("rule")
    high = table[table.index.get_level_values("load") >= HIGH].xs("Jann", level="workload")
    share, ratio = high.loc["backfilled"], high.loc["size_ratio"]
    return [_same(table.loc["backfilled", "Feitelson"]), _larger(share), _selective(ratio)]


def _same(share):
    widest = share.xs("relative", level="of")[["low", "high"]].abs().to_numpy().max()
    verdict = REPRODUCED if widest <= SAME else PARTLY if widest <= 2 * SAME else NOT
    return claim("MF-14", verdict, _evidence(share, "relative difference of the shares"))


def _larger(share):
    relative = share.xs("relative", level="of")
    below, above = relative.high < 0, relative.low > 0
    verdict = REPRODUCED if below.all() else PARTLY if below.any() and not above.any() else NOT
    return claim("MF-15", verdict, _evidence(share, "relative difference of the shares"))


def _selective(ratio):
    smaller = (ratio.high.xs("easy", level="of") < 1).all()
    than_conservative = (ratio.low.xs("relative", level="of") > 0).all()
    verdict = REPRODUCED if smaller and than_conservative else PARTLY if smaller or than_conservative else NOT
    return claim("MF-17", verdict, _evidence(ratio, "mean size of the backfilled jobs over that of all", form="{:.2f}"))


def _evidence(table, what, form="{:.1%}"):
    parts = []
    for load, of in table.groupby("load"):
        rows = of.droplevel("load")
        easy, conservative = (form.format(rows["mean"][scheduler]) for scheduler in SCHEDULERS)
        change = results.bracketed("{:+.1%}", *rows.loc["relative", ["mean", "low", "high"]])
        parts.append(f"load {load:.2f}: EASY {easy}, conservative {conservative}, {change}")
    return f"{what}: " + "; ".join(parts)
