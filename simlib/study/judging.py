"""Judge the runs of a notebook: their spread, the printed numbers beside them, and the verdicts on claims."""

import textwrap
from dataclasses import replace

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

    Parameters
    ----------
    readings : dict
        By name the logs, as `simlib.replicate` takes them by name, and what else `simulate` takes; those without logs
        are left out.
    simulate : callable
        Gives the runs of a reading, from `simlib.replicate`.

    Returns
    -------
    DataFrame
        A log whose lost jobs are drawn is nowhere as it is: for that, run 0, stands the median of its runs.

    Examples
    --------
    >>> import simlib
    >>> logs = {"sample": simlib.load("sample")}
    >>> readings = {"text": (logs, simlib.EASY()), "likely": (logs, simlib.EASY(reuse_extra=True))}
    >>> runs = by_reading(readings, lambda logs, policy: simlib.replicate(logs, policy, shakes=1))
    >>> list(runs.index.names), len(runs)
    (['rule', 'log', 'run'], 4)
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


def spread(runs, averaged=None, resampled=False):
    """Work out how each number spreads over its runs.

    Parameters
    ----------
    runs : DataFrame or Series
        By level, one of them `run`, with one column per measure; or one row per run, with columns by all other levels.
    averaged : int, optional
        How many runs are averaged in print where estimates are drawn, and there is no run 0: `ours` is the mean then,
        and the band is that of means of so many.
    resampled : bool
        Whether runs are resamples of the same jobs: then 95 % of them lie between `low` and `high`.

    Returns
    -------
    DataFrame
        By the other levels, and by `metric` where there are several measures: `ours`, of run 0; `mean` and `sd`;
        `low`, `median` and `high`, between which one more run would lie, see `stats.band`.

    Examples
    --------
    >>> runs = pd.Series([5.0, 4, 6, 8], pd.MultiIndex.from_product([["KTH"], range(4)], names=["log", "run"]))
    >>> spread(runs).loc["KTH", ["ours", "mean", "median"]].tolist()
    [5.0, 6.0, 6.0]
    """
    if isinstance(runs, pd.DataFrame):
        if runs.columns.nlevels > 1:
            return results.summary(runs, averaged, resampled)
        runs = runs.rename_axis(columns="metric").stack(future_stack=True)
    named = runs.rename_axis(index={"run": "replication"})
    return results.summary(named, averaged, resampled)


def over_draws(draws):
    """Lay out what was counted on each draw of the restored logs, Series by the same levels, as `judge` takes it.

    `ours` is the median, and between `low` and `high` lie all of them.

    Examples
    --------
    >>> over_draws([pd.Series({"jobs": 7}), pd.Series({"jobs": 9})]).loc["jobs"].to_dict()
    {'ours': 8.0, 'low': 7.0, 'median': 8.0, 'high': 9.0}
    """
    if not draws:
        return pd.DataFrame()
    wide = pd.concat(draws, axis=1)
    median = wide.median(axis=1)
    return pd.DataFrame({"ours": median, "low": wide.min(axis=1), "median": median, "high": wide.max(axis=1)})


def judge(runs, name, logs=None, *, averaged=None, close=None, points=False, notes=None):
    """Lay printed numbers beside ours, and tell of each whether it may well be the same.

    Parameters
    ----------
    runs : DataFrame or Series
        As `spread` takes or gives it, or a Series of what was counted, by the printed levels; or a dict of these by
        rule, which may be empty. Levels may have names of `LEVELS`.
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
    notes : Series of str
        By the printed levels what there is to say of numbers, before what is missing from their logs.

    Returns
    -------
    DataFrame
        By the printed levels, in order: `published`, `ours`, `deviation`, the columns of `spread`, `verdict`, `note`.

    Examples
    --------
    >>> ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    >>> judge(ours.rename_axis(["trace", "quantity"]), "mualem2001_footnote2").verdict.tolist()
    ['inside', 'off']
    """
    of_print, logs = printed(name), Logs({}) if logs is None else logs
    if isinstance(runs, dict):
        runs = {rule: of.to_frame("ours") if isinstance(of, pd.Series) else of for rule, of in runs.items() if len(of)}
        runs = pd.concat(runs, names=["rule"])
    table = spread(runs, averaged) if {"run", "replication"} & set(runs.index.names) else runs
    table = (table.to_frame("ours") if isinstance(table, pd.Series) else table).rename_axis(index=LEVELS)
    levels = [*of_print.index.names, *(level for level in table.index.names if level not in of_print.index.names)]
    table = _with_absent(results.by(table, *levels), of_print, logs)
    table = results.against(table, of_print)
    digits = decimals(name)
    close = CLOSE if close is None else close
    said = {} if notes is None else notes.reorder_levels(of_print.index.names).to_dict()
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
        of_number = tuple(of[level] for level in of_print.index.names)
        about["note"] = "; ".join(filter(None, [said.get(of_number), about.get("note")]))
        known = digits[of_number if len(of_number) > 1 else of_number[0]]
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
        order = list(dict.fromkeys([*table.index.unique("trace"), *alone.trace])) if "trace" in alone else []
        table = table.reindex(table.index.append(alone.set_index(list(table.index.names)).index))
        if "month" in alone:  # the absent ones among the others
            places = {"trace": order, "month": sorted(table.index.unique("month"))}
            key = lambda level: level.map(places[level.name].index)  # noqa: E731
            table = table.sort_index(level=["trace", "month"], key=key, sort_remaining=False)
    for rule in rules if "trace" in table.index.names else []:
        same = [name for name in table.index.unique("trace") if not logs.matters(name, rule)]
        table = table[~(table.index.isin([rule], level="rule") & table.index.isin(same, level="trace"))]
    return table


def cells(table):
    """Take the judged numbers of a table of `judge` for a record: by place, ours under each rule."""
    if not {"verdict", "note"} <= set(table):
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
    """Count the judged numbers of a table of `judge`, or of several, by some of their levels, rule beside rule.

    Examples
    --------
    >>> ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    >>> table = judge(ours.rename_axis(["trace", "quantity"]), "mualem2001_footnote2")
    >>> tallies(table, "trace")["text"][["inside", "close", "off"]].iloc[0].tolist()
    [1, 0, 1]
    """
    return verdicts.tallies(
        [cell for table in ([judged] if isinstance(judged, pd.DataFrame) else judged) for cell in cells(table)], *keys
    )


def beside(table, form, across, sd=False):
    """Lay out a table of `judge` for reading: the printed number, ours, and by how much it is off; all text.

    Parameters
    ----------
    table : DataFrame
        With a level `rule`: the first is shown in full, of others how far off they are.
    form : str
        Of numbers, such as "{:,.0f}".
    across : str or list of str
        Levels that go into the columns.
    sd : bool
        Whether the deviation stands behind our number.

    Examples
    --------
    >>> names = ["metric", "trace", "scheduler", "quantity", "rule", "run"]
    >>> runs = pd.Series({("response_s", "KTH", "easy", "original", "text", 0): 15_732.2}).rename_axis(names)
    >>> table = judge(runs, "mualem2001_table4").xs("response_s", level="metric")
    >>> beside(table, "{:,.0f}", "quantity").iloc[0].tolist()
    ['15,568', '15,732', '+1.1%']
    """
    printed_too = "published" in table and bool(table.published.notna().any())
    table = table if "published" in table else table.assign(published=np.nan)
    return results.beside(table, form, across, sd=sd, printed=printed_too)


# Claims


class Claim(dict):
    """The record of a verdict on a claim, which is shown as text: the verdict, the claim, a line each reading."""

    def __repr__(self):
        """Write it out, wrapped."""
        return "\n".join([self.headline, *(f"       {_wrapped(line, '  ')}" for line in self["evidence"].split("\n"))])

    @property
    def headline(self):
        """The verdicts and the claim, without the measurements."""
        return f"{self['id']}  {_wrapped(': '.join([_verdict(self), self['claim']]))}"


def claim(id, runs, measure, logs=None, needs=(), note=""):
    """Decide a claim by what is measured of runs under each reading.

    Parameters
    ----------
    id : str
        Of a row of `data/published/claims.csv`; what must hold is in `criteria.csv`.
    runs : DataFrame, or dict by rule
        With a level `rule`, or else by the rules of the text. In a dict a list has what was drawn again and again for a
        reading: the claim is measured on each draw, and its parts are their medians and ranges.
    measure : callable
        Takes the runs of one reading, and gives by part of the claim a number, a Series by run, of which run 0 is the
        log as it is, a `Measure`, or a dict of these by what it is measured on; or None.
    logs : Logs
        That it rests on. On stand-ins and on your own log nothing is decided.
    needs : sequence of str
        The logs without which a reading cannot be measured.
    note : str
        A line more of evidence.

    Returns
    -------
    Claim
        The record, a dict that is shown as text.

    Examples
    --------
    >>> changes = pd.Series([-0.1, -0.2, -0.1]).rename_axis("run")
    >>> claim("MF-36", changes, lambda of: {"improves": (of < 0).astype(float)})
    MF-36  REPRODUCED, shown 1, open 0, contradicted 0: Doubling user estimates in general improves performance
             text: improves: 100%, holds (above 50%)
    """
    logs = Logs({}) if logs is None else logs
    if logs.own:
        return Claim(claims.withdrawn(_of(id), "this is a log of one's own: nothing is claimed of it"))
    readings, lacking = {}, []
    for rule, of in _by_rule(runs).items():
        try:
            draws = of if isinstance(of, list) else [of]
            known = [one for one in draws if one is not None and set(needs) <= (_names(one) if needs else set())]
            parts = [_parts(measure(one)) for one in known]
            readings[rule] = Measure.over(parts) if isinstance(of, list) else parts[0] if parts else None
        except KeyError as error:  # the notebook was changed
            lacking.append(f"{rule}: cannot be judged any more: found no {error.args[0]!r} among the runs")
    found = claims.decide(id, readings, "\n".join(filter(None, [note, *lacking])))
    return Claim(claims.withdrawn(found, plots.SYNTHETIC) if logs.stand_in else found)


def finding(id, holds, evidence="", numbers=None, logs=None):
    """Make the record of one of the study's own findings: whether it `holds`, None where it cannot be tested.

    "cannot be decided" is a third answer.

    In place of the three a function may give them; where it misses something, for the notebook was changed, the record
    says so.

    Examples
    --------
    >>> finding("OWN-01", None, "no log is at hand")["verdict"]
    'cannot be tested'
    """
    if callable(holds):
        try:
            holds, evidence, numbers = holds()
        except KeyError as error:
            holds, evidence = None, f"cannot be judged any more: found no {error.args[0]!r} among the runs"
    found = claims.finding(id, holds, evidence, numbers or {})
    return Claim(claims.withdrawn(found, plots.SYNTHETIC) if logs is not None and logs.stand_in else found)


def share(found):
    """Measure the share of true values in a Series of bool by run and case, such as months.

    The share of these cases is the mean over the shaken runs, with their interval. The share of cases like these has
    the interval of as many independent cases in run 0, the log as it is (Clopper and Pearson).

    Examples
    --------
    >>> months = pd.Series([True, True, False, True]).set_axis(pd.Index([0, 0, 0, 0], name="run"))
    >>> print(share(months).value)
    0.75
    """
    by_run = found.groupby("run").agg(["sum", "count", "mean"])
    if 0 not in by_run.index:
        return claims.NOTHING
    like_these = Measure.share(by_run["sum"][0], by_run["count"][0])
    shaken = by_run["mean"].drop(0)
    these = Measure.range(shaken) if len(shaken) else Measure.exactly(like_these.value)
    return replace(these, like_these=like_these)


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
    if isinstance(of, dict):
        return set(of)
    places = [of.index, of.columns] if isinstance(of, pd.DataFrame) else [of.index]
    return {name for place in places for level in {"log", "trace"} & set(place.names) for name in place.unique(level)}


def _parts(measured):
    """Make a `Measure` of each part."""
    if measured is None:
        return None
    return {
        part: {on: _measure(one) for on, one in of.items()} if isinstance(of, dict) else _measure(of)
        for part, of in measured.items()
    }


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
    """Put the printed numbers beside runs, as a separate reading, `printed`, whose only run is 0.

    Parameters
    ----------
    runs : DataFrame or Series
        By `rule`, `run` and the printed levels, which may have names of `LEVELS`; one column per metric.
    name : str
        As for `printed`.
    scale : float
        That the printed numbers are multiplied by, such as 1 / 100 for per cents.

    Examples
    --------
    >>> names = ["rule", "metric", "trace", "scheduler", "quantity", "run"]
    >>> runs = pd.Series({("text", "response_s", "KTH", "easy", "original", 0): 15_732.2}).rename_axis(names)
    >>> with_printed(runs, "mualem2001_table4").xs("printed", level="rule").max()
    np.float64(29422.0)
    """
    of_print = printed(name) * scale
    if isinstance(runs, pd.DataFrame):
        of_print = of_print.unstack("metric", sort=False).reindex(columns=runs.columns)
    back = {new: old for old, new in LEVELS.items() if old in runs.index.names}
    of_print = pd.concat({("printed", 0): of_print.rename_axis(index=back)}, names=["rule", "run"])
    return pd.concat([runs, of_print.reorder_levels(runs.index.names)])


def _verdict(found):
    """The verdict by the text with its counts, and those of other readings."""
    others = {"likely": "likely program", "restored": "restored log", "printed": "as printed"}
    others[claims.LIKE_THESE] = claims.LIKE_THESE
    readings = found.get("readings", {})
    counts = readings[TEXT]["counts"] if TEXT in readings else {}
    said = [f"{name}: {readings[key]['verdict']}" for key, name in others.items() if key in readings]
    words = ", ".join([claims.stated(found).upper(), *(f"{name} {count}" for name, count in counts.items())])
    if claims.stated(found) == claims.DEPENDS:
        said = [f"{word} {name}" for name, word in found["bounds"].items()] + said
    return words + (f" ({'; '.join(said)})" if said else "")


def _wrapped(text, indent=""):
    return "\n       ".join(textwrap.wrap(text, 110, initial_indent=indent, subsequent_indent="  "))


# Pictures


def in_bands(*judged):
    """Count for a title how many of the printed numbers that can be judged lie in the bands of our runs.

    Examples
    --------
    >>> ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    >>> in_bands(judge(ours.rename_axis(["trace", "quantity"]), "mualem2001_footnote2"))
    '1 of 2 printed numbers'
    """
    counts = pd.concat([table.verdict for table in judged]).value_counts()
    inside, others = counts.get(verdicts.INSIDE, 0), counts.reindex([verdicts.CLOSE, verdicts.OFF]).sum()
    several = any("rule" in table.index.names and table.index.unique("rule").size > 1 for table in judged)
    return f"{inside} of {inside + others:.0f} {'comparisons with print' if several else 'printed numbers'}"


def show(picture, logs=None, message=None):
    """Give a figure, or that of its axes, to be shown and saved: stamped where a log is only stood in for.

    The message is what it shows, a sentence that its numbers bear out; it is the title.

    Examples
    --------
    >>> figure = show(plt.figure().add_subplot())
    >>> plt.get_fignums()  # a notebook shows it where it is the value of a cell, and only there
    []
    """
    figure = picture if isinstance(picture, Figure) else picture.figure
    if logs is not None and logs.stand_in and plots.SYNTHETIC not in [text.get_text() for text in figure.texts]:
        plots.stamp(figure)
    if message:
        plots.title(figure, message)
    plt.close(figure)  # a notebook shows it where it is the value of a cell
    return figure
