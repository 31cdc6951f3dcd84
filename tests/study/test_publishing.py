"""A citable release: the provenance crate says where every file comes from; the report fits on four pages."""

import json
import re

import pytest
from helpers import ROOT

pytest.importorskip("rocrate", reason='rocrate is not installed: pip install "simlib-backfilling[publish]"')

from playwright.sync_api import Error

from tools import publishing
from tools.publishing import crate


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """The committed records as a crate: its folder, and its entities by id."""
    folder = crate(tmp_path_factory.mktemp("crates") / "new" / "crate")
    found = json.loads((folder / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    assert len({one["@id"] for one in found}) == len(found)
    return folder, {one["@id"]: one for one in found}


@pytest.mark.slow
def test_a_crate_has_what_the_specification_requires_and_every_reference_leads_to_an_entity(graph):
    folder, known = graph
    root = known["./"]
    assert {"name", "description", "datePublished", "license"} <= set(root)
    assert known["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    parts = {part["@id"] for part in root["hasPart"]}
    kept = [path for path in (ROOT / "figures").glob("*/*/*.*") if path.suffix in (".json", ".csv", ".png")]
    files = {path.relative_to(ROOT / "figures").as_posix() for path in kept}
    assert {part for part in parts if "://" not in part} == files
    assert files < {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    for one in known.values():
        for value in one.values():
            for link in value if isinstance(value, list) else [value]:
                if isinstance(link, dict) and not link["@id"].startswith(("http", "mailto")):
                    assert link["@id"] in known


@pytest.mark.slow
def test_each_exhibit_comes_from_the_logs_of_its_record_with_their_digests(graph):
    _, known = graph
    record = json.loads((ROOT / "figures" / "mualem2001" / "table4" / "record.json").read_text(encoding="utf-8"))
    action = known["#make-mualem2001_table4"]
    assert known[action["instrument"]["@id"]]["version"]
    inputs = [known[one["@id"]] for one in action["object"]]
    assert {log["sha256"] for log in record["logs"] if log["sha256"]} <= {one.get("sha256") for one in inputs}
    assert {one["name"] for one in inputs} >= {*record["parameters"], "versions"}
    assert {one["@id"] for one in action["result"]} == {
        f"mualem2001/table4/{name}" for name in ("record.json", "numbers.csv", "picture.png")
    }


def test_a_crate_takes_no_folder_that_is_there_and_no_run_that_is_not(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="found something there already"):
        crate(tmp_path)
    (tmp_path / "codemeta.json").write_bytes((ROOT / "codemeta.json").read_bytes())
    monkeypatch.setattr(publishing.paths, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="found no record of a full run"):
        crate(tmp_path / "crate")
    assert not (tmp_path / "crate").exists()


@pytest.mark.slow
def test_the_report_has_at_most_four_pages(tmp_path):
    try:
        publishing.article(tmp_path / "article.pdf")
    except Error as error:
        pytest.skip(f"no browser can be started: {error}")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "article.pdf").read_bytes())
    assert 1 <= len(pages) <= 4
