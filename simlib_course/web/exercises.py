"""Exercises of lessons 1 to 3 and 7 that are answered and checked on a page, without a kernel: practice, for no seed.

A page holds a table of the sentences that `simlib_course.lessons.verdict` gives for the answers which can be typed or
chosen there. The script finds the place of what was typed in each field, and no check is written again.
"""

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from itertools import permutations, product
from typing import Any, NamedTuple

from ..lessons import Verdict, lesson1, lesson2, lesson7, verdict
from . import asset


class Field(NamedTuple):
    """A field of a form: its name, what stands before and behind it, and the values that are worked out.

    A typed number belongs to the last value that is not larger than it, where the kind is "steps"; where it is "whole"
    it is rounded to no other. Of an "order" and a "choice" the value is the text itself.
    """

    name: str
    label: str
    unit: str
    kind: str
    values: Sequence[Any]


class Asked(NamedTuple):
    """An exercise on a page: its fields, the answer that their values make, and a sentence above them, if need be."""

    fields: list[Field]
    answer: Callable[..., Any]
    note: str = ""


def _named(*fields: Field) -> Asked:
    """Ask for an answer with parts that have the names of the fields."""
    return Asked(list(fields), lambda *values: {its.name: value for its, value in zip(fields, values, strict=True)})


def _whole(name: str, label: str, unit: str, most: int) -> Field:
    """Ask for a whole number; the first and the last value stand for all below and beyond."""
    return Field(name, label, unit, "whole", range(-1, most + 2))


def _choice(name: str, label: str, values: Iterable[Any], unit: str = "") -> Field:
    return Field(name, label, unit, "choice", list(values))


def _line(name: str, called: str, parameters: Iterable[str], lines: Sequence[str]) -> Asked:
    """Ask for one of some lines of Python, which a function returns."""
    given = ", ".join(parameters)
    field = _choice(name, f"def {called}({given}):  return", lines)
    note = "In JupyterLab you write the line yourself."
    return Asked([field], lambda line: eval(f"lambda {given}: {line}", {}), note)


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
"""The lines that a page offers for 2.4."""

COUNTS = (
    "jobs.start > jobs.guarantee",
    "(jobs.start != jobs.guarantee).sum()",
    "(jobs.start >= jobs.guarantee).sum()",
    "(jobs.start > jobs.guarantee).sum()",
    "(jobs.start < jobs.guarantee).sum()",
)
"""The lines that a page offers for 3.4."""


@cache
def asked() -> dict[str, Asked]:
    """List the exercises that a page can check."""
    jobs = list(lesson1.bag().jobs.index)
    orders = [" ".join(order) for count in range(1, len(jobs) + 1) for order in permutations(jobs, count)]
    twice = " ".join([*jobs, jobs[0]])  # stands for all with a job that is there twice
    comes = "comes at {submit}, size {procs}, estimate {estimate}".format
    four = [_choice(job, f"Job {job}", lesson2.WAYS, comes(**lesson2.queue().jobs.loc[job])) for job in "CDEF"]
    runs = [10, 30, 60, 99, 100, 101, 150, 200], [10, 30, 60, 150, *range(190, 202), 250, 300]
    sizes, few = range(1, lesson1.packed().procs + 1), range(1, lesson2.passing().procs + 1)
    ahead, its = [*lesson7.planned().jobs.index, *lesson7.out_of_the_queue()], lesson7.array()
    rounds = {its.until + its.down + more * its.minutes for more in range(5)}
    rounds |= {more * its.minutes for more in range(3, 9)}
    users = [" ".join(order) for order in permutations(lesson7.USERS)]
    return {
        "1.1": _named(
            _whole("start", "Job C starts at", "s", 160), _whole("free", "Free when it arrives", "processors", 10)
        ),
        "1.2": Asked([Field("share", "Utilisation", "a share", "steps", _steps())], lambda share: share),
        "1.3": Asked([Field("order", "Order of arrival", "all five", "order", [*orders, twice])], str.split),
        "1.4": _named(
            _choice("a_run", "Job A: run time", runs[0], "s"),
            _choice("a_procs", "Job A: size", sizes, "processors"),
            _choice("b_procs", "Job B: size", sizes, "processors"),
        ),
        "2.1": _named(_whole("shadow", "Shadow time", "s", 160), _whole("extra", "Extra", "processors", 10)),
        "2.2": _named(*four, _whole("H", "Job H starts at", "s", 80)),
        "2.3": _named(
            _choice("submit", "Arrives at", range(16), "s"),
            _choice("run", "Run time", runs[1], "s"),
            _choice("procs", "Size", few, "processors"),
        ),
        "2.4": _line("rule", "may_backfill", lesson2.VALUES, RULES),
        "3.1": _named(*(_whole(job, f"{job}, from", "s", 160) for job in ("second", "third"))),
        "3.2": _named(_whole("run", "Run time", "s", 160)),
        "3.3": _named(*(_whole(job, f"{job} starts at", "s", 160) for job in ("first", "second"))),
        "3.4": _line("count", "late", ["jobs"], COUNTS),
        "7.1": _named(_whole("minutes", "Your job starts in", "minutes", 900), _choice("behind", "Behind job", ahead)),
        "7.2": Asked([_whole("limit", "Time limit", "minutes", 900)], lambda limit: limit),
        "7.3": _named(
            _whole("nodes", "In cpu on at most", "nodes", 128),
            _choice("partition", "At once in", lesson7.partitions().index),
        ),
        "7.4": Asked([Field("order", "Order of starts", "all six", "order", [*users, f"{users[0]} ada"])], str.split),
        "7.5": Asked([_whole("minutes", "It can start in", "minutes", 640)], lambda minutes: minutes),
        "7.6": _named(
            _whole("tasks", "Before the maintenance", "tasks", its.tasks + 1),
            _choice("merge", "merge starts in", sorted(rounds), "minutes"),
        ),
    }


def _steps() -> list[float]:
    """Find all shares from which on the check of 1.2 says something else, to the sixth decimal."""
    at = cache(lambda place: verdict("1.2", place / 10**6))
    places = [-(10**8), *range(0, 110 * 10**6, 2500), 10**9]  # a quarter of a per cent
    found = places[:1]
    for low, high in zip(places, places[1:], strict=False):
        while at(found[-1]) != at(high):
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if at(middle) == at(found[-1]) else (low, middle)
            found.append(high)
            break
    return [place / 10**6 for place in found]


def worked_out(number: str) -> dict[str, Any]:
    """Work out all that a page needs to check an exercise: `rows` has a sentence for each combination of values."""
    its = asked()[number]
    said: dict[Verdict, int] = {}
    rows = [
        said.setdefault(verdict(number, its.answer(*values)), len(said))
        for values in product(*(field.values for field in its.fields))
    ]
    fields = [
        {"name": field.name, "kind": field.kind, "values": [str(value) for value in field.values]}
        | ({"values": list(field.values)} if field.kind in ("steps", "whole") else {})
        for field in its.fields
    ]
    return {"fields": fields, "rows": rows, "said": list(said), "waiting": verdict(number, ...).sentence}


# The piece of a page


def exercise_html(number: str, solution: str = "", assets: bool = True) -> str:
    """Make the form of an exercise as HTML, with the sentences of the check packed into it."""
    its = asked()[number]
    fields = "".join(map(_field, its.fields))
    more = f' <a href="{escape(solution)}">Solution</a>' if solution else ""
    data = zlib.compress(json.dumps(worked_out(number), separators=(",", ":")).encode(), 9)
    piece = (
        f'<simlib-exercise class="simlib-exercise" data-number="{number}" role="group" aria-label="Exercise {number}">'
        f'<form autocomplete="off">{fields}<button disabled>Check</button></form>'
        '<p role="status" aria-live="polite"></p>'
        "<noscript><p>Answers are checked by a script, which your browser does not run.</p></noscript>"
        f'<p class="se-more">Practice: these numbers are the same for everybody. {its.note}{more}</p>'
        f'<script type="text/plain">{base64.b64encode(data).decode()}</script></simlib-exercise>\n'
    )
    if not assets:
        return piece
    return f"<style>{asset('exercise.css')}</style>\n{piece}<script>{asset('exercise.js')}</script>\n"


def _field(field: Field) -> str:
    """Write a field with its label."""
    code, wide = field.label.startswith("def "), field.kind == "order" or field.label.startswith("def ")
    name, small = escape(field.name), f"<small>{escape(field.unit)}</small>" if field.unit else ""
    if field.kind == "choice":
        options = "".join(f"<option>{escape(str(value))}</option>" for value in ("", *field.values))
        control = f'<select name="{name}">{options}</select>'
    else:
        keys = ' spellcheck="false" autocapitalize="off"' if field.kind == "order" else ' inputmode="decimal"'
        control = f'<input name="{name}"{keys}>'
    looks = " ".join(["se-wide"] * wide + ["se-code"] * code)
    return f'<label class="{looks}"><span>{escape(field.label)} {small}</span>{control}</label>'
