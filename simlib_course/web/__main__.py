"""Put the exercises into an executed notebook of the course, for pages without a kernel.

    python -m simlib_course.web build/pages/notebooks/teaching/lesson2-easy.ipynb

Cells with exercises that a page can check are hidden, and a form is what they print; see `simlib_course.web.exercises`.
"""

import re
from functools import partial
from pathlib import Path
from unittest.mock import patch

import click
import nbformat

from simlib.logs.archive import load

from .. import lessons
from .exercises import asked, exercise_html


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="NOTEBOOK")
def put_in(path: Path) -> None:
    """Put the exercises into an executed notebook of the course, for pages without a kernel."""
    notebook = nbformat.read(path, as_version=4)
    known = asked()
    first = True
    with patch.object(lessons, "load", partial(load, variant=shown(path, notebook))):
        for cell in notebook.cells:
            found = re.search(r'lessons\.check\(\s*"(\d+\.\d+)"', cell.source) if cell.cell_type == "code" else None
            if found and found[1] in known:
                html = exercise_html(found[1], f"solutions/{path.stem}.html", assets=first)
                cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": html})]
                cell.metadata["tags"] = [*cell.metadata.get("tags", []), "remove-input"]
                first = False
    nbformat.write(notebook, path)


def shown(path: Path, notebook: nbformat.NotebookNode) -> str | None:
    """Find whether an executed notebook shows the log or its twin; refuse one with the log where only the twin is."""
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = "".join("".join(data.get("text/plain", "")) for data in outputs)
    for variant in (None, "twin"):
        month = load(lessons.LOG, variant).months("1997-01")
        if repr(month) in texts or lessons.LOG not in texts:
            return variant
    raise click.ClickException(
        f"{path}: found another log than {lessons.LOG} as it is here, expected the same: let SIMLIB_TRACES name the "
        "folder with which the notebook was executed, or execute it again"
    )


if __name__ == "__main__":
    put_in()
