"""The schedules of Table 3 and Figure 12, small enough to see what over- and underestimates do to backfilling.

The jobs are `simlib.models.examples.figure12`, so that the real engine shows what the paper's text describes (section
5.1): it adjusts their estimates by what their users' earlier jobs took.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simlib.core.schedule import Schedule, simulate
from simlib.models.examples import figure12, scheduled
from simlib.plots.panels import legend, time_axis
from simlib.plots.schedules import draw_piece, gantt, job_colours
from simlib.plots.style import COLOURS, INK
from simlib.policies.adjusting import levels
from simlib.policies.in_plain import reserves

# What EASY goes by when it backfills: who runs until when, what is promised to the head of the queue, who may pass.


def expected_run(schedule: Schedule, now: int) -> pd.Series:
    """Tell the run time in seconds that EASY expects of each job at second `now`."""
    jobs, adjust = schedule.jobs, getattr(schedule.policy, "adjust", None)
    if adjust is None:
        return jobs.estimate
    return jobs.adjusted.where(np.where(jobs.start < now, adjust.running, adjust.backfill), jobs.estimate)


def backfill_window(schedule: Schedule, now: int, head: int | str) -> pd.DataFrame:
    """Tell what EASY goes by at second `now`, when a job is the head of the queue.

    Gives a DataFrame, by job that has not ended: its `role` ("running", "reserved", "candidate"), `start` and
    expected `run` in seconds (from its reservation for the head, from `now` for candidates), its `estimate`,
    `procs`, and whether it is `backfilled` now. The window lasts from `now` to the start of the head.
    """
    if reserves(schedule.policy):
        raise ValueError(f"backfill_window: found a schedule under {schedule.policy}, expected EASY, one reservation")
    jobs = schedule.jobs.assign(run=expected_run(schedule, now))[schedule.jobs.end > now]
    jobs["role"] = np.select([jobs.start < now, jobs.index == head], ["running", "reserved"], "candidate")
    jobs["backfilled"] &= jobs.start == now
    running = jobs[jobs.role == "running"]
    end = (running.start + running.run).to_numpy()
    if adjust := getattr(schedule.policy, "adjust", None):  # what has outlived its adjusted estimate ends later
        end = np.where(end <= now, now + adjust.overdue, end)
    by_end, size = np.argsort(end, kind="stable"), running.procs.to_numpy()
    free = schedule.workload.procs - size.sum() + np.cumsum([0, *size[by_end]])  # now, and after each end
    shadow = max(now, [now, *end[by_end]][(free >= jobs.procs[head]).argmax()])
    jobs["start"] = np.select([jobs.role == "running", jobs.role == "reserved"], [jobs.start, shadow], now)
    return jobs[["role", "start", "run", "estimate", "procs", "backfilled"]]


# Pictures of what EASY went by when it let jobs pass the head of the queue, and of what came of it.


WINDOW_COLOUR = "#FFF2B3"
LEGEND: Mapping[str, Mapping[str, Any]] = {
    "has run": {"facecolor": "#666666"},
    "expected or waiting": {"facecolor": "#666666", "alpha": 0.35},
    "backfilled": {"facecolor": "#666666", "edgecolor": "white", "hatch": "//"},
    "backfill window": {"facecolor": WINDOW_COLOUR},
    "the user's estimate": {"facecolor": "none", "edgecolor": "grey", "linestyle": ":"},
    "reservation (below: the first)": {"color": "black", "linestyle": "--"},
}
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}


def backfill_decisions(schedules: Mapping[str, Schedule], now: int, head: int | str) -> Figure:
    """Draw what EASY expected at second `now`, and below it what then happened: one column for each schedule, by title.

    Above: until when each job runs, the reservation of the head of the queue and the window before it. Over the machine
    stand the candidates for that window, each with its expected run time, and dotted with its user's estimate.
    """
    rows: dict[str, Any] = {"sharex": True, "sharey": "row", "squeeze": False, "height_ratios": (1.4, 1)}
    figure, axes = plt.subplots(2, len(schedules), figsize=(1.2 + 3.4 * len(schedules), 7), **rows)
    last = max(schedule.jobs.end.max() for schedule in schedules.values())
    procs = max(schedule.workload.procs for schedule in schedules.values())
    for (upper, lower), (title, schedule) in zip(axes.T, schedules.items(), strict=True):
        at, colours = backfill_window(schedule, now, head), job_colours(schedule.jobs.index)
        _machine(upper, at, procs, now, colours)
        _candidates(upper, at[at.role == "candidate"], procs, now, colours)
        upper.set_title(title, size=12, weight="bold")
        upper.grid(False)
        _outcome(lower, schedule, head)
        lower.set(xlim=(0, last), ylabel="")
        time_axis(lower)
    axes[0, 0].set(yticks=range(0, procs + 1, 2), ylabel="nodes at the decision; candidates")
    axes[1, 0].set(yticks=range(0, procs + 1, 2), ylabel="nodes, what happened")
    legend(figure, LEGEND, "outside upper center", ncols=len(LEGEND) if len(schedules) > 2 else 3, fontsize=11)
    return figure


def _clock(seconds: float) -> str:
    """Write seconds as hours and minutes."""
    return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}"


def _machine(ax: Axes, at: pd.DataFrame, procs: int, now: int, colours: Mapping[Hashable, str]) -> None:
    """Draw what runs, the reservation, and the window between them, with its length."""
    used = 0
    for job, row in at[at.role == "running"].sort_values("start", kind="stable").iterrows():
        draw_piece(ax, row, used, row.procs, colours[job], now)
        ax.text((row.start + now) / 2, used + row.procs / 2, str(job), weight="bold", color=INK[0], **CENTRED)
        used += row.procs
    head = at[at.role == "reserved"].iloc[0]
    draw_piece(ax, head, 0, head.procs, colours[head.name], now)
    ax.text(head.start + head.run / 2, head.procs / 2, str(head.name), weight="bold", **CENTRED)
    ax.barh(used, head.start - now, procs - used, now, align="edge", color=WINDOW_COLOUR)
    arrow = {"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=(now, procs - 0.5), xytext=(head.start, procs - 0.5), arrowprops=arrow)
    ax.text((now + head.start) / 2, (used + procs - 0.7) / 2, f"window\n{_clock(head.start - now)}", **CENTRED)
    ax.axvline(now, color="black", linewidth=1.5)
    ax.axvline(head.start, color="black", linestyle="--", linewidth=1.5)


def _candidates(ax: Axes, waiting: pd.DataFrame, procs: int, now: int, colours: Mapping[Hashable, str]) -> None:
    """Draw above the machine how long each candidate is taken to run; dotted what its user requested."""
    for place, (job, row) in enumerate(waiting[::-1].iterrows()):
        y = procs + 2.6 + 1.2 * (place - len(waiting) / 2)
        ax.barh(y, row.estimate, 1, now, align="edge", facecolor="none", edgecolor="grey", linestyle=":", linewidth=1.2)
        style = {"hatch": "//"} if row.backfilled else {"alpha": 0.35}
        ax.barh(y, row.run, 1, now, align="edge", color=colours[job], edgecolor="white", **style)
        ax.text(now - 600, y + 0.5, str(job), ha="right", va="center", weight="bold")
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        ax.text(now + 900, y + 0.5, _clock(row.run), va="center", bbox=box, size=9)
    ax.set_ylim(0, procs + 4.5)


def _outcome(ax: Axes, schedule: Schedule, head: int | str) -> None:
    """Draw what happened, with the start that the head of the queue was promised first."""
    if schedule.shadow is None:
        raise ValueError(f"backfill_decisions: found a schedule under {schedule.policy}, expected one under EASY")
    gantt(schedule, ax)
    promised, started = schedule.shadow[head], schedule.jobs.start[head]
    ax.axvline(promised, color="black", linestyle="--", linewidth=1.5)
    late = f"{_clock(started - promised)} late" if started > promised else "not late"
    text = f"job {head}: promised {_clock(promised)}, started {_clock(started)}\n{late}"
    ax.set_title(text, color="black" if late == "not late" else COLOURS[1])


MINUTE = 60

DECISION = 60 * MINUTE
"""The second at which jobs 2 to 5 are submitted, and at which the figure looks at the backfill window."""

HEAD = 2


def effects(schedule: Schedule) -> dict[str, Any]:
    """Read off what adjusted estimates do at the decision, and what comes of it, as a dict; times are in minutes.

    Job 2 starts `late` after its promise, and `later` than by the users' estimates.
    """
    jobs, at = schedule.jobs, backfill_window(schedule, DECISION, HEAD)
    policy: Any = schedule.policy
    by_users = simulate(schedule.workload, replace(policy, adjust=None)).jobs
    level = pd.Series(levels(jobs.run, jobs.estimate, expected_run(schedule, DECISION)), index=jobs.index)
    promised, started = at.start[HEAD], jobs.start[HEAD]
    return {
        "adjusted": ", ".join(f"{job} {how}" for job, how in level.items() if how != "NA"),
        "backfilled": ", ".join(str(job) for job in at.index[at.backfilled]),
        "window_min": (promised - DECISION) / MINUTE,
        "promised_min": promised / MINUTE,
        "started_min": started / MINUTE,
        "late_min": max(started - promised, 0) / MINUTE,
        "later_min": (started - by_users.start[HEAD]) / MINUTE,
        "mean_wait_min": jobs.wait.mean() / MINUTE,
    }


def by_share(job: int, shares: Iterable[float], order: str = "fcfs") -> pd.DataFrame:
    """Lay out the effects of regular adjustment, and its level, by the share that earlier jobs of a job's user took."""
    rows = {share: effects(scheduled(figure12(), {job: share}, order=order)) for share in shares}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis(index="share")
    return table.assign(level=table.adjusted.str.split().str[-1].fillna("NA"))


TABLE_3 = {
    ("waiting", "OE"): ("job 3 overestimated", "backfill chance increased, no delay"),
    ("waiting", "UE"): ("job 4 underestimated", "chance increased, may delay"),
    ("waiting", "BE"): ("job 4 badly underestimated", "chance increased, may delay"),
    ("running", "OE"): ("job 1 overestimated", "shorter backfill window"),
    ("running", "UE"): ("job 1 underestimated", "shorter window and delay"),
    ("running", "BE"): ("job 1 badly underestimated", "shorter window and delay"),
}
"""By cell, the case that decides it and what is printed; in print, UE and BE are one column."""


def table3(found: pd.DataFrame) -> pd.DataFrame:
    """Decide Table 3 from `effects` by strategy and case; selective adjustment leaves running jobs.

    Waiting: the chance to be backfilled has increased if a job is let in that is not by the users' estimates. Running:
    the window is shorter if it is so in minutes. Delay: job 2 starts later than it was promised at the decision.
    """
    rows = {}
    for strategy, ((job, level), (case, printed)) in product(("regular", "selective"), TABLE_3.items()):
        row: Any = found.loc[strategy, case]
        base: Any = found.loc[strategy, "users' estimates"]
        if job == "waiting":
            more = sorted(set(row.backfilled.split(", ")) - {"", *base.backfilled.split(", ")})
            effect, ours = bool(more), f"job {', '.join(more)} let in as well" if more else "no further job let in"
        elif strategy == "regular":
            effect = row.window_min < base.window_min
            ours = f"window {row.window_min:.0f} min instead of {base.window_min:.0f}"
        else:
            continue
        ours += f", delay of {row.late_min:.0f} min" if row.late_min else ", no delay"
        as_printed = effect and (row.late_min > 0) == (level != "OE")
        rows[strategy, job, level] = {"case": case, "printed": printed, "ours": ours, "as_printed": as_printed}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index=["strategy", "job", "estimation"])
