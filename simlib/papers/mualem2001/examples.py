"""Figures 1 to 3: three small schedules that show how backfilling works, and what they say of whole logs.

The paper draws its figures without numbers; the jobs here are made so that the real engine shows exactly the effects
that captions and text describe.
"""

import pandas as pd

from ... import EASY, Conservative, Workload, simulate
from .. import NOT, REPRODUCED, UNTESTED, claim


def workload(name, procs, **jobs):
    """A small workload of named jobs, each given as (submit, run, estimate, procs)."""
    table = pd.DataFrame.from_dict(jobs, orient="index", columns=["submit", "run", "estimate", "procs"])
    return Workload(table, procs, name)


def figure1():
    """Three jobs run. The first queued job must wait for two of them; the second could start when one has ended, but
    that would delay the first; the third fits at once and is backfilled (MF 2.1)."""
    return workload(
        "Figure 1",
        10,
        A=(0, 30, 30, 4),
        B=(0, 60, 60, 3),
        C=(0, 110, 110, 2),
        first=(2, 40, 40, 8),
        second=(4, 50, 50, 3),
        third=(6, 25, 25, 1),
    )


FIGURE2_EARLY_END = 20
"""When the bottom job of figure 2 ends, 80 s before it was expected to."""


def figure2():
    """The second queued job is promised to start at T1 = 40, before the first. Then the bottom job ends early: if all
    reservations are made anew, the first job takes the place, and the second starts at T3 = 90 only (MF 2.1)."""
    return workload(
        "Figure 2",
        4,
        bottom=(0, FIGURE2_EARLY_END, 100, 2),
        top=(0, 40, 40, 2),
        first=(1, 50, 50, 4),
        second=(2, 50, 50, 2),
    )


def figure3(length=30):
    """Under EASY a backfilled job that runs for `length` delays not the first queued job, but the second (MF 2.2)."""
    return workload(
        "Figure 3",
        4,
        A=(0, 10, 10, 2),
        first=(1, 10, 10, 3),
        second=(2, 10, 10, 4),
        backfill=(3, length, length, 1),
    )


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


def promises(jobs):
    """How the promises made to the jobs of one log are kept.

    Parameters
    ----------
    jobs : Workload

    Returns
    -------
    DataFrame
        By scheduler and rule: `promised`, the jobs that were promised a start time (every job its guarantee under
        conservative; those that waited at the head their shadow time under EASY), `late`, how many started later,
        `late_share` of those promised, and `mean_late_s` and `worst_s`, how much later, in seconds.
    """
    rows = {}
    for rule in ("arrival", "start", "none", "rebackfill"):
        table = simulate(jobs, Conservative(compress=rule)).jobs
        rows["conservative", rule] = table.start - table.guarantee
    for rule, reuse_extra in (("textbook", False), ("reuse_extra", True)):
        schedule = simulate(jobs, EASY(reuse_extra=reuse_extra))
        rows["EASY", rule] = (schedule.jobs.start - schedule.shadow)[schedule.shadow >= 0]
    index = pd.MultiIndex.from_tuples(rows, names=["scheduler", "rule"])
    return pd.DataFrame([_lateness(late) for late in rows.values()], index=index)


def _lateness(late):
    hurt = late[late > 0]
    return {
        "promised": len(late),
        "late": len(hurt),
        "late_share": len(hurt) / len(late) if len(late) else float("nan"),
        "mean_late_s": hurt.mean() if len(hurt) else 0.0,
        "worst_s": late.max() if len(hurt) else 0.0,
    }


def claims(kept, delay):
    """Decide claims MF-01 to MF-04.

    Parameters
    ----------
    kept : DataFrame or None
        From `promises`, by trace, scheduler and rule; None where no real log is at hand.
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
    if kept is None:
        untested = [claim(id, UNTESTED, "no real log at hand") for id in ("MF-01", "MF-02", "MF-04")]
        return [*untested[:2], third, untested[2]]

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
