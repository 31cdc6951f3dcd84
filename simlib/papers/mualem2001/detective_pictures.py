"""The pictures of the detective's notebook; each function draws a table, and computes nothing."""

import matplotlib.pyplot as plt
import numpy as np

from ...plots import COLOURS, legend


def offsets(counts):
    """How well the printed numbers of jobs fit, against the hour at which months begin: a panel a trace.

    Parameters
    ----------
    counts : dict
        From `detective.counts_by_offset`, by trace.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, len(counts), figsize=(0.6 + 2.9 * len(counts), 3.2), sharex=True, squeeze=False)
    for ax, (trace, table) in zip(axes[0], counts.items(), strict=True):
        best = table.log_likelihood.idxmax()
        ax.axvline(0, color="grey", linewidth=1)
        ax.plot(table.index, table.log_likelihood - table.log_likelihood.max(), color=COLOURS[0], linewidth=1.4)
        ax.plot(best, 0, "o", color=COLOURS[1])
        ax.annotate(
            f"{best:+g} h" if best else "midnight",
            (best, 0),
            xytext=(6, -3),
            textcoords="offset points",
            color=COLOURS[1],
        )
        ax.set_title(trace)
        ax.set_xlabel("months begin so many hours\nafter local midnight")
        ax.xaxis.set_major_locator(plt.MultipleLocator(12))
    axes[0, 0].set_ylabel("log likelihood, below the best")
    return figure


def suspects(first, last, lowest=-60):
    """How much more or less likely one change makes the text's program, and the likeliest one.

    Parameters
    ----------
    first, last : DataFrame
        From `suspects.ranking`, around either program.
    lowest : float
        Bars that are longer are cut off there, and say how long they are.

    Returns
    -------
    Figure
    """
    length = max(len(first), len(last)) - 1
    figure, axes = plt.subplots(1, 2, figsize=(15, 1.2 + 0.27 * length))
    for ax, table, title in zip(axes, (first, last), ("from the text's program", "from the likeliest"), strict=True):
        more = table.more[table.index != ("", "")].iloc[::-1]
        ax.barh(range(len(more)), more.clip(lower=lowest), color=np.where(more > 0, COLOURS[2], COLOURS[1]), height=0.7)
        for y, value in enumerate(more):
            ax.text(max(value, 0) + 1, y, f"{value:+.0f}", va="center", size=8)
        ax.axvline(0, color="black", linewidth=1)
        ax.set_yticks(range(len(more)), [f"{detail}: {reading}" for detail, reading in more.index], size=8.5)
        ax.set(title=f"one change {title}", xlabel="log likelihood more than without the change")
        ax.set_xlim(lowest, max(more.max() * 1.25, 12))
        ax.grid(False, axis="y")
    return figure


MARKS = {
    ("easy", "response_s"): {"color": COLOURS[0], "marker": "o"},
    ("easy", "bounded_slowdown"): {"color": COLOURS[0], "marker": "o", "fillstyle": "none"},
    ("conservative", "response_s"): {"color": COLOURS[1], "marker": "s"},
    ("conservative", "bounded_slowdown"): {"color": COLOURS[1], "marker": "s", "fillstyle": "none"},
}


def standing(table, highest=4):
    """Where the printed numbers stand in the bands of two programs: a row a program, a column a trace.

    Parameters
    ----------
    table : DataFrame
        By (program, scheduler, trace, month, metric), column `standing`: 0 is the median, -1 and 1 the band's ends.
    highest : float
        What is further off is drawn at the edge.

    Returns
    -------
    Figure
    """
    programs, traces = (list(table.index.unique(level)) for level in ("program", "trace"))
    table = table.sort_index()
    months = {trace: list(table.xs(trace, level="trace").index.unique("month")) for trace in traces}
    size = (1.5 + 0.2 * sum(map(len, months.values())), 1.2 + 2.9 * len(programs))
    widths = [len(months[trace]) for trace in traces]
    figure, axes = plt.subplots(
        len(programs), len(traces), figsize=size, width_ratios=widths, sharey=True, sharex="col", squeeze=False
    )
    for row, program in enumerate(programs):
        for column, trace in enumerate(traces):
            ax = axes[row, column]
            ax.axhspan(-1, 1, color="#E8E8E8", zorder=0)
            for shift, ((scheduler, metric), style) in zip((-0.24, -0.08, 0.08, 0.24), MARKS.items(), strict=True):
                part = table.loc[program, scheduler, trace].xs(metric, level="metric").standing
                x = np.array([months[trace].index(month) for month in part.index]) + shift
                ax.plot(x, part.clip(-highest, highest), linestyle="", markersize=4.5, **style)
            ax.set_title(trace if row == 0 else "")
            step = 2 if len(months[trace]) > 12 else 1
            ax.set_xticks(range(0, len(months[trace]), step), months[trace][::step], rotation=90, size=8.5)
            ax.set_xlim(-0.7, len(months[trace]) - 0.3)
            ax.grid(False, axis="x")
        axes[row, 0].set_ylabel(program)
    axes[0, 0].set_ylim(-highest * 1.08, highest * 1.08)
    figure.supylabel("printed number's place in our band", size=10)
    names = {"response_s": "response time", "bounded_slowdown": "bounded slowdown"}
    entries = {
        f"{'EASY' if scheduler == 'easy' else scheduler}, {names[metric]}": style | {"linestyle": ""}
        for (scheduler, metric), style in MARKS.items()
    }
    legend(figure, entries | {"95 % of shaken runs": {"facecolor": "#E8E8E8"}})
    return figure
