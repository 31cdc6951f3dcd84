"""What a notebook does with its runs: how they spread, what is printed beside them, what they say of a claim."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .. import plots
from ..analysis.stats import Interval
from . import claims, results, verdicts
from .claims import Measure
from .loading import Logs
from .printed import decimals, printed
from .verdicts import TEXT

LEVELS = {"log": "trace", "policy": "scheduler", "run": "replication"}
"""What levels of runs are called in the study's tables."""

CLOSE = {"bounded_slowdown": 0.10}
"""How far from the median of the runs a number outside their band may lie to be called close; of others, 0.05."""


def by_reading(readings, simulate):
    """Simulate every reading of the paper, and put a level `rule` before the others.

    Readings are by name the logs, and what else `simulate` takes; those without logs are left out. A log whose lost
    jobs are drawn is nowhere as it is: for that, run 0, stands the median of its runs.
    """
    tables = {}
    for rule, (logs, *others) in readings.items():
        if logs:
            runs = simulate(logs, *others)
            drawn = runs.index.isin([name for name, log in logs.items() if callable(log)], level="log")
            tables[rule] = pd.concat([runs[~drawn], median_first(runs[drawn])]) if drawn.any() else runs
    return pd.concat(tables, names=["rule"])


def median_first(runs):
    """Put the median of the other runs in the place of run 0."""
    others, runs = runs.index.names.difference(["run"]), runs.astype(float)
    medians = runs.drop(0, level="run").groupby(others, sort=False).median()
    first = runs.index.get_level_values("run") == 0
    places = runs[first].index.droplevel("run")
    runs[first] = medians.reindex(places.reorder_levels(others) if len(others) > 1 else places).to_numpy()
    return runs


def spread(runs, averaged=None):
    """Work out how each number spreads over its runs.

    Runs are by level, one of them `run`, with a column a measure, or a Series of one. Gives a DataFrame by the other
    levels, and `metric` where there are several: `ours`, of run 0; `mean` and `sd`; `low`, `median` and `high`, between
    which 95 % of the runs lie. Where there is no run 0, for estimates are drawn, `ours` is the mean, and the band that
    of means of so many runs as are `averaged` in print.
    """
    if isinstance(runs, pd.DataFrame):
        runs = runs.rename_axis(columns="metric").stack(future_stack=True)
    named = runs.rename_axis(index={"run": "replication"})
    return results.summary(named, averaged)


def judge(runs, name, logs=None, *, averaged=None, close=None, points=False):
    """Lay printed numbers beside ours, and tell of each whether it may well be the same.

    Parameters
    ----------
    runs : DataFrame or Series
        As `spread` takes or gives it, or a Series of what was counted, by the printed levels; levels may have names of
        `LEVELS`.
    name : str
        Of the printed numbers, as for `printed`.
    logs : Logs
        Which are absent, and which lack jobs, so that their numbers are not judged.
    averaged : int
        As for `spread`.
    close : float or dict by metric
        In place of `CLOSE`.
    points : bool
        Whether the numbers are differences in per cent: they are close where as many points apart as means may be per
        cent, and have no relative deviation.

    Returns
    -------
    DataFrame
        In the order of the printed levels: `published`, `ours`, `deviation`, the columns of `spread`, `verdict`, `note`.
    """
    of_print, logs = printed(name), logs or Logs({})
    table = spread(runs, averaged) if {"run", "replication"} & set(runs.index.names) else runs
    table = (table.to_frame("ours") if isinstance(table, pd.Series) else table).rename_axis(index=LEVELS)
    levels = [*of_print.index.names, *(level for level in table.index.names if level not in of_print.index.names)]
    table = _with_absent(results.by(table, *levels), of_print, logs)
    table = results.against(table, of_print)
    digits = decimals(name)
    close = CLOSE if close is None else close
    noted = []
    for place, row in zip(table.index, table.itertuples(), strict=True):
        of = dict(zip(levels, place if isinstance(place, tuple) else (place,), strict=True))
        rule = of.pop("rule", TEXT)
        if logs.own or row.published != row.published:
            noted.append((None, ""))
            continue
        share = close.get(of.get("metric"), 0.05) if isinstance(close, dict) else close
        options = {"close": 100 * share, "absolute": True} if points else {"close": share}
        about = logs.origin(**of)
        known = digits[tuple(of[level] for level in of_print.index.names)] if len(of_print.index.names) > 1 else digits[place]
        interval = Interval(row.low, row.median, row.high) if "low" in table and not np.isnan(row.low) else None
        cell = verdicts.cell(of, row.published, {rule: (row.ours, interval)}, decimals=known, **options, **about)
        noted.append((cell["readings"][rule]["verdict"], cell.get("note", "")))
    table[["verdict", "note"]] = pd.DataFrame(noted, table.index, dtype=object)
    if logs.own:
        return table.drop(columns=["published", "deviation"])
    return table.drop(columns="deviation") if points else table


def _with_absent(table, of_print, logs):
    """Add printed numbers of logs that are absent, and leave out rows of logs for which a rule changes nothing."""
    places = of_print.index.to_frame(index=False)
    alone = places[[logs.is_absent(**place) for place in places.to_dict("records")]]
    rules = table.index.unique("rule") if "rule" in table.index.names else []
    if len(alone):
        alone = alone.merge(pd.DataFrame({"rule": rules}), how="cross") if len(rules) else alone
        table = table.reindex(table.index.append(alone.set_index(list(table.index.names)).index))
    for rule in rules if "trace" in table.index.names else []:
        same = [name for name in table.index.unique("trace") if not logs.matters(name, rule)]
        table = table[~(table.index.isin([rule], level="rule") & table.index.isin(same, level="trace"))]
    return table


def cells(table):
    """Take the judged numbers of a table of `judge` for a record: by place, ours under each rule."""
    if "verdict" not in table:
        return []
    levels = [level for level in table.index.names if level != "rule"]
    found = []
    for place, part in table[table.verdict.notna()].groupby(level=levels, sort=False):
        readings = {}
        rules = part.index.get_level_values("rule") if "rule" in part.index.names else [TEXT]
        for rule, row in zip(rules, part.to_dict("records"), strict=True):
            known = not np.isnan(row.get("low", np.nan))
            ends = {name: row[name] if known else row["ours"] for name in ("low", "median", "high")}
            off = {"deviation": row.get("deviation", np.nan)}
            readings[rule] = {"ours": row["ours"]} | off | ends | {"verdict": row["verdict"]}
        cell = {"of": dict(zip(levels, place, strict=True)), "published": part.published.iloc[0], "readings": readings}
        found.append(cell | ({"note": part.note.iloc[0]} if part.note.iloc[0] else {}))
    return found


def tallies(judged, *keys):
    """Count the judged numbers of a table of `judge`, or of several, by some of their levels, rule beside rule."""
    return verdicts.tallies([cell for table in ([judged] if isinstance(judged, pd.DataFrame) else judged) for cell in cells(table)], *keys)


def beside(table, form, across, sd=False):
    """Lay out a table of `judge` for reading: the printed number, ours, and by how much it is off; all text."""
    printed_too = "published" in table and bool(table.published.notna().any())
    table = table if "published" in table else table.assign(published=np.nan)
    return results.beside(table, form, across, sd=sd, printed=printed_too)


# Claims


class Claim(dict):
    """The record of a verdict on a claim, which is shown as text: the verdict, the claim, a line each reading."""

    def __repr__(self):
        """Write it out, wrapped."""
        lines = [f"{self['id']}  {_wrapped(': '.join([_verdict(self), self['claim']]))}"]
        return "\n".join(lines + [f"       {_wrapped(line, '  ')}" for line in self["evidence"].split("\n")])


def claim(id, runs, measure, logs=None, needs=(), note=""):
    """Decide a claim by what is measured of runs under each reading.

    Parameters
    ----------
    id : str
        Of a row of `data/published/claims.csv`; what must hold is in `criteria.csv`.
    runs : DataFrame, or dict by rule
        With a level `rule`, or else by the rules of the text.
    measure : callable
        Takes the runs of one reading, and gives by part of the claim a number, a Series by run, of which run 0 is the
        log as it is, a `Measure`, or a dict of these by what it is measured on; or None.
    logs : Logs
        That it rests on. On stand-ins and on a log of one's own nothing is decided.
    needs : sequence of str
        The logs without which a reading cannot be measured.
    note : str
        A line more of evidence.
    """
    logs = Logs({}) if logs is None else logs
    if logs.own:
        return Claim(claims.withdrawn(_of(id), "this is a log of one's own: nothing is claimed of it"))
    readings, lacking = {}, []
    for rule, of in _by_rule(runs).items():
        try:
            measured = measure(of) if of is not None and set(needs) <= (_names(of) if needs else set()) else None
            readings[rule] = _parts(measured)
        except KeyError as error:  # the notebook was changed
            lacking.append(f"{rule}: cannot be judged any more: found no {error.args[0]!r} among the runs")
    found = claims.decide(id, readings, "\n".join(filter(None, [note, *lacking])))
    return Claim(claims.withdrawn(found, plots.SYNTHETIC) if logs.stand_in else found)


def finding(id, holds, evidence, numbers, logs=None):
    """Make the record of one of the study's own findings; whether it `holds` is None where it cannot be tested."""
    found = claims.finding(id, holds, evidence, numbers)
    stands_in = logs is not None and logs.stand_in
    return Claim(claims.withdrawn(found, plots.SYNTHETIC) if stands_in else found)


def _of(id):
    """The id of a claim, and its sentence."""
    return {"id": id, "claim": claims.claims()[id]["claim"]}


def _by_rule(runs):
    """Runs by rule."""
    if isinstance(runs, dict):
        return runs
    if "rule" not in getattr(runs, "index", pd.Index([])).names:
        return {TEXT: runs}
    return {rule: runs.xs(rule, level="rule") for rule in runs.index.unique("rule")}


def _names(of):
    """The names of the logs that runs are of."""
    places = [of.index, of.columns] if isinstance(of, pd.DataFrame) else [of.index]
    return {name for place in places for level in {"log", "trace"} & set(place.names) for name in place.unique(level)}


def _parts(measured):
    """Make a `Measure` of each part."""
    if measured is None:
        return None
    return {part: {on: _measure(one) for on, one in of.items()} if isinstance(of, dict) else _measure(of) for part, of in measured.items()}


def _measure(value):
    """Make a `Measure` of a number, or of a Series by run."""
    if isinstance(value, Measure) or value is None:
        return value
    if not isinstance(value, pd.Series):
        return Measure.exactly(value)
    if len(value) == 1:
        return Measure.exactly(value.iloc[0])
    return Measure.spread(value) if 0 in value.index else Measure.range(value)


def with_printed(runs, name, scale=1.0):
    """Put what is printed beside runs, as a reading of its own, `printed`, whose one run is 0."""
    of_print = printed(name) * scale
    if isinstance(runs, pd.DataFrame):
        of_print = of_print.unstack("metric", sort=False)[list(runs.columns)]
    back = {new: old for old, new in LEVELS.items() if old in runs.index.names}
    of_print = pd.concat({("printed", 0): of_print.rename_axis(index=back)}, names=["rule", "run"])
    return pd.concat([runs, of_print.reorder_levels(runs.index.names)])


def _verdict(found):
    """The verdict by the text, how sure it is, and those of other readings."""
    sure = "" if found.get("sure") is None else f", sure {found['sure']:.0%}"
    others = {"likely": "likely program", "restored": "restored log", "printed": "as printed"}
    readings = found.get("readings", {})
    said = [f"{name}: {readings[key]['verdict']}" for key, name in others.items() if key in readings]
    return f"{found['verdict'].upper()}{sure}" + (f" ({'; '.join(said)})" if said else "")


def _wrapped(text, indent=""):
    return "\n       ".join(textwrap.wrap(text, 110, initial_indent=indent, subsequent_indent="  "))


# Pictures


def show(picture, logs=None):
    """Give a figure, or that of its axes, to be shown and saved: stamped where a log is only stood in for."""
    figure = picture if isinstance(picture, Figure) else picture.figure
    if logs is not None and logs.stand_in and plots.SYNTHETIC not in [text.get_text() for text in figure.texts]:
        plots.stamp(figure)
    plt.close(figure)  # a notebook shows it where it is the value of a cell
    return figure
