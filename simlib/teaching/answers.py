"""The answers on the pages of `docs/teaching/`: what the solutions answer, and what the checks say to it.

A page has a line `<!-- answers: 2.1 2.2 -->` and one `<!-- until here -->`; what stands between them is written here.
"""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from .. import paths
from . import DOCS

SOLUTIONS = paths.ROOT / "notebooks" / "teaching" / "solutions"
PLACE = re.compile(r"(<!-- answers: ([A\d. ]+) -->\n).*?(<!-- until here -->)", re.S)
CHECK = re.compile(r'lessons\.check\(\s*"([A\d]\.\d)"')


def write() -> list[Path]:
    """Write the answers into all pages that have a place for them.

    Returns
    -------
    list of Path
        The pages.
    """
    answers = {number: text for path in sorted(SOLUTIONS.glob("*.ipynb")) for number, text in _of(path)}
    pages = [path for path in sorted(DOCS.glob("*.md")) if PLACE.search(path.read_text(encoding="utf-8"))]
    for path in pages:
        new = with_answers(path.read_text(encoding="utf-8"), answers)
        path.write_text(new, encoding="utf-8")
    return pages


def asked(page: str) -> list[str]:
    """List the exercises whose answers a page has.

    Examples
    --------
    >>> asked("<!-- answers: 2.1 2.2 -->")
    ['2.1', '2.2']
    """
    return [number for found in re.findall(r"<!-- answers: ([A\d. ]+) -->", page) for number in found.split()]


def with_answers(page: str, answers: dict[str, str]) -> str:
    """Put the answers into a page, in the place of those that stand there.

    Raises
    ------
    ValueError
        For an exercise that no solution has.

    Examples
    --------
    >>> print(with_answers("<!-- answers: 2.1 -->\\nold\\n<!-- until here -->", {"2.1": "new"}))
    <!-- answers: 2.1 -->
    new
    <!-- until here -->
    """

    def filled(place: re.Match[str]) -> str:
        if unknown := [number for number in place[2].split() if number not in answers]:
            raise ValueError(f"answers: found {', '.join(unknown)}, which no solution in {SOLUTIONS} answers")
        return place[1] + "\n".join(answers[number] for number in place[2].split()) + "\n" + place[3]

    return PLACE.sub(filled, page)


def of_solution(path: Path) -> dict[str, str]:
    """Run the notebook of a solution: by exercise the answer, and what its check says, as Markdown.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict
    """
    return dict(_of(path))


def _of(path: Path) -> Iterator[tuple[str, str]]:
    import matplotlib.pyplot as plt
    import nbformat

    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    tables: list[str] = []  # what was put into an editor stands in the cell before its check
    with plt.rc_context({"figure.max_open_warning": 0}):
        for cell in cells:
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile(cell.source, f"{path.name}:{cell.id}", "exec"), names)
            if check := CHECK.search(cell.source):
                source = [*tables, cell.source] if "exercise" not in cell.metadata.get("tags", []) else [cell.source]
                yield check[1], _written(check[1], "\n".join(source), printed.getvalue())
                tables = []
            elif "exercise" in cell.metadata.get("tags", []):
                tables = [cell.source]
        plt.close("all")


def _written(number: str, source: str, printed: str) -> str:
    """One answer as Markdown: the code without its import, and what the check printed, in one line."""
    code = source.replace("from simlib import lessons\n", "").strip()
    said = " ".join(printed.rpartition("Right: ")[2].split())
    return f"**{number}**\n\n```\n{code}\n```\n\n*The check:* {said}\n"
