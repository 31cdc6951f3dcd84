"""What explains the printed numbers: how many are met, step by step, from the rules of the text to the lost jobs."""

import matplotlib.pyplot as plt
import pandas as pd

from .. import plots
from .._util import paths
from .verdicts import ABSENT, CALENDAR, CLOSE, COUNTED, INFERRED, INSIDE, LIKELY, OFF, OTHER_LOG, RESTORED, TEXT, tally

NAME = "printed-numbers"
"""Of the picture and the table, in `figures/`."""

STEPS = {
    CALENDAR: "the rules of the text",
    TEXT: "... and the authors' months",
    LIKELY: "... and their likely programs",
    RESTORED: "... and the lost jobs put back",
}
"""What each of `judging.COUNTED` adds to the one before."""

NO_LOG = "lacks jobs"
INFERRED_FROM = "inferred from"
COLOURS = {INSIDE: "#2A9D6E", CLOSE: "#E9C46A", OFF: "#D1495B", INFERRED_FROM: "#B8A9C9", NO_LOG: "#BBBBBB"}
COLOURS |= {ABSENT: "#E4E4E4"}


def steps(cells):
    """Count the printed numbers by what became of them, step by step.

    Gives a DataFrame, a row each of `STEPS`; how many are inside, close and off, and why others are not judged.
    """
    rows = {}
    for step, name in STEPS.items():
        counts = tally(cells, *COUNTED[step])
        reasons = [_why_not(cell, COUNTED[step]) for cell in cells]
        others = {of: reasons.count(why) for of, why in ((INFERRED_FROM, INFERRED), (NO_LOG, OTHER_LOG), (ABSENT,) * 2)}
        rows[name] = {verdict: counts[verdict] for verdict in (INSIDE, CLOSE, OFF)} | others
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("under")


def judged(table):
    """Count the printed numbers that can be judged in each of `steps`: no two have the same denominator."""
    return table[[INSIDE, CLOSE, OFF]].sum(axis=1)


def of_logs(found):
    """Take the judged cells of the exhibits that are made from the paper's own logs, a list of `report.Outcome`."""
    return [cell for one in found if one.paper == "mualem2001" for cell in one.cells]


def _why_not(cell, rules):
    """Why a number is judged under none of these rules; None where it is."""
    verdicts = [cell["readings"][rule]["verdict"] for rule in rules if rule in cell["readings"]]
    return None if {INSIDE, CLOSE, OFF} & set(verdicts) else next(iter(verdicts), ABSENT)


def drawn(table):
    """Draw the table of `steps`: a bar a step, and beside it how many are inside of those that can be judged."""
    figure, ax = plt.subplots(figsize=(8.4, 2.9))
    left = pd.Series(0, table.index)
    for what, colour in COLOURS.items():
        bars = ax.barh(table.index, table[what], left=left, color=colour, height=0.72, label=what)
        labels = [f"{count}" if count > 12 else "" for count in table[what]]
        ax.bar_label(bars, labels, label_type="center", size=9, color="white" if what in (INSIDE, OFF) else "black")
        left = left + table[what]
    for under, of in judged(table).items():
        inside = table.loc[under, INSIDE]
        said = f" {inside:,} of {of:,}: {inside / of:.0%}" if of else " none can be judged"
        ax.text(left.iloc[0], under, said, va="center", size=9)
    ax.invert_yaxis()
    ax.set(xlabel="printed numbers of Mu'alem & Feitelson", xlim=(0, left.iloc[0]))
    ax.grid(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    figure.legend(loc="outside upper left", ncols=len(COLOURS))
    return figure


def save(found, folder):
    """Draw and save what the records of some exhibits say, in their folder; nothing where they have no numbers."""
    cells = of_logs(found)
    if not cells:
        return
    table = steps(cells)
    with plt.rc_context():
        plots.use_style()
        figure = drawn(table)
    plots.save(figure, folder / f"{NAME}.png")
    plt.close(figure)
    with paths.replacing(folder / f"{NAME}.csv") as path:
        table.to_csv(path, lineterminator="\n")
