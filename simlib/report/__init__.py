"""Ask of any log what the study asks of its own: one module a question, each answer a table, a picture, sentences.

What a log lacks (estimates, users, waits, enough weeks) is said, and never an error: tables and pictures are None then.
`Page` asks all questions of one log, a section each: `report` and `simlib report` write them as a page, and
`notebooks/my-cluster.ipynb` shows them one by one.
"""

from ..logs.sacct import names
from .page import Page, Section, comparison_page, report
from .policies import (
    POLICIES,
    certainty_said,
    certainty_table,
    chosen,
    compared,
    differences_said,
    forest,
    gains_said,
    overview,
    usable,
    winners,
)
from .requests import (
    adjusted,
    adjusted_picture,
    adjusted_said,
    adjusted_table,
    adjusted_winners,
    other_estimates,
    other_estimates_said,
    use,
    use_picture,
    use_said,
)
from .sentences import enough_shakes, intervals_said
from .taking import about, doubtful, taken
from .wait_times import has_queue, schedules, waits, waits_picture, waits_said, why_recorded_differ

__all__ = [
    "POLICIES",
    "Page",
    "Section",
    "about",
    "adjusted",
    "adjusted_picture",
    "adjusted_said",
    "adjusted_table",
    "adjusted_winners",
    "certainty_said",
    "certainty_table",
    "chosen",
    "compared",
    "comparison_page",
    "differences_said",
    "doubtful",
    "enough_shakes",
    "forest",
    "gains_said",
    "has_queue",
    "intervals_said",
    "names",
    "other_estimates",
    "other_estimates_said",
    "overview",
    "report",
    "schedules",
    "taken",
    "usable",
    "use",
    "use_picture",
    "use_said",
    "waits",
    "waits_picture",
    "waits_said",
    "why_recorded_differ",
    "winners",
]
