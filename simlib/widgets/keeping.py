"""Keep what was typed into a table in the notebook's file, and find it there again."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..typed import FIELDS, LIMIT, in_order
from ..workload import Workload

ANSWER = "application/vnd.simlib.answer+json"
"""The type of an output that keeps an answer: {"exercise": "1.4", "jobs": {"A": [0, 10, 3, 10], ...}}."""

Jobs = Mapping[Any, Sequence[object]]
"""By job what stands in its fields: submit time, run time, processors, estimate."""

_typed: dict[str, Jobs] = {}
"""By exercise what was typed since the kernel was started."""


class Keeper:
    """An output below a table that keeps what stands in it, and the verdict; a notebook's file keeps its outputs.

    Parameters
    ----------
    exercise : str
        Its number.
    table : Editor
    judge : function
        Returns the verdict on what the table shows.

    Examples
    --------
    >>> Keeper("1.4", None, lambda: "Right").exercise
    '1.4'
    """

    def __init__(self, exercise: str, table: Any, judge: Callable[[], str]) -> None:
        self.exercise, self._table, self._judge = exercise, table, judge
        self._output: Any = None

    def show(self) -> str:
        """Show the output below the cell that is running, with the verdict on the table; return the verdict."""
        from IPython.display import display

        sentence = self._judge()
        self._output = display(self._bundle(sentence), raw=True, display_id=True)
        return sentence

    def keep(self, jobs: Jobs) -> str:
        """Keep jobs that are not judged yet; return what to do about it."""
        _typed[self.exercise] = jobs
        return self._update("This table has changed and is not checked yet: press Check.")

    def judge(self) -> str:
        """Judge the table as it is now, and return the verdict."""
        return self._update(self._judge())

    def _update(self, sentence: str) -> str:
        if self._output:
            self._output.update(self._bundle(sentence), raw=True)
        return sentence

    def _bundle(self, sentence: str) -> dict[str, Any]:
        jobs = {str(job): [_plain(text) for text in texts] for job, texts in self._table.typed.items()}
        if not sentence.startswith(self.exercise):  # "1.4 is waiting for your answer."
            sentence = f"Kept in this notebook as your answer to {self.exercise}. {sentence}"
        return {"text/plain": sentence, ANSWER: {"exercise": self.exercise, "jobs": jobs}}


def kept(exercise: str, given: Workload) -> Jobs | None:
    """Find what was typed for an exercise: with this kernel, or earlier and saved in the notebook that now runs.

    Examples
    --------
    >>> kept("9.9", Workload.of("one job", 4, A=(0, 10, 10, 3))) is None
    True
    """
    if exercise in _typed:
        return _typed[exercise]
    found = saved(_running(), exercise)
    return found and in_order(found, given)


def _running() -> Path:
    """Find the file of the notebook that runs: Jupyter names it, and nbgrader runs it alone in its folder."""
    named, there = os.environ.get("JPY_SESSION_NAME"), list(Path().glob("*.ipynb"))
    return Path(named) if named else there[0] if len(there) == 1 else Path()


def saved(notebook: Path, exercise: str) -> Jobs | None:
    """Find what a notebook's file keeps as the answer to an exercise.

    Parameters
    ----------
    notebook : Path
        That does not have to exist, nor to be a notebook.
    exercise : str

    Returns
    -------
    dict or None
        By job its four numbers, or the text where one is not a number; None where nothing of the kind is kept.

    Examples
    --------
    >>> saved(Path("no.ipynb"), "1.4") is None
    True
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        answers = [output["data"][ANSWER] for output in outputs if ANSWER in output.get("data", {})]
        found = [answer["jobs"] for answer in answers if answer["exercise"] == exercise]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # whatever else lies there
        return None
    return found[-1] if found and _is_table(found[-1]) else None


def _is_table(jobs: object) -> bool:
    return (
        isinstance(jobs, dict)
        and 0 < len(jobs) <= LIMIT
        and all(isinstance(values, list) and len(values) == len(FIELDS) for values in jobs.values())
    )


def _plain(text: object) -> int | str:
    """The number that a text is, or the text."""
    try:
        return int(str(text))
    except ValueError:
        return str(text)
