"""The course in nbgrader's hands: a good hand-in gets all points, an empty one none. `make test-nbgrader` runs it."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT

from simlib_course.answers import KEPT_TABLE
from simlib_course.grading import handout

PROGRAMS = Path(os.environ.get("NBGRADER", ROOT / "build" / "nbgrader" / "bin"))

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        not (PROGRAMS / "nbgrader").exists(), reason=f"nbgrader is not in {PROGRAMS}: make test-nbgrader"
    ),
]

LESSON = next(path for path in handout.lessons() if path.stem.startswith("lesson2"))


@pytest.fixture
def nbgrader(tmp_path):
    """A function that runs nbgrader in the course's folder; its kernel is this Python with simlib."""
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    about = {"argv": start, "display_name": "Python 3", "language": "python", "env": {"PYTHONPATH": str(ROOT)}}
    (kernel / "kernel.json").write_text(json.dumps(about))
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": path, "JUPYTER_PATH": str(tmp_path / "jupyter"), "HOME": str(tmp_path)}

    def run(*arguments):
        found = subprocess.run(
            [PROGRAMS / "nbgrader", *arguments],
            cwd=tmp_path / "course",
            env=os.environ | settings,
            capture_output=True,
            text=True,
        )
        assert found.returncode == 0, found.stderr

    return run


def with_a_typed_table(notebook):
    """The notebook as JupyterLab saves it when the table of exercise 2.3 is right, and nothing else was answered."""
    jobs = {"A": [0, 10, 2, 10], "first": [1, 10, 3, 10], "second": [2, 10, 4, 10], "backfill": [3, 250, 1, 250]}
    data = {"text/plain": "Right", KEPT_TABLE: {"exercise": "2.3", "jobs": jobs}}
    (cell,) = (cell for cell in notebook["cells"] if 'check("2.3"' in handout.text(cell))
    cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]
    return notebook


def test_a_good_hand_in_gets_all_points_an_empty_one_none_and_a_typed_table_counts(nbgrader, tmp_path):
    course, name = tmp_path / "course", LESSON.stem
    handout.write(course, nbgrader=True)
    nbgrader("generate_assignment", name)
    released, solved = (course / folder / name / LESSON.name for folder in ("release", "source"))
    assert "BEGIN SOLUTION" not in released.read_text() and "demand" in released.read_text()
    answer = next(source for source in handout.code(handout.read(released)) if '"2.1"' in source)
    asked = next(source for source in handout.code(handout.read(LESSON)) if '"2.1"' in source)
    assert answer.startswith(asked) and "NotImplementedError" not in answer
    typed = tmp_path / LESSON.name
    typed.write_text(json.dumps(with_a_typed_table(handout.read(released))))
    for student, notebook in (("good", solved), ("bad", released), ("typed", typed)):
        (course / "submitted" / student / name).mkdir(parents=True)
        shutil.copy(notebook, course / "submitted" / student / name)
    nbgrader("autograde", name)
    nbgrader("export")
    with open(course / "grades.csv", newline="") as file:
        scores = {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in csv.DictReader(file)}
    points = len(handout.exercises(handout.read(LESSON)))
    assert scores == {"good": (points, points), "bad": (0, points), "typed": (1, points)}
