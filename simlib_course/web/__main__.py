"""Put the exercises into an executed notebook of the course, for pages without a kernel.

    python -m simlib_course.web build/pages/notebooks/teaching/lesson2-easy.ipynb

Cells with exercises that a page can check are hidden, and a form is what they print; see `simlib_course.web.exercises`.
"""

import re
from pathlib import Path

import click
import nbformat

from .exercises import asked, exercise_html


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="NOTEBOOK")
def put_in(path: Path) -> None:
    """Put the exercises into an executed notebook of the course, for pages without a kernel."""
    notebook = nbformat.read(path, as_version=4)
    known = asked()
    first = True
    for cell in notebook.cells:
        found = re.search(r'lessons\.check\(\s*"(\d+\.\d+)"', cell.source) if cell.cell_type == "code" else None
        if found and found[1] in known:
            solution = f"solutions/{path.stem}.html" if (path.parent / "solutions").exists() else ""
            html = exercise_html(found[1], solution, assets=first)
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": html})]
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "remove-input"]
            first = False
    nbformat.write(notebook, path)


if __name__ == "__main__":
    put_in()
