# Executes every notebook under notebooks/ headlessly with papermill: build/notebooks/ gets the executed copies,
# build/logs/ a log each, figures/ what they save (or build/synthetic/ where there is no log, build/explorations/ where
# some of the logs of the record are missing). A finished notebook is run again only when it, a package that it imports,
# the data or the logs at hand change. `make reproduce` calls it; by hand: snakemake --cores 2
# With `--config changed=1` it leaves out the exhibits that are committed as made of the same files, but for the quickest.

import hashlib
import shlex
import sys
import tomllib

from simlib.logs import archive
from simlib_study.notebooks import notebooks
from simlib_study.records import MADE_OF, REPRODUCING

NOTEBOOKS = sorted(glob_wildcards("notebooks/{name,[^.]+}.ipynb").name)
EXHIBITS = notebooks()
QUICK = 10
"""Seconds: an exhibit that takes no longer is made in any case."""


def seconds_to_the_end(name):
    """How long it takes to make an exhibit, and those one after another that wait for its runs."""
    others = [seconds_to_the_end(other) for other, exhibit in EXHIBITS.items() if exhibit.after == name]
    return EXHIBITS[name].seconds + max(others, default=0)


FIRST = [name for name in EXHIBITS if seconds_to_the_end(name) >= 100]
EARLY = [name for name in EXHIBITS if 15 <= seconds_to_the_end(name) < 100]
"""Those that take longest, and those that take long: begun before all others, none is left to run alone at the end."""

PYTHON = shlex.quote(sys.executable).replace("{", "{{").replace("}", "}}")  # it may lie in a path with blanks
DATA = [path for path in Path("data").rglob("*.*") if path.is_file() and path.parts[1] != "traces"]


def digest(paths):
    """What some files are. As inputs Snakemake would look at each of them again and again: every few tenths of a second
    for every notebook that waits, which takes as long as several exhibits."""
    return hashlib.sha256(b"".join(str(path).encode() + path.read_bytes() for path in sorted(paths))).hexdigest()


PACKAGES = {name: digest(Path(name).rglob("*.py")) for name in ("simlib_study", "simlib_report", "simlib_course")}
LIBRARY = digest([*Path("simlib").rglob("*.py"), *DATA, *Path().glob("constraints.txt")])


def made_of(name):
    """The files that a notebook's numbers come from, as a digest: itself, the packages that it imports, the data."""
    text = Path(f"notebooks/{name}.ipynb").read_text(encoding="utf-8")
    imported = [as_it_is for package, as_it_is in PACKAGES.items() if package in text]
    return hashlib.sha256("".join([text, LIBRARY, *imported]).encode()).hexdigest()


def is_made(name):
    """Whether an exhibit that takes long is committed as made of the files that are here."""
    return name in EXHIBITS and EXHIBITS[name].seconds > QUICK and COMMITTED.get(name) == made_of(name)


COMMITTED = tomllib.loads(Path(MADE_OF).read_text(encoding="utf-8")) if Path(MADE_OF).exists() else {}
WANTED = [name for name in NOTEBOOKS if not (config.get("changed") and is_made(name))]

LOGS = [str(found[0]) for name in archive.catalogue()["logs"] if (found := archive.find(name))]


def few_repeats(wildcards):
    """With no log but the sample twins stand in, whose numbers nobody judges: then a few shaken runs will do."""
    if wildcards.name not in EXHIBITS or len(LOGS) > 1:
        return ""
    one = EXHIBITS[wildcards.name]
    return " ".join(f"-p {name} {min(5, one.parameters[name])}" for name in one.repeats)


def shared_runs(wildcards):
    """The notebook whose runs this one takes from build/cache/, if they are there; it could make them itself."""
    after = EXHIBITS[wildcards.name].after if wildcards.name in EXHIBITS else None
    return f"build/notebooks/{after}.ipynb" if after else []  # not ancient(): Snakemake would leave out what is old


rule all:
    input:
        expand("build/notebooks/{name}.ipynb", name=WANTED),


rule notebook:
    input:
        "notebooks/{name}.ipynb",
        before=shared_runs,
    output:
        "build/notebooks/{name}.ipynb",
    log:
        "build/logs/{name}.log",
    params:
        made_of=lambda wildcards: made_of(wildcards.name),
        logs=lambda wildcards: LOGS,  # a function, for braces in a path are no wildcards
        repeats=few_repeats,
    shell:
        "echo {params.made_of} > build/logs/{wildcards.name}.made-of; "  # `simlib_study report` reads it
        + REPRODUCING + "=1 " + PYTHON + " -m papermill {input[0]:q} {output:q}"
        " {params.repeats} --kernel python3 --no-progress-bar --log-output --no-request-save-on-cell-execute"
        " > {log:q} 2>&1"


use rule notebook as first_notebook with:
    wildcard_constraints:
        name="|".join(FIRST),
    priority: 2


use rule notebook as early_notebook with:
    wildcard_constraints:
        name="|".join(EARLY),
    priority: 1


ruleorder: first_notebook > early_notebook > notebook
