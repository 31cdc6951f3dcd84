"""The small pictures of the lessons on `docs/learn.md`: of each lesson the first picture that a cell of it draws."""

import base64
import io
from pathlib import Path

import nbformat
from PIL import Image, ImageOps

from .. import paths
from . import DOCS

FOLDER = DOCS.parent / "_static" / "lessons"
SIZE = 240, 130
"""In pixels: the width and height of each."""


def write() -> list[Path]:
    """Write the thumbnails of the lessons that `make reproduce` has executed.

    Returns
    -------
    list of Path
        The pictures.

    Raises
    ------
    FileNotFoundError
        Where no lesson was executed.
    """
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
    """Find the first picture that an executed notebook draws itself: those of controls have tables below them.

    Raises
    ------
    ValueError
        Where there is none.
    """
    for cell in nbformat.read(lesson, as_version=4).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if data.get("text/plain", "").startswith("<Figure"):
                return base64.b64decode(data["image/png"])
    raise ValueError(f"{lesson}: found no picture, expected one that a cell draws")
