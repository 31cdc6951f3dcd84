"""The pictures of Table 3 and Figure 12; each function draws what `examples` made, and computes nothing."""

import matplotlib.pyplot as plt

from ...plots import COLOURS, INK, _rectangle, gantt, legend, time_axis
from .pictures import LEVEL_COLOURS

WINDOW_COLOUR = "#FFF2B3"
DECISION_LEGEND = {
    "has run": {"facecolor": "#666666"},
    "expected or waiting": {"facecolor": "#666666", "alpha": 0.35},
    "backfilled": {"facecolor": "#666666", "edgecolor": "white", "hatch": "//"},
    "backfill window": {"facecolor": WINDOW_COLOUR},
    "the user's estimate": {"facecolor": "none", "edgecolor": "grey", "linestyle": ":"},
    "reservation (below: the first)": {"color": "black", "linestyle": "--"},
}
CENTRED = {"ha": "center", "va": "center"}


def backfill_decisions(schedules, moments, now):
    """Above, what a scheduler went by at second `now`: who runs until when, the reservation of the head of the queue,
    the window before it, and the candidates for that; below, what then happened. A column a case.

    Parameters
    ----------
    schedules : dict
        By title, the Schedule.
    moments : dict
        By title, the jobs at second `now` as `simlib.papers.tang2013.examples.moment` has them.
    now : int

    Returns
    -------
    Figure
    """
    rows = {"sharex": True, "sharey": "row", "squeeze": False, "height_ratios": (1.4, 1)}
    figure, axes = plt.subplots(2, len(schedules), figsize=(1.2 + 3.4 * len(schedules), 7), **rows)
    last = max(schedule.jobs.end.max() for schedule in schedules.values())
    for (upper, lower), (title, schedule) in zip(axes.T, schedules.items(), strict=True):
        at, procs = moments[title], schedule.workload.procs
        colours = dict(zip(schedule.jobs.index, COLOURS, strict=False))
        head = _machine_at(upper, at, procs, now, colours)
        _candidates(upper, at[at.role == "candidate"], procs, now, colours)
        upper.set_title(title, size=12, weight="bold")
        upper.grid(False)
        _outcome(lower, schedule, head)
        lower.set(xlim=(0, last), ylabel="")
        time_axis(lower)
    for ax, label, y in zip(axes[:, 0], ("nodes, at the decision", "nodes, what happened"), (0.36, 0.5), strict=True):
        ax.set_yticks(range(0, procs + 1, 2))
        ax.set_ylabel(label, y=y, size=11)
    beside = axes[0, 0].get_yaxis_transform()
    axes[0, 0].text(-0.11, procs + 2.5, "candidates", transform=beside, rotation=90, size=11, **CENTRED)
    columns = len(DECISION_LEGEND) if len(schedules) > 2 else 3
    legend(figure, DECISION_LEGEND, "outside lower center", ncols=columns, fontsize=11)
    return figure


def by_share(sweeps):
    """When job 2 starts and was promised to, by A of the job that is adjusted; a panel a job, a ground a level.

    Parameters
    ----------
    sweeps : dict
        By title, a table of `examples.by_share`.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, len(sweeps), figsize=(11, 3.8), sharey=True)
    for ax, (title, sweep) in zip(axes, sweeps.items(), strict=True):
        for level, part in sweep.groupby("level", sort=False):
            span = part.index[-1] - 0.005, part.index[0] + 0.005
            ax.axvspan(*span, color=LEVEL_COLOURS[level], alpha=0.25, linewidth=0, label=level)
        ax.plot(sweep.index, sweep.promised_min / 60, "k--", label="job 2 promised")
        ax.step(sweep.index, sweep.started_min / 60, color=COLOURS[1], where="mid", label="job 2 started")
        ax.set(title=title, xlabel="A", xlim=(sweep.index[0] + 0.005, sweep.index[-1] - 0.005))
    axes[0].set_ylabel("time [hours]")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside right upper")
    return figure


def _clock(seconds):
    """Hours and minutes."""
    return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}"


def _machine_at(ax, at, procs, now, colours):
    """What runs, the reservation, and the window between them, with its length; returns the head."""
    used = 0
    for job, row in at[at.role == "running"].sort_values("start", kind="stable").iterrows():
        _rectangle(ax, row, used, row.procs, colours[job], now)
        ax.text((row.start + now) / 2, used + row.procs / 2, job, weight="bold", color=INK[0], **CENTRED)
        used += row.procs
    head = at[at.role == "reserved"].iloc[0]
    _rectangle(ax, head, 0, head.procs, colours[head.name], now)
    ax.text(head.start + head.run / 2, head.procs / 2, head.name, weight="bold", **CENTRED)
    ax.barh(used, head.start - now, procs - used, now, align="edge", color=WINDOW_COLOUR)
    ends = {"xy": (now, procs - 0.5), "xytext": (head.start, procs - 0.5)}
    ax.annotate("", **ends, arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0})
    ax.text((now + head.start) / 2, (used + procs - 0.7) / 2, f"window\n{_clock(head.start - now)}", **CENTRED)
    ax.axvline(now, color="black", linewidth=1.5)
    ax.axvline(head.start, color="black", linestyle="--", linewidth=1.5)
    return head.name


def _candidates(ax, waiting, procs, now, colours):
    """Above the machine, how long each candidate is taken to run; dotted what its user asked for."""
    for place, (job, row) in enumerate(waiting[::-1].iterrows()):
        y = procs + 2.6 + 1.2 * (place - len(waiting) / 2)
        ax.barh(y, row.estimate, 1, now, align="edge", facecolor="none", edgecolor="grey", linestyle=":", linewidth=1.2)
        style = {"hatch": "//"} if row.backfilled else {"alpha": 0.35}
        ax.barh(y, row.run, 1, now, align="edge", color=colours[job], edgecolor="white", **style)
        ax.text(now - 600, y + 0.5, job, ha="right", va="center", weight="bold")
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        ax.text(now + 900, y + 0.5, _clock(row.run), va="center", bbox=box, size=9)
    ax.set_ylim(0, procs + 4.5)


def _outcome(ax, schedule, head):
    """What happened, with the start that the head of the queue was promised first."""
    gantt(schedule, ax)
    promised, started = schedule.shadow[head], schedule.jobs.start[head]
    ax.axvline(promised, color="black", linestyle="--", linewidth=1.5)
    late = started > promised
    text = f"job {head}: promised {_clock(promised)}, started {_clock(started)}\n"
    text += f"{_clock(started - promised)} late" if late else "not late"
    ax.set_title(text, color=COLOURS[1] if late else "black")
