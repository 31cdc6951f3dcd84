"""The pictures of lessons 4 to 6."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ... import plots
from ...core.schedule import Schedule
from ...core.workload import Workload


def used(month: Workload) -> Figure:
    """Draw how many jobs used which share of their estimate."""
    figure, ax = plt.subplots(figsize=(7, 2.6))
    share = (month.jobs.run / month.jobs.estimate).clip(upper=1)
    ax.hist(share, bins=20, range=(0, 1), color=plots.EASY_COLOUR, edgecolor="white")
    ax.set(xlabel="share of the estimate that was used", ylabel="jobs", xlim=(0, 1))
    plots.mark(ax, month)
    return figure


def charts(schedules: Mapping[str, Schedule]) -> Figure:
    """Draw schedules one above the other on one time axis, each with its means in the title."""
    figure, axes = plt.subplots(len(schedules), 1, figsize=(9, 2.5 * len(schedules)), sharex=True, squeeze=False)
    for ax, (name, schedule) in zip(axes[:, 0], schedules.items(), strict=True):
        mean = schedule.summary()
        wait = f"{mean.mean_wait:.0f} s" if mean.mean_wait < 3600 else f"{mean.mean_wait / 3600:.1f} h"
        plots.gantt(schedule, ax).set_title(
            f"{name}: mean wait {wait}, mean bounded slowdown {mean.mean_bounded_slowdown:.1f}"
        )
        ax.set_xlabel("")
    last = max(schedule.jobs.end.max() for schedule in schedules.values())
    axes[0, 0].set_xlim(0, last)
    plots.time_axis(axes[-1, 0])
    return figure


def who_decides(schedule: Schedule) -> Figure:
    """Draw which share of the sum of two metrics comes from the shortest jobs."""
    figure, ax = plt.subplots(figsize=(6, 3.4))
    row = schedule.jobs.sort_values("run")
    part = pd.Series(range(1, len(row) + 1)) / len(row)
    for column, name in {"bounded_slowdown": "bounded slowdown", "response": "response time"}.items():
        ax.plot(part, row[column].cumsum() / row[column].sum(), linewidth=2, label=name)
    ax.plot([0, 1], [0, 1], ":", color="black")
    ax.set(xlabel="share of the jobs, shortest first", ylabel="share of the sum", xlim=(0, 1), ylim=(0, 1))
    ax.legend()
    plots.mark(ax, schedule.workload)
    return figure


def over_load(found: pd.DataFrame) -> Figure:
    """Draw the processors in use and the mean response time over the offered load: see `lesson5.over_load`."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    for policy, rows in found.groupby(level="policy"):
        loads = rows.index.get_level_values("offered load")
        axes[0].plot(loads, rows.utilization, "o-", label=policy)
        axes[1].plot(loads, rows.mean_response / 3600, "o-", label=policy)
    axes[0].plot([0.4, 1], [0.4, 1], ":", color="black")
    axes[0].set(xlabel="offered load", ylabel="processors in use (share)")
    axes[1].set(xlabel="offered load", ylabel="mean response time [h]")
    plots.plain_log_axis(axes[1])
    axes[0].legend()
    return figure


def pairs(runs: Mapping[str, pd.DataFrame], workload: Workload) -> Figure:
    """Draw two metrics of the same shaken runs under two policies, a line for each run."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    titles = {"mean_response": "mean response time [s]", "mean_bounded_slowdown": "mean bounded slowdown"}
    first, second = runs.values()
    for ax, (column, title) in zip(axes, titles.items(), strict=True):
        ax.plot([0, 1], [first[column], second[column]], color="grey", linewidth=0.8)
        ax.plot([0] * len(first), first[column], "o", [1] * len(second), second[column], "o")
        ax.set(xticks=[0, 1], xticklabels=list(runs), xlim=(-0.4, 1.4), title=title)
    plots.mark(axes[0], workload)
    return figure


def waits(schedules: Mapping[str, Schedule]) -> Figure:
    """Draw which share of the jobs waits longer than so many hours, a line for each schedule."""
    figure, ax = plt.subplots(figsize=(7, 3))
    for name, schedule in schedules.items():
        hours = (schedule.jobs.wait / 3600).sort_values()
        ax.plot(hours, 1 - pd.Series(range(len(hours))) / len(hours), label=name)
    plots.mark(ax, schedule.workload)
    ax.set(xlabel="wait [h]", ylabel="share that waits longer", yscale="log")
    ax.legend()
    return figure
