"""Slides of the lessons: notebooks in `docs/teaching/slides/`, executed and written as one HTML file a lesson.

reveal.js, which turns the pages, is fetched once from the npm registry, by version and digest, and stands in each file:
a deck needs no network and no other file. Where the network is closed, put the package at `build/teaching/` yourself.
"""

import tarfile
from collections.abc import Collection
from functools import cache
from pathlib import Path

from ..._util import paths
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
    notebook = nbformat.read(source, as_version=4)
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
        return {name: "\n".join(_text(package, of) for of in files) for name, files in PARTS.items()}


def _text(package: tarfile.TarFile, file: str) -> str:
    found = package.extractfile(f"package/{file}")
    assert found is not None  # the digest says that it is a file
    return found.read().decode()
