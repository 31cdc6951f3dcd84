"""The commands `simlib course` and `simlib grade`."""

import sys
import unicodedata
from typing import Any

import click

from .answers import words


def _students(names: Any) -> list[str]:
    """Read a file with a name a line; refuse one that is there twice, however it is typed."""
    students = [unicodedata.normalize("NFC", line.strip()) for line in names or () if line.strip()]
    known: dict[str, str] = {}
    for name in students:
        if (spelled := " ".join(words(name))) in known:
            raise click.ClickException(
                f"{names.name}: found {known[spelled]!r} and {name!r}, expected other words in each, such as '{name} 2'"
            )
        known[spelled] = name
    return students


@click.command()
@click.argument("folder")
@click.option("--seed", metavar="TEXT", default="", help="Other numbers in some exercises, for each text its own.")
@click.option("--names", type=click.File(encoding="utf-8"), metavar="FILE", help="A name a line: a folder for each.")
def course(folder: str, seed: str, names: Any) -> None:
    """Write a copy of the course.

    Into FOLDER, where nothing is overwritten: lessons in notebooks, without solutions. With --names each student gets
    the numbers of his or her name.
    """
    from .grading import handout  # seldom needed

    if names and seed:
        raise click.UsageError("found --names with --seed, expected one of them")
    students = _students(names)
    try:
        written = handout.write(folder, seed, students)
    except handout.HandoutError as error:
        raise click.ClickException(str(error)) from None
    print(f"{folder}: {len(written)} files")


@click.command()
@click.argument("folder")
@click.option("--out", metavar="GRADES.csv", required=True, help="A row a student and exercise.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="How many notebooks at once; default: all cores.")
@click.option(
    "--seconds", type=click.IntRange(1, 100_000), metavar="S", default=120, help="For a notebook; default: 120."
)
@click.option("--memory", type=click.IntRange(1, 100_000), metavar="GB", default=2, help="For a notebook; default: 2.")
@click.option("--seed", metavar="TEXT", default="", help="The seed with which the lessons were handed out.")
@click.option("--names", type=click.File(encoding="utf-8"), metavar="FILE", help="As for the command course.")
def grade(folder: str, out: str, jobs: int | None, seconds: int, memory: int, seed: str, names: Any) -> None:
    """Grade the notebooks that students handed in.

    FOLDER has one folder or notebook per student. Needs Linux, and simlib-backfilling[grading].
    """
    try:
        from .grading import box, collecting, grading, results  # slow to import
    except ImportError as error:
        raise click.ClickException(
            f'grade: {error}; expected what pip install "simlib-backfilling[grading]" installs'
        ) from None

    settings = grading.Settings(box.Limits(seconds, memory), seed, tuple(_students(names)))
    try:
        rows = grading.grade(folder, out, settings, jobs, progress=sys.stderr.isatty())
    except (collecting.CollectError, box.BoxError) as error:
        raise click.ClickException(str(error)) from None
    print(*results.told(rows, out), f"{out}, and beside it {results.beside(out, '*')}", sep="\n")
