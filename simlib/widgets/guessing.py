"""Ask who starts next before it is shown: predict, then look."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from ..explain import Decision
from .control import beside, button, html

MOST = 12
"""So many waiting jobs have a button."""

NOBODY = "nobody until the next event"


class Question(NamedTuple):
    """Who starts next, as it can be asked when a decision is shown.

    Attributes
    ----------
    jobs : tuple
        Those that wait, the head first.
    answer : job or None
        None where nobody starts until the next event.
    place : int
        Of the decision that shows it: the start, or the last one before the next event.

    Examples
    --------
    >>> Question(("A", "B"), "A", 7).answer
    'A'
    """

    jobs: tuple[Hashable, ...]
    answer: Hashable | None
    place: int


def question(decisions: Sequence[Decision], place: int) -> Question | None:
    """Find what can be asked when the decision at a place is shown; None where nobody waits, or nothing is decided.

    Examples
    --------
    >>> import simlib
    >>> two = simlib.Workload.of("two jobs", 4, A=(0, 10, 10, 3), B=(0, 5, 5, 3))
    >>> decisions = simlib.explain.explain(two, simlib.EASY())
    >>> question(decisions, 0)
    Question(jobs=('A', 'B'), answer='A', place=1)
    >>> question(decisions, 1)
    Question(jobs=('B',), answer=None, place=2)
    """
    shown = decisions[place]
    if not shown.queue or shown.kind not in ("event", "start", "backfill"):
        return None
    answer, last = None, place
    for later in range(place + 1, len(decisions)):
        seen = decisions[later]
        if seen.kind == "event" or seen.time != shown.time:
            break
        last = later
        if seen.kind in ("start", "backfill"):
            answer = seen.job
            break
    return Question(tuple(job.job for job in shown.queue), answer, last) if last > place else None


class Guess:
    """A line of buttons that ask who starts next, and a sentence on what was answered.

    Parameters
    ----------
    answered : function of a Question
        What is done after an answer.

    Attributes
    ----------
    box : VBox
    buttons : list of Button
        One a waiting job, and the last one for nobody.
    verdict : HTML
    right, asked : int
        The score.
    """

    def __init__(self, answered: Callable[[Question], object]) -> None:
        self.right = self.asked = 0
        self._answered = answered
        self._question: Question | None = None
        self._jobs: tuple[Hashable, ...] = ()
        self._ask, self.verdict = html("question"), html("guess")
        self._ask.value = "<b>Who starts next?</b>"
        self.buttons = [button("", "", partial(self._say, place)) for place in range(MOST + 1)]
        self.box = beside(self._ask, *self.buttons, self.verdict)
        self.box.layout.min_height = "38px"  # so that nothing moves when the question goes

    def ask(self, asked: Question | None, answered: bool) -> None:
        """Show a question, or none; the sentence on the answer before stays only if that was `answered` just now."""
        self._question = asked
        if not answered:
            self.verdict.value = ""
        self._jobs = asked.jobs[:MOST] if asked else ()
        names = [f"job {job}" for job in self._jobs]
        for place, each in enumerate(self.buttons):
            name = names[place] if place < len(names) else NOBODY
            each.description, each.tooltip = name, f"I think that {name} starts next"
            each.layout.display = "" if asked and place <= len(names) else "none"
        self._ask.layout.display = "" if asked else "none"

    def focus(self) -> bool:
        """Give the focus of the keyboard to the first button; tell whether there is a question."""
        if self._question:
            self.buttons[0].focus()
        return self._question is not None

    def _say(self, place: int) -> None:
        asked = self._question
        if asked is None:
            return
        said = self._jobs[place] if place < len(self._jobs) else None
        truth = f"job {asked.answer}" if asked.answer is not None else "nobody"
        right = said == asked.answer
        self.right, self.asked = self.right + right, self.asked + 1
        text = f"{'Right' if right else 'Not right'}: {truth} starts. {self.right} of {self.asked} right so far."
        self.verdict.value = f'<div role="status">{escape(text)}</div>'
        self._answered(asked)
