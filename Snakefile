# Executes every notebook under notebooks/ headlessly with papermill: build/notebooks/ gets the executed copies,
# build/logs/ a log each, figures/ (or build/synthetic/) what they save. A finished notebook is run again only when it,
# the package, the data or the logs at hand change. `make reproduce` calls it; by hand: snakemake --cores 2

import os
import shlex
import sys

from simlib import archive

NOTEBOOKS = sorted(glob_wildcards("notebooks/{name,[^.]+}.ipynb").name)
FIRST = ["mualem2001/table3", "mualem2001/figure7", "mualem2001/detective", "tang2013/figures14-17"]
"""Those that take longest: begun first, none is left to run alone at the end."""
SHARING = {
    "mualem2001/detective": "mualem2001/table3",
    "mualem2001/estimate-model": "mualem2001/table3",
    "mualem2001/figure4": "mualem2001/figure7",
}
"""Which one to run after which, for it takes many of the other's runs from build/kept/; it could make them itself."""

PYTHON = shlex.quote(sys.executable).replace("{", "{{").replace("}", "}}")  # it may lie in a path with blanks
# Where it can, jsonschema builds a grammar of addresses when it is imported: two thirds of the time that papermill takes
# to start, for a format that notebooks do not have.
PAPERMILL = "import sys; sys.modules['rfc3987_syntax'] = None; from papermill.cli import papermill; papermill()"
LOGS = [str(found[0]) for name in archive.catalogue()["logs"] if (found := archive.find(name))]


def few_shakes(wildcards):
    """With no log but the sample twins stand in, whose numbers nobody judges: then a few shaken runs will do."""
    text = Path(f"notebooks/{wildcards.name}.ipynb").read_text(encoding="utf-8")
    kinds = "shakes", "variant_shakes", "draws", "text_shakes", "likely_shakes"
    counts = [name for name in kinds if f'"{name} = ' in text]
    return "" if len(LOGS) > 1 else " ".join(f"-p {name} 5" for name in counts)


rule all:
    input:
        expand("build/notebooks/{name}.ipynb", name=NOTEBOOKS),


rule notebook:
    input:
        "notebooks/{name}.ipynb",
        package=[str(path) for path in Path("simlib").rglob("*.py")],
        data=[str(path) for path in Path("data").rglob("*.*") if path.parts[1] != "traces"],
        before=lambda wildcards: ancient(
            f"build/notebooks/{SHARING[wildcards.name]}.ipynb" if wildcards.name in SHARING else []
        ),
    output:
        "build/notebooks/{name}.ipynb",
    log:
        "build/logs/{name}.log",
    params:
        logs=lambda wildcards: LOGS,  # a function, for braces in a path are no wildcards
        shakes=few_shakes,
    shell:
        PYTHON + f' -c "{PAPERMILL}"' + " {input[0]:q} {output:q} {params.shakes} --kernel python3 --no-progress-bar"
        " --log-output --no-request-save-on-cell-execute > {log:q} 2>&1"


use rule notebook as first_notebook with:
    wildcard_constraints:
        name="|".join(FIRST),
    priority: 1


ruleorder: first_notebook > notebook
