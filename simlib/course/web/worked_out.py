"""Work out beforehand what the checks of the lessons say: tables from answers to sentences, for pages without a kernel.

No check is written again: each sentence is the one that `simlib.course.lessons.verdict` gives for some answer. Numbers
that get the same sentence are kept as a range, and where only the number itself differs the sentence has a slot.
"""

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise, permutations, product
from typing import Any

from ..lessons import verdict

# Sentences with slots: what a check says of an answer, with the places where the answer itself stands.


class _Marked:
    """A number or a text that writes itself as a slot."""

    slot: str

    def __repr__(self) -> str:
        return f"⟦{self.slot}⟧"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        if spec not in ("", "g"):
            raise ValueError(
                f"{self.slot}: found the format {spec!r}, which simlib/course/web/exercise.js cannot write"
            )
        return f"⟦{self.slot} g⟧" if spec else repr(self)

    def __add__(self, other: Any) -> Any:
        plain = self.__class__.__bases__[1]
        return mark(plain(self) + plain(other), f"{self.slot} {other:+}")


class _Integer(_Marked, int):
    pass


class _Float(_Marked, float):
    pass


class _Text(_Marked, str):
    pass


def mark(value: int | float | str, name: str) -> Any:
    """Make a value that is what it was, and writes itself as a slot."""
    kind = _Text if isinstance(value, str) else _Integer if isinstance(value, int) else _Float
    marked = kind(value)
    marked.slot = name
    return marked


OUTSIDE = -1
"""In the place of a sentence: what has not been worked out."""

TEXT = "ten"
"""Stands for all that is not a number."""

Said = tuple[str, str]
"""A status and a sentence, which may have slots."""


class Sentences:
    """The sentences that an exercise needs, each kept once."""

    def __init__(self, number: str) -> None:
        self.number = number
        self.said: list[Said] = []

    def of(self, answer: Any) -> int:
        """Find the place of what the check says of an answer."""
        said = verdict(self.number, answer)
        return self.place((said.status, said.sentence))

    def place(self, said: Said) -> int:
        """Find the place of a sentence."""
        if said not in self.said:
            self.said.append(said)
        return self.said.index(said)


def typed(text: str) -> Any:
    """Read what was typed into a field for a number, as the page does: a number, or else the text itself."""
    text = text.strip()
    if not text:
        return ...
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        return text
    return plain(float(text))


def plain(value: float) -> int | float:
    """Write a number without a point where it has none, unless it is so large that it is not exact."""
    return int(value) if abs(value) < 1e15 and value == int(value) else value


# Numbers: each part of an answer has ranges, and the sentence depends on which ranges the parts are in.


def numbers(
    sentences: Sentences, samples: Mapping[str, Iterable[float]], answer: Callable[..., Any] = dict
) -> dict[str, Any]:
    """Work out an answer of one or more numbers."""
    names = list(samples)

    def said(values: Sequence[Any]) -> int:
        return sentences.of(answer(**{name: mark(value, name) for name, value in zip(names, values, strict=True)}))

    kinds: list[list[Any]] = [[TEXT, 7.123] for _ in names]  # a value for each column
    ranges: dict[str, Any] = {}
    before: list[int] = []
    while before != [len(of) for of in kinds]:
        before = [len(of) for of in kinds]
        for place, name in enumerate(names):
            others = list(product(*(kinds[:place] + kinds[place + 1 :])))

            def column(value: Any, place: int = place, others: Sequence[tuple[Any, ...]] = others) -> Hashable:
                return tuple(said([*other[:place], value, *other[place:]]) for other in others)

            ends, columns = cut(column, samples[name])
            shown = {TEXT: column(TEXT)} | {value: seen for value, seen in zip(ends, columns, strict=True)}
            distinct = list(dict.fromkeys([shown[TEXT], *columns]))
            kinds[place] = [next(value for value, seen in shown.items() if seen == of) for of in distinct]
            ranges[name] = [[end, distinct.index(seen)] for end, seen in zip(ends, columns, strict=True)]
    table = {}
    for places in product(*(range(len(of)) for of in kinds)):
        values = [kinds[part][place] for part, place in enumerate(places)]
        table[",".join(map(str, places))] = said(values)
    return {"kind": "numbers", "ranges": ranges, "table": table}


def cut(column: Callable[[Any], Hashable], samples: Iterable[float]) -> tuple[list[int | float], list[Hashable]]:
    """Cut the numbers into ranges in which `column` is the same: the last number of each, and its column."""
    greatest = 1.7976931348623157e308
    values = sorted({-greatest, *map(float, samples), greatest})
    seen: dict[float, Hashable] = {}

    def of(value: float) -> Hashable:
        if value not in seen:
            seen[value] = column(plain(value))
        return seen[value]

    ends: list[int | float] = []
    columns: list[Hashable] = []
    for low, high in pairwise(values):
        parts = [low, math.nextafter(low, high), math.nextafter(high, low), high]  # what holds for a number alone
        for left, right in pairwise(parts):
            if of(left) != of(right):
                ends.append(plain(_last(of, left, right)))
                columns.append(of(left))
    return [*ends, greatest], [*columns, of(greatest)]


def _last(of: Callable[[float], Hashable], low: float, high: float) -> float:
    """Find the last number that is as `low` is, where `high` is not."""
    while (middle := low / 2 + high / 2) not in (low, high) and math.nextafter(low, high) != high:
        low, high = (middle, high) if of(middle) == of(low) else (low, middle)
    return low


# Names of jobs in an order, and choices


def orders(sentences: Sentences, jobs: Sequence[str]) -> dict[str, Any]:
    """Work out an answer that is an order of jobs: each order, each lot of jobs left out, and unknown names."""
    every = {" ".join(order): sentences.of(list(order)) for order in permutations(jobs)}
    lots = [lot for count in range(1, len(jobs) + 1) for lot in combinations(jobs, count)]
    known = {lot: [job for job in jobs if job not in lot] for lot in lots}
    missing = {" ".join(lot): sentences.of(known[lot] or []) for lot in lots}
    twice = sentences.of([*jobs, jobs[0]])
    unknown = sentences.of([mark("?", "unknown")])
    return {"kind": "order", "jobs": list(jobs), "orders": every, "missing": {**missing, "": twice}, "unknown": unknown}


def choices(sentences: Sentences, parts: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """Work out an answer that chooses one of some words for each part."""
    every = product(words, repeat=len(parts))
    table = {",".join(chosen): sentences.of(dict(zip(parts, chosen, strict=True))) for chosen in every}
    return {"kind": "choices", "table": table}


# Tables of jobs: one column of numbers is worked out as ranges, for each combination of the others.

LINE = "line"
"""The name of the number that a line is worked out for."""


def line(sentences: Sentences, answer: Callable[[int], Any], starts: Sequence[int], last: int) -> list[list[int]]:
    """Work out an answer with one whole number, from 0 to `last`: the last number of each range, and its sentence."""
    seen: dict[int, Said] = {}

    def said(value: int) -> Said:
        if value not in seen:
            found = verdict(sentences.number, answer(value))
            seen[value] = (found.status, found.sentence)
        return seen[value]

    def ranges(low: int, high: int) -> list[list[Any]]:
        middle = (low + high) // 2
        inside = (low, middle, high)
        if (slotted := common({value: said(value) for value in inside})) is not None:
            return [[low, high, slotted]]
        return ranges(low, middle) + ranges(middle + 1, high)

    parts: list[list[Any]] = []
    for low, beyond in pairwise([*starts, last + 1]):
        for part in ranges(low, beyond - 1):
            if parts and (joined := common({v: said(v) for each in (parts[-1], part) for v in each[:2]})) is not None:
                parts[-1] = [parts[-1][0], part[1], joined]
            else:
                parts.append(part)
    return [[high, sentences.place(slotted)] for _, high, slotted in parts]


def common(said: Mapping[int, Said]) -> Said | None:
    """Find the sentence that says the same of several numbers, with slots where the number goes with the answer."""
    if len({status for status, _ in said.values()}) > 1:
        return None
    split = {value: re.split(r"(\d+)", sentence) for value, (_, sentence) in said.items()}
    first = next(iter(split))
    if len({tuple(parts[::2]) for parts in split.values()}) > 1:
        return None
    slotted = list(split[first])
    for place in range(1, len(slotted), 2):
        if len({parts[place] for parts in split.values()}) == 1:
            continue
        ahead = {int(parts[place]) - value for value, parts in split.items()}
        if len(ahead) > 1:
            return None
        by = ahead.pop()
        slotted[place] = f"⟦{LINE} {by:+}⟧" if by else f"⟦{LINE}⟧"
    return said[first][0], "".join(slotted)
