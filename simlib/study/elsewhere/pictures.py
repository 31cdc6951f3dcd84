"""Pictures of effects on many logs: a row or a panel a log, the paper's first, whatever policies and logs there are.

Each takes a table of effects by its levels, and `about`, which says of each log whether it is the `paper`'s, and of
which `year`. `better` is the sign of an effect that is better, or that the claim has: -1 where less is.
"""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, PercentFormatter

from ...plots.panels import in_whole_per_cents, legend
from ...plots.style import COLOURS
from .deciding import AGAINST, OPEN, WITH, sides

OF_PAPER, STANDS_IN = "a log of the paper", "stands in for the paper's log"
"""What a star says behind the name of a log."""

LOOKS = {WITH: COLOURS[0], AGAINST: COLOURS[1], OPEN: "#999999"}
"""Colours by the side on which coincidence lies."""

SAID = {WITH: "better", AGAINST: "worse", OPEN: "may be coincidence"}

MARKS = {
    "likely": ("by the authors' likely programs", {"marker": "^", "color": "#555555", "markersize": 4.5}),
    "printed": ("printed", {"marker": "D", "color": "black", "fillstyle": "none", "markersize": 7}),
}
"""Columns that are drawn as they are: names and looks."""

THICK, THIN = {"linewidth": 6, "alpha": 0.45}, {"linewidth": 1.3}

BARS = {"coincidence": {"color": "grey", **THICK}, "another year": {"color": "grey", **THIN}}

OTHER_USERS = {"other users": BARS["coincidence"]}
"""The one interval of a bootstrap over users."""

STYLES = [("-", "o"), ("--", "s"), (":", "^"), ("-.", "D")]
"""Of the lines of one panel, dash and marker; colours say on which side of nought a point is."""

CROSS = {"marker": "x", "markersize": 6, "color": "black", "linestyle": ""}
"""Of exact estimates."""

SHADE, GREY = "#FBE9DD", "#777777"

GAP = 0.8
"""Between the paper's logs and the others, in rows."""

FARTHEST = 1.5
"""Axes reach no farther than a change by so many times the base; what lies beyond is written at their end."""

LINEAR, FULL = 0.05, 0.5
"""Up to which change axes and colours are linear, before they become logarithmic; and which has the full colour."""

TICKS = [-0.5, -0.2, -0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]

ACROSS = 4
"""How many panels of a log stand side by side."""


def rows(about):
    """Choose a height for each log, those of the paper first and the others apart, by year; and a label."""
    by_year = about.sort_values("year", kind="stable")
    ordered = [*by_year.index[by_year.paper], *by_year.index[~by_year.paper]]
    gap = GAP if about.paper.any() else 0
    places = {log: place + gap * (not about.paper[log]) for place, log in enumerate(ordered)}
    return places, [f"{log}{'*' if about.paper[log] else ''} {about.year[log]}" for log in ordered]


def forest(
    table,
    about,
    label,
    better=-1,
    *,
    titles=None,
    said=SAID,
    bars=BARS,
    absent="no estimates",
    starred=OF_PAPER,
):
    """Draw effects with both intervals: a panel for each value of the first level, a row a log; and columns of `MARKS`.

    `label` says what is held against what; `titles` and `said` name panels and sides, `bars` the intervals; `absent`
    stands in the row of a log without an effect, and a star for what is `starred`. Rows are coloured by the side that
    their intervals are on, or by a column `side`; without `better` all the same.

    >>> import pandas as pd
    >>> index = pd.MultiIndex.from_product([["wait"], ["KTH", "CTC"]], names=["measure", "log"])
    >>> effects = pd.DataFrame({"effect": [-0.1, 0.2], "low": [-0.2, 0.1], "high": [0.0, 0.3]}, index)
    >>> effects[["year_low", "year_high"]] = effects[["low", "high"]]
    >>> about = pd.DataFrame({"paper": [True, False], "year": "1996"}, ["KTH", "CTC"])
    >>> [text.get_text() for text in forest(effects, about, "SJF against EASY").axes[0].get_yticklabels()]
    ['KTH* 1996', 'CTC 1996']
    >>> plt.close()
    """
    names = list(table.index.unique(0)) or [""]
    places, labels = rows(about)
    small = len(names) > ACROSS
    across, down = (5, -(-len(names) // 5)) if small else (len(names), 1)
    wide = max(6.5, 2.4 + (3.6 if across < 3 else 2.7) * across)
    size = (11, 1.3 + down * (0.5 + 0.19 * len(places))) if small else (wide, 1.7 + 0.33 * len(places))
    figure, axes = plt.subplots(down, across, figsize=size, sharey=True, squeeze=False)
    found = set()
    for ax, name in zip(axes.flat, names, strict=False):
        of = table[table.index.isin([name], 0)].droplevel(0)
        found |= set(_panel(ax, of, places, better))
        for log in set(places) - set(of.index):
            ax.text(0, places[log], f" {absent}", size=7 if small else 8, color=GREY, va="center")
        ax.set_title((titles or {}).get(name, str(name)), **{"size": 9.5} if small else {})
        ax.tick_params(axis="x", labelsize=7.5 if small else 8.5)
    for ax in axes.flat[len(names) :]:
        ax.remove()
    axes[0, 0].set_yticks(list(places.values()), labels)
    axes[0, 0].set_ylim(max(places.values()) + 0.6, -0.6)
    for ax in axes[:, 0] if small else []:
        ax.tick_params(axis="y", labelsize=8)
    figure.supxlabel(label, size=10)
    there = [mark for mark in MARKS if mark in table and table[mark].notna().any()]
    marks = {MARKS[mark][0]: {**MARKS[mark][1], "linestyle": ""} for mark in there}
    entries = _sides(said, found if better else ()) | bars | marks | _star(starred)
    legend(figure, entries, ncols=6 if small else 3)
    return figure


def _panel(ax, table, places, better):
    """Draw one panel; return the sides that its rows are on."""
    of = table.side if "side" in table else sides(table, better) if better else table.effect.map(lambda _: OPEN)
    colours = of.map(LOOKS) if better else of.map(lambda _: COLOURS[0])
    ends = table.filter(["low", "high", "year_low", "year_high", "effect", *MARKS]).to_numpy(float)
    left, right = max(np.nanmin(ends, initial=0), -FARTHEST), min(np.nanmax(ends, initial=0), FARTHEST)
    for log, row in table.iterrows():
        y, colour = places[log], colours[log]
        if of[log] == AGAINST:
            ax.axhspan(y - 0.42, y + 0.42, color=LOOKS[AGAINST], alpha=0.13, linewidth=0)
        for ends, style in ((["year_low", "year_high"], THIN), (["low", "high"], THICK)):
            ax.hlines(y, *np.clip(row.reindex(ends).astype(float), left, right), color=colour, **style)
        ax.plot(np.clip(row.effect, left, right), y, "o", color=colour, markersize=6 if of[log] == AGAINST else 5)
        for mark, (_, style) in MARKS.items():
            ax.plot(np.clip(row.get(mark, np.nan), left, right), y, linestyle="", **style)
        if not left <= row.effect <= right:  # is written at the end of the axis
            at = right if row.effect > right else left
            ax.annotate(f"{100 * row.effect:+.0f}%", (at, y), (0, 6), textcoords="offset points", size=8, ha="center")
    ax.axvline(0, color="black", linewidth=1)
    in_whole_per_cents(ax.xaxis)
    return of.unique()


def heat(table, about, label, better=-1, *, titles=None, names=None, starred=OF_PAPER):
    """Draw effects as maps, one below the other for each value of the first level: a column a policy, a row a log.

    The number is the change in per cent, in colour where coincidence is clear of nought, and bold where another year
    is, too; a dash stands where there is no effect. `titles` and `names` are what maps and policies are called.
    """
    measures, policies = table.index.unique(0), table.index.unique(1)
    places, labels = rows(about)
    size = (max(7.6, 2.2 + 0.52 * len(policies)), 1.9 + len(measures) * (0.27 * len(places) + 0.35))
    figure, axes = plt.subplots(len(measures), 1, figsize=size, sharex=True, squeeze=False)
    for ax, measure in zip(axes[:, 0], measures, strict=True):
        _map(ax, table.loc[measure], places, policies, better)
        ax.set_title((titles or {}).get(measure, str(measure)), loc="left", size=10.5)
        ax.set_yticks(list(places.values()), labels, size=8.5)
        ax.set(xlim=(-0.5, len(policies) - 0.5), ylim=(max(places.values()) + 0.5, -0.5))
        ax.grid(False)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    texts = [(names or {}).get(policy, policy) for policy in policies]
    axes[-1, 0].set_xticks(range(len(policies)), texts, size=8.5, rotation=40, ha="right", rotation_mode="anchor")
    entries = {SAID[side]: {"facecolor": LOOKS[side]} for side in (WITH, AGAINST)}
    entries |= {f"{label} in per cent; grey: {SAID[OPEN]}; bold: another year, too": {"linestyle": ""}}
    legend(figure, entries | _star(starred), ncols=2)
    return figure


def _map(ax, table, places, policies, better):
    """Draw one map: cells by (policy, log)."""
    of, year = sides(table, better), sides(table, better, "year_low", "year_high")
    signed = bool(table.base.any())
    for x, policy in enumerate(policies):
        for log, y in places.items():
            effect = table.effect.get((policy, log), np.nan)
            if np.isnan(effect):
                ax.text(x, y, "\N{EN DASH}", size=7.5, color=GREY, ha="center", va="center")
                continue
            side = of[policy, log]
            strength = min(np.arcsinh(abs(effect) / LINEAR) / np.arcsinh(FULL / LINEAR), 1)  # as axes are
            strength = 0.12 + 0.88 * strength if side != OPEN else 0
            ax.add_patch(Rectangle((x - 0.48, y - 0.48), 0.96, 0.96, color=LOOKS[side], alpha=strength, linewidth=0))
            colour = GREY if side == OPEN else "white" if strength > 0.7 else "black"
            weight = "bold" if side != OPEN and side == year[policy, log] else "normal"
            text = f"{100 * effect:+z.0f}".replace("+0", "0") if signed else f"{100 * effect:.1f}"
            ax.text(x, y, text, size=7.5, color=colour, weight=weight, ha="center", va="center")


def panels(table, about, height=2.1):
    """Make a figure with a panel for each log of a table, the paper's first, and go through the panels, as `facets`."""
    logs = table.index.unique("log")
    named = {log: label for log, label in zip(*rows(about), strict=True) if log in logs}
    down = -(-len(named) // ACROSS)
    size = (11, 1.1 + height * down)
    _, axes = plt.subplots(down, ACROSS, figsize=size, sharex=True, sharey=True, squeeze=False)
    for place, ax in enumerate(axes.flat):
        if place >= len(named):
            ax.remove()
        elif place + ACROSS >= len(named):  # the lowest of its column has the labels
            ax.tick_params(labelbottom=True)
    for ax, (log, label) in zip(axes.flat, named.items(), strict=False):
        ax.set_title(label, size=9.5)
        yield log, ax, table[table.index.isin([log], "log")].droplevel("log")


def lines(table, about, x, y, better=-1, *, own=None, titles=None, said=SAID, starred=OF_PAPER):
    """Draw effects, by line, log and place on the x axis, with coincidence: a panel a log.

    A panel is shaded where more than half of its points are on the side that is not better. Crosses are what the column
    `exact` has for the first line. Places are categories, unless it is said where each log's `own` is among them.
    """
    names, ticks = list(table.index.unique(0)), list(table.index.unique(2))
    if not names:
        return plt.figure(figsize=(11, 1.1))
    styles = dict(zip(names, cycle(STYLES), strict=False))
    called = {name: (titles or {}).get(name, str(name)) for name in names}
    seen = set()
    for log, ax, part in panels(table, about):
        points = []
        for name, (dash, mark) in styles.items():
            of = part[part.index.isin([name], 0)].droplevel(0)
            places = [ticks.index(tick) for tick in of.index] if own is None else list(of.index)
            side = sides(of, better)
            ax.plot(places, of.effect, linestyle=dash, color="#AAAAAA", linewidth=1.2, zorder=1)
            ax.vlines(places, of.low, of.high, color=side.map(LOOKS), linewidth=3, alpha=0.45)
            ax.scatter(places, of.effect, c=list(side.map(LOOKS)), marker=mark, s=22, zorder=3)
            if name == names[0] and "exact" in of:
                ax.plot(places, of.exact, **CROSS)
            points += list(side)
        seen |= set(points)
        if points.count(AGAINST) > len(points) / 2:
            ax.set_facecolor(SHADE)
        ax.axhline(0, color="black", linewidth=1)
        if own is None:
            ax.set_xticks(range(len(ticks)), ticks)
            ax.margins(x=0.1)
        else:
            ax.axvline(own[log], color=GREY, linewidth=1, linestyle=":")
            ax.set_xticks(sorted(ticks))
    _bent(ax, [tick for tick in TICKS if abs(tick) != 0.02])
    ax.figure.supxlabel(x, size=10)
    ax.figure.supylabel(y, size=10)
    entries = {
        called[name]: {"color": "grey", "linestyle": dash, "marker": mark} for name, (dash, mark) in styles.items()
    }
    entries |= _sides(said, seen)
    if "exact" in table:
        entries[f"{called[names[0]]}, exact estimates, one run"] = CROSS
    legend(ax.figure, entries | _star(starred), ncols=4)
    return ax.figure


def scatter(table, about, traits, label, better=-1, *, titles=None, said=SAID, starred=OF_PAPER):
    """Draw effects against what the logs are like: a row for each value of the first level, a column a trait.

    `traits` are columns of `about`, with what they are called.
    """
    names = table.index.unique(0)
    size = (5.2 * len(traits), 0.7 + 3.3 * len(names))
    figure, axes = plt.subplots(len(names), len(traits), figsize=size, sharex="col", squeeze=False)
    found = set()
    for line, name in zip(axes, names, strict=True):
        of = table.loc[name]
        found |= set(sides(of, better))
        for ax, trait in zip(line, traits, strict=True):
            _points(ax, of, about[trait], about.paper, better)
        line[0].set_ylabel(f"{(titles or {}).get(name, name)}\n{label}")
    for ax, called in zip(axes[-1], traits.values(), strict=True):
        ax.set_xlabel(called)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    hollow = {"marker": "o", "color": "black", "fillstyle": "none", "linestyle": ""}
    entries = _sides(said, found) | {"coincidence": BARS["coincidence"], f"hollow: {starred}": hollow}
    legend(figure, entries, ncols=3)
    return figure


def _points(ax, table, trait, paper, better):
    """Draw one measure against one trait."""
    of, known = sides(table, better), trait.reindex(table.index).dropna().sort_values()
    for log, at in known.items():
        row, colour = table.loc[log], LOOKS[of[log]]
        ax.vlines(at, row.low, row.high, color=colour, **THICK | {"linewidth": 4})
        ax.plot(at, row.effect, "o", color=colour, markersize=6, markerfacecolor="white" if paper[log] else colour)
        neighbour = (known.drop(log) - at).abs().idxmin() if len(known) > 1 else log  # whose label is not to meet this
        down = row.effect < table.effect[neighbour]
        ax.annotate(log, (at, row.effect), (6, -11 if down else 5), textcoords="offset points", size=7.5)
    ax.axhline(0, color="black", linewidth=1)
    ax.margins(x=0.14)
    _bent(ax, TICKS)


def _bent(ax, ticks):
    """Make a y axis of changes linear near nought, and logarithmic beyond."""
    ax.set_yscale("asinh", linear_width=LINEAR)
    in_whole_per_cents(ax.yaxis)
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    ax.yaxis.set_minor_locator(FixedLocator([]))


def _sides(said, found):
    """Entries of a legend: the sides that were found."""
    return {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in found}


def _star(starred):
    """The entry of a legend that says what a star is."""
    return {f"* {starred}": {"linestyle": ""}}
