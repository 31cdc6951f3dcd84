"""Handing the course out: what students get, and that nothing is overwritten."""

import json
import re

import nbformat
import pytest
from helpers import listing

from simlib.__main__ import main
from simlib._util import paths
from simlib_course.grading import handout

LESSONS = [path.name for path in handout.lessons()]


def links(folder):
    """The files of a folder that the texts in it point to, as (file, target)."""
    for path in sorted(folder.rglob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                yield from ((path, target) for target in re.findall(r"\]\(([^):]+)\)", cell.source))
    for path in sorted(folder.rglob("*.md")):
        yield from ((path, target) for target in re.findall(r"\]\(([^):]+)\)", path.read_text(encoding="utf-8")))


def test_every_link_of_a_copy_leads_to_a_file_of_it(tmp_path, capsys):
    assert main(["course", str(tmp_path)]) == 0
    assert "files" in capsys.readouterr().out
    found = list(links(tmp_path))
    assert found
    missing = [(path.name, target) for path, target in found if not (path.parent / target.partition("#")[0]).exists()]
    assert missing == []
    assert "(`mualem2001/figures1-3.ipynb` in the repository" in (tmp_path / "lesson2-easy.ipynb").read_text()


def test_students_get_the_lessons_and_no_solution(tmp_path):
    handout.write(tmp_path)
    assert listing(tmp_path) == sorted(["README.md", *LESSONS])
    readme = (tmp_path / "README.md").read_text()
    assert all(f"]({name})" in readme for name in LESSONS) and "solution" not in readme
    for name in LESSONS:
        given, made = handout.read(paths.TEACHING / name), handout.read(tmp_path / name)
        assert list(handout.code(given)) == list(handout.code(made))
        nbformat.validate(nbformat.from_dict(made))


def test_each_name_of_a_file_gets_a_folder_whose_lessons_have_the_name_as_seed(tmp_path, monkeypatch):
    lesson = {
        "cells": [{"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": ['seed: str = ""  # a name']}]
    }
    monkeypatch.setattr(handout, "read", lambda path: json.loads(json.dumps(lesson)))
    names = tmp_path / "names.txt"
    names.write_text("Ada Lovelace\n\nO'Neill\n", encoding="utf-8")
    assert main(["course", str(tmp_path / "made"), "--names", str(names)]) == 0
    assert listing(tmp_path / "made") == ["Ada Lovelace", "O'Neill"]
    sources = ["".join(*(cell["source"] for cell in made["cells"])) for made in written(tmp_path / "made")]
    assert sources == ["seed: str = 'Ada Lovelace'  # a name", 'seed: str = "O\'Neill"  # a name']


def written(folder):
    return [json.loads((folder / name / LESSONS[1]).read_text()) for name in listing(folder)]


def test_names_go_without_a_seed(tmp_path, capsys):
    (tmp_path / "names.txt").write_text("Ada\n")
    assert main(["course", str(tmp_path / "made"), "--seed", "x", "--names", str(tmp_path / "names.txt")]) == 2
    assert "expected one of them" in capsys.readouterr().err and listing(tmp_path) == ["names.txt"]


def test_a_name_that_no_folder_can_have_is_refused(tmp_path):
    for name in ("../ada", "a/b", ".."):
        with pytest.raises(handout.HandoutError, match="expected one that a folder can have"):
            handout.write(tmp_path, names=[name])


def test_a_copy_is_written_again_only_where_it_is_not_there(tmp_path):
    before = {path: path.stat().st_mtime_ns for path in handout.write(tmp_path)}
    (tmp_path / "README.md").unlink()
    handout.write(tmp_path)
    changed = [path.name for path, time in before.items() if path.stat().st_mtime_ns != time]
    assert changed == ["README.md"]


def test_nothing_is_overwritten_and_the_error_names_the_file(tmp_path, capsys):
    mine = tmp_path / LESSONS[-1]
    mine.write_text("my answers")
    assert main(["course", str(tmp_path)]) == 1
    assert str(mine) in capsys.readouterr().err
    assert listing(tmp_path) == [mine.name] and mine.read_text() == "my answers"
