"""Executed notebooks as Markdown, so that whoever opens an exhibit's folder reads experiment, tables and pictures."""

import base64
import hashlib
import posixpath
import re

import nbformat
from nbconvert import MarkdownExporter

from simlib._util import paths

from . import records
from .notebooks import frozen, notebooks

STYLES = r'(?s)<style.*?</style>\s*| (?:border|class|id|style)="[^"]*"'
"""What a code host shows as text, and what is drawn anew in each run."""

BETWEEN_CELLS = r"\n\s*(?=<t[hd][ >]|</tr>)"
"""So that a row of a table is a line."""

LINK = r"(?<=\]\()(?![a-z]+:)[^)#]+"
"""Within the repository."""

NOTE = (
    "*[This notebook]({notebook}) as `make reproduce` executed it. The tables and pictures beside it are its own, "
    "[record.json](record.json) says what they were made from, and [this page]({columns}) what their columns mean.*"
)


def write_pages():
    """Write `README.md` into the folders in `figures/` of those notebooks that the last run has executed."""
    for name in sorted(records.of_last_run().keys() & notebooks().keys()):
        path = paths.ROOT / "build" / "notebooks" / f"{name}.ipynb"
        if path.exists():
            note = NOTE.format(notebook=_link(f"notebooks/{name}.ipynb", name), columns=_link("docs/columns.md", name))
            text = markdown(nbformat.read(path, as_version=4), name, note)
            with paths.replacing(paths.ROOT / "figures" / name / "README.md") as new:
                new.write_text(text, encoding="utf-8")


def markdown(book, name, note):
    """Write an executed notebook, whose pictures are files of its exhibit's folder; the note stands below its title."""
    folder = paths.ROOT / "figures" / name
    pictures = {hashlib.sha256(path.read_bytes()).digest(): path for path in sorted(folder.glob("*.png"))}
    exhibits = notebooks().keys() | frozen()["notebooks"].keys()
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(
                r"(?<=\]\()(?![a-z]+:)[^)#]+", lambda link: _linked(link[0], name, exhibits), cell.source
            )
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                data["text/html"] = re.sub(BETWEEN_CELLS, "", re.sub(STYLES, "", data["text/html"]))
            if "image/png" in data:
                picture = pictures.get(hashlib.sha256(base64.b64decode(data["image/png"])).digest())
                if picture is None:
                    raise ValueError(f"{name}: found a picture that is not in {folder}, expected those that are saved")
                output["data"] = {"text/markdown": f"![{picture.stem}]({picture.name})"}
    title, _, rest = book.cells[0].source.partition("\n")
    book.cells[0].source = f"{title}\n\n{note}\n{rest}"
    text, _ = MarkdownExporter().from_notebook_node(book)
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    return re.sub(r"\n{4,}", "\n\n", text).strip() + "\n"


def _linked(link, name, exhibits):
    """Let a link of a notebook lead there from its exhibit's folder; to other exhibits, as they were executed."""
    target = posixpath.normpath(posixpath.join("notebooks", posixpath.dirname(name), link))
    other = target.removeprefix("notebooks/").removesuffix(".ipynb")
    return _link(f"figures/{other}/README.md" if other in exhibits else target, name)


def _link(target, name):
    """The way to a file of the repository from an exhibit's folder."""
    return posixpath.relpath(target, f"figures/{name}")
