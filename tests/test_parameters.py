"""Parameters of notebooks: the first cell after them refuses what is wrong, by name, whichever notebook it is."""

import ast
import math
import re

import papermill
import pytest
from exhibits import code_cells
from helpers import ROOT

from simlib_study import loading

NOTEBOOKS = sorted(
    path.relative_to(ROOT / "notebooks").with_suffix("").as_posix() for path in ROOT.glob("notebooks/**/*.ipynb")
)

WRONG = {
    "int": ["many", True, math.nan, -1, 2.5, [], [2, 3], {}, 10**10],
    "float": ["much", True, math.nan, math.inf, -1, [], [2, 3], {}, 10**10],
    "bool": ["yes", 1, [], None],
    "str": [3, True, math.nan, [], ["a", "b"], {}],
    "Union": [2.5, True, [], {}],
    "dict": [3, "CTC", [], None, {"LANL": "exact"}],
}
"""By kind what is wrong for every parameter of this kind."""

UNKNOWN = {"logs": "LANL", "by": "colour", "key": "shoe size", "window": "a while", "order": "lifo", "month": "May"}
UNKNOWN |= {"policies": "lottery", "base": "lottery"}
"""By parameter a value that nobody knows."""

ZERO = {"seed", "percentile", "percentiles", "other_percentiles", "threshold", "precision", "under"}
"""May be 0 in some notebooks."""


def first_cells(name):
    """Run a notebook's cell of parameters, and what the next one imports; gives its variables and its check."""
    tagged, (cell, *_) = code_cells(name)
    variables = {"__name__": "__main__", "In": [tagged, "", cell]}
    exec(tagged, variables)
    lines = ast.parse(cell).body
    call = r"(study|parameters)\.(parameters|check)\("
    (place,) = (number for number, line in enumerate(lines) if re.match(call, ast.unparse(line)))
    exec(compile(ast.Module(lines[:place], []), name, "exec"), variables)
    return variables, compile(ast.Module([lines[place]], []), name, "exec")


def checked(variables, check, **given):
    """Check a notebook's parameters with those that papermill was given; gives what they are then."""
    injected = "".join(["# Parameters\n", *(f"{name} = {value!r}\n" for name, value in given.items())])
    tagged, _, cell = variables["In"]
    after = variables | given | {"In": [tagged, injected, cell]}
    exec(check, after)
    return after


def hints(name):
    """By parameter of a notebook its type, as text."""
    lines = ast.parse(code_cells(name)[0]).body
    return {line.target.id: ast.unparse(line.annotation) for line in lines if isinstance(line, ast.AnnAssign)}


def wrong_values(parameter, hint, default):
    """List values that are wrong for a parameter, by its type and its name."""
    optional, _, inner = hint.rpartition("Optional[")
    *many, kind = re.findall("[a-z]+", inner)[:2] if inner.startswith("list") else [re.match("[a-zA-Z]+", inner)[0]]
    values = WRONG.get(kind, []) + ([0] if kind in ("int", "float") and parameter not in ZERO else [])
    values = values + ([UNKNOWN[parameter]] if parameter in UNKNOWN else [])
    if many:
        values = [[value] for value in values if not isinstance(value, list)]
        values += [[], {}, *([[*default, default[0]]] if default else [])]
    return values if hint.startswith(("Optional", "Union")) else [*values, None]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_first_cell_takes_a_notebook_s_own_parameters_and_refuses_wrong_ones_by_name(name):
    cells = first_cells(name)
    own, wrong = checked(*cells), []
    for parameter, hint in hints(name).items():
        for value in wrong_values(parameter, hint, own[parameter]):
            try:
                checked(*cells, **{parameter: value})
                wrong.append(f"{parameter}: {value!r} is taken")
            except ValueError as error:
                if not str(error).startswith(f"{parameter}: "):
                    wrong.append(f"{parameter}: {value!r}: {error}")
    assert wrong == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_papermill_tells_of_each_parameter_what_it_is(name):
    told = papermill.inspect_notebook(ROOT / "notebooks" / f"{name}.ipynb")
    assert {each: one["inferred_type_name"].replace(" ", "") for each, one in told.items()} == {
        each: hint.replace(" ", "") for each, hint in hints(name).items()
    }


@pytest.mark.parametrize(
    ("name", "given", "named"),
    [
        ("mualem2001/table3", {"shaeks": 5}, "shaeks: .* expected shakes$"),
        ("mualem2001/table3", {"trace": "KTH"}, "trace: .* expected logs$"),
        ("tang2013/table2", {"traces": ["SDSC-SP2"], "sede": 2}, "traces: .* expected logs\nsede: .* expected seed"),
        ("tsafrir2005/figure3", {"log": "HPC2N"}, "log: .* expected logs$"),
        ("mualem2001/footnote2", {"colour": 3}, "colour: .* expected logs, limit$"),
        ("teaching/lesson1-fcfs", {"logs": "KTH-SP2", "mnoth": "1997-02"}, "mnoth: .* expected month$"),
        ("mualem2001/table4", {"logs": "HPC2N"}, "logs: found HPC2N, expected names out of CTC, KTH, SDSC, Par, CM5$"),
        ("mualem2001/table3", {"logs": ["KTH", "HPC2N"]}, "logs: found HPC2N, .* CTC, .* or only logs of your own"),
        ("mualem2001/table3", {"logs": "data"}, "logs: data: found a folder"),
        ("mualem2001/footnote2", {"logs": ["KTH", "CTC"]}, "logs: found .'KTH', 'CTC'., expected a text"),
        ("mualem2001/figure9", {"logs": "Par"}, "logs: found 'Par', expected one of CTC, KTH, SDSC, CM5"),
        ("mualem2001/figure4", {"number_of_runs": 1}, "number_of_runs: found 1, expected a whole number, 2 to"),
        ("mualem2001/table3", {"factors": [2, 0.5]}, "factors: found 0.5, expected a number, 1 to"),
        ("tang2013/figures4-7", {"threshold": 0}, "threshold: found 0, expected a number, 0.01 to 1$"),
        ("tang2013/figures4-7", {"threshold": 1.5}, "threshold: found 1.5, expected a number, 0.01 to 1$"),
        (
            "other-machines/estimates",
            {"percentiles": [100, 101]},
            "percentiles: found 101, expected a number, 0 to 100$",
        ),
        ("mualem2001/table1", {"jobs": {"LANL": "procs > 1"}}, "jobs: found 'LANL', expected one of CTC, KTH"),
        ("mualem2001/table1", {"shakes": 0, "seed": "x"}, "shakes: found 0, .*\nseed: found 'x', expected a"),
    ],
)
def test_what_papermill_is_given_is_refused_in_words(name, given, named):
    cells = first_cells(name)
    with pytest.raises(ValueError, match=named):
        checked(*cells, **given)


@pytest.mark.parametrize(
    ("name", "given", "taken"),
    [
        ("mualem2001/table3", {"factors": 2, "logs": "KTH"}, {"factors": [2], "logs": ["KTH"]}),
        ("mualem2001/table3", {"factors": (2, 4)}, {"factors": [2, 4]}),
        ("mualem2001/table3", {"logs": ["HPC2N", "KTH-SP2"]}, {"logs": ["HPC2N", "KTH-SP2"]}),
        ("mualem2001/footnote2", {"logs": ["KTH"]}, {"logs": "KTH"}),
        ("tang2013/figure11", {"window": None, "threshold": None, "least": 3}, {"threshold": None, "least": [3]}),
        ("my-cluster", {"partition": 2, "what_ifs": "procs +20%"}, {"partition": 2, "what_ifs": ["procs +20%"]}),
        ("my-cluster", {"partition": "gpu", "procs": 64}, {"partition": "gpu"}),
    ],
)
def test_one_value_may_stand_for_a_list_of_one_and_none_where_the_type_has_it(name, given, taken):
    after = checked(*first_cells(name), **given)
    assert {each: after[each] for each in taken} == taken


def test_in_a_session_the_first_cell_can_be_run_again_whatever_was_run_since(monkeypatch):
    variables, check = first_cells("mualem2001/table3")
    after = checked(variables, check, shakes=2)
    after["logs"] = loading.Logs({})
    after["logs"].asked = ["KTH"]
    after["In"] += ["logs = study.logs('mualem2001', logs)", "x: int = 3", "%timeit 1", "shaeks = 3"]
    exec(check, after)
    assert after["logs"] == ["KTH"] and after["shakes"] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "given", "named"),
    [
        ("mualem2001/table3", {"shaeks": 5}, "shaeks: found no such parameter, expected shakes"),
        ("teaching/lesson4a-heel-and-toe", {"factors": []}, "factors: found an empty list"),
    ],
)
def test_papermill_stops_in_the_first_cell(name, given, named, tmp_path):
    with pytest.raises(papermill.PapermillExecutionError, match=named) as stopped:
        notebook, how = ROOT / "notebooks" / f"{name}.ipynb", {"kernel_name": "python3", "progress_bar": False}
        papermill.execute_notebook(notebook, tmp_path / "out.ipynb", given, **how)
    assert stopped.value.exec_count == 3  # after those of the parameters and of what was given
