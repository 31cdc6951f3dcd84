"""`build/site/`: the scoreboard, every executed notebook and every record, as pages that need neither network nor
server.
"""

import base64
import io
import re
import shutil
from functools import cache
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, PackageLoader
from nbconvert import HTMLExporter
from PIL import Image

from .. import paths, plots
from ..archive import NOT_VERIFIED
from ..sweeps import sweep
from .judging import CLOSE, INSIDE, OFF, TEXT, tally
from .ledger import powers
from .report import CLAIMS, PAPERS, Outcome, by_verdict, decided, heading, in_order, outcomes, total, unjudged

PAGES = Environment(loader=PackageLoader("simlib.papers"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
PAGES.globals["powers"] = powers
WIDTH = 400
"""Of a thumbnail at most, in pixels; and its height."""


def build():
    """Write the site anew from `figures/`, `build/synthetic/` and `build/notebooks/`.

    What was made from stand-ins is shown, marked, where there is nothing from real logs.

    Returns
    -------
    Path
        The first page.
    """
    site = paths.ROOT / "build" / "site"
    site.parent.mkdir(exist_ok=True)
    with paths.temporary(site.parent, "site") as folder:
        new = Path(folder) / "site"
        _write(new)
        shutil.rmtree(site, ignore_errors=True)
        new.rename(site)
    return site / "index.html"


def _write(site):
    rows, notebooks = _everything()
    for name in ("notebooks", "records", "thumbnails"):
        (site / name).mkdir(parents=True)
    contents = _with_lighter_pictures({name: _content(path) for name, path in notebooks.items()})
    stand_ins = {name for name, content in contents.items() if plots.SYNTHETIC in content}
    shared = {"synthetic": plots.SYNTHETIC, "executed": set(notebooks), "stand_ins": stand_ins}
    shared["not_verified"] = NOT_VERIFIED
    _page(site / "index.html", "index", **shared, **_first_page(rows, notebooks))
    for one, before, after in _with_neighbours([one for one in rows if one.name in notebooks]):
        page = {"one": one, "before": before, "after": after, "content": contents[one.name]}
        _page(site / "notebooks" / f"{one.name}.html", "notebook", **shared, **page)
    for one, before, after in _with_neighbours([one for one in rows if one.records]):
        page = {"one": one, "before": before, "after": after, "groups": _by_origin(one.records), "cells": _cells}
        _page(site / "records" / f"{one.name}.html", "record", **shared, **page)
    pictures = [(one.folder / picture, site / "thumbnails" / picture) for one in rows for picture in one.pictures]
    sweep(_thumbnail, pictures, progress=False)
    shutil.copy(Path(__file__).parent / "templates" / "style.css", site)


def _everything():
    """The exhibits of real logs, of stand-ins where there are none of real logs, and notebooks that made neither."""
    found = {}
    for folder in (paths.ROOT / "figures", paths.ROOT / "build" / "synthetic"):
        found = {one.name: one for one in outcomes(folder)} | found
    executed = sorted((paths.ROOT / "build" / "notebooks").glob("*/[!.]*.ipynb"))
    notebooks = {f"{path.parent.name}_{path.stem}": path for path in executed}
    for name in notebooks.keys() - found.keys():
        path = notebooks[name]
        found[name] = Outcome(path.parent.name, path.stem, heading(path), path.parent, [])
    return in_order(found.values()), notebooks


def _first_page(rows, notebooks):
    claims = decided(rows)
    by_paper = {name: [one for one in rows if one.paper == paper] for paper, name in PAPERS.items()}
    claims_of = {name: [claim for claim in claims if claim["paper"] == paper] for paper, name in CLAIMS.items()}
    return {
        "total": total([one for one in rows if not one.synthetic]),
        "papers": [part for part in by_paper.items() if part[1]],
        "claims": [part for part in claims_of.items() if part[1]],
        "pages": {one.name: f"{'notebooks' if one.name in notebooks else 'records'}/{one.name}.html" for one in rows},
        "numbers": _numbers,
        "verdicts": by_verdict,
    }


def _numbers(cells):
    """How many cells got each verdict."""
    counts = tally(cells)
    return {verdict: counts[verdict] for verdict in (INSIDE, CLOSE, OFF)} | unjudged(cells)


def _with_neighbours(rows):
    return zip(rows, [None, *rows], [*rows[1:], None], strict=False)


def _content(path):
    """An executed notebook as HTML, without the page around it."""
    content, _ = _exporter().from_filename(str(path))
    return content.replace("No description has been provided for this image", "")


@cache
def _exporter():
    """One for all notebooks, whose templates are compiled once."""
    return HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)


def _with_lighter_pictures(contents):
    """The same pages, with their pictures in 256 colours."""
    within = re.compile('(?<=src="data:image/png;base64,)[^"]+')
    pictures = list(dict.fromkeys(picture for content in contents.values() for picture in within.findall(content)))
    lighter = dict(zip(pictures, sweep(_lighter, zip(pictures, strict=True), progress=False), strict=True))
    return {name: within.sub(lambda found: lighter[found[0]], content) for name, content in contents.items()}


def _lighter(picture):
    """A picture (base64) in 256 colours, a third of its bytes."""
    with Image.open(io.BytesIO(base64.b64decode(picture))) as full:
        few = io.BytesIO()
        _save(full, few, 256)
    return base64.b64encode(few.getvalue()).decode()


def _page(path, template, **context):
    path.write_text(PAGES.get_template(f"{template}.html").render(context), encoding="utf-8")


def _thumbnail(picture, to):
    with Image.open(picture) as full:
        full.thumbnail((WIDTH, WIDTH), Image.Resampling.LANCZOS)
        _save(full, to, 64)


def _save(picture, to, colours):
    few = picture.convert("RGB").quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.putpalette([255 if shade >= 252 else shade for shade in few.getpalette()])  # means of whites, as of the page
    few.save(to, "PNG")


# A record


def _by_origin(records):
    """Records that were made from the same together: pairs of what they share and the records."""
    shared = ("logs", "models", "parameters", "seed", "versions")
    groups = groupby(records, key=lambda record: {name: record[name] for name in shared})
    return [(origin, list(part)) for origin, part in groups]


def _cells(cells):
    """Judged cells as a table of texts: `columns`, `rows`, and `verdicts`, the places of columns that hold some."""
    rows = [cell["of"] | _judged(cell) | {"note": cell.get("note", "")} for cell in cells]
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [name for name in names if any(row.get(name, "") != "" for row in rows)]
    verdicts = [place for place, name in enumerate(columns) if name.endswith("verdict")]
    return {"columns": columns, "rows": [[row.get(name, "") for name in columns] for row in rows], "verdicts": verdicts}


def _judged(cell):
    found = {"published": _as_printed(cell["published"])}
    for rule, ours in cell["readings"].items():
        found |= {name if rule == TEXT else f"{rule}: {name}": text for name, text in _verdict(ours).items()}
    return found


def _verdict(one):
    band = f"{_number(one['low'])} to {_number(one['high'])}" if one["low"] != one["high"] else ""
    off = "" if one["deviation"] is None else f"{one['deviation']:+.1%}"
    return {"ours": _number(one["ours"]), "band": band, "off by": off, "verdict": one["verdict"]}


def _as_printed(value):
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"


def _number(value):
    """A number with two decimals at most, or three digits where it is below one."""
    if value is None:
        return ""
    whole = abs(value) >= 100 or value == int(value)
    return f"{value:,.0f}" if whole else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"
