"""Make `build/site/`: the documentation, the scoreboard and the executed notebooks as pages that need no server.

`make site` calls `python -m tools.website`. Solutions of the course are among the pages only with `SOLUTIONS=yes`.

The pages are staged in `build/pages/` as they lie in the repository, so that every link between them holds; Sphinx
makes the site of them as `docs/conf.py` says.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pandas as pd
from jinja2 import FileSystemLoader
from markupsafe import Markup
from nbclient import NotebookClient
from PIL import Image, ImageOps

from simlib import plots
from simlib._util import paths
from simlib.core.threads import sweep
from simlib.logs.archive import NOT_VERIFIED
from simlib.plots.style import of_256_colours
from simlib_course.grading import handout
from simlib_study import pages
from simlib_study.notebooks import PAPERS, frozen, notebook, notebooks
from simlib_study.pages import templates
from simlib_study.records import Outcome, in_order, outcomes
from tools.solutions import solved

# The page that says what a record holds, written from its schema.


def record_page(schema):
    """Write the page."""
    whole = json.loads(schema.read_text(encoding="utf-8"))
    rows = [f"| `{path}` | {kind} | {about} |" for path, kind, about in _fields(whole, "", whole)]
    lines = [
        f"# {whole['title']}",
        whole["description"],
        f"The schema itself: [{schema.name}](../../data/{schema.name}).",
    ]
    return "\n\n".join([*lines, "\n".join(["| field | is | |", "| --- | --- | --- |", *rows])]) + "\n"


def _fields(schema, above, whole):
    """Every field of an object, and those within it: path, kind, description."""
    for name, of in schema.get("properties", {}).items():
        of = _meant(of, whole)
        kinds = of.get("type", "")
        kind = ", or ".join(kinds) if isinstance(kinds, list) else kinds
        yield f"{above}{name}", kind, of.get("description", "").replace("|", "\\|")
        yield from _fields(of, f"{above}{name}.", whole)
        yield from _fields(_meant(of.get("items", {}), whole), f"{above}{name}[].", whole)


def _meant(of, whole):
    """The part of a schema that a reference stands for, with the keys beside the reference."""
    for name in of.get("$ref", "#").split("/")[1:]:
        whole = whole[name]
    return whole | of if "$ref" in of else of


# The pages of `simlib_study.pages`, and a page for each exhibit: what the records say, as MyST around HTML.


PAGES = templates(autoescape=True, loader=FileSystemLoader(Path(__file__).with_name("templates")))
PAGES.globals |= {"sign": pages.SIGNS.get, "brief": pages.brief, "address": pages.address}


def written(rows, executed, stand_ins):
    """Write the scoreboard with its pages, and a page for each exhibit: texts by their names in `exhibits/`."""
    shared = {"synthetic": plots.SYNTHETIC, "executed": executed, "stand_ins": stand_ins, "not_verified": NOT_VERIFIED}
    texts = pages.texts(rows, site=True)
    for one in rows:
        texts[f"{one.slug}.md"] = PAGES.get_template("exhibit.md").render(**shared, one=one, cells=_cells)
    return texts


# A record


def _cells(cells):
    """Judged cells as a table of texts, a row each policy and log, without empty columns."""
    rows = []
    for cell in cells:
        printed = cell["published"]
        row = cell["of"] | {"published": f"{printed:,.0f}" if printed == int(printed) else f"{printed:,}"}
        for ours in cell["readings"]:
            read = {name: ours[name] for name in ("policy", "log") if name in ours}
            off = "" if ours["deviation"] is None else f"{ours['deviation']:+.1%}"
            band = f"{_number(ours['low'])} to {_number(ours['high'])}" if ours["low"] != ours["high"] else ""
            of_ours = {"ours": _number(ours["ours"]), "band": band, "off by": off, "verdict": ours["verdict"]}
            rows.append(row | read | of_ours | {"note": cell.get("note", "")})
    table = pd.DataFrame(rows).fillna("")
    return table.loc[:, (table != "").any()]


def _number(value):
    """A number with two decimals at most, or three digits where it is below one."""
    if value is None:
        return ""
    whole = abs(value) >= 100 or value == int(value)
    return f"{value:,.0f}" if whole else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


TEXTS = "*.md", "benchmarks/*.md", "docs/**/*.md", *(notebook(name).path for name in frozen()["notebooks"])
NOTEBOOKS = "notebooks/**/*.ipynb", "docs/how-to/*.ipynb"
SOLUTIONS = os.environ.get("SOLUTIONS") == "yes"
NOT_PAGES = "README.md", "CHANGELOG.md", "docs/how-to/teaching/solutions.md"  # other pages stand for them

NO_RECORD = {"synthetic": False, "logs": [], "models": [], "versions": {}, "verdicts": {"cells": [], "claims": []}}
"""Of a notebook that was executed on some of its logs only: what it saved lies in build/explorations/."""

SMALL, SOCIAL = 480, (1200, 630)
"""How many pixels a thumbnail is wide and high at most, and the picture that other sites show of this one."""


def build():
    """Make the site; where there is nothing from real logs, of results from stand-ins, marked as such."""
    from sphinx.cmd.build import build_main  # an extra, docs, that nothing else needs

    site, staged = paths.ROOT / "build" / "site", paths.ROOT / "build" / "pages"
    shutil.rmtree(staged, ignore_errors=True)
    stage(staged)
    with paths.temporary(site.parent, "site") as folder:
        new, doctrees = Path(folder) / "site", Path(folder) / "doctrees"
        strictly = ["-b", "html", "-q", "-W", "--keep-going", "-j", "auto"]
        if build_main([*strictly, "-d", str(doctrees), str(staged), str(new)]):
            raise RuntimeError(f"{staged}: Sphinx found what is said above; expected pages without a warning")
        shutil.rmtree(site, ignore_errors=True)
        new.rename(site)
    return site / "index.html"


def stage(folder):
    """Lay out all that the site is made of."""
    rows, executed = everything()
    for pattern in TEXTS:
        for path in sorted(paths.ROOT.glob(pattern)):
            if str(path.relative_to(paths.ROOT)) not in NOT_PAGES:
                text = path.read_text(encoding="utf-8")
                if path.is_relative_to(paths.ROOT / "figures"):
                    text = _from_the_top(path, text)
                _write(folder / path.relative_to(paths.ROOT), _linked(text))
    _stage_notebooks(folder, executed)
    exercises = _exercises(folder)
    shutil.copytree(paths.ROOT / "docs" / "_static", folder / "docs" / "_static")
    shutil.copy(paths.ROOT / "docs" / "conf.py", folder)
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    landing = {
        "address": address(),
        "repository": project.get("urls", {}).get("Repository", ""),  # once the code is public
        "stepper": stepper(folder),
    }
    _write(folder / "index.md", PAGES.get_template("landing.md").render(landing))
    _write(folder / "docs" / "reference" / "record.md", record_page(paths.ROOT / "data" / "exhibit.schema.json"))
    marked = {name for name, path in executed.items() if plots.SYNTHETIC in path.read_text(encoding="utf-8")}
    for name, text in written(rows, set(executed), marked).items():
        _write(folder / "exhibits" / name, text)
    _stage_pictures(rows, folder)
    if any([one.wait() for one in exercises]):
        raise RuntimeError(f"{folder}: the exercises of a lesson could not be put into its page, as is said above")
    _stage_what_is_linked(folder)


def _from_the_top(page, text):
    """The text of an exhibit's page, with links to others' by way of the repository's folder."""

    def link(found):
        return f"](../../../{(page.parent / found[1]).resolve().relative_to(paths.ROOT)}"

    return re.sub(r"\]\((\.\./[^)#]+/README\.md)", link, text)


def _linked(text):
    """Let links to the report lead to its pages on the site; leave out what leads to solutions that are no pages."""
    if not SOLUTIONS:
        text = text.partition("\n## Solutions\n")[0]
        text = re.sub(r"\[solution\]\(solutions\.md[^)]*\) ·\s", "", text)
        text = re.sub(r"\[([^]]*)\]\(solutions\.md[^)]*\)", r"\1", text)
    text = re.sub(r"\(solutions\.md#([a-z0-9-]+)\)", r"(../../../notebooks/teaching/solutions/\1.ipynb)", text)
    text = text.replace("figures/README.md", "exhibits/index.md")
    text = re.sub(r"figures/(?=[A-Z]+\.md)", "exhibits/", text)
    return re.sub(r"figures/([a-z0-9-]+/[a-z0-9-]+)/README\.md", _page_of, text)


def _page_of(link):
    """The page of an exhibit; what is frozen is shown as it was executed."""
    name = link[1]
    return link[0] if name in frozen()["notebooks"] else f"exhibits/{name.replace('/', '_')}.md"


def _exercises(folder):
    """Begin to put forms into lessons 1 to 3 and 7; in separate processes, for the study does not know the course."""
    lessons = sorted((folder / "notebooks" / "teaching").glob("lesson[1237]-*.ipynb"))
    return [
        subprocess.Popen([sys.executable, "-m", "simlib_course.web", str(path)], cwd=paths.ROOT) for path in lessons
    ]


def _stage_pictures(rows, folder):
    """Copy the exhibits' pictures, and the first of each as a thumbnail."""
    thumbnails = folder / "docs" / "_static" / "thumbnails"
    thumbnails.mkdir(parents=True)
    for one in rows:
        for picture in one.pictures:
            (folder / "exhibits" / one.slug).mkdir(exist_ok=True)
            shutil.copy(one.folder / picture, folder / "exhibits" / one.slug / picture)
    small = [(one.folder / one.pictures[0], thumbnails / f"{one.slug}.png") for one in rows if one.pictures]
    sweep(_make_small, small, progress=False)
    with Image.open(paths.ROOT / "docs" / "how-to" / "my-cluster.png") as picture:
        social = ImageOps.pad(picture.convert("RGB"), SOCIAL, Image.Resampling.LANCZOS, "white")
    of_256_colours(social).save(folder / "docs" / "_static" / "social.png")


def address():
    """The address at which the site will be, which `SITE_URL` says: a picture for other sites must be named in full."""
    return f"{os.environ['SITE_URL'].rstrip('/')}/" if os.environ.get("SITE_URL") else ""


def stepper(folder):
    """The first stepper of lesson 1 as HTML."""
    lesson = nbformat.read(folder / "notebooks" / "teaching" / "lesson1-fcfs.ipynb", as_version=4)
    outputs = [output.get("data", {}) for cell in lesson.cells for output in cell.get("outputs", [])]
    return Markup(next(data["text/html"] for data in outputs if "simlib-stepper" in data.get("text/html", "")))


def everything():
    """The exhibits of real logs, of stand-ins where there are none; and the notebooks that were executed."""
    found = {}
    for folder in (paths.ROOT / "figures", paths.ROOT / "build" / "synthetic"):
        found = {one.name: one for one in outcomes(folder)} | found
    ran = sorted((paths.ROOT / "build" / "notebooks").rglob("[!.]*.ipynb"))
    executed = {f"{path.parent.name}/{path.stem}": path for path in ran}
    for name in executed.keys() & notebooks().keys() - found.keys():
        found[name] = Outcome(name, notebook(name).title, executed[name].parent, NO_RECORD)
    return in_order(found.values()), executed


# Notebooks


def _stage_notebooks(folder, executed):
    """Copy each notebook, as it was executed if it was; the course and what is quick is executed now."""
    found = [path for pattern in NOTEBOOKS for path in sorted(paths.ROOT.glob(pattern))]
    there = [path for path in found if path.parent.name != ".ipynb_checkpoints"]
    best = [executed.get(f"{path.parent.name}/{path.stem}", path) for path in there]
    tasks = [(ran, folder / path.relative_to(paths.ROOT)) for ran, path in zip(best, there, strict=True)]
    if SOLUTIONS:
        tasks += [(path, folder / "notebooks/teaching/solutions" / path.name) for path in handout.lessons()]
    sweep(_stage_notebook, tasks, progress=False)
    names = {paper: [path.stem for path in there if path.parent.name == paper] for paper in PAPERS}
    contents = PAGES.get_template("notebooks.md").render(papers=PAPERS, names=names, frozen=frozen()["notebooks"])
    _write(folder / "notebooks" / "index.md", contents)


def _stage_notebook(path, to):
    is_solved = to.parent.name == "solutions"
    notebook = solved(path) if is_solved else nbformat.read(path, as_version=4)
    if path.parent.name == "how-to" or re.match("lesson|assignment", path.stem):
        NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=paths.ROOT)
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _linked(cell.source)
            heading = [heading, *re.findall("^#+ (.+)", cell.source, re.M)][-1]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                cell.metadata["mystnb"] = {"image": {"alt": f"Picture: {heading}"}}
        tags = cell.metadata.setdefault("tags", [])
        if cell.cell_type == "markdown" and path.parent.name == "teaching":
            if is_solved:  # one folder further down
                cell.source = re.sub(r"\A# ", "# Solved: ", cell.source.replace("](../", "](../../"))
            cell.source = FOR_THE_LAB.sub(lambda words: words[1] or "", cell.source)
        if "parameters" in tags and re.match("lesson[1237]-", path.stem):
            tags.append("remove-cell")  # nobody changes them on a page
        elif cell.cell_type == "code" and "exercise" not in tags and re.search(_folded(path), cell.source):
            tags.append("hide-input")
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.parent.name == "teaching" and not is_solved:  # the page offers it as it is, not as executed
        source = to.parent / "download" / path.name
        source.parent.mkdir(exist_ok=True)
        shutil.copy(paths.ROOT / "notebooks" / "teaching" / path.name, source)
        title, _, rest = notebook.cells[0].source.partition("\n")
        notebook.cells[0].source = f"{title}\n\n{{download}}`This notebook <download/{path.name}>`\n{rest}"
    nbformat.write(notebook, to)


def _folded(path):
    """Which cells' code is folded away: imports, in the course what draws, and in lessons without Python all of it."""
    if path.parent.name != "teaching":
        return r"\A(import|from) "
    return "" if re.match("lesson[1237]-", path.stem) else r"\A(import|from) |\b(widgets|plots|plt)\."


FOR_THE_LAB = re.compile(r'<span class="in-lab">.*?</span>(?:<!-- on the page: ?(.*?) -->| ?)', re.DOTALL)
"""What is said to those in JupyterLab, which a page leaves out; behind it in a comment what a page says instead."""


def _make_small(picture, to):
    """Copy a picture as a thumbnail."""
    with Image.open(picture) as whole:
        small = whole.convert("RGB")
    small.thumbnail((SMALL, SMALL), Image.Resampling.LANCZOS)
    of_256_colours(small).save(to, "PNG", optimize=True)


# Files


def _stage_what_is_linked(folder):
    """Copy each file of the repository that a page links to, and that is no page itself."""
    for page in [*folder.rglob("*.md"), *folder.rglob("*.ipynb")]:
        text = page.read_text(encoding="utf-8")
        if page.suffix == ".ipynb":
            texts = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
            text = "\n".join(map("".join, texts))
        for link in re.findall(r"(?:\]\(|literalinclude\} )([^)#\s]+)", text):
            target = (page.parent / unquote(link)).resolve()
            if "://" in link or target.exists() or not target.is_relative_to(folder.resolve()):
                continue
            source = paths.ROOT / target.relative_to(folder.resolve())
            if source.suffix == ".md" and source.is_file():  # a page that is in no list of pages
                _write(target, "---\norphan: true\n---\n\n" + source.read_text(encoding="utf-8"))
            elif source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(f"The site: {build()}")
