"""Count the printed numbers of Mu'alem & Feitelson that come out, and wrong numbers that would come out as well.

A number tests a simulation only where it is a mean of a simulated schedule, is printed for the first time, and had no
say in how the simulation was set up. The groups keep these apart from all others.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from simlib import plots
from simlib._util import paths

from ..judging import (
    CALENDAR,
    CLOSE,
    COUNTED,
    INSIDE,
    LIKELY,
    OFF,
    RESTORED,
    SCHEDULERS,
    TEXT,
    decimals,
    in_words,
    is_inside,
    plainly,
    reading,
    wide,
)
from ..records import Outcome
from . import SP2

FOLDER = "printed-numbers"
"""Of the picture and the tables, in `figures/`."""

STEPS = {
    CALENDAR: "rules of the text",
    TEXT: "and the authors' months",
    LIKELY: "and their likely programs",
    RESTORED: "and the lost jobs put back",
}
"""What each of `judging.COUNTED` adds to the one before."""

SHORT = ["rules of the text", "+ the authors' months", "+ likely programs", "+ lost jobs put back"]
"""What the picture calls these steps."""

TEST, SETTINGS, PROGRAMS = "nothing was chosen by", "jobs and estimates were chosen by", "programs were chosen by"
GROUPS = {
    TEST: "Tables 3 and 4",
    SETTINGS: "Table 1: Paragon, CM-5, CTC's January",
    PROGRAMS: "Table 1: CTC, KTH, SDSC",
    "loads and counts of jobs": "of Table 1: they hardly depend on the policy",
    "differences": "that follow from numbers counted above",
    "printed twice": "in another table",
    "counts of the log": "in Table 2, Figure 9 and the text: nothing is simulated",
}
"""What the printed numbers are, and where they stand. The first three are means of simulated schedules."""

SIMULATED = list(GROUPS)[:3]

WEAK = 0.20
"""A number inside a band that reaches further than this share of its middle, either way, says little."""

WIDE, UNJUDGED = f"{INSIDE}, wide band", "cannot be judged"
COLOURS = {INSIDE: "#0072B2", WIDE: "#8EC6E6", CLOSE: "#E9C46A", OFF: "#D55E00", UNJUDGED: "#D9D9D9"}

MOVED = (-0.20, -0.10, -0.05, 0.05, 0.10, 0.20)
"""By which shares printed numbers are moved, to see how many would still be inside."""


OF = ["group", "exhibit", "log", "month", "metric", "estimates", "quantity", "policy"]
"""What tells a printed mean from all others; the next month's is of the same group."""


def numbers(records: Iterable[Outcome]) -> pd.DataFrame:
    """List the printed numbers of the exhibits of Mu'alem & Feitelson: what each is of, its group, and its cell."""
    rows = []
    for cell in (cell for record in records if record.paper == "mualem2001" for cell in record.cells):
        row = {"exhibit": cell["exhibit"], "group": _group(cell)} | cell["of"]
        if row["group"] in SIMULATED:
            digits = decimals(cell["exhibit"])
            row["decimals"] = digits[tuple(cell["of"][level] for level in digits.index.names)]
        rows.append(row | {"published": cell["published"], "cell": cell})
    return pd.DataFrame(rows, columns=[*OF, "decimals", "published", "cell"])


def _group(cell: Mapping[str, Any]) -> str:
    """The group of `GROUPS` that a number belongs to."""
    loads, differences, twice, counts = list(GROUPS)[3:]
    exhibit, of = cell["exhibit"], cell["of"]
    metric, quantity = of.get("metric", ""), of.get("quantity", "")
    if exhibit == "mualem2001_table1":
        if metric in ("load", "jobs"):
            return loads
        return PROGRAMS if of["log"] in SP2 and reading(cell, TEXT) else SETTINGS
    if exhibit in ("mualem2001_table3", "mualem2001_table4"):
        if quantity == "difference":
            return differences
        return twice if exhibit.endswith("4") and quantity == "original" else TEST
    if exhibit.endswith("_differences") or "[%]" in quantity or quantity.endswith(("_pct", "one_in_so_many")):
        return differences
    return twice if exhibit == "mualem2001_section31" else counts


def steps(table: pd.DataFrame) -> pd.DataFrame:
    """Count by group and step how many numbers are inside, close, off, or cannot be judged, all of one denominator."""
    verdicts = pd.DataFrame(index=table.group)
    for step, name in STEPS.items():
        verdicts[name] = [_counted(reading(cell, *COUNTED[step])) for cell in table.cell]
    counts = verdicts.rename_axis(columns="under").stack().groupby(level=[0, 1]).value_counts().unstack()
    all_steps = pd.MultiIndex.from_product([GROUPS, verdicts], names=["group", "under"])
    counts = counts.reindex(all_steps, columns=list(COLOURS)).fillna(0).astype(int)
    return counts.assign(numbers=counts.sum(axis=1))


def _counted(ours: Mapping[str, Any] | None) -> str:
    """As what a reading counts: where its band is so wide that a number inside says little, apart."""
    if ours is None:
        return UNJUDGED
    wide = (ours["high"] - ours["low"]) / 2 > WEAK * abs(ours["median"])
    return WIDE if ours["verdict"] == INSIDE and wide else str(ours["verdict"])


def controls(table: pd.DataFrame) -> pd.DataFrame:
    """Work out, by group of simulated means, which share of wrong numbers would be inside in the last step."""
    table = table[table.group.isin(SIMULATED)]
    judged = [reading(cell, *COUNTED[RESTORED]) for cell in table.cell]
    table = table.assign(judged=judged).dropna(subset="judged")
    places = table[OF].astype(object).fillna("")
    bands = pd.DataFrame(list(table.judged), table.index)
    other = places.policy.map(dict(zip(SCHEDULERS, SCHEDULERS[::-1], strict=True)))
    following = places.month.map(lambda month: str(pd.Period(month) + 1) if month else "none")
    moved = {
        "the other policy's": places.assign(policy=other),
        "the next month's": places.assign(month=following),
    }
    wrong: dict[str, Any] = {"as printed": table.published} | {
        f"{share:+.0%}": table.published * (1 + share) for share in MOVED
    }
    printed = table.published.groupby([places[level] for level in OF]).last()
    wrong |= {name: printed.reindex(pd.MultiIndex.from_frame(of)).to_numpy() for name, of in moved.items()}
    numbers = pd.DataFrame(wrong, table.index)
    inside = numbers.apply(is_inside, low=bands.low, high=bands.high, decimals=table.decimals.astype(int))
    return inside.where(numbers.notna()).astype(float).groupby(table.group).mean().reindex(SIMULATED)


def draw(counts: pd.DataFrame, wrong: pd.DataFrame) -> Figure:
    """Draw how many means nothing is fitted to lie in our bands, a bar a step, and how many wrong ones would."""
    group = next(group for group in SIMULATED if counts.loc[group].numbers.iloc[0])
    of_group: Any = counts.loc[group]
    inside, number = of_group[[INSIDE, WIDE]].sum(axis=1).set_axis(SHORT), of_group.numbers.iloc[0]
    names = {"+10%": "10 % larger", "-10%": "10 % smaller", "the other policy's": "of the other policy"}
    panels = {
        f"The {number} printed means, compared with our runs": (inside / number, COLOURS[INSIDE]),
        "Wrong numbers in their place": (wrong.loc[group, list(names)].dropna().rename(names), "#767676"),
    }
    heights = [len(shares) for shares, _ in panels.values()]
    figure, axes = plt.subplots(2, 1, figsize=(7, 4.2), sharex=True, height_ratios=heights)
    for ax, (title, (shares, colour)) in zip(axes, panels.items(), strict=True):
        ax.barh(shares.index, shares, color=colour, height=0.7)
        ax.bar_label(ax.containers[0], [f"{share:.0%}" for share in shares], padding=4)
        ax.set_title(title, loc="left", size=10.5)
        ax.set(xlim=(0, 1), ylim=(len(shares) - 0.5, -0.5))
        ax.grid(False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.tick_params(length=0, labelbottom=False)
    plots.title(figure, f"{inside.iloc[-1]} of {number} printed means lie in our bands; few wrong numbers would")
    return figure


def save(records: Iterable[Outcome], folder: Path) -> None:
    """Draw and save what the records of some exhibits say, in their folder; nothing where they have no numbers."""
    table = numbers(records)
    if not len(table):
        return
    counts, wrong = steps(table), controls(table)
    with plt.rc_context():
        plots.use_style()
        figure = draw(counts, wrong)
    plots.save(figure, folder / FOLDER / "picture.png")
    plt.close(figure)
    for name, saved in {"numbers": counts, "controls": wrong.round(4)}.items():
        with paths.replacing(folder / FOLDER / f"{name}.csv") as path:
            saved.to_csv(path, lineterminator="\n")


# Table 1 by its verdicts


ROWS = {
    ("load", "EASY"): "load",
    ("jobs", "EASY"): "jobs",
    ("response_s", "EASY"): "response time, EASY",
    ("response_s", "conservative"): "conservative",
    ("response_s", "difference"): "difference",
    ("bounded_slowdown", "EASY"): "slowdown, EASY",
    ("bounded_slowdown", "conservative"): "conservative",
    ("bounded_slowdown", "difference"): "difference",
}
"""The paper's columns by metric and policy: response times, then bounded slowdowns."""

GROUND = {verdict: COLOURS[verdict] for verdict in (INSIDE, CLOSE, OFF)} | {"not judged": "#DDDDDD"}


def as_printed(table: pd.DataFrame, changes: pd.DataFrame) -> Figure:
    """Draw the verdicts by the text on means and changes: one panel per log, by column of the paper and month."""
    means, differences = (in_words(judged).xs(TEXT, level="under") for judged in (table, changes))
    differences = differences.rename({"conservative": "difference"}, level="policy")
    both = pd.concat([means, differences.reorder_levels(means.index.names)])
    verdicts = both.verdict.where(both.verdict.isin(list(GROUND)), "not judged")[both.published.notna()]
    shades: dict[str, Any] = {"cmap": ListedColormap(list(GROUND.values())), "vmin": 0, "vmax": len(GROUND) - 1}
    longest = both.index.droplevel(["metric", "policy"]).unique().get_level_values("log").value_counts().max()
    for ax, of_log in plots.facets(verdicts, "log", size=(plots.WIDEST, 1.75)):
        cells = wide(of_log.map(list(GROUND).index), "month").reorder_levels(["metric", "policy"]).reindex(list(ROWS))
        places = np.arange(len(cells.columns) + 1) - 0.5, np.arange(len(ROWS) + 1) - 0.5
        ax.pcolormesh(*places, cells.to_numpy(float), edgecolor="white", linewidth=1, **shades)
        ax.set_yticks(range(len(ROWS)), ROWS.values(), size=7)
        ax.set_ylim(len(ROWS) - 0.5, -0.5)
        plots.month_axis(ax, cells.columns)
        ax.set_xlim(-0.5, longest - 0.5)
        ax.grid(False)
        ax.spines[:].set_visible(False)
    assert isinstance(ax.figure, Figure)  # and no part of one
    plots.legend(ax.figure, {verdict: {"facecolor": colour} for verdict, colour in GROUND.items()})
    return ax.figure


def farthest(table: pd.DataFrame, relative: bool = True, months: int = 10) -> pd.DataFrame:
    """Keep the months whose judged numbers are farthest from print by the text; all where nothing is judged."""
    judged = in_words(table[table.verdict.isin([INSIDE, CLOSE, OFF])])
    judged = judged[judged.index.isin([TEXT], level="under")]
    if not len(judged):
        return table
    off = (judged.ours - judged.published).abs() / (judged.published.abs() if relative else 1)
    shown = off.groupby(["log", "month"]).max().nlargest(months).index
    return table[pd.MultiIndex.from_frame(plainly(table.index).to_frame()[["log", "month"]]).isin(shown)]
