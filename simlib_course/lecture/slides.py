"""Slides of the lessons: notebooks in `docs/how-to/teaching/slides/`, executed and written as one HTML file a lesson.

A deck needs no network and no other file: each slide is a section as high as the window, and the keys that scroll turn
the slides. The pictures of the notebooks are large enough to be read from the back of a lecture hall.
"""

import re
from collections.abc import Collection, Iterable, Mapping
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

SECONDS = 600  # that one cell may take: the first time, numba compiles

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
  html {{ font: min(4.2vh, 2.36vw)/1.3 "DejaVu Sans", Verdana, Arial, sans-serif; scroll-snap-type: y mandatory; }}
  body {{ margin: 0; counter-reset: slide; color: black; background: white; }}
  section {{ box-sizing: border-box; height: 100vh; padding: 0.6rem calc(50vw - 21rem); scroll-snap-align: start; }}
  section {{ position: relative; overflow: hidden; counter-increment: slide; }}
  section::after {{ position: absolute; right: 0.6rem; bottom: 0.3rem; font-size: 0.8rem; color: #444;
    content: "{title}, slide " counter(slide); }}
  h2 {{ font-size: 1.4rem; line-height: 1.15; margin: 0.2rem 0 0.4rem; color: #0072B2; }}
  p, ul, ol, blockquote {{ margin: 0.4rem 0 0; }}
  img {{ display: block; max-width: 100%; max-height: 15.5rem; margin: 0 auto; }}
  pre {{ font: 0.8rem/1.4 "DejaVu Sans Mono", Menlo, Consolas, monospace; margin: 0.4rem 0 0; }}
  code {{ font-family: inherit; }}
  aside {{ display: none; }}
  @page {{ size: landscape; margin: 1cm; }}
  @media print {{
    html {{ font-size: 0.6cm; }}
    section {{ height: auto; padding: 0; break-after: page; }}
    aside {{ display: block; margin-top: 1rem; font-size: 0.8rem; }}
  }}
</style>
</head>
<body>
{slides}
<script>
addEventListener("keydown", event => {{
  const turned = {{ ArrowRight: 1, ArrowLeft: -1 }}[event.key]
  if (turned) scrollBy(0, turned * innerHeight)
}})
</script>
</body>
</html>
"""


def sources(names: Collection[str] = ()) -> list[Path]:
    """Find the notebooks of the slides: all, or those of some lessons, such as "lesson4a"."""
    found = {path.stem: path for path in sorted((DOCS / "slides").glob("*.ipynb"))}
    if unknown := sorted(set(names) - set(found)):
        raise ValueError(f"slides: found {', '.join(unknown)}, expected some of {', '.join(found)}")
    return [path for name, path in found.items() if not names or name in names]


def write(source: Path, folder: Path = BUILT) -> Path:
    """Execute the notebook of a deck and write its slides; warnings that a cell prints are on none."""
    import nbformat
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    notebook = nbformat.read(source, as_version=4)
    ExecutePreprocessor(timeout=SECONDS).preprocess(notebook, {"metadata": {"path": str(paths.ROOT)}})
    exporter = HTMLExporter(template_name="basic", exclude_input=True, exclude_output_prompt=True)
    exporter.exclude_anchor_links = True

    def html(cells: list[Any]) -> str:
        return str(exporter.from_notebook_node(nbformat.v4.new_notebook(cells=cells))[0])

    slides: list[list[Any]] = []
    for cell in notebook.cells:
        kind = cell.metadata["slideshow"]["slide_type"]
        slides += [[]] if kind == "slide" else []
        if kind != "skip":
            if cell.cell_type == "code":
                cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            slides[-1].append(cell)
    said = [html([nbformat.v4.new_markdown_cell(text)]) for text in notes(source.stem)]
    sections = [
        f"<section>\n{html(cells)}\n<aside>{text}</aside>\n</section>" for cells, text in zip(slides, said, strict=True)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{source.stem}.slides.html"
    with paths.replacing(path) as new:
        title = source.stem.replace("lesson", "Lesson ")
        new.write_text(PAGE.format(title=title, slides="\n".join(sections)), encoding="utf-8")
    return path


def notes(lesson: str) -> list[str]:
    """Read what a lesson's page says to each slide: on paper it stands below the slide."""
    rows = re.findall(r"(?m)^\| (\d+-\d+) \| (.*?) \| (.*) \|$", (DOCS / f"{lesson}.md").read_text(encoding="utf-8"))
    said: dict[int, list[str]] = {}
    last = 1  # what has no slide of its own is said to the one before
    for minutes, shown, words in rows:
        for number in map(int, re.findall(r"\d+", shown) or [last]):
            said.setdefault(number, []).append(f"**Minutes {minutes}.** {words}")
            last = number
    return ["\n\n".join(said[slide]) for slide in sorted(said)]


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
