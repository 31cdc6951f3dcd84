"""Pictures of effects on many logs: one row or panel per log, the paper's first, for any policies and logs.

Each takes a table of effects by its levels, and `about`, which says of each log whether it is the `paper`'s, and of
which `year`. `better` is the sign of an effect that is better, or that the claim has: -1 where less is.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.transforms import Bbox

from simlib.plots.facets import WIDEST
from simlib.plots.panels import bent_axis, in_whole_per_cents, legend, title
from simlib.plots.style import COLOURS

from ..judging import wide
from . import machines
from .deciding import AGAINST, HALF, LEAST, OPEN, WITH, correlations, sides

Style = dict[str, Any]
"""Options of matplotlib."""

OF_PAPER, STANDS_IN = "a log of the paper", "stands in for the paper's log"
"""What a star says behind the name of a log."""

LOOKS = {WITH: COLOURS[0], AGAINST: COLOURS[1], OPEN: "#999999"}
"""Colours by the side on which coincidence lies."""

SAID = {WITH: "better", AGAINST: "worse", OPEN: "may be coincidence"}

MARKS: Mapping[str, tuple[str, Style]] = {
    "likely": ("by the authors' likely programs", {"marker": "^", "color": "#555555", "markersize": 4.5}),
    "printed": ("printed", {"marker": "D", "color": "black", "fillstyle": "none", "markersize": 7}),
}
"""Columns that are drawn as they are: names and looks."""

THICK: Style = {"linewidth": 6, "alpha": 0.45}
THIN: Style = {"linewidth": 1.3}

BARS: dict[str, Style] = {"coincidence": {"color": "grey", **THICK}, "another year": {"color": "grey", **THIN}}

OTHER_USERS = {"other users": BARS["coincidence"]}
"""The one interval of a bootstrap over users."""

STYLES = [("-", "o"), ("--", "s"), (":", "^"), ("-.", "D")]
"""Of the lines of one panel, dash and marker; colours say on which side of zero a point is."""

CROSS: Style = {"marker": "x", "markersize": 6, "color": "black", "linestyle": ""}
"""Of exact estimates."""

SHADE, GREY = "#FBE9DD", "#777777"

FARTHEST = 1.5
"""Axes reach no farther than a change by so many times the base; what lies beyond is written at their end."""

LINEAR, FULL = 0.05, 0.5
"""Up to which change axes and colours are linear, before they become logarithmic; and which has the full colour."""

OFFSETS = [(x, y) for y in (4, -10, 14, -20, 24, -30) for x in (5, -5)]
"""Where the name of a point may stand, in points of it."""

TICKS = [-0.5, -0.2, -0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]

ACROSS = 3
"""How many panels of a log stand side by side."""


def rows(about: pd.DataFrame) -> tuple[dict[str, float], list[str]]:
    """Choose a height for each log, those of the paper first and the others apart, by year; and a label."""
    by_year = about.sort_values("year", kind="stable")
    ordered = [*by_year.index[by_year.paper], *by_year.index[~by_year.paper]]
    gap = 0.8 if about.paper.any() else 0
    places = {log: number + gap * (not about.paper[log]) for number, log in enumerate(ordered)}
    return places, [f"{log}{'*' if about.paper[log] else ''} {about.year[log]}" for log in ordered]


def forest(
    table: pd.DataFrame,
    about: pd.DataFrame,
    label: str,
    better: int = -1,
    *,
    titles: Mapping[str, str] | None = None,
    said: Mapping[str, str] = SAID,
    bars: dict[str, Style] = BARS,
    absent: str = "no estimates",
    starred: str = OF_PAPER,
) -> Figure:
    """Draw effects with both intervals: one panel per value of the first level, one row per log, with `MARKS`.

    Rows are coloured by the side that their intervals are on, or by a column `side`; `absent` stands in the row of a
    log without an effect, and a star for what is `starred`. Many panels have one scale, which is linear near zero only.
    """
    table = table.rename(titles or {}, level=0)
    what, counted = label.split(",")[0], table.get("side")
    if counted is None:
        table = table.assign(side=sides(table, better))
        what, counted = f"{what}{OR_MORE}", _counted(table)
    names = list(table.index.unique(0)) or [""]
    places, labels = rows(about)
    across, small = 2 if len(names) == 4 else min(len(names), ACROSS), len(names) > ACROSS
    size = WIDEST if across > 1 else 4.8, 0.4 + (0.17 if small else 0.25) * len(places), 1.5
    figure, axes = _panels(len(names), across, *size, sharey=True, sharex=small)
    for ax, name in zip(axes, names, strict=True):
        of = table[table.index.isin([name], 0)].droplevel(0)
        _rows(ax, of, places)
        for log in set(places) - set(of.index):
            at: Style = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "center"}
            ax.text(0.98, places[log], absent, size=7, color=GREY, **at)
        ax.set_title(str(name))
        ax.tick_params(labelsize=7.5, labelbottom=not small or ax in axes[-across:])
        ticks, least = (3, 2) if across > 2 else (5, 3)  # so that in narrow panels labels do not touch
        ax.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10], min_n_ticks=least))
    if small:  # one scale for all
        bent_axis(axes[0].xaxis, [-0.5, -0.1, 0, 0.1, 0.5])
    axes[0].set_yticks(list(places.values()), labels)
    axes[0].set_ylim(max(places.values()) + 0.6, -0.6)
    figure.supxlabel(label, size=9)
    there = [MARKS[mark] for mark in MARKS if mark in table and table[mark].notna().any()]
    marks = {called: {**style, "linestyle": ""} for called, style in there}
    legend(figure, _sides(said, table.side) | bars | marks | _star(starred, about))
    title(figure, _message(machines(counted), said, what))
    return figure


OR_MORE = f", by {100 * LEAST:g} % or more"
"""What a title says of the effects that it counts."""


def _counted(table: pd.DataFrame) -> pd.Series:
    """Tell on which side each effect is, as findings count: one below `LEAST` is on neither."""
    return table.side.where(table.effect.abs() >= LEAST, OPEN)


def _panels(
    count: int, across: int, width: float, height: float, rest: float, **options: Any
) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels of this height, and space for the `rest`: the figure, and its panels in a list."""
    down = -(-count // across)
    figure, axes = plt.subplots(down, across, figsize=(width, rest + height * down), squeeze=False, **options)
    for ax in axes.flat[count:]:
        ax.remove()
    return figure, list(axes.flat[:count])


def _message(side: pd.Series, said: Mapping[str, str], what: str) -> str:
    """Say for each name on how many logs an effect is on either side; of many names, which are so on most logs."""
    counts = side.groupby(level=0, sort=False).value_counts().unstack()
    counts = counts.reindex(side.index.unique(0), columns=[WITH, AGAINST, OPEN]).fillna(0).astype(int)
    if len(counts) <= ACROSS:
        form = "{}: {} on {} of {} logs, {} on {}"
        parts = [
            form.format(name, said[WITH], row[WITH] or "none", row.sum(), said[AGAINST], row[AGAINST] or "none")
            for name, row in counts.iterrows()
        ]
        return f"{what}: {'; '.join(parts)}"
    most = counts.gt(counts.sum(axis=1) / 2, axis=0)
    named = {side: " / ".join(map(str, counts.index[of])) or "none" for side, of in most.items()}
    named |= {side: "all" for side, of in most.items() if of.all()}
    return f"{what}, on most logs: {said[WITH]} with {named[WITH]}, {said[AGAINST]} with {named[AGAINST]}"


def _rows(ax: Axes, table: pd.DataFrame, places: Mapping[Any, float]) -> None:
    """Draw one panel."""
    ends = table.filter(["low", "high", "year_low", "year_high", "effect", *MARKS]).to_numpy(float)
    left, right = max(np.nanmin(ends, initial=0), -FARTHEST), min(np.nanmax(ends, initial=0), FARTHEST)
    for log, row in table.iterrows():
        y, colour = places[log], LOOKS[row.side]
        if row.side == AGAINST:
            ax.axhspan(y - 0.42, y + 0.42, color=colour, alpha=0.13, linewidth=0)
        for interval, style in ((["year_low", "year_high"], THIN), (["low", "high"], THICK)):
            ax.hlines(y, *np.clip(row.reindex(interval).astype(float), left, right), color=colour, **style)
        ax.plot(np.clip(row.effect, left, right), y, "o", color=colour, markersize=5.5)
        for mark, (_, style) in MARKS.items():
            ax.plot(np.clip(row.get(mark, np.nan), left, right), y, linestyle="", **style)
        if not left <= row.effect <= right:  # is written at the end of the axis
            at = right if row.effect > right else left
            ax.annotate(f"{100 * row.effect:+.0f}%", (at, y), (0, 6), textcoords="offset points", size=8, ha="center")
    ax.axvline(0, color="black", linewidth=1)
    in_whole_per_cents(ax.xaxis)


def heat(
    table: pd.DataFrame,
    about: pd.DataFrame,
    label: str,
    *,
    titles: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> Figure:
    """Draw effects as maps, one per value of the first level: a column a policy, a row a log; a dash is none."""
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
    legend(figure, entries | {text: {"linestyle": ""} for text in said} | _star(OF_PAPER, about))
    first, what = machines(table.loc[measures[0]]), f"{measures[0].split(' [')[0]}"
    if first.base.any():
        title(figure, _message(_counted(first.assign(side=sides(first, -1))), SAID, f"{what}{OR_MORE}"))
    else:
        title(figure, _ends(first, what))
    return figure


def _ends(table: pd.DataFrame, what: str) -> str:
    """Say with which policies a share is smallest and largest, on average over the logs that all of them have."""
    shares = wide(table.effect, 0).dropna()
    mean = shares.mean()
    least, most = str(mean.idxmin()), str(mean.idxmax())
    ends = f"fewest with {least} ({mean[least]:.1%}), most with {most} ({mean[most]:.1%})"
    return f"{what}, average over {len(shares)} logs: {ends}"


def _map(ax: Axes, table: pd.DataFrame, places: Mapping[str, float], policies: Iterable[str]) -> None:
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


def panels(table: pd.DataFrame, about: pd.DataFrame, height: float = 1.6) -> Iterator[tuple[str, Axes, pd.DataFrame]]:
    """Make a figure with a panel for each log of a table, the paper's first, and go through the panels, as `facets`."""
    logs = table.index.unique("log")
    named = {log: label for log, label in zip(*rows(about), strict=True) if log in logs}
    _, axes = _panels(len(named), ACROSS, WIDEST, height, 1.1, sharex=True, sharey=True)
    for ax, (log, label) in zip(axes, named.items(), strict=True):
        ax.set_title(label, size=9.5)
        ax.tick_params(labelbottom=ax in axes[-ACROSS:])  # the lowest of its column has the labels
        yield log, ax, table[table.index.isin([log], "log")].droplevel("log")


def lines(
    table: pd.DataFrame,
    about: pd.DataFrame,
    x: str,
    y: str,
    better: int = -1,
    *,
    own: Mapping[str, float] | None = None,
    titles: Mapping[str, str] | None = None,
    said: Mapping[str, str] = SAID,
    starred: str = OF_PAPER,
) -> Figure:
    """Draw effects, by line, log and place on the x axis, with coincidence: one panel per log.

    A panel is shaded where more than half of its points are on the side that is not better. Crosses are what the column
    `exact` has for the first line. Places are categories, unless `own` gives each log's place among them.
    """
    table = table.rename(titles or {}, level=0)
    names, ticks = list(table.index.unique(0)), list(table.index.unique(2))
    if not names:
        return plt.figure(figsize=(WIDEST, 1.1))
    styles = dict(zip(names, cycle(STYLES), strict=False))
    table = table.assign(side=sides(table, better))
    for log, ax, part in panels(table, about):
        for name, (dash, mark) in styles.items():
            of = part[part.index.isin([name], 0)].droplevel(0)
            places = [ticks.index(tick) for tick in of.index] if own is None else list(of.index)
            colours = of.side.map(LOOKS)
            ax.plot(places, of.effect, linestyle=dash, color="#AAAAAA", linewidth=1.2, zorder=1)
            ax.vlines(places, of.low, of.high, color=colours, linewidth=3, alpha=0.45)
            ax.scatter(places, of.effect, c=colours, marker=mark, s=22, zorder=3)
            if name == names[0] and "exact" in of:
                ax.plot(places, of.exact, **CROSS)
        if (part.side == AGAINST).mean() > HALF:
            ax.set_facecolor(SHADE)
        ax.axhline(0, color="black", linewidth=1)
        if own is None:
            ax.set_xticks(range(len(ticks)), ticks)
            ax.margins(x=0.1)
        else:
            ax.axvline(own[log], color=GREY, linewidth=1, linestyle=":")
            ax.set_xticks(sorted(ticks))
    assert isinstance(ax.figure, Figure)  # and no part of one
    bent_axis(ax.yaxis, [tick for tick in TICKS if abs(tick) not in (0.02, 0.1) and tick != 0.5])
    ax.figure.supxlabel(x, size=10)
    ax.figure.supylabel(y, size=10)
    entries = {str(name): {"color": "grey", "linestyle": dash, "marker": mark} for name, (dash, mark) in styles.items()}
    entries |= _sides(said, table.side) | ({"with exact estimates": CROSS} if "exact" in table else {})
    legend(ax.figure, entries | _star(starred, about))
    counts = _counted(table).groupby(level=[0, 1], sort=False).value_counts(normalize=True)
    most = counts[counts > HALF].reset_index(-1).side.reindex(table.droplevel(2).index.unique(), fill_value=OPEN)
    title(ax.figure, _message(machines(most), said, f"{y}{OR_MORE} at most points"))
    return ax.figure


def scatter(
    table: pd.DataFrame,
    about: pd.DataFrame,
    traits: Mapping[str, str],
    label: str,
    better: int = -1,
    *,
    waits: pd.Series | None = None,
    titles: Mapping[str, str] | None = None,
    said: Mapping[str, str] = SAID,
    starred: str = OF_PAPER,
) -> Figure:
    """Draw effects against `traits`, columns of `about`: a row for each value of the first level, a column a trait."""
    table = table.rename(titles or {}, level=0).assign(side=lambda of: sides(of, better))
    names = table.index.unique(0)
    size = (WIDEST, 1.2 + 2.7 * len(names))
    figure, axes = plt.subplots(len(names), len(traits), figsize=size, sharex="col", squeeze=False)
    panels = []
    for line, name in zip(axes, names, strict=True):
        for ax, trait in zip(line, traits, strict=True):
            of = table.loc[name].join(about[[trait, "paper"]]).dropna(subset=[trait])
            panels.append((ax, _points(ax, of.sort_values(trait), trait)))
        line[0].set_ylabel(f"{name}\n{label}")
    for ax, called in zip(axes[-1], traits.values(), strict=True):
        ax.set_xlabel(called)
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    hollow = {"marker": "o", "color": "black", "fillstyle": "none", "linestyle": ""}
    legend(figure, _sides(said, table.side) | {"coincidence": BARS["coincidence"], f"hollow: {starred}": hollow})
    title(figure, _strongest(correlations(table, about[list(traits)], waits), traits, label))
    figure.draw_without_rendering()
    for panel in panels:
        _named(*panel)
    return figure


def _strongest(related: pd.DataFrame, traits: Mapping[str, str], label: str) -> str:
    """Say which of the correlations is the strongest, and how often chance alone makes one as strong."""
    if related.rho.isna().all():
        return f"{label}: too few logs for a rank correlation"
    at: Any = related.rho.abs().idxmax()
    (effect, trait), one = at, related.loc[at]
    head = f"{label}, {effect}: related most to the {traits[trait]}"
    chance = f"as strong by chance in {one.chance:.1%} of random orders, {len(related)} tried"
    return f"{head}, rank correlation {one.rho:+.2f} on {one.logs:.0f} logs ({chance})"


def _points(ax: Axes, table: pd.DataFrame, trait: str) -> dict[str, tuple[float, float]]:
    """Draw one measure against one trait; return the places of the logs, from left to right."""
    for _, row in table.iterrows():
        at, colour = row[trait], LOOKS[row.side]
        ax.vlines(at, row.low, row.high, color=colour, **THICK | {"linewidth": 4})
        ax.plot(at, row.effect, "o", color=colour, markersize=6, markerfacecolor="white" if row.paper else colour)
    ax.axhline(0, color="black", linewidth=1)
    ax.margins(x=0.2, y=0.12)
    bent_axis(ax.yaxis, [tick for tick in TICKS if abs(tick) != 0.02 or table.effect.max() < 0.3])
    places = zip(table.index, table[[trait, "effect"]].to_numpy(), strict=True)
    return {log: (x, y) for log, (x, y) in places}


def _named(ax: Axes, points: Mapping[str, tuple[float, float]]) -> None:
    """Write the names of points beside them, each at the first of the `OFFSETS` where no point and no name is."""
    taken = [Bbox(ax.transData.transform(at) + [[-3], [3]]) for at in points.values()]
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}
    for log, at in points.items():
        for shift in OFFSETS:
            side = "left" if shift[0] > 0 else "right"
            name = ax.annotate(log, at, shift, textcoords="offset points", size=7, ha=side)
            box = name.get_window_extent()
            free = ax.bbox.x0 <= box.x0 and box.x1 <= ax.bbox.x1 and not any(map(box.overlaps, taken))
            if free or shift == OFFSETS[-1]:
                break
            name.remove()
        if abs(shift[1]) > 10:
            ax.annotate("", at, shift, textcoords="offset points", arrowprops=line)
        taken.append(box)


def _sides(said: Mapping[str, str], there: Iterable[str]) -> dict[str, Style]:
    """Entries of a legend: the sides that occur."""
    return {said[side]: {"color": LOOKS[side], "marker": "o", "linestyle": ""} for side in LOOKS if side in set(there)}


def _star(starred: str, about: pd.DataFrame) -> dict[str, Style]:
    """The entry of a legend that says what a star is, if a log has one."""
    return {f"* {starred}": {"linestyle": ""}} if about.paper.any() else {}
