"""Write what a lecturer prints and projects, into build/teaching/."""

import sys
import time

import click

from . import BUILT
from . import sheets as pencil
from . import slides as decks


@click.group(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Hold the commands below."""


@commands.command()
@click.option("--seed", default="", metavar="NAME", help="Other jobs, as a hand-out with this seed has them.")
def sheets(seed: str) -> None:
    """Write pencil sheets and their solutions."""
    print(*pencil.write(BUILT, seed), sep="\n")


@commands.command()
@click.argument("lessons", nargs=-1, metavar="[LESSON]...")
def slides(lessons: tuple[str, ...]) -> None:
    """Write the slides of all lessons; or of some, such as lesson1 lesson4a."""
    for source in decks.sources(lessons):
        began = time.monotonic()
        print(f"{decks.write(source)}, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    try:
        commands()
    except (OSError, ValueError) as error:
        sys.exit(str(error))
