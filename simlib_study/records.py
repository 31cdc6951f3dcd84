"""What is kept of an exhibit: its numbers, its pictures, and a record of where they come from and of all verdicts."""

import json
import math
import os
import platform
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simlib import __version__, plots
from simlib._util import paths
from simlib.core.workload import Workload
from simlib.logs.archive import NOT_VERIFIED
from simlib.plots.panels import title_of

from . import claims
from .claims import VERDICTS, withdrawn
from .experiments import PACKAGES, running
from .judging import ABSENT, BACK, INFERRED, OF_VERDICTS, OTHER_LOG, cells
from .loading import Logs
from .notebooks import PREVIEW, REPRODUCING, Notebook, notebook, notebooks

Json = dict[str, Any]
"""A record, or a part of one."""

RECORD, NUMBERS, PICTURE = "record.json", "numbers.csv", "picture.png"
"""The files of an exhibit; more tables and pictures have names of their own."""

# Saving what a notebook made


def write(
    exhibit: str,
    files: Mapping[str, Figure | pd.DataFrame],
    *,
    workloads: Collection[Workload] = (),
    parameters: dict[str, Any] | None = None,
    cells: Collection[Json] = (),
    claims: Iterable[Json] = (),
    folder: Path | None = None,
    exploration: Json | None = None,
) -> Path:
    """Write tables and pictures by their files' names, and last the record; a file of before that is none of them goes.

    They go to the exhibit's folder in `figures/`, or in `build/synthetic/`, marked and not judged, if a log is stood in
    for; or to another folder. Numbers have at most four decimals.
    """
    synthetic = any(workload.stand_in for workload in workloads)
    verdicts = {"cells": [dict(cell) for cell in cells], "claims": [*claims]}
    if synthetic:
        for cell in verdicts["cells"]:
            cell["readings"] = [ours | {"verdict": OTHER_LOG} for ours in cell["readings"]]
        verdicts["claims"] = [withdrawn(claim, plots.SYNTHETIC) for claim in claims]
    record = provenance(exhibit, workloads, parameters or {}) | {"verdicts": verdicts}
    record = _plain(record | ({"exploration": exploration} if exploration else {}))
    if wrong := complaint(record):
        raise ValueError(f"{exhibit}: {wrong}; data/exhibit.schema.json says what a record is")
    contents = {}
    for name, made in files.items():
        if isinstance(made, Figure):
            if synthetic:
                plots.stamp(made)
            contents[name] = plots.drawn(made, Path(name).suffix)
        else:
            made = (made.assign(data=plots.SYNTHETIC) if synthetic else made).round(DIGITS)
            as_latex = Path(name).suffix == LATEX
            text = made.to_latex(**OF_LATEX) if as_latex else made.to_csv(lineterminator="\n")
            contents[name] = text.encode()
    contents[RECORD] = (json.dumps(record, indent=1) + "\n").encode()
    folder = folder or paths.ROOT / ("build/synthetic" if synthetic else "figures") / exhibit
    for name, content in contents.items():
        with paths.replacing(folder / name) as new:
            new.write_bytes(content)
    for path in folder.iterdir():
        if path.suffix in (*TABLES, *PICTURES) and path.name not in contents:
            path.unlink()
    if synthetic:
        print(f"*** {plots.SYNTHETIC}: {exhibit} says nothing about real machines ***")
    return folder


def show(picture: Figure | Axes, logs: Logs | None = None, message: str | None = None) -> Figure:
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
    assert isinstance(figure, Figure)  # and no part of one
    experiment, own = running(), logs is not None and logs.own
    if logs is not None and logs.stand_in:
        plots.stamp(figure)
    is_preview = os.environ.get(REPRODUCING) == PREVIEW
    if experiment.unjudged and not (own or experiment.own):
        figure.suptitle("")
        message = "Not judged: a preview, with few runs" if is_preview else experiment.unjudged
    elif preview := experiment.preview(logs):
        message = f"{message or ' '.join(title_of(figure).split())} ({preview})".lstrip()
    if is_preview and (experiment.repeats or experiment.changed):
        plots.stamp(figure, PREVIEW.upper())
    if message:
        plots.title(figure, message)
    plt.close(figure)  # a notebook shows it where it is the value of a cell
    return figure


DIGITS = 4
"""Decimals of saved numbers."""

LATEX = ".tex"
OF_LATEX: Any = {"escape": True, "multirow": False, "float_format": "{:,.2f}".format}

TABLES, PICTURES = (".csv", LATEX), (".png", *plots.VECTOR)
"""Endings of files, the usual one first."""

MADE_OF = "figures/made-of.toml"
"""Has by notebook a digest of the files that its committed numbers were made of."""


def save(
    tables: pd.DataFrame | Mapping[str, pd.DataFrame | None] | None = None,
    pictures: Figure | Mapping[str, Figure | None] | None = None,
    *,
    logs: Logs | Workload | list[Logs | Workload] | tuple[Logs | Workload, ...] = (),
    judged: list[pd.DataFrame] | None = None,
    claims: Iterable[Json] = (),
) -> None:
    """Save what a notebook made in a folder of its name: tables, pictures, and a record of where these come from.

    What the whole study makes goes to `figures/`, or where it rests on stand-ins to `build/synthetic/`. What is made by
    hand, of another or an edited notebook, by other parameters, or of fewer logs than the record in `figures/`, goes to
    `build/explorations/`, and what is made of your own log to a folder for this log in `build/own/`: nothing counts
    these. There each experiment has a folder, whose name is a digest of all that it depends on, and its record has the
    cells that were run. `collect` lays all of them out as one table. A notebook of a paper of your own saves to
    `build/explorations/` in the folder in which it runs.

    Parameters
    ----------
    tables : DataFrame, or dict of these by name
        The main one is called "numbers", and so is a single one: `numbers.csv`. One with a name such as "table.tex" is
        a table for LaTeX with the package booktabs; its numbers have two decimals, texts stay as they are.
    pictures : Figure, or dict of these by name
        Likewise "picture". One that is None is left out. "picture.pdf" and "picture.svg" can be enlarged.
    logs : Logs, or list of these and of workloads
        What it was made from.
    judged : list of DataFrame
        Tables of `study.judge` with the printed numbers that it is about, each number once; by default all tables that
        have verdicts.
    claims : list
        From `study.claim` and `study.finding`.

    Examples
    --------
    >>> save(logs=[])
    Traceback (most recent call last):
        ...
    ValueError: save: found no notebook that runs, expected study.parameters with its name in a cell before
    """
    experiment = running()
    if not experiment.name:
        raise ValueError("save: found no notebook that runs, expected study.parameters with its name in a cell before")
    tables, pictures = _named(tables, "numbers", TABLES), _named(pictures, "picture", PICTURES)
    groups = list(logs) if isinstance(logs, (list, tuple)) else [logs]
    of_logs = [group for group in groups if isinstance(group, Logs)]
    own = [name for group in of_logs if group.own for name in group.asked or group]
    by_id: dict[int, Workload] = {}
    for group in groups:
        drawn = group.workloads(experiment.parameters.get("seed", 0)) if isinstance(group, Logs) else [group]
        by_id |= {id(workload): workload for workload in drawn}
    workloads = list(by_id.values())
    synthetic = any(workload.stand_in for workload in workloads)
    parameters, repeats = experiment.parameters, experiment.repeats
    fewer, of_shakes = experiment.fewer, experiment.notebook.repeats if experiment.notebook else []
    if not of_logs:  # how often logs are shaken does not matter to it
        parameters = {each: value for each, value in parameters.items() if each not in of_shakes}
    if synthetic or not of_logs:
        fewer, repeats = (), {each: said for each, said in repeats.items() if each not in of_shakes}
    differs = [*experiment.changed, *experiment.added, *fewer, *repeats.values()]
    if not (synthetic or own) and (absent := lacking(paths.ROOT / "figures" / experiment.name / RECORD, workloads)):
        differs.append(f"without {', '.join(absent)}")
    of_numbers, claims = _cells(list(tables.values()) if judged is None else judged), list(claims)
    alone = bool(own) or experiment.own  # nothing is printed for it
    if alone or experiment.unjudged:
        of_numbers, claims = [], []
    said = experiment.unjudged or (repeats and f"preview: {'; '.join(repeats.values())}")
    files = {}
    for name, table in tables.items():
        table = table.drop(columns=OF_VERDICTS) if set(OF_VERDICTS) <= set(table) else table
        files[name] = table.assign(data=said) if said and not alone else table
    files |= pictures
    folder = None
    root = Path.cwd() if experiment.own else paths.ROOT
    if os.environ.get(REPRODUCING) == PREVIEW:
        folder = root / "build" / PREVIEW / experiment.name
    elif alone or differs or not os.environ.get(REPRODUCING):
        of_own = "+".join(Path(each).name.split(".")[0] for each in own)
        kind = f"own/{of_own}" if own and not experiment.own else "explorations"
        folder = root / "build" / kind / experiment.name / experiment.digest
    folder = write(
        experiment.name,
        files,
        workloads=workloads,
        parameters=parameters,
        cells=of_numbers,
        claims=claims,
        folder=folder,
        exploration={"differs": differs, "source": experiment.cells} if folder else None,
    )
    why = f", for this is not what figures/ has: {'; '.join(differs)}" if differs and not experiment.own else ""
    print(f"Saved in {folder.relative_to(root)}{why}")


def _named(made: Any, name: str, endings: Sequence[str]) -> dict[str, Any]:
    """What was made, by its file's name, which has one of these endings, else the first: one alone has this name."""
    made = {each: one for each, one in (made if isinstance(made, dict) else {name: made}).items() if one is not None}
    if wrong := [each for each in made if Path(each).suffix in {*TABLES, *PICTURES} - {*endings}]:
        raise ValueError(f"save: found {wrong[0]}, expected a name that ends in {' or '.join(endings)}, or in neither")
    return {each if Path(each).suffix in endings else each + endings[0]: one for each, one in made.items()}


def collect(folder: str | Path = "build/explorations", name: str = NUMBERS) -> pd.DataFrame:
    """Read what all runs of a sweep saved, as one table: each row with the parameters of its run.

    Of runs of a notebook with the same parameters, such as before and after a change of its code, the last one counts;
    what was left out is printed.

    Parameters
    ----------
    folder : str or Path
        All records in it and below count. A relative path is looked for in the current folder, then in the checkout.
    name : str
        The table that each run saved; those that saved none of this name are left out.

    Returns
    -------
    DataFrame
        Columns: `exhibit`, the notebook's name; each of its parameters, a list as its values with commas; then those
        of the table, its index included. A parameter of the same name as a column of the table is called "parameter"
        before its name. Rows are in the order of the parameters.

    Raises
    ------
    FileNotFoundError
        If no run saved such a table there.

    Examples
    --------
    >>> collect("no-such-folder")
    Traceback (most recent call last):
        ...
    FileNotFoundError: no-such-folder: found no run with a table numbers.csv, expected what study.save wrote
    """
    there = next((each for each in (Path(folder), paths.ROOT / folder) if each.is_dir()), Path(folder))
    found = sorted(there.rglob(RECORD), key=lambda path: path.stat().st_mtime_ns)
    records = [(path.parent, read(path)) for path in found if (path.parent / name).exists()]
    if not records:
        raise FileNotFoundError(f"{folder}: found no run with a table {name}, expected what study.save wrote")
    by_parameters = {
        (record["exhibit"], *[(each, *_order(value)) for each, value in record["parameters"].items()]): (path, record)
        for path, record in records  # the last one stays
    }
    if older := len(records) - len(by_parameters):
        print(f"left out: {older} older with the same parameters as another")
    tables = []
    for _, (path, record) in sorted(by_parameters.items()):
        table = pd.read_csv(path / name)
        table = table[
            [column for column in table if not str(column).startswith("Unnamed: ")]
        ]  # an index without a name
        given = {"exhibit": record["exhibit"]}
        for each, value in record["parameters"].items():
            called = f"parameter {each}" if each in table else each
            given[called] = ", ".join(map(str, value)) if isinstance(value, list) else value
        tables.append(pd.concat([pd.DataFrame([given] * len(table)), table], axis=1))
    return pd.concat(tables, ignore_index=True)


def _order(value: Any) -> tuple[bool, float, str]:
    """By what values of a parameter are compared: numbers first, and 1 is the same as 1.0."""
    return (False, float(value), "") if isinstance(value, (int, float)) else (True, 0.0, str(value))


def _cells(tables: Iterable[pd.DataFrame]) -> list[Json]:
    """The judged numbers of tables, each printed number once."""
    judged = [cell for table in tables for cell in cells(table)]
    places = Counter((cell["exhibit"], *cell["of"].items()) for cell in judged)
    if twice := [place for place, count in places.items() if count > 1]:
        exhibit, *of = twice[0]
        where = ", ".join(f"{level} {name}" for level, name in of)
        said = f"found {len(twice)} printed numbers judged twice, such as {exhibit}, {where}"
        raise ValueError(f"save: {said}; expected each once: judged= says in which tables")
    return judged


def of_last_run() -> dict[str, str]:
    """By notebook the digest of what the last run, for which the workflow wrote it, made its record of."""
    made, logs = {}, paths.ROOT / "build" / "logs"
    for path in logs.rglob("*.made-of"):
        name = path.relative_to(logs).with_suffix("").as_posix()
        record = paths.ROOT / "figures" / name / RECORD
        if record.exists() and record.stat().st_mtime_ns >= path.stat().st_mtime_ns:
            made[name] = path.read_text().strip()
    return made


def note_what_is_made_of_what() -> None:
    """Write into `MADE_OF` the digests of those notebooks that the last run has made, beside those of others."""
    file, there = paths.ROOT / MADE_OF, notebooks()
    known = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    lines = [f'"{name}" = "{digest}"' for name, digest in sorted((known | of_last_run()).items()) if name in there]
    if lines:
        head = "# Digests of what the numbers were made of: `make reproduce CHANGED=1` leaves out what is the same."
        with paths.replacing(file) as path:
            path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def lacking(path: Path, workloads: Iterable[Workload]) -> list[str]:
    """The names of the logs that a record was made from, if there is one, and that are not among some workloads."""
    if not path.exists():
        return []
    logs = json.loads(path.read_text(encoding="utf-8"))["logs"]
    here = {workload.name.removesuffix(BACK) for workload in workloads}
    return [name for name in dict.fromkeys(log["name"].removesuffix(BACK) for log in logs) if name not in here]


def read(path: Path) -> Json:
    """A record, held against `data/exhibit.schema.json`."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: no JSON: {error.msg}") from None
    wrong = complaint(record)
    if not wrong and f"/{record['exhibit']}/" not in path.as_posix():
        wrong = f"$.exhibit: found {record['exhibit']}, expected the folder that it lies in"
    if wrong:
        raise ValueError(f"{path}: {wrong}; data/exhibit.schema.json says what a record is; run its notebook again")
    return record


def complaint(record: Json) -> str | None:
    """Where a record departs from `data/exhibit.schema.json`, and how; None where it follows it."""
    from fastjsonschema import JsonSchemaValueException  # comes with papermill, which `simlib new` does without

    validate = _validator()
    try:
        validate(record)
    except JsonSchemaValueException as error:
        return f"{error.message.replace('data', 'record', 1)[:300]}, found {repr(error.value)[:100]}"
    return None


@cache
def _validator() -> Callable[[Json], Json]:
    import fastjsonschema

    schema = json.loads((paths.DATA / "exhibit.schema.json").read_text(encoding="utf-8"))
    return fastjsonschema.compile(schema)


def provenance(exhibit: str, workloads: Collection[Workload], parameters: dict[str, Any]) -> Json:
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


def _plain(value: Any) -> Any:
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


# What the records of all exhibits say together


@dataclass(frozen=True)
class Outcome:
    """What came of one notebook: an exhibit of a paper, or a group of them."""

    name: str
    title: str
    folder: Path
    record: Json

    @property
    def source(self) -> Notebook:
        """The notebook itself."""
        source = notebook(self.name)
        assert source is not None  # or nothing would have come of it
        return source

    @property
    def slug(self) -> str:
        """What its page on the site is called."""
        return self.name.replace("/", "_")

    @property
    def paper(self) -> str:
        """The paper, or what else its notebook's folder stands for."""
        return self.name.partition("/")[0]

    @property
    def label(self) -> str:
        """What the paper calls it, such as "Table 1"."""
        return self.title.partition(": ")[0]

    @property
    def about(self) -> str:
        """The rest of the title."""
        return self.title.partition(": ")[2]

    @property
    def synthetic(self) -> bool:
        """Whether it was made from stand-ins for logs."""
        return self.record["synthetic"]

    @property
    def pictures(self) -> list[str]:
        """The names of its pictures in its folder, the main one first."""
        names = sorted(path.name for path in self.folder.glob("*.png"))
        return sorted(names, key=lambda name: name != PICTURE)

    @property
    def sources(self) -> list[str]:
        """The log files, with a mark where they are not verified, or else models, that it was made from."""
        files = []
        for log in self.record["logs"]:
            restored = BACK if log["name"].endswith(BACK) else ""
            not_verified = f" ({NOT_VERIFIED})" if log["verified"] is False else ""
            files.append((log["file"] or log["name"]) + restored + not_verified)
        models = [model["model"] for model in self.record["models"]]
        return list(dict.fromkeys(files or models))

    @property
    def cells(self) -> list[Json]:
        """Its printed numbers beside ours, as they are judged."""
        return self.record["verdicts"]["cells"]

    @property
    def claims(self) -> list[Json]:
        """The claims that it decides."""
        return self.record["verdicts"]["claims"]


def outcomes(folder: Path) -> list[Outcome]:
    """What came of the exhibits whose records lie in a folder, in the papers' order."""
    made = []
    for path in folder.glob(f"*/*/{RECORD}"):
        name = path.parent.relative_to(folder).as_posix()
        if (source := notebook(name)) is None:
            place = paths.ROOT / "notebooks" / f"{name}.ipynb"
            raise ValueError(f"{path}: found no notebook {place} that makes it; remove its folder")
        made.append(Outcome(name, source.title, path.parent, read(path)))
    return in_order(made)


def in_order(exhibits: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes in the order of the papers and of what these have in them."""
    return sorted(exhibits, key=lambda one: one.source.place)


def unjudged(cells: Iterable[Json]) -> dict[str, int]:
    """Count the cells that are not judged by the text, by the reason."""
    verdicts = [cell["readings"][0]["verdict"] for cell in cells]
    return {reason: verdicts.count(reason) for reason in (OTHER_LOG, ABSENT, INFERRED)}


def by_verdict(claims: Iterable[Json]) -> dict[str, int]:
    """Count the claims of each verdict, in their order: those on claims of a paper, then any on our own findings."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {verdict: counts[verdict] for verdict in VERDICTS} | counts


def decided(exhibits: Iterable[Outcome]) -> list[Json]:
    """Every claim of the papers, and every finding of our own, that these exhibits decide, with its verdict."""
    by_id = {claim["id"]: claim | {"exhibit": one} for one in exhibits for claim in one.claims}
    by_id |= {id: claim | {"exhibit": None} for id, claim in claims.untestable().items()}  # whatever an old record says
    rows = claims.claims().items()
    return [{"paper": row["paper"], "of": row["exhibit"]} | by_id[id] for id, row in rows if id in by_id]
