"""Table 1 as the paper prints it, with our number small below each printed one, on the colour of its verdict."""

import matplotlib.pyplot as plt
import pandas as pd

from ... import plots
from ..verdicts import CLOSE, INSIDE, OFF

HEADS = {
    ("load", "easy"): ("load", "{:.3f}"),
    ("jobs", "easy"): ("jobs", "{:.0f}"),
    ("response_s", "easy"): ("EASY [s]", "{:.0f}"),
    ("response_s", "conservative"): ("cons. [s]", "{:.0f}"),
    ("response_s", "difference"): ("diff.", "{:+.1f}%"),
    ("bounded_slowdown", "easy"): ("EASY", "{:.1f}"),
    ("bounded_slowdown", "conservative"): ("cons.", "{:.1f}"),
    ("bounded_slowdown", "difference"): ("diff.", "{:+.1f}%"),
}
"""The paper's columns by metric and scheduler: response times, then bounded slowdowns."""

GROUND = {INSIDE: "#CFE8D9", CLOSE: "#FBE6BF", OFF: "#F4C9BE"}


def as_printed(table, changes, halves=(("CTC", "KTH", "SDSC"), ("Par", "CM5"))):
    """Draw judged means and changes by the text, in the paper's two halves."""
    differences = pd.concat({"difference": changes}, names=["scheduler"]).reorder_levels(table.index.names)
    both = pd.concat([table, differences]).xs("text", level="rule")
    rows = table.index.droplevel([level for level in table.index.names if level not in ("trace", "month")]).unique()
    wide = both[["published", "ours", "verdict"]].unstack(["metric", "scheduler"]).reindex(rows)
    figure, axes = plt.subplots(1, len(halves), figsize=(14, 13))
    for ax, traces in zip(axes, halves, strict=True):
        half = wide[rows.isin(traces, level="trace")]
        colours = half["verdict"][list(HEADS)].map(GROUND.get)
        plots.grid(ax, _written(half["published"]), colours, _written(half["ours"]))
    plots.legend(figure, {f"{verdict}, by the text": {"facecolor": colour} for verdict, colour in GROUND.items()})
    return figure


def _written(numbers):
    """Write the numbers of each column in its form."""
    texts = {of: numbers[of].map(form.format, na_action="ignore").fillna("") for of, (_, form) in HEADS.items()}
    return pd.DataFrame(texts).set_axis([head for head, _ in HEADS.values()], axis=1)
