"""Put numbers into sentences, the same way for all questions."""

from typing import Any

import numpy as np

from .._util.words import duration, per_cent
from ..analysis.comparison import HELD, Comparison, holds
from ..core.workload import Workload

_JOB_RUNS = 3_000_000
"""So many jobs are scheduled in the shaken runs of a policy, roughly: with 300,000 a page then takes under a minute."""

_MOST, _FEWEST = 20, 5

_VERDICTS = {
    "equal": "the same in every run",
    "coincidence": "a difference that coincidence alone can make",
    "this log": "more than coincidence on this log, but another year might bring none, or the opposite",
    "another year": "more than coincidence, and to be expected in another year, too",
    "unknown": "more than coincidence; what another year would bring cannot be told from this log",
}
"""How far a difference can be believed."""


def enough_shakes(workload: Workload) -> int:
    """Choose how many shaken runs a comparison gets: 20, or fewer where the log is long, but at least 5.

    Examples
    --------
    >>> import simlib
    >>> enough_shakes(simlib.load("sample"))
    20
    """
    return max(_FEWEST, min(_MOST, _JOB_RUNS // max(len(workload), 1)))


def share(part: float) -> str:
    """Write a share, of small ones the first decimal."""
    return f"{100 * part:.0f} %" if part >= 0.0995 or not part else f"{100 * part:.1f} %"


def digits(value: float) -> str:
    """Write a number by its first two digits, and whole from ten on."""
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def verdict(row: Any) -> str:
    """Tell how far a row of `Comparison.shown` can be believed, one of `_VERDICTS`."""
    held = holds(row)
    return _VERDICTS["unknown" if held == "this log" and np.isnan(row.another_year_low) else held]


def change(comparison: Comparison, policy: str, measure: str) -> str:
    """Say how a policy changes the mean of a measure, in a sentence."""
    key: Any = policy, "all", "all", measure, "mean"
    row = comparison.shown.loc[key]
    said, what = (
        (duration, "jobs wait {} on average") if measure == "wait" else ("{:,.1f}".format, "the mean {measure} is {}")
    )
    what = what.format(said(row.base), measure=measure.replace("_", " "))
    moved = f"{said(row.value)} ({per_cent(row.difference)})" if row.base and row.difference else said(row.value)
    return f"Under {comparison.base} {what}; under {policy} {moved}, {verdict(row)}."


def intervals_said(comparison: Comparison | None) -> list[str]:
    """Say what the two intervals of a comparison rest on.

    Examples
    --------
    >>> import simlib
    >>> policies = {"EASY": simlib.EASY(), "FCFS": simlib.FCFS()}
    >>> said = intervals_said(simlib.compare(simlib.load("sample"), policies, shakes=5, by=["all"]))
    >>> said[0]
    'Coincidence is judged by 5 shaken runs a policy, every submission moved at random by up to 60 s, and the log ...'
    """
    if comparison is None:
        return []
    settings = comparison.settings
    return [
        f"Coincidence is judged by {settings['shakes']} shaken runs a policy, every submission moved at random by up "
        f"to {settings['seconds']} s, and the log itself.",
        f"Another year is judged by five consecutive parts of the log; on made-up logs it held {HELD}.",
        "Means are over all these runs, and so a little other than those of the log as it is, which stand above.",
    ]
