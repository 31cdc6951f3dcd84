"""What README and the first pages show works as it stands, and links there and in notebooks lead somewhere."""

import json
import re
import tomllib

import nbformat
import pytest
from exhibits import code_cells

import simlib
from simlib._util import paths
from simlib.models.sample import sample

README = (paths.ROOT / "README.md").read_text(encoding="utf-8")
PAGES = "README.md", "docs/tutorials/explore.md", "docs/how-to/workloads.md"


def blocks(name):
    """The Python blocks of a page."""
    return re.findall(r"```python\n(.*?)```", (paths.ROOT / name).read_text(encoding="utf-8"), flags=re.S)


@pytest.mark.slow
def test_every_block_of_the_readme_and_of_the_first_pages_runs(monkeypatch):
    """One after another, with the sample in place of every log; the policy that is shown fits the machine."""
    monkeypatch.setattr(simlib, "load", lambda name: sample())
    names = {}
    any_object = next(block for block in blocks("docs/how-to/own-policies.md") if "ShortestFirst" in block)
    for block in [*(block for name in PAGES for block in blocks(name)), any_object]:
        exec(block.replace("100_000", "2_000").replace("batch=1000", "batch=100"), names)
    assert {"ShortestFirst", "better", "batch_means"} <= set(names)
    w = sample()
    s = simlib.simulate(w, names["ShortestFirst"]())
    assert (s.jobs.start >= w.jobs.submit).all() and s.utilization().max() <= 1
    jobs = s.jobs.query("submit >= 86400")
    short, long = jobs.estimate <= jobs.estimate.median(), jobs.estimate > jobs.estimate.median()
    assert jobs.wait[short].mean() < jobs.wait[long].mean()


def missing(text, folder):
    """The files that a text in a folder links to and that are not there."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)  # what is code
    links = re.findall(r"\]\(([^)#]+)\)", text)
    return [link for link in links if "://" not in link and not (folder / link).exists()]


def test_every_file_that_the_readmes_link_to_is_there():
    assert "](notebooks/teaching/lesson1-fcfs.ipynb)" in README
    readmes = [paths.ROOT / "README.md", paths.ROOT / "CONTRIBUTING.md"]
    folders = ("docs/**", "benchmarks", "figures/**")
    readmes += [path for folder in folders for path in paths.ROOT.glob(f"{folder}/*.md")]
    made = {f"exhibits/{name}.md" for name in ("index", "EXHIBITS", "REPORT")} | {
        "notebooks/index.md",
        "docs/reference/record.md",
    }  # by `make site`
    lost = {
        (path.parent / link).resolve() for path in readmes for link in missing(path.read_text("utf-8"), path.parent)
    }
    assert {str(path.relative_to(paths.ROOT)) for path in lost} <= made


def test_every_page_of_the_documentation_is_in_the_list_of_all_pages():
    docs = paths.ROOT / "docs"
    text = (docs / "README.md").read_text("utf-8")
    listed = {link for link in re.findall(r"\]\(([^)#]+)\)", text) if not link.startswith("../")}
    pages = {str(path.relative_to(docs)) for kind in ("*/*.md", "*/*.ipynb") for path in docs.glob(kind)}
    pages |= {"how-to/teaching/README.md"}  # leads to all on teaching
    assert listed == pages | {"reference/record.md"}  # by `make site`
    assert {page.split("/")[0] for page in pages} == {"tutorials", "how-to", "reference", "background"}


def test_every_file_that_a_notebook_links_to_is_there():
    notebooks = sorted((paths.ROOT / "notebooks").rglob("*.ipynb"))
    found = {}
    for path in notebooks:
        cells = nbformat.read(path, as_version=4).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        found |= {str(path.relative_to(paths.ROOT)): lost for lost in [missing(text, path.parent)] if lost}
    assert notebooks and found == {}


def test_citation_codemeta_and_project_agree():
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "references"} <= set(citation)
    assert [reference["year"] for reference in citation["references"]] == [2001, 2013, 2005]
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    codemeta = json.loads((paths.ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert citation["version"] == codemeta["version"] == project["version"] == simlib.__version__
    assert citation["license"] == codemeta["license"].rpartition("/")[2] == project["license"]
    assert (codemeta["name"], codemeta["description"]) == (simlib.__name__, project["description"])
    assert [one["name"] for one in citation["authors"]] == [one["name"] for one in codemeta["author"]]
    titles = [reference["title"] for reference in citation["references"]]
    assert titles == [one["name"] for one in codemeta["referencePublication"]]
    assert codemeta["runtimePlatform"].split()[1] == project["requires-python"]
    assert codemeta.get("codeRepository", "") == project.get("urls", {}).get("Repository", "")


def test_the_exhibit_that_contributors_are_shown_is_the_one_that_is_there():
    shown = re.search(r"```python\n(.*?)```", (paths.ROOT / "CONTRIBUTING.md").read_text("utf-8"), flags=re.S)[1]
    there = " ".join("\n".join(code_cells("mualem2001/footnote2")[1]).split())
    begun = [re.split(r"  #|\.\.\.", line)[0].strip() for line in shown.splitlines()]
    lines = [" ".join(line.split()) for line in begun if line]
    assert len(lines) >= 5 and [line for line in lines if line.split("(")[0] not in there] == []
