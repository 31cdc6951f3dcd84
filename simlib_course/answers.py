"""Read what students answer: numbers, names, functions, and numbers for the jobs of a workload."""

import math
import numbers
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from simlib._util.words import number as in_words
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
    if isinstance(answer, (bool, np.bool_)) or (isinstance(answer, numbers.Integral) and answer in (0, 1)):
        return bool(answer)
    raise NotYet(f"your function returns {shown(answer)} for {case}; expected True or False.")


SECONDS = "s|secs?|seconds?|processors?|jobs?"
"""The units that may stand behind a number, as a pattern; `MINUTES` are those where minutes are asked for."""
MINUTES = "min|mins|minutes?"


def number(answer: Any, units: str = SECONDS) -> Any:
    """Read a number: `0.54`, or as it may be typed, "0,54", "54 %", "27/50" or "40 s"."""
    if isinstance(answer, str):
        figure = r"(\d{1,300}[.,]?\d{0,300}|[.,]\d{1,300})"
        typed = re.fullmatch(rf"\s*([+-]?{figure})\s*(?:(%)|/\s*{figure}|(?:{units}))?\s*", answer, re.ASCII)
        if typed and (parts := [float(part.replace(",", ".")) for part in (typed[1], typed[4] or "1")])[1]:
            value = parts[0] / parts[1] / (100 if typed[3] else 1)
            answer = int(value) if value.is_integer() else value
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
    """Read names of jobs, each of them one of `known`; case and blanks do not count, nor what stands between names."""
    by_name = {_folded(name): name for name in known}
    if isinstance(answer, str):
        answer = [word for word in re.findall(r"\w+", answer) if _folded(word) in by_name or word not in BETWEEN]
        if len(answer) == 1 and set(_folded(answer[0])) <= set(by_name):  # "PRQST"
            answer = list(answer[0])
    if isinstance(answer, (np.ndarray, pd.Series, pd.Index, tuple, set)):
        answer = list(answer)
    if not isinstance(answer, list):
        some = ", ".join(f'"{name}"' for name in list(by_name.values())[:2])
        raise NotYet(f"found {shown(answer)}, expected a list of names of jobs, such as [{some}].")
    for name in answer:
        if _folded(name) not in by_name:
            raise NotYet(f"there is no job {shown(name)}; the jobs are {', '.join(map(str, by_name.values()))}.")
    return [by_name[_folded(name)] for name in answer]


BETWEEN = ("job", "jobs", "and", "then")
"""Words that may stand between the names of jobs."""


def choice(answer: Any, allowed: Iterable[str]) -> str:
    """Read one of several words; case and blanks do not count."""
    for word in allowed:
        if isinstance(answer, str) and _folded(answer) == _folded(word):
            return word
    raise NotYet(f"found {shown(answer)}, expected one of {', '.join(map(repr, allowed))}.")


def _folded(text: Any) -> str:
    """Write a name or a word without what does not count."""
    return "".join(str(text).split()).casefold()


def words(name: Any) -> list[str]:
    """List the words of a person's name in alphabetical order: how it is typed does not count."""
    text = unicodedata.normalize("NFC", str(name)).casefold().replace("_", " ")
    return sorted(re.findall(r"\w+", unicodedata.normalize("NFC", text)))


def function(answer: Any) -> Callable[..., Any]:
    """Read a function."""
    if not callable(answer):
        raise NotYet(f"found {shown(answer)}, expected a function: its name, without brackets.")
    return answer


def refuse_own(answer: Any) -> Any:
    """Refuse a function or a policy that comes with simlib, alone or in a policy; else give it back."""
    parts = [answer if hasattr(answer, "__qualname__") else type(answer)]
    parts += [part for part in getattr(answer, "__dict__", {}).values() if callable(part)]
    if all(str(getattr(part, "__module__", "")).startswith(("simlib.", "simlib_")) for part in parts):
        raise NotYet("that comes with simlib. Write one of your own.")
    return answer


def shown(answer: Any) -> str:
    """Write an answer for a sentence: short, and on one line."""
    text = " ".join(repr(answer).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


# Numbers for the jobs of a workload

LONGEST = 10**9
"""The latest submit time and the longest time that an answer can have, seconds."""

FIELDS = {"submit": "submit", "run": "run", "procs": "processors", "estimate": "estimate"}
"""The columns of which an answer can change numbers, and their names in a sentence."""


def with_numbers(jobs: Workload, answers: Mapping[tuple[str, str], Any]) -> Workload:
    """Give the workload with other numbers, by job and column; None leaves a number as it is."""
    changed = jobs.jobs
    for (job, field), answer in answers.items():
        if answer is None:
            continue
        found, (least, most) = number(answer), (1, jobs.procs) if field == "procs" else (0, LONGEST)
        if found != int(found) or not least <= found <= most:
            limits = f"{in_words(least)} to {in_words(most)}"
            raise NotYet(f"job {job}, {FIELDS[field]}: found {found:g}, expected a whole number from {limits}.")
        changed.loc[job, field] = int(found)
    return Workload(changed, jobs.procs, jobs.name)
