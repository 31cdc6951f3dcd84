"""The papers' printed numbers, by levels: of each table a function that reads it as it lies in data/published/."""

from functools import cache

import pandas as pd

from .._util import paths

SCHEDULERS = ("easy", "conservative")


@cache
def _read(name):
    return pd.read_csv(paths.DATA / "published" / f"{name}.csv", dtype=str)


def printed(name):
    """Read printed numbers: a Series by the levels of the table that they are held against.

    The name is that of a file in `data/published/`, and for what a file has besides, of a part of it, such as
    "mualem2001_table1 differences"; or of some of its exhibits, such as "tang2013_numbers fig1 fig2".

    Examples
    --------
    >>> printed("mualem2001_table3")["easy", "response_s", "KTH", "original"]
    np.float64(15568.0)
    """
    return _texts(name).astype(float)


def decimals(name):
    """How many decimals each printed number has."""
    return _texts(name).str.partition(".")[2].str.len()


def _texts(name):
    """The numbers as they are printed, by levels."""
    file, _, part = name.partition(" ")
    make = TABLES.get(name)
    if make is None and part:
        found = _of_exhibits(_read(file), part.split())
    else:
        found = make(_read(file)) if make else _by_levels(_read(file), "value")
    return found[found.notna()].rename("published")


def _by_levels(table, column):
    """A column by all others that come before it."""
    levels = list(table.columns[: table.columns.get_loc(column)])
    return table.set_index(levels)[column]


def _of_exhibits(table, exhibits):
    """The numbers of some exhibits, by quantity."""
    return table[table.exhibit.isin(exhibits)].set_index("quantity").value


def _table1(table):
    of = table.set_index(["trace", "month"])
    metrics = ["load", "jobs", "response_s", "bounded_slowdown"]
    columns = {(who, m): of[m if m in ("load", "jobs") else f"{who}_{m}"] for who in SCHEDULERS for m in metrics}
    return (
        pd.DataFrame(columns)
        .rename_axis(columns=["scheduler", "metric"])
        .stack(["scheduler", "metric"], future_stack=True)
    )


def _table1_differences(table):
    of = table.set_index(["trace", "month"])
    columns = {m: of[f"{m.removesuffix('_s')}_difference_pct"] for m in ("response_s", "bounded_slowdown")}
    return pd.DataFrame(columns).rename_axis(columns="metric").stack(future_stack=True)


def _table3(table):
    return table.set_index(["scheduler", "metric", "trace"]).rename_axis(columns="estimates").stack(future_stack=True)


def _table4(table):
    of, columns = table.set_index(["metric", "trace"]), {"original": "original", "scaled": "x2"}
    found = {(who, name): of[f"{who}_{column}"] for who in SCHEDULERS for name, column in columns.items()}
    found = pd.DataFrame(found).rename_axis(columns=["scheduler", "quantity"])
    return found.stack(["scheduler", "quantity"], future_stack=True)


def _table4_differences(table):
    of = table.set_index(["metric", "trace"])
    found = pd.DataFrame({who: of[f"{who}_difference_pct"] for who in SCHEDULERS}).rename_axis(columns="scheduler")
    return found.stack(future_stack=True)


def _by_trace(table):
    return table.set_index(table.columns[0]).rename_axis(index="quantity", columns="trace").stack(future_stack=True)


def _by_policy(table):
    return table.set_index(["metric", "trace"]).rename_axis(columns="scheduler").stack(future_stack=True)


def _performance(table2):
    """Tables 2 and 3 and Figure 5 of Tsafrir et al. together: each mean from where it has most decimals."""
    others = [_read(f"tsafrir2005_{name}").drop(columns="EASY") for name in ("table3", "figure5")]
    accuracy = _by_policy(_read("tsafrir2005_figure5")).loc[["accuracy_pct"]]
    of_all = pd.concat([*map(_by_policy, (table2, *others)), accuracy])
    return of_all[~of_all.index.duplicated()]


def _gains(table):
    """Average gains, by order, case and metric."""
    return _by_levels(table[table.statistic == "mean"][["order", "case", "metric", "value"]], "value")


def _gains_statistics(table):
    """The printed statistics of gains other than the mean."""
    return _by_levels(table[table.statistic != "mean"][["order", "case", "metric", "statistic", "value"]], "value")


TABLES = {
    **{f"tsafrir2005_{name}": _by_policy for name in ("table2", "table3", "figure5", "table5", "table6")},
    **{f"tsafrir2005_{name}_changes": _by_policy for name in ("table2", "table3")},
    "tsafrir2005_table1": lambda table: (
        table.set_index("trace").rename_axis(columns="quantity").stack(future_stack=True)
    ),
    "tsafrir2005_table2 and others": _performance,
    "tsafrir2005_figure10": lambda table: table.set_index("trace").rename_axis(columns="jobs").stack(future_stack=True),
    "tang2013_gains": _gains,
    "tang2013_gains statistics": _gains_statistics,
    "mualem2001_table1": _table1,
    "mualem2001_table1 differences": _table1_differences,
    "mualem2001_table2": _by_trace,
    "mualem2001_table2_percent": _by_trace,
    "mualem2001_footnote2": _by_trace,
    "mualem2001_section44": _by_trace,
    "mualem2001_table3": _table3,
    "mualem2001_table4": _table4,
    "mualem2001_table4 differences": _table4_differences,
}
