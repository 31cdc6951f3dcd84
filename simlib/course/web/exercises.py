"""Pieces of HTML in which an exercise of lessons 1 to 3 is answered and checked, without a kernel."""

import base64
import json
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from html import escape
from itertools import product
from typing import Any, NamedTuple

from ...core.workload import Workload
from ...models.examples import figure3
from ..lessons import lesson1, lesson2, lesson3, verdict
from ..lessons.answers import NotYet, truth
from ..typed import FIELDS, LONGEST
from . import worked_out
from .page import _asset
from .worked_out import OUTSIDE, Sentences, mark

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
    rule = ", ".join(lesson2.VALUES)
    return {
        "1.1": _numbers({"start": ("Job C starts at", "s"), "free": ("Free when it arrives", "processors")}, whole),
        "1.2": _numbers({"share": ("Utilisation", "a share")}, fine, lambda share: share),
        "1.3": Asked(
            [Field("order", "Order of arrival", "all five, such as Q P R S T", wide=True)],
            lambda sentences: worked_out.orders(sentences, list(lesson1.bag().jobs.index)),
        ),
        "1.4": Asked(_machine(), emptiness, "Three numbers of the table can be changed here; job C stays as it is."),
        "1.5": Asked([Field("load", "Load", "such as 0.6")], meeting),
        "2.1": _numbers({"shadow": ("Shadow time", "s"), "extra": ("Extra", "processors")}, whole),
        "2.2": Asked(
            [Field(job, f"Job {job}", text, choices=tuple(lesson2.WAYS)) for job, text in four.items()],
            lambda sentences: worked_out.choices(sentences, list(four), list(lesson2.WAYS)),
        ),
        "2.3": Asked(_backfill(*FIELDS), delay),
        "2.4": Asked([Field("rule", f"def may_backfill({rule}):  return", wide=True)], rule_of_easy),
        "3.1": _numbers({"second": ("second, from", "s"), "third": ("third, from", "s")}, whole),
        "3.2": Asked(_backfill("run", "estimate"), longest),
        "3.3": _numbers({"first": ("first starts at", "s"), "second": ("second starts at", "s")}, whole),
        "3.4": Asked([Field("count", "def late(jobs):  return", wide=True)], late),
    }


def _numbers(
    parts: Mapping[str, tuple[str, str]], samples: Iterable[float], answer: Callable[..., Any] = dict
) -> Asked:
    fields = [Field(name, label, unit) for name, (label, unit) in parts.items()]
    return Asked(fields, lambda sentences: worked_out.numbers(sentences, dict.fromkeys(parts, samples), answer))


def meeting(sentences: Sentences) -> dict[str, Any]:
    """Work out 1.5 for each load with two decimals."""

    def column(load: Any) -> Hashable:
        said = verdict("1.5", mark(load, "load"))
        return said if said.status == "right" or not 0 < load < 1.5 else OUTSIDE  # its hint is of this load alone

    least = lesson1.meeting_load()
    ends, columns = worked_out.cut(column, [0, least, least + lesson1.STEP / 2, least + lesson1.STEP, 1.5])
    places = [OUTSIDE if of == OUTSIDE else sentences.place(tuple(of)) for of in columns]  # type: ignore[arg-type]
    distinct = [OUTSIDE, *dict.fromkeys(places)]
    points = {str(step / 100): sentences.of(mark(step / 100, "load")) for step in range(1, 150)}
    ranges = [[end, distinct.index(place, 1)] for end, place in zip(ends, places, strict=True)]
    table = {str(place): said for place, said in enumerate(distinct)} | {"0": sentences.of(mark("ten", "load"))}
    points["1"] = sentences.of(mark(1, "load"))
    return {"kind": "numbers", "ranges": {"load": ranges}, "table": table, "points": points}


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
    jobs = as_typed(figure3())
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
    its = figure3().jobs.loc["backfill"]
    labels = {"submit": "Arrives at", "run": "Run time", "procs": "Size", "estimate": "Estimate"}
    return [Field(name, labels[name], "processors" if name == "procs" else "s", str(its[name])) for name in names]


def emptiness(sentences: Sentences) -> dict[str, Any]:
    """Work out 1.4 for each size of jobs A and B."""

    def answer(of_a: int, of_b: int) -> Callable[[int], Table]:
        return lambda run: filled("1.4", {"A run": run, "A procs": of_a, "B procs": of_b})

    sizes = range(1, lesson1.packed().procs + 1)
    starts = [0, 30, 31, 100]
    lines = {f"{a},{b}": worked_out.line(sentences, answer(a, b), starts, LONGEST) for a, b in product(sizes, sizes)}
    return _table(sentences, "1.4", _machine(), lines, "A run", ["A procs", "B procs"])


def delay(sentences: Sentences) -> dict[str, Any]:
    """Work out 2.3 for each size of the job, and the times at which it may come."""

    def answer(submit: int, procs: int) -> Callable[[int], Table]:
        return lambda run: filled("2.3", {"submit": submit, "run": run, "procs": procs, "estimate": run})

    cases = [*product(range(26), range(1, figure3().procs + 1))]
    starts = [0, 12, 30, 31, 200]  # 30 s are given: with them nothing was answered
    lines = {f"{at},{size}": worked_out.line(sentences, answer(at, size), starts, LONGEST) for at, size in cases}
    return _table(sentences, "2.3", _backfill(*FIELDS), lines, "run", ["submit", "procs"])


def longest(sentences: Sentences) -> dict[str, Any]:
    """Work out 3.2 for each run time."""

    def answer(run: int) -> Table:
        return filled("3.2", {"run": run, "estimate": run})

    lines = {"": worked_out.line(sentences, answer, [0, *range(1, 41), 100], LONGEST)}
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
    machine = (lesson1.packed() if number == "1.4" else figure3()).procs
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


# Functions


def rule_of_easy(sentences: Sentences) -> dict[str, Any]:
    """Work out 2.4: what is expected of each case, and what is said of the first one that differs."""
    names = list(lesson2.VALUES)
    slots = [f"⟦{name}⟧" for name in names]
    try:
        truth(mark(7, "returned"), lesson2.named(slots))
    except NotYet as hint:
        returned = sentences.place(("not yet", str(hint)))
    letters = {True: "y", False: "n"}
    every = product(*lesson2.VALUES.values())
    expected = "".join(letters[lesson2.backfills(*case)] if lesson2.head_waits(*case) else "-" for case in every)
    return {
        "kind": "rule",
        "values": {name: list(of) for name, of in lesson2.VALUES.items()},
        "expected": expected,
        "right": sentences.of(lesson2.backfills),
        "differs": {letters[says]: sentences.place(("not yet", lesson2.differs(slots, says))) for says in letters},
        "returned": returned,
        **_failing(sentences),
    }


def late(sentences: Sentences) -> dict[str, Any]:
    """Work out 3.4: for each table of jobs what is said of the number that a function returns."""
    columns = ["submit", "run", "procs", "estimate", "start", "end", "wait", "response", "guarantee"]
    found = list(lesson3.tables().values())
    right = [int((jobs.start > jobs.guarantee).sum()) for jobs in found]
    tables = []
    for place, jobs in enumerate(found):
        answer = partial(_counting, right, place)
        of = worked_out.numbers(sentences, {"returned": range(-2, len(jobs) + 3)}, answer)
        many = sentences.of(_counting(right, place, jobs.start))
        tables.append({**of, "many": many, "columns": jobs[columns].to_dict("list")})
    done = sentences.of(lambda jobs: (jobs.start > jobs.guarantee).sum())
    truthful = sentences.of(lambda jobs: jobs.start and 1)
    return {"kind": "count", "tables": tables, "right": done, "ambiguous": truthful, **_failing(sentences)}


def _counting(right: list[int], place: int, returned: Any) -> Callable[[Any], Any]:
    """Make a function that counts the first tables rightly, and of another one returns a value."""
    returns = iter([*right[:place], returned, *right[place + 1 :]])
    return lambda _: next(returns)


def _failing(sentences: Sentences) -> dict[str, Any]:
    """What is said of a function with a name that does not exist."""

    def fails(*_: Any) -> None:
        raise NameError("name '⟦name t⟧' is not defined")

    return {"unknown": sentences.of(fails)}


OWN = {
    "outside": "this page has not worked out what the check says of that answer. The lesson in JupyterLab checks it.",
    "unreadable": "the page cannot read this. It reads one expression in Python's spelling, of names, whole numbers, "
    "+ - * < <= > >= == != & | ~ and or not, and brackets.",
}
"""What a page says of its own: about answers that Python could read or judge, and the page cannot."""

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
    return f"<style>{_asset('exercise.css')}</style>\n{piece}<script>{_asset('exercise.js')}</script>\n"


def worked_out_data(number: str, its: Asked) -> dict[str, object]:
    """Work out all that a page needs to check an exercise."""
    sentences = Sentences(number)
    data = its.data(sentences)
    return {**data, "said": sentences.said, "waiting": verdict(number, ...).sentence, "own": OWN}


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
