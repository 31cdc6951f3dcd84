"""Table 1 as the paper prints it: its two halves and columns, our number below each printed one."""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from ...plots import legend
from ..judging import CLOSE, INSIDE, OFF, TEXT
from . import SP2, TRACES

COLUMNS = {
    ("load", "easy"): "load",
    ("jobs", "easy"): "jobs",
    ("response_s", "easy"): "EASY",
    ("response_s", "conservative"): "cons",
    ("response_s", None): "difference",
    ("bounded_slowdown", "easy"): "EASY",
    ("bounded_slowdown", "conservative"): "cons",
    ("bounded_slowdown", None): "difference",
}
"""The paper's columns by metric and scheduler; None is the change from EASY to conservative."""

FORMS = {"load": "{:.3f}", "jobs": "{:.0f}", "response_s": "{:.0f}", "bounded_slowdown": "{:.1f}"}
GROUND = {INSIDE: "#CFE8D9", CLOSE: "#FBE6BF", OFF: "#F4C9BE"}
"""The colour behind a number that is judged."""

RIGHT = [2.7, 3.6, 4.8, 5.9, 7.1, 8.2, 9.2, 10.5]
"""Where the columns end; a row is one high."""


def as_printed(cells):
    """Draw Table 1 of judged cells, from `judging.cell`: half (a) has the SP2 logs, half (b) the others."""
    keys = "trace", "month", "metric", "scheduler"
    by_place = {tuple(one["of"].get(key) for key in keys): one for one in cells}
    months = sorted({place[:2] for place in by_place}, key=lambda place: (TRACES.index(place[0]), place[1]))
    halves = [[place for place in months if (place[0] in SP2) == sp2] for sp2 in (True, False)]
    rows = max(map(len, halves))
    figure, axes = plt.subplots(1, 2, figsize=(13.5, 0.9 + 0.27 * rows), layout="constrained")
    for ax, letter, half in zip(axes, "ab", halves, strict=True):
        _half(ax, letter, half, by_place)
        ax.set(xlim=(-0.1, RIGHT[-1] + 0.1), ylim=(rows + 0.1, -2.6))
        ax.axis("off")
    legend(figure, {f"{verdict}, by the text": {"facecolor": colour} for verdict, colour in GROUND.items()})
    return figure


def _half(ax, letter, half, by_place):
    """One half: its head, and a row a month."""
    ax.text(0, -2.1, f"({letter})", weight="bold", va="center")
    for metric, x in (("response time", 5.6), ("bounded slowdown", 9.1)):
        ax.text(x, -1.6, metric, ha="center", va="center", weight="bold", size=8)
    heads = [(0, "left", "trace"), (0.75, "left", "mon")]
    heads += [(x, "right", name) for x, name in zip(RIGHT, COLUMNS.values(), strict=True)]
    for x, side, name in heads:
        ax.text(x, -0.7, name, ha=side, va="center", size=8)
    before = None
    for y, (trace, month) in enumerate(half):
        if trace != before:
            ax.axhline(y - 0.02, color="black", linewidth=0.8)
            ax.text(0, y + 0.3, trace, va="center", weight="bold", size=8)
        before = trace
        ax.text(0.75, y + 0.3, month, va="center", size=7)
        for (metric, scheduler), right in zip(COLUMNS, RIGHT, strict=True):
            _number(ax, right, y, by_place.get((trace, month, metric, scheduler)), metric, scheduler)


def _number(ax, right, y, cell, metric, scheduler):
    """One number of the table, ours below it, on the colour of the verdict by the text."""
    if cell is None:
        return
    ours = cell["readings"][TEXT]
    form = "{:+.1f}%" if scheduler is None else FORMS[metric]
    if ground := GROUND.get(ours["verdict"]):
        ax.add_patch(Rectangle((right - 0.85, y + 0.03), 0.9, 0.94, facecolor=ground, linewidth=0))
    ax.text(right, y + 0.3, form.format(cell["published"]), ha="right", va="center", size=8)
    known = "" if ours["ours"] != ours["ours"] else form.format(ours["ours"])
    ax.text(right, y + 0.74, known, ha="right", va="center", size=6, color="#555555")
