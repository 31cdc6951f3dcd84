"""Write the course as the source of a course for nbgrader: an assignment a lesson.

An exercise's cell holds the student's cell as it is, and below it, between the marks that nbgrader takes out, the
solution's. Below each check stands a locked cell with `lessons.demand`, which fails unless the answer is right.
"""

import json
from pathlib import Path
from typing import Any

from . import material

SCHEMA = 3
"""The version of nbgrader's cell metadata."""

CONFIG = '''"""For nbgrader, which reads this file in the folder that it is started in."""

c = get_config()
c.CourseDirectory.course_id = "simlib"
c.ClearSolutions.code_stub = {"python": "# Run this cell again whenever you have changed it."}
c.ExecutePreprocessor.timeout = 120  # seconds a cell
# As nbgrader has it, but for ClearOutput: a notebook's outputs keep the tables that students typed.
steps = "DeduplicateIds", "OverwriteKernelspec", "OverwriteCells", "CheckCellMetadata"
c.Autograde.sanitize_preprocessors = [f"nbgrader.preprocessors.{step}" for step in steps]
'''

README = """# The course for nbgrader

    nbgrader generate_assignment {first}   # in this folder, with nbgrader's own programs on the PATH
    # release it, and collect what students hand in, as you do
    nbgrader autograde {first}
    nbgrader export

Every right answer is worth a point. `source/` has the solutions: students get what `generate_assignment` writes into
`release/`. nbgrader needs a kernel in which simlib is installed.

nbgrader runs each notebook anew and asks the checks in the student's own kernel. So a notebook that changes simlib
while it runs can give itself points; `python -m simlib grade submitted` cannot be cheated so. A table that was typed
into an editor is read from the notebook's outputs, which `nbgrader_config.py` therefore leaves in.
"""


def files() -> dict[str, str]:
    """Make the files of the course, by their names in its folder."""
    made = {"nbgrader_config.py": CONFIG, "README.md": README.format(first=material.lessons()[0].stem)}
    for lesson in material.lessons():
        text = json.dumps(source(lesson), indent=1, ensure_ascii=False) + "\n"
        made[f"source/{lesson.stem}/{lesson.name}"] = text
    return made


def source(lesson: Path) -> material.Notebook:
    """Make an assignment's source of a lesson and its solution."""
    notebook = material.read(lesson)
    solved = {cell["id"]: material.text(cell) for cell in material.read(material.solution(lesson))["cells"]}
    cells = []
    for cell in notebook["cells"]:
        source = material.text(cell)
        if cell["cell_type"] == "markdown":  # what it points to is no part of the assignment
            cell["source"] = _lines(material.relink(source, lambda words, target: words))
        if cell["cell_type"] == "code" and "exercise" in cell["metadata"].get("tags", ()):
            cell["metadata"] |= _nbgrader(f"answer-{cell['id']}", solution=True)
            cell["source"] = _lines(f"{source}\n\n### BEGIN SOLUTION\n{solved[cell['id']]}\n### END SOLUTION")
        cells.append(cell)
        if cell["cell_type"] == "code":
            cells += [_demand(number) for number in material.checked(source)]
    return notebook | {"cells": cells}


def _demand(number: str) -> dict[str, Any]:
    """Make the cell that gives a point for an exercise."""
    name = f"check-{number.replace('.', '-')}"
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": _nbgrader(name, grade=True, locked=True) | {"deletable": False, "editable": False},
        "outputs": [],
        "source": _lines(
            f'from simlib import lessons\n\nlessons.demand("{number}")  # gives the point: leave it as it is'
        ),
    }


def _nbgrader(name: str, grade: bool = False, solution: bool = False, locked: bool = False) -> dict[str, Any]:
    """Make the metadata by which nbgrader knows a cell."""
    of = {"grade": grade, "solution": solution, "locked": locked, "task": False, "grade_id": name}
    return {"nbgrader": of | {"schema_version": SCHEMA} | ({"points": 1} if grade else {})}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
