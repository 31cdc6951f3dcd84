"""Orders of the queue: functions of (wait, estimate, size), compiled; the job with the largest value is the head."""

import inspect
import traceback
from functools import cache
from types import CellType, FunctionType

import numba
import numpy as np
from numba.core import types

from .identity import identity


def _arrival(wait, estimate, size):
    return 0.0


def _shortest_job_first(wait, estimate, size):
    return -estimate


def _wfp(wait, estimate, size):
    return (wait / max(estimate, 1.0)) ** 3 * size


ORDERS = {"fcfs": _arrival, "sjf": _shortest_job_first, "wfp": _wfp}

EXPECTED = "a function of the floats (wait, estimate, size) that returns a number"

_POINTER = numba.cfunc("float64(float64, float64, float64)", cache=True, error_model="numpy")
_compiled = {}  # functions of others, by all that they hang on


def check(order):
    """Raise ValueError where `order` is neither the name of one nor callable with three numbers."""
    if isinstance(order, str) and order in ORDERS:
        return
    expected = f"expected one of {', '.join(map(repr, ORDERS))} or {EXPECTED}"
    if not isinstance(getattr(order, "py_func", order), FunctionType):  # no class, partial or object: they have no code
        raise ValueError(f"EASY: found order={order!r}, {expected}")
    try:
        inspect.signature(getattr(order, "py_func", order)).bind(0.0, 0.0, 0.0)
    except TypeError as error:
        raise ValueError(
            f"EASY: order {_name(order)!r} cannot be called with three numbers: {error}; {expected}"
        ) from None


def compiled(order):
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
def _own(name):
    return _POINTER(ORDERS[name])


def _guarded(order):
    """A function of somebody's as a pointer, which cannot raise: nan says that it did."""
    function = getattr(order, "py_func", order)
    _refuse_print(function)
    inner = _compilable(function, ())
    try:
        inner.compile((types.float64,) * 3)
    except Exception as error:  # numba raises what it likes, its own errors and others
        raise _cannot_compile(function, error) from None
    _refuse_return_type(function, inner.nopython_signatures[0].return_type)

    def guarded(wait, estimate, size):
        try:
            return np.float64(inner(wait, estimate, size))
        except Exception:
            return np.nan

    return numba.cfunc("float64(float64, float64, float64)", error_model="numpy")(guarded)


def _compilable(function, within):
    """A function for numba to compile, with the functions that it calls, as they and what they read are now.

    A copy: functions that numba compiled before would keep the values that global variables had then.
    """

    def called(value):
        value = getattr(value, "py_func", value)
        if (
            not isinstance(value, FunctionType)
            or value.__code__ in within
            or str(value.__module__).startswith("numba.")
        ):
            return value
        return _compilable(value, (*within, function.__code__))

    names = {*function.__code__.co_names} & {*function.__globals__}
    read = function.__globals__ | {name: called(function.__globals__[name]) for name in names}
    cells = tuple(CellType(called(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = FunctionType(function.__code__, read, function.__name__, function.__defaults__, cells)
    return numba.njit(error_model="numpy")(copy)


def failed(order, wait, estimate, size):
    """Find out why an order gave no number for a job: call it as plain Python.

    Raises
    ------
    Exception
        The one that the function raises itself, with a note; else ValueError that says what it returned.
    """
    numbers = f"wait={wait:g}, estimate={estimate:g}, size={size:g}"
    function = getattr(order, "py_func", order)
    try:
        with np.errstate(all="ignore"):  # as where it is compiled: 1 / 0 is infinite, 0 / 0 nan
            returned = function(*map(np.float64, (wait, estimate, size))) if callable(order) else np.nan
    except Exception as error:
        error.add_note(f"EASY: order {_name(order)!r} raised this for {numbers}; expected {EXPECTED}")
        raise
    raise ValueError(f"EASY: order {_name(order)!r} returned {returned} for {numbers}; expected {EXPECTED}")


def _name(order):
    return getattr(order, "__name__", repr(order))


def _refuse_print(function):
    if "print" in function.__code__.co_names:
        raise ValueError(
            f"EASY: order {_name(function)!r} prints, which it cannot do while jobs are scheduled; call it for one job "
            f"to see what it does, such as print({_name(function)}(60.0, 3600.0, 8.0)), and take the print out"
        )


def _refuse_return_type(function, returned):
    if isinstance(returned, (types.Number, types.Boolean)) and not isinstance(returned, types.Complex):
        return
    found = "sometimes nothing" if isinstance(returned, types.Optional) else returned.name
    found = {"none": "nothing", "unicode_type": "a string"}.get(found, found)
    found = "a string" if isinstance(returned, types.Literal) and isinstance(returned.literal_value, str) else found
    raise ValueError(f"EASY: order {_name(function)!r} returns {found}; expected {EXPECTED}, in every case")


def _cannot_compile(function, error):
    """Why not: what plain Python says, where it cannot run the function either; else what numba says."""
    try:
        function(60.0, 3600.0, 8.0)
        why = f"plain Python can run it, but it cannot be compiled ({_of_numba(error)})"
    except Exception as plain:
        line = traceback.extract_tb(plain.__traceback__)[-1].lineno
        why = f"line {line}: {type(plain).__name__}: {plain}"
    return ValueError(
        f"EASY: order {_name(function)!r} cannot be used: {why}; expected {EXPECTED}, by arithmetic, `if`, `for`, and "
        "the functions of math and numpy, imported outside of it"
    )


def _of_numba(error):
    """The first line of numba's message that tells something."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During", "File", "<", "^"))]
    return said[0] if said else type(error).__name__
