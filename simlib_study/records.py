"""An exhibit: the notebook that makes it, and its picture, numbers and record, which says where they come from."""

import json
import math
import os
import platform
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import fastjsonschema  # which papermill's reader of notebooks brings, and which is quick to import
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from simlib import __version__, plots
from simlib._util import paths

from . import claims
from .experiments import PACKAGES, running
from .loading import Logs
from .notebooks import notebooks
from .results import cells
from .verdicts import OTHER_LOG

BACK = ", restored"
"""Ends the name of a workload that has its lost jobs back; so it is no other log."""


# Saving what a notebook made


def save(
    exhibit, figure=None, table=None, *, workloads=(), parameters=None, verdicts=None, place=None, exploration=None
):
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
    record = provenance(exhibit, workloads, parameters or {}) | {"verdicts": verdicts}
    record = _plain(record | ({"exploration": exploration} if exploration else {}))
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

    The message is what it shows, a sentence that its numbers bear out; it is the title. A message is of the study's own
    experiment: the title of another one is what differs.

    Examples
    --------
    >>> figure = show(plt.figure().add_subplot())
    >>> plt.get_fignums()  # a notebook shows it where it is the value of a cell, and only there
    []
    """
    figure = picture if isinstance(picture, Figure) else picture.figure
    experiment, own = running(), logs is not None and logs.own
    if logs is not None and logs.stand_in:
        _stamp(figure)
    if experiment.unjudged and not own:
        figure.suptitle("")
        message = experiment.unjudged
    elif preview := experiment.preview(logs):
        message = f"{message or ' '.join(figure.get_suptitle().split())} ({preview})".lstrip()
    if message:
        plots.title(figure, message)
    plt.close(figure)  # a notebook shows it where it is the value of a cell
    return figure


DIGITS = 4
"""Decimals of saved numbers."""

REPRODUCING = "SIMLIB_REPRODUCING"
"""Is set where the whole study is made, by Snakemake: only then anything is written to `figures/`."""

MADE_OF = "figures/made-of.toml"
"""Has by notebook a digest of the files that its committed numbers were made of."""


def save_exhibit(name, table=None, figure=None, *, logs=(), judged=(), claims=()):
    """Save what a notebook made: `<name>.png`, `<name>.csv`, and `<name>.json` with where it comes from.

    The name is the notebook's folder and name, and a suffix where it saves several, such as "mualem2001_table1_likely".
    What the whole study makes goes to `figures/`, or where it rests on stand-ins to `build/synthetic/`. What is made by
    hand, of another or an edited notebook, by other parameters, or of fewer logs than the record in `figures/`, goes to
    `build/explorations/`, and what is made of your own log to a folder for this log in `build/own/`: nothing counts
    these. There each experiment has a folder, whose name ends with a digest of all that it depends on, and its record
    has the cells that were run.

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
    experiment = running(f"{paper}/{stem}")
    groups = list(logs) if isinstance(logs, (list, tuple)) else [logs]
    of_logs = [group for group in groups if isinstance(group, Logs)]
    own, workloads = [name for group in of_logs if group.own for name in group.asked or group], {}
    for group in groups:
        drawn = group.workloads(experiment.parameters.get("seed", 0)) if isinstance(group, Logs) else [group]
        workloads |= {id(workload): workload for workload in drawn}
    workloads = list(workloads.values())
    synthetic = any(workload.stand_in for workload in workloads)
    parameters, repeats = experiment.parameters, experiment.repeats
    fewer, of_shakes = experiment.fewer, experiment.notebook.repeats if experiment.notebook else []
    if not of_logs:  # how often logs are shaken does not matter to it
        parameters = {each: value for each, value in parameters.items() if each not in of_shakes}
    if synthetic or not of_logs:
        fewer, repeats = (), {each: said for each, said in repeats.items() if each not in of_shakes}
    differs = [*experiment.changed, *experiment.added, *fewer, *repeats.values()]
    if experiment.notebook and experiment.notebook.name != f"{paper}/{stem}":
        differs.append(f"it is of {experiment.notebook.name}")
    if not (synthetic or own) and (absent := lacking(paths.ROOT / "figures" / f"{name}.json", workloads)):
        differs.append(f"without {', '.join(absent)}")
    of_print = list(judged) or ([] if table is None else [table])
    found = {"cells": [cell for each in of_print for cell in cells(each)], "claims": list(claims)}
    if own or experiment.unjudged:
        found = None
    if table is not None and {"verdict", "note"} <= set(table):  # which `judge` adds
        table = table.drop(columns=["verdict", "note"])
    said = experiment.unjudged or (repeats and f"preview: {'; '.join(repeats.values())}")
    if table is not None and said and not own:
        table = table.assign(data=said)
    exploration = None
    if own or differs or not os.environ.get(REPRODUCING):
        exploration = {"differs": differs, "source": experiment.cells}
        own = "+".join(Path(each).name.split(".")[0] for each in own)
        folder = paths.ROOT / "build" / (f"own/{own}" if own else "explorations")
        place = folder / f"{paper}_{stem}_{experiment.digest}"
    else:
        place = None
    files = {"workloads": workloads, "parameters": parameters, "verdicts": found}
    place = save(name, figure, table, **files, place=place, exploration=exploration)
    why = f", for this is not what figures/ has: {'; '.join(differs)}" if differs else ""
    print(f"Saved as {(place / name).relative_to(paths.ROOT)}.*{why}")


def note_what_is_made_of_what():
    """Write into `MADE_OF` the digests of those notebooks whose records were all written in their last run.

    The workflow puts a digest into build/logs/ when it begins to run a notebook.
    """
    file, logs = paths.ROOT / MADE_OF, paths.ROOT / "build" / "logs"
    known = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for path in logs.rglob("*.made-of"):
        name = path.relative_to(logs).with_suffix("").as_posix()
        made = [*(paths.ROOT / "figures").glob(f"{name.replace('/', '_')}[._]*json")]
        if made and all(record.stat().st_mtime_ns >= path.stat().st_mtime_ns for record in made):
            known[name] = path.read_text().strip()
    there = notebooks()
    lines = [f'"{name}" = "{digest}"' for name, digest in sorted(known.items()) if name in there]
    if lines:
        head = "# Digests of what the numbers were made of: `make reproduce CHANGED=1` leaves out what is the same."
        with paths.replacing(file) as path:
            path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


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
