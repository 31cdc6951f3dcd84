"""Step through the decisions of a scheduler."""

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import partial
from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from ... import plots
from ..._util.words import length, number, processors
from ...core.policy import Policy
from ...core.workload import Workload
from ...explain import explain
from ...explain.records import Decision, Explanation, promises
from ..views import Question, event_before, html_table, legend, news, question, spans, time_limits
from ..web import explanation_html
from .control import Control, beside, button, html, ipywidgets, png

# Ask who starts next before it is shown: predict, then look.


MOST = 12
"""So many waiting jobs have a button."""

NOBODY = "nobody until the next event"


INTERVAL = 1500  # ms from one decision to the next when it plays
ROWS = 12  # of the queue, and of the running jobs


def stepper(workload: Workload, policy: Policy, overrun: str = "extend", predict: bool = False) -> "Stepper":
    """Step through the decisions of a scheduler, forwards and backwards.

    You see a Gantt chart that grows: the line "now" divides what has happened, in full colour, from what the scheduler
    expects: running jobs until their estimates end, pale, and reservations, dashed. Backfilled jobs are hatched; the
    job that was just decided on has a black frame. Beside it stand the processors that are free, the shadow time, the
    queue, head first, and the running jobs; under it the decision in a sentence, and its rule.

    The buttons go to the First decision, Back, on to the Next one, to the Next start of a job, and to the Last; Play
    goes on by itself. Next, Back and Play pass over decisions that tell nothing new, such as that the head still waits;
    the slider shows each. With the keyboard, Tab goes from button to button, Space presses, the arrows move the slider.

    Parameters
    ----------
    workload : Workload
        Of up to some 200 jobs.
    policy, overrun : as for `simlib.explain.explain`
    predict : bool
        Whether to ask "Who starts next?" at each event, with a button a waiting job, before it is shown who does; it
        says what was right, and keeps the score. Next goes on without an answer.

    Returns
    -------
    Stepper

    Raises
    ------
    ValueError
        For a workload without jobs, and as `simlib.explain.explain`.

    Examples
    --------
    >>> import simlib
    >>> stepper(simlib.Workload.of("one job", 4, A=(0, 10, 10, 3)), simlib.EASY())
    The starts among 3 decisions, by second:
              0  Job A starts from the head of the queue: it needs 3 of the 4 free processors.
    """
    if len(workload) == 0:
        raise ValueError(f"{workload.name}: stepper: found no job, expected at least one")
    return Stepper(explain(workload, policy, overrun), predict)


class Guess:
    """A line of buttons that ask who starts next, and a sentence on what was answered."""

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


class Stepper(Control):
    """A control that steps through an `Explanation`; see `stepper`."""

    size = (11, 4.3)  # so that chart, sentence and tables are in sight together on a small screen

    def __init__(self, explanation: Explanation, predict: bool = False) -> None:
        self.explanation = explanation
        self._predict, self._told_from = predict, 0
        if predict:
            self.size = (11, 4.1)  # so that the question has room on a small screen
        self.guess: Guess | None = None
        asked = [place for place in range(len(explanation)) if predict and question(explanation, place)]
        self._steps = sorted({*news(explanation), *asked})
        jobs = explanation.schedule.jobs.index
        self._colours = plots.job_colours(jobs)
        self._order = {job: place for place, job in enumerate(jobs)}
        self._promises = promises(explanation)
        self._limits = time_limits(explanation)
        self.decision = explanation[0]
        super().__init__()

    def build(self) -> list[Any]:
        last = len(self.explanation)
        self.slider = ipywidgets.IntSlider(
            1, 1, last, description="decision", tooltip=f"Decision, 1 to {last}", layout={"flex": "1 1 300px"}
        )
        self.slider.observe(lambda _: self.show(), "value")
        self._clock = ipywidgets.Play(max=last, interval=INTERVAL, layout={"display": "none"})
        self._clock.observe(self._name_play, "playing")
        self._clock.observe(lambda _: self._tick(), "value")
        # the buttons of `Play` have no names
        self.play = button("Play", "Play on by itself, or pause", self._play_or_pause)
        self.first = button("First", "To the first decision", lambda: self._go(1))
        self.back = button("Back", "To the decision before that told something new", lambda: self._step(-1))
        self.next = button("Next", "To the next decision that tells something new", lambda: self._step(1))
        self.next_start = button("Next start", "To the next start of a job", self._go_to_next_start)
        self.last = button("Last", "To the last decision", lambda: self._go(last))
        self.state, self.sentence = html("state"), html("sentence")
        buttons = [self.first, self.back, self.play, self.next, self.next_start, self.last, self._clock, self.slider]
        left = ipywidgets.VBox([self.picture, self.sentence], layout={"flex": "99 1 560px", "min_width": "0"})
        self.state.layout.flex = "1 0 400px"  # wide enough for each table, so that the picture keeps its size
        both = ipywidgets.HBox([left, self.state], layout={"flex_flow": "row wrap", "align_items": "flex-start"})
        if self._predict:
            self.guess = Guess(self._go_to_answer)
            return [beside(*buttons), self.guess.box, both]
        return [beside(*buttons), both]

    def _play_or_pause(self) -> None:
        if self._clock.playing:
            self._clock.playing = False
            return
        if self.slider.value == len(self.explanation):
            self._go(1)
        self._clock.value = 0
        self._clock.playing = True

    def _name_play(self, change: Any) -> None:
        self.play.description = "Pause" if change.new else "Play"

    def _tick(self) -> None:
        if self._clock.playing:
            self._step(1)
            self._clock.playing = self.slider.value < len(self.explanation)

    def _go(self, number: int) -> None:
        self.slider.value = number  # which stays within its limits

    def _step(self, direction: int) -> None:
        place = self.slider.value - 1
        further = [step for step in self._steps[::direction] if (step - place) * direction > 0]
        self._go((further[0] if further else place) + 1)

    def _go_to_answer(self, asked: Question) -> None:
        self._told_from = self.slider.value
        self._go(asked.place + 1)
        if not (self.guess and self.guess.focus()):
            self.next.focus()  # the button that had it may be gone, and the keyboard's user with it

    def _go_to_next_start(self) -> None:
        later = range(self.slider.value, len(self.explanation))
        starts = (place for place in later if self.explanation[place].kind in ("start", "backfill"))
        self._go(next(starts, len(self.explanation) - 1) + 1)

    def show(self) -> None:
        place = self.slider.value - 1
        self.decision = seen = self.explanation[place]
        promise = self._promises[place]
        self.picture.value = png(lambda figure: self._draw_instant(figure, seen, promise), self.size)
        self.state.value = _state(seen, promise)
        before, self._told_from = self._told_from, 0
        told: Sequence[Decision] = [seen]
        if before:  # after a question all that decides it
            told = self.explanation[before : place + 1]
        elif place in self._steps and (event := event_before(self.explanation, self._steps, place)):
            told = [event, seen]  # it was not told
        sentences = escape(" ".join(each.sentence for each in told))
        rule = f'<span class="simlib-pale">Rule: {escape(seen.rule)}.</span>'
        self.sentence.value = f'<div role="status">{sentences}<br>{rule}</div>'
        if self.guess:
            self.guess.ask(question(self.explanation, place), answered=before > 0)

    def _draw_instant(self, figure: FigureBase, seen: Decision, promise: Decision | None) -> None:
        ax = figure.add_axes((0.075, 0.17, 0.905, 0.74))
        ax.set(xlim=self._limits, ylim=(0, seen.procs), ylabel="processors")
        rows = [(*span, planned) for span, planned in spans(seen, promise)]
        rows.sort(key=lambda row: self._order[row[0]])  # so that jobs of equal start keep their places
        columns = ["job", "procs", "start", "end", "backfilled", "planned"]
        table = pd.DataFrame(rows, columns=columns).set_index("job")
        table["run"] = table.end - table.start
        plots.spans(ax, table, seen.procs, self._colours, now=seen.time, marked=seen.jobs)
        _mark_time(ax, seen.time, "now", ha="right", linewidth=2.5)
        if promise and promise.shadow is not None:
            pale = 1 if seen.shadow is not None else 0.4
            _mark_time(ax, promise.shadow, "shadow time", ha="left", linewidth=2.5, linestyle=":", alpha=pale)
        figure.text(0.075, 0.02, legend([self.explanation.schedule]), size=13)
        ax.xaxis.set_label_coords(0.93, -0.13)
        plots.mark(ax, self.explanation.schedule.workload)

    def draw(self, figure: FigureBase) -> None:
        ax = figure.add_axes((0.075, 0.15, 0.905, 0.74))
        plots.gantt(self.explanation.schedule, ax)

    def page(self) -> str:

        return explanation_html(self.explanation, self._predict)

    def lines(self) -> list[str]:
        starts = [str(seen) for seen in self.explanation if seen.kind in ("start", "backfill")]
        return [f"The starts among {len(self.explanation)} decisions, by second:", *starts]


def _mark_time(ax: Axes, time: int, text: str, ha: str, alpha: float = 1, **style: Any) -> None:
    """Draw a line across a Gantt chart, with its name above."""
    ax.axvline(time, color="black", alpha=alpha, **style)
    offset: dict[str, Any] = {"xytext": (-4 if ha == "right" else 4, 9), "textcoords": "offset points"}
    ax.annotate(
        f"{text} {number(time)}", (time, 1), xycoords=ax.get_xaxis_transform(), ha=ha, alpha=alpha, size=14, **offset
    )


def _state(seen: Decision, promise: Decision | None) -> str:
    """Write what stands beside the chart, as HTML."""
    parts = [f"<b>Time {number(seen.time)}</b>", f"{number(seen.free)} of {processors(seen.procs)} free"]
    if promise and promise.shadow is not None and promise.extra is not None:
        text = f"shadow time {number(promise.shadow)}, {processors(promise.extra, 'extra')}"
        parts.append(text if seen.shadow is not None else f'<span class="simlib-pale">{text} (so far)</span>')
    reserved = {span.job: number(span.start) for span in seen.reservations}
    columns = ["job", "processors", "estimate"] + (["reserved"] if reserved else [])
    queue = [
        [job.job, number(job.procs), length(job.estimate)] + ([reserved.get(job.job, "")] if reserved else [])
        for job in seen.queue
    ]
    running = [[span.job, number(span.procs), number(span.end)] for span in seen.running]
    tables = [
        _table("Queue", columns, queue, seen.jobs),
        _table("Running", ["job", "processors", "until, expected"], running, seen.jobs),
    ]
    line = "</span> <span>".join(parts)
    return f"<p><span>{line}</span></p>" + "".join(tables)


def _table(name: str, columns: Sequence[str], rows: Sequence[list[Any]], decided: Collection[object]) -> str:
    if not rows:
        return f"<p><b>{name}</b>: no job</p>"
    shown = [cells for place, cells in enumerate(rows) if place < ROWS or cells[0] in decided]
    more = [[f"and {len(rows) - len(shown)} more"]] if len(rows) > len(shown) else []
    return html_table(f"{name}: {len(rows)} job{'s' if len(rows) > 1 else ''}", columns, shown + more, decided)
