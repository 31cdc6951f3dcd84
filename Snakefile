# Executes every notebook under notebooks/ headlessly with papermill: build/notebooks/ gets the executed copies,
# build/logs/ a log each, figures/ (or build/synthetic/) what they save. A finished notebook is run again only when it,
# the package, the data or the logs at hand change. `make reproduce` calls it; by hand: snakemake --cores 2

import os
import sys

from simlib import archive

NOTEBOOKS = sorted(glob_wildcards("notebooks/{name,[^.]+}.ipynb").name)
LOGS = [str(found[0]) for name in archive.catalogue()["logs"] if (found := archive.find(name))]


rule all:
    input:
        expand("build/notebooks/{name}.ipynb", name=NOTEBOOKS),


rule notebook:
    input:
        "notebooks/{name}.ipynb",
        package=[str(path) for path in Path("simlib").rglob("*.py")],
        data=[str(path) for path in Path("data").rglob("*.*") if path.parts[1] != "traces"],
    output:
        "build/notebooks/{name}.ipynb",
    log:
        "build/logs/{name}.log",
    params:
        logs=LOGS,
    shell:
        sys.executable + " -m papermill {input[0]} {output} --kernel python3 --no-progress-bar --log-output > {log} 2>&1"
