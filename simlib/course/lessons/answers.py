"""Read what students answer: each function returns what was meant, or raises a `NotYet` that says what would do."""

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ...core.workload import Workload
from ..typed import complaints, in_order, read

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


def number(answer: Any, unit: str = "") -> Any:
    """Read a number, such as `30`; of `unit`, such as "seconds"."""
    if not isinstance(answer, bool) and isinstance(answer, numbers.Real) and math.isfinite(answer):
        return answer
    of = f" of {unit}" if unit else ""
    raise NotYet(f"found {shown(answer)}, expected a number{of}, written without quotes, such as 30.")


def parts(answer: Any, *keys: str) -> list[Any]:
    """Read the parts of an answer that has several, such as `start=30, free=4`, in the order of `keys`."""
    if not isinstance(answer, dict) or set(keys) != set(answer):
        scaffold = ", ".join(f"{key}=..." for key in keys)
        found = ", ".join(map(str, answer)) if isinstance(answer, dict) else shown(answer)
        raise NotYet(f"found {found}, expected {scaffold}, with yours for the dots.")
    return [answer[key] for key in keys]


def names(answer: Any, known: Iterable[Any]) -> list[Any]:
    """Read a list of names of jobs, each of them one of `known`."""
    if not isinstance(answer, (list, tuple)):
        some = ", ".join(f'"{name}"' for name in list(known)[:2])
        raise NotYet(f"found {shown(answer)}, expected a list of names of jobs, such as [{some}].")
    for name in answer:
        if name not in list(known):
            raise NotYet(f"there is no job {shown(name)}; the jobs are {', '.join(map(str, known))}.")
    return list(answer)


def choice(answer: Any, allowed: Iterable[str]) -> str:
    """Read one of several words."""
    for word in allowed:
        if isinstance(answer, str) and answer.strip().lower() == word.lower():
            return word
    raise NotYet(f"found {shown(answer)}, expected one of {', '.join(map(repr, allowed))}, with the quotes.")


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
        answer = _in_a_table(answer, given)
    changed = workload(answer)
    if changed.equals(given):
        raise Waiting
    return changed


def _in_a_table(jobs: Mapping[Any, Any], given: Workload) -> Workload:
    jobs = in_order({str(job): values for job, values in jobs.items()}, given)
    if wrong := complaints(jobs, given.procs):
        raise NotYet(f"the table cannot be used as it stands. {wrong[0]}")
    return read(jobs, given)


def shown(answer: Any) -> str:
    """Write an answer for a sentence: short, and on one line."""
    text = " ".join(repr(answer).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
