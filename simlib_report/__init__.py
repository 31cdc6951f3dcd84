"""Find out what other scheduling policies would make of a log, and write the answers as a page for people.

`decided` takes the decision, and `answer` writes it in five lines: who gains, who loses, how sure, compared with what.
`Page` has these lines, the pictures and the tables of one log. `report` and `simlib report` write the page as one file;
`notebooks/my-cluster.ipynb` shows its parts one by one.
"""

from simlib.logs.reading import taken
from simlib.logs.sacct import names

from .answer import answer, best, decided
from .description import about, doubtful
from .facts import has_queue, schedules, use, use_picture, use_said, waits_picture, why_recorded_differ
from .page import Page, Section, report
from .partitions import on_partitions, partitions, together
from .policies import (
    ASKED,
    MEANING,
    POLICIES,
    by_group,
    chosen,
    compared,
    enough_shakes,
    overview,
    usable,
    what_if_cases,
)
from .what_if import what_if

__all__ = [
    "ASKED",
    "MEANING",
    "POLICIES",
    "Page",
    "Section",
    "about",
    "answer",
    "best",
    "by_group",
    "chosen",
    "compared",
    "decided",
    "doubtful",
    "enough_shakes",
    "has_queue",
    "names",
    "overview",
    "report",
    "schedules",
    "on_partitions",
    "partitions",
    "taken",
    "together",
    "usable",
    "use",
    "use_picture",
    "use_said",
    "waits_picture",
    "what_if",
    "what_if_cases",
    "why_recorded_differ",
]
