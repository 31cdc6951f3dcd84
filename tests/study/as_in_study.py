"""Notebooks that tests change, and that are judged all the same, for the study is said to have them so."""

import ast

import exhibits
import pytest

import simlib_study as study
from simlib_study import experiments, notebooks


def executed(name, edits=None, given=None, until=None, judged=True, **parameters):
    """Run a notebook as `exhibits.executed` does; the study has it with these edits and parameters, if `judged`.

    In place of the logs it takes those that are `given`.
    """
    given, tagged = dict(given or {}), ast.parse(exhibits.code_cells(name)[0])
    for line in tagged.body:
        if isinstance(line, ast.AnnAssign) and line.target.id in parameters:
            line.value = ast.parse(repr(parameters[line.target.id]), mode="eval").body
    with pytest.MonkeyPatch.context() as patch:
        if "logs" in given:
            logs = given.pop("logs")
            patch.setattr(study, "logs", lambda *_, **__: logs)
        if judged:
            first, cells = ast.unparse(tagged), exhibits.code_cells(name)[1]
            for old, new in (edits or {}).items():
                cells = [cell.replace(old, new) for cell in cells]
            own = notebooks.Notebook(name, code=(first, *cells), tagged=first)
            patch.setattr(experiments, "notebook", {name: own}.get)
        return exhibits.executed(name, edits, given, until, **parameters)
