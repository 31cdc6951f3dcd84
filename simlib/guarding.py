"""Make of somebody's function one that numba can compile, and that cannot raise."""

import warnings
from types import CellType, CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.errors import NumbaWarning

from . import refusing
from .refusing import in_python


def guarded(
    function: FunctionType, given: tuple[str, ...], typical: dict[str, float], where: str, expected: str
) -> FunctionType:
    """Check that numba can compile a function of floats that returns a number, and guard it: nan says that it raised.

    Parameters
    ----------
    function : function
    given : tuple of str
        What the guarded function is called with, by name.
    typical : dict
        What the function asks for of these, in its own order, with numbers for which it is tried.
    where, expected : str
        Whose it is, and what would be right, for messages.

    Returns
    -------
    function
        One that is to be compiled, and calls it, compiled.

    Raises
    ------
    ValueError
        Where the function cannot be compiled, prints, or does not return a number; the message says which line.

    Examples
    --------
    >>> wide = guarded(lambda size: 1 / size, ("wait", "size"), {"size": 4.0}, "a function", "a number")
    >>> float(wide(60.0, 8.0))
    0.125
    """
    _refuse_printing(function, typical, where)
    inner = _compilable(function, ())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)  # in numba's words
            inner.compile((types.float64,) * len(typical))
    except Exception as error:  # numba raises what it likes, its own errors and others
        why = refusing.why(function, error, typical)
        raise ValueError(f"{where}, {why}") from None
    _refuse_return_type(function, typical, inner.nopython_signatures[0].return_type, where, expected)
    lines = f"def guarded({', '.join(given)}):", " try:", f"  return float64(inner({', '.join(typical)}))"
    made: dict[str, Any] = {"inner": inner, "float64": np.float64, "nan": np.nan}
    exec("\n".join([*lines, " except Exception:", "  return nan"]), made)  # for numba cannot pick arguments by name
    found: FunctionType = made["guarded"]
    return found


def _compilable(function: FunctionType, callers: tuple[CodeType, ...]) -> Any:
    """Copy a function for numba to compile, with the functions that it calls, as they and what they read are now.

    Functions themselves that numba compiled before would keep the values that global variables had then. Those that
    are being copied already, as of a function that calls itself, are in `callers`.
    """

    def called(value: Any) -> Any:
        value = in_python(value)
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


def _refuse_printing(function: FunctionType, typical: dict[str, float], where: str) -> None:
    """Refuse what would fill a page: an order is called for each job at each decision."""
    if found := refusing.printing(function):
        example = f"{function.__name__}({', '.join(map(str, typical.values()))})"
        raise ValueError(
            f"{where}, {found.said(function)}. It is called many thousand times. To see what it returns for one job, "
            f"take that line out, and write print({example}) in a cell of its own"
        )


def _refuse_return_type(
    function: FunctionType, typical: dict[str, float], returned: types.Type, where: str, expected: str
) -> None:
    if found := refusing.kind(returned):
        if case := found.startswith("nothing in") and refusing.case(function, typical):
            found = f"nothing for {case}"
        raise ValueError(f"{where} returns {found}; expected {expected}, in every case")
    if case := refusing.without_value(function, typical):
        raise ValueError(f"{where} reads a variable that has no value yet for {case}; expected one in every case")
