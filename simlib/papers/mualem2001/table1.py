"""Table 1: mean response time and bounded slowdown by month, under EASY and conservative backfilling."""

from dataclasses import field
from functools import cached_property

import pandas as pd

from ...schedule import simulate
from ...stats import band
from .. import cell, deviation, published
from ..exhibit import LOGS, Part, repeats
from . import CLOSE_TO, METRICS, SCHEDULERS, TRACES, pictures, table1_claims
from . import shaken as kept
from .on_traces import OnTraces

CLAIMS = ("MF-08", "MF-09", "MF-10", "MF-11", "MF-12", "MF-13")


class Table1(OnTraces, name="mualem2001/table1", section="3.2", seconds=75, claims=dict.fromkeys(CLAIMS, LOGS)):
    """EASY against conservative backfilling, month by month."""

    traces: tuple = TRACES
    easy_reuse_extra: bool = False
    conservative_compress: str = "arrival"
    jobs: dict = field(default_factory=dict)
    estimates: dict = field(default_factory=dict)
    shakes: int = repeats(100)
    variant_shakes: int = repeats(40)
    shake_s: int = 60
    seed: int = 0

    @cached_property
    def shaken(self):
        """The shaken runs, from `shaken`: a list of (name of the trace, DataFrame)."""
        settings = {"runs": self.shakes, "variant_runs": self.variant_shakes}
        settings |= {"seconds": self.shake_s, "seed": self.seed}
        return [(trace.trace, shaken(trace, self.rules, **settings)) for trace in self.found]

    @cached_property
    def table(self):
        """Table 1 of all traces, from `months`."""
        by_trace = zip(self.found, self.shaken, strict=True)
        return pd.concat(months(trace, self.rules, runs) for trace, (_, runs) in by_trace)

    @cached_property
    def cells(self):
        """The verdicts on its printed numbers."""
        return cells(self.table)

    def judge(self):
        return table1_claims.claims(self.table, self.shaken)

    def parts(self):
        labels = {"response_s": "mean response time [s]", "bounded_slowdown": "mean bounded slowdown"}
        return {"": Part(self.table, lambda: pictures.published_against_ours(self.table, labels), cells=self.cells)}


def shaken(trace, rules, runs=100, variant_runs=40, **settings):
    """The months of a trace under every rule, in many shaken runs.

    Parameters
    ----------
    trace : Trace
    rules : dict
        From `mualem2001.policies`.
    runs, variant_runs : int
        Of each rule followed, and of each variant.
    settings
        As for `shaken.runs`.

    Returns
    -------
    DataFrame
        A row a run, columns (rule, month, quantity of `Schedule.by_period`); nan where a variant has fewer runs.
    """
    found = {}
    for key, policy in rules.items():
        count = variant_runs if key.endswith("_variant") else runs
        found[key] = kept.by_month(trace, policy, count, **settings)
    return pd.concat(found, axis=1, names=["rule"])


def months(trace, rules, shaken=None):
    """Table 1 for one trace: each month's means under both schedulers, beside the published ones.

    A job counts in the month in which it ends in that simulation.

    Parameters
    ----------
    trace : Trace
    rules : dict
        From `mualem2001.policies`: those followed, and their variants.
    shaken : DataFrame, optional
        From `shaken`.

    Returns
    -------
    DataFrame
        By trace and month. `load` and `jobs` of the run under EASY, and for each scheduler and metric its value, the
        `_published` one, the relative `_deviation`, and `_variant` and `_variant_deviation` under the other rule; with
        shaken runs also `_low`, `_median` and `_high` of each value and each variant. `difference_<metric>` is
        conservative / EASY - 1. Seconds, processors' share and ratios.
    """
    monthly = {key: trace.by_month(simulate(trace.workload, policy)) for key, policy in rules.items()}
    bands = None if shaken is None else band(shaken).unstack(1)
    ours = monthly["easy"]
    printed = published("mualem2001_table1").query("trace == @trace.trace").set_index("month").reindex(ours.index)

    table = pd.DataFrame({"file": trace.workload.source["file"]}, index=ours.index)
    for column in ("load", "jobs"):
        table[column] = ours[column]
        table[f"{column}_published"] = printed[column]
        table[f"{column}_deviation"] = deviation(table[column], printed[column])
        table = table.join(_band(bands, "easy", column, column))
    for metric, mean in METRICS.items():
        for scheduler in SCHEDULERS:
            key = f"{scheduler}_{metric}"
            table[key] = monthly[scheduler][mean]
            table[f"{key}_published"] = printed[key]
            table[f"{key}_deviation"] = deviation(table[key], printed[key])
            table[f"{key}_variant"] = monthly[f"{scheduler}_variant"][mean]
            table[f"{key}_variant_deviation"] = deviation(table[f"{key}_variant"], printed[key])
            table = table.join(_band(bands, scheduler, mean, key))
            table = table.join(_band(bands, f"{scheduler}_variant", mean, f"{key}_variant"))
        for suffix in ("", "_published", "_variant"):
            easy, conservative = (table[f"{scheduler}_{metric}{suffix}"] for scheduler in SCHEDULERS)
            table[f"difference_{metric}{suffix}"] = deviation(conservative, easy)
    for suffix in ("", "_variant"):
        easy, conservative = (monthly[f"{scheduler}{suffix}"]["mean_wait"] for scheduler in SCHEDULERS)
        table[f"difference_wait_s{suffix}"] = deviation(conservative, easy)
    table["note"] = pd.Series(trace.absent).reindex(table.index).fillna("") if trace.absent else ""
    return pd.concat({trace.trace: table}, names=["trace"])


def _band(bands, rule, quantity, name):
    """The band of a quantity under a rule, by month: `<name>_low`, `<name>_median`, `<name>_high`."""
    if bands is None:
        return []
    return bands.loc[(rule, quantity)].unstack(0).add_prefix(f"{name}_")


def beside(table, metric):
    """Table 1 for one metric as the paper lays it out, ours beside the printed numbers; for reading, all text.

    Parameters
    ----------
    table : DataFrame
        From `months`.
    metric : {"response_s", "bounded_slowdown"}

    Returns
    -------
    DataFrame
        For each scheduler the paper's number, ours, how far off ours and the variant's are, and for the difference
        between the two schedulers the paper's, ours and the variant's.
    """
    number = "{:,.0f}" if metric == "response_s" else "{:,.1f}"
    columns = {}
    for scheduler in SCHEDULERS:
        key = f"{scheduler}_{metric}"
        columns[scheduler, "paper"] = f"{key}_published", number
        columns[scheduler, "ours"] = key, number
        columns[scheduler, "off"] = f"{key}_deviation", "{:+.1%}"
        columns[scheduler, "variant off"] = f"{key}_variant_deviation", "{:+.1%}"
    for name, suffix in (("paper", "_published"), ("ours", ""), ("variant", "_variant")):
        columns["difference", name] = f"difference_{metric}{suffix}", "{:+.1%}"
    return _for_reading(table, columns)


def loads(table):
    """Load and number of jobs of each month as the paper prints them, ours beside; for reading, all text."""
    columns = {}
    for column, number in (("load", "{:.3f}"), ("jobs", "{:,.0f}")):
        columns[column, "paper"] = f"{column}_published", number
        columns[column, "ours"] = column, number
        columns[column, "off"] = f"{column}_deviation", "{:+.1%}"
    return _for_reading(table, columns)


def _for_reading(table, columns):
    """A table of text, its columns given as (column, format)."""
    texts = {
        name: table[column].map(lambda value, form=form: form.format(value) if pd.notna(value) else "")
        for name, (column, form) in columns.items()
    }
    unbroken = {month: month.replace("-", "\u2011") for month in table.index.levels[1]}
    return pd.DataFrame(texts).rename(index=unbroken, level="month")


def deviations(table):
    """How far Table 1 is from the published one, by trace: months whose jobs are not all in the file are left out.

    Returns
    -------
    DataFrame
        By trace, scheduler and metric: `months`, and for the rule followed and the variant the `median` absolute
        relative deviation, the `bias` (median signed one) and the `worst` absolute one.
    """
    rows = []
    for name, months in table[table.note == ""].groupby("trace", sort=False):
        for metric in METRICS:
            for scheduler in SCHEDULERS:
                row = {"trace": name, "scheduler": scheduler, "metric": metric, "months": len(months)}
                for rule, suffix in (("rule", ""), ("variant", "_variant")):
                    off = months[f"{scheduler}_{metric}{suffix}_deviation"]
                    row |= {
                        f"{rule}_median": off.abs().median(),
                        f"{rule}_bias": off.median(),
                        f"{rule}_worst": off.abs().max(),
                    }
                rows.append(row)
    return pd.DataFrame(rows).set_index(["trace", "scheduler", "metric"])


def own_inside(table):
    """Whether the bands are fair: how many of our own numbers, of the log as it is, lie in them; shares by trace."""
    inside = {
        key: table[key].between(table[f"{key}_low"], table[f"{key}_high"])
        for key in CELLS
        if key not in ("load", "jobs")
    }
    return pd.DataFrame(inside).groupby(level="trace", sort=False).mean()


def cells(table):
    """The verdict on every number of Table 1 that is printed, as `papers.cell` gives it.

    Parameters
    ----------
    table : DataFrame
        From `months`, with shaken runs.
    """
    found = []
    for (trace, month), row in table.iterrows():
        for column, (close, decimals) in CELLS.items():
            if pd.notna(row[f"{column}_published"]):
                of = {"trace": trace, "month": month, "quantity": column}
                ours, variant = (_ours(row, name) for name in (column, f"{column}_variant"))
                more = {"close": close, "decimals": decimals, "variant": variant}
                more |= {"same_log": not row.note, "note": row.note}
                found.append(cell(of, row[f"{column}_published"], **ours, **more))
    return found


CELLS = {"load": (0.05, 3), "jobs": (0.05, 0)} | {
    f"{scheduler}_{metric}": (CLOSE_TO[metric], {"response_s": 0, "bounded_slowdown": 1}[metric])
    for metric in METRICS
    for scheduler in SCHEDULERS
}
"""The printed columns, how far off a number is still close, and how many decimals are printed."""


def _ours(row, name):
    """Our number and its band, or None where the table has no such column."""
    if name not in row:
        return None
    return {"ours": row[name], "band": [row[f"{name}_{part}"] for part in ("low", "median", "high")]}
