"""Step through the decisions of a scheduler."""

from collections.abc import Collection, Sequence
from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from .. import plots
from ..explain import Decision, Explanation, explain
from ..explain.words import length, number, processors
from ..policies import Policy
from ..workload import Workload
from .control import Control, beside, button, html, html_table, ipywidgets, legend, png

INTERVAL = 1500  # ms from one decision to the next when it plays
ROWS = 12  # of the queue, and of the running jobs


def stepper(workload: Workload, policy: Policy, overrun: str = "extend") -> "Stepper":
    """Step through the decisions of a scheduler, forwards and backwards.

    You see a Gantt chart that grows: the line "now" divides what has happened, in full colour, from what the scheduler
    expects: running jobs until their estimates end, pale, and reservations, dashed. Backfilled jobs are hatched; the
    job that was just decided on has a black frame. Beside it stand the processors that are free, the shadow time, the
    queue, head first, and the running jobs; under it the decision in a sentence, and its rule.

    The buttons go to the First decision, Back, on to the Next one, to the Next start of a job, and to the Last; Play
    goes on by itself. With the keyboard, Tab goes from button to button, Space presses, the arrows move the slider.

    Parameters
    ----------
    workload : Workload
        Of up to some 200 jobs.
    policy, overrun : as for `simlib.explain.explain`

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
    return Stepper(explain(workload, policy, overrun))


class Stepper(Control):
    """A control that steps through an `Explanation`; see `stepper`.

    Attributes
    ----------
    explanation : Explanation
    decision : Decision
        The one that is shown.
    first, back, play, next, next_start, last : Button
    slider : IntSlider
        From 1, the first decision, to the last.
    picture, state, sentence : Image, HTML, HTML

    Examples
    --------
    >>> import simlib
    >>> control = stepper(simlib.Workload.of("one job", 4, A=(0, 10, 10, 3)), simlib.EASY())
    >>> control.next_start.click()
    >>> control.decision.sentence
    'Job A starts from the head of the queue: it needs 3 of the 4 free processors.'
    """

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        jobs = explanation.schedule.jobs
        self._colours = plots.job_colours(jobs.index)
        self._order = {job: place for place, job in enumerate(jobs.index)}
        self._promises = _promises(explanation)
        begin, end = jobs.submit.min(), jobs.end.max()
        expected = max(span.end for seen in explanation for span in (*seen.running, *seen.reservations))
        self._limits = begin, max(end, min(expected, begin + 1.5 * (end - begin)), begin + 1)
        self.decision = explanation[0]
        super().__init__()

    def build(self) -> list[Any]:
        last = len(self.explanation)
        self.slider = ipywidgets.IntSlider(
            1, 1, last, description="decision", tooltip=f"Decision, 1 to {last}", layout={"flex": "1 1 300px"}
        )
        self.slider.observe(lambda _: self.show(), "value")
        self._clock = ipywidgets.Play(min=1, max=last, interval=INTERVAL, layout={"display": "none"})
        self._clock.observe(lambda change: self._name_play(change.new), "playing")
        ipywidgets.jslink((self._clock, "value"), (self.slider, "value"))
        self.play = button(
            "", "Play on by itself, or pause", self._play_or_pause
        )  # the buttons of `Play` have no names
        self._name_play(False)
        self.first = button("First", "To the first decision", lambda: self._go(1))
        self.back = button("Back", "One decision back", lambda: self._go(self.slider.value - 1))
        self.next = button("Next", "To the next decision", lambda: self._go(self.slider.value + 1))
        self.next_start = button("Next start", "To the next start of a job", self._go_to_next_start)
        self.last = button("Last", "To the last decision", lambda: self._go(last))
        self.state, self.sentence = html("state"), html("sentence")
        buttons = [self.first, self.back, self.play, self.next, self.next_start, self.last, self._clock, self.slider]
        left = ipywidgets.VBox([self.picture, self.sentence], layout={"flex": "99 1 560px", "min_width": "0"})
        self.state.layout.flex = "1 0 400px"  # wide enough for each table, so that the picture keeps its size
        both = ipywidgets.HBox([left, self.state], layout={"flex_flow": "row wrap", "align_items": "flex-start"})
        return [beside(*buttons), both]

    def _play_or_pause(self) -> None:
        self._clock.playing = not self._clock.playing

    def _name_play(self, playing: bool) -> None:
        self.play.description = "Pause" if playing else "Play"

    def _go(self, number: int) -> None:
        self.slider.value = number  # which stays within its limits

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
        rule = f'<span class="simlib-pale">Rule: {escape(seen.rule)}.</span>'
        self.sentence.value = f'<div role="status">{escape(seen.sentence)}<br>{rule}</div>'

    def _draw_instant(self, figure: FigureBase, seen: Decision, promise: Decision | None) -> None:
        ax = figure.add_axes((0.075, 0.17, 0.905, 0.74))
        ax.set(xlim=self._limits, ylim=(0, seen.procs), ylabel="processors")
        spans = [(*span, False) for span in (*seen.done, *seen.running)] + [(*span, True) for span in seen.reservations]
        if promise and not seen.reservations:
            spans.append((*promise.reservations[0], True))
        columns = ["job", "procs", "start", "end", "backfilled", "planned"]
        spans.sort(key=lambda span: self._order[span[0]])  # so that jobs of equal start keep their places
        table = pd.DataFrame(spans, columns=columns).set_index("job")
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

    def lines(self) -> list[str]:
        starts = [str(seen) for seen in self.explanation if seen.kind in ("start", "backfill")]
        return [f"The starts among {len(self.explanation)} decisions, by second:", *starts]


def _promises(explanation: Explanation) -> list[Decision | None]:
    """List for each decision the last one at which a shadow time was found, until the head of that one has started."""
    promises: list[Decision | None] = []
    last: Decision | None = None
    for seen in explanation:
        if seen.shadow is not None:
            last = seen
        elif last is not None and last.reservations[0].job not in [job.job for job in seen.queue]:
            last = None
        promises.append(last)
    return promises


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
