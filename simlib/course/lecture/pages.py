"""The answers on the pages of `docs/teaching/`: what the solutions answer, and what the checks say to it.

A page has a line `<!-- answers: 2.1 2.2 -->` and one `<!-- until here -->`; what stands between them is written here.
"""

import base64
import html
import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import nbformat
from PIL import Image, ImageOps

from ..._util import paths
from . import DOCS

# The glossary of `docs/glossary.md` on one printed page.


SOURCE = paths.ROOT / "docs" / "glossary.md"

STYLE = """
@page { size: A4; margin: 11mm 12mm; }
body { font: 9.3pt/1.28 "DejaVu Sans", Verdana, Arial, sans-serif; color: black; background: white; max-width: 186mm; }
h1 { font-size: 14pt; margin: 0 0 3mm; }
dl { columns: 2; column-gap: 7mm; margin: 0; }
div { break-inside: avoid; margin-bottom: 1.5mm; }
dt, dd { display: inline; margin: 0; }
dt { font-weight: bold; }
code { font: 8.6pt "DejaVu Sans Mono", Consolas, monospace; }
"""


def entries(text: str) -> list[tuple[str, str]]:
    """Read the words and their meanings out of the table of a Markdown page."""
    rows = [line.strip().strip("|").split("|", 1) for line in text.splitlines() if line.startswith("| ")]
    return [(word.strip(), meaning.strip()) for word, meaning in rows[2:]]


def write_glossary(folder: Path) -> Path:
    """Write the glossary as a page of HTML that a browser prints on one sheet of A4."""
    found = entries(SOURCE.read_text(encoding="utf-8"))
    rows = [f"<div><dt>{_marked(word)}</dt>: <dd>{_marked(meaning)}</dd></div>" for word, meaning in found]
    page = ["<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8"><title>Glossary</title>']
    page += [f"<style>{STYLE}</style></head>", "<body><h1>Glossary</h1><dl>", *rows, "</dl></body></html>"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "glossary.html"
    with paths.replacing(path) as new:
        new.write_text("\n".join(page), encoding="utf-8")
    return path


def _marked(text: str) -> str:
    """Markdown's code and emphasis as HTML."""
    text = re.sub(r"`(.+?)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)


# The small pictures of the lessons on `docs/learn.md`: of each lesson the first picture that a cell of it draws.


FOLDER = DOCS.parent / "_static" / "lessons"
SIZE = 240, 130
"""In pixels: the width and height of each."""


def write_thumbnails() -> list[Path]:
    """Write the thumbnails of the lessons that `make reproduce` has executed."""
    executed = sorted((paths.ROOT / "build" / "notebooks" / "teaching").glob("lesson*.ipynb"))
    if not executed:
        raise FileNotFoundError("build/notebooks/teaching: no executed lesson; 'make reproduce' executes them")
    FOLDER.mkdir(parents=True, exist_ok=True)
    return [_write(lesson) for lesson in executed]


def _write(lesson: Path) -> Path:
    with Image.open(io.BytesIO(first_picture(lesson))) as picture:
        small = ImageOps.pad(picture.convert("RGB"), SIZE, Image.Resampling.LANCZOS, "white")
    path = FOLDER / f"{lesson.stem}.png"
    small.quantize(64).save(path, optimize=True)
    return path


def first_picture(lesson: Path) -> bytes:
    """Find the first picture that an executed notebook draws itself: those of controls have tables below them."""
    for cell in nbformat.read(lesson, as_version=4).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if data.get("text/plain", "").startswith("<Figure"):
                return base64.b64decode(data["image/png"])
    raise ValueError(f"{lesson}: found no picture, expected one that a cell draws")


SOLUTIONS = paths.ROOT / "notebooks" / "teaching" / "solutions"
PLACE = re.compile(r"(<!-- answers: ([A\d. ]+) -->\n).*?(<!-- until here -->)", re.S)
CHECK = re.compile(r'lessons\.check\(\s*"([A\d]\.\d)"')


def write_answers() -> list[Path]:
    """Write the answers into all pages that have a place for them."""
    answers = {number: text for path in sorted(SOLUTIONS.glob("*.ipynb")) for number, text in _of(path)}
    pages = [path for path in sorted(DOCS.glob("*.md")) if PLACE.search(path.read_text(encoding="utf-8"))]
    for path in pages:
        new = with_answers(path.read_text(encoding="utf-8"), answers)
        path.write_text(new, encoding="utf-8")
    return pages


def asked(page: str) -> list[str]:
    """List the exercises whose answers a page has."""
    return [number for found in re.findall(r"<!-- answers: ([A\d. ]+) -->", page) for number in found.split()]


def with_answers(page: str, answers: dict[str, str]) -> str:
    """Put the answers into a page, in the place of those that stand there."""

    def filled(place: re.Match[str]) -> str:
        if unknown := [number for number in place[2].split() if number not in answers]:
            raise ValueError(f"answers: found {', '.join(unknown)}, which no solution in {SOLUTIONS} answers")
        return place[1] + "\n".join(answers[number] for number in place[2].split()) + "\n" + place[3]

    return PLACE.sub(filled, page)


def of_solution(path: Path) -> dict[str, str]:
    """Run the notebook of a solution: by exercise the answer, and what its check says, as Markdown."""
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
    code = source.replace("from simlib.course import lessons\n", "").strip()
    said = " ".join(printed.rpartition("Right: ")[2].split())
    return f"**{number}**\n\n```\n{code}\n```\n\n*The check:* {said}\n"
