"""Pictures of effects on many logs; each function draws tables, and computes nothing but which side a row is on."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, PercentFormatter

from ...plots.panels import in_whole_per_cents, legend
from ...plots.style import COLOURS
from ..used_shares import KIND_COLOURS
from .deciding import AGAINST, OPEN, WITH, sides

OF_PAPER = "a log of the paper"

SAID = {WITH: "better", AGAINST: "worse", OPEN: "may be coincidence"}

# Many policies on many logs in one picture: a map of effects, and a forest a policy; nothing is computed here.


FULL = 0.5
"""A change of this size, or more, has the full colour."""

HEAT_ACROSS = 5


def maps(panels, about, names, against):
    """Draw effects as maps, one below the other: a row a log, the paper's first, and a column a policy.

    The number is the change in per cent, in colour where coincidence is clear of nought, and bold where another year
    is, too.
    """
    places, labels = rows(about)
    high = 0.27 * len(places) + 0.35
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(2.2 + 0.52 * len(names), 1.9 + len(panels) * high), sharex=True, squeeze=False
    )
    for ax, (title, table) in zip(axes[:, 0], panels.items(), strict=True):
        _map(ax, table, places, list(names))
        ax.set_title(title, loc="left", size=10.5)
        ax.set_yticks(list(places.values()), labels, size=8.5)
        ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(max(places.values()) + 0.5, -0.5))
        ax.grid(False)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    axes[-1, 0].set_xticks(range(len(names)), names.values(), size=8.5, rotation=40, ha="right", rotation_mode="anchor")
    entries = {SAID[side]: {"facecolor": LOOKS[side]} for side in (WITH, AGAINST)}
    entries |= {f"{against} in per cent; grey: {SAID[OPEN]}; bold: another year, too": {"linestyle": ""}}
    legend(figure, entries | {f"* {OF_PAPER}": {"linestyle": ""}}, ncols=2)
    return figure


def _map(ax, table, places, policies):
    """Draw one map: cells by (policy, log), and a dash where a policy is not run, or there is no base."""
    of, year = sides(table, -1), sides(table, -1, "year_low", "year_high")
    signed = bool(table.base.any())
    for x, policy in enumerate(policies):
        for log, y in places.items():
            effect = table.effect.get((policy, log), np.nan)
            if np.isnan(effect):
                ax.text(x, y, "\N{EN DASH}", size=7.5, color="#777777", ha="center", va="center")
                continue
            side = of[policy, log]
            # as the axes of other pictures, linear at first; up to 1
            size = min(np.arcsinh(abs(effect) / LINEAR) / np.arcsinh(FULL / LINEAR), 1)
            strength = 0.12 + 0.88 * size if side != OPEN else 0
            ax.add_patch(Rectangle((x - 0.48, y - 0.48), 0.96, 0.96, color=LOOKS[side], alpha=strength, linewidth=0))
            colour = "#777777" if side == OPEN else "white" if strength > 0.7 else "black"
            weight = "bold" if side != OPEN and side == year[policy, log] else "normal"
            text = f"{100 * effect:+z.0f}".replace("+0", "0") if signed else f"{100 * effect:.1f}"
            ax.text(x, y, text, size=7.5, color=colour, weight=weight, ha="center", va="center")


def forests(table, about, names, against):
    """Draw effects with both intervals: a panel a policy, a row a log, the paper's first."""
    places, labels = rows(about)
    down = -(-len(names) // HEAT_ACROSS)
    size = (11, 1.3 + down * (0.5 + 0.19 * len(places)))
    figure, axes = plt.subplots(down, HEAT_ACROSS, figsize=size, sharey=True, squeeze=False)
    found = set()
    for ax, (policy, name) in zip(axes.flat, names.items(), strict=False):
        of = table[table.index.isin([policy], "policy")].droplevel("policy")
        found |= set(panel(ax, of, places, -1))
        for log in set(places) - set(of.index):
            ax.text(0, places[log], " left out", size=7, color="#777777", va="center")
        ax.set_title(name, size=9.5)
        ax.tick_params(axis="x", labelsize=7.5)
    for ax in axes.flat[len(names) :]:
        ax.remove()
    axes[0, 0].set_yticks(list(places.values()), labels)
    axes[0, 0].set_ylim(max(places.values()) + 0.6, -0.6)
    for ax in axes[:, 0]:
        ax.tick_params(axis="y", labelsize=8)
    figure.supxlabel(against, size=10)
    entries = {SAID[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in found}
    legend(figure, entries | BARS | {f"* {OF_PAPER}": {"linestyle": ""}}, ncols=6)
    return figure


# Pictures with a panel a log, in rows of four; each function draws tables, and computes nothing but sides.


ACROSS = 4

STYLES = [("-", "o"), ("--", "s"), (":", "^"), ("-.", "D")]
"""Of the lines of one panel, dash and marker; colours say on which side of nought a point is."""

CROSS = {"marker": "x", "markersize": 6, "color": "black", "linestyle": ""}
"""Of exact estimates."""

MANY = 0.5
"""A panel is shaded where more of its points are on the side that the claim denies."""

SHADE = "#FBE9DD"

TALLEST = 4
"""Per cent of the jobs at which bars are cut."""


def panels(about, logs, height=2.1, paper=OF_PAPER, **options):
    """Make a panel for each of these logs, the paper's first: a figure, and axes by log."""
    places, labels = rows(about)
    named = {log: label for log, label in zip(places, labels, strict=True) if log in logs}
    down = -(-len(named) // ACROSS)
    figure, axes = plt.subplots(
        down, ACROSS, figsize=(11, 1.1 + height * down), sharex=True, sharey=True, squeeze=False, **options
    )
    found = dict(zip(named, axes.flat, strict=False))
    for log, ax in found.items():
        ax.set_title(named[log], size=9.5)
    for ax in axes.flat[len(found) :]:
        ax.remove()
    for column in range(ACROSS):  # the lowest panel of a column has the labels
        last = max((place for place in range(len(found)) if place % ACROSS == column), default=None)
        if last is not None:
            axes.flat[last].tick_params(labelbottom=True)
    return figure, found


def of_effects(lines, about, sign, x, y, paper=OF_PAPER, said=SAID):
    """Draw effects against something, with coincidence: a panel a log, a line a measure or case."""
    figure, found, entries = _lines(lines, about, sign, said)
    title, first = next(iter(lines.items()))
    for log, ax in found.items():
        names = first.index.unique(1)
        ax.set_xticks(range(len(names)), names)
        ax.margins(x=0.1)
        if "exact" in first:
            ax.plot(range(len(names)), first.loc[log].exact, **CROSS)
            entries[f"{title}, exact estimates, one run"] = CROSS
    _axes(figure, next(iter(found.values())), x, y)
    legend(figure, entries | {f"* {paper}": {"linestyle": ""}}, ncols=4)
    return figure


def by_load(lines, about, sign, y, said, paper=OF_PAPER):
    """Draw effects against the load, as `of_effects`; each log's own load is marked, and what exact estimates do."""
    figure, found, entries = _lines(lines, about, sign, said, True)
    own = {"color": "#777777", "linewidth": 1, "linestyle": ":"}
    for log, ax in found.items():
        ax.axvline(about.load[log], **own)
        for table in list(lines.values())[:1]:
            ax.plot(table.loc[log].index, table.loc[log].exact, **CROSS)
        ax.set_xticks(table.index.unique("load"))
    _axes(figure, next(iter(found.values())), "load; dotted is the log's own", y)
    title = f"{next(iter(lines))}, exact estimates, one run"
    legend(figure, entries | {title: CROSS, f"* {paper}": {"linestyle": ""}}, ncols=4)
    return figure


def _lines(lines, about, sign, said, numeric=False):
    """Draw the lines of each panel, and shade it; return the figure, axes by log, and entries of the legend."""
    logs = {log for table in lines.values() for log in table.index.unique("log")}
    figure, found = panels(about, logs)
    seen = set()
    for log, ax in found.items():
        of = [table.loc[log] for table in lines.values() if log in table.index.unique("log")]
        each = [_line(ax, table, sign, style, numeric) for table, style in zip(of, STYLES, strict=False)]
        points = np.concatenate(each)
        seen |= set(points)
        if (points == AGAINST).mean() > MANY:
            ax.set_facecolor(SHADE)
        ax.axhline(0, color="black", linewidth=1)
    entries = {
        title: {"color": "grey", "linestyle": dash, "marker": mark}
        for title, (dash, mark) in zip(lines, STYLES, strict=False)
    }
    entries |= {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in seen}
    return figure, found, entries


def _line(ax, table, sign, style, numeric):
    """Draw one line of a panel; return the sides of its points."""
    places = table.index.to_numpy() if numeric else np.arange(len(table))
    of = sides(table, sign)
    ax.plot(places, table.effect, linestyle=style[0], color="#AAAAAA", linewidth=1.2, zorder=1)
    ax.vlines(places, table.low, table.high, color=of.map(LOOKS), linewidth=3, alpha=0.45)
    ax.scatter(places, table.effect, c=list(of.map(LOOKS)), marker=style[1], s=22, zorder=3)
    return of.to_numpy()


def _axes(figure, ax, x, y):
    ax.set_yscale("asinh", linear_width=LINEAR)
    in_whole_per_cents(ax.yaxis)
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in TICKS if low <= tick <= high and abs(tick) != 0.02]))
    ax.yaxis.set_minor_locator(FixedLocator([]))
    figure.supxlabel(x, size=10)
    figure.supylabel(y, size=10)


def of_used(histogram, about, clear, paper=OF_PAPER):
    """Draw which share of their estimates jobs used: a panel a log, bars by per cent, kinds of job stacked."""
    figure, found = panels(about, set(histogram.index.unique("log")), 1.8)
    colours = dict(zip(histogram.columns, KIND_COLOURS, strict=False))
    for log, ax in found.items():
        bins = histogram.loc[log]
        for kind, bottom in bins.cumsum(axis=1).shift(axis=1, fill_value=0).items():
            ax.bar(bins.index, bins[kind], 1, bottom, align="edge", color=colours[kind])
        for percent, height in bins.sum(axis=1)[lambda heights: heights > TALLEST].items():
            left = percent < 5
            place = {"xytext": (4 if left else -3, -8), "textcoords": "offset points", "size": 7.5}
            if percent in (0, 99, 100, 101, bins.index[-1]):
                ax.annotate(f"{height:.0f}%", (percent, TALLEST), **place, ha="left" if left else "right")
        if not clear[log]:
            ax.set_facecolor(SHADE)
        ax.set(ylim=(0, TALLEST), xlim=(0, bins.index[-1] + 1))
        ax.yaxis.set_major_formatter(PercentFormatter(decimals=0))
    figure.supxlabel("run time / estimate [%]; the last bar is all above", size=10)
    figure.supylabel(f"jobs; bars are cut at {TALLEST} %", size=10)
    there = {kind: {"facecolor": colour} for kind, colour in colours.items() if histogram[kind].any()}
    legend(figure, there | {"not as the claim has it": {"facecolor": SHADE}, f"* {paper}": {"linestyle": ""}}, ncols=4)
    return figure


LOOKS = {WITH: COLOURS[0], AGAINST: COLOURS[1], OPEN: "#999999"}
"""Colours by the side on which coincidence lies."""


PRINTED = {"marker": "D", "color": "black", "fillstyle": "none", "markersize": 7, "linestyle": ""}

LIKELY = {"marker": "^", "color": "#555555", "markersize": 4.5, "linestyle": ""}

MARKS = {"likely": LIKELY, "printed": PRINTED}

CALLED = {"likely": "by the authors' likely programs", "printed": "printed"}

THICK, THIN = {"linewidth": 6, "alpha": 0.45}, {"linewidth": 1.3}

GAP = 0.8
"""Between the paper's logs and the others, in rows."""

FARTHEST = 1.5
"""Axes reach no farther than a change by so many times the base; what lies beyond is written at their end."""


LINEAR = 0.05
"""Up to which change axes are linear; beyond it is more and more like on a logarithmic one."""

TICKS = [-0.5, -0.2, -0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]


BARS = {"coincidence": {"color": "grey", **THICK}, "another year": {"color": "grey", **THIN}}

OTHER_USERS = {"other users": BARS["coincidence"]}
"""The one interval of a bootstrap over users."""


def forest(panels, about, sign, against, paper=OF_PAPER, said=SAID, absent="no estimates", bars=BARS):
    """Draw effects with both intervals: a row a log, the paper's first, and a panel a measure."""
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
    entries = {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in found}
    marked = {
        mark
        for table in panels.values()
        for mark in table.columns.intersection(list(MARKS))
        if table[mark].notna().any()
    }
    entries |= bars | {CALLED[mark]: style for mark, style in MARKS.items() if mark in marked}
    legend(figure, entries | {f"* {paper}": {"linestyle": ""}}, ncols=3)
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
    ends = table.filter(["low", "high", "year_low", "year_high", "effect", *MARKS]).to_numpy()
    left, right = max(np.nanmin(ends, initial=0), -FARTHEST), min(np.nanmax(ends, initial=0), FARTHEST)
    for log, row in table.iterrows():
        y, colour = places[log], colours[log]
        if of[log] == AGAINST:
            ax.axhspan(y - 0.42, y + 0.42, color=LOOKS[AGAINST], alpha=0.13, linewidth=0)
        ax.hlines(y, *np.clip([row.year_low, row.year_high], left, right), color=colour, **THIN)
        ax.hlines(y, *np.clip([row.low, row.high], left, right), color=colour, **THICK)
        ax.plot(np.clip(row.effect, left, right), y, "o", color=colour, markersize=6 if of[log] == AGAINST else 5)
        for mark, style in MARKS.items():
            ax.plot(np.clip(row.get(mark, np.nan), left, right), y, **style)
        if not left <= row.effect <= right:  # is written at the end of the axis
            at = right if row.effect > right else left
            ax.annotate(f"{100 * row.effect:+.0f}%", (at, y), (0, 6), textcoords="offset points", size=8, ha="center")
    ax.axvline(0, color="black", linewidth=1)
    in_whole_per_cents(ax.xaxis)
    ax.tick_params(axis="x", labelsize=8.5)
    return of.unique() if sign else []


def beside_printed(panels, about, near, label, printed, paper=OF_PAPER):
    """Draw numbers with one interval beside a printed one: a row a log, a panel a number."""
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
    """Draw effects against what the logs are like: a column a trait, a row a measure."""
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
