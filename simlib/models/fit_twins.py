"""Fit the twins: read the real logs and write their tables, `data/models/twins/<name>.toml`.

`python -m simlib.models.fit_twins [NAME...]`, by default all. What a table holds is described in `simlib.models.twin`.
A log that is not on this machine keeps the table it has; two that were never at hand get theirs from what is public
and from the log that is nearest.
"""

import json
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from .. import archive, paths
from ..loading import load
from . import twin
from .twins.chance import Table
from .twins.fitting import fit
from .twins.nearest import FROM_NEAREST


def made(name: str) -> tuple[Table, str] | None:
    """Make the table of a log's twin, from the log if it is here, and say in words what it was made from.

    Returns
    -------
    (dict, str) or None
        None where neither the log nor the one that is nearest is here.
    """
    if archive.find(name):
        workload = load(name)
        return fit(workload), f"fitted to {workload.source['file']}"
    if name not in FROM_NEAREST:
        return None
    nearest, remake = FROM_NEAREST[name]
    if not archive.find(nearest):
        return None
    workload = load(nearest)
    table = fit(workload)
    remake(table)
    return (
        table,
        f"made from what is public of it, and from the shapes of {workload.source['file']} ({remake.__name__})",
    )


def toml(table: Table) -> str:
    """Write a table as TOML text.

    Examples
    --------
    >>> print(toml({"start": 0, "months": {"name": ["1996-09"], "jobs": [5]}}), end="")
    start = 0
    <BLANKLINE>
    [months]
    name = ["1996-09"]
    jobs = [5]
    """
    text = [_written(key, value) for key, value in table.items() if not _is_part(value)]
    for key, value in table.items():
        if _is_part(value):
            head, parts = (f"[[{key}]]", value) if isinstance(value, list) else (f"[{key}]", [value])
            for part in parts:
                text += ["", head, *(_written(name, entry) for name, entry in part.items())]
    return "\n".join(text) + "\n"


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) or isinstance(value, list) and isinstance(value[0], dict)


def _written(key: str, value: Any) -> str:
    """Write one field, wrapped; of a list of lists, a line each."""
    if isinstance(value, list) and value and isinstance(value[0], list) and max(map(len, value)) > 2:
        rows = [textwrap.fill(json.dumps(row), 118, initial_indent="  ", subsequent_indent="    ") for row in value]
        return f"{key} = [\n" + "".join(f"{row},\n" for row in rows) + "]"
    return textwrap.fill(f"{key} = {json.dumps(value)}", 120, subsequent_indent="    ", break_on_hyphens=False)


def main(names: Sequence[str] = ()) -> None:
    """Write the tables of these logs, or of all that have a twin; print what was written."""
    for name in names or filter(twin.exists, archive.catalogue()["logs"]):
        result = made(name)
        if result is None:
            print(f"{name}: the log is not on this machine; its table stays")
            continue
        table, origin = result
        comment = f"The twin of {name}: {origin}, by python -m simlib.models.fit_twins."
        comment += " The fields are described in simlib/models/twin.py."
        comment = textwrap.fill(comment, 120, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
        with paths.replacing(paths.DATA / "models" / "twins" / f"{name}.toml") as path:
            path.write_text(f"{comment}\n\n{toml(table)}", encoding="utf-8")
        print(f"{name}: {origin}")


if __name__ == "__main__":
    main(sys.argv[1:])
