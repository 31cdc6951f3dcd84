"""The command `simlib new`: begin a paper of one's own."""

import re
from pathlib import Path

import click

from .notebooks import PAPERS

TEMPLATES = Path(__file__).parent / "templates" / "paper"


@click.command()
@click.argument("name")
def new(name: str) -> None:
    """Begin a paper of your own.

    Makes the folder NAME with a notebook, which runs as it is, and a Snakefile, which runs it over a grid.
    """
    folder = Path(name)
    if not re.fullmatch(r"[A-Za-z0-9_-]+", folder.name) or folder.name in PAPERS:
        expected = "letters, digits and hyphens, and no paper of the study"
        raise click.ClickException(f"new: found {folder.name!r}, expected a name of {expected}")
    if folder.exists():
        raise click.ClickException(f"{folder}: found a file or folder of this name, expected a new one")
    (folder / "build" / "runs").mkdir(parents=True)  # papermill makes no folder
    for source, target in (("paper.ipynb", f"{folder.name}.ipynb"), ("Snakefile", "Snakefile")):
        text = (TEMPLATES / source).read_text(encoding="utf-8").replace("my-paper", folder.name)
        (folder / target).write_text(text, encoding="utf-8")
    print(f"{folder}/{folder.name}.ipynb: open it in JupyterLab, or run all of it:")
    print(f"cd {folder} && papermill {folder.name}.ipynb build/runs/once.ipynb")
    print(f"{folder}/Snakefile: a run for each of several values: cd {folder} && snakemake --cores 2")
