"""Write what a lecturer prints and projects: see `simlib.course.lecture`."""

import sys
import time

from . import BUILT, sheets, slides, write_answers, write_thumbnails


def main(arguments: list[str]) -> None:
    """Do what the command line asks."""
    match arguments:
        case ["sheets"]:
            for path in [*sheets.write(BUILT), sheets.write_glossary(BUILT)]:
                print(path)
        case ["slides", *names]:
            for source in slides.sources(names):
                began = time.monotonic()
                print(f"{slides.write(source)}, {time.monotonic() - began:.0f} s", flush=True)
        case ["answers"]:
            for path in write_answers():
                print(path)
        case ["thumbnails"]:
            for path in write_thumbnails():
                print(path)
        case _:
            sys.exit("usage: python -m simlib.course.lecture sheets | slides [lesson1 ...] | answers | thumbnails")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit(str(error))
