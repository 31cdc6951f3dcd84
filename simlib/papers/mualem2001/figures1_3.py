"""Figures 1 to 3: how backfilling works, on schedules small enough to see, and promises on logs (section 2)."""

from functools import cached_property

import matplotlib.pyplot as plt
import pandas as pd

from ... import EASY, Conservative, plots, simulate
from ...examples import FIGURE2_EARLY_END, figure1, figure2, figure3, promises
from ..exhibit import EXAMPLES, LOGS, Part
from ..judging import NOT, REPRODUCED, claim
from . import TRACES
from .on_traces import OnTraces

COMPRESSIONS = ("arrival", "start", "none", "rebackfill")
"""In which order conservative compresses, if at all; the last makes all reservations anew."""

ON = {"MF-01": LOGS, "MF-02": LOGS, "MF-03": EXAMPLES, "MF-04": LOGS}


class Figures1To3(OnTraces, name="mualem2001/figures1-3", section="2.1", seconds=10, claims=ON):
    """How does backfilling work, and how often are its promises broken?"""

    traces: tuple = TRACES
    lengths: tuple = (10, 100, 1000, 10_000)

    @cached_property
    def schedule(self):
        """Figure 1 under conservative backfilling."""
        return simulate(figure1(), Conservative())

    @cached_property
    def second(self):
        """When the second job of Figure 2 was promised to start, and when it does, by order of compression."""
        schedules = {rule: simulate(figure2(), Conservative(compress=rule)) for rule in COMPRESSIONS}
        return pd.DataFrame({rule: made.jobs.loc["second", ["guarantee", "start"]] for rule, made in schedules.items()})

    @cached_property
    def delays(self):
        """When the second queued job of Figure 3 starts [s], by the length of the backfilled one, and without that."""
        rows = []
        for length in self.lengths:
            jobs = figure3(length)
            alone = jobs.select(jobs.jobs.index != "backfill")
            simulated = simulate(alone, EASY()), simulate(jobs, EASY()), simulate(jobs, Conservative())
            rows.append([schedule.jobs.start["second"] for schedule in simulated])
        return pd.DataFrame(rows, pd.Index(self.lengths, name="length"), ["without", "easy", "conservative"])

    @cached_property
    def promises(self):
        """How often promises are broken, by trace, scheduler and rule."""
        return pd.concat({label: promises(jobs) for label, jobs in self.labelled}, names=["trace"])

    def judge(self):
        return [*of_logs(self.promises), of_figure3(self.delays)]

    def parts(self):
        return {
            "": Part(lambda: self.promises),
            "figure1": Part(lambda: self.schedule.jobs, lambda: reserved(self.schedule), on=(EXAMPLES,)),
            "figure2": Part(lambda: self.second, compressed, on=(EXAMPLES,)),
            "figure3": Part(lambda: self.delays, lambda: without_bound(self.delays), on=(EXAMPLES,)),
        }


# The claims


def of_figure3(table):
    """Decide claim MF-03 from `delays`: the delay grows with the backfilled job's length, without bound."""
    shortest, longest = table.iloc[0], table.iloc[-1]
    growth = (longest.easy - shortest.easy) / (table.index[-1] - table.index[0])  # seconds of delay a second of length
    grows = table.easy.is_monotonic_increasing and growth > 0.99
    text = (
        f"the second job of figure 3 starts at {shortest.without:,} s without the backfilled one, at {shortest.easy:,} "
        f"to {longest.easy:,} s where that takes {table.index[0]:,} to {table.index[-1]:,} s"
    )
    return claim("MF-03", REPRODUCED if grows else NOT, text)


def of_logs(kept):
    """Decide claims MF-01, MF-02 and MF-04 from `promises`, by (trace, scheduler, rule)."""
    of_all = kept.groupby(["scheduler", "rule"])[["promised", "late"]].sum()
    conservative, easy = of_all.loc["conservative"], of_all.loc["EASY"]
    compressed = conservative.late[["arrival", "start"]].sum()
    first = f"{compressed:,} of {conservative.promised['arrival']:,} jobs started after their guarantee"
    shares = kept.late_share.xs(("conservative", "rebackfill"), level=("scheduler", "rule"))
    second = "late under rebackfill: " + ", ".join(f"{trace} {share:.1%}" for trace, share in shares.items())
    textbook = easy.late["textbook"]
    fourth = (
        f"{textbook:,} of {easy.promised['textbook']:,} heads started after their first shadow time under the text's "
        f"rule; {easy.late['reuse_extra']:,} where backfilled jobs share the extra processors"
    )
    return [
        claim("MF-01", NOT if compressed else REPRODUCED, f"{first}, in either order of compression"),
        claim("MF-02", REPRODUCED if (shares > 0).any() else NOT, second),
        claim("MF-04", NOT if textbook else REPRODUCED, fourth),
    ]


# The pictures


def reserved(schedule):
    """Draw Figure 1: what runs and what is reserved when the third job has arrived."""
    figure, ax = plt.subplots(figsize=(9, 3.4))
    plots.gantt(schedule, ax, now=6).set_title("Conservative backfilling when the third job has arrived")
    return figure


def compressed():
    """Draw Figure 2: the reservations before a job ends early, all made anew then, and compressed."""
    panels = {
        "promised, at 19 s": ("arrival", FIGURE2_EARLY_END - 1),
        "all reservations anew, at 20 s": ("rebackfill", FIGURE2_EARLY_END),
        "compressed, at 20 s": ("arrival", FIGURE2_EARLY_END),
    }
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.2), sharey=True)
    for ax, (title, (rule, now)) in zip(axes, panels.items(), strict=True):
        schedule = simulate(figure2(), Conservative(compress=rule))
        plots.gantt(schedule, ax, now=now).set(title=title, xlim=(0, 155))
    return figure


def without_bound(delays):
    """Draw Figure 3: both schedulers once the backfilled job has come, and how long it delays the second one."""
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.2), width_ratios=[3, 3, 2.2])
    for ax, policy in zip(axes, (EASY(), Conservative()), strict=False):
        schedule = simulate(figure3(), policy)
        plots.gantt(schedule, ax, now=4).set(title=type(policy).__name__, xlim=(0, 62))
    for scheduler, label, marker in (("easy", "EASY", "o"), ("conservative", "conservative", "s")):
        axes[2].loglog(delays.index, delays[scheduler] - delays.without + 1, marker=marker, label=label)
    axes[2].set(xlabel="length of the backfilled job [s]", ylabel="delay of the second job + 1 [s]")
    axes[2].set_title("Without bound")
    axes[2].legend()
    return figure
