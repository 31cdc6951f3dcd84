"""Put the exercises into an executed notebook of the course, for a page without a kernel.

    python -m simlib.course.web build/pages/notebooks/teaching/lesson2-easy.ipynb

Cells with exercises that a page can check are hidden, and a form is what they print; see `simlib.course.web.exercises`.
"""

import re
import sys
from pathlib import Path

import nbformat

from .exercises import asked, exercise_html


def put_in(path: Path) -> list[str]:
    """Put the exercises into a notebook, and return their numbers."""
    notebook = nbformat.read(path, as_version=4)
    solution = f"solutions/{path.stem}.html"
    known = asked()
    put: list[str] = []
    for cell in notebook.cells:
        found = re.search(r'lessons\.check\(\s*"(\d+\.\d+)"', cell.source) if cell.cell_type == "code" else None
        if found and found[1] in known:
            html = exercise_html(found[1], solution, assets=not put)
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": html})]
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "remove-input"]
            put.append(found[1])
    nbformat.write(notebook, path)
    return put


if __name__ == "__main__":
    for name in sys.argv[1:]:
        put_in(Path(name))
