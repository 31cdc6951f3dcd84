"""What is coincidence, and what another year would change, from the numbers of all comparisons."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ..comparing import Comparison
from ..comparing.comparison import holds
from ..schedule import simulate
from ..stats import Interval, shake
from ..wording import duration
from ..workload import Workload
from .choosing import POLICIES
from .saying import digits, enough_shakes

KEY = "all", "all", "wait", "mean"


def certainty_table(comparisons: Iterable[Comparison | None]) -> pd.DataFrame | None:
    """Put how far each difference in the mean wait can be believed into a table for readers; None where there is none.

    Examples
    --------
    >>> certainty_table([None]) is None
    True
    """
    tables = []
    for found in comparisons:
        if found is not None:
            table = found.overview(headlines=[("wait", "mean")]).droplevel("measure")
            table.insert(0, "against", found.base)
            tables.append(table.rename(columns={found.base: "before", "value": "after"}))
    return pd.concat(tables).rename_axis(None) if tables else None


def certainty_said(
    workload: Workload, comparisons: Iterable[Comparison | None], shakes: int | None = None, seed: int = 0
) -> list[str]:
    """Say how much coincidence moves EASY's mean wait, how it goes from month to month, and which differences stand.

    Examples
    --------
    >>> certainty_said(Workload.of("one job", 4, A=(0, 10, 20, 3)), [], shakes=3)[0]
    "Moved by up to a minute, the same submissions give EASY's mean wait as 0 s to 0 s."
    """
    if not len(workload):
        return ["Nothing can be said of coincidence: no job takes part."]
    found = [one for one in comparisons if one is not None]
    return _moved(workload, shakes or enough_shakes(workload), seed) + _by_month(workload) + _standing(found)


def _moved(workload: Workload, shakes: int, seed: int) -> list[str]:
    """How much shaking moves the mean wait."""
    runs = shake(workload, POLICIES["EASY"], runs=shakes, seed=seed).mean_wait  # type: ignore[arg-type]
    band = Interval.of(runs)
    ends = f"{duration(band.low)} to {duration(band.high)}"
    share = f", {digits(100 * (band.high - band.low) / band.median)} % from end to end" if band.median else ""
    return [f"Moved by up to a minute, the same submissions give EASY's mean wait as {ends}{share}."]


def _by_month(workload: Workload) -> list[str]:
    """How the mean wait goes from month to month."""
    if workload.start is None:
        return ["The log has no calendar, so months cannot be told apart."]
    table = simulate(workload, POLICIES["EASY"]).by_month()  # type: ignore[arg-type]
    table = table[table.jobs >= 30]
    if len(table) < 2:
        return ["The log has a single month with at least 30 jobs, so how much months differ cannot be told."]
    ordered = [(str(month), float(wait)) for month, wait in table.mean_wait.sort_values().items()]
    (least, shortest), (most, longest) = ordered[0], ordered[-1]
    return [
        f"From month to month it goes from {duration(shortest)} ({least}) to "
        f"{duration(longest)} ({most}): that is what another month can do."
    ]


def _standing(comparisons: list[Comparison]) -> list[str]:
    """Which differences are more than coincidence, and which would be there another year."""
    rows: dict[str, Any] = {policy: one.shown.loc[(policy, *KEY), :] for one in comparisons for policy in one.others}
    if not rows:
        return ["No difference between policies could be judged."]
    by = {
        verdict: [name for name, row in rows.items() if holds(row) == verdict] for verdict in map(holds, rows.values())
    }
    unknown = [name for name in by.get("this log", []) if np.isnan(rows[name].another_year_low)]
    sure, here = by.get("another year", []), [name for name in by.get("this log", []) if name not in unknown]
    sentences = [
        f"Of the {len(rows)} differences in mean wait on this page {len(sure) + len(here) + len(unknown)} are more "
        "than coincidence."
    ]
    if sure:
        sentences.append(f"To be expected in another year, too: {'; '.join(sure)}.")
    if here:
        sentences.append(f"Another year might bring none, or the opposite: {'; '.join(here)}.")
    if unknown:
        sentences.append(f"Too few weeks to tell of another year: {'; '.join(unknown)}.")
    return sentences + _widths(list(rows.values()))


def _widths(rows: list[Any]) -> list[str]:
    """How much wider another year's intervals are."""
    pairs = [(r.coincidence_high - r.coincidence_low, r.another_year_high - r.another_year_low) for r in rows]
    ratios = [year / luck for luck, year in pairs if 0 < luck < np.inf and year < np.inf]
    if not ratios:
        return []
    least, most = digits(min(ratios)), digits(max(ratios))
    if least == most:
        return [f"The interval of another year is {least} times as wide as that of coincidence."]
    return [
        f"The interval of another year is {least} to {most} times as wide as that of coincidence, "
        f"{digits(float(np.median(ratios)))} times in the middle."
    ]
