"""Make of somebody's function one that numba can compile, and that cannot raise."""

import inspect
import warnings
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.errors import NumbaWarning

from .._util.fingerprint import installed
from . import numba_errors
from .numba_errors import in_python


def guarded(
    function: FunctionType,
    given: tuple[str, ...],
    told: dict[str, str],
    typical: dict[str, float],
    where: str,
    expected: str,
) -> FunctionType:
    """Compile a function of floats that returns a number, and guard it: nan says that it raised."""
    function = plain(function)
    _refuse_what_does_more(function, typical, where)
    defaults = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    inner = _copied(function, numba.njit(error_model="numpy", boundscheck=True))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)  # in numba's words
            inner.compile(tuple(types.float64 if name in told else numba.typeof(defaults[name]) for name in defaults))
    except Exception as error:  # numba raises what it likes, its own errors and others
        why = numba_errors.why(function, error, typical)
        raise ValueError(f"{where}, {why}") from None
    _refuse_return_type(function, typical, inner.nopython_signatures[0].return_type, where, expected)
    in_turn = ", ".join(told.get(name, f"default_{name}") for name in defaults)  # by name numba mixes them up in `try`
    lines = f"def guarded({', '.join(given)}):", " try:", f"  return float64(inner({in_turn}))"
    made: dict[str, Any] = {"inner": inner, "float64": np.float64, "nan": np.nan}
    made |= {f"default_{name}": default for name, default in defaults.items()}
    exec("\n".join([*lines, " except Exception:", "  return nan"]), made)  # for numba cannot pick arguments
    found: FunctionType = made["guarded"]
    return found


def plain(function: FunctionType) -> FunctionType:
    """Copy a function with those that it calls, none of which is compiled: as Python it says what goes wrong where."""
    copy: FunctionType = _copied(function, lambda copy: copy)
    return copy


def _copied(function: FunctionType, make: Callable[[FunctionType], Any], callers: tuple[CodeType, ...] = ()) -> Any:
    """Copy a function and make something of it, with the functions that it calls, as they and what they read are now.

    Functions themselves that numba compiled before would keep the values that global variables had then, and read
    tables beyond their ends. Those that are being copied already, as of a function that calls itself, are in `callers`.
    """
    names, modules = {*function.__code__.co_names}, dict[str, ModuleType]()

    def called(value: Any) -> Any:
        if isinstance(value, ModuleType) and not installed(value):
            if value.__name__ not in modules:
                module = modules[value.__name__] = ModuleType(value.__name__)
                own = {name: called(part) for name, part in vars(value).items() if name in names}
                vars(module).update(vars(value) | own)
            return modules[value.__name__]
        value = in_python(value)
        if (
            not isinstance(value, FunctionType)
            or value.__code__ in callers
            or str(value.__module__).startswith("numba.")
        ):
            return value
        return _copied(value, make, (*callers, function.__code__))

    own = {name: called(value) for name, value in function.__globals__.items() if name in names}
    read = function.__globals__ | own
    cells = tuple(CellType(called(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = FunctionType(function.__code__, read, function.__name__, function.__defaults__, cells)
    return make(copy)


def _refuse_what_does_more(function: FunctionType, typical: dict[str, float], where: str) -> None:
    """Refuse what returns another number each time, and what would fill a page."""
    if found := numba_errors.random(function):
        raise ValueError(f"{where}, {found.said(function)}")
    if found := numba_errors.printing(function):  # and it is called for each job at each decision
        example = f"{function.__name__}({', '.join(f'{name}={value}' for name, value in typical.items())})"
        raise ValueError(
            f"{where}, {found.said(function)}. It is called many thousand times. To see what it returns for one job, "
            f"take that line out, and write print({example}) in a cell of its own"
        )


def _refuse_return_type(
    function: FunctionType, typical: dict[str, float], returned: types.Type, where: str, expected: str
) -> None:
    if found := numba_errors.kind(returned):
        if case := found.startswith("nothing in") and numba_errors.case(function, typical):
            found = f"nothing for {case}"
        raise ValueError(f"{where} returns {found}; expected {expected}, in every case")
    if case := numba_errors.without_value(function, typical):
        raise ValueError(f"{where} reads a variable that has no value yet for {case}; expected one in every case")
