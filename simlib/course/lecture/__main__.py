"""Write what a lecturer prints and projects: into build/teaching/, and into the pages of docs/ that show it."""

import sys
import time

import click

from . import BUILT, sheets, write_answers, write_thumbnails
from . import slides as decks


@click.group(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Hold the commands below."""


@commands.command("sheets")
def write_sheets() -> None:
    """Write pencil sheets, and the glossary on one page."""
    print(*sheets.write(BUILT), sheets.write_glossary(BUILT), sep="\n")


@commands.command()
@click.argument("lessons", nargs=-1, metavar="[LESSON]...")
def slides(lessons: tuple[str, ...]) -> None:
    """Write the slides of all lessons; or of some, such as lesson1 lesson4a."""
    for source in decks.sources(lessons):
        began = time.monotonic()
        print(f"{decks.write(source)}, {time.monotonic() - began:.0f} s", flush=True)


@commands.command()
def answers() -> None:
    """Write the answers on the pages of docs/teaching/, from the solutions."""
    print(*write_answers(), sep="\n")


@commands.command()
def thumbnails() -> None:
    """Write the lessons' pictures on docs/learn.md, from the executed lessons."""
    print(*write_thumbnails(), sep="\n")


if __name__ == "__main__":
    try:
        commands()
    except (OSError, ValueError) as error:
        sys.exit(str(error))
