"""What the site is made of: the pages of this repository as they were given to Sphinx."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def staged(site):
    """The folder of the pages."""
    return site.parent / "pages"


def test_every_link_between_the_pages_leads_to_a_file(staged):
    lost = []
    for page in staged.rglob("*.md"):
        text = re.sub(r"(?s)<script.*?</script>", "", page.read_text(encoding="utf-8"))
        found = re.findall(r"\]\(([^)#\s]+)\)", text)
        lost += [(page.name, link) for link in found if "://" not in link and not (page.parent / link).exists()]
    assert lost == []


def test_every_notebook_is_a_page_and_imports_are_folded_away(staged):
    there = {path.relative_to(ROOT) for path in (ROOT / "notebooks").rglob("*.ipynb") if "checkpoint" not in str(path)}
    pages = {path.relative_to(staged) for path in (staged / "notebooks").rglob("*.ipynb")}
    assert there == {path for path in pages if path.parent.name not in ("download", "solutions")}
    cells = nbformat.read(staged / "notebooks/teaching/lesson1-fcfs.ipynb", as_version=4).cells
    folded = [cell for cell in cells if "hide-input" in cell.metadata.get("tags", [])]
    assert any("import" in cell.source for cell in folded) and any("widgets.stepper(" in cell.source for cell in folded)
    assert not any("lessons.check(" in cell.source for cell in folded)


def test_what_is_said_to_those_in_jupyterlab_is_not_said_on_a_page(staged):
    for path in (staged / "notebooks/teaching").glob("lesson*.ipynb"):  # and each was executed
        executed = [cell.outputs for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert any("image/png" in output.get("data", {}) for outputs in executed for output in outputs), path.name
        text = path.read_text(encoding="utf-8")
        said = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
        assert "in-lab" not in text and "on the page:" not in text
        assert not re.search("Shift[+]Enter|[Rr]un the (next )?cell|this notebook", "".join(said)), path.name


def test_the_page_of_the_record_has_every_field_of_the_schema(staged):
    text = (staged / "docs/reference/record.md").read_text(encoding="utf-8")
    for field in ("exhibit", "logs[].sha256", "verdicts.cells[].readings", "verdicts.claims[].verdict"):
        assert f"| `{field}` |" in text, field
