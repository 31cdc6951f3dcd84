"""The editor simulates what is typed, says what cannot be, and keeps the answer to an exercise in the notebook."""

from types import SimpleNamespace

import nbformat
import pytest

from simlib import EASY, FCFS, simulate
from simlib.models import examples
from simlib_course import lessons, widgets
from simlib_course.answers import FIELDS, KEPT_TABLE
from simlib_course.widgets import editing

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_figure_stays_open")]


# The editor


@pytest.fixture
def editor():
    return widgets.editor(examples.figure1(), EASY())


def starts(editor):
    return editor.schedule.jobs.start.to_dict()


def type_in(editor, job, **values):
    """Type into the fields of a job, as the browser tells it."""
    rows = [
        [str(values.get(field, text)) if name == job else text for field, text in zip(FIELDS, texts, strict=True)]
        for name, texts in editor.typed.items()
    ]
    editor.hear({"do": "type", "rows": rows})


def press(editor, what, **more):
    editor.hear({"do": what, **more})


def message(editor):
    return " ".join(editor.data["message"])


def test_the_editor_shows_the_jobs_and_when_they_start_in_seconds(editor):
    rows = editor.widget.data["rows"]
    assert [row["typed"] for row in rows[:2]] == [["0", "30", "4", "30"], ["0", "60", "3", "60"]]
    assert [(row["start"], row["wait"]) for row in rows[3:]] == [("60", "58"), ("100", "96"), ("6", "0")]
    assert message(editor) == "" and not editor.data["asked"]


def test_an_edited_number_changes_the_schedule_at_once(editor):
    before = editor.data["bars"]
    type_in(editor, "B", run=20, estimate=20)
    assert starts(editor)["first"] == 30
    row = editor.widget.data["rows"][3]
    assert (row["start"], row["wait"]) == ("30", "28")
    assert editor.data["bars"] != before and editor.workload.jobs.run["B"] == 20


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
def test_a_wrong_number_is_told_once_and_the_last_valid_schedule_stays(editor, field, typed, found, limits):
    before, bars = starts(editor), editor.data["bars"]
    type_in(editor, "B", **{field: typed})
    told = message(editor)
    assert told.startswith(f"Job B, {FIELDS[field]}: found {found}, expected a whole number from {limits}")
    assert told.count("expected") == 1 and told.endswith("The schedule is the last valid one.")
    assert (starts(editor), editor.data["bars"]) == (before, bars)
    assert [row["invalid"] for row in editor.data["rows"][:2]] == [[], [list(FIELDS).index(field)]]
    type_in(editor, "B", **{field: "5"})
    assert "expected" not in message(editor) and not editor.data["rows"][1]["invalid"]


def test_an_estimate_below_the_run_time_is_told(editor):
    type_in(editor, "A", estimate=10)
    assert "Job A: the estimate 10 is below the run time 30: the scheduler is told" in message(editor)
    killed = widgets.editor(examples.figure1(), EASY(), overrun="kill")
    type_in(killed, "A", estimate=10)
    assert "killed" in message(killed) and killed.schedule.jobs.end["A"] == 10


def test_jobs_are_added_and_deleted_and_brought_back(editor):
    press(editor, "add")
    assert list(editor.typed)[-1] == "new1" and editor.typed["new1"] == editor.typed["third"]
    assert len(editor.schedule.jobs) == 7
    press(editor, "delete", row=3)
    assert "first" not in starts(editor) and len(editor.data["rows"]) == 6
    press(editor, "reset")
    assert starts(editor) == simulate(examples.figure1(), EASY()).jobs.start.to_dict()


def test_what_is_taken_is_as_if_it_were_typed(editor):
    editor.take({"A": (0, 20, 4, 30), "new": (5, 1, 1, 1)})
    assert editor.typed == {"A": ["0", "20", "4", "30"], "new": ["5", "1", "1", "1"]}
    assert starts(editor) == {"A": 0, "new": 5}
    assert editor.jobs == {"A": (0, 20, 4, 30), "new": (5, 1, 1, 1)}


def test_a_new_job_gets_the_next_number_where_names_are_numbers_and_the_last_schedule_stays_without_a_job(workload):
    editor = widgets.editor(workload([(0, 1, 1, 1), (0, 1, 1, 1)], 1), FCFS())
    press(editor, "add")
    press(editor, "delete", row=0)
    press(editor, "add")
    assert list(editor.typed) == [1, 2, 3]
    for _ in range(3):
        press(editor, "delete", row=0)
    assert "add one" in message(editor) and len(editor.schedule.jobs) == 1
    press(editor, "add")
    assert message(editor) == ""


def test_the_table_does_not_grow_beyond_its_limit(workload):
    editor = widgets.editor(workload([(k, 1, 1, 1) for k in range(30)], 1), FCFS())
    press(editor, "add")
    assert len(editor.typed) == 30 and "30 jobs" in message(editor)


def test_a_message_about_rows_that_are_gone_changes_nothing(editor):
    before = dict(editor.typed)
    press(editor, "type", rows=[["0", "1", "1", "1"]])
    press(editor, "delete", row=6)
    assert editor.typed == before


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


def test_a_check_shows_the_table_and_below_it_the_verdict_that_the_notebook_keeps(shown, capsys):
    editor = table()
    lessons.check("2.3", editor)
    assert capsys.readouterr().out == ""
    assert shown[0] == [editor] and len(shown) == 2
    assert shown[1][-1]["text/plain"].endswith("2.3 is waiting for your answer.")
    type_in(editor, "backfill", run=250, estimate=250)
    assert "press Check" in message(editor) and "press Check" in shown[1][-1]["text/plain"]
    assert shown[1][-1][KEPT_TABLE] == {"exercise": "2.3", "jobs": RIGHT}
    press(editor, "check")
    assert message(editor).startswith("Right: the second job starts at 253")
    assert message(editor) in shown[1][-1]["text/plain"]
    assert lessons.given["2.3"] is editor
    lessons.demand("2.3")


def test_what_is_kept_is_what_the_table_shows_and_nothing_else_is_judged(shown):
    editor = table()
    lessons.check("2.3", editor)
    type_in(editor, "backfill", run=250, estimate=250)
    press(editor, "check")
    type_in(editor, "backfill", run="ten")
    assert message(editor).startswith("Job backfill, run [s]: found 'ten'") and editor.data["invalid"]
    assert shown[1][-1][KEPT_TABLE]["jobs"]["backfill"] == [3, "ten", 1, 250]
    press(editor, "check")
    assert "ten" not in shown[1][-1]["text/plain"] and "Right" not in message(editor)
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
    verdict = message(second)
    assert "typed before" in verdict and "Right: " in verdict
    press(second, "reset")
    third = table()
    lessons.check("2.3", third)
    assert third.jobs["backfill"] == (3, 30, 1, 30) and "typed before" not in message(third)
    taken = table()
    taken.take(RIGHT | {"backfill": [3, 240, 1, 240]})
    lessons.check("2.3", taken)
    assert taken.jobs["backfill"] == (3, 240, 1, 240)


CHECK = """from simlib import EASY
from simlib_course import lessons, widgets
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
    assert "Right: " in message(editor)
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


@pytest.mark.thorough
def test_in_batch_a_table_is_judged_that_the_only_notebook_of_the_folder_keeps(tmp_path):
    nbformat.write(saved_with_an_answer(), tmp_path / "lesson.ipynb")
    assert executed(saved_with_an_answer(), tmp_path)[1].text.startswith("Right: ")
    nbformat.write(saved_with_an_answer(), tmp_path / "another.ipynb")
    picture, said = executed(saved_with_an_answer(), tmp_path)
    assert set(picture.data) == {"text/plain", "image/png"} and said.text == "2.3 is waiting for your answer.\n"
