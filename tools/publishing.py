"""What a citable release needs beside the code: a provenance crate of a full run, and the report as a PDF.

`python -m tools.publishing crate FOLDER` writes the crate, `python -m tools.publishing article FILE` the PDF.
"""

import json
import shutil
from pathlib import Path

import click
import mistune
from playwright.sync_api import sync_playwright
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from simlib._util import paths
from simlib.logs import archive
from simlib_study.records import outcomes

PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
"""Process Run Crate: each exhibit is an action that turns logs into files."""

BROWSER = "/usr/bin/chromium"

STYLE = """<meta charset="utf-8"><style>
@page { size: A4; margin: 17mm 18mm }
body { font: 9.6pt/1.32 sans-serif } h1 { font-size: 16pt } h2 { font-size: 12pt; margin: 0.9em 0 0.3em }
table { border-collapse: collapse; font-size: 8.6pt } td, th { border-bottom: 1px solid #999; padding: 1px 6px }
p, ul { margin: 0.4em 0 } a { color: inherit }
</style>"""


@click.group(help=__doc__)
def commands():
    """Hold the two commands."""


FILE = click.Path(path_type=Path)


@commands.command("crate")
@click.argument("folder", type=FILE)
def write_crate(folder):
    """Write the last full run into a new FOLDER, as an RO-Crate with its provenance."""
    try:
        print(f"The crate: {crate(folder)}")
    except ValueError as error:
        raise click.ClickException(str(error)) from None


@commands.command("article")
@click.argument("path", type=FILE)
def print_article(path):
    """Print figures/REPORT.md as a PDF to PATH."""
    print(f"The report: {article(path)}")


def crate(folder):
    """Write the records, numbers and pictures of `figures/` into a folder, as an RO-Crate that names the logs."""
    if folder.exists():
        raise ValueError(f"{folder}: found something there already; expected a new folder")
    known = archive.catalogue()
    addresses = {
        file["file"]: f"{known['base']}{log['folder']}/{file['file']}"
        for log in known["logs"].values()
        for file in log["files"]
        if "folder" in log and file.get("download", True)
    }
    project = json.loads((paths.ROOT / "codemeta.json").read_text(encoding="utf-8"))
    made = ROCrate(version="1.1")  # which the profile builds on
    made.name = f"simlib {project['version']}: a full run of the study"
    made.description = project["description"]
    made.license = project["license"]
    author = _add(made, "#authors", "Organization", name=project["author"][0]["name"])
    made.root_dataset["author"] = author
    made.root_dataset["conformsTo"] = _add(made, PROFILE, "CreativeWork", name="Process Run Crate", version="0.5")
    address = {"url": project["codeRepository"]} if "codeRepository" in project else {}
    simlib = _add(made, "#simlib", "SoftwareApplication", name="simlib", version=project["version"], **address)
    found = [one for one in outcomes(paths.ROOT / "figures") if not one.synthetic]
    if not found:
        raise ValueError(f"{paths.ROOT / 'figures'}: found no record of a full run; `make reproduce` makes them")
    actions = [_action(made, simlib, one, addresses) for one in found]
    made.root_dataset["mentions"] = actions
    folder.parent.mkdir(parents=True, exist_ok=True)
    with paths.temporary(folder.parent, folder.name) as place:
        made.write(place / "crate")
        shutil.move(place / "crate", folder)
    return folder


def _add(made, id, type, **properties):
    """Add an entity to a crate, once."""
    return made.get(id) or made.add(ContextEntity(made, id, properties={"@type": type, **properties}))


def _action(made, simlib, one, addresses):
    """Add an exhibit: its files, its logs, parameters and versions, and the action between them."""
    record, kept = one.record, (".json", ".csv", ".png")
    files = sorted(path for path in one.folder.iterdir() if path.suffix in kept)
    results = [made.add_file(str(path), f"{one.name}/{path.name}", properties={"name": path.name}) for path in files]
    objects = []
    for log in record["logs"]:
        id = addresses.get(log["file"], f"#{log['file'] or log['name']}")
        digest = {"sha256": log["sha256"]} if log["sha256"] else {}
        about = {"name": log["file"] or log["name"], "description": f"{log['variant']}, {log['jobs']:,} jobs"} | digest
        kind = made.add_file(id, properties=about) if id in addresses.values() and not made.get(id) else None
        objects.append(kind or _add(made, id, "CreativeWork", **about))
    for key, value in (record["parameters"] | {"versions": record["versions"]}).items():
        objects.append(_add(made, f"#{one.slug}-{key}", "PropertyValue", name=key, value=json.dumps(value)))
    return _add(
        made,
        f"#make-{one.slug}",
        "CreateAction",
        name=one.title,
        instrument=simlib,
        object=objects,
        result=results,
        description=one.source.path,
    )


def article(path):
    """Print `figures/REPORT.md` as a PDF."""
    text = (paths.ROOT / "figures" / "REPORT.md").read_text(encoding="utf-8")
    page = STYLE + mistune.create_markdown(plugins=["table"])(text)
    path.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started, paths.replacing(path) as new:
        browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        sheet = browser.new_page()
        sheet.set_content(page)
        new.write_bytes(sheet.pdf(prefer_css_page_size=True))
        browser.close()
    return path


if __name__ == "__main__":
    commands()
