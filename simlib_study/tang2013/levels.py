"""Pictures of Table 1, and of Figures 5 to 10: how many jobs are under- and overestimated; print beside ours."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from simlib import plots

from ..judging import printed
from . import DOUBLE, LEVEL_COLOURS, TRIPLE
from .accuracy import ALL, BALANCED, in_words, similar

Style = dict[str, Any]

RANGE: Style = {"color": "black", "marker": "_", "linewidth": 1}
ABOVE: Style = {"color": "black", "marker": "^", "fillstyle": "none", "linestyle": ""}
BELOW: Style = {"color": "black", "linestyle": "--", "linewidth": 1}
"""How a printed range is drawn, and a printed bound that numbers are above or below."""

WORDS = {"NA": "not adjusted", "OE": "overestimated", "UE": "underestimated, by half an hour at most"}
WORDS["BE"] = "underestimated by more than half an hour"
"""What the levels of a job's estimate mean."""


def against_print(ratio: pd.DataFrame) -> Figure:
    """Draw the numbers of Table 1 over the printed ones, which `ratio` has by quantity, a column a log."""
    figure, ax = plt.subplots(figsize=(plots.WIDEST, 3.6))
    ax.axvline(1, color="black", linewidth=1)
    for number, (log, colour) in enumerate(plots.colours(ratio).items()):
        heights = [place + 0.12 * (number - ratio.shape[1] / 2) for place in range(len(ratio))]
        ax.plot(ratio[log], heights, "o", color=colour, label=log, markersize=5)
    said = ratio.index.str.replace("_", " ").str.replace("share R", "jobs with R").str.replace("std", "deviation of")
    ax.set_yticks(range(len(ratio)), said)
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    plots.plain_log_axis(ax.xaxis)
    ax.set_xlabel("ours / printed")
    figure.legend(loc="outside upper left", ncols=3)
    near = ((ratio >= 0.8) & (ratio <= 1.25)).sum()
    message = ", ".join(f"{log} {count}" for log, count in near.items())
    plots.title(figure, f"Of {len(ratio)} printed numbers, within a quarter of print: {message}")
    return figure


def by_level(
    numbers: pd.DataFrame,
    column: str,
    labels: Mapping[Any, str],
    least: int,
    entries: Mapping[str, Style],
) -> Figure:
    """Draw shares of jobs by level as bars, and the mean accuracy, its numbers above the bars: a row a log."""
    shares = in_words(numbers).ours.unstack("metric", sort=False)
    shares = shares.rename(columns=lambda name: name.removesuffix("_share"))
    panels: dict[str, Any] = {"labels": labels, "size": (4.4, 1.9), "sharex": True, "sharey": True}
    for ax, part in plots.facets(shares, "log", column, **panels):
        found = plots.stacked(ax, part, "percentile", dict(reversed(LEVEL_COLOURS.items())), "least", whole=shares)
        accurate = part.accuracy.xs(similar(least), level="least").to_numpy()
        ax.plot(accurate, "o-", color="black", markersize=4)
        for place, value in zip(ax.get_xticks(), accurate, strict=True):
            ax.text(place, 1.02, f"{value:.2f}", ha="center", va="bottom", size=8)
        if title := ax.get_title(loc="left"):
            ax.set_title(title, loc="left", pad=16)
        short = {"maximum": "max.", "median": "med."}
        ax.set_xticks(ax.get_xticks(), [short.get(at.get_text(), at.get_text()) for at in ax.get_xticklabels()])
        ax.set(ylim=(0, 1), yticks=[0, 0.5, 1], yticklabels=["0%", "50%", "100%"])
        ax.grid(False)
    assert isinstance(ax.figure, Figure)  # and no part of one
    worded = {f"{name}: {WORDS[name]}" if name in WORDS else name: style for name, style in found.items()}
    accuracy = {"mean accuracy, as above the bars": {"color": "black", "marker": "o"}}
    plots.legend(ax.figure, accuracy | worded | dict(entries), ncols=2)
    return ax.figure


def underestimated(numbers: pd.DataFrame, least: int) -> pd.Series:
    """The share of the jobs that are, badly or not, with so many similar jobs."""
    of = numbers.ours.xs(least, level="least").unstack("metric")
    under: pd.Series = of["UE_share"] + of["BE_share"]
    return under


def figure5(numbers: pd.DataFrame, least: int, own: bool = False) -> Figure:
    """Draw Figure 5 by key, with what the text prints of the triple key, the first, unless it is a log of your own."""
    entries = {} if own else {"printed: ranges of BE, and of BE and UE": RANGE, "printed: accuracy above": ABOVE}
    figure = by_level(numbers, "key", {}, least, entries)
    percentiles, of = list(numbers.index.unique("percentile")), printed("tang2013_figure5")
    places = [percentiles.index(each) for each in BALANCED if each in percentiles]
    low, high = ([of[f"{level}_share_p80_p90_{end}"] for level in ("BE", "UE")] for end in ("min", "max"))
    for ax in [] if own else figure.axes[:: numbers.index.unique("key").size]:
        for place in places:
            ax.plot([place] * 2, [low[0], high[0]], **RANGE)
            ax.plot([place] * 2, [sum(low), sum(high)], **RANGE)
        ax.plot(places, [of["accuracy_p80_p90_min"]] * len(places), **ABOVE)
    under = underestimated(numbers, least).unstack("percentile")[[percentiles[0], percentiles[-1]]]
    said = [f"{share.min():.0%} to {share.max():.0%} at the {each:g}th percentile" for each, share in under.items()]
    plots.title(figure, f"Jobs underestimated (UE and BE), {similar(least)}: {', '.join(said)}")
    return figure


def with_threshold(
    numbers: pd.DataFrame, threshold: float, least: int, drop: tuple[float, float] | None = None
) -> Figure:
    """Draw Figure 6 or 7, without and with the threshold; and the printed ends of the share that it `drop`s."""
    labels = {0.0: "no threshold", threshold: f"A at least {threshold:g}"}
    entries = {f"printed: fewer by {drop[0]:.0%} to {drop[1]:.0%}": RANGE} if drop else {}
    figure = by_level(numbers, "threshold", labels, least, entries)
    under = underestimated(numbers, least).unstack("threshold")
    names, percentiles = (list(numbers.index.unique(level)) for level in ("log", "percentile"))
    for ax, name in zip(figure.axes[1::2], names, strict=True) if drop else ():
        without = under[0.0].xs(name, level="log").droplevel(["key", "window"])
        for place, percentile in enumerate(percentiles):
            ax.plot([place] * 2, [(1 - part) * without[percentile] for part in drop or ()], **RANGE)
    gone = 1 - under[threshold] / under[0.0]
    message = f"With A at least {threshold:g} underestimates (UE and BE) are fewer"
    plots.title(figure, f"{message} by {gone.min():.0%} to {gone.max():.0%}, {similar(least)}")
    return figure


def mark_windows(figure: Figure, table: pd.DataFrame, metric: str, limit: float, least: int) -> dict[str, Style]:
    """Draw what is printed of shares by window, with Figure 10 and in section 7; give the entries of the legend."""
    text, entries = printed("tang2013_figure10 section7"), {}
    of_all: Any = table.xs((least, metric, limit, ALL), level=["least", "metric", "threshold", "window"])
    fewer = {TRIPLE: (text["drop_UE_triple_min"], text["drop_UE_triple_max"]), DOUBLE: (0, text["drop_UE_double_max"])}
    places = product(of_all.index.unique("log"), enumerate((TRIPLE, TRIPLE, DOUBLE, DOUBLE)))
    for (name, (column, key)), ax in zip(places, figure.axes, strict=True):
        of = of_all.ours.xs((name, key), level=["log", "key"])
        if metric == "UE_share" and column % 2:
            for place, (percentile, share) in enumerate(of.items()):
                if percentile < BALANCED[0]:
                    ax.plot([place] * 2, [-part * share for part in fewer[key]], **RANGE)
            entries["printed: fewer by 10 to 15%, double key up to 7%"] = RANGE
        if f"{metric}_p85_max" in text and limit and column == 0:
            high = [place for place, percentile in enumerate(of.index) if percentile >= 85]
            ax.plot(high, [text[f"{metric}_p85_max"]] * len(high), **BELOW)
            entries["printed of 1 month, at least 10 similar jobs: below"] = BELOW
    return entries
