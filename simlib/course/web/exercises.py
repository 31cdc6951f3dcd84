"""Exercises of lessons 1 to 3 that are answered and checked on a page, without a kernel.

What the checks of the lessons say is worked out beforehand, as tables from answers to sentences. No check is written
again: each sentence is the one that `simlib.course.lessons.verdict` gives for some answer. Numbers that get the same
sentence are kept as a range, and where only the number itself differs the sentence has a slot.
"""

import base64
import json
import math
import re
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from html import escape
from itertools import combinations, pairwise, permutations, product
from typing import Any, NamedTuple

from ...core.workload import Workload
from ..answers import FIELDS, LONGEST, NotYet, number
from ..lessons import lesson1, lesson2, verdict
from . import asset

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
    if text.strip() in ("", "..."):
        return ...
    try:
        return plain(float(number(text)))
    except NotYet:
        return text.strip()


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
                columns.append(of(left))
                while (middle := left / 2 + right / 2) not in (left, right) and math.nextafter(left, right) != right:
                    left, right = (middle, right) if of(middle) == of(left) else (left, middle)
                ends.append(plain(left))
    return [*ends, greatest], [*columns, of(greatest)]


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


def choices(
    sentences: Sentences, parts: Sequence[str], words: Sequence[str], answer: Callable[..., Any] = dict
) -> dict[str, Any]:
    """Work out an answer that chooses one of some words for each part."""
    every = product(words, repeat=len(parts))
    table = {"|".join(chosen): sentences.of(answer(**dict(zip(parts, chosen, strict=True)))) for chosen in every}
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


# What the exercises of lessons 1 to 3 ask for on a page: their fields, and their answers as they are worked out.


Table = dict[str, list[Any]]
"""Jobs as they are typed: by name submit, run, processors and estimate."""


class Field(NamedTuple):
    """A field of a form: its name, what is written before and behind it, what stands in it, and what may be chosen."""

    name: str
    label: str
    unit: str = ""
    given: str = ""
    choices: tuple[str, ...] = ()
    wide: bool = False


class Asked(NamedTuple):
    """An exercise on a page: its fields, what is worked out for them, and a sentence above them, if need be."""

    fields: list[Field]
    data: Callable[[Sentences], dict[str, Any]]
    note: str = ""


def asked() -> dict[str, Asked]:
    """List the exercises that a page can check."""
    whole = range(-2, 161)
    fine = [step / 200 for step in range(-40, 2401)]
    comes = "comes at {submit}, size {procs}, estimate {estimate}".format
    four = {job: comes(**lesson2.queue().jobs.loc[job]) for job in "CDEF"}
    return {
        "1.1": _numbers({"start": ("Job C starts at", "s"), "free": ("Free when it arrives", "processors")}, whole),
        "1.2": _numbers({"share": ("Utilisation", "a share")}, fine, lambda share: share),
        "1.3": Asked(
            [Field("order", "Order of arrival", "all five, such as Q P R S T", wide=True)],
            lambda sentences: orders(sentences, list(lesson1.bag().jobs.index)),
        ),
        "1.4": Asked(_machine(), emptiness, "Three numbers of the table can be changed here; job C stays as it is."),
        "2.1": _numbers({"shadow": ("Shadow time", "s"), "extra": ("Extra", "processors")}, whole),
        "2.2": Asked(
            [Field(job, f"Job {job}", text, choices=tuple(lesson2.WAYS)) for job, text in four.items()],
            lambda sentences: choices(sentences, list(four), list(lesson2.WAYS)),
        ),
        "2.3": Asked(_backfill(*FIELDS), delay),
        "2.4": _chosen("rule", "def may_backfill(now, procs, estimate, free, shadow, extra):", RULES, rule),
        "3.1": _numbers({"second": ("second, from", "s"), "third": ("third, from", "s")}, whole),
        "3.2": Asked(_backfill("run", "estimate"), longest),
        "3.3": _numbers({"first": ("first starts at", "s"), "second": ("second starts at", "s")}, whole),
        "3.4": _chosen("count", "def late(jobs):", COUNTS, counted),
    }


def _numbers(
    parts: Mapping[str, tuple[str, str]], samples: Iterable[float], answer: Callable[..., Any] = dict
) -> Asked:
    fields = [Field(name, label, unit) for name, (label, unit) in parts.items()]
    return Asked(fields, lambda sentences: numbers(sentences, dict.fromkeys(parts, samples), answer))


RULES = (
    "procs <= free",
    "procs <= free and now + estimate <= shadow",
    "procs <= free and procs <= extra",
    "procs <= free and now + estimate <= shadow or procs <= extra",
    "procs <= free and (estimate <= shadow or procs <= extra)",
    "procs <= free and (now + estimate < shadow or procs <= extra)",
    "procs <= free and (now + estimate <= shadow or procs <= extra)",
    "procs <= free and (now + estimate <= shadow and procs <= extra)",
)
"""The lines that a page offers for 2.4. In JupyterLab students write their own."""

COUNTS = (
    "jobs.start > jobs.guarantee",
    "(jobs.start != jobs.guarantee).sum()",
    "(jobs.start >= jobs.guarantee).sum()",
    "(jobs.start > jobs.guarantee).sum()",
    "(jobs.start < jobs.guarantee).sum()",
)
"""The lines that a page offers for 3.4."""


def _chosen(name: str, label: str, lines: Sequence[str], answer: Callable[..., Any]) -> Asked:
    """Ask for one of some lines of Python."""
    fields = [Field(name, f"{label}  return", choices=tuple(lines), wide=True)]
    return Asked(fields, lambda sentences: choices(sentences, [name], lines, answer), NOTE)


NOTE = "Choose the line. In JupyterLab you write it yourself."


def rule(rule: str) -> Callable[..., bool]:
    """Make a function of a line for 2.4."""
    return eval(f"lambda {', '.join(lesson2.VALUES)}: {rule}")


def counted(count: str) -> Callable[..., Any]:
    """Make a function of a line for 3.4."""
    return eval(f"lambda jobs: {count}")


# Tables of jobs


def as_typed(workload: Workload) -> Table:
    """Write the jobs of a workload as they stand in an editor."""
    columns = workload.jobs[list(FIELDS)]
    return {str(job): row for job, row in zip(columns.index, columns.to_numpy().tolist(), strict=True)}


def filled(number: str, fields: Mapping[str, Any]) -> Table:
    """Put what was typed into the fields of an exercise into its table of jobs."""
    if number == "1.4":  # the estimate, which FCFS does not look at, goes with the run time
        jobs = as_typed(lesson1.packed())
        jobs["A"] = [jobs["A"][0], fields["A run"], fields["A procs"], fields["A run"]]
        jobs["B"][2] = fields["B procs"]
        return jobs
    jobs = as_typed(lesson2.passing())
    row = dict(zip(FIELDS, jobs["backfill"], strict=True)) | dict(fields)
    return jobs | {"backfill": list(row.values())}


def _machine() -> list[Field]:
    jobs = lesson1.packed().jobs
    return [
        Field("A run", "Job A: run time", "s", str(jobs.run["A"])),
        Field("A procs", "Job A: size", "processors", str(jobs.procs["A"])),
        Field("B procs", "Job B: size", "processors", str(jobs.procs["B"])),
    ]


def _backfill(*names: str) -> list[Field]:
    its = lesson2.passing().jobs.loc["backfill"]
    labels = {"submit": "Arrives at", "run": "Run time", "procs": "Size", "estimate": "Estimate"}
    return [Field(name, labels[name], "processors" if name == "procs" else "s", str(its[name])) for name in names]


def emptiness(sentences: Sentences) -> dict[str, Any]:
    """Work out 1.4 for each size of jobs A and B."""

    def answer(of_a: int, of_b: int) -> Callable[[int], Table]:
        return lambda run: filled("1.4", {"A run": run, "A procs": of_a, "B procs": of_b})

    sizes = range(1, lesson1.packed().procs + 1)
    starts = [0, 30, 31, 100]
    lines = {f"{a},{b}": line(sentences, answer(a, b), starts, LONGEST) for a, b in product(sizes, sizes)}
    return _table(sentences, "1.4", _machine(), lines, "A run", ["A procs", "B procs"])


def delay(sentences: Sentences) -> dict[str, Any]:
    """Work out 2.3 for each size of the job, and the times at which it may come."""

    def answer(submit: int, procs: int) -> Callable[[int], Table]:
        return lambda run: filled("2.3", {"submit": submit, "run": run, "procs": procs, "estimate": run})

    cases = [*product(range(26), range(1, lesson2.passing().procs + 1))]
    starts = [0, 12, 30, 31, 200]  # 30 s are given: with them nothing was answered
    lines = {f"{at},{size}": line(sentences, answer(at, size), starts, LONGEST) for at, size in cases}
    return _table(sentences, "2.3", _backfill(*FIELDS), lines, "run", ["submit", "procs"])


def longest(sentences: Sentences) -> dict[str, Any]:
    """Work out 3.2 for each run time."""

    def answer(run: int) -> Table:
        return filled("3.2", {"run": run, "estimate": run})

    lines = {"": line(sentences, answer, [0, *range(1, 41), 100], LONGEST)}
    return _table(sentences, "3.2", _backfill("run", "estimate"), lines, "run", [])


def _table(
    sentences: Sentences,
    number: str,
    fields: list[Field],
    lines: Mapping[str, list[list[int]]],
    along: str,
    others: list[str],
) -> dict[str, Any]:
    """Put a table together, with what the check says of each field that has no whole number, and of other estimates."""
    given = {field.name: field.given for field in fields}
    machine = (lesson1.packed() if number == "1.4" else lesson2.passing()).procs
    limits = {name: [1, int(machine)] if "procs" in name else [0, LONGEST] for name in given}  # asked in this order
    wrong = {name: sentences.of(filled(number, given | {name: mark("ten", name)})) for name in given}
    data: dict[str, Any] = {
        "kind": "table",
        "lines": lines,
        "along": along,
        "others": others,
        "limits": limits,
        "wrong": wrong,
    }
    if "estimate" in given:
        run, estimate = 717_171, 818_181  # such as no sentence has
        status, text = verdict(number, filled(number, given | {"run": str(run), "estimate": str(estimate)}))
        text = text.replace(str(run), "⟦run⟧").replace(str(estimate), "⟦estimate⟧")
        data["same"] = [["run", "estimate"], sentences.place((status, text))]
    return data


SAID = (
    '<p role="status" aria-live="polite"></p>'
    "<noscript><p>Answers are checked by a script, which your browser does not run.</p></noscript>"
)
"""Where the verdict will stand."""


def exercise_html(number: str, solution: str = "", assets: bool = True) -> str:
    """Make a piece of HTML in which an exercise is answered: its fields, a button, and what the check says.

    What the check says was worked out beforehand, and stands packed in the piece, so that nobody reads an answer by
    chance.
    """
    its = asked()[number]
    fields = "".join(_field(field) for field in its.fields)
    note = f"<p>{escape(its.note)}</p>" if its.note else ""
    more = f'<p class="se-more"><a href="{escape(solution)}">Solution</a></p>' if solution else ""
    head = (
        f'<simlib-exercise class="simlib-exercise" data-number="{number}" role="group" aria-label="Exercise {number}">'
    )
    form = f'<form autocomplete="off">{fields}<button disabled>Check</button></form>'
    data = f'<script type="text/plain">{packed(worked_out_data(number, its))}</script>'
    piece = f"{head}{note}{form}{SAID}{more}{data}</simlib-exercise>\n"
    if not assets:
        return piece
    return f"<style>{asset('exercise.css')}</style>\n{piece}<script>{asset('exercise.js')}</script>\n"


def worked_out_data(number: str, its: Asked) -> dict[str, object]:
    """Work out all that a page needs to check an exercise."""
    sentences = Sentences(number)
    data = its.data(sentences)
    return {**data, "said": sentences.said, "waiting": verdict(number, ...).sentence}


def packed(data: object) -> str:
    """Pack data into letters that nobody reads by chance."""
    return base64.b64encode(zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)).decode()


def _field(field: Field) -> str:
    """Write a field with its label."""
    looks = "se-wide" * field.wide + " se-code" * field.label.startswith("def ")
    name, small = escape(field.name), f"<small>{escape(field.unit)}</small>" if field.unit else ""
    if field.choices:
        options = "".join(f"<option>{escape(choice)}</option>" for choice in ("", *field.choices))
        control = f'<select name="{name}">{options}</select>'
    else:
        keys = ' spellcheck="false" autocapitalize="off"' if field.wide else ' inputmode="decimal"'
        control = f'<input name="{name}" value="{escape(field.given)}"{keys}>'
    return f'<label class="{looks.strip()}"><span>{escape(field.label)} {small}</span>{control}</label>'
