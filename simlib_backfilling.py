"""Start the command `simlib`; where another package has replaced files of ours, say so, and how to mend it.

The distribution simlib on PyPI has the same import name. This file lies beside the package, because whatever imports a
part of the package runs `simlib/__init__.py`, which may then be the other's.
"""

import sys
from importlib import metadata
from pathlib import Path


def command() -> None:
    """Run the command of the process's arguments, and end it."""
    try:
        from simlib import __main__, simulate  # noqa: F401  # the other has no simulate
    except Exception as error:
        if not _is_other(error):
            raise
        sys.exit(
            f"simlib: found another package in the place of simlib-backfilling ({error!r:.80}); the two overwrite each "
            "other's files, expected one of them: pip uninstall simlib simlib-backfilling, then install the one needed"
        )
    __main__.command()


def _is_other(error: Exception) -> bool:
    """Tell whether an error comes of the other package: it is installed, or something of ours is gone."""
    gone = isinstance(error, ImportError) and error.name == "simlib"
    try:
        return gone or Path(str(metadata.distribution("simlib").locate_file("simlib"))).exists()
    except metadata.PackageNotFoundError:
        return False
