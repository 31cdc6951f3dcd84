"""Orders of the queue: functions of (wait, estimate, size), compiled; the job with the largest value is the head."""

import inspect
import traceback
from collections.abc import Callable
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any, NoReturn

import numba
import numpy as np
from numba.core import types
from numba.core.ccallback import CFunc

from .compiled import pointer
from .identity import identity

Order = str | Callable[[float, float, float], float]
"""A name in `ORDERS`, or a function of (wait, estimate, size)."""


def _arrival(wait: float, estimate: float, size: float) -> float:
    return 0.0


def _shortest_job_first(wait: float, estimate: float, size: float) -> float:
    return -estimate


def _wfp(wait: float, estimate: float, size: float) -> float:
    return (wait / max(estimate, 1.0)) ** 3 * size


ORDERS = {"fcfs": _arrival, "sjf": _shortest_job_first, "wfp": _wfp}

EXPECTED = "a function of the floats (wait, estimate, size) that returns a number"

_TYPES = "float64(float64, float64, float64)"
_compiled: dict[tuple, CFunc] = {}  # functions of others, by all that they hang on


def check(order: Order) -> None:
    """Check that `order` is the name of one, or a function that can be called with three numbers.

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
    if isinstance(order, str) and order in ORDERS:
        return
    expected = f"expected one of {', '.join(map(repr, ORDERS))} or {EXPECTED}"
    function = _in_python(order)
    if not isinstance(function, FunctionType):  # no class, partial or object: they have no code
        raise ValueError(f"EASY: found order={order!r}, {expected}")
    try:
        inspect.signature(function).bind(0.0, 0.0, 0.0)
    except TypeError as error:
        raise ValueError(
            f"EASY: order {_name(order)!r} cannot be called with three numbers: {error}; {expected}"
        ) from None


def compiled(order: Order) -> CFunc:
    """Compile an order to a function pointer, so that no kernel is compiled anew for it.

    Parameters
    ----------
    order : str or callable
        A name in `ORDERS`, or a function. One that was compiled before is not compiled again, unless what it hangs on
        is another now, such as a global variable that it reads.

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
    if isinstance(order, str):
        return _own(order)
    try:
        key = identity(order)
    except TypeError:
        return _guarded(order)
    if key not in _compiled:
        _compiled[key] = _guarded(order)
    return _compiled[key]


@cache
def _own(name: str) -> CFunc:
    return pointer(ORDERS[name], _TYPES)


def _guarded(order: Callable) -> CFunc:
    """Compile somebody's function to a pointer, which cannot raise: nan says that it did."""
    function = _in_python(order)
    _refuse_print(function)
    inner = _compilable(function, ())
    try:
        inner.compile((types.float64,) * 3)
    except Exception as error:  # numba raises what it likes, its own errors and others
        raise _cannot_compile(function, error) from None
    _refuse_return_type(function, inner.nopython_signatures[0].return_type)

    def guarded(wait: float, estimate: float, size: float) -> float:
        try:
            return np.float64(inner(wait, estimate, size))
        except Exception:
            return np.nan

    return numba.cfunc(_TYPES, error_model="numpy")(guarded)


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


def failed(order: Order, wait: float, estimate: float, size: float) -> NoReturn:
    """Find out why an order gave no number for a job: call it as plain Python.

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
    numbers = f"wait={wait:g}, estimate={estimate:g}, size={size:g}"
    function = _in_python(order)
    try:
        with np.errstate(all="ignore"):  # as where it is compiled: 1 / 0 is infinite, 0 / 0 nan
            returned = function(*map(np.float64, (wait, estimate, size))) if callable(order) else np.nan
    except Exception as error:
        error.add_note(f"EASY: order {_name(order)!r} raised this for {numbers}; expected {EXPECTED}")
        raise
    raise ValueError(f"EASY: order {_name(order)!r} returned {returned} for {numbers}; expected {EXPECTED}")


def _in_python(value: Any) -> Any:
    """The function of Python's that numba compiled; whatever else it is, the value itself."""
    return getattr(value, "py_func", value)


def _name(order: object) -> str:
    return getattr(order, "__name__", repr(order))


def _refuse_print(function: FunctionType) -> None:
    if "print" in function.__code__.co_names:
        raise ValueError(
            f"EASY: order {_name(function)!r} prints, which it cannot do while jobs are scheduled; call it for one job "
            f"to see what it does, such as print({_name(function)}(60.0, 3600.0, 8.0)), and take the print out"
        )


def _refuse_return_type(function: FunctionType, returned: types.Type) -> None:
    if isinstance(returned, (types.Number, types.Boolean)) and not isinstance(returned, types.Complex):
        return
    found = "sometimes nothing" if isinstance(returned, types.Optional) else returned.name
    found = {"none": "nothing", "unicode_type": "a string"}.get(found, found)
    found = "a string" if isinstance(returned, types.Literal) and isinstance(returned.literal_value, str) else found
    raise ValueError(f"EASY: order {_name(function)!r} returns {found}; expected {EXPECTED}, in every case")


def _cannot_compile(function: FunctionType, error: Exception) -> ValueError:
    """Say why a function cannot be compiled: in Python's words where it fails in plain Python too, else in numba's."""
    try:
        function(60.0, 3600.0, 8.0)
        why = f"plain Python can run it, but it cannot be compiled ({_first_reason(error)})"
    except Exception as plain:
        line = traceback.extract_tb(plain.__traceback__)[-1].lineno
        why = f"line {line}: {type(plain).__name__}: {plain}"
    return ValueError(
        f"EASY: order {_name(function)!r} cannot be used: {why}; expected {EXPECTED}, by arithmetic, `if`, `for`, and "
        "the functions of math and numpy, imported outside of it"
    )


def _first_reason(error: Exception) -> str:
    """The first line of numba's message that tells something."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During", "File", "<", "^"))]
    return said[0] if said else type(error).__name__
