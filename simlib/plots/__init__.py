"""Pictures, in one style."""

import matplotlib.pyplot as plt

from .comparisons import changes, forest
from .facets import WIDEST, circles, colours, curves, facets, intervals, stacked
from .panels import (
    bent_axis,
    cumulative_panels,
    in_whole_per_cents,
    legend,
    month_axis,
    plain_log_axis,
    time_axis,
    title,
)
from .schedules import gantt, job_colours, spans, utilization
from .style import (
    COLOURS,
    CONSERVATIVE_COLOUR,
    EASY_COLOUR,
    STYLE,
    SYNTHETIC,
    VECTOR,
    drawn,
    mark,
    save,
    shades,
    stamp,
    use_style,
)

__all__ = [
    "changes",
    "COLOURS",
    "CONSERVATIVE_COLOUR",
    "EASY_COLOUR",
    "STYLE",
    "SYNTHETIC",
    "VECTOR",
    "WIDEST",
    "bent_axis",
    "circles",
    "colours",
    "cumulative_panels",
    "curves",
    "facets",
    "forest",
    "gantt",
    "in_whole_per_cents",
    "intervals",
    "job_colours",
    "legend",
    "mark",
    "month_axis",
    "plain_log_axis",
    "drawn",
    "plt",
    "save",
    "shades",
    "spans",
    "stacked",
    "stamp",
    "time_axis",
    "title",
    "use_style",
    "utilization",
]
