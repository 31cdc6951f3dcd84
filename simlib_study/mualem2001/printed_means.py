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
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from simlib import plots
from simlib._util import paths

from ..judging import (
    CALENDAR,
    CLOSE,
    INSIDE,
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

BY_TEXT = "by the text"
"""The program of a policy that does what the text says; others are called by what they do differently."""

LOGS = {CALENDAR: "calendar's months", "": "public log", RESTORED: "lost jobs put back"}
"""What a log's name says behind a comma, and what is done to the log then. Without that it is as it is."""

TEST, LOST, MONTHS = "nothing was chosen by", "a lost job was chosen by", "programs were chosen by their months"
SETTINGS, PROGRAMS = "jobs and estimates were chosen by", "programs were chosen by"
GROUPS = {
    TEST: "Tables 3 and 4: KTH, SDSC",
    LOST: "Tables 3 and 4: CTC, whose lost burst has the request that fits January",
    MONTHS: "Table 3, original estimates: Table 1's months, weighted by jobs",
    SETTINGS: "Table 1: Paragon, CM-5, CTC's January",
    PROGRAMS: "Table 1: CTC, KTH, SDSC",
    "loads and counts of jobs": "of Table 1: they hardly depend on the policy",
    "differences": "that follow from numbers counted above",
    "printed twice": "in another table",
    "counts of the log": "in Table 2, Figure 9 and the text: nothing is simulated",
}
"""What the printed numbers are, and where they stand. The first five are means of simulated schedules."""

SIMULATED = list(GROUPS)[:5]

TABLES = "Tables 3 and 4"
"""The first three groups together."""

WEAK = 0.20
"""A number inside a band that reaches further than this share of its middle, either way, says little."""

WIDE, UNJUDGED = f"{INSIDE}, wide band", "cannot be judged"
COLOURS = {INSIDE: "#0072B2", WIDE: "#8EC6E6", CLOSE: "#E9C46A", OFF: "#D55E00", UNJUDGED: "#D9D9D9"}

MOVED = (-0.20, -0.10, -0.05, -0.02, -0.01, 0.01, 0.02, 0.05, 0.10, 0.20)
"""By which shares printed numbers are moved, to see how many would still be inside."""

EXPECTED = 0.95
"""Which share of its numbers the same program would have inside."""

OF = ["group", "exhibit", "log", "month", "metric", "estimates", "quantity", "policy"]
"""What tells a printed mean from all others; the next month's is of the same group."""


def numbers(exhibits: Iterable[Outcome]) -> pd.DataFrame:
    """List the printed numbers of the exhibits of Mu'alem & Feitelson: what each is of, its group, and its cell."""
    rows = []
    for cell in (cell for one in exhibits if one.paper == "mualem2001" for cell in one.cells):
        row = {"exhibit": cell["exhibit"], "group": _group(cell)} | cell["of"]
        if row["group"] in SIMULATED:
            digits = decimals(cell["exhibit"])
            row["decimals"] = digits[tuple(cell["of"][level] for level in digits.index.names)]
        rows.append(row | {"published": cell["published"], "cell": cell})
    return pd.DataFrame(rows, columns=[*OF, "decimals", "published", "cell"])


def _group(cell: Mapping[str, Any]) -> str:
    """The group of `GROUPS` that a number belongs to."""
    loads, differences, twice, counts = list(GROUPS)[5:]
    exhibit, of = cell["exhibit"], cell["of"]
    metric, quantity = of.get("metric", ""), of.get("quantity", "")
    if exhibit == "mualem2001_table1":
        if metric in ("load", "jobs"):
            return loads
        return PROGRAMS if of["log"] in SP2 and reading(cell, TEXT) else SETTINGS
    if exhibit in ("mualem2001_table3", "mualem2001_table4"):
        if quantity == "difference":
            return differences
        if quantity == "original":
            return twice
        if of.get("estimates") == "original":
            return MONTHS
        return LOST if of["log"] == "CTC" else TEST
    if exhibit.endswith("_differences") or "[%]" in quantity or quantity.endswith(("_pct", "one_in_so_many")):
        return differences
    return twice if exhibit == "mualem2001_section31" else counts


def with_tables(table: pd.DataFrame) -> pd.DataFrame:
    """Add the numbers of Tables 3 and 4 together, as one more group."""
    return pd.concat([table[table.group.isin([TEST, LOST, MONTHS])].assign(group=TABLES), table])


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """Count how many numbers are inside, close, off, or cannot be judged: by group, policy, its program, and logs."""
    rows: list[tuple[str, ...]] = []
    there = set()
    for group, policy, cell in zip(table.group, table.policy.fillna(""), table.cell, strict=True):
        there |= {(group, policy, _program(one), _done(one)) for one in cell["readings"]}
        for program in _programs(cell):
            rows += [(group, policy, program, of, _counted(_judged(cell, program, of))) for of in LOGS]
    rows = [row for row in rows if not row[3] or row[:4] in there]
    levels = ["group", "policy", "program", "logs"]
    counted = pd.DataFrame(rows, columns=[*levels, "verdict"]).value_counts().unstack(fill_value=0)
    orders = [TABLES, *GROUPS], [*SCHEDULERS, "difference", ""], [BY_TEXT], list(LOGS)
    places = [
        [names.index(one) if one in names else len(names) for one in counted.index.get_level_values(level)]
        for level, names in zip(levels, orders, strict=True)
    ]
    counted = counted.iloc[np.lexsort(places[::-1])].reindex(columns=list(COLOURS), fill_value=0)
    counted = counted.rename(LOGS, level="logs").rename_axis(columns=None)
    return counted.assign(numbers=counted.sum(axis=1))


def _programs(cell: Mapping[str, Any]) -> list[str]:
    """The programs that a number was simulated by, that of the text first."""
    return sorted({_program(one) for one in cell["readings"]} | {BY_TEXT}, key=lambda name: (name != BY_TEXT, name))


def _program(one: Mapping[str, Any]) -> str:
    """The program of a reading."""
    return str(one.get("policy", "")).partition(", ")[2] or BY_TEXT


def _done(one: Mapping[str, Any]) -> str:
    """What is done to the log of a reading."""
    return str(one.get("log", "")).partition(", ")[2]


def _judged(cell: Mapping[str, Any], program: str, of_log: str) -> Any:
    """What is judged of a number by a program: on logs that have this done to them, or else on those as they are."""
    judged = [one for one in cell["readings"] if one["verdict"] in (INSIDE, CLOSE, OFF) and _program(one) == program]
    by_log = {_done(one): one for one in judged}
    return by_log.get(of_log, by_log.get(""))


def likely(cell: Mapping[str, Any]) -> Any:
    """What is judged of a number by the program that the policy most likely had, with the lost jobs put back."""
    return _judged(cell, _programs(cell)[-1], RESTORED)


def _counted(one: Mapping[str, Any] | None) -> str:
    """As what a reading counts: where its band is so wide that a number inside says little, apart."""
    if one is None:
        return UNJUDGED
    wide = (one["high"] - one["low"]) / 2 > WEAK * abs(one["median"])
    return WIDE if one["verdict"] == INSIDE and wide else str(one["verdict"])


def controls(table: pd.DataFrame) -> pd.DataFrame:
    """Work out, by group of simulated means, which share of wrong numbers would be inside by `likely`."""
    groups = [TABLES, *SIMULATED]
    table = table[table.group.isin(groups)]
    table = table.assign(judged=[likely(cell) for cell in table.cell]).dropna(subset="judged")
    places = table[OF].astype(object).fillna("")
    bands = pd.DataFrame(list(table.judged), table.index)
    other = places.policy.map(dict(zip(SCHEDULERS, SCHEDULERS[::-1], strict=True)))
    following = places.month.map(lambda month: str(pd.Period(month) + 1) if month else "none")
    moved = {
        "the other policy's": places.assign(policy=other),
        "the next month's": places.assign(month=following),
    }
    wrong: dict[str, Any] = {"as printed": table.published}
    wrong |= {f"{share:+.0%}": table.published * (1 + share) for share in MOVED}
    printed = table.published.groupby([places[level] for level in OF]).last()
    wrong |= {name: printed.reindex(pd.MultiIndex.from_frame(of)).to_numpy() for name, of in moved.items()}
    moves = pd.DataFrame(wrong, table.index)
    inside = moves.apply(is_inside, low=bands.low, high=bands.high, decimals=table.decimals.astype(int))
    return inside.where(moves.notna()).astype(float).groupby(table.group).mean().reindex(groups)


def rows(table: pd.DataFrame) -> tuple[int, int]:
    """Count the rows of Tables 3 and 4, a log with its estimates, and in how many all means are inside by `likely`."""
    table = table[table.group == TABLES]
    inside = pd.Series([(likely(cell) or {}).get("verdict") == INSIDE for cell in table.cell], table.index)
    places = table[[level for level in OF if level not in ("metric", "policy")]].astype(object).fillna("")
    whole = inside.groupby([places[level] for level in places]).all()
    return int(whole.sum()), len(whole)


def above(table: pd.DataFrame) -> tuple[int, int]:
    """Count of the means nothing was chosen by that are not inside by `likely` how many are printed above the band."""
    table = table[table.group == TEST]
    missed = [(published, one) for published, one in zip(table.published, map(likely, table.cell), strict=True) if one]
    above = [published > one["high"] for published, one in missed if one["verdict"] != INSIDE]
    return sum(above), len(above)


NAMES = {
    "-1%": "1 % smaller",
    "-2%": "2 % smaller",
    "-5%": "5 % smaller",
    "+5%": "5 % larger",
    "+10%": "10 % larger",
    "the other policy's": "of the other policy",
}
"""What the picture calls wrong numbers."""


def draw(verdicts: Any, wrong: Any) -> Figure:
    """Draw what becomes of the means in Tables 3 and 4, a bar a policy's program, and of wrong ones."""
    group = next(group for group in [TABLES, *SIMULATED] if group in verdicts.index)
    verdicts, wrong = verdicts.xs(group, level="group"), wrong.loc[group, list(NAMES)].dropna().rename(NAMES)
    panels = {policy: of for policy, of in verdicts.groupby(level="policy", sort=False)}
    wrong = pd.concat([pd.Series({"by the same program": EXPECTED}), wrong])
    heights = [len(of) for of in panels.values()] + [len(wrong)]
    size = (8, 0.8 + 0.27 * sum(heights) + 0.35 * len(heights))
    figure, axes = plt.subplots(len(heights), 1, figsize=size, sharex=True, height_ratios=heights)
    for ax, (policy, of) in zip(axes, panels.items(), strict=False):
        names = [f"{program}, {logs}" for _, program, logs in of.index]
        left = np.zeros(len(of))
        for verdict, colour in COLOURS.items():
            shares = (of[verdict] / of.numbers).to_numpy()
            ax.barh(names, shares, left=left, color=colour, height=0.75)
            for row, (number, share, at) in enumerate(zip(of[verdict], shares, left, strict=True)):
                if share > 0.02:
                    light = "white" if verdict in (INSIDE, OFF) else "black"
                    ax.text(at + share / 2, row, number, ha="center", va="center", size=9, color=light)
            left += shares
        _bare(
            ax,
            f"{policy}: the {of.numbers.iloc[0]} means printed{' in Tables 3 and 4' if group == TABLES else ''}",
            len(of),
        )
    axes[-1].barh(wrong.index, wrong, color=["#0072B2"] + ["#767676"] * (len(wrong) - 1), height=0.75)
    axes[-1].bar_label(axes[-1].containers[0], [f"{share:.0%}" for share in wrong], padding=4)
    _bare(axes[-1], "For comparison, inside would be of as many numbers", len(wrong))
    shown = {verdict: {"facecolor": colour} for verdict, colour in COLOURS.items() if verdicts[verdict].any()}
    plots.legend(figure, shown)
    last = pd.concat([of.iloc[[-1]] for of in panels.values()])
    inside = last[[INSIDE, WIDE]].sum().sum()
    title = (
        f"By the likely programs, lost jobs put back, {inside} of {last.numbers.sum()} printed means lie in our bands"
    )
    plots.title(figure, f"{title};\nby the same programs {EXPECTED * last.numbers.sum():.0f} would")
    return figure


def _bare(ax: Axes, title: str, bars: int) -> None:
    """Leave of a panel its bars, their names and a title."""
    ax.set_title(title, loc="left", size=10.5)
    ax.set(xlim=(0, 1), ylim=(bars - 0.5, -0.5))
    ax.grid(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(length=0, labelbottom=False)


def save(exhibits: Iterable[Outcome], folder: Path) -> None:
    """Draw and save what the records of some exhibits say, in their folder; nothing where they have no numbers."""
    table = numbers(exhibits)
    if not len(table):
        return
    table = with_tables(table)
    counted, wrong = counts(table), controls(table)
    with plt.rc_context():
        plots.use_style()
        figure = draw(counted, wrong)
    plots.save(figure, folder / FOLDER / "picture.png")
    plt.close(figure)
    for name, saved in {"numbers": counted, "controls": wrong.round(4)}.items():
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
    means, differences = (in_words(of).xs(TEXT, level="under") for of in (table, changes))
    differences = differences.rename({"conservative": "difference"}, level="policy")
    both = pd.concat([means, differences.reorder_levels(means.index.names)])
    verdicts = both.verdict.where(both.verdict.isin(list(GROUND)), "not judged")[both.published.notna()]
    shades: dict[str, Any] = {"cmap": ListedColormap(list(GROUND.values())), "vmin": 0, "vmax": len(GROUND) - 1}
    longest = both.index.droplevel(["metric", "policy"]).unique().get_level_values("log").value_counts().max()
    for ax, of in plots.facets(verdicts, "log", size=(plots.WIDEST, 1.75)):
        cells = wide(of.map(list(GROUND).index), "month").reorder_levels(["metric", "policy"]).reindex(list(ROWS))
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
