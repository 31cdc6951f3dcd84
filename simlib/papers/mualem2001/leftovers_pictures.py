"""The pictures of what is left; each function draws tables, and computes nothing."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

from ...plots import COLOURS, legend
from ..judging import OFF
from . import CLOSE_TO, LABELS, METRICS

GREY = "#888888"

PRINTED = {"marker": "D", "color": "black", "fillstyle": "none", "markersize": 8, "linestyle": ""}

FINE, COARSE = (0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2), (0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 4, 6)
"""Ticks of axes that are relative to print."""


def spread(table, off):
    """Draw how the runs of each off month lie around the printed number, which is 1: a row a month, a panel a metric.

    Parameters
    ----------
    table : DataFrame
        By (trace, month, scheduler, metric, shake_s): `low`, `quarter`, `median`, `three_quarters`, `high`.
    off : DataFrame
        By (trace, month, scheduler): the verdicts, of which those that are off are filled.
    """
    figure, axes = plt.subplots(1, len(METRICS), figsize=(11, 1.4 + 0.36 * len(off)), sharey=True)
    looks = dict(zip(table.index.unique("shake_s"), ((-0.16, COLOURS[0]), (0.16, COLOURS[1])), strict=False))
    for ax, metric in zip(axes, METRICS, strict=True):
        ax.axvspan(1 - CLOSE_TO[metric], 1 + CLOSE_TO[metric], color="#EEEEEE", zorder=0)
        ax.axvline(1, color="black", linewidth=1)
        for y, (place, row) in enumerate(off.iterrows()):
            is_off = OFF in (row[f"{metric}_verdict"], row[f"{metric}_verdict_in_table1"])
            for seconds, (shift, colour) in looks.items():
                _box(ax, y + shift, table.loc[(*place, metric, seconds)], colour, is_off)
        _ratio_axis(ax)
        ax.set_xlabel(f"{LABELS[metric].partition(' [')[0]}, printed = 1")
    axes[0].set_yticks(range(len(off)), [" ".join(place).replace("easy", "EASY") for place in off.index])
    axes[0].set_ylim(len(off) - 0.4, -0.6)
    entries = {f"shaken by ±{seconds:,} s": {"color": colour, "linewidth": 4} for seconds, (_, colour) in looks.items()}
    dot = {"color": GREY, "marker": "o", "linestyle": ""}
    entries |= {"median, off": dot, "median, not off": dot | {"fillstyle": "none"}}
    legend(figure, entries | {"close to print": {"facecolor": "#EEEEEE"}})
    return figure


def _box(ax, y, row, colour, filled):
    """One distribution: 95 % of it thin, half of it thick, its median as a dot."""
    ax.plot([row.low, row.high], [y, y], color=colour, linewidth=1.2)
    ax.plot([row.quarter, row.three_quarters], [y, y], color=colour, linewidth=4, alpha=0.6, solid_capstyle="butt")
    ax.plot(row["median"], y, "o", color=colour, markersize=5, markerfacecolor=colour if filled else "white")


def _ratio_axis(ax):
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(
        FixedLocator([ratio for ratio in (FINE if high < 4 * low else COARSE) if low <= ratio <= high])
    )
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", labelsize=9)
    ax.grid(False, axis="y")


def forks(runs):
    """Draw the forks that can be shown: a panel each.

    Parameters
    ----------
    runs : DataFrame
        From `leftovers_forks.runs`.
    """
    here = {name: draw for name, draw in PANELS.items() if name in runs.index.unique("name")}
    columns = min(2, len(here))
    rows = -(-len(here) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(5.6 * columns, 4.2 * rows), squeeze=False)
    for ax, (name, draw) in zip(axes.flat, here.items(), strict=False):
        draw(ax, runs.loc[name])
        ax.set_title(name.replace("easy", "EASY"))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    for ax in axes.flat[len(here) :]:
        ax.set_axis_off()
    return figure


def _changes(ax, runs):
    """What single changes do: the two means against one another."""
    variants = [variant for variant in runs.index.unique("variant") if not variant.startswith("shaken")]
    looks = [("s", "black"), *(("o", COLOURS[2]) for _ in variants[1:-1]), ("x", GREY)]
    places = {}
    for variant, (marker, colour) in zip(variants, looks, strict=True):
        part = runs.loc[variant]
        filled = {"markerfacecolor": "none"} if marker == "s" else {}
        ax.plot(part.bounded_slowdown, part.response_s, marker, color=colour, markersize=8, **filled)
        key = "with the change" if marker == "o" else variant
        places.setdefault(key, {"marker": marker, "color": colour, "linestyle": ""} | filled)
    first = runs.iloc[0]
    ax.plot(first.bounded_slowdown_printed, first.response_s_printed, **PRINTED)
    _labelled(ax, places | {"printed": PRINTED})
    ax.margins(0.15)
    ax.set(xlabel=LABELS["bounded_slowdown"], ylabel=LABELS["response_s"])
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _causes(cause):
    """What shaken runs owe to a cause: response times against it; both as printed where that is known."""

    def draw(ax, runs):
        shaken = runs.dropna(subset="cause")
        first = shaken.iloc[0]
        ax.plot(shaken.cause, shaken.response_s, "o", color=COLOURS[0], markersize=3, alpha=0.6)
        if first.cause_printed == first.cause_printed:
            ax.plot(first.cause_printed, first.response_s_printed, **PRINTED)
            printed = PRINTED
        else:
            printed = {"color": "black", "linewidth": 1.2, "linestyle": "--"}
            ax.axhline(first.response_s_printed, **printed)
        _labelled(ax, {"a shaken run": {"color": COLOURS[0], "marker": "o", "linestyle": ""}, "printed": printed})
        ax.set(xlabel=cause, ylabel=LABELS["response_s"])
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))

    return draw


def _labelled(ax, entries):
    ax.legend(handles=[plt.Line2D([], [], label=label, **style) for label, style in entries.items()], fontsize=8.5)


PANELS = {
    "KTH 1997-03 conservative": _changes,
    "SDSC 1999-11 conservative": _changes,
    "SDSC 1999-12 easy": _causes("user 328's jobs wait together [h]"),
    "SDSC 2000-03 easy": _causes("load of February 2000"),
}
"""What draws each fork; of others there is only the table."""
