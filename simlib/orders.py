"""Orders of a queue: functions that rank a job, compiled; the job with the largest value is the first."""

import inspect
import traceback
from collections.abc import Callable
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any, NoReturn, Protocol

import numba
import numpy as np
from numba.core import types
from numba.core.ccallback import CFunc

from .compiled import pointer
from .identity import identity


class Ranking(Protocol):
    """What has a function of `FACTS`, such as a `simlib.Multifactor`.

    Examples
    --------
    >>> import simlib
    >>> check(simlib.Multifactor())
    """

    @property
    def function(self) -> Callable[..., float]:
        """The function."""


Order = str | Callable[..., float] | Ranking
"""A name in `ORDERS`, a function of `FACTS`, or what has one."""

THREE = "wait", "estimate", "size"

FACTS = (*THREE, "now", "user", "group", "queue", "usage", "machine", "free", "extra", "window")
"""What a function may ask for by the names of its parameters, all floats.

Of the job: the seconds that it waits, its estimate in seconds, its processors; its user, group and queue as in the
jobs table, -1 where unknown; `usage`, what its user has had of the machine of late (see `simlib.Multifactor`). Of the
system: the second that it is, the processors of the machine and those free; where jobs are backfilled, the extra
processors and the seconds until the shadow time.
"""

ONLY_BACKFILL = "extra", "window"
"""Those that are known only when jobs are backfilled."""


def _arrival(wait: float, estimate: float, size: float) -> float:
    return 0.0


def _shortest_job_first(wait: float, estimate: float, size: float) -> float:
    return -estimate


def _wfp(wait: float, estimate: float, size: float) -> float:
    return (wait / max(estimate, 1.0)) ** 3 * size


def _largest(wait: float, estimate: float, size: float) -> float:
    return size


def _smallest_area(wait: float, estimate: float, size: float) -> float:
    return -size * estimate


def _best_fit(size: float, estimate: float, window: float) -> float:
    return size * min(estimate, window)


ORDERS = {"fcfs": _arrival, "sjf": _shortest_job_first, "wfp": _wfp}

BACKFILL = {
    "arrival": _arrival,
    "sjf": _shortest_job_first,
    "best-fit": _best_fit,
    "largest": _largest,
    "smallest area": _smallest_area,
}
"""Orders in which those who may pass the head are tried: see `simlib.EASY`."""

EXPECTED = "a function of the floats (wait, estimate, size) that returns a number"

_compiled: dict[tuple, CFunc] = {}  # functions of others, by all that they hang on


def check(order: Order, known: dict[str, Callable] = ORDERS, where: str = "EASY: order") -> None:
    """Check that `order` is a known name, or a function that asks for nothing but `FACTS`.

    Parameters
    ----------
    order : str or callable
    known : dict
        The names: `ORDERS` or `BACKFILL`.
    where : str
        Whose setting it is, for the message.

    Raises
    ------
    ValueError
        Where it is neither.

    Examples
    --------
    >>> check("wfp")
    >>> check("lifo")
    Traceback (most recent call last):
        ...
    ValueError: EASY: found order='lifo', expected one of 'fcfs', 'sjf', 'wfp' or a function of the floats ...
    """
    if isinstance(order, str) and order in known:
        return
    policy, setting = where.split(": ")
    expected = f"expected one of {', '.join(map(repr, known))} or {EXPECTED}"
    function = _in_python(order)
    if not isinstance(function, FunctionType):  # no class, partial or object: they have no code
        raise ValueError(f"{policy}: found {setting}={order!r}, {expected}")
    try:
        asked = asked_for(function)
    except TypeError as error:
        raise ValueError(f"{where} {_name(order)!r} cannot be called with three numbers: {error}; {expected}") from None
    if known is ORDERS and (early := [fact for fact in asked if fact in ONLY_BACKFILL]):
        raise ValueError(
            f"{where} {_name(order)!r} asks for {early[0]}, which is known only when jobs are backfilled; expected one "
            f"of {', '.join(fact for fact in FACTS if fact not in ONLY_BACKFILL)}"
        )


def asked_for(order: Order, known: dict[str, Callable] = ORDERS) -> tuple[str, ...]:
    """List the facts that an order asks for, one for each of its parameters without a default.

    Where all parameters have the names of `FACTS` it is told these. Else it is a function of three numbers, whatever
    they are called: wait, estimate and size.

    Raises
    ------
    TypeError
        Where it can be called neither way.

    Examples
    --------
    >>> asked_for(lambda size, user: -size), asked_for(lambda w, e, s: w / e)
    (('size', 'user'), ('wait', 'estimate', 'size'))
    """
    function = known[order] if isinstance(order, str) else _in_python(order)
    signature = inspect.signature(function)
    asked = tuple(
        name
        for name, one in signature.parameters.items()
        if name in FACTS or (one.default is one.empty and one.kind is not one.VAR_KEYWORD)
    )
    if asked and all(name in FACTS for name in asked):
        return asked
    try:
        signature.bind(0.0, 0.0, 0.0)
    except TypeError as error:
        unknown = [name for name in asked if name not in FACTS]
        also = f" (or of {', '.join(FACTS)} by name; {unknown[0]!r} is none of them)" if unknown else ""
        raise TypeError(f"{error}{also}") from None
    return THREE


def compiled(
    order: Order, facts: bool = False, known: dict[str, Callable] = ORDERS, where: str = "EASY: order"
) -> CFunc:
    """Compile an order to a function pointer, so that no kernel is compiled anew for it.

    Parameters
    ----------
    order : str or callable
        A known name, or a function. One that was compiled before is not compiled again, unless what it hangs on is
        another now, such as a global variable that it reads.
    facts : bool
        Whether the pointer is called with all `FACTS`, and not with three numbers.
    known, where
        As for `check`.

    Returns
    -------
    numba.core.ccallback.CFunc
        It returns nan where the function raises.

    Raises
    ------
    ValueError
        Where the function cannot be compiled, prints, or does not return a number; the message says which line.

    Examples
    --------
    >>> compiled(lambda wait, estimate, size: wait / size).ctypes(60, 3600, 8)
    7.5
    """
    if isinstance(order, str) and not facts:
        return _own(known[order])
    function: Any = known[order] if isinstance(order, str) else _in_python(order)
    try:
        key = facts, *identity(function if isinstance(order, str) else order)  # of a Multifactor its weights count
    except TypeError:
        return _guarded(function, facts, where)
    if key not in _compiled:
        _compiled[key] = _guarded(function, facts, where)
    return _compiled[key]


@cache
def _own(function: Callable[..., float]) -> CFunc:
    return pointer(function, _types(THREE))


def _types(facts: tuple[str, ...]) -> str:
    return f"float64({', '.join(['float64'] * len(facts))})"


def _guarded(function: FunctionType, facts: bool, where: str) -> CFunc:
    """Compile somebody's function to a pointer, which cannot raise: nan says that it did."""
    _refuse_print(function, where)
    inner, asked = _compilable(function, ()), asked_for(function)
    try:
        inner.compile((types.float64,) * len(asked))
    except Exception as error:  # numba raises what it likes, its own errors and others
        raise _cannot_compile(function, asked, error, where) from None
    _refuse_return_type(function, inner.nopython_signatures[0].return_type, where)
    given = FACTS if facts else THREE
    lines = f"def guarded({', '.join(given)}):", " try:", f"  return float64(inner({', '.join(asked)}))"
    made: dict[str, Any] = {"inner": inner, "float64": np.float64, "nan": np.nan}
    exec("\n".join([*lines, " except Exception:", "  return nan"]), made)  # for numba cannot pick arguments by name
    return numba.cfunc(_types(given), error_model="numpy")(made["guarded"])


def _compilable(function: FunctionType, callers: tuple[CodeType, ...]) -> Any:
    """Copy a function for numba to compile, with the functions that it calls, as they and what they read are now.

    Functions themselves that numba compiled before would keep the values that global variables had then. Those that
    are being copied already, as of a function that calls itself, are in `callers`.
    """

    def called(value: Any) -> Any:
        value = _in_python(value)
        if (
            not isinstance(value, FunctionType)
            or value.__code__ in callers
            or str(value.__module__).startswith("numba.")
        ):
            return value
        return _compilable(value, (*callers, function.__code__))

    names = {*function.__code__.co_names} & {*function.__globals__}
    read = function.__globals__ | {name: called(function.__globals__[name]) for name in names}
    cells = tuple(CellType(called(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = FunctionType(function.__code__, read, function.__name__, function.__defaults__, cells)
    return numba.njit(error_model="numpy")(copy)


def failed(order: Order, *numbers: float, known: dict[str, Callable] = ORDERS, where: str = "EASY: order") -> NoReturn:
    """Find out why an order gave no number for a job: call it as plain Python.

    Parameters
    ----------
    order : str or callable
    *numbers : float
        What it was told: three numbers, or all `FACTS`.
    known, where
        As for `check`.

    Raises
    ------
    Exception
        The one that the function raises itself, with a note; else ValueError that says what it returned.

    Examples
    --------
    >>> failed(lambda wait, estimate, size: wait / 0.0 * 0.0, 60.0, 3600.0, 8.0)
    Traceback (most recent call last):
        ...
    ValueError: EASY: order '<lambda>' returned nan for wait=60, estimate=3600, size=8; expected a function of ...
    """
    facts = dict(zip(FACTS, numbers, strict=False))
    told = {name: facts[name] for name in asked_for(order, known)}
    said = ", ".join(f"{name}={value:g}" for name, value in told.items())
    function = known[order] if isinstance(order, str) else _in_python(order)
    try:
        with np.errstate(all="ignore"):  # as where it is compiled: 1 / 0 is infinite, 0 / 0 nan
            returned = function(*map(np.float64, told.values()))
    except Exception as error:
        error.add_note(f"{where} {_name(order)!r} raised this for {said}; expected {EXPECTED}")
        raise
    raise ValueError(f"{where} {_name(order)!r} returned {returned} for {said}; expected {EXPECTED}")


def _in_python(value: Any) -> Any:
    """The function of Python's that numba compiled, or that a `Multifactor` stands for; else the value itself."""
    value = getattr(value, "function", value)
    return getattr(value, "py_func", value)


def _name(order: object) -> str:
    return getattr(order, "__name__", repr(order))


def _refuse_print(function: FunctionType, where: str) -> None:
    if "print" in function.__code__.co_names:
        raise ValueError(
            f"{where} {_name(function)!r} prints, which it cannot do while jobs are scheduled; call it for one job "
            f"to see what it does, such as print({_name(function)}(60.0, 3600.0, 8.0)), and take the print out"
        )


def _refuse_return_type(function: FunctionType, returned: types.Type, where: str) -> None:
    if isinstance(returned, (types.Number, types.Boolean)) and not isinstance(returned, types.Complex):
        return
    found = "sometimes nothing" if isinstance(returned, types.Optional) else returned.name
    found = {"none": "nothing", "unicode_type": "a string"}.get(found, found)
    found = "a string" if isinstance(returned, types.Literal) and isinstance(returned.literal_value, str) else found
    raise ValueError(f"{where} {_name(function)!r} returns {found}; expected {EXPECTED}, in every case")


TYPICAL = dict(zip(FACTS, (60.0, 3600.0, 8.0, 7200.0, 7.0, 2.0, 1.0, 1.0, 128.0, 16.0, 4.0, 1800.0), strict=True))
"""A job for which functions are tried."""


def _cannot_compile(function: FunctionType, asked: tuple[str, ...], error: Exception, where: str) -> ValueError:
    """Say why a function cannot be compiled: in Python's words where it fails in plain Python too, else in numba's."""
    try:
        function(*(TYPICAL[name] for name in asked))
        why = f"plain Python can run it, but it cannot be compiled ({_first_reason(error)})"
    except Exception as plain:
        line = traceback.extract_tb(plain.__traceback__)[-1].lineno
        why = f"line {line}: {type(plain).__name__}: {plain}"
    return ValueError(
        f"{where} {_name(function)!r} cannot be used: {why}; expected {EXPECTED}, by arithmetic, `if`, `for`, and "
        "the functions of math and numpy, imported outside of it"
    )


def _first_reason(error: Exception) -> str:
    """The first line of numba's message that tells something."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During", "File", "<", "^"))]
    return said[0] if said else type(error).__name__
