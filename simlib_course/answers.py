"""Read what students answer: numbers, names, functions, and jobs that were typed into a table."""

import math
import numbers
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from simlib._util import words
from simlib.core.workload import Workload

# Each function returns what was meant, or raises a `NotYet` that says what would do.


Judge = Callable[[Any], str]
"""A function of an answer: it returns why the answer is right, or raises `NotYet` or `Waiting`."""


class NotYet(Exception):
    """What is wrong with an answer, and a hint; without a capital, because it follows "Not yet: "."""


class Waiting(Exception):
    """Nothing was answered yet."""


def is_open(answer: Any) -> bool:
    """Tell whether the placeholder `...` still stands in an answer."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, (list, tuple, set)):
        return any(map(is_open, answer))
    return answer is ...


def returned(answer: Any, case: str) -> Any:
    """Read what a student's function has returned for a case, such as "procs=1, free=4"."""
    if answer is ...:
        raise Waiting
    if answer is None:
        raise NotYet(
            f"your function returns nothing for {case}. Does it print where it should return? Or is there a way "
            "through it, such as an if without else, that does not come to a return?"
        )
    return answer


def truth(answer: Any, case: str) -> bool:
    """Read the True or False that a student's function has returned for a case."""
    answer = returned(answer, case)
    if isinstance(answer, (bool, np.bool_)):
        return bool(answer)
    raise NotYet(f"your function returns {shown(answer)} for {case}; expected True or False.")


def number(answer: Any) -> Any:
    """Read a number: `0.54`, or as it may be typed, "0,54" or "54 %"."""
    if isinstance(answer, str) and re.fullmatch(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)\s*%?\s*", answer, re.ASCII):
        value = float(answer.replace(",", ".").replace("%", "").strip())
        answer = value / 100 if "%" in answer else int(value) if value.is_integer() else value
    if isinstance(answer, (np.ndarray, pd.Series, pd.Index)) and answer.size == 1:
        answer = answer.item()
    if not isinstance(answer, bool) and isinstance(answer, numbers.Real) and math.isfinite(answer):
        return answer
    raise NotYet(f"found {shown(answer)}, expected a number, such as 30.")


def parts(answer: Any, *keys: str) -> list[Any]:
    """Read the parts of an answer that has several, such as `start=30, free=4`, in the order of `keys`."""
    if not isinstance(answer, dict) or set(keys) != set(answer):
        scaffold = ", ".join(f"{key}=..." for key in keys)
        found = ", ".join(map(str, answer)) if isinstance(answer, dict) else shown(answer)
        raise NotYet(f"found {found}, expected {scaffold}, with yours for the dots.")
    return [answer[key] for key in keys]


def names(answer: Any, known: Iterable[Any]) -> list[Any]:
    """Read names of jobs, each of them one of `known`; case and blanks do not count."""
    by_name = {_folded(name): name for name in known}
    if isinstance(answer, str):
        answer = re.findall(r"\w+", answer)
    if isinstance(answer, (np.ndarray, pd.Series, pd.Index, tuple, set)):
        answer = list(answer)
    if not isinstance(answer, list):
        some = ", ".join(f'"{name}"' for name in list(by_name.values())[:2])
        raise NotYet(f"found {shown(answer)}, expected a list of names of jobs, such as [{some}].")
    for name in answer:
        if _folded(name) not in by_name:
            raise NotYet(f"there is no job {shown(name)}; the jobs are {', '.join(map(str, by_name.values()))}.")
    return [by_name[_folded(name)] for name in answer]


def choice(answer: Any, allowed: Iterable[str]) -> str:
    """Read one of several words; case and blanks do not count."""
    for word in allowed:
        if isinstance(answer, str) and _folded(answer) == _folded(word):
            return word
    raise NotYet(f"found {shown(answer)}, expected one of {', '.join(map(repr, allowed))}.")


def _folded(text: Any) -> str:
    """Write a name or a word without what does not count."""
    return "".join(str(text).split()).casefold()


def function(answer: Any) -> Callable[..., Any]:
    """Read a function."""
    if not callable(answer):
        raise NotYet(f"found {shown(answer)}, expected a function: its name, without brackets.")
    return answer


def workload(answer: Any) -> Workload:
    """Read a workload, given as such or as the control or schedule that it belongs to."""
    if wrong := getattr(answer, "wrong", None):
        raise NotYet(f"the table cannot be used as it stands. {wrong[0]}")
    meant = getattr(answer, "workload", answer)
    if not isinstance(meant, Workload):
        raise NotYet(f"found {shown(answer)}, expected a workload, or the editor in which you changed one.")
    if len(meant) == 0:
        raise NotYet("there is no job left; keep some.")
    return meant


def edited(answer: Any, given: Workload) -> Workload:
    """Read a workload that differs from the one that the lesson gave: as long as it does not, nothing was answered."""
    if isinstance(answer, Mapping):
        jobs = in_order({str(job): values for job, values in answer.items()}, given)
        if wrong := complaints(jobs, given.procs):
            raise NotYet(f"the table cannot be used as it stands. {wrong[0]}")
        answer = as_workload(jobs, given)
    changed = workload(answer)
    if changed.equals(given):
        raise Waiting
    return changed


def shown(answer: Any) -> str:
    """Write an answer for a sentence: short, and on one line."""
    text = " ".join(repr(answer).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


# Jobs that were typed into a table, and what is wrong with them

LIMIT = 30
"""The most rows that a table to be edited can have."""

LONGEST = 10**9
"""The latest submit time and the longest time that can be typed in, seconds."""

KEPT_TABLE = "application/vnd.simlib.answer+json"
"""The type of a notebook's output that keeps a table: {"exercise": "1.4", "jobs": {"A": [0, 10, 3, 10], ...}}."""

FIELDS = {"submit": "submit [s]", "run": "run [s]", "procs": "processors", "estimate": "estimate [s]"}
"""The columns that can be edited, and their names on the page."""


def as_workload(jobs: Mapping[Any, Sequence[object]], given: Workload) -> Workload:
    """Make a workload of jobs without a complaint, on the machine of another workload."""
    rows = {job: [whole(value) for value in values] for job, values in jobs.items()}
    return Workload(pd.DataFrame.from_dict(rows, orient="index", columns=list(FIELDS)), given.procs, given.name)


def in_rows(workload: Workload) -> dict[Hashable, tuple[int, ...]]:
    """Write jobs as a table has them: by name submit time, run time, processors and estimate."""
    jobs = workload.jobs[list(FIELDS)]
    return {job: tuple(numbers) for job, numbers in zip(jobs.index, jobs.to_numpy().tolist(), strict=True)}


def in_order(jobs: Mapping[Any, Sequence[object]], given: Workload) -> dict[Any, Sequence[object]]:
    """Put jobs in the order of the rows of their table, which a notebook's file does not keep: added ones come last."""
    first = [str(job) for job in given.jobs.index if str(job) in jobs]
    return {job: jobs[job] for job in [*first, *sorted(set(jobs) - set(first), key=lambda job: (len(job), job))]}


def complaints(jobs: Mapping[Any, Sequence[object]], machine: int) -> list[str]:
    """Tell what is wrong with jobs for a machine of so many processors, a sentence a number."""
    if not jobs:
        return ["There is no job: add one."]
    if len(jobs) > LIMIT:
        return [f"Found {len(jobs):,} jobs, expected at most {LIMIT}."]
    sentences = []
    for job, values in jobs.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != len(FIELDS):
            sentences.append(f"Job {job}: found {values!r}, expected {', '.join(FIELDS)}.")
        else:
            found = (complaint(job, field, value, machine) for field, value in zip(FIELDS, values, strict=True))
            sentences += [sentence for sentence in found if sentence]
    return sentences


def complaint(job: Hashable, field: str, value: object, machine: int) -> str | None:
    """Tell what is wrong with a number of a job, or return None."""
    least, most = (1, machine) if field == "procs" else (0, LONGEST)
    found = whole(value)
    if found is not None and least <= found <= most:
        return None
    typed = "nothing" if isinstance(value, str) and not value.strip() else repr(value)
    limits = f"{words.number(least)} to {words.number(most)}"
    machine_size = ", the size of the machine" if field == "procs" else ""
    return f"Job {job}, {FIELDS[field]}: found {typed}, expected a whole number from {limits}{machine_size}."


def whole(value: object) -> int | None:
    """Read a whole number; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        return int(value)
    except ValueError:
        return None
