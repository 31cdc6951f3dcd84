"""The pictures of the lost jobs' notebook; each function draws a table, and computes nothing."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter

from ...plots import COLOURS, legend
from . import LABELS, METRICS, SCHEDULERS


def counts(table):
    """Draw what each month lacks of its printed number of jobs, and how many numbers are missing: a panel a trace."""
    traces = list(table.index.unique("trace"))
    months = [len(table.loc[trace]) for trace in traces]
    figure, axes = plt.subplots(
        1, len(traces), figsize=(2.5 + 0.27 * sum(months), 3.6), width_ratios=months, squeeze=False
    )
    for ax, trace in zip(axes[0], traces, strict=True):
        of = table.loc[trace]
        x = np.arange(len(of))
        ax.bar(x, of.missing, color=COLOURS[5], width=0.75)
        ax.plot(x, of.short, "o", color=COLOURS[1], markersize=5)
        ax.plot(x, of.published - of["median"], "_", color=COLOURS[0], markersize=9, markeredgewidth=2)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xticks(x, of.index, rotation=90)
        ax.set(title=trace, xlim=(-0.7, len(x) - 0.3))
        ax.grid(False, axis="x")
    axes[0, 0].set_ylabel("jobs")
    entries = {
        "missing by their numbers": {"facecolor": COLOURS[5]},
        "printed, less those of the file": {"marker": "o", "color": COLOURS[1], "linestyle": ""},
        "printed, less those of the restored log": {"marker": "_", "color": COLOURS[0], "linestyle": ""},
    }
    legend(figure, entries)
    return figure


def run_times(tried, folds, lowest=-40):
    """Draw how likely the Paragon's printed months are by the nightly jobs' run time: a line each half of them."""
    from .lost_jobs import in_fold  # which needs this module for its pictures

    figure, ax = plt.subplots(figsize=(6.5, 3.4))
    for fold, colour in zip(folds, (COLOURS[2], COLOURS[3], *COLOURS[:2]), strict=True):
        likelihood = tried.log_likelihood[in_fold(tried, fold)].groupby("value").sum()
        label = "EASY" if fold == "easy" else fold
        ax.plot(likelihood.index, likelihood - likelihood.max(), "o-", color=colour, markersize=4, label=label)
    ax.set(xlabel="mean run time of the nightly jobs [s]", ylabel="log likelihood, below the best", ylim=(lowest, 2))
    ax.legend(title="inferred from", loc="lower center")
    return figure


def orders(table):
    """Draw how far each order of the lengths of CM-5's first months is off, the best first."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 1 + 0.24 * len(table)), sharey=True)
    y = np.arange(len(table))
    for scheduler, colour, mark in zip(SCHEDULERS, COLOURS[:2], "os", strict=True):
        name = "EASY" if scheduler == "easy" else scheduler
        left.plot(table[f"jobs_off_{scheduler}"], y, mark, color=colour, markersize=5, fillstyle="none", label=name)
        right.plot(table[f"log_likelihood_{scheduler}"], y, mark, color=colour, markersize=5, fillstyle="none")
    labels = [f"{days}, the calendar" if row.calendar else days for days, row in table.iterrows()]
    left.set_yticks(y, labels)
    left.invert_yaxis()
    left.set(xlabel="numbers of jobs off, five months together", ylabel="days of the first months", xlim=(0, None))
    right.set_xlabel("log likelihood of the means, which had no say")
    figure.legend(loc="outside upper right", ncols=2)
    return figure


def cures(table):
    """Draw by how much the printed means are missed, as filed, cured, and falsely cured: a panel a metric."""
    figure, axes = plt.subplots(1, len(METRICS), figsize=(9.5, 1.2 + 0.2 * len(table)), sharey=True)
    looks = ("o", "#888888"), ("X", COLOURS[4]), ("o", COLOURS[2]), ("o", COLOURS[5]), ("X", COLOURS[1])
    styles = dict(zip(table.index.unique("cure"), looks, strict=False))
    groups = list(table.groupby(["trace", "scheduler"], sort=False))
    for ax, metric in zip(axes, METRICS, strict=True):
        for y, (_, part) in enumerate(groups):
            for cure, off in part[metric].droplevel(["trace", "scheduler"]).items():
                marker, colour = styles[cure]
                ax.plot(off, y, marker, color=colour, markersize=7)
        ax.set(xlabel=f"{LABELS[metric].partition(' [')[0]}, off in the median month", xscale="log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(PercentFormatter(1))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_yticks(range(len(groups)), [" ".join(key).replace("easy", "EASY") for key, _ in groups])
    axes[0].invert_yaxis()
    legend(figure, {cure: {"marker": m, "color": c, "linestyle": ""} for cure, (m, c) in styles.items()})
    return figure
