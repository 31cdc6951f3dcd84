"""Fit the twins: read the real logs and write their tables, `data/models/twins/<name>.toml`.

`python -m tools.fit_twins [NAME...]`, by default all. What a table holds is described in
`data/models/twins/README.md`.
A log that is not on this machine keeps the table it has; two that were never at hand get theirs from what is public
and from the log that is nearest.
"""

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from simlib._util import paths
from simlib._util.arrays import Floats, Ints
from simlib.logs import archive
from simlib.logs.archive import load
from simlib.models.twin import Table, requested_times

from .twin_fitting import fit, mean_of_twins

# Make the tables of logs that were never at hand, from what is public of them and the shapes of the nearest log.


def paragon_1995(table: Table) -> None:
    """Make the table of SDSC-Par-96 one of SDSC-Par-95, with the completed jobs and loads by month of MF Table 1."""
    about = archive.entry("SDSC-Par-95")
    printed = pd.read_csv(paths.DATA / "published" / "mualem2001_table1.csv")
    printed = printed[(printed.log == "Par") & (printed.policy == "EASY") & (printed.month < "1996")]
    printed = printed.pivot(index="month", columns="metric", values="value").reset_index()
    work = printed.load * about["procs"] * _set_months(table, printed.month, about["timezone"])
    table["months"] |= {"jobs": printed.jobs.astype(int).tolist(), "work": work.round().astype(int).tolist()}
    table["users"]["jobs"] = scaled_to(table["users"]["jobs"], int(printed.jobs.sum()))
    table["status"] = [{"requested": False, "upto": [], "status": [1], "jobs": [[1]]}]


def intrepid(table: Table) -> None:
    """Make the table of SDSC-DS one of ANL-Intrepid, by its machine, months, number of jobs, and means (Tang Table 1).

    Sizes are those of SDSC-DS in units of 16 processors, up to the next power of two, times 512 nodes of 4 cores: half
    of the jobs have 512 nodes, as Dorier et al. (CALCioM, IPDPS 2014) found in the log. Requested times are scaled to
    the printed mean, and rounded up to 5 minutes, above an hour to 30. There is as much work as gives the printed mean
    run time.
    """
    about, lines = archive.entry("ANL-Intrepid"), archive.files("ANL-Intrepid")[0].lines
    assert lines is not None, "data/archive.toml gives the number of lines of ANL-Intrepid"
    means = pd.read_csv(paths.DATA / "published" / "tang2013_table1.csv").set_index("quantity").value
    hours = _set_months(table, [f"2009-{month:02}" for month in range(1, 9)], about["timezone"])
    table["months"]["jobs"] = scaled_to(hours, lines)
    table["users"] |= {"jobs": scaled_to(table["users"]["jobs"], lines), "groups": [], "second": 0.0}
    table["removed"] = 0

    def larger(procs: Sequence[int]) -> Ints:
        units = 2 ** np.ceil(np.log2(np.maximum(procs, 16) / 16)).astype(int)
        return np.minimum(2048 * units, about["procs"])

    counts = pd.Series(table["sizes"]["jobs"]).groupby(larger(table["sizes"]["procs"])).sum()
    table["sizes"] = {"procs": counts.index.tolist(), "jobs": counts.tolist()}
    for part in table["size_class"]:
        part["upto"] = int(larger([part["upto"]])[0])
    factor = _solve(lambda factor: _mean_request(_stretched(table, factor)), means["mean_requested"], 0.01, 100)
    table |= _stretched(table, factor)

    def mean_run(load: float) -> float:
        table["months"]["work"] = np.rint(load * about["procs"] * hours).astype(int).tolist()
        return mean_of_twins(table, about["timezone"], lambda jobs: jobs.run.mean())

    _solve(mean_run, means["mean_run"], 0.1, 1.5)


FROM_NEAREST: dict[str, tuple[str, Callable[[Table], None]]] = {
    "SDSC-Par-95": ("SDSC-Par-96", paragon_1995),
    "ANL-Intrepid": ("SDSC-DS", intrepid),
}
"""By log that was never at hand the nearest one, and the function that changes its table."""


def _set_months(table: Table, months: Iterable[str], zone: str) -> Floats:
    """Give a table whole months, and return how many hours each has."""
    months = list(months)
    edges = pd.period_range(min(months), pd.Period(max(months), "M") + 1, freq="M").to_timestamp().tz_localize(zone)
    hours = np.diff(edges) / pd.Timedelta(1, "h")
    table |= {"start": int(edges[0].timestamp()), "first": 0, "last": int(hours.sum() * 3600) - 1}
    table["months"] = {"name": months}
    return hours


def scaled_to(numbers: Sequence[float] | Floats, total: int) -> list[int]:
    """Scale numbers to whole ones in the same proportions that add up to a total, each at least 1."""
    given = np.maximum(np.array(numbers, float), 0)
    scaled = 1 + given * (total - len(given)) / given.sum()
    return np.diff(np.rint(np.cumsum(scaled)), prepend=0).astype(int).tolist()


def _solve(function: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Find by bisection where a rising function is the target; the function is called there last."""
    for _ in range(12):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if function(middle) > target else (middle, high)
    return middle


def _stretched(table: Table, factor: float) -> Table:
    """Scale the requested times in a table, rounded up to 5 or 30 minutes; return the parts that have such times."""

    def stretched(seconds: Sequence[float]) -> Ints:
        rounding = np.where(np.array(seconds) * factor <= 3600, 300, 1800)
        return (np.ceil(np.array(seconds) * factor / rounding) * rounding).astype(int)

    classes = []
    for part in table["size_class"]:
        seconds, jobs = np.array(part["popular"]).T
        counts = pd.Series(jobs).groupby(stretched(seconds)).sum()
        popular = [[int(second), int(count)] for second, count in zip(counts.index, counts, strict=True)]
        others = stretched(part["others"]).tolist()
        classes.append(part | {"popular": popular, "others": others})
    longest = max(max(part["others"][-1], part["popular"][-1][0]) for part in classes)
    return {"size_class": classes, "classes": stretched(table["classes"]).tolist(), "longest": longest}


def _mean_request(table: Table) -> float:
    return float(np.concatenate([requested_times(part) for part in table["size_class"]]).mean())


def made(name: str) -> tuple[Table, str] | None:
    """Make the table of a log's twin, and say what from; None where neither the log nor its nearest one is here."""
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
    """Write a table as TOML text."""
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
    for name in names or filter(archive.has_twin, archive.catalogue()["logs"]):
        result = made(name)
        if result is None:
            print(f"{name}: the log is not on this machine; its table stays")
            continue
        table, origin = result
        comment = f"The twin of {name}: {origin}, by python -m tools.fit_twins."
        comment += " README.md describes the fields."
        comment = textwrap.fill(comment, 120, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
        with paths.replacing(paths.DATA / "models" / "twins" / f"{name}.toml") as path:
            path.write_text(f"{comment}\n\n{toml(table)}", encoding="utf-8")
        print(f"{name}: {origin}")


if __name__ == "__main__":
    main(sys.argv[1:])
