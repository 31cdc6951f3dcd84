"""The glossary of `docs/glossary.md` on one printed page."""

import html
import re
from pathlib import Path

from .. import paths

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
    """Read the words and their meanings out of the table of a Markdown page.

    Examples
    --------
    >>> entries("| word | what it means |\\n| --- | --- |\\n| head | the first job |")
    [('head', 'the first job')]
    """
    rows = [line.strip().strip("|").split("|", 1) for line in text.splitlines() if line.startswith("| ")]
    return [(word.strip(), meaning.strip()) for word, meaning in rows[2:]]


def write(folder: Path) -> Path:
    """Write the glossary as a page of HTML that a browser prints on one sheet of A4.

    Parameters
    ----------
    folder : Path
        It is made where it is not there.

    Returns
    -------
    Path
    """
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
