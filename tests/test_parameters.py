"""Parameters of notebooks: the first cell after them refuses what is wrong, by name, whichever notebook it is."""

import ast
import math
import subprocess
import sys

import papermill
import pytest
from helpers import ROOT, code_cells

from simlib import parameters

NOTEBOOKS = sorted(
    path.relative_to(ROOT / "notebooks").with_suffix("").as_posix() for path in ROOT.glob("notebooks/**/*.ipynb")
)

WRONG = {
    "int": ["many", True, math.nan, -1, 2.5, [], [2, 3], {}, 10**10],
    "float": ["much", True, math.nan, math.inf, -1, [], [2, 3], {}, 10**10],
    "bool": ["yes", 1, [], None],
    "str": [3, True, math.nan, [], ["a", "b"], {}],
    "dict": [3, "CTC", [], None, {"LANL": "exact"}],
}
"""By kind what is wrong for every parameter of this kind."""

UNKNOWN = {"logs": "LANL", "by": "colour", "key": "shoe size", "window": "a while", "order": "lifo", "month": "May"}
UNKNOWN |= {"policies": "lottery", "base": "lottery"}
"""By parameter a value that nobody knows."""

ZERO = {"seed", "percentile", "percentiles", "other_percentiles", "threshold", "precision", "under"}
"""May be 0 in some notebooks."""


def first_cell(name, **given):
    """Run a notebook's cell of parameters, that with those given as papermill injects them, and the check behind it."""
    tagged, (cell, *_) = code_cells(name)
    injected = "".join(["# Parameters\n", *(f"{each} = {value!r}\n" for each, value in given.items())])
    variables = {"__name__": "__main__", "nan": math.nan, "inf": math.inf, "In": [tagged, injected, cell]}
    exec(tagged, variables)
    exec(injected, variables)
    lines = ast.parse(cell).body
    checks = [place for place, line in enumerate(lines) if "parameters" in ast.unparse(line)]
    exec(compile(ast.Module(lines[: checks[-1] + 1], []), name, "exec"), variables)
    return variables


def hints(name):
    """By parameter of a notebook its type, as text."""
    return {line.target.id: ast.unparse(line.annotation) for line in ast.parse(code_cells(name)[0]).body[-20:] if isinstance(line, ast.AnnAssign)}


def wrong_values(parameter, hint, default):
    """List values that are wrong for a parameter."""
    optional, kind = hint.startswith("Optional["), hint.removeprefix("Optional[").removesuffix("]")
    many, kind = kind.startswith("list["), kind.removeprefix("list[").removesuffix("]").partition("[")[0]
    values = list(WRONG.get(kind, []))
    if kind in ("int", "float") and parameter not in ZERO:
        values.append(0)
    if parameter in UNKNOWN:
        values.append(UNKNOWN[parameter])
    if many:
        values = [[each] for each in values if not isinstance(each, list)] + [[], {}, [*default, default[0]]]
    return values + ([] if optional else [None])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_first_cell_takes_the_notebook_s_own_parameters_and_refuses_wrong_ones_by_name(name):
    own = first_cell(name)
    taken = []
    for parameter, hint in hints(name).items():
        if hint.startswith("Union") or own[parameter] is None or own[parameter] == "":
            continue
        for value in wrong_values(parameter, hint, own[parameter]):
            try:
                first_cell(name, **{parameter: value})
            except ValueError as error:
                if not str(error).startswith(f"{parameter}: "):
                    taken.append((parameter, value, str(error)))
            else:
                taken.append((parameter, value))
    assert taken == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_papermill_tells_of_each_parameter_what_it_is(name):
    told = papermill.inspect_notebook(ROOT / "notebooks" / f"{name}.ipynb")
    assert {each: one["inferred_type_name"].replace(" ", "") for each, one in told.items()} == {
        each: hint.replace(" ", "") for each, hint in hints(name).items()
    }
