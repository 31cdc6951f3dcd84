"""What it changes that each month is simulated by itself, and not the log as one run (section 6.1)."""

import pandas as pd

from .. import results
from . import scheduling
from .scheduling import BASELINE, over_baseline, spread

CASE = "selective p85"

ALL = "all jobs"
"""Of all months that are simulated apart, beside these months."""

MEAN = "mean of the months"

APART, ONE = "months apart", "one run"


def beside(traces, apart, months, cases, **settings):
    """Put the gain in wait of `CASE` as one run beside that of months apart.

    Parameters
    ----------
    traces : list of Trace
    apart : Series
        Results of `scheduling.runs` of the months in these cases.
    months : DataFrame
        From `scheduling.months`.
    cases : callable
        Gives the cases of a trace, as for `scheduling.runs`.
    **settings
        Of `scheduling.runs`.

    Returns
    -------
    DataFrame
        By (trace, order, of), where `of` is each month, `ALL` jobs of these together, and the `MEAN` of the months'
        gains: `waited`, the part that a month has in all waits of the baseline; the gain `APART` and as `ONE` run,
        means over the shakes, each with `low` and `high`.
    """
    simulated = months.query("simulated")
    waited = {APART: _as_months(apart, simulated), ONE: _as_one(traces, simulated, cases, **settings)}
    found = pd.concat({way: spread(_gains(of))[["ours", "low", "high"]] for way, of in waited.items()}, axis=1)
    base = waited[APART].xs(BASELINE, level="case").groupby(["trace", "order", "month"]).mean()
    part = (base / base.groupby(["trace", "order"]).sum()).rename_axis(index={"month": "of"})
    found.insert(0, ("waited", ""), part.reindex(found.index.reorder_levels(part.index.names)).to_numpy())
    return found.loc[[one.name for one in traces]]


def _as_months(apart, simulated):
    """Add up the waits of the jobs of each month, simulated by itself."""
    waits = apart.xs("wait", level="metric")
    waits = waits[waits.index.isin([BASELINE, CASE], level="case")]
    return waits * simulated.jobs.reindex(waits.index.droplevel(["order", "replication", "case"])).to_numpy()


def _as_one(traces, simulated, cases, **settings):
    """Add up the waits of the jobs of each month in one run of each log."""
    two = {one.name: {name: of for name, of in cases(one).items() if name in (BASELINE, CASE)} for one in traces}
    found = scheduling.runs(traces, lambda one: two[one.name], _waits_by_month, apart=False, **settings)
    found = found.droplevel("month").rename_axis(index={"metric": "month"})
    return found[found.index.droplevel(["order", "replication", "case"]).isin(simulated.index)]


def _waits_by_month(schedule):
    month = schedule.workload.calendar_month(schedule.column("submit"))
    return pd.Series(schedule.column("wait")).groupby(month).sum().to_dict()


def _gains(waited):
    """Work out gains from sums of waits, by (trace, order, of, replication)."""
    levels = ["trace", "order", "replication"]
    by_month = over_baseline(waited).droplevel("case")
    found = {month: of.droplevel("month") for month, of in by_month.groupby("month")}
    found[ALL] = over_baseline(waited.groupby([*levels, "case"]).sum()).droplevel("case")
    found[MEAN] = by_month.groupby(levels).mean()
    return results.by(pd.concat(found, names=["of"]), "trace", "order", "of", "replication")


def flat(found):
    """Name the columns of `beside` in one level, as they are saved."""
    return found.set_axis([" ".join(filter(None, name)).replace(" ours", "") for name in found], axis=1)


def told(found, of):
    """Lay out some rows of `beside` for reading, in per cent with 95 % of the shakes; all text."""
    rows = found[found.index.isin(of, level="of")]
    text = {way: results.with_intervals(rows[way], "{:+.0f}", unit=100) for way in (APART, ONE)}
    if rows["waited"].notna().any(axis=None):
        text = {"part of all waits": results.written(rows["waited", ""], "{:.0%}")} | text
    return pd.DataFrame(text)
