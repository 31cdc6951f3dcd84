"""Carry answers as data from the notebook's process to one that has never seen the notebook, and judge them there.

`pack` runs beside the student's code and makes JSON of an answer; `unpack` believes nothing of what it reads. Numbers,
texts, lists, tables, workloads and simlib's own policies come out as they went in. Functions come out if `screening`
lets them; what else there is comes out as a `Strange`, which a check calls what it is. `judge` asks the checks of the
course.
"""

import importlib
import inspect
import json
import math
import numbers
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ... import policies
from ...analysis.stats import BatchMeans
from ...core.workload import Workload
from ...policies.own_policy import OwnPolicy
from .. import lessons
from . import screening
from .screening import Source, Unreadable

Packed = Any
"""What JSON can say of an answer: a dict with a key "is" says what it stands for."""

MOST = 300_000
"""So many numbers of a table or a list are carried."""

DEEPEST = 20
"""So deep lists may lie in lists."""

POLICIES = {kind.__name__: kind for kind in (policies.FCFS, policies.EASY, policies.Conservative)}


class Strange:
    """Stand for an answer of a kind that no exercise asks for."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


# In the notebook's process


def pack(value: Any, depth: int = 0) -> Packed:
    """Make JSON of an answer."""
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
        number = float(value)
        return number if math.isfinite(number) else {"is": "float", "text": str(number)}
    if isinstance(value, dict):
        return {"is": "dict", "of": [[pack(key, depth + 1), pack(of, depth + 1)] for key, of in value.items()]}
    for kind in (list, tuple, set):
        if isinstance(value, kind):
            return {"is": kind.__name__, "of": [pack(each, depth + 1) for each in value]}
    if isinstance(value, pd.DataFrame):
        if value.size > MOST:
            return {"is": "strange", "text": f"a table of {len(value):,} rows"}
        return {"is": "table", "of": [[str(name), pack(column, depth + 1)] for name, column in value.items()]}
    if isinstance(value, (pd.Series, pd.Index, np.ndarray)):
        if value.size > MOST:
            return {"is": "strange", "text": f"{value.size:,} numbers"}
        shape = "array" if isinstance(value, np.ndarray) else "series"
        return {"is": shape, "of": [pack(each, depth + 1) for each in value]}
    meant = getattr(value, "workload", value)
    if isinstance(meant, Workload):
        return _pack_workload(meant)
    if isinstance(value, BatchMeans):
        return {"is": "batch means", "of": {each.name: pack(getattr(value, each.name)) for each in fields(value)}}
    if type(value) is OwnPolicy:
        return {"is": "own policy", "of": pack(value.function, depth + 1)}
    if type(value) in POLICIES.values():
        options = {each.name: getattr(value, each.name) for each in fields(value)}
        changed = {name: pack(of, depth + 1) for name, of in options.items() if of != getattr(type(value)(), name)}
        return {"is": "policy", "kind": type(value).__name__, "of": changed}
    if callable(value) or hasattr(value, "schedule"):
        return _pack_code(value, depth)
    return {"is": "strange", "text": repr(value)[:200]}


def _pack_workload(workload: Workload) -> Packed:
    jobs, start = workload.jobs, workload.start
    if jobs.size > MOST:
        return {"is": "strange", "text": f"a workload of {len(jobs):,} jobs"}
    return {
        "is": "workload",
        "procs": workload.procs,
        "name": workload.name,
        "start": start and [start.isoformat(), str(start.tz)],
        "jobs": [pack(each) for each in jobs.index],
        "index": jobs.index.name,
        "columns": [[name, str(column.dtype), column.tolist()] for name, column in jobs.items()],
    }


def _pack_code(value: Any, depth: int) -> Packed:
    """Carry a function as its source; an object that can be called, or a policy, as that of its class and its data."""
    try:
        source, state = Source(), None
        plain = isinstance(value, type) or hasattr(value, "__code__") or hasattr(value, "py_func")
        name = source.take(value if plain else type(value))
        if not plain:
            state = pack(vars(value), depth + 1)
        constants = {key: pack(of, depth + 1) for key, of in source.constants.items()}
        return {"is": "code", "source": source.text, "name": name, "constants": constants, "state": state}
    except Unreadable as error:
        return {"is": "unreadable", "why": str(error)}


# In the judging process


def unpack(packed: Packed, depth: int = 0) -> Any:
    """Give an answer back."""
    if not isinstance(packed, dict):
        if packed is None or isinstance(packed, (bool, int, float, str)):
            return packed
        raise ValueError("found a list, expected data as `pack` makes it")
    if depth > DEEPEST:
        raise ValueError("lists in lists in lists")

    def inside(of: Packed) -> Any:
        return unpack(of, depth + 1)

    kind, of = packed["is"], packed.get("of")
    if kind == "dots":
        return ...
    if kind == "float":
        return float(packed["text"])
    if kind == "strange":
        return Strange(str(packed["text"])[:200])
    if kind == "unreadable":
        raise screening.Refused(packed["why"])
    if kind == "workload":
        columns = {name: pd.Series(values, dtype=np.dtype(of)) for name, of, values in packed["columns"]}
        jobs = pd.DataFrame(columns)
        jobs.index = pd.Index([unpack(job) for job in packed["jobs"]], name=packed["index"])
        start = packed["start"] and pd.Timestamp(packed["start"][0]).tz_convert(packed["start"][1])
        return Workload(jobs, packed["procs"], packed["name"], start=start)
    if kind in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": set}[kind](map(inside, of))  # type: ignore[arg-type]
    if kind == "dict":
        return {inside(key): inside(each) for key, each in of}  # type: ignore[union-attr]
    if kind == "array":
        return np.array(list(map(inside, of)))  # type: ignore[arg-type]
    if kind == "series":
        return pd.Series(list(map(inside, of)))  # type: ignore[arg-type]
    if kind == "table":
        return pd.DataFrame({name: inside(column) for name, column in of})  # type: ignore[union-attr]
    if kind == "batch means":
        return BatchMeans(**{name: inside(each) for name, each in of.items()})  # type: ignore[union-attr]
    if kind == "own policy":
        return OwnPolicy(inside(of))
    if kind == "policy":
        return POLICIES[packed["kind"]](**{str(name): inside(each) for name, each in of.items()})  # type: ignore
    if kind == "code":
        return _unpack_code(packed, inside)
    raise ValueError(f"found {kind!r}, expected data as `pack` makes it")


def _unpack_code(packed: Packed, inside: Any) -> Any:
    constants = {str(key): inside(of) for key, of in packed["constants"].items()}
    if any(key.startswith("__") for key in constants):
        raise screening.Refused("it uses a name with two underscores")
    for key, value in constants.items():
        if not _is_data(value):
            raise screening.Refused(f"it uses `{key}`, which is no number, text or list")
    made = screening.load(packed["source"], packed["name"], constants)
    if packed["state"] is not None:
        state, kind = inside(packed["state"]), made
        if not isinstance(kind, type) or not _is_data(state):
            raise screening.Refused("it is an object that holds more than data")
        made = object.__new__(kind)
        made.__dict__.update(state)
    return made


def _is_data(value: Any) -> bool:
    """Tell whether something is made of numbers, texts and lists."""
    if isinstance(value, dict):
        return all(map(_is_data, value)) and all(map(_is_data, value.values()))
    if isinstance(value, (list, tuple, set)):
        return all(map(_is_data, value))
    if isinstance(value, pd.DataFrame):
        return True
    return value is None or isinstance(value, (bool, numbers.Number, str, np.ndarray, pd.Series))


# Verdicts

VERDICTS = "verdicts.jsonl"
"""The file that gets a line an answer as soon as it is judged."""

RIGHT, NOT_YET, UNANSWERED, REFUSED = "right", "not yet", "unanswered", "refused"
FAILED, OUT_OF_TIME, OUT_OF_MEMORY = "failed", "out of time", "out of memory"

BEST_FIRST = (RIGHT, REFUSED, NOT_YET, OUT_OF_TIME, OUT_OF_MEMORY, FAILED, UNANSWERED)
"""All that can be said of an answer; of several to the same exercise that counts which stands here first."""


class Judged(NamedTuple):
    """What is said of an answer: one of `BEST_FIRST`, and why."""

    verdict: str
    sentence: str


class Answer(NamedTuple):
    """An answer to judge: data of `pack`, or, if `typed`, the table as an editor kept it."""

    number: str
    packed: Any
    typed: bool = False


def judge(answers: Sequence[Answer]) -> Callable[[Path], None]:
    """Give the work of judging these answers, one after the other."""

    def work(folder: Path) -> None:
        warnings.simplefilter("ignore")
        with open(folder / VERDICTS, "w", encoding="utf-8") as file:
            for answer in answers:
                file.write(json.dumps(judged(answer)) + "\n")
                file.flush()

    return work


def judged(answer: Answer) -> Judged:
    """Judge one answer."""
    try:
        given = answer.packed if answer.typed else unpack(answer.packed)
    except screening.Refused as reason:
        return Judged(REFUSED, f"look at it yourself: {reason}.")
    except Exception as error:  # whatever a hostile notebook wrote
        return Judged(REFUSED, f"look at it yourself: it cannot be read: {type(error).__name__}: {error}"[:300])
    status, sentence = lessons.verdict(answer.number, given)
    if status == "waiting":
        return Judged(UNANSWERED, sentence)
    if status == RIGHT:
        return Judged(RIGHT, sentence)
    if "answer cannot be used as it is: MemoryError" in sentence:
        return Judged(OUT_OF_MEMORY, sentence)
    return Judged(NOT_YET, sentence)


def read(folder: Path) -> list[Judged]:
    """Read the verdicts that were reached, in the order of the answers."""
    try:
        lines = (folder / VERDICTS).read_text(encoding="utf-8").split("\n")
    except OSError:
        return []
    return [Judged(*json.loads(line)) for line in lines[:-1]]  # the last is empty, or was not written to its end


def warm(exercises: Iterable[str]) -> None:
    """Work out, once for all, what the checks of these exercises keep, so that no judging process has to."""
    for lesson in sorted({number.partition(".")[0] for number in exercises}):
        module = importlib.import_module(f"simlib.course.lessons.{lessons.LESSONS[lesson]}")
        for function in vars(module).values():
            if hasattr(function, "cache_info") and not inspect.signature(function).parameters:
                function()
