"""The scoreboard and the pages of the site, made of a few made-up exhibits: every row counted, the same again."""

import copy
import json
import os
import re
import shutil

import matplotlib
import matplotlib.pyplot as plt
import nbformat
import pytest
from exhibits import claimed, judged_cell
from helpers import ROOT, table

from simlib import plots
from simlib._util import paths
from simlib.models.sample import sample
from simlib_study import __main__ as command
from simlib_study import claims, experiments, judging, pages, records
from simlib_study.mualem2001 import printed_means
from simlib_study.resampling import Interval
from tools import website

matplotlib.use("Agg")

BAND = 1.0, Interval(0.9, 1.0, 1.1)
OF = {"log": "KTH", "month": "1996-10", "policy": "EASY", "metric": "response_s"}


def kth():
    """A log of one job that is called KTH's."""
    w = table([(0, 10, 10, 3)], 4)
    w.name, w._source = "KTH-SP2", {"file": "kth.swf", "variant": "original", "sha256": "0123456789abcdef" * 4}
    return w


@pytest.fixture
def log():
    return kth()


def notebook(root, paper, name, title, executed=True, says=""):
    """A notebook's source, and its executed copy."""
    cells = [nbformat.v4.new_markdown_cell(f"# {title}\n\nProse."), nbformat.v4.new_code_cell("print(1)")]
    for folder in (root / "notebooks", *([root / "build" / "notebooks"] if executed else [])):
        (folder / paper).mkdir(parents=True, exist_ok=True)
        book = nbformat.v4.new_notebook(cells=cells, metadata={"simlib": {"section": "3"}})
        nbformat.write(book, folder / paper / f"{name}.ipynb")
        cells[1].outputs = [nbformat.v4.new_output("stream", text=f"1\n{says}")]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of three exhibits, one of them of two pictures, one from a stand-in."""
    root = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "ROOT", root)
        patch.setattr(experiments, "_HERE", {})
        exhibits_of(root, kth())
    return root


@pytest.fixture
def study(root, made):
    """A copy of these exhibits."""
    shutil.copytree(made, root, dirs_exist_ok=True)
    return root


def exhibits_of(root, log):
    """Write three exhibits."""
    figure, ax = plt.subplots()
    ax.plot([1, 2])
    cells = [judged_cell(OF | {"month": "1996-11"}, value, {"text": BAND}) for value in (1.0, 1.0, 1.12, 2.0)]
    likely = 2.0, Interval(1.9, 2.0, 2.1)
    cells[3] = judged_cell(OF, 2.0, {"text": BAND, "likely": likely}, note="so | it is")
    given = [
        claimed("MF-08", claims.REPRODUCED, "5 of 7", likely=claims.NOT, printed=claims.REPRODUCED),
        claimed("MF-09", claims.NOT, "1 < 2 | 3"),
    ]
    made = {"workloads": [log], "parameters": {"seed": 1}}
    notebook(root, "mualem2001", "table1", "Table 1: months")
    records.write("mualem2001/table1", {"more.png": figure, "picture.png": figure}, **made, cells=cells, claims=given)
    notebook(root, "mualem2001", "figure4", "Figure 4: models", executed=False)
    records.write("mualem2001/figure4", {}, claims=[claimed("MF-05", claims.PARTLY, "half")])
    notebook(root, "tang2013", "table2", "Table 2: groups", says=plots.SYNTHETIC)
    one = judged_cell({"log": "SDSC"}, 1.0, 1.0)
    claim = claimed("TG-03", claims.REPRODUCED, "made up")
    records.write("tang2013/table2", {"picture.png": figure}, workloads=[sample()], cells=[one], claims=[claim])
    plt.close("all")


def test_exhibits_come_in_the_papers_order_with_what_the_records_say(study):
    figure4, table1 = records.outcomes(study / "figures")
    assert (table1.label, table1.about, table1.sources) == ("Table 1", "months", ["kth.swf"])
    assert table1.pictures == ["picture.png", "more.png"]
    assert figure4.pictures == figure4.sources == []
    assert judging.tally(table1.cells) == {"cells": 4, "inside": 2, "close": 0, "off": 2, "bands": 4, "by_chance": 0.2}
    assert list(records.by_verdict(table1.claims).values()) == [1, 0, 0, 1, 0]


def test_the_total_counts_every_cell_and_claim_and_those_that_none_can_test(study):
    groups, found_claims = pages.total(records.outcomes(study / "figures"))
    assert groups.startswith(printed_means.GROUPS[printed_means.PROGRAMS]) and "2 of 4 by the text" in groups
    counts = dict(zip(claims.VERDICTS, (1, 1, 0, 1, 4), strict=True))
    assert found_claims.endswith(f": {', '.join(f'{count} {verdict}' for verdict, count in counts.items())}.")


def shown(root):
    return pages.texts(records.outcomes(root / "figures"))


def line(text, beginning):
    (found,) = [line for line in text.splitlines() if line.startswith(beginning)]
    return found


def test_a_claim_has_one_line_below_its_verdict_and_a_section_with_all_that_is_known_of_it(study):
    texts = shown(study)
    board = texts["README.md"]
    assert line(board, "|[MF-08]").endswith("|✔|✘||2/0/0|response time: 325%|>50%|>325% ✘|")
    assert board.index("## Reproduced") < board.index("|[MF-08]") < board.index("## Not reproduced")
    assert board.index("## Not reproduced") < board.index("|[MF-09]") < board.index("## Cannot be tested")
    _, page, after = re.split(r"^## MF-0[89]$", texts["claims/mualem2001.md"], flags=re.M)
    assert "shown 2, open 0, contradicted 0" in page and "- 5 of 7" in page
    assert "| likely programs | ✘ not reproduced |" in page and "| printed numbers | ✔ reproduced |" in page
    for one in claims.criteria()["MF-08"].values():
        assert f"| {one.part} | {one.measure} | {one.demand} |" in page
    measured = line(page, "| response time |  |").split(" | ")
    assert [cell.strip(" |")[:1] for cell in measured[2:]] == ["✔", "✘", "✔"]
    assert r"- 1 \< 2 \| 3" in after


def test_an_exhibit_has_its_picture_numbers_and_claims(study):
    text = shown(study)["EXHIBITS.md"]
    table1 = text[text.index("### Table 1") :]
    assert '<img src="mualem2001/table1/picture.png" alt="Table 1: months"' in table1
    assert "(mualem2001/table1/README.md)" in table1
    assert "by the text: 2 inside, 0 close, 2 off. By the likely programs and on restored logs: 1 inside" in table1
    assert (
        "[MF-08](claims/mualem2001.md#mf-08) ✔, [MF-09](claims/mualem2001.md#mf-09) ✘." in table1
        and "- From kth.swf." in table1
    )
    assert "- From jobs made by hand." in text[: text.index("### Table 1")] and "tang2013" not in text


def test_restored_logs_have_a_column_and_count_apart(study, log):
    readings = {"text": BAND, "likely": (2.0, Interval(1.9, 2.0, 2.1)), "restored": BAND}
    cells = [judged_cell(OF, value, readings) for value in (1.0, 1.05, 3.0)]
    given = [claimed("MF-05", claims.NOT, likely=claims.NOT, restored=claims.REPRODUCED)]
    log.name = "KTH-SP2, restored"
    records.write("mualem2001/figure4", {}, workloads=[log], cells=cells, claims=given)
    texts = shown(study)
    assert "2 inside, 0 close, 1 off. By the likely programs and on restored logs: 2 inside" in texts["EXHIBITS.md"]
    assert "- From kth.swf, restored." in texts["EXHIBITS.md"]
    assert "|✘|✘|✔|0/0/2|" in line(texts["README.md"], "|[MF-05]")


def test_where_a_verdict_turns_and_on_which_refit_it_rests_stand_beside_it(study):
    record = claimed("MF-05", claims.NOT)
    turn = {"above": -0.09, "below": 0.09, "verdict": claims.INCONCLUSIVE}
    records.write("mualem2001/figure4", {}, claims=[record | {"turns": {"looser": turn}}])
    texts = shown(study)
    assert "|-5% to 5%|-9% to 9% ?|" in line(texts["README.md"], "|[MF-05]")
    assert "*(on our refit of Feitelson '96)*" in line(texts["README.md"], "|[MF-05]")
    assert "**✘ Not reproduced** on our refit of Feitelson '96: shown" in texts["claims/mualem2001.md"]
    assert "turns with a looser one, -9% to 9% ?." in texts["claims/mualem2001.md"]


def test_the_report_draws_how_many_printed_numbers_come_out_and_drops_pages_of_papers_that_are_no_more(study):
    (study / "figures" / "claims").mkdir()
    (study / "figures" / "claims" / "smith1999.md").touch()
    command.main(["report"])
    assert (study / "figures" / printed_means.FOLDER / "picture.png").exists()
    assert not (study / "figures" / "claims" / "smith1999.md").exists()
    assert (study / "figures" / "claims" / "mualem2001.md").exists()


@pytest.mark.slow
def test_a_log_that_is_not_verified_is_marked(study, log):
    log._source["verified"] = False
    records.write("mualem2001/figure4", {}, workloads=[log])
    assert "kth.swf (not verified: its digest is not known)" in shown(study)["EXHIBITS.md"]
    assert "not verified" in written()["mualem2001_figure4.md"]


def test_numbers_that_are_not_judged_are_counted_with_the_reason():
    other = {judging.TEXT: judging.OTHER_LOG}
    cells = [judged_cell(OF, 1.0, value, unjudged=why) for value, why in ((float("nan"), None), (2.0, other))]
    assert records.unjudged(cells) == {judging.OTHER_LOG: 1, judging.ABSENT: 1, judging.INFERRED: 0}
    assert pages.counted(cells) == "not judged: 1 on another log, 1 on a log that this study does not have"


def links(text):
    found = re.findall(r'(?:href|src)="([^"#]+)"|\]\(([^)#]+)[^)]*\)', text)
    return [link for pair in found for link in pair if link and "://" not in link]


def test_the_links_of_all_pages_lead_somewhere(study):
    for name in ("data/exhibit.schema.json", "docs/background/verdicts.md", "docs/reference/columns.md"):
        (study / name).parent.mkdir(parents=True, exist_ok=True)
        (study / name).touch()
    for record in (study / "figures").glob("*/*/record.json"):
        record.with_name("README.md").touch()
    command.main(["report"])
    found = [(path, link) for path in (study / "figures").rglob("*.md") for link in links(path.read_text("utf-8"))]
    assert len(found) > 12
    assert [pair for pair in found if not (pair[0].parent / pair[1]).exists()] == []


def written():
    """The pages of the exhibits, by name."""
    rows, executed = website.everything()
    stand_ins = {name for name, path in executed.items() if plots.SYNTHETIC in path.read_text()}
    return website.written(rows, set(executed), stand_ins)


def test_a_folder_has_the_notebook_as_the_last_run_has_executed_it(study):
    began, folders = study / "build" / "logs" / "mualem2001" / "table1.made-of", study / "figures" / "mualem2001"
    began.parent.mkdir(parents=True)
    began.write_text("0123")
    os.utime(began, (0, 0))
    command.main(["report"])
    text = (folders / "table1" / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# Table 1: months\n") and "(../../../notebooks/mualem2001/table1.ipynb)" in text
    assert not (folders / "figure4" / "README.md").exists()  # it was not executed
    (folders / "table1" / "README.md").unlink()
    os.utime(began)  # it was begun, and broke off before it had written its record
    command.main(["report"])
    assert not (folders / "table1" / "README.md").exists()


def test_every_exhibit_has_a_page_on_the_site_and_one_page_leads_to_all(study):
    texts = written()
    names = {"mualem2001_figure4.md", "mualem2001_table1.md", "tang2013_table2.md"}
    assert names < set(texts) and "index.md" in texts and "README.md" not in texts
    assert names < set(links(texts["EXHIBITS.md"]))
    staged = {name for name in texts if not name.startswith("claims/")}
    assert [link for link in links(texts["index.md"]) if not link.startswith("../") and link not in texts] == []
    assert staged == names | {"index.md", "EXHIBITS.md", "FINDINGS.md", "SOURCES.md"}


def test_a_page_loads_nothing_from_the_network(study):
    for text in written().values():
        assert not re.search(r"""src=["']https?://|!\[[^]]*\]\(http|<script""", text)


def test_a_record_s_page_has_logs_parameters_and_every_number_with_its_band(study):
    text = written()["mualem2001_table1.md"]
    for part in (
        "0123456789abcdef" * 4,
        "seed = <code>1</code>",
        "0.9 to 1.10",
        "1.90 to 2.10",
        "so | it is",
        "1996-11",
    ):
        assert part in text, part
    assert text.count("<tr>") == 6  # a number has a row each policy


def test_what_stands_in_for_a_log_is_marked_on_every_page_and_counts_nowhere(study):
    texts = written()
    assert "*This exhibit runs on synthetic data." in texts["EXHIBITS.md"][texts["EXHIBITS.md"].index("### Table 2") :]
    assert "7 claims of three papers" in texts["index.md"] and "TG-03" not in texts["index.md"]
    assert "nothing on this page" in texts["tang2013_table2.md"]
    assert "nothing on this page" not in texts["mualem2001_table1.md"]


def test_without_any_figures_no_scoreboard_is_written(root):
    notebook(root, "teaching", "twins", "Twins")
    command.main(["report"])
    assert not (root / "figures").exists()


def test_the_same_figures_give_the_same_bytes(study):
    def write():
        command.main(["report"])
        return {path: path.read_bytes() for path in (study / "figures").rglob("*.*")}, written()

    assert write() == write()


@pytest.mark.slow
@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: text[:-9], r"mualem2001/figure4/record.json, line \d+: no JSON"),
        (
            lambda text: text.replace('"partly reproduced"', '"nearly"'),
            r"claims\[0\].verdict must be one of .* found 'nearly'",
        ),
        (lambda text: text.replace('"seed"', '"sed"'), r"record must contain \['seed'\] properties"),
        (lambda text: text.replace("figure4", "figure5"), "exhibit: found mualem2001/figure5, expected the folder"),
    ],
)
def test_a_broken_record_is_named_with_the_place_and_nothing_is_written(study, change, message):
    path = study / "figures" / "mualem2001" / "figure4" / "record.json"
    path.write_text(change(path.read_text()))
    with pytest.raises(ValueError, match=message):
        command.main(["report"])
    assert not (study / "figures" / "README.md").exists()


def test_a_record_without_its_notebook_is_named(study):
    (study / "notebooks" / "mualem2001" / "figure4.ipynb").unlink()
    with pytest.raises(ValueError, match="mualem2001/figure4.* found no notebook"):
        records.outcomes(study / "figures")


def test_what_is_frozen_keeps_its_place_and_its_pages_lead_to_what_was_executed(study):
    before = records.outcomes(study / "figures")
    known = [f"{name} = {json.dumps(getattr(before[0].source, name))}\n" for name in ("title", "section")]
    (study / "notebooks" / "mualem2001" / "figure4.ipynb").unlink()
    table = f'[notebooks."mualem2001/figure4"]\n{"".join(known)}'
    (study / "figures" / "frozen.toml").write_text(table, encoding="utf-8")
    assert records.outcomes(study / "figures") == before
    page = "mualem2001/figure4/README.md"
    assert f"({page})" in pages.texts(before)["EXHIBITS.md"]
    assert f"(../{page})" in pages.texts(before)["claims/mualem2001.md"]
    text = written()["mualem2001_figure4.md"]
    assert f"(../figures/{page})" in text and "make frozen" in text and "papermill" not in text


def test_the_verdicts_are_printed(study, capsys):
    command.main([])
    out = capsys.readouterr().out
    assert "figures/mualem2001/table1: Table 1: months\n  from kth.swf\n  MF-08 reproduced: " in out
    assert "build/synthetic/tang2013/table2: Table 2: groups  *** SYNTHETIC" in out
    assert "7 claims of the papers" in out


@pytest.mark.slow
def test_the_committed_pages_are_what_the_records_give(committed):
    folder = ROOT / "figures"
    texts = pages.texts(committed)
    there = {
        path.relative_to(folder).as_posix() for pattern in ("*.md", "claims/*.md") for path in folder.glob(pattern)
    }
    assert there == set(texts) and len(texts["README.md"].replace("|", " ").split()) <= 4700
    assert {name for name, text in texts.items() if (folder / name).read_text(encoding="utf-8") != text} == set()
    assert all(len(pages.brief({"id": id}).split()) <= 20 for id in claims.claims())


@pytest.mark.slow
def test_every_number_that_is_stated_of_the_study_comes_from_a_record(committed, monkeypatch):
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in pages.FINDINGS}
    found, work_out = copy.deepcopy(committed), pages.numbers

    def work_out_once():
        """For both texts, since it takes seconds."""
        numbers = work_out(found)
        monkeypatch.setattr(pages, "numbers", lambda _: numbers)

    work_out_once()
    for name, template in pages.FINDINGS.items():
        assert pages.with_findings(texts[name], found, template) == texts[name]
    for one in found:
        for claim in one.claims:
            claim.get("numbers", {}).update(share=0.123, logs=99)
        for reading in (reading for cell in one.cells for reading in cell["readings"]):
            reading["verdict"] = judging.OFF if reading["verdict"] == judging.INSIDE else reading["verdict"]
    work_out_once()
    for name, template in pages.FINDINGS.items():
        changed = pages.with_findings(texts[name], found, template)
        for counts in (" 34 of them lie in", "122 of 132") if name == "README.md" else ("**34 of the 64", "84 of 176"):
            assert counts in texts[name] and counts not in changed
        assert "99" in changed and changed.count("12 %") == (2 if name == "docs/background/findings.md" else 0)


def test_a_finding_without_a_record_is_named(study):
    with pytest.raises(ValueError, match="found no record that decides OWN-01, OWN-02"):
        pages.stated(records.outcomes(study / "figures"), "headlines.md")


@pytest.mark.parametrize("mark", [pages.WRITTEN.strip(), pages.UNTIL])
def test_findings_whose_place_in_a_text_is_not_marked_are_refused_by_file_and_mark(mark):
    text = f"{pages.WRITTEN}\nold\n{pages.UNTIL}\n".replace(mark, mark.lower().replace("e", "ee", 1))
    with pytest.raises(ValueError) as error:
        pages.with_findings(text, [], "headlines.md", "README.md")
    assert "README.md" in str(error.value) and mark in str(error.value)
