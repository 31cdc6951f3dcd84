"""One table for all that is simulated again and again, and what is read off it.

*Results* are a Series of values by what was simulated (trace, month, estimates and the like), scheduler, rule,
replication and metric. Replication 0 is the workload as it is; replications 1, 2, ... differ by chance: submit times
are shaken, estimates drawn. A *comparison* is a table by all of these but the replication: our number, how it spreads,
and the printed one.
"""

import numpy as np
import pandas as pd

from ..analysis.stats import band, middle
from . import verdicts

AS_IT_IS = 0
"""The replication that changes nothing."""


def summary(results, averaged=None, resampled=False):
    """Work out how each number spreads over its replications.

    Gives a DataFrame, by the other levels, in their order: `ours`, of the workload as it is; `mean` and `sd` over
    the replications; `low`, `median` and `high`, between which one more run would lie, see `stats.band`, or
    most lie where they are `resampled`. Where print averages `averaged` runs and none is as it is, ours is the mean.
    """
    if isinstance(results, pd.DataFrame):
        wide = results.T
    else:
        wide = results.unstack("replication").reindex(results.index.droplevel("replication").unique())
    runs = wide.drop(columns=AS_IT_IS, errors="ignore")
    ours = wide[AS_IT_IS] if AS_IT_IS in wide else pd.Series(np.nan, wide.index)
    table = pd.DataFrame({"ours": ours, "mean": runs.mean(axis=1), "sd": runs.std(axis=1)})
    table = table.join((middle if resampled else band)(runs.T))
    if averaged and (random := ours.isna()).any():
        table.loc[random, ["low", "median", "high"]] = band(runs[random].T, averaged)
        table.loc[random, "ours"] = table["mean"]
    return table


def by(table, *levels):
    """Order a table by these levels, each in the order in which its values appear.

    Examples
    --------
    >>> table = pd.Series([1, 2, 3], pd.MultiIndex.from_tuples([("b", 2), ("a", 1), ("b", 1)], names=["log", "f"]))
    >>> by(table, "log", "f").index.tolist()
    [('b', 2), ('b', 1), ('a', 1)]
    """
    table = table.reorder_levels(levels)
    prefixes = [table.index.droplevel(list(levels[k:])) for k in range(1, len(levels))]
    first_seen = [pd.factorize(prefix)[0] for prefix in (*prefixes, table.index)]
    return table.iloc[np.lexsort(first_seen[::-1])]


def against(table, printed):
    """Put the printed numbers first in a table of `summary`.

    Gives a DataFrame, with `published` and the relative `deviation` of ours; nan where nothing is printed.
    """
    others = [name for name in table.index.names if name not in printed.index.names]
    places = table.index.droplevel(others)
    if places.nlevels > 1:
        places = places.reorder_levels(printed.index.names)
    table = table.copy()
    table.insert(0, "published", printed.reindex(places).to_numpy())
    table.insert(list(table).index("ours") + 1, "deviation", verdicts.deviation(table.ours, table.published))
    return table


def beside(table, form, across, sd=False, printed=True):
    """Lay out a table of `against` for reading: the printed number, ours, and by how much it is off; all text."""
    text = {"paper": written(table.published, form), "ours": written(table.ours, form)}
    if sd:
        text["ours"] += " \u00b1 " + written(table.sd, form)
    text |= {"off": written(table.deviation, "{:+.1%}")} if "deviation" in table else {}
    if not printed:
        text = {"ours": text["ours"]}
    by_rule = pd.DataFrame(text, index=table.index)
    rules = list(table.index.unique("rule"))
    found = by_rule.xs(rules[0], level="rule")
    shown = "off" if "off" in text else "ours"
    for rule in rules[1:]:
        found = found.assign(**{f"{rule} {shown}": by_rule[shown].xs(rule, level="rule")})
    across = [across] if isinstance(across, str) else list(across)
    if not across:
        return found
    order = found.index.droplevel(across).unique()
    keys = found.index.droplevel([name for name in found.index.names if name not in across]).unique()
    columns = [(*([key] if isinstance(key, str) else key), what) for key in keys for what in found]
    return found.unstack(across).reorder_levels([*across, None], axis=1)[columns].reindex(order)


def wide(values, level=-1):
    """Put a level, or several, into the columns, in the order in which its values appear.

    So does `unstack(sort=False)`; but where some values were filtered away before, pandas gives columns wrong names.
    """
    values = values.set_axis(values.index.remove_unused_levels())
    return values.unstack(level, sort=False)


def written(values, form):
    """Write numbers as text; nothing where there is none."""
    return values.map(lambda value: form.format(value) if pd.notna(value) else "")


def bracketed(form, value, low, high):
    """Write a number with its interval behind it; nothing where there is none."""
    return f"{form.format(value)} ({form.format(low)} to {form.format(high)})" if pd.notna(value) else ""


def with_intervals(table, form, of="ours", unit=1):
    """Write a column of a table with the intervals `low` to `high` behind it, all times `unit`; a Series of text."""
    rows = unit * table[[of, "low", "high"]].to_numpy(float)
    return pd.Series([bracketed(form, *row) for row in rows], table.index, dtype=object)
