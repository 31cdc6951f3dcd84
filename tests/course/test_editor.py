"""The editor simulates what is typed, says what cannot be, and keeps the answer to an exercise in the notebook."""

from types import SimpleNamespace

import nbformat
import pytest
from helpers import seen_picture, seen_text

from simlib import EASY, FCFS, simulate
from simlib.course import lessons, widgets
from simlib.course.answers import FIELDS, KEPT_TABLE
from simlib.course.widgets import editing
from simlib.models import examples

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_figure_stays_open")]


# The editor


@pytest.fixture
def editor():
    return widgets.editor(examples.figure1(), EASY())


def starts(editor):
    return editor.schedule.jobs.start.to_dict()


def test_the_editor_shows_the_jobs_and_when_they_start(editor):
    assert [row.texts() for row in editor.rows[:2]] == [["0", "30", "4", "30"], ["0", "60", "3", "60"]]
    shown = [(row.start.value, row.wait.value) for row in editor.rows[3:]]
    assert shown == [("60", "58 s"), ("100", "96 s"), ("6", "0 s")]
    assert seen_text(editor.message) == ""


def test_an_edited_number_changes_the_schedule_at_once(editor):
    before = seen_picture(editor)
    editor.rows[1].run.value = editor.rows[1].estimate.value = "20"
    assert starts(editor)["first"] == 30
    assert (editor.rows[3].start.value, editor.rows[3].wait.value) == ("30", "28 s")
    assert seen_picture(editor) != before
    assert editor.workload.jobs.run["B"] == 20


@pytest.mark.parametrize(
    "field, typed, found, limits",
    [
        ("procs", "twelve", "'twelve'", "1 to 10"),
        ("procs", "11", "'11'", "1 to 10"),
        ("procs", "0", "'0'", "1 to 10"),
        ("run", "-5", "'-5'", "0 to 1,000,000,000"),
        ("submit", "1.5", "'1.5'", "0 to 1,000,000,000"),
        ("estimate", " ", "nothing", "0 to 1,000,000,000"),
    ],
)
def test_a_wrong_number_is_told_in_a_sentence_and_the_last_valid_schedule_stays(editor, field, typed, found, limits):
    before, shown = starts(editor), seen_picture(editor)
    getattr(editor.rows[1], field).value = typed
    message = seen_text(editor.message)
    assert message.startswith(f"Job B, {FIELDS[field]}: found {found}, expected a whole number from {limits}")
    assert message.endswith("The schedule is the last valid one.")
    assert (starts(editor), seen_picture(editor)) == (before, shown)
    assert getattr(editor.rows[1], field).style.background
    assert not editor.rows[0].procs.style.background
    getattr(editor.rows[1], field).value = "5"
    assert "expected" not in seen_text(editor.message)
    assert not getattr(editor.rows[1], field).style.background


def test_a_change_leaves_the_fields_in_their_places_so_that_nothing_that_is_being_typed_is_lost(editor):
    fields = editor._table.children
    editor.rows[0].run.value = "50"
    assert all(now is before for now, before in zip(editor._table.children, fields, strict=True))
    editor.add.click()
    assert all(now is before for now, before in zip(editor._table.children, fields, strict=False))


def test_an_estimate_below_the_run_time_is_told(editor):
    editor.rows[0].estimate.value = "10"
    assert "Job A: the estimate 10 is below the run time 30: the scheduler is told" in seen_text(editor.message)
    killed = widgets.editor(examples.figure1(), EASY(), overrun="kill")
    killed.rows[0].estimate.value = "10"
    assert "killed" in seen_text(killed.message)
    assert killed.schedule.jobs.end["A"] == 10


def test_jobs_are_added_and_deleted_and_brought_back(editor):
    editor.add.click()
    assert editor.rows[-1].job == "new1" and editor.rows[-1].texts() == editor.rows[-2].texts()
    assert len(editor.schedule.jobs) == 7
    editor.rows[3].delete.click()
    assert "first" not in starts(editor)
    assert len(editor._table.children) == 1 + 6
    editor.reset.click()
    assert starts(editor) == simulate(examples.figure1(), EASY()).jobs.start.to_dict()


def test_what_is_taken_is_as_if_it_were_typed(editor):
    editor.take({"A": (0, 20, 4, 30), "new": (5, 1, 1, 1)})
    assert [row.texts() for row in editor.rows] == [["0", "20", "4", "30"], ["5", "1", "1", "1"]]
    assert starts(editor) == {"A": 0, "new": 5}
    assert editor.jobs == {"A": (0, 20, 4, 30), "new": (5, 1, 1, 1)}
    editor.reset.click()
    assert starts(editor) == simulate(examples.figure1(), EASY()).jobs.start.to_dict()


def test_a_new_job_gets_the_next_number_where_names_are_numbers(workload):
    editor = widgets.editor(workload([(0, 1, 1, 1), (0, 1, 1, 1)], 1), FCFS())
    editor.add.click()
    editor.rows[0].delete.click()
    editor.add.click()
    assert [row.job for row in editor.rows] == [1, 2, 3]


def test_without_a_job_the_last_schedule_stays_until_one_is_added(workload):
    editor = widgets.editor(workload([(0, 1, 1, 1)], 1), FCFS())
    editor.rows[0].delete.click()
    assert "add one" in seen_text(editor.message)
    assert len(editor.schedule.jobs) == 1
    editor.add.click()
    assert seen_text(editor.message) == ""


def test_the_table_does_not_grow_beyond_its_limit(workload):
    editor = widgets.editor(workload([(k, 1, 1, 1) for k in range(30)], 1), FCFS())
    editor.add.click()
    assert len(editor.rows) == 30
    assert "30 jobs" in seen_text(editor.message)


# The editor as the answer to an exercise


@pytest.fixture
def shown(monkeypatch):
    """What a notebook shows in which somebody can press buttons: of each output all its states."""
    outputs = []

    def display(what, raw=False, display_id=None):
        output = [what]
        outputs.append(output)
        if not raw:
            what._repr_mimebundle_()
        return SimpleNamespace(update=lambda new, raw: output.append(new))

    kernel = SimpleNamespace(get_parent=lambda channel: {"content": {"allow_stdin": True}})
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=kernel))
    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(editing, "_typed", {})
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    return outputs


RIGHT = {"A": [0, 10, 2, 10], "first": [1, 10, 3, 10], "second": [2, 10, 4, 10], "backfill": [3, 250, 1, 250]}


def table():
    return widgets.editor(examples.figure3(), EASY())


def type_in(editor, job, **values):
    row = next(row for row in editor.rows if row.job == job)
    for field, value in values.items():
        getattr(row, field).value = str(value)


def test_a_check_shows_the_table_and_below_it_the_verdict_that_the_notebook_keeps(shown, capsys):
    editor = table()
    lessons.check("2.3", editor)
    assert capsys.readouterr().out == ""
    assert shown[0] == [editor] and len(shown) == 2
    assert shown[1][-1]["text/plain"].endswith("2.3 is waiting for your answer.")
    type_in(editor, "backfill", run=250, estimate=250)
    assert "press Check" in seen_text(editor.verdict) and "press Check" in shown[1][-1]["text/plain"]
    assert shown[1][-1][KEPT_TABLE] == {"exercise": "2.3", "jobs": RIGHT}
    editor.check.click()
    assert seen_text(editor.verdict).startswith("Right: the second job starts at 253 now")
    assert seen_text(editor.verdict) in shown[1][-1]["text/plain"]
    assert lessons.given["2.3"] is editor
    lessons.demand("2.3")


def test_what_is_kept_is_what_the_table_shows_and_nothing_else_is_judged(shown):
    editor = table()
    lessons.check("2.3", editor)
    type_in(editor, "backfill", run=250, estimate=250)
    editor.check.click()
    type_in(editor, "backfill", run="ten")
    assert not seen_text(editor.verdict).startswith("Right")
    assert shown[1][-1][KEPT_TABLE]["jobs"]["backfill"] == [3, "ten", 1, 250]
    editor.check.click()
    assert seen_text(editor.verdict).startswith("Not yet: ") and "Job backfill, run [s]" in seen_text(editor.verdict)
    with pytest.raises(AssertionError, match="found 'ten'"):
        lessons.demand("2.3")


def test_a_kept_answer_is_judged_as_the_table_was():
    assert lessons.verdict("2.3", dict(sorted(RIGHT.items()))).status == "right"
    assert "found 'ten'" in lessons.verdict("2.3", RIGHT | {"backfill": [3, "ten", 1, 250]}).sentence
    given = {job: [submit, run, procs, run] for job, (submit, run, procs, _) in RIGHT.items()}
    given["backfill"] = [3, 30, 1, 30]
    assert lessons.verdict("2.3", given).status == "waiting"


def test_what_was_typed_is_there_again_when_the_cell_runs_again(shown):
    first = table()
    lessons.check("2.3", first)
    type_in(first, "backfill", run=250, estimate=250)
    second = table()
    lessons.check("2.3", second)
    assert second.jobs == first.jobs
    verdict = seen_text(second.verdict)
    assert "typed before" in verdict and "Right: " in verdict
    second.reset.click()
    third = table()
    lessons.check("2.3", third)
    assert third.jobs["backfill"] == (3, 30, 1, 30) and "typed before" not in seen_text(third.verdict)
    taken = table()
    taken.take(RIGHT | {"backfill": [3, 240, 1, 240]})
    lessons.check("2.3", taken)
    assert taken.jobs["backfill"] == (3, 240, 1, 240)


CHECK = """from simlib import EASY
from simlib.course import lessons, widgets
from simlib.models import examples
lessons.check("2.3", widgets.editor(examples.figure3(), EASY()))"""


def saved_with_an_answer():
    """A notebook as JupyterLab saves it when a right table was typed."""
    kept = {KEPT_TABLE: {"exercise": "2.3", "jobs": dict(sorted(RIGHT.items()))}, "text/plain": "Right"}
    output = nbformat.v4.new_output("display_data", kept)
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CHECK, outputs=[output])])


def test_a_new_kernel_finds_what_was_typed_in_the_notebooks_file(shown, tmp_path, monkeypatch):
    nbformat.write(saved_with_an_answer(), tmp_path / "lesson.ipynb")
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "lesson.ipynb"))
    editor = table()
    lessons.check("2.3", editor)
    assert list(editor.jobs.items()) == [(job, tuple(numbers)) for job, numbers in RIGHT.items()]
    assert "Right: " in seen_text(editor.verdict)
    assert editing.saved(tmp_path / "lesson.ipynb", "1.4") is None


@pytest.mark.parametrize(
    "junk", ["", "[]", '{"cells": 3}', '{"cells": [{"outputs": [{"data": {"%s": {"exercise": "2.3"}}}]}]}']
)
def test_a_notebook_that_cannot_be_read_keeps_nothing(junk, tmp_path):
    (tmp_path / "lesson.ipynb").write_text(junk.replace("%s", KEPT_TABLE))
    assert editing.saved(tmp_path / "lesson.ipynb", "2.3") is None


def test_a_table_that_was_shown_by_a_cell_above_is_not_shown_again_by_its_check(shown):
    editor = table()
    editor._repr_mimebundle_()
    lessons.check("2.3", editor)
    assert len(shown) == 1 and KEPT_TABLE in shown[0][0]


def test_without_a_notebook_the_check_of_a_table_prints(capsys):
    lessons.check("2.3", table())
    assert capsys.readouterr().out == "2.3 is waiting for your answer.\n"


def executed(notebook, folder):
    """The outputs of the only cell of a notebook, executed in batch as programs that grade do."""
    from nbclient import NotebookClient

    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return notebook.cells[0].outputs


def test_in_batch_the_check_of_a_table_shows_the_picture_and_prints(tmp_path):
    picture, said = executed(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CHECK)]), tmp_path)
    assert set(picture.data) == {"text/plain", "image/png"}
    assert said.text == "2.3 is waiting for your answer.\n"


def test_in_batch_a_table_is_judged_that_the_only_notebook_of_the_folder_keeps(tmp_path):
    nbformat.write(saved_with_an_answer(), tmp_path / "lesson.ipynb")
    assert executed(saved_with_an_answer(), tmp_path)[1].text.startswith("Right: ")
    nbformat.write(saved_with_an_answer(), tmp_path / "another.ipynb")
    assert executed(saved_with_an_answer(), tmp_path)[1].text == "2.3 is waiting for your answer.\n"
