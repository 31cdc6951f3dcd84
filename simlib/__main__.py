"""`python -m simlib logs` lists the catalogue; `python -m simlib fetch [NAME...]` downloads what is not here."""

import argparse
import sys

from . import archive


def logs():
    """Print what is known, what is here, and which variant."""
    known = archive.catalogue()["logs"]
    width = max(map(len, known))
    for name, about in known.items():
        try:
            found = archive.find(name)
            where = f"{found[1].variant}: {found[0]}" if found else "not here"
        except archive.ArchiveError as error:
            where = f"UNUSABLE: {error}"
        print(f"{name:{width}}  {about['title']}\n{'':{width}}  {where}")
    print(
        "\nLogs come from the Parallel Workloads Archive, which asks for this citation:",
        archive.catalogue()["citation"],
    )
    return 0


def fetch(names):
    """Download the logs that are not here. Returns the exit status: 1 where one could not be had."""
    failed = 0
    for name in names or archive.catalogue()["logs"]:
        try:
            if archive.find(name):
                print(f"{name}: here already")
            else:
                path = archive.fetch(name, progress=sys.stderr.isatty())
                print(f"{name}: {path}\n  {archive.entry(name)['acknowledgement']}")
        except archive.Unreachable as error:
            print(f"{error}; not trying the others", file=sys.stderr)
            return 1
        except archive.ArchiveError as error:
            print(error, file=sys.stderr)
            failed = 1
    return failed


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m simlib", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("logs", help="list the catalogue: what is known, what is here, which variant")
    command = commands.add_parser("fetch", help="download logs from the Parallel Workloads Archive and verify them")
    command.add_argument("names", nargs="*", metavar="NAME", help="names in the catalogue; by default all")
    given = parser.parse_args(arguments)
    try:
        return logs() if given.command == "logs" else fetch(given.names)
    except archive.ArchiveError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
