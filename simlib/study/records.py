"""Saving an exhibit: picture, numbers and record together; the record says where they come from."""

import json
import platform
from functools import cache
from importlib import metadata

import fastjsonschema  # which papermill's reader of notebooks brings, and which is quick to import
import numpy as np

from .. import plots
from .._util import paths
from . import claims
from .verdicts import OTHER_LOG

BACK = ", restored"
"""Ends the name of a workload that has its lost jobs back; so it is no other log."""


def save(exhibit, figure=None, table=None, *, workloads=(), parameters=None, verdicts=None, digits=4):
    """Save an exhibit: `<exhibit>.png`, `<exhibit>.csv`, and `<exhibit>.json` with where it comes from.

    They go to `figures/`, or to `build/synthetic/`, marked, if any of the workloads only stands in for a log.
    """
    verdicts = {"cells": [], "claims": []} | (verdicts or {})
    if any(workload.stand_in for workload in workloads):
        verdicts["claims"] = [withdrawn(claim) for claim in verdicts["claims"]]
        if figure is not None:
            plots.stamp(figure)
    place = folder(workloads)
    files = contents(exhibit, figure, table, workloads, parameters or {}, **verdicts, digits=digits)
    write({place / name: content for name, content in files.items()})
    return place


def folder(workloads):
    """Where the files of an exhibit belong that is made of these."""
    apart = any(workload.stand_in for workload in workloads)
    return paths.ROOT / "build" / "synthetic" if apart else paths.ROOT / "figures"


def contents(exhibit, figure, table, workloads, parameters, cells, claims, digits=4):
    """Give the files of an exhibit, bytes by name: of a figure that is stamped, of claims that are withdrawn."""
    synthetic = any(workload.stand_in for workload in workloads)
    if synthetic:  # numbers that come from a stand-in are not judged
        cells = [
            cell | {"readings": {rule: ours | {"verdict": OTHER_LOG} for rule, ours in cell["readings"].items()}}
            for cell in cells
        ]
    verdicts = {"cells": cells, "claims": claims}
    record = _plain(provenance(exhibit, workloads, parameters) | {"verdicts": verdicts}, digits)
    if wrong := complaint(record):
        raise ValueError(f"{exhibit}: {wrong}; data/exhibit.schema.json says what a record is")
    files = {}
    if figure is not None:
        files[f"{exhibit}.png"] = plots.png(figure)
    if table is not None:
        table = table.assign(data=plots.SYNTHETIC) if synthetic else table
        files[f"{exhibit}.csv"] = table.round(digits).to_csv(lineterminator="\n").encode()
    files[f"{exhibit}.json"] = (json.dumps(record, indent=1) + "\n").encode()
    return files


def write(files):
    """Write files, bytes by path, the records last; say which of them rest on stand-ins."""
    for path in sorted(files, key=lambda path: path.suffix == ".json"):
        with paths.replacing(path) as new:
            new.write_bytes(files[path])
        if path.suffix == ".json" and json.loads(files[path])["synthetic"]:
            print(f"*** {plots.SYNTHETIC}: {path.stem} says nothing about the paper ***")


def lacking(path, workloads):
    """The names of the logs that a record was made from, if there is one, and that are not among some workloads."""
    if not path.exists():
        return []
    logs = json.loads(path.read_text(encoding="utf-8"))["logs"]
    here = {workload.name.removesuffix(BACK) for workload in workloads}
    return [name for name in dict.fromkeys(log["name"].removesuffix(BACK) for log in logs) if name not in here]


def withdrawn(claim):
    """A verdict on a claim where what it rests on only stands in for a log."""
    return claims.withdrawn(claim, plots.SYNTHETIC)


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
        "versions": {
            "python": platform.python_version(),
            **{
                package: metadata.version(package)
                for package in ("simlib", "numpy", "pandas", "numba", "scipy", "matplotlib")
            },
        },
    }


def _plain(value, digits):
    """What JSON can hold: plain numbers, rounded; None for nan."""
    if isinstance(value, dict):
        return {str(key): _plain(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, digits) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if value != value else round(value, digits)
    return value
