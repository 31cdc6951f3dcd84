"""Let the judge outside of the box ask for a notebook's answers: this runs in the kernel, beside the student's code.

`lessons.check` sends an answer to the judge, and learns nothing of it. Numbers, texts and lists go out as data
(`pack`). A function stays here: the judge asks for its values.
"""

import importlib
import inspect
import json
import math
import numbers
import os
import pickle
import socket
import sys
from typing import Any

import numpy as np
import pandas as pd

from simlib.core.schedule import simulate
from simlib.core.workload import Workload
from simlib.policies import examples_own

from .. import lessons
from ..answers import Waiting, refuse_own
from ..lessons import lesson2, lesson6

MOST, DEEPEST = 50_000, 20
"""So many values of a list are carried, and lists so deep in lists."""


def begin() -> None:
    """Take the checks away, and send answers to the judge instead; drop what is printed, which may be endless."""
    sys.stdout = sys.stderr = open(os.devnull, "w")
    lessons.check, lessons.verdict = _check, _say_nothing
    for name in lessons.LESSONS.values():
        module: Any = importlib.import_module(f"{lessons.__name__}.{name}")
        module.EXERCISES = dict.fromkeys(module.EXERCISES, _say_nothing)
    for module, name in ((lesson2, "backfills"), (examples_own, "best_fit")):
        setattr(module, name, _say_nothing)  # right answers


def _say_nothing(*_: Any, **__: Any) -> Any:
    """Take the place of a check: nobody finds an answer by trying."""
    raise Waiting


def _check(number: str, answer: Any = ..., /, *more: Any, **parts: Any) -> None:
    """Send an answer to the judge, and reply to what the judge asks of its functions."""
    answer = parts or ((answer, *more) if more else answer)
    functions: list[Any] = []
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ["SIMLIB_JUDGE"])
        with connection.makefile("rwb") as stream:
            _write(stream, {"exercise": str(number), "seed": lessons.seed(), "answer": pack(answer, functions)})
            while size := stream.read(4):
                place, what, given, named = pickle.loads(stream.read(int.from_bytes(size)))  # the judge can be trusted
                _write(stream, _reply(str(number), functions[place], what, given, named))


def _reply(number: str, function: Any, what: str, given: Any, named: Any) -> dict[str, Any]:
    """Call a function, or schedule jobs under it as a policy."""
    try:
        if what == "call":
            return {"value": pack(refuse_own(function)(*given, **named), [])}
        jobs, machine = given
        policy = (lesson6.passes if number == "6.5" else lesson6.policy)(function)
        return {"value": pack(simulate(Workload(jobs, machine), policy).jobs.start.tolist(), [])}
    except Exception as error:
        notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        return {"error": type(error).__name__, "text": f"{error}{notes}"[:1000]}


def _write(stream: Any, message: Any) -> None:
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def pack(value: Any, functions: list[Any], depth: int = 0) -> Any:
    """Make JSON of an answer; its functions are appended to `functions`."""

    def inside(each: Any) -> Any:
        return pack(each, functions, depth + 1)

    if depth > DEEPEST:
        return {"is": "strange", "text": "lists in lists in lists"}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)[:10_000]
    if value is ...:
        return {"is": "dots"}
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral) and abs(int(value)) < 10**30:
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else {"is": "float", "of": str(float(value))}
    if isinstance(value, (pd.Series, pd.Index, np.ndarray)):
        value = value.item() if value.size == 1 else value.tolist()
        return inside(value)
    if isinstance(value, (dict, list, tuple, set)):
        if len(value) > MOST:
            return {"is": "strange", "text": f"{len(value):,} values"}
        values = (
            [[inside(key), inside(of)] for key, of in value.items()] if isinstance(value, dict) else map(inside, value)
        )
        return {
            "is": next(kind.__name__ for kind in (dict, list, tuple, set) if isinstance(value, kind)),
            "of": list(values),
        }
    if not isinstance(value, type) and (callable(value) or hasattr(value, "schedule")):
        functions.append(value)
        made = {"is": "function", "of": len(functions) - 1, "text": repr(value)[:200]}
        return made | {"asks": _parameters(value) if callable(value) else None}
    return {"is": "strange", "text": repr(value)[:200]}


def _parameters(function: Any) -> list[str]:
    """List the parameters of a function that need a value."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in found if one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty]
