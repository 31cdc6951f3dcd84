"""Count the printed numbers of Mu'alem & Feitelson that come out, and wrong numbers that would come out as well.

A number tests a simulation only where it is a mean of a simulated schedule, is printed for the first time, and had no
say in how the simulation was set up. The groups keep these apart from all others.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap

from .. import plots
from .._util import paths
from ..analysis.stats import Interval
from .mualem2001 import SP2
from .results import wide
from .verdicts import (
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
    judge,
    reading,
)

PICTURE = "printed-numbers"
"""Of the picture and the tables, in `figures/`."""

STEPS = {
    CALENDAR: "rules of the text",
    TEXT: "and the authors' months",
    LIKELY: "and their likely programs",
    RESTORED: "and the lost jobs put back",
}
"""What each of `verdicts.COUNTED` adds to the one before."""

SHORT = "rules of the text", "+ the authors' months", "+ likely programs", "+ lost jobs put back"
LABELS = dict(zip(STEPS.values(), SHORT, strict=True))
"""What the picture calls these steps."""

TEST, SETTINGS, PROGRAMS = "nothing was chosen by", "jobs and estimates were chosen by", "programs were chosen by"
GROUPS = {
    TEST: "Tables 3 and 4",
    SETTINGS: "Table 1: Paragon, CM-5, CTC's January",
    PROGRAMS: "Table 1: CTC, KTH, SDSC",
    "loads and counts of jobs": "of Table 1: they hardly depend on the scheduler",
    "differences": "that follow from numbers counted above",
    "printed twice": "in another table",
    "counts of the log": "in Table 2, Figure 9 and the text: nothing is simulated",
}
"""What the printed numbers are, and where they stand. The first three are means of simulated schedules."""

SIMULATED = list(GROUPS)[:3]

WEAK = 0.20
"""A number inside a band that reaches further than this share of its middle, either way, says little."""

UNJUDGED = "cannot be judged"
COLOURS = {INSIDE: "#0072B2", f"{INSIDE}, wide band": "#8EC6E6", CLOSE: "#E9C46A", OFF: "#D55E00", UNJUDGED: "#D9D9D9"}

MOVED = (-0.20, -0.10, -0.05, 0.05, 0.10, 0.20)
"""By which shares printed numbers are moved, to see how many would still be inside."""


def numbers(found):
    """List the printed numbers of the exhibits of Mu'alem & Feitelson, each with its group and cell."""
    rows = []
    for one in found:
        for record in one.records if one.paper == "mualem2001" else []:
            exhibit = record["exhibit"]
            for cell in record["verdicts"]["cells"]:
                row = {"exhibit": exhibit, "group": _group(exhibit, cell["of"], cell), "of": cell["of"], "cell": cell}
                if row["group"] in SIMULATED:
                    digits = decimals(exhibit)
                    row["decimals"] = digits[tuple(cell["of"][level] for level in digits.index.names)]
                rows.append(row | {"published": cell["published"]})
    return pd.DataFrame(rows, columns=["exhibit", "group", "decimals", "published", "of", "cell"])


def _group(exhibit, of, cell):
    """The group of `GROUPS` that a number belongs to."""
    loads, differences, twice, counts = list(GROUPS)[3:]
    metric, quantity = of.get("metric", ""), of.get("quantity", "")
    if exhibit == "mualem2001_table1":
        if metric in ("load", "jobs"):
            return loads
        return PROGRAMS if of["trace"] in SP2 and reading(cell, TEXT) else SETTINGS
    if exhibit in ("mualem2001_table3", "mualem2001_table4"):
        if quantity == "difference":
            return differences
        return twice if exhibit.endswith("4") and quantity == "original" else TEST
    if exhibit.endswith("_differences") or "[%]" in quantity or quantity.endswith(("_pct", "one_in_so_many")):
        return differences
    return twice if exhibit == "mualem2001_table1_jobs" else counts


def weak(one):
    """Whether a reading's band is so wide that a number inside says little."""
    return (one["high"] - one["low"]) / 2 > WEAK * abs(one["median"])


def steps(table):
    """Count by group and step how many numbers are inside, close, off, or cannot be judged, all of one denominator."""
    rows = {}
    for group in GROUPS:
        cells = table.cell[table.group == group]
        for step, name in STEPS.items():
            counts = dict.fromkeys(COLOURS, 0)
            for one in (reading(cell, *COUNTED[step]) for cell in cells):
                wide = one and one["verdict"] == INSIDE and weak(one)
                counts[f"{INSIDE}, wide band" if wide else one["verdict"] if one else UNJUDGED] += 1
            rows[group, name] = counts | {"numbers": len(cells)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["group", "under"])


def controls(table):
    """Work out, by group of simulated means, which share of wrong numbers would be inside in the last step."""
    of_group = {}
    for group in SIMULATED:
        rows = table[table.group == group]
        judged = [(row, reading(row.cell, *COUNTED[RESTORED])) for row in rows.itertuples()]
        judged = [(row, one) for row, one in judged if one]
        printed = {_place(row.exhibit, row.of): row.published for row, _ in judged}
        inside = {}
        for row, one in judged:
            wrong = {"as printed": row.published}
            wrong |= {f"{share:+.0%}": row.published * (1 + share) for share in MOVED}
            other = row.of | {"scheduler": SCHEDULERS[SCHEDULERS[0] == row.of["scheduler"]]}
            following = row.of | {"month": str(pd.Period(row.of["month"], "M") + 1)} if "month" in row.of else None
            wrong["the other scheduler's"] = printed.get(_place(row.exhibit, other))
            wrong["the next month's"] = printed.get(_place(row.exhibit, following))
            band = Interval(one["low"], one["median"], one["high"])
            for name, value in wrong.items():
                of_name = inside.setdefault(name, [])
                of_name += [] if value is None else [judge(value, band, decimals=row.decimals) == INSIDE]
        of_group[group] = {name: sum(of) / len(of) if of else float("nan") for name, of in inside.items()}
    return pd.DataFrame(of_group).T.rename_axis("group")


def _place(exhibit, of):
    """What tells a number from all others."""
    return exhibit, tuple(sorted((of or {}).items()))


def draw(counts, wrong):
    """Draw how many means nothing is fitted to lie in our bands, a bar a step, and how many wrong ones would."""
    group = next(group for group in SIMULATED if counts.loc[group, "numbers"].iloc[0])
    of = counts.loc[group]
    inside = of[INSIDE] + of[f"{INSIDE}, wide band"]
    number = int(of.numbers.iloc[0])
    names = {"+10%": "10 % larger", "-10%": "10 % smaller", "the other scheduler's": "of the other scheduler"}
    shares = (inside / number).rename(LABELS), wrong.loc[group].reindex(list(names)).dropna().rename(names)
    heights = [len(part) for part in shares]
    figure, axes = plt.subplots(2, 1, figsize=(7, 4.2), sharex=True, height_ratios=heights)
    titles = f"The {number} printed means, compared with our runs", "Wrong numbers in their place"
    for ax, title, part, colour in zip(axes, titles, shares, (COLOURS[INSIDE], "#767676"), strict=True):
        ax.barh(part.index, part, color=colour, height=0.7)
        ax.bar_label(ax.containers[0], [f"{share:.0%}" for share in part], padding=4)
        ax.set_title(title, loc="left", size=10.5)
        ax.invert_yaxis()
        ax.set_xlim(0, 1)
        ax.grid(False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.tick_params(length=0, labelbottom=False)
    last = inside.iloc[-1]
    figure.suptitle(
        f"{last:.0f} of {number} printed means lie in our bands; few wrong numbers would", x=0.01, ha="left"
    )
    return figure


def save(found, folder):
    """Draw and save what the records of some exhibits say, in their folder; nothing where they have no numbers."""
    table = numbers(found)
    if not len(table):
        return
    counts, wrong = steps(table), controls(table)
    with plt.rc_context():
        plots.use_style()
        figure = draw(counts, wrong)
    plots.save(figure, folder / f"{PICTURE}.png")
    plt.close(figure)
    for name, saved in ((PICTURE, counts), (f"{PICTURE}_controls", wrong.round(4))):
        with paths.replacing(folder / f"{name}.csv") as path:
            saved.to_csv(path, lineterminator="\n")


# Table 1 by its verdicts


ROWS = {
    ("load", "easy"): "load",
    ("jobs", "easy"): "jobs",
    ("response_s", "easy"): "response time, EASY",
    ("response_s", "conservative"): "conservative",
    ("response_s", "difference"): "difference",
    ("bounded_slowdown", "easy"): "slowdown, EASY",
    ("bounded_slowdown", "conservative"): "conservative",
    ("bounded_slowdown", "difference"): "difference",
}
"""The paper's columns by metric and scheduler: response times, then bounded slowdowns."""

GROUND = {verdict: COLOURS[verdict] for verdict in (INSIDE, CLOSE, OFF)} | {"not judged": "#DDDDDD"}


def as_printed(table, changes):
    """Draw the verdicts by the text on means and changes: one panel per log, by column of the paper and month."""
    differences = pd.concat({"difference": changes}, names=["scheduler"]).reorder_levels(table.index.names)
    both = pd.concat([table, differences]).xs("text", level="rule")
    traces = table.index.unique("trace")
    size = {"figsize": (plots.WIDEST, 1.1 + 1.75 * len(traces)), "squeeze": False}
    figure, axes = plt.subplots(len(traces), 1, **size)
    longest = both.groupby("trace").apply(lambda of: of.index.unique("month").size).max()
    for ax, trace in zip(axes[:, 0], traces, strict=True):
        of = both.xs(trace, level="trace")
        verdicts = of.verdict.where(of.verdict.isin(list(GROUND)), "not judged").where(of.published.notna())
        cells = (
            wide(verdicts, "month")
            .reorder_levels(["metric", "scheduler"])
            .reindex(list(ROWS))
            .map(list(GROUND).index, na_action="ignore")
        )
        shades = {"cmap": ListedColormap(list(GROUND.values())), "vmin": 0, "vmax": len(GROUND) - 1}
        places = np.arange(len(cells.columns) + 1) - 0.5, np.arange(len(ROWS) + 1) - 0.5
        ax.pcolormesh(*places, cells.to_numpy(float), edgecolor="white", linewidth=1, **shades)
        ax.set_yticks(range(len(ROWS)), ROWS.values(), size=7)
        ax.set(title=trace, ylim=(len(ROWS) - 0.5, -0.5))
        plots.month_axis(ax, cells.columns)
        ax.set_xlim(-0.5, longest - 0.5)
        ax.grid(False)
        ax.spines[:].set_visible(False)
    plots.legend(figure, {verdict: {"facecolor": colour} for verdict, colour in GROUND.items()})
    return figure


def farthest(table, relative=True, months=10):
    """Keep the months whose judged numbers are farthest from print by the text; all where nothing is printed."""
    if "published" not in table:
        return table
    judged = table[table.verdict.isin([INSIDE, CLOSE, OFF]) & table.index.isin([TEXT], level="rule")]
    off = (judged.ours - judged.published).abs() / (judged.published.abs() if relative else 1)
    shown = off.groupby(["trace", "month"]).max().nlargest(months).index
    return table[pd.MultiIndex.from_frame(table.index.to_frame()[["trace", "month"]]).isin(shown)]
