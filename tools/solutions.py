"""The lessons with the answers of `docs/how-to/teaching/solutions.md`: `make solutions` writes these notebooks."""

import re

import nbformat

from simlib._util import paths
from simlib_course.grading import handout

ANSWERS = paths.ROOT / "docs" / "how-to" / "teaching" / "solutions.md"
BUILT = paths.ROOT / "build" / "teaching" / "solutions"


def solved(lesson):
    """A lesson's notebook with its answers, each in the cell that its section names by exercise or by the cell's id."""
    notebook = nbformat.read(lesson, as_version=4)
    answers = _sections(2, ANSWERS.read_text(encoding="utf-8"))[lesson.stem]
    places = {name: cell for cell in notebook.cells for name in (cell.id, *handout.checked(cell.source))}
    for name, text in _sections(3, answers).items():
        cell, at = places[name], notebook.cells.index(places[name])
        more = []
        for number, source in enumerate(re.split(r"(?m)^```(?:python)?\n", text)):  # text and code in turns
            if source.strip():
                new = (nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell)[number % 2]
                more.append(new(source.strip(), id=f"{name.replace('.', '-')}-{number}"))
        imports = re.match(r"(from simlib_course import lessons\n+)?", cell.source)[0]
        cell.source = imports + more.pop(0).source
        notebook.cells[at + 1 : at + 1] = more
    return notebook


def _sections(level, text):
    """The sections of a text by their headings of a level."""
    parts = re.split(rf"(?m)^{'#' * level} (.+)\n", text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


if __name__ == "__main__":
    BUILT.mkdir(parents=True, exist_ok=True)
    for path in handout.lessons():
        nbformat.write(solved(path), BUILT / path.name)
    print(BUILT)
