"""Figures 1 to 3: what the small schedules of `simlib.examples` say of whole logs."""

import pandas as pd

from ... import EASY, Conservative, simulate
from ...examples import figure3
from .. import NOT, REPRODUCED, claim


def delays(lengths):
    """When the second queued job of figure 3 starts, by the backfilled job's length.

    Returns
    -------
    DataFrame
        By length: `without` the backfilled job, under `easy` and under `conservative`; seconds.
    """
    rows = []
    for length in lengths:
        jobs = figure3(length)
        alone = jobs.select(jobs.jobs.index != "backfill")
        second = [simulate(w, policy).jobs.start["second"] for w, policy in ((alone, EASY()), (jobs, EASY()))]
        rows.append([*second, simulate(jobs, Conservative()).jobs.start["second"]])
    return pd.DataFrame(rows, index=pd.Index(lengths, name="length"), columns=["without", "easy", "conservative"])


def claims(kept, delay):
    """Decide claims MF-01 to MF-04.

    Parameters
    ----------
    kept : DataFrame
        From `promises`, by trace, scheduler and rule.
    delay : DataFrame
        From `delays`.
    """
    shortest, longest = delay.iloc[0], delay.iloc[-1]
    growth = (longest.easy - shortest.easy) / (delay.index[-1] - delay.index[0])  # seconds of delay a second of length
    grows = delay.easy.is_monotonic_increasing and growth > 0.99
    text = (
        f"the second job of figure 3 starts at {shortest.without:,} s without the backfilled one, at {shortest.easy:,} "
        f"to {longest.easy:,} s where that takes {delay.index[0]:,} to {delay.index[-1]:,} s"
    )
    third = claim("MF-03", REPRODUCED if grows else NOT, text)
    late = kept.late.unstack("trace")
    compressed = late.loc[[("conservative", "arrival"), ("conservative", "start")]].to_numpy().sum()
    jobs = int(kept.promised.xs(("conservative", "arrival"), level=("scheduler", "rule")).sum())
    first = claim(
        "MF-01",
        REPRODUCED if compressed == 0 else NOT,
        f"{compressed:,.0f} of {jobs:,} jobs started after their guarantee, in either order of compression",
    )
    shares = kept.late_share.xs(("conservative", "rebackfill"), level=("scheduler", "rule"))
    second = claim(
        "MF-02",
        REPRODUCED if (shares > 0).any() else NOT,
        "late under rebackfill: " + ", ".join(f"{trace} {share:.1%}" for trace, share in shares.items()),
    )
    heads = kept.promised.xs(("EASY", "textbook"), level=("scheduler", "rule")).sum()
    textbook, shared = (late.loc["EASY", rule].sum() for rule in ("textbook", "reuse_extra"))
    fourth = claim(
        "MF-04",
        REPRODUCED if textbook == 0 else NOT,
        f"{textbook:,.0f} of {heads:,.0f} heads started after their first shadow time under the text's rule; "
        f"{shared:,.0f} where backfilled jobs share the extra processors",
    )
    return [first, second, third, fourth]
