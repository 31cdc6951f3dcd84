"""Pictures of effects on many logs: one row or panel per log, the paper's first, for any policies and logs.

Each takes a table of effects by its levels, and `about`, which says of each log whether it is the `paper`'s, and of
which `year`. `better` is the sign of an effect that is better, or that the claim has: -1 where less is.
"""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter

from ...plots.facets import WIDEST
from ...plots.panels import bent_axis, in_whole_per_cents, legend, title
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
"""Of the lines of one panel, dash and marker; colours say on which side of zero a point is."""

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

ACROSS = 3
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
    """Draw effects with both intervals: one panel per value of the first level, one row per log, with `MARKS`.

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
    table = table.rename(titles or {}, level=0)
    names = list(table.index.unique(0)) or [""]
    places, labels = rows(about)
    small = len(names) > 3
    across = len(names) if not small else 2 if len(names) == 4 else ACROSS
    down = -(-len(names) // across)
    size = (WIDEST if across > 1 else 4.8, 1.5 + down * (0.4 + (0.17 if small else 0.25) * len(places)))
    figure, axes = plt.subplots(down, across, figsize=size, sharey=True, squeeze=False)
    found = set()
    for ax, name in zip(axes.flat, names, strict=False):
        of = table[table.index.isin([name], 0)].droplevel(0)
        found |= set(_panel(ax, of, places, better))
        for log in set(places) - set(of.index):
            ax.text(0, places[log], f" {absent}", size=7 if small else 8, color=GREY, va="center")
        ax.set_title(str(name))
        ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10], min_n_ticks=3))
        ax.tick_params(axis="x", labelsize=7.5)
    for ax in axes.flat[len(names) :]:
        ax.remove()
    axes[0, 0].set_yticks(list(places.values()), labels)
    axes[0, 0].set_ylim(max(places.values()) + 0.6, -0.6)
    for ax in axes[:, 0]:
        ax.tick_params(axis="y", labelsize=7.5)
    figure.supxlabel(label, size=9)
    there = [mark for mark in MARKS if mark in table and table[mark].notna().any()]
    marks = {MARKS[mark][0]: {**MARKS[mark][1], "linestyle": ""} for mark in there}
    entries = _sides(said, found if better else ()) | bars | marks | _star(starred)
    legend(figure, entries)
    if not better:
        title(figure, f"{label}: between {table.effect.min():+.0%} and {table.effect.max():+.0%} on all logs")
    elif len(names) > ACROSS:
        title(figure, _on_most(table, better, said, label.split(",")[0]))
    else:
        what = f"{label}: " if said == SAID else ""  # other words than better and worse say what is compared
        title(figure, f"{what}{_by_name(table, better, said)}")
    return figure


def _counts(table, better):
    """Count by name the logs on either side that are clear of coincidence, and those that are not."""
    counts = _sides_of(table, better).groupby(table.index.get_level_values(0), sort=False).value_counts().unstack()
    return counts.reindex(columns=[WITH, AGAINST, OPEN]).fillna(0).astype(int)


def _by_name(table, better, said):
    """Say for each name on how many logs it is better, and on how many worse."""
    return "; ".join(
        f"{name + ': ' if name else ''}{said[WITH]} on {row[WITH] or 'none'} of {row.sum()} logs, "
        f"{said[AGAINST]} on {row[AGAINST] or 'none'}"
        for name, row in _counts(table, better).iterrows()
    )


def _on_most(table, better, said, what):
    """Say with which of many names an effect is on either side on most logs."""
    counts = _counts(table, better)
    most = counts.gt(counts.sum(axis=1) / 2, axis=0)
    parts = []
    for side in (WITH, AGAINST):
        there = list(map(str, counts.index[most[side]]))
        if there:
            those = f"all {len(counts)} cases" if len(there) == len(counts) else " / ".join(there)
            parts.append(f"{said[side]}{'' if parts else ' on most logs'} with {those}")
    text = ", ".join(parts) or f"{said[WITH]} or {said[AGAINST]} on most logs with none of the {len(counts)} cases"
    return f"{what}: {text}"


def _sides_of(table, better):
    """The side of each effect: a column `side`, or where coincidence lies."""
    return table.side if "side" in table else sides(table, better)


def _panel(ax, table, places, better):
    """Draw one panel; return the sides that its rows are on."""
    of = _sides_of(table, better) if better else table.effect.map(lambda _: OPEN)
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


def heat(table, about, label, *, titles=None, names=None):
    """Draw effects as maps, one per value of the first level: a column a policy, a row a log; a dash is no effect."""
    table = table.rename(titles or {}, level=0).rename(names or {}, level=1)
    measures, policies = table.index.unique(0), table.index.unique(1)
    places, labels = rows(about)
    size = (WIDEST, 1.9 + len(measures) * (0.27 * len(places) + 0.35))
    figure, axes = plt.subplots(len(measures), 1, figsize=size, sharex=True, squeeze=False)
    for ax, measure in zip(axes[:, 0], measures, strict=True):
        _map(ax, table.loc[measure], places, policies)
        ax.set_title(measure, loc="left", size=10.5)
        ax.set_yticks(list(places.values()), labels, size=8.5)
        ax.set(xlim=(-0.5, len(policies) - 0.5), ylim=(max(places.values()) + 0.5, -0.5))
        ax.grid(False)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    axes[-1, 0].set_xticks(range(len(policies)), policies, size=8.5, rotation=40, ha="right", rotation_mode="anchor")
    entries = {SAID[side]: {"facecolor": LOOKS[side]} for side in (WITH, AGAINST)}
    said = f"{label} in per cent", f"no colour: {SAID[OPEN]}, or 0", "bold: another year agrees"
    legend(figure, entries | {text: {"linestyle": ""} for text in said} | _star(OF_PAPER))
    title(figure, _on_most(table.loc[measures[0]], -1, SAID, measures[0].split(" [")[0]))
    return figure


def _map(ax, table, places, policies):
    """Draw one map: cells by (policy, log)."""
    of, year = sides(table, -1), sides(table, -1, "year_low", "year_high")
    signed = bool(table.base.any())
    for x, policy in enumerate(policies):
        for log, y in places.items():
            effect = table.effect.get((policy, log), np.nan)
            if np.isnan(effect):
                ax.text(x, y, "\N{EN DASH}", size=7.5, color=GREY, ha="center", va="center")
                continue
            rounded = f"{100 * effect:+z.0f}".replace("+0", "0") if signed else f"{100 * effect:.1f}"
            side = OPEN if float(rounded) == 0 else of[policy, log]  # 0 has no colour
            strength = min(np.arcsinh(abs(effect) / LINEAR) / np.arcsinh(FULL / LINEAR), 1)  # as axes are
            strength = 0.12 + 0.88 * strength if side != OPEN else 0
            ax.add_patch(Rectangle((x - 0.48, y - 0.48), 0.96, 0.96, color=LOOKS[side], alpha=strength, linewidth=0))
            colour = GREY if side == OPEN else "white" if strength > 0.7 else "black"
            weight = "bold" if side != OPEN and side == year[policy, log] else "normal"
            ax.text(x, y, rounded, size=7.5, color=colour, weight=weight, ha="center", va="center")


def panels(table, about, height=1.6):
    """Make a figure with a panel for each log of a table, the paper's first, and go through the panels, as `facets`."""
    logs = table.index.unique("log")
    named = {log: label for log, label in zip(*rows(about), strict=True) if log in logs}
    down = -(-len(named) // ACROSS)
    size = (WIDEST, 1.1 + height * down)
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
    """Draw effects, by line, log and place on the x axis, with coincidence: one panel per log.

    A panel is shaded where more than half of its points are on the side that is not better. Crosses are what the column
    `exact` has for the first line. Places are categories, unless `own` gives each log's place among them.
    """
    table = table.rename(titles or {}, level=0)
    names, ticks = list(table.index.unique(0)), list(table.index.unique(2))
    if not names:
        return plt.figure(figsize=(WIDEST, 1.1))
    styles = dict(zip(names, cycle(STYLES), strict=False))
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
    bent_axis(ax.yaxis, [tick for tick in TICKS if abs(tick) not in (0.02, 0.1) and tick != 0.5])
    ax.figure.supxlabel(x, size=10)
    ax.figure.supylabel(y, size=10)
    entries = {str(name): {"color": "grey", "linestyle": dash, "marker": mark} for name, (dash, mark) in styles.items()}
    entries |= _sides(said, seen)
    if "exact" in table:
        entries["with exact estimates"] = CROSS
    legend(ax.figure, entries | _star(starred))
    of_logs = _by_log(table, better)
    if len(names) > ACROSS:
        title(ax.figure, f"{_on_most(of_logs, better, said, y)}, at most points")
    else:
        counts = _by_name(of_logs if len(names) > 1 else of_logs.rename({names[0]: ""}, level=0), better, said)
        title(ax.figure, f"{y}, at most points: {counts}")
    return ax.figure


def _by_log(table, better):
    """Find the side on which most points of a line are on each log, by (line, log) in a column `side`."""

    def of_most(points):
        return next((side for side in (WITH, AGAINST) if (points == side).mean() > 0.5), OPEN)

    return sides(table, better).groupby(level=[0, 1], sort=False).agg(of_most).to_frame("side")


def scatter(table, about, traits, label, better=-1, *, titles=None, said=SAID, starred=OF_PAPER):
    """Draw effects against `traits`, columns of `about`: a row for each value of the first level, a column a trait."""
    table = table.rename(titles or {}, level=0)
    names = table.index.unique(0)
    size = (WIDEST, 1.2 + 2.7 * len(names))
    figure, axes = plt.subplots(len(names), len(traits), figsize=size, sharex="col", squeeze=False)
    found, named = set(), []
    for line, name in zip(axes, names, strict=True):
        of = table.loc[name]
        found |= set(sides(of, better))
        for ax, trait in zip(line, traits, strict=True):
            named.append((ax, _points(ax, of, about[trait], about.paper, better), of.effect))
        line[0].set_ylabel(f"{name}\n{label}")
    for ax, called in zip(axes[-1], traits.values(), strict=True):
        ax.set_xlabel(called)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    hollow = {"marker": "o", "color": "black", "fillstyle": "none", "linestyle": ""}
    entries = _sides(said, found) | {"coincidence": BARS["coincidence"], f"hollow: {starred}": hollow}
    legend(figure, entries)
    related = {
        (name, trait): table.loc[name].effect.corr(about[trait].reindex(table.loc[name].index), method="spearman")
        for name in names
        for trait in traits
    }
    name, trait = max(related, key=lambda pair: np.nan_to_num(abs(related[pair])))
    title(figure, f"{name} correlates most with {traits[trait]}: rank correlation {related[name, trait]:+.2f}")
    figure.draw_without_rendering()
    for points in named:
        _named(*points)
    return figure


def _points(ax, table, trait, paper, better):
    """Draw one measure against one trait; return the trait by log, from left to right."""
    of, known = sides(table, better), trait.reindex(table.index).dropna().sort_values()
    for log, at in known.items():
        row, colour = table.loc[log], LOOKS[of[log]]
        ax.vlines(at, row.low, row.high, color=colour, **THICK | {"linewidth": 4})
        ax.plot(at, row.effect, "o", color=colour, markersize=6, markerfacecolor="white" if paper[log] else colour)
    ax.axhline(0, color="black", linewidth=1)
    ax.margins(x=0.2, y=0.12)
    bent_axis(ax.yaxis, [tick for tick in TICKS if abs(tick) != 0.02 or table.effect.max() < 0.3])
    return known


OFFSETS = [(x, y) for y in (4, -10, 14, -20, 24, -30) for x in (5, -5)]
"""Where the name of a point may stand, in points of it; where no other is, the first."""


def _named(ax, at, effects):
    """Write the names of points beside them, each where none that is written already is."""
    taken = []
    for log, x in at.items():
        for shift in OFFSETS:
            side = {"ha": "left" if shift[0] > 0 else "right", "size": 7, "textcoords": "offset points"}
            name = ax.annotate(log, (x, effects[log]), shift, **side)
            box = name.get_window_extent().padded(1)
            points = ax.transData.transform([[at[other], effects[other]] for other in at.index if other != log])
            free = not any(box.overlaps(one) for one in taken) and not any(box.contains(*point) for point in points)
            if free and ax.bbox.x0 <= box.x0 and box.x1 <= ax.bbox.x1:
                break
            if shift != OFFSETS[-1]:
                name.remove()
        if abs(shift[1]) > 10:
            line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", (x, effects[log]), shift, textcoords="offset points", arrowprops=line)
        taken.append(box)


def _sides(said, found):
    """Entries of a legend: the sides that occur."""
    return {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in found}


def _star(starred):
    """The entry of a legend that says what a star is."""
    return {f"* {starred}": {"linestyle": ""}}
