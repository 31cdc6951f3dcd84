"""Figures 1 to 3: how backfilling works, on schedules small enough to see, and promises on logs (section 2)."""

from functools import cached_property
from heapq import heappop, heappush

import matplotlib.pyplot as plt
import pandas as pd

from ... import plots
from ...core.schedule import simulate
from ...models.examples import FIGURE2_EARLY_END, figure1, figure2, figure3, promises
from ...policies.conservative import Conservative
from ...policies.easy import EASY
from ..claims import Measure, decide
from ..exhibit import EXAMPLES, LOGS, Part
from ..parameters import SECONDS, parameter, some, some_of
from ..verdicts import LIKELY, TEXT
from . import TRACES, policies
from .on_traces import OnTraces

COMPRESSIONS = ("arrival", "start", "none", "rebackfill")
"""In which order conservative compresses, if at all; the last makes all reservations anew."""

SHADOW_KEPT = {TEXT: "textbook", LIKELY: "reuse_extra"}
"""EASY's rules as `promises` calls them, by reading."""

ON = {"MF-01": LOGS, "MF-02": (EXAMPLES, LOGS), "MF-03": EXAMPLES, "MF-04": LOGS, "MF-48": LOGS}


class Figures1To3(OnTraces, name="mualem2001/figures1-3", section="2.1", seconds=5, claims=ON):
    """How does backfilling work, and how often are its promises broken?"""

    traces: tuple = parameter(TRACES, some_of(TRACES))
    lengths: tuple = parameter((10, 100, 1000, 10_000), some(SECONDS, least=2))

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

    @cached_property
    def waits(self):
        """How long the jobs of each log wait under EASY, measured by their rank in the queue, by (trace, reading)."""
        easy = {rule: policy for (scheduler, rule), policy in policies().items() if scheduler == "easy"}
        rows = {
            (label, rule): beyond_rank(simulate(jobs, policy).jobs)
            for label, jobs in self.labelled
            for rule, policy in easy.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["trace", "rule"])

    def judge(self):
        late, waits = self.promises.late, self.waits.beyond
        rebackfilled = self.promises.late_share.xs(("conservative", "rebackfill"), level=("scheduler", "rule"))
        kept = {"kept": _count(late, "conservative", ["arrival", "start"])}
        by_log = [f"{trace} {share:.1%}" for trace, share in rebackfilled.items()]
        anew = self.second.rebackfill  # all reservations made anew
        broken = {"example": Measure.exactly(anew.start - anew.guarantee), "logs": Measure.exactly(rebackfilled.max())}
        heads = {reading: {"head": _count(late, "EASY", [rule])} for reading, rule in SHADOW_KEPT.items()}
        beyond = {reading: {"bound": Measure.exactly(waits.xs(reading, level="rule").sum())} for reading in heads}
        by_rule = self.waits.groupby("rule", sort=False)
        worst = ", ".join(f"{rule} {most:.0%}" for rule, most in by_rule.most.max().items())
        jobs_beyond = ", ".join(f"{rule} {jobs}" for rule, jobs in by_rule.beyond_estimate.sum().items())
        longest = (
            f"the longest wait, of what the bound allows that job: {worst}; jobs beyond, if the limit is the longest "
            f"estimate, which some jobs outlive: {jobs_beyond}"
        )
        return [
            decide("MF-01", {TEXT: kept}, f"of {self._promised('conservative', 'arrival'):,} jobs in each order"),
            decide("MF-02", {TEXT: broken}, f"by log: {', '.join(by_log)}"),
            decide("MF-03", {TEXT: {"unbounded": Measure.exactly(growth(self.delays))}}),
            decide("MF-04", heads, f"of {self._promised('EASY', 'textbook'):,} heads by the text"),
            decide("MF-48", beyond, longest),
        ]

    def _promised(self, scheduler, rule):
        return self.promises.promised.xs((scheduler, rule), level=("scheduler", "rule")).sum()

    def parts(self):
        return {
            "": Part(lambda: self.promises),
            "waits": Part(lambda: self.waits),
            "figure1": Part(lambda: self.schedule.jobs, lambda: reserved(self.schedule), on=(EXAMPLES,)),
            "figure2": Part(lambda: self.second, compressed, on=(EXAMPLES,)),
            "figure3": Part(lambda: self.delays, lambda: without_bound(self.delays), on=(EXAMPLES,)),
        }


# What the claims are about


def _count(late, scheduler, rules):
    """Count the jobs of all logs that start later than promised, under some rules of a scheduler."""
    return Measure.exactly(late.xs(scheduler, level="scheduler")[lambda of: of.index.isin(rules, level="rule")].sum())


def growth(delays):
    """Work out by how many seconds Figure 3's second job waits longer for each second of the backfilled one."""
    shortest, longest = delays.index[[0, -1]]
    return (delays.easy[longest] - delays.easy[shortest]) / (longest - shortest)


def beyond_rank(jobs):
    """Count the jobs that wait longer than any job may run, times their rank in the queue when they arrive."""
    per_rank = jobs.wait / ranks(jobs.submit, jobs.start)
    estimate = jobs.estimate.max()
    limit = max(estimate, jobs.run.max())
    beyond, of_estimate = (int((per_rank > most).sum()) for most in (limit, estimate))
    return {"limit": limit, "beyond": beyond, "most": per_rank.max() / limit, "beyond_estimate": of_estimate}


def ranks(submit, start):
    """Work out each job's rank in the queue when it arrives: one more than the earlier jobs that go on waiting then."""
    found, waiting = [], []
    for arrives, starts in zip(submit, start, strict=True):
        while waiting and waiting[0] <= arrives:
            heappop(waiting)
        found.append(len(waiting) + 1)
        heappush(waiting, starts)
    return pd.Series(found, submit.index)


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
