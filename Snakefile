# Executes every notebook under notebooks/ headlessly with papermill: build/notebooks/ gets the executed copies,
# build/logs/ a log each, figures/ (or build/synthetic/) what they save. A finished notebook is run again only when it,
# the package, the data or the logs at hand change. `make reproduce` calls it; by hand: snakemake --cores 2

import os
import sys

from simlib import archive

NOTEBOOKS = sorted(glob_wildcards("notebooks/{name,[^.]+}.ipynb").name)
LOGS = [str(found[0]) for name in archive.catalogue()["logs"] if (found := archive.find(name))]




def few_shakes(wildcards):
    """With no log but the sample twins stand in, whose numbers nobody judges: then a few shaken runs will do."""
    text = Path(f"notebooks/{wildcards.name}.ipynb").read_text(encoding="utf-8")
    counts = [name for name in ("shakes", "variant_shakes", "final_shakes") if f'"{name} = ' in text]
    return "" if len(LOGS) > 1 else " ".join(f"-p {name} 5" for name in counts)


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
        shakes=few_shakes,
    shell:
        sys.executable + " -m papermill {input[0]} {output} {params.shakes} --kernel python3 --no-progress-bar"
        " --log-output > {log} 2>&1"
