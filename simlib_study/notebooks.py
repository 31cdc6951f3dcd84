"""The notebooks of the study: what stands in their files."""

import ast
import json
import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from simlib._util import paths

PAPERS = {
    "mualem2001": "Mu'alem & Feitelson, 2001",
    "tang2013": "Tang, Desai, Buettner & Lan, 2013",
    "tsafrir2005": "Tsafrir, Etsion & Feitelson, 2005",
    "other-machines": "On other machines",
    "teaching": "For teaching",
}
"""By the notebooks' folder, in the order of the report."""

REPRODUCING, WHOLE, PREVIEW = "SIMLIB_REPRODUCING", "whole", "preview"
"""Is set where the whole study is made, by Snakemake: only then anything is written to `figures/`. For a first look
with few runs it goes to `build/preview/`."""

COUNTS = re.compile(r"(\w+_)?(shakes|seeds)|draws|resamples|number_of_runs")
"""Parameters that say how often the same experiment is repeated."""

FEW, FEW_RESAMPLES = 2, 100
"""How often it is for a first look."""


@dataclass(frozen=True)
class Notebook:
    """A notebook in a folder of `notebooks/`: its name, such as "mualem2001/table1", its title and its code cells.

    The metadata "simlib" of the file say of which `section` of the paper it is, about how many `seconds` it takes,
    `after` which other one it finds its runs in build/cache/, and `preview`, what it is given for a first look beside
    few runs. Of a `frozen` one only title and section are known.
    """

    name: str
    title: str = ""
    code: tuple[str, ...] = ()
    tagged: str = ""
    section: str = "99"
    seconds: int = 0
    after: str | None = None
    preview: dict[str, Any] = field(default_factory=dict)
    frozen: bool = False

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Its parameters by name, from the cell that is tagged so."""
        lines: list[Any] = [line for line in ast.parse(self.tagged).body if isinstance(line, ast.AnnAssign)]
        return {line.target.id: ast.literal_eval(line.value) for line in lines}

    @property
    def path(self) -> str:
        """Where it can be read: the notebook, or a frozen one as it was executed."""
        return f"figures/{self.name}/README.md" if self.frozen else f"notebooks/{self.name}.ipynb"

    @property
    def repeats(self) -> list[str]:
        """The parameters that say how many runs of the logs there are."""
        return [name for name in self.parameters if name.endswith("shakes") or name == "draws"]

    @property
    def quick(self) -> dict[str, Any]:
        """The parameters that are lowered for a first look: all counts of runs, and what its metadata say."""
        counts = {name: value for name, value in self.parameters.items() if COUNTS.fullmatch(name)}
        fewer = {name: FEW_RESAMPLES if name == "resamples" else FEW for name in counts}
        return {name: few for name, few in fewer.items() if few < counts[name]} | self.preview

    @property
    def place(self) -> tuple[int, list[int], str, int, str]:
        """By paper and section, and there as the notebooks are called: figure 4, figures 8-10, figure 11, table 1."""
        paper, _, name = self.name.partition("/")
        numbered = re.match(r"([a-z]+?)s?(\d+)", name)
        kind, number = numbered.groups() if numbered else (name, 0)
        papers = list(PAPERS)
        of_paper = papers.index(paper) if paper in papers else len(papers)
        return of_paper, [int(number) for number in self.section.split(".")], kind, int(number), self.name


def frozen() -> dict[str, Any]:
    """Read `figures/frozen.toml`: what is finished, and at which commit it runs; no notebooks where there is none."""
    path = paths.ROOT / "figures" / "frozen.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {"notebooks": {}}


def notebook(name: str) -> Notebook | None:
    """Read a notebook, such as "mualem2001/table1", or what is known of a frozen one; None where there is none."""
    path = paths.ROOT / "notebooks" / f"{name}.ipynb"
    if not path.exists():
        known = frozen()["notebooks"].get(name)
        return Notebook(name, known["title"], section=known["section"], frozen=True) if known else None
    book = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    tagged = ["".join(cell["source"]) for cell in code if "parameters" in cell["metadata"].get("tags", [])]
    title = "".join(book["cells"][0]["source"]).splitlines()[0].lstrip("# ")
    others = tuple("".join(cell["source"]) for cell in code)
    return Notebook(name, title, others, "\n".join(tagged), **book["metadata"].get("simlib", {}))


def notebooks() -> dict[str, Notebook]:
    """Read the notebooks of the papers' exhibits, in the papers' order: those whose metadata name a section."""
    names = [path.relative_to(paths.ROOT / "notebooks") for path in (paths.ROOT / "notebooks").glob("*/*.ipynb")]
    there = [notebook(name.with_suffix("").as_posix()) for name in names if ".ipynb_checkpoints" not in name.parts]
    exhibits = [one for one in there if one and one.section != Notebook.section]
    return {one.name: one for one in sorted(exhibits, key=lambda one: one.place)}
