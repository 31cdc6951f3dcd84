"""Exercises of lessons 1 to 3 that are answered and checked on a page, without a kernel.

Tables from answers to the sentences of the checks are made beforehand. No check is written again: each sentence is
the one that `simlib_course.lessons.verdict` gives for some answer. Numbers that get the same sentence are kept as a
range, and where only the number itself differs the sentence has a slot.
"""

import base64
import json
import math
import re
import sys
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from itertools import combinations, pairwise, permutations, product, zip_longest
from typing import Any, NamedTuple

from simlib.core.workload import Workload

from ..answers import FIELDS, LONGEST, in_rows
from ..lessons import Verdict, lesson1, lesson2, verdict
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
                f"{self.slot}: found the format {spec!r}, which simlib_course/web/exercise.js cannot write"
            )
        return f"⟦{self.slot} g⟧" if spec else repr(self)

    def __add__(self, other: Any) -> Any:
        plain = self.__class__.__bases__[1]
        return mark(plain(self) + plain(other), f"{self.slot} {other:+}")


def mark(value: int | float | str, name: str) -> Any:
    """Make a value that is what it was, and writes itself as a slot."""
    return type("_Slot", (_Marked, type(value)), {"slot": name})(value)


class Sentences(list[Verdict]):
    """What the check of an exercise says, each sentence once."""

    def __init__(self, number: str) -> None:
        super().__init__()
        self.number = number

    def of(self, answer: Any) -> int:
        """Find the place of what the check says of an answer."""
        return self.place(verdict(self.number, answer))

    def place(self, said: Verdict) -> int:
        """Find the place of a sentence."""
        if said not in self:
            self.append(said)
        return self.index(said)


# Numbers: each part of an answer has ranges, and the sentence depends on which ranges the parts are in.

TEXT = "ten"
"""Stands for all that is not a number."""


def numbers(sentences: Sentences, names: Sequence[str], samples: Iterable[float]) -> dict[str, Any]:
    """Work out an answer of one number, or of several with names."""

    def said(values: Iterable[Any]) -> int:
        parts = {name: mark(value, name) for name, value in zip(names, values, strict=True)}
        return sentences.of(parts if len(parts) > 1 else parts[names[0]])

    kinds: list[list[Any]] = [[TEXT, 7.123] for _ in names]  # a value for each column
    ranges: dict[str, Any] = {}
    before: list[int] = []
    while before != [len(of) for of in kinds]:
        before = [len(of) for of in kinds]
        for place, name in enumerate(names):

            def column(value: Any, place: int = place) -> Hashable:
                return tuple(map(said, product(*kinds[:place], [value], *kinds[place + 1 :])))

            shown = {TEXT: column(TEXT)} | cut(column, samples)
            distinct = list(dict.fromkeys(shown.values()))
            kinds[place] = [next(value for value, seen in shown.items() if seen == of) for of in distinct]
            ranges[name] = [[end, distinct.index(seen)] for end, seen in shown.items() if end != TEXT]
    cells = product(*map(enumerate, kinds))
    table = {",".join(str(place) for place, _ in cell): said(value for _, value in cell) for cell in cells}
    return {"kind": "numbers", "ranges": ranges, "table": table}


def cut(column: Callable[[Any], Hashable], samples: Iterable[float]) -> dict[Any, Hashable]:
    """Cut the numbers into ranges in which `column` is the same: by the last number of each its column."""
    of = cache(lambda value: column(_plain(value)))
    most = sys.float_info.max
    values = [-most, *map(float, samples), most]
    near = {math.nextafter(value, end) for value in values for end in (-most, most)}  # what holds for a number alone
    ends = []
    for left, right in pairwise(sorted({*values, *near})):
        if of(left) != of(right):
            while (middle := left / 2 + right / 2) not in (left, right):
                left, right = (middle, right) if of(middle) == of(left) else (left, middle)
            ends.append(_plain(left))
    return {end: of(end) for end in [*ends, most]}


def _plain(value: float) -> int | float:
    """Write a number without a point where it has none, unless it is so large that it is not exact."""
    return int(value) if abs(value) < 1e15 and value == int(value) else value


# Names of jobs in an order, and choices


def orders(sentences: Sentences, jobs: list[str]) -> dict[str, Any]:
    """Work out an answer that is an order of jobs: each order, each lot of jobs left out, and unknown names."""
    every = {" ".join(order): sentences.of(list(order)) for order in permutations(jobs)}
    lots = [lot for count in range(1, len(jobs) + 1) for lot in combinations(jobs, count)]
    missing = {" ".join(lot): sentences.of([job for job in jobs if job not in lot]) for lot in lots}
    missing[""] = sentences.of([*jobs, jobs[0]])
    unknown = sentences.of([mark("?", "unknown")])
    return {"kind": "order", "jobs": jobs, "orders": every, "missing": missing, "unknown": unknown}


def choices(sentences: Sentences, count: int, words: Iterable[str], answer: Callable[..., Any]) -> dict[str, Any]:
    """Work out an answer that is made of so many chosen words."""
    table = {"|".join(chosen): sentences.of(answer(*chosen)) for chosen in product(words, repeat=count)}
    return {"kind": "choices", "table": table}


# Tables of jobs: one number is worked out as ranges, for each combination of the others.


def line(sentences: Sentences, answer: Callable[[int], Any], starts: Sequence[int], last: int) -> list[list[int]]:
    """Work out an answer with one whole number, from 0 to `last`: the last number of each range, and its sentence."""
    said = cache(lambda value: verdict(sentences.number, answer(value)))

    def ranges(low: int, high: int) -> list[tuple[int, int, Verdict]]:
        middle = (low + high) // 2
        if slotted := common({value: said(value) for value in (low, middle, high)}):
            return [(low, high, slotted)]
        return ranges(low, middle) + ranges(middle + 1, high)

    parts: list[tuple[int, int, Verdict]] = []
    for low, beyond in pairwise([*starts, last + 1]):
        for part in ranges(low, beyond - 1):
            if parts and (joined := common({v: said(v) for each in (parts[-1], part) for v in each[:2]})):
                part = parts.pop()[0], part[1], joined
            parts.append(part)
    return [[high, sentences.place(slotted)] for _, high, slotted in parts]


def common(said: Mapping[int, Verdict]) -> Verdict | None:
    """Find the sentence that says the same of several numbers, with slots where the number goes with the answer."""
    slotted = []
    for texts in zip_longest(*((status, *re.split(r"(\d+)", sentence)) for status, sentence in said.values())):
        text = texts[0]
        if len(set(texts)) > 1:
            if not all(text and text.isdecimal() for text in texts):
                return None
            ahead = {int(text) - value for text, value in zip(texts, said, strict=True)}
            if len(ahead) > 1:
                return None
            by = ahead.pop()
            text = f"⟦line {by:+}⟧" if by else "⟦line⟧"
        slotted.append(text)
    return Verdict(slotted[0], "".join(slotted[1:]))


def table(
    sentences: Sentences, given: Mapping[str, str], along: str, others: Mapping[str, range], starts: Sequence[int]
) -> dict[str, Any]:
    """Work out a table of jobs along one of its numbers, for all values of the others; estimates are exact."""
    number, procs = sentences.number, as_given(sentences.number).procs
    lines = {}
    for values in product(*others.values()):

        def answer(value: int, fixed: Iterable[int] = values) -> dict[str, list[Any]]:
            exact = {name: value for name in (along, "estimate") if name in given}
            return filled(number, dict(zip(others, fixed, strict=True)) | exact)

        lines[",".join(map(str, values))] = line(sentences, answer, starts, LONGEST)
    limits = {name: [1, int(procs)] if "procs" in name else [0, LONGEST] for name in given}  # asked in this order
    wrong = {name: sentences.of(filled(number, {**given, name: mark("ten", name)})) for name in given}
    data: dict[str, Any] = {
        "kind": "table",
        "lines": lines,
        "along": along,
        "others": list(others),
        "limits": limits,
        "wrong": wrong,
    }
    if "estimate" in given:
        run, estimate = 717_171, 818_181  # such as no sentence has
        status, text = verdict(number, filled(number, {**given, "run": run, "estimate": estimate}))
        text = text.replace(str(run), "⟦run⟧").replace(str(estimate), "⟦estimate⟧")
        data["same"] = [["run", "estimate"], sentences.place(Verdict(status, text))]
    return data


def filled(number: str, fields: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Put values of fields, such as "A run" or "run", into the table of an exercise: by job its four numbers."""
    jobs = {job: dict(zip(FIELDS, row, strict=True)) for job, row in in_rows(as_given(number)).items()}
    for name, value in fields.items():
        job, _, field = name.rpartition(" ")
        jobs[job or "backfill"][field] = value
    if number == "1.4":  # the estimate, which FCFS does not look at, goes with the run time
        jobs["A"]["estimate"] = fields["A run"]
    return {str(job): list(row.values()) for job, row in jobs.items()}


def as_given(number: str) -> Workload:
    """Give the jobs of an exercise whose answer is a table."""
    return lesson1.packed() if number == "1.4" else lesson2.passing()


# What the exercises of lessons 1 to 3 ask for on a page: their fields, and their answers as they are worked out.


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
    sizes, few = range(1, lesson1.packed().procs + 1), range(1, lesson2.passing().procs + 1)
    machine = {"A run": ("Job A: run time", "s")} | {f"{job} procs": (f"Job {job}: size", "processors") for job in "AB"}
    length = {"run": ("Run time", "s"), "estimate": ("Estimate", "s")}
    backfill = {"submit": ("Arrives at", "s"), "run": length["run"], "procs": ("Size", "processors"), **length}
    starts = [0, 12, 30, 31, 200]  # 30 s are given: with them nothing was answered
    note = "Three numbers of the table can be changed here; job C stays as it is."
    return {
        "1.1": _numbers({"start": ("Job C starts at", "s"), "free": ("Free when it arrives", "processors")}, whole),
        "1.2": _numbers({"share": ("Utilisation", "a share")}, fine),
        "1.3": Asked(
            [Field("order", "Order of arrival", "all five, such as Q P R S T", wide=True)],
            lambda sentences: orders(sentences, list(lesson1.bag().jobs.index)),
        ),
        "1.4": _table("1.4", machine, "A run", {"A procs": sizes, "B procs": sizes}, [0, 30, 31, 100])._replace(
            note=note
        ),
        "2.1": _numbers({"shadow": ("Shadow time", "s"), "extra": ("Extra", "processors")}, whole),
        "2.2": Asked(
            [Field(job, f"Job {job}", text, choices=tuple(lesson2.WAYS)) for job, text in four.items()],
            lambda sentences: choices(sentences, 4, lesson2.WAYS, lambda *ways: dict(zip(four, ways, strict=True))),
        ),
        "2.3": _table("2.3", backfill, "run", {"submit": range(26), "procs": few}, starts),
        "2.4": _chosen("rule", "may_backfill", lesson2.VALUES, RULES),
        "3.1": _numbers({"second": ("second, from", "s"), "third": ("third, from", "s")}, whole),
        "3.2": _table("3.2", length, "run", {}, [0, *range(1, 41), 100]),
        "3.3": _numbers({"first": ("first starts at", "s"), "second": ("second starts at", "s")}, whole),
        "3.4": _chosen("count", "late", ["jobs"], COUNTS),
    }


def _numbers(labels: Mapping[str, tuple[str, str]], samples: Iterable[float]) -> Asked:
    """Ask for numbers: by the name of a field what is written before and behind it."""
    fields = [Field(name, label, unit) for name, (label, unit) in labels.items()]
    return Asked(fields, lambda sentences: numbers(sentences, list(labels), samples))


def _table(
    number: str, labels: Mapping[str, tuple[str, str]], along: str, others: Mapping[str, range], starts: Sequence[int]
) -> Asked:
    """Ask for some of the numbers in a table of jobs."""
    jobs = as_given(number).jobs
    places = {name: name.rpartition(" ") for name in labels}
    given = {name: str(jobs.loc[job or "backfill", field]) for name, (job, _, field) in places.items()}
    fields = [Field(name, label, unit, given[name]) for name, (label, unit) in labels.items()]
    return Asked(fields, lambda sentences: table(sentences, given, along, others, starts))


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


def _chosen(name: str, called: str, parameters: Iterable[str], lines: tuple[str, ...]) -> Asked:
    """Ask for one of some lines of Python, which a function returns."""
    label = f"def {called}({', '.join(parameters)}):  return"
    return Asked(
        [Field(name, label, choices=lines, wide=True)],
        lambda sentences: choices(sentences, 1, lines, lambda line: returning(parameters, line)),
        "Choose the line. In JupyterLab you write it yourself.",
    )


def returning(parameters: Iterable[str], line: str) -> Callable[..., Any]:
    """Make a function that returns what a line says."""
    return eval(f"lambda {', '.join(parameters)}: {line}")


# The piece of a page


def exercise_html(number: str, solution: str = "", assets: bool = True) -> str:
    """Make the form of an exercise as HTML, with the sentences of the check packed into it."""
    its = asked()[number]
    fields = "".join(map(_field, its.fields))
    note = f"<p>{escape(its.note)}</p>" if its.note else ""
    more = f'<p class="se-more"><a href="{escape(solution)}">Solution</a></p>' if solution else ""
    piece = (
        f'<simlib-exercise class="simlib-exercise" data-number="{number}" role="group" aria-label="Exercise {number}">'
        f'{note}<form autocomplete="off">{fields}<button disabled>Check</button></form>'
        '<p role="status" aria-live="polite"></p>'
        "<noscript><p>Answers are checked by a script, which your browser does not run.</p></noscript>"
        f'{more}<script type="text/plain">{packed(worked_out_data(number))}</script></simlib-exercise>\n'
    )
    if not assets:
        return piece
    return f"<style>{asset('exercise.css')}</style>\n{piece}<script>{asset('exercise.js')}</script>\n"


def worked_out_data(number: str) -> dict[str, object]:
    """Work out all that a page needs to check an exercise."""
    sentences = Sentences(number)
    data = asked()[number].data(sentences)
    return {**data, "said": sentences, "waiting": verdict(number, ...).sentence}


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
