"""Slides of the lessons: notebooks in `docs/how-to/teaching/slides/`, executed and written as one HTML file a lesson.

reveal.js, which turns the pages, is fetched once from the npm registry, by version and digest, and stands in each file:
a deck needs no network and no other file. Where the network is closed, put the package at `build/teaching/` yourself.
The pictures of the notebooks are large enough to be read from the back of a lecture hall.
"""

import re
import tarfile
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from simlib import plots
from simlib._util import paths
from simlib.core.schedule import Schedule

from ..widgets import LARGE
from . import BUILT, DOCS

VERSION = "4.6.1"
REVEAL = f"https://registry.npmjs.org/reveal.js/-/reveal.js-{VERSION}.tgz"
DIGEST = "sha256:4f4121ef2b8e7e9398bdecd7b3b6ce5e0ee3a2f5af221708eb6c4ce03bcae6be"
PARTS = {
    "css": ("dist/reset.css", "dist/reveal.css"),
    "reveal": ("dist/reveal.js",),
    "notes": ("plugin/notes/notes.js",),
}
"""What a deck takes of reveal.js."""

SECONDS = 600  # that one cell may take: the first time, numba compiles


def sources(names: Collection[str] = ()) -> list[Path]:
    """Find the notebooks of the slides: all, or those of some lessons, such as "lesson4a"."""
    found = {path.stem: path for path in sorted((DOCS / "slides").glob("*.ipynb"))}
    if unknown := sorted(set(names) - set(found)):
        raise ValueError(f"slides: found {', '.join(unknown)}, expected some of {', '.join(found)}")
    return [path for name, path in found.items() if not names or name in names]


def write(source: Path, folder: Path = BUILT) -> Path:
    """Execute the notebook of a deck and write its slides."""
    import nbformat
    from nbconvert import SlidesExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    deck = reveal()
    notebook = with_notes(nbformat.read(source, as_version=4), source.stem)
    run = ExecutePreprocessor(timeout=SECONDS, kernel_name="python3")
    run.preprocess(notebook, {"metadata": {"path": str(paths.ROOT)}})
    templates = [str(Path(__file__).parent / "template")]
    exporter = SlidesExporter(template_name="offline", extra_template_basedirs=templates)
    exporter.exclude_input = exporter.exclude_anchor_links = True
    text, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": source.stem}, "deck": deck})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{source.stem}.slides.html"
    with paths.replacing(path) as new:
        new.write_text(text, encoding="utf-8")
    return path


def with_notes(notebook: Any, lesson: str) -> Any:
    """Put what a lesson's page says to each slide below its heading, as notes to speak from (key S)."""
    from nbformat.v4 import new_markdown_cell

    rows = re.findall(r"(?m)^\| (\d+-\d+) \| (.*?) \| (.*) \|$", (DOCS / f"{lesson}.md").read_text(encoding="utf-8"))
    notes: dict[int, list[str]] = {}
    last = 1  # what has no slide of its own is said to the one before
    for minutes, shown, words in rows:
        for number in map(int, re.findall(r"\d+", shown) or [last]):
            notes.setdefault(number, []).append(f"**Minutes {minutes}.** {words}")
            last = number
    cells, slide = [], 0
    for cell in notebook.cells:
        cells.append(cell)
        if cell.metadata["slideshow"]["slide_type"] == "slide":
            slide += 1
            text = "\n\n".join(notes[slide])
            cells.append(new_markdown_cell(text, metadata={"slideshow": {"slide_type": "notes"}}))
    notebook.cells = cells
    return notebook


@cache
def reveal() -> dict[str, str]:
    """Read what a deck needs of reveal.js; fetch it if it is not in `build/teaching/` yet."""
    import pooch

    path = BUILT / Path(REVEAL).name
    try:
        pooch.retrieve(REVEAL, DIGEST, path.name, BUILT)
    except (OSError, ValueError) as error:  # ValueError: it has another digest
        raise OSError(
            f"reveal.js {VERSION} cannot be had: {error}. Download {REVEAL} as {path}, then try again."
        ) from error
    with tarfile.open(path) as package:

        def text(file: str) -> str:
            content = package.extractfile(f"package/{file}")
            assert content is not None  # the digest says that it is a file
            return content.read().decode()

        return {name: "\n".join(map(text, files)) for name, files in PARTS.items()}


# Pictures for slides

SLIDE: dict[Any, Any] = LARGE | {
    "figure.constrained_layout.use": True,
    "figure.figsize": (12, 4.9),
    "font.size": 19,
    "axes.titlesize": 21,
}


def use_slide_style() -> None:
    """Switch matplotlib to the style of slides."""
    plots.use_style()
    plt.rcParams.update(SLIDE)


def on_a_slide(figure: Figure) -> None:
    """Give a picture of a lesson the size of a slide; in the style of slides its text grows with it."""
    figure.set_size_inches(SLIDE["figure.figsize"])


def charts(schedules: Mapping[str, Schedule], until: int | None = None, now: int | None = None) -> list[Axes]:
    """Draw Gantt charts one below the other, on one axis of time."""
    last = max(schedule.jobs.end.max() for schedule in schedules.values()) if until is None else until
    axes: list[Axes] = list(plt.subplots(len(schedules), squeeze=False)[1][:, 0])
    for ax, (title, schedule) in zip(axes, schedules.items(), strict=True):
        ax.set_xlim(0, last)
        plots.gantt(schedule, ax, now=now).set_title(title)
        procs = schedule.workload.procs
        ax.yaxis.set_major_locator(MultipleLocator(procs / 2 if len(schedules) > 1 else max(procs // 5, 1)))
    for ax in axes[:-1]:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
    return axes


def bars(panels: Mapping[str, pd.Series], digits: Iterable[int] = (), stand_in: Any = None) -> list[Axes]:
    """Draw a panel of bars for each of some rows of numbers, with the numbers on the bars."""
    axes: list[Axes] = list(plt.subplots(1, len(panels), squeeze=False)[1][0])
    shown = list(digits) or [0] * len(panels)
    for ax, (title, row), places in zip(axes, panels.items(), shown, strict=True):
        drawn = ax.bar([str(name) for name in row.index], row, color=plots.COLOURS[: len(row)], width=0.6)
        ax.bar_label(drawn, [f"{value:,.{places}f}" for value in row], padding=3)
        ax.set(title=title, yticks=[])
        ax.margins(y=0.15)
        ax.grid(False)
        ax.spines["left"].set_visible(False)
    if stand_in is not None:
        plots.mark(axes[0], stand_in)
    return axes
