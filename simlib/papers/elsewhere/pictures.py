"""Pictures of effects on many logs; each function draws tables, and computes nothing but which side a row is on."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedLocator, PercentFormatter

from ...plots import COLOURS, legend
from ...plots.load_curves import in_whole_per_cents
from .deciding import AGAINST, OPEN, WITH, sides

LOOKS = {WITH: COLOURS[0], AGAINST: COLOURS[1], OPEN: "#999999"}
"""Colours by the side on which coincidence lies."""

SAID = {WITH: "better", AGAINST: "worse", OPEN: "may be coincidence"}

PRINTED = {"marker": "D", "color": "black", "fillstyle": "none", "markersize": 7, "linestyle": ""}

LIKELY = {"marker": "^", "color": "#555555", "markersize": 4.5, "linestyle": ""}

MARKS = {"likely": LIKELY, "printed": PRINTED}

CALLED = {"likely": "by the authors' likely programs", "printed": "printed"}

THICK, THIN = {"linewidth": 6, "alpha": 0.45}, {"linewidth": 1.3}

GAP = 0.8
"""Between the paper's logs and the others, in rows."""

FARTHEST = 1.5
"""Axes reach no farther than a change by so many times the base; what lies beyond is written at their end."""


OF_PAPER = "a log of the paper"

LINEAR = 0.05
"""Up to which change axes are linear; beyond it is more and more like on a logarithmic one."""

TICKS = [-0.5, -0.2, -0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]


BARS = {"coincidence": {"color": "grey", **THICK}, "another year": {"color": "grey", **THIN}}

OTHER_USERS = {"other users": BARS["coincidence"]}
"""The one interval of a bootstrap over users."""


def forest(panels, about, sign, against, paper=OF_PAPER, said=SAID, absent="no estimates", bars=BARS):
    """Draw effects with both intervals: a row a log, the paper's first, and a panel a measure.

    Parameters
    ----------
    panels : dict of DataFrame
        By title, from `effects`, by log; they may have `printed`, and `likely`, the effect of the authors' programs.
    about : DataFrame
        From `about`: all logs; those without a row in a panel are said to take no part.
    sign : int or None
        1 where the finding is that something grows, -1 where it falls; None where there is no side.
    against : str
        What is held against what.
    paper : str
        What the logs are called that `about` has as the paper's.
    said : dict
        What the sides are called: that of the sign is `WITH`.
    absent : str
        What is said of a log without a row in a panel.
    bars : dict
        What the intervals are called.
    """
    places, labels = rows(about)
    width = max(6.5, 2.4 + (3.6 if len(panels) < 3 else 2.7) * len(panels))
    figure, axes = plt.subplots(1, len(panels), figsize=(width, 1.7 + 0.33 * len(places)), sharey=True, squeeze=False)
    found = set()
    for ax, (title, table) in zip(axes[0], panels.items(), strict=True):
        found |= set(panel(ax, table, places, sign))
        for log in set(places) - set(table.index):
            ax.text(0, places[log], f" {absent}", size=8, color="#777777", va="center")
        ax.set_title(title)
    first = axes[0, 0]
    first.set_yticks(list(places.values()), labels)
    first.set_ylim(max(places.values()) + 0.6, -0.6)
    figure.supxlabel(against, size=10)
    legend(figure, _entries(found, said, panels.values(), bars) | {f"* {paper}": {"linestyle": ""}}, ncols=3)
    return figure


def rows(about):
    """Choose a height for each log, those of the paper first and the others apart, by year; and a label."""
    by_year = about.sort_values("year", kind="stable")
    ordered = [*by_year.index[by_year.paper], *by_year.index[~by_year.paper]]
    gap = GAP if about.paper.any() else 0
    places = {log: place + gap * (not about.paper[log]) for place, log in enumerate(ordered)}
    return places, [f"{log}{'*' if about.paper[log] else ''} {about.year[log]}" for log in ordered]


def panel(ax, table, places, sign):
    """Draw one measure; return the sides that its rows are on."""
    of = sides(table, sign) if sign else table.effect.map(lambda _: OPEN)
    colours = of.map(LOOKS) if sign else of.map(lambda _: COLOURS[0])
    left, right = _reach(table)
    for log, row in table.iterrows():
        y, colour = places[log], colours[log]
        if of[log] == AGAINST:
            ax.axhspan(y - 0.42, y + 0.42, color=LOOKS[AGAINST], alpha=0.13, linewidth=0)
        ax.hlines(y, *np.clip([row.year_low, row.year_high], left, right), color=colour, **THIN)
        ax.hlines(y, *np.clip([row.low, row.high], left, right), color=colour, **THICK)
        ax.plot(np.clip(row.effect, left, right), y, "o", color=colour, markersize=6 if of[log] == AGAINST else 5)
        for mark, style in MARKS.items():
            ax.plot(np.clip(row.get(mark, np.nan), left, right), y, **style)
        _beyond(ax, row, y, (left, right))
    ax.axvline(0, color="black", linewidth=1)
    in_whole_per_cents(ax.xaxis)
    ax.tick_params(axis="x", labelsize=8.5)
    return of.unique() if sign else []


def _reach(table):
    """How far the axis reaches to either side: to the last end of an interval, but not beyond `FARTHEST`."""
    ends = table.filter(["low", "high", "year_low", "year_high", "effect", *MARKS]).to_numpy()
    return max(np.nanmin(ends, initial=0), -FARTHEST), min(np.nanmax(ends, initial=0), FARTHEST)


def _beyond(ax, row, y, limits):
    """Write an effect that lies beyond the axis at its end."""
    if not limits[0] <= row.effect <= limits[1]:
        at = limits[int(row.effect > limits[1])]
        ax.annotate(f"{100 * row.effect:+.0f}%", (at, y), (0, 6), textcoords="offset points", size=8, ha="center")


def _entries(found, said, tables, bars):
    """The legend's, of the sides and the marks that there are."""
    entries = {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in found}
    entries |= bars
    marked = {mark for table in tables for mark in table.columns.intersection(list(MARKS)) if table[mark].notna().any()}
    return entries | {CALLED[mark]: style for mark, style in MARKS.items() if mark in marked}


def beside_printed(panels, about, near, label, printed, paper=OF_PAPER):
    """Draw numbers with one interval beside a printed one: a row a log, a panel a number.

    Parameters
    ----------
    panels : dict of DataFrame
        By title, by log: `ours`, `low`, `high`, `published`, and whether it is `near` that.
    about, paper
        As for `forest`.
    near : float
        How far around the printed number the band reaches.
    label, printed : str
        What is drawn, and on which machine it was printed.
    """
    places, labels = rows(about)
    size = (2.4 + 2.7 * len(panels), 1.7 + 0.33 * len(places))
    figure, axes = plt.subplots(1, len(panels), figsize=size, sharey=True, squeeze=False)
    for ax, (title, table) in zip(axes[0], panels.items(), strict=True):
        paper_has = table.published.iloc[0]
        ax.axvspan(paper_has - near, paper_has + near, color="#DDDDDD", linewidth=0)
        ax.axvline(paper_has, color="black", linewidth=1)
        for log, row in table.iterrows():
            y, colour = places[log], LOOKS[WITH if row.near else AGAINST]
            if not row.near:
                ax.axhspan(y - 0.42, y + 0.42, color=colour, alpha=0.13, linewidth=0)
            ax.hlines(y, row.low, row.high, color=colour, **THICK)
            ax.plot(row.ours, y, "o", color=colour, markersize=5)
        for log in set(places) - set(table.index):
            ax.text(0.02, places[log], "no estimates", size=8, color="#777777", va="center")
        ax.set_title(title)
        ax.set_xlim(0, 1)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[0, 0].set_yticks(list(places.values()), labels)
    axes[0, 0].set_ylim(max(places.values()) + 0.6, -0.6)
    figure.supxlabel(label, size=10)
    dots = {"marker": "o", "linestyle": ""}
    entries = {"near it": {"color": LOOKS[WITH]} | dots, "elsewhere": {"color": LOOKS[AGAINST]} | dots}
    entries |= {printed: {"color": "black", "linewidth": 1}, f"within {near:.0%} of the jobs": {"facecolor": "#DDDDDD"}}
    legend(figure, entries | OTHER_USERS | {f"* {paper}": {"linestyle": ""}}, ncols=3)
    return figure


def scatter(panels, about, traits, sign, against, paper=OF_PAPER, said=SAID):
    """Draw effects against what the logs are like: a column a trait, a row a measure.

    Parameters
    ----------
    panels, about, sign, against, paper, said
        As for `forest`.
    traits : dict
        Columns of `about`, and what the axes call them.
    """
    figure, axes = plt.subplots(
        len(panels), len(traits), figsize=(5.2 * len(traits), 0.7 + 3.3 * len(panels)), sharex="col", squeeze=False
    )
    found = set()
    for line, (title, table) in zip(axes, panels.items(), strict=True):
        for ax, trait in zip(line, traits, strict=True):
            found |= set(_points(ax, table, about[trait], about.paper, sign))
        line[0].set_ylabel(f"{title}\n{against}")
    for ax, label in zip(axes[-1], traits.values(), strict=True):
        ax.set_xlabel(label)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    entries = {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in found}
    hollow = {"marker": "o", "color": "black", "fillstyle": "none", "linestyle": ""}
    legend(figure, entries | {"coincidence": {"color": "grey", **THICK}, f"hollow: {paper}": hollow}, ncols=3)
    return figure


def _points(ax, table, trait, paper, sign):
    """Draw one measure against one trait; return the sides that its points are on."""
    of, known = sides(table, sign), trait.reindex(table.index).dropna().sort_values()
    for log, at in known.items():
        row, colour = table.loc[log], LOOKS[of[log]]
        ax.vlines(at, row.low, row.high, color=colour, **THICK | {"linewidth": 4})
        ax.plot(at, row.effect, "o", color=colour, markersize=6, markerfacecolor="white" if paper[log] else colour)
        neighbour = (known.drop(log) - at).abs().idxmin() if len(known) > 1 else log  # whose label is not to meet this
        down = row.effect < table.effect[neighbour]
        ax.annotate(log, (at, row.effect), (6, -11 if down else 5), textcoords="offset points", size=7.5)
    ax.axhline(0, color="black", linewidth=1)
    ax.set_yscale("asinh", linear_width=LINEAR)
    ax.margins(x=0.14)
    in_whole_per_cents(ax.yaxis)
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in TICKS if low <= tick <= high]))
    return of.unique()
