"""What was printed beside what we measured: each printed number is inside our band, close, off, or not judged.

*Runs* have levels by what was simulated (log, policy, month, estimates and the like) and run. Run 0 is the workload as
it is; runs 1, 2, ... differ by chance: submit times are shaken, estimates drawn. What is read differently than the text
has it stands in the names of policies and logs, behind a comma: "EASY, extra shared", "CTC, restored".
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from simlib._util import paths
from simlib.analysis.stats import band

from .experiments import running
from .loading import Logs
from .resampling import Interval, middle

TEXT, LIKELY, RESTORED, CALENDAR = "text", "likely", "restored", "calendar"
"""Words of a summary, see `word`. The rules of the papers' text; those that the authors' programs most likely followed;
the latter on logs whose lost jobs are put back, where that can be done; those of the text with the calendar's months,
where the printed numbers of jobs say that the authors' began or ended at other times."""

BACK = f", {RESTORED}"
"""Ends the name of a log that has its lost jobs back; so it is no other log."""

INSIDE, CLOSE, OFF = "inside", "close", "off"
OTHER_LOG, ABSENT, INFERRED = "another log", "log not at hand", "inferred from"
"""Why a number is not judged. From the last the reading itself was inferred, so it would agree with itself."""

SCHEDULERS = ("EASY", "conservative")

Table = Any
"""A DataFrame or a Series by named levels: pandas' stubs let hardly anything be done with what may be either."""

# What is read differently


def plain(name: str) -> str:
    """Take off a policy's or a log's name what is read differently: so it is called in print."""
    return name.partition(", ")[0]


def word(policy: str = "", log: str = "") -> str:
    """Call a policy on a log, or what has no policy, by the word of a summary; "" if it is in none.

    Examples
    --------
    >>> [word("EASY", "CTC"), word("EASY, extra shared", "CTC"), word("EASY, extra shared", "CTC, restored")]
    ['text', 'likely', 'restored']
    >>> word("EASY", "CTC, restored")
    ''
    """
    differs, of_log = ", " in policy, log.partition(", ")[2]
    if not of_log:
        return LIKELY if differs else TEXT
    if of_log == RESTORED:
        return RESTORED if differs or not policy else ""
    return CALENDAR if of_log == CALENDAR and not differs else ""


def plainly(index: Any, *levels: str) -> Any:
    """Put policies and logs, or other levels of an index, under their plain names."""
    names = [name for name in levels or ("policy", "log") if name in index.names]
    if index.nlevels == 1:
        return index.map(plain) if names else index
    of = index.to_frame(index=False)
    return pd.MultiIndex.from_frame(of.assign(**{name: of[name].map(plain) for name in names}))


def in_words(table: Table, policy: str = "policy", log: str = "log") -> Table:
    """Sum a table up: its policies and logs under their plain names, and behind them the level `under` with the word.

    What is in no summary is left out. The levels of policies and logs may have other names.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["EASY", "EASY, extra shared"], ["CTC"]], names=["policy", "log"])
    >>> in_words(pd.Series([1, 2], index)).index.tolist()
    [('EASY', 'CTC', 'text'), ('EASY', 'CTC', 'likely')]
    """
    none = np.full(len(table), "")
    of = [table.index.get_level_values(name) if name in table.index.names else none for name in (policy, log)]
    words = pd.Series([word(*names) for names in zip(*of, strict=True)], dtype=object)
    index = plainly(table.index, policy, log).to_frame(index=False).assign(under=words)
    return table.set_axis(pd.MultiIndex.from_frame(index))[(words != "").to_numpy()]


def readings(runs: Table, policy: str = "policy", log: str = "log") -> dict[str, Table]:
    """Take runs by the word of a summary, with policies and logs under their plain names, for `claim`.

    Whatever is not read differently is the same under each word. The levels of policies and logs may have other names.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["EASY", "EASY, extra shared"], ["KTH"]], names=["policy", "log"])
    >>> {name: of.to_dict() for name, of in readings(pd.Series([1, 2], index)).items()}
    {'text': {('EASY', 'KTH'): 1}, 'likely': {('EASY', 'KTH'): 2}}
    """
    policies, logs = (runs.index.unique(name) if name in runs.index.names else () for name in (policy, log))
    differ = {plain(name): name for name in reversed(policies) if name != plain(name)}
    back = {plain(name): name for name in logs if name.endswith(BACK)}
    by_word = {TEXT: _taken(runs, {policy: {}, log: {}})}
    if differ:
        by_word[LIKELY] = _taken(runs, {policy: differ, log: {}})
    if back:
        by_word[RESTORED] = _taken(runs, {policy: differ, log: back})
    return by_word


def _taken(runs: Table, names: Mapping[str, Mapping[str, str]]) -> Table:
    """The runs of one policy and log of each plain name, by level: of what stands there for it, or else of itself."""
    for level, instead in names.items():
        if level in runs.index.names:
            here = runs.index.get_level_values(level)
            runs = runs[[name == instead.get(plain(name), plain(name)) for name in here]].rename(plain, level=level)
    return runs


# Numbers as they are printed

NUMBER = re.compile(r"-?\d+(\.\d+)?")


def published(name: str) -> pd.DataFrame:
    """Read all columns of a file of printed numbers, such as "mualem2001_table1"; `value` as numbers."""
    return _read(name).astype({"value": float})


def printed(name: str) -> pd.Series:
    """Read printed numbers: a Series by the levels of the table that they are held against.

    The name is that of a file in `data/published/`, or of several of a paper, such as "tang2013_figure1 figure2"; of a
    number that several print, the first counts. Each line has a number as the paper prints it, in the column `value`,
    behind the levels that tell what it is of; notes may follow.

    Examples
    --------
    >>> printed("mualem2001_table3")["EASY", "response_s", "KTH", "original"]
    np.float64(15568.0)
    """
    return _texts(name).astype(float)


@cache
def decimals(name: str) -> pd.Series:
    """How many decimals each printed number has."""
    return _texts(name).str.partition(".")[2].str.len()


def _texts(name: str) -> pd.Series:
    """The numbers as they are printed, by levels."""
    first, *others = name.split(" ")
    tables = [_read(file) for file in (first, *(f"{first.partition('_')[0]}_{other}" for other in others))]
    texts = pd.concat([table.set_index(list(table.loc[:, :"value"])[:-1]).value for table in tables])
    return texts[~texts.index.duplicated()].rename("published")


@cache
def _read(name: str) -> pd.DataFrame:
    """Read a file of printed numbers as text, and refuse one in which a line is wrong."""
    path = paths.DATA / "published" / f"{name}.csv"
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.csv")))
        raise ValueError(f"{name}: found no file {path}; expected one of {known}")
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        head = next(lines, [])
        if "value" not in head[1:]:
            raise ValueError(f"{path}, line 1: found the columns {', '.join(head)}; expected levels, then value")
        rows: list[list[str]] = []
        lines_of: dict[tuple[str, ...], int] = {}
        for row in lines:
            of, at = tuple(row[: head.index("value")]), f"{path}, line {lines.line_num}"
            if len(row) != len(head):
                raise ValueError(f"{at}: found {len(row)} fields; expected {len(head)}, as in line 1")
            if "" in of:
                raise ValueError(f"{at}: found no {head[of.index('')]}; expected every level of a number")
            if not NUMBER.fullmatch(row[len(of)]):
                raise ValueError(f"{at}: found the value {row[len(of)]!r}; expected a number as printed, such as -1.50")
            if of in lines_of:
                raise ValueError(f"{at}: found {', '.join(of)} again; expected it once, in line {lines_of[of]}")
            rows.append(row)
            lines_of[of] = lines.line_num
    return pd.DataFrame(rows, columns=head)


# What becomes of a number


def verdict_on(
    published: float, interval: Interval, close: float = 0.05, decimals: int | None = None, absolute: bool = False
) -> str:
    """Tell whether a printed number may well be the same as ours."""
    if is_inside(published, interval.low, interval.high, decimals):
        return INSIDE
    return CLOSE if abs(published - interval.median) <= close * (1 if absolute else abs(published)) else OFF


def is_inside(published: Any, low: Any, high: Any, decimals: Any = None) -> Any:
    """Whether a printed number, or each of several, lies in a band, as far as its decimals tell."""
    slack = 0 if decimals is None else 0.5000001 * 10.0**-decimals
    return (low - slack <= published) & (published <= high + slack)


def deviation(ours: Any, published: Any) -> Any:
    """Work out by how much ours differs from the published number, relatively: 0.01 is 1 % more."""
    return ours / published - 1


def reading(cell: Mapping[str, Any], *words: str) -> Any:
    """Take of a cell the first of what is under these words that is judged; None where nothing is."""
    named = [(word(one.get("policy", ""), one.get("log", "")), one) for one in cell["readings"]]
    ours = [one for wanted in words for name, one in named if name == wanted]
    return next((one for one in ours if one["verdict"] in (INSIDE, CLOSE, OFF)), None)


def tally(cells: Iterable[Mapping[str, Any]], *words: str) -> dict[str, Any]:
    """Count how many cells are inside, close and off, and how many chance would put outside."""
    judged = [one for one in (reading(cell, *(words or [TEXT])) for cell in cells) if one]
    verdicts = [one["verdict"] for one in judged]
    bands = sum(one["low"] < one["high"] for one in judged)
    counts = {verdict: verdicts.count(verdict) for verdict in (INSIDE, CLOSE, OFF)}
    return {"cells": len(judged)} | counts | {"bands": bands, "by_chance": 0.05 * bands}


AS_IT_IS = 0
"""The run that changes nothing."""

CLOSE_TO = {"bounded_slowdown": 0.10}
"""How far from the median of the runs a number outside their band may lie to be called close; of others, 0.05."""

OF_VERDICTS = ["verdict", "note", "exhibit"]
"""Columns that `judge` adds, and that go into the record: what becomes of a printed number, and where it is printed."""

READING = ["ours", "deviation", "low", "median", "high", "verdict"]
"""What a record has of a number by a policy and log."""


# What was measured


def median_first(runs: Table) -> Table:
    """Put the median of the other runs in the place of run 0, of logs whose lost jobs are drawn: none is as it is.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["CTC", "CTC, restored"], range(4)], names=["log", "run"])
    >>> median_first(pd.Series([7, 1, 2, 3, 7, 1, 2, 3], index)).xs(0, level="run").to_dict()
    {'CTC': 7.0, 'CTC, restored': 2.0}
    """
    drawn = runs.index.get_level_values("log").str.endswith(BACK)
    if not drawn.any():
        return runs
    of_drawn, others = runs[drawn].astype(float), runs.index.names.difference(["run"])
    medians = of_drawn.drop(0, level="run").groupby(others, sort=False).median()
    first = of_drawn.index.get_level_values("run") == 0
    places = of_drawn[first].index.droplevel("run")
    of_drawn[first] = medians.reindex(places.reorder_levels(others) if len(others) > 1 else places).to_numpy()
    return pd.concat([runs[~drawn], of_drawn])


def spread(runs: Table, averaged: int | None = None, resampled: bool = False) -> pd.DataFrame:
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
    if isinstance(runs, pd.DataFrame) and runs.columns.nlevels > 1:
        wide = runs.T
    else:
        if isinstance(runs, pd.DataFrame):
            runs = runs.rename_axis(columns="metric").stack(future_stack=True)
        wide = runs.unstack("run").reindex(runs.index.droplevel("run").unique())
    shaken = wide.drop(columns=AS_IT_IS, errors="ignore")
    ours = wide[AS_IT_IS] if AS_IT_IS in wide else pd.Series(np.nan, wide.index)
    table = pd.DataFrame({"ours": ours, "mean": shaken.mean(axis=1), "sd": shaken.std(axis=1)})
    table = table.join((middle if resampled else band)(shaken.T))
    if averaged and (random := ours.isna()).any():
        table.loc[random, ["low", "median", "high"]] = band(shaken[random].T, averaged)
        table.loc[random, "ours"] = table["mean"]
    return table


def in_order(table: Table, *levels: str) -> Table:
    """Order a table by these levels, each in the order in which its values appear.

    Examples
    --------
    >>> table = pd.Series([1, 2, 3], pd.MultiIndex.from_tuples([("b", 2), ("a", 1), ("b", 1)], names=["log", "f"]))
    >>> in_order(table, "log", "f").index.tolist()
    [('b', 2), ('b', 1), ('a', 1)]
    """
    table = table.reorder_levels(levels)
    prefixes = [table.index.droplevel(list(levels[k:])) for k in range(1, len(levels))]
    first_seen = [pd.factorize(prefix)[0] for prefix in (*prefixes, table.index)]
    return table.iloc[np.lexsort(first_seen[::-1])]


def over_draws(draws: Sequence[pd.Series]) -> pd.DataFrame:
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


def against(table: Table, printed: pd.Series) -> pd.DataFrame:
    """Put printed numbers, and by how much ours deviate, into a table of `spread`; nan where nothing is printed.

    They stand beside every policy and log whose plain name is the printed one.
    """
    others = [name for name in table.index.names if name not in printed.index.names]
    places = table.index.droplevel(others)
    if places.nlevels > 1:
        places = places.reorder_levels(printed.index.names)
    table = table.copy()
    table.insert(0, "published", printed.reindex(plainly(places)).to_numpy())
    table.insert(list(table).index("ours") + 1, "deviation", deviation(table.ours, table.published))
    return table


def judge(
    runs: Table | list[Table],
    name: str,
    logs: Logs | None = None,
    *,
    averaged: int | None = None,
    points: bool = False,
    notes: Table | None = None,
) -> pd.DataFrame:
    """Lay printed numbers beside ours, and tell of each whether it may well be the same.

    Of another experiment than the study's no number is judged; what differs is printed.

    Parameters
    ----------
    runs : DataFrame or Series
        As `spread` takes or gives it, or a Series of what was counted, by the printed levels; or a list of these. A
        printed number is held against every policy and log whose name, up to a comma, is the printed one.
    name : str
        Of the printed numbers, as for `printed`.
    logs : Logs
        Which are absent, and which lack jobs, so that their numbers are not judged.
    averaged : int
        As for `spread`.
    points : bool
        Whether the numbers are differences in per cent: they are close where as many points apart as means may be per
        cent, and have no relative deviation.
    notes : Series of str
        By the printed levels what there is to say of numbers, before what is missing from their logs.

    Returns
    -------
    DataFrame
        By the printed levels, in order: `published`, `ours`, `deviation`, those of `spread`, `verdict`, `note`.

    Examples
    --------
    >>> ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    >>> judge(ours.rename_axis(["log", "quantity"]), "mualem2001_footnote2").verdict.tolist()
    ['inside', 'off']
    """
    of_print: Any = printed(name)
    logs, experiment = Logs({}) if logs is None else logs, running()
    if said := not logs.own and (experiment.unjudged or experiment.preview(logs)):
        print(f"{name}: {said}")
    if isinstance(runs, list):
        runs = pd.concat([of.to_frame("ours") if isinstance(of, pd.Series) else of for of in runs if len(of)])
    table: Any = spread(runs, averaged) if "run" in runs.index.names else runs
    table = table.to_frame("ours") if isinstance(table, pd.Series) else table
    levels = [*of_print.index.names, *(level for level in table.index.names if level not in of_print.index.names)]
    table = _with_absent(in_order(table, *levels), of_print, logs)
    table = against(table, of_print)
    digits = decimals(name)
    notes_of: dict[Any, str] = {} if notes is None else notes.reorder_levels(of_print.index.names).to_dict()
    noted: list[tuple[str | None, str]] = []
    for place, row in zip(table.index, table.itertuples(), strict=True):
        of = dict(zip(levels, place if isinstance(place, tuple) else (place,), strict=True))
        if logs.own or experiment.unjudged or row.published != row.published:
            noted.append((None, ""))
            continue
        number = {level: of[level] for level in of_print.index.names}
        number |= {level: plain(number[level]) for level in ("policy", "log") if level in number}
        origin = logs.origin(**number | {"log": of.get("log")})
        of_number = tuple(number.values())
        verdict = ABSENT if row.ours != row.ours else origin.get("unjudged")
        if not verdict:
            known = "low" in table and not np.isnan(row.low)
            interval = Interval(row.low, row.median, row.high) if known else Interval(row.ours, row.ours, row.ours)
            share = CLOSE_TO.get(of.get("metric", ""), 0.05)
            digit = digits[of_number if len(of_number) > 1 else of_number[0]]
            verdict = verdict_on(row.published, interval, 100 * share if points else share, digit, absolute=points)
        noted.append((verdict, "; ".join(filter(None, [notes_of.get(of_number), origin.get("note")]))))
    table[["verdict", "note"]] = pd.DataFrame(noted, table.index, dtype=object)
    table["exhibit"] = name
    if logs.own:
        return table.drop(columns=["published", "deviation"])
    return table.drop(columns="deviation") if points else table


def _with_absent(table: Table, of_print: Table, logs: Logs) -> pd.DataFrame:
    """Add printed numbers of logs that are absent, for every policy of which they are."""
    places = of_print.index.to_frame(index=False)
    alone = places[[logs.is_absent(**place) for place in places.to_dict("records")]]
    if len(alone) and "policy" in table.index.names:
        policies = table.index.unique("policy")
        of_each = [alone[alone.policy == plain(name)] if "policy" in alone else alone for name in policies]
        alone = pd.concat([of.assign(policy=name) for name, of in zip(policies, of_each, strict=True)])
    if len(alone):
        order = list(dict.fromkeys([*table.index.unique("log"), *alone.log])) if "log" in alone else []
        table = table.reindex(table.index.append(alone.set_index(list(table.index.names)).index))
        if "month" in alone:  # the absent ones among the others
            orders = {"log": order, "month": sorted(table.index.unique("month"))}
            key = lambda level: level.map(orders[level.name].index)  # noqa: E731
            table = table.sort_index(level=["log", "month"], key=key, sort_remaining=False)
    return table


def cells(table: Table) -> list[dict[str, Any]]:
    """Take the judged numbers of a table of `judge` for a record: by place, ours by each policy and log."""
    if not set(OF_VERDICTS) <= set(table):
        return []
    rows = table[table.verdict.notna()].reindex(columns=["published", *READING, "note", "exhibit"])
    for end in ("high", "median", "low"):
        rows[end] = rows[end].where(rows.low.notna(), rows.ours)
    names = rows.index.to_frame(index=False)
    names = names[[name for name in ("policy", "log") if name in names]].to_dict("records")
    rows["reading"] = [name | ours for name, ours in zip(names, rows[READING].to_dict("records"), strict=True)]
    rows, judged = rows.set_axis(plainly(rows.index)), []
    for exhibit, of_exhibit in rows.groupby("exhibit", sort=False):
        of_print = printed(exhibit).index.names
        levels = [level for level in rows.index.names if level in of_print or level != "policy"]
        for place, part in of_exhibit.groupby(level=levels, sort=False):
            of, first = dict(zip(levels, place, strict=True)), part.iloc[0]
            cell = {"exhibit": exhibit, "of": of, "published": first.published, "readings": part.reading.tolist()}
            judged.append(cell | ({"note": first.note} if first.note else {}))
    return judged


def tallies(judged: pd.DataFrame | Iterable[pd.DataFrame], *keys: str) -> pd.DataFrame:
    """Count the judged numbers of a table of `judge`, or of several, by some of their levels, word beside word.

    Under `RESTORED` numbers of logs that lost no jobs count as under `LIKELY`.

    Examples
    --------
    >>> ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    >>> table = judge(ours.rename_axis(["log", "quantity"]), "mualem2001_footnote2")
    >>> tallies(table, "log")["text"][["inside", "close", "off"]].iloc[0].tolist()
    [1, 0, 1]
    """
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    there = set()
    for table in [judged] if isinstance(judged, pd.DataFrame) else judged:
        for cell in cells(table):
            groups.setdefault(tuple(cell["of"][key] for key in keys), []).append(cell)
            there |= {word(one.get("policy", ""), one.get("log", "")) for one in cell["readings"]}
    words = {TEXT: (TEXT,), LIKELY: (LIKELY,), RESTORED: (RESTORED, LIKELY)}
    shown = {"cells": "cells", "by_chance": "outside by chance"} | {each: each for each in (INSIDE, CLOSE, OFF)}
    rows = {}
    for group, members in groups.items():
        counts = {name: tally(members, *of) for name, of in words.items() if name in there}
        rows[group] = {(name, head): of[key] for name, of in counts.items() for key, head in shown.items()}
    if not rows:
        return pd.DataFrame(index=pd.MultiIndex.from_arrays([[]] * len(keys), names=keys))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(keys)


def in_bands(*judged: pd.DataFrame, of: str = "") -> str:
    """Say for a title how many of the printed numbers, `of` some table, that are judged lie in the bands of our runs.

    Under each word of a summary they are counted apart, because it is the same numbers that are compared.

    Examples
    --------
    >>> ours = pd.Series({("KTH", "killed_at_daytime_limit"): 793, ("KTH", "peak_100pct"): 3610})
    >>> in_bands(judge(ours.rename_axis(["log", "quantity"]), "mualem2001_footnote2"))
    '1 of 2 judged numbers lie inside our bands'
    """
    tables = [table if "under" in table.index.names else in_words(table) for table in judged]
    verdicts = pd.concat([table.verdict.groupby("under", sort=False).value_counts() for table in tables])
    counts = verdicts.groupby(level=[0, 1], sort=False).sum().unstack(fill_value=0)
    there = [word for word in (TEXT, LIKELY, RESTORED, CALENDAR) if word in counts.index]
    counts = counts.reindex(there, columns=[INSIDE, CLOSE, OFF], fill_value=0)[lambda of: of.sum(axis=1) > 0]
    if not len(counts):
        return "no number is compared with print"
    parts = {word: f"{row[INSIDE]} of {row.sum()}" for word, row in counts.iterrows()}
    numbers = f"judged numbers{of and f' of {of}'}"
    if len(parts) > 1:
        return f"{numbers} inside our bands: {', '.join(f'{word} {part}' for word, part in parts.items())}"
    return f"{next(iter(parts.values()))} {numbers} lie inside our bands"


def beside(table: Table, form: str, across: str | Sequence[str], sd: bool = False) -> pd.DataFrame:
    """Lay out a table of `judge` for reading: the printed number, ours, and by how much it is off; all text.

    Parameters
    ----------
    table : DataFrame
    form : str
        Of numbers, such as "{:,.0f}".
    across : str or list of str
        Levels that go into the columns.
    sd : bool
        Whether the deviation stands behind our number.

    Examples
    --------
    >>> names = ["metric", "log", "policy", "quantity", "run"]
    >>> runs = pd.Series({("response_s", "KTH", "EASY", "original", 0): 15_732.2}).rename_axis(names)
    >>> table = judge(runs, "mualem2001_table4").xs("response_s", level="metric")
    >>> beside(table, "{:,.0f}", "quantity").iloc[0].tolist()
    ['15,568', '15,732', '+1.1%']
    """
    of_print = "published" in table and table.published.notna().any()
    text = {"paper": written(table.published, form)} if of_print else {}
    text["ours"] = written(table.ours, form) + (" \u00b1\u00a0" + written(table.sd, form) if sd else "")
    text |= {"off": written(table.deviation, "{:+.1%}")} if of_print and "deviation" in table else {}
    laid_out: Any = pd.DataFrame(text, index=table.index)
    across = [across] if isinstance(across, str) else list(across)
    if not across:
        return laid_out
    order = laid_out.index.droplevel(across).unique()
    by_place = {place: of.droplevel(across) for place, of in laid_out.groupby(level=across, sort=False)}
    by_place = {place if len(across) > 1 else place[0]: of for place, of in by_place.items()}
    return pd.concat(by_place, axis=1, names=across).reindex(order)


def with_printed(runs: Mapping[str, Any], name: str, scale: float = 1.0) -> dict[str, Any]:
    """Put the printed numbers beside `readings` of runs, as one more, `printed`, whose only run is 0.

    Parameters
    ----------
    runs : dict
        Of DataFrames or Series by `run` and the printed levels; one column per metric.
    name : str
        As for `printed`.
    scale : float
        That the printed numbers are multiplied by, such as 1 / 100 for per cents.

    Examples
    --------
    >>> names = ["metric", "log", "policy", "quantity", "run"]
    >>> runs = pd.Series({("response_s", "KTH", "EASY", "original", 0): 15_732.2}).rename_axis(names)
    >>> with_printed(readings(runs), "mualem2001_table4")["printed"].max()
    np.float64(29422.0)
    """
    of_print: Any = printed(name) * scale
    of_text = runs[TEXT]
    if isinstance(of_text, pd.DataFrame):
        of_print = of_print.unstack("metric", sort=False).reindex(columns=of_text.columns)
    of_print = pd.concat({AS_IT_IS: of_print}, names=["run"])
    return {**runs, "printed": of_print.reorder_levels(of_text.index.names)}


def wide(values: Table, level: Any = -1) -> Any:
    """Put a level, or several, into the columns, in the order in which its values appear.

    So does `unstack(sort=False)`; but where some values were filtered away before, pandas gives columns wrong names.
    """
    values = values.set_axis(values.index.remove_unused_levels())
    return values.unstack(level, sort=False)


def written(values: pd.Series, form: str) -> pd.Series:
    """Write numbers as text; nothing where there is none."""
    return values.map(lambda value: form.format(value) if pd.notna(value) else "")


def bracketed(form: str, value: float, low: float, high: float) -> str:
    """Write a number with its interval behind it; nothing where there is none."""
    return f"{form.format(value)} ({form.format(low)} to {form.format(high)})" if pd.notna(value) else ""


def with_intervals(table: pd.DataFrame, form: str, of: str = "ours", unit: float = 1) -> pd.Series:
    """Write a column of a table with the intervals `low` to `high` behind it, all times `unit`; a Series of text."""
    rows = unit * table[[of, "low", "high"]].to_numpy(float)
    texts = [bracketed(form, *row).replace(" to ", "\u00a0to\u00a0") for row in rows]  # an interval stays in one line
    return pd.Series(texts, table.index, dtype=object)
