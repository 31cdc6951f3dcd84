"""What several pictures of Tang et al.'s exhibits share."""

from ...plots import COLOURS

LEVEL_COLOURS = {"NA": "#B0B0B0", "OE": COLOURS[2], "UE": COLOURS[4], "BE": COLOURS[1]}
"""No adjustment, overestimation, underestimation, bad estimation."""


def percentile_axis(ax, percentiles):
    """Label an x axis whose places 0, 1, ... are percentiles that A is set to."""
    names = {100: "max.", 50: "median"}
    ax.set_xticks(range(len(percentiles)), [names.get(p, f"{p:g}th") for p in percentiles], size=9)
    ax.set_xlabel("A: percentile of earlier jobs' R")


CASE_COLOURS = [COLOURS[0], COLOURS[2], COLOURS[1]]
"""Of schemes, by rising aggressiveness."""


def month_axis(ax, months):
    """Label an x axis whose places 0, 1, ... are months; every second one where they are many."""
    step = 1 if len(months) <= 14 else 2
    ax.set_xticks(range(0, len(months), step), months[::step], rotation=90, size=8)
    ax.set_xlim(-0.6, len(months) - 0.4)
