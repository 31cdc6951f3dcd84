"""Table 1: mean response time and bounded slowdown by month, under EASY and conservative backfilling."""

import pandas as pd

from ...schedule import simulate
from .. import deviation, published
from . import METRICS, SCHEDULERS, policies


def months(trace, easy_reuse_extra=False, conservative_compress="arrival"):
    """Table 1 for one trace: each month's means under both schedulers, beside the published ones.

    Months are calendar months of the log's own zone, and a job counts in the one in which it ends in that simulation.

    Parameters
    ----------
    trace : Trace
    easy_reuse_extra : bool
    conservative_compress : str
        The rules followed; the other values are simulated too, as variants.

    Returns
    -------
    DataFrame
        By trace and month. `load` and `jobs` of the run under EASY, and for each scheduler and metric its value, the
        `_published` one, the relative `_deviation`, and `_variant` and `_variant_deviation` under the other rule;
        `difference_<metric>` is conservative / EASY - 1. Seconds, processors' share and ratios.
    """
    runs = policies(easy_reuse_extra, conservative_compress)
    monthly = {key: simulate(trace.workload, policy).by_month(floor=None) for key, policy in runs.items()}
    ours = monthly["easy"].loc[trace.months[0] : trace.months[1]]
    printed = published("mualem2001_table1").query("trace == @trace.trace").set_index("month").reindex(ours.index)

    table = pd.DataFrame({"file": trace.workload.source["file"]}, index=ours.index)
    for column in ("load", "jobs"):
        table[column] = ours[column]
        table[f"{column}_published"] = printed[column]
        table[f"{column}_deviation"] = deviation(table[column], printed[column])
    for metric, mean in METRICS.items():
        for scheduler in SCHEDULERS:
            key = f"{scheduler}_{metric}"
            table[key] = monthly[scheduler][mean]
            table[f"{key}_published"] = printed[key]
            table[f"{key}_deviation"] = deviation(table[key], printed[key])
            table[f"{key}_variant"] = monthly[f"{scheduler}_variant"][mean]
            table[f"{key}_variant_deviation"] = deviation(table[f"{key}_variant"], printed[key])
        for suffix in ("", "_published", "_variant"):
            easy, conservative = (table[f"{scheduler}_{metric}{suffix}"] for scheduler in SCHEDULERS)
            table[f"difference_{metric}{suffix}"] = deviation(conservative, easy)
    for suffix in ("", "_variant"):
        easy, conservative = (monthly[f"{scheduler}{suffix}"]["mean_wait"] for scheduler in SCHEDULERS)
        table[f"difference_wait_s{suffix}"] = deviation(conservative, easy)
    table["note"] = pd.Series(trace.absent).reindex(table.index).fillna("") if trace.absent else ""
    return pd.concat({trace.trace: table}, names=["trace"])


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

    def text(column, form):
        return table[column].map(lambda value: form.format(value) if pd.notna(value) else "")

    columns = {("load", "paper"): text("load_published", "{:.3f}"), ("load", "ours"): text("load", "{:.3f}")}
    columns |= {("jobs", "paper"): text("jobs_published", "{:,.0f}"), ("jobs", "ours"): text("jobs", "{:,.0f}")}
    for scheduler in SCHEDULERS:
        key = f"{scheduler}_{metric}"
        columns[scheduler, "paper"] = text(f"{key}_published", number)
        columns[scheduler, "ours"] = text(key, number)
        columns[scheduler, "off"] = text(f"{key}_deviation", "{:+.1%}")
        columns[scheduler, "variant off"] = text(f"{key}_variant_deviation", "{:+.1%}")
    for name, suffix in (("paper", "_published"), ("ours", ""), ("variant", "_variant")):
        columns["difference", name] = text(f"difference_{metric}{suffix}", "{:+.1%}")
    unbroken = {month: month.replace("-", "\u2011") for month in table.index.levels[1]}
    return pd.DataFrame(columns).rename(index=unbroken, level="month")


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


def cells(table):
    """Every cell of Table 1 that has a published number, as a list of dicts for the exhibit's record."""
    columns = ["load", "jobs"] + [f"{scheduler}_{metric}" for scheduler in SCHEDULERS for metric in METRICS]
    cells = []
    for (trace, month), row in table.iterrows():
        for column in columns:
            if pd.notna(row[f"{column}_published"]):
                cell = {"trace": trace, "month": month, "quantity": column}
                keys = ("published", "deviation", "variant", "variant_deviation")
                cell |= {"ours": row[column]} | {k: row[f"{column}_{k}"] for k in keys if f"{column}_{k}" in row}
                cells.append(cell)
    return cells
