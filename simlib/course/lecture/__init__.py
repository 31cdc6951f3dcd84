"""What a lecturer prints and projects: pencil sheets, slides, answers for the pages of `docs/teaching/`, a glossary.

    python -m simlib.course.lecture sheets    # pencil sheets and the glossary on one page
    python -m simlib.course.lecture slides    # the slides of all lessons; or of some: slides lesson1 lesson4a
    python -m simlib.course.lecture answers   # the answers on the pages, from the solutions
    python -m simlib.course.lecture thumbnails   # the lessons' pictures on docs/learn.md, from the executed lessons

What it writes goes to `build/teaching/`, but for answers and thumbnails, which stand in the pages of `docs/`.
"""

import base64
import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import nbformat
from PIL import Image, ImageOps

from ..._util import paths
from ..grading import handout

DOCS = paths.ROOT / "docs" / "teaching"
"""The pages for the lecturer, and the sources of the slides."""

BUILT = paths.ROOT / "build" / "teaching"
"""Where sheets and slides go."""

# The answers on the pages: what the solutions answer, and what the checks say to it. A page has a line
# `<!-- answers: 2.1 2.2 -->` and one `<!-- until here -->`; what stands between them is written here.

SOLUTIONS = paths.ROOT / "notebooks" / "teaching" / "solutions"
PLACE = re.compile(r"(<!-- answers: ([A\d. ]+) -->\n).*?(<!-- until here -->)", re.S)


def write_answers() -> list[Path]:
    """Write the answers into all pages that have a place for them."""
    answers: dict[str, str] = {}
    for path in sorted(SOLUTIONS.glob("*.ipynb")):
        answers |= of_solution(path)
    pages = [path for path in sorted(DOCS.glob("*.md")) if PLACE.search(path.read_text(encoding="utf-8"))]
    for path in pages:
        new = with_answers(path.read_text(encoding="utf-8"), answers)
        path.write_text(new, encoding="utf-8")
    return pages


def with_answers(page: str, answers: dict[str, str]) -> str:
    """Put the answers into a page, in the place of those that stand there."""

    def filled(place: re.Match[str]) -> str:
        if unknown := [number for number in place[2].split() if number not in answers]:
            raise ValueError(f"answers: found {', '.join(unknown)}, which no solution in {SOLUTIONS} answers")
        return place[1] + "\n".join(answers[number] for number in place[2].split()) + "\n" + place[3]

    return PLACE.sub(filled, page)


def of_solution(path: Path) -> dict[str, str]:
    """Run the notebook of a solution: by exercise the answer, and what its check says, as Markdown."""
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    answers: dict[str, str] = {}
    table = ""  # what was put into an editor stands in the cell before its check
    with plt.rc_context({"figure.max_open_warning": 0}):
        for cell in cells:
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile(cell.source, f"{path.name}:{cell.id}", "exec"), names)
            exercise = "exercise" in cell.metadata.get("tags", [])
            if checked := handout.checked(cell.source):
                code = cell.source if exercise else f"{table}\n{cell.source}"
                code = code.replace("from simlib.course import lessons\n", "").strip()
                verdict = " ".join(printed.getvalue().rpartition("Right: ")[2].split())
                answers[checked[0]] = f"**{checked[0]}**\n\n```\n{code}\n```\n\n*The check:* {verdict}\n"
                table = ""
            elif exercise:
                table = cell.source
        plt.close("all")
    return answers


# The small pictures of the lessons on `docs/learn.md`: of each lesson the first picture that a cell of it draws.


THUMBNAILS = DOCS.parent / "_static" / "lessons"
SIZE = 240, 130
"""In pixels: the width and height of each."""


def write_thumbnails() -> list[Path]:
    """Write the thumbnails of the lessons that `make reproduce` has executed."""
    executed = sorted((paths.ROOT / "build" / "notebooks" / "teaching").glob("lesson*.ipynb"))
    if not executed:
        raise FileNotFoundError("build/notebooks/teaching: no executed lesson; 'make reproduce' executes them")
    THUMBNAILS.mkdir(parents=True, exist_ok=True)
    for lesson in executed:
        with Image.open(io.BytesIO(first_picture(lesson))) as picture:
            small = ImageOps.pad(picture.convert("RGB"), SIZE, Image.Resampling.LANCZOS, "white")
        small.quantize(64).save(THUMBNAILS / f"{lesson.stem}.png", optimize=True)
    return [THUMBNAILS / f"{lesson.stem}.png" for lesson in executed]


def first_picture(lesson: Path) -> bytes:
    """Find the first picture that an executed notebook draws itself: those of controls have tables below them."""
    for cell in nbformat.read(lesson, as_version=4).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if data.get("text/plain", "").startswith("<Figure"):
                return base64.b64decode(data["image/png"])
    raise ValueError(f"{lesson}: found no picture, expected one that a cell draws")
