"""The ledger: what the papers claim, what must hold for that, and how a verdict is made of what was measured.

The claims are sentences of the papers, in `data/claims/claims.csv`. What must hold for a claim are its parts, in
`data/claims/criteria.csv`: each says what is measured, and above or below which number that has to lie. An exhibit
measures; it decides nothing. One rule, in `docs/background/verdicts.md`, makes all verdicts.

A claim is judged by the rules of the text; beside that, where there is something to say, by the programs that the
authors most likely used, and on the paper's own printed numbers, for a criterion that these fail is a bad one, or the
sentence is wrong about its own table.
"""

import csv
import statistics
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import scipy

from simlib import plots
from simlib._util import paths
from simlib.analysis.stats import mean_interval

from .experiments import running
from .judging import AS_IT_IS, LIKELY, RESTORED, TEXT
from .loading import Logs
from .resampling import Interval

REPRODUCED, PARTLY, INCONCLUSIVE, NOT = "reproduced", "partly reproduced", "inconclusive", "not reproduced"
UNTESTED = "cannot be tested"
"""Of claims that none of our logs can test."""

VERDICTS = (REPRODUCED, PARTLY, INCONCLUSIVE, NOT, UNTESTED)
HOLDS, HOLDS_NOT, OPEN = "holds", "does not hold", "cannot be decided"
"""Of parts, and of the study's own findings."""

COUNTS = {HOLDS: "shown", OPEN: "open", HOLDS_NOT: "contradicted"}
"""How measurements are counted."""

MOST, FEW = 2 / 3, 1 / 6
"""Shares that a claim needs on one side, and may have on the other."""

MANY = 3
"""On more things than these a part's evidence is summed up; the record has each."""

PRINTED = "printed"
"""The reading that takes the papers' own numbers: would the paper pass?"""

LIKE_THESE = "months like these"
"""The reading by the text that takes the months of a log for a sample of others."""


@dataclass(frozen=True)
class Measure:
    """A number that a part of a claim is about, and how well it is known.

    A share of months has two intervals: `low` to `high` of these months, over the shaken runs, and `like_these` of
    months of which these are a sample.
    """

    value: float
    low: float
    high: float
    runs: tuple[float, ...] = ()
    like_these: "Measure | None" = None

    @classmethod
    def exactly(cls, value: float) -> "Measure":
        """Take a number that does not depend on chance."""
        return cls(float(value), float(value), float(value))

    @classmethod
    def spread(cls, values: pd.Series) -> "Measure":
        """Take a Series by run: the value as it is, and the middle 95 % of the runs."""
        runs = values.drop(AS_IT_IS)
        measure = cls.range(runs) if runs.notna().any() else replace(NOTHING, runs=tuple(runs))
        return replace(measure, value=float(values[AS_IT_IS]))

    @classmethod
    def range(cls, runs: pd.Series) -> "Measure":
        """Take equally good runs, of which none is as it is: their mean, and the middle 95 % of them."""
        interval = Interval.of(runs)
        return cls(float(np.nanmean(runs)), interval.low, interval.high, tuple(runs))

    @classmethod
    def mean(cls, runs: Sequence[float] | pd.Series) -> "Measure":
        """Take independent runs: their mean, with its interval by Student's t."""
        interval: Any = mean_interval(pd.DataFrame({"runs": np.asarray(runs, float)}), 0.95).loc["runs"]
        return cls(float(interval["mean"]), float(interval.low), float(interval.high), tuple(runs))

    @classmethod
    def ratio(cls, part: pd.Series, whole: pd.Series) -> "Measure":
        """Take a ratio of means over runs, run by run, with its interval by Fieller's theorem.

        It has all ratios r for which part - r x whole may have a mean of zero; where that of the whole may be zero it
        has no ends.
        """
        pairs = pd.concat({"part": part, "whole": whole}, axis=1).dropna()
        if len(pairs) < 2:
            return NOTHING
        (p, w), ((of_p, of_both), (_, of_w)) = pairs.mean(), pairs.cov().to_numpy()
        factor = scipy.stats.t.ppf(0.975, len(pairs) - 1) ** 2 / len(pairs)
        square, middle = w**2 - factor * of_w, p * w - factor * of_both
        if square <= 0:
            return cls(float(p / w), -np.inf, np.inf)
        half = np.sqrt(max(middle**2 - square * (p**2 - factor * of_p), 0.0))
        return cls(float(p / w), float((middle - half) / square), float((middle + half) / square))

    @classmethod
    def share(cls, wins: float, of: float) -> "Measure":
        """Take a share of cases that are counted, with its interval by Clopper and Pearson for others like these."""
        if not of:
            return NOTHING
        interval = scipy.stats.binomtest(int(wins), int(of)).proportion_ci(0.95)
        return cls(wins / of, interval.low, interval.high)

    @classmethod
    def over(cls, draws: Sequence[Any]) -> "dict[str, Measure] | None":
        """Take several draws of a log, dicts of measures by part: each part's median and range; None of nothing."""
        if not draws or not draws[0]:
            return None
        values = {part: [draw[part].value for draw in draws] for part in draws[0]}
        return {part: cls(float(np.median(of)), min(of), max(of), tuple(of)) for part, of in values.items()}

    def minus(self, other: "Measure") -> "Measure":
        """Subtract a measure that is independent of this one: the intervals add up as for independent errors."""
        down = np.hypot(self.value - self.low, other.high - other.value)
        up = np.hypot(self.high - self.value, other.value - other.low)
        value = self.value - other.value
        runs = tuple(np.subtract(self.runs, other.runs)) if self.runs else ()
        like_these = self.like_these.minus(other.like_these) if self.like_these and other.like_these else None
        return Measure(value, value - down, value + up, runs, like_these)


NOTHING = Measure(np.nan, np.nan, np.nan)
"""Where there is nothing to compare, such as between two keys that make the same groups of jobs."""


@dataclass(frozen=True)
class Criterion:
    """What must hold for a part of a claim: a row of `data/claims/criteria.csv`."""

    claim: str
    part: str
    measure: str
    above: float
    below: float
    headline: bool
    form: str
    why: str
    known: str = ""

    def judge(self, measure: Measure) -> str:
        """Tell whether the part holds: `HOLDS`, `HOLDS_NOT` or `OPEN`.

        The value of the log as it is, as the papers measure it, counts where it lies outside the interval of the runs.
        """
        low, high = min(measure.low, measure.value), max(measure.high, measure.value)
        if low > self.above and high < self.below:
            return HOLDS
        return HOLDS_NOT if high < self.above or low > self.below else OPEN

    def at(self, place: float) -> "Criterion":
        """Move the bound to a place; of two bounds both, to so far from their middle."""
        if not np.isfinite(self.below):
            return replace(self, above=float(place))
        if not np.isfinite(self.above):
            return replace(self, below=float(place))
        return replace(self, above=float(self.middle - place), below=float(self.middle + place))

    def place(self, number: float) -> float:
        """Where the bound lies if a number is on it, as `at` takes it."""
        if not (np.isfinite(self.above) and np.isfinite(self.below)):
            return number
        return abs(number - self.middle)

    @property
    def bounds(self) -> tuple[float, float, str]:
        """The bounds, and how they are written: of parts that have the same, one word is read."""
        return self.above, self.below, self.form

    @property
    def middle(self) -> float:
        """Between two bounds."""
        return (self.above + self.below) / 2

    @property
    def demand(self) -> str:
        """The bounds in words, such as "above 0.5"."""
        bounds = {"above": self.above, "below": self.below}
        said = [f"{name} {self.said(bound)}" for name, bound in bounds.items() if np.isfinite(bound)]
        return " and ".join(said)

    def said(self, bound: float) -> str:
        """A bound in three digits, such as "50%"."""
        return (
            f"{100 * bound:.3g}%" if self.form.endswith("%") else f"{bound:.3g}"
        )  # "below 0.5" of jobs, which are whole


# The tables


@cache
def claims() -> dict[str, dict[str, str]]:
    """Read the papers' claims and our own findings: by id, rows of `claims.csv` and `findings.csv`."""
    return {row["id"]: row for name in ("claims", "findings") for row in _rows(f"claims/{name}")}


@cache
def criteria() -> dict[str, dict[str, Criterion]]:
    """Read what must hold: by claim, a dict by part of `Criterion`."""
    by_claim: dict[str, dict[str, Criterion]] = {}
    for row in _rows("claims/criteria"):
        above, below = float(row["above"] or -np.inf), float(row["below"] or np.inf)
        headline = row["weight"] == "headline"
        said = row["form"], row["why"], row["known"]
        one = Criterion(row["claim"], row["part"], row["measure"], above, below, headline, *said)
        by_claim.setdefault(one.claim, {})[one.part] = one
    return by_claim


def _rows(name: str) -> list[dict[str, str]]:
    with open(paths.DATA / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def untestable() -> dict[str, dict[str, Any]]:
    """Make the records of the claims that no exhibit can test, each with the reason, by id."""
    return {id: withdrawn(row, row["untestable"]) for id, row in claims().items() if row.get("untestable")}


def on_refit(id: str) -> str:
    """Say which of this study's refits a claim rests on, such as "on our refit of Jann '97"; nothing where on none."""
    models = claims().get(id, {}).get("rests_on") or ""
    return f"on our refit{'s' if ' and ' in models else ''} of {models}" if models else ""


def findings() -> list[str]:
    """List what the study found itself, by id."""
    return [id for id, row in claims().items() if row["paper"] == "own"]


# Verdicts

Readings = Mapping[str, Mapping[str, Any] | None]
"""By reading and part a `Measure`, or a dict of them by what it was measured on."""

Records = Sequence[dict[str, Any]]
"""What was measured of a claim's parts, as it is recorded."""


def decide(id: str, readings: Readings, note: str = "") -> dict[str, Any]:
    """Make the record of the verdict on a claim."""
    known = criteria()[id]
    judged: dict[str, dict[str, Any]] = {}
    of_text = readings.get(TEXT) or {}
    like_these = {part: getattr(one, "like_these", None) for part, one in of_text.items()}
    if like_these and None not in like_these.values():
        readings = {**readings, LIKE_THESE: like_these}
    for reading, parts in readings.items():
        parts = parts or {}
        missing = set() if reading == PRINTED or not parts else set(known) - set(parts)
        if wrong := [*sorted(missing), *sorted(set(parts) - set(known))]:
            names = f"found or missed {', '.join(wrong)}, expected the parts {', '.join(known)}"
            raise ValueError(f"{id}, {reading}: {names} of data/claims/criteria.csv")
        records: list[dict[str, Any]] = []
        for part, measured in parts.items():
            on_each = {"": measured} if isinstance(measured, Measure) else measured or {}
            records += [_judged(known[part], on, measure) for on, measure in on_each.items()]
        if records:
            judged[reading] = {"verdict": add_up(id, records), "counts": counts(records), "parts": records}
    text = judged.get(TEXT, {"verdict": UNTESTED})
    evidence = "\n".join(filter(None, [*(_evidence(id, *one) for one in judged.items()), note]))
    record = {
        "id": id,
        "claim": claims()[id]["claim"],
        "verdict": text["verdict"],
        "readings": judged,
        "evidence": evidence or "the study does not have the logs that the claim speaks of",
    }
    if TEXT in judged:
        record["deciding"] = deciding(id, text["parts"])
        record["turns"] = turns(id, text["parts"])
    return record


def withdrawn(claim: Mapping[str, Any], why: str) -> dict[str, Any]:
    """Take a verdict back, where what it rests on only stands in for a log."""
    kept = {name: claim[name] for name in ("id", "claim", "numbers") if name in claim}
    return kept | {"verdict": UNTESTED, "readings": {}, "evidence": why}


def _judged(criterion: Criterion, on: str, measure: Measure) -> dict[str, Any]:
    """The record of one part, measured on one log or the like; `sees` is the smallest effect that it could show."""
    known = {"value": measure.value, "low": measure.low, "high": measure.high}
    judged = {"verdict": criterion.judge(measure), "sees": (measure.high - measure.low) / 2}
    return {"part": criterion.part, "on": on} | known | judged


def _said(parts: Records) -> list[Any]:
    """Those measurements that have a say: a part where there was nothing to compare has none, if it was elsewhere."""
    measured = {one["part"] for one in parts if one["value"] == one["value"]}
    return [one for one in parts if one["value"] == one["value"] or one["part"] not in measured]


def _by_part(parts: Records) -> dict[str, list[Any]]:
    """The measurements of each part."""
    by_part: dict[str, list[Any]] = {}
    for one in parts:
        by_part.setdefault(one["part"], []).append(one)
    return by_part


def counts(parts: Records) -> dict[str, int]:
    """Count the measurements of a claim's parts: how many are shown, open and contradicted."""
    verdicts = Counter(one["verdict"] for one in _said(parts))
    return {name: verdicts[verdict] for verdict, name in COUNTS.items()}


def add_up(id: str, parts: Records) -> str:
    """Make one word of the verdicts on the parts of a claim, of all measurements (`docs/background/verdicts.md`)."""
    shares: dict[bool, list[dict[str, float]]] = {True: [], False: []}  # of the headlines, and of the other parts
    for part, of in _by_part(_said(parts)).items():
        verdicts = [one["verdict"] for one in of]
        shares[criteria()[id][part].headline].append({each: verdicts.count(each) / len(of) for each in COUNTS})
    groups = [pd.DataFrame(group).mean() for group in shares.values() if group]

    def refuted(share: pd.Series) -> bool:
        return share[HOLDS_NOT] >= MOST and share[HOLDS] <= FEW

    mean: Any = sum(groups) / len(groups)
    if refuted(mean) or (shares[True] and refuted(groups[0])):
        return NOT
    if mean[HOLDS] >= MOST and mean[HOLDS_NOT] <= FEW:
        return REPRODUCED
    return PARTLY if min(mean[HOLDS], mean[HOLDS_NOT]) > FEW else INCONCLUSIVE


TINY = 1e-9
"""How far beyond a measurement's end a bound is moved, to see what holds there."""


def turns(id: str, parts: Records) -> dict[str, dict[str, Any]]:
    """Find where the verdict on a claim turns, if the bound of the part that decides is moved.

    Parts with the same bound, which reads the same word, move with it; all others stay.

    By "stricter" and "looser", where it turns so: `above` and `below`, the bounds there, and the `verdict` beyond them.
    """
    of_part = deciding(id, parts)
    if of_part is None:
        return {}
    known = criteria()[id][of_part["part"]]
    moving = {part for part, one in criteria()[id].items() if one.bounds == known.bounds}
    ends = [of[end] for of in parts if of["part"] in moving for end in ("low", "value", "high") if of[end] is not None]
    places = sorted({known.place(end) for end in ends if np.isfinite(end)})
    now, word = known.place(known.below if np.isfinite(known.below) else known.above), add_up(id, parts)
    looser_is_up = np.isfinite(known.below)
    turning = {}
    for name, up in (("stricter", not looser_is_up), ("looser", looser_is_up)):
        ahead = places if up else places[::-1]
        for place in (place for place in ahead if (place >= now if up else place <= now)):
            moved = known.at(place + (TINY if up else -TINY) * max(1.0, abs(place)))
            again = [of | {"verdict": moved.judge(_measure_of(of))} if of["part"] in moving else of for of in parts]
            if (then := add_up(id, again)) != word:
                bounds = known.at(place)
                turning[name] = {"above": bounds.above, "below": bounds.below, "verdict": then}
                break
    return turning


def _measure_of(part: Mapping[str, Any]) -> Measure:
    """The measurement that a record has of a part."""
    value, low, high = (np.nan if part[end] is None else part[end] for end in ("value", "low", "high"))
    return Measure(value, low, high)


def deciding(id: str, parts: Records) -> dict[str, Any] | None:
    """Take the measurement that tells most: of the headline, or else the first part; the median of several."""
    said = [one for one in _said(parts) if one["value"] == one["value"]]
    said = [one for one in said if criteria()[id][one["part"]].headline] or said
    of_part = sorted((one for one in said if one["part"] == said[0]["part"]), key=lambda one: one["value"])
    return of_part[(len(of_part) - 1) // 2] if of_part else None


def powers(claim: Mapping[str, Any]) -> dict[str, str]:
    """Say for each part of a recorded claim, by the text, how large a difference from its bounds would show.

    That is half the width of the interval, the median where a part was measured on several things. There is none where
    nothing depends on chance.
    """
    parts = claim.get("readings", {}).get(TEXT, {"parts": []})["parts"]
    seen = _by_part([one for one in parts if one["sees"]])
    forms = {part: criteria()[claim["id"]][part].form.lstrip("+") for part in seen}
    return {part: format(statistics.median(one["sees"] for one in of), forms[part]) for part, of in seen.items()}


def _evidence(id: str, reading: str, judged: Mapping[str, Any]) -> str:
    """Say what was measured under a reading; of a part that was measured on many things, on how many it holds."""
    said = []
    for part, measured in _by_part(judged["parts"]).items():
        one, known = criteria()[id][part], [each for each in measured if each["value"] == each["value"]]
        if len(measured) <= MANY or not known:
            names = [f"{part}, {each['on']}" if each["on"] else part for each in measured]
            each = zip(names, measured, strict=True)
            said += [f"{name}: {number(of, one.form)}, {of['verdict']} ({one.demand})" for name, of in each]
            continue
        counts = Counter(each["verdict"] for each in known)
        verdicts = ", ".join(f"{verdict} on {counts[verdict]}" for verdict in COUNTS if counts[verdict])
        ends = " to ".join(format(end(each["value"] for each in known), one.form) for end in (min, max))
        apart = "".join(f"; on {each['on']} {number(each, one.form)}" for each in known if outside(each))
        said.append(f"{part} ({one.demand}) on {len(known)}, {ends}: {verdicts}{apart}")
    return f"{reading}: {'; '.join(said)}"


def number(one: Mapping[str, Any], form: str) -> str:
    """Write a measurement with its interval; a record has None for what is no number, and for an end that is none."""
    value, low, high = (one[name] for name in ("value", "low", "high"))
    if value is None or value != value:
        return "nothing to compare"
    if None in (low, high) or np.inf in (abs(low), abs(high)):
        return f"{value:{form}} (no ends)"
    if outside(one):
        return f"as it is {value:{form}}, in the runs {low:{form}} to {high:{form}}"
    return f"{value:{form}} ({low:{form}} to {high:{form}})" if low < high else f"{value:{form}}"


def outside(one: Mapping[str, Any]) -> bool:
    """Tell of a measurement whether the log as it is gives a number outside the interval of the other runs."""
    value, low, high = (one[name] for name in ("value", "low", "high"))
    return None not in (value, low, high) and low < high and not low <= value <= high


# What a notebook measures for a claim


class Claim(dict[str, Any]):
    """The record of a verdict on a claim, which is shown as text: the verdict, the claim, a line each reading."""

    def __repr__(self) -> str:
        """Write it out, wrapped."""
        return "\n".join([self.headline, *(f"       {_wrapped(line, '  ')}" for line in self["evidence"].split("\n"))])

    @property
    def headline(self) -> str:
        """The verdicts and the claim, without the measurements."""
        preview = "PREVIEW, " if self["evidence"].startswith("preview: ") else ""
        return f"{self['id']}  {_wrapped(': '.join([preview + _verdict(self), self['claim']]))}"


def claim(
    id: str,
    runs: Any,
    measure: Callable[[Any], Any],
    logs: Logs | None = None,
    needs: Iterable[str] = (),
    note: str = "",
) -> Claim:
    """Decide a claim by what is measured of runs under each reading.

    Parameters
    ----------
    id : str
        Of a row of `data/claims/claims.csv`; what must hold is in `criteria.csv`.
    runs : DataFrame, or dict
        By the rules of the text; or by reading, such as from `study.readings`. In a dict a list has what was drawn
        again and again for a reading: the claim is measured on each draw, and its parts are their medians and ranges.
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
    MF-36  REPRODUCED, shown 1, open 0, contradicted 0: Doubling user estimates in general improves
             performance
             text: improves: 100%, holds (above 50%)
    """
    logs = Logs({}) if logs is None else logs
    if why := "this is a log of one's own: nothing is claimed of it" if logs.own else running().undecided:
        return Claim(withdrawn(claims()[id], why))
    readings, lacking = {}, []
    for reading, of in (runs if isinstance(runs, dict) else {TEXT: runs}).items():
        draws = of if isinstance(of, list) else [of]
        known = [one for one in draws if one is not None and set(needs) <= (_names(one) if needs else set())]
        parts, missed = _unless_absent(lambda known=known: [_measured(measure(one)) for one in known], logs)
        if missed:
            lacking.append(f"{reading}: {missed}")
        else:
            readings[reading] = Measure.over(parts) if isinstance(of, list) else parts[0] if parts else None
    record = decide(id, readings, "\n".join(filter(None, [note, *lacking])))
    return _judged_claim(record, logs)


def _judged_claim(record: dict[str, Any], logs: Logs) -> Claim:
    """A claim or a finding, taken back where it rests on stand-ins, and marked where on other runs than the study's."""
    if logs.stand_in:
        return Claim(withdrawn(record, plots.SYNTHETIC))
    if record["verdict"] != UNTESTED:
        record["evidence"] = "\n".join(filter(None, [running().preview(logs), record["evidence"]]))
    return Claim(record)


def _unless_absent(measure: Callable[..., Any], logs: Logs) -> tuple[Any, str]:
    """What is measured, and ""; or None, and which log it misses, if that is absent: any other KeyError is a fault."""
    try:
        return measure(), ""
    except KeyError as error:
        key = error.args[0] if error.args else None
        if missed := running().absent(logs) & {*(key if isinstance(key, tuple) else (key,))}:
            return None, f"cannot be tested: found no {missed.pop()!r} among the logs"
        raise


def finding(
    id: str, holds: Any, evidence: str = "", numbers: Mapping[str, Any] | None = None, logs: Logs | None = None
) -> Claim:
    """Make the record of one of the study's own findings.

    `holds` is True, False, "cannot be decided", or None where it cannot be tested. A function in its place gives
    `holds`, evidence and numbers; if it misses a log that is not there, the record says so.

    Examples
    --------
    >>> finding("OWN-01", None, "no log is at hand")["verdict"]
    'cannot be tested'
    """
    logs = Logs({}) if logs is None else logs
    if why := running().undecided:
        return Claim(withdrawn(claims()[id], why))
    if callable(holds):
        measured, missed = _unless_absent(holds, logs)
        holds, evidence, numbers = measured or (None, missed, None)
    verdict = UNTESTED if holds is None else OPEN if holds == OPEN else HOLDS if holds else HOLDS_NOT
    record: dict[str, Any] = {"id": id, "claim": claims()[id]["claim"], "verdict": verdict, "evidence": evidence}
    record["numbers"] = numbers or {}
    return _judged_claim(record, logs)


def share(cases: pd.Series) -> Measure:
    """Measure the share of true values in a Series of bool by run and case, such as months.

    The share of these cases is the mean over the shaken runs, with their interval. The share of cases like these has
    the interval of as many independent cases in run 0, the log as it is (Clopper and Pearson).

    Examples
    --------
    >>> months = pd.Series([True, True, False, True]).set_axis(pd.Index([0, 0, 0, 0], name="run"))
    >>> print(share(months).value)
    0.75
    """
    by_run = cases.groupby("run").agg(["sum", "count", "mean"])
    if 0 not in by_run.index:
        return NOTHING
    like_these = Measure.share(by_run["sum"][0], by_run["count"][0])
    shaken = by_run["mean"].drop(0)
    these = Measure.range(shaken) if len(shaken) else Measure.exactly(like_these.value)
    return replace(these, like_these=like_these)


def _names(of: Any) -> set[str]:
    """The names of the logs that runs are of."""
    if isinstance(of, dict):
        return set(of)
    places = [of.index, of.columns] if isinstance(of, pd.DataFrame) else [of.index]
    return {name for place in places if "log" in place.names for name in place.unique("log")}


def _measured(value: Any) -> Any:
    """Make a `Measure` of a number or a Series by run, or of each of a dict."""
    if isinstance(value, dict):
        return {name: _measured(one) for name, one in value.items()}
    if isinstance(value, Measure) or value is None:
        return value
    if not isinstance(value, pd.Series):
        return Measure.exactly(value)
    if len(value) == 1:
        return Measure.exactly(value.iloc[0])
    return Measure.spread(value) if 0 in value.index else Measure.range(value)


def _verdict(record: Mapping[str, Any]) -> str:
    """The verdict by the text with its counts, and those of other readings."""
    others = {LIKELY: "likely program", RESTORED: "restored log", PRINTED: "as printed", LIKE_THESE: LIKE_THESE}
    readings = record.get("readings", {})
    counts = readings[TEXT]["counts"] if TEXT in readings else {}
    said = [f"{name}: {readings[key]['verdict']}" for key, name in others.items() if key in readings]
    verdict = " ".join(filter(None, [record["verdict"].upper(), on_refit(record["id"])]))
    words = ", ".join([verdict, *(f"{name} {count}" for name, count in counts.items())])
    return words + (f" ({'; '.join(said)})" if said else "")


def _wrapped(text: str, indent: str = "") -> str:
    return "\n       ".join(textwrap.wrap(text, 96, initial_indent=indent, subsequent_indent="  "))
