"""Check what a notebook's parameters are set to, by hand or by papermill, before anything is computed with them."""

import ast
import difflib
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Integral, Real
from types import UnionType
from typing import Any, Union, get_args, get_origin

MOST = 10**9
"""No number of a notebook is above it."""

RENAMED = {"trace": "logs", "traces": "logs"}
"""Parameters that have a new name."""

KINDS = {str: "a text", bool: "True or False", dict: "a dict, such as {name: value}"}

Expected = tuple[float | None, float | None] | Collection[Any] | Callable[[Any], Any]


def check(variables: dict[str, Any] | None = None, /, **expected: Expected) -> None:
    """Check the parameters of the notebook that calls it; it is called in the cell after theirs.

    A notebook declares its parameters in a cell of their own, each with its type: `shakes: int = 40`. Whole numbers
    are at least 1, a `seed` at least 0, and other numbers above 0. A list has a value, and has none of them twice. A
    value becomes a list of one where a list is expected, for papermill's option `-p` has no lists, and a list of one
    becomes its value where one is expected. A text may be `...`, which stands for what somebody has still to write.

    Parameters
    ----------
    variables : dict, optional
        The variables of the notebook, with IPython's `In`; by default the caller's.
    **expected
        By parameter, what its type does not tell of its values, of those of its list, or of the keys of its dict: the
        least and the greatest number as a tuple; all known values as a list; or a function that raises an error.

    Raises
    ------
    ValueError
        For a wrong value, and for a parameter that papermill was given and the notebook does not have; the message
        names each of them.

    Examples
    --------
    >>> cells = ["shakes: int = 40  # runs", "# Parameters\\nshaeks = 5"]  # which papermill puts there
    >>> check({"In": cells, "shakes": 40})
    Traceback (most recent call last):
        ...
    ValueError: shaeks: found no such parameter, expected shakes
    >>> check({"In": cells[:1], "shakes": 0})
    Traceback (most recent call last):
        ...
    ValueError: shakes: found 0, expected a whole number, 1 to 1,000,000,000
    """
    variables = sys._getframe(1).f_globals if variables is None else variables
    hints, given = declared(variables.get("In", ()))
    if not hints:  # it is no notebook
        return
    faults = [_unknown(name, list(hints)) for name in (*given, *expected) if name not in hints]
    for name in [name for name in hints if name in variables]:
        hint = eval(hints[name], variables)
        more = (0, None) if (name, hint) == ("seed", int) else expected.get(name)
        value = getattr(variables[name], "asked", variables[name])  # made of it by a later cell, which has been run
        try:
            variables[name] = _right(value, hint, more)
        except (ValueError, RuntimeError) as error:  # as of a log that is not there
            faults.append(f"{name}: {error}")
    if faults:
        raise ValueError("\n".join(faults))


def declared(cells: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """List the types of the parameters by their names, from the cells that declare some, and what papermill gave."""
    hints: dict[str, str] = {}
    given: list[str] = []
    for cell in cells:
        try:
            lines = ast.parse(cell).body
        except SyntaxError:  # which had its own message
            continue
        if cell.startswith("# Parameters\n"):
            given = [ast.unparse(line.targets[0]) for line in lines if isinstance(line, ast.Assign)]
        elif all(isinstance(line, (ast.AnnAssign, ast.ImportFrom)) for line in lines):
            of = [line for line in lines if isinstance(line, ast.AnnAssign)]
            hints |= {ast.unparse(line.target): ast.unparse(line.annotation) for line in of}
    return hints, given


def _unknown(name: str, names: list[str]) -> str:
    """Say that there is no such parameter, and which one may be meant."""
    near = [RENAMED[name]] if RENAMED.get(name) in names else difflib.get_close_matches(name, names, 1)
    return f"{name}: found no such parameter, expected {' or '.join(near) if near else ', '.join(names)}"


def _right(value: Any, hint: Any, expected: Any) -> Any:
    """Give a value as its type wants it; ValueError if it is wrong."""
    kind, of = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return _right_for_one(value, of, expected)
    if kind is list:
        values = [*value] if isinstance(value, (list, tuple)) else [value]
        if not values:
            raise ValueError("found an empty list, expected a value at least")
        values = [_right(each, of[0], expected) for each in values]
        if doubled := [each for place, each in enumerate(values) if each in values[:place]]:
            raise ValueError(f"found {doubled[0]!r} twice, expected each value once")
        return values
    if isinstance(value, (list, tuple)) and len(value) == 1:
        (value,) = value
    if kind is dict and isinstance(value, Mapping):
        return {_right(key, of[0], expected): _right(each, of[1], None) for key, each in value.items()}
    if kind is str and value is ...:
        return value
    if kind in (int, float):
        expected = _check_number(value, kind, expected)
    elif kind in KINDS and not isinstance(value, kind):
        raise ValueError(f"found {value!r}, expected {KINDS[kind]}")
    if callable(expected):
        expected(value)
    elif expected is not None and value not in expected:
        raise ValueError(f"found {value!r}, expected one of {', '.join(map(str, expected))}")
    return value


def _right_for_one(value: Any, hints: tuple[Any, ...], expected: Any) -> Any:
    """Give a value as the first of some types wants it; ValueError if it is wrong for all."""
    errors = []
    for hint in hints:
        if hint is type(None) and value is None:
            return value
        if hint is not type(None):
            try:
                return _right(value, hint, expected)
            except ValueError as error:
                errors.append(str(error))
    raise ValueError("; or ".join(errors + ["None"] * (type(None) in hints)))


def _check_number(value: Any, kind: type, expected: Any) -> Any:
    """Check that a value is a number, and within bounds; give what else is expected."""
    bounds = isinstance(expected, tuple)
    least, most = expected if bounds else (None, None)
    positive, least, most = least is None, least or 0, MOST if most is None else most
    right = not isinstance(value, bool) and isinstance(value, Integral if kind is int else Real)
    if not right or not least <= value <= most or (positive and value == 0):
        if kind is int:
            words = f"a whole number, {1 if positive else least:,} to {most:,}"
        else:
            words = f"a number above 0, up to {most:,}" if positive else f"a number, {least:,} to {most:,}"
        raise ValueError(f"found {value!r}, expected {words}")
    return None if bounds else expected
