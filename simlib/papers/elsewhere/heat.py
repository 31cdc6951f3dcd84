"""Many policies on many logs in one picture: a map of effects, and a forest a policy; nothing is computed here."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from ...plots import legend
from .deciding import AGAINST, OPEN, WITH, sides
from .pictures import BARS, LINEAR, LOOKS, OF_PAPER, SAID, panel, rows

FULL = 0.5
"""A change of this size, or more, has the full colour."""

ACROSS = 5


def maps(panels, about, names, against):
    """Draw effects as maps, one below the other: a row a log, the paper's first, and a column a policy.

    The number is the change in per cent, in colour where coincidence is clear of nought, and bold where another year
    is, too.

    Parameters
    ----------
    panels : dict of DataFrame
        By title, from `effects`, by (policy, log).
    about : DataFrame
        From `about`.
    names : dict
        What the policies are called, in order.
    against : str
        What is held against what.
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
            strength = 0.12 + 0.88 * _strength(effect) if side != OPEN else 0
            ax.add_patch(Rectangle((x - 0.48, y - 0.48), 0.96, 0.96, color=LOOKS[side], alpha=strength, linewidth=0))
            colour = "#777777" if side == OPEN else "white" if strength > 0.7 else "black"
            weight = "bold" if side != OPEN and side == year[policy, log] else "normal"
            text = f"{100 * effect:+z.0f}".replace("+0", "0") if signed else f"{100 * effect:.1f}"
            ax.text(x, y, text, size=7.5, color=colour, weight=weight, ha="center", va="center")


def _strength(effect):
    """How strong the colour of an effect is, from 0 to 1: as the axes of other pictures, linear at first."""
    return min(np.arcsinh(abs(effect) / LINEAR) / np.arcsinh(FULL / LINEAR), 1)


def forests(table, about, names, against):
    """Draw effects with both intervals: a panel a policy, a row a log, the paper's first.

    Parameters
    ----------
    table : DataFrame
        From `effects`, by (policy, log).
    about, names, against
        As for `maps`.
    """
    places, labels = rows(about)
    down = -(-len(names) // ACROSS)
    size = (11, 1.3 + down * (0.5 + 0.19 * len(places)))
    figure, axes = plt.subplots(down, ACROSS, figsize=size, sharey=True, squeeze=False)
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
