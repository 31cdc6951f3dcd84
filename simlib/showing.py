"""Show a schedule in a notebook."""

from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from .percentiles import STATISTICS
from .wording import duration

if TYPE_CHECKING:
    from .schedule import Schedule


def page(schedule: "Schedule") -> str:
    """Write what a schedule is, and its main measures, as HTML.

    Examples
    --------
    >>> import simlib
    >>> w = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(1, 5, 5, 2))
    >>> page(simlib.simulate(w, simlib.EASY()))[:38]
    '<p><b>two jobs</b> under EASY()</p><ta'
    """
    found = schedule.summary(percentiles=True)
    rows = {}
    for name in ("wait", "response", "bounded_slowdown"):
        said = "{:,.1f}".format if name == "bounded_slowdown" else duration
        values = (found[f"{statistic}_{name}"] for statistic in ("mean", "median", "p95", "p99"))
        rows[name.replace("_", " ")] = [said(value) if value == value else "-" for value in values]  # nan of no job
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(STATISTICS))
    title = f"<b>{escape(schedule.workload.name)}</b> under {escape(str(schedule.policy))}"
    sentence = (
        f"{found.jobs:,.0f} jobs in {duration(found.makespan)} on {schedule.workload.procs:,} processors: "
        f"utilization {found.utilization:.0%}, {found.backfilled_share:.0%} backfilled"
    )
    if schedule.workload.synthetic:
        sentence += "; SYNTHETIC"
    return f"<p>{title}</p>{table.to_html(border=0)}<p>{escape(sentence)}</p>"
