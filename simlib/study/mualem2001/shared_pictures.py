"""What pictures of Mu'alem & Feitelson's exhibits share."""

from matplotlib.ticker import FuncFormatter

from ..verdicts import LIKELY, RESTORED, TEXT

# in legends
DOT = {"marker": "o", "linestyle": ""}
DOTTED = {"color": "grey", "linestyle": ":"}
AS_PRINTED = DOT | {"color": "grey", "fillstyle": "none"}
INTERVAL = {"color": "grey", "linewidth": 3, "alpha": 0.4}

MARKERS = {TEXT: ".", LIKELY: "x", RESTORED: "^"}
LINES = {TEXT: "-", LIKELY: ":", RESTORED: "--"}
"""Of numbers under each rule."""

numbers = FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}")
"""Writes the numbers of an axis."""


def named_rules(rule):
    """Name a rule in a legend."""
    return "likely rules, lost jobs put back" if rule == RESTORED else f"{rule} rules"
