"""An exhibit: the notebook that makes it, and its picture, numbers and record, which says where they come from."""

import ast
import hashlib
import inspect
import json
import math
import os
import platform
import re
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path

import fastjsonschema  # which papermill's reader of notebooks brings, and which is quick to import
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from .. import __version__, plots
from .._util import paths
from . import claims
from .loading import Logs
from .results import cells
from .verdicts import OTHER_LOG

BACK = ", restored"
"""Ends the name of a workload that has its lost jobs back; so it is no other log."""


# Notebooks

PAPERS = {
    "mualem2001": "Mu'alem & Feitelson, 2001",
    "tang2013": "Tang, Desai, Buettner & Lan, 2013",
    "tsafrir2005": "Tsafrir, Etsion & Feitelson, 2005",
    "elsewhere": "On other machines",
    "teaching": "For teaching",
}
"""By the notebooks' folder, in the order of the report."""


@dataclass(frozen=True)
class Notebook:
    """A notebook in a folder of `notebooks/`: its name, such as "mualem2001/table1", its title and its code cells.

    The metadata "simlib" of the file say of which `section` of the paper it is, about how many `seconds` it takes, and
    `after` which other one it finds its runs in build/cache/.
    """

    name: str
    title: str = ""
    code: tuple = ()
    tagged: str = ""
    section: str = "99"
    seconds: int = 0
    after: str | None = None

    @cached_property
    def parameters(self):
        """Its parameters by name, from the cell that is tagged so."""
        lines = [line for line in ast.parse(self.tagged).body if isinstance(line, ast.AnnAssign)]
        return {line.target.id: ast.literal_eval(line.value) for line in lines}

    @property
    def repeats(self):
        """The parameters that say how many runs of the logs there are."""
        return [name for name in self.parameters if name.endswith("shakes") or name == "draws"]

    @property
    def place(self):
        """By paper and section, and there as the notebooks are called: figure 4, figures 8-10, figure 11, table 1."""
        paper, _, name = self.name.partition("/")
        numbered = re.match(r"([a-z]+?)s?(\d+)", name)
        kind, number = numbered.groups() if numbered else (name, 0)
        papers = list(PAPERS)
        of_paper = papers.index(paper) if paper in papers else len(papers)
        return of_paper, [int(number) for number in self.section.split(".")], kind, int(number), self.name


def notebook(name):
    """Read a notebook, such as "mualem2001/table1"; None where there is none."""
    path = paths.ROOT / "notebooks" / f"{name}.ipynb"
    if not path.exists():
        return None
    book = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    tagged = ["".join(cell["source"]) for cell in code if "parameters" in cell["metadata"].get("tags", [])]
    title = "".join(book["cells"][0]["source"]).splitlines()[0].lstrip("# ")
    others = tuple("".join(cell["source"]) for cell in code)
    return Notebook(name, title, others, "\n".join(tagged), **book["metadata"].get("simlib", {}))


def notebooks():
    """Read the notebooks of the papers' exhibits, in the papers' order: those whose metadata name a section."""
    names = [path.relative_to(paths.ROOT / "notebooks") for path in (paths.ROOT / "notebooks").glob("*/*.ipynb")]
    found = [notebook(name.with_suffix("").as_posix()) for name in names if ".ipynb_checkpoints" not in name.parts]
    exhibits = [one for one in found if one.section != Notebook.section]
    return {one.name: one for one in sorted(exhibits, key=lambda one: one.place)}


@dataclass(frozen=True)
class Asked:
    """A notebook that is being executed: its name, its own parameters, and what they are `now`."""

    name: str
    own: dict
    now: dict


def asked():
    """Find the notebook whose code, or a function that it has called, calls this; None where there is none.

    Its first cell says by `study.parameters` which one it is.

    Examples
    --------
    >>> asked()
    >>> __notebook__, logs, limit = "mualem2001/footnote2", "KTH", 3600
    >>> asked().now, asked().own["limit"]
    ({'logs': 'KTH', 'limit': 3600}, 14400)
    """
    frame = sys._getframe(1)
    while frame and "__notebook__" not in frame.f_globals:
        frame = frame.f_back
    if not frame:
        return None
    name = frame.f_globals["__notebook__"]
    own = notebook(name).parameters
    return Asked(name, own, _now(frame.f_globals, own))


def _now(variables, own):
    """What parameters are now, in a notebook's variables; logs by the names by which they were requested."""
    return {each: getattr(now := variables.get(each, default), "asked", now) for each, default in own.items()}


# Saving what a notebook made


def save(exhibit, figure=None, table=None, *, workloads=(), parameters=None, verdicts=None, place=None):
    """Save an exhibit to `figures/`, or to `build/synthetic/`, marked and not judged, if a log is stood in for.

    Files are the picture, the numbers with at most four decimals, and last the record.
    """
    verdicts = {"cells": [], "claims": []} | (verdicts or {})
    synthetic = any(workload.stand_in for workload in workloads)
    if synthetic:
        for cell in verdicts["cells"]:
            cell["readings"] = {rule: ours | {"verdict": OTHER_LOG} for rule, ours in cell["readings"].items()}
        verdicts["claims"] = [claims.withdrawn(claim, plots.SYNTHETIC) for claim in verdicts["claims"]]
        table = None if table is None else table.assign(data=plots.SYNTHETIC)
        _stamp(figure)
    record = _plain(provenance(exhibit, workloads, parameters or {}) | {"verdicts": verdicts})
    if wrong := complaint(record):
        raise ValueError(f"{exhibit}: {wrong}; data/exhibit.schema.json says what a record is")
    files = {} if figure is None else {"png": plots.png(figure)}
    if table is not None:
        files["csv"] = table.round(DIGITS).to_csv(lineterminator="\n").encode()
    files["json"] = (json.dumps(record, indent=1) + "\n").encode()
    place = place or paths.ROOT / ("build/synthetic" if synthetic else "figures")
    for ending, content in files.items():
        with paths.replacing(place / f"{exhibit}.{ending}") as new:
            new.write_bytes(content)
    if synthetic:
        print(f"*** {plots.SYNTHETIC}: {exhibit} says nothing about the paper ***")
    return place


def _stamp(figure):
    """Stamp a figure, if there is one, as made from stand-ins, once."""
    if figure is not None and plots.SYNTHETIC not in [text.get_text() for text in figure.texts]:
        plots.stamp(figure)


def show(picture, logs=None, message=None):
    """Give a figure, or that of its axes, to be shown and saved: stamped where a log is only stood in for.

    The message is what it shows, a sentence that its numbers bear out; it is the title.

    Examples
    --------
    >>> figure = show(plt.figure().add_subplot())
    >>> plt.get_fignums()  # a notebook shows it where it is the value of a cell, and only there
    []
    """
    figure = picture if isinstance(picture, Figure) else picture.figure
    if logs is not None and logs.stand_in:
        _stamp(figure)
    if message:
        plots.title(figure, message)
    plt.close(figure)  # a notebook shows it where it is the value of a cell
    return figure


DIGITS = 4
"""Decimals of saved numbers."""

REPRODUCING = "SIMLIB_REPRODUCING"
"""Is set where the whole study is made, by Snakemake: only then anything is written to `figures/`."""


def save_exhibit(name, table=None, figure=None, *, logs=(), judged=(), claims=()):
    """Save what a notebook made: `<name>.png`, `<name>.csv`, and `<name>.json` with where it comes from.

    The name is the notebook's folder and name, and a suffix where it saves several, such as "mualem2001_table1_likely".
    What the whole study makes goes to `figures/`, or where it rests on stand-ins to `build/synthetic/`. What is made by
    hand, by other parameters, or of fewer logs than the record in `figures/`, goes to a folder in
    `build/explorations/`, and what is made of your own log to one in `build/own/`: nothing counts these.

    Parameters
    ----------
    name : str
    table : DataFrame
    figure : Figure
    logs : Logs, or list of these and of workloads
        What it was made from.
    judged : list of DataFrame
        Tables of `study.judge` with the printed numbers that it is about; by default the `table`, if it has verdicts.
    claims : list
        From `study.claim` and `study.finding`.

    Examples
    --------
    >>> save_exhibit("tables", logs=[])
    Traceback (most recent call last):
        ...
    ValueError: save: found the name tables, expected folder and notebook, such as mualem2001_table1
    """
    if "_" not in name:
        raise ValueError(f"save: found the name {name}, expected folder and notebook, such as mualem2001_table1")
    paper, stem, *_ = name.split("_")
    here = notebook(f"{paper}/{stem}") or Notebook(f"{paper}/{stem}")
    variables = inspect.stack()[1].frame.f_globals  # the notebook's
    parameters = _now(variables, here.parameters)
    groups = list(logs) if isinstance(logs, (list, tuple)) else [logs]
    of_logs = [group for group in groups if isinstance(group, Logs)]
    own, workloads = any(group.own for group in of_logs), {}
    for group in groups:
        drawn = group.workloads(parameters.get("seed", 0)) if isinstance(group, Logs) else [group]
        workloads |= {id(workload): workload for workload in drawn}
    workloads = list(workloads.values())
    if not of_logs:  # how often logs are shaken does not matter to it
        parameters = {each: value for each, value in parameters.items() if each not in here.repeats}
    of_print = list(judged) or ([] if table is None else [table])
    found = {"cells": [cell for each in of_print for cell in cells(each)], "claims": list(claims)}
    if table is not None and {"verdict", "note"} <= set(table):  # which `judge` adds
        table = table.drop(columns=["verdict", "note"])
    synthetic = any(workload.stand_in for workload in workloads)
    few = [*here.repeats, "logs"] if synthetic or not of_logs else []  # any twins will do
    differs = [
        f"{each} is {value!r}, in the notebook {here.parameters[each]!r}"
        for each, value in parameters.items()
        if each not in few and _listed(value) != _listed(here.parameters[each])
    ]
    if not (synthetic or own) and (absent := lacking(paths.ROOT / "figures" / f"{name}.json", workloads)):
        differs.append(f"without {', '.join(absent)}")
    if own:
        of_own = [Path(name).name.split(".")[0] for group in of_logs if group.own for name in _listed(group.asked)]
        place = paths.ROOT / "build" / "own" / "+".join(of_own)
    elif differs or not os.environ.get(REPRODUCING):
        digest = f"_{hashlib.sha256(repr(differs).encode()).hexdigest()[:8]}" if differs else ""
        place = paths.ROOT / "build" / "explorations" / f"{paper}_{stem}{digest}"
    else:
        place = None
    judged = None if own else found
    place = save(name, figure, table, workloads=workloads, parameters=parameters, verdicts=judged, place=place)
    why = f", for this is not what figures/ has: {'; '.join(differs)}" if differs else ""
    print(f"Saved as {(place / name).relative_to(paths.ROOT)}.*{why}")


def _listed(value):
    """A list where one value may stand for it."""
    return list(value) if isinstance(value, (list, tuple)) else value if isinstance(value, dict) else [value]


def lacking(path, workloads):
    """The names of the logs that a record was made from, if there is one, and that are not among some workloads."""
    if not path.exists():
        return []
    logs = json.loads(path.read_text(encoding="utf-8"))["logs"]
    here = {workload.name.removesuffix(BACK) for workload in workloads}
    return [name for name in dict.fromkeys(log["name"].removesuffix(BACK) for log in logs) if name not in here]


def read(path):
    """A record, held against `data/exhibit.schema.json`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: no JSON: {error.msg}") from None
    wrong = complaint(found)
    if not wrong and found["exhibit"] != path.stem:
        wrong = f"$.exhibit: expected {path.stem}"
    if wrong:
        raise ValueError(f"{path}: {wrong}; data/exhibit.schema.json says what a record is; run its notebook again")
    return found


def complaint(record):
    """Where a record departs from `data/exhibit.schema.json`, and how; None where it follows it."""
    try:
        _validator()(record)
    except fastjsonschema.JsonSchemaException as error:
        return f"{error.message.replace('data', 'record', 1)[:300]}, found {repr(error.value)[:100]}"
    return None


@cache
def _validator():
    schema = json.loads((paths.DATA / "exhibit.schema.json").read_text(encoding="utf-8"))
    return fastjsonschema.compile(schema)


PACKAGES = "numpy", "pandas", "numba", "scipy", "matplotlib"


def provenance(exhibit, workloads, parameters):
    """Where an exhibit comes from: logs with their digests, models, parameters, seed, versions."""
    models = [workload for workload in workloads if "model" in workload.source]
    return {
        "exhibit": exhibit,
        "synthetic": any(workload.stand_in for workload in workloads),
        "models": [
            {"name": model.name, **model.source, "procs": model.procs, "history": list(model.history)}
            for model in models
        ],
        "logs": [
            {
                "name": workload.name,
                **{key: workload.source.get(key) for key in ("file", "variant", "sha256", "verified")},
                "procs": workload.procs,
                "jobs": len(workload),
                "unestimated": workload.unestimated,
                "dropped": {reason: int(count) for reason, count in workload.dropped.value_counts(sort=False).items()},
                "history": list(workload.history),
            }
            for workload in workloads
            if "model" not in workload.source
        ],
        "parameters": parameters,
        "seed": parameters.get("seed"),
        "versions": {"python": platform.python_version(), "simlib": __version__}
        | {name: metadata.version(name) for name in PACKAGES},
    }


def _plain(value):
    """What JSON can hold: plain numbers, rounded; None for nan and for no end."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return round(value, DIGITS) if math.isfinite(value) else None
    return value
